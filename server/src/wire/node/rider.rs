//! What is to be written together with a draw's commit, and in whose name.

use std::net::IpAddr;

use domain::{
    AccountId, Cents, ClubId, DrawId, Line as OrderLine, OrderId, PaymentIntentId, Timestamp,
};
use persistence::ledger::{BuyerDetails, DrawDetails, NewOrder, Rider as Wanted};
use persistence::records::audit::{self, Entry};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
pub(super) enum Rider {
    Open(Box<Order>),
    Reprice { order: Uuid, lines: Vec<Line> },
    Authorised { order: Uuid, at: i64 },
    Describe(Details),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    id: Uuid,
    club: i64,
    account: String,
    client_key: String,
    token: String,
    lines: Vec<Line>,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    at: i64,
    authorised_at: Option<i64>,
    /// A node of an older version does not say it.
    payment_intent: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    draw: i64,
    count: u16,
    unit_price: i64,
    card_fee: i64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Details {
    /// `[]`: no league.
    league: Option<Vec<String>>,
    home_team: Option<String>,
    away_team: Option<String>,
    zone: Option<String>,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    pass_card_fee: Option<bool>,
}

/// Who did it, when a person did.
#[derive(Serialize, Deserialize)]
pub(super) struct Act {
    actor: String,
    club: Option<i64>,
    action: String,
    object: String,
    ip: Option<IpAddr>,
    detail: serde_json::Value,
}

impl Rider {
    pub(super) fn of(wanted: &Wanted) -> Rider {
        match wanted {
            Wanted::Open(order) => Rider::Open(Box::new(Order::of(order))),
            Wanted::Reprice { order, lines } => Rider::Reprice {
                order: Uuid::from_u128(order.0),
                lines: lines.iter().map(Line::of).collect(),
            },
            Wanted::Authorised { order, at } => Rider::Authorised {
                order: Uuid::from_u128(order.0),
                at: at.0,
            },
            Wanted::Describe(details) => Rider::Describe(Details::of(details)),
        }
    }

    pub(super) fn read(self) -> Wanted {
        match self {
            Rider::Open(order) => Wanted::Open(order.read()),
            Rider::Reprice { order, lines } => Wanted::Reprice {
                order: OrderId(order.as_u128()),
                lines: lines.into_iter().map(Line::read).collect(),
            },
            Rider::Authorised { order, at } => Wanted::Authorised {
                order: OrderId(order.as_u128()),
                at: Timestamp(at),
            },
            Rider::Describe(details) => Wanted::Describe(details.read()),
        }
    }
}

impl Order {
    fn of(order: &NewOrder) -> Order {
        Order {
            id: Uuid::from_u128(order.id.0),
            club: order.club.0,
            account: order.account.0.clone(),
            client_key: order.client_key.clone(),
            token: order.token.clone(),
            lines: order.lines.iter().map(Line::of).collect(),
            name: order.buyer.name.clone(),
            email: order.buyer.email.clone(),
            phone: order.buyer.phone.clone(),
            at: order.at.0,
            authorised_at: order.authorised_at.map(|at| at.0),
            payment_intent: order.payment_intent.as_ref().map(|id| id.0.clone()),
        }
    }

    fn read(self) -> NewOrder {
        NewOrder {
            id: OrderId(self.id.as_u128()),
            club: ClubId(self.club),
            account: AccountId(self.account),
            client_key: self.client_key,
            token: self.token,
            lines: self.lines.into_iter().map(Line::read).collect(),
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

impl Line {
    fn of(line: &OrderLine) -> Line {
        Line {
            draw: line.draw.0,
            count: line.count,
            unit_price: line.unit_price.0,
            card_fee: line.card_fee.0,
        }
    }

    fn read(self) -> OrderLine {
        OrderLine {
            draw: DrawId(self.draw),
            count: self.count,
            unit_price: Cents(self.unit_price),
            card_fee: Cents(self.card_fee),
        }
    }
}

impl Details {
    fn of(details: &DrawDetails) -> Details {
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
        Details {
            league,
            home_team,
            away_team,
            zone,
            contact_name,
            contact_phone,
            pass_card_fee,
        }
    }

    fn read(self) -> DrawDetails {
        let Details {
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

impl Act {
    pub(super) fn of(entry: &Entry) -> Act {
        let (act, detail) = entry.told();
        Act {
            actor: act.actor.to_string(),
            club: act.club.map(|club| club.0),
            action: act.action.to_string(),
            object: act.object.to_string(),
            ip: act.ip,
            detail: detail.clone(),
        }
    }

    /// `None` when it names nobody.
    pub(super) fn read(self) -> Option<Entry> {
        let act = audit::Act {
            actor: &self.actor,
            club: self.club.map(ClubId),
            action: &self.action,
            object: &self.object,
            ip: self.ip,
        };
        (!self.actor.is_empty()).then(|| act.entry(self.detail))
    }
}
