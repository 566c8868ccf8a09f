//! The provider's own browser API, as the payment page's script speaks it: publishable key and client secret, nothing
//! more. What the sandbox says here is the second witness of every purchase.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::browser::{Answer, Browser, Request, number, text};
use crate::latency::Call;

/// A payment the server opened for a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payment {
    pub payment_intent: String,
    pub client_secret: String,
    pub account: String,
    /// The order page's secret.
    pub token: String,
    pub reservation: String,
    pub amount_cents: i64,
}

impl Payment {
    /// Reads an answer to `create-payment-intent`.
    pub fn read(answer: &Answer) -> Option<Self> {
        let payment = Self {
            payment_intent: answer.text("/paymentIntentId"),
            client_secret: answer.text("/clientSecret"),
            account: answer.text("/connectedAccountId"),
            token: answer.text("/orderToken"),
            reservation: answer.text("/reservationId"),
            amount_cents: number(&answer.body, "/amount")?,
        };
        (!payment.payment_intent.is_empty() && !payment.client_secret.is_empty()).then_some(payment)
    }
}

/// What became of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Authorised,
    Declined,
    /// The bank wants to ask the buyer.
    Asks,
    /// The payment intent is canceled: nothing was or will be charged.
    Canceled,
    Silent,
    Odd(String),
}

pub const GOOD_CARD: &str = "pm_card_visa";
pub const DECLINED_CARD: &str = "pm_card_chargeDeclined";
pub const ASKED_CARD: &str = "pm_card_authenticationRequired";

/// Confirms with a card. `insistent` sends it as often as the run repeats calls; a repeated confirmation of something
/// already authorised is refused by the provider, which says so with the payment intent's status.
pub async fn confirm(browser: &Browser, payment: &Payment, method: &str, insistent: bool) -> Said {
    let mut fields = credentials(browser, payment);
    fields.push(("payment_method", method.to_owned()));
    let path = format!("/sandbox/stripe/v1/payment_intents/{}/confirm", payment.payment_intent);
    let request = Request::form(path, fields);
    let answers = if insistent {
        browser.insist(Call::Card, &request).await
    } else {
        browser.ask(Call::Card, &request).await.into_iter().collect()
    };
    strongest(answers.iter().map(said))
}

/// The buyer passes the bank's question.
pub async fn authenticate(browser: &Browser, payment: &Payment) -> Said {
    let mut fields = credentials(browser, payment);
    fields.push(("outcome", "complete".to_owned()));
    let path = format!("/sandbox/stripe/v1/payment_intents/{}/authenticate", payment.payment_intent);
    let answers = browser.insist(Call::Card, &Request::form(path, fields)).await;
    strongest(answers.iter().map(said))
}

/// The payment intent's status in the provider's words, or nothing when it did not answer.
pub async fn status(browser: &Browser, payment: &Payment) -> Option<String> {
    let path = format!(
        "/sandbox/stripe/v1/payment_intents/{}?key={}&client_secret={}&_stripe_account={}",
        payment.payment_intent, browser.site.publishable_key, payment.client_secret, payment.account
    );
    let answer = browser.ask(Call::Card, &Request::get(path)).await?;
    answer.ok().then(|| answer.text("/status"))
}

/// What the provider holds for one connected account, in cents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    pub captured: i64,
    pub application_fees: i64,
    pub refunded: i64,
    pub payments: i64,
}

/// The sandbox's ledger: account → holding.
pub async fn ledger(browser: &Browser) -> Result<Vec<(String, Holding)>> {
    let answer = browser.ask(Call::Card, &Request::get("/sandbox/ledger")).await.context("no sandbox ledger")?;
    if !answer.ok() {
        bail!("the sandbox's ledger answered {}: {}", answer.status, answer.body);
    }
    let accounts = answer.body.get("accounts").unwrap_or(&answer.body);
    let read = |value: &Value| Holding {
        captured: number(value, "/captured").unwrap_or(0),
        application_fees: number(value, "/fees").unwrap_or(0),
        refunded: number(value, "/refunded").unwrap_or(0),
        payments: number(value, "/count").unwrap_or(0),
    };
    Ok(match accounts {
        Value::Object(map) => map.iter().map(|(account, value)| (account.clone(), read(value))).collect(),
        Value::Array(list) => list.iter().map(|value| (text(value, "/account"), read(value))).collect(),
        other => bail!("the sandbox's ledger is neither a list nor a map: {other}"),
    })
}

fn credentials(browser: &Browser, payment: &Payment) -> Vec<(&'static str, String)> {
    vec![
        ("key", browser.site.publishable_key.clone()),
        ("client_secret", payment.client_secret.clone()),
        ("_stripe_account", payment.account.clone()),
    ]
}

fn said(answer: &Answer) -> Said {
    let status = match answer.text("/status") {
        text if text.is_empty() => answer.text("/error/payment_intent/status"),
        text => text,
    };
    match (status.as_str(), answer.text("/error/code").as_str()) {
        ("requires_capture" | "succeeded" | "processing", _) => Said::Authorised,
        ("requires_action", _) => Said::Asks,
        ("canceled", _) => Said::Canceled,
        (_, "card_declined") => Said::Declined,
        _ => Said::Odd(format!("{} {}", answer.status, answer.body)),
    }
}

/// Of several answers about one payment intent the furthest one counts: an authorisation does not go back.
fn strongest(answers: impl Iterator<Item = Said>) -> Said {
    let weight = |said: &Said| match said {
        Said::Canceled => 5,
        Said::Authorised => 4,
        Said::Asks => 3,
        Said::Declined => 2,
        Said::Odd(_) => 1,
        Said::Silent => 0,
    };
    answers.max_by_key(weight).unwrap_or(Said::Silent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(status: u16, body: Value) -> Answer {
        Answer { status, body, retry_after: None }
    }

    #[test]
    fn a_repeated_confirmation_reads_as_authorised() {
        let first = answer(200, json!({"status": "requires_capture"}));
        let again = answer(
            400,
            json!({"error": {"code": "payment_intent_unexpected_state", "payment_intent": {"status": "requires_capture"}}}),
        );
        assert_eq!(strongest([&first, &again].into_iter().map(said)), Said::Authorised);
    }

    #[test]
    fn a_decline_is_a_decline_and_silence_is_silence() {
        let declined = answer(
            402,
            json!({"error": {"code": "card_declined", "payment_intent": {"status": "requires_payment_method"}}}),
        );
        assert_eq!(said(&declined), Said::Declined);
        assert_eq!(strongest(std::iter::empty()), Said::Silent);
    }

    #[test]
    fn an_opened_payment_needs_its_secret_and_its_amount() {
        let whole = json!({"paymentIntentId": "pi_1", "clientSecret": "s", "amount": 500, "orderToken": "t"});
        assert_eq!(Payment::read(&answer(200, whole)).map(|payment| payment.amount_cents), Some(500));
        assert_eq!(Payment::read(&answer(200, json!({"paymentIntentId": "pi_1", "amount": 5}))), None);
    }
}
