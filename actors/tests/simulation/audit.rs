//! After the calm: both books compared by somebody who took no part. The letters are those of the invariants: T tickets, M money
//! in our books, P our books against the provider's, E mail, W notices, O operations.

use std::collections::{BTreeMap, BTreeSet};

use actors::testing::Intent;
use domain::{Draw, OrderId, OrderState, PaymentIntentId, PaymentStatus, Status, Timestamp};
use persistence::Books;
use persistence::books::OrderRecord;
use persistence::memory::OperationState;
use persistence::nodes::Boot;

use super::world::World;

mod mails;
mod money;
mod words;

/// Everything that is compared.
struct Audit<'a> {
    world: &'a World,
    draws: Vec<Draw>,
    orders: BTreeMap<OrderId, OrderRecord>,
    intents: Vec<Intent>,
    /// Somebody touched these at the provider, past us.
    meddled: BTreeSet<PaymentIntentId>,
    /// Payments a person knows about.
    reported: BTreeSet<PaymentIntentId>,
}

/// Compares everything with everything; what is wrong goes to the watch.
pub async fn everything(world: &World) {
    pending(world)
        .await
        .into_iter()
        .for_each(|what| world.watch.violated(what));
    let reported = reported(world);
    let meddled = world.watch.facts().meddled.clone();
    let audit = Audit {
        world,
        draws: world.watch.check_draws(world),
        orders: world
            .memory
            .orders()
            .into_iter()
            .map(|record| (record.order.id, record))
            .collect(),
        intents: world
            .provider
            .intents()
            .into_iter()
            .filter(|intent| !is_forged(world, &intent.said.id))
            .collect(),
        meddled,
        reported,
    };
    audit.tickets();
    audit.mails();
    audit.payments();
    audit.orders();
    audit.fees();
    audit.sums();
    audit.anomalies();
    audit.told();
    audit.asks_again().await;
    audit.meets();
}

fn is_forged(world: &World, id: &PaymentIntentId) -> bool {
    world.watch.facts().forged.contains(id)
}

/// What the operator's list says at this moment.
fn open_anomalies(world: &World) -> BTreeSet<PaymentIntentId> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    let open = open.filter_map(|record| record.anomaly.payment_intent);
    open.filter(|id| !is_forged(world, id)).collect()
}

/// Nobody meddled with a payment of ours, so that whatever stands there is only not looked at again yet.
pub fn waits_to_be_healed(world: &World) -> bool {
    world.watch.facts().meddled.is_empty() && !open_anomalies(world).is_empty()
}

/// And what stood there when somebody pressed a button.
fn reported(world: &World) -> BTreeSet<PaymentIntentId> {
    let repaired = world.watch.facts().repaired.clone();
    let repaired = repaired.into_iter().filter(|id| !is_forged(world, id));
    open_anomalies(world).into_iter().chain(repaired).collect()
}

/// Liveness: what is still under way. An hour of calm is enough for everything.
pub async fn pending(world: &World) -> Vec<String> {
    let mut found = Vec::new();
    for notice in world
        .memory
        .notices_unhandled(Boot(0), Timestamp(i64::MAX), 10)
        .await
        .unwrap_or_default()
    {
        found.push(format!(
            "W1 pending: the notice {} is not handled",
            notice.event_id
        ));
    }
    let mut known = BTreeSet::new();
    for record in world.memory.orders() {
        // Taken past us, for an amount that is not the order's: that is for a person, who knows.
        let is_known = || {
            let reported = reported(world);
            world.is_meddled(record.order.id)
                && record
                    .order
                    .payment_intent
                    .as_ref()
                    .is_some_and(|id| reported.contains(id))
        };
        // A captured one that lost its tickets waits for its refund.
        let is_whole = record.tickets.len() == record.order.lines.len();
        let decided = match record.order.state {
            OrderState::Captured => is_whole,
            state => matches!(state, OrderState::Released | OrderState::Void),
        };
        if !decided && is_known() {
            known.insert(record.order.id);
        } else if !decided {
            found.push(format!(
                "O1 pending: order {} is {:?}",
                record.order.id.0, record.order.state
            ));
        }
    }
    for (operation, state) in world.memory.operations() {
        // What is still to be done for an order that waits for a person waits with it.
        if matches!(state, OperationState::Pending { .. }) && !known.contains(&operation.order) {
            let (kind, order, attempts) = (operation.kind, operation.order.0, operation.attempts);
            found.push(format!(
                "O1 pending: {kind:?} of order {order} after {attempts} attempts"
            ));
        }
    }
    for mail in world
        .memory
        .mails()
        .into_iter()
        .filter(|mail| mail.sent_at.is_none())
    {
        found.push(format!(
            "E3 pending: mail {} of {:?} did not leave",
            mail.id,
            mail.order.map(|order| order.0)
        ));
    }
    for intent in world
        .provider
        .intents()
        .into_iter()
        .map(|intent| intent.said)
    {
        if intent.status == PaymentStatus::RequiresCapture && !is_forged(world, &intent.id) {
            found.push(format!(
                "P3 pending: {} is authorised and nobody decides",
                intent.id
            ));
        }
    }
    for draw in world.memory.fees_owed().await.unwrap_or_default() {
        found.push(format!("P5 pending: draw {draw} owes a fee to its orders"));
    }
    let draws = world.watch.check_draws(world);
    for draw in draws.iter().filter(|draw| draw.held() > 0) {
        found.push(format!(
            "D2 pending: draw {} still keeps {} tickets",
            draw.id(),
            draw.held()
        ));
    }
    found
}

/// It had its money taken once, whatever became of it.
fn was_captured(record: &OrderRecord) -> bool {
    record.captured_at.is_some()
}

impl Audit<'_> {
    fn wrong(&self, what: String) {
        self.world.watch.violated(what);
    }

    fn is_meddled(&self, order: OrderId) -> bool {
        self.intents.iter().any(|intent| {
            intent.said.order == Some(order) && self.meddled.contains(&intent.said.id)
        })
    }

    /// What this world had in it.
    fn meets(&self) {
        let watch = &self.world.watch;
        for record in self.orders.values() {
            match record.order.state {
                OrderState::Captured if record.order.lines.len() > 3 => {
                    watch.met("a cart of four or five captured")
                }
                OrderState::Captured if record.order.lines.len() > 1 => {
                    watch.met("a cart captured")
                }
                OrderState::Captured => watch.met("an order captured"),
                OrderState::Released if record.authorised_at.is_some() => {
                    watch.met("a refusal after authorisation")
                }
                OrderState::Released => watch.met("an order let go"),
                OrderState::Void if was_captured(record) => watch.met("an order refunded"),
                OrderState::Void => watch.met("an order void before its capture"),
                _ => {}
            }
        }
        for draw in self
            .draws
            .iter()
            .filter(|draw| draw.sold() == domain::TICKETS)
        {
            watch.met(if draw.outcome().is_some() {
                "a draw sold out and decided"
            } else {
                "a draw sold out"
            });
        }
        if !self.meddled.is_empty() {
            watch.met("somebody meddled");
        }
        if self
            .world
            .memory
            .anomaly_records()
            .iter()
            .any(|record| record.resolved_at.is_some())
        {
            watch.met("an anomaly healed");
        }
    }

    /// D7, and T2, T3, T6: a captured order has exactly its tickets, any other has none, and nobody else has any.
    fn tickets(&self) {
        if self.draws != self.world.memory.replayed() {
            self.wrong("D7: the journal tells another story than the tables".into());
        }
        let mut owned: BTreeMap<_, u16> = BTreeMap::new();
        for (id, record) in &self.orders {
            let wants = |draw| {
                record
                    .order
                    .lines
                    .iter()
                    .find(|line| line.draw == draw)
                    .map(|line| line.count)
            };
            for draw in &self.draws {
                let has = draw
                    .allocation(*id)
                    .map_or(Vec::new(), |allocation| allocation.serials.clone());
                let says = record
                    .tickets
                    .iter()
                    .find(|(of, _)| *of == draw.id())
                    .map(|(_, serials)| serials.clone());
                *owned.entry(draw.id()).or_default() += has.len() as u16;
                if draw.status() == Status::Cancelled && !has.is_empty() {
                    self.wrong(format!(
                        "E9: order {} still has tickets of draw {}, which is off",
                        id.0,
                        draw.id()
                    ));
                }
                let due = match record.order.state {
                    OrderState::Captured => wants(draw.id()).unwrap_or_default(),
                    _ => 0,
                };
                if has.len() != usize::from(due) || says.unwrap_or_default() != has {
                    let (state, draw) = (record.order.state, draw.id());
                    self.wrong(format!(
                        "T2: order {} is {state:?}, is due {due} of draw {draw}, has {has:?}",
                        id.0
                    ));
                }
            }
        }
        for draw in &self.draws {
            if owned.get(&draw.id()).copied().unwrap_or_default() != draw.sold() {
                self.wrong(format!(
                    "T3: draw {} sold {} tickets, orders have {owned:?}",
                    draw.id(),
                    draw.sold()
                ));
            }
        }
    }
}
