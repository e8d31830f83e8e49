//! Looking for boards, with the eyes for one client or for several at once.
//!
//! The lattices of a picture are found once, for all clients; each is compared with the themes whose colours it has, and what fits is
//! verified before the next is tried. A board that is sure ends the search, a refusal goes on to the next, and of all
//! refusals the nearest is told.

use super::dashes;
use super::frame::Frame;
use super::gap;
use super::locate::{Candidate, LocateError, Proof, Refusal, Sight};
use super::place::{GAINED, Placed};
use super::propose::{Lattice, Proposals, Source};
use super::wallpaper;
use crate::geometry::BoardSize;
use crate::screenshot::Screenshot;
use crate::vision::colour::cast::night_light;
use crate::vision::colour::ground::{self, Colour};
use crate::vision::colour::toning::{self, Sample};
use crate::vision::eyes::Eyes;
use crate::vision::grid::{Grid, SMALLEST, Way};
use crate::vision::tile::likeness::{CERTAIN, EXACT, FITTING};
use crate::vision::tile::skin::{Palette, Skin, Skins, Variation, colour_at};
use crate::vision::tile::tiles::Tiles;
use image::RgbaImage;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

impl Eyes {
    /// Finds the client's board anywhere in a picture.
    ///
    /// # Errors
    /// No board, or one that is covered or cut off.
    pub fn find(&mut self, shot: &Screenshot) -> Result<Sight, LocateError> {
        find_any(std::slice::from_mut(self), shot).map(|(_, sight)| sight)
    }
}

/// Tries every client on one picture; the best match wins. Returns whose board it is and where.
///
/// # Errors
/// No board of any client, or the best one is covered or cut off.
pub fn find_any(eyes: &mut [Eyes], shot: &Screenshot) -> Result<(usize, Sight), LocateError> {
    if eyes.is_empty() {
        return Err(LocateError::NoClient);
    }
    let raw = shot.pixels.as_raw();
    if raw.get(4..).is_none_or(|rest| *rest == raw[..rest.len()]) {
        return Err(LocateError::Blank);
    }
    find_and_tell(eyes, shot).0
}

/// The same, and what was tried, in order.
pub fn find_and_tell(eyes: &mut [Eyes], shot: &Screenshot) -> (Result<(usize, Sight), LocateError>, Vec<Tried>) {
    let mut search = Search::new(eyes, &shot.pixels);
    let found = search.run();
    let (error, tried) = (search.refusal(), search.tried);
    if let Some((whose, sight)) = &found {
        eyes[*whose].last = Some(sight.clone());
    }
    (found.ok_or(error), tried)
}

/// Share of a pattern's pixels that have a theme's colours from which it is compared with that: a board has nearly all, but for
/// its backdrop and what lies over it.
const COLOURED: f64 = 0.5;
/// Patterns, and phases of each that are akin, in which other colours are looked for.
const CLEAREST: usize = 3;
/// A nearness from which a pattern may be a board that the screen shows in another way.
const HOPEFUL: f64 = 0.0;
/// A nearness that tiles have to those of the right theme in the right colours.
const AKIN: f64 = 0.2;
/// So many patterns of a kind are compared: a page of text has a hundred, of which a board is among the clearest.
const COMPARED: usize = 16;
/// So many patterns of a kind are looked at in other ways than the client's own.
const VARIED: usize = 4;
/// So many themes, the nearest ones, are stretched for a pattern: a third changed none of 330 looks at plain and spoilt screenshots.
const STRETCHED: usize = 2;
/// Levels by which a colour is off that a night light rounded.
const ROUNDED: u8 = 1;
/// How much a desktop stretches windows.
const STRETCHES: [f64; 5] = [1.0, 1.25, 1.5, 1.75, 2.0];

/// A pattern that was compared with a theme, and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Where the pattern is, or the tiles in it.
    pub grid: Grid,
    /// Which edges it was found by.
    pub source: Source,
    /// Whose tiles it was compared with.
    pub client: String,
    /// The theme of those.
    pub theme: String,
    /// What the screen makes of them.
    pub variation: Variation,
    /// How near the tiles were to pictures: 1 is identical, 0 as far as pictures are from each other.
    pub near: f64,
    /// Why it is no board; `None` if it is one.
    pub refusal: Option<Refusal>,
}

/// One search through one picture.
struct Search<'a> {
    eyes: &'a [Eyes],
    picture: &'a RgbaImage,
    tiles: Tiles<'a>,
    proposals: OnceCell<Proposals<'a>>,
    /// Patterns that were compared.
    candidates: usize,
    /// Whose tiles came nearest, and the share of them that was recognised.
    nearest: (String, f64),
    refusal: Option<LocateError>,
    /// The kind of edges that is being looked at.
    source: Source,
    /// Levels by which colours may be off: they were worked out from others.
    slack: u8,
    /// What was tried, in order.
    tried: Vec<Tried>,
}

/// A board, and whose.
type Found = (usize, Sight);

/// A client's theme as the screen may show it: whose, which, and how.
type Likely = (usize, usize, Variation);

/// A theme of which a pattern may be a variation, and how near it is to that as it is.
type Near = (Likely, f64);

impl<'a> Search<'a> {
    fn new(eyes: &'a [Eyes], picture: &'a RgbaImage) -> Self {
        Self {
            eyes,
            picture,
            tiles: Tiles::new(picture),
            proposals: OnceCell::new(),
            candidates: 0,
            nearest: (String::new(), 0.0),
            refusal: None,
            source: Source::Clear,
            slack: 0,
            tried: Vec::new(),
        }
    }

    fn lattice(&self, source: Source, index: usize) -> Option<Rc<Lattice>> {
        self.proposals.get_or_init(|| Proposals::new(self.picture)).get(source, index)
    }

    /// From what is cheapest and likeliest to what is dear and rare.
    fn run(&mut self) -> Option<Found> {
        let found = self.where_it_was().or_else(|| self.framed()).or_else(|| self.in_own_colours());
        let found = found.or_else(|| self.within_dashes()).or_else(|| self.under_night_light());
        found.or_else(|| self.toned()).or_else(|| self.on_wallpaper())
    }

    /// A board in its client's own colours, on any ground, as it is and stretched.
    fn in_own_colours(&mut self) -> Option<Found> {
        for source in Source::ALL {
            if !self.may_need(source) {
                continue;
            }
            self.source = source;
            let proof = if matches!(source, Source::Bold | Source::Thin) { Proof::Level } else { Proof::Looks };
            let mut near = Vec::new();
            let mut best: Option<Found> = None;
            for index in 0..COMPARED {
                let Some(lattice) = self.lattice(source, index) else { break };
                // What repeats on a board that was found is that board.
                if best.as_ref().is_some_and(|(_, sight)| is_on(&lattice, &sight.grid)) {
                    continue;
                }
                self.candidates += 1;
                let mut others = Vec::new();
                for is_on_ground in [false, true] {
                    let (found, some) = self.plain(&lattice, is_on_ground, proof);
                    best = better(best, found);
                    if best.as_ref().is_some_and(|(_, sight)| sight.is_exact()) {
                        return best;
                    }
                    others.extend(some.into_iter().filter(|(_, near)| *near > HOPEFUL).take(STRETCHED));
                    if best.is_some() {
                        break;
                    }
                }
                near.push((lattice, others));
            }
            if best.is_some() {
                return best;
            }
            for (lattice, others) in near.iter().take(VARIED) {
                best = better(best, self.stretched(lattice, others, proof));
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// A board in the colours that the screen had without its night light.
    fn under_night_light(&mut self) -> Option<Found> {
        let tone = night_light(self.picture)?;
        let (whose, mut sight) = self.in_another(&tone.meant_picture(self.picture), ROUNDED)?;
        sight.variation.tone = Some(sight.variation.tone.map_or(tone, |further| tone.then(further)));
        Some((whose, sight))
    }

    /// A board on a wallpaper that is a lattice, too.
    fn on_wallpaper(&mut self) -> Option<Found> {
        let clearest: Vec<_> = (0..CLEAREST).map_while(|index| self.lattice(Source::Clear, index)).collect();
        let rest = clearest.iter().find_map(|lattice| wallpaper::without(&self.tiles, lattice))?;
        self.in_another(&rest, 0)
    }

    /// A board in its client's own colours in another picture of the same.
    fn in_another(&mut self, picture: &RgbaImage, slack: u8) -> Option<Found> {
        let mut search = Search { slack, ..Search::new(self.eyes, picture) };
        let found = search.framed().or_else(|| search.in_own_colours()).or_else(|| search.within_dashes());
        self.candidates += search.candidates;
        self.tried.append(&mut search.tried);
        if search.nearest.1 > self.nearest.1 {
            self.nearest = search.nearest;
        }
        if let Some(error) = search.refusal.take() {
            self.refuse(error);
        }
        found
    }

    /// Whether boards of some client may be found by these edges alone: hidden tiles of a theme have edges that cancel in pairs of pixels, or
    /// boards are of the fewest tiles.
    fn may_need(&self, source: Source) -> bool {
        let is_small = |size: &BoardSize| size.width.min(size.height) == SMALLEST;
        match source {
            Source::Odd => self.eyes.iter().flat_map(|eyes| &eyes.themes).any(|skins| skins.may_cancel),
            Source::Fewest | Source::Large => {
                self.eyes.iter().flat_map(|eyes| eyes.client.known_sizes()).any(|size| is_small(&size))
            }
            _ => true,
        }
    }

    /// The boards that were there before.
    fn where_it_was(&mut self) -> Option<Found> {
        let known = (0..self.eyes.len()).filter_map(|whose| Some((whose, self.eyes[whose].last.clone()?)));
        let known: Vec<Found> = known.collect();
        let found = known.into_iter().filter_map(|(whose, sight)| {
            let eyes = self.eyes;
            let candidate = eyes[whose].candidate(sight.theme, sight.variation);
            let (share, match_) = candidate.judged(&self.tiles, &sight.grid);
            let proof = if sight.variation.tone.is_some() { Proof::Rules } else { Proof::Looks };
            let placed = (share > CERTAIN && match_ > FITTING).then_some(Placed { grid: sight.grid, near: match_ })?;
            Some((whose, candidate.board(&self.tiles, placed, proof).ok()?))
        });
        found.max_by(|a, b| a.1.match_.total_cmp(&b.1.match_))
    }

    /// The boards that are found by their frame, as it is in the pictures.
    fn framed(&mut self) -> Option<Found> {
        self.within_frames(|frame, tiles| frame.grids(tiles.picture), &[Variation::default()])
    }

    /// The same as the screen shows them, at any scale and between pixels.
    fn within_dashes(&mut self) -> Option<Found> {
        let smooth = Variation { stretch: Some(1.0), ..Variation::default() };
        self.within_frames(dashes::grids, &[Variation::default(), smooth])
    }

    /// The best board within some frames.
    fn within_frames(&mut self, frames: fn(&Frame, &Tiles) -> Vec<Grid>, variations: &[Variation]) -> Option<Found> {
        let mut best: Option<(Likely, Placed)> = None;
        for (whose, eyes) in self.eyes.iter().enumerate() {
            for (theme, skins) in eyes.themes.iter().enumerate() {
                for grid in skins.frame.iter().flat_map(|frame| frames(frame, &self.tiles)) {
                    self.candidates += 1;
                    for &variation in variations {
                        let placed = eyes.candidate(theme, variation).within(&self.tiles, grid.clone());
                        if best.as_ref().is_none_or(|(_, best)| placed.near > best.near) {
                            best = Some(((whose, theme, variation), placed));
                        }
                    }
                }
            }
        }
        let ((whose, theme, variation), placed) = best?;
        let candidate = self.eyes[whose].candidate(theme, variation);
        let found = candidate.framed(&self.tiles, placed.grid);
        self.verdict(whose, found)
    }

    /// A board in its client's own looks, or those on the ground that is seen; also the themes of which the pattern may be a variation,
    /// the nearest first.
    fn plain(&mut self, lattice: &Lattice, is_on_ground: bool, proof: Proof) -> (Option<Found>, Vec<Near>) {
        // To lay a grid costs ten times what it costs to see, to the pixel, how near it may come.
        let mut rough: Vec<(Likely, Vec<Placed>)> = Vec::new();
        let mut passed = Vec::new();
        let mut enough = f64::NEG_INFINITY;
        for likely in self.likely(lattice, is_on_ground) {
            let candidate = self.candidate(likely);
            let grids = if enough < EXACT { candidate.rough(&self.tiles, lattice, enough) } else { Vec::new() };
            match grids.first().map(|best| best.near) {
                Some(near) => {
                    // What fits well is likely to be sure, and then no other theme is looked at.
                    enough = if near > FITTING { enough.max(near) } else { enough };
                    rough.push((likely, grids));
                }
                None => passed.push(likely),
            }
        }
        rough.sort_by(|a, b| b.1[0].near.total_cmp(&a.1[0].near));
        let mut placed: Vec<(Likely, Placed)> = Vec::new();
        let mut enough = f64::NEG_INFINITY;
        for (likely, grids) in rough {
            let may_be = enough < CERTAIN && grids[0].near + GAINED > enough;
            match may_be.then(|| self.candidate(likely).laid(&self.tiles, lattice, grids, enough)).flatten() {
                Some(grid) => {
                    enough = if grid.near > FITTING { enough.max(grid.near) } else { enough };
                    placed.push((likely, grid));
                }
                None => passed.push(likely),
            }
        }
        placed.sort_by(|a, b| b.1.near.total_cmp(&a.1.near));
        let mut near: Vec<Near> = placed.iter().map(|(likely, placed)| (*likely, placed.near)).collect();
        placed.retain(|(_, placed)| placed.near > AKIN);
        let mut found = None;
        for (likely, grid) in placed {
            found = better(found, self.verified(likely, lattice, grid, proof));
            if found.as_ref().is_some_and(|(_, sight)| sight.is_sure()) {
                return (found, near);
            }
        }
        for likely in passed.into_iter().filter(|_| enough > FITTING) {
            if let Some(grid) = self.candidate(likely).placed(&self.tiles, lattice, AKIN) {
                near.push((likely, grid.near));
                found = better(found, self.verified(likely, lattice, grid, proof));
            }
        }
        (found, near)
    }

    /// A board that is stretched.
    fn stretched(&mut self, lattice: &Lattice, near: &[Near], proof: Proof) -> Option<Found> {
        let mut tried: Vec<(Likely, Placed)> = Vec::new();
        for &((whose, theme, own), least) in near {
            // What is stretched smoothly is nearer to smooth pictures, and nearest to those that were stretched as much.
            let placed = |stretch: &f64| {
                let likely = (whose, theme, Variation { stretch: Some(*stretch), ..own });
                Some((likely, self.candidate(likely).placed(&self.tiles, lattice, least)?))
            };
            // One that is smooth only may be farther than the picture as it is, and the right one is not.
            let has_sizes = self.eyes[whose].themes[theme].has_sizes();
            let stretches = if has_sizes { &STRETCHES[..] } else { &STRETCHES[..1] };
            // Several stretches may be compared with the same pictures.
            let mut skins: Vec<Arc<Skin>> = Vec::new();
            let is_new = |stretch: &&f64| {
                let variation = Variation { stretch: Some(**stretch), ..own };
                let skin = self.eyes[whose].themes[theme].skin(variation, lattice.columns.pitch);
                let is_new = !skins.iter().any(|other| Arc::ptr_eq(other, &skin));
                skins.push(skin);
                is_new
            };
            let mut all: Vec<_> = stretches.iter().filter(is_new).filter_map(placed).collect();
            all.sort_by(|a, b| b.1.near.total_cmp(&a.1.near));
            tried.extend(all);
        }
        let mut best = None;
        for (likely, placed) in tried {
            best = better(best, self.verified(likely, lattice, placed, proof));
            if best.as_ref().is_some_and(|(_, sight)| sight.is_sure()) {
                break;
            }
        }
        best
    }

    /// A board whose colours changed as a whole.
    fn toned(&mut self) -> Option<Found> {
        let mut lattices: Vec<(Source, Rc<Lattice>)> = Vec::new();
        for source in Source::ALL
            .into_iter()
            .filter(|source| !matches!(source, Source::Few | Source::Odd | Source::Fewest | Source::Large))
        {
            lattices.extend((0..CLEAREST).map_while(|index| Some((source, self.lattice(source, index)?))));
        }
        let mut best: Option<Found> = None;
        // Patterns that lay on another ground.
        let mut dark = 0;
        for (source, lattice) in &lattices {
            self.source = *source;
            let mut guessed: Vec<(f64, usize, usize, Variation)> = Vec::new();
            // The desktop may be dark, too. Pictures on another ground must be painted first, so few patterns are asked.
            let ground = OnceCell::new();
            let along = || ground::along(self.picture, &lattice.columns.edges, &lattice.lines.edges);
            let ground = || *ground.get_or_init(|| along().filter(|_| dark < CLEAREST));
            let mut is_dark = false;
            for (whose, eyes) in self.eyes.iter().enumerate() {
                for (theme, skins) in eyes.themes.iter().enumerate().filter(|(_, skins)| has_shape(lattice, skins)) {
                    let own = eyes.client.themes[theme].ground;
                    let other = own.and_then(|own| ground().filter(|ground| is_other(*ground, own)));
                    is_dark |= other.is_some();
                    for ground in [None, other].into_iter().take(1 + usize::from(other.is_some())) {
                        let guess = self.guessed(
                            lattice,
                            eyes.candidate(theme, Variation { ground, ..Variation::default() }),
                            skins,
                        );
                        guessed.extend(guess.into_iter().map(|(near, variation)| (near, whose, theme, variation)));
                    }
                }
            }
            dark += usize::from(is_dark);
            guessed.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, whose, theme, variation) in guessed.into_iter().take(CLEAREST) {
                let candidate = self.eyes[whose].candidate(theme, variation);
                let Some(placed) = candidate.placed(&self.tiles, lattice, 0.0) else { continue };
                // Now that its tiles are known to the pixel, so are their colours.
                let drawn = Variation { tone: candidate.tone(&self.tiles, &placed.grid), ..variation };
                let again = self.eyes[whose].candidate(theme, drawn).placed(&self.tiles, lattice, placed.near);
                let (variation, placed) = again.map_or((variation, placed), |again| (drawn, again));
                best = better(best, self.verified((whose, theme, variation), lattice, placed, Proof::Rules));
                if best.as_ref().is_some_and(|(_, sight)| sight.is_sure()) {
                    return best;
                }
            }
        }
        best
    }

    /// The tones in which a pattern may be near to a theme's pictures on this ground, as they are and smooth, and how near.
    fn guessed(&self, lattice: &Lattice, candidate: Candidate, skins: &Skins) -> Vec<(f64, Variation)> {
        let own = candidate.variation;
        let skin = |variation| skins.skin(variation, lattice.columns.pitch);
        let grids = candidate.phases(lattice).into_iter();
        // To draw a tone costs much more than to see that there is nothing to be drawn.
        let akin = grids.filter(|grid| toning::is_akin(&self.tiles, grid, &skin(own)));
        let phases = if own.ground.is_some() { 1 } else { CLEAREST };
        let samples: Vec<_> = akin.take(phases).map(|grid| Sample::new(&self.tiles, &grid)).collect();
        let nearest = |variation: Variation| {
            let tones = samples.iter().filter_map(|some| toning::guess(some, &skin(variation)));
            let (tone, near) = tones.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some((near, Variation { tone: Some(tone), ..variation }))
        };
        let mut guessed = Vec::new();
        for variation in [own, Variation { stretch: Some(1.0), ..own }] {
            let Some(mut found) = nearest(variation) else { break };
            // A ground is seen in the colours of the screen: now that these are known, so is what it would be without.
            if let (Some(ground), Some(tone)) = (variation.ground, found.1.tone)
                && let Some(again) = nearest(Variation { ground: Some(tone.meant(ground)), ..variation })
            {
                found = again;
            }
            if found.0 > AKIN {
                guessed.push(found);
            }
            // What is far from the pictures as they are is not near to smooth ones.
            if found.0 < 0.0 {
                break;
            }
        }
        guessed
    }

    /// Whether a placed pattern is a board, in the client's own colours if it has them.
    fn verified(
        &mut self,
        (whose, theme, variation): Likely,
        lattice: &Lattice,
        placed: Placed,
        proof: Proof,
    ) -> Option<Found> {
        let candidate = self.eyes[whose].candidate(theme, variation);
        let (grid, near) = (placed.grid.clone(), placed.near);
        let found = candidate.board(&self.tiles, placed, proof);
        let (client, source) = (&self.eyes[whose].client, self.source);
        let (client, theme_name) = (client.name.clone(), client.themes[theme].name.clone());
        let refusal = found.as_ref().err().cloned();
        self.tried.push(Tried { grid, source, client, theme: theme_name, variation, near, refusal });
        let Ok(sight) = &found else { return self.verdict(whose, found) };
        if sight.match_ >= CERTAIN || variation.tone.is_some() {
            return self.verdict(whose, found);
        }
        // Hidden tiles may look like open ones in other colours, and the ground beside a board like its tiles.
        let Some(tone) = candidate.correction(&self.tiles, &sight.grid) else { return self.verdict(whose, found) };
        let toned = self.eyes[whose].candidate(theme, Variation { tone: Some(tone), ..variation });
        let again = match toned.placed(&self.tiles, lattice, 0.0) {
            Some(placed) => toned.board(&self.tiles, placed, Proof::Rules),
            None => Err(Refusal::NoBoard(0.0)),
        };
        self.verdict(whose, again)
    }

    /// Keeps why it is no board.
    fn verdict(&mut self, whose: usize, found: Result<Sight, Refusal>) -> Option<Found> {
        match found {
            Ok(sight) => return Some((whose, sight)),
            Err(Refusal::NoBoard(share)) => {
                if share > self.nearest.1 {
                    self.nearest = (self.eyes[whose].client.name.clone(), share);
                }
            }
            Err(Refusal::Board(error)) => self.refuse(error),
        }
        None
    }

    /// Keeps the nearer refusal.
    fn refuse(&mut self, error: LocateError) {
        self.refusal = Some(match self.refusal.take() {
            Some(other) => other.closer(error),
            None => error,
        });
    }

    /// The nearest refusal.
    fn refusal(&mut self) -> LocateError {
        let sought = match self.eyes {
            [eyes] => eyes.client.name.clone(),
            all => format!("{} clients", all.len()),
        };
        let (width, height) = self.picture.dimensions();
        let (nearest_client, best) = self.nearest.clone();
        let (candidates, best) = (self.candidates, best * 100.0);
        let none = LocateError::NoBoard { sought, width, height, candidates, nearest_client, best };
        self.refusal.take().unwrap_or(none)
    }

    /// The themes of which a pattern has the shape and colours, on their own ground or on the one it has, the likeliest first.
    fn likely(&self, lattice: &Lattice, is_on_ground: bool) -> Vec<Likely> {
        let ground =
            |eyes: &Eyes| ground::seen(self.picture, &area(lattice), (&eyes.faces, self.slack), &eyes.client.themes);
        let grounds = self.eyes.iter().map(|eyes| if is_on_ground { ground(eyes) } else { None });
        let grounds: Vec<Option<Colour>> = grounds.collect();
        if is_on_ground && grounds.iter().all(Option::is_none) {
            return Vec::new();
        }
        let colours = colours(self.picture, lattice);
        let mut likely: Vec<(f64, Likely)> = Vec::new();
        let known = self.eyes.iter().zip(grounds).enumerate();
        for (whose, (eyes, ground)) in known.filter(|(_, (_, ground))| ground.is_some() == is_on_ground) {
            let gap = ground
                .and_then(|ground| gap::share(self.picture, &lattice.columns.edges, &lattice.lines.edges, ground));
            let gap = gap.map(|share| (100.0 * share).round() as u8);
            for (theme, skins) in eyes.themes.iter().enumerate().filter(|(_, skins)| has_shape(lattice, skins)) {
                let share = share(&colours, &skins.palette, ground);
                if share >= COLOURED {
                    // On a ground that is hardly another one gaps tell as much as ever.
                    let own = eyes.client.themes[theme].ground.zip(ground);
                    let gap = gap.filter(|_| own.is_some_and(|(own, ground)| is_other(ground, own)));
                    likely.push((share, (whose, theme, Variation { ground, gap, ..Variation::default() })));
                }
            }
        }
        likely.sort_by(|a, b| b.0.total_cmp(&a.0));
        likely.into_iter().map(|(_, likely)| likely).collect()
    }

    fn candidate(&self, (whose, theme, variation): Likely) -> Candidate<'a> {
        self.eyes[whose].candidate(theme, variation)
    }
}

/// Whether most of a pattern lies on a board.
fn is_on(lattice: &Lattice, grid: &Grid) -> bool {
    [(&lattice.columns, &grid.columns), (&lattice.lines, &grid.lines)].into_iter().all(|(axis, edges)| {
        let (first, last) = (axis.edges[0], axis.edges[axis.edges.len() - 1]);
        let both = last.min(edges[edges.len() - 1]) - first.max(edges[0]);
        both > (last - first) / 2.0
    })
}

/// The better of two boards. Of one place: the better its tiles match, the more it is worth, and a large one explains more. Of two places
/// one may be somebody's picture of a board, that is scaled: clients draw on whole pixels, and as in the pictures of them.
fn better(one: Option<Found>, other: Option<Found>) -> Option<Found> {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    let is_better = if is_apart(&one.1.grid, &other.1.grid) {
        let drawn = |(_, sight): &Found| (sight.grid.is_on_pixels(), sight.match_);
        drawn(&other) > drawn(&one)
    } else {
        let explained = |(_, sight): &Found| sight.match_ * (sight.grid.size().tiles() as f64).ln_1p();
        explained(&other) > explained(&one)
    };
    Some(if is_better { other } else { one })
}

/// Whether a ground is another one than a theme's own, and not that in other colours: a dark desktop's and not a light one's.
fn is_other(ground: Colour, own: Colour) -> bool {
    let light = |colour: Colour| colour.iter().map(|value| u32::from(*value)).sum::<u32>();
    2 * light(ground).min(light(own)) < light(ground).max(light(own))
}

/// Whether two boards have nothing in common.
fn is_apart(one: &Grid, other: &Grid) -> bool {
    let ends = |edges: &[f64]| (edges[0], edges[edges.len() - 1]);
    Way::BOTH.into_iter().any(|way| {
        let ((first, last), (from, to)) = (ends(one.edges(way)), ends(other.edges(way)));
        last < from || to < first
    })
}

/// Whether a pattern has the shape of a theme's tiles, which are not found by a frame.
fn has_shape(lattice: &Lattice, skins: &Skins) -> bool {
    let (across, down) = (lattice.columns.pitch, lattice.lines.pitch);
    skins.frame.is_none() && (across / down / skins.aspect(across, down)).ln().abs() <= 0.12
}

/// The first and last pixel of a pattern, across and down.
fn area(lattice: &Lattice) -> [(u32, u32); 2] {
    [&lattice.columns, &lattice.lines].map(|axis| {
        let place = |edge: f64| edge.max(0.0) as u32;
        (place(axis.edges[0]), place(axis.edges[axis.edges.len() - 1]))
    })
}

/// Pixels across and down that are asked for their colour.
const ASKED: u32 = 32;

/// Some colours of a pattern.
fn colours(picture: &RgbaImage, lattice: &Lattice) -> Vec<[u8; 4]> {
    let [columns, lines] = area(lattice);
    let place = |(from, to): (u32, u32), limit: u32, index: u32| {
        // Not in step with the tiles.
        (from + (to.saturating_sub(from) * (index * 2 + 1)) / (ASKED * 2)).min(limit - 1)
    };
    let at = |y: u32, x: u32| {
        let (x, y) = (place(columns, picture.width(), x), place(lines, picture.height(), y));
        colour_at(picture, x, y)
    };
    (0..ASKED).flat_map(|y| (0..ASKED).map(move |x| (y, x))).map(|(y, x)| at(y, x)).collect()
}

/// How much of some colours a theme's board may have on this ground, 0..1.
fn share(colours: &[[u8; 4]], palette: &Palette, ground: Option<Colour>) -> f64 {
    let is_ground = |colour: &&[u8; 4]| ground.is_some_and(|ground| ground == [colour[0], colour[1], colour[2]]);
    let (on_ground, own): (Vec<_>, Vec<_>) = colours.iter().partition(is_ground);
    let all = colours.len().max(1) as f64;
    (on_ground.len() as f64 + palette.share(&own) * own.len() as f64) / all
}
