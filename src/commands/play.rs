//! `minesight play`: games on the screen, or on the built-in client.

mod debug;
mod learning;
mod page;
mod stops;
pub mod summary;
mod terminal;
mod world;

use super::Interrupted;
use crate::bot::{self, Abort, Bot, Options, Outcome, Place, Played, Stage};
use crate::calibrate::on_the_job::Unknown;
use crate::cli::{Flags, Frames, PlayArgs};
use crate::client::{self, Client, Level};
use crate::desktop::Desktop;
use crate::game::Rule;
use crate::geometry::BoardSize;
use crate::page::live;
use crate::runs::{self, Ending, GameRecord, RunFolder, RunHeader, Stages};
use crate::session::{End, Recording, Start};
use crate::simulate::game_seed;
use crate::solver::{self, Setup, Strategy};
use crate::vision::Eyes;
use anyhow::{Context, bail};
use page::RunPage;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stops::Stops;
use summary::{Progress, Summary};
use world::World;

/// Plays the games that were asked for, telling of each as it ends.
pub fn run(args: &PlayArgs) -> anyhow::Result<()> {
    let clients = clients(args)?;
    let mut eyes: Vec<Eyes> = clients.iter().cloned().map(Eyes::new).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let mut folder = args.record.as_deref().map(|path| RunFolder::open(path, &header(args, &clients))).transpose()?;
    // By number, for a record that cannot be read is a game all the same.
    let played_before = folder.as_ref().map_or(0, |folder| folder.next_game() - 1);
    let progress = Progress::new(args.most_games());
    let page = args.page.map(|address| super::stage::open(address, "A run of games")).transpose()?;
    let mut world = world::open(args, &clients, played_before, progress.bar(), stop.clone(), page.clone())?;
    if args.dry_run {
        return dry_run(args, world, &mut eyes);
    }
    // Only from here on: before, Ctrl+C ends the program as usual.
    ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            stop_at_once();
        }
    })
    .context("cannot catch Ctrl+C")?;
    let mut summary = Summary::default();
    let stops = Stops::new(args);
    if let Some(folder) = &mut folder {
        folder.warnings().iter().for_each(|warning| log::warn!("{warning}"));
        folder.games().iter().for_each(|record| summary.add(record));
        // Nothing is looked for, clicked or typed for a run that is complete.
        if let Some(last) = folder.games().last()
            && (stops.is_enough(&summary) || folder.next_game() > args.most_games())
        {
            return summary.print(args, &last.client);
        }
        if folder.is_continued() {
            let last = folder.games().last().map(|last| BoardSize::new(last.width, last.height));
            bot::uncover(&mut world, &mut eyes, last.or(args.board.size)).map_err(interrupted)?;
        }
    }
    learning::learn_what_is_shown(args, &mut world, &mut eyes).map_err(interrupted)?;
    let mut session = Session::find(args, world, &mut eyes).map_err(interrupted)?;
    if let Some(folder) = &mut folder {
        folder.check_client(&session.client.name)?;
    }
    let trouble = play_all(&mut session, folder, &progress, &mut summary, &stops, page);
    progress.finish();
    summary.print(args, &session.client.name)?;
    trouble.map_err(interrupted)
}

/// The second Ctrl+C: nothing is waited for but a button that is down.
fn stop_at_once() {
    #[cfg(feature = "hands")]
    crate::desktop::live::let_go();
    std::process::exit(Interrupted::CODE.into());
}

/// What the person asked for is no failure.
fn interrupted(error: impl Into<anyhow::Error>) -> anyhow::Error {
    use crate::desktop::DesktopError::{Stopped, Taken};
    let error = error.into();
    let desktop = match error.downcast_ref::<Abort>() {
        Some(Abort::Desktop(desktop)) => Some(desktop),
        _ => error.downcast_ref(),
    };
    match desktop {
        Some(why @ (Stopped | Taken)) => Interrupted(why.to_string()).into(),
        _ => error,
    }
}

/// The clients to look for.
fn clients(args: &PlayArgs) -> anyhow::Result<Vec<Arc<Client>>> {
    let all = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref())?;
    Ok(match &args.client.client {
        Some(name) => vec![Arc::new(client::by_name(&all, name)?.clone())],
        None => all.into_iter().map(Arc::new).collect(),
    })
}

fn header(args: &PlayArgs, clients: &[Arc<Client>]) -> RunHeader {
    let has_own = args.client.calibration.is_some() || args.client.templates.is_some();
    RunHeader {
        client: args.client.client.clone(),
        level: args.board.level.clone(),
        width: args.board.size.map(|size| size.width),
        height: args.board.size.map(|size| size.height),
        mines: args.board.mines,
        simulated: args.simulated,
        flag_mines: args.flags == Flags::Mines,
        chord: args.chord,
        max_risk: args.max_risk,
        think_ms: args.think,
        area: args.strategy.area.to_string(),
        calibration: args.client.calibration.as_ref().map(|path| path.display().to_string()),
        templates: args.client.templates.as_ref().map(|path| path.display().to_string()),
        clients: has_own.then(|| print_of(clients)),
        ..RunHeader::new(&args.strategy.strategy, args.strategy.seed)
    }
}

/// A fingerprint of what is known of the clients: with other calibrations or pictures it would be another player.
fn print_of(clients: &[Arc<Client>]) -> String {
    let mut hash = std::hash::DefaultHasher::new();
    for client in clients {
        serde_json::to_string(&**client).unwrap_or_default().hash(&mut hash);
        for picture in client.themes.iter().flat_map(|theme| &theme.pictures) {
            picture.pixels.as_raw().hash(&mut hash);
        }
    }
    format!("{:016x}", hash.finish())
}

fn options(args: &PlayArgs, client: Option<&Client>) -> Options {
    let level = args.board.level.as_deref().and_then(|name| client?.level(name));
    Options {
        mines: args.board.mines.or(level.map(|level| level.mines)),
        flag_mines: args.flags == Flags::Mines,
        chord: args.chord,
        delay: Duration::from_millis(args.delay),
        max_risk: args.max_risk,
        wait: args.wait,
        size: level.map(Level::size).or(args.board.size),
    }
}

fn player(args: &PlayArgs, rule: Rule) -> anyhow::Result<Box<dyn Strategy>> {
    let setup = Setup { rule, ..args.strategy.setup(args.think) }.with_all_threads();
    Ok(solver::by_name(&args.strategy.strategy, &setup)?)
}

/// Says what would be clicked now.
fn dry_run(args: &PlayArgs, mut world: World, eyes: &mut [Eyes]) -> anyhow::Result<()> {
    let mut bot = Bot::start(&mut world, eyes, options(args, None))?;
    let scene = bot.look()?;
    let board = scene.reading.board(bot.mines(&scene))?;
    let decision = player(args, bot.client().rules.first_click)?.decide(&board)?;
    if args.json {
        let rows: Vec<String> = board.rows().collect();
        println!("{}", serde_json::json!({"client": bot.client().name, "rows": rows, "decision": decision}));
    } else {
        println!("{}\n{}", summary::text_of(&board), summary::decision(&decision));
    }
    Ok(())
}

/// Between two looks for a board that is waited for.
const PAUSE: Duration = Duration::from_millis(250);

/// What is taken of the board on the screen, which is waited for as long as the arguments say; or why there is none, or none that will do.
fn wait_for_board<T>(
    args: &PlayArgs,
    world: &mut World,
    eyes: &mut [Eyes],
    mut take: impl FnMut(&mut Bot<World>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let began = world.clock();
    let mut is_said = false;
    loop {
        world.allow(&[]); // what was found before is not the window that is played in
        let tried = world.clock();
        let found = match Bot::start(world, eyes, Options::default()) {
            Ok(mut bot) => take(&mut bot),
            Err(error) if error.may_pass() => Err(error.into()),
            Err(other) => return Err(other.into()),
        };
        match found {
            Ok(found) => return Ok(found),
            Err(error) if tried.saturating_sub(began) >= args.wait => return Err(error),
            Err(error) if !is_said => {
                is_said = true;
                eprintln!("waiting for a board, up to {} s ({error:#})", args.wait.as_secs_f32());
            }
            Err(_) => {}
        }
        // As the game before may have ended.
        bot::uncover(world, eyes, args.board.size)?;
        world.wait(PAUSE)?;
    }
}

/// Everything a run of games needs.
struct Session<'a> {
    args: &'a PlayArgs,
    world: Recording<World>,
    /// Only those of the client that was found.
    eyes: &'a mut [Eyes],
    client: Arc<Client>,
    player: Box<dyn Strategy>,
    options: Options,
    /// Where the board was in the last game.
    place: Option<Place>,
    /// Whether that was given up, or no new one began: the board may be anywhere, with anything on it.
    was_aborted: bool,
    /// What was not recognised so far.
    unknown: Unknown,
}

/// Whether the board on the screen is what was asked for.
fn check_size(args: &PlayArgs, client: &Client, size: BoardSize) -> anyhow::Result<()> {
    let asked = match &args.board.level {
        Some(name) => {
            let level = client.level(name).with_context(|| {
                let known: Vec<&str> = client.levels.iter().map(|level| level.name.as_str()).collect();
                format!("{} has no level {name:?}; it has: {}", client.name, known.join(", "))
            })?;
            Some(level.size())
        }
        None => args.board.size,
    };
    if let Some(asked) = asked
        && asked != size
    {
        bail!("the board on the screen is {size}, not {asked}: choose the level in {}, then try again", client.name);
    }
    if !client.has_size(size) && args.board.size.is_none() && args.board.mines.is_none() {
        bail!(
            "the board on the screen is {size}, which is no level of {}: if something covers a part of it, move that \
             away; if it is right, say so with --size {size}, and --mines M unless the client shows how many there are",
            client.name
        );
    }
    Ok(())
}

impl<'a> Session<'a> {
    /// Looks which client is on the screen, and whether it is what was asked for; waits for it as long as the arguments say.
    fn find(args: &'a PlayArgs, mut world: World, eyes: &'a mut [Eyes]) -> anyhow::Result<Self> {
        let (whose, client) = wait_for_board(args, &mut world, eyes, |bot| {
            check_size(args, bot.client(), bot.size())?;
            bot.clear_away()?;
            Ok((bot.whose(), bot.client().clone()))
        })?;
        let player = player(args, client.rules.first_click)?;
        let options = options(args, Some(&client));
        let eyes = &mut eyes[whose..=whose];
        let client = eyes[0].client().clone();
        Ok(Self {
            args,
            world: Recording::new(world),
            eyes,
            client,
            player,
            options,
            place: None,
            was_aborted: false,
            unknown: Unknown::default(),
        })
    }

    /// Sees to it that no game counts that was over before. In a recorded run the next one counts from its first click on: a game that is
    /// under way is not thrown away, but played to its end, and does not count.
    fn clear_the_board(&mut self, is_recorded: bool) -> anyhow::Result<()> {
        let options = self.options.clone();
        let mut bot = Bot::start(&mut self.world, self.eyes, options)?;
        let stage = match bot.stage() {
            // What is wrong with the board is told of the game that is played on it.
            Err(abort) if !is_recorded && !abort.is_request() => return Ok(()),
            other => other?,
        };
        match stage {
            Stage::Over => bot.new_game()?,
            Stage::UnderWay if is_recorded => {
                eprintln!("a game is under way: it is played to its end first, and does not count");
                self.player.new_game(self.args.strategy.seed);
                match bot.play_game(self.player.as_ref()).outcome {
                    Outcome::Aborted(abort) if !abort.is_limit() => {
                        return Err(anyhow::Error::new(abort).context("the game that was under way cannot be finished"));
                    }
                    _ => bot.new_game()?,
                }
            }
            Stage::Fresh | Stage::UnderWay => {}
        }
        self.place = Some(bot.place());
        Ok(())
    }

    /// A fresh board after a game that was given up, wherever the client is now.
    fn begin_after_abort(&mut self) -> anyhow::Result<()> {
        let options = self.options.clone();
        let mut bot = match self.place.take() {
            Some(place) => Bot::start_over(place, &mut self.world, self.eyes, options)?,
            None => Bot::start(&mut self.world, self.eyes, options)?,
        };
        Ok(bot.begin_unless_fresh()?)
    }

    /// One game from its beginning to its end, if its record will find room; it is recorded before a fresh board is asked
    /// for, if `another` game is wanted.
    fn play(
        &mut self,
        number: u64,
        folder: &mut Option<RunFolder>,
        another: impl FnOnce(&GameRecord) -> bool,
    ) -> anyhow::Result<Game> {
        folder.as_mut().map_or(Ok(()), RunFolder::ready)?;
        if std::mem::take(&mut self.was_aborted) {
            self.begin_after_abort().with_context(|| format!("game {number} could not begin"))?;
        }
        let started = runs::now();
        let keeps = folder.is_some() && self.args.frames != Frames::None;
        let (start, options) = (self.start(number)?, self.options.clone());
        let start_seed = start.seed;
        if keeps {
            self.world.begin(start);
            // A replay has but the pictures of this game.
            self.eyes.iter_mut().for_each(Eyes::forget);
        }
        // What is replayed must be found in the pictures; otherwise the board is where it was.
        let mut bot = match self.place.take().filter(|_| !keeps) {
            Some(place) => Bot::start_at(place, &mut self.world, self.eyes, options)?,
            None => Bot::start(&mut self.world, self.eyes, options)?,
        };
        // Another level may have been chosen since the last game.
        check_size(self.args, bot.client(), bot.size())?;
        self.player.new_game(start_seed);
        let played = bot.play_game(self.player.as_ref());
        let ending = ending(&played.outcome);
        let is_request = matches!(&played.outcome, Outcome::Aborted(abort) if abort.is_request());
        let mut record = record(self.args, &self.client, number, &played, started, bot.theme().to_owned());
        let is_kept = self.args.frames == Frames::All || ending != Ending::Won;
        let tape = bot.desktop().end().filter(|_| is_kept);
        if tape.as_ref().is_some_and(|(tape, _)| tape.is_full()) {
            log::warn!("game {number} was too long for its pictures to be kept");
        }
        let tape = tape.filter(|(tape, _)| !tape.is_full());
        let mut next = None;
        if !is_request {
            let mut has_room = true;
            if let Some(folder) = folder {
                record.last_frame = tape.as_ref().and_then(|(tape, _)| tape.last_frame());
                if let Some((mut tape, now)) = tape {
                    if self.args.whole_screen {
                        tape.keep_all();
                    }
                    // The pictures take their time: a kill meanwhile must not lose a lost game.
                    folder.announce(&record)?;
                    let end = End { outcome: outcome_name(ending).into(), trouble: trouble(&played) };
                    let saved = tape.save(folder.folder(), now, end);
                    has_room = saved.is_ok();
                    next = saved.err().map(|error| {
                        anyhow::Error::new(error).context(format!("the pictures of game {number} are not kept"))
                    });
                }
                folder.append(record.clone())?;
            }
            self.was_aborted = ending == Ending::Aborted;
            if another(&record) && has_room && !self.was_aborted {
                match bot.new_game() {
                    Ok(()) => {}
                    Err(abort) if abort.is_request() => next = Some(abort.into()),
                    Err(abort) => {
                        // Nothing is lost yet: the client is looked for anew, and told to once more.
                        log::warn!("game {} could not begin: {abort}; trying again", number + 1);
                        self.was_aborted = true;
                    }
                }
            }
        }
        self.place = Some(bot.place());
        Ok(Game { record, played, next })
    }

    fn start(&self, number: u64) -> anyhow::Result<Start> {
        let level = self.args.board.level.clone();
        let options = [
            ("flag_mines", self.options.flag_mines.into()),
            ("chord", self.options.chord.into()),
            ("delay_ms", self.args.delay.into()),
            ("max_risk", self.options.max_risk.into()),
            ("wait_ms", (self.options.wait.as_millis() as u64).into()),
            ("mines", self.options.mines.into()),
        ];
        Ok(Start {
            game: number,
            version: env!("CARGO_PKG_VERSION").into(),
            client: self.client.name.clone(),
            theme: String::new(),
            level,
            width: 0,
            height: 0,
            mines: 0,
            strategy: self.args.strategy.strategy.clone(),
            rule: self.client.rules.first_click,
            seed: game_seed(self.args.strategy.seed, number),
            think_ms: self.args.think,
            grid: None,
            options: BTreeMap::from(options.map(|(name, value): (_, serde_json::Value)| (name.to_owned(), value))),
        })
    }
}

/// What is recorded of a game.
fn record(args: &PlayArgs, client: &Client, game: u64, played: &Played, started: String, theme: String) -> GameRecord {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let effort = &played.effort;
    GameRecord {
        game,
        outcome: ending(&played.outcome),
        width: played.size.width,
        height: played.size.height,
        mines: played.mines.unwrap_or(0),
        moves: played.moves,
        guesses: played.guesses.iter().map(|(risk, _)| *risk).collect(),
        kinds: played.guesses.iter().map(|(_, kind)| *kind).collect(),
        fatal_risk: played.fatal.map(|(risk, _)| risk),
        fatal_kind: played.fatal.and_then(|(_, kind)| kind),
        ms: ms(played.time),
        trouble: trouble(played),
        version: env!("CARGO_PKG_VERSION").into(),
        client: client.name.clone(),
        theme,
        level: client.level_of(played.size).map(|level| level.name.clone()),
        strategy: args.strategy.strategy.clone(),
        rule: Some(client.rules.first_click),
        no_guess: client.rules.no_guess,
        seed: args.strategy.seed,
        stages: Stages {
            capture: ms(effort.capture),
            locate: ms(effort.locate),
            read: ms(effort.read),
            decide: ms(effort.decide),
            click: ms(effort.click),
            wait: ms(effort.wait),
        },
        clicks: effort.clicks.into(),
        looks: effort.looks.into(),
        started,
        last_frame: None,
    }
}

/// A game that was played.
struct Game {
    record: GameRecord,
    played: Played,
    /// Why there cannot be another one after it.
    next: Option<anyhow::Error>,
}

/// So many games in a row without an end mean that something is wrong that will not go away.
const ABORTS: usize = 3;

fn play_all(
    session: &mut Session,
    mut folder: Option<RunFolder>,
    progress: &Progress,
    summary: &mut Summary,
    stops: &Stops,
    page: Option<Arc<live::Stage>>,
) -> anyhow::Result<()> {
    let args = session.args;
    let mut page = page.map(|stage| RunPage::new(stage, args.most_games()));
    let first = folder.as_ref().map_or(1, RunFolder::next_game);
    let most = args.most_games();
    if stops.is_enough(summary) || first > most {
        return Ok(());
    }
    session.clear_the_board(folder.is_some())?;
    progress.begin(summary);
    if let Some(page) = &mut page {
        page.begin(summary);
    }
    let mut aborts = 0;
    for number in first..=most {
        let another = |record: &GameRecord| {
            summary.add(record);
            number < most && !stops.is_enough(summary)
        };
        let Game { record, played, next } = session.play(number, &mut folder, another)?;
        let learned = session.learn(&played).and_then(|()| session.learn_theme(&played));
        let kept = debug::keep_if_odd(args, &session.client, number, &played).unwrap_or_else(|error| {
            log::warn!("the last pictures of game {number}: {error:#}");
            None
        });
        let is_failure = matches!(&played.outcome, Outcome::Aborted(abort) if !abort.is_limit() && !abort.is_by_hand());
        if let Outcome::Aborted(abort) = played.outcome
            && abort.is_request()
        {
            // Not the game's fault: it is not counted.
            return Err(abort.into());
        }
        if args.json {
            println!("{}", serde_json::to_string(&record)?);
        }
        progress.game_over(&record, summary, kept.as_deref());
        if let Some(page) = &mut page {
            page.game_over(&record, summary);
        }
        learned?;
        aborts = if is_failure { aborts + 1 } else { 0 };
        if let Some(trouble) = next {
            return Err(trouble);
        }
        if aborts == ABORTS || (aborts > 0 && number == most) {
            bail!("{}", record.trouble.unwrap_or_default());
        }
        if stops.is_enough(summary) {
            break;
        }
    }
    Ok(())
}

fn ending(outcome: &Outcome) -> Ending {
    match outcome {
        Outcome::Won => Ending::Won,
        Outcome::Lost => Ending::Lost,
        Outcome::Aborted(_) => Ending::Aborted,
    }
}

fn outcome_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Won => "won",
        Ending::Lost => "lost",
        Ending::Aborted => "aborted",
    }
}

/// What went wrong, if anything did that the outcome alone does not tell.
fn trouble(played: &Played) -> Option<String> {
    match &played.outcome {
        Outcome::Aborted(abort) => Some(abort.to_string()),
        Outcome::Lost if played.fatal.is_none() => Some("a mine went off that the bot did not open".into()),
        Outcome::Won | Outcome::Lost => None,
    }
}
