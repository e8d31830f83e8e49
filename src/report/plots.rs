//! The plots of the page, as SVG that takes its colours from the page's style sheet, so that they follow its light
//! or dark theme.

use super::{Group, RiskBin};
use crate::runs::Stages;
use crate::stats::WinRate;
use std::fmt::Write;

/// A drawing area with two linear axes.
struct Plot {
    svg: String,
    width: f64,
    height: f64,
    x: [f64; 2],
    y: [f64; 2],
}

/// Room for the labels: left, right, top, bottom.
const MARGIN: [f64; 4] = [46.0, 20.0, 12.0, 40.0];

impl Plot {
    fn new(width: f64, height: f64, x: [f64; 2], y: [f64; 2], label: &str) -> Self {
        let svg = format!(r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{}">"#, escape(label));
        // An axis of no length would divide by zero.
        let widen = |[from, to]: [f64; 2]| if to > from { [from, to] } else { [from, from + 1.0] };
        Self { svg, width, height, x: widen(x), y: widen(y) }
    }

    fn at_x(&self, value: f64) -> f64 {
        MARGIN[0] + (value - self.x[0]) / (self.x[1] - self.x[0]) * (self.width - MARGIN[0] - MARGIN[1])
    }

    fn at_y(&self, value: f64) -> f64 {
        let share = (value - self.y[0]) / (self.y[1] - self.y[0]);
        self.height - MARGIN[3] - share * (self.height - MARGIN[2] - MARGIN[3])
    }

    fn draw(&mut self, element: std::fmt::Arguments<'_>) {
        self.svg.write_fmt(element).expect("writing to a string cannot fail");
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.draw(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{}</text>"#, escape(text)));
    }

    /// Grid lines and labels across, at these heights.
    fn rows(&mut self, values: &[f64], label: impl Fn(f64) -> String) {
        for &value in values {
            let (left, right, y) = (MARGIN[0], self.width - MARGIN[1], self.at_y(value));
            self.draw(format_args!(r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#));
            self.text("tick end", left - 7.0, y + 3.5, &label(value));
        }
    }

    /// Labels along the bottom.
    fn columns(&mut self, values: &[f64], label: impl Fn(f64) -> String) {
        for &value in values {
            let (x, y) = (self.at_x(value), self.height - MARGIN[3] + 16.0);
            self.text("tick middle", x, y, &label(value));
        }
    }

    fn titles(&mut self, x: &str) {
        let middle = (MARGIN[0] + self.width - MARGIN[1]) / 2.0;
        self.text("title middle", middle, self.height - 6.0, x);
    }

    fn line(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let path: Vec<String> = points.map(|(x, y)| format!("{:.1} {:.1}", self.at_x(x), self.at_y(y))).collect();
        self.draw(format_args!(r#"<path class="{class}" d="M{}"/>"#, path.join("L")));
    }

    fn bar(&mut self, class: &str, [x0, x1]: [f64; 2], [y0, y1]: [f64; 2], title: &str) {
        let (left, right, top, bottom) = (self.at_x(x0), self.at_x(x1), self.at_y(y1), self.at_y(y0));
        self.draw(format_args!(
            r#"<rect class="{class}" x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}"><title>{}</title></rect>"#,
            (right - left).max(0.0),
            (bottom - top).max(0.0),
            escape(title)
        ));
    }

    fn end(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }
}

const QUARTERS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The win rate so far after every game, with its 95% interval, and what was expected.
pub fn rate_over_games(group: &Group, colour: usize) -> String {
    let mut so_far = WinRate::default();
    let rates: Vec<(f64, WinRate)> = group
        .outcomes
        .chars()
        .map(|outcome| {
            so_far = WinRate { wins: so_far.wins + u64::from(outcome == 'W'), games: so_far.games + 1 };
            (so_far.games as f64, so_far)
        })
        .collect();
    let last = group.games as f64;
    let mut plot = Plot::new(340.0, 210.0, [1.0, last], [0.0, 1.0], "win rate over the games");
    plot.rows(&QUARTERS, percent);
    plot.columns(&ticks(1.0, last), |value| format!("{value:.0}"));
    plot.titles("games");
    let low = rates.iter().map(|(x, rate)| (*x, rate.ci95()[0]));
    let high = rates.iter().rev().map(|(x, rate)| (*x, rate.ci95()[1]));
    plot.line(&format!("band fill{colour}"), low.chain(high));
    if let Some(expected) = &group.expected {
        plot.line("expected", [(1.0, expected.win_rate), (last, expected.win_rate)].into_iter());
    }
    plot.line(&format!("curve line{colour}"), rates.iter().map(|(x, rate)| (*x, rate.rate())));
    plot.end()
}

/// The interval of a rate as a small bar, with its rate and what was expected as marks.
pub fn interval(group: &Group, colour: usize) -> String {
    let (width, x) = (180.0, |share: f64| 4.0 + share * 172.0);
    let [low, high] = group.ci95;
    let mut svg = format!(r#"<svg class="interval" viewBox="0 0 {width} 22" role="img" aria-label="win rate">"#);
    let mut draw = |element: String| svg.push_str(&element);
    draw(format!(r#"<path class="grid" d="M{:.1} 11H{:.1}"/>"#, x(0.0), x(1.0)));
    let (left, length) = (x(low), x(high) - x(low));
    draw(format!(r#"<rect class="fill{colour} soft" x="{left:.1}" y="5" width="{length:.1}" height="12" rx="3"/>"#));
    if let Some(expected) = &group.expected {
        let at = x(expected.win_rate);
        draw(format!(r#"<path class="expected" d="M{at:.1} 1V21"><title>expected</title></path>"#));
    }
    draw(format!(r#"<circle class="fill{colour}" cx="{:.1}" cy="11" r="4"/>"#, x(group.win_rate)));
    svg + "</svg>"
}

/// Predicted against observed risk: on the diagonal they agree.
pub fn risk(bins: &[RiskBin]) -> String {
    let highest = bins.iter().map(|bin| bin.ci95[1].max(bin.predicted)).fold(0.5, f64::max).min(1.0);
    let end = (highest * 10.0).ceil() / 10.0;
    let mut plot = Plot::new(420.0, 330.0, [0.0, end], [0.0, end], "predicted against observed risk");
    let marks: Vec<f64> = (0..=10).map(|mark| f64::from(mark) / 10.0).filter(|&mark| mark <= end + 1e-9).collect();
    let marks: Vec<f64> = marks.iter().copied().step_by(if marks.len() > 6 { 2 } else { 1 }).collect();
    plot.rows(&marks, percent);
    plot.columns(&marks, percent);
    plot.titles("predicted risk of a guess");
    plot.line("expected", [(0.0, 0.0), (end, end)].into_iter());
    let most = bins.iter().map(|bin| bin.guesses).max().unwrap_or(1) as f64;
    for bin in bins {
        let (x, y) = (plot.at_x(bin.predicted), plot.at_y(bin.observed));
        let (low, high) = (plot.at_y(bin.ci95[0]), plot.at_y(bin.ci95[1]));
        plot.draw(format_args!(r#"<path class="whisker" d="M{x:.1} {low:.1}V{high:.1}"/>"#));
        let radius = 3.0 + 5.0 * (bin.guesses as f64 / most).sqrt();
        plot.draw(format_args!(
            r#"<circle class="fill0" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"><title>{} mines in {} guesses</title></circle>"#,
            bin.hits, bin.guesses
        ));
    }
    plot.end()
}

/// How many games had how many guesses: won below, not won above.
pub fn guesses(group: &Group, colour: usize) -> String {
    let counts = &group.guess_counts;
    let most = counts.iter().map(|[won, not]| won + not).max().unwrap_or(1) as f64;
    let mut plot = Plot::new(340.0, 190.0, [-0.6, counts.len() as f64 - 0.4], [0.0, most], "guesses a game");
    plot.rows(&ticks(0.0, most), |value| format!("{value:.0}"));
    let every = counts.len().div_ceil(16);
    let labels: Vec<f64> = (0..counts.len()).step_by(every).map(|guesses| guesses as f64).collect();
    plot.columns(&labels, |value| format!("{value:.0}"));
    plot.titles("guesses, the first click included");
    for (guesses, &[won, not]) in counts.iter().enumerate() {
        let (x, won, all) = (guesses as f64, won as f64, (won + not) as f64);
        plot.bar(
            &format!("fill{colour}"),
            [x - 0.4, x + 0.4],
            [0.0, won],
            &format!("{won} won with {guesses} guesses"),
        );
        plot.bar("unwon", [x - 0.4, x + 0.4], [won, all], &format!("{not} not won with {guesses} guesses"));
    }
    plot.end()
}

/// The times of all games as dots over the game's number, with the median.
pub fn times(group: &Group, colour: usize) -> String {
    let seconds: Vec<f64> = group.ms.iter().map(|ms| ms / 1000.0).collect();
    let top = seconds.iter().copied().fold(0.0, f64::max);
    let mut plot = Plot::new(340.0, 190.0, [1.0, group.games as f64], [0.0, top], "time a game");
    plot.rows(&ticks(0.0, top), |value| format!("{value} s"));
    plot.columns(&ticks(1.0, group.games as f64), |value| format!("{value:.0}"));
    plot.titles("games (filled: won)");
    let median = group.ms_median / 1000.0;
    plot.line("expected", [(1.0, median), (group.games as f64, median)].into_iter());
    for (index, (seconds, outcome)) in seconds.iter().zip(group.outcomes.chars()).enumerate() {
        let class = if outcome == 'W' { format!("fill{colour}") } else { format!("line{colour} hollow") };
        let (x, y) = (plot.at_x(index as f64 + 1.0), plot.at_y(*seconds));
        plot.draw(format_args!(r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="2.2"/>"#));
    }
    plot.end()
}

/// Every game as a line: won, lost or aborted, in order.
pub fn strip(group: &Group) -> String {
    let (width, height) = (860.0, 26.0);
    let step = width / group.outcomes.len().max(1) as f64;
    let mut svg = format!(
        r#"<svg class="strip" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" aria-label="outcomes">"#
    );
    for (index, outcome) in group.outcomes.chars().enumerate() {
        let (class, top, tall) = match outcome {
            'W' => ("won", 0.0, 15.0),
            'L' => ("lost", 11.0, 15.0),
            _ => ("aborted", 0.0, 26.0),
        };
        let (x, wide) = (index as f64 * step, (step * 0.8).max(0.4));
        svg += &format!(r#"<rect class="{class}" x="{x:.2}" y="{top}" width="{wide:.2}" height="{tall}"/>"#);
    }
    svg + "</svg>"
}

/// Shares of a whole as one bar, with their names; shares of nothing are left out.
pub fn shares(parts: &[(&str, f64)], unit: impl Fn(f64) -> String) -> String {
    let total: f64 = parts.iter().map(|(_, value)| value).sum();
    let (width, height) = (860.0, 16.0);
    let mut svg = format!(
        r#"<svg class="shares" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" aria-label="shares">"#
    );
    let mut legend = String::new();
    let mut x = 0.0;
    for (index, &(name, value)) in parts.iter().enumerate().filter(|(_, (_, value))| *value > 0.0) {
        let wide = value / total * width;
        svg += &format!(r#"<rect class="fill{index}" x="{x:.1}" y="0" width="{wide:.1}" height="{height}"/>"#);
        legend +=
            &format!(r#"<span class="key"><i class="dot{index}"></i>{} <b>{}</b></span>"#, escape(name), unit(value));
        x += wide;
    }
    format!("{svg}</svg><div class=\"keys\">{legend}</div>")
}

/// The stages of a game with their mean times; what is left is the rest.
pub fn stage_parts(stages: &Stages, mean_ms: f64) -> Vec<(&'static str, f64)> {
    let Stages { capture, locate, read, decide, click, wait } = *stages;
    let rest = (mean_ms - capture - locate - read - decide - click - wait).max(0.0);
    vec![
        ("capture", capture),
        ("locate", locate),
        ("read", read),
        ("decide", decide),
        ("click", click),
        ("wait for paint", wait),
        ("rest", rest),
    ]
}

/// About five round numbers between `from` and `to`.
fn ticks(from: f64, to: f64) -> Vec<f64> {
    let raw = ((to - from) / 5.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(10.0 * power);
    let first = (from / step).ceil() as i64;
    // Rounded, because a multiple of 0.1 is seldom a round number.
    (first..=(to / step).floor() as i64).map(|k| (k as f64 * step * 1e6).round() / 1e6).collect()
}

/// A share as a percentage without digits after the point.
fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// Text that cannot be taken for markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(ticks(1.0, 300.0), [100.0, 200.0, 300.0]);
        assert_eq!(ticks(0.0, 7.3), [0.0, 2.0, 4.0, 6.0]);
        assert!(ticks(0.0, 0.0).len() <= 2);
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape(r#"<b a="&">"#), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
