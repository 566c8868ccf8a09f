//! Claims of draws. A claim sets a new epoch, which fences every earlier owner, and then loads the
//! draw's state. The number of statements does not depend on the number of draws.

use std::collections::{BTreeMap, BTreeSet};

use domain::draw::{DrawOutcome, DrawSnapshot};
use domain::{
    Allocation, Cents, Deal, DrawId, FeePolicy, GameResult, OrderId, Reservation, Seed, Serial,
    Terms,
};
use sqlx::postgres::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::nodes::instance_uuid;
use super::views::{query_views, view_row};
use super::{codec, instant};
use crate::error::Failure;
use crate::ledger::{ChangedDraw, ClaimedDraw, DrawClaims, DrawOfAnotherNode, KnownDraw};
use crate::nodes::{InstanceId, Node};
use crate::seal::{SEED_SEAL_PURPOSE, Sealer};

/// The columns of a draw's row from which the draw's state is loaded.
struct DrawRow {
    id: i64,
    owner_epoch: i64,
    revision: i64,
    status: String,
    archived: bool,
    revealed_at: Option<OffsetDateTime>,
    returned_serials: Vec<i16>,
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

/// Claims draws and loads their state. No earlier owner can write after the update has committed,
/// so the state that is read afterwards does not change. The update also checks leases by the
/// database's clock. Draws of the node `from` are claimed even if its lease has not ended.
pub(super) async fn claim_draws(
    pool: &PgPool,
    sealer: &Sealer,
    me: InstanceId,
    draws: &[DrawId],
    from: Option<InstanceId>,
) -> Result<DrawClaims, Failure> {
    let ids: Vec<i64> = draws.iter().map(|draw| draw.0).collect();
    let mut connection = pool.acquire().await.map_err(Failure::from_read_error)?;
    let stored = sqlx::query_as!(
        DrawRow,
        "update draws d set owner_epoch = d.owner_epoch + 1, owner_boot = $2
         from (
           select id from draws o where id = any($1)
             and (owner_boot is null or owner_boot in ($2, $3) or not exists (
               select from nodes n where n.boot_id = o.owner_boot and n.lease_until > clock_timestamp()))
           order by id for update
         ) a
         where d.id = a.id
         returning d.id, d.owner_epoch, d.revision, d.status, d.archived, d.revealed_at, d.returned_serials, d.kick_off,
           d.opens_at, d.price_cents, d.prize_percentage, d.round_up_prize, d.fee_rate_bps, d.fee_cap_cents,
           d.commitment, d.seed_sealed, d.sold, d.held, d.revenue_cents, d.fee_cents, d.result_home, d.result_away,
           d.winning_serial, d.prize_cents",
        &ids[..],
        instance_uuid(me),
        from.map(instance_uuid)
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::from_commit_error)?;
    let elsewhere = if stored.len() < ids.len() {
        foreign_draws(&mut connection, &ids, &stored).await?
    } else {
        Vec::new()
    };
    let ids: Vec<i64> = stored.iter().map(|row| row.id).collect();
    if ids.is_empty() {
        return Ok(DrawClaims {
            taken: Vec::new(),
            elsewhere,
        });
    }
    let reservation_rows = sqlx::query!(
        "select draw_id, order_id, count, until, extensions from reservations where draw_id = any($1)",
        &ids[..]
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::from_read_error)?;
    let allocation_rows = sqlx::query!(
        r#"select draw_id, order_id, serials as "serials!", application_fee_cents from order_lines
         where draw_id = any($1) and serials is not null"#,
        &ids[..]
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(Failure::from_read_error)?;
    drop(connection);
    let mut reservations: BTreeMap<i64, Vec<(OrderId, Reservation)>> = BTreeMap::new();
    for row in reservation_rows {
        let reservation = Reservation {
            count: row.count.cast_unsigned(),
            until: instant::from_stored_time(row.until),
            extensions: row.extensions as u8,
        };
        reservations
            .entry(row.draw_id)
            .or_default()
            .push((OrderId(row.order_id.as_u128()), reservation));
    }
    let mut allocations: BTreeMap<i64, Vec<(OrderId, Allocation)>> = BTreeMap::new();
    for row in allocation_rows {
        let allocation = Allocation {
            // A CHECK constraint on the column keeps serials within 1…169, so no serial is dropped
            // here.
            serials: row
                .serials
                .into_iter()
                .filter_map(|number| Serial::new(number.cast_unsigned()))
                .collect(),
            fee: Cents(row.application_fee_cents),
        };
        allocations
            .entry(row.draw_id)
            .or_default()
            .push((OrderId(row.order_id.as_u128()), allocation));
    }
    let mut claimed = Vec::with_capacity(stored.len());
    for row in stored {
        let id = row.id;
        let reservations = reservations.remove(&id).unwrap_or_default();
        let allocations = allocations.remove(&id).unwrap_or_default();
        claimed.push(ClaimedDraw {
            epoch: row.owner_epoch,
            snapshot: row.into_snapshot(sealer, reservations, allocations)?,
        });
    }
    claimed.sort_by_key(|claimed| claimed.snapshot.id);
    Ok(DrawClaims {
        taken: claimed,
        elsewhere,
    })
}

/// Returns the draws that another node owns, each with its owner and its view. If the owner's node
/// has left the list of nodes, its address is empty.
async fn foreign_draws(
    connection: &mut PgConnection,
    asked: &[i64],
    taken: &[DrawRow],
) -> Result<Vec<DrawOfAnotherNode>, Failure> {
    let taken: BTreeSet<i64> = taken.iter().map(|row| row.id).collect();
    let missing: Vec<i64> = asked
        .iter()
        .copied()
        .filter(|id| !taken.contains(id))
        .collect();
    let rows = query_views!(
        r#", d.owner_boot, n.address as "address?"
         from draws d left join nodes n on n.boot_id = d.owner_boot where d.id = any($1) order by d.id"#,
        &missing[..]
    )
    .fetch_all(connection)
    .await
    .map_err(Failure::from_read_error)?;
    rows.into_iter()
        .map(|row| {
            let boot = InstanceId(row.owner_boot.unwrap_or_default().as_u128());
            Ok(DrawOfAnotherNode {
                view: view_row!(row).to_view()?,
                owner: Node {
                    boot,
                    address: row.address.unwrap_or_default(),
                },
            })
        })
        .collect()
}

/// Returns the draws whose revision or ownership differs from what the process knew.
pub(super) async fn changed_draws(
    pool: &PgPool,
    me: InstanceId,
    known: &[KnownDraw],
) -> Result<Vec<ChangedDraw>, Failure> {
    let (mut ids, mut revisions, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for one in known {
        ids.push(one.draw.0);
        revisions.push(one.revision.cast_signed());
        ours.push(one.ours);
    }
    let rows = query_views!(
        r#", d.owner_boot is not distinct from $4 as "ours!"
         from unnest($1::bigint[], $2::bigint[], $3::boolean[]) as k (id, revision, ours) join draws d on d.id = k.id
         where case when k.ours then d.owner_boot is distinct from $4 else d.revision > k.revision end"#,
        &ids[..],
        &revisions[..],
        &ours[..],
        instance_uuid(me)
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    rows.into_iter()
        .map(|row| {
            Ok(ChangedDraw {
                view: view_row!(row).to_view()?,
                ours: row.ours,
            })
        })
        .collect()
}

/// Returns a draw's deal (its assignment of number pairs to tickets). A deal never changes, so it
/// may be read without owning the draw.
pub(super) async fn load_deal(
    pool: &PgPool,
    sealer: &Sealer,
    draw: DrawId,
) -> Result<Deal, Failure> {
    let read = sqlx::query!(
        "select seed_sealed, commitment from draws where id = $1",
        draw.0
    );
    let row = read
        .fetch_optional(pool)
        .await
        .map_err(Failure::from_read_error)?;
    let row = row.ok_or(Failure::NotFound)?;
    unseal_deal(sealer, draw, &row.seed_sealed, &row.commitment)
}

fn unseal_deal(
    sealer: &Sealer,
    id: DrawId,
    sealed: &[u8],
    commitment: &[u8],
) -> Result<Deal, Failure> {
    let corrupt = |what: &str| Failure::Corrupt(format!("draw {id}: {what}"));
    let seed = sealer.open(SEED_SEAL_PURPOSE, id, sealed)?;
    let seed = Seed(
        seed.try_into()
            .map_err(|_| corrupt("seed of another length"))?,
    );
    if seed.commitment(id)[..] != *commitment {
        return Err(corrupt("the seed does not match its commitment"));
    }
    Ok(Deal::new(seed))
}

pub(super) async fn live_draws(pool: &PgPool) -> Result<Vec<DrawId>, Failure> {
    let ids = sqlx::query_scalar!(
        "select id from draws where status in ('active', 'closed') order by id"
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read_error)?;
    Ok(ids.into_iter().map(DrawId).collect())
}

impl DrawRow {
    fn into_snapshot(
        self,
        sealer: &Sealer,
        reservations: Vec<(OrderId, Reservation)>,
        allocations: Vec<(OrderId, Allocation)>,
    ) -> Result<DrawSnapshot, Failure> {
        let id = DrawId(self.id);
        let corrupt = |what: &str| Failure::Corrupt(format!("draw {id}: {what}"));
        let deal = unseal_deal(sealer, id, &self.seed_sealed, &self.commitment)?;
        // Separate statements write a draw's counters and its ticket rows, so each load checks that
        // they agree.
        let sold: usize = allocations
            .iter()
            .map(|(_, allocation)| allocation.serials.len())
            .sum();
        let held: i64 = reservations
            .iter()
            .map(|(_, reservation)| i64::from(reservation.count))
            .sum();
        if sold as i64 != i64::from(self.sold) || held != i64::from(self.held) {
            return Err(corrupt("its counters differ from its rows"));
        }
        Ok(DrawSnapshot {
            id,
            terms: Terms {
                price: Cents(self.price_cents),
                prize_percentage: u8::try_from(self.prize_percentage)
                    .map_err(|_| corrupt("percentage"))?,
                round_up_prize: self.round_up_prize,
                opens_at: self.opens_at.map(instant::from_stored_time),
                closes_at: instant::from_stored_time(self.kick_off),
            },
            fee_policy: FeePolicy {
                rate_bps: self.fee_rate_bps.cast_unsigned(),
                cap: Cents(self.fee_cap_cents),
            },
            deal,
            status: codec::parse_draw_status(&self.status)?,
            revision: self.revision.cast_unsigned(),
            reservations,
            allocations,
            revenue: Cents(self.revenue_cents),
            fee: Cents(self.fee_cents),
            outcome: self.read_outcome().ok_or_else(|| corrupt("outcome"))?,
            archived: self.archived,
            revealed: self.revealed_at.is_some(),
            // A CHECK constraint on the column keeps serials within 1…169, so no serial is dropped
            // here.
            returned: self
                .returned_serials
                .iter()
                .filter_map(|number| Serial::new(number.cast_unsigned()))
                .collect(),
        })
    }

    /// Returns the draw's result and prize. `Some(None)` means that there is no result, and `None`
    /// that the result's columns contradict each other.
    fn read_outcome(&self) -> Option<Option<DrawOutcome>> {
        match (
            self.result_home,
            self.result_away,
            self.winning_serial,
            self.prize_cents,
        ) {
            (None, None, None, None) => Some(None),
            (Some(home), Some(away), Some(winner), Some(prize)) => Some(Some(DrawOutcome {
                result: GameResult::new(u8::try_from(home).ok()?, u8::try_from(away).ok()?)?,
                winner: Serial::new(winner.cast_unsigned())?,
                prize: Cents(prize),
            })),
            _ => None,
        }
    }
}
