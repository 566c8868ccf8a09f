//! A database that may only be read (SQLSTATE 25006): it was demoted, or its host closed it. It counts as down: the server is not
//! ready and sells nothing. What is read goes on, and nobody has to do anything when it takes writes again.

use serde_json::{Value, json};
use server::sandbox::faults::{Faults, WebhookFaults};

use crate::support::server::eventually;
use crate::support::{TestServer, club};

/// Every session from now on may only read, and those that there were are ended, as a demotion ends them.
const CLOSE: &str = "begin read write;
    do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$;
    commit;
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
/// The next sessions may write; whoever holds on to one of before never will.
const OPEN: &str = "begin read write;
    do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$;
    commit";
const WAIT: &str = "Please wait a moment and try again.";

/// What a load balancer is told.
async fn told(server: &TestServer) -> (u16, Value) {
    let said = server.alice().get("/api/health/ready").await;
    (said.status, serde_json::from_str(&said.text).expect("JSON"))
}

#[actix_web::test]
async fn a_database_that_may_only_be_read_counts_as_down_until_it_takes_writes_again() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (alice, bob, operator) = (server.alice(), server.bob(), club::operator(&server).await);
    let webhook = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook,
        ..Faults::default()
    });
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    let ready = (200, json!({ "ready": true, "database": true }));
    assert_eq!(told(&server).await, ready);

    server.database.run(CLOSE).await;
    assert_eq!(
        told(&server).await,
        (503, json!({ "ready": false, "database": false }))
    );
    let health = operator.get("/api/admin/health").await.ok();
    assert_eq!(
        (&health["status"], &health["checks"]["database"]["ok"]),
        (&json!("down"), &json!(false))
    );
    for _ in 0..3 {
        let refused = bob.ask(draw, 1).await;
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(refused.refused(503, "unavailable")["message"], WAIT);
    }
    let told_alice = alice.complete(draw, 2, &intent).await.ok();
    assert_eq!(
        (&told_alice["success"], &told_alice["status"]),
        (&json!(false), &json!("processing")),
        "{told_alice}"
    );
    assert_eq!(
        server.sandbox.ledger()["total"]["captured"],
        0,
        "no money without tickets"
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

    server.database.run(OPEN).await;
    eventually("it is well again", async || {
        (told(&server).await == ready).then_some(())
    })
    .await;
    eventually("who had authorised has her tickets", async || {
        (alice.complete(draw, 2, &intent).await.json()["success"] == true).then_some(())
    })
    .await;
    alice.sees(&intent, "succeeded").await;
    eventually("others buy again", async || {
        (bob.ask(draw, 1).await.status == 200).then_some(())
    })
    .await;
    bob.buys(draw, 1).await;
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").sold,
        3
    );
    server.finish().await;
}
