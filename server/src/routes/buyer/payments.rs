//! Opening a payment: priced by us, reserved, and resized while it is unpaid (decisions C-2, C-3, C-10).

use std::collections::BTreeSet;
use std::net::IpAddr;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use actors::{OpenOrder, PaymentFailure};
use domain::{AccountId, Cents, DrawId, OrderId, OrderState, Refusal, Timestamp, reservation};
use persistence::books::OrderRecord;
use persistence::failpoint::{self, Side, Step};
use persistence::ledger::BuyerDetails;

use crate::app::Phase;
use crate::error::Problem;
use crate::identity::{Browser, address, random};
use crate::open_orders::{Counts, Known, Plan, RESERVED_PER_BROWSER_MAX, client_key};
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::instant::rfc3339;
use crate::wire::purchase::{ItemOpened, PaymentOpened, Purchase};

pub mod buyer;
pub mod quote;
pub mod wanted;

use quote::Quote;

/// Finished orders of one browser for the same draws, looked through before giving up.
const GENERATIONS_MAX: u32 = 200;

/// What a browser asks to pay for.
pub struct Asked {
    pub browser: Browser,
    /// It brought no cookie of ours, so nobody can tell it from the next one.
    pub is_stranger: bool,
    pub address: IpAddr,
    pub counts: Counts,
    pub attempt: Option<String>,
    pub expected: Option<Cents>,
    pub buyer: BuyerDetails,
    /// Of a cart: the offers it was put together from.
    pub offers: Option<BTreeSet<i64>>,
}

impl Asked {
    pub fn new(
        request: &HttpRequest,
        state: &State,
        browser: Browser,
        counts: Counts,
        body: &Purchase,
    ) -> Asked {
        Asked {
            browser,
            is_stranger: Browser::read(request, &state.config).is_none(),
            address: address(request, &state.config),
            counts,
            attempt: body.client_key.clone().filter(|key| !key.is_empty()),
            expected: body.expected_amount,
            buyer: body.buyer_details(),
            offers: body.offers(),
        }
    }

    /// A new payment intent is opened for it.
    ///
    /// # Errors
    /// 429 with `Retry-After`.
    fn is_one_more(&self, state: &State) -> Result<(), Problem> {
        let known = (!self.is_stranger).then_some(&self.browser.0);
        state.limits.new_intent(known, self.address)
    }
}

pub async fn create(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let counts = wanted::single(&body.0)?;
    let opened = open(
        &state,
        Asked::new(&request, &state, browser, counts, &body.0),
    )
    .await?;
    failpoint::reach(Step::Answer, Side::Before);
    failpoint::reach_soon(Step::Answer, Side::After);
    Ok(HttpResponse::Ok().json(opened.answer(&state, Form::Single)?))
}

pub async fn create_for_cart(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let counts = wanted::cart(&body.0)?;
    let opened = open(
        &state,
        Asked::new(&request, &state, browser, counts, &body.0),
    )
    .await?;
    Ok(HttpResponse::Ok().json(opened.answer(&state, Form::Cart)?))
}

/// An open order and when its tickets stop being kept, as shown.
pub struct Open {
    pub record: OrderRecord,
    pub shown_until: Timestamp,
}

enum Form {
    Single,
    Cart,
}

/// Opens or resizes the browser's order for these draws.
///
/// # Errors
/// Whatever the buyer has to know; then nothing is reserved that was not before.
pub async fn open(state: &State, asked: Asked) -> Result<Open, Problem> {
    refuse_while_closed(state)?;
    let quote = failpoint::around(Step::Quote, quote::price(state, &asked.counts)).await?;
    let now = state.clock.now();
    if asked
        .expected
        .is_some_and(|expected| expected != quote.total())
    {
        return Err(amount_changed(quote.total()));
    }
    // A crowd before a draw that is sold out is turned away before anything is noted of anybody.
    if let Some((draw, free)) = quote.too_few
        && !state.open_orders.knows(&asked.browser)
    {
        return Err(Problem::refused(draw, Refusal::TooFewTickets { free }));
    }
    let (plan, opening) = state.open_orders.begin(&asked.browser, &asked.counts, now);
    if plan.reserved_elsewhere + asked.counts.values().sum::<u16>() > RESERVED_PER_BROWSER_MAX {
        return Err(Problem::conflict(
            "too-many-reserved",
            format!(
                "You can keep at most {RESERVED_PER_BROWSER_MAX} tickets at a time. Please complete your purchase first."
            ),
        ));
    }
    if plan.is_new {
        asked.is_one_more(state)?;
    }
    let is_new = plan.is_new;
    for order in &plan.give_up {
        state.payments.abandon(*order).await?;
        state.open_orders.over(&asked.browser, *order);
    }
    let (mut record, generation) = find_or_open(state, &asked, &quote, &plan).await?;
    let shown_until = shown_until(state, &record, &quote, now).await?;
    buyer::correct(state, &asked.browser, &mut record, &asked.buyer).await?;
    remember_consents(state, &asked, &record, now).await?;
    // A new order has nothing noted that would have to be forgotten.
    let offers = asked
        .offers
        .as_ref()
        .filter(|offers| !is_new || !offers.is_empty());
    if let Some(offers) = offers.filter(|_| record.order.state == OrderState::Quoted) {
        super::offers::note(
            state,
            record.order.club,
            record.order.id,
            &asked.counts,
            offers,
        )
        .await?;
    }
    let known = Known {
        order: record.order.id,
        counts: asked.counts,
        generation,
        attempt: asked.attempt,
        kept_until: shown_until
            .plus_seconds(reservation::KEPT_SECONDS - reservation::SHOWN_SECONDS),
        over: record.order.state != OrderState::Quoted,
    };
    state.open_orders.opened(&asked.browser, known, now);
    drop(opening);
    Ok(Open {
        record,
        shown_until,
    })
}

/// The draw that a browser that has nothing reserved comes too late for, as far as memory knows, and how many tickets it has not
/// sold. In every other case `None`, and [`open`] says what there is to say.
pub fn too_late(state: &State, body: &Purchase) -> Option<(DrawId, u16)> {
    let counts = wanted::single(body).ok()?;
    refuse_while_closed(state).ok()?;
    let quote = quote::price_now(state, &counts)?;
    let agreed = body
        .expected_amount
        .is_none_or(|expected| expected == quote.total());
    quote.too_few.filter(|_| agreed)
}

/// No card was shown yet: what the provider refuses here it refuses the club, and its words are not for a buyer (F30).
fn not_opened(failure: PaymentFailure, account: &AccountId) -> Problem {
    let PaymentFailure::Declined { code, message } = failure else {
        return failure.into();
    };
    tracing::warn!(account.id = %account.0, code, message, "the provider takes no payment for a club");
    quote::unready()
}

/// The browser's unpaid order for these draws, or a new one: a finished order is answered only to the attempt that made it.
async fn find_or_open(
    state: &State,
    asked: &Asked,
    quote: &Quote,
    plan: &Plan,
) -> Result<(OrderRecord, u32), Problem> {
    let first = plan.generation;
    let mut is_counted = plan.is_new;
    let known = state.open_orders.current(&asked.browser, &asked.counts);
    let attempt_of = |order: OrderId| {
        known
            .as_ref()
            .filter(|known| known.order == order)
            .map(|known| &known.attempt)
    };
    for generation in first..first + GENERATIONS_MAX {
        let wanted = OpenOrder {
            client_key: client_key(&asked.browser, asked.counts.keys().copied(), generation),
            token: hex::encode(random::<16>()),
            id: OrderId(u128::from_be_bytes(random())),
            club: quote.club.id,
            account: quote.account.clone(),
            lines: quote.lines.clone(),
            buyer: asked.buyer.clone(),
        };
        let record = state
            .payments
            .open(wanted)
            .await
            .map_err(|failure| not_opened(failure, &quote.account))?;
        let same_attempt =
            asked.attempt.is_some() && attempt_of(record.order.id) == Some(&asked.attempt);
        match record.order.state {
            OrderState::Quoted | OrderState::Allocated | OrderState::Rejecting => {
                return Ok((record, generation));
            }
            OrderState::Captured if same_attempt => return Ok((record, generation)),
            OrderState::Captured
            | OrderState::Released
            | OrderState::Void
            | OrderState::Anomaly => {}
        }
        // The known order ended a moment ago, by a fifth declined card say: the one after it is as new as any.
        if !std::mem::replace(&mut is_counted, true) {
            asked.is_one_more(state)?;
        }
    }
    Err(Problem::unavailable())
}

/// When the buyer's tickets stop being kept, as shown: 120 seconds, never past kick-off (decision C-1). What was reserved
/// by an earlier call is asked of the draws, because the same call again does not prolong it.
async fn shown_until(
    state: &State,
    record: &OrderRecord,
    quote: &Quote,
    now: Timestamp,
) -> Result<Timestamp, Problem> {
    let shown = |from: Timestamp| {
        from.plus_seconds(reservation::SHOWN_SECONDS)
            .min(quote.closes_at)
    };
    if record.opened_at >= now {
        return Ok(shown(record.opened_at));
    }
    let grace = reservation::KEPT_SECONDS - reservation::SHOWN_SECONDS;
    Ok(match state.payments.reservation(record.order.id).await? {
        // Cut short by kick-off: there is no grace then.
        Some(kept) if kept.until.plus_seconds(grace) >= quote.closes_at => shown(now),
        Some(kept) => kept.until,
        None => now,
    })
}

/// The consents given before there was an order (decision C-12).
async fn remember_consents(
    state: &State,
    asked: &Asked,
    record: &OrderRecord,
    now: Timestamp,
) -> Result<(), Problem> {
    if record.consent_at.is_none() && state.open_orders.has_consented(&asked.browser, now) {
        let ip = asked.address.to_string();
        state
            .payments
            .consented(record.order.id, &ip, crate::terms::SALE.agreed())
            .await?;
    }
    Ok(())
}

/// No new payments while the operator maintains the service or the server is about to stop (decision I-5).
fn refuse_while_closed(state: &State) -> Result<(), Problem> {
    if state.catalogue.facts().maintenance_mode() {
        return Err(
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "maintenance", MAINTENANCE)
                .retry_after(60),
        );
    }
    if *state.phase.borrow() >= Phase::Draining {
        return Err(Problem::unavailable());
    }
    Ok(())
}

/// The customer's message (C:200).
const MAINTENANCE: &str =
    "System is doing some maintenance. We won't be long, check back in a couple of minutes.";

/// The amount is not what the buyer was shown (decision C-3).
pub fn amount_changed(amount: Cents) -> Problem {
    Problem::conflict(
        "amount-changed",
        format!("The total has changed to {amount}. Please check it and try again. You have not been charged."),
    )
    .with("amount", amount.0)
}

impl Open {
    fn answer(&self, state: &State, form: Form) -> Result<PaymentOpened, Problem> {
        let order = &self.record.order;
        let (Some(secret), Some(intent)) = (&self.record.client_secret, &order.payment_intent)
        else {
            return Err(Problem::unavailable());
        };
        let item = |line: &domain::Line| ItemOpened {
            draw_id: line.draw.0,
            draw_number: line.draw.0,
            quantity: line.count,
            ticket_price: line.unit_price.decimal(),
            card_fee: line.card_fee.decimal(),
        };
        Ok(PaymentOpened {
            client_secret: secret.clone(),
            payment_intent_id: intent.0.clone(),
            amount: order.total().0,
            connected_account_id: order.account.0.clone(),
            reservation_id: order.id.to_string(),
            order_token: self.record.token.clone(),
            expires_at: rfc3339(self.shown_until),
            server_time: rfc3339(state.clock.now()),
            ticket_count: order.tickets(),
            items: match form {
                Form::Single => None,
                Form::Cart => Some(order.lines.iter().map(item).collect()),
            },
        })
    }
}

/// Which draws an order is for.
pub fn draws_of(record: &OrderRecord) -> impl Iterator<Item = DrawId> {
    record.order.lines.iter().map(|line| line.draw)
}
