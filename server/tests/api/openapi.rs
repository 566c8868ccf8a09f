//! The description of the calls: whole, and true of every answer that any test of this program gets.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use server::openapi;
use server::routes::{ROUTES, Verb};

use crate::support::TestServer;
use crate::support::shape::mismatch;

#[test]
fn every_route_is_described_and_nothing_else_is() {
    let routes: BTreeSet<(&str, String)> = ROUTES
        .iter()
        .map(|route| (route.path, route.method.method().to_string()))
        .collect();
    let said: BTreeSet<(&str, String)> = openapi::descriptions()
        .map(|said| (said.path, said.method.method().to_string()))
        .collect();
    let missing: Vec<_> = routes.difference(&said).collect();
    assert!(
        missing.is_empty(),
        "not described in routes/<audience>/described.rs: {missing:?}"
    );
    let gone: Vec<_> = said.difference(&routes).collect();
    assert!(gone.is_empty(), "described, but not in routes.rs: {gone:?}");
    assert_eq!(
        openapi::descriptions().count(),
        said.len(),
        "a call is described twice"
    );
}

#[test]
fn who_may_call_is_in_the_document() {
    let document = openapi::document();
    for route in ROUTES {
        let operation =
            &document["paths"][route.path][route.method.method().as_str().to_lowercase()];
        let needs_login = operation["security"] == json!([{ "login": [] }]);
        let is_desk = !matches!(
            server::openapi::tag(route.audience),
            "public" | "buyer" | "machine"
        );
        assert_eq!(needs_login, is_desk, "{}", route.path);
        assert!(
            !is_desk || operation["responses"]["401"].is_object(),
            "{}",
            route.path
        );
        let takes = operation["requestBody"].is_object();
        assert!(
            route.method != Verb::Get || !takes,
            "{} takes a body",
            route.path
        );
    }
}

#[test]
fn every_reference_leads_to_a_shape_and_every_call_has_a_name_of_its_own() {
    let document = openapi::document();
    let text = document.to_string();
    let shapes = document["components"]["schemas"]
        .as_object()
        .expect("shapes");
    for reference in text.split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(shapes.contains_key(name), "{name} is not there");
    }
    let mut names = BTreeSet::new();
    for route in ROUTES {
        let method = route.method.method().as_str().to_lowercase();
        let name = document["paths"][route.path][method]["operationId"]
            .as_str()
            .expect("a name")
            .to_string();
        assert!(names.insert(name.clone()), "two calls are called {name}");
    }
}

#[test]
fn a_wrong_answer_would_be_noticed() {
    let document = openapi::document();
    let shape = json!({ "$ref": "#/components/schemas/MaintenanceMode" });
    assert_eq!(
        mismatch(&document, &shape, &json!({ "maintenanceMode": true })),
        None
    );
    for wrong in [
        json!({}),
        json!({ "maintenanceMode": "true" }),
        json!([]),
        json!({ "maintenanceMode": true, "x": 1 }),
    ] {
        assert!(mismatch(&document, &shape, &wrong).is_some(), "{wrong}");
    }
}

#[actix_web::test]
async fn the_document_and_its_page_are_served() {
    let server = TestServer::start().await;
    let alice = server.alice();
    let served: Value = alice.get("/api/openapi.json").await.ok();
    assert_eq!(served, openapi::document());
    let page = alice.get("/api/docs").await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'unsafe-inline'"),
        "{policy}"
    );
    assert!(
        !page.text.contains("<script") && !page.text.contains("src="),
        "nothing comes from elsewhere"
    );
    for route in ROUTES {
        assert!(
            page.text.contains(&format!("<code>{}</code>", route.path)),
            "{}",
            route.path
        );
    }
    server.finish().await;
}
