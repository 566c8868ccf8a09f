//! The payment provider's API for browsers, as the script of the payment page uses it, with
//! publishable key and client secret. The sandbox's answers are a second source about every
//! purchase, independent of the server.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result, bail};
use reqwest::Method;
use serde_json::Value;

use crate::browser::{Browser, Request, RequestBody, ServerResponse, json_number_at};
use crate::latency::CallKind;

/// A payment that the server opened for a browser, with the data for the order page and the
/// provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payment {
    pub intent: String,
    pub client_secret: String,
    pub account: String,
    /// The secret token of the order page.
    pub token: String,
    pub reservation: String,
    pub amount_cents: i64,
}

impl Payment {
    /// Reads the payment in a response to `create-payment-intent`. Returns `None` if the response
    /// contains none.
    pub fn from_open_response(answer: &ServerResponse) -> Option<Self> {
        let payment = Self {
            intent: answer.body_text_at("/paymentIntentId"),
            client_secret: answer.body_text_at("/clientSecret"),
            account: answer.body_text_at("/connectedAccountId"),
            token: answer.body_text_at("/orderToken"),
            reservation: answer.body_text_at("/reservationId"),
            amount_cents: json_number_at(&answer.body, "/amount")?,
        };
        (!payment.intent.is_empty() && !payment.client_secret.is_empty()).then_some(payment)
    }
}

/// What the provider answers when a card is confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardOutcome {
    Authorised,
    Declined,
    /// The bank requires an authentication by the buyer.
    AuthenticationRequired,
    /// The payment intent is canceled. Nothing was charged, and nothing will be.
    Canceled,
    NoAnswer,
    Unexpected(String),
}

pub const GOOD_CARD: &str = "pm_card_visa";
pub const DECLINED_CARD: &str = "pm_card_chargeDeclined";
pub const AUTHENTICATION_CARD: &str = "pm_card_authenticationRequired";

/// Confirms a payment with a card. If `insistent` is set, the call is repeated as the run's
/// settings say. The provider refuses a repeated confirmation, and reports the status of the
/// payment intent.
pub async fn confirm_payment(
    browser: &Browser,
    payment: &Payment,
    method: &str,
    insistent: bool,
) -> CardOutcome {
    let request = intent_request(browser, payment, "/confirm", &[("payment_method", method)]);
    let answers = if insistent {
        browser.send_repeatedly(CallKind::Card, &request).await
    } else {
        browser
            .send_with_retries(CallKind::Card, &request)
            .await
            .into_iter()
            .collect()
    };
    most_advanced_outcome(answers.iter().map(card_outcome))
}

/// Passes the authentication that the bank requires.
pub async fn authenticate_buyer(browser: &Browser, payment: &Payment) -> CardOutcome {
    let request = intent_request(
        browser,
        payment,
        "/authenticate",
        &[("outcome", "complete")],
    );
    let answers = browser.send_repeatedly(CallKind::Card, &request).await;
    most_advanced_outcome(answers.iter().map(card_outcome))
}

/// Returns the status of the payment intent according to the provider. `None` when the provider did
/// not answer.
pub async fn intent_status(browser: &Browser, payment: &Payment) -> Option<String> {
    let intent_request = intent_request(browser, payment, "", &[]);
    let path = format!(
        "{}?client_secret={}",
        intent_request.path, payment.client_secret
    );
    let request = Request {
        method: Method::GET,
        path,
        body: RequestBody::Nothing,
        headers: intent_request.headers,
    };
    let answer = browser.send_with_retries(CallKind::Card, &request).await?;
    answer.ok().then(|| answer.body_text_at("/status"))
}

/// Builds a request about one payment intent, with publishable key and client secret, as the
/// browser sends it.
fn intent_request(
    browser: &Browser,
    payment: &Payment,
    verb: &str,
    fields: &[(&'static str, &str)],
) -> Request {
    let path = format!(
        "/sandbox/stripe/v1/payment_intents/{}{verb}",
        payment.intent
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
        ..Request::post_form(path, fields)
    }
}

/// The sums of one connected account according to the provider, in cents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountBalance {
    pub captured: i64,
    /// Application fees that the platform took, less fee refunds.
    pub application_fees: i64,
    pub refunded: i64,
    pub payments: i64,
}

/// Charges and refunds as the payment sandbox has recorded them.
#[derive(Clone, Debug, Default)]
pub struct ProviderLedger {
    pub accounts: Vec<(String, AccountBalance)>,
    /// Number of payment intents in any state.
    pub intents: i64,
    /// Number of payment intents that are authorised, and neither captured nor canceled.
    pub authorised: i64,
}

impl ProviderLedger {
    /// Returns the number of captured payments.
    pub fn payments(&self) -> i64 {
        let balances = self.accounts.iter().map(|(_, balance)| balance.payments);
        balances.sum()
    }
}

/// Reads `GET /sandbox/ledger`. Leaves out the payments whose ids are in `without`.
pub async fn fetch_ledger(browser: &Browser, without: &HashSet<String>) -> Result<ProviderLedger> {
    let request = Request::get("/sandbox/ledger?detail=1");
    let answer = browser
        .send_with_retries(CallKind::Club, &request)
        .await
        .context("no sandbox ledger")?;
    let (true, Some(accounts)) = (answer.ok(), answer.body["accounts"].as_object()) else {
        bail!(
            "the sandbox's ledger answered {}: {}",
            answer.status,
            answer.body
        );
    };
    let cents = |value: &Value, field: &str| json_number_at(value, field).unwrap_or(0);
    let holding = |value: &Value| AccountBalance {
        captured: cents(value, "/captured"),
        application_fees: cents(value, "/fees") - cents(value, "/fees_refunded"),
        refunded: cents(value, "/refunded"),
        payments: cents(value, "/count"),
    };
    let mut accounts: BTreeMap<String, AccountBalance> = accounts
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
    Ok(ProviderLedger {
        accounts: accounts.into_iter().collect(),
        intents: intents
            .into_iter()
            .flatten()
            .filter_map(|(_, count)| count.as_i64())
            .sum(),
        authorised: cents(&answer.body, "/total/authorised_count"),
    })
}

/// Number of the server's calls to the provider by endpoint.
pub type CallCounts = BTreeMap<String, u64>;

/// Reads `GET /sandbox/calls`: the calls with the platform's secret key since the sandbox began.
pub async fn fetch_platform_calls(browser: &Browser) -> Result<CallCounts> {
    let request = Request::get("/sandbox/calls");
    let answer = browser
        .send_with_retries(CallKind::Club, &request)
        .await
        .context("no sandbox calls")?;
    let (true, Some(counts)) = (answer.ok(), answer.body["platform"].as_object()) else {
        bail!(
            "the sandbox's calls answered {}: {}",
            answer.status,
            answer.body
        );
    };
    Ok(counts
        .iter()
        .map(|(endpoint, count)| (endpoint.clone(), count.as_u64().unwrap_or(0)))
        .collect())
}

fn card_outcome(answer: &ServerResponse) -> CardOutcome {
    let status = match answer.body_text_at("/status") {
        text if text.is_empty() => answer.body_text_at("/error/payment_intent/status"),
        text => text,
    };
    match (status.as_str(), answer.body_text_at("/error/code").as_str()) {
        ("requires_capture" | "succeeded" | "processing", _) => CardOutcome::Authorised,
        ("requires_action", _) => CardOutcome::AuthenticationRequired,
        ("canceled", _) => CardOutcome::Canceled,
        (_, "card_declined") => CardOutcome::Declined,
        _ => CardOutcome::Unexpected(format!("{} {}", answer.status, answer.body)),
    }
}

/// Returns the most advanced of several outcomes of one payment intent. An authorised intent stays
/// authorised, even if a later answer reports less.
fn most_advanced_outcome(answers: impl Iterator<Item = CardOutcome>) -> CardOutcome {
    let weight = |card_outcome: &CardOutcome| match card_outcome {
        CardOutcome::Canceled => 5,
        CardOutcome::Authorised => 4,
        CardOutcome::AuthenticationRequired => 3,
        CardOutcome::Declined => 2,
        CardOutcome::Unexpected(_) => 1,
        CardOutcome::NoAnswer => 0,
    };
    answers.max_by_key(weight).unwrap_or(CardOutcome::NoAnswer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn server_response(status: u16, body: Value) -> ServerResponse {
        ServerResponse {
            status,
            body,
            retry_after: None,
        }
    }

    #[test]
    fn repeated_confirmation_reads_as_authorised() {
        let first = server_response(200, json!({"status": "requires_capture"}));
        let again = server_response(
            400,
            json!({"error": {"code": "payment_intent_unexpected_state", "payment_intent": {"status": "requires_capture"}}}),
        );
        assert_eq!(
            most_advanced_outcome([&first, &again].into_iter().map(card_outcome)),
            CardOutcome::Authorised
        );
    }

    #[test]
    fn decline_and_missing_answer_are_distinguished() {
        let declined = server_response(
            402,
            json!({"error": {"code": "card_declined", "payment_intent": {"status": "requires_payment_method"}}}),
        );
        assert_eq!(card_outcome(&declined), CardOutcome::Declined);
        assert_eq!(
            most_advanced_outcome(std::iter::empty()),
            CardOutcome::NoAnswer
        );
    }

    #[test]
    fn opened_payment_requires_secret_and_amount() {
        let whole = json!({"paymentIntentId": "pi_1", "clientSecret": "s", "amount": 500, "orderToken": "t"});
        assert_eq!(
            Payment::from_open_response(&server_response(200, whole))
                .map(|payment| payment.amount_cents),
            Some(500)
        );
        assert_eq!(
            Payment::from_open_response(&server_response(
                200,
                json!({"paymentIntentId": "pi_1", "amount": 5})
            )),
            None
        );
    }
}
