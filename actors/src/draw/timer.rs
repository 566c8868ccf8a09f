//! The single timer for all deadlines of a draw. When it fires, the actor reads the clock and
//! executes what is due.

use std::time::Duration;

use actix::{AsyncContext, Context, SpawnHandle};
use domain::Timestamp;

use super::DrawActor;

/// Longest sleep in milliseconds before the clock is read again, because a clock may be changed and
/// a machine may be suspended.
const TIMER_SLEEP_MS_MAX: i64 = 60_000;

#[derive(Default)]
pub(super) struct Timer {
    armed: Option<(Timestamp, SpawnHandle)>,
}

impl Timer {
    pub(super) fn is_idle(&self) -> bool {
        self.armed.is_none()
    }

    /// Marks the timer's queued tick as decided. Until then the timer counts as armed, so that it
    /// does not queue a second tick.
    pub(super) fn mark_fired(&mut self) {
        self.armed = None;
    }

    /// Cancels the timer. Needed after the clock was changed, because the remaining sleep is then
    /// wrong.
    pub(super) fn disarm(&mut self, ctx: &mut Context<DrawActor>) {
        if let Some((_, handle)) = self.armed.take() {
            ctx.cancel_future(handle);
        }
    }

    /// Arms the timer for a deadline, but not before `earliest`. If the timer is armed for an
    /// earlier time, it is left unchanged: when it fires, nothing is due and it is armed again.
    /// That costs less than cancelling it for every sale.
    pub(super) fn arm(
        &mut self,
        now: Timestamp,
        deadline: Option<Timestamp>,
        earliest: Timestamp,
        ctx: &mut Context<DrawActor>,
    ) {
        let Some(deadline) = deadline else { return };
        let wake_at = deadline.max(earliest).min(now.plus_ms(TIMER_SLEEP_MS_MAX));
        match self.armed {
            Some((armed_for, _)) if armed_for <= wake_at => return,
            Some((_, later)) => {
                ctx.cancel_future(later);
            }
            None => {}
        }
        let delay = Duration::from_millis(wake_at.ms_since(now).max(0) as u64);
        let handle = ctx.run_later(delay, super::DrawActor::queue_timer_tick);
        self.armed = Some((wake_at, handle));
    }
}
