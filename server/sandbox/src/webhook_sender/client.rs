//! A minimal HTTP client that posts JSON to this machine. It reuses connections and limits the time
//! of a request.

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE_WEBHOOK_CONNECTIONS_MAX: usize = 16;
const RESPONSE_BYTES_MAX: usize = 1 << 20;

/// An HTTP client with a pool of idle connections to reuse.
#[derive(Debug, Default)]
pub struct WebhookClient {
    idle: Mutex<Vec<(String, BufReader<TcpStream>)>>,
}

/// Host and path of an `http://host:port/path` URL.
#[derive(Debug, PartialEq, Eq)]
pub struct WebhookUrl<'a> {
    pub host: &'a str,
    pub path: &'a str,
}

impl<'a> WebhookUrl<'a> {
    /// Parses a plain-HTTP URL. Returns `None` for any other URL, because the sandbox calls only
    /// this machine.
    pub fn parse(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("http://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        (!host.is_empty()).then_some(Self {
            host,
            path: if path.is_empty() { "/" } else { path },
        })
    }

    fn socket_address(&self) -> String {
        if self
            .host
            .rsplit(']')
            .next()
            .is_some_and(|tail| tail.contains(':'))
        {
            self.host.to_owned()
        } else {
            format!("{}:80", self.host)
        }
    }
}

impl WebhookClient {
    /// Posts a signed event and returns the status code of the response.
    pub async fn post_event(&self, url: &str, signature: &str, body: String) -> io::Result<u16> {
        let url_parts = WebhookUrl::parse(url)
            .ok_or_else(|| io::Error::other("the webhook address is not plain HTTP"))?;
        let message = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\nuser-agent: Stripe/1.0 (sandbox)\r\ncontent-type: application/json\r\n\
             stripe-signature: {signature}\r\ncontent-length: {}\r\n\r\n{body}",
            url_parts.path,
            url_parts.host,
            body.len()
        );
        let exchange = async {
            if let Some(idle_stream) = self.take_idle_connection(url_parts.host)
                && let Ok(status) = self
                    .post_on_connection(url_parts.host, idle_stream, &message)
                    .await
            {
                return Ok(status);
            }
            // The server may have closed the idle connection, so the request is sent once more on a
            // new connection.
            let stream = TcpStream::connect(url_parts.socket_address()).await?;
            stream.set_nodelay(true)?;
            self.post_on_connection(url_parts.host, BufReader::new(stream), &message)
                .await
        };
        tokio::time::timeout(RESPONSE_TIMEOUT, exchange)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    fn take_idle_connection(&self, host: &str) -> Option<BufReader<TcpStream>> {
        let mut idle = self
            .idle
            .lock()
            .expect("the idle connections are never poisoned");
        let found = idle
            .iter()
            .position(|(idle_stream, _)| idle_stream == host)?;
        Some(idle.swap_remove(found).1)
    }

    async fn post_on_connection(
        &self,
        host: &str,
        mut stream: BufReader<TcpStream>,
        message: &str,
    ) -> io::Result<u16> {
        stream.write_all(message.as_bytes()).await?;
        let (status, is_reusable) = read_response(&mut stream).await?;
        let mut idle = self
            .idle
            .lock()
            .expect("the idle connections are never poisoned");
        if is_reusable && idle.len() < IDLE_WEBHOOK_CONNECTIONS_MAX {
            idle.push((host.to_owned(), stream));
        }
        Ok(status)
    }
}

/// Reads one response to its end. Returns its status, and whether the connection can be reused.
async fn read_response(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, bool)> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status: u16 = status.ok_or_else(|| io::Error::other("no HTTP answer"))?;
    let (mut length, mut closes) = (None, false);
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.trim().is_empty() {
            break;
        }
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse::<usize>().ok();
        }
        closes |= header.starts_with("connection:") && header.contains("close");
    }
    // Only the status is needed. A body without a length is not read, and its connection is
    // dropped.
    match length.or((status == 204).then_some(0)) {
        Some(length) if length <= RESPONSE_BYTES_MAX && !closes => {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            Ok((status, true))
        }
        _ => Ok((status, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::WebhookUrl;

    #[test]
    fn webhook_url_accepts_plain_http_only() {
        let url_parts = WebhookUrl::parse("http://127.0.0.1:8080/api/stripe/webhook").unwrap();
        assert_eq!(
            url_parts,
            WebhookUrl {
                host: "127.0.0.1:8080",
                path: "/api/stripe/webhook"
            }
        );
        assert_eq!(
            WebhookUrl::parse("http://demo.test")
                .unwrap()
                .socket_address(),
            "demo.test:80"
        );
        assert_eq!(WebhookUrl::parse("https://demo.test/"), None);
    }
}
