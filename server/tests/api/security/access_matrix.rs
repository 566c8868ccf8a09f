//! The access matrix: every route is called by every kind of caller, with the caller's own objects
//! and those of others.

use std::collections::BTreeSet;

use domain::DrawId;
use domain::access::{Audience, Role};
use persistence::records::bundles::NewBundle;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Route, Verb};

use crate::access::{http_method_of, path_with_ids};
use crate::support::buyer::ApiResponse;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// Ids of a club's objects, with which the variables of paths are filled.
pub struct ClubObjects {
    pub slug: &'static str,
    pub club: i64,
    pub draw: DrawId,
    pub payout: i64,
    pub offer: i64,
    /// The order of the draw's only ticket.
    pub order: String,
}

impl ClubObjects {
    /// Creates a club with a draw that has a winner, the payout of the prize, and an offer.
    pub async fn create(server: &TestServer, slug: &'static str) -> ClubObjects {
        let club = server.create_club(slug).await.id;
        let draw = server.create_draw(club).await;
        let browser = club::sign_in_as_club(server, slug).await;
        let bought = server.alice().buy(draw, 1).await.1;
        let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
        server.start_game(draw).await;
        club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
            .await
            .ok();
        let found = browser
            .get(&format!("/api/clubs/{club}/buyers?q=alice"))
            .await
            .ok();
        let order = found[0]["orderId"].as_str().expect("an order").to_string();
        let payout = browser
            .post(
                &format!("/api/draws/{draw}/payouts"),
                json!({ "type": "winner" }),
            )
            .await
            .ok();
        let offer = NewBundle {
            name: "Double".into(),
            slug: "double".into(),
            status: "draft".into(),
            kind: "SPECIAL".into(),
            games: vec![draw],
            ..NewBundle::default()
        };
        let offer = server
            .records
            .create_bundle(club, &offer)
            .await
            .expect("an offer");
        ClubObjects {
            slug,
            club: club.0,
            draw,
            payout: payout["id"].as_i64().expect("the id is a number"),
            offer,
            order,
        }
    }

    pub fn path(&self, route: &Route) -> String {
        let path = route
            .path
            .replace("{bundle}", &self.offer.to_string())
            .replace("{slug}", self.slug)
            .replace("{order}", &self.order);
        path_with_ids(&path, self.draw, self.club, self.payout)
    }
}

/// The kind of caller, relative to the object that the path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallerKind {
    Anonymous,
    Owner,
    /// A member of the club with this role, who may do less than the club's own login (decision
    /// G-17).
    Member(Role),
    OtherClub,
    /// The login of an archived club. Calls the club's own objects.
    ArchivedOwner,
    /// The login of a club whose Stripe onboarding is incomplete. Calls the club's own objects.
    UnconnectedOwner,
    Operator,
    /// An operator who has entered the password but no authenticator code.
    OperatorWithoutCode,
    /// A club's own login whose password was entered more than ten minutes ago. Calls the club's
    /// own objects.
    StaleOwner,
    StaleOperator,
}

/// Endings of the paths to which an archived club may still write (decision H-3).
const ARCHIVED_CLUB_WRITE_PATH_ENDINGS: [&str; 7] = [
    "results",
    "notify-winners",
    "payouts",
    "winner-bank",
    "winner-bank/proposal",
    "winner-bank/reveal",
    "{payout}",
];

/// Returns whether a response agrees with the access matrix. The match has no default arm, so that
/// a new `Audience` does not compile without a decision here.
fn matches_access_matrix(kind: CallerKind, route: &Route, answer: &ApiResponse) -> bool {
    let status = answer.status;
    let code = || serde_json::from_str::<Value>(&answer.text).unwrap_or_default()["code"].clone();
    let bound = route.path.contains('{');
    let admitted = !matches!(status, 401 | 403) && status < 500;
    let is_allowed_ending = route.method == Verb::Get
        || ARCHIVED_CLUB_WRITE_PATH_ENDINGS
            .iter()
            .any(|end| route.path.ends_with(end));
    // A session whose password or code is old may do everything except calls that need a recent
    // one.
    let (kind, stale) = match kind {
        CallerKind::StaleOwner => (CallerKind::Owner, true),
        CallerKind::StaleOperator => (CallerKind::Operator, true),
        other => (other, false),
    };
    match (route.audience, kind) {
        // The route table of this test has no routes between nodes. `server/tests/nodes.rs` tests
        // them.
        (Audience::Node, _) => false,
        // Access needs the order's token, which no caller of this test has.
        (Audience::Buyer, _) => status == 404,
        (Audience::Public | Audience::Machine, _) => admitted,
        (_, CallerKind::Anonymous) => status == 401 && code() == "unauthenticated",
        // The handler itself decides whether the signed-in caller must be an operator.
        (Audience::SignedIn, CallerKind::Operator | CallerKind::OperatorWithoutCode) => {
            !matches!(status, 401 | 500..) || status == 401 && code() != "unauthenticated"
        }
        (Audience::SignedIn, _) => status != 401 && status < 500,
        (_, CallerKind::OperatorWithoutCode) => status == 403 && code() == "second-factor-required",
        // A club may edit its draw without a recent password. An operator needs a recent
        // authenticator code (decision E-9).
        (Audience::Seller, CallerKind::Operator)
            if stale && route.method == Verb::Patch && route.path == "/api/draws/{draw}" =>
        {
            status == 403 && code() == "reauthentication-required"
        }
        (
            Audience::ProvenSeller | Audience::ProvenOwner,
            CallerKind::Owner | CallerKind::Operator,
        )
        | (Audience::ProvenOperator, CallerKind::Operator)
            if stale =>
        {
            status == 403 && code() == "reauthentication-required"
        }
        (
            Audience::Club
            | Audience::Seller
            | Audience::Owner
            | Audience::ProvenSeller
            | Audience::ProvenOwner,
            kind,
        ) => match kind {
            CallerKind::Member(role) if Some(role) < route.audience.role() => {
                status == 403 && code() == "role-not-allowed"
            }
            CallerKind::Owner | CallerKind::Member(_) | CallerKind::Operator => {
                admitted && !(bound && status == 404)
            }
            CallerKind::OtherClub if bound => status == 404,
            CallerKind::OtherClub => admitted,
            CallerKind::ArchivedOwner if !is_allowed_ending => {
                status == 403 && code() == "club-archived"
            }
            CallerKind::ArchivedOwner => admitted && status != 404,
            CallerKind::UnconnectedOwner => {
                (admitted || code() == "setup-required") && !(bound && status == 404)
            }
            CallerKind::Anonymous
            | CallerKind::OperatorWithoutCode
            | CallerKind::StaleOwner
            | CallerKind::StaleOperator => false,
        },
        (Audience::Operator | Audience::ProvenOperator, CallerKind::Operator) => {
            // The handler itself may answer 401, for example for a wrong code.
            status != 403 && !(status == 401 && code() == "unauthenticated") && status < 500
        }
        (Audience::Operator | Audience::ProvenOperator, _) => {
            status == 403 && code() == "forbidden"
        }
    }
}

#[actix_web::test]
async fn every_route_admits_only_its_declared_audience() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let broncos = ClubObjects::create(&server, "broncos").await;
    let archived_objects = ClubObjects::create(&server, "old").await;
    let unconnected_objects = ClubObjects::create(&server, "new").await;
    let expired = club::sign_in_as_operator(&server).await;
    server.clock.advance_seconds(13 * 3600);
    server.create_club("storm").await;
    let (stale_owner, stale_operator) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    server.clock.advance_seconds(601);
    let without_code = server.bob();
    without_code
        .sign_in("operator@demo.test", PASSWORD)
        .await
        .ok();
    let holder = server.alice();
    let (archived, unconnected) = (
        club::sign_in_as_club(&server, "old").await,
        club::sign_in_as_club(&server, "new").await,
    );
    server
        .records
        .archive_club(server.club_id("old"), true)
        .await
        .expect("the club is archived");
    let account = domain::AccountId("acct_new".into());
    server
        .records
        .update_connected_account_state(&account, false, false, false)
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let other = club::sign_in_as_club(&server, "storm").await;
    let id = server.club_id("broncos");
    let seller = club::sign_in_as_member(&server, id, Role::Seller).await;
    let viewer = club::sign_in_as_member(&server, id, Role::Viewer).await;
    let operator = club::sign_in_as_operator(&server).await;
    // The callers who must be refused come first, so that the calls of admitted callers cannot
    // change the results.
    let callers: [(&str, CallerKind, &Buyer, &ClubObjects, Option<String>); 14] = [
        (
            "anonymous",
            CallerKind::Anonymous,
            &server.bob(),
            &broncos,
            None,
        ),
        (
            "forged session",
            CallerKind::Anonymous,
            &server.bob(),
            &broncos,
            Some(format!("fd_login={}", "0".repeat(64))),
        ),
        (
            "expired session",
            CallerKind::Anonymous,
            &expired,
            &broncos,
            None,
        ),
        (
            "holder of another order",
            CallerKind::Anonymous,
            &holder,
            &broncos,
            None,
        ),
        (
            "operator without a code",
            CallerKind::OperatorWithoutCode,
            &without_code,
            &broncos,
            None,
        ),
        (
            "owner with an old proof",
            CallerKind::StaleOwner,
            &stale_owner,
            &broncos,
            None,
        ),
        (
            "operator with an old proof",
            CallerKind::StaleOperator,
            &stale_operator,
            &broncos,
            None,
        ),
        ("other club", CallerKind::OtherClub, &other, &broncos, None),
        (
            "archived club",
            CallerKind::ArchivedOwner,
            &archived,
            &archived_objects,
            None,
        ),
        (
            "club without Stripe",
            CallerKind::UnconnectedOwner,
            &unconnected,
            &unconnected_objects,
            None,
        ),
        (
            "viewer of the club",
            CallerKind::Member(Role::Viewer),
            &viewer,
            &broncos,
            None,
        ),
        (
            "seller of the club",
            CallerKind::Member(Role::Seller),
            &seller,
            &broncos,
            None,
        ),
        ("club owner", CallerKind::Owner, &owner, &broncos, None),
        ("operator", CallerKind::Operator, &operator, &broncos, None),
    ];
    // Routes that other files test: sign-in, sign-out and the WebSocket.
    let apart = [
        "/ws",
        "/api/clubs/login",
        "/api/auth/logout",
        "/api/clubs/logout",
        "/api/admin/logout",
    ];
    let (mut wrong, mut cells) = (Vec::new(), 0);
    for route in ROUTES.iter().filter(|route| !apart.contains(&route.path)) {
        for (name, kind, browser, objects, cookie) in &callers {
            let path = objects.path(route);
            let request = browser
                .bare_request(http_method_of(route), &path)
                .header("origin", &server.url);
            let request = cookie
                .iter()
                .fold(request, |request, cookie| request.header("cookie", cookie));
            let request = if route.method == Verb::Get {
                request
            } else {
                request.json(&json!({}))
            };
            let answer = Buyer::send_request(request).await;
            cells += 1;
            if !matches_access_matrix(*kind, route, &answer) {
                wrong.push(format!(
                    "{name}: {:?} {path} ({:?}): {} {}",
                    route.method, route.audience, answer.status, answer.text
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {cells} cells are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(cells >= 14 * (ROUTES.len() - apart.len()));
    server.finish().await;
}

#[actix_web::test]
async fn order_token_opens_only_its_order() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let alices_order = alice.open_intent(draw, 2).await;
    let bobs_intent = bob.open_intent(draw, 1).await;
    let reservation = alices_order.body["reservationId"]
        .as_str()
        .expect("the id is text")
        .to_string();
    let extend = format!("/api/reservations/{reservation}/extend");
    let release = format!("/api/reservations/{reservation}");
    bob.post(&extend, json!({}))
        .await
        .expect_refusal(404, "not-found");
    bob.call(reqwest::Method::DELETE, &release, None)
        .await
        .expect_refusal(404, "not-found");
    // An order's page needs the order's token. Other ids must not open it.
    for id in [
        &reservation,
        alices_order.id(),
        &reservation.replace('-', ""),
        &alices_order.token()[..31],
    ] {
        let answer = bob.get(&format!("/api/orders/{id}")).await;
        assert_eq!(answer.status, 404, "{id}: {}", answer.text);
    }
    assert_eq!(
        bob.get(&format!("/api/orders/{}", alices_order.token()))
            .await
            .status,
        200,
        "the order's token opens the order"
    );
    let bobs_order = bob.fetch_order_of(&bobs_intent).await;
    assert_eq!(
        bobs_order["lines"][0]["ticketCount"], 1,
        "Bob sees his own order"
    );
    alice.post(&extend, json!({})).await.ok();
    assert_eq!(
        alice
            .call(reqwest::Method::DELETE, &release, None)
            .await
            .status,
        204
    );
    server.finish().await;
}

/// A second list, beside the route table, of every route that needs no login. A route becomes
/// public only if both lists name it.
const ROUTES_WITHOUT_LOGIN: &str = include_str!("access_matrix/open.txt");

#[test]
fn routes_without_login_match_reviewed_list() {
    let open = |route: &&Route| {
        matches!(
            route.audience,
            Audience::Public | Audience::Buyer | Audience::Machine
        )
    };
    let named: BTreeSet<String> = ROUTES_WITHOUT_LOGIN.lines().map(str::to_string).collect();
    let found: BTreeSet<String> = ROUTES
        .iter()
        .filter(open)
        .map(|route| format!("{} {}", route.method.method(), route.path))
        .collect();
    let unconnected_objects: Vec<_> = found.difference(&named).collect();
    assert!(
        unconnected_objects.is_empty(),
        "open to anyone, and not in access_matrix/open.txt: {unconnected_objects:?}"
    );
    let gone: Vec<_> = named.difference(&found).collect();
    assert!(
        gone.is_empty(),
        "in access_matrix/open.txt, and not open: {gone:?}"
    );
    for route in ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/api/admin/"))
    {
        let is_the_clubs = route.path.starts_with("/api/admin/clubs/{slug}/bundles")
            || [
                "/api/admin/payment-integrity-audit",
                "/api/admin/payment-recovery-report",
            ]
            .contains(&route.path);
        let session_routes = [
            "/api/admin/whoami",
            "/api/admin/logout",
            "/api/admin/totp/enrol",
            "/api/admin/totp/verify",
        ];
        let operators = matches!(
            route.audience,
            Audience::Operator | Audience::ProvenOperator
        );
        assert!(
            operators || is_the_clubs || session_routes.contains(&route.path),
            "{} is for {:?}",
            route.path,
            route.audience
        );
    }
}
