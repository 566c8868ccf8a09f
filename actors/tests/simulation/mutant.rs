//! Mutants: the engine with one guard removed by the simulated stores and clients. The simulation
//! must detect every mutant.

use actors::NewIntent;
use domain::{
    AbandonReason, AccountId, Cents, Draw, DrawId, FeePolicy, OrderEndCause, OrderId, OrderState,
    PaymentIntentId, Timestamp,
};
use persistence::Failure;
use persistence::ledger::{DrawClaims, DrawCommit};
use persistence::stores::OutboxStore;
use persistence::stores::{Operation, OperationKind, OrderRecord, StoredWebhookEvent};

use super::plan::MINUTE_MS;
use super::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// The engine without a removed guard.
    None,
    /// Kick-off is not enforced: the process's clock is ten minutes behind, and the ledger does not
    /// compare its own clock.
    KickOffUnchecked,
    /// The store reports a repeated webhook as new.
    RepeatedWebhookIsNew,
    /// A captured order is read as not captured, and its mail has no dedupe key. So every entry
    /// point sends a mail.
    CaptureForgotten,
    /// The ledger accepts a commit with an outdated epoch.
    FenceIgnored,
    /// The application fee is computed when the payment intent is created, not when it is captured.
    FeeAtCreation,
    /// A cancellation is recorded as done but not sent to the provider.
    CancellationNotSent,
    /// A failed capture is not retried.
    CaptureNotRetried,
    /// The payment intent of an order with an expired reservation is not cancelled.
    ExpiredOrderNotCancelled,
    /// The account of a payment is not checked, so a payment to another account pays for the order
    /// that it names.
    AccountUnchecked,
    /// Each attempt to capture uses a new idempotency key.
    CaptureKeyUnstable,
    /// A commit whose answer is lost is treated as not written, and the ledger does not compare
    /// revisions.
    LostAnswerTreatedAsFailure,
    /// A node claims draws while their owner's lease is valid.
    LeaseIgnored,
    /// A refund returns a proportional part of its payment's fee, instead of the reduction of the
    /// draw's fee.
    FeeRefundProportional,
    /// All commands of one batch are answered as written, even if the database reports a failure.
    BatchFailureIgnored,
    /// After a takeover, both the node and the ledger have lost the event that the deal became
    /// public.
    RevealForgotten,
}

impl Mutant {
    pub const ALL: [Mutant; 15] = [
        Mutant::KickOffUnchecked,
        Mutant::RepeatedWebhookIsNew,
        Mutant::CaptureForgotten,
        Mutant::FenceIgnored,
        Mutant::FeeAtCreation,
        Mutant::CancellationNotSent,
        Mutant::CaptureNotRetried,
        Mutant::ExpiredOrderNotCancelled,
        Mutant::AccountUnchecked,
        Mutant::CaptureKeyUnstable,
        Mutant::LostAnswerTreatedAsFailure,
        Mutant::LeaseIgnored,
        Mutant::FeeRefundProportional,
        Mutant::BatchFailureIgnored,
        Mutant::RevealForgotten,
    ];

    pub fn mutate_appends(self, world: &World, appends: Vec<DrawCommit>) -> Vec<DrawCommit> {
        let draw = appends[0].draw;
        let first = match self {
            Mutant::FenceIgnored | Mutant::LostAnswerTreatedAsFailure => {
                world.memory.draw(draw).as_ref().map(Draw::revision)
            }
            _ => None,
        };
        let first = first.unwrap_or(appends[0].after);
        let mutated = |(place, append): (u64, DrawCommit)| match self {
            Mutant::KickOffUnchecked => DrawCommit {
                sells: false,
                ..append
            },
            Mutant::FenceIgnored => DrawCommit {
                epoch: world.monitor.newest_epoch(draw),
                after: first + place,
                ..append
            },
            Mutant::LostAnswerTreatedAsFailure => DrawCommit {
                after: first + place,
                ..append
            },
            _ => append,
        };
        (0..).zip(appends).map(mutated).collect()
    }

    /// Called before draws are claimed. `RevealForgotten` makes the store forget that the deals of
    /// these draws are public.
    pub fn mutate_store_before_claim(self, world: &World, draws: &[DrawId]) {
        if self == Mutant::RevealForgotten {
            for draw in draws {
                world.memory.clear_revealed_flag(*draw);
            }
        }
    }

    pub fn mutate_claims(
        self,
        world: &World,
        claims: Result<DrawClaims, Failure>,
    ) -> Result<DrawClaims, Failure> {
        let mut claims = claims?;
        if self == Mutant::LeaseIgnored {
            let elsewhere = std::mem::take(&mut claims.elsewhere);
            claims.taken.extend(
                elsewhere
                    .iter()
                    .filter_map(|one| world.memory.remove_owner_despite_lease(one.view.draw)),
            );
        }
        Ok(claims)
    }

    /// Returns the result of its commit that the actor is told. Two mutants falsify it.
    pub fn mutate_commit_answer(
        self,
        appends: &[DrawCommit],
        written: Result<(), Failure>,
    ) -> Result<(), Failure> {
        match written {
            Err(_) if self == Mutant::BatchFailureIgnored && appends.len() > 1 => Ok(()),
            Err(Failure::Unknown(why)) if self == Mutant::LostAnswerTreatedAsFailure => {
                Err(Failure::NotWritten(why))
            }
            _ => written,
        }
    }

    pub fn clock_skew_ms(self) -> Option<i64> {
        (self == Mutant::KickOffUnchecked).then_some(-10 * MINUTE_MS as i64)
    }

    pub fn remember_fee_at_creation(self, world: &World, id: &PaymentIntentId, new: &NewIntent) {
        if self == Mutant::FeeAtCreation {
            let draws = world.memory.draws();
            let orders = world.memory.orders();
            let lines = orders
                .iter()
                .find(|record| record.order.id == new.order)
                .map(|record| &record.order.lines);
            let fee = lines.into_iter().flatten().map(|line| {
                let draw = draws.iter().find(|draw| draw.id() == line.draw);
                let (policy, revenue) = draw.map_or((FeePolicy::DEFAULT, Cents::ZERO), |d| {
                    (d.fee_policy(), d.revenue())
                });
                policy.fee_on_revenue(revenue + line.subtotal()) - policy.fee_on_revenue(revenue)
            });
            let fee = fee.sum();
            world.mutant_state().fees.insert(id.clone(), fee);
        }
    }

    pub fn fee_at_creation(self, world: &World, id: &PaymentIntentId) -> Option<Cents> {
        world.mutant_state().fees.get(id).copied()
    }

    /// Returns the idempotency key that is sent with a capture. `CaptureKeyUnstable` makes a new
    /// key for each attempt.
    pub fn mutate_capture_key(self, world: &World, key: &str) -> String {
        match self {
            Mutant::CaptureKeyUnstable => format!("{key}-{}", world.trace.event_count()),
            _ => key.into(),
        }
    }

    /// Returns the proportional part of the payment's fee that `FeeRefundProportional` refunds
    /// together with `amount`. `None`: another mutant, or nothing to refund.
    pub fn proportional_fee_of_refund(
        self,
        world: &World,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Option<Cents> {
        let intent = world
            .provider
            .intent(id)
            .filter(|_| self == Mutant::FeeRefundProportional)?;
        let part = intent.said.application_fee.0 * amount.0 / intent.said.amount_received.0.max(1);
        (part > 0).then_some(Cents(part))
    }

    pub fn skips_cancellation(self, world: &World, id: &PaymentIntentId) -> bool {
        let lapsed = || {
            let orders = world.memory.orders();
            let order = orders
                .iter()
                .find(|record| record.order.payment_intent.as_ref() == Some(id));
            order
                .and_then(|record| record.reason.as_ref())
                .is_some_and(|reason| {
                    reason.cause() == OrderEndCause::Abandoned(AbandonReason::ReservationLapsed)
                })
        };
        self == Mutant::CancellationNotSent
            || (self == Mutant::ExpiredOrderNotCancelled && lapsed())
    }

    pub fn allows_operation_claim(self, operation: &Operation) -> bool {
        self != Mutant::CaptureNotRetried
            || operation.kind != OperationKind::Capture
            || operation.attempts <= 1
    }

    pub fn mutate_webhook_event(
        self,
        world: &World,
        notice: &StoredWebhookEvent,
    ) -> StoredWebhookEvent {
        match self {
            Mutant::RepeatedWebhookIsNew => {
                let event_id = format!("{}-{}", notice.event_id, world.trace.event_count());
                StoredWebhookEvent {
                    event_id,
                    ..notice.clone()
                }
            }
            _ => notice.clone(),
        }
    }

    pub fn remember_forged_payment(self, world: &World, notice: &StoredWebhookEvent) {
        if let (Mutant::AccountUnchecked, Some(id)) = (self, &notice.payment_intent)
            && world.monitor.state().forged.contains(id)
            && let Some(said) = world.provider.intent(id).map(|intent| intent.said)
            && let Some(order) = said.order
        {
            world
                .mutant_state()
                .paid_by
                .insert(order, (said.id, said.account));
        }
    }

    /// Returns the order for which a payment of another account is mistakenly accepted.
    pub fn order_of_forged_payment(self, world: &World, id: &PaymentIntentId) -> Option<OrderId> {
        world
            .mutant_state()
            .paid_by
            .iter()
            .find(|(_, (by, _))| by == id)
            .map(|(order, _)| *order)
    }

    pub fn mutate_order_record(self, world: &World, mut record: OrderRecord) -> OrderRecord {
        if self == Mutant::CaptureForgotten && record.order.state == OrderState::Captured {
            record.order.state = OrderState::Allocated;
        }
        if let Some((id, account)) = world.mutant_state().paid_by.get(&record.order.id) {
            record.order.payment_intent = Some(id.clone());
            record.order.account = account.clone();
        }
        record
    }

    /// Called before the store records a capture. If the order already has a mail,
    /// `CaptureForgotten` queues another ticket mail with a new dedupe key.
    pub async fn mail_repeated_capture(
        self,
        world: &World,
        order: OrderId,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let again = || {
            world
                .memory
                .mails()
                .iter()
                .any(|mail| mail.order == Some(order))
        };
        if self == Mutant::CaptureForgotten && again() {
            let key = format!("tickets-{order}-{}", at.0);
            world
                .memory
                .queue_mail(
                    &key,
                    "tickets",
                    Some(order),
                    "somebody@example.org",
                    "{}",
                    at,
                )
                .await?;
        }
        Ok(())
    }
}

/// Data that the mutants remember during a simulation.
#[derive(Default)]
pub struct MutantState {
    /// The application fee that each payment had when it was created.
    fees: std::collections::BTreeMap<PaymentIntentId, Cents>,
    paid_by: std::collections::BTreeMap<OrderId, (PaymentIntentId, AccountId)>,
}
