#![doc = include_str!("../README.md")]
//!
//! # Layers
//!
//! A module imports only modules that are declared above it.

/// Text rules and legal texts. Imports no other module of this crate.
pub mod text {
    #[cfg(test)]
    pub(crate) mod adversarial_text;
    pub mod contact_format;
    pub mod plain_text;
    pub mod terms;
}

pub mod config;

/// The request and response bodies of the API, with the field names of the specification. Domain
/// types are never serialised; these types are their counterparts.
pub mod api {
    pub mod claim;
    pub mod club;
    pub mod club_admin;
    pub mod club_dashboard;
    pub mod club_users;
    pub mod compressible_body;
    pub mod config;
    pub mod console;
    pub mod draw;
    pub mod draw_form;
    pub mod error;
    pub mod fixture;
    pub mod footer;
    pub mod form;
    pub mod frame;
    pub mod health;
    pub mod lenient_numbers;
    pub mod my_tickets;
    pub mod node;
    pub mod offer;
    pub mod order;
    pub mod payout;
    pub mod problem;
    pub mod proof;
    pub mod purchase;
    pub mod registration;
    pub mod reminder;
    pub mod session;
    pub mod site;
    pub mod ticket;
    pub mod time_format;
    pub mod widget;
}

/// Operation of the process: lifecycle, database connection, logs, metrics and backups.
pub mod ops {
    pub mod backup;
    pub mod client_reports;
    pub mod clock;
    pub mod console_health;
    pub mod database;
    pub mod lifecycle;
    pub mod metrics;
    pub mod peer_credentials;
    pub mod private_files;
    pub mod telemetry;
}

/// Services that handlers share. No service depends on the application's `State`.
pub mod services {
    pub mod account_status;
    pub mod catalogue;
    pub mod draw_revenue;
    pub mod fixtures;
    pub mod identity;
    pub mod integrity;
    pub mod limits;
    pub mod live_hub;
    pub mod offer;
    pub mod open_orders;
    pub mod wallet_domains;
}

/// Renders everything that is not JSON: pages, mails, PDF reports, pictures and calendar files.
pub mod render {
    pub mod blocking_jobs;
    pub mod calendar;
    pub mod colour;
    pub mod date_time_text;
    pub mod draw_story;
    pub mod fee_report;
    pub mod mail;
    pub mod mail_sender;
    pub mod page;
    pub mod page_address;
    pub mod page_cache;
    pub mod pdf_writer;
    pub mod picture;
    pub mod qr;
    pub mod renderer;
    pub mod report;
    pub mod security_policy;
    pub mod share_card;
    pub mod share_card_cache;
    pub mod ticket_picture;
    pub mod web_build;
}

pub mod state;

/// Who the caller is, and what the caller may see and do.
pub mod access {
    pub mod caller;
    pub mod order_access;
    pub mod order_view;
}

pub mod checkout;
pub mod live;

/// The HTTP server: middleware, the route table and its handlers, and the listener for other nodes.
pub mod http {
    pub mod edge;
    pub mod front;
    pub mod housekeeping;
    pub mod metrics;
    pub mod nodes;
    pub mod openapi;
    pub mod routes;
    #[cfg(feature = "demo")]
    pub mod sandbox_clock;
}

pub mod app;

/// The commands of the program. Without a command it runs the demo, if it is compiled in.
pub mod cli {
    pub mod audit;
    pub mod command;
    #[cfg(feature = "demo")]
    pub mod demo;
    pub mod doctor;
    pub mod serve;
}
