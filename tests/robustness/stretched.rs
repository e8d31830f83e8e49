//! What desktops make of windows at the scales people have: only the window stretched, smoothly and beginning at any part of a pixel
//! (Windows and Wayland, with programs that know nothing of scales), or everything drawn at twice its size and shrunk (GNOME
//! at 150%), each as it is, on a dark desktop, and under a night light.

use super::distort::{self, Kernel};
use super::shots::{Shot, fixtures, open};
use super::{Distortion, Variant, dice, enlarged, night};
use image::{RgbaImage, imageops};
use minesight::client::Client;
use rand::RngExt;

/// By how much desktops stretch windows.
const SCALES: [f64; 4] = [1.25, 1.5, 1.75, 2.0];
/// Sub-pixel phases: eighths of a pixel, another one down than across.
const PHASES: [(f64, f64); 8] = [
    (0.0, 0.0),
    (0.125, 0.375),
    (0.25, 0.75),
    (0.375, 0.125),
    (0.5, 0.5),
    (0.625, 0.875),
    (0.75, 0.25),
    (0.875, 0.625),
];
/// Blue left by night lights from weak to strong.
const NIGHTS: [f64; 3] = [0.9, 0.75, 0.5];
/// So much around a board is stretched with it, in tiles: other things in its window, not the desktop.
const MARGIN: f64 = 1.5;
/// Screens people have.
const SCREENS: [(u32, u32); 3] = [(1920, 1080), (2560, 1440), (3840, 2160)];
/// What else is on the screen.
const DESKTOPS: [&str; 6] =
    ["wallpaper-plain", "wallpaper-gradient", "wallpaper-waves", "page-article", "page-forms", "terminal-listing"];
/// The ground of a dark desktop (GTK's Adwaita dark).
const DARK: [u8; 3] = [53, 53, 53];

/// How a desktop scales.
#[derive(Clone, Copy)]
enum Scaling {
    /// Only the window, by so much.
    Window(f64),
    /// What was drawn at twice its size, to one and a half times.
    Screen,
}

/// All of them. The grounds of the clients' themes are what a dark desktop changes.
pub fn distortions(clients: &[Client]) -> Vec<Distortion> {
    let grounds: Vec<Vec<[u8; 3]>> =
        clients.iter().map(|client| client.themes.iter().filter_map(|theme| theme.ground).collect()).collect();
    let mut all: Vec<Distortion> = Vec::new();
    let mut add = |kind, strength, dark: bool, blue: Option<f64>, scaling, kernel, phase: Option<usize>| {
        let grounds = grounds.clone();
        let spoil = move |shot: &Shot| {
            let shot = if dark { &darkened(shot, &grounds[shot.whose])? } else { shot };
            let phase = PHASES[phase.unwrap_or_else(|| dice(shot, 3).random_range(0..PHASES.len()))];
            let scaled = match scaling {
                None => Variant { picture: shot.picture.clone(), grid: shot.grid.clone(), cover: None },
                Some(Scaling::Window(factor)) => window(shot, factor, phase, kernel)?,
                Some(Scaling::Screen) => screen(shot, phase, kernel)?,
            };
            Some(match blue {
                Some(blue) => Variant { picture: distort::toned(&scaled.picture, night(blue)), ..scaled },
                None => scaled,
            })
        };
        all.push(Distortion { kind, strength, spoil: Box::new(spoil) });
    };
    for phase in 0..PHASES.len() {
        for factor in SCALES {
            for (kind, kernel) in
                [("window stretched, lines", Kernel::Bilinear), ("window stretched, curves", Kernel::CatmullRom)]
            {
                add(kind, percent(factor), false, None, Some(Scaling::Window(factor)), kernel, Some(phase));
            }
        }
        for (kind, kernel) in [("drawn at 2, averaged", Kernel::Triangle), ("drawn at 2, lines", Kernel::Bilinear)] {
            add(kind, percent(1.5), false, None, Some(Scaling::Screen), kernel, Some(phase));
        }
    }
    add("dark", String::new(), true, None, None, Kernel::Bilinear, None);
    for factor in SCALES {
        let (scaling, kernel) = (Some(Scaling::Window(factor)), Kernel::Bilinear);
        for blue in NIGHTS {
            let strength = format!("{}, blue x {blue}", percent(factor));
            add("night, window stretched", strength, false, Some(blue), scaling, kernel, None);
        }
        add("dark, window stretched", percent(factor), true, None, scaling, kernel, None);
        add("dark, night, window stretched", percent(factor), true, Some(NIGHTS[1]), scaling, kernel, None);
    }
    for blue in NIGHTS {
        let strength = format!("{}, blue x {blue}", percent(1.5));
        add("night, drawn at 2", strength, false, Some(blue), Some(Scaling::Screen), Kernel::Triangle, None);
    }
    add("dark, drawn at 2", percent(1.5), true, None, Some(Scaling::Screen), Kernel::Triangle, None);
    all
}

fn percent(factor: f64) -> String {
    format!("{}%", 100.0 * factor)
}

/// The board and a little around it stretched, at a part of a pixel, on a screen that is not.
fn window(shot: &Shot, factor: f64, phase: (f64, f64), kernel: Kernel) -> Option<Variant> {
    let (across, down) = shot.grid.pitch();
    let part = shot.around([MARGIN * across, MARGIN * down]);
    let window = distort::stretched(&part.picture, factor, phase, kernel);
    let mut rng = dice(shot, 2);
    let (mut picture, (left, top)) = placed(&window, DESKTOPS[rng.random_range(0..DESKTOPS.len())], &mut rng)?;
    imageops::replace(&mut picture, &window, left.into(), top.into());
    let grid = enlarged(&part.grid, factor).moved(-f64::from(left) - phase.0, -f64::from(top) - phase.1);
    Some(Variant { picture, grid, cover: None })
}

/// The smallest screen on which a window has room, and where it is.
fn placed(window: &RgbaImage, desktop: &str, rng: &mut impl rand::Rng) -> Option<(RgbaImage, (u32, u32))> {
    let (width, height) = window.dimensions();
    let (wide, high) = SCREENS.into_iter().find(|&(wide, high)| width + 20 <= wide && height + 20 <= high)?;
    let picture = open(&fixtures().join("none").join(desktop).with_extension("png"));
    let mut screen = RgbaImage::new(wide, high);
    imageops::tile(&mut screen, &picture);
    Some((screen, (rng.random_range(10..=wide - width - 10), rng.random_range(10..=high - height - 10))))
}

/// A screenshot of what was drawn at twice its size, shrunk by a quarter.
fn screen(shot: &Shot, phase: (f64, f64), kernel: Kernel) -> Option<Variant> {
    const SHRUNK: f64 = 0.75;
    let is_double = shot.name.split('/').next_back()?.split('-').any(|word| word == "scale2");
    is_double.then(|| Variant {
        picture: distort::stretched(&shot.picture, SHRUNK, phase, kernel),
        grid: enlarged(&shot.grid, SHRUNK).moved(-phase.0, -phase.1),
        cover: None,
    })
}

/// A screenshot on a dark desktop, if its client shows the desktop's ground between its tiles and that is light.
fn darkened(shot: &Shot, grounds: &[[u8; 3]]) -> Option<Shot> {
    let light = *grounds.first()?;
    let has_ground = |picture: &RgbaImage| {
        let number = picture.pixels().filter(|pixel| pixel.0[..3] == light).count();
        number > picture.len() / 4 / 50
    };
    has_ground(&shot.around([0.0; 2]).picture).then(|| Shot {
        name: shot.name.clone(),
        whose: shot.whose,
        picture: distort::on_other_ground(&shot.picture, &shot.grid, light, DARK),
        grid: shot.grid.clone(),
        truth: shot.truth.clone(),
    })
}
