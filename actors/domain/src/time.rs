//! An instant, as milliseconds since 1970 UTC. Always an argument: the domain has no clock.

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub fn plus_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0 + ms)
    }

    pub fn plus_seconds(self, seconds: i64) -> Timestamp {
        self.plus_ms(seconds * 1000)
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` comes first.
    pub fn ms_since(self, earlier: Timestamp) -> i64 {
        self.0 - earlier.0
    }
}
