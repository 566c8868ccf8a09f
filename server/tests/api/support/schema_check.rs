//! Checks responses against the `OpenAPI` document.

use std::sync::LazyLock;

use reqwest::Method;
use serde_json::Value;
use server::http::openapi;

static OPENAPI_DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);

/// Statuses that any call may return and the document does not list: wrong method, body too large,
/// too many requests.
const STATUSES_ALLOWED_FOR_ANY_CALL: [u16; 3] = [405, 413, 429];

/// Asserts that a response matches the `OpenAPI` document. Ignores paths that are not in the
/// document.
#[track_caller]
pub fn assert_matches_openapi(method: &Method, path: &str, status: u16, is_json: bool, text: &str) {
    let Some(operation) = find_operation(method, path) else {
        return;
    };
    let Some(response) = operation["responses"].get(status.to_string()) else {
        let is_general = STATUSES_ALLOWED_FOR_ANY_CALL.contains(&status) || status == 304;
        assert!(
            is_general,
            "{method} {path} answered {status}, which its description does not name: {text}"
        );
        return;
    };
    let schema = &response["content"]["application/json"]["schema"];
    if schema.is_object() && is_json {
        let body: Value = serde_json::from_str(text).expect("valid JSON");
        if let Some(wrong) = schema_mismatch(&OPENAPI_DOCUMENT, schema, &body) {
            panic!(
                "the body of {method} {path} {status} does not match its schema: {wrong}\n{text}"
            );
        }
    }
}

fn find_operation(method: &Method, path: &str) -> Option<&'static Value> {
    let paths = OPENAPI_DOCUMENT["paths"].as_object()?;
    // A literal part of a path takes precedence over a variable, as in the route table.
    let mut fitting: Vec<&String> = paths
        .keys()
        .filter(|pattern| path_matches(pattern, path))
        .collect();
    fitting.sort_by_key(|pattern| pattern.replace('{', "\u{7f}"));
    paths[*fitting.first()?].get(method.as_str().to_lowercase())
}

fn path_matches(pattern: &str, path: &str) -> bool {
    let (part, actual_part) = (pattern.split('/'), path.split('/'));
    part.clone().count() == actual_part.clone().count()
        && part
            .zip(actual_part)
            .all(|(part, actual_part)| part.starts_with('{') || part == actual_part)
}

/// Returns whether the JSON of a response or frame contains a jersey number of a ticket.
pub fn contains_jersey_number(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            ["homeNumber", "awayNumber"].contains(&name.as_str()) && value.is_number()
                || contains_jersey_number(value)
        }),
        Value::Array(items) => items.iter().any(contains_jersey_number),
        _ => false,
    }
}

/// Returns the first mismatch between a value and a schema. A field that the schema does not
/// describe is a mismatch.
pub fn schema_mismatch(document: &Value, schema: &Value, value: &Value) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document
            .pointer(reference.trim_start_matches('#'))
            .expect("the referenced schema exists");
        return schema_mismatch(document, target, value);
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(options) = schema[word].as_array() {
            let fits = options
                .iter()
                .any(|option| schema_mismatch(document, option, value).is_none());
            return (!fits).then(|| format!("{value} fits none of {options:?}"));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return schema_mismatch(document, &merge_all_of(document, parts), value);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if !kinds.iter().any(|kind| has_json_type(value, kind)) {
        return Some(format!("{value} is no {kinds:?}"));
    }
    match value {
        Value::Object(fields) => object_mismatch(document, schema, fields),
        Value::Array(items) => items
            .iter()
            .find_map(|item| schema_mismatch(document, &schema["items"], item))
            .map(|wrong| format!("[] {wrong}")),
        _ => None,
    }
}

/// Merges the parts of an `allOf` into one object schema. Serde's `flatten` produces such parts.
fn merge_all_of(document: &Value, parts: &[Value]) -> Value {
    let mut merged = serde_json::json!({ "type": "object", "properties": {}, "required": [] });
    for part in parts {
        let target = part["$ref"]
            .as_str()
            .and_then(|reference| document.pointer(reference.trim_start_matches('#')));
        let part = target.unwrap_or(part);
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            merged["properties"][name] = field.clone();
        }
        let names = part["required"].as_array().cloned().unwrap_or_default();
        merged["required"]
            .as_array_mut()
            .expect("a list")
            .extend(names);
    }
    merged
}

fn object_mismatch(
    document: &Value,
    schema: &Value,
    fields: &serde_json::Map<String, Value>,
) -> Option<String> {
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    if let Some(absent) = required
        .into_iter()
        .find(|name| !fields.contains_key(*name))
    {
        return Some(format!("{absent} is missing"));
    }
    fields.iter().find_map(|(name, value)| {
        match (
            schema["properties"].get(name),
            &schema["additionalProperties"],
        ) {
            (Some(field_schema), _) => schema_mismatch(document, field_schema, value)
                .map(|wrong| format!("{name}: {wrong}")),
            (None, Value::Null) if schema["properties"].is_object() => {
                Some(format!("{name} is not described"))
            }
            (None, Value::Object(_)) => {
                schema_mismatch(document, &schema["additionalProperties"], value)
            }
            _ => None,
        }
    })
}

fn has_json_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
