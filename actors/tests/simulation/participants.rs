//! All simulated participants except buyers: process faults, the club, the operator, and people who
//! act at the provider directly.

use std::sync::Arc;
use std::time::Duration;

use domain::DrawId;
use tokio::time::sleep;

use super::random_stream::RandomStream;
use super::world::World;

mod back_office;
mod external_actions;
mod process_faults;

const PATIENCE: Duration = Duration::from_secs(30);

/// A participant that does one thing at a random time.
pub struct Participant {
    pub world: Arc<World>,
    pub random: RandomStream,
}

impl Participant {
    /// Starts all participants of the world's plan.
    pub fn spawn_all(world: &Arc<World>, random: &RandomStream) {
        macro_rules! send {
            ($($fate:ident: $action:ident),* $(,)?) => {$(
                for _ in 0..world.plan.rare_events.$fate {
                    world.spawn_task(Participant { world: world.clone(), random: random.fork() }.$action());
                }
            )*};
        }
        send! {
            crashes: crash,
            hangs: hang,
            partitions: cut_off,
            deploys: deploy,
            claims_stolen: steal,
            clocks_set: set_clock,
            kick_offs_moved: move_kick_off,
            kick_offs_now: close_now,
            prices_edited: edit_price,
            results: enter_result,
            games_cancelled: cancel_game,
            refunds: refund,
            repairs: repair,
            external_changes: change_externally,
            disputes: dispute,
            forgeries: forge,
        }
        actix::spawn(
            Participant {
                world: world.clone(),
                random: random.fork(),
            }
            .wake_paused_draws(),
        );
    }

    /// Waits for a random time in the fault phase. Returns `false` when that phase is over.
    async fn wait_random_time(&self) -> bool {
        let at = self.random.below(self.world.plan.safety_ms);
        sleep(Duration::from_millis(at)).await;
        !self.world.weather.faults_ended()
    }

    fn draw(&self) -> DrawId {
        self.random.one_of(&self.world.plan.draws).id
    }

    async fn pause(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(
            self.random.between(least_ms, most_ms),
        ))
        .await;
    }
}
