//! An order: the lines of one payment. It has one club and one or more draws, and is fulfilled
//! whole or not at all (decision C-10).

use std::fmt;

use crate::{
    AccountId, Cents, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    SurchargeMode, fee,
};

pub mod transition;

/// The state of an order: `Quoted → Allocated → Captured`. Other ends are `Rejecting → Released`,
/// `Allocated → Void` and `Captured → Void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// Priced and reserved. The payment is not authorised, as far as the system knows.
    Quoted,
    /// Every line has its tickets, and the capture is due.
    Allocated,
    /// The payment is captured and the buyer has the tickets.
    Captured,
    /// Rejected, possibly after the authorisation. The tickets are being returned and the
    /// authorisation cancelled.
    Rejecting,
    /// Ended without a charge and without tickets.
    Released,
    /// Ended after it had tickets: the capture failed or the payment was refunded.
    Void,
    /// The order and the payment disagree in a way that only a person can resolve.
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

    /// Returns the name by which the state is stored and shown in errors.
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

    /// Returns the state of this name, if there is one.
    pub fn from_name(name: &str) -> Option<OrderState> {
        OrderState::ALL
            .into_iter()
            .find(|state| state.name() == name)
    }

    /// Whether the buyer may see the number pairs of the order's tickets (decision M-2). Before the
    /// capture the authorisation may still lapse, and then the same tickets are sold to another
    /// buyer.
    pub fn shows_pairs(self) -> bool {
        self == OrderState::Captured
    }
}

impl fmt::Display for OrderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The tickets of one draw in an order.
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

/// The tickets of one draw that are to be priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRequest {
    pub draw: DrawId,
    pub count: u16,
    pub unit_price: Cents,
    pub passes_card_fee: bool,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    pub state: OrderState,
    /// Ascending by draw, one line per draw.
    pub lines: Vec<Line>,
    pub payment_intent: Option<PaymentIntentId>,
    /// The sum of the lines' fee steps, once the order is allocated.
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
    /// The payment is captured: store that.
    Record,
    /// The order is rejected and the payment intent is still open: cancel the intent.
    Cancel,
    /// The payment intent is canceled: return the reservation.
    Release,
    /// The order has tickets and its authorisation is gone: take the tickets back.
    Void,
    /// The payment was captured for an order without tickets: allocate if that is still allowed,
    /// otherwise refund (rule 1 of the decisions).
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

    /// Returns the amount that the buyer pays.
    pub fn total(&self) -> Cents {
        self.subtotal() + self.card_fee()
    }

    pub fn tickets(&self) -> u16 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// Returns the next step. The provider's payment intent decides, never the client (decision
    /// C-4).
    ///
    /// Steps that move money need an intent that agrees in everything. Otherwise the amount may
    /// differ, because a resized order and its intent are updated one after the other. The intent
    /// of another order never moves this one.
    pub fn decide(&self, intent: &PaymentIntent) -> NextStep {
        let next = self.next(intent.status);
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

    fn next(&self, status: PaymentStatus) -> NextStep {
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
            // Refunded before its capture: the buyer's money must not stay blocked for a week.
            (OrderState::Void, RequiresCapture) => NextStep::Cancel,
            (OrderState::Captured | OrderState::Void | OrderState::Anomaly, _) => NextStep::Done,
        }
    }

    /// Whether the intent belongs to this order: by account, order and, once known, the intent's
    /// id. An intent without an order belongs to the order that an operator opened for it (decision
    /// M-9).
    fn is_paid_by(&self, intent: &PaymentIntent) -> bool {
        let order = intent
            .order
            .unwrap_or_else(|| OrderId::of_payment(&intent.id));
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

/// Prices the lines of an order, ascending by draw. The card fee is charged per line as specified,
/// or once per charge. In the latter case it is split over the lines that pass it on, by largest
/// remainder (decision D-6).
pub fn price(wanted: &[LineRequest], mode: SurchargeMode) -> Vec<Line> {
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
        SurchargeMode::PerCharge => split(fee::card_fee(passing.iter().copied().sum()), &passing),
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

/// Splits an amount in proportion to weights. The parts sum to the amount exactly: the rest goes to
/// the largest remainders, ties to the earlier part. Amount and weights must not be negative. If
/// all weights are zero, the parts are equal. Without weights there are no parts.
pub fn split(amount: Cents, weights: &[Cents]) -> Vec<Cents> {
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
