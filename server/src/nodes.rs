//! Between nodes: how this one asks the owner of a draw, and what it lets in. A door of its own, on `NODE_ADDRESS`, where no
//! browser comes; whoever knocks has the sealing key, which every node has and the database has not.

use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};
use async_trait::async_trait;
use bytes::Bytes;
use domain::{DrawId, Timestamp};
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use persistence::nodes::Node;

use actors::{Answered, Clock, Errand, Neighbours, Unreachable};

use crate::routes;
use crate::state::State;
use crate::wire::node as wire;

pub mod pass;

use pass::{PASS, Pass};

/// A node that is there answers a connection at once.
const CONNECT: Duration = Duration::from_millis(500);
/// Longer than any commit takes, shorter than a lease: whoever waits is told to come again while it is found out who owns
/// the draw. Two looks into the books, so that a busy owner is seen to go on more often than its silences are allowed to
/// (`actors/src/silences.rs`).
const ANSWER: Duration = Duration::from_secs(1);
/// Shorter than servers keep idle connections (actix: 5 s), so that a call seldom meets one that is just being closed.
const IDLE: Duration = Duration::from_secs(4);
const IDLE_MAX: usize = 128;
/// Calls from other nodes wait for actors, not for processors.
const WORKERS: usize = 2;

/// The way to other nodes over HTTP, on connections that are kept.
pub struct OverHttp {
    client: Client<HttpConnector, Full<Bytes>>,
    pass: Pass,
    clock: std::sync::Arc<dyn Clock>,
}

impl OverHttp {
    pub fn new(pass: Pass, clock: std::sync::Arc<dyn Clock>) -> OverHttp {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build(tcp);
        OverHttp {
            client,
            pass,
            clock,
        }
    }

    /// `None`: no answer that can be read.
    async fn ask(
        &self,
        owner: &Node,
        draw: DrawId,
        errand: &Errand,
        now: Timestamp,
    ) -> Option<Answered> {
        let body = serde_json::to_vec(&wire::Errand::of(self.pass.me(), errand)).ok()?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("http://{}/nodes/draws/{draw}", owner.address))
            .header(PASS, self.pass.issue(owner.boot, now))
            .body(Full::new(Bytes::from(self.pass.seal(owner.boot, &body))))
            .ok()?;
        let response = self.client.request(request).await.ok()?;
        if response.status() == StatusCode::CONFLICT {
            return Some(Err(Unreachable::NotTheOwner));
        }
        if !response.status().is_success() {
            return None;
        }
        let sealed = response.into_body().collect().await.ok()?.to_bytes();
        let answer: wire::Answer = serde_json::from_slice(&self.pass.open(&sealed)?).ok()?;
        answer.read().map(Ok)
    }
}

#[async_trait]
impl Neighbours for OverHttp {
    async fn execute(&self, owner: &Node, draw: DrawId, errand: Errand) -> Answered {
        if owner.address.is_empty() {
            return Err(Unreachable::Silent);
        }
        let asked =
            tokio::time::timeout(ANSWER, self.ask(owner, draw, &errand, self.clock.now())).await;
        asked.ok().flatten().unwrap_or(Err(Unreachable::Silent))
    }
}

/// Opens the door for other nodes, until the handle stops it: later than the one for browsers.
///
/// # Errors
/// The listener cannot be used.
pub fn serve(listener: TcpListener, state: web::Data<State>) -> std::io::Result<ServerHandle> {
    let server = HttpServer::new(move || {
        let state = state.clone();
        App::new().configure(|cfg| routes::configure_for_nodes(cfg, state))
    })
    .workers(WORKERS)
    .disable_signals()
    .shutdown_timeout(1)
    .listen(listener)?
    .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(handle)
}
