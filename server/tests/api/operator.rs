//! What the operator does, from the outside: operator.md, line by line.

mod books;
mod edits;
mod health;
mod lines;
mod measures;
mod orphans;
mod proof;
mod repairs;
mod reports;
mod system;
mod trail;
mod words;
