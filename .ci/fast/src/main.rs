//! Starts `.ci/run fast`. The alias `cargo fast` runs this program, because an alias cannot start a
//! script.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../run");
    match Command::new(&script).arg("fast").status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", script.display());
            ExitCode::FAILURE
        }
    }
}
