//! Tests of restarted draw actors. A dead actor is rebuilt from the ledger, existing receivers of
//! its views stay connected, and a draw that fails repeatedly is paused.

use std::time::Duration;

use actors::{Denied, Engine, EngineDependencies, Peers, ThreadPlacement};
use domain::{AnomalyKind, Command, DrawId, GameResult, Status};
use persistence::memory::{MemoryCall, MemoryFault};

#[path = "support/world.rs"]
mod world;
use world::{NOON, TestWorld, draw_snapshot, reserve_command, run_in_paused_time};

const DRAW: DrawId = DrawId(1042);

/// Makes the next `left` appends to the ledger fail.
fn make_appends_fail(world: &TestWorld, mut left: usize, fault: MemoryFault) {
    world.memory.set_faults(move |call| match call {
        MemoryCall::Append(_) if left > 0 => {
            left -= 1;
            fault
        }
        _ => MemoryFault::None,
    });
}

/// Makes the actor panic in each of the next `left` commits.
fn make_appends_panic(world: &TestWorld, mut left: usize) {
    world.memory.set_faults(move |call| match call {
        MemoryCall::Append(_) if left > 0 => {
            left -= 1;
            panic!("the ledger panics in the middle of a commit")
        }
        _ => MemoryFault::None,
    });
}

#[test]
fn panicking_actor_is_rebuilt_and_keeps_its_watchers() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        make_appends_panic(&world, 1);
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Unavailable)
        );
        watcher.borrow_and_update();
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
        watcher.changed().await.unwrap();
        assert_eq!(watcher.borrow().held, 3, "the channel is the same");
        world.assert_consistent();
    });
}

#[test]
fn fourth_restart_within_ten_seconds_pauses_the_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        make_appends_panic(&world, 4);
        for _ in 0..4 {
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(7, 3), None)
                    .await,
                Err(Denied::Unavailable)
            );
            world.advance_seconds(1).await;
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Paused)
        );
        assert_eq!(
            world.draws().view(DRAW).await.unwrap().held,
            0,
            "it is still shown"
        );
        let other_draw = world
            .draws()
            .execute(DrawId(1043), reserve_command(7, 3), None)
            .await;
        assert_eq!(
            other_draw.unwrap().view.held,
            3,
            "the other draw still sells"
        );
        let anomalies = world.memory.anomaly_records();
        assert_eq!(anomalies.len(), 1);
        assert_eq!(anomalies[0].anomaly.kind, AnomalyKind::FailedAllocation);
        assert!(
            anomalies[0].anomaly.note.contains("1042"),
            "{}",
            anomalies[0].anomaly.note
        );

        world.advance_seconds(120).await;
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Paused),
            "the draw stays paused until it is woken"
        );
        world.draws().wake(DRAW).await.unwrap();
        let until = actors::Clock::now(&world.clock).plus_seconds(150);
        let command = Command::Reserve {
            order: domain::OrderId(7),
            count: 3,
            until,
        };
        assert_eq!(
            world
                .draws()
                .execute(DRAW, command, None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
    });
}

#[test]
fn resolving_the_anomaly_wakes_a_paused_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for pauses in 1..=2 {
            make_appends_panic(&world, 4);
            for _ in 0..4 {
                assert_eq!(
                    world
                        .draws()
                        .execute(DRAW, reserve_command(pauses, 3), None)
                        .await,
                    Err(Denied::Unavailable)
                );
                world.advance_seconds(1).await;
            }
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(pauses, 3), None)
                    .await,
                Err(Denied::Paused)
            );
            let open = world.engine().anomalies.list(true, 10).await.unwrap();
            assert_eq!(
                (open.len(), world.memory.anomaly_records().len()),
                (1, pauses as usize),
                "{open:?}"
            );
            assert!(
                world
                    .engine()
                    .anomalies
                    .resolve(open[0].id, "the operator")
                    .await
                    .unwrap()
            );
            world.advance_seconds(1).await;
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(pauses, 3), None)
                    .await
                    .unwrap()
                    .view
                    .held,
                3
            );
            world
                .draws()
                .execute(
                    DRAW,
                    Command::Release {
                        order: domain::OrderId(pauses),
                    },
                    None,
                )
                .await
                .unwrap();
        }
        world.assert_consistent();
    });
}

#[test]
fn repeated_lost_answers_do_not_pause_the_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for order in 1..=20 {
            make_appends_fail(
                &world,
                1,
                if order % 2 == 0 {
                    MemoryFault::UnknownWritten
                } else {
                    MemoryFault::UnknownNotWritten
                },
            );
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(order, 1), None)
                    .await,
                Err(Denied::Unavailable)
            );
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(99, 1), None)
                .await
                .unwrap()
                .view
                .held,
            11,
            "ten were written"
        );
        assert!(world.memory.anomaly_records().is_empty());
        world.assert_consistent();
    });
}

#[test]
fn restarts_far_apart_do_not_pause_the_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for order in 1..=8 {
            make_appends_panic(&world, 1);
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(order, 1), None)
                    .await,
                Err(Denied::Unavailable)
            );
            world.advance_seconds(6).await;
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(99, 1), None)
                .await
                .unwrap()
                .view
                .held,
            1
        );
    });
}

#[test]
fn allocation_without_an_opened_order_does_not_pause_the_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for _ in 0..10 {
            // The order of this allocation was never opened.
            let allocate = Command::Allocate {
                order: domain::OrderId(5),
                count: 1,
                unit_price: world::PRICE,
                authority: domain::AllocationAuthority::Sale,
            };
            assert_eq!(
                world.draws().execute(DRAW, allocate, None).await,
                Err(Denied::Unavailable)
            );
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
        world.assert_consistent();
    });
}

#[test]
fn database_outage_sells_nothing_and_loses_nothing() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        world.memory.set_faults(|_| MemoryFault::UnknownNotWritten);
        for order in 10..20 {
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve_command(order, 1), None)
                    .await,
                Err(Denied::Unavailable)
            );
            world.advance_seconds(1).await;
        }
        world.memory.clear_faults();
        world.advance_seconds(6).await;
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(20, 1), None)
                .await
                .unwrap()
                .view
                .held,
            4
        );
        world.assert_consistent();
    });
}

#[test]
fn lost_draw_is_claimed_again_by_the_supervisor() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.memory.remove_owner_despite_lease(DRAW).unwrap();
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Unavailable)
        );
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        // The draw must be closed at kick-off although no command arrives.
        while watcher.borrow_and_update().status == Status::Active {
            watcher.changed().await.unwrap();
        }
        assert_eq!(actors::Clock::now(&world.clock), world::KICK_OFF);
    });
}

#[test]
fn draw_of_another_process_is_found_by_scan_or_request() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.memory.add_draw(draw_snapshot(1043));
        world.memory.add_draw(draw_snapshot(1044));
        assert_eq!(world.draws().views().len(), 1);
        world.draws().wake(DrawId(1044)).await.unwrap();
        assert_eq!(
            world
                .draws()
                .views()
                .iter()
                .map(|view| view.draw.0)
                .collect::<Vec<_>>(),
            [1042, 1044]
        );
        world.advance_seconds(61).await;
        assert_eq!(
            world
                .draws()
                .views()
                .iter()
                .map(|view| view.draw.0)
                .collect::<Vec<_>>(),
            [1042, 1043, 1044]
        );
    });
}

#[test]
fn unwatched_draw_with_result_is_unloaded_and_reloaded() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let result = GameResult::new(1, 2).unwrap();
        world
            .draws()
            .execute(DRAW, Command::Complete { result }, None)
            .await
            .unwrap();
        let watcher = world.draws().watch(DRAW).await.unwrap();
        world.advance_seconds(1200).await;
        assert_eq!(
            world.draws().views().len(),
            1,
            "a watched draw stays loaded"
        );
        drop(watcher);
        world.advance_seconds(1200).await;
        assert_eq!(world.draws().views().len(), 0);
        assert_eq!(
            world.draws().view(DRAW).await.unwrap().status,
            Status::Completed
        );
        world
            .draws()
            .execute(DRAW, Command::Undo, None)
            .await
            .unwrap();
        assert_eq!(
            world.draws().view(DRAW).await.unwrap().status,
            Status::Active
        );
        world.assert_consistent();
    });
}

#[test]
fn only_the_draw_with_invalid_state_is_paused() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let mut impossible = draw_snapshot(1043);
        impossible.revenue = domain::Cents(1);
        world.memory.add_draw(impossible);
        world.restart_engine().await;
        assert_eq!(
            world
                .draws()
                .execute(DrawId(1043), reserve_command(7, 1), None)
                .await,
            Err(Denied::Paused)
        );
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 1), None)
                .await
                .unwrap()
                .view
                .held,
            1
        );
        assert_eq!(world.memory.anomaly_records().len(), 1);
    });
}

#[test]
fn kill_loses_no_answered_command() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        let old = world.draws();
        world.restart_engine().await;
        assert_eq!(world.draws().view(DRAW).await.unwrap().held, 3);
        assert_eq!(
            old.execute(DRAW, reserve_command(8, 3), None).await,
            Err(Denied::Unavailable),
            "a killed engine does nothing"
        );
        assert_eq!(world.held_in_draw(1042), 3);
        world.assert_consistent();
    });
}

#[test]
fn stop_finishes_commands_and_accepts_no_more() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let draws = world.draws();
        let asked = actix::spawn({
            let draws = draws.clone();
            async move { draws.execute(DRAW, reserve_command(7, 3), None).await }
        });
        tokio::task::yield_now().await;
        world.engine.take().unwrap().stop().await;
        assert_eq!(asked.await.unwrap().unwrap().view.held, 3);
        assert_eq!(
            draws.execute(DRAW, reserve_command(8, 3), None).await,
            Err(Denied::Unavailable)
        );
        assert_eq!(world.held_in_draw(1042), 3);
    });
}

#[test]
fn ten_thousand_draws_share_one_thread() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&(1..=10_000).collect::<Vec<_>>()).await;
        assert_eq!(world.draws().views().len(), 10_000);
        let last = world
            .draws()
            .execute(DrawId(10_000), reserve_command(7, 1), None)
            .await;
        assert_eq!(last.unwrap().view.held, 1);
        assert_eq!(actors::Clock::now(&world.clock), NOON, "no time passed");
    });
}

#[test]
fn draws_run_on_separate_threads() {
    // This test runs in real time, because an arbiter has its own runtime, whose time cannot be
    // paused.
    actix::System::new().block_on(async {
        let memory = persistence::memory::MemoryStores::new();
        let mut today = draw_snapshot(1042);
        let now = actors::Clock::now(&actors::SystemClock);
        today.terms.closes_at = now.plus_seconds(3600);
        memory.add_draw(today);
        let clock = std::sync::Arc::new(actors::SystemClock);
        let parts = EngineDependencies {
            ledger: std::sync::Arc::new(memory.clone()),
            store: std::sync::Arc::new(memory.clone()),
            gateway: std::sync::Arc::new(actors::testing::FakeGateway::new(clock.clone())),
            clock,
            mail: std::sync::Arc::new(world::RecordingMailer::default()),
            peers: Peers::of_single_node(
                persistence::nodes::InstanceId(1),
                std::sync::Arc::new(memory.clone()),
            ),
        };
        let engine = Engine::start_with_placement(parts, ThreadPlacement::OwnThreads { draws: 2 })
            .await
            .unwrap();
        let command = Command::Reserve {
            order: domain::OrderId(1),
            count: 2,
            until: now.plus_seconds(150),
        };
        assert_eq!(
            engine
                .draws
                .execute(DRAW, command, None)
                .await
                .unwrap()
                .view
                .held,
            2
        );
        let stopped = tokio::time::timeout(Duration::from_secs(30), engine.stop()).await;
        assert!(stopped.is_ok(), "it stops");
    });
}
