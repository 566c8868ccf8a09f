//! Prize claims: the winner of a draw sends bank details to the club. Bank details are sealed in
//! the database. They are read only to show them masked or to pay the prize, and are later deleted
//! (decisions B-4, F-7).

use domain::{DrawId, OrderId, Serial, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Records, audit, timestamp, to_column_time};
use crate::Failure;
use crate::link_secrets::LinkKind;

/// The purpose under which bank details are sealed. Their sealing id is the draw's number.
const BANK_SEAL_PURPOSE: &str = "winner-bank";
/// How many days bank details are kept after the prize was paid (decision F-7).
const BANK_DETAILS_KEPT_DAYS: i64 = 90;

/// The bank account to which a prize is paid. Never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimBankDetails {
    pub account_name: String,
    /// The account number. Contains only digits.
    pub account_number: String,
    /// The bank, state and branch number (BSB): six digits.
    pub bsb: String,
}

impl ClaimBankDetails {
    /// Returns the account number with all but the last three digits masked, such as `••••321`.
    pub fn masked_number(&self) -> String {
        format!("••••{}", last_digits(&self.account_number, 3))
    }

    /// Returns the BSB with all but the last two digits masked, such as `•••-•21`.
    pub fn masked_bsb(&self) -> String {
        format!("•••-•{}", last_digits(&self.bsb, 2))
    }
}

fn last_digits(digits: &str, count: usize) -> &str {
    digits
        .get(digits.len().saturating_sub(count)..)
        .unwrap_or_default()
}

impl std::fmt::Debug for ClaimBankDetails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bank(…)")
    }
}

/// Who entered the bank details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankDetailsSource {
    Winner,
    Club,
}

impl BankDetailsSource {
    pub(super) fn column_text(self) -> &'static str {
        match self {
            BankDetailsSource::Winner => "winner",
            BankDetailsSource::Club => "club",
        }
    }
}

#[derive(Clone, Debug)]
pub struct WinnerClaim {
    pub draw: DrawId,
    pub serial: u16,
    /// The deadline for using the mailed link. `None` when no link was mailed.
    pub respond_by: Option<Timestamp>,
    /// When the bank details were received, and from whom. [`Records::bank_details`] returns the
    /// details themselves.
    pub received: Option<(Timestamp, BankDetailsSource)>,
    pub paid: bool,
}

/// The outcome of entering bank details through a mailed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    Kept,
    /// Nothing was stored, because the link was used before, or the club has already entered bank
    /// details.
    Before,
    TooLate,
}

/// The mail that invites a winner to claim the prize through a link.
#[derive(Clone, Debug)]
pub struct WinnerInvitation {
    pub draw: DrawId,
    pub serial: Serial,
    pub order: OrderId,
    /// The mail's dedupe key. It allows one mail for each ticket and result (decision E-7).
    pub dedupe_key: String,
    pub to: String,
    /// The template data of the mail, as JSON text. The link in it is sealed.
    pub data: String,
    pub token_hash: [u8; 32],
    pub respond_by: Timestamp,
    pub at: Timestamp,
}

struct WinnerClaimRow {
    draw_id: i64,
    serial: i16,
    respond_by: Option<OffsetDateTime>,
    bank_from: Option<String>,
    received_at: Option<OffsetDateTime>,
    paid_at: Option<OffsetDateTime>,
}

impl Records {
    pub async fn winner_claim(&self, draw: DrawId) -> Result<Option<WinnerClaim>, Failure> {
        let read = sqlx::query_as!(
            WinnerClaimRow,
            "select draw_id, serial, respond_by, bank_from, received_at, paid_at from winner_claims where draw_id = $1",
            draw.0
        );
        let row: Option<WinnerClaimRow> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(WinnerClaim::from))
    }

    /// Returns the prize claim whose mailed link has a token with this hash.
    pub async fn winner_claim_by_token(
        &self,
        token_hash: &[u8; 32],
    ) -> Result<Option<WinnerClaim>, Failure> {
        let read = sqlx::query_as!(
            WinnerClaimRow,
            "select draw_id, serial, respond_by, bank_from, received_at, paid_at from winner_claims
             where token_hash = any($1)",
            &self.link_hashes(LinkKind::Claim, token_hash)
        );
        let row: Option<WinnerClaimRow> = self
            .run_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(WinnerClaim::from))
    }

    /// Returns a draw's bank details. `None` when nobody entered any, or when they were deleted.
    pub async fn bank_details(&self, draw: DrawId) -> Result<Option<ClaimBankDetails>, Failure> {
        let read = sqlx::query_scalar!(
            "select sealed from bank.winner_details where draw_id = $1",
            draw.0
        );
        let sealed: Option<Vec<u8>> = self
            .run_bank_read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        sealed
            .map(|sealed| self.unseal_bank_details(draw.0, &sealed))
            .transpose()
    }

    pub(super) fn seal_bank_details(&self, draw: DrawId, bank: &ClaimBankDetails) -> Vec<u8> {
        // The fields are joined by line breaks. No field contains a line break, because the request
        // was validated.
        let plain = format!(
            "{}\n{}\n{}",
            bank.bsb, bank.account_number, bank.account_name
        );
        self.postgres
            .sealer()
            .seal(BANK_SEAL_PURPOSE, draw, plain.as_bytes())
    }

    pub(super) fn unseal_bank_details(
        &self,
        draw: i64,
        sealed: &[u8],
    ) -> Result<ClaimBankDetails, Failure> {
        let damaged = || Failure::Corrupt(format!("the bank details of draw {draw}"));
        let plain = String::from_utf8(self.postgres.sealer().open(
            BANK_SEAL_PURPOSE,
            draw,
            sealed,
        )?)
        .map_err(|_| damaged())?;
        let mut parts = plain.splitn(3, '\n').map(str::to_string);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(bsb), Some(account_number), Some(account_name)) => Ok(ClaimBankDetails {
                account_name,
                account_number,
                bsb,
            }),
            _ => Err(damaged()),
        }
    }

    /// Queues the winner's mail and stores the hash of its link, in one transaction. Returns
    /// `false` when the mail was queued before. A mail that could not be sent and was given up is
    /// queued again, with a new link.
    pub async fn invite_winner(&self, invitation: &WinnerInvitation) -> Result<bool, Failure> {
        let (invitation, signer) = (invitation.clone(), self.signer.clone());
        let token_hash = self.link_hash(LinkKind::Claim, &invitation.token_hash);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let fresh = queue_winner_mail(&mut transaction, &invitation).await?;
            if fresh {
                sqlx::query!(
                    "insert into winner_claims (draw_id, serial, token_hash, respond_by) values ($1, $2, $3, $4)
                     on conflict (draw_id) do update set token_hash = $3, respond_by = $4",
                    invitation.draw.0,
                    invitation.serial.number() as i16,
                    token_hash,
                    to_column_time(invitation.respond_by)
                )
                .execute(&mut *transaction)
                .await?;
                audit::write_signed_audit_entry(
                    &mut transaction,
                    signer.as_deref(),
                    invitation.draw,
                )
                .await?;
            }
            transaction.commit().await?;
            Ok(fresh)
        };
        self.run_write(work).await
    }

    /// Records that the prize was paid. Its bank details are deleted after
    /// `BANK_DETAILS_KEPT_DAYS`.
    pub async fn record_claim_paid(&self, draw: DrawId, at: Timestamp) -> Result<(), Failure> {
        // The claim's row is inserted even if there are no bank details, because a row that is
        // marked paid refuses later details.
        self.execute(sqlx::query!(
            "insert into winner_claims (draw_id, serial, paid_at)
             select id, winning_serial, $2 from draws where id = $1 and winning_serial is not null
             on conflict (draw_id) do update set paid_at = coalesce(winner_claims.paid_at, $2)",
            draw.0,
            to_column_time(at)
        ))
        .await?;
        Ok(())
    }

    /// Deletes bank details whose retention time is over (decision F-7). Also deletes the details
    /// of a winner whose personal data was erased after they were received (decision F-8), whether
    /// the prize was paid or not. Also deletes proposed changes that have expired, or whose winner
    /// was paid or erased. Returns how many details were deleted.
    pub async fn purge_expired_bank_details(&self, at: Timestamp) -> Result<u64, Failure> {
        let until = to_column_time(at.plus_seconds(-BANK_DETAILS_KEPT_DAYS * 86_400));
        let work = async move |pool: PgPool| {
            Ok(sqlx::query!(
                "with served as (
                 delete from bank.winner_details d using public.winner_claims c
                 where c.draw_id = d.draw_id and (c.paid_at <= $1 or c.erased_at >= c.received_at)
                 returning d.draw_id),
             expired as (
                 delete from bank.bank_proposals p using public.winner_claims c
                 where c.draw_id = p.draw_id and (p.expires_at <= $2 or c.paid_at <= $2 or c.erased_at is not null))
             update public.winner_claims set purged_at = $2 where draw_id in (select draw_id from served)",
                until,
                to_column_time(at)
            )
            .execute(&pool)
            .await?
            .rows_affected())
        };
        self.run_bank_write(work).await
    }
}

impl std::convert::From<WinnerClaimRow> for WinnerClaim {
    fn from(row: WinnerClaimRow) -> WinnerClaim {
        let from = match row.bank_from.as_deref() {
            Some("club") => BankDetailsSource::Club,
            _ => BankDetailsSource::Winner,
        };
        WinnerClaim {
            draw: DrawId(row.draw_id),
            serial: row.serial as u16,
            respond_by: row.respond_by.map(timestamp),
            received: row.received_at.map(|at| (timestamp(at), from)),
            paid: row.paid_at.is_some(),
        }
    }
}

async fn queue_winner_mail(
    connection: &mut PgConnection,
    invitation: &WinnerInvitation,
) -> Result<bool, sqlx::Error> {
    let queued = sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, data, due_at)
         values ($1, 'winner', $2, $3, $4, $5)
         on conflict (dedupe_key) do update set to_address = $3, data = $4, due_at = $5, state = 'pending', attempts = 0,
             why = null where email_outbox.state = 'dead'",
        invitation.dedupe_key,
        Uuid::from_u128(invitation.order.0),
        invitation.to,
        invitation.data,
        to_column_time(invitation.at)
    )
    .execute(connection)
    .await?;
    Ok(queued.rows_affected() == 1)
}
