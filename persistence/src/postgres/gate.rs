//! The gate through which every commit passes, in one statement: the fence that lets only a draw's true owner write, and with it
//! all that needs no answer first: counters, reservations, fee steps, journal. A statement by itself waits for the database by
//! itself, while the draw's next commands wait for it. Several commits of a draw pass together or not at all: one row for the
//! draw and what they leave of each reservation, and for each of them its fee steps and its row in the journal.

use std::collections::BTreeSet;

use domain::{DrawId, OrderId};
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::group::{Commit, Entry};
use super::writer::Trouble;
use super::{instant, words};
use crate::change::{Change, Handover};
use crate::journal;
use crate::ledger::Append;

/// A held row lock keeps everybody else out until the commit. What stands beside the fence is written only for draws that pass,
/// and sees the rows as they were before: reservations that go or change are counted as they stood.
const PASS: &str = "with a as (
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
         and (not a.sells or clock_timestamp() < d.kick_off)
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
     select id from passed";

/// Moves each draw whose owner, revision and clock are right on by its commits, and says which were.
pub(super) async fn pass(
    connection: &mut PgConnection,
    entries: &[&Entry],
) -> Result<BTreeSet<DrawId>, Trouble> {
    let (mut draws, mut reservations) = (Draws::default(), Reservations::default());
    let (mut steps, mut rows) = (Steps::default(), Journal::default());
    for entry in entries {
        let change = entry.change();
        draws.add(entry, &change);
        reservations.add(entry.draw(), &change);
        for commit in &entry.commits {
            steps.add(commit);
            rows.add(&commit.append);
        }
    }
    let query = rows.bind(steps.bind(reservations.bind(draws.bind(sqlx::query_scalar(PASS)))));
    let passed: Vec<i64> = query.fetch_all(connection).await?;
    Ok(passed.into_iter().map(DrawId).collect())
}

type Bindable = sqlx::query::QueryScalar<'static, sqlx::Postgres, i64, sqlx::postgres::PgArguments>;

/// A row for each draw, as columns.
#[derive(Default)]
struct Draws {
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

impl Draws {
    fn add(&mut self, entry: &Entry, change: &Change) {
        let first = entry.first();
        let after = first.after.cast_signed();
        self.ids.push(first.draw.0);
        self.epochs.push(first.epoch);
        self.after.push(after);
        self.becomes.push(after + entry.commits.len() as i64);
        self.sells
            .push(entry.commits.iter().any(|commit| commit.append.sells));
        self.sold.push(change.sold_delta());
        self.kept.push(change.kept().cast_signed());
        let step = change.step().map(|(_, step)| step);
        self.revenue.push(step.map(|step| step.revenue_after.0));
        self.fee.push(step.map(|step| step.fee_after.0));
        self.to_return.push(change.to_return().0);
        // Arrays of arrays must be rectangular; text may be ragged.
        let orders: Vec<String> = change.reservations.keys().map(OrderId::to_string).collect();
        self.touched.push(format!("{{{}}}", orders.join(",")));
    }

    fn bind(self, query: Bindable) -> Bindable {
        let query = query
            .bind(self.ids)
            .bind(self.epochs)
            .bind(self.after)
            .bind(self.becomes)
            .bind(self.sells);
        let query = query
            .bind(self.sold)
            .bind(self.kept)
            .bind(self.revenue)
            .bind(self.fee);
        query.bind(self.touched).bind(self.to_return)
    }
}

/// Those that go, and those that stay or come in their new size. An order has one outcome, the last.
#[derive(Default)]
struct Reservations {
    gone: (Vec<i64>, Vec<Uuid>),
    draws: Vec<i64>,
    orders: Vec<Uuid>,
    counts: Vec<i16>,
    untils: Vec<OffsetDateTime>,
    extensions: Vec<i16>,
}

impl Reservations {
    fn add(&mut self, draw: DrawId, change: &Change) {
        for (order, becomes) in &change.reservations {
            match becomes {
                None => {
                    self.gone.0.push(draw.0);
                    self.gone.1.push(words::uuid(*order));
                }
                Some(reservation) => {
                    self.draws.push(draw.0);
                    self.orders.push(words::uuid(*order));
                    self.counts.push(reservation.count.cast_signed());
                    self.untils.push(instant::stored(reservation.until));
                    self.extensions.push(i16::from(reservation.extensions));
                }
            }
        }
    }

    fn bind(self, query: Bindable) -> Bindable {
        let query = query
            .bind(self.gone.0)
            .bind(self.gone.1)
            .bind(self.draws)
            .bind(self.orders);
        query
            .bind(self.counts)
            .bind(self.untils)
            .bind(self.extensions)
    }
}

/// What each allocation and void moves in its draw's fee ledger.
#[derive(Default)]
struct Steps {
    draws: Vec<i64>,
    revisions: Vec<i64>,
    orders: Vec<Uuid>,
    deltas: (Vec<i64>, Vec<i64>),
    after: (Vec<i64>, Vec<i64>),
    at: Vec<OffsetDateTime>,
}

impl Steps {
    fn add(&mut self, Commit { append, change }: &Commit) {
        for Handover { order, step, .. } in change.voided.iter().chain(&change.allocated) {
            self.draws.push(append.draw.0);
            self.revisions.push(append.after.cast_signed() + 1);
            self.orders.push(words::uuid(*order));
            self.deltas.0.push(step.revenue_delta.0);
            self.deltas.1.push(step.fee_delta.0);
            self.after.0.push(step.revenue_after.0);
            self.after.1.push(step.fee_after.0);
            self.at.push(instant::stored(append.at));
        }
    }

    fn bind(self, query: Bindable) -> Bindable {
        let query = query
            .bind(self.draws)
            .bind(self.revisions)
            .bind(self.orders)
            .bind(self.deltas.0);
        query
            .bind(self.deltas.1)
            .bind(self.after.0)
            .bind(self.after.1)
            .bind(self.at)
    }
}

/// The events of each commit, under its revision.
#[derive(Default)]
struct Journal {
    draws: Vec<i64>,
    revisions: Vec<i64>,
    epochs: Vec<i64>,
    at: Vec<OffsetDateTime>,
    events: Vec<String>,
}

impl Journal {
    fn add(&mut self, append: &Append) {
        self.draws.push(append.draw.0);
        self.revisions.push(append.after.cast_signed() + 1);
        self.epochs.push(append.epoch);
        self.at.push(instant::stored(append.at));
        self.events.push(journal::write(&append.events));
    }

    fn bind(self, query: Bindable) -> Bindable {
        query
            .bind(self.draws)
            .bind(self.revisions)
            .bind(self.epochs)
            .bind(self.at)
            .bind(self.events)
    }
}
