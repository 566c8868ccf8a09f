//! Tickets with the fields for the public or for their club.

use domain::{Cell, DrawId, Serial, TICKETS};
use persistence::records::tickets::SoldTicket;
use serde::Serialize;
use utoipa::ToSchema;

use super::time_format::rfc3339;

/// One of a draw's 169 tickets.
///
/// For the public, `buyerName` and `buyerEmail` are `sold` or null; pair and winner are null before
/// the reveal (decision F-1).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    pub id: String,
    pub ticket_number: u16,
    /// Serial number of the ticket: `FD-1042-007`.
    pub serial_number: String,
    pub sold: bool,
    pub home_number: Option<u8>,
    pub away_number: Option<u8>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
    pub is_winner: Option<bool>,
    /// When the ticket was bought; only for the club and the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub purchase_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stripe_payment_intent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub order_id: Option<String>,
}

/// The data of a draw that becomes public when its winning ticket is revealed: the number pairs of
/// all tickets, and the winner.
#[derive(Clone, Copy)]
pub struct RevealedTickets<'a> {
    pub deal: &'a domain::Deal,
    pub winner: Serial,
}

impl Ticket {
    /// Builds a ticket for the public.
    pub fn for_public(
        draw: DrawId,
        serial: Serial,
        sold: bool,
        revealed: Option<RevealedTickets<'_>>,
    ) -> Ticket {
        let cell = revealed.map(|revealed| revealed.deal.cell(serial));
        let word = sold.then(|| "sold".to_string());
        Ticket {
            id: serial.label(draw),
            ticket_number: serial.number(),
            serial_number: serial.label(draw),
            sold,
            home_number: cell.map(Cell::home),
            away_number: cell.map(Cell::away),
            buyer_name: word.clone(),
            buyer_email: word,
            buyer_phone: None,
            is_winner: revealed.map(|revealed| revealed.winner == serial),
            purchase_date: None,
            stripe_payment_intent_id: None,
            order_id: None,
        }
    }

    /// Builds a ticket for the club and the operator: with the buyer, but without a number pair
    /// before the reveal.
    pub fn for_club(
        draw: DrawId,
        ticket: &SoldTicket,
        revealed: Option<RevealedTickets<'_>>,
    ) -> Ticket {
        Ticket {
            buyer_name: ticket.buyer_name.clone(),
            buyer_email: ticket.buyer_email.clone(),
            buyer_phone: ticket.buyer_phone.clone(),
            purchase_date: Some(rfc3339(ticket.sold_at)),
            stripe_payment_intent_id: ticket.payment_intent.clone(),
            order_id: Some(ticket.order.to_string()),
            ..Ticket::for_public(draw, ticket.serial, true, revealed)
        }
    }
}

/// Numbers of tickets of a draw (decision F-10).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AvailableTickets {
    pub available: u16,
    pub count: u16,
    pub total: u16,
    pub sold: u16,
    pub held: u16,
    /// At most 50 free ticket numbers.
    pub tickets: Vec<u16>,
    pub ticket_numbers: Vec<u16>,
}

impl AvailableTickets {
    pub fn new(available: u16, sold: u16, held: u16, free: Vec<u16>) -> AvailableTickets {
        let total = TICKETS;
        AvailableTickets {
            available,
            count: available,
            total,
            sold,
            held,
            tickets: free.clone(),
            ticket_numbers: free,
        }
    }
}
