//! The calls of Stripe's API, their parameters and their answers. The table is generated from the
//! types of Stripe's official Node library (`server/sandbox/sdk/generate-schema.mjs`).

pub mod answer;
pub mod expansion;
pub mod parameter;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

static API_SCHEMA: LazyLock<ApiSchema> = LazyLock::new(|| {
    serde_json::from_str(include_str!("schema/generated.json"))
        .expect("the generated table has the form that this module reads")
});

/// The whole table.
#[derive(Debug, Deserialize)]
pub struct ApiSchema {
    /// The version of the API that the library's types describe.
    pub api_version: String,
    /// By method and path, such as `GET /v1/refunds/{id}`.
    calls: HashMap<String, CallSchema>,
    /// The object of each type of event.
    events: HashMap<String, SchemaType>,
    types: HashMap<String, SchemaFields>,
}

/// The parameters and the answer of one call.
#[derive(Debug, Deserialize)]
pub struct CallSchema {
    parameters: SchemaType,
    pub answer: SchemaType,
}

/// What a value may be. In parameters, `Null` stands for the empty text that deletes a value.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaType {
    String,
    Number,
    Boolean,
    Null,
    Any,
    /// Details of another payment method than a card. The stand-in has cards only.
    OtherMethod,
    Enum(Vec<String>),
    Array(Box<SchemaType>),
    Map(Box<SchemaType>),
    /// One page of a list of objects.
    List(Box<SchemaType>),
    /// The name of a type of the table.
    Ref(String),
    OneOf(Vec<SchemaType>),
    Fields(SchemaFields),
}

/// The fields of an object, by name.
#[derive(Debug, Deserialize)]
#[serde(from = "BTreeMap<String, SchemaType>")]
pub struct SchemaFields(BTreeMap<String, SchemaField>);

#[derive(Debug)]
struct SchemaField {
    value: SchemaType,
    is_optional: bool,
}

impl From<BTreeMap<String, SchemaType>> for SchemaFields {
    /// The table marks an optional field by a question mark after its name.
    fn from(fields: BTreeMap<String, SchemaType>) -> Self {
        let named = fields.into_iter().map(|(name, value)| {
            let required_name = name.strip_suffix('?');
            let is_optional = required_name.is_some();
            let name = required_name.unwrap_or(&name).to_owned();
            (name, SchemaField { value, is_optional })
        });
        Self(named.collect())
    }
}

impl ApiSchema {
    pub fn get() -> &'static Self {
        &API_SCHEMA
    }

    /// Returns the call with this method and path, such as `payment_intents/pi_1/confirm`.
    pub fn find_call(&self, method: &str, path: &str) -> Option<&CallSchema> {
        self.find_entry(method, path).map(|(_, call)| call)
    }

    /// Returns the endpoint of a request, such as `POST /v1/payment_intents/{id}/confirm`.
    pub fn find_endpoint(&self, method: &str, path: &str) -> Option<&str> {
        self.find_entry(method, path)
            .map(|(endpoint, _)| endpoint.as_str())
    }

    fn find_entry(&self, method: &str, path: &str) -> Option<(&String, &CallSchema)> {
        let steps: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        // A path without an id is also the only one of its form, such as `payment_intents/search`.
        (0..1 << steps.len().min(4))
            .map(|ids: u32| {
                let named = steps.iter().enumerate().map(|(position, step)| {
                    if ids & (1 << position) == 0 {
                        step
                    } else {
                        "{id}"
                    }
                });
                format!("{method} /v1/{}", named.collect::<Vec<_>>().join("/"))
            })
            .find_map(|request| self.calls.get_key_value(&request))
    }

    fn fields_of<'a>(&'a self, value: &'a SchemaType) -> Option<&'a SchemaFields> {
        match value {
            SchemaType::Ref(name) => self.types.get(name),
            SchemaType::Fields(fields) => Some(fields),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ApiSchema;

    #[test]
    fn calls_are_found_by_paths_with_ids() {
        let schema = ApiSchema::get();
        for (method, path) in [
            ("POST", "payment_intents"),
            ("POST", "payment_intents/pi_1/confirm"),
            ("GET", "application_fees/fee_1/refunds"),
            ("GET", "radar/early_fraud_warnings/issfr_1"),
            ("GET", "account"),
        ] {
            assert!(schema.find_call(method, path).is_some(), "{method} {path}");
        }
        for (method, path) in [
            ("DELETE", "payment_intents"),
            ("GET", "invoices"),
            ("GET", ""),
        ] {
            assert!(schema.find_call(method, path).is_none(), "{method} {path}");
        }
    }
}
