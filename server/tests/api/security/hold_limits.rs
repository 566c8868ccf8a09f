//! Reservations that are never paid cannot use up a draw. The browser's cookie is signed, and the
//! unpaid tickets of a network are limited (decision M-7).

use std::collections::BTreeSet;

use domain::DrawId;
use domain::draw::hold_limit::{SCARCE_TICKETS_PER_ORDER_MAX, source_ticket_quota};
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use reqwest::Method;
use serde_json::{Value, json};
use server::services::identity::Browser;

use crate::support::buyer::{ApiResponse, Intent};
use crate::support::{Buyer, TestServer};

const ATTACKER_ADDRESS: &str = "203.0.113.66";
const CLUBHOUSE_ADDRESS: &str = "198.51.100.20";

/// Returns a browser that has a cookie.
async fn browser_with_cookie(server: &TestServer) -> Buyer {
    let browser = server.bob();
    browser.get("/api/config").await;
    browser
}

async fn post_from_address(
    server: &TestServer,
    buyer: &Buyer,
    from: &str,
    path: &str,
    body: Value,
) -> ApiResponse {
    let request = buyer
        .bare_request(Method::POST, path)
        .header("origin", &server.url)
        .header("x-forwarded-for", from);
    Buyer::send_request(request.json(&body)).await
}

async fn reserve_tickets(
    server: &TestServer,
    buyer: &Buyer,
    from: &str,
    draw: DrawId,
    count: u16,
) -> ApiResponse {
    let body = json!({ "drawNumber": draw.0, "ticketCount": count, "buyer": buyer.details() });
    post_from_address(server, buyer, from, "/api/create-payment-intent", body).await
}

async fn pay_order(buyer: &Buyer, draw: DrawId, count: u16, opened: ApiResponse) {
    let intent = Intent { body: opened.ok() };
    buyer.authorise(&intent).await;
    assert_eq!(
        buyer
            .complete_card_purchase(draw, count, &intent)
            .await
            .ok()["success"],
        true
    );
}

/// Reserves as many tickets as possible. Each order comes from a browser with a new cookie. Returns
/// the number of reserved tickets.
async fn reserve_as_many_as_possible(server: &TestServer, from: &str, draw: DrawId) -> u16 {
    let mut reserved = 0;
    for count in [50, 50, 50, 19, 10, 5, 2, 1] {
        let answer = reserve_tickets(
            server,
            &browser_with_cookie(server).await,
            from,
            draw,
            count,
        )
        .await;
        assert!(
            matches!(answer.status, 200 | 409 | 429),
            "{}: {}",
            answer.status,
            answer.text
        );
        reserved += if answer.status == 200 { count } else { 0 };
    }
    reserved
}

async fn held_tickets(server: &TestServer, draw: DrawId) -> u16 {
    server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view")
        .held
}

async fn advance_clock(server: &TestServer, seconds: i64) {
    server
        .alice()
        .post("/sandbox/clock", json!({ "advanceSeconds": seconds }))
        .await
        .ok();
}

#[actix_web::test]
async fn one_network_with_fresh_cookies_holds_at_most_half_a_draw() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let reserved = reserve_as_many_as_possible(&server, ATTACKER_ADDRESS, draw).await;
    assert!(
        (50..=source_ticket_quota(169)).contains(&reserved),
        "{reserved}"
    );
    let refused = reserve_tickets(
        &server,
        &browser_with_cookie(&server).await,
        ATTACKER_ADDRESS,
        draw,
        50,
    )
    .await;
    assert!(refused.header("retry-after").is_some());
    let body = refused.expect_refusal(409, "hold-limit");
    assert!(
        body["available"]
            .as_u64()
            .is_some_and(|available| available < 35),
        "{body}"
    );
    assert_eq!(
        held_tickets(&server, draw).await,
        reserved,
        "a refusal reserves nothing"
    );
    let buyer = browser_with_cookie(&server).await;
    let opened = reserve_tickets(&server, &buyer, CLUBHOUSE_ADDRESS, draw, 20).await;
    pay_order(&buyer, draw, 20, opened).await;
    server.finish().await;
}

/// A network reserves again after each expiry, for hours, and never pays. Other buyers can still
/// buy every ticket.
#[actix_web::test]
async fn network_that_never_pays_cannot_block_a_draw() {
    let server = TestServer::start_with_movable_clock().await;
    let draw = server.create_club_with_draw().await;
    let (mut sold, mut most_reserved) = (0, 0);
    for _ in 0..60 {
        most_reserved =
            most_reserved.max(reserve_as_many_as_possible(&server, ATTACKER_ADDRESS, draw).await);
        let buyer = browser_with_cookie(&server).await;
        for count in [10, 1] {
            let opened = reserve_tickets(&server, &buyer, CLUBHOUSE_ADDRESS, draw, count).await;
            if opened.status == 200 {
                pay_order(&buyer, draw, count, opened).await;
                sold += count;
                break;
            }
        }
        if sold == 169 {
            break;
        }
        advance_clock(&server, 151).await;
    }
    assert!(
        most_reserved >= 50,
        "the attacker held tickets: {most_reserved}"
    );
    assert_eq!(sold, 169, "every ticket is sold to the clubhouse");
    server.finish().await;
}

#[actix_web::test]
async fn scarce_draw_gives_ten_tickets_and_two_short_extensions() {
    let server = TestServer::start_with_movable_clock().await;
    let draw = server.create_club_with_draw().await;
    for count in [50, 50, 13] {
        server.alice().buy(draw, count).await;
    }
    let buyer = browser_with_cookie(&server).await;
    let refused = reserve_tickets(
        &server,
        &buyer,
        CLUBHOUSE_ADDRESS,
        draw,
        SCARCE_TICKETS_PER_ORDER_MAX + 1,
    )
    .await;
    assert_eq!(
        refused.expect_refusal(409, "hold-limit")["available"],
        SCARCE_TICKETS_PER_ORDER_MAX
    );
    let opened = reserve_tickets(
        &server,
        &buyer,
        CLUBHOUSE_ADDRESS,
        draw,
        SCARCE_TICKETS_PER_ORDER_MAX,
    )
    .await
    .ok();
    let path = format!(
        "/api/reservations/{}/extend",
        opened["reservationId"].as_str().expect("the id is text")
    );
    for remaining in [1, 0] {
        let extended = post_from_address(&server, &buyer, CLUBHOUSE_ADDRESS, &path, json!({}))
            .await
            .ok();
        assert_eq!(extended["extensionsLeft"], remaining);
        advance_clock(&server, 60).await;
    }
    post_from_address(&server, &buyer, CLUBHOUSE_ADDRESS, &path, json!({}))
        .await
        .expect_refusal(409, "extensions-used-up");
    server.finish().await;
}

/// A phone reserves one ticket and pays, or leaves without paying if `walks_away`. Returns whether
/// it bought the ticket.
async fn try_to_buy_on_phone(
    server: &TestServer,
    http: &reqwest::Client,
    cookie: &str,
    draw: DrawId,
    walks_away: bool,
) -> bool {
    let post = |path: &str, body: Value| {
        let request = http
            .post(format!("{}{path}", server.url))
            .header("origin", &server.url)
            .header("cookie", cookie);
        Buyer::send_request(
            request
                .header("x-forwarded-for", CLUBHOUSE_ADDRESS)
                .json(&body),
        )
    };
    let buyer =
        json!({ "buyerName": "Jo", "buyerEmail": "jo@example.com", "buyerPhone": "0400 111 222" });
    let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": buyer });
    let opened = post("/api/create-payment-intent", body).await;
    assert!(
        matches!(opened.status, 200 | 409 | 429),
        "{}: {}",
        opened.status,
        opened.text
    );
    if opened.status != 200 || walks_away {
        return false;
    }
    let intent = Intent { body: opened.ok() };
    server.alice().authorise(&intent).await;
    let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentIntentId": intent.id(), "buyer": buyer });
    assert_eq!(
        post("/api/complete-card-payment", body).await.ok()["success"],
        true
    );
    true
}

/// 1,000 phones share one address, and each buys at most one ticket. Together they buy all 169
/// tickets despite the limits. No phone comes back after its purchase, because a browser that has
/// paid has a quota of its own. The clock moves between the rounds.
#[actix_web::test]
async fn thousand_phones_behind_one_address_buy_every_ticket() {
    let server = TestServer::start_with_movable_clock().await;
    let draw = server.create_club_with_draw().await;
    let http = reqwest::Client::new();
    let cookie = |_| {
        format!(
            "fd_session={}",
            server
                .state
                .browser_cookies
                .sign(Browser::new(), server.now())
        )
    };
    let mut waiting: Vec<(usize, String)> = (0..1000).map(cookie).enumerate().collect();
    let mut phones_with_ticket = BTreeSet::new();
    let (mut rounds, begun) = (0, server.now());
    while phones_with_ticket.len() < 169 {
        let sold = phones_with_ticket.len();
        assert!(rounds < 20, "{sold} sold after {rounds} rounds");
        // Eight phones buy at the same time.
        for phones in waiting.chunks(8) {
            let visits = phones.iter().map(|(number, cookie)| {
                try_to_buy_on_phone(&server, &http, cookie, draw, number % 5 == 0)
            });
            let bought = futures_util::future::join_all(visits).await;
            for ((number, _), has_bought) in phones.iter().zip(bought) {
                assert!(
                    !has_bought || phones_with_ticket.insert(*number),
                    "phone {number} bought twice"
                );
            }
            if server
                .engine
                .draws
                .view(draw)
                .await
                .expect("the draw has a view")
                .free()
                == 0
            {
                break;
            }
        }
        rounds += 1;
        waiting.retain(|(number, _)| !phones_with_ticket.contains(number));
        waiting.rotate_left(211);
        advance_clock(&server, 151).await;
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        169
    );
    let seconds = server.now().ms_since(begun) / 1000;
    println!("1,000 phones: {rounds} rounds, {seconds} s by the server's clock");
    server.finish().await;
}

/// The unpaid tickets of a network do not limit a browser that has paid. A browser that only used
/// another order's token does not count as one that has paid.
#[actix_web::test]
async fn browser_that_paid_has_its_own_quota() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let buyer = browser_with_cookie(&server).await;
    let opened = Intent {
        body: reserve_tickets(&server, &buyer, ATTACKER_ADDRESS, first, 2)
            .await
            .ok(),
    };
    buyer.authorise(&opened).await;
    buyer.complete_card_purchase(first, 2, &opened).await.ok();
    let friend = browser_with_cookie(&server).await;
    assert_eq!(
        friend.complete_card_purchase(first, 2, &opened).await.ok()["success"],
        true
    );
    reserve_as_many_as_possible(&server, ATTACKER_ADDRESS, second).await;
    reserve_tickets(&server, &friend, ATTACKER_ADDRESS, second, 50)
        .await
        .expect_refusal(409, "hold-limit");
    reserve_tickets(&server, &buyer, ATTACKER_ADDRESS, second, 50)
        .await
        .ok();
    server.finish().await;
}

/// Generates invalid cookie values: without a signature, with a wrong one, or with small changes to
/// the valid value `good`.
fn forged_cookies(good: String) -> impl Strategy<Value = String> {
    let near = (0..good.len(), "[0-9a-f]").prop_map(move |(at, digit)| {
        let same = good[at..=at] == digit;
        let digit = if same {
            if digit == "0" { "1" } else { "0" }
        } else {
            digit.as_str()
        };
        [&good[..at], digit, &good[at + 1..]].concat()
    });
    prop_oneof![
        "[0-9a-f]{32}",
        "[0-9a-f]{72}",
        "[0-9A-Fa-f]{0,80}",
        near,
        any::<u64>().prop_map(|n| n.to_string())
    ]
}

#[actix_web::test]
async fn forged_cookie_identifies_no_browser_and_opens_no_order() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 3).await;
    let path = format!(
        "/api/reservations/{}",
        intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
    );
    let good = alice
        .cookies()
        .split('=')
        .nth(1)
        .expect("a value")
        .to_string();
    let mut runner = TestRunner::deterministic();
    let values = forged_cookies(good.clone());
    for _ in 0..400 {
        let value = values.new_tree(&mut runner).expect("a value").current();
        assert!(
            server
                .state
                .browser_cookies
                .verify(&value, server.now())
                .is_none(),
            "{value}"
        );
    }
    for _ in 0..40 {
        let cookie = format!(
            "fd_session={}",
            values.new_tree(&mut runner).expect("a value").current()
        );
        let request = server
            .bob()
            .bare_request(Method::DELETE, &path)
            .header("origin", &server.url)
            .header("cookie", cookie);
        let answer = Buyer::send_request(request).await;
        assert!(
            answer
                .header("set-cookie")
                .is_some_and(|cookie| cookie.starts_with("fd_session=")),
            "the response sets a new cookie"
        );
        answer.expect_refusal(404, "not-found");
    }
    assert_eq!(held_tickets(&server, draw).await, 3);
    let request = server
        .bob()
        .bare_request(Method::DELETE, &path)
        .header("origin", &server.url);
    assert_eq!(
        Buyer::send_request(request.header("cookie", format!("fd_session={good}")))
            .await
            .status,
        204,
        "the valid cookie opens the order"
    );
    server.finish().await;
}

/// An address without a valid cookie gets one order per reservation period, even if it sends many
/// forged cookies.
#[actix_web::test]
async fn forged_cookies_count_as_no_cookie() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for turn in 0..4 {
        let cookie = format!("fd_session={}", format!("{turn:02x}").repeat(16));
        let body = json!({ "drawNumber": draw.0, "ticketCount": 19 });
        let request = server
            .bob()
            .bare_request(Method::POST, "/api/create-payment-intent")
            .header("origin", &server.url);
        let request = request
            .header("cookie", cookie)
            .header("x-forwarded-for", ATTACKER_ADDRESS);
        let answer = Buyer::send_request(request.json(&body)).await;
        assert!(
            answer
                .header("set-cookie")
                .is_some_and(|cookie| cookie.starts_with("fd_session="))
        );
        assert_eq!(
            answer.status,
            if turn == 0 { 200 } else { 429 },
            "{}",
            answer.text
        );
    }
    assert_eq!(held_tickets(&server, draw).await, 19);
    server.finish().await;
}

/// During a rolling deploy, a paying buyer's cookie may be replaced. The order can then be
/// completed with its client secret or its token.
#[actix_web::test]
async fn order_of_a_replaced_cookie_is_completed_by_its_secrets() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for secret in ["clientSecret", "orderToken"] {
        let intent = server.alice().open_intent(draw, 2).await;
        let renewed = server.alice();
        renewed.authorise(&intent).await;
        let body = json!({ "paymentIntentId": intent.id(), secret: intent.body[secret], "buyer": renewed.details() });
        let request = renewed
            .bare_request(Method::POST, "/api/complete-card-payment")
            .header("origin", &server.url);
        let request = request.header("cookie", "fd_session=00112233445566778899aabbccddeeff");
        let answer = Buyer::send_request(request.json(&body)).await.ok();
        assert_eq!(
            (
                &answer["success"],
                answer["tickets"].as_array().map(Vec::len)
            ),
            (&json!(true), Some(2)),
            "{secret}"
        );
    }
    server.finish().await;
}
