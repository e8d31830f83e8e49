//! What was learned → a [`Client`], and its files.

use crate::board::Tile;
use crate::client::{
    Anchor, Belief, Button, Client, ClientError, Hands, Level, Picture, Press, Rules, Spot, Step, Theme,
};
use crate::game::Rule;
use crate::geometry::BoardSize;
use image::RgbaImage;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the pointer waits: just above the first tile.
pub const PARK: Spot = Spot { from: Anchor::TopLeft, tiles: [0.5, -0.4], pixels: [0.0; 2] };

/// The only theme of a client that was learned.
const THEME: &str = "learned";

/// The fewest milliseconds that an answer is waited for.
const PAINT: u64 = 500;

/// What was found out about a client.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// The board it was learned on.
    pub size: BoardSize,
    /// Its mines, if known.
    pub mines: Option<u32>,
    /// Pictures by what they show, and the evidence for each in words.
    pub looks: BTreeMap<Tile, (Vec<RgbaImage>, String)>,
    /// What the first click is promised, for all that was seen.
    pub first_click: Rule,
    /// What a right click does to a hidden tile, in turn.
    pub marks: Vec<Tile>,
    /// Whether a tile looks different below the pointer.
    pub has_hover: bool,
    /// The longest from a click to the last change, and the longest rest meanwhile.
    pub paints: (Duration, Duration),
    /// What begins a new game.
    pub new_game: Vec<Step>,
    /// What takes away what covers the board at the end.
    pub uncover: Vec<Step>,
}

impl Found {
    /// The client as data.
    pub fn client(&self) -> Client {
        let file = |tile: Tile, index: usize| format!("{}-{index}.png", file_name(tile));
        let names = |(&tile, (pictures, _)): (&Tile, &(Vec<RgbaImage>, String))| {
            (tile.to_char(), (0..pictures.len()).map(|index| file(tile, index)).collect())
        };
        let pictures = self.looks.iter().flat_map(|(&tile, (pictures, _))| {
            let named = pictures.iter().enumerate();
            named.map(move |(index, pixels)| Picture { tile, file: file(tile, index), pixels: pixels.clone() })
        });
        let theme = Theme {
            name: THEME.into(),
            belief: Belief::default(),
            tint: 0.0,
            backdrop: false,
            ground: None,
            scales: vec![1.0],
            fixed: None,
            tiles: self.looks.iter().map(names).collect(),
            frame: None,
            pictures: pictures.collect(),
        };
        let marks = self.marks.iter().map(|mark| if *mark == Tile::Question { "question" } else { "flag" });
        let level = |mines| Level {
            name: level_name(self.size, mines),
            width: self.size.width,
            height: self.size.height,
            mines,
        };
        Client {
            name: self.name.clone(),
            about: format!("learned from a board of {}", self.size),
            title: Vec::new(),
            rules: Rules { first_click: self.first_click, no_guess: false, flags_to_win: false },
            custom_boards: true,
            levels: self.mines.map(level).into_iter().collect(),
            hands: Hands {
                open: Press { button: Button::Left, with: None },
                flag: Press { button: Button::Right, with: None },
                chord: None,
                cursor: None,
                flag_cycle: std::iter::once("hidden").chain(marks).map(Into::into).collect(),
                hold_ms: 30,
                stay_ms: 50,
                park: self.has_hover.then_some(PARK),
                still_ms: (2 * self.paints.1.as_millis() as u64).clamp(6, 400),
                paint_ms: (3 * self.paints.0.as_millis() as u64).clamp(PAINT, 10_000),
                first_paint_ms: None,
                new_game: self.new_game.clone(),
                uncover: self.uncover.clone(),
            },
            counter: None,
            themes: vec![theme],
        }
    }

    /// Writes `calibration/<name>.toml` and `templates/<name>/` into a folder; what was there of this client is replaced. The calibration.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ClientError> {
        let client = self.client();
        let pictures = folder.join("templates").join(&self.name).join(THEME);
        let calibrations = folder.join("calibration");
        let wrong = |path: &Path, why: String| ClientError::Unreadable { path: path.display().to_string(), why };
        for path in [&pictures, &calibrations] {
            std::fs::create_dir_all(path).map_err(|error| wrong(path, error.to_string()))?;
        }
        for picture in &client.themes[0].pictures {
            let path = pictures.join(&picture.file);
            picture.pixels.save(&path).map_err(|error| wrong(&path, error.to_string()))?;
        }
        let path = calibrations.join(format!("{}.toml", self.name));
        let text = toml::to_string(&client).map_err(|error| wrong(&path, error.to_string()))?;
        let evidence: String =
            self.looks.iter().map(|(tile, (_, evidence))| format!("#   {}  {evidence}\n", tile.to_char())).collect();
        let text = format!("# Learned by `minesight calibrate`. What each look rests on:\n{evidence}\n{text}");
        // All at once, so that a calibration is never half there.
        let draft = path.with_extension("toml.new");
        std::fs::write(&draft, text).map_err(|error| wrong(&draft, error.to_string()))?;
        std::fs::rename(&draft, &path).map_err(|error| wrong(&path, error.to_string()))?;
        Ok(path)
    }
}

/// A name that can be that of a file everywhere.
fn file_name(tile: Tile) -> String {
    match tile {
        Tile::Hidden => "hidden".into(),
        Tile::Open(number) => number.to_string(),
        Tile::Flag => "flag".into(),
        Tile::Question => "question".into(),
        Tile::Mine => "mine".into(),
        Tile::Exploded => "exploded".into(),
        Tile::WrongFlag => "wrong".into(),
        Tile::Unrecognised => "unknown".into(),
    }
}

fn level_name(size: BoardSize, mines: u32) -> String {
    match (size.width, size.height, mines) {
        (8 | 9, 8 | 9, 10) => "beginner".into(),
        (16, 16, 40) => "intermediate".into(),
        (30, 16, 99) => "expert".into(),
        _ => format!("{size}"),
    }
}
