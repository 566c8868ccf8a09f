//! How an audit reaches the provider: Stripe, a running demo's sandbox, or a sleeping demo's sandbox woken for a moment.

use std::sync::Arc;

use actix_web::HttpServer;
use actix_web::dev::ServerHandle;
use actors::Gateway;
use actors::payment::stripe::{Stripe, StripeSettings};
use anyhow::Context;

use crate::config::{Config, Stage};
use crate::database::Sign;
use crate::sandbox::{self, Options, Sandbox};

/// A reachable provider.
pub struct Reached {
    pub gateway: Arc<dyn Gateway>,
    woken: Option<ServerHandle>,
}

impl Reached {
    /// Lets a woken sandbox sleep again.
    pub async fn leave(self) {
        if let Some(server) = self.woken {
            server.stop(false).await;
        }
    }
}

pub async fn reach(config: &Config, sign: Option<&Sign>) -> anyhow::Result<Reached> {
    let (url, woken) = match (config.stage, sign) {
        (Stage::Production, _) => (config.stripe.api_url.clone(), None),
        (Stage::Demo, Some(sign)) => (format!("{}/sandbox/stripe", sign.address), None),
        (Stage::Demo, None) => {
            let (url, server) = wake(config)?;
            (url, Some(server))
        }
    };
    let stripe = Stripe::new(&StripeSettings::new(config.stripe.secret_key.expose(), url));
    Ok(Reached { gateway: Arc::new(stripe.map_err(anyhow::Error::msg)?), woken })
}

fn wake(config: &Config) -> anyhow::Result<(String, ServerHandle)> {
    let dir = config.data_dir.join("sandbox");
    let sandbox = Sandbox::open(Some(dir), Options::default()).context("the sandbox's journal")?;
    let server = HttpServer::new(move || {
        let sandbox = sandbox.clone();
        actix_web::App::new().configure(|cfg| sandbox::configure(cfg, sandbox))
    })
    .workers(1)
    .disable_signals()
    .bind(("127.0.0.1", 0))?;
    let address = server.addrs().first().copied().context("an address")?;
    let server = server.run();
    let handle = server.handle();
    tokio::spawn(server);
    Ok((format!("http://{address}/sandbox/stripe"), handle))
}
