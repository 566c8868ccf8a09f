//! Five doors, one room: whoever says that a payment is there, and how often, the tickets are given once and the money is taken
//! once.

use actors::FulfilStatus;

#[path = "payments/amnesia.rs"]
mod amnesia;
#[path = "payments/anomalies.rs"]
mod anomalies;
#[path = "payments/crowd.rs"]
mod crowd;
#[path = "payments/doors.rs"]
mod doors;
#[path = "payments/faults.rs"]
mod faults;
#[path = "payments/lateness.rs"]
mod lateness;
#[path = "payments/letters.rs"]
mod letters;
#[path = "payments/money_back.rs"]
mod money_back;
#[path = "payments/nudges.rs"]
mod nudges;
#[path = "payments/opening.rs"]
mod opening;
#[path = "payments/reported.rs"]
mod reported;
#[path = "support/world.rs"]
mod world;

fn not_charged(status: &FulfilStatus) -> bool {
    matches!(status, FulfilStatus::NotCharged { .. })
}
