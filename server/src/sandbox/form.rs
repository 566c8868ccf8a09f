//! The provider's form bodies: `metadata[order_id]=7`, `expand[]=latest_charge`, `created[gte]=1700000000`.

use std::collections::BTreeMap;

use actix_web::web::Query;
use sha2::{Digest, Sha256};

use super::failure::Failure;

/// A decoded form or query string; names keep their brackets.
#[derive(Clone, Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Decodes a form; what cannot be decoded is treated as empty, as the provider does.
    pub fn parse(raw: &str) -> Self {
        Self(
            Query::<Vec<(String, String)>>::from_query(raw)
                .map(Query::into_inner)
                .unwrap_or_default(),
        )
    }

    /// A value that is present and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// A value that is present, perhaps empty: an empty one clears a field.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    pub fn required(&self, name: &'static str) -> Result<&str, Failure> {
        self.get(name).ok_or_else(|| Failure::missing(name))
    }

    pub fn integer(&self, name: &'static str) -> Result<Option<i64>, Failure> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        value.parse().map(Some).map_err(|_| {
            Failure::invalid(format!("Invalid integer: {value}"))
                .code("parameter_invalid_integer")
                .param(name)
        })
    }

    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(Failure::invalid(format!("Invalid boolean: {other}")).param(name)),
        }
    }

    /// `name[key]=value` pairs.
    pub fn map(&self, name: &str) -> BTreeMap<String, String> {
        self.0
            .iter()
            .filter_map(|(key, value)| Some((inside(key, name)?.to_owned(), value.clone())))
            .collect()
    }

    /// `name[]=value` or `name[0]=value`, in order.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let is_position = |key: &str| key.chars().all(|digit| digit.is_ascii_digit());
        self.0
            .iter()
            .filter(|(key, _)| inside(key, name).is_some_and(is_position))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// The form inside `name[…]`: `data[card][token]` becomes `card[token]`.
    pub fn within(&self, name: &str) -> Option<Self> {
        let unwrap = |key: &str| {
            let (first, rest) = key.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
            Some(format!("{first}{rest}"))
        };
        let pairs: Vec<_> = self
            .0
            .iter()
            .filter_map(|(key, value)| Some((unwrap(key)?, value.clone())))
            .collect();
        (!pairs.is_empty()).then_some(Self(pairs))
    }

    /// The same for two requests with the same parameters, whatever their order.
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
        hash.finalize()[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// The `key` of `name[key]`; deeper nesting is not this map's.
fn inside<'a>(key: &'a str, name: &str) -> Option<&'a str> {
    let key = key
        .strip_prefix(name)?
        .strip_prefix('[')?
        .strip_suffix(']')?;
    (!key.contains('[')).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[test]
    fn nested_names_lists_and_maps_are_read() {
        let form = Form::parse(
            "metadata[order_id]=7&expand[]=a&expand[0]=b&created%5Bgte%5D=5&name=A+B%20C&off=",
        );
        assert_eq!(
            form.map("metadata").get("order_id").map(String::as_str),
            Some("7")
        );
        assert_eq!(form.list("expand"), ["a", "b"]);
        assert_eq!(form.get("created[gte]"), Some("5"));
        assert_eq!(form.get("name"), Some("A B C"));
        assert_eq!(
            Form::parse("d[card][token]=t")
                .within("d")
                .unwrap()
                .get("card[token]"),
            Some("t")
        );
        assert_eq!((form.get("off"), form.given("off")), (None, Some("")));
    }

    #[test]
    fn a_fingerprint_ignores_order_and_sees_values() {
        let print = |raw| Form::parse(raw).fingerprint("POST", "/v1/x");
        assert_eq!(print("a=1&b=2"), print("b=2&a=1"));
        assert_ne!(print("a=1&b=2"), print("a=1&b=3"));
    }
}
