//! Implements [`Ledger`] in Postgres. Appends of many draws are written in one transaction (group
//! commit).
//!
//! The commit statement decides in the database which draws may be written. The batch of a rejected
//! draw fails with a separate error, while the other draws are written.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{Deal, DrawId, OrderId, Timestamp};
use sqlx::postgres::PgConnection;

use super::writer::{BatchTransaction, TransactionError};
use super::{
    Postgres, attached_writes, claims, codec, commit_statement, draw_mails, takeover, tickets,
    undo_result,
};
use crate::audit_log;
use crate::change::DrawChange;
use crate::error::Failure;
use crate::failpoint::{self, FailpointSide, PurchaseStep};
use crate::ledger::{
    AttachedWrite, ChangedDraw, DrawClaims, DrawCommit, KnownDraw, Ledger, check_shared_transaction,
};
use crate::link_secrets::LinkSecrets;
use crate::nodes::InstanceId;

/// Maximum number of commits in one transaction.
pub(super) const TRANSACTION_COMMITS_MAX: usize = 256;

#[async_trait]
impl Ledger for Postgres {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        let (postgres, draws) = (self.clone(), draws.to_vec());
        self.write_with_retries(async move || {
            claims::claim_draws(postgres.actors_pool(), postgres.sealer(), me, &draws, None).await
        })
        .await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            takeover::take_over(postgres.actors_pool(), postgres.sealer(), me, draw, from).await
        })
        .await
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        check_shared_transaction(&appends)?;
        let draw_batch = DrawBatch::new(appends);
        let steps = draw_batch.purchase_steps();
        let answer = self.inner.group_commit.submit(draw_batch).await;
        for step in steps {
            failpoint::reach_failpoint(step, FailpointSide::After);
        }
        answer.unwrap_or_else(|_| Err(Failure::Unknown("the writer panicked".into())))
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(
            async move { claims::live_draws(postgres.actors_pool()).await },
        )
        .await
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        let (postgres, known) = (self.clone(), known.to_vec());
        self.run_on_database_threads(async move {
            claims::changed_draws(postgres.reads_pool(), me, &known).await
        })
        .await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            claims::load_deal(postgres.reads_pool(), postgres.sealer(), draw).await
        })
        .await
    }
}

/// Consecutive commits of one draw, at least one.
pub(super) struct DrawBatch {
    pub commits: Vec<PreparedCommit>,
}

/// An append with the table changes that its events cause.
pub(super) struct PreparedCommit {
    pub append: DrawCommit,
    pub change: DrawChange,
}

impl DrawBatch {
    /// Computes the table changes of appends that passed
    /// [`crate::ledger::check_shared_transaction`].
    pub fn new(appends: Vec<DrawCommit>) -> DrawBatch {
        let prepare = |append: DrawCommit| PreparedCommit {
            change: DrawChange::from_events(&append.events),
            append,
        };
        DrawBatch {
            commits: appends.into_iter().map(prepare).collect(),
        }
    }

    /// Returns the batch's first append. All appends of the batch have its draw and epoch. Its
    /// `after` is the revision that the whole batch follows.
    pub fn first_commit(&self) -> &DrawCommit {
        &self.commits[0].append
    }

    pub fn draw(&self) -> DrawId {
        self.first_commit().draw
    }

    /// Returns the combined table changes of all commits of the batch. Where two commits change the
    /// same value, the later commit's value counts.
    pub fn combined_change(&self) -> DrawChange {
        DrawChange::from_events(self.commits.iter().flat_map(|commit| &commit.append.events))
    }

    /// Returns the purchase steps that the commits carry out. Each step has a failpoint for tests.
    pub fn purchase_steps(&self) -> Vec<PurchaseStep> {
        self.commits
            .iter()
            .filter_map(PreparedCommit::purchase_step)
            .collect()
    }
}

impl PreparedCommit {
    fn purchase_step(&self) -> Option<PurchaseStep> {
        match &self.append.attached_write {
            Some(AttachedWrite::Open(_)) => Some(PurchaseStep::Order),
            _ => (!self.change.allocated.is_empty()).then_some(PurchaseStep::Allocate),
        }
    }

    pub fn allocates(&self, order: OrderId) -> bool {
        self.change
            .allocated
            .iter()
            .any(|ticket_change| ticket_change.order == order)
    }

    /// Returns when the order's payment was authorised, if this commit records that time.
    pub fn authorised_at(&self, order: OrderId) -> Option<Timestamp> {
        match &self.append.attached_write {
            Some(AttachedWrite::Authorised { order: of, at }) if *of == order => Some(*at),
            _ => None,
        }
    }
}

/// A worker that writes the commits of many draws in one transaction.
pub(super) struct GroupCommit;

impl BatchTransaction for GroupCommit {
    type Request = DrawBatch;
    type Response = ();

    fn conflict_key(draw_batch: &DrawBatch) -> Option<u128> {
        Some(draw_batch.draw().0.cast_unsigned().into())
    }

    fn request_size(draw_batch: &DrawBatch) -> usize {
        draw_batch.commits.len()
    }

    async fn write_in_transaction(
        connection: &mut PgConnection,
        secrets: &LinkSecrets,
        batch: &[&DrawBatch],
    ) -> Result<Vec<Result<(), Failure>>, TransactionError> {
        let mut failures: BTreeMap<i64, Failure> = BTreeMap::new();
        let accepted_draws = commit_statement::commit_draws(connection, batch).await?;
        let (accepted, rejected): (Vec<&DrawBatch>, Vec<&DrawBatch>) = batch
            .iter()
            .partition(|draw_batch| accepted_draws.contains(&draw_batch.draw()));
        if !rejected.is_empty() {
            failures.extend(commit_statement::rejection_reasons(connection, &rejected).await?);
        }
        let commits: Vec<&PreparedCommit> = accepted
            .into_iter()
            .flat_map(|draw_batch| &draw_batch.commits)
            .collect();
        if !commits.is_empty() {
            attached_writes::write_attached(connection, secrets, &commits).await?;
            tickets::void_tickets(connection, &commits).await?;
            tickets::allocate_tickets(connection, &commits).await?;
            draw_mails::queue_draw_change_mails(connection, &commits).await?;
            commit_statement::update_draws(connection, &commits).await?;
            undo_result::revert_results(connection, &commits).await?;
            write_audit_entries(connection, secrets, &commits).await?;
            commit_statement::increment_catalogue_revision(connection, &commits).await?;
        }
        batch
            .iter()
            .flat_map(|draw_batch| draw_batch.purchase_steps())
            .for_each(|step| failpoint::reach_failpoint(step, FailpointSide::Before));
        Ok(batch
            .iter()
            .map(|draw_batch| failures.remove(&draw_batch.draw().0).map_or(Ok(()), Err))
            .collect())
    }
}

/// Writes the audit entries of commits that a person made. To avoid deadlocks, every writer takes
/// its locks in the sequence draw rows, audit log, catalogue.
async fn write_audit_entries(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    for PreparedCommit { append, change } in commits {
        if let Some(entry) = &append.act {
            let entry = entry
                .with_draw_revision(append.after + 1, change.status.map(codec::draw_status_text));
            audit_log::write_entry(connection, secrets.sealer(), &entry).await?;
        }
    }
    Ok(())
}
