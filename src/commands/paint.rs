//! Colours for terminals, where they are wanted.

use std::io::IsTerminal;

/// Puts colours around words, or leaves them as they are.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

/// Whether what goes there is shown by a terminal that understands colours and moves of its cursor; Windows' does once it is asked to.
pub fn is_terminal(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && anstyle_query::windows::enable_ansi_colors().unwrap_or(true)
}

impl Paint {
    /// Colours if standard output is a terminal and the user has not set `NO_COLOR` (see no-color.org).
    pub fn for_stdout() -> Self {
        let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { on: is_terminal(&std::io::stdout()) && !is_refused }
    }

    /// No colours.
    #[cfg(test)]
    pub fn never() -> Self {
        Self { on: false }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// What is good.
    pub fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    /// What is dangerous.
    pub fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    /// What matters most.
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What is only there for orientation.
    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// Two pixels, one above the other, as one character; nothing without colours.
    pub fn two_pixels(self, above: [u8; 3], below: [u8; 3]) -> String {
        let [[r, g, b], [under_r, under_g, under_b]] = [above, below];
        let code = format!("38;2;{r};{g};{b};48;2;{under_r};{under_g};{under_b}");
        if self.on { self.with(&code, "▀") } else { String::new() }
    }

    /// A risk, 0..1: the higher the warmer.
    pub fn heat(self, text: &str, risk: f64) -> String {
        let code = match risk {
            risk if risk < 0.1 => "36",
            risk if risk < 0.3 => "33",
            risk if risk < 0.6 => "35",
            _ => "31",
        };
        self.with(code, text)
    }
}
