#![doc = include_str!("../README.md")]

pub mod access;
pub mod allocation;
pub mod anomaly;
pub mod cell;
pub mod club;
pub mod deal;
pub mod dispute;
pub mod draw;
pub mod end_reason;
pub mod fee;
pub mod id;
pub mod money;
pub mod order;
pub mod payment;
pub mod prize;
pub mod provider_error;
pub mod reconciliation;
pub mod refund;
pub mod reservation;
pub mod result;
pub mod ticket;
pub mod time;

pub use allocation::{Allocation, FeeLedgerStep};
pub use anomaly::{Anomaly, AnomalyKind, DrawPause, PauseCause};
pub use cell::Cell;
pub use deal::{Deal, Seed};
pub use dispute::DisputeStatus;
pub use draw::{
    Draw, Status, TICKET_PRICE_MAX, Terms, TermsEdit,
    command::{AllocationAuthority, Command, TermsEditor},
    event::Event,
    hold_limit::{HoldLimiter, ReservationSource, ReservationSourceId},
    refusal::Refusal,
    view::View,
};
pub use end_reason::{AbandonReason, OrderEndCause, OrderEndReason};
pub use fee::{FeePolicy, SurchargeMode};
pub use id::{AccountId, ApplicationId, ClubId, DrawId, OrderId, PaymentIntentId};
pub use money::Cents;
pub use order::{
    Line, Order, OrderState,
    transition::{OrderTransition, RefusedTransition, TransitionDecision},
};
pub use payment::{Decline, ForeignPaymentKind, PaymentIntent, PaymentOrigin, PaymentStatus};
pub use refund::{PendingCause, ProviderRefund, RefundFailure, RefundStatus};
pub use reservation::Reservation;
pub use result::GameResult;
pub use ticket::Serial;
pub use time::Timestamp;

/// Number of tickets of a draw: one for each cell of the 13 × 13 grid (A:8).
pub const TICKETS: u16 = 169;
/// Largest number of tickets that one order may have in one draw (A:81, decision C-13).
pub const TICKETS_PER_ORDER_MAX: u16 = 50;
