//! One payment's worth of lines: one club, one or more draws, all or nothing (decision C-10).

use crate::{
    AccountId, Cents, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus, SurchargeMode, fee,
};

/// `Quoted → Allocated → Captured`, with the side exits `Rejecting → Released`, `Allocated → Void`, `Captured → Void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderState {
    /// Priced and reserved; the buyer has not authorised the payment as far as we know.
    Quoted,
    /// Every line has its tickets and the capture is due.
    Allocated,
    /// The money is taken and the tickets are the buyer's.
    Captured,
    /// Refused after the buyer may have authorised: tickets are given back and the authorisation is being cancelled.
    Rejecting,
    /// Nothing was charged, nothing is held.
    Released,
    /// It had tickets once: the capture failed or the money went back.
    Void,
    /// We and the provider disagree in a way only a person can settle.
    Anomaly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub draw: DrawId,
    pub count: u16,
    pub unit_price: Cents,
    /// The part of the card fee passed on to the buyer with this line.
    pub card_fee: Cents,
}

impl Line {
    pub fn subtotal(&self) -> Cents {
        self.unit_price * self.count.into()
    }
}

/// What one asks a price for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub draw: DrawId,
    pub count: u16,
    pub unit_price: Cents,
    pub passes_card_fee: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    pub state: OrderState,
    /// Ascending by draw, one line a draw.
    pub lines: Vec<Line>,
    pub payment_intent: Option<PaymentIntentId>,
    /// The sum of its lines' fee steps, once allocated.
    pub application_fee: Cents,
}

/// What to do with an order, now that the provider has spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Not authorised yet: wait for the next door.
    Wait,
    /// Authorised: give it its tickets, then capture.
    Allocate,
    /// It has its tickets: take the money.
    Capture,
    /// The money is taken: write it down.
    Record,
    /// The authorisation is still open but the order is refused: cancel it.
    Cancel,
    /// The provider cancelled: give back what is held.
    Release,
    /// It had tickets and the authorisation is gone: take them back.
    Void,
    /// Money was taken for an order without tickets: allocate if it may still be, else refund (rule 1's repair).
    Repair,
    /// Amount, currency, account or order differ.
    Mismatch,
    /// Nothing to do, ever again.
    Done,
}

impl Order {
    pub fn subtotal(&self) -> Cents {
        self.lines.iter().map(Line::subtotal).sum()
    }

    pub fn card_fee(&self) -> Cents {
        self.lines.iter().map(|line| line.card_fee).sum()
    }

    /// What the buyer pays.
    pub fn total(&self) -> Cents {
        self.subtotal() + self.card_fee()
    }

    pub fn tickets(&self) -> u16 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// What to do next. The provider's word decides, never the client's (decision C-4).
    pub fn decide(&self, said: &PaymentIntent) -> Next {
        if !self.agrees_with(said) {
            return Next::Mismatch;
        }
        match (self.state, said.status) {
            (OrderState::Captured | OrderState::Void | OrderState::Anomaly, _) => Next::Done,
            (OrderState::Quoted, PaymentStatus::RequiresCapture) => Next::Allocate,
            (OrderState::Quoted, PaymentStatus::Canceled) => Next::Release,
            (OrderState::Quoted, PaymentStatus::Succeeded) => Next::Repair,
            (OrderState::Quoted, _) => Next::Wait,
            (OrderState::Allocated, PaymentStatus::RequiresCapture) => Next::Capture,
            (OrderState::Allocated, PaymentStatus::Succeeded) => Next::Record,
            (OrderState::Allocated, PaymentStatus::Canceled) => Next::Void,
            (OrderState::Allocated, _) => Next::Wait,
            (OrderState::Rejecting, PaymentStatus::Canceled) => Next::Release,
            (OrderState::Rejecting | OrderState::Released, PaymentStatus::Succeeded) => Next::Repair,
            (OrderState::Rejecting, _) => Next::Cancel,
            (OrderState::Released, PaymentStatus::Canceled) => Next::Done,
            (OrderState::Released, _) => Next::Cancel,
        }
    }

    /// Amount, currency, account and order of the intent are ours.
    pub fn agrees_with(&self, said: &PaymentIntent) -> bool {
        said.amount == self.total()
            && said.currency == "aud"
            && said.account == self.account
            && said.order == Some(self.id)
            && self.payment_intent.as_ref().is_none_or(|id| *id == said.id)
    }
}

/// Prices an order's lines, ascending by draw. The card fee is per line as specified, or once per charge and then split
/// over the lines that pass it on by largest remainder (decision D-6).
pub fn price(wanted: &[Wanted], mode: SurchargeMode) -> Vec<Line> {
    let mut lines: Vec<Line> = wanted
        .iter()
        .map(|w| {
            let line = Line { draw: w.draw, count: w.count, unit_price: w.unit_price, card_fee: Cents::ZERO };
            let card_fee = if w.passes_card_fee { fee::card_fee(line.subtotal()) } else { Cents::ZERO };
            Line { card_fee, ..line }
        })
        .collect();
    if mode == SurchargeMode::PerCharge {
        let passing: Vec<usize> = (0..wanted.len()).filter(|i| wanted[*i].passes_card_fee).collect();
        let subtotal: Cents = passing.iter().map(|i| lines[*i].subtotal()).sum();
        if !passing.is_empty() {
            let weights: Vec<Cents> = passing.iter().map(|i| lines[*i].subtotal()).collect();
            let parts = split(fee::card_fee(subtotal), &weights);
            for (i, part) in passing.into_iter().zip(parts) {
                lines[i].card_fee = part;
            }
        }
    }
    lines.sort_by_key(|line| line.draw);
    lines
}

/// Splits an amount in proportion to weights so that the parts sum to it exactly: largest remainder, ties to the earlier.
pub fn split(amount: Cents, weights: &[Cents]) -> Vec<Cents> {
    let whole: i64 = weights.iter().map(|weight| weight.0).sum();
    let mut parts: Vec<i64> = weights.iter().map(|weight| amount.0 * weight.0 / whole).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|i| (-(amount.0 * weights[*i].0 % whole), *i));
    let missing = amount.0 - parts.iter().sum::<i64>();
    for i in order.into_iter().take(missing as usize) {
        parts[i] += 1;
    }
    parts.into_iter().map(Cents).collect()
}
