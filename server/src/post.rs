pub mod smtp;
