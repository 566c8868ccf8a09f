//! Pages as a browser's first request and a search engine meet them.

use server::routes::machine::shell::address::{PAGES, Page, Shows};

use crate::support::{Buyer, TestServer};

/// What a redirect says, without following it.
async fn leads(server: &TestServer, path: &str) -> (u16, String) {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let answer = Buyer::sent(client.get(format!("{}{path}", server.url))).await;
    (
        answer.status,
        answer.header("location").unwrap_or_default().to_string(),
    )
}

fn boot(text: &str) -> serde_json::Value {
    let (_, rest) = text.split_once("id=\"boot\">").expect("boot data");
    serde_json::from_str(rest.split_once("</script>").expect("its end").0).expect("JSON")
}

#[actix_web::test]
async fn every_page_of_the_table_is_there_and_says_whether_it_may_be_found() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let order = alice.buys(draw, 1).await.0;
    for address in PAGES
        .iter()
        .filter(|address| !matches!(address.shows, Shows::Offer | Shows::OfferBoard))
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
            Shows::ToOffer | Shows::ToDraw | Shows::ToCheckout
        ) {
            continue;
        }
        let page = Page::of(&path).expect("a page");
        let answer = alice.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            answer
                .header("content-type")
                .is_some_and(|said| said.starts_with("text/html")),
            "{path}"
        );
        assert_eq!(
            answer.text.contains("content=\"noindex\""),
            !page.is_found(),
            "{path}"
        );
        assert_eq!(
            answer.text.contains("rel=\"canonical\""),
            page.is_found(),
            "{path}"
        );
        let policy = answer.header("content-security-policy").expect("a policy");
        assert_eq!(
            policy.ends_with("frame-ancestors *"),
            page.is_framed_by_anyone(),
            "{path}"
        );
        let kept = if page.is_private() {
            "no-store"
        } else {
            "no-cache"
        };
        assert_eq!(answer.header("cache-control"), Some(kept), "{path}");
        let boot = boot(&answer.text);
        assert!(boot["config"].is_object(), "{path}");
        if page.is_desk() {
            let mut told: Vec<&String> = boot.as_object().expect("fields").keys().collect();
            told.sort_unstable();
            assert_eq!(
                told,
                ["config", "maintenanceMode", "now"],
                "{path} tells nothing before anyone signed in"
            );
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn what_is_not_there_says_so_with_its_status() {
    let server = TestServer::start().await;
    server.game().await;
    let alice = server.alice();
    for (path, words) in [
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
            answer.text.contains(&format!("<h1>{words}</h1>")),
            "{path}: {}",
            answer.text
        );
        assert!(answer.text.contains("content=\"noindex\""), "{path}");
    }
    let posted = alice.post("/draw/1001", serde_json::json!({})).await;
    assert_eq!(posted.status, 404, "a page takes no calls");
    server.finish().await;
}

#[actix_web::test]
async fn short_links_lead_on_and_keep_what_the_board_said() {
    let server = TestServer::start().await;
    let draw = server.game().await;
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
        assert_eq!(leads(&server, &path).await, (302, to), "{path}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_club_is_found_under_its_present_slug_only() {
    let server = TestServer::start().await;
    server.game().await;
    let answer = server.alice().get("/club/BRONCOS/").await;
    assert_eq!(answer.status, 200);
    let canonical = format!("rel=\"canonical\" href=\"{}/club/broncos\"", server.url);
    assert!(answer.text.contains(&canonical), "{}", answer.text);
    server.finish().await;
}

/// The same words that `web/src/app/routes` writes into the window's title a moment later.
#[actix_web::test]
async fn every_public_page_is_called_what_it_stays_called() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.offer("finals", draw).await;
    let alice = server.alice();
    let order = alice.buys(draw, 1).await.0;
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
async fn a_page_carries_what_its_first_render_needs() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await.id;
    let draw = server
        .draw_with(club, |draw| draw.pass_card_fee = true)
        .await;
    server.offer("finals", draw).await;
    let alice = server.alice();
    for path in [
        "/club/broncos/specials/finals",
        "/club/broncos/offer/finals",
    ] {
        let page = alice.get(path).await.text;
        let boot = boot(&page);
        assert_eq!(boot["offer"]["slug"], "finals", "{path}");
        let dress = &boot["clubMeta"];
        assert_eq!(
            (
                &dress["primaryColor"],
                &dress["secondaryColor"],
                &dress["accentColor"]
            ),
            (&"#1f2937".into(), &"#374151".into(), &"#3b82f6".into()),
            "{path}"
        );
        assert!(
            page.contains("From $5.39") && page.contains("canonical\" href=\""),
            "{path}: the fee is in it"
        );
    }
    let boot_of = async |path: String| boot(&alice.get(&path).await.text);
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
async fn every_short_link_ends_on_a_page_that_is_there() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.offer("finals", draw).await;
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
