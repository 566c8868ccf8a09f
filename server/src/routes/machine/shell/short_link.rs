//! Addresses that only lead to another one.

use super::address::{Page, Shows};

/// Where a short link leads, its query included; `None` for a page that stands by itself.
pub fn follow(page: &Page<'_>, query: &str) -> Option<String> {
    match page.address.shows {
        Shows::ToOffer => {
            let (club, bundle) = (page.word("slug"), page.word("bundle"));
            Some(from_widget(
                &format!("/club/{club}/specials/{bundle}"),
                query,
            ))
        }
        Shows::ToDraw => Some(from_widget(&format!("/draw/{}", page.draw()), query)),
        Shows::ToCheckout => to_checkout(query),
        _ => None,
    }
}

/// What a board's code said stays said: `src=widget`, `mode`, `loc` (decision B-20).
fn from_widget(path: &str, query: &str) -> String {
    let says_source = query.split('&').any(|pair| pair.starts_with("src="));
    match (query.is_empty(), says_source) {
        (true, _) => format!("{path}?src=widget"),
        (false, true) => format!("{path}?{query}"),
        (false, false) => format!("{path}?src=widget&{query}"),
    }
}

/// `/checkout?drawId=1042&ticketCount=2` is `/checkout/1042?tickets=2` (decision A-5). Without a draw there is no such page.
fn to_checkout(query: &str) -> Option<String> {
    let number = |name: &str| {
        let values = query.split('&').filter_map(|pair| pair.split_once('='));
        let value = values
            .filter(|(known, _)| *known == name)
            .map(|(_, value)| value)
            .next()?;
        value.parse::<u32>().ok().filter(|number| *number > 0)
    };
    let draw = number("drawId").or_else(|| number("drawNumber"))?;
    let count = number("ticketCount").or_else(|| number("tickets"));
    Some(count.map_or_else(
        || format!("/checkout/{draw}"),
        |count| format!("/checkout/{draw}?tickets={count}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(path: &str, query: &str) -> Option<String> {
        follow(&Page::of(path).expect("a page"), query)
    }

    #[test]
    fn a_short_link_keeps_what_its_board_said() {
        for (path, query, to) in [
            (
                "/w/bundle:sharks/finals",
                "",
                "/club/sharks/specials/finals?src=widget",
            ),
            (
                "/w/bundle:sharks/finals",
                "src=widget&mode=compact&loc=bar",
                "/club/sharks/specials/finals?src=widget&mode=compact&loc=bar",
            ),
            (
                "/w/draw:1042",
                "mode=fullscreen",
                "/draw/1042?src=widget&mode=fullscreen",
            ),
            (
                "/checkout",
                "drawId=1042&ticketCount=2",
                "/checkout/1042?tickets=2",
            ),
            ("/checkout", "ticketCount=x&drawId=1042", "/checkout/1042"),
        ] {
            assert_eq!(leads(path, query).as_deref(), Some(to), "{path}?{query}");
        }
    }

    #[test]
    fn a_page_of_its_own_leads_nowhere() {
        for (path, query) in [
            ("/checkout", ""),
            ("/checkout", "drawId=//evil.test"),
            ("/draw/1042", "drawId=1"),
        ] {
            assert_eq!(leads(path, query), None, "{path}?{query}");
        }
    }
}
