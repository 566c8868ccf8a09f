//! Paused draws. Each has an open anomaly. When an operator closes the anomaly, on any node, the
//! node that paused the draw resumes it.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Anomaly, AnomalyKind, DrawId, DrawPause, PauseCause};

use super::DrawSupervisor;
use crate::Denied;

/// Largest number of open anomalies that are read. If there are more, no draw is resumed, because
/// the draw's anomaly may be among those that were not read.
const OPEN_ANOMALIES_READ_MAX: u32 = 10_000;

/// A paused draw.
pub(super) struct PausedDraw {
    /// Cause and draw, by which the stored anomaly of the pause is found.
    pause: DrawPause,
    /// Whether the anomaly is stored. If not, its absence does not mean that an operator closed it.
    is_stored: bool,
}

impl DrawSupervisor {
    /// Stops the sale of a draw until an operator resumes it.
    pub(super) fn pause(&mut self, draw: DrawId, cause: PauseCause, ctx: &mut Context<Self>) {
        tracing::error!(draw.id = %draw, why = %cause, "the draw is paused");
        self.registry_writer.pause(draw);
        self.recovery.answer_waiters(draw, Err(Denied::Paused));
        self.pauses.insert(
            draw,
            PausedDraw {
                pause: DrawPause { draw, cause },
                is_stored: false,
            },
        );
        self.store_pause(draw, ctx);
    }

    fn store_pause(&self, draw: DrawId, ctx: &mut Context<Self>) {
        let Some(paused) = self.pauses.get(&draw) else {
            return;
        };
        let (store, at, note) = (self.store.clone(), self.clock.now(), paused.pause.to_note());
        let anomaly = Anomaly {
            kind: AnomalyKind::FailedAllocation,
            payment_intent: None,
            order: None,
            note,
        };
        let raise = async move { store.raise_anomaly(&anomaly, None, at).await };
        ctx.spawn(
            raise
                .into_actor(self)
                .map(move |raised, supervisor, _| match raised {
                    Ok(_) => {
                        if let Some(paused) = supervisor.pauses.get_mut(&draw) {
                            paused.is_stored = true;
                        }
                    }
                    Err(failure) => {
                        tracing::error!(draw.id = %draw, %failure, "anomaly of a paused draw not stored: database error");
                    }
                }),
        );
    }

    /// Resumes paused draws whose anomaly was closed, and stores the anomalies that are not stored
    /// yet.
    pub(super) fn sync_pauses_with_anomalies(&mut self, ctx: &mut Context<Self>) {
        let (stored, unstored): (Vec<&PausedDraw>, Vec<&PausedDraw>) =
            self.pauses.values().partition(|paused| paused.is_stored);
        let stored: Vec<DrawPause> = stored.iter().map(|paused| paused.pause).collect();
        for paused in unstored {
            self.store_pause(paused.pause.draw, ctx);
        }
        if stored.is_empty() {
            return;
        }
        let store = self.store.clone();
        let read = async move { store.anomalies(true, OPEN_ANOMALIES_READ_MAX).await };
        ctx.spawn(
            read.into_actor(self)
                .map(move |open, supervisor, ctx| match open {
                    Ok(open) if open.len() < OPEN_ANOMALIES_READ_MAX as usize => {
                        let is_closed = |pause: &DrawPause| {
                            open.iter().all(|record| record.pause != Some(*pause))
                        };
                        for pause in stored.into_iter().filter(is_closed) {
                            tracing::info!(draw.id = %pause.draw, "paused draw resumed: its anomaly was closed");
                            supervisor.resume(pause.draw);
                            supervisor.claims.push(pause.draw);
                        }
                        supervisor.claim_queued_draws(ctx);
                    }
                    Ok(_) => tracing::warn!("paused draws not checked: too many open anomalies"),
                    Err(failure) => {
                        tracing::warn!(%failure, "paused draws not checked: database error");
                    }
                }),
        );
    }

    /// Resumes a paused draw and resets its count of restarts.
    pub(super) fn resume(&mut self, draw: DrawId) {
        self.pauses.remove(&draw);
        self.registry_writer.resume(draw);
        self.recovery.forget_draw(draw);
    }
}
