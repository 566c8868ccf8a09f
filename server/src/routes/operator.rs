//! For the platform operator alone.

pub mod settings;
