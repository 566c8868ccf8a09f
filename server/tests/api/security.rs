//! Attacks that must fail, one file for each kind. `server/ASVS.md` lists which requirement each
//! file tests.

mod access_matrix;
mod account_webhooks;
mod bots;
mod headers;
mod hidden_characters;
mod hold_limits;
mod hostile_files;
mod injection;
mod mass_assignment;
mod order_secrets;
mod origin;
mod other_clubs_objects;
mod paths_and_addresses;
mod pictures;
mod public_bytes;
mod redirects;
mod request_bodies;
mod sockets;
mod stored_secrets;
mod unconfirmed_clubs;
mod untrusted_uploads;
pub mod webhooks;
