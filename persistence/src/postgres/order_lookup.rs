//! Looks up orders by their keys, many with one statement.

use std::time::Instant;

use domain::{OrderId, PaymentIntentId};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::time::timeout;

use super::batch_queue::BatchWorker;
use super::orders::{read, select_orders};
use super::writer::ANSWER_TIMEOUT;
use super::{READ_ONLY_SESSION_MAX, codec, is_read_only};
use crate::error::Failure;
use crate::link_secrets::LinkSecrets;
use crate::stores::OrderRecord;

/// A key of an order.
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

/// Looks up batches of orders, on a connection of its own.
pub(super) struct OrderLookup {
    options: PgConnectOptions,
    secrets: LinkSecrets,
    connection: Option<PgConnection>,
    /// When the session was last checked for being read-only, which would mean that it reads a
    /// stale copy.
    checked_at: Instant,
}

impl BatchWorker for OrderLookup {
    type Request = OrderKey;
    type Response = Result<Option<OrderRecord>, Failure>;

    fn conflict_key(_: &OrderKey) -> Option<u128> {
        None
    }

    async fn process(&mut self, keys: Vec<OrderKey>) -> Vec<Self::Response> {
        // A connection that idled through a restart of the database fails at its first statement,
        // so it is tried once more.
        let records = match self.find(&keys).await {
            Err(Failure::NotWritten(_)) => self.find(&keys).await,
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

    async fn find(&mut self, keys: &[OrderKey]) -> Result<Vec<OrderRecord>, Failure> {
        let no_answer = |_| Failure::NotWritten("the database does not answer".into());
        let mut connection = timeout(ANSWER_TIMEOUT, self.take())
            .await
            .map_err(no_answer)?
            .map_err(Failure::from_read)?;
        let records = timeout(ANSWER_TIMEOUT, find(&mut connection, &self.secrets, keys))
            .await
            .map_err(no_answer)??;
        self.connection = Some(connection);
        Ok(records)
    }

    async fn take(&mut self) -> Result<PgConnection, sqlx::Error> {
        if let Some(mut connection) = self.connection.take() {
            if self.checked_at.elapsed() < READ_ONLY_SESSION_MAX {
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

async fn find(
    connection: &mut PgConnection,
    secrets: &LinkSecrets,
    keys: &[OrderKey],
) -> Result<Vec<OrderRecord>, Failure> {
    let (mut ids, mut client_keys, mut tokens, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut token_hashes = Vec::new();
    for key in keys {
        match key {
            OrderKey::Id(id) => ids.push(codec::uuid(*id)),
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
    .map_err(Failure::from_read)?;
    rows.iter().map(|row| read(row, secrets)).collect()
}
