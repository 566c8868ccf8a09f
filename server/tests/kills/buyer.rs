//! A buyer whose page repeats what it had no answer to, with the same key, as ours does.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::house::House;

const COME_BACK: Duration = Duration::from_millis(50);
const TRIES_MAX: usize = 400;

/// When the buyer turns away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    WithTickets,
    /// The tab is closed when the first call after the card has no answer.
    AfterTheKill,
}

#[derive(Debug)]
pub struct Buyer {
    number: usize,
    draw: i64,
    pub wants: u16,
    http: reqwest::Client,
    token: String,
    /// Payment intents it was ever given.
    pub intents: BTreeSet<String>,
    /// The tickets it was shown.
    pub told: BTreeSet<Ticket>,
}

/// Draw and number.
pub type Ticket = (i64, i64);

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_string()
}

/// Payment intents at the provider, in any state.
fn intents(ledger: &Value) -> i64 {
    ledger["total"]["intents"]
        .as_object()
        .expect("counts")
        .values()
        .filter_map(Value::as_i64)
        .sum()
}

fn tickets(draw: i64, tickets: &Value) -> BTreeSet<Ticket> {
    let numbers = tickets
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|ticket| ticket["ticketNumber"].as_i64());
    numbers.map(|number| (draw, number)).collect()
}

impl Buyer {
    /// Loads the draw's page, and with it the session's cookie.
    pub async fn comes(house: &House, number: usize, wants: u16) -> Buyer {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .build()
            .expect("a browser");
        let draw = house.draw().await;
        let mut has_session = false;
        for path in [
            format!("/draw/{draw}"),
            format!("/api/draws/{draw}"),
            "/api/maintenance-mode".to_string(),
        ] {
            let answer = http
                .get(format!("{}{path}", house.url))
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
            wants,
            http,
            token: String::new(),
            intents: BTreeSet::new(),
            told: BTreeSet::new(),
        }
    }

    pub fn email(&self) -> String {
        format!("kill{}@buyer.test", self.number)
    }

    /// Repeats a call until there is an answer that is no plea to come back; `None`: the server died, and the buyer left.
    async fn asks(
        &self,
        house: &mut House,
        path: &str,
        body: &Body<'_>,
        stays: Leaves,
    ) -> Option<(u16, Value)> {
        for _ in 0..TRIES_MAX {
            let asked = self
                .http
                .post(format!("{}{path}", house.url))
                .header("origin", &house.url);
            let asked = match body {
                Body::Json(json) => asked.json(json),
                Body::Form { text, account } => asked
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("authorization", format!("Bearer {}", house.key))
                    .header("stripe-account", *account)
                    .body((*text).to_string()),
            };
            if let Ok(answer) = asked.send().await {
                let status = answer.status().as_u16();
                if let (false, Ok(body)) = (matches!(status, 429 | 503), answer.json().await) {
                    return Some((status, body));
                }
            }
            if house.revive() && stays == Leaves::AfterTheKill {
                return None;
            }
            tokio::time::sleep(COME_BACK).await;
        }
        panic!("{path} was not answered in {TRIES_MAX} tries");
    }

    fn details(&self) -> Value {
        json!({ "buyerName": "Kill", "buyerEmail": self.email(), "buyerPhone": "0400000000" })
    }

    async fn opens(&mut self, house: &mut House) -> Value {
        let key = format!("kill-{}", self.number);
        let body = json!({ "drawNumber": self.draw, "ticketCount": self.wants, "buyer": self.details(), "clientKey": key });
        let (status, opened) = self
            .asks(
                house,
                "/api/create-payment-intent",
                &Body::Json(body),
                Leaves::WithTickets,
            )
            .await
            .expect("stays");
        assert_eq!(status, 200, "{opened}");
        self.intents.insert(text(&opened, "paymentIntentId"));
        self.token = text(&opened, "orderToken");
        opened
    }

    /// A whole purchase; `wallet`: the server confirms the card itself.
    pub async fn buys(&mut self, house: &mut House, wallet: bool, leaves: Leaves) {
        let opened = self.opens(house).await;
        let (id, account) = (
            text(&opened, "paymentIntentId"),
            text(&opened, "connectedAccountId"),
        );
        let finish = if wallet {
            let customer = json!({ "name": "Kill", "email": self.email(), "phone": "0400000000" });
            let body = json!({ "drawNumber": self.draw, "ticketCount": self.wants, "paymentMethodId": "pm_card_visa",
                "customerInfo": customer, "buyer": self.details(), "paymentIntentId": id, "ageConfirmation": true,
                "termsAgreement": true });
            ("/api/process-wallet-payment", body)
        } else {
            let card = format!(
                "client_secret={}&payment_method=pm_card_visa",
                text(&opened, "clientSecret")
            );
            let path = format!("/sandbox/stripe/v1/payment_intents/{id}/confirm");
            self.asks(
                house,
                &path,
                &Body::Form {
                    text: &card,
                    account: &account,
                },
                Leaves::WithTickets,
            )
            .await;
            let body = json!({ "drawNumber": self.draw, "ticketCount": self.wants, "paymentIntentId": id,
                "buyer": self.details(), "ageConfirmation": true, "termsAgreement": true });
            ("/api/complete-card-payment", body)
        };
        for _ in 0..TRIES_MAX {
            let Some((status, told)) = self
                .asks(house, finish.0, &Body::Json(finish.1.clone()), leaves)
                .await
            else {
                return;
            };
            assert_eq!(status, 200, "{told}");
            if told["status"] == "succeeded" {
                self.told = tickets(self.draw, &told["tickets"]);
                return;
            }
            tokio::time::sleep(COME_BACK).await;
        }
        panic!("the purchase was not decided in {TRIES_MAX} tries");
    }

    /// Its page has lost cookies and key when the server is back.
    pub async fn buys_twice(mut self, house: &mut House) -> Buyer {
        let body = json!({ "drawNumber": self.draw, "ticketCount": self.wants, "buyer": self.details(), "clientKey": "once" });
        assert!(
            self.asks(
                house,
                "/api/create-payment-intent",
                &Body::Json(body),
                Leaves::AfterTheKill
            )
            .await
            .is_none()
        );
        let made = intents(&house.get("/sandbox/ledger").await);
        self = Buyer::comes(house, self.number, self.wants).await;
        self.opens(house).await;
        // The first was made before the kill, and nobody was ever shown it.
        if intents(&house.get("/sandbox/ledger").await) == made + 1 {
            self.intents.insert("the one that was made before".into());
        }
        self
    }

    /// What its order page shows in the end.
    pub async fn has(&self, house: &House) -> BTreeSet<Ticket> {
        let page = house.get(&format!("/api/orders/{}", self.token)).await;
        assert_eq!(text(&page, "status"), "succeeded", "{page}");
        tickets(self.draw, &page["lines"][0]["tickets"])
    }
}

enum Body<'a> {
    Json(Value),
    Form { text: &'a str, account: &'a str },
}
