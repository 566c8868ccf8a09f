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

const PARTICIPANT_TIMEOUT: Duration = Duration::from_secs(30);

/// A participant that does one thing at a random time.
pub struct Participant {
    pub world: Arc<World>,
    pub random: RandomStream,
}

impl Participant {
    /// Starts all participants of the world's plan.
    pub fn spawn_all(world: &Arc<World>, random: &RandomStream) {
        macro_rules! spawn_participants {
            ($($event:ident: $action:ident),* $(,)?) => {$(
                for _ in 0..world.plan.rare_events.$event {
                    world.spawn_task(Participant { world: world.clone(), random: random.fork() }.$action());
                }
            )*};
        }
        spawn_participants! {
            crashes: crash_process,
            hangs: hang_process,
            partitions: cut_off_process,
            deploys: deploy_replacement,
            claims_stolen: steal_claim,
            clocks_set: change_process_clock,
            kick_offs_moved: move_kick_off,
            kick_offs_now: move_kick_off_to_now,
            prices_edited: edit_price,
            results: enter_result,
            games_cancelled: cancel_game,
            refunds: refund_random_order,
            repairs: handle_anomaly,
            external_changes: change_payment_in_dashboard,
            disputes: dispute_payment,
            forgeries: forge_payment,
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
        let at = self.random.below(self.world.plan.fault_phase_ms);
        sleep(Duration::from_millis(at)).await;
        !self.world.fault_injector.have_faults_ended()
    }

    fn random_draw_id(&self) -> DrawId {
        self.random.one_of(&self.world.plan.draws).id
    }

    async fn wait_random_ms(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(
            self.random.between(least_ms, most_ms),
        ))
        .await;
    }
}
