//! Frame → [`Sight`](locate::Sight): where the board is, and whether it is the whole board. The files in the order a picture takes are in the table of
//! [`vision`](super). `frame` and `dashes` find boards by their frame, `repeat` follows lines that are not even, `gap` is about lines where a ground
//! shows between tiles, `lines` and `border` about what lies around them, and `wallpaper` about what repeats all over a screen.

pub(super) mod border;
pub(super) mod dashes;
pub(super) mod edges;
pub(super) mod extent;
pub(super) mod frame;
pub(super) mod gap;
pub(super) mod lines;
pub mod locate;
pub(super) mod place;
pub mod propose;
pub(super) mod repeat;
pub(super) mod rim;
pub(super) mod search;
pub(super) mod wallpaper;
