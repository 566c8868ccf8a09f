//! Who won, where the prize is to be sent, and how far its payment is (decisions B-4, D-17).

use std::sync::Arc;

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::{ClubId, DrawId, GameResult, Refusal, Serial, View, access};
use persistence::records::claims::{Bank, Claim};
use persistence::records::listings::Listing;
use persistence::records::sessions::Holder;
use persistence::records::tickets::SoldTicket;
use serde_json::json;

use super::own_draw;
use crate::error::Problem;
use crate::form::{Findings, NAME_CHARS_MAX, trimmed};
use crate::identity::Caller;
use crate::identity::password::verify;
use crate::post::NOBODY;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::claim::{BankShown, BankTold, BankWhole, PasswordAgain};
use crate::wire::instant::rfc3339;
use crate::wire::payout::{Winners, WinningTicket};

/// What a club reads of a winning ticket that nobody bought (B:66).
pub(super) const UNSOLD: &str =
    "This ticket was not sold - no winner contact information available";

const NOT_REVEALED: &str = "The winning ticket is shown after kick-off.";

/// What is read by whoever comes with details, or with news of a payment, when the prize is paid.
pub(super) const PAID: &str = "This payout is settled already.";

/// A draw's winning ticket: its result, its serial, and who bought it, if anybody.
pub(super) struct Winner {
    pub result: GameResult,
    pub serial: Serial,
    pub ticket: Option<SoldTicket>,
}

/// A result before kick-off can be undone, and the draw sells on: then its club, too, must not know a pair (decision E-6).
///
/// # Errors
/// 409 `not-completed`; 409 `not-revealed` before kick-off.
pub(super) async fn winner(state: &State, view: &View) -> Result<Winner, Problem> {
    view.result
        .ok_or_else(|| Problem::refused(view.draw, Refusal::NotCompleted))?;
    let revealed = view.revealed(state.clock.now());
    let (result, serial) =
        revealed.ok_or_else(|| Problem::conflict("not-revealed", NOT_REVEALED))?;
    let sold = state.records.sold_tickets(view.draw).await?;
    Ok(Winner {
        result,
        serial,
        ticket: sold.into_iter().find(|ticket| ticket.serial == serial),
    })
}

pub async fn list(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, listing, view) = own_draw(&state, caller, &path).await?;
    let claim = state.records.claim(view.draw).await?;
    let notified = claim
        .as_ref()
        .is_some_and(|claim| claim.respond_by.is_some());
    let (winning_tickets, revealed_at) =
        rows(&state, caller, listing.club, &view, claim.as_ref()).await?;
    Ok(HttpResponse::Ok().json(Winners {
        winning_tickets,
        revealed_at,
        prize: view.prize.decimal(),
        notified,
    }))
}

/// The winning ticket of a completed draw; until kick-off none, and when that is.
///
/// # Errors
/// 409 `not-completed`.
pub(super) async fn rows(
    state: &State,
    caller: Caller,
    club: ClubId,
    view: &View,
    claim: Option<&Claim>,
) -> Result<(Vec<WinningTicket>, Option<String>), Problem> {
    if view.result.is_some() && view.revealed(state.clock.now()).is_none() {
        return Ok((Vec::new(), Some(rfc3339(view.closes_at))));
    }
    let winner = winner(state, view).await?;
    Ok((
        vec![row(state, caller, club, view, &winner, claim).await?],
        None,
    ))
}

/// The winning ticket as its club sees it: buyers are for who sells, where the prize goes for owners (decision G-17).
async fn row(
    state: &State,
    caller: Caller,
    club: ClubId,
    view: &View,
    winner: &Winner,
    claim: Option<&Claim>,
) -> Result<WinningTicket, Problem> {
    let Winner {
        result,
        serial,
        ticket,
    } = winner;
    let (status, disputed) = match ticket {
        Some(_) => (
            Some(status(state, view.draw, claim).await?),
            state.records.winner_disputed(view.draw).await?,
        ),
        None => (None, false),
    };
    let bank = match claim.filter(|_| access::knows_bank_details(caller.principal(), club)) {
        Some(claim) => masked(state, claim).await?,
        None => None,
    };
    let buyer = ticket.as_ref().filter(|_| caller.knows_buyers(club));
    Ok(WinningTicket {
        ticket_number: serial.number(),
        serial_number: serial.label(view.draw),
        home_number: result.cell.home(),
        away_number: result.cell.away(),
        sold: ticket.is_some(),
        buyer_name: buyer.and_then(|ticket| ticket.buyer_name.clone()),
        // What stands where an address was is none to write to (decision F-8).
        buyer_email: buyer
            .and_then(|ticket| ticket.buyer_email.clone())
            .filter(|email| !email.ends_with(NOBODY)),
        buyer_phone: buyer.and_then(|ticket| ticket.buyer_phone.clone()),
        winner_payout_status: status,
        disputed,
        respond_by: claim.and_then(|claim| claim.respond_by).map(rfc3339),
        bank,
    })
}

/// Only a claim that has details costs a look at them.
async fn masked(state: &State, claim: &Claim) -> Result<Option<BankShown>, Problem> {
    if claim.received.is_none() {
        return Ok(None);
    }
    let bank = state.records.bank_details(claim.draw).await?;
    Ok(bank.and_then(|bank| BankShown::of(claim, &bank)))
}

/// `pending` → `details_received` → `completed` (decision D-17).
pub(super) async fn status(
    state: &State,
    draw: DrawId,
    claim: Option<&Claim>,
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

/// Bank details out of a form.
///
/// # Errors
/// 400: everything that is wrong (B:161).
pub fn check(told: &BankTold) -> Result<Bank, Problem> {
    let name = trimmed(&told.account_name);
    let number: String = trimmed(&told.account_number)
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let bsb = trimmed(&told.bsb);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain_bsb = match bsb.split_once(['-', ' ']) {
        Some((start, end)) if start.len() == 3 && end.len() == 3 => format!("{start}{end}"),
        _ => bsb,
    };
    let mut findings = Findings::default();
    findings.need("accountName", !name.is_empty(), "Account name is required");
    let fits = name.chars().count() <= NAME_CHARS_MAX && !name.contains(char::is_control);
    findings.need("accountName", fits, "Must be at most 100 characters");
    let fits = digits(&number) && (6..=10).contains(&number.len());
    findings.need(
        "accountNumber",
        fits,
        "Account number must be 6 to 10 digits",
    );
    findings.need(
        "bsb",
        digits(&plain_bsb) && plain_bsb.len() == 6,
        "BSB must be 6 digits",
    );
    findings.finish()?;
    Ok(Bank {
        account_name: name,
        account_number: number,
        bsb: plain_bsb,
    })
}

/// What the club was told on the phone.
pub async fn tell(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<BankTold>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    let winner = winner(&state, &view).await?;
    if winner.ticket.is_none() {
        return Err(Problem::conflict("winner-unsold", UNSOLD));
    }
    let bank = check(&body.0)?;
    let (actor, object) = (caller.name(), format!("draw:{draw}"));
    let act = caller.act(&actor, Some(listing.club), "enter-winner-bank", &object);
    let records = state.records.by(act.entry(json!({})));
    if !records
        .club_told(draw, winner.serial, &bank, state.clock.now())
        .await?
    {
        return Err(Problem::conflict("payout-settled", PAID));
    }
    let claim = state
        .records
        .claim(draw)
        .await?
        .ok_or_else(Problem::unavailable)?;
    Ok(HttpResponse::Ok().json(
        masked(&state, &claim)
            .await?
            .ok_or_else(Problem::unavailable)?,
    ))
}

/// Every other answer masks bank details; to pay the prize somebody has to read them once. It takes the password again, is
/// kept by nobody, and stands in the audit log.
pub async fn reveal(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<PasswordAgain>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    winner(&state, &view).await?;
    let holder = caller.holder().ok_or_else(Problem::unauthenticated)?;
    let hash = password_hash(&state, holder).await?;
    let guess = state
        .limits
        .password_again(holder)?
        .on_all_nodes(&state.records, state.clock.now())
        .await?;
    if !verify(body.0.password.unwrap_or_default(), hash).await? {
        // Not 401: the session is as good as before.
        return Err(Problem::bad_request(
            "wrong-password",
            "Invalid credentials",
        ));
    }
    guess.was_right().await;
    let bank = state
        .records
        .bank_details(draw)
        .await?
        .ok_or_else(Problem::not_found)?;
    audit(&state, caller, draw, &listing, "read-winner-bank").await?;
    let answer = HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(BankWhole::from(&bank));
    Ok(answer)
}

/// The password's hash of whoever is signed in.
async fn password_hash(state: &State, holder: Holder) -> Result<Option<String>, Problem> {
    let email = match holder {
        Holder::Club(club) => state.records.club(club).await?.map(|club| club.email),
        Holder::Member(member) => state
            .records
            .club_user(member.id)
            .await?
            .map(|member| member.email),
        Holder::Admin(admin) => state.records.admin(admin).await?.map(|admin| admin.email),
    };
    let email = email.ok_or_else(Problem::unauthenticated)?;
    let known = state
        .records
        .credentials(&email)
        .await?
        .filter(|(found, _)| *found == holder);
    Ok(known.map(|(_, hash)| hash))
}

async fn audit(
    state: &State,
    caller: Caller,
    draw: DrawId,
    listing: &Arc<Listing>,
    action: &str,
) -> Result<(), Problem> {
    let (actor, object) = (caller.name(), format!("draw:{draw}"));
    let act = caller.act(&actor, Some(listing.club), action, &object);
    Ok(state.records.audit(act, &json!({})).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, number: &str, bsb: &str) -> BankTold {
        BankTold {
            token: None,
            account_name: Some(name.into()),
            account_number: Some(number.into()),
            bsb: Some(bsb.into()),
        }
    }

    #[test]
    fn bank_details_are_taken_with_or_without_hyphen_and_spaces() {
        for bsb in ["123456", "123-456", "123 456"] {
            let bank = check(&told(" Alice ", "12 345 678", bsb)).expect("taken");
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
                check(&told(name, number, bsb)).is_err(),
                "{name} {number} {bsb}"
            );
        }
    }
}
