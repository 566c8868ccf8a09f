//! The provider's own browser API, as the payment page's script speaks it: publishable key and client secret, nothing
//! more. What the sandbox says here is the second witness of every purchase.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde_json::Value;

use crate::browser::{Answer, Body, Browser, Request, number};
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
    let request = asking(browser, payment, "/confirm", &[("payment_method", method)]);
    let answers = if insistent {
        browser.insist(Call::Card, &request).await
    } else {
        browser
            .ask(Call::Card, &request)
            .await
            .into_iter()
            .collect()
    };
    strongest(answers.iter().map(said))
}

/// The buyer passes the bank's question.
pub async fn authenticate(browser: &Browser, payment: &Payment) -> Said {
    let request = asking(
        browser,
        payment,
        "/authenticate",
        &[("outcome", "complete")],
    );
    let answers = browser.insist(Call::Card, &request).await;
    strongest(answers.iter().map(said))
}

/// The payment intent's status in the provider's words, or nothing when it did not answer.
pub async fn status(browser: &Browser, payment: &Payment) -> Option<String> {
    let asking = asking(browser, payment, "", &[]);
    let path = format!("{}?client_secret={}", asking.path, payment.client_secret);
    let request = Request {
        method: Method::GET,
        path,
        body: Body::Nothing,
        headers: asking.headers,
    };
    let answer = browser.ask(Call::Card, &request).await?;
    answer.ok().then(|| answer.text("/status"))
}

/// A call about one payment intent, with the browser's key and the intent's own secret.
fn asking(
    browser: &Browser,
    payment: &Payment,
    verb: &str,
    fields: &[(&'static str, &str)],
) -> Request {
    let path = format!(
        "/sandbox/stripe/v1/payment_intents/{}{verb}",
        payment.payment_intent
    );
    let secret = ("client_secret", payment.client_secret.clone());
    let fields = fields
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .chain([secret])
        .collect();
    let key = format!("Bearer {}", browser.site.publishable_key);
    let headers = vec![
        ("authorization", key),
        ("stripe-account", payment.account.clone()),
    ];
    Request {
        headers,
        ..Request::form(path, fields)
    }
}

/// What the provider holds for one connected account, in cents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    pub captured: i64,
    /// What is left of them after fee refunds.
    pub application_fees: i64,
    pub refunded: i64,
    pub payments: i64,
}

/// Everything the sandbox's ledger says.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub accounts: Vec<(String, Holding)>,
    /// Payment intents in any state.
    pub intents: i64,
    /// Authorised, and neither captured nor canceled.
    pub authorised: i64,
}

/// `GET /sandbox/ledger`, without the payments of these ids.
pub async fn ledger(browser: &Browser, without: &HashSet<String>) -> Result<Ledger> {
    let request = Request::get("/sandbox/ledger?detail=1");
    let answer = browser
        .ask(Call::Club, &request)
        .await
        .context("no sandbox ledger")?;
    let (true, Some(accounts)) = (answer.ok(), answer.body["accounts"].as_object()) else {
        bail!(
            "the sandbox's ledger answered {}: {}",
            answer.status,
            answer.body
        );
    };
    let cents = |value: &Value, field: &str| number(value, field).unwrap_or(0);
    let holding = |value: &Value| Holding {
        captured: cents(value, "/captured"),
        application_fees: cents(value, "/fees") - cents(value, "/fees_refunded"),
        refunded: cents(value, "/refunded"),
        payments: cents(value, "/count"),
    };
    let mut accounts: BTreeMap<String, Holding> = accounts
        .iter()
        .map(|(account, value)| (account.clone(), holding(value)))
        .collect();
    let captured = answer.body["captured"].as_array().into_iter().flatten();
    for payment in captured.filter(|payment| {
        payment["paymentIntent"]
            .as_str()
            .is_some_and(|id| without.contains(id))
    }) {
        let account = payment["account"].as_str().unwrap_or_default();
        let holding = accounts
            .get_mut(account)
            .context("a payment of no account")?;
        holding.captured -= cents(payment, "/amount");
        holding.application_fees -= cents(payment, "/fee") - cents(payment, "/feeRefunded");
        holding.refunded -= cents(payment, "/refunded");
        holding.payments -= 1;
    }
    let intents = answer.body["total"]["intents"].as_object();
    Ok(Ledger {
        accounts: accounts.into_iter().collect(),
        intents: intents
            .into_iter()
            .flatten()
            .filter_map(|(_, count)| count.as_i64())
            .sum(),
        authorised: cents(&answer.body, "/total/authorised_count"),
    })
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
        Answer {
            status,
            body,
            retry_after: None,
        }
    }

    #[test]
    fn a_repeated_confirmation_reads_as_authorised() {
        let first = answer(200, json!({"status": "requires_capture"}));
        let again = answer(
            400,
            json!({"error": {"code": "payment_intent_unexpected_state", "payment_intent": {"status": "requires_capture"}}}),
        );
        assert_eq!(
            strongest([&first, &again].into_iter().map(said)),
            Said::Authorised
        );
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
        assert_eq!(
            Payment::read(&answer(200, whole)).map(|payment| payment.amount_cents),
            Some(500)
        );
        assert_eq!(
            Payment::read(&answer(
                200,
                json!({"paymentIntentId": "pi_1", "amount": 5})
            )),
            None
        );
    }
}
