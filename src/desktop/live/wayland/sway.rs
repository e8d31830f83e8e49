//! sway's windows, as its own socket tells (the protocol of i3: a header, and JSON). Other compositors tell nobody.

use super::super::hands::only;
use crate::desktop::Window;
use crate::geometry::{ScreenPoint, ScreenRect};
use serde::Deserialize;
use std::io::{Error, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// A connection to sway.
pub struct Sway {
    path: PathBuf,
    stream: UnixStream,
    /// So long it may take to answer.
    patience: Duration,
}

/// A part of sway's tree: an output, a workspace, a group of windows or a window.
#[derive(Deserialize)]
struct Node {
    id: u64,
    #[serde(default, rename = "type")]
    kind: String,
    /// A window's title.
    #[serde(default)]
    name: Option<String>,
    rect: Place,
    #[serde(default)]
    pid: Option<u64>,
    #[serde(default)]
    visible: Option<bool>,
    #[serde(default)]
    focused: bool,
    #[serde(default)]
    nodes: Vec<Node>,
    /// The topmost last.
    #[serde(default)]
    floating_nodes: Vec<Node>,
}

/// A rectangle of points.
#[derive(Clone, Copy, Deserialize)]
struct Place {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
}

const MAGIC: &[u8; 6] = b"i3-ipc";
/// Types of messages, from sway-ipc(7).
const RUN_COMMAND: u32 = 0;
const GET_TREE: u32 = 4;
/// The type of a window that is not laid out beside others.
const FLOATING: &str = "floating_con";
/// The largest answer that is believed.
const LARGEST: usize = 16 << 20;

impl Sway {
    /// Nothing where sway is not the compositor.
    pub fn connect() -> Result<Self, String> {
        let path = std::env::var_os("SWAYSOCK").ok_or("SWAYSOCK is not set")?;
        let mut sway = Self::at(path.into(), Duration::from_secs(2)).map_err(|error| error.to_string())?;
        sway.tree().map_err(|error| error.to_string())?;
        Ok(sway)
    }

    fn at(path: PathBuf, patience: Duration) -> Result<Self, Error> {
        let stream = UnixStream::connect(&path)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(Self { path, stream, patience })
    }

    /// The window under a point; [`Window::NONE`] if there is none.
    pub fn window_at(&mut self, at: ScreenPoint) -> Option<Window> {
        let tree = self.tree().ok()?;
        Some(windows(&tree).into_iter().rfind(|node| node.place().contains(at)).map_or(Window::NONE, Node::window))
    }

    /// The only window with one of these titles that shows.
    pub fn window_titled(&mut self, titles: &[String]) -> Option<Window> {
        let tree = self.tree().ok()?;
        only(windows(&tree).into_iter().filter(|node| node.is_titled(titles)).map(Node::window))
    }

    /// What the window of this number is called.
    pub fn title_of(&mut self, id: u64) -> Option<String> {
        let tree = self.tree().ok()?;
        windows(&tree).into_iter().find(|node| node.id == id)?.name.clone()
    }

    /// The window that is typed into.
    pub fn window_of_keys(&mut self) -> Option<Window> {
        let tree = self.tree().ok()?;
        Some(windows(&tree).into_iter().find(|node| node.focused).map_or(Window::NONE, Node::window))
    }

    /// The window of this number as it is now, if it shows.
    pub fn window_now(&mut self, id: u64) -> Option<Window> {
        let tree = self.tree().ok()?;
        windows(&tree).into_iter().find(|node| node.id == id).map(Node::window)
    }

    /// Brings a window to the front and gives it the keyboard; if it has a dialog, that: it waits for its answer, and may have lost the
    /// keyboard to the window under the pointer.
    pub fn focus(&mut self, id: u64) -> Result<(), Error> {
        let tree = self.tree()?;
        let id = dialog_of(&tree, id).unwrap_or(id);
        self.ask(RUN_COMMAND, &format!("[con_id={id}] focus")).map(drop)
    }

    fn tree(&mut self) -> Result<Node, Error> {
        Ok(serde_json::from_slice(&self.ask(GET_TREE, "")?)?)
    }

    fn ask(&mut self, kind: u32, text: &str) -> Result<Vec<u8>, Error> {
        let answer = self.answer(kind, text);
        // What comes later would be taken for the answer to the next question: how windows were, and not how they are.
        if let Err(why) = &answer {
            log::info!("sway does not answer: {why}");
            *self = Self::at(self.path.clone(), self.patience)?;
        }
        answer
    }

    fn answer(&mut self, kind: u32, text: &str) -> Result<Vec<u8>, Error> {
        let header = [&MAGIC[..], &(text.len() as u32).to_ne_bytes(), &kind.to_ne_bytes()].concat();
        self.stream.write_all(&[&header, text.as_bytes()].concat())?;
        let mut header = [0; 14];
        self.stream.read_exact(&mut header)?;
        let length = u32::from_ne_bytes([header[6], header[7], header[8], header[9]]) as usize;
        if &header[..6] != MAGIC || length > LARGEST {
            return Err(Error::other("this is no answer of sway's"));
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer)?;
        Ok(answer)
    }
}

/// The dialog of a window, as far as sway tells: the only other window of its program that floats, as sway lets dialogs do, and came later.
fn dialog_of(tree: &Node, id: u64) -> Option<u64> {
    let windows = windows(tree);
    let program = windows.iter().find(|node| node.id == id)?.pid;
    only(windows.iter().filter(|node| node.pid == program && node.id > id && node.kind == FLOATING).map(|node| node.id))
}

/// The windows that show, the topmost last.
fn windows(node: &Node) -> Vec<&Node> {
    if node.pid.is_some() {
        return if node.visible == Some(false) { Vec::new() } else { vec![node] };
    }
    node.nodes.iter().chain(&node.floating_nodes).flat_map(windows).collect()
}

impl Node {
    fn place(&self) -> ScreenRect {
        let Place { x, y, width, height } = self.rect;
        ScreenRect { corner: ScreenPoint { x, y }, width, height }
    }

    fn is_titled(&self, titles: &[String]) -> bool {
        self.name.as_ref().is_some_and(|name| titles.contains(name))
    }

    fn window(&self) -> Window {
        Window { id: self.id, program: self.pid.unwrap_or_default(), corner: self.place().corner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn floating_windows_are_above_the_others_and_hidden_ones_nowhere() {
        let rect = r#""rect":{"x":10,"y":20,"width":30,"height":40}"#;
        let window = |id: u32, more: &str| format!(r#"{{"id":{id},"pid":{id}00,"focused":false,{rect}{more}}}"#);
        let (tiled, hidden, floating) =
            (window(3, ""), window(4, r#","visible":false"#), window(5, r#","visible":true"#));
        let text = format!(
            r#"{{"id":1,{rect},"nodes":[{{"id":2,{rect},"nodes":[{tiled},{hidden}],"floating_nodes":[{floating}]}}]}}"#
        );
        let tree: Node = serde_json::from_str(&text).unwrap();
        let found: Vec<_> = windows(&tree).iter().map(|node| node.window()).collect();
        let corner = ScreenPoint { x: 10, y: 20 };
        assert_eq!(found, [Window { id: 3, program: 300, corner }, Window { id: 5, program: 500, corner }]);
        assert!(
            tree.place().contains(ScreenPoint { x: 39, y: 59 }) && !tree.place().contains(ScreenPoint { x: 40, y: 59 })
        );
    }

    #[test]
    fn a_dialog_is_what_floats_and_came_later() {
        let window = |id: u32, kind: &str, pid: u32| {
            format!(r#"{{"id":{id},"type":"{kind}","pid":{pid},"rect":{{"x":0,"y":0,"width":9,"height":9}}}}"#)
        };
        let dialog = |others: &[(u32, &str, u32)]| {
            let nodes: Vec<String> = others.iter().map(|&(id, kind, pid)| window(id, kind, pid)).collect();
            let text = format!(
                r#"{{"id":1,"rect":{{"x":0,"y":0,"width":9,"height":9}},"nodes":[{},{}]}}"#,
                window(5, "con", 7),
                nodes.join(",")
            );
            dialog_of(&serde_json::from_str(&text).unwrap(), 5)
        };
        assert_eq!(dialog(&[(6, "floating_con", 7), (8, "floating_con", 9)]), Some(6));
        assert_eq!(dialog(&[(6, "con", 7)]), None, "a window of its own");
        assert_eq!(dialog(&[(4, "floating_con", 7)]), None, "it was there before");
        assert_eq!(dialog(&[(6, "floating_con", 7), (8, "floating_con", 7)]), None, "which of them is not told");
    }

    #[test]
    fn an_answer_that_came_too_late_is_none_to_the_next_question() {
        let path = std::env::temp_dir().join(format!("minesight-sway-{}", std::process::id()));
        let listener = UnixListener::bind(&path).unwrap();
        let (late, is_late) = std::sync::mpsc::channel::<()>();
        let server = std::thread::spawn(move || {
            let take = |mut stream: UnixStream, answer: &str| {
                let mut question = [0; 14];
                stream.read_exact(&mut question).unwrap();
                let header = [&MAGIC[..], &(answer.len() as u32).to_ne_bytes(), &question[10..]].concat();
                let _ = stream.write_all(&[&header, answer.as_bytes()].concat());
                stream
            };
            // The first question is answered when nobody waits for it any more.
            let (first, _) = listener.accept().unwrap();
            is_late.recv().unwrap();
            let first = take(first, "then");
            // Whoever still asks here gets the next answer here.
            listener.set_nonblocking(true).unwrap();
            match listener.accept() {
                Ok((second, _)) => {
                    second.set_nonblocking(false).unwrap();
                    drop(take(second, "now"));
                }
                Err(_) => drop(take(first, "now")),
            }
        });
        let mut sway = Sway::at(path.clone(), Duration::from_millis(50)).unwrap();
        assert!(sway.ask(GET_TREE, "").is_err());
        late.send(()).unwrap();
        sway.stream.set_read_timeout(None).unwrap();
        assert_eq!(sway.ask(GET_TREE, "").unwrap(), b"now");
        std::fs::remove_file(&path).unwrap();
        server.join().unwrap();
    }
}
