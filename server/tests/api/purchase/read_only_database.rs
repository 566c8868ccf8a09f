//! A read-only database (SQLSTATE 25006), for example a demoted primary, is treated as unavailable.
//! The server is not ready and sells nothing, but answers reads. It recovers without a restart.

use sandbox::faults::{Faults, WebhookFaults};
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::{TestServer, club};

/// SQL that makes new sessions read-only and ends the existing ones, as a demotion does.
const MAKE_DATABASE_READ_ONLY_SQL: &str = "begin read write;
    do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$;
    commit;
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
/// SQL that makes new sessions writable. Sessions that already exist stay read-only.
const MAKE_DATABASE_WRITABLE_SQL: &str = "begin read write;
    do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$;
    commit";
const RETRY_MESSAGE: &str = "Please wait a moment and try again.";

/// Returns status and body of the readiness check.
async fn readiness_answer(server: &TestServer) -> (u16, Value) {
    let answer = server.alice().get("/api/health/ready").await;
    (
        answer.status,
        serde_json::from_str(&answer.text).expect("valid JSON"),
    )
}

#[actix_web::test]
async fn read_only_database_counts_as_down_until_writable() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (alice, bob, operator) = (
        server.alice(),
        server.bob(),
        club::sign_in_as_operator(&server).await,
    );
    let webhook = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook,
        ..Faults::default()
    });
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    let ready = (200, json!({ "ready": true, "database": true }));
    assert_eq!(readiness_answer(&server).await, ready);

    server
        .database
        .execute_sql(MAKE_DATABASE_READ_ONLY_SQL)
        .await;
    assert_eq!(
        readiness_answer(&server).await,
        (503, json!({ "ready": false, "database": false }))
    );
    let health = operator.get("/api/admin/health").await.ok();
    assert_eq!(
        (&health["status"], &health["checks"]["database"]["ok"]),
        (&json!("down"), &json!(false))
    );
    for _ in 0..3 {
        let refused = bob.request_intent(draw, 1).await;
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(
            refused.expect_refusal(503, "unavailable")["message"],
            RETRY_MESSAGE
        );
    }
    let completion = alice.complete_card_purchase(draw, 2, &intent).await.ok();
    assert_eq!(
        (&completion["success"], &completion["status"]),
        (&json!(false), &json!("processing")),
        "{completion}"
    );
    assert_eq!(
        server.sandbox.ledger()["total"]["captured"],
        0,
        "nothing is captured without tickets"
    );
    let (order, proof) = (
        format!("/api/orders/{}", intent.token()),
        format!("/api/public/draws/{draw}/proof"),
    );
    for page in [
        &format!("/api/draws/{draw}"),
        "/api/draws/active",
        &proof,
        &order,
    ] {
        alice.get(page).await.ok();
    }

    server
        .database
        .execute_sql(MAKE_DATABASE_WRITABLE_SQL)
        .await;
    eventually("the server is ready again", async || {
        (readiness_answer(&server).await == ready).then_some(())
    })
    .await;
    eventually("the authorised order is fulfilled", async || {
        (alice.complete_card_purchase(draw, 2, &intent).await.json()["success"] == true)
            .then_some(())
    })
    .await;
    alice.wait_for_status(&intent, "succeeded").await;
    eventually("new payments can be opened", async || {
        (bob.request_intent(draw, 1).await.status == 200).then_some(())
    })
    .await;
    bob.buy(draw, 1).await;
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        3
    );
    server.finish().await;
}
