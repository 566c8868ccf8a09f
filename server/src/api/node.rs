//! Messages between nodes about a draw.
//!
//! Both ends run the same version, except during a rolling deploy. An unknown format is refused and
//! the sender retries.

use actors::{CommandOutcome, Denied};
use domain::{
    Allocation, AllocationAuthority, Cents, Command as DrawCommand, DrawId, GameResult, OrderId,
    Refusal, Reservation, ReservationSource, ReservationSourceId, Serial, Status, TermsEdit,
    TermsEditor, Timestamp, View,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod attached_write;

/// A command for the owner of a draw.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireDrawRequest {
    /// Instance id of the requesting node. The response is encrypted for that node.
    pub from: Uuid,
    command: WireCommand,
    rider: Option<attached_write::WireAttachedWrite>,
    act: Option<attached_write::WireAuditEntry>,
}

/// The browser or network whose quota of unpaid tickets a reservation counts against.
#[derive(Serialize, Deserialize)]
struct WireHoldSource {
    id: Uuid,
    has_paid: bool,
}

/// The command for a draw, in the format of messages between nodes.
#[derive(Serialize, Deserialize)]
enum WireCommand {
    Reserve {
        order: Uuid,
        count: u16,
        until: i64,
        /// The browser or network whose quota of unpaid tickets the reservation counts against. A
        /// node of an older version ignores this field and applies no quota.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<WireHoldSource>,
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
        edit: WireTermsEdit,
        operator: bool,
        described: bool,
    },
    Archive {
        archived: bool,
    },
    Cancel,
}

/// An edit of a draw's terms.
#[derive(Serialize, Deserialize)]
struct WireTermsEdit {
    price: Option<i64>,
    prize_percentage: Option<u8>,
    round_up_prize: Option<bool>,
    /// The new time at which sales open, as a list of one. An empty list means that sales open at
    /// once.
    opens_at: Option<Vec<i64>>,
    closes_at: Option<i64>,
}

/// The response of the draw's owner to a command.
#[derive(Serialize, Deserialize)]
pub enum DrawResponse {
    Done {
        view: WireView,
        reservation: Option<WireReservation>,
        allocation: Option<WireAllocation>,
        written: bool,
    },
    Refused(WireRefusal),
    Unavailable,
    Paused,
    NoSuchDraw,
}

/// The view of a draw, which is its current public state.
#[derive(Serialize, Deserialize)]
pub struct WireView {
    draw: i64,
    revision: u64,
    status: String,
    sold: u16,
    held: u16,
    price: i64,
    prize: i64,
    prize_max: i64,
    closes_at: i64,
    #[serde(default)]
    deal_public: bool,
    /// The result: home number, away number, and serial of the winning ticket.
    result: Option<(u8, u8, u16)>,
}

/// A reservation of tickets of one draw.
#[derive(Serialize, Deserialize)]
pub struct WireReservation {
    count: u16,
    until: i64,
    extensions: u8,
}

/// An allocation: the tickets that an order got.
#[derive(Serialize, Deserialize)]
pub struct WireAllocation {
    serials: Vec<u16>,
    fee: i64,
}

/// A refusal by the domain rules: its name in messages, and the number that some refusals carry,
/// such as the number of free tickets. The number is 0 for the others.
#[derive(Serialize, Deserialize)]
pub struct WireRefusal(String, u16);

impl WireDrawRequest {
    pub fn from_domain(from: Uuid, request: &actors::DrawRequest) -> WireDrawRequest {
        WireDrawRequest {
            from,
            command: WireCommand::from_domain(&request.command, request.source),
            rider: request
                .attached_write
                .as_ref()
                .map(attached_write::WireAttachedWrite::from_domain),
            act: request
                .audit_entry
                .as_ref()
                .map(attached_write::WireAuditEntry::from_domain),
        }
    }

    /// Converts the message to the domain type; `None` when a value is invalid.
    pub fn into_domain(self) -> Option<actors::DrawRequest> {
        let (command, source) = self.command.into_domain()?;
        Some(actors::DrawRequest {
            command,
            attached_write: self
                .rider
                .map(attached_write::WireAttachedWrite::into_domain),
            audit_entry: match self.act {
                Some(act) => Some(act.into_domain()?),
                None => None,
            },
            source,
        })
    }
}

fn order_uuid(order: OrderId) -> Uuid {
    Uuid::from_u128(order.0)
}

impl WireCommand {
    fn from_domain(draw_command: &DrawCommand, source: Option<ReservationSource>) -> WireCommand {
        match draw_command {
            DrawCommand::Reserve {
                order,
                count,
                until,
            } => WireCommand::Reserve {
                order: order_uuid(*order),
                count: *count,
                until: until.0,
                source: source.map(|source| WireHoldSource {
                    id: Uuid::from_u128(source.id.0),
                    has_paid: source.has_paid,
                }),
            },
            DrawCommand::Extend { order, until } => WireCommand::Extend {
                order: order_uuid(*order),
                until: until.0,
            },
            DrawCommand::Release { order } => WireCommand::Release {
                order: order_uuid(*order),
            },
            DrawCommand::Allocate {
                order,
                count,
                unit_price,
                authority,
            } => WireCommand::Allocate {
                order: order_uuid(*order),
                count: *count,
                unit_price: unit_price.0,
                authorised_at: match authority {
                    AllocationAuthority::Sale => None,
                    AllocationAuthority::Repair { authorised_at } => Some(authorised_at.0),
                },
            },
            DrawCommand::Void { order, charged } => WireCommand::Void {
                order: order_uuid(*order),
                charged: *charged,
            },
            DrawCommand::Tick => WireCommand::Tick,
            DrawCommand::Complete { result } => WireCommand::Complete {
                home: result.cell.home(),
                away: result.cell.away(),
            },
            DrawCommand::Undo => WireCommand::Undo,
            DrawCommand::Amend {
                edit,
                by,
                described,
            } => WireCommand::Amend {
                edit: WireTermsEdit::from_domain(edit),
                operator: *by == TermsEditor::Operator,
                described: *described,
            },
            DrawCommand::Archive { archived } => WireCommand::Archive {
                archived: *archived,
            },
            DrawCommand::Cancel => WireCommand::Cancel,
        }
    }

    fn into_domain(self) -> Option<(DrawCommand, Option<ReservationSource>)> {
        let order = |order: Uuid| OrderId(order.as_u128());
        let mut hold_source = None;
        let command = match self {
            WireCommand::Reserve {
                order: id,
                count,
                until,
                source,
            } => {
                hold_source = source.map(|WireHoldSource { id, has_paid }| ReservationSource {
                    id: ReservationSourceId(id.as_u128()),
                    has_paid,
                });
                DrawCommand::Reserve {
                    order: order(id),
                    count,
                    until: Timestamp(until),
                }
            }
            WireCommand::Extend { order: id, until } => DrawCommand::Extend {
                order: order(id),
                until: Timestamp(until),
            },
            WireCommand::Release { order: id } => DrawCommand::Release { order: order(id) },
            WireCommand::Allocate {
                order: id,
                count,
                unit_price,
                authorised_at,
            } => {
                let repair = |at| AllocationAuthority::Repair {
                    authorised_at: Timestamp(at),
                };
                let authority = authorised_at.map_or(AllocationAuthority::Sale, repair);
                DrawCommand::Allocate {
                    order: order(id),
                    count,
                    unit_price: Cents(unit_price),
                    authority,
                }
            }
            WireCommand::Void { order: id, charged } => DrawCommand::Void {
                order: order(id),
                charged,
            },
            WireCommand::Tick => DrawCommand::Tick,
            WireCommand::Complete { home, away } => DrawCommand::Complete {
                result: GameResult::new(home, away)?,
            },
            WireCommand::Undo => DrawCommand::Undo,
            WireCommand::Amend {
                edit,
                operator,
                described,
            } => {
                let by = if operator {
                    TermsEditor::Operator
                } else {
                    TermsEditor::Club
                };
                DrawCommand::Amend {
                    edit: edit.into_domain(),
                    by,
                    described,
                }
            }
            WireCommand::Archive { archived } => DrawCommand::Archive { archived },
            WireCommand::Cancel => DrawCommand::Cancel,
        };
        Some((command, hold_source))
    }
}

impl WireTermsEdit {
    fn from_domain(edit: &TermsEdit) -> WireTermsEdit {
        WireTermsEdit {
            price: edit.price.map(|price| price.0),
            prize_percentage: edit.prize_percentage,
            round_up_prize: edit.round_up_prize,
            opens_at: edit
                .opens_at
                .map(|at| at.map(|at| at.0).into_iter().collect()),
            closes_at: edit.closes_at.map(|at| at.0),
        }
    }

    fn into_domain(self) -> TermsEdit {
        TermsEdit {
            price: self.price.map(Cents),
            prize_percentage: self.prize_percentage,
            round_up_prize: self.round_up_prize,
            opens_at: self.opens_at.map(|at| at.first().copied().map(Timestamp)),
            closes_at: self.closes_at.map(Timestamp),
        }
    }
}

impl DrawResponse {
    pub fn from_domain(answer: &Result<CommandOutcome, Denied>) -> DrawResponse {
        match answer {
            Ok(done) => DrawResponse::Done {
                view: WireView::from_domain(&done.view),
                reservation: done.reservation.map(|reservation| WireReservation {
                    count: reservation.count,
                    until: reservation.until.0,
                    extensions: reservation.extensions,
                }),
                allocation: done.allocation.as_ref().map(|given| WireAllocation {
                    serials: given.serials.iter().map(|serial| serial.number()).collect(),
                    fee: given.fee.0,
                }),
                written: done.written,
            },
            Err(Denied::Refused(refusal)) => {
                DrawResponse::Refused(WireRefusal::from_domain(*refusal))
            }
            Err(Denied::Unavailable) => DrawResponse::Unavailable,
            Err(Denied::Paused) => DrawResponse::Paused,
            Err(Denied::NoSuchDraw) => DrawResponse::NoSuchDraw,
        }
    }

    /// Converts the message to the domain type; `None` when a value is invalid.
    pub fn into_domain(self) -> Option<Result<CommandOutcome, Denied>> {
        Some(Err(match self {
            DrawResponse::Done {
                view,
                reservation,
                allocation,
                written,
            } => {
                let reservation_from_wire = |reservation: WireReservation| Reservation {
                    count: reservation.count,
                    until: Timestamp(reservation.until),
                    extensions: reservation.extensions,
                };
                let allocation = match allocation {
                    Some(given) => Some(given.into_domain()?),
                    None => None,
                };
                let (view, reservation) =
                    (view.into_domain()?, reservation.map(reservation_from_wire));
                return Some(Ok(CommandOutcome {
                    view,
                    reservation,
                    allocation,
                    written,
                }));
            }
            DrawResponse::Refused(refusal) => Denied::Refused(refusal.into_domain()?),
            DrawResponse::Unavailable => Denied::Unavailable,
            DrawResponse::Paused => Denied::Paused,
            DrawResponse::NoSuchDraw => Denied::NoSuchDraw,
        }))
    }
}

impl WireAllocation {
    fn into_domain(self) -> Option<Allocation> {
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

/// Each draw status with its name in messages between nodes.
const WIRE_STATUS_NAMES: [(Status, &str); 4] = [
    (Status::Active, "active"),
    (Status::Closed, "closed"),
    (Status::Completed, "completed"),
    (Status::Cancelled, "cancelled"),
];

impl WireView {
    fn from_domain(view: &View) -> WireView {
        let status = WIRE_STATUS_NAMES
            .iter()
            .find(|(status, _)| *status == view.status)
            .map_or("", |(_, word)| word);
        WireView {
            draw: view.draw.0,
            revision: view.revision,
            status: status.to_string(),
            sold: view.sold,
            held: view.held,
            price: view.price.0,
            prize: view.prize.0,
            prize_max: view.prize_max.0,
            closes_at: view.closes_at.0,
            deal_public: view.deal_public,
            result: view
                .result
                .map(|(result, winner)| (result.cell.home(), result.cell.away(), winner.number())),
        }
    }

    fn into_domain(self) -> Option<View> {
        let result = match self.result {
            Some((home, away, winner)) => {
                Some((GameResult::new(home, away)?, Serial::new(winner)?))
            }
            None => None,
        };
        Some(View {
            draw: DrawId(self.draw),
            revision: self.revision,
            status: WIRE_STATUS_NAMES
                .iter()
                .find(|(_, word)| *word == self.status)?
                .0,
            sold: self.sold,
            held: self.held,
            price: Cents(self.price),
            prize: Cents(self.prize),
            prize_max: Cents(self.prize_max),
            closes_at: Timestamp(self.closes_at),
            deal_public: self.deal_public,
            result,
        })
    }
}

/// A refusal's name in messages, and its constructor, which takes the number that the refusal
/// carries.
type NamedRefusal = (&'static str, fn(u16) -> Refusal);

/// All refusals with their names in messages between nodes. The constructor of a refusal without a
/// number ignores its argument.
const WIRE_REFUSAL_NAMES: [NamedRefusal; 18] = [
    ("too-few-tickets", |free| Refusal::TooFewTickets { free }),
    ("count-out-of-range", |max| Refusal::CountOutOfRange { max }),
    ("draw-closed", |_| Refusal::DrawClosed),
    ("draw-not-open", |_| Refusal::DrawNotOpen),
    ("price-changed", |_| Refusal::PriceChanged),
    ("reservation-unknown", |_| Refusal::ReservationUnknown),
    ("hold-limit", |available| Refusal::HoldLimit { available }),
    ("extensions-used-up", |_| Refusal::ExtensionsUsedUp),
    ("already-allocated", |_| Refusal::AlreadyAllocated),
    ("already-completed", |_| Refusal::AlreadyCompleted),
    ("not-completed", |_| Refusal::NotCompleted),
    ("paid-out", |_| Refusal::PaidOut),
    ("terms-locked", |sold| Refusal::TermsLocked { sold }),
    ("terms-kept", |held| Refusal::TermsKept { held }),
    ("draw-not-active", |_| Refusal::DrawNotActive),
    ("game-started", |_| Refusal::GameStarted),
    ("revealed", |_| Refusal::Revealed),
    ("terms-invalid", |_| Refusal::TermsInvalid),
];

impl WireRefusal {
    fn from_domain(refusal: Refusal) -> WireRefusal {
        let number = match refusal {
            Refusal::TooFewTickets { free: number }
            | Refusal::CountOutOfRange { max: number }
            | Refusal::HoldLimit { available: number }
            | Refusal::TermsLocked { sold: number }
            | Refusal::TermsKept { held: number } => number,
            _ => 0,
        };
        let name = WIRE_REFUSAL_NAMES
            .iter()
            .find(|(_, make)| make(number) == refusal)
            .map_or("", |(name, _)| name);
        WireRefusal(name.to_string(), number)
    }

    fn into_domain(self) -> Option<Refusal> {
        WIRE_REFUSAL_NAMES
            .iter()
            .find(|(name, _)| *name == self.0)
            .map(|(_, make)| make(self.1))
    }
}

#[cfg(test)]
mod tests;
