//! A club's own sales in its Stripe account are no business of the platform (decision M-10).

use actors::payments::signature::sign;
use domain::ForeignPaymentKind;
use sandbox::foreign_payment::ForeignPayment;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::security::webhooks::{WEBHOOK_SECRET, count_stored_events, send_webhook};
use crate::support::server::eventually;
use crate::support::{TestServer, club};

const FOREIGN_PAYMENTS: usize = 1_000;
/// Events of one foreign payment that show it: `payment_intent.created`, and that it was authorised
/// or captured.
const EVENTS_PER_PAYMENT: u64 = 2;

/// Makes payments of the club and of another application: captured and authorised, with and without
/// the order id of a shop.
fn make_foreign_payments(server: &TestServer) -> Vec<String> {
    let make = |number: usize| {
        let payment = ForeignPayment {
            account: "acct_broncos".into(),
            amount: 500 + number as i64,
            authorised: number.is_multiple_of(2),
            order_id: (!number.is_multiple_of(3)).then(|| Uuid::new_v4().to_string()),
            application: number
                .is_multiple_of(5)
                .then(|| "ca_ticket_shop".to_string()),
        };
        server.sandbox.make_foreign_payment(&payment)
    };
    (0..FOREIGN_PAYMENTS).map(make).collect()
}

fn count_seen(server: &TestServer) -> u64 {
    let counts = server.state.payments.metrics().foreign_payments();
    counts.into_iter().map(|(_, count)| count).sum()
}

#[actix_web::test]
async fn thousand_foreign_payments_are_never_touched() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let alice = server.alice();
    let (bought, _) = alice.buy(draw, 2).await;
    let foreign = make_foreign_payments(&server);
    let expected = EVENTS_PER_PAYMENT * FOREIGN_PAYMENTS as u64;
    eventually("every event of a foreign payment is counted", async || {
        (count_seen(&server) >= expected).then_some(())
    })
    .await;
    let report = operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    assert_eq!(report["newAnomalies"], 0);
    let counted = server.state.payments.metrics().foreign_payments();
    for (kind, count) in counted {
        let is_made = matches!(
            kind,
            ForeignPaymentKind::NoApplication | ForeignPaymentKind::OtherApplication
        );
        assert_eq!(count > 0, is_made, "{kind:?}: {count}");
    }

    let anomalies = server.store.anomalies(false, 10).await;
    assert_eq!(anomalies.expect("anomalies").len(), 0);
    let writes = server.sandbox.call_log().platform_writes;
    assert!(
        writes.iter().any(|write| write.contains(bought.id())),
        "the log has the platform's own payment: {writes:?}"
    );
    let touched: Vec<&String> = writes
        .iter()
        .filter(|write| foreign.iter().any(|id| write.contains(id)))
        .collect();
    assert_eq!(touched, Vec::<&String>::new());
    let refunds = writes.iter().filter(|write| write.contains("refunds"));
    assert_eq!(refunds.count(), 0, "a refund names its payment in the body");
    let stored_rows = "select
        (select count(*) from webhook_events where payment_intent_id = any(string_to_array($1, ',')))
        + (select count(*) from provider_pi where payment_intent_id = any(string_to_array($1, ',')))";
    let ids = foreign.join(",");
    let stored = server.database.query_number(stored_rows, &ids).await;
    assert_eq!(stored, 0, "nothing of a foreign payment is stored");
    server.finish().await;
}

#[actix_web::test]
async fn event_of_unknown_account_is_acknowledged_but_not_stored() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let alice = server.alice();
    let send = async |id: &str, account: &str, kind: &str, object: Value| {
        let event = json!({ "id": id, "type": kind, "account": account, "livemode": false,
            "data": { "object": object } })
        .to_string();
        let header = sign(event.as_bytes(), WEBHOOK_SECRET, server.now());
        assert_eq!(send_webhook(&alice, event, &header).await, 200, "{id}");
    };
    let payout = json!({ "object": "payout", "id": "po_1" });
    let refund = json!({ "object": "refund", "id": "re_1", "payment_intent": "pi_of_nobody" });
    let sale = json!({ "object": "payment_intent", "id": "pi_1", "application": null,
        "metadata": { "order_id": "00000000-0000-4000-8000-000000000001" } });
    send("evt_no_1", "acct_nobody", "payout.paid", payout.clone()).await;
    send("evt_no_2", "acct_nobody", "refund.updated", refund.clone()).await;
    send(
        "evt_no_3",
        "acct_nobody",
        "payment_intent.succeeded",
        sale.clone(),
    )
    .await;
    send("evt_no_4", "acct_broncos", "payment_intent.succeeded", sale).await;
    assert_eq!(count_stored_events(&server, "evt_no").await, 0);
    let metrics = server.state.payments.metrics();
    assert_eq!(
        (metrics.unknown_account_events(), count_seen(&server)),
        (3, 1)
    );
    send("evt_yes_1", "acct_broncos", "payout.paid", payout).await;
    send("evt_yes_2", "acct_broncos", "refund.updated", refund).await;
    assert_eq!(
        count_stored_events(&server, "evt_yes").await,
        2,
        "events that may concern the platform are stored"
    );
    server.finish().await;
}
