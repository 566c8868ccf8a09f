//! Every cent the provider took is in a ticket, went back, or is known to a person.

use std::collections::BTreeSet;

use actors::testing::Intent;
use domain::{Cents, OrderState, PaymentIntentId, PaymentStatus};
use persistence::books::OrderRecord;

use super::{Audit, open_anomalies, was_captured};

impl Audit<'_> {
    /// P1 to P6, payment by payment.
    pub fn payments(&self) {
        let shown: BTreeSet<PaymentIntentId> = self
            .world
            .told
            .stories()
            .into_values()
            .filter_map(|story| story.payment_intent)
            .collect();
        for intent in &self.intents {
            let record = intent.said.order.and_then(|order| self.orders.get(&order));
            let own = record
                .filter(|record| record.order.payment_intent.as_ref() == Some(&intent.said.id));
            if intent.captures > 1 {
                self.wrong(format!(
                    "P6: {} was captured {} times",
                    intent.said.id, intent.captures
                ));
            }
            match intent.said.status {
                PaymentStatus::Succeeded => self.taken(intent, own),
                PaymentStatus::Canceled => self.canceled(intent, own),
                // An intent nobody was shown may stay: nobody can pay it.
                status
                    if status != PaymentStatus::RequiresCapture
                        && shown.contains(&intent.said.id) =>
                {
                    self.wrong(format!(
                        "P3: {} can still be paid ({status:?})",
                        intent.said.id
                    ));
                }
                _ => {}
            }
        }
        for (id, record) in self
            .orders
            .iter()
            .filter(|(_, record)| was_captured(record))
        {
            let own = self
                .intents
                .iter()
                .find(|intent| Some(&intent.said.id) == record.order.payment_intent.as_ref());
            if !own.is_some_and(|intent| intent.said.is_taken()) {
                self.wrong(format!(
                    "P2: order {} was captured, its payment was not: {own:?}",
                    id.0
                ));
            }
        }
    }

    /// P1, P2: exactly one of tickets, money back, or a person who knows.
    fn taken(&self, intent: &Intent, own: Option<&OrderRecord>) {
        let said = &intent.said;
        let known = self.reported.contains(&said.id);
        let Some(record) = own else {
            if !said.is_refunded() && !known {
                self.wrong(format!("P1: {} was taken for no order of ours", said.id));
            }
            return;
        };
        let order = &record.order;
        let fee_agrees = said.application_fee == order.application_fee;
        match order.state {
            OrderState::Captured if said.amount_refunded > Cents::ZERO && !known => {
                self.wrong(format!(
                    "P4: {} went back, order {} has its tickets",
                    said.id, order.id.0
                ));
            }
            OrderState::Captured if said.amount != order.total() && !known => {
                self.wrong(format!(
                    "P2: {} took {}, order {} is {}",
                    said.id,
                    said.amount,
                    order.id.0,
                    order.total()
                ));
            }
            OrderState::Captured if !fee_agrees && !known => {
                let (took, ours) = (said.application_fee, order.application_fee);
                self.wrong(format!(
                    "P2 fee: {} took a fee of {took}, order {} says {ours}",
                    said.id, order.id.0
                ));
            }
            OrderState::Captured => {}
            _ if !said.is_refunded() && !known => {
                let state = order.state;
                self.wrong(format!(
                    "P1: {} was taken, order {} is {state:?} and has no money back",
                    said.id, order.id.0
                ));
            }
            _ => {}
        }
        let refund = self
            .world
            .memory
            .refunds()
            .into_iter()
            .find(|refund| refund.order == order.id);
        let given = refund
            .filter(|refund| refund.succeeded == Some(true))
            .map_or(Cents::ZERO, |refund| refund.amount);
        if given != said.amount_refunded && !self.is_meddled(order.id) {
            self.wrong(format!(
                "P4: order {} gave {given} back, the provider {}",
                order.id.0, said.amount_refunded
            ));
        }
    }

    /// M1, M2, M3: an order is worth its lines, at the draws' own prices, for one club's account.
    pub fn orders(&self) {
        for (id, record) in &self.orders {
            let order = &record.order;
            let lines: Cents = order
                .lines
                .iter()
                .map(|line| line.unit_price * i64::from(line.count) + line.card_fee)
                .sum();
            if order.total() != lines {
                self.wrong(format!(
                    "M1: order {} is {}, its lines {lines}",
                    id.0,
                    order.total()
                ));
            }
            let price = |draw| {
                self.draws
                    .iter()
                    .find(|of| of.id() == draw)
                    .map(|of| of.terms().price)
            };
            for line in order
                .lines
                .iter()
                .filter(|_| order.state == OrderState::Captured)
            {
                if price(line.draw) != Some(line.unit_price) {
                    self.wrong(format!(
                        "M3: order {} paid {} a ticket of draw {}",
                        id.0, line.unit_price, line.draw
                    ));
                }
            }
        }
    }

    fn canceled(&self, intent: &Intent, own: Option<&OrderRecord>) {
        if let Some(record) = own.filter(|record| record.order.state == OrderState::Captured) {
            self.wrong(format!(
                "P2: {} is canceled, order {} captured",
                intent.said.id, record.order.id.0
            ));
        }
    }

    /// Money in = tickets out + money back + what a person knows of. Where somebody meddled, every payment was looked at by
    /// itself already.
    pub fn sums(&self) {
        if !self.meddled.is_empty() {
            return;
        }
        let said = || self.intents.iter().map(|intent| &intent.said);
        let taken: Cents = said().map(|said| said.amount_received).sum();
        let back: Cents = said().map(|said| said.amount_refunded).sum();
        let captured = self
            .orders
            .values()
            .filter(|record| record.order.state == OrderState::Captured);
        let card_fees: Cents = captured.map(|record| record.order.card_fee()).sum();
        let revenue: Cents = self.draws.iter().map(|draw| draw.revenue()).sum();
        let ticketless = said().filter(|said| {
            let order = said.order.and_then(|order| self.orders.get(&order));
            order.is_none_or(|record| record.order.state != OrderState::Captured)
        });
        let reported = ticketless.filter(|said| self.reported.contains(&said.id));
        let reported: Cents = reported
            .map(|said| said.amount_received - said.amount_refunded)
            .sum();
        if taken != revenue + card_fees + back + reported {
            self.wrong(format!(
                "P1 sum: {taken} taken ≠ {revenue} tickets + {card_fees} card fees + {back} back + {reported} reported"
            ));
        }
    }

    /// P5, decision D-2: what the provider holds of fees is what the fee ledgers say, and below the caps.
    pub fn fees(&self) {
        if !self.meddled.is_empty() {
            return;
        }
        let said = self.intents.iter().map(|intent| &intent.said);
        let held: Cents = said
            .map(|said| said.application_fee - said.application_fee_refunded)
            .sum();
        let ledger: Cents = self.draws.iter().map(|draw| draw.fee()).sum();
        if held != ledger {
            self.wrong(format!("P5: {held} of fees are held, due are {ledger}"));
        }
        for draw in self.draws.iter().filter(|draw| {
            !self
                .world
                .watch
                .facts()
                .let_go_uncharged
                .contains(&draw.id())
        }) {
            let due = draw.fee_policy().on(draw.revenue());
            if draw.fee() != due {
                self.wrong(format!(
                    "M4: draw {} has a fee of {}, due are {due}",
                    draw.id(),
                    draw.fee()
                ));
            }
        }
        let cap: Cents = self.draws.iter().map(|draw| draw.fee_policy().cap).sum();
        if held > cap {
            self.wrong(format!("P5: {held} of fees is more than the cap of {cap}"));
        }
    }

    /// With manual capture nobody has to be told of anything, as long as nobody meddles.
    pub fn anomalies(&self) {
        let open = open_anomalies(self.world);
        if self.meddled.is_empty() && !open.is_empty() {
            self.wrong(format!("P1: anomalies are open about {open:?}"));
        }
    }
}
