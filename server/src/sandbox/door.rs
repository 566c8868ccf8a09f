//! The HTTP door of the provider's API: keys, accounts, faults, idempotency, then the call itself.

use std::io;

use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::stream;
use serde_json::Value;

use super::call::{Access, Call};
use super::failure::Failure;
use super::faults::Fault;
use super::form::Form;
use super::idempotency::{Body, Recall, Remembered};
use super::state::State;
use super::{Sandbox, id, listing, route, text_of};

/// Where the API is mounted; what follows is the provider's own path.
pub const MOUNT: &str = "/sandbox/stripe/v1/";
/// Where async-stripe looks when its base address lacks the last slash: it glues `v1` to the path.
pub const MOUNT_GLUED: &str = "/sandbox/stripev1/";
const KEY_BYTES_MAX: usize = 255;

/// An answer ready to be sent: status, JSON, and whether it comes out of the memory.
struct Answer {
    status: u16,
    body: String,
    replayed: bool,
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Self {
            status: failure.status,
            body: failure.body().to_string(),
            replayed: false,
        }
    }
}

/// Answers any request below the mount.
pub async fn serve(request: HttpRequest, body: Bytes, sandbox: Data<Sandbox>) -> HttpResponse {
    let mounted = request
        .path()
        .strip_prefix(MOUNT)
        .or_else(|| request.path().strip_prefix(MOUNT_GLUED));
    let path = mounted.unwrap_or_default().to_owned();
    let ordered = header(request.headers(), "x-sandbox-fault").and_then(Fault::parse);
    let (fault, hang) = {
        let mut faults = sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned");
        let fault = ordered.or_else(|| faults.strike(request.method().as_str(), request.path()));
        (fault, faults.hang())
    };
    let request_id = id::fresh("req");
    let answer = match fault {
        Some(Fault::RateLimit) => Answer::from(Failure::too_many()),
        Some(Fault::KeyInUse) => Answer::from(Failure::key_in_use()),
        Some(Fault::LockTimeout) => Answer::from(Failure::locked()),
        Some(Fault::TimeoutBefore) => {
            tokio::time::sleep(hang).await;
            return broken();
        }
        _ => match read(&request, &body, path, &sandbox) {
            Ok(call) => answer(&sandbox, &call, fault, &request_id),
            Err(failure) => failure.into(),
        },
    };
    sandbox.courier.wake();
    if matches!(fault, Some(Fault::TimeoutAfter | Fault::Slow)) {
        tokio::time::sleep(hang).await;
    }
    if fault == Some(Fault::TimeoutAfter) {
        return broken();
    }
    let mut response = HttpResponse::build(
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    );
    response
        .insert_header(("request-id", request_id))
        .insert_header(("stripe-version", super::event::API_VERSION));
    if answer.replayed {
        response.insert_header(("idempotent-replayed", "true"));
    }
    response
        .insert_header(("cache-control", "no-store"))
        .content_type("application/json")
        .body(answer.body)
}

/// A response whose body fails at once: the connection closes without a byte of an answer.
fn broken() -> HttpResponse {
    let failing = stream::once(async { Err::<Bytes, _>(io::Error::other("a fault on order")) });
    HttpResponse::Ok().streaming(failing)
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
}

fn read(
    request: &HttpRequest,
    body: &Bytes,
    path: String,
    sandbox: &Sandbox,
) -> Result<Call, Failure> {
    let headers = request.headers();
    let idempotency_key = header(headers, "idempotency-key").map(str::to_owned);
    if idempotency_key
        .as_ref()
        .is_some_and(|key| key.len() > KEY_BYTES_MAX)
    {
        return Err(Failure::invalid(
            "Idempotency keys are at most 255 characters long.",
        ));
    }
    let posted =
        std::str::from_utf8(body).map_err(|_| Failure::invalid("The body is not UTF-8."))?;
    let raw = if request.method().as_str() == "POST" {
        posted
    } else {
        request.query_string()
    };
    Ok(Call {
        method: request.method().as_str().to_owned(),
        path,
        account: header(headers, "stripe-account")
            .unwrap_or_default()
            .to_owned(),
        access: access(headers)?,
        form: Form::parse(raw),
        idempotency_key,
        base: sandbox.base(request),
    })
}

/// The key's kind. Live keys are turned away: nothing here is a bank.
fn access(headers: &HeaderMap) -> Result<Access, Failure> {
    let key = header(headers, AUTHORIZATION.as_str())
        .and_then(|value| value.strip_prefix("Bearer "))
        .unwrap_or("");
    match key {
        "" => Err(Failure::unauthorized(
            "You did not provide an API key. You need to provide your API key in the Authorization header, using \
             Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        )),
        key if key.contains("_live_") => Err(Failure::unauthorized(
            "This is a stand-in: it takes no live keys.",
        )),
        key if key.starts_with("sk_") || key.starts_with("rk_") => Ok(Access::Secret),
        key if key.starts_with("pk_") => Ok(Access::Publishable),
        _ => Err(Failure::unauthorized("Invalid API Key provided.")),
    }
}

/// Runs the call under the state's lock and commits before anybody is told.
fn answer(sandbox: &Sandbox, call: &Call, fault: Option<Fault>, request_id: &str) -> Answer {
    let mut state = sandbox.state.lock().expect("the state is never poisoned");
    let keyed = call
        .idempotency_key
        .as_ref()
        .filter(|_| call.method == "POST");
    let memory_key = keyed.map(|key| format!("{} {key}", call.account));
    let fingerprint = keyed
        .map(|_| call.form.fingerprint(&call.method, &call.path))
        .unwrap_or_default();
    if let Some(key) = &memory_key {
        match state.memory.recall(key, &fingerprint) {
            Recall::Same(known) => {
                return Answer {
                    status: known.status,
                    body: known.body.text(),
                    replayed: true,
                };
            }
            Recall::OtherParameters => {
                return Failure::idempotency(call.idempotency_key.as_deref().unwrap_or_default())
                    .into();
            }
            Recall::New => {}
        }
    }
    state.request = (request_id.to_owned(), call.idempotency_key.clone());
    let (answer, saved) = perform(&mut state, call, fault, sandbox);
    if let Some((key, body)) = memory_key.zip(saved) {
        state.remember(Remembered {
            key,
            fingerprint,
            status: answer.status,
            body,
            at: id::now(),
        });
    }
    match state.commit() {
        Ok(()) => answer,
        Err(error) => {
            tracing::error!(%error, "the sandbox journal cannot be written");
            Failure::internal().into()
        }
    }
}

/// The answer, and what of it an idempotency key remembers.
fn perform(
    state: &mut State,
    call: &Call,
    fault: Option<Fault>,
    sandbox: &Sandbox,
) -> (Answer, Option<Body>) {
    let refusal = |failure: Failure| {
        let saved = failure.saved;
        let answer = Answer::from(failure);
        let body = saved.then(|| Body::Text(answer.body.clone()));
        (answer, body)
    };
    if fault == Some(Fault::Error500) {
        return refusal(Failure::internal());
    }
    match account(state, call, sandbox).and_then(|()| route::run(state, call)) {
        Ok(_) | Err(Failure { saved: true, .. }) if fault == Some(Fault::Error500After) => {
            refusal(Failure::internal())
        }
        Ok(mut value) => {
            let plain = plain_intent(call, &value);
            listing::expand(state, call, &mut value);
            let body = text_of(&value);
            let saved = plain.unwrap_or_else(|| Body::Text(body.clone()));
            (
                Answer {
                    status: 200,
                    body,
                    replayed: false,
                },
                Some(saved),
            )
        }
        Err(failure) => refusal(failure),
    }
}

/// An intent that is answered just as it now is in the state needs no second copy in JSON.
fn plain_intent(call: &Call, value: &Value) -> Option<Body> {
    let is_plain = value["object"] == "payment_intent" && call.form.list("expand").is_empty();
    let id = value["id"].as_str().filter(|_| is_plain)?.to_owned();
    Some(Body::Intent {
        id,
        access: call.access,
        snapshot: None,
    })
}

/// The account named by the header must be connected to us.
fn account(state: &mut State, call: &Call, sandbox: &Sandbox) -> Result<(), Failure> {
    if sandbox.options.adopts_accounts {
        let asked = call
            .path
            .strip_prefix("accounts/")
            .or_else(|| call.form.get("account"));
        let named = [Some(call.account.as_str()), asked];
        named
            .into_iter()
            .flatten()
            .filter(|id| id.starts_with("acct_"))
            .for_each(|id| state.adopt_account(id, None));
    }
    if call.account.is_empty() || state.accounts.get(&call.account).is_some() {
        return Ok(());
    }
    Err(Failure::foreign_account(&call.account))
}
