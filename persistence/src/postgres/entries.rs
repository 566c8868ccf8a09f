//! What a purchase writes beside its tickets, gathered like the appends: many small entries, one transaction.

use domain::{OrderId, PaymentIntent, PaymentIntentId, Timestamp};
use sqlx::postgres::PgConnection;

use super::writer::{Transaction, Trouble};
use super::{notices, operations, orders, outbox, payments};
use crate::books::{Attempt, Notice, Operation, OperationKind, TermsAgreed};
use crate::embedded::owner::hash;
use crate::error::Failure;
use crate::nodes::Boot;

/// Entries in one transaction.
pub(super) const TOGETHER_MAX: usize = 256;

pub(super) enum Entry {
    Consented {
        order: OrderId,
        at: Timestamp,
        ip: String,
        terms: TermsAgreed,
    },
    Opened {
        order: OrderId,
        id: PaymentIntentId,
        client_secret: String,
    },
    Captured {
        order: OrderId,
        said: PaymentIntent,
        at: Timestamp,
    },
    Claim {
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    },
    Attempted {
        operation: i64,
        attempt: Attempt,
    },
    Notice {
        notice: Notice,
        taker: Boot,
        at: Timestamp,
    },
    NoticeHandled {
        event_id: String,
        at: Timestamp,
    },
    MailSent {
        mail: i64,
        at: Timestamp,
    },
}

/// What is said to an entry.
pub(super) enum Said {
    Done,
    Claimed(Option<Operation>),
    New(bool),
}

pub(super) struct Entries;

/// Answers by place among all entries.
pub(super) type Answers = Vec<Option<Result<Said, Failure>>>;

impl Transaction for Entries {
    type Ask = Entry;
    type Answer = Said;

    fn subject(ask: &Entry) -> Option<u128> {
        Some(match ask {
            Entry::Consented { order, .. }
            | Entry::Opened { order, .. }
            | Entry::Captured { order, .. }
            | Entry::Claim { order, .. } => order.0,
            Entry::Attempted { operation: id, .. } | Entry::MailSent { mail: id, .. } => {
                id.cast_unsigned().into()
            }
            Entry::Notice {
                notice: Notice { event_id, .. },
                ..
            }
            | Entry::NoticeHandled { event_id, .. } => hash(event_id.as_bytes()).into(),
        })
    }

    async fn transact(
        connection: &mut PgConnection,
        asks: &[&Entry],
    ) -> Result<Vec<Result<Said, Failure>>, Trouble> {
        let mut answers: Answers = asks.iter().map(|_| None).collect();
        // Always in this order, so that two writers lock orders before operations and mail.
        orders::consented(connection, asks, &mut answers).await?;
        payments::turned(connection, asks, &mut answers).await?;
        operations::claim_each(connection, asks, &mut answers).await?;
        operations::attempted(connection, asks, &mut answers).await?;
        notices::store(connection, asks, &mut answers).await?;
        notices::handled(connection, asks, &mut answers).await?;
        outbox::sent(connection, asks, &mut answers).await?;
        Ok(answers
            .into_iter()
            .map(|answer| answer.unwrap_or(Err(Failure::NotFound)))
            .collect())
    }
}
