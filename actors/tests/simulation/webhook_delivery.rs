//! Delivers the provider's webhooks to the simulated server. Some are lost, doubled or late, so
//! they arrive in any order.

use std::sync::Arc;
use std::time::Duration;

use persistence::stores::StoredWebhookEvent;
use tokio::time::sleep;

use super::plan::{MINUTE, NOON, Pace, SECOND};
use super::world::World;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Number of failed attempts after which the provider stops sending a webhook.
const ATTEMPTS_MAX: u64 = 8;

impl World {
    /// Signals that webhooks are waiting. It starts no delivery itself, because the caller may be
    /// on a thread that cannot spawn tasks.
    pub fn signal_webhooks(&self) {
        self.webhooks_waiting.notify_one();
    }

    /// Starts delivery of new webhooks after each signal.
    pub async fn deliver_webhooks(self: Arc<World>) {
        loop {
            self.webhooks_waiting.notified().await;
            self.deliver_newest();
        }
    }

    /// Returns a delay of up to 15 minutes in milliseconds, so that later webhooks can overtake
    /// this one.
    fn delay_ms(&self) -> u64 {
        let late_ms = self.courier.below(15 * MINUTE);
        if self.plan.pace == Pace::EveryPoll {
            return late_ms;
        }
        let calm_in_ms = self
            .plan
            .safety_ms
            .saturating_sub(self.clock.true_now().ms_since(NOON) as u64);
        late_ms.min(calm_in_ms + self.courier.below(MINUTE))
    }

    fn deliver_newest(self: &Arc<World>) {
        for notice in self.provider.take_webhook_events() {
            let random = &self.courier;
            if random.happens(self.weather.rate(|r| r.notice_lost)) {
                self.watch.met("a notice lost");
                self.trace.note("loses", &[], || {
                    format!("{} {}", notice.event_id, notice.kind)
                });
                continue;
            }
            let copies = if random.happens(self.weather.rate(|r| r.notice_doubled)) {
                random.between(2, 4)
            } else {
                1
            };
            for _ in 0..copies {
                let late = random.happens(self.weather.rate(|r| r.notice_late));
                let after_ms = if late {
                    self.delay_ms()
                } else {
                    random.between(20, 2 * SECOND)
                };
                self.spawn_task(deliver(self.clone(), notice.clone(), after_ms));
            }
        }
    }
}

async fn deliver(world: Arc<World>, notice: StoredWebhookEvent, after_ms: u64) {
    sleep(Duration::from_millis(after_ms)).await;
    for attempt in 0..ATTEMPTS_MAX {
        let notice_ref = &notice;
        let lost = world.weather.rate(|r| r.call_lost);
        let send = |handles: super::processes::EngineHandles| async move {
            handles
                .payments
                .store_webhook_event(notice_ref.clone())
                .await
        };
        if let Some(Ok(new)) = world
            .house
            .call(&world.courier, lost, RESPONSE_TIMEOUT, send)
            .await
        {
            world.watch.met(if new {
                "a notice stored"
            } else {
                "a notice doubled"
            });
            world.trace.note("notice", &[u64::from(new)], || {
                format!(
                    "{} {} of {:?}, new: {new}",
                    notice.event_id, notice.kind, notice.payment_intent
                )
            });
            return;
        }
        sleep(Duration::from_millis(SECOND << attempt)).await;
    }
}
