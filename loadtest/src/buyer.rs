//! One simulated buyer with one browser, from the draw's page to the tickets, with the calls of the
//! specified pages.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::browser::{Browser, Request, RunSettings, ServerResponse, json_number_at};
use crate::crowd_plan::{BuyerPlan, Card, CompletionCall, PurchaseEnding};
use crate::latency::CallKind;
use crate::provider::{self, CardOutcome, Payment};
use crate::transcript::{
    BuyerTranscript, CompletionOutcome, PurchaseVerdict, combine_completion_responses,
};

/// The result of asking the server to open a payment.
enum OpenPaymentResult {
    Opened(Payment),
    Stopped(PurchaseVerdict),
}

/// The result of waiting until a full draw has free tickets again.
enum AvailabilityResult {
    Available,
    SoldOut,
    /// The buyer stopped waiting while reservations of other buyers had not expired yet.
    GaveUp,
}

struct Buyer<'a> {
    plan: &'a BuyerPlan,
    browser: Browser,
    /// Pairs of draw number and ticket count that the buyer wants. The count is reduced when fewer
    /// tickets are left.
    lines: Vec<(i64, u32)>,
    /// How long this buyer waits while a draw is full but reservations may still expire.
    wait_for_tickets: Duration,
    /// Whether the buyer had to wait for tickets of a full draw.
    waited: bool,
    transcript: BuyerTranscript,
}

/// Simulates one buyer. `draws` contains the draw number for each draw index of the plan.
pub async fn simulate_buyer(
    site: Arc<RunSettings>,
    plan: &BuyerPlan,
    draws: &[i64],
    wait_for_tickets: Duration,
) -> Result<BuyerTranscript> {
    let lines: Vec<(i64, u32)> = plan
        .wanted_lines
        .iter()
        .map(|(draw, count)| (draws[*draw], *count))
        .collect();
    let mut transcript = BuyerTranscript::empty(plan.number);
    transcript.draws = lines.iter().map(|(draw, _)| *draw).collect();
    let browser = Browser::open(site, plan.seed)?;
    let mut buyer = Buyer {
        plan,
        browser,
        lines,
        wait_for_tickets,
        waited: false,
        transcript,
    };
    buyer.transcript.verdict = buyer.run_purchase().await;
    buyer.transcript.call_records = buyer.browser.take_call_records();
    Ok(buyer.transcript)
}

impl Buyer<'_> {
    async fn run_purchase(&mut self) -> PurchaseVerdict {
        let first = self.lines[0].0;
        self.browser
            .send_with_retries(CallKind::Page, &Request::get(format!("/draw/{first}")))
            .await;
        for (draw, _) in self.lines.clone() {
            self.browser
                .send_with_retries(CallKind::Draw, &Request::get(format!("/api/draws/{draw}")))
                .await;
        }
        let payment = match self.open_payment().await {
            OpenPaymentResult::Opened(payment) => payment,
            OpenPaymentResult::Stopped(verdict) => return verdict,
        };
        self.pause_between_steps().await;
        match self.effective_purchase_ending() {
            PurchaseEnding::Abandons => PurchaseVerdict::Abandoned,
            PurchaseEnding::Releases => {
                self.leave_checkout(&payment).await;
                PurchaseVerdict::Released
            }
            // The server itself confirms the payment method of a wallet, so the buyer makes only
            // the last call.
            PurchaseEnding::Reads | PurchaseEnding::CutCall
                if self.plan.completion_call == CompletionCall::Wallet =>
            {
                let verdict = self.complete_purchase(&payment, true).await;
                self.leave_if_declined(&payment, verdict).await
            }
            _ => {
                let outcome = self.confirm_card(&payment).await;
                let verdict = self.continue_after_card_outcome(&payment, outcome).await;
                self.leave_if_declined(&payment, verdict).await
            }
        }
    }

    /// Returns how the purchase ends. A buyer who waited for tickets does not leave before paying,
    /// and replaces a declined card, so that a full draw sells out after one wave of waiting.
    fn effective_purchase_ending(&self) -> PurchaseEnding {
        match self.plan.ending {
            PurchaseEnding::Abandons | PurchaseEnding::Releases if self.waited => {
                PurchaseEnding::Reads
            }
            PurchaseEnding::CutCall
                if self.waited && self.plan.completion_call == CompletionCall::Wallet =>
            {
                PurchaseEnding::Reads
            }
            ending => ending,
        }
    }

    fn effective_card(&self) -> Card {
        if self.waited && self.plan.card == Card::Declined {
            Card::Replaced
        } else {
            self.plan.card
        }
    }

    async fn continue_after_card_outcome(
        &mut self,
        payment: &Payment,
        outcome: CardOutcome,
    ) -> PurchaseVerdict {
        match outcome {
            CardOutcome::Authorised => {
                self.pause_between_steps().await;
                self.transcript.authorised_at = Some(self.browser.site.elapsed());
                self.complete_purchase(payment, false).await
            }
            CardOutcome::Declined => PurchaseVerdict::Declined,
            CardOutcome::Canceled => PurchaseVerdict::NotCharged,
            CardOutcome::NoAnswer => PurchaseVerdict::NoAnswer,
            outcome @ (CardOutcome::AuthenticationRequired | CardOutcome::Unexpected(_)) => {
                self.record_unexpected_answer(format!("the card: {outcome:?}"))
            }
        }
    }

    /// A buyer without a working card leaves the page. That releases the reservation.
    async fn leave_if_declined(
        &self,
        payment: &Payment,
        verdict: PurchaseVerdict,
    ) -> PurchaseVerdict {
        if verdict == PurchaseVerdict::Declined {
            self.leave_checkout(payment).await;
        }
        verdict
    }

    async fn leave_checkout(&self, payment: &Payment) {
        let path = format!("/api/reservations/{}", payment.reservation);
        let leave = Request {
            method: reqwest::Method::DELETE,
            ..Request::get(path)
        };
        self.browser.send_repeatedly(CallKind::Leave, &leave).await;
    }

    /// Opens the payment. If the server says how many tickets are left, tries again with fewer. If
    /// the draw may have tickets again, tries again later.
    async fn open_payment(&mut self) -> OpenPaymentResult {
        let give_up = self.browser.site.elapsed() + self.wait_for_tickets;
        loop {
            let answers = self
                .browser
                .send_repeatedly(CallKind::Open, &self.open_payment_request())
                .await;
            self.transcript.ticket_count = self.lines.iter().map(|(_, count)| count).sum();
            for payment in answers
                .iter()
                .filter(|answer| answer.ok())
                .filter_map(Payment::from_open_response)
            {
                self.transcript.record_payment(payment);
            }
            if let Some(payment) = self.transcript.payments.last() {
                return OpenPaymentResult::Opened(payment.clone());
            }
            let Some(answer) = answers.last() else {
                return OpenPaymentResult::Stopped(PurchaseVerdict::NoAnswer);
            };
            match (answer.status, answer.body_text_at("/code").as_str()) {
                (409, "tickets-unavailable") => {}
                (409, "draw-closed") => return OpenPaymentResult::Stopped(PurchaseVerdict::Closed),
                (0..500, _) => {
                    let outcome = format!("opening a payment: {} {}", answer.status, answer.body);
                    return OpenPaymentResult::Stopped(self.record_unexpected_answer(outcome));
                }
                _ => return OpenPaymentResult::Stopped(PurchaseVerdict::NoAnswer),
            }
            if self.reduce_ticket_counts(answer) {
                continue;
            }
            match self.wait_for_free_tickets(give_up).await {
                AvailabilityResult::Available => self.waited = true,
                AvailabilityResult::SoldOut => {
                    return OpenPaymentResult::Stopped(PurchaseVerdict::SoldOut);
                }
                AvailabilityResult::GaveUp => {
                    return OpenPaymentResult::Stopped(PurchaseVerdict::GaveUp);
                }
            }
        }
    }

    /// Reduces the ticket counts to what is available. Returns `false` when no count changed.
    fn reduce_ticket_counts(&mut self, answer: &ServerResponse) -> bool {
        let tickets_left = json_number_at(&answer.body, "/available")
            .and_then(|tickets_left| u32::try_from(tickets_left).ok())
            .unwrap_or(0);
        let draw = json_number_at(&answer.body, "/drawNumber").unwrap_or(self.lines[0].0);
        let mut shrunk = false;
        for line in self
            .lines
            .iter_mut()
            .filter(|line| line.0 == draw && tickets_left > 0 && line.1 > tickets_left)
        {
            line.1 = tickets_left;
            shrunk = true;
        }
        shrunk
    }

    /// Polls full draws until each has a free ticket. Stops when one is sold out or closed, or when
    /// the time `give_up` has passed.
    async fn wait_for_free_tickets(&self, give_up: Duration) -> AvailabilityResult {
        for (draw, _) in &self.lines {
            loop {
                let answer = self
                    .browser
                    .send_with_retries(CallKind::Draw, &Request::get(format!("/api/draws/{draw}")))
                    .await;
                let Some(answer) = answer else {
                    return AvailabilityResult::GaveUp;
                };
                let sold = json_number_at(&answer.body, "/ticketsSold").unwrap_or(169);
                let held = json_number_at(&answer.body, "/ticketsHeld").unwrap_or(0);
                if sold >= 169 || answer.body_text_at("/status") != "active" {
                    return AvailabilityResult::SoldOut;
                }
                if sold + held < 169 {
                    break;
                }
                if self.browser.site.elapsed() >= give_up {
                    return AvailabilityResult::GaveUp;
                }
                tokio::time::sleep(Duration::from_millis(
                    1_500 + self.browser.random_below(2_000),
                ))
                .await;
            }
        }
        AvailabilityResult::Available
    }

    /// Confirms the card, as the provider's page does.
    async fn confirm_card(&self, payment: &Payment) -> CardOutcome {
        match self.effective_card() {
            Card::Good => {
                provider::confirm_payment(&self.browser, payment, provider::GOOD_CARD, true).await
            }
            Card::Declined => {
                provider::confirm_payment(&self.browser, payment, provider::DECLINED_CARD, false)
                    .await
            }
            Card::Replaced => {
                match provider::confirm_payment(
                    &self.browser,
                    payment,
                    provider::DECLINED_CARD,
                    false,
                )
                .await
                {
                    CardOutcome::Declined => {
                        provider::confirm_payment(&self.browser, payment, provider::GOOD_CARD, true)
                            .await
                    }
                    other => other,
                }
            }
            Card::NeedsAuthentication => {
                match provider::confirm_payment(
                    &self.browser,
                    payment,
                    provider::AUTHENTICATION_CARD,
                    false,
                )
                .await
                {
                    CardOutcome::AuthenticationRequired => {
                        provider::authenticate_buyer(&self.browser, payment).await
                    }
                    other => other,
                }
            }
        }
    }

    /// Makes the completing call of this buyer's plan. If `unpaid` is set, the card is not
    /// confirmed yet and the call contains it.
    async fn complete_purchase(&mut self, payment: &Payment, unpaid: bool) -> PurchaseVerdict {
        let request = self.completion_request(payment, unpaid.then(|| self.payment_method()));
        match self.effective_purchase_ending() {
            PurchaseEnding::ClosedTab => return PurchaseVerdict::LeftAfterPaying,
            PurchaseEnding::CutCall => {
                let after = Duration::from_millis(1 + self.browser.random_below(40));
                self.browser
                    .send_and_disconnect(CallKind::Complete, &request, after)
                    .await;
                return PurchaseVerdict::LeftAfterPaying;
            }
            PurchaseEnding::SendsBeacon => {
                self.browser
                    .send_and_disconnect(CallKind::Complete, &request, Duration::from_secs(5))
                    .await;
                return PurchaseVerdict::LeftAfterPaying;
            }
            _ => {}
        }
        let outcome = match self.effective_card() {
            // A call with a declined card is not repeated, because the provider would block the
            // card.
            Card::Declined | Card::Replaced if unpaid => self
                .browser
                .send_with_retries(CallKind::Complete, &request)
                .await
                .map(|answer| CompletionOutcome::from_completion_response(&answer)),
            _ => self.repeat_completion(&request).await,
        };
        let outcome = match outcome {
            Some(CompletionOutcome::AuthenticationRequired) => {
                match provider::authenticate_buyer(&self.browser, payment).await {
                    CardOutcome::Authorised => self.repeat_completion(&request).await,
                    _ => Some(CompletionOutcome::Pending),
                }
            }
            Some(CompletionOutcome::Declined) if self.effective_card() == Card::Replaced => {
                let again = self.completion_request(payment, Some(provider::GOOD_CARD));
                self.repeat_completion(&again).await
            }
            outcome => outcome,
        };
        self.wait_for_final_verdict(payment, outcome).await
    }

    async fn repeat_completion(&mut self, request: &Request) -> Option<CompletionOutcome> {
        let answers = self
            .browser
            .send_repeatedly(CallKind::Complete, request)
            .await;
        let (outcome, failures) = combine_completion_responses(self.plan.number, &answers);
        self.transcript.failures.extend(failures);
        outcome
    }

    /// Returns the final outcome that the buyer is shown. While the server has not decided, polls
    /// the order page.
    async fn wait_for_final_verdict(
        &mut self,
        payment: &Payment,
        outcome: Option<CompletionOutcome>,
    ) -> PurchaseVerdict {
        let give_up = self.browser.site.elapsed() + self.browser.site.retry_timeout;
        let mut outcome = outcome.unwrap_or(CompletionOutcome::Pending);
        while matches!(
            outcome,
            CompletionOutcome::Pending | CompletionOutcome::AuthenticationRequired
        ) {
            if self.browser.site.elapsed() >= give_up {
                return PurchaseVerdict::NoAnswer;
            }
            tokio::time::sleep(Duration::from_millis(250 + self.browser.random_below(200))).await;
            let page = Request::get(format!("/api/orders/{}", payment.token));
            outcome = self
                .browser
                .send_with_retries(CallKind::Order, &page)
                .await
                .map_or(CompletionOutcome::Pending, |page| {
                    CompletionOutcome::from_order_page(&page)
                });
        }
        self.transcript.decided_at = Some(self.browser.site.elapsed());
        match outcome {
            CompletionOutcome::Tickets(tickets) => {
                self.transcript.tickets = tickets;
                PurchaseVerdict::Bought
            }
            CompletionOutcome::NotCharged => PurchaseVerdict::NotCharged,
            CompletionOutcome::Declined => PurchaseVerdict::Declined,
            other => self.record_unexpected_answer(format!("completing: {other:?}")),
        }
    }

    fn payment_method(&self) -> &'static str {
        match self.effective_card() {
            Card::Good => provider::GOOD_CARD,
            Card::Declined | Card::Replaced => provider::DECLINED_CARD,
            Card::NeedsAuthentication => provider::AUTHENTICATION_CARD,
        }
    }

    fn record_unexpected_answer(&mut self, what: String) -> PurchaseVerdict {
        self.transcript.failures.push(format!(
            "buyer {}: unexpected answer: {what}",
            self.plan.number
        ));
        PurchaseVerdict::NoAnswer
    }

    async fn pause_between_steps(&self) {
        tokio::time::sleep(Duration::from_millis(self.plan.pause_ms)).await;
    }

    fn buyer_details(&self) -> Value {
        let number = self.plan.number;
        json!({
            "buyerName": format!("Buyer {number}"),
            "buyerEmail": format!("buyer{number}@crowd.test"),
            "buyerPhone": format!("04{number:08}"),
        })
    }

    fn cart_items(&self) -> Value {
        self.lines
            .iter()
            .map(|(draw, count)| json!({"drawId": draw, "quantity": count}))
            .collect()
    }

    /// Builds the request that opens a payment. The client key stays the same until an attempt
    /// succeeds, as on the web page.
    fn open_payment_request(&self) -> Request {
        let key = format!("{:016x}", self.plan.seed);
        match self.lines[..] {
            [(draw, count)] => Request::post(
                "/api/create-payment-intent",
                json!({"drawNumber": draw, "ticketCount": count, "buyer": self.buyer_details(), "clientKey": key}),
            ),
            _ => Request::post(
                "/api/cart/create-payment-intent",
                json!({"items": self.cart_items(), "clientKey": key}),
            ),
        }
    }

    /// Builds the completing request of this buyer's plan. If `method` is given, the server
    /// confirms the card itself.
    fn completion_request(&self, payment: &Payment, method: Option<&str>) -> Request {
        let mut body = json!({
            "buyer": self.buyer_details(),
            "paymentIntentId": payment.intent,
            "ageConfirmation": true,
            "termsAgreement": true,
        });
        let path = match (&self.lines[..], method) {
            ([(draw, count)], method) => {
                body["drawNumber"] = json!(draw);
                body["ticketCount"] = json!(count);
                match method {
                    Some(method) => {
                        let details = self.buyer_details();
                        body["paymentMethodId"] = json!(method);
                        body["customerInfo"] = json!({"name": details["buyerName"], "email": details["buyerEmail"],
                            "phone": details["buyerPhone"]});
                        "/api/process-wallet-payment"
                    }
                    None if self.plan.completion_call == CompletionCall::CardPayment => {
                        "/api/complete-card-payment"
                    }
                    None => "/api/purchase-tickets",
                }
            }
            (_, method) => {
                body["items"] = self.cart_items();
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
