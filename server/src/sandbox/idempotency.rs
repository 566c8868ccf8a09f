//! What was answered under an idempotency key: the same question gets the same answer, server errors included.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

/// The provider promises a day.
pub const KEPT_SECONDS: i64 = 24 * 3600;
const KEYS_KEPT_MAX: usize = 100_000;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Remembered {
    /// The account, a space and the key: keys of different accounts do not meet.
    pub key: String,
    pub fingerprint: String,
    pub status: u16,
    pub body: String,
    pub at: i64,
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
