//! Each club's account at Stripe: its capabilities, what Stripe wants from it, the text on statements,
//! its payouts, and the site's domain for wallets.

use actors::payments::stripe::inspection::{StripeAnswer, StripeInspector};
use domain::AccountId;
use persistence::records::Records;
use persistence::records::clubs::Club;
use serde_json::Value;

use super::{Finding, limited, readable};
use crate::config::Config;
use crate::services::wallet_domains::registrable_host;

/// Stripe's error code for an account that this platform may not, or may no longer, access.
const ACCOUNT_INVALID_CODE: &str = "account_invalid";

/// Examines the account of each club that has one and is not archived, one after the other.
pub async fn examine(
    inspector: &StripeInspector,
    records: &Records,
    config: &Config,
) -> Vec<Finding> {
    let clubs = match records.clubs().await {
        Ok(clubs) => clubs,
        Err(why) => {
            return vec![Finding::unknown(
                "clubs",
                format!("reading the clubs: {why}"),
            )];
        }
    };
    let mut findings = Vec::new();
    for club in clubs.iter().filter(|club| !club.archived) {
        let subject = format!("club {}", club.slug);
        match &club.account {
            None => findings.push(Finding::yellow(
                &subject,
                "it has no account at Stripe and cannot sell",
                "let the club open Stripe in its pages",
            )),
            Some(account) => {
                let check = examine_club(inspector, &subject, club, account, config);
                findings.extend(limited(&subject, check).await);
            }
        }
    }
    if clubs.is_empty() {
        findings.push(Finding::yellow(
            "clubs",
            "there is no club yet",
            "register the first one",
        ));
    }
    findings
}

async fn examine_club(
    inspector: &StripeInspector,
    subject: &str,
    club: &Club,
    account: &AccountId,
    config: &Config,
) -> Vec<Finding> {
    let answer = inspector
        .read(None, &format!("/accounts/{}", account.0))
        .await;
    if let Ok(answer) = &answer
        && answer.status == 403
        && answer.error_code() == ACCOUNT_INVALID_CODE
    {
        return vec![Finding::red(
            subject,
            format!("the platform has no access to its account {}", account.0),
            "the club disconnected it, or it belongs to the other mode: let the club connect again",
        )];
    }
    let mut findings = match readable(subject, "the account", answer) {
        Ok(answer) => judge_account(subject, club, &answer),
        Err(unknown) => vec![unknown],
    };
    findings.push(match registrable_host(&config.public_url) {
        Some(host) => {
            let path = format!("/payment_method_domains?domain_name={host}&limit=1");
            let answer = inspector.read(Some(account), &path).await;
            match readable(subject, "the domain", answer) {
                Ok(answer) => judge_domain(subject, host, &answer.body["data"][0]),
                Err(unknown) => unknown,
            }
        }
        None => Finding::unknown(
            subject,
            "wallets: PUBLIC_URL has no public host name, so no domain can be registered",
        ),
    });
    findings
}

/// Judges an account that Stripe shows.
pub fn judge_account(subject: &str, club: &Club, answer: &StripeAnswer) -> Vec<Finding> {
    let account = &answer.body;
    let mut findings = Vec::new();
    let capability = account["capabilities"]["card_payments"].as_str();
    if capability != Some("active") {
        findings.push(Finding::red(
            subject,
            format!(
                "the capability card_payments is {}",
                capability.unwrap_or("not requested")
            ),
            "the club completes what Stripe asks for in its dashboard",
        ));
    }
    for (field, problem) in [
        (
            "details_submitted",
            "its onboarding at Stripe is not complete",
        ),
        ("charges_enabled", "its account may not take payments"),
        (
            "payouts_enabled",
            "its account pays nothing out, so prizes cannot be paid from it",
        ),
    ] {
        if account[field] != true {
            let reason = account["requirements"]["disabled_reason"].as_str();
            let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            findings.push(Finding::red(
                subject,
                format!("{problem}{reason}"),
                "the club completes what Stripe asks for in its dashboard",
            ));
        }
    }
    findings.extend(judge_requirements(subject, &account["requirements"]));
    let is_ready = account["charges_enabled"] == true && account["details_submitted"] == true;
    if is_ready != club.connected {
        findings.push(Finding::yellow(
            subject,
            "the database has another state of the account than Stripe",
            "look whether webhook events arrive: account.updated corrects it",
        ));
    }
    findings.extend(judge_settings(subject, &account["settings"]));
    if findings.is_empty() {
        let schedule = &account["settings"]["payouts"]["schedule"];
        findings.push(Finding::green(
            subject,
            format!(
                "it takes card payments; statements show {}; payouts {}",
                account["settings"]["payments"]["statement_descriptor"]
                    .as_str()
                    .unwrap_or("?"),
                payout_schedule(schedule)
            ),
        ));
    }
    findings
}

fn judge_requirements(subject: &str, requirements: &Value) -> Option<Finding> {
    let fields = |name: &str| -> Vec<String> {
        let rows = requirements[name].as_array();
        rows.into_iter()
            .flatten()
            .filter_map(|field| field.as_str().map(str::to_owned))
            .collect()
    };
    let past_due = fields("past_due");
    if !past_due.is_empty() {
        return Some(Finding::red(
            subject,
            format!("Stripe has waited too long for {}", past_due.join(", ")),
            "the club enters it in its dashboard at Stripe",
        ));
    }
    let currently_due = fields("currently_due");
    if currently_due.is_empty() {
        return None;
    }
    let deadline = requirements["current_deadline"].as_i64();
    let deadline = deadline
        .and_then(|seconds| time::OffsetDateTime::from_unix_timestamp(seconds).ok())
        .map_or_else(String::new, |deadline| {
            format!(" until {}", deadline.date())
        });
    Some(Finding::yellow(
        subject,
        format!("Stripe wants {}{deadline}", currently_due.join(", ")),
        "the club enters it in its dashboard at Stripe before payments are stopped",
    ))
}

fn judge_settings(subject: &str, settings: &Value) -> Vec<Finding> {
    if settings.is_null() {
        return vec![Finding::unknown(
            subject,
            "Stripe does not show the account's settings: statement descriptor and payouts not told",
        )];
    }
    let mut findings = Vec::new();
    let descriptor = settings["payments"]["statement_descriptor"].as_str();
    if descriptor.is_none_or(str::is_empty) {
        findings.push(Finding::red(
            subject,
            "its statement descriptor is missing: buyers will not recognise the payment",
            "the club sets it to its name in its dashboard at Stripe (5 to 22 characters)",
        ));
    }
    let schedule = &settings["payouts"]["schedule"];
    if matches!(schedule["interval"].as_str(), Some("weekly" | "monthly")) {
        findings.push(Finding::yellow(
            subject,
            format!(
                "payouts {}: the prize may be at the wrong place on the day after a game",
                payout_schedule(schedule)
            ),
            "the club chooses daily or manual payouts in its dashboard at Stripe",
        ));
    }
    findings
}

fn payout_schedule(schedule: &Value) -> String {
    let interval = schedule["interval"].as_str().unwrap_or("at unknown times");
    let days = schedule["delay_days"].as_i64();
    days.map_or_else(
        || interval.to_owned(),
        |days| format!("{interval}, after {days} days"),
    )
}

/// Judges the site's domain on an account. Null: the domain is not registered.
pub fn judge_domain(subject: &str, host: &str, domain: &Value) -> Finding {
    if domain.is_null() {
        return Finding::red(
            subject,
            format!("{host} is not registered, so no wallet button appears"),
            "start the server: it registers the domain within a minute once the club can sell",
        );
    }
    if domain["enabled"] != true {
        return Finding::red(
            subject,
            format!("the domain {host} is switched off for wallets"),
            "start the server, which switches it on, or do so in the club's dashboard",
        );
    }
    for (field, name) in [("apple_pay", "Apple Pay"), ("google_pay", "Google Pay")] {
        if domain[field]["status"] != "active" {
            let reason = domain[field]["status_details"]["error_message"].as_str();
            return Finding::red(
                subject,
                format!(
                    "{name} is not active on {host}: {}",
                    reason.unwrap_or("Stripe names no reason")
                ),
                "make the site answer under this address for Stripe, then restart the server",
            );
        }
    }
    Finding::green(
        subject,
        format!("Apple Pay and Google Pay are active on {host}"),
    )
}

#[cfg(test)]
mod tests {
    use domain::{ClubId, Timestamp};
    use serde_json::json;

    use super::super::FindingState::{self, Green, Red, Unknown, Yellow};
    use super::*;

    fn club() -> Club {
        Club {
            id: ClubId(1),
            name: "Sharks".into(),
            email: "sharks@example.com".into(),
            location: None,
            phone: None,
            account: Some(AccountId("acct_1".into())),
            connected: true,
            charges_enabled: true,
            details_submitted: true,
            payouts_enabled: true,
            archived: false,
            slug: "sharks".into(),
            title: None,
            tagline: None,
            logo_url: None,
            primary_color: String::new(),
            secondary_color: String::new(),
            accent_color: String::new(),
            facebook_pixel_id: None,
            page_enabled: true,
            goal: None,
            photo_url: None,
            sponsor: None,
            email_verified: true,
            created_at: Timestamp(0),
        }
    }

    fn states(pointer: &str, value: Value) -> Vec<FindingState> {
        let mut body = json!({
            "capabilities": { "card_payments": "active" }, "charges_enabled": true, "details_submitted": true,
            "payouts_enabled": true, "requirements": { "past_due": [], "currently_due": [] },
            "settings": { "payments": { "statement_descriptor": "SHARKS" },
                "payouts": { "schedule": { "interval": "daily", "delay_days": 2 } } },
        });
        if !pointer.is_empty() {
            *body.pointer_mut(pointer).expect("the field exists") = value;
        }
        let answer = StripeAnswer {
            status: 200,
            date: None,
            body,
        };
        judge_account("club sharks", &club(), &answer)
            .into_iter()
            .map(|finding| finding.state)
            .collect()
    }

    #[test]
    fn each_fault_of_an_account_is_reported() {
        for (pointer, value, expected) in [
            ("", json!(null), vec![Green]),
            ("/capabilities/card_payments", json!("inactive"), vec![Red]),
            ("/capabilities/card_payments", json!(null), vec![Red]),
            // The account can no longer sell, which the database does not know yet.
            ("/charges_enabled", json!(false), vec![Red, Yellow]),
            ("/details_submitted", json!(false), vec![Red, Yellow]),
            ("/payouts_enabled", json!(false), vec![Red]),
            ("/requirements/past_due", json!(["tax_id"]), vec![Red]),
            (
                "/requirements/currently_due",
                json!(["tax_id"]),
                vec![Yellow],
            ),
            (
                "/settings/payments/statement_descriptor",
                json!(null),
                vec![Red],
            ),
            (
                "/settings/payouts/schedule/interval",
                json!("monthly"),
                vec![Yellow],
            ),
            ("/settings", json!(null), vec![Unknown]),
        ] {
            assert_eq!(
                states(pointer, value.clone()),
                expected,
                "{pointer} {value}"
            );
        }
    }

    #[test]
    fn both_wallets_must_be_active_on_the_domain() {
        let active = json!({ "status": "active" });
        let inactive = json!({ "status": "inactive" });
        let state = |domain: Value| judge_domain("club sharks", "a.example", &domain).state;
        let domain = |enabled: bool, apple: &Value, google: &Value| {
            state(json!({ "enabled": enabled, "apple_pay": apple, "google_pay": google }))
        };
        assert_eq!(domain(true, &active, &active), Green);
        assert_eq!(domain(false, &active, &active), Red);
        assert_eq!(domain(true, &inactive, &active), Red);
        assert_eq!(domain(true, &active, &inactive), Red);
        assert_eq!(state(Value::Null), Red);
    }
}
