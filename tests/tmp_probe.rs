use minesight::{client, screenshot::Screenshot, vision::Eyes};
use std::{sync::Arc, time::Instant};
#[test]
#[ignore]
fn probe() {
    let eyes: Vec<Eyes> = client::bundled().unwrap().into_iter().map(|c| Eyes::new(Arc::new(c))).collect();
    let mode = std::env::var("MODE").unwrap_or_default();
    let every: usize = std::env::var("EVERY").ok().and_then(|v| v.parse().ok()).unwrap_or(1);
    let want = std::env::var("WANT").unwrap_or_default();
    let mut times = vec![];
    for dir in std::fs::read_dir("tests/fixtures").unwrap() {
        let dir = dir.unwrap().path();
        let name = dir.file_name().unwrap().to_str().unwrap().to_string();
        if !dir.is_dir() || (!mode.is_empty() && mode != "named" && mode != name) || (mode == "named" && name == "none")
        {
            continue;
        }
        let mut files: Vec<_> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "png") && p.to_str().unwrap().contains(&want))
            .collect();
        files.sort();
        for f in files.into_iter().step_by(every) {
            let mut pic = image::open(&f).unwrap().into_rgba8();
            let num = |k: &str| std::env::var(k).ok().and_then(|v| v.parse::<f64>().ok());
            if let Some(by) = num("BRIGHT") {
                for p in pic.pixels_mut() {
                    for c in 0..3 {
                        p.0[c] = (p.0[c] as f64 + by).clamp(0.0, 255.0) as u8;
                    }
                }
            }
            if let Some(by) = num("CONTRAST") {
                for p in pic.pixels_mut() {
                    for c in 0..3 {
                        p.0[c] = (127.5 + (p.0[c] as f64 - 127.5) * by).clamp(0.0, 255.0) as u8;
                    }
                }
            }
            if let Some(by) = num("BLUE") {
                for p in pic.pixels_mut() {
                    p.0[1] = (p.0[1] as f64 * (1.0 + by) / 2.0) as u8;
                    p.0[2] = (p.0[2] as f64 * by) as u8;
                }
            }
            if let Some(by) = num("SCALE") {
                pic = image::imageops::resize(
                    &pic,
                    (pic.width() as f64 * by) as u32,
                    (pic.height() as f64 * by) as u32,
                    image::imageops::FilterType::Triangle,
                );
            }
            let shot = Screenshot::from_picture(pic);
            let mut e = if mode == "named" {
                eyes.iter().filter(|e| e.client().name == name).cloned().collect()
            } else {
                eyes.clone()
            };
            let t = Instant::now();
            let (r, tried) = minesight::vision::find_and_tell(&mut e, &shot);
            let ms = t.elapsed().as_secs_f64() * 1e3;
            times.push(ms);
            let r = match r {
                Ok((w, s)) => format!(
                    "{} {} {} {:.2} {:?}",
                    e[w].client().name,
                    e[w].client().themes[s.theme].name,
                    s.grid.size(),
                    s.match_,
                    s.variation
                ),
                Err(e) => format!("ERR {e}"),
            };
            if std::env::var("TELL").is_ok() {
                for t in &tried {
                    println!(
                        "    {:?} {} {} at {:.1},{:.1} pitch {:.2?} {} near {:.2} {:?} {:?}",
                        t.source,
                        t.client,
                        t.theme,
                        t.grid.columns[0],
                        t.grid.lines[0],
                        t.grid.pitch(),
                        t.grid.size(),
                        t.near,
                        t.variation,
                        t.refusal
                    );
                }
            }
            println!("{ms:8.1} ms {}/{} {r}", name, f.file_name().unwrap().to_str().unwrap());
        }
    }
    times.sort_by(f64::total_cmp);
    println!("n {} median {:.1} worst {:.1}", times.len(), times[times.len() / 2], times[times.len() - 1]);
}
