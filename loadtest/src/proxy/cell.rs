//! One cell: one fault on one line in one phase.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::Place;
use super::link::Link;
use super::toxic::{Line, Toxic};
use crate::crowd::{self, Gate};
use crate::plan::{Crowd, Habits};
use crate::told::Told;

/// The first buyers come before the line goes bad.
const SOUND_FOR: Duration = Duration::from_millis(300);
const POISONED_FOR: Duration = Duration::from_secs(3);
/// Longer than a statement or a call may take.
const SILENT_FOR: Duration = Duration::from_secs(8);
/// Sales end in the middle of it.
const CLOSES_AFTER: Duration = Duration::from_millis(1_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Somebody now and then.
    Idle,
    /// Everybody at once.
    Rush,
    /// Everybody, and sales close while they pay.
    Closing,
}

impl Phase {
    pub const ALL: [Phase; 3] = [Phase::Idle, Phase::Rush, Phase::Closing];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub line: Line,
    pub toxic: Toxic,
    pub phase: Phase,
}

impl Cell {
    pub fn link(self, links: &[Link]) -> &Link {
        links
            .iter()
            .find(|link| link.line == self.line)
            .unwrap_or(&links[0])
    }

    /// Poisons the line while people buy of one draw, heals it, and waits until everybody has turned away.
    pub async fn play(self, place: &Place, draw: i64, seed: u64) -> Result<Vec<Told>> {
        let people = self.send(place, draw, seed);
        let (tolds, closed, ()) =
            tokio::join!(people, self.close_sales(place, draw), self.poison(place));
        closed?;
        tolds
    }

    /// The people alone, whatever the line does.
    pub async fn send(self, place: &Place, draw: i64, seed: u64) -> Result<Vec<Told>> {
        let (buyers, over_ms) = match self.phase {
            Phase::Idle => (5, 3_000),
            Phase::Rush => (30, 500),
            Phase::Closing => (25, 2_500),
        };
        let crowd = Crowd {
            seed,
            buyers,
            over_ms,
            late: 0,
            most: 8,
            habits: Habits {
                declined: 4,
                second_card: 4,
                asked: 6,
                abandoners: 4,
                closed_tabs: 15,
            },
            together: vec![vec![0]],
        };
        let gate = Gate {
            draws: vec![draw],
            keen: Duration::ZERO,
            at_once: buyers,
        };
        let plans = crowd.plans(1);
        let bar = crowd::bar(&format!("{:?}", self.toxic), buyers);
        crowd::send(Arc::clone(&place.through), plans, gate, bar).await
    }

    async fn poison(self, place: &Place) {
        let link = self.link(&place.links);
        tokio::time::sleep(SOUND_FOR).await;
        link.poison(Some(self.toxic));
        tokio::time::sleep(if self.toxic == Toxic::HalfOpen {
            SILENT_FOR
        } else {
            POISONED_FOR
        })
        .await;
        link.poison(None);
    }

    async fn close_sales(self, place: &Place, draw: i64) -> Result<()> {
        if self.phase == Phase::Closing {
            tokio::time::sleep(CLOSES_AFTER).await;
            place.club.enter_result(draw, 9, 9).await?;
        }
        Ok(())
    }
}
