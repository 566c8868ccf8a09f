//! The cookies, addresses and secrets that identify a caller: a buyer's browser by its session
//! cookie, a club or an operator by a login cookie (decision G-5).

use std::cell::RefCell;

use actix_web::HttpRequest;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::{Method, StatusCode, header};
use sha2::{Digest, Sha256};

use crate::api::error::Problem;
use crate::config::Config;

pub mod browser;
mod client_address;
pub mod origin;
pub mod password;
pub mod password_strength;
pub mod second_factor;

pub use browser::{Browser, BrowserCookies, RequestBrowser};
pub use client_address::client_address;

const LOGIN_COOKIE_NAMES: [&str; 2] = ["fd_login", "__Host-fd_login"];

/// Returns the hash of the token in the request's login cookie, by which its session is found. The
/// session may not exist, or may have expired.
pub fn login_token_hash(request: &HttpRequest, config: &Config) -> Option<[u8; 32]> {
    login_token(request, config).map(|token| hash_token(&token))
}

/// Whether a request carries a login cookie, valid or not.
pub fn has_login_cookie(request: &HttpRequest, config: &Config) -> bool {
    request
        .cookie(cookie_name(LOGIN_COOKIE_NAMES, config))
        .is_some()
}

/// Rejects a request that may change state and was sent by another site's page (cross-site request
/// forgery, decision G-5).
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
    name == cookie_name(LOGIN_COOKIE_NAMES, config)
}

fn login_token(request: &HttpRequest, config: &Config) -> Option<[u8; 32]> {
    decode_hex(
        request
            .cookie(cookie_name(LOGIN_COOKIE_NAMES, config))?
            .value(),
    )
}

fn cookie_name(names: [&'static str; 2], config: &Config) -> &'static str {
    names[usize::from(config.uses_tls())]
}

fn build_cookie(names: [&'static str; 2], value: String, config: &Config) -> Cookie<'static> {
    Cookie::build(cookie_name(names, config), value)
        .path("/")
        .http_only(true)
        .secure(config.uses_tls())
        .same_site(SameSite::Lax)
        .finish()
}

/// Builds the login cookie with `value` and its attributes.
pub fn login_cookie(value: String, config: &Config) -> Cookie<'static> {
    build_cookie(LOGIN_COOKIE_NAMES, value, config)
}

fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

/// Returns the SHA-256 of the secret in a mailed link. The database stores only a keyed hash of
/// this digest (decision M-5).
pub fn link_hash(token: &[u8; 32]) -> [u8; 32] {
    hash_token(token)
}

/// Parses the hexadecimal secret of a mailed link and hashes it; `None` if the text is malformed.
pub fn parse_link_hash(text: &str) -> Option<[u8; 32]> {
    decode_hex(text).map(|token| link_hash(&token))
}

/// Returns the SHA-256 of a token. The database stores only a keyed hash of this digest, never the
/// token.
pub fn hash_token(token: &[u8; 32]) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Number of random bytes that are fetched from the operating system at a time.
const RANDOM_BATCH_BYTES: usize = 1024;

thread_local! {
    /// Random bytes that this thread has fetched and not used yet.
    static UNUSED_RANDOM_BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns random bytes from the operating system, fit for secrets. Panics if the system provides
/// none.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    UNUSED_RANDOM_BYTES.with_borrow_mut(|unused| {
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
        Config::for_demo(&Environment::from_pairs([("PUBLIC_URL", url)]))
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
            (
                build_cookie(LOGIN_COOKIE_NAMES, "x".into(), &config),
                "__Host-fd_login",
            ),
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
        let plain = build_cookie(
            LOGIN_COOKIE_NAMES,
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
