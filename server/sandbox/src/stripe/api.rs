//! HTTP entry point of the Stripe API. It checks the API key and the account, injects faults,
//! applies the idempotency key and then runs the API call.

use std::io;
use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures_util::stream;
use serde_json::Value;

use super::api_call::{ApiCall, ApiKeyKind, ApiVersion, Creator};
use super::event::API_VERSION;
use super::failure::StripeError;
use super::form::StripeForm;
use super::idempotency::{SavedBody, SavedResponse, SavedResponseLookup};
use super::rate_limit::ExceededLimit;
use super::schema::ApiSchema;
use super::state::SandboxState;
use super::{id, listing, route};
use crate::faults::Fault;
use crate::{Sandbox, to_json_text};

/// Mount point of the API. The path after it is a path of Stripe's API.
pub const STRIPE_API_MOUNT: &str = "/sandbox/stripe/v1/";
/// Mount point for clients whose base URL lacks the final slash. The async-stripe library then
/// appends `v1` without a slash in between.
pub const STRIPE_API_MOUNT_WITHOUT_SLASH: &str = "/sandbox/stripev1/";
/// Mount point of version 2 of the API.
const STRIPE_API_V2_MOUNT: &str = "/sandbox/stripe/v2/";
const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

/// A response: status, JSON, and whether it was replayed for an idempotency key.
struct ApiResponse {
    status: u16,
    body: String,
    replayed: bool,
    exceeded_limit: Option<ExceededLimit>,
}

impl From<StripeError> for ApiResponse {
    fn from(failure: StripeError) -> Self {
        Self {
            status: failure.status,
            body: failure.json_body().to_string(),
            replayed: false,
            exceeded_limit: failure.exceeded_limit,
        }
    }
}

/// Handles every API request below `STRIPE_API_MOUNT` and `STRIPE_API_V2_MOUNT`.
pub async fn handle_api_request(
    request: HttpRequest,
    body: Bytes,
    sandbox: Data<Sandbox>,
) -> HttpResponse {
    let requested_fault = header_value(request.headers(), "x-sandbox-fault").and_then(Fault::parse);
    if let Ok(key) = api_key_kind(request.headers()) {
        let (_, path) = version_and_path(request.path());
        sandbox
            .calls
            .lock()
            .expect("the calls are never poisoned")
            .record_call(request.method().as_str(), path, key);
    }
    let (fault, hang) = {
        let mut faults = sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned");
        let fault = requested_fault
            .or_else(|| faults.next_fault(request.method().as_str(), request.path()));
        (fault, faults.hang_duration())
    };
    let request_id = id::generate("req");
    let version = header_value(request.headers(), "stripe-version")
        .unwrap_or(API_VERSION)
        .to_owned();
    let answer = match fault {
        Some(Fault::RateLimit) => {
            ApiResponse::from(StripeError::too_many_requests(ExceededLimit::Endpoint))
        }
        Some(Fault::KeyInUse) => ApiResponse::from(StripeError::key_in_use()),
        Some(Fault::LockTimeout) => ApiResponse::from(StripeError::object_locked()),
        Some(Fault::InvalidRequest) => {
            ApiResponse::from(StripeError::invalid_request("The request is invalid."))
        }
        Some(Fault::TimeoutBefore) => {
            tokio::time::sleep(hang).await;
            return close_connection_response();
        }
        _ => match decode_request(&request, &body, &sandbox)
            .and_then(|call| check_rate(&sandbox, &call).map(|()| call))
        {
            Ok(call) => run_call_and_commit(&sandbox, &call, fault, &request_id),
            Err(failure) => failure.into(),
        },
    };
    sandbox.webhook_sender.wake();
    if matches!(fault, Some(Fault::TimeoutAfter | Fault::Slow)) {
        tokio::time::sleep(hang).await;
    }
    if fault == Some(Fault::TimeoutAfter) {
        return close_connection_response();
    }
    let mut response = HttpResponse::build(
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    );
    response
        .insert_header(("request-id", request_id))
        .insert_header(("stripe-version", version));
    if let Some(limit) = answer.exceeded_limit {
        response.insert_header(("stripe-rate-limited-reason", limit.reason()));
    }
    if answer.replayed {
        response.insert_header(("idempotent-replayed", "true"));
    }
    response
        .insert_header(("cache-control", "no-store"))
        .content_type("application/json")
        .body(answer.body)
}

/// Returns a response whose body fails at once. The server then closes the connection before it
/// sends any byte.
fn close_connection_response() -> HttpResponse {
    let failing = stream::once(async { Err::<Bytes, _>(io::Error::other("a fault on order")) });
    HttpResponse::Ok().streaming(failing)
}

fn header_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
}

/// Returns the version and the path after it.
fn version_and_path(path: &str) -> (ApiVersion, &str) {
    match path.strip_prefix(STRIPE_API_V2_MOUNT) {
        Some(path) => (ApiVersion::V2, path),
        None => (
            ApiVersion::V1,
            path.strip_prefix(STRIPE_API_MOUNT)
                .or_else(|| path.strip_prefix(STRIPE_API_MOUNT_WITHOUT_SLASH))
                .unwrap_or_default(),
        ),
    }
}

fn decode_request(
    request: &HttpRequest,
    body: &Bytes,
    sandbox: &Sandbox,
) -> Result<ApiCall, StripeError> {
    let (version, path) = version_and_path(request.path());
    let headers = request.headers();
    let access = api_key_kind(headers)?;
    let key = api_key(headers).unwrap_or_default();
    let account = header_value(headers, "stripe-account").unwrap_or_default();
    sandbox
        .restricted_keys
        .lock()
        .expect("the keys are never poisoned")
        .check(&key, request.method().as_str(), path, account)?;
    check_version(headers)?;
    let idempotency_key = header_value(headers, "idempotency-key").map(str::to_owned);
    if idempotency_key
        .as_ref()
        .is_some_and(|key| key.len() > IDEMPOTENCY_KEY_BYTES_MAX)
    {
        return Err(StripeError::invalid_request(
            "Idempotency keys are at most 255 characters long.",
        ));
    }
    let posted = std::str::from_utf8(body)
        .map_err(|_| StripeError::invalid_request("The body is not UTF-8."))?;
    let raw = if request.method().as_str() == "POST" {
        posted
    } else {
        request.query_string()
    };
    let (form, json) = match version {
        ApiVersion::V1 => (StripeForm::parse(raw), String::new()),
        ApiVersion::V2 => {
            check_version_2_headers(headers)?;
            (StripeForm::default(), posted.to_owned())
        }
    };
    Ok(ApiCall {
        method: request.method().as_str().to_owned(),
        version,
        path: path.to_owned(),
        account: account.to_owned(),
        creator: if account.is_empty() {
            Creator::AccountOwner
        } else {
            Creator::Platform
        },
        access,
        form,
        json,
        idempotency_key,
        base: sandbox.base_url(request),
    })
}

/// Returns an error unless a call of version 2 names the API's version, sends JSON, and carries a
/// secret key: version 2 takes no restricted and no publishable keys.
fn check_version_2_headers(headers: &HeaderMap) -> Result<(), StripeError> {
    if header_value(headers, "stripe-version").is_none() {
        return Err(StripeError::invalid_request(
            "The Stripe-Version header is required for this API.",
        ));
    }
    if header_value(headers, CONTENT_TYPE.as_str()) != Some("application/json") {
        return Err(StripeError::invalid_request(
            "The Content-Type of requests to this API must be application/json.",
        ));
    }
    if !api_key(headers).is_some_and(|key| key.starts_with("sk_")) {
        return Err(StripeError::unauthorized(
            "This API takes secret API keys only.",
        ));
    }
    Ok(())
}

/// Returns the error 400 for a version of the API in which the stand-in does not render objects:
/// those of the library that the product uses, and of the table.
fn check_version(headers: &HeaderMap) -> Result<(), StripeError> {
    match header_value(headers, "stripe-version") {
        Some(version) if version != API_VERSION && version != ApiSchema::get().api_version => Err(
            StripeError::invalid_request(format!("Invalid Stripe API version: {version}")),
        ),
        _ => Ok(()),
    }
}

/// Counts the request. Returns the error 429 if it exceeds a limit of its account.
fn check_rate(sandbox: &Sandbox, call: &ApiCall) -> Result<(), StripeError> {
    let Some(limits) = *sandbox
        .rate_limits
        .lock()
        .expect("the limits are never poisoned")
    else {
        return Ok(());
    };
    let endpoint = ApiSchema::get()
        .find_endpoint(&call.method, &call.path)
        .unwrap_or("another endpoint");
    let exceeded = sandbox
        .request_counters
        .lock()
        .expect("the counters are never poisoned")
        .count(limits, &call.account, endpoint, Instant::now());
    exceeded.map_or(Ok(()), |limit| Err(StripeError::too_many_requests(limit)))
}

/// Returns the key of the `Authorization` header. With basic authentication, the key is the user
/// name.
fn api_key(headers: &HeaderMap) -> Option<String> {
    let value = header_value(headers, AUTHORIZATION.as_str())?;
    if let Some(key) = value.strip_prefix("Bearer ") {
        return Some(key.to_owned());
    }
    let decoded = BASE64.decode(value.strip_prefix("Basic ")?).ok()?;
    let user_and_password = String::from_utf8(decoded).ok()?;
    let (key, _) = user_and_password.split_once(':')?;
    Some(key.to_owned())
}

/// Whether a key has the prefix and a body of letters and digits.
fn has_key_form(key: &str, prefix: &str) -> bool {
    key.strip_prefix(prefix).is_some_and(|body| {
        !body.is_empty() && body.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns the kind of API key that the request carries. Live keys are rejected, because this
/// sandbox is not Stripe.
fn api_key_kind(headers: &HeaderMap) -> Result<ApiKeyKind, StripeError> {
    let key = api_key(headers).unwrap_or_default();
    match key.as_str() {
        "" => Err(StripeError::unauthorized(
            "You did not provide an API key. You need to provide your API key in the Authorization header, using \
             Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        )),
        key if key.contains("_live_") => Err(StripeError::unauthorized(
            "This is a stand-in: it takes no live keys.",
        )),
        key if has_key_form(key, "sk_test_") || has_key_form(key, "rk_test_") => {
            Ok(ApiKeyKind::Secret)
        }
        key if has_key_form(key, "pk_test_") => Ok(ApiKeyKind::Publishable),
        _ => Err(StripeError::unauthorized("Invalid API Key provided.")),
    }
}

/// Runs the API call under the state's lock, and commits its changes before the response is sent.
fn run_call_and_commit(
    sandbox: &Sandbox,
    call: &ApiCall,
    fault: Option<Fault>,
    request_id: &str,
) -> ApiResponse {
    let mut state = sandbox.state.lock().expect("the state is never poisoned");
    let keyed = call
        .idempotency_key
        .as_ref()
        .filter(|_| call.method == "POST");
    let cache_key = keyed.map(|key| format!("{} {key}", call.account));
    let fingerprint = keyed
        .map(|_| match call.version {
            ApiVersion::V1 => call.form.fingerprint(&call.method, &call.path),
            ApiVersion::V2 => format!("v2 {} {}", call.path, call.json),
        })
        .unwrap_or_default();
    if let Some(key) = &cache_key {
        match state
            .saved_responses
            .look_up(key, &fingerprint, state.now())
        {
            SavedResponseLookup::Hit(saved) => {
                return ApiResponse {
                    status: saved.status,
                    body: saved.body.text(),
                    replayed: true,
                    exceeded_limit: None,
                };
            }
            SavedResponseLookup::OtherParameters => {
                return StripeError::idempotency_key_reused(
                    call.idempotency_key.as_deref().unwrap_or_default(),
                )
                .into();
            }
            SavedResponseLookup::Miss => {}
        }
    }
    state.request = (request_id.to_owned(), call.idempotency_key.clone());
    state.show_due_transactions();
    let (answer, saved) = run_call_with_fault(&mut state, call, fault, sandbox);
    if let Some((key, body)) = cache_key.zip(saved) {
        let at = state.now();
        state.save_response(SavedResponse {
            key,
            fingerprint,
            status: answer.status,
            body,
            at,
        });
    }
    match state.commit() {
        Ok(()) => answer,
        Err(error) => {
            tracing::error!(%error, "the sandbox journal cannot be written");
            StripeError::internal_error().into()
        }
    }
}

/// Runs the API call. Also returns the body to save under the idempotency key, if the response must
/// be saved.
fn run_call_with_fault(
    state: &mut SandboxState,
    call: &ApiCall,
    fault: Option<Fault>,
    sandbox: &Sandbox,
) -> (ApiResponse, Option<SavedBody>) {
    let refusal = |failure: StripeError| {
        let saved = failure.saved;
        let answer = ApiResponse::from(failure);
        let body = saved.then(|| SavedBody::Text(answer.body.clone()));
        (answer, body)
    };
    if fault == Some(Fault::Error500) {
        return refusal(StripeError::internal_error());
    }
    match check_account_is_connected(state, call, sandbox)
        .and_then(|()| check_account_creation(call, sandbox))
        .and_then(|()| route::check_parameters(call))
        .and_then(|()| route::run_api_call(state, call))
    {
        Ok(_) | Err(StripeError { saved: true, .. }) if fault == Some(Fault::Error500After) => {
            refusal(StripeError::internal_error())
        }
        Ok(mut value) => {
            let plain = saved_body_of_plain_intent(call, &value);
            listing::expand_response(state, call, &mut value);
            if let Err(failure) = route::check_answer(state, call, &value) {
                return refusal(failure);
            }
            let body = to_json_text(&value);
            let saved = plain.unwrap_or_else(|| SavedBody::Text(body.clone()));
            (
                ApiResponse {
                    status: 200,
                    body,
                    replayed: false,
                    exceeded_limit: None,
                },
                Some(saved),
            )
        }
        Err(failure) => refusal(route::check_refusal(call, failure)),
    }
}

/// Returns the saved form of a response that is a payment intent without expanded objects. A
/// snapshot of the intent replaces the JSON, which saves memory.
fn saved_body_of_plain_intent(call: &ApiCall, value: &Value) -> Option<SavedBody> {
    let is_plain = value["object"] == "payment_intent" && call.form.get_list("expand").is_empty();
    let id = value["id"].as_str().filter(|_| is_plain)?.to_owned();
    Some(SavedBody::Intent {
        id,
        access: call.access,
        snapshot: None,
    })
}

/// Returns Stripe's error for a new platform that creates an account by version 1 of the API.
fn check_account_creation(call: &ApiCall, sandbox: &Sandbox) -> Result<(), StripeError> {
    let creates_account =
        call.version == ApiVersion::V1 && call.method == "POST" && call.path == "accounts";
    if creates_account && !sandbox.options.creates_accounts_v1 {
        return Err(StripeError::invalid_request(
            "Your platform cannot create accounts with this API. Create them with the Accounts v2 API.",
        ));
    }
    Ok(())
}

/// Returns an error unless the account in the request's header is connected to the platform.
fn check_account_is_connected(
    state: &mut SandboxState,
    call: &ApiCall,
    sandbox: &Sandbox,
) -> Result<(), StripeError> {
    if sandbox.options.creates_unknown_accounts {
        let requested = call
            .path
            .strip_prefix("accounts/")
            .or_else(|| call.form.get("account"));
        let candidates = [Some(call.account.as_str()), requested];
        candidates
            .into_iter()
            .flatten()
            .filter(|id| id.starts_with("acct_"))
            .for_each(|id| state.create_account_if_missing(id, None));
    }
    if call.account.is_empty() || state.is_connected(&call.account) {
        return Ok(());
    }
    Err(StripeError::inaccessible_account(&call.account))
}
