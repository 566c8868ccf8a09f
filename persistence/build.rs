//! Rebuilds the crate when a file in `migrations/` changes, because the migrations are compiled
//! into the crate.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
