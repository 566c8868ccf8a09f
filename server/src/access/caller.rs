//! The caller of a request: anonymous, or the holder of a login session (decision G-5).

use std::future::{Ready, ready};
use std::net::IpAddr;

use actix_web::cookie::Cookie;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use domain::access::Principal;
use domain::{ClubId, Timestamp, access};
use futures_util::future::{Either, LocalBoxFuture};
use persistence::records::audit::AuditAction;
use persistence::records::sessions::{Session, SessionHolder, SessionLifetime};

use crate::api::error::Problem;
use crate::services::identity::{
    client_address, hash_token, login_cookie, login_token_hash, random, second_factor,
};
use crate::state::State;

/// Session lifetime of operators: 2 hours without a request, 12 hours in all.
pub const OPERATOR_SESSION_LIFETIME: SessionLifetime = SessionLifetime {
    idle_seconds: 2 * 3600,
    whole_seconds: 12 * 3600,
};
/// Session lifetime of clubs: 12 hours without a request, 24 hours in all.
pub const CLUB_SESSION_LIFETIME: SessionLifetime = SessionLifetime {
    idle_seconds: 12 * 3600,
    whole_seconds: 24 * 3600,
};

/// Session lifetime of clubs that chose to stay signed in: 30 days, however often it is used.
pub const CLUB_LONG_SESSION_LIFETIME: SessionLifetime = SessionLifetime {
    idle_seconds: 30 * 86_400,
    whole_seconds: 30 * 86_400,
};

/// How long a login lasts, as chosen in the login form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChoice {
    /// The account's standard lifetime. The browser forgets the cookie when it is closed.
    Standard,
    /// A club's long lifetime. An operator's session keeps its standard lifetime.
    StaySignedIn,
}

/// Who sent a request: the login session, if there is one, and the client's IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub session: Option<Session>,
    pub ip: IpAddr,
}

impl Caller {
    /// Returns the caller's role. An operator who has entered a password but no code yet is a
    /// [`Principal::HalfOperator`].
    pub fn principal(self) -> Principal {
        match self.session {
            Some(Session {
                holder: SessionHolder::Admin(_),
                proven_at: None,
                ..
            }) => Principal::HalfOperator,
            Some(session) => session.holder.principal(),
            None => Principal::Anonymous,
        }
    }

    /// Returns the account of the session, even if an operator's second-factor code is still
    /// missing.
    pub fn holder(self) -> Option<SessionHolder> {
        self.session.map(|session| session.holder)
    }

    /// Returns the time until which the caller's last proof counts as recent. The proof is the
    /// entered password, or for an operator the entered second-factor code.
    ///
    /// `None` when the caller must prove the identity again.
    pub fn recent_authentication_expiry(self, now: Timestamp) -> Option<Timestamp> {
        let until = self
            .session?
            .proven_at?
            .plus_ms(second_factor::IDENTITY_PROOF_LIFETIME_MS);
        (until > now).then_some(until)
    }

    /// Requires a recent password or code.
    ///
    /// # Errors
    ///
    /// 403 `reauthentication-required`: the last password, or the operator's last code, is older
    /// than ten minutes.
    pub fn require_recent_authentication(self, now: Timestamp) -> Result<(), Problem> {
        let sentence = match self.holder() {
            Some(SessionHolder::Club(_) | SessionHolder::Member(_)) => {
                "Confirm that it is you: enter your password."
            }
            Some(SessionHolder::Admin(_)) | None => {
                "Confirm that it is you: enter the code of your authenticator."
            }
        };
        let stale = || Problem::new(StatusCode::FORBIDDEN, "reauthentication-required", sentence);
        self.recent_authentication_expiry(now)
            .map(|_| ())
            .ok_or_else(stale)
    }

    /// Starts an audit log entry about an action of this caller. `actor` is the result of
    /// [`Caller::audit_name`].
    pub fn audit_action<'a>(
        self,
        actor: &'a str,
        club: Option<ClubId>,
        action: &'a str,
        object: &'a str,
    ) -> AuditAction<'a> {
        AuditAction {
            actor,
            club,
            action,
            object,
            ip: Some(self.ip),
        }
    }

    /// Requires that the caller is this club.
    ///
    /// # Errors
    ///
    /// 404 if the caller is another club, as if the object did not exist (decision G-1).
    pub fn require_ownership(self, club: ClubId) -> Result<(), Problem> {
        if access::may_see_club(self.principal(), club) {
            Ok(())
        } else {
            Err(Problem::not_found())
        }
    }

    /// Whether the caller may see the buyers of a club's tickets.
    pub fn may_see_buyers(self, club: ClubId) -> bool {
        access::may_see_buyers(self.principal(), club)
    }

    /// Returns the session's identity for the audit log, such as `club 3`. It is never taken from
    /// request data.
    pub fn audit_name(self) -> String {
        self.holder()
            .map_or_else(|| "anonymous".to_string(), SessionHolder::name)
    }
}

/// Extracts the caller. The session is read from the database at most once per request, and only
/// for handlers that need the caller.
impl FromRequest for Caller {
    type Error = Problem;
    type Future =
        Either<Ready<Result<Caller, Problem>>, LocalBoxFuture<'static, Result<Caller, Problem>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        if let Some(caller) = caller_without_lookup(request) {
            return Either::Left(ready(caller));
        }
        let request = request.clone();
        Either::Right(Box::pin(async move { caller(&request).await }))
    }
}

/// Reads the login cookie, if any, and looks up its session in the database.
///
/// # Errors
///
/// The database could not be read.
pub async fn caller(request: &HttpRequest) -> Result<Caller, Problem> {
    match caller_without_lookup(request) {
        Some(caller) => caller,
        // Boxed here, because the future of the database lookup is several kilobytes large.
        None => Box::pin(look_up_caller(request)).await,
    }
}

/// Returns the caller if no database lookup is needed: there is no login cookie, or the lookup was
/// done before.
fn caller_without_lookup(request: &HttpRequest) -> Option<Result<Caller, Problem>> {
    if let Some(caller) = request.extensions().get::<Caller>() {
        return Some(Ok(*caller));
    }
    let state = match state_of(request) {
        Ok(state) => state,
        Err(problem) => return Some(Err(problem)),
    };
    if login_token_hash(request, &state.config).is_some() {
        return None;
    }
    let caller = Caller {
        session: None,
        ip: client_address(request, &state.config),
    };
    request.extensions_mut().insert(caller);
    Some(Ok(caller))
}

async fn look_up_caller(request: &HttpRequest) -> Result<Caller, Problem> {
    let state = state_of(request)?;
    let session = match login_token_hash(request, &state.config) {
        Some(login) => state.records.session(&login, state.clock.now()).await?,
        None => None,
    };
    let caller = Caller {
        session,
        ip: client_address(request, &state.config),
    };
    request.extensions_mut().insert(caller);
    Ok(caller)
}

fn state_of(request: &HttpRequest) -> Result<&State, Problem> {
    request
        .app_data::<web::Data<State>>()
        .map(|state| state.as_ref())
        .ok_or_else(Problem::unavailable)
}

/// Opens a session for an account whose password or code was just verified. Closes the session of
/// the request's cookie (session fixation).
///
/// `proven` tells whether an operator has entered a second-factor code. Until then the session has
/// the role [`Principal::HalfOperator`].
///
/// `choice` changes only a club's session. Closing, password changes and removals end a long session
/// as they end a standard one.
///
/// # Errors
///
/// The database could not be written.
pub async fn sign_in(
    request: &HttpRequest,
    state: &State,
    holder: SessionHolder,
    proven: bool,
    choice: SessionChoice,
) -> Result<Cookie<'static>, Problem> {
    sign_out(request, state).await?;
    let token: [u8; 32] = random();
    let is_club = holder.club().is_some();
    let stays = is_club && choice == SessionChoice::StaySignedIn;
    let lifetime = match (is_club, stays) {
        (true, true) => CLUB_LONG_SESSION_LIFETIME,
        (true, false) => CLUB_SESSION_LIFETIME,
        (false, _) => OPERATOR_SESSION_LIFETIME,
    };
    // Clubs need no second factor, and their password was entered just now.
    let proven = is_club || proven;
    let now = state.clock.now();
    state
        .records
        .open_session(
            &hash_token(&token),
            holder,
            proven.then_some(now),
            now,
            lifetime,
        )
        .await?;
    let mut cookie = login_cookie(hex::encode(token), &state.config);
    if stays {
        cookie.set_max_age(actix_web::cookie::time::Duration::seconds(
            lifetime.whole_seconds,
        ));
    }
    Ok(cookie)
}

/// Records that the caller entered the password or second-factor code again in the current session.
///
/// # Errors
///
/// The database could not be written.
pub async fn record_reauthentication(request: &HttpRequest, state: &State) -> Result<(), Problem> {
    let login = login_token_hash(request, &state.config).ok_or_else(Problem::unauthenticated)?;
    Ok(state
        .records
        .record_session_proof(&login, state.clock.now())
        .await?)
}

/// Closes the current session, if any, and returns the cookie that removes the login cookie.
///
/// # Errors
///
/// The database could not be written.
pub async fn sign_out(request: &HttpRequest, state: &State) -> Result<Cookie<'static>, Problem> {
    if let Some(login) = login_token_hash(request, &state.config) {
        state.records.close_session(&login).await?;
    }
    let mut removal = login_cookie(String::new(), &state.config);
    removal.make_removal();
    Ok(removal)
}
