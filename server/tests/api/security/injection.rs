//! Names are treated as plain text in CSV reports, PDFs, mails, the HTML head, and the data
//! embedded in pages.

use reqwest::Method;
use serde_json::json;

use crate::support::{Buyer, TestServer, club};

/// Texts that some spreadsheet programs read as a formula or as the end of a cell.
const SPREADSHEET_FORMULA_TEXTS: [&str; 19] = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "  +1",
    "=HYPERLINK(\"http://evil.test\")",
    "=cmd|' /C calc'!A0",
    "\"=1+1",
    "\",=1+1,\"",
    "'=1+1",
    "\u{ff1d}1+1",
    "\u{ff0b}1",
    "\u{ff0d}1",
    "\u{ff20}SUM(A1)",
    "\u{feff}=1+1",
];

/// Names that contain line breaks, tags, direction overrides or template syntax.
const HOSTILE_NAMES: [&str; 8] = [
    "Eve\r\nBcc: victim@example.com",
    "Eve\nSubject: changed",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\u{202e}txt.exe\u{202c} Eve",
    "{{7*7}}${7*7}#{7*7}<%= 7*7 %>",
    "Eve\u{7}\u{1b}[31m",
];

/// Parses a CSV text (RFC 4180) into rows of cells.
fn csv_cells(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(table.as_bytes());
    reader
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_string).collect())
        .collect()
}

#[actix_web::test]
async fn buyer_name_never_becomes_formula_or_leaves_csv_cell() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for name in SPREADSHEET_FORMULA_TEXTS.into_iter().chain(HOSTILE_NAMES) {
        // Each name buys in its own browser, because buyer details belong to an order.
        Buyer::new(&server.url, name, "eve@example.com", "+61 411 000 009")
            .buy(draw, 1)
            .await;
    }
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let table = owner
        .get(&format!("/api/draws/{draw}/tickets/csv"))
        .await
        .text;
    let rows = csv_cells(table.trim_start_matches('\u{feff}'));
    let width = rows[0].len();
    let sold: Vec<_> = rows
        .iter()
        .filter(|row| row.len() == width && row.iter().any(|cell| cell.contains("eve@example.com")))
        .collect();
    assert_eq!(
        sold.len(),
        SPREADSHEET_FORMULA_TEXTS.len() + HOSTILE_NAMES.len(),
        "one row for each ticket:\n{table}"
    );
    for cell in rows.iter().flatten() {
        let bare = cell.trim_start_matches(['\u{feff}', ' ']);
        let starts = bare.starts_with([
            '=', '+', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
        ]);
        // A text that begins with a minus and is a number is not a formula.
        let is_formula_minus = bare.starts_with('-') && bare.parse::<f64>().is_err();
        assert!(
            !starts && !is_formula_minus,
            "{cell:?} is run by a spreadsheet"
        );
        assert!(
            !cell.contains(['\r', '\n', '\0']),
            "{cell:?} contains a line break"
        );
    }
    // The PDF report lists the same tickets, so it must contain the same names.
    let report = owner
        .bare_request(Method::GET, &format!("/api/draws/{draw}/report"))
        .send()
        .await
        .expect("the server answers");
    assert_eq!(report.status(), 200);
    let file =
        lopdf::Document::load_mem(&report.bytes().await.expect("the body is read")).expect("a PDF");
    assert!(!file.get_pages().is_empty());
    for object in file.objects.values() {
        let Ok(dictionary) = object.as_dict() else {
            continue;
        };
        let active_elements = [
            "JS",
            "JavaScript",
            "OpenAction",
            "AA",
            "Launch",
            "EmbeddedFiles",
            "URI",
        ];
        assert!(
            active_elements
                .iter()
                .all(|name| !dictionary.has(name.as_bytes())),
            "the PDF has an active element: {dictionary:?}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn name_is_always_escaped_in_page_and_boot_data() {
    let server = TestServer::start().await;
    let id = server.create_club("broncos").await.id;
    let owner = club::sign_in_as_club(&server, "broncos").await;
    owner.post("/api/terms/accept", json!({})).await.ok();
    for name in HOSTILE_NAMES {
        let page = json!({ "homePageTitle": name.chars().take(60).collect::<String>(), "tagline": name, "homePageTagline": name });
        let saved = owner
            .call(
                Method::PATCH,
                &format!("/api/clubs/{id}/home-page"),
                Some(&page),
            )
            .await;
        assert!([200, 400].contains(&saved.status), "{}", saved.text);
        let draw = server.create_draw_with(id, |draw| {
            (draw.home_team, draw.league, draw.contact_name) =
                (name.into(), Some(name.into()), name.into());
        });
        let draw = draw.await;
        for path in [
            "/".to_string(),
            "/club/broncos".into(),
            format!("/draw/{draw}"),
            format!("/draw/{draw}/display"),
            format!("/checkout/{draw}"),
            "/sitemap.xml".into(),
        ] {
            let html = server.bob().get(&path).await.text;
            for run in ["<script>alert", "<img src=x", "onerror=alert(1)>", "49"] {
                let is_there = html.contains(run)
                    && (run != "49" || html.contains("}49") || html.contains(">49<"));
                assert!(!is_there, "{path} with {name:?} contains {run}");
            }
            // The first closing tag after the embedded data must be the server's own `</script>`.
            if let Some((_, rest)) =
                html.split_once("<script type=\"application/json\" id=\"boot\">")
            {
                let data = rest.split("</script>").next().expect("an end");
                assert!(
                    serde_json::from_str::<serde_json::Value>(data).is_ok(),
                    "{path} with {name:?}: {data}"
                );
            }
        }
        let calendar = server
            .bob()
            .get(&format!("/api/draws/{draw}/calendar.ics"))
            .await
            .text;
        assert!(
            !calendar.contains("\nBcc:") && !calendar.contains("\nSubject:"),
            "{calendar}"
        );
    }
    server.finish().await;
}

/// A buyer's name cannot add a mail header, a subject or an HTML tag.
#[actix_web::test]
async fn name_never_becomes_mail_header_or_tag() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for name in HOSTILE_NAMES {
        let buyer = Buyer::new(&server.url, name, "eve@example.com", "0411 000 009");
        buyer.buy(draw, 1).await;
        let mail = server.next_mail("tickets").await;
        assert_eq!(mail.to, "eve@example.com");
        // Mails take the buyer's name from the column `buyer_name`. `render/mail` escapes tags, and
        // `render/mail_sender/smtp` encodes headers.
        let name = "select coalesce(buyer_name, '') from orders where $1 = '' order by opened_at desc limit 1";
        let stored = server.database.query_text(name, "").await;
        assert!(
            !stored.is_empty() && !stored.contains(char::is_control),
            "{stored:?}"
        );
    }
    // Every stored e-mail address is empty or a single valid address.
    let invalid_emails = [
        "a@b.au\r\nBcc: v@example.com",
        "a@b.au, v@example.com",
        "a@b.au;v@example.com",
        "<a@b.au>",
        "Eve <a@b.au>",
        "a b@b.au",
        "a@b.au\u{b}v@example.com",
    ];
    for email in invalid_emails {
        let buyer =
            json!({ "buyerName": "Eve", "buyerEmail": email, "buyerPhone": "0411 000 009" });
        let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": buyer });
        server
            .bob()
            .post("/api/create-payment-intent", body)
            .await
            .ok();
        let stored = "select coalesce(buyer_email, '') from orders where $1 = '' order by opened_at desc limit 1";
        let stored = server.database.query_text(stored, "").await;
        let is_single_address =
            !stored.contains(|c: char| c.is_whitespace() || c.is_control() || ",;<>".contains(c));
        assert!(
            is_single_address && stored.matches('@').count() < 2,
            "{email:?} is stored as {stored:?}"
        );
    }
    server.finish().await;
}
