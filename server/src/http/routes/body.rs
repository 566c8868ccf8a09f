//! Reads JSON request bodies: an empty body is `{}`, unknown fields are ignored (decision B-16),
//! any other unreadable body is a 400.

use std::io::ErrorKind;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::FORM_BODY_MAX;
use crate::api::error::Problem;
use crate::text::plain_text::sanitise_json_body;

/// Extractor for a JSON body. Unlike `web::Json`, it ignores the content type.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Body<T> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Body<T>, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bytes = web::Bytes::from_request(request, payload);
        Box::pin(async move {
            parse_json_body(&bytes.await.map_err(unreadable_body_problem)?).map(Body)
        })
    }
}

/// How long a request body may take to arrive: 15 seconds for a JSON form, 60 seconds for a larger
/// body.
pub fn body_timeout(body_max: usize) -> Duration {
    Duration::from_secs(if body_max <= FORM_BODY_MAX { 15 } else { 60 })
}

/// Wraps a body so that reading it fails after `timeout`. Otherwise a client that sends one byte
/// at a time could occupy a handler.
pub fn with_body_timeout(payload: Payload, timeout: Duration) -> Payload {
    let end = Instant::now() + timeout;
    let chunks = stream::unfold(Some(payload), move |payload| async move {
        let mut payload = payload?;
        match timeout_at(end, payload.next()).await {
            Ok(Some(chunk)) => Some((chunk, Some(payload))),
            Ok(None) => None,
            Err(_) => Some((Err(PayloadError::Io(ErrorKind::TimedOut.into())), None)),
        }
    });
    Payload::Stream {
        payload: Box::pin(chunks),
    }
}

/// Converts actix's error of reading a body: 413 when the body is too large, else 400.
pub fn unreadable_body_problem(error: actix_web::Error) -> Problem {
    match error.as_response_error().status_code() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            "The request is too large.",
        ),
        _ => Problem::bad_request("bad-request", "The request could not be read."),
    }
}

/// The NUL character as JSON escapes it. A body with NUL is refused, because Postgres cannot store
/// NUL in text.
const ESCAPED_NUL: &[u8] = b"\\u0000";

/// Parses a whole JSON body.
///
/// # Errors
/// 400: the body is not JSON, or does not have the expected fields.
///
/// The error message gives the position, never the content: a body may hold personal data.
pub fn parse_json_body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) {
        b"{}"
    } else {
        bytes
    };
    // Accept only objects, because serde would parse `[]` as a struct of defaults. Refuse NUL,
    // because Postgres cannot store it.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    if !is_object
        || bytes
            .windows(ESCAPED_NUL.len())
            .any(|window| window == ESCAPED_NUL)
    {
        return Err(Problem::bad_request(
            "bad-request",
            "The request is not the JSON that was expected.",
        ));
    }
    serde_json::from_slice(&sanitise_json_body(bytes)).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Problem::bad_request(
            "bad-request",
            format!("The request is not the JSON that was expected ({place})."),
        )
    })
}

#[cfg(test)]
mod tests {
    use actix_web::web::Bytes;
    use futures_util::FutureExt;

    use super::*;

    fn slow_payload(chunks: Vec<&'static [u8]>, ends: bool) -> Payload {
        let sent = stream::iter(chunks).map(|chunk| Ok(Bytes::from_static(chunk)));
        let rest = if ends {
            stream::empty().left_stream()
        } else {
            stream::pending().right_stream()
        };
        Payload::Stream {
            payload: Box::pin(sent.chain(rest)),
        }
    }

    #[actix_web::test]
    async fn slow_body_times_out_and_complete_body_is_read() {
        let read = async |payload: Payload| payload.collect::<Vec<_>>().await;
        let whole = read(with_body_timeout(
            slow_payload(vec![b"{\"a\":", b"1}"], true),
            Duration::from_secs(60),
        ))
        .await;
        assert!(
            whole.iter().all(Result::is_ok) && whole.len() == 2,
            "{whole:?}"
        );
        let hung = read(with_body_timeout(
            slow_payload(vec![b"{"], false),
            Duration::from_millis(20),
        ))
        .await;
        assert!(
            matches!(hung.as_slice(), [Ok(_), Err(PayloadError::Io(_))]),
            "{hung:?}"
        );
        assert!(
            read(slow_payload(vec![b"{"], false))
                .now_or_never()
                .is_none(),
            "without the deadline the read never ends"
        );
    }
}
