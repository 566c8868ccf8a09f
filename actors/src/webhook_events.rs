//! Handles stored webhook events. The content of an event is never trusted: the payment intent is
//! read from the provider, unless the event says what the database knows already.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{AccountId, OrderId, OrderState, Timestamp};
use futures_util::future::ready;
use futures_util::{FutureExt, StreamExt, stream};
use persistence::stores::StoredWebhookEvent;
use tokio::sync::watch;

use crate::PaymentFailure;
use crate::payments::context::PaymentContext;
use crate::payments::fulfilment::Fulfilment;
use crate::poll_backoff::PollBackoff;
use crate::reconciler::PaymentComparison;

/// Largest number of events that are handled concurrently. Events of one order are handled one
/// after the other, in the order's jobs.
const CONCURRENT_EVENTS_MAX: usize = 16;
/// Largest number of events that one query reads.
const EVENTS_PER_QUERY_MAX: u32 = 64;
/// Age in milliseconds after which this node handles an event that another node stored.
const OTHER_NODE_EVENT_AGE_MS_MIN: i64 = 30_000;
/// How long a failed event is skipped, in milliseconds, while more events wait than one query
/// returns. Otherwise events of an account whose calls fail would block all others.
const FAILED_EVENT_SKIP_MS: i64 = 30_000;
/// Largest number of events that are skipped at the same time.
const SKIPPED_EVENTS_MAX: usize = 320;
/// Type of the event that a payment intent was cancelled.
const CANCELLATION_EVENT: &str = "payment_intent.canceled";
/// Type of the event that a card was declined.
const DECLINE_EVENT: &str = "payment_intent.payment_failed";
/// Shortest and longest pause between polls.
const POLL_DELAY_RANGE: (Duration, Duration) =
    (Duration::from_millis(500), Duration::from_secs(10));

/// Handles events until the engine stops.
pub(crate) async fn run_webhook_worker(context: Arc<PaymentContext>, stop: watch::Receiver<bool>) {
    let mut backoff = PollBackoff::new(POLL_DELAY_RANGE, stop);
    let mut skipped: BTreeMap<String, Timestamp> = BTreeMap::new();
    while backoff
        .wait_for_next_poll(&context.wakeups.webhook_events)
        .await
    {
        let now = context.clock.now();
        skipped.retain(|_, until| *until > now);
        let overdue_before = now.plus_ms(-OTHER_NODE_EVENT_AGE_MS_MIN);
        let limit = EVENTS_PER_QUERY_MAX + skipped.len() as u32;
        let mut events = match context
            .store
            .unhandled_events(context.draws.instance_id(), overdue_before, limit)
            .await
        {
            Ok(events) => events,
            Err(failure) => {
                tracing::warn!(%failure, "webhook events not read: database error");
                backoff.increase_delay();
                continue;
            }
        };
        events.retain(|event| !skipped.contains_key(&event.event_id));
        let (count, may_be_more) = (events.len(), events.len() >= EVENTS_PER_QUERY_MAX as usize);
        let failed = handle_events(&context, events).await;
        let handled = count - failed.len();
        let skipped_before = skipped.len();
        if may_be_more {
            let free = SKIPPED_EVENTS_MAX.saturating_sub(skipped_before);
            skipped.extend(
                failed
                    .into_iter()
                    .take(free)
                    .map(|id| (id, now.plus_ms(FAILED_EVENT_SKIP_MS))),
            );
        }
        if handled > 0 || skipped.len() > skipped_before {
            backoff.reset_delay();
            context.wakeups.webhook_events.notify_one();
        } else {
            // No event was handled. Events that remain wait for the provider or the database.
            backoff.increase_delay();
        }
    }
}

/// Handles several events and returns the ids of the events that failed.
async fn handle_events(
    context: &Arc<PaymentContext>,
    events: Vec<StoredWebhookEvent>,
) -> Vec<String> {
    let results = stream::iter(events).map(|event| {
        let context = context.clone();
        async move { (!handle_and_mark_event(&context, &event).await).then_some(event.event_id) }
            .boxed()
    });
    results
        .buffer_unordered(CONCURRENT_EVENTS_MAX)
        .filter_map(ready)
        .collect()
        .await
}

/// Handles an event and stores that it was handled. `false`: the event must be handled again.
async fn handle_and_mark_event(context: &Arc<PaymentContext>, event: &StoredWebhookEvent) -> bool {
    if !fulfil_or_compare_order(context, event).await {
        return false;
    }
    match context
        .store
        .mark_event_handled(&event.event_id, context.clock.now())
        .await
    {
        Ok(()) => true,
        Err(failure) => {
            tracing::warn!(%failure, event.event_id, "webhook event not marked as handled: database error");
            false
        }
    }
}

/// Fulfils or compares the order that an event concerns. `false`: this is not possible now.
async fn fulfil_or_compare_order(
    context: &Arc<PaymentContext>,
    event: &StoredWebhookEvent,
) -> bool {
    // Events without a payment intent (`account.updated`, `payout.*`) are handled by the server
    // when they arrive.
    let Some(id) = &event.payment_intent else {
        return true;
    };
    let order = match context.index.order_of_intent(id) {
        Some(order) => Some(order),
        None => match context.store.order_by_payment_intent(id).await {
            Ok(record) => record.map(|record| record.order.id),
            Err(_) => return false,
        },
    };
    let comparison = PaymentComparison::new(context.clone());
    let Some(order) = order else {
        // The database has no order for this intent: the intent is not stored yet, or a restored
        // backup lacks it.
        let Some(account) = event.account.clone().map(AccountId) else {
            return true;
        };
        return comparison
            .compare_intent_missing_from_database(&account, id)
            .await
            .is_ok();
    };
    if leaves_order_unchanged(context, event, order).await {
        return true;
    }
    if event.kind.starts_with("payment_intent.") {
        let job_context = context.clone();
        let fulfilled = context
            .run_for_order(order, async move {
                Fulfilment::new(&job_context).fulfil(order, &mut None).await
            })
            .await;
        return !matches!(fulfilled, Err(PaymentFailure::Unavailable));
    }
    // The event reports a refund or a dispute, possibly made outside this system. So the order is
    // compared with its payment. A dispute whose tickets could not be taken back is handled again.
    comparison
        .compare_order(order)
        .await
        .is_ok_and(|report| report.deferred == 0)
}

/// Whether an event leaves the order as it is. The provider need not be asked then.
///
/// - The payment of an ended order was cancelled. A cancelled intent never changes again, and the
///   order has nothing left to do.
/// - A card was declined while the order waits for its payment. The buyer may try another card,
///   which has its own events.
async fn leaves_order_unchanged(
    context: &PaymentContext,
    event: &StoredWebhookEvent,
    order: OrderId,
) -> bool {
    if event.kind != CANCELLATION_EVENT && event.kind != DECLINE_EVENT {
        return false;
    }
    let Ok(Some(record)) = context.store.order(order).await else {
        return false;
    };
    match record.order.state {
        OrderState::Released | OrderState::Void => event.kind == CANCELLATION_EVENT,
        OrderState::Quoted => event.kind == DECLINE_EVENT,
        _ => false,
    }
}
