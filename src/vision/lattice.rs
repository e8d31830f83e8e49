//! Where something repeats in a picture, like tiles do: without knowing any client.
//!
//! 1. The picture at half its size, in grey (which also turns a stipple of single pixels into flat grey).
//! 2. Straight edges: in strips of 16 lines, the columns at which most lines of the strip have an edge; and the same for rows.
//! 3. Rows of at least [`CHAIN`] such edges at one distance, at any pitch: shifted copies of the strip's bits, and-ed.
//! 4. Where such rows lie above each other and the same is true downwards, there is a lattice; its lines are then followed
//!    in the full picture from one to the next, for the pitch need not be uniform.
//!
//! A lattice has the right pitch but not yet the right phase: its lines are the strongest edge of every tile, which may
//! be a bevel inside of it. Only pictures of tiles can tell ([`super::locate`]).

use image::RgbaImage;
use std::cell::OnceCell;
use std::ops::Range;

/// A place where edges repeat across and down.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// Across.
    pub columns: Axis,
    /// Down.
    pub lines: Axis,
    /// How much of the picture it explains: lines across times lines down, in tiles, by how clear they are.
    pub strength: f64,
}

/// The repetition along one axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The strongest edge of every tile, in pixels, evenly spread.
    pub edges: Vec<f64>,
    /// Distance between tiles, on average.
    pub pitch: f64,
    /// How much stronger these edges are than what lies between them.
    pub clarity: f64,
    /// How strong the edges are at every place of a tile, from one edge to the next, in [`PHASES`] steps.
    pub profile: Vec<f32>,
}

impl Axis {
    /// From the first edge to the last, in pixels of the half-size picture.
    fn reach(&self) -> Range<usize> {
        let half = |edge: f64| (edge / 2.0).max(0.0) as usize;
        half(self.edges[0])..half(self.edges[self.edges.len() - 1]) + 1
    }
}

/// Steps of a profile: four for every part of a patch, which is as exact as a comparison can tell.
pub const PHASES: usize = 64;
/// Edges in a row at one distance: the smallest boards are 8 tiles wide, and a little of them may be missing.
const CHAIN: usize = 6;
/// Smallest and largest pitch that is looked for, in pixels of the half-size picture.
const PITCHES: std::ops::Range<f64> = 5.0..140.0;
/// Lines of the half-size picture in a strip.
const STRIP: usize = 8;
/// Lines of a strip that must have an edge.
const MOST: u8 = 5;
/// Least difference that counts as an edge, of 255: the faintest lines between open tiles of clients differ by more, also when
/// halved, and noise of a compressed picture does not.
const EDGE: u8 = 4;
/// Differences that hidden tiles of most clients, and of all (winemine the least, 15), have on their borders, also when halved, and a
/// photograph in few places.
const BOLD: [u8; 2] = [24, 12];

/// What repeats in a picture.
pub struct Patterns {
    grey: Grey,
    across: Vec<Bits>,
    down: Vec<Bits>,
    clear: Vec<Lattice>,
    // Found when they are asked for.
    beside: OnceCell<Vec<Lattice>>,
    faint: OnceCell<Vec<Lattice>>,
    bold: [OnceCell<Vec<Lattice>>; BOLD.len()],
}

impl Patterns {
    /// Looks for lattices that have lines.
    pub fn new(picture: &RgbaImage) -> Self {
        let grey = Grey::new(picture);
        let (across, down) = (grey.strips_of_columns(MOST, EDGE), grey.strips_of_rows(MOST, EDGE));
        let clear = lattices_of(&grey, &across, &down, chains);
        let (beside, faint, bold) = Default::default();
        Self { grey, across, down, clear, beside, faint, bold }
    }

    /// The lattices that have lines, the strongest first.
    pub fn clear(&self) -> &[Lattice] {
        &self.clear
    }

    /// Those beside the clear ones: a large board, or one with many edges, hides the pitch of a small one elsewhere on the
    /// screen, and so does a picture with edges everywhere.
    pub fn beside(&self) -> &[Lattice] {
        self.beside.get_or_init(|| {
            let (mut across, mut down) = (self.across.clone(), self.down.clone());
            for lattice in &self.clear {
                clear(&mut across, &lattice.lines.reach(), &lattice.columns);
                clear(&mut down, &lattice.columns.reach(), &lattice.lines);
            }
            lattices_of(&self.grey, &across, &down, lasting_chains)
        })
    }

    /// All lattices, also those without lines, whose tiles only hold something that repeats (characters in a terminal). There
    /// are many, and it takes longer.
    pub fn faint(&self) -> &[Lattice] {
        self.faint.get_or_init(|| self.of_edges(1, EDGE))
    }

    /// Those with bold lines, the boldest first: what is left of a photograph then does not hide the pitch of a small board on it.
    pub fn bold(&self) -> impl Iterator<Item = &[Lattice]> {
        self.bold.iter().zip(BOLD).map(|(known, least)| &known.get_or_init(|| self.of_edges(MOST, least))[..])
    }

    /// The lattices of edges of at least this difference in so many lines of a strip.
    fn of_edges(&self, most: u8, least: u8) -> Vec<Lattice> {
        let (across, down) = (self.grey.strips_of_columns(most, least), self.grey.strips_of_rows(most, least));
        lattices_of(&self.grey, &across, &down, chains)
    }
}

/// The lattices of these strips, the strongest first.
fn lattices_of(grey: &Grey, across: &[Bits], down: &[Bits], chains: Chains) -> Vec<Lattice> {
    let mut found: Vec<Lattice> = Vec::new();
    for seed in seeds(across, grey.width, chains) {
        for area in areas(down, &seed) {
            if found.iter().any(|lattice| same(lattice, &area)) {
                continue;
            }
            found.extend(lattice(grey, &area));
        }
    }
    found.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    found
}

/// A part of the picture that repeats, in pixels of the half-size picture.
#[derive(Clone, Debug)]
struct Area {
    x: (usize, usize),
    y: (usize, usize),
    pitch: (f64, f64),
}

fn same(lattice: &Lattice, area: &Area) -> bool {
    let near = |axis: &Axis, pitch: f64, from: usize, to: usize| {
        let (first, last) = (axis.edges[0] / 2.0, axis.edges[axis.edges.len() - 1] / 2.0);
        (axis.pitch / 2.0 - pitch).abs() < 0.6 && first < to as f64 && last > from as f64
    };
    near(&lattice.columns, area.pitch.0, area.x.0, area.x.1) && near(&lattice.lines, area.pitch.1, area.y.0, area.y.1)
}

/// The picture in grey.
struct Grey {
    /// Red, green twice and blue of every pixel added, line by line.
    lines: Vec<i16>,
    /// Pixels in a line.
    full: usize,
    /// The picture at half its size: its width, its height and its pixels.
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Grey {
    fn new(picture: &RgbaImage) -> Self {
        let lines: Vec<i16> = picture.as_raw().as_chunks().0.iter().map(|pixel| grey(*pixel)).collect();
        let full = picture.width() as usize;
        let (width, height) = (full / 2, picture.height() as usize / 2);
        let mut pixels = vec![0u8; width * height];
        for (row, lines) in pixels.chunks_exact_mut(width.max(1)).zip(lines.chunks_exact(2 * full.max(1))) {
            let pairs = lines[..full].as_chunks::<2>().0.iter().zip(lines[full..].as_chunks::<2>().0);
            for (pixel, (upper, lower)) in row.iter_mut().zip(pairs) {
                *pixel = ((upper[0] + upper[1] + lower[0] + lower[1]) >> 4) as u8;
            }
        }
        Self { lines, full, width, height, pixels }
    }

    /// Lines of the full picture.
    fn count(&self) -> usize {
        self.lines.len() / self.full
    }

    /// One of them.
    fn line(&self, y: usize) -> &[i16] {
        &self.lines[y * self.full..][..self.full]
    }

    fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.width..][..self.width]
    }

    /// For every strip of lines, the columns with an edge on their right, of at least this difference, in so many of the lines.
    fn strips_of_columns(&self, most: u8, least: u8) -> Vec<Bits> {
        let mut strips = Vec::with_capacity(self.height / STRIP);
        let mut counts = vec![0u8; self.width];
        for strip in 0..self.height / STRIP {
            counts.fill(0);
            for y in strip * STRIP..(strip + 1) * STRIP {
                let row = self.row(y);
                for ((count, a), b) in counts.iter_mut().zip(row).zip(&row[1..]) {
                    *count += u8::from(a.abs_diff(*b) >= least);
                }
            }
            strips.push(Bits::new(counts.iter().map(|&count| count >= most)));
        }
        lasting(&strips)
    }

    /// For every strip of columns, the lines with such an edge below them.
    fn strips_of_rows(&self, most: u8, least: u8) -> Vec<Bits> {
        let count = self.width / STRIP;
        let mut strips = vec![Bits::empty(self.height); count];
        let mut edges = vec![0u8; self.width];
        for y in 0..self.height.saturating_sub(1) {
            for ((edge, a), b) in edges.iter_mut().zip(self.row(y)).zip(self.row(y + 1)) {
                *edge = u8::from(a.abs_diff(*b) >= least);
            }
            for (strip, part) in strips.iter_mut().zip(edges.chunks_exact(STRIP)) {
                if part.iter().sum::<u8>() >= most {
                    strip.set(y);
                }
            }
        }
        lasting(&strips)
    }
}

/// Takes the edges that repeat like those of an axis out of the strips that lie within `lines`. Others stay: a board may lie on a
/// wallpaper that is a lattice, too.
fn clear(strips: &mut [Bits], lines: &Range<usize>, axis: &Axis) {
    let last = (lines.end / STRIP).min(strips.len());
    let (reach, pitch) = (axis.reach(), axis.pitch / 2.0);
    for strip in &mut strips[(lines.start / STRIP).min(last)..last] {
        let starts: Vec<usize> = ones(strip.chains(&strip.widened(), pitch)).filter(|at| reach.contains(at)).collect();
        for start in starts {
            for link in 0..CHAIN {
                let place = start + (pitch * link as f64 + 0.5) as usize;
                (place.saturating_sub(1)..=place + 1).for_each(|place| strip.unset(place));
            }
        }
    }
}

/// Red, green twice and blue, in a form of which several are computed at a time.
fn grey(pixel: [u8; 4]) -> i16 {
    let pixel = u32::from_le_bytes(pixel);
    ((pixel & 0xff) + (pixel >> 7 & 0x1fe) + (pixel >> 16 & 0xff)) as i16
}

/// Keeps the edges that go on in the strip before or after.
fn lasting(strips: &[Bits]) -> Vec<Bits> {
    let none = Bits { words: vec![0; strips.first().map_or(0, |bits| bits.words.len())] };
    (0..strips.len())
        .map(|index| {
            let before = if index > 0 { &strips[index - 1] } else { &none };
            let after = strips.get(index + 1).unwrap_or(&none);
            let words = strips[index].words.iter().zip(&before.words).zip(&after.words);
            Bits { words: words.map(|((own, a), b)| own & (a | b)).collect() }
        })
        .collect()
}

/// A row of bits.
#[derive(Clone, Debug)]
struct Bits {
    words: Vec<u64>,
}

impl Bits {
    fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    fn new(bits: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut row = Self::empty(bits.len());
        for (index, bit) in bits.enumerate() {
            row.words[index / 64] |= u64::from(bit) << (index % 64);
        }
        row
    }

    fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    fn unset(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        ones(self.words.iter().copied().enumerate())
    }

    fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Every bit with both its neighbours.
    fn widened(&self) -> Bits {
        let words = &self.words;
        let at = |index: usize| words.get(index).copied().unwrap_or(0);
        let wide = |index: usize| {
            let (left, right) = (if index > 0 { at(index - 1) } else { 0 }, at(index + 1));
            at(index) | (at(index) << 1) | (left >> 63) | (at(index) >> 1) | (right << 63)
        };
        Bits { words: (0..words.len()).map(wide).collect() }
    }

    /// Where rows of [`CHAIN`] bits begin that lie `pitch` apart, one place more or less: words of bits, without those that have none.
    fn chains<'a>(&'a self, widened: &'a Bits, pitch: f64) -> impl Iterator<Item = (usize, u64)> + 'a {
        // Rounded to the nearest.
        let links: [usize; CHAIN - 1] = std::array::from_fn(|link| (pitch * (link + 1) as f64 + 0.5) as usize);
        let word = move |(index, &own): (usize, &u64)| {
            let mut left = own;
            for by in links {
                if left == 0 {
                    return None;
                }
                left &= widened.word(index * 64 + by);
            }
            (left != 0).then_some((index, left))
        };
        self.words.iter().enumerate().filter_map(word)
    }

    /// The 64 bits from a place on.
    fn word(&self, from: usize) -> u64 {
        let (whole, part) = (from / 64, from % 64);
        let at = |index: usize| self.words.get(index).copied().unwrap_or(0);
        at(whole) >> part | if part > 0 { at(whole + 1) << (64 - part) } else { 0 }
    }
}

/// The places of the bits that are set in words.
fn ones(words: impl Iterator<Item = (usize, u64)>) -> impl Iterator<Item = usize> {
    words.flat_map(|(index, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

fn bits_in(words: impl Iterator<Item = (usize, u64)>) -> u32 {
    words.map(|(_, word)| word.count_ones()).sum()
}

/// A pitch at which some strips repeat.
struct Seed {
    pitch: f64,
    /// The strips, with the first and last place that belong to a chain.
    strips: Vec<(usize, usize, usize)>,
}

/// How many chains a strip has at every pitch, with room for those of the strip before.
type Chains = fn(&Bits, &Bits, &[f64], &mut [Vec<(usize, u64)>]) -> Vec<f64>;

fn chains(strip: &Bits, wide: &Bits, pitches: &[f64], _: &mut [Vec<(usize, u64)>]) -> Vec<f64> {
    pitches.iter().map(|&pitch| f64::from(bits_in(strip.chains(wide, pitch)))).collect()
}

/// Only those that the strip before has in the same places: a photograph has edges everywhere, but nothing in it goes on.
fn lasting_chains(strip: &Bits, wide: &Bits, pitches: &[f64], above: &mut [Vec<(usize, u64)>]) -> Vec<f64> {
    let lasting = |(&pitch, above): (&f64, &mut Vec<(usize, u64)>)| {
        let before = std::mem::replace(above, strip.chains(wide, pitch).collect());
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
fn seeds(strips: &[Bits], width: usize, chains: Chains) -> Vec<Seed> {
    let steps = ((PITCHES.end - PITCHES.start) * 4.0) as usize;
    let pitch_of = |step: usize| PITCHES.start + step as f64 / 4.0;
    let mut explained = vec![0.0; steps];
    let wide: Vec<Bits> = strips.iter().map(Bits::widened).collect();
    let busy: Vec<usize> = (0..strips.len()).filter(|&strip| strips[strip].count() as usize >= CHAIN).collect();
    let fitting = (0..steps).take_while(|&step| pitch_of(step) * (CHAIN as f64 - 1.0) <= width as f64).count();
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
        let reach = (pitch_of(step) * (CHAIN as f64 - 1.0)).round() as usize;
        let strips = busy.iter().flat_map(|&strip| {
            let starts = ones(strips[strip].chains(&wide[strip], pitch_of(step)));
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
fn areas(down: &[Bits], seed: &Seed) -> Vec<Area> {
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
        areas.extend(rows_of(down, (left, right), (first * STRIP, (last + 1) * STRIP), seed.pitch));
    }
    areas
}

/// The rows that repeat between `left` and `right`, near the strips that were found.
fn rows_of(down: &[Bits], (left, right): (usize, usize), (top, bottom): (usize, usize), pitch: f64) -> Option<Area> {
    let blocks = left.div_ceil(STRIP)..(right / STRIP).min(down.len());
    let count = blocks.len();
    let height = down.first()?.words.len() * 64;
    let mut counts = vec![0u32; height];
    for block in &down[blocks] {
        for y in block.ones() {
            counts[y] += 1;
        }
    }
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
        let value = f64::from(bits_in(rows.chains(&wide, row_pitch))) * row_pitch.sqrt() / (1.0 + 4.0 * odd);
        if value > best.as_ref().map_or(0.0, |best| best.0) {
            best = Some((value, row_pitch));
        }
    }
    let (_, row_pitch) = best?;
    let reach = (row_pitch * (CHAIN as f64 - 1.0)).round() as usize;
    let mut starts = ones(rows.chains(&wide, row_pitch));
    let first = starts.next()?;
    let last = starts.last().unwrap_or(first) + reach;
    Some(Area { x: (left, right), y: (first, last), pitch: (pitch, row_pitch) })
}

/// Follows the lines of an area in the full picture.
fn lattice(grey: &Grey, area: &Area) -> Option<Lattice> {
    let full = |(from, to): (usize, usize)| (from * 2, to * 2);
    let columns = axis(&across(grey, full(area.x), full(area.y), area.pitch.0 * 2.0), area.pitch.0 * 2.0)?;
    let lines = axis(&downwards(grey, full(area.x), full(area.y), area.pitch.1 * 2.0), area.pitch.1 * 2.0)?;
    let strength = columns.edges.len() as f64 * columns.clarity * lines.edges.len() as f64 * lines.clarity;
    Some(Lattice { columns, lines, strength })
}

/// How strong edges are along one axis, from place `from` on.
struct Profile {
    from: usize,
    values: Vec<f32>,
}

/// Pairs of lines (or columns) that are looked at for a profile.
const SAMPLES: usize = 80;
/// An edge is as strong as its difference, up to this: a high contrast is not a better edge.
const STRONG: i16 = 48;

/// The strength of vertical edges: for every column the mean difference of the two pixels on each side, over pairs of
/// lines.
fn across(grey: &Grey, (left, right): (usize, usize), (top, bottom): (usize, usize), pitch: f64) -> Profile {
    let margin = pitch as usize;
    let (left, right) = (left.saturating_sub(margin), (right + margin).min(grey.full));
    let mut values = vec![0i32; right - left];
    let mut row = vec![0i16; right - left];
    let lines = samples(top, bottom.min(grey.count() - 1));
    for &y in &lines {
        for ((sum, a), b) in row.iter_mut().zip(&grey.line(y)[left..]).zip(&grey.line(y + 1)[left..]) {
            *sum = a + b;
        }
        for (value, window) in values[2..].iter_mut().zip(row.windows(4)) {
            *value += i32::from(((window[2] + window[3] - window[0] - window[1]).abs() >> 4).min(STRONG));
        }
    }
    Profile { from: left, values: values.iter().map(|&value| value as f32 / lines.len().max(1) as f32).collect() }
}

/// The strength of horizontal edges, line by line.
fn downwards(grey: &Grey, (left, right): (usize, usize), (top, bottom): (usize, usize), pitch: f64) -> Profile {
    let margin = pitch as usize;
    let (top, bottom) = (top.saturating_sub(margin), (bottom + margin).min(grey.count()));
    let columns = samples(left, right.min(grey.full - 1));
    let count = columns.len().max(1);
    let mut rows = Vec::with_capacity((bottom - top) * count);
    for y in top..bottom {
        let line = grey.line(y);
        rows.extend(columns.iter().map(|&x| line[x] + line[x + 1]));
    }
    let mut values = vec![0.0; bottom - top];
    let rows: Vec<&[i16]> = rows.chunks_exact(count).collect();
    for (value, window) in values[2..].iter_mut().zip(rows.windows(4)) {
        let [a, b, c, d] = window else { continue };
        let places = a.iter().zip(*b).zip(c.iter().zip(*d));
        // At most 80 times 48.
        let sum = places.fold(0i16, |sum, ((a, b), (c, d))| {
            let difference = c.wrapping_add(*d).wrapping_sub(a.wrapping_add(*b));
            sum.wrapping_add((difference.wrapping_abs() >> 4).min(STRONG))
        });
        *value = f32::from(sum) / count as f32;
    }
    Profile { from: top, values }
}

/// At most [`SAMPLES`] places between two, evenly spread.
fn samples(from: usize, to: usize) -> Vec<usize> {
    let count = SAMPLES.min(to.saturating_sub(from));
    (0..count).map(|index| from + (to - from) * index / count).collect()
}

/// Follows lines from one to the next, about `pitch` apart: the path along which edges are strongest
/// (dynamic programming; a step may differ from the pitch by a pixel or two, at a price).
fn axis(profile: &Profile, pitch: f64) -> Option<Axis> {
    let values = &profile.values;
    let mean = values.iter().sum::<f32>() / values.len().max(1) as f32;
    let slack = (pitch / 16.0).clamp(1.0, 2.0);
    let steps: Vec<usize> = ((pitch - slack).ceil() as usize..=(pitch + slack).floor() as usize).collect();
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(values.len()); // worth so far, the step that led here
    for place in 0..values.len() {
        let gain = values[place] - mean;
        let before = steps.iter().filter(|&&step| step <= place).map(|&step| {
            let odd = (step as f64 - pitch).abs() as f32;
            (best[place - step].0 - mean * 0.1 * odd, step)
        });
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
    let edges = longest_even_run(&edges.iter().map(|&edge| (edge + profile.from) as f64).collect::<Vec<_>>());
    (edges.len() >= CHAIN).then(|| {
        let pitch = (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64;
        let folded = folded(profile, &edges);
        let clarity = f64::from(folded[0] / (folded.iter().sum::<f32>() / PHASES as f32).max(f32::EPSILON)).min(4.0);
        Axis { profile: folded, clarity, edges, pitch }
    })
}

/// The longest run of edges that are evenly spread, laid on their line: what joins them at the ends may be a frame, and the
/// pitch may change by a pixel on the way, or by several on a scaled display.
fn longest_even_run(edges: &[f64]) -> Vec<f64> {
    let pitch = (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1).max(1) as f64;
    let exact = even_run(edges, EVEN);
    if exact.len() >= CHAIN { exact } else { even_run(edges, EVEN.max(pitch * EVEN_SHARE)) }
}

fn even_run(edges: &[f64], even: f64) -> Vec<f64> {
    let mut best: Vec<f64> = Vec::new();
    for first in 0..edges.len() {
        let mut last = first + best.len().max(2);
        while let Some(line) = edges.get(first..=last).and_then(|edges| on_a_line(edges, even)) {
            best = line;
            last += 1;
        }
    }
    best
}

/// Edges are found to the pixel, and half a pixel is lost by rounding a fractional pitch.
const EVEN: f64 = 0.75;
/// This share of the pitch is half a part of a patch: what is on a tile can still be told.
const EVEN_SHARE: f64 = 1.0 / 32.0;

/// The edges moved onto the line that fits them best (least squares), if none has to move by more than `even`.
fn on_a_line(edges: &[f64], even: f64) -> Option<Vec<f64>> {
    let n = edges.len() as f64;
    let mean = edges.iter().sum::<f64>() / n;
    let middle = (n - 1.0) / 2.0;
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (index, edge) in edges.iter().enumerate() {
        covariance += (index as f64 - middle) * (edge - mean);
        variance += (index as f64 - middle).powi(2);
    }
    let line: Vec<f64> = (0..edges.len()).map(|index| mean + covariance / variance * (index as f64 - middle)).collect();
    edges.iter().zip(&line).all(|(edge, line)| (edge - line).abs() <= even).then_some(line)
}

/// The mean profile from one edge to the next.
fn folded(profile: &Profile, edges: &[f64]) -> Vec<f32> {
    let mut sums = vec![0.0; PHASES];
    for pair in edges.windows(2) {
        for (phase, sum) in sums.iter_mut().enumerate() {
            let place = pair[0] + (pair[1] - pair[0]) * phase as f64 / PHASES as f64 - profile.from as f64;
            let (whole, part) = (place.floor().max(0.0) as usize, place.fract() as f32);
            let at = |index: usize| profile.values.get(index).copied().unwrap_or(0.0);
            *sum += at(whole) * (1.0 - part) + at(whole + 1) * part;
        }
    }
    sums
}

/// How strong the edges are at every place of a tile, in [`PHASES`] steps: of a picture of the tile, repeated.
pub fn profile_of(tile: &RgbaImage) -> (Vec<f32>, Vec<f32>) {
    let (width, height) = (tile.width(), tile.height());
    let repeated = RgbaImage::from_fn(width * 4, height * 4, |x, y| *tile.get_pixel(x % width, y % height));
    let fold = |profile: &Profile, pitch: u32| folded(profile, &[f64::from(pitch), f64::from(2 * pitch)]);
    let inner = |pitch: u32| (pitch as usize, 3 * pitch as usize);
    let grey = Grey::new(&repeated);
    let columns = across(&grey, inner(width), inner(height), f64::from(width));
    let lines = downwards(&grey, inner(width), inner(height), f64::from(height));
    (fold(&columns, width), fold(&lines, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

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
            let patterns = Patterns::new(&picture);
            let found = patterns.clear();
            let hit = |lattice: &Lattice| {
                (lattice.columns.pitch - pitch).abs() < 0.15 && (lattice.lines.pitch - pitch).abs() < 0.15
            };
            assert!(found.iter().any(hit), "{pitch}: {found:?}");
        }
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
    fn a_small_board_on_a_photograph_has_bold_lines() {
        let mut picture = board(1600, 1000, (700.0, 400.0), 24.0, (9, 9));
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if pixel[0] == 90 {
                let grey = rough(x, y).clamp(0.0, 255.0) as u8;
                *pixel = Rgba([grey, grey, grey, 255]);
            }
        }
        let hit = |lattice: &Lattice| {
            (lattice.columns.pitch - 24.0).abs() < 0.5 && (lattice.columns.edges[0] - 700.0).abs() < 90.0
        };
        let patterns = Patterns::new(&picture);
        assert!(!patterns.clear().iter().chain(patterns.beside()).any(hit), "it is hidden otherwise");
        assert!(patterns.bold().flatten().any(hit));
    }

    #[test]
    fn a_flat_picture_has_none() {
        for picture in
            [RgbaImage::from_pixel(640, 480, Rgba([1, 2, 3, 255])), RgbaImage::new(1, 1), RgbaImage::new(0, 0)]
        {
            let patterns = Patterns::new(&picture);
            assert!(patterns.clear().is_empty() && patterns.beside().is_empty() && patterns.faint().is_empty());
        }
    }
}
