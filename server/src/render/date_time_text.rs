//! Formats an instant in the draw's time zone, with the zone's name (decision E-10).

use domain::Timestamp;
use time::OffsetDateTime;
use time::macros::format_description;
use time_tz::{Offset, OffsetDateTimeExt, TimeZone, Tz, timezones};

/// Non-breaking space, written between a time and its am or pm.
pub const NON_BREAKING_SPACE: char = '\u{a0}';

/// Time zone used for a draw whose stored zone is unknown (specification A, line 13).
const DEFAULT_TIME_ZONE: &Tz = timezones::db::australia::BRISBANE;

fn zone_or_default(name: &str) -> &'static Tz {
    timezones::get_by_name(name).unwrap_or(DEFAULT_TIME_ZONE)
}

fn to_local(at: Timestamp, zone: &'static Tz) -> OffsetDateTime {
    let utc = OffsetDateTime::from_unix_timestamp(at.0.div_euclid(1000))
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    utc.to_timezone(zone)
}

/// Formats `Fri 20 Nov 2026, 7:10 pm AEST` for a page, without a line break inside the time.
/// `web/src/shared/dates.ts` writes the same characters, so that nothing moves when React takes
/// over.
pub fn non_breaking_date_time(at: Timestamp, zone_name: &str) -> String {
    date_time_with_zone(at, zone_name)
        .replace(" am ", &format!("{NON_BREAKING_SPACE}am "))
        .replace(" pm ", &format!("{NON_BREAKING_SPACE}pm "))
}

/// Formats `Fri 20 Nov 2026, 7:10 pm AEST` with ordinary spaces, for tables, PDFs and pictures.
pub fn date_time_with_zone(at: Timestamp, zone_name: &str) -> String {
    let shape = format_description!(
        "[weekday repr:short] [day padding:none] [month repr:short] [year], [hour repr:12 padding:none]:[minute] [period case:lower]"
    );
    let zone = zone_or_default(zone_name);
    let local = to_local(at, zone);
    format!(
        "{} {}",
        local.format(shape).unwrap_or_default(),
        zone.get_offset_utc(&local).name()
    )
}

/// Whether two instants fall on the same calendar day of a zone.
pub fn is_same_day(one: Timestamp, other: Timestamp, zone_name: &str) -> bool {
    let zone = zone_or_default(zone_name);
    to_local(one, zone).date() == to_local(other, zone).date()
}

/// Formats `Fri 7:10 pm` for a subject line.
pub fn weekday_and_time(at: Timestamp, zone_name: &str) -> String {
    let shape = format_description!(
        "[weekday repr:short] [hour repr:12 padding:none]:[minute] [period case:lower]"
    );
    to_local(at, zone_or_default(zone_name))
        .format(shape)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test's instant: 2026-11-20T09:10:00Z, a Friday.
    const FRIDAY_KICK_OFF: Timestamp = Timestamp(1_795_165_800_000);

    #[test]
    fn kick_off_is_formatted_in_the_draws_zone() {
        assert_eq!(
            date_time_with_zone(FRIDAY_KICK_OFF, "Australia/Brisbane"),
            "Fri 20 Nov 2026, 7:10 pm AEST"
        );
        assert_eq!(
            date_time_with_zone(FRIDAY_KICK_OFF, "Australia/Sydney"),
            "Fri 20 Nov 2026, 8:10 pm AEDT"
        );
        assert_eq!(
            date_time_with_zone(FRIDAY_KICK_OFF, "Europe/London"),
            "Fri 20 Nov 2026, 9:10 am GMT"
        );
        assert_eq!(
            weekday_and_time(FRIDAY_KICK_OFF, "Australia/Brisbane"),
            "Fri 7:10 pm"
        );
    }

    #[test]
    fn only_pages_use_non_breaking_spaces_in_times() {
        assert_eq!(
            non_breaking_date_time(FRIDAY_KICK_OFF, "Australia/Brisbane"),
            "Fri 20 Nov 2026, 7:10\u{a0}pm AEST"
        );
        assert_eq!(
            non_breaking_date_time(FRIDAY_KICK_OFF, "Europe/London"),
            "Fri 20 Nov 2026, 9:10\u{a0}am GMT"
        );
        assert!(
            !date_time_with_zone(FRIDAY_KICK_OFF, "Australia/Brisbane")
                .contains(NON_BREAKING_SPACE)
        );
        assert!(
            !weekday_and_time(FRIDAY_KICK_OFF, "Australia/Brisbane").contains(NON_BREAKING_SPACE)
        );
    }

    #[test]
    fn unknown_zone_falls_back_to_brisbane() {
        assert_eq!(
            date_time_with_zone(FRIDAY_KICK_OFF, "Mars/Olympus"),
            date_time_with_zone(FRIDAY_KICK_OFF, "Australia/Brisbane")
        );
    }
}
