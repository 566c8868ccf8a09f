//! The order in which the tickets of a draw were sold and returned, for the draw's public proof. It
//! contains no person, order number or time.

use std::collections::BTreeSet;

use domain::{DrawId, Serial};
use sqlx::PgPool;

use super::Records;
use crate::Failure;

/// The sales of a draw as its proof shows them, read from one database snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TicketHistory {
    /// Serials of the sold tickets, ascending.
    pub sold: Vec<Serial>,
    /// Sales and returns in their order. `None` when the draw resold tickets before decision M-3,
    /// because at that time another rule chose which tickets were sold.
    pub moves: Option<Vec<TicketMove>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketMove {
    pub serial: Serial,
    /// Whether the ticket was returned. Otherwise it was sold.
    pub returned: bool,
}

/// One allocation or void from the draw's journal.
struct TicketEventRow {
    returned: bool,
    serials: Vec<i16>,
}

impl Records {
    /// Returns which tickets of a draw are sold, and the sequence in which tickets were sold and
    /// returned.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn ticket_history(&self, draw: DrawId) -> Result<TicketHistory, Failure> {
        let read = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            // The two queries below read the same snapshot. Otherwise a sale between them would
            // appear in only one of their results.
            sqlx::query!("set transaction isolation level repeatable read, read only")
                .execute(&mut *transaction)
                .await?;
            let summary = sqlx::query!(
                r#"select d.resold_lowest_first,
               (select coalesce(array_agg(t.serial order by t.serial), '{}') from tickets t where t.draw_id = d.id) as "sold!"
             from draws d where d.id = $1"#,
                draw.0
            )
            .fetch_optional(&mut *transaction)
            .await?;
            let journal = sqlx::query_as!(
                TicketEventRow,
                r#"select x.event ->> 'event' = 'voided' as "returned!",
               (select array_agg(s.serial::smallint) from jsonb_array_elements_text(x.event -> 'serials') as s (serial)) as "serials!"
             from draw_events e
               cross join lateral jsonb_array_elements(e.events -> 'events') with ordinality as x (event, place)
             where e.draw_id = $1 and x.event ->> 'event' in ('allocated', 'voided')
             order by e.revision, x.place"#,
                draw.0
            )
            .fetch_all(&mut *transaction)
            .await?;
            transaction.commit().await?;
            Ok((summary, journal))
        };
        let (summary, journal) = self.run_read(read).await?;
        let (resold_lowest_first, sold) = summary
            .map(|row| (row.resold_lowest_first, row.sold))
            .unwrap_or_default();
        let moves = if resold_lowest_first {
            None
        } else {
            Some(list_ticket_moves(journal)?)
        };
        Ok(TicketHistory {
            sold: parse_serials(sold)?,
            moves,
        })
    }
}

/// Lists all sales and returns in their order. Within one allocation, tickets that were never sold
/// before come first.
fn list_ticket_moves(journal: Vec<TicketEventRow>) -> Result<Vec<TicketMove>, Failure> {
    let (mut moves, mut came_back) = (Vec::new(), BTreeSet::new());
    for row in journal {
        let mut serials = parse_serials(row.serials)?;
        if row.returned {
            came_back.extend(serials.iter().copied());
        } else {
            serials.sort_by_key(|serial| (came_back.contains(serial), *serial));
        }
        moves.extend(serials.into_iter().map(|serial| TicketMove {
            serial,
            returned: row.returned,
        }));
    }
    Ok(moves)
}

fn parse_serials(numbers: Vec<i16>) -> Result<Vec<Serial>, Failure> {
    let serial = |number: i16| {
        let serial = u16::try_from(number).ok().and_then(Serial::new);
        serial.ok_or_else(|| Failure::Corrupt(format!("ticket serial {number}")))
    };
    numbers.into_iter().map(serial).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_allocation_lists_never_sold_tickets_first() {
        let row = |returned, serials: &[i16]| TicketEventRow {
            returned,
            serials: serials.to_vec(),
        };
        let journal = vec![
            row(false, &[1, 2, 3]),
            row(true, &[1, 2]),
            row(false, &[1, 4]),
        ];
        let named: Vec<(u16, bool)> = list_ticket_moves(journal)
            .expect("serials")
            .iter()
            .map(|moved| (moved.serial.number(), moved.returned))
            .collect();
        let left = [(1, false), (2, false), (3, false)];
        assert_eq!(
            named,
            [
                &left[..],
                &[(1, true), (2, true)],
                &[(4, false), (1, false)]
            ]
            .concat()
        );
    }

    #[test]
    fn serial_outside_the_draw_is_corrupt() {
        let journal = vec![TicketEventRow {
            returned: false,
            serials: vec![170],
        }];
        assert!(matches!(
            list_ticket_moves(journal),
            Err(Failure::Corrupt(_))
        ));
    }
}
