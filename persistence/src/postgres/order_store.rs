//! Implements [`OrderStore`] in Postgres. Lookups of many orders by their keys share one statement.

use std::time::Instant;

use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, DrawId, Line, Order, OrderEndReason, OrderId, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
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
    let rows = query_orders!(
        "where o.id = any($1) or o.client_key = any($2) or o.token = any($3) or o.payment_intent_id = any($4)
           or o.token_hash = any($5)",
        &ids[..],
        &client_keys as _,
        &tokens as _,
        &intents as _,
        &token_hashes[..]
    )
    .fetch_all(connection)
    .await
    .map_err(Failure::from_read_error)?;
    rows.into_iter()
        .map(|row| row.into_record(secrets))
        .collect()
}

/// A query for orders, with the lines of each order in arrays, ascending by draw. `$rest` is the
/// SQL after the tables `orders o` and `l`.
macro_rules! query_orders {
    ($rest:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            $crate::postgres::order_store::OrderRow,
            r#"select o.id, o.club_id, o.account_id, o.state, o.payment_intent_id, o.application_fee_cents, o.client_key,
               o.token, o.token_sealed, o.client_secret, o.client_secret_sealed, o.buyer_name, o.buyer_email, o.buyer_phone,
               o.consent_at, o.opened_at, o.authorised_at, o.captured_at, o.reason, l.draws as "draws?",
               l.counts as "counts?", l.prices as "prices?", l.card_fees as "card_fees?",
               l.serials as "serials?: Vec<Option<String>>"
             from orders o cross join lateral (
               select array_agg(draw_id) as draws, array_agg(count) as counts, array_agg(unit_price_cents) as prices,
                 array_agg(card_fee_cents) as card_fees, array_agg(array_to_string(serials, ',')) as serials
               from (select * from order_lines where order_id = o.id order by draw_id) of_order
             ) l "# + $rest,
            $($argument),+
        )
    };
}

pub(super) use query_orders;

/// A row of [`query_orders!`].
pub(super) struct OrderRow {
    pub id: Uuid,
    pub club_id: i64,
    pub account_id: String,
    pub state: String,
    pub payment_intent_id: Option<String>,
    pub application_fee_cents: i64,
    pub client_key: String,
    pub token: Option<String>,
    pub token_sealed: Option<Vec<u8>>,
    pub client_secret: Option<String>,
    pub client_secret_sealed: Option<Vec<u8>>,
    pub buyer_name: Option<String>,
    pub buyer_email: Option<String>,
    pub buyer_phone: Option<String>,
    pub consent_at: Option<OffsetDateTime>,
    pub opened_at: OffsetDateTime,
    pub authorised_at: Option<OffsetDateTime>,
    pub captured_at: Option<OffsetDateTime>,
    pub reason: Option<String>,
    pub draws: Option<Vec<i64>>,
    pub counts: Option<Vec<i16>>,
    pub prices: Option<Vec<i64>>,
    pub card_fees: Option<Vec<i64>>,
    pub serials: Option<Vec<Option<String>>>,
}

type LinesAndTickets = (Vec<Line>, Vec<(DrawId, Vec<Serial>)>);

impl OrderRow {
    pub(super) fn into_record(mut self, secrets: &LinkSecrets) -> Result<OrderRecord, Failure> {
        let state = codec::parse_order_state(&self.state)?;
        let (lines, tickets) = self.take_lines()?;
        let (token, client_secret) = self.take_secrets(secrets)?;
        let order = Order {
            id: OrderId(self.id.as_u128()),
            club: ClubId(self.club_id),
            account: AccountId(self.account_id),
            state,
            lines,
            payment_intent: self.payment_intent_id.map(PaymentIntentId),
            application_fee: Cents(self.application_fee_cents),
        };
        Ok(OrderRecord {
            order,
            client_key: self.client_key,
            token,
            client_secret,
            buyer: BuyerDetails {
                name: self.buyer_name,
                email: self.buyer_email,
                phone: self.buyer_phone,
            },
            consent_at: self.consent_at.map(instant::from_stored_time),
            opened_at: instant::from_stored_time(self.opened_at),
            authorised_at: self.authorised_at.map(instant::from_stored_time),
            captured_at: self.captured_at.map(instant::from_stored_time),
            reason: self.reason.map(OrderEndReason::from),
            tickets,
        })
    }

    /// Takes the order's token and client secret from the sealed columns, or in clear text if the
    /// row is not converted yet.
    fn take_secrets(&mut self, secrets: &LinkSecrets) -> Result<(String, Option<String>), Failure> {
        let order = self.id;
        let token = match (self.token.take(), self.token_sealed.take()) {
            (Some(token), _) => token,
            (None, Some(sealed)) => secrets.unseal_token(order, &sealed)?,
            (None, None) => return Err(Failure::Corrupt(format!("order {order} has no token"))),
        };
        let client_secret = match (self.client_secret.take(), self.client_secret_sealed.take()) {
            (None, Some(sealed)) => Some(secrets.unseal_client_secret(order, &sealed)?),
            (clear, _) => clear,
        };
        Ok((token, client_secret))
    }

    fn take_lines(&mut self) -> Result<LinesAndTickets, Failure> {
        let draws = self.draws.take().unwrap_or_default();
        let counts = self.counts.take().unwrap_or_default();
        let prices = self.prices.take().unwrap_or_default();
        let card_fees = self.card_fees.take().unwrap_or_default();
        let lines = draws.iter().zip(counts).zip(prices).zip(card_fees).map(
            |(((draw, count), price), card_fee)| Line {
                draw: DrawId(*draw),
                count: count.cast_unsigned(),
                unit_price: Cents(price),
                card_fee: Cents(card_fee),
            },
        );
        let lines = lines.collect();
        let mut tickets = Vec::new();
        for (draw, text) in draws.iter().zip(self.serials.take().unwrap_or_default()) {
            if let Some(text) = text {
                tickets.push((DrawId(*draw), read_serials(&text)?));
            }
        }
        Ok((lines, tickets))
    }
}

fn read_serials(text: &str) -> Result<Vec<Serial>, Failure> {
    let serial = |number: &str| number.parse().ok().and_then(Serial::new);
    let serials: Option<Vec<Serial>> = text.split(',').map(serial).collect();
    serials.ok_or_else(|| Failure::Corrupt("the serials of an order line".into()))
}
