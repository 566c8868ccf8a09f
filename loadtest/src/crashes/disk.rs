//! Postgres' disk is full to the last byte: sales pause, and when there is room again nothing has to be repaired by hand.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{Crashes, since, some_buy};
use crate::audit;
use crate::house::{CALM_SECONDS_MAX, House};
use crate::latency::Percentiles;
use crate::report::Report;
use crate::subject::Subject;

/// Room for a seeded demo and a rush, and soon full.
const DISK_MB: usize = 320;
const FULL_FOR: Duration = Duration::from_secs(8);
const STANDS: Duration = Duration::from_secs(90);
const BUYERS: usize = 200;

/// A small disk of its own for Postgres; it goes with the run.
struct Disk(PathBuf);

impl Disk {
    /// `None` where a process may not mount one.
    fn mount(at: &Path) -> Result<Option<Disk>> {
        std::fs::create_dir_all(at)?;
        let size = format!("size={DISK_MB}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(at)
            .output();
        Ok(mounted
            .is_ok_and(|mounted| mounted.status.success())
            .then(|| Disk(at.to_path_buf())))
    }

    /// To the last byte.
    fn fill(&self) -> Result<PathBuf> {
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

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

pub async fn fill(crashes: &Crashes, report: &mut Report) -> Result<()> {
    if crashes.full_disks == 0 {
        return Ok(());
    }
    let dir = Subject::folder()?;
    let Some(disk) = Disk::mount(&dir.join("data/postgres"))? else {
        std::fs::remove_dir_all(&dir)?;
        report.fact("disk full", "left out: mounting a small disk needs root");
        return Ok(());
    };
    let house = House::with(
        Subject::start_in(dir.clone(), Vec::new()).await?,
        1,
        Duration::from_secs(90),
    )
    .await?;
    let outcome = play(&house, crashes, &disk, report).await;
    house.close(true).await?;
    drop(disk);
    std::fs::remove_dir_all(&dir).with_context(|| format!("removing {}", dir.display()))?;
    outcome
}

async fn play(house: &House, crashes: &Crashes, disk: &Disk, report: &mut Report) -> Result<()> {
    let (mut stood, mut acknowledged) = (Vec::new(), 0);
    for time in 1..=crashes.full_disks {
        let site = Arc::clone(&house.site);
        let (seed, over) = (crashes.seed + u64::from(time), FULL_FOR * 2);
        let name = format!("Full disk {time}");
        let people = tokio::spawn(async move { some_buy(&site, &name, seed, BUYERS, over).await });
        tokio::time::sleep(FULL_FOR / 2).await;
        let ballast = disk.fill()?;
        tokio::time::sleep(FULL_FOR).await;
        std::fs::remove_file(ballast)?;
        let began = Instant::now();
        house
            .subject
            .lock()
            .await
            .ready(STANDS)
            .await
            .context("after a full disk")?;
        stood.push(since(began));
        let tolds = people.await??;
        let (settled, _) =
            audit::settle(&house.site, &tolds, Duration::from_secs(CALM_SECONDS_MAX)).await?;
        let mut checks = audit::promises(&tolds, &settled);
        let mut books = Report::default();
        let access = house.subject.lock().await.access();
        crate::books::examine(&house.site, access.as_ref(), house.known(), &mut books).await?;
        checks.extend(books.checks);
        acknowledged += tolds.iter().filter(|told| !told.tickets.is_empty()).count();
        for mut check in checks {
            check.name = format!("full disk {time}: {}", check.name);
            report.checks.push(check);
        }
    }
    let stood = Percentiles::of(stood);
    report.fact(
        "disk full",
        format!(
            "{} times, ready {:.0} ms after there was room at the latest, {acknowledged} acknowledged",
            crashes.full_disks, stood.most
        ),
    );
    Ok(())
}
