//! A buyer: a browser with its cookie, and the provider's library in it.

use std::sync::Arc;

use domain::DrawId;
use reqwest::Method;
use reqwest::cookie::{CookieStore, Jar};
use serde_json::{Value, json};

use super::GOOD_CARD;
use super::server::eventually;
use super::shape;

pub struct Buyer {
    pub name: &'static str,
    pub email: &'static str,
    pub phone: &'static str,
    url: String,
    http: reqwest::Client,
    jar: Arc<Jar>,
}

/// What a call answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("no JSON: {} {}", self.status, self.text))
    }

    /// A good answer's body.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{} {}",
            self.status,
            self.text
        );
        if self.text.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }

    /// A refusal's body.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert!(
            body["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{body}"
        );
        assert_eq!(
            Some(body["requestId"].as_str().expect("an id")),
            self.header("x-request-id")
        );
        body
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A payment intent as the browser got it.
#[derive(Clone, Debug)]
pub struct Intent {
    pub body: Value,
}

impl Intent {
    pub fn id(&self) -> &str {
        self.body["paymentIntentId"].as_str().expect("an id")
    }

    pub fn secret(&self) -> &str {
        self.body["clientSecret"].as_str().expect("a secret")
    }

    pub fn token(&self) -> &str {
        self.body["orderToken"].as_str().expect("a token")
    }

    pub fn amount(&self) -> i64 {
        self.body["amount"].as_i64().expect("cents")
    }
}

impl Buyer {
    pub fn new(url: &str, name: &'static str, email: &'static str, phone: &'static str) -> Buyer {
        let jar = Arc::new(Jar::default());
        let http = reqwest::Client::builder()
            .cookie_provider(jar.clone())
            .build()
            .expect("a browser");
        Buyer {
            name,
            email,
            phone,
            url: url.to_string(),
            http,
            jar,
        }
    }

    /// What the browser sends along with every call, for a call that is made without it.
    pub fn cookies(&self) -> String {
        let url = self.url.parse().expect("an address");
        let cookies = self.jar.cookies(&url);
        cookies
            .map(|value| value.to_str().expect("text").to_string())
            .unwrap_or_default()
    }

    /// A call as our own pages make it.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let request = self
            .http
            .request(method, format!("{}{path}", self.url))
            .header("origin", &self.url);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        Buyer::sent(request).await
    }

    /// Sends it, and holds the answer against the description of the call.
    pub async fn sent(request: reqwest::RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_string());
        let response = client.execute(request).await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a text");
        let is_json = headers
            .get("content-type")
            .is_some_and(|kind| kind == "application/json");
        shape::check(&method, &path, status, is_json, &text);
        Answer {
            status,
            headers,
            text,
        }
    }

    /// A call without the headers our pages send.
    pub fn raw(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(&body)).await
    }

    pub fn details(&self) -> Value {
        json!({ "buyerName": self.name, "buyerEmail": self.email, "buyerPhone": self.phone })
    }

    pub async fn ask(&self, draw: DrawId, count: u16) -> Answer {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count, "buyer": self.details() });
        self.post("/api/create-payment-intent", body).await
    }

    pub async fn intent(&self, draw: DrawId, count: u16) -> Intent {
        Intent {
            body: self.ask(draw, count).await.ok(),
        }
    }

    pub async fn ask_for_cart(&self, lines: &[(DrawId, u16)]) -> Answer {
        let body = json!({ "items": items(lines), "buyer": self.details() });
        self.post("/api/cart/create-payment-intent", body).await
    }

    /// What the provider's library does in the browser: confirm with the publishable key and the client secret.
    pub async fn confirm(&self, intent: &Intent, method: &str) -> Answer {
        let path = format!("/sandbox/stripe/v1/payment_intents/{}/confirm", intent.id());
        let body = format!("client_secret={}&payment_method={method}", intent.secret());
        self.provider(&path, intent, body).await
    }

    /// A payment method of a typed card, or of a wallet's, as the provider's library makes one.
    pub async fn method(&self, intent: &Intent, number: &str, more: &str) -> String {
        let card = format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=2040&card[cvc]=123{more}"
        );
        let made = self
            .provider("/sandbox/stripe/v1/payment_methods", intent, card)
            .await
            .ok();
        made["id"].as_str().expect("an id").to_string()
    }

    /// The bank's own page after a 3-D Secure challenge.
    pub async fn authenticate(&self, intent: &Intent, outcome: &str) -> Answer {
        let path = format!(
            "/sandbox/stripe/v1/payment_intents/{}/authenticate",
            intent.id()
        );
        self.provider(
            &path,
            intent,
            format!("client_secret={}&outcome={outcome}", intent.secret()),
        )
        .await
    }

    async fn provider(&self, path: &str, intent: &Intent, body: String) -> Answer {
        let account = intent.body["connectedAccountId"]
            .as_str()
            .expect("an account");
        let request = self
            .raw(Method::POST, path)
            .bearer_auth("pk_test_demo")
            .header("stripe-account", account);
        Buyer::sent(
            request
                .header("content-type", "application/x-www-form-urlencoded")
                .body(body),
        )
        .await
    }

    pub async fn authorise(&self, intent: &Intent) {
        let confirmed = self.confirm(intent, GOOD_CARD).await.ok();
        assert_eq!(confirmed["status"], "requires_capture");
    }

    /// The card form's completion call.
    pub async fn complete(&self, draw: DrawId, count: u16, intent: &Intent) -> Answer {
        let body = json!({
            "drawNumber": draw.0, "ticketCount": count, "paymentIntentId": intent.id(), "buyer": self.details(),
        });
        self.post("/api/complete-card-payment", body).await
    }

    /// The checkout page's completion call, both boxes ticked.
    pub async fn purchase(&self, draw: DrawId, count: u16, intent: &Intent) -> Answer {
        let body = json!({
            "drawNumber": draw.0, "ticketCount": count, "paymentIntentId": intent.id(), "buyer": self.details(),
            "ageConfirmation": true, "termsAgreement": true, "expectedAmount": intent.amount(),
        });
        self.post("/api/purchase-tickets", body).await
    }

    /// The whole way, as the checkout page goes it.
    pub async fn buys(&self, draw: DrawId, count: u16) -> (Intent, Value) {
        let intent = self.intent(draw, count).await;
        self.authorise(&intent).await;
        let bought = self.purchase(draw, count, &intent).await.ok();
        assert_eq!(
            (bought["success"].as_bool(), bought["status"].as_str()),
            (Some(true), Some("succeeded")),
            "{bought}"
        );
        (intent, bought)
    }

    pub async fn order(&self, intent: &Intent) -> Value {
        self.get(&format!("/api/orders/{}", intent.token()))
            .await
            .ok()
    }

    /// Waits until the order's page says so.
    pub async fn sees(&self, intent: &Intent, status: &str) -> Value {
        eventually(&format!("{} sees {status}", self.name), async || {
            let order = self.order(intent).await;
            (order["status"] == status).then_some(order)
        })
        .await
    }

    pub async fn signs_in(&self, email: &str, password: &str) -> Answer {
        self.post(
            "/api/clubs/login",
            json!({ "email": email, "password": password }),
        )
        .await
    }
}

pub fn items(lines: &[(DrawId, u16)]) -> Vec<Value> {
    lines
        .iter()
        .map(|(draw, count)| json!({ "drawId": draw.0, "quantity": count }))
        .collect()
}
