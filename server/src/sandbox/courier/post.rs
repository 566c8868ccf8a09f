//! Just enough of an HTTP client to post JSON to a plain address on this machine: keep-alive, one try, a time limit.

use std::io;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE_MAX: usize = 16;
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Keeps idle connections.
#[derive(Debug, Default)]
pub struct Post {
    idle: Mutex<Vec<(String, BufReader<TcpStream>)>>,
}

/// `http://host:port/path` taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Address<'a> {
    pub host: &'a str,
    pub path: &'a str,
}

impl<'a> Address<'a> {
    /// Only plain HTTP: the stand-in never leaves the machine.
    pub fn parse(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("http://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        (!host.is_empty()).then_some(Self {
            host,
            path: if path.is_empty() { "/" } else { path },
        })
    }

    fn socket(&self) -> String {
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

impl Post {
    /// Posts a signed event and gives the status of the answer.
    pub async fn send(&self, url: &str, signature: &str, body: String) -> io::Result<u16> {
        let address = Address::parse(url)
            .ok_or_else(|| io::Error::other("the webhook address is not plain HTTP"))?;
        let message = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\nuser-agent: Stripe/1.0 (sandbox)\r\ncontent-type: application/json\r\n\
             stripe-signature: {signature}\r\ncontent-length: {}\r\n\r\n{body}",
            address.path,
            address.host,
            body.len()
        );
        let exchange = async {
            if let Some(kept) = self.take_idle(address.host)
                && let Ok(status) = self.exchange(address.host, kept, &message).await
            {
                return Ok(status);
            }
            // A kept connection may have been closed meanwhile; a fresh one tells the truth.
            let fresh = TcpStream::connect(address.socket()).await?;
            fresh.set_nodelay(true)?;
            self.exchange(address.host, BufReader::new(fresh), &message)
                .await
        };
        tokio::time::timeout(ANSWER_TIMEOUT, exchange)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    fn take_idle(&self, host: &str) -> Option<BufReader<TcpStream>> {
        let mut idle = self
            .idle
            .lock()
            .expect("the idle connections are never poisoned");
        let found = idle.iter().position(|(kept, _)| kept == host)?;
        Some(idle.swap_remove(found).1)
    }

    async fn exchange(
        &self,
        host: &str,
        mut stream: BufReader<TcpStream>,
        message: &str,
    ) -> io::Result<u16> {
        stream.write_all(message.as_bytes()).await?;
        let (status, is_reusable) = read_answer(&mut stream).await?;
        let mut idle = self
            .idle
            .lock()
            .expect("the idle connections are never poisoned");
        if is_reusable && idle.len() < IDLE_MAX {
            idle.push((host.to_owned(), stream));
        }
        Ok(status)
    }
}

/// Reads one answer to its end; says whether the connection can serve again.
async fn read_answer(stream: &mut BufReader<TcpStream>) -> io::Result<(u16, bool)> {
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
    // A body without a length is not worth reading: the status is all we need.
    match length.or((status == 204).then_some(0)) {
        Some(length) if length <= ANSWER_BYTES_MAX && !closes => {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).await?;
            Ok((status, true))
        }
        _ => Ok((status, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn plain_addresses_are_taken_apart_and_others_refused() {
        let address = Address::parse("http://127.0.0.1:8080/api/stripe/webhook").unwrap();
        assert_eq!(
            address,
            Address {
                host: "127.0.0.1:8080",
                path: "/api/stripe/webhook"
            }
        );
        assert_eq!(
            Address::parse("http://demo.test").unwrap().socket(),
            "demo.test:80"
        );
        assert_eq!(Address::parse("https://demo.test/"), None);
    }
}
