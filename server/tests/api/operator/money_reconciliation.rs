//! The sums of the operator's console, of the audit command and of the provider agree to the cent.

use actors::payments::stripe::{Stripe, StripeSettings};
use persistence::auditor::Auditor;
use persistence::{Postgres, Sealer};
use serde_json::json;
use server::cli::audit;

use crate::club::financials::{absolute_cents_from_json, sell_tickets_of_two_draws};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Returns three sums over the console's list of transactions, in cents: charged, platform fees,
/// refunded.
async fn fetch_console_transaction_sums(operator: &Buyer) -> [i64; 3] {
    let rows = operator.get("/api/stripe-debug").await.ok();
    let sum = |name: &str| {
        rows.as_array()
            .into_iter()
            .flatten()
            .map(|row| absolute_cents_from_json(&row[name]))
            .sum()
    };
    [sum("customerCharged"), sum("platformFee"), sum("refunded")]
}

/// Asserts that the list of transactions adds up to the console's sums. Call it only when no
/// payment operation is pending.
async fn assert_transactions_add_up(operator: &Buyer) {
    let rows = operator.get("/api/stripe-debug").await.ok();
    let succeeded = || {
        rows.as_array()
            .into_iter()
            .flatten()
            .filter(|row| row["status"] == "succeeded")
    };
    // Amounts are signed: a refunded payment costs its club money, so its amount can be negative.
    let listed = ["amount", "stripeFee", "platformFeeCents", "clubPayoutCents"].map(|name| {
        succeeded()
            .filter_map(|row| row[name].as_i64())
            .sum::<i64>()
    });
    let sums = operator.get("/api/stripe-debug/sums").await.ok();
    let expected = ["totalCharged", "stripeFees", "platformFees", "clubPayouts"]
        .map(|name| absolute_cents_from_json(&sums[name]));
    assert_eq!(
        (expected, sums["count"].as_u64()),
        (listed, Some(succeeded().count() as u64))
    );
}

/// Returns three sums of the sandbox's ledger, in cents: charged, platform fees less refunded fees,
/// refunded.
async fn fetch_sandbox_ledger_sums(operator: &Buyer) -> [i64; 3] {
    let total = operator.get("/sandbox/ledger").await.ok()["total"].clone();
    let amount_of = |name: &str| total[name].as_i64().expect("cents");
    [
        amount_of("captured"),
        amount_of("fees") - amount_of("fees_refunded"),
        amount_of("refunded"),
    ]
}

#[actix_web::test]
async fn console_audit_and_sandbox_agree_to_the_cent() {
    let server = TestServer::start().await;
    let (one, two, browser) = sell_tickets_of_two_draws(&server).await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
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
        let (console, provider) = (
            fetch_console_transaction_sums(&operator).await,
            fetch_sandbox_ledger_sums(&operator).await,
        );
        let analytics = operator.get("/api/admin/analytics").await.ok();
        let stripe_fees =
            operator.get("/sandbox/ledger").await.ok()["total"]["stripe_fees"].as_i64();
        let fees_agree = [provider[1], stripe_fees.expect("cents")]
            == ["platformFees", "stripeFees"]
                .map(|name| absolute_cents_from_json(&analytics[name]));
        (provider[2] > 0 && console == provider && fees_agree).then_some(provider)
    };
    let provider = eventually(
        "refund and fees agree between console and provider",
        settled,
    )
    .await;
    assert_transactions_add_up(&operator).await;

    let analytics = operator.get("/api/admin/analytics").await.ok();
    let fees = operator.get("/api/admin/platform-fees").await.ok();
    assert_eq!(
        (
            absolute_cents_from_json(&analytics["platformFees"]),
            absolute_cents_from_json(&analytics["refunded"])
        ),
        (provider[1], provider[2])
    );
    let card_fees = server.database.query_number(
        "select coalesce(sum(l.card_fee_cents), 0)::bigint from order_lines l join tickets t on t.order_line_id = l.id
             where $1 <> '' and t.serial = (select min(serial) from tickets where order_line_id = l.id)",
        "all",
    );
    assert_eq!(
        absolute_cents_from_json(&analytics["totalRevenue"]) + card_fees.await,
        provider[0] - provider[2],
        "revenue and card fees equal the captured minus the refunded amount"
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
            .map(|draw| absolute_cents_from_json(&draw[name]))
            .sum::<i64>()
    };
    assert_eq!(
        (sum("revenue"), sum("platformFee")),
        (
            absolute_cents_from_json(&fees["totalRevenue"]),
            absolute_cents_from_json(&fees["platformFees"])
        )
    );
    let listed_draws = operator.get("/api/admin/draws").await.ok();
    let revenue: i64 = listed_draws
        .as_array()
        .into_iter()
        .flatten()
        .map(|draw| absolute_cents_from_json(&draw["revenue"]))
        .sum();
    let clubs = operator.get("/api/admin/clubs").await.ok();
    assert_eq!(
        (revenue, absolute_cents_from_json(&clubs[0]["revenue"])),
        (
            absolute_cents_from_json(&analytics["totalRevenue"]),
            revenue
        )
    );

    let club_balance = provider[0]
        - provider[2]
        - provider[1]
        - absolute_cents_from_json(&analytics["stripeFees"]);
    assert_eq!(
        absolute_cents_from_json(&analytics["clubRevenue"]),
        club_balance,
        "the club revenue equals the balance of the club's account"
    );
    let mut draw_financials = Vec::new();
    for draw in [one, two] {
        draw_financials.push(
            browser
                .get(&format!("/api/draws/{draw}/financials"))
                .await
                .ok(),
        );
    }
    for (provider, field) in [
        ("platformFees", "platformFee"),
        ("stripeFees", "actualStripeFees"),
        ("clubRevenue", "clubRevenue"),
    ] {
        let sum: i64 = draw_financials
            .iter()
            .map(|draw| absolute_cents_from_json(&draw[field]))
            .sum();
        assert_eq!(
            sum,
            absolute_cents_from_json(&analytics[provider]),
            "the club and the console show the same {field}"
        );
    }

    let findings = run_audit(&server).await;
    assert!(findings.is_clean(), "{findings}");
    assert_eq!(
        findings.database_and_stripe_sums(),
        [provider, provider],
        "{findings}"
    );
    server.finish().await;
}

async fn run_audit(server: &TestServer) -> audit::AuditReport {
    let postgres = Postgres::connect_with(server.database.options.clone(), Sealer::new(&[7; 32]))
        .await
        .expect("books");
    let auditor = Auditor::open(&server.database.url)
        .await
        .expect("an auditor");
    let key = server.state.config.stripe.secret_key.expose();
    let settings = StripeSettings::new(key, format!("{}/sandbox/stripe", server.url));
    let gateway = Stripe::new(&settings).expect("a gateway");
    audit::audit_database_and_stripe(&postgres, &auditor, &gateway)
        .await
        .expect("audited")
}

#[actix_web::test]
async fn audit_detects_rewritten_log_entry() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    for enabled in [true, false] {
        operator
            .post("/api/admin/maintenance-mode", json!({ "enabled": enabled }))
            .await
            .ok();
    }
    assert!(run_audit(&server).await.is_clean());
    let forgery = "with f as (select set_config('session_replication_role', 'replica', false)),
             g as (update audit_log set actor = 'nobody' where id = (select min(id) from audit_log) and $1 <> ''
                 and exists (select from f) returning id)
         select count(*) from g";
    assert_eq!(
        server.database.query_number(forgery, "now").await,
        1,
        "one entry is rewritten past the triggers"
    );
    let findings = run_audit(&server).await.to_string();
    assert!(
        findings.contains("the audit log was rewritten"),
        "{findings}"
    );
    let chain = operator.get("/api/admin/audit").await.ok()["chain"].clone();
    assert_eq!(
        (&chain["verified"], &chain["brokenAt"]),
        (&json!(false), &json!(1))
    );
    server.finish().await;
}
