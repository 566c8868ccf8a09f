//! The request and response bodies of the API, with the field names of the specification. Domain
//! types are never serialised; these types are their counterparts.

pub mod claim;
pub mod club;
pub mod club_admin;
pub mod config;
pub mod console;
pub mod draw;
pub mod draw_form;
pub mod fixture;
pub mod footer;
pub mod frame;
pub mod health;
pub mod instant;
pub mod lenient;
pub mod my_tickets;
pub mod node;
pub mod offer;
pub mod order;
pub mod payout;
pub mod people;
pub mod problem;
pub mod proof;
pub mod purchase;
pub mod registration;
pub mod session;
pub mod site;
pub mod ticket;
pub mod widget;
