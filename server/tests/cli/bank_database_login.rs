//! A database server that refuses the login of the separate bank details database.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use crate::{CliEnvironment, output_text, run_serve_command};

/// Starts a server that answers every client like `PostgreSQL` after a wrong password (SQLSTATE
/// 28P01). Returns its address.
fn start_database_that_refuses_login() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut bytes = [0; 1024];
            // The client asks for TLS first, then sends its login, and then is asked for its
            // password.
            while let Ok(1..) = connection.read(&mut bytes) {
                let answer: &[u8] = match (&bytes[4..8], bytes[0]) {
                    ([4, 210, 22, 47], 0) => b"N",
                    (_, b'p') => b"E\0\0\0\x24SFATAL\0VFATAL\0C28P01\0Mrefused\0\0",
                    _ => b"R\0\0\0\x08\0\0\0\x03",
                };
                if connection.write_all(answer).is_err() {
                    break;
                }
            }
        }
    });
    address
}

#[actix_web::test]
async fn wrong_bank_database_password_is_reported_but_not_printed() {
    let cli = CliEnvironment::open().await;
    let url = format!(
        "postgres://football_doubles_bank:wr0ngpa55@{}/doubles",
        start_database_that_refuses_login()
    );
    let output = run_serve_command(&cli, &[("BANK_DATABASE_URL", &url)]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("does not let BANK_DATABASE_URL's login in: check its name and password"),
        "{text}"
    );
    assert!(!text.contains("wr0ngpa55"), "{text}");
}
