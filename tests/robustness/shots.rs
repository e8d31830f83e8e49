//! The screenshots of `tests/fixtures` with their truth, and where in them the board is (`tests/fixtures/places.json`).

use image::{RgbaImage, imageops};
use minesight::client::Client;
use minesight::vision::Grid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is known of a screenshot; all of them opened at once would fill the memory of a small machine.
pub struct Known {
    /// Its path in the fixtures, without its ending.
    pub name: String,
    /// Whose it is: the number of the client.
    pub whose: usize,
    /// Where the board is.
    pub grid: Grid,
    /// What is on it, row by row.
    pub truth: Vec<char>,
}

/// One screenshot with what is known of it.
pub struct Shot {
    /// Its path in the fixtures, without its ending.
    pub name: String,
    /// Whose it is: the number of the client.
    pub whose: usize,
    /// The whole screen.
    pub picture: RgbaImage,
    /// Where the board is.
    pub grid: Grid,
    /// What is on it, row by row.
    pub truth: Vec<char>,
}

impl Known {
    /// With its picture.
    pub fn open(&self) -> Shot {
        let Known { name, whose, grid, truth } = self;
        let picture = open(&fixtures().join(format!("{name}.png")));
        Shot { name: name.clone(), whose: *whose, picture, grid: grid.clone(), truth: truth.clone() }
    }
}

/// The folder of all screenshots; `FIXTURES=folder` takes those of another tree.
pub fn fixtures() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::env::var_os("FIXTURES").map_or_else(own, PathBuf::from)
}

/// The screenshots in a folder of the fixtures, by name; none if there is no such folder.
pub fn pictures(folder: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(fixtures().join(folder)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "png"));
    files.sort();
    files
}

/// A picture.
pub fn open(path: &Path) -> RgbaImage {
    image::open(path).unwrap().into_rgba8()
}

/// Where the file is that says where the boards are.
pub fn places_file() -> PathBuf {
    fixtures().join("places.json")
}

/// Where the board of every screenshot is, by name.
pub fn places() -> BTreeMap<String, Grid> {
    serde_json::from_str(&std::fs::read_to_string(places_file()).unwrap()).unwrap()
}

/// A screenshot's path in the fixtures, without its ending.
pub fn name_of(path: &Path) -> String {
    path.strip_prefix(fixtures()).unwrap().with_extension("").to_string_lossy().replace('\\', "/")
}

/// The tiles of a `.board` file, row by row.
pub fn truth_of(path: &Path) -> Vec<char> {
    let text = std::fs::read_to_string(path.with_extension("board")).unwrap();
    text.lines().skip(1).flat_map(|row| row.chars()).map(|tile| if tile == '.' { '0' } else { tile }).collect()
}

/// Every `nth` screenshot of every client, but those with a board that something covers.
pub fn shots(clients: &[Client], nth: usize) -> Vec<Known> {
    let places = places();
    let mut shots = Vec::new();
    for (whose, client) in clients.iter().enumerate() {
        for path in pictures(&client.name).into_iter().step_by(nth) {
            let (name, truth) = (name_of(&path), truth_of(&path));
            if let Some(grid) = places.get(&name).filter(|_| !truth.contains(&'~')) {
                shots.push(Known { name, whose, grid: grid.clone(), truth });
            }
        }
    }
    assert!(!shots.is_empty(), "no fixtures");
    shots
}

impl Shot {
    /// Only the board and so many pixels around it.
    pub fn around(&self, [across, down]: [f64; 2]) -> Shot {
        let span = |edges: &[f64], limit: u32, margin: f64| {
            let from = (edges[0] - margin).max(0.0) as u32;
            (from, ((edges[edges.len() - 1] + margin) as u32).min(limit) - from)
        };
        let (left, width) = span(&self.grid.columns, self.picture.width(), across);
        let (top, height) = span(&self.grid.lines, self.picture.height(), down);
        let picture = imageops::crop_imm(&self.picture, left, top, width, height).to_image();
        let grid = self.grid.moved(left.into(), top.into());
        Shot { name: self.name.clone(), whose: self.whose, picture, grid, truth: self.truth.clone() }
    }
}

/// What is wrong with a grid, if it has not the same size and every edge within a quarter of a tile of where it is.
pub fn misplaced(found: &Grid, truth: &Grid) -> Option<String> {
    let far = |a: &[f64], b: &[f64], pitch: f64| a.iter().zip(b).any(|(a, b)| (a - b).abs() > pitch / 4.0);
    let (across, down) = truth.pitch();
    let is_wrong = found.size() != truth.size()
        || far(&found.columns, &truth.columns, across)
        || far(&found.lines, &truth.lines, down);
    let told = |grid: &Grid| {
        let (corner, pitch) = (grid.origin(), grid.pitch());
        format!("{} at {:.1},{:.1}, tiles of {:.2}x{:.2}", grid.size(), corner.x, corner.y, pitch.0, pitch.1)
    };
    is_wrong.then(|| format!("board of {}, it is {}", told(found), told(truth)))
}
