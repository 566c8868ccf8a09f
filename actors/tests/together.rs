//! Commands of one draw that wait together: decided in order, written in one transaction, answered and shown when it is
//! committed, and not before.

use actors::{Committed, Denied};
use domain::{Authority, Command, DrawId, Event, OrderId, Refusal};
use persistence::ledger::Append;
use persistence::memory::{Call, Fault};
use tokio::task::JoinHandle;

#[path = "support/disk.rs"]
mod disk;
#[path = "support/world.rs"]
mod world;
use disk::{Disk, on_a_slow_disk};
use world::{KICK_OFF, PRICE, World, play, reserve};

const DRAW: DrawId = DrawId(1042);

type Answer = Result<Committed, Denied>;

/// Everybody who can go on has gone on.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

fn asked(world: &World, command: Command) -> JoinHandle<Answer> {
    let draws = world.draws();
    tokio::task::spawn_local(async move { draws.execute(DRAW, command, None).await })
}

/// One command under way; whatever is asked after this waits.
async fn under_way(world: &World, disk: &Disk) -> JoinHandle<Answer> {
    let first = asked(world, reserve(1, 1));
    settle().await;
    assert_eq!(disk.sizes(), [1]);
    first
}

async fn asked_in_order(
    world: &World,
    commands: impl IntoIterator<Item = Command>,
) -> Vec<JoinHandle<Answer>> {
    let asked: Vec<_> = commands
        .into_iter()
        .map(|command| asked(world, command))
        .collect();
    settle().await;
    asked
}

async fn told(asked: Vec<JoinHandle<Answer>>) -> Vec<Answer> {
    let mut told = Vec::new();
    for one in asked {
        told.push(one.await.unwrap());
    }
    told
}

fn nobody_is_told(asked: &[JoinHandle<Answer>]) -> bool {
    asked.iter().all(|one| !one.is_finished())
}

fn too_few(free: u16) -> Answer {
    Err(Denied::Refused(Refusal::TooFewTickets { free }))
}

/// The next transactions that concern these orders go so.
fn faults(world: &World, order: u128, fault: Fault, mut times: usize) {
    world.memory.set_faults(move |call| match call {
        Call::Append(appends)
            if times > 0 && appends.iter().any(|append| reserves(append, order)) =>
        {
            times -= 1;
            fault
        }
        _ => Fault::None,
    });
}

fn reserves(append: &Append, wanted: u128) -> bool {
    append
        .events
        .iter()
        .any(|event| matches!(event, Event::Reserved { order, .. } if order.0 == wanted))
}

#[test]
fn what_is_asked_during_a_write_is_written_together() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=6).map(|order| reserve(order, 2))).await;
        assert!(nobody_is_told(&crowd));
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        let mut changes = world.draws().changed();
        disk.permits.add_permits(1);
        assert_eq!(first.await.unwrap().unwrap().view.revision, 1);
        settle().await;
        assert_eq!(disk.sizes(), [1, 5], "the five share a transaction");
        assert!(nobody_is_told(&crowd), "which is not committed");
        assert_eq!(
            (watched.borrow_and_update().held, world.held(1042)),
            (1, 1),
            "nor shown"
        );
        let shown = *changes.borrow_and_update();

        disk.permits.add_permits(1);
        for (answer, place) in told(crowd).await.into_iter().zip(0..) {
            let committed = answer.unwrap();
            assert!(committed.written);
            assert_eq!(committed.reservation.unwrap().count, 2);
            assert_eq!(
                (committed.view.revision, committed.view.held),
                (2 + place, 3 + 2 * place as u16)
            );
        }
        let view = *watched.borrow_and_update();
        assert_eq!((view.revision, view.held), (6, 11));
        assert_eq!(
            *changes.borrow_and_update(),
            shown + 1,
            "one view for the five"
        );
        world.audit();
    });
}

#[test]
fn a_refusal_that_rests_on_what_is_not_written_waits_for_it() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let wants = [
            reserve(2, 50),
            reserve(3, 50),
            reserve(4, 50),
            reserve(5, 18),
            reserve(6, 1),
            reserve(2, 50),
        ];
        let crowd = asked_in_order(&world, wants).await;
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        settle().await;
        assert_eq!(disk.sizes(), [1, 4]);
        assert!(nobody_is_told(&crowd), "not even who was refused");
        disk.permits.add_permits(1);
        let told = told(crowd).await;
        assert!(told[..4].iter().all(Result::is_ok));
        assert_eq!(told[4], too_few(0));
        assert!(
            !told[5].clone().unwrap().written,
            "it has what it asked for"
        );
        assert_eq!(disk.sizes(), [1, 4]);
        world.audit();
    });
}

#[test]
fn a_refusal_that_rested_on_what_was_not_written_is_decided_anew() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        disk.permits.add_permits(9);
        for order in 2..=4 {
            asked(&world, reserve(order, 50)).await.unwrap().unwrap();
        }
        disk.permits.forget_permits(9);
        let held_up = asked(&world, Command::Release { order: OrderId(4) });
        settle().await;
        // When 4 has let go, 69 are free: enough for 50 and 19, and then for nobody.
        let crowd = asked_in_order(&world, [reserve(5, 50), reserve(6, 19), reserve(7, 1)]).await;
        faults(&world, 5, Fault::NotWritten, 2);
        disk.permits.add_permits(1);
        held_up.await.unwrap().unwrap();
        disk.permits.add_permits(9);
        let told = told(crowd).await;
        assert_eq!(told[0], Err(Denied::Unavailable), "together and alone");
        assert_eq!(told[1].clone().unwrap().view.held, 119);
        assert_eq!(
            told[2].clone().unwrap().view.held,
            120,
            "for what was refused in vain there is room now"
        );
        assert_eq!(disk.sizes(), [1, 1, 1, 1, 2, 1, 1, 1]);
        world.audit();
    });
}

#[test]
fn who_was_refused_over_a_single_unwritten_hold_is_decided_anew() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        disk.permits.add_permits(3);
        for order in 2..=4 {
            asked(&world, reserve(order, 50)).await.unwrap().unwrap();
        }
        let first = asked(
            &world,
            Command::Extend {
                order: OrderId(2),
                until: KICK_OFF,
            },
        );
        settle().await;
        let crowd = asked_in_order(&world, [reserve(5, 19), reserve(6, 1)]).await;
        faults(&world, 5, Fault::NotWritten, 1);
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        settle().await;
        assert!(nobody_is_told(&crowd));
        disk.permits.add_permits(9);
        let told = told(crowd).await;
        assert_eq!(told[0], Err(Denied::Unavailable));
        assert_eq!(told[1].clone().unwrap().view.held, 151);
        world.audit();
    });
}

#[test]
fn one_that_the_books_refuse_harms_only_itself() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=6).map(|order| reserve(order, 1))).await;
        faults(&world, 4, Fault::NotWritten, usize::MAX);
        disk.permits.add_permits(9);
        first.await.unwrap().unwrap();
        let told = told(crowd).await;
        assert_eq!(
            told.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, true, false, true, true]
        );
        assert_eq!(disk.sizes(), [1, 5, 1, 1, 1, 1, 1]);
        assert_eq!(world.held(1042), 5);
        world.audit();
    });
}

#[test]
fn a_database_that_writes_nothing_is_not_asked_for_each_of_them() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=40).map(|order| reserve(order, 1))).await;
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        world.memory.set_faults(|call| match call {
            Call::Append(_) => Fault::NotWritten,
            _ => Fault::None,
        });
        disk.permits.add_permits(99);
        assert!(
            told(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
        assert_eq!(disk.sizes(), [1, 39, 1, 1], "together, and two more");
        world.memory.clear_faults();
        assert_eq!(
            asked(&world, reserve(2, 1))
                .await
                .unwrap()
                .unwrap()
                .view
                .held,
            2
        );
        world.audit();
    });
}

#[test]
fn a_sale_that_comes_too_late_for_the_books_harms_only_itself() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        disk.permits.add_permits(99);
        let late = world.open(&[(1042, 2)]).await.order.id;
        for order in 101..=103 {
            let until = KICK_OFF;
            asked(
                &world,
                Command::Reserve {
                    order: OrderId(order),
                    count: 1,
                    until,
                },
            )
            .await
            .unwrap()
            .unwrap();
        }
        world.clock.advance_to(KICK_OFF.plus_ms(-1)).await;
        disk.permits.forget_permits(99);
        // This node believes that there are ten minutes left.
        world.clock.set_skew_ms(-600_000);
        let first = asked(
            &world,
            Command::Release {
                order: OrderId(101),
            },
        );
        settle().await;
        world.pass(1).await;
        let sale = Command::Allocate {
            order: late,
            count: 2,
            unit_price: PRICE,
            authority: Authority::Sale,
        };
        let release = |order| Command::Release {
            order: OrderId(order),
        };
        let crowd = asked_in_order(&world, [release(102), sale, release(103)]).await;
        disk.permits.add_permits(99);
        first.await.unwrap().unwrap();
        let told = told(crowd).await;
        assert!(told[0].as_ref().unwrap().written && told[2].as_ref().unwrap().written);
        assert_eq!(told[1], Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(world.sold(1042), 0);
        let sizes = disk.sizes();
        assert_eq!(sizes[sizes.len() - 4..], [3, 1, 1, 1]);
    });
}

#[test]
fn an_order_is_decided_on_again_when_its_commit_is_known() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(
            &world,
            [reserve(7, 1), reserve(8, 1), reserve(7, 2), reserve(9, 1)],
        )
        .await;
        disk.permits.add_permits(9);
        first.await.unwrap().unwrap();
        assert!(told(crowd).await.iter().all(Result::is_ok));
        assert_eq!(disk.sizes(), [1, 2, 2]);
        assert_eq!(world.held(1042), 5);
        world.audit();
    });
}

#[test]
fn what_a_person_decides_is_written_alone() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(
            &world,
            [reserve(2, 1), reserve(3, 1), Command::Cancel, reserve(4, 1)],
        )
        .await;
        disk.permits.add_permits(9);
        first.await.unwrap().unwrap();
        let told = told(crowd).await;
        assert!(told[..3].iter().all(Result::is_ok));
        assert_eq!(told[3], Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(disk.sizes(), [1, 2, 1]);
        world.audit();
    });
}

#[test]
fn when_nobody_knows_whether_they_were_written_all_ask_again() {
    for (fault, written) in [
        (Fault::UnknownWritten, true),
        (Fault::UnknownNotWritten, false),
    ] {
        play(|| async {
            let (world, disk) = on_a_slow_disk().await;
            let first = under_way(&world, &disk).await;
            let wants = || {
                [
                    reserve(2, 50),
                    reserve(3, 50),
                    reserve(4, 50),
                    reserve(5, 50),
                ]
            };
            let crowd = asked_in_order(&world, wants()).await;
            faults(&world, 2, fault, 1);
            disk.permits.add_permits(9);
            first.await.unwrap().unwrap();
            assert!(
                told(crowd)
                    .await
                    .iter()
                    .all(|answer| *answer == Err(Denied::Unavailable)),
                "the refused one, too"
            );
            let again = told(asked_in_order(&world, wants()).await).await;
            assert!(
                again[..3]
                    .iter()
                    .all(|answer| answer.as_ref().unwrap().written != written)
            );
            assert_eq!(again[3], too_few(18));
            world.audit();
        });
    }
}

#[test]
fn a_ghosts_commands_are_all_fenced() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=4).map(|order| reserve(order, 1))).await;
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        settle().await;
        world.memory.steal(DRAW).unwrap();
        disk.permits.add_permits(9);
        assert!(
            told(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
        assert_eq!(world.held(1042), 1, "nothing of it was written");
        assert_eq!(
            asked(&world, reserve(2, 1))
                .await
                .unwrap()
                .unwrap()
                .view
                .held,
            2
        );
    });
}

#[test]
fn who_leaves_answers_everybody_first() {
    play(|| async {
        let (mut world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=169).map(|order| reserve(order, 1))).await;
        let engine = world.engine.take().unwrap();
        let stopped = tokio::task::spawn_local(async move { engine.stop().await });
        settle().await;
        assert!(!stopped.is_finished() && nobody_is_told(&crowd));
        disk.permits.add_permits(9);
        first.await.unwrap().unwrap();
        assert!(told(crowd).await.iter().all(Result::is_ok));
        stopped.await.unwrap();
        assert_eq!(disk.sizes(), [1, 64, 64, 40]);
        assert_eq!(world.held(1042), 169);
    });
}

#[test]
fn whoever_waits_in_the_actor_takes_a_place_in_the_mailbox() {
    play(|| async {
        let (world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=3_000).map(|order| reserve(order, 1))).await;
        let waiting =
            |crowd: &[JoinHandle<Answer>]| crowd.iter().filter(|one| !one.is_finished()).count();
        assert!(
            (2_047..=2_049).contains(&waiting(&crowd)),
            "{} wait",
            waiting(&crowd)
        );
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        settle().await;
        assert_eq!(disk.sizes(), [1, 64], "most of them wait in the actor now");
        let more = asked_in_order(&world, (3_001..=3_100).map(|order| reserve(order, 1))).await;
        assert!(waiting(&more) <= 2, "{} more wait", waiting(&more));
        let waited = waiting(&crowd);
        disk.permits.add_permits(9);
        let told = told(crowd).await;
        assert_eq!(told.iter().filter(|answer| answer.is_ok()).count(), 168);
        assert_eq!(
            told.iter().filter(|answer| **answer == too_few(0)).count(),
            waited - 168
        );
        // And there is room again.
        let again = asked_in_order(&world, (4_001..=5_000).map(|order| reserve(order, 1))).await;
        assert!(
            self::told(again)
                .await
                .iter()
                .all(|answer| *answer == too_few(0))
        );
        world.audit();
    });
}

#[test]
fn a_killed_process_tells_nobody_anything() {
    play(|| async {
        let (mut world, disk) = on_a_slow_disk().await;
        let first = under_way(&world, &disk).await;
        let crowd = asked_in_order(&world, (2..=4).map(|order| reserve(order, 1))).await;
        disk.permits.add_permits(1);
        first.await.unwrap().unwrap();
        settle().await;
        world.engine.take().unwrap().kill();
        disk.permits.add_permits(9);
        assert!(
            told(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
    });
}
