//! The real thing with one guard taken away, from outside: a simulation that does not notice has not looked.

use actors::NewIntent;
use domain::{Cents, Draw};
use domain::{FeePolicy, OrderId, OrderState, PaymentIntentId, Timestamp};
use persistence::Failure;
use persistence::books::{Books, Notice, Operation, OperationKind, OrderRecord};
use persistence::ledger::Append;

use super::plan::MINUTE;
use super::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// The house as it is.
    None,
    /// Kick-off is not checked: the process's clock is ten minutes late, and the ledger does not look at its own.
    KickOffUnchecked,
    /// A doubled notice is taken for a new one.
    NoticeTwice,
    /// An order does not know any more that it was captured, and its mail has no dedupe key: every door sends one.
    CapturedTwice,
    /// A commit of an earlier owner is taken like the owner's own.
    FenceIgnored,
    /// The application fee is computed when the payment intent is made.
    FeeAtCreation,
    /// Cancelling at the provider is believed without being done.
    CancelIsOnlyBelieved,
    /// A capture is tried once.
    CaptureTriedOnce,
}

impl Mutant {
    pub const ALL: [Mutant; 7] = [
        Mutant::KickOffUnchecked,
        Mutant::NoticeTwice,
        Mutant::CapturedTwice,
        Mutant::FenceIgnored,
        Mutant::FeeAtCreation,
        Mutant::CancelIsOnlyBelieved,
        Mutant::CaptureTriedOnce,
    ];

    pub fn append(self, world: &World, append: Append) -> Append {
        match self {
            Mutant::KickOffUnchecked => Append { sells: false, ..append },
            Mutant::FenceIgnored => {
                let draws = world.memory.draws();
                let now = draws.iter().find(|draw| draw.id() == append.draw).map_or(append.after, Draw::revision);
                Append { epoch: world.watch.epoch(append.draw), after: now, ..append }
            }
            _ => append,
        }
    }

    pub fn skew_ms(self) -> Option<i64> {
        (self == Mutant::KickOffUnchecked).then_some(-10 * MINUTE as i64)
    }

    pub fn created(self, world: &World, id: &PaymentIntentId, new: &NewIntent) {
        if self == Mutant::FeeAtCreation {
            let draws = world.memory.draws();
            let orders = world.memory.orders();
            let lines = orders.iter().find(|record| record.order.id == new.order).map(|record| &record.order.lines);
            let fee = lines.into_iter().flatten().map(|line| {
                let draw = draws.iter().find(|draw| draw.id() == line.draw);
                let (policy, revenue) =
                    draw.map_or((FeePolicy::DEFAULT, Cents::ZERO), |d| (d.fee_policy(), d.revenue()));
                policy.on(revenue + line.subtotal()) - policy.on(revenue)
            });
            let fee = fee.sum();
            world.kept_fees().insert(id.clone(), fee);
        }
    }

    pub fn fee(self, world: &World, id: &PaymentIntentId) -> Option<Cents> {
        world.kept_fees().get(id).copied()
    }

    pub fn lets_claim(self, operation: &Operation) -> bool {
        self != Mutant::CaptureTriedOnce || operation.kind != OperationKind::Capture || operation.attempts <= 1
    }

    pub fn notice(self, world: &World, notice: &Notice) -> Notice {
        match self {
            Mutant::NoticeTwice => {
                let event_id = format!("{}-{}", notice.event_id, world.trace.events());
                Notice { event_id, ..notice.clone() }
            }
            _ => notice.clone(),
        }
    }

    pub fn recalled(self, mut record: OrderRecord) -> OrderRecord {
        if self == Mutant::CapturedTwice && record.order.state == OrderState::Captured {
            record.order.state = OrderState::Allocated;
        }
        record
    }

    /// Before the books are asked the same.
    pub async fn captured(self, world: &World, order: OrderId, at: Timestamp) -> Result<(), Failure> {
        let again = || world.memory.mails().iter().any(|mail| mail.order == Some(order));
        if self == Mutant::CapturedTwice && again() {
            let key = format!("tickets-{order}-{}", at.0);
            world.memory.queue_mail(&key, "tickets", Some(order), "somebody@example.org", "{}", at).await?;
        }
        Ok(())
    }
}
