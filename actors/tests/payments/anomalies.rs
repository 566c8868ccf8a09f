//! Payment errors are found within a minute without a webhook. Some are repaired automatically; an
//! operator resolves the others.

use actors::testing::{Fault, GatewayMethod};
use actors::{FulfilStatus, Gateway, NewIntent, RepairError};
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, Command, DrawId, GameResult, OrderId,
    OrderState, PaymentIntentId, Refusal, Serial, Timestamp,
};
use persistence::ledger::BuyerDetails;
use persistence::memory::{MemoryCall, MemoryFault as Lost};
use persistence::nodes::InstanceId;
use persistence::stores::{AnomalyRecord, StoredWebhookEvent};
use persistence::stores::{AnomalyStore, OrderStore, WebhookEventStore};

use crate::world::{KICK_OFF, TestWorld, account, intent_of, run_in_paused_time};

pub fn open_anomalies(world: &TestWorld) -> Vec<(AnomalyKind, Option<PaymentIntentId>)> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    open.map(|record| (record.anomaly.kind, record.anomaly.payment_intent))
        .collect()
}

pub fn recovered_buyer() -> BuyerDetails {
    BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@example.org".into()),
        phone: Some("0411000001".into()),
    }
}

/// Creates a payment whose order is not in the database, as after restoring a backup.
pub async fn create_lost_payment(
    world: &TestWorld,
    order: u128,
    cents: i64,
    draws: &str,
) -> PaymentIntentId {
    let new = NewIntent {
        order: OrderId(order),
        account: account(),
        amount: Cents(cents),
        draws: draws.into(),
    };
    let opened = world
        .gateway
        .create(&format!("forgotten-{order}"), &new)
        .await
        .unwrap();
    assert!(world.gateway.authorise(&opened.id) && world.gateway.capture_in_dashboard(&opened.id));
    opened.id
}

#[test]
fn payment_without_order_is_an_anomaly_until_allocated() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let id = create_lost_payment(&world, 404, 1500, "1042x2,1043x1").await;
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::MissingTicket, Some(id.clone()))]
        );
        let anomalies = world.engine().anomalies.clone();
        // It is now after kick-off, but the payment was authorised before.
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        let record = anomalies
            .allocate_missing_tickets(&id, recovered_buyer(), "f".repeat(32))
            .await
            .unwrap();
        assert_eq!(record.order.state, OrderState::Captured);
        assert_eq!((world.sold_in_draw(1042), world.sold_in_draw(1043)), (2, 1));
        let again = anomalies
            .allocate_missing_tickets(&id, recovered_buyer(), "e".repeat(32))
            .await
            .unwrap();
        assert_eq!(
            (again.order.id, again.token),
            (OrderId(404), "f".repeat(32)),
            "the order is allocated once"
        );
        world.advance_seconds(60).await;
        assert_eq!(world.mails().len(), 1, "the buyer has the tickets");
        let left: Vec<_> = open_anomalies(&world)
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(
            left,
            [AnomalyKind::MismatchedAmount],
            "no fee was taken, which a person must resolve"
        );
        assert_eq!(anomalies.counts().await.unwrap().resolved_percent(), 50);
    });
}

#[test]
fn only_matching_timely_payment_is_allocated() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let anomalies = world.engine().anomalies.clone();
        let ask = async |id: &PaymentIntentId| {
            let result = anomalies
                .allocate_missing_tickets(id, recovered_buyer(), "f".repeat(32))
                .await;
            result.map(|record| record.order.id).unwrap_err()
        };
        let wrong = create_lost_payment(&world, 401, 2000, "1042x2").await;
        let full = create_lost_payment(&world, 402, 500, "1042x1").await;
        let refunded = create_lost_payment(&world, 403, 500, "1042x1").await;
        let late = create_lost_payment(&world, 404, 500, "1042x1").await;
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world).len(), 4);
        assert_eq!(
            ask(&PaymentIntentId("pi_nobody".into())).await,
            RepairError::Unknown
        );
        assert_eq!(ask(&wrong).await, RepairError::Mismatch);
        world.gateway.refund_in_dashboard(&refunded);
        assert_eq!(ask(&refunded).await, RepairError::Refunded);
        for count in [50, 50, 50, 19] {
            world.buy_tickets(&[(1042, count)]).await;
        }
        assert_eq!(
            ask(&full).await,
            RepairError::Refused(Refusal::TooFewTickets { free: 0 })
        );
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1042), Command::Complete { result }, None)
            .await
            .unwrap();
        assert_eq!(
            ask(&late).await,
            RepairError::Refused(Refusal::AlreadyCompleted),
            "only a refund is left"
        );
        assert_eq!(world.sold_in_draw(1042), 169);
    });
}

/// Different nodes may try both repairs of one payment: tickets and a refund. Only the repair that
/// is written first takes effect.
#[test]
fn payment_gets_tickets_or_refund_but_never_both() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let anomalies = world.engine().anomalies.clone();
        let [back, kept, many] = [
            create_lost_payment(&world, 401, 1000, "1042x2").await,
            create_lost_payment(&world, 402, 1500, "1042x3").await,
            create_lost_payment(&world, 403, 30000, "1042x60").await,
        ];
        world.advance_seconds(60).await;
        let give = async |id| {
            anomalies
                .allocate_missing_tickets(id, recovered_buyer(), "f".repeat(32))
                .await
                .map(|given| given.order.id)
        };
        let lose_answers_of = |of: GatewayMethod| {
            world.gateway.set_faults(move |a| {
                if a.verb == of {
                    Fault::TimeoutAfter
                } else {
                    Fault::None
                }
            });
        };

        lose_answers_of(GatewayMethod::Refund);
        assert_eq!(
            anomalies.return_unmatched_payment(&back).await,
            Err(RepairError::Unavailable),
            "the refund's answer is lost"
        );
        lose_answers_of(GatewayMethod::Retrieve);
        assert_eq!(
            give(&back).await,
            Err(RepairError::Refunded),
            "a refund in progress is refused without a provider call"
        );
        assert_eq!(give(&kept).await, Err(RepairError::Unavailable));
        assert_eq!(
            anomalies.return_unmatched_payment(&kept).await,
            Err(RepairError::HasTickets),
            "an allocation is in progress"
        );
        world.gateway.clear_faults();
        assert_eq!(
            give(&kept).await,
            Ok(OrderId(402)),
            "the started allocation continues"
        );
        assert_eq!(
            anomalies.return_unmatched_payment(&back).await,
            Err(RepairError::Refunded),
            "it was already refunded"
        );

        assert_eq!(
            give(&many).await,
            Err(RepairError::Refused(Refusal::CountOutOfRange { max: 50 }))
        );
        let returned = anomalies
            .return_unmatched_payment(&many)
            .await
            .expect("no repair is in progress");
        assert_eq!(
            (returned.amount, world.sold_in_draw(1042)),
            (Cents(30000), 3)
        );
    });
}

#[test]
fn order_opened_for_a_payment_references_it_at_once() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let anomalies = world.engine().anomalies.clone();
        let id = create_lost_payment(&world, 401, 1500, "1042x2,1043x1").await;
        world.advance_seconds(60).await;
        let give = || anomalies.allocate_missing_tickets(&id, recovered_buyer(), "f".repeat(32));
        // The node that allocates the tickets dies after it has written the first line.
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(appends)
                if appends.iter().any(|append| append.draw == DrawId(1043)) =>
            {
                Lost::NotWritten
            }
            MemoryCall::Write("opened") => Lost::NotWritten,
            _ => Lost::None,
        });
        assert_eq!(give().await.err(), Some(RepairError::Unavailable));
        world.memory.set_faults(|_| Lost::None);
        assert_eq!((world.sold_in_draw(1042), world.sold_in_draw(1043)), (2, 0));
        let opened = world
            .memory
            .order_by_payment_intent(&id)
            .await
            .unwrap()
            .expect("the order has its payment");
        assert_eq!(
            (opened.order.id, opened.order.state),
            (OrderId(401), OrderState::Quoted)
        );
        world.advance_seconds(60).await;
        let listed = world.gateway.list(&account(), Timestamp(0)).await.unwrap();
        assert_eq!(listed.len(), 1, "no second intent is created");
        let record = give().await.expect("a retry continues");
        assert_eq!(
            (
                record.order.state,
                world.sold_in_draw(1042),
                world.sold_in_draw(1043)
            ),
            (OrderState::Captured, 2, 1)
        );
    });
}

#[test]
fn second_payment_of_an_order_is_found_without_webhook() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let second = create_lost_payment(&world, record.order.id.0, 1000, "1042x2").await;
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::DuplicatePayment, Some(second.clone()))]
        );
        world.gateway.refund_in_dashboard(&second);
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), [], "it was refunded externally");
    });
}

#[test]
fn failed_cancellation_is_reported_until_it_succeeds() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world
            .draws()
            .execute(DrawId(1042), Command::Cancel, None)
            .await
            .unwrap();
        world.gateway.set_faults(|call| {
            if call.verb == GatewayMethod::Cancel {
                Fault::TimeoutBefore
            } else {
                Fault::None
            }
        });
        let status = world.fulfil(&record).await.unwrap().status;
        assert!(
            matches!(status, FulfilStatus::NotCharged { .. }),
            "{status:?}"
        );
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::FailedAllocation, Some(intent_of(&record)))]
        );
        world.gateway.clear_faults();
        world.advance_seconds(120).await;
        assert_eq!(open_anomalies(&world), []);
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Released
        );
    });
}

/// Another node read the order before its tickets were written, and the provider after the capture.
/// It raised an anomaly but did not learn that the anomaly was stored.
#[test]
fn obsolete_anomaly_of_another_node_is_resolved() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), [], "it was compared");
        let anomaly = Anomaly {
            kind: AnomalyKind::MissingTicket,
            payment_intent: record.order.payment_intent.clone(),
            order: Some(record.order.id),
            note: "the payment was taken before the order had its tickets".into(),
        };
        assert_eq!(
            world
                .memory
                .raise_anomaly(&anomaly, None, world.clock.true_now())
                .await,
            Ok(true)
        );
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), []);
    });
}

#[test]
fn missing_fee_is_a_mismatch_that_stays_resolved() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world.gateway.capture_in_dashboard(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::MismatchedAmount, Some(intent_of(&record)))]
        );
        let anomalies = world.engine().anomalies.clone();
        let [AnomalyRecord { id, .. }] = anomalies.list(true, 10).await.unwrap()[..] else {
            panic!("one is open")
        };
        assert_eq!(anomalies.resolve(id, "operator 1").await, Ok(true));
        assert_eq!(
            anomalies.resolve(id, "operator 1").await,
            Ok(false),
            "it is closed"
        );
        assert_eq!(
            anomalies.scan_last_hour().await.unwrap().raised,
            0,
            "a resolved anomaly is not raised again"
        );
        assert_eq!(anomalies.scan_payments(10_000).await.unwrap().raised, 0);
        assert_eq!(open_anomalies(&world), []);
    });
}

#[test]
fn external_refund_makes_an_orphaned_ticket_anomaly() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.gateway.refund_in_dashboard(&intent_of(&record));
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::OrphanedTicket, Some(intent_of(&record)))]
        );
    });
}

/// No webhook reports the refund, and the payment is already half an hour old.
#[test]
fn late_external_refund_is_found() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.advance_seconds(1_300).await;
        world.gateway.refund_in_dashboard(&intent_of(&record));
        world.advance_seconds(600).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::OrphanedTicket, Some(intent_of(&record)))]
        );
    });
}

#[test]
fn buyer_of_orphaned_ticket_is_added_and_winner_needs_approval() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let buys_nameless = async |count| {
            let mut request = world.order_request(&[(1042, count)]);
            request.buyer = BuyerDetails::default();
            let record = world.payments().open(request).await.unwrap();
            world.gateway.authorise(&intent_of(&record));
            world.fulfil(&record).await.unwrap().record
        };
        let (first, second) = (buys_nameless(1).await, buys_nameless(1).await);
        world.advance_seconds(500).await;
        assert_eq!(open_anomalies(&world), [], "a buyer has ten minutes");
        world.advance_seconds(160).await;
        assert_eq!(open_anomalies(&world).len(), 2);
        let anomalies = world.engine().anomalies.clone();
        let [one, two, three] = [1, 2, 3].map(|number| Serial::new(number).unwrap());
        let recovered = anomalies
            .recover_buyer(DrawId(1042), one, recovered_buyer(), false)
            .await
            .unwrap();
        assert_eq!(
            (recovered.order.id, recovered.buyer),
            (first.order.id, recovered_buyer())
        );
        let unknown = anomalies
            .recover_buyer(DrawId(1042), three, recovered_buyer(), false)
            .await;
        assert_eq!(
            unknown.map(drop),
            Err(RepairError::Unknown),
            "the ticket has no owner"
        );
        let taken = anomalies
            .recover_buyer(DrawId(1042), one, recovered_buyer(), false)
            .await;
        assert_eq!(taken.map(drop), Err(RepairError::HasBuyer));
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::OrphanedTicket, Some(intent_of(&second)))]
        );
        assert_eq!(world.mails().len(), 1, "the confirmation left");

        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        let winner = world.draws().cells(DrawId(1042), &[two]).await.unwrap()[0].1;
        let result = GameResult { cell: winner };
        world
            .draws()
            .execute(DrawId(1042), Command::Complete { result }, None)
            .await
            .unwrap();
        let alone = anomalies
            .recover_buyer(DrawId(1042), two, recovered_buyer(), false)
            .await;
        assert_eq!(alone.map(drop), Err(RepairError::NeedsApproval));
        anomalies
            .recover_buyer(DrawId(1042), two, recovered_buyer(), true)
            .await
            .unwrap();
        world.advance_seconds(60).await;
        assert_eq!(open_anomalies(&world), []);
    });
}

#[test]
fn dispute_releases_tickets_only_before_the_game() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let (before, after) = (
            world.buy_tickets(&[(1042, 2)]).await,
            world.buy_tickets(&[(1043, 2)]).await,
        );
        world.gateway.dispute(&intent_of(&before));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(30).await;
        assert_eq!(world.stored_order(&before).order.state, OrderState::Void);
        assert_eq!((world.sold_in_draw(1042), world.sold_in_draw(1043)), (0, 2));
        let takings = world.gateway.provider_account_totals(&account());
        assert_eq!(
            (takings.refunded, takings.fees_refunded),
            (Cents(0), Cents(35)),
            "the bank moves the money"
        );

        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&intent_of(&after));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(30).await;
        assert_eq!(
            (
                world.stored_order(&after).order.state,
                world.sold_in_draw(1043)
            ),
            (OrderState::Captured, 2)
        );
        let kinds: Vec<_> = open_anomalies(&world)
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(kinds, [AnomalyKind::Dispute; 2]);
    });
}

/// The bank returns the money of a disputed payment. A refund would return the money twice.
#[test]
fn interrupted_dispute_release_is_finished_without_refund() {
    run_in_paused_time(|| async {
        // The release is interrupted at the first line, at the second line, or at the order's end.
        for step in ["first line", "second line", "end"] {
            let world = TestWorld::with_draws(&[1042, 1043]).await;
            let record = world.buy_tickets(&[(1042, 2), (1043, 1)]).await;
            world.deliver_queued_webhooks().await;
            world.advance_seconds(60).await;
            world.memory.set_faults(move |call| match call {
                MemoryCall::Append(batch) => {
                    let fails = |draw| batch.iter().any(|append| append.draw == DrawId(draw));
                    match step {
                        "first line" if fails(1042) => Lost::NotWritten,
                        "second line" if fails(1043) => Lost::NotWritten,
                        _ => Lost::None,
                    }
                }
                MemoryCall::Write("voided") if step == "end" => Lost::NotWritten,
                _ => Lost::None,
            });
            assert!(world.gateway.dispute(&intent_of(&record)));
            world.deliver_queued_webhooks().await;
            world.advance_seconds(60).await;
            let sold = (world.sold_in_draw(1042), world.sold_in_draw(1043));
            let expected = match step {
                "first line" => (2, 1),
                "second line" => (0, 1),
                _ => (0, 0),
            };
            assert_eq!(sold, expected, "{step}: interrupted");
            assert_eq!(
                open_anomalies(&world).len(),
                1,
                "{step}: the dispute is reported at once"
            );
            world.memory.clear_faults();
            world.advance_seconds(90).await;
            let stored = world.stored_order(&record);
            assert_eq!(stored.order.state, OrderState::Void, "{step}");
            assert_eq!(
                (world.sold_in_draw(1042), world.sold_in_draw(1043)),
                (0, 0),
                "{step}"
            );
            let takings = world.gateway.provider_account_totals(&account());
            assert_eq!(
                (takings.refunded, takings.fees_refunded),
                (Cents(0), takings.fees),
                "{step}: the bank moves the money"
            );
            let kinds: Vec<_> = world.mails().into_iter().map(|mail| mail.kind).collect();
            assert_eq!(kinds, ["tickets", "disputed"], "{step}");
            world.assert_consistent();
        }
    });
}

/// Any account can create a payment whose metadata names an order of another account.
#[test]
fn dispute_of_forged_payment_takes_no_tickets() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let order = record.order.id;
        let forged = NewIntent {
            order,
            account: account(),
            amount: Cents(1000),
            draws: "1042x2".into(),
        };
        let forged = world.gateway.create("forged", &forged).await.unwrap().id;
        assert!(world.gateway.authorise(&forged) && world.gateway.capture_in_dashboard(&forged));
        assert!(world.gateway.dispute(&forged));
        world.deliver_queued_webhooks().await;
        world.advance_seconds(60).await;
        assert_eq!(
            (
                world.stored_order(&record).order.state,
                world.sold_in_draw(1042)
            ),
            (OrderState::Captured, 2)
        );
        assert_eq!(
            world
                .gateway
                .provider_account_totals(&account())
                .fees_refunded,
            Cents(0)
        );
        assert!(
            open_anomalies(&world)
                .iter()
                .all(|(_, payment)| payment.as_ref() == Some(&forged))
                && !open_anomalies(&world).is_empty()
        );
    });
}

#[test]
fn unreachable_account_does_not_hide_refunds_of_others() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042, 1043]).await;
        let gone = AccountId("acct_a_club_that_left".into());
        world.memory.add_club(ClubId(2), gone.clone());
        let record = world.buy_tickets(&[(1042, 2)]).await;
        let mut request = world.order_request(&[(1043, 1)]);
        (request.club, request.account) = (ClubId(2), gone.clone());
        let other_order = world.payments().open(request).await.unwrap();
        assert!(world.gateway.authorise(&intent_of(&other_order)));
        world.fulfil(&other_order).await.unwrap();
        if let Some(engine) = world.engine.take() {
            engine.kill();
        }
        // While no node runs, one payment is refunded in the dashboard, and the account of the
        // other payment leaves the platform.
        assert!(world.gateway.refund_in_dashboard(&intent_of(&record)));
        let silent = gone.clone();
        world.gateway.set_faults(move |call| {
            if *call.account == silent {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.advance_seconds(1_800).await;
        world.start_engine().await;
        world.advance_seconds(90).await;
        assert_eq!(
            open_anomalies(&world).len(),
            1,
            "found despite the unreachable account"
        );
        assert!(world.gateway.refund_in_dashboard(&intent_of(&other_order)));
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world).len(),
            1,
            "the other account is unreachable"
        );
        world.gateway.clear_faults();
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world).len(),
            2,
            "the account is queried again"
        );
    });
}

#[test]
fn failing_webhooks_do_not_delay_others() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.buy_tickets(&[(1042, 2)]).await;
        world.deliver_queued_webhooks().await;
        let gone = AccountId("acct_a_club_that_left".into());
        let silent = gone.clone();
        world.gateway.set_faults(move |call| {
            if *call.account == silent {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        let notice =
            |event: String, account: &AccountId, intent: PaymentIntentId| StoredWebhookEvent {
                event_id: event,
                account: Some(account.0.clone()),
                kind: "charge.refunded".into(),
                payment_intent: Some(intent),
                payload: "{}".into(),
            };
        for number in 0..200 {
            let intent = PaymentIntentId(format!("pi_gone_{number}"));
            world
                .payments()
                .store_webhook_event(notice(format!("evt_{number:03}"), &gone, intent))
                .await
                .unwrap();
        }
        let last = notice("evt_last".into(), &account(), intent_of(&record));
        world.payments().store_webhook_event(last).await.unwrap();
        world.advance_seconds(10).await;
        let left = world
            .memory
            .unhandled_events(InstanceId(1), world.clock.true_now(), 1_000)
            .await
            .unwrap();
        assert_eq!(left.len(), 200);
        assert!(
            left.iter().all(|notice| notice.event_id != "evt_last"),
            "the last webhook was handled"
        );
        world.gateway.clear_faults();
        world.advance_seconds(60).await;
        let left = world
            .memory
            .unhandled_events(InstanceId(1), world.clock.true_now(), 1_000)
            .await
            .unwrap();
        assert_eq!(left.len(), 0, "the failed webhooks are retried");
    });
}
