//! The provider's messages: stored once, handled later.

use std::collections::BTreeMap;

use domain::{PaymentIntentId, Timestamp};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use super::entries::{Answers, Entry, Said};
use super::writer::Trouble;
use super::{instant, nodes};
use crate::books::Notice;
use crate::error::Failure;
use crate::nodes::{Boot, GONE_MS};

/// The primary key is what makes a message count once.
pub(super) async fn store(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut ids, mut accounts, mut kinds, mut intents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut payloads, mut received, mut takers) = (Vec::new(), Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Notice { notice, taker, at } = ask {
            places.insert(notice.event_id.clone(), place);
            ids.push(notice.event_id.as_str());
            accounts.push(notice.account.as_deref());
            kinds.push(notice.kind.as_str());
            intents.push(notice.payment_intent.as_ref().map(|id| id.0.as_str()));
            payloads.push(notice.payload.as_str());
            received.push(instant::stored(*at));
            takers.push(nodes::uuid(*taker));
            answers[place] = Some(Ok(Said::New(false)));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let new: Vec<String> = sqlx::query_scalar(
        "insert into webhook_events (event_id, account_id, kind, payment_intent_id, payload, received_at, taker_boot)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::uuid[])
         on conflict (event_id) do nothing returning event_id",
    )
    .bind(ids)
    .bind(accounts)
    .bind(kinds)
    .bind(intents)
    .bind(payloads)
    .bind(received)
    .bind(takers)
    .fetch_all(connection)
    .await?;
    for id in new {
        answers[places[&id]] = Some(Ok(Said::New(true)));
    }
    Ok(())
}

pub(super) async fn handled(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut ids, mut at) = (Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::NoticeHandled {
            event_id,
            at: handled_at,
        } = ask
        {
            places.insert(event_id.clone(), place);
            ids.push(event_id.as_str());
            at.push(instant::stored(*handled_at));
        }
    }
    if ids.is_empty() {
        return Ok(());
    }
    let known: Vec<String> = sqlx::query_scalar(
        "update webhook_events w set handled_at = coalesce(w.handled_at, a.at)
         from unnest($1::text[], $2::timestamptz[]) as a (event_id, at)
         where w.event_id = a.event_id returning w.event_id",
    )
    .bind(ids)
    .bind(at)
    .fetch_all(connection)
    .await?;
    for id in known {
        answers[places[&id]] = Some(Ok(Said::Done));
    }
    Ok(())
}

/// Oldest first.
pub(super) async fn unhandled(
    pool: &PgPool,
    taker: Boot,
    overdue: Timestamp,
    limit: u32,
) -> Result<Vec<Notice>, Failure> {
    let rows = sqlx::query(concat!(
        "select event_id, account_id, kind, payment_intent_id, payload from webhook_events w
         where handled_at is null and (taker_boot is null or taker_boot = $2 or received_at < $3 or ",
        nodes::is_gone!("w.taker_boot", "$4"),
        ") order by received_at, event_id limit $1",
    ))
    .bind(i64::from(limit))
    .bind(nodes::uuid(taker))
    .bind(instant::stored(overdue))
    .bind(GONE_MS)
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read)?;
    let read = |row: &PgRow| {
        Ok(Notice {
            event_id: row.try_get(0)?,
            account: row.try_get(1)?,
            kind: row.try_get(2)?,
            payment_intent: row.try_get::<Option<String>, _>(3)?.map(PaymentIntentId),
            payload: row.try_get(4)?,
        })
    };
    rows.iter()
        .map(|row| read(row).map_err(Failure::from_read))
        .collect()
}
