//! A row of runs that differ in one thing: density, size, shape, board, search area or time to think.

use crate::geometry::BoardSize;
use crate::solver::Area;
use std::str::FromStr;
use std::time::Duration;

/// What is varied, and through which values. Written as
/// `density=0.02:0.40:0.02` (from, to, step), `size=5:60:5` (square boards of the same density), `aspect` or
/// `aspect=1,2,4` (rows of a board with as many tiles and mines), `board=8x8/10,30x16/99`, `area=zone,2,3` or
/// `think=1,10,100` (milliseconds); numbers may be listed instead of stepped through.
#[derive(Clone, Debug, PartialEq)]
pub enum Sweep {
    /// Mines by tiles, 0..1, on the board asked for.
    Density(Vec<f64>),
    /// Columns and rows of square boards with the density asked for.
    Size(Vec<u32>),
    /// Rows of boards with as many tiles and mines as the one asked for; all that divide them if none is named.
    Aspect(Vec<u32>),
    /// Any boards.
    Board(Vec<(BoardSize, u32)>),
    /// The areas of `limited-search-probability`.
    Area(Vec<Area>),
    /// Milliseconds that one guess may take, for players that can use them.
    Think(Vec<u32>),
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The value, as people read it.
    pub label: String,
    /// The value as a number; the place in the row where it is none.
    pub value: f64,
    /// Width and height.
    pub size: BoardSize,
    /// Number of mines.
    pub mines: u32,
    /// The area, if areas are varied.
    pub area: Option<Area>,
    /// How long one guess may take, if that is varied.
    pub think: Option<Duration>,
}

/// Why a text is no sweep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; write density=0.02:0.40:0.02, size=5:60:5, aspect, board=8x8/10,30x16/99, area=zone,2,3 or think=1,10,100"
)]
pub struct SweepError(String);

/// More values than anybody would wait for.
const MOST_POINTS: usize = 1000;

impl Sweep {
    /// What is varied.
    pub fn name(&self) -> &'static str {
        match self {
            Sweep::Density(_) => "density",
            Sweep::Size(_) => "size",
            Sweep::Aspect(_) => "aspect",
            Sweep::Board(_) => "board",
            Sweep::Area(_) => "area",
            Sweep::Think(_) => "think",
        }
    }

    /// Whether all its points play the same boards, so that they can be compared game by game.
    pub fn is_same_boards(&self) -> bool {
        matches!(self, Sweep::Area(_) | Sweep::Think(_))
    }

    /// What is varied, as the title of an axis; nothing where the values are names.
    pub fn axis(&self) -> Option<&'static str> {
        match self {
            Sweep::Density(_) => Some("mines per tile"),
            Sweep::Size(_) => Some("columns and rows"),
            Sweep::Aspect(_) => Some("rows"),
            Sweep::Board(_) | Sweep::Area(_) | Sweep::Think(_) => None,
        }
    }

    /// The runs, starting from the board asked for.
    ///
    /// # Errors
    /// A number of rows that does not divide the tiles of the board.
    pub fn points(&self, size: BoardSize, mines: u32) -> Result<Vec<Point>, SweepError> {
        let density = f64::from(mines) / size.tiles().max(1) as f64;
        let point =
            |value: f64, size, mines| Point { label: value.to_string(), value, size, mines, area: None, think: None };
        let mines_at = |density: f64, size: BoardSize| (density * size.tiles() as f64).round() as u32;
        Ok(match self {
            Sweep::Density(values) => values.iter().map(|&value| point(value, size, mines_at(value, size))).collect(),
            Sweep::Size(sides) => {
                let square = |&side: &u32| (side, BoardSize::new(side, side));
                sides.iter().map(square).map(|(side, size)| point(side.into(), size, mines_at(density, size))).collect()
            }
            Sweep::Aspect(rows) => {
                let shapes: Vec<u32> = if rows.is_empty() { shapes_of(size) } else { rows.clone() };
                let shape = |&rows: &u32| match size.tiles() as u32 {
                    tiles if tiles.is_multiple_of(rows) => {
                        Ok(point(rows.into(), BoardSize::new(tiles / rows, rows), mines))
                    }
                    tiles => Err(SweepError(format!("{tiles} tiles do not make {rows} rows"))),
                };
                shapes.iter().map(shape).collect::<Result<_, _>>()?
            }
            Sweep::Board(boards) => {
                let named = |(index, &(size, mines)): (usize, &(BoardSize, u32))| Point {
                    label: format!("{size}/{mines}"),
                    ..point(index as f64, size, mines)
                };
                boards.iter().enumerate().map(named).collect()
            }
            Sweep::Area(areas) => {
                let named = |(index, &area): (usize, &Area)| Point {
                    label: area.to_string(),
                    area: Some(area),
                    ..point(index as f64, size, mines)
                };
                areas.iter().enumerate().map(named).collect()
            }
            Sweep::Think(times) => {
                let named = |(index, &ms): (usize, &u32)| Point {
                    label: format!("{ms} ms"),
                    think: Some(Duration::from_millis(ms.into())),
                    ..point(index as f64, size, mines)
                };
                times.iter().enumerate().map(named).collect()
            }
        })
    }
}

/// The rows of all boards with as many tiles, up to the square.
fn shapes_of(size: BoardSize) -> Vec<u32> {
    let tiles = size.tiles() as u64;
    (1..=tiles)
        .take_while(|rows| rows * rows <= tiles)
        .filter(|rows| tiles.is_multiple_of(*rows))
        .map(|rows| rows as u32)
        .collect()
}

impl FromStr for Sweep {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        let sweep = match name {
            "density" => Sweep::Density(numbers(values, 0.0, 1.0)?),
            "size" => Sweep::Size(whole_numbers(values, 1.0)?),
            "aspect" if values.is_empty() => Sweep::Aspect(Vec::new()),
            "aspect" => Sweep::Aspect(whole_numbers(values, 1.0)?),
            "board" => Sweep::Board(values.split(',').map(board).collect::<Result<_, _>>()?),
            "think" => Sweep::Think(whole_numbers(values, 0.0)?),
            "area" => Sweep::Area(values.split(',').map(area).collect::<Result<_, _>>()?),
            _ => return Err(SweepError(format!("{name:?} cannot be varied"))),
        };
        Ok(sweep)
    }
}

fn board(text: &str) -> Result<(BoardSize, u32), SweepError> {
    let parse = || {
        let (size, mines) = text.split_once('/')?;
        let (width, height) = size.split_once('x')?;
        Some((BoardSize::new(width.parse().ok()?, height.parse().ok()?), mines.parse().ok()?))
    };
    parse().ok_or_else(|| SweepError(format!("{text:?} is not a board")))
}

fn area(text: &str) -> Result<Area, SweepError> {
    text.parse().map_err(|error: crate::solver::UnknownArea| SweepError(error.to_string()))
}

fn whole_numbers(text: &str, lowest: f64) -> Result<Vec<u32>, SweepError> {
    Ok(numbers(text, lowest, 10_000.0)?.into_iter().map(|value| value.round() as u32).collect())
}

/// `from:to:step`, or a list.
fn numbers(text: &str, lowest: f64, highest: f64) -> Result<Vec<f64>, SweepError> {
    let number = |text: &str| match text.trim().parse::<f64>() {
        Ok(value) if (lowest..=highest).contains(&value) => Ok(value),
        _ => Err(SweepError(format!("{text:?} is not a number from {lowest} to {highest}"))),
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [from, to, step] = parts[..] else { return text.split(',').map(number).collect() };
    let (from, to) = (number(from)?, number(to)?);
    let step = step.parse().ok().filter(|step: &f64| *step > 0.0 && (to - from) / step < MOST_POINTS as f64);
    let step = step.ok_or_else(|| SweepError(format!("{text:?} has no step, or more than {MOST_POINTS} values")))?;
    // Multiplied, not added up, and rounded: 0.02 + 0.02 + ... is not 0.4.
    let values = (0..=MOST_POINTS).map(|index| ((from + index as f64 * step) * 1e9).round() / 1e9);
    Ok(values.take_while(|&value| value <= to + 1e-9).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_are_read() {
        assert_eq!("density=0.1:0.3:0.1".parse(), Ok(Sweep::Density(vec![0.1, 0.2, 0.3])));
        assert_eq!("size=5,9".parse(), Ok(Sweep::Size(vec![5, 9])));
        assert_eq!("board=8x8/10".parse(), Ok(Sweep::Board(vec![(BoardSize::new(8, 8), 10)])));
        assert_eq!("area=zone,3".parse(), Ok(Sweep::Area(vec![Area::Zone, Area::Square(3)])));
        assert_eq!("think=0,100".parse(), Ok(Sweep::Think(vec![0, 100])));
        for wrong in [
            "",
            "luck=1",
            "think=-1",
            "density=2",
            "density=0:1:0",
            "density=0:1:1e-9",
            "size=0",
            "board=8x8",
            "area=x",
        ] {
            assert!(wrong.parse::<Sweep>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shapes_keep_tiles_and_mines() {
        let points = Sweep::Aspect(Vec::new()).points(BoardSize::new(30, 30), 180).unwrap();
        let rows: Vec<u32> = points.iter().map(|point| point.size.height).collect();
        assert_eq!(rows, [1, 2, 3, 4, 5, 6, 9, 10, 12, 15, 18, 20, 25, 30]);
        assert!(points.iter().all(|point| point.size.tiles() == 900 && point.mines == 180));
        assert!(Sweep::Aspect(vec![7]).points(BoardSize::new(30, 30), 180).is_err());
        let square = &Sweep::Size(vec![10]).points(BoardSize::new(30, 30), 180).unwrap()[0];
        assert_eq!((square.size, square.mines), (BoardSize::new(10, 10), 20));
    }
}
