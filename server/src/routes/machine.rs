//! For machines: the provider's notices, boards, health checks, pages, and the description of all this.

pub mod cards;
pub mod described;
pub mod device;
pub mod health;
pub mod nodes;
pub mod openapi;
pub mod search;
pub mod shell;
pub mod webhooks;
pub mod widgets;
