//! Visits every state that a small draw can reach. In each state, every command is executed at
//! every time.
//!
//! The draw has 50 tickets left, two orders and three times, the last of which is kick-off. The
//! ticket counts are chosen so that together they either just fit into the draw or just exceed it.
//! A state does not include the revision, so the number of states is finite.

#[path = "support/model.rs"]
mod model;

use std::collections::HashSet;
use std::mem::discriminant;

use domain::{
    AllocationAuthority, Cents, Command, Deal, Draw, DrawId, Event, FeePolicy, GameResult, OrderId,
    Refusal, Seed, Status, Terms, TermsEdit, TermsEditor, Timestamp,
};
use model::{Model, Prediction};

const EARLY_IN_SALE: Timestamp = Timestamp(0);
const LATER_IN_SALE: Timestamp = Timestamp(10);
const KICK_OFF: Timestamp = Timestamp(20);
const POSTPONED_KICK_OFF: Timestamp = Timestamp(30);
const PRICE: Cents = Cents(500);
const FIRST_ORDER: OrderId = OrderId(1);
const SECOND_ORDER: OrderId = OrderId(2);

#[test]
fn every_state_of_a_small_draw_agrees_with_the_model() {
    let start = small_draw();
    let commands = all_commands(*start.0.terms());
    let mut visited = HashSet::from([state_fingerprint(&start.0)]);
    let mut to_visit = vec![start];
    let (mut events, mut refusals) = (HashSet::new(), HashSet::new());
    while let Some((draw, model)) = to_visit.pop() {
        for now in [EARLY_IN_SALE, LATER_IN_SALE, KICK_OFF] {
            for command in &commands {
                let (mut draw, mut model) = (draw.clone(), model.clone());
                match execute_and_compare(&mut draw, &mut model, now, command) {
                    Ok(happened) => events.extend(happened.iter().map(discriminant)),
                    Err(refusal) => _ = refusals.insert(discriminant(&refusal)),
                }
                if visited.insert(state_fingerprint(&draw)) {
                    to_visit.push((draw, model));
                }
            }
        }
    }
    // All kinds of events and refusals must occur. Otherwise the test does not reach some rules.
    assert_eq!(
        (events.len(), refusals.len()),
        (13, 15),
        "kinds of events and of refusals"
    );
    assert!(visited.len() > 1000, "only {} states", visited.len());
}

fn small_draw() -> (Draw, Model) {
    let terms = Terms {
        price: PRICE,
        prize_percentage: 50,
        round_up_prize: true,
        opens_at: Some(Timestamp(1)),
        closes_at: KICK_OFF,
    };
    let mut draw = Draw::new(
        DrawId(1042),
        terms,
        FeePolicy::DEFAULT,
        Deal::new(Seed([42; 32])),
    );
    let mut model = Model::of_new_draw(&draw);
    for (crowd, count) in [(100, 50), (101, 50), (102, 19)] {
        let sale = allocate_command(OrderId(crowd), count, PRICE, AllocationAuthority::Sale);
        execute_and_compare(&mut draw, &mut model, Timestamp(1), &sale)
            .expect("enough tickets are free");
    }
    (draw, model)
}

fn allocate_command(
    order: OrderId,
    count: u16,
    unit_price: Cents,
    authority: AllocationAuthority,
) -> Command {
    Command::Allocate {
        order,
        count,
        unit_price,
        authority,
    }
}

fn postpone_command(closes_at: Timestamp) -> Command {
    let edit = TermsEdit {
        closes_at: Some(closes_at),
        ..TermsEdit::default()
    };
    Command::Amend {
        edit,
        by: TermsEditor::Operator,
        described: false,
    }
}

fn all_commands(terms: Terms) -> Vec<Command> {
    let results = [(7, 9), (9, 7)].map(|(home, away)| GameResult::new(home, away).expect("1…13"));
    let mut commands = vec![Command::Tick, Command::Undo, Command::Cancel];
    commands.extend(results.map(|result| Command::Complete { result }));
    commands.extend([
        Command::amend_command_of_club(Terms {
            closes_at: LATER_IN_SALE,
            ..terms
        }),
        Command::amend_command_of_club(Terms {
            price: Cents(600),
            ..terms
        }),
        Command::amend_command_of_club(terms),
        postpone_command(POSTPONED_KICK_OFF),
        Command::Archive { archived: true },
        Command::Archive { archived: false },
        Command::Void {
            order: OrderId(102),
            charged: true,
        },
    ]);
    for (order, counts, ends) in [
        (FIRST_ORDER, [1, 25], vec![LATER_IN_SALE, KICK_OFF]),
        (SECOND_ORDER, [26, 50], vec![LATER_IN_SALE]),
    ] {
        commands.extend([
            Command::Release { order },
            Command::Void {
                order,
                charged: true,
            },
        ]);
        for count in counts {
            commands.extend(ends.iter().map(|until| Command::Reserve {
                order,
                count,
                until: *until,
            }));
            commands.push(allocate_command(
                order,
                count,
                PRICE,
                AllocationAuthority::Sale,
            ));
        }
    }
    commands.extend([
        Command::Extend {
            order: FIRST_ORDER,
            until: KICK_OFF,
        },
        allocate_command(FIRST_ORDER, 51, PRICE, AllocationAuthority::Sale),
        allocate_command(SECOND_ORDER, 26, Cents(501), AllocationAuthority::Sale),
        allocate_command(
            FIRST_ORDER,
            25,
            PRICE,
            AllocationAuthority::Repair {
                authorised_at: LATER_IN_SALE,
            },
        ),
    ]);
    commands
}

/// Executes a command on the draw and on the model, and asserts that both agree. Returns the events
/// or the refusal.
fn execute_and_compare(
    draw: &mut Draw,
    model: &mut Model,
    now: Timestamp,
    command: &Command,
) -> Result<Vec<Event>, Refusal> {
    let was_revealed = draw.is_revealed();
    let decided = draw.decide(now, command);
    let actual = match &decided {
        Err(refusal) => Prediction::Refused(*refusal),
        Ok(events) if events.is_empty() => Prediction::Same,
        Ok(_) => Prediction::Changes,
    };
    assert_eq!(
        actual,
        model.predict_and_execute(now, command),
        "{command:?} at {now:?}"
    );
    if actual == Prediction::Changes {
        let events = decided.as_deref().unwrap_or_default();
        draw.apply(events);
        draw.assert_invariants();
        let sells = |event: &Event| {
            matches!(
                event,
                Event::Reserved { .. } | Event::Allocated { .. } | Event::Reopened
            )
        };
        assert!(
            !was_revealed || !events.iter().any(sells),
            "a revealed draw sells (invariant T11): {command:?} at {now:?}: {events:?}"
        );
        assert!(
            !draw.is_revealed() || draw.status() != Status::Active,
            "a revealed draw is active (invariant T11): {command:?} at {now:?}"
        );
        model.assert_agrees(draw);
        assert_eq!(
            draw.decide(now, command).unwrap_or_default(),
            vec![],
            "the repeated command {command:?} at {now:?} had an effect"
        );
    }
    decided
}

/// Returns the state of a draw, without its revision, as a list of numbers.
fn state_fingerprint(draw: &Draw) -> Vec<i64> {
    let mut numbers = vec![
        draw.status() as i64,
        draw.terms().closes_at.0,
        draw.is_archived().into(),
    ];
    numbers.push(draw.is_revealed().into());
    numbers.extend(
        draw.outcome()
            .map(|outcome| i64::from(outcome.winner.number())),
    );
    for order in [FIRST_ORDER, SECOND_ORDER, OrderId(102)] {
        let kept = draw
            .reservation(order)
            .map(|r| [r.count.into(), r.until.0, r.extensions.into()]);
        let sold = draw
            .allocation(order)
            .map(|a| a.serials.iter().map(|serial| i64::from(serial.number())));
        numbers.push(-1);
        numbers.extend(kept.into_iter().flatten());
        numbers.push(-2);
        numbers.extend(sold.into_iter().flatten());
    }
    numbers
}
