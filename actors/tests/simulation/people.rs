//! Everybody else: fate and its crashes, the club and the operator, and strangers at the provider.

use std::sync::Arc;
use std::time::Duration;

use domain::DrawId;
use tokio::time::sleep;

use super::chance::Chance;
use super::world::World;

mod fate;
mod office;
mod stranger;

const PATIENCE: Duration = Duration::from_secs(30);

/// One of them, at random times.
pub struct Person {
    pub world: Arc<World>,
    pub chance: Chance,
}

impl Person {
    /// Sets everybody on their way.
    pub fn send_all(world: &Arc<World>, chance: &Chance) {
        macro_rules! send {
            ($($fate:ident: $deed:ident),* $(,)?) => {$(
                for _ in 0..world.plan.fates.$fate {
                    world.sends(Person { world: world.clone(), chance: chance.fork() }.$deed());
                }
            )*};
        }
        send! {
            crashes: crash,
            hangs: hang,
            partitions: cut_off,
            deploys: deploy,
            thefts: steal,
            clocks_set: set_clock,
            kick_offs_moved: move_kick_off,
            closed_now: close_now,
            prices_edited: edit_price,
            results: enter_result,
            games_off: call_game_off,
            refunds: refund,
            repairs: repair,
            meddling: meddle,
            disputes: dispute,
            forgeries: forge,
        }
        actix::spawn(
            Person {
                world: world.clone(),
                chance: chance.fork(),
            }
            .keep_awake(),
        );
    }

    /// Some time in the safety phase; `false`: it is over.
    async fn some_time(&self) -> bool {
        let at = self.chance.below(self.world.plan.safety_ms);
        sleep(Duration::from_millis(at)).await;
        !self.world.weather.is_calm()
    }

    fn draw(&self) -> DrawId {
        self.chance.one_of(&self.world.plan.draws).id
    }

    async fn pause(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(
            self.chance.between(least_ms, most_ms),
        ))
        .await;
    }
}
