//! The server as browsers meet it: a private Postgres, real sockets, and the payment stand-in over HTTP. Every test ends by
//! asking the books whether a promise was broken.

mod access;
mod anomalies;
mod bad_input;
mod caching;
mod club;
mod console;
mod erasure;
mod fairness;
mod front;
mod input;
mod live;
mod my_tickets;
mod nudges;
mod offers;
mod openapi;
mod operator;
mod pages;
mod privacy;
mod purchase;
mod reads;
mod refusals;
mod season;
mod security;
mod support;
