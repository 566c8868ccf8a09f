//! One fixed journey through the server, recorded answer by answer and compared with a file.
//!
//! The recording holds the method, path, status and body of every call. The stored events and rows
//! follow. Set `UPDATE_GOLDEN=1` to write the file anew after an intended change.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use domain::{DrawId, Timestamp};
use reqwest::Method;
use sandbox::faults::{Fault, Faults, ScriptedFault, WebhookFaults};
use serde_json::{Value, json};

use crate::support::buyer::{ApiResponse, Intent};
use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{Buyer, DECLINED_CARD, GOOD_CARD, TestServer, club};

/// Time at which the journey starts: 2040-01-01T00:00:00Z, in milliseconds since 1970.
const JOURNEY_START_UNIX_MS: i64 = 2_208_988_800_000;
/// The most seconds by which one call of `POST /sandbox/clock` can move the clock.
const CLOCK_MOVE_SECONDS_MAX: i64 = 2 * 366 * 86_400;
/// The kick-off of both draws: 19:10 in Sydney, as the club enters it.
const KICK_OFF_LOCAL: &str = "2040-01-08T19:10";
const KICK_OFF_UTC: &str = "2040-01-08T08:10:00Z";
/// JSON fields that hold a jersey number of a ticket. Their values are random in each run.
const JERSEY_NUMBER_FIELDS: [&str; 6] = [
    "homeNumber",
    "awayNumber",
    "homeFirstTryScorer",
    "awayFirstTryScorer",
    "home",
    "away",
];
/// Queries for the rows that the journey stores, with their names. The parameter `$1` is empty.
const STORED_ROW_QUERIES: [(&str, &str); 9] = [
    (
        "draw_events",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by draw_id, revision), '') from (
            select draw_id, revision, epoch, events from draw_events where $1 = '') t",
    ),
    (
        "orders",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by opened_at), '') from (
            select id, state, reason, lines, lines_allocated, subtotal_cents, card_fee_cents, application_fee_cents,
                fee_refunded_cents, buyer_name, buyer_email, buyer_phone, opened_at from orders where $1 = '') t",
    ),
    (
        "order_lines",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by id), '') from (
            select id, order_id, draw_id, count, unit_price_cents, card_fee_cents, application_fee_cents, serials
            from order_lines where $1 = '') t",
    ),
    (
        "reservations",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by draw_id), '') from (
            select draw_id, order_id, count, extensions from reservations where $1 = '') t",
    ),
    (
        "fee_ledger",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by draw_id, revision), '') from (
            select draw_id, revision, order_id, revenue_delta, fee_delta, revenue_after, fee_after
            from fee_ledger where $1 = '') t",
    ),
    (
        "payment_ops",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by id), '') from (
            select id, order_id, kind, amount_cents, state, why from payment_ops where $1 = '') t",
    ),
    (
        "refunds",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by id), '') from (
            select id, order_id, amount_cents, fee_cents, reason, state from refunds where $1 = '') t",
    ),
    (
        "email_outbox",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by kind, id), '') from (
            select kind, dedupe_key, to_address, state, id from email_outbox where $1 = '') t",
    ),
    (
        "audit_log",
        "select coalesce(string_agg(row_to_json(t)::text, chr(10) order by id), '') from (
            select id, actor, club_id, action, object, detail from audit_log where $1 = '') t",
    ),
];
/// Calls the server and records every response. Values that differ from run to run become
/// placeholders.
struct JourneyRecorder<'a> {
    server: &'a TestServer,
    text: String,
    placeholders: Placeholders,
}

impl JourneyRecorder<'_> {
    fn new(server: &TestServer) -> JourneyRecorder<'_> {
        JourneyRecorder {
            server,
            text: String::new(),
            placeholders: Placeholders::default(),
        }
    }

    fn record_response(&mut self, call: &str, answer: &ApiResponse) -> Value {
        let call = call.replace(&self.server.url, "<server>");
        let body = answer.text.replace(&self.server.url, "<server>");
        let (call, body) = (
            self.placeholders.replace_varying_values(&call),
            self.placeholders.replace_varying_values(&body),
        );
        writeln!(self.text, "{call}\n{}\n{body}\n", answer.status).expect("text is writable");
        serde_json::from_str(&answer.text).unwrap_or(Value::Null)
    }

    async fn get(&mut self, browser: &Buyer, path: &str) -> Value {
        let answer = browser.get(path).await;
        self.record_response(&format!("GET {path}"), &answer)
    }

    async fn post(&mut self, browser: &Buyer, path: &str, body: Value) -> Value {
        let answer = browser.post(path, body).await;
        self.record_response(&format!("POST {path}"), &answer)
    }

    async fn delete(&mut self, browser: &Buyer, path: &str) {
        let answer = browser.call(Method::DELETE, path, None).await;
        self.record_response(&format!("DELETE {path}"), &answer);
    }

    /// Opens or resizes a payment for one draw.
    async fn open_intent(&mut self, buyer: &Buyer, draw: DrawId, count: u16) -> Intent {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count, "buyer": buyer.details() });
        Intent {
            body: self.post(buyer, "/api/create-payment-intent", body).await,
        }
    }

    async fn confirm(&mut self, buyer: &Buyer, intent: &Intent, card: &str) {
        let answer = buyer.confirm(intent, card).await;
        self.record_response(
            &format!("confirm payment {} with {card}", intent.id()),
            &answer,
        );
    }

    async fn complete_checkout_purchase(
        &mut self,
        buyer: &Buyer,
        draw: DrawId,
        count: u16,
        intent: &Intent,
    ) -> Value {
        let answer = buyer.complete_checkout_purchase(draw, count, intent).await;
        self.record_response("POST /api/purchase-tickets", &answer)
    }

    async fn record_order_page(&mut self, buyer: &Buyer, intent: &Intent) {
        self.get(buyer, &format!("/api/orders/{}", intent.token()))
            .await;
    }

    /// Moves all clocks by this many seconds. Leaves the new time out of the recording.
    async fn move_clock(&mut self, seconds: i64) {
        let body = json!({ "advanceSeconds": seconds });
        self.post(&self.server.alice(), "/sandbox/clock", body)
            .await;
    }

    /// Waits until the server has finished its background work.
    async fn wait_until_idle(&self) {
        self.server.wait_until_idle().await;
        self.server
            .state
            .catalogue
            .reload()
            .await
            .expect("the read succeeds");
    }

    async fn record_stored_rows(&mut self) {
        for (table, query) in STORED_ROW_QUERIES {
            let rows = self.server.database.query_text(query, "").await;
            let rows = self
                .placeholders
                .replace_varying_values(&rows.replace(&self.server.url, "<server>"));
            writeln!(self.text, "table {table}\n{rows}\n").expect("text is writable");
        }
    }
}

/// Placeholders for values that differ from run to run. Each kind is numbered by first appearance.
#[derive(Default)]
struct Placeholders {
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

impl Placeholders {
    /// Returns the text with every value that differs from run to run replaced by its placeholder.
    /// All other bytes stay the same.
    fn replace_varying_values(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(length) = timestamp_text_length(rest) {
                let instant = &rest[..length];
                out.push_str(if instant == KICK_OFF_UTC {
                    KICK_OFF_UTC
                } else {
                    "<time>"
                });
                rest = &rest[length..];
                continue;
            }
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            if length == 0 {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let word = &rest[..length];
            let replaced = self.replace_varying_word(&out, word);
            out.push_str(&replaced);
            rest = &rest[length..];
        }
        out
    }

    /// Returns the placeholder for a word, or the word itself if it is the same in each run.
    /// `before` is the text before the word.
    fn replace_varying_word(&mut self, before: &str, word: &str) -> String {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return match word.len() {
                _ if is_before_jersey_number(before) => "<jersey>".to_string(),
                10.. if !word.starts_with('0') => "<time>".to_string(),
                _ => word.to_string(),
            };
        }
        if before.ends_with("\"requestId\":\"") {
            return "<request-id>".to_string();
        }
        if let Some((name, id)) = split_uuid(word) {
            return format!("{name}{}", self.numbered_placeholder(id, "id"));
        }
        if is_random_token(word) {
            return self.numbered_placeholder(word, "token");
        }
        word.to_string()
    }

    /// Returns the numbered placeholder of a value. The same value always has the same placeholder.
    fn numbered_placeholder(&mut self, value: &str, kind: &str) -> String {
        if let Some(name) = self.names.get(value) {
            return name.clone();
        }
        let count = self.counts.entry(kind.to_string()).or_default();
        *count += 1;
        let name = format!("<{kind}-{count}>");
        self.names.insert(value.to_string(), name.clone());
        name
    }
}

/// Whether the number after the text `before` is a jersey number: in one of the
/// `JERSEY_NUMBER_FIELDS`, or in the pair of an undone result.
fn is_before_jersey_number(before: &str) -> bool {
    let before = before.trim_end();
    let is_field = |field: &&str| {
        before
            .strip_suffix(':')
            .is_some_and(|key| key.ends_with(&format!("\"{field}\"")))
    };
    JERSEY_NUMBER_FIELDS.iter().any(is_field)
        || ["\"before\":[", "\"before\": ["]
            .iter()
            .any(|start| before.ends_with(start) || before.ends_with(&format!("{start}<jersey>,")))
}

/// Splits a word that ends in a UUID, such as `tickets-<uuid>`, into the part before the UUID and
/// the UUID.
fn split_uuid(word: &str) -> Option<(&str, &str)> {
    let start = word.len().checked_sub(36)?;
    let (name, id) = (word.get(..start)?, word.get(start..)?);
    let is_uuid = id.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    is_uuid.then_some((name, id))
}

/// Whether a word is an id of Stripe, a client secret, or another long run of random letters and
/// digits.
fn is_random_token(word: &str) -> bool {
    let is_alphanumeric = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_stripe_id = word.split_once('_').is_some_and(|(prefix, rest)| {
        prefix.len() <= 5
            && rest.len() >= 16
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    is_stripe_id || word.contains("_secret_") || is_alphanumeric && word.len() >= 20 && digits >= 2
}

/// Returns the length in bytes of a time such as `2040-01-01T00:00:00.123Z` at the start of a text,
/// or `None` if there is none.
fn timestamp_text_length(text: &str) -> Option<usize> {
    const TIMESTAMP_TEXT_SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let bytes = text.as_bytes();
    let fits = bytes.len() >= TIMESTAMP_TEXT_SHAPE.len()
        && TIMESTAMP_TEXT_SHAPE
            .iter()
            .zip(bytes)
            .all(|(shape, byte)| match shape {
                b'0' => byte.is_ascii_digit(),
                b'T' => matches!(byte, b'T' | b' '),
                _ => shape == byte,
            });
    if !fits {
        return None;
    }
    let zone = bytes[TIMESTAMP_TEXT_SHAPE.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || b".Z+:".contains(byte))
        .count();
    Some(TIMESTAMP_TEXT_SHAPE.len() + zone)
}

/// Faults that lose all webhooks. Webhooks arrive at random times, so the order of the rows would
/// differ from run to run.
fn faults_losing_all_webhooks() -> Faults {
    let webhook = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    Faults {
        webhook,
        ..Faults::default()
    }
}

fn draw_form(home_team: &str, price: &str) -> Value {
    json!({ "league": "NRL", "homeTeam": home_team, "awayTeam": "Cowboys", "gameDate": KICK_OFF_LOCAL,
        "timezone": "Australia/Sydney", "contactName": "Sam Contact", "contactPhone": "0400 333 444",
        "ticketPrice": price, "prizePercentage": 50, "passStripeFees": true, "roundUpPrize": true })
}

fn draw_id(draw: &Value) -> DrawId {
    DrawId(draw["id"].as_i64().expect("a draw number"))
}

fn result_form(bought: &Value, ticket: usize) -> Value {
    let ticket = &bought["tickets"][ticket];
    json!({ "homeFirstTryScorer": ticket["homeNumber"], "awayFirstTryScorer": ticket["awayNumber"] })
}

/// Moves every clock to the start of the journey.
async fn move_clocks_to_start(server: &TestServer) {
    loop {
        let left = (JOURNEY_START_UNIX_MS - server.now().0) / 1000;
        if left <= 0 {
            break;
        }
        let body = json!({ "advanceSeconds": left.min(CLOCK_MOVE_SECONDS_MAX) });
        server.alice().post("/sandbox/clock", body).await.ok();
    }
    assert!(server.now() < Timestamp(JOURNEY_START_UNIX_MS + 86_400_000));
}

/// Signs the club in, and puts two draws and an offer of both on sale.
async fn put_draws_on_sale(
    recorder: &mut JourneyRecorder<'_>,
    broncos: &Buyer,
) -> ([DrawId; 2], Value) {
    let terms = json!({ "termsVersion": "1.0" });
    recorder
        .post(
            broncos,
            "/api/clubs/login",
            json!({ "email": "broncos@demo.test", "password": crate::support::server::PASSWORD }),
        )
        .await;
    recorder.get(broncos, "/api/admin/whoami").await;
    recorder.post(broncos, "/api/terms/accept", terms).await;
    let first = recorder
        .post(broncos, "/api/draws", draw_form("Broncos", "5.00"))
        .await;
    let terms = json!({ "termsVersion": "1.0" });
    recorder.post(broncos, "/api/terms/accept", terms).await;
    let second = recorder
        .post(broncos, "/api/draws", draw_form("Sharks", "7.30"))
        .await;
    let draws = [draw_id(&first), draw_id(&second)];
    let offer = json!({ "name": "Finals double", "slug": "finals", "type": "BUNDLE", "status": "active",
        "gameIds": draws.map(|draw| draw.0) });
    let offer = recorder
        .post(broncos, "/api/admin/clubs/broncos/bundles", offer)
        .await;
    (draws, offer["id"].clone())
}

/// Alice opens a payment, changes its ticket count, and pays.
async fn buy_after_resize(
    recorder: &mut JourneyRecorder<'_>,
    alice: &Buyer,
    draw: DrawId,
) -> Value {
    recorder.get(alice, "/api/config").await;
    recorder.get(alice, &format!("/api/draws/{draw}")).await;
    recorder.get(alice, "/api/clubs/broncos/bundles").await;
    recorder.open_intent(alice, draw, 2).await;
    recorder.open_intent(alice, draw, 5).await;
    let intent = recorder.open_intent(alice, draw, 3).await;
    recorder.confirm(alice, &intent, GOOD_CARD).await;
    let bought = recorder
        .complete_checkout_purchase(alice, draw, 3, &intent)
        .await;
    recorder.wait_until_idle().await;
    recorder.record_order_page(alice, &intent).await;
    recorder
        .complete_checkout_purchase(alice, draw, 3, &intent)
        .await;
    bought
}

/// Bob buys an offer of two draws in one payment.
async fn buy_offer(
    recorder: &mut JourneyRecorder<'_>,
    bob: &Buyer,
    draws: [DrawId; 2],
    offer: &Value,
) {
    let items = draws.map(|draw| json!({ "drawId": draw.0, "quantity": 2, "bundleId": offer }));
    let body = json!({ "items": items, "buyer": bob.details() });
    let intent = Intent {
        body: recorder
            .post(bob, "/api/cart/create-payment-intent", body)
            .await,
    };
    recorder.confirm(bob, &intent, GOOD_CARD).await;
    let body = json!({ "items": items, "buyer": bob.details(), "paymentIntentId": intent.id(),
        "orderToken": intent.token(), "ageConfirmation": true, "termsAgreement": true });
    recorder.post(bob, "/api/purchase-cart", body).await;
    recorder.wait_until_idle().await;
    recorder.record_order_page(bob, &intent).await;
}

/// Carol's first card is declined. She pays the same intent with a second card.
async fn pay_after_declined_card(
    recorder: &mut JourneyRecorder<'_>,
    carol: &Buyer,
    draw: DrawId,
) -> Intent {
    let intent = recorder.open_intent(carol, draw, 1).await;
    recorder.confirm(carol, &intent, DECLINED_CARD).await;
    recorder
        .complete_checkout_purchase(carol, draw, 1, &intent)
        .await;
    recorder.record_order_page(carol, &intent).await;
    recorder.confirm(carol, &intent, GOOD_CARD).await;
    recorder
        .complete_checkout_purchase(carol, draw, 1, &intent)
        .await;
    recorder.wait_until_idle().await;
    intent
}

/// Dave extends his reservation, then abandons the order.
async fn abandon_order(recorder: &mut JourneyRecorder<'_>, dave: &Buyer, draw: DrawId) {
    let intent = recorder.open_intent(dave, draw, 4).await;
    let reservation = intent.body["reservationId"]
        .as_str()
        .expect("the id is text");
    let path = format!("/api/reservations/{reservation}");
    recorder
        .post(dave, &format!("{path}/extend"), json!({}))
        .await;
    recorder.delete(dave, &path).await;
    recorder.wait_until_idle().await;
    recorder.record_order_page(dave, &intent).await;
}

/// The operator refunds Carol's order, finds a payment for an unknown order, and refunds it.
async fn refund_payments(
    recorder: &mut JourneyRecorder<'_>,
    operator: &Buyer,
    draw: DrawId,
    order: &str,
) {
    let refund = format!("/api/admin/orders/{order}/refund");
    // Delays the provider's refund, so that the response always shows it as pending.
    let slow = ScriptedFault {
        on: "/refunds".into(),
        fault: Fault::Slow,
        times: 1,
    };
    recorder.server.sandbox.set_faults(Faults {
        hang_ms: 2_000,
        next: vec![slow],
        ..faults_losing_all_webhooks()
    });
    recorder
        .post(operator, &refund, json!({ "reason": "Asked for" }))
        .await;
    recorder.wait_until_idle().await;
    recorder
        .get(operator, &format!("/api/admin/orders/{order}"))
        .await;
    let stranger = "00000000-0000-4000-8000-000000000001";
    StripeDashboard::open(recorder.server)
        .take_payment(stranger, &format!("{draw}x2"), 1000)
        .await;
    let check = "/api/admin/payment-anomalies/check";
    recorder.post(operator, check, json!({})).await;
    let anomalies = "/api/admin/payment-anomalies";
    let open = recorder.get(operator, anomalies).await;
    recorder
        .get(operator, "/api/admin/payment-anomalies/stats")
        .await;
    let anomaly = open[0]["id"].as_str().expect("one anomaly").to_string();
    recorder
        .post(
            operator,
            &format!("{anomalies}/{anomaly}/refund"),
            json!({ "reason": "No order" }),
        )
        .await;
    recorder.get(operator, anomalies).await;
}

/// The club enters a result, the operator undoes it, and the club enters another one.
async fn enter_and_undo_results(recorder: &mut JourneyRecorder<'_>, draw: DrawId, bought: &Value) {
    let broncos = club::sign_in_as_club(recorder.server, "broncos").await;
    let operator = club::sign_in_as_operator(recorder.server).await;
    let path = format!("/api/draws/{draw}/results");
    recorder.post(&broncos, &path, result_form(bought, 0)).await;
    recorder
        .post(
            &operator,
            &format!("/api/draws/{draw}/undo-results"),
            json!({ "reason": "Wrong player", "drawNumber": draw.0 }),
        )
        .await;
    recorder.get(&broncos, &format!("/api/draws/{draw}")).await;
    recorder.post(&broncos, &path, result_form(bought, 1)).await;
    recorder.wait_until_idle().await;
    for end in ["", "/winners", "/payouts", "/financials", "/tickets"] {
        recorder
            .get(&broncos, &format!("/api/draws/{draw}{end}"))
            .await;
    }
}

async fn read_console(recorder: &mut JourneyRecorder<'_>, orders: &[String]) {
    recorder.server.clock.advance_seconds(90);
    let operator = club::sign_in_as_operator(recorder.server).await;
    for order in orders {
        recorder
            .get(&operator, &format!("/api/admin/orders/{order}"))
            .await;
    }
    for path in [
        "/api/stripe-debug",
        "/api/stripe-debug/sums",
        "/api/admin/payment-anomalies",
        "/api/admin/orphaned-tickets",
        "/api/admin/draws",
        "/api/admin/clubs",
        "/api/admin/analytics",
        "/api/admin/platform-fees",
        "/api/admin/audit",
    ] {
        recorder.get(&operator, path).await;
    }
}

fn golden_file_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/api/recorded_journey.golden.txt")
}

/// Returns the first line that differs, as text for the failing test; `None` if all are equal.
fn first_difference(golden: &str, recorded: &str) -> Option<String> {
    if golden == recorded {
        return None;
    }
    let (golden, recorded): (Vec<&str>, Vec<&str>) =
        (golden.lines().collect(), recorded.lines().collect());
    let line = (0..golden.len().max(recorded.len()))
        .find(|line| golden.get(*line) != recorded.get(*line))
        .unwrap_or(0);
    Some(format!(
        "line {} differs\n  golden: {}\nrecorded: {}",
        line + 1,
        golden.get(line).unwrap_or(&"(end of file)"),
        recorded.get(line).unwrap_or(&"(end of file)"),
    ))
}

#[actix_web::test]
async fn recorded_journey_answers_and_events_are_unchanged() {
    let server = TestServer::start_with_movable_clock().await;
    server.sandbox.set_faults(faults_losing_all_webhooks());
    move_clocks_to_start(&server).await;
    server.create_club("broncos").await;
    server.create_operator().await;
    let mut recorder = JourneyRecorder::new(&server);
    let buyer = |name, email, phone| Buyer::new(&server.url, name, email, phone);
    let (alice, bob) = (server.alice(), server.bob());
    let carol = buyer("Carol", "carol@example.com", "0411 000 003");
    let dave = buyer("Dave", "dave@example.com", "0411 000 004");

    let broncos = buyer("Club", "club@example.com", "0400 111 222");
    let (draws, offer) = put_draws_on_sale(&mut recorder, &broncos).await;
    let bought = buy_after_resize(&mut recorder, &alice, draws[0]).await;
    buy_offer(&mut recorder, &bob, draws, &offer).await;
    let refunded = pay_after_declined_card(&mut recorder, &carol, draws[1]).await;
    abandon_order(&mut recorder, &dave, draws[1]).await;

    let operator = club::sign_in_as_operator(&server).await;
    let orders = "select string_agg(id::text, ' ' order by opened_at) from orders where $1 = ''";
    let orders = server.database.query_text(orders, "").await;
    let orders: Vec<String> = orders.split(' ').map(str::to_string).collect();
    refund_payments(&mut recorder, &operator, draws[1], &orders[2]).await;
    recorder.record_order_page(&carol, &refunded).await;

    recorder.move_clock(8 * 86_400).await;
    recorder.wait_until_idle().await;
    let late = json!({ "drawNumber": draws[0].0, "ticketCount": 1, "buyer": dave.details() });
    recorder
        .post(&dave, "/api/create-payment-intent", late)
        .await;
    enter_and_undo_results(&mut recorder, draws[0], &bought).await;
    for end in ["proof", "tickets"] {
        let public = if end == "proof" { "/public" } else { "" };
        recorder
            .get(&alice, &format!("/api{public}/draws/{}/{end}", draws[0]))
            .await;
    }
    read_console(&mut recorder, &orders).await;
    recorder.record_stored_rows().await;

    let recorded = recorder.text;
    let path = golden_file_path();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &recorded).expect("the golden file is written");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden file is read");
    if let Some(difference) = first_difference(&golden, &recorded) {
        panic!("the journey is not the recorded one: {difference}");
    }
    server.finish().await;
}
