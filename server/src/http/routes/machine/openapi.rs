//! Serves the `OpenAPI` document as JSON and as an HTML page.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use askama::Template;
use serde_json::Value;

use crate::api::error::Problem;
use crate::http::openapi;
use crate::http::openapi::description::{BodyShape, error_status_description, path_variable};
use crate::http::routes::{ROUTES, Route};

/// `Cache-Control` of the `OpenAPI` document. Clients revalidate the document, because it changes
/// with the server's version.
const REVALIDATE_HEADER: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "no-cache");

/// Handles `GET /api/openapi.json`.
pub async fn document() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(REVALIDATE_HEADER)
        .json(openapi::document())
}

/// Responds with the `OpenAPI` document as an HTML page without scripts or external resources.
pub async fn serve_html_docs() -> Result<HttpResponse, Problem> {
    let page = DocsPage {
        calls: ROUTES.iter().filter_map(RouteDoc::of).collect(),
        models: schema_docs(),
    };
    let html = page.render().map_err(|failure| {
        tracing::error!(%failure, "rendering the API documentation failed");
        Problem::unavailable()
    })?;
    Ok(HttpResponse::Ok()
        .insert_header(REVALIDATE_HEADER)
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
    calls: Vec<RouteDoc>,
    models: Vec<SchemaDoc>,
}

/// One route in the HTML documentation of the API.
struct RouteDoc {
    method: String,
    path: &'static str,
    audience: &'static str,
    says: &'static str,
    variables: Vec<(&'static str, &'static str)>,
    query: &'static [(&'static str, &'static str)],
    body: BodyName,
    statuses: &'static [u16],
    answer: BodyName,
    refusals: Vec<(u16, &'static str)>,
}

/// The schema names of a request or response body in the HTML documentation of the API.
enum BodyName {
    Nothing,
    One(String),
    List(String),
    Either(String, String),
    Other(&'static str),
}

/// One schema in the HTML documentation of the API.
struct SchemaDoc {
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

impl RouteDoc {
    fn of(route: &Route) -> Option<RouteDoc> {
        let description = openapi::description(route)?;
        let names = route
            .path
            .split('/')
            .filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
        Some(RouteDoc {
            method: route.method.method().to_string(),
            path: route.path,
            audience: openapi::tag(route.audience),
            says: description.summary,
            variables: names.map(|name| (name, path_variable(name).1)).collect(),
            query: description.query,
            body: BodyName::of(&description.body),
            statuses: description.statuses,
            answer: BodyName::of(&description.answer),
            refusals: description
                .error_statuses(route)
                .into_iter()
                .map(|status| (status, error_status_description(status)))
                .collect(),
        })
    }
}

impl BodyName {
    fn of(shape: &BodyShape) -> BodyName {
        match shape {
            BodyShape::Nothing => BodyName::Nothing,
            BodyShape::One(model) => BodyName::One((model.name)().into_owned()),
            BodyShape::List(model) => BodyName::List((model.name)().into_owned()),
            BodyShape::Either([model, other]) => {
                BodyName::Either((model.name)().into_owned(), (other.name)().into_owned())
            }
            BodyShape::Other(media) => BodyName::Other(media),
        }
    }
}

fn schema_docs() -> Vec<SchemaDoc> {
    let schemas: BTreeMap<String, Value> = openapi::schemas();
    let model = |(name, schema): (String, Value)| SchemaDoc {
        says: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
        fields: field_docs(&schema),
        name,
    };
    schemas.into_iter().map(model).collect()
}

fn field_docs(schema: &Value) -> Vec<FieldDoc> {
    let field = |(name, field): (&String, &Value)| FieldDoc {
        name: name.clone(),
        kind: type_text(field),
        says: field["description"]
            .as_str()
            .unwrap_or_default()
            .to_string(),
    };
    // Include the fields of `allOf`, because the owner's schema extends the public schema.
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
            None => field_docs(part),
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
