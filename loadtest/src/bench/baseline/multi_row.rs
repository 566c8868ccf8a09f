//! Writes the rows of many purchases with three statements. It shows the upper limit: no program
//! can write these rows faster.

use anyhow::Result;
use uuid::Uuid;

use super::BenchBaseline;

/// SQL that reserves a ticket in each draw `$1` for each order `$2`. Draws are locked in ascending
/// order, so that two writers never deadlock.
const RESERVE_TICKETS_SQL: &str = "with held as materialized (select id from draws where id = any($1) order by id for update),
     w as (
       select draw, o, row_number() over (partition by draw) as n from unnest($1::bigint[], $2::uuid[]) as u (draw, o)),
     d as (
       update draws set held = held + k, revision = revision + k
       from (select draw, count(*)::smallint as k from w where draw in (select id from held) group by draw) c
       where id = draw and status = 'active' and kick_off > clock_timestamp() and sold + held + k <= 169
       returning id, revision - k as before, price_cents),
     s as (select w.o, w.n, d.* from w join d on d.id = w.draw),
     r as (insert into reservations (draw_id, order_id, count, until)
       select id, o, 1, now() + interval '150 seconds' from s),
     i as (insert into orders (id, club_id, account_id, client_key, token_hash, token_sealed, lines, subtotal_cents,
         buyer_name, buyer_email, opened_at)
       select o, 1, 'acct_bench', o::text, sha256(o::text::bytea), decode(repeat('00', 61), 'hex'), 1, price_cents, 'Buyer', 'buyer@crowd.test', now()
       from s),
     l as (insert into order_lines (order_id, draw_id, count, unit_price_cents) select o, id, 1, price_cents from s),
     p as (insert into payment_ops (order_id, kind, key) select o, 'create', 'create-' || o::text from s)
     insert into draw_events (draw_id, revision, epoch, at, events)
       select id, before + n, 1, now(), '[{\"kind\": \"reserved\", \"count\": 1}]' from s";

const ALLOCATE_TICKETS_SQL: &str = "with held as materialized (select id from draws where id = any($1) order by id for update),
     w as (
       select draw, o, row_number() over (partition by draw) as n from unnest($1::bigint[], $2::uuid[]) as u (draw, o)),
     d as (
       update draws set held = held - k, sold = sold + k, revision = revision + k,
         revenue_cents = (sold + k) * price_cents,
         fee_cents = least(fee_cap_cents, ((sold + k) * price_cents * fee_rate_bps * 2 + 10000) / 20000)
       from (select draw, count(*)::smallint as k from w where draw in (select id from held) group by draw) c
       where id = draw returning id, revision - k as before, sold - k as gone, price_cents, revenue_cents, fee_cents),
     s as (select w.o, w.n, d.*, (d.gone + w.n)::smallint as serial from w join d on d.id = w.draw),
     r as (delete from reservations using s where draw_id = s.id and order_id = s.o),
     l as (update order_lines set serials = array[s.serial] from s where order_id = s.o
       returning order_lines.id as line, s.id as draw, s.serial),
     t as (insert into tickets (draw_id, serial, order_line_id, epoch) select draw, serial, line, 1 from l),
     o as (update orders set state = 'allocated', lines_allocated = 1, authorised_at = now(), allocated_at = now()
       from s where orders.id = s.o),
     c as (update payment_ops set state = 'done', ended_at = now() from s where order_id = s.o and kind = 'create'),
     p as (insert into payment_ops (order_id, kind, key) select o, 'capture', 'cap-' || o::text from s),
     f as (insert into fee_ledger (draw_id, revision, order_id, revenue_delta, fee_delta, revenue_after, fee_after, at)
       select id, before + n, o, price_cents, 0, revenue_cents, fee_cents, now() from s)
     insert into draw_events (draw_id, revision, epoch, at, events)
       select id, before + n, 1, now(), '[{\"kind\": \"allocated\", \"count\": 1}]' from s";

const RECORD_CAPTURES_SQL: &str = "with o as (
       update orders set state = 'captured', captured_at = now() where id = any($1) returning id, subtotal_cents),
     c as (update payment_ops set state = 'done', ended_at = now() where order_id = any($1) and kind = 'capture'),
     p as (insert into payments (payment_intent_id, order_id, account_id, status, currency, amount_cents,
         amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents, synced_at)
       select 'pi_' || id, id, 'acct_bench', 'succeeded', 'aud', subtotal_cents, subtotal_cents, 0, 0, 0, now() from o)
     insert into email_outbox (dedupe_key, kind, order_id, to_address)
       select 'tickets-' || id, 'tickets', id, 'buyer@crowd.test' from o";

impl BenchBaseline {
    /// Writes one purchase in each of these draws, in three statements that are separate
    /// transactions. Returns `false` when a draw is full.
    ///
    /// # Errors
    ///
    /// The database refused the write or did not answer.
    pub async fn purchase_from_many_draws(&self, draws: &[i64]) -> Result<bool> {
        let orders: Vec<Uuid> = draws.iter().map(|_| Uuid::new_v4()).collect();
        for write in [RESERVE_TICKETS_SQL, ALLOCATE_TICKETS_SQL] {
            let written = sqlx::query(write)
                .bind(draws)
                .bind(&orders)
                .execute(&self.pool)
                .await?;
            if written.rows_affected() != draws.len() as u64 {
                return Ok(false);
            }
        }
        sqlx::query(RECORD_CAPTURES_SQL)
            .bind(&orders)
            .execute(&self.pool)
            .await?;
        Ok(true)
    }
}
