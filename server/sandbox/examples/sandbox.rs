//! Runs only the stand-in for Stripe: `cargo run -p sandbox --example sandbox -- 8081 [directory]`.

use std::path::PathBuf;

use actix_web::{App, HttpServer};
use sandbox::{self, Sandbox, SandboxOptions};

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments
        .next()
        .and_then(|port| port.parse().ok())
        .unwrap_or(8081);
    let sandbox = Sandbox::open(
        arguments.next().map(PathBuf::from),
        SandboxOptions::default(),
    )?;
    println!("http://127.0.0.1:{port}/sandbox");
    HttpServer::new(move || App::new().configure(|cfg| sandbox::configure(cfg, sandbox.clone())))
        .workers(2)
        .bind(("127.0.0.1", port))?
        .run()
        .await
}
