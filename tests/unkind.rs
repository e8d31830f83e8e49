//! Games on a desktop that is not kind: windows are moved, covered, closed and minimised, the keyboard is taken, the person plays
//! along, presses are lost, late or doubled, pictures torn, black or missing, all at random moments.
//!
//! Whatever happens: other windows get nothing, nothing is clicked beside the board and its controls, the outcome told is the true one,
//! no game is lost on a tile that was held to be safe, every game ends within its time, and one that is given up names a cause that
//! there was. `GAMES=10000 cargo test --release --no-default-features --test unkind -- --include-ignored --nocapture` prints the table that is in
//! `results/hands.md`. `SEED=7` plays that one alone. A failing schedule is shortened, and kept as a session.

use minesight::bot::{Abort, Bot, Doubt, Options, Outcome, Stage, uncover};
use minesight::client::{self, Client};
use minesight::desktop::simulated::events::{Event, What, When, schedule};
use minesight::desktop::simulated::unkind::{Astray, Unkind};
use minesight::desktop::simulated::{DialogAt, Faults, Plan, Simulated, Skin};
use minesight::desktop::{Desktop, DesktopError, Guarded};
use minesight::game::State;
use minesight::geometry::BoardSize;
use minesight::session::{End, Recording, Start};
use minesight::solver::{self, GuessKind, Setup};
use minesight::vision::Eyes;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Manners: the client, its board, and whether it hides that while it has not the keyboard.
const MANNERS: [(&str, BoardSize, u32, bool); 4] = [
    ("winemine", BoardSize::new(9, 9), 10, false),
    ("gnome-mines", BoardSize::new(8, 8), 10, true),
    ("sgt-mines", BoardSize::new(9, 9), 10, false),
    ("xdemineur", BoardSize::new(12, 9), 15, false),
];

/// Seeds beyond the first that failed once: a level changed in mid-game and before a click on a control, a second window while the
/// first was minimised, covered or played, a dialog that let nothing be clicked, a wrong flag beside a tile that another click had opened,
/// a flag taken off late beside an opening, a tile that was being pressed, a press for a flag that was lost or counted twice, a second window
/// that is found before the client's own, a mine that went off below what covered it, a larger board before the first tile was open, a dialog
/// that let nothing be clicked for long, a board that its client hid.
const FAILED: [u64; 41] = [
    1215, 1227, 1987, 2291, 2332, 2407, 2745, 2750, 2764, 2842, 3081, 3118, 3406, 3484, 3732, 3828, 3862, 4085, 4279,
    4798, 5118, 5330, 5346, 5787, 6217, 6265, 6403, 7095, 8883, 8961, 9193, 9888, 9917, 10830, 13720, 15349, 16303,
    17245, 18253, 18828, 5616,
];

/// Nothing that a game waits for takes as long as this.
const LONGEST: Duration = Duration::from_secs(900);

/// How a game ended, told in a word, and what had happened to it.
struct Trial {
    ending: &'static str,
    is_given_up: bool,
    happened: Vec<What>,
}

struct Lab {
    clients: Vec<(Arc<Client>, Eyes)>,
}

impl Lab {
    fn new() -> Self {
        let all = client::bundled().unwrap();
        let of = |name: &str| {
            let mut client = client::by_name(&all, name).unwrap().clone();
            client.themes.truncate(2); // to look for many takes long, and one more is enough to change to
            Arc::new(client)
        };
        Self { clients: MANNERS.map(|(name, ..)| of(name)).map(|client| (client.clone(), Eyes::new(client))).into() }
    }

    /// What is to happen in the game of a seed.
    fn schedule(&self, seed: u64) -> Vec<Event> {
        let (_, size, ..) = MANNERS[seed as usize % MANNERS.len()];
        schedule(seed, &self.clients[seed as usize % MANNERS.len()].0, size)
    }

    fn desktop(&self, seed: u64, events: &[Event]) -> Guarded<Unkind> {
        self.desktop_with(seed, events, |_| {})
    }

    fn desktop_with(&self, seed: u64, events: &[Event], change: impl FnOnce(&mut Faults)) -> Guarded<Unkind> {
        let which = seed as usize % MANNERS.len();
        let ((_, size, mines, hides), client) = (MANNERS[which], &self.clients[which].0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let skin = Skin::of(&client.themes[0]);
        // The smallest tiles: it takes less time to look at them, and there is room for them to grow.
        let widths = client.themes[0].pictures.iter().map(|picture| picture.pixels.width());
        let mut plan = Plan::new(size, mines, widths.min().unwrap().into(), seed).with_room();
        plan.faults = Faults {
            late: Duration::from_millis(rng.random_range(0..60)),
            piecemeal: Duration::from_micros(rng.random_range(0..1500)),
            hover: client.hands.park.is_some() && rng.random(),
            pressed_look: rng.random(),
            dialog: !client.hands.uncover.is_empty() && rng.random(),
            ..Faults::default()
        };
        change(&mut plan.faults);
        let simulated = Simulated::new(Client::clone(client), skin, plan).unwrap();
        Guarded::new(Unkind::new(simulated, hides, events.to_vec()))
    }

    /// Plays the game of a seed with these events. What is not as it must be is the error.
    fn play(&self, seed: u64, events: &[Event]) -> Result<Trial, String> {
        let mut desktop = self.desktop(seed, events);
        let played = catch_unwind(AssertUnwindSafe(|| self.play_on(seed, &mut desktop, Duration::ZERO)));
        let (told, begun) = played.map_err(|_| "it panics".to_owned())?;
        judge(desktop.inner_mut(), told, begun)
    }

    /// One game, and a fresh board after it if it came to an end; what was told of both.
    fn play_on(&self, seed: u64, desktop: &mut impl Desktop, delay: Duration) -> (Told, Option<Abort>) {
        let (client, eyes) = &self.clients[seed as usize % MANNERS.len()];
        let mut eyes = [eyes.clone()];
        let setup = Setup { rule: client.rules.first_click, ..Setup::default() };
        let player = solver::by_name("lowest-risk", &setup).unwrap();
        let options = Options { wait: Duration::from_secs(10), delay, ..Options::default() };
        let mut bot = match Bot::start(desktop, &mut eyes, options) {
            Ok(bot) => bot,
            Err(abort) => return (Told { outcome: Outcome::Aborted(abort), fatal: None, clicks: 0 }, None),
        };
        let played = bot.play_game(player.as_ref());
        let told = Told { fatal: played.fatal, clicks: played.effort.clicks, outcome: played.outcome };
        let begun = if matches!(told.outcome, Outcome::Aborted(_)) { None } else { bot.new_game().err() };
        (told, begun)
    }

    /// As few of the events as still fail.
    fn shortened(&self, seed: u64, events: Vec<Event>) -> Vec<Event> {
        let mut events = events;
        while let Some(index) = (0..events.len()).find(|&index| {
            let mut fewer = events.clone();
            fewer.remove(index);
            self.play(seed, &fewer).is_err()
        }) {
            events.remove(index);
        }
        events
    }

    /// Records the game of a seed with these events; where.
    fn keep(&self, seed: u64, events: &[Event], trouble: &str) -> String {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unkind-{seed}"));
        let _ = std::fs::remove_dir_all(&folder);
        let (client, _) = &self.clients[seed as usize % MANNERS.len()];
        let mut desktop = Recording::new(self.desktop(seed, events));
        let size = MANNERS[seed as usize % MANNERS.len()].1;
        desktop.begin(Start {
            game: 1,
            version: env!("CARGO_PKG_VERSION").into(),
            client: client.name.clone(),
            theme: String::new(),
            level: None,
            width: size.width,
            height: size.height,
            mines: 0,
            strategy: "lowest-risk".into(),
            rule: client.rules.first_click,
            seed: 1,
            think_ms: 0,
            grid: None,
            options: BTreeMap::from([("wait_ms".to_owned(), 10_000.into())]),
        });
        let _ = catch_unwind(AssertUnwindSafe(|| self.play_on(seed, &mut desktop, Duration::ZERO)));
        let (tape, now) = desktop.end().unwrap();
        let end = End { outcome: "aborted".into(), trouble: Some(trouble.to_owned()) };
        tape.save(&folder, now, end).map_or_else(|error| error.to_string(), |()| folder.display().to_string())
    }
}

/// What the bot told of its game.
struct Told {
    outcome: Outcome,
    fatal: Option<(f64, Option<GuessKind>)>,
    clicks: u32,
}

fn judge(desktop: &mut Unkind, told: Told, begun: Option<Abort>) -> Result<Trial, String> {
    let happened = desktop.happened().to_vec();
    let has = |is: fn(&What) -> bool| happened.iter().any(is);
    if desktop.astray() != Astray::default() {
        return Err(format!("{:?} after {happened:?}", desktop.astray()));
    }
    if desktop.clock() > LONGEST {
        return Err(format!("it took {:?}", desktop.clock()));
    }
    let is = desktop.state();
    let is_opened = has(|what| matches!(what, What::Open(_)));
    match &told.outcome {
        Outcome::Won if is != State::Won => return Err(format!("told to be won, but it is {is:?}")),
        Outcome::Lost if is != State::Lost => return Err(format!("told to be lost, but it is {is:?}")),
        // Only the first click of a game is promised to be safe: the person's was it, a moment before.
        Outcome::Lost if told.fatal == Some((0.0, Some(GuessKind::Start))) && is_opened => {}
        Outcome::Lost if told.fatal.is_some_and(|(risk, _)| risk == 0.0) => {
            return Err("lost on a tile that was held to be safe".into());
        }
        // A press on a number may open what is around it: where it is one too many, or there is a wrong flag that was not painted yet,
        // nobody has opened that.
        Outcome::Lost if told.fatal.is_none() && !is_opened && !desktop.is_unforeseen() => {
            return Err("lost on a mine that nobody opened".into());
        }
        _ => {}
    }
    let given_up = match &told.outcome {
        Outcome::Aborted(abort) => Some(abort),
        Outcome::Won | Outcome::Lost => begun.as_ref(),
    };
    if let Some(abort) = given_up
        && !is_explained(abort, &happened)
    {
        return Err(format!("given up after {} clicks: {abort}; but only {happened:?}", told.clicks));
    }
    let (ending, is_given_up) = match told.outcome {
        Outcome::Won => ("won", false),
        Outcome::Lost => ("lost", false),
        Outcome::Aborted(_) => ("given up", true),
    };
    Ok(Trial { ending, is_given_up, happened })
}

/// Whether something that happened is a cause for giving up like this.
fn is_explained(abort: &Abort, happened: &[What]) -> bool {
    let covers = |what: &What| {
        matches!(
            what,
            What::Cover(..) | What::Notice(_) | What::Dialog(_) | What::Focus(_) | What::Minimise(_) | What::Close
        )
    };
    let changes = |what: &What| matches!(what, What::Restart | What::Level(..) | What::Levels);
    happened.iter().any(|what| match abort {
        // What a client looks like in another theme or size the eyes may not know.
        Abort::Gone(_) | Abort::NotFound(_) => covers(what) || matches!(what, What::Theme | What::Resize(_)),
        Abort::Doubt(Doubt::Covered { .. }) => covers(what) || matches!(what, What::Theme | What::Resize(_)),
        Abort::Doubt(Doubt::Changed { .. }) | Abort::Restarted => changes(what),
        Abort::Doubt(Doubt::Mine(_)) => matches!(what, What::Open(_)),
        Abort::Stuck { .. } => matches!(what, What::Theme | What::Resize(_)),
        Abort::Resized { .. } => covers(what) || changes(what),
        Abort::Desktop(DesktopError::Foreign(_)) => covers(what),
        Abort::Desktop(DesktopError::Capture(_)) => matches!(what, What::Fail(_)),
        Abort::Desktop(DesktopError::Black) => matches!(what, What::Black(_)),
        Abort::NoNewGame(_) => covers(what) || changes(what),
        _ => false,
    })
}

/// Plays the games of these seeds; a table by what happened, and the failures.
fn campaign(seeds: impl Iterator<Item = u64>) -> (String, Vec<String>) {
    let lab = Lab::new();
    let mut failures = Vec::new();
    let (mut rows, mut endings): (BTreeMap<&str, [u32; 4]>, BTreeMap<&str, u32>) = Default::default();
    for seed in seeds {
        let events = lab.schedule(seed);
        match lab.play(seed, &events) {
            Ok(trial) => {
                *endings.entry(trial.ending).or_default() += 1;
                let mut names: Vec<&str> = trial.happened.iter().map(|what| what.name()).collect();
                names.sort_unstable();
                names.dedup();
                for name in if names.is_empty() { vec!["nothing"] } else { names } {
                    let row = rows.entry(name).or_default();
                    row[0] += 1;
                    row[if trial.is_given_up { 2 } else { 1 }] += 1;
                }
            }
            Err(trouble) => {
                let events = lab.shortened(seed, events);
                let trouble = lab.play(seed, &events).err().unwrap_or(trouble);
                let kept = lab.keep(seed, &events, &trouble);
                let failure =
                    format!("seed {seed} ({}): {trouble}\n  {events:?}\n  {kept}", MANNERS[seed as usize % 4].0);
                println!("{failure}");
                failures.push(failure);
            }
        }
    }
    let mut table = String::from(
        "| what happened | games | came to their end | given up for that | failed |\n|---|---:|---:|---:|---:|\n",
    );
    for (name, [games, went_on, given_up, failed]) in rows {
        table += &format!("| {name} | {games} | {went_on} | {given_up} | {failed} |\n");
    }
    (format!("{table}\n{endings:?}, {} failed\n", failures.len()), failures)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Between a decision and its clicks may lie a person's thoughts: what has changed meanwhile is not clicked.
#[test]
fn a_game_that_was_restarted_before_the_click_is_not_touched() {
    let lab = Lab::new();
    for (seed, ms) in [(0, 3000), (4, 5500), (8, 4900)] {
        let event = Event { when: When::Time(Duration::from_millis(ms)), what: What::Restart };
        let mut desktop = lab.desktop(seed, &[event]);
        let (told, _) = lab.play_on(seed, &mut desktop, Duration::from_secs(2));
        assert!(matches!(told.outcome, Outcome::Aborted(Abort::Restarted)), "{:?}", told.outcome);
        let board = desktop.inner().client().game().board();
        assert!(board.tiles().iter().all(|&tile| tile == minesight::board::Tile::Hidden), "seed {seed}");
    }
}

/// One thing that happens in mid-game, to clients of all manners, and how the game ends: by itself, or given up with this word.
#[test]
fn what_passes_does_not_end_a_game_and_what_stays_is_named() {
    let (short, long) = (Duration::from_secs(3), Duration::from_secs(60));
    let lab = Lab::new();
    for (number, (what, given_up)) in [
        (What::Move(31, -17), None),
        (What::Resize(3), None),
        (What::Cover([-0.1, -0.1], [0.5, 1.1], short), None),
        (What::Cover([-0.5, -0.5], [1.5, 1.5], short), None),
        (What::Notice(short), None),
        (What::Focus(short), None),
        (What::Focus(long), None), // the client's window is brought to the front
        (What::Minimise(short), None),
        (What::Dialog(short), None),
        (What::Second, None),
        (What::Twice, None),
        (What::Lost, None),
        (What::Late(Duration::from_millis(400)), None),
        (What::Torn, None),
        (What::Black(3), None),
        (What::Fail(3), None),
        (What::Fail(1000), Some("captured")),
        (What::Notice(long), Some("cover")),
        (What::Minimise(long), Some("no longer to be seen")),
        (What::Close, Some("no longer to be seen")),
        (What::Restart, Some("begun on the board by hand")),
        (What::Level(BoardSize::new(16, 16), 40), Some("")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut seen = 0;
        for seed in (0..4).map(|manner| number as u64 * 4 + manner) {
            let mut desktop = lab.desktop(seed, &[Event { when: When::Press(6), what }]);
            let (told, begun) = lab.play_on(seed, &mut desktop, Duration::ZERO);
            if desktop.inner().happened().is_empty() {
                continue; // over before that, or no room for it
            }
            seen += 1;
            match (&told.outcome, given_up) {
                (Outcome::Won | Outcome::Lost, None) => assert!(begun.is_none(), "seed {seed}, {what:?}: {begun:?}"),
                (Outcome::Aborted(abort), Some(word)) => {
                    let named = abort.to_string();
                    assert!(named.contains(word), "seed {seed}, {what:?}: {named}");
                }
                (outcome, _) => panic!("seed {seed}, {what:?}: {outcome:?}"),
            }
            let judged = judge(desktop.inner_mut(), told, begun);
            judged.map(|_| ()).unwrap_or_else(|trouble| panic!("seed {seed}, {what:?}: {trouble}"));
        }
        assert!(seen > 0, "{what:?} happened in no game");
    }
}

/// A client that has just been started has its window before anything is painted in it.
#[test]
fn to_look_for_what_lies_over_a_board_is_no_failure_while_there_is_no_picture() {
    let lab = Lab::new();
    for what in [What::Black(1), What::Fail(1)] {
        let mut desktop = lab.desktop(0, &[Event { when: When::Time(Duration::ZERO), what }]);
        let mut eyes = [lab.clients[0].1.clone()];
        uncover(&mut desktop, &mut eyes, None).unwrap();
        assert_eq!(desktop.inner().happened().len(), 1, "{what:?}");
        assert!(Bot::start(&mut desktop, &mut eyes, Options::default()).is_ok(), "{what:?} has passed");
    }
}

/// Then nothing of the board shows that was seen before: only that a dialog has the keyboard tells what is in the way.
#[test]
fn a_dialog_over_all_of_a_board_that_was_resized_is_taken_away() {
    let lab = Lab::new();
    let mut seen = 0;
    // Those that have a step against dialogs.
    for seed in (0..32).filter(|seed| seed % 4 < 2) {
        let at = |press, what| Event { when: When::Press(press), what };
        let events = [at(5, What::Dialog(Duration::from_secs(60))), at(5, What::Resize(4))];
        let mut desktop = lab.desktop_with(seed, &events, |faults| faults.dialog_at = DialogAt::Whole);
        let (told, begun) = lab.play_on(seed, &mut desktop, Duration::ZERO);
        if desktop.inner().happened().len() < 2 {
            continue;
        }
        seen += 1;
        assert!(matches!(told.outcome, Outcome::Won | Outcome::Lost), "seed {seed}: {:?}", told.outcome);
        let judged = judge(desktop.inner_mut(), told, begun);
        judged.map(|_| ()).unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}"));
    }
    assert!(seen > 3, "only {seen}");
}

/// A click that was meant for the board may choose a level on a page that came up in its place.
#[test]
fn a_level_that_was_not_asked_for_is_left_again() {
    let lab = Lab::new();
    let (client, eyes) = &lab.clients[1];
    let larger = What::Level(BoardSize::new(16, 16), 40);
    for (press, what) in [(1, What::Levels), (2, What::Levels), (7, What::Levels), (1, larger), (7, larger)] {
        let mut desktop = lab.desktop(1, &[Event { when: When::Press(press), what }]);
        let mut eyes = [eyes.clone()];
        let setup = Setup { rule: client.rules.first_click, ..Setup::default() };
        let player = solver::by_name("lowest-risk", &setup).unwrap();
        let wait = Duration::from_secs(10);
        let options = Options { wait, size: Some(MANNERS[1].1), ..Options::default() };
        let mut bot = Bot::start(&mut desktop, &mut eyes, options.clone()).unwrap();
        let played = bot.play_game(player.as_ref());
        assert!(matches!(played.outcome, Outcome::Aborted(_)), "{what:?}: {:?}", played.outcome);
        let place = bot.place();
        let mut bot = Bot::start_over(place, &mut desktop, &mut eyes, options).unwrap();
        assert_eq!(bot.size(), MANNERS[1].1, "{what:?} at {press}");
        assert_eq!(bot.stage().unwrap(), Stage::Fresh, "{what:?} at {press}");
        assert_eq!(desktop.inner().astray(), Astray::default(), "{what:?} at {press}");
    }
}

#[test]
fn whatever_happens_nothing_goes_where_it_does_not_belong() {
    let seeds = number("SEED").map_or_else(|| (0..200).chain(FAILED).collect(), |seed| vec![seed]);
    let (table, failures) = campaign(seeds.into_iter());
    println!("{table}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[ignore = "takes long"]
fn in_very_many_games_neither() {
    let first = number("FIRST").unwrap_or(1000);
    let (table, failures) = campaign(first..first + number("GAMES").unwrap_or(10_000));
    println!("{table}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
