//! Decide, write, apply, show: each fault at each beat.

use actors::{Committed, Denied};
use domain::{Authority, Command, DrawId, Editor, GameResult, OrderId, Refusal, Status, TermsEdit};
use persistence::ledger::Rider;
use persistence::memory::{Call, Fault};

#[path = "support/world.rs"]
mod world;
use world::{KICK_OFF, NOON, PRICE, World, play, reserve};

const DRAW: DrawId = DrawId(1042);

/// Lets the next append go wrong, and none after it.
fn fail_next_append(world: &World, fault: Fault) {
    let mut left = Some(fault);
    world.memory.set_faults(move |call| match call {
        Call::Append(_) => left.take().unwrap_or_default(),
        _ => Fault::None,
    });
}

#[test]
fn a_commit_is_written_before_it_is_shown() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        watched.borrow_and_update();
        let committed = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        assert!(committed.written);
        assert_eq!((committed.view.held, committed.view.revision), (3, 1));
        assert_eq!(committed.reservation.unwrap().count, 3);
        assert_eq!(world.held(1042), 3, "the books know");
        watched.changed().await.unwrap();
        assert_eq!(*watched.borrow(), committed.view);
        world.audit();
    });
}

#[test]
fn a_refusal_touches_neither_the_books_nor_the_watchers() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let watched = world.draws().watch(DRAW).await.unwrap();
        let before = *world.draws().changed().borrow();
        world.memory.set_faults(|call| match call {
            Call::Append(_) => panic!("a refusal was written"),
            _ => Fault::None,
        });
        let refused = world.draws().execute(DRAW, reserve(7, 51), None).await;
        assert_eq!(
            refused,
            Err(Denied::Refused(Refusal::CountOutOfRange { max: 50 }))
        );
        assert!(!watched.has_changed().unwrap());
        assert_eq!(*world.draws().changed().borrow(), before);
    });
}

#[test]
fn a_moved_kick_off_moves_the_whistle() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let move_to = async |at| {
            let edit = TermsEdit {
                closes_at: Some(at),
                ..TermsEdit::default()
            };
            world
                .draws()
                .edit(DRAW, edit, None, Editor::Operator)
                .await
                .unwrap()
                .view
        };
        let status = async || world.draws().view(DRAW).await.unwrap().status;
        // Later: the old time passes without a word.
        move_to(KICK_OFF.plus_seconds(600)).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(1)).await;
        assert_eq!(status().await, Status::Active);
        // Earlier: the armed timer would come too late.
        move_to(KICK_OFF.plus_seconds(60)).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(61)).await;
        assert_eq!(status().await, Status::Closed);
        // Put off after the whistle: on sale again, until the new one.
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
        world.audit();
    });
}

#[test]
fn the_same_command_again_writes_nothing_and_answers_the_same() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let first = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        let second = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
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
fn what_was_not_written_is_denied_and_memory_is_still_right() {
    play(|| async {
        let world = World::with(&[1042]).await;
        fail_next_append(&world, Fault::NotWritten);
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        assert_eq!(world.draws().view(DRAW).await.unwrap().held, 0);
        let again = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.audit();
    });
}

#[test]
fn an_unknown_outcome_that_was_written_is_found_in_the_books() {
    play(|| async {
        let world = World::with(&[1042]).await;
        fail_next_append(&world, Fault::UnknownWritten);
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        let again = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        assert!(!again.written, "it was written the first time");
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.audit();
    });
}

#[test]
fn an_unknown_outcome_that_was_not_written_is_forgotten() {
    play(|| async {
        let world = World::with(&[1042]).await;
        fail_next_append(&world, Fault::UnknownNotWritten);
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        let again = world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        assert!(again.written);
        assert_eq!((again.view.held, again.view.revision), (3, 1));
        world.audit();
    });
}

#[test]
fn another_owners_epoch_stops_the_ghost() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.memory.steal(DRAW).unwrap();
        assert_eq!(
            world.draws().execute(DRAW, reserve(7, 3), None).await,
            Err(Denied::Unavailable)
        );
        assert_eq!(world.held(1042), 0, "the ghost wrote nothing");
        // Whoever asks here claims it back.
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
    });
}

#[test]
fn commands_of_one_draw_never_overlap() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let draws = world.draws();
        let crowd = (1..=60).map(|order| {
            let draws = draws.clone();
            async move { draws.execute(DRAW, reserve(order, 10), None).await }
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
        assert_eq!(world.held(1042), 160);
        world.audit();
    });
}

/// How many were granted, told that too few are left, and told to try again.
async fn stampede(world: &World, people: u128) -> (usize, usize, usize) {
    let draws = world.draws();
    let crowd = (1..=people).map(|order| {
        let draws = draws.clone();
        async move { draws.execute(DRAW, reserve(order, 1), None).await }
    });
    let answers = futures_util::future::join_all(crowd).await;
    let count = |wanted: fn(&Result<Committed, Denied>) -> bool| {
        answers.iter().filter(|answer| wanted(answer)).count()
    };
    (
        count(Result::is_ok),
        count(|answer| *answer == Err(Denied::Refused(Refusal::TooFewTickets { free: 0 }))),
        count(|answer| *answer == Err(Denied::Unavailable)),
    )
}

#[test]
fn a_thousand_buyers_at_once_all_get_their_answer() {
    play(|| async {
        let world = World::with(&[1042]).await;
        assert_eq!(stampede(&world, 1_000).await, (169, 831, 0));
        assert_eq!(world.held(1042), 169);
        world.audit();
    });
}

#[test]
fn a_full_mailbox_says_try_again_instead_of_queueing() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let (granted, refused, busy) = stampede(&world, 3_000).await;
        assert_eq!((granted, granted + refused + busy), (169, 3_000));
        assert!(
            (2_048..=2_050).contains(&(granted + refused)),
            "the mailbox held {}",
            granted + refused
        );
    });
}

#[test]
fn an_overdue_reservation_leaves_the_books_by_itself() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world
            .draws()
            .execute(DRAW, reserve(7, 3), None)
            .await
            .unwrap();
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        watched.borrow_and_update();
        watched.changed().await.unwrap();
        assert_eq!(watched.borrow().held, 0);
        assert_eq!(
            actors::Clock::now(&world.clock),
            NOON.plus_seconds(150),
            "to the millisecond"
        );
        assert_eq!(world.held(1042), 0);
        world.audit();
    });
}

#[test]
fn kick_off_closes_the_draw_to_the_second_even_if_nobody_asks() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        watched.borrow_and_update();
        watched.changed().await.unwrap();
        assert_eq!(watched.borrow().status, Status::Closed);
        assert_eq!(actors::Clock::now(&world.clock), KICK_OFF);
        world.audit();
    });
}

#[test]
fn a_tick_that_could_not_be_written_is_tried_again() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let mut left = 3;
        world.memory.set_faults(move |call| match call {
            Call::Append(_) if left > 0 => {
                left -= 1;
                Fault::NotWritten
            }
            _ => Fault::None,
        });
        let mut watched = world.draws().watch(DRAW).await.unwrap();
        watched.borrow_and_update();
        watched.changed().await.unwrap();
        assert_eq!(watched.borrow().status, Status::Closed);
        assert_eq!(actors::Clock::now(&world.clock), KICK_OFF.plus_seconds(3));
    });
}

#[test]
fn the_databases_clock_decides_the_close() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.clock.advance_to(KICK_OFF.plus_ms(-1)).await;
        // This node believes that there are ten minutes left.
        world.clock.set_skew_ms(-600_000);
        world.pass(1).await;
        let allocate = Command::Allocate {
            order: record.order.id,
            count: 2,
            unit_price: PRICE,
            authority: Authority::Sale,
        };
        let refused = world.draws().execute(DRAW, allocate, None).await;
        assert_eq!(refused, Err(Denied::Refused(Refusal::DrawClosed)));
        assert_eq!(world.sold(1042), 0);
    });
}

#[test]
fn a_repair_after_kick_off_is_written_for_a_payment_authorised_before_it() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let record = world.open(&[(1042, 2)]).await;
        world.clock.advance_to(KICK_OFF.plus_seconds(5)).await;
        let order = record.order.id;
        let authority = Authority::Repair {
            authorised_at: KICK_OFF.plus_seconds(-5),
        };
        let allocate = Command::Allocate {
            order,
            count: 2,
            unit_price: PRICE,
            authority,
        };
        let rider = Rider::Authorised {
            order,
            at: KICK_OFF.plus_seconds(-5),
        };
        let repaired = world.draws().execute(DRAW, allocate, Some(rider)).await;
        // The sweeper let the lapsed order go long ago: it is released, and only a repair may still give it tickets.
        assert_eq!(repaired.unwrap().allocation.unwrap().serials.len(), 2);
    });
}

#[test]
fn an_unknown_draw_is_said_to_be_unknown() {
    play(|| async {
        let world = World::with(&[1042]).await;
        assert_eq!(world.draws().view(DrawId(9)).await, Err(Denied::NoSuchDraw));
        assert_eq!(
            world.draws().execute(DrawId(9), reserve(7, 1), None).await,
            Err(Denied::NoSuchDraw)
        );
    });
}

#[test]
fn the_owner_sees_pairs_and_the_deal_is_the_committed_one() {
    play(|| async {
        let world = World::with(&[1042]).await;
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
fn a_result_is_a_commit_like_any_other() {
    play(|| async {
        let world = World::with(&[1042]).await;
        world.buy(&[(1042, 2)]).await;
        let result = GameResult::new(4, 9).unwrap();
        let committed = world
            .draws()
            .execute(DRAW, Command::Complete { result }, None)
            .await
            .unwrap();
        assert_eq!(committed.view.status, Status::Completed);
        assert_eq!(committed.view.result.unwrap().0, result);
        world.pass(1).await;
        world.audit();
    });
}
