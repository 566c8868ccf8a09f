//! What an order wants written together with a draw's commit.

use domain::{DrawId, Line, Order, OrderState, Timestamp};
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::group::Commit;
use super::writer::Trouble;
use super::{instant, words};
use crate::books::FAST_PATH_MS;
use crate::error::Failure;
use crate::ledger::{BuyerDetails, DrawDetails, NewOrder, Rider};

pub(super) async fn write(
    connection: &mut PgConnection,
    commits: &[&Commit],
) -> Result<(), Trouble> {
    let mut opens = Vec::new();
    let mut authorised: (Vec<Uuid>, Vec<OffsetDateTime>) = Default::default();
    for commit in commits {
        match &commit.append.rider {
            None => {}
            // The allocation writes it with the order's other news.
            Some(Rider::Authorised { order, .. }) if commit.allocates(*order) => {}
            Some(Rider::Open(order)) => opens.push(order),
            Some(Rider::Authorised { order, at }) => {
                authorised.0.push(words::uuid(*order));
                authorised.1.push(instant::stored(*at));
            }
            // Rare, so one by one.
            Some(Rider::Reprice { order, lines }) => {
                reprice(connection, commit, words::uuid(*order), lines).await?;
            }
            Some(Rider::Describe(details)) => {
                describe(connection, commit.append.draw, details).await?
            }
        }
    }
    if !opens.is_empty() {
        open(connection, &opens).await?;
    }
    if !authorised.0.is_empty() {
        note_authorised(connection, authorised).await?;
    }
    Ok(())
}

/// New orders, their lines, and a `create` operation for each that has no payment yet.
async fn open(connection: &mut PgConnection, orders: &[&NewOrder]) -> Result<(), Trouble> {
    let (mut ids, mut clubs, mut accounts, mut keys, mut tokens) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lines, mut subtotals, mut card_fees, mut opened) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut names, mut emails, mut phones, mut due) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut intents = Vec::new();
    let mut columns = Lines::default();
    for order in orders {
        ids.push(words::uuid(order.id));
        clubs.push(order.club.0);
        accounts.push(order.account.0.as_str());
        keys.push(order.client_key.as_str());
        tokens.push(order.token.as_str());
        let total = totals(order);
        lines.push(order.lines.len() as i16);
        subtotals.push(total.subtotal().0);
        card_fees.push(total.card_fee().0);
        let buyer = BuyerDetails::default().filled(&order.buyer);
        names.push(buyer.name);
        emails.push(buyer.email);
        phones.push(buyer.phone);
        opened.push(instant::stored(order.at));
        due.push(instant::stored(order.at.plus_ms(FAST_PATH_MS)));
        intents.push(order.payment_intent.as_ref().map(|id| id.0.as_str()));
        columns.add(words::uuid(order.id), &order.lines);
    }
    // One round trip: whatever is written by itself waits for the database by itself.
    sqlx::query(
        "with opened as (
           insert into orders (id, club_id, account_id, client_key, token, lines, subtotal_cents, card_fee_cents, buyer_name,
             buyer_email, buyer_phone, opened_at, authorised_at, payment_intent_id)
           select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[],
             $8::bigint[], $9::text[], $10::text[], $11::text[], $12::timestamptz[], $13::timestamptz[], $20::text[])
         ), lined as (
           insert into order_lines (order_id, draw_id, count, unit_price_cents, card_fee_cents)
           select * from unnest($14::uuid[], $15::bigint[], $16::smallint[], $17::bigint[], $18::bigint[])
         )
         insert into payment_ops (order_id, kind, key, due_at)
         select order_id, 'create', 'create-' || order_id || '-1', due_at
         from unnest($1::uuid[], $19::timestamptz[], $20::text[]) as a (order_id, due_at, intent) where intent is null",
    )
    .bind(ids)
    .bind(clubs)
    .bind(accounts)
    .bind(keys)
    .bind(tokens)
    .bind(lines)
    .bind(subtotals)
    .bind(card_fees)
    .bind(names)
    .bind(emails)
    .bind(phones)
    .bind(opened)
    .bind(orders.iter().map(|order| order.authorised_at.map(instant::stored)).collect::<Vec<_>>())
    .bind(columns.orders)
    .bind(columns.draws)
    .bind(columns.counts)
    .bind(columns.prices)
    .bind(columns.card_fees)
    .bind(due)
    .bind(intents)
    .execute(connection)
    .await?;
    Ok(())
}

/// The domain adds up; here it is only written down.
fn totals(order: &NewOrder) -> Order {
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

/// Order lines as columns.
#[derive(Default)]
struct Lines {
    orders: Vec<Uuid>,
    draws: Vec<i64>,
    counts: Vec<i16>,
    prices: Vec<i64>,
    card_fees: Vec<i64>,
}

impl Lines {
    fn add(&mut self, order: Uuid, lines: &[Line]) {
        for line in lines {
            self.orders.push(order);
            self.draws.push(line.draw.0);
            self.counts.push(line.count.cast_signed());
            self.prices.push(line.unit_price.0);
            self.card_fees.push(line.card_fee.0);
        }
    }

    /// A line of the same order and draw gets the new count and price.
    async fn insert(self, connection: &mut PgConnection) -> Result<(), Trouble> {
        sqlx::query(
            "insert into order_lines (order_id, draw_id, count, unit_price_cents, card_fee_cents)
             select * from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[])
             on conflict (order_id, draw_id) do update set count = excluded.count,
               unit_price_cents = excluded.unit_price_cents, card_fee_cents = excluded.card_fee_cents",
        )
        .bind(self.orders)
        .bind(self.draws)
        .bind(self.counts)
        .bind(self.prices)
        .bind(self.card_fees)
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Only a quoted order without tickets has a price to change. A payment intent that exists must hear of it.
async fn reprice(
    connection: &mut PgConnection,
    commit: &Commit,
    order: Uuid,
    lines: &[Line],
) -> Result<(), Trouble> {
    let subtotal: domain::Cents = lines.iter().map(Line::subtotal).sum();
    let card_fee: domain::Cents = lines.iter().map(|line| line.card_fee).sum();
    let draws: Vec<i64> = lines.iter().map(|line| line.draw.0).collect();
    let intent: Option<Option<String>> = sqlx::query_scalar(
        "update orders set lines = $2, subtotal_cents = $3, card_fee_cents = $4
         where id = $1 and state = 'quoted' and lines_allocated = 0
         returning payment_intent_id",
    )
    .bind(order)
    .bind(lines.len() as i16)
    .bind(subtotal.0)
    .bind(card_fee.0)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(intent) = intent else {
        return Err(Trouble::Refused(Failure::NotFound));
    };
    sqlx::query("delete from order_lines where order_id = $1 and draw_id <> all($2)")
        .bind(order)
        .bind(draws)
        .execute(&mut *connection)
        .await?;
    let mut columns = Lines::default();
    columns.add(order, lines);
    columns.insert(connection).await?;
    sqlx::query(
        "update payment_ops set state = 'dropped', ended_at = now()
         where order_id = $1 and kind = 'update' and state = 'pending'",
    )
    .bind(order)
    .execute(&mut *connection)
    .await?;
    if intent.is_some() {
        let key = format!(
            "update-{order}-{}-{}",
            commit.append.draw,
            commit.append.after + 1
        );
        sqlx::query(
            "insert into payment_ops (order_id, kind, key, due_at) values ($1, 'update', $2, $3)",
        )
        .bind(order)
        .bind(key)
        .bind(instant::stored(due(commit.append.at)))
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// What a draw's page says beside its terms; what is not given stays.
async fn describe(
    connection: &mut PgConnection,
    draw: DrawId,
    details: &DrawDetails,
) -> Result<(), Trouble> {
    sqlx::query(
        "update draws set
           league = case when $2 then $3 else league end,
           home_team = coalesce($4, home_team),
           away_team = coalesce($5, away_team),
           zone = coalesce($6, zone),
           contact_name = coalesce($7, contact_name),
           contact_phone = coalesce($8, contact_phone),
           pass_card_fee = coalesce($9, pass_card_fee)
         where id = $1",
    )
    .bind(draw.0)
    .bind(details.league.is_some())
    .bind(details.league.clone().flatten())
    .bind(&details.home_team)
    .bind(&details.away_team)
    .bind(&details.zone)
    .bind(&details.contact_name)
    .bind(&details.contact_phone)
    .bind(details.pass_card_fee)
    .execute(connection)
    .await?;
    Ok(())
}

fn due(at: Timestamp) -> Timestamp {
    at.plus_ms(FAST_PATH_MS)
}

/// The first time counts.
async fn note_authorised(
    connection: &mut PgConnection,
    (orders, at): (Vec<Uuid>, Vec<OffsetDateTime>),
) -> Result<(), Trouble> {
    let wanted: std::collections::BTreeSet<&Uuid> = orders.iter().collect();
    let wanted = wanted.len() as u64;
    let known = sqlx::query(
        "update orders o set authorised_at = coalesce(o.authorised_at, a.at)
         from unnest($1::uuid[], $2::timestamptz[]) as a (order_id, at)
         where o.id = a.order_id",
    )
    .bind(&orders)
    .bind(at)
    .execute(connection)
    .await?;
    if known.rows_affected() == wanted {
        Ok(())
    } else {
        Err(Trouble::Refused(Failure::NotFound))
    }
}
