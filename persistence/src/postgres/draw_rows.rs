//! The draws' own rows in a commit: why a draw was rejected, and changes beyond its counters.

use std::collections::BTreeMap;

use domain::Event;
use sqlx::Row;
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;

use super::group_commit::{DrawBatch, PreparedCommit};
use super::writer::TransactionError;
use super::{codec, instant};
use crate::error::Failure;
use crate::ledger::Append;

/// Returns why each of these draws was rejected: another owner or revision, the clock, or no such
/// draw.
pub(super) async fn rejection_reasons(
    connection: &mut PgConnection,
    rejected: &[&DrawBatch],
) -> Result<BTreeMap<i64, Failure>, TransactionError> {
    let ids: Vec<i64> = rejected
        .iter()
        .map(|draw_batch| draw_batch.draw().0)
        .collect();
    let rows = sqlx::query("select id, owner_epoch, revision from draws where id = any($1)")
        .bind(ids)
        .fetch_all(connection)
        .await?;
    let mut owned = BTreeMap::new();
    for row in rows {
        owned.insert(
            row.try_get::<i64, _>(0)?,
            (row.try_get::<i64, _>(1)?, row.try_get::<i64, _>(2)?),
        );
    }
    let reason = |first: &Append| match owned.get(&first.draw.0) {
        None => Failure::NotFound,
        Some(found) if *found != (first.epoch, first.after.cast_signed()) => Failure::Fenced,
        Some(_) => Failure::ClosedByClock,
    };
    Ok(rejected
        .iter()
        .map(|draw_batch| (draw_batch.draw().0, reason(draw_batch.first())))
        .collect())
}

/// One record per draw, in the order of the columns of `a`.
const UPDATE_DRAWS: &str = "update draws d set
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
     where d.id = a.draw_id";

/// Writes rare changes of draws: close, result, undo, amendment, archive, cancellation. A draw has
/// at most one of them in a transaction; all except the close have the transaction to themselves.
pub(super) async fn update(
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
        at.push(instant::stored(append.at));
        status.push(change.status.map(codec::status));
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
                .map(instant::stored),
        );
        times
            .1
            .push(change.terms.map(|terms| instant::stored(terms.closes_at)));
        decides.push(change.outcome.is_some());
        let outcome = change.outcome.flatten();
        home.push(outcome.map(|outcome| i16::from(outcome.result.cell.home())));
        away.push(outcome.map(|outcome| i16::from(outcome.result.cell.away())));
        winner.push(outcome.map(|outcome| outcome.winner.number().cast_signed()));
        prize.push(outcome.map(|outcome| outcome.prize.0));
        archived.push(change.archived);
        reveals.push(change.revealed);
    }
    sqlx::query(UPDATE_DRAWS)
        .bind(draws)
        .bind(at)
        .bind(status)
        .bind(closes)
        .bind(price)
        .bind(percentage)
        .bind(round_up)
        .bind(times.0)
        .bind(times.1)
        .bind(decides)
        .bind(home)
        .bind(away)
        .bind(winner)
        .bind(prize)
        .bind(archived)
        .bind(reveals)
        .execute(connection)
        .await?;
    Ok(())
}

/// Increments the catalogue's revision when lists have changed. Comes last, so that no draw waits
/// for this row's lock.
pub(super) async fn bump_catalogue(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    if commits.iter().any(|commit| commit.change.changes_listing()) {
        sqlx::query("update catalogue set revision = revision + 1")
            .execute(connection)
            .await?;
    }
    Ok(())
}
