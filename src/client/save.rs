//! A [`Client`] → `calibration/<name>.toml` and `templates/<name>/<theme>/*.png`.

use super::{Client, ClientError};
use std::path::{Path, PathBuf};

/// Writes a client into a folder, with words about it at the top of its calibration; pictures that are there already stay as they are
/// unless they are named alike. The calibration.
///
/// # Errors
/// A file cannot be written.
pub fn save(client: &Client, folder: &Path, about: &str) -> Result<PathBuf, ClientError> {
    let wrong = |path: &Path, why: String| ClientError::Unreadable { path: path.display().to_string(), why };
    let make = |path: &Path| std::fs::create_dir_all(path).map_err(|error| wrong(path, error.to_string()));
    let calibrations = folder.join("calibration");
    make(&calibrations)?;
    let own = folder.join("templates").join(&client.name);
    let keep =
        |path: PathBuf, pixels: &image::RgbaImage| pixels.save(&path).map_err(|error| wrong(&path, error.to_string()));
    for theme in &client.themes {
        let pictures = own.join(&theme.name);
        make(&pictures)?;
        for picture in &theme.pictures {
            keep(pictures.join(&picture.file), &picture.pixels)?;
        }
        if let Some(frame) = &theme.frame {
            for (file, pixels) in frame.files().into_iter().zip(&frame.pictures) {
                keep(pictures.join(file), pixels)?;
            }
        }
    }
    if let Some(counter) = &client.counter {
        let pictures = own.join(super::load::COUNTER);
        make(&pictures)?;
        for (file, (_, pixels)) in counter.digits.values().flatten().zip(&counter.pictures) {
            keep(pictures.join(file), pixels)?;
        }
    }
    let path = calibrations.join(format!("{}.toml", client.name));
    let text = toml::to_string(client).map_err(|error| wrong(&path, error.to_string()))?;
    let about: String = about.lines().map(|line| format!("# {line}\n")).collect();
    // All at once, so that a calibration is never half there.
    let draft = path.with_extension("toml.new");
    std::fs::write(&draft, format!("{about}\n{text}")).map_err(|error| wrong(&draft, error.to_string()))?;
    std::fs::rename(&draft, &path).map_err(|error| wrong(&path, error.to_string()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{bundled, load};

    #[test]
    fn what_is_saved_is_loaded_as_it_was() {
        let folder = std::env::temp_dir().join(format!("minesight-saved-{}", std::process::id()));
        let all = bundled().unwrap();
        for client in &all {
            save(client, &folder, "A client,\nas it was.").unwrap();
        }
        let loaded = load(Some(&folder.join("calibration")), None).unwrap();
        std::fs::remove_dir_all(&folder).ok();
        let pictures = |client: &Client| -> Vec<Vec<u8>> {
            let tiles = client.themes.iter().flat_map(|theme| &theme.pictures).map(|picture| &picture.pixels);
            let corners =
                client.themes.iter().filter_map(|theme| theme.frame.as_ref()).flat_map(|frame| &frame.pictures);
            let digits = client.counter.iter().flat_map(|counter| &counter.pictures).map(|(_, pixels)| pixels);
            tiles.chain(corners).chain(digits).map(|pixels| pixels.as_raw().clone()).collect()
        };
        assert_eq!(loaded.len(), all.len());
        for (saved, loaded) in all.iter().zip(&loaded) {
            let text = |client: &Client| serde_json::to_string(client).unwrap();
            assert_eq!(text(saved), text(loaded));
            assert!(pictures(saved) == pictures(loaded), "{}", saved.name);
        }
    }
}
