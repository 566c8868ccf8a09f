//! The sandbox's HTML pages: an overview, the mailbox, and the form that completes a club's
//! account.

use std::fmt::Write as _;
use std::future::ready;

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{self, Data, Form, Path, Query, ServiceConfig};
use serde::Deserialize;

use super::Sandbox;
use crate::stripe::account::Account;
use crate::stripe::card::{CardBehaviour, TEST_CARDS};

/// Content security policy of the pages. Scripts come only from this origin. Inline styles are
/// allowed, because mails contain them.
const PAGE_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; form-action *; base-uri 'none'; frame-ancestors 'self'";

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("", web::get().to(show_overview))
        .route("/", web::get().to(show_overview))
        .route("/mailbox", web::get().to(show_mailbox))
        .route(
            "/page.css",
            web::get().to(|| {
                ready(asset_response(
                    "text/css; charset=utf-8",
                    include_str!("page/page.css"),
                ))
            }),
        )
        .route(
            "/index.js",
            web::get().to(|| {
                ready(asset_response(
                    "text/javascript; charset=utf-8",
                    include_str!("page/index.js"),
                ))
            }),
        )
        .route(
            "/mailbox.js",
            web::get().to(|| {
                ready(asset_response(
                    "text/javascript; charset=utf-8",
                    include_str!("page/mailbox.js"),
                ))
            }),
        )
        .route("/onboarding/{account}", web::get().to(show_onboarding))
        .route("/onboarding/{account}", web::post().to(complete_onboarding));
}

fn asset_response(kind: &'static str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(kind)
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(text)
}

fn html_response(text: String) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, PAGE_SECURITY_POLICY))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header(("x-robots-tag", "noindex"))
        .body(text)
}

async fn show_overview() -> HttpResponse {
    let mut rows = String::new();
    for card in TEST_CARDS {
        let tone = match card.behaviour {
            CardBehaviour::Approves => "ok",
            CardBehaviour::Declines(_) => "danger",
            _ => "warn",
        };
        let _ = write!(
            rows,
            "<tr><td><button class=\"number num\" type=\"button\" data-copy=\"{}\">{}</button></td>\
                 <td><span class=\"badge {tone}\">{}</span></td><td><code>pm_card_<wbr>{}</code></td></tr>",
            card.number,
            group_card_number(card.number),
            card.meaning,
            insert_line_breaks(card.token)
        );
    }
    html_response(include_str!("page/index.html").replace("{{cards}}", &rows))
}

/// Groups the digits of a card number as on the card: `4242 4242 4242 4242`.
fn group_card_number(number: &str) -> String {
    let groups: Vec<&str> = match number.len() {
        15 => vec![&number[..4], &number[4..10], &number[10..]],
        _ => (0..number.len())
            .step_by(4)
            .map(|from| &number[from..(from + 4).min(number.len())])
            .collect(),
    };
    groups.join(" ")
}

/// Inserts optional line breaks before the capitals of a camel-case name.
fn insert_line_breaks(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_uppercase() {
                format!("<wbr>{c}")
            } else {
                c.to_string()
            }
        })
        .collect()
}

async fn show_mailbox() -> HttpResponse {
    html_response(include_str!("page/mailbox.html").to_owned())
}

#[derive(Debug, Deserialize)]
struct OnboardingLink {
    #[serde(default)]
    link: String,
}

/// Shows the onboarding form of an account link. An expired link redirects to the page that creates
/// a new link, as at Stripe.
async fn show_onboarding(
    sandbox: Data<Sandbox>,
    id: Path<String>,
    link: Query<OnboardingLink>,
) -> HttpResponse {
    let state = sandbox.state.lock().expect("the state is never poisoned");
    let Ok(account) = state.find::<Account>("", &id) else {
        return link_not_found_page();
    };
    match state.find_valid_link(&id, &link.link) {
        Ok(open) => {
            let name = account
                .business_name
                .or(account.email)
                .unwrap_or_else(|| id.to_string());
            html_response(
                include_str!("page/onboarding.html")
                    .replace("{{name}}", &escape_html_text(&name))
                    .replace("{{account}}", &escape_html_text(&id))
                    .replace("{{link}}", &escape_html_text(&open.token))
                    .replace("{{return}}", &escape_html_text(&open.return_url)),
            )
        }
        Err(failure) => match failure.error_object()["refresh_url"].as_str() {
            Some(refresh) => redirect_see_other(refresh),
            None => link_not_found_page(),
        },
    }
}

async fn complete_onboarding(
    sandbox: Data<Sandbox>,
    id: Path<String>,
    link: Form<OnboardingLink>,
) -> HttpResponse {
    let (completed, written) = {
        let mut state = sandbox.state.lock().expect("the state is never poisoned");
        state.request = (String::new(), None);
        (state.complete_onboarding(&id, &link.link), state.commit())
    };
    sandbox.webhook_sender.wake();
    match (completed, written) {
        (Ok(address), Ok(())) => redirect_see_other(&address),
        (Err(failure), Ok(())) => failure.error_object()["refresh_url"]
            .as_str()
            .map_or_else(link_not_found_page, redirect_see_other),
        (_, Err(_)) => HttpResponse::InternalServerError().finish(),
    }
}

fn redirect_see_other(address: &str) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((header::LOCATION, address))
        .finish()
}

fn link_not_found_page() -> HttpResponse {
    HttpResponse::NotFound()
        .content_type("text/plain; charset=utf-8")
        .body("There is no such account link.")
}

fn escape_html_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{escape_html_text, group_card_number};

    #[test]
    fn card_number_is_grouped_as_on_the_card() {
        assert_eq!(group_card_number("4242424242424242"), "4242 4242 4242 4242");
        assert_eq!(group_card_number("378282246310005"), "3782 822463 10005");
    }

    #[test]
    fn account_name_is_html_escaped() {
        assert_eq!(
            escape_html_text("<b>\"A&B\""),
            "&lt;b&gt;&quot;A&amp;B&quot;"
        );
    }
}
