//! What a club does, from the outside: club.md, line by line.

mod desk;
mod draws;
mod entry;
mod money;
mod winners;
