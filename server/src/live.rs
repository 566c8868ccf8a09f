//! `GET /ws`: topics a caller may hear. Each topic's frame is made once per tick when it changed, and every watcher gets
//! the same bytes; a slow one is skipped to the newest, never queued.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::View;
use serde::Deserialize;
use tokio::time::MissedTickBehavior;

use crate::app::Phase;
use crate::error::Problem;
use crate::identity::{self, Caller, origin};
use crate::routes::operator::health::now as ops_now;
use crate::state::State;
use crate::wire::console::health::OpsNow;
use crate::wire::draw::DrawNow;
use crate::wire::frame::{PublicNow, frame};

mod hub;
mod orders;
pub mod outbox;
pub mod session;
pub mod topic;

pub use hub::{Hub, Newest};
use topic::Topic;

/// Changes within a tick are one frame.
const TICK: Duration = Duration::from_millis(100);
/// The list of all draws is big and everybody on the landing page hears it.
const TICKS_PER_LIST: u64 = 10;
/// Watchers that left are forgotten, and those that stopped reading dropped, this often.
const TICKS_PER_CLEANING: u64 = 10;
/// Sockets of one process.
pub const SESSIONS_MAX: usize = 20_000;

#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    topics: String,
}

/// The handshake. Only our own pages may open a socket from a browser.
pub async fn open(
    request: HttpRequest,
    state: web::Data<State>,
    caller: Caller,
    wanted: web::Query<Wanted>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let header = |name: &str| {
        request
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable"))
    };
    let signs = origin::Signs {
        site: None,
        origin: header("origin"),
        host: header("host"),
        public_url: &state.config.public_url,
        signed_in: identity::has_login_cookie(&request, &state.config),
    };
    if origin::judge(&signs) == origin::Verdict::Foreign {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross-origin",
            "This socket is for our own pages.",
        ));
    }
    let full = state.live.sessions() >= SESSIONS_MAX;
    if full || *state.phase.borrow() >= Phase::Draining || !state.draws.may_serve() {
        return Err(Problem::unavailable());
    }
    state
        .limits
        .new_socket(caller.ip, state.live.sessions_of(caller.ip.into()))?;
    session::start(
        &request,
        payload,
        state,
        caller.principal(),
        topic::read_list(&wanted.topics),
    )
}

/// Publishes what changed until the server closes; then tells every socket to come back elsewhere.
pub async fn run(state: web::Data<State>) {
    let orders = actix_web::rt::spawn(orders::run(state.clone()));
    let mut phase = state.phase.clone();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Who joins is told what is so; later only what is so no more.
    let mut seen = Seen {
        public: Some(public_now(&state)),
        ..Seen::default()
    };
    loop {
        tokio::select! {
            _ = tick.tick() => seen.publish_changes(&state).await,
            closing = phase.wait_for(|phase| *phase >= Phase::Closing) => {
                if closing.is_ok() {
                    state.live.say_goodbye();
                }
                break;
            }
        }
    }
    orders.abort();
}

/// What the last tick saw.
#[derive(Default)]
struct Seen {
    ticks: u64,
    changed: u64,
    reading: u64,
    listed: Option<(u64, u64)>,
    public: Option<PublicNow>,
    ops: Option<OpsNow>,
}

impl Seen {
    async fn publish_changes(&mut self, state: &State) {
        self.ticks += 1;
        let (changed, reading) = (state.draws.changes(), state.catalogue.facts().reading());
        if (changed, reading) != (self.changed, self.reading) {
            (self.changed, self.reading) = (changed, reading);
            publish_draws(state).await;
            self.publish_public(state).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_LIST) && self.listed != Some((changed, reading)) {
            self.listed = Some((changed, reading));
            republish(state, Topic::Draws).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_LIST) {
            self.publish_ops(state).await;
        }
        if self.ticks.is_multiple_of(TICKS_PER_CLEANING) {
            state.live.clean(state.clock.now().0);
            // Cut off from the books: what a board shows here may be old, and another node knows better.
            if !state.draws.may_serve() {
                state.live.say_goodbye();
            }
        }
    }
}

impl Seen {
    /// Everybody hears this topic: only when it says something else than before, not at every sale.
    async fn publish_public(&mut self, state: &State) {
        let now = public_now(state);
        if self.public.as_ref() != Some(&now) {
            republish(state, Topic::Public).await;
            self.public = Some(now);
        }
    }

    /// The console hears once a second when something of it moved; without a console nothing is read.
    async fn publish_ops(&mut self, state: &State) {
        for (topic, seq) in state.live.watched(|watched| *watched == Topic::Ops) {
            let Ok(now) = ops_now(state).await else {
                continue;
            };
            if self.ops.as_ref() != Some(&now) {
                state.live.dismiss_signed_out(state, &topic).await;
                let newest = encode(state, &topic, seq, "ops", &now);
                state.live.publish(&topic, newest);
                self.ops = Some(now);
            }
        }
    }
}

async fn publish_draws(state: &State) {
    let views = state.draws.views();
    for (topic, seq) in state.live.watched(|topic| matches!(topic, Topic::Draw(_))) {
        let Topic::Draw(draw) = topic else { continue };
        let Ok(place) = views.binary_search_by_key(&draw, |view| view.draw) else {
            continue;
        };
        let view = views[place];
        if view.revision > seq {
            let newest = draw_frame(state, &topic, &view).await;
            state.live.publish(&topic, newest);
        }
    }
}

/// Makes a topic's frame anew and publishes it.
async fn republish(state: &State, topic: Topic) {
    for (topic, seq) in state.live.watched(|watched| *watched == topic) {
        if let Some(newest) = make(state, &topic, seq).await {
            state.live.publish(&topic, newest);
        }
    }
}

/// A topic's frame as of now; `None` when there is no such thing.
async fn make(state: &State, topic: &Topic, after: u64) -> Option<Newest> {
    match topic {
        Topic::Draw(draw) => {
            let (_, _, view) = state.catalogue.draw(*draw).await?;
            Some(draw_frame(state, topic, &view).await)
        }
        Topic::Draws => {
            let now = state.clock.now();
            let (facts, views) = state.catalogue.listed(now);
            let data: Vec<DrawNow> = views
                .iter()
                .map(|view| DrawNow::new(view, facts.winner_sold(view, now), now))
                .collect();
            Some(encode(state, topic, after, "draws", data))
        }
        Topic::Public => Some(encode(state, topic, after, "public", public_now(state))),
        // What reads the books takes kilobytes while it does: a socket that watches a draw does not carry it.
        Topic::Ops => Some(encode(
            state,
            topic,
            after,
            "ops",
            Box::pin(ops_now(state)).await.ok()?,
        )),
        Topic::Order(token) => Box::pin(orders::make(state, topic, token, after)).await,
    }
}

fn public_now(state: &State) -> PublicNow {
    let maintenance_mode = state.catalogue.facts().maintenance_mode();
    PublicNow {
        maintenance_mode,
        build_version: state.config.build_version.clone(),
    }
}

/// A draw's own frame; its sequence number is its revision. Whether the winning ticket was sold is read before it is told.
async fn draw_frame(state: &State, topic: &Topic, view: &View) -> Newest {
    let now = state.clock.now();
    let mut sold = state.catalogue.facts().winner_sold(view, now);
    if view.revealed(now).is_some()
        && sold.is_none()
        && Box::pin(state.catalogue.reload()).await.is_ok()
    {
        sold = state.catalogue.facts().winner_sold(view, now);
    }
    let text = frame(
        &topic.to_string(),
        view.revision,
        now.0,
        "draw",
        DrawNow::new(view, sold, now),
    );
    Newest {
        seq: view.revision,
        text: text.into(),
    }
}

/// A frame whose sequence number is the time, so that it also grows over a restart.
fn encode(
    state: &State,
    topic: &Topic,
    after: u64,
    kind: &'static str,
    data: impl serde::Serialize,
) -> Newest {
    let now = state.clock.now().0;
    let seq = (after + 1).max(now.unsigned_abs());
    Newest {
        seq,
        text: frame(&topic.to_string(), seq, now, kind, data).into(),
    }
}
