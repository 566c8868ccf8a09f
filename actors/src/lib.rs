#![doc = include_str!("../README.md")]

pub mod anomalies;
pub mod clock;
mod draw;
pub mod draws;
pub mod engine;
pub mod mailer;
mod membership;
pub mod neighbours;
mod notices;
pub mod payment;
pub mod payments;
pub mod reconciler;
mod rhythm;
mod silences;
mod supervisor;
pub mod tally;
#[cfg(feature = "testing")]
pub mod testing;
mod thread;

pub use anomalies::{Anomalies, AnomalyCounts, Unresolved};
pub use clock::{Clock, SystemClock};
pub use draws::{Committed, Denied, Draws};
pub use engine::{Engine, EngineParts, Placement};
pub use mailer::{Outbox, Post};
pub use neighbours::{Answered, Errand, Neighbourhood, Neighbours, Unreachable};
pub use payment::connect::{AccountStatus, Connect};
pub use payment::gateway::{Gateway, GatewayError, NewIntent, Opened, UNEXPECTED_STATE};
pub use payment::strangers::Returned;
pub use payment::stripe::{Stripe, StripeSettings};
pub use payments::{
    Cancelled, Confirmed, FulfilStatus, Fulfilled, OpenOrder, PaymentFailure, Payments,
};
pub use reconciler::{Reconciler, Scanned};
pub use tally::{Tally, Timings};
