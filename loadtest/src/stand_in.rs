//! The payment provider's stand-in in this process: for nodes that share one, and where a server's memory is to be its own.

use std::path::Path;
use std::sync::Arc;

use actix_web::{App, HttpServer};
use anyhow::{Context, Result, bail};
use server::config::DEMO_WEBHOOK_SECRET;
use server::sandbox::{self, Options, Sandbox};

use crate::subject::Subject;

/// Goes on with the journal in a folder.
pub fn open(journal: &Path) -> Result<Arc<Sandbox>> {
    Sandbox::open(Some(journal.to_owned()), Options::default()).context("the stand-in's journal")
}

/// Serves it until this process ends; says where.
pub fn serve(host: &str, sandbox: &Arc<Sandbox>) -> Result<String> {
    let served = sandbox.clone();
    let (listening, heard) = std::sync::mpsc::channel();
    let address = (host.to_owned(), 0);
    // actix wants a system of its own.
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let http = HttpServer::new(move || {
                App::new().configure(|cfg| sandbox::configure(cfg, served.clone()))
            });
            let http = http.workers(1).disable_signals().bind(address)?;
            let _ = listening.send(http.addrs().first().copied());
            http.run().await
        })
    });
    let address = heard.recv()?.context("the stand-in has no address")?;
    Ok(format!("http://{address}"))
}

/// Our own demo, whose provider is in this process. Its data are seeded with the one inside, which ends with that server; what it
/// wrote is gone on with here. (The demo still has one inside, for its mailbox; nobody pays there.)
pub async fn subject_apart() -> Result<Subject> {
    let seeded = Subject::start().await.context("seeding the demo's data")?;
    let dir = seeded
        .dir()
        .context("our own server has a folder")?
        .to_owned();
    seeded.stop(true).await?;
    let journal = dir.join("provider");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(dir.join("data/sandbox"))
        .arg(&journal)
        .status()?;
    if !copied.success() {
        bail!("copying the stand-in's journal to {}", journal.display());
    }
    let sandbox = open(&journal)?;
    let provider = serve("127.0.0.1", &sandbox)?;
    let mut subject = Subject::start_in(
        dir,
        vec![("STRIPE_API_URL", format!("{provider}/sandbox/stripe"))],
    )
    .await?;
    subject.provider = provider;
    sandbox.set_webhook(
        &format!("{}/api/stripe/webhook", subject.base),
        DEMO_WEBHOOK_SECRET,
    );
    Ok(subject)
}
