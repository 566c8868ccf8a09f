//! Buying, with everything that can go wrong on the way. Whatever goes wrong: never charged without tickets, never sold twice.

mod cart;
mod faults;
mod journey;
mod limits;
mod payment_method;
mod queue;
mod read_only;
mod reservation;
