//! The topic of one order: told when a payment call moved it, when one of its draws did, and each second while it is open.

use std::collections::BTreeMap;
use std::time::Duration;

use actix_web::web;
use tokio::time::MissedTickBehavior;

use super::topic::Topic;
use super::{Newest, encode};
use crate::routes::buyer::orders::{by_token, present};
use crate::state::State;
use crate::wire::order::Order;

const TICK: Duration = Duration::from_millis(100);
/// An open order is looked at this often even if nothing of ours moved it: the webhook and the workers do.
const TICKS_PER_LOOK: u64 = 10;

/// An order's frame as of now; `None` when nobody has that token.
pub(super) async fn make(state: &State, topic: &Topic, token: &str, after: u64) -> Option<Newest> {
    let order = read(state, token).await?;
    Some(encode(state, topic, after, "order", order))
}

async fn read(state: &State, token: &str) -> Option<Order> {
    let record = by_token(state, token).await.ok().flatten()?;
    present(state, &record).await.ok()
}

pub(super) async fn run(state: web::Data<State>) {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told: BTreeMap<String, Told> = BTreeMap::new();
    let (mut ticks, mut changed) = (0u64, 0u64);
    loop {
        tick.tick().await;
        ticks += 1;
        let moved = state.live.take_moved();
        let look = ticks.is_multiple_of(TICKS_PER_LOOK);
        if moved.is_empty() && !look {
            continue;
        }
        let now_changed = state.draws.changes();
        let draws_moved = look && now_changed != changed;
        if look {
            changed = now_changed;
        }
        let watched = state.live.watched(|topic| matches!(topic, Topic::Order(_)));
        told.retain(|token, _| {
            watched
                .iter()
                .any(|(topic, _)| matches!(topic, Topic::Order(other) if other == token))
        });
        for (topic, seq) in watched {
            let Topic::Order(token) = &topic else {
                continue;
            };
            let open = told.get(token).is_none_or(|told| told.open);
            if moved.contains(token) || (look && (open || draws_moved)) {
                tell(&state, &topic, token, seq, &mut told).await;
            }
        }
    }
}

/// What was told of an order last.
struct Told {
    order: Order,
    /// Something may still happen to it by itself.
    open: bool,
}

async fn tell(
    state: &State,
    topic: &Topic,
    token: &str,
    seq: u64,
    told: &mut BTreeMap<String, Told>,
) {
    let Some(order) = read(state, token).await else {
        return;
    };
    if told.get(token).is_some_and(|told| told.order == order) {
        return;
    }
    state
        .live
        .publish(topic, encode(state, topic, seq, "order", order.clone()));
    let open = matches!(
        order.status,
        "processing" | "requires_payment_method" | "refunding"
    );
    told.insert(token.to_string(), Told { order, open });
}
