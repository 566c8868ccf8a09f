//! Who may call what: every URL of the table by every kind of caller, on objects of its own and of somebody else's.

use std::collections::BTreeSet;

use domain::DrawId;
use domain::access::{Audience, Role};
use persistence::records::bundles::NewBundle;
use serde_json::{Value, json};
use server::routes::{ROUTES, Route, Verb};

use crate::access::{filled, method};
use crate::support::buyer::Answer;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// What of a club stands in a path.
pub struct Stock {
    pub slug: &'static str,
    pub club: i64,
    pub draw: DrawId,
    pub payout: i64,
    pub offer: i64,
}

impl Stock {
    /// A club with a draw that was won, its payout, and an offer.
    pub async fn of(server: &TestServer, slug: &'static str) -> Stock {
        let club = server.club(slug).await.id;
        let draw = server.draw(club).await;
        let browser = club::club(server, slug).await;
        let bought = server.alice().buys(draw, 1).await.1;
        let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
        server.kick_off(draw).await;
        club::enters(&browser, draw, number("homeNumber"), number("awayNumber"))
            .await
            .ok();
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
        Stock {
            slug,
            club: club.0,
            draw,
            payout: payout["id"].as_i64().expect("an id"),
            offer,
        }
    }

    pub fn path(&self, route: &Route) -> String {
        let path = route
            .path
            .replace("{bundle}", &self.offer.to_string())
            .replace("{slug}", self.slug);
        filled(&path, self.draw, self.club, self.payout)
    }
}

/// What a caller is to a route's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Nobody,
    Owner,
    /// One of the owner's people, of a lesser role (decision G-17).
    Person(Role),
    OtherClub,
    /// Of its own objects.
    ArchivedOwner,
    /// The provider's onboarding is not done; of its own objects.
    UnconnectedOwner,
    Operator,
    /// With a password, without a code.
    HalfOperator,
}

/// What an archived club may still write (decision H-3).
const FINISHING: [&str; 6] = [
    "results",
    "notify-winners",
    "payouts",
    "winner-bank",
    "winner-bank/reveal",
    "{payout}",
];

/// Whether an answer is what the matrix says. No default: a new audience does not compile here until it is thought about.
fn fits(who: Who, route: &Route, answer: &Answer) -> bool {
    let status = answer.status;
    let code = || serde_json::from_str::<Value>(&answer.text).unwrap_or_default()["code"].clone();
    let bound = route.path.contains('{');
    let admitted = !matches!(status, 401 | 403) && status < 500;
    let finishing =
        route.method == Verb::Get || FINISHING.iter().any(|end| route.path.ends_with(end));
    match (route.audience, who) {
        // Only nodes; their calls are in no list of this table (`tests/api/nodes.rs`).
        (Audience::Node, _) => false,
        // Whoever holds the order's secret; nobody here does.
        (Audience::Buyer, _) => status == 404,
        (Audience::Public | Audience::Machine, _) => admitted,
        (_, Who::Nobody) => status == 401 && code() == "unauthenticated",
        // What only an operator may do there is the call's own matter.
        (Audience::SignedIn, Who::Operator | Who::HalfOperator) => {
            !matches!(status, 401 | 500..) || status == 401 && code() != "unauthenticated"
        }
        (Audience::SignedIn, _) => status != 401 && status < 500,
        (_, Who::HalfOperator) => status == 403 && code() == "second-factor-required",
        (Audience::Club | Audience::Seller | Audience::Owner, who) => match who {
            Who::Person(role) if Some(role) < route.audience.role() => {
                status == 403 && code() == "role-not-allowed"
            }
            Who::Owner | Who::Person(_) | Who::Operator => admitted && !(bound && status == 404),
            Who::OtherClub if bound => status == 404,
            Who::OtherClub => admitted,
            Who::ArchivedOwner if !finishing => status == 403 && code() == "club-archived",
            Who::ArchivedOwner => admitted && status != 404,
            Who::UnconnectedOwner => {
                (admitted || code() == "setup-required") && !(bound && status == 404)
            }
            Who::Nobody | Who::HalfOperator => false,
        },
        (Audience::Operator | Audience::ProvenOperator, Who::Operator) => {
            // A wrong code, say, is the call's own matter.
            status != 403 && !(status == 401 && code() == "unauthenticated") && status < 500
        }
        (Audience::Operator | Audience::ProvenOperator, _) => {
            status == 403 && code() == "forbidden"
        }
    }
}

#[actix_web::test]
async fn every_address_admits_whom_its_line_names_and_nobody_else() {
    let server = TestServer::start().await;
    server.operator().await;
    let broncos = Stock::of(&server, "broncos").await;
    let old = Stock::of(&server, "old").await;
    let new = Stock::of(&server, "new").await;
    let expired = club::operator(&server).await;
    server.clock.push_seconds(13 * 3600);
    server.club("storm").await;
    let half = server.bob();
    half.signs_in("operator@demo.test", PASSWORD).await.ok();
    let holder = server.alice();
    let (archived, unconnected) = (
        club::club(&server, "old").await,
        club::club(&server, "new").await,
    );
    server
        .records
        .archive_club(server.club_named("old"), true)
        .await
        .expect("archived");
    let account = domain::AccountId("acct_new".into());
    server
        .records
        .account_updated(&account, false, false, false)
        .await
        .expect("written");
    server.state.catalogue.reload().await.expect("read");
    let owner = club::club(&server, "broncos").await;
    let other = club::club(&server, "storm").await;
    let id = server.club_named("broncos");
    let seller = club::member(&server, id, Role::Seller).await;
    let viewer = club::member(&server, id, Role::Viewer).await;
    let operator = club::operator(&server).await;
    // Who is refused asks first, so that what is admitted changes nothing for them.
    let callers: [(&str, Who, &Buyer, &Stock, Option<String>); 12] = [
        ("anonymous", Who::Nobody, &server.bob(), &broncos, None),
        (
            "forged session",
            Who::Nobody,
            &server.bob(),
            &broncos,
            Some(format!("fd_login={}", "0".repeat(64))),
        ),
        ("expired session", Who::Nobody, &expired, &broncos, None),
        (
            "holder of another order",
            Who::Nobody,
            &holder,
            &broncos,
            None,
        ),
        ("half operator", Who::HalfOperator, &half, &broncos, None),
        ("other club", Who::OtherClub, &other, &broncos, None),
        ("archived club", Who::ArchivedOwner, &archived, &old, None),
        (
            "club without Stripe",
            Who::UnconnectedOwner,
            &unconnected,
            &new,
            None,
        ),
        (
            "viewer of the club",
            Who::Person(Role::Viewer),
            &viewer,
            &broncos,
            None,
        ),
        (
            "seller of the club",
            Who::Person(Role::Seller),
            &seller,
            &broncos,
            None,
        ),
        ("club owner", Who::Owner, &owner, &broncos, None),
        ("operator", Who::Operator, &operator, &broncos, None),
    ];
    // Signing in and out is for who is not signed in; the socket speaks another language.
    let apart = [
        "/ws",
        "/api/clubs/login",
        "/api/auth/logout",
        "/api/clubs/logout",
        "/api/admin/logout",
    ];
    let (mut wrong, mut cells) = (Vec::new(), 0);
    for route in ROUTES.iter().filter(|route| !apart.contains(&route.path)) {
        for (name, who, browser, stock, cookie) in &callers {
            let path = stock.path(route);
            let request = browser
                .raw(method(route), &path)
                .header("origin", &server.url);
            let request = cookie
                .iter()
                .fold(request, |request, cookie| request.header("cookie", cookie));
            let request = if route.method == Verb::Get {
                request
            } else {
                request.json(&json!({}))
            };
            let answer = Buyer::sent(request).await;
            cells += 1;
            if !fits(*who, route, &answer) {
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
    assert!(cells >= 12 * (ROUTES.len() - apart.len()));
    server.finish().await;
}

#[actix_web::test]
async fn an_orders_secret_opens_that_order_and_nothing_else() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let kept = alice.intent(draw, 2).await;
    let others = bob.intent(draw, 1).await;
    let reservation = kept.body["reservationId"]
        .as_str()
        .expect("an id")
        .to_string();
    let extend = format!("/api/reservations/{reservation}/extend");
    let release = format!("/api/reservations/{reservation}");
    bob.post(&extend, json!({})).await.refused(404, "not-found");
    bob.call(reqwest::Method::DELETE, &release, None)
        .await
        .refused(404, "not-found");
    // Neither an order's id nor its payment intent's id is its secret.
    for id in [
        &reservation,
        kept.id(),
        &reservation.replace('-', ""),
        &kept.token()[..31],
    ] {
        let answer = bob.get(&format!("/api/orders/{id}")).await;
        assert_eq!(answer.status, 404, "{id}: {}", answer.text);
    }
    assert_eq!(
        bob.get(&format!("/api/orders/{}", kept.token()))
            .await
            .status,
        200,
        "who has the secret is let in"
    );
    let seen = bob.order(&others).await;
    assert_eq!(seen["lines"][0]["ticketCount"], 1, "and sees what is his");
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

/// Everything that answers without a login, written down a second time: nothing is opened to the world by one line alone.
const OPEN: &str = include_str!("matrix/open.txt");

#[test]
fn what_is_open_without_a_login_is_written_down_twice() {
    let open = |route: &&Route| {
        matches!(
            route.audience,
            Audience::Public | Audience::Buyer | Audience::Machine
        )
    };
    let named: BTreeSet<String> = OPEN.lines().map(str::to_string).collect();
    let found: BTreeSet<String> = ROUTES
        .iter()
        .filter(open)
        .map(|route| format!("{} {}", route.method.method(), route.path))
        .collect();
    let new: Vec<_> = found.difference(&named).collect();
    assert!(
        new.is_empty(),
        "open to anyone, and not in matrix/open.txt: {new:?}"
    );
    let gone: Vec<_> = named.difference(&found).collect();
    assert!(
        gone.is_empty(),
        "in matrix/open.txt, and not open: {gone:?}"
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
        let own = [
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
            operators || is_the_clubs || own.contains(&route.path),
            "{} is for {:?}",
            route.path,
            route.audience
        );
    }
}
