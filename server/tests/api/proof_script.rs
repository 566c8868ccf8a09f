//! Runs `loadtest/verify.py`, which checks a draw from the public API alone.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{TestServer, club};

/// Path of the verification script, which anyone can run against the public API.
const SCRIPT_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../loadtest/verify.py");

async fn run_verification_script(url: &str, draw: domain::DrawId) -> Output {
    let (url, draw) = (url.to_string(), draw.to_string());
    let ran = move || {
        Command::new("python3")
            .args([SCRIPT_PATH, &url, &draw])
            .output()
    };
    let ran = tokio::task::spawn_blocking(ran).await.expect("it ends");
    ran.expect("python3 is needed to run loadtest/verify.py: apt-get install python3")
}

fn output_text(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

/// Starts a server that answers the verification script's two calls with these bodies, then stops.
/// Returns the server's URL.
fn serve_forged_proof(proof: Value, tickets: Value) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("a local address"));
    std::thread::spawn(move || {
        for answer in [proof, tickets] {
            let (stream, _) = listener.accept().expect("the script calls");
            send_reply(stream, &answer.to_string()).expect("answered");
        }
    });
    url
}

fn send_reply(mut stream: TcpStream, body: &str) -> std::io::Result<()> {
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
async fn verification_script_accepts_draw_and_detects_every_forgery() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, broncos) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
    );
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let (refunded, _) = alice.buy(draw, 2).await;
    let order = server
        .state
        .payments
        .order_by_token(refunded.token())
        .await
        .expect("the read succeeds")
        .expect("an order")
        .order
        .id;
    let refund = format!("/api/admin/orders/{order}/refund");
    operator
        .post(&refund, json!({ "reason": "Asked for" }))
        .await
        .ok();
    // A returned ticket is sold only after all others (decision M-3).
    server.bob().buy(draw, 1).await;
    let early = run_verification_script(&server.url, draw).await;
    assert!(
        !early.status.success() && output_text(&early).contains("is not revealed yet"),
        "{}",
        output_text(&early)
    );
    server.start_game(draw).await;
    club::enter_result(&broncos, draw, 7, 9).await.ok();
    let fair = run_verification_script(&server.url, draw).await;
    assert!(fair.status.success(), "{}", output_text(&fair));
    assert_eq!(
        output_text(&fair)
            .lines()
            .filter(|line| line.starts_with("yes "))
            .count(),
        4,
        "{}",
        output_text(&fair)
    );
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    let moves = [(1, false), (2, false), (1, true), (2, true), (3, false)];
    let moves = moves.map(|(ticket, returned)| json!({ "ticket": ticket, "returned": returned }));
    assert_eq!(
        (&proof["ticketMoves"], &proof["soldTickets"]),
        (&json!(moves), &json!([3]))
    );
    let tickets = alice.get(&format!("/api/draws/{draw}/tickets")).await.ok();
    for (forged, complaint) in forged_proofs(&proof, &tickets) {
        let (proof, tickets) = forged;
        let found_out = run_verification_script(&serve_forged_proof(proof, tickets), draw).await;
        assert_eq!(
            found_out.status.code(),
            Some(1),
            "{}",
            output_text(&found_out)
        );
        assert!(
            output_text(&found_out).contains(&format!("NO  {complaint}")),
            "{}",
            output_text(&found_out)
        );
    }
    server.finish().await;
}

/// Returns forged proofs, each with the name of the check that must detect it.
fn forged_proofs(proof: &Value, tickets: &Value) -> [((Value, Value), &'static str); 7] {
    const SALE_ORDER_CHECK_LABEL: &str = "tickets left in the promised order";
    let (mut reseeded, mut moved, mut swapped) = (proof.clone(), proof.clone(), tickets.clone());
    // Forged sale orders: one sells a returned ticket too early, one skips a ticket, one differs
    // from the sold tickets, and one is missing.
    let reordered = |ticket: u16| {
        let mut proof = proof.clone();
        (proof["ticketMoves"][4]["ticket"], proof["soldTickets"]) =
            (json!(ticket), json!([ticket]));
        proof
    };
    let (mut hidden, mut unpublished) = (proof.clone(), proof.clone());
    hidden["soldTickets"] = json!([3, 4]);
    unpublished["ticketMoves"] = Value::Null;
    reseeded["seed"] = json!("07".repeat(32));
    let winner = proof["winningTicket"].as_u64().expect("a winner");
    moved["winningTicket"] = json!(winner % 169 + 1);
    swapped[0]["homeNumber"] = tickets[0]["homeNumber"]
        .as_u64()
        .map(|number| json!(number % 13 + 1))
        .expect("a JSON number");
    [
        ((reseeded, tickets.clone()), "the seed is the promised one"),
        ((moved, tickets.clone()), "ticket"),
        ((proof.clone(), swapped), "every ticket carries its pair"),
        ((reordered(1), tickets.clone()), SALE_ORDER_CHECK_LABEL),
        ((reordered(4), tickets.clone()), SALE_ORDER_CHECK_LABEL),
        ((hidden, tickets.clone()), SALE_ORDER_CHECK_LABEL),
        ((unpublished, tickets.clone()), SALE_ORDER_CHECK_LABEL),
    ]
}
