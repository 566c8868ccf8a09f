//! Database queries for the operator's console, across all clubs. Each view has one file.

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
