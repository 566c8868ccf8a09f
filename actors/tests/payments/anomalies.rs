//! What goes wrong with money is found within a minute, without a notice; what can heal does, and the rest is a person's.

use actors::testing::{Fault, Verb};
use actors::{FulfilStatus, Gateway, NewIntent, Unresolved};
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, Command, DrawId, GameResult, OrderId,
    OrderState, PaymentIntentId, Refusal, Serial, Timestamp,
};
use persistence::Books;
use persistence::books::{AnomalyRecord, Notice};
use persistence::ledger::BuyerDetails;
use persistence::memory::{Call, Fault as Lost};
use persistence::nodes::Boot;

use crate::world::{KICK_OFF, World, account, intent_of, play};

pub fn open(world: &World) -> Vec<(AnomalyKind, Option<PaymentIntentId>)> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    open.map(|record| (record.anomaly.kind, record.anomaly.payment_intent))
        .collect()
}

fn somebody() -> BuyerDetails {
    BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@example.org".into()),
        phone: Some("0411000001".into()),
    }
}

/// A payment of an order that the books do not know: they were restored from a backup.
async fn forgotten(world: &World, order: u128, cents: i64, draws: &str) -> PaymentIntentId {
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
    assert!(
        world.gateway.authorise(&opened.id) && world.gateway.capture_behind_our_back(&opened.id)
    );
    opened.id
}

#[test]
fn a_payment_without_an_order_is_missing_its_tickets_until_a_person_allocates_them() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let id = forgotten(&world, 404, 1500, "1042x2,1043x1").await;
        world.pass(60).await;
        assert_eq!(
            open(&world),
            [(AnomalyKind::MissingTicket, Some(id.clone()))]
        );
        let anomalies = world.engine().anomalies.clone();
        // The kick-off has come since; it was authorised before.
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        let record = anomalies
            .allocate_missing(&id, somebody(), "f".repeat(32))
            .await
            .unwrap();
        assert_eq!(record.order.state, OrderState::Captured);
        assert_eq!((world.sold(1042), world.sold(1043)), (2, 1));
        let again = anomalies
            .allocate_missing(&id, somebody(), "e".repeat(32))
            .await
            .unwrap();
        assert_eq!(
            (again.order.id, again.token),
            (OrderId(404), "f".repeat(32)),
            "the same, once"
        );
        world.pass(60).await;
        assert_eq!(world.mails().len(), 1, "the buyer has the tickets");
        let left: Vec<_> = open(&world).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(
            left,
            [AnomalyKind::MismatchedAmount],
            "no fee was taken with it: that is for a person"
        );
        assert_eq!(anomalies.counts().await.unwrap().success_rate(), 50);
    });
}

#[test]
fn only_what_was_paid_in_time_for_what_it_names_is_allocated() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let anomalies = world.engine().anomalies.clone();
        let ask = async |id: &PaymentIntentId| {
            let asked = anomalies
                .allocate_missing(id, somebody(), "f".repeat(32))
                .await;
            asked.map(|record| record.order.id).unwrap_err()
        };
        let wrong = forgotten(&world, 401, 2000, "1042x2").await;
        let full = forgotten(&world, 402, 500, "1042x1").await;
        let refunded = forgotten(&world, 403, 500, "1042x1").await;
        let late = forgotten(&world, 404, 500, "1042x1").await;
        world.pass(60).await;
        assert_eq!(open(&world).len(), 4);
        assert_eq!(
            ask(&PaymentIntentId("pi_nobody".into())).await,
            Unresolved::Unknown
        );
        assert_eq!(ask(&wrong).await, Unresolved::Mismatch);
        world.gateway.refund_behind_our_back(&refunded);
        assert_eq!(ask(&refunded).await, Unresolved::Refunded);
        for count in [50, 50, 50, 19] {
            world.buy(&[(1042, count)]).await;
        }
        assert_eq!(
            ask(&full).await,
            Unresolved::Refused(Refusal::TooFewTickets { free: 0 })
        );
        let result = GameResult::new(1, 1).unwrap();
        world
            .draws()
            .execute(DrawId(1042), Command::Complete { result }, None)
            .await
            .unwrap();
        assert_eq!(
            ask(&late).await,
            Unresolved::Refused(Refusal::AlreadyCompleted),
            "only a refund is left"
        );
        assert_eq!(world.sold(1042), 169);
    });
}

/// On any two nodes: what one began stands in the books.
#[test]
fn a_payment_is_given_its_tickets_or_its_money_and_never_both() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let anomalies = world.engine().anomalies.clone();
        let [back, kept, many] = [
            forgotten(&world, 401, 1000, "1042x2").await,
            forgotten(&world, 402, 1500, "1042x3").await,
            forgotten(&world, 403, 30000, "1042x60").await,
        ];
        world.pass(60).await;
        let give = async |id| {
            anomalies
                .allocate_missing(id, somebody(), "f".repeat(32))
                .await
                .map(|given| given.order.id)
        };
        let unheard = |of: Verb| {
            world.gateway.set_faults(move |a| {
                if a.verb == of {
                    Fault::TimeoutAfter
                } else {
                    Fault::None
                }
            })
        };

        unheard(Verb::Refund);
        assert_eq!(
            anomalies.give_back(&back).await,
            Err(Unresolved::Unavailable),
            "nobody heard that it went back"
        );
        unheard(Verb::Retrieve);
        assert_eq!(
            give(&back).await,
            Err(Unresolved::Refunded),
            "it is on its way, and the provider is not even asked"
        );
        assert_eq!(give(&kept).await, Err(Unresolved::Unavailable));
        assert_eq!(
            anomalies.give_back(&kept).await,
            Err(Unresolved::HasTickets),
            "they are being given"
        );
        world.gateway.clear_faults();
        assert_eq!(give(&kept).await, Ok(OrderId(402)), "who began goes on");
        assert_eq!(
            anomalies.give_back(&back).await,
            Err(Unresolved::Refunded),
            "it had gone back"
        );

        assert_eq!(
            give(&many).await,
            Err(Unresolved::Refused(Refusal::CountOutOfRange { max: 50 }))
        );
        let returned = anomalies
            .give_back(&many)
            .await
            .expect("nothing is under way any more");
        assert_eq!((returned.amount, world.sold(1042)), (Cents(30000), 3));
    });
}

#[test]
fn an_order_that_is_opened_for_a_payment_has_it_from_the_first_moment() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let anomalies = world.engine().anomalies.clone();
        let id = forgotten(&world, 401, 1500, "1042x2,1043x1").await;
        world.pass(60).await;
        let give = || anomalies.allocate_missing(&id, somebody(), "f".repeat(32));
        // Whoever gives it its tickets dies when the first of them are written.
        world.memory.set_faults(|call| match call {
            Call::Append(appends) if appends.iter().any(|append| append.draw == DrawId(1043)) => {
                Lost::NotWritten
            }
            Call::Write("opened") => Lost::NotWritten,
            _ => Lost::None,
        });
        assert_eq!(give().await.err(), Some(Unresolved::Unavailable));
        world.memory.set_faults(|_| Lost::None);
        assert_eq!((world.sold(1042), world.sold(1043)), (2, 0));
        let opened = world
            .memory
            .order_by_payment_intent(&id)
            .await
            .unwrap()
            .expect("it has its payment");
        assert_eq!(
            (opened.order.id, opened.order.state),
            (OrderId(401), OrderState::Quoted)
        );
        world.pass(60).await;
        let listed = world.gateway.list(&account(), Timestamp(0)).await.unwrap();
        assert_eq!(listed.len(), 1, "and none is made for it");
        let record = give().await.expect("whoever asks goes on");
        assert_eq!(
            (record.order.state, world.sold(1042), world.sold(1043)),
            (OrderState::Captured, 2, 1)
        );
    });
}

#[test]
fn a_second_payment_for_one_order_is_found_without_a_notice() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let second = forgotten(&world, record.order.id.0, 1000, "1042x2").await;
        world.pass(60).await;
        assert_eq!(
            open(&world),
            [(AnomalyKind::DuplicatePayment, Some(second.clone()))]
        );
        world.gateway.refund_behind_our_back(&second);
        world.pass(60).await;
        assert_eq!(open(&world), [], "somebody gave it back");
    });
}

#[test]
fn an_authorisation_that_cannot_be_cancelled_is_shown_and_heals_when_it_can() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world
            .draws()
            .execute(DrawId(1042), Command::Cancel, None)
            .await
            .unwrap();
        world.gateway.set_faults(|asked| {
            if asked.verb == Verb::Cancel {
                Fault::TimeoutBefore
            } else {
                Fault::None
            }
        });
        let told = world.fulfil(&record).await.unwrap().status;
        assert!(matches!(told, FulfilStatus::NotCharged { .. }), "{told:?}");
        world.pass(60).await;
        assert_eq!(
            open(&world),
            [(AnomalyKind::FailedAllocation, Some(intent_of(&record)))]
        );
        world.gateway.clear_faults();
        world.pass(120).await;
        assert_eq!(open(&world), []);
        assert_eq!(world.order(&record).order.state, OrderState::Released);
    });
}

/// Another node read the order before its tickets were written, asked the provider after the money was taken, and never heard that
/// its anomaly was written.
#[test]
fn what_another_node_raised_about_a_payment_that_was_found_right_heals() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        world.pass(60).await;
        assert_eq!(open(&world), [], "it was compared");
        let anomaly = Anomaly {
            kind: AnomalyKind::MissingTicket,
            payment_intent: record.order.payment_intent.clone(),
            order: Some(record.order.id),
            note: "the payment was taken before the order had its tickets".into(),
        };
        assert_eq!(
            world
                .memory
                .raise(&anomaly, None, world.clock.true_now())
                .await,
            Ok(true)
        );
        world.pass(60).await;
        assert_eq!(open(&world), []);
    });
}

#[test]
fn a_fee_that_was_not_taken_is_a_mismatch_that_a_person_closes_once() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&record));
        world.gateway.capture_behind_our_back(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.pass(60).await;
        assert_eq!(
            open(&world),
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
            anomalies.check().await.unwrap().raised,
            0,
            "what a person closed does not come back"
        );
        assert_eq!(anomalies.scan(10_000).await.unwrap().raised, 0);
        assert_eq!(open(&world), []);
    });
}

#[test]
fn tickets_whose_money_went_back_past_us_are_orphaned() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        world.gateway.refund_behind_our_back(&intent_of(&record));
        world.pass(60).await;
        assert_eq!(
            open(&world),
            [(AnomalyKind::OrphanedTicket, Some(intent_of(&record)))]
        );
    });
}

/// Nobody tells of it, and by then the payment is half an hour old.
#[test]
fn money_that_went_back_past_us_long_after_it_was_taken_is_found_all_the_same() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        world.pass(1_300).await;
        world.gateway.refund_behind_our_back(&intent_of(&record));
        world.pass(600).await;
        assert_eq!(
            open(&world),
            [(AnomalyKind::OrphanedTicket, Some(intent_of(&record)))]
        );
    });
}

#[test]
fn a_ticket_without_an_address_gets_its_buyer_and_a_winning_one_needs_two_people() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let buys_nameless = async |count| {
            let mut wanted = world.wants(&[(1042, count)]);
            wanted.buyer = BuyerDetails::default();
            let record = world.payments().open(wanted).await.unwrap();
            world.gateway.authorise(&intent_of(&record));
            world.fulfil(&record).await.unwrap().record
        };
        let (first, second) = (buys_nameless(1).await, buys_nameless(1).await);
        world.pass(500).await;
        assert_eq!(open(&world), [], "a buyer has ten minutes");
        world.pass(160).await;
        assert_eq!(open(&world).len(), 2);
        let anomalies = world.engine().anomalies.clone();
        let [one, two, three] = [1, 2, 3].map(|number| Serial::new(number).unwrap());
        let recovered = anomalies
            .recover(DrawId(1042), one, somebody(), false)
            .await
            .unwrap();
        assert_eq!(
            (recovered.order.id, recovered.buyer),
            (first.order.id, somebody())
        );
        let unknown = anomalies
            .recover(DrawId(1042), three, somebody(), false)
            .await;
        assert_eq!(unknown.map(drop), Err(Unresolved::Unknown), "nobody has it");
        let taken = anomalies
            .recover(DrawId(1042), one, somebody(), false)
            .await;
        assert_eq!(taken.map(drop), Err(Unresolved::HasBuyer));
        world.pass(60).await;
        assert_eq!(
            open(&world),
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
            .recover(DrawId(1042), two, somebody(), false)
            .await;
        assert_eq!(alone.map(drop), Err(Unresolved::NeedsApproval));
        anomalies
            .recover(DrawId(1042), two, somebody(), true)
            .await
            .unwrap();
        world.pass(60).await;
        assert_eq!(open(&world), []);
    });
}

#[test]
fn a_dispute_before_the_game_releases_the_tickets_and_after_it_keeps_them() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let (before, after) = (world.buy(&[(1042, 2)]).await, world.buy(&[(1043, 2)]).await);
        world.gateway.dispute(&intent_of(&before));
        world.deliver_notices().await;
        world.pass(30).await;
        assert_eq!(world.order(&before).order.state, OrderState::Void);
        assert_eq!((world.sold(1042), world.sold(1043)), (0, 2));
        let takings = world.gateway.takings(&account());
        assert_eq!(
            (takings.refunded, takings.fees_refunded),
            (Cents(0), Cents(35)),
            "the money is the bank's to move"
        );

        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        world.gateway.dispute(&intent_of(&after));
        world.deliver_notices().await;
        world.pass(30).await;
        assert_eq!(
            (world.order(&after).order.state, world.sold(1043)),
            (OrderState::Captured, 2)
        );
        let kinds: Vec<_> = open(&world).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [AnomalyKind::MismatchedAmount; 2]);
    });
}

/// Anybody may make a payment of their own that bears the name of an order of ours.
#[test]
fn the_dispute_of_a_payment_that_only_bears_an_orders_name_takes_nobodys_tickets() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        let order = record.order.id;
        let forged = NewIntent {
            order,
            account: account(),
            amount: Cents(1000),
            draws: "1042x2".into(),
        };
        let forged = world.gateway.create("forged", &forged).await.unwrap().id;
        assert!(world.gateway.authorise(&forged) && world.gateway.capture_behind_our_back(&forged));
        assert!(world.gateway.dispute(&forged));
        world.deliver_notices().await;
        world.pass(60).await;
        assert_eq!(
            (world.order(&record).order.state, world.sold(1042)),
            (OrderState::Captured, 2)
        );
        assert_eq!(world.gateway.takings(&account()).fees_refunded, Cents(0));
        assert!(
            open(&world)
                .iter()
                .all(|(_, payment)| payment.as_ref() == Some(&forged))
                && !open(&world).is_empty()
        );
    });
}

#[test]
fn an_account_that_cannot_be_asked_hides_no_other_ones_refund() {
    play(|| async {
        let mut world = World::with(&[1042, 1043]).await;
        let gone = AccountId("acct_a_club_that_left".into());
        world.memory.add_club(ClubId(2), gone.clone());
        let record = world.buy(&[(1042, 2)]).await;
        let mut wanted = world.wants(&[(1043, 1)]);
        (wanted.club, wanted.account) = (ClubId(2), gone.clone());
        let theirs = world.payments().open(wanted).await.unwrap();
        assert!(world.gateway.authorise(&intent_of(&theirs)));
        world.fulfil(&theirs).await.unwrap();
        if let Some(engine) = world.engine.take() {
            engine.kill();
        }
        // While nobody looks, one gives money back by hand, and the other takes its leave.
        assert!(world.gateway.refund_behind_our_back(&intent_of(&record)));
        let silent = gone.clone();
        world.gateway.set_faults(move |asked| {
            if *asked.account == silent {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.pass(1_800).await;
        world.start().await;
        world.pass(90).await;
        assert_eq!(open(&world).len(), 1, "found in spite of the other account");
        assert!(world.gateway.refund_behind_our_back(&intent_of(&theirs)));
        world.pass(60).await;
        assert_eq!(open(&world).len(), 1, "nobody can ask about the other");
        world.gateway.clear_faults();
        world.pass(60).await;
        assert_eq!(open(&world).len(), 2, "it is asked again");
    });
}

#[test]
fn notices_that_cannot_be_handled_keep_no_others_waiting() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.buy(&[(1042, 2)]).await;
        world.deliver_notices().await;
        let gone = AccountId("acct_a_club_that_left".into());
        let silent = gone.clone();
        world.gateway.set_faults(move |asked| {
            if *asked.account == silent {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        let notice = |event: String, account: &AccountId, intent: PaymentIntentId| Notice {
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
                .notice(notice(format!("evt_{number:03}"), &gone, intent))
                .await
                .unwrap();
        }
        let last = notice("evt_last".into(), &account(), intent_of(&record));
        world.payments().notice(last).await.unwrap();
        world.pass(10).await;
        let left = world
            .memory
            .notices_unhandled(Boot(1), world.clock.true_now(), 1_000)
            .await
            .unwrap();
        assert_eq!(left.len(), 200);
        assert!(
            left.iter().all(|notice| notice.event_id != "evt_last"),
            "it was behind all of them"
        );
        world.gateway.clear_faults();
        world.pass(60).await;
        let left = world
            .memory
            .notices_unhandled(Boot(1), world.clock.true_now(), 1_000)
            .await
            .unwrap();
        assert_eq!(left.len(), 0, "and they are looked at again");
    });
}
