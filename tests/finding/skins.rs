//! Boards of looks that no calibration knows, painted by [`paint`], to test whatever finds the extent of a board without pictures of
//! its tiles: the best of the grids it gives must have the size of the board and every edge within a quarter of a tile. The
//! screenshots of `tests/fixtures` are asked for in the same way, their templates not being used.
//!
//! The last skins are kept back: work with the others, and let these tell whether it was learnt by heart. `SEED=2` paints other boards,
//! `EVERY=3` every third of them, `SKIN=dark` and `STATE=Untouched` only what is called like that, `SAVE=folder` keeps the pictures in which the board was
//! not found (`SAVE_ALL=1`: all).

mod paint;

use super::setting;
use super::shots::{Known, misplaced, shots};
use image::RgbaImage;
use minesight::client;
use minesight::vision::Grid;
use minesight::vision::find::propose::{Axis, Proposals, Source};
use paint::{Painted, SKINS, STATES, paint};
use rayon::prelude::*;

/// Finds boards without pictures of their tiles, the likeliest first.
type Finder = fn(&RgbaImage) -> Vec<Grid>;

/// What is judged.
const FINDER: Option<Finder> = Some(minesight::vision::boards_of_any_look);

/// Every skin in every state so often.
const BOARDS: u64 = 3;

/// What came of some pictures.
#[derive(Clone, Copy, Default)]
struct Tally {
    pictures: usize,
    /// The first grid is the board.
    first: usize,
    /// Another one is.
    later: usize,
    /// There was none at all.
    nothing: usize,
}

impl Tally {
    fn of(found: &[Grid], truth: &Grid) -> Self {
        let place = found.iter().position(|grid| misplaced(grid, truth).is_none());
        Self {
            pictures: 1,
            first: (place == Some(0)).into(),
            later: place.is_some_and(|place| place > 0).into(),
            nothing: found.is_empty().into(),
        }
    }

    fn sum(tallies: impl Iterator<Item = Tally>) -> Self {
        tallies.fold(Self::default(), |sum, one| Self {
            pictures: sum.pictures + one.pictures,
            first: sum.first + one.first,
            later: sum.later + one.later,
            nothing: sum.nothing + one.nothing,
        })
    }

    fn row(self, name: &str) -> String {
        let Self { pictures, first, later, nothing } = self;
        let share = 100.0 * first as f64 / pictures.max(1) as f64;
        let wrong = pictures - first - later - nothing;
        format!("| {name} | {pictures} | {first} | {share:.0}% | {later} | {wrong} | {nothing} |\n")
    }
}

const HEADER: &str = "| | boards | right place and size | | right, but not first | wrong | nothing found |\n|---|---:|---:|---:|---:|---:|---:|\n";

/// Tallies by name, in the order in which the names come.
fn table(all: &[(String, Tally)]) -> String {
    let mut names: Vec<&String> = Vec::new();
    all.iter().for_each(|(name, _)| {
        if !names.contains(&name) {
            names.push(name)
        }
    });
    let of = |wanted: &String| Tally::sum(all.iter().filter(|(name, _)| name == wanted).map(|(_, tally)| *tally));
    let rows: String = names.into_iter().map(|name| of(name).row(name)).collect();
    format!("{HEADER}{rows}{}", Tally::sum(all.iter().map(|(_, tally)| *tally)).row("all"))
}

/// The boards that are asked for.
fn painted() -> Vec<(&'static paint::Skin, paint::State, u64)> {
    let wanted = |name: &str| std::env::var(name).unwrap_or_default();
    let (skin_name, state_name) = (wanted("SKIN"), wanted("STATE"));
    let (seed, every) = (setting("SEED").unwrap_or(1) as u64, setting("EVERY").unwrap_or(1));
    let mut all = Vec::new();
    for skin in SKINS.iter().filter(|skin| skin.name.contains(&skin_name)) {
        for state in STATES.into_iter().filter(|state| format!("{state:?}").contains(&state_name)) {
            (0..BOARDS).for_each(|number| all.push((skin, state, 100 * seed + number)));
        }
    }
    all.into_iter().step_by(every).collect()
}

/// Looks for the board in every painted picture: tables by skin and by state.
fn survey(find: &(impl Fn(&RgbaImage) -> Vec<Grid> + Sync)) -> String {
    let all = painted();
    let judged = all.par_iter().map(|&(skin, state, seed)| {
        let Painted { picture, grid } = paint(skin, state, seed);
        let found = find(&picture);
        let tally = Tally::of(&found, &grid);
        let name = format!("{} {state:?} {seed}", skin.name);
        let fault = found.first().and_then(|first| misplaced(first, &grid));
        if let Ok(folder) = std::env::var("SAVE")
            && (tally.first == 0 || std::env::var("SAVE_ALL").is_ok())
        {
            picture.save(format!("{folder}/{}.png", name.replace([' ', ':'], "-"))).unwrap();
        }
        let told = (tally.first == 0).then(|| format!("{name}: {}", fault.unwrap_or("nothing found".to_owned())));
        let kept = if skin.is_kept_back { ", kept back" } else { "" };
        ((format!("{}{kept}", skin.name), tally), (format!("{state:?}"), tally), told)
    });
    let judged: Vec<_> = judged.collect();
    let (skins, states): (Vec<_>, Vec<_>) = judged.iter().map(|(skin, state, _)| (skin.clone(), state.clone())).unzip();
    let missed: Vec<&str> = judged.iter().filter_map(|(_, _, told)| told.as_deref()).collect();
    format!("{}\n{}\n{}\n", table(&skins), table(&states), missed.join("\n"))
}

/// The same for the boards of the screenshots: by client.
fn survey_of_screenshots(find: &(impl Fn(&RgbaImage) -> Vec<Grid> + Sync)) -> String {
    let clients = client::bundled().unwrap();
    let every = setting("EVERY").unwrap_or(1);
    let shots: Vec<_> = shots(&clients, 1).into_iter().step_by(every).collect();
    let judge = |shot: &Known| {
        let shot = shot.open();
        let found = find(&shot.picture);
        let tally = Tally::of(&found, &shot.grid);
        let fault = found.first().and_then(|first| misplaced(first, &shot.grid));
        let told =
            (tally.first == 0).then(|| format!("{}: {}", shot.name, fault.unwrap_or("nothing found".to_owned())));
        ((clients[shot.whose].name.clone(), tally), told)
    };
    let (rows, told): (Vec<_>, Vec<_>) = shots.par_iter().map(judge).collect::<Vec<_>>().into_iter().unzip();
    let missed: Vec<String> = told.into_iter().flatten().collect();
    format!("{}\n{}\n", table(&rows), missed.join("\n"))
}

#[test]
#[ignore = "takes minutes"]
fn skins() {
    let find = FINDER.expect("a finder to be judged");
    println!("{}", survey(&find));
}

#[test]
#[ignore = "takes minutes"]
fn skins_of_the_screenshots() {
    let find = FINDER.expect("a finder to be judged");
    println!("{}", survey_of_screenshots(&find));
}

/// Who judges is judged: what is right counts as right, what is a column short or half a tile off does not.
#[test]
fn only_the_right_place_and_size_count() {
    let Painted { grid, .. } = paint(&SKINS[0], STATES[0], 1);
    let (across, down) = grid.pitch();
    let short = Grid { columns: grid.columns[1..].to_vec(), ..grid.clone() };
    let off = grid.moved(0.3 * across, 0.0);
    let near = grid.moved(0.2 * across, -0.2 * down);
    let told = |found: &[Grid]| {
        let Tally { first, later, nothing, .. } = Tally::of(found, &grid);
        (first, later, nothing)
    };
    assert_eq!(told(&[]), (0, 0, 1));
    assert_eq!(told(std::slice::from_ref(&near)), (1, 0, 0));
    assert_eq!(told(&[short.clone(), off]), (0, 0, 0));
    assert_eq!(told(&[short, near]), (0, 1, 0));
}

/// A stipple repeats within a tile, too, and lines between tiles tell what they are.
#[test]
fn stippled_tiles_are_not_taken_for_several() {
    let find = FINDER.expect("a finder to be judged");
    let untouched = |name: &str| shots(&client::bundled().unwrap(), 1).into_iter().find(|shot| shot.name == name);
    for name in ["xbomb/beginner-0-start", "xbomb/intermediate-0-start", "xbomb/expert-0-start"] {
        let shot = untouched(name).expect("a screenshot").open();
        let found = find(&shot.picture);
        let fault = found.first().map(|first| misplaced(first, &shot.grid));
        assert_eq!(fault, Some(None), "{name}");
    }
}

/// Which lattice of each kind has the board's pitch (or half or twice as much) and covers half of it, for every painted board.
#[test]
#[ignore = "for people"]
fn why() {
    let fits = |axis: &Axis, edges: &[f64]| {
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let pitch = (last - first) / (edges.len() - 1) as f64;
        let shared = axis.edges[axis.edges.len() - 1].min(last) - axis.edges[0].max(first);
        let times = [1.0, 2.0, 0.5].into_iter().find(|times| (axis.pitch / pitch / times - 1.0).abs() < 0.02);
        times.filter(|_| shared > (last - first) / 2.0)
    };
    for (skin, state, seed) in painted() {
        let Painted { picture, grid } = paint(skin, state, seed);
        let proposals = Proposals::new(&picture);
        let told = Source::ALL.map(|source| {
            let all: Vec<_> = proposals.of(source).take(12).collect();
            let of = |lattice: &std::rc::Rc<minesight::vision::find::propose::Lattice>| {
                Some((fits(&lattice.columns, &grid.columns)?, fits(&lattice.lines, &grid.lines)?))
            };
            let first = all.iter().enumerate().find_map(|(index, lattice)| Some((index, of(lattice)?)));
            format!("{source:?} {first:?} of {}", all.len())
        });
        println!("{} {state:?} {seed}, {} at {:?}: {}", skin.name, grid.size(), grid.pitch(), told.join("; "));
    }
}

/// Pictures are kept for looking at them: `SAVE=folder SAVE_ALL=1`.
#[test]
#[ignore = "writes pictures"]
fn skins_are_painted() {
    println!("{}", survey(&|_: &RgbaImage| Vec::new()));
}
