//! One kind of object: in order of creation, found by id, oldest forgotten first.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::record::RecordRef;

/// What an object is found and listed by.
pub struct Key<'a> {
    pub id: &'a str,
    /// The connected account it lives on; empty for the platform.
    pub account: &'a str,
    /// Seconds since 1970.
    pub created: i64,
}

/// An object the stand-in keeps.
pub trait Row: Clone {
    /// The provider's word for it, as used in `object` and in errors.
    const OBJECT: &'static str;
    fn key(&self) -> Key<'_>;
    /// The object as the provider shows it to a secret key.
    fn render(&self) -> Value;
    fn record(&self) -> RecordRef<'_>;
}

#[derive(Debug)]
pub struct Table<T> {
    rows: VecDeque<T>,
    positions: HashMap<String, u64>,
    forgotten: u64,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            rows: VecDeque::new(),
            positions: HashMap::new(),
            forgotten: 0,
        }
    }
}

impl<T: Row> Table<T> {
    pub fn put(&mut self, row: T) {
        match self.positions.get(row.key().id) {
            Some(position) => self.rows[(position - self.forgotten) as usize] = row,
            None => {
                self.positions.insert(
                    row.key().id.to_owned(),
                    self.forgotten + self.rows.len() as u64,
                );
                self.rows.push_back(row);
            }
        }
    }

    pub fn get(&self, id: &str) -> Option<&T> {
        self.positions
            .get(id)
            .and_then(|position| self.rows.get((position - self.forgotten) as usize))
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.positions
            .get(id)
            .and_then(|position| self.rows.get_mut((position - self.forgotten) as usize))
    }

    /// Where a row stands in order of creation.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.positions
            .get(id)
            .map(|position| (position - self.forgotten) as usize)
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.rows.iter()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn oldest(&self) -> Option<&T> {
        self.rows.front()
    }

    pub fn forget_oldest(&mut self) {
        if let Some(row) = self.rows.pop_front() {
            self.positions.remove(row.key().id);
            self.forgotten += 1;
        }
    }
}
