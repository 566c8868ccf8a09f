//! The PDF and CSV reports of a draw show the same amounts as the dashboard, and contain no bank
//! details (decision F-6).

use domain::DrawId;
use lopdf::{Document, Object};
use reqwest::Method;
use serde_json::{Value, json};

use super::financials::{absolute_cents_from_json, sell_tickets_of_two_draws};
use super::winners::{bank_details, create_draw_won_by_alice, put_bank_details};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// A name with characters that a Latin-1 font does not contain.
const NAME_OUTSIDE_LATIN_1: &str = "Zoë Ōtāhuhu Nguyễn";

async fn download_bytes(browser: &Buyer, path: &str) -> Vec<u8> {
    let answer = browser
        .bare_request(Method::GET, path)
        .send()
        .await
        .expect("the server answers");
    assert_eq!(answer.status().as_u16(), 200, "{path}");
    answer.bytes().await.expect("the body is read").to_vec()
}

/// Returns the parsed PDF document and the text of its pages.
pub fn pdf_text(file: &[u8]) -> (Document, String) {
    let document = Document::load_mem(file).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    let text = document
        .extract_text(&pages)
        .expect("text that can be copied");
    (document, text)
}

async fn wait_for_financials_with_final_fees(browser: &Buyer, draw: DrawId) -> Value {
    eventually("the provider's fees are known", async || {
        let money = browser
            .get(&format!("/api/draws/{draw}/financials"))
            .await
            .ok();
        (money["feesEstimated"] == false).then_some(money)
    })
    .await
}

const REPORT_LABELS_AND_FIELDS: [(&str, &str); 7] = [
    ("Total revenue", "totalRevenue"),
    ("Card fees paid by buyers", "cardFeesPaidByBuyers"),
    ("Card fees", "actualStripeFees"),
    ("Platform fee (incl. GST where applicable)", "platformFee"),
    ("Club revenue", "clubRevenue"),
    ("Prize", "prizePool"),
    ("Club profit", "clubProfit"),
];

#[actix_web::test]
async fn dashboard_pdf_csv_and_provider_agree_to_the_cent() {
    let server = TestServer::start().await;
    let (one, two, browser) = sell_tickets_of_two_draws(&server).await;
    let (mut captured, mut provider, mut platform) = (0, 0, 0);
    for draw in [one, two] {
        let money = wait_for_financials_with_final_fees(&browser, draw).await;
        let table = String::from_utf8(
            download_bytes(&browser, &format!("/api/draws/{draw}/tickets/csv")).await,
        )
        .expect("UTF-8");
        let (_, paper) =
            pdf_text(&download_bytes(&browser, &format!("/api/draws/{draw}/report")).await);
        for (name, field) in REPORT_LABELS_AND_FIELDS {
            let amount = money[field].as_str().expect("an amount");
            let on_paper = format!("${amount}");
            let follows = |place: usize| {
                paper[place + name.len()..].split_whitespace().next() == Some(on_paper.as_str())
            };
            let is_listed = paper.match_indices(name).any(|(place, _)| follows(place));
            assert!(is_listed, "{name} {amount} is missing in\n{paper}");
        }
        let rows = table.lines().count() as u64 - 1;
        assert_eq!(json!(rows), money["soldTickets"], "{table}");
        captured += absolute_cents_from_json(&money["totalRevenue"])
            + absolute_cents_from_json(&money["cardFeesPaidByBuyers"]);
        provider += absolute_cents_from_json(&money["actualStripeFees"]);
        platform += absolute_cents_from_json(&money["platformFee"]);
    }
    let ledger = server.sandbox.ledger();
    let account = &ledger["accounts"]["acct_broncos"];
    let provider_sums =
        ["captured", "stripe_fees", "fees"].map(|field| account[field].as_i64().expect("cents"));
    assert_eq!([captured, provider, platform], provider_sums, "{ledger}");
    server.finish().await;
}

#[actix_web::test]
async fn pdf_report_is_a4_with_embedded_font_and_unicode_names() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let buyer = Buyer::new(
        &server.url,
        NAME_OUTSIDE_LATIN_1,
        "zoe@example.com",
        "0411 000 009",
    );
    buyer.buy(draw, 40).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let file = download_bytes(&browser, &format!("/api/draws/{draw}/report")).await;
    let (document, text) = pdf_text(&file);
    for needed in [
        NAME_OUTSIDE_LATIN_1,
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
            .map(length_in_points)
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
    assert_eq!(embedded, 1, "the font is embedded");
    assert!(file.len() < 300 * 1024, "{} bytes", file.len());
    let (_, poster) =
        pdf_text(&download_bytes(&browser, &format!("/api/draws/{draw}/poster")).await);
    for line in [
        "Scan to buy tickets",
        "18+ only, in Australia.",
        &format!("/draw/{draw}"),
    ] {
        assert!(poster.contains(line), "{line} is missing in\n{poster}");
    }
    assert!(!poster.contains("Zoë"), "the poster names no buyer");
    server.finish().await;
}

fn length_in_points(object: &Object) -> f32 {
    object.as_float().unwrap_or_default()
}

#[actix_web::test]
async fn downloads_are_audited_and_hold_no_bank_details() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    put_bank_details(&browser, draw, bank_details()).await.ok();
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
            .expect_refusal(401, "unauthenticated");
        let answer = browser
            .bare_request(Method::GET, &path)
            .send()
            .await
            .expect("the server answers");
        let header = |name: &str| {
            answer.headers()[name]
                .to_str()
                .expect("the text is UTF-8")
                .to_string()
        };
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
        let file = answer.bytes().await.expect("the body is read");
        let text = if kind == "application/pdf" {
            pdf_text(&file).1
        } else {
            String::from_utf8_lossy(&file).into_owned()
        };
        for secret in ["12345678", "062-123", "062123"] {
            assert!(!text.contains(secret), "{end} contains {secret}");
        }
        let written = "select count(*) from audit_log where action = $1 and club_id is not null";
        if !action.is_empty() {
            assert_eq!(
                server.database.query_number(written, action).await,
                1,
                "{action}"
            );
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn buyer_name_never_becomes_csv_formula() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let buyer = Buyer::new(
        &server.url,
        "=HYPERLINK(\"http://evil.test\")",
        "zoe@example.com",
        "+61 411 000 009",
    );
    buyer.buy(draw, 1).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let table = browser
        .get(&format!("/api/draws/{draw}/tickets/csv"))
        .await
        .text;
    assert!(
        table.starts_with("\u{feff}Ticket,Serial,Home number,Away number,Winner,Buyer name,"),
        "{table}"
    );
    assert!(
        table.contains(",\"'=HYPERLINK(\"\"http://evil.test\"\")\",zoe@example.com,0411 000 009,"),
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
