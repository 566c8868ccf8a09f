//! Receives Stripe webhook events. The signature over the raw bytes is verified and the event is
//! stored once before the response; a worker processes it later (decision B-1).

use actix_web::{HttpRequest, HttpResponse, web};
use actors::payments::signature;
use actors::payments::stripe::ORDER_METADATA_KEY;
use domain::{AccountId, ApplicationId, OrderState, PaymentIntentId, PaymentOrigin};
use persistence::stores::StoredWebhookEvent;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::api::error::Problem;
use crate::checkout;
use crate::http::routes::body::unreadable_body_problem;
use crate::state::State;

/// The event types that the Stripe endpoint subscribes to (decision B-1).
///
/// Unused types are left out, because each event costs a request, two writes and perhaps an API
/// call.
pub const SUBSCRIBED_EVENT_TYPES: [&str; 19] = [
    "payment_intent.amount_capturable_updated",
    "payment_intent.succeeded",
    "payment_intent.processing",
    "payment_intent.payment_failed",
    "payment_intent.canceled",
    "charge.refunded",
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
    "radar.early_fraud_warning.created",
    "account.updated",
    "account.application.deauthorized",
    "payout.paid",
    "payout.failed",
];

/// The paths that receive events. The last one is the one to give to Stripe.
pub const WEBHOOK_PATHS: [&str; 2] = ["/api/stripe/webhook", "/api/webhooks/stripe"];

/// Handles `POST /api/stripe/webhook` and `POST /api/webhooks/stripe`.
pub async fn receive_event(
    request: HttpRequest,
    state: web::Data<State>,
    body: Result<web::Bytes, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let body = body.map_err(unreadable_body_problem)?;
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
        tracing::warn!(%bad, "webhook event refused");
        state.metrics.count_refused_webhook(bad);
        return Err(Problem::bad_request(
            "bad-signature",
            "The signature does not match.",
        ));
    }
    // A signed event that cannot be parsed has a newer format. Acknowledge it, because Stripe would
    // otherwise resend the event for days.
    let Some(event) = WebhookEvent::parse(&body) else {
        return Ok(HttpResponse::Ok().finish());
    };
    if event.livemode != expects_live_events(&state) {
        return Ok(HttpResponse::Ok().finish());
    }
    // An event of others is acknowledged, because Stripe would otherwise resend it for days.
    if !state
        .payments
        .is_relevant_event(&event.notice, event.origin.as_ref())
        .await?
    {
        return Ok(HttpResponse::Ok().finish());
    }
    if let Some(account) = &event.changed_account {
        refresh_account(&state, account, &event.notice.event_id).await?;
    }
    let declined = event.declined;
    if state.payments.store_webhook_event(event.notice).await?
        && let Some(declined) = declined
    {
        record_decline(&state, &declined).await?;
    }
    Ok(HttpResponse::Ok().finish())
}

/// Reads a connected account's status from Stripe before the event about the account is stored. If
/// the status cannot be read now, the event is refused, so that Stripe sends it again.
async fn refresh_account(
    state: &State,
    account: &AccountId,
    event_id: &str,
) -> Result<(), Problem> {
    if state.records.is_webhook_event_known(event_id).await?
        || state.connected_accounts().refresh_status(account).await?
    {
        return Ok(());
    }
    Err(Problem::unavailable())
}

/// Counts a declined card. After too many declines the browser may open no payment for some
/// minutes, and its open order is abandoned (decision G-13).
async fn record_decline(state: &State, declined: &CardDecline) -> Result<(), Problem> {
    let Some(record) = state
        .payments
        .order_by_payment_intent(&declined.payment_intent)
        .await?
    else {
        return Ok(());
    };
    let browser = state.open_orders.browser_of(record.order.id);
    let enough = state.limits.count_decline(
        browser.as_ref().map(|browser| &browser.0),
        declined.card.as_deref(),
    );
    if enough && record.order.state == OrderState::Quoted {
        let after = state.payments.abandon(record.order.id).await?;
        if let Some(browser) = browser {
            checkout::stop_tracking_if_ended(state, &browser, record.order.id, after);
        }
        state.live.mark_order_changed(&record.token);
    }
    Ok(())
}

/// Whether only live events are accepted. Stripe Connect sends test events to live endpoints too
/// (finding F19 of reliability.md).
fn expects_live_events(state: &State) -> bool {
    state.config.stripe.secret_key.expose().contains("_live_")
}

/// The used fields of a Stripe event. A field of another type than expected counts as absent.
#[derive(Deserialize)]
struct EventEnvelope {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "text_or_none")]
    account: Option<String>,
    #[serde(default)]
    livemode: bool,
    #[serde(default)]
    data: EventData,
}

/// The field `data` of a Stripe event.
#[derive(Default, Deserialize)]
struct EventData {
    #[serde(default)]
    object: EventObject,
}

/// The Stripe object that an event is about, such as a charge.
#[derive(Default, Deserialize)]
struct EventObject {
    #[serde(default, deserialize_with = "text_or_none")]
    object: Option<String>,
    #[serde(default, deserialize_with = "text_or_none")]
    id: Option<String>,
    #[serde(default, deserialize_with = "text_or_none")]
    payment_intent: Option<String>,
    /// The application that created the object. Absent and `null` differ: refunds and disputes have
    /// no such field.
    #[serde(default, deserialize_with = "some_value")]
    application: Option<Value>,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    last_payment_error: Value,
}

impl EventObject {
    /// Returns the marks of the payment that the object is or belongs to. `None`: the object does
    /// not show them.
    fn origin(&self) -> Option<PaymentOrigin> {
        let is_payment = matches!(self.object.as_deref(), Some("payment_intent" | "charge"));
        let application = self.application.as_ref().filter(|_| is_payment)?;
        let id = application.as_str().or_else(|| application["id"].as_str());
        Some(PaymentOrigin {
            application: id.map(|id| ApplicationId(id.to_owned())),
            has_order_key: self.metadata.get(ORDER_METADATA_KEY).is_some(),
        })
    }
}

/// Reads a field that is there. Without this, serde reads `null` as if the field were absent.
fn some_value<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

fn text_or_none<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// A parsed webhook event.
struct WebhookEvent {
    livemode: bool,
    /// The connected account whose status changed; `None` for other events.
    changed_account: Option<AccountId>,
    declined: Option<CardDecline>,
    /// The marks of the event's payment; `None`: the event does not show them.
    origin: Option<PaymentOrigin>,
    notice: StoredWebhookEvent,
}

/// A declined card payment.
struct CardDecline {
    payment_intent: PaymentIntentId,
    /// Stripe's fingerprint of the card, the same in every payment.
    card: Option<String>,
}

impl WebhookEvent {
    fn parse(body: &[u8]) -> Option<WebhookEvent> {
        let payload = std::str::from_utf8(body).ok()?;
        let envelope: EventEnvelope = serde_json::from_str(payload).ok()?;
        let (sender, object) = (envelope.account, envelope.data.object);
        let origin = object.origin();
        let changed_account = match envelope.kind.as_str() {
            // Ignore an event whose `account` is another account than the updated one.
            "account.updated" => object
                .id
                .clone()
                .filter(|id| sender.as_ref().is_none_or(|sender| sender == id))
                .map(AccountId),
            "account.application.deauthorized" => sender.clone().map(AccountId),
            _ => None,
        };
        // Use the object's own id if it is a payment intent, else the payment intent of the charge,
        // refund or dispute.
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
            .filter(|_| envelope.kind == "payment_intent.payment_failed")
            .map(|payment_intent| CardDecline {
                payment_intent,
                card: card.as_str().map(str::to_string),
            });
        let notice = StoredWebhookEvent {
            event_id: envelope.id,
            account: sender,
            kind: envelope.kind,
            payment_intent,
            payload: payload.to_string(),
        };
        Some(WebhookEvent {
            livemode: envelope.livemode,
            changed_account,
            declined,
            origin,
            notice,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_yields_its_payment_intent() {
        let intent = br#"{"id":"evt_1","type":"payment_intent.succeeded","account":"acct_1","livemode":false,
            "data":{"object":{"object":"payment_intent","id":"pi_1"}}}"#;
        let event = WebhookEvent::parse(intent).expect("an event");
        assert_eq!(
            event.notice.payment_intent,
            Some(PaymentIntentId("pi_1".into()))
        );
        assert_eq!(event.notice.account.as_deref(), Some("acct_1"));
        let charge = br#"{"id":"evt_2","type":"charge.refunded",
            "data":{"object":{"object":"charge","id":"ch_1","payment_intent":"pi_1"}}}"#;
        let event = WebhookEvent::parse(charge).expect("an event");
        assert_eq!(
            event.notice.payment_intent,
            Some(PaymentIntentId("pi_1".into()))
        );
        assert!(event.declined.is_none());
        assert!(WebhookEvent::parse(b"{}").is_none());
        assert!(WebhookEvent::parse(b"\xff").is_none());
    }

    #[test]
    fn failed_payment_yields_the_declined_card() {
        let body =
            br#"{"id":"evt_4","type":"payment_intent.payment_failed","data":{"object":{"object":"payment_intent",
            "id":"pi_1","last_payment_error":{"payment_method":{"card":{"fingerprint":"f1"}}}}}}"#;
        let declined = WebhookEvent::parse(body)
            .and_then(|event| event.declined)
            .expect("a decline");
        assert_eq!(
            (declined.payment_intent.0.as_str(), declined.card.as_deref()),
            ("pi_1", Some("f1"))
        );
    }

    #[test]
    fn account_update_counts_only_from_the_account_itself() {
        let body = br#"{"id":"evt_3","type":"account.updated","data":{"object":{"object":"account","id":"acct_1",
            "charges_enabled":true}}}"#;
        let account = |body: &[u8]| {
            WebhookEvent::parse(body)
                .expect("an event")
                .changed_account
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
