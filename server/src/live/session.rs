//! The WebSocket session of one browser, an actor that runs inside the HTTP response. This is the
//! only file that imports actix-web-actors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix::dev::SendError;
use actix::{Actor, ActorContext, AsyncContext, Handler, Message, StreamHandler};
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use domain::access::Principal;

use crate::api::error::Problem;
use crate::api::frame::{SubscriptionRequest, serialise_frame};
use crate::services::identity::{client_address, login_token_hash, random};
use crate::services::live_hub::outbox::{DisconnectReason, Outbox};
use crate::services::live_hub::topic::Topic;
use crate::state::State;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// A client that sends neither a pong nor a message for this long counts as disconnected.
const CLIENT_SILENCE_MAX: Duration = Duration::from_secs(35);
/// Maximum size of a message from a browser, in bytes.
const MESSAGE_BYTES_MAX: usize = 4096;
const MESSAGES_PER_SECOND_MAX: u32 = 10;
const TOPICS_PER_SESSION_MAX: usize = 50;
/// Upper bound of the random delay before clients reconnect after a drain, so that not all clients
/// reconnect at the same time.
const RETRY_AFTER_MS_MAX: u16 = 10_000;

struct Session {
    /// The role of the caller who opened the socket.
    principal: Principal,
    state: web::Data<State>,
    outbox: Arc<Outbox>,
    topics: Vec<Topic>,
    last_message_at: Instant,
    /// Start of the current one-second window, and the number of messages received in the window.
    message_count: (Instant, u32),
}

/// Actor message that tells a session to send the frames in its outbox.
#[derive(Message)]
#[rtype(result = "()")]
struct SendFrames;

/// Starts the session of a socket and subscribes it to its topics.
pub(super) fn start(
    request: &HttpRequest,
    payload: web::Payload,
    state: web::Data<State>,
    principal: Principal,
    topics: Vec<Topic>,
) -> Result<HttpResponse, Problem> {
    let now = Instant::now();
    let outbox = Arc::new(Outbox::new(
        login_token_hash(request, &state.config),
        client_address(request, &state.config).into(),
    ));
    let session = Session {
        principal,
        state,
        outbox,
        topics: Vec::new(),
        last_message_at: now,
        message_count: (now, 0),
    };
    let (outbox, state) = (session.outbox.clone(), session.state.clone());
    let topics: Vec<Topic> = topics
        .into_iter()
        .filter(|topic| may_subscribe(principal, topic))
        .take(TOPICS_PER_SESSION_MAX)
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
    state.live.register_socket(outbox.clone());
    subscribe_all(state, topics, outbox);
    Ok(response)
}

/// Whether a caller may subscribe to a topic. A forbidden subscription is ignored without an error.
fn may_subscribe(principal: Principal, topic: &Topic) -> bool {
    *topic != Topic::Ops || principal == Principal::Operator
}

fn subscribe_all(state: web::Data<State>, topics: Vec<Topic>, outbox: Arc<Outbox>) {
    actix_web::rt::spawn(async move {
        for topic in topics {
            super::subscribe(&state, topic, &outbox).await;
        }
    });
}

impl Actor for Session {
    type Context = ws::WebsocketContext<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let address = ctx.address();
        // `try_send` cannot fill memory, because at most one wake-up message is queued at a time.
        self.outbox.attach_waker(Box::new(move || {
            !matches!(address.try_send(SendFrames), Err(SendError::Closed(_)))
        }));
        ctx.run_interval(HEARTBEAT_INTERVAL, Session::heartbeat);
    }

    fn stopped(&mut self, _: &mut Self::Context) {
        self.outbox.mark_session_ended();
    }
}

impl Session {
    fn heartbeat(&mut self, ctx: &mut ws::WebsocketContext<Self>) {
        if self.last_message_at.elapsed() > CLIENT_SILENCE_MAX {
            ctx.stop();
            return;
        }
        ctx.ping(b"");
        let now = self.state.clock.now().0;
        ctx.text(serialise_frame(
            "",
            0,
            now,
            "heartbeat",
            serde_json::json!({}),
        ));
    }

    /// Counts a message of the browser. Returns whether there are more than allowed per second.
    fn exceeds_message_limit(&mut self) -> bool {
        let now = Instant::now();
        if now.duration_since(self.message_count.0) >= Duration::from_secs(1) {
            self.message_count = (now, 0);
        }
        self.message_count.1 += 1;
        self.message_count.1 > MESSAGES_PER_SECOND_MAX
    }

    fn handle_subscription(&mut self, text: &str) {
        let Ok(handle_subscription) = serde_json::from_str::<SubscriptionRequest>(text) else {
            return;
        };
        for topic in handle_subscription
            .unsubscribe
            .iter()
            .filter_map(|topic| Topic::parse(topic))
        {
            self.topics.retain(|subscribed| *subscribed != topic);
            self.state.live.unsubscribe(&topic, &self.outbox);
            self.outbox.remove_topic(&topic);
        }
        let requested = handle_subscription
            .subscribe
            .iter()
            .filter_map(|topic| Topic::parse(topic));
        let requested = requested.filter(|topic| may_subscribe(self.principal, topic));
        let new: Vec<Topic> = requested
            .filter(|topic| !self.topics.contains(topic))
            .collect();
        let capacity = TOPICS_PER_SESSION_MAX.saturating_sub(self.topics.len());
        let new: Vec<Topic> = new.into_iter().take(capacity).collect();
        self.topics.extend(new.iter().cloned());
        subscribe_all(self.state.clone(), new, self.outbox.clone());
    }
}

impl Handler<SendFrames> for Session {
    type Result = ();

    fn handle(&mut self, _: SendFrames, ctx: &mut Self::Context) {
        let contents = self.outbox.drain_frames();
        for text in contents.frames {
            ctx.text(text);
        }
        if let Some(disconnect) = contents.disconnect {
            ctx.close(Some(close_reason(disconnect)));
            ctx.stop();
        }
    }
}

fn close_reason(disconnect: DisconnectReason) -> ws::CloseReason {
    match disconnect {
        DisconnectReason::Draining => {
            let retry_after_ms = u16::from_be_bytes(random()) % RETRY_AFTER_MS_MAX;
            ws::CloseReason {
                code: ws::CloseCode::Away,
                description: Some(retry_after_ms.to_string()),
            }
        }
        DisconnectReason::TooSlow => ws::CloseReason {
            code: ws::CloseCode::Again,
            description: Some("too slow".into()),
        },
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Session {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        self.last_message_at = Instant::now();
        if self.exceeds_message_limit() {
            ctx.close(Some(ws::CloseCode::Policy.into()));
            ctx.stop();
            return;
        }
        match message {
            Ok(ws::Message::Text(text)) => self.handle_subscription(&text),
            Ok(ws::Message::Ping(payload)) => ctx.pong(&payload),
            Ok(ws::Message::Pong(_) | ws::Message::Nop) => {}
            Ok(ws::Message::Close(close_reason)) => {
                ctx.close(close_reason);
                ctx.stop();
            }
            // Close the socket on a binary or fragmented message, and on a broken connection.
            Ok(ws::Message::Binary(_) | ws::Message::Continuation(_)) | Err(_) => {
                ctx.close(Some(ws::CloseCode::Policy.into()));
                ctx.stop();
            }
        }
    }
}
