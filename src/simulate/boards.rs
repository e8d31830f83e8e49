//! Which boards are played: dealt from a seed, or exactly those of a file (`.jsonl`, one line a board).

use crate::geometry::{BoardSize, Cell};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The boards of a run.
#[derive(Clone, Debug)]
pub enum Boards {
    /// Dealt from the seed of the run.
    Dealt {
        /// Width and height.
        size: BoardSize,
        /// Number of mines.
        mines: u32,
    },
    /// Exactly these, in order; the first click has no privilege on them.
    Exact(Vec<Layout>),
}

/// One board of a boards file: `{"width","height","mines":[[x,y]..],"start":[x,y]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Where the mines are.
    pub mines: Vec<Cell>,
    /// The first click, if it is not left to the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Cell>,
}

/// Why a boards file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BoardsError {
    /// It cannot be read.
    #[error("{path} cannot be read")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line that is no board.
    #[error("{path}, line {line}: {why}; a line is {{\"width\":W,\"height\":H,\"mines\":[[x,y],..],\"start\":[x,y]}}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// There is no board in it.
    #[error("{0} has no boards")]
    Empty(PathBuf),
}

impl Boards {
    /// The boards of a file. Empty lines are passed over.
    ///
    /// # Errors
    /// The file cannot be read, has no boards, or a line is no board.
    pub fn load(path: &Path) -> Result<Self, BoardsError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| BoardsError::Read { path: path.to_owned(), source })?;
        let mut layouts = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let layout =
                Layout::parse(line).map_err(|why| BoardsError::Line { path: path.to_owned(), line: index + 1, why })?;
            layouts.push(layout);
        }
        if layouts.is_empty() { Err(BoardsError::Empty(path.to_owned())) } else { Ok(Boards::Exact(layouts)) }
    }

    /// Size and mines of the boards: of all of them, or of the first one.
    pub fn size_and_mines(&self) -> (BoardSize, u32) {
        match self {
            Boards::Dealt { size, mines } => (*size, *mines),
            Boards::Exact(layouts) => {
                layouts.first().map_or((BoardSize::new(0, 0), 0), |layout| (layout.size(), layout.mines.len() as u32))
            }
        }
    }
}

impl Layout {
    /// Width and height.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height)
    }

    fn parse(line: &str) -> Result<Self, String> {
        let layout: Self = serde_json::from_str(line).map_err(|error| {
            // The line of the error is that of the file, which is reported anyway.
            error.to_string().replace(" at line 1 column", ", column")
        })?;
        let size = layout.size();
        if size.tiles() == 0 || size.tiles() > super::MOST_TILES {
            return Err(format!("a board of {size} cannot be played"));
        }
        if let Some(cell) = layout.mines.iter().chain(&layout.start).find(|&&cell| !size.contains(cell)) {
            return Err(format!("{cell} is not on a board of {size}"));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(cell) = layout.mines.iter().find(|&&cell| !seen.insert(cell)) {
            return Err(format!("two mines at {cell}"));
        }
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        let good = r#"{"width":3,"height":2,"mines":[[0,0],[2,1]],"start":[1,0]}"#;
        assert_eq!(Layout::parse(good).unwrap().start, Some(Cell::new(1, 0)));
        for (bad, complaint) in [
            (r#"{"width":3"#, "EOF"),
            (r#"{"width":3,"height":0,"mines":[]}"#, "cannot be played"),
            (r#"{"width":3,"height":2,"mines":[[3,0]]}"#, "[3, 0] is not on"),
            (r#"{"width":3,"height":2,"mines":[[1,0],[1,0]]}"#, "two mines"),
            (r#"{"width":3,"height":2,"mines":[],"start":[0,2]}"#, "[0, 2] is not on"),
            (r#"{"width":3,"height":2,"mines":[],"bombs":1}"#, "bombs"),
            (r#"{"width":-3,"height":2,"mines":[]}"#, "column"),
        ] {
            let path = std::env::temp_dir().join(format!("minesight-boards-{}.jsonl", std::process::id()));
            std::fs::write(&path, format!("{good}\n\n{bad}\n")).unwrap();
            let error = Boards::load(&path).unwrap_err().to_string();
            std::fs::remove_file(&path).unwrap();
            assert!(error.contains("line 3") && error.contains(complaint), "{bad}: {error}");
        }
    }
}
