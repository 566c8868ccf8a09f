//! The real thing with one guard taken away, from outside: a simulation that does not notice has not looked.

use actors::NewIntent;
use domain::{AccountId, Cents, Draw, FeePolicy, OrderId, OrderState, PaymentIntentId, Timestamp};
use persistence::Failure;
use persistence::books::{Books, Notice, Operation, OperationKind, OrderRecord};
use persistence::ledger::{Append, Claims};

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
    /// The payment intent of an order whose reservation lapsed is not cancelled.
    ExpiryDoesNotCancel,
    /// A notice is believed whatever account it is of: its payment is taken for the order's it names.
    AccountUnchecked,
    /// Each attempt to capture has a key of its own.
    CaptureKeyUnstable,
    /// A commit without an answer is taken for one that was not made, and the ledger does not compare revisions.
    LostAnswerIsFailure,
    /// A node takes the draws of others, whatever leases run.
    LeaseIgnored,
    /// A refund takes back the fee of its own payment, instead of what the draw's fee went down by.
    RefundProportional,
    /// Commands that are written together are answered as if they were written, whatever the books say.
    TogetherIsBelieved,
}

impl Mutant {
    pub const ALL: [Mutant; 14] = [
        Mutant::KickOffUnchecked,
        Mutant::NoticeTwice,
        Mutant::CapturedTwice,
        Mutant::FenceIgnored,
        Mutant::FeeAtCreation,
        Mutant::CancelIsOnlyBelieved,
        Mutant::CaptureTriedOnce,
        Mutant::ExpiryDoesNotCancel,
        Mutant::AccountUnchecked,
        Mutant::CaptureKeyUnstable,
        Mutant::LostAnswerIsFailure,
        Mutant::LeaseIgnored,
        Mutant::RefundProportional,
        Mutant::TogetherIsBelieved,
    ];

    pub fn appends(self, world: &World, appends: Vec<Append>) -> Vec<Append> {
        let draw = appends[0].draw;
        let first = match self {
            Mutant::FenceIgnored | Mutant::LostAnswerIsFailure => {
                world.memory.draw(draw).as_ref().map(Draw::revision)
            }
            _ => None,
        };
        let first = first.unwrap_or(appends[0].after);
        let mutated = |(place, append): (u64, Append)| match self {
            Mutant::KickOffUnchecked => Append {
                sells: false,
                ..append
            },
            Mutant::FenceIgnored => Append {
                epoch: world.watch.epoch(draw),
                after: first + place,
                ..append
            },
            Mutant::LostAnswerIsFailure => Append {
                after: first + place,
                ..append
            },
            _ => append,
        };
        (0..).zip(appends).map(mutated).collect()
    }

    pub fn claim(self, world: &World, claims: Result<Claims, Failure>) -> Result<Claims, Failure> {
        let mut claims = claims?;
        if self == Mutant::LeaseIgnored {
            let elsewhere = std::mem::take(&mut claims.elsewhere);
            claims.taken.extend(
                elsewhere
                    .iter()
                    .filter_map(|one| world.memory.steal(one.view.draw)),
            );
        }
        Ok(claims)
    }

    /// What the actor hears of its commit.
    pub fn answer(self, appends: &[Append], written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(_) if self == Mutant::TogetherIsBelieved && appends.len() > 1 => Ok(()),
            Err(Failure::Unknown(why)) if self == Mutant::LostAnswerIsFailure => {
                Err(Failure::NotWritten(why))
            }
            _ => written,
        }
    }

    pub fn skew_ms(self) -> Option<i64> {
        (self == Mutant::KickOffUnchecked).then_some(-10 * MINUTE as i64)
    }

    pub fn created(self, world: &World, id: &PaymentIntentId, new: &NewIntent) {
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
                policy.on(revenue + line.subtotal()) - policy.on(revenue)
            });
            let fee = fee.sum();
            world.kept().fees.insert(id.clone(), fee);
        }
    }

    pub fn fee(self, world: &World, id: &PaymentIntentId) -> Option<Cents> {
        world.kept().fees.get(id).copied()
    }

    /// The key of a capture.
    pub fn key(self, world: &World, key: &str) -> String {
        match self {
            Mutant::CaptureKeyUnstable => format!("{key}-{}", world.trace.events()),
            _ => key.into(),
        }
    }

    /// The part of a payment's own fee that goes back with so much of its money.
    pub fn fee_with_refund(
        self,
        world: &World,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Option<Cents> {
        let intent = world
            .provider
            .intent(id)
            .filter(|_| self == Mutant::RefundProportional)?;
        let part = intent.said.application_fee.0 * amount.0 / intent.said.amount_received.0.max(1);
        (part > 0).then_some(Cents(part))
    }

    pub fn only_believes(self, world: &World, id: &PaymentIntentId) -> bool {
        let lapsed = || {
            let orders = world.memory.orders();
            let order = orders
                .iter()
                .find(|record| record.order.payment_intent.as_ref() == Some(id));
            order
                .and_then(|record| record.reason.as_ref())
                .is_some_and(|reason| reason.contains("lapsed"))
        };
        self == Mutant::CancelIsOnlyBelieved || (self == Mutant::ExpiryDoesNotCancel && lapsed())
    }

    pub fn lets_claim(self, operation: &Operation) -> bool {
        self != Mutant::CaptureTriedOnce
            || operation.kind != OperationKind::Capture
            || operation.attempts <= 1
    }

    pub fn notice(self, world: &World, notice: &Notice) -> Notice {
        match self {
            Mutant::NoticeTwice => {
                let event_id = format!("{}-{}", notice.event_id, world.trace.events());
                Notice {
                    event_id,
                    ..notice.clone()
                }
            }
            _ => notice.clone(),
        }
    }

    pub fn believes(self, world: &World, notice: &Notice) {
        if let (Mutant::AccountUnchecked, Some(id)) = (self, &notice.payment_intent)
            && world.watch.facts().forged.contains(id)
            && let Some(said) = world.provider.intent(id).map(|intent| intent.said)
            && let Some(order) = said.order
        {
            world.kept().paid_by.insert(order, (said.id, said.account));
        }
    }

    /// The order that a payment is believed to be of.
    pub fn misled(self, world: &World, id: &PaymentIntentId) -> Option<OrderId> {
        world
            .kept()
            .paid_by
            .iter()
            .find(|(_, (by, _))| by == id)
            .map(|(order, _)| *order)
    }

    pub fn recalled(self, world: &World, mut record: OrderRecord) -> OrderRecord {
        if self == Mutant::CapturedTwice && record.order.state == OrderState::Captured {
            record.order.state = OrderState::Allocated;
        }
        if let Some((id, account)) = world.kept().paid_by.get(&record.order.id) {
            record.order.payment_intent = Some(id.clone());
            record.order.account = account.clone();
        }
        record
    }

    /// Before the books are asked the same.
    pub async fn captured(
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
        if self == Mutant::CapturedTwice && again() {
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

/// What a mutant remembers.
#[derive(Default)]
pub struct Kept {
    /// The fee of each payment, from its creation on.
    fees: std::collections::BTreeMap<PaymentIntentId, Cents>,
    paid_by: std::collections::BTreeMap<OrderId, (PaymentIntentId, AccountId)>,
}
