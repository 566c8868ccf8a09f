//! Purchases and their failures. A buyer is never charged without tickets, and no ticket is sold
//! twice.

mod cart;
mod confirmation_token;
mod faults;
mod full_queue;
mod journey;
mod limits;
mod payment_method;
mod read_only_database;
mod reservation;
