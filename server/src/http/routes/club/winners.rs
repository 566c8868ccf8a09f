//! The winning ticket, the winner's bank details and the state of the payout (decisions B-4, D-17).

use std::sync::Arc;

use actix_web::http::{StatusCode, header};
use actix_web::{HttpResponse, web};
use domain::{ClubId, DrawId, GameResult, Refusal, Serial, View, access};
use persistence::records::bank_changes::{BankChange, BankChangeOutcome, WinnerAddress};
use persistence::records::claims::{ClaimBankDetails, WinnerClaim};
use persistence::records::listings::Listing;
use persistence::records::tickets::SoldTicket;
use persistence::records::winner_progress::ResultEntry;
use serde_json::json;

use super::own_draw;
use super::session::{is_password_right, wrong_password_problem};
use crate::access::caller::Caller;
use crate::api::claim::{BankDetails, MaskedBankDetails, PendingApproval, UnmaskedBankDetails};
use crate::api::error::Problem;
use crate::api::form::{FormErrors, NAME_CHARS_MAX, trimmed};
use crate::api::payout::{ResultAuthor, Winners, WinningTicket};
use crate::api::session::PasswordProof;
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::render::mail_sender::PLACEHOLDER_EMAIL_ENDING;
use crate::state::State;

/// Error text for the club when the winning ticket was not sold.
pub(super) const WINNING_TICKET_UNSOLD_ERROR: &str =
    "This ticket was not sold - no winner contact information available";

const NOT_REVEALED_ERROR: &str = "The winning ticket is shown after kick-off.";

/// Error text when bank details or a payout are changed after the prize was paid.
pub(super) const PRIZE_PAID_ERROR: &str = "This payout is settled already.";

/// A draw's winning ticket: result, serial and, when it was sold, its buyer.
pub(super) struct Winner {
    pub result: GameResult,
    pub serial: Serial,
    pub ticket: Option<SoldTicket>,
}

/// Finds the winning ticket of a completed draw.
///
/// Before kick-off even the club must not learn the pair of a ticket, because the result can be
/// undone and the draw then sells again (decision E-6).
///
/// # Errors
/// 409 `not-completed`; 409 `not-revealed` before kick-off.
pub(super) async fn find_winner(state: &State, view: &View) -> Result<Winner, Problem> {
    view.result
        .ok_or_else(|| Problem::command_refused(view.draw, Refusal::NotCompleted))?;
    let revealed = view.public_result(state.clock.now());
    let (result, serial) =
        revealed.ok_or_else(|| Problem::conflict("not-revealed", NOT_REVEALED_ERROR))?;
    let sold = state.records.sold_tickets(view.draw).await?;
    Ok(Winner {
        result,
        serial,
        ticket: sold.into_iter().find(|ticket| ticket.serial == serial),
    })
}

/// Handles `GET /api/draws/{draw}/winners`.
pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, listing, view) = own_draw(&state, caller, &path).await?;
    let claim = state.records.winner_claim(view.draw).await?;
    let notified = claim
        .as_ref()
        .is_some_and(|claim| claim.respond_by.is_some());
    let (winning_tickets, revealed_at) =
        winning_ticket_list(&state, caller, listing.club, &view, claim.as_ref()).await?;
    let mail = state.records.winner_mail(view.draw).await?;
    let entry = state.records.result_entry(view.draw).await?;
    Ok(HttpResponse::Ok().json(Winners {
        winning_tickets,
        revealed_at,
        prize: view.prize.decimal(),
        notified,
        notified_at: mail.as_ref().map(|mail| rfc3339(mail.queued_at)),
        mail_failed: mail.is_some_and(|mail| mail.state == "dead"),
        entered: entry.map(result_author),
    }))
}

fn result_author(entry: ResultEntry) -> ResultAuthor {
    let account = if entry.actor.starts_with("operator") {
        "the platform operator"
    } else {
        "your club’s login"
    };
    ResultAuthor {
        by: entry.person.unwrap_or_else(|| account.to_string()),
        entered_at: rfc3339(entry.at),
    }
}

/// Returns a list with the winning ticket of a completed draw. Before kick-off the list is empty,
/// and the time of the reveal is returned with it.
///
/// # Errors
/// 409 `not-completed`.
pub(super) async fn winning_ticket_list(
    state: &State,
    caller: Caller,
    club: ClubId,
    view: &View,
    claim: Option<&WinnerClaim>,
) -> Result<(Vec<WinningTicket>, Option<String>), Problem> {
    if view.result.is_some() && view.public_result(state.clock.now()).is_none() {
        return Ok((Vec::new(), Some(rfc3339(view.closes_at))));
    }
    let winner = find_winner(state, view).await?;
    Ok((
        vec![winning_ticket(state, caller, club, view, &winner, claim).await?],
        None,
    ))
}

/// Builds the winning ticket as its club may see it: sellers read the buyer, owners also the bank
/// details (decision G-17).
async fn winning_ticket(
    state: &State,
    caller: Caller,
    club: ClubId,
    view: &View,
    winner: &Winner,
    claim: Option<&WinnerClaim>,
) -> Result<WinningTicket, Problem> {
    let Winner {
        result,
        serial,
        ticket,
    } = winner;
    let (status, disputed) = match ticket {
        Some(_) => (
            Some(payout_status(state, view.draw, claim).await?),
            state.records.is_winner_payment_disputed(view.draw).await?,
        ),
        None => (None, false),
    };
    let bank = match claim.filter(|_| access::may_see_bank_details(caller.principal(), club)) {
        Some(claim) => masked_bank_details(state, caller, claim).await?,
        None => None,
    };
    let buyer = ticket.as_ref().filter(|_| caller.may_see_buyers(club));
    Ok(WinningTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(view.draw),
        home_number: result.cell.home(),
        away_number: result.cell.away(),
        sold: ticket.is_some(),
        buyer_name: buyer.and_then(|ticket| ticket.buyer_name.clone()),
        buyer_email: buyer
            .and_then(|ticket| ticket.buyer_email.clone())
            .filter(|email| !email.ends_with(PLACEHOLDER_EMAIL_ENDING)),
        buyer_phone: buyer.and_then(|ticket| ticket.buyer_phone.clone()),
        winner_payout_status: status,
        disputed,
        respond_by: claim.and_then(|claim| claim.respond_by).map(rfc3339),
        bank,
    })
}

/// Reads the winner's masked bank details; `None` if none were submitted.
async fn masked_bank_details(
    state: &State,
    caller: Caller,
    claim: &WinnerClaim,
) -> Result<Option<MaskedBankDetails>, Problem> {
    if claim.received.is_none() {
        return Ok(None);
    }
    let pending = state
        .records
        .pending_bank_change(claim.draw, state.clock.now())
        .await?;
    let pending =
        pending.map(|pending| PendingApproval::for_caller(&pending, &caller.audit_name()));
    let bank = state.records.bank_details(claim.draw).await?;
    Ok(bank.and_then(|bank| MaskedBankDetails::from_claim(claim, &bank, pending)))
}

/// Returns the state of the winner's payout: `pending`, then `details_received`, then `completed`
/// (decision D-17).
pub(super) async fn payout_status(
    state: &State,
    draw: DrawId,
    claim: Option<&WinnerClaim>,
) -> Result<&'static str, Problem> {
    let payouts = state.records.payouts(draw).await?;
    let paid = payouts
        .iter()
        .any(|payout| payout.kind == "winner" && payout.status == "completed");
    Ok(match claim.and_then(|claim| claim.received) {
        _ if paid => "completed",
        Some(_) => "details_received",
        None => "pending",
    })
}

/// Parses and checks bank details.
///
/// # Errors
/// 400 with every error of the form.
pub fn check_bank_details(form: &BankDetails) -> Result<ClaimBankDetails, Problem> {
    let name = trimmed(form.account_name.as_deref());
    let number: String = trimmed(form.account_number.as_deref())
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let bsb = trimmed(form.bsb.as_deref());
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain_bsb = match bsb.split_once(['-', ' ']) {
        Some((start, end)) if start.len() == 3 && end.len() == 3 => format!("{start}{end}"),
        _ => bsb,
    };
    let mut findings = FormErrors::default();
    findings.require("accountName", !name.is_empty(), "Account name is required");
    let fits = name.chars().count() <= NAME_CHARS_MAX && !name.contains(char::is_control);
    findings.require("accountName", fits, "Must be at most 100 characters");
    let fits = digits(&number) && (6..=10).contains(&number.len());
    findings.require(
        "accountNumber",
        fits,
        "Account number must be 6 to 10 digits",
    );
    findings.require(
        "bsb",
        digits(&plain_bsb) && plain_bsb.len() == 6,
        "BSB must be 6 digits",
    );
    findings.into_result()?;
    Ok(ClaimBankDetails {
        account_name: name,
        account_number: number,
        bsb: plain_bsb,
    })
}

/// Stores bank details that the club enters. If the winner gave details before, responds 202 and
/// keeps those until a second person of the club enters the same new details.
pub async fn enter_bank_details(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<BankDetails>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    let winner = find_winner(&state, &view).await?;
    let ticket = winner
        .ticket
        .ok_or_else(|| Problem::conflict("winner-unsold", WINNING_TICKET_UNSOLD_ERROR))?;
    let bank = check_bank_details(&body.0)?;
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "enter-winner-bank", &object);
    let records = state.records.with_audit_entry(act.entry(json!({})));
    let (serial, by, at) = (winner.serial, actor.clone(), state.clock.now());
    let change = BankChange {
        draw,
        serial,
        bank,
        by,
        winner: winner_address(&ticket),
        at,
    };
    let status = match records.change_bank_details(&change).await? {
        BankChangeOutcome::Changed | BankChangeOutcome::Unchanged => StatusCode::OK,
        BankChangeOutcome::Pending => StatusCode::ACCEPTED,
        BankChangeOutcome::Paid => {
            return Err(Problem::conflict("payout-settled", PRIZE_PAID_ERROR));
        }
    };
    state.outbox.wake_mailer();
    let claim = state
        .records
        .winner_claim(draw)
        .await?
        .ok_or_else(Problem::unavailable)?;
    let shown = masked_bank_details(&state, caller, &claim)
        .await?
        .ok_or_else(Problem::unavailable)?;
    Ok(HttpResponse::build(status).json(shown))
}

/// Removes a proposed change of the bank details, so that the winner's details stay. Responds 204
/// even if no change is proposed.
pub async fn decline_bank_details(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, _) = own_draw(&state, caller, &path).await?;
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), "decline-winner-bank", &object);
    state
        .records
        .with_audit_entry(act.entry(json!({})))
        .decline_bank_change(draw, state.clock.now())
        .await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Returns the winner's e-mail address for mails about the bank details; `None` if the buyer gave
/// none.
pub(super) fn winner_address(ticket: &SoldTicket) -> Option<WinnerAddress> {
    let email = ticket
        .buyer_email
        .clone()
        .filter(|email| !email.ends_with(PLACEHOLDER_EMAIL_ENDING))?;
    Some(WinnerAddress {
        order: ticket.order,
        email,
    })
}

/// Responds with the unmasked bank details, which the club needs once to pay the prize. Requires
/// the password, is never cached, and is audited.
pub async fn reveal_bank_details(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<PasswordProof>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    find_winner(&state, &view).await?;
    let holder = caller.holder().ok_or_else(Problem::unauthenticated)?;
    if !is_password_right(&state, holder, body.0).await? {
        return Err(wrong_password_problem());
    }
    let bank = state
        .records
        .bank_details(draw)
        .await?
        .ok_or_else(Problem::not_found)?;
    audit_bank_details(&state, caller, draw, &listing, "read-winner-bank").await?;
    let answer = HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(UnmaskedBankDetails::from(&bank));
    Ok(answer)
}

async fn audit_bank_details(
    state: &State,
    caller: Caller,
    draw: DrawId,
    listing: &Arc<Listing>,
    action: &str,
) -> Result<(), Problem> {
    let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
    let act = caller.audit_action(&actor, Some(listing.club), action, &object);
    Ok(state.records.record_audit_entry(act, &json!({})).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(name: &str, number: &str, bsb: &str) -> BankDetails {
        BankDetails {
            token: None,
            account_name: Some(name.into()),
            account_number: Some(number.into()),
            bsb: Some(bsb.into()),
        }
    }

    #[test]
    fn bank_details_accept_hyphen_and_spaces() {
        for bsb in ["123456", "123-456", "123 456"] {
            let bank = check_bank_details(&form(" Alice ", "12 345 678", bsb)).expect("taken");
            assert_eq!(
                (bank.account_name.as_str(), bank.account_number.as_str()),
                ("Alice", "12345678")
            );
            assert_eq!(bank.bsb, "123456");
        }
        for (name, number, bsb) in [
            ("", "123456", "123456"),
            ("A\nB", "123456", "123456"),
            ("A", "12345", "123456"),
            ("A", "12345678901", "123456"),
            ("A", "12345x", "123456"),
            ("A", "123456", "12345"),
            ("A", "123456", "1234-56"),
            ("A", "123456", "٠١٢٣٤٥"),
        ] {
            assert!(
                check_bank_details(&form(name, number, bsb)).is_err(),
                "{name} {number} {bsb}"
            );
        }
    }
}
