//! A person's repairs: tickets for a payment that has none, a buyer for tickets that have none, and what a dispute takes away.

use std::sync::Arc;

use domain::{
    AccountId, AnomalyKind, Authority, Cents, Command, DrawId, Line, OrderId, OrderState,
    PaymentIntent, PaymentIntentId, Refusal, Serial, Status, fee,
};
use persistence::books::{OrderRecord, Repair, Tell};
use persistence::ledger::{BuyerDetails, NewOrder, Rider};
use persistence::records::audit::Entry;

use super::room::{Later, Room};
use crate::anomalies::Unresolved;
use crate::{Denied, PaymentFailure};

impl From<Later> for Unresolved {
    fn from(_: Later) -> Unresolved {
        Unresolved::Unavailable
    }
}

fn unresolved(denied: Denied) -> Unresolved {
    match denied {
        Denied::Refused(refusal) => Unresolved::Refused(refusal),
        Denied::NoSuchDraw => Unresolved::Refused(Refusal::DrawClosed),
        Denied::Unavailable | Denied::Paused => Unresolved::Unavailable,
    }
}

impl Room {
    pub(crate) async fn allocate_missing(
        self: &Arc<Self>,
        id: &PaymentIntentId,
        buyer: BuyerDetails,
        token: String,
        act: Option<Entry>,
    ) -> Result<OrderRecord, Unresolved> {
        let known = self.books.order_by_payment_intent(id).await?;
        let account = match &known {
            Some(record) => record.order.account.clone(),
            None => self.books.witnessed(id).await?.ok_or(Unresolved::Unknown)?,
        };
        if !self
            .books
            .begin_repair(id, Repair::Tickets, self.clock.now())
            .await?
        {
            return Err(Unresolved::Refunded);
        }
        let given = self
            .allocate_begun(id, known, &account, buyer, token, act)
            .await;
        self.end_repair(id, Repair::Tickets, given).await
    }

    async fn allocate_begun(
        self: &Arc<Self>,
        id: &PaymentIntentId,
        known: Option<OrderRecord>,
        account: &AccountId,
        buyer: BuyerDetails,
        token: String,
        act: Option<Entry>,
    ) -> Result<OrderRecord, Unresolved> {
        let said = self
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| Unresolved::Unavailable)?;
        let order = known
            .map(|record| record.order.id)
            .or(said.order)
            .ok_or(Unresolved::Unknown)?;
        let (inside, draws) = (self.clone(), said.draws.clone());
        let work = async move { Ok(inside.give_missing(order, &said, buyer, token, act).await) };
        match self.in_lane(order, work).await {
            Ok(Err(Unresolved::Refused(Refusal::DrawClosed))) => Err(self.why_closed(&draws).await),
            Ok(given) => given,
            Err(PaymentFailure::OrderUnknown) => Err(Unresolved::Unknown),
            Err(_) => Err(Unresolved::Unavailable),
        }
    }

    /// A repair whose end is known makes room for the other kind. Of one that may still be under way, nobody knows when.
    pub(super) async fn end_repair<T>(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        ended: Result<T, Unresolved>,
    ) -> Result<T, Unresolved> {
        if !matches!(ended, Err(Unresolved::Unavailable))
            && let Err(failure) = self.books.end_repair(id, repair).await
        {
            tracing::warn!(%failure, payment_intent.id = %id, "the other repair waits until this one lapses");
        }
        ended
    }

    /// A draw that takes no repair because its result is entered is told apart from one the payment came too late for.
    async fn why_closed(&self, draws: &[(DrawId, u16)]) -> Unresolved {
        for (draw, _) in draws {
            if self
                .draws
                .view(*draw)
                .await
                .is_ok_and(|view| view.status == Status::Completed)
            {
                return Unresolved::Refused(Refusal::AlreadyCompleted);
            }
        }
        Unresolved::Refused(Refusal::DrawClosed)
    }

    async fn give_missing(
        &self,
        order: OrderId,
        said: &PaymentIntent,
        buyer: BuyerDetails,
        token: String,
        mut act: Option<Entry>,
    ) -> Result<OrderRecord, Unresolved> {
        act = act.map(|act| act.named(order));
        let by_hand = act.is_some();
        if !said.is_taken() {
            return Err(Unresolved::Unknown);
        }
        if said.is_refunded() {
            return Err(Unresolved::Refunded);
        }
        let mut record = match self.books.order(order).await? {
            Some(record) => record,
            None => self.adopt(order, said, &buyer, token, &mut act).await?,
        };
        match record.order.state {
            OrderState::Void => return Err(Unresolved::Refunded),
            OrderState::Captured => {}
            _ if !record.order.agrees_with(said) => return Err(Unresolved::Mismatch),
            _ => {
                let authorised_at = record.authorised_at.or(said.authorised_at);
                let authorised_at =
                    authorised_at.ok_or(Unresolved::Refused(Refusal::DrawClosed))?;
                self.books.fill_buyer(order, &buyer).await?;
                let authority = Authority::Repair { authorised_at };
                if let Err(refusal) = self.allocate(&mut record, authority, &mut act).await? {
                    // What it got is given back; the sweeper refunds it.
                    self.give_back(&record).await?;
                    return Err(Unresolved::Refused(refusal));
                }
            }
        }
        let fulfilled = self
            .fulfil(order, &mut None)
            .await
            .map_err(|_| Unresolved::Unavailable)?;
        // What a person did is resolved under that person's name by whoever asked.
        if !by_hand {
            self.books
                .heal(&said.id, AnomalyKind::MissingTicket, self.clock.now())
                .await?;
        }
        Ok(fulfilled.record)
    }

    /// Opens an order that the books forgot, from what its payment says: it has its payment, and its first line its tickets, in
    /// the same commit.
    async fn adopt(
        &self,
        order: OrderId,
        said: &PaymentIntent,
        buyer: &BuyerDetails,
        token: String,
        act: &mut Option<Entry>,
    ) -> Result<OrderRecord, Unresolved> {
        let authorised_at = said
            .authorised_at
            .ok_or(Unresolved::Refused(Refusal::DrawClosed))?;
        let lines = self.lines_of(said).await?;
        let first = *lines.first().ok_or(Unresolved::Unknown)?;
        let new = NewOrder {
            id: order,
            club: self
                .books
                .club_of(&said.account)
                .await?
                .ok_or(Unresolved::Unknown)?,
            account: said.account.clone(),
            client_key: format!("adopted-{}", said.id),
            token,
            lines,
            buyer: buyer.clone(),
            at: self.clock.now(),
            authorised_at: Some(authorised_at),
            payment_intent: Some(said.id.clone()),
        };
        let authority = Authority::Repair { authorised_at };
        let command = Command::Allocate {
            order,
            count: first.count,
            unit_price: first.unit_price,
            authority,
        };
        self.ask_signed(first.draw, command, Some(Rider::Open(new)), act)
            .await
            .map_err(unresolved)?;
        self.index.intent_is(&said.id, order);
        self.books
            .order(order)
            .await?
            .ok_or(Unresolved::Unavailable)
    }

    /// The lines a payment's metadata name, at the draws' own prices. What it took beyond them must be card fees.
    async fn lines_of(&self, said: &PaymentIntent) -> Result<Vec<Line>, Unresolved> {
        let mut wanted = said.draws.clone();
        wanted.sort();
        let mut lines = Vec::with_capacity(wanted.len());
        for (draw, count) in wanted {
            let unit_price = self.draws.view(draw).await.map_err(unresolved)?.price;
            lines.push(Line {
                draw,
                count,
                unit_price,
                card_fee: Cents::ZERO,
            });
        }
        let subtotal: Cents = lines.iter().map(Line::subtotal).sum();
        let dearest: Cents = lines
            .iter()
            .map(|line| fee::card_fee(line.subtotal()))
            .sum();
        let over = said.amount - subtotal;
        if said.currency != "aud" || over < Cents::ZERO || over > dearest {
            return Err(Unresolved::Mismatch);
        }
        if let Some(first) = lines.first_mut() {
            first.card_fee = over;
        }
        Ok(lines)
    }

    pub(crate) async fn recover(
        &self,
        draw: DrawId,
        serial: Serial,
        buyer: &BuyerDetails,
        approved: bool,
        act: Option<Entry>,
    ) -> Result<OrderRecord, Unresolved> {
        let order = self
            .books
            .holder(draw, serial)
            .await?
            .ok_or(Unresolved::Unknown)?;
        let record = self.books.order(order).await?.ok_or(Unresolved::Unknown)?;
        if record.buyer.email.is_some() {
            return Err(Unresolved::HasBuyer);
        }
        let view = self.draws.view(draw).await.map_err(unresolved)?;
        let wins = |winner: &Serial| {
            record
                .tickets
                .iter()
                .any(|(of, has)| *of == draw && has.contains(winner))
        };
        if !approved
            && view
                .revealed(self.clock.now())
                .is_some_and(|(_, winner)| wins(&winner))
        {
            return Err(Unresolved::NeedsApproval);
        }
        self.books.recover(order, buyer, act.as_ref()).await?;
        self.nudges.mail.notify_one();
        if let Some(id) = &record.order.payment_intent {
            self.books
                .heal(id, AnomalyKind::OrphanedTicket, self.clock.now())
                .await?;
        }
        self.books
            .order(order)
            .await?
            .ok_or(Unresolved::Unavailable)
    }

    /// The buyer's bank disputes a captured payment (decision C-25). While every game of the order is ahead its tickets are
    /// released and the fee's part goes back; the money is the bank's to move. Afterwards the tickets stay, marked disputed.
    /// In the order's lane. `true`: they were released.
    pub(crate) async fn release_disputed(
        &self,
        record: &OrderRecord,
    ) -> Result<bool, persistence::Failure> {
        let now = self.clock.now();
        for line in &record.order.lines {
            let view = self.draws.view(line.draw).await;
            if !view.is_ok_and(|view| view.status == Status::Active && now < view.closes_at) {
                return Ok(false);
            }
        }
        if self.give_back(record).await.is_err() {
            return Ok(false);
        }
        self.books
            .voided(
                record.order.id,
                "the payment is disputed",
                Tell::Nobody,
                now,
            )
            .await?;
        for line in &record.order.lines {
            self.give_fees_back(line.draw).await;
        }
        Ok(true)
    }
}
