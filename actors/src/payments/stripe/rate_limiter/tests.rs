//! Tests of the rate limiter with tokio's paused clock, which advances only while all tasks wait.

use std::sync::{Arc, LazyLock, Mutex};

use domain::{AccountId, Cents, PaymentIntentId};
use futures_util::FutureExt;
use futures_util::future::join_all;

use super::super::{Stripe, StripeSettings};
use super::*;
use crate::{Gateway, GatewayError};

const SECOND: Duration = Duration::from_secs(1);

/// The bucket of all calls in tests of the total limit.
static BUCKET: LazyLock<CallBucket> =
    LazyLock::new(|| bucket("GET payment_intents/{id}", "acct_club"));

fn bucket(endpoint: &str, account: &str) -> CallBucket {
    CallBucket {
        endpoint: endpoint.into(),
        account: account.into(),
    }
}

fn limits(calls_per_second: u32, endpoint_calls_per_second: u32) -> StripeRateLimits {
    let rate = |calls| NonZeroU32::new(calls).expect("the rate is positive");
    StripeRateLimits {
        calls_per_second: rate(calls_per_second),
        endpoint_calls_per_second: rate(endpoint_calls_per_second),
    }
}

fn limiter(calls_per_second: u32) -> Arc<RateLimiter> {
    Arc::new(RateLimiter::new(limits(calls_per_second, calls_per_second)))
}

/// Submits the calls one after the other and returns their priorities in the order in which the
/// calls start.
async fn call_start_sequence(
    limiter: &RateLimiter,
    arrivals: &[CallPriority],
) -> Vec<CallPriority> {
    let started = Mutex::new(Vec::new());
    let call = async |priority: CallPriority| {
        assert!(limiter.acquire(priority, &BUCKET).await);
        started.lock().expect("no call panicked").push(priority);
    };
    join_all(arrivals.iter().map(|priority| call(*priority))).await;
    started.into_inner().expect("no call panicked")
}

#[tokio::test(start_paused = true)]
async fn calls_start_in_priority_order_from_capture_to_read() {
    let limiter = limiter(1);
    assert!(
        limiter.acquire(CallPriority::Read, &BUCKET).await,
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
    assert!(limiter.acquire(CallPriority::Capture, &BUCKET).await);
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
        assert!(limiter.acquire(priority, &BUCKET).await);
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
    assert!(limiter.acquire(CallPriority::Read, &BUCKET).await);
    let began = Instant::now();
    // A read waits behind three calls with a higher priority. All four calls are dropped while they
    // wait.
    let behind = Box::pin(limiter.acquire(CallPriority::Read, &BUCKET));
    let mut waits = vec![behind];
    waits.extend(
        [
            CallPriority::Create,
            CallPriority::Cancel,
            CallPriority::Capture,
        ]
        .map(|priority| Box::pin(limiter.acquire(priority, &BUCKET))),
    );
    for wait in &mut waits {
        assert!(wait.as_mut().now_or_never().is_none());
    }
    let last = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.acquire(CallPriority::Read, &BUCKET).await }
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
    assert!(limiter.acquire(CallPriority::Read, &BUCKET).await);
    let began = Instant::now();
    let reads = join_all(
        (0..WAITING_CALLS_PER_PRIORITY_MAX).map(|_| limiter.acquire(CallPriority::Read, &BUCKET)),
    );
    let mut reads = Box::pin(reads);
    assert!(reads.as_mut().now_or_never().is_none());
    assert!(
        !limiter.acquire(CallPriority::Read, &BUCKET).await,
        "a call beyond the limit was accepted"
    );
    assert_eq!(began.elapsed(), Duration::ZERO);
    let (reads, captured) =
        futures_util::join!(reads, limiter.acquire(CallPriority::Capture, &BUCKET));
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
            .map(|_| Box::pin(limiter.acquire(priority, &BUCKET)))
            .collect();
        assert!(
            waits
                .iter_mut()
                .all(|wait| wait.as_mut().now_or_never().is_none())
        );
        waits
    };
    assert!(limiter.acquire(CallPriority::Read, &BUCKET).await);
    let other = AccountId("acct_other".into());
    for priority in [
        CallPriority::Capture,
        CallPriority::Cancel,
        CallPriority::Create,
        CallPriority::Read,
    ] {
        let waits = fill_queue(priority);
        let is_rejected = |error: Option<GatewayError>| match error {
            Some(GatewayError::Unavailable { why, .. }) => why.contains("wait for their turn"),
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

/// Starts calls to one bucket, and returns when each started.
async fn call_starts(limiter: &RateLimiter, bucket: &CallBucket, calls: usize) -> Vec<Duration> {
    let began = Instant::now();
    let call = async || {
        assert!(limiter.acquire(CallPriority::Read, bucket).await);
        began.elapsed()
    };
    join_all((0..calls).map(|_| call())).await
}

#[tokio::test(start_paused = true)]
async fn endpoint_rate_never_exceeds_25_per_second_and_delays_no_other() {
    let limiter = RateLimiter::new(limits(80, 20));
    let [reads, captures, other_club] = [
        bucket("GET payment_intents/{id}", "acct_club"),
        bucket("POST payment_intents/{id}/capture", "acct_club"),
        bucket("GET payment_intents/{id}", "acct_other"),
    ];
    tokio::time::sleep(10 * SECOND).await;
    let (reads, captures, other_club) = futures_util::join!(
        call_starts(&limiter, &reads, 60),
        call_starts(&limiter, &captures, 5),
        call_starts(&limiter, &other_club, 5)
    );
    for from in &reads {
        let within = reads
            .iter()
            .filter(|at| *at >= from && **at < *from + SECOND)
            .count();
        assert!(within <= 25, "{within} calls within a second of {from:?}");
    }
    // 5 of the 60 reads start at once, and the other 55 at 20 per second.
    let last = reads.iter().max().expect("calls started").as_secs_f64();
    assert!((2.74..2.85).contains(&last), "{last}");
    for others in [captures, other_club] {
        assert_eq!(others, [Duration::ZERO; 5], "another bucket waits");
    }
    assert_eq!(limiter.waiting_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn rejected_call_pauses_only_its_bucket() {
    let limiter = RateLimiter::new(limits(80, 20));
    let [reads, captures] = [
        bucket("GET payment_intents/{id}", "acct_club"),
        bucket("POST payment_intents/{id}/capture", "acct_club"),
    ];
    tokio::time::sleep(SECOND).await;
    let first_start = async |bucket| call_starts(&limiter, bucket, 1).await[0].as_millis();
    for pause_ms in [250, 500, 1_000, 2_000, 2_000] {
        limiter.back_off(&reads, false);
        let (read, captured) = futures_util::join!(first_start(&reads), first_start(&captures));
        assert_eq!((read, captured), (pause_ms, 0));
        tokio::time::sleep(SECOND).await;
    }
    limiter.note_accepted_call(&reads);
    limiter.back_off(&reads, false);
    assert_eq!(first_start(&reads).await, 250, "an accepted call ends it");
    tokio::time::sleep(SECOND).await;
    limiter.back_off(&reads, true);
    assert_eq!(
        first_start(&captures).await,
        250,
        "the total limit pauses all"
    );
}

/// A pause begins while a call waits for a token of its bucket.
#[tokio::test(start_paused = true)]
async fn pause_of_the_next_call_lets_another_start() {
    let limiter = Arc::new(RateLimiter::new(limits(80, 1)));
    let [reads, captures] = [
        bucket("GET payment_intents/{id}", "acct_club"),
        bucket("POST payment_intents/{id}/capture", "acct_club"),
    ];
    for bucket in [&reads, &captures] {
        assert!(limiter.acquire(CallPriority::Read, bucket).await);
    }
    let began = Instant::now();
    let wait = |bucket: &CallBucket| {
        let (limiter, bucket) = (limiter.clone(), bucket.clone());
        tokio::spawn(async move {
            assert!(limiter.acquire(CallPriority::Read, &bucket).await);
            began.elapsed().as_millis()
        })
    };
    let (read, captured) = (wait(&reads), wait(&captures));
    tokio::time::sleep(SECOND / 2).await;
    for _ in 0..4 {
        limiter.back_off(&reads, false);
    }
    let (read, captured) = (
        read.await.expect("started"),
        captured.await.expect("started"),
    );
    assert!((2_500..2_520).contains(&read), "{read}");
    assert!((1_000..1_020).contains(&captured), "{captured}");
}

#[test]
fn endpoint_limit_is_a_quarter_with_live_keys() {
    let in_proportion = |calls, is_live| {
        let calls = NonZeroU32::new(calls).expect("the rate is positive");
        StripeRateLimits::in_proportion(calls, is_live)
    };
    assert_eq!(in_proportion(80, true), limits(80, 20));
    assert_eq!(in_proportion(40, true), limits(40, 10));
    assert_eq!(in_proportion(3, true), limits(3, 1));
    assert_eq!(in_proportion(20, false), limits(20, 20));
}
