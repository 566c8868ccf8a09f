//! Payouts due to the winner and to the club from a draw. They are only recorded; no money is moved
//! (decision B-4).

use domain::{Cents, ClubId, DrawId, OrderId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Records, audit, timestamp, to_column_time};
use crate::Failure;

#[derive(Clone, Debug)]
pub struct Payout {
    pub id: i64,
    pub draw: DrawId,
    pub club: ClubId,
    /// Who is paid: `club_share` or `winner`.
    pub kind: String,
    pub amount: Cents,
    /// The status: `pending` first, then `completed` or `failed` (decision D-17).
    pub status: String,
    pub recipient_email: Option<String>,
    pub recipient_name: Option<String>,
    pub note: Option<String>,
    pub failure_reason: Option<String>,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

/// A payout to record.
#[derive(Clone, Debug)]
pub struct NewPayout<'a> {
    pub draw: DrawId,
    pub club: ClubId,
    pub kind: &'a str,
    pub amount: Cents,
    pub recipient_email: Option<&'a str>,
    pub recipient_name: Option<&'a str>,
}

/// The mail that tells the winner that the prize was paid.
#[derive(Clone, Debug)]
pub struct PrizePaidMail {
    pub payout: i64,
    pub order: OrderId,
    pub to: String,
    /// The template data of the mail, as JSON text.
    pub data: String,
    /// When the mail is sent. Until then the club can undo its mistake without a mail.
    pub due: Timestamp,
}

struct PayoutRow {
    id: i64,
    draw_id: i64,
    club_id: i64,
    r#type: String,
    amount_cents: i64,
    status: String,
    recipient_email: Option<String>,
    recipient_name: Option<String>,
    note: Option<String>,
    failure_reason: Option<String>,
    created_at: OffsetDateTime,
    completed_at: Option<OffsetDateTime>,
}

impl From<PayoutRow> for Payout {
    fn from(row: PayoutRow) -> Payout {
        Payout {
            id: row.id,
            draw: DrawId(row.draw_id),
            club: ClubId(row.club_id),
            kind: row.r#type,
            amount: Cents(row.amount_cents),
            status: row.status,
            recipient_email: row.recipient_email,
            recipient_name: row.recipient_name,
            note: row.note,
            failure_reason: row.failure_reason,
            created_at: timestamp(row.created_at),
            completed_at: row.completed_at.map(timestamp),
        }
    }
}

/// A query for payouts. `$rest` is the condition and what follows.
macro_rules! query_payouts {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            PayoutRow,
            "select id, draw_id, club_id, type, amount_cents, status, recipient_email, recipient_name, note, failure_reason,
                 created_at, completed_at
             from payouts where " + $rest,
            $($argument),*
        )
    };
}

impl Records {
    pub async fn payouts(&self, draw: DrawId) -> Result<Vec<Payout>, Failure> {
        let read = query_payouts!("draw_id = $1 order by id", draw.0);
        let rows: Vec<PayoutRow> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(Payout::from).collect())
    }

    /// Returns whether the bank of the winning ticket's buyer disputes the payment. Until the
    /// dispute is settled, there is no payout (decision C-25).
    pub async fn is_winner_payment_disputed(&self, draw: DrawId) -> Result<bool, Failure> {
        let read = sqlx::query_scalar!(
            r#"select exists (
               select from draws d join tickets t on t.draw_id = d.id and t.serial = d.winning_serial
                 join order_lines l on l.id = t.order_line_id join payments p on p.order_id = l.order_id
               where d.id = $1 and p.disputed) as "disputed!""#,
            draw.0
        );
        self.run_read(async move |pool: PgPool| read.fetch_one(&pool).await)
            .await
    }

    pub async fn payout(&self, id: i64) -> Result<Option<Payout>, Failure> {
        let read = query_payouts!("id = $1", id);
        let row: Option<PayoutRow> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(Payout::from))
    }

    /// Records a payout. If the draw already has a payout of this kind that has not failed, returns
    /// that payout instead. The draw's row is locked, so that no payout is recorded for a result
    /// that is being undone.
    ///
    /// # Errors
    ///
    /// [`Failure::NotFound`] when the draw has no result.
    pub async fn record_payout(&self, new: &NewPayout<'_>) -> Result<Payout, Failure> {
        let (draw, club, kind, amount) = (new.draw, new.club, new.kind.to_string(), new.amount);
        let [email, name] =
            [new.recipient_email, new.recipient_name].map(|text| text.map(str::to_string));
        let signer = self.signer.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let insert = sqlx::query_as!(
                PayoutRow,
                "insert into payouts (draw_id, club_id, type, amount_cents, recipient_email, recipient_name)
             select id, $2, $3, $4, $5, $6 from draws where id = $1 and status = 'completed' for share
             on conflict (draw_id, type) where status <> 'failed' do nothing
             returning id, draw_id, club_id, type, amount_cents, status, recipient_email, recipient_name, note, failure_reason,
                 created_at, completed_at",
                draw.0,
                club.0,
                kind,
                amount.0,
                email,
                name
            );
            let inserted = insert.fetch_optional(&mut *transaction).await?;
            if inserted.is_some() {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), draw).await?;
            }
            transaction.commit().await?;
            Ok(inserted)
        };
        let inserted: Option<PayoutRow> = self.run_write(work).await?;
        if let Some(row) = inserted {
            return Ok(row.into());
        }
        let read = query_payouts!(
            "draw_id = $1 and type = $2 and status <> 'failed'",
            new.draw.0,
            new.kind
        );
        let row: Option<PayoutRow> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        row.map(Payout::from).ok_or(Failure::NotFound)
    }

    /// Returns completed draws for which no club share was recorded. This happens when the process
    /// stops after the result and before the share.
    pub async fn draws_without_club_share(&self) -> Result<Vec<DrawId>, Failure> {
        let read = sqlx::query_scalar!(
            "select id from draws d where status = 'completed' and not exists (
                 select from payouts p where p.draw_id = d.id and p.type = 'club_share' and p.status <> 'failed')
             order by id limit 500"
        );
        let rows: Vec<i64> = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows.into_iter().map(DrawId).collect())
    }

    /// Returns the recorded shares of clubs that are still pending: the payout's id and the draw.
    pub async fn pending_club_shares(&self) -> Result<Vec<(i64, DrawId)>, Failure> {
        let read = sqlx::query!(
            "select id, draw_id from payouts where type = 'club_share' and status = 'pending' order by id limit 500"
        );
        let rows = self
            .run_read(async move |pool: PgPool| read.fetch_all(&pool).await)
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| (row.id, DrawId(row.draw_id)))
            .collect())
    }

    /// Completes a club's share with the amount that the provider paid out. Returns `false` when
    /// the share was completed before.
    pub async fn complete_club_share(&self, id: i64, amount: Cents) -> Result<bool, Failure> {
        Ok(self
            .execute(sqlx::query!(
                "update payouts set amount_cents = $2, status = 'completed', completed_at = transaction_instant()
             where id = $1 and type = 'club_share' and status = 'pending'",
                id,
                amount.0
            ))
            .await?
            > 0)
    }

    /// Sets a pending payout to `completed` or `failed`. A repeated call changes nothing. Returns
    /// `None` when the payout is not pending.
    pub async fn settle_payout(
        &self,
        id: i64,
        status: &str,
        note: Option<&str>,
    ) -> Result<Option<Payout>, Failure> {
        let (status, note, signer) = (
            status.to_string(),
            note.map(str::to_string),
            self.signer.clone(),
        );
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let write = sqlx::query_as!(
                PayoutRow,
                "update payouts set status = $2, note = coalesce($3, note),
                 failure_reason = case when $2 = 'failed' then coalesce($3, failure_reason) end,
                 completed_at = case when $2 = 'completed' then coalesce(completed_at, transaction_instant()) end
             where id = $1 and (status = 'pending' or status = $2)
             returning id, draw_id, club_id, type, amount_cents, status, recipient_email, recipient_name, note, failure_reason,
                 created_at, completed_at",
                id,
                status,
                note
            );
            let row: Option<PayoutRow> = write.fetch_optional(&mut *transaction).await?;
            if row.is_some() {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            }
            transaction.commit().await?;
            Ok(row)
        };
        Ok(self.run_write(work).await?.map(Payout::from))
    }

    /// Queues the mail that tells the winner about the payment. A repeated call for the same
    /// completion of a payout changes nothing.
    pub async fn queue_prize_paid_mail(&self, mail: &PrizePaidMail) -> Result<(), Failure> {
        self.execute(sqlx::query!(
            "insert into email_outbox (dedupe_key, kind, order_id, to_address, data, due_at)
             select 'prize-paid:' || id || ':' || extract(epoch from completed_at), 'prize-paid', $2, $3, $4, $5
             from payouts where id = $1 and status = 'completed'
             on conflict (dedupe_key) do nothing",
            mail.payout,
            Uuid::from_u128(mail.order.0),
            mail.to,
            mail.data,
            to_column_time(mail.due)
        ))
        .await?;
        Ok(())
    }

    /// Sets a winner's payout that was completed at `since` or later back to `pending`. The mail
    /// about the payment is cancelled, or corrected by another mail if sending it was tried. Returns
    /// `None` when the payout was completed before `since`, or is not completed.
    pub async fn reopen_payout(
        &self,
        id: i64,
        since: Timestamp,
    ) -> Result<Option<Payout>, Failure> {
        let (since, signer) = (to_column_time(since), self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let write = sqlx::query_as!(
                PayoutRow,
                "update payouts set status = 'pending', completed_at = null
             where id = $1 and type = 'winner' and status = 'completed' and completed_at >= $2
             returning id, draw_id, club_id, type, amount_cents, status, recipient_email, recipient_name, note, failure_reason,
                 created_at, completed_at",
                id,
                since
            );
            let row: Option<PayoutRow> = write.fetch_optional(&mut *transaction).await?;
            if let Some(row) = &row {
                sqlx::query!(
                    "update winner_claims set paid_at = null where draw_id = $1",
                    row.draw_id
                )
                .execute(&mut *transaction)
                .await?;
                correct_prize_paid_mails(&mut transaction, id).await?;
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), id).await?;
            }
            transaction.commit().await?;
            Ok(row)
        };
        Ok(self.run_write(work).await?.map(Payout::from))
    }
}

/// Cancels the mails about a payment that were never tried. If another one may have been read, a
/// mail that corrects it is queued.
async fn correct_prize_paid_mails(
    connection: &mut PgConnection,
    payout: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with mails as (
           update email_outbox set
             dedupe_key = dedupe_key || ':undone',
             why = case when state = 'pending' then 'the payment was taken back' else why end,
             state = case when state = 'pending' then 'dead' else state end
           where dedupe_key like 'prize-paid:' || $1::bigint || ':%' and dedupe_key not like '%:undone'
           returning dedupe_key, order_id, to_address, data, attempts
         )
         insert into email_outbox (dedupe_key, kind, order_id, to_address, data)
         select 'prize-not-paid:' || dedupe_key, 'prize-not-paid', order_id, to_address, data
         from mails where attempts > 0",
        payout
    )
    .execute(connection)
    .await?;
    Ok(())
}
