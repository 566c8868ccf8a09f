//! Tests that both stores must pass, about orders, payment operations and refunds.

use domain::{
    AccountId, Cents, OrderId, OrderState, PaymentIntentId, PaymentStatus, PendingCause,
    ProviderRefund, RefundFailure, RefundStatus,
};
use persistence::Failure;
use persistence::ledger::BuyerDetails;
use persistence::nodes::InstanceId;
use persistence::stores::{
    AgreedTerms, AttemptOutcome, BuyerSource, NotifyBuyer, Operation, OperationKind,
};

use crate::support::{KICK_OFF, NOW, TestWorld, account, buyer, intent_id, provider_intent};

const OPERATION_LEASE_MS: i64 = 1_000;

fn id(order: u128) -> OrderId {
    OrderId(order)
}

async fn claim_due_operations(world: &TestWorld, after_ms: i64) -> Vec<(OrderId, OperationKind)> {
    let now = NOW.plus_ms(after_ms);
    let claimed = world
        .stores
        .claim_operations(now, OPERATION_LEASE_MS, 100)
        .await
        .expect("claimed");
    claimed
        .into_iter()
        .map(|operation| (operation.order, operation.kind))
        .collect()
}

async fn claim_one_operation(
    world: &TestWorld,
    order: u128,
    kind: OperationKind,
) -> Option<Operation> {
    world
        .stores
        .claim_operation(id(order), kind, NOW, OPERATION_LEASE_MS)
        .await
        .expect("read")
}

fn is_not_written<T: std::fmt::Debug>(outcome: Result<T, Failure>) -> bool {
    matches!(outcome, Err(Failure::NotWritten(_)))
}

pub async fn order_has_one_payment_intent(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    owner.open(world.order(2, &[(0, 2)])).await.expect("opened");
    for _ in 0..2 {
        world
            .stores
            .record_payment_intent(id(1), &intent_id(1), "secret")
            .await
            .expect("opened, and again");
    }
    assert!(is_not_written(
        world
            .stores
            .record_payment_intent(id(1), &PaymentIntentId("pi_other".into()), "other")
            .await
    ));
    assert_eq!(
        world
            .stores
            .record_payment_intent(id(9), &intent_id(9), "secret")
            .await,
        Err(Failure::NotFound)
    );
    let record = world
        .stores
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
            .stores
            .order_by_payment_intent(&intent_id(7))
            .await
            .expect("read")
            .is_none()
    );
    assert!(
        claim_one_operation(&world, 1, OperationKind::Create)
            .await
            .is_none(),
        "done"
    );
    assert!(
        claim_one_operation(&world, 2, OperationKind::Create)
            .await
            .is_some()
    );

    // An order that has ended accepts no new payment intent, and keeps its present one.
    owner
        .execute(domain::Command::Release { order: id(2) }, None)
        .await
        .expect("released");
    for order in [1, 2] {
        world
            .stores
            .release_order(id(order), "left", NotifyBuyer::Nobody, NOW)
            .await
            .expect("released");
    }
    assert!(is_not_written(
        world
            .stores
            .record_payment_intent(id(2), &intent_id(2), "secret")
            .await
    ));
    assert!(world.record(2).await.order.payment_intent.is_none());
    world
        .stores
        .record_payment_intent(id(1), &intent_id(1), "secret")
        .await
        .expect("its own, once more");
}

pub async fn buyer_details_are_filled_and_never_replaced(world: TestWorld) {
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
    let stored = world.record(1).await.buyer;
    assert_eq!(
        stored,
        BuyerDetails {
            phone: Some("0400".into()),
            ..BuyerDetails::default()
        },
        "a name without an address is not stored"
    );
    let bob = BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@buyer.test".into()),
        phone: Some("0499".into()),
    };
    let fill = async |order, buyer: &BuyerDetails| {
        world
            .stores
            .fill_buyer_details(id(order), buyer, BuyerSource::Checkout)
            .await
    };
    assert_eq!(fill(1, &bob).await, Ok(true), "filled");
    assert_eq!(fill(1, &buyer()).await, Ok(true), "nothing to fill");
    assert_eq!(
        world.record(1).await.buyer,
        BuyerDetails {
            phone: Some("0400".into()),
            ..bob
        }
    );
    assert_eq!(fill(9, &buyer()).await, Err(Failure::NotFound));
    let terms = AgreedTerms {
        version: "1.0",
        sha256: [7; 32],
    };
    for minute in [1, 2] {
        let at = NOW.plus_seconds(60 * minute);
        world
            .stores
            .record_consent(id(1), at, "192.0.2.1", terms)
            .await
            .expect("consented");
    }
    assert_eq!(
        world.record(1).await.consent_at,
        Some(NOW.plus_seconds(60)),
        "only the first confirmation is kept"
    );
    assert_eq!(
        world
            .stores
            .record_consent(id(9), NOW, "192.0.2.1", terms)
            .await,
        Err(Failure::NotFound)
    );
}

pub async fn buyer_details_close_after_capture_and_result(world: TestWorld) {
    let (mut owner, mut other) = (world.owner(0).await, world.owner(1).await);
    let nobody = |order, lines: &[(usize, u16)]| persistence::ledger::NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(order, lines)
    };
    let details = |phone: &str| BuyerDetails {
        phone: Some(phone.into()),
        ..BuyerDetails::default()
    };
    let fill = async |order, source| {
        world
            .stores
            .fill_buyer_details(id(order), &details("0400"), source)
            .await
    };
    let operator = |approved| BuyerSource::Operator {
        at: KICK_OFF,
        approved,
    };
    for order in [1, 2, 3] {
        owner.open(nobody(order, &[(0, 1)])).await.expect("opened");
        world
            .stores
            .record_payment_intent(id(order), &intent_id(order), "secret")
            .await
            .expect("opened");
        owner.allocate(order, 1).await.expect("allocated");
        let intent = provider_intent(&world.record(order).await, PaymentStatus::Succeeded);
        if order != 2 {
            world
                .stores
                .record_capture(id(order), &intent, NOW)
                .await
                .expect("captured");
        }
    }
    assert_eq!(fill(1, BuyerSource::Checkout).await, Ok(false), "captured");
    assert_eq!(world.record(1).await.buyer, BuyerDetails::default());
    assert_eq!(fill(2, BuyerSource::Checkout).await, Ok(true), "allocated");
    let cell = owner
        .draw
        .deal()
        .cell(world.record(1).await.tickets[0].1[0]);
    let result = domain::GameResult::new(cell.home(), cell.away()).expect("a result");
    owner
        .execute(domain::Command::Complete { result }, None)
        .await
        .expect("completed");
    assert_eq!(
        fill(1, BuyerSource::OrderToken).await,
        Ok(false),
        "its number pair is published"
    );
    assert_eq!(
        fill(1, operator(false)).await,
        Ok(false),
        "it holds the winning ticket"
    );
    assert_eq!(world.record(1).await.buyer, BuyerDetails::default());
    assert_eq!(fill(3, operator(false)).await, Ok(true), "another ticket");
    owner
        .execute(domain::Command::Undo, None)
        .await
        .expect("undone");
    assert_eq!(
        fill(1, BuyerSource::OrderToken).await,
        Ok(false),
        "a published result counts even when it is undone"
    );
    assert_eq!(fill(1, operator(true)).await, Ok(true), "two operators");
    other.open(nobody(4, &[(1, 1)])).await.expect("opened");
    assert_eq!(
        fill(4, BuyerSource::OrderToken).await,
        Ok(true),
        "another draw"
    );
}

pub async fn buyer_is_corrected_until_the_authorisation(world: TestWorld) {
    let (mut owner, mut other) = (world.owner(0).await, world.owner(1).await);
    owner
        .open(world.order(1, &[(0, 1), (1, 1)]))
        .await
        .expect("opened");
    other
        .execute(other.reserve_command(1, 1), None)
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
    for details in [
        &phone("0400"),
        &mum,
        &BuyerDetails::default(),
        &BuyerDetails {
            name,
            ..phone("0499")
        },
    ] {
        assert_eq!(
            world.stores.correct_buyer_details(id(1), details).await,
            Ok(true)
        );
    }
    let mum = BuyerDetails {
        phone: Some("0499".into()),
        ..mum
    };
    assert_eq!(
        world.record(1).await.buyer,
        mum,
        "given details replace stored ones, and blanks replace nothing"
    );
    assert_eq!(world.record(2).await.buyer, buyer(), "another order");

    owner.allocate(1, 1).await.expect("allocated");
    let partly_allocated = world.record(1).await;
    assert_eq!(
        (partly_allocated.order.state, partly_allocated.authorised_at),
        (OrderState::Quoted, Some(NOW)),
        "one line has no tickets yet"
    );
    assert_eq!(
        world.stores.correct_buyer_details(id(1), &buyer()).await,
        Ok(false)
    );
    other.allocate(1, 1).await.expect("allocated");
    world
        .stores
        .reject_order(id(2), "no", NOW)
        .await
        .expect("rejecting");
    for order in [1, 2, 9] {
        assert_eq!(
            world
                .stores
                .correct_buyer_details(id(order), &phone("0411"))
                .await,
            Ok(false),
            "{order}"
        );
    }
    assert_eq!(
        (world.record(1).await.buyer, world.record(2).await.buyer),
        (mum, buyer())
    );
}

pub async fn capture_is_recorded_once_and_only_with_tickets(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let record = world.buy_until_allocated(&mut owner, 1, 2).await;
    let intent = provider_intent(&record, PaymentStatus::Succeeded);
    for minute in [1, 2] {
        world
            .stores
            .record_capture(id(1), &intent, NOW.plus_seconds(60 * minute))
            .await
            .expect("captured, and again");
    }
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.captured_at),
        (OrderState::Captured, Some(NOW.plus_seconds(60)))
    );
    assert!(
        claim_one_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none(),
        "done"
    );
    assert_eq!(claim_due_operations(&world, 60_000).await, []);
    let mails = world
        .stores
        .claim_mail(InstanceId(1), NOW.plus_seconds(120), OPERATION_LEASE_MS, 10)
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
        .stores
        .record_payment_intent(id(2), &intent_id(2), "secret")
        .await
        .expect("opened");
    let intent = provider_intent(&world.record(2).await, PaymentStatus::Succeeded);
    assert!(
        is_not_written(world.stores.record_capture(id(2), &intent, NOW).await),
        "it has no tickets"
    );
    assert_eq!(
        world.stores.record_capture(id(9), &intent, NOW).await,
        Err(Failure::NotFound)
    );
}

pub async fn mail_waits_for_an_address(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let order = persistence::ledger::NewOrder {
        buyer: BuyerDetails::default(),
        ..world.order(1, &[(0, 2)])
    };
    owner.open(order).await.expect("opened");
    world
        .stores
        .record_payment_intent(id(1), &intent_id(1), "secret")
        .await
        .expect("opened");
    owner.allocate(1, 2).await.expect("allocated");
    let intent = provider_intent(&world.record(1).await, PaymentStatus::Succeeded);
    world
        .stores
        .record_capture(id(1), &intent, NOW)
        .await
        .expect("captured");
    assert!(
        world
            .stores
            .claim_mail(InstanceId(1), NOW, OPERATION_LEASE_MS, 10)
            .await
            .expect("claimed")
            .is_empty()
    );
    assert_eq!(
        world
            .stores
            .fill_buyer_details(id(1), &buyer(), BuyerSource::OrderToken)
            .await,
        Ok(true)
    );
    let mails = world
        .stores
        .claim_mail(InstanceId(1), NOW, OPERATION_LEASE_MS, 10)
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

pub async fn refused_order_is_cancelled_and_released(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    for reason in ["sold out", "again"] {
        world
            .stores
            .reject_order(id(1), reason, NOW)
            .await
            .expect("rejecting, and again");
    }
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Rejecting, Some("sold out"))
    );
    assert_eq!(
        claim_due_operations(&world, 3_000).await,
        [(id(1), OperationKind::Cancel)],
        "its create operation is dropped"
    );
    for _ in 0..2 {
        world
            .stores
            .release_order(id(1), "cancelled by the provider", NotifyBuyer::Nobody, NOW)
            .await
            .expect("released, and again");
    }
    world
        .stores
        .reject_order(id(1), "late", NOW)
        .await
        .expect("it has ended");
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Released, Some("sold out"))
    );
    assert_eq!(claim_due_operations(&world, 60_000).await, []);
    world
        .stores
        .void_order(id(1), "given back by hand", NotifyBuyer::Nobody, NOW)
        .await
        .expect("void");
    world
        .stores
        .release_order(id(1), "late", NotifyBuyer::Nobody, NOW)
        .await
        .expect("it has ended");
    assert_eq!(
        world.record(1).await.order.state,
        OrderState::Void,
        "a released order can still become void"
    );
    assert_eq!(
        world.stores.reject_order(id(9), "", NOW).await,
        Err(Failure::NotFound)
    );
    assert_eq!(
        world
            .stores
            .release_order(id(9), "", NotifyBuyer::Nobody, NOW)
            .await,
        Err(Failure::NotFound)
    );
    assert_eq!(
        world
            .stores
            .void_order(id(9), "", NotifyBuyer::Nobody, NOW)
            .await,
        Err(Failure::NotFound)
    );
}

pub async fn order_with_tickets_cannot_be_ended(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 1, 2).await;
    assert!(is_not_written(
        world.stores.reject_order(id(1), "", NOW).await
    ));
    assert!(is_not_written(
        world
            .stores
            .release_order(id(1), "", NotifyBuyer::Nobody, NOW)
            .await
    ));
    assert!(is_not_written(
        world
            .stores
            .void_order(id(1), "", NotifyBuyer::Nobody, NOW)
            .await
    ));
    assert!(is_not_written(
        world
            .stores
            .queue_refund(id(1), Cents(1), Cents(0), "")
            .await
    ));
    assert_eq!(world.record(1).await.order.state, OrderState::Allocated);
    owner.void(1).await.expect("voided");
    world
        .stores
        .void_order(id(1), "the authorisation is gone", NotifyBuyer::Nobody, NOW)
        .await
        .expect("void");
    let record = world.record(1).await;
    assert_eq!(
        (record.order.state, record.reason.as_deref()),
        (OrderState::Void, Some("the authorisation is gone"))
    );
    assert_eq!(claim_due_operations(&world, 60_000).await, []);
}

/// The payment was captured directly at the provider, without our server, and is then refunded. A
/// node that still considers the order open must not give it tickets.
pub async fn refunded_order_gets_no_tickets(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(1, &[(0, 2)])).await.expect("opened");
    world
        .stores
        .record_payment_intent(id(1), &intent_id(1), "secret")
        .await
        .expect("opened");
    let paid = world.record(1).await.order.total();
    world
        .stores
        .queue_refund(id(1), paid, Cents(40), "captured past us")
        .await
        .expect("queued");
    assert_eq!(world.record(1).await.order.state, OrderState::Void);
    assert_eq!(
        claim_due_operations(&world, 0).await,
        [
            (id(1), OperationKind::Refund),
            (id(1), OperationKind::FeeRefund)
        ]
    );
    owner.allocate(1, 2).await.expect_err("it has ended");
    assert_eq!(
        (world.record(1).await.tickets, owner.draw.sold()),
        (vec![], 0)
    );
}

pub async fn refund_status_of_the_provider_is_followed_to_its_end(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let paid = world.buy_until_captured(&mut owner, 1, 2).await.order;
    let stores = &world.stores;
    let refund = |refund: &str, status: RefundStatus| ProviderRefund {
        id: refund.into(),
        amount: paid.total(),
        status,
    };
    let record = async |refund: ProviderRefund| {
        let recorded = stores.record_refund_status(id(1), &refund, NOW).await;
        recorded.expect("written")
    };
    let pending = async || stores.orders_with_pending_refunds(9).await.expect("read");
    let waiting = RefundStatus::Pending(PendingCause::InsufficientFunds);
    let processing = RefundStatus::Pending(PendingCause::Processing);
    let failed = RefundStatus::Failed(RefundFailure::Declined);

    assert!(!record(refund("re_1", waiting)).await, "none is queued");
    owner.void(1).await.expect("voided");
    stores
        .queue_refund(id(1), paid.total(), Cents(0), "asked for")
        .await
        .expect("queued");
    assert_eq!(pending().await, [], "the provider has not accepted it");
    let claimed = claim_one_operation(&world, 1, OperationKind::Refund).await;
    assert!(record(refund("re_1", waiting)).await);
    assert!(!record(refund("re_1", waiting)).await, "nothing is new");
    assert!(!record(refund("re_2", processing)).await, "another refund");
    let operation = claimed.expect("claimed").id;
    stores
        .record_attempt(operation, AttemptOutcome::Done)
        .await
        .expect("done");
    assert_eq!(pending().await, [id(1)], "accepted, not completed");
    assert!(record(refund("re_1", processing)).await);
    assert!(record(refund("re_1", RefundStatus::Succeeded)).await);
    assert_eq!(pending().await, []);
    assert!(!record(refund("re_1", processing)).await, "it succeeded");
    assert!(record(refund("re_1", failed)).await, "the bank returned it");
    assert!(!record(refund("re_1", RefundStatus::Succeeded)).await);
    assert_eq!(pending().await, []);
    assert!(record(refund("re_2", processing)).await, "a new refund");
    assert_eq!(pending().await, [id(1)]);
    assert!(record(refund("re_2", RefundStatus::Succeeded)).await);
    assert_eq!(pending().await, []);

    let mails = stores
        .claim_mail(InstanceId(8), NOW.plus_seconds(60), 1_000, 99)
        .await
        .expect("claimed");
    let mut kinds: Vec<String> = mails.into_iter().map(|mail| mail.kind).collect();
    // The memory store has one operator, and the test's database has none.
    kinds.retain(|kind| kind != "refund-failed-operator");
    assert_eq!(
        kinds,
        ["tickets", "refund-pending", "refunded", "refund-failed"]
    );
}

/// The example of the specification, section 7.4: order A paid $314.29 and holds the whole
/// application fee of $11; order B paid $314.29 and holds no fee.
pub async fn refund_takes_the_fee_from_the_orders_that_hold_it(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let terms = domain::Terms {
        price: Cents(31_429),
        ..crate::support::TERMS
    };
    owner
        .execute(domain::Command::amend_command_of_club(terms), None)
        .await
        .expect("amended");
    for order in [1, 2] {
        let mut new = world.order(order, &[(0, 1)]);
        new.lines[0].unit_price = terms.price;
        owner.open(new).await.expect("opened");
        world
            .stores
            .record_payment_intent(id(order), &intent_id(order), "secret")
            .await
            .expect("opened");
        owner.allocate(order, 1).await.expect("allocated");
        let intent = provider_intent(&world.record(order).await, PaymentStatus::Succeeded);
        world
            .stores
            .record_capture(id(order), &intent, NOW)
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
        world.stores.fee_to_refund_for_voided_tickets(id(1)).await,
        Ok(Cents(0)),
        "the draw is still above the cap"
    );
    for _ in 0..2 {
        world
            .stores
            .queue_refund(id(1), paid, Cents(0), "asked for")
            .await
            .expect("queued, and again");
    }
    assert_eq!(world.stores.draws_owing_fee_refunds().await, Ok(vec![]));
    assert_eq!(
        claim_due_operations(&world, 0).await,
        [(id(1), OperationKind::Refund)]
    );

    owner.void(2).await.expect("voided");
    assert_eq!(
        world.stores.fee_to_refund_for_voided_tickets(id(2)).await,
        Ok(Cents(1100))
    );
    world
        .stores
        .queue_refund(id(2), paid, Cents(1100), "asked for")
        .await
        .expect("queued");
    assert_eq!(
        world.stores.draws_owing_fee_refunds().await,
        Ok(vec![world.draws[0]])
    );
    for _ in 0..2 {
        world
            .stores
            .queue_fee_refunds(world.draws[0])
            .await
            .expect("queued, and again");
    }
    assert_eq!(world.stores.draws_owing_fee_refunds().await, Ok(vec![]));
    assert_eq!(
        claim_due_operations(&world, 0).await,
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
    let fee = claim_one_operation(&world, 1, OperationKind::FeeRefund).await;
    assert!(fee.is_none(), "leased");
    let claimed = world
        .stores
        .claim_operations(NOW.plus_ms(OPERATION_LEASE_MS), OPERATION_LEASE_MS, 10)
        .await
        .expect("claimed");
    let amounts: Vec<_> = claimed
        .iter()
        .map(|operation| (operation.amount, operation.attempts))
        .collect();
    assert_eq!(
        amounts,
        [(Some(paid), 2), (Some(paid), 2), (Some(Cents(1100)), 2)],
        "claimed again after the leases"
    );
    assert_eq!(
        world.stores.fee_refunded_so_far(id(1)).await,
        Ok(Cents(0)),
        "a queued fee refund is not done yet"
    );
    for operation in claimed {
        world
            .stores
            .record_attempt(operation.id, AttemptOutcome::Done)
            .await
            .expect("recorded");
    }
    let refunded_fees = [
        world.stores.fee_refunded_so_far(id(1)).await,
        world.stores.fee_refunded_so_far(id(2)).await,
    ];
    assert_eq!(
        refunded_fees,
        [Ok(Cents(1100)), Ok(Cents(0))],
        "the fee counts for the order that held it, not for the refunded one"
    );
}

/// Order A holds the whole application fee and its capture is pending. Order B was captured and is
/// refunded. The fee refund must wait for the capture of A.
pub async fn fee_refund_waits_for_the_capture_that_holds_the_fee(world: TestWorld) {
    let mut owner = world.owner(0).await;
    let fee_holder = world.buy_until_allocated(&mut owner, 1, 50).await;
    let second = world.buy_until_captured(&mut owner, 2, 50).await;
    assert_eq!(
        (
            fee_holder.order.application_fee,
            second.order.application_fee
        ),
        (Cents(875), Cents(225))
    );
    owner.void_with_charged_flag(2, true).await.expect("voided");
    world
        .stores
        .queue_refund(id(2), second.order.total(), Cents(225), "asked for")
        .await
        .expect("queued");
    world
        .stores
        .queue_fee_refunds(world.draws[0])
        .await
        .expect("the refunded order holds enough");
    assert_eq!(world.stores.draws_owing_fee_refunds().await, Ok(vec![]));

    // A third order comes after the fee reached its cap. The first order holds the whole fee, so no
    // fee can be refunded until the first order is captured.
    let third = world.buy_until_captured(&mut owner, 3, 50).await;
    let fourth = world.buy_until_captured(&mut owner, 4, 19).await;
    assert_eq!(
        (third.order.application_fee, fourth.order.application_fee),
        (Cents(225), Cents(0))
    );
    owner.void_with_charged_flag(3, true).await.expect("voided");
    world
        .stores
        .queue_refund(id(3), third.order.total(), Cents(0), "asked for")
        .await
        .expect("queued");
    owner.void_with_charged_flag(4, true).await.expect("voided");
    world
        .stores
        .queue_refund(id(4), fourth.order.total(), Cents(225), "asked for")
        .await
        .expect("queued");
    world
        .stores
        .queue_fee_refunds(world.draws[0])
        .await
        .expect("the third order, which was refunded, holds enough");
    assert_eq!(world.stores.draws_owing_fee_refunds().await, Ok(vec![]));

    // When the first order is released without a charge, the fee that it holds disappears. So no
    // fee refund is queued for it.
    owner
        .void_with_charged_flag(1, false)
        .await
        .expect("voided");
    assert_eq!(owner.draw.fee(), Cents::ZERO);
    assert_eq!(world.stores.draws_owing_fee_refunds().await, Ok(vec![]));
    assert_eq!(
        owner.void_with_charged_flag(1, true).await,
        Ok(vec![]),
        "voided already"
    );
    if let Some((_, postgres)) = &world.postgres {
        assert_eq!(postgres.violations().await.expect("read"), []);
    }
}

/// An order that replaced a released one holds more than its share of the fee while its capture is
/// pending. The excess must be refunded for another order, and is refunded only after that capture.
pub async fn fee_held_by_a_pending_capture_is_owed_until_captured(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 1, 50).await;
    let refunded = world.buy_until_captured(&mut owner, 2, 50).await;
    owner
        .void_with_charged_flag(1, false)
        .await
        .expect("let go");
    assert_eq!(owner.draw.fee(), Cents(225));
    let fee_holder = world.buy_until_allocated(&mut owner, 3, 10).await;
    assert_eq!(
        fee_holder.order.application_fee,
        Cents(825),
        "the fee of $300, less what the second order holds"
    );
    owner.void_with_charged_flag(2, true).await.expect("voided");
    world
        .stores
        .queue_refund(id(2), refunded.order.total(), Cents(875), "asked for")
        .await
        .expect("queued");
    world
        .stores
        .queue_fee_refunds(world.draws[0])
        .await
        .expect("the part the refunded order holds");
    assert_eq!(
        world.stores.draws_owing_fee_refunds().await,
        Ok(vec![world.draws[0]]),
        "650 are in a capture in flight"
    );
    assert_eq!(
        claim_due_amounts(&world, OperationKind::FeeRefund).await,
        [Cents(225)]
    );

    // A void with the wrong `charged` flag is refused, because a wrong flag shows that the caller's
    // copy of the order is out of date.
    assert_eq!(
        owner.void_with_charged_flag(3, true).await,
        Err(Failure::NotFound)
    );
    let intent = provider_intent(&world.record(3).await, PaymentStatus::Succeeded);
    world
        .stores
        .record_capture(id(3), &intent, NOW)
        .await
        .expect("captured");
    assert_eq!(
        owner.void_with_charged_flag(3, false).await,
        Err(Failure::NotFound)
    );
    world
        .stores
        .queue_fee_refunds(world.draws[0])
        .await
        .expect("the rest");
    assert_eq!(
        claim_due_amounts(&world, OperationKind::FeeRefund).await,
        [Cents(650)]
    );
    assert_eq!(
        (
            world.stores.draws_owing_fee_refunds().await,
            owner.draw.fee()
        ),
        (Ok(vec![]), Cents(175))
    );
    if let Some((_, postgres)) = &world.postgres {
        assert_eq!(postgres.violations().await.expect("read"), []);
    }
}

async fn claim_due_amounts(world: &TestWorld, kind: OperationKind) -> Vec<Cents> {
    let claimed = world
        .stores
        .claim_operations(NOW, OPERATION_LEASE_MS, 100)
        .await
        .expect("claimed");
    claimed
        .into_iter()
        .filter(|operation| operation.kind == kind)
        .filter_map(|operation| operation.amount)
        .collect()
}

pub async fn operations_are_claimed_once_captures_first(world: TestWorld) {
    let mut owner = world.owner(0).await;
    owner.open(world.order(2, &[(0, 1)])).await.expect("opened");
    world.buy_until_allocated(&mut owner, 1, 1).await;
    assert_eq!(
        claim_due_operations(&world, 1_999).await,
        [],
        "only the process that wrote them tries them for two seconds"
    );
    let both = [
        (id(1), OperationKind::Capture),
        (id(2), OperationKind::Create),
    ];
    assert_eq!(claim_due_operations(&world, 2_000).await, both);
    assert_eq!(claim_due_operations(&world, 2_999).await, [], "leased");
    assert_eq!(
        claim_due_operations(&world, 3_000).await,
        both,
        "the leases are over"
    );
    let limited = world
        .stores
        .claim_operations(NOW.plus_ms(4_000), OPERATION_LEASE_MS, 1)
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

pub async fn attempt_ends_or_postpones_an_operation(world: TestWorld) {
    let mut owner = world.owner(0).await;
    world.buy_until_allocated(&mut owner, 1, 1).await;
    let capture = claim_one_operation(&world, 1, OperationKind::Capture)
        .await
        .expect("due");
    let again = AttemptOutcome::Again {
        attempts: 1,
        at: NOW.plus_seconds(60),
        new_key: Some(format!("cap-{}-2", id(1))),
        why: None,
    };
    world
        .stores
        .record_attempt(capture.id, again)
        .await
        .expect("recorded");
    assert!(
        claim_one_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none(),
        "not before its time"
    );
    let claimed = world
        .stores
        .claim_operations(NOW.plus_seconds(60), OPERATION_LEASE_MS, 10)
        .await
        .expect("claimed");
    assert_eq!(
        (claimed[0].key.as_str(), claimed[0].attempts),
        (&*format!("cap-{}-2", id(1)), 2)
    );
    let late = AttemptOutcome::Again {
        attempts: 1,
        at: NOW,
        new_key: Some(format!("cap-{}-3", id(1))),
        why: None,
    };
    world
        .stores
        .record_attempt(capture.id, late)
        .await
        .expect("recorded");
    assert!(
        claim_one_operation(&world, 1, OperationKind::Capture)
            .await
            .is_none(),
        "the second attempt still has the operation and its key"
    );
    world
        .stores
        .record_attempt(
            capture.id,
            AttemptOutcome::Failed {
                why: "expired".into(),
            },
        )
        .await
        .expect("recorded");
    world
        .stores
        .record_attempt(capture.id, AttemptOutcome::Done)
        .await
        .expect("already ended");
    assert_eq!(claim_due_operations(&world, 600_000).await, []);
    assert_eq!(
        world.stores.record_attempt(77, AttemptOutcome::Done).await,
        Err(Failure::NotFound)
    );
}

pub async fn open_and_captured_orders_are_found_by_age(world: TestWorld) {
    let mut owner = world.owner(0).await;
    for order in 1..=5 {
        let mut new = world.order(order, &[(0, 1)]);
        new.at = NOW.plus_ms(order as i64);
        owner.open(new).await.expect("opened");
        world
            .stores
            .record_payment_intent(id(order), &intent_id(order), "secret")
            .await
            .expect("opened");
    }
    world
        .stores
        .reject_order(id(2), "no", NOW)
        .await
        .expect("rejecting");
    world
        .stores
        .release_order(id(3), "no", NotifyBuyer::Nobody, NOW)
        .await
        .expect("released");
    for order in [4, 5] {
        owner.allocate(order, 1).await.expect("allocated");
        let intent = provider_intent(&world.record(order).await, PaymentStatus::Succeeded);
        world
            .stores
            .record_capture(id(order), &intent, NOW.plus_ms(order as i64))
            .await
            .expect("captured");
    }
    owner.void(5).await.expect("voided");
    let open = async |before_ms, limit| {
        let records = world
            .stores
            .unfinished_orders(NOW.plus_ms(before_ms), limit)
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
        .stores
        .orders_captured_since(NOW.plus_ms(5), 9)
        .await
        .expect("read");
    assert_eq!(
        captured
            .into_iter()
            .map(|record| record.order.id)
            .collect::<Vec<_>>(),
        [id(5)]
    );
    assert_eq!(world.stores.connected_accounts().await, Ok(vec![account()]));
    let order = persistence::ledger::NewOrder {
        account: AccountId("acct_0".into()),
        ..world.order(6, &[(0, 1)])
    };
    owner.open(order).await.expect("opened");
    assert_eq!(
        world.stores.connected_accounts().await,
        Ok(vec![AccountId("acct_0".into()), account()])
    );
}
