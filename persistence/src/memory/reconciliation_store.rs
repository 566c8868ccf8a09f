//! Implements [`ReconciliationStore`] in memory.

use async_trait::async_trait;
use domain::{
    AccountId, AnomalyKind, ClubId, DrawId, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    Serial, Timestamp,
};

use super::{Call, Memory};
use crate::error::Failure;
use crate::stores::{OrderRecord, ReconciliationStore};

#[async_trait]
impl ReconciliationStore for Memory {
    async fn undecided_orders(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.read_state("undecided_orders", |state| {
            state.orders.open_before(opened_before, limit as usize)
        })
    }

    async fn orders_captured(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.read_state("orders_captured", |state| {
            state.orders.captured_since(since, limit as usize)
        })
    }

    async fn orders_of_cancelled_draws(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
        self.read_state("orders_called_off", |state| {
            let cancelled = state.draws.cancelled_draw_ids();
            let due = |record: &&OrderRecord| {
                let stranded = record
                    .tickets
                    .iter()
                    .any(|(draw, _)| cancelled.contains(draw));
                record.order.state == OrderState::Captured && stranded
            };
            state
                .orders
                .all()
                .map(|row| &row.record)
                .filter(due)
                .take(limit as usize)
                .cloned()
                .collect()
        })
    }

    async fn orders_without_address(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.read_state("orders_nameless", |state| {
            let is_unreported = |record: &&OrderRecord| {
                let long_ago = record.captured_at.is_some_and(|at| at < captured_before);
                let is_reported = state
                    .anomalies
                    .is_order_reported(AnomalyKind::OrphanedTicket, &record.order);
                record.order.state == OrderState::Captured
                    && record.buyer.email.is_none()
                    && long_ago
                    && !is_reported
            };
            state
                .orders
                .all()
                .map(|row| &row.record)
                .filter(is_unreported)
                .take(limit as usize)
                .cloned()
                .collect()
        })
    }

    async fn newest_order_time(&self) -> Result<Option<Timestamp>, Failure> {
        self.read_state("newest_order_time", |state| {
            state.orders.all().map(|row| row.record.opened_at).max()
        })
    }

    async fn connected_accounts(&self) -> Result<Vec<AccountId>, Failure> {
        self.read_state("accounts", |state| {
            let of_orders = state.orders.connected_accounts();
            let all: std::collections::BTreeSet<AccountId> =
                state.clubs.values().cloned().chain(of_orders).collect();
            all.into_iter().collect()
        })
    }

    async fn record_provider_snapshots(
        &self,
        intents: &[PaymentIntent],
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.write_state(Call::Write("witness"), |state| {
            intents
                .iter()
                .try_for_each(|intent| state.store_snapshot(intent, at))
        })
    }

    async fn account_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure> {
        self.read_state("witnessed", |state| {
            let mut snapshots = state.webhook_events.provider_snapshots();
            snapshots
                .find(|witness| witness.intent.id == *payment_intent)
                .map(|witness| witness.intent.account.clone())
        })
    }

    async fn club_of(&self, account: &AccountId) -> Result<Option<ClubId>, Failure> {
        self.read_state("club_of", |state| {
            state
                .clubs
                .iter()
                .find(|(_, of)| *of == account)
                .map(|(club, _)| *club)
        })
    }

    async fn ticket_owner(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure> {
        self.read_state("holder", |state| {
            state
                .draws
                .get(draw)
                .and_then(|row| row.tickets.get(&serial))
                .map(|ticket| ticket.order)
        })
    }
}
