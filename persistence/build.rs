//! The migrations are compiled in: a new file in their folder means a new build.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
}
