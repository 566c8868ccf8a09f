//! Who is asking: a buyer's browser by its session cookie, a club or the operator by a login cookie (decision G-5).

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
use persistence::records::audit::Act;
use persistence::records::sessions::{Holder, Lifetime, Session};
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::error::Problem;
use crate::state::State;

mod address;
pub mod origin;
pub mod password;
pub mod second_factor;
pub mod weakness;

pub use address::address;

/// A buyer's browser: 128 random bits, no account behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Browser(pub [u8; 16]);

/// Idle 2 hours, at most 12 (operators); idle 12 hours, at most 24 (clubs).
pub const OPERATOR: Lifetime = Lifetime {
    idle_seconds: 2 * 3600,
    whole_seconds: 12 * 3600,
};
pub const CLUB: Lifetime = Lifetime {
    idle_seconds: 12 * 3600,
    whole_seconds: 24 * 3600,
};

const BROWSER_COOKIE: [&str; 2] = ["fd_session", "__Host-fd_session"];
const LOGIN_COOKIE: [&str; 2] = ["fd_login", "__Host-fd_login"];

impl Browser {
    pub fn new() -> Browser {
        Browser(random())
    }

    pub fn read(request: &HttpRequest, config: &Config) -> Option<Browser> {
        Browser::decode(request.cookie(name(BROWSER_COOKIE, config))?.value())
    }

    /// As its cookie says it.
    pub fn decode(value: &str) -> Option<Browser> {
        decode(value).map(Browser)
    }

    pub fn cookie(self, config: &Config) -> Cookie<'static> {
        let mut cookie = cookie(BROWSER_COOKIE, hex::encode(self.0), config);
        cookie.set_max_age(actix_web::cookie::time::Duration::days(30));
        cookie
    }
}

impl Default for Browser {
    fn default() -> Browser {
        Browser::new()
    }
}

/// The edge gave every request its browser.
impl FromRequest for Browser {
    type Error = Problem;
    type Future = Ready<Result<Browser, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            request
                .extensions()
                .get::<Browser>()
                .copied()
                .ok_or_else(Problem::unavailable),
        )
    }
}

/// Who is signed in, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    pub session: Option<Session>,
    pub ip: IpAddr,
}

impl Caller {
    /// An operator who has given a password but no code yet is nobody's operator (see [`Principal::HalfOperator`]).
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

    /// Who holds the session, half or whole.
    pub fn holder(self) -> Option<Holder> {
        self.session.map(|session| session.holder)
    }

    /// Until when the second factor need not be shown again; `None` when it must be.
    pub fn proven_until(self, now: Timestamp) -> Option<Timestamp> {
        let until = self.session?.proven_at?.plus_ms(second_factor::FRESH_MS);
        (until > now).then_some(until)
    }

    /// # Errors
    /// 403 `reauthentication-required`: the operator's last code is older than ten minutes.
    pub fn must_be_fresh(self, now: Timestamp) -> Result<(), Problem> {
        let sentence = "Confirm that it is you: enter the code of your authenticator.";
        let stale = || Problem::new(StatusCode::FORBIDDEN, "reauthentication-required", sentence);
        self.proven_until(now).map(|_| ()).ok_or_else(stale)
    }

    /// An act of the caller for the audit log; `actor` is what [`Caller::name`] gave.
    pub fn act<'a>(
        self,
        actor: &'a str,
        club: Option<ClubId>,
        action: &'a str,
        object: &'a str,
    ) -> Act<'a> {
        Act {
            actor,
            club,
            action,
            object,
            ip: Some(self.ip),
        }
    }

    /// # Errors
    /// 404: somebody else's object does not exist for the caller (decision G-1).
    pub fn must_own(self, club: ClubId) -> Result<(), Problem> {
        if access::owns(self.principal(), club) {
            Ok(())
        } else {
            Err(Problem::not_found())
        }
    }

    /// Whether the caller may know who bought a club's tickets.
    pub fn knows_buyers(self, club: ClubId) -> bool {
        access::knows_buyers(self.principal(), club)
    }

    /// For the audit log: the session's identity, never what the client says it is.
    pub fn name(self) -> String {
        self.holder()
            .map_or_else(|| "anonymous".to_string(), Holder::name)
    }
}

/// Asked for at most once a request, and only where somebody needs to know.
impl FromRequest for Caller {
    type Error = Problem;
    type Future =
        Either<Ready<Result<Caller, Problem>>, LocalBoxFuture<'static, Result<Caller, Problem>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        if let Some(known) = caller_at_once(request) {
            return Either::Left(ready(known));
        }
        let request = request.clone();
        Either::Right(Box::pin(async move { caller(&request).await }))
    }
}

/// Reads the login cookie, if any, and asks the books who it is.
///
/// # Errors
/// The books could not be read.
pub async fn caller(request: &HttpRequest) -> Result<Caller, Problem> {
    match caller_at_once(request) {
        Some(known) => known,
        // What asks the books takes kilobytes while it does: nobody carries them who does not ask.
        None => Box::pin(signed_in(request)).await,
    }
}

/// Who needs no look into the books: who brings no login, and who was looked up already.
fn caller_at_once(request: &HttpRequest) -> Option<Result<Caller, Problem>> {
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

async fn signed_in(request: &HttpRequest) -> Result<Caller, Problem> {
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

/// Opens a session for who has just proved who they are, and forgets the one the browser came with (fixation). An operator's
/// is half a session until a code is shown: `proven`.
///
/// # Errors
/// The books could not be written.
pub async fn sign_in(
    request: &HttpRequest,
    state: &State,
    holder: Holder,
    proven: bool,
) -> Result<Cookie<'static>, Problem> {
    sign_out(request, state).await?;
    let token: [u8; 32] = random();
    let lifetime = match holder {
        Holder::Club(_) | Holder::Member(_) => CLUB,
        Holder::Admin(_) => OPERATOR,
    };
    let now = state.clock.now();
    state
        .records
        .open_session(&hash(&token), holder, proven.then_some(now), now, lifetime)
        .await?;
    Ok(cookie(LOGIN_COOKIE, hex::encode(token), &state.config))
}

/// The second factor was shown again in the session the browser came with.
///
/// # Errors
/// The books could not be written.
pub async fn prove(request: &HttpRequest, state: &State) -> Result<(), Problem> {
    let token = login_token(request, &state.config).ok_or_else(Problem::unauthenticated)?;
    Ok(state
        .records
        .prove_session(&hash(&token), state.clock.now())
        .await?)
}

/// Closes the session the browser came with, if any, and gives the cookie that removes its own.
///
/// # Errors
/// The books could not be written.
pub async fn sign_out(request: &HttpRequest, state: &State) -> Result<Cookie<'static>, Problem> {
    if let Some(token) = login_token(request, &state.config) {
        state.records.close_session(&hash(&token)).await?;
    }
    let mut removal = cookie(LOGIN_COOKIE, String::new(), &state.config);
    removal.make_removal();
    Ok(removal)
}

/// The login a request came with, as the books hold it; whether it is still good they say.
pub fn login(request: &HttpRequest, config: &Config) -> Option<[u8; 32]> {
    login_token(request, config).map(|token| hash(&token))
}

/// Whether a request carries a login cookie at all, valid or not.
pub fn has_login_cookie(request: &HttpRequest, config: &Config) -> bool {
    request.cookie(name(LOGIN_COOKIE, config)).is_some()
}

/// Refuses what another site's page made a browser send (decision G-5).
///
/// # Errors
/// 403.
pub fn check_same_origin(request: &HttpRequest, config: &Config) -> Result<(), Problem> {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) {
        return Ok(());
    }
    let word = |name| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable"))
    };
    let verdict = origin::judge(&origin::Signs {
        site: word(header::HeaderName::from_static("sec-fetch-site")),
        origin: word(header::ORIGIN),
        host: word(header::HOST),
        public_url: &config.public_url,
        signed_in: has_login_cookie(request, config),
    });
    match verdict {
        origin::Verdict::Ours => Ok(()),
        origin::Verdict::Foreign => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-origin",
            "This request did not come from our own pages.",
        )),
    }
}

/// Whether a cookie of this name says which browser it is.
pub fn has_name_of_browser(name: &str, config: &Config) -> bool {
    name == self::name(BROWSER_COOKIE, config)
}

/// Whether a cookie of this name is a login's.
pub fn has_name_of_login(name: &str, config: &Config) -> bool {
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

/// How the secret of a mailed link is stored: its reader alone has the link.
pub fn link_hash(token: &[u8; 32]) -> [u8; 32] {
    hash(token)
}

/// The stored form of a mailed link's secret as its reader sends it back, if it can be one.
pub fn link_hash_of(text: &str) -> Option<[u8; 32]> {
    decode(text).map(|token| link_hash(&token))
}

fn hash(token: &[u8; 32]) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Secret bytes that the operating system gives at a time: most are asked for a few at every call.
const DRAWN_AT_ONCE: usize = 1024;

thread_local! {
    /// What this thread has not given away yet.
    static DRAWN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Secret bytes from the operating system, each given once. Without them nothing may go on.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    DRAWN.with_borrow_mut(|drawn| {
        if drawn.len() < N {
            drawn.resize(DRAWN_AT_ONCE.max(N), 0);
            getrandom::fill(drawn).expect("the operating system gives random bytes");
        }
        let kept = drawn.len() - N;
        bytes.copy_from_slice(&drawn[kept..]);
        drawn.truncate(kept);
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
    fn no_secret_bytes_are_given_twice() {
        let mut given: Vec<[u8; 16]> = (0..3 * DRAWN_AT_ONCE).map(|_| random()).collect();
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), 3 * DRAWN_AT_ONCE);
        assert_ne!(
            random::<{ 2 * DRAWN_AT_ONCE }>(),
            [0; 2 * DRAWN_AT_ONCE],
            "more than is drawn at once"
        );
    }

    #[test]
    fn over_tls_no_other_host_can_set_or_read_a_cookie() {
        let config = config("https://doubles.example.com");
        for (names, whole) in [
            (LOGIN_COOKIE, "__Host-fd_login"),
            (BROWSER_COOKIE, "__Host-fd_session"),
        ] {
            let made = cookie(names, "x".into(), &config);
            assert_eq!(
                (made.name(), made.path(), made.domain()),
                (whole, Some("/"), None)
            );
            assert_eq!(
                (made.secure(), made.http_only(), made.same_site()),
                (Some(true), Some(true), Some(SameSite::Lax))
            );
        }
        assert!(
            Browser::new()
                .cookie(&config)
                .to_string()
                .starts_with("__Host-fd_session=")
        );
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
