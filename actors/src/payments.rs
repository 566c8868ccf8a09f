//! The handle to all payments. Five doors, one room: client call, webhook, sweeper, restart scan and operator all end in
//! [`Payments::fulfil`].

use std::sync::Arc;

use domain::{
    AccountId, ClubId, Command, DrawId, Line, OrderId, PaymentIntentId, Refusal, Reservation,
    Timestamp, View,
};
use persistence::Failure;
use persistence::books::{Notice, OrderRecord, TermsAgreed};
use persistence::failpoint::{self, Side, Step};
use persistence::ledger::BuyerDetails;
use persistence::records::audit::Entry;
use thiserror::Error;

use crate::payment::room::Room;
use crate::{Denied, Tally};

/// Asks the payment actor. Cheap to clone.
#[derive(Clone)]
pub struct Payments {
    room: Arc<Room>,
    act: Option<Arc<Entry>>,
}

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

/// A draw that was cancelled, and how many orders' refunds began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled {
    pub view: View,
    pub refunds: u32,
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
    pub(crate) fn new(room: Arc<Room>) -> Payments {
        Payments { room, act: None }
    }

    /// A handle that signs: a refund or a cancellation it brings about stands in the audit log with the entry, in the same
    /// transaction as its first effect. What changes nothing leaves none.
    #[must_use]
    pub fn by(&self, act: Entry) -> Payments {
        Payments {
            act: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Opens an order, or resizes the one this client key opened: reserves every line or none (decision C-10) and makes or
    /// changes its payment intent (decision C-2). An order of this key that is already authorised or decided is answered as
    /// it is; to buy again, the caller uses another key.
    ///
    /// # Errors
    /// `Refused` names the draw that had too few tickets or was closed; then nothing is reserved that was not before.
    pub async fn open(&self, wanted: OpenOrder) -> Result<OrderRecord, PaymentFailure> {
        self.room.clone().open(wanted).await
    }

    /// Turns an authorised payment into tickets, once, and takes the money: the one room behind all doors (rule 2). Asks
    /// the provider, never trusts the caller. Any number of calls, at the same time, in any order, answer the same.
    ///
    /// # Errors
    /// `OrderUnknown`, `Mismatch`, or `Unavailable`: another door will finish it.
    pub async fn fulfil(&self, id: &PaymentIntentId) -> Result<Fulfilled, PaymentFailure> {
        failpoint::reach(Step::Door, Side::Before);
        let order = self.order_id(id).await?;
        let fulfilled = self.fulfil_order(order).await?;
        failpoint::reach(Step::Door, Side::After);
        if fulfilled.status != FulfilStatus::Processing {
            return Ok(fulfilled);
        }
        // A worker may have claimed the order's operation a moment before us; it waits in the lane behind us.
        self.fulfil_order(order).await
    }

    async fn fulfil_order(&self, order: OrderId) -> Result<Fulfilled, PaymentFailure> {
        self.in_lane(order, move |room| async move {
            room.fulfil(order, &mut None).await
        })
        .await
    }

    /// Confirms an order's payment intent with a payment method the browser made (decision C-5).
    ///
    /// # Errors
    /// `Declined` with the provider's words; the order stays open for another card.
    pub async fn confirm(
        &self,
        order: OrderId,
        payment_method: &str,
    ) -> Result<Confirmed, PaymentFailure> {
        let method = payment_method.to_owned();
        self.in_lane(order, move |room| async move {
            room.confirm(order, &method).await
        })
        .await
    }

    /// "Keep my tickets": 120 s more in every draw of the order, at most ten times (decision B-8). Answers when the shown
    /// reservation now ends.
    ///
    /// # Errors
    /// `Refused` when it lapsed already or was extended often enough.
    pub async fn extend(&self, order: OrderId) -> Result<Timestamp, PaymentFailure> {
        self.in_lane(order, move |room| async move { room.extend(order).await })
            .await
    }

    /// The order's reservation as its buyer is shown it: `until` is when the shown two minutes end, the soonest of its draws.
    /// `None` when it lapsed.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn reservation(&self, order: OrderId) -> Result<Option<Reservation>, PaymentFailure> {
        self.in_lane(
            order,
            move |room| async move { room.reservation(order).await },
        )
        .await
    }

    /// The buyer leaves: reservations are released, the payment intent is canceled unless the buyer authorised it or is before
    /// a 3-D Secure page.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn abandon(&self, order: OrderId) -> Result<(), PaymentFailure> {
        self.in_lane(order, move |room| async move { room.abandon(order).await })
            .await
    }

    /// The buyer was shown another amount than the order's (decision C-3): unless it has its tickets already, the order is
    /// let go and the authorisation cancelled, if there is one. Answers what became of it.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn turn_down(&self, order: OrderId) -> Result<FulfilStatus, PaymentFailure> {
        self.in_lane(
            order,
            move |room| async move { room.turn_down(order).await },
        )
        .await
    }

    /// Takes the tickets back and gives the money back, with the application fee's part (decisions B-22, D-3). An order that
    /// was not charged yet is let go.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`; asked again it goes on where it stopped.
    pub async fn refund(&self, order: OrderId, reason: &str) -> Result<(), PaymentFailure> {
        let (reason, act) = (reason.to_owned(), self.act.as_deref().cloned());
        self.in_lane(order, move |room| async move {
            room.refund(order, &reason, act).await
        })
        .await
    }

    /// The game is off: the draw is cancelled, and every order with a ticket in it is refunded with the fee's part (decision
    /// E-9). An order is all or nothing, so a cart goes back whole (decision C-10). Refunds that cannot begin now begin with
    /// the reconciler's next round, also after a crash; asking again is safe.
    ///
    /// # Errors
    /// `Refused(AlreadyCompleted)`: undo the result first.
    pub async fn cancel_draw(&self, draw: DrawId, reason: &str) -> Result<Cancelled, Denied> {
        let (room, reason) = (self.room.clone(), reason.to_owned());
        let mut act = self.act.as_deref().cloned();
        // To its end, whether or not the asker waits.
        let cancelled = tokio::spawn(async move {
            let view = room
                .ask_signed(draw, Command::Cancel, None, &mut act)
                .await?
                .view;
            let refunds = room.refund_called_off(&reason).await.unwrap_or_default();
            Ok(Cancelled { view, refunds })
        });
        cancelled.await.unwrap_or(Err(Denied::Unavailable))
    }

    /// What the engine has counted since the process began.
    pub fn tally(&self) -> &Tally {
        &self.room.tally
    }

    /// Stores a notice once; a worker handles it. `false`: this event id was stored before.
    ///
    /// # Errors
    /// Not stored: the provider is to send it again.
    pub async fn notice(&self, notice: Notice) -> Result<bool, Failure> {
        let room = self.room.clone();
        let stored = self
            .apart(async move {
                room.books
                    .notice(&notice, room.draws.boot(), room.clock.now())
                    .await
            })
            .await?;
        self.room.nudges.notices.notify_one();
        Ok(stored)
    }

    /// Fills in what is not known of the buyer; what was stored first wins (decision C-7).
    ///
    /// # Errors
    /// Not written.
    pub async fn fill_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<(), Failure> {
        let (room, buyer) = (self.room.clone(), buyer.clone());
        self.apart(async move { room.books.fill_buyer(order, &buyer).await })
            .await
    }

    /// What the buyer says before paying replaces what was stored, its blanks nothing; for the order's own browser alone.
    /// `false`: the order is paid or decided, and stays as it is.
    ///
    /// # Errors
    /// Not written.
    pub async fn correct_buyer(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> Result<bool, Failure> {
        let (room, buyer) = (self.room.clone(), buyer.clone());
        self.apart(async move { room.books.correct_buyer(order, &buyer).await })
            .await
    }

    /// Age and terms were confirmed; the first time counts (decision C-12).
    ///
    /// # Errors
    /// Not written.
    pub async fn consented(
        &self,
        order: OrderId,
        ip: &str,
        terms: TermsAgreed,
    ) -> Result<(), Failure> {
        let (room, ip) = (self.room.clone(), ip.to_owned());
        self.apart(async move {
            room.books
                .consented(order, room.clock.now(), &ip, terms)
                .await
        })
        .await
    }

    /// The order as the books hold it.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order(&self, order: OrderId) -> Result<Option<OrderRecord>, Failure> {
        let room = self.room.clone();
        self.apart(async move { room.books.order(order).await })
            .await
    }

    /// The order of an order token (decision B-9).
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        let (room, token) = (self.room.clone(), token.to_owned());
        self.apart(async move { room.books.order_by_token(&token).await })
            .await
    }

    /// The order that was opened under a client key (decision C-2).
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order_by_client_key(&self, key: &str) -> Result<Option<OrderRecord>, Failure> {
        let (room, key) = (self.room.clone(), key.to_owned());
        self.apart(async move { room.books.order_by_client_key(&key).await })
            .await
    }

    /// The order a payment intent pays for.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        let (room, id) = (self.room.clone(), id.clone());
        self.apart(async move { room.books.order_by_payment_intent(&id).await })
            .await
    }

    async fn order_id(&self, id: &PaymentIntentId) -> Result<OrderId, PaymentFailure> {
        if let Some(order) = self.room.index.order_of(id) {
            return Ok(order);
        }
        let record = self
            .order_by_payment_intent(id)
            .await
            .map_err(|_| PaymentFailure::Unavailable)?;
        let order = record.ok_or(PaymentFailure::OrderUnknown)?.order.id;
        self.room.index.intent_is(id, order);
        Ok(order)
    }

    fn in_lane<T, F>(
        &self,
        order: OrderId,
        work: impl FnOnce(Arc<Room>) -> F,
    ) -> impl Future<Output = Result<T, PaymentFailure>> + Send
    where
        T: Send + 'static,
        F: Future<Output = Result<T, PaymentFailure>> + Send + 'static,
    {
        self.room.in_lane(order, work(self.room.clone()))
    }

    /// Runs a question to the books to its end even when the asker goes away: a query cut off in the middle can spoil the
    /// connection for the next one.
    async fn apart<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let ended = tokio::spawn(work).await;
        ended.unwrap_or_else(|panicked| Err(Failure::Unknown(panicked.to_string())))
    }
}
