//! Refunds that are pending, fail or are not covered by the club's balance, and disputes that end,
//! with the sandbox as provider.

use domain::DrawId;
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const MINUTE_SECONDS: i64 = 60;

struct Console {
    server: TestServer,
    draw: DrawId,
    operator: Buyer,
    alice: Buyer,
}

impl Console {
    async fn start() -> Console {
        let server = TestServer::start().await;
        let draw = server.create_club_with_draw().await;
        server.create_operator().await;
        let operator = club::sign_in_as_operator(&server).await;
        let alice = server.alice();
        Console {
            server,
            draw,
            operator,
            alice,
        }
    }

    async fn control(&self, path: &str, body: Value) {
        self.alice
            .post(&format!("/sandbox/{path}"), body)
            .await
            .ok();
    }

    async fn set_funding(&self, funding: &str) {
        let body = json!({ "account": "acct_broncos", "funding": funding });
        self.control("refund_funding", body).await;
    }

    async fn order_path(&self, intent: &Intent) -> String {
        let order = self
            .server
            .state
            .payments
            .order_by_token(intent.token())
            .await
            .expect("the read succeeds")
            .expect("an order");
        format!("/api/admin/orders/{}", order.order.id)
    }

    async fn refund(&self, intent: &Intent) -> Value {
        let path = format!("{}/refund", self.order_path(intent).await);
        self.operator
            .post(&path, json!({ "reason": "Bought twice" }))
            .await
            .ok()
    }

    async fn order(&self, intent: &Intent) -> Value {
        let path = self.order_path(intent).await;
        self.operator.get(&path).await.ok()
    }

    async fn open_anomalies(&self) -> Vec<Value> {
        let path = "/api/admin/payment-anomalies?status=unresolved";
        let open = self.operator.get(path).await.ok();
        open.as_array().expect("a list").clone()
    }

    /// Expects the only open anomaly to be an owed refund in this state, which only a reason closes.
    async fn expect_owed_refund(&self, refund_state: &str) {
        let open = self.open_anomalies().await;
        assert_eq!(open.len(), 1, "{open:?}");
        assert_eq!(open[0]["type"], "owed_refund");
        assert_eq!(open[0]["details"]["refundState"], refund_state);
        let id = open[0]["id"].as_str().expect("an id");
        self.operator
            .post(
                &format!("/api/admin/payment-anomalies/{id}/resolve"),
                json!({}),
            )
            .await
            .expect_refusal(409, "needs-reason");
        assert_eq!(self.open_anomalies().await, open);
    }

    /// Waits for the only open anomaly, and returns its note.
    async fn anomaly_note(&self) -> String {
        eventually("an anomaly is open", async || {
            let open = self.open_anomalies().await;
            let note = open.first()?["details"]["note"].as_str()?.to_string();
            assert_eq!(open.len(), 1, "{open:?}");
            Some(note)
        })
        .await
    }

    async fn wait_until_no_anomaly_is_open(&self) {
        eventually("no anomaly is open", async || {
            self.open_anomalies().await.is_empty().then_some(())
        })
        .await;
    }
}

#[actix_web::test]
async fn refund_waiting_for_balance_is_shown_and_heals() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    console.set_funding("pending").await;
    console.refund(&intent).await;
    let low = "the refund waits: the club's balance at the provider is too low";
    assert_eq!(console.anomaly_note().await, low);
    console.expect_owed_refund("pending").await;
    let shown = console.alice.wait_for_status(&intent, "refunding").await;
    assert_eq!(shown["refund"]["state"], "pending");
    console.server.next_mail("refund-pending").await;
    let order = console.order(&intent).await;
    assert_eq!(order["refund"]["state"], "pending");
    assert_eq!(order["refund"]["detail"], format!("{low}."));
    console.set_funding("covered").await;
    console.alice.wait_for_status(&intent, "refunded").await;
    console.wait_until_no_anomaly_is_open().await;
    console.server.next_mail("refunded").await;
    console.server.finish().await;
}

#[actix_web::test]
async fn refused_refund_of_a_low_balance_is_tried_again() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    console.set_funding("refused").await;
    console.refund(&intent).await;
    let low = "the refund waits: the club's balance at the provider is too low";
    assert_eq!(console.anomaly_note().await, low);
    assert_eq!(
        console.alice.fetch_order_of(&intent).await["status"],
        "refunding"
    );
    console.expect_owed_refund("pending").await;
    let detail = console.order(&intent).await["refund"]["detail"].clone();
    assert_eq!(detail, format!("{low}. It is tried again."));
    let club = club::sign_in_as_club(&console.server, "broncos").await;
    for (reader, words) in [
        (&console.operator, "It is tried again for a month."),
        (&club, "Add funds in Stripe"),
    ] {
        let listed = reader.get("/api/stripe-debug").await.ok();
        let note = listed[0]["refundNote"].as_str().unwrap_or_default();
        assert!(note.contains(words), "{listed}");
    }
    console.set_funding("covered").await;
    console.server.clock.advance_seconds(6 * MINUTE_SECONDS);
    console.alice.wait_for_status(&intent, "refunded").await;
    console.wait_until_no_anomaly_is_open().await;
    console.server.finish().await;
}

#[actix_web::test]
async fn refund_that_fails_later_is_owed_and_can_be_repeated() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    console.refund(&intent).await;
    console.alice.wait_for_status(&intent, "refunded").await;
    let failed = json!({ "paymentIntent": intent.id(), "status": "failed",
        "failureReason": "lost_or_stolen_card" });
    console.control("refund", failed).await;
    let shown = console
        .alice
        .wait_for_status(&intent, "refund_failed")
        .await;
    assert_eq!(
        shown["refund"],
        json!({ "state": "failed", "amount": "10.00" })
    );
    let note = console.anomaly_note().await;
    assert!(note.contains("lost or stolen"), "{note}");
    console.expect_owed_refund("failed").await;
    // The two mails are sent at the same time, in any order.
    let mut missing = vec!["refund-failed", "refund-failed-operator"];
    while !missing.is_empty() {
        let mail = console.server.next_mail_of_any_kind().await;
        missing.retain(|kind| *kind != mail.kind);
    }
    let order = console.order(&intent).await;
    assert_eq!(order["refund"]["state"], "failed");
    assert_eq!(order["refundable"], true);
    console.refund(&intent).await;
    console.alice.wait_for_status(&intent, "refunded").await;
    console.wait_until_no_anomaly_is_open().await;
    console.server.finish().await;
}

#[actix_web::test]
async fn disputed_payment_is_not_refunded_and_a_won_dispute_heals() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    console.server.start_game(console.draw).await;
    let payment = json!({ "paymentIntent": intent.id() });
    console.control("dispute", payment).await;
    assert_eq!(
        console.anomaly_note().await,
        "the buyer's bank disputes the payment"
    );
    let path = format!("{}/refund", console.order_path(&intent).await);
    let refused = console
        .operator
        .post(&path, json!({ "reason": "Bought twice" }))
        .await
        .expect_refusal(409, "payment-disputed");
    assert!(
        refused["message"].as_str().unwrap().contains("bank"),
        "{refused}"
    );
    assert_eq!(console.order(&intent).await["refund"], Value::Null);
    assert_eq!(console.server.sandbox.ledger()["total"]["refund_count"], 0);
    let won = json!({ "paymentIntent": intent.id(), "status": "won" });
    console.control("dispute/status", won).await;
    console.wait_until_no_anomaly_is_open().await;
    let notices = console.order(&intent).await["bankNotices"].clone();
    let texts: Vec<&str> = notices
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|notice| notice["text"].as_str())
        .collect();
    assert!(
        texts.iter().any(|text| text.contains("won the dispute")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.contains("returned the money")),
        "{texts:?}"
    );
    console.refund(&intent).await;
    console.alice.wait_for_status(&intent, "refunded").await;
    console.server.finish().await;
}

#[actix_web::test]
async fn lost_dispute_stays_reported() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    console.server.start_game(console.draw).await;
    let payment = json!({ "paymentIntent": intent.id() });
    console.control("dispute", payment).await;
    console.anomaly_note().await;
    let lost = json!({ "paymentIntent": intent.id(), "status": "lost" });
    console.control("dispute/status", lost).await;
    eventually("the lost dispute is shown", async || {
        let notices = console.order(&intent).await["bankNotices"].clone();
        notices
            .to_string()
            .contains("lost the dispute")
            .then_some(())
    })
    .await;
    console.server.wait_until_idle().await;
    assert_eq!(
        console.anomaly_note().await,
        "the club lost the dispute: the buyer's bank keeps the payment"
    );
    assert_eq!(
        console.alice.fetch_order_of(&intent).await["status"],
        "succeeded"
    );
    console.server.finish().await;
}

#[actix_web::test]
async fn inquiry_and_fraud_warning_are_notes_for_the_operator() {
    let console = Console::start().await;
    let (intent, _) = console.alice.buy(console.draw, 2).await;
    let inquiry = json!({ "paymentIntent": intent.id(), "status": "warning_needs_response" });
    console.control("dispute", inquiry).await;
    let warning = json!({ "paymentIntent": intent.id(), "fraudType": "made_with_stolen_card" });
    console.control("early_fraud_warning", warning).await;
    eventually("both notices are shown", async || {
        let notices = console.order(&intent).await["bankNotices"].to_string();
        (notices.contains("Inquiry") && notices.contains("the card was stolen")).then_some(())
    })
    .await;
    console.server.next_mail("inquiry").await;
    console.server.wait_until_idle().await;
    assert_eq!(console.open_anomalies().await, Vec::<Value>::new());
    assert_eq!(
        console.alice.fetch_order_of(&intent).await["status"],
        "succeeded"
    );
    console.server.finish().await;
}
