//! One browser's socket: an actor inside its response. The only file that imports actix-web-actors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::dev::SendError;
use actix::{Actor, ActorContext, AsyncContext, Handler, Message, StreamHandler};
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use domain::access::Principal;

use super::outbox::{Farewell, Outbox};
use super::topic::Topic;
use crate::error::Problem;
use crate::identity::{address, login, random};
use crate::state::State;
use crate::wire::frame::{Wish, frame};

const HEARTBEAT: Duration = Duration::from_secs(15);
/// Neither a pong nor a word for this long: nobody is there.
const SILENCE_MAX: Duration = Duration::from_secs(35);
/// Largest message a browser may send.
const MESSAGE_BYTES_MAX: usize = 4096;
const MESSAGES_PER_SECOND_MAX: u32 = 10;
const TOPICS_MAX: usize = 50;
/// After a drain nobody comes back sooner than told, so that not all come at once.
const RETRY_AFTER_MS_MAX: u16 = 10_000;

struct Session {
    /// Who opened the socket.
    principal: Principal,
    state: web::Data<State>,
    outbox: Arc<Outbox>,
    topics: Vec<Topic>,
    heard_at: Instant,
    /// Messages since the second began.
    second: (Instant, u32),
}

/// Something waits in the outbox.
#[derive(Message)]
#[rtype(result = "()")]
struct Wake;

pub(super) fn start(
    request: &HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
    principal: Principal,
    topics: Vec<Topic>,
) -> Result<HttpResponse, Problem> {
    let now = Instant::now();
    let outbox = Arc::new(Outbox::of(
        login(request, &state.config),
        address(request, &state.config).into(),
    ));
    let session = Session {
        principal,
        state,
        outbox,
        topics: Vec::new(),
        heard_at: now,
        second: (now, 0),
    };
    let (outbox, state) = (session.outbox.clone(), session.state.clone());
    let topics: Vec<Topic> = topics
        .into_iter()
        .filter(|topic| may_hear(principal, topic))
        .take(TOPICS_MAX)
        .collect();
    let session = Session {
        topics: topics.clone(),
        ..session
    };
    let response = ws::WsResponseBuilder::new(session, request, payload)
        .frame_size(MESSAGE_BYTES_MAX)
        .start();
    let response = response
        .map_err(|_| Problem::bad_request("not-a-websocket", "This address speaks WebSocket."))?;
    state.live.admit(outbox.clone());
    join_all(state, topics, outbox);
    Ok(response)
}

/// What is not for a caller stays silent, as if it did not exist.
fn may_hear(principal: Principal, topic: &Topic) -> bool {
    *topic != Topic::Ops || principal == Principal::Operator
}

fn join_all(state: web::Data<State>, topics: Vec<Topic>, outbox: Arc<Outbox>) {
    actix_web::rt::spawn(async move {
        for topic in topics {
            state.live.join(&state, topic, &outbox).await;
        }
    });
}

impl Actor for Session {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let address = ctx.address();
        // Bounded: at most one wake-up is under way, whatever the crowd does.
        self.outbox.opened(Box::new(move || {
            !matches!(address.try_send(Wake), Err(SendError::Closed(_)))
        }));
        ctx.run_interval(HEARTBEAT, |session, ctx| session.beat(ctx));
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.outbox.gone();
    }
}

impl Session {
    fn beat(&mut self, ctx: &mut ws::WebsocketContext<Self>) {
        if self.heard_at.elapsed() > SILENCE_MAX {
            ctx.stop();
            return;
        }
        ctx.ping(b"");
        let now = self.state.clock.now().0;
        ctx.text(frame("", 0, now, "heartbeat", serde_json::json!({})));
    }

    /// Counts what a browser says; more than ten a second is a flood.
    fn floods(&mut self) -> bool {
        let now = Instant::now();
        if now.duration_since(self.second.0) >= Duration::from_secs(1) {
            self.second = (now, 0);
        }
        self.second.1 += 1;
        self.second.1 > MESSAGES_PER_SECOND_MAX
    }

    fn wish(&mut self, text: &str) {
        let Ok(wish) = serde_json::from_str::<Wish>(text) else {
            return;
        };
        for topic in wish
            .unsubscribe
            .iter()
            .filter_map(|topic| Topic::read(topic))
        {
            self.topics.retain(|known| *known != topic);
            self.state.live.leave(&topic, &self.outbox);
            self.outbox.forget(&topic);
        }
        let wanted = wish.subscribe.iter().filter_map(|topic| Topic::read(topic));
        let wanted = wanted.filter(|topic| may_hear(self.principal, topic));
        let new: Vec<Topic> = wanted
            .filter(|topic| !self.topics.contains(topic))
            .collect();
        let room = TOPICS_MAX.saturating_sub(self.topics.len());
        let new: Vec<Topic> = new.into_iter().take(room).collect();
        self.topics.extend(new.iter().cloned());
        join_all(self.state.clone(), new, self.outbox.clone());
    }
}

impl Handler<Wake> for Session {
    type Result = ();

    fn handle(&mut self, _: Wake, ctx: &mut Self::Context) {
        let taken = self.outbox.take();
        for text in taken.frames {
            ctx.text(text);
        }
        if let Some(farewell) = taken.farewell {
            ctx.close(Some(reason(farewell)));
            ctx.stop();
        }
    }
}

fn reason(farewell: Farewell) -> ws::CloseReason {
    match farewell {
        Farewell::Draining => {
            let hint = u16::from_be_bytes(random()) % RETRY_AFTER_MS_MAX;
            ws::CloseReason {
                code: ws::CloseCode::Away,
                description: Some(hint.to_string()),
            }
        }
        Farewell::TooSlow => ws::CloseReason {
            code: ws::CloseCode::Again,
            description: Some("too slow".into()),
        },
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Session {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        self.heard_at = Instant::now();
        if self.floods() {
            ctx.close(Some(ws::CloseCode::Policy.into()));
            ctx.stop();
            return;
        }
        match message {
            Ok(ws::Message::Text(text)) => self.wish(&text),
            Ok(ws::Message::Ping(payload)) => ctx.pong(&payload),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            // We take one small text at a time; a torn connection ends here too.
            Ok(ws::Message::Binary(_) | ws::Message::Continuation(_)) | Err(_) => {
                ctx.close(Some(ws::CloseCode::Policy.into()));
                ctx.stop();
            }
        }
    }
}
