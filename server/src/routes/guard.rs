//! What stands before every route of the table: whose page sent the call, who is signed in, and that it is finished.

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, HttpMessage, Route as ActixRoute, web};
use domain::access::{Audience, Principal, may};
use tracing::Instrument;

use super::Route;
use super::body::{in_time, patience};
use crate::edge::is_unsafe;
use crate::error::Problem;
use crate::identity::{caller, check_same_origin};
use crate::metrics::AnsweredBy;
use crate::nodes::pass::PASS;
use crate::state::State;

/// What an archived club may still write: its running draws finish and pay (decision H-3).
const FINISHING: [&str; 6] = [
    "/api/draws/{draw}/results",
    "/api/draws/{draw}/notify-winners",
    "/api/draws/{draw}/payouts",
    "/api/draws/{draw}/winner-bank",
    "/api/draws/{draw}/winner-bank/reveal",
    "/api/payouts/{payout}",
];

pub(super) fn guarded(route: &'static Route) -> ActixRoute {
    (route.handler)().wrap(from_fn(
        move |request: ServiceRequest, next: Next<BoxBody>| async move {
            guard(route, request, next).await
        },
    ))
}

async fn guard(
    route: &'static Route,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    request.extensions_mut().insert(AnsweredBy(route.path));
    if let Err(problem) = admit(route, &request)
        .await
        .and_then(|()| check_address(&request))
    {
        return Ok(request.error_response(problem));
    }
    if !is_unsafe(request.method()) {
        return next.call(request).await;
    }
    let asked = request.request().clone();
    let payload = request.take_payload();
    request.set_payload(in_time(payload, patience(route.body_max)));
    // A browser that resets its connection drops the handler half-way (reliability.md, finding 3). What may change something
    // runs on by itself; only its answer is lost.
    let call = actix_web::rt::spawn(next.call(request).in_current_span());
    // A call that came to a panic is answered like any other, with its id and its headers.
    call.await
        .unwrap_or_else(|_| Ok(ServiceResponse::from_err(Problem::unavailable(), asked)))
}

/// No text that we keep may hold a NUL, and Postgres compares with none: nothing is called by one, and nothing is asked by one.
/// A path's variables are decoded twice, here and when they are taken; a query once.
fn check_address(request: &ServiceRequest) -> Result<(), Problem> {
    const NUL: &str = "%00";
    let mut variables = request.match_info().iter();
    if let Some((name, _)) = variables.find(|(_, said)| said.contains('\0') || said.contains(NUL)) {
        return Err(if name == "draw" {
            Problem::draw_not_found()
        } else {
            Problem::not_found()
        });
    }
    if request.query_string().contains(NUL) {
        return Err(Problem::bad_request(
            "bad-request",
            "The request could not be read.",
        ));
    }
    Ok(())
}

async fn admit(route: &Route, request: &ServiceRequest) -> Result<(), Problem> {
    let audience = route.audience;
    // The provider signs its calls; nobody else's origin matters there (decision B-1).
    if audience == Audience::Machine {
        return Ok(());
    }
    let state = request
        .app_data::<web::Data<State>>()
        .ok_or_else(Problem::unavailable)?;
    if audience == Audience::Node {
        let said = request
            .headers()
            .get(PASS)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let admitted = state
            .pass
            .as_ref()
            .is_some_and(|pass| pass.admits(said, state.clock.now()));
        return if admitted {
            Ok(())
        } else {
            Err(Problem::unauthenticated())
        };
    }
    check_same_origin(request.request(), &state.config)?;
    if matches!(audience, Audience::Public | Audience::Buyer) {
        return Ok(());
    }
    let caller = caller(request.request()).await?;
    let who = caller.principal();
    match who {
        Principal::Club(club, _) if may(who, audience) => {
            let archived = state
                .catalogue
                .facts()
                .club(club)
                .is_some_and(|club| club.archived);
            let looks = !is_unsafe(request.method());
            if looks || !archived || FINISHING.contains(&route.path) {
                Ok(())
            } else {
                Err(Problem::club_archived())
            }
        }
        _ if may(who, audience) && audience == Audience::ProvenOperator => {
            caller.must_be_fresh(state.clock.now())
        }
        _ if may(who, audience) => Ok(()),
        Principal::Anonymous => Err(Problem::unauthenticated()),
        Principal::HalfOperator => {
            let sentence = "Enter the code of your authenticator first.";
            Err(Problem::new(
                StatusCode::FORBIDDEN,
                "second-factor-required",
                sentence,
            ))
        }
        Principal::Club(_, role) if let Some(needs) = audience.role() => {
            Err(Problem::role_not_allowed(role, needs))
        }
        Principal::Club(..) | Principal::Operator => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "This is for the platform operator.",
        )),
    }
}
