//! Compares an answer or event of the stand-in with the table.

use serde_json::{Map, Value};

use super::{ApiSchema, SchemaFields, SchemaType};

impl ApiSchema {
    /// Returns every difference between a value and its type, such as `latest_charge.paid: missing`.
    /// Empty for a value of the type.
    pub fn answer_differences(&self, expected: &SchemaType, value: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        self.compare(expected, value, "", &mut differences);
        differences
    }

    /// Returns every difference between an event and its type, and between its object and the
    /// object's type.
    pub fn event_differences(&self, event: &Value) -> Vec<String> {
        let mut differences = self.answer_differences(&SchemaType::Ref("Event".to_owned()), event);
        let kind = event["type"].as_str().unwrap_or_default();
        if let Some(object) = self.events.get(kind) {
            self.compare(
                object,
                &event["data"]["object"],
                "data.object",
                &mut differences,
            );
        }
        differences
    }

    /// Returns every difference between the object of an error and Stripe's errors, such as an
    /// unknown code.
    pub fn error_differences(&self, error: &Value) -> Vec<String> {
        let expected = SchemaType::Ref("PaymentIntent.LastPaymentError".to_owned());
        self.answer_differences(&expected, error)
    }

    fn compare(
        &self,
        expected: &SchemaType,
        value: &Value,
        path: &str,
        differences: &mut Vec<String>,
    ) {
        let is_match = match expected {
            SchemaType::Any => true,
            SchemaType::OtherMethod => false,
            SchemaType::String => value.is_string(),
            SchemaType::Number => value.is_number(),
            SchemaType::Boolean => value.is_boolean(),
            SchemaType::Null => value.is_null(),
            SchemaType::Enum(known) => value
                .as_str()
                .is_some_and(|value| known.iter().any(|known| known == value)),
            SchemaType::OneOf(choices) => {
                return self.compare_choices(choices, value, path, differences);
            }
            SchemaType::Array(element) => match value.as_array() {
                Some(elements) => {
                    for element_value in elements {
                        self.compare(element, element_value, &below(path, "[]"), differences);
                    }
                    true
                }
                None => false,
            },
            SchemaType::Map(element) => match value.as_object() {
                Some(elements) => {
                    for (key, element_value) in elements {
                        self.compare(element, element_value, &below(path, key), differences);
                    }
                    true
                }
                None => false,
            },
            SchemaType::List(element) => {
                return self.compare_list(element, value, path, differences);
            }
            SchemaType::Ref(_) | SchemaType::Fields(_) => {
                match (self.fields_of(expected), value.as_object()) {
                    (Some(fields), Some(object)) => {
                        self.compare_fields(fields, object, path, differences);
                        true
                    }
                    _ => false,
                }
            }
        };
        if !is_match {
            differences.push(format!("{path}: {value} is not {expected:?}"));
        }
    }

    fn compare_fields(
        &self,
        fields: &SchemaFields,
        object: &Map<String, Value>,
        path: &str,
        differences: &mut Vec<String>,
    ) {
        for (name, field) in &fields.0 {
            match object.get(name) {
                Some(value) => self.compare(&field.value, value, &below(path, name), differences),
                None if field.is_optional => {}
                None => differences.push(format!("{}: missing", below(path, name))),
            }
        }
        for name in object.keys().filter(|name| !fields.0.contains_key(*name)) {
            differences.push(format!("{}: unknown", below(path, name)));
        }
    }

    /// A value must have one of the types. The differences from the closest type are reported.
    fn compare_choices(
        &self,
        choices: &[SchemaType],
        value: &Value,
        path: &str,
        differences: &mut Vec<String>,
    ) {
        let mut closest: Option<Vec<String>> = None;
        for choice in choices {
            let mut found = Vec::new();
            self.compare(choice, value, path, &mut found);
            if found.is_empty() {
                return;
            }
            let is_object = self.fields_of(choice).is_some() == value.is_object();
            if is_object && closest.as_ref().is_none_or(|best| found.len() < best.len()) {
                closest = Some(found);
            }
        }
        differences.extend(
            closest.unwrap_or_else(|| vec![format!("{path}: {value} has no fitting type")]),
        );
    }

    fn compare_list(
        &self,
        element: &SchemaType,
        value: &Value,
        path: &str,
        differences: &mut Vec<String>,
    ) {
        let is_list =
            value["object"] == "list" && value["has_more"].is_boolean() && value["url"].is_string();
        let Some(elements) = value["data"].as_array().filter(|_| is_list) else {
            return differences.push(format!("{path}: {value} is not a list"));
        };
        for element_value in elements {
            self.compare(element, element_value, &below(path, "data[]"), differences);
        }
    }
}

fn below(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
