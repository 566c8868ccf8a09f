//! Publishes the topic of one order: when a payment call changed the order, when one of its draws
//! changed, and every second while the order is open.

use std::collections::BTreeMap;
use std::time::Duration;

use actix_web::web;
use tokio::time::MissedTickBehavior;

use super::encode_frame;
use crate::access::order_access::OwnOrder;
use crate::access::order_view::order_for_buyer;
use crate::api::order::Order;
use crate::services::live_hub::TopicFrame;
use crate::services::live_hub::topic::Topic;
use crate::state::State;

const TICK_INTERVAL: Duration = Duration::from_millis(100);
/// Number of ticks between checks of an open order. The checks are needed, because webhooks and
/// background workers change orders without notifying this node.
const TICKS_PER_ORDER_CHECK: u64 = 10;

/// Builds the current frame of an order's topic; `None` when no order has this token, or the order
/// cannot be read.
pub(super) async fn build_frame(
    state: &State,
    topic: &Topic,
    token: &str,
    after: u64,
) -> Option<TopicFrame> {
    let order = read_order(state, token).await?;
    Some(encode_frame(state, topic, after, "order", order))
}

async fn read_order(state: &State, token: &str) -> Option<Order> {
    let order = OwnOrder::of_token(state, token).await.ok().flatten()?;
    order_for_buyer(state, &order).await.ok()
}

/// Publishes the topics of orders, until its task is aborted.
pub(super) async fn publish_order_topics(state: web::Data<State>) {
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut published: BTreeMap<String, LastPublishedOrder> = BTreeMap::new();
    let (mut ticks, mut changed) = (0u64, 0u64);
    loop {
        tick.tick().await;
        ticks += 1;
        let changed_orders = state.live.take_changed_orders();
        let is_check_due = ticks.is_multiple_of(TICKS_PER_ORDER_CHECK);
        if changed_orders.is_empty() && !is_check_due {
            continue;
        }
        let now_changed = state.draws.view_change_count();
        let draws_moved = is_check_due && now_changed != changed;
        if is_check_due {
            changed = now_changed;
        }
        let subscribed = state
            .live
            .subscribed_topics(|topic| matches!(topic, Topic::Order(_)));
        published.retain(|token, _| {
            subscribed
                .iter()
                .any(|(topic, _)| matches!(topic, Topic::Order(other) if other == token))
        });
        for (topic, seq) in subscribed {
            let Topic::Order(token) = &topic else {
                continue;
            };
            let open = published.get(token).is_none_or(|published| published.open);
            if changed_orders.contains(token) || (is_check_due && (open || draws_moved)) {
                publish_if_changed(&state, &topic, token, seq, &mut published).await;
            }
        }
    }
}

/// The last published state of an order.
struct LastPublishedOrder {
    order: Order,
    /// Whether the order may still change without a request from the buyer.
    open: bool,
}

async fn publish_if_changed(
    state: &State,
    topic: &Topic,
    token: &str,
    seq: u64,
    published: &mut BTreeMap<String, LastPublishedOrder>,
) {
    let Some(order) = read_order(state, token).await else {
        return;
    };
    if published
        .get(token)
        .is_some_and(|published| published.order == order)
    {
        return;
    }
    state.live.publish(
        topic,
        encode_frame(state, topic, seq, "order", order.clone()),
    );
    let open = matches!(
        order.status,
        "processing" | "requires_payment_method" | "refunding" | "refund_failed"
    );
    published.insert(token.to_string(), LastPublishedOrder { order, open });
}
