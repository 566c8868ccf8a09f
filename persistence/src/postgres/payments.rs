//! Statements for payment intents: created, captured, mirrored, and observed by the reconciler.

use std::collections::BTreeMap;

use domain::{OrderState, OrderTransition, PaymentIntent, Timestamp, TransitionDecision};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::purchase_writes::{Outcomes, PurchaseWrite, WriteOutcome};
use super::writer::TransactionError;
use super::{codec, instant};
use crate::error::Failure;
use crate::link_secrets::LinkSecrets;

/// Stores an order's payment intent, or its capture.
pub(super) const RECORD_INTENT_OR_CAPTURE: &str = "update orders o set
       payment_intent_id = coalesce(a.intent, o.payment_intent_id),
       client_secret = coalesce(o.client_secret, a.secret),
       client_secret_sealed = coalesce(o.client_secret_sealed, a.sealed),
       state = case when a.captured is null then o.state else 'captured' end,
       captured_at = coalesce(a.captured, o.captured_at)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bytea[])
       as a (order_id, intent, secret, captured, sealed)
     where o.id = a.order_id and case
       when a.captured is not null then o.state = 'allocated'
       else o.payment_intent_id = a.intent or o.payment_intent_id is null and o.state in ('quoted', 'allocated') end
     returning o.id";

/// Writes what follows. A new payment intent ends its `create` operation. A capture ends its own
/// operation and drops the others, mirrors the provider's figures, records offers as sold (the
/// first sale locks an offer, decision H-4), and queues the confirmation mail.
const RECORD_RESULTS: &str = "with ended as (
       update payment_ops p set state = case when p.kind = a.done then 'done' else 'dropped' end, ended_at = transaction_instant()
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

/// Records new payment intents and captures, with everything that follows from them.
pub(super) async fn record_intents_and_captures(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    batch: &[&PurchaseWrite],
    outcomes: &mut Outcomes,
) -> Result<(), TransactionError> {
    let mut positions = BTreeMap::new();
    let (mut orders, mut ids, mut at) = (Vec::new(), Vec::new(), Vec::new());
    let (mut clear_secrets, mut sealed_secrets) = (Vec::new(), Vec::new());
    for (position, write) in batch.iter().enumerate() {
        let (order, id, secret, captured_at) = match write {
            PurchaseWrite::RecordPaymentIntent {
                order,
                id,
                client_secret,
            } => (
                order,
                Some(id.0.as_str()),
                Some(client_secret.as_str()),
                None,
            ),
            PurchaseWrite::RecordCapture { order, at, .. } => {
                (order, None, None, Some(instant::stored(*at)))
            }
            _ => continue,
        };
        positions.insert(codec::uuid(*order), position);
        orders.push(codec::uuid(*order));
        ids.push(id);
        let secret = secret.map(|secret| secrets.store_client_secret(codec::uuid(*order), secret));
        let (clear, sealed) = secret.unzip();
        clear_secrets.push(clear.flatten());
        sealed_secrets.push(sealed);
        at.push(captured_at);
    }
    if orders.is_empty() {
        return Ok(());
    }
    let query = sqlx::query_scalar(RECORD_INTENT_OR_CAPTURE)
        .bind(orders)
        .bind(ids)
        .bind(clear_secrets)
        .bind(at)
        .bind(sealed_secrets);
    let done: Vec<Uuid> = query.fetch_all(&mut *connection).await?;
    record_results(
        connection,
        done.iter()
            .map(|order| (*order, batch[positions[order]]))
            .collect(),
    )
    .await?;
    for order in done {
        outcomes[positions[&order]] = Some(Ok(WriteOutcome::Done));
    }
    for (order, state, was_captured) in
        order_states(connection, &unanswered(&positions, outcomes)).await?
    {
        let outcome = match batch[positions[&order]] {
            PurchaseWrite::RecordCapture { .. } => explain_unwritten_capture(state, was_captured),
            _ => Err(Failure::NotWritten(format!(
                "an order that is {} has another payment intent, or needs none",
                state.name()
            ))),
        };
        outcomes[positions[&order]] = Some(outcome);
    }
    Ok(())
}

async fn record_results(
    connection: &mut PgConnection,
    changed: Vec<(Uuid, &PurchaseWrite)>,
) -> Result<(), TransactionError> {
    if changed.is_empty() {
        return Ok(());
    }
    let (mut intents, mut orders, mut done) =
        (PaymentIntentColumns::default(), Vec::new(), Vec::new());
    for (order, write) in changed {
        orders.push(order);
        match write {
            PurchaseWrite::RecordCapture { intent, at, .. } => {
                intents.add(Some(order), intent, *at);
                done.push("capture");
            }
            _ => done.push("create"),
        }
    }
    intents
        .bind(sqlx::query(RECORD_RESULTS))
        .bind(orders)
        .bind(done)
        .execute(connection)
        .await?;
    Ok(())
}

fn unanswered(positions: &BTreeMap<Uuid, usize>, outcomes: &Outcomes) -> Vec<Uuid> {
    positions
        .iter()
        .filter(|(_, position)| outcomes[**position].is_none())
        .map(|(order, _)| *order)
        .collect()
}

/// Answers a capture that changed no order: it was recorded before, or it is refused.
fn explain_unwritten_capture(
    state: OrderState,
    was_captured: bool,
) -> Result<WriteOutcome, Failure> {
    let capture = OrderTransition::Capture { was_captured };
    // Tickets do not matter for a capture.
    match capture.decide(state, true) {
        TransitionDecision::AlreadyDone => Ok(WriteOutcome::Done),
        TransitionDecision::Allowed | TransitionDecision::Refused => {
            Err(capture.refusal(state).into())
        }
    }
}

/// Returns the state of each order, and whether it was ever captured.
async fn order_states(
    connection: &mut PgConnection,
    orders: &[Uuid],
) -> Result<Vec<(Uuid, OrderState, bool)>, TransactionError> {
    if orders.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(Uuid, String, bool)> =
        sqlx::query_as("select id, state, captured_at is not null from orders where id = any($1)")
            .bind(orders)
            .fetch_all(connection)
            .await?;
    rows.into_iter()
        .map(|(order, state, was_captured)| {
            let state = codec::read_order_state(&state).map_err(TransactionError::Refused)?;
            Ok((order, state, was_captured))
        })
        .collect()
}

/// Payment intents as columns.
#[derive(Default)]
struct PaymentIntentColumns {
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

impl PaymentIntentColumns {
    fn add(&mut self, order: Option<Uuid>, intent: &PaymentIntent, at: Timestamp) {
        self.ids.push(intent.id.0.clone());
        self.orders.push(order);
        self.accounts.push(intent.account.0.clone());
        self.statuses.push(codec::payment_status(intent.status));
        self.currencies.push(intent.currency.clone());
        let amounts = [
            intent.amount,
            intent.amount_received,
            intent.amount_refunded,
            intent.application_fee,
            intent.application_fee_refunded,
        ];
        for (column, amount) in self.amounts.iter_mut().zip(amounts) {
            column.push(amount.0);
        }
        self.provider_fees
            .push(intent.provider_fee.map(|fee| fee.0));
        self.disputed.push(intent.disputed);
        self.methods.push(intent.method.clone());
        self.at.push(instant::stored(at));
    }

    /// Binds `$1` … `$14`, in the order of the columns.
    fn bind(self, query: InsertQuery<'_>) -> InsertQuery<'_> {
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

type InsertQuery<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// Stores provider snapshots, and completes the provider's fee in the mirrored payment. Queues a
/// mail to the club about a disputed payment, even when a newer snapshot was stored before.
pub(super) async fn store_snapshots(
    pool: &PgPool,
    intent: &[PaymentIntent],
    at: Timestamp,
) -> Result<(), Failure> {
    let mut intents = PaymentIntentColumns::default();
    intent
        .iter()
        .for_each(|intent| intents.add(intent.order.map(codec::uuid), intent, at));
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

/// Returns the fee that voiding an order's tickets took off: the sum over the draws whose last fee
/// step of this order is a void.
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

/// Returns the total of an order's fee refunds that are done.
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
