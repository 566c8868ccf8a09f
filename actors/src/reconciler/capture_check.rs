//! Compares every captured payment with its order once, account by account.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::{AccountId, OrderId, PaymentIntentId, Timestamp};
use persistence::Failure;
use persistence::stores::OrderRecord;

use super::comparison::{ObservedIntent, PaymentComparison};
use super::{FAILED_ACCOUNTS_PER_PASS_MAX, ROWS_PER_QUERY_MAX, VerifiedPayments};

/// The list of an account's payments starts this long before the first order, in milliseconds. An
/// intent is created just after its order. If the provider's clock is further behind, the payments
/// that the list lacks are read one by one.
const PAYMENT_LIST_START_MARGIN_MS: i64 = 10_000;
/// Largest number of payments that are compared later because a call for their account failed.
const DEFERRED_PAYMENTS_MAX: usize = 10_000;

/// Records which captured payments were compared.
pub(super) struct CaptureCheck {
    /// All orders captured before this time were compared. Of the orders captured at exactly this
    /// time, those in `checked_at_until` were compared.
    until: Timestamp,
    checked_at_until: BTreeSet<OrderId>,
    /// Orders that must be compared later, because a call for their account failed.
    deferred: VecDeque<(AccountId, BTreeSet<OrderId>)>,
}

/// The listed payments of an account. The next page of orders reuses the list for orders that were
/// captured before the list was read.
struct AccountPayments {
    since: Timestamp,
    listed_at: Timestamp,
    payments: BTreeMap<PaymentIntentId, ObservedIntent>,
}

impl CaptureCheck {
    pub(super) fn starting_at(start: Timestamp) -> CaptureCheck {
        CaptureCheck {
            until: start,
            checked_at_until: BTreeSet::new(),
            deferred: VecDeque::new(),
        }
    }

    /// Compares the payments that were captured since the last check, and adds those that agree to
    /// `verified`.
    pub(super) async fn check_new_captures(
        &mut self,
        comparison: &PaymentComparison,
        verified: &mut VerifiedPayments,
    ) -> Result<(), Failure> {
        let store = &comparison.context.store;
        let mut failed_accounts = self.check_deferred_orders(comparison).await;
        let mut lists = BTreeMap::new();
        loop {
            let page = store
                .orders_captured_since(self.until, ROWS_PER_QUERY_MAX)
                .await?;
            let is_full = page.len() == ROWS_PER_QUERY_MAX as usize;
            let is_known = |order: &OrderId| {
                self.checked_at_until.contains(order)
                    || self
                        .deferred
                        .iter()
                        .any(|(_, orders)| orders.contains(order))
            };
            let new: Vec<&OrderRecord> = page
                .iter()
                .filter(|record| !is_known(&record.order.id))
                .collect();
            let Some(last) = page.last().and_then(|record| record.captured_at) else {
                return Ok(());
            };
            if new.is_empty() && last == self.until {
                return Ok(());
            }
            let mut by_account: BTreeMap<AccountId, Vec<&OrderRecord>> = BTreeMap::new();
            for record in new {
                by_account
                    .entry(record.order.account.clone())
                    .or_default()
                    .push(record);
            }
            for (account, records) in by_account {
                let checked =
                    check_captures_of_account(comparison, &account, &records, &mut lists, verified)
                        .await;
                let Err(failure) = checked else { continue };
                let deferred = self
                    .deferred
                    .iter()
                    .map(|(_, orders)| orders.len())
                    .sum::<usize>();
                if failed_accounts == FAILED_ACCOUNTS_PER_PASS_MAX
                    || deferred + records.len() > DEFERRED_PAYMENTS_MAX
                {
                    return Err(failure);
                }
                failed_accounts += 1;
                tracing::warn!(%failure, account = %account.0, "comparison of an account's captured payments deferred");
                self.defer_orders(account, records.iter().map(|record| record.order.id));
            }
            if last > self.until {
                self.checked_at_until.clear();
                self.until = last;
            }
            self.checked_at_until.extend(
                page.iter()
                    .filter(|record| record.captured_at == Some(last))
                    .map(|record| record.order.id),
            );
            if !is_full {
                return Ok(());
            }
        }
    }

    fn defer_orders(&mut self, account: AccountId, orders: impl Iterator<Item = OrderId>) {
        match self
            .deferred
            .iter_mut()
            .find(|(other, _)| *other == account)
        {
            Some((_, deferred)) => deferred.extend(orders),
            None => self.deferred.push_back((account, orders.collect())),
        }
    }

    /// Compares deferred orders again, and stops with each account at its first failure. Returns
    /// the number of accounts that failed.
    async fn check_deferred_orders(&mut self, comparison: &PaymentComparison) -> usize {
        let mut failed_accounts = 0;
        for _ in 0..self.deferred.len() {
            if failed_accounts == FAILED_ACCOUNTS_PER_PASS_MAX {
                break;
            }
            let Some((account, mut orders)) = self.deferred.pop_front() else {
                break;
            };
            while let Some(order) = orders.first().copied() {
                if comparison.compare_order(order).await.is_err() {
                    failed_accounts += 1;
                    break;
                }
                orders.remove(&order);
            }
            if !orders.is_empty() {
                self.deferred.push_back((account, orders));
            }
        }
        failed_accounts
    }
}

/// Compares payments of one account from one list. A list costs one call for up to a hundred
/// payments, and the provider limits the calls that read single payments. Payments that the list
/// lacks are read one by one.
async fn check_captures_of_account(
    comparison: &PaymentComparison,
    account: &AccountId,
    records: &[&OrderRecord],
    lists: &mut BTreeMap<AccountId, AccountPayments>,
    verified: &mut VerifiedPayments,
) -> Result<(), Failure> {
    let now = comparison.context.clock.now();
    let first_opened = records
        .iter()
        .map(|record| record.opened_at)
        .min()
        .unwrap_or(now);
    let last_captured = records
        .iter()
        .filter_map(|record| record.captured_at)
        .max()
        .unwrap_or(now);
    let since = first_opened.plus_ms(-PAYMENT_LIST_START_MARGIN_MS);
    lists.retain(|other, list| {
        other != account || list.since <= since && last_captured < list.listed_at
    });
    if !lists.contains_key(account) {
        let payments = comparison
            .list_payments(account, since)
            .await?
            .into_iter()
            .map(|observed| (observed.intent.id.clone(), observed))
            .collect();
        lists.insert(
            account.clone(),
            AccountPayments {
                since,
                listed_at: now,
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
            Some(observed) => listed.push((*record, observed)),
            None => unlisted.push(record.order.id),
        }
    }
    comparison
        .compare_captured_orders(listed)
        .await?
        .into_iter()
        .for_each(|intent| verified.insert(intent));
    for order in unlisted {
        comparison.compare_order(order).await?;
    }
    Ok(())
}
