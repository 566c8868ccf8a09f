//! A buyer whose page repeats unanswered calls with the same client key, as the real page does.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::killable_server::KillableServer;

const RETRY_PAUSE: Duration = Duration::from_millis(50);
const REQUEST_ATTEMPTS_MAX: usize = 400;

/// When the buyer closes the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCloseMoment {
    WithTickets,
    /// The buyer closes the page when a call after the card's confirmation is not answered.
    AfterTheKill,
}

#[derive(Debug)]
pub struct Buyer {
    number: usize,
    draw: i64,
    pub ticket_count: u16,
    http: reqwest::Client,
    token: String,
    /// Ids of the payment intents that the server opened for the buyer.
    pub intents: BTreeSet<String>,
    /// Tickets that a response showed to the buyer.
    pub answered: BTreeSet<DrawTicket>,
}

/// Draw number and number of the ticket within the draw.
pub type DrawTicket = (i64, i64);

fn text_field(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_string()
}

/// Returns the number of payment intents at the provider, whatever their status.
fn count_intents(ledger: &Value) -> i64 {
    ledger["total"]["intents"]
        .as_object()
        .expect("counts")
        .values()
        .filter_map(Value::as_i64)
        .sum()
}

fn ticket_set(draw: i64, tickets: &Value) -> BTreeSet<DrawTicket> {
    let numbers = tickets
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|ticket| ticket["ticketNumber"].as_i64());
    numbers.map(|number| (draw, number)).collect()
}

impl Buyer {
    /// Opens a draw's page, which sets the session cookie, as a new buyer.
    pub async fn open_draw_page(
        server: &KillableServer,
        number: usize,
        ticket_count: u16,
    ) -> Buyer {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .build()
            .expect("a browser");
        let draw = server.draw_with_most_tickets().await;
        let mut has_session = false;
        for path in [
            format!("/draw/{draw}"),
            format!("/api/draws/{draw}"),
            "/api/maintenance-mode".to_string(),
        ] {
            let answer = http
                .get(format!("{}{path}", server.url))
                .send()
                .await
                .expect("an answer");
            assert!(answer.status().is_success(), "{path}: {}", answer.status());
            has_session |= answer.cookies().count() > 0;
        }
        assert!(has_session, "no answer began a session");
        Buyer {
            number,
            draw,
            ticket_count,
            http,
            token: String::new(),
            intents: BTreeSet::new(),
            answered: BTreeSet::new(),
        }
    }

    pub fn email(&self) -> String {
        format!("kill{}@buyer.test", self.number)
    }

    /// Repeats a call until there is a final response. Returns `None` if the server died and the
    /// buyer then closed the page.
    async fn post_until_answered(
        &self,
        server: &mut KillableServer,
        path: &str,
        body: &RequestBody<'_>,
        stays: PageCloseMoment,
    ) -> Option<(u16, Value)> {
        for _ in 0..REQUEST_ATTEMPTS_MAX {
            let builder = self
                .http
                .post(format!("{}{path}", server.url))
                .header("origin", &server.url);
            let builder = match body {
                RequestBody::Json(json) => builder.json(json),
                RequestBody::Form { text, account } => builder
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("authorization", format!("Bearer {}", server.key))
                    .header("stripe-account", *account)
                    .body((*text).to_string()),
            };
            if let Ok(answer) = builder.send().await {
                let status = answer.status().as_u16();
                if let (false, Ok(body)) = (matches!(status, 429 | 503), answer.json().await) {
                    return Some((status, body));
                }
            }
            if server.restart_if_dead() && stays == PageCloseMoment::AfterTheKill {
                return None;
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        panic!("{path} was not answered in {REQUEST_ATTEMPTS_MAX} tries");
    }

    fn buyer_details(&self) -> Value {
        json!({ "buyerName": "Kill", "buyerEmail": self.email(), "buyerPhone": "0400000000" })
    }

    async fn open_payment(&mut self, server: &mut KillableServer) -> Value {
        let key = format!("kill-{}", self.number);
        let body = json!({ "drawNumber": self.draw, "ticketCount": self.ticket_count, "buyer": self.buyer_details(), "clientKey": key });
        let (status, opened) = self
            .post_until_answered(
                server,
                "/api/create-payment-intent",
                &RequestBody::Json(body),
                PageCloseMoment::WithTickets,
            )
            .await
            .expect("stays");
        assert_eq!(status, 200, "{opened}");
        self.intents.insert(text_field(&opened, "paymentIntentId"));
        self.token = text_field(&opened, "orderToken");
        opened
    }

    /// Makes a complete purchase. `wallet` tells whether the server confirms the card.
    pub async fn buy(
        &mut self,
        server: &mut KillableServer,
        wallet: bool,
        leave_when: PageCloseMoment,
    ) {
        let opened = self.open_payment(server).await;
        let (id, account) = (
            text_field(&opened, "paymentIntentId"),
            text_field(&opened, "connectedAccountId"),
        );
        let finish = if wallet {
            let customer = json!({ "name": "Kill", "email": self.email(), "phone": "0400000000" });
            let body = json!({ "drawNumber": self.draw, "ticketCount": self.ticket_count, "paymentMethodId": "pm_card_visa",
                "customerInfo": customer, "buyer": self.buyer_details(), "paymentIntentId": id, "ageConfirmation": true,
                "termsAgreement": true });
            ("/api/process-wallet-payment", body)
        } else {
            let card = format!(
                "client_secret={}&payment_method=pm_card_visa",
                text_field(&opened, "clientSecret")
            );
            let path = format!("/sandbox/stripe/v1/payment_intents/{id}/confirm");
            self.post_until_answered(
                server,
                &path,
                &RequestBody::Form {
                    text: &card,
                    account: &account,
                },
                PageCloseMoment::WithTickets,
            )
            .await;
            let body = json!({ "drawNumber": self.draw, "ticketCount": self.ticket_count, "paymentIntentId": id,
                "buyer": self.buyer_details(), "ageConfirmation": true, "termsAgreement": true });
            ("/api/complete-card-payment", body)
        };
        for _ in 0..REQUEST_ATTEMPTS_MAX {
            let Some((status, answered)) = self
                .post_until_answered(
                    server,
                    finish.0,
                    &RequestBody::Json(finish.1.clone()),
                    leave_when,
                )
                .await
            else {
                return;
            };
            assert_eq!(status, 200, "{answered}");
            if answered["status"] == "succeeded" {
                self.answered = ticket_set(self.draw, &answered["tickets"]);
                return;
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        panic!("the purchase was not decided in {REQUEST_ATTEMPTS_MAX} tries");
    }

    /// Buys with a page that lost its cookies and its client key when the server died.
    pub async fn buy_with_lost_cookies(mut self, server: &mut KillableServer) -> Buyer {
        let body = json!({ "drawNumber": self.draw, "ticketCount": self.ticket_count, "buyer": self.buyer_details(), "clientKey": "once" });
        assert!(
            self.post_until_answered(
                server,
                "/api/create-payment-intent",
                &RequestBody::Json(body),
                PageCloseMoment::AfterTheKill
            )
            .await
            .is_none()
        );
        let intents_before = count_intents(&server.get("/sandbox/ledger").await);
        self = Buyer::open_draw_page(server, self.number, self.ticket_count).await;
        self.open_payment(server).await;
        // If the server created the first intent before it was killed, the buyer never saw its id.
        if count_intents(&server.get("/sandbox/ledger").await) == intents_before + 1 {
            self.intents.insert("the one that was made before".into());
        }
        self
    }

    /// Returns the tickets that the page of the buyer's order shows.
    pub async fn tickets_on_order_page(&self, server: &KillableServer) -> BTreeSet<DrawTicket> {
        let page = server.get(&format!("/api/orders/{}", self.token)).await;
        assert_eq!(text_field(&page, "status"), "succeeded", "{page}");
        ticket_set(self.draw, &page["lines"][0]["tickets"])
    }
}

enum RequestBody<'a> {
    Json(Value),
    Form { text: &'a str, account: &'a str },
}
