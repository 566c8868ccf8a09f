//! Rejects requests for a payment intent of a draw without enough free tickets, from memory. The
//! application handles all other requests, and all requests of browsers that may have a
//! reservation.

use std::rc::Rc;
use std::time::Instant;

use actix_http::Request;
use actix_service::Service;
use actix_web::body::BoxBody;
use actix_web::dev::{Payload, Response, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName};
use actix_web::{Error, HttpMessage};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};

use super::fast_path_address::CREATE_INTENT_PATH;
use super::request_cookies::RequestCookies;
use super::{FastPathInner, FastPathResult};
use crate::api::purchase::Purchase;
use crate::http::edge::{log_response_with_id, new_request_id, request_id_text};
use crate::http::routes::FORM_BODY_MAX;
use crate::http::routes::body::{body_timeout, parse_json_body, with_body_timeout};
use crate::http::routes::buyer::payments::find_draw_with_too_few_tickets;
use crate::services::identity::origin;

impl<S> FastPathInner<S>
where
    S: Service<Request, Response = ServiceResponse<BoxBody>, Error = Error>,
{
    /// Handles a request to create a payment intent: rejects it if the draw has too few tickets, or
    /// else passes it to the application.
    pub(super) async fn create_intent(self: Rc<Self>, mut request: Request) -> FastPathResult {
        let started = Instant::now();
        let payload = match read_body(request.take_payload()).await {
            Ok(body) => match self.refuse_if_sold_out(request.headers(), &body, started) {
                Some(response) => return Ok(response),
                None => replayed_payload(vec![Ok(body)], None),
            },
            Err(payload) => payload,
        };
        *request.payload() = payload;
        self.app.call(request).await.map(Response::from)
    }

    fn refuse_if_sold_out(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        started: Instant,
    ) -> Option<Response<BoxBody>> {
        let config = &self.state.config;
        let now = self.state.clock.now();
        let cookies = RequestCookies::of(headers, &self.state, now)?;
        if cookies
            .browser
            .is_some_and(|browser| self.state.open_orders.remembers_browser(&browser))
        {
            return None;
        }
        let header_text = |name| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap_or("unreadable"))
        };
        let verdict = origin::check_origin(&origin::OriginHeaders {
            site: header_text(HeaderName::from_static("sec-fetch-site")),
            origin: header_text(header::ORIGIN),
            host: header_text(header::HOST),
            public_url: &config.public_url,
            has_login_cookie: cookies.login,
        });
        if verdict == origin::OriginVerdict::CrossOrigin {
            return None;
        }
        let (draw, free) =
            find_draw_with_too_few_tickets(&self.state, &parse_json_body::<Purchase>(body).ok()?)?;
        let id = new_request_id();
        let (status, body) =
            self.headers
                .too_few_tickets_response(draw, free, request_id_text(&id));
        let mut response = Response::with_body(status, BoxBody::new(body));
        let elapsed = started.elapsed();
        log_response_with_id(
            &id,
            &Method::POST,
            CREATE_INTENT_PATH,
            status.as_u16(),
            elapsed,
        );
        self.headers.uncached.add_to(
            response.headers_mut(),
            id,
            self.headers.server_time_header(now),
        );
        self.set_cookie(cookies, &mut response, now);
        self.counts.sold_out.record_duration(elapsed);
        Some(response)
    }
}

type PayloadChunk = Result<Bytes, PayloadError>;

/// Reads a whole request body. If the body is too long, incomplete or late, returns a payload with
/// the same bytes for the application to read.
async fn read_body(payload: Payload) -> Result<Bytes, Payload> {
    let mut payload = with_body_timeout(payload, body_timeout(FORM_BODY_MAX));
    let mut body = Bytes::new();
    while let Some(chunk) = payload.next().await {
        match chunk {
            Ok(chunk) if body.is_empty() => body = chunk,
            Ok(chunk) => {
                let mut longer = BytesMut::from(&body[..]);
                longer.extend_from_slice(&chunk);
                body = longer.freeze();
            }
            Err(failure) => return Err(replayed_payload(vec![Ok(body), Err(failure)], None)),
        }
        if body.len() > FORM_BODY_MAX {
            return Err(replayed_payload(vec![Ok(body)], Some(payload)));
        }
    }
    Ok(body)
}

/// Builds a payload that yields the chunks read so far and then the unread rest.
fn replayed_payload(read: Vec<PayloadChunk>, rest: Option<Payload>) -> Payload {
    let rest = rest.map_or_else(|| stream::empty().right_stream(), StreamExt::left_stream);
    Payload::Stream {
        payload: Box::pin(stream::iter(read).chain(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload_from_chunks(chunks: Vec<PayloadChunk>) -> Payload {
        replayed_payload(chunks, None)
    }

    async fn collect_chunks(payload: Payload) -> Vec<Result<Bytes, String>> {
        payload
            .map(|chunk| chunk.map_err(|failure| failure.to_string()))
            .collect()
            .await
    }

    #[actix_web::test]
    async fn chunked_body_is_joined_and_incomplete_or_long_body_is_replayed() {
        let piece = |text: &'static str| Ok(Bytes::from_static(text.as_bytes()));
        let body = read_body(payload_from_chunks(vec![
            piece("{\"a\""),
            piece(":"),
            piece("1}"),
        ]))
        .await
        .ok()
        .expect("whole");
        assert_eq!(body, "{\"a\":1}");
        assert!(
            read_body(payload_from_chunks(vec![]))
                .await
                .ok()
                .expect("nothing")
                .is_empty()
        );
        let broken = read_body(payload_from_chunks(vec![
            piece("{"),
            piece("}"),
            Err(PayloadError::Incomplete(None)),
        ]))
        .await;
        let broken = collect_chunks(broken.expect_err("broken off")).await;
        assert!(
            matches!(&broken[..], [Ok(first), Err(_)] if first == "{}"),
            "{broken:?}"
        );
        let long = Bytes::from(vec![b' '; FORM_BODY_MAX]);
        let long = read_body(payload_from_chunks(vec![
            Ok(long.clone()),
            Ok(long.clone()),
            piece("end"),
        ]))
        .await;
        let long = collect_chunks(long.expect_err("too long")).await;
        let length: usize = long
            .iter()
            .map(|chunk| chunk.as_ref().expect("a chunk").len())
            .sum();
        assert_eq!(length, 2 * FORM_BODY_MAX + 3);
    }
}
