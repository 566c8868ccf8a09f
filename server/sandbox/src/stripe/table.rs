//! An in-memory table for one type of object. Rows are in order of creation and can be found by id.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::journal_record::RecordRef;

/// The columns by which an object is found and listed.
pub struct ObjectKey<'a> {
    pub id: &'a str,
    /// The connected account that owns the object. Empty for the platform.
    pub account: &'a str,
    /// Time of creation in seconds since 1970.
    pub created: i64,
}

/// An object of Stripe's API that the sandbox stores.
pub trait StripeObject: Clone {
    /// The name of the object type in error messages.
    const OBJECT_NAME: &'static str;
    fn key(&self) -> ObjectKey<'_>;
    /// Renders the object as JSON, as Stripe shows it to the holder of a secret key.
    fn render(&self) -> Value;
    fn as_record(&self) -> RecordRef<'_>;
}

/// The objects of one type.
#[derive(Debug)]
pub struct ObjectTable<T> {
    rows: VecDeque<T>,
    positions: HashMap<String, u64>,
    dropped: u64,
}

impl<T> Default for ObjectTable<T> {
    fn default() -> Self {
        Self {
            rows: VecDeque::new(),
            positions: HashMap::new(),
            dropped: 0,
        }
    }
}

impl<T: StripeObject> ObjectTable<T> {
    /// Inserts an object, or replaces the row with the same id.
    pub fn put(&mut self, row: T) {
        if let Some(position) = self.positions.get(row.key().id) {
            self.rows[(position - self.dropped) as usize] = row;
        } else {
            self.positions.insert(
                row.key().id.to_owned(),
                self.dropped + self.rows.len() as u64,
            );
            self.rows.push_back(row);
        }
    }

    pub fn get(&self, id: &str) -> Option<&T> {
        self.positions
            .get(id)
            .and_then(|position| self.rows.get((position - self.dropped) as usize))
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.positions
            .get(id)
            .and_then(|position| self.rows.get_mut((position - self.dropped) as usize))
    }

    /// Returns the index of the row with this id, in order of creation.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.positions
            .get(id)
            .map(|position| (position - self.dropped) as usize)
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.rows.iter()
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Drops the oldest row for which `may_drop` returns true. `false`: there is none.
    pub fn drop_oldest_matching(&mut self, may_drop: impl Fn(&T) -> bool) -> bool {
        let Some(index) = self.rows.iter().position(may_drop) else {
            return false;
        };
        let Some(row) = self.rows.remove(index) else {
            return false;
        };
        self.positions.remove(row.key().id);
        self.dropped += 1;
        // The older rows keep their index, so their positions grow by one with `dropped`.
        for older in self.rows.iter().take(index) {
            if let Some(position) = self.positions.get_mut(older.key().id) {
                *position += 1;
            }
        }
        true
    }
}
