//! The sandbox on an address of its own, as the real provider has one: it answers the engine until the very end, when the
//! product's own server has stopped already.

use std::sync::Arc;

use actix_web::HttpServer;
use actix_web::dev::ServerHandle;
use anyhow::Context;

use crate::sandbox::{self, Sandbox};

/// A served sandbox.
pub struct StandIn {
    /// What a client of the provider is pointed at.
    pub url: String,
    server: ServerHandle,
}

impl StandIn {
    /// Serves the sandbox on a free port of this machine.
    ///
    /// # Errors
    /// No port is free.
    pub fn serve(sandbox: Arc<Sandbox>) -> anyhow::Result<StandIn> {
        let server = HttpServer::new(move || {
            let sandbox = sandbox.clone();
            actix_web::App::new().configure(|cfg| sandbox::configure(cfg, sandbox))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))?;
        let address = server.addrs().first().copied().context("an address")?;
        let server = server.run();
        let stand_in = StandIn {
            url: format!("http://{address}/sandbox/stripe"),
            server: server.handle(),
        };
        tokio::spawn(server);
        Ok(stand_in)
    }

    pub async fn stop(self) {
        self.server.stop(false).await;
    }
}
