//! The shared state of all handlers: database access, handles of the actors, and in-memory caches.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::payments::connect_gateway::ConnectGateway;
use actors::{Anomalies, Clock, Draws, Outbox, Payments, Reconciler};
use domain::Timestamp;
use persistence::Failure;
use persistence::records::Records;
use tokio::sync::watch;

use crate::config::Config;
use crate::ops::client_reports::ClientReports;
use crate::ops::lifecycle::Phase;
use crate::ops::metrics::Metrics;
use crate::ops::peer_credentials::PeerCredentials;
use crate::render::page_cache::PageCache;
use crate::render::renderer::PictureRenderer;
use crate::render::security_policy::SecurityHeaders;
use crate::render::share_card_cache::ShareCardCache;
use crate::services::account_status::ConnectedAccounts;
use crate::services::catalogue::Catalogue;
use crate::services::identity::{BrowserCookies, browser};
use crate::services::integrity::IntegrityCache;
use crate::services::limits::Limits;
use crate::services::live_hub::LiveHub;
use crate::services::offer::Offers;
use crate::services::open_orders::OpenOrders;
use crate::services::wallet_domains::WalletDomains;

/// The shared state of all handlers.
pub struct State {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    /// The lifecycle phase of the server: starting, ready, draining or stopping.
    pub phase: watch::Receiver<Phase>,
    pub records: Records,
    pub outbox: Outbox,
    pub draws: Draws,
    pub payments: Payments,
    /// Client for creating the clubs' Stripe accounts and reading their status.
    pub connect: Arc<dyn ConnectGateway>,
    /// The registrations of this site's domain, for wallet buttons.
    pub wallet_domains: WalletDomains,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub catalogue: Arc<Catalogue>,
    pub limits: Limits,
    pub open_orders: OpenOrders,
    pub live: LiveHub,
    pub integrity: IntegrityCache,
    pub metrics: Metrics,
    pub started_at: Timestamp,
    pub cards: ShareCardCache,
    pub pages: PageCache,
    pub policies: SecurityHeaders,
    pub browser_cookies: BrowserCookies,
    pub renderer: PictureRenderer,
    pub client_reports: ClientReports,
    /// Credentials for requests between nodes. `None` for a single process, which accepts no
    /// requests of other nodes.
    pub peer_credentials: Option<PeerCredentials>,
}

/// The parts that a [`State`] is built from.
pub struct StateParts {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub phase: watch::Receiver<Phase>,
    pub records: Records,
    pub outbox: Outbox,
    pub draws: Draws,
    pub payments: Payments,
    pub connect: Arc<dyn ConnectGateway>,
    pub reconciler: Reconciler,
    pub anomalies: Anomalies,
    pub peer_credentials: Option<PeerCredentials>,
}

impl State {
    /// Builds the state and reads the catalogue. It starts no background task; these are started by
    /// `http::housekeeping::start_background_tasks`.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn open(parts: StateParts) -> Result<State, Failure> {
        let started_at = parts.clock.now();
        let catalogue = Catalogue::load(parts.records.clone(), parts.draws.clone()).await?;
        Ok(State {
            limits: Limits::new(parts.config.stage),
            policies: SecurityHeaders::new(&parts.config),
            browser_cookies: BrowserCookies::new(
                &parts
                    .records
                    .derive_key(browser::BROWSER_COOKIE_KEY_PURPOSE),
                &parts.config,
            ),
            renderer: PictureRenderer::new(parts.config.picture_program.clone()),
            config: parts.config,
            clock: parts.clock,
            phase: parts.phase,
            records: parts.records,
            outbox: parts.outbox,
            draws: parts.draws,
            payments: parts.payments,
            connect: parts.connect,
            wallet_domains: WalletDomains::default(),
            reconciler: parts.reconciler,
            anomalies: parts.anomalies,
            catalogue: Arc::new(catalogue),
            open_orders: OpenOrders::default(),
            live: LiveHub::default(),
            integrity: IntegrityCache::default(),
            metrics: Metrics::default(),
            started_at,
            cards: ShareCardCache::default(),
            pages: PageCache::default(),
            client_reports: ClientReports::default(),
            peer_credentials: parts.peer_credentials,
        })
    }

    /// Returns a reader of the public offers and their current sale status.
    pub fn offers(&self) -> Offers<'_> {
        Offers {
            records: &self.records,
            catalogue: &self.catalogue,
            surcharge: self.config.fees.surcharge,
            now: self.clock.now(),
        }
    }

    /// Returns the service that reads clubs' Stripe accounts and stores their status.
    pub fn connected_accounts(&self) -> ConnectedAccounts<'_> {
        ConnectedAccounts {
            connect: &*self.connect,
            records: &self.records,
            catalogue: &self.catalogue,
            outbox: &self.outbox,
        }
    }

    /// Returns the violated invariants with the number of violating rows. A cached result is at
    /// most `seconds` old.
    ///
    /// # Errors
    /// The database could not be read.
    pub async fn recent_invariant_violations(
        &self,
        seconds: i64,
    ) -> Result<BTreeMap<String, u64>, Failure> {
        self.integrity
            .violations_not_older_than(&self.records, self.clock.now(), seconds)
            .await
    }
}
