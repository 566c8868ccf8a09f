//! Every page of the site on one page: what `web/src/app/paths.ts` and `club-routes.ts` have together, and the short links that only
//! lead on. What is not here answers 404.

use domain::DrawId;

/// One page's address.
#[derive(Debug, PartialEq, Eq)]
pub struct Address {
    /// `{n}` is a draw's number; any other name stands for one step. A step may begin with fixed letters.
    pub path: &'static str,
    /// The address it is known by: of an alias, the page it is another name of. Also the page's name in the build's list of chunks.
    pub known_as: &'static str,
    pub shows: Shows,
    /// Title, and first words on pages without data of their own.
    pub heading: &'static str,
}

/// What kind of page it is: what its document is drawn from, and whether search engines may keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    Landing,
    Draw,
    Verify,
    Checkout,
    Club,
    Offer,
    /// A big screen's page: any site may frame it.
    Board,
    OfferBoard,
    /// A buyer's own page, by its secret token: nobody keeps it.
    Order,
    /// A winner's own page; its secret stands after a `#`, where no log sees it.
    Claim,
    /// Without data of its own.
    Plain,
    /// A club's or the operator's: an empty shell; what it shows is asked with a login (decision A-14).
    Desk,
    /// The same, of a club that must exist.
    ClubDesk,
    /// Back from a wallet's own page: the draw is in the query (decision A-5).
    ToCheckout,
    /// Short links on boards and posters (decision A-7).
    ToOffer,
    ToDraw,
}

use Shows::{
    Board, Checkout, Claim, Club, ClubDesk, Desk, Draw, Landing, Offer, OfferBoard, Order, Plain,
    ToCheckout, ToDraw, ToOffer, Verify,
};

macro_rules! pages {
    ($($path:literal $shows:ident $heading:literal $(of $known_as:literal)?;)*) => {
        /// The table. The first that fits is taken: a word comes before a variable in the same place.
        pub const PAGES: &[Address] = &[$(Address {
            path: $path,
            known_as: known_as($path, &[$($known_as)?]),
            shows: $shows,
            heading: $heading,
        }),*];
    };
}

const fn known_as(path: &'static str, other: &[&'static str]) -> &'static str {
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
    "/my"                                       Plain       "My tickets";
    "/my/{token}"                               Order       "My tickets";
    "/claim"                                    Claim       "Your prize";
    "/claim/{token}"                            Claim       "Your prize" of "/claim";

    "/forgot-password"                          Desk        "Forgot password";
    "/reset-password"                           Desk        "Reset password";
    "/verify-email"                             Desk        "Confirm your e-mail";
    "/admin"                                    Desk        "Dashboard";
    "/admin/login"                              Desk        "Login";
    "/admin/create-draw"                        Desk        "Create Draw";
    "/admin/edit-draw/{n}"                      Desk        "Edit Draw";
    "/admin/draws/{n}"                          Desk        "Edit Draw" of "/admin/edit-draw/{n}";
    "/admin/home-page-setup"                    Desk        "Club home page";
    "/admin/results/{n}"                        Desk        "Enter Results";
    "/admin/stripe-connect/complete"            Desk        "Payment Setup";
    "/admin/stripe-connect/refresh"             Desk        "Payment Setup";
    "/admin/payment-monitoring"                 Desk        "Payment monitoring";
    "/admin/stripe-debug"                       Desk        "Transactions";
    "/club/{slug}/admin"                        ClubDesk    "Dashboard";
    "/club/{slug}/admin/create-draw"            ClubDesk    "Create Draw" of "/admin/create-draw";
    "/club/{slug}/admin/edit-draw/{n}"          ClubDesk    "Edit Draw" of "/admin/edit-draw/{n}";
    "/club/{slug}/admin/home-page-setup"        ClubDesk    "Club home page" of "/admin/home-page-setup";
    "/admin/people"                             Desk        "People" of "/club/{slug}/admin/people";
    "/club/{slug}/admin/people"                 ClubDesk    "People";
    "/club/{slug}/admin/results/{n}"            ClubDesk    "Enter Results" of "/admin/results/{n}";
    "/club/{slug}/admin/bundles"                ClubDesk    "Bundles";
    "/club/{slug}/admin/bundles/new"            ClubDesk    "New offer" of "/club/{slug}/admin/bundles/{id}";
    "/club/{slug}/admin/bundles/{id}"           ClubDesk    "Edit offer";
    "/super-admin"                              Desk        "Super Admin";
}

/// Variables of one address, at most.
const WORDS_MAX: usize = 2;

/// A page, with what its address says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    pub address: &'static Address,
    words: [(&'static str, &'a str); WORDS_MAX],
}

impl<'a> Page<'a> {
    /// The page at a path; `None` where there is none.
    pub fn of(path: &'a str) -> Option<Page<'a>> {
        PAGES.iter().find_map(|address| {
            Some(Page {
                address,
                words: fit(address.path, path)?,
            })
        })
    }

    /// What stands for a variable; empty when the address has no such.
    pub fn word(&self, name: &str) -> &'a str {
        self.words
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, word)| word)
    }

    pub fn draw(&self) -> DrawId {
        DrawId(self.word("n").parse().unwrap_or_default())
    }

    /// Whether any site may frame it (decision G-14).
    pub fn is_framed_by_anyone(&self) -> bool {
        matches!(self.address.shows, Board | OfferBoard | ToOffer | ToDraw)
    }

    /// Whether search engines may keep it (decision A-12).
    pub fn is_found(&self) -> bool {
        matches!(self.address.shows, Landing | Draw | Verify | Club | Offer)
    }

    /// What only one person should see is kept by nobody.
    pub fn is_private(&self) -> bool {
        matches!(self.address.shows, Order | Claim)
    }

    /// Whether its document carries data: the desks' do not (decision A-14).
    pub fn is_desk(&self) -> bool {
        matches!(self.address.shows, Desk | ClubDesk)
    }
}

/// What each variable of a pattern stands for in a path; trailing slashes and the case of fixed words do not matter.
fn fit<'a>(pattern: &'static str, path: &'a str) -> Option<[(&'static str, &'a str); WORDS_MAX]> {
    let mut words = [("", ""); WORDS_MAX];
    let mut free = words.iter_mut();
    let mut steps = path.strip_prefix('/')?.trim_end_matches('/').split('/');
    for wanted in pattern[1..].split('/') {
        let step = steps.next()?;
        let Some((fixed, name)) = wanted.split_once('{') else {
            if wanted.eq_ignore_ascii_case(step) {
                continue;
            }
            return None;
        };
        let name = name.trim_end_matches('}');
        let (start, word) = step.split_at_checked(fixed.len())?;
        let is_number = word.parse::<i64>().is_ok_and(|number| number > 0);
        if !start.eq_ignore_ascii_case(fixed) || word.is_empty() || (name == "n" && !is_number) {
            return None;
        }
        *free.next()? = (name, word);
    }
    steps.next().is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_found_and_says_what_stands_in_it() {
        for address in PAGES {
            let path = address.path.replace("{n}", "1042").replace(['{', '}'], "");
            for spelling in [path.clone(), format!("{path}/"), path.to_uppercase()] {
                let page = Page::of(&spelling).unwrap_or_else(|| panic!("nothing at {spelling}"));
                assert_eq!(page.address.path, address.path, "{spelling}");
                assert!(
                    !address.path.contains("{n}") || page.draw() == DrawId(1042),
                    "{spelling}"
                );
            }
        }
        let page = Page::of("/w/bundle:sharks/finals").expect("a page");
        assert_eq!(
            (page.word("slug"), page.word("bundle"), page.word("n")),
            ("sharks", "finals", "")
        );
        assert_eq!(
            Page::of("/club/sharks/admin/bundles/new")
                .expect("a page")
                .word("id"),
            ""
        );
    }

    #[test]
    fn what_is_not_an_address_is_missing() {
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
            assert_eq!(Page::of(path), None, "{path}");
        }
    }

    #[test]
    fn an_alias_names_a_page_that_there_is() {
        for address in PAGES {
            assert!(
                PAGES.iter().any(|other| other.path == address.known_as),
                "{}",
                address.path
            );
        }
    }

    #[test]
    fn only_public_pages_are_found_by_search_engines_and_only_boards_are_framed() {
        let page = |path: &'static str| Page::of(path).expect("a page");
        for path in [
            "/",
            "/draw/1042",
            "/draw/1042/verify",
            "/club/sharks",
            "/club/sharks/offer/finals",
        ] {
            assert!(
                page(path).is_found() && !page(path).is_framed_by_anyone(),
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
                !page(path).is_found() && !page(path).is_framed_by_anyone(),
                "{path}"
            );
        }
        for path in [
            "/draw/1042/display",
            "/bundle/sharks/finals/display",
            "/w/draw:1042",
        ] {
            assert!(
                !page(path).is_found() && page(path).is_framed_by_anyone(),
                "{path}"
            );
        }
    }
}
