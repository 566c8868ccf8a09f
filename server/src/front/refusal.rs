//! The draw is sold out: a crowd that comes too late is told so from the view. Whoever has, or may have, something reserved, and
//! every call that is not plainly one of these, goes on to the application, whole.

use std::rc::Rc;
use std::time::Instant;

use actix_http::Request;
use actix_service::Service;
use actix_web::body::BoxBody;
use actix_web::dev::{Payload, Response, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, SET_COOKIE};
use actix_web::{Error, HttpMessage};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};

use super::address::WISH;
use super::brought::Brought;
use super::{Answer, Inner};
use crate::edge::{new_id, tell_alone, text_of};
use crate::identity::{Browser, origin};
use crate::routes::FORM;
use crate::routes::body::{in_time, patience, read};
use crate::routes::buyer::payments::too_late;
use crate::wire::purchase::Purchase;

impl<S> Inner<S>
where
    S: Service<Request, Response = ServiceResponse<BoxBody>, Error = Error>,
{
    pub(super) async fn wish(self: Rc<Self>, mut request: Request) -> Answer {
        let begun = Instant::now();
        let payload = match gather(request.take_payload()).await {
            Ok(body) => match self.too_late(request.headers(), &body, begun) {
                Some(response) => return Ok(response),
                None => again(vec![Ok(body)], None),
            },
            Err(payload) => payload,
        };
        *request.payload() = payload;
        self.app.call(request).await.map(Response::from)
    }

    fn too_late(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        begun: Instant,
    ) -> Option<Response<BoxBody>> {
        let config = &self.state.config;
        let brought = Brought::by(headers, config)?;
        if brought
            .browser
            .is_some_and(|browser| self.state.open_orders.knows(&browser))
        {
            return None;
        }
        let word = |name| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap_or("unreadable"))
        };
        let verdict = origin::judge(&origin::Signs {
            site: word(HeaderName::from_static("sec-fetch-site")),
            origin: word(header::ORIGIN),
            host: word(header::HOST),
            public_url: &config.public_url,
            signed_in: brought.login,
        });
        if verdict == origin::Verdict::Foreign {
            return None;
        }
        let (draw, free) = too_late(&self.state, &read::<Purchase>(body).ok()?)?;
        let id = new_id();
        let (status, words) = self.said.too_few(draw, free, text_of(&id));
        let mut response = Response::with_body(status, BoxBody::new(words));
        let took = begun.elapsed();
        tell_alone(&id, &Method::POST, WISH, status.as_u16(), took);
        self.said.unkept.write(
            response.headers_mut(),
            id,
            self.said.time(self.state.clock.now()),
        );
        if brought.browser.is_none() {
            response
                .headers_mut()
                .append(SET_COOKIE, self.said.cookie(Browser::new()));
        }
        self.counts.too_late.note(took);
        Some(response)
    }
}

type Chunk = Result<Bytes, PayloadError>;

/// A whole body; or, of one that is too long or does not come whole and in time, what would have been read of it.
async fn gather(payload: Payload) -> Result<Bytes, Payload> {
    let mut payload = in_time(payload, patience(FORM));
    let mut whole = Bytes::new();
    while let Some(chunk) = payload.next().await {
        match chunk {
            Ok(chunk) if whole.is_empty() => whole = chunk,
            Ok(chunk) => {
                let mut longer = BytesMut::from(&whole[..]);
                longer.extend_from_slice(&chunk);
                whole = longer.freeze();
            }
            Err(failure) => return Err(again(vec![Ok(whole), Err(failure)], None)),
        }
        if whole.len() > FORM {
            return Err(again(vec![Ok(whole)], Some(payload)));
        }
    }
    Ok(whole)
}

/// What was read already, and then the rest.
fn again(read: Vec<Chunk>, rest: Option<Payload>) -> Payload {
    let rest = rest.map_or_else(|| stream::empty().right_stream(), StreamExt::left_stream);
    Payload::Stream {
        payload: Box::pin(stream::iter(read).chain(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(chunks: Vec<Chunk>) -> Payload {
        again(chunks, None)
    }

    async fn read_again(payload: Payload) -> Vec<Result<Bytes, String>> {
        payload
            .map(|chunk| chunk.map_err(|failure| failure.to_string()))
            .collect()
            .await
    }

    #[actix_web::test]
    async fn a_body_in_pieces_is_whole_and_one_that_breaks_off_or_grows_too_long_is_read_as_if_nobody_had()
     {
        let piece = |text: &'static str| Ok(Bytes::from_static(text.as_bytes()));
        let whole = gather(sent(vec![piece("{\"a\""), piece(":"), piece("1}")]))
            .await
            .ok()
            .expect("whole");
        assert_eq!(whole, "{\"a\":1}");
        assert!(gather(sent(vec![])).await.ok().expect("nothing").is_empty());
        let broken = gather(sent(vec![
            piece("{"),
            piece("}"),
            Err(PayloadError::Incomplete(None)),
        ]))
        .await;
        let broken = read_again(broken.expect_err("broken off")).await;
        assert!(
            matches!(&broken[..], [Ok(first), Err(_)] if first == "{}"),
            "{broken:?}"
        );
        let long = Bytes::from(vec![b' '; FORM]);
        let long = gather(sent(vec![Ok(long.clone()), Ok(long.clone()), piece("end")])).await;
        let long = read_again(long.expect_err("too long")).await;
        let length: usize = long
            .iter()
            .map(|chunk| chunk.as_ref().expect("a chunk").len())
            .sum();
        assert_eq!(length, 2 * FORM + 3);
    }
}
