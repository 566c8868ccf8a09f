//! The worker behind every purchase: claims operations that are due and runs each in its order's lane, under its own key.

use std::sync::Arc;
use std::time::Duration;

use domain::OrderState;
use persistence::books::{Operation, OperationKind};
use tokio::sync::{Semaphore, watch};

use super::effects::Unmade;
use super::room::{Later, Room};
use super::settling::LEASE_MS;
use crate::rhythm::Rhythm;
use crate::{FulfilStatus, PaymentFailure};

/// Operations under way at once; a provider that hangs on some does not keep the others waiting.
const UNDER_WAY_MAX: usize = 64;
/// How long the worker rests when nothing is due: it is nudged when something is queued.
const REST: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(8));

pub(crate) async fn run(room: Arc<Room>, stop: watch::Receiver<bool>) {
    let under_way = Arc::new(Semaphore::new(UNDER_WAY_MAX));
    let mut rhythm = Rhythm::new(REST, stop);
    while rhythm.next(&room.nudges.operations).await {
        let room_for = under_way.available_permits() as u32;
        let claimed = match room_for {
            0 => Ok(Vec::new()),
            _ => {
                room.books
                    .claim_operations(room.clock.now(), LEASE_MS, room_for)
                    .await
            }
        };
        match claimed {
            Ok(operations) if operations.is_empty() => rhythm.found_nothing(),
            Ok(operations) => {
                rhythm.found_something();
                for operation in operations {
                    let (room, permit) = (room.clone(), under_way.clone().try_acquire_owned());
                    tokio::spawn(async move {
                        perform(&room, operation).await;
                        drop(permit);
                    });
                }
            }
            Err(failure) => {
                tracing::warn!(%failure, "operations could not be claimed");
                rhythm.found_nothing();
            }
        }
    }
}

async fn perform(room: &Arc<Room>, operation: Operation) {
    let (inside, order) = (room.clone(), operation.order);
    let performed = room
        .in_lane(order, async move { inside.perform(operation).await })
        .await;
    if let Err(failure) = performed {
        // Its lease ends by itself.
        tracing::warn!(%failure, order.id = %order, "an operation waits");
    }
}

impl Room {
    /// One attempt of one operation; how it ended is written in every case.
    async fn perform(&self, operation: Operation) -> Result<(), PaymentFailure> {
        let record = self.record(operation.order).await;
        let mut record = match record {
            Ok(record) => record,
            Err(failure) => {
                self.again(&operation, false).await;
                return Err(failure);
            }
        };
        let decided = record.order.state != OrderState::Quoted;
        let ended = match operation.kind {
            // Nobody waits for the intent any more.
            OperationKind::Create | OperationKind::Update if decided => {
                self.done(&operation).await.map_err(Unmade::from)
            }
            OperationKind::Create => self.create(&mut record, &operation).await,
            OperationKind::Update => self.update(&record, &operation).await,
            OperationKind::Capture | OperationKind::Cancel => {
                self.settle(operation).await.map_err(Unmade::from)
            }
            OperationKind::Refund | OperationKind::FeeRefund => self
                .give_money_back(&record, &operation)
                .await
                .map_err(Unmade::from),
        };
        match ended {
            Ok(()) | Err(Unmade::Later | Unmade::Refused { .. }) => Ok(()),
        }
    }

    /// A capture or a cancellation is a visit to the room like any other.
    async fn settle(&self, operation: Operation) -> Result<(), Later> {
        let order = operation.order;
        let mut held = Some(operation);
        let fulfilled = self.fulfil(order, &mut held).await;
        let Some(unused) = held else { return Ok(()) };
        match fulfilled.map(|fulfilled| fulfilled.status) {
            // Another door was faster: what this operation was for is done.
            Ok(
                FulfilStatus::Succeeded | FulfilStatus::Refunding | FulfilStatus::NotCharged { .. },
            ) => self.done(&unused).await,
            _ => Err(self.again(&unused, false).await),
        }
    }
}
