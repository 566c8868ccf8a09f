//! What the operator's console reads across all clubs: one question a file, straight from the books.

pub mod anomalies;
pub mod cancellations;
pub mod clubs;
pub mod draws;
pub mod orders;
pub mod orphans;
pub mod search;
pub mod series;
pub mod takings;
pub mod transactions;
pub mod vitals;
