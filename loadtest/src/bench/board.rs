//! Boards by the thousand: sockets that do no more than notice when a frame has come whole.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::latency::millis;

const TEXT: u8 = 0x81;
/// Ours are small; anything longer is not a frame.
const FRAME_BYTES_MAX: usize = 64 << 10;
/// How long a frame may take to reach the last board before the bench gives up.
const PATIENCE: Duration = Duration::from_secs(20);
/// Boards that are connected at the same moment.
const AT_ONCE: usize = 64;
/// Addresses of this machine that boards come from in turn: each has so many ports, and a closed one rests for a minute.
const SOURCES: u8 = 16;

/// One frame at one board.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    board: usize,
    at: Instant,
    /// Since the server made it, by the clock they share.
    after_ms: Option<f64>,
}

/// Open boards, and the arrivals they report.
pub struct Boards {
    count: usize,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    /// Ends the boards when it is dropped.
    _watching: JoinSet<()>,
}

impl Boards {
    /// Opens so many boards on one path. `greeted`: each has its first frame before this returns.
    pub async fn open(authority: &str, path: &str, count: usize, greeted: bool) -> Result<Self> {
        let (told, arrivals) = mpsc::unbounded_channel();
        let (mut opening, mut watching) = (JoinSet::new(), JoinSet::new());
        let asked = Arc::new((authority.to_owned(), path.to_owned()));
        let mut left = count;
        loop {
            while left > 0 && opening.len() < AT_ONCE {
                left -= 1;
                let (asked, source) = (Arc::clone(&asked), source(left));
                let open = async move { Board::open(&asked.0, &asked.1, source, greeted).await };
                opening.spawn(tokio::time::timeout(PATIENCE, open));
            }
            let Some(opened) = opening.join_next().await else {
                break;
            };
            let (mut board, told, number) = (
                opened?.context("a board waits to be let in")??,
                told.clone(),
                watching.len(),
            );
            watching.spawn(async move {
                while let Ok(made_at) = board.frame().await {
                    let after_ms = made_at.map(|made_at| now_ms() - made_at);
                    let _ = told.send(Arrival {
                        board: number,
                        at: Instant::now(),
                        after_ms,
                    });
                }
            });
        }
        Ok(Self {
            count,
            arrivals,
            _watching: watching,
        })
    }

    /// Forgets what came before something is made to happen.
    pub fn forget(&mut self) {
        while self.arrivals.try_recv().is_ok() {}
    }

    /// From the first board that has its next frame to the last one that has, in milliseconds.
    pub async fn spread(&mut self) -> Result<f64> {
        let mut seen = BTreeMap::new();
        while seen.len() < self.count {
            let arrived = tokio::time::timeout(PATIENCE, self.arrivals.recv()).await;
            let arrived = arrived
                .ok()
                .flatten()
                .with_context(|| format!("only {} of {} boards", seen.len(), self.count))?;
            seen.entry(arrived.board).or_insert(arrived.at);
        }
        let (first, last) = (seen.values().min(), seen.values().max());
        Ok(first
            .zip(last)
            .map_or(0.0, |(first, last)| millis(*last - *first)))
    }
}

impl Boards {
    /// How long after they were made the frames since the last `forget` were at their boards, in milliseconds.
    pub fn lags(&mut self) -> Vec<f64> {
        std::iter::from_fn(|| self.arrivals.try_recv().ok())
            .filter_map(|arrived| arrived.after_ms)
            .collect()
    }
}

/// The first frame that a board is sent: what it shows.
pub async fn first_frame(authority: &str, path: &str) -> Result<Vec<u8>> {
    let mut board = Board::open(authority, path, source(0), false).await?;
    board.frame().await?;
    Ok(board.last)
}

fn source(number: usize) -> SocketAddr {
    let host = 2 + (number % usize::from(SOURCES)) as u8;
    (Ipv4Addr::new(127, 0, 0, host), 0).into()
}

fn now_ms() -> f64 {
    millis(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

struct Board {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The last frame's payload.
    last: Vec<u8>,
}

impl Board {
    async fn open(authority: &str, path: &str, from: SocketAddr, greeted: bool) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(from)?;
        let stream = socket.connect(authority.parse()?).await?;
        let mut board = Self {
            stream,
            buffer: Vec::with_capacity(1024),
            last: Vec::new(),
        };
        let hello = format!(
            "GET {path} HTTP/1.1\r\nhost: {authority}\r\norigin: http://{authority}\r\nconnection: Upgrade\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        board.stream.write_all(hello.as_bytes()).await?;
        let end = loop {
            board.more().await?;
            if let Some(at) = board.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
        };
        ensure!(
            board.buffer.starts_with(b"HTTP/1.1 101"),
            "a board was turned away"
        );
        board.buffer.drain(..end);
        if greeted {
            board.frame().await?;
        }
        Ok(board)
    }

    /// The next text frame about a draw, whole, and when it says it was made; heartbeats and pings are passed over.
    async fn frame(&mut self) -> Result<Option<f64>> {
        loop {
            let (head, length) = loop {
                if let Some(found) = measure(&self.buffer) {
                    break found;
                }
                self.more().await?;
            };
            ensure!(length <= FRAME_BYTES_MAX, "a frame of {length} bytes");
            while self.buffer.len() < head + length {
                self.more().await?;
            }
            let kind = self.buffer[0];
            let payload = &self.buffer[head..head + length];
            let counts = kind == TEXT && !payload.windows(11).any(|part| part == b"\"heartbeat\"");
            let made_at = made_at(payload);
            self.last.clear();
            self.last.extend_from_slice(payload);
            self.buffer.drain(..head + length);
            if counts {
                return Ok(made_at);
            }
        }
    }

    async fn more(&mut self) -> Result<()> {
        ensure!(
            self.stream.read_buf(&mut self.buffer).await? > 0,
            "the socket was closed"
        );
        Ok(())
    }
}

/// The server's clock in a frame, in milliseconds.
fn made_at(payload: &[u8]) -> Option<f64> {
    const NAME: &[u8] = b"\"serverNow\":";
    let at = payload.windows(NAME.len()).position(|part| part == NAME)? + NAME.len();
    let digits = payload[at..].split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// How long a server's frame's head and payload are, once the head is there. A server never masks.
fn measure(bytes: &[u8]) -> Option<(usize, usize)> {
    match *bytes.get(1)? {
        126 => Some((
            4,
            usize::from(u16::from_be_bytes([*bytes.get(2)?, *bytes.get(3)?])),
        )),
        127 => {
            let length: [u8; 8] = bytes.get(2..10)?.try_into().ok()?;
            Some((10, usize::try_from(u64::from_be_bytes(length)).ok()?))
        }
        short => Some((2, usize::from(short))),
    }
}

/// A text frame as a server sends it.
pub fn text_frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![TEXT];
    match u16::try_from(payload.len()) {
        Ok(short) if short < 126 => frame.push(short as u8),
        Ok(middle) => {
            frame.push(126);
            frame.extend(middle.to_be_bytes());
        }
        Err(_) => {
            frame.push(127);
            frame.extend((payload.len() as u64).to_be_bytes());
        }
    }
    frame.extend(payload);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_when_it_was_made() {
        assert_eq!(
            made_at(br#"{"v":1,"seq":7,"serverNow":1795254399123,"type":"draw"}"#),
            Some(1_795_254_399_123.0)
        );
        assert_eq!(made_at(br#"{"v":1}"#), None);
    }

    #[test]
    fn a_frame_is_measured_as_it_was_made_and_only_once_its_head_is_there() {
        for length in [0, 125, 126, 65_535, 65_536] {
            let frame = text_frame(&vec![b'x'; length]);
            let (head, payload) = measure(&frame).expect("measured");
            assert_eq!((payload, head + payload), (length, frame.len()));
            assert!((0..head.min(2)).all(|cut| measure(&frame[..cut]).is_none()));
        }
    }
}
