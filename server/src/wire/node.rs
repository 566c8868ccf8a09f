//! What nodes say to one another about a draw. Both ends run the same program but for the minutes of a rolling deploy, so a
//! shape that is changed is refused by the other end, and its asker tries again.

use actors::{Committed, Denied};
use domain::{
    Allocation, Authority, Cents, Command as Asked, DrawId, Editor, GameResult, OrderId, Refusal,
    Reservation, Serial, Status, TermsEdit, Timestamp, View,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod rider;

/// A command for a draw's owner, and who asks.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errand {
    /// The asking node, for whom the answer is sealed.
    pub from: Uuid,
    command: Command,
    rider: Option<rider::Rider>,
    act: Option<rider::Act>,
}

#[derive(Serialize, Deserialize)]
enum Command {
    Reserve {
        order: Uuid,
        count: u16,
        until: i64,
    },
    Extend {
        order: Uuid,
        until: i64,
    },
    Release {
        order: Uuid,
    },
    Allocate {
        order: Uuid,
        count: u16,
        unit_price: i64,
        authorised_at: Option<i64>,
    },
    Void {
        order: Uuid,
        charged: bool,
    },
    Tick,
    Complete {
        home: u8,
        away: u8,
    },
    Undo,
    Amend {
        edit: Edit,
        operator: bool,
        described: bool,
    },
    Archive {
        archived: bool,
    },
    Cancel,
}

#[derive(Serialize, Deserialize)]
struct Edit {
    price: Option<i64>,
    prize_percentage: Option<u8>,
    round_up_prize: Option<bool>,
    /// `[]`: at once.
    opens_at: Option<Vec<i64>>,
    closes_at: Option<i64>,
}

/// What the owner says.
#[derive(Serialize, Deserialize)]
pub enum Answer {
    Done {
        view: Seen,
        reservation: Option<Kept>,
        allocation: Option<Given>,
        written: bool,
    },
    Refused(Why),
    Unavailable,
    Paused,
    NoSuchDraw,
}

#[derive(Serialize, Deserialize)]
pub struct Seen {
    draw: i64,
    revision: u64,
    status: String,
    sold: u16,
    held: u16,
    price: i64,
    prize: i64,
    prize_max: i64,
    closes_at: i64,
    /// Home, away, the winning serial.
    result: Option<(u8, u8, u16)>,
}

#[derive(Serialize, Deserialize)]
pub struct Kept {
    count: u16,
    until: i64,
    extensions: u8,
}

#[derive(Serialize, Deserialize)]
pub struct Given {
    serials: Vec<u16>,
    fee: i64,
}

/// A refusal by its name, with its number if it has one.
#[derive(Serialize, Deserialize)]
pub struct Why(String, u16);

impl Errand {
    pub fn of(from: Uuid, errand: &actors::Errand) -> Errand {
        Errand {
            from,
            command: Command::of(&errand.command),
            rider: errand.rider.as_ref().map(rider::Rider::of),
            act: errand.act.as_ref().map(rider::Act::of),
        }
    }

    /// `None` when a value is none of the domain's.
    pub fn read(self) -> Option<actors::Errand> {
        Some(actors::Errand {
            command: self.command.read()?,
            rider: self.rider.map(rider::Rider::read),
            act: match self.act {
                Some(act) => Some(act.read()?),
                None => None,
            },
        })
    }
}

fn uuid(order: OrderId) -> Uuid {
    Uuid::from_u128(order.0)
}

impl Command {
    fn of(asked: &Asked) -> Command {
        match asked {
            Asked::Reserve {
                order,
                count,
                until,
            } => Command::Reserve {
                order: uuid(*order),
                count: *count,
                until: until.0,
            },
            Asked::Extend { order, until } => Command::Extend {
                order: uuid(*order),
                until: until.0,
            },
            Asked::Release { order } => Command::Release {
                order: uuid(*order),
            },
            Asked::Allocate {
                order,
                count,
                unit_price,
                authority,
            } => Command::Allocate {
                order: uuid(*order),
                count: *count,
                unit_price: unit_price.0,
                authorised_at: match authority {
                    Authority::Sale => None,
                    Authority::Repair { authorised_at } => Some(authorised_at.0),
                },
            },
            Asked::Void { order, charged } => Command::Void {
                order: uuid(*order),
                charged: *charged,
            },
            Asked::Tick => Command::Tick,
            Asked::Complete { result } => Command::Complete {
                home: result.cell.home(),
                away: result.cell.away(),
            },
            Asked::Undo => Command::Undo,
            Asked::Amend {
                edit,
                by,
                described,
            } => Command::Amend {
                edit: Edit::of(edit),
                operator: *by == Editor::Operator,
                described: *described,
            },
            Asked::Archive { archived } => Command::Archive {
                archived: *archived,
            },
            Asked::Cancel => Command::Cancel,
        }
    }

    fn read(self) -> Option<Asked> {
        let order = |order: Uuid| OrderId(order.as_u128());
        Some(match self {
            Command::Reserve {
                order: id,
                count,
                until,
            } => Asked::Reserve {
                order: order(id),
                count,
                until: Timestamp(until),
            },
            Command::Extend { order: id, until } => Asked::Extend {
                order: order(id),
                until: Timestamp(until),
            },
            Command::Release { order: id } => Asked::Release { order: order(id) },
            Command::Allocate {
                order: id,
                count,
                unit_price,
                authorised_at,
            } => {
                let repair = |at| Authority::Repair {
                    authorised_at: Timestamp(at),
                };
                let authority = authorised_at.map_or(Authority::Sale, repair);
                Asked::Allocate {
                    order: order(id),
                    count,
                    unit_price: Cents(unit_price),
                    authority,
                }
            }
            Command::Void { order: id, charged } => Asked::Void {
                order: order(id),
                charged,
            },
            Command::Tick => Asked::Tick,
            Command::Complete { home, away } => Asked::Complete {
                result: GameResult::new(home, away)?,
            },
            Command::Undo => Asked::Undo,
            Command::Amend {
                edit,
                operator,
                described,
            } => {
                let by = if operator {
                    Editor::Operator
                } else {
                    Editor::Club
                };
                Asked::Amend {
                    edit: edit.read(),
                    by,
                    described,
                }
            }
            Command::Archive { archived } => Asked::Archive { archived },
            Command::Cancel => Asked::Cancel,
        })
    }
}

impl Edit {
    fn of(edit: &TermsEdit) -> Edit {
        Edit {
            price: edit.price.map(|price| price.0),
            prize_percentage: edit.prize_percentage,
            round_up_prize: edit.round_up_prize,
            opens_at: edit
                .opens_at
                .map(|at| at.map(|at| at.0).into_iter().collect()),
            closes_at: edit.closes_at.map(|at| at.0),
        }
    }

    fn read(self) -> TermsEdit {
        TermsEdit {
            price: self.price.map(Cents),
            prize_percentage: self.prize_percentage,
            round_up_prize: self.round_up_prize,
            opens_at: self.opens_at.map(|at| at.first().copied().map(Timestamp)),
            closes_at: self.closes_at.map(Timestamp),
        }
    }
}

impl Answer {
    pub fn of(answer: &Result<Committed, Denied>) -> Answer {
        match answer {
            Ok(done) => Answer::Done {
                view: Seen::of(&done.view),
                reservation: done.reservation.map(|kept| Kept {
                    count: kept.count,
                    until: kept.until.0,
                    extensions: kept.extensions,
                }),
                allocation: done.allocation.as_ref().map(|given| Given {
                    serials: given.serials.iter().map(|serial| serial.number()).collect(),
                    fee: given.fee.0,
                }),
                written: done.written,
            },
            Err(Denied::Refused(refusal)) => Answer::Refused(Why::of(*refusal)),
            Err(Denied::Unavailable) => Answer::Unavailable,
            Err(Denied::Paused) => Answer::Paused,
            Err(Denied::NoSuchDraw) => Answer::NoSuchDraw,
        }
    }

    /// `None` when a value is none of the domain's.
    pub fn read(self) -> Option<Result<Committed, Denied>> {
        Some(Err(match self {
            Answer::Done {
                view,
                reservation,
                allocation,
                written,
            } => {
                let kept = |kept: Kept| Reservation {
                    count: kept.count,
                    until: Timestamp(kept.until),
                    extensions: kept.extensions,
                };
                let allocation = match allocation {
                    Some(given) => Some(given.read()?),
                    None => None,
                };
                let (view, reservation) = (view.read()?, reservation.map(kept));
                return Some(Ok(Committed {
                    view,
                    reservation,
                    allocation,
                    written,
                }));
            }
            Answer::Refused(why) => Denied::Refused(why.read()?),
            Answer::Unavailable => Denied::Unavailable,
            Answer::Paused => Denied::Paused,
            Answer::NoSuchDraw => Denied::NoSuchDraw,
        }))
    }
}

impl Given {
    fn read(self) -> Option<Allocation> {
        let serials = self
            .serials
            .into_iter()
            .map(Serial::new)
            .collect::<Option<Vec<Serial>>>()?;
        Some(Allocation {
            serials,
            fee: Cents(self.fee),
        })
    }
}

const STATUSES: [(Status, &str); 4] = [
    (Status::Active, "active"),
    (Status::Closed, "closed"),
    (Status::Completed, "completed"),
    (Status::Cancelled, "cancelled"),
];

impl Seen {
    fn of(view: &View) -> Seen {
        let status = STATUSES
            .iter()
            .find(|(status, _)| *status == view.status)
            .map_or("", |(_, word)| word);
        Seen {
            draw: view.draw.0,
            revision: view.revision,
            status: status.to_string(),
            sold: view.sold,
            held: view.held,
            price: view.price.0,
            prize: view.prize.0,
            prize_max: view.prize_max.0,
            closes_at: view.closes_at.0,
            result: view
                .result
                .map(|(result, winner)| (result.cell.home(), result.cell.away(), winner.number())),
        }
    }

    fn read(self) -> Option<View> {
        let result = match self.result {
            Some((home, away, winner)) => {
                Some((GameResult::new(home, away)?, Serial::new(winner)?))
            }
            None => None,
        };
        Some(View {
            draw: DrawId(self.draw),
            revision: self.revision,
            status: STATUSES.iter().find(|(_, word)| *word == self.status)?.0,
            sold: self.sold,
            held: self.held,
            price: Cents(self.price),
            prize: Cents(self.prize),
            prize_max: Cents(self.prize_max),
            closes_at: Timestamp(self.closes_at),
            result,
        })
    }
}

/// A refusal's word, and the refusal of a number.
type Worded = (&'static str, fn(u16) -> Refusal);

/// Every refusal, with its number where `0` stands for it.
const REFUSALS: [Worded; 16] = [
    ("too-few-tickets", |free| Refusal::TooFewTickets { free }),
    ("count-out-of-range", |max| Refusal::CountOutOfRange { max }),
    ("draw-closed", |_| Refusal::DrawClosed),
    ("draw-not-open", |_| Refusal::DrawNotOpen),
    ("price-changed", |_| Refusal::PriceChanged),
    ("reservation-unknown", |_| Refusal::ReservationUnknown),
    ("extensions-used-up", |_| Refusal::ExtensionsUsedUp),
    ("already-allocated", |_| Refusal::AlreadyAllocated),
    ("already-completed", |_| Refusal::AlreadyCompleted),
    ("not-completed", |_| Refusal::NotCompleted),
    ("paid-out", |_| Refusal::PaidOut),
    ("terms-locked", |sold| Refusal::TermsLocked { sold }),
    ("terms-kept", |held| Refusal::TermsKept { held }),
    ("draw-not-active", |_| Refusal::DrawNotActive),
    ("game-started", |_| Refusal::GameStarted),
    ("terms-invalid", |_| Refusal::TermsInvalid),
];

impl Why {
    fn of(refusal: Refusal) -> Why {
        let number = match refusal {
            Refusal::TooFewTickets { free: number }
            | Refusal::CountOutOfRange { max: number }
            | Refusal::TermsLocked { sold: number }
            | Refusal::TermsKept { held: number } => number,
            _ => 0,
        };
        let name = REFUSALS
            .iter()
            .find(|(_, make)| make(number) == refusal)
            .map_or("", |(name, _)| name);
        Why(name.to_string(), number)
    }

    fn read(self) -> Option<Refusal> {
        REFUSALS
            .iter()
            .find(|(name, _)| *name == self.0)
            .map(|(_, make)| make(self.1))
    }
}

#[cfg(test)]
mod tests;
