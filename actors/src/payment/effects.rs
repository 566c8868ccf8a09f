//! What is done at the provider before and after a purchase: making an intent, changing its amount, giving money back. Each is
//! an operation in the books first.

use domain::{Anomaly, AnomalyKind, Order, OrderState, PaymentStatus};
use persistence::books::{Attempt, Operation, OperationKind, OrderRecord};
use persistence::failpoint::{self, Step};

use super::room::{Later, Room};
use crate::{GatewayError, NewIntent, Opened};

/// A refund that the provider refuses this often is for a person.
const REFUND_ATTEMPTS_MAX: u32 = 10;
/// An intent without an answer was made after the order was; clocks may differ by this much.
const CLOCKS_DIFFER_MS: i64 = 300_000;

/// Why an intent could not be made or changed.
pub(super) enum Unmade {
    Later,
    /// The provider said no, and will say no again.
    Refused {
        code: String,
        message: String,
    },
}

impl From<Later> for Unmade {
    fn from(_: Later) -> Unmade {
        Unmade::Later
    }
}

pub(super) fn new_intent(order: &Order) -> NewIntent {
    let draws: Vec<String> = order
        .lines
        .iter()
        .map(|line| format!("{}x{}", line.draw, line.count))
        .collect();
    NewIntent {
        order: order.id,
        account: order.account.clone(),
        amount: order.total(),
        draws: draws.join(","),
    }
}

impl Room {
    /// Makes the intent of an order that was opened just now: its creation is ours to try before anybody claims it.
    pub(super) async fn create_first(&self, record: &mut OrderRecord) -> Result<(), Unmade> {
        let order = record.order.id;
        let key = OperationKind::Create.first_key(order).unwrap_or_default();
        match failpoint::around(
            Step::Intent,
            self.gateway.create(&key, &new_intent(&record.order)),
        )
        .await
        {
            Ok(opened) => self.created(record, opened).await,
            Err(error) => {
                let operation = self
                    .claim_of(order, OperationKind::Create)
                    .await?
                    .ok_or(Unmade::Later)?;
                let opened = self.not_created(record, &operation, error).await?;
                self.created(record, opened).await
            }
        }
    }

    /// Makes the order's intent, or finds the one that an attempt without an answer made.
    pub(super) async fn create(
        &self,
        record: &mut OrderRecord,
        operation: &Operation,
    ) -> Result<(), Unmade> {
        let found = if operation.attempts > 1 {
            self.find(record).await
        } else {
            None
        };
        let opened = match found {
            Some(opened) => opened,
            None => match self
                .gateway
                .create(&operation.key, &new_intent(&record.order))
                .await
            {
                Ok(opened) => opened,
                Err(error) => self.not_created(record, operation, error).await?,
            },
        };
        self.created(record, opened).await
    }

    async fn created(&self, record: &mut OrderRecord, opened: Opened) -> Result<(), Unmade> {
        let order = record.order.id;
        let named = failpoint::around(
            Step::Name,
            self.books.opened(order, &opened.id, &opened.client_secret),
        )
        .await;
        if let Err(failure) = named {
            self.disown(record, &opened).await;
            return Err(Later::from(failure).into());
        }
        self.index.intent_is(&opened.id, order);
        record.order.payment_intent = Some(opened.id);
        record.client_secret = Some(opened.client_secret);
        Ok(())
    }

    /// Cancels an intent that was made for an order which has been decided meanwhile, or has another: another process was
    /// faster. When the books only failed to answer, the intent stays: the next attempt finds it.
    async fn disown(&self, record: &OrderRecord, opened: &Opened) {
        let order = record.order.id;
        let Ok(Some(now)) = self.books.order(order).await else {
            return;
        };
        let ours = now.order.payment_intent.as_ref();
        if ours == Some(&opened.id) || (ours.is_none() && now.order.state == OrderState::Quoted) {
            return;
        }
        let key = format!("disown-{}", opened.id);
        if let Err(error) = self
            .gateway
            .cancel(&key, &record.order.account, &opened.id)
            .await
        {
            // No buyer has ever seen it, so nobody can pay it.
            tracing::warn!(%error, order.id = %order, "an intent that came too late stays open");
        }
    }

    async fn find(&self, record: &OrderRecord) -> Option<Opened> {
        let since = record.opened_at.plus_ms(-CLOCKS_DIFFER_MS);
        // When the provider cannot say, creating again under the same key answers the same intent.
        self.gateway
            .find(&record.order.account, record.order.id, since)
            .await
            .ok()
            .flatten()
    }

    async fn not_created(
        &self,
        record: &OrderRecord,
        operation: &Operation,
        error: GatewayError,
    ) -> Result<Opened, Unmade> {
        tracing::warn!(%error, order.id = %operation.order, "a payment intent could not be made");
        match error {
            GatewayError::Refused { code, message } => {
                let why = format!("{code}: {message}");
                self.books
                    .attempted(operation.id, Attempt::Failed { why })
                    .await
                    .map_err(Later::from)?;
                Err(Unmade::Refused { code, message })
            }
            GatewayError::Unavailable(_) => Err(self.again(operation, false).await.into()),
            GatewayError::Unknown(_) | GatewayError::Failed(_) => match self.find(record).await {
                Some(opened) => Ok(opened),
                // An intent made after all is never shown to a buyer, and so can never be paid.
                None => Err(self.again(operation, error.is_remembered()).await.into()),
            },
        }
    }

    /// Makes the intent's amount the order's.
    pub(super) async fn update(
        &self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Unmade> {
        let (order, Some(id)) = (&record.order, &record.order.payment_intent) else {
            // Not made yet: it will be made with the new amount.
            return Ok(self.done(operation).await?);
        };
        match self
            .gateway
            .update(&operation.key, &order.account, id, &new_intent(order))
            .await
        {
            Ok(_) => Ok(self.done(operation).await?),
            Err(GatewayError::Refused { code, message }) => {
                // Authorised or cancelled meanwhile: the room decides what becomes of it.
                let why = format!("{code}: {message}");
                self.books
                    .attempted(operation.id, Attempt::Failed { why })
                    .await
                    .map_err(Later::from)?;
                Err(Unmade::Refused { code, message })
            }
            Err(GatewayError::Unavailable(_)) => Err(self.again(operation, false).await.into()),
            Err(error) => match self.gateway.retrieve(&order.account, id).await {
                Ok(said) if said.amount == order.total() => Ok(self.done(operation).await?),
                looked => Err(self
                    .again(operation, looked.is_ok() && error.is_remembered())
                    .await
                    .into()),
            },
        }
    }

    /// Gives money back, or a part of the application fee.
    pub(super) async fn give_money_back(
        &self,
        record: &OrderRecord,
        operation: &Operation,
    ) -> Result<(), Later> {
        let (order, amount) = (&record.order, operation.amount.unwrap_or_default());
        let Some(id) = &order.payment_intent else {
            let why = "there is no payment to give back".into();
            return Ok(self
                .books
                .attempted(operation.id, Attempt::Failed { why })
                .await?);
        };
        let key = &operation.key;
        let given = match operation.kind {
            OperationKind::FeeRefund => {
                self.gateway
                    .refund_fee(key, &order.account, id, amount)
                    .await
            }
            _ => self.gateway.refund(key, &order.account, id, amount).await,
        };
        let error = match given {
            Ok(()) => return self.given_back(record, operation).await,
            Err(error) => error,
        };
        tracing::warn!(%error, order.id = %operation.order, kind = ?operation.kind, "money could not be given back");
        if matches!(error, GatewayError::Unavailable(_)) {
            return Err(self.again(operation, false).await);
        }
        let Ok(said) = self.gateway.retrieve(&order.account, id).await else {
            return Err(self.again(operation, false).await);
        };
        let back = match operation.kind {
            // One order's fee may give for several refunds: what went back before is not this one.
            OperationKind::FeeRefund => {
                said.application_fee_refunded >= self.books.fee_given_back(order.id).await? + amount
            }
            _ => said.amount_refunded >= amount,
        };
        match error {
            _ if back => self.given_back(record, operation).await,
            GatewayError::Refused { code, .. } if operation.attempts >= REFUND_ATTEMPTS_MAX => {
                let anomaly = Anomaly {
                    kind: AnomalyKind::MismatchedAmount,
                    payment_intent: Some(id.clone()),
                    order: Some(order.id),
                    note: format!("the provider refuses to give money back: {code}"),
                };
                self.books
                    .raise(&anomaly, Some(amount), self.clock.now())
                    .await?;
                Ok(self
                    .books
                    .attempted(operation.id, Attempt::Failed { why: code })
                    .await?)
            }
            error => Err(self.again(operation, error.is_remembered()).await),
        }
    }

    async fn given_back(&self, record: &OrderRecord, operation: &Operation) -> Result<(), Later> {
        if let (OperationKind::Refund, Some(id)) = (operation.kind, &record.order.payment_intent) {
            self.books
                .heal(id, AnomalyKind::MissingTicket, self.clock.now())
                .await?;
            self.books
                .heal(id, AnomalyKind::OrphanedTicket, self.clock.now())
                .await?;
        }
        // Last, because nobody comes back to an operation that is done.
        self.done(operation).await
    }

    /// Whether an intent may still be made or changed for the order.
    pub(super) fn may_change(status: PaymentStatus) -> bool {
        matches!(
            status,
            PaymentStatus::RequiresPaymentMethod
                | PaymentStatus::RequiresConfirmation
                | PaymentStatus::RequiresAction
        )
    }
}
