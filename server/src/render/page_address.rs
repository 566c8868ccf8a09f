//! The table of all HTML pages. It has the same pages as `web/src/app/paths.ts` and
//! `club-routes.ts`, and also the short links. Any other path gets a 404.

use domain::DrawId;

/// The URL pattern of one page.
#[derive(Debug, PartialEq, Eq)]
pub struct PagePattern {
    /// The pattern. `{n}` matches a draw's number, any other name in braces one path segment. A
    /// segment may begin with fixed letters before the braces.
    pub path: &'static str,
    /// The canonical pattern of the page, which differs from `path` for an alias. It is also the
    /// page's key in the build's list of script chunks.
    pub canonical_path: &'static str,
    pub shows: PageKind,
    /// The page's title, and its first heading while the page has no data.
    pub heading: &'static str,
}

/// The kind of a page. The kind decides what the document shows and whether search engines may
/// index the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    Landing,
    Draw,
    Verify,
    Checkout,
    Club,
    Offer,
    /// A display for a big screen. Any site may frame it.
    Board,
    OfferBoard,
    /// A buyer's order, by its secret token. Never cached.
    Order,
    /// A winner's claim page. The secret in its URL follows a `#` and is not sent to the server.
    Claim,
    /// A page that only the demo serves.
    #[cfg(feature = "demo")]
    DemoOnly,
    /// A page without data from the database, such as `/thank-you`.
    Plain,
    /// A page of a club or the operator: an empty application shell that loads its data after login
    /// (decision A-14).
    AppShell,
    /// An application shell whose URL contains a club; 404 if the club does not exist.
    ClubAppShell,
    /// The URL to which a wallet's payment page returns. It redirects to the checkout of the draw
    /// that the query names (decision A-5).
    ToCheckout,
    /// A short link on displays and posters, which redirects to an offer (decision A-7).
    ToOffer,
    ToDraw,
}

#[cfg(feature = "demo")]
use PageKind::DemoOnly;
use PageKind::{
    AppShell, Board, Checkout, Claim, Club, ClubAppShell, Draw, Landing, Offer, OfferBoard, Order,
    Plain, ToCheckout, ToDraw, ToOffer, Verify,
};

macro_rules! pages {
    ($($(#[$attribute:meta])* $path:literal $shows:ident $heading:literal $(of $canonical_path:literal)?;)*) => {
        /// All pages. The first pattern that matches a path wins, so patterns with literal segments
        /// come before patterns with variables.
        pub const PAGE_PATTERNS: &[PagePattern] = &[$($(#[$attribute])* PagePattern {
            path: $path,
            canonical_path: canonical_path($path, &[$($canonical_path)?]),
            shows: $shows,
            heading: $heading,
        }),*];
    };
}

const fn canonical_path(path: &'static str, other: &[&'static str]) -> &'static str {
    if other.is_empty() { path } else { other[0] }
}

pages! {
    "/"                                         Landing     "Football Doubles";
    "/draw/{n}"                                 Draw        "Draw";
    "/draw/{n}/display"                         Board       "Draw";
    "/verify/{n}"                               Verify      "Verify";
    "/draw/{n}/verify"                          Verify      "Verify" of "/verify/{n}";
    "/club/{slug}"                              Club        "Club";
    "/club/{slug}/specials/{bundle}"            Offer       "Special Offer";
    "/club/{slug}/offer/{bundle}"               Offer       "Special Offer" of "/club/{slug}/specials/{bundle}";
    "/club/{slug}/specials/{bundle}/display"    OfferBoard  "Special Offer";
    "/club/{slug}/offer/{bundle}/display"       OfferBoard  "Special Offer" of "/club/{slug}/specials/{bundle}/display";
    "/bundle/{slug}/{bundle}/display"           OfferBoard  "Special Offer" of "/club/{slug}/specials/{bundle}/display";
    "/w/bundle:{slug}/{bundle}"                 ToOffer     "Special Offer";
    "/w/draw:{n}"                               ToDraw      "Draw";

    "/checkout/{n}"                             Checkout    "Checkout";
    "/checkout"                                 ToCheckout  "Checkout";
    "/cart/checkout"                            Plain       "Cart checkout";
    "/cart-checkout-clean"                      Plain       "Cart checkout" of "/cart/checkout";
    "/thank-you"                                Plain       "Thank you";
    "/demo-thank-you"                           Plain       "Demo";
    "/apple-pay-redirect"                       Plain       "Apple Pay";
    "/debugcart"                                Plain       "Cart debug console";
    "/privacy"                                  Plain       "Privacy";
    "/my"                                       Plain       "My tickets";
    "/my/{token}"                               Order       "My tickets";
    "/claim"                                    Claim       "Your prize";
    "/claim/{token}"                            Claim       "Your prize" of "/claim";

    "/forgot-password"                          AppShell        "Forgot password";
    "/reset-password"                           AppShell        "Reset password";
    "/verify-email"                             AppShell        "Confirm your e-mail";
    "/admin"                                    AppShell        "Dashboard";
    "/admin/login"                              AppShell        "Login";
    "/admin/create-draw"                        AppShell        "Create Draw";
    "/admin/edit-draw/{n}"                      AppShell        "Edit Draw";
    "/admin/draws/{n}"                          AppShell        "Edit Draw" of "/admin/edit-draw/{n}";
    "/admin/home-page-setup"                    AppShell        "Club home page";
    "/admin/results/{n}"                        AppShell        "Enter Results";
    "/admin/stripe-connect/complete"            AppShell        "Payment Setup";
    "/admin/stripe-connect/refresh"             AppShell        "Payment Setup";
    "/admin/payment-monitoring"                 AppShell        "Payment monitoring";
    "/admin/stripe-debug"                       AppShell        "Transactions";
    "/club/{slug}/admin"                        ClubAppShell    "Dashboard";
    "/club/{slug}/admin/create-draw"            ClubAppShell    "Create Draw" of "/admin/create-draw";
    "/club/{slug}/admin/edit-draw/{n}"          ClubAppShell    "Edit Draw" of "/admin/edit-draw/{n}";
    "/club/{slug}/admin/home-page-setup"        ClubAppShell    "Club home page" of "/admin/home-page-setup";
    "/admin/people"                             AppShell        "People" of "/club/{slug}/admin/people";
    "/club/{slug}/admin/people"                 ClubAppShell    "People";
    "/club/{slug}/admin/buyers"                 ClubAppShell    "Find a buyer";
    "/club/{slug}/admin/activity"               ClubAppShell    "Activity log";
    "/club/{slug}/admin/results/{n}"            ClubAppShell    "Enter Results" of "/admin/results/{n}";
    "/club/{slug}/admin/bundles"                ClubAppShell    "Bundles";
    "/club/{slug}/admin/bundles/new"            ClubAppShell    "New offer" of "/club/{slug}/admin/bundles/{id}";
    "/club/{slug}/admin/bundles/{id}"           ClubAppShell    "Edit offer";
    #[cfg(feature = "demo")]
    "/sandbox/gallery"                          DemoOnly        "Components";
    "/super-admin"                              AppShell        "Super Admin";
}

/// Maximum number of variables in the URL pattern of a page.
const PATH_VARIABLES_MAX: usize = 2;

/// The page that a URL path matches, with the values of the path's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub address: &'static PagePattern,
    variables: [(&'static str, &'a str); PATH_VARIABLES_MAX],
}

impl<'a> Page<'a> {
    /// Finds the page for a path; `None` when there is none.
    pub fn for_path(path: &'a str) -> Option<Page<'a>> {
        PAGE_PATTERNS.iter().find_map(|address| {
            Some(Page {
                address,
                variables: match_pattern(address.path, path)?,
            })
        })
    }

    /// Returns the value of a path variable; empty when the pattern has no such variable.
    pub fn variable(&self, name: &str) -> &'a str {
        self.variables
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, variable)| variable)
    }

    pub fn draw(&self) -> DrawId {
        DrawId(self.variable("n").parse().unwrap_or_default())
    }

    /// Whether any site may show the page in a frame (decision G-14).
    pub fn can_be_framed_by_any_site(&self) -> bool {
        matches!(self.address.shows, Board | OfferBoard | ToOffer | ToDraw)
    }

    /// Whether search engines may index the page (decision A-12).
    pub fn can_be_indexed(&self) -> bool {
        matches!(self.address.shows, Landing | Draw | Verify | Club | Offer)
    }

    /// Whether the page is private: never cached.
    pub fn is_private(&self) -> bool {
        matches!(self.address.shows, Order | Claim)
    }

    /// Whether the page is an empty shell without data (decision A-14).
    pub fn is_app_shell(&self) -> bool {
        matches!(self.address.shows, AppShell | ClubAppShell)
    }
}

/// Matches a path against a pattern and returns the variables. Trailing slashes and the case of
/// literal segments do not matter.
fn match_pattern<'a>(
    pattern: &'static str,
    path: &'a str,
) -> Option<[(&'static str, &'a str); PATH_VARIABLES_MAX]> {
    let mut variables = [("", ""); PATH_VARIABLES_MAX];
    let mut free = variables.iter_mut();
    let mut steps = path.strip_prefix('/')?.trim_end_matches('/').split('/');
    for segment_pattern in pattern[1..].split('/') {
        let step = steps.next()?;
        let Some((fixed, name)) = segment_pattern.split_once('{') else {
            if segment_pattern.eq_ignore_ascii_case(step) {
                continue;
            }
            return None;
        };
        let name = name.trim_end_matches('}');
        let (start, variable) = step.split_at_checked(fixed.len())?;
        let is_number = variable.parse::<i64>().is_ok_and(|number| number > 0);
        if !start.eq_ignore_ascii_case(fixed) || variable.is_empty() || (name == "n" && !is_number)
        {
            return None;
        }
        *free.next()? = (name, variable);
    }
    steps.next().is_none().then_some(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_matches_its_path_and_yields_variables() {
        for address in PAGE_PATTERNS {
            let path = address.path.replace("{n}", "1042").replace(['{', '}'], "");
            for spelling in [path.clone(), format!("{path}/"), path.to_uppercase()] {
                let page =
                    Page::for_path(&spelling).unwrap_or_else(|| panic!("nothing at {spelling}"));
                assert_eq!(page.address.path, address.path, "{spelling}");
                assert!(
                    !address.path.contains("{n}") || page.draw() == DrawId(1042),
                    "{spelling}"
                );
            }
        }
        let page = Page::for_path("/w/bundle:sharks/finals").expect("a page");
        assert_eq!(
            (
                page.variable("slug"),
                page.variable("bundle"),
                page.variable("n")
            ),
            ("sharks", "finals", "")
        );
        assert_eq!(
            Page::for_path("/club/sharks/admin/bundles/new")
                .expect("a page")
                .variable("id"),
            ""
        );
    }

    #[test]
    fn unknown_path_matches_no_page() {
        for path in [
            "/draw",
            "/draw/x",
            "/draw/0",
            "/draw/-1",
            "/draw/1042/x",
            "/nothing",
            "/club",
            "/club//specials/x",
            "/draw/99999999999999999999",
            "/w/draw:x",
            "/w/bundle:sharks",
            "/w/ünï:x",
            "/bundle/sharks/finals",
            "",
            "/admin/nothing",
            "/super-admin/x",
            "/club/sharks/admin/edit-draw/x",
        ] {
            assert_eq!(Page::for_path(path), None, "{path}");
        }
    }

    #[test]
    fn alias_names_an_existing_page() {
        for address in PAGE_PATTERNS {
            assert!(
                PAGE_PATTERNS
                    .iter()
                    .any(|other| other.path == address.canonical_path),
                "{}",
                address.path
            );
        }
    }

    #[test]
    fn only_public_pages_are_indexed_and_only_boards_framed() {
        let page = |path: &'static str| Page::for_path(path).expect("a page");
        for path in [
            "/",
            "/draw/1042",
            "/draw/1042/verify",
            "/club/sharks",
            "/club/sharks/offer/finals",
        ] {
            assert!(
                page(path).can_be_indexed() && !page(path).can_be_framed_by_any_site(),
                "{path}"
            );
        }
        for path in [
            "/my/0123",
            "/checkout/1042",
            "/debugcart",
            "/demo-thank-you",
            "/admin",
            "/super-admin",
        ] {
            assert!(
                !page(path).can_be_indexed() && !page(path).can_be_framed_by_any_site(),
                "{path}"
            );
        }
        for path in [
            "/draw/1042/display",
            "/bundle/sharks/finals/display",
            "/w/draw:1042",
        ] {
            assert!(
                !page(path).can_be_indexed() && page(path).can_be_framed_by_any_site(),
                "{path}"
            );
        }
    }
}
