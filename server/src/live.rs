//! `GET /ws`: live topics over WebSocket. A changed topic gets one frame per tick, and all its
//! subscribers receive the same bytes. A slow subscriber skips to the newest frame.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::View;
use serde::Deserialize;
use tokio::time::MissedTickBehavior;

use crate::access::caller::Caller;
use crate::api::console::health::OpsNow;
use crate::api::draw::DrawNow;
use crate::api::error::Problem;
use crate::api::frame::{PublicNow, serialise_frame};
use crate::ops::lifecycle::Phase;
use crate::services::identity::{self, origin};
use crate::state::State;

pub mod operator_console;
mod orders;
pub mod session;

use crate::services::live_hub::TopicFrame;
use crate::services::live_hub::outbox::Outbox;
use crate::services::live_hub::topic::{self, Topic};

/// Interval between publications. All changes of a topic within one interval are sent as one frame.
const TICK_INTERVAL: Duration = Duration::from_millis(100);
/// Number of ticks between publications of the list of all draws. The list is large and has many
/// subscribers, so it is published less often than other topics.
const TICKS_PER_DRAW_LIST: u64 = 10;
/// Number of ticks between removals of closed and stalled sockets.
const TICKS_PER_CLEANUP: u64 = 10;
/// Maximum number of sockets of one process.
pub const SESSIONS_MAX: usize = 20_000;

/// Query parameters of the WebSocket handshake.
#[derive(Deserialize)]
pub struct SocketQuery {
    #[serde(default)]
    topics: String,
}

/// Handles the WebSocket handshake. Browsers may open a socket only from this site's pages.
pub async fn open_socket(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    query: web::Query<SocketQuery>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable"))
    };
    let request_origin = origin::OriginHeaders {
        site: None,
        origin: header("origin"),
        host: header("host"),
        public_url: &state.config.public_url,
        has_login_cookie: identity::has_login_cookie(&request, &state.config),
    };
    if origin::check_origin(&request_origin) == origin::OriginVerdict::CrossOrigin {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-origin",
            "This socket is for our own pages.",
        ));
    }
    let is_full = state.live.open_socket_count() >= SESSIONS_MAX;
    if is_full || *state.phase.borrow() >= Phase::Draining || !state.draws.may_serve() {
        return Err(Problem::unavailable());
    }
    state.limits.check_new_socket(
        caller.ip,
        state.live.open_sockets_of_network(caller.ip.into()),
    )?;
    session::start(
        &request,
        payload,
        state,
        caller.principal(),
        topic::parse_topics(&query.topics),
    )
}

/// Publishes changed topics until the server closes. Then asks every socket to reconnect to another
/// node.
pub async fn publish_until_closed(state: web::Data<State>) {
    let orders = actix_web::rt::spawn(orders::publish_order_topics(state.clone()));
    let mut phase = state.phase.clone();
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Start from the current values, because every new subscriber is sent them. Only later changes
    // are published.
    let mut published = PublishedState {
        public: Some(read_public_state(&state)),
        ..PublishedState::default()
    };
    loop {
        tokio::select! {
            _ = tick.tick() => published.publish_changes(&state).await,
            closing = phase.wait_for(|phase| *phase >= Phase::Closing) => {
                if closing.is_ok() {
                    state.live.close_all_sockets();
                }
                break;
            }
        }
    }
    orders.abort();
}

/// The values that the publisher sent at its last tick, to detect changes.
#[derive(Default)]
struct PublishedState {
    ticks: u64,
    changed: u64,
    reading: u64,
    listed: Option<(u64, u64)>,
    public: Option<PublicNow>,
    ops: Option<OpsNow>,
}

impl PublishedState {
    async fn publish_changes(&mut self, state: &State) {
        self.ticks += 1;
        let (changed, reading) = (
            state.draws.view_change_count(),
            state.catalogue.facts().reading_number(),
        );
        if (changed, reading) != (self.changed, self.reading) {
            (self.changed, self.reading) = (changed, reading);
            publish_draws(state).await;
            self.publish_public_state(state).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_DRAW_LIST) && self.listed != Some((changed, reading))
        {
            self.listed = Some((changed, reading));
            republish_topic(state, Topic::Draws).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_DRAW_LIST) {
            self.publish_console_state(state).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_CLEANUP) {
            state.live.remove_closed_sockets(state.clock.now().0);
            // This node has lost its database, so the draws it shows may be outdated. Close all
            // sockets, so that clients reconnect to another node.
            if !state.draws.may_serve() {
                state.live.close_all_sockets();
            }
        }
    }
}

impl PublishedState {
    /// Publishes the topic `public` only when its value changes, not at every sale, because every
    /// open page subscribes to it.
    async fn publish_public_state(&mut self, state: &State) {
        let now = read_public_state(state);
        if self.public.as_ref() != Some(&now) {
            republish_topic(state, Topic::Public).await;
            self.public = Some(now);
        }
    }

    /// Publishes the operator console's topic once a second if its value changed. Does not read the
    /// database while no console is open.
    async fn publish_console_state(&mut self, state: &State) {
        for (topic, seq) in state
            .live
            .subscribed_topics(|watched| *watched == Topic::Ops)
        {
            let Ok(now) = operator_console::read_console_state(state).await else {
                continue;
            };
            if self.ops.as_ref() != Some(&now) {
                state
                    .live
                    .unsubscribe_signed_out(&state.records, state.clock.now(), &topic)
                    .await;
                let frame_text = encode_frame(state, &topic, seq, "ops", &now);
                state.live.publish(&topic, frame_text);
                self.ops = Some(now);
            }
        }
    }
}

async fn publish_draws(state: &State) {
    let views = state.draws.views();
    for (topic, seq) in state
        .live
        .subscribed_topics(|topic| matches!(topic, Topic::Draw(_)))
    {
        let Topic::Draw(draw) = topic else { continue };
        let Ok(place) = views.binary_search_by_key(&draw, |view| view.draw) else {
            continue;
        };
        let view = views[place];
        if view.revision > seq {
            let frame_text = draw_frame(state, &topic, &view).await;
            state.live.publish(&topic, frame_text);
        }
    }
}

/// Builds and publishes the frame of a topic.
async fn republish_topic(state: &State, topic: Topic) {
    for (topic, seq) in state.live.subscribed_topics(|watched| *watched == topic) {
        if let Some(frame_text) = build_frame(state, &topic, seq).await {
            state.live.publish(&topic, frame_text);
        }
    }
}

/// Subscribes a socket to a topic and sends it the current frame. Undoes the subscription if the
/// topic's object does not exist.
async fn subscribe(state: &State, topic: Topic, outbox: &Arc<Outbox>) {
    // Subscribe before building the first frame. A frame published in between is newer and replaces
    // it.
    let current = state.live.add_subscriber(&topic, outbox);
    let first = match current {
        Some(latest) => Some(latest),
        None => build_frame(state, &topic, 0).await,
    };
    match first {
        Some(first) => state.live.send_first_frame(&topic, outbox, first),
        None => state.live.unsubscribe(&topic, outbox),
    }
}

/// Builds the current frame of a topic; `None` when the topic's draw or order does not exist, or
/// the console's data cannot be read.
async fn build_frame(state: &State, topic: &Topic, after: u64) -> Option<TopicFrame> {
    match topic {
        Topic::Draw(draw) => {
            let (_, _, view) = state.catalogue.draw(*draw).await?;
            Some(draw_frame(state, topic, &view).await)
        }
        Topic::Draws => {
            let now = state.clock.now();
            let (facts, views) = state.catalogue.published_draws(now);
            let data: Vec<DrawNow> = views
                .iter()
                .map(|view| DrawNow::new(view, facts.winner_sold(view, now), now))
                .collect();
            Some(encode_frame(state, topic, after, "draws", data))
        }
        Topic::Public => Some(encode_frame(
            state,
            topic,
            after,
            "public",
            read_public_state(state),
        )),
        // Boxed here, because futures that read the database are several kilobytes large.
        Topic::Ops => Some(encode_frame(
            state,
            topic,
            after,
            "ops",
            Box::pin(operator_console::read_console_state(state))
                .await
                .ok()?,
        )),
        Topic::Order(token) => Box::pin(orders::build_frame(state, topic, token, after)).await,
    }
}

fn read_public_state(state: &State) -> PublicNow {
    let maintenance_mode = state.catalogue.facts().maintenance_mode();
    PublicNow {
        maintenance_mode,
        build_version: state.config.build_version.clone(),
    }
}

/// The frame of a draw. Its sequence number is the draw's revision. The frame of a revealed draw
/// includes whether the winning ticket was sold.
async fn draw_frame(state: &State, topic: &Topic, view: &View) -> TopicFrame {
    let now = state.clock.now();
    let mut sold = state.catalogue.facts().winner_sold(view, now);
    if view.public_result(now).is_some()
        && sold.is_none()
        && Box::pin(state.catalogue.reload()).await.is_ok()
    {
        sold = state.catalogue.facts().winner_sold(view, now);
    }
    let text = serialise_frame(
        &topic.to_string(),
        view.revision,
        now.0,
        "draw",
        DrawNow::new(view, sold, now),
    );
    TopicFrame {
        seq: view.revision,
        text: text.into(),
    }
}

/// Builds a frame whose sequence number is the current time, so that the number grows even across
/// restarts.
fn encode_frame(
    state: &State,
    topic: &Topic,
    after: u64,
    kind: &'static str,
    data: impl serde::Serialize,
) -> TopicFrame {
    let now = state.clock.now().0;
    let seq = (after + 1).max(now.unsigned_abs());
    TopicFrame {
        seq,
        text: serialise_frame(&topic.to_string(), seq, now, kind, data).into(),
    }
}
