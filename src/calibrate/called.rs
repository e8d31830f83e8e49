//! The window that is called Minesweeper, in whatever language: where no board shows, it is held to be the client, and a page to be before its board.

use crate::desktop::windows::shown;
use crate::desktop::{Desktop, Window};
use crate::screenshot::Screenshot;

/// What the game is called, as a part of a title in lower case: the names that programs in Debian, on GitHub and on web pages have for it, from the
/// languages of their authors.
const NAMES: [&str; 31] = [
    "minesweep",
    "mine sweep",
    "mine-sweep",
    "minesveep",
    "minefield",
    "mine field",
    "winmine",
    "buscamin",
    "pescamin",
    "cazamin",
    "prato fiorito",
    "démineur",
    "demineur",
    "minesøg",
    "minestryger",
    "minrydder",
    "minröj",
    "miinaharava",
    "minenr",
    "minenspiel",
    "minensuch",
    "mijnenveg",
    "hledání min",
    "hledani min",
    "aknakeres",
    "mayın tarla",
    "mayin tarla",
    "扫雷",
    "踩地雷",
    "마인",
    "マインスイーパ",
];
/// The same as a whole word: in others it is something else.
const WORDS: [&str; 8] = ["mines", "minas", "minado", "minato", "miny", "saper", "сапер", "сапёр"];
/// What a title has that names a file, a place or what a terminal runs.
const OF_FILES: [&str; 8] = ["/", "\\", ":", "~", "@", "_", "--", "minesight"];
/// What stands between what a program shows and what the program is called.
const BETWEEN: [&str; 3] = [" - ", " — ", " – "];
/// Words of a title at most, and letters after the dot of a file's name.
const MOST_WORDS: usize = 6;
const SUFFIX: usize = 4;

/// Whether a title is that of the game and not of a file, a folder of programs, or a page about it: "Minesweeper", "Play Minesweeper - Chromium", but not
/// "minesweeper.py - Editor" or "user/minesweeper: a game".
pub fn is_of_the_game(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    // What a browser shows stands before the last name, its own.
    let own = BETWEEN.iter().filter_map(|between| title.rfind(between)).max().map_or(&title[..], |at| &title[..at]);
    let is_plain = !BETWEEN.iter().any(|between| own.contains(between)) && !OF_FILES.iter().any(|of| own.contains(of));
    let words: Vec<&str> = own.split_whitespace().collect();
    let is_file = |word: &&str| {
        let end = word.rsplit_once('.').map_or("", |(_, end)| end);
        (1..=SUFFIX).contains(&end.len()) && end.chars().any(char::is_alphabetic)
    };
    let is_name = NAMES.iter().any(|name| own.contains(name)) || words.iter().any(|word| WORDS.contains(word));
    is_plain && is_name && words.len() <= MOST_WORDS && !words.iter().any(is_file)
}

/// The only window that shows and is called so; nothing if there is none, or several, or the system does not tell.
pub fn window_of_the_game<D: Desktop>(desktop: &mut D, screen: &Screenshot) -> Option<Window> {
    let windows: Vec<Window> = shown(desktop, screen).into_iter().map(|shown| shown.window).collect();
    let is_called = |window: &Window| desktop.title_of(*window).is_some_and(|title| is_of_the_game(&title));
    let mut called = windows.into_iter().filter(is_called);
    called.next().filter(|_| called.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_called_after_the_game_and_not_after_a_file_or_a_page_about_it() {
        for title in [
            "Minesweeper",
            "MineSweeper",
            "Minesweeper v1.2",
            "Minesweeper by Amine Bouslah",
            "Play Minesweeper - Chromium",
            "Minesweeper — Mozilla Firefox",
            "Mines",
            "Campo Minado",
            "Buscaminas - Google Chrome",
            "Démineur",
            "Saper",
            "Сапёр",
            "扫雷",
            "Mayın Tarlası",
        ] {
            assert!(is_of_the_game(title), "{title}");
        }
        for title in [
            "",
            "Terminal",
            "Svelte app",
            "minesweeper.py - Editor",
            "main.rs - minesweeper - Visual Studio Code",
            "~/minesweeper",
            "user@host: minesweeper",
            "minesight calibrate --name minesweeper",
            "user/minesweeper: a game - Chromium",
            "Minesweeper (video game) - Wikipedia - Chromium",
            "How I wrote a Minesweeper of my own - Chromium",
            "Determines",
            "Campo contaminado",
        ] {
            assert!(!is_of_the_game(title), "{title}");
        }
    }
}
