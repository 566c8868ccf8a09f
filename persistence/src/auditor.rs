//! Read-only queries for an audit by another program than the server: totals, undecided orders and
//! sold tickets of the whole database.

use std::collections::HashSet;

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::error::Failure;

/// Reads the database on its own connection, for audits.
pub struct Auditor {
    pool: PgPool,
}

/// The number of ticket rows of one draw, and the counters in the draw's own row. An audit compares
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawTotals {
    pub draw: i64,
    pub tickets: i64,
    pub sold: i64,
    pub held: i64,
}

/// What one order charged, captured and refunded according to our database, in cents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderAmounts {
    pub order: String,
    pub payment_intent: Option<String>,
    pub account: String,
    /// Whether the payment was ever captured. Stays true after a refund.
    pub is_taken: bool,
    pub total: i64,
    pub application_fee: i64,
    pub refunded: i64,
    pub fee_refunded: i64,
    /// Whether an anomaly about the order is open, or was closed by a person.
    pub is_reported: bool,
}

impl Auditor {
    pub async fn open(url: &str) -> Result<Self, Failure> {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .connect(url)
            .await
            .map_err(read_failure)?;
        Ok(Self { pool })
    }

    /// Returns the number of transactions that this database has executed so far. Postgres updates
    /// it with a delay of about a second.
    pub async fn transaction_count(&self) -> Result<i64, Failure> {
        sqlx::query_scalar!(
            r#"select (xact_commit + xact_rollback)::bigint as "count!" from pg_stat_database where datname = current_database()"#
        )
        .fetch_one(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the paid orders whose outcome is not decided yet. Each item is the order's id, state
    /// and age in seconds.
    pub async fn paid_orders_in_progress(&self) -> Result<Vec<(String, String, i64)>, Failure> {
        let rows = sqlx::query!(
            r#"select id::text as "id!", state, extract(epoch from transaction_instant() - opened_at)::bigint as "age!" from orders
             where state in ('allocated', 'rejecting') or (state = 'quoted' and authorised_at is not null)
             order by opened_at"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(rows
            .into_iter()
            .map(|row| (row.id, row.state, row.age))
            .collect())
    }

    /// Returns how many stored webhook events have an id with this prefix, and how many of these
    /// events are handled.
    pub async fn count_stored_and_handled_webhooks(
        &self,
        prefix: &str,
    ) -> Result<(i64, i64), Failure> {
        let counts = sqlx::query!(
            r#"select count(*) as "stored!", count(handled_at) as "handled!" from webhook_events
             where starts_with(event_id, $1)"#,
            prefix
        )
        .fetch_one(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok((counts.stored, counts.handled))
    }

    /// Returns the number of payment operations that have been pending for longer than invariant O1
    /// allows.
    pub async fn count_overdue_operations(&self) -> Result<i64, Failure> {
        sqlx::query_scalar!(
            r#"select count(*) as "count!" from invariant_violations where invariant = 'O1 operations are carried out'"#
        )
        .fetch_one(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the number of queued mails that have a recipient's address and are not sent yet.
    pub async fn count_unsent_mails(&self) -> Result<i64, Failure> {
        sqlx::query_scalar!(
            r#"select count(*) as "count!" from email_outbox where state = 'pending' and to_address is not null"#
        )
            .fetch_one(&self.pool)
            .await
            .map_err(read_failure)
    }

    /// Returns the number of orders whose buyer's e-mail address ends with `address_end`.
    pub async fn count_orders_with_email_ending(&self, address_end: &str) -> Result<i64, Failure> {
        sqlx::query_scalar!(
            r#"select count(*) as "count!" from orders where right(buyer_email, length($1)) = $1"#,
            address_end
        )
        .fetch_one(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the totals of every draw that has sold or reserved tickets.
    pub async fn draw_totals(&self) -> Result<Vec<DrawTotals>, Failure> {
        sqlx::query_as!(
            DrawTotals,
            r#"select d.id as draw, count(t.serial) as "tickets!", d.sold::bigint as "sold!", d.held::bigint as "held!"
             from draws d left join tickets t on t.draw_id = d.id
             group by d.id having d.sold + d.held + count(t.serial) > 0 order by d.id"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the address of the node that owns a draw. `None` when the draw has no owner, or when
    /// the owning node is no longer in the list of nodes.
    pub async fn draw_owner_node_address(&self, draw: i64) -> Result<Option<String>, Failure> {
        sqlx::query_scalar!(
            "select n.address from draws d join nodes n on n.boot_id = d.owner_boot where d.id = $1",
            draw
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the draw and revision of each commit whose epoch is older than the epoch of the
    /// draw's previous commit. There must be none, because a fenced owner may not write.
    pub async fn commits_with_stale_epoch(&self) -> Result<Vec<(i64, i64)>, Failure> {
        let rows = sqlx::query!(
            "select e.draw_id, e.revision from draw_events e
             join draw_events p on p.draw_id = e.draw_id and p.revision = e.revision - 1
             where e.epoch < p.epoch order by e.draw_id, e.revision"
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(rows
            .into_iter()
            .map(|row| (row.draw_id, row.revision))
            .collect())
    }

    /// Returns the sums of every order that ever had a payment intent.
    pub async fn order_amounts(&self) -> Result<Vec<OrderAmounts>, Failure> {
        sqlx::query_as!(
            OrderAmounts,
            r#"select o.id::text as "order!", o.payment_intent_id as payment_intent, o.account_id as account,
                 o.captured_at is not null as "is_taken!", o.total_cents as total,
                 o.application_fee_cents as application_fee, coalesce(r.amount_cents, 0) as "refunded!",
                 o.fee_refunded_cents as fee_refunded,
                 exists (select 1 from anomalies a where (a.resolved_at is null or a.resolution <> 'healed')
                     and (a.payment_intent_id = o.payment_intent_id or a.order_id = o.id)) as "is_reported!"
             from orders o left join refunds r on r.order_id = o.id and r.state = 'succeeded'
             where o.payment_intent_id is not null order by o.opened_at, o.id"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the payment intents that have an anomaly, either open or closed by a person.
    pub async fn payments_with_anomaly(&self) -> Result<Vec<String>, Failure> {
        sqlx::query_scalar!(
            r#"select payment_intent_id as "id!" from anomalies
             where (resolved_at is null or resolution <> 'healed') and payment_intent_id is not null"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns the payments that belong to no order and have an anomaly, open or closed. The order
    /// of such a payment was lost, or the order already has another payment.
    pub async fn payments_without_order(&self) -> Result<HashSet<String>, Failure> {
        let strays = sqlx::query_scalar!(
            r#"select a.payment_intent_id as "id!" from anomalies a
             where a.payment_intent_id is not null
                 and not exists (select from orders o where o.payment_intent_id = a.payment_intent_id)"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(strays.into_iter().collect())
    }

    /// Returns the id of every connected account that belongs to a club.
    pub async fn club_accounts(&self) -> Result<Vec<String>, Failure> {
        sqlx::query_scalar!(
            r#"select stripe_connect_account_id as "account!" from clubs where stripe_connect_account_id is not null order by id"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)
    }

    /// Returns how many mails of each kind are in each state (`pending`, `sent`, `dead`). Mails
    /// that still wait for the recipient's address are not counted.
    pub async fn count_mails_by_kind_and_state(
        &self,
    ) -> Result<Vec<(String, String, i64)>, Failure> {
        let rows = sqlx::query!(
            r#"select kind, state, count(*) as "count!" from email_outbox where to_address is not null
             group by kind, state order by kind, state"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(rows
            .into_iter()
            .map(|row| (row.kind, row.state, row.count))
            .collect())
    }

    /// Returns the number of open anomalies of each kind.
    pub async fn count_open_anomalies_by_kind(&self) -> Result<Vec<(String, i64)>, Failure> {
        let rows = sqlx::query!(
            r#"select kind, count(*) as "count!" from anomalies where resolved_at is null group by kind order by kind"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(rows.into_iter().map(|row| (row.kind, row.count)).collect())
    }

    /// Returns the number of open anomalies of each kind, except those about tickets whose buyer
    /// left no e-mail address. An operator must find such a buyer, but no error has happened.
    pub async fn count_unexpected_anomalies_by_kind(&self) -> Result<Vec<(String, i64)>, Failure> {
        let rows = sqlx::query!(
            r#"select kind, count(*) as "count!" from anomalies a where resolved_at is null
               and not (kind = 'orphaned_ticket' and exists (select from orders o where o.id = a.order_id
                 and o.state = 'captured' and o.buyer_email is null))
             group by kind order by kind"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(read_failure)?;
        Ok(rows.into_iter().map(|row| (row.kind, row.count)).collect())
    }
}

fn read_failure(failure: sqlx::Error) -> Failure {
    Failure::NotWritten(failure.to_string())
}
