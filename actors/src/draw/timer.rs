//! One timer for all of a draw's deadlines: it is armed for the next one and only ever says "look at the clock".

use std::time::Duration;

use actix::{AsyncContext, Context, SpawnHandle};
use domain::Timestamp;

use super::DrawActor;

/// Never sleeps longer than this without looking at the clock again: clocks are set, machines are suspended.
const SLEEP_MS_MAX: i64 = 60_000;

#[derive(Default)]
pub(super) struct Timer {
    armed: Option<(Timestamp, SpawnHandle)>,
}

impl Timer {
    pub(super) fn is_idle(&self) -> bool {
        self.armed.is_none()
    }

    /// What it said is decided. Until then it counts as armed, so that it does not say the same again.
    pub(super) fn went_off(&mut self) {
        self.armed = None;
    }

    /// Arms for the next deadline, but not before `earliest`. A timer that is armed for an earlier time stays: it will find
    /// nothing due and arm itself anew, which is cheaper than cancelling it at every sale.
    pub(super) fn arm(
        &mut self,
        now: Timestamp,
        deadline: Option<Timestamp>,
        earliest: Timestamp,
        ctx: &mut Context<DrawActor>,
    ) {
        let Some(deadline) = deadline else { return };
        let wake_at = deadline.max(earliest).min(now.plus_ms(SLEEP_MS_MAX));
        match self.armed {
            Some((armed_for, _)) if armed_for <= wake_at => return,
            Some((_, later)) => {
                ctx.cancel_future(later);
            }
            None => {}
        }
        let pause = Duration::from_millis(wake_at.ms_since(now).max(0) as u64);
        let handle = ctx.run_later(pause, |actor, ctx| actor.tick(ctx));
        self.armed = Some((wake_at, handle));
    }
}
