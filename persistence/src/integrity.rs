//! Checks the invariants of the database: those of the SQL view `invariant_violations`, and two
//! that need the sealed seeds. Also sums the captured payments, for comparison with the provider.

use std::time::Duration;

use domain::{AccountId, Cell, Cents, Deal, DrawId, Seed, Serial};
use sqlx::Executor;
use sqlx::postgres::PgConnection;

use crate::error::Failure;
use crate::postgres::Postgres;
use crate::seal::{SEED_SEAL_PURPOSE, Sealer};

/// An invariant that does not hold for an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The invariant's id and statement, such as `T1 a draw counts what its rows say`.
    pub invariant: String,
    /// The id of the draw, order, payment intent or other object that violates the invariant.
    pub object: String,
}

/// The money of one connected account (a club's account at the provider), summed over our database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountTotals {
    pub account: AccountId,
    /// The number of captured orders.
    pub payments: i64,
    pub captured: Cents,
    /// The amount refunded to buyers.
    pub refunded: Cents,
    /// The fees that the platform took, and the part of these fees that was refunded to the club.
    pub application_fees: Cents,
    pub application_fees_refunded: Cents,
}

const WINNING_TICKET_INVARIANT: &str = "T9 the winning ticket carries the result";
/// The invariant that a draw's sealed seed matches the draw's published commitment. If the sealing
/// key is wrong, every draw violates this invariant.
pub const SEED_COMMITMENT_INVARIANT: &str = "T10 a seed is the one that was committed to";

/// Time limit of all checks together. It exceeds `statement_timeout`, which is five minutes for
/// these checks.
const INTEGRITY_CHECK_TIMEOUT: Duration = Duration::from_secs(360);

impl Postgres {
    /// Returns every violation, sorted. A healthy database has none. Reads all tables without
    /// locks, so it may take seconds on a large database.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database cannot be read.
    pub async fn violations(&self) -> Result<Vec<Violation>, Failure> {
        let postgres = self.clone();
        let check = async move {
            let mut transaction = postgres
                .background_pool()
                .begin()
                .await
                .map_err(Failure::from_read_error)?;
            // All checks read the same snapshot of the tables. Each of their statements may take up
            // to five minutes.
            let settings = "set transaction isolation level repeatable read, read only; set local statement_timeout = '5min'";
            transaction
                .execute(settings)
                .await
                .map_err(Failure::from_read_error)?;
            let mut violations = sqlx::query_as!(
                Violation,
                r#"select invariant as "invariant!", object as "object!" from invariant_violations"#
            )
            .fetch_all(&mut *transaction)
            .await
            .map_err(Failure::from_read_error)?;
            violations
                .extend(check_winners_and_commitments(&mut transaction, postgres.sealer()).await?);
            violations.sort();
            Ok(violations)
        };
        self.run_on_database_threads_within(INTEGRITY_CHECK_TIMEOUT, check)
            .await
    }

    /// Returns the sums of our database that are compared with the provider's, ascending by
    /// account.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the database cannot be read.
    pub async fn account_totals(&self) -> Result<Vec<AccountTotals>, Failure> {
        let postgres = self.clone();
        let sums = async move {
            let rows = sqlx::query!(
                r#"select o.account_id, count(*) filter (where o.captured_at is not null) as "payments!",
                   coalesce(sum(o.total_cents) filter (where o.captured_at is not null), 0)::bigint as "captured!",
                   coalesce(sum(b.refunded), 0)::bigint as "refunded!",
                   coalesce(sum(o.application_fee_cents) filter (where o.captured_at is not null), 0)::bigint as "fees!",
                   coalesce(sum(b.fees), 0)::bigint as "fees_refunded!"
                 from orders o left join (
                   select order_id, sum(amount_cents) filter (where kind = 'refund') as refunded,
                     sum(amount_cents) filter (where kind = 'fee_refund') as fees
                   from payment_ops where kind in ('refund', 'fee_refund') and state = 'done' group by order_id
                 ) b on b.order_id = o.id
                 group by o.account_id order by o.account_id"#
            )
            .fetch_all(postgres.background_pool())
            .await
            .map_err(Failure::from_read_error)?;
            Ok(rows
                .into_iter()
                .map(|row| AccountTotals {
                    account: AccountId(row.account_id),
                    payments: row.payments,
                    captured: Cents(row.captured),
                    refunded: Cents(row.refunded),
                    application_fees: Cents(row.fees),
                    application_fees_refunded: Cents(row.fees_refunded),
                })
                .collect())
        };
        self.run_on_database_threads(sums).await
    }
}

/// Checks the invariants T9 (winning ticket) and T10 (commitment) for every draw. Both need the
/// unsealed seed.
async fn check_winners_and_commitments(
    connection: &mut PgConnection,
    sealer: &Sealer,
) -> Result<Vec<Violation>, Failure> {
    let rows = sqlx::query!(
        "select id, commitment, seed_sealed, result_home, result_away, winning_serial from draws order by id"
    )
    .fetch_all(connection)
    .await
    .map_err(Failure::from_read_error)?;
    let mut violations = Vec::new();
    for row in rows {
        let violation = |invariant: &str| Violation {
            invariant: invariant.into(),
            object: row.id.to_string(),
        };
        let seed = sealer
            .open(SEED_SEAL_PURPOSE, row.id, &row.seed_sealed)
            .ok()
            .and_then(|seed| seed.try_into().ok())
            .map(Seed);
        let Some(seed) = seed.filter(|seed| seed.commitment(DrawId(row.id))[..] == row.commitment)
        else {
            violations.push(violation(SEED_COMMITMENT_INVARIANT));
            continue;
        };
        if let (Some(home), Some(away), Some(winner)) =
            (row.result_home, row.result_away, row.winning_serial)
        {
            let cell = Cell::new(home as u8, away as u8);
            let winner = Serial::new(winner.cast_unsigned());
            let deal = Deal::new(seed);
            if cell.is_none() || winner.map(|winner| deal.cell(winner)) != cell {
                violations.push(violation(WINNING_TICKET_INVARIANT));
            }
        }
    }
    Ok(violations)
}
