//! What people write into names stays text: in a table a club opens, on paper, in a mail, in a page's head and its data.

use reqwest::Method;
use serde_json::json;

use crate::support::{Buyer, TestServer, club};

/// Beginnings that some spreadsheet takes for a formula, or for the end of a cell.
const FORMULAS: [&str; 19] = [
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

/// Ends of lines, tags and directions that a name may hold.
const NAMES: [&str; 8] = [
    "Eve\r\nBcc: victim@example.com",
    "Eve\nSubject: changed",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\u{202e}txt.exe\u{202c} Eve",
    "{{7*7}}${7*7}#{7*7}<%= 7*7 %>",
    "Eve\u{7}\u{1b}[31m",
];

/// A CSV's cells, as RFC 4180 reads them.
fn cells(table: &str) -> Vec<Vec<String>> {
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
async fn no_name_becomes_a_formula_or_breaks_out_of_its_cell() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    for name in FORMULAS.into_iter().chain(NAMES) {
        // One browser each: the buyer's details are those of its order.
        Buyer::new(&server.url, name, "eve@example.com", "+61 411 000 009")
            .buys(draw, 1)
            .await;
    }
    let owner = club::club(&server, "broncos").await;
    let table = owner
        .get(&format!("/api/draws/{draw}/tickets/csv"))
        .await
        .text;
    let rows = cells(table.trim_start_matches('\u{feff}'));
    let width = rows[0].len();
    let sold: Vec<_> = rows
        .iter()
        .filter(|row| row.len() == width && row.iter().any(|cell| cell.contains("eve@example.com")))
        .collect();
    assert_eq!(
        sold.len(),
        FORMULAS.len() + NAMES.len(),
        "one row for each ticket:\n{table}"
    );
    for cell in rows.iter().flatten() {
        let bare = cell.trim_start_matches(['\u{feff}', ' ']);
        let starts = bare.starts_with([
            '=', '+', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
        ]);
        // A minus that begins a sum of ours is a number.
        let minus = bare.starts_with('-') && bare.parse::<f64>().is_err();
        assert!(!starts && !minus, "{cell:?} is run by a spreadsheet");
        assert!(
            !cell.contains(['\r', '\n', '\0']),
            "{cell:?} goes over its line"
        );
    }
    // The same tickets on paper: it is written, whatever they are called.
    let report = owner
        .raw(Method::GET, &format!("/api/draws/{draw}/report"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(report.status(), 200);
    let file = lopdf::Document::load_mem(&report.bytes().await.expect("bytes")).expect("a PDF");
    assert!(!file.get_pages().is_empty());
    for object in file.objects.values() {
        let Ok(dictionary) = object.as_dict() else {
            continue;
        };
        let runs = [
            "JS",
            "JavaScript",
            "OpenAction",
            "AA",
            "Launch",
            "EmbeddedFiles",
            "URI",
        ];
        assert!(
            runs.iter().all(|name| !dictionary.has(name.as_bytes())),
            "the paper does something: {dictionary:?}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn no_name_breaks_out_of_a_page_its_head_or_its_data() {
    let server = TestServer::start().await;
    let id = server.club("broncos").await.id;
    let owner = club::club(&server, "broncos").await;
    owner.post("/api/terms/accept", json!({})).await.ok();
    for name in NAMES {
        let page = json!({ "homePageTitle": name.chars().take(60).collect::<String>(), "tagline": name, "homePageTagline": name });
        let saved = owner
            .call(
                Method::PATCH,
                &format!("/api/clubs/{id}/home-page"),
                Some(&page),
            )
            .await;
        assert!([200, 400].contains(&saved.status), "{}", saved.text);
        let draw = server.draw_with(id, |draw| {
            (draw.home_team, draw.league, draw.contact_name) =
                (name.into(), Some(name.into()), name.into())
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
                assert!(!is_there, "{path} with {name:?} holds {run}");
            }
            // The data of the page end where we end them.
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

/// From the buyer's name to the letter: one subject, no header of theirs, no tag.
#[actix_web::test]
async fn no_name_becomes_a_header_or_a_tag_of_a_mail() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    for name in NAMES {
        let buyer = Buyer::new(&server.url, name, "eve@example.com", "0411 000 009");
        buyer.buys(draw, 1).await;
        let mail = server.mail("tickets").await;
        assert_eq!(mail.to, "eve@example.com");
        // What the letter is written from (its tags are escaped in `render/mail`, its headers in `post/smtp`).
        let name = "select coalesce(buyer_name, '') from orders where $1 = '' order by opened_at desc limit 1";
        let kept = server.database.text(name, "").await;
        assert!(
            !kept.is_empty() && !kept.contains(char::is_control),
            "{kept:?}"
        );
    }
    // An address is one address, or none is kept.
    let odd = [
        "a@b.au\r\nBcc: v@example.com",
        "a@b.au, v@example.com",
        "a@b.au;v@example.com",
        "<a@b.au>",
        "Eve <a@b.au>",
        "a b@b.au",
        "a@b.au\u{b}v@example.com",
    ];
    for email in odd {
        let buyer =
            json!({ "buyerName": "Eve", "buyerEmail": email, "buyerPhone": "0411 000 009" });
        let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": buyer });
        server
            .bob()
            .post("/api/create-payment-intent", body)
            .await
            .ok();
        let kept = "select coalesce(buyer_email, '') from orders where $1 = '' order by opened_at desc limit 1";
        let kept = server.database.text(kept, "").await;
        let is_one =
            !kept.contains(|c: char| c.is_whitespace() || c.is_control() || ",;<>".contains(c));
        assert!(
            is_one && kept.matches('@').count() < 2,
            "{email:?} is kept as {kept:?}"
        );
    }
    server.finish().await;
}
