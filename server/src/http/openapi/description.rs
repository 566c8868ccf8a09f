//! The `OpenAPI` description of a route. The routes of each audience are described in a table with
//! one line per route.

use std::borrow::Cow;
use std::collections::BTreeSet;

use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::http::routes::{Route, Verb};

/// The description of one route.
pub struct Description {
    pub method: Verb,
    pub path: &'static str,
    pub summary: &'static str,
    /// Query parameters with their types (`string`, `integer`, `boolean`). All are optional.
    pub query: &'static [(&'static str, &'static str)],
    pub body: BodyShape,
    /// Success statuses, all with the same response body. A health check also lists the statuses of
    /// an unhealthy server.
    pub statuses: &'static [u16],
    pub answer: BodyShape,
    /// Error statuses of this route, in addition to those that all routes of its audience and
    /// method have.
    pub refuses: &'static [u16],
}

/// The shape of a request or response body.
pub enum BodyShape {
    Nothing,
    One(Model),
    List(Model),
    /// Either the public schema or the owner's schema, which has more fields.
    Either([Model; 2]),
    /// A body that is not JSON, given by its media type.
    Other(&'static str),
}

/// A Rust type with an `OpenAPI` schema, as functions that return the schema's name and contents.
pub struct Model {
    pub name: fn() -> Cow<'static, str>,
    pub schema: fn() -> RefOr<Schema>,
    /// Function that collects the schemas of nested types.
    pub parts: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl Model {
    pub const fn of<T: ToSchema>() -> Model {
        Model {
            name: T::name,
            schema: T::schema,
            parts: T::schemas,
        }
    }
}

impl BodyShape {
    pub fn models(&self) -> &[Model] {
        match self {
            BodyShape::One(model) | BodyShape::List(model) => std::slice::from_ref(model),
            BodyShape::Either(models) => models,
            BodyShape::Nothing | BodyShape::Other(_) => &[],
        }
    }
}

impl Description {
    /// Returns all error statuses of a route, including those that all routes of its audience and
    /// method have.
    pub fn error_statuses(&self, route: &Route) -> BTreeSet<u16> {
        let mut statuses: BTreeSet<u16> = self.refuses.iter().copied().collect();
        statuses.insert(503);
        if route.audience.needs_login() {
            // 401: not signed in. 403: an operator who has not entered a second-factor code.
            statuses.extend([401, 403]);
        }
        if route.method != Verb::Get {
            // 403: the request was sent from another site's page. 413: the body is too large.
            statuses.extend([403, 413]);
        }
        if !matches!(self.body, BodyShape::Nothing) || !self.query.is_empty() {
            statuses.insert(400);
        }
        if route.path.contains('{') {
            statuses.insert(404);
        }
        statuses.retain(|status| !self.statuses.contains(status));
        statuses
    }
}

/// Returns the type and the description of a path variable.
pub fn path_variable(name: &str) -> (&'static str, &'static str) {
    match name {
        "draw" => ("integer", "A draw's number, which is its id."),
        "club" => ("string", "A club's id or slug."),
        "slug" => (
            "string",
            "A club's current or former slug; upper and lower case are equal.",
        ),
        "bundle" => ("string", "An offer's slug."),
        "order" => ("string", "An order's id, which is its reservation's."),
        "token" => (
            "string",
            "A secret: 128 random bits as 32 hexadecimal digits.",
        ),
        "kind" => ("string", "`sale` or `service`."),
        "type" => ("string", "`draw` or `bundle`."),
        "user" => ("integer", "The id of one of the club's users."),
        "payout" => ("integer", "A payout's id."),
        "anomaly" => ("string", "An anomaly's UUID."),
        "ticket" => ("string", "A ticket's serial number: `FD-1042-007`."),
        "key" => ("string", "A setting's name."),
        "entry" => ("integer", "A waitlist entry's id."),
        "menu" => ("integer", "A footer menu's id."),
        "item" => ("integer", "A footer item's id."),
        _ => ("string", ""),
    }
}

/// Returns the description of an error status, the same for every route.
pub fn error_status_description(status: u16) -> &'static str {
    match status {
        400 => "The request is malformed or has invalid values.",
        401 => "Not signed in, or wrong password.",
        402 => "The payment provider declined the payment.",
        403 => "The caller may not do this, or the request came from another site's page.",
        404 => "Does not exist, or belongs to another club or buyer.",
        409 => "Refused by a rule. Nothing was changed.",
        410 => "No longer available.",
        413 => "The body is too large.",
        422 => "Well-formed, but cannot be carried out.",
        428 => "The terms of service must be accepted first.",
        429 => "Too many requests. See `Retry-After`.",
        500 => "An invariant is violated.",
        502 => "The payment provider failed.",
        503 => "Temporarily unavailable. The same request may be retried after `Retry-After`.",
        _ => "Refused.",
    }
}

/// Defines a table of descriptions, one line per route:
///
/// ```text
/// Post "/api/things" "Makes a thing." with(dryRun: boolean) takes NewThing -> (201 Thing), refuses 409 422;
/// ```
///
/// An answer is `Model`, `[Model]`, `()` for 204, `"text/csv"` for a media type without schema,
/// `(201 Model)` for another status, or `{Model OwnModel}` where the owner reads more.
macro_rules! describe {
    ($($method:ident $path:literal $summary:literal $(with($($query:ident: $kind:ident),+))? $(takes $body:tt)?
        -> $answer:tt $(, refuses $($refused:literal)+)?;)*) => {
        /// The descriptions of all routes of one audience.
        pub const DESCRIPTIONS: &[crate::http::openapi::description::Description] = &[$(crate::http::openapi::description::Description {
            method: crate::http::routes::Verb::$method,
            path: $path,
            summary: $summary,
            query: &[$($((stringify!($query), stringify!($kind))),+)?],
            body: $crate::http::openapi::description::shape!($($body)?),
            statuses: $crate::http::openapi::description::status!($answer),
            answer: $crate::http::openapi::description::shape!($answer),
            refuses: &[$($($refused),+)?],
        }),*];
    };
}

macro_rules! shape {
    ({$model:ident $other:ident}) => {
        $crate::http::openapi::description::BodyShape::Either([
            $crate::http::openapi::description::Model::of::<$model>(),
            $crate::http::openapi::description::Model::of::<$other>(),
        ])
    };
    () => {
        $crate::http::openapi::description::BodyShape::Nothing
    };
    (()) => {
        $crate::http::openapi::description::BodyShape::Nothing
    };
    ([$model:ident]) => {
        $crate::http::openapi::description::BodyShape::List(
            $crate::http::openapi::description::Model::of::<$model>(),
        )
    };
    (($status:literal $model:tt)) => {
        $crate::http::openapi::description::shape!($model)
    };
    (($status:literal $other:literal $model:tt)) => {
        $crate::http::openapi::description::shape!($model)
    };
    (($status:literal $other:literal $third:literal $model:tt)) => {
        $crate::http::openapi::description::shape!($model)
    };
    ($media:literal) => {
        $crate::http::openapi::description::BodyShape::Other($media)
    };
    ($model:ident) => {
        $crate::http::openapi::description::BodyShape::One(
            $crate::http::openapi::description::Model::of::<$model>(),
        )
    };
}

macro_rules! status {
    (()) => {
        &[204]
    };
    (($status:literal $model:tt)) => {
        &[$status]
    };
    (($status:literal $other:literal $model:tt)) => {
        &[$status, $other]
    };
    (($status:literal $other:literal $third:literal $model:tt)) => {
        &[$status, $other, $third]
    };
    ($other:tt) => {
        &[200]
    };
}

pub(crate) use {describe, shape, status};
