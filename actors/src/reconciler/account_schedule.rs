//! Decides which accounts a pass lists. An account that has not sold anything for a day is listed
//! rarely, because each listing is a call to the provider.

use std::collections::{BTreeMap, BTreeSet};

use domain::{AccountId, Timestamp};

use super::{CLOCK_SKEW_MS_MAX, LONG_PAYMENT_LIST_PERIOD_MS};

/// An account whose last sale is younger than this, in milliseconds, is listed by every pass.
pub(super) const ACTIVE_ACCOUNT_PERIOD_MS: i64 = 1_200_000;
/// An account whose last sale is older than this, in milliseconds, is quiet.
const QUIET_ACCOUNT_AGE_MS: i64 = 86_400_000;
/// Time between two listings of an account that is neither active nor quiet, in milliseconds.
const INACTIVE_LIST_INTERVAL_MS: i64 = 600_000;
/// Time between two listings of a quiet account, in milliseconds.
const QUIET_LIST_INTERVAL_MS: i64 = 3_600_000;
/// Largest number of accounts without a recent sale that one pass lists. Those that have waited
/// longest come first.
const INACTIVE_ACCOUNTS_PER_PASS: usize = 10;

/// When each account last sold and was last listed, as this process knows it.
#[derive(Default)]
pub(super) struct AccountSchedule(BTreeMap<AccountId, AccountActivity>);

struct AccountActivity {
    /// When the account was last seen with a sale. At first the time at which this process learnt
    /// of the account.
    active_at: Timestamp,
    /// `None`: not since this process began.
    listed_at: Option<Timestamp>,
}

impl AccountActivity {
    fn list_interval_ms(&self, now: Timestamp) -> i64 {
        let idle_ms = now.ms_since(self.active_at);
        if idle_ms < ACTIVE_ACCOUNT_PERIOD_MS {
            0
        } else if idle_ms < QUIET_ACCOUNT_AGE_MS {
            INACTIVE_LIST_INTERVAL_MS
        } else {
            QUIET_LIST_INTERVAL_MS
        }
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.listed_at
            .is_none_or(|listed_at| now.ms_since(listed_at) >= self.list_interval_ms(now))
    }
}

impl AccountSchedule {
    /// Returns the accounts that a pass lists, each with the time since which: those in `selling`,
    /// and those of `all` that are due. `since` is the time since which an account must be listed
    /// at least. The listings of an account leave no gap, except for an hour's limit.
    pub(super) fn accounts_to_list(
        &mut self,
        selling: BTreeSet<AccountId>,
        all: Vec<AccountId>,
        since: Timestamp,
        now: Timestamp,
    ) -> Vec<(AccountId, Timestamp)> {
        for account in selling.iter().chain(&all) {
            let activity = self.0.entry(account.clone()).or_insert(AccountActivity {
                active_at: now,
                listed_at: None,
            });
            if selling.contains(account) {
                activity.active_at = now;
            }
        }
        let mut waiting: Vec<(Option<Timestamp>, &AccountId)> = all
            .iter()
            .filter(|account| !selling.contains(*account))
            .filter_map(|account| {
                let activity = self.0.get(account)?;
                activity
                    .is_due(now)
                    .then_some((activity.listed_at, account))
            })
            .collect();
        waiting.sort();
        waiting.truncate(INACTIVE_ACCOUNTS_PER_PASS);
        let due: Vec<AccountId> = waiting
            .into_iter()
            .map(|(_, account)| account.clone())
            .collect();
        let oldest = now.plus_ms(-LONG_PAYMENT_LIST_PERIOD_MS - CLOCK_SKEW_MS_MAX);
        selling
            .into_iter()
            .chain(due)
            .map(|account| {
                let listed_at = self.0.get(&account).and_then(|activity| activity.listed_at);
                let unlisted = listed_at.map_or(since, |at| at.plus_ms(-CLOCK_SKEW_MS_MAX));
                (account, since.min(unlisted).max(oldest))
            })
            .collect()
    }

    /// Records that an account was listed. A listing that fails is not recorded, so that the next
    /// pass repeats it.
    pub(super) fn note_listed(&mut self, account: &AccountId, now: Timestamp) {
        if let Some(activity) = self.0.get_mut(account) {
            activity.listed_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASS_MS: i64 = 30_000;
    const DAY_MS: i64 = 86_400_000;

    fn account(number: usize) -> AccountId {
        AccountId(format!("acct_{number:03}"))
    }

    /// Runs the passes of a period, and returns how often each account was listed. Fails if an
    /// instant of the period was never listed.
    fn count_listings(
        schedule: &mut AccountSchedule,
        all: &[AccountId],
        selling: &BTreeSet<AccountId>,
        from_ms: i64,
        to_ms: i64,
    ) -> BTreeMap<AccountId, usize> {
        let mut counts = BTreeMap::new();
        for at in (from_ms..to_ms).step_by(PASS_MS as usize) {
            let now = Timestamp(at);
            let since = now.plus_ms(-180_000);
            for (account, since) in
                schedule.accounts_to_list(selling.clone(), all.to_vec(), since, now)
            {
                let before = schedule.0[&account].listed_at;
                assert!(
                    before.is_none_or(|before| since <= before),
                    "{account:?} has a gap"
                );
                schedule.note_listed(&account, now);
                *counts.entry(account).or_default() += 1;
            }
        }
        counts
    }

    #[test]
    fn listings_become_rarer_with_the_age_of_the_last_sale() {
        let mut schedule = AccountSchedule::default();
        let (all, none) = ([account(1)], BTreeSet::new());
        let mut listings = |from_ms, to_ms| {
            count_listings(&mut schedule, &all, &none, from_ms, to_ms)[&account(1)]
        };
        assert_eq!(
            listings(0, ACTIVE_ACCOUNT_PERIOD_MS),
            40,
            "every pass at first"
        );
        let inactive = listings(ACTIVE_ACCOUNT_PERIOD_MS, DAY_MS);
        assert!(
            (140..=143).contains(&inactive),
            "every ten minutes, not {inactive}"
        );
        let quiet = listings(DAY_MS, 2 * DAY_MS);
        assert!((23..=25).contains(&quiet), "every hour, not {quiet}");
    }

    #[test]
    fn sale_makes_a_quiet_account_active_again() {
        let mut schedule = AccountSchedule::default();
        let all = [account(1)];
        count_listings(&mut schedule, &all, &BTreeSet::new(), 0, 3 * DAY_MS);
        let at = 3 * DAY_MS;
        let selling = count_listings(
            &mut schedule,
            &all,
            &all.clone().into(),
            at,
            at + 10 * PASS_MS,
        );
        assert_eq!(selling[&account(1)], 10);
        let later = at + 10 * PASS_MS;
        let after = count_listings(
            &mut schedule,
            &all,
            &BTreeSet::new(),
            later,
            later + 10 * PASS_MS,
        );
        assert_eq!(after[&account(1)], 10);
    }

    #[test]
    fn each_of_many_accounts_gets_its_turn() {
        let mut schedule = AccountSchedule::default();
        let all: Vec<AccountId> = (0..95).map(account).collect();
        let counts = count_listings(&mut schedule, &all, &BTreeSet::new(), 0, 10 * PASS_MS);
        assert_eq!(counts.len(), 95);
        let most = counts.values().max();
        assert_eq!(
            most,
            Some(&2),
            "no account has a second turn before each had one"
        );
    }
}
