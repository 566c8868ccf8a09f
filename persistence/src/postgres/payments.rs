//! Payment intents: made, taken, mirrored, and seen by the reconciler.

use std::collections::BTreeMap;

use domain::{PaymentIntent, Timestamp};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::entries::{Answers, Entry, Said};
use super::orders::cannot;
use super::writer::Trouble;
use super::{instant, words};
use crate::error::Failure;

/// Stores ids and secrets of new payment intents; their `create` operations are done.
pub(super) async fn opened(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut orders, mut ids, mut secrets) = (Vec::new(), Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Opened { order, id, client_secret } = ask {
            places.insert(words::uuid(*order), place);
            orders.push(words::uuid(*order));
            ids.push(id.0.as_str());
            secrets.push(client_secret.as_str());
        }
    }
    if orders.is_empty() {
        return Ok(());
    }
    let done: Vec<Uuid> = sqlx::query_scalar(
        "with done as (
           update orders o set payment_intent_id = a.id, client_secret = coalesce(o.client_secret, a.secret)
           from unnest($1::uuid[], $2::text[], $3::text[]) as a (order_id, id, secret)
           where o.id = a.order_id
             and (o.payment_intent_id = a.id or o.payment_intent_id is null and o.state in ('quoted', 'allocated'))
           returning o.id
         ), made as (
           update payment_ops p set state = 'done', ended_at = now() from done
           where p.order_id = done.id and p.kind = 'create' and p.state = 'pending'
         )
         select id from done",
    )
    .bind(&orders)
    .bind(ids)
    .bind(secrets)
    .fetch_all(&mut *connection)
    .await?;
    for order in done {
        answers[places[&order]] = Some(Ok(Said::Done));
    }
    for (order, state, _) in standing(connection, &unanswered(&places, answers)).await? {
        let refused =
            Failure::NotWritten(format!("an order that is {state} has another payment intent, or needs none"));
        answers[places[&order]] = Some(Err(refused));
    }
    Ok(())
}

/// The money is taken: the order is captured, its capture done, the provider's figures mirrored, the mail queued.
pub(super) async fn captured(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut orders, mut at) = (Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Captured { order, at: captured_at, .. } = ask {
            places.insert(words::uuid(*order), place);
            orders.push(words::uuid(*order));
            at.push(instant::stored(*captured_at));
        }
    }
    if orders.is_empty() {
        return Ok(());
    }
    let done: Vec<Uuid> = sqlx::query_scalar(
        "update orders o set state = 'captured', captured_at = a.at
         from unnest($1::uuid[], $2::timestamptz[]) as a (order_id, at)
         where o.id = a.order_id and o.state = 'allocated'
         returning o.id",
    )
    .bind(orders)
    .bind(at)
    .fetch_all(&mut *connection)
    .await?;
    let intents = done.iter().filter_map(|order| match asks[places[order]] {
        Entry::Captured { said, at, .. } => Some((*order, said, *at)),
        _ => None,
    });
    mirror(connection, intents.collect()).await?;
    finish(connection, &done).await?;
    for order in done {
        answers[places[&order]] = Some(Ok(Said::Done));
    }
    for (order, state, captured) in standing(connection, &unanswered(&places, answers)).await? {
        let said = if captured { Ok(Said::Done) } else { Err(cannot(&state, "captured")) };
        answers[places[&order]] = Some(said);
    }
    Ok(())
}

/// Operations of captured orders, and the one confirmation mail of each.
async fn finish(connection: &mut PgConnection, orders: &[Uuid]) -> Result<(), Trouble> {
    if orders.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "with ended as (
           update payment_ops set state = case kind when 'capture' then 'done' else 'dropped' end, ended_at = now()
           where order_id = any($1) and kind in ('capture', 'create', 'update', 'cancel') and state = 'pending'
         )
         insert into email_outbox (dedupe_key, kind, order_id, to_address)
         select 'tickets-' || id, 'tickets', id, buyer_email from orders where id = any($1)
         on conflict (dedupe_key) do nothing",
    )
    .bind(orders)
    .execute(connection)
    .await?;
    Ok(())
}

fn unanswered(places: &BTreeMap<Uuid, usize>, answers: &Answers) -> Vec<Uuid> {
    places.iter().filter(|(_, place)| answers[**place].is_none()).map(|(order, _)| *order).collect()
}

/// State of orders, and whether they were ever captured.
async fn standing(connection: &mut PgConnection, orders: &[Uuid]) -> Result<Vec<(Uuid, String, bool)>, Trouble> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as("select id, state, captured_at is not null from orders where id = any($1)")
        .bind(orders)
        .fetch_all(connection)
        .await?;
    Ok(found)
}

/// Payment intents as columns.
#[derive(Default)]
struct Intents {
    ids: Vec<String>,
    orders: Vec<Option<Uuid>>,
    accounts: Vec<String>,
    statuses: Vec<&'static str>,
    currencies: Vec<String>,
    amounts: [Vec<i64>; 5],
    provider_fees: Vec<Option<i64>>,
    disputed: Vec<bool>,
    methods: Vec<Option<String>>,
    at: Vec<time::OffsetDateTime>,
}

impl Intents {
    fn add(&mut self, order: Option<Uuid>, said: &PaymentIntent, at: Timestamp) {
        self.ids.push(said.id.0.clone());
        self.orders.push(order);
        self.accounts.push(said.account.0.clone());
        self.statuses.push(words::payment_status(said.status));
        self.currencies.push(said.currency.clone());
        let amounts = [
            said.amount,
            said.amount_received,
            said.amount_refunded,
            said.application_fee,
            said.application_fee_refunded,
        ];
        for (column, amount) in self.amounts.iter_mut().zip(amounts) {
            column.push(amount.0);
        }
        self.provider_fees.push(said.provider_fee.map(|fee| fee.0));
        self.disputed.push(said.disputed);
        self.methods.push(said.method.clone());
        self.at.push(instant::stored(at));
    }

    /// `$1` … `$14`, in the order of the columns.
    fn bind(self, query: Bindable<'_>) -> Bindable<'_> {
        let [amount, received, refunded, fee, fee_refunded] = self.amounts;
        query
            .bind(self.ids)
            .bind(self.orders)
            .bind(self.accounts)
            .bind(self.statuses)
            .bind(self.currencies)
            .bind(amount)
            .bind(received)
            .bind(refunded)
            .bind(fee)
            .bind(fee_refunded)
            .bind(self.provider_fees)
            .bind(self.disputed)
            .bind(self.methods)
            .bind(self.at)
    }
}

type Bindable<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

async fn mirror(connection: &mut PgConnection, said: Vec<(Uuid, &PaymentIntent, Timestamp)>) -> Result<(), Trouble> {
    let mut intents = Intents::default();
    for (order, said, at) in said {
        intents.add(Some(order), said, at);
    }
    if intents.ids.is_empty() {
        return Ok(());
    }
    let query = sqlx::query(
        "insert into payments (payment_intent_id, order_id, account_id, status, currency, amount_cents,
           amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents,
           provider_fee_cents, disputed, payment_method, synced_at)
         select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
           $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::text[], $14::timestamptz[])
         on conflict (payment_intent_id) do nothing",
    );
    intents.bind(query).execute(connection).await?;
    Ok(())
}

/// The reconciler's copy. A mirror that did not know the provider's own fee yet learns it.
pub(super) async fn witness(pool: &PgPool, said: &PaymentIntent, at: Timestamp) -> Result<(), Failure> {
    let mut intents = Intents::default();
    intents.add(said.order.map(words::uuid), said, at);
    let query = sqlx::query(
        "with seen as (
           insert into provider_pi (payment_intent_id, order_id, account_id, status, currency, amount_cents,
             amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents,
             provider_fee_cents, disputed, payment_method, first_seen_at, status_since, synced_at)
           select a.*, a.at, a.at from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[],
             $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::text[],
             $14::timestamptz[]) as a (id, order_id, account, status, currency, amount, received, refunded, fee, fee_refunded,
               provider_fee, disputed, method, at)
           on conflict (payment_intent_id) do update set
             order_id = excluded.order_id, account_id = excluded.account_id, status = excluded.status,
             currency = excluded.currency, amount_cents = excluded.amount_cents,
             amount_received_cents = excluded.amount_received_cents,
             amount_refunded_cents = excluded.amount_refunded_cents,
             application_fee_cents = excluded.application_fee_cents,
             application_fee_refunded_cents = excluded.application_fee_refunded_cents,
             provider_fee_cents = coalesce(excluded.provider_fee_cents, provider_pi.provider_fee_cents),
             disputed = excluded.disputed,
             payment_method = coalesce(excluded.payment_method, provider_pi.payment_method),
             status_since = case when provider_pi.status = excluded.status then provider_pi.status_since
                                 else excluded.status_since end,
             synced_at = excluded.synced_at
             where provider_pi.synced_at <= excluded.synced_at
           returning payment_intent_id, provider_fee_cents, disputed, payment_method
         )
         update payments p set provider_fee_cents = coalesce(s.provider_fee_cents, p.provider_fee_cents),
           disputed = s.disputed, payment_method = coalesce(p.payment_method, s.payment_method)
         from seen s where p.payment_intent_id = s.payment_intent_id",
    );
    intents.bind(query).execute(pool).await.map_err(Failure::at_commit)?;
    Ok(())
}

/// What voiding an order's tickets took off its draws' fees: in each draw its last step, when that was a void.
pub(super) async fn fee_returned(pool: &PgPool, order: Uuid) -> Result<domain::Cents, Failure> {
    let row = sqlx::query(
        "select coalesce(sum(-s.fee_delta), 0)::bigint
         from order_lines l cross join lateral (
           select revenue_delta, fee_delta from fee_ledger f
           where f.draw_id = l.draw_id and f.order_id = l.order_id order by f.revision desc limit 1
         ) s
         where l.order_id = $1 and s.revenue_delta < 0",
    )
    .bind(order)
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read)?;
    row.try_get(0).map(domain::Cents).map_err(Failure::from_read)
}

/// What an order's fee refunds that are done came to.
pub(super) async fn fee_given_back(pool: &PgPool, order: Uuid) -> Result<domain::Cents, Failure> {
    let row = sqlx::query(
        "select coalesce(sum(amount_cents), 0)::bigint from payment_ops
         where order_id = $1 and kind = 'fee_refund' and state = 'done'",
    )
    .bind(order)
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read)?;
    row.try_get(0).map(domain::Cents).map_err(Failure::from_read)
}
