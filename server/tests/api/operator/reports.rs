//! What the operator takes home on paper.

use serde_json::json;

use crate::support::{TestServer, club};

#[actix_web::test]
async fn a_draw_and_the_platforms_fees_come_as_files_for_the_operator_alone() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (club::operator(&server).await, club::club(&server, "broncos").await);
    server.alice().buys(draw, 3).await;
    let year = "/api/admin/platform-fees-report?from=2020-01-01&to=2020-12-31";
    for (path, name) in [
        (format!("/api/admin/draws/{draw}/report"), format!("FD-{draw}-report.pdf")),
        ("/api/admin/platform-fees-report".to_string(), "platform-fees-all-time.pdf".to_string()),
        (year.to_string(), "platform-fees-2020-01-01-to-2020-12-31.pdf".to_string()),
    ] {
        broncos.get(&path).await.refused(403, "forbidden");
        let paper = operator.raw(reqwest::Method::GET, &path).send().await.expect("an answer");
        let header = |name: &str| paper.headers()[name].to_str().expect("text").to_string();
        assert_eq!((paper.status().as_u16(), header("content-type")), (200, "application/pdf".to_string()));
        assert!(header("content-disposition").contains(&format!("attachment; filename=\"{name}\"")), "{name}");
        assert_eq!(header("cache-control"), "no-store");
        assert!(paper.bytes().await.expect("bytes").starts_with(b"%PDF-"));
    }
    operator.get("/api/admin/draws/9/report").await.refused(404, "draw-not-found");
    operator.get("/api/admin/platform-fees-report?from=soon").await.refused(400, "day-invalid");
    let trail = operator.get(&format!("/api/admin/audit?object=draw:{draw},system")).await.ok();
    let actions: Vec<_> = trail["entries"].as_array().into_iter().flatten().map(|entry| &entry["action"]).collect();
    let fees = json!("download-platform-fees");
    assert_eq!(actions, [&fees, &fees, &json!("download-report")], "buyers stand on it: who took it is written down");
    server.finish().await;
}
