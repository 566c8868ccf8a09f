//! What the winner of a draw tells its club: where the prize is to be sent. Sealed at rest, read back only to be shown
//! masked or to be paid, emptied when it has served (decisions B-4, F-7).

use domain::{DrawId, OrderId, Serial, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Records, Statement, audit, column, repeatable, timestamp};
use crate::Failure;

/// What bank details are sealed for; their id is the draw's number.
const PURPOSE: &str = "winner-bank";
/// How long details are kept once the prize is paid (decision F-7).
const KEPT_DAYS: i64 = 90;

/// Where a prize is to be sent. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Bank {
    pub account_name: String,
    /// Digits.
    pub account_number: String,
    /// Six digits.
    pub bsb: String,
}

impl std::fmt::Debug for Bank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bank(…)")
    }
}

/// Who told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Winner,
    Club,
}

impl From {
    fn word(self) -> &'static str {
        match self {
            From::Winner => "winner",
            From::Club => "club",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Claim {
    pub draw: DrawId,
    pub serial: u16,
    /// Until when the mailed link takes details; `None`: no link was mailed.
    pub respond_by: Option<Timestamp>,
    /// Since when there are details, and whose word they are. Which, is `Records::bank_details`.
    pub received: Option<(Timestamp, From)>,
    pub paid: bool,
}

/// What became of details that came by a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Kept,
    /// The link has served already, or the club was told otherwise.
    Before,
    TooLate,
}

/// A link to be mailed to a winner.
#[derive(Clone, Debug)]
pub struct Invitation {
    pub draw: DrawId,
    pub serial: Serial,
    pub order: OrderId,
    /// One mail for a ticket and a result (decision E-7).
    pub dedupe_key: String,
    pub to: String,
    /// The mail's data; the link in it is sealed.
    pub data: String,
    pub token_hash: [u8; 32],
    pub respond_by: Timestamp,
    pub at: Timestamp,
}

type Row = (
    i64,
    i16,
    Option<OffsetDateTime>,
    Option<String>,
    Option<OffsetDateTime>,
    Option<OffsetDateTime>,
);

impl Records {
    pub async fn claim(&self, draw: DrawId) -> Result<Option<Claim>, Failure> {
        let read = sqlx::query_as(
            "select draw_id, serial, respond_by, bank_from, received_at, paid_at from winner_claims where draw_id = $1",
        )
        .bind(draw.0);
        let row: Option<Row> = self
            .read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(Claim::from))
    }

    /// By the hash of a mailed link's token.
    pub async fn claim_by_token(&self, token_hash: &[u8; 32]) -> Result<Option<Claim>, Failure> {
        let read = sqlx::query_as(
            "select draw_id, serial, respond_by, bank_from, received_at, paid_at from winner_claims
             where token_hash = $1",
        )
        .bind(token_hash.to_vec());
        let row: Option<Row> = self
            .read(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        Ok(row.map(Claim::from))
    }

    /// Where a draw's prize is to be sent; `None`: nobody told it yet, or it has been emptied.
    pub async fn bank_details(&self, draw: DrawId) -> Result<Option<Bank>, Failure> {
        let read = sqlx::query_scalar("select sealed from bank.winner_details where draw_id = $1")
            .bind(draw.0);
        let sealed: Option<Vec<u8>> = self
            .read_bank(async move |pool: PgPool| read.fetch_optional(&pool).await)
            .await?;
        sealed
            .map(|sealed| self.unsealed(draw.0, &sealed))
            .transpose()
    }

    fn sealed(&self, draw: DrawId, bank: &Bank) -> Vec<u8> {
        // None of the three holds a line break: the door took care of it.
        let plain = format!(
            "{}\n{}\n{}",
            bank.bsb, bank.account_number, bank.account_name
        );
        self.postgres.sealer().seal(PURPOSE, draw, plain.as_bytes())
    }

    fn unsealed(&self, draw: i64, sealed: &[u8]) -> Result<Bank, Failure> {
        let damaged = || Failure::Corrupt(format!("the bank details of draw {draw}"));
        let plain = String::from_utf8(self.postgres.sealer().open(PURPOSE, draw, sealed)?)
            .map_err(|_| damaged())?;
        let mut parts = plain.splitn(3, '\n').map(str::to_string);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(bsb), Some(account_number), Some(account_name)) => Ok(Bank {
                account_name,
                account_number,
                bsb,
            }),
            _ => Err(damaged()),
        }
    }

    /// Queues the winner's mail and keeps its link's hash, in one transaction. `false`: it was queued before. One that was given
    /// up is queued anew, with a link of its own: nobody read the first.
    pub async fn invite_winner(&self, invitation: &Invitation) -> Result<bool, Failure> {
        let (said, act) = (invitation.clone(), self.act.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let fresh = queue(&mut transaction, &said).await?;
            if fresh {
                sqlx::query(
                    "insert into winner_claims (draw_id, serial, token_hash, respond_by) values ($1, $2, $3, $4)
                     on conflict (draw_id) do update set token_hash = $3, respond_by = $4",
                )
                .bind(said.draw.0)
                .bind(said.serial.number() as i16)
                .bind(said.token_hash.to_vec())
                .bind(column(said.respond_by))
                .execute(&mut *transaction)
                .await?;
                audit::sign(&mut transaction, &act, said.draw).await?;
            }
            transaction.commit().await?;
            Ok(fresh)
        };
        self.write(work).await
    }

    /// Keeps what the club was told; the last word counts until the prize is paid. `false`: it is paid.
    pub async fn club_told(
        &self,
        draw: DrawId,
        serial: Serial,
        bank: &Bank,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let claim = sqlx::query(
            "insert into public.winner_claims (draw_id, serial, bank_from, received_at) values ($1, $2, $3, $4)
             on conflict (draw_id) do update set bank_from = $3, received_at = $4
                 where winner_claims.paid_at is null",
        )
        .bind(draw.0)
        .bind(serial.number() as i16)
        .bind(From::Club.word())
        .bind(column(at));
        self.keep(draw, claim, bank).await
    }

    /// Keeps what the winner told by the mailed link, once, in time.
    pub async fn winner_told(
        &self,
        claim: &Claim,
        bank: &Bank,
        at: Timestamp,
    ) -> Result<Told, Failure> {
        if claim.respond_by.is_none_or(|until| at >= until) {
            return Ok(Told::TooLate);
        }
        let write = sqlx::query(
            "update public.winner_claims set bank_from = $2, received_at = $3
             where draw_id = $1 and received_at is null and paid_at is null",
        )
        .bind(claim.draw.0)
        .bind(From::Winner.word())
        .bind(column(at));
        Ok(if self.keep(claim.draw, write, bank).await? {
            Told::Kept
        } else {
            Told::Before
        })
    }

    /// That details came, which, and who did it: in one transaction of the bank's login. `false`: the claim takes none.
    async fn keep(&self, draw: DrawId, claim: Statement, bank: &Bank) -> Result<bool, Failure> {
        let (claim, sealed, act) = (
            repeatable(claim)?,
            self.sealed(draw, bank),
            self.act.clone(),
        );
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if claim().execute(&mut *transaction).await?.rows_affected() == 0 {
                return Ok(false);
            }
            sqlx::query(
                "insert into bank.winner_details (draw_id, sealed) values ($1, $2)
                 on conflict (draw_id) do update set sealed = $2, kept_at = now()",
            )
            .bind(draw.0)
            .bind(sealed)
            .execute(&mut *transaction)
            .await?;
            audit::sign(&mut transaction, &act, "").await?;
            transaction.commit().await?;
            Ok(true)
        };
        self.write_bank(work).await
    }

    /// The prize was paid: details are kept for a while yet, then emptied.
    pub async fn claim_paid(&self, draw: DrawId, at: Timestamp) -> Result<(), Failure> {
        // Paid without anybody having told where to: the row keeps later details out.
        let write = "insert into winner_claims (draw_id, serial, paid_at)
             select id, winning_serial, $2 from draws where id = $1 and winning_serial is not null
             on conflict (draw_id) do update set paid_at = coalesce(winner_claims.paid_at, $2)";
        self.execute(sqlx::query(write).bind(draw.0).bind(column(at)))
            .await?;
        Ok(())
    }

    /// Empties bank details that have served (decision F-7), and those that came before their winner was forgotten (F-8), paid
    /// or not; how many.
    pub async fn purge_claims(&self, at: Timestamp) -> Result<u64, Failure> {
        let until = column(at.plus_seconds(-KEPT_DAYS * 86_400));
        let write = "with served as (
                 delete from bank.winner_details d using public.winner_claims c
                 where c.draw_id = d.draw_id and (c.paid_at <= $1 or c.erased_at >= c.received_at)
                 returning d.draw_id)
             update public.winner_claims set purged_at = $2 where draw_id in (select draw_id from served)";
        let work = async move |pool: PgPool| {
            Ok(sqlx::query(write)
                .bind(until)
                .bind(column(at))
                .execute(&pool)
                .await?
                .rows_affected())
        };
        self.write_bank(work).await
    }
}

impl std::convert::From<Row> for Claim {
    fn from((draw, serial, respond_by, from, received_at, paid_at): Row) -> Claim {
        let from = match from.as_deref() {
            Some("club") => From::Club,
            _ => From::Winner,
        };
        Claim {
            draw: DrawId(draw),
            serial: serial as u16,
            respond_by: respond_by.map(timestamp),
            received: received_at.map(|at| (timestamp(at), from)),
            paid: paid_at.is_some(),
        }
    }
}

async fn queue(connection: &mut PgConnection, said: &Invitation) -> Result<bool, sqlx::Error> {
    let queued = sqlx::query(
        "insert into email_outbox (dedupe_key, kind, order_id, to_address, data, due_at)
         values ($1, 'winner', $2, $3, $4, $5)
         on conflict (dedupe_key) do update set to_address = $3, data = $4, due_at = $5, state = 'pending', attempts = 0,
             why = null where email_outbox.state = 'dead'",
    )
    .bind(said.dedupe_key.clone())
    .bind(Uuid::from_u128(said.order.0))
    .bind(said.to.clone())
    .bind(said.data.clone())
    .bind(column(said.at))
    .execute(connection)
    .await?;
    Ok(queued.rows_affected() == 1)
}
