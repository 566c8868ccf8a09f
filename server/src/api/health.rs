//! Response bodies of the health checks.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// Response body of the liveness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Liveness {
    /// Always `live`.
    pub status: &'static str,
}

/// Response body of the readiness check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Readiness {
    pub ready: bool,
    pub database: bool,
}

/// Response body of the integrity check.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct IntegrityReport {
    pub healthy: bool,
    /// Number of violating rows by invariant.
    pub violations: BTreeMap<String, u64>,
}
