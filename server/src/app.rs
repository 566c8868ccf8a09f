//! Wires the parts of the application into a running server. The demo, `serve` and the tests all
//! start here.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Extensions, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::{HttpServer, web};
use actors::payments::stripe::{Stripe, StripeSettings};
use actors::{Clock, Engine, EngineDependencies, Peers};
use anyhow::Context;
use persistence::nodes::{InstanceId, Node};
use persistence::records::Records;
use persistence::{PaymentStores, Postgres};

use crate::config::{Config, Stage};
use crate::http::front::FastPathFactory;
use crate::http::nodes::HttpPeerClient;
use crate::http::{edge, housekeeping, metrics, nodes, routes};
use crate::ops::lifecycle::{Lifecycle, Phase};
use crate::ops::peer_credentials::PeerCredentials;
use crate::render::mail_sender::MailSender;
use crate::render::web_build::WebBuild;
use crate::state::{State, StateParts};

mod provider;
pub use provider::Provider;
use provider::RunningSandbox;

/// Time that requests in flight get to finish once the server is told to stop.
pub const DRAIN_SECONDS_MAX: u64 = 20;
/// Time between reporting "not ready" and closing the listener. Load balancers check every second
/// or two.
const NOT_READY_TIME_BEFORE_CLOSE: Duration = Duration::from_secs(3);
/// Time without a TCP acknowledgement after which the operating system closes a client's
/// connection, for example that of a stalled phone.
const PEER_SILENCE_MAX: Duration = Duration::from_secs(20);
/// Limit of open files that the server requests from the operating system. Each socket of a board
/// or phone is an open file.
const OPEN_FILES_LIMIT: u64 = 65_536;

/// What a server is built from: configuration, database, clock, web site and payment provider.
pub struct ServerParts {
    /// If `public_url` is empty, it becomes `http://localhost` with the port that the server
    /// listens on.
    pub config: Config,
    /// The database, already migrated.
    pub postgres: Postgres,
    pub clock: Arc<dyn Clock>,
    pub site: Arc<WebBuild>,
    pub provider: Provider,
}

/// Handle of a started server, with which it is stopped.
pub struct RunningServer {
    pub address: SocketAddr,
    pub state: web::Data<State>,
    pub engine: Engine,
    lifecycle: Arc<Lifecycle>,
    server: ServerHandle,
    finished: tokio::task::JoinHandle<std::io::Result<()>>,
    housekeeping: Vec<tokio::task::JoinHandle<()>>,
    sandbox: RunningSandbox,
    metrics: Option<ServerHandle>,
    /// The HTTP server for requests of other nodes; `None` for a single node.
    peer_endpoint: Option<ServerHandle>,
}

/// Builds a server from its parts, binds its ports and starts it. Returns once it accepts
/// connections. Must be called inside an actix `System`.
///
/// # Errors
///
/// The port is taken, the database cannot be read, or a configured item cannot be used.
pub async fn start(parts: ServerParts) -> anyhow::Result<RunningServer> {
    raise_file_limit();
    let ServerParts {
        mut config,
        postgres,
        clock,
        site,
        provider,
    } = parts;
    let listener = listen(config.listen, "PORT")?;
    let address = listener.local_addr()?;
    let metrics_listener = config
        .metrics
        .map(|address| listen(address, "METRICS_ADDR"))
        .transpose()?;
    if config.public_url.is_empty() {
        config.public_url = format!("http://localhost:{}", address.port());
    }
    let lifecycle = Arc::new(Lifecycle::default());
    let records = Records::new(postgres.clone());
    let payment_stores: Arc<dyn PaymentStores> = Arc::new(postgres.clone());
    let sandbox = provider.serve_sandbox()?;
    let gateway = create_stripe_client(&config, provider.stripe_url(&config, &sandbox))?;
    let peer_endpoint = config
        .node
        .map(|address| listen(address, "NODE_ADDRESS"))
        .transpose()?;
    let (peers, peer_credentials) = connect_peers(peer_endpoint.as_ref(), &postgres, &clock)?;
    provider.set_webhook(&config, address.port())?;
    let delivery = provider.mail_delivery(&config, &lifecycle)?;
    let mail_sender = Arc::new(MailSender::new(
        config.clone(),
        records.clone(),
        delivery,
        clock.clone(),
    ));
    let engine = Engine::start(EngineDependencies {
        ledger: Arc::new(postgres.clone()),
        store: payment_stores,
        gateway: gateway.clone(),
        clock: clock.clone(),
        mail: mail_sender.clone(),
        peers,
    })
    .await?;
    let state = web::Data::new(
        State::open(StateParts {
            config,
            clock,
            phase: lifecycle.watch(),
            records,
            outbox: engine.outbox.clone(),
            draws: engine.draws.clone(),
            reconciler: engine.reconciler.clone(),
            anomalies: engine.anomalies.clone(),
            payments: engine.payments.clone(),
            connect: gateway,
            peer_credentials,
        })
        .await?,
    );
    mail_sender.set_catalogue(state.catalogue.clone());
    let (server, finished) = serve(
        listener,
        state.clone(),
        site.into(),
        provider.sandbox_routes(),
    )?;
    let housekeeping = housekeeping::start_background_tasks(state.clone());
    let peer_endpoint = peer_endpoint
        .map(|listener| nodes::serve(listener, state.clone()))
        .transpose()?;
    let metrics = metrics_listener
        .map(|listener| metrics::serve(listener, state.clone()))
        .transpose()?;
    lifecycle.enter(Phase::Ready);
    Ok(RunningServer {
        address,
        state,
        engine,
        lifecycle,
        server,
        finished,
        housekeeping,
        sandbox,
        metrics,
        peer_endpoint,
    })
}

/// Builds the engine's access to other nodes: none for a single node, else HTTP through
/// `peer_endpoint`.
fn connect_peers(
    peer_endpoint: Option<&TcpListener>,
    postgres: &Postgres,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(Peers, Option<PeerCredentials>)> {
    let (boot, nodes) = (InstanceId::random(), Arc::new(postgres.clone()));
    let Some(peer_endpoint) = peer_endpoint else {
        return Ok((Peers::of_single_node(boot, nodes), None));
    };
    let credentials = PeerCredentials::new(postgres.sealer().clone(), boot);
    let client = Arc::new(HttpPeerClient::new(credentials.clone(), clock.clone()));
    let me = Node {
        boot,
        address: peer_endpoint.local_addr()?.to_string(),
    };
    Ok((Peers { me, nodes, client }, Some(credentials)))
}

/// Opens a TCP listener at the address.
///
/// # Errors
///
/// The port cannot be bound. The message has the address and what to do; `variable` is the name of
/// the environment variable that sets the port.
pub fn listen(address: SocketAddr, variable: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| {
        format!(
            "cannot listen on {address}: stop whatever does, or set {variable} to another port (0 takes a free one)"
        )
    })
}

type ServerTask = (ServerHandle, tokio::task::JoinHandle<std::io::Result<()>>);

fn serve(
    listener: TcpListener,
    state: web::Data<State>,
    site: web::Data<WebBuild>,
    provider_routes: impl Fn(&mut web::ServiceConfig) + Clone + Send + 'static,
) -> anyhow::Result<ServerTask> {
    let server = HttpServer::new(move || {
        let (state, provider_routes) = (state.clone(), provider_routes.clone());
        let front = state.clone();
        let app = actix_web::App::new()
            .wrap(from_fn(edge::edge_middleware))
            .app_data(site.clone())
            .configure(|cfg| {
                provider_routes(cfg);
                routes::configure(cfg, state);
            })
            .default_service(routes::pages_route());
        FastPathFactory::new(app, front)
    })
    .on_connect(tune_socket)
    .shutdown_timeout(DRAIN_SECONDS_MAX)
    .disable_signals()
    .listen(listener)?
    .run();
    let handle = server.handle();
    Ok((handle, tokio::spawn(server)))
}

/// Creates the Stripe client.
fn create_stripe_client(config: &Config, url: &str) -> anyhow::Result<Arc<Stripe>> {
    let settings = StripeSettings {
        accounts_api: config.stripe.accounts_api,
        ..StripeSettings::new(config.stripe.secret_key.expose(), url)
            .rate_limited(config.stripe.calls_per_second)
            .returning_to(format!("{}/thank-you", config.public_url))
    };
    let stripe = Stripe::new(&settings);
    Ok(Arc::new(stripe.map_err(anyhow::Error::msg)?))
}

impl RunningServer {
    /// The server's URL on this machine, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.address.port())
    }

    /// Shuts down in order:
    ///
    /// - report not ready, and refuse new payment intents;
    /// - finish requests in flight, and ask sockets to reconnect elsewhere;
    /// - let the engine finish its work.
    ///
    /// # Errors
    ///
    /// The server had already failed.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.lifecycle.enter(Phase::Draining);
        if self.state.config.stage == Stage::Production {
            tokio::time::sleep(NOT_READY_TIME_BEFORE_CLOSE).await;
        }
        // Release the draws first, so that the next owner serves them without waiting for the lease
        // to end.
        self.engine.hand_over_draws().await;
        self.lifecycle.enter(Phase::Closing);
        self.server.stop(true).await;
        self.finished.await??;
        self.engine.stop().await;
        if let Some(metrics) = self.metrics {
            metrics.stop(false).await;
        }
        if let Some(peer_endpoint) = self.peer_endpoint {
            peer_endpoint.stop(false).await;
        }
        self.housekeeping
            .iter()
            .for_each(tokio::task::JoinHandle::abort);
        self.sandbox.stop().await;
        Ok(())
    }
}

/// Returns when the process receives SIGTERM or Ctrl-C.
///
/// # Errors
///
/// The system offers no signals.
pub async fn wait_for_shutdown_signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// Sends small responses at once, and closes sockets of silent peers. Otherwise the WebSocket
/// session of a vanished client would stay open forever.
fn tune_socket(connection: &dyn std::any::Any, _: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() else {
        return;
    };
    let socket = socket2::SockRef::from(stream);
    if let Err(failure) = socket
        .set_tcp_nodelay(true)
        .and(socket.set_tcp_user_timeout(Some(PEER_SILENCE_MAX)))
    {
        tracing::debug!(%failure, "socket options refused");
    }
}

/// Raises the limit of open files. Each socket is an open file, and the system's default limit is
/// often 1,024.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(now, most)| {
        setrlimit(
            Resource::RLIMIT_NOFILE,
            now.max(OPEN_FILES_LIMIT.min(most)),
            most,
        )
    });
    if let Err(errno) = raised {
        tracing::warn!(%errno, "limit of open files not raised");
    }
}
