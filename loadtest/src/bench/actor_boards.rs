//! The broadcast to boards of the rival, the simple server that the product is compared with. It
//! has one actor for each socket, and one copy of the text for each.

use std::sync::{Mutex, PoisonError};

use actix::{Actor, Addr, AsyncContext, Handler, Message, StreamHandler};
use actix_web::web::{Data, Payload};
use actix_web::{Error, HttpRequest, HttpResponse};
use actix_web_actors::ws;
use bytestring::ByteString;

/// All open board sockets, and the text that is sent to them.
pub struct BoardRegistry {
    frame: ByteString,
    sockets: Mutex<Vec<Addr<BoardActor>>>,
}

impl BoardRegistry {
    pub fn new(frame: &[u8]) -> BoardRegistry {
        BoardRegistry {
            frame: String::from_utf8_lossy(frame).into_owned().into(),
            sockets: Mutex::default(),
        }
    }
}

pub struct BoardActor {
    registry: Data<BoardRegistry>,
}

#[derive(Message)]
#[rtype(result = "()")]
struct BroadcastFrame(ByteString);

impl Actor for BoardActor {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        self.registry
            .sockets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ctx.address());
    }
}

impl Handler<BroadcastFrame> for BoardActor {
    type Result = ();

    fn handle(&mut self, frame_message: BroadcastFrame, ctx: &mut Self::Context) {
        ctx.text(frame_message.0);
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for BoardActor {
    fn handle(&mut self, _: Result<ws::Message, ws::ProtocolError>, _: &mut Self::Context) {}
}

pub async fn open_board(
    request: HttpRequest,
    registry: Data<BoardRegistry>,
    payload: Payload,
) -> Result<HttpResponse, Error> {
    ws::start(BoardActor { registry }, &request, payload)
}

pub async fn broadcast_to_actors(registry: Data<BoardRegistry>) -> HttpResponse {
    let mut sockets = registry
        .sockets
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    sockets.retain(Addr::connected);
    for socket in sockets.iter() {
        socket.do_send(BroadcastFrame(registry.frame.clone()));
    }
    HttpResponse::NoContent().finish()
}
