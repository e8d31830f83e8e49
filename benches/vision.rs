//! How long seeing takes, on one thread: `cargo bench --no-default-features --bench vision`.
//!
//! Cold is finding the board anywhere on a whole screen and reading it; warm is reading it again at a known place when a few
//! tiles have changed. Beside them, in the same run: copying the frame once, which nothing that looks at every pixel
//! can beat, and the plain way to find a tile, sliding its picture over the frame (`imageproc`): one picture, of one size,
//! where every look at every size would be needed.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use image::imageops::{self, FilterType};
use image::{GrayImage, RgbaImage};
use imageproc::template_matching::{MatchTemplateMethod, match_template};
use minesight::board::Tile;
use minesight::client;
use minesight::geometry::Cell;
use minesight::screenshot::Screenshot;
use minesight::vision::find::locate::Sight;
use minesight::vision::{Eyes, find_any};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Screenshots of expert boards in the middle of a game.
const SHOTS: [&str; 4] =
    ["sgt-mines/expert-0-mid", "winemine/expert-0-before", "gnome-mines/expert-0-before", "kmines/expert-0-before"];

fn fixture(name: &str) -> RgbaImage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).with_extension("png");
    image::open(path).expect("a screenshot").into_rgba8()
}

fn eyes_of(name: &str) -> Eyes {
    let clients = client::bundled().expect("sound clients");
    Eyes::new(Arc::new(client::by_name(&clients, name).expect("a known client").clone()))
}

fn enlarged(picture: &RgbaImage, width: u32, height: u32) -> RgbaImage {
    imageops::resize(picture, width, height, FilterType::Triangle)
}

/// The board of a screenshot at another scale, on a screen of the same size.
fn between_scales(picture: &RgbaImage, factor: f64) -> RgbaImage {
    let (width, height) = picture.dimensions();
    let length = |pixels: u32| (f64::from(pixels) * factor) as u32;
    let large = enlarged(picture, length(width), length(height));
    let corner = (((large.width() - width) / 2), (large.height() - height) / 2);
    imageops::crop_imm(&large, corner.0, corner.1, width, height).to_image()
}

/// The same board with some hidden tiles painted like another: what a click changes.
fn clicked(shot: &Screenshot, eyes: &mut Eyes, sight: &Sight) -> Screenshot {
    let reading = eyes.read(shot, sight);
    let size = sight.grid.size();
    let of = |wanted: Tile| {
        let tiles = size.cells().zip(&reading.tiles).filter(move |(_, reading)| reading.tile == wanted);
        tiles.map(|(cell, _)| cell).collect::<Vec<Cell>>()
    };
    let from = sight.grid.tile(of(Tile::Open(1))[0]);
    let tile = imageops::crop_imm(&shot.pixels, from.left, from.top, from.width, from.height).to_image();
    let mut pixels = shot.pixels.clone();
    for cell in of(Tile::Hidden).into_iter().take(5) {
        let to = sight.grid.tile(cell);
        imageops::replace(&mut pixels, &tile, to.left.into(), to.top.into());
    }
    Screenshot::from_picture(pixels)
}

fn frames() -> Vec<(String, String, Screenshot)> {
    let mut frames = Vec::new();
    for name in SHOTS {
        let (client, _) = name.split_once('/').expect("a client and a name");
        let picture = fixture(name);
        let mut add = |what: &str, picture: RgbaImage| {
            let mut eyes = eyes_of(client);
            let shot = Screenshot::from_picture(picture);
            match eyes.find(&shot) {
                Ok(_) => frames.push((format!("{client}, {what}"), client.to_string(), shot)),
                Err(error) => eprintln!("{client}, {what}: {error}"),
            }
        };
        add("1920x1080", picture.clone());
        add("1920x1080, scale 1.13", between_scales(&picture, 1.13));
        add("3840x2160", enlarged(&picture, 3840, 2160));
    }
    frames
}

fn seeing(c: &mut Criterion) {
    let frames = frames();
    let mut group = c.benchmark_group("cold");
    for (name, client, shot) in &frames {
        let eyes = eyes_of(client);
        group.bench_function(name, |b| {
            let look = |mut eyes: Eyes| {
                let sight = eyes.find(shot).expect("a board");
                (eyes.read(shot, &sight), eyes)
            };
            b.iter_batched(|| eyes.clone(), look, BatchSize::LargeInput);
        });
    }
    let any: Vec<Eyes> =
        client::bundled().expect("sound clients").into_iter().map(|client| Eyes::new(Arc::new(client))).collect();
    for (name, _, shot) in frames.iter().filter(|(name, ..)| name.ends_with("1080")) {
        group.bench_function(format!("{name}, all clients"), |b| {
            b.iter_batched(
                || any.clone(),
                |mut any| (find_any(&mut any, shot).expect("a board"), any),
                BatchSize::LargeInput,
            );
        });
    }
    for name in ["none/page-spreadsheet", "none/page-article", "none/wallpaper-plain"] {
        let shot = Screenshot::from_picture(fixture(name));
        let eyes = eyes_of("kmines");
        group.bench_function(format!("{name}, kmines"), |b| {
            b.iter_batched(|| eyes.clone(), |mut eyes| (eyes.find(&shot).is_err(), eyes), BatchSize::LargeInput);
        });
        group.bench_function(format!("{name}, all clients"), |b| {
            b.iter_batched(|| any.clone(), |mut any| (find_any(&mut any, &shot).is_err(), any), BatchSize::LargeInput);
        });
    }
    group.finish();

    let mut group = c.benchmark_group("warm");
    for (name, client, shot) in &frames {
        let mut eyes = eyes_of(client);
        let sight = eyes.find(shot).expect("a board");
        let after = clicked(shot, &mut eyes, &sight);
        let mut turn = false;
        group.bench_function(format!("{name}, five tiles changed"), |b| {
            b.iter(|| {
                turn = !turn;
                black_box(eyes.read(if turn { &after } else { shot }, &sight))
            });
        });
    }
}

fn baselines(c: &mut Criterion) {
    let name = SHOTS[0];
    let (small, mut eyes) = (fixture(name), eyes_of("sgt-mines"));
    let large = enlarged(&small, 3840, 2160);
    let mut group = c.benchmark_group("copy the frame");
    for (size, picture) in [("1920x1080", &small), ("3840x2160", &large)] {
        let mut copy = picture.clone();
        group.bench_function(size, |b| {
            b.iter(|| {
                copy.copy_from_slice(picture);
                black_box(&mut copy);
            });
        });
    }
    group.finish();

    let shot = Screenshot::from_picture(small);
    let sight = eyes.find(&shot).expect("a board");
    let first = sight.grid.tile(Cell::new(0, 0));
    let template = imageops::crop_imm(&shot.pixels, first.left, first.top, first.width, first.height).to_image();
    let grey = |picture: &RgbaImage| -> GrayImage { imageops::grayscale(picture) };
    let template = grey(&template);
    let mut group = c.benchmark_group("slide one picture of 20x20 over the frame");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for (size, picture) in [("1920x1080", grey(&shot.pixels)), ("3840x2160", grey(&large))] {
        group.bench_function(size, |b| {
            b.iter(|| black_box(match_template(&picture, &template, MatchTemplateMethod::SumOfSquaredErrors)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    targets = seeing, baselines
}
criterion_main!(benches);
