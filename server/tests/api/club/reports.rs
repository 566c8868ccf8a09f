//! A draw on paper and as a table: the same figures everywhere, and nothing in them that does not belong there (decision F-6).

use domain::DrawId;
use lopdf::{Document, Object};
use reqwest::Method;
use serde_json::Value;

use super::money::{cents, season};
use super::winners::{bank, put, won};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Names that no Latin-1 font holds.
const NAME: &str = "Zoë Ōtāhuhu Nguyễn";

async fn bytes(browser: &Buyer, path: &str) -> Vec<u8> {
    let answer = browser
        .raw(Method::GET, path)
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status().as_u16(), 200, "{path}");
    answer.bytes().await.expect("bytes").to_vec()
}

/// The words of every page, as a reader would copy them.
pub fn words(file: &[u8]) -> (Document, String) {
    let document = Document::load_mem(file).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    let text = document
        .extract_text(&pages)
        .expect("text that can be copied");
    (document, text)
}

async fn known(browser: &Buyer, draw: DrawId) -> Value {
    eventually("the provider's fees are known", async || {
        let money = browser
            .get(&format!("/api/draws/{draw}/financials"))
            .await
            .ok();
        (money["feesEstimated"] == false).then_some(money)
    })
    .await
}

const LINES: [(&str, &str); 7] = [
    ("Total revenue", "totalRevenue"),
    ("Card fees paid by buyers", "cardFeesPaidByBuyers"),
    ("Card fees", "actualStripeFees"),
    ("Platform fee (incl. GST where applicable)", "platformFee"),
    ("Club revenue", "clubRevenue"),
    ("Prize", "prizePool"),
    ("Club profit", "clubProfit"),
];

#[actix_web::test]
async fn dashboard_paper_table_and_provider_say_the_same_to_the_cent() {
    let server = TestServer::start().await;
    let (one, two, browser) = season(&server).await;
    let (mut captured, mut provider, mut platform) = (0, 0, 0);
    for draw in [one, two] {
        let money = known(&browser, draw).await;
        let table =
            String::from_utf8(bytes(&browser, &format!("/api/draws/{draw}/tickets/csv")).await)
                .expect("UTF-8");
        let (_, paper) = words(&bytes(&browser, &format!("/api/draws/{draw}/report")).await);
        for (name, field) in LINES {
            let amount = money[field].as_str().expect("an amount");
            assert!(
                table.contains(&format!("\r\n{name},{amount}\r\n")),
                "{name} {amount} is missing in\n{table}"
            );
            let on_paper = format!("${amount}");
            let follows = |place: usize| {
                paper[place + name.len()..].split_whitespace().next() == Some(on_paper.as_str())
            };
            let told = paper.match_indices(name).any(|(place, _)| follows(place));
            assert!(told, "{name} {amount} is missing in\n{paper}");
        }
        let sold = format!("Tickets sold,{}\r\n", money["soldTickets"]);
        assert!(table.contains(&sold), "{table}");
        captured += cents(&money["totalRevenue"]) + cents(&money["cardFeesPaidByBuyers"]);
        provider += cents(&money["actualStripeFees"]);
        platform += cents(&money["platformFee"]);
    }
    let ledger = server.sandbox.ledger();
    let account = &ledger["accounts"]["acct_broncos"];
    let theirs =
        ["captured", "stripe_fees", "fees"].map(|field| account[field].as_i64().expect("cents"));
    assert_eq!([captured, provider, platform], theirs, "{ledger}");
    server.finish().await;
}

#[actix_web::test]
async fn the_paper_is_a4_and_any_name_on_it_can_be_copied() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let buyer = Buyer::new(&server.url, NAME, "zoe@example.com", "0411 000 009");
    buyer.buys(draw, 40).await;
    let browser = club::club(&server, "broncos").await;
    let file = bytes(&browser, &format!("/api/draws/{draw}/report")).await;
    let (document, text) = words(&file);
    for needed in [
        NAME,
        "zoe@example.com",
        "0411 000 009",
        "Broncos v Cowboys",
        "Generated ",
        "broncos RLFC",
    ] {
        assert!(text.contains(needed), "{needed} is missing in\n{text}");
    }
    for line in [
        "Total: 40 tickets, $200.00",
        "Page 1 of 2",
        "Page 2 of 2",
        &format!("FD-{draw}-040"),
        "stay secret until then",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    for page in document.get_pages().into_values() {
        let page = document.get_dictionary(page).expect("a page");
        let size: Vec<f32> = page
            .get(b"MediaBox")
            .and_then(Object::as_array)
            .expect("a size")
            .iter()
            .map(points)
            .collect();
        assert!(
            (size[2] - 595.3).abs() < 1.0 && (size[3] - 841.9).abs() < 1.0,
            "{size:?}"
        );
    }
    let fonts = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok());
    let kind = |name: &'static [u8]| {
        move |font: &&lopdf::Dictionary| {
            font.get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|kind| kind == name)
        }
    };
    assert_eq!(fonts.clone().filter(kind(b"Type0")).count(), 1, "one font");
    let embedded = fonts
        .filter(|font| font.has(b"FontFile2") || font.has(b"FontFile3"))
        .count();
    assert_eq!(embedded, 1, "and it is in the file");
    assert!(file.len() < 300 * 1024, "{} bytes", file.len());
    let (_, poster) = words(&bytes(&browser, &format!("/api/draws/{draw}/poster")).await);
    for line in [
        "Scan to buy tickets",
        "18+ only, in Australia.",
        &format!("/draw/{draw}"),
    ] {
        assert!(poster.contains(line), "{line} is missing in\n{poster}");
    }
    assert!(!poster.contains("Zoë"), "no buyer is on the poster");
    server.finish().await;
}

fn points(object: &Object) -> f32 {
    object.as_float().unwrap_or_default()
}

#[actix_web::test]
async fn what_is_taken_home_is_written_down_and_holds_no_bank_details() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    put(&browser, draw, bank()).await.ok();
    for (end, kind, action) in [
        ("report", "application/pdf", "download-report"),
        ("tickets/csv", "text/csv; charset=utf-8", "download-tickets"),
        ("poster", "application/pdf", ""),
    ] {
        let path = format!("/api/draws/{draw}/{end}");
        server
            .alice()
            .get(&path)
            .await
            .refused(401, "unauthenticated");
        let answer = browser
            .raw(Method::GET, &path)
            .send()
            .await
            .expect("an answer");
        let header = |name: &str| answer.headers()[name].to_str().expect("text").to_string();
        assert_eq!(
            (
                header("content-type").as_str(),
                header("cache-control").as_str()
            ),
            (kind, "no-store")
        );
        let disposition = header("content-disposition");
        assert!(
            disposition.starts_with(&format!("attachment; filename=\"draw-{draw}-")),
            "{disposition}"
        );
        assert!(disposition.contains("filename*=UTF-8''"), "{disposition}");
        let file = answer.bytes().await.expect("bytes");
        let text = if kind == "application/pdf" {
            words(&file).1
        } else {
            String::from_utf8_lossy(&file).into_owned()
        };
        for secret in ["12345678", "062-123", "062123"] {
            assert!(!text.contains(secret), "{end} tells {secret}");
        }
        let written = "select count(*) from audit_log where action = $1 and club_id is not null";
        if !action.is_empty() {
            assert_eq!(server.database.count(written, action).await, 1, "{action}");
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn no_buyer_writes_a_formula_into_a_clubs_table() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let buyer = Buyer::new(
        &server.url,
        "=HYPERLINK(\"http://evil.test\")",
        "zoe@example.com",
        "+61 411 000 009",
    );
    buyer.buys(draw, 1).await;
    let browser = club::club(&server, "broncos").await;
    let table = browser
        .get(&format!("/api/draws/{draw}/tickets/csv"))
        .await
        .text;
    assert!(
        table.starts_with("\u{feff}Ticket,Serial,Home number,Away number,Winner,Buyer name,"),
        "{table}"
    );
    assert!(
        table.contains(
            ",\"'=HYPERLINK(\"\"http://evil.test\"\")\",zoe@example.com,'+61 411 000 009,"
        ),
        "{table}"
    );
    assert!(
        table
            .split('\n')
            .all(|line| line.is_empty() || line.ends_with('\r')),
        "every line ends in CRLF"
    );
    server.finish().await;
}
