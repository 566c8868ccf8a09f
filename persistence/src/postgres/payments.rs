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

/// An order's turn here: its payment intent gets its name, or its money is taken.
const TURN: &str = "update orders o set
       payment_intent_id = coalesce(a.intent, o.payment_intent_id),
       client_secret = coalesce(o.client_secret, a.secret),
       state = case when a.captured is null then o.state else 'captured' end,
       captured_at = coalesce(a.captured, o.captured_at)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as a (order_id, intent, secret, captured)
     where o.id = a.order_id and case
       when a.captured is not null then o.state = 'allocated'
       else o.payment_intent_id = a.intent or o.payment_intent_id is null and o.state in ('quoted', 'allocated') end
     returning o.id";

/// What goes with it. A named intent ends its creation. A capture ends itself and makes everything else needless; the provider's
/// figures are mirrored, offers that the order was put together from are sold (the first sale locks an offer, decision H-4), and
/// the one confirmation mail is queued.
const SETTLE: &str = "with ended as (
       update payment_ops p set state = case when p.kind = a.done then 'done' else 'dropped' end, ended_at = now()
       from unnest($15::uuid[], $16::text[]) as a (order_id, done)
       where p.order_id = a.order_id and p.state = 'pending'
         and (p.kind = a.done or a.done = 'capture' and p.kind in ('create', 'update', 'cancel'))
     ), mirrored as (
       insert into payments (payment_intent_id, order_id, account_id, status, currency, amount_cents,
         amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents,
         provider_fee_cents, disputed, payment_method, synced_at)
       select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
         $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::text[], $14::timestamptz[])
       on conflict (payment_intent_id) do nothing
     ), sold as (
       insert into bundle_sales (bundle_id, order_id, quantity)
       select f.bundle_id, f.order_id, f.quantity
       from unnest($2::uuid[]) as a (order_id) join order_offers f on f.order_id = a.order_id
       on conflict (bundle_id, order_id) do nothing
     ), locked as (
       update bundles b set status = 'locked', updated_at = s.at
       from (
         select f.bundle_id, max(a.at) as at
         from unnest($2::uuid[], $14::timestamptz[]) as a (order_id, at) join order_offers f on f.order_id = a.order_id
         group by f.bundle_id
       ) s
       where b.id = s.bundle_id and b.status = 'active'
     )
     insert into email_outbox (dedupe_key, kind, order_id, to_address)
     select 'tickets-' || o.id, 'tickets', o.id, o.buyer_email from unnest($2::uuid[]) as a (id) join orders o on o.id = a.id
     on conflict (dedupe_key) do nothing";

/// Stores ids and secrets of new payment intents, and what was captured: the order's state, its operations, the provider's
/// figures, the mail.
pub(super) async fn turned(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut orders, mut ids, mut secrets, mut at) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        let (order, id, secret, captured_at) = match ask {
            Entry::Opened {
                order,
                id,
                client_secret,
            } => (
                order,
                Some(id.0.as_str()),
                Some(client_secret.as_str()),
                None,
            ),
            Entry::Captured { order, at, .. } => (order, None, None, Some(instant::stored(*at))),
            _ => continue,
        };
        places.insert(words::uuid(*order), place);
        orders.push(words::uuid(*order));
        ids.push(id);
        secrets.push(secret);
        at.push(captured_at);
    }
    if orders.is_empty() {
        return Ok(());
    }
    let query = sqlx::query_scalar(TURN)
        .bind(orders)
        .bind(ids)
        .bind(secrets)
        .bind(at);
    let done: Vec<Uuid> = query.fetch_all(&mut *connection).await?;
    settle(
        connection,
        done.iter()
            .map(|order| (*order, asks[places[order]]))
            .collect(),
    )
    .await?;
    for order in done {
        answers[places[&order]] = Some(Ok(Said::Done));
    }
    for (order, state, was_captured) in standing(connection, &unanswered(&places, answers)).await? {
        let said = match asks[places[&order]] {
            Entry::Captured { .. } if was_captured => Ok(Said::Done),
            Entry::Captured { .. } => Err(cannot(&state, "captured")),
            _ => Err(Failure::NotWritten(format!(
                "an order that is {state} has another payment intent, or needs none"
            ))),
        };
        answers[places[&order]] = Some(said);
    }
    Ok(())
}

async fn settle(connection: &mut PgConnection, turned: Vec<(Uuid, &Entry)>) -> Result<(), Trouble> {
    if turned.is_empty() {
        return Ok(());
    }
    let (mut intents, mut orders, mut done) = (Intents::default(), Vec::new(), Vec::new());
    for (order, turn) in turned {
        orders.push(order);
        match turn {
            Entry::Captured { said, at, .. } => {
                intents.add(Some(order), said, *at);
                done.push("capture");
            }
            _ => done.push("create"),
        }
    }
    intents
        .bind(sqlx::query(SETTLE))
        .bind(orders)
        .bind(done)
        .execute(connection)
        .await?;
    Ok(())
}

fn unanswered(places: &BTreeMap<Uuid, usize>, answers: &Answers) -> Vec<Uuid> {
    places
        .iter()
        .filter(|(_, place)| answers[**place].is_none())
        .map(|(order, _)| *order)
        .collect()
}

/// State of orders, and whether they were ever captured.
async fn standing(
    connection: &mut PgConnection,
    orders: &[Uuid],
) -> Result<Vec<(Uuid, String, bool)>, Trouble> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let found =
        sqlx::query_as("select id, state, captured_at is not null from orders where id = any($1)")
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

/// The reconciler's copy. A mirror that did not know the provider's own fee yet learns it. Of a dispute the order's club hears,
/// also when an answer to a later question, or one of a node whose clock is fast, was written before.
pub(super) async fn witness(
    pool: &PgPool,
    said: &[PaymentIntent],
    at: Timestamp,
) -> Result<(), Failure> {
    let mut intents = Intents::default();
    said.iter()
        .for_each(|said| intents.add(said.order.map(words::uuid), said, at));
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
         ), told as (
           insert into email_outbox (dedupe_key, kind, order_id, to_address)
           select 'disputed-' || a.id, 'disputed', o.id, c.email
           from unnest($1::text[], $12::boolean[]) as a (id, disputed)
           join orders o on o.payment_intent_id = a.id join clubs c on c.id = o.club_id
           where a.disputed
           on conflict (dedupe_key) do nothing
         )
         update payments p set provider_fee_cents = coalesce(s.provider_fee_cents, p.provider_fee_cents),
           disputed = s.disputed, payment_method = coalesce(p.payment_method, s.payment_method)
         from seen s where p.payment_intent_id = s.payment_intent_id",
    );
    intents
        .bind(query)
        .execute(pool)
        .await
        .map_err(Failure::at_commit)?;
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
    row.try_get(0)
        .map(domain::Cents)
        .map_err(Failure::from_read)
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
    row.try_get(0)
        .map(domain::Cents)
        .map_err(Failure::from_read)
}
