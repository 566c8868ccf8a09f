//! What somebody does past us: at the provider's own dashboard, with the platform's key, over HTTP.

use domain::{Cents, FeePolicy};
use reqwest::Method;
use serde_json::{Value, json};

use super::server::TestServer;
use super::{Buyer, GOOD_CARD};

pub struct Dashboard<'a> {
    server: &'a TestServer,
    browser: Buyer,
    account: &'static str,
}

impl Dashboard<'_> {
    /// Of the club `broncos`.
    pub fn of(server: &TestServer) -> Dashboard<'_> {
        Dashboard {
            server,
            browser: server.alice(),
            account: "acct_broncos",
        }
    }

    async fn does(&self, path: &str, form: &str) -> Value {
        let request = self
            .browser
            .raw(Method::POST, &format!("/sandbox/stripe/v1/{path}"));
        let request = request
            .bearer_auth("sk_test_demo")
            .header("stripe-account", self.account);
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_string());
        Buyer::sent(request).await.ok()
    }

    /// Takes a payment that names an order and its draws, as ours do; whether the order exists is not the provider's matter.
    pub async fn takes(&self, order: &str, draws: &str, cents: i64) -> String {
        let id = self.authorises(order, draws, cents).await;
        self.captures(&id).await;
        id
    }

    /// The same with the platform's part of it, as a server takes it whose books were lost afterwards.
    pub async fn takes_with_fee(&self, order: &str, draws: &str, cents: i64) -> String {
        let id = self.authorises(order, draws, cents).await;
        let fee = FeePolicy::DEFAULT.on(Cents(cents)).0;
        self.does(
            &format!("payment_intents/{id}/capture"),
            &format!("application_fee_amount={fee}"),
        )
        .await;
        id
    }

    async fn authorises(&self, order: &str, draws: &str, cents: i64) -> String {
        let form = format!(
            "amount={cents}&currency=aud&capture_method=manual&automatic_payment_methods[enabled]=true\
             &metadata[order_id]={order}&metadata[draws]={draws}"
        );
        let intent = self.does("payment_intents", &form).await;
        let id = intent["id"].as_str().expect("an id").to_string();
        self.does(
            &format!("payment_intents/{id}/confirm"),
            &format!("payment_method={GOOD_CARD}"),
        )
        .await;
        id
    }

    /// Takes an authorised payment, without a fee.
    pub async fn captures(&self, id: &str) {
        self.does(&format!("payment_intents/{id}/capture"), "")
            .await;
    }

    /// Gives all of a payment back.
    pub async fn gives_back(&self, id: &str) {
        self.does("refunds", &format!("payment_intent={id}")).await;
    }

    /// What goes wrong from now on; notices are lost.
    pub async fn breaks(&self, next: Value) {
        let faults = json!({ "webhook": { "lost": 1.0 }, "next": next });
        self.browser.post("/sandbox/faults", faults).await.ok();
    }

    /// Everything of one payment, as `/sandbox/ledger?detail=1` has it.
    pub async fn shows(&self, id: &str) -> Value {
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
