//! What crosses the wire, in the specification's own words. Domain types never serialise; these are their counterparts.

pub mod claim;
pub mod club;
pub mod config;
pub mod console;
pub mod desk;
pub mod draw;
pub mod draw_form;
pub mod fixture;
pub mod footer;
pub mod frame;
pub mod health;
pub mod instant;
pub mod joining;
pub mod loose;
pub mod my_tickets;
pub mod order;
pub mod payout;
pub mod people;
pub mod problem;
pub mod proof;
pub mod purchase;
pub mod session;
pub mod site;
pub mod special;
pub mod ticket;
pub mod widget;
