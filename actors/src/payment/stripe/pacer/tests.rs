//! The clock is tokio's, paused: it moves only while everybody waits.

use std::sync::{Arc, Mutex};

use domain::{AccountId, Cents, PaymentIntentId};
use futures_util::FutureExt;
use futures_util::future::join_all;

use super::super::{Stripe, StripeSettings};
use super::*;
use crate::{Gateway, GatewayError};

const SECOND: Duration = Duration::from_secs(1);

fn pacer(calls_per_second: u32) -> Arc<Pacer> {
    Arc::new(Pacer::new(
        NonZeroU32::new(calls_per_second).expect("a rate"),
    ))
}

/// Calls that came one after the other, in the order in which they left.
async fn leaving(pacer: &Pacer, came: &[Rank]) -> Vec<Rank> {
    let left = Mutex::new(Vec::new());
    let call = async |rank: Rank| {
        assert!(pacer.pass(rank).await);
        left.lock().expect("whole").push(rank);
    };
    join_all(came.iter().map(|rank| call(*rank))).await;
    left.into_inner().expect("whole")
}

#[tokio::test(start_paused = true)]
async fn captures_leave_before_cancellations_before_intents_before_questions() {
    let pacer = pacer(1);
    assert!(pacer.pass(Rank::Read).await, "nobody is before it");
    let left = leaving(&pacer, &[Rank::Create, Rank::Cancel, Rank::Capture]).await;
    // One of four is whoever waited longest: here, whoever is left.
    assert_eq!(left, [Rank::Capture, Rank::Cancel, Rank::Create]);
    let left = leaving(&pacer, &[Rank::Read, Rank::Create, Rank::Capture]).await;
    assert_eq!(left, [Rank::Capture, Rank::Create, Rank::Read]);
}

#[tokio::test(start_paused = true)]
async fn one_call_in_four_is_whoever_waited_longest() {
    let pacer = pacer(8);
    assert!(pacer.pass(Rank::Capture).await);
    let mut came = vec![Rank::Read];
    came.extend([Rank::Capture; 8]);
    let left = leaving(&pacer, &came).await;
    assert_eq!(
        left.iter().position(|rank| *rank == Rank::Read),
        Some(2),
        "the fourth in all: {left:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn no_second_has_more_than_the_documented_hundred_and_none_is_lost() {
    let pacer = pacer(80);
    tokio::time::sleep(10 * SECOND).await;
    let (began, left) = (Instant::now(), Mutex::new(Vec::new()));
    let call = async |number: usize| {
        let rank = [Rank::Capture, Rank::Cancel, Rank::Create, Rank::Read][number % RANKS];
        assert!(pacer.pass(rank).await);
        left.lock().expect("whole").push(began.elapsed());
    };
    join_all((0..240).map(call)).await;
    let left = left.into_inner().expect("whole");
    assert_eq!(
        left.iter().filter(|at| at.is_zero()).count(),
        20,
        "what an idle time saves up"
    );
    for from in &left {
        let within = left
            .iter()
            .filter(|at| *at >= from && **at < *from + SECOND)
            .count();
        assert!(within <= 100, "{within} within a second of {from:?}");
    }
    // 20 at once, 220 at 80 a second.
    let last = left.last().expect("they left").as_secs_f64();
    assert!((2.74..2.77).contains(&last), "{last}");
    assert_eq!(pacer.waiting(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_keeps_nobody_waiting_and_leaves_no_trace() {
    let pacer = pacer(1);
    assert!(pacer.pass(Rank::Read).await);
    let began = Instant::now();
    // Three that mind the clock one after the other, and one far behind; each is dropped in the middle of its wait.
    let behind = Box::pin(pacer.pass(Rank::Read));
    let mut waits = vec![behind];
    waits
        .extend([Rank::Create, Rank::Cancel, Rank::Capture].map(|rank| Box::pin(pacer.pass(rank))));
    for wait in &mut waits {
        assert!(wait.as_mut().now_or_never().is_none());
    }
    let last = tokio::spawn({
        let pacer = pacer.clone();
        async move { pacer.pass(Rank::Read).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(pacer.waiting(), 5);
    drop(waits);
    assert_eq!(pacer.waiting(), 1);
    assert!(last.await.expect("it ends"));
    assert_eq!(
        began.elapsed().as_millis(),
        1000,
        "the dropped ones took no turn"
    );
}

#[tokio::test(start_paused = true)]
async fn a_full_line_takes_no_more_of_a_rank_and_nobody_waits_for_ever() {
    let pacer = pacer(1);
    assert!(pacer.pass(Rank::Read).await);
    let began = Instant::now();
    let reads = join_all((0..WAITING_MAX).map(|_| pacer.pass(Rank::Read)));
    let mut reads = Box::pin(reads);
    assert!(reads.as_mut().now_or_never().is_none());
    assert!(!pacer.pass(Rank::Read).await, "one more is told at once");
    assert_eq!(began.elapsed(), Duration::ZERO);
    let (reads, captured) = futures_util::join!(reads, pacer.pass(Rank::Capture));
    assert!(captured, "they do not keep a capture out");
    // One a second, and the first is the capture; whether the last second's still counts is the timer's to say.
    let reads = reads.into_iter().filter(|left| *left).count();
    assert!((2..=3).contains(&reads), "{reads}");
    assert!(
        began.elapsed() < WAIT_MAX + Duration::from_millis(10),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(pacer.waiting(), 0);
}

/// The client stands behind its pacer, all its accounts behind the same one, and each call has its rank.
#[tokio::test(start_paused = true)]
async fn a_call_that_gets_no_turn_is_not_made_and_had_no_effect() {
    let settings = StripeSettings::new("sk_test_1", "http://127.0.0.1:1").paced(NonZeroU32::new(1));
    let stripe = Stripe::new(&settings).expect("a gateway");
    let pacer = stripe.platform.pacer.clone().expect("paced");
    let (club, id) = (
        AccountId("acct_club".into()),
        PaymentIntentId("pi_1".into()),
    );
    let full = |rank: Rank| {
        let mut waits: Vec<_> = (0..WAITING_MAX)
            .map(|_| Box::pin(pacer.pass(rank)))
            .collect();
        assert!(
            waits
                .iter_mut()
                .all(|wait| wait.as_mut().now_or_never().is_none())
        );
        waits
    };
    assert!(pacer.pass(Rank::Read).await);
    let other = AccountId("acct_other".into());
    for rank in [Rank::Capture, Rank::Cancel, Rank::Create, Rank::Read] {
        let waits = full(rank);
        let turned_away = |said: Option<GatewayError>| match said {
            Some(GatewayError::Unavailable(why)) => why.contains("wait for their turn"),
            // It waits for its turn.
            None => false,
            Some(other) => panic!("{other:?}"),
        };
        let asked = [
            (
                Rank::Capture,
                stripe
                    .capture("cap", &club, &id, Cents(7))
                    .now_or_never()
                    .map(|said| said.err()),
            ),
            (
                Rank::Cancel,
                stripe
                    .cancel("cancel", &other, &id)
                    .now_or_never()
                    .map(|said| said.err()),
            ),
            (
                Rank::Create,
                stripe
                    .refund("refund", &club, &id, Cents(7))
                    .now_or_never()
                    .map(|said| said.err()),
            ),
            (
                Rank::Create,
                stripe
                    .confirm("confirm", &club, &id, "pm_1")
                    .now_or_never()
                    .map(|said| said.err()),
            ),
            (
                Rank::Read,
                stripe
                    .retrieve(&other, &id)
                    .now_or_never()
                    .map(|said| said.err()),
            ),
        ];
        for (of, said) in asked {
            assert_eq!(
                turned_away(said.flatten()),
                of == rank,
                "{of:?} while {rank:?} is full"
            );
        }
        drop(waits);
    }
}
