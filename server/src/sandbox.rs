//! A stand-in for the payment provider, with a mailbox beside it: for the demo and for tests, never for real money.
//!
//! It speaks the provider's API over HTTP below `/sandbox/stripe/v1/` (the shapes async-stripe 1.0.0-rc.10 reads), serves
//! its own Stripe.js, and calls the product's webhook with signed events. Point any Stripe client at
//! `http://host/sandbox/stripe/` with any key that begins with `sk_test_` or `pk_test_`; live keys are turned away.
//!
//! ```no_run
//! # async fn demo() -> std::io::Result<()> {
//! use actix_web::{App, HttpServer};
//! use server::sandbox::{self, Options, Sandbox};
//!
//! let sandbox = Sandbox::open(Some(".data/sandbox".into()), Options::default())?;
//! sandbox.set_webhook("http://127.0.0.1:8080/api/stripe/webhook", "whsec_demo");
//! HttpServer::new(move || App::new().configure(|cfg| sandbox::configure(cfg, sandbox.clone())))
//!     .bind(("127.0.0.1", 8080))?
//!     .run()
//!     .await
//! # }
//! ```
//!
//! Where it differs from the real thing, on purpose: webhooks follow at once and are retried within seconds; the everyday
//! test cards are Australian; every card pays 1.7 % + 30 c; nothing is ever paid out. Where it agrees although that is
//! inconvenient: `balance_transaction.fee` on a direct charge is the sum of the provider's and the platform's fee (tell them
//! apart by `fee_details`); cancelling an authorisation also makes a `charge.refunded`; a payment method serves one payment.
//!
//! `serve`, the production command, must not mount this module.

pub mod authenticator;
pub mod card;
pub mod courier;
pub mod faults;
pub mod mailbox;

mod account;
mod call;
mod charge;
mod control;
mod dispute;
mod door;
mod event;
mod failure;
mod fee;
mod form;
mod id;
mod idempotency;
mod intent;
mod journal;
mod ledger;
mod listing;
mod method;
mod page;
mod record;
mod refund;
mod route;
mod snapshot;
mod state;
mod stripejs;
mod table;
mod transaction;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, web::JsonConfig};
use serde_json::Value;

use self::courier::post::Address;
use self::courier::{Courier, Endpoint};
use self::faults::{Fault, Faults, Scripted};
use self::mailbox::Mailbox;
use self::state::State;

/// How the stand-in is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether an account that a request names and nobody made is taken for a complete one. The demo's database may be
    /// older than the sandbox's journal; tests of refusals switch it off.
    pub adopts_accounts: bool,
    /// Where browsers reach this server, for the links in answers; otherwise the request's own `Host`.
    pub public_url: Option<String>,
    /// The kinds of event the webhook wants, as on the provider's dashboard; empty means all.
    pub webhook_events: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            adopts_accounts: true,
            public_url: None,
            webhook_events: Vec::new(),
        }
    }
}

/// The stand-in itself; shared by every worker.
#[derive(Debug)]
pub struct Sandbox {
    state: Mutex<State>,
    faults: Mutex<Faults>,
    courier: Courier,
    mailbox: Mailbox,
    options: Options,
}

impl Sandbox {
    /// Opens the stand-in with its journals in `dir`, or in memory alone.
    ///
    /// With a directory, whatever was answered survives the process being killed (not the machine: nothing is synced to
    /// disk). Events that were not delivered are delivered once a webhook is set.
    ///
    /// # Errors
    /// When the directory cannot be used, a journal cannot be read, or another process has it open.
    pub fn open(dir: Option<PathBuf>, options: Options) -> io::Result<Arc<Self>> {
        let sandbox = Arc::new(Self {
            state: Mutex::new(State::open(dir.as_deref())?),
            faults: Mutex::default(),
            courier: Courier::default(),
            mailbox: Mailbox::open(dir.as_deref())?,
            options,
        });
        Courier::start(&sandbox)?;
        Ok(sandbox)
    }

    /// Sends every event from now on, and every undelivered one, to a plain-HTTP address, signed with `secret`.
    ///
    /// # Panics
    /// When the address is not `http://…`: the stand-in does not leave the machine.
    pub fn set_webhook(&self, url: &str, secret: &str) {
        assert!(
            Address::parse(url).is_some(),
            "the sandbox's webhook address must be plain HTTP, not {url}"
        );
        let (secrets, kinds) = (vec![secret.to_owned()], self.options.webhook_events.clone());
        self.courier.set_endpoint(Endpoint {
            url: url.to_owned(),
            secrets,
            kinds,
        });
    }

    /// Signs with this secret as well, as while a secret is being replaced.
    pub fn add_webhook_secret(&self, secret: &str) {
        self.courier
            .change_endpoint(|endpoint| endpoint.secrets.push(secret.to_owned()));
    }

    /// The mails that would have been sent.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Makes sure that a complete connected account of this id exists: for seeds.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn ensure_account(&self, id: &str, name: &str) -> io::Result<()> {
        let mut state = self.state.lock().expect("the state is never poisoned");
        state.adopt_account(id, Some(name));
        state.commit()
    }

    /// Everything that goes wrong from now on; what was set before is forgotten.
    pub fn set_faults(&self, faults: Faults) {
        *self.faults.lock().expect("the faults are never poisoned") = faults;
    }

    /// Lets the next request whose `METHOD path` contains `on` meet `fault`.
    pub fn fail_next(&self, on: &str, fault: Fault) {
        let line = Scripted {
            on: on.to_owned(),
            fault,
            times: 1,
        };
        self.faults
            .lock()
            .expect("the faults are never poisoned")
            .script(line);
    }

    /// A buyer's bank takes a captured payment back, as `POST /sandbox/dispute` does. `false`: there is no such payment.
    pub fn dispute(&self, payment_intent: &str) -> bool {
        control::change(self, |state| {
            dispute::raise(state, payment_intent, "fraudulent")
        })
        .status()
        .is_success()
    }

    /// Totals per account, as `GET /sandbox/ledger` answers them.
    pub fn ledger(&self) -> Value {
        ledger::totals(
            &self.state.lock().expect("the state is never poisoned"),
            false,
        )
    }

    /// Where this server is reached: what links in answers begin with.
    fn base(&self, request: &HttpRequest) -> String {
        self.options.public_url.clone().unwrap_or_else(|| {
            let connection = request.connection_info();
            format!("{}://{}", connection.scheme(), connection.host())
        })
    }
}

/// A value as it is sent. Its own `to_string` goes through a formatter, token by token.
fn text_of(value: &Value) -> String {
    serde_json::to_string(value).expect("a value is JSON")
}

/// Mounts everything below `/sandbox`.
pub fn configure(cfg: &mut ServiceConfig, sandbox: Arc<Sandbox>) {
    cfg.service(
        web::scope("/sandbox")
            .app_data(Data::from(sandbox))
            .app_data(JsonConfig::default().limit(64 * 1024))
            .configure(control::configure)
            .configure(mailbox::configure)
            .configure(authenticator::configure)
            .configure(page::configure)
            .configure(stripejs::configure)
            .service(
                web::resource(["/stripe/v1/{path:.*}", "/stripev1/{path:.*}"]).to(door::serve),
            ),
    );
}
