//! A buyer: an HTTP client with cookies, and the calls that Stripe's browser library makes.

use std::sync::Arc;
use std::time::Duration;

use domain::DrawId;
use reqwest::Method;
use reqwest::cookie::{CookieStore, Jar};
use serde_json::{Value, json};

use super::GOOD_CARD;
use super::schema_check;
use super::server::eventually;

/// A person with a browser: the details to enter in forms, an HTTP client and its cookie jar.
pub struct Buyer {
    pub name: &'static str,
    pub email: &'static str,
    pub phone: &'static str,
    url: String,
    http: reqwest::Client,
    jar: Arc<Jar>,
}

/// The server's response to an API call.
#[derive(Debug)]
pub struct ApiResponse {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl ApiResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("no JSON: {} {}", self.status, self.text))
    }

    /// Returns the JSON body of a successful response, or null if the body is empty. Panics on a
    /// refusal.
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

    /// Asserts status and error code, and that there is a message. Returns the JSON body.
    #[track_caller]
    pub fn expect_refusal(self, status: u16, code: &str) -> Value {
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
            Some(body["requestId"].as_str().expect("the id is text")),
            self.header("x-request-id")
        );
        body
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A payment intent with the data that the browser received.
#[derive(Clone, Debug)]
pub struct Intent {
    pub body: Value,
}

impl Intent {
    pub fn id(&self) -> &str {
        self.body["paymentIntentId"]
            .as_str()
            .expect("the id is text")
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

/// The server closes an idle connection after five seconds. A request that was sent at that moment
/// would fail, so the client gives up an idle connection earlier.
const IDLE_CONNECTION_KEPT_FOR: Duration = Duration::from_secs(1);

impl Buyer {
    pub fn new(url: &str, name: &'static str, email: &'static str, phone: &'static str) -> Buyer {
        let jar = Arc::new(Jar::default());
        let http = reqwest::Client::builder()
            .cookie_provider(jar.clone())
            .pool_idle_timeout(IDLE_CONNECTION_KEPT_FOR)
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

    /// Returns the browser's `Cookie` header, for calls that another HTTP client makes.
    pub fn cookies(&self) -> String {
        let url = self.url.parse().expect("a local address");
        let cookies = self.jar.cookies(&url);
        cookies
            .map(|value| value.to_str().expect("the text is UTF-8").to_string())
            .unwrap_or_default()
    }

    /// Makes an API call with the headers that the site's own pages send.
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> ApiResponse {
        let request = self
            .http
            .request(method, format!("{}{path}", self.url))
            .header("origin", &self.url);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        Buyer::send_request(request).await
    }

    /// Sends a request, and checks the response against the `OpenAPI` document.
    pub async fn send_request(request: reqwest::RequestBuilder) -> ApiResponse {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_string());
        let response = client.execute(request).await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a text");
        let is_json = headers
            .get("content-type")
            .is_some_and(|kind| kind == "application/json");
        schema_check::assert_matches_openapi(&method, &path, status, is_json, &text);
        ApiResponse {
            status,
            headers,
            text,
        }
    }

    /// Creates a request without the headers that the site's own pages send.
    pub fn bare_request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    pub async fn get(&self, path: &str) -> ApiResponse {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        self.call(Method::POST, path, Some(&body)).await
    }

    /// Returns the buyer's details as the forms send them.
    pub fn details(&self) -> Value {
        json!({ "buyerName": self.name, "buyerEmail": self.email, "buyerPhone": self.phone })
    }

    /// Requests a payment for tickets of one draw.
    pub async fn request_intent(&self, draw: DrawId, count: u16) -> ApiResponse {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count, "buyer": self.details() });
        self.post("/api/create-payment-intent", body).await
    }

    /// Opens a payment for tickets of one draw, and asserts success.
    pub async fn open_intent(&self, draw: DrawId, count: u16) -> Intent {
        Intent {
            body: self.request_intent(draw, count).await.ok(),
        }
    }

    /// Requests one payment for tickets of several draws.
    pub async fn request_cart_intent(&self, lines: &[(DrawId, u16)]) -> ApiResponse {
        let body = json!({ "items": cart_request_items(lines), "buyer": self.details() });
        self.post("/api/cart/create-payment-intent", body).await
    }

    /// Confirms the intent with the publishable key and the client secret, like Stripe's browser
    /// library.
    pub async fn confirm(&self, intent: &Intent, method: &str) -> ApiResponse {
        let path = format!("/sandbox/stripe/v1/payment_intents/{}/confirm", intent.id());
        let body = format!("client_secret={}&payment_method={method}", intent.secret());
        self.post_to_provider(&path, intent, body).await
    }

    /// Creates a payment method for a card number, like Stripe's browser library. `more` is
    /// appended to the form. Returns the method's id.
    pub async fn create_payment_method(&self, intent: &Intent, number: &str, more: &str) -> String {
        let card = format!(
            "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=2040&card[cvc]=123{more}"
        );
        let made = self
            .post_to_provider("/sandbox/stripe/v1/payment_methods", intent, card)
            .await
            .ok();
        made["id"].as_str().expect("the id is text").to_string()
    }

    /// Creates a confirmation token for a card number and the amount of the intent, like Stripe's
    /// browser library. Returns the token's id.
    pub async fn create_confirmation_token(&self, intent: &Intent, number: &str) -> String {
        let amount = intent.body["amount"].as_i64().expect("an amount");
        let form = format!(
            "payment_method_data[type]=card&payment_method_data[card][number]={number}\
             &payment_method_data[card][exp_month]=12&payment_method_data[card][exp_year]=2040\
             &payment_method_data[card][cvc]=123&client_context[mode]=payment\
             &client_context[amount]={amount}&client_context[currency]=aud\
             &client_context[capture_method]=manual"
        );
        let made = self
            .post_to_provider("/sandbox/stripe/v1/confirmation_tokens", intent, form)
            .await
            .ok();
        made["id"].as_str().expect("the id is text").to_string()
    }

    /// Answers the bank's 3-D Secure challenge. `outcome` is `complete` or `fail`.
    pub async fn answer_3ds_challenge(&self, intent: &Intent, outcome: &str) -> ApiResponse {
        let path = format!(
            "/sandbox/stripe/v1/payment_intents/{}/authenticate",
            intent.id()
        );
        self.post_to_provider(
            &path,
            intent,
            format!("client_secret={}&outcome={outcome}", intent.secret()),
        )
        .await
    }

    /// Posts a form to the sandbox's Stripe API with the publishable key.
    async fn post_to_provider(&self, path: &str, intent: &Intent, body: String) -> ApiResponse {
        let account = intent.body["connectedAccountId"]
            .as_str()
            .expect("an account");
        let request = self
            .bare_request(Method::POST, path)
            .bearer_auth("pk_test_demo")
            .header("stripe-account", account);
        Buyer::send_request(
            request
                .header("content-type", "application/x-www-form-urlencoded")
                .body(body),
        )
        .await
    }

    /// Confirms the intent with a card that is approved, and asserts that it is authorised.
    pub async fn authorise(&self, intent: &Intent) {
        let confirmed = self.confirm(intent, GOOD_CARD).await.ok();
        assert_eq!(confirmed["status"], "requires_capture");
    }

    /// Calls the route that completes a purchase by the draw page's card form.
    pub async fn complete_card_purchase(
        &self,
        draw: DrawId,
        count: u16,
        intent: &Intent,
    ) -> ApiResponse {
        let body = json!({
            "drawNumber": draw.0, "ticketCount": count, "paymentIntentId": intent.id(), "buyer": self.details(),
            "orderToken": intent.token(),
        });
        self.post("/api/complete-card-payment", body).await
    }

    /// Calls the route that completes a purchase on the checkout page, with both consents.
    pub async fn complete_checkout_purchase(
        &self,
        draw: DrawId,
        count: u16,
        intent: &Intent,
    ) -> ApiResponse {
        let body = json!({
            "drawNumber": draw.0, "ticketCount": count, "paymentIntentId": intent.id(), "buyer": self.details(),
            "ageConfirmation": true, "termsAgreement": true, "expectedAmount": intent.amount(),
            "orderToken": intent.token(),
        });
        self.post("/api/purchase-tickets", body).await
    }

    /// Buys tickets in one order without giving buyer details. Returns the response.
    pub async fn buy_without_details(&self, draw: DrawId, count: u16) -> Value {
        let body = json!({ "drawNumber": draw.0, "ticketCount": count });
        let intent = Intent {
            body: self.post("/api/create-payment-intent", body).await.ok(),
        };
        self.authorise(&intent).await;
        let paid = json!({
            "drawNumber": draw.0, "ticketCount": count, "paymentIntentId": intent.id(),
        });
        self.post("/api/complete-card-payment", paid).await.ok()
    }

    /// Opens, authorises and completes a purchase, and asserts success. Returns the intent and the
    /// response.
    pub async fn buy(&self, draw: DrawId, count: u16) -> (Intent, Value) {
        let intent = self.open_intent(draw, count).await;
        self.authorise(&intent).await;
        let bought = self
            .complete_checkout_purchase(draw, count, &intent)
            .await
            .ok();
        assert_eq!(
            (bought["success"].as_bool(), bought["status"].as_str()),
            (Some(true), Some("succeeded")),
            "{bought}"
        );
        (intent, bought)
    }

    /// Returns the order of the intent, as its page requests it.
    pub async fn fetch_order_of(&self, intent: &Intent) -> Value {
        self.get(&format!("/api/orders/{}", intent.token()))
            .await
            .ok()
    }

    /// Waits until the intent's order has this status, and returns the order.
    pub async fn wait_for_status(&self, intent: &Intent, status: &str) -> Value {
        eventually(&format!("{} sees {status}", self.name), async || {
            let order = self.fetch_order_of(intent).await;
            (order["status"] == status).then_some(order)
        })
        .await
    }

    /// Signs in with an e-mail address and a password.
    pub async fn sign_in(&self, email: &str, password: &str) -> ApiResponse {
        self.post(
            "/api/clubs/login",
            json!({ "email": email, "password": password }),
        )
        .await
    }
}

/// Converts draws and counts into the items of a cart request.
pub fn cart_request_items(lines: &[(DrawId, u16)]) -> Vec<Value> {
    lines
        .iter()
        .map(|(draw, count)| json!({ "drawId": draw.0, "quantity": count }))
        .collect()
}
