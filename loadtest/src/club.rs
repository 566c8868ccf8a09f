//! A club's own desk: logging in, importing fixtures, entering results, paying winners.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde_json::{Value, json};

use crate::browser::{Answer, Body, Browser, Request, Site, number, text};
use crate::latency::Call;

/// Every login of the demo.
const DEMO_PASSWORD: &str = "demo-password";

/// A club with its own logged-in browser.
pub struct Club {
    pub id: i64,
    pub slug: String,
    pub name: String,
    browser: Browser,
}

/// What entering a result answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Winner {
    pub ticket: i64,
    pub sold: bool,
    /// Somebody bought it and left an address.
    pub reachable: bool,
}

impl Club {
    /// Logs in at every public club of the demo, in order of id.
    pub async fn all(site: &Arc<Site>) -> Result<Vec<Self>> {
        let browser = Browser::open(Arc::clone(site), 0)?;
        let list = browser
            .ask(Call::Club, &Request::get("/api/clubs/public-list"))
            .await
            .context("no club list")?;
        let mut clubs = Vec::new();
        for row in list.body.as_array().context("the club list is no list")? {
            clubs.push(Self::log_in(site, &text(row, "/slug"), text(row, "/name")).await?);
        }
        clubs.sort_by_key(|club| club.id);
        if clubs.is_empty() {
            bail!("the demo has no clubs");
        }
        Ok(clubs)
    }

    async fn log_in(site: &Arc<Site>, slug: &str, name: String) -> Result<Self> {
        let browser = Browser::open(Arc::clone(site), 0)?;
        let who = json!({"email": format!("{slug}@demo.test"), "password": DEMO_PASSWORD});
        let answer = browser
            .ask(Call::Club, &Request::post("/api/clubs/login", who))
            .await
            .context("no login")?;
        let id = expect(&answer, "logging in")
            .map(|body| number(body, "/id"))?
            .context("a login without id")?;
        Ok(Self {
            id,
            slug: slug.to_owned(),
            name,
            browser,
        })
    }

    /// Imports fixtures and gives the numbers of the draws that are new, in the order of the lines.
    pub async fn import(&self, csv: String, price_cents: i64, prize: u8) -> Result<Vec<i64>> {
        let price = format!("{}.{:02}", price_cents / 100, price_cents % 100);
        let path = format!(
            "/api/clubs/{}/fixtures?price={price}&prize={prize}",
            self.id
        );
        // Each import needs the club's word that it agrees to the terms of service (decision E-17).
        let agree = Request::post("/api/terms/accept", json!({}));
        let answer = self
            .browser
            .ask(Call::Club, &agree)
            .await
            .context("no answer to the terms of service")?;
        expect(&answer, "agreeing to the terms of service")?;
        let request = Request {
            method: Method::POST,
            body: Body::Text(csv),
            ..Request::get(path)
        };
        let answer = self
            .browser
            .ask(Call::Club, &request)
            .await
            .context("no answer to the import")?;
        let body = expect(&answer, "importing fixtures")?;
        let numbers = body.pointer("/drawNumbers").and_then(Value::as_array);
        let numbers = numbers.with_context(|| format!("the import lists no draws: {body}"))?;
        numbers
            .iter()
            .map(|draw| draw.as_i64().context("a draw without number"))
            .collect()
    }

    /// Enters the two first try scorers; closes sales first where they are still open (decision E-5). `None` before kick-off:
    /// the club, too, reads only then who won (decision E-6).
    pub async fn enter_result(&self, draw: i64, home: u8, away: u8) -> Result<Option<Winner>> {
        let body = json!({"homeFirstTryScorer": home, "awayFirstTryScorer": away});
        let request = Request::post(format!("/api/draws/{draw}/results"), body);
        let answer = self
            .browser
            .ask(Call::Club, &request)
            .await
            .context("no answer to the result")?;
        let body = expect(&answer, "entering a result")?;
        if !text(body, "/revealedAt").is_empty() {
            return Ok(None);
        }
        let ticket = number(body, "/winningTickets/0/ticketNumber")
            .with_context(|| format!("no winning ticket: {body}"))?;
        let sold = body
            .pointer("/winningTickets/0/sold")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        Ok(Some(Winner {
            ticket,
            sold,
            reachable: !text(body, "/winningTickets/0/buyerEmail").is_empty(),
        }))
    }

    /// Mails the winner; gives how many mails were queued by this very call.
    pub async fn notify(&self, draw: i64) -> Result<i64> {
        let request = Request::post(format!("/api/draws/{draw}/notify-winners"), json!({}));
        let answer = self
            .browser
            .ask(Call::Club, &request)
            .await
            .context("no answer to the notice")?;
        Ok(number(expect(&answer, "notifying the winner")?, "/emailsSent").unwrap_or(0))
    }

    /// Records the winner's payout and marks it paid. It moves no money (decision B-4).
    pub async fn pay_winner(&self, draw: i64) -> Result<()> {
        let payout = Request::post(
            format!("/api/draws/{draw}/payouts"),
            json!({"type": "winner"}),
        );
        let answer = self
            .browser
            .ask(Call::Club, &payout)
            .await
            .context("no answer to the payout")?;
        let id = text(expect(&answer, "recording a payout")?, "/id");
        let done = json!({"status": "completed", "note": "paid by the load test"});
        let paid = Request {
            method: Method::PATCH,
            ..Request::post(format!("/api/payouts/{id}"), done)
        };
        expect(
            &self
                .browser
                .ask(Call::Club, &paid)
                .await
                .context("no answer")?,
            "completing a payout",
        )?;
        Ok(())
    }

    /// The club's own figures of one draw.
    pub async fn financials(&self, draw: i64) -> Result<Value> {
        let request = Request::get(format!("/api/draws/{draw}/financials"));
        let answer = self
            .browser
            .ask(Call::Club, &request)
            .await
            .context("no answer")?;
        expect(&answer, "financials").cloned()
    }
}

fn expect<'a>(answer: &'a Answer, doing: &str) -> Result<&'a Value> {
    if !answer.ok() {
        bail!(
            "{doing} was answered with {}: {}",
            answer.status,
            answer.body
        );
    }
    Ok(&answer.body)
}
