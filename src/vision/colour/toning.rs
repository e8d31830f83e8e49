//! Tiles + [`Skin`] → [`Tone`]: what the tiles of a pattern look like beside the pictures of a theme says how its colours are brought
//! back.
//!
//! The line of every channel is guessed from the means and deviations of both, then every tile is taken for the picture that is
//! nearest, and the line is drawn again through all pairs of values (least squares), until that changes little: iterated closest points, on colours.

use super::tone::{GAIN, Kind, Line, Tone};
use crate::board::Tile;
use crate::geometry::Cell;
use crate::vision::grid::Grid;
use crate::vision::tile::likeness::HOPELESS;
use crate::vision::tile::look::Seen;
use crate::vision::tile::patch::{Patch, VALUES};
use crate::vision::tile::skin::Skin;
use crate::vision::tile::tiles::{Asked, Tiles, spread};

/// How often the line is drawn again at most, and a change of nearness that is none.
const ROUNDS: usize = 5;
const SETTLED: f64 = 1e-3;
/// Share of hidden tiles among hidden and empty open ones at which it begins.
const HIDDEN: [f32; 3] = [1.0, 0.5, 0.15];

/// Some tiles, from all over a grid.
pub struct Sample {
    tiles: Vec<Patch>,
    /// The first of them that is the same: many are hidden or empty.
    first: Vec<usize>,
}

impl Sample {
    /// Of a grid.
    pub fn new(tiles: &Tiles, grid: &Grid) -> Self {
        let tiles = spread(grid, SAMPLED).filter_map(|cell| tiles.with_cell(grid, cell, |patch| **patch));
        Self::of(tiles.collect())
    }

    fn of(tiles: Vec<Patch>) -> Self {
        let first = |tile: &Patch| tiles.iter().position(|other| other == tile).unwrap_or(0);
        Self { first: tiles.iter().map(first).collect(), tiles }
    }
}

/// Tiles that a tone is drawn through.
const SAMPLED: usize = 30;

/// Whether some tiles of a grid may be those of pictures in other colours: in a third of them at least light and dark lie as in some
/// hidden or empty tile, however light and dark those are. A tone that is drawn through them costs more than a hundred times as much.
pub fn is_akin(tiles: &Tiles, grid: &Grid, skin: &Skin) -> bool {
    let looks = || skin.looks().filter(|look| matches!(look.tile, Tile::Hidden | Tile::Open(0)));
    let is_like = |seen: &Seen| f64::from(u8::from(looks().any(|look| look.correlation(seen) > AKIN)));
    let (mut all, mut like) = (0, 0);
    let cells: Vec<Cell> = spread(grid, SAMPLED).collect();
    for (&cell, rest) in cells.iter().zip((0..cells.len()).rev()) {
        let Some(is_like) = tiles.once(grid, cell, (skin.id, Asked::Akin), is_like).map(|is| is > 0.0) else {
            continue;
        };
        (all, like) = (all + 1, like + usize::from(is_like));
        // Whatever the rest are.
        if like * 3 > all + rest {
            return true;
        }
        if all == FIRST && like == 0 || like * 3 + rest * 2 <= all {
            return false;
        }
    }
    like * 3 > all
}

/// How alike light and dark lie in tiles that are the same in other colours.
const AKIN: f32 = 0.5;
/// So many tiles of which none is like a picture are no third of which all are: one chance in twenty-five, if they fall anyhow.
const FIRST: usize = 8;

/// The tone in which some tiles are nearest to pictures, and how near they are then, on average; `None` if there is none.
pub fn guess(sample: &Sample, looks: &Skin) -> Option<(Tone, f64)> {
    let (tone, near) = nearest(sample, looks)?;
    if near <= LEAST {
        return Some((tone, near));
    }
    let is_as_near = |(_, plain): &(Tone, f64)| *plain > near - AS_NEAR;
    Some(plain(tone, sample, looks).find(is_as_near).unwrap_or((tone, near)))
}

/// The tones that some tiles may be in, the simplest first.
pub fn tones(sample: &Sample, looks: &Skin) -> Vec<Tone> {
    let Some((tone, _)) = nearest(sample, looks) else { return Vec::new() };
    plain(tone, sample, looks).map(|(tone, _)| tone).chain([tone]).collect()
}

/// How near any tone must be for others to be tried, and how much less near one that screens have may be: it has fewer values to fit. Both chosen, not
/// measured; what comes of them is judged once the tiles are laid.
const LEAST: f64 = 0.0;
const AS_NEAR: f64 = 0.05;

/// The tone in which tiles are nearest, a line for every channel.
fn nearest(sample: &Sample, looks: &Skin) -> Option<(Tone, f64)> {
    let (hidden, open) = (looks.pictures(Tile::Hidden), looks.pictures(Tile::Open(0)));
    let seen = moments(&sample.tiles.iter().map(|tile| (tile, 1.0)).collect::<Vec<_>>());
    let from = |share: f32| {
        let all = hidden.iter().map(|look| (*look, share / hidden.len() as f32));
        let all = all.chain(open.iter().map(|look| (*look, (1.0 - share) / open.len() as f32)));
        let meant = moments(&all.collect::<Vec<_>>());
        let line = |channel: usize| {
            let (from, to) = (seen[channel], meant[channel]);
            let gain = (to.1 / from.1.max(1.0)).clamp(*GAIN.start(), *GAIN.end());
            Line { gain, offset: to.0 - from.0 * gain }
        };
        let tone = Tone(std::array::from_fn(line));
        settle(tone, Kind::Any, Pairs::new(tone, sample, looks), sample, looks)
    };
    HIDDEN.into_iter().filter_map(from).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The tones that screens have which are drawn from one of which every channel has a line of its own, and how near they are: of few colours, such
/// as are cut off at white or black, or tiles that are not laid to the pixel a line says little.
fn plain<'a>(tone: Tone, sample: &'a Sample, looks: &'a Skin) -> impl Iterator<Item = (Tone, f64)> {
    let pairs = Pairs::new(tone, sample, looks);
    let all = Kind::PLAIN.into_iter().filter_map(move |kind| settle(tone, kind, pairs.clone(), sample, looks));
    all.filter(|(tone, _)| tone.is_plain())
}

/// The tone in which tiles are recognised better than in their own, if that is clear. They are those of a board that was found.
pub fn correction(sample: &Sample, looks: &Skin) -> Option<Tone> {
    let score = |tile: Patch| f64::from(looks.classify(&Seen::new(tile)).score);
    let own = Tone([Line { gain: 1.0, offset: 0.0 }; 3]);
    let (tone, _) = settle(own, Kind::Any, Pairs::new(own, sample, looks), sample, looks)?;
    let table = tone.table();
    let gains = sample.tiles.iter().map(|tile| score(table.patch(tile)) - score(*tile));
    (gains.sum::<f64>() > CLEARER * sample.tiles.len() as f64).then_some(tone)
}

/// So much better tiles match, on average, if other colours are the right ones: a picture at twice its size, its lines smeared, matches better
/// by 0.08 with more contrast.
const CLEARER: f64 = 0.1;

/// Draws the lines again and again, first through these pairs of a tone. Also says how near the tiles are to pictures then, on average.
fn settle<'a>(
    mut tone: Tone,
    kind: Kind,
    mut pairs: Pairs<'a>,
    sample: &'a Sample,
    looks: &'a Skin,
) -> Option<(Tone, f64)> {
    for _ in 1..ROUNDS {
        if pairs.near < HOPELESS {
            break;
        }
        tone = Tone::through(&pairs.pairs, kind)?;
        let next = Pairs::new(tone, sample, looks);
        // Through the same pairs the same lines would be drawn.
        let is_settled = (next.near - pairs.near).abs() < SETTLED || next.are_those_of(&pairs);
        pairs = next;
        if is_settled {
            break;
        }
    }
    Some((tone, pairs.near))
}

/// Tiles and the pictures that are nearest to them in a tone.
#[derive(Clone)]
struct Pairs<'a> {
    pairs: Vec<(&'a Patch, &'a Patch)>,
    /// How near all tiles are, on average.
    near: f64,
}

impl<'a> Pairs<'a> {
    fn new(tone: Tone, sample: &'a Sample, looks: &'a Skin) -> Self {
        let table = tone.table();
        let mut known: Vec<Option<(&Patch, f64)>> = Vec::with_capacity(sample.tiles.len());
        for (index, (tile, &first)) in sample.tiles.iter().zip(&sample.first).enumerate() {
            let meant = if first < index { known[first] } else { looks.nearest_picture(&Seen::new(table.patch(tile))) };
            known.push(meant);
        }
        let pair =
            |(tile, meant): (&'a Patch, Option<(&'a Patch, f64)>)| meant.map(|(meant, near)| (near, tile, meant));
        let mut pairs: Vec<(f64, &Patch, &Patch)> = sample.tiles.iter().zip(known).filter_map(pair).collect();
        let near = pairs.iter().map(|pair| pair.0.max(-1.0)).sum::<f64>() / pairs.len().max(1) as f64;
        // The worse half may be anything: what covers the board, or looks that were mistaken.
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        pairs.truncate(pairs.len().div_ceil(2).max(pairs.iter().filter(|pair| pair.0 > 0.5).count()));
        pairs.sort_by_key(|(_, tile, _)| std::ptr::from_ref(*tile));
        Self { pairs: pairs.into_iter().map(|(_, seen, meant)| (seen, meant)).collect(), near }
    }

    fn are_those_of(&self, other: &Self) -> bool {
        let is_same =
            |((a, b), (c, d)): (&(&Patch, &Patch), &(&Patch, &Patch))| std::ptr::eq(*a, *c) && std::ptr::eq(*b, *d);
        self.pairs.len() == other.pairs.len() && self.pairs.iter().zip(&other.pairs).all(is_same)
    }
}

/// Mean and deviation of every channel over weighted patches.
fn moments(patches: &[(&Patch, f32)]) -> [(f32, f32); 3] {
    let count = patches.iter().map(|(_, weight)| weight).sum::<f32>().max(f32::EPSILON) * (VALUES / 3) as f32;
    std::array::from_fn(|channel| {
        let sum = |value: &dyn Fn(f32) -> f32| {
            let of = |(patch, weight): &(&Patch, f32)| {
                (channel..VALUES).step_by(3).map(|index| value(patch[index].into())).sum::<f32>() * weight
            };
            patches.iter().map(of).sum::<f32>() / count
        };
        let mean = sum(&|value| value);
        (mean, sum(&|value| (value - mean).powi(2)).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;
    use crate::vision::tile::patch::whole;
    use crate::vision::tile::skin::{Skins, Variation};

    #[test]
    fn colours_that_changed_are_brought_back() {
        let clients = client::bundled().unwrap();
        let theme = &client::by_name(&clients, "winemine").unwrap().themes[0];
        let scaled = Skins::new(theme).skin(Variation::default(), 16.0);
        // A board has more hidden and empty tiles than others.
        let often = |tile| if matches!(tile, Tile::Hidden | Tile::Open(0)) { 12 } else { 1 };
        let tiles =
            theme.pictures.iter().flat_map(|picture| std::iter::repeat_n(whole(&picture.pixels), often(picture.tile)));
        let tiles: Vec<Patch> = tiles.collect();
        for change in [|_, v: f32| v, |_, v| v * 0.7 + 20.0, |channel, v| v * [1.0, 0.8, 0.6][channel], |_, v| v - 30.0]
        {
            let changed: Vec<Patch> = tiles
                .iter()
                .map(|tile| std::array::from_fn(|index| change(index % 3, tile[index].into()).clamp(0.0, 255.0) as i16))
                .collect();
            let (tone, near) = guess(&Sample::of(changed.clone()), &scaled).unwrap();
            assert!(near > 0.8, "{near} {tone:?}");
            let table = tone.table();
            for (tile, changed) in tiles.iter().zip(&changed) {
                let read = |tile: Patch| scaled.classify(&Seen::new(tile)).tile;
                assert_eq!(read(table.patch(changed)), read(*tile), "{tone:?}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_at_white_or_black_does_not_bend_the_line() {
        let clients = client::bundled().unwrap();
        let theme = &client::by_name(&clients, "winemine").unwrap().themes[0];
        let skin = Skins::new(theme).skin(Variation::default(), 16.0);
        let often = |tile| if matches!(tile, Tile::Hidden | Tile::Open(0)) { 12 } else { 1 };
        for offset in [-60.0, 60.0] {
            let screen = Tone([Line { gain: 1.0, offset }; 3]);
            let seen = |picture: &crate::client::Picture| {
                std::iter::repeat_n(whole(&screen.painted(&picture.pixels)), often(picture.tile))
            };
            let seen: Vec<Patch> = theme.pictures.iter().flat_map(seen).collect();
            let (tone, near) = guess(&Sample::of(seen), &skin).unwrap();
            let is_right = |line: &Line| (line.gain - 1.0).abs() < 0.01 && (line.offset - offset).abs() < 1.0;
            assert!(tone.is_plain() && tone.0.iter().all(is_right), "{near} {tone:?}");
        }
    }

    #[test]
    fn what_is_one_colour_all_over_has_no_tone() {
        let clients = client::bundled().unwrap();
        let skins = Skins::new(&client::by_name(&clients, "winemine").unwrap().themes[0]);
        let found = guess(&Sample::of(vec![[128; VALUES]; 20]), &skins.skin(Variation::default(), 16.0));
        assert!(found.is_none_or(|(_, near)| near < 0.5), "{found:?}");
    }
}
