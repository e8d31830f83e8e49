//! What a system lets a program see and do, as a value: whoever needs to know asks for it, and never which system it is.

use serde::Serialize;

/// What can be done here, and what can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// Whether a part of the screen is captured without the rest of it.
    pub capture_part: bool,
    /// Whether the pointer may be in the pictures: then it is kept where its arrow, which points to the upper left, covers nothing.
    pub pointer_in_pictures: bool,
    /// How the person's hand on the mouse is noticed.
    pub pointer: Pointer,
    /// Whether keys that the person holds down are seen: Escape stops the bot then.
    pub keys_down: bool,
    /// Whether it is known which window is under a point, where it is, and which one has the keyboard.
    pub windows: bool,
    /// Whether nothing can come between the look at a window and the press on it.
    pub bound_presses: bool,
    /// Whether it is seen that a button is up again wherever the click was looked at before its window got it: the pointer may leave at once.
    pub seen_releases: bool,
    /// Whether a window can be brought to the front.
    pub raise: bool,
}

/// How it is known where the pointer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pointer {
    /// The system tells.
    Read,
    /// The system does not tell where it is, but that mouse or keyboard were used, and not by the bot.
    Stirred,
    /// Not at all: the person stops the bot with Ctrl+C only.
    Unknown,
}

impl Capabilities {
    /// Of a desktop that hides nothing and refuses nothing.
    pub const ALL: Capabilities = Capabilities {
        capture_part: true,
        pointer_in_pictures: false,
        pointer: Pointer::Read,
        keys_down: true,
        windows: true,
        bound_presses: true,
        seen_releases: true,
        raise: true,
    };

    /// Of one that can only be looked at.
    pub const NONE: Capabilities = Capabilities {
        capture_part: false,
        pointer_in_pictures: true,
        pointer: Pointer::Unknown,
        keys_down: false,
        windows: false,
        bound_presses: false,
        seen_releases: false,
        raise: false,
    };

    /// What can be told to a person: each thing that can be done or known here, or what not being able to means.
    pub fn sentences(&self) -> Vec<String> {
        let tell = |can: bool, yes: &str, no: &str| if can { yes } else { no }.to_owned();
        vec![
            tell(
                self.capture_part,
                "the board alone is captured",
                "the whole screen is captured every time, which is slow",
            ),
            tell(
                !self.pointer_in_pictures,
                "pictures are without the pointer",
                "the pointer may be in the pictures, and is taken off the board before every look",
            ),
            match self.pointer {
                Pointer::Read => "a hand on the mouse is noticed by where the pointer is",
                Pointer::Stirred => "a hand on the mouse or on any key is noticed, though not where the pointer is",
                Pointer::Unknown => "a hand on the mouse is not noticed: stop the bot with Ctrl+C",
            }
            .to_owned(),
            tell(self.keys_down, "Escape stops the bot", "Escape does not stop the bot, Ctrl+C does"),
            tell(
                self.windows,
                "windows are known: a moved one is followed, nothing goes to another one",
                "windows are not known: the board is looked for when it is not where it was, and only its picture says what is clicked",
            ),
            tell(
                self.bound_presses,
                "nothing comes between the look at a window and the click",
                "a window that comes up in the very moment of a click gets it",
            ),
            tell(
                self.seen_releases,
                "a click is seen to be over",
                "a click may not be over when it seems so: the pointer stays for a while before it is taken off the board",
            ),
            tell(self.raise, "a covered window is brought to the front", "a covered window is waited for"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_is_told_and_written() {
        let (all, none) = (Capabilities::ALL.sentences(), Capabilities::NONE.sentences());
        assert!(all.iter().zip(&none).all(|(can, cannot)| can != cannot));
        let fields = serde_json::to_value(Capabilities::NONE).unwrap();
        assert_eq!(fields.as_object().unwrap().len(), all.len());
        assert_eq!(fields["pointer"], "unknown");
    }
}
