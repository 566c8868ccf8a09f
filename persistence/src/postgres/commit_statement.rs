//! The SQL statement that writes the main part of every commit. It checks each draw's epoch and
//! revision. Then it writes the draw's counters, reservations, fee steps (changes of the
//! application fee) and journal rows. Other functions here find out why a draw was rejected, and
//! write rare changes such as results.
//!
//! A single statement saves round trips, during which the next commands of the draw would wait.
//! Several commits of a draw are accepted or rejected together. The draw's row and each reservation
//! are written once, with their last values. Each commit has separate fee steps and a separate
//! journal row.

use std::collections::{BTreeMap, BTreeSet};

use domain::{DrawId, Event, OrderId};
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::ledger::{DrawBatch, PreparedCommit};
use super::writer::TransactionError;
use super::{codec, instant};
use crate::change::{DrawChange, TicketChange};
use crate::error::Failure;
use crate::journal;
use crate::ledger::DrawCommit;

/// Updates each draw whose stored epoch and revision match the batch, unless the batch sells
/// tickets and the database's clock has reached kick-off. Returns the draws that were updated.
pub(super) async fn commit_draws(
    connection: &mut PgConnection,
    batch: &[&DrawBatch],
) -> Result<BTreeSet<DrawId>, TransactionError> {
    let (mut draws, mut reservations) = (DrawColumns::default(), ReservationColumns::default());
    let (mut steps, mut journal_rows) = (FeeStepColumns::default(), JournalColumns::default());
    for draw_batch in batch {
        let change = draw_batch.combined_change();
        draws.add(draw_batch, &change);
        reservations.add(draw_batch.draw(), &change);
        for commit in &draw_batch.commits {
            steps.add(commit);
            journal_rows.add(&commit.append);
        }
    }
    let passed = sqlx::query_scalar!(
        "with a as (
           select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::smallint[],
               $7::smallint[], $8::bigint[], $9::bigint[], $10::text[], $11::bigint[])
             as a (draw_id, epoch, after, becomes, sells, sold_delta, kept, revenue_after, fee_after, touched, to_return)
         ), passed as (
           update draws d set
             revision = a.becomes,
             sold = d.sold + a.sold_delta,
             held = d.held + a.kept - coalesce((
               select sum(r.count)::smallint from reservations r
               where r.draw_id = a.draw_id and r.order_id = any(a.touched::uuid[])), 0),
             revenue_cents = coalesce(a.revenue_after, d.revenue_cents),
             fee_cents = coalesce(a.fee_after, d.fee_cents),
             fee_to_return_cents = d.fee_to_return_cents + a.to_return
           from a
           where d.id = a.draw_id and d.owner_epoch = a.epoch and d.revision = a.after
             and (not a.sells or current_instant() < d.kick_off)
           returning d.id
         ), gone as (
           delete from reservations r using unnest($12::bigint[], $13::uuid[]) as g (draw_id, order_id), passed
           where passed.id = g.draw_id and r.draw_id = g.draw_id and r.order_id = g.order_id
         ), stays as (
           insert into reservations (draw_id, order_id, count, until, extensions)
           select k.* from unnest($14::bigint[], $15::uuid[], $16::smallint[], $17::timestamptz[], $18::smallint[])
             as k (draw_id, order_id, count, until, extensions) join passed on passed.id = k.draw_id
           on conflict (draw_id, order_id) do update
             set count = excluded.count, until = excluded.until, extensions = excluded.extensions
         ), steps as (
           insert into fee_ledger (draw_id, revision, order_id, revenue_delta, fee_delta, revenue_after, fee_after, at)
           select s.* from unnest($19::bigint[], $20::bigint[], $21::uuid[], $22::bigint[], $23::bigint[], $24::bigint[],
               $25::bigint[], $26::timestamptz[])
             as s (draw_id, revision, order_id, revenue_delta, fee_delta, revenue_after, fee_after, at)
             join passed on passed.id = s.draw_id
         ), journal as (
           insert into draw_events (draw_id, revision, epoch, at, events)
           select j.draw_id, j.revision, j.epoch, j.at, j.events::jsonb
           from unnest($27::bigint[], $28::bigint[], $29::bigint[], $30::timestamptz[], $31::text[])
             as j (draw_id, revision, epoch, at, events)
             join passed on passed.id = j.draw_id
         )
         select id from passed",
        &draws.ids[..],
        &draws.epochs[..],
        &draws.after[..],
        &draws.becomes[..],
        &draws.sells[..],
        &draws.sold[..],
        &draws.kept[..],
        &draws.revenue as _,
        &draws.fee as _,
        &draws.touched[..],
        &draws.to_return[..],
        &reservations.gone.0[..],
        &reservations.gone.1[..],
        &reservations.draws[..],
        &reservations.orders[..],
        &reservations.counts[..],
        &reservations.untils[..],
        &reservations.extensions[..],
        &steps.draws[..],
        &steps.revisions[..],
        &steps.orders[..],
        &steps.deltas.0[..],
        &steps.deltas.1[..],
        &steps.after.0[..],
        &steps.after.1[..],
        &steps.at[..],
        &journal_rows.draws[..],
        &journal_rows.revisions[..],
        &journal_rows.epochs[..],
        &journal_rows.at[..],
        &journal_rows.events[..]
    )
    .fetch_all(connection)
    .await?;
    Ok(passed.into_iter().map(DrawId).collect())
}

/// The new values of draws, as arrays for `unnest`: one array for each column, with one element for
/// each draw.
#[derive(Default)]
struct DrawColumns {
    ids: Vec<i64>,
    epochs: Vec<i64>,
    after: Vec<i64>,
    becomes: Vec<i64>,
    sells: Vec<bool>,
    sold: Vec<i16>,
    kept: Vec<i16>,
    revenue: Vec<Option<i64>>,
    fee: Vec<Option<i64>>,
    touched: Vec<String>,
    to_return: Vec<i64>,
}

impl DrawColumns {
    fn add(&mut self, draw_batch: &DrawBatch, change: &DrawChange) {
        let first = draw_batch.first_commit();
        let after = first.after.cast_signed();
        self.ids.push(first.draw.0);
        self.epochs.push(first.epoch);
        self.after.push(after);
        self.becomes.push(after + draw_batch.commits.len() as i64);
        self.sells
            .push(draw_batch.commits.iter().any(|commit| commit.append.sells));
        self.sold.push(change.sold_delta());
        self.kept
            .push(change.tickets_in_changed_reservations().cast_signed());
        let step = change.last_fee_step().map(|(_, step)| step);
        self.revenue.push(step.map(|step| step.revenue_after.0));
        self.fee.push(step.map(|step| step.fee_after.0));
        self.to_return.push(change.fee_refund_due_increase().0);
        // The order ids of each draw are joined to one text, because Postgres accepts only
        // rectangular arrays of arrays.
        let orders: Vec<String> = change.reservations.keys().map(OrderId::to_string).collect();
        self.touched.push(format!("{{{}}}", orders.join(",")));
    }
}

/// The reservations to delete and the reservations to write, as arrays for `unnest`. Each order
/// appears at most once for a draw, with its last reservation.
#[derive(Default)]
struct ReservationColumns {
    gone: (Vec<i64>, Vec<Uuid>),
    draws: Vec<i64>,
    orders: Vec<Uuid>,
    counts: Vec<i16>,
    untils: Vec<OffsetDateTime>,
    extensions: Vec<i16>,
}

impl ReservationColumns {
    fn add(&mut self, draw: DrawId, change: &DrawChange) {
        for (order, becomes) in &change.reservations {
            match becomes {
                None => {
                    self.gone.0.push(draw.0);
                    self.gone.1.push(codec::order_uuid(*order));
                }
                Some(reservation) => {
                    self.draws.push(draw.0);
                    self.orders.push(codec::order_uuid(*order));
                    self.counts.push(reservation.count.cast_signed());
                    self.untils.push(instant::to_stored_time(reservation.until));
                    self.extensions.push(i16::from(reservation.extensions));
                }
            }
        }
    }
}

/// The fee step (change of the draw's application fee) of each allocation and void, as arrays for
/// `unnest`.
#[derive(Default)]
struct FeeStepColumns {
    draws: Vec<i64>,
    revisions: Vec<i64>,
    orders: Vec<Uuid>,
    deltas: (Vec<i64>, Vec<i64>),
    after: (Vec<i64>, Vec<i64>),
    at: Vec<OffsetDateTime>,
}

impl FeeStepColumns {
    fn add(&mut self, PreparedCommit { append, change }: &PreparedCommit) {
        for TicketChange { order, step, .. } in change.voided.iter().chain(&change.allocated) {
            self.draws.push(append.draw.0);
            self.revisions.push(append.after.cast_signed() + 1);
            self.orders.push(codec::order_uuid(*order));
            self.deltas.0.push(step.revenue_delta.0);
            self.deltas.1.push(step.fee_delta.0);
            self.after.0.push(step.revenue_after.0);
            self.after.1.push(step.fee_after.0);
            self.at.push(instant::to_stored_time(append.at));
        }
    }
}

/// The journal rows, as arrays for `unnest`: the revision, epoch, time and events of each commit.
#[derive(Default)]
struct JournalColumns {
    draws: Vec<i64>,
    revisions: Vec<i64>,
    epochs: Vec<i64>,
    at: Vec<OffsetDateTime>,
    events: Vec<String>,
}

impl JournalColumns {
    fn add(&mut self, append: &DrawCommit) {
        self.draws.push(append.draw.0);
        self.revisions.push(append.after.cast_signed() + 1);
        self.epochs.push(append.epoch);
        self.at.push(instant::to_stored_time(append.at));
        self.events.push(journal::events_to_json(&append.events));
    }
}

/// Returns why each of these draws was rejected: another owner, another revision, a sale after
/// kick-off by the database's clock, or no such draw.
pub(super) async fn rejection_reasons(
    connection: &mut PgConnection,
    rejected: &[&DrawBatch],
) -> Result<BTreeMap<i64, Failure>, TransactionError> {
    let ids: Vec<i64> = rejected
        .iter()
        .map(|draw_batch| draw_batch.draw().0)
        .collect();
    let rows = sqlx::query!(
        "select id, owner_epoch, revision from draws where id = any($1)",
        &ids[..]
    )
    .fetch_all(connection)
    .await?;
    let owned: BTreeMap<i64, (i64, i64)> = rows
        .into_iter()
        .map(|row| (row.id, (row.owner_epoch, row.revision)))
        .collect();
    let reason = |first: &DrawCommit| match owned.get(&first.draw.0) {
        None => Failure::NotFound,
        Some(found) if *found != (first.epoch, first.after.cast_signed()) => Failure::Fenced,
        Some(_) => Failure::ClosedByClock,
    };
    Ok(rejected
        .iter()
        .map(|draw_batch| (draw_batch.draw().0, reason(draw_batch.first_commit())))
        .collect())
}

/// Writes rare changes of draws: close, result, undo, amendment, archive, cancellation. A
/// transaction contains at most one of these changes for each draw. Except for a close, the
/// transaction then contains no other commit of that draw.
pub(super) async fn update_draws(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    let changed: Vec<&&PreparedCommit> = commits
        .iter()
        .filter(|commit| commit.change.changes_draw_row())
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let (mut draws, mut status, mut at, mut closes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut price, mut percentage, mut round_up) = (Vec::new(), Vec::new(), Vec::new());
    let mut times: (Vec<Option<OffsetDateTime>>, Vec<Option<OffsetDateTime>>) = Default::default();
    let (mut decides, mut home, mut away) = (Vec::new(), Vec::new(), Vec::new());
    let (mut winner, mut prize) = (Vec::new(), Vec::new());
    let (mut archived, mut reveals) = (Vec::new(), Vec::new());
    for PreparedCommit { append, change } in changed {
        draws.push(append.draw.0);
        at.push(instant::to_stored_time(append.at));
        status.push(change.status.map(codec::draw_status_text));
        closes.push(
            append
                .events
                .iter()
                .any(|event| matches!(event, Event::Closed)),
        );
        price.push(change.terms.map(|terms| terms.price.0));
        percentage.push(change.terms.map(|terms| i16::from(terms.prize_percentage)));
        round_up.push(change.terms.map(|terms| terms.round_up_prize));
        times.0.push(
            change
                .terms
                .and_then(|terms| terms.opens_at)
                .map(instant::to_stored_time),
        );
        times.1.push(
            change
                .terms
                .map(|terms| instant::to_stored_time(terms.closes_at)),
        );
        decides.push(change.outcome.is_some());
        let outcome = change.outcome.flatten();
        home.push(outcome.map(|outcome| i16::from(outcome.result.cell.home())));
        away.push(outcome.map(|outcome| i16::from(outcome.result.cell.away())));
        winner.push(outcome.map(|outcome| outcome.winner.number().cast_signed()));
        prize.push(outcome.map(|outcome| outcome.prize.0));
        archived.push(change.archived);
        reveals.push(change.revealed);
    }
    sqlx::query!(
        "update draws d set
           status = coalesce(a.status, d.status),
           closed_at = case when a.closes then a.at when a.status = 'active' then null else d.closed_at end,
           price_cents = coalesce(a.price, d.price_cents),
           prize_percentage = coalesce(a.percentage, d.prize_percentage),
           round_up_prize = coalesce(a.round_up, d.round_up_prize),
           opens_at = case when a.price is null then d.opens_at else a.opens_at end,
           kick_off = coalesce(a.kick_off, d.kick_off),
           result_home = case when a.decides then a.home else d.result_home end,
           result_away = case when a.decides then a.away else d.result_away end,
           winning_serial = case when a.decides then a.winner else d.winning_serial end,
           prize_cents = case when a.decides then a.prize else d.prize_cents end,
           completed_revision = case when not a.decides then d.completed_revision when a.home is null then null else d.revision end,
           completed_at = case when not a.decides then d.completed_at when a.home is null then null else a.at end,
           archived = coalesce(a.archived, d.archived),
           revealed_at = case when a.reveals then coalesce(d.revealed_at, a.at) else d.revealed_at end
         from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::boolean[], $5::bigint[], $6::smallint[], $7::boolean[],
           $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::smallint[], $12::smallint[], $13::smallint[],
           $14::bigint[], $15::boolean[], $16::boolean[])
           as a (draw_id, at, status, closes, price, percentage, round_up, opens_at, kick_off, decides, home, away, winner,
             prize, archived, reveals)
         where d.id = a.draw_id",
        &draws[..],
        &at[..],
        &status as _,
        &closes[..],
        &price as _,
        &percentage as _,
        &round_up as _,
        &times.0 as _,
        &times.1 as _,
        &decides[..],
        &home as _,
        &away as _,
        &winner as _,
        &prize as _,
        &archived as _,
        &reveals[..]
    )
    .execute(connection)
        .await?;
    Ok(())
}

/// Increments the catalogue's revision (a counter for cached lists) if lists of draws have changed.
/// This must be the last write, so that no transaction holds this row's lock for long.
pub(super) async fn increment_catalogue_revision(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    if commits.iter().any(|commit| commit.change.changes_listing()) {
        sqlx::query!("update catalogue set revision = revision + 1")
            .execute(connection)
            .await?;
    }
    Ok(())
}
