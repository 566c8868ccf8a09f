//! Background tasks of the server: they refresh the catalogue, publish changes and delete expired data.

use std::time::Duration;

use actix_web::web;
use persistence::Failure;

use super::routes::club::reminders;
use super::routes::operator::audit;
use crate::live;
use crate::services::wallet_domains;
use crate::state::State;

/// How often the catalogue is refreshed from the database.
const CATALOGUE_REFRESH_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between two runs of [`run_periodic_tasks`], which deletes expired data, and between two
/// checks of the site's domain at Stripe.
const PERIODIC_TASKS_INTERVAL: Duration = Duration::from_secs(60);

/// Starts the background tasks: catalogue refresh, periodic tasks, registration of the site's domain
/// and WebSocket updates. They run until the returned handles are aborted.
///
/// Call this function once, inside the actix runtime.
pub fn start_background_tasks(state: web::Data<State>) -> Vec<actix_web::rt::task::JoinHandle<()>> {
    let maintain = |state: web::Data<State>| async move {
        let mut ticks = 0u64;
        loop {
            tokio::time::sleep(CATALOGUE_REFRESH_INTERVAL).await;
            ticks += 1;
            if let Err(failure) = state.catalogue.refresh().await {
                tracing::debug!(%failure, "catalogue refresh failed");
            }
            if ticks.is_multiple_of(PERIODIC_TASKS_INTERVAL.as_secs()) {
                state.limits.remove_idle_counters();
                run_periodic_tasks(&state).await;
            }
        }
    };
    // Calls to Stripe may wait, so the other tasks must not wait for them.
    let register_domain = |state: web::Data<State>| async move {
        loop {
            tokio::time::sleep(PERIODIC_TASKS_INTERVAL).await;
            register_wallet_domains(&state).await;
        }
    };
    vec![
        actix_web::rt::spawn(maintain(state.clone())),
        actix_web::rt::spawn(register_domain(state.clone())),
        actix_web::rt::spawn(live::publish_until_closed(state)),
    ]
}

/// Deletes expired data; runs once a minute. On the longest-running node it also does the periodic
/// work for clubs and mails the audit log's anchor.
pub async fn run_periodic_tasks(state: &State) {
    state.open_orders.remove_idle_browsers(state.clock.now());
    if let Err(failure) = delete_expired(state).await {
        tracing::warn!(%failure, "deleting expired data failed, will retry");
    }
    if state.draws.is_oldest_node() {
        reminders::run_periodic_club_tasks(state).await;
        audit::mail_audit_anchor(state).await;
    }
}

/// Registers this site's domain with the accounts of the clubs that sell. Each node does, because
/// each answers the operator's question about the state.
async fn register_wallet_domains(state: &State) {
    let Some(host) = wallet_domains::registrable_host(&state.config.public_url) else {
        return;
    };
    let facts = state.catalogue.facts();
    let accounts = facts
        .clubs()
        .filter(|club| club.is_selling())
        .filter_map(|club| club.account.clone());
    state
        .wallet_domains
        .register_due(&*state.connect, host, accounts, state.clock.now())
        .await;
}

/// Deletes expired sessions, mailed links and failed sign-in attempts. Also converts link secrets
/// that a node of an earlier version stored in clear text to keyed hashes.
async fn delete_expired(state: &State) -> Result<(), Failure> {
    let now = state.clock.now();
    let converted = state.records.convert_link_secrets().await?;
    if converted > 0 {
        tracing::info!(
            rows = converted,
            "stored link secrets were converted to keyed hashes"
        );
    }
    state.records.delete_expired_sessions(now).await?;
    state.records.delete_expired_ticket_links(now).await?;
    state.records.delete_expired_tries(now).await?;
    Ok(())
}
