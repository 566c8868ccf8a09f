//! Reading a JSON body: an empty one is `{}`, unknown fields are ignored (decision B-16), anything else unreadable is 400.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;

use crate::error::Problem;

pub struct Body<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Body<T>, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = web::Bytes::from_request(request, payload);
        Box::pin(async move { read(&bytes.await.map_err(unreadable)?).map(Body) })
    }
}

/// A body the framework would not take.
pub fn unreadable(error: actix_web::Error) -> Problem {
    match error.as_response_error().status_code() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "The request is too large.")
        }
        _ => Problem::bad_request("bad-request", "The request could not be read."),
    }
}

/// As JSON writes it; Postgres cannot store it.
const NUL: &[u8] = b"\\u0000";

/// The error says where, never what: a body may hold personal data.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}" } else { bytes };
    // A list of nothing would read as an object of nothing; and no text that we keep may hold a NUL.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    if !is_object || bytes.windows(NUL.len()).any(|window| window == NUL) {
        return Err(Problem::bad_request("bad-request", "The request is not the JSON that was expected."));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Problem::bad_request("bad-request", format!("The request is not the JSON that was expected ({place})."))
    })
}
