//! Payments: the handle that the server uses, and the services behind it.
//!
//! Five entry points end in one idempotent fulfilment ([`Payments::fulfil`]): the client's call,
//! the webhook, the sweeper, the restart scan and the operator.

use std::sync::Arc;

use domain::provider_error::ProviderErrorClass;
use domain::{
    AccountId, ClubId, Command, DrawId, Line, OrderEndReason, OrderId, OrderState, PaymentIntentId,
    PaymentOrigin, Refusal, Reservation, ReservationSource, Timestamp, View,
};
use persistence::Failure;
use persistence::failpoint::{self, FailpointSide, PurchaseStep};
use persistence::ledger::BuyerDetails;
use persistence::records::audit::AuditEntry;
use persistence::stores::{AgreedTerms, BuyerSource, OrderRecord, StoredWebhookEvent};
use thiserror::Error;

use crate::{Denied, EngineMetrics, GatewayError};
use checkout::Checkout;
use context::PaymentContext;
use fulfilment::Fulfilment;
use refunds::Refunds;

mod checkout;
pub(crate) mod confirmed_intents;
pub mod connect_gateway;
pub(crate) mod context;
pub(crate) mod foreign_payments;
pub(crate) mod fulfilment;
pub mod gateway;
mod intents;
pub(crate) mod job_queue;
pub(crate) mod operation_worker;
mod operations;
pub(crate) mod refunds;
pub(crate) mod repairs;
pub(crate) mod retry_delay;
pub mod signature;
pub mod stripe;
pub(crate) mod sweep;

/// A handle for opening, fulfilling and refunding orders. Cheap to clone.
#[derive(Clone)]
pub struct Payments {
    context: Arc<PaymentContext>,
    audit_entry: Option<Arc<AuditEntry>>,
}

/// A request to open or resize an order. The server has set the prices.
#[derive(Clone, Debug)]
pub struct OpenOrderRequest {
    /// The idempotency key: computed from the browser session and the selected tickets. The same
    /// key finds the same order (decision C-2).
    pub client_key: String,
    /// Secret of the order page, used if the order is new (decision B-9).
    pub token: String,
    /// Id of the order, used if the order is new.
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    /// The requested tickets, at most one line per draw.
    pub lines: Vec<Line>,
    pub buyer: BuyerDetails,
    /// The source whose quota of unpaid tickets the order uses. `None`: the order is not limited.
    pub source: Option<ReservationSource>,
}

/// The result of fulfilling an order.
#[derive(Clone, Debug)]
pub struct FulfilmentResult {
    pub record: OrderRecord,
    pub status: FulfilStatus,
}

/// How far an order is fulfilled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FulfilStatus {
    /// The buyer has the tickets and the payment is captured.
    Succeeded,
    /// The buyer has not authorised the payment.
    Waiting,
    /// The payment is authorised. Allocation or capture is in progress and continues without
    /// another call.
    Processing,
    /// The order is rejected: no tickets, and the authorisation is cancelled or being cancelled.
    /// `reason` is shown to the buyer.
    NotCharged { reason: OrderEndReason },
    /// The payment was captured and is being refunded.
    Refunding,
}

/// The outcome of confirming a payment (decision C-5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfirmationOutcome {
    /// The payment is authorised. The caller calls `fulfil` next.
    Authorised,
    /// The buyer must complete an action (3-D Secure). Afterwards the browser calls again.
    RequiresAction { client_secret: String },
    /// The provider is still working on the payment. The caller calls `fulfil` later.
    Processing,
}

/// A cancelled draw, and the number of orders whose refund has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CancelledDraw {
    pub view: View,
    pub refunds: u32,
}

/// Why a payment request failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PaymentFailure {
    /// The rules of a draw forbid the request. The buyer was not charged.
    #[error("draw {draw}: {refusal}")]
    Refused { draw: DrawId, refusal: Refusal },
    /// The provider declined the payment, or refused the request. `message` is the provider's text,
    /// which is written for the buyer only if the class is about the card. The buyer may pay the
    /// same order with another card.
    #[error("declined: {code}: {message}")]
    Declined {
        class: ProviderErrorClass,
        code: String,
        message: String,
    },
    /// A technical failure. The same request may be sent again; nothing is lost.
    #[error("payments are unavailable, try again")]
    Unavailable,
    #[error("no such order")]
    OrderUnknown,
    /// The payment intent differs from the order in amount, currency, account or order id (decision
    /// C-4). An anomaly was raised.
    #[error("the payment does not match its order")]
    Mismatch,
    /// The buyer's bank disputes the payment, so it is not refunded. Nothing changed.
    #[error("the payment is disputed")]
    Disputed,
}

impl Payments {
    pub(crate) fn new(context: Arc<PaymentContext>) -> Payments {
        Payments {
            context,
            audit_entry: None,
        }
    }

    /// Returns a handle for a person's action. A refund or cancellation through this handle writes
    /// `act` to the audit log, in the transaction of its first change. A request that changes
    /// nothing writes no entry.
    #[must_use]
    pub fn with_audit_entry(&self, act: AuditEntry) -> Payments {
        Payments {
            audit_entry: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Opens an order, or resizes the order with the same client key. Reserves every line or none
    /// (decision C-10), and creates or updates the payment intent (decision C-2). An order that is
    /// authorised or decided already is returned unchanged. To buy again, the caller uses another
    /// key.
    ///
    /// # Errors
    /// `Refused` names the draw that is closed or has too few tickets. Then the reservations are as
    /// they were before the call.
    pub async fn open(&self, request: OpenOrderRequest) -> Result<OrderRecord, PaymentFailure> {
        let context = self.context.clone();
        Checkout::new(&context).open_order(request).await
    }

    /// Allocates the tickets of an authorised payment and captures it, once (rule 2 of the
    /// decisions). Reads the payment intent from the provider, unless the provider has just returned
    /// it, and never trusts the caller.
    /// Concurrent and repeated calls give the same answer.
    ///
    /// # Errors
    /// `OrderUnknown`, `Mismatch`, or `Unavailable`. After `Unavailable` the webhook event or the
    /// sweeper completes the order.
    pub async fn fulfil(&self, id: &PaymentIntentId) -> Result<FulfilmentResult, PaymentFailure> {
        failpoint::reach_failpoint(PurchaseStep::Door, FailpointSide::Before);
        let order = self.order_id_of_intent(id).await?;
        let fulfilled = self.fulfil_order(order).await?;
        failpoint::reach_failpoint(PurchaseStep::Door, FailpointSide::After);
        if fulfilled.status != FulfilStatus::Processing {
            return Ok(fulfilled);
        }
        // The background worker may have just claimed the order's operation. The worker's job then
        // waits behind the first call's job, and the second call runs after the worker's job.
        self.fulfil_order(order).await
    }

    async fn fulfil_order(&self, order: OrderId) -> Result<FulfilmentResult, PaymentFailure> {
        self.run_for_order(order, move |context| async move {
            Fulfilment::new(&context).fulfil(order, &mut None).await
        })
        .await
    }

    /// Confirms an order's payment intent with the browser's confirmation token, or the id of a
    /// payment method or card token (decision C-5). A repeated call with the same confirmation token
    /// has the outcome of the first call.
    ///
    /// # Errors
    /// `Declined` with the provider's message. The order stays open for another card.
    pub async fn confirm(
        &self,
        order: OrderId,
        source: &str,
    ) -> Result<ConfirmationOutcome, PaymentFailure> {
        let source = source.to_owned();
        self.run_for_order(order, move |context| async move {
            Checkout::new(&context)
                .confirm_payment(order, &source)
                .await
        })
        .await
    }

    /// Extends the reservation in every draw of the order by 120 s, at most ten times (decision
    /// B-8). Returns the new end that the buyer is shown.
    ///
    /// # Errors
    /// `Refused` when the reservation has lapsed or was extended ten times.
    pub async fn extend(&self, order: OrderId) -> Result<Timestamp, PaymentFailure> {
        self.run_for_order(order, move |context| async move {
            Checkout::new(&context).extend_reservation(order).await
        })
        .await
    }

    /// Returns the order's reservation as the buyer is shown it: `until` is the earliest end of all
    /// its draws, without the grace period. `None`: the reservation has lapsed.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn reservation(&self, order: OrderId) -> Result<Option<Reservation>, PaymentFailure> {
        self.run_for_order(order, move |context| async move {
            Checkout::new(&context).shown_reservation(order).await
        })
        .await
    }

    /// Abandons an order because the buyer asked for it: releases the reservations and cancels the
    /// payment intent. An order that is authorised or in a 3-D Secure step is not abandoned.
    /// Returns the order's state. `Quoted`: the buyer is paying, so the order keeps its tickets.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn abandon(&self, order: OrderId) -> Result<OrderState, PaymentFailure> {
        self.run_for_order(order, move |context| async move {
            Checkout::new(&context).abandon_for_buyer(order).await
        })
        .await
    }

    /// Abandons an order whose buyer was shown a different amount (decision C-3), and cancels the
    /// authorisation. An order that already has its tickets is not abandoned. Returns the order's
    /// status.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`.
    pub async fn abandon_after_amount_change(
        &self,
        order: OrderId,
    ) -> Result<FulfilStatus, PaymentFailure> {
        self.run_for_order(order, move |context| async move {
            Checkout::new(&context)
                .abandon_after_amount_change(order)
                .await
        })
        .await
    }

    /// Refunds an order with its part of the application fee, and returns its tickets (decisions
    /// B-22, D-3). An order that is not yet charged is abandoned instead.
    ///
    /// # Errors
    /// `OrderUnknown`, `Unavailable`. A repeated call continues an interrupted refund. `Disputed`:
    /// nothing changed.
    pub async fn refund(&self, order: OrderId, reason: &str) -> Result<(), PaymentFailure> {
        let (reason, audit_entry) = (reason.to_owned(), self.audit_entry.as_deref().cloned());
        self.check_not_disputed(order).await?;
        self.run_for_order(order, move |context| async move {
            Refunds::new(&context)
                .refund_order(order, &reason, audit_entry)
                .await
        })
        .await
    }

    /// Asks the provider whether the order's payment is disputed.
    ///
    /// # Errors
    /// `Disputed`; `OrderUnknown`; `Unavailable`: the provider or the database did not answer.
    pub async fn check_not_disputed(&self, order: OrderId) -> Result<(), PaymentFailure> {
        let record = self.context.load_order(order).await?;
        let (Some(id), Some(_)) = (&record.order.payment_intent, record.captured_at) else {
            return Ok(());
        };
        let gateway = &self.context.gateway;
        match gateway.retrieve(&record.order.account, id).await {
            Ok(intent) if intent.is_disputed() => Err(PaymentFailure::Disputed),
            // A refund of a payment that the provider does not show fails, and is reported.
            Ok(_) | Err(GatewayError::Refused { .. }) => Ok(()),
            Err(error) => {
                tracing::warn!(%error, order.id = %order, "refund not begun: provider error");
                Err(PaymentFailure::Unavailable)
            }
        }
    }

    /// Cancels a draw and refunds every order with a ticket in it, with its part of the fee
    /// (decision E-9). An order with several draws is refunded completely (decision C-10). The
    /// reconciler starts the refunds that fail now, also after a crash. A repeated call is safe.
    ///
    /// # Errors
    /// `Refused(AlreadyCompleted)`: the result must be undone first.
    pub async fn cancel_draw(&self, draw: DrawId, reason: &str) -> Result<CancelledDraw, Denied> {
        let (context, reason) = (self.context.clone(), reason.to_owned());
        let mut audit_entry = self.audit_entry.as_deref().cloned();
        // The work is spawned, so that it is completed even when the caller stops waiting.
        let cancelled = tokio::spawn(async move {
            let view = context
                .execute_audited(draw, Command::Cancel, None, &mut audit_entry)
                .await?
                .view;
            let refunds = Refunds::new(&context)
                .refund_cancelled_draws(&reason)
                .await
                .unwrap_or_default();
            Ok(CancelledDraw { view, refunds })
        });
        cancelled.await.unwrap_or(Err(Denied::Unavailable))
    }

    /// Returns the engine's metrics since the process started.
    pub fn metrics(&self) -> &EngineMetrics {
        &self.context.metrics
    }

    /// Stores a webhook event, which a worker then handles. `false`: the event was stored before.
    ///
    /// # Errors
    /// The event was not stored, so the provider must send it again.
    pub async fn store_webhook_event(&self, event: StoredWebhookEvent) -> Result<bool, Failure> {
        let context = self.context.clone();
        let is_new = self
            .run_detached(async move {
                context
                    .store
                    .store_event(&event, context.draws.instance_id(), context.clock.now())
                    .await
            })
            .await?;
        self.context.wakeups.webhook_events.notify_one();
        Ok(is_new)
    }

    /// Whether a webhook event may concern this platform and must be stored. Events of accounts that
    /// no club has, and of a club's own sales, are counted instead (decision M-10). `origin`: the
    /// marks of the payment that the event is about; `None`: the event does not show them.
    ///
    /// # Errors
    /// The question cannot be answered now, so the provider must send the event again.
    pub async fn is_relevant_event(
        &self,
        event: &StoredWebhookEvent,
        origin: Option<&PaymentOrigin>,
    ) -> Result<bool, Failure> {
        let (context, event, origin) = (self.context.clone(), event.clone(), origin.cloned());
        self.run_detached(async move { context.is_relevant_event(&event, origin.as_ref()).await })
            .await
    }

    /// Stores missing contact details of the buyer. Details that are stored already are not changed
    /// (decision C-7). `false`: the order no longer accepts details from this source.
    ///
    /// # Errors
    /// The database write failed.
    pub async fn fill_buyer(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure> {
        let (context, buyer) = (self.context.clone(), buyer.clone());
        self.run_detached(async move {
            context
                .store
                .fill_buyer_details(order, &buyer, source)
                .await
        })
        .await
    }

    /// Replaces the buyer's contact details before the payment. Empty details change nothing. Only
    /// the browser that opened the order may do this. `false`: the order is authorised, decided or
    /// erased, so nothing was changed.
    ///
    /// # Errors
    /// The database write failed.
    pub async fn correct_buyer(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> Result<bool, Failure> {
        let (context, buyer) = (self.context.clone(), buyer.clone());
        self.run_detached(async move { context.store.correct_buyer_details(order, &buyer).await })
            .await
    }

    /// Stores that the buyer confirmed age and terms. Only the first call has an effect (decision
    /// C-12).
    ///
    /// # Errors
    /// The database write failed.
    pub async fn record_consent(
        &self,
        order: OrderId,
        ip: &str,
        terms: AgreedTerms,
    ) -> Result<(), Failure> {
        let (context, ip) = (self.context.clone(), ip.to_owned());
        self.run_detached(async move {
            context
                .store
                .record_consent(order, context.clock.now(), &ip, terms)
                .await
        })
        .await
    }

    /// Returns the stored order with this id. `None`: there is none.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn order(&self, order: OrderId) -> Result<Option<OrderRecord>, Failure> {
        let context = self.context.clone();
        self.run_detached(async move { context.store.order(order).await })
            .await
    }

    /// Returns the order whose page has this secret token (decision B-9).
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        let (context, token) = (self.context.clone(), token.to_owned());
        self.run_detached(async move { context.store.order_by_token(&token).await })
            .await
    }

    /// Returns the order that was opened under a client key (decision C-2).
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn order_by_client_key(&self, key: &str) -> Result<Option<OrderRecord>, Failure> {
        let (context, key) = (self.context.clone(), key.to_owned());
        self.run_detached(async move { context.store.order_by_client_key(&key).await })
            .await
    }

    /// Returns the order of a payment intent.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        let (context, id) = (self.context.clone(), id.clone());
        self.run_detached(async move { context.store.order_by_payment_intent(&id).await })
            .await
    }

    async fn order_id_of_intent(&self, id: &PaymentIntentId) -> Result<OrderId, PaymentFailure> {
        if let Some(order) = self.context.index.order_of_intent(id) {
            return Ok(order);
        }
        let record = self
            .order_by_payment_intent(id)
            .await
            .map_err(|_| PaymentFailure::Unavailable)?;
        let order = record.ok_or(PaymentFailure::OrderUnknown)?.order.id;
        self.context.index.insert_intent(id, order);
        Ok(order)
    }

    fn run_for_order<T, F>(
        &self,
        order: OrderId,
        work: impl FnOnce(Arc<PaymentContext>) -> F,
    ) -> impl Future<Output = Result<T, PaymentFailure>> + Send
    where
        T: Send + 'static,
        F: Future<Output = Result<T, PaymentFailure>> + Send + 'static,
    {
        self.context
            .run_for_order(order, work(self.context.clone()))
    }

    /// Runs a database query to its end even when the caller stops waiting. Dropping a query before
    /// its end can leave its connection unusable.
    async fn run_detached<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let joined = tokio::spawn(work).await;
        joined.unwrap_or_else(|panicked| Err(Failure::Unknown(panicked.to_string())))
    }
}
