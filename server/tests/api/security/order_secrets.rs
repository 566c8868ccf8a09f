//! Without an order's secret, no call can change the order or see its pairs or personal data
//! (decision M-1). A stranger calls every public route, page and socket topic with the public data
//! of another buyer's order.

use domain::access::Audience;
use domain::{DrawId, Serial};
use reqwest::Method;
use sandbox::faults::{Faults, WebhookFaults};
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};
use server::render::page_address::PAGE_PATTERNS;
use server::services::limits::UNPROVEN_ORDER_CALLS_PER_ADDRESS_AND_MINUTE;

use crate::access::{http_method_of, path_with_ids};
use crate::support::buyer::{ApiResponse, Intent};
use crate::support::server::eventually;
use crate::support::socket::Socket;
use crate::support::{Buyer, TestServer, club};

const STRANGER_EMAIL: &str = "mallory@example.com";

/// An order of another buyer that the stranger tries to read and change.
struct AttackedOrder {
    name: &'static str,
    draw: DrawId,
    intent: Intent,
    /// Whether the draw's result was revealed. All pairs of the draw are then public.
    is_revealed: bool,
}

impl AttackedOrder {
    fn order_id(&self) -> &str {
        self.intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
    }

    /// Returns a body that fits any call. It contains only public data of the order.
    fn attack_body(&self) -> Value {
        let mallory =
            json!({ "name": "Mallory", "email": STRANGER_EMAIL, "phone": "0499 999 999" });
        let plain = self.order_id().replace('-', "");
        json!({
            "paymentIntentId": self.intent.id(), "reservationId": self.order_id(), "orderId": self.order_id(),
            "drawNumber": self.draw.0, "drawId": self.draw.0, "ticketCount": 1, "serialNumber": format!("FD-{}-001", self.draw),
            "items": [{ "drawId": self.draw.0, "quantity": 1 }], "buyer": mallory, "customerInfo": mallory,
            "ageConfirmation": true, "termsAgreement": true, "orderToken": plain, "token": plain,
            "clientSecret": format!("{}_secret_guessed", self.intent.id()), "email": "alice@example.com",
        })
    }

    /// Returns paths of a route in which public ids stand where the order's secrets belong.
    fn attack_paths(&self, pattern: &str, club: i64) -> Vec<String> {
        let plain = self.order_id().replace('-', "");
        let names = [plain.as_str(), self.intent.id(), self.order_id()];
        let names = if pattern.contains("{token}") {
            &names[..]
        } else {
            &names[..1]
        };
        let path = |name: &&str| {
            let path = pattern
                .replace("{token}", name)
                .replace("{order}", self.order_id());
            let path = path
                .replace("{bundle}", "1")
                .replace("{slug}", "broncos")
                .replace("{n}", &self.draw.to_string());
            let query = format!(
                "paymentIntentId={0}&orderToken={name}&token={name}&orderId={name}",
                self.intent.id()
            );
            format!("{}?{query}", path_with_ids(&path, self.draw, club, 1))
        };
        names.iter().map(path).collect()
    }
}

/// Returns all database rows of the order as one text.
async fn order_rows_as_text(server: &TestServer, order: &str) -> String {
    let query = "select concat_ws(chr(10),
         (select o::text from orders o where o.id::text = $1),
         (select string_agg(l::text, chr(10) order by l.id) from order_lines l where l.order_id::text = $1),
         (select string_agg(r::text, chr(10) order by r.draw_id) from reservations r where r.order_id::text = $1),
         (select string_agg((m.dedupe_key, m.kind, m.to_address, m.data)::text, chr(10) order by m.id)
          from email_outbox m where m.order_id::text = $1))";
    server.database.query_text(query, order).await
}

/// Returns the order's columns that must not change during fulfilment: buyer, consent, client key
/// and total.
async fn buyer_columns_as_text(server: &TestServer, order: &str) -> String {
    let query = "select (buyer_name, buyer_email, buyer_phone, consent_at, consent_ip, client_key, total_cents)::text
         from orders where id::text = $1";
    server.database.query_text(query, order).await
}

/// Returns whether a JSON or HTML text contains a jersey number.
fn text_contains_jersey_number(text: &str) -> bool {
    let is_digit = |rest: &str| {
        rest.trim_start_matches(['\\', '"', ':', ' '])
            .starts_with(|c: char| c.is_ascii_digit())
    };
    ["homeNumber", "awayNumber"]
        .iter()
        .any(|name| text.split(name).skip(1).any(is_digit))
}

/// Returns the name of the first secret that a text contains. `leaked_secret_or_buyer_detail` also
/// checks buyer details.
fn first_order_secret_in(target: &AttackedOrder, text: &str) -> Option<&'static str> {
    let secrets = [
        ("token", target.intent.token()),
        ("client secret", target.intent.secret()),
    ];
    let found = secrets
        .into_iter()
        .find(|(_, secret)| text.contains(secret))
        .map(|(what, _)| what);
    found.or_else(|| (!target.is_revealed && text_contains_jersey_number(text)).then_some("pair"))
}

fn leaked_secret_or_buyer_detail(
    target: &AttackedOrder,
    answer: &ApiResponse,
) -> Option<&'static str> {
    let details = [
        ("name", "Alice"),
        ("e-mail", "alice@example.com"),
        ("phone", "0411 000 001"),
    ];
    let found = details
        .into_iter()
        .find(|(_, detail)| answer.text.contains(detail))
        .map(|(what, _)| what);
    first_order_secret_in(target, &answer.text)
        .or(found)
        .or_else(|| (answer.status >= 500).then_some("500"))
}

/// Opens every page and WebSocket topic as a stranger. Adds leaks to `wrong`.
async fn find_leaks_in_pages_and_sockets(
    server: &TestServer,
    target: &AttackedOrder,
    wrong: &mut Vec<String>,
) {
    let club = server.club_id("broncos").0;
    for page in PAGE_PATTERNS {
        for path in target.attack_paths(page.path, club) {
            let answer = server.bob().get(&path).await;
            wrong.extend(
                leaked_secret_or_buyer_detail(target, &answer)
                    .map(|what| format!("{}: {path}: {what}", target.name)),
            );
        }
    }
    let plain = target.order_id().replace('-', "");
    let orders = format!(
        "order:{plain},order:{},order:{}",
        target.intent.id(),
        target.order_id()
    );
    let mut socket = Socket::open(
        server,
        &format!("{orders},ops,draw:{},draws,public", target.draw),
    )
    .await;
    for kind in ["draw", "draws", "public"] {
        let frame = socket.next_frame_of_any_type(kind).await;
        if frame["type"] != kind || first_order_secret_in(target, &frame.to_string()).is_some() {
            wrong.push(format!("{}: a socket hears {frame}", target.name));
        }
    }
}

/// Reads the club's pages. A club may see buyers, but no pair before the result and no secret of an
/// order. Adds leaks to `wrong`.
async fn find_leaks_in_club_pages(
    server: &TestServer,
    target: &AttackedOrder,
    wrong: &mut Vec<String>,
) {
    let club = server.club_id("broncos").0;
    let owner = club::sign_in_as_club(server, "broncos").await;
    let is_read = |audience| {
        matches!(
            audience,
            Audience::Club | Audience::Seller | Audience::Owner
        )
    };
    for route in ROUTES
        .iter()
        .filter(|route| route.method == Verb::Get && is_read(route.audience))
    {
        for path in target.attack_paths(route.path, club) {
            let answer = owner.get(&path).await;
            wrong.extend(
                first_order_secret_in(target, &answer.text)
                    .map(|what| format!("{}: club {path}: {what}", target.name)),
            );
        }
    }
}

/// Calls every public route as a stranger, with and without a cookie. Returns what leaked.
async fn find_leaks_in_public_routes(server: &TestServer, target: &AttackedOrder) -> Vec<String> {
    let club = server.club_id("broncos").0;
    let with_cookie = server.bob();
    with_cookie.get("/api/config").await.ok();
    let mut released = target.attack_body();
    released["expectedAmount"] = json!(1);
    released["paymentMethodId"] = json!("pm_card_visa");
    let mut wrong = Vec::new();
    let open = |audience| {
        matches!(
            audience,
            Audience::Public | Audience::Buyer | Audience::Machine
        )
    };
    for route in ROUTES
        .iter()
        .filter(|route| open(route.audience) && route.path != "/ws")
    {
        for path in target.attack_paths(route.path, club) {
            for body in [target.attack_body(), released.clone()] {
                for browser in [&server.bob(), &with_cookie] {
                    let request = browser
                        .bare_request(http_method_of(route), &path)
                        .header("origin", &server.url);
                    let request = if route.method == Verb::Get {
                        request
                    } else {
                        request.json(&body)
                    };
                    let answer = Buyer::send_request(request).await;
                    if let Some(what) = leaked_secret_or_buyer_detail(target, &answer) {
                        let text: String = answer.text.chars().take(300).collect();
                        wrong.push(format!(
                            "{}: {:?} {path}: {what}: {text}",
                            target.name, route.method
                        ));
                    }
                }
            }
        }
    }
    find_leaks_in_pages_and_sockets(server, target, &mut wrong).await;
    find_leaks_in_club_pages(server, target, &mut wrong).await;
    wrong
}

/// Opens an order with Alice's details, or without details as with a wallet.
async fn open_order(server: &TestServer, draw: DrawId, has_details: bool) -> (Buyer, Intent) {
    let alice = server.alice();
    let mut body = json!({ "drawNumber": draw.0, "ticketCount": 2 });
    if has_details {
        body["buyer"] = alice.details();
    }
    let intent = Intent {
        body: alice.post("/api/create-payment-intent", body).await.ok(),
    };
    (alice, intent)
}

async fn capture_order(server: &TestServer, draw: DrawId, has_details: bool) -> Intent {
    let (alice, intent) = open_order(server, draw, has_details).await;
    alice.authorise(&intent).await;
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "paymentIntentId": intent.id() });
    assert_eq!(
        alice.post("/api/complete-card-payment", body).await.ok()["status"],
        "succeeded"
    );
    intent
}

/// Enters a result for which the draw's first ticket wins. Returns the club's browser.
async fn reveal_result(server: &TestServer, draw: DrawId) -> Buyer {
    let first = Serial::new(1).expect("a serial");
    let pair = server
        .engine
        .draws
        .cells(draw, &[first])
        .await
        .expect("a pair")[0]
        .1;
    server.start_game(draw).await;
    let seller = club::sign_in_as_club(server, "broncos").await;
    club::enter_result(&seller, draw, pair.home(), pair.away())
        .await
        .ok();
    seller
}

fn lose_webhooks(server: &TestServer) {
    let webhook = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook,
        ..Faults::default()
    });
}

#[actix_web::test]
async fn no_stranger_changes_an_order_or_sees_its_secrets() {
    let server = TestServer::start().await;
    lose_webhooks(&server);
    let club = server.create_club("broncos").await.id;
    let mut wrong = Vec::new();
    for has_details in [true, false] {
        let draw = server.create_draw(club).await;
        let intent = open_order(&server, draw, has_details).await.1;
        let target = |name, draw, intent| AttackedOrder {
            name,
            draw,
            intent,
            is_revealed: false,
        };
        let reserved = target("reserved", draw, intent);
        let draw = server.create_draw(club).await;
        let paid = target(
            "captured",
            draw,
            capture_order(&server, draw, has_details).await,
        );
        let draw = server.create_draw(club).await;
        let intent = capture_order(&server, draw, has_details).await;
        reveal_result(&server, draw).await;
        let revealed = AttackedOrder {
            is_revealed: true,
            ..target("revealed", draw, intent)
        };
        for target in [reserved, paid, revealed] {
            let before = order_rows_as_text(&server, target.order_id()).await;
            wrong.extend(find_leaks_in_public_routes(&server, &target).await);
            assert_eq!(
                order_rows_as_text(&server, target.order_id()).await,
                before,
                "{} named: {has_details}",
                target.name
            );
        }
        let draw = server.create_draw(club).await;
        let (alice, intent) = open_order(&server, draw, has_details).await;
        alice.authorise(&intent).await;
        let authorised = target("authorised", draw, intent);
        let before = buyer_columns_as_text(&server, authorised.order_id()).await;
        wrong.extend(find_leaks_in_public_routes(&server, &authorised).await);
        assert_eq!(
            buyer_columns_as_text(&server, authorised.order_id()).await,
            before,
            "named: {has_details}"
        );
        assert_eq!(
            alice.fetch_order_of(&authorised.intent).await["status"],
            "succeeded",
            "the attack only triggers the fulfilment"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The stranger receives mails only about orders of the stranger's own.
    let mails = "select count(*) from email_outbox m where m.to_address = $1 and not exists (
         select from orders o where o.id = m.order_id and o.buyer_email = $1)";
    assert_eq!(server.database.query_number(mails, STRANGER_EMAIL).await, 0);
    server.finish().await;
}

#[actix_web::test]
async fn stranger_with_an_intent_id_never_becomes_the_buyer() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let intent = capture_order(&server, draw, false).await;
    let (owner, stranger) = (server.alice(), server.bob());
    let mut body = json!({ "paymentIntentId": intent.id(), "buyer": stranger.details() });
    let answer = stranger
        .post("/api/complete-card-payment", body.clone())
        .await
        .ok();
    assert_eq!(
        (&answer["status"], &answer["tickets"], &answer["orderToken"]),
        (&json!("succeeded"), &json!([]), &Value::Null)
    );
    let named = "select count(*) from orders where payment_intent_id = $1 and (buyer_email is not null or buyer_phone is not null)";
    assert_eq!(server.database.query_number(named, intent.id()).await, 0);
    // Once the payment is captured, not even the client secret gives access to the order.
    body["clientSecret"] = json!(intent.secret());
    assert_eq!(
        stranger.post("/api/complete-card-payment", body).await.ok()["orderToken"],
        Value::Null
    );
    assert_eq!(server.database.query_number(named, intent.id()).await, 0);
    let contact = json!({ "paymentIntentId": intent.id(), "orderToken": intent.token(), "buyer": owner.details() });
    owner.post("/api/complete-card-payment", contact).await.ok();
    assert_eq!(
        server.next_mail("tickets").await.to,
        owner.email,
        "the holder of the token sets the buyer"
    );
    server.finish().await;
}

#[actix_web::test]
async fn stranger_with_another_amount_never_releases_an_order() {
    let server = TestServer::start().await;
    lose_webhooks(&server);
    let draw = server.create_club_with_draw().await;
    let (alice, intent) = open_order(&server, draw, true).await;
    let stranger = server.bob();
    let body = json!({ "paymentIntentId": intent.id(), "expectedAmount": 1, "ageConfirmation": true, "termsAgreement": true });
    for path in [
        "/api/complete-card-payment",
        "/api/purchase-tickets",
        "/api/purchase-cart",
    ] {
        assert_eq!(
            stranger.post(path, body.clone()).await.ok()["status"],
            "requires_payment_method",
            "{path}"
        );
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held,
        2
    );
    assert_eq!(alice.fetch_order_of(&intent).await["state"], "quoted");
    let consents =
        "select count(*) from orders where payment_intent_id = $1 and consent_at is not null";
    assert_eq!(server.database.query_number(consents, intent.id()).await, 0);
    let mut with_secret = body.clone();
    with_secret["clientSecret"] = json!(intent.secret());
    alice.authorise(&intent).await;
    assert_eq!(
        stranger.post("/api/purchase-tickets", body).await.ok()["status"],
        "succeeded"
    );
    let shown = stranger
        .post("/api/purchase-tickets", with_secret)
        .await
        .ok();
    assert_eq!(
        shown["tickets"].as_array().map(Vec::len),
        Some(2),
        "the client secret shows the tickets"
    );
    server.finish().await;
}

#[actix_web::test]
async fn buyer_cannot_be_named_after_reveal_without_two_operators() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let intent = capture_order(&server, draw, false).await;
    let seller = reveal_result(&server, draw).await;
    let stranger = server.bob();
    let mut body = json!({ "paymentIntentId": intent.id(), "buyer": stranger.details() });
    stranger
        .post("/api/complete-card-payment", body.clone())
        .await
        .ok();
    body["orderToken"] = json!(intent.token());
    stranger
        .post("/api/complete-card-payment", body)
        .await
        .expect_refusal(409, "contact-closed");
    let notified = seller
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(notified["emailsSent"], 0);
    assert_eq!(server.count_queued_mails("winner").await, 0);
    let mails = "select count(*) from email_outbox where to_address = $1";
    assert_eq!(server.database.query_number(mails, stranger.email).await, 0);
    server.finish().await;
}

#[actix_web::test]
async fn confirmation_is_resent_for_a_proven_buyer_only() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let intent = capture_order(&server, draw, true).await;
    let stranger = server.bob();
    let resend = async |body: Value| stranger.post("/api/resend-confirmation", body).await.ok();
    let unproven = resend(json!({ "paymentIntentId": intent.id() })).await;
    assert_eq!(server.count_queued_mails("resend").await, 0);
    let proven =
        resend(json!({ "paymentIntentId": intent.id(), "orderToken": intent.token() })).await;
    assert_eq!(
        (server.count_queued_mails("resend").await, proven),
        (1, unproven),
        "the answer does not depend on the proof"
    );
    server.finish().await;
}

#[actix_web::test]
async fn calls_without_order_proof_are_limited_by_address() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let intent = capture_order(&server, draw, true).await;
    let call = async |address: &str, body: Value| {
        let request = server
            .bob()
            .bare_request(Method::POST, "/api/complete-card-payment")
            .header("origin", &server.url);
        Buyer::send_request(request.header("x-forwarded-for", address).json(&body)).await
    };
    let named = json!({ "paymentIntentId": intent.id() });
    let unknown = json!({ "paymentIntentId": "pi_unknown" });
    let refused = eventually("the address is refused", async || {
        for turn in 0..=UNPROVEN_ORDER_CALLS_PER_ADDRESS_AND_MINUTE {
            let body = if turn % 2 == 0 { &named } else { &unknown };
            let answer = call("203.0.113.9", body.clone()).await;
            if answer.status == 429 {
                return Some(answer);
            }
        }
        None
    })
    .await;
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| s > 0))
    );
    refused.expect_refusal(429, "too-many-requests");
    let proven = json!({ "paymentIntentId": intent.id(), "orderToken": intent.token() });
    assert_eq!(
        call("203.0.113.9", proven).await.status,
        200,
        "the holder of the token is not limited"
    );
    assert_eq!(
        call("203.0.113.10", named).await.status,
        200,
        "another address has its own limit"
    );
    server.finish().await;
}

/// Reads a source file, and puts a method call that rustfmt wrapped on the line of its receiver.
fn read_with_joined_calls(path: &std::path::Path) -> String {
    let text = std::fs::read_to_string(path).expect("a file");
    let mut joined = String::new();
    for line in text.lines().map(str::trim) {
        if !line.starts_with('.') {
            joined.push('\n');
        }
        joined.push_str(line);
    }
    joined
}

/// Only a caller with an `OwnOrder`, the proof of the order's secret, can change or show an order.
#[test]
fn order_access_requires_proof_of_its_secret() {
    let effects = [
        "fill_buyer(",
        "correct_buyer(",
        "payments.record_consent(",
        "abandon_after_amount_change(",
        "payments.extend(",
        "draws.cells(",
        "payments.confirm(",
        "order_by_token(",
    ];
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = ["http", "live", "checkout", "access", "services"];
    let mut folders: Vec<_> = folders.map(|folder| src.join(folder)).into();
    // Skips the file that defines `OwnOrder`.
    let definition = src.join("access/order_access.rs");
    let defining_text = read_with_joined_calls(&definition);
    for effect in effects {
        assert!(
            defining_text.contains(effect),
            "{effect} is called nowhere: was it renamed?"
        );
    }
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path == definition {
                continue;
            }
            let text = read_with_joined_calls(&path);
            let calls = text
                .lines()
                .filter(|line| !line.contains("own.") && !line.contains("order.correct_buyer("));
            found.extend(
                calls
                    .filter(|line| effects.iter().any(|effect| line.contains(effect)))
                    .map(String::from),
            );
        }
    }
    assert!(
        found.is_empty(),
        "calls without a proof of the order: {found:#?}"
    );
}
