//! The papers' figures, as SVG: win rate over what was varied, and predicted against observed risk.

use super::{Bin, Point, Summary, Sweep};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// The chart could not be drawn or written.
#[derive(Debug, thiserror::Error)]
#[error("the chart could not be written: {0}")]
pub struct ChartError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Pixels.
const SIZE: (u32, u32) = (760, 480);
/// Colours that people with any sort of colour vision can tell apart (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

/// Win rate over what was varied: curves for numbers (Studholme's figures 7, 8 and 10), groups of bars for names
/// (his figures 2 to 4), with 95% intervals. `runs` holds, for each point, one summary for every player.
///
/// # Errors
/// The file cannot be written.
pub fn draw_sweep(path: &Path, sweep: &Sweep, points: &[Point], runs: &[Vec<Summary>]) -> Result<(), ChartError> {
    to_file(path, |area| match sweep.axis() {
        Some(axis) => draw_curves(area, axis, points, runs),
        None => draw_bars(area, sweep, points, runs),
    })
}

/// Predicted against observed risk of all guesses after the first click (Pedersen's figure 5.3), one mark a bin with
/// its 95% interval; the diagonal is where the two agree.
///
/// # Errors
/// The file cannot be written.
pub fn draw_calibration(path: &Path, runs: &[Summary]) -> Result<(), ChartError> {
    to_file(path, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .x_label_area_size(40)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart.configure_mesh().x_desc("predicted risk").y_desc("observed").light_line_style(TRANSPARENT).draw()?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], &BLACK.mix(0.4)))?;
        for (run, colour) in runs.iter().zip(COLOURS.iter().cycle()) {
            let bins: &[Bin] = run.calibration.get("all").map_or(&[], Vec::as_slice);
            let marks = |bin: &Bin| Circle::new((bin.predicted, bin.observed), 3, colour.filled());
            let bars =
                |bin: &Bin| PathElement::new(vec![(bin.predicted, bin.ci95[0]), (bin.predicted, bin.ci95[1])], colour);
            chart.draw_series(bins.iter().map(bars))?;
            let series = chart.draw_series(bins.iter().map(marks))?;
            series.label(run.label()).legend(move |(x, y)| Circle::new((x + 8, y), 3, colour.filled()));
        }
        draw_legend(&mut chart)
    })
}

fn to_file(path: &Path, draw: impl FnOnce(&Area) -> Result<(), ChartError>) -> Result<(), ChartError> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    std::fs::write(path, text).map_err(|error| ChartError(format!("{}: {error}", path.display())))
}

fn draw_curves(area: &Area, axis: &str, points: &[Point], runs: &[Vec<Summary>]) -> Result<(), ChartError> {
    let values = || points.iter().map(|point| point.value);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (low - 1.0, low + 1.0) };
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(low..high, 0.0..100.0)?;
    chart.configure_mesh().x_desc(axis).y_desc("games won, %").light_line_style(TRANSPARENT).draw()?;
    for (player, colour) in (0..runs.first().map_or(0, Vec::len)).zip(COLOURS.iter().cycle()) {
        let curve: Vec<(f64, &Summary)> = values().zip(runs.iter().map(|runs| &runs[player])).collect();
        let at = |&(x, run): &(f64, &Summary)| (x, 100.0 * run.win_rate);
        let interval = |&(x, run): &(f64, &Summary)| {
            PathElement::new(vec![(x, 100.0 * run.ci95[0]), (x, 100.0 * run.ci95[1])], colour)
        };
        chart.draw_series(curve.iter().map(interval))?;
        chart.draw_series(curve.iter().map(|point| Circle::new(at(point), 2, colour.filled())))?;
        let series = chart.draw_series(LineSeries::new(curve.iter().map(at), colour))?;
        series
            .label(curve.first().map_or(String::new(), |(_, run)| run.label()))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    draw_legend(&mut chart)
}

fn draw_bars(area: &Area, sweep: &Sweep, points: &[Point], runs: &[Vec<Summary>]) -> Result<(), ChartError> {
    let players = runs.first().map_or(0, Vec::len);
    let label = |x: &f64| {
        let near = x.round();
        let point = points.get(near as usize).filter(|_| (x - near).abs() < 1e-6 && near >= 0.0);
        point.map_or(String::new(), |point| point.label.clone())
    };
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(-0.5..points.len() as f64 - 0.5, 0.0..100.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * points.len() + 1)
        .x_label_formatter(&label)
        .x_desc(sweep.name())
        .y_desc("games won, %")
        .light_line_style(TRANSPARENT)
        .draw()?;
    let width = 0.8 / players.max(1) as f64;
    for (player, colour) in (0..players).zip(COLOURS.iter().cycle()) {
        let left = |index: usize| index as f64 - 0.4 + player as f64 * width;
        let bar = |(index, runs): (usize, &Vec<Summary>)| {
            let corner = (left(index) + 0.95 * width, 100.0 * runs[player].win_rate);
            Rectangle::new([(left(index), 0.0), corner], colour.mix(0.8).filled())
        };
        let interval = |(index, runs): (usize, &Vec<Summary>)| {
            let (x, [low, high]) = (left(index) + 0.475 * width, runs[player].ci95);
            PathElement::new(vec![(x, 100.0 * low), (x, 100.0 * high)], BLACK)
        };
        let series = chart.draw_series(runs.iter().enumerate().map(bar))?;
        series
            .label(if matches!(sweep, Sweep::Area(_)) {
                runs[0][player].strategy.clone()
            } else {
                runs[0][player].label()
            })
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 12, y + 4)], colour.mix(0.8).filled()));
        chart.draw_series(runs.iter().enumerate().map(interval))?;
    }
    draw_legend(&mut chart)
}

fn draw_legend<'a, X, Y>(chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>) -> Result<(), ChartError>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
