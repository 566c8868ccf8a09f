//! Tests what server-rendered pages contain, and that a name cannot inject HTML or scripts.

use domain::Timestamp;
use serde_json::json;

use super::*;
use crate::api::draw::Draw;

const NOW: Timestamp = Timestamp(1_795_157_760_000);

fn draw(home: &str) -> Draw {
    Draw {
        id: 1042,
        draw_number: 1042,
        serial_number: "FD-1042".to_string(),
        league: Some("Queensland Cup".to_string()),
        home_team: home.to_string(),
        away_team: "Wynnum Tigers".to_string(),
        club_id: 1,
        club_slug: "redcliffe-sharks".to_string(),
        club_name: "Redcliffe Sharks".to_string(),
        club_primary_color: "#0b2e6b".to_string(),
        club_accent_color: "#ffc72c".to_string(),
        club_logo_url: None,
        game_date: "2026-11-20T09:10:00Z".to_string(),
        timezone: "Australia/Brisbane".to_string(),
        game_time: "19:10:00".to_string(),
        opens_at: None,
        ticket_price: "5.00".to_string(),
        tickets_sold: 113,
        tickets_held: 0,
        tickets_available: 56,
        status: "active",
        prize_percentage: 50,
        round_up_prize: true,
        pass_stripe_fees: true,
        archived: false,
        home_first_try_scorer: None,
        away_first_try_scorer: None,
        winning_ticket_serial: None,
        winning_ticket_sold: None,
        current_prize: "290.00".to_string(),
        max_prize: "430.00".to_string(),
        commitment: "00".repeat(32),
        revision: 7,
        contact_name: None,
        contact_phone: None,
        connected_account_id: None,
        club_selling: Some(true),
    }
}

fn frame() -> PageLayout {
    PageLayout {
        navigation: HeaderLinks::Plain,
        support_email: "support@demo.test".to_string(),
        support_sms: "0400 000 000".to_string(),
        maintenance: false,
    }
}

fn head() -> PageHead {
    PageHead {
        title: "Redcliffe Sharks v Wynnum Tigers".to_string(),
        description: "Prize pool $290".to_string(),
        canonical: Some("http://localhost:8080/draw/1042".to_string()),
        image: Some("http://localhost:8080/og/draw/1042?v=1".to_string()),
        theme: THEME_COLOUR.to_string(),
    }
}

fn page(body: &PageBody<'_>, boot: &Value) -> String {
    render_document(
        &WebBuild::default(),
        "/draw/{n}",
        &head(),
        &frame(),
        body,
        boot,
    )
    .expect("a page")
}

#[test]
fn draw_page_shows_price_prize_and_sales() {
    let face = DrawTexts::new(&draw("Redcliffe Sharks"), NOW);
    let html = page(&PageBody::Draw(&face), &json!({}));
    for words in [
        "<title>Redcliffe Sharks v Wynnum Tigers</title>",
        "rel=\"canonical\" href=\"http://localhost:8080/draw/1042\"",
        "property=\"og:title\"",
        "Active",
        "2h 14m to kick-off",
        "Redcliffe Sharks<span class=\"v\"> v </span>Wynnum Tigers",
        "Queensland Cup · Fri 20 Nov 2026, 7:10\u{a0}pm AEST · $5.00 + $0.39 fee = $5.39</p>",
        "<dd>$290<span class=\"cents\">.00</span></dd>",
        "113/169",
        "<dd>$430<span class=\"cents\">.00</span></dd>",
        "--part:0.6686",
        "66.9%",
        "href=\"mailto:support@demo.test\"",
        "href=\"sms:0400000000\"",
        "<noscript>",
    ] {
        assert!(html.contains(words), "{words} is missing in\n{html}");
    }
}

#[test]
fn name_cannot_close_the_boot_data_script() {
    let evil = "</script><script>alert(1)</script>";
    let face = DrawTexts::new(&draw(evil), NOW);
    let html = page(
        &PageBody::Draw(&face),
        &json!({ "draw": { "homeTeam": evil } }),
    );
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(html.contains("\\u003c/script\\u003e"));
    let boot = html
        .split("id=\"boot\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next())
        .expect("the data");
    let parsed: Value = serde_json::from_str(boot).expect("still JSON");
    assert_eq!(parsed["draw"]["homeTeam"], evil);
}

#[test]
fn every_not_buyable_state_has_its_panel() {
    for (status, sold, words) in [
        ("active", 169, "Sold Out!"),
        (
            "closed",
            12,
            "This draw has closed as the game has started.",
        ),
        ("completed", 12, "Draw Completed"),
        ("cancelled", 12, "Draw cancelled"),
    ] {
        let mut draw = draw("Sharks");
        (draw.status, draw.tickets_sold, draw.tickets_available) = (status, sold, 169 - sold);
        let html = page(&PageBody::Draw(&DrawTexts::new(&draw, NOW)), &json!({}));
        assert!(
            html.contains(words) && !html.contains("form-skeleton"),
            "{status}: {words}"
        );
    }
}

#[test]
fn cancelled_draw_shows_no_prize_anywhere() {
    let mut off = draw("Sharks");
    off.status = "cancelled";
    let face = DrawTexts::new(&off, NOW);
    let hero = page(&PageBody::Draw(&face), &json!({}));
    for words in [
        "<dt>Prize pool</dt><dd>None</dd>",
        "<dt>Tickets</dt><dd>Refunded</dd>",
    ] {
        assert!(hero.contains(words), "{words} is missing in\n{hero}");
    }
    let board = page(&PageBody::Board(&face), &json!({}));
    let main_part = |html: &str| html.split("<main").nth(1).expect("a page").to_string();
    for said in [main_part(&hero), main_part(&board), face.summary()] {
        assert!(
            !said.contains("$290") && !said.contains("$430"),
            "a prize is shown in\n{said}"
        );
    }
    assert!(
        face.summary().contains("Every ticket is refunded."),
        "{}",
        face.summary()
    );
}

#[test]
fn scheduled_and_reserved_draws_are_explained_without_scripts() {
    let mut later = draw("Sharks");
    later.opens_at = Some("2026-11-20T08:00:00Z".to_string());
    let face = DrawTexts::new(&later, NOW);
    for html in [
        page(&PageBody::Draw(&face), &json!({})),
        page(
            &PageBody::Landing {
                draws: std::slice::from_ref(&face),
            },
            &json!({}),
        ),
    ] {
        assert!(
            html.contains("On sale from Fri 20 Nov 2026, 6:00\u{a0}pm AEST"),
            "{html}"
        );
        assert!(
            !html.contains("Buy Now") && !html.contains("form-skeleton"),
            "{html}"
        );
    }
    let mut reserved = draw("Sharks");
    (
        reserved.tickets_sold,
        reserved.tickets_held,
        reserved.tickets_available,
    ) = (160, 9, 0);
    let html = page(&PageBody::Draw(&DrawTexts::new(&reserved, NOW)), &json!({}));
    assert!(
        html.contains("Every ticket is taken for now") && !html.contains("have been sold"),
        "{html}"
    );
    for draw in [&mut later, &mut reserved] {
        draw.club_selling = Some(false);
        let html = page(&PageBody::Draw(&DrawTexts::new(draw, NOW)), &json!({}));
        assert!(
            html.contains("This club is not selling tickets at the moment."),
            "{html}"
        );
    }
}

fn offer() -> OfferTexts {
    let game = offer_first_paint::OfferGameTexts {
        number: 1042,
        teams: "Sharks v Tigers".to_string(),
        when: "Fri 20 Nov 2026, 7:10\u{a0}pm AEST".to_string(),
        price: "$5.39".to_string(),
        figures: "Prize $290.00 · 113/169 sold".to_string(),
        state: None,
    };
    OfferTexts {
        name: "Double header".to_string(),
        slug: "double-header".to_string(),
        club: "Sharks".to_string(),
        club_slug: "sharks".to_string(),
        tag: Some("Two games, one tap".to_string()),
        copy: None,
        picture: "http://localhost:8080/og/offer/sharks/double-header?v=1".to_string(),
        games: vec![game.clone(), game],
        price: "$10.78".to_string(),
        price_parts: Some("$10.00 + $0.78 fee = $10.78".to_string()),
        left: None,
        prize_whole: "$580".to_string(),
        sold: 226,
        cap: 338,
        closed: false,
        opens: None,
    }
}

#[test]
fn offer_first_paint_matches_the_react_layout() {
    let html = page(&PageBody::Offer(&offer()), &json!({}));
    for words in [
        "<a class=\"offer-back\" href=\"/club/sharks\">← Back to Sharks</a>",
        "<img class=\"offer-picture\" src=\"http://localhost:8080/og/offer/sharks/double-header?v=1\" alt=\"\" width=\"1200\" height=\"630\">",
        "<span class=\"offer-tag\">Two games, one tap</span><h1>Double header</h1>",
        "From $10.78</h2>",
        "<p class=\"meta\">$10.00 + $0.78 fee = $10.78</p>",
        "class=\"offer-skeleton\"",
        "2 games, one ticket in each",
        "<span class=\"meta\">Prize $290.00 · 113/169 sold</span>",
        "<noscript>",
    ] {
        assert!(html.contains(words), "{words} is missing in\n{html}");
    }
    let closed = page(
        &PageBody::Offer(&OfferTexts {
            closed: true,
            ..offer()
        }),
        &json!({}),
    );
    assert!(
        closed.contains("<strong>Bundle closed</strong>") && !closed.contains("offer-skeleton"),
        "{closed}"
    );
}

#[test]
fn not_found_page_links_to_live_draws() {
    let html = page(
        &PageBody::Missing {
            heading: "Page Not Found",
            words: "",
        },
        &json!({}),
    );
    assert!(html.contains("<h1>Page Not Found</h1>") && html.contains("href=\"/#live-draws\""));
}

#[test]
fn landing_page_lists_draws_on_sale() {
    let faces = [DrawTexts::new(&draw("Redcliffe Sharks"), NOW)];
    let html = page(&PageBody::Landing { draws: &faces }, &json!({}));
    assert!(html.contains("href=\"/draw/1042\"") && html.contains("Buy Now"));
    let html = page(&PageBody::Landing { draws: &[] }, &json!({}));
    assert!(html.contains("No active draws at the moment.") && !html.contains("land-live"));
}

#[test]
fn landing_page_leads_with_the_biggest_prize_on_sale() {
    let with_prize = |home: &str, prize: &str, available| Draw {
        current_prize: prize.to_string(),
        tickets_available: available,
        ..draw(home)
    };
    let faces = [
        with_prize("Small", "100.00", 5),
        with_prize("Big", "1290.00", 5),
        with_prize("Equal", "1290.00", 5),
        with_prize("Sold out", "2000.00", 0),
    ]
    .map(|draw| DrawTexts::new(&draw, NOW));
    assert_eq!(
        DrawTexts::with_biggest_prize(&faces).map(|draw| draw.home.as_str()),
        Some("Big")
    );
    let html = page(&PageBody::Landing { draws: &faces }, &json!({}));
    let (_, featured) = html.split_once("land-live-top").expect("a live draw");
    assert!(
        featured[..1200].contains("<h3>Big v Wynnum Tigers</h3>"),
        "{featured}"
    );
}

#[test]
fn only_sandbox_stripe_script_is_in_the_page() {
    let face = DrawTexts::new(&draw("Redcliffe Sharks"), NOW);
    let tag = |address: &str| {
        let boot = json!({ "config": { "stripeJs": address } });
        let body = PageBody::Draw(&face);
        render_document(
            &WebBuild::default(),
            "/draw/{n}",
            &head(),
            &frame(),
            &body,
            &boot,
        )
        .expect("a page")
    };
    assert!(tag("/sandbox/stripe.js").contains("<script src=\"/sandbox/stripe.js\"></script>"));
    assert!(!tag("https://js.stripe.com/x.js").contains("<script src="));
}

#[test]
fn page_without_payment_form_requests_no_payment_script() {
    let face = DrawTexts::new(&draw("Redcliffe Sharks"), NOW);
    let boot = json!({ "config": { "stripeJs": "/sandbox/stripe.js" } });
    let plain = || PageBody::Plain {
        heading: "A page",
        words: "",
    };
    let is_requested = |key: &str, body: &PageBody<'_>| {
        render_document(&WebBuild::default(), key, &head(), &frame(), body, &boot)
            .expect("a page")
            .contains("<script src=\"/sandbox/stripe.js\">")
    };
    assert!(!is_requested("/draw/{n}/display", &PageBody::Board(&face)));
    assert!(!is_requested("/", &PageBody::Landing { draws: &[] }));
    for key in [
        "/privacy",
        "/my",
        "/my/{token}",
        "/thank-you",
        "/verify/{n}",
        "",
    ] {
        assert!(!is_requested(key, &plain()), "{key}");
    }
    for key in ["/checkout/{n}", "/cart/checkout", "/apple-pay-redirect"] {
        assert!(is_requested(key, &plain()), "{key}");
    }
}

#[test]
fn page_inlines_only_its_own_part_of_the_critical_css() {
    let face = DrawTexts::new(&draw("Redcliffe Sharks"), NOW);
    let part = |name: &str| (name.to_string(), format!(".{name}-part{{}}"));
    let mut site = WebBuild::default();
    site.critical_css = ".shared{}".to_string();
    site.critical_css_by_part = ["landing", "draw"].map(part).into_iter().collect();
    let html = |body: &PageBody<'_>| {
        render_document(&site, "/", &head(), &frame(), body, &json!({})).expect("a page")
    };
    let drawn = html(&PageBody::Draw(&face));
    assert!(
        drawn.contains(".shared{}.draw-part{}</style>") && !drawn.contains("landing-part"),
        "{drawn}"
    );
    assert!(html(&PageBody::Board(&face)).contains(".shared{}</style>"));
}
