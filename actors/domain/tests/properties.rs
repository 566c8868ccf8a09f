//! Tests of properties that hold after any sequence of commands at any times. `PROPTEST_RNG_SEED=…`
//! tries other sequences.

#[path = "support/model.rs"]
mod model;

use domain::draw::DrawSnapshot;
use domain::order::{LineRequest, price_lines, split_by_weights};
use domain::{
    AllocationAuthority, Cell, Cents, Command, Deal, Draw, DrawId, Event, FeePolicy, GameResult,
    OrderId, Seed, Serial, SurchargeMode, TICKETS, Terms, TermsEditor, Timestamp, fee,
    prize::prize,
};
use model::{Model, Prediction};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

const ORDER_COUNT: u128 = 8;
const KICK_OFF: i64 = 1_000_000;

/// Uses a fixed seed unless the environment sets one.
fn seeded_config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1042),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    ProptestConfig {
        cases,
        rng_seed,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::XorShift,
        ..default
    }
}

const TERMS: Terms = Terms {
    price: Cents(500),
    prize_percentage: 50,
    round_up_prize: false,
    opens_at: None,
    closes_at: Timestamp(KICK_OFF),
};

fn new_draw() -> Draw {
    Draw::new(
        DrawId(1042),
        TERMS,
        FeePolicy::DEFAULT,
        Deal::new(Seed([7; 32])),
    )
}

/// Generates a time step, a duration, and a command whose times are relative to its execution.
fn any_command() -> impl Strategy<Value = (i64, i64, Command)> {
    let order = (0..ORDER_COUNT).prop_map(OrderId);
    let count = prop_oneof![
        Just(0),
        Just(1),
        1..=50u16,
        Just(49),
        Just(50),
        Just(50),
        Just(51)
    ];
    let patience = prop_oneof![
        Just(0i64),
        Just(1),
        Just(120_000),
        Just(150_000),
        0..300_000i64
    ];
    let command = (order, count, patience, 0..41u8, 1..=13u8, 498..=502i64);
    let step = prop_oneof![4 => Just(0i64), 2 => Just(1), 2 => 0..30_000i64, 1 => Just(120_000), 1 => Just(-1)];
    (step, command).prop_map(|(step, (order, count, patience, which, number, cents))| {
        let until = Timestamp(patience);
        let authority = match which % 3 {
            0 => AllocationAuthority::Repair {
                authorised_at: Timestamp(KICK_OFF - 10 + i64::from(number)),
            },
            _ => AllocationAuthority::Sale,
        };
        let command = match which {
            0..10 => Command::Reserve {
                order,
                count,
                until,
            },
            10..13 => Command::Extend { order, until },
            13..15 => Command::Release { order },
            15..27 => Command::Allocate {
                order,
                count,
                unit_price: Cents(if which < 26 { 500 } else { cents }),
                authority,
            },
            27..31 => Command::Void {
                order,
                charged: number % 3 > 0,
            },
            31..34 => Command::Tick,
            34 => Command::Complete {
                result: GameResult::new(number, 9).expect("1…13"),
            },
            35 => Command::Undo,
            36..39 => Command::Amend {
                edit: amended_terms(number, cents).into(),
                by: if number % 4 == 0 {
                    TermsEditor::Operator
                } else {
                    TermsEditor::Club
                },
                described: false,
            },
            39 => Command::Archive {
                archived: number < 10,
            },
            _ => Command::Cancel,
        };
        (step, patience, command)
    })
}

fn amended_terms(number: u8, cents: i64) -> Terms {
    let closes_at = Timestamp(KICK_OFF - 50_000 * (i64::from(number) % 3));
    let price = if number > 9 { Cents(cents) } else { Cents(500) };
    Terms {
        price,
        closes_at,
        ..TERMS
    }
}

/// Generates a history: the absolute time and the command of each step.
fn any_history() -> impl Strategy<Value = Vec<(Timestamp, Command)>> {
    (0..KICK_OFF, vec(any_command(), 1..80)).prop_map(|(start, steps)| {
        let mut now = start;
        let absolute = |now: i64, command: Command| match command {
            Command::Reserve {
                order,
                count,
                until,
            } => Command::Reserve {
                order,
                count,
                until: Timestamp(now + until.0),
            },
            Command::Extend { order, until } => Command::Extend {
                order,
                until: Timestamp(now + until.0),
            },
            other => other,
        };
        let timed = steps.into_iter().map(|(step, _, command)| {
            now += step;
            (Timestamp(now), absolute(now, command))
        });
        timed.collect()
    })
}

proptest! {
    #![proptest_config(seeded_config(2_000))]

    /// Invariants D1 to D6 hold, and the model predicts every outcome.
    #[test]
    fn any_history_keeps_the_invariants_and_agrees_with_the_model(history in any_history()) {
        let mut draw = new_draw();
        let mut model = Model::of_new_draw(&draw);
        for (now, command) in &history {
            let before = draw.clone();
            let decided = draw.decide(*now, command);
            let seen = match &decided {
                Err(refusal) => Prediction::Refused(*refusal),
                Ok(events) if events.is_empty() => Prediction::Same,
                Ok(_) => Prediction::Changes,
            };
            prop_assert_eq!(seen, model.predict_and_execute(*now, command), "{:?} at {:?}", command, now);
            draw.apply(&decided.unwrap_or_default());
            draw.assert_invariants();
            model.assert_agrees(&draw);
            // Invariant D7: every commit increases the revision by one, and refused or repeated
            // commands do not.
            let commits = u64::from(seen == Prediction::Changes);
            prop_assert_eq!(draw.revision(), before.revision() + commits);
            prop_assert!(commits == 1 || draw == before, "the draw changed without a commit");
        }
    }

    /// Invariant D8: a command that is repeated at the same time changes nothing.
    #[test]
    fn repeated_command_changes_nothing(history in any_history()) {
        let mut draw = new_draw();
        for (now, command) in &history {
            draw.apply(&draw.decide(*now, command).unwrap_or_default());
            prop_assert_eq!(draw.decide(*now, command).unwrap_or_default(), vec![], "{:?}", command);
        }
    }

    /// A draw can be restored completely from the journal, and from the tables.
    #[test]
    fn journal_and_tables_restore_the_same_draw(history in any_history()) {
        let mut draw = new_draw();
        let mut journal: Vec<Vec<Event>> = Vec::new();
        for (now, command) in &history {
            let events = draw.decide(*now, command).unwrap_or_default();
            draw.apply(&events);
            journal.push(events);
        }
        let mut replayed = new_draw();
        for commit in &journal {
            replayed.apply(commit);
        }
        prop_assert_eq!(&replayed, &draw);
        prop_assert_eq!(&Draw::restore(snapshot_of(&draw)), &draw);
    }

    /// A commit has at most one event per order, so its events may be written in any order.
    #[test]
    fn commit_has_at_most_one_event_per_order(history in any_history()) {
        let mut draw = new_draw();
        for (now, command) in &history {
            let events = draw.decide(*now, command).unwrap_or_default();
            let mut mentioned: Vec<OrderId> = events.iter().filter_map(order_of_event).collect();
            let mentions = mentioned.len();
            mentioned.sort();
            mentioned.dedup();
            prop_assert_eq!(mentioned.len(), mentions, "{:?}: {:?}", command, events);
            draw.apply(&events);
        }
    }

    /// A sold ticket belongs to its order until that order is voided.
    #[test]
    fn sold_ticket_keeps_its_owner_until_voided(history in any_history()) {
        let mut draw = new_draw();
        for (now, command) in &history {
            let before = draw.clone();
            draw.apply(&draw.decide(*now, command).unwrap_or_default());
            let voids = |order| matches!(command, Command::Void { order: of, .. } if *of == order);
            for order in (0..ORDER_COUNT).map(OrderId).filter(|order| !voids(*order)) {
                if let Some(allocation) = before.allocation(order) {
                    prop_assert_eq!(draw.allocation(order), Some(allocation), "{:?}", command);
                }
            }
        }
    }

    /// The timer cannot loop for ever: a tick at the deadline has events, and the next deadline is
    /// later.
    #[test]
    fn tick_at_the_deadline_moves_the_deadline(history in any_history()) {
        let mut draw = new_draw();
        for (now, command) in &history {
            draw.apply(&draw.decide(*now, command).unwrap_or_default());
            let mut ticked = draw.clone();
            while let Some(deadline) = ticked.next_deadline() {
                let events = ticked.decide(deadline, &Command::Tick).unwrap_or_default();
                prop_assert!(!events.is_empty(), "nothing to do at {deadline:?}");
                ticked.apply(&events);
                prop_assert!(ticked.next_deadline().is_none_or(|later| later > deadline));
            }
        }
    }

    /// Decisions D-2 and D-3: each fee step starts where the previous one ended. The fees that
    /// orders paid are the ledger plus the amount to return. The ledger never exceeds the fee due,
    /// and equals it as long as no order was voided without a charge.
    #[test]
    fn fee_steps_sum_to_the_ledger_and_never_exceed_the_cap(
        steps in vec((0..ORDER_COUNT, 1..=50u16, 0..5u8), 1..80),
        cents in prop_oneof![1..2_000i64, Just(1_000_000)],
        rate_bps in prop_oneof![Just(350u32), 0..10_000u32],
        cap in prop_oneof![Just(1100i64), 0..100_000i64],
    ) {
        let terms = Terms { price: Cents(cents), ..TERMS };
        let policy = FeePolicy { rate_bps, cap: Cents(cap) };
        let mut draw = Draw::new(DrawId(1), terms, policy, Deal::new(Seed([1; 32])));
        let (mut revenue, mut ledger, mut to_return) = (Cents::ZERO, Cents::ZERO, Cents::ZERO);
        // For each order the fee it still holds, and whether its payment was captured. A refunded
        // order still holds the part of its fee that was not returned.
        let mut held: Vec<(OrderId, Cents, bool)> = Vec::new();
        let mut always_charged = true;
        for (order, count, what) in steps {
            let order = OrderId(order);
            let uncaptured = |(of, _, captured): &&mut (OrderId, Cents, bool)| *of == order && !captured;
            let command = match what {
                0 | 1 => Command::Allocate { order, count, unit_price: terms.price, authority: AllocationAuthority::Sale },
                2 => {
                    held.iter_mut().find(uncaptured).into_iter().for_each(|part| part.2 = true);
                    continue;
                }
                3 => {
                    // Only captured payments have a fee that can be returned.
                    for part in held.iter_mut().filter(|part| part.2) {
                        let back = part.1.min(to_return);
                        part.1 -= back;
                        to_return -= back;
                    }
                    continue;
                }
                _ => Command::Void { order, charged: !held.iter_mut().any(|part| uncaptured(&&mut *part)) },
            };
            let events = draw.decide(Timestamp(0), &command).unwrap_or_default();
            for event in &events {
                let (Event::Allocated { step, .. } | Event::Voided { step, .. }) = event else { continue };
                revenue += step.revenue_delta;
                ledger += step.fee_delta;
                to_return += step.to_return;
                prop_assert_eq!((step.revenue_after, step.fee_after), (revenue, ledger));
                match event {
                    Event::Voided { charged: true, .. } => prop_assert!(step.fee_delta <= Cents::ZERO),
                    Event::Voided { .. } => {
                        held.retain(|(of, _, captured)| *of != order || *captured);
                        always_charged = false;
                    }
                    _ => {
                        prop_assert!((Cents::ZERO..=step.revenue_delta).contains(&step.fee_delta));
                        held.push((order, step.fee_delta, false));
                    }
                }
            }
            draw.apply(&events);
            prop_assert_eq!(draw.fee(), ledger);
            prop_assert!(Cents::ZERO <= ledger && ledger <= policy.fee_on_revenue(draw.revenue()) && ledger <= policy.cap);
            prop_assert!(!always_charged || ledger == policy.fee_on_revenue(draw.revenue()), "the ledger is below the fee due although every order was charged");
            prop_assert_eq!(held.iter().map(|part| part.1).sum::<Cents>(), ledger + to_return);
            prop_assert!(to_return >= Cents::ZERO);
        }
    }

    /// Decision K-1: every deal has every cell once, and every seed has its own commitment.
    #[test]
    fn deal_has_every_cell_once(seed in any::<[u8; 32]>(), draw in 1001..100_000i64, flipped in 0..256usize) {
        let deal = Deal::new(Seed(seed));
        let mut cells: Vec<Cell> = Serial::all().map(|serial| deal.cell(serial)).collect();
        prop_assert!(Serial::all().all(|serial| deal.serial(deal.cell(serial)) == serial));
        cells.sort();
        cells.dedup();
        prop_assert_eq!(cells.len(), usize::from(TICKETS));

        let mut other = seed;
        other[flipped / 8] ^= 1 << (flipped % 8);
        let commitment = Seed(seed).commitment(DrawId(draw));
        prop_assert_eq!(Seed(seed).commitment(DrawId(draw)), commitment);
        prop_assert_ne!(Seed(other).commitment(DrawId(draw)), commitment);
        prop_assert_ne!(Seed(seed).commitment(DrawId(draw + 1)), commitment);
        prop_assert_ne!(Deal::new(Seed(other)), deal);
    }

    /// The parts of a split amount sum to that amount, and each differs from its exact share by
    /// less than a cent.
    #[test]
    fn split_sums_to_the_amount_exactly(amount in 0..10_000_000i64, weights in vec(0..50_000_000i64, 1..20)) {
        let whole: i64 = weights.iter().sum();
        let cents: Vec<Cents> = weights.iter().copied().map(Cents).collect();
        let parts = split_by_weights(Cents(amount), &cents);
        prop_assert_eq!(parts.iter().copied().sum::<Cents>(), Cents(amount));
        for (part, weight) in parts.iter().zip(&weights).filter(|_| whole > 0) {
            let off = i128::from(part.0) * i128::from(whole) - i128::from(amount) * i128::from(*weight);
            prop_assert!(off.abs() < i128::from(whole), "{} of {amount} for {weight} of {whole}", part.0);
        }
    }

    /// The price of an order does not depend on the sequence of its lines. The card fee follows the
    /// surcharge mode.
    #[test]
    fn cart_price_does_not_depend_on_line_order(
        lines in vec((1..=50u16, 1..1_000_000i64, any::<bool>()), 1..8).prop_shuffle(),
    ) {
        let wanted = |(draw, (count, cents, passes)): (usize, &(u16, i64, bool))| LineRequest {
            draw: DrawId(2000 - draw as i64), count: *count, unit_price: Cents(*cents), passes_card_fee: *passes,
        };
        let wanted: Vec<LineRequest> = lines.iter().enumerate().map(wanted).collect();
        let passing = wanted.iter().filter(|line| line.passes_card_fee);
        let subtotals: Vec<Cents> = passing.map(|line| line.unit_price * line.count.into()).collect();
        for mode in [SurchargeMode::PerLine, SurchargeMode::PerCharge] {
            let priced = price_lines(&wanted, mode);
            let expected: Cents = match mode {
                SurchargeMode::PerLine => subtotals.iter().map(|subtotal| fee::card_fee(*subtotal)).sum(),
                SurchargeMode::PerCharge if subtotals.is_empty() => Cents::ZERO,
                SurchargeMode::PerCharge => fee::card_fee(subtotals.iter().copied().sum()),
            };
            prop_assert_eq!(priced.iter().map(|line| line.card_fee).sum::<Cents>(), expected);
            prop_assert!(priced.is_sorted_by_key(|line| line.draw));
            for line in &priced {
                let asked = wanted.iter().find(|w| w.draw == line.draw).expect("an asked draw");
                prop_assert_eq!((line.count, line.unit_price), (asked.count, asked.unit_price));
                prop_assert!(asked.passes_card_fee || line.card_fee == Cents::ZERO);
            }
            let mut backwards = wanted.clone();
            backwards.reverse();
            prop_assert_eq!(price_lines(&backwards, mode), priced);
        }
    }

    /// More sold tickets never give a smaller prize. Rounding up adds less than $10 and never
    /// subtracts.
    #[test]
    fn prize_grows_with_the_tickets_sold(sold in 0..TICKETS, cents in 1..=1_000_000i64, percentage in 1..=100u8) {
        let [now, then] = [sold, sold + 1].map(|sold| prize(sold, Cents(cents), percentage, false));
        prop_assert!(now <= then && then <= Cents(cents) * i64::from(sold + 1));
        let up = prize(sold, Cents(cents), percentage, true);
        prop_assert!(up >= now && up < now + Cents(1000) && up.0 % 1000 == 0);
    }

    /// Formatting an amount and parsing the text returns the same amount.
    #[test]
    fn formatted_amount_parses_back(cents in 0..100_000_000_000i64) {
        prop_assert_eq!(Cents::parse(&Cents(cents).decimal()), Some(Cents(cents)));
    }
}

fn order_of_event(event: &Event) -> Option<OrderId> {
    match event {
        Event::Reserved { order, .. }
        | Event::Released { order }
        | Event::Expired { order }
        | Event::Allocated { order, .. }
        | Event::Voided { order, .. } => Some(*order),
        Event::Closed
        | Event::Completed { .. }
        | Event::Undone { .. }
        | Event::Revealed
        | Event::Amended { .. }
        | Event::Described
        | Event::Reopened
        | Event::Archived { .. }
        | Event::Cancelled => None,
    }
}

fn snapshot_of(draw: &Draw) -> DrawSnapshot {
    let orders = || (0..ORDER_COUNT).map(OrderId);
    DrawSnapshot {
        id: draw.id(),
        terms: *draw.terms(),
        fee_policy: draw.fee_policy(),
        deal: draw.deal().clone(),
        status: draw.status(),
        revision: draw.revision(),
        reservations: orders()
            .filter_map(|order| Some((order, draw.reservation(order)?)))
            .collect(),
        allocations: orders()
            .filter_map(|order| Some((order, draw.allocation(order)?.clone())))
            .collect(),
        revenue: draw.revenue(),
        fee: draw.fee(),
        outcome: draw.outcome(),
        archived: draw.is_archived(),
        revealed: draw.is_revealed(),
        returned: draw.returned_serials().collect(),
    }
}
