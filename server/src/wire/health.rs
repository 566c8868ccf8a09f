//! How the server is.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Live {
    /// `live`.
    pub status: &'static str,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Ready {
    pub ready: bool,
    pub database: bool,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Integrity {
    pub healthy: bool,
    /// Each broken promise, and how many rows break it.
    pub violations: BTreeMap<String, u64>,
}
