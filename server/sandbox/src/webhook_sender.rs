//! Delivers signed events to the webhook. Retries each event until the webhook answers with a 2xx
//! status.

pub mod client;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use self::client::WebhookClient;
use super::{Sandbox, to_json_text};
use crate::stripe::event::DeliveryStatus;
use crate::stripe::table::StripeObject;

/// Maximum number of concurrent deliveries.
const CONCURRENT_DELIVERIES_MAX: usize = 8;
const DELIVERY_RETRY_DELAY_FIRST: Duration = Duration::from_millis(250);
const DELIVERY_RETRY_DELAY_MAX: Duration = Duration::from_secs(15);
/// Interval at which the delivery thread checks whether its sandbox was dropped. If so, the thread
/// ends.
const SANDBOX_ALIVE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The webhook's URL and signing secrets. Two secrets are valid while one is being replaced. Each
/// secret adds a `v1` signature to an event.
#[derive(Clone, Debug)]
pub struct WebhookEndpoint {
    pub url: String,
    pub secrets: Vec<String>,
    /// The event types that the webhook receives. Empty means all.
    pub kinds: Vec<String>,
}

#[derive(Clone, Debug)]
struct PendingDelivery {
    event: String,
    attempt: u32,
    copies: u32,
}

/// Handle to the thread that delivers webhooks.
#[derive(Debug, Default)]
pub struct WebhookSender {
    endpoint: Mutex<Option<Arc<WebhookEndpoint>>>,
    wakeup: Arc<Notify>,
}

impl WebhookSender {
    /// Sets the webhook and wakes the delivery thread.
    pub fn set_endpoint(&self, endpoint: WebhookEndpoint) {
        *self
            .endpoint
            .lock()
            .expect("the endpoint is never poisoned") = Some(Arc::new(endpoint));
        self.wake();
    }

    /// Changes the webhook's settings, if a webhook is set.
    pub fn change_endpoint(&self, change: impl FnOnce(&mut WebhookEndpoint)) {
        if let Some(endpoint) = self
            .endpoint
            .lock()
            .expect("the endpoint is never poisoned")
            .as_mut()
        {
            change(Arc::make_mut(endpoint));
        }
    }

    pub fn endpoint(&self) -> Option<Arc<WebhookEndpoint>> {
        self.endpoint
            .lock()
            .expect("the endpoint is never poisoned")
            .clone()
    }

    /// Wakes the delivery thread, because there may be new events.
    pub fn wake(&self) {
        self.wakeup.notify_one();
    }

    /// Starts the delivery thread, which ends when the sandbox is dropped.
    pub fn start(sandbox: &Arc<Sandbox>) -> std::io::Result<()> {
        let (sandbox, wakeup) = (
            Arc::downgrade(sandbox),
            sandbox.webhook_sender.wakeup.clone(),
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("sandbox-courier".to_owned())
            .spawn(move || {
                runtime.block_on(DeliveryLoop::new(sandbox, wakeup).run_until_dropped());
            })?;
        Ok(())
    }
}

/// State of the delivery thread: scheduled deliveries and deliveries in progress.
struct DeliveryLoop {
    sandbox: Weak<Sandbox>,
    wakeup: Arc<Notify>,
    waiting: BTreeMap<(Instant, u64), PendingDelivery>,
    next_sequence: u64,
    in_flight: JoinSet<(PendingDelivery, bool)>,
    client: Arc<WebhookClient>,
}

impl DeliveryLoop {
    fn new(sandbox: Weak<Sandbox>, wakeup: Arc<Notify>) -> Self {
        let (waiting, in_flight) = (BTreeMap::new(), JoinSet::new());
        Self {
            sandbox,
            wakeup,
            waiting,
            next_sequence: 0,
            in_flight,
            client: Arc::new(WebhookClient::default()),
        }
    }

    async fn run_until_dropped(mut self) {
        while let Some(sandbox) = self.sandbox.upgrade() {
            if let Some(endpoint) = sandbox.webhook_sender.endpoint() {
                self.schedule_new_events(&sandbox, &endpoint);
                self.send_due_deliveries(&sandbox, &endpoint);
            }
            // The thread holds no reference to the sandbox while it sleeps. Otherwise the sandbox
            // could never be dropped.
            drop(sandbox);
            let next = self.waiting.first_key_value().map(|((due, _), _)| *due);
            let can_send = self.in_flight.len() < CONCURRENT_DELIVERIES_MAX;
            let pause = match next {
                Some(due) if can_send => due
                    .saturating_duration_since(Instant::now())
                    .min(SANDBOX_ALIVE_CHECK_INTERVAL),
                _ => SANDBOX_ALIVE_CHECK_INTERVAL,
            };
            tokio::select! {
                () = self.wakeup.notified() => {}
                Some(finished) = self.in_flight.join_next() => if let Ok((delivery, received)) = finished {
                    self.finish_delivery(delivery, received);
                },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Takes new events from the state, decides their faults and schedules their deliveries.
    fn schedule_new_events(&mut self, sandbox: &Sandbox, endpoint: &WebhookEndpoint) {
        let faults = sandbox
            .faults
            .lock()
            .expect("the faults are never poisoned")
            .clone();
        let mut state = sandbox.state.lock().expect("the state is never poisoned");
        for event in std::mem::take(&mut state.unsent) {
            let plan = faults.plan_webhook_delivery(&event);
            let kind = state
                .events
                .get(&event)
                .map_or("", |event| event.kind.as_str());
            let is_wanted = endpoint.kinds.is_empty()
                || endpoint.kinds.iter().any(|subscribed| subscribed == kind);
            if !is_wanted {
                state.record_delivery_status(&event, DeliveryStatus::Delivered);
            } else if plan.lost {
                state.record_delivery_status(&event, DeliveryStatus::Lost);
            } else {
                self.schedule_delivery(
                    PendingDelivery {
                        event,
                        attempt: 0,
                        copies: plan.copies,
                    },
                    plan.delay,
                );
            }
        }
        log_journal_error(state.commit());
    }

    fn schedule_delivery(&mut self, delivery: PendingDelivery, delay: Duration) {
        self.next_sequence += 1;
        self.waiting
            .insert((Instant::now() + delay, self.next_sequence), delivery);
    }

    fn send_due_deliveries(&mut self, sandbox: &Sandbox, endpoint: &Arc<WebhookEndpoint>) {
        while self.in_flight.len() < CONCURRENT_DELIVERIES_MAX {
            match self.waiting.first_entry() {
                Some(first) if first.key().0 <= Instant::now() => {
                    let delivery = first.remove();
                    let state = sandbox.state.lock().expect("the state is never poisoned");
                    let Some(event) = state.events.get(&delivery.event) else {
                        continue;
                    };
                    let body = to_json_text(&event.render());
                    let (endpoint, client) = (endpoint.clone(), self.client.clone());
                    let at = sandbox.clock.unix_seconds();
                    self.in_flight.spawn(async move {
                        let signature = signature_header(&endpoint.secrets, at, &body);
                        let status = client.post_event(&endpoint.url, &signature, body).await;
                        (delivery, matches!(status, Ok(200..=299)))
                    });
                }
                _ => return,
            }
        }
    }

    fn finish_delivery(&mut self, mut delivery: PendingDelivery, received: bool) {
        let Some(sandbox) = self.sandbox.upgrade() else {
            return;
        };
        if !received {
            let backoff = DELIVERY_RETRY_DELAY_FIRST
                .saturating_mul(1 << delivery.attempt.min(16))
                .min(DELIVERY_RETRY_DELAY_MAX);
            delivery.attempt += 1;
            return self.schedule_delivery(delivery, backoff);
        }
        delivery.copies -= 1;
        if delivery.copies > 0 {
            return self.schedule_delivery(delivery, Duration::ZERO);
        }
        let mut state = sandbox.state.lock().expect("the state is never poisoned");
        state.record_delivery_status(&delivery.event, DeliveryStatus::Delivered);
        log_journal_error(state.commit());
    }
}

fn log_journal_error(written: std::io::Result<()>) {
    if let Err(error) = written {
        tracing::error!(%error, "the sandbox journal cannot be written");
    }
}

/// Returns the `Stripe-Signature` header `t=…,v1=…`, with one `v1` for each secret. `at` is in
/// seconds since 1970.
pub fn signature_header(secrets: &[String], at: i64, body: &str) -> String {
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
