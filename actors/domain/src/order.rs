//! An order: the tickets that one payment buys from one club, with one line per draw. Either all
//! lines get their tickets or none (decision C-10).

use std::fmt;

use crate::{
    AccountId, Cents, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    SurchargeMode, fee,
};

pub mod transition;

/// The state of an order. A successful order goes `Quoted → Allocated → Captured`. An order can
/// also end as `Rejecting → Released`, `Allocated → Void` or `Captured → Void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// Priced and reserved. As far as this system knows, the buyer has not authorised the payment.
    Quoted,
    /// Every line has its tickets. The payment must now be captured.
    Allocated,
    /// The payment is captured and the buyer has the tickets.
    Captured,
    /// Rejected, possibly after the authorisation. The tickets are being returned and the payment
    /// is being cancelled.
    Rejecting,
    /// Ended without a charge; the order has no tickets.
    Released,
    /// Ended after the order had tickets: the capture failed or the payment was refunded.
    Void,
    /// The order and the payment disagree, and only a person can resolve it.
    Anomaly,
}

impl OrderState {
    pub const ALL: [OrderState; 7] = [
        OrderState::Quoted,
        OrderState::Allocated,
        OrderState::Captured,
        OrderState::Rejecting,
        OrderState::Released,
        OrderState::Void,
        OrderState::Anomaly,
    ];

    /// Returns the name of the state in the database and in error messages.
    pub fn name(self) -> &'static str {
        match self {
            OrderState::Quoted => "quoted",
            OrderState::Allocated => "allocated",
            OrderState::Captured => "captured",
            OrderState::Rejecting => "rejecting",
            OrderState::Released => "released",
            OrderState::Void => "void",
            OrderState::Anomaly => "anomaly",
        }
    }

    /// Returns the state that has this name. `None`: there is none.
    pub fn from_name(name: &str) -> Option<OrderState> {
        OrderState::ALL
            .into_iter()
            .find(|state| state.name() == name)
    }

    /// Whether the buyer may see the number pairs of the order's tickets (decision M-2). Before the
    /// capture the authorisation may still expire, and then the tickets are sold to another buyer.
    pub fn shows_number_pairs(self) -> bool {
        self == OrderState::Captured
    }
}

impl fmt::Display for OrderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The tickets of one draw in an order, with their price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub draw: DrawId,
    pub count: u16,
    pub unit_price: Cents,
    /// The part of the card fee that the buyer pays with this line.
    pub card_fee: Cents,
}

impl Line {
    pub fn subtotal(&self) -> Cents {
        self.unit_price * self.count.into()
    }
}

/// The tickets of one draw for which the price of an order line is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRequest {
    pub draw: DrawId,
    pub count: u16,
    pub unit_price: Cents,
    pub passes_card_fee: bool,
}

/// An order of one or more lines, paid by one payment intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    pub state: OrderState,
    /// The lines, ascending by draw, one line per draw.
    pub lines: Vec<Line>,
    pub payment_intent: Option<PaymentIntentId>,
    /// The sum of the application fees of the lines, once the order is allocated.
    pub application_fee: Cents,
}

/// The next step of an order, given its state and its payment intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The payment is not authorised yet: wait.
    Wait,
    /// The payment is authorised: allocate the tickets.
    Allocate,
    /// The order has its tickets: capture the payment.
    Capture,
    /// The payment is captured: store the capture.
    Record,
    /// The order is rejected and the payment intent is still open: cancel the intent.
    Cancel,
    /// The payment intent is canceled: return the reserved tickets.
    Release,
    /// The order has tickets, but the authorisation has ended: take the tickets back.
    Void,
    /// The payment was captured for an order without tickets: allocate tickets if that is still
    /// allowed, otherwise refund (rule 1 of the decisions).
    Repair,
    /// The payment intent differs in amount, currency, account or order.
    Mismatch,
    /// Nothing is left to do.
    Done,
}

impl Order {
    pub fn subtotal(&self) -> Cents {
        self.lines.iter().map(Line::subtotal).sum()
    }

    pub fn card_fee(&self) -> Cents {
        self.lines.iter().map(|line| line.card_fee).sum()
    }

    /// Returns the amount that the buyer pays: tickets and card fees of all lines.
    pub fn total(&self) -> Cents {
        self.subtotal() + self.card_fee()
    }

    pub fn tickets(&self) -> u16 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// Returns the next step for the order. It depends on the provider's payment intent, never on
    /// the client's claims (decision C-4).
    ///
    /// Steps that move money require an intent that agrees with the order in every field. For other
    /// steps the amount may differ, because a resize updates first the order and then the intent.
    /// The intent of another order never changes this order.
    pub fn decide(&self, intent: &PaymentIntent) -> NextStep {
        let next = self.next_step(intent.status);
        let agrees = match next {
            NextStep::Done => true,
            NextStep::Wait | NextStep::Cancel | NextStep::Release | NextStep::Void => {
                self.is_paid_by(intent)
            }
            NextStep::Allocate
            | NextStep::Capture
            | NextStep::Record
            | NextStep::Repair
            | NextStep::Mismatch => self.agrees_with(intent),
        };
        if agrees { next } else { NextStep::Mismatch }
    }

    fn next_step(&self, status: PaymentStatus) -> NextStep {
        use PaymentStatus::{Canceled, RequiresCapture, Succeeded};
        match (self.state, status) {
            (OrderState::Quoted, RequiresCapture) => NextStep::Allocate,
            (OrderState::Quoted, Canceled) => NextStep::Release,
            (OrderState::Quoted, Succeeded) => NextStep::Repair,
            (OrderState::Quoted, _) => NextStep::Wait,
            (OrderState::Allocated, RequiresCapture) => NextStep::Capture,
            (OrderState::Allocated, Succeeded) => NextStep::Record,
            (OrderState::Allocated, Canceled) => NextStep::Void,
            (OrderState::Allocated, _) => NextStep::Wait,
            (OrderState::Rejecting, Canceled) => NextStep::Release,
            (OrderState::Released, Canceled) => NextStep::Done,
            (OrderState::Rejecting | OrderState::Released, Succeeded) => NextStep::Repair,
            (OrderState::Rejecting | OrderState::Released, _) => NextStep::Cancel,
            // The order was refunded before its capture: cancel the authorisation, because it would
            // block the buyer's money for a week.
            (OrderState::Void, RequiresCapture) => NextStep::Cancel,
            (OrderState::Captured | OrderState::Void | OrderState::Anomaly, _) => NextStep::Done,
        }
    }

    /// Whether the intent belongs to this order: it names this order and is in this order's
    /// account. If the order already has an intent id, the ids must be equal. An intent that names
    /// no order belongs to the order that an operator opened for it (decision M-9).
    fn is_paid_by(&self, intent: &PaymentIntent) -> bool {
        let order = intent
            .order
            .unwrap_or_else(|| OrderId::for_payment_without_order(&intent.id));
        intent.account == self.account
            && order == self.id
            && self
                .payment_intent
                .as_ref()
                .is_none_or(|id| *id == intent.id)
    }

    /// Whether the intent agrees with this order in amount, currency, account and order.
    pub fn agrees_with(&self, intent: &PaymentIntent) -> bool {
        self.is_paid_by(intent) && intent.amount == self.total() && intent.currency == "aud"
    }
}

/// Returns the priced lines, ascending by draw. Each line that passes on the card fee pays its own
/// card fee (`PerLine`), or all such lines share one (`PerCharge`). A shared card fee is split by
/// the largest remainder method (decision D-6).
pub fn price_lines(wanted: &[LineRequest], mode: SurchargeMode) -> Vec<Line> {
    let mut wanted = wanted.to_vec();
    wanted.sort_by_key(|wanted| wanted.draw);
    let subtotal = |wanted: &LineRequest| wanted.unit_price * wanted.count.into();
    let passing: Vec<Cents> = wanted
        .iter()
        .filter(|wanted| wanted.passes_card_fee)
        .map(subtotal)
        .collect();
    let card_fees = match mode {
        SurchargeMode::PerLine => passing.into_iter().map(fee::card_fee).collect(),
        SurchargeMode::PerCharge if passing.is_empty() => Vec::new(),
        SurchargeMode::PerCharge => {
            split_by_weights(fee::card_fee(passing.iter().copied().sum()), &passing)
        }
    };
    let mut card_fees = card_fees.into_iter();
    wanted
        .into_iter()
        .map(
            |LineRequest {
                 draw,
                 count,
                 unit_price,
                 passes_card_fee,
             }| {
                let card_fee = if passes_card_fee {
                    card_fees.next()
                } else {
                    None
                };
                Line {
                    draw,
                    count,
                    unit_price,
                    card_fee: card_fee.unwrap_or(Cents::ZERO),
                }
            },
        )
        .collect()
}

/// Splits an amount in proportion to weights by the largest remainder method. The parts sum to the
/// amount exactly; ties go to the earlier part. Amount and weights must not be negative. If all
/// weights are zero, the parts are equal. Without weights there are no parts.
pub fn split_by_weights(amount: Cents, weights: &[Cents]) -> Vec<Cents> {
    let all_zero = weights.iter().all(|weight| *weight == Cents::ZERO);
    let weights: Vec<i128> = weights
        .iter()
        .map(|weight| if all_zero { 1 } else { weight.0.into() })
        .collect();
    let whole: i128 = weights.iter().sum();
    let share = |i: &usize| i128::from(amount.0) * weights[*i];
    let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
    let mut parts: Vec<i64> = by_remainder
        .iter()
        .map(|i| (share(i) / whole) as i64)
        .collect();
    by_remainder.sort_by_key(|i| (-(share(i) % whole), *i));
    let missing = amount.0 - parts.iter().sum::<i64>();
    for i in by_remainder.into_iter().take(missing as usize) {
        parts[i] += 1;
    }
    parts.into_iter().map(Cents).collect()
}
