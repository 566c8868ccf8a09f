//! Offers: when they are listed, what their widgets show, and which purchases are counted as their
//! sales.

use domain::{ClubId, DrawId};
use persistence::records::bundles::NewBundle;
use reqwest::Method;
use serde_json::json;

use crate::support::{Buyer, TestServer};

async fn create_offer_of_games(
    server: &TestServer,
    club: ClubId,
    slug: &str,
    games: &[DrawId],
    change: impl FnOnce(&mut NewBundle),
) -> i64 {
    let mut new = NewBundle {
        name: "Finals double".into(),
        slug: slug.into(),
        status: "active".into(),
        kind: if games.len() == 1 {
            "SPECIAL"
        } else {
            "BUNDLE"
        }
        .into(),
        display_tag: Some("Two games, one tap".into()),
        games: games.to_vec(),
        ..NewBundle::default()
    };
    change(&mut new);
    server
        .records
        .create_bundle(club, &new)
        .await
        .expect("an offer")
}

async fn listed_offer_slugs(alice: &Buyer) -> Vec<String> {
    let list = alice.get("/api/clubs/broncos/bundles").await;
    assert_eq!(list.header("cache-control"), Some("no-store"));
    let list = list.ok();
    list.as_array()
        .expect("a list")
        .iter()
        .map(|offer| offer["slug"].as_str().expect("a slug").to_string())
        .collect()
}

#[actix_web::test]
async fn offer_is_listed_only_while_on_sale() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let (first, second) = (
        server.create_draw(club).await,
        server.create_draw(club).await,
    );
    let now = server.now();
    create_offer_of_games(&server, club, "now", &[first, second], |_| ()).await;
    create_offer_of_games(&server, club, "special", &[second], |_| ()).await;
    create_offer_of_games(&server, club, "draft", &[first], |new| {
        new.status = "draft".into();
    })
    .await;
    create_offer_of_games(&server, club, "archived", &[first], |new| {
        new.status = "archived".into();
    })
    .await;
    create_offer_of_games(&server, club, "later", &[first], |new| {
        new.start_at = Some(now.plus_seconds(3600));
    })
    .await;
    create_offer_of_games(&server, club, "over", &[first], |new| {
        new.end_at = Some(now.plus_seconds(-1));
    })
    .await;
    let alice = server.alice();
    assert_eq!(listed_offer_slugs(&alice).await, ["special", "now"]);
    for (slug, status) in [("now", "active"), ("later", "scheduled")] {
        let one = alice
            .get(&format!(
                "/api/clubs/BRONCOS/bundles/{}",
                slug.to_uppercase()
            ))
            .await
            .ok();
        assert_eq!(
            (&one["status"], &one["slug"]),
            (&json!(status), &json!(slug))
        );
        assert_eq!(one["sellable"], json!(slug == "now"));
    }
    for slug in ["draft", "archived", "over", "nothing"] {
        let gone = alice
            .get(&format!("/api/clubs/broncos/bundles/{slug}"))
            .await
            .expect_refusal(404, "offer-not-found");
        assert_eq!(gone["message"], "Special Offer Not Found");
        assert_eq!(
            alice
                .get(&format!("/club/broncos/specials/{slug}"))
                .await
                .status,
            404,
            "{slug}"
        );
    }
    let one = alice.get("/api/clubs/broncos/bundles/now").await.ok();
    assert_eq!(
        (&one["totalPrice"], &one["drawIds"]),
        (&json!("10.00"), &json!([first.0, second.0]))
    );
    assert!(
        one["shareImageUrl"]
            .as_str()
            .is_some_and(|url| url.contains("/og/offer/broncos/now?v="))
    );
    server.start_game(first).await;
    assert_eq!(
        listed_offer_slugs(&alice).await,
        ["special"],
        "the first kick-off ends the offer"
    );
    let closed = alice.get("/api/clubs/broncos/bundles/now").await.ok();
    assert_eq!(
        (&closed["status"], &closed["unavailableReason"]),
        (&json!("closed"), &json!("Bundle closed"))
    );
    assert!(
        alice
            .get("/club/broncos/offer/now")
            .await
            .text
            .contains("Bundle closed")
    );
    server.finish().await;
}

#[actix_web::test]
async fn offer_widget_is_readable_cross_origin_without_cookies() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let games = [
        server.create_draw(club).await,
        server.create_draw(club).await,
    ];
    let id = create_offer_of_games(&server, club, "finals", &games, |_| ()).await;
    server.alice().buy(games[0], 3).await;
    let stranger = server.bob();
    for path in [
        "bundle/broncos/finals".to_string(),
        "bundle/broncos:finals".into(),
        format!("bundle/{id}"),
    ] {
        let answer = stranger.get(&format!("/api/public/widget/{path}")).await;
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert!(
            answer.header("set-cookie").is_none()
                && answer.header("access-control-allow-credentials").is_none()
        );
        let widget = answer.ok();
        assert_eq!(
            (
                &widget["type"],
                &widget["ticketsSold"],
                &widget["ticketsCap"]
            ),
            (&json!("bundle"), &json!(3), &json!(338))
        );
        assert_eq!(
            widget["purchaseUrl"],
            format!("{}/club/broncos/specials/finals?src=widget", server.url)
        );
    }
    for path in [
        "bundle/broncos/nothing",
        "bundle/nobody:finals",
        "bundle/999",
        "bundle/x",
        "club/broncos",
        "draw/x",
        "draw/999999",
    ] {
        let answer = stranger.get(&format!("/api/public/widget/{path}")).await;
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (404, Some("*")),
            "{path}"
        );
    }
    for path in [
        "/club/broncos/specials/finals/display",
        "/bundle/broncos/finals/display",
    ] {
        let board = stranger.get(path).await;
        assert!(
            board
                .header("content-security-policy")
                .is_some_and(|policy| policy.ends_with("frame-ancestors *"))
        );
        assert!(
            board.header("set-cookie").is_none() && board.text.contains("3 / 338"),
            "{path}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn captured_cart_counts_whole_offers_as_sales_and_locks_them() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let games = [
        server.create_draw(club).await,
        server.create_draw(club).await,
    ];
    let id = create_offer_of_games(&server, club, "finals", &games, |_| ()).await;
    let other = create_offer_of_games(&server, club, "other", &games[..1], |_| ()).await;
    let alice = server.alice();
    let items = json!([
        { "drawId": games[0].0, "quantity": 2, "bundleId": id },
        { "drawId": games[1].0, "quantity": 3, "bundleId": id },
    ]);
    let body = json!({ "items": items, "buyer": alice.details() });
    let opened = alice
        .post("/api/cart/create-payment-intent", body)
        .await
        .ok();
    assert_eq!(
        server.count_sales_of_offer(id).await,
        0,
        "an open order is no sale"
    );
    let pay = json!({
        "items": items, "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": crate::support::GOOD_CARD,
    });
    alice
        .post("/api/cart/complete-card-payment", pay)
        .await
        .ok();
    assert_eq!(
        server.count_sales_of_offer(id).await,
        2,
        "the cart holds the offer twice and one extra ticket"
    );
    assert_eq!(
        alice.get("/api/clubs/broncos/bundles/finals").await.ok()["status"],
        "locked"
    );
    assert_eq!(
        alice.get("/api/clubs/broncos/bundles/other").await.ok()["status"],
        "active"
    );
    assert_eq!(
        listed_offer_slugs(&alice).await,
        ["other", "finals"],
        "a locked offer is still on sale"
    );
    assert!(opened["orderToken"].is_string());
    let bob = server.bob();
    let half = json!({ "items": [{ "drawId": games[1].0, "quantity": 1, "bundleId": id }, { "drawId": games[0].0, "quantity": 0 }] });
    bob.post("/api/cart/create-payment-intent", half)
        .await
        .expect_refusal(400, "count-out-of-range");
    let half = json!([{ "drawId": games[1].0, "quantity": 1, "bundleId": id }]);
    bob.post("/api/cart/create-payment-intent", json!({ "items": half }))
        .await
        .ok();
    let pay = json!({
        "items": half, "buyer": bob.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": crate::support::GOOD_CARD,
    });
    bob.post("/api/cart/complete-card-payment", pay).await.ok();
    assert_eq!(
        (
            server.count_sales_of_offer(id).await,
            server.count_sales_of_offer(other).await
        ),
        (2, 0),
        "a part of an offer is no sale of it"
    );
    server.finish().await;
}

#[actix_web::test]
async fn share_cards_are_versioned_and_cached_forever() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let club = server.club_id("broncos");
    create_offer_of_games(&server, club, "finals", &[draw], |_| ()).await;
    let alice = server.alice();
    for path in [
        "/".to_string(),
        format!("/draw/{draw}"),
        "/club/broncos".into(),
        "/club/broncos/specials/finals".into(),
    ] {
        let page = alice.get(&path).await.text;
        let (_, rest) = page
            .split_once("og:image\" content=\"")
            .unwrap_or_else(|| panic!("no card on {path}"));
        let url = rest
            .split('"')
            .next()
            .expect("a local address")
            .replace("&amp;", "&");
        let card = url.strip_prefix(&server.url).expect("our own");
        let answer = reqwest::get(&url).await.expect("the server answers");
        assert_eq!(answer.headers()["content-type"], "image/png", "{path}");
        assert_eq!(
            answer.headers()["cache-control"],
            "public, max-age=31536000, immutable",
            "{card}"
        );
        assert!(answer.headers().get("set-cookie").is_none());
        let bytes = answer.bytes().await.expect("the body is read");
        assert!(
            bytes.len() < 300 * 1024 && bytes.starts_with(b"\x89PNG"),
            "{path}: {}",
            bytes.len()
        );
        for meta in [
            "og:title",
            "og:description",
            "og:url",
            "og:image:width",
            "name=\"description\"",
            "rel=\"canonical\"",
        ] {
            assert!(page.contains(meta), "{path} {meta}");
        }
        let old = reqwest::get(format!("{}?v=old", url.split('?').next().expect("a path")))
            .await
            .expect("the server answers");
        assert_eq!(old.headers()["cache-control"], "public, max-age=300");
    }
    let before = alice.get(&format!("/draw/{draw}")).await.text;
    alice.buy(draw, 1).await;
    let after = alice.get(&format!("/draw/{draw}")).await.text;
    let card = |page: &str| {
        page.split_once("/og/draw/")
            .expect("a card")
            .1
            .split('"')
            .next()
            .expect("an end")
            .to_string()
    };
    assert_ne!(card(&before), card(&after), "a sale changes the card's URL");
    server.finish().await;
}

#[actix_web::test]
async fn sitemap_lists_every_indexable_page() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let club = server.club_id("broncos");
    create_offer_of_games(&server, club, "finals", &[draw], |_| ()).await;
    create_offer_of_games(&server, club, "draft", &[draw], |new| {
        new.status = "draft".into();
    })
    .await;
    let alice = server.alice();
    let robots = alice.get("/robots.txt").await;
    assert!(
        robots
            .text
            .contains(&format!("Sitemap: {}/sitemap.xml", server.url)),
        "{}",
        robots.text
    );
    let map = alice.get("/sitemap.xml").await;
    assert_eq!(
        map.header("content-type"),
        Some("application/xml; charset=utf-8")
    );
    let found: Vec<&str> = map
        .text
        .split("<loc>")
        .skip(1)
        .filter_map(|part| part.split("</loc>").next())
        .collect();
    let expected = [
        "/",
        "/club/broncos",
        "/club/broncos/specials/finals",
        &format!("/draw/{draw}"),
    ];
    assert_eq!(found, expected.map(|path| format!("{}{path}", server.url)));
    for url in found {
        let page = Buyer::send_request(
            alice.bare_request(Method::GET, url.strip_prefix(&server.url).expect("ours")),
        )
        .await;
        assert_eq!(
            (page.status, page.text.contains("noindex")),
            (200, false),
            "{url}"
        );
    }
    server.finish().await;
}
