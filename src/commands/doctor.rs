//! `minesight doctor`: can this machine be played on, and if not, what to do.

use crate::cli::DoctorArgs;

/// Checks one thing after the other, and says what was found.
#[cfg(not(feature = "eyes"))]
pub fn run(_: &DoctorArgs) -> anyhow::Result<()> {
    anyhow::bail!("this minesight was built without the screen: build it with its default features")
}

/// Checks one thing after the other, and says what was found.
#[cfg(feature = "eyes")]
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    let report = screen::examine(args);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{report}");
    }
    match report.troubles() {
        0 => Ok(()),
        troubles => {
            anyhow::bail!("{troubles} of these must be mended before games can be played on this screen")
        }
    }
}

#[cfg(feature = "eyes")]
mod screen {
    use super::DoctorArgs;
    use crate::client::{self, Client};
    use crate::desktop::screen::Screen;
    use crate::desktop::{Capabilities, Desktop, ScreenRect};
    use crate::screenshot::Screenshot;
    use crate::vision::{Eyes, LocateError};
    use serde::Serialize;
    use std::fmt;
    use std::sync::Arc;
    use std::time::Instant;

    /// What was found.
    #[derive(Serialize)]
    pub struct Report {
        /// Whether games can be played here.
        ok: bool,
        system: &'static str,
        checks: Vec<Check>,
        monitors: Vec<ScreenRect>,
        /// How pictures are taken; the first way is the one that is used.
        captures: Vec<Figures>,
        /// What can be done and known here, if the screen can be used at all.
        capabilities: Option<Capabilities>,
    }

    /// One thing that was looked at.
    #[derive(Serialize)]
    struct Check {
        what: &'static str,
        ok: bool,
        found: String,
    }

    /// How long it takes to capture the screen in one way.
    #[derive(Serialize)]
    struct Figures {
        way: String,
        width: u32,
        height: u32,
        /// Pixels per unit of the mouse.
        scale: f64,
        /// All of the screen, the first time and at the median of later ones.
        first_ms: f64,
        whole_ms: f64,
        /// A part of the size of a board.
        part_ms: f64,
    }

    impl Report {
        fn check(&mut self, what: &'static str, found: Result<String, String>) {
            let ok = found.is_ok();
            self.checks.push(Check { what, ok, found: found.unwrap_or_else(|trouble| trouble) });
            self.ok &= ok;
        }

        /// How many things must be mended.
        pub fn troubles(&self) -> usize {
            self.checks.iter().filter(|check| !check.ok).count()
        }
    }

    impl fmt::Display for Report {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for Check { what, ok, found } in &self.checks {
                writeln!(f, "{} {what}: {found}", if *ok { "ok     " } else { "TROUBLE" })?;
            }
            let mut sentences = self.capabilities.iter().flat_map(Capabilities::sentences);
            sentences.try_for_each(|sentence| writeln!(f, "        {sentence}"))
        }
    }

    pub fn examine(args: &DoctorArgs) -> Report {
        let mut report = Report {
            ok: true,
            system: std::env::consts::OS,
            checks: Vec::new(),
            monitors: Vec::new(),
            captures: Vec::new(),
            capabilities: None,
        };
        report.check("display", Ok(display()));
        if cfg!(target_os = "macos") {
            report.check("permissions", Ok(PERMISSIONS.into()));
        }
        let mut shot = None;
        match Screen::open() {
            Err(error) => report.check("capture", Err(error.to_string())),
            Ok(mut screen) => {
                report.monitors = screen.monitors();
                report.capabilities = Some(screen.capabilities());
                let monitors = report.monitors.iter().map(place).collect::<Vec<_>>().join("; ");
                report.check("monitors", Ok(monitors));
                match measured(&mut screen) {
                    Err(error) => report.check("capture", Err(error)),
                    Ok((figures, picture)) => {
                        report.check("capture", Ok(figures.to_string()));
                        report.captures.push(figures);
                        shot = Some(picture);
                    }
                }
            }
        }
        if args.compare {
            for mut screen in Screen::other_ways() {
                let measured = measured(&mut screen).map(|(figures, _)| figures);
                report.check("capture otherwise", measured.as_ref().map(Figures::to_string).map_err(String::clone));
                report.captures.extend(measured);
            }
        }
        // The same trouble again would hide what it is.
        let (pointer, capabilities) = match report.monitors.is_empty() {
            true => (Err("without a picture it is not tried".into()), None),
            false => pointer(),
        };
        report.capabilities = capabilities.or(report.capabilities);
        report.check("pointer", pointer);
        let seen = clients(args).and_then(|clients| match shot {
            Some(shot) => see(clients, &shot),
            None => Err("without a picture none can be seen".into()),
        });
        report.check("clients", seen);
        report
    }

    /// Nothing tells a program whether it has these, but that it sees windows and that the pointer moves.
    const PERMISSIONS: &str = "macOS asks once for each of two permissions, for the terminal that minesight runs in: Screen Recording (else \
only the wallpaper is seen) and Accessibility (else the pointer does not move); both are under System Settings, Privacy & Security, and \
count after the terminal was started again";

    fn display() -> String {
        let known = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP"];
        let set = known.iter().filter_map(|name| Some(format!("{name}={}", std::env::var(name).ok()?)));
        let set: Vec<String> = set.collect();
        format!("{} {}", std::env::consts::OS, set.join(" ")).trim_end().to_owned()
    }

    fn place(rect: &ScreenRect) -> String {
        format!("{}x{} at {},{}", rect.width, rect.height, rect.corner.x, rect.corner.y)
    }

    /// The size of an expert board of usual tiles.
    const PART: (u32, u32) = (600, 320);

    fn measured(screen: &mut Screen) -> Result<(Figures, Screenshot), String> {
        let mut timed = |part| -> Result<(f64, Screenshot), String> {
            let began = Instant::now();
            let shot = screen.look(part).map_err(|error| error.to_string())?;
            Ok((began.elapsed().as_secs_f64() * 1000.0, shot))
        };
        let median = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let (first_ms, shot) = timed(None)?;
        let part = Some(ScreenRect { corner: shot.origin, width: PART.0, height: PART.1 });
        let mut times = |count: usize, part| {
            let all: Result<Vec<f64>, String> = (0..count).map(|_| Ok(timed(part)?.0)).collect();
            all.map(median)
        };
        let (whole_ms, part_ms) = (times(5, None)?, times(15, part)?);
        let (width, height) = shot.pixels.dimensions();
        let figures =
            Figures { way: screen.capture_name(), width, height, scale: shot.scale, first_ms, whole_ms, part_ms };
        Ok((figures, shot))
    }

    impl fmt::Display for Figures {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Self { way, width, height, scale, first_ms, whole_ms, part_ms } = self;
            write!(
                f,
                "{width}x{height} pixels in {whole_ms:.1} ms (the first time {first_ms:.1}), a board in {part_ms:.2} ms, through {way}; \
                 {scale} pixels per unit of the mouse"
            )
        }
    }

    #[cfg(not(feature = "hands"))]
    fn pointer() -> (Result<String, String>, Option<Capabilities>) {
        (Err("this minesight was built without hands: build it with its default features".into()), None)
    }

    #[cfg(feature = "hands")]
    fn pointer() -> (Result<String, String>, Option<Capabilities>) {
        use crate::desktop::live::{Aim, Live};
        let mut live = match Live::open() {
            Ok(live) => live,
            Err(error) => return (Err(error.to_string()), None),
        };
        let crooked = live.aims().iter().filter(|(_, aim)| *aim != Aim::TRUE).count();
        let found = match (live.aims().len(), crooked) {
            (0, _) => "is sent, but the system does not tell where it goes".into(),
            (measured, 0) => format!("goes where it is sent on {measured} monitor(s)"),
            (measured, _) => format!("is off on {crooked} of {measured} monitor(s), and corrected: {:?}", live.aims()),
        };
        (Ok(format!("{found} ({})", live.hands_name())), Some(live.capabilities()))
    }

    fn clients(args: &DoctorArgs) -> Result<Vec<Client>, String> {
        let known = client::known(args.client.calibration.as_deref(), args.client.templates.as_deref());
        let wanted = |client: &Client| args.client.client.as_ref().is_none_or(|wanted| *wanted == client.name);
        Ok(known.map_err(|error| error.to_string())?.into_iter().filter(wanted).collect())
    }

    fn see(clients: Vec<Client>, shot: &Screenshot) -> Result<String, String> {
        let (mut seen, mut names) = (Vec::new(), Vec::new());
        for client in clients {
            let name = client.name.clone();
            match Eyes::new(Arc::new(client)).find(shot) {
                Ok(sight) => {
                    let origin = sight.grid.origin();
                    seen.push(format!("{name} {} at {:.0},{:.0}", sight.grid.size(), origin.x, origin.y));
                }
                Err(nothing @ LocateError::Blank) => return Err(nothing.to_string()),
                Err(_) => {}
            }
            names.push(name);
        }
        if seen.is_empty() {
            return Err(format!("none of {} is on the screen: start one, and show its whole board", names.join(", ")));
        }
        Ok(seen.join("; "))
    }
}
