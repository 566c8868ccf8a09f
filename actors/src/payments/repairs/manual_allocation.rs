//! Allocates tickets to a captured payment that has none: the tickets of its order, those named in
//! its metadata, or those that an operator chose.

use domain::{
    AccountId, AllocationAuthority, AnomalyKind, Cents, Command, DrawId, Line, OrderId, OrderState,
    PaymentIntent, PaymentIntentId, Refusal, Status, fee,
};
use persistence::ledger::{AttachedWrite, BuyerDetails, NewOrder};
use persistence::records::audit::AuditEntry;
use persistence::stores::{BuyerSource, OrderRecord, PaymentRepair};

use super::{ChosenTickets, PaymentTickets, RepairError, Repairs};
use crate::PaymentFailure;
use crate::payments::fulfilment::Fulfilment;

/// The buyer who gets the tickets, the secret of the order page, and the operator's audit entry.
struct TicketRecipient {
    buyer: BuyerDetails,
    token: String,
    audit_entry: Option<AuditEntry>,
}

impl Repairs<'_> {
    /// Allocates the missing tickets of a payment, or the tickets in `chosen`, which an operator
    /// has chosen.
    pub(crate) async fn allocate_missing_tickets(
        self,
        id: &PaymentIntentId,
        chosen: Option<ChosenTickets>,
        buyer: BuyerDetails,
        token: String,
        audit_entry: Option<AuditEntry>,
    ) -> Result<OrderRecord, RepairError> {
        let store = &self.context.store;
        let existing = store.order_by_payment_intent(id).await?;
        let account = match &existing {
            Some(record) => record.order.account.clone(),
            None => store
                .account_of_payment(id)
                .await?
                .ok_or(RepairError::Unknown)?,
        };
        if chosen
            .as_ref()
            .is_some_and(|chosen| chosen.account != account)
        {
            return Err(RepairError::OtherClub);
        }
        if !store
            .begin_repair(id, PaymentRepair::Tickets, self.context.clock.now())
            .await?
        {
            return Err(RepairError::Refunded);
        }
        let recipient = TicketRecipient {
            buyer,
            token,
            audit_entry,
        };
        let allocated = self
            .allocate_tickets_in_repair(id, existing, &account, chosen, recipient)
            .await;
        self.end_repair(id, PaymentRepair::Tickets, allocated).await
    }

    /// Allocates the tickets while this repair is registered in the database.
    async fn allocate_tickets_in_repair(
        self,
        id: &PaymentIntentId,
        existing: Option<OrderRecord>,
        account: &AccountId,
        chosen: Option<ChosenTickets>,
        recipient: TicketRecipient,
    ) -> Result<OrderRecord, RepairError> {
        let intent = self
            .context
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| RepairError::Unavailable)?;
        if !self.context.is_platform_payment(&intent).await? {
            return Err(RepairError::Unknown);
        }
        let order = match existing {
            Some(record) => record.order.id,
            None => self.order_id_for_payment(&intent, chosen.is_some()).await?,
        };
        let draws = match &chosen {
            Some(chosen) => vec![(chosen.draw, chosen.count)],
            None => intent.draws.clone(),
        };
        let (context, job_draws) = (self.context.clone(), draws.clone());
        let is_chosen = chosen.is_some();
        let work = async move {
            Ok(Repairs::new(&context)
                .allocate_for_order(order, &intent, &job_draws, is_chosen, recipient)
                .await)
        };
        match self.context.run_for_order(order, work).await {
            Ok(Err(RepairError::Refused(Refusal::DrawClosed))) => {
                Err(self.closed_draw_error(&draws).await)
            }
            Ok(allocated) => allocated,
            Err(PaymentFailure::OrderUnknown) => Err(RepairError::Unknown),
            Err(_) => Err(RepairError::Unavailable),
        }
    }

    /// Returns the order id for a payment without an order: the id in the payment's metadata, or
    /// one computed from the payment's id. A repeated request thus finds the same order.
    async fn order_id_for_payment(
        self,
        intent: &PaymentIntent,
        is_chosen: bool,
    ) -> Result<OrderId, RepairError> {
        match intent.order {
            Some(order) if is_chosen && self.context.store.order(order).await?.is_some() => {
                Err(RepairError::HasOrder)
            }
            Some(order) => Ok(order),
            None if is_chosen => Ok(OrderId::for_payment_without_order(&intent.id)),
            None => Err(RepairError::NoOrder),
        }
    }

    /// Returns the tickets that a payment is for, according to its order or its metadata.
    pub(crate) async fn tickets_of_payment(
        self,
        id: &PaymentIntentId,
    ) -> Result<PaymentTickets, RepairError> {
        let store = &self.context.store;
        if let Some(record) = store.order_by_payment_intent(id).await? {
            let draws = record
                .order
                .lines
                .iter()
                .map(|line| (line.draw, line.count))
                .collect();
            return Ok(PaymentTickets {
                order: Some(record.order.id),
                draws,
            });
        }
        let account = store
            .account_of_payment(id)
            .await?
            .ok_or(RepairError::Unknown)?;
        let intent = self
            .context
            .gateway
            .retrieve(&account, id)
            .await
            .map_err(|_| RepairError::Unavailable)?;
        let order = match intent.order {
            Some(order) => store.order(order).await?.map(|record| record.order.id),
            None => None,
        };
        Ok(PaymentTickets {
            order,
            draws: intent.draws,
        })
    }

    /// Returns why a draw is closed to a repair: its result is entered, or the payment was
    /// authorised too late.
    async fn closed_draw_error(self, draws: &[(DrawId, u16)]) -> RepairError {
        for (draw, _) in draws {
            if self
                .context
                .draws
                .view(*draw)
                .await
                .is_ok_and(|view| view.status == Status::Completed)
            {
                return RepairError::Refused(Refusal::AlreadyCompleted);
            }
        }
        RepairError::Refused(Refusal::DrawClosed)
    }

    /// Allocates the tickets in a job of the order.
    async fn allocate_for_order(
        self,
        order: OrderId,
        intent: &PaymentIntent,
        draws: &[(DrawId, u16)],
        is_chosen: bool,
        recipient: TicketRecipient,
    ) -> Result<OrderRecord, RepairError> {
        let context = self.context;
        let TicketRecipient {
            buyer,
            token,
            audit_entry,
        } = recipient;
        let mut audit_entry = audit_entry.map(|entry| entry.with_object_id(order));
        let by_operator = audit_entry.is_some();
        if !intent.is_captured() {
            return Err(RepairError::Unknown);
        }
        if intent.is_refunded() {
            return Err(RepairError::Refunded);
        }
        let mut record = if let Some(record) = context.store.order(order).await? {
            record
        } else {
            let lines = self.order_lines_at_draw_prices(intent, draws).await?;
            self.open_order_for_payment(order, intent, lines, &buyer, token, &mut audit_entry)
                .await?
        };
        if is_chosen
            && !record
                .order
                .lines
                .iter()
                .map(|line| (line.draw, line.count))
                .eq(draws.iter().copied())
        {
            return Err(match record.order.state {
                OrderState::Allocated | OrderState::Captured => RepairError::HasTickets,
                _ => RepairError::HasOrder,
            });
        }
        match record.order.state {
            OrderState::Void => return Err(RepairError::Refunded),
            OrderState::Captured => {}
            _ if !record.order.agrees_with(intent) => return Err(RepairError::Mismatch),
            _ => {
                let authorised_at = record.authorised_at.or(intent.authorised_at);
                let authorised_at =
                    authorised_at.ok_or(RepairError::Refused(Refusal::DrawClosed))?;
                let source = BuyerSource::Operator {
                    at: context.clock.now(),
                    approved: false,
                };
                if !context
                    .store
                    .fill_buyer_details(order, &buyer, source)
                    .await?
                {
                    return Err(RepairError::NeedsApproval);
                }
                let authority = AllocationAuthority::Repair { authorised_at };
                if let Err(refusal) = context
                    .allocate_tickets(&mut record, authority, &mut audit_entry)
                    .await?
                {
                    // The tickets are returned here. The sweeper then refunds the order.
                    context.return_tickets(&record).await?;
                    return Err(RepairError::Refused(refusal));
                }
            }
        }
        let fulfilled = Fulfilment::new(context)
            .fulfil(order, &mut None)
            .await
            .map_err(|_| RepairError::Unavailable)?;
        // After an operator's repair, the caller resolves the anomaly in the operator's name.
        if !by_operator {
            context
                .store
                .resolve_healed_anomalies(
                    &intent.id,
                    AnomalyKind::MissingTicket,
                    context.clock.now(),
                )
                .await?;
        }
        Ok(fulfilled.record)
    }

    /// Opens an order for a payment without one. A single commit stores the order with its payment
    /// and allocates its first line.
    async fn open_order_for_payment(
        self,
        order: OrderId,
        intent: &PaymentIntent,
        lines: Vec<Line>,
        buyer: &BuyerDetails,
        token: String,
        audit_entry: &mut Option<AuditEntry>,
    ) -> Result<OrderRecord, RepairError> {
        let context = self.context;
        let authorised_at = intent
            .authorised_at
            .ok_or(RepairError::Refused(Refusal::DrawClosed))?;
        let first = *lines.first().ok_or(RepairError::NoOrder)?;
        let new = NewOrder {
            id: order,
            club: context
                .store
                .club_of_account(&intent.account)
                .await?
                .ok_or(RepairError::Unknown)?,
            account: intent.account.clone(),
            client_key: format!("adopted-{}", intent.id),
            token,
            lines,
            buyer: buyer.clone(),
            at: context.clock.now(),
            authorised_at: Some(authorised_at),
            payment_intent: Some(intent.id.clone()),
        };
        let authority = AllocationAuthority::Repair { authorised_at };
        let command = Command::Allocate {
            order,
            count: first.count,
            unit_price: first.unit_price,
            authority,
        };
        context
            .execute_audited(
                first.draw,
                command,
                Some(AttachedWrite::Open(new)),
                audit_entry,
            )
            .await?;
        context.index.insert_intent(&intent.id, order);
        context
            .store
            .order(order)
            .await?
            .ok_or(RepairError::Unavailable)
    }

    /// Returns order lines at the current prices of the draws. The payment may exceed their sum by
    /// at most the card fees.
    async fn order_lines_at_draw_prices(
        self,
        intent: &PaymentIntent,
        draws: &[(DrawId, u16)],
    ) -> Result<Vec<Line>, RepairError> {
        let mut tickets = draws.to_vec();
        tickets.sort();
        let mut lines = Vec::with_capacity(tickets.len());
        for (draw, count) in tickets {
            let unit_price = self.context.draws.view(draw).await?.price;
            lines.push(Line {
                draw,
                count,
                unit_price,
                card_fee: Cents::ZERO,
            });
        }
        let subtotal: Cents = lines.iter().map(Line::subtotal).sum();
        let card_fees_max: Cents = lines
            .iter()
            .map(|line| fee::card_fee(line.subtotal()))
            .sum();
        let card_fees = intent.amount - subtotal;
        if intent.currency != "aud" || card_fees < Cents::ZERO || card_fees > card_fees_max {
            return Err(RepairError::Mismatch);
        }
        if let Some(first) = lines.first_mut() {
            first.card_fee = card_fees;
        }
        Ok(lines)
    }
}
