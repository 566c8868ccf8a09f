//! What an auditor reads from outside the running server: totals, what is undecided, what is sold. Changes nothing.

use std::collections::HashSet;

use sqlx::postgres::PgPoolOptions;
use sqlx::{FromRow, PgPool};

use crate::error::Failure;

/// A reader of the books with a connection of its own.
pub struct Auditor {
    pool: PgPool,
}

/// One draw, counted twice: by its tickets and by its own figure.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DrawTotals {
    pub draw: i64,
    pub tickets: i64,
    pub sold: i64,
    pub held: i64,
}

/// One order's money as our books have it, in cents.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OrderMoney {
    pub order: String,
    pub payment_intent: Option<String>,
    pub account: String,
    /// Whether the money was taken, given back since or not.
    pub is_taken: bool,
    pub total: i64,
    pub application_fee: i64,
    pub refunded: i64,
    pub fee_refunded: i64,
    /// An open anomaly already says that something is wrong with it, or a person has closed one by hand.
    pub is_reported: bool,
}

impl Auditor {
    pub async fn open(url: &str) -> Result<Self, Failure> {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .connect(url)
            .await
            .map_err(unread)?;
        Ok(Self { pool })
    }

    /// Transactions that anybody made in these books so far, as Postgres counts them: a second or so late.
    pub async fn transactions(&self) -> Result<i64, Failure> {
        sqlx::query_scalar(
            "select (xact_commit + xact_rollback)::bigint from pg_stat_database where datname = current_database()",
        )
        .fetch_one(&self.pool)
        .await
        .map_err(unread)
    }

    /// Orders that somebody paid for and nobody has decided: their state, and how many seconds ago they were opened.
    pub async fn undecided(&self) -> Result<Vec<(String, String, i64)>, Failure> {
        sqlx::query_as(
            "select id::text, state, extract(epoch from now() - opened_at)::bigint from orders
             where state in ('allocated', 'rejecting') or (state = 'quoted' and authorised_at is not null)
             order by opened_at",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// Notices of the provider whose ids begin with this: how many are stored, and how many of those are handled.
    pub async fn notices(&self, prefix: &str) -> Result<(i64, i64), Failure> {
        sqlx::query_as("select count(*), count(handled_at) from webhook_events where starts_with(event_id, $1)")
            .bind(prefix)
            .fetch_one(&self.pool)
            .await
            .map_err(unread)
    }

    /// Mails that are still to leave.
    pub async fn unsent_mails(&self) -> Result<i64, Failure> {
        let waiting =
            "select count(*) from email_outbox where state = 'pending' and to_address is not null";
        sqlx::query_scalar(waiting)
            .fetch_one(&self.pool)
            .await
            .map_err(unread)
    }

    /// Every draw that sold or holds something.
    pub async fn draws(&self) -> Result<Vec<DrawTotals>, Failure> {
        sqlx::query_as(
            "select d.id as draw, count(t.serial) as tickets, d.sold::bigint, d.held::bigint
             from draws d left join tickets t on t.draw_id = d.id
             group by d.id having d.sold + d.held + count(t.serial) > 0 order by d.id",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// Where the node that owns a draw is asked; `None`: nobody whose row is there.
    pub async fn owner(&self, draw: i64) -> Result<Option<String>, Failure> {
        sqlx::query_scalar("select n.address from draws d join nodes n on n.boot_id = d.owner_boot where d.id = $1")
            .bind(draw)
            .fetch_optional(&self.pool)
            .await
            .map_err(unread)
    }

    /// Commits under an older epoch than the commit before them, as draw and revision: writes of a ghost.
    pub async fn ghosts(&self) -> Result<Vec<(i64, i64)>, Failure> {
        sqlx::query_as(
            "select e.draw_id, e.revision from draw_events e
             join draw_events p on p.draw_id = e.draw_id and p.revision = e.revision - 1
             where e.epoch < p.epoch order by e.draw_id, e.revision",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// Every order that ever had a payment intent.
    pub async fn orders(&self) -> Result<Vec<OrderMoney>, Failure> {
        sqlx::query_as(
            "select o.id::text as order, o.payment_intent_id as payment_intent, o.account_id as account,
                 o.captured_at is not null as is_taken, o.total_cents as total,
                 o.application_fee_cents as application_fee, coalesce(r.amount_cents, 0) as refunded,
                 o.fee_refunded_cents as fee_refunded,
                 exists (select 1 from anomalies a where (a.resolved_at is null or a.resolution <> 'healed')
                     and (a.payment_intent_id = o.payment_intent_id or a.order_id = o.id)) as is_reported
             from orders o left join refunds r on r.order_id = o.id and r.state = 'succeeded'
             where o.payment_intent_id is not null order by o.opened_at, o.id",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// Payment intents that an open anomaly is about, or one that a person closed.
    pub async fn reported(&self) -> Result<Vec<String>, Failure> {
        sqlx::query_scalar(
            "select payment_intent_id from anomalies
             where (resolved_at is null or resolution <> 'healed') and payment_intent_id is not null",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// Payments that no order holds and an anomaly was raised about, open or not: one of a forgotten order, or the second for one.
    pub async fn strays(&self) -> Result<HashSet<String>, Failure> {
        let strays: Vec<String> = sqlx::query_scalar(
            "select a.payment_intent_id from anomalies a
             where a.payment_intent_id is not null
                 and not exists (select from orders o where o.payment_intent_id = a.payment_intent_id)",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)?;
        Ok(strays.into_iter().collect())
    }

    /// Every connected account of a club.
    pub async fn club_accounts(&self) -> Result<Vec<String>, Failure> {
        sqlx::query_scalar(
            "select stripe_connect_account_id from clubs where stripe_connect_account_id is not null order by id",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// How many mails of each kind are in each state (`pending`, `sent`, `dead`). One that waits for its buyer to leave an
    /// address is not counted.
    pub async fn mails(&self) -> Result<Vec<(String, String, i64)>, Failure> {
        sqlx::query_as(
            "select kind, state, count(*) from email_outbox where to_address is not null
             group by kind, state order by kind, state",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unread)
    }

    /// How many anomalies are open, by kind.
    pub async fn open_anomalies(&self) -> Result<Vec<(String, i64)>, Failure> {
        sqlx::query_as("select kind, count(*) from anomalies where resolved_at is null group by kind order by kind")
            .fetch_all(&self.pool)
            .await
            .map_err(unread)
    }

    /// The same but for tickets whose buyer left no address: a person is rightly asked to find somebody who paid a cart and closed
    /// the tab, and nothing went wrong.
    pub async fn went_wrong(&self) -> Result<Vec<(String, i64)>, Failure> {
        let open = "select kind, count(*) from anomalies a where resolved_at is null
               and not (kind = 'orphaned_ticket' and exists (select from orders o where o.id = a.order_id
                 and o.state = 'captured' and o.buyer_email is null))
             group by kind order by kind";
        sqlx::query_as(open)
            .fetch_all(&self.pool)
            .await
            .map_err(unread)
    }
}

fn unread(failure: sqlx::Error) -> Failure {
    Failure::NotWritten(failure.to_string())
}
