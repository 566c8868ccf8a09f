//! What the books promise of orders and money.

use domain::{AccountId, Cents, OrderId, OrderState, PaymentIntentId, PaymentStatus};
use persistence::Failure;
use persistence::books::{Attempt, Operation, OperationKind, Tell, TermsAgreed};
use persistence::ledger::BuyerDetails;
use persistence::nodes::Boot;

use crate::support::{NOW, World, account, buyer, intent_id, said};

const LEASE_MS: i64 = 1_000;

fn id(order: u128) -> OrderId {
    OrderId(order)
}

async fn due(world: &World, after_ms: i64) -> Vec<(OrderId, OperationKind)> {
    let now = NOW.plus_ms(after_ms);
    let claimed = world
        .books
        .claim_operations(now, LEASE_MS, 100)
        .await
        .expect("claimed");
    claimed
        .into_iter()
        .map(|operation| (operation.order, operation.kind))
        .collect()
}

async fn one(world: &World, order: u128, kind: OperationKind) -> Option<Operation> {
    world
        .books
        .claim_operation(id(order), kind, NOW, LEASE_MS)
        .await
        .expect("asked")
}

fn refused<T: std::fmt::Debug>(said: Result<T, Failure>) -> bool {
    matches!(said, Err(Failure::NotWritten(_)))
}

pub async fn an_order_has_one_payment_intent(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    for _ in 0..2 {
        world
            .books
            .opened(id(1), &intent_id(1), "secret")
            .await
            .expect("opened, and again");
    }
    assert!(refused(
        world
            .books
            .opened(id(1), &PaymentIntentId("pi_other".into()), "other")
            .await
    ));
    assert_eq!(
        world.books.opened(id(9), &intent_id(9), "secret").await,
        Err(Failure::NotFound)
    );
    let record = world
        .books
        .order_by_payment_intent(&intent_id(1))
        .await
        .expect("read")
        .expect("found");
    assert_eq!(
        (record.order.id, record.client_secret.as_deref()),
        (id(1), Some("secret"))
    );
    assert!(
        world
            .books
            .order_by_payment_intent(&intent_id(7))
            .await
            .expect("read")
            .is_none()
    );
    assert!(
        one(&world, 1, OperationKind::Create).await.is_none(),
        "done"
    );
    assert!(one(&world, 2, OperationKind::Create).await.is_some());

    // One that is decided needs none, and what it has stays known.
    owner
        .execute(domain::Command::Release { order: id(2) }, None)
        .await
        .expect("released");
    for order in [1, 2] {
        world
            .books
            .released(id(order), "left", Tell::Nobody, NOW)
            .await
            .expect("released");
    }
    assert!(refused(
        world.books.opened(id(2), &intent_id(2), "secret").await
    ));
    assert!(world.record(2).await.order.payment_intent.is_none());
    world
        .books
        .opened(id(1), &intent_id(1), "secret")
        .await
        .expect("its own, once more");
}

pub async fn a_buyer_is_filled_in_and_never_written_over(world: World) {
    let mut owner = world.owner(0).await;
    let order = persistence::ledger::NewOrder {
        buyer: BuyerDetails {
            name: Some("Alice".into()),
            email: None,
            phone: Some("0400".into()),
        },
        ..world.order(1, &[(0, 2)])
    };
    owner.open(order).await.expect("opened");
    let known = world.record(1).await.buyer;
    assert_eq!(
        known,
        BuyerDetails {
            phone: Some("0400".into()),
            ..BuyerDetails::default()
        },
        "a name alone is nobody"
    );
    let bob = BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@buyer.test".into()),
        phone: Some("0499".into()),
    };
    world.books.fill_buyer(id(1), &bob).await.expect("filled");
    world
        .books
        .fill_buyer(id(1), &buyer())
        .await
        .expect("nothing to fill");
    assert_eq!(
        world.record(1).await.buyer,
        BuyerDetails {
            phone: Some("0400".into()),
            ..bob
        }
    );
    assert_eq!(
        world.books.fill_buyer(id(9), &buyer()).await,
        Err(Failure::NotFound)
    );
    let terms = TermsAgreed {
        version: "1.0",
        sha256: [7; 32],
    };
    for minute in [1, 2] {
        let at = NOW.plus_seconds(60 * minute);
        world
            .books
            .consented(id(1), at, "192.0.2.1", terms)
            .await
            .expect("consented");
    }
    assert_eq!(
        world.record(1).await.consent_at,
        Some(NOW.plus_seconds(60)),
        "the first time counts"
    );
    assert_eq!(
        world.books.consented(id(9), NOW, "192.0.2.1", terms).await,
        Err(Failure::NotFound)
    );
}

pub async fn a_buyer_is_corrected_until_something_is_authorised(world: World) {
    let (mut owner, mut other) = (world.owner(0).await, world.owner(1).await);
    owner
        .open(world.order(1, &[(0, 1), (1, 1)]))
        .await
        .expect("opened");
    other
        .execute(other.reserve(1, 1), None)
        .await
        .expect("reserved");
    owner.open(world.order(2, &[(0, 1)])).await.expect("opened");
    let (name, email) = (Some("Mum".to_string()), Some("mum@buyer.test".to_string()));
    let phone = |phone: &str| BuyerDetails {
        phone: Some(phone.into()),
        ..BuyerDetails::default()
    };
    let mum = BuyerDetails {
        name: name.clone(),
        email,
        phone: None,
    };
    for said in [
        &phone("0400"),
        &mum,
        &BuyerDetails::default(),
        &BuyerDetails {
            name,
            ..phone("0499")
        },
    ] {
        assert_eq!(world.books.correct_buyer(id(1), said).await, Ok(true));
    }
    let mum = BuyerDetails {
        phone: Some("0499".into()),
        ..mum
    };
    assert_eq!(
        world.record(1).await.buyer,
        mum,
        "what is said, whole, and no blank"
    );
    assert_eq!(world.record(2).await.buyer, buyer(), "another order");

    owner.allocate(1, 1).await.expect("allocated");
    let half = world.record(1).await;
    assert_eq!(
        (half.order.state, half.authorised_at),
        (OrderState::Quoted, Some(NOW)),
        "a line is still to come"
    );
    assert_eq!(world.books.correct_buyer(id(1), &buyer()).await, Ok(false));
    other.allocate(1, 1).await.expect("allocated");
    world
        .books
        .rejecting(id(2), "no", NOW)
        .await
        .expect("rejecting");
    for order in [1, 2, 9] {
        assert_eq!(
            world.books.correct_buyer(id(order), &phone("0411")).await,
            Ok(false),
            "{order}"
        );
    }
    assert_eq!(
        (world.record(1).await.buyer, world.record(2).await.buyer),
        (mum, buyer())
    );
}

pub async fn money_is_taken_once_and_only_for_tickets(world: World) {
    let mut owner = world.owner(0).await;
    let record = world.allocated(&mut owner, 1, 2).await;
    let taken = said(&record, PaymentStatus::Succeeded);
    for minute in [1, 2] {
        world
            .books
            .captured(id(1), &taken, NOW.plus_seconds(60 * minute))
            .await
            .expect("captured, and again");
    }
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.captured_at),
        (OrderState::Captured, Some(NOW.plus_seconds(60)))
    );
    assert!(
        one(&world, 1, OperationKind::Capture).await.is_none(),
        "done"
    );
    assert_eq!(due(&world, 60_000).await, []);
    let mails = world
        .books
        .claim_mail(Boot(1), NOW.plus_seconds(120), LEASE_MS, 10)
        .await
        .expect("claimed");
    let mails: Vec<_> = mails
        .into_iter()
        .map(|mail| (mail.kind, mail.order, mail.to, mail.attempts))
        .collect();
    assert_eq!(
        mails,
        [(
            "tickets".to_string(),
            Some(id(1)),
            "alice@buyer.test".to_string(),
            1
        )]
    );

    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    world
        .books
        .opened(id(2), &intent_id(2), "secret")
        .await
        .expect("opened");
    let taken = said(&world.record(2).await, PaymentStatus::Succeeded);
    assert!(
        refused(world.books.captured(id(2), &taken, NOW).await),
        "it has no tickets"
    );
    assert_eq!(
        world.books.captured(id(9), &taken, NOW).await,
        Err(Failure::NotFound)
    );
}

pub async fn a_mail_waits_for_an_address(world: World) {
    let mut owner = world.owner(0).await;
    let order = persistence::ledger::NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(1, &[(0, 2)])
    };
    owner.open(order).await.expect("opened");
    world
        .books
        .opened(id(1), &intent_id(1), "secret")
        .await
        .expect("opened");
    owner.allocate(1, 2).await.expect("allocated");
    let taken = said(&world.record(1).await, PaymentStatus::Succeeded);
    world
        .books
        .captured(id(1), &taken, NOW)
        .await
        .expect("captured");
    assert!(
        world
            .books
            .claim_mail(Boot(1), NOW, LEASE_MS, 10)
            .await
            .expect("claimed")
            .is_empty()
    );
    world
        .books
        .fill_buyer(id(1), &buyer())
        .await
        .expect("filled");
    let mails = world
        .books
        .claim_mail(Boot(1), NOW, LEASE_MS, 10)
        .await
        .expect("claimed");
    assert_eq!(
        mails
            .iter()
            .map(|mail| mail.to.as_str())
            .collect::<Vec<_>>(),
        ["alice@buyer.test"]
    );
}

pub async fn a_refused_order_is_cancelled_and_released(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    for reason in ["sold out", "again"] {
        world
            .books
            .rejecting(id(1), reason, NOW)
            .await
            .expect("rejecting, and again");
    }
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Rejecting, Some("sold out"))
    );
    assert_eq!(
        due(&world, 3_000).await,
        [(id(1), OperationKind::Cancel)],
        "its create is dropped"
    );
    for _ in 0..2 {
        world
            .books
            .released(id(1), "cancelled by the provider", Tell::Nobody, NOW)
            .await
            .expect("released, and again");
    }
    world
        .books
        .rejecting(id(1), "late", NOW)
        .await
        .expect("it has ended");
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Released, Some("sold out"))
    );
    assert_eq!(due(&world, 60_000).await, []);
    world
        .books
        .voided(id(1), "given back by hand", Tell::Nobody, NOW)
        .await
        .expect("void");
    world
        .books
        .released(id(1), "late", Tell::Nobody, NOW)
        .await
        .expect("it has ended");
    assert_eq!(
        world.record(1).await.order.state,
        OrderState::Void,
        "it was charged after all"
    );
    assert_eq!(
        world.books.rejecting(id(9), "", NOW).await,
        Err(Failure::NotFound)
    );
    assert_eq!(
        world.books.released(id(9), "", Tell::Nobody, NOW).await,
        Err(Failure::NotFound)
    );
    assert_eq!(
        world.books.voided(id(9), "", Tell::Nobody, NOW).await,
        Err(Failure::NotFound)
    );
}

pub async fn an_order_with_tickets_cannot_be_let_go(world: World) {
    let mut owner = world.owner(0).await;
    world.allocated(&mut owner, 1, 2).await;
    assert!(refused(world.books.rejecting(id(1), "", NOW).await));
    assert!(refused(
        world.books.released(id(1), "", Tell::Nobody, NOW).await
    ));
    assert!(refused(
        world.books.voided(id(1), "", Tell::Nobody, NOW).await
    ));
    assert!(refused(
        world.books.refunding(id(1), Cents(1), Cents(0), "").await
    ));
    assert_eq!(world.record(1).await.order.state, OrderState::Allocated);
    owner.void(1).await.expect("voided");
    world
        .books
        .voided(id(1), "the authorisation is gone", Tell::Nobody, NOW)
        .await
        .expect("void");
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Void, Some("the authorisation is gone"))
    );
    assert_eq!(due(&world, 60_000).await, []);
}

/// Section 7.4's example: A paid $314.29 with the whole fee of $11, B paid $314.29 with none.
pub async fn a_refund_returns_the_fee_from_whoever_carries_it(world: World) {
    let mut owner = world.owner(0).await;
    let terms = domain::Terms {
        price: Cents(31_429),
        ..crate::support::TERMS
    };
    owner
        .execute(domain::Command::amend(terms), None)
        .await
        .expect("amended");
    for order in [1, 2] {
        let mut new = world.order(order, &[(0, 1)]);
        new.lines[0].unit_price = terms.price;
        owner.open(new).await.expect("opened");
        world
            .books
            .opened(id(order), &intent_id(order), "secret")
            .await
            .expect("opened");
        owner.allocate(order, 1).await.expect("allocated");
        let taken = said(&world.record(order).await, PaymentStatus::Succeeded);
        world
            .books
            .captured(id(order), &taken, NOW)
            .await
            .expect("captured");
    }
    let fees = [
        world.record(1).await.order.application_fee,
        world.record(2).await.order.application_fee,
    ];
    assert_eq!(fees, [Cents(1100), Cents(0)]);

    let paid = world.record(1).await.order.total();
    owner.void(1).await.expect("voided");
    assert_eq!(
        world.books.fee_returned(id(1)).await,
        Ok(Cents(0)),
        "the draw is still above the cap"
    );
    for _ in 0..2 {
        world
            .books
            .refunding(id(1), paid, Cents(0), "asked for")
            .await
            .expect("queued, and again");
    }
    assert_eq!(world.books.fees_owed().await, Ok(vec![]));
    assert_eq!(due(&world, 0).await, [(id(1), OperationKind::Refund)]);

    owner.void(2).await.expect("voided");
    assert_eq!(world.books.fee_returned(id(2)).await, Ok(Cents(1100)));
    world
        .books
        .refunding(id(2), paid, Cents(1100), "asked for")
        .await
        .expect("queued");
    assert_eq!(world.books.fees_owed().await, Ok(vec![world.draws[0]]));
    for _ in 0..2 {
        world
            .books
            .give_fees_back(world.draws[0])
            .await
            .expect("queued, and again");
    }
    assert_eq!(world.books.fees_owed().await, Ok(vec![]));
    assert_eq!(
        due(&world, 0).await,
        [
            (id(2), OperationKind::Refund),
            (id(1), OperationKind::FeeRefund)
        ]
    );
    for order in [1, 2] {
        let record = world.record(order).await;
        assert_eq!(
            (record.order.state, record.order.application_fee),
            (OrderState::Void, fees[order as usize - 1])
        );
    }
    let fee = one(&world, 1, OperationKind::FeeRefund).await;
    assert!(fee.is_none(), "leased");
    let claimed = world
        .books
        .claim_operations(NOW.plus_ms(LEASE_MS), LEASE_MS, 10)
        .await
        .expect("claimed");
    let amounts: Vec<_> = claimed
        .iter()
        .map(|operation| (operation.amount, operation.attempts))
        .collect();
    assert_eq!(
        amounts,
        [(Some(paid), 2), (Some(paid), 2), (Some(Cents(1100)), 2)],
        "leases ended"
    );
    assert_eq!(
        world.books.fee_given_back(id(1)).await,
        Ok(Cents(0)),
        "queued is not given"
    );
    for operation in claimed {
        world
            .books
            .attempted(operation.id, Attempt::Done)
            .await
            .expect("noted");
    }
    let given = [
        world.books.fee_given_back(id(1)).await,
        world.books.fee_given_back(id(2)).await,
    ];
    assert_eq!(
        given,
        [Ok(Cents(1100)), Ok(Cents(0))],
        "the fee that gave it, not the refund that asked"
    );
}

/// A carries the whole fee, is being captured, and B, captured already, is refunded: A's capture must come first.
pub async fn a_fee_that_goes_back_waits_for_the_capture_that_carries_it(world: World) {
    let mut owner = world.owner(0).await;
    let carrier = world.allocated(&mut owner, 1, 50).await;
    let second = world.captured(&mut owner, 2, 50).await;
    assert_eq!(
        (carrier.order.application_fee, second.order.application_fee),
        (Cents(875), Cents(225))
    );
    owner.void_as(2, true).await.expect("voided");
    world
        .books
        .refunding(id(2), second.order.total(), Cents(225), "asked for")
        .await
        .expect("queued");
    world
        .books
        .give_fees_back(world.draws[0])
        .await
        .expect("from itself");
    assert_eq!(world.books.fees_owed().await, Ok(vec![]));

    // A third order at the cap's end, whose fee is all in the first's: nothing to give until that is captured.
    let third = world.captured(&mut owner, 3, 50).await;
    let fourth = world.captured(&mut owner, 4, 19).await;
    assert_eq!(
        (third.order.application_fee, fourth.order.application_fee),
        (Cents(225), Cents(0))
    );
    owner.void_as(3, true).await.expect("voided");
    world
        .books
        .refunding(id(3), third.order.total(), Cents(0), "asked for")
        .await
        .expect("queued");
    owner.void_as(4, true).await.expect("voided");
    world
        .books
        .refunding(id(4), fourth.order.total(), Cents(225), "asked for")
        .await
        .expect("queued");
    world
        .books
        .give_fees_back(world.draws[0])
        .await
        .expect("from the third, which was refunded");
    assert_eq!(world.books.fees_owed().await, Ok(vec![]));

    // The first's own fee vanishes when it is let go uncharged: nobody gives anything back for it.
    owner.void_as(1, false).await.expect("voided");
    assert_eq!(owner.draw.fee(), Cents::ZERO);
    assert_eq!(world.books.fees_owed().await, Ok(vec![]));
    assert_eq!(owner.void_as(1, true).await, Ok(vec![]), "voided already");
    if let Some((_, postgres)) = &world.postgres {
        assert_eq!(postgres.violations().await.expect("read"), []);
    }
}

/// An order that made up for one that was let go carries more than its own share while its capture is in flight: what it must
/// give back when somebody else is refunded waits for that capture.
pub async fn what_only_a_capture_in_flight_holds_is_owed_until_it_is_captured(world: World) {
    let mut owner = world.owner(0).await;
    world.allocated(&mut owner, 1, 50).await;
    let refunded = world.captured(&mut owner, 2, 50).await;
    owner.void_as(1, false).await.expect("let go");
    assert_eq!(owner.draw.fee(), Cents(225));
    let carrier = world.allocated(&mut owner, 3, 10).await;
    assert_eq!(
        carrier.order.application_fee,
        Cents(825),
        "f($300) less what the second brought"
    );
    owner.void_as(2, true).await.expect("voided");
    world
        .books
        .refunding(id(2), refunded.order.total(), Cents(875), "asked for")
        .await
        .expect("queued");
    world
        .books
        .give_fees_back(world.draws[0])
        .await
        .expect("what the refunded holds");
    assert_eq!(
        world.books.fees_owed().await,
        Ok(vec![world.draws[0]]),
        "650 are in a capture in flight"
    );
    assert_eq!(
        due_amounts(&world, OperationKind::FeeRefund).await,
        [Cents(225)]
    );

    // Whoever says that an uncaptured order was charged, or the reverse, has not looked.
    assert_eq!(owner.void_as(3, true).await, Err(Failure::NotFound));
    let taken = said(&world.record(3).await, PaymentStatus::Succeeded);
    world
        .books
        .captured(id(3), &taken, NOW)
        .await
        .expect("captured");
    assert_eq!(owner.void_as(3, false).await, Err(Failure::NotFound));
    world
        .books
        .give_fees_back(world.draws[0])
        .await
        .expect("the rest");
    assert_eq!(
        due_amounts(&world, OperationKind::FeeRefund).await,
        [Cents(650)]
    );
    assert_eq!(
        (world.books.fees_owed().await, owner.draw.fee()),
        (Ok(vec![]), Cents(175))
    );
    if let Some((_, postgres)) = &world.postgres {
        assert_eq!(postgres.violations().await.expect("read"), []);
    }
}

async fn due_amounts(world: &World, kind: OperationKind) -> Vec<Cents> {
    let claimed = world
        .books
        .claim_operations(NOW, LEASE_MS, 100)
        .await
        .expect("claimed");
    claimed
        .into_iter()
        .filter(|operation| operation.kind == kind)
        .filter_map(|operation| operation.amount)
        .collect()
}

pub async fn operations_are_claimed_once_captures_first(world: World) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(2, &[(0, 1)])).await.expect("opened");
    world.allocated(&mut owner, 1, 1).await;
    assert_eq!(
        due(&world, 1_999).await,
        [],
        "they are their askers' for two seconds"
    );
    let both = [
        (id(1), OperationKind::Capture),
        (id(2), OperationKind::Create),
    ];
    assert_eq!(due(&world, 2_000).await, both);
    assert_eq!(due(&world, 2_999).await, [], "leased");
    assert_eq!(due(&world, 3_000).await, both, "whoever had them is gone");
    let limited = world
        .books
        .claim_operations(NOW.plus_ms(4_000), LEASE_MS, 1)
        .await
        .expect("claimed");
    assert_eq!(
        limited
            .iter()
            .map(|operation| operation.order)
            .collect::<Vec<_>>(),
        [id(1)]
    );
}

pub async fn an_attempt_ends_an_operation_or_puts_it_off(world: World) {
    let mut owner = world.owner(0).await;
    world.allocated(&mut owner, 1, 1).await;
    let capture = one(&world, 1, OperationKind::Capture).await.expect("due");
    let again = Attempt::Again {
        attempts: 1,
        at: NOW.plus_seconds(60),
        new_key: Some(format!("cap-{}-2", id(1))),
    };
    world
        .books
        .attempted(capture.id, again)
        .await
        .expect("noted");
    assert!(
        one(&world, 1, OperationKind::Capture).await.is_none(),
        "not before its time"
    );
    let claimed = world
        .books
        .claim_operations(NOW.plus_seconds(60), LEASE_MS, 10)
        .await
        .expect("claimed");
    assert_eq!(
        (claimed[0].key.as_str(), claimed[0].attempts),
        (&*format!("cap-{}-2", id(1)), 2)
    );
    let late = Attempt::Again {
        attempts: 1,
        at: NOW,
        new_key: Some(format!("cap-{}-3", id(1))),
    };
    world
        .books
        .attempted(capture.id, late)
        .await
        .expect("heard");
    assert!(
        one(&world, 1, OperationKind::Capture).await.is_none(),
        "the second attempt has it, and its key"
    );
    world
        .books
        .attempted(
            capture.id,
            Attempt::Failed {
                why: "expired".into(),
            },
        )
        .await
        .expect("noted");
    world
        .books
        .attempted(capture.id, Attempt::Done)
        .await
        .expect("settled before");
    assert_eq!(due(&world, 600_000).await, []);
    assert_eq!(
        world.books.attempted(77, Attempt::Done).await,
        Err(Failure::NotFound)
    );
}

pub async fn unfinished_and_captured_orders_are_found_by_age(world: World) {
    let mut owner = world.owner(0).await;
    for order in 1..=5 {
        let mut new = world.order(order, &[(0, 1)]);
        new.at = NOW.plus_ms(order as i64);
        owner.open(new).await.expect("opened");
        world
            .books
            .opened(id(order), &intent_id(order), "secret")
            .await
            .expect("opened");
    }
    world
        .books
        .rejecting(id(2), "no", NOW)
        .await
        .expect("rejecting");
    world
        .books
        .released(id(3), "no", Tell::Nobody, NOW)
        .await
        .expect("released");
    for order in [4, 5] {
        owner.allocate(order, 1).await.expect("allocated");
        let taken = said(&world.record(order).await, PaymentStatus::Succeeded);
        world
            .books
            .captured(id(order), &taken, NOW.plus_ms(order as i64))
            .await
            .expect("captured");
    }
    owner.void(5).await.expect("voided");
    let open = async |before_ms, limit| {
        let records = world
            .books
            .orders_open(NOW.plus_ms(before_ms), limit)
            .await
            .expect("read");
        records
            .into_iter()
            .map(|record| record.order.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        open(9, 9).await,
        [id(1), id(2), id(5)],
        "5 waits for its refund"
    );
    assert_eq!(open(9, 1).await, [id(1)]);
    assert_eq!(open(2, 9).await, [id(1)]);
    let captured = world
        .books
        .orders_captured(NOW.plus_ms(5), 9)
        .await
        .expect("read");
    assert_eq!(
        captured
            .into_iter()
            .map(|record| record.order.id)
            .collect::<Vec<_>>(),
        [id(5)]
    );
    assert_eq!(world.books.accounts().await, Ok(vec![account()]));
    let order = persistence::ledger::NewOrder {
        account: AccountId("acct_0".into()),
        ..world.order(6, &[(0, 1)])
    };
    owner.open(order).await.expect("opened");
    assert_eq!(
        world.books.accounts().await,
        Ok(vec![AccountId("acct_0".into()), account()])
    );
}
