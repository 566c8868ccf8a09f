//! Queries of the operator's console across all clubs. One file for each view.

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
