//! Redirects never lead to another site, and no request header changes the links that the server
//! writes.

use reqwest::Method;
use reqwest::redirect::Policy;
use serde_json::json;

use crate::support::{TestServer, club};

/// Returns status and `Location` of a redirect, without following it.
async fn fetch_redirect(server: &TestServer, path: &str) -> (u16, Option<String>) {
    let browser = reqwest::Client::builder()
        .redirect(Policy::none())
        .build()
        .expect("a browser");
    let answer = browser
        .get(format!("{}{path}", server.url))
        .send()
        .await
        .expect("the server answers");
    let to = answer
        .headers()
        .get("location")
        .map(|value| value.to_str().expect("the text is UTF-8").to_string());
    (answer.status().as_u16(), to)
}

#[actix_web::test]
async fn every_redirect_stays_on_own_site() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let evil = [
        "//evil.test",
        "https://evil.test",
        "/\\evil.test",
        "https:evil.test",
        "%2f%2fevil.test",
        "javascript:alert(1)",
        "%0d%0aLocation:%20https://evil.test",
        "\\\\evil.test",
        "@evil.test",
        ".evil.test",
    ];
    let mut redirects = 0;
    for evil in evil {
        for path in [
            format!("/w/draw:{draw}?next={evil}"),
            format!("/w/draw:{draw}?src={evil}&mode={evil}"),
            format!("/w/bundle:{evil}/finals"),
            format!("/w/bundle:broncos/{evil}"),
            format!("/w/bundle:{evil}/{evil}?loc={evil}"),
            format!("/checkout?drawId={draw}&ticketCount={evil}"),
            format!("/checkout?drawId={evil}"),
            format!("/checkout?drawId={draw}&return={evil}"),
            format!("/admin/login?next={evil}"),
            format!("/admin/stripe-connect/return?to={evil}"),
            format!("/{evil}"),
            format!("/{evil}/"),
            format!("//evil.test/{evil}"),
            format!("/club/{evil}"),
        ] {
            let (status, to) = fetch_redirect(&server, &path).await;
            assert!(status < 500, "{path}: {status}");
            let Some(to) = to else { continue };
            redirects += 1;
            let page = to.split('?').next().unwrap_or_default();
            let stays = page.starts_with('/') && !page.starts_with("//") && !page.contains('\\');
            assert!(stays && !to.contains(['\r', '\n']), "{path} leads to {to}");
        }
    }
    assert!(redirects > 20, "some paths do redirect: {redirects}");
    server.finish().await;
}

/// Links in mails, QR codes and HTML heads contain the configured host, never a host from the
/// request.
#[actix_web::test]
async fn host_headers_never_change_generated_links() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let alice = server.alice();
    let forged = |path: &str, verb: Method| {
        let request = alice
            .bare_request(verb, path)
            .header("host", "evil.test")
            .header("x-forwarded-host", "evil.test");
        request
            .header("forwarded", "host=evil.test")
            .header("x-original-url", "/admin")
            .header("origin", &server.url)
    };
    let reset = forged("/api/clubs/reset-password", Method::POST)
        .json(&json!({ "email": "broncos@demo.test" }));
    assert!(
        reset
            .send()
            .await
            .expect("the server answers")
            .status()
            .is_success()
    );
    let mail = server.next_mail("reset").await;
    let link = server.mailed_link(&mail);
    assert!(
        link.starts_with(&server.url) && !link.contains("evil"),
        "{link}"
    );
    for path in [
        "/",
        "/club/broncos",
        "/sitemap.xml",
        "/robots.txt",
        "/api/config",
    ] {
        let text = forged(path, Method::GET)
            .send()
            .await
            .expect("the server answers")
            .text()
            .await
            .expect("the text is UTF-8");
        assert!(!text.contains("evil.test"), "{path}");
    }
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let id = server.club_id("broncos");
    let begun = browser
        .bare_request(Method::POST, &format!("/api/clubs/{id}/stripe-connect"))
        .header("origin", &server.url);
    let begun = begun
        .header("x-forwarded-host", "evil.test")
        .json(&json!({ "returnUrl": "https://evil.test", "refreshUrl": "https://evil.test" }));
    let text = begun
        .send()
        .await
        .expect("the server answers")
        .text()
        .await
        .expect("the text is UTF-8");
    assert!(!text.contains("evil.test"), "{text}");
    for url in [
        "https://evil.test",
        "//evil.test",
        "/\\evil.test",
        "javascript:alert(1)",
        "draw/1",
        " /draw/1",
        "/draw/1\r\nx",
    ] {
        let escaped: Vec<String> = url.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let escaped = escaped.concat();
        let refused = alice
            .bare_request(Method::GET, &format!("/api/qr.svg?url={escaped}"))
            .send()
            .await
            .expect("the server answers");
        assert_eq!(refused.status(), 400, "{url:?}");
    }
    server.finish().await;
}
