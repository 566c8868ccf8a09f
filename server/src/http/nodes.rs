//! HTTP calls between nodes. A node accepts these calls on a separate listener, on `NODE_ADDRESS`.
//! A caller must have the sealing key, which all nodes share and which is not in the database.

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

use actors::{Clock, DrawRequest, PeerAnswer, PeerClient, PeerError};

use crate::api::node as wire;
use crate::http::routes;
use crate::state::State;

use crate::ops::peer_credentials::{NODE_PASS_HEADER, PeerCredentials};

/// Maximum time to connect to another node. It is short, because a live node accepts connections at
/// once.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);
/// Maximum time to wait for another node's answer, longer than any commit and shorter than a lease.
/// After a timeout the caller retries until a new owner is determined.
///
/// The time is long enough for two database reads, in which the changes of a busy owner are seen
/// (`actors/src/unresponsive_owners.rs`).
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// How long this node keeps an idle connection to another node. It is shorter than at the server
/// (actix: 5 s), so that a call rarely uses a connection that the server is closing.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(4);
const IDLE_CONNECTIONS_MAX: usize = 128;
/// Worker threads for calls from other nodes. Two suffice, because these calls wait for actors and
/// use little CPU.
const WORKER_THREADS: usize = 2;

/// A client for other nodes over HTTP, with pooled connections.
pub struct HttpPeerClient {
    client: Client<HttpConnector, Full<Bytes>>,
    credentials: PeerCredentials,
    clock: std::sync::Arc<dyn Clock>,
}

impl HttpPeerClient {
    pub fn new(credentials: PeerCredentials, clock: std::sync::Arc<dyn Clock>) -> HttpPeerClient {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_CONNECTION_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(tcp);
        HttpPeerClient {
            client,
            credentials,
            clock,
        }
    }

    /// Sends a request to the node that owns a draw. `None` if there is no readable answer.
    async fn send(
        &self,
        owner: &Node,
        draw: DrawId,
        errand: &DrawRequest,
        now: Timestamp,
    ) -> Option<PeerAnswer> {
        let body = serde_json::to_vec(&wire::WireDrawRequest::from_domain(
            self.credentials.own_id(),
            errand,
        ))
        .ok()?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("http://{}/nodes/draws/{draw}", owner.address))
            .header(
                NODE_PASS_HEADER,
                self.credentials.issue_node_pass(owner.boot, now),
            )
            .body(Full::new(Bytes::from(
                self.credentials.seal(owner.boot, &body),
            )))
            .ok()?;
        let response = self.client.request(request).await.ok()?;
        if response.status() == StatusCode::CONFLICT {
            return Some(Err(PeerError::NotTheOwner));
        }
        if !response.status().is_success() {
            return None;
        }
        let sealed = response.into_body().collect().await.ok()?.to_bytes();
        let answer: wire::DrawResponse =
            serde_json::from_slice(&self.credentials.open(&sealed)?).ok()?;
        answer.into_domain().map(Ok)
    }
}

#[async_trait]
impl PeerClient for HttpPeerClient {
    async fn execute(&self, owner: &Node, draw: DrawId, errand: DrawRequest) -> PeerAnswer {
        if owner.address.is_empty() {
            return Err(PeerError::Silent);
        }
        let answered = tokio::time::timeout(
            ANSWER_TIMEOUT,
            self.send(owner, draw, &errand, self.clock.now()),
        )
        .await;
        answered.ok().flatten().unwrap_or(Err(PeerError::Silent))
    }
}

/// Serves requests of other nodes until the returned handle stops the server. At shutdown this
/// server stops after the one for browsers.
///
/// # Errors
///
/// The listener cannot be used.
pub fn serve(listener: TcpListener, state: web::Data<State>) -> std::io::Result<ServerHandle> {
    let server = HttpServer::new(move || {
        let state = state.clone();
        App::new().configure(|cfg| routes::configure_for_nodes(cfg, state))
    })
    .workers(WORKER_THREADS)
    .disable_signals()
    .shutdown_timeout(1)
    .listen(listener)?
    .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(handle)
}
