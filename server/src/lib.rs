//! What speaks: HTTP, JSON and WebSocket; the command line; the demo. Modules in reading order.

pub mod app;
pub mod catalogue;
pub mod config;
pub mod database;
pub mod demo;
pub mod edge;
pub mod error;
pub mod fixtures;
pub mod identity;
pub mod limits;
pub mod live;
pub mod open_orders;
pub mod post;
pub mod render;
pub mod routes;
pub mod sandbox;
pub mod site;
pub mod state;
pub mod telemetry;
pub mod terms;
pub mod wire;
