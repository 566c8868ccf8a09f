//! A simulated Stripe with a mailbox, for the demo and for tests. It never handles real money.
//!
//! It serves Stripe's API over HTTP below `/sandbox/stripe/v1/`, with the shapes that async-stripe
//! 1.0.0-rc.10 reads. It also serves its own Stripe.js, and calls the product's webhook with signed
//! events. Point any Stripe client at `http://host/sandbox/stripe/` with any key that begins with
//! `sk_test_`, `rk_test_` or `pk_test_`. Live keys are rejected.
//!
//! ```no_run
//! # async fn demo() -> std::io::Result<()> {
//! use actix_web::{App, HttpServer};
//! use sandbox::{SandboxOptions, Sandbox};
//!
//! let sandbox = Sandbox::open(Some(".data/sandbox".into()), SandboxOptions::default())?;
//! sandbox.set_webhook("http://127.0.0.1:8080/api/stripe/webhook", "whsec_demo");
//! HttpServer::new(move || App::new().configure(|cfg| sandbox::configure(cfg, sandbox.clone())))
//!     .bind(("127.0.0.1", 8080))?
//!     .run()
//!     .await
//! # }
//! ```
//!
//! Deliberate differences from Stripe:
//! - Webhooks are sent at once and retried within seconds.
//! - The everyday test cards are Australian.
//! - Every card costs a fee of 1.7 % + 30 c.
//! - A payout takes place only on request, by `POST /sandbox/payouts`.
//! - Events are sent only to the address of [`Sandbox::set_webhook`], whichever endpoints exist.
//!
//! Stripe behaviour that is kept although it is inconvenient:
//! - A request with an unknown parameter, a wrong value or an unknown version is refused. The
//!   parameters and fields are those of Stripe's official Node library.
//! - `balance_transaction.fee` on a direct charge is the sum of Stripe's fee and the platform's
//!   fee. `fee_details` separates them.
//! - Cancelling an authorisation also emits `charge.refunded`.
//! - A payment method can be used for one payment only.
//!
//! The server depends on this crate only with its feature `demo`, and `serve` never mounts it.

// `json!` expands once for each field, and Stripe's objects have many.
#![recursion_limit = "256"]

pub mod authenticator;
pub mod call_log;
pub mod clock;
pub mod faults;
pub mod foreign_payment;
pub mod mailbox;
pub mod server;
pub mod webhook_sender;

mod control_api;
mod journal;
mod page;
mod stripe;
mod stripejs;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, web::JsonConfig};
use serde_json::Value;

use self::call_log::CallLog;
use self::clock::SandboxClock;
use self::faults::{Fault, Faults, ScriptedFault};
use self::foreign_payment::ForeignPayment;
use self::mailbox::Mailbox;
pub use self::stripe::account::{AccountChange, PayoutInterval};
use self::stripe::event::API_VERSION;
pub use self::stripe::rate_limit::RateLimits;
use self::stripe::rate_limit::RequestCounters;
use self::stripe::restricted_key::RestrictedKeys;
use self::stripe::state::SandboxState;
use self::stripe::webhook_endpoint;
use self::webhook_sender::client::WebhookUrl;
use self::webhook_sender::{WebhookEndpoint, WebhookSender};

/// Maximum size in bytes of a request body sent by the sandbox's own pages.
pub const SANDBOX_BODY_BYTES_MAX: usize = 64 * 1024;

/// Settings of the sandbox.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    /// Whether a request that names an unknown account creates a fully onboarded account. Stripe
    /// refuses such requests, as the default does. Load tests need this, because their databases
    /// name accounts that only another process has created.
    pub creates_unknown_accounts: bool,
    /// Whether version 1 of the API creates accounts. Stripe refuses that to new platforms, whose
    /// accounts version 2 creates.
    pub creates_accounts_v1: bool,
    /// Base URL of this server, for links in responses. `None` uses the request's `Host` header.
    pub public_url: Option<String>,
    /// The event types that the webhook receives, as set on Stripe's dashboard. Empty means all.
    pub webhook_events: Vec<String>,
    /// Requests per second of each account, beyond which the answer is 429. By default Stripe's own.
    /// `None`: unlimited, for load tests and other tests of bursts, which measure the product and
    /// not Stripe's limits.
    pub rate_limits: Option<RateLimits>,
    /// Seconds after a capture until the charge names its balance transaction, and so Stripe's fee.
    /// Zero: at once, so that tests of reports need no second pass.
    pub balance_transaction_delay_seconds: i64,
    /// The demo's clock, which `POST /sandbox/clock` moves. `None` uses the machine's clock.
    pub clock: Option<Arc<SandboxClock>>,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            creates_unknown_accounts: false,
            creates_accounts_v1: false,
            public_url: None,
            webhook_events: Vec::new(),
            rate_limits: Some(RateLimits::STRIPE),
            balance_transaction_delay_seconds: 0,
            clock: None,
        }
    }
}

/// The simulated Stripe. All worker threads share it.
#[derive(Debug)]
pub struct Sandbox {
    state: Mutex<SandboxState>,
    faults: Mutex<Faults>,
    rate_limits: Mutex<Option<RateLimits>>,
    request_counters: Mutex<RequestCounters>,
    restricted_keys: Mutex<RestrictedKeys>,
    calls: Mutex<CallLog>,
    webhook_sender: WebhookSender,
    mailbox: Mailbox,
    clock: Arc<SandboxClock>,
    options: SandboxOptions,
}

impl Sandbox {
    /// Opens the sandbox with its journals in the directory `dir`, or in memory if there is none.
    ///
    /// With a directory, the changes of every answered request survive a crash of the process. They
    /// may not survive a crash of the machine, because `fsync` is not called. Undelivered events
    /// are delivered once a webhook is set.
    ///
    /// # Errors
    ///
    /// The directory cannot be used, a journal cannot be read, or another process has it open.
    pub fn open(dir: Option<PathBuf>, options: SandboxOptions) -> io::Result<Arc<Self>> {
        let clock = options.clock.clone().unwrap_or_default();
        let mut state = SandboxState::open(dir.as_deref(), clock.clone())?;
        state.balance_transaction_delay = options.balance_transaction_delay_seconds;
        let sandbox = Arc::new(Self {
            state: Mutex::new(state),
            faults: Mutex::default(),
            rate_limits: Mutex::new(options.rate_limits),
            request_counters: Mutex::default(),
            restricted_keys: Mutex::default(),
            calls: Mutex::default(),
            webhook_sender: WebhookSender::default(),
            mailbox: Mailbox::open(dir.as_deref(), clock.clone())?,
            clock,
            options,
        });
        WebhookSender::start(&sandbox)?;
        Ok(sandbox)
    }

    /// Sends all undelivered and future events to a plain-HTTP URL, signed with `secret`.
    ///
    /// # Panics
    ///
    /// If `url` does not begin with `http://`.
    pub fn set_webhook(&self, url: &str, secret: &str) {
        assert!(
            WebhookUrl::parse(url).is_some(),
            "the sandbox's webhook address must be plain HTTP, not {url}"
        );
        let (secrets, kinds) = (vec![secret.to_owned()], self.options.webhook_events.clone());
        control_api::change_state_and_commit(self, |state| {
            webhook_endpoint::list_address(state, url, &kinds, API_VERSION);
            Ok(Value::Null)
        });
        self.webhook_sender.set_endpoint(WebhookEndpoint {
            url: url.to_owned(),
            secrets,
            kinds,
        });
    }

    /// Replaces the limits of requests per second. `None`: unlimited.
    pub fn set_rate_limits(&self, limits: Option<RateLimits>) {
        *self
            .rate_limits
            .lock()
            .expect("the limits are never poisoned") = limits;
    }

    /// Sets how many seconds after a capture the charge names its balance transaction, for captures
    /// from now on.
    pub fn set_balance_transaction_delay(&self, seconds: i64) {
        let mut state = self.state.lock().expect("the state is never poisoned");
        state.balance_transaction_delay = seconds;
    }

    /// Creates a restricted API key with these permissions, such as `charge_read`. The key is lost
    /// when the process ends.
    pub fn create_restricted_key(&self, permissions: &[&str]) -> String {
        self.restricted_keys
            .lock()
            .expect("the keys are never poisoned")
            .create(permissions)
    }

    /// Changes an account, as `POST /sandbox/accounts/{id}` does. Returns `false` if there is no such
    /// account.
    pub fn change_account(&self, id: &str, change: &AccountChange) -> bool {
        control_api::change_state_and_commit(self, |state| state.change_account(id, change))
            .status()
            .is_success()
    }

    /// Disconnects an account from the platform, as `POST /sandbox/accounts/{id}/disconnect` does.
    /// Returns `false` if there is no such account.
    pub fn disconnect_account(&self, id: &str) -> bool {
        control_api::change_state_and_commit(self, |state| state.disconnect_account(id))
            .status()
            .is_success()
    }

    /// Signs events with `secret` in addition to the secrets that are already set, as Stripe does
    /// while a secret is being replaced.
    pub fn add_webhook_secret(&self, secret: &str) {
        self.webhook_sender
            .change_endpoint(|endpoint| endpoint.secrets.push(secret.to_owned()));
    }

    /// Returns the clock that the sandbox uses.
    pub fn clock(&self) -> &SandboxClock {
        &self.clock
    }

    /// Whether requests to `POST /sandbox/clock` may move the clock.
    pub fn has_movable_clock(&self) -> bool {
        self.options.clock.is_some()
    }

    /// Returns the mailbox, which collects mails instead of sending them.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Creates a fully onboarded account with this id unless it exists. Demos are seeded with it.
    ///
    /// # Errors
    ///
    /// The journal cannot be written.
    pub fn ensure_account(&self, id: &str, name: &str) -> io::Result<()> {
        let mut state = self.state.lock().expect("the state is never poisoned");
        state.create_account_if_missing(id, Some(name));
        state.commit()
    }

    /// Replaces the faults that are injected into requests and webhooks.
    pub fn set_faults(&self, faults: Faults) {
        *self.faults.lock().expect("the faults are never poisoned") = faults;
    }

    /// Injects `fault` into the next request whose text `METHOD path` contains `on`.
    pub fn fail_next(&self, on: &str, fault: Fault) {
        let line = ScriptedFault {
            on: on.to_owned(),
            fault,
            times: 1,
        };
        self.faults
            .lock()
            .expect("the faults are never poisoned")
            .add_scripted_fault(line);
    }

    /// Opens a dispute on a captured payment, as `POST /sandbox/dispute` does. Returns `false` if
    /// no captured payment has this id.
    pub fn dispute(&self, payment_intent: &str) -> bool {
        control_api::change_state_and_commit(self, |state| {
            let status = stripe::dispute::DisputeStatus::NeedsResponse;
            stripe::dispute::open_for_intent(state, payment_intent, "fraudulent", status)
        })
        .status()
        .is_success()
    }

    /// Makes a payment that is not the platform's, as `POST /sandbox/foreign-payments` does. Returns
    /// the id of its payment intent.
    ///
    /// # Panics
    ///
    /// If Stripe would refuse the payment.
    pub fn make_foreign_payment(&self, payment: &ForeignPayment) -> String {
        let mut id = None;
        control_api::change_state_and_commit(self, |state| {
            let intent = payment.make(state)?;
            id = intent["id"].as_str().map(str::to_owned);
            Ok(intent)
        });
        id.expect("the payment is accepted")
    }

    /// Returns the requests to the Stripe API since the process began, like `GET /sandbox/calls`.
    pub fn call_log(&self) -> CallLog {
        self.calls
            .lock()
            .expect("the calls are never poisoned")
            .clone()
    }

    /// Returns the totals of each account, like `GET /sandbox/ledger`.
    pub fn ledger(&self) -> Value {
        stripe::ledger::render_totals(
            &self.state.lock().expect("the state is never poisoned"),
            false,
        )
    }

    /// Returns the base URL of this server, for links in responses.
    fn base_url(&self, request: &HttpRequest) -> String {
        self.options.public_url.clone().unwrap_or_else(|| {
            let connection = request.connection_info();
            format!("{}://{}", connection.scheme(), connection.host())
        })
    }
}

/// Converts a value to JSON text. `Value::to_string` is slower, because it writes token by token.
fn to_json_text(value: &Value) -> String {
    serde_json::to_string(value).expect("a value is JSON")
}

/// Registers all routes of the sandbox below `/sandbox`.
pub fn configure(cfg: &mut ServiceConfig, sandbox: Arc<Sandbox>) {
    cfg.service(
        web::scope("/sandbox")
            .app_data(Data::from(sandbox))
            .app_data(JsonConfig::default().limit(SANDBOX_BODY_BYTES_MAX))
            .configure(control_api::configure)
            .configure(mailbox::configure)
            .configure(authenticator::configure)
            .configure(page::configure)
            .configure(stripejs::configure)
            .service(
                web::resource([
                    "/stripe/v1/{path:.*}",
                    "/stripev1/{path:.*}",
                    "/stripe/v2/{path:.*}",
                ])
                .to(stripe::api::handle_api_request),
            ),
    );
}
