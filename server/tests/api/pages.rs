//! Pages as a browser's first request and a search engine meet them.

use server::routes::machine::shell::address::{PAGES, Page, Shows};

use crate::support::{Buyer, TestServer};

/// What a redirect says, without following it.
async fn leads(server: &TestServer, path: &str) -> (u16, String) {
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let answer = Buyer::sent(client.get(format!("{}{path}", server.url))).await;
    (answer.status, answer.header("location").unwrap_or_default().to_string())
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
    for address in PAGES.iter().filter(|address| !matches!(address.shows, Shows::Offer | Shows::OfferBoard)) {
        let path = address.path.replace("{n}", &draw.to_string()).replace("{slug}", "broncos");
        let path = path.replace("{token}", order.token()).replace("{id}", "1").replace("{bundle}", "finals");
        if matches!(address.shows, Shows::ToOffer | Shows::ToDraw | Shows::ToCheckout) {
            continue;
        }
        let page = Page::of(&path).expect("a page");
        let answer = alice.get(&path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("content-type").is_some_and(|said| said.starts_with("text/html")), "{path}");
        assert_eq!(answer.text.contains("content=\"noindex\""), !page.is_found(), "{path}");
        assert_eq!(answer.text.contains("rel=\"canonical\""), page.is_found(), "{path}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert_eq!(policy.ends_with("frame-ancestors *"), page.is_framed_by_anyone(), "{path}");
        let kept = if page.is_private() { "no-store" } else { "no-cache" };
        assert_eq!(answer.header("cache-control"), Some(kept), "{path}");
        let boot = boot(&answer.text);
        assert!(boot["config"].is_object(), "{path}");
        if page.is_desk() {
            let mut told: Vec<&String> = boot.as_object().expect("fields").keys().collect();
            told.sort_unstable();
            assert_eq!(told, ["config", "maintenanceMode", "now"], "{path} tells nothing before anyone signed in");
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
        assert!(answer.text.contains(&format!("<h1>{words}</h1>")), "{path}: {}", answer.text);
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
        (format!("/w/draw:{draw}?mode=compact"), format!("/draw/{draw}?src=widget&mode=compact")),
        (format!("/w/draw%3A{draw}"), format!("/draw/{draw}?src=widget")),
        ("/w/bundle:broncos/finals".to_string(), "/club/broncos/specials/finals?src=widget".to_string()),
        (format!("/checkout?drawId={draw}&ticketCount=2"), format!("/checkout/{draw}?tickets=2")),
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
