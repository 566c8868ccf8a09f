//! What was answered under an idempotency key: the same question gets the same answer, server errors included.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::Access;
use super::intent::Intent;

/// The provider promises a day.
pub const KEPT_SECONDS: i64 = 24 * 3600;
const KEYS_KEPT_MAX: usize = 50_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Remembered {
    /// The account, a space and the key: keys of different accounts do not meet.
    pub key: String,
    pub fingerprint: String,
    pub status: u16,
    pub body: Body,
    pub at: i64,
}

/// A remembered answer. Most are a payment intent, which is kept as it was rather than as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Text(String),
    Intent {
        id: String,
        access: Access,
        /// A journal line has it only if the line with the intent's own change is gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<Box<Intent>>,
    },
}

impl Body {
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Intent {
                access, snapshot, ..
            } => snapshot
                .as_ref()
                .map_or(Value::Null, |intent| intent.shown_to(*access))
                .to_string(),
        }
    }
}

#[derive(Debug, Default)]
pub struct Memory {
    answers: HashMap<String, Remembered>,
    order: VecDeque<String>,
}

/// What the memory says to a key and its parameters.
#[derive(Debug)]
pub enum Recall<'a> {
    New,
    Same(&'a Remembered),
    OtherParameters,
}

impl Memory {
    pub fn recall(&self, key: &str, fingerprint: &str) -> Recall<'_> {
        match self.answers.get(key) {
            None => Recall::New,
            Some(answer) if answer.fingerprint == fingerprint => Recall::Same(answer),
            Some(_) => Recall::OtherParameters,
        }
    }

    pub fn keep(&mut self, answer: Remembered) {
        self.order.push_back(answer.key.clone());
        self.answers.insert(answer.key.clone(), answer);
        while self.order.len() > KEYS_KEPT_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.answers.remove(&oldest);
            }
        }
    }

    pub fn answers(&self) -> impl Iterator<Item = &Remembered> {
        self.order.iter().filter_map(|key| self.answers.get(key))
    }
}
