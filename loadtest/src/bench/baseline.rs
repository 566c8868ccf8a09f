//! Baselines for benchmarks: minimal code that writes the rows of a purchase in different ways. The
//! tables are copies of the real ones, in a separate schema that is dropped afterwards. Only
//! `loadtest bench` uses them.

use std::str::FromStr;

use anyhow::Result;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Executor, PgPool};
use uuid::Uuid;

mod multi_row;

const COPIED_TABLES: [&str; 9] = [
    "draws",
    "draw_events",
    "reservations",
    "orders",
    "order_lines",
    "tickets",
    "fee_ledger",
    "payment_ops",
    "payments",
];

const RESERVE_TICKET_SQL: &str = "with d as (
       update draws set held = held + 1, revision = revision + 1
       where id = $1 and status = 'active' and kick_off > clock_timestamp() and sold + held < 169
       returning id, revision, price_cents),
     r as (insert into reservations (draw_id, order_id, count, until)
       select id, $2, 1, now() + interval '150 seconds' from d),
     o as (insert into orders (id, club_id, account_id, client_key, token_hash, token_sealed, lines, subtotal_cents,
         buyer_name, buyer_email, opened_at)
       select $2, 1, 'acct_bench', $2::text, sha256($2::text::bytea), decode(repeat('00', 61), 'hex'), 1, price_cents, 'Buyer', 'buyer@crowd.test', now()
       from d),
     l as (insert into order_lines (order_id, draw_id, count, unit_price_cents) select $2, id, 1, price_cents from d),
     p as (insert into payment_ops (order_id, kind, key) select $2, 'create', 'create-' || $2::text from d)
     insert into draw_events (draw_id, revision, epoch, at, events)
       select id, revision, 1, now(), '[{\"kind\": \"reserved\", \"count\": 1}]' from d";

const ALLOCATE_TICKET_SQL: &str = "with d as (
       update draws set held = held - 1, sold = sold + 1, revision = revision + 1,
         revenue_cents = (sold + 1) * price_cents,
         fee_cents = least(fee_cap_cents, ((sold + 1) * price_cents * fee_rate_bps * 2 + 10000) / 20000)
       where id = $1 returning id, revision, sold, price_cents, revenue_cents, fee_cents),
     r as (delete from reservations where draw_id = $1 and order_id = $2),
     l as (update order_lines set serials = array[d.sold] from d where order_id = $2
       returning order_lines.id as line, d.id as draw, d.sold),
     t as (insert into tickets (draw_id, serial, order_line_id, epoch) select draw, sold, line, 1 from l),
     o as (update orders set state = 'allocated', lines_allocated = 1, authorised_at = now(), allocated_at = now()
       where id = $2),
     c as (update payment_ops set state = 'done', ended_at = now() where order_id = $2 and kind = 'create'),
     p as (insert into payment_ops (order_id, kind, key) values ($2, 'capture', 'cap-' || $2::text)),
     f as (insert into fee_ledger (draw_id, revision, order_id, revenue_delta, fee_delta, revenue_after, fee_after, at)
       select id, revision, $2, price_cents, 0, revenue_cents, fee_cents, now() from d)
     insert into draw_events (draw_id, revision, epoch, at, events)
       select id, revision, 1, now(), '[{\"kind\": \"allocated\", \"count\": 1}]' from d";

const RECORD_CAPTURE_SQL: &str = "with o as (update orders set state = 'captured', captured_at = now() where id = $1
       returning subtotal_cents),
     c as (update payment_ops set state = 'done', ended_at = now() where order_id = $1 and kind = 'capture'),
     p as (insert into payments (payment_intent_id, order_id, account_id, status, currency, amount_cents,
         amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents, synced_at)
       select 'pi_' || $1::text, $1, 'acct_bench', 'succeeded', 'aud', subtotal_cents, subtotal_cents, 0, 0, 0, now()
       from o)
     insert into email_outbox (dedupe_key, kind, order_id, to_address)
       values ('tickets-' || $1::text, 'tickets', $1, 'buyer@crowd.test')";

/// SQL that takes a free ticket. It skips tickets that another transaction has locked, so no
/// transaction waits. The draw's row does not change.
const TAKE_UNLOCKED_TICKET_SQL: &str = "with f as (
       select draw_id, serial from bench_baseline.free where draw_id = $1 and order_id is null limit 1 for update skip locked),
     u as (update bench_baseline.free set order_id = $2 from f
       where free.draw_id = f.draw_id and free.serial = f.serial returning free.draw_id),
     d as (select id, price_cents from draws where id = (select draw_id from u)),
     o as (insert into orders (id, club_id, account_id, client_key, token_hash, token_sealed, lines, subtotal_cents,
         buyer_name, buyer_email, opened_at)
       select $2, 1, 'acct_bench', $2::text, sha256($2::text::bytea), decode(repeat('00', 61), 'hex'), 1, price_cents, 'Buyer', 'buyer@crowd.test', now()
       from d),
     l as (insert into order_lines (order_id, draw_id, count, unit_price_cents) select $2, id, 1, price_cents from d)
     insert into payment_ops (order_id, kind, key) select $2, 'create', 'create-' || $2::text from d";

const ALLOCATE_UNLOCKED_TICKET_SQL: &str = "with f as (delete from bench_baseline.free where draw_id = $1 and order_id = $2 returning serial),
     l as (update order_lines set serials = array[f.serial] from f where order_lines.order_id = $2
       returning order_lines.id as line, draw_id, f.serial),
     t as (insert into tickets (draw_id, serial, order_line_id, epoch) select draw_id, serial, line, 1 from l),
     o as (update orders set state = 'allocated', lines_allocated = 1, authorised_at = now(), allocated_at = now()
       where id = $2),
     c as (update payment_ops set state = 'done', ended_at = now() where order_id = $2 and kind = 'create')
     insert into payment_ops (order_id, kind, key) values ($2, 'capture', 'cap-' || $2::text)";

/// Copies of the real tables without their rows. They contain only new draws of 169 tickets.
#[derive(Clone, Debug)]
pub struct BenchBaseline {
    pool: PgPool,
}

impl BenchBaseline {
    /// Creates the schema with the draws 1 to `draws`, and a pool for `clients` connections.
    ///
    /// # Errors
    ///
    /// The database cannot be reached, or contains no draw to copy.
    pub async fn create(url: &str, clients: u32, draws: i64) -> Result<BenchBaseline> {
        let options = PgConnectOptions::from_str(url)?;
        let plain = PgPoolOptions::new()
            .max_connections(1)
            .connect_with(options.clone())
            .await?;
        plain
            .execute("drop schema if exists bench_baseline cascade")
            .await?;
        plain.execute("create schema bench_baseline").await?;
        for table in COPIED_TABLES.into_iter().chain(["email_outbox"]) {
            let copy =
                format!("create table bench_baseline.{table} (like public.{table} including all)");
            plain.execute(sqlx::AssertSqlSafe(copy)).await?;
        }
        plain.close().await;
        let options = options.options([("search_path", "bench_baseline,public")]);
        let pool = PgPoolOptions::new()
            .max_connections(clients)
            .connect_with(options)
            .await?;
        sqlx::query(
            "insert into bench_baseline.draws select (jsonb_populate_record(d, jsonb_build_object('id', n, 'status', 'active',
                 'kick_off', now() + interval '1 day', 'revision', 0, 'sold', 0, 'held', 0, 'revenue_cents', 0,
                 'fee_cents', 0))).*
             from public.draws d, generate_series(1, $1) n
             where d.id = (select min(id) from public.draws where status = 'active')",
        )
        .bind(draws)
        .execute(&pool)
        .await?;
        let free =
            "create table bench_baseline.free as select n::bigint as draw_id, s::smallint as serial, null::uuid as order_id
             from generate_series(1, $1) n, generate_series(1, 169) s";
        sqlx::query(free).bind(draws).execute(&pool).await?;
        pool.execute("create unique index on bench_baseline.free (draw_id, serial)")
            .await?;
        pool.execute("create index on bench_baseline.free (draw_id, order_id)")
            .await?;
        Ok(BenchBaseline { pool })
    }

    /// Opens a schema that another process has created.
    ///
    /// # Errors
    ///
    /// The database cannot be reached.
    pub async fn open_existing(url: &str, clients: u32) -> Result<BenchBaseline> {
        let options = PgConnectOptions::from_str(url)?;
        let options = options.options([("search_path", "bench_baseline,public")]);
        let pool = PgPoolOptions::new()
            .max_connections(clients)
            .connect_with(options)
            .await?;
        Ok(BenchBaseline { pool })
    }

    /// Writes the rows of a purchase in three statements, each its own transaction. This is the
    /// fastest way to write one purchase at a time. Returns `false` when the draw is full.
    ///
    /// # Errors
    ///
    /// The database refused the write or did not answer.
    pub async fn purchase_in_three_statements(&self, draw: i64) -> Result<bool> {
        let order = Uuid::new_v4();
        let reserved = sqlx::query(RESERVE_TICKET_SQL)
            .bind(draw)
            .bind(order)
            .execute(&self.pool)
            .await?;
        if reserved.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(ALLOCATE_TICKET_SQL)
            .bind(draw)
            .bind(order)
            .execute(&self.pool)
            .await?;
        self.record_capture(order).await?;
        Ok(true)
    }

    /// Writes a purchase in the simplest way, with two transactions. Each locks the draw's row,
    /// checks, writes and commits. Returns `false` when the draw is full.
    ///
    /// # Errors
    ///
    /// The database refused the write or did not answer.
    pub async fn purchase_with_row_lock(&self, draw: i64) -> Result<bool> {
        let order = Uuid::new_v4();
        for write in [RESERVE_TICKET_SQL, ALLOCATE_TICKET_SQL] {
            let mut transaction = self.pool.begin().await?;
            let look = sqlx::query_scalar::<_, i32>(
                "select (sold + held)::integer from draws where id = $1 for update",
            );
            let unavailable = look.bind(draw).fetch_one(&mut *transaction).await?;
            if write == RESERVE_TICKET_SQL && unavailable >= 169 {
                return Ok(false);
            }
            sqlx::query(write)
                .bind(draw)
                .bind(order)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
        }
        self.record_capture(order).await?;
        Ok(true)
    }

    /// Writes a purchase without waiting for locks: it takes a ticket that no other transaction has
    /// locked. Returns `false` when there is none.
    ///
    /// # Errors
    ///
    /// The database refused the write or did not answer.
    pub async fn purchase_with_skip_locked(&self, draw: i64) -> Result<bool> {
        let order = Uuid::new_v4();
        let seized = sqlx::query(TAKE_UNLOCKED_TICKET_SQL)
            .bind(draw)
            .bind(order)
            .execute(&self.pool)
            .await?;
        if seized.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query(ALLOCATE_UNLOCKED_TICKET_SQL)
            .bind(draw)
            .bind(order)
            .execute(&self.pool)
            .await?;
        self.record_capture(order).await?;
        Ok(true)
    }

    async fn record_capture(&self, order: Uuid) -> Result<()> {
        sqlx::query(RECORD_CAPTURE_SQL)
            .bind(order)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Drops the schema with its tables.
    ///
    /// # Errors
    ///
    /// The database refused or did not answer.
    pub async fn drop_schema(self) -> Result<()> {
        self.pool
            .execute("drop schema bench_baseline cascade")
            .await?;
        self.pool.close().await;
        Ok(())
    }
}
