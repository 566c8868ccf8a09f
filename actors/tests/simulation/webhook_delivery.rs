//! Delivers the provider's webhooks to the simulated server. Some are lost, doubled or late, so
//! they arrive in any order.

use std::sync::Arc;
use std::time::Duration;

use persistence::stores::StoredWebhookEvent;
use tokio::time::sleep;

use super::plan::{IdlePollMode, MINUTE_MS, NOON, SECOND_MS};
use super::world::World;

const WEBHOOK_RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Number of failed attempts after which the provider stops sending a webhook.
const WEBHOOK_ATTEMPTS_MAX: u64 = 8;

impl World {
    /// Signals that webhooks are waiting. It starts no delivery itself, because the caller may be
    /// on a thread that cannot spawn tasks.
    pub fn signal_waiting_webhooks(&self) {
        self.webhooks_waiting.notify_one();
    }

    /// Starts delivery of new webhooks after each signal.
    pub async fn deliver_webhooks(self: Arc<World>) {
        loop {
            self.webhooks_waiting.notified().await;
            self.spawn_deliveries();
        }
    }

    /// Returns a delay of up to 15 minutes in milliseconds, so that later webhooks can overtake
    /// this one.
    fn random_webhook_delay_ms(&self) -> u64 {
        let late_ms = self.network_random.below(15 * MINUTE_MS);
        if self.plan.poll_mode == IdlePollMode::EveryPoll {
            return late_ms;
        }
        let calm_in_ms = self
            .plan
            .fault_phase_ms
            .saturating_sub(self.clock.true_now().ms_since(NOON) as u64);
        late_ms.min(calm_in_ms + self.network_random.below(MINUTE_MS))
    }

    fn spawn_deliveries(self: &Arc<World>) {
        for notice in self.provider.take_webhook_events() {
            let random = &self.network_random;
            if random.happens(self.fault_injector.current_fault_rate(|r| r.webhook_lost)) {
                self.monitor.record_situation("a notice lost");
                self.trace.record_event("loses", &[], || {
                    format!("{} {}", notice.event_id, notice.kind)
                });
                continue;
            }
            let copies = if random.happens(
                self.fault_injector
                    .current_fault_rate(|r| r.webhook_doubled),
            ) {
                random.between(2, 4)
            } else {
                1
            };
            for _ in 0..copies {
                let late =
                    random.happens(self.fault_injector.current_fault_rate(|r| r.webhook_late));
                let after_ms = if late {
                    self.random_webhook_delay_ms()
                } else {
                    random.between(20, 2 * SECOND_MS)
                };
                self.spawn_task(deliver_webhook(self.clone(), notice.clone(), after_ms));
            }
        }
    }
}

async fn deliver_webhook(world: Arc<World>, notice: StoredWebhookEvent, after_ms: u64) {
    sleep(Duration::from_millis(after_ms)).await;
    for attempt in 0..WEBHOOK_ATTEMPTS_MAX {
        let notice_ref = &notice;
        let lost = world.fault_injector.current_fault_rate(|r| r.call_lost);
        let send = |handles: super::processes::EngineHandles| async move {
            handles
                .payments
                .store_webhook_event(notice_ref.clone())
                .await
        };
        if let Some(Ok(new)) = world
            .processes
            .call_random_process(&world.network_random, lost, WEBHOOK_RESPONSE_TIMEOUT, send)
            .await
        {
            world.monitor.record_situation(if new {
                "a notice stored"
            } else {
                "a notice doubled"
            });
            world.trace.record_event("notice", &[u64::from(new)], || {
                format!(
                    "{} {} of {:?}, new: {new}",
                    notice.event_id, notice.kind, notice.payment_intent
                )
            });
            return;
        }
        sleep(Duration::from_millis(SECOND_MS << attempt)).await;
    }
}
