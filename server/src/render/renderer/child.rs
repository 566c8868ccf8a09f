//! The child process that re-encodes a picture: sets its own resource limits, reads the file from
//! standard input, and writes the picture to standard output.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};

use super::RENDER_COMMAND;
use crate::config::running_program_path;
use crate::render::picture::reencode;

/// Exit code: the file is not an accepted picture.
pub const EXIT_PICTURE_REFUSED: i32 = 65;
/// Exit code: a resource limit could not be set, so no file was read.
pub const EXIT_LIMITS_NOT_SET: i32 = 70;
/// Command-line flag of the restarted process, which inherits the resource limits of the first.
pub const LIMITS_SET_FLAG: &str = "--limited";

/// Maximum size of an uploaded file in bytes: that of an offer's share image.
const INPUT_BYTES_MAX: u64 = 3_000_000;
/// Maximum address space of the child process in bytes: 256 MB for the decoder, the decoded
/// picture, and the program itself.
const ADDRESS_SPACE_BYTES_MAX: u64 = 768 * 1024 * 1024;
/// Maximum processor time of the child process in seconds, enforced by the kernel, which counts
/// whole seconds.
const CPU_TIME_SECONDS_MAX: u64 = 1;
/// Processor time of the child process in milliseconds after which a timer kills it, earlier than
/// the limit of the kernel.
#[cfg(target_os = "linux")]
const CPU_TIME_MS_MAX: i64 = 600;

/// Runs the hidden command `render-picture`. The first process sets the resource limits and
/// executes the program again, so that the allocator of the restarted process obeys them from the
/// beginning.
pub fn run_picture_renderer(is_limited: bool) -> ExitCode {
    let code = if is_limited {
        render_from_stdin()
    } else {
        restart_with_limits()
    };
    ExitCode::from(code as u8)
}

fn restart_with_limits() -> i32 {
    match limit_resources() {
        Ok(()) => {
            // `exec` replaces this process, so it returns only if it fails.
            let _error = Command::new(running_program_path())
                .args([RENDER_COMMAND, LIMITS_SET_FLAG])
                .exec();
            EXIT_LIMITS_NOT_SET
        }
        Err(_) => EXIT_LIMITS_NOT_SET,
    }
}

fn limit_resources() -> Result<(), Errno> {
    let limit = |resource, most| setrlimit(resource, most, most);
    limit(Resource::RLIMIT_CORE, 0)?;
    limit(Resource::RLIMIT_FSIZE, 0)?;
    limit(Resource::RLIMIT_CPU, CPU_TIME_SECONDS_MAX)?;
    // Limit the address space only on Linux, because other systems count it differently.
    #[cfg(target_os = "linux")]
    limit(Resource::RLIMIT_AS, ADDRESS_SPACE_BYTES_MAX)?;
    Ok(())
}

fn render_from_stdin() -> i32 {
    let Ok(_timer) = set_final_limits() else {
        return EXIT_LIMITS_NOT_SET;
    };
    let mut bytes = Vec::new();
    let read_result = std::io::stdin()
        .lock()
        .take(INPUT_BYTES_MAX + 1)
        .read_to_end(&mut bytes);
    if read_result.is_err() || bytes.len() as u64 > INPUT_BYTES_MAX {
        return EXIT_PICTURE_REFUSED;
    }
    let Some(picture) = reencode(&bytes) else {
        return EXIT_PICTURE_REFUSED;
    };
    let mut output = std::io::stdout().lock();
    let write_result = output
        .write_all(&picture.bytes)
        .and_then(|()| output.flush());
    if write_result.is_ok() {
        0
    } else {
        EXIT_PICTURE_REFUSED
    }
}

/// Sets the limits that only the restarted process may have, because they would have prevented the
/// restart: no further file, process or thread. Also starts the timer of the processor time.
#[cfg(target_os = "linux")]
fn set_final_limits() -> Result<nix::sys::timer::Timer, Errno> {
    use nix::sys::signal::{SigEvent, SigevNotify, Signal};
    use nix::sys::time::{TimeSpec, TimeValLike};
    use nix::sys::timer::{Expiration, Timer, TimerSetTimeFlags};
    use nix::time::ClockId;

    let event = SigEvent::new(SigevNotify::SigevSignal {
        signal: Signal::SIGKILL,
        si_value: 0,
    });
    let mut timer = Timer::new(ClockId::CLOCK_PROCESS_CPUTIME_ID, event)?;
    timer.set(
        Expiration::OneShot(TimeSpec::milliseconds(CPU_TIME_MS_MAX)),
        TimerSetTimeFlags::empty(),
    )?;
    setrlimit(Resource::RLIMIT_NPROC, 0, 0)?;
    setrlimit(Resource::RLIMIT_NOFILE, 3, 3)?;
    Ok(timer)
}

#[cfg(not(target_os = "linux"))]
fn set_final_limits() -> Result<(), Errno> {
    setrlimit(Resource::RLIMIT_NOFILE, 3, 3)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Environment variable that marks the test process in which limits are set.
    const LIMITED_TEST_VARIABLE: &str = "PICTURE_CHILD_IS_LIMITED";

    #[test]
    fn allocation_beyond_the_address_space_fails() {
        let reserve = |bytes: u64| Vec::<u8>::new().try_reserve_exact(bytes as usize);
        if std::env::var_os(LIMITED_TEST_VARIABLE).is_some() {
            limit_resources().expect("limited");
            assert!(
                reserve(ADDRESS_SPACE_BYTES_MAX / 3).is_ok(),
                "what a decoder may take"
            );
            assert!(
                reserve(ADDRESS_SPACE_BYTES_MAX).is_err(),
                "as much as the whole process may have"
            );
            return;
        }
        assert!(
            reserve(ADDRESS_SPACE_BYTES_MAX).is_ok(),
            "without the limit there is room"
        );
        let name = format!(
            "{}::allocation_beyond_the_address_space_fails",
            module_path!().split_once("::").expect("a path").1
        );
        let program = std::env::current_exe().expect("this program");
        let run = Command::new(program)
            .args([&name, "--exact", "--nocapture"])
            .env(LIMITED_TEST_VARIABLE, "1")
            .output();
        let run = run.expect("started");
        let (output, errors) = (
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr),
        );
        assert!(
            run.status.success() && output.contains("1 passed"),
            "{}\n{output}\n{errors}",
            run.status
        );
    }
}
