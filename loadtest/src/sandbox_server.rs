//! Runs the payment sandbox in this process, either for several nodes that share one sandbox, or to
//! measure the server's memory without the sandbox.

use std::path::Path;
use std::sync::Arc;

use actix_web::{App, HttpServer};
use anyhow::{Context, Result, bail};
use sandbox::{self, Sandbox, SandboxOptions};
use server::config::DEMO_WEBHOOK_SECRET;

use crate::server_process::ServerProcess;

/// Opens a sandbox with the payments of an existing journal.
pub fn open_sandbox(journal: &Path) -> Result<Arc<Sandbox>> {
    let options = SandboxOptions {
        // The crowd is larger than Stripe's limits allow, and the product is what is measured.
        rate_limits: None,
        // The journal may be older than the database, which names the accounts.
        creates_unknown_accounts: true,
        ..SandboxOptions::default()
    };
    Sandbox::open(Some(journal.to_owned()), options).context("the sandbox's journal")
}

/// Serves the sandbox until this process ends. Returns its address.
pub fn serve_sandbox(host: &str, sandbox: &Arc<Sandbox>) -> Result<String> {
    let shared_sandbox = sandbox.clone();
    let (address_sender, address_receiver) = std::sync::mpsc::channel();
    let address = (host.to_owned(), 0);
    // A separate thread is used, because actix needs its own runtime.
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let http = HttpServer::new(move || {
                App::new().configure(|cfg| sandbox::configure(cfg, shared_sandbox.clone()))
            });
            let http = http.workers(1).disable_signals().bind(address)?;
            let _ = address_sender.send(http.addrs().first().copied());
            http.run().await
        })
    });
    let address = address_receiver
        .recv()?
        .context("the sandbox has no address")?;
    Ok(format!("http://{address}"))
}

/// Starts a demo whose payments use a sandbox in this process. First the server's own sandbox is
/// used to create the demo's data, and its journal is then copied. The demo still runs a sandbox,
/// but only for its mailbox.
pub async fn start_with_separate_sandbox() -> Result<ServerProcess> {
    let seeded = ServerProcess::start()
        .await
        .context("seeding the demo's data")?;
    let dir = seeded
        .folder_path()
        .context("the server process has a folder")?
        .to_owned();
    seeded.stop(true).await?;
    let journal = dir.join("provider");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(dir.join("data/sandbox"))
        .arg(&journal)
        .status()?;
    if !copied.success() {
        bail!("copying the sandbox's journal to {}", journal.display());
    }
    let sandbox = open_sandbox(&journal)?;
    let provider = serve_sandbox("127.0.0.1", &sandbox)?;
    let mut server_process = ServerProcess::start_in_folder(
        dir,
        vec![("STRIPE_API_URL", format!("{provider}/sandbox/stripe"))],
    )
    .await?;
    server_process.provider = provider;
    sandbox.set_webhook(
        &format!("{}/api/stripe/webhook", server_process.base),
        DEMO_WEBHOOK_SECRET,
    );
    Ok(server_process)
}
