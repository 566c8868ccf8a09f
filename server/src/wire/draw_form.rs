//! The form a club fills in to create or change a draw (B:196, B:199), and what its editor must know.

use domain::Cents;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::draw::Draw;
use super::loose;

/// Every field may be absent: creating asks for what it needs, changing takes any of them.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct DrawForm {
    #[serde(deserialize_with = "loose::whole")]
    pub club_id: Option<i64>,
    /// `null` takes the league away.
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub league: Option<Option<String>>,
    pub home_team: Option<String>,
    pub away_team: Option<String>,
    /// `2026-11-27` (then `gameTime` says when), `2026-11-27T19:10` in `timezone`, or an instant with its offset.
    pub game_date: Option<String>,
    /// `19:10` or `19:10:00`; 15:00:00 when a new draw names none.
    pub game_time: Option<String>,
    /// IANA name; Australia/Brisbane when a new draw names none.
    pub timezone: Option<String>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    /// Dollars, as a number or as text.
    #[schema(value_type = Option<String>)]
    pub ticket_price: Option<Value>,
    #[serde(deserialize_with = "loose::whole")]
    pub prize_percentage: Option<i64>,
    pub pass_stripe_fees: Option<bool>,
    pub round_up_prize: Option<bool>,
    /// When sales open; at once when absent (decision E-20).
    #[serde(deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub sales_open_at: Option<Option<String>>,
    /// Why the operator changes a club's draw (decision E-9); a club is not asked.
    pub reason: Option<String>,
}

/// Tells `null` from nothing.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(from).map(Some)
}

impl DrawForm {
    /// The ticket price that was sent: `None` when none was, `Some(None)` when it is no amount from one cent up (decision C-23).
    pub fn price(&self) -> Option<Option<Cents>> {
        let text = match self.ticket_price.as_ref()? {
            Value::String(text) => text.trim().trim_start_matches('$').to_string(),
            Value::Number(number) => number.to_string(),
            _ => return Some(None),
        };
        Some(Cents::parse(&text).filter(|price| *price > Cents::ZERO))
    }
}

/// A draw for the eyes of its club.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnDraw {
    #[serde(flatten)]
    pub draw: Draw,
    pub owned_by_caller: bool,
    /// Active, and before its kick-off (B:139).
    pub editable: bool,
    pub not_editable_reason: Option<&'static str>,
    /// Tickets are sold: price and prize stay (B:139).
    pub locked: bool,
}

/// What "Duplicate last draw" fills the form with.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawTemplate {
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    /// Local, `2026-11-27T19:10`: the same hour, so many weeks later that it is ahead.
    pub game_date: String,
    pub timezone: String,
    pub ticket_price: String,
    pub prize_percentage: u8,
    pub pass_stripe_fees: bool,
    pub round_up_prize: bool,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
}

/// A club agrees to the terms of service (B:195). What it says of its address and browser is ignored.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Agreement {
    #[serde(deserialize_with = "loose::whole")]
    pub club_id: Option<i64>,
    pub terms_version: Option<String>,
}

/// The agreement as it was written down.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agreed {
    pub id: i64,
    pub accepted_at: String,
    pub terms_version: String,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Archiving {
    /// Yes when absent.
    pub archived: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_comes_as_number_or_text_in_dollars() {
        let price = |json: &str| {
            serde_json::from_str::<DrawForm>(json)
                .expect("a form")
                .price()
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
    fn a_league_may_be_taken_away() {
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
