//! Fills the disk of Postgres completely. Sales must pause. When there is space again, they must
//! continue without manual repair.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{CrashesArgs, ms_since, run_small_buyer_crowd};
use crate::audit;
use crate::latency::Percentiles;
use crate::report::Report;
use crate::server_process::ServerProcess;
use crate::test_run::{FINAL_OUTCOME_SECONDS_MAX, TestRun};

/// Size of the disk in megabytes. The demo's data and a short sale fit on it, but it is soon full.
const SMALL_DISK_MB: usize = 320;
const DISK_FULL_DURATION: Duration = Duration::from_secs(8);
const READY_TIMEOUT: Duration = Duration::from_secs(90);
const BUYER_COUNT: usize = 200;

/// A small file system in memory (tmpfs) for Postgres. Dropping this value unmounts it.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the file system. Returns `None` when the process lacks the right to mount.
    fn mount_disk(at: &Path) -> Result<Option<SmallDisk>> {
        std::fs::create_dir_all(at)?;
        let size = format!("size={SMALL_DISK_MB}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(at)
            .output();
        Ok(mounted
            .is_ok_and(|output| output.status.success())
            .then(|| SmallDisk(at.to_path_buf())))
    }

    /// Writes a file until the disk is full. Returns the path of the file, so that it can be
    /// removed.
    fn fill_up(&self) -> Result<PathBuf> {
        let path = self.0.join("ballast");
        let mut ballast = File::create(&path)?;
        let mut piece = vec![7; 1 << 20];
        while !piece.is_empty() {
            match ballast.write(&piece) {
                Ok(written) if written > 0 => {}
                _ => piece.truncate(piece.len() / 2),
            }
        }
        Ok(path)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

pub async fn test_full_disks(crashes: &CrashesArgs, report: &mut Report) -> Result<()> {
    if crashes.full_disks == 0 {
        return Ok(());
    }
    let dir = ServerProcess::create_folder()?;
    let Some(full_disk) = SmallDisk::mount_disk(&dir.join("data/postgres"))? else {
        std::fs::remove_dir_all(&dir)?;
        report.add_fact("disk full", "left out: mounting a small disk needs root");
        return Ok(());
    };
    let test_run = TestRun::with_server(
        ServerProcess::start_in_folder(dir.clone(), Vec::new()).await?,
        1,
        Duration::from_secs(90),
    )
    .await?;
    let outcome = fill_disk_repeatedly(&test_run, crashes, &full_disk, report).await;
    test_run.close(true).await?;
    drop(full_disk);
    std::fs::remove_dir_all(&dir).with_context(|| format!("removing {}", dir.display()))?;
    outcome
}

async fn fill_disk_repeatedly(
    test_run: &TestRun,
    crashes: &CrashesArgs,
    full_disk: &SmallDisk,
    report: &mut Report,
) -> Result<()> {
    let (mut ready_after, mut acknowledged) = (Vec::new(), 0);
    for time in 1..=crashes.full_disks {
        let site = Arc::clone(&test_run.site);
        let (seed, over) = (crashes.seed + u64::from(time), DISK_FULL_DURATION * 2);
        let name = format!("Full disk {time}");
        let buyer_tasks = tokio::spawn(async move {
            run_small_buyer_crowd(&site, &name, seed, BUYER_COUNT, over).await
        });
        tokio::time::sleep(DISK_FULL_DURATION / 2).await;
        let ballast = full_disk.fill_up()?;
        tokio::time::sleep(DISK_FULL_DURATION).await;
        std::fs::remove_file(ballast)?;
        let started_at = Instant::now();
        test_run
            .server_process
            .lock()
            .await
            .wait_until_ready(READY_TIMEOUT)
            .await
            .context("after a full disk")?;
        ready_after.push(ms_since(started_at));
        let transcripts = buyer_tasks.await??;
        let (settled, _) = audit::wait_for_final_outcomes(
            &test_run.site,
            &transcripts,
            Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX),
        )
        .await?;
        let mut checks = audit::check_transcripts(&transcripts, &settled);
        let mut database_report = Report::default();
        let access = test_run.server_process.lock().await.database_access();
        crate::database_audit::audit_database(
            &test_run.site,
            access.as_ref(),
            test_run.initial_anomalies(),
            &mut database_report,
        )
        .await?;
        checks.extend(database_report.checks);
        acknowledged += transcripts
            .iter()
            .filter(|transcript| !transcript.tickets.is_empty())
            .count();
        for mut check in checks {
            check.name = format!("full disk {time}: {}", check.name);
            report.checks.push(check);
        }
    }
    let ready_after = Percentiles::of_sample(ready_after);
    report.add_fact(
        "disk full",
        format!(
            "{} times, ready {:.0} ms after there was room at the latest, {acknowledged} acknowledged",
            crashes.full_disks, ready_after.most
        ),
    );
    Ok(())
}
