//! Tests of the write path with a fault at each step: decide, write, apply, publish.

use actors::{CommandOutcome, Denied};
use domain::{
    AllocationAuthority, Command, DrawId, GameResult, OrderId, Refusal, Status, TermsEdit,
    TermsEditor,
};
use persistence::ledger::AttachedWrite;
use persistence::memory::{MemoryCall, MemoryFault};

#[path = "support/world.rs"]
mod world;
use world::{KICK_OFF, NOON, PRICE, TestWorld, reserve_command, run_in_paused_time};

const DRAW: DrawId = DrawId(1042);

/// Makes only the next append to the ledger fail.
fn make_next_append_fail(world: &TestWorld, fault: MemoryFault) {
    let mut left = Some(fault);
    world.memory.set_faults(move |call| match call {
        MemoryCall::Append(_) => left.take().unwrap_or_default(),
        _ => MemoryFault::None,
    });
}

#[test]
fn commit_is_written_before_it_is_shown() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        let committed = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        assert!(committed.written);
        assert_eq!((committed.view.held, committed.view.revision), (3, 1));
        assert_eq!(committed.reservation.unwrap().count, 3);
        assert_eq!(world.held_in_draw(1042), 3, "the reservation is stored");
        watcher.changed().await.unwrap();
        assert_eq!(*watcher.borrow(), committed.view);
        world.assert_consistent();
    });
}

#[test]
fn refusal_writes_nothing_and_notifies_no_watcher() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let watcher = world.draws().watch(DRAW).await.unwrap();
        let before = *world.draws().view_change_counter().borrow();
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(_) => panic!("a refusal was written"),
            _ => MemoryFault::None,
        });
        let refused = world
            .draws()
            .execute(DRAW, reserve_command(7, 51), None)
            .await;
        assert_eq!(
            refused,
            Err(Denied::Refused(Refusal::CountOutOfRange { max: 50 }))
        );
        assert!(!watcher.has_changed().unwrap());
        assert_eq!(*world.draws().view_change_counter().borrow(), before);
    });
}

#[test]
fn moved_kick_off_moves_the_end_of_sales() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let move_to = async |at| {
            let edit = TermsEdit {
                closes_at: Some(at),
                ..TermsEdit::default()
            };
            world
                .draws()
                .edit_draw(DRAW, edit, None, TermsEditor::Operator)
                .await
                .unwrap()
                .view
        };
        let status = async || world.draws().view(DRAW).await.unwrap().status;
        // Kick-off was moved later, so nothing happens at the old time.
        move_to(KICK_OFF.plus_seconds(600)).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(1)).await;
        assert_eq!(status().await, Status::Active);
        // Kick-off was moved earlier, so the timer that was set before would fire too late.
        move_to(KICK_OFF.plus_seconds(60)).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(61)).await;
        assert_eq!(status().await, Status::Closed);
        // The game was postponed after kick-off, so the draw is on sale again until the new
        // kick-off.
        assert_eq!(
            move_to(KICK_OFF.plus_seconds(900)).await.status,
            Status::Active
        );
        world
            .draws()
            .execute(
                DRAW,
                Command::Reserve {
                    order: OrderId(7),
                    count: 1,
                    until: KICK_OFF.plus_seconds(200),
                },
                None,
            )
            .await
            .unwrap();
        world.clock.advance_to(KICK_OFF.plus_seconds(901)).await;
        assert_eq!(status().await, Status::Closed);
        world.assert_consistent();
    });
}

#[test]
fn repeated_command_writes_nothing_and_answers_the_same() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let first = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        let second = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        assert!(!second.written);
        assert_eq!(
            (first.view, first.reservation),
            (second.view, second.reservation)
        );
    });
}

#[test]
fn failed_write_is_denied_and_leaves_state_unchanged() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        make_next_append_fail(&world, MemoryFault::NotWritten);
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Unavailable)
        );
        assert_eq!(world.draws().view(DRAW).await.unwrap().held, 0);
        let again = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.assert_consistent();
    });
}

#[test]
fn written_commit_without_answer_is_found_in_the_ledger() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        make_next_append_fail(&world, MemoryFault::UnknownWritten);
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Unavailable)
        );
        let again = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        assert!(!again.written, "it was written the first time");
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.assert_consistent();
    });
}

#[test]
fn unwritten_commit_without_answer_is_discarded() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        make_next_append_fail(&world, MemoryFault::UnknownNotWritten);
        assert_eq!(
            world
                .draws()
                .execute(DRAW, reserve_command(7, 3), None)
                .await,
            Err(Denied::Unavailable)
        );
        let again = world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        assert!(again.written);
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.assert_consistent();
    });
}

#[test]
fn newer_epoch_fences_the_former_owner() {
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
        assert_eq!(
            world.held_in_draw(1042),
            0,
            "the former owner wrote nothing"
        );
        // Another request makes this node claim the draw again.
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
    });
}

#[test]
fn commands_of_one_draw_never_overlap() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let draws = world.draws();
        let crowd = (1..=60).map(|order| {
            let draws = draws.clone();
            async move { draws.execute(DRAW, reserve_command(order, 10), None).await }
        });
        let answers = futures_util::future::join_all(crowd).await;
        assert_eq!(
            answers.iter().filter(|answer| answer.is_ok()).count(),
            16,
            "169 tickets, ten each"
        );
        let refused = |answer: &&Result<_, _>| {
            **answer == Err(Denied::Refused(Refusal::TooFewTickets { free: 9 }))
        };
        assert_eq!(answers.iter().filter(refused).count(), 44);
        assert_eq!(world.held_in_draw(1042), 160);
        world.assert_consistent();
    });
}

/// Returns how many reservations were made, refused because too few tickets are left, and denied
/// with a request to retry.
async fn reserve_concurrently(world: &TestWorld, people: u128) -> (usize, usize, usize) {
    let draws = world.draws();
    let crowd = (1..=people).map(|order| {
        let draws = draws.clone();
        async move { draws.execute(DRAW, reserve_command(order, 1), None).await }
    });
    let answers = futures_util::future::join_all(crowd).await;
    let count = |wanted: fn(&Result<CommandOutcome, Denied>) -> bool| {
        answers.iter().filter(|answer| wanted(answer)).count()
    };
    (
        count(Result::is_ok),
        count(|answer| *answer == Err(Denied::Refused(Refusal::TooFewTickets { free: 0 }))),
        count(|answer| *answer == Err(Denied::Unavailable)),
    )
}

#[test]
fn thousand_concurrent_buyers_all_get_an_answer() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        assert_eq!(reserve_concurrently(&world, 1_000).await, (169, 831, 0));
        assert_eq!(world.held_in_draw(1042), 169);
        world.assert_consistent();
    });
}

#[test]
fn full_mailbox_answers_unavailable() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let (granted, refused, busy) = reserve_concurrently(&world, 3_000).await;
        assert_eq!((granted, granted + refused + busy), (169, 3_000));
        assert!(
            (2_048..=2_050).contains(&(granted + refused)),
            "the mailbox held {}",
            granted + refused
        );
    });
}

#[test]
fn expired_reservation_is_released_automatically() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve_command(7, 3), None)
            .await
            .unwrap();
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        watcher.changed().await.unwrap();
        assert_eq!(watcher.borrow().held, 0);
        assert_eq!(
            actors::Clock::now(&world.clock),
            NOON.plus_seconds(150),
            "to the millisecond"
        );
        assert_eq!(world.held_in_draw(1042), 0);
        world.assert_consistent();
    });
}

#[test]
fn kick_off_closes_the_draw_without_a_request() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        watcher.changed().await.unwrap();
        assert_eq!(watcher.borrow().status, Status::Closed);
        assert_eq!(actors::Clock::now(&world.clock), KICK_OFF);
        world.assert_consistent();
    });
}

#[test]
fn tick_after_clock_change_resets_the_timer() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world
            .draws()
            .execute(DRAW, Command::Tick, None)
            .await
            .unwrap();
        // The clock is set to five seconds before kick-off. The timer still sleeps for a minute.
        world.clock.set_skew_ms(KICK_OFF.ms_since(NOON) - 5_000);
        for _ in 0..2 {
            world
                .draws()
                .execute(DRAW, Command::Tick, None)
                .await
                .unwrap();
        }
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        watcher.changed().await.unwrap();
        assert_eq!(watcher.borrow().status, Status::Closed);
        assert_eq!(actors::Clock::now(&world.clock), KICK_OFF);
    });
}

#[test]
fn failed_tick_is_retried() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let mut left = 3;
        world.memory.set_faults(move |call| match call {
            MemoryCall::Append(_) if left > 0 => {
                left -= 1;
                MemoryFault::NotWritten
            }
            _ => MemoryFault::None,
        });
        let mut watcher = world.draws().watch(DRAW).await.unwrap();
        watcher.borrow_and_update();
        watcher.changed().await.unwrap();
        assert_eq!(watcher.borrow().status, Status::Closed);
        assert_eq!(actors::Clock::now(&world.clock), KICK_OFF.plus_seconds(3));
    });
}

#[test]
fn database_clock_decides_when_sales_close() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.clock.advance_to(KICK_OFF.plus_ms(-1)).await;
        // By this node's clock, kick-off is still ten minutes away.
        world.clock.set_skew_ms(-600_000);
        world.advance_seconds(1).await;
        let allocate = Command::Allocate {
            order: record.order.id,
            count: 2,
            unit_price: PRICE,
            authority: AllocationAuthority::Sale,
        };
        let refused = world.draws().execute(DRAW, allocate, None).await;
        assert_eq!(refused, Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(world.sold_in_draw(1042), 0);
    });
}

#[test]
fn repair_after_kick_off_is_written_for_earlier_payment() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let record = world.open_order(&[(1042, 2)]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(5)).await;
        let order = record.order.id;
        let authority = AllocationAuthority::Repair {
            authorised_at: KICK_OFF.plus_seconds(-5),
        };
        let allocate = Command::Allocate {
            order,
            count: 2,
            unit_price: PRICE,
            authority,
        };
        let attached_write = AttachedWrite::Authorised {
            order,
            at: KICK_OFF.plus_seconds(-5),
        };
        let repaired = world
            .draws()
            .execute(DRAW, allocate, Some(attached_write))
            .await;
        // The sweeper released the order long ago, because its reservation expired. Only a repair
        // may still allocate tickets to it.
        assert_eq!(repaired.unwrap().allocation.unwrap().serials.len(), 2);
    });
}

#[test]
fn unknown_draw_is_reported() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        assert_eq!(world.draws().view(DrawId(9)).await, Err(Denied::NoSuchDraw));
        assert_eq!(
            world
                .draws()
                .execute(DrawId(9), reserve_command(7, 1), None)
                .await,
            Err(Denied::NoSuchDraw)
        );
    });
}

#[test]
fn cells_match_the_committed_deal() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let deal = world.draws().deal(DRAW).await.unwrap();
        let serials: Vec<_> = domain::Serial::all().take(2).collect();
        let cells = world.draws().cells(DRAW, &serials).await.unwrap();
        assert_eq!(
            cells,
            serials
                .iter()
                .map(|serial| (*serial, deal.cell(*serial)))
                .collect::<Vec<_>>()
        );
    });
}

#[test]
fn result_is_committed_and_shown() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        world.buy_tickets(&[(1042, 2)]).await;
        let result = GameResult::new(4, 9).unwrap();
        let committed = world
            .draws()
            .execute(DRAW, Command::Complete { result }, None)
            .await
            .unwrap();
        assert_eq!(committed.view.status, Status::Completed);
        assert_eq!(committed.view.result.unwrap().0, result);
        world.advance_seconds(1).await;
        world.assert_consistent();
    });
}
