//! What a socket carries: whole small views, newest only.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One JSON text frame.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Frame<T> {
    /// Of this layout.
    pub v: u8,
    pub topic: String,
    /// Newer wins; for a draw it is its revision.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub server_now: i64,
    pub r#type: &'static str,
    pub data: T,
}

/// `draws`, `public`, `order`, `draw`: the first of a topic and all later ones have the same type.
pub fn frame<T: Serialize>(
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

/// What everybody hears.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicNow {
    pub maintenance_mode: bool,
    pub build_version: String,
}

/// What a browser may say on the socket.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Wish {
    pub subscribe: Vec<String>,
    pub unsubscribe: Vec<String>,
}
