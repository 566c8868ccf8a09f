//! Serves the `OpenAPI` document as JSON and as an HTML page.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use askama::Template;
use serde_json::Value;

use crate::api::error::Problem;
use crate::http::openapi;
use crate::http::openapi::description::{Shape, refusal, variable};
use crate::http::routes::{ROUTES, Route};

/// `Cache-Control` of the `OpenAPI` document. Clients revalidate the document, because it changes
/// with the server's version.
const REVALIDATE: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "no-cache");

/// Handles `GET /api/openapi.json`.
pub async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(REVALIDATE)
        .json(openapi::document())
}

/// Responds with the `OpenAPI` document as an HTML page without scripts or external resources.
pub async fn docs() -> Result<HttpResponse, Problem> {
    let page = DocsPage {
        calls: ROUTES.iter().filter_map(CallDoc::of).collect(),
        models: models(),
    };
    let html = page.render().map_err(|failure| {
        tracing::error!(%failure, "rendering the API documentation failed");
        Problem::unavailable()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header(REVALIDATE)
        .insert_header((
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ))
        .content_type("text/html; charset=utf-8")
        .body(html))
}

/// The data of the HTML page that documents the API.
#[derive(Template)]
#[template(path = "page/docs.html")]
struct DocsPage {
    calls: Vec<CallDoc>,
    models: Vec<ModelDoc>,
}

/// One route in the HTML documentation of the API.
struct CallDoc {
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

/// The schema names of a request or response body in the HTML documentation of the API.
enum Named {
    Nothing,
    One(String),
    List(String),
    Either(String, String),
    Other(&'static str),
}

/// One schema in the HTML documentation of the API.
struct ModelDoc {
    name: String,
    says: String,
    fields: Vec<FieldDoc>,
}

/// One field of a schema in the HTML documentation of the API.
struct FieldDoc {
    name: String,
    kind: String,
    says: String,
}

impl CallDoc {
    fn of(route: &Route) -> Option<CallDoc> {
        let description = openapi::description(route)?;
        let names = route
            .path
            .split('/')
            .filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
        Some(CallDoc {
            method: route.method.method().to_string(),
            path: route.path,
            audience: openapi::tag(route.audience),
            says: description.summary,
            variables: names.map(|name| (name, variable(name).1)).collect(),
            query: description.query,
            body: Named::of(&description.body),
            statuses: description.statuses,
            answer: Named::of(&description.answer),
            refusals: description
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

fn models() -> Vec<ModelDoc> {
    let schemas: BTreeMap<String, Value> = openapi::schemas();
    let model = |(name, schema): (String, Value)| ModelDoc {
        says: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
        fields: fields(&schema),
        name,
    };
    schemas.into_iter().map(model).collect()
}

fn fields(schema: &Value) -> Vec<FieldDoc> {
    let field = |(name, field): (&String, &Value)| FieldDoc {
        name: name.clone(),
        kind: type_text(field),
        says: field["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
    };
    // Include the fields of `allOf`: the owner's schema extends the public schema.
    let all = schema["allOf"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|part| match part["$ref"].as_str() {
            Some(_) => vec![FieldDoc {
                name: "…".to_string(),
                kind: type_text(part),
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

/// Returns the type of a field as text, such as `string or null`, `list of Draw`.
fn type_text(field: &Value) -> String {
    let options = field["oneOf"].as_array().or(field["anyOf"].as_array());
    match (&field["type"], field["$ref"].as_str(), options) {
        (_, Some(reference), _) => reference.rsplit('/').next().unwrap_or_default().to_string(),
        (_, _, Some(options)) => options
            .iter()
            .map(type_text)
            .collect::<Vec<_>>()
            .join(" or "),
        (Value::Array(kinds), ..) => {
            let alone = |name: &Value| type_text(&with_type(field, name));
            kinds.iter().map(alone).collect::<Vec<_>>().join(" or ")
        }
        (Value::String(name), ..) if name == "array" => {
            format!("list of {}", type_text(&field["items"]))
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
