//! Which payment provider a server uses, and how the server's mails leave. Only a build with the
//! feature `demo` offers the sandbox, a simulated Stripe.

#[cfg(feature = "demo")]
use std::sync::Arc;

use actix_web::web::ServiceConfig;
#[cfg(feature = "demo")]
use anyhow::Context;
#[cfg(feature = "demo")]
use sandbox::Sandbox;
#[cfg(feature = "demo")]
use sandbox::server::SandboxServer;

use crate::config::Config;
#[cfg(feature = "demo")]
use crate::http::sandbox_clock;
use crate::ops::lifecycle::Lifecycle;
use crate::render::mail_sender::DeliveryMethod;
use crate::render::mail_sender::smtp::SmtpSender;

/// Which payment provider a server uses, and how the server's mails leave.
pub enum Provider {
    /// Stripe, at the configured URL. Mails leave by SMTP.
    Real,
    /// The sandbox, a simulated Stripe that this process serves. Mails go to the sandbox's mailbox.
    #[cfg(feature = "demo")]
    Sandbox(Arc<Sandbox>),
    /// The sandbox while the demo is seeded. Mails stay in the outbox for the next server, because
    /// the dates in them are still to be moved.
    #[cfg(feature = "demo")]
    Rehearsal(Arc<Sandbox>),
}

/// The HTTP server of the sandbox. Empty if the payment provider is Stripe.
#[derive(Default)]
pub(super) struct RunningSandbox {
    #[cfg(feature = "demo")]
    server: Option<SandboxServer>,
}

impl RunningSandbox {
    /// Stops the sandbox's server, if there is one.
    #[cfg_attr(not(feature = "demo"), expect(clippy::unused_async))]
    pub(super) async fn stop(self) {
        #[cfg(feature = "demo")]
        if let Some(server) = self.server {
            server.stop().await;
        }
    }
}

impl Provider {
    /// Chooses how mails leave: by SMTP, to the sandbox's mailbox, or held in the outbox.
    ///
    /// # Errors
    ///
    /// `SMTP_URL` is missing or not valid.
    pub(super) fn mail_delivery(
        &self,
        config: &Config,
        #[cfg_attr(not(feature = "demo"), expect(unused_variables))] lifecycle: &Lifecycle,
    ) -> anyhow::Result<DeliveryMethod> {
        match (self, &config.mail.smtp_url) {
            #[cfg(feature = "demo")]
            (Provider::Rehearsal(_), _) => Ok(DeliveryMethod::Held(lifecycle.watch())),
            #[cfg(feature = "demo")]
            (Provider::Sandbox(sandbox), _) => Ok(DeliveryMethod::Mailbox(sandbox.clone())),
            (Provider::Real, Some(url)) => Ok(DeliveryMethod::Smtp(SmtpSender::new(url)?)),
            (Provider::Real, None) => anyhow::bail!("SMTP_URL is missing"),
        }
    }
}

#[cfg(feature = "demo")]
impl Provider {
    fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        match self {
            Provider::Real => None,
            Provider::Sandbox(sandbox) | Provider::Rehearsal(sandbox) => Some(sandbox),
        }
    }

    /// Starts an HTTP server for the sandbox on a free port. Does nothing if the payment provider
    /// is Stripe.
    ///
    /// # Errors
    ///
    /// No port is free.
    pub(super) fn serve_sandbox(&self) -> anyhow::Result<RunningSandbox> {
        let server = self
            .sandbox()
            .map(|sandbox| SandboxServer::serve(sandbox.clone()))
            .transpose()?;
        Ok(RunningSandbox { server })
    }

    /// Returns the URL of the Stripe API. With the sandbox as provider, this is the sandbox's own
    /// URL.
    ///
    /// The running demo uses a configured URL instead if it is on this machine. There
    /// `loadtest proxy` may listen.
    pub(super) fn stripe_url<'a>(
        &self,
        config: &'a Config,
        running: &'a RunningSandbox,
    ) -> &'a str {
        let configured_url = &config.stripe.api_url;
        match (self, &running.server) {
            (Provider::Sandbox(_), Some(_)) if configured_url.starts_with("http://127.0.0.1:") => {
                configured_url
            }
            (_, Some(server)) => &server.url,
            (_, None) => configured_url,
        }
    }

    /// Makes the sandbox send its webhooks to this port over the loopback address, even if the
    /// public URL is another one.
    ///
    /// # Errors
    ///
    /// No webhook secret is configured.
    pub(super) fn set_webhook(&self, config: &Config, port: u16) -> anyhow::Result<()> {
        let Some(sandbox) = self.sandbox() else {
            return Ok(());
        };
        let secret = config
            .stripe
            .webhook_secrets
            .first()
            .context("no webhook secret is configured")?;
        sandbox.set_webhook(
            &format!("http://127.0.0.1:{port}/api/stripe/webhook"),
            secret.expose(),
        );
        Ok(())
    }

    /// Returns a function that registers the sandbox's routes. The function registers nothing if
    /// the payment provider is Stripe.
    pub(super) fn sandbox_routes(&self) -> impl Fn(&mut ServiceConfig) + Clone + Send + use<> {
        let sandbox = self.sandbox().cloned();
        move |cfg| {
            if let Some(sandbox) = &sandbox {
                sandbox_clock::configure(cfg, sandbox.clone());
                sandbox::configure(cfg, sandbox.clone());
            }
        }
    }
}

/// The methods of a build without the feature `demo`. The payment provider is always Stripe, so
/// there is no sandbox to start, configure or serve.
#[cfg(not(feature = "demo"))]
#[expect(clippy::unused_self, clippy::unnecessary_wraps)]
impl Provider {
    pub(super) fn serve_sandbox(&self) -> anyhow::Result<RunningSandbox> {
        Ok(RunningSandbox::default())
    }

    pub(super) fn stripe_url<'a>(&self, config: &'a Config, _: &RunningSandbox) -> &'a str {
        &config.stripe.api_url
    }

    pub(super) fn set_webhook(&self, _: &Config, _: u16) -> anyhow::Result<()> {
        Ok(())
    }

    pub(super) fn sandbox_routes(&self) -> impl Fn(&mut ServiceConfig) + Clone + Send + use<> {
        |_| {}
    }
}
