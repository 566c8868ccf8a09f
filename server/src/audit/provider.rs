//! How an audit reaches the provider: Stripe, a running demo's sandbox, or a sleeping demo's sandbox woken for a moment.

use std::num::NonZeroU32;

use actors::payment::stripe::{Stripe, StripeSettings};
use anyhow::Context;

use crate::app::StandIn;
use crate::config::{Config, Stage};
use crate::database::Sign;
use crate::sandbox::{Options, Sandbox};

/// An audit asks beside a server that sells: it takes this part of the calls that one may make.
const PART: u32 = 4;

/// A reachable provider.
pub struct Reached {
    pub gateway: Stripe,
    woken: Option<StandIn>,
}

impl Reached {
    /// Lets a woken sandbox sleep again.
    pub async fn leave(self) {
        if let Some(stand_in) = self.woken {
            stand_in.stop().await;
        }
    }
}

pub fn reach(config: &Config, sign: Option<&Sign>) -> anyhow::Result<Reached> {
    let (url, woken) = match (config.stage, sign) {
        (Stage::Production, _) => (config.stripe.api_url.clone(), None),
        (Stage::Demo, Some(sign)) => (format!("{}/sandbox/stripe", sign.address), None),
        (Stage::Demo, None) => {
            let dir = config.data_dir.join("sandbox");
            let sandbox =
                Sandbox::open(Some(dir), Options::default()).context("the sandbox's journal")?;
            let stand_in = StandIn::serve(sandbox)?;
            (stand_in.url.clone(), Some(stand_in))
        }
    };
    let calls = config
        .stripe
        .calls_per_second
        .map(|calls| NonZeroU32::new(calls.get() / PART).unwrap_or(NonZeroU32::MIN));
    let stripe =
        Stripe::new(&StripeSettings::new(config.stripe.secret_key.expose(), url).paced(calls));
    Ok(Reached {
        gateway: stripe.map_err(anyhow::Error::msg)?,
        woken,
    })
}
