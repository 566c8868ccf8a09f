//! A buyer's browser and the signed cookie that identifies it. Only this server can sign such a
//! cookie, so a client cannot invent browsers to get around limits.

use std::future::{Ready, ready};

use actix_web::cookie::{Cookie, SameSite, time::Duration};
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use domain::Timestamp;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{cookie_name, random};
use crate::api::error::Problem;
use crate::config::Config;

/// A buyer's browser: 128 random bits, without an account.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Browser(pub [u8; 16]);

pub(super) const BROWSER_COOKIE_NAMES: [&str; 2] = ["fd_session", "__Host-fd_session"];
/// Days that a browser keeps its cookie, and that the server accepts the cookie after its issue.
const COOKIE_AGE_DAYS_MAX: i64 = 30;
const ID_BYTES: usize = 16;
/// Number of bytes of the issue time in the cookie: seconds since 1970, enough until the year 2106.
const ISSUE_TIME_BYTES: usize = 4;
/// Bytes of the signature in the cookie: the left half of HMAC-SHA-256. 128 bits cannot be guessed.
const SIGNATURE_BYTES: usize = 16;
const COOKIE_VALUE_BYTES: usize = ID_BYTES + ISSUE_TIME_BYTES + SIGNATURE_BYTES;
/// Number of hexadecimal digits in a cookie's value.
pub const COOKIE_VALUE_DIGITS: usize = 2 * COOKIE_VALUE_BYTES;
/// Label with which the signing key of browser cookies is derived from the sealing key.
pub const BROWSER_COOKIE_KEY_PURPOSE: &str = "browser-cookie";

impl Browser {
    /// Creates a browser with a random id.
    pub fn new() -> Browser {
        Browser(random())
    }
}

impl Default for Browser {
    fn default() -> Browser {
        Browser::new()
    }
}

/// Extracts the browser that the outermost middleware stored in the request.
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

/// The browser that sent a request, known by its valid cookie. `None` for a new browser, which gets
/// its cookie with the response.
#[derive(Clone, Copy)]
pub struct RequestBrowser(pub Option<Browser>);

impl RequestBrowser {
    /// Returns the browser that the outermost middleware read from a valid cookie.
    pub fn of(request: &HttpRequest) -> Option<Browser> {
        request
            .extensions()
            .get::<RequestBrowser>()
            .and_then(|known| known.0)
    }
}

/// Signs and verifies browser cookies. All nodes have the same key, because they have the same
/// sealing key.
pub struct BrowserCookies {
    /// HMAC initialised with the key once, so that each signature costs only two SHA-256 blocks.
    signer: Hmac<Sha256>,
    name: &'static str,
    uses_tls: bool,
}

impl BrowserCookies {
    pub fn new(key: &[u8; 32], config: &Config) -> BrowserCookies {
        let signer = Hmac::new_from_slice(key).expect("HMAC takes a key of any length");
        BrowserCookies {
            signer,
            name: cookie_name(BROWSER_COOKIE_NAMES, config),
            uses_tls: config.uses_tls(),
        }
    }

    /// Whether `name` is the name of the browser cookie.
    pub fn is_browser_cookie_name(&self, name: &str) -> bool {
        name == self.name
    }

    /// Returns the browser of a request's cookie; `None` without a valid cookie.
    pub fn read(&self, request: &HttpRequest, now: Timestamp) -> Option<Browser> {
        self.verify(request.cookie(self.name)?.value(), now)
    }

    /// Returns the browser of a cookie value that was signed less than 30 days ago; `None` for a
    /// forged, malformed or expired value. The comparison takes constant time.
    pub fn verify(&self, value: &str, now: Timestamp) -> Option<Browser> {
        let mut bytes = [0; COOKIE_VALUE_BYTES];
        hex::decode_to_slice(value, &mut bytes).ok()?;
        let (signed, signature) = bytes.split_at(ID_BYTES + ISSUE_TIME_BYTES);
        self.signer
            .clone()
            .chain_update(signed)
            .verify_truncated_left(signature)
            .ok()?;
        let (mut id, mut issued) = ([0; ID_BYTES], [0; ISSUE_TIME_BYTES]);
        id.copy_from_slice(&signed[..ID_BYTES]);
        issued.copy_from_slice(&signed[ID_BYTES..]);
        let expires_at = Timestamp(i64::from(u32::from_be_bytes(issued)) * 1000)
            .plus_seconds(COOKIE_AGE_DAYS_MAX * 86_400);
        (now < expires_at).then_some(Browser(id))
    }

    /// Returns the signed cookie value of a browser.
    pub fn sign(&self, browser: Browser, now: Timestamp) -> String {
        let issued = u32::try_from(now.0 / 1000).unwrap_or(0).to_be_bytes();
        let signature = self
            .signer
            .clone()
            .chain_update(browser.0)
            .chain_update(issued)
            .finalize()
            .into_bytes();
        let mut bytes = [0; COOKIE_VALUE_BYTES];
        bytes[..ID_BYTES].copy_from_slice(&browser.0);
        bytes[ID_BYTES..ID_BYTES + ISSUE_TIME_BYTES].copy_from_slice(&issued);
        bytes[ID_BYTES + ISSUE_TIME_BYTES..].copy_from_slice(&signature[..SIGNATURE_BYTES]);
        hex::encode(bytes)
    }

    /// Builds the browser cookie with `value` and its attributes.
    pub fn cookie(&self, value: String) -> Cookie<'static> {
        Cookie::build(self.name, value)
            .path("/")
            .http_only(true)
            .secure(self.uses_tls)
            .same_site(SameSite::Lax)
            .max_age(Duration::days(COOKIE_AGE_DAYS_MAX))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn cookies_with_key(key: u8) -> BrowserCookies {
        let config = Config::for_demo(&Environment::default()).expect("the demo needs no settings");
        BrowserCookies::new(&[key; 32], &config)
    }

    fn is_valid(cookies: &BrowserCookies, value: &str, now: Timestamp) -> bool {
        cookies.verify(value, now).is_some()
    }

    #[test]
    fn signed_cookie_identifies_its_browser() {
        let (cookies, browser) = (cookies_with_key(7), Browser([3; 16]));
        let value = cookies.sign(browser, NOW);
        assert_eq!(value.len(), COOKIE_VALUE_DIGITS);
        assert!(cookies.verify(&value, NOW) == Some(browser));
    }

    #[test]
    fn unsigned_forged_or_truncated_cookie_is_invalid() {
        let cookies = cookies_with_key(7);
        let value = cookies.sign(Browser([3; 16]), NOW);
        assert!(
            !is_valid(&cookies, "00112233445566778899aabbccddeeff", NOW),
            "unsigned"
        );
        assert!(
            !is_valid(&cookies, &"ab".repeat(COOKIE_VALUE_BYTES), NOW),
            "invented"
        );
        assert!(
            !is_valid(&cookies, &value[..COOKIE_VALUE_DIGITS - 2], NOW),
            "truncated"
        );
        assert!(!is_valid(&cookies, "", NOW), "empty");
        assert!(
            !is_valid(&self::cookies_with_key(8), &value, NOW),
            "signed with another key"
        );
        for place in 0..COOKIE_VALUE_DIGITS {
            let other = if &value[place..=place] == "0" {
                "1"
            } else {
                "0"
            };
            let changed = [&value[..place], other, &value[place + 1..]].concat();
            assert!(!is_valid(&cookies, &changed, NOW), "digit {place} changed");
        }
    }

    #[test]
    fn cookie_older_than_thirty_days_is_invalid() {
        let cookies = cookies_with_key(7);
        let value = cookies.sign(Browser([3; 16]), NOW);
        let last = NOW.plus_seconds(COOKIE_AGE_DAYS_MAX * 86_400 - 1);
        assert!(is_valid(&cookies, &value, last));
        assert!(!is_valid(&cookies, &value, last.plus_seconds(1)));
    }
}
