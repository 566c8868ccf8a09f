//! What a handler reaches: the books nobody owns, the handles of what lives, and what is prepared in memory.

use std::sync::Arc;

use actors::payment::connect::Connect;
use actors::{Anomalies, Clock, Draws, Outbox, Payments, Reconciler};
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;
use tokio::sync::watch;

use crate::app::Phase;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::edge::policy::Policies;
use crate::heard::Heard;
use crate::limits::Limits;
use crate::live::Hub;
use crate::metrics::Metrics;
use crate::nodes::pass::Pass;
use crate::open_orders::OpenOrders;
use crate::routes::machine::cards::Cards;
use crate::routes::machine::health::Integrity;
use crate::routes::machine::shell::kept::Kept;

pub struct State {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    /// Where the server is in its life.
    pub phase: watch::Receiver<Phase>,
    pub records: Records,
    pub outbox: Outbox,
    pub draws: Draws,
    pub payments: Payments,
    /// The clubs' accounts at the provider.
    pub connect: Arc<dyn Connect>,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub catalogue: Arc<Catalogue>,
    pub limits: Limits,
    pub open_orders: OpenOrders,
    pub live: Hub,
    pub integrity: Integrity,
    pub metrics: Metrics,
    pub started_at: Timestamp,
    pub cards: Cards,
    pub pages: Kept,
    pub policies: Policies,
    pub heard: Heard,
    /// What other nodes are known by; a process by itself lets none in.
    pub pass: Option<Pass>,
}

/// What the state is made of.
pub struct StateParts {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub phase: watch::Receiver<Phase>,
    pub records: Records,
    pub outbox: Outbox,
    pub draws: Draws,
    pub payments: Payments,
    pub connect: Arc<dyn Connect>,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub pass: Option<Pass>,
}

impl State {
    /// Reads the catalogue and gets ready. Nothing runs yet: see [`crate::routes::run`].
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn open(parts: StateParts) -> Result<State, Failure> {
        let started_at = parts.clock.now();
        let catalogue = Catalogue::open(parts.records.clone(), parts.draws.clone()).await?;
        Ok(State {
            limits: Limits::new(parts.config.stage),
            policies: Policies::new(&parts.config),
            config: parts.config,
            clock: parts.clock,
            phase: parts.phase,
            records: parts.records,
            outbox: parts.outbox,
            draws: parts.draws,
            payments: parts.payments,
            connect: parts.connect,
            reconciler: parts.reconciler,
            anomalies: parts.anomalies,
            catalogue: Arc::new(catalogue),
            open_orders: OpenOrders::default(),
            live: Hub::default(),
            integrity: Integrity::default(),
            metrics: Metrics::default(),
            started_at,
            cards: Cards::default(),
            pages: Kept::default(),
            heard: Heard::default(),
            pass: parts.pass,
        })
    }
}
