//! Whether an answer is what the document says of its call.

use std::sync::LazyLock;

use reqwest::Method;
use serde_json::Value;
use server::openapi;

static DOCUMENT: LazyLock<Value> = LazyLock::new(openapi::document);

/// Statuses that any call may answer with: another method, too many bytes, too often.
const ANYWHERE: [u16; 3] = [405, 413, 429];

/// Compares an answer with its description; addresses that are no call are passed over.
#[track_caller]
pub fn check(method: &Method, path: &str, status: u16, is_json: bool, text: &str) {
    let Some(operation) = operation(method, path) else {
        return;
    };
    let Some(response) = operation["responses"].get(status.to_string()) else {
        let known = ANYWHERE.contains(&status) || status == 304;
        assert!(
            known,
            "{method} {path} answered {status}, which its description does not name: {text}"
        );
        return;
    };
    let shape = &response["content"]["application/json"]["schema"];
    if shape.is_object() && is_json {
        let body: Value = serde_json::from_str(text).expect("JSON");
        if let Some(wrong) = mismatch(&DOCUMENT, shape, &body) {
            panic!(
                "{method} {path} answered {status} with something else than described: {wrong}\n{text}"
            );
        }
    }
}

fn operation(method: &Method, path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object()?;
    // Words come before variables, as in the table.
    let mut fitting: Vec<&String> = paths.keys().filter(|pattern| fits(pattern, path)).collect();
    fitting.sort_by_key(|pattern| pattern.replace('{', "\u{7f}"));
    paths[*fitting.first()?].get(method.as_str().to_lowercase())
}

fn fits(pattern: &str, path: &str) -> bool {
    let (wanted, said) = (pattern.split('/'), path.split('/'));
    wanted.clone().count() == said.clone().count()
        && wanted
            .zip(said)
            .all(|(wanted, said)| wanted.starts_with('{') || wanted == said)
}

/// The first place where a value is not what a schema says. An object's fields must all be described.
pub fn mismatch(document: &Value, schema: &Value, value: &Value) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document
            .pointer(reference.trim_start_matches('#'))
            .expect("a shape");
        return mismatch(document, target, value);
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(options) = schema[word].as_array() {
            let fits = options
                .iter()
                .any(|option| mismatch(document, option, value).is_none());
            return (!fits).then(|| format!("{value} fits none of {options:?}"));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return mismatch(document, &joined(document, parts), value);
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if !kinds.iter().any(|kind| is_a(value, kind)) {
        return Some(format!("{value} is no {kinds:?}"));
    }
    match value {
        Value::Object(fields) => object(document, schema, fields),
        Value::Array(items) => items
            .iter()
            .find_map(|item| mismatch(document, &schema["items"], item))
            .map(|wrong| format!("[] {wrong}")),
        _ => None,
    }
}

/// One object of several: what `flatten` writes.
fn joined(document: &Value, parts: &[Value]) -> Value {
    let mut whole = serde_json::json!({ "type": "object", "properties": {}, "required": [] });
    for part in parts {
        let target = part["$ref"]
            .as_str()
            .and_then(|reference| document.pointer(reference.trim_start_matches('#')));
        let part = target.unwrap_or(part);
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            whole["properties"][name] = field.clone();
        }
        let names = part["required"].as_array().cloned().unwrap_or_default();
        whole["required"]
            .as_array_mut()
            .expect("a list")
            .extend(names);
    }
    whole
}

fn object(
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
            (Some(said), _) => {
                mismatch(document, said, value).map(|wrong| format!("{name}: {wrong}"))
            }
            (None, Value::Null) if schema["properties"].is_object() => {
                Some(format!("{name} is not described"))
            }
            (None, Value::Object(_)) => mismatch(document, &schema["additionalProperties"], value),
            _ => None,
        }
    })
}

fn is_a(value: &Value, kind: &str) -> bool {
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
