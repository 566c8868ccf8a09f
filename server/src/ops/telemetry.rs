//! Logging: one line per event, with structured fields and no personal data. `RUST_LOG` selects the
//! lines.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Stage;

/// Default log filter of the demo: only problems, so that the printed URLs stay visible. The
/// mailer's warnings are excluded, because the seeded mails are held back. The reconciler is
/// excluded, because the demo creates anomalies on purpose.
const DEMO_LOG_FILTER: &str = "warn,server=info,server::http::edge=warn,actors::mailer=error,actors::reconciler=off,sqlx::postgres::notice=error";
const PRODUCTION_LOG_FILTER: &str = "info,sqlx=warn,sqlx::postgres::notice=error";

/// Starts logging to standard error: readable text in the demo, JSON lines in production. A second
/// call changes nothing.
pub fn start(stage: Stage) {
    let default = match stage {
        Stage::Demo => DEMO_LOG_FILTER,
        Stage::Production => PRODUCTION_LOG_FILTER,
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
        Stage::Production => json_lines_subscriber(filter, std::io::stderr).try_init(),
    };
    // An error means that logging has started before: tests start several servers in one process.
    drop(started);
}

/// Returns a log subscriber with production's default filter and JSON lines, for any writer.
pub fn production_log_subscriber<W>(writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    json_lines_subscriber(EnvFilter::new(PRODUCTION_LOG_FILTER), writer)
}

fn json_lines_subscriber<W>(filter: EnvFilter, writer: W) -> impl tracing::Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    tracing_subscriber::registry()
        .with(filter)
        .with(tracing_subscriber::fmt::layer().json().with_writer(writer))
}
