//! Purchases and their failures: never charged without tickets, never sold twice.

mod cart;
mod faults;
mod full_queue;
mod journey;
mod limits;
mod payment_method;
mod read_only_database;
mod reservation;
