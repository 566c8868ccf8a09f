//! The winning ticket is nobody's to give away alone (decision I-8), nor is an order that holds it.

use domain::DrawId;
use serde_json::{Value, json};
use server::identity::password;
use server::identity::second_factor::authenticator;

use crate::support::buyer::{Answer, Intent};
use crate::support::dashboard::Dashboard;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const SECOND: &str = "second@demo.test";
const SECRET: &[u8] = b"another authenticator of test";

async fn recovers(operator: &Buyer, ticket: &str, approval: Option<Value>) -> Answer {
    let form = json!({ "name": "Jo", "email": "jo@x.test", "secondApproval": approval });
    operator
        .call(
            reqwest::Method::PATCH,
            &format!("/api/admin/tickets/{ticket}/recover"),
            Some(&form),
        )
        .await
}

/// Two tickets of one order without a buyer.
async fn nameless(server: &TestServer, draw: DrawId) {
    let nobody = server.alice();
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2 });
    let intent = Intent {
        body: nobody.post("/api/create-payment-intent", body).await.ok(),
    };
    nobody.authorise(&intent).await;
    let paid = json!({ "drawNumber": draw.0, "ticketCount": 2, "paymentIntentId": intent.id() });
    nobody.post("/api/complete-card-payment", paid).await.ok();
}

#[actix_web::test]
async fn a_losing_ticket_of_the_winning_order_wants_a_second_operator_too() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let id = server
        .records
        .create_admin(SECOND, "Second", &password::hash(PASSWORD))
        .await
        .expect("an operator");
    server
        .records
        .begin_second_factor(id, SECRET)
        .await
        .expect("begun");
    server
        .records
        .use_step(id, 1, server.now())
        .await
        .expect("enrolled");
    let operator = club::operator(&server).await;
    nameless(&server, draw).await;
    let one = domain::Serial::new(1).expect("a serial");
    let pair = server
        .engine
        .draws
        .cells(draw, &[one])
        .await
        .expect("a pair")[0]
        .1;
    server.kick_off(draw).await;
    club::enters(&operator, draw, pair.home(), pair.away())
        .await
        .ok();
    let loser = format!("FD-{draw}-002");
    let said = recovers(&operator, &loser, None)
        .await
        .refused(409, "second-approval-required");
    assert!(
        said["message"]
            .as_str()
            .is_some_and(|words| words.contains("second operator")),
        "{said}"
    );
    let own = json!({ "email": "operator@demo.test", "code": club::code(&server, 0) });
    recovers(&operator, &loser, Some(own))
        .await
        .refused(403, "second-approval-wrong");
    let seconds = (server.now().0 / 1000) as u64;
    let code = authenticator(SECRET, SECOND)
        .expect("an authenticator")
        .generate(seconds)
        .to_string();
    let approval = json!({ "email": SECOND, "code": code });
    assert_eq!(
        recovers(&operator, &loser, Some(approval)).await.ok()["recovered"],
        2
    );
    let order = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok()[0]["orderId"]
        .clone();
    let trail = operator
        .get(&format!(
            "/api/admin/audit?object=order:{}",
            order.as_str().expect("an id")
        ))
        .await
        .ok();
    assert_eq!(
        trail["entries"][0]["detail"]["approvedBy"],
        json!(format!("operator {id}"))
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_buyer_who_left_no_address_is_an_anomaly_after_ten_minutes_and_recovered_by_name() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    Dashboard::of(&server).breaks(json!([])).await;
    let check = async || {
        operator
            .post("/api/admin/payment-anomalies/check", json!({}))
            .await
            .ok()
    };
    nameless(&server, draw).await;
    assert_eq!(check().await["newAnomalies"], 0, "a buyer has ten minutes");
    server.clock.push_seconds(601);
    check().await;
    let anomaly = operator
        .get("/api/admin/payment-anomalies?status=unresolved")
        .await
        .ok()[0]
        .clone();
    assert_eq!(
        (&anomaly["type"], &anomaly["ticketCount"]),
        (&json!("orphaned_ticket"), &json!(2))
    );
    let ticket = operator.get("/api/admin/orphaned-tickets").await.ok()[0]["id"]
        .as_str()
        .expect("an id")
        .to_string();
    club::shows_code(&server, &operator, "/api/admin/reauthenticate").await;
    let recovered = recovers(&operator, &ticket, None).await.ok();
    assert_eq!(
        (&recovered["recovered"], &recovered["notified"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(
        server.mail("tickets").await.to,
        "jo@x.test",
        "the mail that waited leaves"
    );
    let healed = operator
        .get("/api/admin/payment-anomalies?status=resolved")
        .await
        .ok()[0]
        .clone();
    assert_eq!(
        (&healed["id"], &healed["resolution"]),
        (&anomaly["id"], &json!("healed"))
    );
    let order = anomaly["orderId"].as_str().expect("an order");
    let trail = operator
        .get(&format!("/api/admin/audit?object=order:{order}"))
        .await
        .ok();
    assert_eq!(trail["entries"][0]["action"], "recover-ticket");
    let stats = operator
        .get("/api/admin/payment-anomalies/stats")
        .await
        .ok();
    assert_eq!(
        (&stats["total"], &stats["resolved"]),
        (&json!(1), &json!(1))
    );
    server.finish().await;
}
