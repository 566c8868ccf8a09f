//! A line between two of the house: whoever connects is connected onward, and what they say passes through our hands.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use super::lie::Lie;
use super::toxic::{Fate, Line, Toxic, begins_request, fate};
use crate::plan::Dice;

/// Bytes that pass in one piece.
const PIECE: usize = 16 << 10;
/// What is left of an answer that is cut.
const CUT_AT: usize = 40;
/// A piece of the slicer.
const SLICE: usize = 3;

/// Where a line leads.
#[derive(Clone, Debug)]
pub enum Onward {
    Tcp(SocketAddr),
    /// Postgres' own socket.
    Unix(PathBuf),
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

impl Onward {
    async fn connect(&self) -> Result<(Reader, Writer)> {
        match self {
            Onward::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                let (reads, writes) = stream.into_split();
                Ok((Box::new(reads), Box::new(writes)))
            }
            Onward::Unix(path) => {
                let (reads, writes) = UnixStream::connect(path).await?.into_split();
                Ok((Box::new(reads), Box::new(writes)))
            }
        }
    }
}

/// An open line, to be poisoned and healed.
pub struct Link {
    pub line: Line,
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    line: Line,
    onward: Onward,
    toxic: Mutex<Option<Toxic>>,
    dice: Mutex<Dice>,
    lie: Mutex<Lie>,
    /// Pieces that were held up, lost, cut, doubled or answered by us.
    harmed: AtomicU64,
}

impl Shared {
    fn toxic(&self) -> Option<Toxic> {
        *self.toxic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn throw(&self) -> u64 {
        self.dice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .throw()
    }

    fn lie<T>(&self, tells: impl FnOnce(&mut Lie) -> T) -> T {
        tells(&mut self.lie.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn hold_up(&self, bytes: usize) {
        let pause = self
            .toxic()
            .map_or(Duration::ZERO, |toxic| toxic.pause(bytes, self.throw()));
        if !pause.is_zero() {
            self.harmed.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(pause).await;
        }
    }

    async fn write(&self, to: &mut Writer, piece: &[u8]) -> std::io::Result<()> {
        self.hold_up(piece.len()).await;
        if self.toxic() == Some(Toxic::Sliced) {
            self.harmed.fetch_add(1, Ordering::Relaxed);
            for slice in piece.chunks(SLICE) {
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
    pub async fn open(line: Line, onward: Onward, seed: u64) -> Result<Link> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .context("a port for a line")?;
        let address = listener.local_addr()?;
        let dice = Mutex::new(Dice::of(seed, line as u64));
        let shared = Arc::new(Shared {
            line,
            onward,
            toxic: Mutex::default(),
            dice,
            lie: Mutex::default(),
            harmed: AtomicU64::new(0),
        });
        let carries = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(carry(Arc::clone(&carries), caller));
            }
        });
        Ok(Link {
            line,
            address,
            shared,
        })
    }

    /// From now on this goes wrong; `None` heals the line.
    pub fn poison(&self, toxic: Option<Toxic>) {
        *self
            .shared
            .toxic
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = toxic;
    }

    /// How many pieces were harmed since the line was opened.
    pub fn harmed(&self) -> u64 {
        self.shared.harmed.load(Ordering::Relaxed)
    }
}

/// No goodbye: the other side reads "connection reset".
fn reset(caller: &TcpStream) {
    // A connection that is gone already needs no reset.
    let _ = SockRef::from(caller).set_linger(Some(Duration::ZERO));
}

/// One connection until either side ends it, or its fate does.
async fn carry(shared: Arc<Shared>, caller: TcpStream) {
    if shared.toxic() == Some(Toxic::Refused) {
        shared.harmed.fetch_add(1, Ordering::Relaxed);
        return reset(&caller);
    }
    let Ok((answers, asks)) = shared.onward.connect().await else {
        return reset(&caller);
    };
    let _ = caller.set_nodelay(true);
    exchange(&shared, caller, answers, asks).await;
}

async fn exchange(shared: &Shared, caller: TcpStream, mut answers: Reader, mut asks: Writer) {
    let (mut from_caller, to_caller) = caller.into_split();
    let mut to_caller: Writer = Box::new(to_caller);
    let (mut asked, mut answer) = (vec![0; PIECE], vec![0; PIECE]);
    let mut fate_now = Fate::Passes;
    let broken = loop {
        tokio::select! {
            read = from_caller.read(&mut asked) => match read {
                Ok(read) if read > 0 => {
                    let next = fate(shared.toxic(), shared.line, &asked[..read]);
                    if next != Fate::Passes || begins_request(shared.line, &asked[..read]) {
                        fate_now = next;
                    }
                    if fate_now != Fate::Passes {
                        shared.harmed.fetch_add(1, Ordering::Relaxed);
                    }
                    let passed = match fate_now {
                        Fate::Reset => break true,
                        Fate::Swallowed => Ok(()),
                        Fate::OnlyAnsweredBy(answer) => {
                            let _ = to_caller.write_all(answer.as_bytes()).await;
                            break false;
                        }
                        Fate::Untrue => {
                            let instead = shared.lie(|lie| lie.asked(&asked[..read]));
                            shared.write(&mut asks, &instead).await
                        }
                        Fate::Twice => {
                            repeat(shared, &asked[..read]).await;
                            shared.write(&mut asks, &asked[..read]).await
                        }
                        _ => shared.write(&mut asks, &asked[..read]).await,
                    };
                    if passed.is_err() {
                        break true;
                    }
                }
                _ => break false,
            },
            read = answers.read(&mut answer) => match read {
                Ok(read) if read > 0 => match fate_now {
                    Fate::AnswerLost => break true,
                    Fate::Swallowed => {}
                    Fate::AnswerCut => {
                        let _ = to_caller.write_all(&answer[..read.min(CUT_AT)]).await;
                        break true;
                    }
                    Fate::Untrue => {
                        let instead = shared.lie(|lie| lie.heard(&answer[..read]));
                        if shared.write(&mut to_caller, &instead).await.is_err() {
                            break true;
                        }
                    }
                    Fate::AnsweredBy(instead) => {
                        let _ = to_caller.write_all(instead.as_bytes()).await;
                        break false;
                    }
                    _ if shared.write(&mut to_caller, &answer[..read]).await.is_err() => break true,
                    _ => {}
                },
                _ => break false,
            },
        }
    };
    if broken {
        reset(from_caller.as_ref());
    }
}

/// The same request on a connection of its own, as somebody in between does who lost patience.
async fn repeat(shared: &Shared, request: &[u8]) {
    let Ok((mut answers, mut asks)) = shared.onward.connect().await else {
        return;
    };
    if asks.write_all(request).await.is_ok() {
        let mut piece = vec![0; PIECE];
        // Its answer is of no interest, but the request is to be carried out before the other one.
        let _ = tokio::time::timeout(Duration::from_secs(2), answers.read(&mut piece)).await;
    }
}
