//! One payment's worth of lines: one club, one or more draws, all or nothing (decision C-10).

use crate::{
    AccountId, Cents, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    SurchargeMode, fee,
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
    ///
    /// Whatever takes or moves money wants an intent that agrees in everything. An amount may differ while nothing can be
    /// taken yet, because a resized order and its intent are updated one after the other; another order's intent never
    /// moves this one.
    pub fn decide(&self, said: &PaymentIntent) -> Next {
        let next = self.next(said.status);
        let agrees = match next {
            Next::Done => true,
            Next::Wait | Next::Cancel | Next::Release | Next::Void => self.is_paid_by(said),
            Next::Allocate | Next::Capture | Next::Record | Next::Repair | Next::Mismatch => {
                self.agrees_with(said)
            }
        };
        if agrees { next } else { Next::Mismatch }
    }

    fn next(&self, said: PaymentStatus) -> Next {
        use PaymentStatus::{Canceled, RequiresCapture, Succeeded};
        match (self.state, said) {
            (OrderState::Quoted, RequiresCapture) => Next::Allocate,
            (OrderState::Quoted, Canceled) => Next::Release,
            (OrderState::Quoted, Succeeded) => Next::Repair,
            (OrderState::Quoted, _) => Next::Wait,
            (OrderState::Allocated, RequiresCapture) => Next::Capture,
            (OrderState::Allocated, Succeeded) => Next::Record,
            (OrderState::Allocated, Canceled) => Next::Void,
            (OrderState::Allocated, _) => Next::Wait,
            (OrderState::Rejecting, Canceled) => Next::Release,
            (OrderState::Released, Canceled) => Next::Done,
            (OrderState::Rejecting | OrderState::Released, Succeeded) => Next::Repair,
            (OrderState::Rejecting | OrderState::Released, _) => Next::Cancel,
            // Refunded before its capture: the buyer's money must not stay blocked for a week.
            (OrderState::Void, RequiresCapture) => Next::Cancel,
            (OrderState::Captured | OrderState::Void | OrderState::Anomaly, _) => Next::Done,
        }
    }

    /// The intent is this order's own: account, order and, once known, the intent's id.
    fn is_paid_by(&self, said: &PaymentIntent) -> bool {
        said.account == self.account
            && said.order == Some(self.id)
            && self.payment_intent.as_ref().is_none_or(|id| *id == said.id)
    }

    /// Amount, currency, account and order of the intent are ours.
    pub fn agrees_with(&self, said: &PaymentIntent) -> bool {
        self.is_paid_by(said) && said.amount == self.total() && said.currency == "aud"
    }
}

/// Prices an order's lines, ascending by draw. The card fee is per line as specified, or once per charge and then split
/// over the lines that pass it on by largest remainder (decision D-6).
pub fn price(wanted: &[Wanted], mode: SurchargeMode) -> Vec<Line> {
    let mut wanted = wanted.to_vec();
    wanted.sort_by_key(|wanted| wanted.draw);
    let subtotal = |wanted: &Wanted| wanted.unit_price * wanted.count.into();
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
            |Wanted {
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

/// Splits an amount in proportion to weights so that the parts sum to it exactly: largest remainder, ties to the earlier.
/// Amount and weights are not negative; when nothing weighs anything, everything weighs the same. No weights, no parts.
pub fn split(amount: Cents, weights: &[Cents]) -> Vec<Cents> {
    let weighs_nothing = weights.iter().all(|weight| *weight == Cents::ZERO);
    let weights: Vec<i128> = weights
        .iter()
        .map(|weight| if weighs_nothing { 1 } else { weight.0.into() })
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
