//! A link through the proxy: it accepts connections, connects each to the server behind it, and
//! forwards bytes with or without faults.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use super::false_captures::FalseCaptures;
use super::toxic::{LinkKind, PieceAction, Toxic, action_for_piece, begins_request};
use crate::crowd_plan::SeededRng;

/// Maximum number of bytes that are forwarded as one piece.
const PIECE_BYTES_MAX: usize = 16 << 10;
/// Number of bytes that are forwarded of a truncated response.
const BYTES_BEFORE_TRUNCATION: usize = 40;
/// Number of bytes in each piece when the fault splits traffic.
const SPLIT_PIECE_BYTES: usize = 3;

/// The server behind a link.
#[derive(Clone, Debug)]
pub enum Upstream {
    Tcp(SocketAddr),
    /// The server is Postgres, reached through its Unix socket.
    Unix(PathBuf),
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

impl Upstream {
    async fn connect(&self) -> Result<(Reader, Writer)> {
        match self {
            Upstream::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                let (reads, writes) = stream.into_split();
                Ok((Box::new(reads), Box::new(writes)))
            }
            Upstream::Unix(path) => {
                let (reads, writes) = UnixStream::connect(path).await?.into_split();
                Ok((Box::new(reads), Box::new(writes)))
            }
        }
    }
}

/// An open link. Its fault can be set and removed at any time.
pub struct Link {
    pub kind: LinkKind,
    pub address: SocketAddr,
    shared: Arc<LinkState>,
}

struct LinkState {
    kind: LinkKind,
    upstream: Upstream,
    toxic: Mutex<Option<Toxic>>,
    rng: Mutex<SeededRng>,
    false_captures: Mutex<FalseCaptures>,
    /// Number of pieces that were delayed, discarded, truncated, doubled, or answered by the proxy.
    affected: AtomicU64,
}

impl LinkState {
    fn toxic(&self) -> Option<Toxic> {
        *self.toxic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_random(&self) -> u64 {
        self.rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next_u64()
    }

    fn change_false_captures<T>(&self, change: impl FnOnce(&mut FalseCaptures) -> T) -> T {
        change(
            &mut self
                .false_captures
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    async fn delay(&self, bytes: usize) {
        let pause = self.toxic().map_or(Duration::ZERO, |toxic| {
            toxic.piece_delay(bytes, self.next_random())
        });
        if !pause.is_zero() {
            self.affected.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(pause).await;
        }
    }

    async fn write(&self, to: &mut Writer, piece: &[u8]) -> std::io::Result<()> {
        self.delay(piece.len()).await;
        if self.toxic() == Some(Toxic::Sliced) {
            self.affected.fetch_add(1, Ordering::Relaxed);
            for slice in piece.chunks(SPLIT_PIECE_BYTES) {
                to.write_all(slice).await?;
                to.flush().await?;
                tokio::task::yield_now().await;
            }
            return Ok(());
        }
        to.write_all(piece).await
    }
}

impl Link {
    pub async fn open(kind: LinkKind, upstream: Upstream, seed: u64) -> Result<Link> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .context("binding a proxy port")?;
        let address = listener.local_addr()?;
        let rng = Mutex::new(SeededRng::new(seed, kind as u64));
        let shared = Arc::new(LinkState {
            kind,
            upstream,
            toxic: Mutex::default(),
            rng,
            false_captures: Mutex::default(),
            affected: AtomicU64::new(0),
        });
        let state = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward_connection(Arc::clone(&state), client));
            }
        });
        Ok(Link {
            kind,
            address,
            shared,
        })
    }

    /// Sets the link's fault. `None` removes it.
    pub fn set_toxic(&self, toxic: Option<Toxic>) {
        *self
            .shared
            .toxic
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = toxic;
    }

    /// Returns how many pieces the fault has affected since the link was opened.
    pub fn affected_piece_count(&self) -> u64 {
        self.shared.affected.load(Ordering::Relaxed)
    }
}

/// Closes a connection abruptly, so that the client reads "connection reset".
fn reset_connection(client: &TcpStream) {
    // An error means that the connection is closed already, so no reset is needed.
    let _ = SockRef::from(client).set_linger(Some(Duration::ZERO));
}

/// Forwards one connection until one of its sides, or a fault, closes it.
async fn forward_connection(shared: Arc<LinkState>, client: TcpStream) {
    if shared.toxic() == Some(Toxic::Refused) {
        shared.affected.fetch_add(1, Ordering::Relaxed);
        return reset_connection(&client);
    }
    let Ok((from_upstream, to_upstream)) = shared.upstream.connect().await else {
        return reset_connection(&client);
    };
    let _ = client.set_nodelay(true);
    relay_bytes(&shared, client, from_upstream, to_upstream).await;
}

async fn relay_bytes(
    shared: &LinkState,
    client: TcpStream,
    mut from_upstream: Reader,
    mut to_upstream: Writer,
) {
    let (mut from_client, to_client) = client.into_split();
    let mut to_client: Writer = Box::new(to_client);
    let (mut request, mut answer) = (vec![0; PIECE_BYTES_MAX], vec![0; PIECE_BYTES_MAX]);
    let mut action = PieceAction::Forward;
    let reset_client = loop {
        tokio::select! {
            read = from_client.read(&mut request) => match read {
                Ok(read) if read > 0 => {
                    let next = action_for_piece(shared.toxic(), shared.kind, &request[..read]);
                    if next != PieceAction::Forward || begins_request(shared.kind, &request[..read]) {
                        action = next;
                    }
                    if action != PieceAction::Forward {
                        shared.affected.fetch_add(1, Ordering::Relaxed);
                    }
                    let passed = match action {
                        PieceAction::Reset => break true,
                        PieceAction::Discard => Ok(()),
                        PieceAction::AnswerDirectly(answer) => {
                            let _ = to_client.write_all(answer.as_bytes()).await;
                            break false;
                        }
                        PieceAction::FakeCapture => {
                            let instead = shared.change_false_captures(|captures| captures.rewrite_request(&request[..read]));
                            shared.write(&mut to_upstream, &instead).await
                        }
                        PieceAction::SendTwice => {
                            send_duplicate_request(shared, &request[..read]).await;
                            shared.write(&mut to_upstream, &request[..read]).await
                        }
                        _ => shared.write(&mut to_upstream, &request[..read]).await,
                    };
                    if passed.is_err() {
                        break true;
                    }
                }
                _ => break false,
            },
            read = from_upstream.read(&mut answer) => match read {
                Ok(read) if read > 0 => match action {
                    PieceAction::ResetOnAnswer => break true,
                    PieceAction::Discard => {}
                    PieceAction::TruncateAnswer => {
                        let _ = to_client.write_all(&answer[..read.min(BYTES_BEFORE_TRUNCATION)]).await;
                        break true;
                    }
                    PieceAction::FakeCapture => {
                        let instead = shared.change_false_captures(|captures| captures.rewrite_answer(&answer[..read]));
                        if shared.write(&mut to_client, &instead).await.is_err() {
                            break true;
                        }
                    }
                    PieceAction::ReplaceAnswer(instead) => {
                        let _ = to_client.write_all(instead.as_bytes()).await;
                        break false;
                    }
                    _ if shared.write(&mut to_client, &answer[..read]).await.is_err() => break true,
                    _ => {}
                },
                _ => break false,
            },
        }
    };
    if reset_client {
        reset_connection(from_client.as_ref());
    }
}

/// Sends a copy of the request on a second connection, as an intermediary does that retries too
/// early.
async fn send_duplicate_request(shared: &LinkState, request: &[u8]) {
    let Ok((mut from_upstream, mut to_upstream)) = shared.upstream.connect().await else {
        return;
    };
    if to_upstream.write_all(request).await.is_ok() {
        let mut piece = vec![0; PIECE_BYTES_MAX];
        // The copy's response is ignored. But the copy must be complete before the original request
        // is sent.
        let _ = tokio::time::timeout(Duration::from_secs(2), from_upstream.read(&mut piece)).await;
    }
}
