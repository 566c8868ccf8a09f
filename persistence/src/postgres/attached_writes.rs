//! Writes that share the transaction of a draw's commit: new orders, new prices, authorisation
//! times, and a draw's names and contact.

use domain::{DrawId, Line, Order, OrderState, Timestamp};
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::ledger::PreparedCommit;
use super::writer::TransactionError;
use super::{codec, instant};
use crate::error::Failure;
use crate::ledger::{AttachedWrite, BuyerDetails, DrawDetails, NewOrder};
use crate::link_secrets::LinkSecrets;
use crate::stores::FAST_PATH_EXCLUSIVE_MS;

pub(super) async fn write_attached(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    let mut opens = Vec::new();
    let mut authorised: (Vec<Uuid>, Vec<OffsetDateTime>) = Default::default();
    for commit in commits {
        match &commit.append.attached_write {
            None => {}
            // This commit also allocates the order's tickets. The statement that does so writes the
            // authorisation time, so nothing is written here.
            Some(AttachedWrite::Authorised { order, .. }) if commit.allocates(*order) => {}
            Some(AttachedWrite::Open(order)) => opens.push(order),
            Some(AttachedWrite::Authorised { order, at }) => {
                authorised.0.push(codec::order_uuid(*order));
                authorised.1.push(instant::to_stored_time(*at));
            }
            // New lines and new draw details are rare, so each such write is a separate statement.
            Some(AttachedWrite::Reprice { order, lines }) => {
                replace_order_lines(connection, commit, codec::order_uuid(*order), lines).await?;
            }
            Some(AttachedWrite::Describe(details)) => {
                update_draw_details(connection, commit.append.draw, details).await?;
            }
        }
    }
    if !opens.is_empty() {
        insert_orders(connection, secrets, &opens).await?;
    }
    if !authorised.0.is_empty() {
        record_authorisations(connection, authorised).await?;
    }
    Ok(())
}

/// Inserts new orders and their lines, and a `create` operation for each that has no payment intent
/// yet.
async fn insert_orders(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    orders: &[&NewOrder],
) -> Result<(), TransactionError> {
    let (mut ids, mut clubs, mut accounts, mut keys) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut tokens, mut hashes, mut sealed, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lines, mut subtotals, mut card_fees, mut opened) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut emails, mut phones, mut due) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut authorised: Vec<Option<OffsetDateTime>> = Vec::new();
    let mut columns = OrderLineColumns::default();
    for order in orders {
        ids.push(codec::order_uuid(order.id));
        clubs.push(order.club.0);
        accounts.push(order.account.0.as_str());
        keys.push(order.client_key.as_str());
        let token = secrets.stored_token_forms(codec::order_uuid(order.id), &order.token);
        tokens.push(token.clear);
        hashes.push(token.hash.to_vec());
        sealed.push(token.sealed);
        let total = order_with_totals(order);
        lines.push(order.lines.len() as i16);
        subtotals.push(total.subtotal().0);
        card_fees.push(total.card_fee().0);
        let buyer = BuyerDetails::default().with_blanks_filled_from(&order.buyer);
        names.push(buyer.name);
        emails.push(buyer.email);
        phones.push(buyer.phone);
        opened.push(instant::to_stored_time(order.at));
        authorised.push(order.authorised_at.map(instant::to_stored_time));
        due.push(instant::to_stored_time(
            order.at.plus_ms(FAST_PATH_EXCLUSIVE_MS),
        ));
        intents.push(order.payment_intent.as_ref().map(|id| id.0.as_str()));
        columns.add(codec::order_uuid(order.id), &order.lines);
    }
    // One statement inserts into all three tables, because each statement costs a round trip.
    sqlx::query!(
        "with opened as (
           insert into orders (id, club_id, account_id, client_key, token, lines, subtotal_cents, card_fee_cents, buyer_name,
             buyer_email, buyer_phone, opened_at, authorised_at, payment_intent_id, token_hash, token_sealed)
           select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[],
             $8::bigint[], $9::text[], $10::text[], $11::text[], $12::timestamptz[], $13::timestamptz[], $20::text[],
             $21::bytea[], $22::bytea[])
         ), lined as (
           insert into order_lines (order_id, draw_id, count, unit_price_cents, card_fee_cents)
           select * from unnest($14::uuid[], $15::bigint[], $16::smallint[], $17::bigint[], $18::bigint[])
         )
         insert into payment_ops (order_id, kind, key, due_at)
         select order_id, 'create', 'create-' || order_id || '-1', due_at
         from unnest($1::uuid[], $19::timestamptz[], $20::text[]) as a (order_id, due_at, intent) where intent is null",
        &ids[..],
        &clubs[..],
        &accounts as _,
        &keys as _,
        &tokens as _,
        &lines[..],
        &subtotals[..],
        &card_fees[..],
        &names as _,
        &emails as _,
        &phones as _,
        &opened[..],
        &authorised as _,
        &columns.orders[..],
        &columns.draws[..],
        &columns.counts[..],
        &columns.prices[..],
        &columns.card_fees[..],
        &due[..],
        &intents as _,
        &hashes[..],
        &sealed[..]
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Builds the domain's `Order` value, which computes the totals of the order's lines.
fn order_with_totals(order: &NewOrder) -> Order {
    Order {
        id: order.id,
        club: order.club,
        account: order.account.clone(),
        state: OrderState::Quoted,
        lines: order.lines.clone(),
        payment_intent: None,
        application_fee: domain::Cents::ZERO,
    }
}

/// Order lines as arrays, one for each column.
#[derive(Default)]
struct OrderLineColumns {
    orders: Vec<Uuid>,
    draws: Vec<i64>,
    counts: Vec<i16>,
    prices: Vec<i64>,
    card_fees: Vec<i64>,
}

impl OrderLineColumns {
    fn add(&mut self, order: Uuid, lines: &[Line]) {
        for line in lines {
            self.orders.push(order);
            self.draws.push(line.draw.0);
            self.counts.push(line.count.cast_signed());
            self.prices.push(line.unit_price.0);
            self.card_fees.push(line.card_fee.0);
        }
    }

    /// Inserts order lines. If the order already has a line in the draw, that line gets the new
    /// count and price.
    async fn insert_lines(self, connection: &mut PgConnection) -> Result<(), TransactionError> {
        sqlx::query!(
            "insert into order_lines (order_id, draw_id, count, unit_price_cents, card_fee_cents)
             select * from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[])
             on conflict (order_id, draw_id) do update set count = excluded.count,
               unit_price_cents = excluded.unit_price_cents, card_fee_cents = excluded.card_fee_cents",
            &self.orders[..],
            &self.draws[..],
            &self.counts[..],
            &self.prices[..],
            &self.card_fees[..]
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Replaces the lines of a `quoted` order that has no tickets. If the order has a payment intent,
/// an `update` operation is queued.
async fn replace_order_lines(
    connection: &mut PgConnection,
    commit: &PreparedCommit,
    order: Uuid,
    lines: &[Line],
) -> Result<(), TransactionError> {
    let subtotal: domain::Cents = lines.iter().map(Line::subtotal).sum();
    let card_fee: domain::Cents = lines.iter().map(|line| line.card_fee).sum();
    let draws: Vec<i64> = lines.iter().map(|line| line.draw.0).collect();
    let intent = sqlx::query_scalar!(
        "update orders set lines = $2, subtotal_cents = $3, card_fee_cents = $4
         where id = $1 and state = 'quoted' and lines_allocated = 0
         returning payment_intent_id",
        order,
        lines.len() as i16,
        subtotal.0,
        card_fee.0
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(intent) = intent else {
        return Err(TransactionError::Refused(Failure::NotFound));
    };
    sqlx::query!(
        "delete from order_lines where order_id = $1 and draw_id <> all($2)",
        order,
        &draws[..]
    )
    .execute(&mut *connection)
    .await?;
    let mut columns = OrderLineColumns::default();
    columns.add(order, lines);
    columns.insert_lines(connection).await?;
    sqlx::query!(
        "update payment_ops set state = 'dropped', ended_at = transaction_instant()
         where order_id = $1 and kind = 'update' and state = 'pending'",
        order
    )
    .execute(&mut *connection)
    .await?;
    if intent.is_some() {
        let key = format!(
            "update-{order}-{}-{}",
            commit.append.draw,
            commit.append.after + 1
        );
        sqlx::query!(
            "insert into payment_ops (order_id, kind, key, due_at) values ($1, 'update', $2, $3)",
            order,
            key,
            instant::to_stored_time(update_due_at(commit.append.at))
        )
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Changes the names, contact and settings that a draw's page shows beside its terms. `None` leaves
/// a column unchanged.
async fn update_draw_details(
    connection: &mut PgConnection,
    draw: DrawId,
    details: &DrawDetails,
) -> Result<(), TransactionError> {
    sqlx::query!(
        "update draws set
           league = case when $2 then $3 else league end,
           home_team = coalesce($4, home_team),
           away_team = coalesce($5, away_team),
           zone = coalesce($6, zone),
           contact_name = coalesce($7, contact_name),
           contact_phone = coalesce($8, contact_phone),
           pass_card_fee = coalesce($9, pass_card_fee)
         where id = $1",
        draw.0,
        details.league.is_some(),
        details.league.as_ref().and_then(Option::as_deref),
        details.home_team.as_deref(),
        details.away_team.as_deref(),
        details.zone.as_deref(),
        details.contact_name.as_deref(),
        details.contact_phone.as_deref(),
        details.pass_card_fee
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn update_due_at(at: Timestamp) -> Timestamp {
    at.plus_ms(FAST_PATH_EXCLUSIVE_MS)
}

/// Records when payments were authorised. If an order has a time already, that time stays.
async fn record_authorisations(
    connection: &mut PgConnection,
    (orders, at): (Vec<Uuid>, Vec<OffsetDateTime>),
) -> Result<(), TransactionError> {
    let order_count: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let order_count = order_count.len() as u64;
    let updated = sqlx::query!(
        "update orders o set authorised_at = coalesce(o.authorised_at, a.at)
         from unnest($1::uuid[], $2::timestamptz[]) as a (order_id, at)
         where o.id = a.order_id",
        &orders[..],
        &at[..]
    )
    .execute(connection)
    .await?;
    if updated.rows_affected() == order_count {
        Ok(())
    } else {
        Err(TransactionError::Refused(Failure::NotFound))
    }
}
