//! Finding boards: how long it takes ([`times`]), and boards of looks that no calibration knows ([`skins`]), found without any
//! pictures of tiles. Long runs, for people who work on the eyes:
//!
//! `cargo test --release --no-default-features --test finding -- --ignored --nocapture times` (or `skins`).

#[allow(dead_code)] // `robustness` uses all of it
#[path = "../robustness/shots.rs"]
mod shots;
mod skins;
mod times;

/// A number in the environment.
fn setting(name: &str) -> Option<usize> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is not a number")))
}
