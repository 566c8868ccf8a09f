//! The README's appendix: a stranger checks a draw with Python, from the public calls alone.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{TestServer, club};

const README: &str = include_str!("../../../README.md");

/// The appendix's block of Python, as a reader would copy it.
fn script() -> &'static str {
    let (_, from) = README
        .split_once("```python\n")
        .expect("the README has a block of Python");
    from.split_once("```").expect("the block ends").0
}

async fn checked(url: &str, draw: domain::DrawId) -> Output {
    let (url, draw) = (url.to_string(), draw.to_string());
    let ran = move || {
        Command::new("python3")
            .args(["-c", script(), &url, &draw])
            .output()
    };
    let ran = tokio::task::spawn_blocking(ran).await.expect("it ends");
    ran.expect("python3 is needed for the check of the README's appendix: apt-get install python3")
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

/// Answers the script's two calls, each with its own JSON, and is gone.
fn impostor(proof: Value, tickets: Value) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for answer in [proof, tickets] {
            let (stream, _) = listener.accept().expect("the script calls");
            replied(stream, &answer.to_string()).expect("answered");
        }
    });
    url
}

fn replied(mut stream: TcpStream, body: &str) -> std::io::Result<()> {
    for line in BufReader::new(stream.try_clone()?).lines() {
        if line?.is_empty() {
            break;
        }
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

#[actix_web::test]
async fn a_stranger_checks_a_draw_with_sixty_lines_of_python() {
    assert!(
        script().lines().count() <= 60,
        "it can be read at one sitting"
    );
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, broncos) = (server.alice(), club::club(&server, "broncos").await);
    alice.buys(draw, 2).await;
    let early = checked(&server.url, draw).await;
    assert!(
        !early.status.success() && said(&early).contains("is not revealed yet"),
        "{}",
        said(&early)
    );
    server.kick_off(draw).await;
    club::enters(&broncos, draw, 7, 9).await.ok();
    let fair = checked(&server.url, draw).await;
    assert!(fair.status.success(), "{}", said(&fair));
    assert_eq!(
        said(&fair)
            .lines()
            .filter(|line| line.starts_with("yes "))
            .count(),
        3,
        "{}",
        said(&fair)
    );
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    let tickets = alice.get(&format!("/api/draws/{draw}/tickets")).await.ok();
    for (lie, complaint) in lies(&proof, &tickets) {
        let (proof, tickets) = lie;
        let found_out = checked(&impostor(proof, tickets), draw).await;
        assert_eq!(found_out.status.code(), Some(1), "{}", said(&found_out));
        assert!(
            said(&found_out).contains(&format!("NO  {complaint}")),
            "{}",
            said(&found_out)
        );
    }
    server.finish().await;
}

/// Three ways to cheat, and the check that finds each out.
fn lies(proof: &Value, tickets: &Value) -> [((Value, Value), &'static str); 3] {
    let (mut reseeded, mut moved, mut swapped) = (proof.clone(), proof.clone(), tickets.clone());
    reseeded["seed"] = json!("07".repeat(32));
    let winner = proof["winningTicket"].as_u64().expect("a winner");
    moved["winningTicket"] = json!(winner % 169 + 1);
    swapped[0]["homeNumber"] = tickets[0]["homeNumber"]
        .as_u64()
        .map(|number| json!(number % 13 + 1))
        .expect("a number");
    [
        ((reseeded, tickets.clone()), "the seed is the promised one"),
        ((moved, tickets.clone()), "ticket"),
        ((proof.clone(), swapped), "every ticket carries its pair"),
    ]
}
