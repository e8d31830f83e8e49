//! Boards of which one look is the ground of the page: hidden tiles but for faint lines, empty ones, or mines. All around them looks
//! like tiles, and may hold words at the board's own pitch; the board ends where its own tiles do.

mod skins;

use image::{Rgba, RgbaImage};
use minesight::board::Tile;
use minesight::client::{self, Client, Level, Picture, Theme};
use minesight::draw;
use minesight::game::{Game, Rule, State};
use minesight::geometry::{BoardSize, Cell, Rect};
use minesight::screenshot::Screenshot;
use minesight::vision::{Eyes, Grid};
use std::sync::Arc;

const SIZES: [BoardSize; 2] = [BoardSize::new(8, 8), BoardSize::new(9, 9)];

/// A client that looks like this, and has boards of one size as far as is known.
fn client(name: &str, pictures: &[(Tile, RgbaImage)], size: BoardSize) -> Client {
    let all = client::bundled().unwrap();
    let mut client = client::by_name(&all, "winemine").unwrap().clone();
    let cut = |(tile, pixels): &(Tile, RgbaImage)| Picture { tile: *tile, file: String::new(), pixels: pixels.clone() };
    let pictures: Vec<Picture> = pictures.iter().map(cut).collect();
    let tiles = pictures.iter().map(|picture| (picture.tile.to_char(), vec![String::new()])).collect();
    let own = client.themes.swap_remove(0);
    client.themes = vec![Theme { name: name.into(), ground: None, frame: None, fixed: None, tiles, pictures, ..own }];
    client.levels =
        vec![Level { width: size.width, height: size.height, mines: 10, choose: Vec::new(), name: "own".into() }];
    (client.name, client.custom_boards, client.sizes) = (name.into(), true, Vec::new());
    client
}

/// The same board before a game, after so many openings, and lost.
fn states(size: BoardSize, seed: u64) -> Vec<(&'static str, Vec<Tile>)> {
    let mut game = Game::deal(size, 10, Rule::Zero, seed).unwrap();
    let tiles = |board: &minesight::board::Board| size.cells().map(|cell| board.tile(cell)).collect::<Vec<Tile>>();
    let mut all = vec![("fresh", tiles(game.board()))];
    let safe: Vec<Cell> = size.cells().filter(|&cell| !game.is_mine(cell)).collect();
    game.open(safe[safe.len() / 2]);
    all.push(("opened", tiles(game.board())));
    for &cell in safe.iter().step_by(3) {
        if game.state() == State::Playing && game.board().tile(cell) == Tile::Hidden {
            game.open(cell);
        }
    }
    all.push(("in the middle", tiles(game.board())));
    let mine = size.cells().find(|&cell| game.is_mine(cell)).unwrap();
    game.open(mine);
    all.push(("lost", tiles(&game.reveal())));
    all
}

/// What is beside a board.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    Nothing,
    /// Words, a tile wide and apart.
    Words,
    /// A grain that nobody sees.
    Grain,
    /// A tile of the ground, and then another window.
    Window,
}

/// The tiles on their ground.
fn painted(pictures: &[(Tile, RgbaImage)], grid: &Grid, tiles: &[Tile], beside: Beside) -> RgbaImage {
    let mut picture = skins::ground(900, 640);
    let Rect { left, top, width, height } = grid.bounds();
    if beside == Beside::Window {
        let is_near = |at: u32, from: u32, length: u32| (from - 30..from + length + 30).contains(&at);
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if !is_near(x, left, width) || !is_near(y, top, height) {
                pixel.0 = [200, 205, 210, 255];
            }
        }
    }
    if beside == Beside::Grain {
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            pixel.0[..3].iter_mut().for_each(|value| *value += ((x * 7919 + y * 104_729) % 5) as u8);
        }
    }
    for (cell, tile) in grid.size().cells().zip(tiles) {
        let Rect { left, top, .. } = grid.tile(cell);
        let look = |wanted: Tile| pictures.iter().find(|(tile, _)| *tile == wanted).map(|(_, picture)| picture);
        image::imageops::replace(&mut picture, look(*tile).unwrap(), left.into(), top.into());
    }
    for row in (0..grid.size().height).filter(|_| beside == Beside::Words) {
        let part = Rect { left: left + width + 4, top: top + 30 * row + 4, width: 22, height: 22 };
        draw::write_within(&mut picture, part, ["ab", "cd", "ef"][row as usize % 3], 14.0, [190, 190, 200]);
    }
    picture
}

#[test]
fn a_board_ends_where_its_tiles_do() {
    let (mut wrong, mut all, mut refused) = (Vec::new(), 0, 0);
    for (name, pictures) in skins::on_their_ground() {
        for size in SIZES {
            let mut eyes = Eyes::new(Arc::new(client(name, &pictures, size)));
            let edges = |from: u32, count: u32| (0..=count).map(|at| f64::from(from + 30 * at)).collect::<Vec<f64>>();
            let grid = Grid { columns: edges(217, size.width), lines: edges(143, size.height) };
            let all_beside = [Beside::Nothing, Beside::Words, Beside::Nothing, Beside::Grain, Beside::Window];
            for (seed, beside) in (1..).zip(all_beside) {
                for (state, tiles) in states(size, seed) {
                    eyes.forget();
                    let picture = painted(&pictures, &grid, &tiles, beside);
                    let shot = Screenshot::from_picture(picture.clone());
                    let found = eyes.find(&shot).map(|sight| sight.grid);
                    all += 1;
                    // Of a few tiles on the ground no lattice may show; but what is found is the board.
                    let may_be_refused = name == "empty" && found.is_err();
                    refused += usize::from(found.is_err());
                    if found.as_ref() != Ok(&grid) && !may_be_refused {
                        let what =
                            found.map(|other| format!("{} at {:?}, {:?}", other.size(), other.origin(), other.pitch()));
                        if let Ok(folder) = std::env::var("SAVE") {
                            picture.save(format!("{folder}/{name}-{size}-{seed}-{state}.png")).unwrap();
                        }
                        wrong.push(format!("{name}, {size}, {beside:?}, {seed}, {state}: {what:?}"));
                    }
                }
            }
        }
    }
    println!("{refused} of {all} refused");
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A dark bar above a board: of its pictures the darkest is the nearest to it, for all others are light.
#[test]
fn a_bar_above_a_board_is_no_row_of_it() {
    let tile = |ground: [u8; 3], written: Option<&str>| {
        let mut picture = RgbaImage::from_fn(44, 44, |x, y| {
            let [red, green, blue] = if [0, 43].iter().any(|at| [x, y].contains(at)) { [0; 3] } else { ground };
            Rgba([red, green, blue, 255])
        });
        if let Some(written) = written {
            let middle = Rect { left: 8, top: 6, width: 28, height: 32 };
            draw::write_within(&mut picture, middle, written, 30.0, [30, 60, 200]);
        }
        picture
    };
    let light = [230, 233, 238];
    let numbers = [(0, None), (1, Some("1")), (2, Some("2")), (3, Some("3")), (4, Some("4")), (5, Some("5"))];
    let mut pictures: Vec<(Tile, RgbaImage)> =
        numbers.into_iter().map(|(number, written)| (Tile::Open(number), tile(light, written))).collect();
    pictures.push((Tile::Hidden, tile([0, 128, 0], None)));
    pictures.push((Tile::Mine, tile(light, Some("*"))));
    let size = BoardSize::new(15, 15);
    let mut eyes = Eyes::new(Arc::new(client("green", &pictures, size)));
    let edges = |from: u32| (0..=15).map(|at| f64::from(from + 44 * at)).collect::<Vec<f64>>();
    let grid = Grid { columns: edges(120), lines: edges(100) };
    let game = Game::deal(size, 35, Rule::Zero, 3).unwrap();
    let mut picture = RgbaImage::from_pixel(900, 800, Rgba([250, 250, 250, 255]));
    for (y, x) in (56..100).flat_map(|y| (120..780).map(move |x| (y, x))) {
        picture.put_pixel(x, y, Rgba([48, 56, 64, 255]));
    }
    for at in (0..30).map(|at| 124 + 22 * at) {
        draw::write_within(&mut picture, Rect { left: at, top: 66, width: 18, height: 26 }, "M", 18.0, [240, 230, 40]);
    }
    for cell in size.cells() {
        let Rect { left, top, .. } = grid.tile(cell);
        let look = pictures.iter().find(|(tile, _)| *tile == game.board().tile(cell));
        image::imageops::replace(&mut picture, &look.unwrap().1, left.into(), top.into());
    }
    let found = eyes.find(&Screenshot::from_picture(picture)).map(|sight| sight.grid.size());
    assert_eq!(found, Ok(size));
}
