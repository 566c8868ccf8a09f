//! Which page stands at an address: the server's half of `web/src/app/paths.ts`.

/// A page, with what its address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page<'a> {
    Landing,
    Draw(i64),
    Verify(i64),
    Board(i64),
    Checkout(i64),
    Club(&'a str),
    /// A buyer's own page, by its secret token.
    Order(&'a str),
    /// A page without data of its own.
    Plain {
        key: &'static str,
        heading: &'static str,
    },
    Missing,
}

impl<'a> Page<'a> {
    pub fn of(path: &'a str, query: &str) -> Page<'a> {
        let steps: Vec<&str> = path.trim_matches('/').split('/').collect();
        let draw = |number: &str, page: fn(i64) -> Page<'a>| number.parse().map_or(Page::Missing, page);
        match steps.as_slice() {
            [""] => Page::Landing,
            ["draw", number] => draw(number, Page::Draw),
            ["draw", number, "display"] => draw(number, Page::Board),
            ["draw", number, "verify"] | ["verify", number] => draw(number, Page::Verify),
            ["checkout", number] => draw(number, Page::Checkout),
            // Back from a wallet's own page: the draw is in the query (decision A-5).
            ["checkout"] => {
                let number = query.split('&').find_map(|pair| pair.strip_prefix("drawId="));
                number.map_or(Page::Missing, |number| draw(number, Page::Checkout))
            }
            ["cart", "checkout"] | ["cart-checkout-clean"] => {
                Page::Plain { key: "/cart/checkout", heading: "Cart checkout" }
            }
            ["thank-you"] => Page::Plain { key: "/thank-you", heading: "Thank you" },
            ["my", token] => Page::Order(token),
            ["club", slug] => Page::Club(slug),
            _ => Page::Missing,
        }
    }

    /// The page's name in the build's list of chunks.
    pub fn key(&self) -> &'static str {
        match self {
            Page::Landing => "/",
            Page::Draw(_) => "/draw/{n}",
            Page::Verify(_) => "/verify/{n}",
            Page::Board(_) => "/draw/{n}/display",
            Page::Checkout(_) => "/checkout/{n}",
            Page::Club(_) => "/club/{slug}",
            Page::Order(_) => "/my/{token}",
            Page::Plain { key, .. } => key,
            Page::Missing => "",
        }
    }

    /// The address to be found under; `None` for what no search engine should keep.
    pub fn canonical(&self, path: &str) -> Option<String> {
        match self {
            Page::Landing => Some("/".to_string()),
            Page::Draw(number) => Some(format!("/draw/{number}")),
            Page::Verify(number) => Some(format!("/verify/{number}")),
            Page::Club(_) => Some(path.trim_end_matches('/').to_lowercase()),
            Page::Board(_) | Page::Checkout(_) | Page::Order(_) | Page::Plain { .. } | Page::Missing => None,
        }
    }

    /// What only one person should see is kept by nobody.
    pub fn is_private(&self) -> bool {
        matches!(self, Page::Order(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_page() {
        for (path, page) in [
            ("/", Page::Landing),
            ("/draw/1042", Page::Draw(1042)),
            ("/draw/1042/", Page::Draw(1042)),
            ("/draw/1042/display", Page::Board(1042)),
            ("/draw/1042/verify", Page::Verify(1042)),
            ("/verify/1042", Page::Verify(1042)),
            ("/checkout/1042", Page::Checkout(1042)),
            ("/club/sharks", Page::Club("sharks")),
            ("/my/0123", Page::Order("0123")),
        ] {
            assert_eq!(Page::of(path, ""), page, "{path}");
        }
        assert_eq!(Page::of("/checkout", "ticketCount=2&drawId=1042"), Page::Checkout(1042));
    }

    #[test]
    fn what_is_not_an_address_is_missing() {
        for path in ["/draw", "/draw/x", "/draw/1042/x", "/checkout", "/nothing", "/club", "/draw/99999999999999999999"]
        {
            assert_eq!(Page::of(path, ""), Page::Missing, "{path}");
        }
    }

    #[test]
    fn only_public_pages_are_found_by_search_engines() {
        let canonical = |path: &str| Page::of(path, "").canonical(path);
        assert_eq!(canonical("/draw/1042/").as_deref(), Some("/draw/1042"));
        assert_eq!(canonical("/club/Sharks").as_deref(), Some("/club/sharks"));
        for path in ["/my/0123", "/checkout/1042", "/thank-you", "/draw/1042/display"] {
            assert_eq!(canonical(path), None, "{path}");
        }
    }
}
