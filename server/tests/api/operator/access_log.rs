//! The access log: one line per call with its request id, and no personal data or secret in any
//! line.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};
use server::ops::telemetry;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::support::server::eventually;
use crate::support::{Buyer, DECLINED_CARD, TestServer};

/// All log output of this process since the first call of `start_log_capture`.
#[derive(Clone, Default)]
struct LogCapture(Arc<Mutex<Vec<u8>>>);

impl Write for LogCapture {
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

impl<'w> MakeWriter<'w> for LogCapture {
    type Writer = LogCapture;

    fn make_writer(&'w self) -> LogCapture {
        self.clone()
    }
}

impl LogCapture {
    /// Starts to capture the log, with the format, level and filter of production.
    fn start_log_capture() -> LogCapture {
        static SHARED_LOG_CAPTURE: OnceLock<LogCapture> = OnceLock::new();
        let install = || {
            let lines = LogCapture::default();
            telemetry::production_log_subscriber(lines.clone())
                .try_init()
                .expect("no other subscriber is installed");
            lines
        };
        SHARED_LOG_CAPTURE.get_or_init(install).clone()
    }

    fn captured_log_text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("never poisoned")).into_owned()
    }

    /// Returns the log lines that belong to one request, by its id.
    fn log_lines_of_request(&self, id: &str) -> Vec<Value> {
        let lines: Vec<Value> = self
            .captured_log_text()
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
async fn purchase_log_has_request_ids_and_no_buyer_details() {
    let lines = LogCapture::start_log_capture();
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let zelda = Buyer::new(
        &server.url,
        "Zelda Quuxington",
        "zelda.quux@example.net",
        "0499 777 555",
    );
    let opened = zelda.request_intent(draw, 2).await;
    let id = opened
        .header("x-request-id")
        .expect("the id is text")
        .to_string();
    let intent = crate::support::buyer::Intent { body: opened.ok() };
    zelda.confirm(&intent, DECLINED_CARD).await;
    zelda.request_intent(draw, 51).await;
    zelda.authorise(&intent).await;
    zelda
        .complete_checkout_purchase(draw, 2, &intent)
        .await
        .ok();
    zelda.fetch_order_of(&intent).await;
    let refused = zelda.get(&format!("/api/orders/{}x", intent.token())).await;
    let refused_id = refused
        .header("x-request-id")
        .expect("the id is text")
        .to_string();
    server.next_mail("tickets").await;

    let line = eventually("the call is logged", async || {
        let of_request = lines.log_lines_of_request(&id);
        of_request
            .into_iter()
            .find(|line| line["fields"]["method"].is_string())
    })
    .await;
    let fields = &line["fields"];
    assert_eq!(
        (&fields["method"], &fields["status"]),
        (&json!("POST"), &json!(200)),
        "{line}"
    );
    assert_eq!(fields["route"], "/api/create-payment-intent");
    let line = eventually("the refused call is logged", async || {
        lines.log_lines_of_request(&refused_id).into_iter().next()
    })
    .await;
    assert_eq!(
        (&line["fields"]["route"], &line["fields"]["status"]),
        (&json!("/api/orders/{token}"), &json!(404))
    );
    server.finish().await;
    let text = lines.captured_log_text();
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
        assert_eq!(line, None, "the log contains {secret}");
    }
}
