//! For an object of another club, the server answers as if the object did not exist, byte for byte,
//! by whatever id or slug it is named (decision G-1).

use domain::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};

use super::access_matrix::ClubObjects;
use crate::access::http_method_of;
use crate::support::buyer::ApiResponse;
use crate::support::{Buyer, TestServer, club};

/// Returns status, body and headers as text, without values that differ in every response.
fn response_without_varying_values(answer: &ApiResponse) -> String {
    let mut body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    // A body that is a list has no `requestId`.
    body.as_object_mut().map(|body| body.remove("requestId"));
    let own = ["x-request-id", "x-server-time", "date", "set-cookie"];
    let mut headers: Vec<String> = (answer.headers.iter())
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    headers.sort();
    format!("{} {body} {}", answer.status, headers.join("; "))
}

/// Returns path variables, each with the id or slug of an object of another club, and one of no
/// object.
fn foreign_and_missing_ids(
    foreign_objects: &ClubObjects,
    order: &str,
) -> Vec<(&'static str, String, &'static str)> {
    vec![
        ("{draw}", foreign_objects.draw.to_string(), "999999"),
        ("{club}", foreign_objects.club.to_string(), "999999"),
        ("{club}", foreign_objects.slug.to_string(), "nobody"),
        ("{slug}", foreign_objects.slug.to_string(), "nobody"),
        ("{payout}", foreign_objects.payout.to_string(), "999999"),
        ("{bundle}", foreign_objects.offer.to_string(), "999999"),
        ("{bundle}", "double".to_string(), "nobody"),
        // The first member of the other club.
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
async fn other_clubs_object_answers_like_missing_object() {
    let server = TestServer::start().await;
    let foreign_objects = ClubObjects::create(&server, "broncos").await;
    let own_objects = ClubObjects::create(&server, "storm").await;
    let storm = club::sign_in_as_club(&server, "storm").await;
    club::sign_in_as_member(&server, server.club_id("broncos"), Role::Viewer).await;
    let bought = server.create_draw(server.club_id("broncos")).await;
    let order = server.alice().open_intent(bought, 1).await.body["reservationId"]
        .as_str()
        .expect("the id is text")
        .to_string();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    let bound = |route: &&server::http::routes::Route| {
        route.audience.role().is_some() && route.path.contains('{')
    };
    for route in ROUTES.iter().filter(bound) {
        for (variable, foreign, missing_object) in foreign_and_missing_ids(&foreign_objects, &order)
        {
            if !route.path.contains(variable) {
                continue;
            }
            // All other variables of the path name first the caller's objects, then those of the
            // other club.
            for rest in [&own_objects, &foreign_objects] {
                let path = |name: &str| {
                    let path = route
                        .path
                        .replace(variable, name)
                        .replace("{slug}", rest.slug);
                    path.replace("{bundle}", &rest.offer.to_string())
                        .replace("{club}", &rest.club.to_string())
                };
                let mut answers = Vec::new();
                for path in [path(&foreign), path(missing_object)] {
                    let body = (route.method != Verb::Get).then(|| json!({}));
                    answers.push(
                        storm
                            .call(http_method_of(route), &path, body.as_ref())
                            .await,
                    );
                }
                tried += 2;
                if answers[0].status != 404
                    || response_without_varying_values(&answers[0])
                        != response_without_varying_values(&answers[1])
                {
                    let [foreign, missing_object] = [
                        response_without_varying_values(&answers[0]),
                        response_without_varying_values(&answers[1]),
                    ];
                    wrong.push(format!(
                        "{:?} {}:\n  {foreign}\n  {missing_object}",
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
async fn club_id_in_body_or_query_gives_no_access() {
    let server = TestServer::start().await;
    let foreign_objects = ClubObjects::create(&server, "broncos").await;
    server.create_club("storm").await;
    let (storm, broncos) = (
        club::sign_in_as_club(&server, "storm").await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let picture =
        json!({ "clubSlug": "broncos", "url": "/uploads/bundle-image-1-0.png", "data": "" });
    let missing =
        json!({ "clubSlug": "nobody", "url": "/uploads/bundle-image-1-0.png", "data": "" });
    for verb in [Method::POST, Method::DELETE] {
        let foreign = storm
            .call(verb.clone(), "/api/uploads/bundle-image", Some(&picture))
            .await;
        let missing_object = storm
            .call(verb, "/api/uploads/bundle-image", Some(&missing))
            .await;
        assert_eq!(
            (foreign.status, response_without_varying_values(&foreign)),
            (404, response_without_varying_values(&missing_object))
        );
    }
    let foreign = storm
        .post(
            "/api/terms/accept",
            json!({ "clubId": foreign_objects.club }),
        )
        .await;
    let missing_object = storm
        .post("/api/terms/accept", json!({ "clubId": 999_999 }))
        .await;
    assert_eq!(
        response_without_varying_values(&foreign),
        response_without_varying_values(&missing_object)
    );
    // A club sees only its own rows in pages that it shares with the operator's console (decision
    // G-2).
    for path in [
        "/api/stripe-debug",
        "/api/stripe-debug/sums",
        "/api/admin/payment-integrity-audit",
        "/api/admin/payment-recovery-report",
    ] {
        let own = storm.get(path).await;
        let foreign_query = storm
            .get(&format!("{path}?clubId={}", foreign_objects.club))
            .await;
        for answer in [own, foreign_query] {
            for foreign in ["broncos", "alice@example.com", "acct_broncos"] {
                assert!(
                    !answer.text.contains(foreign),
                    "{path} contains {foreign}: {}",
                    answer.text
                );
            }
        }
        assert!(broncos.get(path).await.status == 200);
    }
    server.finish().await;
}

/// Tries upload keys of another club, and keys that contain `..`.
#[actix_web::test]
async fn upload_key_gives_access_to_no_other_file() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_club("storm").await;
    let (storm, broncos) = (
        club::sign_in_as_club(&server, "storm").await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let png = super::pictures::png_base64(2, 2);
    let body = json!({ "clubSlug": "broncos", "data": png, "desiredKey": "../../etc/passwd" });
    let url = broncos.post("/api/uploads/bundle-image", body).await.ok()["url"]
        .as_str()
        .expect("a local address")
        .to_string();
    assert!(
        url.starts_with("/uploads/bundle-image-") && !url.contains(".."),
        "{url}"
    );
    let key = url.trim_start_matches("/uploads/");
    for upload_url in [
        url.clone(),
        format!("{}{url}", server.url),
        format!("/uploads/../uploads/{key}"),
        "/uploads/../../etc/passwd".to_string(),
        "/etc/passwd".to_string(),
        "http://169.254.169.254/uploads/x.png".to_string(),
        String::new(),
    ] {
        let body = json!({ "clubSlug": "storm", "url": upload_url });
        let answer = storm
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&body))
            .await;
        assert_eq!(answer.status, 404, "{upload_url}: {}", answer.text);
    }
    let alice = server.alice();
    assert_eq!(
        alice
            .bare_request(Method::GET, &url)
            .send()
            .await
            .expect("the server answers")
            .status(),
        200,
        "the picture still exists"
    );
    for path in [
        "/uploads/..%2f..%2fetc%2fpasswd",
        "/uploads/%2e%2e/server",
        "/uploads/....//x.png",
        "/assets/..%2fpackage.json",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    ] {
        let status = Buyer::send_request(alice.bare_request(Method::GET, path))
            .await
            .status;
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
