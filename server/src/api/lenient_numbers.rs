//! Lenient deserialisers: numbers may be sent as text, and amounts in dollars or cents (decision
//! A-1).

use std::fmt;

use domain::Cents;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(serde_json::Number),
    Text(String),
}

/// Reads a whole number that is sent as a number or as text. A number beyond `i64` becomes
/// `i64::MAX` and then fails the range check.
pub fn deserialize_whole_number<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<i64>, D::Error> {
    from.deserialize_option(WholeNumberVisitor)
}

/// Deserialises a whole number without an intermediate value, for speed: this code runs for every
/// rejected purchase under load.
struct WholeNumberVisitor;

impl<'de> Visitor<'de> for WholeNumberVisitor {
    type Value = Option<i64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_none<E: Error>(self) -> Result<Option<i64>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<i64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Option<i64>, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<i64>, E> {
        Ok(Some(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<i64>, E> {
        Ok(Some(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<i64>, E> {
        if !number.is_finite() || number.fract() != 0.0 {
            return Err(E::custom("expected a whole number"));
        }
        Ok(Some(number as i64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<i64>, E> {
        self.visit_f64(
            text.trim()
                .parse()
                .map_err(|_| E::custom("expected a whole number"))?,
        )
    }
}

/// Reads an amount. A whole number is cents; a number or text with a decimal point is dollars.
pub fn deserialize_amount_in_cents<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Cents>, D::Error> {
    let Some(value) = Option::<NumberOrText>::deserialize(from)? else {
        return Ok(None);
    };
    let text = match value {
        NumberOrText::Number(number) => number.to_string(),
        NumberOrText::Text(text) => text.trim().to_string(),
    };
    let amount = if text.contains('.') {
        Cents::parse(&text)
    } else {
        text.parse().ok().map(Cents)
    };
    amount
        .map(Some)
        .ok_or_else(|| D::Error::custom("expected an amount"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct LenientBody {
        #[serde(default, deserialize_with = "deserialize_whole_number")]
        count: Option<i64>,
        #[serde(default, deserialize_with = "deserialize_amount_in_cents")]
        price: Option<Cents>,
    }

    fn parse_body(json: &str) -> Option<(Option<i64>, Option<Cents>)> {
        serde_json::from_str::<LenientBody>(json)
            .ok()
            .map(|body| (body.count, body.price))
    }

    #[test]
    fn whole_numbers_are_read_from_number_or_text() {
        for json in [
            r#"{"count":1042}"#,
            r#"{"count":"1042"}"#,
            r#"{"count":1042.0}"#,
            r#"{"count":" 1042 "}"#,
        ] {
            assert_eq!(parse_body(json), Some((Some(1042), None)), "{json}");
        }
        assert_eq!(parse_body(r#"{"count":-1}"#), Some((Some(-1), None)));
        assert_eq!(
            parse_body(r#"{"count":1e9}"#),
            Some((Some(1_000_000_000), None))
        );
        assert_eq!(
            parse_body(r#"{"count":1e300}"#),
            Some((Some(i64::MAX), None))
        );
        assert_eq!(parse_body("{}"), Some((None, None)));
        for json in [
            r#"{"count":"1; drop"}"#,
            r#"{"count":1.5}"#,
            r#"{"count":[1]}"#,
            r#"{"count":""}"#,
            r#"{"count":"NaN"}"#,
        ] {
            assert_eq!(parse_body(json), None, "{json}");
        }
    }

    #[test]
    fn amounts_are_read_in_cents_or_dollars() {
        let price = |json: &str| parse_body(json).and_then(|read| read.1);
        assert_eq!(price(r#"{"price":1047}"#), Some(Cents(1047)));
        assert_eq!(price(r#"{"price":"10.47"}"#), Some(Cents(1047)));
        assert_eq!(price(r#"{"price":10.5}"#), Some(Cents(1050)));
        assert_eq!(price(r#"{"price":"free"}"#), None);
    }
}
