//! Saved responses by idempotency key. The same request gets the same response, server errors
//! included.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::KeyKind;
use super::intent::Intent;

/// Stripe guarantees a day.
pub const SAVED_SECONDS: i64 = 24 * 3600;
const SAVED_KEYS_MAX: usize = 50_000;

/// A response saved under an idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedResponse {
    /// The account, a space and the key, so that keys of different accounts cannot collide.
    pub key: String,
    pub fingerprint: String,
    pub status: u16,
    pub body: SavedBody,
    pub at: i64,
}

/// A saved response body. Most are payment intents, which are saved as a snapshot instead of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedBody {
    Text(String),
    Intent {
        id: String,
        access: KeyKind,
        /// A journal line contains it only if the line with the intent's own change has been
        /// removed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<Box<Intent>>,
    },
}

impl SavedBody {
    /// The body as JSON.
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

/// The result of looking up a key and its parameters.
#[derive(Debug)]
pub enum SavedLookup<'a> {
    Miss,
    Hit(&'a SavedResponse),
    OtherParameters,
}

impl SavedResponses {
    /// Looks up the response of a key and checks the parameters.
    pub fn look_up(&self, key: &str, fingerprint: &str) -> SavedLookup<'_> {
        match self.responses.get(key) {
            None => SavedLookup::Miss,
            Some(response) if response.fingerprint == fingerprint => SavedLookup::Hit(response),
            Some(_) => SavedLookup::OtherParameters,
        }
    }

    /// Saves a response and drops the oldest ones beyond the limit.
    pub fn insert(&mut self, response: SavedResponse) {
        self.order.push_back(response.key.clone());
        self.responses.insert(response.key.clone(), response);
        while self.order.len() > SAVED_KEYS_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
    }

    pub fn responses(&self) -> impl Iterator<Item = &SavedResponse> {
        self.order.iter().filter_map(|key| self.responses.get(key))
    }
}
