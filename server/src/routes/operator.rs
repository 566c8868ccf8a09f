//! For the platform operator alone.

pub mod described;
pub mod settings;
