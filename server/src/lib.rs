//! What speaks: HTTP, JSON and WebSocket; the command line; the demo. Modules in reading order.

pub mod app;
pub mod config;
pub mod post;
pub mod render;
pub mod site;
pub mod telemetry;
