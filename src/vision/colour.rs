//! Other colours than the pictures have: `ground` (what shows where tiles are transparent), `tone` and `toning` (all of a screen in other
//! colours), `cast` (a night light) and `shade` (a board that grew darker).

pub(super) mod cast;
pub(super) mod ground;
pub mod shade;
pub(super) mod tone;
pub(super) mod toning;
