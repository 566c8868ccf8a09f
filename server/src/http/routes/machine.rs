//! Routes for machines: Stripe webhooks, widgets, health checks, HTML pages, search engines and the
//! API description.

pub mod cards;
pub mod descriptions;
pub mod device;
pub mod health;
pub mod nodes;
pub mod openapi;
pub mod search;
pub mod shell;
pub mod webhooks;
pub mod widgets;
