//! A minimal HTTP client on one kept-alive connection. It needs little processor time, so that it
//! does not distort the measurement.

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Maximum length of a response, in bytes.
const RESPONSE_BYTES_MAX: usize = 4 << 20;
const HEAD_TERMINATOR: &[u8] = b"\r\n\r\n";

pub struct HttpConnection {
    stream: TcpStream,
    authority: String,
    buffer: Vec<u8>,
}

/// A response, borrowed from the connection's buffer.
pub struct HttpReply<'a> {
    pub status: u16,
    pub head: &'a str,
    pub body: &'a [u8],
}

impl HttpReply<'_> {
    /// Returns the value of the first header with this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

impl HttpConnection {
    /// Connects to `authority`, such as `127.0.0.1:8080`.
    pub async fn open(authority: &str) -> Result<Self> {
        let stream = TcpStream::connect(authority)
            .await
            .with_context(|| format!("connecting to {authority}"))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            authority: authority.to_owned(),
            buffer: Vec::with_capacity(16 << 10),
        })
    }

    pub fn build_get_request(&self, path: &str) -> Vec<u8> {
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.authority).into_bytes()
    }

    /// Builds a POST request. `headers` are additional header lines, each with its line end.
    pub fn build_post_request(&self, path: &str, kind: &str, headers: &str, body: &str) -> Vec<u8> {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncontent-type: {kind}\r\ncontent-length: {1}\r\n\
             {headers}\r\n{body}",
            self.authority,
            body.len()
        )
        .into_bytes()
    }

    pub async fn send_request(&mut self, request: &[u8]) -> Result<HttpReply<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head_len = loop {
            ensure!(
                self.stream.read_buf(&mut self.buffer).await? > 0,
                "the connection was closed"
            );
            if let Some(end) = find_head_end(&self.buffer) {
                break end;
            }
            ensure!(
                self.buffer.len() < RESPONSE_BYTES_MAX,
                "a head without an end"
            );
        };
        let head = std::str::from_utf8(&self.buffer[..head_len])?;
        let status: u16 = head.split(' ').nth(1).context("no status")?.parse()?;
        let body_len = match header(head, "content-length") {
            Some(length) => length.parse()?,
            None if matches!(status, 204 | 304) => 0,
            None => bail!("an answer of unknown length: {head}"),
        };
        let whole = head_len + body_len;
        ensure!(whole <= RESPONSE_BYTES_MAX, "an answer of {whole} bytes");
        while self.buffer.len() < whole {
            ensure!(
                self.stream.read_buf(&mut self.buffer).await? > 0,
                "the connection closed within a response"
            );
        }
        let head = std::str::from_utf8(&self.buffer[..head_len])?;
        Ok(HttpReply {
            status,
            head,
            body: &self.buffer[head_len..whole],
        })
    }
}

/// Returns the position where the response's head ends. It examines only every fourth byte where
/// possible. The product's headers are longer than the rival's, and the time to parse them should
/// not count.
fn find_head_end(bytes: &[u8]) -> Option<usize> {
    let mut end = HEAD_TERMINATOR.len();
    while end <= bytes.len() {
        if bytes[end - HEAD_TERMINATOR.len()..end] == *HEAD_TERMINATOR {
            return Some(end);
        }
        end += match bytes[end - 1] {
            b'\r' | b'\n' => 1,
            _ => HEAD_TERMINATOR.len(),
        };
    }
    None
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|header_line| {
        let (key, value) = header_line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn head_end_is_found_at_every_offset() {
        for before in 0..9 {
            let head = format!(
                "{}\r\n\r\n{{}}",
                "x\r\n".repeat(before) + &"y".repeat(before)
            );
            assert_eq!(
                find_head_end(head.as_bytes()),
                Some(head.len() - 2),
                "{head:?}"
            );
            assert_eq!(
                find_head_end(&head.as_bytes()[..head.len() - 3]),
                None,
                "{head:?}"
            );
        }
    }

    #[tokio::test]
    async fn split_response_is_read_whole_and_connection_stays_usable() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for answer in [
                [
                    "HTTP/1.1 200 OK\r\nContent-",
                    "Length: 5\r\nx-y: z\r\n\r\nhe",
                    "llo",
                ],
                ["HTTP/1.1 204 ", "N\r\n", "\r\n"],
            ] {
                let mut request_bytes = [0; 1024];
                assert!(stream.read(&mut request_bytes).await.unwrap() > 0);
                for piece in answer {
                    stream.write_all(piece.as_bytes()).await.unwrap();
                    stream.flush().await.unwrap();
                }
            }
        });
        let mut connection = HttpConnection::open(&authority).await.unwrap();
        let request = connection.build_get_request("/x");
        let reply = connection.send_request(&request).await.unwrap();
        assert_eq!(
            (reply.status, reply.header("x-y"), reply.body),
            (200, Some("z"), &b"hello"[..])
        );
        assert_eq!(connection.send_request(&request).await.unwrap().status, 204);
        server.await.unwrap();
    }
}
