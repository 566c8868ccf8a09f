//! The clocks: this machine's, Stripe's and the database's. Signatures of webhooks are valid for five
//! minutes, and the database's clock decides kick-off.

use std::time::Instant;

use actors::payments::stripe::inspection::StripeInspector;
use actors::{Clock, SystemClock};
use domain::Timestamp;
use persistence::records::Records;
use time::PrimitiveDateTime;
use time::macros::format_description;

use super::Finding;

const SUBJECT: &str = "clock";
/// Difference in seconds from which a clock should be looked at, and from which it is wrong.
const DIFFERENCE_SECONDS_YELLOW: i64 = 5;
const DIFFERENCE_SECONDS_RED: i64 = 60;

/// Compares this machine's clock with Stripe's and with the database's.
pub async fn examine(inspector: &StripeInspector, records: Option<&Records>) -> Vec<Finding> {
    let started = Instant::now();
    let stripe = inspector.read(None, "/balance").await;
    let elapsed_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
    // Half of the round trip lies before Stripe wrote its time.
    let here = SystemClock.now().plus_ms(-elapsed_ms / 2);
    let stripe = match stripe {
        Ok(answer) => match answer.date.as_deref().and_then(parse_http_date) {
            Some(there) => judge_difference("Stripe's", here, there),
            None => Finding::unknown(SUBJECT, "Stripe's answer has no time"),
        },
        Err(why) => Finding::unknown(SUBJECT, format!("Stripe's clock: {why}")),
    };
    let mut findings = vec![stripe];
    if let Some(records) = records {
        findings.push(match records.database_time().await {
            Ok(there) => judge_difference("the database's", SystemClock.now(), there),
            Err(why) => Finding::unknown(SUBJECT, format!("the database's clock: {why}")),
        });
    }
    findings
}

/// Judges the difference between this machine's clock and another one.
pub fn judge_difference(whose: &str, here: Timestamp, there: Timestamp) -> Finding {
    let seconds = (here.0 - there.0) / 1000;
    let what = match seconds {
        0 => format!("this machine's clock and {whose} agree"),
        1.. => format!("this machine's clock is {seconds} s ahead of {whose}"),
        _ => format!("this machine's clock is {} s behind {whose}", -seconds),
    };
    let remedy = "synchronise the clocks of all machines (chrony or systemd-timesyncd)";
    match seconds.abs() {
        DIFFERENCE_SECONDS_RED.. => Finding::red(SUBJECT, what, remedy),
        DIFFERENCE_SECONDS_YELLOW.. => Finding::yellow(SUBJECT, what, remedy),
        _ => Finding::green(SUBJECT, what),
    }
}

/// Parses the header `Date`, for example `Thu, 26 Nov 2026 20:00:00 GMT`.
fn parse_http_date(text: &str) -> Option<Timestamp> {
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let time = PrimitiveDateTime::parse(text, &format).ok()?.assume_utc();
    Some(Timestamp(time.unix_timestamp() * 1000))
}

#[cfg(test)]
mod tests {
    use super::super::FindingState::{Green, Red, Yellow};
    use super::*;

    #[test]
    fn difference_decides_in_both_directions() {
        for (seconds, state) in [(0, Green), (4, Green), (5, Yellow), (59, Yellow), (60, Red)] {
            for there in [seconds, -seconds] {
                let finding = judge_difference("Stripe's", Timestamp(0), Timestamp(there * 1000));
                assert_eq!(finding.state, state, "{there} s");
            }
        }
    }

    #[test]
    fn http_date_is_parsed() {
        let parsed = parse_http_date("Thu, 26 Nov 2026 20:00:00 GMT");
        assert_eq!(parsed, Some(Timestamp(1_795_723_200_000)));
        assert_eq!(parse_http_date("26 Nov 2026"), None);
    }
}
