//! Tests of batches. Commands that wait for one draw are decided in order and written in one
//! transaction. Their answers and the new view are sent after its commit.

use actors::{CommandOutcome, Denied};
use domain::{AllocationAuthority, Command, DrawId, Event, OrderId, Refusal};
use persistence::ledger::DrawCommit;
use persistence::memory::{MemoryCall, MemoryFault};
use tokio::task::JoinHandle;

#[path = "support/slow_ledger.rs"]
mod slow_ledger;
#[path = "support/world.rs"]
mod world;
use slow_ledger::{SlowLedgerControl, world_with_slow_ledger};
use world::{KICK_OFF, PRICE, TestWorld, reserve_command, run_in_paused_time};

const DRAW: DrawId = DrawId(1042);

type CommandAnswer = Result<CommandOutcome, Denied>;

/// Yields to the other tasks until none can continue.
async fn yield_until_tasks_idle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

fn spawn_command(world: &TestWorld, command: Command) -> JoinHandle<CommandAnswer> {
    let draws = world.draws();
    tokio::task::spawn_local(async move { draws.execute(DRAW, command, None).await })
}

/// Starts one command whose write is held back. Later commands wait behind it.
async fn start_blocked_command(
    world: &TestWorld,
    control: &SlowLedgerControl,
) -> JoinHandle<CommandAnswer> {
    let first = spawn_command(world, reserve_command(1, 1));
    yield_until_tasks_idle().await;
    assert_eq!(control.transaction_sizes(), [1]);
    first
}

async fn spawn_commands_in_order(
    world: &TestWorld,
    commands: impl IntoIterator<Item = Command>,
) -> Vec<JoinHandle<CommandAnswer>> {
    let pending: Vec<_> = commands
        .into_iter()
        .map(|command| spawn_command(world, command))
        .collect();
    yield_until_tasks_idle().await;
    pending
}

async fn collect_answers(pending: Vec<JoinHandle<CommandAnswer>>) -> Vec<CommandAnswer> {
    let mut answers = Vec::new();
    for one in pending {
        answers.push(one.await.unwrap());
    }
    answers
}

fn no_command_is_answered(pending: &[JoinHandle<CommandAnswer>]) -> bool {
    pending.iter().all(|one| !one.is_finished())
}

fn too_few_tickets_answer(free: u16) -> CommandAnswer {
    Err(Denied::Refused(Refusal::TooFewTickets { free }))
}

/// Makes the next `times` transactions fail that contain a reservation for this order.
fn make_reservations_fail(world: &TestWorld, order: u128, fault: MemoryFault, mut times: usize) {
    world.memory.set_faults(move |call| match call {
        MemoryCall::Append(appends)
            if times > 0
                && appends
                    .iter()
                    .any(|append| reserves_for_order(append, order)) =>
        {
            times -= 1;
            fault
        }
        _ => MemoryFault::None,
    });
}

fn reserves_for_order(append: &DrawCommit, wanted: u128) -> bool {
    append
        .events
        .iter()
        .any(|event| matches!(event, Event::Reserved { order, .. } if order.0 == wanted))
}

#[test]
fn commands_queued_during_a_write_share_a_transaction() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=6).map(|order| reserve_command(order, 2))).await;
        assert!(no_command_is_answered(&crowd));
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        let mut changes = world.draws().view_change_counter();
        control.permits.add_permits(1);
        assert_eq!(first.await.unwrap().unwrap().view.revision, 1);
        yield_until_tasks_idle().await;
        assert_eq!(
            control.transaction_sizes(),
            [1, 5],
            "the five share a transaction"
        );
        assert!(no_command_is_answered(&crowd), "which is not committed");
        assert_eq!(
            (watched.borrow_and_update().held, world.held_in_draw(1042)),
            (1, 1),
            "nor shown"
        );
        let shown = *changes.borrow_and_update();

        control.permits.add_permits(1);
        for (answer, place) in collect_answers(crowd).await.into_iter().zip(0..) {
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
        world.assert_consistent();
    });
}

#[test]
fn refusal_based_on_unwritten_commands_waits_for_commit() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let order_request = [
            reserve_command(2, 50),
            reserve_command(3, 50),
            reserve_command(4, 50),
            reserve_command(5, 18),
            reserve_command(6, 1),
            reserve_command(2, 50),
        ];
        let crowd = spawn_commands_in_order(&world, order_request).await;
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        yield_until_tasks_idle().await;
        assert_eq!(control.transaction_sizes(), [1, 4]);
        assert!(
            no_command_is_answered(&crowd),
            "not even the refused command is answered"
        );
        control.permits.add_permits(1);
        let answers = collect_answers(crowd).await;
        assert!(answers[..4].iter().all(Result::is_ok));
        assert_eq!(answers[4], too_few_tickets_answer(0));
        assert!(
            !answers[5].clone().unwrap().written,
            "the order already has this reservation"
        );
        assert_eq!(control.transaction_sizes(), [1, 4]);
        world.assert_consistent();
    });
}

#[test]
fn refusal_is_decided_again_after_failed_batch() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        control.permits.add_permits(9);
        for order in 2..=4 {
            spawn_command(&world, reserve_command(order, 50))
                .await
                .unwrap()
                .unwrap();
        }
        control.permits.forget_permits(9);
        let held_up = spawn_command(&world, Command::Release { order: OrderId(4) });
        yield_until_tasks_idle().await;
        // When order 4 is released, 69 tickets are free. They are enough for 50 and 19 tickets, and
        // then none is left.
        let crowd = spawn_commands_in_order(
            &world,
            [
                reserve_command(5, 50),
                reserve_command(6, 19),
                reserve_command(7, 1),
            ],
        )
        .await;
        make_reservations_fail(&world, 5, MemoryFault::NotWritten, 2);
        control.permits.add_permits(1);
        held_up.await.unwrap().unwrap();
        control.permits.add_permits(9);
        let answers = collect_answers(crowd).await;
        assert_eq!(answers[0], Err(Denied::Unavailable), "together and alone");
        assert_eq!(answers[1].clone().unwrap().view.held, 119);
        assert_eq!(
            answers[2].clone().unwrap().view.held,
            120,
            "the refused command now has enough tickets"
        );
        assert_eq!(control.transaction_sizes(), [1, 1, 1, 1, 2, 1, 1, 1]);
        world.assert_consistent();
    });
}

#[test]
fn refusal_is_decided_again_after_failed_single_write() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        control.permits.add_permits(3);
        for order in 2..=4 {
            spawn_command(&world, reserve_command(order, 50))
                .await
                .unwrap()
                .unwrap();
        }
        let first = spawn_command(
            &world,
            Command::Extend {
                order: OrderId(2),
                until: KICK_OFF,
            },
        );
        yield_until_tasks_idle().await;
        let crowd =
            spawn_commands_in_order(&world, [reserve_command(5, 19), reserve_command(6, 1)]).await;
        make_reservations_fail(&world, 5, MemoryFault::NotWritten, 1);
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        yield_until_tasks_idle().await;
        assert!(no_command_is_answered(&crowd));
        control.permits.add_permits(9);
        let answers = collect_answers(crowd).await;
        assert_eq!(answers[0], Err(Denied::Unavailable));
        assert_eq!(answers[1].clone().unwrap().view.held, 151);
        world.assert_consistent();
    });
}

#[test]
fn unwritable_command_fails_alone() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=6).map(|order| reserve_command(order, 1))).await;
        make_reservations_fail(&world, 4, MemoryFault::NotWritten, usize::MAX);
        control.permits.add_permits(9);
        first.await.unwrap().unwrap();
        let answers = collect_answers(crowd).await;
        assert_eq!(
            answers.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, true, false, true, true]
        );
        assert_eq!(control.transaction_sizes(), [1, 5, 1, 1, 1, 1, 1]);
        assert_eq!(world.held_in_draw(1042), 5);
        world.assert_consistent();
    });
}

#[test]
fn failing_database_is_not_tried_for_each_command() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=40).map(|order| reserve_command(order, 1))).await;
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(_) => MemoryFault::NotWritten,
            _ => MemoryFault::None,
        });
        control.permits.add_permits(99);
        assert!(
            collect_answers(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
        assert_eq!(
            control.transaction_sizes(),
            [1, 39, 1, 1],
            "together, and two more"
        );
        world.memory.clear_faults();
        assert_eq!(
            spawn_command(&world, reserve_command(2, 1))
                .await
                .unwrap()
                .unwrap()
                .view
                .held,
            2
        );
        world.assert_consistent();
    });
}

#[test]
fn late_sale_in_a_batch_fails_alone() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        control.permits.add_permits(99);
        let late = world.open_order(&[(1042, 2)]).await.order.id;
        for order in 101..=103 {
            let until = KICK_OFF;
            spawn_command(
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
        control.permits.forget_permits(99);
        // By this node's clock, kick-off is still ten minutes away.
        world.clock.set_skew_ms(-600_000);
        let first = spawn_command(
            &world,
            Command::Release {
                order: OrderId(101),
            },
        );
        yield_until_tasks_idle().await;
        world.advance_seconds(1).await;
        let sale = Command::Allocate {
            order: late,
            count: 2,
            unit_price: PRICE,
            authority: AllocationAuthority::Sale,
        };
        let release = |order| Command::Release {
            order: OrderId(order),
        };
        let crowd = spawn_commands_in_order(&world, [release(102), sale, release(103)]).await;
        control.permits.add_permits(99);
        first.await.unwrap().unwrap();
        let answers = collect_answers(crowd).await;
        assert!(answers[0].as_ref().unwrap().written && answers[2].as_ref().unwrap().written);
        assert_eq!(answers[1], Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(world.sold_in_draw(1042), 0);
        let sizes = control.transaction_sizes();
        assert_eq!(sizes[sizes.len() - 4..], [3, 1, 1, 1]);
    });
}

#[test]
fn second_command_of_an_order_waits_for_its_commit() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd = spawn_commands_in_order(
            &world,
            [
                reserve_command(7, 1),
                reserve_command(8, 1),
                reserve_command(7, 2),
                reserve_command(9, 1),
            ],
        )
        .await;
        control.permits.add_permits(9);
        first.await.unwrap().unwrap();
        assert!(collect_answers(crowd).await.iter().all(Result::is_ok));
        assert_eq!(control.transaction_sizes(), [1, 2, 2]);
        assert_eq!(world.held_in_draw(1042), 5);
        world.assert_consistent();
    });
}

#[test]
fn operator_command_ends_the_batch() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd = spawn_commands_in_order(
            &world,
            [
                reserve_command(2, 1),
                reserve_command(3, 1),
                Command::Cancel,
                reserve_command(4, 1),
            ],
        )
        .await;
        control.permits.add_permits(9);
        first.await.unwrap().unwrap();
        let answers = collect_answers(crowd).await;
        assert!(answers[..3].iter().all(Result::is_ok));
        assert_eq!(answers[3], Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(control.transaction_sizes(), [1, 2, 1]);
        world.assert_consistent();
    });
}

#[test]
fn unknown_batch_outcome_makes_all_callers_retry() {
    for (fault, written) in [
        (MemoryFault::UnknownWritten, true),
        (MemoryFault::UnknownNotWritten, false),
    ] {
        run_in_paused_time(|| async {
            let (world, control) = world_with_slow_ledger().await;
            let first = start_blocked_command(&world, &control).await;
            let order_request = || {
                [
                    reserve_command(2, 50),
                    reserve_command(3, 50),
                    reserve_command(4, 50),
                    reserve_command(5, 50),
                ]
            };
            let crowd = spawn_commands_in_order(&world, order_request()).await;
            make_reservations_fail(&world, 2, fault, 1);
            control.permits.add_permits(9);
            first.await.unwrap().unwrap();
            assert!(
                collect_answers(crowd)
                    .await
                    .iter()
                    .all(|answer| *answer == Err(Denied::Unavailable)),
                "the refused command too"
            );
            let again =
                collect_answers(spawn_commands_in_order(&world, order_request()).await).await;
            assert!(
                again[..3]
                    .iter()
                    .all(|answer| answer.as_ref().unwrap().written != written)
            );
            assert_eq!(again[3], too_few_tickets_answer(18));
            world.assert_consistent();
        });
    }
}

#[test]
fn stale_owners_batch_is_fenced() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=4).map(|order| reserve_command(order, 1))).await;
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        yield_until_tasks_idle().await;
        world.memory.remove_owner_despite_lease(DRAW).unwrap();
        control.permits.add_permits(9);
        assert!(
            collect_answers(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
        assert_eq!(world.held_in_draw(1042), 1, "nothing of it was written");
        assert_eq!(
            spawn_command(&world, reserve_command(2, 1))
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
fn stopping_node_answers_all_waiting_commands() {
    run_in_paused_time(|| async {
        let (mut world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=169).map(|order| reserve_command(order, 1))).await;
        let engine = world.engine.take().unwrap();
        let stopped = tokio::task::spawn_local(async move { engine.stop().await });
        yield_until_tasks_idle().await;
        assert!(!stopped.is_finished() && no_command_is_answered(&crowd));
        control.permits.add_permits(9);
        first.await.unwrap().unwrap();
        assert!(collect_answers(crowd).await.iter().all(Result::is_ok));
        stopped.await.unwrap();
        assert_eq!(control.transaction_sizes(), [1, 64, 64, 40]);
        assert_eq!(world.held_in_draw(1042), 169);
    });
}

#[test]
fn waiting_commands_count_against_mailbox_capacity() {
    run_in_paused_time(|| async {
        let (world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=3_000).map(|order| reserve_command(order, 1)))
                .await;
        let waiting = |crowd: &[JoinHandle<CommandAnswer>]| {
            crowd.iter().filter(|one| !one.is_finished()).count()
        };
        assert!(
            (2_047..=2_049).contains(&waiting(&crowd)),
            "{} wait",
            waiting(&crowd)
        );
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        yield_until_tasks_idle().await;
        assert_eq!(
            control.transaction_sizes(),
            [1, 64],
            "most of them wait in the actor now"
        );
        let more = spawn_commands_in_order(
            &world,
            (3_001..=3_100).map(|order| reserve_command(order, 1)),
        )
        .await;
        assert!(waiting(&more) <= 2, "{} more wait", waiting(&more));
        let waited = waiting(&crowd);
        control.permits.add_permits(9);
        let answers = collect_answers(crowd).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 168);
        assert_eq!(
            answers
                .iter()
                .filter(|answer| **answer == too_few_tickets_answer(0))
                .count(),
            waited - 168
        );
        // The mailbox has free capacity again.
        let again = spawn_commands_in_order(
            &world,
            (4_001..=5_000).map(|order| reserve_command(order, 1)),
        )
        .await;
        assert!(
            self::collect_answers(again)
                .await
                .iter()
                .all(|answer| *answer == too_few_tickets_answer(0))
        );
        world.assert_consistent();
    });
}

#[test]
fn killed_process_answers_unavailable() {
    run_in_paused_time(|| async {
        let (mut world, control) = world_with_slow_ledger().await;
        let first = start_blocked_command(&world, &control).await;
        let crowd =
            spawn_commands_in_order(&world, (2..=4).map(|order| reserve_command(order, 1))).await;
        control.permits.add_permits(1);
        first.await.unwrap().unwrap();
        yield_until_tasks_idle().await;
        world.engine.take().unwrap().kill();
        control.permits.add_permits(9);
        assert!(
            collect_answers(crowd)
                .await
                .iter()
                .all(|answer| *answer == Err(Denied::Unavailable))
        );
    });
}
