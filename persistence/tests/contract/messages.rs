//! What the books promise of notices, anomalies and mail.

use std::collections::BTreeSet;
use std::slice;

use domain::{Anomaly, AnomalyKind, Cents, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus};
use persistence::Failure;
use persistence::books::{Notice, Tell};
use persistence::ledger::{BuyerDetails, NewOrder};
use persistence::nodes::Boot;

use crate::support::{NOW, Process, World, intent_id, said};

const ME: Boot = Boot(1);

fn notice(event_id: &str) -> Notice {
    Notice {
        event_id: event_id.into(),
        account: Some("acct_1".into()),
        kind: "payment_intent.succeeded".into(),
        payment_intent: Some(PaymentIntentId("pi_1".into())),
        payload: "{ \"as\":  \"received\" }".into(),
    }
}

pub async fn a_notice_counts_once(world: World) {
    let store = async |event_id: &str, at_ms| {
        world
            .books
            .notice(&notice(event_id), ME, NOW.plus_ms(at_ms))
            .await
            .expect("stored")
    };
    assert_eq!(
        [
            store("evt_2", 1).await,
            store("evt_1", 2).await,
            store("evt_2", 3).await
        ],
        [true, true, false]
    );
    let waiting = async |limit| {
        let waiting = world
            .books
            .notices_unhandled(ME, NOW, limit)
            .await
            .expect("read");
        waiting
            .into_iter()
            .map(|notice| notice.event_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting(9).await, ["evt_2", "evt_1"], "oldest first");
    assert_eq!(waiting(1).await, ["evt_2"]);
    let first = world
        .books
        .notices_unhandled(ME, NOW, 1)
        .await
        .expect("read")
        .remove(0);
    assert_eq!(first.payload, notice("").payload, "byte for byte");
    for _ in 0..2 {
        world
            .books
            .notice_handled("evt_2", NOW)
            .await
            .expect("handled, and again");
    }
    assert_eq!(waiting(9).await, ["evt_1"]);
    assert!(!store("evt_2", 4).await, "a handled one is still known");
    assert_eq!(
        world.books.notice_handled("evt_9", NOW).await,
        Err(Failure::NotFound)
    );
}

pub async fn a_notice_is_its_takers_until_that_one_is_gone_or_late(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    world
        .books
        .notice(&notice("evt_1"), one.node.boot, NOW)
        .await
        .expect("stored");
    let sees = async |process: &Process, overdue_ms| {
        let sees = world
            .books
            .notices_unhandled(process.node.boot, NOW.plus_ms(overdue_ms), 9)
            .await
            .expect("read");
        sees.len()
    };
    assert_eq!(
        (sees(&one, 0).await, sees(&other, 0).await),
        (1, 0),
        "two do not do the same work"
    );
    assert_eq!(
        sees(&other, 1).await,
        1,
        "but for one that has been waiting too long"
    );
    one.nodes().leave(one.node.boot).await.expect("left");
    assert_eq!(sees(&other, 0).await, 1, "nobody waits for who is gone");
}

fn anomaly(kind: AnomalyKind, payment_intent: Option<u128>, order: Option<u128>) -> Anomaly {
    Anomaly {
        kind,
        payment_intent: payment_intent.map(intent_id),
        order: order.map(OrderId),
        note: "odd".into(),
    }
}

pub async fn an_anomaly_is_open_once_until_it_heals(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 1)])).await.expect("opened");
    world
        .books
        .opened(OrderId(1), &intent_id(1), "secret")
        .await
        .expect("opened");
    let raise = async |anomaly: Anomaly, at_ms| {
        world
            .books
            .raise(&anomaly, Some(Cents(5)), NOW.plus_ms(at_ms))
            .await
            .expect("raised")
    };
    use AnomalyKind::{FailedAllocation, MismatchedAmount, MissingTicket};
    assert!(raise(anomaly(MissingTicket, Some(1), None), 1).await);
    assert!(
        !raise(anomaly(MissingTicket, Some(1), Some(1)), 2).await,
        "it is open"
    );
    assert!(raise(anomaly(MismatchedAmount, Some(1), None), 3).await);
    assert!(raise(anomaly(FailedAllocation, None, Some(1)), 4).await);
    assert!(raise(anomaly(FailedAllocation, None, None), 5).await);
    assert!(!raise(anomaly(FailedAllocation, None, None), 6).await);

    let heal = async || {
        world
            .books
            .heal(&intent_id(1), MissingTicket, NOW.plus_ms(9))
            .await
            .expect("healed")
    };
    assert_eq!((heal().await, heal().await), (1, 0));
    let known = world.books.open_about(&intent_id(1)).await.expect("read");
    assert_eq!(known.len(), 2, "of its order, too");
    assert!(
        raise(anomaly(MissingTicket, Some(1), None), 10).await,
        "it is back"
    );
    let heal = async || {
        world
            .books
            .heal_known(&known, NOW.plus_ms(9))
            .await
            .expect("healed")
    };
    assert_eq!(
        (heal().await, heal().await),
        (2, 0),
        "but not what was raised since"
    );
    let kinds = async |only_open| {
        let listed = world.books.anomalies(only_open, 10).await.expect("read");
        listed
            .into_iter()
            .map(|record| (record.anomaly.kind, record.resolved_at.is_some()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(true).await,
        [(MissingTicket, false), (FailedAllocation, false)],
        "newest first"
    );
    assert_eq!(kinds(false).await.len(), 5);
    let newest = world
        .books
        .anomalies(false, 1)
        .await
        .expect("read")
        .remove(0);
    assert_eq!(
        (newest.anomaly, newest.amount),
        (anomaly(MissingTicket, Some(1), None), Some(Cents(5)))
    );
    assert_eq!(newest.detected_at, NOW.plus_ms(10));
}

pub async fn a_mail_leaves_once(world: World) {
    let queue = async |key: &str| {
        let queued = world
            .books
            .queue_mail(key, "reset", None, "bob@club.test", "{\"link\":\"x\"}", NOW)
            .await;
        queued.expect("queued")
    };
    assert_eq!(
        [
            queue("reset-1").await,
            queue("reset-1").await,
            queue("reset-2").await
        ],
        [true, false, true]
    );
    let claim = async |at_ms, limit| {
        world
            .books
            .claim_mail(ME, NOW.plus_ms(at_ms), 1_000, limit)
            .await
            .expect("claimed")
    };
    assert!(claim(-1, 9).await.is_empty(), "not before it was queued");
    let first = claim(0, 1).await.remove(0);
    assert_eq!(
        (first.kind.as_str(), first.to.as_str(), first.data.as_str()),
        ("reset", "bob@club.test", "{\"link\":\"x\"}")
    );
    assert_eq!(first.attempts, 1);
    let second = claim(0, 9).await.remove(0);
    assert!(claim(999, 9).await.is_empty(), "leased");
    assert_ne!(first.message_id, second.message_id);
    world
        .books
        .mail_failed(first.id, "busy", Some(NOW.plus_ms(5_000)))
        .await
        .expect("noted");
    world
        .books
        .mail_failed(second.id, "no such box", None)
        .await
        .expect("noted");
    assert!(claim(4_999, 9).await.is_empty());
    let again = claim(5_000, 9).await;
    assert_eq!(
        again
            .iter()
            .map(|mail| (mail.id, mail.attempts))
            .collect::<Vec<_>>(),
        [(first.id, 2)]
    );
    assert_eq!(
        again[0].message_id, first.message_id,
        "a doubled send is one message to the reader"
    );
    for _ in 0..2 {
        world
            .books
            .mail_sent(first.id, NOW)
            .await
            .expect("sent, and again");
    }
    world
        .books
        .mail_failed(first.id, "late", Some(NOW))
        .await
        .expect("it has left");
    assert!(claim(60_000, 9).await.is_empty());
    assert_eq!(world.books.mail_sent(77, NOW).await, Err(Failure::NotFound));
    assert_eq!(
        world.books.mail_failed(77, "", None).await,
        Err(Failure::NotFound)
    );
}

pub async fn a_mail_whose_sender_is_gone_leaves_at_once(world: World) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    for key in ["reset-1", "reset-2"] {
        world
            .books
            .queue_mail(key, "reset", None, "bob@club.test", "{}", NOW)
            .await
            .expect("queued");
    }
    let claims = async |sender: Boot, limit| {
        world
            .books
            .claim_mail(sender, NOW, 120_000, limit)
            .await
            .expect("claimed")
    };
    let (first, second) = (
        claims(one.node.boot, 1).await.remove(0),
        claims(one.node.boot, 1).await.remove(0),
    );
    world
        .books
        .mail_failed(second.id, "busy", Some(NOW.plus_ms(5_000)))
        .await
        .expect("noted");
    assert!(
        claims(other.node.boot, 9).await.is_empty(),
        "its sender lives"
    );
    let gone = one.kill();
    while other.nodes().bury(gone).await != Ok(true) {
        tokio::task::yield_now().await;
    }
    let again = claims(other.node.boot, 9).await;
    let again: Vec<_> = again
        .iter()
        .map(|mail| (mail.id, mail.attempts, mail.message_id.as_str()))
        .collect();
    assert_eq!(
        again,
        [(first.id, 2, first.message_id.as_str())],
        "and what is put off waits for its time"
    );
    assert!(claims(other.node.boot, 9).await.is_empty(), "once");
}

/// What leaves now: kind, order, and whose domain it goes to.
async fn leaves(world: &World) -> Vec<(String, Option<u128>, String)> {
    let mails = world
        .books
        .claim_mail(ME, NOW.plus_seconds(60), 1_000, 99)
        .await
        .expect("claimed");
    for mail in &mails {
        world.books.mail_sent(mail.id, NOW).await.expect("sent");
    }
    let domain = |to: &str| to.split('@').next_back().unwrap_or_default().to_string();
    mails
        .into_iter()
        .map(|mail| (mail.kind, mail.order.map(|order| order.0), domain(&mail.to)))
        .collect()
}

fn mail(kind: &str, order: u128, domain: &str) -> (String, Option<u128>, String) {
    (kind.into(), Some(order), domain.into())
}

pub async fn who_is_to_be_told_of_no_charge_reads_it_once_and_nobody_else(world: World) {
    let mut owner = world.owner(0).await;
    let nameless = NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(3, &[(0, 1)])
    };
    for new in [
        world.order(1, &[(0, 1)]),
        world.order(2, &[(0, 1)]),
        nameless,
    ] {
        owner.open(new).await.expect("opened");
    }
    for (order, tell) in [(1, Tell::Buyer), (2, Tell::Nobody), (3, Tell::Buyer)] {
        world
            .books
            .released(OrderId(order), "gone", tell, NOW)
            .await
            .expect("released");
        world
            .books
            .released(OrderId(order), "gone", Tell::Buyer, NOW)
            .await
            .expect("it has ended");
    }
    world
        .books
        .voided(OrderId(1), "given back by hand", Tell::Buyer, NOW)
        .await
        .expect("void");
    world.allocated(&mut owner, 4, 1).await;
    let refused = world
        .books
        .voided(OrderId(4), "gone", Tell::Buyer, NOW)
        .await;
    assert!(
        matches!(refused, Err(Failure::NotWritten(_))),
        "it has its tickets"
    );
    assert_eq!(
        leaves(&world).await,
        [mail("not-charged", 1, "buyer.test")],
        "what is not written is not told"
    );
    owner.void(4).await.expect("given back");
    world
        .books
        .voided(OrderId(4), "gone", Tell::Buyer, NOW)
        .await
        .expect("void");
    world.captured(&mut owner, 5, 1).await;
    owner.void(5).await.expect("given back");
    world
        .books
        .voided(OrderId(5), "disputed", Tell::Buyer, NOW)
        .await
        .expect("void");
    let told = [
        mail("not-charged", 4, "buyer.test"),
        mail("tickets", 5, "buyer.test"),
    ];
    assert_eq!(leaves(&world).await, told, "the fifth's money was taken");
}

pub async fn a_club_reads_once_of_a_dispute_of_an_orders_own_payment(world: World) {
    let mut owner = world.owner(0).await;
    let record = world.captured(&mut owner, 1, 1).await;
    assert_eq!(leaves(&world).await, [mail("tickets", 1, "buyer.test")]);
    let quiet = said(&record, PaymentStatus::Succeeded);
    let disputed = PaymentIntent {
        disputed: true,
        ..quiet.clone()
    };
    let forged = PaymentIntent {
        id: intent_id(404),
        ..disputed.clone()
    };
    for seen in [&quiet, &forged] {
        world
            .books
            .witness(slice::from_ref(seen), NOW.plus_ms(9))
            .await
            .expect("seen");
    }
    assert_eq!(leaves(&world).await, [], "a stranger's");
    // The first was asked before what is written already.
    for at_ms in 8..13 {
        world
            .books
            .witness(slice::from_ref(&disputed), NOW.plus_ms(at_ms))
            .await
            .expect("seen");
        world
            .books
            .witness(slice::from_ref(&quiet), NOW.plus_ms(at_ms))
            .await
            .expect("and not seen");
    }
    assert_eq!(leaves(&world).await, [mail("disputed", 1, "club.test")]);
}

pub async fn the_witness_is_written_over(world: World) {
    let mut owner = world.owner(0).await;
    let record = world.captured(&mut owner, 1, 1).await;
    for status in [
        PaymentStatus::RequiresCapture,
        PaymentStatus::Succeeded,
        PaymentStatus::Succeeded,
    ] {
        world
            .books
            .witness(&[said(&record, status)], NOW)
            .await
            .expect("written");
    }
}

pub async fn payments_are_witnessed_together(world: World) {
    let mut owner = world.owner(0).await;
    let mut seen = Vec::new();
    for number in 1..=3 {
        seen.push(said(
            &world.captured(&mut owner, number, 1).await,
            PaymentStatus::Succeeded,
        ));
    }
    world.books.witness(&seen, NOW).await.expect("written");
    for one in &seen {
        assert_eq!(
            world.books.witnessed(&one.id).await,
            Ok(Some(one.account.clone()))
        );
    }
    assert_eq!(world.books.witness(&[], NOW).await, Ok(()));
}

pub async fn the_payments_that_something_is_open_about_are_found_together(world: World) {
    let mut owner = world.owner(0).await;
    for number in 1..=3 {
        world.captured(&mut owner, number, 1).await;
    }
    let all = [1, 2, 3, 4].map(intent_id);
    let reported = async || world.books.reported(&all).await.expect("read");
    assert_eq!(reported().await, BTreeSet::new());
    use AnomalyKind::{FailedAllocation, MissingTicket};
    // One names its payment; one its order alone; one another's payment beside its order; one nobody's.
    for about in [
        anomaly(MissingTicket, Some(1), None),
        anomaly(FailedAllocation, None, Some(2)),
        anomaly(MissingTicket, Some(4), Some(3)),
        anomaly(FailedAllocation, None, None),
    ] {
        assert!(world.books.raise(&about, None, NOW).await.expect("raised"));
    }
    assert_eq!(reported().await, BTreeSet::from([1, 2, 4].map(intent_id)));
    assert_eq!(
        world.books.reported(&[intent_id(3)]).await,
        Ok(BTreeSet::new())
    );
    world
        .books
        .heal(&intent_id(2), FailedAllocation, NOW)
        .await
        .expect("healed");
    assert_eq!(reported().await, BTreeSet::from([1, 4].map(intent_id)));
}

pub async fn of_a_payment_one_repair_is_under_way_at_a_time(world: World) {
    let begin = async |payment, repair, after_ms| {
        world
            .books
            .begin_repair(&intent_id(payment), repair, NOW.plus_ms(after_ms))
            .await
            .expect("written")
    };
    let end = async |repair| {
        world
            .books
            .end_repair(&intent_id(1), repair)
            .await
            .expect("written")
    };
    use persistence::books::{REPAIR_MS, Repair::*};
    assert!(
        begin(1, Tickets, 0).await && begin(1, Tickets, 1).await,
        "asked again"
    );
    assert!(!begin(1, Return, 2).await, "it is being given tickets");
    assert!(begin(2, Return, 2).await, "that is another payment");
    end(Return).await;
    assert!(!begin(1, Return, 3).await, "what ended was not under way");
    end(Tickets).await;
    assert!(begin(1, Return, 4).await && !begin(1, Tickets, 4 + REPAIR_MS - 1).await);
    assert!(
        begin(1, Tickets, 4 + REPAIR_MS).await,
        "nobody heard how it ended"
    );
}

pub async fn what_a_person_closed_does_not_come_back(world: World) {
    use AnomalyKind::{MismatchedAmount, MissingTicket};
    let about = |kind, payment_intent: Option<PaymentIntentId>, note: &str| Anomaly {
        kind,
        payment_intent,
        order: None,
        note: note.into(),
    };
    let raise =
        async |anomaly: &Anomaly| world.books.raise(anomaly, None, NOW).await.expect("raised");
    let dispute = about(MismatchedAmount, Some(intent_id(1)), "disputed");
    let paused = about(MissingTicket, None, "draw 1001 is paused");
    assert!(raise(&dispute).await && raise(&paused).await);
    assert_eq!(world.books.anomaly_counts().await, Ok((2, 2)));
    for record in world.books.anomalies(true, 10).await.expect("read") {
        assert_eq!(
            world.books.resolve(record.id, "by operator 1", NOW).await,
            Ok(true)
        );
        assert_eq!(
            world.books.resolve(record.id, "by operator 1", NOW).await,
            Ok(false),
            "it is closed"
        );
    }
    assert_eq!(world.books.anomaly_counts().await, Ok((2, 0)));
    assert!(!raise(&dispute).await, "somebody knows");
    assert!(
        raise(&about(
            MismatchedAmount,
            Some(intent_id(1)),
            "another amount"
        ))
        .await,
        "that is news"
    );
    assert!(raise(&paused).await, "what names no payment happens again");
    assert_eq!(world.books.resolve(404, "by nobody", NOW).await, Ok(false));
}

pub async fn whose_a_ticket_a_payment_and_an_account_is_can_be_asked(world: World) {
    let mut owner = world.owner(0).await;
    let record = world.captured(&mut owner, 1, 2).await;
    let [mine, nobodys] = [2, 3].map(|number| domain::Serial::new(number).expect("a serial"));
    assert_eq!(
        world.books.holder(world.draws[0], mine).await,
        Ok(Some(OrderId(1)))
    );
    assert_eq!(world.books.holder(world.draws[0], nobodys).await, Ok(None));
    assert_eq!(world.books.witnessed(&intent_id(1)).await, Ok(None));
    let seen = said(&record, PaymentStatus::Succeeded);
    world
        .books
        .witness(slice::from_ref(&seen), NOW)
        .await
        .expect("seen");
    assert_eq!(
        world.books.witnessed(&intent_id(1)).await,
        Ok(Some(record.order.account.clone()))
    );
    assert_eq!(
        world.books.club_of(&record.order.account).await,
        Ok(Some(record.order.club))
    );
    assert_eq!(
        world
            .books
            .club_of(&domain::AccountId("acct_nobody".into()))
            .await,
        Ok(None)
    );

    let nameless = NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(2, &[(0, 1)])
    };
    owner.open(nameless).await.expect("opened");
    world
        .books
        .opened(OrderId(2), &intent_id(2), "secret")
        .await
        .expect("opened");
    owner.allocate(2, 1).await.expect("allocated");
    let taken = said(&world.record(2).await, PaymentStatus::Succeeded);
    world
        .books
        .captured(OrderId(2), &taken, NOW)
        .await
        .expect("captured");
    let ids = |found: Vec<persistence::books::OrderRecord>| {
        found.iter().map(|r| r.order.id.0).collect::<Vec<_>>()
    };
    let found = world
        .books
        .orders_nameless(NOW.plus_ms(1), 10)
        .await
        .expect("read");
    assert_eq!(ids(found), [2]);
    assert_eq!(
        ids(world.books.orders_nameless(NOW, 10).await.expect("read")),
        []
    );
    let anomaly = domain::Anomaly {
        kind: domain::AnomalyKind::OrphanedTicket,
        payment_intent: Some(intent_id(2)),
        order: Some(OrderId(2)),
        note: "no address".into(),
    };
    world
        .books
        .raise(&anomaly, None, NOW)
        .await
        .expect("raised");
    let none = world
        .books
        .orders_nameless(NOW.plus_ms(1), 10)
        .await
        .expect("read");
    assert_eq!(
        ids(none),
        [],
        "somebody was told, and those after it have their turn"
    );
    world
        .books
        .heal(&intent_id(2), domain::AnomalyKind::OrphanedTicket, NOW)
        .await
        .expect("healed");
    assert_eq!(
        ids(world
            .books
            .orders_nameless(NOW.plus_ms(1), 10)
            .await
            .expect("read")),
        [2]
    );

    assert_eq!(
        ids(world.books.orders_called_off(10).await.expect("read")),
        []
    );
    owner
        .execute(domain::Command::Cancel, None)
        .await
        .expect("cancelled");
    let mut due = ids(world.books.orders_called_off(10).await.expect("read"));
    due.sort_unstable();
    assert_eq!(due, [1, 2]);
}
