#![doc = include_str!("../README.md")]

// Startup and commands.
pub mod app;
pub mod audit;
pub mod backup;
pub mod command;
pub mod config;
pub mod database;
pub mod demo;
pub mod serve;
pub mod telemetry;

// Access control and the wire format.
pub mod client_reports;
pub mod edge;
pub mod error;
pub mod form;
pub mod front;
pub mod identity;
pub mod limits;
pub mod openapi;
pub mod routes;
pub mod wire;

// Application state and services that handlers use.
pub mod account_status;
pub mod catalogue;
pub mod checkout;
pub mod clock;
pub mod console_health;
pub mod draw_revenue;
pub mod fixtures;
pub mod live;
pub mod metrics;
pub mod nodes;
pub mod offer;
pub mod order_access;
pub mod state;
pub mod terms;

// Encodings and rendered documents.
pub mod encoded;
pub mod mail;
pub mod plain_text;
pub mod private_files;
pub mod render;
pub mod site;

// Used only by the demo and by tests.
#[cfg(test)]
mod adversarial_text;
pub mod sandbox;
