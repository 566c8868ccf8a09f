//! Every state a small draw can reach, and from each of them every command at every instant.
//!
//! The universe: 50 tickets left, two orders, three instants (the last is kick-off), counts that just fit together or
//! just do not. The revision is left out of a state, so the universe is finite.

#[path = "support/model.rs"]
mod model;

use std::collections::HashSet;
use std::mem::discriminant;

use domain::{
    Authority, Cents, Command, Deal, Draw, DrawId, Event, FeePolicy, GameResult, OrderId, Refusal,
    Seed, Terms, Timestamp,
};
use model::{Model, Prediction};

const EARLY: Timestamp = Timestamp(0);
const LATER: Timestamp = Timestamp(10);
const KICK_OFF: Timestamp = Timestamp(20);
const PRICE: Cents = Cents(500);
const PATIENT: OrderId = OrderId(1);
const HASTY: OrderId = OrderId(2);

#[test]
fn every_state_of_a_small_draw_is_sound() {
    let start = small_draw();
    let commands = commands(*start.0.terms());
    let mut known = HashSet::from([fingerprint(&start.0)]);
    let mut ahead = vec![start];
    let (mut events, mut refusals) = (HashSet::new(), HashSet::new());
    while let Some((draw, model)) = ahead.pop() {
        for now in [EARLY, LATER, KICK_OFF] {
            for command in &commands {
                let (mut draw, mut model) = (draw.clone(), model.clone());
                match step(&mut draw, &mut model, now, command) {
                    Ok(happened) => events.extend(happened.iter().map(discriminant)),
                    Err(refusal) => _ = refusals.insert(discriminant(&refusal)),
                }
                if known.insert(fingerprint(&draw)) {
                    ahead.push((draw, model));
                }
            }
        }
    }
    // Every rule was awake: the universe is small, not empty.
    assert_eq!(
        (events.len(), refusals.len()),
        (11, 14),
        "kinds of events and of refusals"
    );
    assert!(known.len() > 1000, "only {} states", known.len());
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
    let mut model = Model::of(&draw);
    for (crowd, count) in [(100, 50), (101, 50), (102, 19)] {
        let sale = allocate(OrderId(crowd), count, PRICE, Authority::Sale);
        step(&mut draw, &mut model, Timestamp(1), &sale).expect("room for the crowd");
    }
    (draw, model)
}

fn allocate(order: OrderId, count: u16, unit_price: Cents, authority: Authority) -> Command {
    Command::Allocate {
        order,
        count,
        unit_price,
        authority,
    }
}

fn commands(terms: Terms) -> Vec<Command> {
    let results = [(7, 9), (9, 7)].map(|(home, away)| GameResult::new(home, away).expect("1…13"));
    let mut commands = vec![Command::Tick, Command::Undo, Command::Cancel];
    commands.extend(results.map(|result| Command::Complete { result }));
    commands.extend([
        Command::amend(Terms {
            closes_at: LATER,
            ..terms
        }),
        Command::amend(Terms {
            price: Cents(600),
            ..terms
        }),
        Command::amend(terms),
        Command::Archive { archived: true },
        Command::Archive { archived: false },
        Command::Void {
            order: OrderId(102),
            charged: true,
        },
    ]);
    for (order, counts, ends) in [
        (PATIENT, [1, 25], vec![LATER, KICK_OFF]),
        (HASTY, [26, 50], vec![LATER]),
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
            commands.push(allocate(order, count, PRICE, Authority::Sale));
        }
    }
    commands.extend([
        Command::Extend {
            order: PATIENT,
            until: KICK_OFF,
        },
        allocate(PATIENT, 51, PRICE, Authority::Sale),
        allocate(HASTY, 26, Cents(501), Authority::Sale),
        allocate(
            PATIENT,
            25,
            PRICE,
            Authority::Repair {
                authorised_at: LATER,
            },
        ),
    ]);
    commands
}

/// Takes one step with draw and model, and says what happened.
fn step(
    draw: &mut Draw,
    model: &mut Model,
    now: Timestamp,
    command: &Command,
) -> Result<Vec<Event>, Refusal> {
    let decided = draw.decide(now, command);
    let seen = match &decided {
        Err(refusal) => Prediction::Refused(*refusal),
        Ok(events) if events.is_empty() => Prediction::Same,
        Ok(_) => Prediction::Changes,
    };
    assert_eq!(seen, model.step(now, command), "{command:?} at {now:?}");
    if seen == Prediction::Changes {
        let events = decided.as_deref().unwrap_or_default();
        draw.apply(events);
        draw.check();
        model.assert_agrees(draw);
        assert_eq!(
            draw.decide(now, command).unwrap_or_default(),
            vec![],
            "again {command:?} at {now:?}"
        );
    }
    decided
}

/// Everything of a draw but its revision, in numbers.
fn fingerprint(draw: &Draw) -> Vec<i64> {
    let mut numbers = vec![
        draw.status() as i64,
        draw.terms().closes_at.0,
        draw.is_archived().into(),
    ];
    numbers.extend(
        draw.outcome()
            .map(|outcome| i64::from(outcome.winner.number())),
    );
    for order in [PATIENT, HASTY, OrderId(102)] {
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
