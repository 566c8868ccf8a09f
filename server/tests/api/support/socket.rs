//! A WebSocket client, such as a board or a buyer's page.

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

const WAIT_TIME_MAX: Duration = Duration::from_secs(20);

/// An open WebSocket to the server.
pub struct Socket {
    pub stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Socket {
    /// Opens a WebSocket with the site's own origin and without cookies.
    pub async fn open(server: &TestServer, topics: &str) -> Socket {
        Socket::open_from_origin(server, topics, &server.url)
            .await
            .expect("a socket")
    }

    /// Opens a WebSocket with the site's own origin and the cookies of a browser.
    pub async fn open_with_cookies_of(
        server: &TestServer,
        browser: &Buyer,
        topics: &str,
    ) -> Socket {
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

    /// Opens a WebSocket with this `Origin` header. The error is the HTTP status of the refusal.
    pub async fn open_from_origin(
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

    /// Waits for the next frame of this type, skipping others.
    pub async fn next_frame(&mut self, kind: &str) -> Value {
        let next = async {
            loop {
                let frame = self.next_frame_of_any_type(kind).await;
                if frame["type"] == kind {
                    return frame;
                }
            }
        };
        tokio::time::timeout(WAIT_TIME_MAX, next)
            .await
            .unwrap_or_else(|_| panic!("no frame of type {kind} arrived"))
    }

    /// Waits for the next frame of any type. If none arrives, panics with the text `awaited`.
    pub async fn next_frame_of_any_type(&mut self, awaited: &str) -> Value {
        let next = async {
            loop {
                match self
                    .stream
                    .next()
                    .await
                    .expect("an open socket")
                    .expect("a message")
                {
                    Message::Text(text) => return serde_json::from_str(&text).expect("valid JSON"),
                    Message::Close(reason) => panic!("closed: {reason:?}"),
                    _ => {}
                }
            }
        };
        tokio::time::timeout(WAIT_TIME_MAX, next)
            .await
            .unwrap_or_else(|_| panic!("no frame arrived: {awaited}"))
    }

    pub async fn send_text(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.expect("sent");
    }

    /// Waits until the server closes the WebSocket, and returns the close frame.
    pub async fn wait_for_close_frame(&mut self) -> Option<CloseFrame> {
        let end = async {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Close(reason))) => return reason,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        };
        tokio::time::timeout(WAIT_TIME_MAX, end)
            .await
            .expect("the socket ends")
    }
}
