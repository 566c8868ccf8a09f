//! Checks a draw form and reports errors with the specified texts.

use domain::fee::card_fee;
use domain::{Cents, Timestamp};
use time::Time;
use time_tz::Tz;

use crate::api::draw_form::DrawForm;
use crate::api::error::Problem;
use crate::api::form::{FormErrors, check_contact, trimmed_or_none};
use crate::checkout::quote::CHARGE_MIN;
use crate::services::fixtures::{kick_off, kick_off_parser};
use persistence::records::listings::DEFAULT_TIME_ZONE;

/// Error text for a ticket price at which a single ticket cannot be paid.
pub const TICKET_PRICE_MIN_ERROR: &str =
    "Ticket price must be at least $0.50, the smallest amount that can be paid by card";

/// The parsed fields of a draw form. `None` means that the form does not contain the field.
pub struct CheckedDrawForm {
    pub league: Option<Option<String>>,
    pub home_team: Option<String>,
    pub away_team: Option<String>,
    /// IANA name of the time zone.
    pub zone: Option<&'static str>,
    pub kick_off: Option<Timestamp>,
    pub opens_at: Option<Option<Timestamp>>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub price: Option<Cents>,
    pub prize_percentage: Option<u8>,
    pub round_up_prize: Option<bool>,
    pub pass_card_fee: Option<bool>,
}

/// The stored values of the draw that is edited.
pub struct StoredDraw<'a> {
    pub zone: &'a str,
    /// Stored kick-off as local date and time, `2026-11-27T19:10`; `None` for a new draw.
    pub kick_off: Option<String>,
    pub home_team: &'a str,
    pub away_team: &'a str,
    pub passes_card_fee: bool,
}

/// Checks the form of a new draw: all required fields must be present.
///
/// # Errors
/// 400 with every error of the form.
pub fn check_new_draw(form: &DrawForm, now: Timestamp) -> Result<CheckedDrawForm, Problem> {
    let mut form = form.clone();
    for field in [
        &mut form.home_team,
        &mut form.away_team,
        &mut form.game_date,
        &mut form.contact_name,
    ] {
        field.get_or_insert_default();
    }
    form.contact_phone.get_or_insert_default();
    form.ticket_price.get_or_insert_default();
    let stored = StoredDraw {
        zone: DEFAULT_TIME_ZONE,
        kick_off: None,
        home_team: "",
        away_team: "",
        passes_card_fee: false,
    };
    check_draw_edit(&form, &stored, now)
}

/// Checks the form of an edit. Only the fields that the form contains are checked.
///
/// # Errors
/// 400 with every error of the form.
pub fn check_draw_edit(
    form: &DrawForm,
    stored: &StoredDraw<'_>,
    now: Timestamp,
) -> Result<CheckedDrawForm, Problem> {
    let mut findings = FormErrors::default();
    let league = form
        .league
        .as_ref()
        .map(|text| trimmed_or_none(text.as_deref()));
    let (home, away) = (form.home_team.as_ref(), form.away_team.as_ref());
    check_team(&mut findings, "homeTeam", home, "Home team is required");
    check_team(&mut findings, "awayTeam", away, "Away team is required");
    let name = |given: Option<&String>, otherwise: &str| {
        given.map_or(otherwise, |name| name.trim()).to_lowercase()
    };
    let (home_name, away_name) = (name(home, stored.home_team), name(away, stored.away_team));
    let different = home_name != away_name || home_name.is_empty();
    findings.require(
        "awayTeam",
        different,
        "Home and away team must be different",
    );
    findings.require_short_name(
        "league",
        league
            .as_ref()
            .and_then(Option::as_deref)
            .unwrap_or_default(),
    );
    let zone = check_time_zone(&mut findings, form, stored);
    let kick_off = zone.and_then(|zone| kick_off_time(&mut findings, form, stored, zone, now));
    let opens_at = form.sales_open_at.as_ref().map(|text| {
        let at = trimmed_or_none(text.as_deref())
            .map(|text| zone.and_then(|zone| kick_off_parser::parse(&text, None, zone)));
        findings.require(
            "salesOpenAt",
            at != Some(None),
            "The opening time is not a date and time",
        );
        at.flatten()
    });
    check_contact(
        &mut findings,
        form.contact_name.as_deref(),
        form.contact_phone.as_deref(),
    );
    let price = form.parsed_price();
    findings.require(
        "ticketPrice",
        price != Some(None),
        "Ticket price is required",
    );
    let too_expensive = price
        .flatten()
        .is_some_and(|price| price > domain::TICKET_PRICE_MAX);
    findings.require(
        "ticketPrice",
        !too_expensive,
        "Ticket price must be at most $10,000.00",
    );
    let passes_card_fee = form.pass_stripe_fees.unwrap_or(stored.passes_card_fee);
    findings.require(
        "ticketPrice",
        price
            .flatten()
            .is_none_or(|price| is_payable_by_card(price, passes_card_fee)),
        TICKET_PRICE_MIN_ERROR,
    );
    let fits = form
        .prize_percentage
        .is_none_or(|percentage| (1..=100).contains(&percentage));
    findings.require(
        "prizePercentage",
        fits,
        "Prize percentage must be between 1 and 100",
    );
    findings.into_result()?;
    Ok(CheckedDrawForm {
        league,
        home_team: home.map(|name| name.trim().to_string()),
        away_team: away.map(|name| name.trim().to_string()),
        zone: zone
            .filter(|_| form.timezone.is_some())
            .map(kick_off::zone_name),
        kick_off,
        opens_at,
        contact_name: form
            .contact_name
            .as_ref()
            .map(|name| name.trim().to_string()),
        contact_phone: form
            .contact_phone
            .as_ref()
            .map(|phone| phone.trim().to_string()),
        price: price.flatten(),
        prize_percentage: form
            .prize_percentage
            .and_then(|percentage| u8::try_from(percentage).ok()),
        round_up_prize: form.round_up_prize,
        pass_card_fee: form.pass_stripe_fees,
    })
}

/// Whether a buyer can pay a single ticket by card. Stripe charges no smaller amounts.
pub fn is_payable_by_card(price: Cents, passes_card_fee: bool) -> bool {
    let fee = if passes_card_fee {
        card_fee(price)
    } else {
        Cents::ZERO
    };
    price + fee >= CHARGE_MIN
}

fn check_team(
    findings: &mut FormErrors,
    field: &'static str,
    name: Option<&String>,
    required: &str,
) {
    if let Some(name) = name.map(|name| name.trim()) {
        findings.require(field, !name.is_empty(), required);
        findings.require_short_name(field, name);
    }
}

fn check_time_zone(
    findings: &mut FormErrors,
    form: &DrawForm,
    stored: &StoredDraw<'_>,
) -> Option<&'static Tz> {
    let zone = kick_off::find_zone(form.timezone.as_deref().unwrap_or(stored.zone));
    findings.require("timezone", zone.is_some(), "Timezone is required");
    zone
}

/// Combines the form's date, time and zone to the kick-off. Missing parts are taken from the stored
/// kick-off.
fn kick_off_time(
    findings: &mut FormErrors,
    form: &DrawForm,
    stored: &StoredDraw<'_>,
    zone: &'static Tz,
    now: Timestamp,
) -> Option<Timestamp> {
    let (day_before, hour_before) = match stored
        .kick_off
        .as_deref()
        .and_then(|local| local.split_once('T'))
    {
        Some((day, hour)) => (Some(day), kick_off::parse_time(hour)),
        None => (None, None),
    };
    let hour: Option<Time> = match &form.game_time {
        None => hour_before,
        Some(text) => {
            let hour = kick_off::parse_time(text);
            findings.require("gameTime", hour.is_some(), "Game time is required");
            Some(hour?)
        }
    };
    let time_or_zone_sent = form.game_time.is_some() || form.timezone.is_some();
    let date = form
        .game_date
        .as_deref()
        .or(day_before.filter(|_| time_or_zone_sent))?;
    let at = kick_off_parser::parse(date, hour, zone);
    findings.require("gameDate", at.is_some(), "Game date is required");
    findings.require(
        "gameDate",
        at.is_none_or(|at| at > now),
        "Game date must be in the future",
    );
    at
}
