//! Draws that wait for a person. Each stands among the anomalies; whoever closes that entry, at whichever node's console, wakes
//! the draw at the node that has it.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use domain::{Anomaly, AnomalyKind, DrawId};

use super::DrawSupervisor;
use crate::Denied;

/// Open anomalies looked through; when there are more, a draw that is not found among them may be paused still.
const OPEN_MAX: u32 = 10_000;

/// Why a draw waits, in the anomaly's words.
pub(super) struct Pause {
    note: String,
    /// The anomaly is written: from now on its end means something.
    noted: bool,
}

impl DrawSupervisor {
    /// Stops selling a draw until an operator wakes it: better nothing than something wrong.
    pub(super) fn pause(&mut self, draw: DrawId, why: &str, ctx: &mut Context<Self>) {
        tracing::error!(draw.id = %draw, why, "the draw is paused");
        self.roster.pause(draw);
        self.answer(draw, Err(Denied::Paused));
        self.pauses.insert(
            draw,
            Pause {
                note: format!("draw {draw} is paused: {why}"),
                noted: false,
            },
        );
        self.note_pause(draw, ctx);
    }

    fn note_pause(&self, draw: DrawId, ctx: &mut Context<Self>) {
        let Some(pause) = self.pauses.get(&draw) else {
            return;
        };
        let (books, at, note) = (self.books.clone(), self.clock.now(), pause.note.clone());
        let anomaly = Anomaly {
            kind: AnomalyKind::FailedAllocation,
            payment_intent: None,
            order: None,
            note,
        };
        let raise = async move { books.raise(&anomaly, None, at).await };
        ctx.spawn(raise.into_actor(self).map(move |raised, supervisor, _| {
            match raised {
                Ok(_) => {
                    _ = supervisor
                        .pauses
                        .get_mut(&draw)
                        .map(|pause| pause.noted = true)
                }
                Err(failure) => {
                    tracing::error!(draw.id = %draw, %failure, "the pause is recorded later")
                }
            }
        }));
    }

    /// Wakes paused draws whose anomaly somebody has closed, and writes down what could not be written yet.
    pub(super) fn look_after_pauses(&mut self, ctx: &mut Context<Self>) {
        let (noted, unnoted): (Vec<_>, Vec<_>) =
            self.pauses.iter().partition(|(_, pause)| pause.noted);
        let noted: Vec<(DrawId, String)> = noted
            .iter()
            .map(|(draw, pause)| (**draw, pause.note.clone()))
            .collect();
        for draw in unnoted
            .into_iter()
            .map(|(draw, _)| *draw)
            .collect::<Vec<_>>()
        {
            self.note_pause(draw, ctx);
        }
        if noted.is_empty() {
            return;
        }
        let books = self.books.clone();
        let look = async move { books.anomalies(true, OPEN_MAX).await };
        ctx.spawn(look.into_actor(self).map(move |open, supervisor, ctx| match open {
            Ok(open) if open.len() < OPEN_MAX as usize => {
                let closed = |note: &String| open.iter().all(|record| record.anomaly.note != *note);
                for (draw, _) in noted.into_iter().filter(|(_, note)| closed(note)) {
                    tracing::info!(draw.id = %draw, "its anomaly was closed: the paused draw is woken");
                    supervisor.resume(draw);
                    supervisor.want(draw);
                }
                supervisor.claim_due(ctx);
            }
            Ok(_) => tracing::warn!("too many anomalies are open to see whose pause is over"),
            Err(failure) => tracing::warn!(%failure, "nobody knows yet whether a paused draw may be woken"),
        }));
    }

    /// It begins anew, with no failure counted against it.
    pub(super) fn resume(&mut self, draw: DrawId) {
        self.pauses.remove(&draw);
        self.roster.resume(draw);
        self.cares.remove(&draw);
    }
}
