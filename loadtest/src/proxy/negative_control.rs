//! The negative control: the same crowd and audit, but the link to the provider fakes every
//! capture. Buyers are shown their tickets and nobody is charged. The audit must fail, otherwise
//! the matrix proves nothing.

use std::time::Duration;

use anyhow::Result;

use super::cell::{MatrixCell, Phase};
use super::toxic::{LinkKind, Toxic};
use super::{ProxyRun, audit_cells};
use crate::audit::Check;

const CELL: MatrixCell = MatrixCell {
    link_kind: LinkKind::Provider,
    toxic: Toxic::FakesCaptures,
    phase: Phase::Rush,
};
/// Parts of the names of the checks that must fail.
const MUST_FAIL: [&str; 2] = ["whole and paid", "to the cent"];

/// Returns a failed check when the audit found nothing. Captures are faked until the audit is over,
/// and the data is useless afterwards.
pub async fn play(proxy_run: &ProxyRun, draw: i64, seed: u64) -> Result<Check> {
    let link = CELL.link(&proxy_run.links);
    link.set_toxic(Some(CELL.toxic));
    let transcripts = CELL.send(proxy_run, draw, seed).await?;
    let buyers = transcripts.len();
    let mut checks = Vec::new();
    // These payments never settle, so there is no waiting.
    audit_cells(proxy_run, transcripts, Duration::ZERO, &mut checks).await?;
    link.set_toxic(None);
    Ok(Check::new(
        "control: the audit finds faked captures",
        buyers,
        undetected(&checks),
    ))
}

fn undetected(checks: &[Check]) -> Vec<String> {
    let is_found = |check_name: &&str| {
        checks
            .iter()
            .any(|check| check.name.contains(*check_name) && !check.failures.is_empty())
    };
    let undetected = MUST_FAIL.iter().filter(|check_name| !is_found(check_name));
    undetected
        .map(|check_name| format!("captures were faked, but the check \"{check_name}\" passed"))
        .collect()
}
