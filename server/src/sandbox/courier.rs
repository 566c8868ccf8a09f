//! The courier: carries events to the webhook address, signed, until somebody there says 2xx.

pub mod post;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use self::post::Post;
use super::event::Delivery;
use super::table::Row;
use super::{Sandbox, id, text_of};

/// Deliveries on the way at the same time.
const IN_FLIGHT_MAX: usize = 8;
const BACKOFF_FIRST: Duration = Duration::from_millis(250);
const BACKOFF_MAX: Duration = Duration::from_secs(15);
/// How often the courier looks whether its sandbox still lives.
const PATROL: Duration = Duration::from_secs(1);

/// Where events go, and what signs them: every secret gives its own `v1`, as while a secret is being replaced.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub url: String,
    pub secrets: Vec<String>,
    /// The kinds of event it wants; empty means all.
    pub kinds: Vec<String>,
}

#[derive(Clone, Debug)]
struct Parcel {
    event: String,
    attempt: u32,
    copies: u32,
}

/// The sandbox's hold on its courier, which works on a thread of its own.
#[derive(Debug, Default)]
pub struct Courier {
    endpoint: Mutex<Option<Arc<Endpoint>>>,
    bell: Arc<Notify>,
}

impl Courier {
    pub fn set_endpoint(&self, endpoint: Endpoint) {
        *self
            .endpoint
            .lock()
            .expect("the endpoint is never poisoned") = Some(Arc::new(endpoint));
        self.wake();
    }

    pub fn change_endpoint(&self, change: impl FnOnce(&mut Endpoint)) {
        if let Some(endpoint) = self
            .endpoint
            .lock()
            .expect("the endpoint is never poisoned")
            .as_mut()
        {
            change(Arc::make_mut(endpoint));
        }
    }

    pub fn endpoint(&self) -> Option<Arc<Endpoint>> {
        self.endpoint
            .lock()
            .expect("the endpoint is never poisoned")
            .clone()
    }

    /// There may be new events.
    pub fn wake(&self) {
        self.bell.notify_one();
    }

    /// Starts the thread. It ends when the sandbox is gone.
    pub fn start(sandbox: &Arc<Sandbox>) -> std::io::Result<()> {
        let (sandbox, bell) = (Arc::downgrade(sandbox), sandbox.courier.bell.clone());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("sandbox-courier".to_owned())
            .spawn(move || runtime.block_on(Round::new(sandbox, bell).walk()))?;
        Ok(())
    }
}

/// The courier's round: what waits until when, and what is on its way.
struct Round {
    sandbox: Weak<Sandbox>,
    bell: Arc<Notify>,
    waiting: BTreeMap<(Instant, u64), Parcel>,
    taken: u64,
    flying: JoinSet<(Parcel, bool)>,
    post: Arc<Post>,
}

impl Round {
    fn new(sandbox: Weak<Sandbox>, bell: Arc<Notify>) -> Self {
        let (waiting, flying) = (BTreeMap::new(), JoinSet::new());
        Self {
            sandbox,
            bell,
            waiting,
            taken: 0,
            flying,
            post: Arc::new(Post::default()),
        }
    }

    async fn walk(mut self) {
        while let Some(sandbox) = self.sandbox.upgrade() {
            if let Some(endpoint) = sandbox.courier.endpoint() {
                self.collect(&sandbox, &endpoint);
                self.send_due(&sandbox, &endpoint);
            }
            // While we sleep nobody must find the sandbox kept alive by its courier.
            drop(sandbox);
            let next = self.waiting.first_key_value().map(|((due, _), _)| *due);
            let can_send = self.flying.len() < IN_FLIGHT_MAX;
            let pause = match next {
                Some(due) if can_send => due.saturating_duration_since(Instant::now()).min(PATROL),
                _ => PATROL,
            };
            tokio::select! {
                () = self.bell.notified() => {}
                Some(landed) = self.flying.join_next() => if let Ok((parcel, received)) = landed {
                    self.land(parcel, received);
                },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Takes new events over from the state and decides their fate.
    fn collect(&mut self, sandbox: &Sandbox, endpoint: &Endpoint) {
        let faults = sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned")
            .clone();
        let mut state = sandbox.state.lock().expect("the state is never poisoned");
        for event in std::mem::take(&mut state.unsent) {
            let fate = faults.fate(&event);
            let kind = state
                .events
                .get(&event)
                .map_or("", |event| event.kind.as_str());
            let is_wanted =
                endpoint.kinds.is_empty() || endpoint.kinds.iter().any(|wanted| wanted == kind);
            if !is_wanted {
                state.settle_event(&event, Delivery::Delivered);
            } else if fate.lost {
                state.settle_event(&event, Delivery::Lost);
            } else {
                self.wait(
                    Parcel {
                        event,
                        attempt: 0,
                        copies: fate.copies,
                    },
                    fate.delay,
                );
            }
        }
        report(state.commit());
    }

    fn wait(&mut self, parcel: Parcel, delay: Duration) {
        self.taken += 1;
        self.waiting
            .insert((Instant::now() + delay, self.taken), parcel);
    }

    fn send_due(&mut self, sandbox: &Sandbox, endpoint: &Arc<Endpoint>) {
        while self.flying.len() < IN_FLIGHT_MAX {
            match self.waiting.first_entry() {
                Some(first) if first.key().0 <= Instant::now() => {
                    let parcel = first.remove();
                    let state = sandbox.state.lock().expect("the state is never poisoned");
                    let Some(event) = state.events.get(&parcel.event) else {
                        continue;
                    };
                    let body = text_of(&event.render());
                    let (endpoint, post) = (endpoint.clone(), self.post.clone());
                    self.flying.spawn(async move {
                        let signature = sign(&endpoint.secrets, id::now(), &body);
                        let status = post.send(&endpoint.url, &signature, body).await;
                        (parcel, matches!(status, Ok(200..=299)))
                    });
                }
                _ => return,
            }
        }
    }

    fn land(&mut self, mut parcel: Parcel, received: bool) {
        let Some(sandbox) = self.sandbox.upgrade() else {
            return;
        };
        if !received {
            let backoff = BACKOFF_FIRST
                .saturating_mul(1 << parcel.attempt.min(16))
                .min(BACKOFF_MAX);
            parcel.attempt += 1;
            return self.wait(parcel, backoff);
        }
        parcel.copies -= 1;
        if parcel.copies > 0 {
            return self.wait(parcel, Duration::ZERO);
        }
        let mut state = sandbox.state.lock().expect("the state is never poisoned");
        state.settle_event(&parcel.event, Delivery::Delivered);
        report(state.commit());
    }
}

fn report(written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::error!(%error, "the sandbox journal cannot be written");
    }
}

/// The `Stripe-Signature` header: `t=…,v1=…`, one `v1` for each secret.
pub fn sign(secrets: &[String], at: i64, body: &str) -> String {
    let mut header = format!("t={at}");
    for secret in secrets {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length of key will do");
        mac.update(format!("{at}.").as_bytes());
        mac.update(body.as_bytes());
        header.push_str(",v1=");
        header.extend(
            mac.finalize()
                .into_bytes()
                .iter()
                .map(|byte| format!("{byte:02x}")),
        );
    }
    header
}
