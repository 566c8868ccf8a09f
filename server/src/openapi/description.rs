//! What is said of a route: one line of a table beside the routes of its audience.

use std::borrow::Cow;
use std::collections::BTreeSet;

use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::routes::{Route, Verb};

/// One call.
pub struct Description {
    pub method: Verb,
    pub path: &'static str,
    pub says: &'static str,
    /// Names and kinds (`string`, `integer`, `boolean`), none of them required.
    pub query: &'static [(&'static str, &'static str)],
    pub body: Shape,
    /// Of success, all with the same answer; of a call that says how the server is, also those that say it is not well.
    pub statuses: &'static [u16],
    pub answer: Shape,
    /// Statuses of its own refusals, beside those every such call has.
    pub refuses: &'static [u16],
}

/// What crosses the wire in one direction.
pub enum Shape {
    Nothing,
    One(Model),
    List(Model),
    /// For anyone, and for the owner.
    Either([Model; 2]),
    /// Of a media type that is not ours to describe.
    Other(&'static str),
}

/// A wire type, as utoipa knows it.
pub struct Model {
    pub name: fn() -> Cow<'static, str>,
    pub schema: fn() -> RefOr<Schema>,
    /// The types in it.
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

impl Shape {
    pub fn models(&self) -> &[Model] {
        match self {
            Shape::One(model) | Shape::List(model) => std::slice::from_ref(model),
            Shape::Either(models) => models,
            Shape::Nothing | Shape::Other(_) => &[],
        }
    }
}

impl Description {
    /// Every status a caller may meet instead of success, the limits of every call included.
    pub fn refusals(&self, route: &Route) -> BTreeSet<u16> {
        let mut statuses: BTreeSet<u16> = self.refuses.iter().copied().collect();
        statuses.insert(503);
        if route.audience.needs_login() {
            // An operator who has shown no code yet is asked for it first.
            statuses.extend([401, 403]);
        }
        if route.method != Verb::Get {
            // From another site's page; more than we read.
            statuses.extend([403, 413]);
        }
        if !matches!(self.body, Shape::Nothing) || !self.query.is_empty() {
            statuses.insert(400);
        }
        if route.path.contains('{') {
            statuses.insert(404);
        }
        statuses.retain(|status| !self.statuses.contains(status));
        statuses
    }
}

/// What stands for a variable of a path.
pub fn variable(name: &str) -> (&'static str, &'static str) {
    match name {
        "draw" => ("integer", "A draw's number, which is its id."),
        "club" => ("string", "A club's id or slug."),
        "slug" => ("string", "A club's slug, present or former, in any case."),
        "bundle" => ("string", "An offer's slug."),
        "order" => ("string", "An order's id, which is its reservation's."),
        "token" => (
            "string",
            "A secret: 128 random bits as 32 hexadecimal digits.",
        ),
        "kind" => ("string", "`sale` or `service`."),
        "type" => ("string", "`draw` or `bundle`."),
        "user" => ("integer", "The id of one of a club's people."),
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

/// What a status means everywhere.
pub fn refusal(status: u16) -> &'static str {
    match status {
        400 => "The request cannot be read, or asks for what there is not.",
        401 => "Nobody is signed in, or the password is wrong.",
        402 => "The provider declined.",
        403 => "Not for this caller, or sent by another site's page.",
        404 => "No such thing, or somebody else's.",
        409 => "The rules say no; nothing was changed.",
        410 => "It was there, and is over.",
        413 => "More bytes than this call takes.",
        422 => "Readable, but not to be carried out as it is.",
        428 => "Something has to be agreed to first.",
        429 => "Too often; see `Retry-After`.",
        500 => "A promise is broken.",
        502 => "The provider failed.",
        503 => "Not now; the same call may be sent again after `Retry-After`.",
        _ => "Refused.",
    }
}

/// A table of descriptions, one line a call:
///
/// ```text
/// Post "/api/things" "Makes a thing." with(dryRun: boolean) takes NewThing -> (201 Thing), refuses 409 422;
/// ```
///
/// An answer is `Model`, `[Model]`, `()` for 204, `"text/csv"` for what is no JSON, `(201 Model)` for another status,
/// or `{Model OwnModel}` where the owner reads more.
macro_rules! describe {
    ($($method:ident $path:literal $says:literal $(with($($query:ident: $kind:ident),+))? $(takes $body:tt)?
        -> $answer:tt $(, refuses $($refused:literal)+)?;)*) => {
        /// What is said of this audience's routes.
        pub const CALLS: &[crate::openapi::description::Description] = &[$(crate::openapi::description::Description {
            method: crate::routes::Verb::$method,
            path: $path,
            says: $says,
            query: &[$($((stringify!($query), stringify!($kind))),+)?],
            body: $crate::openapi::description::shape!($($body)?),
            statuses: $crate::openapi::description::status!($answer),
            answer: $crate::openapi::description::shape!($answer),
            refuses: &[$($($refused),+)?],
        }),*];
    };
}

macro_rules! shape {
    ({$model:ident $other:ident}) => {
        $crate::openapi::description::Shape::Either([
            $crate::openapi::description::Model::of::<$model>(),
            $crate::openapi::description::Model::of::<$other>(),
        ])
    };
    () => {
        $crate::openapi::description::Shape::Nothing
    };
    (()) => {
        $crate::openapi::description::Shape::Nothing
    };
    ([$model:ident]) => {
        $crate::openapi::description::Shape::List($crate::openapi::description::Model::of::<$model>())
    };
    (($status:literal $model:tt)) => {
        $crate::openapi::description::shape!($model)
    };
    (($status:literal $other:literal $model:tt)) => {
        $crate::openapi::description::shape!($model)
    };
    (($status:literal $other:literal $third:literal $model:tt)) => {
        $crate::openapi::description::shape!($model)
    };
    ($media:literal) => {
        $crate::openapi::description::Shape::Other($media)
    };
    ($model:ident) => {
        $crate::openapi::description::Shape::One($crate::openapi::description::Model::of::<$model>())
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
