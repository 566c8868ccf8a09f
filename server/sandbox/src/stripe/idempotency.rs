//! Responses saved under idempotency keys. A repeated request gets the saved response, also if it
//! was a server error.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::api_call::ApiKeyKind;
use super::intent::Intent;

/// Age in seconds from which a compaction of the journal drops a saved response. Stripe guarantees
/// a day.
pub const SAVED_RESPONSE_AGE_SECONDS_MAX: i64 = 24 * 3600;
const SAVED_RESPONSES_MAX: usize = 50_000;

/// A response saved under an idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedResponse {
    /// The account, a space, and the idempotency key. Different accounts may use equal idempotency
    /// keys.
    pub key: String,
    pub fingerprint: String,
    pub status: u16,
    pub body: SavedBody,
    pub at: i64,
}

/// A saved response body. Most bodies are payment intents, which are saved as a snapshot because
/// JSON takes more memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedBody {
    Text(String),
    Intent {
        id: String,
        access: ApiKeyKind,
        /// The intent at the time of the response. Only lines that a compaction of the journal has
        /// written contain it. Otherwise the intent is known from an earlier line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<Box<Intent>>,
    },
}

impl SavedBody {
    /// Returns the body as JSON text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Intent {
                access, snapshot, ..
            } => snapshot
                .as_ref()
                .map_or(Value::Null, |intent| intent.render_for(*access))
                .to_string(),
        }
    }
}

#[derive(Debug, Default)]
pub struct SavedResponses {
    responses: HashMap<String, SavedResponse>,
    order: VecDeque<String>,
}

/// The result of a search for a saved response, by idempotency key and parameters.
#[derive(Debug)]
pub enum SavedResponseLookup<'a> {
    Miss,
    Hit(&'a SavedResponse),
    OtherParameters,
}

impl SavedResponses {
    /// Finds the response saved under a key. `fingerprint` tells whether the request has the
    /// parameters of the saved one.
    pub fn look_up(&self, key: &str, fingerprint: &str) -> SavedResponseLookup<'_> {
        match self.responses.get(key) {
            None => SavedResponseLookup::Miss,
            Some(response) if response.fingerprint == fingerprint => {
                SavedResponseLookup::Hit(response)
            }
            Some(_) => SavedResponseLookup::OtherParameters,
        }
    }

    /// Saves a response. Drops the oldest responses beyond [`SAVED_RESPONSES_MAX`].
    pub fn insert(&mut self, response: SavedResponse) {
        self.order.push_back(response.key.clone());
        self.responses.insert(response.key.clone(), response);
        while self.order.len() > SAVED_RESPONSES_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
    }

    pub fn responses(&self) -> impl Iterator<Item = &SavedResponse> {
        self.order.iter().filter_map(|key| self.responses.get(key))
    }
}
