//! Formats timestamps for the API.

use domain::Timestamp;
use time::OffsetDateTime;
use time::macros::format_description;
use time_tz::{OffsetDateTimeExt, timezones};

fn to_utc(at: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at.0) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Formats a time as RFC 3339 in UTC: `2026-11-20T09:10:00Z`, with milliseconds unless they are
/// zero.
pub fn rfc3339(at: Timestamp) -> String {
    let whole = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]Z");
    let fine =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    let utc = to_utc(at);
    if at.0.rem_euclid(1000) == 0 {
        utc.format(whole)
    } else {
        utc.format(fine)
    }
    .unwrap_or_default()
}

/// Formats the local time in a zone, such as `19:10:00`. For an unknown zone, Brisbane is used
/// (decision E-11).
pub fn local_time(at: Timestamp, zone: &str) -> String {
    let zone = timezones::get_by_name(zone).unwrap_or(timezones::db::australia::BRISBANE);
    let shape = format_description!("[hour]:[minute]:[second]");
    to_utc(at)
        .to_timezone(zone)
        .format(shape)
        .unwrap_or_default()
}

/// Formats local date and time for a form, such as `2026-11-27T19:10`. For an unknown zone,
/// Brisbane is used.
pub fn local_date_time(at: Timestamp, zone: &str) -> String {
    let zone = timezones::get_by_name(zone).unwrap_or(timezones::db::australia::BRISBANE);
    let shape = format_description!("[year]-[month]-[day]T[hour]:[minute]");
    to_utc(at)
        .to_timezone(zone)
        .format(shape)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_is_formatted_in_utc_and_in_its_zone() {
        let friday = Timestamp(1_795_165_800_000);
        assert_eq!(rfc3339(friday), "2026-11-20T09:10:00Z");
        assert_eq!(rfc3339(friday.plus_ms(7)), "2026-11-20T09:10:00.007Z");
        assert_eq!(local_time(friday, "Australia/Brisbane"), "19:10:00");
        assert_eq!(local_time(friday, "Pacific/Auckland"), "22:10:00");
        assert_eq!(local_time(friday, "Mars/Olympus"), "19:10:00");
    }
}
