//! Checks that every captured cent paid for a ticket, was refunded, or belongs to a payment with an
//! open anomaly.

use std::collections::BTreeSet;

use actors::testing::FakeIntent;
use domain::{Cents, OrderState, PaymentIntentId, PaymentStatus};
use persistence::stores::OrderRecord;

use super::{Audit, has_been_captured, open_anomalies};

impl Audit<'_> {
    /// Checks invariants P1 to P6 for each payment.
    pub fn check_payments(&self) {
        let shown: BTreeSet<PaymentIntentId> = self
            .world
            .answers_shown
            .transcripts()
            .into_values()
            .filter_map(|transcript| transcript.payment_intent)
            .collect();
        for intent in &self.intents {
            let record = intent.said.order.and_then(|order| self.orders.get(&order));
            let own = record
                .filter(|record| record.order.payment_intent.as_ref() == Some(&intent.said.id));
            if intent.captures > 1 {
                self.report_violation(format!(
                    "P6: {} was captured {} times",
                    intent.said.id, intent.captures
                ));
            }
            match intent.said.status {
                PaymentStatus::Succeeded => self.check_captured_payment(intent, own),
                PaymentStatus::Canceled => self.check_canceled_payment(intent, own),
                // An intent whose client secret no buyer was shown may stay open, because it cannot
                // be paid.
                status
                    if status != PaymentStatus::RequiresCapture
                        && shown.contains(&intent.said.id) =>
                {
                    self.report_violation(format!(
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
            .filter(|(_, record)| has_been_captured(record))
        {
            let own = self
                .intents
                .iter()
                .find(|intent| Some(&intent.said.id) == record.order.payment_intent.as_ref());
            if !own.is_some_and(|intent| intent.said.is_captured()) {
                self.report_violation(format!(
                    "P2: order {} was captured, its payment was not: {own:?}",
                    id.0
                ));
            }
        }
    }

    /// P1, P2: a captured payment has exactly one of three outcomes: tickets, a refund, or an open
    /// anomaly.
    fn check_captured_payment(&self, intent: &FakeIntent, own: Option<&OrderRecord>) {
        let payment = &intent.said;
        let known = self.reported.contains(&payment.id);
        let Some(record) = own else {
            if !payment.is_refunded() && !known {
                self.report_violation(format!("P1: {} was captured without an order", payment.id));
            }
            return;
        };
        let order = &record.order;
        let fee_agrees = payment.application_fee == order.application_fee;
        match order.state {
            OrderState::Captured if payment.amount_refunded > Cents::ZERO && !known => {
                self.report_violation(format!(
                    "P4: {} was refunded, but order {} has its tickets",
                    payment.id, order.id.0
                ));
            }
            OrderState::Captured if payment.amount != order.total() && !known => {
                self.report_violation(format!(
                    "P2: {} took {}, order {} is {}",
                    payment.id,
                    payment.amount,
                    order.id.0,
                    order.total()
                ));
            }
            OrderState::Captured if !fee_agrees && !known => {
                let (took, ours) = (payment.application_fee, order.application_fee);
                self.report_violation(format!(
                    "P2 fee: {} took a fee of {took}, order {} says {ours}",
                    payment.id, order.id.0
                ));
            }
            OrderState::Captured => {}
            _ if !payment.is_refunded() && !known => {
                let state = order.state;
                self.report_violation(format!(
                    "P1: {} was taken, order {} is {state:?} and has no money back",
                    payment.id, order.id.0
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
        let refunded = refund
            .filter(|refund| refund.succeeded == Some(true))
            .map_or(Cents::ZERO, |refund| refund.amount);
        if refunded != payment.amount_refunded && !self.is_externally_changed(order.id) {
            self.report_violation(format!(
                "P4: order {} gave {refunded} back, the provider {}",
                order.id.0, payment.amount_refunded
            ));
        }
    }

    /// M1, M2, M3: an order's amount is the sum of its lines, at the prices of the draws, and goes
    /// to one club's account.
    pub fn check_orders(&self) {
        for (id, record) in &self.orders {
            let order = &record.order;
            let lines: Cents = order
                .lines
                .iter()
                .map(|line| line.unit_price * i64::from(line.count) + line.card_fee)
                .sum();
            if order.total() != lines {
                self.report_violation(format!(
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
                    self.report_violation(format!(
                        "M3: order {} paid {} a ticket of draw {}",
                        id.0, line.unit_price, line.draw
                    ));
                }
            }
        }
    }

    fn check_canceled_payment(&self, intent: &FakeIntent, own: Option<&OrderRecord>) {
        if let Some(record) = own.filter(|record| record.order.state == OrderState::Captured) {
            self.report_violation(format!(
                "P2: {} is canceled, order {} captured",
                intent.said.id, record.order.id.0
            ));
        }
    }

    /// P1: the captured amounts equal the sum of tickets, refunds and reported payments. Skipped in
    /// worlds with external changes, because there each payment is checked alone.
    pub fn check_captured_sums(&self) {
        if !self.externally_changed.is_empty() {
            return;
        }
        let payment = || self.intents.iter().map(|intent| &intent.said);
        let taken: Cents = payment().map(|payment| payment.amount_received).sum();
        let back: Cents = payment().map(|payment| payment.amount_refunded).sum();
        let captured = self
            .orders
            .values()
            .filter(|record| record.order.state == OrderState::Captured);
        let card_fees: Cents = captured.map(|record| record.order.card_fee()).sum();
        let revenue: Cents = self.draws.iter().map(domain::Draw::revenue).sum();
        let ticketless = payment().filter(|payment| {
            let order = payment.order.and_then(|order| self.orders.get(&order));
            order.is_none_or(|record| record.order.state != OrderState::Captured)
        });
        let reported = ticketless.filter(|payment| self.reported.contains(&payment.id));
        let reported: Cents = reported
            .map(|payment| payment.amount_received - payment.amount_refunded)
            .sum();
        if taken != revenue + card_fees + back + reported {
            self.report_violation(format!(
                "P1 sum: {taken} taken ≠ {revenue} tickets + {card_fees} card fees + {back} back + {reported} reported"
            ));
        }
    }

    /// P5, decision D-2: the application fees at the provider equal the fee ledgers and respect the
    /// caps.
    pub fn check_fees(&self) {
        if !self.externally_changed.is_empty() {
            return;
        }
        let payment = self.intents.iter().map(|intent| &intent.said);
        let held: Cents = payment
            .map(|payment| payment.application_fee - payment.application_fee_refunded)
            .sum();
        let ledger: Cents = self.draws.iter().map(domain::Draw::fee).sum();
        if held != ledger {
            self.report_violation(format!("P5: {held} of fees are held, due are {ledger}"));
        }
        for draw in self.draws.iter().filter(|draw| {
            !self
                .world
                .monitor
                .state()
                .released_uncharged
                .contains(&draw.id())
        }) {
            let due = draw.fee_policy().fee_on_revenue(draw.revenue());
            if draw.fee() != due {
                self.report_violation(format!(
                    "M4: draw {} has a fee of {}, due are {due}",
                    draw.id(),
                    draw.fee()
                ));
            }
        }
        let cap: Cents = self.draws.iter().map(|draw| draw.fee_policy().cap).sum();
        if held > cap {
            self.report_violation(format!("P5: {held} of fees is more than the cap of {cap}"));
        }
    }

    /// Without external changes no anomaly is open at the end.
    pub fn check_anomalies(&self) {
        let open = open_anomalies(self.world);
        if self.externally_changed.is_empty() && !open.is_empty() {
            self.report_violation(format!("P1: anomalies are open about {open:?}"));
        }
    }
}
