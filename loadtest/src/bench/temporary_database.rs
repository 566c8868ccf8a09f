//! An additional database on the same Postgres, for an engine without real sales and for the sales
//! of past years.

use std::str::FromStr;

use anyhow::Result;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};

/// Number of tickets in each inserted order.
const TICKETS_PER_ORDER: i64 = 3;

/// SQL that inserts finished draws with their orders, one statement for each table. `$1` is the
/// number of orders. The draws are copies of an existing draw, numbered from 5,000,000. Each has 56
/// orders of three tickets.
const INSERT_PAST_SALES_SQL: [&str; 7] = [
    "insert into draws select (jsonb_populate_record(d, jsonb_build_object('id', 5000000 + n, 'status', 'completed',
         'kick_off', now() - interval '1 year', 'opens_at', null, 'revision', 200, 'sold', 168, 'held', 0,
         'revenue_cents', 168 * d.price_cents,
         'fee_cents', least(d.fee_cap_cents, (168 * d.price_cents * d.fee_rate_bps * 2 + 10000) / 20000),
         'result_home', 1, 'result_away', 1, 'winning_serial', 1, 'prize_cents', 100, 'completed_revision', 200,
         'archived', true, 'completed_at', now() - interval '1 year'))).*
       from draws d, generate_series(0, ($1 - 1) / 56) n where d.id = (select min(id) from draws)",
    "insert into orders (id, club_id, account_id, client_key, token_hash, token_sealed, state, lines, lines_allocated,
         subtotal_cents, payment_intent_id, buyer_name, buyer_email, opened_at, authorised_at, allocated_at, captured_at)
       select md5('o' || n)::uuid, 1, 'acct_bench', 'history-' || n, sha256(('t' || n)::bytea), decode(repeat('00', 61), 'hex'),
         'captured', 1, 1, 1500, 'pi_history_' || n, 'Buyer', 'buyer@crowd.test', at, at, at, at
       from generate_series(0, $1 - 1) n, lateral (select now() - interval '1 year' - n * interval '1 second' as at) a",
    "insert into order_lines (order_id, draw_id, count, unit_price_cents, serials)
       select md5('o' || n)::uuid, 5000000 + n / 56, 3, 500,
         array[n % 56 * 3 + 1, n % 56 * 3 + 2, n % 56 * 3 + 3]::smallint[]
       from generate_series(0, $1 - 1) n",
    "insert into tickets (draw_id, serial, order_line_id, sold_at, epoch)
       select draw_id, s.serial, id, now() - interval '1 year', 1
       from order_lines cross join lateral unnest(serials) s (serial) where draw_id >= 5000000 and $1 > 0",
    "insert into payment_ops (order_id, kind, key, state, ended_at)
       select md5('o' || n)::uuid, 'capture', 'cap-history-' || n, 'done', now() from generate_series(0, $1 - 1) n",
    "insert into payments (payment_intent_id, order_id, account_id, status, currency, amount_cents, amount_received_cents,
         amount_refunded_cents, application_fee_cents, application_fee_refunded_cents, synced_at)
       select 'pi_history_' || n, md5('o' || n)::uuid, 'acct_bench', 'succeeded', 'aud', 1500, 1500, 0, 0, 0, now()
       from generate_series(0, $1 - 1) n",
    "insert into email_outbox (dedupe_key, kind, order_id, to_address, state, sent_at)
       select 'tickets-history-' || n, 'tickets', md5('o' || n)::uuid, 'buyer@crowd.test', 'sent', now()
       from generate_series(0, $1 - 1) n",
];

/// A database that is dropped after the benchmark.
#[derive(Clone, Debug)]
pub struct TemporaryDatabase {
    pub url: String,
    name: &'static str,
    /// Access to the existing database. This connection creates and drops the temporary one.
    existing: PgConnectOptions,
}

impl TemporaryDatabase {
    /// Creates an empty database on the server of `url`.
    ///
    /// # Errors
    /// The database cannot be reached, or the login may not create another.
    pub async fn create(url: &str, name: &'static str) -> Result<TemporaryDatabase> {
        let existing = PgConnectOptions::from_str(url)?;
        let old_name = existing.get_database().unwrap_or_default();
        let url = url.replacen(&format!("/{old_name}"), &format!("/{name}"), 1);
        let database = TemporaryDatabase {
            url,
            name,
            existing,
        };
        database
            .run_statement(&format!("drop database if exists {name} with (force)"))
            .await?;
        database
            .run_statement(&format!("create database {name}"))
            .await?;
        Ok(database)
    }

    /// Inserts at least `tickets` sold tickets of finished draws. The database must have its tables
    /// and at least one draw. Returns the number inserted.
    ///
    /// # Errors
    ///
    /// The database refused or did not answer.
    pub async fn insert_history(&self, tickets: i64) -> Result<i64> {
        let orders = (tickets + TICKETS_PER_ORDER - 1) / TICKETS_PER_ORDER;
        let options = PgConnectOptions::from_str(&self.url)?;
        let mut connection = PgConnection::connect_with(&options).await?;
        for rows in INSERT_PAST_SALES_SQL {
            sqlx::query(rows)
                .bind(orders)
                .execute(&mut connection)
                .await?;
        }
        connection.execute("analyze").await?;
        connection.close().await?;
        Ok(orders * TICKETS_PER_ORDER)
    }

    /// Drops the database, and ends its connections.
    ///
    /// # Errors
    /// The database refused or did not answer.
    pub async fn drop_database(self) -> Result<()> {
        self.run_statement(&format!("drop database {} with (force)", self.name))
            .await
    }

    async fn run_statement(&self, statement: &str) -> Result<()> {
        let mut connection = PgConnection::connect_with(&self.existing).await?;
        connection
            .execute(AssertSqlSafe(statement.to_owned()))
            .await?;
        Ok(connection.close().await?)
    }
}
