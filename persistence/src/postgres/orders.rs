//! SQL statements for orders: the lists for the reconciler, and changes of buyer details and
//! consent.

use std::collections::BTreeMap;

use domain::{AccountId, OrderId, OrderState, OrderTransition, Timestamp};
use sqlx::postgres::{PgConnection, PgPool};

use super::order_store::{OrderRow, query_orders};
use super::purchase_writes::{PurchaseWrite, WriteOutcome, WriteOutcomes};
use super::writer::TransactionError;
use super::{codec, instant};
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::link_secrets::LinkSecrets;
use crate::stores::{BuyerSource, OrderRecord};

/// Fills blank buyer details by the rule of [`BuyerDetails::with_blanks_filled_from`], and sets the
/// address of a mail that waits for one. Returns `false` when the order no longer accepts details
/// from this source.
pub(super) async fn fill_buyer_details(
    connection: &mut PgConnection,
    order: OrderId,
    buyer: &BuyerDetails,
    source: BuyerSource,
) -> Result<bool, Failure> {
    let stored = sqlx::query!(
        "select buyer_name, buyer_email, buyer_phone from orders where id = $1 for update",
        codec::order_uuid(order)
    )
    .fetch_optional(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    let stored = stored.ok_or(Failure::NotFound)?;
    let before = BuyerDetails {
        name: stored.buyer_name,
        email: stored.buyer_email,
        phone: stored.buyer_phone,
    };
    let after = before.clone().with_blanks_filled_from(buyer);
    if after == before {
        return Ok(true);
    }
    if !accepts_buyer_details(connection, order, source).await? {
        return Ok(false);
    }
    let filled = sqlx::query!(
        "update orders set buyer_name = $2, buyer_email = $3, buyer_phone = $4 where id = $1 and erased_at is null",
        codec::order_uuid(order),
        after.name,
        after.email,
        after.phone
    )
    .execute(&mut *connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    if filled.rows_affected() == 0 {
        return Ok(true);
    }
    sqlx::query!(
        "update email_outbox set to_address = $2 where order_id = $1 and to_address is null",
        codec::order_uuid(order),
        after.email
    )
    .execute(connection)
    .await
    .map_err(Failure::from_error_before_commit)?;
    Ok(true)
}

/// Returns whether an order accepts buyer details from a source. The caller has locked the order's
/// row. So the statement reads the committed state, and no capture can be recorded before the
/// caller writes the details.
async fn accepts_buyer_details(
    connection: &mut PgConnection,
    order: OrderId,
    source: BuyerSource,
) -> Result<bool, Failure> {
    let order = codec::order_uuid(order);
    let accepted = match source {
        BuyerSource::Checkout => {
            sqlx::query_scalar!(
                r#"select captured_at is null as "accepted!" from orders where id = $1"#,
                order
            )
            .fetch_one(connection)
            .await
        }
        BuyerSource::OrderToken => {
            sqlx::query_scalar!(
                r#"select not exists (
                   select from order_lines l join draw_events e on e.draw_id = l.draw_id
                   where l.order_id = $1 and e.events @> '{"events": [{"event": "completed"}]}') as "accepted!""#,
                order
            )
            .fetch_one(connection)
            .await
        }
        BuyerSource::Operator { approved: true, .. } => return Ok(true),
        BuyerSource::Operator {
            at,
            approved: false,
        } => {
            sqlx::query_scalar!(
                r#"select not exists (
                   select from order_lines l join draws d on d.id = l.draw_id
                   where l.order_id = $1 and d.kick_off <= $2 and d.winning_serial = any (l.serials)) as "accepted!""#,
                order,
                instant::to_stored_time(at)
            )
            .fetch_one(connection)
            .await
        }
    };
    accepted.map_err(Failure::from_error_before_commit)
}

/// Replaces buyer details of an unpaid order by the rule of [`BuyerDetails::corrected_by`]. No
/// queued mail needs the new address, because no mail waits for an address before the capture.
pub(super) async fn correct_buyer_details(
    pool: &PgPool,
    order: OrderId,
    buyer: &BuyerDetails,
) -> Result<bool, Failure> {
    // Drops a name without an address and an address without a name, because neither is a contact.
    let BuyerDetails { name, email, phone } =
        BuyerDetails::default().with_blanks_filled_from(buyer);
    let corrected = sqlx::query!(
        "update orders set buyer_name = coalesce($2, buyer_name), buyer_email = coalesce($3, buyer_email),
           buyer_phone = coalesce($4, buyer_phone)
         where id = $1 and state = 'quoted' and authorised_at is null and erased_at is null",
        codec::order_uuid(order),
        name,
        email,
        phone
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(corrected.rows_affected() == 1)
}

/// Records that buyers confirmed their age and accepted the terms. Only an order's first
/// confirmation is stored.
pub(super) async fn record_consents(
    connection: &mut PgConnection,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut orders, mut at, mut ips) = (Vec::new(), Vec::new(), Vec::new());
    let (mut versions, mut digests) = (Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        if let PurchaseWrite::RecordConsent {
            order,
            at: agreed_at,
            ip,
            terms,
        } = write
        {
            positions.insert(codec::order_uuid(*order), position);
            orders.push(codec::order_uuid(*order));
            at.push(instant::to_stored_time(*agreed_at));
            ips.push(ip.as_str());
            versions.push(terms.version);
            digests.push(hex::encode(terms.sha256));
        }
    }
    if orders.is_empty() {
        return Ok(());
    }
    let stored = sqlx::query_scalar!(
        "update orders o set consent_at = coalesce(o.consent_at, a.at),
           consent_ip = case when o.consent_at is null then a.ip else o.consent_ip end,
           consent_terms_version = case when o.consent_at is null then a.version else o.consent_terms_version end,
           consent_terms_sha256 = case when o.consent_at is null then a.digest else o.consent_terms_sha256 end
         from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
           as a (order_id, at, ip, version, digest)
         where o.id = a.order_id returning o.id",
        &orders[..],
        &at[..],
        &ips as _,
        &versions as _,
        &digests[..]
    )
    .fetch_all(connection)
    .await?;
    for order in stored {
        outcomes[positions[&order]] = Some(Ok(WriteOutcome::Done));
    }
    Ok(())
}

/// Returns orders whose outcome is undecided, oldest first.
pub(super) async fn unfinished_orders_opened_before(
    pool: &PgPool,
    secrets: &LinkSecrets,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let open = query_orders!(
        "where o.unfinished and o.opened_at < $1 order by o.opened_at, o.id limit $2",
        instant::to_stored_time(before),
        i64::from(limit)
    );
    into_records(open.fetch_all(pool).await, secrets)
}

/// Returns orders that were captured, earliest capture first. Orders that were refunded since are
/// included.
pub(super) async fn orders_captured_since(
    pool: &PgPool,
    secrets: &LinkSecrets,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let captured = query_orders!(
        "where o.captured_at >= $1 order by o.captured_at, o.id limit $2",
        instant::to_stored_time(since),
        i64::from(limit)
    );
    into_records(captured.fetch_all(pool).await, secrets)
}

/// Returns captured orders that still have a ticket of a cancelled draw.
pub(super) async fn captured_of_cancelled_draws(
    pool: &PgPool,
    secrets: &LinkSecrets,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let of_cancelled = query_orders!(
        "where o.state = 'captured' and o.id in (
           select l.order_id from draws d join order_lines l on l.draw_id = d.id
           where d.status = 'cancelled' and d.sold > 0 and l.serials is not null)
         order by o.captured_at, o.id limit $1",
        i64::from(limit)
    );
    into_records(of_cancelled.fetch_all(pool).await, secrets)
}

/// Returns orders that were captured before a time and whose buyer left no e-mail address, oldest
/// first. Leaves out orders about which an anomaly is open or was closed by a person.
pub(super) async fn captured_orders_without_email(
    pool: &PgPool,
    secrets: &LinkSecrets,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let without_email = query_orders!(
        "where o.state = 'captured' and o.buyer_email is null and o.captured_at < $1
           and not exists (
             select from anomalies a where a.order_id = o.id and a.kind = 'orphaned_ticket'
               and (a.resolved_at is null or a.resolution <> 'healed'))
         order by o.captured_at, o.id limit $2",
        instant::to_stored_time(before),
        i64::from(limit)
    );
    into_records(without_email.fetch_all(pool).await, secrets)
}

fn into_records(
    rows: Result<Vec<OrderRow>, sqlx::Error>,
    secrets: &LinkSecrets,
) -> Result<Vec<OrderRecord>, Failure> {
    rows.map_err(Failure::from_read_error)?
        .into_iter()
        .map(|row| row.into_record(secrets))
        .collect()
}

pub(super) async fn newest_opened_at(pool: &PgPool) -> Result<Option<Timestamp>, Failure> {
    // `opened_at` has no index, and every start runs this query. So it finds the newest order by
    // the key of the newest order lines.
    let newest = sqlx::query_scalar!(
        "select max(o.opened_at) from (select order_id from order_lines order by id desc limit 100) l
         join orders o on o.id = l.order_id"
    )
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(newest.map(instant::from_stored_time))
}

pub(super) async fn connected_accounts(pool: &PgPool) -> Result<Vec<AccountId>, Failure> {
    let accounts = sqlx::query_scalar!(
        r#"select stripe_connect_account_id as "account!" from clubs where stripe_connect_account_id is not null
         union select account_id from orders order by 1"#
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(accounts.into_iter().map(AccountId).collect())
}

/// An order whose row is locked until the end of the transaction.
pub(super) struct LockedOrder {
    pub state: OrderState,
    has_tickets: bool,
}

impl LockedOrder {
    pub fn check_transition(&self, transition: OrderTransition) -> Result<bool, Failure> {
        Ok(transition.needs_write(self.state, self.has_tickets)?)
    }
}

/// Locks an order until the end of the transaction.
pub(super) async fn lock_order(
    connection: &mut PgConnection,
    order: OrderId,
) -> Result<LockedOrder, Failure> {
    let row = sqlx::query!(
        "select state, lines_allocated from orders where id = $1 for update",
        codec::order_uuid(order)
    )
    .fetch_one(connection)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(LockedOrder {
        state: codec::parse_order_state(&row.state)?,
        has_tickets: row.lines_allocated > 0,
    })
}
