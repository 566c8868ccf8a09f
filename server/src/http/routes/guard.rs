//! Checks that run before every route's handler: same origin, signed-in caller, audience and body
//! deadline.

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, HttpMessage, Route as ActixRoute, web};
use domain::access::{Audience, Principal, may_call_route};
use tracing::Instrument;

use super::Route;
use super::body::{body_timeout, with_body_timeout};
use crate::access::caller::caller;
use crate::api::error::Problem;
use crate::http::edge::is_unsafe;
use crate::ops::metrics::MatchedRoute;
use crate::ops::peer_credentials::NODE_PASS_HEADER;
use crate::services::identity::check_same_origin;
use crate::state::State;

/// Routes that an archived club may still call to complete and pay its running draws (decision
/// H-3).
const ROUTES_ALLOWED_WHEN_ARCHIVED: [&str; 8] = [
    "/api/auth/reauthenticate",
    "/api/draws/{draw}/results",
    "/api/draws/{draw}/notify-winners",
    "/api/draws/{draw}/payouts",
    "/api/draws/{draw}/winner-bank",
    "/api/draws/{draw}/winner-bank/proposal",
    "/api/draws/{draw}/winner-bank/reveal",
    "/api/payouts/{payout}",
];

/// Builds the actix route of a handler that runs only if all checks of this module pass.
pub(super) fn guarded_route(route: &'static Route) -> ActixRoute {
    (route.handler)().wrap(from_fn(
        move |request: ServiceRequest, next: Next<BoxBody>| async move {
            guard(route, request, next).await
        },
    ))
}

/// Checks the caller and the URL, and refuses the request if a check fails. Otherwise runs the
/// handler, with a deadline for the body of a request that may change state.
async fn guard(
    route: &'static Route,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    request.extensions_mut().insert(MatchedRoute(route.path));
    if let Err(problem) = check_access(route, &request)
        .await
        .and_then(|()| refuse_nul_characters(&request))
    {
        return Ok(request.error_response(problem));
    }
    if !is_unsafe(request.method()) {
        return next.call(request).await;
    }
    let original = request.request().clone();
    let payload = request.take_payload();
    request.set_payload(with_body_timeout(payload, body_timeout(route.body_max)));
    // actix drops the handler when a browser resets its connection (finding 3 of reliability.md). A
    // call that may change data therefore runs in its own task, which completes after a reset; only
    // the response is lost.
    let call = actix_web::rt::spawn(next.call(request).in_current_span());
    // A panic of the handler is answered with a 503 that has the request id and all headers, like
    // any other failure.
    call.await
        .unwrap_or_else(|_| Ok(ServiceResponse::from_err(Problem::unavailable(), original)))
}

/// Refuses the NUL character in path and query, because Postgres rejects it. The path is checked
/// after two decodings, as the router decodes its variables twice; the query after one.
fn refuse_nul_characters(request: &ServiceRequest) -> Result<(), Problem> {
    const ENCODED_NUL: &str = "%00";
    let mut variables = request.match_info().iter();
    if let Some((name, _)) =
        variables.find(|(_, token)| token.contains('\0') || token.contains(ENCODED_NUL))
    {
        return Err(if name == "draw" {
            Problem::draw_not_found()
        } else {
            Problem::not_found()
        });
    }
    if request.query_string().contains(ENCODED_NUL) {
        return Err(Problem::bad_request(
            "bad-request",
            "The request could not be read.",
        ));
    }
    Ok(())
}

/// Checks that the caller may call the route.
async fn check_access(route: &Route, request: &ServiceRequest) -> Result<(), Problem> {
    let audience = route.audience;
    // Machine routes skip the origin check, because Stripe signs its calls (decision B-1).
    if audience == Audience::Machine {
        return Ok(());
    }
    let state = request
        .app_data::<web::Data<State>>()
        .ok_or_else(Problem::unavailable)?;
    if audience == Audience::Node {
        let token = request
            .headers()
            .get(NODE_PASS_HEADER)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let admitted = state
            .peer_credentials
            .as_ref()
            .is_some_and(|credentials| credentials.accepts_node_pass(token, state.clock.now()));
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
    let principal = caller.principal();
    match principal {
        Principal::Club(club, _) if may_call_route(principal, audience) => {
            let archived = state
                .catalogue
                .facts()
                .club(club)
                .is_some_and(|club| club.archived);
            let is_read = !is_unsafe(request.method());
            if archived && !is_read && !ROUTES_ALLOWED_WHEN_ARCHIVED.contains(&route.path) {
                return Err(Problem::club_archived());
            }
        }
        _ if may_call_route(principal, audience) => {}
        Principal::Anonymous => return Err(Problem::unauthenticated()),
        Principal::HalfOperator => {
            let sentence = "Enter the code of your authenticator first.";
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "second-factor-required",
                sentence,
            ));
        }
        Principal::Club(_, role) if let Some(needs) = audience.role() => {
            return Err(Problem::role_not_allowed(role, needs));
        }
        Principal::Club(..) | Principal::Operator => {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "forbidden",
                "This is for the platform operator.",
            ));
        }
    }
    if audience.needs_recent_authentication() {
        caller.require_recent_authentication(state.clock.now())
    } else {
        Ok(())
    }
}
