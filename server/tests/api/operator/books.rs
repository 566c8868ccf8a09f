//! The console's numbers, the audit's and the provider's are the same, to the cent.

use actors::payment::stripe::{Stripe, StripeSettings};
use persistence::auditor::Auditor;
use persistence::{Postgres, Sealer};
use serde_json::json;
use server::audit;

use crate::club::money::{cents, season};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Cents taken, kept as platform fees and refunded, as the transactions of the last thirty days add up.
async fn transactions(operator: &Buyer) -> [i64; 3] {
    let rows = operator.get("/api/stripe-debug").await.ok();
    let sum = |name: &str| {
        rows.as_array()
            .into_iter()
            .flatten()
            .map(|row| cents(&row[name]))
            .sum()
    };
    [sum("customerCharged"), sum("platformFee"), sum("refunded")]
}

/// What is listed adds up to the sums beside the list, once nothing changes any more.
async fn the_list_adds_up_to_its_sums(operator: &Buyer) {
    let rows = operator.get("/api/stripe-debug").await.ok();
    let succeeded = || {
        rows.as_array()
            .into_iter()
            .flatten()
            .filter(|row| row["status"] == "succeeded")
    };
    // Cents, because a payment that went back weighs below zero for its club.
    let listed = ["amount", "stripeFee", "platformFeeCents", "clubPayoutCents"].map(|name| {
        succeeded()
            .filter_map(|row| row[name].as_i64())
            .sum::<i64>()
    });
    let sums = operator.get("/api/stripe-debug/sums").await.ok();
    let said = ["totalCharged", "stripeFees", "platformFees", "clubPayouts"]
        .map(|name| cents(&sums[name]));
    assert_eq!(
        (said, sums["count"].as_u64()),
        (listed, Some(succeeded().count() as u64))
    );
}

/// The same as the sandbox counted it.
async fn sandbox(operator: &Buyer) -> [i64; 3] {
    let total = operator.get("/sandbox/ledger").await.ok()["total"].clone();
    let of = |name: &str| total[name].as_i64().expect("cents");
    [
        of("captured"),
        of("fees") - of("fees_refunded"),
        of("refunded"),
    ]
}

#[actix_web::test]
async fn console_audit_and_sandbox_agree_to_the_cent() {
    let server = TestServer::start().await;
    let (one, two, browser) = season(&server).await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let tickets = operator
        .get(&format!("/api/draws/{one}/tickets"))
        .await
        .ok();
    let order = tickets[0]["orderId"].as_str().expect("an order");
    operator
        .post(
            &format!("/api/admin/orders/{order}/refund"),
            json!({ "reason": "Proven" }),
        )
        .await
        .ok();
    let settled = async || {
        let (ours, theirs) = (transactions(&operator).await, sandbox(&operator).await);
        let analytics = operator.get("/api/admin/analytics").await.ok();
        let kept = operator.get("/sandbox/ledger").await.ok()["total"]["stripe_fees"].as_i64();
        let is_known = [theirs[1], kept.expect("cents")]
            == ["platformFees", "stripeFees"].map(|of| cents(&analytics[of]));
        (theirs[2] > 0 && ours == theirs && is_known).then_some(theirs)
    };
    let theirs = eventually(
        "the refund and all fees, of what was refunded too, are known on both sides",
        settled,
    )
    .await;
    the_list_adds_up_to_its_sums(&operator).await;

    let analytics = operator.get("/api/admin/analytics").await.ok();
    let fees = operator.get("/api/admin/platform-fees").await.ok();
    assert_eq!(
        (
            cents(&analytics["platformFees"]),
            cents(&analytics["refunded"])
        ),
        (theirs[1], theirs[2])
    );
    let passed_on = server.database.count(
        "select coalesce(sum(l.card_fee_cents), 0)::bigint from order_lines l join tickets t on t.order_line_id = l.id
             where $1 <> '' and t.serial = (select min(serial) from tickets where order_line_id = l.id)",
        "all",
    );
    assert_eq!(
        cents(&analytics["totalRevenue"]) + passed_on.await,
        theirs[0] - theirs[2],
        "taken and kept"
    );
    for name in [
        "totalRevenue",
        "platformFees",
        "stripeFees",
        "clubRevenue",
        "prizeMoney",
    ] {
        assert_eq!(analytics[name], fees[name], "{name}");
    }
    let sum = |name: &str| {
        fees["draws"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|draw| cents(&draw[name]))
            .sum::<i64>()
    };
    assert_eq!(
        (sum("revenue"), sum("platformFee")),
        (cents(&fees["totalRevenue"]), cents(&fees["platformFees"]))
    );
    let desks = operator.get("/api/admin/draws").await.ok();
    let revenue: i64 = desks
        .as_array()
        .into_iter()
        .flatten()
        .map(|draw| cents(&draw["revenue"]))
        .sum();
    let clubs = operator.get("/api/admin/clubs").await.ok();
    assert_eq!(
        (revenue, cents(&clubs[0]["revenue"])),
        (cents(&analytics["totalRevenue"]), revenue)
    );

    let left = theirs[0] - theirs[2] - theirs[1] - cents(&analytics["stripeFees"]);
    assert_eq!(
        cents(&analytics["clubRevenue"]),
        left,
        "what is on the club's account"
    );
    let mut of_draws = Vec::new();
    for draw in [one, two] {
        of_draws.push(
            browser
                .get(&format!("/api/draws/{draw}/financials"))
                .await
                .ok(),
        );
    }
    for (theirs, ours) in [
        ("platformFees", "platformFee"),
        ("stripeFees", "actualStripeFees"),
        ("clubRevenue", "clubRevenue"),
    ] {
        let sum: i64 = of_draws.iter().map(|draw| cents(&draw[ours])).sum();
        assert_eq!(
            sum,
            cents(&analytics[theirs]),
            "the club reads of {ours} what the console reads"
        );
    }

    let findings = audited(&server).await;
    assert!(findings.is_clean(), "{findings}");
    assert_eq!(findings.sums(), [theirs, theirs], "{findings}");
    server.finish().await;
}

async fn audited(server: &TestServer) -> audit::Findings {
    let postgres = Postgres::connect_with(server.database.options.clone(), Sealer::new(&[7; 32]))
        .await
        .expect("books");
    let auditor = Auditor::open(&server.database.url)
        .await
        .expect("an auditor");
    let key = server.state.config.stripe.secret_key.expose();
    let settings = StripeSettings::new(key, format!("{}/sandbox/stripe", server.url));
    let gateway = Stripe::new(&settings).expect("a gateway");
    audit::examine(&postgres, &auditor, &gateway)
        .await
        .expect("audited")
}

#[actix_web::test]
async fn an_audit_says_where_the_log_was_rewritten() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.operator().await;
    let operator = club::operator(&server).await;
    for enabled in [true, false] {
        operator
            .post("/api/admin/maintenance-mode", json!({ "enabled": enabled }))
            .await
            .ok();
    }
    assert!(audited(&server).await.is_clean());
    let forging = "with f as (select set_config('session_replication_role', 'replica', false)),
             g as (update audit_log set actor = 'nobody' where id = (select min(id) from audit_log) and $1 <> ''
                 and exists (select from f) returning id)
         select count(*) from g";
    assert_eq!(
        server.database.count(forging, "now").await,
        1,
        "somebody with the database's own keys"
    );
    let said = audited(&server).await.to_string();
    assert!(said.contains("the audit log was rewritten"), "{said}");
    let chain = operator.get("/api/admin/audit").await.ok()["chain"].clone();
    assert_eq!(
        (&chain["verified"], &chain["brokenAt"]),
        (&json!(false), &json!(1))
    );
    server.finish().await;
}
