//! Anomalies as the operator's console shows them, each with its order, draws, club and buyer.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Failure;
use crate::records::Records;
use crate::records::audit::{self, AuditEntry};

#[derive(Clone, Debug)]
pub struct AnomalyRow {
    pub id: Uuid,
    pub kind: String,
    pub payment_intent_id: Option<String>,
    pub order_id: Option<Uuid>,
    pub amount_cents: Option<i64>,
    pub note: String,
    pub detected_at: OffsetDateTime,
    pub resolved_at: Option<OffsetDateTime>,
    /// How the anomaly was resolved: `healed` when its cause disappeared, otherwise the operator's
    /// action. `None` while it is open.
    pub resolution: Option<String>,
    pub resolved_by: Option<String>,
    /// E-mail address of the operator who resolved the anomaly.
    pub resolved_by_email: Option<String>,
    /// Name of the operator who resolved the anomaly.
    pub resolved_by_name: Option<String>,
    pub club_id: Option<i64>,
    pub club_name: Option<String>,
    pub account_id: Option<String>,
    pub customer_name: Option<String>,
    pub customer_email: Option<String>,
    pub customer_phone: Option<String>,
    pub order_state: Option<String>,
    pub order_total_cents: Option<i64>,
    pub order_reason: Option<String>,
    /// State of the order's refund: `pending`, `done` or `failed`. `None`: no refund was requested.
    pub refund_state: Option<String>,
    pub provider_status: Option<String>,
    pub provider_amount_cents: Option<i64>,
    pub provider_received_cents: Option<i64>,
    pub provider_refunded_cents: Option<i64>,
    pub draws: Vec<i64>,
    pub tickets: Option<i64>,
}

/// Numbers of open and resolved anomalies. An anomaly whose cause disappeared counts as resolved
/// (decision I-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnomalyCounts {
    pub total: i64,
    pub unresolved: i64,
    pub oldest_unresolved_at: Option<OffsetDateTime>,
}

/// A query for anomalies `a`. `$rest` is the `where` clause and what follows.
macro_rules! query_anomalies {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            AnomalyRow,
            r#"select a.id, a.kind, coalesce(a.payment_intent_id, o.payment_intent_id) as payment_intent_id,
                 o.id as "order_id?",
                 coalesce(a.amount_cents, o.total_cents) as amount_cents, a.note, a.detected_at, a.resolved_at, a.resolution, a.resolved_by,
                 (select d.email from admins d where 'operator ' || d.id = a.resolved_by) as resolved_by_email,
                 (select d.name from admins d where 'operator ' || d.id = a.resolved_by) as resolved_by_name,
                 c.id as "club_id?", c.name as "club_name?", coalesce(o.account_id, w.account_id) as account_id,
                 o.buyer_name as "customer_name?", o.buyer_email as "customer_email?", o.buyer_phone as "customer_phone?",
                 o.state as "order_state?", o.total_cents as "order_total_cents?", o.reason as "order_reason?", r.state as "refund_state?",
                 coalesce(w.status, p.status) as provider_status, coalesce(w.amount_cents, p.amount_cents) as provider_amount_cents,
                 coalesce(w.amount_received_cents, p.amount_received_cents) as provider_received_cents,
                 coalesce(w.amount_refunded_cents, p.amount_refunded_cents) as provider_refunded_cents,
                 coalesce((select array_agg(l.draw_id order by l.draw_id) from order_lines l where l.order_id = o.id), '{}') as "draws!",
                 (select sum(l.count)::bigint from order_lines l where l.order_id = o.id) as tickets
             from anomalies a
                 left join orders o on o.id = a.order_id or a.order_id is null and o.payment_intent_id = a.payment_intent_id
                 left join refunds r on r.order_id = o.id
                 left join provider_pi w on w.payment_intent_id = coalesce(a.payment_intent_id, o.payment_intent_id)
                 left join clubs c on c.id = o.club_id or o.id is null and c.stripe_connect_account_id = w.account_id
                 left join payments p on p.payment_intent_id = coalesce(a.payment_intent_id, o.payment_intent_id)
             "# + $rest,
            $($argument),*
        )
    };
}

impl Records {
    /// Returns anomalies, newest first. `resolved` selects resolved (`true`) or open (`false`)
    /// anomalies. `None` selects all.
    pub async fn anomalies(
        &self,
        resolved: Option<bool>,
        kind: Option<&str>,
    ) -> Result<Vec<AnomalyRow>, Failure> {
        let read = query_anomalies!(
            "where ($1::boolean is null or (a.resolved_at is not null) = $1) and ($2::text is null or a.kind = $2)
             order by a.detected_at desc, a.id limit 5000",
            resolved,
            kind
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    pub async fn anomaly(&self, id: Uuid) -> Result<Option<AnomalyRow>, Failure> {
        let read = query_anomalies!("where a.id = $1", id);
        self.run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await
    }

    pub async fn anomaly_counts(&self) -> Result<AnomalyCounts, Failure> {
        let read = sqlx::query_as!(
            AnomalyCounts,
            r#"select count(*) as "total!", count(*) filter (where resolved_at is null) as "unresolved!",
                 min(detected_at) filter (where resolved_at is null) as oldest_unresolved_at from anomalies"#
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    /// Returns the number of open anomalies of each type that has any.
    pub async fn count_open_anomalies_by_kind(&self) -> Result<Vec<(String, i64)>, Failure> {
        let read = sqlx::query!(
            r#"select kind, count(*) as "count!" from anomalies where resolved_at is null group by kind order by kind"#
        ).map(|row| (row.kind, row.count));
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Resolves an anomaly by hand and writes the audit entry. If the anomaly's cause disappeared
    /// after the operator had opened its page, the anomaly still counts as resolved by the
    /// operator. Returns `false` when another operator resolved it, or it does not exist.
    pub async fn resolve_anomaly(
        &self,
        id: Uuid,
        by: &str,
        resolution: &str,
        entry: AuditEntry,
    ) -> Result<bool, Failure> {
        let write = sqlx::query!(
            "update anomalies set resolved_at = transaction_instant(), resolution = $2, resolved_by = $3
             where id = $1 and resolved_by is null",
            id,
            resolution,
            by
        );
        self.write_with_audit_entry(write, entry, false).await
    }

    /// Returns the open anomalies of one type about a payment.
    pub async fn open_anomalies_of_payment(
        &self,
        payment_intent: &str,
        kind: &str,
    ) -> Result<Vec<Uuid>, Failure> {
        let read = sqlx::query_scalar!(
            "select id from anomalies where payment_intent_id = $1 and kind = $2 and resolved_at is null",
            payment_intent,
            kind
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Returns the open anomalies about an order and its own payment that a refund of the order
    /// settles. A dispute stays open, because the bank decides it.
    pub async fn open_anomalies_settled_by_refund(
        &self,
        order: Uuid,
    ) -> Result<Vec<Uuid>, Failure> {
        let read = sqlx::query_scalar!(
            "select a.id from anomalies a join orders o on o.id = $1
             where (a.payment_intent_id = o.payment_intent_id or a.payment_intent_id is null and a.order_id = o.id)
               and a.kind <> 'dispute' and a.resolved_at is null",
            order
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }

    /// Resolves the given anomalies, which the caller saw open. The object of `entry` is
    /// `anomaly:`. The entry is written once for each anomaly, with the anomaly's id in the object.
    pub async fn resolve_anomalies(
        &self,
        seen: Vec<Uuid>,
        by: &str,
        resolution: &str,
        entry: AuditEntry,
    ) -> Result<(), Failure> {
        let [resolution, by] = [resolution, by].map(str::to_string);
        let sealer = self.postgres.sealer().clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let resolved = sqlx::query_scalar!(
                "update anomalies set resolved_at = transaction_instant(), resolution = $2, resolved_by = $3
             where id = any($1) and resolved_by is null returning id",
                &seen,
                resolution,
                by
            );
            for id in resolved.fetch_all(&mut *transaction).await? {
                audit::write_entry(&mut transaction, &sealer, &entry.clone().with_object_id(id))
                    .await?;
            }
            transaction.commit().await
        };
        self.run_write(work).await
    }
}
