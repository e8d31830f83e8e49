//! [`Edges`] → [`Lattice`]s: where something repeats in a picture, like tiles do, without knowing any client.
//!
//! 1. Rows of edges at one distance, at any pitch: shifted copies of a strip's bits, and-ed.
//! 2. Where such rows lie above each other and the same is true downwards, there is a lattice; its lines are then followed
//!    in the full picture from one to the next, for the pitch need not be uniform.
//!
//! A lattice has the right pitch but not yet the right phase: its lines are the strongest edge of every tile, which may
//! be a bevel inside of it. Only the look of tiles can tell ([`super::place`]).

use super::edges::{Bits, Edges, Profile, STRIP, bits_in, may_cancel, ones, profile};
use crate::vision::grid::Way;
use image::RgbaImage;
use std::cell::{LazyCell, OnceCell, RefCell};
use std::ops::{Deref, Range};
use std::rc::Rc;

/// A place where edges repeat across and down.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// Across.
    pub columns: Axis,
    /// Down.
    pub lines: Axis,
    /// Whether it was made of one whose tiles are several of these.
    pub is_divided: bool,
}

impl Lattice {
    /// Whether its tiles are no whole number of pixels apart, by so much that they are together off by more than one.
    pub fn is_uneven(&self) -> bool {
        let off = |axis: &Axis| (axis.pitch - axis.pitch.round()).abs() * axis.edges.len() as f64;
        off(&self.columns).max(off(&self.lines)) > 1.0
    }
}

/// The repetition along one axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The strongest edge of every tile, in pixels, evenly spread.
    pub edges: Vec<f64>,
    /// Distance between tiles, on average.
    pub pitch: f64,
    /// How strong the edges are at every place of a tile, from one edge to the next, in [`PHASES`] steps.
    pub profile: Vec<f32>,
}

impl Axis {
    /// From the first edge to the last, in places of so many pixels.
    fn reach(&self, unit: usize) -> Range<usize> {
        let place = |edge: f64| (edge / unit as f64).max(0.0) as usize;
        place(self.edges[0])..place(self.edges[self.edges.len() - 1]) + 1
    }

    /// Of a profile, with these edges.
    fn of(profile: &Profile, edges: Vec<f64>) -> Self {
        let pitch = (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64;
        let folded = folded(profile, &edges, PHASES);
        Self { profile: folded, edges, pitch }
    }

    /// Whether every tile is the same so many times (the correlation of the mean profile with itself, so much further on).
    fn is_several(&self, profile: &Profile, times: usize) -> bool {
        // A whole number of steps for each: then all of them lie alike between pixels.
        let step = PHASES.div_ceil(times);
        let folded = folded(profile, &self.edges, step * times);
        let mean = folded.iter().sum::<f32>() / folded.len() as f32;
        let further = folded.iter().cycle().skip(step);
        let both: f32 = folded.iter().zip(further).map(|(one, other)| (one - mean) * (other - mean)).sum();
        both > SAME * folded.iter().map(|one| (one - mean).powi(2)).sum::<f32>()
    }

    /// The same with so many times as many edges.
    fn divided(&self, profile: &Profile, times: usize) -> Self {
        let between = |pair: &[f64]| {
            let (from, step) = (pair[0], (pair[1] - pair[0]) / times as f64);
            (0..times).map(move |index| from + step * index as f64)
        };
        let last = self.edges[self.edges.len() - 1];
        let edges = self.edges.windows(2).flat_map(between).chain([last]).collect();
        Self::of(profile, edges)
    }
}

/// How alike the parts of a tile are that is several: of lines by turns the weaker ones are three quarters as strong then.
const SAME: f32 = 0.95;
/// So many tiles at most are taken for one: of a fine pattern every multiple of its pitch is one.
const SEVERAL: usize = 12;
/// How far the logarithm of the pitch across is from that of the pitch down at most, where tiles may be square.
const SQUARE: f64 = 0.05;
/// The smallest tiles, in pixels.
const LEAST: f64 = 10.0;
/// Steps of a profile: four for every part of a patch, which is as exact as a comparison can tell.
pub const PHASES: usize = 64;
/// Edges in a row at one distance: most boards are 8 tiles wide at least, and a little of them may be missing.
const CHAIN: usize = 6;
/// Links between them.
const LINKS: usize = CHAIN - 1;
/// Smallest and largest pitch that is looked for, in places: 10 to 210 pixels at half size, and to 420 at a quarter.
const PITCHES: std::ops::Range<f64> = 5.0..105.0;

/// Which edges are looked at for what repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Straight edges of any strength.
    Clear,
    /// The same without those that repeat like a clear lattice, and only where they go on: a large board, or one with many
    /// edges, hides the pitch of a small one elsewhere on the screen, and so does a picture with edges everywhere.
    Beside,
    /// Also what is not straight: tiles without lines that only hold something that repeats (characters in a terminal).
    Faint,
    /// Bold lines alone: what is left of a photograph then does not hide the pitch of a small board on it.
    Bold,
    /// The same with lines half as bold.
    Thin,
    /// Straight edges of large tiles, also where they are smeared: in a picture at a quarter of its size.
    Coarse,
    /// Straight edges also of boards that are only four tiles wide: many things are.
    Few,
    /// The same where the last of them has no edge of its own: a frame of a tile's own is closed by another edge than it begins with.
    Fewest,
    /// The same in a picture at a quarter of its size: of boards of few tiles, each as large as on a page that they fill.
    Large,
    /// Also those that cancel in a pair of pixels: a line that is darker than what is on one side of it is lighter than the gap on the other.
    Odd,
}

/// How many kinds there are.
const KINDS: usize = 10;
/// Links between the edges of four tiles, and between those where they begin.
const FEW: usize = 4;
const FEWEST: usize = 3;

impl Source {
    /// Those of the clients' boards, the cheapest and likeliest first.
    pub const ALL: [Source; KINDS] = [
        Source::Clear,
        Source::Coarse,
        Source::Beside,
        Source::Faint,
        Source::Bold,
        Source::Thin,
        Source::Few,
        Source::Odd,
        Source::Fewest,
        Source::Large,
    ];

    /// Whether edges of a hidden tile that looks so cancel where it begins at some pixels: boards of such are found as [`Source::Odd`] only.
    pub fn cancels(tile: &RgbaImage) -> bool {
        may_cancel(tile, Source::Odd.edges().1)
    }

    /// How many of a strip's eight lines must have an edge, and of which difference at least, of 255. The faintest lines between
    /// open tiles of clients differ by more than 4, also when halved, and noise of a compressed picture does not; 24 have hidden
    /// tiles of most clients on their borders, and 12 all (winemine the least, 15), and a photograph in few places.
    fn edges(self) -> (u8, u8) {
        match self {
            Source::Faint => (1, 4),
            Source::Bold => (5, 24),
            Source::Thin => (5, 12),
            _ => (5, 4),
        }
    }
}

/// What repeats in a picture, found when it is asked for.
pub struct Proposals<'a> {
    edges: Edges<'a>,
    coarser: OnceCell<Edges<'a>>,
    strips: OnceCell<[Vec<Bits>; 2]>,
    found: [RefCell<Option<Found>>; KINDS],
    /// Areas that were followed: bold lines often repeat where clear ones do.
    followed: RefCell<Vec<Followed>>,
}

/// At which size of the picture, by how many edges at least, and where and at which pitch an area was followed.
type Followed = (usize, usize, (usize, usize), (usize, usize), (f64, f64));

/// What was found of one kind: areas that repeat, the likeliest first, and the lattices of those that were followed.
struct Found {
    areas: std::vec::IntoIter<Area>,
    lattices: Vec<Rc<Lattice>>,
}

impl<'a> Proposals<'a> {
    /// Of a picture.
    pub fn new(picture: &'a RgbaImage) -> Self {
        let edges = Edges::new(picture);
        let (coarser, strips) = (OnceCell::new(), OnceCell::new());
        Self { edges, coarser, strips, found: Default::default(), followed: RefCell::default() }
    }

    /// The lattices of one kind, the likeliest first, without those that were met before: each is followed when it is asked for.
    pub fn of(&self, source: Source) -> impl Iterator<Item = Rc<Lattice>> {
        (0..).map_while(move |index| self.get(source, index))
    }

    /// One of them.
    pub fn get(&self, source: Source, index: usize) -> Option<Rc<Lattice>> {
        loop {
            if self.found[source as usize].borrow().is_none() {
                let areas = self.areas(source).into_iter();
                *self.found[source as usize].borrow_mut() = Some(Found { areas, lattices: Vec::new() });
            }
            let area = {
                let mut found = self.found[source as usize].borrow_mut();
                let found = found.as_mut()?;
                if let Some(lattice) = found.lattices.get(index) {
                    return Some(lattice.clone());
                }
                found.areas.next()?
            };
            let is_coarse = matches!(source, Source::Coarse | Source::Large);
            let edges = if is_coarse { self.coarser() } else { &self.edges };
            let known = || {
                let all = self.found.iter().filter_map(|found| Some(found.borrow().as_ref()?.lattices.clone()));
                all.flatten()
            };
            let own = self.found[source as usize].borrow().as_ref()?.lattices.clone();
            if own.iter().any(|lattice| same(lattice, &area, edges.unit as f64)) {
                continue;
            }
            let least = match source {
                Source::Few => FEW + 1,
                Source::Fewest | Source::Large => FEWEST + 1,
                _ => CHAIN,
            };
            let followed = (edges.unit, least, area.x, area.y, area.pitch);
            // What it is was found then, or that it is nothing.
            if self.followed.borrow().contains(&followed) {
                continue;
            }
            self.followed.borrow_mut().push(followed);
            let area = &area;
            let [wide, high] = Way::BOTH.map(|way| LazyCell::new(move || area.profile(edges, way)));
            let pitch = area.in_pixels(edges);
            let followed = lattice(&wide, &high, pitch, least);
            // Beside faint tiles there may be stronger edges, as of a photograph behind a board.
            let squares = if source == Source::Faint { square(&wide, &high, pitch, least) } else { None };
            for lattice in followed.into_iter().chain(squares) {
                if !known().any(|other| is_same(&lattice, &other)) {
                    self.found[source as usize].borrow_mut().as_mut()?.lattices.push(Rc::new(lattice));
                }
            }
        }
    }

    fn coarser(&self) -> &Edges<'a> {
        self.coarser.get_or_init(|| self.edges.coarser())
    }

    /// Where edges of a kind repeat, the likeliest first.
    fn areas(&self, source: Source) -> Vec<Area> {
        let (most, least) = source.edges();
        let strips = |edges: &Edges| [edges.strips_of_columns(most, least), edges.strips_of_rows(most, least)];
        let all = || strips(&self.edges);
        match source {
            Source::Clear => {
                let [across, down] = self.strips.get_or_init(all);
                areas::<LINKS>(across, down, self.edges.width, chains::<LINKS>)
            }
            Source::Few => {
                let [across, down] = self.strips.get_or_init(all);
                areas::<FEW>(across, down, self.edges.width, chains::<FEW>)
            }
            Source::Fewest => {
                let [across, down] = self.strips.get_or_init(all);
                areas::<FEWEST>(across, down, self.edges.width, chains::<FEWEST>)
            }
            Source::Beside => {
                let [mut across, mut down] = self.strips.get_or_init(all).clone();
                for lattice in self.of(Source::Clear) {
                    clear(&mut across, &lattice.lines.reach(self.edges.unit), &lattice.columns, self.edges.unit);
                    clear(&mut down, &lattice.columns.reach(self.edges.unit), &lattice.lines, self.edges.unit);
                }
                areas::<LINKS>(&across, &down, self.edges.width, lasting_chains)
            }
            Source::Faint | Source::Bold | Source::Thin => {
                let [across, down] = all();
                areas::<LINKS>(&across, &down, self.edges.width, chains::<LINKS>)
            }
            Source::Odd => {
                let mut both = self.strips.get_or_init(all).clone();
                for (own, other) in both.iter_mut().zip(strips(&self.edges.odd())) {
                    own.iter_mut().zip(&other).for_each(|(strip, other)| strip.add(other));
                }
                let [across, down] = both;
                areas::<LINKS>(&across, &down, self.edges.width, chains::<LINKS>)
            }
            Source::Coarse => {
                let edges = self.coarser();
                let [across, down] = strips(edges);
                areas::<LINKS>(&across, &down, edges.width, chains::<LINKS>)
            }
            Source::Large => {
                let edges = self.coarser();
                let [across, down] = strips(edges);
                areas::<FEWEST>(&across, &down, edges.width, chains::<FEWEST>)
            }
        }
    }
}

/// The areas of these strips that repeat, the likeliest first.
fn areas<const LINKS: usize>(across: &[Bits], down: &[Bits], width: usize, chains: Chains) -> Vec<Area> {
    let seeds = seeds::<LINKS>(across, width, chains);
    let mut found: Vec<Area> = seeds.iter().flat_map(|seed| areas_of::<LINKS>(across, down, seed)).collect();
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    found
}

/// Whether two lattices have the same lines, to the pixel, nearly from end to end; or, if the first was made of a multiple of its pitch, in
/// most of it.
fn is_same(one: &Lattice, other: &Lattice) -> bool {
    let is_same = |a: &Axis, b: &Axis| {
        let ends = |axis: &Axis| (axis.edges[0], axis.edges[axis.edges.len() - 1]);
        let ((first, last), (from, to)) = (ends(a), ends(b));
        let off = (first - from) / a.pitch - ((first - from) / a.pitch).round();
        let shared = last.min(to) - first.max(from);
        let all = if one.is_divided { last - first } else { last.max(to) - first.min(from) };
        (a.pitch - b.pitch).abs() * (a.edges.len() as f64) < 1.0
            && off.abs() * a.pitch < 1.0
            && shared > a.pitch
            && all < shared * if one.is_divided { 2.0 } else { 1.25 }
    };
    is_same(&one.columns, &other.columns) && is_same(&one.lines, &other.lines)
}

/// A part of the picture that repeats, in places.
#[derive(Clone, Debug)]
struct Area {
    x: (usize, usize),
    y: (usize, usize),
    pitch: (f64, f64),
    /// How much of the picture it may explain: tiles across times tiles down, by how clear their edges are.
    strength: f64,
}

impl Area {
    /// Its pitch across and down, in pixels of the full picture.
    fn in_pixels(&self, edges: &Edges) -> (f64, f64) {
        (self.pitch.0 * edges.unit as f64, self.pitch.1 * edges.unit as f64)
    }

    /// Its edges along a way in the full picture.
    fn profile(&self, edges: &Edges, way: Way) -> Profile {
        let full = |(from, to): (usize, usize)| (from * edges.unit, to * edges.unit);
        let ((from, to), across) = way.pair(full(self.x), full(self.y));
        let pitch = way.pair(self.in_pixels(edges).0, self.in_pixels(edges).1).0 as usize;
        profile(edges.picture, way, (from.saturating_sub(pitch), to + pitch), across)
    }
}

fn same(lattice: &Lattice, area: &Area, unit: f64) -> bool {
    let near = |axis: &Axis, pitch: f64, from: usize, to: usize| {
        let (first, last) = (axis.edges[0] / unit, axis.edges[axis.edges.len() - 1] / unit);
        (axis.pitch / unit - pitch).abs() < 0.6 && first < to as f64 && last > from as f64
    };
    near(&lattice.columns, area.pitch.0, area.x.0, area.x.1) && near(&lattice.lines, area.pitch.1, area.y.0, area.y.1)
}

/// How strong the edges at a place of a lattice's tiles are from which they are its own, of its strongest: all of its tiles have those,
/// and a board before it, which is painted over some of it, has its edges elsewhere.
const OWN: f32 = 0.25;

/// Takes the edges that repeat like those of an axis out of the strips that lie within `lines`. Others stay: a board may lie on a
/// wallpaper that is a lattice, too, and even of the same pitch.
fn clear(strips: &mut [Bits], lines: &Range<usize>, axis: &Axis, unit: usize) {
    let last = (lines.end / STRIP).min(strips.len());
    let (reach, pitch) = (axis.reach(unit), axis.pitch / unit as f64);
    let strongest = axis.profile.iter().copied().fold(0.0, f32::max);
    let own: Vec<bool> = axis.profile.iter().map(|&strength| strength >= OWN * strongest).collect();
    // A place is as wide as some steps, and an edge lies between two.
    let slack = (1.5 / pitch * PHASES as f64).ceil() as usize;
    let is_own = |place: usize| {
        let along = (place * unit) as f64 - axis.edges[0];
        let phase = ((along / axis.pitch).rem_euclid(1.0) * PHASES as f64) as usize;
        (0..=2 * slack).any(|by| own[(phase + PHASES + by - slack) % PHASES])
    };
    for strip in &mut strips[(lines.start / STRIP).min(last)..last] {
        let wide = strip.widened();
        let chains = ones(strip.chains::<LINKS>(&wide, pitch));
        let starts: Vec<usize> = chains.filter(|&at| reach.contains(&at) && is_own(at)).collect();
        for start in starts {
            for link in 0..CHAIN {
                let place = start + (pitch * link as f64 + 0.5) as usize;
                (place.saturating_sub(1)..=place + 1).for_each(|place| strip.unset(place));
            }
        }
    }
}

/// A pitch at which some strips repeat.
struct Seed {
    pitch: f64,
    /// The strips, with the first and last place that belong to a chain.
    strips: Vec<(usize, usize, usize)>,
}

/// How many chains a strip has at every pitch, with room for those of the strip before.
type Chains = fn(&Bits, &Bits, &[f64], &mut [Vec<(usize, u64)>]) -> Vec<f64>;

fn chains<const LINKS: usize>(strip: &Bits, wide: &Bits, pitches: &[f64], _: &mut [Vec<(usize, u64)>]) -> Vec<f64> {
    pitches.iter().map(|&pitch| f64::from(bits_in(strip.chains::<LINKS>(wide, pitch)))).collect()
}

/// Only those that the strip before has in the same places: a photograph has edges everywhere, but nothing in it goes on.
fn lasting_chains(strip: &Bits, wide: &Bits, pitches: &[f64], above: &mut [Vec<(usize, u64)>]) -> Vec<f64> {
    let lasting = |(&pitch, above): (&f64, &mut Vec<(usize, u64)>)| {
        let before = std::mem::replace(above, strip.chains::<LINKS>(wide, pitch).collect());
        let mut rest = before.into_iter().peekable();
        let both = above.iter().map(|&(index, word)| {
            while rest.next_if(|(other, _)| *other < index).is_some() {}
            rest.peek().filter(|(other, _)| *other == index).map_or(0, |(_, bits)| (bits & word).count_ones())
        });
        f64::from(both.sum::<u32>())
    };
    pitches.iter().zip(above).map(lasting).collect()
}

/// The pitches that explain most, the best first.
fn seeds<const LINKS: usize>(strips: &[Bits], width: usize, chains: Chains) -> Vec<Seed> {
    let steps = ((PITCHES.end - PITCHES.start) * 4.0) as usize;
    let pitch_of = |step: usize| PITCHES.start + step as f64 / 4.0;
    let mut explained = vec![0.0; steps];
    let wide: Vec<Bits> = strips.iter().map(Bits::widened).collect();
    let busy: Vec<usize> = (0..strips.len()).filter(|&strip| strips[strip].count() > LINKS).collect();
    let fitting = (0..steps).take_while(|&step| pitch_of(step) * LINKS as f64 <= width as f64).count();
    let pitches: Vec<f64> = (0..fitting).map(pitch_of).collect();
    let mut above: Vec<Vec<(usize, u64)>> = vec![Vec::new(); fitting];
    for &strip in &busy {
        let counts = chains(&strips[strip], &wide[strip], &pitches, &mut above);
        // Where there are edges everywhere there are chains at every pitch: only what is more tells.
        let usual = counts.iter().sum::<f64>() / fitting.max(1) as f64;
        for ((sum, count), pitch) in explained.iter_mut().zip(&counts).zip(&pitches) {
            *sum += (count - usual).max(0.0) * pitch.sqrt();
        }
    }
    let mut order: Vec<usize> = (0..steps).filter(|&step| explained[step] > 0.0).collect();
    order.sort_by(|&a, &b| explained[b].total_cmp(&explained[a]));
    let mut chosen: Vec<usize> = Vec::new();
    for step in order {
        if chosen.iter().all(|other| other.abs_diff(step) > 2) {
            chosen.push(step);
        }
        if chosen.len() == 8 {
            break;
        }
    }
    let seed = |step: usize| {
        let reach = (pitch_of(step) * LINKS as f64).round() as usize;
        let strips = busy.iter().flat_map(|&strip| {
            let starts = ones(strips[strip].chains::<LINKS>(&wide[strip], pitch_of(step)));
            // Two boards beside each other are two spans.
            let mut spans: Vec<(usize, usize, usize)> = Vec::new();
            for start in starts {
                match spans.last_mut() {
                    Some(span) if start <= span.2 + 2 => span.2 = start + reach,
                    _ => spans.push((strip, start, start + reach)),
                }
            }
            spans
        });
        Seed { pitch: pitch_of(step), strips: strips.collect() }
    };
    chosen.into_iter().map(seed).collect()
}

/// Where the strips of a seed lie above each other, and rows repeat too.
fn areas_of<const LINKS: usize>(across: &[Bits], down: &[Bits], seed: &Seed) -> Vec<Area> {
    let mut stacks: Vec<(usize, usize, usize, usize, usize)> = Vec::new(); // left, right, first and last strip, how many
    let patience = 2 + (2.0 * seed.pitch / STRIP as f64) as usize;
    for &(strip, left, right) in &seed.strips {
        let joins = |stack: &&mut (usize, usize, usize, usize, usize)| {
            left < stack.1 && right > stack.0 && strip <= stack.3 + patience
        };
        match stacks.iter_mut().find(joins) {
            Some(stack) => *stack = (stack.0.min(left), stack.1.max(right), stack.2, strip, stack.4 + 1),
            None => stacks.push((left, right, strip, strip, 1)),
        }
    }
    let tall = |stack: &&(usize, usize, usize, usize, usize)| {
        ((stack.3 - stack.2 + 1) * STRIP) as f64 >= seed.pitch * 2.0 && stack.4 >= 2
    };
    let mut areas = Vec::new();
    for &(left, right, first, last, _) in stacks.iter().filter(tall) {
        areas.extend(rows_of::<LINKS>(across, down, (left, right), (first * STRIP, (last + 1) * STRIP), seed.pitch));
    }
    areas
}

/// The rows that repeat between `left` and `right`, near the strips that were found.
fn rows_of<const LINKS: usize>(
    across: &[Bits],
    down: &[Bits],
    (left, right): (usize, usize),
    (top, bottom): (usize, usize),
    pitch: f64,
) -> Option<Area> {
    let blocks = left.div_ceil(STRIP)..(right / STRIP).min(down.len());
    let count = blocks.len();
    let counts = counts(down.get(blocks)?)?;
    let height = counts.len();
    let margin = (pitch * 3.0) as usize;
    let (top, bottom) = (top.saturating_sub(margin), (bottom + margin).min(height));
    let active = (0..height).map(|y| (top..bottom).contains(&y) && counts[y] as usize * 5 >= count * 2);
    let rows = Bits::new(active.collect::<Vec<_>>().into_iter());
    let wide = rows.widened();
    let mut best: Option<(f64, f64)> = None;
    let steps = (pitch * 0.4 * 4.0) as usize..(pitch * 2.5 * 4.0) as usize;
    for step in steps {
        let row_pitch = step as f64 / 4.0;
        if !PITCHES.contains(&row_pitch) {
            continue;
        }
        // Tiles are square nearly everywhere: of two pitches that explain as much, the nearer one.
        let odd = (row_pitch / pitch).ln().abs();
        let value = f64::from(bits_in(rows.chains::<LINKS>(&wide, row_pitch))) * row_pitch.sqrt() / (1.0 + 4.0 * odd);
        if value > best.as_ref().map_or(0.0, |best| best.0) {
            best = Some((value, row_pitch));
        }
    }
    let (_, row_pitch) = best?;
    let reach = (row_pitch * LINKS as f64).round() as usize;
    let mut starts = ones(rows.chains::<LINKS>(&wide, row_pitch));
    let first = starts.next()?;
    let last = starts.last().unwrap_or(first) + reach;
    let (x, y) = ((left, right), (first, last));
    let columns = self::counts(across.get(first / STRIP..(last / STRIP).min(across.len()))?)?;
    let strength = explained(&columns, x, pitch) * explained(&counts, y, row_pitch);
    Some(Area { x, y, pitch: (pitch, row_pitch), strength })
}

/// In how many strips every place has an edge.
fn counts(strips: &[Bits]) -> Option<Vec<u32>> {
    let mut counts = vec![0; strips.first()?.words.len() * 64];
    for strip in strips {
        strip.ones().for_each(|place| counts[place] += 1);
    }
    Some(counts)
}

/// How many tiles there are between two places, by how much more edges there are at their borders than elsewhere.
fn explained(counts: &[u32], (from, to): (usize, usize), pitch: f64) -> f64 {
    let counts = &counts[from.min(counts.len())..to.clamp(from, counts.len())];
    let tiles = counts.len() as f64 / pitch;
    let usual = f64::from(counts.iter().sum::<u32>()) / counts.len().max(1) as f64;
    let at = |phase: usize| {
        let places = (0..tiles as usize).map(|tile| phase + (tile as f64 * pitch + 0.5) as usize);
        let most = places.map(|place| counts[place.saturating_sub(1)..(place + 2).min(counts.len())].iter().max());
        f64::from(most.flatten().sum::<u32>())
    };
    let most = (0..pitch as usize).map(at).fold(0.0, f64::max);
    tiles * (most / tiles.max(1.0) / usual.max(f64::EPSILON)).min(4.0)
}

/// Follows the lines of an area in the full picture, by its edges across and down.
fn lattice(
    wide: &impl Deref<Target = Profile>,
    high: &impl Deref<Target = Profile>,
    (across, down): (f64, f64),
    least: usize,
) -> Option<Lattice> {
    let mut columns = axis(wide, across, least)?;
    let mut lines = axis(high, down, least)?;
    let is_several = |times: &usize| columns.is_several(wide, *times) && lines.is_several(high, *times);
    let times = (2..=SEVERAL).rev().find(is_several);
    if let Some(times) = times {
        (columns, lines) = (columns.divided(wide, times), lines.divided(high, times));
        if columns.pitch.min(lines.pitch) < LEAST {
            return None;
        }
    }
    Some(Lattice { columns, lines, is_divided: times.is_some() })
}

/// The lines of an area where its tiles are square, if what repeats across does so at another pitch than what repeats downwards.
fn square(
    wide: &impl Deref<Target = Profile>,
    high: &impl Deref<Target = Profile>,
    (across, down): (f64, f64),
    least: usize,
) -> Option<Lattice> {
    if (across / down).ln().abs() < SQUARE {
        return None;
    }
    Some(Lattice { columns: in_step(wide, down, least)?, lines: in_step(high, down, least)?, is_divided: false })
}

/// Follows lines from one to the next, about `pitch` apart: the path along which edges are strongest
/// (dynamic programming; a step may differ from the pitch by a pixel or two, at a price).
fn axis(profile: &Profile, pitch: f64, least: usize) -> Option<Axis> {
    let values = &profile.values;
    let mean = values.iter().sum::<f32>() / values.len().max(1) as f32;
    let slack = (pitch / 16.0).clamp(1.0, 4.0);
    let price = |step: usize| mean * 0.1 * (step as f64 - pitch).abs() as f32;
    let steps = (pitch - slack).ceil() as usize..=(pitch + slack).floor() as usize;
    let steps: Vec<(usize, f32)> = steps.map(|step| (step, price(step))).collect();
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(values.len()); // worth so far, the step that led here
    for place in 0..values.len() {
        let gain = values[place] - mean;
        let before = steps.iter().filter(|(step, _)| *step <= place);
        let before = before.map(|&(step, price)| (best[place - step].0 - price, step));
        let (worth, step) =
            before.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|before| before.0 > 0.0).unwrap_or((0.0, 0));
        best.push((worth + gain, step));
    }
    let end = (0..best.len()).max_by(|&a, &b| best[a].0.total_cmp(&best[b].0))?;
    let mut edges = vec![end];
    while let (_, step @ 1..) = best[edges[edges.len() - 1]] {
        edges.push(edges[edges.len() - 1] - step);
    }
    edges.reverse();
    let edges: Vec<f64> = edges.iter().map(|&edge| (edge + profile.from) as f64).collect();
    let edges = &edges[longest_even_run(&edges)];
    if edges.len() < least {
        return None;
    }
    let core = &edges[core(profile, edges, least)];
    Some(Axis::of(profile, repeating(profile, fitted(core))))
}

/// Where a profile repeats at a known pitch, whatever stronger edges lie beside that.
fn in_step(profile: &Profile, pitch: f64, least: usize) -> Option<Axis> {
    let (values, by) = (&profile.values, pitch.round() as usize);
    // What both have, less what one has alone: of edges that have nothing to do with each other the latter is twice as much.
    let worth = values.iter().zip(values.iter().skip(by)).map(|(one, other)| one.min(*other) - (one - other).abs());
    let (mut best, mut most, mut sum, mut first) = (0..0, 0.0, 0.0, 0);
    for (place, worth) in worth.enumerate() {
        if sum <= 0.0 {
            (sum, first) = (0.0, place);
        }
        sum += worth;
        if sum > most {
            (most, best) = (sum, first..place + 1 + by);
        }
    }
    let strength = |phase: &usize| best.clone().skip(*phase).step_by(by).map(|place| values[place]).sum::<f32>();
    let strongest = (0..by.min(best.len())).max_by(|a, b| strength(a).total_cmp(&strength(b)))?;
    let edges: Vec<f64> = best.skip(strongest).step_by(by).map(|place| (place + profile.from) as f64).collect();
    (edges.len() >= least).then(|| Axis::of(profile, repeating(profile, edges)))
}

/// The edges at the pitch at which the whole profile repeats most clearly (epoch folding: the more the tiles lie in step, the more
/// uneven is their mean). What was followed from one tile to the next may be another edge of some: of an open one, or of a number.
fn repeating(profile: &Profile, edges: Vec<f64>) -> Vec<f64> {
    let count = (edges.len() - 1) as f64;
    let own = (edges[edges.len() - 1] - edges[0]) / count;
    let energy = |edges: &[f64]| folded(profile, edges, PHASES).iter().map(|value| value * value).sum::<f32>();
    let (mut best, mut most) = (edges, 0.0);
    let at = |pitch: f64| spaced(&best, pitch);
    let all: Vec<Vec<f64>> = (-DRIFT..=DRIFT).map(|step| at(own + f64::from(step) / 4.0 / count)).collect();
    for edges in all {
        let energy = energy(&edges);
        if energy > most {
            (best, most) = (edges, energy);
        }
    }
    // Most clients paint at whole pitches.
    let whole = spaced(&best, ((best[best.len() - 1] - best[0]) / count).round());
    if (whole[0] - best[0]).abs() < WHOLE { whole } else { best }
}

/// Which of these edges are the board's: the longest run of tiles that are like the middle one of all. What joins them at the ends may be
/// the frame of a window, a menu, or text, which move a small board's pitch, and that of a large one by little.
fn core(profile: &Profile, edges: &[f64], least: usize) -> Range<usize> {
    if edges.len() > LARGE {
        return 0..edges.len();
    }
    // An edge that was found a pixel beside is the same edge.
    let wide = |at: usize| {
        let near = &profile.values[at.saturating_sub(1)..(at + 2).min(profile.values.len())];
        near.iter().copied().fold(0.0, f32::max)
    };
    let wide = Profile { from: profile.from, values: (0..profile.values.len()).map(wide).collect() };
    let tiles: Vec<Vec<f32>> = edges.windows(2).map(|pair| folded(&wide, pair, PHASES)).collect();
    let middle = |phase: usize| {
        let mut all: Vec<f32> = tiles.iter().map(|tile| tile[phase]).collect();
        all.sort_by(f32::total_cmp);
        all[all.len() / 2]
    };
    let typical: Vec<f32> = (0..PHASES).map(middle).collect();
    let (mut best, mut first) = (0..0, 0);
    for (index, tile) in tiles.iter().enumerate() {
        if correlation(tile, &typical) < ALIKE {
            first = index + 1;
        } else if index + 2 - first > best.len() {
            best = first..index + 2;
        }
    }
    if best.len() < least { 0..edges.len() } else { best }
}

/// Edges of a board so large that a few beside it move its pitch by less than a tenth of a pixel.
const LARGE: usize = 20;
/// How alike tiles of one board are at least: with a border or a menu between them they are less than that (chosen: 0.5 left a frame in).
const ALIKE: f32 = 0.7;

/// From -1 to 1; 0 where one of them is even.
fn correlation(one: &[f32], other: &[f32]) -> f32 {
    let mean = |all: &[f32]| all.iter().sum::<f32>() / all.len() as f32;
    let (one_mean, other_mean) = (mean(one), mean(other));
    let product = |a: &[f32], a_mean: f32, b: &[f32], b_mean: f32| -> f32 {
        a.iter().zip(b).map(|(a, b)| (a - a_mean) * (b - b_mean)).sum()
    };
    let both = product(one, one_mean, one, one_mean) * product(other, other_mean, other, other_mean);
    if both > 0.0 { product(one, one_mean, other, other_mean) / both.sqrt() } else { 0.0 }
}

/// Pixels by which half a board may be off at a whole pitch, for what edges tell.
const WHOLE: f64 = 0.25;

/// Quarters of a pixel by which edges may be found off over a whole board.
const DRIFT: i32 = 6;

/// The edges at another pitch, counted from the one in the middle.
pub fn spaced(edges: &[f64], pitch: f64) -> Vec<f64> {
    let middle = edges.len() / 2;
    (0..edges.len()).map(|index| edges[middle] + pitch * (index as f64 - middle as f64)).collect()
}

/// Which edges are the longest run that is evenly spread: what joins them at the ends may be a frame, and the
/// pitch may change by a pixel on the way, or by several on a scaled display.
fn longest_even_run(edges: &[f64]) -> Range<usize> {
    let pitch = (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1).max(1) as f64;
    let exact = even_run(edges, EVEN);
    if exact.len() >= CHAIN { exact } else { even_run(edges, EVEN.max(pitch * EVEN_SHARE)) }
}

/// The longest run of edges none of which is farther from the line that fits them best.
fn even_run(edges: &[f64], even: f64) -> Range<usize> {
    let is_even = |run: &[f64]| run.iter().zip(fitted(run)).all(|(edge, line)| (edge - line).abs() <= even);
    let mut best = 0..0;
    for first in 0..edges.len() {
        let mut last = first + best.len().max(2);
        while edges.get(first..=last).is_some_and(is_even) {
            best = first..last + 1;
            last += 1;
        }
    }
    best
}

/// Edges are found to the pixel, and half a pixel is lost by rounding a fractional pitch.
const EVEN: f64 = 0.75;
/// This share of the pitch is half a part of a patch: what is on a tile can still be told.
const EVEN_SHARE: f64 = 1.0 / 32.0;

/// The edges moved onto the line that fits them best (least squares).
fn fitted(edges: &[f64]) -> Vec<f64> {
    let n = edges.len() as f64;
    let mean = edges.iter().sum::<f64>() / n;
    let middle = (n - 1.0) / 2.0;
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (index, edge) in edges.iter().enumerate() {
        covariance += (index as f64 - middle) * (edge - mean);
        variance += (index as f64 - middle).powi(2);
    }
    (0..edges.len()).map(|index| mean + covariance / variance * (index as f64 - middle)).collect()
}

/// The mean profile from one edge to the next, in so many steps.
fn folded(profile: &Profile, edges: &[f64], steps: usize) -> Vec<f32> {
    let mut sums = vec![0.0; steps];
    for pair in edges.windows(2) {
        let (start, step) = (pair[0] - profile.from as f64, (pair[1] - pair[0]) / steps as f64);
        for (phase, sum) in sums.iter_mut().enumerate() {
            let place = (start + step * phase as f64).max(0.0);
            let whole = place as usize;
            let part = (place - whole as f64) as f32;
            let at = |index: usize| profile.values.get(index).copied().unwrap_or(0.0);
            *sum += at(whole) * (1.0 - part) + at(whole + 1) * part;
        }
    }
    sums
}

/// How strong the edges are at every place of a tile, in [`PHASES`] steps: of a picture of the tile, repeated.
pub fn profile_of(tile: &RgbaImage) -> (Vec<f32>, Vec<f32>) {
    let (width, height) = (tile.width(), tile.height());
    // What lies before a tile and after it is the same tile again.
    let mut repeated = Vec::with_capacity(tile.as_raw().len() * 9);
    for row in (0..3).flat_map(|_| tile.as_raw().chunks_exact(4 * width as usize)) {
        (0..3).for_each(|_| repeated.extend_from_slice(row));
    }
    let Some(repeated) = RgbaImage::from_raw(3 * width, 3 * height, repeated) else { return Default::default() };
    let fold = |way: Way, along: u32, across: u32| {
        let (along, across) = (along as usize, across as usize);
        let profile = profile(&repeated, way, (along.saturating_sub(2), 2 * along + 2), (across, 2 * across));
        folded(&profile, &[along as f64, 2.0 * along as f64], PHASES)
    };
    (fold(Way::Columns, width, height), fold(Way::Lines, height, width))
}

/// The same of a hidden tile: one of one colour has its edges where it ends, for the next one is lighter or darker, or an untouched board would not
/// be seen.
pub fn profile_of_hidden(tile: &RgbaImage) -> (Vec<f32>, Vec<f32>) {
    let found = profile_of(tile);
    let is_flat = |profile: &[f32]| profile.iter().all(|value| *value < FLAT);
    let is_plain = is_flat(&found.0) && is_flat(&found.1);
    if is_plain { (at_its_ends(tile.width()), at_its_ends(tile.height())) } else { found }
}

/// The profile of a tile of so many pixels with an edge where it ends, seen over the two pixels on either side.
fn at_its_ends(pixels: u32) -> Vec<f32> {
    let far = |phase: usize| phase.min(PHASES - phase) as f32 / PHASES as f32 * pixels as f32;
    (0..PHASES).map(|phase| STEP * (1.0 - far(phase) / 2.0).max(0.0)).collect()
}

/// A tile has no edges where they are fainter than this everywhere, of 255.
const FLAT: f32 = 0.5;
/// How strong the edge of one of one colour is taken to be: only where it lies counts.
const STEP: f32 = 32.0;

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn a_hidden_tile_of_one_colour_has_its_edges_where_it_ends() {
        let plain = RgbaImage::from_pixel(40, 32, Rgba([170, 215, 80, 255]));
        let (across, down) = profile_of_hidden(&plain);
        for profile in [across, down] {
            let strongest = (0..PHASES).max_by(|a, b| profile[*a].total_cmp(&profile[*b])).unwrap();
            assert!(strongest <= 1 || strongest == PHASES - 1, "{profile:?}");
            assert!(profile[PHASES / 2] < FLAT && profile[strongest] > 5.0, "{profile:?}");
        }
        let raised = RgbaImage::from_fn(40, 32, |x, _| Rgba([if x == 20 { 250 } else { 100 }; 4]));
        let (across, down) = profile_of_hidden(&raised);
        assert!(across[PHASES / 2] > 5.0 && down.iter().all(|value| *value < FLAT), "its own edges are enough");
    }

    /// Raised tiles of a fractional pitch on a grey picture.
    fn board(width: u32, height: u32, origin: (f64, f64), pitch: f64, tiles: (u32, u32)) -> RgbaImage {
        RgbaImage::from_fn(width, height, |x, y| {
            let (u, v) = ((f64::from(x) - origin.0) / pitch, (f64::from(y) - origin.1) / pitch);
            if u < 0.0 || v < 0.0 || u >= f64::from(tiles.0) || v >= f64::from(tiles.1) {
                return Rgba([90, 90, 90, 255]);
            }
            let light = u.fract() < 0.1 || v.fract() < 0.1;
            Rgba(if light { [255, 255, 255, 255] } else { [190, 190, 190, 255] })
        })
    }

    #[test]
    fn a_lattice_is_found_at_any_pitch() {
        for pitch in [13.0, 16.0, 19.7, 24.0, 31.25, 50.0, 83.0] {
            let picture = board(1000, 900, (101.0, 57.0), pitch, (9, 9));
            let proposals = Proposals::new(&picture);
            let found: Vec<_> = proposals.of(Source::Clear).collect();
            let hit = |lattice: &Rc<Lattice>| {
                (lattice.columns.pitch - pitch).abs() < 0.15 && (lattice.lines.pitch - pitch).abs() < 0.15
            };
            assert!(found.iter().any(hit), "{pitch}: {found:?}");
        }
    }

    /// Rows of five tiles of 22 pixels below a title and a menu, which lie a pixel or two beside where rows would.
    #[test]
    fn what_lies_above_a_board_is_none_of_its_rows() {
        let above = [[10, 17, 46, 28], [22, 24, 22, 13], [41, 41, 41, 41], [19, 22, 22, 16]];
        let tile = [20, 20, 16, 28, 26, 27, 30, 12, 30, 29, 16, 20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut values = vec![0; 20];
        for (lines, space) in above.iter().zip([11, 16, 10, 7]) {
            values.extend_from_slice(lines);
            values.resize(values.len() + space, 0);
        }
        let board = values.len() as f64;
        (0..5).for_each(|_| values.extend_from_slice(&tile));
        values.resize(values.len() + 40, 0);
        let values = values.into_iter().map(|value| value as f32).collect();
        let found = axis(&Profile { from: 0, values }, 22.0, FEW).unwrap();
        assert_eq!(found.pitch, 22.0, "{found:?}");
        assert!(found.edges.iter().all(|edge| (board..board + 110.0).contains(edge)), "{board}: {found:?}");
    }

    /// Nine faint tiles of 34 pixels between edges of a photograph that are four times as strong, and nearly as far apart.
    #[test]
    fn a_known_pitch_is_found_among_stronger_edges() {
        let strong = |places: &[usize], values: &mut [f32]| places.iter().for_each(|&place| values[place] = 40.0);
        let mut values = vec![0.5; 700];
        strong(&[3, 34, 70, 101, 137, 139, 464, 466, 500, 533, 570, 601, 640], &mut values);
        for tile in 0..9 {
            (0..3).for_each(|by| values[150 + tile * 34 + by] = 10.0);
            values[171 + tile * 34] = 6.0;
        }
        let profile = Profile { from: 0, values };
        let found = in_step(&profile, 34.0, CHAIN).unwrap();
        assert_eq!(found.pitch, 34.0, "{found:?}");
        assert!(found.edges.iter().all(|edge| (edge - 150.0).rem_euclid(34.0) <= 2.0), "{found:?}");
        assert!(found.edges[0] < 160.0 && found.edges[found.edges.len() - 1] > 400.0, "{found:?}");
        let followed = axis(&profile, 34.0, CHAIN);
        let is_on = |axis: &Axis| axis.edges.iter().all(|edge| (edge - 150.0).rem_euclid(34.0) <= 2.0);
        assert!(!followed.as_ref().is_some_and(is_on), "else this would show nothing: {followed:?}");
    }

    /// Something rough at every scale, like a photograph: smooth noise of ever smaller and fainter grains.
    fn rough(x: u32, y: u32) -> f64 {
        let at = |x: u32, y: u32, grain: u32| {
            let mut mixed = (x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b))
                .wrapping_add(grain.wrapping_mul(0xc2b2_ae35));
            for by in [16, 13, 15] {
                mixed = (mixed ^ mixed >> by).wrapping_mul(0x27d4_eb2f);
            }
            f64::from(mixed >> 8) / f64::from(1 << 24) - 0.5
        };
        let grains = [128u32, 64, 32, 16, 8, 4];
        let layer = |grain: &u32| {
            let (column, row) = (x / grain, y / grain);
            let (u, v) = (f64::from(x % grain) / f64::from(*grain), f64::from(y % grain) / f64::from(*grain));
            let mix = |a: f64, b: f64, part: f64| a + (b - a) * part;
            let above = mix(at(column, row, *grain), at(column + 1, row, *grain), u);
            let below = mix(at(column, row + 1, *grain), at(column + 1, row + 1, *grain), u);
            mix(above, below, v) * (60.0 + f64::from(*grain))
        };
        128.0 + grains.iter().map(layer).sum::<f64>()
    }

    #[test]
    fn lines_that_cancel_in_pairs_of_pixels_are_found() {
        for (x, y) in [(100, 100), (101, 100), (100, 101), (101, 101)] {
            // A grey line around tiles that are lighter, and white gaps of two pixels between them.
            let picture = RgbaImage::from_fn(640, 480, |column, row| {
                let at = |place: u32, from: u32| {
                    place.checked_sub(from).filter(|place| *place < 9 * 34).map(|place| place % 34)
                };
                let grey = match (at(column, x), at(row, y)) {
                    (Some(u), Some(v)) if u < 32 && v < 32 => {
                        if [0, 31].contains(&u) || [0, 31].contains(&v) {
                            231
                        } else {
                            240
                        }
                    }
                    _ => 255,
                };
                Rgba([grey, grey, grey, 255])
            });
            let proposals = Proposals::new(&picture);
            let is_it = |lattice: Rc<Lattice>| {
                (lattice.columns.pitch - 34.0).abs() < 0.15 && (lattice.lines.pitch - 34.0).abs() < 0.15
            };
            assert!([Source::Clear, Source::Odd].into_iter().any(|source| proposals.of(source).any(is_it)), "{x}, {y}");
        }
    }

    #[test]
    fn a_small_board_on_a_photograph_has_bold_lines() {
        let mut picture = board(1600, 1000, (700.0, 400.0), 24.0, (9, 9));
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if pixel[0] == 90 {
                let grey = rough(x, y).clamp(0.0, 255.0) as u8;
                *pixel = Rgba([grey, grey, grey, 255]);
            }
        }
        let hit = |lattice: Rc<Lattice>| {
            (lattice.columns.pitch - 24.0).abs() < 0.5 && (lattice.columns.edges[0] - 700.0).abs() < 90.0
        };
        let proposals = Proposals::new(&picture);
        assert!(![Source::Clear, Source::Beside].iter().any(|source| proposals.of(*source).any(hit)), "it is hidden");
        assert!([Source::Bold, Source::Thin].iter().any(|source| proposals.of(*source).any(hit)));
    }

    #[test]
    fn a_flat_picture_has_none() {
        for picture in
            [RgbaImage::from_pixel(640, 480, Rgba([1, 2, 3, 255])), RgbaImage::new(1, 1), RgbaImage::new(0, 0)]
        {
            let proposals = Proposals::new(&picture);
            assert!(Source::ALL.iter().all(|source| proposals.of(*source).next().is_none()));
        }
    }
}
