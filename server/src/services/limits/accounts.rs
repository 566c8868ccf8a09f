//! Limits that protect accounts: password and code guesses, and mails to an address. Each node
//! first checks its own count in memory. The database then counts for all nodes together, so that
//! more nodes do not allow more guesses.

use std::net::IpAddr;
use std::time::Duration;

use domain::{ClubId, Timestamp};
use persistence::records::Records;
use persistence::records::sessions::SessionHolder;
use persistence::records::tries::RateLimitTry;

use super::{FailureCounters, Limits, Network, too_many_attempts};
use crate::api::error::Problem;

/// Maximum mails with a link that one account receives per hour.
pub(super) const LINK_MAILS_PER_ACCOUNT_AND_HOUR: u32 = 3;
/// Maximum registrations, waitlist entries, password resets and ticket-link requests per hour of
/// one IP address. The members of a club may share one address.
pub(super) const FORMS_PER_ADDRESS_AND_HOUR: u32 = 20;
/// Time window of the limits on mailed links, on forms, and on revealing registered addresses.
pub const LINK_AND_FORM_WINDOW: Duration = Duration::from_secs(3600);
/// Maximum wrong passwords in 15 minutes for one account from one network (decision G-6).
pub(super) const WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX: u32 = 5;
/// Maximum wrong passwords in 15 minutes from one network, for all accounts together.
pub(super) const WRONG_PASSWORDS_PER_ADDRESS_MAX: u32 = 20;
/// Maximum wrong passwords in 15 minutes for one account, from all networks together. The limit is
/// high, because otherwise anyone who knows an account's e-mail address could lock its owner out.
pub(super) const WRONG_PASSWORDS_PER_ACCOUNT_MAX: u32 = 50;
pub(super) const WRONG_PASSWORDS_WINDOW: Duration = Duration::from_secs(15 * 60);
/// Maximum wrong passwords in 15 minutes of a signed-in caller who confirms the password. They are
/// counted separately from sign-in, so that neither limit blocks the other action.
pub(super) const WRONG_PASSWORD_CONFIRMATIONS_MAX: u32 = 5;
/// Maximum wrong second-factor codes of one operator in 10 minutes.
const WRONG_CODES_MAX: u32 = 5;
pub(super) const WRONG_CODES_WINDOW: Duration = Duration::from_secs(10 * 60);

/// Maximum forms per hour, from one network or one club, that contain a registered e-mail address.
/// The response to such a form reveals that the address has an account.
pub const REVEALED_ACCOUNTS_PER_HOUR_MAX: u32 = 5;

impl Limits {
    /// Counts a sign-in attempt, and refuses it above the limit of wrong passwords. An attempt
    /// counts as wrong until its password proves right, so that concurrent guesses cannot exceed
    /// the limit. Right passwords do not count in the end.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn begin_sign_in(
        &self,
        email: &str,
        address: IpAddr,
    ) -> Result<LimitedAttempt<'_>, Problem> {
        let (account, network) = (account_key(email), Network::from(address));
        // Put the network before the account in the key. Otherwise a caller could enter an account
        // name that yields the key of another account and network.
        let mut tries = vec![
            password_try(
                format!("from {network} of {account}"),
                WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX,
            ),
            password_try(format!("of {account}"), WRONG_PASSWORDS_PER_ACCOUNT_MAX),
        ];
        if !self.is_exempt(address) {
            tries.push(password_try(
                format!("from {network}"),
                WRONG_PASSWORDS_PER_ADDRESS_MAX,
            ));
        }
        LimitedAttempt::new(&self.wrong_passwords, tries, 60)
    }

    /// Counts an attempt of a signed-in caller to confirm the password, and refuses it above the
    /// limit.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn begin_password_confirmation(
        &self,
        holder: SessionHolder,
    ) -> Result<LimitedAttempt<'_>, Problem> {
        let attempt = password_try(
            format!("again of {}", holder.name()),
            WRONG_PASSWORD_CONFIRMATIONS_MAX,
        );
        LimitedAttempt::new(&self.wrong_passwords, vec![attempt], 60)
    }

    /// Counts a registration from a network, and refuses it above the limit. Only registrations
    /// with an already registered e-mail address stay counted, because the response to them reveals
    /// that the address has an account (decision G-18).
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn begin_registration(&self, address: IpAddr) -> Result<LimitedAttempt<'_>, Problem> {
        let network = format!("registered from {}", Network::from(address));
        let tries = if self.is_exempt(address) {
            Vec::new()
        } else {
            vec![registered_email_try(&network)]
        };
        LimitedAttempt::new(
            &self.known_addresses,
            tries,
            LINK_AND_FORM_WINDOW.as_secs() as u32,
        )
    }

    /// Counts an invitation by a club, and refuses it above the limit. Only invitations of already
    /// registered e-mail addresses stay counted, because the response to them reveals that the
    /// address has an account (decision G-17).
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn begin_invitation(&self, club: ClubId) -> Result<LimitedAttempt<'_>, Problem> {
        let tries = vec![registered_email_try(&format!("invited by club {club}"))];
        LimitedAttempt::new(
            &self.known_addresses,
            tries,
            LINK_AND_FORM_WINDOW.as_secs() as u32,
        )
    }

    /// Counts an operator's attempt to enter a second-factor code, and refuses it above the limit.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`.
    pub fn begin_code_check(&self, operator: i64) -> Result<LimitedAttempt<'_>, Problem> {
        let window_seconds = WRONG_CODES_WINDOW.as_secs();
        let about = format!("code of {operator}");
        let code = RateLimitTry {
            about,
            max: WRONG_CODES_MAX,
            window_seconds: window_seconds as i64,
        };
        LimitedAttempt::new(&self.wrong_codes, vec![code], window_seconds as u32)
    }

    /// Counts a mail with a link to an account; `false` if too many were sent this hour, so that no
    /// mail may be sent. The caller gets the same response in both cases.
    ///
    /// # Errors
    ///
    /// The database could not be written. No mail is sent then.
    pub async fn may_mail_account_link(
        &self,
        records: &Records,
        email: &str,
        now: Timestamp,
    ) -> Result<bool, Problem> {
        Ok(self.may_mail_on_this_node(email)
            && records
                .count_tries(&[link_mail_try("link", email)], now)
                .await?)
    }

    /// Counts a mail with a link to the tickets of an e-mail address; `false` if too many were sent
    /// this hour. Counted separately from links to accounts, so that requests for tickets cannot
    /// block a club's password reset.
    ///
    /// # Errors
    ///
    /// The database could not be written. No mail is sent then.
    pub async fn may_mail_ticket_link(
        &self,
        records: &Records,
        email: &str,
        now: Timestamp,
    ) -> Result<bool, Problem> {
        let is_allowed_here = self
            .ticket_links_by_account
            .check_key(&account_key(email))
            .is_ok();
        Ok(is_allowed_here
            && records
                .count_tries(&[link_mail_try("tickets", email)], now)
                .await?)
    }

    /// Counts a form that sends a mail to an e-mail address that the caller enters: a registration,
    /// a waitlist entry or a request for a link. Refuses the form above the limit of the caller's
    /// network.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`; 503 when the database could not be written.
    pub async fn check_form_limit(
        &self,
        records: &Records,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), Problem> {
        self.check_form_on_this_node(address)?;
        if self.is_exempt(address) {
            return Ok(());
        }
        let about = format!("forms from {}", Network::from(address));
        let form = RateLimitTry {
            about,
            max: FORMS_PER_ADDRESS_AND_HOUR,
            window_seconds: LINK_AND_FORM_WINDOW.as_secs() as i64,
        };
        if records.count_tries(&[form], now).await? {
            Ok(())
        } else {
            Err(too_many_attempts(60))
        }
    }

    pub(super) fn check_form_on_this_node(&self, address: IpAddr) -> Result<(), Problem> {
        if self.is_exempt(address) {
            Ok(())
        } else {
            self.take_token(&self.forms_by_address, &address.into())
        }
    }

    pub(super) fn may_mail_on_this_node(&self, email: &str) -> bool {
        self.links_by_account.check_key(&account_key(email)).is_ok()
    }
}

/// An attempt at a password, code or form that counts as wrong on this node until
/// `uncount_on_this_node` is called.
#[must_use = "an attempt must also be counted on all nodes: call `count_on_all_nodes`"]
pub struct LimitedAttempt<'a> {
    failures: &'a FailureCounters<String>,
    tries: Vec<RateLimitTry>,
}

impl<'a> LimitedAttempt<'a> {
    /// Counts one attempt under the key of each of `tries`. If one key has reached its limit, none
    /// is counted and the attempt is refused.
    fn new(
        failures: &'a FailureCounters<String>,
        tries: Vec<RateLimitTry>,
        retry_after_seconds: u32,
    ) -> Result<LimitedAttempt<'a>, Problem> {
        let rejected = tries
            .iter()
            .position(|one| !failures.increment_below(&one.about, one.max));
        if let Some(rejected) = rejected {
            tries[..rejected]
                .iter()
                .for_each(|one| failures.remove_one(&one.about));
            return Err(too_many_attempts(retry_after_seconds));
        }
        Ok(LimitedAttempt { failures, tries })
    }

    /// Counts the attempt in the database, for all nodes, before the password or code is checked. A
    /// refused attempt stays counted on this node, so that further attempts are refused without the
    /// database.
    ///
    /// # Errors
    ///
    /// 429 with `Retry-After`; 503 when the database could not be written.
    pub async fn count_on_all_nodes(
        self,
        records: &'a Records,
        now: Timestamp,
    ) -> Result<CountedAttempt<'a>, Problem> {
        if !records.count_tries(&self.tries, now).await? {
            return Err(too_many_attempts(60));
        }
        Ok(CountedAttempt {
            attempt: self,
            records,
        })
    }

    /// Removes the attempt from this node's counts.
    pub(super) fn uncount_on_this_node(&self) {
        self.tries
            .iter()
            .for_each(|one| self.failures.remove_one(&one.about));
    }
}

/// An attempt at a password, code or form that counts as wrong on all nodes until
/// [`Self::mark_correct`] is called.
#[must_use = "the attempt stays counted as wrong unless `mark_correct` is called"]
pub struct CountedAttempt<'a> {
    attempt: LimitedAttempt<'a>,
    records: &'a Records,
}

impl CountedAttempt<'_> {
    /// Removes the attempt from all counts, because the password or code was correct.
    pub async fn mark_correct(self) {
        if let Err(failure) = self.records.uncount_tries(&self.attempt.tries).await {
            tracing::warn!(%failure, "correct attempt stays counted as wrong until its window ends");
        }
        // Only now, after the database has removed the attempt, so that this node never allows more
        // attempts than the database.
        self.attempt.uncount_on_this_node();
    }
}

fn password_try(about: String, max: u32) -> RateLimitTry {
    let window_seconds = WRONG_PASSWORDS_WINDOW.as_secs() as i64;
    RateLimitTry {
        about: format!("password {about}"),
        max,
        window_seconds,
    }
}

fn registered_email_try(network: &str) -> RateLimitTry {
    let about = format!("known address {network}");
    RateLimitTry {
        about,
        max: REVEALED_ACCOUNTS_PER_HOUR_MAX,
        window_seconds: LINK_AND_FORM_WINDOW.as_secs() as i64,
    }
}

fn link_mail_try(what: &str, email: &str) -> RateLimitTry {
    let about = format!("{what} for {}", account_key(email));
    RateLimitTry {
        about,
        max: LINK_MAILS_PER_ACCOUNT_AND_HOUR,
        window_seconds: LINK_AND_FORM_WINDOW.as_secs() as i64,
    }
}

fn account_key(email: &str) -> String {
    email.trim().to_lowercase()
}
