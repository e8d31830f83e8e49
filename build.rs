//! The bundled clients are compiled in: a changed picture or calibration must rebuild the crate. On Windows a manifest tells the
//! system that the program counts in pixels on every monitor, before its first line runs, and speaks UTF-8.

fn main() {
    println!("cargo:rerun-if-changed=calibration");
    println!("cargo:rerun-if-changed=templates");
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        let manifest = embed_manifest::new_manifest("minesight");
        embed_manifest::embed_manifest(manifest).expect("the manifest is written to the build's own folder");
    }
}
