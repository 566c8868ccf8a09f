//! Tests of the rate limiter with tokio's paused clock, which advances only while all tasks wait.

use std::sync::{Arc, Mutex};

use domain::{AccountId, Cents, PaymentIntentId};
use futures_util::FutureExt;
use futures_util::future::join_all;

use super::super::{Stripe, StripeSettings};
use super::*;
use crate::{Gateway, GatewayError};

const SECOND: Duration = Duration::from_secs(1);

fn limiter(calls_per_second: u32) -> Arc<RateLimiter> {
    Arc::new(RateLimiter::new(
        NonZeroU32::new(calls_per_second).expect("the rate is positive"),
    ))
}

/// Submits the calls one after the other and returns their priorities in the order in which the
/// calls start.
async fn call_start_sequence(
    limiter: &RateLimiter,
    arrivals: &[CallPriority],
) -> Vec<CallPriority> {
    let started = Mutex::new(Vec::new());
    let call = async |priority: CallPriority| {
        assert!(limiter.acquire(priority).await);
        started.lock().expect("no call panicked").push(priority);
    };
    join_all(arrivals.iter().map(|priority| call(*priority))).await;
    started.into_inner().expect("no call panicked")
}

#[tokio::test(start_paused = true)]
async fn calls_start_in_priority_order_from_capture_to_read() {
    let limiter = limiter(1);
    assert!(
        limiter.acquire(CallPriority::Read).await,
        "the queue is empty"
    );
    let started = call_start_sequence(
        &limiter,
        &[
            CallPriority::Create,
            CallPriority::Cancel,
            CallPriority::Capture,
        ],
    )
    .await;
    // Every fourth started call is the one that has waited longest. Here the fourth is `Create`,
    // the only call that is left.
    assert_eq!(
        started,
        [
            CallPriority::Capture,
            CallPriority::Cancel,
            CallPriority::Create
        ]
    );
    let started = call_start_sequence(
        &limiter,
        &[
            CallPriority::Read,
            CallPriority::Create,
            CallPriority::Capture,
        ],
    )
    .await;
    assert_eq!(
        started,
        [
            CallPriority::Capture,
            CallPriority::Create,
            CallPriority::Read
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn every_fourth_call_is_the_one_that_waited_longest() {
    let limiter = limiter(8);
    assert!(limiter.acquire(CallPriority::Capture).await);
    let mut arrivals = vec![CallPriority::Read];
    arrivals.extend([CallPriority::Capture; 8]);
    let started = call_start_sequence(&limiter, &arrivals).await;
    assert_eq!(
        started
            .iter()
            .position(|priority| *priority == CallPriority::Read),
        Some(2),
        "the read is not the fourth call: {started:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn call_rate_never_exceeds_100_per_second_and_loses_no_call() {
    let limiter = limiter(80);
    tokio::time::sleep(10 * SECOND).await;
    let (began, started) = (Instant::now(), Mutex::new(Vec::new()));
    let call = async |number: usize| {
        let priority = [
            CallPriority::Capture,
            CallPriority::Cancel,
            CallPriority::Create,
            CallPriority::Read,
        ][number % PRIORITY_COUNT];
        assert!(limiter.acquire(priority).await);
        started
            .lock()
            .expect("no call panicked")
            .push(began.elapsed());
    };
    join_all((0..240).map(call)).await;
    let started = started.into_inner().expect("no call panicked");
    assert_eq!(
        started.iter().filter(|at| at.is_zero()).count(),
        20,
        "the burst after an idle time"
    );
    for from in &started {
        let within = started
            .iter()
            .filter(|at| *at >= from && **at < *from + SECOND)
            .count();
        assert!(within <= 100, "{within} calls within a second of {from:?}");
    }
    // 20 of the 240 calls start at once, and the other 220 at 80 per second.
    let last = started.last().expect("calls started").as_secs_f64();
    assert!((2.74..2.77).contains(&last), "{last}");
    assert_eq!(limiter.waiting_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropped_calls_leave_the_queue_and_use_no_turn() {
    let limiter = limiter(1);
    assert!(limiter.acquire(CallPriority::Read).await);
    let began = Instant::now();
    // A read waits behind three calls with a higher priority. All four calls are dropped while they
    // wait.
    let behind = Box::pin(limiter.acquire(CallPriority::Read));
    let mut waits = vec![behind];
    waits.extend(
        [
            CallPriority::Create,
            CallPriority::Cancel,
            CallPriority::Capture,
        ]
        .map(|priority| Box::pin(limiter.acquire(priority))),
    );
    for wait in &mut waits {
        assert!(wait.as_mut().now_or_never().is_none());
    }
    let last = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.acquire(CallPriority::Read).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(limiter.waiting_count(), 5);
    drop(waits);
    assert_eq!(limiter.waiting_count(), 1);
    assert!(last.await.expect("the task completes"));
    assert_eq!(
        began.elapsed().as_millis(),
        1000,
        "dropped calls used a turn"
    );
}

#[tokio::test(start_paused = true)]
async fn full_queue_rejects_only_its_own_priority_and_bounds_waits() {
    let limiter = limiter(1);
    assert!(limiter.acquire(CallPriority::Read).await);
    let began = Instant::now();
    let reads =
        join_all((0..WAITING_CALLS_PER_PRIORITY_MAX).map(|_| limiter.acquire(CallPriority::Read)));
    let mut reads = Box::pin(reads);
    assert!(reads.as_mut().now_or_never().is_none());
    assert!(
        !limiter.acquire(CallPriority::Read).await,
        "a call beyond the limit was accepted"
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
    let (reads, captured) = futures_util::join!(reads, limiter.acquire(CallPriority::Capture));
    assert!(captured, "reads kept a capture out");
    // One call per second starts, and the first is the capture. The last read may start just before
    // or after its timeout.
    let reads = reads.into_iter().filter(|started| *started).count();
    assert!((2..=3).contains(&reads), "{reads}");
    assert!(
        began.elapsed() < CALL_WAIT_MAX + Duration::from_millis(10),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(limiter.waiting_count(), 0);
}

/// All calls of a client share one limiter, whatever their account, and each has its own priority.
#[tokio::test(start_paused = true)]
async fn rejected_call_is_not_sent_and_reported_as_unavailable() {
    let settings =
        StripeSettings::new("sk_test_1", "http://127.0.0.1:1").rate_limited(NonZeroU32::new(1));
    let stripe = Stripe::new(&settings).expect("the settings are valid");
    let limiter = stripe
        .platform
        .rate_limiter
        .clone()
        .expect("the client is rate limited");
    let (club, id) = (
        AccountId("acct_club".into()),
        PaymentIntentId("pi_1".into()),
    );
    let fill_queue = |priority: CallPriority| {
        let mut waits: Vec<_> = (0..WAITING_CALLS_PER_PRIORITY_MAX)
            .map(|_| Box::pin(limiter.acquire(priority)))
            .collect();
        assert!(
            waits
                .iter_mut()
                .all(|wait| wait.as_mut().now_or_never().is_none())
        );
        waits
    };
    assert!(limiter.acquire(CallPriority::Read).await);
    let other = AccountId("acct_other".into());
    for priority in [
        CallPriority::Capture,
        CallPriority::Cancel,
        CallPriority::Create,
        CallPriority::Read,
    ] {
        let waits = fill_queue(priority);
        let is_rejected = |error: Option<GatewayError>| match error {
            Some(GatewayError::Unavailable(why)) => why.contains("wait for their turn"),
            // `None`: the call is still waiting.
            None => false,
            Some(other) => panic!("{other:?}"),
        };
        let calls = [
            (
                CallPriority::Capture,
                stripe
                    .capture("cap", &club, &id, Cents(7))
                    .now_or_never()
                    .map(Result::err),
            ),
            (
                CallPriority::Cancel,
                stripe
                    .cancel("cancel", &other, &id)
                    .now_or_never()
                    .map(Result::err),
            ),
            (
                CallPriority::Create,
                stripe
                    .refund("refund", &club, &id, Cents(7))
                    .now_or_never()
                    .map(Result::err),
            ),
            (
                CallPriority::Create,
                stripe
                    .confirm("confirm", &club, &id, "pm_1")
                    .now_or_never()
                    .map(Result::err),
            ),
            (
                CallPriority::Read,
                stripe.retrieve(&other, &id).now_or_never().map(Result::err),
            ),
        ];
        for (of, error) in calls {
            assert_eq!(
                is_rejected(error.flatten()),
                of == priority,
                "{of:?} while {priority:?} is full"
            );
        }
        drop(waits);
    }
}
