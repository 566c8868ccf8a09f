//! The provider's notices: signature checked over the raw bytes, stored once, answered, handled later (decision B-1).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::payment::signature;
use domain::{AccountId, OrderState, PaymentIntentId};
use persistence::books::Notice;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Problem;
use crate::routes::body::unreadable;
use crate::standing;
use crate::state::State;

/// What the provider is asked to tell (decision B-1), and that a buyer has authorised: the money is ours to take then. Every other
/// kind is a call to us, two writes and perhaps a question back, and tells nothing that anybody waits for.
pub const KINDS: [&str; 14] = [
    "payment_intent.amount_capturable_updated",
    "payment_intent.succeeded",
    "payment_intent.processing",
    "payment_intent.payment_failed",
    "payment_intent.canceled",
    "charge.refunded",
    "refund.updated",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "account.updated",
    "account.application.deauthorized",
    "payout.paid",
    "payout.failed",
];

pub async fn receive(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<web::Bytes, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let body = body.map_err(unreadable)?;
    let header = request
        .headers()
        .get("stripe-signature")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let secrets: Vec<String> = state
        .config
        .stripe
        .webhook_secrets
        .iter()
        .map(|secret| secret.expose().to_string())
        .collect();
    if let Err(bad) = signature::verify(&body, header, &secrets, state.clock.now()) {
        tracing::warn!(%bad, "a notice was refused");
        state.metrics.notice_refused(bad);
        return Err(Problem::bad_request(
            "bad-signature",
            "The signature does not match.",
        ));
    }
    // Signed and still unreadable is the provider's news of tomorrow: taken, so that it is not sent again for days.
    let Some(event) = Event::read(&body) else {
        return Ok(HttpResponse::Ok().finish());
    };
    if event.livemode != expects_live_events(&state) {
        return Ok(HttpResponse::Ok().finish());
    }
    if let Some(account) = &event.account_moved {
        hear_of(&state, account, &event.notice.event_id).await?;
    }
    let declined = event.declined;
    if state.payments.notice(event.notice).await?
        && let Some(declined) = declined
    {
        note_decline(&state, &declined).await?;
    }
    Ok(HttpResponse::Ok().finish())
}

/// What an account may do is asked before its notice is stored, once: one whose account cannot be asked now is not taken, and
/// comes again.
async fn hear_of(state: &State, account: &AccountId, event_id: &str) -> Result<(), Problem> {
    if state.records.notice_is_known(event_id).await? || standing::learn(state, account).await? {
        return Ok(());
    }
    Err(Problem::unavailable())
}

/// Who tries one card after the other, or one card again and again, is stopped for a while: nothing more is opened for that
/// browser, and what it has open is let go (decision G-13).
async fn note_decline(state: &State, declined: &Declined) -> Result<(), Problem> {
    let Some(record) = state
        .payments
        .order_by_payment_intent(&declined.payment_intent)
        .await?
    else {
        return Ok(());
    };
    let browser = state.open_orders.browser_of(record.order.id);
    let enough = state.limits.declined(
        browser.as_ref().map(|browser| &browser.0),
        declined.card.as_deref(),
    );
    if enough && record.order.state == OrderState::Quoted {
        state.payments.abandon(record.order.id).await?;
        if let Some(browser) = browser {
            state.open_orders.over(&browser, record.order.id);
        }
        state.live.order_moved(&record.token);
    }
    Ok(())
}

/// Connect sends test events to live endpoints too (reliability.md, F19).
fn expects_live_events(state: &State) -> bool {
    state.config.stripe.secret_key.expose().contains("_live_")
}

/// What is read of a notice; whatever else it says is passed over. A field that is no text says nothing.
#[derive(Deserialize)]
struct Told {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "text")]
    account: Option<String>,
    #[serde(default)]
    livemode: bool,
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
struct Data {
    #[serde(default)]
    object: Object,
}

#[derive(Default, Deserialize)]
struct Object {
    #[serde(default, deserialize_with = "text")]
    object: Option<String>,
    #[serde(default, deserialize_with = "text")]
    id: Option<String>,
    #[serde(default, deserialize_with = "text")]
    payment_intent: Option<String>,
    #[serde(default)]
    last_payment_error: Value,
}

fn text<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

struct Event {
    livemode: bool,
    /// Something has changed in what this account may do.
    account_moved: Option<AccountId>,
    declined: Option<Declined>,
    notice: Notice,
}

struct Declined {
    payment_intent: PaymentIntentId,
    /// The provider's name for the card, the same in every payment.
    card: Option<String>,
}

impl Event {
    fn read(body: &[u8]) -> Option<Event> {
        let payload = std::str::from_utf8(body).ok()?;
        let told: Told = serde_json::from_str(payload).ok()?;
        let (teller, object) = (told.account, told.data.object);
        let account_moved = match told.kind.as_str() {
            // Told by the account's own events: what another one's says of it is nobody's news.
            "account.updated" => object
                .id
                .clone()
                .filter(|id| teller.as_ref().is_none_or(|teller| teller == id))
                .map(AccountId),
            "account.application.deauthorized" => teller.clone().map(AccountId),
            _ => None,
        };
        // A payment intent names itself; charges, refunds and disputes name theirs.
        let is_payment_intent = object.object.as_deref() == Some("payment_intent");
        let payment_intent = if is_payment_intent {
            object.id
        } else {
            object.payment_intent
        }
        .map(PaymentIntentId);
        let card = &object.last_payment_error["payment_method"]["card"]["fingerprint"];
        let declined = payment_intent
            .clone()
            .filter(|_| told.kind == "payment_intent.payment_failed")
            .map(|payment_intent| Declined {
                payment_intent,
                card: card.as_str().map(str::to_string),
            });
        let notice = Notice {
            event_id: told.id,
            account: teller,
            kind: told.kind,
            payment_intent,
            payload: payload.to_string(),
        };
        Some(Event {
            livemode: told.livemode,
            account_moved,
            declined,
            notice,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_its_payment_intent() {
        let intent = br#"{"id":"evt_1","type":"payment_intent.succeeded","account":"acct_1","livemode":false,
            "data":{"object":{"object":"payment_intent","id":"pi_1"}}}"#;
        let event = Event::read(intent).expect("an event");
        assert_eq!(
            event.notice.payment_intent,
            Some(PaymentIntentId("pi_1".into()))
        );
        assert_eq!(event.notice.account.as_deref(), Some("acct_1"));
        let charge = br#"{"id":"evt_2","type":"charge.refunded",
            "data":{"object":{"object":"charge","id":"ch_1","payment_intent":"pi_1"}}}"#;
        let event = Event::read(charge).expect("an event");
        assert_eq!(
            event.notice.payment_intent,
            Some(PaymentIntentId("pi_1".into()))
        );
        assert!(event.declined.is_none());
        assert!(Event::read(b"{}").is_none());
        assert!(Event::read(b"\xff").is_none());
    }

    #[test]
    fn a_failed_payment_names_the_card_that_failed() {
        let body =
            br#"{"id":"evt_4","type":"payment_intent.payment_failed","data":{"object":{"object":"payment_intent",
            "id":"pi_1","last_payment_error":{"payment_method":{"card":{"fingerprint":"f1"}}}}}}"#;
        let declined = Event::read(body)
            .and_then(|event| event.declined)
            .expect("a decline");
        assert_eq!(
            (declined.payment_intent.0.as_str(), declined.card.as_deref()),
            ("pi_1", Some("f1"))
        );
    }

    #[test]
    fn an_account_is_named_by_its_own_events() {
        let body = br#"{"id":"evt_3","type":"account.updated","data":{"object":{"object":"account","id":"acct_1",
            "charges_enabled":true}}}"#;
        let account = |body: &[u8]| {
            Event::read(body)
                .expect("an event")
                .account_moved
                .map(|account| account.0)
        };
        assert_eq!(account(body).as_deref(), Some("acct_1"));
        let others =
            br#"{"id":"evt_3","type":"account.updated","account":"acct_2","data":{"object":{"object":"account",
            "id":"acct_1"}}}"#;
        assert_eq!(account(others), None);
        let gone = br#"{"id":"evt_5","type":"account.application.deauthorized","account":"acct_1","data":{"object":
            {"object":"application","id":"ca_1"}}}"#;
        assert_eq!(account(gone).as_deref(), Some("acct_1"));
    }
}
