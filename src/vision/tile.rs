//! One tile beside pictures of tiles: brought to a fixed size (`patch`, for a whole picture `tiles`), as it is compared (`look`), with the pictures
//! of a theme (`skin`): whether it is one of its tiles (`likeness`), and which (`classify`).

pub mod classify;
pub(super) mod likeness;
pub(super) mod look;
pub mod patch;
pub(super) mod skin;
pub(super) mod tiles;
