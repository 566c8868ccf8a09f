//! What is said of the calls for the operator.

use crate::openapi::description::describe;
use crate::routes::operator::settings::Wanted as SetMaintenanceMode;
use crate::wire::site::MaintenanceMode;

describe! {
    Post "/api/admin/maintenance-mode" "Refuses new payments for now, or takes them again." takes SetMaintenanceMode -> MaintenanceMode;
}
