//! The log: one line for every call with its id, and nobody's name, address, number or secret in any line.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};
use server::telemetry;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::support::server::eventually;
use crate::support::{BAD_CARD, Buyer, TestServer};

/// What every server of this process logged since somebody listened.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .expect("never poisoned")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Lines;

    fn make_writer(&'w self) -> Lines {
        self.clone()
    }
}

impl Lines {
    /// In production's own layout, level and filter.
    fn listen() -> Lines {
        static HEARD: OnceLock<Lines> = OnceLock::new();
        let listen = || {
            let lines = Lines::default();
            telemetry::production(lines.clone())
                .try_init()
                .expect("nobody else listens");
            lines
        };
        HEARD.get_or_init(listen).clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("never poisoned")).into_owned()
    }

    /// The lines of one request, by the id its answer had.
    fn of(&self, id: &str) -> Vec<Value> {
        let lines: Vec<Value> = self
            .text()
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        lines
            .into_iter()
            .filter(|line| line["span"]["request.id"] == id)
            .collect()
    }
}

#[actix_web::test]
async fn a_purchase_is_logged_with_its_request_ids_and_without_its_buyer() {
    let lines = Lines::listen();
    let server = TestServer::start().await;
    let draw = server.game().await;
    let zelda = Buyer::new(
        &server.url,
        "Zelda Quuxington",
        "zelda.quux@example.net",
        "0499 777 555",
    );
    let opened = zelda.ask(draw, 2).await;
    let id = opened.header("x-request-id").expect("an id").to_string();
    let intent = crate::support::buyer::Intent { body: opened.ok() };
    zelda.confirm(&intent, BAD_CARD).await;
    zelda.ask(draw, 51).await;
    zelda.authorise(&intent).await;
    zelda.purchase(draw, 2, &intent).await.ok();
    zelda.order(&intent).await;
    let refused = zelda.get(&format!("/api/orders/{}x", intent.token())).await;
    let missing = refused.header("x-request-id").expect("an id").to_string();
    server.mail("tickets").await;

    let told = eventually("the call is told", async || {
        lines.of(&id).into_iter().next()
    })
    .await;
    let fields = &told["fields"];
    assert_eq!(
        (&fields["method"], &fields["status"]),
        (&json!("POST"), &json!(200)),
        "{told}"
    );
    assert_eq!(fields["route"], "/api/create-payment-intent");
    let told = eventually("the refusal is told", async || {
        lines.of(&missing).into_iter().next()
    })
    .await;
    assert_eq!(
        (&told["fields"]["route"], &told["fields"]["status"]),
        (&json!("/api/orders/{token}"), &json!(404))
    );
    server.finish().await;
    let text = lines.text();
    let phone: String = zelda.phone.split(' ').collect();
    for secret in [
        zelda.name,
        "Zelda",
        zelda.email,
        "zelda.quux",
        zelda.phone,
        &phone,
        intent.token(),
        intent.secret(),
    ] {
        let line = text.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} stands in the log");
    }
}
