//! Serves the sandbox on a port of its own, because Stripe is also a separate server. It still
//! answers payment calls after the product's server has stopped.

use std::sync::Arc;

use actix_web::HttpServer;
use actix_web::dev::ServerHandle;
use anyhow::Context;

use crate::Sandbox;

/// A running HTTP server for the sandbox.
pub struct SandboxServer {
    /// Base URL of the sandbox for a Stripe client.
    pub url: String,
    server: ServerHandle,
}

impl SandboxServer {
    /// Serves the sandbox on a free port of this machine.
    ///
    /// # Errors
    ///
    /// No port is free.
    pub fn serve(sandbox: Arc<Sandbox>) -> anyhow::Result<SandboxServer> {
        let server = HttpServer::new(move || {
            let sandbox = sandbox.clone();
            actix_web::App::new().configure(|cfg| crate::configure(cfg, sandbox))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))?;
        let address = server.addrs().first().copied().context("an address")?;
        let server = server.run();
        let stand_in = SandboxServer {
            url: format!("http://{address}/sandbox/stripe"),
            server: server.handle(),
        };
        tokio::spawn(server);
        Ok(stand_in)
    }

    /// Stops the server without waiting for requests in progress.
    pub async fn stop(self) {
        self.server.stop(false).await;
    }
}
