//! Decides who may act on an order (decision M-1).
//!
//! The ids of a payment intent, draw, ticket or order are public. With an id alone a caller sees no
//! number pair or personal data and changes nothing. All other actions are methods of [`OwnOrder`],
//! which is created only with a proof of being the buyer.

use std::net::IpAddr;

use actors::{ConfirmationOutcome, FulfilStatus};
use domain::{Cell, DrawId, OrderId, OrderState, Serial, Timestamp};
use persistence::ledger::BuyerDetails;
use persistence::records::ticket_links::TicketLink;
use persistence::stores::{BuyerSource, OrderRecord};
use sha2::{Digest, Sha256};

use crate::api::error::Problem;
use crate::api::purchase::Purchase;
use crate::services::identity::Browser;
use crate::services::open_orders::is_opened_by;
use crate::state::State;
use crate::text::terms;

/// Which proofs of being the order's buyer the caller sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OrderProof {
    /// Whether the request carries the cookie of the browser that opened the order.
    browser: bool,
    /// Whether the request has the order's token, or the secret of a link mailed to the buyer.
    token: bool,
    /// Whether the request has the client secret of the order's payment intent.
    client_secret: bool,
}

impl OrderProof {
    fn of(record: &OrderRecord, browser: &Browser, body: &Purchase) -> OrderProof {
        let secret = record
            .client_secret
            .as_deref()
            .filter(|secret| !secret.is_empty());
        OrderProof {
            browser: is_opened_by(browser, &record.client_key, record.draws()),
            token: body
                .order_token
                .as_deref()
                .is_some_and(|sent| is_same_secret(sent, &record.token)),
            client_secret: body
                .client_secret
                .as_deref()
                .zip(secret)
                .is_some_and(|(sent, stored)| is_same_secret(sent, stored)),
        }
    }

    fn has_any_proof(self) -> bool {
        self.browser || self.token || self.client_secret
    }
}

/// Compares two secrets by their digests, so that the duration does not disclose how many
/// characters are right.
fn is_same_secret(sent: &str, stored: &str) -> bool {
    Sha256::digest(sent) == Sha256::digest(stored)
}

/// The access to an order that a request named by id. It depends on whether the request proves that
/// the caller is the buyer.
pub enum OrderAccess {
    Own(Box<OwnOrder>),
    /// The caller sent no proof of being the buyer, and may only trigger fulfilment and read the
    /// status.
    Unproven(Box<OrderRecord>),
}

impl OrderAccess {
    /// Decides the access by the request's browser cookie, `orderToken` and `clientSecret`.
    pub fn of(record: OrderRecord, browser: &Browser, body: &Purchase) -> OrderAccess {
        let proof = OrderProof::of(&record, browser, body);
        if proof.has_any_proof() {
            OrderAccess::Own(Box::new(OwnOrder { record, proof }))
        } else {
            OrderAccess::Unproven(Box::new(record))
        }
    }

    /// Returns the order if the caller proved to be its buyer.
    pub fn into_own_order(self) -> Option<OwnOrder> {
        match self {
            OrderAccess::Own(own) => Some(*own),
            OrderAccess::Unproven(_) => None,
        }
    }
}

/// An order whose caller proved to be its buyer.
#[derive(Clone, Debug)]
pub struct OwnOrder {
    record: OrderRecord,
    proof: OrderProof,
}

impl OwnOrder {
    /// Returns the order if this browser opened it.
    pub fn of_browser(record: OrderRecord, browser: &Browser) -> Option<OwnOrder> {
        OrderAccess::of(record, browser, &Purchase::default()).into_own_order()
    }

    /// Finds an order by its token of 32 hexadecimal digits.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn of_token(state: &State, token: &str) -> Result<Option<OwnOrder>, Problem> {
        if token.len() != 32 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let record = state.payments.order_by_token(&token.to_lowercase()).await?;
        Ok(record.map(OwnOrder::with_token_proof))
    }

    /// Reads the orders that a mailed link gives access to, newest first.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn all_of_ticket_link(
        state: &State,
        link: &TicketLink,
    ) -> Result<Vec<OwnOrder>, Problem> {
        let mut found = Vec::with_capacity(link.orders.len());
        for order in &link.orders {
            found.extend(
                state
                    .payments
                    .order(*order)
                    .await?
                    .map(OwnOrder::with_token_proof),
            );
        }
        Ok(found)
    }

    fn with_token_proof(record: OrderRecord) -> OwnOrder {
        OwnOrder {
            record,
            proof: OrderProof {
                token: true,
                ..OrderProof::default()
            },
        }
    }

    /// Replaces the order's record with a newer one of the same order, and keeps the caller's
    /// proofs.
    #[must_use]
    pub fn with_newer_record(self, record: OrderRecord) -> OwnOrder {
        assert_eq!(
            self.record.order.id, record.order.id,
            "a proof is of one order"
        );
        OwnOrder { record, ..self }
    }

    /// Returns the order's database record.
    pub fn record(&self) -> &OrderRecord {
        &self.record
    }

    pub fn id(&self) -> OrderId {
        self.record.order.id
    }

    /// Whether the caller's browser opened the order.
    pub fn is_of_this_browser(&self) -> bool {
        self.proof.browser
    }

    /// Returns the order's token if the caller sent it or opened the order in this browser.
    ///
    /// A caller with only the client secret does not get it, because after the capture the token
    /// alone gives access to the order.
    pub fn disclosable_token(&self) -> Option<String> {
        (self.proof.browser || self.proof.token).then(|| self.record.token.clone())
    }

    /// Returns the order's tickets of one draw with their number pairs; none before the payment is
    /// captured (decision M-2).
    ///
    /// # Errors
    /// The node that owns the draw cannot answer now.
    pub async fn number_pairs(
        &self,
        state: &State,
        draw: DrawId,
    ) -> Result<Vec<(Serial, Cell)>, Problem> {
        match self
            .record
            .tickets_shown_to_buyer()
            .iter()
            .find(|(of, _)| *of == draw)
        {
            Some((_, serials)) if !serials.is_empty() => state
                .draws
                .cells(draw, serials)
                .await
                .map_err(|denied| Problem::command_denied(draw, denied)),
            _ => Ok(Vec::new()),
        }
    }

    /// Stores the two consents with time, IP address and version of the terms. Consents stored
    /// before are not replaced.
    ///
    /// # Errors
    /// The database could not be written.
    pub async fn store_consents(&self, state: &State, ip: IpAddr) -> Result<(), Problem> {
        if self.record.consent_at.is_none() {
            state
                .payments
                .record_consent(
                    self.id(),
                    &ip.to_string(),
                    terms::SALE_TERMS.as_agreed_terms(),
                )
                .await?;
        }
        Ok(())
    }

    /// Stores buyer details before the payment.
    ///
    /// While nothing is authorised, the order's own browser may replace earlier details, such as a
    /// typo or a prefilled form. Otherwise only blank fields are filled (decision C-7).
    ///
    /// # Errors
    /// The database could not be written.
    pub async fn correct_buyer(
        &mut self,
        state: &State,
        details: &BuyerDetails,
    ) -> Result<(), Problem> {
        let unpaid =
            self.record.order.state == OrderState::Quoted && self.record.authorised_at.is_none();
        if unpaid && self.proof.browser {
            let corrected = self.record.buyer.clone().corrected_by(details);
            if corrected == self.record.buyer {
                return Ok(());
            }
            if state.payments.correct_buyer(self.id(), details).await? {
                self.record.buyer = corrected;
                return Ok(());
            }
            // The payment was authorised in the meantime, so `fill_buyer` below fills only blank
            // fields.
        }
        self.fill_buyer(state, details).await.map(|_| ())
    }

    /// Fills the blank fields of the buyer. Returns `false`, and stores nothing, when the caller's
    /// proof is no longer accepted for changes.
    ///
    /// # Errors
    /// The database could not be written.
    pub async fn fill_buyer(
        &mut self,
        state: &State,
        details: &BuyerDetails,
    ) -> Result<bool, Problem> {
        if !fills_blank_field(&self.record.buyer, details) {
            return Ok(true);
        }
        let source = if self.proof.token {
            BuyerSource::OrderToken
        } else {
            BuyerSource::Checkout
        };
        let accepted = state
            .payments
            .fill_buyer(self.id(), details, source)
            .await?;
        if accepted {
            self.record.buyer =
                std::mem::take(&mut self.record.buyer).with_blanks_filled_from(details);
            // Send the order's confirmation mail now, because it may have waited for the buyer's
            // e-mail address.
            if self.record.order.state == OrderState::Captured {
                state.outbox.wake_mailer();
            }
        }
        Ok(accepted)
    }

    /// Whether the caller sent the order's token. Only such a caller gets an error for contact
    /// details that are no longer accepted; for other callers the stored details are used (decision
    /// C-7).
    pub fn has_token_proof(&self) -> bool {
        self.proof.token
    }

    /// Whether the caller sent the client secret, the only proof that some wallets have.
    pub fn has_client_secret_proof(&self) -> bool {
        self.proof.client_secret
    }

    /// Abandons the order, because its buyer saw another amount (decision C-3).
    ///
    /// # Errors
    /// Stripe or the database did not answer.
    pub async fn reject_changed_amount(&self, state: &State) -> Result<FulfilStatus, Problem> {
        Ok(state
            .payments
            .abandon_after_amount_change(self.id())
            .await?)
    }

    /// Abandons the unpaid order and releases its reservation. Returns the order's state. `Quoted`:
    /// the buyer is paying, so the order keeps its tickets.
    ///
    /// # Errors
    /// Stripe or the database did not answer.
    pub async fn abandon_order(&self, state: &State) -> Result<OrderState, Problem> {
        Ok(state.payments.abandon(self.id()).await?)
    }

    /// Extends the reservation and returns its end as shown to the buyer.
    ///
    /// # Errors
    /// 409: the reservation expired, or was extended too often.
    pub async fn extend_reservation(&self, state: &State) -> Result<Timestamp, Problem> {
        Ok(state.payments.extend(self.id()).await?)
    }

    /// Confirms the payment with a confirmation token that the browser created, or another payment
    /// source.
    ///
    /// # Errors
    /// 402: Stripe declined the payment.
    pub async fn confirm_payment(
        &self,
        state: &State,
        source: &str,
    ) -> Result<ConfirmationOutcome, Problem> {
        Ok(state.payments.confirm(self.id(), source).await?)
    }

    /// Queues the confirmation mail again: see [`resend_confirmation`].
    ///
    /// # Errors
    /// The database could not be written.
    pub async fn resend_confirmation(&self, state: &State) -> Result<(), Problem> {
        resend_confirmation(state, &self.record).await.map(|_| ())
    }
}

/// Queues the confirmation mail again, only to the stored address: for a captured order, at most
/// three times an hour (decision C-17). Returns whether it was queued.
///
/// # Errors
/// The database could not be written.
pub async fn resend_confirmation(state: &State, record: &OrderRecord) -> Result<bool, Problem> {
    let order = record.order.id;
    let captured = record.order.state == OrderState::Captured;
    let to = record
        .buyer
        .email
        .as_deref()
        .filter(|_| captured && state.limits.may_resend_confirmation(order.0));
    let Some(to) = to else {
        return Ok(false);
    };
    let dedupe_key = format!("resend:{order}:{}", state.clock.now().0);
    Ok(state
        .outbox
        .queue_mail_now(&dedupe_key, "resend", Some(order), to, "{}")
        .await?)
}

/// Whether `sent` contains a value for a field that is blank in `known`.
fn fills_blank_field(known: &BuyerDetails, sent: &BuyerDetails) -> bool {
    (known.email.is_none() && sent.email.is_some())
        || (known.phone.is_none() && sent.phone.is_some())
}
