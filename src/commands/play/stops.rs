//! When enough has been played.

use super::summary::Summary;
use crate::cli::PlayArgs;
use std::time::{Duration, Instant};

/// What ends a run before its number of games.
pub struct Stops {
    wins: Option<u64>,
    streak: Option<u64>,
    time: Option<Duration>,
    began: Instant,
}

impl Stops {
    pub fn new(args: &PlayArgs) -> Self {
        Self { wins: args.until_wins, streak: args.until_streak, time: args.for_, began: Instant::now() }
    }

    /// Whether no further game is wanted after these.
    pub fn is_enough(&self, summary: &Summary) -> bool {
        self.wins.is_some_and(|wins| summary.wins() >= wins)
            || self.streak.is_some_and(|streak| summary.longest_streak() >= streak)
            || self.time.is_some_and(|time| self.began.elapsed() >= time)
    }
}
