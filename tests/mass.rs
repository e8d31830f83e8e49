//! Very many tiles read: simulated games in every skin at ten scales. No tile may be read wrongly, and no board may be found
//! with another size or at another place.
//!
//! `cargo test --release --no-default-features --test mass -- --include-ignored --nocapture` prints the table that is in
//! `results/vision.md`. In the environment `SKIN=kmines` (a part of "client theme"), `PITCH=18.7` and `SEED=8` choose what is read,
//! and `SAVE=folder` keeps the pictures of boards that were refused or misread.

use minesight::board::Tile;
use minesight::client::{self, Client, Press, Touch};
use minesight::desktop::simulated::{Plan, Simulated, Skin};
use minesight::desktop::{Action, Click, Desktop};
use minesight::game::{Game, Rule, State};
use minesight::geometry::{BoardSize, Cell, ScreenPoint};
use minesight::vision::Eyes;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;

/// Pixels from tile to tile: from the smallest that clients have to four times that, none of them whole.
const PITCHES: [f64; 10] = [16.4, 18.7, 20.9, 24.3, 27.6, 32.5, 38.8, 45.2, 53.1, 63.7];
/// Sizes, and mines: as many as clients have, and so many that high numbers are frequent.
const BOARDS: [(u32, u32, u32); 5] = [(30, 16, 99), (30, 16, 170), (16, 16, 40), (24, 20, 190), (9, 9, 10)];

/// What is to be read. Boards that are not read are made all the same, so that the others stay what they are.
struct Wanted {
    skin: String,
    pitch: Option<f64>,
    seed: u64,
}

impl Wanted {
    fn new() -> Self {
        let of = |name| std::env::var(name).ok();
        let number = |name| of(name).map(|value| value.parse::<f64>().unwrap());
        Self {
            skin: of("SKIN").unwrap_or_default(),
            pitch: number("PITCH"),
            seed: number("SEED").map_or(7, |seed| seed as u64),
        }
    }

    /// Keeps the picture if anything was wrong with it.
    fn save(&self, desktop: &mut Simulated, tally: &Tally, (faults, refused): (usize, usize), pitch: f64) {
        let Ok(folder) = std::env::var("SAVE") else { return };
        if tally.faults.len() > faults || tally.refused.len() > refused {
            let kind = if tally.faults.len() > faults { "wrong" } else { "refused" };
            let path = format!("{folder}/{kind}-{}-{pitch}-{}.png", self.skin.replace(' ', "-"), tally.boards);
            desktop.look(None).unwrap().pixels.save(path).unwrap();
        }
    }
}

/// What came of the boards of one skin.
#[derive(Default)]
struct Tally {
    boards: usize,
    refused: Vec<String>,
    tiles: usize,
    unrecognised: usize,
    faults: Vec<String>,
}

/// A client with a board on which some tiles are open and some are marked, rightly or not.
fn begun(client: &Client, skin: &Skin, pitch: f64, rng: &mut Xoshiro256PlusPlus) -> Simulated {
    let has = |(width, height, _): &&(u32, u32, u32)| {
        client.custom_boards || client.level_of(BoardSize::new(*width, *height)).is_some()
    };
    let boards: Vec<&(u32, u32, u32)> = BOARDS.iter().filter(has).collect();
    let &(width, height, mines) = boards[rng.random_range(0..boards.len())];
    let size = BoardSize::new(width, height);
    let mut plan = Plan::new(size, mines, pitch, rng.random());
    plan.corner = (plan.corner.0 + rng.random_range(0..40), plan.corner.1 + rng.random_range(0..40));
    plan.screen = (plan.screen.0 + 80, plan.screen.1 + 80);
    let mut game = Game::deal(size, mines, Rule::Safe, plan.seed).unwrap();
    let safe = size.tiles() - mines as usize;
    // A tile that is opened may open many more.
    for _ in 0..rng.random_range(1..=safe / 2) {
        let cell = size.cell(rng.random_range(0..size.tiles()));
        if game.state() == State::Playing && !game.is_mine(cell) {
            game.open(cell);
        }
    }
    let mut desktop = Simulated::new(client.clone(), skin.clone(), plan).unwrap();
    desktop.set_game(game);
    let whole = desktop.look(None).unwrap();
    let (width, height) = whole.pixels.dimensions();
    desktop.allow(&[minesight::desktop::ScreenRect { corner: ScreenPoint { x: 0, y: 0 }, width, height }]);
    for _ in 0..rng.random_range(0..20) {
        let cell = size.cell(rng.random_range(0..size.tiles()));
        for _ in 0..rng.random_range(1..=2) {
            press(&mut desktop, cell, &client.hands.flag);
        }
    }
    desktop
}

fn press(desktop: &mut Simulated, cell: Cell, press: &Press) {
    let at = desktop.look(None).unwrap().to_screen(desktop.grid().center(cell));
    desktop
        .act(&Action::Click(Click { at, button: press.button, touch: Touch::default(), with: press.with.clone() }))
        .unwrap();
}

/// Looks for the board and reads it.
fn judge(eyes: &mut Eyes, desktop: &mut Simulated, tally: &mut Tally) {
    tally.boards += 1;
    let shot = desktop.look(None).unwrap();
    let sight = match eyes.find(&shot) {
        Ok(sight) => sight,
        Err(error) => {
            tally.refused.push(format!("{} refused: {error}", desktop.grid().size()));
            return;
        }
    };
    let reading = eyes.read(&shot, &sight);
    let (found, truth) = (&reading.grid, desktop.grid());
    let far = |a: f64, b: f64| (a - b).abs() > truth.pitch().0 / 2.0;
    if found.size() != truth.size()
        || far(found.origin().x, truth.origin().x)
        || far(found.origin().y, truth.origin().y)
    {
        tally.faults.push(format!(
            "{} at {:?}, it is {} at {:?}",
            found.size(),
            found.origin(),
            truth.size(),
            truth.origin()
        ));
        return;
    }
    for (cell, (tile, painted)) in found.size().cells().zip(reading.tiles.iter().zip(desktop.painted())) {
        tally.tiles += 1;
        if tile.tile == Tile::Unrecognised {
            tally.unrecognised += usize::from(painted != Tile::Unrecognised);
        } else if tile.tile != painted {
            tally.faults.push(format!("{cell} is {}, read as {tile:?}", painted.to_char()));
        }
    }
}

/// Reads boards of every skin until there are at least this many tiles of each, spread over all scales; a table and all
/// faults.
fn survey(tiles: usize) -> (String, Vec<String>) {
    let mut table = String::from(
        "| client | theme | boards | refused | tiles read | not recognised | wrong |\n|---|---|---:|---:|---:|---:|---:|\n",
    );
    let (mut faults, mut sum) = (Vec::new(), 0);
    let wanted = Wanted::new();
    for client in client::bundled().unwrap() {
        for theme in
            client.themes.iter().filter(|theme| format!("{} {}", client.name, theme.name).contains(&wanted.skin))
        {
            let skin = Skin::of(theme);
            let mut tally = Tally::default();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(wanted.seed);
            let mut eyes = Eyes::new(Arc::new(client.clone()));
            // What is found by its frame has one size.
            let pitches = if theme.frame.is_some() { vec![skin.natural_pitch()] } else { PITCHES.to_vec() };
            let mut made = 0;
            for pitch in pitches.into_iter().cycle() {
                let mut desktop = begun(&client, &skin, pitch, &mut rng);
                let size = desktop.grid().size();
                made += size.tiles();
                if wanted.pitch.is_some_and(|wanted| wanted != pitch) {
                    if made >= 2 * tiles {
                        break;
                    }
                    continue;
                }
                let (known, refused) = (tally.faults.len(), tally.refused.len());
                judge(&mut eyes, &mut desktop, &mut tally);
                wanted.save(&mut desktop, &tally, (known, refused), pitch);
                if let Some(mine) = size
                    .cells()
                    .find(|&cell| desktop.game().is_mine(cell) && desktop.game().board().tile(cell) == Tile::Hidden)
                {
                    press(&mut desktop, mine, &client.hands.open);
                    let before = (tally.faults.len(), tally.refused.len());
                    judge(&mut eyes, &mut desktop, &mut tally);
                    wanted.save(&mut desktop, &tally, before, pitch);
                }
                for fault in tally.faults[known..].iter_mut().chain(&mut tally.refused[refused..]) {
                    *fault = format!("{} {} at {pitch}: {fault}", client.name, theme.name);
                }
                if tally.tiles == 0 && tally.boards >= 4 * PITCHES.len() {
                    tally.faults.push(format!("{} {}: no board is found", client.name, theme.name));
                    break;
                }
                if tally.tiles >= tiles && tally.boards >= 2 * PITCHES.len() {
                    break;
                }
            }
            sum += tally.tiles;
            let row = format!(
                "| {} | {} | {} | {} | {} | {} | {} |\n",
                client.name,
                theme.name,
                tally.boards,
                tally.refused.len(),
                tally.tiles,
                tally.unrecognised,
                tally.faults.len()
            );
            // The whole takes long: what is done shows.
            print!("{row}");
            tally.refused.iter().for_each(|refusal| println!("{refusal}"));
            table += &row;
            faults.append(&mut tally.faults);
        }
    }
    (format!("{table}\n{sum} tiles, {} wrong\n", faults.len()), faults)
}

#[test]
fn no_tile_of_simulated_games_is_read_wrongly() {
    let (table, faults) = survey(1);
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}

#[test]
#[ignore = "takes minutes"]
fn no_tile_of_very_many_simulated_games_is_read_wrongly() {
    let (table, faults) = survey(84_000);
    println!("{table}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}
