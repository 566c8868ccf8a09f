//! Group commit of appends: whatever waits is written in one transaction, and each draw is answered for itself. The fence
//! decides in the database which of them survive; the others are told why and do their neighbours no harm.

use std::collections::BTreeMap;

use domain::{DrawId, OrderId, Timestamp};
use sqlx::postgres::PgConnection;

use super::writer::{Transaction, Trouble};
use super::{fence, gate, riders, tickets, undoing, words};
use crate::change::Change;
use crate::error::Failure;
use crate::failpoint::{self, Side, Step};
use crate::ledger::{Append, Rider};
use crate::records::audit;

/// Commits in one transaction.
pub(super) const TOGETHER_MAX: usize = 256;

/// Commits of one draw that follow each other; never none.
pub(super) struct Entry {
    pub commits: Vec<Commit>,
}

/// An append and what it leaves in the tables.
pub(super) struct Commit {
    pub append: Append,
    pub change: Change,
}

impl Entry {
    /// Of appends that may be together.
    pub fn of(appends: Vec<Append>) -> Entry {
        let commit = |append: Append| Commit {
            change: Change::of(&append.events),
            append,
        };
        Entry {
            commits: appends.into_iter().map(commit).collect(),
        }
    }

    /// Its draw, owner and the revision that everything follows are the first one's.
    pub fn first(&self) -> &Append {
        &self.commits[0].append
    }

    pub fn draw(&self) -> DrawId {
        self.first().draw
    }

    /// What all of them leave in the tables, the later in place of the earlier.
    pub fn change(&self) -> Change {
        Change::of(self.commits.iter().flat_map(|commit| &commit.append.events))
    }

    /// Which steps of a purchase its commits are.
    pub fn steps(&self) -> Vec<Step> {
        self.commits.iter().filter_map(Commit::step).collect()
    }
}

impl Commit {
    fn step(&self) -> Option<Step> {
        match &self.append.rider {
            Some(Rider::Open(_)) => Some(Step::Order),
            _ => (!self.change.allocated.is_empty()).then_some(Step::Allocate),
        }
    }

    pub fn allocates(&self, order: OrderId) -> bool {
        self.change
            .allocated
            .iter()
            .any(|handover| handover.order == order)
    }

    /// When the provider said that an order's buyer authorised it, if it was said with this commit.
    pub fn authorised(&self, order: OrderId) -> Option<Timestamp> {
        match &self.append.rider {
            Some(Rider::Authorised { order: of, at }) if *of == order => Some(*at),
            _ => None,
        }
    }
}

/// Many draws' commits.
pub(super) struct Appends;

impl Transaction for Appends {
    type Ask = Entry;
    type Answer = ();

    fn subject(ask: &Entry) -> Option<u128> {
        Some(ask.draw().0.cast_unsigned().into())
    }

    fn size(ask: &Entry) -> usize {
        ask.commits.len()
    }

    async fn transact(
        connection: &mut PgConnection,
        entries: &[&Entry],
    ) -> Result<Vec<Result<(), Failure>>, Trouble> {
        let mut answers: BTreeMap<i64, Failure> = BTreeMap::new();
        let passed = gate::pass(connection, entries).await?;
        let (survivors, fallen): (Vec<&Entry>, Vec<&Entry>) = entries
            .iter()
            .partition(|entry| passed.contains(&entry.draw()));
        if !fallen.is_empty() {
            answers.extend(fence::reasons(connection, &fallen).await?);
        }
        let survivors: Vec<&Commit> = survivors
            .into_iter()
            .flat_map(|entry| &entry.commits)
            .collect();
        if !survivors.is_empty() {
            riders::write(connection, &survivors).await?;
            tickets::void(connection, &survivors).await?;
            tickets::allocate(connection, &survivors).await?;
            fence::turn(connection, &survivors).await?;
            undoing::write(connection, &survivors).await?;
            sign(connection, &survivors).await?;
            fence::relist(connection, &survivors).await?;
        }
        entries
            .iter()
            .flat_map(|entry| entry.steps())
            .for_each(|step| failpoint::reach(step, Side::Before));
        Ok(entries
            .iter()
            .map(|entry| answers.remove(&entry.draw().0).map_or(Ok(()), Err))
            .collect())
    }
}

/// Who did it, in the audit log. Its queue comes after the draws' rows and before the catalogue's, for every writer.
async fn sign(connection: &mut PgConnection, commits: &[&Commit]) -> Result<(), Trouble> {
    for Commit { append, change } in commits {
        if let Some(act) = &append.act {
            let act = act.at_revision(append.after + 1, change.status.map(words::status));
            audit::write(connection, &act).await?;
        }
    }
    Ok(())
}
