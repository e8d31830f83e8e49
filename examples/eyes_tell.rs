fn main() {
    for path in std::env::args().skip(1) {
        let picture = image::open(&path).unwrap().into_rgba8();
        let start = std::time::Instant::now();
        let found = minesight::vision::boards_of_any_look(&picture);
        println!("{path}: {:?}", start.elapsed());
        for grid in found.iter().take(4) {
            println!("  {} at {:?} of {:?}", grid.size(), grid.origin(), grid.pitch());
        }
    }
}
