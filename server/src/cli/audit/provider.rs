//! Connects an audit to Stripe, to the sandbox of a running demo, or to a sandbox started for the
//! audit.

use std::num::NonZeroU32;

use actors::payments::stripe::{Stripe, StripeSettings};
#[cfg(feature = "demo")]
use anyhow::Context;
#[cfg(feature = "demo")]
use sandbox::server::SandboxServer;
#[cfg(feature = "demo")]
use sandbox::{Sandbox, SandboxOptions};

use crate::config::Config;
#[cfg(feature = "demo")]
use crate::config::Stage;
use crate::ops::database::RunningInstance;

/// Divisor of the configured Stripe rate limit. The audit uses only this fraction of the limit,
/// because a running server shares it.
const RATE_LIMIT_DIVISOR: u32 = 4;

/// A connected payment provider: Stripe or the sandbox.
pub struct ConnectedProvider {
    pub gateway: Stripe,
    #[cfg(feature = "demo")]
    started_sandbox: Option<SandboxServer>,
}

impl ConnectedProvider {
    /// Stops the sandbox if the audit started it.
    #[cfg_attr(not(feature = "demo"), expect(clippy::unused_async))]
    pub async fn stop_sandbox(self) {
        #[cfg(feature = "demo")]
        if let Some(stand_in) = self.started_sandbox {
            stand_in.stop().await;
        }
    }
}

/// Connects to Stripe in production. In the demo, connects to the sandbox of the running demo, or
/// starts a sandbox.
pub fn connect_provider(
    config: &Config,
    #[cfg_attr(not(feature = "demo"), expect(unused_variables))] demo: Option<&RunningInstance>,
) -> anyhow::Result<ConnectedProvider> {
    #[cfg(not(feature = "demo"))]
    let url = config.stripe.api_url.clone();
    #[cfg(feature = "demo")]
    let (url, started_sandbox) = match (config.stage, demo) {
        (Stage::Production, _) => (config.stripe.api_url.clone(), None),
        (Stage::Demo, Some(demo)) => (format!("{}/sandbox/stripe", demo.address), None),
        (Stage::Demo, None) => {
            let dir = config.data_dir.join("sandbox");
            let options = SandboxOptions {
                // The audit reads a whole season at once, and no one else calls this stand-in.
                rate_limits: None,
                // The database of a demo may be older than the stand-in's journal.
                creates_unknown_accounts: true,
                ..SandboxOptions::default()
            };
            let sandbox = Sandbox::open(Some(dir), options).context("the sandbox's journal")?;
            let stand_in = SandboxServer::serve(sandbox)?;
            (stand_in.url.clone(), Some(stand_in))
        }
    };
    let calls = config
        .stripe
        .calls_per_second
        .map(|calls| NonZeroU32::new(calls.get() / RATE_LIMIT_DIVISOR).unwrap_or(NonZeroU32::MIN));
    let stripe = Stripe::new(
        &StripeSettings::new(config.stripe.secret_key.expose(), url).rate_limited(calls),
    );
    Ok(ConnectedProvider {
        gateway: stripe.map_err(anyhow::Error::msg)?,
        #[cfg(feature = "demo")]
        started_sandbox,
    })
}
