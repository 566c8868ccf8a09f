//! What a club's dashboard asks for: prizes that are not finished, the pace of sales, buyers, and
//! what the club's members did.

use domain::{Cents, ClubId, DrawId, Timestamp};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Records, timestamp, to_column_time};
use crate::Failure;

/// A completed draw whose winning ticket was sold and whose prize is not paid.
#[derive(Clone, Debug)]
pub struct UnpaidPrize {
    pub draw: DrawId,
    pub completed_at: Timestamp,
    pub winner_name: Option<String>,
    /// The deadline for using the mailed link. `None` when no link was mailed.
    pub respond_by: Option<Timestamp>,
    /// When the bank details were received.
    pub received_at: Option<Timestamp>,
    /// Whether the buyer's bank disputes the payment. No prize is paid until that is resolved.
    pub disputed: bool,
}

/// The tickets that the club's last game had sold, as long before its kick-off as it is now before
/// the kick-off of a draw on sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SalesPace {
    pub draw: DrawId,
    pub last_draw: DrawId,
    pub last_sold: u16,
}

/// An order with its buyer, for the club's search.
#[derive(Clone, Debug)]
pub struct BuyerOrder {
    pub order: Uuid,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub bought_at: Timestamp,
    pub total: Cents,
    pub tickets: i64,
    pub draws: Vec<i64>,
}

/// Something that a member of a club, or the operator, did in the club.
#[derive(Clone, Debug)]
pub struct ClubAction {
    pub id: i64,
    pub at: Timestamp,
    pub actor: String,
    pub person: Option<String>,
    pub action: String,
    pub object: String,
}

/// Maximum number of orders that a search returns.
const FOUND_ORDERS_MAX: i64 = 50;

impl Records {
    /// Returns the club's completed draws whose winner is not paid.
    pub async fn unpaid_prizes(&self, club: ClubId) -> Result<Vec<UnpaidPrize>, Failure> {
        let read = sqlx::query!(
            r#"select d.id, d.completed_at as "completed_at!", o.buyer_name, w.respond_by, w.received_at,
                 coalesce((select bool_or(p.disputed) from payments p where p.order_id = o.id), false) as "disputed!"
             from draws d join tickets t on t.draw_id = d.id and t.serial = d.winning_serial
                 join order_lines l on l.id = t.order_line_id join orders o on o.id = l.order_id
                 left join winner_claims w on w.draw_id = d.id
             where d.club_id = $1 and d.status = 'completed' and d.completed_at is not null and not exists (
                 select from payouts p where p.draw_id = d.id and p.type = 'winner' and p.status = 'completed')
             order by d.completed_at"#,
            club.0
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| UnpaidPrize {
                draw: DrawId(row.id),
                completed_at: timestamp(row.completed_at),
                winner_name: row.buyer_name,
                respond_by: row.respond_by.map(timestamp),
                received_at: row.received_at.map(timestamp),
                disputed: row.disputed,
            })
            .collect())
    }

    /// Compares the sales of each of the club's draws on sale with those of its last game at the
    /// same time before kick-off. Returns nothing for a club without an earlier game.
    pub async fn sales_pace(
        &self,
        club: ClubId,
        now: Timestamp,
    ) -> Result<Vec<SalesPace>, Failure> {
        let read = sqlx::query!(
            r#"with last as (
                 select id, kick_off from draws
                 where club_id = $1 and kick_off <= $2 and status <> 'cancelled' order by kick_off desc limit 1)
             select d.id, last.id as last_id, (
                 select count(*) from tickets t
                 where t.draw_id = last.id and t.sold_at <= last.kick_off - (d.kick_off - $2)) as "last_sold!"
             from draws d cross join last
             where d.club_id = $1 and d.status = 'active' and d.kick_off > $2 order by d.kick_off, d.id"#,
            club.0,
            to_column_time(now)
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| SalesPace {
                draw: DrawId(row.id),
                last_draw: DrawId(row.last_id),
                last_sold: row.last_sold as u16,
            })
            .collect())
    }

    /// Returns when each ticket of a draw was sold, ascending.
    pub async fn sale_times(&self, draw: DrawId) -> Result<Vec<Timestamp>, Failure> {
        let read = sqlx::query_scalar!(
            "select sold_at from tickets where draw_id = $1 order by sold_at",
            draw.0
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(timestamp).collect())
    }

    /// Finds the club's paid orders by a part of the buyer's name, e-mail address or phone, newest
    /// first. Erased buyers are not found.
    pub async fn find_buyer_orders(
        &self,
        club: ClubId,
        text: &str,
    ) -> Result<Vec<BuyerOrder>, Failure> {
        let pattern = format!("%{}%", text.replace(['%', '_', '\\'], ""));
        let read = sqlx::query!(
            r#"select o.id, o.buyer_name as "name!", o.buyer_email as "email!", o.buyer_phone as phone,
                 o.opened_at, (select sum(l.count * l.unit_price_cents + l.card_fee_cents) from order_lines l
                     where l.order_id = o.id)::bigint as "total!",
                 (select sum(l.count) from order_lines l where l.order_id = o.id)::bigint as "tickets!",
                 (select array_agg(l.draw_id order by l.draw_id) from order_lines l where l.order_id = o.id) as "draws!"
             from orders o
             where o.club_id = $1 and o.state in ('allocated', 'captured') and o.buyer_email is not null
                 and o.erased_at is null and (o.buyer_name ilike $2 or o.buyer_email ilike $2
                     or replace(o.buyer_phone, ' ', '') like replace($2, ' ', ''))
             order by o.opened_at desc limit $3"#,
            club.0,
            pattern,
            FOUND_ORDERS_MAX
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| BuyerOrder {
                order: row.id,
                name: row.name,
                email: row.email,
                phone: row.phone,
                bought_at: timestamp(row.opened_at),
                total: Cents(row.total),
                tickets: row.tickets,
                draws: row.draws,
            })
            .collect())
    }

    /// Returns what the club's members and the operator did in the club, newest first, before the
    /// entry `before`.
    pub async fn club_actions(
        &self,
        club: ClubId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<ClubAction>, Failure> {
        let read = sqlx::query!(
            "select id, at, actor, action, object, (select u.name from club_users u
                 where u.id = substring(actor from 'member ([0-9]+)$')::bigint) as person
             from audit_log where club_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3",
            club.0,
            before,
            limit
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| ClubAction {
                id: row.id,
                at: timestamp(row.at),
                actor: row.actor,
                person: row.person,
                action: row.action,
                object: row.object,
            })
            .collect())
    }
}
