//! Identifies the caller: a buyer's browser by its session cookie, a club or an operator by a login
//! cookie (decision G-5).

use std::cell::RefCell;
use std::future::{Ready, ready};
use std::net::IpAddr;

use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::Payload;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use domain::access::Principal;
use domain::{ClubId, Timestamp, access};
use futures_util::future::{Either, LocalBoxFuture};
use persistence::records::audit::AuditAction;
use persistence::records::sessions::{Holder, Lifetime, Session};
use sha2::{Digest, Sha256};

use crate::api::error::Problem;
use crate::config::Config;
use crate::state::State;

mod address;
pub mod browser;
pub mod origin;
pub mod password;
pub mod second_factor;
pub mod weakness;

pub use address::address;
pub use browser::{Browser, BrowserCookies, KnownBrowser};

/// Session lifetimes. Operators: 2 hours idle, 12 hours in all. Clubs: 12 hours idle, 24 hours in
/// all.
pub const OPERATOR: Lifetime = Lifetime {
    idle_seconds: 2 * 3600,
    whole_seconds: 12 * 3600,
};
pub const CLUB: Lifetime = Lifetime {
    idle_seconds: 12 * 3600,
    whole_seconds: 24 * 3600,
};

const LOGIN_COOKIE: [&str; 2] = ["fd_login", "__Host-fd_login"];

/// The signed-in session, if any, and the address of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub session: Option<Session>,
    pub ip: IpAddr,
}

impl Caller {
    /// The caller's role. An operator who has given a password but no code yet is a
    /// [`Principal::HalfOperator`].
    pub fn principal(self) -> Principal {
        match self.session {
            Some(Session {
                holder: Holder::Admin(_),
                proven_at: None,
                ..
            }) => Principal::HalfOperator,
            Some(session) => session.holder.principal(),
            None => Principal::Anonymous,
        }
    }

    /// The holder of the session, even if the operator's code is still missing.
    pub fn holder(self) -> Option<Holder> {
        self.session.map(|session| session.holder)
    }

    /// Until when the last password, or the operator's last code, counts as recent. `None` when it
    /// must be entered again.
    pub fn proven_until(self, now: Timestamp) -> Option<Timestamp> {
        let until = self.session?.proven_at?.plus_ms(second_factor::FRESH_MS);
        (until > now).then_some(until)
    }

    /// Requires a recent password or code.
    ///
    /// # Errors
    ///
    /// 403 `reauthentication-required`: the last password, or the operator's last code, is older
    /// than ten minutes.
    pub fn require_recent_proof(self, now: Timestamp) -> Result<(), Problem> {
        let sentence = match self.holder() {
            Some(Holder::Club(_) | Holder::Member(_)) => {
                "Confirm that it is you: enter your password."
            }
            Some(Holder::Admin(_)) | None => {
                "Confirm that it is you: enter the code of your authenticator."
            }
        };
        let stale = || Problem::new(StatusCode::FORBIDDEN, "reauthentication-required", sentence);
        self.proven_until(now).map(|_| ()).ok_or_else(stale)
    }

    /// An audit log entry of the caller. `actor` is the result of [`Caller::name`].
    pub fn act<'a>(
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
    /// 404: objects of other clubs do not exist for the caller (decision G-1).
    pub fn require_ownership(self, club: ClubId) -> Result<(), Problem> {
        if access::owns(self.principal(), club) {
            Ok(())
        } else {
            Err(Problem::not_found())
        }
    }

    /// Whether the caller may see the buyers of a club's tickets.
    pub fn knows_buyers(self, club: ClubId) -> bool {
        access::knows_buyers(self.principal(), club)
    }

    /// The session's identity for the audit log. It never depends on what the client claims.
    pub fn name(self) -> String {
        self.holder()
            .map_or_else(|| "anonymous".to_string(), Holder::name)
    }
}

/// Looked up at most once per request, and only by handlers that need it.
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
        // Boxed here: the future of the database lookup is several kilobytes large.
        None => Box::pin(look_up_caller(request)).await,
    }
}

/// The caller if no database lookup is needed: no login cookie, or already looked up.
fn caller_without_lookup(request: &HttpRequest) -> Option<Result<Caller, Problem>> {
    if let Some(caller) = request.extensions().get::<Caller>() {
        return Some(Ok(*caller));
    }
    let state = match state_of(request) {
        Ok(state) => state,
        Err(problem) => return Some(Err(problem)),
    };
    if login_token(request, &state.config).is_some() {
        return None;
    }
    let caller = Caller {
        session: None,
        ip: address(request, &state.config),
    };
    request.extensions_mut().insert(caller);
    Some(Ok(caller))
}

async fn look_up_caller(request: &HttpRequest) -> Result<Caller, Problem> {
    let state = state_of(request)?;
    let session = match login_token(request, &state.config) {
        Some(token) => {
            state
                .records
                .session(&hash(&token), state.clock.now())
                .await?
        }
        None => None,
    };
    let caller = Caller {
        session,
        ip: address(request, &state.config),
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

/// Opens a session for a caller who has just proved the identity, and closes the session of the
/// request's cookie (session fixation). An operator's session stays half until a code is entered
/// (`proven`).
///
/// # Errors
///
/// The database could not be written.
pub async fn sign_in(
    request: &HttpRequest,
    state: &State,
    holder: Holder,
    proven: bool,
) -> Result<Cookie<'static>, Problem> {
    sign_out(request, state).await?;
    let token: [u8; 32] = random();
    let (lifetime, proven) = match holder {
        // The password was given just now.
        Holder::Club(_) | Holder::Member(_) => (CLUB, true),
        Holder::Admin(_) => (OPERATOR, proven),
    };
    let now = state.clock.now();
    state
        .records
        .open_session(&hash(&token), holder, proven.then_some(now), now, lifetime)
        .await?;
    Ok(cookie(LOGIN_COOKIE, hex::encode(token), &state.config))
}

/// Records that the password or the code was entered again in the current session.
///
/// # Errors
///
/// The database could not be written.
pub async fn prove(request: &HttpRequest, state: &State) -> Result<(), Problem> {
    let token = login_token(request, &state.config).ok_or_else(Problem::unauthenticated)?;
    Ok(state
        .records
        .prove_session(&hash(&token), state.clock.now())
        .await?)
}

/// Closes the current session, if any, and returns the cookie that removes the login cookie.
///
/// # Errors
///
/// The database could not be written.
pub async fn sign_out(request: &HttpRequest, state: &State) -> Result<Cookie<'static>, Problem> {
    if let Some(token) = login_token(request, &state.config) {
        state.records.close_session(&hash(&token)).await?;
    }
    let mut removal = cookie(LOGIN_COOKIE, String::new(), &state.config);
    removal.make_removal();
    Ok(removal)
}

/// The hash of the login token as the database stores it. It does not say whether the login is
/// valid.
pub fn login(request: &HttpRequest, config: &Config) -> Option<[u8; 32]> {
    login_token(request, config).map(|token| hash(&token))
}

/// Whether a request carries a login cookie, valid or not.
pub fn has_login_cookie(request: &HttpRequest, config: &Config) -> bool {
    request.cookie(name(LOGIN_COOKIE, config)).is_some()
}

/// Rejects unsafe requests that another site's page made a browser send (decision G-5).
///
/// # Errors
///
/// 403.
pub fn check_same_origin(request: &HttpRequest, config: &Config) -> Result<(), Problem> {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) {
        return Ok(());
    }
    let header_text = |name| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable"))
    };
    let verdict = origin::check_origin(&origin::OriginHeaders {
        site: header_text(header::HeaderName::from_static("sec-fetch-site")),
        origin: header_text(header::ORIGIN),
        host: header_text(header::HOST),
        public_url: &config.public_url,
        has_login_cookie: has_login_cookie(request, config),
    });
    match verdict {
        origin::OriginVerdict::SameOrigin => Ok(()),
        origin::OriginVerdict::CrossOrigin => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-origin",
            "This request did not come from our own pages.",
        )),
    }
}

/// Whether a cookie of this name is the login cookie.
pub fn is_login_cookie_name(name: &str, config: &Config) -> bool {
    name == self::name(LOGIN_COOKIE, config)
}

fn login_token(request: &HttpRequest, config: &Config) -> Option<[u8; 32]> {
    decode(request.cookie(name(LOGIN_COOKIE, config))?.value())
}

fn name(names: [&'static str; 2], config: &Config) -> &'static str {
    names[usize::from(config.over_tls())]
}

fn cookie(names: [&'static str; 2], value: String, config: &Config) -> Cookie<'static> {
    Cookie::build(name(names, config), value)
        .path("/")
        .http_only(true)
        .secure(config.over_tls())
        .same_site(SameSite::Lax)
        .finish()
}

fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

/// The SHA-256 of the secret in a mailed link. The database stores only a keyed hash of it
/// (decision M-5).
pub fn link_hash(token: &[u8; 32]) -> [u8; 32] {
    hash(token)
}

/// The hash of a link's secret as its reader sends it back. `None` if it is malformed.
pub fn link_hash_of(text: &str) -> Option<[u8; 32]> {
    decode(text).map(|token| link_hash(&token))
}

fn hash(token: &[u8; 32]) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Random bytes fetched from the operating system at a time. Most calls need only a few.
const RANDOM_BATCH_BYTES: usize = 1024;

thread_local! {
    /// Random bytes of this thread that were not used yet.
    static RANDOM_BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Secret bytes from the operating system. Every byte is used once. Panics without them.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    RANDOM_BYTES.with_borrow_mut(|unused| {
        if unused.len() < N {
            unused.resize(RANDOM_BATCH_BYTES.max(N), 0);
            getrandom::fill(unused).expect("the operating system gives random bytes");
        }
        let remaining = unused.len() - N;
        bytes.copy_from_slice(&unused[remaining..]);
        unused.truncate(remaining);
    });
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    fn config(url: &str) -> Config {
        Config::demo(&Environment::from_pairs([("PUBLIC_URL", url)]))
            .expect("the demo needs nothing")
    }

    #[test]
    fn random_bytes_are_never_returned_twice() {
        let mut values: Vec<[u8; 16]> = (0..3 * RANDOM_BATCH_BYTES).map(|_| random()).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 3 * RANDOM_BATCH_BYTES);
        assert_ne!(
            random::<{ 2 * RANDOM_BATCH_BYTES }>(),
            [0; 2 * RANDOM_BATCH_BYTES],
            "more bytes than one batch"
        );
    }

    #[test]
    fn cookies_over_tls_have_the_host_prefix() {
        let config = config("https://doubles.example.com");
        let browsers = BrowserCookies::new(&[7; 32], &config);
        for (made, whole) in [
            (cookie(LOGIN_COOKIE, "x".into(), &config), "__Host-fd_login"),
            (browsers.cookie("x".into()), "__Host-fd_session"),
        ] {
            assert_eq!(
                (made.name(), made.path(), made.domain()),
                (whole, Some("/"), None)
            );
            assert_eq!(
                (made.secure(), made.http_only(), made.same_site()),
                (Some(true), Some(true), Some(SameSite::Lax))
            );
        }
        let plain = cookie(
            LOGIN_COOKIE,
            "x".into(),
            &self::config("http://localhost:8080"),
        );
        assert_eq!(
            (plain.name(), plain.secure()),
            ("fd_login", Some(false)),
            "no browser takes the prefix without TLS"
        );
    }
}
