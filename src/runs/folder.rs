//! The run folder on disk.
//!
//! What must hold whenever the process is killed or the disk is full: every line that was finished counts exactly once.
//! So a record is one write followed by a sync, and a little space is kept in reserve for the record of the game
//! that is being played when the disk fills up.

use super::{FORMAT, GameRecord, Run, RunError, RunHeader};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const HEADER: &str = "run.toml";
const GAMES: &str = "games.jsonl";
/// Written first and then renamed, so that there is never half a header.
const HEADER_DRAFT: &str = "run.toml.new";
const LOCK: &str = ".lock";
/// The record of a game whose pictures are being written.
const ANNOUNCED: &str = ".announced.json";
const RESERVE: &str = ".reserve";
/// Enough for the record of the longest game: a guess takes some 40 bytes, and no expert game has 200 of them.
const RESERVE_BYTES: usize = 64 * 1024;

/// A run that is being recorded.
#[derive(Debug)]
pub struct RunFolder {
    folder: PathBuf,
    header: RunHeader,
    games: Vec<GameRecord>,
    log: File,
    /// Held as long as this run is recorded.
    _lock: File,
    /// The length of `games.jsonl` up to its last whole record.
    length: u64,
    warnings: Vec<String>,
    is_continued: bool,
}

impl RunFolder {
    /// Begins a run in a new or empty folder, or goes on with the one that is there.
    ///
    /// # Errors
    /// The folder holds something else, another run, or a run of another version; somebody else records into it; or
    /// it cannot be read or written.
    pub fn open(folder: &Path, asked: &RunHeader) -> Result<Self, RunError> {
        let header_file = folder.join(HEADER);
        if !header_file.exists() {
            make_empty(folder)?;
        }
        // Before anything is written: of two that begin at once, only one does. A file of its own, for some systems let nobody
        // read what is locked.
        let lock_file = folder.join(LOCK);
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&lock_file);
        let lock = lock.map_err(disk(&lock_file, "written"))?;
        lock.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => RunError::Busy(folder.to_owned()),
            std::fs::TryLockError::Error(why) => disk(&lock_file, "locked")(why),
        })?;
        let is_new = !header_file.exists();
        if is_new && folder.join(GAMES).exists() {
            return Err(RunError::SomethingElse { folder: folder.to_owned(), found: GAMES.to_owned() });
        }
        if is_new {
            create(folder, asked)?;
        }
        let games_file = folder.join(GAMES);
        let log = OpenOptions::new().read(true).append(true).create(true).open(&games_file);
        let log = log.map_err(disk(&games_file, "written"))?;
        let recorded = load(folder)?;
        if !is_new {
            check_same(&header_file, &recorded.header, asked)?;
        }
        let length = log.metadata().map_err(disk(&games_file, "read"))?.len();
        let Run { header, games, warnings, .. } = recorded;
        let folder = folder.to_owned();
        let mut run = Self { folder, header, games, log, _lock: lock, length, warnings, is_continued: !is_new };
        run.mend_last_line()?;
        run.take_announced()?;
        Ok(run)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What all its games have in common.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Whether the run was begun before, by a command that may have been killed.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// The games recorded so far.
    pub fn games(&self) -> &[GameRecord] {
        &self.games
    }

    /// What was not as it should be when the folder was opened, each with file and line.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The number of the next game.
    pub fn next_game(&self) -> u64 {
        self.games.iter().map(|record| record.game).max().unwrap_or(0) + 1
    }

    /// To be called before every game: makes sure that its record will find room on the disk.
    ///
    /// # Errors
    /// The disk is full, or the folder cannot be written: the game should not be begun.
    pub fn ready(&mut self) -> Result<(), RunError> {
        let reserve = self.folder.join(RESERVE);
        if reserve.metadata().is_ok_and(|data| data.len() == RESERVE_BYTES as u64) {
            return Ok(());
        }
        let fill = || -> io::Result<()> {
            let mut file = File::create(&reserve)?;
            file.write_all(&[b'.'; RESERVE_BYTES])?;
            file.sync_all()
        };
        fill().map_err(|why| {
            let _ = std::fs::remove_file(&reserve);
            disk(&reserve, "written")(why)
        })
    }

    /// To be called once the client is known: a run is of one client.
    ///
    /// # Errors
    /// The games recorded so far are of another client.
    pub fn check_client(&self, client: &str) -> Result<(), RunError> {
        match self.games.iter().position(|record| record.client != client) {
            None => Ok(()),
            Some(index) => Err(RunError::Differs {
                file: self.folder.join(GAMES),
                line: index + 1,
                recorded: format!("client = {:?}", self.games[index].client),
                asked: format!("client = {client:?}"),
            }),
        }
    }

    /// Keeps the record of a finished game whose pictures are not on the disk yet. It counts from [`RunFolder::append`] on; if that is
    /// never reached, it counts when the run is continued.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn announce(&self, record: &GameRecord) -> Result<(), RunError> {
        let file = self.folder.join(ANNOUNCED);
        let write = || -> io::Result<()> {
            let mut out = File::create(&file)?;
            out.write_all(serde_json::to_string(record)?.as_bytes())?;
            out.sync_all()
        };
        write().map_err(disk(&file, "written"))
    }

    /// Takes over the record of a game that was finished, and cut off while its pictures were written.
    fn take_announced(&mut self) -> Result<(), RunError> {
        let file = self.folder.join(ANNOUNCED);
        let Ok(text) = std::fs::read(&file) else { return Ok(()) };
        // Half a record is one that was not announced yet.
        if let Ok(record) = serde_json::from_slice::<GameRecord>(&text)
            && record.game >= self.next_game()
        {
            self.append(record)?;
        }
        let _ = std::fs::remove_file(&file);
        Ok(())
    }

    /// Records a finished game. When this returns, it is on the disk.
    ///
    /// # Errors
    /// It cannot be written; what was recorded before is untouched.
    pub fn append(&mut self, record: GameRecord) -> Result<(), RunError> {
        let mut line = serde_json::to_string(&record).expect("a record is plain data");
        line.push('\n');
        let written = self.write(line.as_bytes()).or_else(|_| {
            // The disk is full: this is what the reserve was kept for.
            let _ = std::fs::remove_file(self.folder.join(RESERVE));
            self.write(line.as_bytes())
        });
        written.map_err(disk(&self.folder.join(GAMES), "written"))?;
        self.length += line.len() as u64;
        self.games.push(record);
        let _ = std::fs::remove_file(self.folder.join(ANNOUNCED));
        Ok(())
    }

    /// Writes all of it, or takes back what was written of it.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let written = self.log.write_all(line).and_then(|()| self.log.sync_data());
        if written.is_err() {
            let _ = self.log.set_len(self.length);
        }
        written
    }

    /// Takes away a last line that was cut short, and ends one that only lacks its line feed.
    fn mend_last_line(&mut self) -> Result<(), RunError> {
        let file = self.folder.join(GAMES);
        let text = std::fs::read(&file).map_err(disk(&file, "read"))?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let rest = &text[whole..];
        if rest.is_empty() {
            return Ok(());
        }
        let mend = |log: &mut File| -> io::Result<u64> {
            if serde_json::from_slice::<GameRecord>(rest).is_ok() {
                log.write_all(b"\n")?;
            } else {
                log.set_len(whole as u64)?;
            }
            log.sync_all()?;
            log.seek(SeekFrom::End(0))
        };
        self.length = mend(&mut self.log).map_err(disk(&file, "written"))?;
        Ok(())
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.folder.join(RESERVE));
    }
}

/// Reads a run.
///
/// # Errors
/// There is no run in the folder, it is of another format, or it cannot be read. Lines of `games.jsonl` that cannot be
/// understood are no error but a warning; the rest is used.
pub fn load(folder: &Path) -> Result<Run, RunError> {
    let file = folder.join(HEADER);
    if !file.exists() {
        return Err(RunError::NoRun(folder.to_owned()));
    }
    let header = read_header(&file)?;
    let file = folder.join(GAMES);
    let text = match std::fs::read(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other.map_err(disk(&file, "read"))?,
    };
    let mut run = Run { folder: folder.to_owned(), header, games: Vec::new(), warnings: Vec::new() };
    let is_cut_short = text.last().is_some_and(|&byte| byte != b'\n');
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let place = format!("{}:{}", file.display(), index + 1);
        match serde_json::from_slice::<GameRecord>(line) {
            Ok(record) => match record.oddity() {
                None => take(&mut run, record, &place),
                Some(oddity) => run.warnings.push(format!("{place}: not a game ({oddity}); left out")),
            },
            Err(_) if is_cut_short && index + 1 == lines.len() => {
                run.warnings.push(format!("{place}: the last line was cut short; dropped"));
            }
            Err(error) => run.warnings.push(format!("{place}: not a game ({error}); left out")),
        }
    }
    Ok(run)
}

/// Adds a game, unless it is there already, and says what is odd about it.
fn take(run: &mut Run, record: GameRecord, place: &str) {
    if run.games.iter().any(|other| other.game == record.game) {
        run.warnings.push(format!("{place}: game {} is there already; left out", record.game));
        return;
    }
    if let Some(last) = run.games.last() {
        let mut differs = |what: &str, here: &str, before: &str| {
            if here != before {
                run.warnings.push(format!("{place}: {what} {here}, but {before} before; they are reported apart"));
            }
        };
        differs("client", &record.client, &last.client);
        differs("version", &record.version, &last.version);
    }
    run.games.push(record);
}

/// Makes the folder, which must have nothing in it.
fn make_empty(folder: &Path) -> Result<(), RunError> {
    std::fs::create_dir_all(folder).map_err(disk(folder, "made"))?;
    for entry in std::fs::read_dir(folder).map_err(disk(folder, "read"))? {
        let found = entry.map_err(disk(folder, "read"))?.file_name().to_string_lossy().into_owned();
        // A kill may have come before the header had its name, and another one may begin the same run now.
        if ![HEADER_DRAFT, HEADER, LOCK, GAMES].contains(&found.as_str()) {
            return Err(RunError::SomethingElse { folder: folder.to_owned(), found });
        }
    }
    Ok(())
}

fn create(folder: &Path, header: &RunHeader) -> Result<(), RunError> {
    let text = toml::to_string(header).expect("a header is plain data");
    let draft = folder.join(HEADER_DRAFT);
    let write = || -> io::Result<()> {
        let mut file = File::create(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, folder.join(HEADER))?;
        // The name itself must be on the disk too; not every system can sync a folder.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    };
    write().map_err(disk(&draft, "written"))
}

fn read_header(file: &Path) -> Result<RunHeader, RunError> {
    let bytes = std::fs::read(file).map_err(disk(file, "read"))?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |line, problem| RunError::Header { file: file.to_owned(), line, problem };
    // The format first: the fields of another one need not be known here.
    let table: toml::Table =
        toml::from_str(&text).map_err(|error| wrong(line_of_error(&text, &error), message(&error)))?;
    match table.get("format").and_then(toml::Value::as_integer) {
        Some(format) if format == i64::from(FORMAT) => {}
        Some(format) => {
            let problem = format!(
                "a run of format {format}; this is minesight {}, which reads format {FORMAT}: use the version that recorded it",
                env!("CARGO_PKG_VERSION")
            );
            return Err(wrong(line_of(&text, "format"), problem));
        }
        None => return Err(wrong(1, format!("no `format = {FORMAT}`: not the header of a run"))),
    }
    toml::from_str(&text).map_err(|error| wrong(line_of_error(&text, &error), message(&error)))
}

/// Whether a run that was begun as `recorded` may be continued as `asked`: machine and time may differ, nothing else.
fn check_same(file: &Path, recorded: &RunHeader, asked: &RunHeader) -> Result<(), RunError> {
    let asked = RunHeader { machine: recorded.machine.clone(), started: recorded.started.clone(), ..asked.clone() };
    let table = |header: &RunHeader| toml::Table::try_from(header).expect("a header is plain data");
    let (recorded, asked) = (table(recorded), table(&asked));
    let differing = recorded.keys().chain(asked.keys()).find(|key| recorded.get(*key) != asked.get(*key));
    let Some(key) = differing else { return Ok(()) };
    let say = |table: &toml::Table| match table.get(key) {
        Some(value) => format!("{key} = {value}"),
        None => format!("no {key}"),
    };
    let text = std::fs::read_to_string(file).unwrap_or_default();
    Err(RunError::Differs {
        file: file.to_owned(),
        line: line_of(&text, key),
        recorded: say(&recorded),
        asked: say(&asked),
    })
}

/// The line, from 1, on which `key` is set; 1 if it is not.
fn line_of(text: &str, key: &str) -> usize {
    let sets = |line: &str| line.split('=').next().is_some_and(|name| name.trim() == key);
    text.lines().position(sets).map_or(1, |index| index + 1)
}

fn line_of_error(text: &str, error: &toml::de::Error) -> usize {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1
}

fn message(error: &toml::de::Error) -> String {
    error.message().lines().next().unwrap_or("not TOML").to_owned()
}

fn disk(file: &Path, doing: &'static str) -> impl Fn(io::Error) -> RunError {
    let file = file.to_owned();
    move |why| RunError::Disk { file: file.clone(), doing, why }
}

#[cfg(test)]
mod tests {
    use super::super::Ending;
    use super::*;

    /// A folder of its own for a test, gone afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("minesight-runs-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            Self(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn header() -> RunHeader {
        RunHeader { client: Some("winemine".into()), ..RunHeader::new("best", 1) }
    }

    fn game(number: u64) -> GameRecord {
        let line = format!(
            r#"{{"game":{number},"outcome":"won","width":9,"height":9,"mines":10,"moves":12,"guesses":[0.125],
               "fatal_risk":null,"ms":811.5,"client":"winemine","version":"1"}}"#
        );
        let record: GameRecord = serde_json::from_str(&line).unwrap();
        assert_eq!(record.outcome, Ending::Won);
        record
    }

    fn numbers(games: &[GameRecord]) -> Vec<u64> {
        games.iter().map(|record| record.game).collect()
    }

    /// A run with games 1 to 3, and the bytes of its `games.jsonl`.
    fn three_games(folder: &Path) -> Vec<u8> {
        let mut run = RunFolder::open(folder, &header()).unwrap();
        for number in 1..=3 {
            run.ready().unwrap();
            assert_eq!(run.next_game(), number);
            run.append(game(number)).unwrap();
        }
        std::fs::read(folder.join(GAMES)).unwrap()
    }

    #[test]
    fn killed_at_any_byte_a_run_goes_on_with_every_finished_game_once() {
        let scratch = Scratch::new("killed");
        let whole = three_games(&scratch.0);
        let ends: Vec<usize> = (0..whole.len()).filter(|&index| whole[index] == b'\n').collect();
        // Around the ends of lines every byte, elsewhere some: each cut costs several syncs.
        let near_an_end = |cut: usize| ends.iter().any(|&end| cut.abs_diff(end) <= 2);
        for cut in (0..=whole.len()).filter(|&cut| near_an_end(cut) || cut % 97 == 0) {
            std::fs::write(scratch.0.join(GAMES), &whole[..cut]).unwrap();
            // A record counts as soon as all of it but the line feed is there.
            let finished = ends.iter().filter(|&&end| end <= cut).count() as u64;
            let mut run = RunFolder::open(&scratch.0, &header()).unwrap();
            assert_eq!(run.next_game(), finished + 1, "cut at {cut}");
            let is_cut = cut > 0 && !ends.contains(&(cut - 1)) && !ends.contains(&cut);
            assert_eq!(run.warnings().len(), usize::from(is_cut), "cut at {cut}: {:?}", run.warnings());
            for number in finished + 1..=3 {
                run.append(game(number)).unwrap();
            }
            assert_eq!(std::fs::read(scratch.0.join(GAMES)).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn nothing_is_recorded_into_a_folder_that_holds_something_else() {
        let scratch = Scratch::new("else");
        std::fs::create_dir_all(&scratch.0).unwrap();
        std::fs::write(scratch.0.join("thesis.txt"), "precious").unwrap();
        let error = RunFolder::open(&scratch.0, &header()).unwrap_err().to_string();
        assert!(error.contains("thesis.txt"), "{error}");
        assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 1, "nothing was written");
        let error = RunFolder::open(&scratch.0.join("thesis.txt"), &header()).unwrap_err().to_string();
        assert!(error.contains("thesis.txt"), "{error}");
    }

    #[test]
    fn another_run_is_not_continued() {
        let scratch = Scratch::new("another");
        three_games(&scratch.0);
        for (asked, complaint) in [
            (RunHeader { client: Some("kmines".into()), ..header() }, "client = \"winemine\""),
            (RunHeader { client: None, ..header() }, "no client"),
            (RunHeader { level: Some("expert".into()), ..header() }, "level = \"expert\""),
            (RunHeader { seed: 2, ..header() }, "seed = 2"),
            (RunHeader { version: "99.0.0".into(), ..header() }, "99.0.0"),
        ] {
            let error = RunFolder::open(&scratch.0, &asked).unwrap_err().to_string();
            assert!(error.contains("run.toml:") && error.contains(complaint), "{error}");
        }
        let elsewhere = RunHeader { machine: "another".into(), started: "later".into(), ..header() };
        let run = RunFolder::open(&scratch.0, &elsewhere).unwrap();
        assert!(run.check_client("winemine").is_ok());
        let error = run.check_client("kmines").unwrap_err().to_string();
        assert!(error.contains("games.jsonl:1") && error.contains("kmines"), "{error}");
    }

    #[test]
    fn headers_of_another_kind_are_refused_with_their_line() {
        let scratch = Scratch::new("headers");
        std::fs::create_dir_all(&scratch.0).unwrap();
        for (text, complaint) in [
            ("version = \"9\"\nformat = 2\n", "run.toml:2: a run of format 2"),
            ("colour = 3\n", "run.toml:1: no `format"),
            ("format = 1\nstrategy = \n", "run.toml:2: "),
            ("format = 1\n\nversio = \"0.1.0\"\n", "run.toml:3: unknown field"),
        ] {
            std::fs::write(scratch.0.join(HEADER), text).unwrap();
            for error in [load(&scratch.0).unwrap_err(), RunFolder::open(&scratch.0, &header()).unwrap_err()] {
                assert!(error.to_string().contains(complaint), "{text:?}: {error}");
            }
        }
    }

    #[test]
    fn odd_lines_are_named_and_the_rest_is_used() {
        let scratch = Scratch::new("odd");
        three_games(&scratch.0);
        let line = |record: &GameRecord| serde_json::to_string(record).unwrap();
        let other = GameRecord { client: "kmines".into(), ..game(4) };
        let text = format!("{}\nrubbish\n{}\n{}\n{{\"game\":5", line(&game(1)), line(&game(1)), line(&other));
        std::fs::write(scratch.0.join(GAMES), text).unwrap();
        let run = load(&scratch.0).unwrap();
        assert_eq!(numbers(&run.games), [1, 4]);
        let complaints =
            ["games.jsonl:2: not a game", ":3: game 1 is there already", ":4: client kmines", ":5: the last line"];
        assert_eq!(run.warnings.len(), complaints.len(), "{:?}", run.warnings);
        for (warning, complaint) in run.warnings.iter().zip(complaints) {
            assert!(warning.contains(complaint), "{warning}");
        }
    }

    #[test]
    fn two_do_not_record_into_one_folder() {
        let scratch = Scratch::new("two");
        let first = RunFolder::open(&scratch.0, &header()).unwrap();
        assert!(matches!(RunFolder::open(&scratch.0, &header()), Err(RunError::Busy(_))));
        drop(first);
        assert!(RunFolder::open(&scratch.0, &header()).is_ok());
    }

    #[test]
    fn where_nothing_can_be_written_no_game_is_begun() {
        let scratch = Scratch::new("unwritable");
        let mut run = RunFolder::open(&scratch.0, &header()).unwrap();
        std::fs::create_dir(scratch.0.join(RESERVE)).unwrap();
        let error = run.ready().unwrap_err().to_string();
        assert!(error.contains("cannot be written"), "{error}");
    }
}
