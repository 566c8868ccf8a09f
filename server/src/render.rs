//! Renders everything that is not JSON: pages, mails, PDF reports, pictures and calendar files.

pub mod blocking_jobs;
pub mod calendar;
pub mod card;
pub mod colour;
pub mod fee_report;
pub mod mail;
pub mod page;
pub mod pdf_writer;
pub mod picture;
pub mod qr;
pub mod renderer;
pub mod report;
pub mod when;
