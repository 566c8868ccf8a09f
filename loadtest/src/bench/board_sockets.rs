//! WebSocket clients that use little processor time. They only record when a complete frame has
//! arrived.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::latency::duration_ms;

const TEXT_FRAME_START: u8 = 0x81;
/// Maximum length of a frame, in bytes. The server's frames are much shorter.
const FRAME_BYTES_MAX: usize = 64 << 10;
/// How long a frame may take to reach the last board. Then the benchmark fails.
const FRAME_TIMEOUT: Duration = Duration::from_secs(20);
/// Number of boards that connect at the same time.
const CONCURRENT_CONNECTS_MAX: usize = 64;
/// Number of local addresses that the boards use in turn, because each address has a limited number
/// of ports and a closed port cannot be used for a minute.
const SOURCE_ADDRESS_COUNT: u8 = 16;

/// The arrival of a frame at a board.
#[derive(Clone, Copy, Debug)]
struct FrameArrival {
    board: usize,
    at: Instant,
    /// Milliseconds from the creation of the frame by the server to its arrival. Both use the clock
    /// of this machine. `None` when the frame contains no time.
    after_ms: Option<f64>,
}

/// Open board sockets, and the channel on which they report arrivals of frames.
pub struct BoardSockets {
    count: usize,
    arrivals: mpsc::UnboundedReceiver<FrameArrival>,
    /// The tasks of the boards. Dropping this set closes the sockets.
    _watching: JoinSet<()>,
}

impl BoardSockets {
    /// Opens `count` boards on one path. If `await_first_frame` is set, waits until each has
    /// received its first frame.
    pub async fn connect_all(
        authority: &str,
        path: &str,
        count: usize,
        await_first_frame: bool,
    ) -> Result<Self> {
        let (arrival_sender, arrivals) = mpsc::unbounded_channel();
        let (mut opening, mut watching) = (JoinSet::new(), JoinSet::new());
        let target = Arc::new((authority.to_owned(), path.to_owned()));
        let mut left = count;
        loop {
            while left > 0 && opening.len() < CONCURRENT_CONNECTS_MAX {
                left -= 1;
                let (target, source) = (Arc::clone(&target), source_address(left));
                let open = async move {
                    BoardSocket::connect(&target.0, &target.1, source, await_first_frame).await
                };
                opening.spawn(tokio::time::timeout(FRAME_TIMEOUT, open));
            }
            let Some(opened) = opening.join_next().await else {
                break;
            };
            let (mut board, arrival_sender, number) = (
                opened?.context("a board could not connect in time")??,
                arrival_sender.clone(),
                watching.len(),
            );
            watching.spawn(async move {
                while let Ok(made_at) = board.next_frame_time().await {
                    let after_ms = made_at.map(|made_at| now_ms() - made_at);
                    let _ = arrival_sender.send(FrameArrival {
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

    /// Discards the arrivals recorded so far.
    pub fn discard_arrivals(&mut self) {
        while self.arrivals.try_recv().is_ok() {}
    }

    /// Waits until the next frame has reached every board. Returns the milliseconds between the
    /// first and the last arrival.
    pub async fn first_to_last_arrival_ms(&mut self) -> Result<f64> {
        let mut first_arrivals = BTreeMap::new();
        while first_arrivals.len() < self.count {
            let arrived = tokio::time::timeout(FRAME_TIMEOUT, self.arrivals.recv()).await;
            let arrived = arrived.ok().flatten().with_context(|| {
                format!("only {} of {} boards", first_arrivals.len(), self.count)
            })?;
            first_arrivals.entry(arrived.board).or_insert(arrived.at);
        }
        let (first, last) = (first_arrivals.values().min(), first_arrivals.values().max());
        Ok(first
            .zip(last)
            .map_or(0.0, |(first, last)| duration_ms(*last - *first)))
    }
}

impl BoardSockets {
    /// Returns the delay of each frame that arrived since `discard_arrivals`: milliseconds from
    /// creation to arrival.
    pub fn frame_lags_ms(&mut self) -> Vec<f64> {
        std::iter::from_fn(|| self.arrivals.try_recv().ok())
            .filter_map(|arrived| arrived.after_ms)
            .collect()
    }
}

/// Returns the first frame that the server sends on `path`.
pub async fn fetch_first_frame(authority: &str, path: &str) -> Result<Vec<u8>> {
    let mut board = BoardSocket::connect(authority, path, source_address(0), false).await?;
    board.next_frame_time().await?;
    Ok(board.last)
}

fn source_address(number: usize) -> SocketAddr {
    let host = 2 + (number % usize::from(SOURCE_ADDRESS_COUNT)) as u8;
    (Ipv4Addr::new(127, 0, 0, host), 0).into()
}

fn now_ms() -> f64 {
    duration_ms(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

struct BoardSocket {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Payload of the newest frame.
    last: Vec<u8>,
}

impl BoardSocket {
    async fn connect(
        authority: &str,
        path: &str,
        from: SocketAddr,
        await_first_frame: bool,
    ) -> Result<Self> {
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
            board.read_bytes().await?;
            if let Some(at) = board.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
        };
        ensure!(
            board.buffer.starts_with(b"HTTP/1.1 101"),
            "the server refused a board"
        );
        board.buffer.drain(..end);
        if await_first_frame {
            board.next_frame_time().await?;
        }
        Ok(board)
    }

    /// Waits for the next text frame about a draw and returns its creation time in milliseconds.
    /// Skips heartbeats and pings.
    async fn next_frame_time(&mut self) -> Result<Option<f64>> {
        loop {
            let (head, length) = loop {
                if let Some(found) = header_and_payload_lengths(&self.buffer) {
                    break found;
                }
                self.read_bytes().await?;
            };
            ensure!(length <= FRAME_BYTES_MAX, "a frame of {length} bytes");
            while self.buffer.len() < head + length {
                self.read_bytes().await?;
            }
            let kind = self.buffer[0];
            let payload = &self.buffer[head..head + length];
            let counts = kind == TEXT_FRAME_START
                && !payload.windows(11).any(|part| part == b"\"heartbeat\"");
            let made_at = creation_time_ms(payload);
            self.last.clear();
            self.last.extend_from_slice(payload);
            self.buffer.drain(..head + length);
            if counts {
                return Ok(made_at);
            }
        }
    }

    async fn read_bytes(&mut self) -> Result<()> {
        ensure!(
            self.stream.read_buf(&mut self.buffer).await? > 0,
            "the socket was closed"
        );
        Ok(())
    }
}

/// Reads the creation time in a frame, in milliseconds by the server's clock.
fn creation_time_ms(payload: &[u8]) -> Option<f64> {
    const SERVER_TIME_FIELD: &[u8] = b"\"serverNow\":";
    let at = payload
        .windows(SERVER_TIME_FIELD.len())
        .position(|part| part == SERVER_TIME_FIELD)?
        + SERVER_TIME_FIELD.len();
    let digits = payload[at..].split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the lengths of a frame's header and payload, or `None` until the header is complete.
/// Frames from a server are not masked.
fn header_and_payload_lengths(bytes: &[u8]) -> Option<(usize, usize)> {
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

/// Encodes a text frame as a server sends it.
pub fn encode_text_frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![TEXT_FRAME_START];
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
    fn frame_creation_time_is_parsed() {
        assert_eq!(
            creation_time_ms(br#"{"v":1,"seq":7,"serverNow":1795254399123,"type":"draw"}"#),
            Some(1_795_254_399_123.0)
        );
        assert_eq!(creation_time_ms(br#"{"v":1}"#), None);
    }

    #[test]
    fn frame_length_is_parsed_once_header_is_complete() {
        for length in [0, 125, 126, 65_535, 65_536] {
            let frame = encode_text_frame(&vec![b'x'; length]);
            let (head, payload) = header_and_payload_lengths(&frame).expect("measured");
            assert_eq!((payload, head + payload), (length, frame.len()));
            assert!(
                (0..head.min(2)).all(|cut| header_and_payload_lengths(&frame[..cut]).is_none())
            );
        }
    }
}
