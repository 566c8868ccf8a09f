//! What protects an account: how often its password and its codes may be guessed, and its mailbox filled, or anybody's. Every
//! node refuses by its own count first, which costs nothing; then the books count for all nodes together, so that more nodes are
//! no more tries.

use std::net::IpAddr;
use std::time::Duration;

use domain::Timestamp;
use persistence::records::Records;
use persistence::records::sessions::Holder;
use persistence::records::tries::Try;

use super::{Failures, Limits, Network, too_many};
use crate::error::Problem;

/// Mails with a link that one account can be made to get an hour.
pub(super) const LINKS_PER_ACCOUNT_AND_HOUR: u32 = 3;
/// Registrations, waitlist entries, forgotten passwords and lost tickets of one address an hour: a club's members share one.
pub(super) const FORMS_PER_ADDRESS_AND_HOUR: u32 = 20;
/// Within it so many links and forms go out.
pub const AN_HOUR: Duration = Duration::from_secs(3600);
/// Wrong passwords in 15 minutes: of one account from one address (decision G-6), of one address, and of one account from
/// everywhere. The last bounds what many addresses together may guess; it is high, because who knows an account's address, which
/// mails show, must not keep its owner out with a handful of wrong words.
pub(super) const WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX: u32 = 5;
pub(super) const WRONG_PASSWORDS_PER_ADDRESS_MAX: u32 = 20;
pub(super) const WRONG_PASSWORDS_PER_ACCOUNT_MAX: u32 = 50;
pub(super) const WRONG_PASSWORDS_WINDOW: Duration = Duration::from_secs(15 * 60);
/// Wrong passwords in 15 minutes of who is signed in and shows the password once more: counted apart from signing in, so that
/// neither keeps anybody from the other.
pub(super) const WRONG_PASSWORDS_PER_HOLDER_MAX: u32 = 5;
/// Wrong codes of one operator in 10 minutes.
const WRONG_CODES_MAX: u32 = 5;
pub(super) const WRONG_CODES_WINDOW: Duration = Duration::from_secs(10 * 60);

impl Limits {
    /// A password may be tried. Only wrong ones count, so that a busy club is never locked out by signing in; but each counts
    /// as wrong until it is known to be right, so that a thousand guesses at once are no more than one after the other.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    pub fn sign_in(&self, email: &str, address: IpAddr) -> Result<Guess<'_>, Problem> {
        let (account, place) = (account_key(email), Network::from(address));
        // The place first: no account can be written so that it reads as another one's somewhere else.
        let mut tries = vec![
            password(
                format!("from {place} of {account}"),
                WRONG_PASSWORDS_PER_ACCOUNT_AND_ADDRESS_MAX,
            ),
            password(format!("of {account}"), WRONG_PASSWORDS_PER_ACCOUNT_MAX),
        ];
        if !self.exempt(address) {
            tries.push(password(
                format!("from {place}"),
                WRONG_PASSWORDS_PER_ADDRESS_MAX,
            ));
        }
        Guess::new(&self.wrong_passwords, tries, 60)
    }

    /// Who is signed in may show the password once more.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    pub fn password_again(&self, holder: Holder) -> Result<Guess<'_>, Problem> {
        let again = password(
            format!("again of {}", holder.name()),
            WRONG_PASSWORDS_PER_HOLDER_MAX,
        );
        Guess::new(&self.wrong_passwords, vec![again], 60)
    }

    /// An operator may show a code of the second factor.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    pub fn showing_code(&self, operator: i64) -> Result<Guess<'_>, Problem> {
        let window_seconds = WRONG_CODES_WINDOW.as_secs();
        let about = format!("code of {operator}");
        let code = Try {
            about,
            max: WRONG_CODES_MAX,
            window_seconds: window_seconds as i64,
        };
        Guess::new(&self.wrong_codes, vec![code], window_seconds as u32)
    }

    /// Whether an account may be sent one more link this hour; a stranger who asked is told the same either way.
    ///
    /// # Errors
    /// The books could not be written: no mail either.
    pub async fn may_mail(
        &self,
        records: &Records,
        email: &str,
        now: Timestamp,
    ) -> Result<bool, Problem> {
        Ok(self.links_here(email) && records.count_tries(&[link("link", email)], now).await?)
    }

    /// The same for links to tickets, counted by themselves: who asks for tickets must not keep a club from its password.
    ///
    /// # Errors
    /// The books could not be written: no mail either.
    pub async fn may_mail_tickets(
        &self,
        records: &Records,
        email: &str,
        now: Timestamp,
    ) -> Result<bool, Problem> {
        let few_here = self
            .ticket_links_by_account
            .check_key(&account_key(email))
            .is_ok();
        Ok(few_here && records.count_tries(&[link("tickets", email)], now).await?)
    }

    /// Somebody at an address registers a club, joins the waitlist, or asks for a link: a mail to whomever they name.
    ///
    /// # Errors
    /// 429 with `Retry-After`; 503 when the books could not be written.
    pub async fn fills_form(
        &self,
        records: &Records,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), Problem> {
        self.form_here(address)?;
        if self.exempt(address) {
            return Ok(());
        }
        let about = format!("forms from {}", Network::from(address));
        let form = Try {
            about,
            max: FORMS_PER_ADDRESS_AND_HOUR,
            window_seconds: AN_HOUR.as_secs() as i64,
        };
        if records.count_tries(&[form], now).await? {
            Ok(())
        } else {
            Err(too_many(60))
        }
    }

    pub(super) fn form_here(&self, address: IpAddr) -> Result<(), Problem> {
        if self.exempt(address) {
            Ok(())
        } else {
            self.take(&self.forms_by_address, &address.into())
        }
    }

    pub(super) fn links_here(&self, email: &str) -> bool {
        self.links_by_account.check_key(&account_key(email)).is_ok()
    }
}

/// Something that was guessed, or known, as far as this node can tell.
#[must_use = "a guess counts on all nodes"]
pub struct Guess<'a> {
    failures: &'a Failures<String>,
    tries: Vec<Try>,
}

impl<'a> Guess<'a> {
    /// Counts one more of each, or none of them.
    fn new(
        failures: &'a Failures<String>,
        tries: Vec<Try>,
        retry_after_seconds: u32,
    ) -> Result<Guess<'a>, Problem> {
        let full = tries
            .iter()
            .position(|one| !failures.add_below(&one.about, one.max));
        if let Some(full) = full {
            tries[..full]
                .iter()
                .for_each(|one| failures.take_back(&one.about));
            return Err(too_many(retry_after_seconds));
        }
        Ok(Guess { failures, tries })
    }

    /// Counts it for all nodes, before anybody looks whether it is right. What they refuse stays counted here: whoever goes on
    /// is refused at no cost.
    ///
    /// # Errors
    /// 429 with `Retry-After`; 503 when the books could not be written.
    pub async fn on_all_nodes(
        self,
        records: &'a Records,
        now: Timestamp,
    ) -> Result<Counted<'a>, Problem> {
        if !records.count_tries(&self.tries, now).await? {
            return Err(too_many(60));
        }
        Ok(Counted {
            guess: self,
            records,
        })
    }

    pub(super) fn take_back(&self) {
        self.tries
            .iter()
            .for_each(|one| self.failures.take_back(&one.about));
    }
}

/// A guess that every node knows of.
#[must_use = "a guess that is not said to be right stays counted as wrong"]
pub struct Counted<'a> {
    guess: Guess<'a>,
    records: &'a Records,
}

impl Counted<'_> {
    /// It was no guess.
    pub async fn was_right(self) {
        if let Err(failure) = self.records.take_back_tries(&self.guess.tries).await {
            tracing::warn!(%failure, "a right guess stays counted as wrong for a while");
        }
        // Last, so that this node never lets more through than the books will.
        self.guess.take_back();
    }
}

fn password(about: String, max: u32) -> Try {
    let window_seconds = WRONG_PASSWORDS_WINDOW.as_secs() as i64;
    Try {
        about: format!("password {about}"),
        max,
        window_seconds,
    }
}

fn link(what: &str, email: &str) -> Try {
    let about = format!("{what} for {}", account_key(email));
    Try {
        about,
        max: LINKS_PER_ACCOUNT_AND_HOUR,
        window_seconds: AN_HOUR.as_secs() as i64,
    }
}

fn account_key(email: &str) -> String {
    email.trim().to_lowercase()
}
