//! What the operator takes home on paper.

use serde_json::json;

use crate::club::reports::words;
use crate::support::{TestServer, club};

#[actix_web::test]
async fn a_draw_and_the_platforms_fees_come_as_files_for_the_operator_alone() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    server.alice().buys(draw, 3).await;
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
        broncos.get(&path).await.refused(403, "forbidden");
        let paper = operator
            .raw(reqwest::Method::GET, &path)
            .send()
            .await
            .expect("an answer");
        let header = |name: &str| paper.headers()[name].to_str().expect("text").to_string();
        assert_eq!(
            (paper.status().as_u16(), header("content-type")),
            (200, "application/pdf".to_string())
        );
        assert!(
            header("content-disposition").contains(&format!("attachment; filename=\"{name}\"")),
            "{name}"
        );
        assert_eq!(header("cache-control"), "no-store");
        assert!(paper.bytes().await.expect("bytes").starts_with(b"%PDF-"));
    }
    operator
        .get("/api/admin/draws/9/report")
        .await
        .refused(404, "draw-not-found");
    operator
        .get("/api/admin/platform-fees-report?from=soon")
        .await
        .refused(400, "day-invalid");
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
        "buyers stand on it: who took it is written down"
    );
    server.finish().await;
}

#[actix_web::test]
async fn the_fees_on_paper_are_the_fees_on_the_screen_and_every_reading_is_whole() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    server.alice().buys(draw, 3).await;
    let paper = async |query: &str| {
        let path = format!("/api/admin/platform-fees-report{query}");
        let answer = operator
            .raw(reqwest::Method::GET, &path)
            .send()
            .await
            .expect("an answer");
        let (_, text) = words(&answer.bytes().await.expect("bytes"));
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
