//! A program as it was started, to start it once more: some end with their game, or begin no other.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How a program was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The number of its process.
    pub process: u32,
    /// Its name and what it was told, as they were typed.
    pub command: Vec<OsString>,
    /// The folder that it works in.
    pub folder: PathBuf,
    /// Its environment, as `NAME=value`.
    pub environment: Vec<OsString>,
}

impl Program {
    /// The longest one takes from its start to its board.
    pub const STARTS: Duration = Duration::from_secs(30);
}

#[cfg(feature = "hands")]
mod running {
    use super::Program;
    use std::process::{Command, Stdio};
    use std::{io, thread};
    use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

    impl Program {
        /// The program that runs as this process; nothing where the system does not tell.
        pub fn of(process: u32) -> Option<Self> {
            let pid = Pid::from_u32(process);
            let all = ProcessRefreshKind::nothing()
                .with_cmd(UpdateKind::Always)
                .with_cwd(UpdateKind::Always)
                .with_environ(UpdateKind::Always);
            let mut system = System::new();
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, all);
            let found = system.process(pid)?;
            let command = found.cmd().to_vec();
            if command.is_empty() {
                return None;
            }
            Some(Self { process, command, folder: found.cwd()?.to_owned(), environment: found.environ().to_vec() })
        }

        /// Whether it runs.
        pub fn runs(&self) -> bool {
            let pid = Pid::from_u32(self.process);
            let mut system = System::new();
            let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
            system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
            // Its number may be another program's by now.
            system.process(pid).is_some_and(|own| own.cmd() == self.command)
        }

        /// Whether it runs, and has started no other programs: a browser or a terminal has, and shows more than the client.
        pub fn is_alone(&self) -> bool {
            let pid = Pid::from_u32(self.process);
            let mut system = System::new();
            let kind = ProcessRefreshKind::nothing().without_tasks();
            system.refresh_processes_specifics(ProcessesToUpdate::All, true, kind);
            // What has ended, and was not asked for since, is still listed.
            let is_other = |other: &Process| other.parent() == Some(pid) && other.status() != ProcessStatus::Zombie;
            let has_others = system.processes().values().any(is_other);
            !has_others && self.runs()
        }

        /// Starts it as it was started: the one that runs now. It is no part of this program: it stays when this one ends, and takes no Ctrl+C
        /// that is meant for it.
        ///
        /// # Errors
        /// It is not there any more, or may not be started.
        pub fn start(&self) -> io::Result<Self> {
            let (name, rest) = self.command.split_first().ok_or(io::ErrorKind::NotFound)?;
            let mut command = Command::new(name);
            command.args(rest).current_dir(&self.folder).env_clear();
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.envs(self.environment.iter().filter_map(|pair| {
                let pair = pair.to_str()?;
                // On Windows names may begin with it.
                let at = pair.char_indices().skip(1).find(|(_, letter)| *letter == '=')?.0;
                Some((&pair[..at], &pair[at + 1..]))
            }));
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn()?;
            let process = child.id();
            // Whoever started a program is told of its end.
            thread::spawn(move || child.wait());
            Ok(Self { process, ..self.clone() })
        }
    }

    #[cfg(all(test, target_os = "linux"))]
    mod tests {
        use super::*;
        use std::ffi::OsString;
        use std::path::Path;
        use std::time::{Duration, Instant};

        /// Waits for something that another program does, by asking.
        fn comes(mut what: impl FnMut() -> bool) -> bool {
            let began = Instant::now();
            while !what() {
                if began.elapsed() > Duration::from_secs(20) {
                    return false;
                }
                thread::sleep(Duration::from_millis(20));
            }
            true
        }

        #[test]
        fn a_program_is_started_again_as_it_was() {
            let folder = std::env::temp_dir().join(format!("minesight-program-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            // A shell that is itself what it runs at the end: one program.
            let script = "echo \"$WHERE $1\" >> told; exec sleep 1000";
            let mut first = Command::new("sh")
                .args(["-c", script, "sh", "two words"])
                .current_dir(&folder)
                .env("WHERE", "there = here")
                .spawn()
                .unwrap();
            let told = |lines: usize| {
                let text = std::fs::read_to_string(folder.join("told")).unwrap_or_default();
                text == "there = here two words\n".repeat(lines)
            };
            assert!(comes(|| told(1)));
            assert!(comes(|| Program::of(first.id()).is_some_and(|now| now.command[0] == "sleep")));
            let sleeping = Program::of(first.id()).unwrap();
            assert_eq!((sleeping.folder.as_path(), &sleeping.command[1]), (folder.as_path(), &"1000".into()));
            assert!(
                !Program { command: vec!["other".into()], ..sleeping.clone() }.is_alone(),
                "another has its number"
            );
            assert!(sleeping.is_alone());
            first.kill().unwrap();
            first.wait().unwrap();
            assert!(!sleeping.is_alone(), "it runs no more");
            let command = ["sh", "-c", "echo \"$WHERE $1\" >> told", "sh", "two words"].map(OsString::from).to_vec();
            let started = Program { command, ..sleeping.clone() }.start().unwrap();
            assert!(started.process != sleeping.process && started.folder == sleeping.folder);
            assert!(comes(|| told(2)));
            std::fs::remove_dir_all(&folder).unwrap();
        }

        #[test]
        fn what_has_started_only_programs_that_have_ended_is_alone() {
            // The shell becomes a program that never asks for what it has started.
            let mut parent = Command::new("sh").args(["-c", "true & exec sleep 1000"]).spawn().unwrap();
            assert!(comes(|| Program::of(parent.id()).is_some_and(|now| now.command[0] == "sleep")));
            let program = Program::of(parent.id()).unwrap();
            assert!(comes(|| program.is_alone()));
            parent.kill().unwrap();
            parent.wait().unwrap();
        }

        #[test]
        fn what_has_started_other_programs_is_not_alone() {
            let script = "sleep 1000 & wait";
            let mut parent = Command::new("sh").args(["-c", script]).spawn().unwrap();
            let has_child = || {
                let children = format!("/proc/{0}/task/{0}/children", parent.id());
                std::fs::read_to_string(Path::new(&children)).is_ok_and(|text| !text.trim().is_empty())
            };
            assert!(comes(has_child));
            let program = Program::of(parent.id()).unwrap();
            assert!(!program.is_alone());
            let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", parent.id())).unwrap();
            for child in children.split_whitespace() {
                Command::new("kill").arg(child).status().unwrap();
            }
            parent.wait().unwrap();
        }
    }
}
