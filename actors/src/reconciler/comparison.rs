//! Compares one payment with its order: the domain says what is wrong, this writes it down.

use std::slice;
use std::sync::Arc;

use domain::reconciliation::reconcile;
use domain::{
    AccountId, Anomaly, AnomalyKind, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    PaymentStatus, Timestamp,
};
use persistence::Failure;
use persistence::books::OrderRecord;

use super::{QUESTION_PAUSE, Scanned};
use crate::GatewayError;
use crate::payment::Lane;
use crate::payment::room::Room;

#[derive(Clone)]
pub(crate) struct Comparison {
    pub(crate) room: Arc<Room>,
}

/// What the provider said, and when it was asked. It was true then; by the time it is compared and written down, somebody may
/// have paid.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) intent: PaymentIntent,
    pub(super) asked_at: Timestamp,
}

impl Comparison {
    /// Compares every payment of an account since a time.
    pub(super) async fn account(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Scanned, Failure> {
        let mut scanned = Scanned::default();
        for said in self.list(account, since).await? {
            scanned.add(self.one(&said).await?);
        }
        Ok(scanned)
    }

    pub(super) async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<Said>, Failure> {
        let asked_at = self.room.clock.now();
        let listed = self
            .room
            .gateway
            .list(account, since)
            .await
            .map_err(not_asked)?;
        Ok(listed
            .into_iter()
            .map(|intent| Said { intent, asked_at })
            .collect())
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<Said, GatewayError> {
        let asked_at = self.room.clock.now();
        let intent = self.room.gateway.retrieve(account, id).await?;
        Ok(Said { intent, asked_at })
    }

    /// Compares a payment with its order, if it has one.
    pub(super) async fn one(&self, said: &Said) -> Result<Scanned, Failure> {
        let record = self.record_of(&said.intent).await?;
        self.compare(record.as_ref(), said).await
    }

    /// Asks the provider about an order and compares.
    pub(crate) async fn order(&self, order: OrderId) -> Result<Scanned, Failure> {
        tokio::time::sleep(QUESTION_PAUSE).await;
        let Some(record) = self.room.books.order(order).await? else {
            return Ok(Scanned::default());
        };
        let Some(id) = &record.order.payment_intent else {
            return Ok(Scanned::default());
        };
        let said = self
            .retrieve(&record.order.account, id)
            .await
            .map_err(not_asked)?;
        self.compare(Some(&record), &said).await
    }

    /// Asks the provider about a payment intent that the books do not know.
    pub(crate) async fn stranger(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<Scanned, Failure> {
        let said = match self.retrieve(account, id).await {
            Ok(said) => said,
            // Not there: somebody else's, or never was.
            Err(GatewayError::Refused { .. }) => return Ok(Scanned::default()),
            Err(error) => return Err(not_asked(error)),
        };
        let record = self.record_of(&said.intent).await?;
        self.compare(record.as_ref(), &said).await
    }

    /// No order of ours is behind it.
    pub(super) async fn is_forgotten(&self, said: &Said) -> Result<bool, Failure> {
        Ok(self.record_of(&said.intent).await?.is_none())
    }

    async fn record_of(&self, said: &PaymentIntent) -> Result<Option<OrderRecord>, Failure> {
        match self.room.books.order_by_payment_intent(&said.id).await? {
            Some(record) => Ok(Some(record)),
            None => match said.order {
                Some(order) => self.room.books.order(order).await,
                None => Ok(None),
            },
        }
    }

    /// Writes down what the provider says and what is wrong with it. A disagreement is looked at a second time, in the order's
    /// lane: one that was only work in flight is gone then. So is what an anomaly is open about: it is closed by what the provider
    /// says after it was raised, never by what a node that hung still has in its hands.
    pub(super) async fn compare(
        &self,
        record: Option<&OrderRecord>,
        said: &Said,
    ) -> Result<Scanned, Failure> {
        let open = record.is_some_and(|record| record.captured_at.is_none());
        let undecided = matches!(
            said.intent.status,
            PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
        );
        if open
            && undecided
            && let Some(record) = record
        {
            // What the room can mend by itself is mended, not reported.
            let (order, inside) = (record.order.id, self.room.clone());
            let _ = self
                .room
                .desk
                .run(Lane::Order(order), async move {
                    inside.fulfil(order, &mut None).await
                })
                .await;
            return self.settle(Some(order), said.clone()).await;
        }
        if record.is_none()
            && said.intent.order.is_some()
            && said.intent.status == PaymentStatus::RequiresCapture
        {
            return self.let_go(said).await;
        }
        let agrees = reconcile(record.map(|record| &record.order), &said.intent).is_empty();
        if agrees
            && self
                .room
                .books
                .open_about(&said.intent.id)
                .await?
                .is_empty()
        {
            return self.record(record, said, &[]).await;
        }
        self.settle(record.map(|record| record.order.id), said.clone())
            .await
    }

    /// Captured orders with what one list said of their payments. Nearly all agree and nothing is open about them: these are written
    /// down together, as a rush leaves hundreds a minute. The payments that were found right.
    pub(super) async fn captured(
        &self,
        listed: Vec<(&OrderRecord, Said)>,
    ) -> Result<Vec<PaymentIntent>, Failure> {
        let Some(asked_at) = listed.first().map(|(_, said)| said.asked_at) else {
            return Ok(Vec::new());
        };
        let (books, now) = (&self.room.books, self.room.clock.now());
        let ids: Vec<PaymentIntentId> = listed
            .iter()
            .map(|(_, said)| said.intent.id.clone())
            .collect();
        let reported = books.reported(&ids).await?;
        let (mut right, mut doubted) = (Vec::new(), Vec::new());
        for (record, said) in listed {
            let agrees = reconcile(Some(&record.order), &said.intent).is_empty()
                && nameless(record, now).is_none();
            if agrees && !reported.contains(&said.intent.id) {
                right.push(said.intent);
            } else {
                doubted.push((record, said));
            }
        }
        books.witness(&right, asked_at).await?;
        for (record, said) in doubted {
            if self.compare(Some(record), &said).await?.unsettled == 0 {
                right.push(said.intent);
            }
        }
        Ok(right)
    }

    /// Authorised for an order of ours that the books forgot, and not taken yet: nobody can say any more what was promised, so
    /// nobody is charged. An order is in the books before its intent is made, so it cannot be one that is only on its way.
    async fn let_go(&self, said: &Said) -> Result<Scanned, Failure> {
        let Said { intent, .. } = said;
        tracing::warn!(payment_intent.id = %intent.id, "an authorisation of a forgotten order is cancelled");
        let asked_at = self.room.clock.now();
        let key = format!("forgotten-{}", intent.id);
        let intent = self
            .room
            .gateway
            .cancel(&key, &intent.account, &intent.id)
            .await
            .map_err(not_asked)?;
        self.record(None, &Said { intent, asked_at }, &[]).await
    }

    async fn settle(&self, order: Option<OrderId>, said: Said) -> Result<Scanned, Failure> {
        let Some(order) = order else {
            let open = self.room.books.open_about(&said.intent.id).await?;
            let said = self
                .retrieve(&said.intent.account, &said.intent.id)
                .await
                .map_err(not_asked)?;
            return self.record(None, &said, &open).await;
        };
        let this = self.clone();
        let work = async move {
            let open = this.room.books.open_about(&said.intent.id).await?;
            let mut record = this.room.books.order(order).await?;
            let said = this
                .retrieve(&said.intent.account, &said.intent.id)
                .await
                .map_err(not_asked)?;
            // A payment of a stranger's may bear our order's name: its bank moves nothing of ours.
            let is_its_own = |record: &&OrderRecord| {
                record.order.payment_intent.as_ref() == Some(&said.intent.id)
            };
            let captured = record
                .as_ref()
                .filter(is_its_own)
                .filter(|record| record.order.state == OrderState::Captured);
            if said.intent.disputed
                && let Some(captured) = captured
                && this.room.release_disputed(captured).await?
            {
                record = this.room.books.order(order).await?;
            }
            this.record(record.as_ref(), &said, &open).await
        };
        let settled = self.room.desk.run(Lane::Order(order), work).await;
        settled.unwrap_or_else(|| Err(Failure::NotWritten("too much payment work".into())))
    }

    /// `open`: the anomalies that were open before the provider and the books were asked.
    async fn record(
        &self,
        record: Option<&OrderRecord>,
        said: &Said,
        open: &[u128],
    ) -> Result<Scanned, Failure> {
        let (books, now) = (&self.room.books, self.room.clock.now());
        let Said {
            intent: said,
            asked_at,
        } = said;
        books.witness(slice::from_ref(said), *asked_at).await?;
        if said.disputed {
            // Its club reads of it.
            self.room.nudges.mail.notify_one();
        }
        let mut scanned = Scanned {
            checked: 1,
            ..Scanned::default()
        };
        let mut found = reconcile(record.map(|record| &record.order), said);
        found.extend(record.and_then(|record| nameless(record, now)));
        // Money without tickets that the room will mend, or has reported: our side is going to change, theirs need not.
        let taken = said.is_taken() && !said.is_refunded();
        let under_way = taken && record.is_some_and(|record| record.captured_at.is_none());
        scanned.unsettled = u64::from(under_way || !found.is_empty());
        for anomaly in &found {
            if books.raise(anomaly, Some(said.amount), now).await? {
                tracing::error!(payment_intent.id = %said.id, kind = ?anomaly.kind, anomaly.note, "an anomaly was raised");
                scanned.raised += 1;
            }
        }
        if scanned.unsettled == 0 && !open.is_empty() {
            scanned.healed += books.heal_known(open, now).await?;
        }
        Ok(scanned)
    }
}

fn not_asked(error: GatewayError) -> Failure {
    Failure::NotWritten(format!("the provider could not be asked: {error}"))
}

/// Tickets whose buyer left no address for this long are a person's to find (decision C-11).
pub(super) const NAMELESS_MS: i64 = 600_000;

fn nameless(record: &OrderRecord, now: Timestamp) -> Option<Anomaly> {
    let long_ago = record
        .captured_at
        .is_some_and(|at| now.ms_since(at) > NAMELESS_MS);
    let nameless =
        record.order.state == OrderState::Captured && record.buyer.email.is_none() && long_ago;
    nameless.then(|| Anomaly {
        kind: AnomalyKind::OrphanedTicket,
        payment_intent: record.order.payment_intent.clone(),
        order: Some(record.order.id),
        note: "the tickets are paid but their buyer left no address".into(),
    })
}
