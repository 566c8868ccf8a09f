//! Parses the cookies that the fast path needs: the browser cookie and the login cookie.

use actix_web::http::header::{COOKIE, HeaderMap};

use domain::Timestamp;

use crate::config::Config;
use crate::services::identity::{Browser, BrowserCookies, is_login_cookie_name};
use crate::state::State;

/// The browser of a request, and whether the request has a login cookie.
#[derive(Clone, Copy, Default)]
pub struct RequestCookies {
    pub browser: Option<Browser>,
    /// Whether a login cookie is present, valid or not.
    pub login: bool,
}

impl RequestCookies {
    /// Reads the cookies that the fast path needs. `None` if they need the full cookie parser; the
    /// application then handles the request.
    pub fn of(headers: &HeaderMap, state: &State, now: Timestamp) -> Option<RequestCookies> {
        RequestCookies::read(headers, &state.config, &state.browser_cookies, now)
    }

    fn read(
        headers: &HeaderMap,
        config: &Config,
        browsers: &BrowserCookies,
        now: Timestamp,
    ) -> Option<RequestCookies> {
        let mut cookies = RequestCookies::default();
        let mut has_browser = false;
        for value in headers.get_all(COOKIE) {
            let text = value.to_str().ok()?;
            if text.bytes().any(|byte| matches!(byte, b'%' | b'"')) {
                return None;
            }
            for (name, value) in text.split(';').filter_map(|cookie| cookie.split_once('=')) {
                let (name, value) = (name.trim(), value.trim());
                cookies.login |= is_login_cookie_name(name, config);
                // If a cookie is sent twice, use the first one, as the application does.
                if browsers.is_browser_cookie_name(name)
                    && !std::mem::replace(&mut has_browser, true)
                {
                    cookies.browser = browsers.verify(value, now);
                }
            }
        }
        Some(cookies)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;

    use super::*;
    use crate::config::Environment;
    use crate::services::identity::has_login_cookie;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    #[test]
    fn fast_path_reads_cookies_like_the_full_parser() {
        let demo = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        let signed_value = BrowserCookies::new(&[7; 32], &demo).sign(Browser([3; 16]), NOW);
        let both = [
            String::new(),
            "fd_session=00112233445566778899aabbccddeeff".to_string(),
            format!("fd_session={signed_value}"),
            format!("a=b; fd_session={signed_value} ;c"),
            format!("fd_session=;fd_session={signed_value}"),
            format!("fd_session={signed_value}0"),
            format!("FD_SESSION={signed_value}"),
            format!("__Host-fd_session={signed_value}; fd_login=x"),
            format!(
                " fd_login = ; =; ; fd_session = {}",
                signed_value.to_uppercase()
            ),
            "fd_login".to_string(),
            "fd_session=fd_login=1".to_string(),
            "fd_loginx=1; xfd_login=2; fd_login=".to_string(),
        ];
        for url in ["http://localhost:8080", "https://fd.test"] {
            let config = Config::for_demo(&Environment::from_pairs([("PUBLIC_URL", url)]))
                .expect("the demo needs nothing");
            for cookies in &both {
                let request = TestRequest::default()
                    .append_header(("cookie", cookies.as_str()))
                    .to_http_request();
                let browsers = BrowserCookies::new(&[7; 32], &config);
                let read = RequestCookies::read(request.headers(), &config, &browsers, NOW)
                    .expect("plain");
                assert!(
                    read.browser == browsers.read(&request, NOW),
                    "{cookies} at {url}"
                );
                assert_eq!(
                    read.login,
                    has_login_cookie(&request, &config),
                    "{cookies} at {url}"
                );
            }
        }
    }

    #[test]
    fn unusual_cookies_are_left_to_the_full_parser() {
        let config = Config::for_demo(&Environment::default()).expect("the demo needs nothing");
        for cookies in [
            &b"fd%5Flogin=x"[..],
            b"fd_session=\"00112233445566778899aabbccddeeff\"",
            b"a=\xff; fd_login=x",
        ] {
            let mut headers = HeaderMap::new();
            headers.append(COOKIE, HeaderValue::from_bytes(cookies).expect("a header"));
            let browsers = BrowserCookies::new(&[7; 32], &config);
            assert!(
                RequestCookies::read(&headers, &config, &browsers, NOW).is_none(),
                "{}",
                cookies.escape_ascii()
            );
        }
    }
}
