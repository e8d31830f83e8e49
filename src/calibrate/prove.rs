//! Games with what was learned of a client: the proof of it. They show more than could be seen without it: a rare number, and how a chord is
//! made.

use super::lessons::begins_again;
use super::notes::Notes;
use super::on_the_job::{self, Unknown};
use super::write::Found;
use super::{News, Tell};
use crate::board::Tile;
use crate::bot::{Abort, Bot, Options, Outcome, Place, Played};
use crate::client::{Button, ClientError, Press};
use crate::desktop::Desktop;
use crate::game::Rule;
use crate::geometry::Cell;
use crate::solver::{self, Setup, Strategy};
use crate::vision::Eyes;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long what covers the board at the end of a game is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// What came of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Won.
    pub won: u64,
    /// Lost at a risk.
    pub lost: u64,
    /// Not played to an end.
    pub given_up: u64,
}

impl fmt::Display for Proof {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let Self { won, lost, given_up } = self;
        write!(to, "{won} won, {lost} lost")?;
        if *given_up > 0 { write!(to, ", {given_up} given up") } else { Ok(()) }
    }
}

/// Why what was learned is not proved.
#[derive(Debug, thiserror::Error)]
pub enum Unproved {
    /// The person wanted it to end.
    #[error("{0}")]
    Asked(Abort),
    /// The board is not found with it.
    #[error("the board is not found with what was learned")]
    NotFound(#[source] Abort),
    /// No new game.
    #[error("game {game} with what was learned could not begin")]
    NoNewGame {
        /// Its number, from 1 on.
        game: u64,
        /// What is in the way.
        #[source]
        why: Abort,
    },
    /// Most games were not played to an end.
    #[error("game {game} with what was learned")]
    GivenUp {
        /// The number of the last, from 1 on.
        game: u64,
        /// Why that was not.
        #[source]
        why: Abort,
    },
    /// A label is wrong.
    #[error(
        "game {0} with what was learned was lost on a tile that was held to be safe: a label is wrong; learn it anew with --replace"
    )]
    Wrong(u64),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ClientError),
    /// There is no such player.
    #[error(transparent)]
    Solver(#[from] solver::UnknownStrategy),
}

/// Plays so many games with what was found out of a client, of which `notes` say what was seen. What they teach is added to it, and kept at once.
///
/// # Errors
/// They contradict what was found, or could not be played.
pub fn prove<D: Desktop>(
    desktop: &mut D,
    found: &mut Found,
    notes: &Notes,
    games: u64,
    keep: &mut dyn FnMut(&Found) -> Result<(), ClientError>,
    tell: &mut Tell,
) -> Result<Proof, Unproved> {
    let mut player = player(found.first_click)?;
    let (mut unknown, mut place) = (Unknown::default(), None);
    let mut proof = Proof::default();
    let mut chords = Chords::of(found);
    let mut before: Option<Course> = None;
    let mut is_cleared = false;
    for game in 1..=games {
        let is_tried = chords.next();
        let grid = place.as_ref().map(|place: &Place| place.grid().clone());
        let mut played = one(desktop, found, is_tried.as_ref(), player.as_ref(), game, &mut place);
        if let (Err(Unproved::NoNewGame { why: Abort::NoNewGame(_), .. }), Some(grid)) = (&played, grid) {
            // The games that it was learned by ended otherwise.
            let begun = begins_again(desktop, notes, found, (&grid, is_cleared), tell);
            if begun.map_err(|error| Unproved::NoNewGame { game, why: error.into() })? {
                keep(found)?;
                played = one(desktop, found, is_tried.as_ref(), player.as_ref(), game, &mut place);
            }
        }
        if let Err(Unproved::NoNewGame { why: Abort::Resized { .. }, .. }) = played {
            // A page that asks for the level was answered otherwise. Games on that board prove as much.
            place = None;
            played = one(desktop, found, is_tried.as_ref(), player.as_ref(), game, &mut place);
        }
        let played = played?;
        is_cleared = matches!(played.outcome, Outcome::Won);
        let learned = unknown.see(&played);
        let course = Course::of(&played);
        if chords.see(&played) {
            found.chord.clone_from(&is_tried);
            keep(found)?;
            tell(News::Says("a click on a number that has its flags opens what is left around it"));
        }
        if played.is_total_wrong && found.levels.iter().any(|(size, _)| *size == played.size) {
            tell(News::Says("the number of mines was not that of this game: it is not believed any more"));
            found.levels.retain(|(size, _)| *size != played.size);
            keep(found)?;
        }
        match played.outcome {
            Outcome::Won => proof.won += 1,
            Outcome::Lost => {
                proof.lost += 1;
                let is_safe = played.fatal.is_some_and(|(risk, _)| risk == 0.0);
                if is_safe && played.moves == 1 && found.first_click != Rule::Any {
                    tell(News::Says("the first click may be a mine, after all"));
                    found.first_click = Rule::Any;
                    player = self::player(found.first_click)?;
                    keep(found)?;
                } else if is_safe {
                    return Err(Unproved::Wrong(game));
                }
            }
            Outcome::Aborted(why) if why.is_request() => return Err(Unproved::Asked(why)),
            Outcome::Aborted(why) => {
                if matches!(why, Abort::Resized { .. }) {
                    place = None;
                }
                proof.given_up += 1;
                if proof.given_up > 1 + proof.won + proof.lost {
                    return Err(Unproved::GivenUp { game, why });
                }
                tell(News::Says(&format!("game {game} with what was learned was given up: {why}")));
            }
        }
        if course.is_some() && course == before && found.pause_before_a_game() {
            keep(found)?;
            tell(News::Says(
                "the same game was dealt again, as by a client that draws its mines from the clock: a second is waited before each",
            ));
        }
        before = course;
        if !learned.is_empty() {
            let names: String = learned.iter().map(|learned| learned.tile.to_char()).collect();
            tell(News::Says(&format!("learned from it how these look: {names}")));
            on_the_job::add(found, learned);
            keep(found)?;
        }
        let risk = played.fatal.map(|(risk, _)| format!(", lost at a risk of {risk:.3}")).unwrap_or_default();
        tell(News::Says(&format!("game {game} with what was learned{risk}: {proof}")));
    }
    Ok(proof)
}

/// What tells one game from another: what was opened, and what showed at its end.
#[derive(Debug, PartialEq)]
struct Course {
    opened: BTreeSet<Cell>,
    last: Vec<Tile>,
}

impl Course {
    /// Of a game that was played to an end; its first click alone tells nothing.
    fn of(played: &Played) -> Option<Self> {
        let is_told = played.moves > 1 && !matches!(played.outcome, Outcome::Aborted(_));
        let last = || played.trail.back().map(|scene| scene.tiles()).unwrap_or_default();
        is_told.then(|| Self { opened: played.opened.iter().copied().collect(), last: last() })
    }
}

fn player(rule: Rule) -> Result<Box<dyn Strategy>, solver::UnknownStrategy> {
    solver::by_name("best", &Setup { rule, ..Setup::default() })
}

/// One game, on a fresh board if one was played before, with chords by this press if one is given.
fn one<D: Desktop>(
    desktop: &mut D,
    found: &Found,
    chord: Option<&Press>,
    player: &dyn Strategy,
    game: u64,
    place: &mut Option<Place>,
) -> Result<Played, Unproved> {
    let mut client = found.client();
    let options = Options { wait: WAIT, chord: chord.is_some(), ..Options::default() };
    client.hands.chord = chord.cloned().or(client.hands.chord);
    let mut eyes = [Eyes::new(Arc::new(client))];
    let mut bot = match place.take() {
        // A dialog may hide the board at the end of a game, and what is open of a fresh one look like the ground: it is known where it is.
        Some(place) => {
            let begun = Bot::begin_at(place, desktop, &mut eyes, options);
            begun.map_err(|why| Unproved::NoNewGame { game, why })?
        }
        None => {
            let mut bot = Bot::start(desktop, &mut eyes, options).map_err(Unproved::NotFound)?;
            let begun = if game == 1 { Ok(()) } else { bot.begin_unless_fresh() };
            begun.map_err(|why| Unproved::NoNewGame { game, why })?;
            bot
        }
    };
    let played = bot.play_game(player);
    *place = Some(bot.place());
    Ok(played)
}

/// The presses that may be a chord and were not tried yet, the likeliest first.
struct Chords(Vec<Press>);

impl Chords {
    /// Where flags can be put, with the mouse: without them there is no chord.
    fn of(found: &Found) -> Self {
        let press = |button| Press { button, with: None };
        let may_be = found.marks.contains(&Tile::Flag) && found.chord.is_none() && found.by_keys.is_none();
        Self(if may_be { vec![press(Button::Left), press(Button::Middle)] } else { Vec::new() })
    }

    fn next(&self) -> Option<Press> {
        self.0.first().cloned()
    }

    /// Whether a game showed that the press that was tried is a chord. One in which it had no effect tells that it is none, and one that was
    /// given up that it is not worth it; one without an occasion tells nothing.
    fn see(&mut self, played: &Played) -> bool {
        let is_none = played.effort.in_vain > 0 || matches!(played.outcome, Outcome::Aborted(_));
        let is_chord = !self.0.is_empty() && !is_none && played.effort.chords > 0;
        if is_chord {
            self.0.clear();
        } else if is_none && !self.0.is_empty() {
            self.0.remove(0);
        }
        is_chord
    }
}
