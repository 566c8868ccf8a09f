//! Tests of the server over HTTP and WebSocket. `TestServer` starts a server with its own Postgres
//! database and Stripe sandbox. `TestServer::finish` checks the database's invariants.

mod access;
mod anomalies;
mod caching;
mod club;
mod demo_season;
mod erasure;
mod fast_path;
mod invalid_values;
mod mailer_wakeups;
mod malformed_input;
mod movable_clock;
mod my_tickets;
mod offers;
mod openapi;
mod operator;
mod operator_console;
mod own_order;
mod pages;
mod privacy;
mod proof_script;
mod public_reads;
mod purchase;
mod recorded_journey;
mod refusal_messages;
mod revealed_draw;
mod security;
mod support;
mod websocket;
