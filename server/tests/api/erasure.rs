//! Buyers' details are erased from every table 13 months after the game. All screens still work
//! afterwards (decision F-8).

use domain::{DrawId, PaymentIntentId, Timestamp};
use persistence::records::erasure::{ERASED_EMAIL, ERASED_NAME};
use reqwest::Method;
use serde_json::{Value, json};

use crate::club::winners::{bank_details, claim_token_from_next_mail, create_draw_won_by_alice};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const DAY_SECONDS: i64 = 86_400;

/// Returns the time from which a draw's buyers may be erased: 13 calendar months after its
/// kick-off.
async fn erasure_due_time(server: &TestServer, draw: DrawId) -> Timestamp {
    let when = "select (extract(epoch from (kick_off at time zone 'UTC' + interval '13 months') at time zone 'UTC') * 1000)::bigint
         from draws where id = $1::bigint";
    Timestamp(server.database.query_number(when, &draw.to_string()).await)
}

/// Moves the clock to this time and runs the housekeeping task.
async fn run_housekeeping_at(server: &TestServer, at: Timestamp) {
    let ahead = (at.0 - server.now().0).div_euclid(1000);
    server.clock.advance_seconds(ahead);
    server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
}

async fn is_buyer_stored(server: &TestServer, who: &Buyer) -> bool {
    let rows = server.database.all_rows_as_text().await;
    [who.name, who.email, who.phone]
        .iter()
        .any(|word| rows.contains(word))
}

/// Alice buys and wins, is mailed and submits bank details. The webhooks of her payment are stored.
async fn set_up_claimed_prize(server: &TestServer) -> (DrawId, Buyer, Value) {
    let (draw, browser) = create_draw_won_by_alice(server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let token = claim_token_from_next_mail(server).await;
    let mut details = bank_details();
    details["token"] = json!(token);
    server.bob().post("/api/claims", details).await.ok();
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    assert_eq!(payout["recipientName"], "Alice");
    server
        .alice()
        .post("/api/my-tickets", json!({ "email": "alice@example.com" }))
        .await
        .ok();
    server.next_mail("my-tickets").await;
    let handled_events =
        "select count(*) from webhook_events where handled_at is not null and kind = $1";
    eventually("the provider's webhook is handled", async || {
        (server
            .database
            .query_number(handled_events, "payment_intent.succeeded")
            .await
            > 0)
        .then_some(())
    })
    .await;
    // The events of the real provider contain the payer's address, so Alice's is added to the
    // stored events.
    let name_the_payer = "update webhook_events set payload = replace(payload, '\"id\"', '\"receipt_email\":\"alice@example.com\",\"id\"')
                 where kind = 'payment_intent.succeeded' and handled_at is not null";
    server.database.execute_sql(name_the_payer).await;
    (draw, browser, json!(token))
}

#[actix_web::test]
async fn buyer_is_erased_from_every_table_13_months_after_game() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (draw, _, claim) = set_up_claimed_prize(&server).await;
    let alice = server.alice();
    let rows = "select count(*) from orders where buyer_email = $1 and buyer_phone is not null and consent_ip is not null";
    assert_eq!(
        server
            .database
            .query_number(rows, "alice@example.com")
            .await,
        1
    );
    let id = "select payment_intent_id from orders where buyer_email = $1";
    let id = PaymentIntentId(server.database.query_text(id, "alice@example.com").await);
    let token = server
        .store
        .order_by_payment_intent(&id)
        .await
        .expect("the read succeeds")
        .expect("her order")
        .token;
    server
        .records
        .delete_expired_ticket_links(server.now().plus_seconds(2 * DAY_SECONDS))
        .await
        .expect("the sweep succeeds");

    let due_at = erasure_due_time(&server, draw).await;
    run_housekeeping_at(&server, due_at.plus_seconds(-DAY_SECONDS)).await;
    assert!(
        is_buyer_stored(&server, &alice).await,
        "nothing is erased a day early"
    );
    assert_eq!(
        server
            .database
            .query_number("select count(*) from bank.winner_details where $1 = ''", "")
            .await,
        1
    );
    run_housekeeping_at(&server, due_at.plus_seconds(1)).await;
    assert!(
        !is_buyer_stored(&server, &alice).await,
        "Alice's details are in no row"
    );
    assert_eq!(
        server
            .database
            .query_number("select count(*) from bank.winner_details where $1 = ''", "")
            .await,
        0
    );
    let before = server.database.all_rows_as_text().await;
    run_housekeeping_at(&server, due_at.plus_seconds(DAY_SECONDS)).await;
    let erased =
        "select count(*) from orders where erased_at > to_timestamp($1::double precision / 1000)";
    assert_eq!(
        server
            .database
            .query_number(erased, &due_at.plus_seconds(DAY_SECONDS / 2).0.to_string())
            .await,
        0,
        "a second run changes nothing"
    );
    assert_eq!(
        before.matches(ERASED_EMAIL).count(),
        server
            .database
            .all_rows_as_text()
            .await
            .matches(ERASED_EMAIL)
            .count()
    );

    assert_screens_work_after_erasure(&server, draw, &token, &claim).await;
    let comparison = server
        .state
        .reconciler
        .scan_payments(server.now().plus_seconds(-500 * DAY_SECONDS))
        .await
        .expect("compared");
    assert_eq!(
        (comparison.raised, comparison.healed),
        (0, 0),
        "the reconciler finds no difference after the erasure"
    );
    server.finish().await;
}

async fn assert_screens_work_after_erasure(
    server: &TestServer,
    draw: DrawId,
    token: &str,
    claim: &Value,
) {
    let browser = club::sign_in_as_club(server, "broncos").await;
    let rows = browser
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let sold: Vec<_> = rows
        .as_array()
        .expect("a JSON list")
        .iter()
        .filter(|row| row["sold"] == true)
        .collect();
    assert_eq!(sold.len(), 2);
    assert!(
        sold.iter()
            .all(|row| row["buyerName"] == ERASED_NAME && row["buyerEmail"] == ERASED_EMAIL),
        "{sold:?}"
    );
    let winner = browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok()["winningTickets"][0]
        .clone();
    assert_eq!(
        (&winner["buyerName"], &winner["bank"]),
        (&json!(ERASED_NAME), &json!(null))
    );
    assert_eq!(
        winner["buyerEmail"],
        json!(null),
        "{ERASED_EMAIL} is never shown as an address"
    );
    let payouts = browser
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .ok();
    assert!(
        payouts
            .as_array()
            .expect("payouts")
            .iter()
            .any(|payout| payout["recipientName"] == ERASED_NAME)
    );
    let table = browser.get(&format!("/api/draws/{draw}/tickets/csv")).await;
    assert_eq!(
        (table.status, table.text.matches(ERASED_NAME).count()),
        (200, 2),
        "{}",
        table.text
    );
    let paper = browser
        .bare_request(Method::GET, &format!("/api/draws/{draw}/report"))
        .send()
        .await
        .expect("the server answers");
    assert_eq!(paper.status().as_u16(), 200);
    let again = browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await;
    assert_eq!(again.status, 200, "{}", again.text);

    let stranger = server.bob();
    let order = stranger.get(&format!("/api/orders/{token}")).await.ok();
    assert_eq!(
        (&order["buyerName"], &order["buyerEmailMasked"]),
        (&json!(ERASED_NAME), &json!(null))
    );
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(2),
        "the order keeps its tickets"
    );
    let record = server
        .store
        .order_by_token(token)
        .await
        .expect("the read succeeds")
        .expect("her order");
    let id = record.order.payment_intent.expect("paid");
    let late = json!({ "paymentIntentId": id.0, "buyer": stranger.details() });
    assert_eq!(
        stranger.post("/api/complete-card-payment", late).await.ok()["status"],
        "succeeded",
        "a late completion does not add buyer details"
    );
    let page = stranger
        .post("/api/claims/look", json!({ "token": claim }))
        .await
        .ok();
    assert_eq!(page["winnerName"], ERASED_NAME);
    let queued = server.count_queued_mails("my-tickets").await;
    for email in ["alice@example.com", ERASED_EMAIL] {
        stranger
            .post("/api/my-tickets", json!({ "email": email }))
            .await;
    }
    let operator = club::sign_in_as_operator(server).await;
    let order_hits = |hits: Value| {
        hits.as_array()
            .expect("hits")
            .iter()
            .filter(|hit| hit["kind"] == "order")
            .count()
    };
    let search = async |words: &str| {
        operator
            .get(&format!("/api/admin/search?q={words}"))
            .await
            .ok()
    };
    assert_eq!(
        order_hits(search("%20Alice@Example.com").await),
        1,
        "the whole e-mail address still finds the order"
    );
    assert_eq!(
        order_hits(search("alice@example").await),
        0,
        "a part of the e-mail address finds no order"
    );
    assert_eq!(
        server.count_queued_mails("my-tickets").await,
        queued,
        "an erased order gets no ticket link"
    );
}

#[actix_web::test]
async fn erasure_waits_for_last_game_of_cart_and_unfinished_orders() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let (first, second) = (
        server.create_draw(club).await,
        server
            .create_draw_with(club, |new| {
                new.kick_off = new.kick_off.plus_seconds(30 * DAY_SECONDS);
            })
            .await,
    );
    let (alice, bob) = (server.alice(), server.bob());
    let cart = alice
        .request_cart_intent(&[(first, 1), (second, 1)])
        .await
        .ok();
    let cart = crate::support::buyer::Intent { body: cart };
    alice.authorise(&cart).await;
    let body = json!({ "items": crate::support::buyer::cart_request_items(&[(first, 1), (second, 1)]),
        "paymentIntentId": cart.id(), "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true });
    alice.post("/api/purchase-cart", body).await.ok();
    bob.buy(first, 1).await;
    let mark_unfinished =
        "update orders set lines_allocated = 0 where buyer_email = 'bob@example.com'";
    let mark_finished =
        "update orders set lines_allocated = 1 where buyer_email = 'bob@example.com'";
    server.database.execute_sql(mark_unfinished).await;

    let (sooner, later) = (
        erasure_due_time(&server, first).await,
        erasure_due_time(&server, second).await,
    );
    let step = async |after: DrawId, at| {
        server
            .records
            .erase_buyers(after, 13, at)
            .await
            .expect("the erasure succeeds")
    };
    let at = sooner.plus_seconds(1);
    assert_eq!(
        step(DrawId(0), at).await,
        None,
        "Bob's order is unfinished, and the second game is not due"
    );
    server.database.execute_sql(mark_finished).await;
    let erased = step(DrawId(0), at).await.expect("still due");
    assert_eq!(
        (erased.orders, erased.whole),
        (1, true),
        "Bob's order is erased and the cart is not"
    );
    assert!(!is_buyer_stored(&server, &bob).await && is_buyer_stored(&server, &alice).await);
    assert_eq!(step(DrawId(0), at).await, None);
    let erased = step(DrawId(0), later)
        .await
        .expect("the second game is due");
    assert_eq!(
        (erased.draw, erased.orders, erased.whole),
        (second, 1, true)
    );
    assert!(!is_buyer_stored(&server, &alice).await);
    server.finish().await;
}

#[actix_web::test]
async fn draws_with_unfinished_orders_never_delay_other_erasures() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let mut last = server.create_draw(club).await;
    for _ in 0..24 {
        last = server.create_draw(club).await;
    }
    server.bob().buy(last, 1).await;
    // Inserts one unfinished order for each draw: captured, but without tickets.
    server
        .database
        .execute_sql(
            "with o as (insert into orders (id, club_id, account_id, client_key, token, state, lines, subtotal_cents, buyer_name,
                 buyer_email, opened_at, captured_at)
               select md5('o' || id)::uuid, club_id, 'acct_broncos', 'stuck-' || id, md5('t' || id), 'captured', 1, 500, 'Stuck',
                 'stuck' || id || '@example.com', now(), now()
               from draws returning id, substr(client_key, 7)::bigint as draw)
             insert into order_lines (order_id, draw_id, count, unit_price_cents) select id, draw, 1, 500 from o",
        )
        .await;
    let at = erasure_due_time(&server, last).await.plus_seconds(1);
    run_housekeeping_at(&server, at).await;
    assert!(
        !is_buyer_stored(&server, &server.bob()).await,
        "Bob is erased although 24 earlier draws have unfinished orders"
    );
    let stored = "select count(*) from orders where buyer_name = $1";
    assert_eq!(server.database.query_number(stored, "Stuck").await, 25);
}

#[actix_web::test]
async fn concurrent_nodes_erase_each_order_once_in_bounded_steps() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let draws = [
        server.create_draw(club).await,
        server.create_draw(club).await,
        server.create_draw(club).await,
    ];
    for draw in draws {
        server.alice().buy(draw, 1).await;
    }
    // These 250 orders were released without payment. Their buyers' details are erased too.
    server
        .database
        .execute_sql(
            "with o as (insert into orders (id, club_id, account_id, client_key, token, state, lines, subtotal_cents, buyer_name,
                 buyer_email, opened_at)
               select md5('o' || n)::uuid, (select min(id) from clubs), 'acct_broncos', 'crowd-' || n, md5('t' || n), 'released', 1,
                 500, 'Crowd', 'crowd' || n || '@example.com', now()
               from generate_series(1, 250) n returning id)
             insert into order_lines (order_id, draw_id, count, unit_price_cents)
               select id, (select min(id) from draws), 1, 500 from o",
        )
        .await;
    let at = erasure_due_time(&server, draws[2]).await.plus_seconds(1);
    let node = async || {
        let (mut steps, mut after) = (Vec::new(), DrawId(0));
        while let Some(step) = server
            .records
            .erase_buyers(after, 13, at)
            .await
            .expect("the erasure succeeds")
        {
            after = if step.orders < 100 { step.draw } else { after };
            steps.push(step.orders);
        }
        steps
    };
    let (mut one, other) = tokio::join!(node(), node());
    one.extend(other);
    assert!(one.iter().all(|orders| *orders <= 100), "{one:?}");
    // Two nodes erase concurrently, and each of the 250 released and 3 paid orders is erased once.
    assert_eq!(one.iter().sum::<u64>(), 253, "{one:?}");
    let remaining = "select count(*) from orders where erased_at is null and $1 = ''";
    assert_eq!(server.database.query_number(remaining, "").await, 0);
    server.finish().await;
}
