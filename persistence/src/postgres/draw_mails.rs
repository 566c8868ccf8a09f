//! Queues the mails about a cancelled draw or a moved kick-off, in the transaction that changes the draw.

use domain::{DrawId, Status, Timestamp};
use sqlx::postgres::PgConnection;

use super::instant;
use super::ledger::PreparedCommit;
use super::writer::TransactionError;

/// Queues one mail for each person that a change concerns. The dedupe key contains the revision of
/// the change, so a repeated transaction queues nothing twice, and the next change is mailed again.
///
/// Must run before the draws are updated, because it compares the stored kick-off with the new one.
pub(super) async fn queue_draw_change_mails(
    connection: &mut PgConnection,
    commits: &[&PreparedCommit],
) -> Result<(), TransactionError> {
    for PreparedCommit { append, change } in commits {
        let change_mail = DrawChangeMail {
            draw: append.draw,
            revision: append.after + 1,
            reason: append.act.as_ref().and_then(|entry| {
                let (_, detail) = entry.action_and_detail();
                detail["reason"].as_str()
            }),
        };
        if change.status == Some(Status::Cancelled) {
            change_mail.queue_for_cancelled_draw(connection).await?;
        }
        if let Some(terms) = &change.terms {
            change_mail
                .queue_for_kick_off(connection, terms.closes_at)
                .await?;
        }
    }
    Ok(())
}

/// One change of a draw that is mailed.
struct DrawChangeMail<'a> {
    draw: DrawId,
    revision: u64,
    /// The reason that the operator gave. A club gives none.
    reason: Option<&'a str>,
}

impl DrawChangeMail<'_> {
    /// Queues the mail to the club. Each buyer is told by the mail about the refund.
    async fn queue_for_cancelled_draw(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), TransactionError> {
        sqlx::query!(
            "insert into email_outbox (dedupe_key, kind, to_address, data)
             select 'draw-cancelled-' || d.id || '-' || $2, 'draw-cancelled', c.email,
               json_build_object('draw', d.id, 'reason', $3::text)::text
             from draws d join clubs c on c.id = d.club_id where d.id = $1
             on conflict (dedupe_key) do nothing",
            self.draw.0,
            self.revision.to_string(),
            self.reason
        )
        .execute(connection)
        .await?;
        Ok(())
    }

    /// Queues the mails to the ticket holders and to the club, if the kick-off changes. A buyer with
    /// several orders gets one mail.
    async fn queue_for_kick_off(
        &self,
        connection: &mut PgConnection,
        kick_off: Timestamp,
    ) -> Result<(), TransactionError> {
        sqlx::query!(
            "with moved as (
               select d.id, c.email as club_email, json_build_object('draw', d.id, 'reason', $4::text,
                 'before', (extract(epoch from d.kick_off) * 1000)::bigint,
                 'after', (extract(epoch from $2::timestamptz) * 1000)::bigint)::text as data
               from draws d join clubs c on c.id = d.club_id where d.id = $1 and d.kick_off <> $2
             ), holders as (
               select distinct on (lower(o.buyer_email)) o.id, o.buyer_email
               from order_lines l join orders o on o.id = l.order_id
               where l.draw_id = $1 and o.state = 'captured' and o.buyer_email is not null
               order by lower(o.buyer_email), o.opened_at desc, o.id
             )
             insert into email_outbox (dedupe_key, kind, order_id, to_address, data)
             select 'kick-off-moved-' || m.id || '-' || $3 || '-' || h.id, 'kick-off-moved', h.id, h.buyer_email, m.data
             from moved m cross join holders h
             union all
             select 'kick-off-moved-' || m.id || '-' || $3, 'kick-off-moved-club', null, m.club_email, m.data from moved m
             on conflict (dedupe_key) do nothing",
            self.draw.0,
            instant::to_stored_time(kick_off),
            self.revision.to_string(),
            self.reason
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}
