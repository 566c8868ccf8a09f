//! The one room behind all doors: asks the provider, asks the order what to do next, does it, and asks again until nothing is
//! left to do. Everything here runs in the order's lane.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::{
    Anomaly, AnomalyKind, Authority, OrderId, OrderState, PaymentIntent, PaymentStatus, Refusal,
    order::Next,
};
use persistence::books::{Operation, OperationKind, OrderRecord, Tell};
use persistence::failpoint::{self, Step};
use persistence::{Books, Failure};
use tokio::sync::Notify;

use super::index::Index;
use super::{Desk, Lane};
use crate::{Clock, Draws, FulfilStatus, Fulfilled, Gateway, PaymentFailure, Tally};

/// Steps one visit may take; the longest way there is (allocate, refuse, cancel, release) has six.
const STEPS_MAX: usize = 12;

pub(crate) struct Room {
    pub(crate) draws: Draws,
    pub(crate) books: Arc<dyn Books>,
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) desk: Desk,
    pub(crate) index: Index,
    pub(crate) nudges: Nudges,
    /// Attempts to confirm a payment since this process began: no two of them share a key.
    pub(crate) confirmations: AtomicU64,
    pub(crate) tally: Tally,
}

/// "There is something for you": spares workers from looking all the time.
#[derive(Default)]
pub(crate) struct Nudges {
    pub(crate) operations: Notify,
    pub(crate) mail: Notify,
    pub(crate) notices: Notify,
}

/// It could not be finished now. Whatever was done is written; the next door goes on.
#[derive(Debug)]
pub(super) struct Later;

impl From<Failure> for Later {
    fn from(failure: Failure) -> Later {
        tracing::warn!(%failure, "payment work goes on later");
        Later
    }
}

/// One visit to the room.
pub(super) struct Visit {
    pub(super) record: OrderRecord,
    pub(super) said: PaymentIntent,
    /// An operation the visitor claimed before it came in.
    pub(super) held: Option<Operation>,
    /// This visit made the commit that allocated the order's only line, and with it the capture operation.
    pub(super) allocated: bool,
}

impl Room {
    /// Runs work in an order's lane.
    pub(crate) fn in_lane<T: Send + 'static>(
        &self,
        order: OrderId,
        work: impl Future<Output = Result<T, PaymentFailure>> + Send + 'static,
    ) -> impl Future<Output = Result<T, PaymentFailure>> + Send {
        let worked = self.desk.run(Lane::Order(order), work);
        async move { worked.await.unwrap_or(Err(PaymentFailure::Unavailable)) }
    }

    pub(super) async fn record(&self, order: OrderId) -> Result<OrderRecord, PaymentFailure> {
        match self.books.order(order).await {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(PaymentFailure::OrderUnknown),
            Err(failure) => {
                tracing::warn!(%failure, order.id = %order, "an order could not be read");
                Err(PaymentFailure::Unavailable)
            }
        }
    }

    /// Fulfils an order as far as it goes now. `held`: an operation claimed before, left in place if it was not needed.
    pub(crate) async fn fulfil(
        &self,
        order: OrderId,
        held: &mut Option<Operation>,
    ) -> Result<Fulfilled, PaymentFailure> {
        let record = self.record(order).await?;
        if let Some(status) = decided(&record) {
            return Ok(Fulfilled { record, status });
        }
        let Some(id) = record.order.payment_intent.clone() else {
            return self.unmade(record).await;
        };
        let said = match failpoint::around(
            Step::Ask,
            self.gateway.retrieve(&record.order.account, &id),
        )
        .await
        {
            Ok(said) => said,
            Err(error) => {
                tracing::warn!(%error, payment_intent.id = %id, "the provider could not be asked");
                return Err(PaymentFailure::Unavailable);
            }
        };
        let mut visit = Visit {
            record,
            said,
            held: held.take(),
            allocated: false,
        };
        let stayed = self.stay(&mut visit).await;
        *held = visit.held;
        let status = match stayed {
            Ok(Some(status)) => status,
            Ok(None) => return Err(PaymentFailure::Mismatch),
            Err(Later) => {
                decided(&visit.record).unwrap_or_else(|| under_way(&visit.record, &visit.said))
            }
        };
        Ok(Fulfilled {
            record: visit.record,
            status,
        })
    }

    /// Does one thing after the other until nothing is left. `None`: the intent is not this order's.
    async fn stay(&self, visit: &mut Visit) -> Result<Option<FulfilStatus>, Later> {
        for _ in 0..STEPS_MAX {
            match visit.record.order.decide(&visit.said) {
                Next::Wait | Next::Done => {
                    return Ok(Some(
                        decided(&visit.record)
                            .unwrap_or_else(|| under_way(&visit.record, &visit.said)),
                    ));
                }
                Next::Allocate => match self
                    .allocate(&mut visit.record, Authority::Sale, &mut None)
                    .await?
                {
                    Ok(now) => visit.allocated = now,
                    Err(refusal) if self.reject(visit, &refusal.to_string()).await? => {}
                    // What the provider said before is old: the next door goes on.
                    Err(_) => return Err(Later),
                },
                Next::Capture => self.capture(visit).await?,
                Next::Record => self.captured(visit).await?,
                Next::Cancel => self.cancel(visit).await?,
                Next::Release => self.released(visit).await?,
                Next::Void => self.voided(visit).await?,
                Next::Repair => self.repair(visit).await?,
                Next::Mismatch => {
                    if !self.mismatch(visit).await? {
                        return Ok(None);
                    }
                }
            }
        }
        tracing::error!(order.id = %visit.record.order.id, "an order does not come to rest");
        Err(Later)
    }

    /// The order is refused: that is written, then what it holds goes back to the draws, and its authorisation is cancelled.
    /// Another node may have given it all its tickets while we asked, and its money back too: then (`false`) it is not refused any
    /// more, nothing goes back, and the books say what to tell the buyer.
    pub(super) async fn reject(&self, visit: &mut Visit, reason: &str) -> Result<bool, Later> {
        let order = visit.record.order.id;
        self.books
            .rejecting(order, reason, self.clock.now())
            .await?;
        visit.record = self.books.order(order).await?.ok_or(Later)?;
        if visit.record.order.state != OrderState::Rejecting {
            return Ok(false);
        }
        self.nudges.operations.notify_one();
        // Whatever is cut off here is given back once more before the order is over.
        self.give_back(&visit.record).await?;
        visit.record.tickets.clear();
        Ok(true)
    }

    /// Money was taken without tickets: by hand at the provider, or before a backup was restored. Tickets if that may still be,
    /// and else the money back (decision C-9). Somebody hears of it either way.
    async fn repair(&self, visit: &mut Visit) -> Result<(), Later> {
        let order = visit.record.order.id;
        if visit.said.is_refunded() {
            // Some of its lines may have had their tickets before another was refused.
            self.give_back(&visit.record).await?;
            return self.repaired(visit, "the payment was refunded").await;
        }
        self.raise(
            visit,
            AnomalyKind::MissingTicket,
            "the payment was taken before the order had its tickets",
        )
        .await?;
        // A buyer who was told "not charged" must be right.
        let refused = if visit.record.order.state == OrderState::Quoted {
            let authorised_at = visit
                .record
                .authorised_at
                .unwrap_or_else(|| self.clock.now());
            self.allocate(
                &mut visit.record,
                Authority::Repair { authorised_at },
                &mut None,
            )
            .await?
            .err()
        } else {
            Some(Refusal::DrawClosed)
        };
        let Some(refusal) = refused else {
            self.books
                .heal(&visit.said.id, AnomalyKind::MissingTicket, self.clock.now())
                .await?;
            return Ok(());
        };
        self.give_back(&visit.record).await?;
        let amount = visit.said.amount_received - visit.said.amount_refunded;
        // A payment that was captured past us has no fee. One that another node captured, while this one was giving the tickets
        // back, has theirs, which the draws have forgotten.
        let fee = visit.said.application_fee - visit.said.application_fee_refunded;
        self.books
            .refunding(order, amount, fee, &refusal.to_string())
            .await?;
        self.nudges.operations.notify_one();
        self.repaired(visit, &refusal.to_string()).await
    }

    /// The money went back or is on its way.
    async fn repaired(&self, visit: &mut Visit, reason: &str) -> Result<(), Later> {
        self.books
            .voided(
                visit.record.order.id,
                reason,
                Tell::Nobody,
                self.clock.now(),
            )
            .await?;
        visit.record.order.state = OrderState::Void;
        visit.record.reason.get_or_insert_with(|| reason.into());
        visit.record.tickets.clear();
        Ok(())
    }

    /// The intent differs from the order. An amount that was changed while the buyer was paying ends without a charge; anything
    /// else is for a person, and `false`.
    async fn mismatch(&self, visit: &mut Visit) -> Result<bool, Later> {
        let (order, said) = (&visit.record.order, &visit.said);
        let ours = said.account == order.account
            && said.order == Some(order.id)
            && order.payment_intent.as_ref() == Some(&said.id);
        if ours
            && order.state == OrderState::Quoted
            && said.status == PaymentStatus::RequiresCapture
        {
            let refused = self
                .reject(visit, "the order changed while it was being paid")
                .await?;
            return if refused { Ok(true) } else { Err(Later) };
        }
        self.raise(
            visit,
            AnomalyKind::MismatchedAmount,
            "amount, currency, account or order differ from ours",
        )
        .await?;
        Ok(false)
    }

    pub(super) async fn raise(
        &self,
        visit: &Visit,
        kind: AnomalyKind,
        note: &str,
    ) -> Result<(), Later> {
        let anomaly = Anomaly {
            kind,
            payment_intent: Some(visit.said.id.clone()),
            order: Some(visit.record.order.id),
            note: note.into(),
        };
        let new = self
            .books
            .raise(&anomaly, Some(visit.said.amount), self.clock.now())
            .await?;
        if new {
            tracing::error!(order.id = %visit.record.order.id, ?kind, note, "an anomaly was raised");
        }
        Ok(())
    }

    /// Claims the order's operation of a kind, unless the visitor brought it.
    pub(super) async fn claim(
        &self,
        visit: &mut Visit,
        kind: OperationKind,
    ) -> Result<Operation, Later> {
        if let Some(operation) = visit.held.take_if(|held| held.kind == kind) {
            return Ok(operation);
        }
        self.claim_of(visit.record.order.id, kind)
            .await?
            .ok_or(Later)
    }
}

/// What an order comes to whatever the provider says.
fn decided(record: &OrderRecord) -> Option<FulfilStatus> {
    match record.order.state {
        OrderState::Captured => Some(FulfilStatus::Succeeded),
        OrderState::Void if record.captured_at.is_some() => Some(FulfilStatus::Refunding),
        _ => None,
    }
}

/// What to tell the buyer of an order that is not decided, or whose decision is still being carried out.
fn under_way(record: &OrderRecord, said: &PaymentIntent) -> FulfilStatus {
    match record.order.state {
        OrderState::Void if said.is_taken() => FulfilStatus::Refunding,
        OrderState::Rejecting | OrderState::Released | OrderState::Void => {
            FulfilStatus::NotCharged {
                reason: record.reason.clone().unwrap_or_default(),
            }
        }
        OrderState::Quoted
            if !matches!(
                said.status,
                PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
            ) =>
        {
            FulfilStatus::Waiting
        }
        _ => FulfilStatus::Processing,
    }
}
