//! Test fixtures: a running sandbox, an API client with a key, and a webhook receiver.

use std::path::PathBuf;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use sandbox::{self, Sandbox, SandboxOptions};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

pub const CLUB_ACCOUNT_ID: &str = "acct_club";
pub const OTHER_ACCOUNT_ID: &str = "acct_other";

/// A running sandbox on a real port.
pub struct SandboxProvider {
    pub sandbox: Arc<Sandbox>,
    pub address: String,
    handle: ServerHandle,
    http: reqwest::Client,
}

#[derive(Debug)]
pub struct SandboxResponse {
    pub status: u16,
    pub replayed: bool,
    pub body: Value,
}

impl SandboxResponse {
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body
    }

    pub fn error(&self) -> &Value {
        assert!(
            self.status >= 400,
            "an error was expected, not {} {}",
            self.status,
            self.body
        );
        &self.body["error"]
    }
}

/// A request to the sandbox before it is sent. By default it uses the club's connected account and
/// the secret key.
pub struct SandboxRequest<'a> {
    provider: &'a SandboxProvider,
    builder: reqwest::RequestBuilder,
    account: Option<&'a str>,
    key: &'a str,
    /// Replaces the header that contains the key.
    authorization: Option<&'a str>,
}

impl SandboxProvider {
    pub fn start() -> Self {
        Self::open(None, SandboxOptions::default())
    }

    pub fn open(dir: Option<PathBuf>, options: SandboxOptions) -> Self {
        let sandbox = Sandbox::open(dir, options).expect("the sandbox opens");
        for account in [CLUB_ACCOUNT_ID, OTHER_ACCOUNT_ID] {
            sandbox
                .ensure_account(account, "Club")
                .expect("the journal is writable");
        }
        let served = sandbox.clone();
        let server = HttpServer::new(move || {
            App::new().configure(|cfg| sandbox::configure(cfg, served.clone()))
        })
        .workers(2)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a free port");
        let address = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self {
            sandbox,
            address,
            handle,
            http: reqwest::Client::new(),
        }
    }

    /// Stops serving and closes the journal, as if the process had died.
    pub async fn stop(self) {
        self.handle.stop(false).await;
    }

    pub fn post<'a>(&'a self, path: &str, form: &str) -> SandboxRequest<'a> {
        let url = format!("{}/sandbox/stripe/v1/{path}", self.address);
        let builder = self
            .http
            .post(url)
            .header("content-type", "application/x-www-form-urlencoded");
        SandboxRequest {
            provider: self,
            builder: builder.body(form.to_owned()),
            account: Some(CLUB_ACCOUNT_ID),
            key: "sk_test_1",
            authorization: None,
        }
    }

    /// A call of version 2 of the API with the platform's secret key.
    pub fn post_v2<'a>(&'a self, path: &str, body: &Value) -> SandboxRequest<'a> {
        let url = format!("{}/sandbox/stripe/v2/{path}", self.address);
        SandboxRequest {
            provider: self,
            builder: self
                .http
                .post(url)
                .header("stripe-version", "2026-09-30.endive")
                .json(body),
            account: None,
            key: "sk_test_1",
            authorization: None,
        }
    }

    pub fn get<'a>(&'a self, path: &str) -> SandboxRequest<'a> {
        let url = format!("{}/sandbox/stripe/v1/{path}", self.address);
        SandboxRequest {
            provider: self,
            builder: self.http.get(url),
            account: Some(CLUB_ACCOUNT_ID),
            key: "sk_test_1",
            authorization: None,
        }
    }

    pub fn delete<'a>(&'a self, path: &str) -> SandboxRequest<'a> {
        let url = format!("{}/sandbox/stripe/v1/{path}", self.address);
        SandboxRequest {
            provider: self,
            builder: self.http.delete(url),
            account: Some(CLUB_ACCOUNT_ID),
            key: "sk_test_1",
            authorization: None,
        }
    }

    /// Calls an endpoint with which the sandbox itself is controlled. Stripe has no such endpoints.
    pub async fn call_control_endpoint(&self, path: &str, body: Value) -> SandboxResponse {
        let answer = self
            .http
            .post(format!("{}/sandbox/{path}", self.address))
            .json(&body)
            .send()
            .await;
        let answer = answer.expect("an answer");
        SandboxResponse {
            status: answer.status().as_u16(),
            replayed: false,
            body: answer.json().await.expect("a JSON answer"),
        }
    }

    pub async fn fetch_sandbox_page(&self, path: &str) -> reqwest::Response {
        self.http
            .get(format!("{}/sandbox/{path}", self.address))
            .send()
            .await
            .expect("a page")
    }

    pub async fn fetch_sandbox_ledger(&self) -> Value {
        self.fetch_sandbox_page("ledger?detail=1")
            .await
            .json()
            .await
            .expect("a JSON answer")
    }

    /// Creates an unpaid payment intent of this amount in cents.
    pub async fn create_unpaid_intent(&self, amount: i64) -> Value {
        self.post(
            "payment_intents",
            &format!("amount={amount}&currency=aud&capture_method=manual"),
        )
        .send()
        .await
        .ok()
    }

    /// Creates an authorised payment intent of this amount in cents. Returns its id.
    pub async fn create_authorised_intent(&self, amount: i64) -> String {
        let intent = self.create_unpaid_intent(amount).await;
        let id = intent["id"].as_str().expect("an id").to_owned();
        let path = format!("payment_intents/{id}/confirm");
        let confirmed = self
            .post(&path, "payment_method=pm_card_visa")
            .send()
            .await
            .ok();
        assert_eq!(confirmed["status"], "requires_capture");
        id
    }

    pub async fn create_captured_intent(&self, amount: i64, fee: i64) -> String {
        let id = self.create_authorised_intent(amount).await;
        let path = format!("payment_intents/{id}/capture");
        self.post(&path, &format!("application_fee_amount={fee}"))
            .send()
            .await
            .ok();
        id
    }

    /// Returns the charge of an intent, with its related objects expanded.
    pub async fn fetch_charge(&self, intent: &str) -> Value {
        let path = format!(
            "payment_intents/{intent}?expand[]=latest_charge.balance_transaction&expand[]=latest_charge.application_fee"
        );
        self.get(&path).send().await.ok()["latest_charge"].clone()
    }
}

impl<'a> SandboxRequest<'a> {
    pub fn on_account(mut self, account: &'a str) -> Self {
        self.account = Some(account);
        self
    }

    pub fn on_platform_account(mut self) -> Self {
        self.account = None;
        self
    }

    pub fn with_publishable_key(mut self) -> Self {
        self.key = "pk_test_1";
        self
    }

    pub fn with_api_key(mut self, key: &'a str) -> Self {
        self.key = key;
        self
    }

    pub fn with_authorization(mut self, authorization: &'a str) -> Self {
        self.authorization = Some(authorization);
        self
    }

    pub fn with_version(self, version: &str) -> Self {
        self.with_header("stripe-version", version)
    }

    pub fn with_idempotency_key(self, key: &str) -> Self {
        self.with_header("idempotency-key", key)
    }

    pub fn with_fault(self, fault: &str) -> Self {
        self.with_header("x-sandbox-fault", fault)
    }

    fn with_header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    pub async fn send(self) -> SandboxResponse {
        self.try_send().await.expect("an answer")
    }

    /// Sends the request. Returns the response, or the error if the connection failed.
    pub async fn try_send(self) -> reqwest::Result<SandboxResponse> {
        let _alive = self.provider;
        let bearer = format!("Bearer {}", self.key);
        let authorization = self.authorization.unwrap_or(&bearer);
        let mut builder = self.builder.header("authorization", authorization);
        if let Some(account) = self.account {
            builder = builder.header("stripe-account", account);
        }
        let answer = builder.send().await?;
        Ok(SandboxResponse {
            status: answer.status().as_u16(),
            replayed: answer.headers().contains_key("idempotent-replayed"),
            body: answer.json().await?,
        })
    }
}

/// A temporary directory that is deleted when it is dropped.
pub struct TempDir(pub PathBuf);

impl TempDir {
    pub fn new() -> Self {
        let dir = std::env::temp_dir().join(format!("sandbox-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir_all(&dir).expect("a directory");
        Self(dir)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A webhook that was received: signature header and body.
#[derive(Debug)]
pub struct ReceivedWebhook {
    pub signature: String,
    pub raw: String,
    pub event: Value,
}

/// A webhook endpoint. It answers with the given statuses first, and then always with 200.
pub struct WebhookReceiver {
    pub url: String,
    handle: ServerHandle,
    webhooks: mpsc::UnboundedReceiver<ReceivedWebhook>,
}

struct ReceiverState {
    webhooks: mpsc::UnboundedSender<ReceivedWebhook>,
    statuses: Mutex<Vec<u16>>,
}

impl WebhookReceiver {
    pub fn start(mut statuses: Vec<u16>) -> Self {
        statuses.reverse();
        let (sender, webhooks) = mpsc::unbounded_channel();
        let receiver_state = Data::new(ReceiverState {
            webhooks: sender,
            statuses: Mutex::new(statuses),
        });
        let server = HttpServer::new(move || {
            App::new()
                .app_data(receiver_state.clone())
                .route("/hook", web::post().to(receive_webhook))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a free port");
        let url = format!("http://{}/hook", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self {
            url,
            handle,
            webhooks,
        }
    }

    pub async fn next_webhook(&mut self) -> ReceivedWebhook {
        let waited =
            tokio::time::timeout(std::time::Duration::from_secs(20), self.webhooks.recv()).await;
        waited
            .expect("a webhook within 20 s")
            .expect("the listener lives")
    }

    /// Waits for the next event of this type, skipping others.
    pub async fn next_webhook_of_type(&mut self, kind: &str) -> ReceivedWebhook {
        loop {
            let webhook = self.next_webhook().await;
            if webhook.event["type"] == kind {
                return webhook;
            }
        }
    }

    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn receive_webhook(
    request: HttpRequest,
    body: Bytes,
    receiver_state: Data<ReceiverState>,
) -> HttpResponse {
    let signature = request
        .headers()
        .get("stripe-signature")
        .and_then(|value| value.to_str().ok());
    let raw = String::from_utf8(body.to_vec()).expect("UTF-8");
    let event = serde_json::from_str(&raw).expect("JSON");
    let webhook = ReceivedWebhook {
        signature: signature.unwrap_or_default().to_owned(),
        raw,
        event,
    };
    let status = receiver_state.statuses.lock().await.pop().unwrap_or(200);
    receiver_state
        .webhooks
        .send(webhook)
        .expect("the test listens");
    HttpResponse::build(StatusCode::from_u16(status).expect("a status")).finish()
}
