//! Money that was taken beside every order, or for an order that has ended without it: it goes back as it came. No ticket
//! hangs on it.

use std::slice;

use domain::{AccountId, Cents, OrderState, PaymentIntent, PaymentIntentId};
use persistence::books::{OrderRecord, Repair, Tell};
use persistence::records::audit::Entry;

use super::room::Room;
use crate::{GatewayError, Unresolved};

/// What went back of a payment that no order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    pub amount: Cents,
    /// Of the platform's fee taken with it.
    pub fee: Cents,
}

impl Room {
    /// The provider keeps one answer for each key, so that asking again gives nothing back twice. The act is written first:
    /// whatever left the house, somebody has signed for it.
    pub(crate) async fn return_stranger(
        &self,
        id: &PaymentIntentId,
        act: Option<Entry>,
    ) -> Result<Returned, Unresolved> {
        let account = match self.without_tickets(id).await? {
            Some(record) => record.order.account,
            None => self.books.witnessed(id).await?.ok_or(Unresolved::Unknown)?,
        };
        if !self
            .books
            .begin_repair(id, Repair::Return, self.clock.now())
            .await?
        {
            return Err(Unresolved::HasTickets);
        }
        let returned = self.return_begun(id, &account, act).await;
        self.end_repair(id, Repair::Return, returned).await
    }

    async fn return_begun(
        &self,
        id: &PaymentIntentId,
        account: &AccountId,
        act: Option<Entry>,
    ) -> Result<Returned, Unresolved> {
        let said = self
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| Unresolved::Unavailable)?;
        // While the provider took its time, the order may have had its tickets after all.
        let known = self.without_tickets(id).await?;
        // What is left of such a fee is the platform's by the draws' ledgers; the part that is not goes back by itself.
        let fee_is_in_a_ledger = known
            .as_ref()
            .is_some_and(|record| record.captured_at.is_some());
        if !said.is_taken() {
            return Err(Unresolved::Unknown);
        }
        let back = Returned {
            amount: said.amount_received - said.amount_refunded,
            fee: if fee_is_in_a_ledger {
                Cents::ZERO
            } else {
                said.application_fee - said.application_fee_refunded
            },
        };
        if back.amount <= Cents::ZERO && back.fee <= Cents::ZERO {
            return Err(Unresolved::Refunded);
        }
        if let Some(act) = &act {
            self.books.note(act).await?;
        }
        if let Some(record) = &known {
            // No node gives it tickets any more while its money is on the way back; and if one just did, it has them.
            let reason = "the payment was given back by hand";
            self.books
                .voided(record.order.id, reason, Tell::Nobody, self.clock.now())
                .await?;
        }
        self.give_back_at_provider(&said, back).await?;
        let said = self
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| Unresolved::Unavailable)?;
        self.books
            .witness(slice::from_ref(&said), self.clock.now())
            .await?;
        Ok(back)
    }

    /// The payment's order, if there is one. Refused while it has its tickets, though its capture may not be written down yet.
    async fn without_tickets(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Unresolved> {
        let known = self.books.order_by_payment_intent(id).await?;
        let holds = |record: &OrderRecord| {
            matches!(
                record.order.state,
                OrderState::Allocated | OrderState::Captured
            )
        };
        if known.as_ref().is_some_and(holds) {
            Err(Unresolved::HasTickets)
        } else {
            Ok(known)
        }
    }

    async fn give_back_at_provider(
        &self,
        said: &PaymentIntent,
        back: Returned,
    ) -> Result<(), Unresolved> {
        let later = |error: GatewayError| {
            tracing::warn!(%error, payment_intent.id = %said.id, "a payment of no order goes back later");
            Unresolved::Unavailable
        };
        // What went back before is part of the key: after a part was given back by hand, the rest is another question.
        if back.amount > Cents::ZERO {
            let key = format!("return-{}-{}", said.id, said.amount_refunded.0);
            self.gateway
                .refund(&key, &said.account, &said.id, back.amount)
                .await
                .map_err(later)?;
        }
        if back.fee > Cents::ZERO {
            let key = format!("return-fee-{}-{}", said.id, said.application_fee_refunded.0);
            self.gateway
                .refund_fee(&key, &said.account, &said.id, back.fee)
                .await
                .map_err(later)?;
        }
        Ok(())
    }
}
