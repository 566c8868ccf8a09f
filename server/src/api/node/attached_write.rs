//! Messages for the database write that a draw's owner commits together with a command, and for the
//! audit entry.

use std::net::IpAddr;

use domain::{
    AccountId, Cents, ClubId, DrawId, Line as OrderLine, OrderId, PaymentIntentId, Timestamp,
};
use persistence::ledger::{AttachedWrite as LedgerWrite, BuyerDetails, DrawDetails, NewOrder};
use persistence::records::audit::{self, AuditEntry};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The database write that a draw's owner commits together with a command.
#[derive(Serialize, Deserialize)]
pub(super) enum WireAttachedWrite {
    Open(Box<WireNewOrder>),
    Reprice {
        order: Uuid,
        lines: Vec<WireOrderLine>,
    },
    Authorised {
        order: Uuid,
        at: i64,
    },
    Describe(WireDrawDetails),
}

/// A new order to store with its reservation.
#[derive(Serialize, Deserialize)]
pub(super) struct WireNewOrder {
    id: Uuid,
    club: i64,
    account: String,
    client_key: String,
    token: String,
    lines: Vec<WireOrderLine>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    at: i64,
    authorised_at: Option<i64>,
    /// Id of the payment intent; a node of an older version does not send it.
    payment_intent: Option<String>,
}

/// A line of an order: the tickets of one draw.
#[derive(Serialize, Deserialize)]
pub(super) struct WireOrderLine {
    draw: i64,
    count: u16,
    unit_price: i64,
    card_fee: i64,
}

/// Changed details of a draw.
#[derive(Serialize, Deserialize)]
pub(super) struct WireDrawDetails {
    /// The new league, as a list of one. An empty list removes the draw's league.
    league: Option<Vec<String>>,
    home_team: Option<String>,
    away_team: Option<String>,
    zone: Option<String>,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    pass_card_fee: Option<bool>,
}

/// The audit log entry of a command that a person caused.
#[derive(Serialize, Deserialize)]
pub(super) struct WireAuditEntry {
    actor: String,
    club: Option<i64>,
    action: String,
    object: String,
    ip: Option<IpAddr>,
    detail: serde_json::Value,
}

impl WireAttachedWrite {
    pub(super) fn from_domain(write: &LedgerWrite) -> WireAttachedWrite {
        match write {
            LedgerWrite::Open(order) => {
                WireAttachedWrite::Open(Box::new(WireNewOrder::from_domain(order)))
            }
            LedgerWrite::Reprice { order, lines } => WireAttachedWrite::Reprice {
                order: Uuid::from_u128(order.0),
                lines: lines.iter().map(WireOrderLine::from_domain).collect(),
            },
            LedgerWrite::Authorised { order, at } => WireAttachedWrite::Authorised {
                order: Uuid::from_u128(order.0),
                at: at.0,
            },
            LedgerWrite::Describe(details) => {
                WireAttachedWrite::Describe(WireDrawDetails::from_domain(details))
            }
        }
    }

    pub(super) fn into_domain(self) -> LedgerWrite {
        match self {
            WireAttachedWrite::Open(order) => LedgerWrite::Open(order.into_domain()),
            WireAttachedWrite::Reprice { order, lines } => LedgerWrite::Reprice {
                order: OrderId(order.as_u128()),
                lines: lines.into_iter().map(WireOrderLine::into_domain).collect(),
            },
            WireAttachedWrite::Authorised { order, at } => LedgerWrite::Authorised {
                order: OrderId(order.as_u128()),
                at: Timestamp(at),
            },
            WireAttachedWrite::Describe(details) => LedgerWrite::Describe(details.into_domain()),
        }
    }
}

impl WireNewOrder {
    fn from_domain(order: &NewOrder) -> WireNewOrder {
        WireNewOrder {
            id: Uuid::from_u128(order.id.0),
            club: order.club.0,
            account: order.account.0.clone(),
            client_key: order.client_key.clone(),
            token: order.token.clone(),
            lines: order.lines.iter().map(WireOrderLine::from_domain).collect(),
            name: order.buyer.name.clone(),
            email: order.buyer.email.clone(),
            phone: order.buyer.phone.clone(),
            at: order.at.0,
            authorised_at: order.authorised_at.map(|at| at.0),
            payment_intent: order.payment_intent.as_ref().map(|id| id.0.clone()),
        }
    }

    fn into_domain(self) -> NewOrder {
        NewOrder {
            id: OrderId(self.id.as_u128()),
            club: ClubId(self.club),
            account: AccountId(self.account),
            client_key: self.client_key,
            token: self.token,
            lines: self
                .lines
                .into_iter()
                .map(WireOrderLine::into_domain)
                .collect(),
            buyer: BuyerDetails {
                name: self.name,
                email: self.email,
                phone: self.phone,
            },
            at: Timestamp(self.at),
            authorised_at: self.authorised_at.map(Timestamp),
            payment_intent: self.payment_intent.map(PaymentIntentId),
        }
    }
}

impl WireOrderLine {
    fn from_domain(line: &OrderLine) -> WireOrderLine {
        WireOrderLine {
            draw: line.draw.0,
            count: line.count,
            unit_price: line.unit_price.0,
            card_fee: line.card_fee.0,
        }
    }

    fn into_domain(self) -> OrderLine {
        OrderLine {
            draw: DrawId(self.draw),
            count: self.count,
            unit_price: Cents(self.unit_price),
            card_fee: Cents(self.card_fee),
        }
    }
}

impl WireDrawDetails {
    fn from_domain(details: &DrawDetails) -> WireDrawDetails {
        let DrawDetails {
            league,
            home_team,
            away_team,
            zone,
            contact_name,
            contact_phone,
            pass_card_fee,
        } = details.clone();
        let league = league.map(|league| league.into_iter().collect());
        WireDrawDetails {
            league,
            home_team,
            away_team,
            zone,
            contact_name,
            contact_phone,
            pass_card_fee,
        }
    }

    fn into_domain(self) -> DrawDetails {
        let WireDrawDetails {
            league,
            home_team,
            away_team,
            zone,
            contact_name,
            contact_phone,
            pass_card_fee,
        } = self;
        let league = league.map(|league| league.into_iter().next());
        DrawDetails {
            league,
            home_team,
            away_team,
            zone,
            contact_name,
            contact_phone,
            pass_card_fee,
        }
    }
}

impl WireAuditEntry {
    pub(super) fn from_domain(entry: &AuditEntry) -> WireAuditEntry {
        let (act, detail) = entry.action_and_detail();
        WireAuditEntry {
            actor: act.actor.to_string(),
            club: act.club.map(|club| club.0),
            action: act.action.to_string(),
            object: act.object.to_string(),
            ip: act.ip,
            detail: detail.clone(),
        }
    }

    /// Converts the message to an audit entry; `None` when the acting person is missing.
    pub(super) fn into_domain(self) -> Option<AuditEntry> {
        let act = audit::AuditAction {
            actor: &self.actor,
            club: self.club.map(ClubId),
            action: &self.action,
            object: &self.object,
            ip: self.ip,
        };
        (!self.actor.is_empty()).then(|| act.entry(self.detail))
    }
}
