use crate::support::SandboxProvider;

#[actix_web::test]
async fn pages_and_script_reference_no_other_host() {
    let provider = SandboxProvider::start();
    for path in [
        "",
        "mailbox",
        "stripe.js",
        "page.css",
        "index.js",
        "mailbox.js",
    ] {
        let page = provider.fetch_sandbox_page(path).await;
        assert_eq!(page.status(), 200, "{path}");
        let text = page.text().await.unwrap();
        for elsewhere in ["https://", "//js.stripe.com", "//fonts."] {
            assert!(!text.contains(elsewhere), "{path} mentions {elsewhere}");
        }
    }
    let front = provider.fetch_sandbox_page("").await;
    assert!(
        front.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("script-src 'self'")
    );
    assert!(front.text().await.unwrap().contains("4242 4242 4242 4242"));
}

#[actix_web::test]
async fn stripe_script_defines_what_the_react_wrapper_needs() {
    let provider = SandboxProvider::start();
    let script = provider.fetch_sandbox_page("stripe.js").await;
    assert!(
        script.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/javascript")
    );
    let script = script.text().await.unwrap();
    for needed in [
        "window.Stripe = Stripe;",
        "Stripe.version = \"endive\";",
        "confirmCardPayment:",
        "createToken:",
    ] {
        assert!(script.contains(needed), "{needed}");
    }
}
