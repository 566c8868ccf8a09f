//! Changes of the bank details to which a prize is paid.
//!
//! One transaction writes the details, the audit entry (old and new details, masked) and the mail
//! to the winner. Details that the winner entered are replaced only when two people enter
//! the same new details.

use domain::{DrawId, OrderId, Serial, Timestamp};
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::claims::{BankDetailsSource, ClaimBankDetails, ClaimOutcome, WinnerClaim};
use super::{Records, audit, timestamp, to_column_time};
use crate::Failure;

/// How long a second person can confirm a proposed change of bank details, in seconds.
const PROPOSAL_VALID_SECONDS: i64 = 7 * 86_400;

/// The winner's name and mail address.
#[derive(Clone, Debug)]
pub struct WinnerAddress {
    pub order: OrderId,
    pub email: String,
}

#[derive(Clone, Debug)]
pub struct BankChange {
    pub draw: DrawId,
    pub serial: Serial,
    pub bank: ClaimBankDetails,
    /// The person who enters the details, by the account's name in the audit log. Two accounts
    /// never have the same name there.
    pub by: String,
    /// The winner to be mailed. `None` when the winner left no e-mail address.
    pub winner: Option<WinnerAddress>,
    pub at: Timestamp,
}

/// The outcome of entering bank details for a club.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankChangeOutcome {
    Changed,
    /// The same details were stored already. Nothing was written.
    Unchanged,
    /// The winner's details still apply, until a second person enters the same new details.
    Pending,
    /// The prize was already paid. Nothing was written.
    Paid,
}

/// A proposed change of bank details that waits for a second person.
#[derive(Clone, Debug)]
pub struct ProposedBankChange {
    pub bank: ClaimBankDetails,
    pub by: String,
    pub expires_at: Timestamp,
}

struct ProposalRow {
    sealed: Vec<u8>,
    proposed_by: String,
    expires_at: OffsetDateTime,
}

impl Records {
    /// Stores bank details that the club entered. If the winner has entered details, the new
    /// details become a proposal instead.
    pub async fn change_bank_details(
        &self,
        change: &BankChange,
    ) -> Result<BankChangeOutcome, Failure> {
        let (records, change) = (self.clone(), change.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let outcome = records
                .apply_or_propose_bank_change(&mut transaction, &change)
                .await?;
            transaction.commit().await?;
            Ok(outcome)
        };
        self.run_bank_write(work).await
    }

    /// Stores bank details that the winner entered through the mailed link. The link works once,
    /// and only before its deadline.
    pub async fn store_winner_details(
        &self,
        claim: &WinnerClaim,
        change: &BankChange,
    ) -> Result<ClaimOutcome, Failure> {
        if claim.respond_by.is_none_or(|until| change.at >= until) {
            return Ok(ClaimOutcome::TooLate);
        }
        let (records, change) = (self.clone(), change.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let mark_answered = sqlx::query!(
                "update public.winner_claims set winner_answered_at = $2
                 where draw_id = $1 and received_at is null and paid_at is null",
                change.draw.0,
                to_column_time(change.at)
            );
            if mark_answered
                .execute(&mut *transaction)
                .await?
                .rows_affected()
                == 0
            {
                return Ok(ClaimOutcome::Before);
            }
            records
                .replace_details(
                    &mut transaction,
                    &change,
                    None,
                    BankDetailsSource::Winner,
                    "answer-claim",
                )
                .await?;
            transaction.commit().await?;
            Ok(ClaimOutcome::Kept)
        };
        self.run_bank_write(work).await
    }

    /// Returns the proposed change of a draw's bank details, or `None` when there is none.
    pub async fn pending_bank_change(
        &self,
        draw: DrawId,
        at: Timestamp,
    ) -> Result<Option<ProposedBankChange>, Failure> {
        let records = self.clone();
        let work = async move |pool: PgPool| {
            records
                .read_proposal(&mut *pool.acquire().await?, draw, at)
                .await
        };
        self.run_bank_read(work).await
    }

    /// Deletes the proposed change of a draw's bank details. Returns `false`, and writes no audit
    /// entry, when there is none.
    pub async fn decline_bank_change(&self, draw: DrawId, at: Timestamp) -> Result<bool, Failure> {
        let records = self.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let pending = records.read_proposal(&mut transaction, draw, at).await?;
            let Some(pending) = pending else {
                return Ok(false);
            };
            let delete = sqlx::query!("delete from bank.bank_proposals where draw_id = $1", draw.0);
            // A concurrent call has already deleted the proposal, so no audit entry is written.
            if delete.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            let detail = json!({ "declined": masked_details(&pending.bank) });
            let signer = records
                .signer
                .as_ref()
                .map(|entry| entry.with_action_and_detail("decline-winner-bank", detail));
            audit::write_signed_audit_entry(&mut transaction, signer.as_ref(), "").await?;
            transaction.commit().await?;
            Ok(true)
        };
        self.run_bank_write(work).await
    }

    async fn apply_or_propose_bank_change(
        &self,
        connection: &mut PgConnection,
        change: &BankChange,
    ) -> Result<BankChangeOutcome, sqlx::Error> {
        let draw = change.draw;
        sqlx::query!(
            "insert into public.winner_claims (draw_id, serial) values ($1, $2) on conflict (draw_id) do nothing",
            draw.0,
            change.serial.number() as i16
        )
        .execute(&mut *connection)
        .await?;
        // The row lock makes concurrent changes of the same bank details wait for each other.
        let state = sqlx::query!(
            r#"select paid_at is not null as "paid!", winner_answered_at is not null as "answered!"
             from public.winner_claims where draw_id = $1 for update"#,
            draw.0
        )
        .fetch_one(&mut *connection)
        .await?;
        if state.paid {
            return Ok(BankChangeOutcome::Paid);
        }
        let stored: Option<Vec<u8>> = sqlx::query_scalar!(
            "select sealed from bank.winner_details where draw_id = $1",
            draw.0
        )
        .fetch_optional(&mut *connection)
        .await?;
        let before = stored
            .map(|sealed| self.unseal_bank_details(draw.0, &sealed))
            .transpose()
            .map_err(unreadable_details_error)?;
        if before.as_ref() == Some(&change.bank) {
            return Ok(BankChangeOutcome::Unchanged);
        }
        // One person may change the details alone if the winner entered none, or if the winner's
        // details were deleted after their retention time.
        if !state.answered || before.is_none() {
            self.replace_details(
                connection,
                change,
                before.as_ref(),
                BankDetailsSource::Club,
                "enter-winner-bank",
            )
            .await?;
            return Ok(BankChangeOutcome::Changed);
        }
        match self
            .read_proposal(connection, draw, change.at)
            .await?
            .filter(|pending| pending.bank == change.bank)
        {
            Some(pending) if pending.by == change.by => Ok(BankChangeOutcome::Pending),
            Some(_) => {
                self.replace_details(
                    connection,
                    change,
                    before.as_ref(),
                    BankDetailsSource::Club,
                    "approve-winner-bank",
                )
                .await?;
                Ok(BankChangeOutcome::Changed)
            }
            None => {
                self.store_proposal(connection, change, before.as_ref())
                    .await?;
                Ok(BankChangeOutcome::Pending)
            }
        }
    }

    async fn replace_details(
        &self,
        connection: &mut PgConnection,
        change: &BankChange,
        before: Option<&ClaimBankDetails>,
        from: BankDetailsSource,
        action: &str,
    ) -> Result<(), sqlx::Error> {
        let draw = change.draw;
        sqlx::query!(
            "update public.winner_claims set bank_from = $2, received_at = $3 where draw_id = $1",
            draw.0,
            from.column_text(),
            to_column_time(change.at)
        )
        .execute(&mut *connection)
        .await?;
        sqlx::query!(
            "insert into bank.winner_details (draw_id, sealed) values ($1, $2)
             on conflict (draw_id) do update set sealed = $2, kept_at = now()",
            draw.0,
            self.seal_bank_details(draw, &change.bank)
        )
        .execute(&mut *connection)
        .await?;
        sqlx::query!("delete from bank.bank_proposals where draw_id = $1", draw.0)
            .execute(&mut *connection)
            .await?;
        self.audit_change(connection, change, before, action)
            .await?;
        queue_bank_change_mail(connection, change, "winner-bank", from).await
    }

    /// Stores a proposed change of bank details. It replaces an earlier proposal.
    async fn store_proposal(
        &self,
        connection: &mut PgConnection,
        change: &BankChange,
        before: Option<&ClaimBankDetails>,
    ) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "insert into bank.bank_proposals (draw_id, sealed, proposed_by, proposed_at, expires_at)
             values ($1, $2, $3, $4, $5)
             on conflict (draw_id) do update set sealed = $2, proposed_by = $3, proposed_at = $4, expires_at = $5",
            change.draw.0,
            self.seal_bank_details(change.draw, &change.bank),
            change.by,
            to_column_time(change.at),
            to_column_time(change.at.plus_seconds(PROPOSAL_VALID_SECONDS))
        )
        .execute(&mut *connection)
        .await?;
        self.audit_change(connection, change, before, "propose-winner-bank")
            .await?;
        queue_bank_change_mail(
            connection,
            change,
            "winner-bank-proposed",
            BankDetailsSource::Club,
        )
        .await
    }

    async fn read_proposal(
        &self,
        connection: &mut PgConnection,
        draw: DrawId,
        at: Timestamp,
    ) -> Result<Option<ProposedBankChange>, sqlx::Error> {
        let row = sqlx::query_as!(
            ProposalRow,
            "select sealed, proposed_by, expires_at from bank.bank_proposals
             where draw_id = $1 and expires_at > $2",
            draw.0,
            to_column_time(at)
        )
        .fetch_optional(connection)
        .await?;
        row.map(|row| {
            let bank = self
                .unseal_bank_details(draw.0, &row.sealed)
                .map_err(unreadable_details_error)?;
            Ok(ProposedBankChange {
                bank,
                by: row.proposed_by,
                expires_at: timestamp(row.expires_at),
            })
        })
        .transpose()
    }

    async fn audit_change(
        &self,
        connection: &mut PgConnection,
        change: &BankChange,
        before: Option<&ClaimBankDetails>,
        action: &str,
    ) -> Result<(), sqlx::Error> {
        let detail =
            json!({ "before": before.map(masked_details), "after": masked_details(&change.bank) });
        let signer = self
            .signer
            .as_ref()
            .map(|entry| entry.with_action_and_detail(action, detail));
        audit::write_signed_audit_entry(connection, signer.as_ref(), "").await
    }
}

fn masked_details(bank: &ClaimBankDetails) -> Value {
    let name: String = bank
        .account_name
        .chars()
        .take(1)
        .chain("•••".chars())
        .collect();
    json!({ "accountName": name, "accountNumber": bank.masked_number(), "bsb": bank.masked_bsb() })
}

/// Queues the mail that tells the winner about a change. The mail shows the account number masked,
/// as the audit log does.
async fn queue_bank_change_mail(
    connection: &mut PgConnection,
    change: &BankChange,
    kind: &str,
    by: BankDetailsSource,
) -> Result<(), sqlx::Error> {
    let Some(winner) = &change.winner else {
        return Ok(());
    };
    let data = json!({ "draw": change.draw.0, "account": change.bank.masked_number(), "by": by.column_text() });
    sqlx::query!(
        "insert into public.email_outbox (dedupe_key, kind, order_id, to_address, data, due_at)
         values ($1 || ':' || $2::bigint || ':' || gen_random_uuid(), $1, $3, $4, $5, $6)",
        kind,
        change.draw.0,
        Uuid::from_u128(winner.order.0),
        winner.email,
        data.to_string(),
        to_column_time(change.at)
    )
    .execute(connection)
    .await?;
    Ok(())
}

fn unreadable_details_error(failure: Failure) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(failure))
}
