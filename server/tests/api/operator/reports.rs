//! The PDF reports that the operator can download.

use serde_json::json;

use crate::club::reports::pdf_text;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn draw_and_fee_reports_are_for_operator_only() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    server.alice().buy(draw, 3).await;
    let year = "/api/admin/platform-fees-report?from=2020-01-01&to=2020-12-31";
    for (path, name) in [
        (
            format!("/api/admin/draws/{draw}/report"),
            format!("FD-{draw}-report.pdf"),
        ),
        (
            "/api/admin/platform-fees-report".to_string(),
            "platform-fees-all-time.pdf".to_string(),
        ),
        (
            year.to_string(),
            "platform-fees-2020-01-01-to-2020-12-31.pdf".to_string(),
        ),
    ] {
        broncos.get(&path).await.expect_refusal(403, "forbidden");
        let paper = operator
            .bare_request(reqwest::Method::GET, &path)
            .send()
            .await
            .expect("the server answers");
        let header = |name: &str| {
            paper.headers()[name]
                .to_str()
                .expect("the text is UTF-8")
                .to_string()
        };
        assert_eq!(
            (paper.status().as_u16(), header("content-type")),
            (200, "application/pdf".to_string())
        );
        assert!(
            header("content-disposition").contains(&format!("attachment; filename=\"{name}\"")),
            "{name}"
        );
        assert_eq!(header("cache-control"), "no-store");
        assert!(
            paper
                .bytes()
                .await
                .expect("the body is read")
                .starts_with(b"%PDF-")
        );
    }
    operator
        .get("/api/admin/draws/9/report")
        .await
        .expect_refusal(404, "draw-not-found");
    operator
        .get("/api/admin/platform-fees-report?from=soon")
        .await
        .expect_refusal(400, "day-invalid");
    let trail = operator
        .get(&format!("/api/admin/audit?object=draw:{draw},system"))
        .await
        .ok();
    let actions: Vec<_> = trail["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| &entry["action"])
        .collect();
    let fees = json!("download-platform-fees");
    assert_eq!(
        actions,
        [&fees, &fees, &json!("download-report")],
        "every download is audited"
    );
    server.finish().await;
}

#[actix_web::test]
async fn fee_report_matches_console_and_lists_every_fee_wording() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy(draw, 3).await;
    let paper = async |query: &str| {
        let path = format!("/api/admin/platform-fees-report{query}");
        let answer = operator
            .bare_request(reqwest::Method::GET, &path)
            .send()
            .await
            .expect("the server answers");
        let (_, text) = pdf_text(&answer.bytes().await.expect("the body is read"));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (text, screen) = (
        paper("").await,
        operator.get("/api/admin/platform-fees").await.ok(),
    );
    for line in [
        "All time",
        "In force: 3.5% of a draw's ticket revenue, at most $11.00 a draw, which it reaches at $314.15.",
        "Platform fees incl. GST where applicable.",
        "Reading: 3.5% capped at $11.00 (Console fee report and club terms).",
        "Reading: capped at $10.00, no rate named (Note on the transactions screen).",
        "Reading: 3% capped at $10.00 (Club dashboard).",
        &format!("FD-{draw}"),
        "Broncos v Cowboys",
        "broncos RLFC",
        "1 draw 3 $15.00 $0.53",
        "Page 1 of 1",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert_eq!(
        (&screen["totalRevenue"], &screen["platformFees"]),
        (&json!("15.00"), &json!("0.53"))
    );
    assert_eq!(screen["draws"][0]["timezone"], "Australia/Brisbane");
    for (name, field) in [
        ("Total revenue", "totalRevenue"),
        ("Platform fees", "platformFees"),
        ("Card fees", "stripeFees"),
        ("Club revenue", "clubRevenue"),
        ("Prize money", "prizeMoney"),
    ] {
        let amount = screen[field].as_str().expect("an amount");
        let on_paper = format!("${amount}");
        let follows = |place: usize| {
            text[place + name.len()..].split_whitespace().next() == Some(on_paper.as_str())
        };
        assert!(
            text.match_indices(name).any(|(place, _)| follows(place)),
            "{name} {amount} is missing in\n{text}"
        );
    }
    let text = paper("?from=2020-01-01&to=2020-12-31").await;
    for line in [
        "Games from 2020-01-01 to 2020-12-31, Brisbane days",
        "0 draws",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    server.finish().await;
}
