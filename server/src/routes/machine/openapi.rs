//! The shapes of the wire, for the front end's generated types.

use actix_web::HttpResponse;
use utoipa::OpenApi;

use crate::wire::{club, config, draw, footer, frame, order, payout, proof, purchase, session, ticket, widget};

#[derive(OpenApi)]
#[openapi(components(schemas(
    club::Club,
    club::ClubListed,
    config::PublicConfig,
    draw::Draw,
    draw::DrawNow,
    footer::FooterMenu,
    frame::PublicNow,
    frame::Wish,
    order::Order,
    payout::EnterResult,
    payout::ResultEntered,
    payout::Notified,
    payout::Payout,
    payout::RecordPayout,
    payout::SettlePayout,
    payout::Financials,
    proof::Proof,
    purchase::Purchase,
    purchase::PaymentOpened,
    purchase::PurchaseAnswer,
    purchase::Validated,
    purchase::Extended,
    session::Login,
    session::User,
    session::Whoami,
    ticket::Ticket,
    ticket::AvailableTickets,
    widget::Widget
)))]
struct Document;

pub async fn document() -> HttpResponse {
    HttpResponse::Ok().json(Document::openapi())
}
