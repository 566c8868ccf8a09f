//! Money: what we need of a payment provider, and the one room behind all doors.

pub mod connect;
pub mod gateway;
