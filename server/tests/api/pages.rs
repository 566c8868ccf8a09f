//! The HTML pages as the server renders them for a first request or a search engine.

use server::render::page_address::{PAGE_PATTERNS, Page, PageKind};

use crate::support::{Buyer, TestServer};

/// Returns status and `Location` of a redirect, without following it.
async fn fetch_redirect(server: &TestServer, path: &str) -> (u16, String) {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let answer = Buyer::send_request(client.get(format!("{}{path}", server.url))).await;
    (
        answer.status,
        answer.header("location").unwrap_or_default().to_string(),
    )
}

fn parse_boot_data(text: &str) -> serde_json::Value {
    let (_, rest) = text.split_once("id=\"boot\">").expect("boot data");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("valid JSON")
}

#[actix_web::test]
async fn every_page_is_served_with_its_indexing_policy() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let order = alice.buy(draw, 1).await.0;
    for address in PAGE_PATTERNS
        .iter()
        .filter(|address| !matches!(address.shows, PageKind::Offer | PageKind::OfferBoard))
    {
        let path = address
            .path
            .replace("{n}", &draw.to_string())
            .replace("{slug}", "broncos");
        let path = path
            .replace("{token}", order.token())
            .replace("{id}", "1")
            .replace("{bundle}", "finals");
        if matches!(
            address.shows,
            PageKind::ToOffer | PageKind::ToDraw | PageKind::ToCheckout
        ) {
            continue;
        }
        let page = Page::for_path(&path).expect("a page");
        let answer = alice.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer
                .header("content-type")
                .is_some_and(|kind| kind.starts_with("text/html")),
            "{path}"
        );
        assert_eq!(
            answer.text.contains("content=\"noindex\""),
            !page.can_be_indexed(),
            "{path}"
        );
        assert_eq!(
            answer.text.contains("rel=\"canonical\""),
            page.can_be_indexed(),
            "{path}"
        );
        let policy = answer.header("content-security-policy").expect("a policy");
        assert_eq!(
            policy.ends_with("frame-ancestors *"),
            page.can_be_framed_by_any_site(),
            "{path}"
        );
        let cache_policy = if page.is_private() {
            "no-store"
        } else {
            "no-cache"
        };
        assert_eq!(answer.header("cache-control"), Some(cache_policy), "{path}");
        let boot_data = parse_boot_data(&answer.text);
        assert!(boot_data["config"].is_object(), "{path}");
        if page.is_app_shell() {
            let mut fields: Vec<&String> = boot_data.as_object().expect("fields").keys().collect();
            fields.sort_unstable();
            assert_eq!(
                fields,
                ["config", "maintenanceMode", "now"],
                "{path} shows only public data before sign-in"
            );
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn missing_pages_return_404_with_heading() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    for (path, heading) in [
        ("/nothing", "Page Not Found"),
        ("/draw/999999", "Draw Not Found"),
        ("/draw/0", "Page Not Found"),
        ("/draw/abc", "Page Not Found"),
        ("/draw/999999/display", "Draw Not Found"),
        ("/checkout/999999", "Draw Not Found"),
        ("/checkout", "Page Not Found"),
        ("/checkout?drawId=abc", "Page Not Found"),
        ("/club/nobody", "Page Not Found"),
        ("/club/nobody/admin", "Page Not Found"),
        ("/club/broncos/specials/nothing", "Special Offer Not Found"),
        ("/bundle/broncos/nothing/display", "Special Offer Not Found"),
        ("/my/0123", "Page Not Found"),
        ("/my/00000000000000000000000000000000", "Page Not Found"),
        ("/admin/nothing", "Page Not Found"),
        ("/widgets/nothing.js", "Page Not Found"),
        ("/%2e%2e/etc/passwd", "Page Not Found"),
        ("/%00", "Page Not Found"),
    ] {
        let answer = alice.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            answer.text.contains(&format!("<h1>{heading}</h1>")),
            "{path}: {}",
            answer.text
        );
        assert!(answer.text.contains("content=\"noindex\""), "{path}");
    }
    let posted = alice.post("/draw/1001", serde_json::json!({})).await;
    assert_eq!(posted.status, 404, "a page refuses a POST");
    server.finish().await;
}

#[actix_web::test]
async fn short_links_redirect_and_keep_query() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    for (path, to) in [
        (
            format!("/w/draw:{draw}?mode=compact"),
            format!("/draw/{draw}?src=widget&mode=compact"),
        ),
        (
            format!("/w/draw%3A{draw}"),
            format!("/draw/{draw}?src=widget"),
        ),
        (
            "/w/bundle:broncos/finals".to_string(),
            "/club/broncos/specials/finals?src=widget".to_string(),
        ),
        (
            format!("/checkout?drawId={draw}&ticketCount=2"),
            format!("/checkout/{draw}?tickets=2"),
        ),
    ] {
        assert_eq!(fetch_redirect(&server, &path).await, (302, to), "{path}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn club_page_has_canonical_link_to_current_slug() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let answer = server.alice().get("/club/BRONCOS/").await;
    assert_eq!(answer.status, 200);
    let canonical = format!("rel=\"canonical\" href=\"{}/club/broncos\"", server.url);
    assert!(answer.text.contains(&canonical), "{}", answer.text);
    server.finish().await;
}

/// The titles in the HTML equal those that `web/src/app/routes` sets in the browser.
#[actix_web::test]
async fn every_public_page_title_equals_browser_title() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_offer("finals", draw).await;
    let alice = server.alice();
    let order = alice.buy(draw, 1).await.0;
    for (path, title) in [
        ("/".to_string(), "Football Doubles"),
        (
            format!("/draw/{draw}"),
            "Broncos v Cowboys – Football Doubles",
        ),
        (
            format!("/draw/{draw}/display"),
            "Broncos v Cowboys – Football Doubles",
        ),
        (
            format!("/verify/{draw}"),
            "Verify draw {n} – Football Doubles",
        ),
        (
            format!("/draw/{draw}/verify"),
            "Verify draw {n} – Football Doubles",
        ),
        (format!("/checkout/{draw}"), "Checkout – Football Doubles"),
        ("/cart/checkout".into(), "Cart checkout – Football Doubles"),
        (
            "/cart-checkout-clean".into(),
            "Cart checkout – Football Doubles",
        ),
        ("/thank-you".into(), "Thank you – Football Doubles"),
        ("/apple-pay-redirect".into(), "Apple Pay – Football Doubles"),
        ("/debugcart".into(), "Cart debug console – Football Doubles"),
        ("/my".into(), "My tickets – Football Doubles"),
        (
            format!("/my/{}", order.token()),
            "My tickets – Football Doubles",
        ),
        ("/claim".into(), "Your prize – Football Doubles"),
        ("/club/broncos".into(), "broncos RLFC – Football Doubles"),
        (
            "/club/broncos/specials/finals".into(),
            "Finals – Football Doubles",
        ),
        (
            "/club/broncos/offer/finals".into(),
            "Finals – Football Doubles",
        ),
        (
            "/club/broncos/specials/finals/display".into(),
            "Finals – Football Doubles",
        ),
        (
            "/club/broncos/offer/finals/display".into(),
            "Finals – Football Doubles",
        ),
        (
            "/bundle/broncos/finals/display".into(),
            "Finals – Football Doubles",
        ),
        ("/nothing".into(), "Page Not Found – Football Doubles"),
        ("/draw/999999".into(), "Draw Not Found – Football Doubles"),
        (
            "/club/broncos/specials/x".into(),
            "Special Offer Not Found – Football Doubles",
        ),
    ] {
        let title = title.replace("{n}", &draw.to_string());
        let page = alice.get(&path).await.text;
        assert!(
            page.contains(&format!("<title>{title}</title>")),
            "{path}: {title}"
        );
        assert!(
            page.contains(&format!("og:title\" content=\"{title}\"")),
            "{path}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn page_boot_data_holds_what_first_render_needs() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await.id;
    let draw = server
        .create_draw_with(club, |draw| draw.pass_card_fee = true)
        .await;
    server.create_offer("finals", draw).await;
    let alice = server.alice();
    for path in [
        "/club/broncos/specials/finals",
        "/club/broncos/offer/finals",
    ] {
        let page = alice.get(path).await.text;
        let boot_data = parse_boot_data(&page);
        assert_eq!(boot_data["offer"]["slug"], "finals", "{path}");
        let colours = &boot_data["clubMeta"];
        assert_eq!(
            (
                &colours["primaryColor"],
                &colours["secondaryColor"],
                &colours["accentColor"]
            ),
            (&"#1f2937".into(), &"#374151".into(), &"#3b82f6".into()),
            "{path}"
        );
        assert!(
            page.contains("From $5.39") && page.contains("canonical\" href=\""),
            "{path}: the price includes the card fee"
        );
    }
    let boot_of = async |path: String| parse_boot_data(&alice.get(&path).await.text);
    assert_eq!(
        boot_of("/club/broncos".into()).await["offers"][0]["slug"],
        "finals"
    );
    assert_eq!(
        boot_of(format!("/draw/{draw}/display")).await["widget"]["type"],
        "draw"
    );
    assert_eq!(
        boot_of("/bundle/broncos/finals/display".into()).await["widget"]["type"],
        "bundle"
    );
    assert_eq!(
        boot_of(format!("/checkout/{draw}")).await["draw"]["drawNumber"],
        draw.0
    );
    server.finish().await;
}

#[actix_web::test]
async fn every_short_link_leads_to_existing_page() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_offer("finals", draw).await;
    for path in [
        format!("/w/draw:{draw}"),
        format!("/W/DRAW:{draw}/"),
        "/w/bundle:broncos/finals".to_string(),
        "/w/bundle%3Abroncos/finals?loc=bar".to_string(),
        "/w/bundle:BRONCOS/FINALS".to_string(),
        format!("/checkout?drawId={draw}&ticketCount=2"),
    ] {
        assert_eq!(server.alice().get(&path).await.status, 200, "{path}");
    }
    for path in [
        "/w/draw:999999",
        "/w/bundle:broncos/nothing",
        "/w/bundle:nobody/finals",
        "/w/x:1",
        "/w",
    ] {
        assert_eq!(server.alice().get(path).await.status, 404, "{path}");
    }
    server.finish().await;
}
