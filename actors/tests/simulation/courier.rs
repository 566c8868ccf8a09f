//! Carries the provider's notices to the door: some are lost, doubled, late; so they come in any order.

use std::sync::Arc;
use std::time::Duration;

use persistence::books::Notice;
use tokio::time::sleep;

use super::plan::{MINUTE, NOON, Pace, SECOND};
use super::world::World;

const PATIENCE: Duration = Duration::from_secs(10);
/// The provider gives up after so many tries without an answer.
const TRIES: u64 = 8;

impl World {
    /// There are notices to carry. Only rings: whoever asked the provider may be on no thread that could send anybody.
    pub fn deliver_notices(&self) {
        self.bell.notify_one();
    }

    /// Sets the newest notices on their way, whenever the bell rings.
    pub async fn carry_notices(self: Arc<World>) {
        loop {
            self.bell.notified().await;
            self.carry_newest();
        }
    }

    /// Up to a quarter of an hour, so that later ones come first.
    fn lateness_ms(&self) -> u64 {
        let late_ms = self.courier.below(15 * MINUTE);
        if self.plan.pace == Pace::Whole {
            return late_ms;
        }
        let calm_in_ms = self
            .plan
            .safety_ms
            .saturating_sub(self.clock.true_now().ms_since(NOON) as u64);
        late_ms.min(calm_in_ms + self.courier.below(MINUTE))
    }

    fn carry_newest(self: &Arc<World>) {
        for notice in self.provider.take_notices() {
            let chance = &self.courier;
            if chance.happens(self.weather.rate(|r| r.notice_lost)) {
                self.watch.met("a notice lost");
                self.trace.note("loses", &[], || {
                    format!("{} {}", notice.event_id, notice.kind)
                });
                continue;
            }
            let copies = if chance.happens(self.weather.rate(|r| r.notice_doubled)) {
                chance.between(2, 4)
            } else {
                1
            };
            for _ in 0..copies {
                let late = chance.happens(self.weather.rate(|r| r.notice_late));
                let after_ms = if late {
                    self.lateness_ms()
                } else {
                    chance.between(20, 2 * SECOND)
                };
                self.sends(carry(self.clone(), notice.clone(), after_ms));
            }
        }
    }
}

async fn carry(world: Arc<World>, notice: Notice, after_ms: u64) {
    sleep(Duration::from_millis(after_ms)).await;
    for attempt in 0..TRIES {
        let given = &notice;
        let lost = world.weather.rate(|r| r.call_lost);
        let hand = |house: super::house::Handles| async move {
            house.payments.notice(given.clone()).await
        };
        if let Some(Ok(new)) = world.house.call(&world.courier, lost, PATIENCE, hand).await {
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
