//! The final audit of a simulated world. The letters name the invariants: T tickets, M money in the
//! database, P the database against the provider, E mail, W webhooks, O operations.

use std::collections::{BTreeMap, BTreeSet};

use actors::testing::FakeIntent;
use domain::{Draw, OrderId, OrderState, PaymentIntentId, PaymentStatus, Status, Timestamp};
use persistence::memory::OperationState;
use persistence::nodes::InstanceId;
use persistence::stores::OrderRecord;
use persistence::stores::{PaymentOperationStore, WebhookEventStore};

use super::world::World;

mod answers;
mod mails;
mod money;

/// The data of the finished world that the audit compares.
struct Audit<'a> {
    world: &'a World,
    draws: Vec<Draw>,
    orders: BTreeMap<OrderId, OrderRecord>,
    intents: Vec<FakeIntent>,
    /// Payments that were changed at the provider directly.
    externally_changed: BTreeSet<PaymentIntentId>,
    /// Payments that an open anomaly reports or that an operator's action concerned.
    reported: BTreeSet<PaymentIntentId>,
}

/// Runs all checks and records every violation.
pub async fn audit_world(world: &World) {
    pending_work(world)
        .await
        .into_iter()
        .for_each(|what| world.monitor.report_violation(what));
    let reported = anomalous_payments(world);
    let externally_changed = world.monitor.state().externally_changed.clone();
    let audit = Audit {
        world,
        draws: world.monitor.rebuild_draws(world),
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
        externally_changed,
        reported,
    };
    audit.check_tickets();
    audit.check_mails();
    audit.check_payments();
    audit.check_orders();
    audit.check_fees();
    audit.check_captured_sums();
    audit.check_anomalies();
    audit.check_answers_shown();
    audit.check_repeated_calls().await;
    audit.record_situations();
}

fn is_forged(world: &World, id: &PaymentIntentId) -> bool {
    world.monitor.state().forged.contains(id)
}

/// Returns the payments of all open anomalies.
fn open_anomalies(world: &World) -> BTreeSet<PaymentIntentId> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    let open = open.filter_map(|record| record.anomaly.payment_intent);
    open.filter(|id| !is_forged(world, id)).collect()
}

/// Returns whether open anomalies wait for the next pass of the reconciler. No payment was changed
/// externally, so the anomalies must be resolved automatically.
pub fn awaits_anomaly_resolution(world: &World) -> bool {
    world.monitor.state().externally_changed.is_empty() && !open_anomalies(world).is_empty()
}

/// Returns the payments that an open anomaly reports, and those that an operator acted on.
fn anomalous_payments(world: &World) -> BTreeSet<PaymentIntentId> {
    let repaired = world.monitor.state().repaired.clone();
    let repaired = repaired.into_iter().filter(|id| !is_forged(world, id));
    open_anomalies(world).into_iter().chain(repaired).collect()
}

/// Returns the unfinished work. An hour without faults must be enough to complete all of it.
pub async fn pending_work(world: &World) -> Vec<String> {
    let mut pending_items = Vec::new();
    for notice in world
        .memory
        .unhandled_events(InstanceId(0), Timestamp(i64::MAX), 10)
        .await
        .unwrap_or_default()
    {
        pending_items.push(format!(
            "W1 pending: the notice {} is not handled",
            notice.event_id
        ));
    }
    let mut known = BTreeSet::new();
    for record in world.memory.orders() {
        // The payment was captured externally with a different amount than the order's. An operator
        // must resolve it.
        let is_known = || {
            let reported = anomalous_payments(world);
            world.is_externally_changed(record.order.id)
                && record
                    .order
                    .payment_intent
                    .as_ref()
                    .is_some_and(|id| reported.contains(id))
        };
        // A captured order that lacks some of its tickets is still waiting for its refund.
        let has_all_tickets = record.tickets.len() == record.order.lines.len();
        let decided = match record.order.state {
            OrderState::Captured => has_all_tickets,
            state => matches!(state, OrderState::Released | OrderState::Void),
        };
        if !decided && is_known() {
            known.insert(record.order.id);
        } else if !decided {
            pending_items.push(format!(
                "O1 pending: order {} is {:?}",
                record.order.id.0, record.order.state
            ));
        }
    }
    for (operation, state) in world.memory.operations() {
        // The operations of an order that an operator must resolve stay unfinished as well.
        if matches!(state, OperationState::Pending { .. }) && !known.contains(&operation.order) {
            let (kind, order, attempts) = (operation.kind, operation.order.0, operation.attempts);
            pending_items.push(format!(
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
        pending_items.push(format!(
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
            pending_items.push(format!(
                "P3 pending: {} is authorised and not decided",
                intent.id
            ));
        }
    }
    for draw in world
        .memory
        .draws_owing_fee_refunds()
        .await
        .unwrap_or_default()
    {
        pending_items.push(format!("P5 pending: draw {draw} owes a fee to its orders"));
    }
    let draws = world.monitor.rebuild_draws(world);
    for draw in draws.iter().filter(|draw| draw.held() > 0) {
        pending_items.push(format!(
            "D2 pending: draw {} still keeps {} tickets",
            draw.id(),
            draw.held()
        ));
    }
    pending_items
}

/// Returns whether the payment was ever captured.
fn has_been_captured(record: &OrderRecord) -> bool {
    record.captured_at.is_some()
}

impl Audit<'_> {
    fn report_violation(&self, what: String) {
        self.world.monitor.report_violation(what);
    }

    fn is_externally_changed(&self, order: OrderId) -> bool {
        self.intents.iter().any(|intent| {
            intent.said.order == Some(order) && self.externally_changed.contains(&intent.said.id)
        })
    }

    /// Records which of the required situations occurred in this world.
    fn record_situations(&self) {
        let monitor = &self.world.monitor;
        for record in self.orders.values() {
            match record.order.state {
                OrderState::Captured if record.order.lines.len() > 3 => {
                    monitor.record_situation("a cart of four or five captured");
                }
                OrderState::Captured if record.order.lines.len() > 1 => {
                    monitor.record_situation("a cart captured");
                }
                OrderState::Captured => monitor.record_situation("an order captured"),
                OrderState::Released if record.authorised_at.is_some() => {
                    monitor.record_situation("a refusal after authorisation");
                }
                OrderState::Released => monitor.record_situation("an order released"),
                OrderState::Void if has_been_captured(record) => {
                    monitor.record_situation("an order refunded");
                }
                OrderState::Void => monitor.record_situation("an order void before its capture"),
                _ => {}
            }
        }
        for draw in self
            .draws
            .iter()
            .filter(|draw| draw.sold() == domain::TICKETS)
        {
            monitor.record_situation(if draw.outcome().is_some() {
                "a draw sold out and decided"
            } else {
                "a draw sold out"
            });
        }
        if !self.externally_changed.is_empty() {
            monitor.record_situation("a payment changed externally");
        }
        if self
            .world
            .memory
            .anomaly_records()
            .iter()
            .any(|record| record.resolved_at.is_some())
        {
            monitor.record_situation("an anomaly healed");
        }
    }

    /// Checks D7, T2, T3 and T6: a captured order has exactly its tickets, and no other order has
    /// any.
    fn check_tickets(&self) {
        if self.draws != self.world.memory.replayed_draws() {
            self.report_violation("D7: the journal has another trace than the tables".into());
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
                let allocated = draw
                    .allocation(*id)
                    .map_or(Vec::new(), |allocation| allocation.serials.clone());
                let recorded = record
                    .tickets
                    .iter()
                    .find(|(of, _)| *of == draw.id())
                    .map(|(_, serials)| serials.clone());
                *owned.entry(draw.id()).or_default() += allocated.len() as u16;
                if draw.status() == Status::Cancelled && !allocated.is_empty() {
                    self.report_violation(format!(
                        "E9: order {} still has tickets of draw {}, which is off",
                        id.0,
                        draw.id()
                    ));
                }
                let due = match record.order.state {
                    OrderState::Captured => wants(draw.id()).unwrap_or_default(),
                    _ => 0,
                };
                if allocated.len() != usize::from(due) || recorded.unwrap_or_default() != allocated
                {
                    let (state, draw) = (record.order.state, draw.id());
                    self.report_violation(format!(
                        "T2: order {} is {state:?}, is due {due} of draw {draw}, has {allocated:?}",
                        id.0
                    ));
                }
            }
        }
        for draw in &self.draws {
            if owned.get(&draw.id()).copied().unwrap_or_default() != draw.sold() {
                self.report_violation(format!(
                    "T3: draw {} sold {} tickets, orders have {owned:?}",
                    draw.id(),
                    draw.sold()
                ));
            }
        }
    }
}
