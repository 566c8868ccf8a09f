//! What nobody should be able to do, attack by attack. `server/ASVS.md` says which requirement each file answers.

mod bodies;
mod bot;
mod foreign;
mod headers;
mod injection;
mod invention;
mod matrix;
pub mod notices;
mod origin;
mod pictures;
mod redirects;
mod sockets;
mod standing;
mod worlds;
