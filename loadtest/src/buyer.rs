//! One buyer at one browser, from the draw page to the tickets (or not), exactly as the specified pages call us.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, Request, Site, number};
use crate::latency::Call;
use crate::plan::{BuyerPlan, Card, Door, Ending};
use crate::provider::{self, Payment, Said};
use crate::told::{Finish, Told, Verdict, one_story};

/// What opening a payment led to.
enum Opening {
    Opened(Payment),
    Stopped(Verdict),
}

/// What watching a full draw led to.
enum Watched {
    Room,
    SoldOut,
    /// Patience ended while other buyers' reservations were still running.
    GaveUp,
}

struct Buyer<'a> {
    plan: &'a BuyerPlan,
    browser: Browser,
    /// Draw number and count; a count shrinks when fewer are left.
    lines: Vec<(i64, u32)>,
    /// How long this buyer keeps asking for a full draw whose reservations may still lapse.
    keen: Duration,
    /// Had to watch a full draw before there was room.
    waited: bool,
    told: Told,
}

/// Plays one plan. `draws` gives each draw index its number.
pub async fn play(
    site: Arc<Site>,
    plan: &BuyerPlan,
    draws: &[i64],
    keen: Duration,
) -> Result<Told> {
    let lines = plan
        .wanted
        .iter()
        .map(|(draw, count)| (draws[*draw], *count))
        .collect();
    let browser = Browser::open(site, plan.seed)?;
    let mut buyer = Buyer {
        plan,
        browser,
        lines,
        keen,
        waited: false,
        told: Told::nothing(plan.number),
    };
    buyer.told.verdict = buyer.shop().await;
    buyer.told.heard = buyer.browser.heard();
    Ok(buyer.told)
}

impl Buyer<'_> {
    async fn shop(&mut self) -> Verdict {
        let first = self.lines[0].0;
        self.browser
            .ask(Call::Page, &Request::get(format!("/draw/{first}")))
            .await;
        for (draw, _) in self.lines.clone() {
            self.browser
                .ask(Call::Draw, &Request::get(format!("/api/draws/{draw}")))
                .await;
        }
        let payment = match self.open().await {
            Opening::Opened(payment) => payment,
            Opening::Stopped(verdict) => return verdict,
        };
        self.think().await;
        match self.ending() {
            Ending::Abandons => Verdict::Abandoned,
            Ending::Releases => {
                self.leave(&payment).await;
                Verdict::Released
            }
            // A wallet's method is confirmed by the server itself, so there is nothing to do before the last call.
            Ending::Reads | Ending::CutCall if self.plan.door == Door::Wallet => {
                let verdict = self.finish(&payment, true).await;
                self.parted(&payment, verdict).await
            }
            _ => {
                let said = self.pay(&payment).await;
                let verdict = self.paid(&payment, said).await;
                self.parted(&payment, verdict).await
            }
        }
    }

    /// Whoever waited minutes for a lapsed reservation neither leaves nor brings a card that is declined; so a full draw is
    /// sold out after one wave of waiting, however many went away in the first.
    fn ending(&self) -> Ending {
        match self.plan.ending {
            Ending::Abandons | Ending::Releases if self.waited => Ending::Reads,
            Ending::CutCall if self.waited && self.plan.door == Door::Wallet => Ending::Reads,
            ending => ending,
        }
    }

    fn card(&self) -> Card {
        if self.waited && self.plan.card == Card::Declined {
            Card::Replaced
        } else {
            self.plan.card
        }
    }

    async fn paid(&mut self, payment: &Payment, said: Said) -> Verdict {
        match said {
            Said::Authorised => {
                self.think().await;
                self.told.authorised_at = Some(self.browser.site.now());
                self.finish(payment, false).await
            }
            Said::Declined => Verdict::Declined,
            Said::Canceled => Verdict::NotCharged,
            Said::Silent => Verdict::Silence,
            said @ (Said::Asks | Said::Odd(_)) => self.odd(format!("the card: {said:?}")),
        }
    }

    /// Whoever has no card that works leaves the page, which gives the reservation back.
    async fn parted(&self, payment: &Payment, verdict: Verdict) -> Verdict {
        if verdict == Verdict::Declined {
            self.leave(payment).await;
        }
        verdict
    }

    async fn leave(&self, payment: &Payment) {
        let path = format!("/api/reservations/{}", payment.reservation);
        let leave = Request {
            method: reqwest::Method::DELETE,
            ..Request::get(path)
        };
        self.browser.insist(Call::Leave, &leave).await;
    }

    /// Opens the payment; asks again with fewer tickets when told how many are left, or later while keen.
    async fn open(&mut self) -> Opening {
        let give_up = self.browser.site.now() + self.keen;
        loop {
            let answers = self.browser.insist(Call::Open, &self.opening()).await;
            self.told.wanted = self.lines.iter().map(|(_, count)| count).sum();
            for payment in answers
                .iter()
                .filter(|answer| answer.ok())
                .filter_map(Payment::read)
            {
                self.told.opened(payment);
            }
            if let Some(payment) = self.told.payments.last() {
                return Opening::Opened(payment.clone());
            }
            let Some(answer) = answers.last() else {
                return Opening::Stopped(Verdict::Silence);
            };
            match (answer.status, answer.text("/code").as_str()) {
                (409, "tickets-unavailable") => {}
                (409, "draw-closed") => return Opening::Stopped(Verdict::Closed),
                (0..500, _) => {
                    let said = format!("opening a payment: {} {}", answer.status, answer.body);
                    return Opening::Stopped(self.odd(said));
                }
                _ => return Opening::Stopped(Verdict::Silence),
            }
            if self.shrink(answer) {
                continue;
            }
            match self.room(give_up).await {
                Watched::Room => self.waited = true,
                Watched::SoldOut => return Opening::Stopped(Verdict::SoldOut),
                Watched::GaveUp => return Opening::Stopped(Verdict::GaveUp),
            }
        }
    }

    /// Wants no more than there is; false when there is nothing.
    fn shrink(&mut self, answer: &Answer) -> bool {
        let left = number(&answer.body, "/available")
            .and_then(|left| u32::try_from(left).ok())
            .unwrap_or(0);
        let draw = number(&answer.body, "/drawNumber").unwrap_or(self.lines[0].0);
        let mut shrunk = false;
        for line in self
            .lines
            .iter_mut()
            .filter(|line| line.0 == draw && left > 0 && line.1 > left)
        {
            line.1 = left;
            shrunk = true;
        }
        shrunk
    }

    /// Watches full draws until each has a ticket again, because a reservation lapsed; or until one has sold them all or
    /// has closed, or this buyer gives up.
    async fn room(&self, give_up: Duration) -> Watched {
        for (draw, _) in &self.lines {
            loop {
                let answer = self
                    .browser
                    .ask(Call::Draw, &Request::get(format!("/api/draws/{draw}")))
                    .await;
                let Some(answer) = answer else {
                    return Watched::GaveUp;
                };
                let sold = number(&answer.body, "/ticketsSold").unwrap_or(169);
                let held = number(&answer.body, "/ticketsHeld").unwrap_or(0);
                if sold >= 169 || answer.text("/status") != "active" {
                    return Watched::SoldOut;
                }
                if sold + held < 169 {
                    break;
                }
                if self.browser.site.now() >= give_up {
                    return Watched::GaveUp;
                }
                tokio::time::sleep(Duration::from_millis(1_500 + self.browser.below(2_000))).await;
            }
        }
        Watched::Room
    }

    /// The card, in the provider's own page.
    async fn pay(&self, payment: &Payment) -> Said {
        match self.card() {
            Card::Good => {
                provider::confirm(&self.browser, payment, provider::GOOD_CARD, true).await
            }
            Card::Declined => {
                provider::confirm(&self.browser, payment, provider::DECLINED_CARD, false).await
            }
            Card::Replaced => {
                match provider::confirm(&self.browser, payment, provider::DECLINED_CARD, false)
                    .await
                {
                    Said::Declined => {
                        provider::confirm(&self.browser, payment, provider::GOOD_CARD, true).await
                    }
                    other => other,
                }
            }
            Card::Asked => {
                match provider::confirm(&self.browser, payment, provider::ASKED_CARD, false).await {
                    Said::Asks => provider::authenticate(&self.browser, payment).await,
                    other => other,
                }
            }
        }
    }

    /// Tells the server, in this buyer's manner. `unpaid`: the call itself carries the card.
    async fn finish(&mut self, payment: &Payment, unpaid: bool) -> Verdict {
        let request = self.finishing(payment, unpaid.then(|| self.method()));
        match self.ending() {
            Ending::ClosedTab => return Verdict::LeftAfterPaying,
            Ending::CutCall => {
                let after = Duration::from_millis(1 + self.browser.below(40));
                self.browser.cut(Call::Finish, &request, after).await;
                return Verdict::LeftAfterPaying;
            }
            Ending::Beacon => {
                self.browser
                    .cut(Call::Finish, &request, Duration::from_secs(5))
                    .await;
                return Verdict::LeftAfterPaying;
            }
            _ => {}
        }
        let story = match self.card() {
            // A declined card is not pressed again and again: the provider would block it.
            Card::Declined | Card::Replaced if unpaid => self
                .browser
                .ask(Call::Finish, &request)
                .await
                .map(|answer| Finish::read(&answer)),
            _ => self.story(&request).await,
        };
        let story = match story {
            Some(Finish::Asks) => match provider::authenticate(&self.browser, payment).await {
                Said::Authorised => self.story(&request).await,
                _ => Some(Finish::Pending),
            },
            Some(Finish::Declined) if self.card() == Card::Replaced => {
                let again = self.finishing(payment, Some(provider::GOOD_CARD));
                self.story(&again).await
            }
            story => story,
        };
        self.decided(payment, story).await
    }

    async fn story(&mut self, request: &Request) -> Option<Finish> {
        let answers = self.browser.insist(Call::Finish, request).await;
        let (story, broken) = one_story(self.plan.number, &answers);
        self.told.broken.extend(broken);
        story
    }

    /// What the buyer reads in the end; while it is still being decided, the order page is asked.
    async fn decided(&mut self, payment: &Payment, story: Option<Finish>) -> Verdict {
        let give_up = self.browser.site.now() + self.browser.site.patience;
        let mut story = story.unwrap_or(Finish::Pending);
        while matches!(story, Finish::Pending | Finish::Asks) {
            if self.browser.site.now() >= give_up {
                return Verdict::Silence;
            }
            tokio::time::sleep(Duration::from_millis(250 + self.browser.below(200))).await;
            let page = Request::get(format!("/api/orders/{}", payment.token));
            story = self
                .browser
                .ask(Call::Order, &page)
                .await
                .map_or(Finish::Pending, |page| Finish::read_order(&page));
        }
        self.told.decided_at = Some(self.browser.site.now());
        match story {
            Finish::Tickets(tickets) => {
                self.told.tickets = tickets;
                Verdict::Bought
            }
            Finish::NotCharged => Verdict::NotCharged,
            Finish::Declined => Verdict::Declined,
            other => self.odd(format!("completing: {other:?}")),
        }
    }

    fn method(&self) -> &'static str {
        match self.card() {
            Card::Good => provider::GOOD_CARD,
            Card::Declined | Card::Replaced => provider::DECLINED_CARD,
            Card::Asked => provider::ASKED_CARD,
        }
    }

    fn odd(&mut self, what: String) -> Verdict {
        self.told.broken.push(format!(
            "buyer {}: unexpected answer: {what}",
            self.plan.number
        ));
        Verdict::Silence
    }

    async fn think(&self) {
        tokio::time::sleep(Duration::from_millis(self.plan.thinks_ms)).await;
    }

    fn details(&self) -> Value {
        let number = self.plan.number;
        json!({
            "buyerName": format!("Buyer {number}"),
            "buyerEmail": format!("buyer{number}@crowd.test"),
            "buyerPhone": format!("04{number:08}"),
        })
    }

    fn items(&self) -> Value {
        self.lines
            .iter()
            .map(|(draw, count)| json!({"drawId": draw, "quantity": count}))
            .collect()
    }

    /// The attempt's key is made once and kept until it succeeded, as the page does.
    fn opening(&self) -> Request {
        let key = format!("{:016x}", self.plan.seed);
        match self.lines[..] {
            [(draw, count)] => Request::post(
                "/api/create-payment-intent",
                json!({"drawNumber": draw, "ticketCount": count, "buyer": self.details(), "clientKey": key}),
            ),
            _ => Request::post(
                "/api/cart/create-payment-intent",
                json!({"items": self.items(), "clientKey": key}),
            ),
        }
    }

    /// The completing call of this buyer's door; with a method, the one by which the server confirms the card itself.
    fn finishing(&self, payment: &Payment, method: Option<&str>) -> Request {
        let mut body = json!({
            "buyer": self.details(),
            "paymentIntentId": payment.payment_intent,
            "ageConfirmation": true,
            "termsAgreement": true,
        });
        let path = match (&self.lines[..], method) {
            ([(draw, count)], method) => {
                body["drawNumber"] = json!(draw);
                body["ticketCount"] = json!(count);
                match method {
                    Some(method) => {
                        let details = self.details();
                        body["paymentMethodId"] = json!(method);
                        body["customerInfo"] = json!({"name": details["buyerName"], "email": details["buyerEmail"],
                            "phone": details["buyerPhone"]});
                        "/api/process-wallet-payment"
                    }
                    None if self.plan.door == Door::CardPayment => "/api/complete-card-payment",
                    None => "/api/purchase-tickets",
                }
            }
            (_, method) => {
                body["items"] = self.items();
                match method {
                    Some(method) => {
                        body["paymentMethodId"] = json!(method);
                        "/api/cart/complete-card-payment"
                    }
                    None => "/api/purchase-cart",
                }
            }
        };
        Request::post(path, body)
    }
}
