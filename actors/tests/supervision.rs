//! What happens when a draw's actor dies: it is rebuilt from the books, its watchers stay, and one that dies again and again
//! is paused.

use std::time::Duration;

use actors::{Denied, Engine, EngineParts, Neighbourhood, Placement};
use domain::{AnomalyKind, Command, DrawId, GameResult, Status};
use persistence::memory::{Call, Fault};

#[path = "support/world.rs"]
mod world;
use world::{NOON, World, play, reserve, snapshot};

const DRAW: DrawId = DrawId(1042);

/// Lets so many appends go wrong in a row.
fn fail_appends(world: &World, mut left: usize, fault: Fault) {
    world.memory.set_faults(move |call| match call {
        Call::Append(_) if left > 0 => {
            left -= 1;
            fault
        }
        _ => Fault::None,
    });
}

/// Lets the actor panic in so many commits in a row.
fn panic_in_appends(world: &World, mut left: usize) {
    world.memory.set_faults(move |call| match call {
        Call::Append(_) if left > 0 => {
            left -= 1;
            panic!("the ledger panics in the middle of a commit")
        }
        _ => Fault::None,
    });
}

#[test]
fn a_panicking_actor_is_rebuilt_and_its_watchers_stay() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        panic_in_appends(&world, 1);
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        watched.borrow_and_update();
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(7, 3), None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
        watched.changed().await.unwrap();
        assert_eq!(watched.borrow().held, 3, "the channel is the same");
        world.audit();
    });
}

#[test]
fn three_restarts_in_ten_seconds_are_forgiven_and_the_next_pauses_the_draw() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        panic_in_appends(&world, 4);
        for _ in 0..4 {
            assert_eq!(
                world.draws().execute(DRAW, reserve(7, 3), None).await,
                Err(Denied::Unavailable)
            );
            world.pass(1).await;
        }
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Paused)
        );
        assert_eq!(
            world.draws().view(DRAW).await.unwrap().held,
            0,
            "it is still shown"
        );
        let neighbour = world
            .draws()
            .execute(DrawId(1043), reserve(7, 3), None)
            .await;
        assert_eq!(neighbour.unwrap().view.held, 3, "its neighbour sells on");
        let anomalies = world.memory.anomaly_records();
        assert_eq!(anomalies.len(), 1);
        assert_eq!(anomalies[0].anomaly.kind, AnomalyKind::FailedAllocation);
        assert!(
            anomalies[0].anomaly.note.contains("1042"),
            "{}",
            anomalies[0].anomaly.note
        );

        world.pass(120).await;
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Paused),
            "until somebody wakes it"
        );
        world.draws().wake(DRAW).await.unwrap();
        let until = actors::Clock::now(&world.clock).plus_seconds(150);
        let reserve = Command::Reserve {
            order: domain::OrderId(7),
            count: 3,
            until,
        };
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve, None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
    });
}

#[test]
fn whoever_closes_a_paused_draws_anomaly_wakes_it_and_a_new_pause_is_a_new_one() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for pauses in 1..=2 {
            panic_in_appends(&world, 4);
            for _ in 0..4 {
                assert_eq!(
                    world.draws().execute(DRAW, reserve(pauses, 3), None).await,
                    Err(Denied::Unavailable)
                );
                world.pass(1).await;
            }
            assert_eq!(
                world.draws().execute(DRAW, reserve(pauses, 3), None).await,
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
            world.pass(1).await;
            assert_eq!(
                world
                    .draws()
                    .execute(DRAW, reserve(pauses, 3), None)
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
        world.audit();
    });
}

#[test]
fn answers_that_are_lost_again_and_again_are_the_lines_fault_and_pause_nothing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for order in 1..=20 {
            fail_appends(
                &world,
                1,
                if order % 2 == 0 {
                    Fault::UnknownWritten
                } else {
                    Fault::UnknownNotWritten
                },
            );
            assert_eq!(
                world.draws().execute(DRAW, reserve(order, 1), None).await,
                Err(Denied::Unavailable)
            );
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(99, 1), None)
                .await
                .unwrap()
                .view
                .held,
            11,
            "ten were written"
        );
        assert!(world.memory.anomaly_records().is_empty());
        world.audit();
    });
}

#[test]
fn restarts_that_are_far_apart_pause_nothing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for order in 1..=8 {
            panic_in_appends(&world, 1);
            assert_eq!(
                world.draws().execute(DRAW, reserve(order, 1), None).await,
                Err(Denied::Unavailable)
            );
            world.pass(6).await;
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(99, 1), None)
                .await
                .unwrap()
                .view
                .held,
            1
        );
    });
}

#[test]
fn a_command_the_books_contradict_is_no_reason_to_pause() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for _ in 0..10 {
            // An allocation for an order that nobody opened.
            let allocate = Command::Allocate {
                order: domain::OrderId(5),
                count: 1,
                unit_price: world::PRICE,
                authority: domain::Authority::Sale,
            };
            assert_eq!(
                world.draws().execute(DRAW, allocate, None).await,
                Err(Denied::Unavailable)
            );
        }
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(7, 3), None)
                .await
                .unwrap()
                .view
                .held,
            3
        );
        world.audit();
    });
}

#[test]
fn while_the_books_are_away_nothing_is_sold_and_afterwards_everything_is_there() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        world.memory.set_faults(|_| Fault::UnknownNotWritten);
        for order in 10..20 {
            assert_eq!(
                world.draws().execute(DRAW, reserve(order, 1), None).await,
                Err(Denied::Unavailable)
            );
            world.pass(1).await;
        }
        world.memory.clear_faults();
        world.pass(6).await;
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(20, 1), None)
                .await
                .unwrap()
                .view
                .held,
            4
        );
        world.audit();
    });
}

#[test]
fn a_draw_lost_to_another_process_is_claimed_back_by_the_round() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.memory.steal(DRAW).unwrap();
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        watched.borrow_and_update();
        // Nobody asks; kick-off must come all the same.
        while watched.borrow_and_update().status == Status::Active {
            watched.changed().await.unwrap();
        }
        assert_eq!(actors::Clock::now(&world.clock), world::KICK_OFF);
    });
}

#[test]
fn a_draw_made_by_another_process_is_found_by_the_round_or_by_whoever_asks() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.memory.add_draw(snapshot(1043));
        world.memory.add_draw(snapshot(1044));
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
        world.pass(61).await;
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
fn a_decided_draw_is_let_go_when_nobody_looks_and_comes_back_when_asked() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let result = GameResult::new(1, 2).unwrap();
        world
            .draws()
            .execute(DRAW, Command::Complete { result }, None)
            .await
            .unwrap();
        let watched = world.draws().watch(DRAW).await.unwrap();
        world.pass(1200).await;
        assert_eq!(world.draws().views().len(), 1, "somebody looks");
        drop(watched);
        world.pass(1200).await;
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
        world.audit();
    });
}

#[test]
fn a_draw_whose_stored_state_cannot_be_is_paused_and_hurts_nobody_else() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        let mut impossible = snapshot(1043);
        impossible.revenue = domain::Cents(1);
        world.memory.add_draw(impossible);
        world.restart().await;
        assert_eq!(
            world
                .draws()
                .execute(DrawId(1043), reserve(7, 1), None)
                .await,
            Err(Denied::Paused)
        );
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve(7, 1), None)
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
fn a_kill_loses_nothing_that_was_answered() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        let old = world.draws();
        world.restart().await;
        assert_eq!(world.draws().view(DRAW).await.unwrap().held, 3);
        assert_eq!(
            old.execute(DRAW, reserve(8, 3), None).await,
            Err(Denied::Unavailable),
            "a ghost does nothing"
        );
        assert_eq!(world.held(1042), 3);
        world.audit();
    });
}

#[test]
fn stopping_lets_draws_finish_and_then_nothing_is_sold() {
    play(|| async {
        let mut world = World::with(&[1042]).await;
        let draws = world.draws();
        let asked = actix::spawn({
            let draws = draws.clone();
            async move { draws.execute(DRAW, reserve(7, 3), None).await }
        });
        tokio::task::yield_now().await;
        world.engine.take().unwrap().stop().await;
        assert_eq!(asked.await.unwrap().unwrap().view.held, 3);
        assert_eq!(
            draws.execute(DRAW, reserve(8, 3), None).await,
            Err(Denied::Unavailable)
        );
        assert_eq!(world.held(1042), 3);
    });
}

#[test]
fn ten_thousand_draws_wake_and_share_one_thread() {
    play(|| async {
        let world = World::with(&(1..=10_000).collect::<Vec<_>>()).await;
        assert_eq!(world.draws().views().len(), 10_000);
        let last = world
            .draws()
            .execute(DrawId(10_000), reserve(7, 1), None)
            .await;
        assert_eq!(last.unwrap().view.held, 1);
        assert_eq!(
            actors::Clock::now(&world.clock),
            NOON,
            "nobody waited for anybody"
        );
    });
}

#[test]
fn draws_run_on_their_own_threads_in_the_product() {
    // Real time: an arbiter of its own has a runtime of its own, whose time nobody pauses.
    actix::System::new().block_on(async {
        let memory = persistence::memory::Memory::new();
        let mut today = snapshot(1042);
        let now = actors::Clock::now(&actors::SystemClock);
        today.terms.closes_at = now.plus_seconds(3600);
        memory.add_draw(today);
        let clock = std::sync::Arc::new(actors::SystemClock);
        let parts = EngineParts {
            ledger: std::sync::Arc::new(memory.clone()),
            books: std::sync::Arc::new(memory.clone()),
            gateway: std::sync::Arc::new(actors::testing::FakeGateway::new(clock.clone())),
            clock,
            mail: std::sync::Arc::new(world::PostOffice::default()),
            neighbourhood: Neighbourhood::alone(
                persistence::nodes::Boot(1),
                std::sync::Arc::new(memory.clone()),
            ),
        };
        let engine = Engine::start_at(parts, Placement::OwnThreads { draws: 2 })
            .await
            .unwrap();
        let reserve = Command::Reserve {
            order: domain::OrderId(1),
            count: 2,
            until: now.plus_seconds(150),
        };
        assert_eq!(
            engine
                .draws
                .execute(DRAW, reserve, None)
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
