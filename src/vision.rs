//! Seeing: where the minefield is in a picture ([`Grid`]) and what is on its tiles ([`Reading`]).
//!
//! A picture goes one way through the files:
//!
//! | file | what it makes |
//! |---|---|
//! | `edges` | frame → where it changes, once for all |
//! | `propose` | edges → lattices: what repeats, the clearest first |
//! | `skin` | theme and variation → its pictures as the screen may show them |
//! | `place` | lattice and skin → grid: where in the repetition a tile begins |
//! | `extent` | grid → grid: where the tiles end |
//! | `rim` | whether that is the whole board |
//! | `locate` | all of that for one lattice and one theme: a [`Sight`], or why it is none |
//! | `eyes` | the search over lattices, clients and variations; what is remembered |
//! | `read` | every tile of a grid → [`Reading`]; `doubt`: what the rules of the game exclude |
//!
//! `unknown` finds boards of clients that nobody described: `period` where the picture shows the `same` from tile to tile, `repeat` follows
//! their lines to the pixel, and `looks` sorts their tiles. `moving` follows columns and rows that change their size while a game is played,
//! and `kept` the tiles in them that do not.
//!
//! Below them: `tiles` and `patch` (a tile at a fixed size), `look` and `classify` (a tile beside pictures), `likeness` (the one
//! question whether it is a tile), `cast`, `tone`, `toning` and `ground` (other colours), `wallpaper` (what repeats all over a screen), `gap` (lines where a ground shows between tiles), `frame` and `dashes` (boards found by their frame), `counter` (mines left).

pub mod annotate;
mod border;
mod cast;
pub mod classify;
mod counter;
mod cut;
mod dashes;
pub mod doubt;
mod edges;
mod extent;
mod eyes;
mod frame;
mod gap;
mod grid;
mod ground;
pub mod kept;
mod likeness;
mod lines;
pub mod locate;
mod look;
pub mod looks;
pub mod moving;
pub mod patch;
mod period;
mod place;
pub mod propose;
mod read;
mod reading;
mod repeat;
mod rim;
mod same;
mod search;
pub mod shade;
mod skin;
mod tiles;
mod tone;
mod toning;
mod unknown;
mod wallpaper;

pub use cut::cut_off;
pub use eyes::Eyes;
pub use grid::{Grid, SMALLEST, Way, pitch, rounded};
pub use locate::{LocateError, Sight};
pub use reading::{Reading, Standing, TileReading, standing};
pub use search::{Tried, find_and_tell, find_any};
pub use skin::Variation;
pub use unknown::boards_of_any_look;
