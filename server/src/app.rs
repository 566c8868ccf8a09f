//! The wiring: parts in, a running server out. The demo, `serve` and the tests all start here.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Extensions, ServerHandle};
use actix_web::middleware::from_fn;
use actix_web::{HttpServer, web};
use actors::payment::stripe::{Stripe, StripeSettings};
use actors::{Clock, Engine, EngineParts, Neighbourhood};
use anyhow::Context;
use persistence::nodes::{Boot, Node};
use persistence::records::Records;
use persistence::{Books, Postgres};

use crate::config::{Config, Stage};
use crate::front::Front;
use crate::nodes::OverHttp;
use crate::nodes::pass::Pass;
use crate::post::smtp::Smtp;
use crate::post::{Delivery, Postman};
use crate::sandbox::{self, Sandbox};
use crate::site::Site;
use crate::state::{State, StateParts};
use crate::{edge, metrics, nodes, routes};

pub mod life;
mod stand_in;
pub use life::{Life, Phase};
pub use stand_in::StandIn;

/// How long requests in flight may take to finish once the server is told to stop.
pub const DRAIN_SECONDS_MAX: u64 = 20;
/// How long we say that we are not ready before we stop listening: load balancers look every second or two.
const NOTICE: Duration = Duration::from_secs(3);
/// A peer that does not acknowledge for this long is gone, even if its socket says otherwise (a stalled phone).
const PEER_SILENCE_MAX: Duration = Duration::from_secs(20);
/// Open sockets and files we ask the system for: a clubhouse of boards and phones (stack.md section 5).
const FILES_WANTED: u64 = 65_536;

/// What a server is made of.
pub struct Parts {
    /// `public_url` may be empty: then browsers reach us at the address we listen on.
    pub config: Config,
    /// Migrated.
    pub postgres: Postgres,
    pub clock: Arc<dyn Clock>,
    pub site: Arc<Site>,
    pub provider: Provider,
}

/// Who takes the money, and the mail.
pub enum Provider {
    /// Stripe, as the configuration says; mails leave by SMTP.
    Real,
    /// Our own stand-in, served by this very server, with its mailbox.
    Sandbox(Arc<Sandbox>),
    /// The same, but mails stay in the outbox for the next server: the dates they tell are still to be moved.
    Rehearsal(Arc<Sandbox>),
}

impl Provider {
    fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        match self {
            Provider::Real => None,
            Provider::Sandbox(sandbox) | Provider::Rehearsal(sandbox) => Some(sandbox),
        }
    }
}

/// A started server.
pub struct Running {
    pub address: SocketAddr,
    pub state: web::Data<State>,
    pub engine: Engine,
    life: Arc<Life>,
    server: ServerHandle,
    finished: tokio::task::JoinHandle<std::io::Result<()>>,
    housekeeping: Vec<tokio::task::JoinHandle<()>>,
    stand_in: Option<StandIn>,
    metrics: Option<ServerHandle>,
    /// Where other nodes ask us.
    door: Option<ServerHandle>,
}

/// Binds, wires and starts. The answer comes when the server accepts connections. Must be called inside an actix System.
///
/// # Errors
/// The port is taken, the books cannot be read, or the configuration names something that cannot be used.
pub async fn start(parts: Parts) -> anyhow::Result<Running> {
    raise_file_limit();
    let Parts {
        mut config,
        postgres,
        clock,
        site,
        provider,
    } = parts;
    let listener = listen(config.listen)?;
    let address = listener.local_addr()?;
    let scraped = config.metrics.map(listen).transpose()?;
    if config.public_url.is_empty() {
        config.public_url = format!("http://localhost:{}", address.port());
    }
    let life = Arc::new(Life::default());
    let records = Records::new(postgres.clone());
    let books: Arc<dyn Books> = Arc::new(postgres.clone());
    let stand_in = provider
        .sandbox()
        .map(|sandbox| StandIn::serve(sandbox.clone()))
        .transpose()?;
    let gateway = gateway(&config, &provider, stand_in.as_ref())?;
    let door = config.node.map(listen).transpose()?;
    let (neighbourhood, pass) = neighbourhood(door.as_ref(), &postgres, &clock)?;
    if let Some(sandbox) = provider.sandbox() {
        // Notices go round inside the machine, whatever browsers call us.
        let secret = config
            .stripe
            .webhook_secrets
            .first()
            .context("a secret that signs notices")?;
        sandbox.set_webhook(
            &format!("http://127.0.0.1:{}/api/stripe/webhook", address.port()),
            secret.expose(),
        );
    }
    let delivery = delivery(&config, &provider, &life)?;
    let postman = Arc::new(Postman::new(
        config.clone(),
        records.clone(),
        delivery,
        clock.clone(),
    ));
    let engine = Engine::start(EngineParts {
        ledger: Arc::new(postgres.clone()),
        books,
        gateway: gateway.clone(),
        clock: clock.clone(),
        mail: postman.clone(),
        neighbourhood,
    })
    .await?;
    let state = web::Data::new(
        State::open(StateParts {
            config,
            clock,
            phase: life.watch(),
            records,
            outbox: engine.outbox.clone(),
            draws: engine.draws.clone(),
            reconciler: engine.reconciler.clone(),
            anomalies: engine.anomalies.clone(),
            payments: engine.payments.clone(),
            connect: gateway,
            pass,
        })
        .await?,
    );
    postman.meet(state.catalogue.clone());
    let (server, finished) = serve(
        listener,
        state.clone(),
        site.into(),
        provider.sandbox().cloned(),
    )?;
    let housekeeping = routes::run(state.clone());
    let door = door
        .map(|listener| nodes::serve(listener, state.clone()))
        .transpose()?;
    let metrics = scraped
        .map(|listener| metrics::serve(listener, state.clone()))
        .transpose()?;
    life.enter(Phase::Ready);
    Ok(Running {
        address,
        state,
        engine,
        life,
        server,
        finished,
        housekeeping,
        stand_in,
        metrics,
        door,
    })
}

/// Alone, or behind a door for other nodes.
fn neighbourhood(
    door: Option<&TcpListener>,
    postgres: &Postgres,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(Neighbourhood, Option<Pass>)> {
    let (boot, nodes) = (Boot::fresh(), Arc::new(postgres.clone()));
    let Some(door) = door else {
        return Ok((Neighbourhood::alone(boot, nodes), None));
    };
    let pass = Pass::new(postgres.sealer().clone(), boot);
    let neighbours = Arc::new(OverHttp::new(pass.clone(), clock.clone()));
    let me = Node {
        boot,
        address: door.local_addr()?.to_string(),
    };
    Ok((
        Neighbourhood {
            me,
            nodes,
            neighbours,
        },
        Some(pass),
    ))
}

/// Takes the port, or says who must let go of it.
///
/// # Errors
/// One line with the port and what to do.
pub fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| {
        format!("cannot listen on {address}: stop whatever does, or set PORT to another port (0 takes a free one)")
    })
}

type Served = (ServerHandle, tokio::task::JoinHandle<std::io::Result<()>>);

fn serve(
    listener: TcpListener,
    state: web::Data<State>,
    site: web::Data<Site>,
    sandbox: Option<Arc<Sandbox>>,
) -> anyhow::Result<Served> {
    let server = HttpServer::new(move || {
        let (state, sandbox) = (state.clone(), sandbox.clone());
        let front = state.clone();
        let app = actix_web::App::new()
            .wrap(from_fn(edge::wrap))
            .app_data(site.clone())
            .configure(|cfg| {
                if let Some(sandbox) = sandbox {
                    sandbox::configure(cfg, sandbox);
                }
                routes::configure(cfg, state);
            })
            .default_service(routes::pages());
        Front::before(app, front)
    })
    .on_connect(tune_socket)
    .shutdown_timeout(DRAIN_SECONDS_MAX)
    .disable_signals()
    .listen(listener)?
    .run();
    let handle = server.handle();
    Ok((handle, tokio::spawn(server)))
}

/// The demo asks its own sandbox, over a line of this machine's if one is named: `loadtest proxy` listens there.
fn gateway(
    config: &Config,
    provider: &Provider,
    stand_in: Option<&StandIn>,
) -> anyhow::Result<Arc<Stripe>> {
    let named = &config.stripe.api_url;
    let url = match (provider, stand_in) {
        (Provider::Sandbox(_), Some(_)) if named.starts_with("http://127.0.0.1:") => named,
        (_, Some(stand_in)) => &stand_in.url,
        (_, None) => named,
    };
    let settings = StripeSettings::new(config.stripe.secret_key.expose(), url);
    let stripe = Stripe::new(&settings.paced(config.stripe.calls_per_second));
    Ok(Arc::new(stripe.map_err(anyhow::Error::msg)?))
}

fn delivery(config: &Config, provider: &Provider, life: &Life) -> anyhow::Result<Delivery> {
    match (provider, &config.mail.smtp_url) {
        (Provider::Rehearsal(_), _) => Ok(Delivery::Held(life.watch())),
        (Provider::Sandbox(sandbox), _) => Ok(Delivery::Mailbox(sandbox.clone())),
        (Provider::Real, Some(url)) => Ok(Delivery::Smtp(Smtp::new(url)?)),
        (Provider::Real, None) => anyhow::bail!("SMTP_URL is missing"),
    }
}

impl Running {
    /// Where this machine reaches the server, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.address.port())
    }

    /// Ordered shutdown: not ready, no new payment intents, what is in flight finishes, sockets are told to come back
    /// elsewhere, and the engine ends what it began.
    ///
    /// # Errors
    /// The server had failed before.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.life.enter(Phase::Draining);
        if self.state.config.stage == Stage::Production {
            tokio::time::sleep(NOTICE).await;
        }
        // Whoever still comes here is served by their next owner, and nobody has to wait for a lease to end.
        self.engine.hand_over().await;
        self.life.enter(Phase::Closing);
        self.server.stop(true).await;
        self.finished.await??;
        self.engine.stop().await;
        if let Some(metrics) = self.metrics {
            metrics.stop(false).await;
        }
        if let Some(door) = self.door {
            door.stop(false).await;
        }
        self.housekeeping
            .iter()
            .for_each(tokio::task::JoinHandle::abort);
        if let Some(stand_in) = self.stand_in {
            stand_in.stop().await;
        }
        Ok(())
    }
}

/// Returns when the process is asked to end: SIGTERM, or Ctrl-C.
///
/// # Errors
/// The system offers no signals.
pub async fn told_to_stop() -> std::io::Result<()> {
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

/// Small answers leave at once, and a peer that went silent is noticed (its session actor would never run again).
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

/// A socket is a file to the system, and its first limit is often 1,024.
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(now, most)| {
        setrlimit(
            Resource::RLIMIT_NOFILE,
            now.max(FILES_WANTED.min(most)),
            most,
        )
    });
    if let Err(errno) = raised {
        tracing::warn!(%errno, "the limit of open files stays as it was");
    }
}
