//! The JSON form in which a draw's events are stored, version 1.
//!
//! Stored events must stay readable for ever, so this form never changes. A new kind of event may
//! be added, and so may a field that has a default. Any other change needs a new version number.

use domain::{
    Cents, Event, FeeLedgerStep, GameResult, OrderId, Reservation, Serial, Status, Terms,
    Timestamp, draw::event::Event as E,
};
use serde::{Deserialize, Serialize};

use crate::error::Failure;

/// The events of one commit in their stored JSON form.
#[derive(Serialize, Deserialize)]
#[serde(tag = "v")]
enum StoredCommit {
    #[serde(rename = "1")]
    V1 { events: Vec<StoredEvent> },
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum StoredEvent {
    Reserved {
        order: uuid::Uuid,
        count: u16,
        until: i64,
        extensions: u8,
    },
    Released {
        order: uuid::Uuid,
    },
    Expired {
        order: uuid::Uuid,
    },
    Allocated {
        order: uuid::Uuid,
        serials: Vec<u16>,
        step: StoredFeeStep,
    },
    Voided {
        order: uuid::Uuid,
        serials: Vec<u16>,
        step: StoredFeeStep,
        #[serde(default)]
        charged: bool,
    },
    Closed,
    Completed {
        home: u8,
        away: u8,
        winner: u16,
        prize_cents: i64,
    },
    Undone {
        status: StoredDrawStatus,
    },
    Revealed,
    Amended {
        terms: StoredTerms,
    },
    Described,
    Reopened,
    Archived {
        archived: bool,
    },
    Cancelled,
}

#[derive(Serialize, Deserialize)]
struct StoredFeeStep {
    revenue_delta: i64,
    fee_delta: i64,
    revenue_after: i64,
    fee_after: i64,
    #[serde(default, skip_serializing_if = "is_zero")]
    to_return: i64,
}

fn is_zero<T: Default + PartialEq>(amount: &T) -> bool {
    *amount == T::default()
}

/// A draw's terms as stored. Times are milliseconds since 1970 UTC, money is cents.
#[derive(Serialize, Deserialize)]
struct StoredTerms {
    price: i64,
    prize_percentage: u8,
    round_up_prize: bool,
    opens_at: Option<i64>,
    closes_at: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredDrawStatus {
    Active,
    Closed,
    Completed,
    Cancelled,
}

/// Formats the events of one commit as JSON text for the journal.
pub fn events_to_json(events: &[Event]) -> String {
    let commit = StoredCommit::V1 {
        events: events.iter().map(StoredEvent::from).collect(),
    };
    serde_json::to_string(&commit).expect("stored events have no maps with odd keys")
}

/// Parses the JSON text of one commit and returns the commit's events.
///
/// # Errors
/// [`Failure::Corrupt`] when the text is not a commit of a known version, or has an impossible
/// value.
pub fn events_from_json(text: &str) -> Result<Vec<Event>, Failure> {
    let corrupt = |why: String| Failure::Corrupt(format!("journal: {why}"));
    let StoredCommit::V1 { events } =
        serde_json::from_str(text).map_err(|why| corrupt(why.to_string()))?;
    events
        .into_iter()
        .map(|event| {
            event
                .into_event()
                .ok_or_else(|| corrupt("impossible value".into()))
        })
        .collect()
}

fn order_uuid(order: OrderId) -> uuid::Uuid {
    uuid::Uuid::from_u128(order.0)
}

impl From<&Event> for StoredEvent {
    fn from(event: &Event) -> StoredEvent {
        let numbers = |serials: &[Serial]| serials.iter().map(|serial| serial.number()).collect();
        match event {
            E::Reserved {
                order,
                reservation:
                    Reservation {
                        count,
                        until,
                        extensions,
                    },
            } => StoredEvent::Reserved {
                order: order_uuid(*order),
                count: *count,
                until: until.0,
                extensions: *extensions,
            },
            E::Released { order } => StoredEvent::Released {
                order: order_uuid(*order),
            },
            E::Expired { order } => StoredEvent::Expired {
                order: order_uuid(*order),
            },
            E::Allocated {
                order,
                serials,
                step,
            } => StoredEvent::Allocated {
                order: order_uuid(*order),
                serials: numbers(serials),
                step: step.into(),
            },
            E::Voided {
                order,
                serials,
                step,
                charged,
            } => StoredEvent::Voided {
                order: order_uuid(*order),
                serials: numbers(serials),
                step: step.into(),
                charged: *charged,
            },
            E::Closed => StoredEvent::Closed,
            E::Completed {
                result,
                winner,
                prize,
            } => StoredEvent::Completed {
                home: result.cell.home(),
                away: result.cell.away(),
                winner: winner.number(),
                prize_cents: prize.0,
            },
            E::Undone { status } => StoredEvent::Undone {
                status: (*status).into(),
            },
            E::Revealed => StoredEvent::Revealed,
            E::Amended { terms } => StoredEvent::Amended {
                terms: terms.into(),
            },
            E::Described => StoredEvent::Described,
            E::Reopened => StoredEvent::Reopened,
            E::Archived { archived } => StoredEvent::Archived {
                archived: *archived,
            },
            E::Cancelled => StoredEvent::Cancelled,
        }
    }
}

impl StoredEvent {
    fn into_event(self) -> Option<Event> {
        let order = |uuid: uuid::Uuid| OrderId(uuid.as_u128());
        let serials = |numbers: Vec<u16>| {
            numbers
                .into_iter()
                .map(Serial::new)
                .collect::<Option<Vec<Serial>>>()
        };
        Some(match self {
            StoredEvent::Reserved {
                order: id,
                count,
                until,
                extensions,
            } => {
                let reservation = Reservation {
                    count,
                    until: Timestamp(until),
                    extensions,
                };
                E::Reserved {
                    order: order(id),
                    reservation,
                }
            }
            StoredEvent::Released { order: id } => E::Released { order: order(id) },
            StoredEvent::Expired { order: id } => E::Expired { order: order(id) },
            StoredEvent::Allocated {
                order: id,
                serials: numbers,
                step,
            } => E::Allocated {
                order: order(id),
                serials: serials(numbers)?,
                step: step.into(),
            },
            StoredEvent::Voided {
                order: id,
                serials: numbers,
                step,
                charged,
            } => E::Voided {
                order: order(id),
                serials: serials(numbers)?,
                step: step.into(),
                charged,
            },
            StoredEvent::Closed => E::Closed,
            StoredEvent::Completed {
                home,
                away,
                winner,
                prize_cents,
            } => E::Completed {
                result: GameResult::new(home, away)?,
                winner: Serial::new(winner)?,
                prize: Cents(prize_cents),
            },
            StoredEvent::Undone { status } => E::Undone {
                status: status.into(),
            },
            StoredEvent::Revealed => E::Revealed,
            StoredEvent::Amended { terms } => E::Amended {
                terms: terms.into(),
            },
            StoredEvent::Described => E::Described,
            StoredEvent::Reopened => E::Reopened,
            StoredEvent::Archived { archived } => E::Archived { archived },
            StoredEvent::Cancelled => E::Cancelled,
        })
    }
}

impl From<&FeeLedgerStep> for StoredFeeStep {
    fn from(step: &FeeLedgerStep) -> StoredFeeStep {
        StoredFeeStep {
            revenue_delta: step.revenue_delta.0,
            fee_delta: step.fee_delta.0,
            revenue_after: step.revenue_after.0,
            fee_after: step.fee_after.0,
            to_return: step.to_return.0,
        }
    }
}

impl From<StoredFeeStep> for FeeLedgerStep {
    fn from(step: StoredFeeStep) -> FeeLedgerStep {
        FeeLedgerStep {
            revenue_delta: Cents(step.revenue_delta),
            fee_delta: Cents(step.fee_delta),
            revenue_after: Cents(step.revenue_after),
            fee_after: Cents(step.fee_after),
            to_return: Cents(step.to_return),
        }
    }
}

impl From<&Terms> for StoredTerms {
    fn from(terms: &Terms) -> StoredTerms {
        StoredTerms {
            price: terms.price.0,
            prize_percentage: terms.prize_percentage,
            round_up_prize: terms.round_up_prize,
            opens_at: terms.opens_at.map(|at| at.0),
            closes_at: terms.closes_at.0,
        }
    }
}

impl From<StoredTerms> for Terms {
    fn from(terms: StoredTerms) -> Terms {
        Terms {
            price: Cents(terms.price),
            prize_percentage: terms.prize_percentage,
            round_up_prize: terms.round_up_prize,
            opens_at: terms.opens_at.map(Timestamp),
            closes_at: Timestamp(terms.closes_at),
        }
    }
}

impl From<Status> for StoredDrawStatus {
    fn from(status: Status) -> StoredDrawStatus {
        match status {
            Status::Active => StoredDrawStatus::Active,
            Status::Closed => StoredDrawStatus::Closed,
            Status::Completed => StoredDrawStatus::Completed,
            Status::Cancelled => StoredDrawStatus::Cancelled,
        }
    }
}

impl From<StoredDrawStatus> for Status {
    fn from(status: StoredDrawStatus) -> Status {
        match status {
            StoredDrawStatus::Active => Status::Active,
            StoredDrawStatus::Closed => Status::Closed,
            StoredDrawStatus::Completed => Status::Completed,
            StoredDrawStatus::Cancelled => Status::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_event() -> Vec<Event> {
        let order = OrderId(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let serials = vec![Serial::new(1).expect("1"), Serial::new(169).expect("169")];
        let cents = |amount| Cents(amount);
        let step = FeeLedgerStep {
            revenue_delta: cents(-1000),
            fee_delta: cents(-35),
            revenue_after: cents(0),
            fee_after: cents(0),
            to_return: cents(0),
        };
        let terms = Terms {
            price: cents(500),
            prize_percentage: 50,
            round_up_prize: true,
            opens_at: Some(Timestamp(1)),
            closes_at: Timestamp(2),
        };
        let result = GameResult::new(13, 9).expect("within the grid");
        vec![
            E::Reserved {
                order,
                reservation: Reservation {
                    count: 3,
                    until: Timestamp(77),
                    extensions: 2,
                },
            },
            E::Released { order },
            E::Expired { order },
            E::Allocated {
                order,
                serials: serials.clone(),
                step,
            },
            E::Voided {
                order,
                serials: serials.clone(),
                step: FeeLedgerStep {
                    to_return: cents(35),
                    ..step
                },
                charged: true,
            },
            E::Closed,
            E::Completed {
                result,
                winner: serials[1],
                prize: cents(42_000),
            },
            E::Undone {
                status: Status::Closed,
            },
            E::Amended { terms },
            E::Amended {
                terms: Terms {
                    opens_at: None,
                    ..terms
                },
            },
            E::Described,
            E::Reopened,
            E::Archived { archived: true },
            E::Cancelled,
            E::Revealed,
        ]
    }

    #[test]
    fn every_event_is_parsed_from_its_own_json() {
        assert_eq!(
            events_from_json(&events_to_json(&every_event())),
            Ok(every_event())
        );
    }

    /// Databases contain events in version 1, so the JSON text in this test must stay readable for
    /// ever.
    #[test]
    fn journal_version_1_is_still_readable() {
        let text = r#"{"v":"1","events":[
            {"event":"reserved","order":"01234567-89ab-cdef-0123-456789abcdef","count":3,"until":77,"extensions":2},
            {"event":"allocated","order":"01234567-89ab-cdef-0123-456789abcdef","serials":[1,169],
             "step":{"revenue_delta":-1000,"fee_delta":-35,"revenue_after":0,"fee_after":0}},
            {"event":"closed"},
            {"event":"completed","home":13,"away":9,"winner":169,"prize_cents":42000},
            {"event":"undone","status":"closed"}]}"#;
        let all = every_event();
        assert_eq!(
            events_from_json(text),
            Ok(vec![
                all[0].clone(),
                all[3].clone(),
                all[5].clone(),
                all[6].clone(),
                all[7].clone()
            ])
        );
    }

    #[test]
    fn impossible_values_are_reported_as_corrupt() {
        for text in [
            "{}",
            r#"{"v":"2","events":[]}"#,
            r#"{"v":"1","events":[{"event":"completed","home":14,"away":9,"winner":1,"prize_cents":0}]}"#,
            r#"{"v":"1","events":[{"event":"completed","home":13,"away":9,"winner":170,"prize_cents":0}]}"#,
        ] {
            assert!(
                matches!(events_from_json(text), Err(Failure::Corrupt(_))),
                "{text}"
            );
        }
    }
}
