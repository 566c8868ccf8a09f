//! Short links, which redirect to another page.

use crate::render::page_address::{Page, PageKind};

/// Returns the redirect target of a short link, with its query; `None` for an ordinary page.
pub fn redirect_target(page: &Page<'_>, query: &str) -> Option<String> {
    match page.address.shows {
        PageKind::ToOffer => {
            let (club, bundle) = (page.variable("slug"), page.variable("bundle"));
            Some(target_with_tracking(
                &format!("/club/{club}/specials/{bundle}"),
                query,
            ))
        }
        PageKind::ToDraw => Some(target_with_tracking(
            &format!("/draw/{}", page.draw()),
            query,
        )),
        PageKind::ToCheckout => checkout_target(query),
        _ => None,
    }
}

/// Returns the target of a short link that a display shows, with the link's tracking parameters.
/// Adds `src=widget` if the parameters name no source (decision B-20).
fn target_with_tracking(path: &str, query: &str) -> String {
    let says_source = query.split('&').any(|pair| pair.starts_with("src="));
    match (query.is_empty(), says_source) {
        (true, _) => format!("{path}?src=widget"),
        (false, true) => format!("{path}?{query}"),
        (false, false) => format!("{path}?src=widget&{query}"),
    }
}

/// Converts the query of `/checkout?drawId=1042&ticketCount=2` to `/checkout/1042?tickets=2`
/// (decision A-5). `None` if the query contains no draw.
fn checkout_target(query: &str) -> Option<String> {
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

    fn target(path: &str, query: &str) -> Option<String> {
        redirect_target(&Page::for_path(path).expect("a page"), query)
    }

    #[test]
    fn short_link_keeps_its_tracking_parameters() {
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
            assert_eq!(target(path, query).as_deref(), Some(to), "{path}?{query}");
        }
    }

    #[test]
    fn normal_page_does_not_redirect() {
        for (path, query) in [
            ("/checkout", ""),
            ("/checkout", "drawId=//evil.test"),
            ("/draw/1042", "drawId=1"),
        ] {
            assert_eq!(target(path, query), None, "{path}?{query}");
        }
    }
}
