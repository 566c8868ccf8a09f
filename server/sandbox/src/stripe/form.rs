//! Decodes Stripe's form bodies, such as `metadata[order_id]=7`, `expand[]=latest_charge` and
//! `created[gte]=1700000000`.

use std::collections::BTreeMap;

use actix_web::web::Query;
use sha2::{Digest, Sha256};

use super::failure::StripeError;

/// A decoded form or query string. Field names keep their brackets, as in `metadata[order_id]`.
#[derive(Clone, Debug, Default)]
pub struct StripeForm(Vec<(String, String)>);

impl StripeForm {
    /// Decodes a form. A form that cannot be decoded is treated as empty, as at Stripe.
    pub fn parse(raw: &str) -> Self {
        Self(
            Query::<Vec<(String, String)>>::from_query(raw)
                .map(Query::into_inner)
                .unwrap_or_default(),
        )
    }

    /// Returns every field's name and value, in their order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns a copy without these fields and the fields below them.
    pub fn without(&self, names: &[&str]) -> Self {
        let is_named = |field: &str, name: &str| {
            field
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let kept = self
            .0
            .iter()
            .filter(|(field, _)| !names.iter().any(|name| is_named(field, name)));
        Self(kept.cloned().collect())
    }

    /// Returns a field's value if the field is present and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_or_empty(name).filter(|value| !value.is_empty())
    }

    /// Returns a field's value if the field is present, even if the value is empty. An empty value
    /// deletes the stored value.
    pub fn get_or_empty(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns an owned copy of a field's value if the field is present and not empty.
    pub fn get_owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// Returns a required field's value, or Stripe's error for a missing field.
    pub fn get_required(&self, name: &'static str) -> Result<&str, StripeError> {
        self.get(name)
            .ok_or_else(|| StripeError::missing_parameter(name))
    }

    /// Returns the integer in an optional field, or Stripe's error for an invalid integer.
    pub fn get_integer(&self, name: &'static str) -> Result<Option<i64>, StripeError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        value.parse().map(Some).map_err(|_| {
            StripeError::invalid_request(format!("Invalid integer: {value}"))
                .with_code("parameter_invalid_integer")
                .with_param(name)
        })
    }

    /// Returns the boolean in an optional field, or Stripe's error for an invalid boolean.
    pub fn get_flag(&self, name: &'static str) -> Result<Option<bool>, StripeError> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(
                StripeError::invalid_request(format!("Invalid boolean: {other}")).with_param(name),
            ),
        }
    }

    /// Returns the `name[key]=value` fields as a map from key to value.
    pub fn get_map(&self, name: &str) -> BTreeMap<String, String> {
        self.0
            .iter()
            .filter_map(|(key, value)| {
                Some((key_inside_brackets(key, name)?.to_owned(), value.clone()))
            })
            .collect()
    }

    /// Returns the values of the `name[]=value` or `name[0]=value` fields, in their order.
    pub fn get_list(&self, name: &str) -> Vec<&str> {
        let is_position = |key: &str| key.chars().all(|digit| digit.is_ascii_digit());
        self.0
            .iter()
            .filter(|(key, _)| key_inside_brackets(key, name).is_some_and(is_position))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// Returns the fields below `name[…]` as a form of their own: `data[card][token]` becomes
    /// `card[token]`.
    pub fn nested_form(&self, name: &str) -> Option<Self> {
        let inner_key = |key: &str| {
            let (first, rest) = key.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
            Some(format!("{first}{rest}"))
        };
        let pairs: Vec<_> = self
            .0
            .iter()
            .filter_map(|(key, value)| Some((inner_key(key)?, value.clone())))
            .collect();
        (!pairs.is_empty()).then_some(Self(pairs))
    }

    /// Returns a hash of the method, path and parameters. It does not depend on the parameters'
    /// order, so a repeated request has the same hash.
    pub fn fingerprint(&self, method: &str, path: &str) -> String {
        let mut pairs: Vec<_> = self.0.iter().collect();
        pairs.sort();
        let mut hash = Sha256::new();
        hash.update(method);
        hash.update(path);
        for (key, value) in pairs {
            hash.update([0]);
            hash.update(key);
            hash.update([1]);
            hash.update(value);
        }
        hex::encode(&hash.finalize()[..16])
    }
}

/// Returns the `key` of `name[key]`, or `None` if the field is nested more deeply.
fn key_inside_brackets<'a>(key: &'a str, name: &str) -> Option<&'a str> {
    let key = key
        .strip_prefix(name)?
        .strip_prefix('[')?
        .strip_suffix(']')?;
    (!key.contains('[')).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::StripeForm;

    #[test]
    fn form_reads_nested_names_lists_and_maps() {
        let form = StripeForm::parse(
            "metadata[order_id]=7&expand[]=a&expand[0]=b&created%5Bgte%5D=5&name=A+B%20C&off=",
        );
        assert_eq!(
            form.get_map("metadata").get("order_id").map(String::as_str),
            Some("7")
        );
        assert_eq!(form.get_list("expand"), ["a", "b"]);
        assert_eq!(form.get("created[gte]"), Some("5"));
        assert_eq!(form.get("name"), Some("A B C"));
        assert_eq!(
            StripeForm::parse("d[card][token]=t")
                .nested_form("d")
                .unwrap()
                .get("card[token]"),
            Some("t")
        );
        assert_eq!(
            (form.get("off"), form.get_or_empty("off")),
            (None, Some(""))
        );
    }

    #[test]
    fn fingerprint_ignores_parameter_order_but_not_values() {
        let fingerprint_of = |raw| StripeForm::parse(raw).fingerprint("POST", "/v1/x");
        assert_eq!(fingerprint_of("a=1&b=2"), fingerprint_of("b=2&a=1"));
        assert_ne!(fingerprint_of("a=1&b=2"), fingerprint_of("a=1&b=3"));
    }
}
