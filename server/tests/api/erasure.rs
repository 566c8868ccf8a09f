//! Buyers are forgotten thirteen months after the game, in every table, and every screen still says something (decision F-8).

use domain::{DrawId, Timestamp};
use persistence::records::erasure::{ERASED_EMAIL, ERASED_NAME};
use reqwest::Method;
use serde_json::{Value, json};

use crate::club::winners::{bank, claim_token, won};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const DAY: i64 = 86_400;

/// When a draw's buyers are due: the calendar's months after its kick-off.
async fn due(server: &TestServer, draw: DrawId) -> Timestamp {
    let when = "select (extract(epoch from (kick_off at time zone 'UTC' + interval '13 months') at time zone 'UTC') * 1000)::bigint
         from draws where id = $1::bigint";
    Timestamp(server.database.count(when, &draw.to_string()).await)
}

/// Housekeeping at a time.
async fn sweep_at(server: &TestServer, at: Timestamp) {
    let ahead = (at.0 - server.now().0).div_euclid(1000);
    server.clock.push_seconds(ahead);
    server::routes::club::reminders::sweep(&server.state).await;
}

async fn is_named(server: &TestServer, who: &Buyer) -> bool {
    let books = server.database.everything().await;
    [who.name, who.email, who.phone]
        .iter()
        .any(|word| books.contains(word))
}

/// Alice won, was written to, and told where to pay; the provider told of her payment, and Carol of a refund.
async fn a_season_ago(server: &TestServer) -> (DrawId, Buyer, Value) {
    let (draw, browser) = won(server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let token = claim_token(server).await;
    let mut details = bank();
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
    server.mail("my-tickets").await;
    let heard = "select count(*) from webhook_events where handled_at is not null and kind = $1";
    eventually("the provider's notice is handled", async || {
        (server
            .database
            .count(heard, "payment_intent.succeeded")
            .await
            > 0)
        .then_some(())
    })
    .await;
    // A real provider's names the payer, and whoever reads it again.
    let named = "update webhook_events set payload = replace(payload, '\"id\"', '\"receipt_email\":\"alice@example.com\",\"id\"')
                 where kind = 'payment_intent.succeeded' and handled_at is not null";
    server.database.run(named).await;
    (draw, browser, json!(token))
}

#[actix_web::test]
async fn who_bought_is_gone_from_every_table_thirteen_months_after_the_game_and_not_a_day_before() {
    let server = TestServer::start().await;
    server.operator().await;
    let (draw, _, claim) = a_season_ago(&server).await;
    let alice = server.alice();
    let books = "select count(*) from orders where buyer_email = $1 and buyer_phone is not null and consent_ip is not null";
    assert_eq!(server.database.count(books, "alice@example.com").await, 1);
    let token = server
        .database
        .text(
            "select token from orders where buyer_email = $1",
            "alice@example.com",
        )
        .await;
    server
        .records
        .sweep_ticket_links(server.now().plus_seconds(2 * DAY))
        .await
        .expect("swept");

    let due = due(&server, draw).await;
    sweep_at(&server, due.plus_seconds(-DAY)).await;
    assert!(
        is_named(&server, &alice).await,
        "a day before, nothing is erased"
    );
    assert_eq!(
        server
            .database
            .count("select count(*) from bank.winner_details where $1 = ''", "")
            .await,
        1
    );
    sweep_at(&server, due.plus_seconds(1)).await;
    assert!(
        !is_named(&server, &alice).await,
        "no row of any table names her"
    );
    assert_eq!(
        server
            .database
            .count("select count(*) from bank.winner_details where $1 = ''", "")
            .await,
        0
    );
    let before = server.database.everything().await;
    sweep_at(&server, due.plus_seconds(DAY)).await;
    let erased =
        "select count(*) from orders where erased_at > to_timestamp($1::double precision / 1000)";
    assert_eq!(
        server
            .database
            .count(erased, &due.plus_seconds(DAY / 2).0.to_string())
            .await,
        0,
        "once is enough"
    );
    assert_eq!(
        before.matches(ERASED_EMAIL).count(),
        server
            .database
            .everything()
            .await
            .matches(ERASED_EMAIL)
            .count()
    );

    every_screen_says_something(&server, draw, &token, &claim).await;
    let found = server
        .state
        .reconciler
        .scan(server.now().plus_seconds(-500 * DAY))
        .await
        .expect("compared");
    assert_eq!(
        (found.raised, found.healed),
        (0, 0),
        "the provider's books and ours agree as before"
    );
    server.finish().await;
}

async fn every_screen_says_something(
    server: &TestServer,
    draw: DrawId,
    token: &str,
    claim: &Value,
) {
    let browser = club::club(server, "broncos").await;
    let rows = browser
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    let sold: Vec<_> = rows
        .as_array()
        .expect("rows")
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
        "nobody is asked to write to {ERASED_EMAIL}"
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
        .raw(Method::GET, &format!("/api/draws/{draw}/report"))
        .send()
        .await
        .expect("an answer");
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
        "the tickets are hers as before"
    );
    let id = server
        .database
        .text(
            "select payment_intent_id from orders where token = $1",
            token,
        )
        .await;
    let late = json!({ "paymentIntentId": id, "buyer": stranger.details() });
    assert_eq!(
        stranger.post("/api/complete-card-payment", late).await.ok()["status"],
        "succeeded",
        "and fills in nobody"
    );
    let page = stranger
        .post("/api/claims/look", json!({ "token": claim }))
        .await
        .ok();
    assert_eq!(page["winnerName"], ERASED_NAME);
    let queued = server.queued("my-tickets").await;
    for email in ["alice@example.com", ERASED_EMAIL] {
        stranger
            .post("/api/my-tickets", json!({ "email": email }))
            .await;
    }
    let operator = club::operator(server).await;
    let found = |hits: Value| {
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
        found(search("%20Alice@Example.com").await),
        1,
        "the whole address finds it in a dispute"
    );
    assert_eq!(
        found(search("alice@example").await),
        0,
        "no part of it does"
    );
    assert_eq!(
        server.queued("my-tickets").await,
        queued,
        "nothing is mailed for what nobody bought"
    );
}

#[actix_web::test]
async fn a_cart_is_forgotten_with_its_last_game_and_an_order_somebody_must_see_to_is_kept() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await.id;
    let (first, second) = (
        server.draw(club).await,
        server
            .draw_with(club, |new| {
                new.kick_off = new.kick_off.plus_seconds(30 * DAY);
            })
            .await,
    );
    let (alice, bob) = (server.alice(), server.bob());
    let cart = alice.ask_for_cart(&[(first, 1), (second, 1)]).await.ok();
    let cart = crate::support::buyer::Intent { body: cart };
    alice.authorise(&cart).await;
    let body = json!({ "items": crate::support::buyer::items(&[(first, 1), (second, 1)]),
        "paymentIntentId": cart.id(), "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true });
    alice.post("/api/purchase-cart", body).await.ok();
    bob.buys(first, 1).await;
    let stuck = "update orders set lines_allocated = 0 where buyer_email = 'bob@example.com'";
    let mended = "update orders set lines_allocated = 1 where buyer_email = 'bob@example.com'";
    server.database.run(stuck).await;

    let (sooner, later) = (due(&server, first).await, due(&server, second).await);
    let step = async |after: DrawId, at| {
        server
            .records
            .erase_buyers(after, 13, at)
            .await
            .expect("erased")
    };
    let at = sooner.plus_seconds(1);
    assert_eq!(
        step(DrawId(0), at).await,
        None,
        "Bob's order waits for somebody, and the second game is not due"
    );
    server.database.run(mended).await;
    let erased = step(DrawId(0), at).await.expect("still due");
    assert_eq!(
        (erased.orders, erased.whole),
        (1, true),
        "Bob's, and not the cart"
    );
    assert!(!is_named(&server, &bob).await && is_named(&server, &alice).await);
    assert_eq!(step(DrawId(0), at).await, None);
    let erased = step(DrawId(0), later)
        .await
        .expect("the second game is due");
    assert_eq!(
        (erased.draw, erased.orders, erased.whole),
        (second, 1, true)
    );
    assert!(!is_named(&server, &alice).await);
    server.finish().await;
}

#[actix_web::test]
async fn draws_that_wait_for_somebody_keep_nobody_elses_details() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await.id;
    let mut last = server.draw(club).await;
    for _ in 0..24 {
        last = server.draw(club).await;
    }
    server.bob().buys(last, 1).await;
    // One order each that somebody has still to see to; one of them in his own.
    server
        .database
        .run(
            "with o as (insert into orders (id, club_id, account_id, client_key, token, state, lines, subtotal_cents, buyer_name,
                 buyer_email, opened_at, captured_at)
               select md5('o' || id)::uuid, club_id, 'acct_broncos', 'stuck-' || id, md5('t' || id), 'captured', 1, 500, 'Stuck',
                 'stuck' || id || '@example.com', now(), now()
               from draws returning id, substr(client_key, 7)::bigint as draw)
             insert into order_lines (order_id, draw_id, count, unit_price_cents) select id, draw, 1, 500 from o",
        )
        .await;
    let at = due(&server, last).await.plus_seconds(1);
    sweep_at(&server, at).await;
    assert!(
        !is_named(&server, &server.bob()).await,
        "behind two dozen draws that cannot be finished"
    );
    let kept = "select count(*) from orders where buyer_name = $1";
    assert_eq!(server.database.count(kept, "Stuck").await, 25);
}

#[actix_web::test]
async fn two_nodes_at_once_erase_each_order_once_in_bounded_steps() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await.id;
    let draws = [
        server.draw(club).await,
        server.draw(club).await,
        server.draw(club).await,
    ];
    for draw in draws {
        server.alice().buys(draw, 1).await;
    }
    // A crowd that came to nothing: their details are kept as long, and no longer.
    server
        .database
        .run(
            "with o as (insert into orders (id, club_id, account_id, client_key, token, state, lines, subtotal_cents, buyer_name,
                 buyer_email, opened_at)
               select md5('o' || n)::uuid, (select min(id) from clubs), 'acct_broncos', 'crowd-' || n, md5('t' || n), 'released', 1,
                 500, 'Crowd', 'crowd' || n || '@example.com', now()
               from generate_series(1, 250) n returning id)
             insert into order_lines (order_id, draw_id, count, unit_price_cents)
               select id, (select min(id) from draws), 1, 500 from o",
        )
        .await;
    let at = due(&server, draws[2]).await.plus_seconds(1);
    let node = async || {
        let (mut steps, mut after) = (Vec::new(), DrawId(0));
        while let Some(step) = server
            .records
            .erase_buyers(after, 13, at)
            .await
            .expect("erased")
        {
            after = if step.orders < 100 { step.draw } else { after };
            steps.push(step.orders);
        }
        steps
    };
    let (mut one, other) = tokio::join!(node(), node());
    one.extend(other);
    assert!(one.iter().all(|orders| *orders <= 100), "{one:?}");
    // Whoever passes by a draw that the other works on leaves it to the other.
    assert_eq!(one.iter().sum::<u64>(), 253, "{one:?}");
    let left = "select count(*) from orders where erased_at is null and $1 = ''";
    assert_eq!(server.database.count(left, "").await, 0);
    server.finish().await;
}
