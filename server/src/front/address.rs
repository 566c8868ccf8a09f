//! The addresses whose answers may lie ready, in the one spelling that our own pages use; any other is the application's.

use actix_web::http::Uri;
use domain::{DrawId, Timestamp};

use crate::catalogue::Catalogue;
use crate::catalogue::lists::List;
use crate::catalogue::prepared::Prepared;
use crate::routes::machine::shell::kept::Name;

/// The calls among them, as the table of routes names them: each is read by anyone.
pub const CALLS: [&str; 5] = [
    "/api/draws/active",
    "/api/draws/awaiting-results",
    "/api/draws/completed",
    "/api/draws/{draw}",
    "/api/draws/{draw}/tickets",
];

/// Where a crowd learns that it came too late (`front/refusal.rs`).
pub const WISH: &str = "/api/create-payment-intent";

/// More digits than a draw's number ever has.
const DIGITS_MAX: usize = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    Call(Call),
    Page(Name),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    List(List),
    Draw(DrawId),
    Tickets(DrawId),
}

impl Address {
    pub fn of(uri: &Uri) -> Option<Address> {
        let path = uri.path();
        if let Some(call) = path.strip_prefix("/api/draws/") {
            return if uri.query().is_none() {
                Call::of(call).map(Address::Call)
            } else {
                None
            };
        }
        if path == "/" {
            return Some(Address::Page(Name::of_draw(None)));
        }
        let draw = number(path.strip_prefix("/draw/")?)?;
        Some(Address::Page(Name::of_draw(Some(draw))))
    }
}

impl Call {
    fn of(rest: &str) -> Option<Call> {
        match rest {
            "active" => Some(Call::List(List::Active)),
            "awaiting-results" => Some(Call::List(List::Awaiting)),
            "completed" => Some(Call::List(List::Completed)),
            _ => match rest.split_once('/') {
                None => number(rest).map(Call::Draw),
                Some((draw, "tickets")) => number(draw).map(Call::Tickets),
                Some(_) => None,
            },
        }
    }

    /// Its place in [`CALLS`].
    pub fn place(self) -> usize {
        match self {
            Call::List(list) => list as usize,
            Call::Draw(_) => 3,
            Call::Tickets(_) => 4,
        }
    }

    /// Who owns a draw is shown more of it.
    pub fn depends_on_login(self) -> bool {
        !matches!(self, Call::List(_))
    }

    /// The answer as of now, if it is there.
    pub fn ready(self, catalogue: &Catalogue, now: Timestamp) -> Option<Prepared> {
        match self {
            Call::List(list) => catalogue.list_ready(list, now),
            Call::Draw(draw) => catalogue.single_ready(draw, now),
            Call::Tickets(draw) => catalogue.tickets_ready(draw, now),
        }
    }
}

fn number(word: &str) -> Option<DrawId> {
    let plain = word.len() <= DIGITS_MAX
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
    use crate::routes::machine::shell::address::Page;
    use crate::routes::{FORM, ROUTES, Verb};

    fn of(uri: &'static str) -> Option<Address> {
        Address::of(&Uri::from_static(uri))
    }

    #[test]
    fn every_call_that_may_lie_ready_is_anybodys_to_read() {
        for (place, path) in CALLS.into_iter().enumerate() {
            let row = ROUTES
                .iter()
                .find(|route| route.path == path && route.method == Verb::Get)
                .expect("in the table");
            assert_eq!(row.audience, Audience::Public, "{path}");
            let uri: Uri = path.replace("{draw}", "1042").parse().expect("an address");
            let Some(Address::Call(call)) = Address::of(&uri) else {
                panic!("{path}")
            };
            assert_eq!(call.place(), place, "{path}");
        }
    }

    #[test]
    fn a_wish_is_anybodys_to_make() {
        let row = ROUTES
            .iter()
            .find(|route| route.path == WISH && route.method == Verb::Post)
            .expect("in the table");
        assert_eq!((row.audience, row.body_max), (Audience::Public, FORM));
    }

    #[test]
    fn a_page_has_the_name_that_the_shell_keeps_it_under() {
        for path in ["/", "/draw/1042"] {
            let name = Name::of(&Page::of(path).expect("a page")).expect("kept");
            assert_eq!(of(path), Some(Address::Page(name)), "{path}");
        }
        assert_eq!(
            of("/draw/1042?utm_source=x"),
            of("/draw/1042"),
            "what a page shows does not depend on it"
        );
    }

    #[test]
    fn any_other_spelling_is_the_applications() {
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
