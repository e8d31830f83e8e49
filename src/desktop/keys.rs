//! Names of keys, as calibrations write them: `"F2"`, `"ctrl+r"`, `"Return"`.

use std::str::FromStr;

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Control.
    Ctrl,
    /// Alt (Option).
    Alt,
    /// Shift.
    Shift,
    /// Windows, Command or Super.
    Meta,
    /// Return.
    Return,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// Space.
    Space,
    /// Backspace.
    Backspace,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// F1 to F12.
    F(u8),
    /// The key that writes this character.
    Char(char),
}

/// Keys pressed together, in the order in which they go down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys(pub Vec<Key>);

/// No key has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no key is called {0:?}: write keys as in \"F2\", \"n\", \"Return\", \"ctrl+r\" or \"alt+shift+Tab\"")]
pub struct UnknownKey(pub String);

impl FromStr for Keys {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        text.split('+').map(|name| key(name.trim())).collect::<Result<_, _>>().map(Keys)
    }
}

fn key(name: &str) -> Result<Key, UnknownKey> {
    let lower = name.to_ascii_lowercase();
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Ok(Key::Char(character));
    }
    Ok(match lower.as_str() {
        "ctrl" | "control" => Key::Ctrl,
        "alt" | "option" => Key::Alt,
        "shift" => Key::Shift,
        "meta" | "super" | "win" | "cmd" | "command" => Key::Meta,
        "return" | "enter" => Key::Return,
        "escape" | "esc" => Key::Escape,
        "tab" => Key::Tab,
        "space" => Key::Space,
        "backspace" => Key::Backspace,
        "left" => Key::Left,
        "right" => Key::Right,
        "up" => Key::Up,
        "down" => Key::Down,
        _ => match lower.strip_prefix('f').and_then(|number| number.parse().ok()) {
            Some(number @ 1..=12) => Key::F(number),
            _ => return Err(UnknownKey(name.to_owned())),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names() {
        for (text, keys) in [
            ("F2", vec![Key::F(2)]),
            ("n", vec![Key::Char('n')]),
            ("f", vec![Key::Char('f')]),
            ("ctrl+r", vec![Key::Ctrl, Key::Char('r')]),
            ("Alt + Shift + Tab", vec![Key::Alt, Key::Shift, Key::Tab]),
        ] {
            assert_eq!(text.parse(), Ok(Keys(keys)), "{text}");
        }
        for wrong in ["", "F13", "ctrl+", "ctlr+r"] {
            assert!(wrong.parse::<Keys>().is_err(), "{wrong}");
        }
    }
}
