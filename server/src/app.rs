//! The wiring: parts in, a running server out. The demo, `serve` and the tests all start here.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Extensions, ServerHandle};
use actix_web::{HttpServer, web};
use actors::clock::Clock;

use crate::config::Config;

pub mod life;
pub use life::{Life, Phase};

/// How long requests in flight may take to finish once the server is told to stop.
pub const DRAIN_SECONDS_MAX: u64 = 20;
/// A peer that does not acknowledge for this long is gone, even if its socket says otherwise (a stalled phone).
const PEER_SILENCE_MAX: Duration = Duration::from_secs(20);

/// What every request handler reaches through `web::Data<App>`.
pub struct App {
    /// The environment as read at the start; `public_url` is filled in.
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    /// Whether we are ready, draining or closing.
    pub life: Life,
}

/// What a server is made of.
pub struct Parts {
    pub config: Config,
    pub clock: Arc<dyn Clock>,
}

/// A started server.
pub struct Running {
    pub address: SocketAddr,
    pub app: web::Data<App>,
    server: ServerHandle,
    finished: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// Binds, wires and starts. The answer comes when the server accepts connections.
pub async fn start(parts: Parts) -> anyhow::Result<Running> {
    let listener = TcpListener::bind(parts.config.listen)?;
    let address = listener.local_addr()?;
    let mut config = parts.config;
    if config.public_url.is_empty() {
        config.public_url = format!("http://localhost:{}", address.port());
    }
    let app = web::Data::new(App { config, clock: parts.clock, life: Life::default() });
    let served = app.clone();
    let server = HttpServer::new(move || actix_web::App::new().app_data(served.clone()))
        .on_connect(tune_socket)
        .shutdown_timeout(DRAIN_SECONDS_MAX)
        .disable_signals()
        .listen(listener)?
        .run();
    let handle = server.handle();
    let finished = tokio::spawn(server);
    app.life.enter(Phase::Ready);
    Ok(Running { address, app, server: handle, finished })
}

impl Running {
    /// The address a browser on this machine would type, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ordered shutdown: not ready, no new payment intents, sockets told to come back elsewhere, requests in flight finished.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.app.life.enter(Phase::Draining);
        self.app.life.enter(Phase::Closing);
        self.server.stop(true).await;
        self.finished.await??;
        Ok(())
    }
}

/// Small answers leave at once, and a peer that went silent is noticed (its session actor would never run again).
fn tune_socket(connection: &dyn std::any::Any, _: &mut Extensions) {
    let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
    let socket = socket2::SockRef::from(stream);
    if let Err(failure) = socket.set_tcp_nodelay(true).and(socket.set_tcp_user_timeout(Some(PEER_SILENCE_MAX))) {
        tracing::debug!(%failure, "socket options refused");
    }
}
