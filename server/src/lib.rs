#![doc = include_str!("../README.md")]

// How it starts.
pub mod app;
pub mod audit;
pub mod backup;
pub mod command;
pub mod config;
pub mod database;
pub mod demo;
pub mod serve;
pub mod telemetry;

// Who may ask for what, and what crosses the wire.
pub mod edge;
pub mod error;
pub mod form;
pub mod front;
pub mod heard;
pub mod identity;
pub mod limits;
pub mod openapi;
pub mod routes;
pub mod wire;

// What handlers reach.
pub mod catalogue;
pub mod clock;
pub mod fixtures;
pub mod live;
pub mod metrics;
pub mod nodes;
pub mod offer;
pub mod open_orders;
pub mod standing;
pub mod state;
pub mod takings;
pub mod terms;
pub mod vitals;

// How answers leave, and what leaves as something else than JSON.
pub mod encoded;
pub mod post;
pub mod render;
pub mod site;

// The demo and the tests only.
#[cfg(test)]
mod hostile;
pub mod sandbox;
