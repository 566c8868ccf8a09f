//! Decodes uploaded pictures in a child process, so that a hostile file can crash or slow down only
//! that process. The child is this program with the hidden command `render-picture`, and limits
//! itself (`renderer/child.rs`).

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::api::error::Problem;
use crate::render::picture::{Picture, PictureType, detect_type};

pub mod child;

/// Name of the program's hidden command that a child process runs.
pub const RENDER_COMMAND: &str = "render-picture";
/// Maximum number of child processes at the same time.
const RENDERER_PROCESSES_MAX: usize = 2;
/// Maximum number of uploads that wait for a child process. Further uploads are refused with 503.
const WAITING_UPLOADS_MAX: usize = 32;
/// Maximum time that an upload waits for a child process before it is refused with 503.
const UPLOAD_WAIT_MAX: Duration = Duration::from_secs(20);
/// Maximum run time of a child process. The child's processor time has a tighter limit. This limit
/// ends a child that hangs without using the processor.
const CHILD_RUN_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum size of a child's output: 1,600 by 1,600 pixels of eight bytes.
const OUTPUT_BYTES_MAX: u64 = 24 * 1024 * 1024;

/// Starts the child processes and limits their number.
pub struct PictureRenderer {
    program: PathBuf,
    /// Maximum run time of a child process.
    wall_time: Duration,
    /// Permits that limit the sum of running child processes and waiting uploads.
    admission: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

impl PictureRenderer {
    pub fn new(program: PathBuf) -> PictureRenderer {
        PictureRenderer {
            program,
            wall_time: CHILD_RUN_TIME_MAX,
            admission: Arc::new(Semaphore::new(RENDERER_PROCESSES_MAX + WAITING_UPLOADS_MAX)),
            running: Arc::new(Semaphore::new(RENDERER_PROCESSES_MAX)),
        }
    }

    /// Re-encodes an uploaded picture in a child process. `None` if the file is refused, or the
    /// child exceeded a limit.
    ///
    /// # Errors
    ///
    /// 503: too many uploads wait, the child could not be started, or it failed by a fault of the
    /// server.
    pub async fn render(&self, bytes: &[u8]) -> Result<Option<Picture>, Problem> {
        let Ok(_admitted) = self.admission.try_acquire() else {
            return Err(Problem::unavailable());
        };
        let Ok(Ok(_running)) = timeout(UPLOAD_WAIT_MAX, self.running.acquire()).await else {
            return Err(Problem::unavailable());
        };
        let mut child = self.start_child().map_err(|error| {
            tracing::error!(%error, program = %self.program.display(), "picture renderer failed to start");
            Problem::unavailable()
        })?;
        match timeout(self.wall_time, send_and_receive(&mut child, bytes)).await {
            Ok(Ok((status, output))) => picture_from_output(status, output),
            Ok(Err(error)) => {
                tracing::error!(%error, "picture renderer failed: pipe error");
                Err(Problem::unavailable())
            }
            Err(_) => {
                tracing::warn!("picture renderer killed: wall time exceeded");
                // `kill` also waits for the child's end, so that no zombie process remains.
                child.kill().await.ok();
                Ok(None)
            }
        }
    }

    fn start_child(&self) -> std::io::Result<Child> {
        Command::new(&self.program)
            .arg(RENDER_COMMAND)
            // Clear the environment, so that a decoder cannot read the server's secrets.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}

/// Writes the file to the child's standard input while reading the picture from its output.
async fn send_and_receive(
    child: &mut Child,
    bytes: &[u8],
) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // Ignore an error: it means that the child ended early, and its exit status says why.
            stdin.write_all(bytes).await.ok();
        }
    };
    let read = async {
        let mut output = Vec::new();
        if let Some(stdout) = stdout {
            stdout
                .take(OUTPUT_BYTES_MAX + 1)
                .read_to_end(&mut output)
                .await?;
        }
        Ok::<_, std::io::Error>(output)
    };
    let ((), output) = tokio::join!(write, read);
    Ok((child.wait().await?, output?))
}

fn picture_from_output(status: ExitStatus, output: Vec<u8>) -> Result<Option<Picture>, Problem> {
    if status.code() == Some(child::EXIT_PICTURE_REFUSED) {
        return Ok(None);
    }
    if status.code() == Some(child::EXIT_LIMITS_NOT_SET) {
        tracing::error!("picture renderer failed: limits could not be set");
        return Err(Problem::unavailable());
    }
    if !status.success() {
        // The child exceeded a limit, overflowed its stack, had no memory, or its decoder panicked.
        tracing::warn!(%status, "picture renderer ended early");
        return Ok(None);
    }
    let ending = match detect_type(&output) {
        Some(PictureType::Png) => "png",
        Some(PictureType::Jpeg) => "jpg",
        Some(PictureType::Svg) | None => {
            tracing::error!("picture renderer failed: no picture in its output");
            return Err(Problem::unavailable());
        }
    };
    Ok(
        (output.len() as u64 <= OUTPUT_BYTES_MAX).then_some(Picture {
            ending,
            bytes: output,
        }),
    )
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use nix::errno::Errno;
    use nix::sys::signal::kill;
    use nix::unistd::Pid;

    use super::*;

    const SVG_DRAWING: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#;

    #[actix_web::test]
    async fn renderer_that_fails_or_outputs_no_picture_is_an_error() {
        for program in ["/nowhere/server", "/bin/true"] {
            let failed = PictureRenderer::new(program.into())
                .render(SVG_DRAWING)
                .await
                .err();
            let failed = failed.unwrap_or_else(|| panic!("{program} renders nothing"));
            assert_eq!(
                actix_web::ResponseError::status_code(&failed),
                503,
                "{program}"
            );
        }
    }

    #[actix_web::test]
    async fn uploads_beyond_the_queue_are_refused_at_once() {
        let renderer = PictureRenderer::new("/bin/true".into());
        let _waiting = renderer
            .admission
            .acquire_many((RENDERER_PROCESSES_MAX + WAITING_UPLOADS_MAX) as u32)
            .await;
        let error = renderer.render(SVG_DRAWING).await.err().expect("refused");
        assert_eq!(actix_web::ResponseError::status_code(&error), 503);
    }

    /// The test's child program writes its process id, and then waits for ten minutes.
    #[actix_web::test]
    async fn hanging_child_is_killed_after_the_time_limit() {
        assert_eq!(
            PictureRenderer::new("/bin/true".into()).wall_time,
            Duration::from_secs(10)
        );
        let folder = persistence::testing::TempFolder::new();
        let (program, pid) = (folder.path().join("waits"), folder.path().join("pid"));
        fs::write(
            &program,
            format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", pid.display()),
        )
        .expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("executable");
        let renderer = PictureRenderer {
            wall_time: Duration::from_millis(500),
            ..PictureRenderer::new(program)
        };
        for _ in 0..20 {
            let rendered = timeout(Duration::from_secs(20), renderer.render(SVG_DRAWING))
                .await
                .expect("the child is killed");
            let pid = fs::read_to_string(&pid)
                .ok()
                .and_then(|pid| pid.trim().parse().ok());
            // Try again if the test program has not started in time, which can happen on a busy
            // machine.
            let (Some(pid), Ok(picture)) = (pid, rendered) else {
                continue;
            };
            assert!(picture.is_none(), "no picture is made");
            assert_eq!(
                kill(Pid::from_raw(pid), None),
                Err(Errno::ESRCH),
                "the child is gone"
            );
            return;
        }
        panic!("the program never began");
    }
}
