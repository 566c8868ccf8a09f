//! Test that replaying the journal of a draw gives the state that the tables contain.

#[path = "support/world.rs"]
mod support;

use domain::{Command, Deal, Draw, Event, GameResult, OrderId, Seed, Timestamp};
use persistence::journal;
use persistence::ledger::AttachedWrite;

use support::{DrawOwner, NOW, TERMS, TestWorld};

/// A small generator of pseudo-random numbers. The same seed gives the same numbers.
struct SeededRandom(u64);

impl SeededRandom {
    fn next_below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

async fn read_journal(world: &TestWorld, draw: usize) -> Vec<Vec<Event>> {
    let texts: Vec<String> = sqlx::query_scalar(
        "select events::text from draw_events where draw_id = $1 order by revision",
    )
    .bind(world.draws[draw].0)
    .fetch_all(&mut world.connection().await)
    .await
    .expect("read");
    texts
        .iter()
        .map(|text| journal::events_from_json(text).expect("readable"))
        .collect()
}

/// Executes one random command on the draw. A refused command changes nothing.
async fn run_random_command(
    world: &TestWorld,
    owner: &mut DrawOwner,
    random: &mut SeededRandom,
    now: Timestamp,
    opened: &mut Vec<u128>,
) {
    let known = opened
        .get(random.next_below(opened.len().max(1) as u64) as usize)
        .copied()
        .unwrap_or(0);
    let count = |owner: &DrawOwner| {
        owner
            .draw
            .reservation(OrderId(known))
            .map_or(1, |reservation| reservation.count)
    };
    let (command, attached_write) = match random.next_below(10) {
        0..=3 => {
            let (id, count) = (opened.len() as u128 + 1, random.next_below(50) as u16 + 1);
            let command = Command::Reserve {
                order: OrderId(id),
                count,
                until: now.plus_seconds(150),
            };
            (
                command,
                Some(AttachedWrite::Open(world.order(id, &[(0, count)]))),
            )
        }
        4 => (
            Command::Extend {
                order: OrderId(known),
                until: now.plus_seconds(300),
            },
            None,
        ),
        5 => (
            Command::Release {
                order: OrderId(known),
            },
            None,
        ),
        6 | 7 => (
            owner.sale_command(known, count(owner)),
            Some(AttachedWrite::Authorised {
                order: OrderId(known),
                at: now,
            }),
        ),
        8 => (
            Command::Void {
                order: OrderId(known),
                charged: false,
            },
            None,
        ),
        _ => (Command::Tick, None),
    };
    let Ok(events) = owner.draw.decide(now, &command) else {
        return;
    };
    if events.is_empty() {
        return;
    }
    // After the reservation of an order has expired, the order may hold another number of tickets
    // than its line says. The ledger refuses to allocate them.
    if owner
        .ledger
        .append(vec![owner.commit(
            &command,
            events.clone(),
            attached_write.clone(),
        )])
        .await
        .is_ok()
    {
        owner.draw.apply(&events);
        if let Some(AttachedWrite::Open(order)) = attached_write {
            opened.push(order.id.0);
        }
    }
}

#[tokio::test]
async fn replayed_journal_equals_the_tables() {
    let world = TestWorld::in_postgres(&[TERMS]).await;
    let mut owner = world.owner(0).await;
    let (mut random, mut opened) = (SeededRandom(7), Vec::new());
    for second in 0..300 {
        run_random_command(
            &world,
            &mut owner,
            &mut random,
            NOW.plus_seconds(second * 20),
            &mut opened,
        )
        .await;
    }
    let result = GameResult::new(3, 5).expect("a result");
    owner
        .execute(Command::Complete { result }, None)
        .await
        .expect("completed");

    let fresh = owner.draw.clone();
    let mut replayed = Draw::new(
        world.draws[0],
        TERMS,
        fresh.fee_policy(),
        Deal::new(Seed([0; 32])),
    );
    let journal = read_journal(&world, 0).await;
    let kinds: std::collections::BTreeSet<String> = journal
        .iter()
        .flatten()
        .map(|event| {
            format!("{event:?}")
                .split([' ', '{'])
                .next()
                .unwrap_or("")
                .into()
        })
        .collect();
    assert!(kinds.len() >= 6, "too few kinds of events: {kinds:?}");
    for events in &journal {
        replayed.apply(events);
    }
    let loaded = world.owner(0).await.draw;
    assert_eq!(replayed, loaded);
    assert_eq!(replayed, owner.draw);
    assert_eq!(journal.len() as u64, loaded.revision());
}
