//! Mail: what is queued becomes words, and the words leave. The actors' mailer decides when.

pub mod smtp;
