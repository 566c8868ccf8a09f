//! Paused draws. Each has an open anomaly. Closing it, on any node's console, resumes the draw on
//! the node that paused it.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Anomaly, AnomalyKind, DrawId};

use super::DrawSupervisor;
use crate::Denied;

/// Open anomalies that are read. When there are more, no draw is resumed: its anomaly may be among
/// those that were not read.
const OPEN_ANOMALIES_MAX: u32 = 10_000;

/// A paused draw and its anomaly.
pub(super) struct DrawPause {
    /// The note of the anomaly. It identifies the anomaly.
    note: String,
    /// The anomaly is stored. Before that, its absence means nothing.
    is_stored: bool,
}

impl DrawSupervisor {
    /// Stops the sale of a draw until an operator resumes it.
    pub(super) fn pause(&mut self, draw: DrawId, why: &str, ctx: &mut Context<Self>) {
        tracing::error!(draw.id = %draw, why, "the draw is paused");
        self.roster.pause(draw);
        self.answer_waiters(draw, Err(Denied::Paused));
        self.pauses.insert(
            draw,
            DrawPause {
                note: format!("draw {draw} is paused: {why}"),
                is_stored: false,
            },
        );
        self.store_pause(draw, ctx);
    }

    fn store_pause(&self, draw: DrawId, ctx: &mut Context<Self>) {
        let Some(pause) = self.pauses.get(&draw) else {
            return;
        };
        let (store, at, note) = (self.store.clone(), self.clock.now(), pause.note.clone());
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
                        if let Some(pause) = supervisor.pauses.get_mut(&draw) {
                            pause.is_stored = true;
                        }
                    }
                    Err(failure) => {
                        tracing::error!(draw.id = %draw, %failure, "anomaly of a paused draw not stored: database error");
                    }
                }),
        );
    }

    /// Resumes paused draws whose anomaly is closed, and stores anomalies that are not stored yet.
    pub(super) fn check_pauses(&mut self, ctx: &mut Context<Self>) {
        let (stored, unstored): (Vec<_>, Vec<_>) =
            self.pauses.iter().partition(|(_, pause)| pause.is_stored);
        let stored: Vec<(DrawId, String)> = stored
            .iter()
            .map(|(draw, pause)| (**draw, pause.note.clone()))
            .collect();
        for draw in unstored
            .into_iter()
            .map(|(draw, _)| *draw)
            .collect::<Vec<_>>()
        {
            self.store_pause(draw, ctx);
        }
        if stored.is_empty() {
            return;
        }
        let store = self.store.clone();
        let read = async move { store.anomalies(true, OPEN_ANOMALIES_MAX).await };
        ctx.spawn(
            read.into_actor(self)
                .map(move |open, supervisor, ctx| match open {
                    Ok(open) if open.len() < OPEN_ANOMALIES_MAX as usize => {
                        let is_closed =
                            |note: &String| open.iter().all(|record| record.anomaly.note != *note);
                        for (draw, _) in stored.into_iter().filter(|(_, note)| is_closed(note)) {
                            tracing::info!(draw.id = %draw, "paused draw resumed: its anomaly was closed");
                            supervisor.resume(draw);
                            supervisor.enqueue_claim(draw);
                        }
                        supervisor.claim_queued(ctx);
                    }
                    Ok(_) => tracing::warn!("paused draws not checked: too many open anomalies"),
                    Err(failure) => {
                        tracing::warn!(%failure, "paused draws not checked: database error");
                    }
                }),
        );
    }

    /// Resumes a draw, without its earlier failures.
    pub(super) fn resume(&mut self, draw: DrawId) {
        self.pauses.remove(&draw);
        self.roster.resume(draw);
        self.recovery.remove(&draw);
    }
}
