//! What a club does, from the outside: club.md, line by line.

mod account;
mod archived;
mod at_once;
mod desk;
mod draws;
mod entry;
mod limits;
pub mod money;
mod payments;
mod payouts;
mod people;
pub mod reports;
mod same_game;
mod sessions;
pub mod winners;
mod words;
