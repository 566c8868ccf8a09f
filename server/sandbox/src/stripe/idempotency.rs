//! Responses saved under idempotency keys. A repeated request gets the saved response, also if it
//! was a server error.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::api_call::ApiKeyKind;
use super::intent::Intent;

/// Age in seconds from which a saved response is forgotten. Stripe keeps a response for at least a
/// day, so a client must not rely on more.
const SAVED_RESPONSE_AGE_SECONDS_MAX: i64 = 24 * 3600;
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

impl SavedResponse {
    /// Whether the response is too old at `now`, in seconds since 1970.
    pub fn is_forgotten(&self, now: i64) -> bool {
        now - self.at >= SAVED_RESPONSE_AGE_SECONDS_MAX
    }
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
    /// Finds the response saved under a key, unless it is forgotten at `now`, in seconds since
    /// 1970. `fingerprint` tells whether the request has the parameters of the saved one.
    pub fn look_up(&self, key: &str, fingerprint: &str, now: i64) -> SavedResponseLookup<'_> {
        let saved = self.responses.get(key);
        match saved.filter(|response| !response.is_forgotten(now)) {
            None => SavedResponseLookup::Miss,
            Some(response) if response.fingerprint == fingerprint => {
                SavedResponseLookup::Hit(response)
            }
            Some(_) => SavedResponseLookup::OtherParameters,
        }
    }

    /// Saves a response. Drops forgotten responses, and the oldest responses beyond
    /// [`SAVED_RESPONSES_MAX`].
    pub fn insert(&mut self, response: SavedResponse) {
        while let Some(oldest) = self.order.front()
            && (self.order.len() >= SAVED_RESPONSES_MAX
                || self
                    .responses
                    .get(oldest)
                    .is_none_or(|oldest| oldest.is_forgotten(response.at)))
        {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
        self.order.push_back(response.key.clone());
        self.responses.insert(response.key.clone(), response);
    }

    pub fn responses(&self) -> impl Iterator<Item = &SavedResponse> {
        self.order.iter().filter_map(|key| self.responses.get(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(key: &str, at: i64) -> SavedResponse {
        SavedResponse {
            key: key.to_owned(),
            fingerprint: "fingerprint".to_owned(),
            status: 200,
            body: SavedBody::Text(at.to_string()),
            at,
        }
    }

    #[test]
    fn saved_response_is_forgotten_after_a_day() {
        let mut saved = SavedResponses::default();
        saved.insert(response("key", 1000));
        let forgotten_at = 1000 + SAVED_RESPONSE_AGE_SECONDS_MAX;
        let found = saved.look_up("key", "fingerprint", forgotten_at - 1);
        assert!(matches!(found, SavedResponseLookup::Hit(_)), "{found:?}");
        for fingerprint in ["fingerprint", "other"] {
            let found = saved.look_up("key", fingerprint, forgotten_at);
            assert!(matches!(found, SavedResponseLookup::Miss), "{found:?}");
        }
        saved.insert(response("key", forgotten_at));
        assert_eq!(saved.responses().count(), 1, "the old response is dropped");
        let found = saved.look_up("key", "fingerprint", forgotten_at);
        assert!(matches!(found, SavedResponseLookup::Hit(new) if new.at == forgotten_at));
    }
}
