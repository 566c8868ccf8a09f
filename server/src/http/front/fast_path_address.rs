//! Parses the request URLs that the fast path can answer. Only the spelling that the site's pages
//! use is recognised. Requests with any other spelling go to the application.

use actix_web::http::Uri;
use domain::{DrawId, Timestamp};

use crate::render::page_cache::CachedPageKey;
use crate::services::catalogue::Catalogue;
use crate::services::catalogue::lists::DrawList;
use crate::services::catalogue::prepared_response::PreparedResponse;

/// The API routes that the fast path can answer, as written in the route table. All are public.
pub const FAST_PATH_ROUTES: [&str; 5] = [
    "/api/draws/active",
    "/api/draws/awaiting-results",
    "/api/draws/completed",
    "/api/draws/{draw}",
    "/api/draws/{draw}/tickets",
];

/// The route whose sold-out refusals the fast path answers (`front/sold_out.rs`).
pub const CREATE_INTENT_PATH: &str = "/api/create-payment-intent";

/// Maximum number of digits accepted in a draw's number. Every draw's number has fewer.
const DRAW_NUMBER_DIGITS_MAX: usize = 15;

/// A request URL that the fast path can answer: an API call or a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPathAddress {
    Call(FastPathCall),
    Page(CachedPageKey),
}

/// An API call that the fast path can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPathCall {
    List(DrawList),
    Draw(DrawId),
    Tickets(DrawId),
}

impl FastPathAddress {
    /// Parses a request's URL; `None` if the fast path cannot answer it.
    pub fn of(uri: &Uri) -> Option<FastPathAddress> {
        let path = uri.path();
        if let Some(call) = path.strip_prefix("/api/draws/") {
            return if uri.query().is_none() {
                FastPathCall::of(call).map(FastPathAddress::Call)
            } else {
                None
            };
        }
        if path == "/" {
            return Some(FastPathAddress::Page(CachedPageKey::of_draw(None)));
        }
        let draw = parse_draw_number(path.strip_prefix("/draw/")?)?;
        Some(FastPathAddress::Page(CachedPageKey::of_draw(Some(draw))))
    }
}

impl FastPathCall {
    fn of(path: &str) -> Option<FastPathCall> {
        match path {
            "active" => Some(FastPathCall::List(DrawList::Active)),
            "awaiting-results" => Some(FastPathCall::List(DrawList::Awaiting)),
            "completed" => Some(FastPathCall::List(DrawList::Completed)),
            _ => match path.split_once('/') {
                None => parse_draw_number(path).map(FastPathCall::Draw),
                Some((draw, "tickets")) => parse_draw_number(draw).map(FastPathCall::Tickets),
                Some(_) => None,
            },
        }
    }

    /// Returns the index of this API call in [`FAST_PATH_ROUTES`].
    pub fn index(self) -> usize {
        match self {
            FastPathCall::List(list) => list as usize,
            FastPathCall::Draw(_) => 3,
            FastPathCall::Tickets(_) => 4,
        }
    }

    /// Whether the response depends on the login, because a draw's owner sees more fields.
    pub fn depends_on_login(self) -> bool {
        !matches!(self, FastPathCall::List(_))
    }

    /// Returns the current response to this API call if it is in memory.
    pub fn prepared_response(
        self,
        catalogue: &Catalogue,
        now: Timestamp,
    ) -> Option<PreparedResponse> {
        match self {
            FastPathCall::List(list) => catalogue.list_response_if_cached(list, now),
            FastPathCall::Draw(draw) => catalogue.draw_response_if_cached(draw, now),
            FastPathCall::Tickets(draw) => catalogue.tickets_response_if_cached(draw, now),
        }
    }
}

fn parse_draw_number(word: &str) -> Option<DrawId> {
    let plain = word.len() <= DRAW_NUMBER_DIGITS_MAX
        && !word.starts_with('0')
        && word.bytes().all(|byte| byte.is_ascii_digit());
    if plain {
        word.parse().ok().map(DrawId)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use domain::access::Audience;

    use super::*;
    use crate::http::routes::{FORM_BODY_MAX, ROUTES, Verb};
    use crate::render::page_address::Page;

    fn of(uri: &'static str) -> Option<FastPathAddress> {
        FastPathAddress::of(&Uri::from_static(uri))
    }

    #[test]
    fn every_fast_path_call_is_public() {
        for (index, path) in FAST_PATH_ROUTES.into_iter().enumerate() {
            let row = ROUTES
                .iter()
                .find(|route| route.path == path && route.method == Verb::Get)
                .expect("in the table");
            assert_eq!(row.audience, Audience::Public, "{path}");
            let uri: Uri = path.replace("{draw}", "1042").parse().expect("an address");
            let Some(FastPathAddress::Call(call)) = FastPathAddress::of(&uri) else {
                panic!("{path}")
            };
            assert_eq!(call.index(), index, "{path}");
        }
    }

    #[test]
    fn create_intent_route_is_public() {
        let row = ROUTES
            .iter()
            .find(|route| route.path == CREATE_INTENT_PATH && route.method == Verb::Post)
            .expect("in the table");
        assert_eq!(
            (row.audience, row.body_max),
            (Audience::Public, FORM_BODY_MAX)
        );
    }

    #[test]
    fn page_url_gives_the_key_of_the_page_cache() {
        for path in ["/", "/draw/1042"] {
            let name =
                CachedPageKey::for_page(&Page::for_path(path).expect("a page")).expect("kept");
            assert_eq!(of(path), Some(FastPathAddress::Page(name)), "{path}");
        }
        assert_eq!(
            of("/draw/1042?utm_source=x"),
            of("/draw/1042"),
            "the query does not change the page"
        );
    }

    #[test]
    fn unusual_paths_are_left_to_the_application() {
        for uri in [
            "/api/draws/active?clubId=1",
            "/api/draws/active?",
            "/api/draws/active/",
            "/api/draws/%61ctive",
            "/api/draws/01042",
            "/api/draws/+1042",
            "/api/draws/",
            "/api/draws/1042/tickets/csv",
            "/api/draws/99999999999999999999",
            "/draw/1042/",
            "/draw/",
            "/Draw/1042",
            "/club/sharks",
            "*",
        ] {
            assert_eq!(of(uri), None, "{uri}");
        }
    }
}
