//! Logs: one line a fact, with the words of the glossary as fields and no personal data. `RUST_LOG` chooses what is said.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Stage;

/// What is logged when `RUST_LOG` does not say: the demo only speaks of trouble, so that its addresses stay in view.
/// A mail that is tried again is no trouble either: the rehearsal holds the seed's mails back. Nor are the demo's anomalies,
/// which it makes on purpose and shows in the operator's console.
const QUIET: &str = "warn,server=info,server::edge=warn,actors::mailer=error,actors::reconciler=off,sqlx::postgres::notice=error";
const PRODUCTION: &str = "info,sqlx=warn,sqlx::postgres::notice=error";

/// Starts logging to standard error: for people in the demo, as JSON lines in production. A second call changes nothing.
pub fn start(stage: Stage) {
    let default = match stage {
        Stage::Demo => QUIET,
        Stage::Production => PRODUCTION,
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let started = match stage {
        Stage::Demo => {
            let layer = tracing_subscriber::fmt::layer()
                .with_writer(std::io::stderr)
                .with_target(false);
            tracing_subscriber::registry()
                .with(filter)
                .with(layer)
                .try_init()
        }
        Stage::Production => lines(filter, std::io::stderr).try_init(),
    };
    // Tests start several servers in one process; the first one's logging serves all.
    drop(started);
}

/// What production logs by default, as JSON lines, to wherever.
pub fn production<W>(writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    lines(EnvFilter::new(PRODUCTION), writer)
}

fn lines<W>(filter: EnvFilter, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::registry()
        .with(filter)
        .with(tracing_subscriber::fmt::layer().json().with_writer(writer))
}
