//! Looks at every captured payment once with eyes of its own, account by account.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::{AccountId, OrderId, PaymentIntentId, Timestamp};
use persistence::Failure;
use persistence::books::OrderRecord;

use super::comparison::{Comparison, Said};
use super::{Known, READ_MAX, SILENT_ACCOUNTS_MAX};

/// From so many payments of one account on, listing them costs less than asking for each.
const LIST_FROM: usize = 5;
/// An account is listed from so long before the first of these orders was opened. An intent is made a moment after its order; should the
/// provider's clock be further behind, what the list lacks is asked for by name.
const LIST_BEFORE_MS: i64 = 10_000;
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

/// What an account's payments were listed as while one look lasts: a page of orders that were captured before it was listed needs
/// no list of its own.
struct Listed {
    since: Timestamp,
    asked_at: Timestamp,
    payments: BTreeMap<PaymentIntentId, Said>,
}

impl Captures {
    pub(super) fn since(start: Timestamp) -> Captures {
        Captures {
            until: start,
            witnessed: BTreeSet::new(),
            missed: VecDeque::new(),
        }
    }

    /// Looks at those that were captured since it last did, and remembers which it found right.
    pub(super) async fn witness(
        &mut self,
        comparison: &Comparison,
        known: &mut Known,
    ) -> Result<(), Failure> {
        let books = &comparison.room.books;
        let mut silent = self.witness_missed(comparison).await;
        let mut lists = BTreeMap::new();
        loop {
            let page = books.orders_captured(self.until, READ_MAX).await?;
            let full = page.len() == READ_MAX as usize;
            let seen = |order: &OrderId| {
                self.witnessed.contains(order)
                    || self.missed.iter().any(|(_, missed)| missed.contains(order))
            };
            let fresh: Vec<&OrderRecord> = page
                .iter()
                .filter(|record| !seen(&record.order.id))
                .collect();
            let Some(last) = page.last().and_then(|record| record.captured_at) else {
                return Ok(());
            };
            if fresh.is_empty() && last == self.until {
                return Ok(());
            }
            let mut by_account: BTreeMap<AccountId, Vec<&OrderRecord>> = BTreeMap::new();
            for record in fresh {
                by_account
                    .entry(record.order.account.clone())
                    .or_default()
                    .push(record);
            }
            for (account, records) in by_account {
                let witnessed =
                    witness_account(comparison, &account, &records, &mut lists, known).await;
                let Err(failure) = witnessed else { continue };
                let missed = self
                    .missed
                    .iter()
                    .map(|(_, missed)| missed.len())
                    .sum::<usize>();
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
            self.witnessed.extend(
                page.iter()
                    .filter(|record| record.captured_at == Some(last))
                    .map(|record| record.order.id),
            );
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
            let Some((account, mut orders)) = self.missed.pop_front() else {
                break;
            };
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
    lists: &mut BTreeMap<AccountId, Listed>,
    known: &mut Known,
) -> Result<(), Failure> {
    let now = comparison.room.clock.now();
    let first = records
        .iter()
        .map(|record| record.opened_at)
        .min()
        .unwrap_or(now);
    let last = records
        .iter()
        .filter_map(|record| record.captured_at)
        .max()
        .unwrap_or(now);
    let since = first.plus_ms(-LIST_BEFORE_MS);
    lists.retain(|of, listed| of != account || listed.since <= since && last < listed.asked_at);
    if records.len() >= LIST_FROM && !lists.contains_key(account) {
        let list = comparison.list(account, since).await?;
        let payments = list
            .into_iter()
            .map(|said| (said.intent.id.clone(), said))
            .collect();
        lists.insert(
            account.clone(),
            Listed {
                since,
                asked_at: now,
                payments,
            },
        );
    }
    let mut list = lists.get_mut(account);
    let (mut listed, mut unlisted) = (Vec::new(), Vec::new());
    for record in records {
        let id = record.order.payment_intent.as_ref();
        match list
            .as_mut()
            .zip(id)
            .and_then(|(list, id)| list.payments.remove(id))
        {
            Some(said) => listed.push((*record, said)),
            None => unlisted.push(record.order.id),
        }
    }
    comparison
        .captured(listed)
        .await?
        .into_iter()
        .for_each(|said| known.found_right(said));
    for order in unlisted {
        comparison.order(order).await?;
    }
    Ok(())
}
