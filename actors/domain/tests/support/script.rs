//! Executes scenario tables. Each line has a time, a command, an arrow and the expected outcome.
//! The model must predict the same outcome.
//!
//! The first line describes the draw: `draw closes 15:00`, optionally with `opens 13:00`, `sold
//! 100`, `price 5.00`, `prize 50`, `rounding up`. Besides the commands there are two queries:
//! `sees` (facts, separated by commas) and `wakes` (the next deadline). An expected outcome may be
//! a prefix of the actual one: `reserved` matches `reserved 2 until 14:02`.

use std::collections::HashMap;

use domain::{
    AllocationAuthority, Cents, Command, Deal, Draw, DrawId, Event, FeePolicy, GameResult, OrderId,
    Refusal, Seed, Serial, Terms, TermsEdit, TermsEditor, Timestamp,
};

use crate::model::{Model, Prediction};

/// Executes a scenario table and asserts each outcome.
pub fn run_scenario(script: &str) {
    let mut lines = script
        .lines()
        .map(|line| line.split("//").next().unwrap_or("").trim())
        .filter(|l| !l.is_empty());
    let opening = ScenarioWords(
        lines
            .next()
            .expect("a first line")
            .split_whitespace()
            .collect(),
    );
    let mut scene = ScenarioRun::from_first_line(&opening);
    for line in lines {
        let (asked, expected) = line
            .split_once('→')
            .unwrap_or_else(|| panic!("no arrow in {line}"));
        let words = ScenarioWords(asked.split_whitespace().collect());
        let actual = scene.execute_line(&words);
        let expected = expected.trim();
        let matches = match words.0[1] {
            "sees" => expected
                .split(", ")
                .all(|fact| actual.split(", ").any(|s| s == fact)),
            _ => actual
                .strip_prefix(expected)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
        };
        assert!(matches, "{line}\n  actual outcome: {actual}\n");
    }
}

struct ScenarioRun {
    draw: Draw,
    model: Model,
    /// The last reserved count of each order. It is used for an allocation without a count.
    counts: HashMap<String, u16>,
}

impl ScenarioRun {
    fn from_first_line(words: &ScenarioWords) -> ScenarioRun {
        let terms = Terms {
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at: Timestamp(0),
        };
        let terms = words.amend_terms(terms);
        let deal = Deal::new(Seed(std::array::from_fn(|i| i as u8)));
        let draw = Draw::new(DrawId(1042), terms, FeePolicy::DEFAULT, deal);
        let mut scene = ScenarioRun {
            model: Model::of_new_draw(&draw),
            draw,
            counts: HashMap::new(),
        };
        let mut left = words
            .word_after("sold")
            .map_or(0, |n| n.parse().expect("a count"));
        for crowd in 0xC0.. {
            let count = left.min(50);
            if count == 0 {
                break;
            }
            let command = Command::Allocate {
                order: OrderId(crowd),
                count,
                unit_price: terms.price,
                authority: AllocationAuthority::Sale,
            };
            scene.execute_on_draw_and_model(terms.opens_at.unwrap_or(Timestamp(0)), &command);
            left -= count;
        }
        scene
    }

    fn execute_line(&mut self, words: &ScenarioWords) -> String {
        let now = parse_time(words.0[0]);
        match words.0[1] {
            "wakes" => self
                .draw
                .next_deadline()
                .map_or("never".into(), format_time),
            "sees" => {
                let view = self.draw.view();
                let [prize, fee] = [view.prize, self.draw.fee()].map(Cents::decimal);
                format!(
                    "{:?}, sold {}, held {}, prize {prize}, fee {fee}",
                    view.status, view.sold, view.held
                )
            }
            _ => {
                let command = self.parse_command(words);
                self.execute_on_draw_and_model(now, &command)
            }
        }
    }

    fn parse_command(&mut self, words: &ScenarioWords) -> Command {
        let who = words.0.get(2).copied().unwrap_or_default();
        let order = OrderId(who.bytes().fold(0, |id, byte| id << 8 | u128::from(byte)));
        let until = words.word_after("until").map(parse_time);
        match words.0[1] {
            "reserve" => {
                let count = words.0[3].parse().expect("a count");
                self.counts.insert(who.into(), count);
                Command::Reserve {
                    order,
                    count,
                    until: until.expect("until"),
                }
            }
            "extend" => Command::Extend {
                order,
                until: until.expect("until"),
            },
            "release" => Command::Release { order },
            "allocate" => {
                let asked = words.0.get(3).and_then(|word| word.parse().ok());
                let count = asked.or(self.counts.get(who).copied()).unwrap_or(1);
                let unit_price = words
                    .word_after("at")
                    .map_or(self.draw.terms().price, parse_dollars);
                let authority = match words.word_after("authorised") {
                    Some(at) => AllocationAuthority::Repair {
                        authorised_at: parse_time(at),
                    },
                    None => AllocationAuthority::Sale,
                };
                Command::Allocate {
                    order,
                    count,
                    unit_price,
                    authority,
                }
            }
            "void" => Command::Void {
                order,
                charged: words.0.get(3) != Some(&"uncharged"),
            },
            "tick" => Command::Tick,
            "complete" => {
                let (home, away) = who.split_once('-').expect("two scorers, 7-9");
                let [home, away] = [home, away].map(|number| number.parse().expect("a number"));
                Command::Complete {
                    result: GameResult::new(home, away).expect("numbers of 1…13"),
                }
            }
            "undo" => Command::Undo,
            "amend" => Command::amend_command_of_club(words.amend_terms(*self.draw.terms())),
            "override" => Command::Amend {
                edit: words.amend_terms(*self.draw.terms()).into(),
                by: TermsEditor::Operator,
                described: false,
            },
            "describe" => {
                let by = if who == "operator" {
                    TermsEditor::Operator
                } else {
                    TermsEditor::Club
                };
                Command::Amend {
                    edit: TermsEdit::default(),
                    by,
                    described: true,
                }
            }
            "archive" => Command::Archive { archived: true },
            "unarchive" => Command::Archive { archived: false },
            "cancel" => Command::Cancel,
            other => panic!("no such command: {other}"),
        }
    }

    fn execute_on_draw_and_model(&mut self, now: Timestamp, command: &Command) -> String {
        let decided = self.draw.decide(now, command);
        let predicted = self.model.predict_and_execute(now, command);
        let actual = match &decided {
            Err(refusal) => Prediction::Refused(*refusal),
            Ok(events) if events.is_empty() => Prediction::Same,
            Ok(_) => Prediction::Changes,
        };
        assert_eq!(
            actual, predicted,
            "the model predicts another outcome: {command:?}"
        );
        let text = match &decided {
            Err(Refusal::TooFewTickets { free }) => format!("TooFewTickets {free}"),
            Err(Refusal::TermsLocked { sold }) => format!("TermsLocked {sold}"),
            Err(Refusal::TermsKept { held }) => format!("TermsKept {held}"),
            Err(Refusal::CountOutOfRange { max }) => format!("CountOutOfRange {max}"),
            Err(refusal) => format!("{refusal:?}"),
            Ok(events) => events.last().map_or("same".into(), describe_event),
        };
        self.draw.apply(&decided.unwrap_or_default());
        self.draw.assert_invariants();
        self.model.assert_agrees(&self.draw);
        text
    }
}

fn describe_event(event: &Event) -> String {
    match event {
        Event::Reserved { reservation: r, .. } => {
            format!("reserved {} until {}", r.count, format_time(r.until))
        }
        Event::Released { .. } => "released".into(),
        Event::Expired { .. } => "expired".into(),
        Event::Allocated { serials, step, .. } => {
            format!(
                "serials {} fee {}",
                format_serial_ranges(serials),
                step.fee_delta.decimal()
            )
        }
        Event::Voided { serials, step, .. } => format!(
            "voided {} fee {}",
            format_serial_ranges(serials),
            step.fee_delta.decimal()
        ),
        Event::Closed => "closed".into(),
        Event::Completed { winner, prize, .. } => {
            format!(
                "completed prize {} winner {}",
                prize.decimal(),
                winner.number()
            )
        }
        Event::Undone { status } => format!("undone to {status:?}"),
        Event::Amended { .. } => "amended".into(),
        Event::Described => "described".into(),
        Event::Reopened => "reopened".into(),
        Event::Archived { archived } => if *archived { "archived" } else { "unarchived" }.into(),
        Event::Revealed => "revealed".into(),
        Event::Cancelled => "cancelled".into(),
    }
}

/// Formats serials as ranges, for example `1–3,7–7`.
fn format_serial_ranges(serials: &[Serial]) -> String {
    let runs = serials.chunk_by(|a, b| a.number() + 1 == b.number());
    let runs: Vec<String> = runs
        .map(|run| format!("{}–{}", run[0].number(), run[run.len() - 1].number()))
        .collect();
    runs.join(",")
}

struct ScenarioWords<'a>(Vec<&'a str>);

impl<'a> ScenarioWords<'a> {
    fn word_after(&self, word: &str) -> Option<&'a str> {
        self.0
            .windows(2)
            .find(|pair| pair[0] == word)
            .map(|pair| pair[1])
    }

    fn amend_terms(&self, mut terms: Terms) -> Terms {
        terms.price = self.word_after("price").map_or(terms.price, parse_dollars);
        terms.prize_percentage = self
            .word_after("prize")
            .map_or(terms.prize_percentage, |p| p.parse().expect("a percentage"));
        terms.round_up_prize |= self.word_after("rounding") == Some("up");
        terms.opens_at = self.word_after("opens").map(parse_time).or(terms.opens_at);
        terms.closes_at = self
            .word_after("closes")
            .map_or(terms.closes_at, parse_time);
        terms
    }
}

fn parse_dollars(text: &str) -> Cents {
    Cents::parse(text).expect("dollars, 5.00")
}

/// Parses `14:02`, `14:02:30` or `14:01:59.999`.
fn parse_time(text: &str) -> Timestamp {
    let mut parts = text
        .split([':', '.'])
        .map(|part| part.parse::<i64>().expect("a time, 14:01:59.999"));
    let mut next = || parts.next().unwrap_or(0);
    Timestamp(((next() * 60 + next()) * 60 + next()) * 1000 + next())
}

fn format_time(at: Timestamp) -> String {
    let (seconds, ms) = (at.0 / 1000, at.0 % 1000);
    let minutes = format!("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    match (seconds % 60, ms) {
        (0, 0) => minutes,
        (s, 0) => format!("{minutes}:{s:02}"),
        (s, ms) => format!("{minutes}:{s:02}.{ms:03}"),
    }
}
