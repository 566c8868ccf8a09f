//! The reconciler: compares the database with the payment provider on a schedule, records anomalies
//! and repairs what it can. It also contains the sweeper of open orders and the scan after a
//! restart.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::{AccountId, PaymentIntent, PaymentIntentId, PaymentStatus, Timestamp};
use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use persistence::Failure;
use tokio::sync::watch;

use crate::payments::context::PaymentContext;
use crate::payments::job_queue::JobKey;
use crate::payments::refunds::Refunds;
use crate::payments::sweep::sweep_order;

mod account_schedule;
mod capture_check;
mod comparison;

use account_schedule::{ACTIVE_ACCOUNT_PERIOD_MS, AccountSchedule};
use capture_check::CaptureCheck;
use comparison::MISSING_EMAIL_GRACE_MS;
pub(crate) use comparison::PaymentComparison;

const PASS_INTERVAL: Duration = Duration::from_secs(30);
/// Minimum age of an open order for the sweeper, in milliseconds. Younger orders are left to the
/// buyer's own call and the webhook.
const SWEPT_ORDER_AGE_MS_MIN: i64 = 20_000;
/// Largest number of open orders that one sweep handles.
const ORDERS_PER_SWEEP_MAX: u32 = 5000;
const CONCURRENT_SWEEPS_MAX: usize = 16;
/// Largest number of rows that one database query reads.
const ROWS_PER_QUERY_MAX: u32 = 500;
/// Pause between two calls to the provider. The provider allows a hundred calls per second, and
/// buyers' calls are more urgent.
const PROVIDER_CALL_PAUSE: Duration = Duration::from_millis(10);
/// Tolerated difference between this machine's clock and the provider's, in milliseconds.
const CLOCK_SKEW_MS_MAX: i64 = 300_000;
/// How far back every pass lists payments, in milliseconds. The list includes payments that the
/// database lost, so an error is found within a minute even without a webhook event.
const RECENT_PAYMENT_LIST_PERIOD_MS: i64 = 180_000;
/// Number of passes between two long lists of payments, which cover
/// [`LONG_PAYMENT_LIST_PERIOD_MS`]. Twenty passes take ten minutes.
const PASSES_PER_LONG_PAYMENT_LIST: u64 = 20;
/// How far back a long list of payments goes, in milliseconds. It finds payments that were changed
/// outside this system without a webhook event. The period exceeds the ten minutes between two long
/// lists plus the tolerated clock difference.
const LONG_PAYMENT_LIST_PERIOD_MS: i64 = 3_600_000;
/// Largest number of verified payments that are remembered. When a remembered payment is listed
/// again, it is compared only if the provider's data changed or an anomaly about it is open.
const VERIFIED_PAYMENTS_MAX: usize = 50_000;
/// The reason stored with an order that the schedule refunds because its draw was cancelled.
const DRAW_CANCELLED_REASON: &str = "the draw was cancelled";
/// How far back the first pass of a process looks for captured payments that were not compared, in
/// milliseconds.
const FIRST_CAPTURE_CHECK_PERIOD_MS: i64 = 3_600_000;
/// Number of accounts that may fail in the scan after a restore and in the capture check of one
/// pass. When so many fail, the provider itself is considered unavailable. Fewer failures, such as
/// an account that its club disconnected, do not block the other accounts.
const FAILED_ACCOUNTS_PER_PASS_MAX: usize = 3;
/// How far back the first pass of a process looks for payments that a restored database lacks, in
/// milliseconds. An operator's scan has the same limit, thirty days (decision I-3).
const BACKUP_RESTORE_SCAN_PERIOD_MS_MAX: i64 = 720 * 3_600_000;

/// A handle for scans that an operator requests. The scheduled passes do not use it.
#[derive(Clone)]
pub struct Reconciler {
    context: Arc<PaymentContext>,
}

/// The result of a scan (decision I-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Number of payments compared.
    pub checked: u64,
    /// Number of payments that disagree with their order. Includes payments that were reported
    /// before, and payments whose processing is not complete.
    pub unsettled: u64,
    /// Number of anomalies raised by this scan.
    pub raised: u64,
    /// Number of open anomalies that were resolved because the disagreement is gone.
    pub healed: u64,
    /// Number of disputed payments whose tickets could not be taken back now.
    pub deferred: u64,
}

impl ScanReport {
    fn add(&mut self, other: ScanReport) {
        self.checked += other.checked;
        self.unsettled += other.unsettled;
        self.raised += other.raised;
        self.healed += other.healed;
        self.deferred += other.deferred;
    }
}

impl Reconciler {
    pub(crate) fn new(context: Arc<PaymentContext>) -> Reconciler {
        Reconciler { context }
    }

    /// Compares the payments of every connected account since a time, and repairs what it can. Used
    /// by the operator's `check` and `scan` (decision I-3).
    ///
    /// # Errors
    /// The database could not be read, or the provider failed for an account. Anomalies that were
    /// found before the failure are stored.
    pub async fn scan_payments(&self, since: Timestamp) -> Result<ScanReport, Failure> {
        let context = self.context.clone();
        let scan = async move {
            let comparison = PaymentComparison::new(context.clone());
            let mut report = ScanReport::default();
            let (mut last_failure, mut failures_in_a_row) = (None, 0);
            for account in context.store.connected_accounts().await? {
                match comparison
                    .compare_payments_of_account(&account, since)
                    .await
                {
                    Ok(account_report) => {
                        report.add(account_report);
                        failures_in_a_row = 0;
                    }
                    Err(failure) => {
                        last_failure = Some(failure);
                        failures_in_a_row += 1;
                    }
                }
                if failures_in_a_row == FAILED_ACCOUNTS_PER_PASS_MAX {
                    break;
                }
            }
            last_failure.map_or(Ok(report), Err)
        };
        tokio::spawn(scan)
            .await
            .unwrap_or_else(|panicked| Err(Failure::Unknown(panicked.to_string())))
    }

    /// Runs one pass without comparing payments. For tests that do not wait for the schedule.
    pub async fn run_pass_without_comparison(&self) {
        let context = self.context.clone();
        // A step that fails is repeated by the next pass, so errors are only logged.
        let pass = async move {
            let mut runner = PassRunner::new(context);
            runner.sweep_open_orders().await;
            runner.queue_overpaid_fee_refunds().await;
            runner.refund_cancelled_draws().await;
        };
        let _ = tokio::spawn(pass).await;
    }
}

/// Runs the scheduled passes, and keeps the data that the next pass needs.
struct PassRunner {
    comparison: PaymentComparison,
    pass_count: u64,
    captures: CaptureCheck,
    schedule: AccountSchedule,
    verified: VerifiedPayments,
    /// Accounts that must still be listed after the start of the process. `None`: the accounts are
    /// not read yet.
    restore_scan: Option<BackupRestoreScan>,
}

/// Payments that agreed with their orders, in the state in which they were compared.
#[derive(Default)]
struct VerifiedPayments(BTreeMap<PaymentIntentId, PaymentIntent>);

impl VerifiedPayments {
    fn insert(&mut self, intent: PaymentIntent) {
        if self.0.len() >= VERIFIED_PAYMENTS_MAX {
            self.0.clear();
        }
        self.0.insert(intent.id.clone(), intent);
    }

    /// Whether the payment was verified in exactly this state.
    fn contains(&self, intent: &PaymentIntent) -> bool {
        self.0.get(&intent.id) == Some(intent)
    }
}

/// Accounts that must be listed from the time of the newest order in the database.
struct BackupRestoreScan {
    since: Timestamp,
    accounts: VecDeque<AccountId>,
}

/// Runs the scheduled passes until the engine stops.
pub(crate) async fn run_reconciler(context: Arc<PaymentContext>, mut stop: watch::Receiver<bool>) {
    let mut watch_other_nodes = context.draws.watch_other_nodes();
    let mut runner = PassRunner::new(context);
    loop {
        watch_other_nodes.mark_unchanged();
        // Only the oldest node runs passes. While nodes join and leave, two nodes may run a pass;
        // both find the same disagreements.
        let is_oldest = runner.comparison.context.draws.is_oldest_node();
        if is_oldest {
            runner.run_pass().await;
        }
        let context = &runner.comparison.context;
        context
            .metrics
            .record_reconciler_pass_end(context.clock.now());
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            // The list of nodes has changed, so this node may be the oldest now.
            Ok(()) = watch_other_nodes.changed(), if !is_oldest => {}
            () = tokio::time::sleep(PASS_INTERVAL) => {}
        }
    }
}

impl PassRunner {
    async fn run_pass(&mut self) {
        self.sweep_open_orders().await;
        self.queue_overpaid_fee_refunds().await;
        self.refund_cancelled_draws().await;
        if let Err(failure) = self
            .captures
            .check_new_captures(&self.comparison, &mut self.verified)
            .await
        {
            tracing::warn!(%failure, "comparison of captured payments deferred to the next pass");
        }
        self.compare_orders_without_email().await;
        if let Err(failure) = self.scan_after_backup_restore().await {
            tracing::warn!(%failure, "scan for payments that the database lost deferred to the next pass");
        }
        if self.pass_count.is_multiple_of(PASSES_PER_LONG_PAYMENT_LIST)
            && let Err(failure) = self.comparison.compare_orders_with_pending_refunds().await
        {
            tracing::warn!(%failure, "pending refunds not read: database error");
        }
        self.list_payments_of_accounts().await;
        self.pass_count += 1;
    }

    fn new(context: Arc<PaymentContext>) -> PassRunner {
        let captures =
            CaptureCheck::starting_at(context.clock.now().plus_ms(-FIRST_CAPTURE_CHECK_PERIOD_MS));
        PassRunner {
            comparison: PaymentComparison::new(context),
            pass_count: 0,
            captures,
            schedule: AccountSchedule::default(),
            verified: VerifiedPayments::default(),
            restore_scan: None,
        }
    }

    /// Fulfils every open order, and abandons orders that have waited too long for their payment.
    async fn sweep_open_orders(&mut self) {
        let context = &self.comparison.context;
        let open = match context
            .store
            .unfinished_orders(
                context.clock.now().plus_ms(-SWEPT_ORDER_AGE_MS_MIN),
                ORDERS_PER_SWEEP_MAX,
            )
            .await
        {
            Ok(open) => open,
            Err(failure) => {
                return tracing::warn!(%failure, "open orders not read: database error");
            }
        };
        let orders =
            stream::iter(open.into_iter().map(|record| record.order.id)).then(async |order| {
                tokio::time::sleep(PROVIDER_CALL_PAUSE).await;
                order
            });
        let sweeps = orders.map(async |order| {
            let job_context = context.clone();
            let work = async move { sweep_order(&job_context, order).await };
            let swept = context.jobs.run_job(JobKey::Order(order), work).await;
            if let Some(Err(failure)) = swept {
                tracing::warn!(%failure, order.id = %order, "open order deferred to the next pass");
            }
        });
        sweeps
            .buffer_unordered(CONCURRENT_SWEEPS_MAX)
            .for_each(ready)
            .await;
    }

    /// Queues fee refunds that earlier passes could not queue, because no captured order had enough
    /// fee left to refund.
    async fn queue_overpaid_fee_refunds(&self) {
        let context = &self.comparison.context;
        match context.store.draws_owing_fee_refunds().await {
            Ok(draws) => {
                for draw in draws {
                    Refunds::new(context).queue_overpaid_fee_refunds(draw).await;
                }
            }
            Err(failure) => tracing::warn!(%failure, "owed fees not read: database error"),
        }
    }

    /// Refunds orders of cancelled draws: orders whose refund was interrupted, and orders that were
    /// captured while the draw was being cancelled.
    async fn refund_cancelled_draws(&self) {
        if let Err(failure) = Refunds::new(&self.comparison.context)
            .refund_cancelled_draws(DRAW_CANCELLED_REASON)
            .await
        {
            tracing::warn!(%failure, "orders of cancelled draws not read: database error");
        }
    }

    /// Compares paid orders whose buyer has not entered an e-mail address.
    async fn compare_orders_without_email(&self) {
        let context = &self.comparison.context;
        let before = context.clock.now().plus_ms(-MISSING_EMAIL_GRACE_MS);
        match context
            .store
            .captured_orders_without_email(before, ROWS_PER_QUERY_MAX)
            .await
        {
            Ok(records) => {
                for record in records {
                    // A comparison that fails is repeated by the next pass.
                    let _ = self.comparison.compare_order(record.order.id).await;
                }
            }
            Err(failure) => {
                tracing::warn!(%failure, "orders without an address not read: database error");
            }
        }
    }

    /// Lists the payments of every account once after the start of the process, from the time of
    /// the newest order in the database. If the database was restored from a backup, it lacks all
    /// later payments.
    async fn scan_after_backup_restore(&mut self) -> Result<(), Failure> {
        let context = self.comparison.context.clone();
        if self.restore_scan.is_none() {
            let now = context.clock.now();
            let newest = context.store.newest_order_opened_at().await?.unwrap_or(now);
            let since = newest
                .plus_ms(-CLOCK_SKEW_MS_MAX)
                .min(now.plus_ms(-LONG_PAYMENT_LIST_PERIOD_MS));
            let accounts = context
                .store
                .connected_accounts()
                .await?
                .into_iter()
                .collect();
            self.restore_scan = Some(BackupRestoreScan {
                since: since.max(now.plus_ms(-BACKUP_RESTORE_SCAN_PERIOD_MS_MAX)),
                accounts,
            });
        }
        let Some(BackupRestoreScan { since, accounts }) = &mut self.restore_scan else {
            return Ok(());
        };
        let mut failed_accounts = 0;
        for _ in 0..accounts.len() {
            let Some(account) = accounts.pop_front() else {
                break;
            };
            tokio::time::sleep(PROVIDER_CALL_PAUSE).await;
            let Err(failure) = compare_unknown_payments(&self.comparison, &account, *since).await
            else {
                continue;
            };
            accounts.push_back(account);
            failed_accounts += 1;
            if failed_accounts == FAILED_ACCOUNTS_PER_PASS_MAX {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Lists the recent payments of some accounts, to find payments that the database lost.
    async fn list_payments_of_accounts(&mut self) {
        let now = self.comparison.context.clock.now();
        let is_long = self.pass_count.is_multiple_of(PASSES_PER_LONG_PAYMENT_LIST);
        let since = now.plus_ms(if is_long {
            -LONG_PAYMENT_LIST_PERIOD_MS
        } else {
            -RECENT_PAYMENT_LIST_PERIOD_MS
        });
        let reported = self.anomalous_payments().await;
        for (account, since) in self.accounts_to_list(since, now).await {
            match self
                .list_payments_of_account(&account, since, &reported)
                .await
            {
                Ok(()) => self.schedule.note_listed(&account, now),
                Err(failure) => {
                    tracing::warn!(%failure, "listing of an account deferred to the next pass");
                }
            }
        }
    }

    /// Returns the payments with an open anomaly. Another node may have raised the anomaly after
    /// this node verified the payment, so these payments are compared again.
    async fn anomalous_payments(&self) -> BTreeSet<PaymentIntentId> {
        let open = self
            .comparison
            .context
            .store
            .anomalies(true, ROWS_PER_QUERY_MAX)
            .await;
        rows_or_empty_after_error(open, "open anomalies")
            .into_iter()
            .filter_map(|record| record.anomaly.payment_intent)
            .collect()
    }

    /// Returns all accounts that sell, and some of the others, in turn. Each has the time since which
    /// it must be listed, which is at most `since`.
    async fn accounts_to_list(
        &mut self,
        since: Timestamp,
        now: Timestamp,
    ) -> Vec<(AccountId, Timestamp)> {
        let store = &self.comparison.context.store;
        let mut selling: BTreeSet<AccountId> = BTreeSet::new();
        for records in [
            store.unfinished_orders(now, ROWS_PER_QUERY_MAX).await,
            store
                .orders_captured_since(now.plus_ms(-ACTIVE_ACCOUNT_PERIOD_MS), ROWS_PER_QUERY_MAX)
                .await,
        ] {
            selling.extend(
                rows_or_empty_after_error(records, "orders")
                    .into_iter()
                    .map(|record| record.order.account),
            );
        }
        let all = rows_or_empty_after_error(store.connected_accounts().await, "accounts");
        self.schedule.accounts_to_list(selling, all, since, now)
    }

    async fn list_payments_of_account(
        &mut self,
        account: &AccountId,
        since: Timestamp,
        reported: &BTreeSet<PaymentIntentId>,
    ) -> Result<(), Failure> {
        for observed in self.comparison.list_payments(account, since).await? {
            let is_decided = observed.intent.status != PaymentStatus::RequiresCapture;
            let may_skip = is_decided && !reported.contains(&observed.intent.id);
            if may_skip && self.verified.contains(&observed.intent) {
                continue;
            }
            if self
                .comparison
                .compare_observed_intent(&observed)
                .await?
                .unsettled
                == 0
            {
                self.verified.insert(observed.intent);
            }
        }
        Ok(())
    }
}

/// Returns the rows of a query. After an error it returns none and logs the error, because the next
/// pass reads the rows again.
fn rows_or_empty_after_error<T>(rows: Result<Vec<T>, Failure>, what: &str) -> Vec<T> {
    rows.unwrap_or_else(|failure| {
        tracing::warn!(%failure, what, "list of accounts incomplete: database error");
        Vec::new()
    })
}

/// Lists the payments of one account and compares those that the database lacks. The sweeper and
/// the capture check compare all others. Comparing those here would report orders that are still
/// being processed.
async fn compare_unknown_payments(
    comparison: &PaymentComparison,
    account: &AccountId,
    since: Timestamp,
) -> Result<(), Failure> {
    for observed in comparison.list_payments(account, since).await? {
        if comparison.has_no_order(&observed).await? {
            comparison.compare_observed_intent(&observed).await?;
        }
    }
    Ok(())
}
