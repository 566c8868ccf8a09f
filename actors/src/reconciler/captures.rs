//! Looks at every captured payment once with eyes of its own, account by account.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::{AccountId, OrderId, Timestamp};
use persistence::Failure;
use persistence::books::OrderRecord;

use super::comparison::Comparison;
use super::{CLOCKS_DIFFER_MS, READ_MAX, SILENT_ACCOUNTS_MAX};

/// From so many payments of one account on, listing them costs less than asking for each.
const LIST_FROM: usize = 5;
/// Captured payments of accounts that cannot be asked that are remembered, to be asked for again.
const MISSED_MAX: usize = 10_000;

/// Which captured payments were looked at.
pub(super) struct Captures {
    /// Those before this; of those at this very time, these.
    until: Timestamp,
    witnessed: BTreeSet<OrderId>,
    /// Those whose account could not be asked then.
    missed: VecDeque<(AccountId, BTreeSet<OrderId>)>,
}

impl Captures {
    pub(super) fn since(start: Timestamp) -> Captures {
        Captures { until: start, witnessed: BTreeSet::new(), missed: VecDeque::new() }
    }

    /// Looks at those that were captured since it last did.
    pub(super) async fn witness(&mut self, comparison: &Comparison) -> Result<(), Failure> {
        let books = &comparison.room.books;
        let mut silent = self.witness_missed(comparison).await;
        loop {
            let page = books.orders_captured(self.until, READ_MAX).await?;
            let full = page.len() == READ_MAX as usize;
            let seen = |order: &OrderId| {
                self.witnessed.contains(order) || self.missed.iter().any(|(_, missed)| missed.contains(order))
            };
            let fresh: Vec<&OrderRecord> = page.iter().filter(|record| !seen(&record.order.id)).collect();
            let Some(last) = page.last().and_then(|record| record.captured_at) else { return Ok(()) };
            if fresh.is_empty() && last == self.until {
                return Ok(());
            }
            let mut by_account: BTreeMap<AccountId, Vec<&OrderRecord>> = BTreeMap::new();
            for record in fresh {
                by_account.entry(record.order.account.clone()).or_default().push(record);
            }
            for (account, records) in by_account {
                let Err(failure) = witness_account(comparison, &account, &records).await else { continue };
                let missed = self.missed.iter().map(|(_, missed)| missed.len()).sum::<usize>();
                if silent == SILENT_ACCOUNTS_MAX || missed + records.len() > MISSED_MAX {
                    return Err(failure);
                }
                silent += 1;
                tracing::warn!(%failure, account = %account.0, "an account's captured payments are compared later");
                self.miss(account, records.iter().map(|record| record.order.id));
            }
            if last > self.until {
                self.witnessed.clear();
                self.until = last;
            }
            self.witnessed
                .extend(page.iter().filter(|record| record.captured_at == Some(last)).map(|record| record.order.id));
            if !full {
                return Ok(());
            }
        }
    }

    fn miss(&mut self, account: AccountId, orders: impl Iterator<Item = OrderId>) {
        match self.missed.iter_mut().find(|(known, _)| *known == account) {
            Some((_, missed)) => missed.extend(orders),
            None => self.missed.push_back((account, orders.collect())),
        }
    }

    /// Asks again for what was missed, each account until it is silent; how many are.
    async fn witness_missed(&mut self, comparison: &Comparison) -> usize {
        let mut silent = 0;
        for _ in 0..self.missed.len() {
            if silent == SILENT_ACCOUNTS_MAX {
                break;
            }
            let Some((account, mut orders)) = self.missed.pop_front() else { break };
            while let Some(order) = orders.first().copied() {
                if comparison.order(order).await.is_err() {
                    silent += 1;
                    break;
                }
                orders.remove(&order);
            }
            if !orders.is_empty() {
                self.missed.push_back((account, orders));
            }
        }
        silent
    }
}

/// Each payment of one account: those that the provider lists, and the others by name.
async fn witness_account(
    comparison: &Comparison,
    account: &AccountId,
    records: &[&OrderRecord],
) -> Result<(), Failure> {
    let room = &comparison.room;
    let first = records.iter().map(|record| record.opened_at).min().unwrap_or(room.clock.now());
    let mut listed = BTreeMap::new();
    if records.len() >= LIST_FROM {
        let since = first.plus_ms(-CLOCKS_DIFFER_MS);
        let list = comparison.list(account, since).await?;
        listed.extend(list.into_iter().map(|said| (said.intent.id.clone(), said)));
    }
    for record in records {
        match record.order.payment_intent.as_ref().and_then(|id| listed.remove(id)) {
            Some(said) => comparison.compare(Some(record), &said).await?,
            None => comparison.order(record.order.id).await?,
        };
    }
    Ok(())
}
