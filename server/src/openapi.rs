//! The OpenAPI document: the table of routes, with what each line's description says of bodies, answers and refusals.
//! A description without a route, or a route without a description, fails a test.

use std::collections::{BTreeMap, BTreeSet};

use domain::access::Audience;
use serde_json::{Map, Value, json};

use crate::routes::{ROUTES, Route};
use crate::wire::console::health::OpsNow;
use crate::wire::{draw, frame, order, problem};

pub mod description;

use description::{Description, Model, Shape};

/// What is not in any call's answer: frames of the socket.
const FRAMES: [Model; 5] = [
    Model::of::<OpsNow>(),
    Model::of::<draw::DrawNow>(),
    Model::of::<frame::PublicNow>(),
    Model::of::<frame::Wish>(),
    Model::of::<order::Order>(),
];

/// Every description, by audience.
pub fn descriptions() -> impl Iterator<Item = &'static Description> {
    use crate::routes::{buyer, club, machine, operator};
    let tables = [
        buyer::described::CALLS,
        club::described::CALLS,
        operator::described::CALLS,
        machine::described::CALLS,
    ];
    tables.into_iter().flatten()
}

/// What is said of a route, if anything is.
pub fn description(route: &Route) -> Option<&'static Description> {
    descriptions().find(|said| said.method == route.method && said.path == route.path)
}

/// The whole document, version 3.1. Its keys are sorted, so that the same routes give the same text.
pub fn document() -> Value {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in ROUTES {
        if let Some(said) = description(route) {
            let method = route.method.method().as_str().to_lowercase();
            paths
                .entry(route.path)
                .or_default()
                .insert(method, operation(route, said));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Football Doubles",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later" },
            "description": "Money is a decimal string of dollars, except names that end in `Cents` and the `amount` of a payment, which \
                are cents. Instants are RFC 3339 in UTC. Every refusal is a `Problem`; 4xx changed nothing, 503 may be sent again as it is.",
        },
        "tags": TAGS.map(|(_, name, says)| json!({ "name": name, "description": says })),
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "login": {
                    "type": "apiKey", "in": "cookie", "name": "fd_login",
                    "description": "A signed-in club or operator (`__Host-fd_login` over TLS). Somebody else's object is 404.",
                },
                "signature": {
                    "type": "apiKey", "in": "header", "name": "stripe-signature",
                    "description": "The payment provider's signature of the raw body.",
                },
            },
        },
    })
}

const TAGS: [(Audience, &str, &str); 9] = [
    (Audience::Public, "public", "For anyone."),
    (
        Audience::Buyer,
        "buyer",
        "For whoever holds an order's secret.",
    ),
    (
        Audience::SignedIn,
        "signed-in",
        "For whoever has given a right password.",
    ),
    (
        Audience::Club,
        "club",
        "For the people of the club that owns the object, and the operator.",
    ),
    (
        Audience::Seller,
        "seller",
        "The same, but not for those who only look.",
    ),
    (
        Audience::Owner,
        "owner",
        "The same, for those alone who run the club.",
    ),
    (
        Audience::Operator,
        "operator",
        "For the platform's operator.",
    ),
    (
        Audience::ProvenOperator,
        "proven-operator",
        "For the operator, who showed a code within the last ten minutes.",
    ),
    (Audience::Machine, "machine", "For the payment provider."),
];

pub fn tag(audience: Audience) -> &'static str {
    TAGS.iter()
        .find(|(known, ..)| *known == audience)
        .map_or("", |(_, name, _)| name)
}

fn operation(route: &Route, said: &Description) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": said.says,
        "tags": [tag(route.audience)],
        "parameters": parameters(route, said),
        "responses": responses(route, said),
    });
    if route.audience.needs_login() {
        operation["security"] = json!([{ "login": [] }]);
    } else if route.audience == Audience::Machine {
        operation["security"] = json!([{ "signature": [] }]);
    }
    if let Some(content) = content(&said.body) {
        operation["requestBody"] =
            json!({ "content": content, "required": needs_body(&said.body) });
    }
    operation
}

/// An empty body is `{}` (decision B-16): it will do where no field has to be there.
fn needs_body(shape: &Shape) -> bool {
    let needs = |model: &Model| {
        json!((model.schema)())["required"]
            .as_array()
            .is_some_and(|names| !names.is_empty())
    };
    !matches!(shape, Shape::One(_)) || shape.models().iter().any(needs)
}

/// `GET /api/draws/{draw}` is `getDrawsDraw`.
fn operation_id(route: &Route) -> String {
    let steps = route
        .path
        .trim_start_matches("/api")
        .split(|c: char| !c.is_ascii_alphanumeric());
    let words = steps
        .filter(|step| !step.is_empty())
        .map(|step| step[..1].to_uppercase() + &step[1..]);
    route.method.method().as_str().to_lowercase() + &words.collect::<String>()
}

fn parameters(route: &Route, said: &Description) -> Vec<Value> {
    let variables = route
        .path
        .split('/')
        .filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
    let in_path = variables.map(|name| {
        let (kind, says) = description::variable(name);
        json!({ "name": name, "in": "path", "required": true, "description": says, "schema": { "type": kind } })
    });
    let in_query = said
        .query
        .iter()
        // A word of the language stands in the table with a sign before it: `r#type`.
        .map(|(name, kind)| (name.trim_start_matches("r#"), kind))
        .map(|(name, kind)| json!({ "name": name, "in": "query", "required": false, "schema": { "type": kind } }));
    in_path.chain(in_query).collect()
}

fn responses(route: &Route, said: &Description) -> Value {
    let mut success =
        json!({ "description": if said.statuses == [204] { "Done." } else { "The answer." } });
    if let Some(content) = content(&said.answer) {
        success["content"] = content;
    }
    let mut responses: BTreeMap<String, Value> = said
        .statuses
        .iter()
        .map(|status| (status.to_string(), success.clone()))
        .collect();
    let problem = json!({ "application/json": { "schema": reference("Problem") } });
    for status in said.refusals(route) {
        let refusal = json!({ "description": description::refusal(status), "content": problem });
        responses.insert(status.to_string(), refusal);
    }
    json!(responses)
}

fn content(shape: &Shape) -> Option<Value> {
    let json = |schema: Value| Some(json!({ "application/json": { "schema": schema } }));
    match shape {
        Shape::Nothing => None,
        Shape::One(model) => json(reference(&(model.name)())),
        Shape::List(model) => json(json!({ "type": "array", "items": reference(&(model.name)()) })),
        Shape::Either(models) => json(
            json!({ "anyOf": models.iter().map(|model| reference(&(model.name)())).collect::<Vec<_>>() }),
        ),
        Shape::Other(media) => Some(json!({ *media: { "schema": {} } })),
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Every shape by name, with the shapes in it.
pub fn schemas() -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let answers = descriptions().flat_map(|said| said.answer.models());
    let problem = Model::of::<problem::Problem>();
    for model in answers.chain(FRAMES.iter()).chain([&problem]) {
        gather(model, &mut found);
    }
    let answered: BTreeSet<String> = found.keys().cloned().collect();
    for model in descriptions().flat_map(|said| said.body.models()) {
        gather(model, &mut found);
    }
    for (name, schema) in &mut found {
        if answered.contains(name) && name != "Problem" && name != "Wish" {
            what_may_be_null_is_there(schema);
        }
    }
    found
}

fn gather(model: &Model, found: &mut BTreeMap<String, Value>) {
    let mut parts = vec![((model.name)().into_owned(), (model.schema)())];
    (model.parts)(&mut parts);
    for (name, schema) in parts {
        let schema = json!(schema);
        let known = found.entry(name.clone()).or_insert_with(|| schema.clone());
        debug_assert!(
            *known == schema,
            "two shapes are called {name}: give one of them another name with schema(as = …)"
        );
    }
}

/// An answer writes an absent value as null; what it leaves out instead is declared as never null.
fn what_may_be_null_is_there(schema: &mut Value) {
    schema
        .get_mut("allOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(what_may_be_null_is_there);
    let Some(fields) = schema["properties"].as_object() else {
        return;
    };
    let nullable = |field: &Value| {
        let types = field["type"]
            .as_array()
            .into_iter()
            .chain(field["oneOf"].as_array())
            .flatten();
        types
            .into_iter()
            .any(|said| said == "null" || said["type"] == "null")
    };
    let mut required: BTreeSet<String> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| Some(name.as_str()?.to_string()))
        .collect();
    required.extend(
        fields
            .iter()
            .filter(|(_, field)| nullable(field))
            .map(|(name, _)| name.clone()),
    );
    schema["required"] = json!(required);
}
