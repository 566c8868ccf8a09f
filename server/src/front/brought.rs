//! What a browser's cookies say, as far as an answer that lies ready depends on them.

use actix_web::http::header::{COOKIE, HeaderMap};

use crate::config::Config;
use crate::identity::{Browser, has_name_of_browser, has_name_of_login};

#[derive(Clone, Copy, Default)]
pub struct Brought {
    pub browser: Option<Browser>,
    /// A login's cookie, good or not.
    pub login: bool,
}

impl Brought {
    /// `None`: somebody who takes them apart by all the rules must read them.
    pub fn by(headers: &HeaderMap, config: &Config) -> Option<Brought> {
        let mut brought = Brought::default();
        let mut has_browser = false;
        for value in headers.get_all(COOKIE) {
            let text = value.to_str().ok()?;
            if text.bytes().any(|byte| matches!(byte, b'%' | b'"')) {
                return None;
            }
            for (name, value) in text.split(';').filter_map(|cookie| cookie.split_once('=')) {
                let (name, value) = (name.trim(), value.trim());
                brought.login |= has_name_of_login(name, config);
                // The first of a name counts.
                if has_name_of_browser(name, config) && !std::mem::replace(&mut has_browser, true) {
                    brought.browser = Browser::decode(value);
                }
            }
        }
        Some(brought)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;

    use super::*;
    use crate::config::Environment;
    use crate::identity::has_login_cookie;

    #[test]
    fn what_is_read_here_is_read_so_by_all_the_rules() {
        let known = "00112233445566778899aabbccddeeff";
        let both = [
            String::new(),
            format!("fd_session={known}"),
            format!("a=b; fd_session={known} ;c"),
            format!("fd_session=;fd_session={known}"),
            format!("fd_session={known}0"),
            format!("FD_SESSION={known}"),
            format!("__Host-fd_session={known}; fd_login=x"),
            format!(" fd_login = ; =; ; fd_session = {}", known.to_uppercase()),
            "fd_login".to_string(),
            "fd_session=fd_login=1".to_string(),
            "fd_loginx=1; xfd_login=2; fd_login=".to_string(),
        ];
        for url in ["http://localhost:8080", "https://fd.test"] {
            let config = Config::demo(&Environment::from_pairs([("PUBLIC_URL", url)]))
                .expect("the demo needs nothing");
            for cookies in &both {
                let request = TestRequest::default()
                    .append_header(("cookie", cookies.as_str()))
                    .to_http_request();
                let brought = Brought::by(request.headers(), &config).expect("plain");
                assert!(
                    brought.browser == Browser::read(&request, &config),
                    "{cookies} at {url}"
                );
                assert_eq!(
                    brought.login,
                    has_login_cookie(&request, &config),
                    "{cookies} at {url}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_who_knows_all_the_rules() {
        let config = Config::demo(&Environment::default()).expect("the demo needs nothing");
        for cookies in [
            &b"fd%5Flogin=x"[..],
            b"fd_session=\"00112233445566778899aabbccddeeff\"",
            b"a=\xff; fd_login=x",
        ] {
            let mut headers = HeaderMap::new();
            headers.append(COOKIE, HeaderValue::from_bytes(cookies).expect("a header"));
            assert!(
                Brought::by(&headers, &config).is_none(),
                "{}",
                cookies.escape_ascii()
            );
        }
    }
}
