//! One cell of the test matrix: a fault, the link that it disturbs, and a phase of the sale.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::ProxyRun;
use super::link::Link;
use super::toxic::{LinkKind, Toxic};
use crate::crowd::{self, CrowdAdmission};
use crate::crowd_plan::{BuyerHabits, CrowdPlan};
use crate::transcript::BuyerTranscript;

/// Time without a fault at the start of a cell, in which the first buyers arrive.
const DELAY_BEFORE_FAULT: Duration = Duration::from_millis(300);
const FAULT_DURATION: Duration = Duration::from_secs(3);
/// Duration of a fault in which nothing arrives. It exceeds the time limit of any statement or
/// call.
const HALF_OPEN_DURATION: Duration = Duration::from_secs(8);
/// When sales close: after this time, while the fault is active.
const SALES_CLOSE_AFTER: Duration = Duration::from_millis(1_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SalePhase {
    /// A few buyers shop.
    Idle,
    /// All buyers shop at the same time.
    Rush,
    /// All buyers shop, and sales close while they pay.
    Closing,
}

impl SalePhase {
    pub const ALL: [SalePhase; 3] = [SalePhase::Idle, SalePhase::Rush, SalePhase::Closing];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatrixCell {
    pub link_kind: LinkKind,
    pub toxic: Toxic,
    pub phase: SalePhase,
}

impl MatrixCell {
    pub fn link(self, links: &[Link]) -> &Link {
        links
            .iter()
            .find(|link| link.kind == self.link_kind)
            .unwrap_or(&links[0])
    }

    /// Disturbs the link while buyers shop, removes the fault, and waits for the last buyer.
    pub async fn run_matrix_cell(
        self,
        proxy_run: &ProxyRun,
        draw: i64,
        seed: u64,
    ) -> Result<Vec<BuyerTranscript>> {
        let buying = self.run_buyer_crowd(proxy_run, draw, seed);
        let (transcripts, closed, ()) = tokio::join!(
            buying,
            self.close_sales(proxy_run, draw),
            self.set_toxic(proxy_run)
        );
        closed?;
        transcripts
    }

    /// Lets the buyers shop. Neither sets nor removes a fault.
    pub async fn run_buyer_crowd(
        self,
        proxy_run: &ProxyRun,
        draw: i64,
        seed: u64,
    ) -> Result<Vec<BuyerTranscript>> {
        let (buyers, over_ms) = match self.phase {
            SalePhase::Idle => (5, 3_000),
            SalePhase::Rush => (30, 500),
            SalePhase::Closing => (25, 2_500),
        };
        let crowd = CrowdPlan {
            seed,
            buyers,
            over_ms,
            late: 0,
            most: 8,
            habits: BuyerHabits {
                declined: 4,
                second_card: 4,
                needs_authentication: 6,
                abandoners: 4,
                closed_tabs: 15,
            },
            together: vec![vec![0]],
        };
        let admission = CrowdAdmission {
            draws: vec![draw],
            wait_for_tickets: Duration::ZERO,
            at_once: buyers,
        };
        let plans = crowd.buyer_plans(1);
        let bar = crowd::progress_bar(&format!("{:?}", self.toxic), buyers);
        crowd::simulate_buyers(Arc::clone(&proxy_run.proxied_site), plans, admission, bar).await
    }

    async fn set_toxic(self, proxy_run: &ProxyRun) {
        let link = self.link(&proxy_run.links);
        tokio::time::sleep(DELAY_BEFORE_FAULT).await;
        link.set_toxic(Some(self.toxic));
        tokio::time::sleep(if self.toxic == Toxic::HalfOpen {
            HALF_OPEN_DURATION
        } else {
            FAULT_DURATION
        })
        .await;
        link.set_toxic(None);
    }

    async fn close_sales(self, proxy_run: &ProxyRun, draw: i64) -> Result<()> {
        if self.phase == SalePhase::Closing {
            tokio::time::sleep(SALES_CLOSE_AFTER).await;
            proxy_run
                .club
                .enter_result_before_kick_off(draw, 9, 9)
                .await?;
        }
        Ok(())
    }
}
