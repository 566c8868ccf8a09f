//! The form for creating and editing a draw, and the data of its editor.

use domain::Cents;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::draw::Draw;
use super::lenient_numbers;

/// The form of a draw. Creating checks that the required fields are present; editing accepts any
/// subset.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct DrawForm {
    #[serde(deserialize_with = "lenient_numbers::deserialize_whole_number")]
    pub club_id: Option<i64>,
    /// Name of the league; `null` removes it.
    #[serde(deserialize_with = "deserialize_nullable_text")]
    #[schema(value_type = Option<String>)]
    pub league: Option<Option<String>>,
    pub home_team: Option<String>,
    pub away_team: Option<String>,
    /// Kick-off: `2026-11-27` (with `gameTime`), `2026-11-27T19:10` in `timezone`, or an RFC 3339
    /// time with offset.
    pub game_date: Option<String>,
    /// Time of kick-off, `19:10` or `19:10:00`; 15:00:00 if a new draw has none.
    pub game_time: Option<String>,
    /// IANA name of the time zone; Australia/Brisbane if a new draw has none.
    pub timezone: Option<String>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    /// Ticket price in dollars, as a number or as text.
    #[schema(value_type = Option<String>)]
    pub ticket_price: Option<Value>,
    #[serde(deserialize_with = "lenient_numbers::deserialize_whole_number")]
    pub prize_percentage: Option<i64>,
    pub pass_stripe_fees: Option<bool>,
    pub round_up_prize: Option<bool>,
    /// When sales open. A new draw without this field is on sale at once (decision E-20).
    #[serde(deserialize_with = "deserialize_nullable_text")]
    #[schema(value_type = Option<String>)]
    pub sales_open_at: Option<Option<String>>,
    /// The operator's reason for editing a club's draw (decision E-9). Clubs need no reason.
    pub reason: Option<String>,
}

/// Deserialises a field that is present, `null` as `Some(None)`. An absent field becomes `None` by
/// default.
fn deserialize_nullable_text<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(from).map(Some)
}

impl DrawForm {
    /// Parses the ticket price. `None` if it is absent; `Some(None)` if it is not an amount of at
    /// least one cent (decision C-23).
    pub fn parsed_price(&self) -> Option<Option<Cents>> {
        let text = match self.ticket_price.as_ref()? {
            Value::String(text) => text.trim().trim_start_matches('$').to_string(),
            Value::Number(number) => number.to_string(),
            _ => return Some(None),
        };
        Some(Cents::parse(&text).filter(|price| *price > Cents::ZERO))
    }
}

/// A draw with its private fields, for its own club.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnDraw {
    #[serde(flatten)]
    pub draw: Draw,
    pub owned_by_caller: bool,
    /// Whether the club may edit the draw: it is active and before kick-off.
    pub editable: bool,
    pub not_editable_reason: Option<&'static str>,
    /// Whether price and prize are fixed, because tickets are sold.
    pub locked: bool,
}

/// The form values for the action "Duplicate last draw".
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawTemplate {
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    /// Suggested kick-off in local time, `2026-11-27T19:10`: the last draw's, moved by whole weeks
    /// into the future.
    pub game_date: String,
    pub timezone: String,
    pub ticket_price: String,
    pub prize_percentage: u8,
    pub pass_stripe_fees: bool,
    pub round_up_prize: bool,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
}

/// A club's agreement to the terms of service. The server records IP address and browser by itself.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TermsAgreementForm {
    #[serde(deserialize_with = "lenient_numbers::deserialize_whole_number")]
    pub club_id: Option<i64>,
    pub terms_version: Option<String>,
}

/// The club's acceptance of the platform's terms, as it was stored.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptedTerms {
    pub id: i64,
    pub accepted_at: String,
    pub terms_version: String,
}

/// The body that archives or restores a draw.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ArchiveForm {
    /// Whether to archive (true or absent) or to restore the draw (false).
    pub archived: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_is_read_from_number_or_text_in_dollars() {
        let price = |json: &str| {
            serde_json::from_str::<DrawForm>(json)
                .expect("a form")
                .parsed_price()
        };
        for five in [
            r#"{"ticketPrice":5}"#,
            r#"{"ticketPrice":"5.00"}"#,
            r#"{"ticketPrice":5.0}"#,
            r#"{"ticketPrice":"$5"}"#,
        ] {
            assert_eq!(price(five), Some(Some(Cents(500))), "{five}");
        }
        assert_eq!(price(r#"{"ticketPrice":0.01}"#), Some(Some(Cents(1))));
        for bad in [
            r#"{"ticketPrice":0}"#,
            r#"{"ticketPrice":"x"}"#,
            r#"{"ticketPrice":-5}"#,
            r#"{"ticketPrice":[]}"#,
            r#"{"ticketPrice":"5.001"}"#,
            r#"{"ticketPrice":""}"#,
        ] {
            assert_eq!(price(bad), Some(None), "{bad}");
        }
        assert_eq!(price("{}"), None);
    }

    #[test]
    fn null_league_removes_the_league() {
        let league = |json: &str| {
            serde_json::from_str::<DrawForm>(json)
                .expect("a form")
                .league
        };
        assert_eq!(league("{}"), None);
        assert_eq!(league(r#"{"league":null}"#), Some(None));
        assert_eq!(league(r#"{"league":"NRL"}"#), Some(Some("NRL".to_string())));
    }
}
