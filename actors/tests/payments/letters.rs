//! What a buyer reads whose payment came to nothing, and a club whose buyer's bank wants the money back: once each, and nobody who
//! has nothing to wait for.

use std::time::Duration;

use actors::testing::{Fault, Verb};
use actors::{Gateway, NewIntent};
use domain::{AnomalyKind, OrderState, PaymentIntentId};
use persistence::Books;
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;

use crate::world::{KICK_OFF, NOON, World, account, intent_of, play};

/// Every mail that left about an order: its kind and its reader.
fn read(world: &World, record: &OrderRecord) -> Vec<(String, String)> {
    let about = world
        .mails()
        .into_iter()
        .filter(|mail| mail.order == Some(record.order.id));
    about.map(|mail| (mail.kind, mail.to)).collect()
}

fn kinds(world: &World, record: &OrderRecord) -> Vec<String> {
    read(world, record)
        .into_iter()
        .map(|(kind, _)| kind)
        .collect()
}

async fn authorised(world: &World, lines: &[(i64, u16)]) -> OrderRecord {
    let record = world.open(lines).await;
    assert!(world.gateway.authorise(&intent_of(&record)));
    record
}

#[test]
fn a_buyer_whose_authorisation_ended_before_the_capture_reads_so_once() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        let record = authorised(&world, &[(1042, 2)]).await;
        world.gateway.fail_next(Verb::Capture, Fault::Unavailable);
        world.fulfil(&record).await.unwrap();
        assert_eq!(world.order(&record).order.state, OrderState::Allocated);
        assert!(world.gateway.expire(&intent_of(&record)));
        for _ in 0..3 {
            world.fulfil(&record).await.unwrap();
        }
        world.deliver_notices().await;
        world.restart().await;
        world.pass(700).await;
        assert_eq!(
            (world.order(&record).order.state, world.sold(1042)),
            (OrderState::Void, 0)
        );
        assert_eq!(
            read(&world, &record),
            [("not-charged".to_string(), "alice@example.org".to_string())]
        );
    });
}

/// Kick-off, seats that are gone, and a bank that let go before anybody looked: each is a refusal without tickets.
#[test]
fn a_buyer_who_authorised_and_is_refused_reads_so_once() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let beaten = world.open(&[(1042, 2), (1043, 2)]).await;
        world.gateway.challenge(&intent_of(&beaten));
        world.pass(200).await;
        for count in [50, 50, 50, 18] {
            world.buy(&[(1042, 1), (1043, count)]).await;
        }
        assert!(world.gateway.authorise(&intent_of(&beaten)));
        world.fulfil(&beaten).await.unwrap();
        let let_go = authorised(&world, &[(1042, 1)]).await;
        assert!(world.gateway.expire(&intent_of(&let_go)));
        world.pass(60).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-5)).await;
        let late = authorised(&world, &[(1042, 1)]).await;
        world.clock.advance_to(KICK_OFF).await;
        world.fulfil(&late).await.unwrap();
        world.pass(700).await;
        for record in [&beaten, &let_go, &late] {
            assert_eq!(world.order(record).order.state, OrderState::Released);
            assert_eq!(
                kinds(&world, record),
                ["not-charged"],
                "{:?}",
                world.order(record).reason
            );
        }
    });
}

#[test]
fn who_left_or_never_paid_or_left_no_address_reads_nothing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let lapsed = world.open(&[(1042, 1)]).await;
        let declined = world.open(&[(1042, 1)]).await;
        assert!(world.gateway.decline(&intent_of(&declined)));
        let left = world.open(&[(1042, 1)]).await;
        // The bank says yes while the buyer goes away: between the question whether it did, and the next.
        let (bank, id, mut asked_before) = (world.gateway.clone(), intent_of(&left), false);
        world.gateway.set_pace(move |asked| {
            if asked.verb == Verb::Retrieve && std::mem::replace(&mut asked_before, true) {
                bank.authorise(&id);
            }
            Duration::ZERO
        });
        world.payments().abandon(left.order.id).await.unwrap();
        assert!(
            world
                .gateway
                .intent(&intent_of(&left))
                .unwrap()
                .said
                .authorised_at
                .is_some()
        );
        let mut wanted = world.wants(&[(1042, 1)]);
        wanted.buyer = BuyerDetails::default();
        let nameless = world.payments().open(wanted).await.unwrap();
        assert!(
            world.gateway.authorise(&intent_of(&nameless))
                && world.gateway.expire(&intent_of(&nameless))
        );
        world.pass(700).await;
        for record in [&lapsed, &declined, &left, &nameless] {
            assert_eq!(world.order(record).order.state, OrderState::Released);
        }
        assert_eq!(world.memory.mails(), []);
    });
}

#[test]
fn whose_money_was_taken_and_goes_back_does_not_read_that_it_was_not_taken() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let refunded = world.buy(&[(1042, 2)]).await;
        world
            .payments()
            .refund(refunded.order.id, "asked for")
            .await
            .unwrap();
        let disputed = world.buy(&[(1042, 2)]).await;
        world.gateway.dispute(&intent_of(&disputed));
        world.deliver_notices().await;
        world.clock.advance_to(KICK_OFF.plus_seconds(-5)).await;
        let taken = authorised(&world, &[(1042, 1)]).await;
        assert!(world.gateway.capture_behind_our_back(&intent_of(&taken)));
        world.clock.advance_to(KICK_OFF).await;
        world.pass(700).await;
        for record in [&refunded, &disputed, &taken] {
            assert_eq!(world.order(record).order.state, OrderState::Void);
        }
        assert_eq!(kinds(&world, &refunded), ["tickets", "refunded"]);
        assert_eq!(kinds(&world, &disputed), ["tickets", "disputed"]);
        assert_eq!(kinds(&world, &taken), Vec::<String>::new());
    });
}

#[test]
fn a_club_reads_of_a_dispute_once_whoever_closes_or_finds_it_again() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let id = intent_of(&record);
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&id);
        world.deliver_notices().await;
        world.pass(60).await;
        let told = [
            ("tickets", "alice@example.org"),
            ("disputed", "club-1@club.test"),
        ];
        let told = told.map(|(kind, to)| (kind.to_string(), to.to_string()));
        assert_eq!(read(&world, &record), told);
        assert_eq!(
            world.order(&record).order.state,
            OrderState::Captured,
            "the tickets were in the game"
        );
        world
            .memory
            .heal(&id, AnomalyKind::MismatchedAmount, KICK_OFF)
            .await
            .unwrap();
        world.restart().await;
        world.engine().reconciler.scan(NOON).await.unwrap();
        world.pass(60).await;
        assert_eq!(
            world.memory.anomaly_records().len(),
            2,
            "it was raised again"
        );
        assert_eq!(read(&world, &record), told);
    });
}

/// Anybody may make a payment of their own that bears the name of an order of ours.
#[test]
fn of_the_dispute_of_a_payment_that_only_bears_an_orders_name_the_club_reads_nothing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let forged = NewIntent {
            order: record.order.id,
            account: account(),
            amount: domain::Cents(1000),
            draws: "1042x2".into(),
        };
        let forged: PaymentIntentId = world.gateway.create("forged", &forged).await.unwrap().id;
        assert!(world.gateway.authorise(&forged) && world.gateway.capture_behind_our_back(&forged));
        assert!(world.gateway.dispute(&forged));
        world.deliver_notices().await;
        world.pass(700).await;
        assert!(
            world
                .memory
                .witnesses()
                .iter()
                .any(|seen| seen.said.id == forged && seen.said.disputed)
        );
        assert_eq!(kinds(&world, &record), ["tickets"]);
    });
}
