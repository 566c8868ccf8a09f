//! Tests that both stores must pass, about webhook events, anomalies and mails.

use std::collections::BTreeSet;
use std::slice;

use domain::{
    Anomaly, AnomalyKind, Cents, DisputeStatus, OrderId, PaymentIntent, PaymentIntentId,
    PaymentStatus,
};
use persistence::Failure;
use persistence::ledger::{BuyerDetails, NewOrder};
use persistence::nodes::InstanceId;
use persistence::stores::{NotifyBuyer, StoredWebhookEvent};

use crate::support::{NOW, Process, TestWorld, intent_id, provider_intent};

const RECEIVING_NODE: InstanceId = InstanceId(1);

fn event(event_id: &str) -> StoredWebhookEvent {
    StoredWebhookEvent {
        event_id: event_id.into(),
        account: Some("acct_1".into()),
        kind: "payment_intent.succeeded".into(),
        payment_intent: Some(PaymentIntentId("pi_1".into())),
        payload: "{ \"as\":  \"received\" }".into(),
    }
}

pub async fn webhook_event_is_stored_once(world: TestWorld) {
    let store = async |event_id: &str, at_ms| {
        world
            .stores
            .store_event(&event(event_id), RECEIVING_NODE, NOW.plus_ms(at_ms))
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
            .stores
            .unhandled_events(RECEIVING_NODE, NOW, limit)
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
        .stores
        .unhandled_events(RECEIVING_NODE, NOW, 1)
        .await
        .expect("read")
        .remove(0);
    assert_eq!(first.payload, event("").payload, "byte for byte");
    for _ in 0..2 {
        world
            .stores
            .mark_event_handled("evt_2", NOW)
            .await
            .expect("handled, and again");
    }
    assert_eq!(waiting(9).await, ["evt_1"]);
    assert!(!store("evt_2", 4).await, "a handled event is still stored");
    assert_eq!(
        world.stores.mark_event_handled("evt_9", NOW).await,
        Err(Failure::NotFound)
    );
}

pub async fn event_waits_for_its_receiver_until_gone_or_overdue(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    world
        .stores
        .store_event(&event("evt_1"), one.node.boot, NOW)
        .await
        .expect("stored");
    let unhandled = async |process: &Process, overdue_ms| {
        let unhandled = world
            .stores
            .unhandled_events(process.node.boot, NOW.plus_ms(overdue_ms), 9)
            .await
            .expect("read");
        unhandled.len()
    };
    assert_eq!(
        (unhandled(&one, 0).await, unhandled(&other, 0).await),
        (1, 0),
        "an event is handled by one node"
    );
    assert_eq!(unhandled(&other, 1).await, 1, "except one that is overdue");
    one.nodes().leave(one.node.boot).await.expect("left");
    assert_eq!(
        unhandled(&other, 0).await,
        1,
        "events of a gone node are handled at once"
    );
}

fn anomaly(kind: AnomalyKind, payment_intent: Option<u128>, order: Option<u128>) -> Anomaly {
    Anomaly {
        kind,
        payment_intent: payment_intent.map(intent_id),
        order: order.map(OrderId),
        note: "odd".into(),
    }
}

pub async fn anomaly_is_open_once_until_it_heals(world: TestWorld) {
    use AnomalyKind::{FailedAllocation, MismatchedAmount, MissingTicket};

    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 1)])).await.expect("opened");
    world
        .stores
        .record_payment_intent(OrderId(1), &intent_id(1), "secret")
        .await
        .expect("opened");
    let raise = async |anomaly: Anomaly, at_ms| {
        world
            .stores
            .raise_anomaly(&anomaly, Some(Cents(5)), NOW.plus_ms(at_ms))
            .await
            .expect("raised")
    };
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
            .stores
            .resolve_healed_anomalies(&intent_id(1), MissingTicket, NOW.plus_ms(9))
            .await
            .expect("healed")
    };
    assert_eq!((heal().await, heal().await), (1, 0));
    let open_ids = world
        .stores
        .open_anomalies_of_payment(&intent_id(1))
        .await
        .expect("read");
    assert_eq!(open_ids.len(), 2, "including the anomaly of its order");
    assert!(
        raise(anomaly(MissingTicket, Some(1), None), 10).await,
        "raised again after it healed"
    );
    let heal = async || {
        world
            .stores
            .resolve_healed_anomalies_by_id(&open_ids, NOW.plus_ms(9))
            .await
            .expect("healed")
    };
    assert_eq!(
        (heal().await, heal().await),
        (2, 0),
        "anomalies raised later stay open"
    );
    let kinds = async |only_open| {
        let listed = world.stores.anomalies(only_open, 10).await.expect("read");
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
        .stores
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

pub async fn mail_is_sent_once(world: TestWorld) {
    let queue = async |key: &str| {
        let queued = world
            .stores
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
            .stores
            .claim_mail(RECEIVING_NODE, NOW.plus_ms(at_ms), 1_000, limit)
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
        .stores
        .record_mail_failure(first.id, "busy", Some(NOW.plus_ms(5_000)))
        .await
        .expect("recorded");
    world
        .stores
        .record_mail_failure(second.id, "no such box", None)
        .await
        .expect("recorded");
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
        "the message id is the same for every attempt"
    );
    for _ in 0..2 {
        world
            .stores
            .mark_mail_sent(first.id, NOW)
            .await
            .expect("sent, and again");
    }
    world
        .stores
        .record_mail_failure(first.id, "late", Some(NOW))
        .await
        .expect("it was sent");
    assert!(claim(60_000, 9).await.is_empty());
    assert_eq!(
        world.stores.mark_mail_sent(77, NOW).await,
        Err(Failure::NotFound)
    );
    assert_eq!(
        world.stores.record_mail_failure(77, "", None).await,
        Err(Failure::NotFound)
    );
}

pub async fn mail_of_a_gone_sender_is_claimed_at_once(world: TestWorld) {
    let (one, other) = (world.process(1).await, world.process(2).await);
    one.renew().await;
    other.renew().await;
    for key in ["reset-1", "reset-2"] {
        world
            .stores
            .queue_mail(key, "reset", None, "bob@club.test", "{}", NOW)
            .await
            .expect("queued");
    }
    let claims = async |sender: InstanceId, limit| {
        world
            .stores
            .claim_mail(sender, NOW, 120_000, limit)
            .await
            .expect("claimed")
    };
    let (first, second) = (
        claims(one.node.boot, 1).await.remove(0),
        claims(one.node.boot, 1).await.remove(0),
    );
    world
        .stores
        .record_mail_failure(second.id, "busy", Some(NOW.plus_ms(5_000)))
        .await
        .expect("recorded");
    assert!(
        claims(other.node.boot, 9).await.is_empty(),
        "its sender is alive"
    );
    let gone = one.kill();
    while other.nodes().remove_ended_node(gone).await != Ok(true) {
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
        "a postponed mail waits for its time"
    );
    assert!(claims(other.node.boot, 9).await.is_empty(), "once");
}

/// Claims all mails that can be sent now and marks them sent. Returns kind, order and the domain of
/// the recipient.
async fn send_due_mails(world: &TestWorld) -> Vec<(String, Option<u128>, String)> {
    let mails = world
        .stores
        .claim_mail(RECEIVING_NODE, NOW.plus_seconds(60), 1_000, 99)
        .await
        .expect("claimed");
    for mail in &mails {
        world
            .stores
            .mark_mail_sent(mail.id, NOW)
            .await
            .expect("sent");
    }
    let domain = |to: &str| to.split('@').next_back().unwrap_or_default().to_string();
    mails
        .into_iter()
        .map(|mail| (mail.kind, mail.order.map(|order| order.0), domain(&mail.to)))
        .collect()
}

fn expected_mail(kind: &str, order: u128, domain: &str) -> (String, Option<u128>, String) {
    (kind.into(), Some(order), domain.into())
}

pub async fn not_charged_mail_is_queued_once_for_waiting_buyers(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let without_address = NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(3, &[(0, 1)])
    };
    for new in [
        world.order(1, &[(0, 1)]),
        world.order(2, &[(0, 1)]),
        without_address,
    ] {
        owner.open(new).await.expect("opened");
    }
    for (order, tell) in [
        (1, NotifyBuyer::Buyer),
        (2, NotifyBuyer::Nobody),
        (3, NotifyBuyer::Buyer),
    ] {
        world
            .stores
            .release_order(OrderId(order), "gone", tell, NOW)
            .await
            .expect("released");
        world
            .stores
            .release_order(OrderId(order), "gone", NotifyBuyer::Buyer, NOW)
            .await
            .expect("it has ended");
    }
    world
        .stores
        .void_order(OrderId(1), "given back by hand", NotifyBuyer::Buyer, NOW)
        .await
        .expect("void");
    world.buy_until_allocated(&mut owner, 4, 1).await;
    let refused = world
        .stores
        .void_order(OrderId(4), "gone", NotifyBuyer::Buyer, NOW)
        .await;
    assert!(
        matches!(refused, Err(Failure::NotWritten(_))),
        "it has its tickets"
    );
    assert_eq!(
        send_due_mails(&world).await,
        [expected_mail("not-charged", 1, "buyer.test")],
        "no mail without the write"
    );
    owner.void(4).await.expect("given back");
    world
        .stores
        .void_order(OrderId(4), "gone", NotifyBuyer::Buyer, NOW)
        .await
        .expect("void");
    world.buy_until_captured(&mut owner, 5, 1).await;
    owner.void(5).await.expect("given back");
    world
        .stores
        .void_order(OrderId(5), "disputed", NotifyBuyer::Buyer, NOW)
        .await
        .expect("void");
    let expected = [
        expected_mail("not-charged", 4, "buyer.test"),
        expected_mail("tickets", 5, "buyer.test"),
    ];
    assert_eq!(
        send_due_mails(&world).await,
        expected,
        "the fifth order was captured"
    );
}

pub async fn dispute_of_an_order_mails_its_club_once(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let record = world.buy_until_captured(&mut owner, 1, 1).await;
    assert_eq!(
        send_due_mails(&world).await,
        [expected_mail("tickets", 1, "buyer.test")]
    );
    let quiet = provider_intent(&record, PaymentStatus::Succeeded);
    let disputed = PaymentIntent {
        dispute: Some(DisputeStatus::NeedsResponse),
        ..quiet.clone()
    };
    let forged = PaymentIntent {
        id: intent_id(404),
        ..disputed.clone()
    };
    for intents in [&quiet, &forged] {
        world
            .stores
            .record_provider_snapshots(slice::from_ref(intents), NOW.plus_ms(9))
            .await
            .expect("seen");
    }
    assert_eq!(send_due_mails(&world).await, [], "a stranger's");
    // The loop's first snapshot is older than the stored snapshot, so the store ignores it.
    for at_ms in 8..13 {
        world
            .stores
            .record_provider_snapshots(slice::from_ref(&disputed), NOW.plus_ms(at_ms))
            .await
            .expect("seen");
        world
            .stores
            .record_provider_snapshots(slice::from_ref(&quiet), NOW.plus_ms(at_ms))
            .await
            .expect("and not seen");
    }
    assert_eq!(
        send_due_mails(&world).await,
        [expected_mail("disputed", 1, "club.test")]
    );
}

pub async fn inquiry_about_an_order_mails_its_club_once(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let record = world.buy_until_captured(&mut owner, 1, 1).await;
    let quiet = provider_intent(&record, PaymentStatus::Succeeded);
    let statuses = [
        DisputeStatus::WarningNeedsResponse,
        DisputeStatus::WarningNeedsResponse,
        DisputeStatus::WarningUnderReview,
        DisputeStatus::NeedsResponse,
    ];
    for (at_ms, status) in (1..).zip(statuses) {
        let asked = PaymentIntent {
            dispute: Some(status),
            ..quiet.clone()
        };
        world
            .stores
            .record_provider_snapshots(slice::from_ref(&asked), NOW.plus_ms(at_ms))
            .await
            .expect("seen");
    }
    assert_eq!(
        send_due_mails(&world).await,
        [
            expected_mail("tickets", 1, "buyer.test"),
            expected_mail("inquiry", 1, "club.test"),
            expected_mail("disputed", 1, "club.test")
        ]
    );
}

pub async fn note_of_an_open_anomaly_is_replaced_once(world: TestWorld) {
    let stores = &world.stores;
    let (id, kind) = (intent_id(1), AnomalyKind::MismatchedAmount);
    let anomaly = Anomaly {
        kind,
        payment_intent: Some(id.clone()),
        order: None,
        note: "open".into(),
    };
    let replace = async |from: &str, to: &str| {
        let replaced = stores.replace_anomaly_note(&id, kind, from, to).await;
        replaced.expect("written")
    };
    let notes = async || -> Vec<String> {
        let all = stores.anomalies(false, 9).await.expect("read");
        all.into_iter().map(|record| record.anomaly.note).collect()
    };
    assert!(!replace("open", "lost").await, "there is none");
    assert_eq!(stores.raise_anomaly(&anomaly, None, NOW).await, Ok(true));
    assert!(!replace("other", "lost").await, "its note differs");
    assert_eq!(notes().await, ["open"]);
    assert!(replace("open", "lost").await);
    assert!(!replace("open", "lost").await, "it is replaced");
    assert_eq!(notes().await, ["lost"]);
    assert_eq!(stores.resolve_healed_anomalies(&id, kind, NOW).await, Ok(1));
    assert!(!replace("lost", "open").await, "it is resolved");
    assert_eq!(notes().await, ["lost"]);
}

pub async fn newer_snapshot_replaces_the_older(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let record = world.buy_until_captured(&mut owner, 1, 1).await;
    for status in [
        PaymentStatus::RequiresCapture,
        PaymentStatus::Succeeded,
        PaymentStatus::Succeeded,
    ] {
        world
            .stores
            .record_provider_snapshots(&[provider_intent(&record, status)], NOW)
            .await
            .expect("written");
    }
}

pub async fn snapshots_are_stored_in_one_call(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let mut intents = Vec::new();
    for number in 1..=3 {
        intents.push(provider_intent(
            &world.buy_until_captured(&mut owner, number, 1).await,
            PaymentStatus::Succeeded,
        ));
    }
    world
        .stores
        .record_provider_snapshots(&intents, NOW)
        .await
        .expect("written");
    for one in &intents {
        assert_eq!(
            world.stores.account_of_payment(&one.id).await,
            Ok(Some(one.account.clone()))
        );
    }
    assert_eq!(
        world.stores.record_provider_snapshots(&[], NOW).await,
        Ok(())
    );
}

pub async fn payments_with_open_anomalies_are_found_together(world: TestWorld) {
    use AnomalyKind::{FailedAllocation, MissingTicket};

    let mut owner = world.owner(0).await;
    for number in 1..=3 {
        world.buy_until_captured(&mut owner, number, 1).await;
    }
    let all = [1, 2, 3, 4].map(intent_id);
    let reported = async || {
        world
            .stores
            .payments_with_open_anomalies(&all)
            .await
            .expect("read")
    };
    assert_eq!(reported().await, BTreeSet::new());
    // The first anomaly names payment 1, the second only order 2. The third names payment 4 and
    // order 3, the last neither a payment nor an order.
    for about in [
        anomaly(MissingTicket, Some(1), None),
        anomaly(FailedAllocation, None, Some(2)),
        anomaly(MissingTicket, Some(4), Some(3)),
        anomaly(FailedAllocation, None, None),
    ] {
        assert!(
            world
                .stores
                .raise_anomaly(&about, None, NOW)
                .await
                .expect("raised")
        );
    }
    assert_eq!(reported().await, BTreeSet::from([1, 2, 4].map(intent_id)));
    assert_eq!(
        world
            .stores
            .payments_with_open_anomalies(&[intent_id(3)])
            .await,
        Ok(BTreeSet::new())
    );
    world
        .stores
        .resolve_healed_anomalies(&intent_id(2), FailedAllocation, NOW)
        .await
        .expect("healed");
    assert_eq!(reported().await, BTreeSet::from([1, 4].map(intent_id)));
}

pub async fn payment_has_one_kind_of_repair_at_a_time(world: TestWorld) {
    use persistence::stores::{PaymentRepair::*, REPAIR_BLOCK_MS};

    let begin = async |payment, repair, after_ms| {
        world
            .stores
            .begin_repair(&intent_id(payment), repair, NOW.plus_ms(after_ms))
            .await
            .expect("written")
    };
    let end = async |repair| {
        world
            .stores
            .end_repair(&intent_id(1), repair)
            .await
            .expect("written");
    };
    assert!(
        begin(1, Tickets, 0).await && begin(1, Tickets, 1).await,
        "repeated"
    );
    assert!(
        !begin(1, Return, 2).await,
        "a repair with tickets is running"
    );
    assert!(begin(2, Return, 2).await, "another payment is not affected");
    end(Return).await;
    assert!(
        !begin(1, Return, 3).await,
        "ending a repair that does not run changes nothing"
    );
    end(Tickets).await;
    assert!(begin(1, Return, 4).await && !begin(1, Tickets, 4 + REPAIR_BLOCK_MS - 1).await);
    assert!(
        begin(1, Tickets, 4 + REPAIR_BLOCK_MS).await,
        "the repair timed out"
    );
}

pub async fn anomaly_closed_by_a_person_is_not_raised_again(world: TestWorld) {
    use AnomalyKind::{MismatchedAmount, MissingTicket};
    let about = |kind, payment_intent: Option<PaymentIntentId>, note: &str| Anomaly {
        kind,
        payment_intent,
        order: None,
        note: note.into(),
    };
    let raise = async |anomaly: &Anomaly| {
        world
            .stores
            .raise_anomaly(anomaly, None, NOW)
            .await
            .expect("raised")
    };
    let dispute = about(MismatchedAmount, Some(intent_id(1)), "disputed");
    let paused = about(MissingTicket, None, "draw 1001 is paused");
    assert!(raise(&dispute).await && raise(&paused).await);
    assert_eq!(
        world.stores.count_raised_and_open_anomalies().await,
        Ok((2, 2))
    );
    for record in world.stores.anomalies(true, 10).await.expect("read") {
        assert_eq!(
            world
                .stores
                .close_anomaly(record.id, "by operator 1", NOW)
                .await,
            Ok(true)
        );
        assert_eq!(
            world
                .stores
                .close_anomaly(record.id, "by operator 1", NOW)
                .await,
            Ok(false),
            "it is closed"
        );
    }
    assert_eq!(
        world.stores.count_raised_and_open_anomalies().await,
        Ok((2, 0))
    );
    assert!(!raise(&dispute).await, "a person closed it");
    assert!(
        raise(&about(
            MismatchedAmount,
            Some(intent_id(1)),
            "another amount"
        ))
        .await,
        "another amount is another anomaly"
    );
    assert!(
        raise(&paused).await,
        "an anomaly without a payment is raised again"
    );
    assert_eq!(
        world.stores.close_anomaly(404, "by nobody", NOW).await,
        Ok(false)
    );
}

pub async fn owners_of_ticket_payment_and_account_are_found(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let record = world.buy_until_captured(&mut owner, 1, 2).await;
    let [mine, orphaned] = [2, 3].map(|number| domain::Serial::new(number).expect("a serial"));
    assert_eq!(
        world.stores.ticket_owner(world.draws[0], mine).await,
        Ok(Some(OrderId(1)))
    );
    assert_eq!(
        world.stores.ticket_owner(world.draws[0], orphaned).await,
        Ok(None)
    );
    assert_eq!(
        world.stores.account_of_payment(&intent_id(1)).await,
        Ok(None)
    );
    let intents = provider_intent(&record, PaymentStatus::Succeeded);
    world
        .stores
        .record_provider_snapshots(slice::from_ref(&intents), NOW)
        .await
        .expect("seen");
    assert_eq!(
        world.stores.account_of_payment(&intent_id(1)).await,
        Ok(Some(record.order.account.clone()))
    );
    assert_eq!(
        world.stores.club_of_account(&record.order.account).await,
        Ok(Some(record.order.club))
    );
    assert_eq!(
        world
            .stores
            .club_of_account(&domain::AccountId("acct_nobody".into()))
            .await,
        Ok(None)
    );

    let without_address = NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(2, &[(0, 1)])
    };
    owner.open(without_address).await.expect("opened");
    world
        .stores
        .record_payment_intent(OrderId(2), &intent_id(2), "secret")
        .await
        .expect("opened");
    owner.allocate(2, 1).await.expect("allocated");
    let intent = provider_intent(&world.record(2).await, PaymentStatus::Succeeded);
    world
        .stores
        .record_capture(OrderId(2), &intent, NOW)
        .await
        .expect("captured");
    let ids = |found: Vec<persistence::stores::OrderRecord>| {
        found.iter().map(|r| r.order.id.0).collect::<Vec<_>>()
    };
    let found = world
        .stores
        .captured_orders_without_email(NOW.plus_ms(1), 10)
        .await
        .expect("read");
    assert_eq!(ids(found), [2]);
    assert_eq!(
        ids(world
            .stores
            .captured_orders_without_email(NOW, 10)
            .await
            .expect("read")),
        []
    );
    let anomaly = domain::Anomaly {
        kind: domain::AnomalyKind::OrphanedTicket,
        payment_intent: Some(intent_id(2)),
        order: Some(OrderId(2)),
        note: "no address".into(),
    };
    world
        .stores
        .raise_anomaly(&anomaly, None, NOW)
        .await
        .expect("raised");
    let none = world
        .stores
        .captured_orders_without_email(NOW.plus_ms(1), 10)
        .await
        .expect("read");
    assert_eq!(ids(none), [], "a reported order makes room for later ones");
    world
        .stores
        .resolve_healed_anomalies(&intent_id(2), domain::AnomalyKind::OrphanedTicket, NOW)
        .await
        .expect("healed");
    assert_eq!(
        ids(world
            .stores
            .captured_orders_without_email(NOW.plus_ms(1), 10)
            .await
            .expect("read")),
        [2]
    );

    assert_eq!(
        ids(world
            .stores
            .orders_of_cancelled_draws(10)
            .await
            .expect("read")),
        []
    );
    owner
        .execute(domain::Command::Cancel, None)
        .await
        .expect("cancelled");
    let mut due = ids(world
        .stores
        .orders_of_cancelled_draws(10)
        .await
        .expect("read"));
    due.sort_unstable();
    assert_eq!(due, [1, 2]);
}
