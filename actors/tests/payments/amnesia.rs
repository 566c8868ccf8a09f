//! The books are restored from a backup, and the provider remembers: whatever was paid since is found within two minutes, however
//! old the backup is, and is healed or given back.

use actors::{FulfilStatus, Unresolved};
use domain::{
    AccountId, AnomalyKind, Cents, ClubId, DrawId, OrderState, PaymentIntentId, PaymentStatus,
};
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;

use crate::world::{World, account, intent_of, play};

const DRAWS: [i64; 2] = [1042, 1043];

/// What was sold after the backup was made.
struct Forgotten {
    captured: Vec<OrderRecord>,
    authorised: OrderRecord,
}

async fn sell_on(world: &World, seconds: u64) -> Forgotten {
    let wanted: [&[(i64, u16)]; 6] = [
        &[(1042, 2)],
        &[(1043, 1)],
        &[(1042, 1), (1043, 3)],
        &[(1042, 5)],
        &[(1043, 2), (1042, 2)],
        &[(1042, 1)],
    ];
    let mut captured = Vec::new();
    for lines in wanted {
        captured.push(world.buy(lines).await);
        world.pass(seconds / wanted.len() as u64).await;
    }
    let authorised = world.open(&[(1042, 4)]).await;
    assert!(world.gateway.authorise(&intent_of(&authorised)));
    Forgotten {
        captured,
        authorised,
    }
}

fn open(world: &World) -> Vec<(AnomalyKind, PaymentIntentId)> {
    let open = world
        .memory
        .anomaly_records()
        .into_iter()
        .filter(|record| record.resolved_at.is_none());
    let mut open: Vec<_> = open
        .map(|record| {
            (
                record.anomaly.kind,
                record.anomaly.payment_intent.expect("a payment"),
            )
        })
        .collect();
    open.sort_by(|one, other| one.1.cmp(&other.1));
    open
}

fn status(world: &World, record: &OrderRecord) -> PaymentStatus {
    world
        .gateway
        .intent(&intent_of(record))
        .expect("an intent")
        .said
        .status
}

fn somebody() -> BuyerDetails {
    BuyerDetails {
        name: Some("Bob".into()),
        email: Some("bob@example.org".into()),
        phone: Some("0411000001".into()),
    }
}

/// Every forgotten payment is open as one that misses its tickets, and nothing else is.
fn all_are_found(world: &World, forgotten: &Forgotten) {
    let expected: Vec<_> = forgotten
        .captured
        .iter()
        .map(|record| (AnomalyKind::MissingTicket, intent_of(record)))
        .collect();
    assert_eq!(open(world), expected);
    assert_eq!(
        status(world, &forgotten.authorised),
        PaymentStatus::Canceled,
        "nobody is charged for what nobody knows"
    );
}

#[test]
fn what_ten_minutes_forgot_is_found_within_two_and_healed_or_given_back() {
    play(|| async {
        let mut world = World::with(&DRAWS).await;
        let before = world.buy(&[(1042, 3)]).await;
        let quoted = world.open(&[(1043, 2)]).await;
        let (backup, refunded) = (world.memory.backup(), before.clone());
        world.gateway.authorise(&intent_of(&quoted));
        assert_eq!(
            world.fulfil(&quoted).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        let forgotten = sell_on(&world, 600).await;
        world.restart_on(backup).await;
        world.pass(120).await;
        all_are_found(&world, &forgotten);
        assert_eq!(
            world.order(&quoted).order.state,
            OrderState::Captured,
            "it was known, so it got its tickets again"
        );
        assert_eq!(world.order(&refunded).order.state, OrderState::Captured);

        let anomalies = world.engine().anomalies.clone();
        let (healed, returned) = forgotten.captured.split_at(3);
        for record in healed {
            let adopted = anomalies
                .allocate_missing(&intent_of(record), somebody(), record.token.clone())
                .await
                .unwrap();
            assert_eq!(
                (adopted.order.id, adopted.order.state),
                (record.order.id, OrderState::Captured)
            );
            assert_eq!(adopted.order.total(), record.order.total());
        }
        for record in returned {
            assert_eq!(
                anomalies
                    .give_back(&intent_of(record))
                    .await
                    .unwrap()
                    .amount,
                record.order.total()
            );
            let again = anomalies
                .allocate_missing(&intent_of(record), somebody(), record.token.clone())
                .await;
            assert_eq!(again.map(drop), Err(Unresolved::Refunded));
        }
        anomalies.scan(1).await.unwrap();
        world.pass(60).await;
        assert_eq!(open(&world), []);
        assert_eq!((world.sold(1042), world.sold(1043)), (3 + 2 + 1, 2 + 1 + 3));
        let takings = world.gateway.takings(&account());
        let kept: Cents = world
            .memory
            .orders()
            .iter()
            .filter_map(|row| row.captured_at.map(|_| row.order.total()))
            .sum();
        assert_eq!(
            takings.captured - takings.refunded,
            kept,
            "what the provider kept is what has tickets"
        );
        let fees: Cents = world.memory.draws().iter().map(|draw| draw.fee()).sum();
        assert_eq!(takings.fees - takings.fees_refunded, fees);
    });
}

#[test]
fn a_backup_of_two_hours_ago_is_seen_through_as_well() {
    play(|| async {
        let mut world = World::with(&DRAWS).await;
        world.buy(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let forgotten = sell_on(&world, 2 * 3_600).await;
        world.restart_on(backup).await;
        world.pass(120).await;
        all_are_found(&world, &forgotten);
    });
}

#[test]
fn a_provider_that_is_away_when_the_restored_books_are_opened_is_asked_again() {
    play(|| async {
        use actors::testing::{Fault, Verb};
        let mut world = World::with(&DRAWS).await;
        world.buy(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let forgotten = sell_on(&world, 2 * 3_600).await;
        world.gateway.set_faults(|asked| {
            if asked.verb == Verb::List {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.restart_on(backup).await;
        world.pass(300).await;
        assert_eq!(open(&world), []);
        world.gateway.clear_faults();
        world.pass(60).await;
        all_are_found(&world, &forgotten);
        assert_eq!(world.sold(DrawId(1042).0), 3);
    });
}

#[test]
fn an_account_that_cannot_be_asked_hides_no_other_ones_forgotten_payments() {
    play(|| async {
        use actors::testing::Fault;
        let mut world = World::with(&DRAWS).await;
        // It took its leave, and it is asked first.
        let gone = AccountId("acct_a_club_that_left".into());
        world.memory.add_club(ClubId(2), gone.clone());
        world.buy(&[(1042, 3)]).await;
        let backup = world.memory.backup();
        let forgotten = sell_on(&world, 2 * 3_600).await;
        world.gateway.set_faults(move |asked| {
            if *asked.account == gone {
                Fault::Unavailable
            } else {
                Fault::None
            }
        });
        world.restart_on(backup).await;
        world.pass(120).await;
        all_are_found(&world, &forgotten);
    });
}
