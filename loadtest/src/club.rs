//! A club with a signed-in session. It imports fixtures, enters results and pays winners.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::{
    Browser, Request, RequestBody, RunSettings, ServerResponse, json_number_at, json_text_at,
};
use crate::latency::CallKind;

/// The password of all logins of the demo.
const DEMO_PASSWORD: &str = "demo-password";

/// Maximum number of attempts for one request. The first may fail because the session has expired,
/// the second because the server asks for the password again.
const SIGN_IN_TRIES_MAX: usize = 3;

/// Returns bank details for the prize, as the club (without a token) or the winner (with the
/// claim's token) enters them.
pub fn bank_details(token: Option<&str>) -> Value {
    json!({"token": token, "accountName": "A Winner", "accountNumber": "12345678", "bsb": "062-123"})
}

/// A club with a browser that is signed in.
pub struct Club {
    pub id: i64,
    pub slug: String,
    pub name: String,
    browser: Browser,
}

/// The winning ticket, as the server reports it after the entry of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinningTicket {
    pub ticket: i64,
    pub sold: bool,
    /// E-mail address of the ticket's buyer. Empty if the winning ticket was not sold.
    pub email: String,
    pub prize_cents: i64,
}

impl Club {
    /// Signs in as every public club of the demo. Returns the clubs sorted by id.
    pub async fn log_in_all(site: &Arc<RunSettings>) -> Result<Vec<Self>> {
        let browser = Browser::open(Arc::clone(site), 0)?;
        let list = browser
            .send_with_retries(CallKind::Club, &Request::get("/api/clubs/public-list"))
            .await
            .context("no club list")?;
        let mut clubs = Vec::new();
        for row in list.body.as_array().context("the club list is no list")? {
            clubs.push(
                Self::log_in(
                    site,
                    &json_text_at(row, "/slug"),
                    json_text_at(row, "/name"),
                )
                .await?,
            );
        }
        clubs.sort_by_key(|club| club.id);
        if clubs.is_empty() {
            bail!("the demo has no clubs");
        }
        Ok(clubs)
    }

    async fn log_in(site: &Arc<RunSettings>, slug: &str, name: String) -> Result<Self> {
        let mut club = Self {
            id: 0,
            slug: slug.to_owned(),
            name,
            browser: Browser::open(Arc::clone(site), 0)?,
        };
        club.id = club.log_in_again().await?;
        Ok(club)
    }

    /// Signs in again and returns the club's id.
    async fn log_in_again(&self) -> Result<i64> {
        let credentials =
            json!({"email": format!("{}@demo.test", self.slug), "password": DEMO_PASSWORD});
        let answer = self
            .browser
            .send_with_retries(
                CallKind::Club,
                &Request::post("/api/clubs/login", credentials),
            )
            .await
            .context("no login")?;
        body_of_success(&answer, "logging in")
            .map(|body| json_number_at(body, "/id"))?
            .context("a login without id")
    }

    /// Sends a request. Signs in again when the session has expired, and enters the password again
    /// when the server asks for it.
    async fn send_authenticated(&self, request: &Request, doing: &str) -> Result<ServerResponse> {
        for _ in 0..SIGN_IN_TRIES_MAX {
            let answer = self
                .browser
                .send_with_retries(CallKind::Club, request)
                .await
                .with_context(|| format!("{doing}: no answer"))?;
            match (answer.status, answer.body_text_at("/code").as_str()) {
                (401, _) => _ = self.log_in_again().await?,
                (403, "reauthentication-required") => {
                    let again = Request::post(
                        "/api/auth/reauthenticate",
                        json!({"password": DEMO_PASSWORD}),
                    );
                    let again = self
                        .browser
                        .send_with_retries(CallKind::Club, &again)
                        .await
                        .context("reauthenticating: no answer")?;
                    body_of_success(&again, "reauthenticating")?;
                }
                _ => return Ok(answer),
            }
        }
        bail!("{doing}: refused after {SIGN_IN_TRIES_MAX} sign-ins")
    }

    /// Imports fixtures. Returns the draw numbers in the order of the fixtures.
    pub async fn import_fixtures(
        &self,
        csv: String,
        price_cents: i64,
        prize: u8,
    ) -> Result<Vec<i64>> {
        let price = format!("{}.{:02}", price_cents / 100, price_cents % 100);
        let path = format!(
            "/api/clubs/{}/fixtures?price={price}&prize={prize}",
            self.id
        );
        // The server requires an acceptance of the terms of service before each import (decision
        // E-17).
        let agree = Request::post("/api/terms/accept", json!({}));
        let answer = self
            .send_authenticated(&agree, "agreeing to the terms of service")
            .await?;
        body_of_success(&answer, "agreeing to the terms of service")?;
        let request = Request {
            method: Method::POST,
            body: RequestBody::Text(csv),
            ..Request::get(path)
        };
        let answer = self
            .send_authenticated(&request, "importing fixtures")
            .await?;
        let body = body_of_success(&answer, "importing fixtures")?;
        let numbers = body.pointer("/drawNumbers").and_then(Value::as_array);
        let numbers = numbers.with_context(|| format!("the import lists no draws: {body}"))?;
        numbers
            .iter()
            .map(|draw| draw.as_i64().context("a draw without number"))
            .collect()
    }

    /// Enters the first try scorers of both teams before kick-off. That closes sales (decision
    /// E-5). The winner stays hidden until kick-off.
    pub async fn enter_result_before_kick_off(&self, draw: i64, home: u8, away: u8) -> Result<()> {
        self.send_result(draw, home, away).await.map(|_| ())
    }

    async fn send_result(&self, draw: i64, home: u8, away: u8) -> Result<Value> {
        let body = json!({"homeFirstTryScorer": home, "awayFirstTryScorer": away});
        let request = Request::post(format!("/api/draws/{draw}/results"), body);
        let answer = self
            .send_authenticated(&request, "entering a result")
            .await?;
        body_of_success(&answer, "entering a result").cloned()
    }

    /// Enters the first try scorers of both teams after kick-off. Returns the winning ticket.
    pub async fn enter_result(&self, draw: i64, home: u8, away: u8) -> Result<WinningTicket> {
        let body = &self.send_result(draw, home, away).await?;
        let winning = body
            .pointer("/winningTickets/0")
            .with_context(|| format!("no winning ticket: {body}"))?;
        Ok(WinningTicket {
            ticket: json_number_at(winning, "/ticketNumber").context("a winner without number")?,
            sold: winning
                .get("sold")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            email: json_text_at(winning, "/buyerEmail"),
            prize_cents: parse_cents(&json_text_at(body, "/prize")),
        })
    }

    /// Lets the server mail the winner. Returns the number of mails that the server reports.
    pub async fn notify_winner(&self, draw: i64) -> Result<i64> {
        let request = Request::post(format!("/api/draws/{draw}/notify-winners"), json!({}));
        let answer = self
            .send_authenticated(&request, "notifying the winner")
            .await?;
        Ok(json_number_at(
            body_of_success(&answer, "notifying the winner")?,
            "/emailsSent",
        )
        .unwrap_or(0))
    }

    /// Enters the bank details of a winner, as if the winner had phoned the club.
    pub async fn enter_bank_details(&self, draw: i64) -> Result<()> {
        let path = format!("/api/draws/{draw}/winner-bank");
        let request = Request {
            method: Method::PUT,
            ..Request::post(path, bank_details(None))
        };
        body_of_success(
            &self
                .send_authenticated(&request, "giving bank details")
                .await?,
            "giving bank details",
        )?;
        Ok(())
    }

    /// Records the payout to the winner, marks it as paid and returns its amount in cents. No money
    /// is moved (decision B-4).
    pub async fn pay_winner(&self, draw: i64) -> Result<i64> {
        let payout = Request::post(
            format!("/api/draws/{draw}/payouts"),
            json!({"type": "winner"}),
        );
        let answer = self
            .send_authenticated(&payout, "recording a payout")
            .await?;
        let recorded = body_of_success(&answer, "recording a payout")?;
        let (id, amount) = (
            json_text_at(recorded, "/id"),
            parse_cents(&json_text_at(recorded, "/amount")),
        );
        let done = json!({"status": "completed", "note": "paid by the load test"});
        let paid = Request {
            method: Method::PATCH,
            ..Request::post(format!("/api/payouts/{id}"), done)
        };
        body_of_success(
            &self
                .send_authenticated(&paid, "completing a payout")
                .await?,
            "completing a payout",
        )?;
        Ok(amount)
    }

    /// Returns the winning ticket as the club's dashboard shows it.
    pub async fn winning_ticket(&self, draw: i64) -> Result<Value> {
        let answer = self
            .send_authenticated(
                &Request::get(format!("/api/draws/{draw}/winners")),
                "reading the winner",
            )
            .await?;
        let body = body_of_success(&answer, "reading the winner")?;
        body.pointer("/winningTickets/0")
            .cloned()
            .with_context(|| format!("no winning ticket: {body}"))
    }

    /// Returns the financial sums of one draw as the club sees them.
    pub async fn financials(&self, draw: i64) -> Result<Value> {
        let request = Request::get(format!("/api/draws/{draw}/financials"));
        body_of_success(
            &self.send_authenticated(&request, "financials").await?,
            "financials",
        )
        .cloned()
    }
}

/// Parses a dollar amount into cents: `"12.50"` is 1250. An empty text is 0.
pub fn parse_cents(text: &str) -> i64 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    whole.parse::<i64>().unwrap_or(0) * 100 + format!("{rest:0<2}")[..2].parse::<i64>().unwrap_or(0)
}

pub fn body_of_success<'a>(answer: &'a ServerResponse, doing: &str) -> Result<&'a Value> {
    if !answer.ok() {
        bail!(
            "{doing} was answered with {}: {}",
            answer.status,
            answer.body
        );
    }
    Ok(&answer.body)
}
