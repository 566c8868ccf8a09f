//! A board or a buyer's open page: a WebSocket that remembers what it heard.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::buyer::Buyer;
use super::server::TestServer;

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Socket {
    pub stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Socket {
    pub async fn open(server: &TestServer, topics: &str) -> Socket {
        Socket::from_origin(server, topics, &server.url)
            .await
            .expect("a socket")
    }

    /// From a page of somebody who is signed in, or is not.
    pub async fn of(server: &TestServer, browser: &Buyer, topics: &str) -> Socket {
        let url = format!(
            "{}/ws?topics={topics}",
            server.url.replacen("http", "ws", 1)
        );
        let mut request = url.into_client_request().expect("a request");
        request
            .headers_mut()
            .insert("origin", server.url.parse().expect("an origin"));
        let cookies = browser.cookies();
        if !cookies.is_empty() {
            request
                .headers_mut()
                .insert("cookie", cookies.parse().expect("cookies"));
        }
        Socket {
            stream: connect_async(request).await.expect("a socket").0,
        }
    }

    /// From a page of another origin; the status when it is refused.
    pub async fn from_origin(
        server: &TestServer,
        topics: &str,
        origin: &str,
    ) -> Result<Socket, u16> {
        let url = format!(
            "{}/ws?topics={topics}",
            server.url.replacen("http", "ws", 1)
        );
        let mut request = url.into_client_request().expect("a request");
        request
            .headers_mut()
            .insert("origin", origin.parse().expect("an origin"));
        match connect_async(request).await {
            Ok((stream, _)) => Ok(Socket { stream }),
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                Err(response.status().as_u16())
            }
            Err(other) => panic!("no answer: {other}"),
        }
    }

    /// The next frame of a type.
    pub async fn hears(&mut self, kind: &str) -> Value {
        let next = async {
            loop {
                let frame = self.hears_any(kind).await;
                if frame["type"] == kind {
                    return frame;
                }
            }
        };
        tokio::time::timeout(PATIENCE, next)
            .await
            .unwrap_or_else(|_| panic!("never heard {kind}"))
    }

    /// The next frame, whatever it is.
    pub async fn hears_any(&mut self, awaited: &str) -> Value {
        let next = async {
            loop {
                match self
                    .stream
                    .next()
                    .await
                    .expect("an open socket")
                    .expect("a message")
                {
                    Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                    Message::Close(reason) => panic!("closed: {reason:?}"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, next)
            .await
            .unwrap_or_else(|_| panic!("never heard {awaited}"))
    }

    pub async fn says(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.expect("sent");
    }

    /// How the server ended it.
    pub async fn farewell(&mut self) -> Option<CloseFrame> {
        let end = async {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Close(reason))) => return reason,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        };
        tokio::time::timeout(PATIENCE, end)
            .await
            .expect("the socket ends")
    }
}
