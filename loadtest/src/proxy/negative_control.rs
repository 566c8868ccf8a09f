//! The negative control: the same crowd and the same audit, but the link to the provider fakes
//! every capture. Buyers see their tickets and nobody is charged. The audit must find this.
//! Otherwise a passed test matrix proves nothing.

use std::time::Duration;

use anyhow::Result;

use super::matrix_cell::{MatrixCell, SalePhase};
use super::toxic::{LinkKind, Toxic};
use super::{ProxyRun, audit_matrix_cells};
use crate::audit::AuditCheck;

const NEGATIVE_CONTROL_CELL: MatrixCell = MatrixCell {
    link_kind: LinkKind::Provider,
    toxic: Toxic::FakesCaptures,
    phase: SalePhase::Rush,
};
/// Parts of the names of the audit's checks that must fail in the negative control.
const CHECKS_THAT_MUST_FAIL: [&str; 2] = ["whole and paid", "to the cent"];

/// Runs the negative control, and returns a check that fails if the audit found nothing. Captures
/// are faked until the audit is over, and the server's data is useless afterwards.
pub async fn run_negative_control(
    proxy_run: &ProxyRun,
    draw: i64,
    seed: u64,
) -> Result<AuditCheck> {
    let link = NEGATIVE_CONTROL_CELL.link(&proxy_run.links);
    link.set_toxic(Some(NEGATIVE_CONTROL_CELL.toxic));
    let transcripts = NEGATIVE_CONTROL_CELL
        .run_buyer_crowd(proxy_run, draw, seed)
        .await?;
    let buyers = transcripts.len();
    let mut checks = Vec::new();
    // The payments of this crowd never settle, so the audit does not wait for them.
    audit_matrix_cells(proxy_run, transcripts, Duration::ZERO, &mut checks).await?;
    link.set_toxic(None);
    Ok(AuditCheck::new(
        "control: the audit finds faked captures",
        buyers,
        checks_that_did_not_fail(&checks),
    ))
}

fn checks_that_did_not_fail(checks: &[AuditCheck]) -> Vec<String> {
    let is_found = |check_name: &&str| {
        checks
            .iter()
            .any(|check| check.name.contains(*check_name) && !check.failures.is_empty())
    };
    let undetected = CHECKS_THAT_MUST_FAIL
        .iter()
        .filter(|check_name| !is_found(check_name));
    undetected
        .map(|check_name| format!("captures were faked, but the check \"{check_name}\" passed"))
        .collect()
}
