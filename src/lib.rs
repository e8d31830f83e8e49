//! Plays real Minesweeper clients on the screen.
//!
//! The whole program in one line; each arrow is one function, each noun one plain struct:
//!
//! ```text
//! Screenshot → Grid → Reading → Board → Decision → Click
//!    look      locate   read     board    decide     aim
//! ```
//!
//! Only the two ends touch the world, through [`desktop::Desktop`]. `board`, `game` and `solver` know nothing of
//! pictures, files or clocks; `vision` knows pictures but no mouse.

#![warn(missing_docs)]

pub mod advise;
pub mod analyze;
pub mod board;
pub mod bot;
pub mod calibrate;
pub mod check;
pub mod cli;
pub mod client;
pub mod commands;
pub mod desktop;
pub mod draw;
pub mod film;
pub mod game;
pub mod geometry;
pub mod page;
pub mod report;
pub mod runs;
pub mod screenshot;
pub mod session;
pub mod simulate;
pub mod solver;
pub mod stats;
pub mod vision;
