//! The handle to all payments. Five doors, one room: client call, webhook, sweeper, restart scan and operator all end in
//! [`Payments::fulfil`].

use domain::{AccountId, ClubId, DrawId, Line, OrderId, PaymentIntentId, Refusal, Timestamp};
use persistence::Failure;
use persistence::books::{Notice, OrderRecord};
use persistence::ledger::BuyerDetails;
use thiserror::Error;

/// Asks the payment actor. Cheap to clone.
#[derive(Clone)]
pub struct Payments {}

/// What a buyer wants to pay for, priced by the server.
#[derive(Clone, Debug)]
pub struct OpenOrder {
    /// Unique: the browser session and what it buys. The same key finds the same order (decision C-2).
    pub client_key: String,
    /// For a new order: the buyer's secret for the order page (decision B-9).
    pub token: String,
    /// For a new order: its id.
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    /// At most one a draw.
    pub lines: Vec<Line>,
    pub buyer: BuyerDetails,
}

/// What became of an order.
#[derive(Clone, Debug)]
pub struct Fulfilled {
    pub record: OrderRecord,
    pub status: FulfilStatus,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FulfilStatus {
    /// The tickets are the buyer's and the money is taken.
    Succeeded,
    /// The buyer has not authorised the payment yet.
    Waiting,
    /// Authorised; allocation or capture is under way and goes on by itself.
    Processing,
    /// Refused: no tickets, and the authorisation is cancelled or being cancelled. Why, for the buyer.
    NotCharged { reason: String },
    /// Money was taken and goes back.
    Refunding,
}

/// What confirming with a payment method came to (decision C-5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// The caller calls `fulfil` now.
    Authorised,
    /// The browser has to finish (3-D Secure) and call again.
    RequiresAction { client_secret: String },
    /// The provider is still working on it; `fulfil` later.
    Processing,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PaymentFailure {
    /// A draw's rules say no; nothing was charged.
    #[error("draw {draw}: {refusal}")]
    Refused { draw: DrawId, refusal: Refusal },
    /// The provider said no: the buyer may try another card on the same order.
    #[error("declined: {code}: {message}")]
    Declined { code: String, message: String },
    /// The machine could not. Safe to ask again; nothing is lost.
    #[error("payments are unavailable, try again")]
    Unavailable,
    #[error("no such order")]
    OrderUnknown,
    /// Amount, currency, account or order of the payment intent are not ours (decision C-4); an anomaly is open.
    #[error("the payment does not match its order")]
    Mismatch,
}

impl Payments {
    /// Opens an order, or resizes the one this client key opened: reserves every line or none (decision C-10) and makes or
    /// changes its payment intent (decision C-2). An order of this key that is already authorised or decided is answered as
    /// it is; to buy again, the caller uses another key.
    ///
    /// # Errors
    /// `Refused` names the draw that had too few tickets or was closed; then nothing is reserved that was not before.
    pub async fn open(&self, _wanted: OpenOrder) -> Result<OrderRecord, PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// Turns an authorised payment into tickets, once, and takes the money: the one room behind all doors (rule 2). Asks
    /// the provider, never trusts the caller. Any number of calls, at the same time, in any order, answer the same.
    ///
    /// # Errors
    /// `OrderUnknown`, `Mismatch`, or `Unavailable`: another door will finish it.
    pub async fn fulfil(&self, _id: &PaymentIntentId) -> Result<Fulfilled, PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// Confirms an order's payment intent with a payment method the browser made (decision C-5).
    ///
    /// # Errors
    /// `Declined` with the provider's words; the order stays open for another card.
    pub async fn confirm(&self, _order: OrderId, _payment_method: &str) -> Result<Confirmed, PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// "Keep my tickets": 120 s more in every draw of the order, at most ten times (decision B-8). Answers when the shown
    /// reservation now ends.
    ///
    /// # Errors
    /// `Refused` when it lapsed already or was extended often enough.
    pub async fn extend(&self, _order: OrderId) -> Result<Timestamp, PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// The buyer leaves: reservations are released, the payment intent is canceled unless the buyer authorised it.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn abandon(&self, _order: OrderId) -> Result<(), PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// Takes the tickets back and gives the money back, with the application fee's part (decisions B-22, D-3).
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`; asked again it goes on where it stopped.
    pub async fn refund(&self, _order: OrderId, _reason: &str) -> Result<(), PaymentFailure> {
        Err(PaymentFailure::Unavailable)
    }

    /// Stores a notice once; a worker handles it. `false`: this event id was stored before.
    ///
    /// # Errors
    /// Not stored: the provider is to send it again.
    pub async fn notice(&self, _notice: Notice) -> Result<bool, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// Fills in what is not known of the buyer; what was stored first wins (decision C-7).
    ///
    /// # Errors
    /// Not written.
    pub async fn fill_buyer(&self, _order: OrderId, _buyer: &BuyerDetails) -> Result<(), Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// Age and terms were confirmed; the first time counts (decision C-12).
    ///
    /// # Errors
    /// Not written.
    pub async fn consented(&self, _order: OrderId, _ip: &str, _terms_version: &str) -> Result<(), Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// The order as the books hold it.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order(&self, _order: OrderId) -> Result<Option<OrderRecord>, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// The order of an order token (decision B-9).
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order_by_token(&self, _token: &str) -> Result<Option<OrderRecord>, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }

    /// The order a payment intent pays for.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order_by_payment_intent(&self, _id: &PaymentIntentId) -> Result<Option<OrderRecord>, Failure> {
        Err(Failure::NotWritten("starting".into()))
    }
}
