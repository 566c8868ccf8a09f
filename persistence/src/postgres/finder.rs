//! Orders, found by any of their names.

use std::time::Instant;

use domain::{OrderId, PaymentIntentId};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::time::timeout;

use super::desk::Clerk;
use super::orders::{read, select_orders};
use super::writer::SILENCE_MAX;
use super::{READS_ONLY_MAX, reads_only, words};
use crate::books::OrderRecord;
use crate::error::Failure;

/// One of an order's names.
#[derive(Clone, Debug)]
pub(super) enum Name {
    Id(OrderId),
    ClientKey(String),
    Token(String),
    PaymentIntent(PaymentIntentId),
}

impl Name {
    fn is_of(&self, record: &OrderRecord) -> bool {
        match self {
            Name::Id(id) => record.order.id == *id,
            Name::ClientKey(key) => record.client_key == *key,
            Name::Token(token) => record.token == *token,
            Name::PaymentIntent(id) => record.order.payment_intent.as_ref() == Some(id),
        }
    }
}

/// Answers whoever asks for orders by name, many with one statement, on a connection of its own.
pub(super) struct Finder {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    /// When it was last asked whether it leads to the books that are written, and not to a copy that stays behind.
    asked_at: Instant,
}

impl Clerk for Finder {
    type Ask = Name;
    type Answer = Result<Option<OrderRecord>, Failure>;

    fn subject(_: &Name) -> Option<u128> {
        None
    }

    async fn work(&mut self, names: Vec<Name>) -> Vec<Self::Answer> {
        // A connection that idled while the database was restarted is found out by its first statement: once more, then.
        let found = match self.find(&names).await {
            Err(Failure::NotWritten(_)) => self.find(&names).await,
            found => found,
        };
        match found {
            Ok(found) => {
                let answer =
                    |name: &Name| Ok(found.iter().find(|record| name.is_of(record)).cloned());
                names.iter().map(answer).collect()
            }
            Err(failure) => names.iter().map(|_| Err(failure.clone())).collect(),
        }
    }
}

impl Finder {
    pub fn new(options: PgConnectOptions) -> Finder {
        Finder {
            options,
            connection: None,
            asked_at: Instant::now(),
        }
    }

    async fn find(&mut self, names: &[Name]) -> Result<Vec<OrderRecord>, Failure> {
        let silent = |_| Failure::NotWritten("the database is silent".into());
        let mut connection = timeout(SILENCE_MAX, self.take())
            .await
            .map_err(silent)?
            .map_err(Failure::from_read)?;
        let found = timeout(SILENCE_MAX, find(&mut connection, names))
            .await
            .map_err(silent)??;
        self.connection = Some(connection);
        Ok(found)
    }

    async fn take(&mut self) -> Result<PgConnection, sqlx::Error> {
        if let Some(mut connection) = self.connection.take() {
            if self.asked_at.elapsed() < READS_ONLY_MAX {
                return Ok(connection);
            }
            self.asked_at = Instant::now();
            if !reads_only(&mut connection).await? {
                return Ok(connection);
            }
        }
        PgConnection::connect_with(&self.options).await
    }
}

async fn find(connection: &mut PgConnection, names: &[Name]) -> Result<Vec<OrderRecord>, Failure> {
    let (mut ids, mut keys, mut tokens, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for name in names {
        match name {
            Name::Id(id) => ids.push(words::uuid(*id)),
            Name::ClientKey(key) => keys.push(key.as_str()),
            Name::Token(token) => tokens.push(token.as_str()),
            Name::PaymentIntent(id) => intents.push(id.0.as_str()),
        }
    }
    let rows = sqlx::query(select_orders!(
        "where o.id = any($1) or o.client_key = any($2) or o.token = any($3) or o.payment_intent_id = any($4)"
    ))
    .bind(ids)
    .bind(keys)
    .bind(tokens)
    .bind(intents)
    .fetch_all(connection)
    .await
    .map_err(Failure::from_read)?;
    rows.iter().map(read).collect()
}
