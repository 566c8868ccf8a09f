//! Runs the stand-in for Stripe's official libraries: `.ci/stripe-clients` starts it. It refuses
//! unknown accounts, limits rates as Stripe does, sends its events to the given address, and checks
//! signatures at `POST /verify` as the product does.
//!
//! Arguments: the address of the webhook and its secret.

use actix_web::web::{self, Bytes};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use actors::payments::signature;
use actors::{Clock, SystemClock};
use sandbox::{Sandbox, SandboxOptions};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(webhook), Some(secret)) = (arguments.next(), arguments.next()) else {
        return Err(std::io::Error::other("usage: clients WEBHOOK SECRET"));
    };
    let sandbox = Sandbox::open(None, SandboxOptions::default())?;
    sandbox.set_webhook(&webhook, &secret);
    let server = HttpServer::new(move || {
        let secret = secret.clone();
        let verify = move |request: HttpRequest, body: Bytes| {
            let secret = secret.clone();
            async move { verify_signature(&request, &body, secret) }
        };
        App::new()
            .configure(|cfg| sandbox::configure(cfg, sandbox.clone()))
            .route("/verify", web::post().to(verify))
    })
    .workers(1)
    .bind(("127.0.0.1", 0))?;
    println!("http://{}", server.addrs()[0]);
    std::thread::spawn(exit_with_the_suite);
    server.run().await
}

/// Ends the program when its input closes, so that it never outlives a suite that was stopped.
fn exit_with_the_suite() {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    std::process::exit(0);
}

fn verify_signature(request: &HttpRequest, body: &Bytes, secret: String) -> HttpResponse {
    let header = request
        .headers()
        .get("stripe-signature")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match signature::verify(body, header, &[secret], SystemClock.now()) {
        Ok(()) => HttpResponse::Ok().finish(),
        Err(why) => HttpResponse::BadRequest().body(format!("{why:?}")),
    }
}
