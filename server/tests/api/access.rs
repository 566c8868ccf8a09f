//! Who may call what: every URL of the table by every kind of caller.

use domain::DrawId;
use domain::access::{Audience, Role};
use persistence::records::bundles::NewBundle;
use reqwest::Method;
use serde_json::json;
use server::routes::{ROUTES, Route, Verb};

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// Puts real objects of the club `broncos` into a path.
pub fn concrete(route: &Route, draw: DrawId, club: i64, payout: i64) -> String {
    route
        .path
        .replace("{draw}", &draw.to_string())
        .replace("{club}", &club.to_string())
        .replace("{payout}", &payout.to_string())
        // The club's own login: the one whom nobody changes, so that the table can be walked in any order.
        .replace("{user}", "0")
        .replace("{bundle}", "1")
        .replace("{slug}", "broncos")
        .replace("{bundle}", "finals")
        .replace("{type}/{id}", &format!("draw/{draw}"))
        .replace("{kind}", "sale")
        .replace("{anomaly}", "00000000-0000-4000-8000-000000000000")
        .replace("{ticket}", "FD-1001-169")
        .replace("{key}", "hide_test_draws")
        .replace("{entry}", "1")
        .replace("{menu}", "1")
        .replace("{item}", "1")
        .replace("{order}", "00000000-0000-4000-8000-000000000000")
        .replace("{token}", "00000000000000000000000000000000")
}

pub fn method(route: &Route) -> Method {
    match route.method {
        Verb::Get => Method::GET,
        Verb::Post => Method::POST,
        Verb::Put => Method::PUT,
        Verb::Patch => Method::PATCH,
        Verb::Delete => Method::DELETE,
    }
}

/// A body that does the least, so that the table can be walked in any order.
async fn call(browser: &Buyer, route: &Route, path: &str) -> u16 {
    let body = (route.method != Verb::Get).then(|| json!({}));
    browser.call(method(route), path, body.as_ref()).await.status
}

/// Of the club `broncos`, beside its own login.
async fn people(server: &TestServer) -> [Buyer; 2] {
    let club = server.club_named("broncos");
    [club::member(server, club, Role::Seller).await, club::member(server, club, Role::Viewer).await]
}

#[actix_web::test]
async fn every_address_admits_whom_its_line_names_and_nobody_else() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.club("storm").await;
    server.operator().await;
    let (broncos, storm) = (club::club(&server, "broncos").await, club::club(&server, "storm").await);
    let [seller, viewer] = people(&server).await;
    let operator = club::operator(&server).await;
    let bought = server.alice().buys(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    club::enters(&broncos, draw, number("homeNumber"), number("awayNumber")).await.ok();
    let payout = broncos.post(&format!("/api/draws/{draw}/payouts"), json!({ "type": "winner" })).await.ok();
    let payout = payout["id"].as_i64().expect("an id");
    let club_id = broncos.get("/api/admin/whoami").await.ok()["user"]["id"].as_i64().expect("an id");
    let offer = NewBundle {
        name: "Double".into(),
        slug: "double".into(),
        status: "draft".into(),
        kind: "SPECIAL".into(),
        games: vec![draw],
        ..NewBundle::default()
    };
    let offer = server.records.create_bundle(domain::ClubId(club_id), &offer).await.expect("an offer");
    assert_eq!(offer, 1, "the first of this database");
    let mut wrong = Vec::new();
    // Signing in and out is for who is not signed in; the socket speaks another language.
    let apart = ["/ws", "/api/clubs/login", "/api/auth/logout", "/api/clubs/logout", "/api/admin/logout"];
    for route in ROUTES.iter().filter(|route| !apart.contains(&route.path)) {
        let path = concrete(route, draw, club_id, payout);
        let anonymous = call(&server.alice(), route, &path).await;
        let own = call(&broncos, route, &path).await;
        let seller = call(&seller, route, &path).await;
        let viewer = call(&viewer, route, &path).await;
        let other = call(&storm, route, &path).await;
        let operator = call(&operator, route, &path).await;
        let bound = route.path.contains('{');
        let refused = |status: u16| status == 401 || status == 403;
        let as_it_should = match route.audience {
            // They have a table of their own.
            Audience::Node => false,
            Audience::Public | Audience::Buyer | Audience::Machine => {
                ![anonymous, own, seller, viewer, other, operator].into_iter().any(refused)
            }
            // What only an operator may do there is the call's own matter.
            Audience::SignedIn => anonymous == 401 && ![own, seller, viewer, other].contains(&401) && operator != 403,
            Audience::Club | Audience::Seller | Audience::Owner => {
                let others = if bound { other == 404 } else { !refused(other) };
                let least = route.audience.role().expect("a club's");
                let may = |role: Role, status: u16| if role >= least { !refused(status) } else { status == 403 };
                let people = may(Role::Seller, seller) && may(Role::Viewer, viewer);
                anonymous == 401 && others && people && ![own, operator].into_iter().any(|s| refused(s) || s == 404)
            }
            Audience::Operator | Audience::ProvenOperator => {
                anonymous == 401 && [own, seller, viewer, other] == [403; 4] && operator != 403
            }
        };
        let server_failed = [anonymous, own, seller, viewer, other, operator].into_iter().any(|status| status >= 500);
        if !as_it_should || server_failed {
            wrong.push(format!(
                "{:?} {}: {anonymous} {own} {seller} {viewer} {other} {operator}",
                route.method, route.path
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "anonymous, own club, its seller, its viewer, other club, operator:\n{}",
        wrong.join("\n")
    );
    server.finish().await;
}

#[actix_web::test]
async fn other_sites_pages_cannot_make_a_browser_act() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let browser = club::club(&server, "broncos").await;
    let mut wrong = Vec::new();
    for route in ROUTES.iter().filter(|route| route.method != Verb::Get && route.audience != Audience::Machine) {
        let path = concrete(route, draw, 1, 1);
        let foreign = |name: &'static str, value: &'static str| {
            browser.raw(method(route), &path).header(name, value).header("content-type", "text/plain").body("{}")
        };
        for request in [
            foreign("origin", "https://evil.test"),
            foreign("origin", "null"),
            foreign("sec-fetch-site", "cross-site"),
            foreign("x-no-origin-at-all", "1"),
        ] {
            let status = Buyer::sent(request).await.status;
            if status != 403 {
                wrong.push(format!("{:?} {}: {status}", route.method, route.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.finish().await;
}

#[actix_web::test]
async fn what_is_not_in_the_table_does_not_exist() {
    let server = TestServer::start().await;
    let alice = server.alice();
    alice.get("/api/nothing").await.refused(404, "not-found");
    alice.get("/api/admin/everything").await.refused(404, "not-found");
    alice.post("/api/config", json!({})).await.refused(405, "method-not-allowed");
    alice.call(Method::DELETE, "/api/draws/active", None).await.refused(405, "method-not-allowed");
    server.finish().await;
}

#[test]
fn every_handler_stands_in_the_table() {
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table = std::fs::read_to_string(src.join("routes.rs")).expect("the table");
    let mut missing = Vec::new();
    let mut folders = vec![src.join("routes")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = std::fs::read_to_string(&entry).expect("a file");
            let module = entry.file_stem().expect("a name").to_string_lossy().into_owned();
            for piece in text.split("\npub async fn ").skip(1) {
                let name = piece.split('(').next().unwrap_or_default();
                let signature = piece.split('{').next().unwrap_or_default();
                // What takes a `&State` is asked by handlers; a handler owns its `web::Data`.
                let is_handler = signature.contains("HttpResponse") && !signature.contains("&State");
                // Pages are what every address outside `/api/` answers; the shell has a table of its own.
                let is_handler = is_handler && module != "shell";
                if is_handler && !table.contains(&format!("{module}::{name};")) {
                    missing.push(format!("{module}::{name}"));
                }
            }
            for mounting in ["web::resource(", "web::scope(", "#[get(", "#[post("] {
                assert!(!text.contains(mounting), "{} mounts an address by itself", entry.display());
            }
        }
    }
    assert!(missing.is_empty(), "not in routes.rs: {missing:?}");
}

#[actix_web::test]
async fn signing_in_opens_a_session_and_signing_out_ends_it() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.operator().await;
    let browser = server.alice();
    let answer = browser.signs_in(" Broncos@Demo.test ", PASSWORD).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_string();
    assert!(
        cookie.starts_with("fd_login=") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let user = answer.ok();
    assert_eq!((&user["isAdmin"], &user["clubSlug"]), (&json!(false), &json!("broncos")));
    assert_eq!(browser.get("/api/admin/whoami").await.ok()["role"], "club-admin");
    assert_eq!(browser.post("/api/auth/logout", json!({})).await.status, 204);
    browser.get("/api/admin/whoami").await.refused(401, "unauthenticated");
    let value = cookie.split(';').next().expect("a pair").to_string();
    let stolen = server.bob().raw(Method::GET, "/api/admin/whoami").header("cookie", value);
    Buyer::sent(stolen).await.refused(401, "unauthenticated");
    let forged =
        server.bob().raw(Method::GET, "/api/admin/whoami").header("cookie", format!("fd_login={}", "0".repeat(64)));
    Buyer::sent(forged).await.refused(401, "unauthenticated");
    assert_eq!(club::operator(&server).await.get("/api/admin/whoami").await.ok()["role"], "super-admin");
    server.finish().await;
}

#[actix_web::test]
async fn a_wrong_password_and_an_unknown_address_read_the_same_and_are_slowed_down() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let browser = server.alice();
    let wrong = browser.signs_in("broncos@demo.test", "wrong").await.refused(401, "invalid-credentials");
    let unknown = browser.signs_in("nobody@demo.test", PASSWORD).await.refused(401, "invalid-credentials");
    assert_eq!(wrong["message"], unknown["message"]);
    assert_eq!(wrong["message"], "Invalid credentials");
    for _ in 0..4 {
        browser.signs_in("broncos@demo.test", "wrong").await.refused(401, "invalid-credentials");
    }
    let refused = browser.signs_in("broncos@demo.test", PASSWORD).await;
    assert_eq!(refused.header("retry-after"), Some("60"));
    refused.refused(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn every_answer_carries_its_id_the_time_and_what_browsers_may_do_with_it() {
    let server = TestServer::start().await;
    let alice = server.alice();
    for path in ["/api/config", "/api/nothing", "/api/draws/active"] {
        let answer = alice.get(path).await;
        for header in
            ["x-request-id", "x-server-time", "x-content-type-options", "referrer-policy", "content-security-policy"]
        {
            assert!(answer.header(header).is_some(), "{path} {header}");
        }
        assert!(
            answer.header("content-security-policy").is_some_and(|policy| policy.contains("frame-ancestors 'none'"))
        );
        assert_eq!(answer.header("vary"), Some("Cookie"), "{path}");
    }
    assert_eq!(alice.get("/api/config").await.header("cache-control"), Some("no-store"));
    let cookie = server.bob().get("/api/config").await.header("set-cookie").expect("a browser's cookie").to_string();
    assert!(
        cookie.starts_with("fd_session=") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    server.finish().await;
}
