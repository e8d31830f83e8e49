//! `calibration/<name>.toml` + `templates/<name>/<theme>/*.png` → [`Client`]. The bundled clients are compiled in, so the
//! binary works from any folder; others come from folders given by the user and go before bundled ones of the same name.

use super::{Client, Counter, Fixed, Picture, Theme};
use crate::board::Tile;
use image::RgbaImage;
use include_dir::{Dir, include_dir};
use std::path::{Path, PathBuf};

static CALIBRATION: Dir = include_dir!("$CARGO_MANIFEST_DIR/calibration");
static TEMPLATES: Dir = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Why a client cannot be used; every message names the file and what to change.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A file or folder cannot be read.
    #[error("{path} cannot be read: {why}")]
    Unreadable {
        /// Which.
        path: String,
        /// What the system says.
        why: String,
    },
    /// A calibration that is no TOML, or has a wrong, missing or unknown field.
    #[error("{path} is not a calibration: {why}")]
    Calibration {
        /// Which file.
        path: String,
        /// Line, column, field, and the fields there are.
        why: String,
    },
    /// A calibration whose values make no sense.
    #[error("{path}: {why}")]
    Value {
        /// Which file.
        path: String,
        /// What is wrong and what is expected.
        why: String,
    },
    /// No client of this name.
    #[error("no client is called {name:?}; known: {known}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// All there are.
        known: String,
    },
}

/// The folder with the clients that this person's minesight has learned: `$MINESIGHT_CLIENTS`, or one below that of the person's
/// data. Nothing where the system has no such place.
pub fn own_folder() -> Option<PathBuf> {
    let named = std::env::var_os("MINESIGHT_CLIENTS").filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(dirs::data_dir()?.join("minesight")))
}

/// All clients that a person has: those of [`load`], and learned ones ([`own_folder`]), which go before bundled ones of the same name
/// and after those that are named.
///
/// # Errors
/// As [`load`].
pub fn known(calibration: Option<&Path>, templates: Option<&Path>) -> Result<Vec<Client>, ClientError> {
    let mut clients = load(calibration, templates)?;
    let Some(own) = own_folder().filter(|folder| folder.join("calibration").is_dir()) else { return Ok(clients) };
    let learned = clients_in(&Folder::Disk(own.join("calibration")), &Folder::Disk(own.join("templates")))?;
    let named: Vec<String> = match calibration {
        Some(folder) => clients_named(folder)?,
        None => Vec::new(),
    };
    for client in learned.into_iter().filter(|client| !named.contains(&client.name)) {
        clients.retain(|other| other.name != client.name);
        clients.push(client);
    }
    clients.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(clients)
}

/// The names of the calibrations in a folder, by their files.
fn clients_named(folder: &Path) -> Result<Vec<String>, ClientError> {
    let files = Folder::Disk(folder.into()).calibrations()?;
    Ok(files.iter().filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect())
}

/// All clients: the bundled ones, and those of `calibration` (a folder of `<name>.toml`), which replace bundled ones of the
/// same name. Pictures come from `templates` (a folder with a folder per client) if given, else from a folder
/// `templates` beside `calibration` if there is one, else from the bundled ones.
///
/// # Errors
/// A folder, calibration or picture that cannot be used.
pub fn load(calibration: Option<&Path>, templates: Option<&Path>) -> Result<Vec<Client>, ClientError> {
    let pictures = match templates {
        Some(folder) => Folder::Disk(folder.into()),
        None => Folder::Bundled(&TEMPLATES),
    };
    let mut clients = clients_in(&Folder::Bundled(&CALIBRATION), &pictures)?;
    if let Some(folder) = calibration {
        let beside = folder.parent().unwrap_or(Path::new(".")).join("templates");
        let pictures = if templates.is_none() && beside.is_dir() { Folder::Disk(beside) } else { pictures };
        let own = clients_in(&Folder::Disk(folder.into()), &pictures)?;
        clients.retain(|bundled| own.iter().all(|client| client.name != bundled.name));
        clients.extend(own);
    }
    clients.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(clients)
}

/// The clients that are compiled in, by name.
///
/// # Errors
/// A bundled file is wrong, which the tests exclude.
pub fn bundled() -> Result<Vec<Client>, ClientError> {
    load(None, None)
}

/// The client called `name`.
///
/// # Errors
/// There is none; the message lists those there are.
pub fn by_name<'a>(clients: &'a [Client], name: &str) -> Result<&'a Client, ClientError> {
    clients.iter().find(|client| client.name == name).ok_or_else(|| ClientError::UnknownName {
        name: name.into(),
        known: clients.iter().map(|client| client.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

/// Where files come from.
enum Folder {
    Bundled(&'static Dir<'static>),
    Disk(PathBuf),
}

impl Folder {
    /// A file's bytes, or nothing if there is no such file in a bundled folder.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ClientError> {
        let (shown, bytes) = match self {
            Folder::Bundled(folder) => {
                let file = folder.get_file(path).map(|file| file.contents().to_vec());
                (path.to_path_buf(), file.ok_or("there is no such bundled file".to_string()))
            }
            Folder::Disk(folder) => {
                let path = folder.join(path);
                let bytes = std::fs::read(&path).map_err(|error| error.to_string());
                (path, bytes)
            }
        };
        bytes.map_err(|why| ClientError::Unreadable { path: shown.display().to_string(), why })
    }

    /// The `.toml` files in it, by name.
    fn calibrations(&self) -> Result<Vec<PathBuf>, ClientError> {
        let mut files: Vec<PathBuf> = match self {
            Folder::Bundled(folder) => folder.files().map(|file| file.path().to_path_buf()).collect(),
            Folder::Disk(folder) => {
                let unreadable = |error: std::io::Error| ClientError::Unreadable {
                    path: folder.display().to_string(),
                    why: error.to_string(),
                };
                let entries = std::fs::read_dir(folder).map_err(unreadable)?;
                entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name()))).collect()
            }
        };
        files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
        files.sort();
        Ok(files)
    }

    /// How a file in it is called in messages.
    fn shown(&self, path: &Path) -> String {
        match self {
            Folder::Bundled(_) => path.display().to_string(),
            Folder::Disk(folder) => folder.join(path).display().to_string(),
        }
    }
}

fn clients_in(calibrations: &Folder, pictures: &Folder) -> Result<Vec<Client>, ClientError> {
    calibrations.calibrations()?.iter().map(|file| client(calibrations, file, pictures)).collect()
}

fn client(calibrations: &Folder, file: &Path, pictures: &Folder) -> Result<Client, ClientError> {
    let path = calibrations.shown(file);
    let text = String::from_utf8_lossy(&calibrations.read(file)?).into_owned();
    let mut client: Client = toml::from_str(&text)
        .map_err(|error| ClientError::Calibration { path: path.clone(), why: error.to_string() })?;
    check(&client).map_err(|why| ClientError::Value { path, why })?;
    for theme in &mut client.themes {
        theme.pictures = theme_pictures(pictures, &client.name, theme)?;
        let own = Path::new(&client.name).join(&theme.name);
        if let Some(frame) = &mut theme.frame {
            let corners = frame.files().map(|file| picture(pictures, &own.join(file)));
            frame.pictures = corners.into_iter().collect::<Result<_, _>>()?;
        }
    }
    if let Some(counter) = &mut client.counter {
        counter.pictures = digit_pictures(pictures, &client.name, counter)?;
    }
    Ok(client)
}

/// What deserialising cannot see.
fn check(client: &Client) -> Result<(), String> {
    check_names(client)?;
    check_hands(client)?;
    if client.themes.is_empty() {
        return Err("it has no [[theme]], so nothing could be recognised".into());
    }
    for theme in &client.themes {
        if !theme.tiles.contains_key(&'#') {
            return Err(format!("theme {:?} has no picture of a hidden tile ('#')", theme.name));
        }
        if let Some(wrong) = theme.tiles.keys().find(|&&look| Tile::from_char(look).is_none()) {
            return Err(format!("theme {:?}: {wrong:?} is not a tile; use one of # 0-8 F ? * X x ~", theme.name));
        }
        if let Some((look, _)) = theme.tiles.iter().find(|(_, files)| files.is_empty()) {
            return Err(format!("theme {:?}: {look:?} has no picture; remove the line or name a file", theme.name));
        }
        let unknown = |fixed: &Fixed| fixed.looks.chars().find(|look| !theme.tiles.contains_key(look));
        if let Some(look) = theme.fixed.as_ref().and_then(unknown) {
            return Err(format!(
                "theme {:?}: fixed: there is no picture of {look:?}; name one under tiles",
                theme.name
            ));
        }
        if !(0.0..=255.0).contains(&theme.tint) {
            return Err(format!("theme {:?}: tint must lie between 0 and 255", theme.name));
        }
        if theme.fixed.as_ref().is_some_and(|fixed| fixed.lines.iter().any(|&line| line > LARGEST_TILE)) {
            return Err(format!("theme {:?}: fixed: no line is wider than {LARGEST_TILE} pixels", theme.name));
        }
        if theme.scales.iter().any(|scale| !(1.0..=16.0).contains(scale)) {
            return Err(format!("theme {:?}: scales must lie between 1 and 16", theme.name));
        }
        let belief = theme.belief;
        if !(0.0..=1.0).contains(&belief.accept) || !(0.0..=1.0).contains(&belief.margin) {
            return Err(format!("theme {:?}: accept and margin must lie between 0 and 1", theme.name));
        }
    }
    if let Some(counter) = &client.counter {
        if let Some(wrong) =
            counter.digits.keys().find(|key| !key.chars().all(|digit| digit == '/' || digit.is_ascii_digit()))
        {
            return Err(format!("counter: {wrong:?} is not read in it; use 0-9 and /"));
        }
        if counter.places.is_some_and(|places| places > MOST_PLACES) {
            return Err(format!("counter: no display has more than {MOST_PLACES} places"));
        }
        if !counter.area.iter().all(is_near) {
            return Err("counter: its area is too far from the board".into());
        }
        if counter.places == Some(0) {
            return Err("counter: a display has at least one place; leave `places` out for text".into());
        }
    }
    if let Some(level) =
        client.levels.iter().find(|l| !(1..=1000).contains(&l.width) || !(1..=1000).contains(&l.height))
    {
        return Err(format!("level {:?}: a board of {} is none that a screen shows", level.name, level.size()));
    }
    if let Some(level) = client.levels.iter().find(|l| u64::from(l.mines) >= u64::from(l.width) * u64::from(l.height)) {
        return Err(format!("level {:?}: {} mines do not fit on {}", level.name, level.mines, level.size()));
    }
    let is_place = |step: &super::Step| matches!(step, super::Step::Click(_) | super::Step::Point(_));
    let is_click = |step: &super::Step| step.parts().into_iter().any(is_place);
    if let Some(level) = client.levels.iter().find(|level| level.choose.iter().any(is_click)) {
        return Err(format!(
            "level {:?}: it is chosen by keys; a place is known only where its board shows",
            level.name
        ));
    }
    Ok(())
}

/// The largest picture of a tile, in pixels.
const LARGEST_TILE: u32 = 1024;

/// The most digits of a display.
const MOST_PLACES: u32 = 12;

/// In milliseconds: a button that is held cannot be taken away from the bot meanwhile, and a wait is not forever.
const LONGEST_HOLD: u64 = 2000;
const LONGEST_WAIT: u64 = 60_000;

/// The most steps of a client, those of its levels included.
const MOST_STEPS: usize = 1000;

/// Whether a place is on some screen.
fn is_near(spot: &super::Spot) -> bool {
    spot.tiles.iter().chain(&spot.pixels).all(|distance| distance.abs() <= 10_000.0)
}

/// Names become folders and files: none may lead out of where they belong.
fn check_names(client: &Client) -> Result<(), String> {
    let is_name = |name: &str| {
        let mut parts = Path::new(name).components();
        matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None)) && !name.contains('\\')
    };
    let themes = client.themes.iter();
    let files = themes.clone().flat_map(|theme| theme.tiles.values().flatten().map(String::as_str));
    let corners = themes.clone().filter_map(|theme| theme.frame.as_ref()).flat_map(|frame| frame.files());
    let corners: Vec<String> = corners.map(|file| file.to_string()).collect();
    let digits = client.counter.iter().flat_map(|counter| counter.digits.values().flatten().map(String::as_str));
    let names = std::iter::once(client.name.as_str()).chain(themes.map(|theme| theme.name.as_str()));
    let mut all = names.chain(files).chain(digits).chain(corners.iter().map(String::as_str));
    all.find(|name| !is_name(name)).map_or(Ok(()), |wrong| {
        Err(format!("{wrong:?} cannot be the name of a client, theme or picture: it must not lead to another folder"))
    })
}

/// What the bot does with the mouse must end.
fn check_hands(client: &Client) -> Result<(), String> {
    let hands = &client.hands;
    if hands.hold_ms > LONGEST_HOLD {
        return Err(format!("hold_ms: a button is held for {LONGEST_HOLD} ms at most, not {}", hands.hold_ms));
    }
    if hands.rest_ms > LONGEST_HOLD {
        return Err(format!("rest_ms: the pointer rests for {LONGEST_HOLD} ms at most, not {}", hands.rest_ms));
    }
    let levels = || client.levels.iter().flat_map(|level| &level.choose);
    let steps = || hands.new_game.iter().chain(&hands.uncover).chain(levels()).flat_map(super::Step::parts);
    if let Some(most) = steps().nth(MOST_STEPS).map(|_| MOST_STEPS) {
        return Err(format!("there are more than {most} steps"));
    }
    let waits = steps().filter_map(|step| if let super::Step::Wait(ms) = step { Some(*ms) } else { None });
    let times =
        [hands.still_ms, hands.paint_ms].into_iter().chain(hands.stay_ms).chain(hands.first_paint_ms).chain(waits);
    if let Some(long) = times.into_iter().find(|&ms| ms > LONGEST_WAIT) {
        return Err(format!("nothing is waited for longer than {LONGEST_WAIT} ms, not {long}"));
    }
    let spots = steps().filter_map(|step| {
        if let super::Step::Click(spot) | super::Step::Point(spot) = step { Some(spot) } else { None }
    });
    if !spots.chain(&hands.park).all(is_near) {
        return Err("a control, or `park`, is too far from the board".into());
    }
    let known = ["hidden", "flag", "question"];
    if let Some(wrong) = hands.flag_cycle.iter().find(|mark| !known.contains(&mark.as_str())) {
        return Err(format!("flag_cycle: {wrong:?} is no mark; there are: {}", known.join(", ")));
    }
    Ok(())
}

fn theme_pictures(folder: &Folder, client: &str, theme: &Theme) -> Result<Vec<Picture>, ClientError> {
    let mut pictures = Vec::new();
    for (&look, files) in &theme.tiles {
        for file in files {
            let pixels = picture(folder, &Path::new(client).join(&theme.name).join(file))?;
            let tile = Tile::from_char(look).unwrap_or(Tile::Unrecognised);
            pictures.push(Picture { tile, file: file.clone(), pixels });
        }
    }
    if let Some(fixed) = &theme.fixed {
        let too_small = |picture: &&Picture| {
            let (width, height) = picture.pixels.dimensions();
            fixed.looks.contains(picture.tile.to_char())
                && (width != height || width < fixed.lines.iter().sum::<u32>() + 2)
        };
        if let Some(Picture { file, pixels, .. }) = pictures.iter().find(too_small) {
            let path = folder.shown(&Path::new(client).join(&theme.name).join(file));
            let why = format!(
                "it is {}x{} pixels; `fixed` needs a square with at least two pixels between its lines",
                pixels.width(),
                pixels.height()
            );
            return Err(ClientError::Value { path, why });
        }
    }
    Ok(pictures)
}

fn digit_pictures(folder: &Folder, client: &str, counter: &Counter) -> Result<Vec<(String, RgbaImage)>, ClientError> {
    let all = counter.digits.iter().flat_map(|(digit, files)| files.iter().map(move |file| (digit, file)));
    all.map(|(digit, file)| Ok((digit.clone(), picture(folder, &Path::new(client).join(COUNTER).join(file))?)))
        .collect()
}

/// The folder of a client's counter, beside those of its themes.
pub(super) const COUNTER: &str = "counter";

fn picture(folder: &Folder, path: &Path) -> Result<RgbaImage, ClientError> {
    let unreadable =
        |error: image::ImageError| ClientError::Unreadable { path: folder.shown(path), why: error.to_string() };
    let pixels = image::load_from_memory(&folder.read(path)?).map_err(unreadable)?.into_rgba8();
    if pixels.width().max(pixels.height()) > LARGEST_TILE {
        let why = format!("a picture of a tile or digit has at most {LARGEST_TILE} pixels a side");
        return Err(ClientError::Value { path: folder.shown(path), why });
    }
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_client_is_complete() {
        for client in bundled().unwrap() {
            for theme in &client.themes {
                assert!(!theme.pictures.is_empty(), "{} {}", client.name, theme.name);
            }
        }
    }

    #[test]
    fn every_bundled_picture_is_used() {
        for client in bundled().unwrap() {
            let folder = TEMPLATES.get_dir(&client.name).unwrap();
            for theme in folder.dirs() {
                let name = theme.path().file_name().unwrap().to_string_lossy().into_owned();
                let named: Vec<&String> = if name == COUNTER {
                    client.counter.as_ref().expect(&client.name).digits.values().flatten().collect()
                } else {
                    let theme = client.themes.iter().find(|known| known.name == name).expect(&name);
                    let corners = theme.frame.iter().flat_map(|frame| frame.files());
                    theme.tiles.values().flatten().chain(corners).collect()
                };
                for file in theme.files() {
                    let file = file.path().file_name().unwrap().to_string_lossy().into_owned();
                    assert!(named.iter().any(|used| **used == file), "{}/{name}/{file}", client.name);
                }
            }
        }
    }
}
