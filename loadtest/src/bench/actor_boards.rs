//! The rival's boards as one would write them first with actix: an actor for each socket, and one text cloned for all.

use std::sync::{Mutex, PoisonError};

use actix::{Actor, Addr, AsyncContext, Handler, Message, StreamHandler};
use actix_web::web::{Data, Payload};
use actix_web::{Error, HttpRequest, HttpResponse};
use actix_web_actors::ws;
use bytestring::ByteString;

/// Everybody who hears what is called.
pub struct Audience {
    frame: ByteString,
    sockets: Mutex<Vec<Addr<Socket>>>,
}

impl Audience {
    pub fn new(frame: &[u8]) -> Audience {
        Audience {
            frame: String::from_utf8_lossy(frame).into_owned().into(),
            sockets: Mutex::default(),
        }
    }
}

pub struct Socket {
    audience: Data<Audience>,
}

#[derive(Message)]
#[rtype(result = "()")]
struct Called(ByteString);

impl Actor for Socket {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.audience
            .sockets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ctx.address());
    }
}

impl Handler<Called> for Socket {
    type Result = ();

    fn handle(&mut self, called: Called, ctx: &mut Self::Context) {
        ctx.text(called.0);
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Socket {
    fn handle(&mut self, _: Result<ws::Message, ws::ProtocolError>, _: &mut Self::Context) {}
}

pub async fn open(
    request: HttpRequest,
    audience: Data<Audience>,
    payload: Payload,
) -> Result<HttpResponse, Error> {
    ws::start(Socket { audience }, &request, payload)
}

pub async fn call(audience: Data<Audience>) -> HttpResponse {
    let mut sockets = audience
        .sockets
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    sockets.retain(Addr::connected);
    for socket in sockets.iter() {
        socket.do_send(Called(audience.frame.clone()));
    }
    HttpResponse::NoContent().finish()
}
