//! Somebody else's object and no object at all are one answer, byte for byte, however the object is named (decision G-1).

use domain::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use server::routes::{ROUTES, Verb};

use super::matrix::Stock;
use crate::access::method;
use crate::support::buyer::Answer;
use crate::support::{Buyer, TestServer, club};

/// What must not differ: status, body and headers, without what each answer has of its own.
fn told(answer: &Answer) -> String {
    let mut body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    // A list has none.
    body.as_object_mut().map(|body| body.remove("requestId"));
    let own = ["x-request-id", "x-server-time", "date", "set-cookie"];
    let mut headers: Vec<String> = (answer.headers.iter())
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    headers.sort();
    format!("{} {body} {}", answer.status, headers.join("; "))
}

/// Every name that something of a club has, and one of the same kind that nothing has.
fn names(stock: &Stock, order: &str) -> Vec<(&'static str, String, &'static str)> {
    vec![
        ("{draw}", stock.draw.to_string(), "999999"),
        ("{club}", stock.club.to_string(), "999999"),
        ("{club}", stock.slug.to_string(), "nobody"),
        ("{slug}", stock.slug.to_string(), "nobody"),
        ("{payout}", stock.payout.to_string(), "999999"),
        ("{bundle}", stock.offer.to_string(), "999999"),
        ("{bundle}", "double".to_string(), "nobody"),
        // The first of the club's people.
        ("{user}", "1".to_string(), "999999"),
        (
            "{draw}",
            order.to_string(),
            "00000000-0000-4000-8000-000000000000",
        ),
        (
            "{club}",
            order.to_string(),
            "00000000-0000-4000-8000-000000000000",
        ),
    ]
}

#[actix_web::test]
async fn somebody_elses_object_answers_as_one_that_is_not_there() {
    let server = TestServer::start().await;
    let stock = Stock::of(&server, "broncos").await;
    let mine = Stock::of(&server, "storm").await;
    let storm = club::club(&server, "storm").await;
    club::member(&server, server.club_named("broncos"), Role::Viewer).await;
    let bought = server.draw(server.club_named("broncos")).await;
    let order = server.alice().intent(bought, 1).await.body["reservationId"]
        .as_str()
        .expect("an id")
        .to_string();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    let bound = |route: &&server::routes::Route| {
        route.audience.role().is_some() && route.path.contains('{')
    };
    for route in ROUTES.iter().filter(bound) {
        for (variable, theirs, nobodys) in names(&stock, &order) {
            if !route.path.contains(variable) {
                continue;
            }
            // The other variables of the path are the caller's own, then the stranger's.
            for rest in [&mine, &stock] {
                let path = |name: &str| {
                    let path = route
                        .path
                        .replace(variable, name)
                        .replace("{slug}", rest.slug);
                    path.replace("{bundle}", &rest.offer.to_string())
                        .replace("{club}", &rest.club.to_string())
                };
                let mut answers = Vec::new();
                for path in [path(&theirs), path(nobodys)] {
                    let body = (route.method != Verb::Get).then(|| json!({}));
                    answers.push(storm.call(method(route), &path, body.as_ref()).await);
                }
                tried += 2;
                if answers[0].status != 404 || told(&answers[0]) != told(&answers[1]) {
                    let [theirs, nobodys] = [told(&answers[0]), told(&answers[1])];
                    wrong.push(format!(
                        "{:?} {}:\n  {theirs}\n  {nobodys}",
                        route.method,
                        path(variable)
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tried > 80, "{tried}");
    server.finish().await;
}

#[actix_web::test]
async fn a_club_named_in_a_body_or_a_query_is_no_way_round() {
    let server = TestServer::start().await;
    let stock = Stock::of(&server, "broncos").await;
    server.club("storm").await;
    let (storm, broncos) = (
        club::club(&server, "storm").await,
        club::club(&server, "broncos").await,
    );
    let picture =
        json!({ "clubSlug": "broncos", "url": "/uploads/bundle-image-1-0.png", "data": "" });
    let missing =
        json!({ "clubSlug": "nobody", "url": "/uploads/bundle-image-1-0.png", "data": "" });
    for verb in [Method::POST, Method::DELETE] {
        let theirs = storm
            .call(verb.clone(), "/api/uploads/bundle-image", Some(&picture))
            .await;
        let nobodys = storm
            .call(verb, "/api/uploads/bundle-image", Some(&missing))
            .await;
        assert_eq!((theirs.status, told(&theirs)), (404, told(&nobodys)));
    }
    let theirs = storm
        .post("/api/terms/accept", json!({ "clubId": stock.club }))
        .await;
    let nobodys = storm
        .post("/api/terms/accept", json!({ "clubId": 999_999 }))
        .await;
    assert_eq!(told(&theirs), told(&nobodys));
    // The console's pages that clubs may open show a club its own rows, whatever it asks for (decision G-2).
    for path in [
        "/api/stripe-debug",
        "/api/stripe-debug/sums",
        "/api/admin/payment-integrity-audit",
        "/api/admin/payment-recovery-report",
    ] {
        let own = storm.get(path).await;
        let asked = storm.get(&format!("{path}?clubId={}", stock.club)).await;
        for answer in [own, asked] {
            for theirs in ["broncos", "alice@example.com", "acct_broncos"] {
                assert!(
                    !answer.text.contains(theirs),
                    "{path} tells {theirs}: {}",
                    answer.text
                );
            }
        }
        assert!(broncos.get(path).await.status == 200);
    }
    server.finish().await;
}

/// A picture's key: another club's, and one that climbs.
#[actix_web::test]
async fn nobody_removes_or_reads_what_an_upload_key_does_not_name() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.club("storm").await;
    let (storm, broncos) = (
        club::club(&server, "storm").await,
        club::club(&server, "broncos").await,
    );
    let png = super::pictures::png(2, 2);
    let body = json!({ "clubSlug": "broncos", "data": png, "desiredKey": "../../etc/passwd" });
    let url = broncos.post("/api/uploads/bundle-image", body).await.ok()["url"]
        .as_str()
        .expect("an address")
        .to_string();
    assert!(
        url.starts_with("/uploads/bundle-image-") && !url.contains(".."),
        "{url}"
    );
    let key = url.trim_start_matches("/uploads/");
    for stolen in [
        url.clone(),
        format!("{}{url}", server.url),
        format!("/uploads/../uploads/{key}"),
        "/uploads/../../etc/passwd".to_string(),
        "/etc/passwd".to_string(),
        "http://169.254.169.254/uploads/x.png".to_string(),
        String::new(),
    ] {
        let body = json!({ "clubSlug": "storm", "url": stolen });
        let answer = storm
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&body))
            .await;
        assert_eq!(answer.status, 404, "{stolen}: {}", answer.text);
    }
    let alice = server.alice();
    assert_eq!(
        alice
            .raw(Method::GET, &url)
            .send()
            .await
            .expect("an answer")
            .status(),
        200,
        "still there"
    );
    for path in [
        "/uploads/..%2f..%2fetc%2fpasswd",
        "/uploads/%2e%2e/server",
        "/uploads/....//x.png",
        "/assets/..%2fpackage.json",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    ] {
        let status = Buyer::sent(alice.raw(Method::GET, path)).await.status;
        assert_eq!(status, 404, "{path}");
    }
    let own = json!({ "clubSlug": "broncos", "url": url });
    assert_eq!(
        broncos
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&own))
            .await
            .status,
        204
    );
    server.finish().await;
}
