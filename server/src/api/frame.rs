//! WebSocket frames. Each holds the complete newest state of its topic.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One WebSocket text frame, as JSON.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Frame<T> {
    /// Version of the frame format.
    pub v: u8,
    pub topic: String,
    /// Sequence number within the topic. A client ignores a frame with a lower number than the last
    /// one. For a draw it is the draw's revision.
    pub seq: u64,
    /// The server's time in Unix milliseconds.
    pub server_now: i64,
    pub r#type: &'static str,
    pub data: T,
}

/// Serialises a frame. `type` names the kind of `data`, such as `draw` or `order`.
pub fn serialise_frame<T: Serialize>(
    topic: &str,
    seq: u64,
    server_now: i64,
    r#type: &'static str,
    data: T,
) -> String {
    let frame = Frame {
        v: 1,
        topic: topic.to_string(),
        seq,
        server_now,
        r#type,
        data,
    };
    serde_json::to_string(&frame).unwrap_or_default()
}

/// The contents of a frame of the topic `public`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicNow {
    pub maintenance_mode: bool,
    pub build_version: String,
}

/// A message from the browser: topics to subscribe to or to unsubscribe from.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SubscriptionRequest {
    pub subscribe: Vec<String>,
    pub unsubscribe: Vec<String>,
}
