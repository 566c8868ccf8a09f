//! Handles stored notices: each is a hint that something happened at the provider, never the truth of what.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{AccountId, Timestamp};
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
/// Where there are more notices than are read at once, those that could not be handled are left alone for a while, so many of
/// them: an account that the provider keeps silent about must not keep all others' notices waiting behind its own.
const LEFT_ALONE_MS: i64 = 30_000;
const LEFT_ALONE_MAX: usize = 320;
const REST: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

pub(crate) async fn run(room: Arc<Room>, stop: watch::Receiver<bool>) {
    let mut rhythm = Rhythm::new(REST, stop);
    let mut left_alone: BTreeMap<String, Timestamp> = BTreeMap::new();
    while rhythm.next(&room.nudges.notices).await {
        let now = room.clock.now();
        left_alone.retain(|_, until| *until > now);
        let (overdue, most) = (now.plus_ms(-OVERDUE_MS), READ_MAX + left_alone.len() as u32);
        let mut notices = match room
            .books
            .notices_unhandled(room.draws.boot(), overdue, most)
            .await
        {
            Ok(notices) => notices,
            Err(failure) => {
                tracing::warn!(%failure, "notices could not be read");
                rhythm.found_nothing();
                continue;
            }
        };
        notices.retain(|notice| !left_alone.contains_key(&notice.event_id));
        let (count, may_be_more) = (notices.len(), notices.len() >= READ_MAX as usize);
        let waiting = handle_all(&room, notices).await;
        let handled = count - waiting.len();
        let before = left_alone.len();
        if may_be_more {
            let room_for = LEFT_ALONE_MAX.saturating_sub(before);
            left_alone.extend(
                waiting
                    .into_iter()
                    .take(room_for)
                    .map(|id| (id, now.plus_ms(LEFT_ALONE_MS))),
            );
        }
        if handled > 0 || left_alone.len() > before {
            rhythm.found_something();
            room.nudges.notices.notify_one();
        } else {
            // Those that are left wait for the provider or the books.
            rhythm.found_nothing();
        }
    }
}

/// Those that are to be looked at again.
async fn handle_all(room: &Arc<Room>, notices: Vec<Notice>) -> Vec<String> {
    let handled = stream::iter(notices).map(|notice| {
        let room = room.clone();
        async move { (!handle(&room, &notice).await).then_some(notice.event_id) }.boxed()
    });
    handled
        .buffer_unordered(TOGETHER_MAX)
        .filter_map(ready)
        .collect()
        .await
}

/// `true`: it need not be looked at again.
async fn handle(room: &Arc<Room>, notice: &Notice) -> bool {
    if !heed(room, notice).await {
        return false;
    }
    match room
        .books
        .notice_handled(&notice.event_id, room.clock.now())
        .await
    {
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
    let Some(id) = &notice.payment_intent else {
        return true;
    };
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
        let Some(account) = notice.account.clone().map(AccountId) else {
            return true;
        };
        return comparison.stranger(&account, id).await.is_ok();
    };
    if notice.kind.starts_with("payment_intent.") {
        let inside = room.clone();
        let fulfilled = room
            .in_lane(order, async move { inside.fulfil(order, &mut None).await })
            .await;
        return !matches!(fulfilled, Err(PaymentFailure::Unavailable));
    }
    // A refund or a dispute, perhaps made behind our back.
    comparison.order(order).await.is_ok()
}
