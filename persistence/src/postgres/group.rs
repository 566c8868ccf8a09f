//! Group commit of appends: whatever waits is written in one transaction, and each answers for itself. The fence decides in
//! the database which of them survive; the others are told why and do their neighbours no harm.

use std::collections::BTreeMap;

use domain::{OrderId, Timestamp};
use sqlx::postgres::PgConnection;

use super::writer::{Transaction, Trouble};
use super::{fence, gate, riders, tickets, undoing, words};
use crate::change::Change;
use crate::error::Failure;
use crate::failpoint::{self, Side, Step};
use crate::ledger::{Append, Rider};
use crate::records::audit;

/// Appends in one transaction.
pub(super) const TOGETHER_MAX: usize = 256;

/// An append and what it leaves in the tables.
pub(super) struct Entry {
    pub append: Append,
    pub change: Change,
}

impl Entry {
    pub fn of(append: Append) -> Entry {
        Entry { change: Change::of(&append.events), append }
    }

    /// Which step of a purchase its commit is.
    pub fn step(&self) -> Option<Step> {
        match &self.append.rider {
            Some(Rider::Open(_)) => Some(Step::Order),
            _ => (!self.change.allocated.is_empty()).then_some(Step::Allocate),
        }
    }

    pub fn allocates(&self, order: OrderId) -> bool {
        self.change.allocated.iter().any(|handover| handover.order == order)
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
        Some(ask.append.draw.0.cast_unsigned().into())
    }

    async fn transact(connection: &mut PgConnection, entries: &[&Entry]) -> Result<Vec<Result<(), Failure>>, Trouble> {
        let mut answers: BTreeMap<i64, Failure> = BTreeMap::new();
        let passed = gate::pass(connection, entries).await?;
        let (survivors, fallen): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| passed.contains(&entry.append.draw));
        if !fallen.is_empty() {
            answers.extend(fence::reasons(connection, &fallen).await?);
        }
        if !survivors.is_empty() {
            riders::write(connection, &survivors).await?;
            tickets::void(connection, &survivors).await?;
            tickets::allocate(connection, &survivors).await?;
            fence::turn(connection, &survivors).await?;
            undoing::write(connection, &survivors).await?;
            sign(connection, &survivors).await?;
            fence::relist(connection, &survivors).await?;
        }
        entries.iter().filter_map(|entry| entry.step()).for_each(|step| failpoint::reach(step, Side::Before));
        Ok(entries.iter().map(|entry| answers.remove(&entry.append.draw.0).map_or(Ok(()), Err)).collect())
    }
}

/// Who did it, in the audit log. Its queue comes after the draws' rows and before the catalogue's, for every writer.
async fn sign(connection: &mut PgConnection, entries: &[&Entry]) -> Result<(), Trouble> {
    for Entry { append, change } in entries {
        if let Some(act) = &append.act {
            let act = act.at_revision(append.after + 1, change.status.map(words::status));
            audit::write(connection, &act).await?;
        }
    }
    Ok(())
}
