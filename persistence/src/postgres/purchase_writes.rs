//! The small writes of a purchase, such as a payment intent, a capture or a consent. Draw commits
//! write its tickets. Many small writes share one transaction. The statements for payment intents
//! and captures are in this file, the others in the files of their tables.

use std::collections::BTreeMap;

use domain::{
    OrderId, OrderState, OrderTransition, PaymentIntent, PaymentIntentId, Timestamp,
    TransitionDecision,
};
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::writer::{BatchTransaction, TransactionError};
use super::{Postgres, codec, instant, operations, orders, outbox, webhook_events};
use crate::error::Failure;
use crate::link_secrets::LinkSecrets;
use crate::nodes::InstanceId;
use crate::stable_hash::fnv1a;
use crate::stores::{AgreedTerms, AttemptOutcome, Operation, OperationKind, StoredWebhookEvent};

/// Maximum number of writes in one transaction.
pub(super) const TRANSACTION_WRITES_MAX: usize = 256;

/// One write of a purchase. Each variant corresponds to one method of a store.
pub(super) enum PurchaseWrite {
    RecordConsent {
        order: OrderId,
        at: Timestamp,
        ip: String,
        terms: AgreedTerms,
    },
    RecordPaymentIntent {
        order: OrderId,
        id: PaymentIntentId,
        client_secret: String,
    },
    RecordCapture {
        order: OrderId,
        intent: Box<PaymentIntent>,
        at: Timestamp,
    },
    ClaimOperation {
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    },
    RecordAttempt {
        operation: i64,
        attempt: AttemptOutcome,
    },
    StoreWebhookEvent {
        event: StoredWebhookEvent,
        receiver: InstanceId,
        at: Timestamp,
    },
    MarkEventHandled {
        event_id: String,
        at: Timestamp,
    },
    MarkMailSent {
        mail: i64,
        at: Timestamp,
    },
}

/// The outcome of a write.
pub(super) enum WriteOutcome {
    Done,
    Claimed(Option<Operation>),
    /// Whether the webhook event was stored for the first time.
    IsNewEvent(bool),
}

/// A worker that writes a batch of [`PurchaseWrite`]s in one transaction.
pub(super) struct PurchaseWrites;

/// The outcomes of a batch, each at the position of its write. `None` until the write is done.
pub(super) type WriteOutcomes = Vec<Option<Result<WriteOutcome, Failure>>>;

impl Postgres {
    /// Submits a write to the batch queue and waits for its outcome.
    pub(super) async fn submit(&self, write: PurchaseWrite) -> Result<WriteOutcome, Failure> {
        let outcome = self.inner.purchase_writes.submit(write).await;
        outcome.unwrap_or_else(|_| Err(Failure::Unknown("the writer panicked".into())))
    }
}

impl BatchTransaction for PurchaseWrites {
    type Request = PurchaseWrite;
    type Response = WriteOutcome;

    fn conflict_key(write: &PurchaseWrite) -> Option<u128> {
        Some(match write {
            PurchaseWrite::RecordConsent { order, .. }
            | PurchaseWrite::RecordPaymentIntent { order, .. }
            | PurchaseWrite::RecordCapture { order, .. }
            | PurchaseWrite::ClaimOperation { order, .. } => order.0,
            PurchaseWrite::RecordAttempt { operation: id, .. }
            | PurchaseWrite::MarkMailSent { mail: id, .. } => id.cast_unsigned().into(),
            PurchaseWrite::StoreWebhookEvent {
                event: StoredWebhookEvent { event_id, .. },
                ..
            }
            | PurchaseWrite::MarkEventHandled { event_id, .. } => fnv1a(event_id.as_bytes()).into(),
        })
    }

    async fn write_in_transaction(
        connection: &mut PgConnection,
        secrets: &LinkSecrets,
        batch: &[&PurchaseWrite],
    ) -> Result<Vec<Result<WriteOutcome, Failure>>, TransactionError> {
        let mut outcomes: WriteOutcomes = batch.iter().map(|_| None).collect();
        // Every batch runs its kinds of writes in this sequence. So every writer locks orders
        // before it locks operations and mails.
        orders::record_consents(connection, batch, &mut outcomes).await?;
        record_intents_and_captures(connection, secrets, batch, &mut outcomes).await?;
        operations::claim_operations_of_orders(connection, batch, &mut outcomes).await?;
        operations::record_attempts(connection, batch, &mut outcomes).await?;
        webhook_events::store_events_once(connection, batch, &mut outcomes).await?;
        webhook_events::mark_handled(connection, batch, &mut outcomes).await?;
        outbox::mark_sent(connection, batch, &mut outcomes).await?;
        Ok(outcomes
            .into_iter()
            .map(|outcome| outcome.unwrap_or(Err(Failure::NotFound)))
            .collect())
    }
}

/// Records new payment intents and captures, with all their consequences in other tables.
async fn record_intents_and_captures(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    batch: &[&PurchaseWrite],
    outcomes: &mut WriteOutcomes,
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
                (order, None, None, Some(instant::to_stored_time(*at)))
            }
            _ => continue,
        };
        positions.insert(codec::order_uuid(*order), position);
        orders.push(codec::order_uuid(*order));
        ids.push(id);
        let secret = secret
            .map(|secret| secrets.stored_client_secret_forms(codec::order_uuid(*order), secret));
        let (clear, sealed) = secret.unzip();
        clear_secrets.push(clear.flatten());
        sealed_secrets.push(sealed);
        at.push(captured_at);
    }
    if orders.is_empty() {
        return Ok(());
    }
    // Stores new payment intents of orders, or their captures.
    let done = sqlx::query_file_scalar!(
        "src/postgres/record_intent_or_capture.sql",
        &orders[..],
        &ids as _,
        &clear_secrets as _,
        &at as _,
        &sealed_secrets as _
    )
    .fetch_all(&mut *connection)
    .await?;
    write_intent_and_capture_effects(
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
        order_states(connection, &orders_without_outcome(&positions, outcomes)).await?
    {
        let outcome = match batch[positions[&order]] {
            PurchaseWrite::RecordCapture { .. } => {
                outcome_of_unwritten_capture(state, was_captured)
            }
            _ => Err(Failure::NotWritten(format!(
                "an order that is {} has another payment intent, or needs none",
                state.name()
            ))),
        };
        outcomes[positions[&order]] = Some(outcome);
    }
    Ok(())
}

/// Writes what follows from new payment intents and captures. A new payment intent marks its
/// `create` operation done. A capture marks its operation done, drops the order's other operations
/// and stores the provider's figures. It also records offers as sold (the first sale locks an
/// offer, decision H-4), and queues the confirmation mail.
async fn write_intent_and_capture_effects(
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
    let [amount, received, refunded, fee, fee_refunded] = &intents.amounts;
    sqlx::query!(
        "with ended as (
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
         on conflict (dedupe_key) do nothing",
        &intents.ids[..],
        &intents.orders as _,
        &intents.accounts[..],
        &intents.statuses as _,
        &intents.currencies[..],
        &amount[..],
        &received[..],
        &refunded[..],
        &fee[..],
        &fee_refunded[..],
        &intents.provider_fees as _,
        &intents.disputed[..],
        &intents.methods as _,
        &intents.at[..],
        &orders[..],
        &done as _
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn orders_without_outcome(
    positions: &BTreeMap<Uuid, usize>,
    outcomes: &WriteOutcomes,
) -> Vec<Uuid> {
    positions
        .iter()
        .filter(|(_, position)| outcomes[**position].is_none())
        .map(|(order, _)| *order)
        .collect()
}

/// Returns the outcome of a capture whose statement changed no order: either the capture was
/// recorded before, or it is refused.
fn outcome_of_unwritten_capture(
    state: OrderState,
    was_captured: bool,
) -> Result<WriteOutcome, Failure> {
    let capture = OrderTransition::Capture { was_captured };
    // The second argument says whether the order has tickets. It does not matter for a capture.
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
    let rows = sqlx::query!(
        r#"select id, state, captured_at is not null as "was_captured!" from orders where id = any($1)"#,
        orders
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|row| {
            let state = codec::parse_order_state(&row.state).map_err(TransactionError::Refused)?;
            Ok((row.id, state, row.was_captured))
        })
        .collect()
}

/// The fields of payment intents as arrays, one for each column.
#[derive(Default)]
pub(super) struct PaymentIntentColumns {
    pub ids: Vec<String>,
    pub orders: Vec<Option<Uuid>>,
    pub accounts: Vec<String>,
    pub statuses: Vec<&'static str>,
    pub currencies: Vec<String>,
    /// The amounts charged, received and refunded, the application fee, and its refunded part.
    pub amounts: [Vec<i64>; 5],
    pub provider_fees: Vec<Option<i64>>,
    pub disputed: Vec<bool>,
    /// Whether the buyer's bank asks about the payment and waits for the club's answer.
    pub inquiries: Vec<bool>,
    pub methods: Vec<Option<String>>,
    pub at: Vec<time::OffsetDateTime>,
}

impl PaymentIntentColumns {
    pub(super) fn add(&mut self, order: Option<Uuid>, intent: &PaymentIntent, at: Timestamp) {
        self.ids.push(intent.id.0.clone());
        self.orders.push(order);
        self.accounts.push(intent.account.0.clone());
        self.statuses
            .push(codec::payment_status_text(intent.status));
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
        self.disputed.push(intent.is_disputed());
        self.inquiries.push(intent.has_open_inquiry());
        self.methods.push(intent.method.clone());
        self.at.push(instant::to_stored_time(at));
    }
}
