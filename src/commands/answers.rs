//! What the person types at a question.

use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Lines of standard input. They are read elsewhere: nothing else can be done while waiting for one.
pub struct Answers(Receiver<String>);

impl Answers {
    /// From here on.
    pub fn begin() -> Self {
        let (send, receive) = channel();
        std::thread::spawn(move || {
            let lines = std::io::stdin().lock().lines().map_while(Result::ok);
            lines.map(|line| send.send(line)).take_while(Result::is_ok).count()
        });
        Self(receive)
    }

    /// The next line; nothing where there is none any more, or `stop` (Ctrl+C) is an answer, too.
    pub fn next(&self, stop: &AtomicBool) -> Option<String> {
        loop {
            match self.0.recv_timeout(Duration::from_millis(50)) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
