//! Implements [`OrderStore`] in Postgres. Lookups of many orders by their keys share one statement.

use std::time::Instant;

use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, DrawId, Line, Order, OrderEndReason, OrderId, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{Connection, Row};
use time::OffsetDateTime;
use tokio::time::timeout;
use uuid::Uuid;

use super::batch_queue::BatchWorker;
use super::order_transitions::FinalState;
use super::purchase_writes::PurchaseWrite;
use super::writer::STATEMENT_ANSWER_TIMEOUT;
use super::{
    Postgres, READ_ONLY_SESSION_AGE_MAX, codec, commit, instant, is_read_only, order_transitions,
    orders,
};
use crate::audit_log;
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::link_secrets::LinkSecrets;
use crate::stores::{AgreedTerms, BuyerSource, NotifyBuyer, OrderRecord, OrderStore};

#[async_trait]
impl OrderStore for Postgres {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure> {
        self.find_order(OrderKey::Id(id)).await
    }

    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find_order(OrderKey::ClientKey(client_key.into()))
            .await
    }

    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find_order(OrderKey::Token(token.into())).await
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        self.find_order(OrderKey::PaymentIntent(id.clone())).await
    }

    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure> {
        let entry = PurchaseWrite::RecordPaymentIntent {
            order,
            id: id.clone(),
            client_secret: client_secret.into(),
        };
        self.submit(entry).await.map(drop)
    }

    async fn fill_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            let accepted =
                orders::fill_buyer_details(&mut transaction, order, &buyer, source).await?;
            commit(transaction).await.map(|()| accepted)
        };
        self.write_with_retries(work).await
    }

    async fn correct_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> Result<bool, Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        self.write_with_retries(async move || {
            orders::correct_buyer_details(postgres.actors_pool(), order, &buyer).await
        })
        .await
    }

    async fn fill_buyer_details_audited(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
        audit_entry: Option<&audit_log::AuditEntry>,
    ) -> Result<bool, Failure> {
        let (postgres, buyer, audit_entry) = (self.clone(), buyer.clone(), audit_entry.cloned());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            let accepted =
                orders::fill_buyer_details(&mut transaction, order, &buyer, source).await?;
            if let Some(audit_entry) = audit_entry.filter(|_| accepted) {
                audit_log::write_entry(&mut transaction, postgres.sealer(), &audit_entry)
                    .await
                    .map_err(Failure::from_error_before_commit)?;
            }
            commit(transaction).await.map(|()| accepted)
        };
        self.write_with_retries(work).await
    }

    async fn write_audit_entry(&self, audit_entry: &audit_log::AuditEntry) -> Result<(), Failure> {
        let (postgres, audit_entry) = (self.clone(), audit_entry.clone());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            audit_log::write_entry(&mut transaction, postgres.sealer(), &audit_entry)
                .await
                .map_err(Failure::from_error_before_commit)?;
            commit(transaction).await
        };
        self.write_with_retries(work).await
    }

    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: AgreedTerms,
    ) -> Result<(), Failure> {
        self.submit(PurchaseWrite::RecordConsent {
            order,
            at,
            ip: ip.into(),
            terms,
        })
        .await
        .map(drop)
    }

    async fn record_capture(
        &self,
        order: OrderId,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.submit(PurchaseWrite::RecordCapture {
            order,
            intent: intent.clone(),
            at,
        })
        .await
        .map(drop)
    }

    async fn reject_order(
        &self,
        order: OrderId,
        reason: &str,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            order_transitions::reject_order(&mut transaction, order, &reason, at).await?;
            commit(transaction).await
        };
        self.write_with_retries(work).await
    }

    async fn release_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end_order(order, FinalState::Released, reason, tell, at)
            .await
    }

    async fn void_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end_order(order, FinalState::Void, reason, tell, at)
            .await
    }
}

impl Postgres {
    async fn find_order(&self, key: OrderKey) -> Result<Option<OrderRecord>, Failure> {
        let answer = self.inner.lookups.submit(key).await;
        answer.unwrap_or_else(|_| Err(Failure::NotWritten("the lookup worker panicked".into())))
    }

    async fn end_order(
        &self,
        order: OrderId,
        becomes: FinalState,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            order_transitions::end_order(&mut transaction, order, becomes, &reason, tell, at)
                .await?;
            commit(transaction).await
        };
        self.write_with_retries(work).await
    }
}

/// One of the unique keys by which an order is found.
#[derive(Clone, Debug)]
pub(super) enum OrderKey {
    Id(OrderId),
    ClientKey(String),
    Token(String),
    PaymentIntent(PaymentIntentId),
}

impl OrderKey {
    fn matches(&self, record: &OrderRecord) -> bool {
        match self {
            OrderKey::Id(id) => record.order.id == *id,
            OrderKey::ClientKey(key) => record.client_key == *key,
            OrderKey::Token(token) => record.token == *token,
            OrderKey::PaymentIntent(id) => record.order.payment_intent.as_ref() == Some(id),
        }
    }
}

/// A worker that looks up batches of orders on its own connection.
pub(super) struct OrderLookup {
    options: PgConnectOptions,
    secrets: LinkSecrets,
    connection: Option<PgConnection>,
    /// When the database session was last checked for being read-only. A read-only session may show
    /// a stale copy of the database.
    checked_at: Instant,
}

impl BatchWorker for OrderLookup {
    type Request = OrderKey;
    type Response = Result<Option<OrderRecord>, Failure>;

    fn conflict_key(_: &OrderKey) -> Option<u128> {
        None
    }

    async fn process_batch(&mut self, keys: Vec<OrderKey>) -> Vec<Self::Response> {
        // A failed lookup is repeated once, because a connection that was idle during a restart of
        // the database fails at its first statement.
        let records = match self.find_batch(&keys).await {
            Err(Failure::NotWritten(_)) => self.find_batch(&keys).await,
            records => records,
        };
        match records {
            Ok(records) => {
                let answer =
                    |key: &OrderKey| Ok(records.iter().find(|record| key.matches(record)).cloned());
                keys.iter().map(answer).collect()
            }
            Err(failure) => keys.iter().map(|_| Err(failure.clone())).collect(),
        }
    }
}

impl OrderLookup {
    pub fn new(options: PgConnectOptions, secrets: LinkSecrets) -> OrderLookup {
        OrderLookup {
            options,
            secrets,
            connection: None,
            checked_at: Instant::now(),
        }
    }

    async fn find_batch(&mut self, keys: &[OrderKey]) -> Result<Vec<OrderRecord>, Failure> {
        let no_answer_error = |_| Failure::NotWritten("the database does not answer".into());
        let mut connection = timeout(STATEMENT_ANSWER_TIMEOUT, self.take_connection())
            .await
            .map_err(no_answer_error)?
            .map_err(Failure::from_read_error)?;
        let records = timeout(
            STATEMENT_ANSWER_TIMEOUT,
            find_orders(&mut connection, &self.secrets, keys),
        )
        .await
        .map_err(no_answer_error)??;
        self.connection = Some(connection);
        Ok(records)
    }

    async fn take_connection(&mut self) -> Result<PgConnection, sqlx::Error> {
        if let Some(mut connection) = self.connection.take() {
            if self.checked_at.elapsed() < READ_ONLY_SESSION_AGE_MAX {
                return Ok(connection);
            }
            self.checked_at = Instant::now();
            if !is_read_only(&mut connection).await? {
                return Ok(connection);
            }
        }
        PgConnection::connect_with(&self.options).await
    }
}

async fn find_orders(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    keys: &[OrderKey],
) -> Result<Vec<OrderRecord>, Failure> {
    let (mut ids, mut client_keys, mut tokens, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut token_hashes = Vec::new();
    for key in keys {
        match key {
            OrderKey::Id(id) => ids.push(codec::order_uuid(*id)),
            OrderKey::ClientKey(key) => client_keys.push(key.as_str()),
            OrderKey::Token(token) => {
                token_hashes.push(secrets.token_hash(token).to_vec());
                tokens.push(token.as_str());
            }
            OrderKey::PaymentIntent(id) => intents.push(id.0.as_str()),
        }
    }
    let rows = sqlx::query(select_orders!(
        "where o.id = any($1) or o.client_key = any($2) or o.token = any($3) or o.payment_intent_id = any($4)
           or o.token_hash = any($5)"
    ))
    .bind(ids)
    .bind(client_keys)
    .bind(tokens)
    .bind(intents)
    .bind(token_hashes)
    .fetch_all(connection)
    .await
    .map_err(Failure::from_read_error)?;
    rows.iter()
        .map(|row| read_order_row(row, secrets))
        .collect()
}

/// SQL that selects orders, with the lines of each order in arrays, ascending by draw.
macro_rules! select_orders {
    ($rest:literal) => {
        concat!(
            "select o.id, o.club_id, o.account_id, o.state, o.payment_intent_id, o.application_fee_cents, o.client_key,
               o.token, o.token_sealed, o.client_secret, o.client_secret_sealed, o.buyer_name, o.buyer_email, o.buyer_phone, o.consent_at, o.opened_at,
               o.authorised_at, o.captured_at, o.reason, l.draws, l.counts, l.prices, l.card_fees, l.serials
             from orders o cross join lateral (
               select array_agg(draw_id) as draws, array_agg(count) as counts, array_agg(unit_price_cents) as prices,
                 array_agg(card_fee_cents) as card_fees, array_agg(array_to_string(serials, ',')) as serials
               from (select * from order_lines where order_id = o.id order by draw_id) of_order
             ) l ",
            $rest
        )
    };
}

pub(super) use select_orders;

pub(super) fn read_order_row(row: &PgRow, secrets: &LinkSecrets) -> Result<OrderRecord, Failure> {
    let state = codec::parse_order_state(row.try_get("state").map_err(Failure::from_read_error)?)?;
    let (lines, tickets) = read_lines(row)?;
    let (token, client_secret) = read_secrets(row, secrets)?;
    let record = || {
        let at = |column| {
            row.try_get::<Option<OffsetDateTime>, _>(column)
                .map(|at| at.map(instant::from_stored_time))
        };
        let order = Order {
            id: OrderId(row.try_get::<Uuid, _>("id")?.as_u128()),
            club: ClubId(row.try_get("club_id")?),
            account: AccountId(row.try_get("account_id")?),
            state,
            lines,
            payment_intent: row
                .try_get::<Option<String>, _>("payment_intent_id")?
                .map(PaymentIntentId),
            application_fee: Cents(row.try_get("application_fee_cents")?),
        };
        Ok(OrderRecord {
            order,
            client_key: row.try_get("client_key")?,
            token,
            client_secret,
            buyer: BuyerDetails {
                name: row.try_get("buyer_name")?,
                email: row.try_get("buyer_email")?,
                phone: row.try_get("buyer_phone")?,
            },
            consent_at: at("consent_at")?,
            opened_at: instant::from_stored_time(row.try_get("opened_at")?),
            authorised_at: at("authorised_at")?,
            captured_at: at("captured_at")?,
            reason: row
                .try_get::<Option<String>, _>("reason")?
                .map(OrderEndReason::from),
            tickets,
        })
    };
    record().map_err(Failure::from_read_error)
}

/// Reads an order's token and client secret from the sealed columns, or in clear text if the row is
/// not converted yet.
fn read_secrets(row: &PgRow, secrets: &LinkSecrets) -> Result<(String, Option<String>), Failure> {
    let order: Uuid = row.try_get("id").map_err(Failure::from_read_error)?;
    let clear = |column| {
        row.try_get::<Option<String>, _>(column)
            .map_err(Failure::from_read_error)
    };
    let sealed = |column| {
        row.try_get::<Option<Vec<u8>>, _>(column)
            .map_err(Failure::from_read_error)
    };
    let token = match (clear("token")?, sealed("token_sealed")?) {
        (Some(token), _) => token,
        (None, Some(sealed)) => secrets.unseal_token(order, &sealed)?,
        (None, None) => return Err(Failure::Corrupt(format!("order {order} has no token"))),
    };
    let client_secret = match (clear("client_secret")?, sealed("client_secret_sealed")?) {
        (None, Some(sealed)) => Some(secrets.unseal_client_secret(order, &sealed)?),
        (clear, _) => clear,
    };
    Ok((token, client_secret))
}

type LinesAndTickets = (Vec<Line>, Vec<(DrawId, Vec<Serial>)>);

fn read_lines(row: &PgRow) -> Result<LinesAndTickets, Failure> {
    let column = |name| {
        row.try_get::<Option<Vec<i64>>, _>(name)
            .map(Option::unwrap_or_default)
    };
    let arrays = || {
        let counts = row
            .try_get::<Option<Vec<i16>>, _>("counts")?
            .unwrap_or_default();
        let serials = row
            .try_get::<Option<Vec<Option<String>>>, _>("serials")?
            .unwrap_or_default();
        Ok((
            column("draws")?,
            counts,
            column("prices")?,
            column("card_fees")?,
            serials,
        ))
    };
    let (draws, counts, prices, card_fees, serials) = arrays().map_err(Failure::from_read_error)?;
    let lines = draws.iter().zip(counts).zip(prices).zip(card_fees).map(
        |(((draw, count), price), card_fee)| Line {
            draw: DrawId(*draw),
            count: count.cast_unsigned(),
            unit_price: Cents(price),
            card_fee: Cents(card_fee),
        },
    );
    let mut tickets = Vec::new();
    for (draw, text) in draws.iter().zip(&serials) {
        if let Some(text) = text {
            tickets.push((DrawId(*draw), read_serials(text)?));
        }
    }
    Ok((lines.collect(), tickets))
}

fn read_serials(text: &str) -> Result<Vec<Serial>, Failure> {
    let serial = |number: &str| number.parse().ok().and_then(Serial::new);
    let serials: Option<Vec<Serial>> = text.split(',').map(serial).collect();
    serials.ok_or_else(|| Failure::Corrupt("the serials of an order line".into()))
}
