//! The server as browsers meet it: a private Postgres, real sockets, and the payment stand-in over HTTP. Every test ends by
//! asking the books whether a promise was broken.

mod access;
mod anomalies;
mod club;
mod console;
mod input;
mod live;
mod offers;
mod openapi;
mod operator;
mod pages;
mod privacy;
mod purchase;
mod reads;
mod season;
mod support;
