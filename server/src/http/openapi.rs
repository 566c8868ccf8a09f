//! The `OpenAPI` document, built from the route table and the descriptions of request bodies,
//! responses and errors. A test fails when a route and a description do not match.

use std::collections::{BTreeMap, BTreeSet};

use domain::access::Audience;
use serde_json::{Map, Value, json};

use crate::api::console::health::OpsNow;
use crate::api::{draw, frame, order, problem};
use crate::http::routes::{ROUTES, Route};

pub mod description;

use description::{BodyShape, Description, Model};

/// Schemas of WebSocket frames, which are not part of any HTTP response.
const FRAME_SCHEMAS: [Model; 5] = [
    Model::of::<OpsNow>(),
    Model::of::<draw::DrawNow>(),
    Model::of::<frame::PublicNow>(),
    Model::of::<frame::SubscriptionRequest>(),
    Model::of::<order::Order>(),
];

/// Returns the descriptions of all routes, audience by audience.
pub fn descriptions() -> impl Iterator<Item = &'static Description> {
    use crate::http::routes::{buyer, club, machine, operator};
    let tables = [
        buyer::descriptions::DESCRIPTIONS,
        club::descriptions::DESCRIPTIONS,
        operator::descriptions::DESCRIPTIONS,
        machine::descriptions::DESCRIPTIONS,
    ];
    tables.into_iter().flatten()
}

/// Returns the description of a route; `None` if it has none.
pub fn description(route: &Route) -> Option<&'static Description> {
    descriptions().find(|description_of_route| {
        description_of_route.method == route.method && description_of_route.path == route.path
    })
}

/// Builds the whole `OpenAPI` 3.1 document. Keys are sorted, so that the text changes only when a
/// route changes.
pub fn document() -> Value {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in ROUTES {
        if let Some(description_of_route) = description(route) {
            let method = route.method.method().as_str().to_lowercase();
            paths
                .entry(route.path)
                .or_default()
                .insert(method, build_operation(route, description_of_route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Football Doubles",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later" },
            "description": "Money is a decimal string of dollars. Fields that end in `Cents`, and the `amount` of a payment, are cents. \
                Times are RFC 3339 in UTC. Every error is a `Problem`. A 4xx changed nothing; a 503 may be retried unchanged.",
        },
        "tags": TAGS.map(|(_, name, summary)| json!({ "name": name, "description": summary })),
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "login": {
                    "type": "apiKey", "in": "cookie", "name": "fd_login",
                    "description": "The session of a club or operator (`__Host-fd_login` over TLS). Another club's object answers 404.",
                },
                "signature": {
                    "type": "apiKey", "in": "header", "name": "stripe-signature",
                    "description": "The payment provider's signature of the raw body.",
                },
            },
        },
    })
}

/// The `OpenAPI` tag of each audience (the callers that a route is for), with the tag's
/// description.
const TAGS: [(Audience, &str, &str); 11] = [
    (Audience::Public, "public", "For anyone."),
    (
        Audience::Buyer,
        "buyer",
        "For the holder of an order's secret.",
    ),
    (Audience::SignedIn, "signed-in", "For any signed-in user."),
    (
        Audience::Club,
        "club",
        "For users of the club that owns the object, and the operator.",
    ),
    (
        Audience::Seller,
        "seller",
        "For owners and sellers of the club, and the operator.",
    ),
    (
        Audience::Owner,
        "owner",
        "For owners of the club, and the operator.",
    ),
    (
        Audience::ProvenSeller,
        "proven-seller",
        "For sellers who proved their password or code within the last ten minutes.",
    ),
    (
        Audience::ProvenOwner,
        "proven-owner",
        "For owners who proved their password or code within the last ten minutes.",
    ),
    (Audience::Operator, "operator", "For the platform operator."),
    (
        Audience::ProvenOperator,
        "proven-operator",
        "For an operator who proved a code within the last ten minutes.",
    ),
    (Audience::Machine, "machine", "For the payment provider."),
];

/// The `OpenAPI` tag of an audience.
pub fn tag(audience: Audience) -> &'static str {
    TAGS.iter()
        .find(|(known, ..)| *known == audience)
        .map_or("", |(_, name, _)| name)
}

fn build_operation(route: &Route, description_of_route: &Description) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": description_of_route.summary,
        "tags": [tag(route.audience)],
        "parameters": parameters(route, description_of_route),
        "responses": responses(route, description_of_route),
    });
    if route.audience.needs_login() {
        operation["security"] = json!([{ "login": [] }]);
    } else if route.audience == Audience::Machine {
        operation["security"] = json!([{ "signature": [] }]);
    }
    if let Some(content) = content(&description_of_route.body) {
        operation["requestBody"] =
            json!({ "content": content, "required": needs_body(&description_of_route.body) });
    }
    operation
}

/// Whether a request must have a body. An empty body is read as `{}` (decision B-16), so a body is
/// required only if one of its fields is.
fn needs_body(shape: &BodyShape) -> bool {
    let needs = |model: &Model| {
        json!((model.schema)())["required"]
            .as_array()
            .is_some_and(|names| !names.is_empty())
    };
    !matches!(shape, BodyShape::One(_)) || shape.models().iter().any(needs)
}

/// Builds the operation id of a route: `getDrawsDraw` for `GET /api/draws/{draw}`.
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

fn parameters(route: &Route, description_of_route: &Description) -> Vec<Value> {
    let variables = route
        .path
        .split('/')
        .filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
    let in_path = variables.map(|name| {
        let (kind, summary) = description::path_variable(name);
        json!({ "name": name, "in": "path", "required": true, "description": summary, "schema": { "type": kind } })
    });
    let in_query = description_of_route
        .query
        .iter()
        // A query parameter whose name is a Rust keyword has the prefix `r#` in the description
        // table: `r#type`.
        .map(|(name, kind)| (name.trim_start_matches("r#"), kind))
        .map(|(name, kind)| json!({ "name": name, "in": "query", "required": false, "schema": { "type": kind } }));
    in_path.chain(in_query).collect()
}

fn responses(route: &Route, description_of_route: &Description) -> Value {
    let mut success = json!({ "description": if description_of_route.statuses == [204] { "Done." } else { "The answer." } });
    if let Some(content) = content(&description_of_route.answer) {
        success["content"] = content;
    }
    let mut responses: BTreeMap<String, Value> = description_of_route
        .statuses
        .iter()
        .map(|status| (status.to_string(), success.clone()))
        .collect();
    let problem = json!({ "application/json": { "schema": schema_reference("ProblemBody") } });
    for status in description_of_route.error_statuses(route) {
        let refusal = json!({ "description": description::error_status_description(status), "content": problem });
        responses.insert(status.to_string(), refusal);
    }
    json!(responses)
}

fn content(shape: &BodyShape) -> Option<Value> {
    let json = |schema: Value| Some(json!({ "application/json": { "schema": schema } }));
    match shape {
        BodyShape::Nothing => None,
        BodyShape::One(model) => json(schema_reference(&(model.name)())),
        BodyShape::List(model) => {
            json(json!({ "type": "array", "items": schema_reference(&(model.name)()) }))
        }
        BodyShape::Either(models) => json(
            json!({ "anyOf": models.iter().map(|model| schema_reference(&(model.name)())).collect::<Vec<_>>() }),
        ),
        BodyShape::Other(media) => Some(json!({ *media: { "schema": {} } })),
    }
}

fn schema_reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns all schemas by name, including nested schemas.
pub fn schemas() -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let answers =
        descriptions().flat_map(|description_of_route| description_of_route.answer.models());
    let problem = Model::of::<problem::ProblemBody>();
    for model in answers.chain(FRAME_SCHEMAS.iter()).chain([&problem]) {
        collect_schemas(model, &mut found);
    }
    let answered: BTreeSet<String> = found.keys().cloned().collect();
    for model in descriptions().flat_map(|description_of_route| description_of_route.body.models())
    {
        collect_schemas(model, &mut found);
    }
    for (name, schema) in &mut found {
        if answered.contains(name) && name != "ProblemBody" && name != "SubscriptionRequest" {
            require_nullable_fields(schema);
        }
    }
    found
}

fn collect_schemas(model: &Model, found: &mut BTreeMap<String, Value>) {
    let mut parts = vec![((model.name)().into_owned(), (model.schema)())];
    (model.parts)(&mut parts);
    for (name, schema) in parts {
        let schema = json!(schema);
        let known = found.entry(name.clone()).or_insert_with(|| schema.clone());
        debug_assert!(
            *known == schema,
            "two types are called {name}: rename one of them"
        );
    }
}

/// Marks the nullable fields of a response as required, because responses write an absent value as
/// null. A field that may be left out is declared as not nullable.
fn require_nullable_fields(schema: &mut Value) {
    schema
        .get_mut("allOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(require_nullable_fields);
    let Some(fields) = schema["properties"].as_object() else {
        return;
    };
    let nullable = |field: &Value| {
        let types = field["type"]
            .as_array()
            .into_iter()
            .chain(field["oneOf"].as_array())
            .flatten();
        types.into_iter().any(|description_of_route| {
            description_of_route == "null" || description_of_route["type"] == "null"
        })
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
