//! The handle to what went wrong with money: found by itself, looked for on demand, resolved by a person.

use std::sync::Arc;

use domain::{DrawId, PaymentIntentId, Refusal, Serial};
use persistence::Failure;
use persistence::books::{AnomalyRecord, OrderRecord};
use persistence::ledger::BuyerDetails;
use persistence::records::audit::Entry;
use thiserror::Error;
use tracing::Instrument;

use crate::payment::room::Room;
use crate::payment::strangers::Returned;
use crate::reconciler::{Comparison, Reconciler, Scanned};

const HOUR_MS: i64 = 3_600_000;
/// As far back as a scan looks: thirty days (decision I-3).
const HOURS_MAX: u32 = 720;

/// Asks the payment actor and the reconciler. Cheap to clone.
#[derive(Clone)]
pub struct Anomalies {
    room: Arc<Room>,
    reconciler: Reconciler,
    act: Option<Arc<Entry>>,
}

/// How many anomalies there ever were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnomalyCounts {
    pub total: u64,
    pub unresolved: u64,
    /// By a person, or healed by itself.
    pub resolved: u64,
}

impl AnomalyCounts {
    /// Whole percent, half up; 100 when there never was one (C:69, decision I-4).
    pub fn success_rate(&self) -> u64 {
        match self.total {
            0 => 100,
            total => (self.resolved * 200 + total) / (total * 2),
        }
    }
}

/// Why a person's repair was not made. Nothing was charged, sold or changed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unresolved {
    /// No such payment or ticket of ours, or nothing was taken with it.
    #[error("nothing of ours is known by this name")]
    Unknown,
    /// The money went back, is on its way, or somebody gives it back at this moment.
    #[error("the payment was refunded")]
    Refunded,
    /// The draw says no: full, over, or not authorised before kick-off (rule 5). A refund is what is left.
    #[error("the tickets cannot be allocated: {0}")]
    Refused(Refusal),
    /// The amount is not that of any tickets it names.
    #[error("the amount does not match the tickets")]
    Mismatch,
    /// The payment is its order's own and holds tickets, or is being given some: the order is what is refunded.
    #[error("the payment has its tickets")]
    HasTickets,
    /// The ticket has a buyer already.
    #[error("the ticket has a buyer")]
    HasBuyer,
    /// The result is entered and the ticket carries it: a second person has to approve (decision I-8).
    #[error("the winning ticket needs a second approval")]
    NeedsApproval,
    /// Safe to ask again.
    #[error("payments are unavailable, try again")]
    Unavailable,
}

impl From<Failure> for Unresolved {
    fn from(failure: Failure) -> Unresolved {
        tracing::warn!(%failure, "an anomaly is resolved later");
        Unresolved::Unavailable
    }
}

impl Anomalies {
    pub(crate) fn new(room: Arc<Room>, reconciler: Reconciler) -> Anomalies {
        Anomalies {
            room,
            reconciler,
            act: None,
        }
    }

    /// A handle that signs: a repair stands in the audit log with the entry, in the same transaction.
    #[must_use]
    pub fn by(&self, act: Entry) -> Anomalies {
        Anomalies {
            act: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Newest first.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn list(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        self.room.books.anomalies(only_open, limit).await
    }

    /// # Errors
    /// The books could not be read.
    pub async fn counts(&self) -> Result<AnomalyCounts, Failure> {
        let (total, unresolved) = self.room.books.anomaly_counts().await?;
        Ok(AnomalyCounts {
            total,
            unresolved,
            resolved: total.saturating_sub(unresolved),
        })
    }

    /// Compares the last hour with the provider, and heals what can be healed (decision I-3).
    ///
    /// # Errors
    /// As of [`Reconciler::scan`].
    pub async fn check(&self) -> Result<Scanned, Failure> {
        self.scan(1).await
    }

    /// Compares the last hours, 1 to 720; only new anomalies count (decision I-3).
    ///
    /// # Errors
    /// As of [`Reconciler::scan`].
    pub async fn scan(&self, hours_back: u32) -> Result<Scanned, Failure> {
        let hours = i64::from(hours_back.clamp(1, HOURS_MAX));
        self.reconciler
            .scan(self.room.clock.now().plus_ms(-hours * HOUR_MS))
            .await
    }

    /// "Mark Resolved" by somebody; the same about the same payment does not come back. A paused draw whose anomaly it is goes
    /// on, here at once and on another node within seconds. `false`: no such one is open.
    ///
    /// # Errors
    /// Not written.
    pub async fn resolve(&self, anomaly: u128, by: &str) -> Result<bool, Failure> {
        let resolved = self
            .room
            .books
            .resolve(anomaly, &format!("by {by}"), self.room.clock.now())
            .await;
        self.room.draws.look();
        resolved
    }

    /// Gives a payment that was taken without tickets its tickets, when it was authorised before kick-off and no result was
    /// entered (rule 5, decision I-2); also one of an order that the books forgot, by what its metadata say. `token` is the
    /// secret of the order page for such an order: 128 random bits, as 32 hexadecimal digits. Asked again: the same.
    ///
    /// # Errors
    /// [`Unresolved`]
    pub async fn allocate_missing(
        &self,
        payment: &PaymentIntentId,
        buyer: BuyerDetails,
        token: String,
    ) -> Result<OrderRecord, Unresolved> {
        let (room, payment, act) = (
            self.room.clone(),
            payment.clone(),
            self.act.as_deref().cloned(),
        );
        // To its end, whether or not the asker waits.
        let work = async move {
            let record = room.allocate_missing(&payment, buyer, token, act).await?;
            // What the payment lacks otherwise, its fee say, a person reads at once and not with the next round.
            let _ = Comparison { room }.order(record.order.id).await;
            Ok(record)
        };
        let allocated = tokio::spawn(work.in_current_span());
        allocated.await.unwrap_or(Err(Unresolved::Unavailable))
    }

    /// Gives a payment back that no order holds: a second one for the same order, or one of an order that is unknown or has
    /// ended. Tickets stay as they are.
    ///
    /// # Errors
    /// `HasTickets`: refund the order instead. `Refunded`, `Unknown`, `Unavailable`.
    pub async fn give_back(&self, payment: &PaymentIntentId) -> Result<Returned, Unresolved> {
        let (room, payment, act) = (
            self.room.clone(),
            payment.clone(),
            self.act.as_deref().cloned(),
        );
        let returned = tokio::spawn(
            async move { room.return_stranger(&payment, act).await }.in_current_span(),
        );
        returned.await.unwrap_or(Err(Unresolved::Unavailable))
    }

    /// Gives an orphaned ticket, one that was paid without leaving an address, its buyer; the confirmation leaves then
    /// (decisions F-3, I-8).
    ///
    /// # Errors
    /// [`Unresolved`]
    pub async fn recover(
        &self,
        draw: DrawId,
        serial: Serial,
        buyer: BuyerDetails,
        approved: bool,
    ) -> Result<OrderRecord, Unresolved> {
        let (room, act) = (self.room.clone(), self.act.as_deref().cloned());
        let recovered =
            tokio::spawn(async move { room.recover(draw, serial, &buyer, approved, act).await });
        recovered.await.unwrap_or(Err(Unresolved::Unavailable))
    }
}

#[cfg(test)]
mod tests {
    use super::AnomalyCounts;

    #[test]
    fn success_is_what_was_resolved_and_nothing_wrong_is_all_of_it() {
        let rate = |resolved, total| {
            AnomalyCounts {
                total,
                unresolved: total - resolved,
                resolved,
            }
            .success_rate()
        };
        assert_eq!(
            [
                rate(0, 0),
                rate(0, 3),
                rate(1, 3),
                rate(2, 3),
                rate(1, 200),
                rate(3, 3)
            ],
            [100, 0, 33, 67, 1, 100]
        );
    }
}
