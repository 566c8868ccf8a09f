//! Reservations: a row for each active one.

use sqlx::postgres::PgConnection;

use super::group::Entry;
use super::writer::Trouble;
use super::{instant, words};

/// Those that go leave first; then those that stay or come, in their new size.
pub(super) async fn write(connection: &mut PgConnection, entries: &[&Entry]) -> Result<(), Trouble> {
    let (mut gone_draws, mut gone_orders) = (Vec::new(), Vec::new());
    let (mut draws, mut orders, mut counts, mut untils, mut extensions) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Entry { append, change } in entries {
        for (order, becomes) in &change.reservations {
            match becomes {
                None => {
                    gone_draws.push(append.draw.0);
                    gone_orders.push(words::uuid(*order));
                }
                Some(reservation) => {
                    draws.push(append.draw.0);
                    orders.push(words::uuid(*order));
                    counts.push(reservation.count.cast_signed());
                    untils.push(instant::stored(reservation.until));
                    extensions.push(i16::from(reservation.extensions));
                }
            }
        }
    }
    if !gone_draws.is_empty() {
        sqlx::query(
            "delete from reservations r using unnest($1::bigint[], $2::uuid[]) as a (draw_id, order_id)
             where r.draw_id = a.draw_id and r.order_id = a.order_id",
        )
        .bind(gone_draws)
        .bind(gone_orders)
        .execute(&mut *connection)
        .await?;
    }
    if !draws.is_empty() {
        sqlx::query(
            "insert into reservations (draw_id, order_id, count, until, extensions)
             select * from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::timestamptz[], $5::smallint[])
             on conflict (draw_id, order_id) do update
               set count = excluded.count, until = excluded.until, extensions = excluded.extensions",
        )
        .bind(draws)
        .bind(orders)
        .bind(counts)
        .bind(untils)
        .bind(extensions)
        .execute(connection)
        .await?;
    }
    Ok(())
}
