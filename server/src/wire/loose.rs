//! Reading what clients send: numbers that may come as text, amounts that may come in dollars or in cents (decision A-1).

use domain::Cents;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(serde_json::Number),
    Text(String),
}

/// A whole number, or text that is one. Too large for us is the largest we know: it is refused by range, not by shape.
pub fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let Some(value) = Option::<NumberOrText>::deserialize(from)? else {
        return Ok(None);
    };
    let text = match value {
        NumberOrText::Number(number) => match number.as_i64() {
            Some(whole) => return Ok(Some(whole)),
            None => number.to_string(),
        },
        NumberOrText::Text(text) => text,
    };
    let number: f64 = text.trim().parse().map_err(|_| D::Error::custom("expected a whole number"))?;
    if !number.is_finite() || number.fract() != 0.0 {
        return Err(D::Error::custom("expected a whole number"));
    }
    Ok(Some(number as i64))
}

/// An amount: a whole number is cents, as everywhere on the wire; a number or text with a decimal point is dollars.
pub fn amount<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Cents>, D::Error> {
    let Some(value) = Option::<NumberOrText>::deserialize(from)? else {
        return Ok(None);
    };
    let text = match value {
        NumberOrText::Number(number) => number.to_string(),
        NumberOrText::Text(text) => text.trim().to_string(),
    };
    let amount = if text.contains('.') { Cents::parse(&text) } else { text.parse().ok().map(Cents) };
    amount.map(Some).ok_or_else(|| D::Error::custom("expected an amount"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "whole")]
        count: Option<i64>,
        #[serde(default, deserialize_with = "amount")]
        price: Option<Cents>,
    }

    fn read(json: &str) -> Option<(Option<i64>, Option<Cents>)> {
        serde_json::from_str::<Body>(json).ok().map(|body| (body.count, body.price))
    }

    #[test]
    fn numbers_come_as_numbers_or_as_text() {
        for json in [r#"{"count":1042}"#, r#"{"count":"1042"}"#, r#"{"count":1042.0}"#, r#"{"count":" 1042 "}"#] {
            assert_eq!(read(json), Some((Some(1042), None)), "{json}");
        }
        assert_eq!(read(r#"{"count":-1}"#), Some((Some(-1), None)));
        assert_eq!(read(r#"{"count":1e9}"#), Some((Some(1_000_000_000), None)));
        assert_eq!(read(r#"{"count":1e300}"#), Some((Some(i64::MAX), None)));
        assert_eq!(read("{}"), Some((None, None)));
        for json in
            [r#"{"count":"1; drop"}"#, r#"{"count":1.5}"#, r#"{"count":[1]}"#, r#"{"count":""}"#, r#"{"count":"NaN"}"#]
        {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn amounts_come_in_cents_or_in_dollars() {
        let price = |json: &str| read(json).and_then(|read| read.1);
        assert_eq!(price(r#"{"price":1047}"#), Some(Cents(1047)));
        assert_eq!(price(r#"{"price":"10.47"}"#), Some(Cents(1047)));
        assert_eq!(price(r#"{"price":10.5}"#), Some(Cents(1050)));
        assert_eq!(price(r#"{"price":"free"}"#), None);
    }
}
