//! Answers of the health checks.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// The answer of the liveness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Liveness {
    /// Always `live`.
    pub status: &'static str,
}

/// The answer of the readiness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Readiness {
    pub ready: bool,
    pub database: bool,
}

/// The answer of the integrity check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IntegrityReport {
    pub healthy: bool,
    /// Number of violating rows by invariant.
    pub violations: BTreeMap<String, u64>,
}
