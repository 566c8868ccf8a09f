//! The sandbox's own calls: what the provider's dashboard, a bank or an auditor would do.

use actix_web::http::StatusCode;
use actix_web::web::{self, Data, Json, Path, Query, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::failure::Failure;
use super::faults::Faults;
use super::intent::settle;
use super::state::State;
use super::{Sandbox, dispute, ledger};

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/ledger", web::get().to(show_ledger))
        .route("/faults", web::get().to(show_faults))
        .route("/faults", web::post().to(set_faults))
        .route("/dispute", web::post().to(raise_dispute))
        .route("/expire", web::post().to(expire))
        .route("/accounts", web::post().to(ensure_account))
        .route("/accounts/{id}", web::post().to(restrict_account));
}

#[derive(Debug, Deserialize)]
struct Detail {
    detail: Option<String>,
}

async fn show_ledger(sandbox: Data<Sandbox>, asked: Query<Detail>) -> impl Responder {
    let in_detail = asked.detail.as_deref() == Some("1");
    Json(ledger::totals(
        &sandbox.state.lock().expect("the state is never poisoned"),
        in_detail,
    ))
}

async fn show_faults(sandbox: Data<Sandbox>) -> impl Responder {
    Json(
        sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned")
            .clone(),
    )
}

async fn set_faults(sandbox: Data<Sandbox>, faults: Json<Faults>) -> impl Responder {
    sandbox.set_faults(faults.into_inner());
    show_faults(sandbox).await
}

#[derive(Debug, Deserialize)]
struct Named {
    #[serde(alias = "paymentIntent")]
    payment_intent: String,
    reason: Option<String>,
}

async fn raise_dispute(sandbox: Data<Sandbox>, named: Json<Named>) -> HttpResponse {
    let reason = named.reason.as_deref().unwrap_or("fraudulent");
    change(&sandbox, |state| {
        dispute::raise(state, &named.payment_intent, reason)
    })
}

/// The bank lets an authorisation run out, as after seven days.
async fn expire(sandbox: Data<Sandbox>, named: Json<Named>) -> HttpResponse {
    change(&sandbox, |state| {
        settle::expire(state, &named.payment_intent)
    })
}

#[derive(Debug, Deserialize)]
struct Wanted {
    id: String,
    name: Option<String>,
}

async fn ensure_account(sandbox: Data<Sandbox>, wanted: Json<Wanted>) -> HttpResponse {
    change(&sandbox, |state| {
        state.adopt_account(&wanted.id, wanted.name.as_deref());
        Ok(json!({ "id": wanted.id }))
    })
}

#[derive(Debug, Deserialize)]
struct Right {
    #[serde(alias = "chargesEnabled")]
    charges_enabled: bool,
}

async fn restrict_account(
    sandbox: Data<Sandbox>,
    id: Path<String>,
    right: Json<Right>,
) -> HttpResponse {
    change(&sandbox, |state| {
        state.restrict_account(&id, right.charges_enabled)
    })
}

/// Changes the state outside the provider's API: committed before it is answered, like everything else.
pub fn change(
    sandbox: &Sandbox,
    change: impl FnOnce(&mut State) -> Result<Value, Failure>,
) -> HttpResponse {
    let mut state = sandbox.state.lock().expect("the state is never poisoned");
    state.request = (String::new(), None);
    let changed = change(&mut state);
    let written = state.commit();
    drop(state);
    sandbox.courier.wake();
    let outcome = written.map_err(|_| Failure::internal()).and(changed);
    match outcome {
        Ok(value) => HttpResponse::Ok().json(value),
        Err(failure) => {
            let status =
                StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            HttpResponse::build(status).json(failure.body())
        }
    }
}
