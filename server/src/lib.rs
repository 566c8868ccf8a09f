//! What speaks: HTTP, JSON and WebSocket; the command line; the demo. Modules in reading order.

// How it starts.
pub mod app;
pub mod config;
pub mod database;
pub mod demo;
pub mod telemetry;

// What leaves as something else than JSON.
pub mod post;
pub mod render;
pub mod site;

// The demo only.
pub mod sandbox;
