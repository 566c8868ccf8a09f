//! Records that a club agrees to the terms of service, with the time, IP address and browser name
//! that the server observed (decision E-17).

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::ClubId;
use persistence::records::terms::TermsAcceptance;

use crate::access::caller::Caller;
use crate::api::draw_form::{AcceptedTerms, TermsAgreementForm};
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::services::identity::client_address;
use crate::state::State;
use crate::text::terms::{SERVICE_TERMS, sha256_hex};

/// Maximum stored characters of the `User-Agent` header.
const USER_AGENT_CHARS_MAX: usize = 300;

/// Stores the agreement of a club to the current terms of service.
pub async fn accept_service_terms(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    body: Body<TermsAgreementForm>,
) -> Result<HttpResponse, Problem> {
    let club = named_or_own_club(caller, body.0.club_id)?;
    if state.records.club(club).await?.is_none() {
        return Err(Problem::not_found());
    }
    // Refuse an agreement to another version: the club must have seen the current text.
    if body
        .0
        .terms_version
        .as_deref()
        .is_some_and(|version| version != SERVICE_TERMS.version)
    {
        return Err(Problem::conflict(
            "terms-outdated",
            "Error recording your agreement. Please try again.",
        ));
    }
    let agent = request
        .headers()
        .get(header::USER_AGENT)
        .and_then(|agent| agent.to_str().ok())
        .unwrap_or_default();
    let acceptance = TermsAcceptance {
        club,
        at: state.clock.now(),
        ip_address: client_address(&request, &state.config).to_string(),
        user_agent: agent.chars().take(USER_AGENT_CHARS_MAX).collect(),
        version: SERVICE_TERMS.version.to_string(),
        digest: sha256_hex(SERVICE_TERMS.text),
    };
    let id = state.records.accept_terms(&acceptance).await?;
    let (accepted_at, terms_version) = (rfc3339(acceptance.at), acceptance.version);
    Ok(HttpResponse::Created().json(AcceptedTerms {
        id,
        accepted_at,
        terms_version,
    }))
}

/// Returns the club named in the request body, or the caller's own club if none is named.
///
/// # Errors
/// 404: another club. 400: an operator named no club.
pub(super) fn named_or_own_club(caller: Caller, named: Option<i64>) -> Result<ClubId, Problem> {
    let own = match caller.principal() {
        domain::access::Principal::Club(club, _) => Some(club),
        _ => None,
    };
    let missing = || Problem::bad_request("club-required", "Say for which club.");
    let club = named.map(ClubId).or(own).ok_or_else(missing)?;
    caller.require_ownership(club)?;
    Ok(club)
}
