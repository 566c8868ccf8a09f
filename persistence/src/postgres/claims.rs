//! Claiming draws: the new epoch that fences every earlier owner, and then the state, in a handful of statements however
//! many draws there are.

use std::collections::BTreeMap;

use domain::draw::{Outcome, Snapshot};
use domain::{Allocation, Cents, Deal, DrawId, FeePolicy, GameResult, OrderId, Reservation, Seed, Serial, Terms};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{FromRow, Row};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{instant, words};
use crate::error::Failure;
use crate::ledger::Claimed;
use crate::seal::{PURPOSE_SEED, Sealer};

/// A draw's own row.
#[derive(FromRow)]
struct Stored {
    id: i64,
    owner_epoch: i64,
    revision: i64,
    status: String,
    archived: bool,
    kick_off: OffsetDateTime,
    opens_at: Option<OffsetDateTime>,
    price_cents: i64,
    prize_percentage: i16,
    round_up_prize: bool,
    fee_rate_bps: i32,
    fee_cap_cents: i64,
    commitment: Vec<u8>,
    seed_sealed: Vec<u8>,
    sold: i16,
    held: i16,
    revenue_cents: i64,
    fee_cents: i64,
    result_home: Option<i16>,
    result_away: Option<i16>,
    winning_serial: Option<i16>,
    prize_cents: Option<i64>,
}

/// Once the update has committed no earlier owner can write, so what is read after it stands still.
pub(super) async fn claim(pool: &PgPool, sealer: &Sealer, draws: &[DrawId]) -> Result<Vec<Claimed>, Failure> {
    let ids: Vec<i64> = draws.iter().map(|draw| draw.0).collect();
    let mut connection = pool.acquire().await.map_err(Failure::from_read)?;
    let stored: Vec<Stored> = sqlx::query_as(
        "update draws d set owner_epoch = d.owner_epoch + 1
         from (select id from draws where id = any($1) order by id for update) a
         where d.id = a.id
         returning d.*",
    )
    .bind(&ids)
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::at_commit)?;
    let reservations =
        sqlx::query("select draw_id, order_id, count, until, extensions from reservations where draw_id = any($1)")
            .bind(&ids)
            .fetch_all(&mut *connection)
            .await
            .map_err(Failure::from_read)?;
    let allocations = sqlx::query(
        "select draw_id, order_id, serials, application_fee_cents from order_lines
         where draw_id = any($1) and serials is not null",
    )
    .bind(&ids)
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::from_read)?;
    drop(connection);
    let mut reservations = by_draw(reservations, read_reservation)?;
    let mut allocations = by_draw(allocations, read_allocation)?;
    let mut claimed = Vec::with_capacity(stored.len());
    for row in stored {
        let id = row.id;
        let reservations = reservations.remove(&id).unwrap_or_default();
        let allocations = allocations.remove(&id).unwrap_or_default();
        claimed.push(Claimed { epoch: row.owner_epoch, snapshot: row.restore(sealer, reservations, allocations)? });
    }
    claimed.sort_by_key(|claimed| claimed.snapshot.id);
    Ok(claimed)
}

pub(super) async fn live(pool: &PgPool) -> Result<Vec<DrawId>, Failure> {
    let ids: Vec<i64> = sqlx::query_scalar("select id from draws where status in ('active', 'closed') order by id")
        .fetch_all(pool)
        .await
        .map_err(Failure::from_read)?;
    Ok(ids.into_iter().map(DrawId).collect())
}

fn by_draw<T>(rows: Vec<PgRow>, read: fn(&PgRow) -> Result<T, sqlx::Error>) -> Result<BTreeMap<i64, Vec<T>>, Failure> {
    let mut found: BTreeMap<i64, Vec<T>> = BTreeMap::new();
    for row in rows {
        let draw = row.try_get(0).map_err(Failure::from_read)?;
        found.entry(draw).or_default().push(read(&row).map_err(Failure::from_read)?);
    }
    Ok(found)
}

fn read_reservation(row: &PgRow) -> Result<(OrderId, Reservation), sqlx::Error> {
    let order = OrderId(row.try_get::<Uuid, _>(1)?.as_u128());
    let reservation = Reservation {
        count: row.try_get::<i16, _>(2)?.cast_unsigned(),
        until: instant::read(row.try_get(3)?),
        extensions: row.try_get::<i16, _>(4)? as u8,
    };
    Ok((order, reservation))
}

fn read_allocation(row: &PgRow) -> Result<(OrderId, Allocation), sqlx::Error> {
    let order = OrderId(row.try_get::<Uuid, _>(1)?.as_u128());
    let serials: Vec<i16> = row.try_get(2)?;
    // The column's own checks keep serials within 1…169.
    let serials = serials.into_iter().filter_map(|number| Serial::new(number.cast_unsigned())).collect();
    Ok((order, Allocation { serials, fee: Cents(row.try_get(3)?) }))
}

impl Stored {
    fn restore(
        self,
        sealer: &Sealer,
        reservations: Vec<(OrderId, Reservation)>,
        allocations: Vec<(OrderId, Allocation)>,
    ) -> Result<Snapshot, Failure> {
        let id = DrawId(self.id);
        let corrupt = |what: &str| Failure::Corrupt(format!("draw {id}: {what}"));
        let seed = sealer.open(PURPOSE_SEED, id, &self.seed_sealed)?;
        let seed = Seed(seed.try_into().map_err(|_| corrupt("seed of another length"))?);
        if seed.commitment(id)[..] != self.commitment {
            return Err(corrupt("the seed does not match its commitment"));
        }
        // The counters were written by the fence, the rows by others: a pair assertion at every load.
        let sold: usize = allocations.iter().map(|(_, allocation)| allocation.serials.len()).sum();
        let held: i64 = reservations.iter().map(|(_, reservation)| i64::from(reservation.count)).sum();
        if sold as i64 != i64::from(self.sold) || held != i64::from(self.held) {
            return Err(corrupt("its counters differ from its rows"));
        }
        Ok(Snapshot {
            id,
            terms: Terms {
                price: Cents(self.price_cents),
                prize_percentage: u8::try_from(self.prize_percentage).map_err(|_| corrupt("percentage"))?,
                round_up_prize: self.round_up_prize,
                opens_at: self.opens_at.map(instant::read),
                closes_at: instant::read(self.kick_off),
            },
            fee_policy: FeePolicy { rate_bps: self.fee_rate_bps.cast_unsigned(), cap: Cents(self.fee_cap_cents) },
            deal: Deal::new(seed),
            status: words::read_status(&self.status)?,
            revision: self.revision.cast_unsigned(),
            reservations,
            allocations,
            revenue: Cents(self.revenue_cents),
            fee: Cents(self.fee_cents),
            outcome: self.outcome().ok_or_else(|| corrupt("outcome"))?,
            archived: self.archived,
        })
    }

    /// `None` when only a part of it can be read.
    fn outcome(&self) -> Option<Option<Outcome>> {
        match (self.result_home, self.result_away, self.winning_serial, self.prize_cents) {
            (None, None, None, None) => Some(None),
            (Some(home), Some(away), Some(winner), Some(prize)) => Some(Some(Outcome {
                result: GameResult::new(u8::try_from(home).ok()?, u8::try_from(away).ok()?)?,
                winner: Serial::new(winner.cast_unsigned())?,
                prize: Cents(prize),
            })),
            _ => None,
        }
    }
}
