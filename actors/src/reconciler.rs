//! Reads both books on a schedule, asks the domain, records and repairs. Also the sweeper and the restart scan: two of the five
//! doors.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::{AccountId, PaymentIntent, PaymentIntentId, PaymentStatus, Timestamp};
use futures_util::future::ready;
use futures_util::{StreamExt, stream};
use persistence::Failure;
use tokio::sync::watch;

use crate::payment::Lane;
use crate::payment::room::Room;

mod captures;
mod comparison;

use captures::Captures;
pub(crate) use comparison::Comparison;
use comparison::NAMELESS_MS;

const ROUND: Duration = Duration::from_secs(30);
/// Open orders younger than this are left to the buyer's own call and the webhook.
const YOUNG_MS: i64 = 20_000;
/// Orders a sweep visits at most, and how many of them at the same time.
const OPEN_MAX: u32 = 5000;
const TOGETHER_MAX: usize = 16;
/// Orders read at once.
const READ_MAX: u32 = 500;
/// Between two questions to the provider: it allows a hundred a second, and buyers come first.
const QUESTION_PAUSE: Duration = Duration::from_millis(10);
/// An intent is made a moment after its order; clocks may differ by this much.
const CLOCKS_DIFFER_MS: i64 = 300_000;
/// Every round the newest payments are listed, those that our books forgot included, so that whatever is wrong with one is
/// found within a minute even when no notice tells of it.
const LIST_NEW_MS: i64 = 180_000;
/// Every so many rounds, ten minutes, it looks further back: as far as a payment may be touched past us without a notice, ten
/// minutes before that may have passed, and our clock be off.
const LIST_ROUNDS: u64 = 20;
const LIST_MS: i64 = 3_600_000;
/// An account that took money so lately has open business.
const BUSY_MS: i64 = 1_200_000;
/// Accounts without open business that a round lists beside the others, in turn.
const QUIET_ACCOUNTS: usize = 10;
/// Payments remembered as compared and found right; they are compared again when the provider says something new, or somebody
/// was told that they are wrong.
const KNOWN_MAX: usize = 50_000;
/// Why an order of a cancelled draw is refunded when nobody is there to say it in their own words.
const CALLED_OFF: &str = "the draw was cancelled";
/// How far back a starting process looks for captured payments nobody has witnessed.
const START_MS: i64 = 3_600_000;
/// An account that cannot be asked, because its club took its leave of the provider, must not hide the others. So many of them
/// in a round, and it is the provider that is away.
const SILENT_ACCOUNTS_MAX: usize = 3;
/// How far back it looks for payments that books restored from an old backup forgot: as far as an operator's scan (decision I-3).
const FORGOTTEN_MS_MAX: i64 = 720 * 3_600_000;

/// The reconciler's handle, for the operator's buttons; the schedule runs by itself.
#[derive(Clone)]
pub struct Reconciler {
    room: Arc<Room>,
}

/// What a scan found (decision I-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Payments compared.
    pub checked: u64,
    /// Payments that disagree with their order, reported before or not, or do not agree with it yet.
    pub unsettled: u64,
    /// Anomalies that were not open before.
    pub raised: u64,
    /// Open anomalies that turned out to be mended.
    pub healed: u64,
}

impl Scanned {
    fn add(&mut self, other: Scanned) {
        self.checked += other.checked;
        self.unsettled += other.unsettled;
        self.raised += other.raised;
        self.healed += other.healed;
    }
}

impl Reconciler {
    pub(crate) fn new(room: Arc<Room>) -> Reconciler {
        Reconciler { room }
    }

    /// Compares every payment since a time with the provider, of every connected account, and mends what can be mended: the
    /// operator's `check` and `scan` (decision I-3).
    ///
    /// # Errors
    /// The books could not be read, or the provider not be asked about every account; what was found is recorded.
    pub async fn scan(&self, since: Timestamp) -> Result<Scanned, Failure> {
        let room = self.room.clone();
        let scan = async move {
            let comparison = Comparison { room: room.clone() };
            let (mut scanned, mut silent, mut in_a_row) = (Scanned::default(), None, 0);
            for account in room.books.accounts().await? {
                match comparison.account(&account, since).await {
                    Ok(found) => {
                        scanned.add(found);
                        in_a_row = 0;
                    }
                    Err(failure) => {
                        silent = Some(failure);
                        in_a_row += 1;
                    }
                }
                if in_a_row == SILENT_ACCOUNTS_MAX {
                    break;
                }
            }
            silent.map_or(Ok(scanned), Err)
        };
        tokio::spawn(scan)
            .await
            .unwrap_or_else(|panicked| Err(Failure::Unknown(panicked.to_string())))
    }

    /// One round of the schedule now, without its comparison with the provider: for tests, which do not wait for it.
    pub async fn round(&self) {
        let room = self.room.clone();
        // What a round could not do, the next one does.
        let round = async move {
            let mut rounds = Rounds::new(room);
            rounds.sweep().await;
            rounds.return_fees().await;
            rounds.refund_called_off().await;
        };
        let _ = tokio::spawn(round).await;
    }
}

/// The schedule, and what it remembers from round to round.
struct Rounds {
    comparison: Comparison,
    count: u64,
    captures: Captures,
    known: Known,
    /// What a starting process has still to list; `None`: it has not asked the books yet.
    behind: Option<Behind>,
}

/// Payments as they were when they were compared and found right.
#[derive(Default)]
struct Known(BTreeMap<PaymentIntentId, PaymentIntent>);

impl Known {
    fn found_right(&mut self, said: PaymentIntent) {
        if self.0.len() >= KNOWN_MAX {
            self.0.clear();
        }
        self.0.insert(said.id.clone(), said);
    }

    fn says_the_same(&self, said: &PaymentIntent) -> bool {
        self.0.get(&said.id) == Some(said)
    }
}

/// Accounts to be listed from where the memory of the books ends.
struct Behind {
    since: Timestamp,
    accounts: VecDeque<AccountId>,
}

pub(crate) async fn run(room: Arc<Room>, mut stop: watch::Receiver<bool>) {
    let mut others = room.draws.others_change();
    let mut rounds = Rounds::new(room);
    loop {
        others.mark_unchanged();
        // The provider need not be asked by every node. While nodes come and go two may ask, and find the same.
        let ours = rounds.comparison.room.draws.is_eldest();
        if ours {
            rounds.go().await;
        }
        let room = &rounds.comparison.room;
        room.tally.round_ended(room.clock.now());
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            // It may be our turn now.
            Ok(()) = others.changed(), if !ours => {}
            () = tokio::time::sleep(ROUND) => {}
        }
    }
}

impl Rounds {
    async fn go(&mut self) {
        self.sweep().await;
        self.return_fees().await;
        self.refund_called_off().await;
        if let Err(failure) = self
            .captures
            .witness(&self.comparison, &mut self.known)
            .await
        {
            tracing::warn!(%failure, "captured payments are compared later");
        }
        self.nameless().await;
        if let Err(failure) = self.look_behind().await {
            tracing::warn!(%failure, "what the books may have forgotten is looked for later");
        }
        self.list().await;
        self.count += 1;
    }

    fn new(room: Arc<Room>) -> Rounds {
        let captures = Captures::since(room.clock.now().plus_ms(-START_MS));
        Rounds {
            comparison: Comparison { room },
            count: 0,
            captures,
            known: Known::default(),
            behind: None,
        }
    }

    /// Every open order goes through the room; what waits too long is let go.
    async fn sweep(&mut self) {
        let room = &self.comparison.room;
        let open = match room
            .books
            .orders_open(room.clock.now().plus_ms(-YOUNG_MS), OPEN_MAX)
            .await
        {
            Ok(open) => open,
            Err(failure) => return tracing::warn!(%failure, "open orders could not be read"),
        };
        let visits =
            stream::iter(open.into_iter().map(|record| record.order.id)).then(async |order| {
                tokio::time::sleep(QUESTION_PAUSE).await;
                order
            });
        let visits = visits.map(async |order| {
            let inside = room.clone();
            let swept = room.desk.run(Lane::Order(order), async move { inside.sweep(order).await }).await;
            if let Some(Err(failure)) = swept {
                tracing::warn!(%failure, order.id = %order, "an open order waits for the next round");
            }
        });
        visits.buffer_unordered(TOGETHER_MAX).for_each(ready).await;
    }

    /// A fee that no captured order could give back then is given by one that was captured since.
    async fn return_fees(&self) {
        let room = &self.comparison.room;
        match room.books.fees_owed().await {
            Ok(owing) => {
                for draw in owing {
                    room.give_fees_back(draw).await;
                }
            }
            Err(failure) => tracing::warn!(%failure, "draws that owe fees could not be read"),
        }
    }

    /// Refunds of cancelled draws that were cut off, and orders that were captured while theirs was being cancelled.
    async fn refund_called_off(&self) {
        if let Err(failure) = self.comparison.room.refund_called_off(CALLED_OFF).await {
            tracing::warn!(%failure, "orders of cancelled draws could not be read");
        }
    }

    /// Paid tickets whose buyer left no address.
    async fn nameless(&self) {
        let room = &self.comparison.room;
        let before = room.clock.now().plus_ms(-NAMELESS_MS);
        match room.books.orders_nameless(before, READ_MAX).await {
            Ok(records) => {
                for record in records {
                    // What could not be compared now is compared in the next round.
                    let _ = self.comparison.order(record.order.id).await;
                }
            }
            Err(failure) => tracing::warn!(%failure, "orders without an address could not be read"),
        }
    }

    /// Books that were restored from a backup remember nothing since it was made, however old it is, and the provider does. So a
    /// starting process lists every account once, from the newest order it knows of.
    async fn look_behind(&mut self) -> Result<(), Failure> {
        let room = self.comparison.room.clone();
        if self.behind.is_none() {
            let now = room.clock.now();
            let newest = room.books.newest_order().await?.unwrap_or(now);
            let since = newest.plus_ms(-CLOCKS_DIFFER_MS).min(now.plus_ms(-LIST_MS));
            let accounts = room.books.accounts().await?.into_iter().collect();
            self.behind = Some(Behind {
                since: since.max(now.plus_ms(-FORGOTTEN_MS_MAX)),
                accounts,
            });
        }
        let Some(Behind { since, accounts }) = &mut self.behind else {
            return Ok(());
        };
        let mut silent = 0;
        for _ in 0..accounts.len() {
            let Some(account) = accounts.pop_front() else {
                break;
            };
            tokio::time::sleep(QUESTION_PAUSE).await;
            let Err(failure) = look_at(&self.comparison, &account, *since).await else {
                continue;
            };
            accounts.push_back(account);
            silent += 1;
            if silent == SILENT_ACCOUNTS_MAX {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Lists accounts, so that a payment our books forgot is found.
    async fn list(&mut self) {
        let now = self.comparison.room.clock.now();
        let far = self.count.is_multiple_of(LIST_ROUNDS);
        let since = now.plus_ms(if far { -LIST_MS } else { -LIST_NEW_MS });
        let reported = self.reported().await;
        for account in self.accounts_to_list(now).await {
            if let Err(failure) = self.list_account(&account, since, &reported).await {
                tracing::warn!(%failure, "an account is listed later");
            }
        }
    }

    /// Payments that an anomaly is open about: they are compared again, whatever was found before. Another node may have raised
    /// one after this one found its payment right, and not know that it did, when the answer of the books was lost.
    async fn reported(&self) -> BTreeSet<PaymentIntentId> {
        let open = self.comparison.room.books.anomalies(true, READ_MAX).await;
        read(open, "open anomalies")
            .into_iter()
            .filter_map(|record| record.anomaly.payment_intent)
            .collect()
    }

    /// Those with open business, and some of the others in turn.
    async fn accounts_to_list(&self, now: Timestamp) -> BTreeSet<AccountId> {
        let books = &self.comparison.room.books;
        let mut accounts: BTreeSet<AccountId> = BTreeSet::new();
        for records in [
            books.orders_open(now, READ_MAX).await,
            books.orders_captured(now.plus_ms(-BUSY_MS), READ_MAX).await,
        ] {
            accounts.extend(
                read(records, "orders")
                    .into_iter()
                    .map(|record| record.order.account),
            );
        }
        let all = read(books.accounts().await, "accounts");
        let quiet: Vec<AccountId> = all
            .into_iter()
            .filter(|account| !accounts.contains(account))
            .collect();
        let turn = (self.count as usize * QUIET_ACCOUNTS) % quiet.len().max(1);
        accounts.extend(quiet.into_iter().cycle().skip(turn).take(QUIET_ACCOUNTS));
        accounts
    }

    async fn list_account(
        &mut self,
        account: &AccountId,
        since: Timestamp,
        reported: &BTreeSet<PaymentIntentId>,
    ) -> Result<(), Failure> {
        for said in self.comparison.list(account, since).await? {
            let decided = said.intent.status != PaymentStatus::RequiresCapture;
            let settled = decided && !reported.contains(&said.intent.id);
            if settled && self.known.says_the_same(&said.intent) {
                continue;
            }
            if self.comparison.one(&said).await?.unsettled == 0 {
                self.known.found_right(said.intent);
            }
        }
        Ok(())
    }
}

/// What cannot be read now is read in the next round.
fn read<T>(found: Result<Vec<T>, Failure>, what: &str) -> Vec<T> {
    found.unwrap_or_else(|failure| {
        tracing::warn!(%failure, what, "what accounts are listed by could not be read");
        Vec::new()
    })
}

/// Lists one account, and compares what the books do not know of. What they know is swept and witnessed; comparing all of it here
/// would find what is only under way, and nobody would look at so old a payment again.
async fn look_at(
    comparison: &Comparison,
    account: &AccountId,
    since: Timestamp,
) -> Result<(), Failure> {
    for said in comparison.list(account, since).await? {
        if comparison.is_forgotten(&said).await? {
            comparison.one(&said).await?;
        }
    }
    Ok(())
}
