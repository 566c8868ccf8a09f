//! A payment that matches no order (decision M-9). The operator refunds it, gives it tickets of a
//! chosen draw, or closes it with a reason.

use domain::{Anomaly, AnomalyKind, DrawId, PaymentIntentId};
use persistence::stores::AnomalyStore;
use serde_json::{Value, json};

use crate::support::buyer::ApiResponse;
use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{Buyer, TestServer, club};

const ANOMALIES_PATH: &str = "/api/admin/payment-anomalies";
/// Payment metadata that names no order. `METADATA_WITHOUT_DRAWS` likewise names no draws.
const METADATA_WITHOUT_ORDER: &str = "-";
const METADATA_WITHOUT_DRAWS: &str = "-";

struct AnomalyFixture {
    server: TestServer,
    draw: DrawId,
    operator: Buyer,
}

impl AnomalyFixture {
    async fn start() -> AnomalyFixture {
        let server = TestServer::start().await;
        let draw = server.create_club_with_draw().await;
        server.create_operator().await;
        let operator = club::sign_in_as_operator(&server).await;
        StripeDashboard::open(&server).set_faults(json!([])).await;
        AnomalyFixture {
            server,
            draw,
            operator,
        }
    }

    /// Captures a payment with the platform's fee, and runs the reconciler. Returns the payment's
    /// id.
    async fn capture_payment(&self, cents: i64) -> String {
        let payment = StripeDashboard::open(&self.server)
            .take_payment_with_fee(METADATA_WITHOUT_ORDER, METADATA_WITHOUT_DRAWS, cents)
            .await;
        self.operator
            .post(&format!("{ANOMALIES_PATH}/check"), json!({}))
            .await
            .ok();
        payment
    }

    async fn anomaly_of_payment(&self, payment: &str) -> Value {
        let all = self.operator.get(ANOMALIES_PATH).await.ok();
        all.as_array()
            .expect("a list")
            .iter()
            .find(|row| row["paymentIntentId"] == payment)
            .expect("the anomaly is raised")
            .clone()
    }

    async fn allocate_tickets_to_payment(&self, payment: &str, more: Value) -> ApiResponse {
        let mut form = json!({ "paymentIntentId": payment, "customerName": "Jo Lost", "customerEmail": "jo@x.test",
            "customerPhone": "0400 123 456" });
        form.as_object_mut()
            .expect("a form")
            .extend(more.as_object().expect("fields").clone());
        self.operator
            .post(&format!("{ANOMALIES_PATH}/resolve"), form)
            .await
    }

    async fn allocate_chosen_tickets(
        &self,
        payment: &str,
        draw: DrawId,
        count: i64,
    ) -> ApiResponse {
        self.allocate_tickets_to_payment(
            payment,
            json!({ "drawNumber": draw.0, "ticketCount": count }),
        )
        .await
    }

    async fn count_sold_tickets(&self) -> u16 {
        self.server
            .engine
            .draws
            .view(self.draw)
            .await
            .expect("the draw has a view")
            .sold
    }

    /// Returns the audit log's entries about an object, newest first.
    async fn fetch_audit_entries(&self, object: &str) -> Vec<Value> {
        let trail = self
            .operator
            .get(&format!("/api/admin/audit?object={object}"))
            .await
            .ok();
        trail["entries"].as_array().expect("entries").clone()
    }
}

fn audit_object_of_anomaly(anomaly: &Value) -> String {
    format!(
        "anomaly:{}",
        anomaly["id"].as_str().expect("the id is text")
    )
}

fn anomaly_path(anomaly: &Value, verb: &str) -> String {
    format!(
        "{ANOMALIES_PATH}/{}/{verb}",
        anomaly["id"].as_str().expect("the id is text")
    )
}

#[actix_web::test]
async fn payment_without_an_order_gets_the_chosen_tickets() {
    let fixture = AnomalyFixture::start().await;
    let AnomalyFixture {
        server,
        draw,
        operator,
    } = &fixture;
    let other_draw = server
        .create_draw(server.create_club("storm").await.id)
        .await;
    let payment = fixture.capture_payment(1_000).await;
    let missing = fixture.anomaly_of_payment(&payment).await;
    assert_eq!(
        (&missing["type"], &missing["orderId"]),
        (&json!("missing_ticket"), &Value::Null)
    );
    assert_eq!(
        missing["clubId"],
        json!(server.club_id("broncos").0),
        "the anomaly names the club that received the payment"
    );
    let named = operator.get(&anomaly_path(&missing, "tickets")).await.ok();
    assert_eq!(named, json!({ "orderId": null, "lines": [] }));

    let refusal = fixture
        .allocate_tickets_to_payment(&payment, json!({}))
        .await
        .expect_refusal(409, "order-unknown");
    let message =
        "No order of ours matches this payment. Choose a draw and a count, or refund the payment.";
    assert_eq!(
        (&refusal["message"], &refusal["refundable"]),
        (&json!(message), &json!(true))
    );
    let incomplete = fixture
        .allocate_tickets_to_payment(&payment, json!({ "drawNumber": draw.0 }))
        .await
        .expect_refusal(400, "invalid");
    assert_eq!(
        incomplete["message"],
        "Choose a draw and a count, or neither"
    );
    for count in [0, 51, -1] {
        let refusal = fixture
            .allocate_chosen_tickets(&payment, *draw, count)
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(refusal["message"], "Choose between 1 and 50 tickets");
    }
    fixture
        .allocate_chosen_tickets(&payment, DrawId(999_999), 2)
        .await
        .expect_refusal(404, "draw-not-found");
    let refusal = fixture
        .allocate_chosen_tickets(&payment, other_draw, 2)
        .await
        .expect_refusal(409, "other-club");
    let message =
        "This payment went to another club. Choose a draw of that club, or refund the payment.";
    assert_eq!(
        (&refusal["message"], &refusal["refundable"]),
        (&json!(message), &json!(true))
    );
    for count in [1, 3] {
        fixture
            .allocate_chosen_tickets(&payment, *draw, count)
            .await
            .expect_refusal(409, "payment-mismatch");
    }
    server.clock.advance_seconds(601);
    fixture
        .allocate_chosen_tickets(&payment, *draw, 2)
        .await
        .expect_refusal(403, "reauthentication-required");
    assert_eq!(
        fixture.count_sold_tickets().await,
        0,
        "a refused call allocates no ticket"
    );
    club::submit_unused_totp_code(server, operator, "/api/admin/reauthenticate").await;

    let allocated = fixture
        .allocate_chosen_tickets(&payment, *draw, 2)
        .await
        .ok();
    assert_eq!(
        allocated["allocatedTickets"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(
        fixture
            .allocate_chosen_tickets(&payment, *draw, 2)
            .await
            .ok(),
        allocated,
        "the repeated call returns the same tickets"
    );
    let refusal = fixture
        .allocate_chosen_tickets(&payment, *draw, 3)
        .await
        .expect_refusal(409, "order-known");
    assert_eq!(
        (&refusal["message"], &refusal["refundable"]),
        (
            &json!("This payment belongs to an order that has its tickets."),
            &json!(false)
        )
    );
    assert_eq!(
        (
            fixture.count_sold_tickets().await,
            server.next_mail("tickets").await.to
        ),
        (2, "jo@x.test".into())
    );
    let resolved = fixture.anomaly_of_payment(&payment).await;
    assert_eq!(
        [
            &resolved["resolvedBy"],
            &resolved["resolvedByEmail"],
            &resolved["resolution"]
        ],
        [
            "Super Admin",
            "operator@demo.test",
            "Tickets allocated by hand"
        ]
    );
    assert_eq!(
        fixture
            .fetch_audit_entries(&audit_object_of_anomaly(&resolved))
            .await
            .len(),
        1
    );
    let order = resolved["orderId"]
        .as_str()
        .expect("the order that was opened");
    let signed = fixture.fetch_audit_entries(&format!("order:{order}")).await;
    assert_eq!(
        (
            &signed[0]["detail"]["drawNumber"],
            &signed[0]["detail"]["ticketCount"]
        ),
        (&json!(draw.0), &json!(2))
    );
    let checked = operator
        .post(&format!("{ANOMALIES_PATH}/check"), json!({}))
        .await
        .ok();
    assert_eq!(
        checked["newAnomalies"], 0,
        "the allocated payment is no anomaly"
    );
    fixture.server.finish().await;
}

#[actix_web::test]
async fn chosen_draw_that_cannot_take_tickets_is_refused_with_reason() {
    let fixture = AnomalyFixture::start().await;
    let (draw, operator) = (fixture.draw, &fixture.operator);
    let (before, unallocated, late) = (
        fixture.capture_payment(500).await,
        fixture.capture_payment(500).await,
        fixture.capture_payment(30_000).await,
    );
    let refusal = fixture
        .allocate_chosen_tickets(&late, draw, 50)
        .await
        .expect_refusal(409, "payment-mismatch");
    assert_eq!(
        refusal["message"],
        "The amount does not match the tickets. Refund the payment."
    );
    fixture.server.start_game(draw).await;
    // Rule 5 of the decisions: a payment that was authorised before kick-off may get tickets until
    // a result is entered.
    fixture.allocate_chosen_tickets(&before, draw, 1).await.ok();
    let broncos = club::sign_in_as_club(&fixture.server, "broncos").await;
    club::enter_result(&broncos, draw, 3, 11).await.ok();
    fixture
        .allocate_chosen_tickets(&unallocated, draw, 1)
        .await
        .expect_refusal(409, "result-entered");
    let confirmation = json!({ "reason": "Typed wrongly", "drawNumber": draw.0 });
    operator
        .post(&format!("/api/draws/{draw}/undo-results"), confirmation)
        .await
        .ok();
    let refusal = fixture
        .allocate_chosen_tickets(&unallocated, draw, 1)
        .await
        .expect_refusal(409, "revealed");
    assert_eq!(refusal["refundable"], true);
    assert_eq!(fixture.count_sold_tickets().await, 1);

    let anomaly = fixture.anomaly_of_payment(&unallocated).await;
    for _ in 0..2 {
        operator
            .post(
                &anomaly_path(&anomaly, "refund"),
                json!({ "reason": "No ticket left" }),
            )
            .await
            .ok();
        assert_eq!(
            StripeDashboard::open(&fixture.server)
                .ledger_row(&unallocated)
                .await["refunded"],
            500,
            "the repeated call refunds once"
        );
    }
    fixture
        .allocate_chosen_tickets(&unallocated, draw, 1)
        .await
        .expect_refusal(409, "already-refunded");
    let resolved = fixture.anomaly_of_payment(&unallocated).await;
    assert_eq!(
        [
            &resolved["resolvedBy"],
            &resolved["resolvedByEmail"],
            &resolved["resolution"]
        ],
        ["Super Admin", "operator@demo.test", "Refunded by hand"]
    );
    let actions: Vec<Value> = fixture
        .fetch_audit_entries(&audit_object_of_anomaly(&resolved))
        .await
        .iter()
        .map(|entry| entry["action"].clone())
        .collect();
    assert_eq!(actions, ["resolve-anomaly", "refund-payment"]);
    let closed = json!({ "note": "Paid out at the ground" });
    operator
        .post(
            &anomaly_path(&fixture.anomaly_of_payment(&late).await, "resolve"),
            closed,
        )
        .await
        .ok();
    fixture.server.finish().await;
}

#[actix_web::test]
async fn every_anomaly_kind_is_closed_with_name_and_reason() {
    let fixture = AnomalyFixture::start().await;
    let operator = &fixture.operator;
    let stores = fixture.server.database.postgres().await;
    for (number, kind) in AnomalyKind::ALL.into_iter().enumerate() {
        let payment = format!("pi_seen_{number}");
        let payment_intent = Some(PaymentIntentId(payment.clone()));
        let anomaly = Anomaly {
            kind,
            payment_intent,
            order: None,
            note: "seen by a test".into(),
        };
        assert_eq!(
            stores
                .raise_anomaly(&anomaly, None, fixture.server.now())
                .await,
            Ok(true)
        );
        let open = fixture.anomaly_of_payment(&payment).await;
        let reason = json!({ "note": "Settled by phone" });
        let mut closed = Value::Null;
        for _ in 0..2 {
            closed = operator
                .post(&anomaly_path(&open, "resolve"), reason.clone())
                .await
                .ok();
        }
        let named = [
            &closed["resolvedBy"],
            &closed["resolvedByEmail"],
            &closed["resolution"],
        ];
        assert_eq!(
            named,
            ["Super Admin", "operator@demo.test", "Settled by phone"],
            "{kind:?}"
        );
        let trail = fixture
            .fetch_audit_entries(&audit_object_of_anomaly(&closed))
            .await;
        assert_eq!(trail.len(), 1, "{kind:?} is closed once");
        assert_eq!(trail[0]["detail"]["resolution"], "Settled by phone");
        assert_eq!(
            stores
                .raise_anomaly(&anomaly, None, fixture.server.now())
                .await,
            Ok(false),
            "{kind:?} is not raised again"
        );
    }
    assert_eq!(
        operator
            .get(&format!("{ANOMALIES_PATH}?status=unresolved"))
            .await
            .ok(),
        json!([])
    );
    fixture.server.finish().await;
}
