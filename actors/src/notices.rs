//! Handles stored notices: each is a hint that something happened at the provider, never the truth of what.

use std::sync::Arc;
use std::time::Duration;

use domain::AccountId;
use futures_util::future::ready;
use futures_util::{FutureExt, StreamExt, stream};
use persistence::books::Notice;
use tokio::sync::watch;

use crate::PaymentFailure;
use crate::payment::room::Room;
use crate::reconciler::Comparison;
use crate::rhythm::Rhythm;

/// Notices handled at the same time; those of one order wait for each other in its lane.
const TOGETHER_MAX: usize = 16;
/// Notices read at once.
const READ_MAX: u32 = 64;
/// A notice that another node took in is looked at here when it has been waiting so long.
const OVERDUE_MS: i64 = 30_000;
const REST: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

pub(crate) async fn run(room: Arc<Room>, stop: watch::Receiver<bool>) {
    let mut rhythm = Rhythm::new(REST, stop);
    while rhythm.next(&room.nudges.notices).await {
        let overdue = room.clock.now().plus_ms(-OVERDUE_MS);
        let notices = match room.books.notices_unhandled(room.draws.boot(), overdue, READ_MAX).await {
            Ok(notices) => notices,
            Err(failure) => {
                tracing::warn!(%failure, "notices could not be read");
                rhythm.found_nothing();
                continue;
            }
        };
        if notices.is_empty() {
            rhythm.found_nothing();
            continue;
        }
        let handled = stream::iter(notices).map(|notice| {
            let room = room.clone();
            async move { handle(&room, &notice).await }.boxed()
        });
        match handled.buffer_unordered(TOGETHER_MAX).filter(|handled| ready(*handled)).count().await {
            // Those that are left wait for the provider or the books.
            0 => rhythm.found_nothing(),
            _ => {
                rhythm.found_something();
                room.nudges.notices.notify_one();
            }
        }
    }
}

/// `true`: it need not be looked at again.
async fn handle(room: &Arc<Room>, notice: &Notice) -> bool {
    if !heed(room, notice).await {
        return false;
    }
    match room.books.notice_handled(&notice.event_id, room.clock.now()).await {
        Ok(()) => true,
        Err(failure) => {
            tracing::warn!(%failure, notice.event_id, "a notice will be handled again");
            false
        }
    }
}

/// Does what a notice hints at; `false`: it could not be done now.
async fn heed(room: &Arc<Room>, notice: &Notice) -> bool {
    // What names no payment intent (`account.updated`, `payout.*`) is not ours: the server reads it at the door.
    let Some(id) = &notice.payment_intent else { return true };
    let order = match room.index.order_of(id) {
        Some(order) => Some(order),
        None => match room.books.order_by_payment_intent(id).await {
            Ok(record) => record.map(|record| record.order.id),
            Err(_) => return false,
        },
    };
    let comparison = Comparison { room: room.clone() };
    let Some(order) = order else {
        // Ours whose creation has not been written yet, or one that a restored backup forgot.
        let Some(account) = notice.account.clone().map(AccountId) else { return true };
        return comparison.stranger(&account, id).await.is_ok();
    };
    if notice.kind.starts_with("payment_intent.") {
        let inside = room.clone();
        let fulfilled = room.in_lane(order, async move { inside.fulfil(order, &mut None).await }).await;
        return !matches!(fulfilled, Err(PaymentFailure::Unavailable));
    }
    // A refund or a dispute, perhaps made behind our back.
    comparison.order(order).await.is_ok()
}
