//! Orders: read by any of their names, and turned from state to state.

use std::collections::BTreeMap;

use domain::{
    AccountId, Cents, ClubId, DrawId, Line, Order, OrderId, PaymentIntentId, Serial, Timestamp,
};
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};
use time::OffsetDateTime;
use uuid::Uuid;

use super::entries::{Answers, Entry, Said};
use super::writer::Trouble;
use super::{instant, words};
use crate::books::OrderRecord;
use crate::error::Failure;
use crate::ledger::BuyerDetails;

/// An order with its lines in four arrays, ascending by draw.
macro_rules! select_orders {
    ($rest:literal) => {
        concat!(
            "select o.id, o.club_id, o.account_id, o.state, o.payment_intent_id, o.application_fee_cents, o.client_key,
               o.token, o.client_secret, o.buyer_name, o.buyer_email, o.buyer_phone, o.consent_at, o.opened_at,
               o.authorised_at, o.captured_at, o.reason, l.draws, l.counts, l.prices, l.card_fees, l.serials
             from orders o cross join lateral (
               select array_agg(draw_id) as draws, array_agg(count) as counts, array_agg(unit_price_cents) as prices,
                 array_agg(card_fee_cents) as card_fees, array_agg(array_to_string(serials, ',')) as serials
               from (select * from order_lines where order_id = o.id order by draw_id) of_order
             ) l ",
            $rest
        )
    };
}

pub(super) use select_orders;

pub(super) fn read(row: &PgRow) -> Result<OrderRecord, Failure> {
    let state = words::read_order_state(row.try_get("state").map_err(Failure::from_read)?)?;
    let (lines, tickets) = read_lines(row)?;
    let record = || {
        let at = |column| {
            row.try_get::<Option<OffsetDateTime>, _>(column)
                .map(|at| at.map(instant::read))
        };
        let order = Order {
            id: OrderId(row.try_get::<Uuid, _>("id")?.as_u128()),
            club: ClubId(row.try_get("club_id")?),
            account: AccountId(row.try_get("account_id")?),
            state,
            lines,
            payment_intent: row
                .try_get::<Option<String>, _>("payment_intent_id")?
                .map(PaymentIntentId),
            application_fee: Cents(row.try_get("application_fee_cents")?),
        };
        Ok(OrderRecord {
            order,
            client_key: row.try_get("client_key")?,
            token: row.try_get("token")?,
            client_secret: row.try_get("client_secret")?,
            buyer: BuyerDetails {
                name: row.try_get("buyer_name")?,
                email: row.try_get("buyer_email")?,
                phone: row.try_get("buyer_phone")?,
            },
            consent_at: at("consent_at")?,
            opened_at: instant::read(row.try_get("opened_at")?),
            authorised_at: at("authorised_at")?,
            captured_at: at("captured_at")?,
            reason: row.try_get("reason")?,
            tickets,
        })
    };
    record().map_err(Failure::from_read)
}

type LinesAndTickets = (Vec<Line>, Vec<(DrawId, Vec<Serial>)>);

fn read_lines(row: &PgRow) -> Result<LinesAndTickets, Failure> {
    let column = |name| {
        row.try_get::<Option<Vec<i64>>, _>(name)
            .map(Option::unwrap_or_default)
    };
    let arrays = || {
        let counts = row
            .try_get::<Option<Vec<i16>>, _>("counts")?
            .unwrap_or_default();
        let serials = row
            .try_get::<Option<Vec<Option<String>>>, _>("serials")?
            .unwrap_or_default();
        Ok((
            column("draws")?,
            counts,
            column("prices")?,
            column("card_fees")?,
            serials,
        ))
    };
    let (draws, counts, prices, card_fees, serials) = arrays().map_err(Failure::from_read)?;
    let lines = draws.iter().zip(counts).zip(prices).zip(card_fees).map(
        |(((draw, count), price), card_fee)| Line {
            draw: DrawId(*draw),
            count: count.cast_unsigned(),
            unit_price: Cents(price),
            card_fee: Cents(card_fee),
        },
    );
    let mut tickets = Vec::new();
    for (draw, text) in draws.iter().zip(&serials) {
        if let Some(text) = text {
            tickets.push((DrawId(*draw), read_serials(text)?));
        }
    }
    Ok((lines.collect(), tickets))
}

fn read_serials(text: &str) -> Result<Vec<Serial>, Failure> {
    let serial = |number: &str| number.parse().ok().and_then(Serial::new);
    let serials: Option<Vec<Serial>> = text.split(',').map(serial).collect();
    serials.ok_or_else(|| Failure::Corrupt("a line's serials".into()))
}

/// Blanks are filled, and a mail that waited for an address may leave. The rule is `BuyerDetails::filled`.
pub(super) async fn fill_buyer(
    connection: &mut PgConnection,
    order: OrderId,
    buyer: &BuyerDetails,
) -> Result<(), Failure> {
    let known: Option<(Option<String>, Option<String>, Option<String>)> = sqlx::query_as(
        "select buyer_name, buyer_email, buyer_phone from orders where id = $1 for update",
    )
    .bind(words::uuid(order))
    .fetch_optional(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    let (name, email, phone) = known.ok_or(Failure::NotFound)?;
    let before = BuyerDetails { name, email, phone };
    let after = before.clone().filled(buyer);
    if after == before {
        return Ok(());
    }
    let filled = sqlx::query(
        "update orders set buyer_name = $2, buyer_email = $3, buyer_phone = $4 where id = $1 and erased_at is null",
    )
    .bind(words::uuid(order))
    .bind(after.name)
    .bind(&after.email)
    .bind(after.phone)
    .execute(&mut *connection)
    .await
    .map_err(Failure::before_commit)?;
    if filled.rows_affected() == 0 {
        return Ok(());
    }
    sqlx::query(
        "update email_outbox set to_address = $2 where order_id = $1 and to_address is null",
    )
    .bind(words::uuid(order))
    .bind(after.email)
    .execute(connection)
    .await
    .map_err(Failure::before_commit)?;
    Ok(())
}

/// What is said takes the place of what is stored, while the order waits to be paid. The rule is `BuyerDetails::corrected`; a
/// mail waits for an address only once the order was captured, so there is none to send on.
pub(super) async fn correct_buyer(
    pool: &PgPool,
    order: OrderId,
    buyer: &BuyerDetails,
) -> Result<bool, Failure> {
    // A name without an address is no contact, nor the reverse.
    let BuyerDetails { name, email, phone } = BuyerDetails::default().filled(buyer);
    let corrected = sqlx::query(
        "update orders set buyer_name = coalesce($2, buyer_name), buyer_email = coalesce($3, buyer_email),
           buyer_phone = coalesce($4, buyer_phone)
         where id = $1 and state = 'quoted' and authorised_at is null and erased_at is null",
    )
    .bind(words::uuid(order))
    .bind(name)
    .bind(email)
    .bind(phone)
    .execute(pool)
    .await
    .map_err(Failure::at_commit)?;
    Ok(corrected.rows_affected() == 1)
}

/// Age and terms were confirmed; the first time counts.
pub(super) async fn consented(
    connection: &mut PgConnection,
    asks: &[&Entry],
    answers: &mut Answers,
) -> Result<(), Trouble> {
    let mut places = BTreeMap::new();
    let (mut orders, mut at, mut ips) = (Vec::new(), Vec::new(), Vec::new());
    let (mut versions, mut digests) = (Vec::new(), Vec::new());
    for (place, ask) in asks.iter().enumerate() {
        if let Entry::Consented {
            order,
            at: agreed_at,
            ip,
            terms,
        } = ask
        {
            places.insert(words::uuid(*order), place);
            orders.push(words::uuid(*order));
            at.push(instant::stored(*agreed_at));
            ips.push(ip.as_str());
            versions.push(terms.version);
            digests.push(hex::encode(terms.sha256));
        }
    }
    if orders.is_empty() {
        return Ok(());
    }
    let known: Vec<Uuid> = sqlx::query_scalar(
        "update orders o set consent_at = coalesce(o.consent_at, a.at),
           consent_ip = case when o.consent_at is null then a.ip else o.consent_ip end,
           consent_terms_version = case when o.consent_at is null then a.version else o.consent_terms_version end,
           consent_terms_sha256 = case when o.consent_at is null then a.digest else o.consent_terms_sha256 end
         from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[])
           as a (order_id, at, ip, version, digest)
         where o.id = a.order_id returning o.id",
    )
    .bind(orders)
    .bind(at)
    .bind(ips)
    .bind(versions)
    .bind(digests)
    .fetch_all(connection)
    .await?;
    for order in known {
        answers[places[&order]] = Some(Ok(Said::Done));
    }
    Ok(())
}

/// What may still come to something, oldest first.
pub(super) async fn open(
    pool: &PgPool,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let open = select_orders!(
        "where o.unfinished and o.opened_at < $1 order by o.opened_at, o.id limit $2"
    );
    found(
        pool,
        sqlx::query(open)
            .bind(instant::stored(before))
            .bind(i64::from(limit)),
    )
    .await
}

/// Oldest first; those that were refunded since, too.
pub(super) async fn captured(
    pool: &PgPool,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let captured =
        select_orders!("where o.captured_at >= $1 order by o.captured_at, o.id limit $2");
    found(
        pool,
        sqlx::query(captured)
            .bind(instant::stored(since))
            .bind(i64::from(limit)),
    )
    .await
}

/// Those with a ticket of a cancelled draw.
pub(super) async fn called_off(pool: &PgPool, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
    let called_off = select_orders!(
        "where o.state = 'captured' and o.id in (
           select l.order_id from draws d join order_lines l on l.draw_id = d.id
           where d.status = 'cancelled' and d.sold > 0 and l.serials is not null)
         order by o.captured_at, o.id limit $1"
    );
    found(pool, sqlx::query(called_off).bind(i64::from(limit))).await
}

/// Captured before a time, oldest first, without an address to write to, and without an anomaly that says so or was closed.
pub(super) async fn nameless(
    pool: &PgPool,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<OrderRecord>, Failure> {
    let nameless = select_orders!(
        "where o.state = 'captured' and o.buyer_email is null and o.captured_at < $1
           and not exists (
             select from anomalies a where a.order_id = o.id and a.kind = 'orphaned_ticket'
               and (a.resolved_at is null or a.resolution <> 'healed'))
         order by o.captured_at, o.id limit $2"
    );
    found(
        pool,
        sqlx::query(nameless)
            .bind(instant::stored(before))
            .bind(i64::from(limit)),
    )
    .await
}

type Statement = sqlx::query::Query<'static, sqlx::Postgres, sqlx::postgres::PgArguments>;

/// The orders of one `select_orders!`.
async fn found(pool: &PgPool, orders: Statement) -> Result<Vec<OrderRecord>, Failure> {
    let rows = orders.fetch_all(pool).await.map_err(Failure::from_read)?;
    rows.iter().map(read).collect()
}

pub(super) async fn newest(pool: &PgPool) -> Result<Option<Timestamp>, Failure> {
    // The last lines to be written, by their key: `opened_at` has no index, and this is asked at every start.
    let newest: Option<OffsetDateTime> = sqlx::query_scalar(
        "select max(o.opened_at) from (select order_id from order_lines order by id desc limit 100) l
         join orders o on o.id = l.order_id",
    )
    .fetch_one(pool)
    .await
    .map_err(Failure::from_read)?;
    Ok(newest.map(instant::read))
}

pub(super) async fn accounts(pool: &PgPool) -> Result<Vec<AccountId>, Failure> {
    let accounts: Vec<String> = sqlx::query_scalar(
        "select stripe_connect_account_id from clubs where stripe_connect_account_id is not null
         union select account_id from orders order by 1",
    )
    .fetch_all(pool)
    .await
    .map_err(Failure::from_read)?;
    Ok(accounts.into_iter().map(AccountId).collect())
}

/// What an order is, for saying why it cannot become something else.
pub(super) struct Standing {
    pub state: String,
    pub lines_allocated: i16,
}

/// Locks an order until the end of the transaction.
pub(super) async fn lock(
    connection: &mut PgConnection,
    order: OrderId,
) -> Result<Standing, Failure> {
    let row = sqlx::query("select state, lines_allocated from orders where id = $1 for update")
        .bind(words::uuid(order))
        .fetch_one(connection)
        .await
        .map_err(Failure::from_read)?;
    let standing = || {
        Ok(Standing {
            state: row.try_get(0)?,
            lines_allocated: row.try_get(1)?,
        })
    };
    standing().map_err(Failure::from_read)
}

pub(super) fn cannot(state: &str, become_what: &str) -> Failure {
    Failure::NotWritten(format!("an order that is {state} cannot be {become_what}"))
}
