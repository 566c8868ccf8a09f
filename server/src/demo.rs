//! The demo: the whole product on one machine, without asking anybody for anything.

pub mod plan;
