//! Rebuilds the crate when a file in `migrations/` changes, because the migrations are compiled
//! into the crate, and when the descriptions of the SQL statements change.

fn main() {
    println!("cargo:rerun-if-changed=../migrations");
    println!("cargo:rerun-if-changed=.sqlx");
    // `.ci/prepare-queries` compiles the statements against a database.
    println!("cargo:rerun-if-env-changed=SQLX_OFFLINE");
    println!("cargo:rerun-if-env-changed=SQLX_OFFLINE_DIR");
}
