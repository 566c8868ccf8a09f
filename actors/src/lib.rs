#![doc = include_str!("../README.md")]

mod actor_thread;
pub mod anomalies;
pub mod clock;
mod command_outcome;
mod draw;
pub mod draws;
pub mod engine;
pub mod mailer;
mod membership;
pub mod metrics;
pub mod payments;
pub mod peers;
mod poll_backoff;
pub mod reconciler;
mod supervisor;
#[cfg(feature = "testing")]
pub mod testing;
mod unresponsive_owners;
mod webhook_events;

pub use anomalies::{Anomalies, AnomalyCounts};
pub use clock::{Clock, SystemClock};
pub use command_outcome::{CommandOutcome, Denied};
pub use draws::Draws;
pub use engine::{Engine, EngineDependencies, ThreadPlacement};
pub use mailer::{MailTransport, Outbox};
pub use metrics::{DurationHistogram, EngineMetrics};
pub use payments::connect_gateway::{AccountStatus, ConnectGateway, WalletDomainStatus};
pub use payments::gateway::{Gateway, GatewayError, NewIntent, OpenedIntent, PaymentSource};
pub use payments::repairs::{ChosenTickets, PaymentTickets, RepairError, ReturnedAmounts};
pub use payments::stripe::{AccountsApi, Stripe, StripeRateLimits, StripeSettings};
pub use payments::{
    CancelledDraw, ConfirmationOutcome, FulfilStatus, FulfilmentResult, OpenOrderRequest,
    PaymentFailure, Payments,
};
pub use peers::{DrawRequest, PeerAnswer, PeerClient, PeerError, Peers};
pub use reconciler::{Reconciler, ScanReport};
