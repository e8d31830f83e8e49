//! The plots of the page, as SVG: those with axes by plotters, small marks by hand. Plotters writes colours where a style sheet is
//! stronger: the page's gives each its counterpart of the light or dark theme ([`style`]).

use super::{Group, RiskBin};
use crate::runs::Stages;
use crate::stats::WinRate;
use maud::{Markup, PreEscaped, html};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// The colours of groups, in light: those that people with any sort of colour vision can tell apart (Okabe and Ito, 2008).
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(184, 86, 143),
    RGBColor(201, 138, 0),
    RGBColor(61, 155, 209),
    RGBColor(138, 143, 153),
];
/// Lines behind what is shown, and words.
const LINE: RGBColor = RGBColor(227, 231, 238);
const SOFT: RGBColor = RGBColor(92, 102, 122);

/// The page's own colours in place of those that plotters wrote.
pub fn style() -> String {
    let own = (0..COLOURS.len()).map(|n| (COLOURS[n], format!("c{n}")));
    own.chain([(LINE, "line".to_owned()), (SOFT, "soft".to_owned())])
        .map(|(RGBColor(r, g, b), name)| {
            let colour = format!("#{r:02X}{g:02X}{b:02X}");
            format!("[fill=\"{colour}\"] {{ fill: var(--{name}) }} [stroke=\"{colour}\"] {{ stroke: var(--{name}) }}\n")
        })
        .collect()
}

/// The attribute for a group's colour.
fn hex(colour: usize) -> String {
    let RGBColor(r, g, b) = COLOURS[colour % COLOURS.len()];
    format!("#{r:02X}{g:02X}{b:02X}")
}

type Failure = Box<dyn std::error::Error>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A plot with two linear axes; `label` says what it shows to those who do not see it.
struct Axes<'a> {
    label: &'a str,
    size: (u32, u32),
    x: [f64; 2],
    y: [f64; 2],
    /// What is below.
    below: &'a str,
    x_label: &'a dyn Fn(&f64) -> String,
    y_label: &'a dyn Fn(&f64) -> String,
}

impl Axes<'_> {
    fn draw(&self, plot: impl FnOnce(&mut Chart) -> Result<(), Failure>) -> Markup {
        let mut svg = String::new();
        let drawn = self.draw_on(&SVGBackend::with_string(&mut svg, self.size).into_drawing_area(), plot);
        let missing = drawn.err().map(|error| error.to_string());
        html! {
            div role="img" aria-label=(self.label) {
                @if let Some(missing) = missing { p.warn { "not drawn: " (missing) } } @else { (PreEscaped(svg)) }
            }
        }
    }

    fn draw_on(
        &self,
        area: &DrawingArea<SVGBackend, Shift>,
        plot: impl FnOnce(&mut Chart) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // An axis of no length would divide by zero.
        let range = |[from, to]: [f64; 2]| if to > from { from..to } else { from..from + 1.0 };
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .x_label_area_size(34)
            .y_label_area_size(38)
            .build_cartesian_2d(range(self.x), range(self.y))?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(LINE)
            .axis_style(LINE)
            .label_style(("sans-serif", 11).into_font().color(&SOFT))
            .x_desc(self.below)
            .x_labels(7)
            .y_labels(6)
            .x_label_formatter(self.x_label)
            .y_label_formatter(self.y_label)
            .draw()?;
        plot(&mut chart)?;
        area.present()?;
        Ok(())
    }
}

/// A dashed line, for what was expected.
fn dashed<'a>(chart: &mut Chart<'a, '_>, points: [(f64, f64); 2]) -> Result<(), Failure> {
    chart.draw_series(DashedLineSeries::new(points, 5, 4, SOFT.stroke_width(2)))?;
    Ok(())
}

fn whole(value: &f64) -> String {
    // A game or a guess is whole: what lies between has no label.
    if value.fract().abs() < 1e-9 { format!("{value:.0}") } else { String::new() }
}

/// A share as a percentage without digits after the point.
fn percent(share: &f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// The win rate so far after every game, with its 95% interval, and what was expected.
pub fn rate_over_games(group: &Group, colour: usize) -> Markup {
    let mut so_far = WinRate::default();
    let rates: Vec<(f64, WinRate)> = group
        .outcomes
        .chars()
        .map(|outcome| {
            so_far = WinRate { wins: so_far.wins + u64::from(outcome == 'W'), games: so_far.games + 1 };
            (so_far.games as f64, so_far)
        })
        .collect();
    let (last, colour) = (group.games as f64, COLOURS[colour]);
    let (x, y) = ([1.0, last], [0.0, 1.0]);
    let label = "win rate over the games";
    let axes = Axes { label, size: (340, 210), x, y, below: "games", x_label: &whole, y_label: &percent };
    axes.draw(|chart| {
        let low = rates.iter().map(|(x, rate)| (*x, rate.ci95()[0]));
        let high = rates.iter().rev().map(|(x, rate)| (*x, rate.ci95()[1]));
        let band: Vec<(f64, f64)> = low.chain(high).collect();
        chart.draw_series([Polygon::new(band, colour.mix(0.18).filled())])?;
        if let Some(expected) = &group.expected {
            dashed(chart, [(1.0, expected.win_rate), (last, expected.win_rate)])?;
        }
        let rates = rates.iter().map(|(x, rate)| (*x, rate.rate()));
        chart.draw_series(LineSeries::new(rates, colour.stroke_width(2)))?;
        Ok(())
    })
}

/// Predicted against observed risk: on the diagonal they agree.
pub fn risk(bins: &[RiskBin]) -> Markup {
    let highest = bins.iter().map(|bin| bin.ci95[1].max(bin.predicted)).fold(0.5, f64::max).min(1.0);
    let end = (highest * 10.0).ceil() / 10.0;
    let most = bins.iter().map(|bin| bin.guesses).max().unwrap_or(1) as f64;
    let label = "predicted against observed risk";
    let (x, y, below) = ([0.0, end], [0.0, end], "predicted risk of a guess");
    Axes { label, size: (420, 330), x, y, below, x_label: &percent, y_label: &percent }.draw(|chart| {
        dashed(chart, [(0.0, 0.0), (end, end)])?;
        let whisker = |bin: &RiskBin| {
            let ends = [(bin.predicted, bin.ci95[0]), (bin.predicted, bin.ci95[1].min(end))];
            PathElement::new(ends.to_vec(), COLOURS[0].mix(0.6))
        };
        chart.draw_series(bins.iter().map(whisker))?;
        let mark = |bin: &RiskBin| {
            let radius = 3.0 + 5.0 * (bin.guesses as f64 / most).sqrt();
            Circle::new((bin.predicted, bin.observed), radius.round() as i32, COLOURS[0].filled())
        };
        chart.draw_series(bins.iter().map(mark))?;
        Ok(())
    })
}

/// How many games had how many guesses: won below, not won above.
pub fn guesses(group: &Group, colour: usize) -> Markup {
    let counts = &group.guess_counts;
    let most = counts.iter().map(|[won, not]| won + not).max().unwrap_or(1) as f64;
    let (x, y) = ([-0.6, counts.len() as f64 - 0.4], [0.0, most]);
    let below = "guesses, the first click included";
    Axes { label: "guesses a game", size: (340, 190), x, y, below, x_label: &whole, y_label: &whole }.draw(|chart| {
        let bar = |guesses: usize, [from, to]: [u64; 2], style: ShapeStyle| {
            let x = guesses as f64;
            Rectangle::new([(x - 0.4, from as f64), (x + 0.4, to as f64)], style)
        };
        let won = counts.iter().enumerate().map(|(at, &[won, _])| bar(at, [0, won], COLOURS[colour].filled()));
        let not = counts.iter().enumerate().map(|(at, &[won, not])| bar(at, [won, won + not], SOFT.mix(0.35).filled()));
        chart.draw_series(won.chain(not))?;
        Ok(())
    })
}

/// The times of all games as dots over the game's number, with the median.
pub fn times(group: &Group, colour: usize) -> Markup {
    let seconds: Vec<f64> = group.ms.iter().map(|ms| ms / 1000.0).collect();
    let (last, top) = (group.games as f64, seconds.iter().copied().fold(0.0, f64::max));
    let label = |seconds: &f64| format!("{} s", (seconds * 1000.0).round() / 1000.0);
    let (x, y, below) = ([1.0, last], [0.0, top], "games (filled: won)");
    Axes { label: "time a game", size: (340, 190), x, y, below, x_label: &whole, y_label: &label }.draw(|chart| {
        let median = group.ms_median / 1000.0;
        dashed(chart, [(1.0, median), (last, median)])?;
        let dot = |(index, (seconds, outcome)): (usize, (&f64, char))| {
            let style =
                if outcome == 'W' { COLOURS[colour].filled() } else { COLOURS[colour].mix(0.7).stroke_width(1) };
            Circle::new((index as f64 + 1.0, *seconds), 2, style)
        };
        chart.draw_series(seconds.iter().zip(group.outcomes.chars()).enumerate().map(dot))?;
        Ok(())
    })
}

/// The interval of a rate as a small bar, with its rate and what was expected as marks.
pub fn interval(group: &Group, colour: usize) -> Markup {
    let x = |share: f64| format!("{:.1}", 4.0 + share * 172.0);
    let [low, high] = group.ci95;
    let length = format!("{:.1}", (high - low) * 172.0);
    html! {
        svg.interval viewBox="0 0 180 22" role="img" aria-label="win rate with its interval" {
            path.grid d={ "M" (x(0.0)) " 11H" (x(1.0)) } {}
            rect.pale fill=(hex(colour)) x=(x(low)) y="5" width=(length) height="12" rx="3" {}
            @if let Some(expected) = &group.expected {
                path.expected d={ "M" (x(expected.win_rate)) " 1V21" } { title { "expected" } }
            }
            circle fill=(hex(colour)) cx=(x(group.win_rate)) cy="11" r="4" {}
        }
    }
}

/// Every game as a line: won, lost or aborted, in order.
pub fn strip(group: &Group) -> Markup {
    let step = 860.0 / group.outcomes.len().max(1) as f64;
    let wide = format!("{:.2}", (step * 0.8).max(0.4));
    html! {
        svg.strip viewBox="0 0 860 26" preserveAspectRatio="none" role="img" aria-label="outcomes" {
            @for (index, outcome) in group.outcomes.chars().enumerate() {
                @let (class, top, tall) = match outcome { 'W' => ("won", 0, 15), 'L' => ("lost", 11, 15), _ => ("aborted", 0, 26) };
                rect class=(class) x=(format!("{:.2}", index as f64 * step)) y=(top) width=(wide) height=(tall) {}
            }
        }
    }
}

/// Shares of a whole as one bar, with their names; shares of nothing are left out.
pub fn shares(parts: &[(&str, f64)], unit: impl Fn(f64) -> String) -> Markup {
    let total: f64 = parts.iter().map(|(_, value)| value).sum();
    let from = |index: usize| 860.0 * parts[..index].iter().map(|(_, value)| value).sum::<f64>() / total;
    let shown = || parts.iter().enumerate().filter(|(_, (_, value))| *value > 0.0);
    html! {
        svg.shares viewBox="0 0 860 16" preserveAspectRatio="none" role="img" aria-label="shares" {
            @for (index, (_, value)) in shown() {
                rect fill=(hex(index)) x=(format!("{:.1}", from(index))) y="0" height="16" width=(format!("{:.1}", value / total * 860.0)) {}
            }
        }
        div.keys {
            @for (index, (name, value)) in shown() {
                span.key { i style={ "background: var(--c" (index % COLOURS.len()) ")" } {} (name) " " b { (unit(*value)) } }
            }
        }
    }
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
