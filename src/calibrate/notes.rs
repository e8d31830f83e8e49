//! What was learned of a client so far, and how it is kept on disk: whoever is asked again goes on from there.

use super::around::PARK;
use super::evidence::{Evidence, Record, Scene, WIDEST_RIM};
use super::meaning::{Contradiction, Known, Meanings};
use crate::board::Tile;
use crate::client::{ClientError, Spot, Step, Touch};
use crate::draw::{self, Colour};
use crate::geometry::Cell;
use crate::vision::Grid;
use crate::vision::unknown::looks::{LookId, Looks, TINT};
use image::RgbaImage;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Duration;

/// What was learned so far.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// What was seen, of boards with tiles as large as those of the last one.
    pub evidence: Evidence,
    /// The same of boards with other tiles, each size by itself: what is drawn smaller is drawn otherwise, and no two of its looks are one.
    pub of_other_sizes: Vec<Evidence>,
    /// What begins a new game, as far as that is known.
    pub new_game: Vec<Step>,
    /// What takes away what lies over the board when a game is over.
    pub uncover: Vec<Step>,
    /// What a right click puts on a hidden tile, in turn; nothing if that was not tried.
    pub marks: Option<Vec<Tile>>,
    /// Whether no new game began before every mine carried a flag.
    pub flags_to_win: bool,
    /// Whether columns and rows had another size some time.
    pub elastic: bool,
    /// Whether pages come in place of the board between games, or something over all of it that stays.
    pub pages: bool,
    /// Games in which a tile stayed hidden beside an empty one while another was opened.
    pub dry: usize,
    /// What scrolls to its board, where its window shows a part only.
    pub scroll: Option<Step>,
    /// Where the pointer waits, once that is chosen.
    pub park: Option<Spot>,
    /// How a button is pressed where [`TOUCH`] was too short: a client that asks where the mouse is may do so seldom.
    pub touch: Option<Touch>,
    /// The longest a client took from a click to the last change, and the longest it rested meanwhile.
    pub paints: (Duration, Duration),
}

/// How a button is pressed, as long as that is enough: what the touchiest client known needs.
const TOUCH: Touch = Touch { rest_ms: 0, hold_ms: 30 };
/// The name of the file beside the pictures.
const FILE: &str = "notes.json";
const DRAFT: &str = "draft";
/// Tiles around a board that are kept of its pictures.
const AROUND: f64 = 1.0;
/// Share by which tiles may be larger or smaller than others to be of one size: rows and columns are a pixel wider or narrower.
const SAME_SIZE: f64 = 0.1;
/// Sides of a kept board, in tiles, at most: what is larger was not written by this program.
const LARGEST: usize = 1000;

/// The file.
#[derive(Serialize, Deserialize)]
struct Page {
    /// Grey levels up to which tiles look alike.
    alike: f32,
    /// Grey levels by which one may be lighter than another.
    #[serde(default = "tint")]
    lighter: f32,
    /// Pixels at every side of a tile that say nothing of what it is.
    #[serde(default)]
    rim: u32,
    hidden: Vec<String>,
    zeros: Vec<String>,
    marked: Vec<(String, char)>,
    /// What a right click left that is not understood.
    #[serde(default)]
    aside: Vec<String>,
    /// Mines after which games went on.
    #[serde(default)]
    hit: Vec<String>,
    /// What the person said.
    #[serde(default)]
    told: Vec<(String, char)>,
    others: Vec<Kept>,
    games: Vec<KeptGame>,
    new_game: Vec<Step>,
    uncover: Vec<Step>,
    marks: Option<Vec<char>>,
    #[serde(default)]
    flags_to_win: bool,
    #[serde(default)]
    elastic: bool,
    #[serde(default)]
    pages: bool,
    #[serde(default)]
    dry: usize,
    #[serde(default)]
    scroll: Option<Step>,
    #[serde(default)]
    park: Option<Spot>,
    #[serde(default)]
    touch: Option<Touch>,
    /// In milliseconds.
    paints: [u64; 2],
    /// Folders beside it with what was seen of tiles of other sizes.
    #[serde(default)]
    sizes: usize,
}

/// The folder of what was seen of tiles of another size.
fn size_folder(index: usize) -> String {
    format!("size-{}", index + 1)
}

fn tint() -> f32 {
    TINT
}

#[derive(Serialize, Deserialize)]
struct Kept {
    picture: String,
    grid: Grid,
    /// Tiles below something else.
    covered: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct KeptGame {
    running: Kept,
    ending: Kept,
    clicked: [u32; 2],
    /// All that answered.
    #[serde(default)]
    pressed: Vec<[u32; 2]>,
    clicks: usize,
    opened_first: usize,
    open_at_start: usize,
}

impl Notes {
    /// How a button is pressed.
    pub fn touch(&self) -> Touch {
        self.touch.unwrap_or(TOUCH)
    }

    /// Where the pointer waits.
    pub fn park(&self) -> Spot {
        self.park.unwrap_or(PARK)
    }

    /// From now on boards have tiles of this size, in pixels. What is known of how the client is played stays; looks and games are those of such
    /// tiles, if any were seen. Whether that is another size than before.
    pub fn turn_to(&mut self, pitch: (f64, f64)) -> bool {
        let is_near = |a: f64, b: f64| (a - b).abs() <= SAME_SIZE * a.max(b);
        let is_of =
            |evidence: &Evidence| evidence.pitch().is_none_or(|own| is_near(own.0, pitch.0) && is_near(own.1, pitch.1));
        if is_of(&self.evidence) {
            return false;
        }
        let known = self.of_other_sizes.iter().position(is_of).map(|at| self.of_other_sizes.swap_remove(at));
        let last = std::mem::replace(&mut self.evidence, known.unwrap_or_default());
        // Columns that grow do so at every level.
        self.evidence.looks.grows = self.elastic;
        self.of_other_sizes.push(last);
        true
    }

    /// Whether it is known what a right click puts on a hidden tile, and how that looks on tiles of this size.
    pub fn knows_marks(&self) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.is_empty() || !self.evidence.known.marks.is_empty())
    }

    /// Whether right clicks are known to put flags first.
    pub fn knows_flag(&self) -> bool {
        match self.marks.as_deref() {
            Some([first, ..]) => *first == Tile::Flag,
            _ => self.flags_to_win,
        }
    }

    /// What was seen of tiles of every size, with what its looks mean where nothing contradicts that: first the last size, of which that is said.
    pub fn by_size<'a>(&'a self, meanings: &'a Meanings) -> impl Iterator<Item = (&'a Evidence, Cow<'a, Meanings>)> {
        let others = self.of_other_sizes.iter().filter_map(|evidence| {
            let meanings = evidence.meanings().ok()?;
            Some((evidence, Cow::Owned(meanings)))
        });
        std::iter::once((&self.evidence, Cow::Borrowed(meanings))).chain(others)
    }

    /// What every look means, by all games.
    ///
    /// # Errors
    /// Nothing explains them.
    pub fn meanings(&self) -> Result<Meanings, Contradiction> {
        self.evidence.meanings()
    }

    /// Writes them into a folder of their own.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), ClientError> {
        for (index, evidence) in self.of_other_sizes.iter().enumerate() {
            self.write(evidence, 0, &folder.join(size_folder(index)))?;
        }
        self.write(&self.evidence, self.of_other_sizes.len(), folder)
    }

    /// Writes what is known and was seen of tiles of one size, beside so many others.
    fn write(&self, evidence: &Evidence, sizes: usize, folder: &Path) -> Result<(), ClientError> {
        std::fs::create_dir_all(folder).map_err(|error| wrong(folder, &error))?;
        let mut pictures = BTreeSet::new();
        // What an earlier page speaks of stays as it is until there is a new page: a name is of one picture only.
        let mut keep = |picture: &RgbaImage| -> Result<String, ClientError> {
            let name = name_of(picture);
            let path = folder.join(&name);
            if !path.exists() {
                write_whole(&path, |draft| picture.save(draft))?;
            }
            pictures.insert(name.clone());
            Ok(name)
        };
        let mut scene = |scene: &Scene| -> Result<Kept, ClientError> {
            let place = scene.grid.around(scene.picture.dimensions(), AROUND);
            let part = image::imageops::crop_imm(&scene.picture, place.left, place.top, place.width, place.height);
            let covered = (0..scene.covered.len()).filter(|&index| scene.covered[index]).collect();
            let grid = scene.grid.moved(f64::from(place.left), f64::from(place.top));
            Ok(Kept { picture: keep(&part.to_image())?, grid, covered })
        };
        let Evidence { looks, known, games, others, .. } = evidence;
        let others = others.iter().map(&mut scene).collect::<Result<_, _>>()?;
        let games = games.iter().map(|game| {
            let &Record { clicked, clicks, opened_first, open_at_start, .. } = game;
            let (running, ending) = (scene(&game.running)?, scene(&game.ending)?);
            let pressed = game.pressed.iter().map(|cell| [cell.x, cell.y]).collect();
            Ok(KeptGame {
                running,
                ending,
                clicked: [clicked.x, clicked.y],
                pressed,
                clicks,
                opened_first,
                open_at_start,
            })
        });
        let games = games.collect::<Result<_, _>>()?;
        let mut look = |look: &LookId| looks.pictures(*look).next().map(&mut keep).transpose();
        let mut all = |of: &mut dyn Iterator<Item = &LookId>| -> Result<Vec<String>, ClientError> {
            of.filter_map(|id| look(id).transpose()).collect()
        };
        let (hidden, zeros) = (all(&mut known.hidden.iter())?, all(&mut known.zeros.iter())?);
        let (aside, hit) = (all(&mut known.aside.iter())?, all(&mut known.hit.iter())?);
        let mut named = |of: &BTreeMap<LookId, Tile>| -> Result<Vec<(String, char)>, ClientError> {
            Ok(all(&mut of.keys())?.into_iter().zip(of.values().map(|tile| tile.to_char())).collect())
        };
        let (marked, told) = (named(&known.marks)?, named(&known.told)?);
        let page = Page {
            alike: evidence.alike(),
            lighter: evidence.lighter(),
            rim: evidence.rim(),
            hidden,
            zeros,
            marked,
            aside,
            hit,
            told,
            others,
            games,
            new_game: self.new_game.clone(),
            uncover: self.uncover.clone(),
            marks: self.marks.as_ref().map(|marks| marks.iter().map(|tile| tile.to_char()).collect()),
            flags_to_win: self.flags_to_win,
            elastic: self.elastic,
            pages: self.pages,
            dry: self.dry,
            scroll: self.scroll.clone(),
            park: self.park,
            touch: self.touch,
            paints: [self.paints.0, self.paints.1].map(|time| time.as_millis() as u64),
            sizes,
        };
        let path = folder.join(FILE);
        let text = serde_json::to_string(&page).map_err(|error| wrong(&path, &error))?;
        write_whole(&path, |draft| std::fs::write(draft, text))?;
        remove_pictures(folder, &pictures);
        Ok(())
    }

    /// The notes of a folder; nothing where there are none.
    ///
    /// # Errors
    /// They cannot be read, or are not what this program wrote.
    pub fn load(folder: &Path) -> Result<Option<Self>, ClientError> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| wrong(&path, &error))?,
        };
        let page: Page = serde_json::from_str(&text).map_err(|error| wrong(&path, &error))?;
        let open = |name: &str| -> Result<RgbaImage, ClientError> {
            if name.contains(['/', '\\', ':']) || name.contains("..") {
                return Err(wrong(&path, &format!("{name:?} is no name of a picture beside it")));
            }
            let path = folder.join(name);
            image::open(&path).map(image::DynamicImage::into_rgba8).map_err(|error| wrong(&path, &error))
        };
        let scene = |kept: &Kept| -> Result<Scene, ClientError> {
            let picture = open(&kept.picture)?;
            check(&kept.grid, picture.dimensions()).map_err(|why| wrong(&path, &format!("{}: {why}", kept.picture)))?;
            let tiles = kept.grid.size().tiles();
            let mut covered = vec![false; tiles];
            kept.covered.iter().filter(|index| **index < tiles).for_each(|&index| covered[index] = true);
            Ok(Scene { picture, grid: kept.grid.clone(), covered, looks: vec![None; tiles] })
        };
        let game = |kept: &KeptGame| -> Result<Record, ClientError> {
            let (running, ending) = (scene(&kept.running)?, scene(&kept.ending)?);
            let (size, [x, y]) = (running.grid.size(), kept.clicked);
            if ending.grid.size() != size || x >= size.width || y >= size.height {
                return Err(wrong(&path, &format!("a game of {size} does not end as one")));
            }
            let &KeptGame { clicks, opened_first, open_at_start, .. } = kept;
            let clicked = Cell::new(x, y);
            let pressed = kept.pressed.iter().map(|[x, y]| Cell::new(*x, *y));
            let pressed = pressed.filter(|cell| cell.x < size.width && cell.y < size.height).chain([clicked]).collect();
            Ok(Record { running, ending, clicked, pressed, clicks, opened_first, open_at_start })
        };
        let others = page.others.iter().map(scene).collect::<Result<_, _>>()?;
        let games = page.games.iter().map(game).collect::<Result<_, _>>()?;
        let mut evidence = Evidence::of(
            (page.alike.clamp(0.5, 60.0), page.lighter.clamp(0.0, 60.0), page.rim.min(WIDEST_RIM)),
            page.elastic,
            others,
            games,
        );
        let look = |looks: &Looks, name: &str| Ok::<_, ClientError>(looks.find(&open(name)?));
        // How hidden tiles are drawn tells how finely others are told apart.
        for name in &page.hidden {
            evidence.known.hidden.extend(look(&evidence.looks, name)?);
        }
        evidence.sort_again(1.0);
        let mut known = Known { hidden: evidence.known.hidden.clone(), ..Known::default() };
        for name in &page.zeros {
            known.zeros.extend(look(&evidence.looks, name)?);
        }
        for name in &page.aside {
            known.aside.extend(look(&evidence.looks, name)?);
        }
        for name in &page.hit {
            known.hit.extend(look(&evidence.looks, name)?);
        }
        for (names, known) in [(&page.marked, &mut known.marks), (&page.told, &mut known.told)] {
            for (name, tile) in names {
                known.extend(look(&evidence.looks, name)?.zip(Tile::from_char(*tile)));
            }
        }
        evidence.known = known;
        let mut of_other_sizes = Vec::new();
        for index in 0..page.sizes {
            let folder = folder.join(size_folder(index));
            let notes = Self::load(&folder)?.ok_or_else(|| wrong(&folder, &"the file notes.json is missing"))?;
            of_other_sizes.push(notes.evidence);
        }
        Ok(Some(Self {
            evidence,
            of_other_sizes,
            new_game: page.new_game,
            uncover: page.uncover,
            marks: page.marks.map(|marks| marks.into_iter().filter_map(Tile::from_char).collect()),
            flags_to_win: page.flags_to_win,
            elastic: page.elastic,
            pages: page.pages,
            dry: page.dry,
            scroll: page.scroll,
            park: page.park,
            touch: page.touch,
            paints: (Duration::from_millis(page.paints[0]), Duration::from_millis(page.paints[1])),
        }))
    }

    /// The end of the last game, with what is believed of every tile written on it: nothing on what is not known.
    pub fn believed(&self, meanings: &Meanings) -> Option<RgbaImage> {
        let scene = &self.evidence.games.last()?.ending;
        let mut picture = scene.picture.clone();
        let size = scene.grid.size();
        for (index, look) in scene.looks.iter().enumerate() {
            let place = scene.grid.tile(size.cell(index));
            let meaning = look.and_then(|look| meanings.of.get(&look));
            let (text, paper) = match (look, meaning) {
                (_, Some(meaning)) => (meaning.tile.to_char().to_string(), KNOWN),
                (Some(_), None) => ("open".into(), OPEN),
                (None, None) => ("covered".into(), OPEN),
            };
            let height = (0.34 * f64::from(place.height)).max(9.0) as f32;
            draw::label(&mut picture, (place.left + 1, place.top + 1), &text, height, INK, paper);
        }
        Some(picture)
    }
}

const INK: Colour = [255, 255, 255];
const KNOWN: Colour = [20, 110, 50];
const OPEN: Colour = [180, 60, 20];

/// A file that is either as it was or whole, whenever this is cut off: it is written beside it, and takes its place.
fn write_whole<E: Error>(path: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), ClientError> {
    let draft = path.with_file_name(DRAFT).with_extension(path.extension().unwrap_or_default());
    write(&draft).map_err(|error| wrong(&draft, &error))?;
    std::fs::rename(&draft, path).map_err(|error| wrong(path, &error))
}

fn name_of(picture: &RgbaImage) -> String {
    let mut hasher = DefaultHasher::new();
    (picture.dimensions(), picture.as_raw()).hash(&mut hasher);
    format!("{:016x}.png", hasher.finish())
}

/// Removes those of which notes speak no more; what people put beside them has other names.
fn remove_pictures(folder: &Path, kept: &BTreeSet<String>) {
    let is_one = |name: &str| {
        let stem = name.strip_suffix(".png").unwrap_or_default();
        let is_number = !stem.is_empty() && stem.bytes().all(|digit| digit.is_ascii_digit());
        is_number || stem.len() == 16 && stem.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name();
        let is_old = name.to_str().is_some_and(|name| is_one(name) && !kept.contains(name));
        if is_old && let Err(error) = std::fs::remove_file(file.path()) {
            log::info!("{} is needed no more, and cannot be removed: {error}", file.path().display());
        }
    }
}

fn wrong(path: &Path, why: &dyn std::fmt::Display) -> ClientError {
    ClientError::Unreadable { path: path.display().to_string(), why: why.to_string() }
}

/// Whether a grid can be one of a picture of this size.
fn check(grid: &Grid, (width, height): (u32, u32)) -> Result<(), String> {
    for (edges, length, name) in [(&grid.columns, width, "columns"), (&grid.lines, height, "lines")] {
        let is_sound = (2..=LARGEST + 1).contains(&edges.len())
            && edges.windows(2).all(|pair| pair[1] - pair[0] >= 1.0)
            && edges[0] >= 0.0
            && edges[edges.len() - 1] <= f64::from(length) + 1.0;
        if !is_sound {
            return Err(format!("the {name} of its grid are not within it"));
        }
    }
    Ok(())
}
