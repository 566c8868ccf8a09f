//! Values in, bytes out: what leaves the house as something else than JSON.

pub mod calendar;
pub mod card;
pub mod colour;
pub mod fee_report;
pub mod mail;
pub mod page;
pub mod paper;
pub mod picture;
pub mod press;
pub mod qr;
pub mod report;
pub mod when;
