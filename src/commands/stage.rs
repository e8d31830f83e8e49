//! `--page`: a page that follows what a command does.

use crate::page::live::{Stage, serve};
use std::net::SocketAddr;
use std::sync::Arc;

/// A page at an address; where it is, is said to people.
///
/// # Errors
/// The address is taken, or not one of this machine.
pub fn open(address: SocketAddr, title: &str) -> anyhow::Result<Arc<Stage>> {
    let stage = Arc::new(Stage::default());
    let at = serve(address, title, stage.clone())?;
    eprintln!("the page is http://{at}/");
    if !at.ip().is_loopback() {
        eprintln!("everybody who reaches this address can see it");
    }
    Ok(stage)
}
