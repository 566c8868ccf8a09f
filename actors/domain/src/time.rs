//! Points in time. The domain has no clock: the current time is always an argument.

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0 + ms)
    }

    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Timestamp {
        self.plus_ms(seconds * 1000)
    }

    /// Returns the milliseconds from `earlier` to `self`. Negative if `self` is earlier.
    pub fn ms_since(self, earlier: Timestamp) -> i64 {
        self.0 - earlier.0
    }
}
