//! Acts at Stripe directly with the platform's key, like a person with Stripe's dashboard. The
//! server does not take part.

use domain::{Cents, FeePolicy};
use reqwest::Method;
use serde_json::{Value, json};

use super::server::TestServer;
use super::{Buyer, GOOD_CARD};

pub struct StripeDashboard<'a> {
    server: &'a TestServer,
    browser: Buyer,
    account: &'static str,
}

impl StripeDashboard<'_> {
    /// Returns the dashboard for the account of the club `broncos`.
    pub fn open(server: &TestServer) -> StripeDashboard<'_> {
        StripeDashboard {
            server,
            browser: server.alice(),
            account: "acct_broncos",
        }
    }

    async fn post_form(&self, path: &str, form: &str) -> Value {
        let request = self
            .browser
            .bare_request(Method::POST, &format!("/sandbox/stripe/v1/{path}"));
        let request = request
            .bearer_auth("sk_test_demo")
            .header("stripe-account", self.account);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_string());
        Buyer::send_request(request).await.ok()
    }

    /// Captures a payment without a fee. An earlier payment with a fee, in the account of a club that
    /// has left, tells the server which application the platform is. The payment's metadata names an
    /// order, which need not exist, and its draws.
    pub async fn take_payment(&self, order: &str, draws: &str, cents: i64) -> String {
        let earlier_club = StripeDashboard {
            server: self.server,
            browser: self.server.alice(),
            account: "acct_earlier_club",
        };
        self.server
            .sandbox
            .ensure_account(earlier_club.account, "Earlier Club")
            .expect("no journal");
        earlier_club.take_payment_with_fee("-", "-", 500).await;
        let id = self.authorise_payment(order, draws, cents).await;
        self.capture(&id).await;
        id
    }

    /// Captures a payment with the platform's fee, like a server that lost its database afterwards.
    pub async fn take_payment_with_fee(&self, order: &str, draws: &str, cents: i64) -> String {
        let id = self.authorise_payment(order, draws, cents).await;
        let fee = FeePolicy::DEFAULT.fee_on_revenue(Cents(cents)).0;
        self.post_form(
            &format!("payment_intents/{id}/capture"),
            &format!("application_fee_amount={fee}"),
        )
        .await;
        id
    }

    async fn authorise_payment(&self, order: &str, draws: &str, cents: i64) -> String {
        let form = format!(
            "amount={cents}&currency=aud&capture_method=manual&automatic_payment_methods[enabled]=true\
             &metadata[football_doubles_order]={order}&metadata[football_doubles_draws]={draws}"
        );
        let intent = self.post_form("payment_intents", &form).await;
        let id = intent["id"].as_str().expect("the id is text").to_string();
        self.post_form(
            &format!("payment_intents/{id}/confirm"),
            &format!("payment_method={GOOD_CARD}"),
        )
        .await;
        id
    }

    /// Captures an authorised payment without a fee.
    pub async fn capture(&self, id: &str) {
        self.post_form(&format!("payment_intents/{id}/capture"), "")
            .await;
    }

    /// Refunds a payment in full.
    pub async fn refund(&self, id: &str) {
        self.post_form("refunds", &format!("payment_intent={id}"))
            .await;
    }

    /// Loses all webhooks from now on, and injects the given faults in addition.
    pub async fn set_faults(&self, next: Value) {
        let faults = json!({ "webhook": { "lost": 1.0 }, "next": next });
        self.browser.post("/sandbox/faults", faults).await.ok();
    }

    /// Returns the row of a payment in the response of `/sandbox/ledger?detail=1`.
    pub async fn ledger_row(&self, id: &str) -> Value {
        let ledger = self
            .server
            .alice()
            .get("/sandbox/ledger?detail=1")
            .await
            .ok();
        let rows = ledger["captured"].as_array().cloned().unwrap_or_default();
        rows.into_iter()
            .find(|row| row["paymentIntent"] == id)
            .unwrap_or_else(|| panic!("{id} was never captured"))
    }
}
