//! The `OpenAPI` document describes every route. Other tests check each response against it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use server::http::openapi;
use server::http::routes::{ROUTES, Verb};

use crate::support::TestServer;
use crate::support::schema_check::schema_mismatch;

#[test]
fn openapi_describes_exactly_the_route_table() {
    let routes: BTreeSet<(&str, String)> = ROUTES
        .iter()
        .map(|route| (route.path, route.method.method().to_string()))
        .collect();
    let described: BTreeSet<(&str, String)> = openapi::descriptions()
        .map(|described| (described.path, described.method.method().to_string()))
        .collect();
    let missing: Vec<_> = routes.difference(&described).collect();
    assert!(
        missing.is_empty(),
        "not described in routes/<audience>/descriptions.rs: {missing:?}"
    );
    let gone: Vec<_> = described.difference(&routes).collect();
    assert!(gone.is_empty(), "described, but not in routes.rs: {gone:?}");
    assert_eq!(
        openapi::descriptions().count(),
        described.len(),
        "a call is described twice"
    );
}

#[test]
fn openapi_states_required_login_of_every_route() {
    let document = openapi::document();
    for route in ROUTES {
        let operation =
            &document["paths"][route.path][route.method.method().as_str().to_lowercase()];
        let needs_login = operation["security"] == json!([{ "login": [] }]);
        let is_restricted = !matches!(
            server::http::openapi::tag(route.audience),
            "public" | "buyer" | "machine"
        );
        assert_eq!(needs_login, is_restricted, "{}", route.path);
        assert!(
            !is_restricted || operation["responses"]["401"].is_object(),
            "{}",
            route.path
        );
        let takes_body = operation["requestBody"].is_object();
        assert!(
            route.method != Verb::Get || !takes_body,
            "{} takes a body",
            route.path
        );
    }
}

#[test]
fn openapi_references_resolve_and_operation_ids_are_unique() {
    let document = openapi::document();
    let text = document.to_string();
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("shapes");
    for reference in text.split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(schemas.contains_key(name), "schema {name} does not exist");
    }
    let mut names = BTreeSet::new();
    for route in ROUTES {
        let method = route.method.method().as_str().to_lowercase();
        let name = document["paths"][route.path][method]["operationId"]
            .as_str()
            .expect("a name")
            .to_string();
        assert!(
            names.insert(name.clone()),
            "two operations have the id {name}"
        );
    }
}

#[test]
fn schema_check_detects_wrong_response() {
    let document = openapi::document();
    let schema = json!({ "$ref": "#/components/schemas/MaintenanceMode" });
    assert_eq!(
        schema_mismatch(&document, &schema, &json!({ "maintenanceMode": true })),
        None
    );
    for wrong in [
        json!({}),
        json!({ "maintenanceMode": "true" }),
        json!([]),
        json!({ "maintenanceMode": true, "x": 1 }),
    ] {
        assert!(
            schema_mismatch(&document, &schema, &wrong).is_some(),
            "{wrong}"
        );
    }
}

#[actix_web::test]
async fn openapi_document_and_docs_page_are_served() {
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
        "the page loads no external resource"
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
