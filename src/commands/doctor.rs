//! `minesight doctor`: can this machine be played on, and if not, what to do.

use crate::cli::DoctorArgs;

/// Checks one thing after the other, and says what was found.
#[cfg(not(feature = "look"))]
pub fn run(_: &DoctorArgs) -> anyhow::Result<()> {
    anyhow::bail!("this minesight was built without the screen: build it with its default features")
}

/// Checks one thing after the other, and says what was found.
#[cfg(feature = "look")]
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    screen::run(args)
}

#[cfg(feature = "look")]
mod screen {
    use super::DoctorArgs;
    use crate::client;
    use crate::desktop::Desktop;
    use crate::desktop::screen::Screen;
    use crate::screenshot::Screenshot;
    use crate::vision::Eyes;
    use std::sync::Arc;
    use std::time::Instant;

    pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
        let mut troubles = 0;
        let mut check = |what: &str, found: Result<String, String>| match found {
            Ok(good) => println!("ok      {what}: {good}"),
            Err(bad) => {
                println!("TROUBLE {what}: {bad}");
                troubles += 1;
            }
        };
        check("display", Ok(display()));
        let shot = match Screen::open() {
            Ok(mut screen) => {
                check("monitors", Ok(monitors(&screen)));
                let (report, shot) = capture(&mut screen);
                check("capture", report);
                shot
            }
            Err(error) => {
                check("capture", Err(error.to_string()));
                None
            }
        };
        check("pointer", pointer());
        let clients = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref());
        match clients {
            Err(error) => check("clients", Err(error.to_string())),
            Ok(clients) => {
                let wanted = |name: &String| args.client.client.as_ref().is_none_or(|wanted| wanted == name);
                let clients = clients.into_iter().filter(|client| wanted(&client.name));
                let seen = shot.map_or(Err("without a picture none can be seen".into()), |shot| see(clients, &shot));
                check("clients", seen);
            }
        }
        if troubles > 0 {
            anyhow::bail!("{troubles} of these must be mended before games can be played on this screen");
        }
        Ok(())
    }

    fn display() -> String {
        let known = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"];
        let set = known.iter().filter_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)));
        let set: Vec<String> = set.collect();
        format!("{} {}", std::env::consts::OS, set.join(" "))
    }

    fn monitors(screen: &Screen) -> String {
        let place = |rect: &crate::desktop::ScreenRect| {
            format!("{}x{} at {},{}", rect.width, rect.height, rect.corner.x, rect.corner.y)
        };
        screen.monitors().iter().map(place).collect::<Vec<_>>().join("; ")
    }

    fn capture(screen: &mut Screen) -> (Result<String, String>, Option<Screenshot>) {
        let began = Instant::now();
        match screen.look(None) {
            Ok(shot) => {
                let ms = began.elapsed().as_secs_f64() * 1000.0;
                let (width, height) = shot.pixels.dimensions();
                let report = format!(
                    "{width}x{height} pixels in {ms:.1} ms through {}, {} pixels per unit of the mouse",
                    screen.capture_name(),
                    shot.scale
                );
                (Ok(report), Some(shot))
            }
            Err(error) => (Err(error.to_string()), None),
        }
    }

    #[cfg(not(feature = "live"))]
    fn pointer() -> Result<String, String> {
        Err("this minesight was built without hands: build it with its default features".into())
    }

    #[cfg(feature = "live")]
    fn pointer() -> Result<String, String> {
        use crate::desktop::live::{Aim, Live};
        let live = Live::open().map_err(|error| error.to_string())?;
        let crooked = live.aims().iter().filter(|(_, aim)| *aim != Aim::TRUE).count();
        let measured = live.aims().len();
        Ok(match crooked {
            0 => format!("goes where it is sent on {measured} monitor(s)"),
            _ => format!("is off on {crooked} of {measured} monitor(s), and corrected: {:?}", live.aims()),
        })
    }

    fn see(clients: impl Iterator<Item = client::Client>, shot: &Screenshot) -> Result<String, String> {
        let (mut seen, mut names) = (Vec::new(), Vec::new());
        for client in clients {
            let name = client.name.clone();
            if let Ok(sight) = Eyes::new(Arc::new(client)).find(shot) {
                let origin = sight.grid.origin();
                seen.push(format!("{name} {} at {:.0},{:.0}", sight.grid.size(), origin.x, origin.y));
            }
            names.push(name);
        }
        if seen.is_empty() {
            return Err(format!("none of {} is on the screen: start one, and show its whole board", names.join(", ")));
        }
        Ok(seen.join("; "))
    }
}
