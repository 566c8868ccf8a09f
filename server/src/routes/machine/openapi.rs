//! The description of every call: for programs, and to be read.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use askama::Template;
use serde_json::Value;

use crate::error::Problem;
use crate::openapi;
use crate::openapi::description::{Shape, refusal, variable};
use crate::routes::{ROUTES, Route};

/// It changes with the server only, and is asked for again then.
const KEPT: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "no-cache");

pub async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(KEPT)
        .json(openapi::document())
}

/// The same as a page of our own: no script, and nothing from anywhere else.
pub async fn docs() -> Result<HttpResponse, Problem> {
    let page = Page {
        calls: ROUTES.iter().filter_map(Call::of).collect(),
        models: models(),
    };
    let html = page.render().map_err(|failure| {
        tracing::error!(%failure, "the description could not be written");
        Problem::unavailable()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header(KEPT)
        .insert_header((
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ))
        .content_type("text/html; charset=utf-8")
        .body(html))
}

#[derive(Template)]
#[template(path = "page/docs.html")]
struct Page {
    calls: Vec<Call>,
    models: Vec<Model>,
}

struct Call {
    method: String,
    path: &'static str,
    audience: &'static str,
    says: &'static str,
    variables: Vec<(&'static str, &'static str)>,
    query: &'static [(&'static str, &'static str)],
    body: Named,
    statuses: &'static [u16],
    answer: Named,
    refusals: Vec<(u16, &'static str)>,
}

/// A shape's name, and whether it stands below.
enum Named {
    Nothing,
    One(String),
    List(String),
    Either(String, String),
    Other(&'static str),
}

struct Model {
    name: String,
    says: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    says: String,
}

impl Call {
    fn of(route: &Route) -> Option<Call> {
        let said = openapi::description(route)?;
        let names = route
            .path
            .split('/')
            .filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
        Some(Call {
            method: route.method.method().to_string(),
            path: route.path,
            audience: openapi::tag(route.audience),
            says: said.says,
            variables: names.map(|name| (name, variable(name).1)).collect(),
            query: said.query,
            body: Named::of(&said.body),
            statuses: said.statuses,
            answer: Named::of(&said.answer),
            refusals: said
                .refusals(route)
                .into_iter()
                .map(|status| (status, refusal(status)))
                .collect(),
        })
    }
}

impl Named {
    fn of(shape: &Shape) -> Named {
        match shape {
            Shape::Nothing => Named::Nothing,
            Shape::One(model) => Named::One((model.name)().into_owned()),
            Shape::List(model) => Named::List((model.name)().into_owned()),
            Shape::Either([model, other]) => {
                Named::Either((model.name)().into_owned(), (other.name)().into_owned())
            }
            Shape::Other(media) => Named::Other(media),
        }
    }
}

fn models() -> Vec<Model> {
    let schemas: BTreeMap<String, Value> = openapi::schemas();
    let model = |(name, schema): (String, Value)| Model {
        says: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
        fields: fields(&schema),
        name,
    };
    schemas.into_iter().map(model).collect()
}

fn fields(schema: &Value) -> Vec<Field> {
    let field = |(name, field): (&String, &Value)| Field {
        name: name.clone(),
        kind: kind(field),
        says: field["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
    };
    // An owner's shape: all of the stranger's, and more.
    let all = schema["allOf"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|part| match part["$ref"].as_str() {
            Some(_) => vec![Field {
                name: "…".to_string(),
                kind: kind(part),
                says: "Every field of it.".to_string(),
            }],
            None => fields(part),
        });
    all.chain(
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(field),
    )
    .collect()
}

/// `string or null`, `list of Draw`.
fn kind(field: &Value) -> String {
    let options = field["oneOf"].as_array().or(field["anyOf"].as_array());
    match (&field["type"], field["$ref"].as_str(), options) {
        (_, Some(reference), _) => reference.rsplit('/').next().unwrap_or_default().to_string(),
        (_, _, Some(options)) => options.iter().map(kind).collect::<Vec<_>>().join(" or "),
        (Value::Array(kinds), ..) => {
            let alone = |name: &Value| kind(&with_type(field, name));
            kinds.iter().map(alone).collect::<Vec<_>>().join(" or ")
        }
        (Value::String(name), ..) if name == "array" => {
            format!("list of {}", kind(&field["items"]))
        }
        (Value::String(name), ..) => name.clone(),
        _ => "anything".to_string(),
    }
}

fn with_type(field: &Value, name: &Value) -> Value {
    let mut alone = field.clone();
    alone["type"] = name.clone();
    alone
}
