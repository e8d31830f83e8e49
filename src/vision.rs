//! Seeing: where the minefield is in a picture ([`Grid`]) and what is on its tiles ([`Reading`]).
//!
//! A picture goes one way through the files:
//!
//! | file | what it makes |
//! |---|---|
//! | [`find`]`/edges` | frame → where it changes, once for all |
//! | `find/propose` | edges → lattices: what repeats, the clearest first |
//! | [`tile`]`/skin` | theme and variation → its pictures as the screen may show them |
//! | `find/place` | lattice and skin → grid: where in the repetition a tile begins |
//! | `find/extent` | grid → grid: where the tiles end |
//! | `find/rim` | whether that is the whole board |
//! | `find/locate` | all of that for one lattice and one theme: a [`Sight`], or why it is none |
//! | `find/search` | the same over lattices, clients and variations |
//! | `eyes` | what is known of one client, and remembered from picture to picture |
//! | `read` | every tile of a grid → [`Reading`]; `doubt`: what the rules of the game exclude; `counter`: mines left |
//!
//! [`tile`] is one tile beside pictures of tiles, [`colour`] what other colours a screen may show it in. [`unknown`] finds boards of clients that
//! nobody described. `moving` follows columns and rows that change their size while a game is played, and `kept` the tiles in them that do not.

pub mod annotate;
pub mod colour;
mod counter;
pub mod doubt;
mod eyes;
pub mod find;
mod grid;
pub mod kept;
pub mod moving;
mod read;
mod reading;
pub mod tile;
pub mod unknown;

pub use eyes::Eyes;
pub use find::locate::{LocateError, Sight};
pub use find::search::{Tried, find_and_tell, find_any};
pub use grid::{Grid, SMALLEST, Way, pitch, rounded};
pub use reading::{Reading, Standing, TileReading, standing};
pub use tile::skin::Variation;
pub use unknown::boards_of_any_look;
pub use unknown::cut::cut_off;
