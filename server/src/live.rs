//! `GET /ws`: topics a caller may hear. Each topic's frame is made once per tick when it changed, and every watcher gets
//! the same bytes; a slow one is skipped to the newest, never queued.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use bytestring::ByteString;
use dashmap::DashMap;
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

mod orders;
pub mod outbox;
pub mod session;
pub mod topic;

use outbox::{Farewell, Outbox};
use topic::Topic;

/// Changes within a tick are one frame.
const TICK: Duration = Duration::from_millis(100);
/// The list of all draws is big and everybody on the landing page hears it.
const TICKS_PER_LIST: u64 = 10;
/// Watchers that left are forgotten, and those that stopped reading dropped, this often.
const TICKS_PER_CLEANING: u64 = 10;
/// Sockets of one process.
pub const SESSIONS_MAX: usize = 20_000;

/// Who watches what, and the newest frame of each topic.
#[derive(Default)]
pub struct Hub {
    subjects: DashMap<Topic, Subject>,
    sessions: Mutex<Vec<Arc<Outbox>>>,
    /// Tokens of orders that just moved.
    moved: Mutex<BTreeSet<String>>,
}

#[derive(Default)]
struct Subject {
    newest: Option<Newest>,
    watchers: Vec<Arc<Outbox>>,
}

/// A frame, encoded once.
#[derive(Clone)]
pub struct Newest {
    pub seq: u64,
    pub text: ByteString,
}

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
    let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let signs = origin::Signs {
        site: None,
        origin: header("origin"),
        host: header("host"),
        public_url: &state.config.public_url,
        signed_in: identity::has_login_cookie(&request, &state.config),
    };
    if origin::judge(&signs) == origin::Verdict::Foreign {
        return Err(Problem::new(StatusCode::FORBIDDEN, "cross-origin", "This socket is for our own pages."));
    }
    let full = state.live.sessions() >= SESSIONS_MAX;
    if full || *state.phase.borrow() >= Phase::Draining || !state.draws.may_serve() {
        return Err(Problem::unavailable());
    }
    state.limits.new_socket(caller.ip, state.live.sessions_of(caller.ip))?;
    session::start(&request, payload, state, caller.principal(), topic::read_list(&wanted.topics))
}

impl Hub {
    /// Sockets that are open.
    pub fn sessions(&self) -> usize {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Those of one address.
    fn sessions_of(&self, address: IpAddr) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.iter().filter(|outbox| outbox.address == Some(address)).count()
    }

    fn admit(&self, outbox: Arc<Outbox>) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(outbox);
    }

    /// An order's payment went on: whoever watches it hears so at once.
    pub fn order_moved(&self, token: &str) {
        if self.subjects.contains_key(&Topic::Order(token.to_string())) {
            self.moved.lock().unwrap_or_else(PoisonError::into_inner).insert(token.to_string());
        }
    }

    /// A watcher joins a topic and hears its newest frame first. What does not exist stays silent.
    pub async fn join(&self, state: &State, topic: Topic, outbox: &Arc<Outbox>) {
        // It watches before its first frame is made: what is published meanwhile is newer, and goes before it.
        let known = self.watch(&topic, outbox);
        let first = match known {
            Some(newest) => Some(newest),
            None => make(state, &topic, 0).await,
        };
        let Some(first) = first else {
            return self.leave(&topic, outbox);
        };
        outbox.put(&topic, &first);
        if let Some(mut subject) = self.subjects.get_mut(&topic)
            && subject.newest.as_ref().is_none_or(|old| old.seq < first.seq)
        {
            subject.newest = Some(first);
        }
    }

    /// What the others who watch heard last. While nobody watches nothing is published: then that may be old, and is not given.
    fn watch(&self, topic: &Topic, outbox: &Arc<Outbox>) -> Option<Newest> {
        let mut subject = self.subjects.entry(topic.clone()).or_default();
        let known = if subject.watchers.is_empty() { None } else { subject.newest.clone() };
        if !subject.watchers.iter().any(|watcher| Arc::ptr_eq(watcher, outbox)) {
            subject.watchers.push(outbox.clone());
        }
        known
    }

    pub fn leave(&self, topic: &Topic, outbox: &Arc<Outbox>) {
        if let Some(mut subject) = self.subjects.get_mut(topic) {
            subject.watchers.retain(|watcher| !Arc::ptr_eq(watcher, outbox));
        }
    }

    /// Gives a newer frame to everybody who watches.
    fn publish(&self, topic: &Topic, newest: Newest) {
        let Some(mut subject) = self.subjects.get_mut(topic) else {
            return;
        };
        if subject.newest.as_ref().is_some_and(|old| old.seq >= newest.seq) {
            return;
        }
        subject.watchers.retain(|watcher| watcher.put(topic, &newest));
        subject.newest = Some(newest);
    }

    /// Whoever opened the socket with a login that has ended since hears no more of a topic that is for that login alone.
    async fn dismiss_signed_out(&self, state: &State, topic: &Topic) {
        let watchers = self.subjects.get(topic).map(|subject| subject.watchers.clone()).unwrap_or_default();
        for watcher in watchers {
            let open = match &watcher.login {
                Some(login) => state.records.session_is_open(login, state.clock.now()).await,
                None => Ok(false),
            };
            // While the books cannot be read nobody is told anything new anyway.
            if !open.unwrap_or(true) {
                self.leave(topic, &watcher);
                watcher.forget(topic);
            }
        }
    }

    /// Topics that somebody watches, with the sequence number of what they heard last.
    fn watched(&self, wanted: impl Fn(&Topic) -> bool) -> Vec<(Topic, u64)> {
        let subjects = self.subjects.iter().filter(|subject| wanted(subject.key()) && !subject.watchers.is_empty());
        subjects
            .map(|subject| (subject.key().clone(), subject.newest.as_ref().map_or(0, |newest| newest.seq)))
            .collect()
    }

    fn clean(&self, now_ms: i64) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|outbox| {
            outbox.drop_if_stalled(now_ms);
            !outbox.is_closed()
        });
        self.subjects.retain(|_, subject| {
            subject.watchers.retain(|watcher| !watcher.is_closed());
            !subject.watchers.is_empty()
        });
    }

    fn say_goodbye(&self) {
        for outbox in self.sessions.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            outbox.close(Farewell::Draining);
        }
    }
}

/// Publishes what changed until the server closes; then tells every socket to come back elsewhere.
pub async fn run(state: web::Data<State>) {
    let orders = actix_web::rt::spawn(orders::run(state.clone()));
    let mut phase = state.phase.clone();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Who joins is told what is so; later only what is so no more.
    let mut seen = Seen { public: Some(public_now(&state)), ..Seen::default() };
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
        let (changed, reading) = (*state.draws.changed().borrow(), state.catalogue.facts().reading());
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
            let Ok(now) = ops_now(state).await else { continue };
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
        let Ok(place) = views.binary_search_by_key(&draw, |view| view.draw) else { continue };
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
            let data: Vec<DrawNow> =
                views.iter().map(|view| DrawNow::new(view, facts.winner_sold(view), now)).collect();
            Some(encode(state, topic, after, "draws", data))
        }
        Topic::Public => Some(encode(state, topic, after, "public", public_now(state))),
        Topic::Ops => Some(encode(state, topic, after, "ops", ops_now(state).await.ok()?)),
        Topic::Order(token) => orders::make(state, topic, token, after).await,
    }
}

fn public_now(state: &State) -> PublicNow {
    let maintenance_mode = state.catalogue.facts().maintenance_mode();
    PublicNow { maintenance_mode, build_version: state.config.build_version.clone() }
}

/// A draw's own frame; its sequence number is its revision. Whether the winning ticket was sold is read before it is told.
async fn draw_frame(state: &State, topic: &Topic, view: &View) -> Newest {
    let mut sold = state.catalogue.facts().winner_sold(view);
    if view.result.is_some() && sold.is_none() && state.catalogue.reload().await.is_ok() {
        sold = state.catalogue.facts().winner_sold(view);
    }
    let now = state.clock.now();
    let text = frame(&topic.to_string(), view.revision, now.0, "draw", DrawNow::new(view, sold, now));
    Newest { seq: view.revision, text: text.into() }
}

/// A frame whose sequence number is the time, so that it also grows over a restart.
fn encode(state: &State, topic: &Topic, after: u64, kind: &'static str, data: impl serde::Serialize) -> Newest {
    let now = state.clock.now().0;
    let seq = (after + 1).max(now.unsigned_abs());
    Newest { seq, text: frame(&topic.to_string(), seq, now, kind, data).into() }
}
