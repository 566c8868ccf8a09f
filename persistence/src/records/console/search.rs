//! The search of the operator's console, by a name, an e-mail address, a serial or a payment.

use sqlx::PgPool;

use crate::Failure;
use crate::records::Records;

/// A search result. `kind` is the type of object that was found, and `key` is its id as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    pub kind: String,
    pub key: String,
    pub title: String,
    pub detail: String,
    pub payment_intent_id: Option<String>,
}

impl Records {
    /// Returns at most 20 results, clubs and draws first. Letter case does not matter. `%` and `_`
    /// are ordinary characters. An order whose buyer was erased is found only by the buyer's
    /// complete e-mail address (decision F-8).
    pub async fn search(&self, words: &str) -> Result<Vec<SearchResult>, Failure> {
        let pattern = format!(
            "%{}%",
            words
                .replace('\\', "\\\\")
                .replace('%', "\\%")
                .replace('_', "\\_")
        );
        let read = sqlx::query_as!(
            SearchResult,
            r#"(select 'club' as "kind!", id::text as "key!", name as "title!", email as "detail!", null as payment_intent_id from clubs
                 where name ilike $1 or email ilike $1 or home_page_slug ilike $1 order by id limit 5)
             union all
             (select 'draw', id::text, home_team || ' v ' || away_team,
                     'FD-' || id || ' · ' || to_char(kick_off at time zone zone, 'Dy FMDD Mon YYYY') || ' · ' || status, null from draws
                 where home_team || ' v ' || away_team ilike $1 or 'FD-' || id ilike $1 or league ilike $1
                 order by kick_off desc limit 6)
             union all
             (select 'order', id::text, coalesce(buyer_name, 'Guest'), coalesce(buyer_email, payment_intent_id, state)
                       || ' · $' || to_char(total_cents / 100.0, 'FM9999990.00') || ' · '
                       || coalesce((select string_agg(l.count || ' of FD-' || l.draw_id, ', ' order by l.draw_id)
                         from order_lines l where l.order_id = orders.id) || ' · ', '')
                       || to_char(opened_at at time zone 'Australia/Brisbane', 'Dy FMDD Mon, HH24:MI'),
                     payment_intent_id
                 from orders where buyer_name ilike $1 or buyer_email ilike $1 or payment_intent_id ilike $1
                     or id::text ilike $1 or buyer_email_hash = $3 order by opened_at desc limit 6)
             union all
             (select 'anomaly', id::text, kind, coalesce(payment_intent_id, note)
                       || coalesce(' · $' || to_char(amount_cents / 100.0, 'FM9999990.00'), '') || ' · '
                       || to_char(detected_at at time zone 'Australia/Brisbane', 'Dy FMDD Mon, HH24:MI')
                       || case when resolved_at is null then '' else ' · resolved' end, payment_intent_id
                 from anomalies
                 where payment_intent_id ilike $1 or id::text ilike $1 order by detected_at desc limit 5)
             union all
             (select 'ticket', 'FD-' || tickets.draw_id || '-' || to_char(tickets.serial, 'FM000'), coalesce(o.buyer_name, 'Guest'),
                     'FD-' || tickets.draw_id, null
                 from tickets join order_lines l on l.id = tickets.order_line_id join orders o on o.id = l.order_id
                 where upper($2) = 'FD-' || tickets.draw_id || '-' || to_char(tickets.serial, 'FM000') limit 1)
             union all
             (select 'waitlist', id::text, club_name, contact_email, null from waitlist
                 where club_name ilike $1 or contact_name ilike $1 or contact_email ilike $1 order by id desc limit 4)
             limit 20"#,
            pattern,
            words.trim(),
            self.email_hash(words)
        );
        self.run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await
    }
}
