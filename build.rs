//! The bundled clients are compiled in: a changed picture or calibration must rebuild the crate.

fn main() {
    println!("cargo:rerun-if-changed=calibration");
    println!("cargo:rerun-if-changed=templates");
}
