//! Makes payments with a test key through the product's own gateway, and checks each answer: create,
//! confirm, capture with a fee, refund of the fee, refund, cancel, decline, 3-D Secure and dispute.
//!
//! The first answer that is not as expected ends the rehearsal. No authorisation is left open.

use std::time::{Duration, Instant};

use actors::payments::stripe::ORDER_METADATA_KEY;
use actors::{Gateway, GatewayError, NewIntent, OpenedIntent, Stripe, StripeSettings};
use anyhow::ensure;
use domain::{AccountId, Cents, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus};
use uuid::Uuid;

use super::Finding;

const SUBJECT: &str = "rehearsal";
/// The amount of each payment, and the fee of the platform.
const AMOUNT: Cents = Cents(1047);
const FEE: Cents = Cents(35);
/// Stripe's test cards (<https://docs.stripe.com/testing>).
const GOOD_CARD: &str = "pm_card_visa";
const DECLINED_CARD: &str = "pm_card_chargeDeclined";
const AUTHENTICATION_CARD: &str = "pm_card_authenticationRequired";
const DISPUTED_CARD: &str = "pm_card_createDispute";
/// Longest wait for what Stripe does after its answer, and the time between two looks at it.
const LATER_EFFECT_MAX: Duration = Duration::from_secs(30);
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// Refuses a live key, before any call is made.
///
/// # Errors
///
/// The key is not a key of test mode.
pub fn refuse_live_key(secret_key: &str) -> anyhow::Result<()> {
    ensure!(
        secret_key.starts_with("sk_test_") || secret_key.starts_with("rk_test_"),
        "--rehearse makes payments, so it takes a test key only"
    );
    Ok(())
}

/// Runs all steps on a connected account. Returns a finding for each step until the first broken
/// one, which is red. `on_step` is called after each step.
///
/// # Errors
///
/// The key is a live key, or no header value.
pub async fn run(
    settings: &StripeSettings,
    account: &AccountId,
    on_step: impl FnMut(&mut Finding),
) -> anyhow::Result<Vec<Finding>> {
    refuse_live_key(&settings.secret)?;
    let gateway = Stripe::new(settings).map_err(anyhow::Error::msg)?;
    let mut rehearsal = Rehearsal {
        gateway: &gateway,
        account,
        run_id: Uuid::new_v4(),
        opened: Vec::new(),
        findings: Vec::new(),
        on_step,
    };
    let ended = rehearsal.play().await;
    if let Err(broken) = ended {
        rehearsal.report(Finding::red(
            SUBJECT,
            broken,
            "compare the step in Stripe's dashboard (Developers, Logs) with this program's expectation",
        ));
    }
    rehearsal.close_open_intents().await;
    Ok(rehearsal.findings)
}

/// One run, with the intents that it has opened.
struct Rehearsal<'a, F> {
    gateway: &'a dyn Gateway,
    account: &'a AccountId,
    /// Part of every idempotency key, so that two runs do not share answers.
    run_id: Uuid,
    opened: Vec<PaymentIntentId>,
    findings: Vec<Finding>,
    on_step: F,
}

impl<F: FnMut(&mut Finding)> Rehearsal<'_, F> {
    async fn play(&mut self) -> Result<(), String> {
        let paid = self.capture_a_payment().await?;
        self.return_everything(&paid).await?;
        self.cancel_an_authorisation().await?;
        self.refuse_a_card().await?;
        self.ask_for_authentication().await?;
        self.open_a_dispute().await
    }

    fn report(&mut self, mut finding: Finding) {
        (self.on_step)(&mut finding);
        self.findings.push(finding);
    }

    fn passed(&mut self, what: String) {
        self.report(Finding::green(SUBJECT, what));
    }

    fn key(&self, step: &str) -> String {
        format!("rehearsal-{}-{step}", self.run_id)
    }

    async fn create(&mut self, name: &str) -> Result<OpenedIntent, String> {
        let new = NewIntent {
            order: OrderId(Uuid::new_v4().as_u128()),
            account: self.account.clone(),
            amount: AMOUNT,
            draws: "1001x1".to_owned(),
        };
        let key = self.key(&format!("{name}-create"));
        let created = answered("create", self.gateway.create(&key, &new).await)?;
        self.opened.push(created.id.clone());
        let intent = &created.intent;
        expect(
            "create: status",
            intent.status,
            PaymentStatus::RequiresPaymentMethod,
        )?;
        expect("create: amount", intent.amount, AMOUNT)?;
        expect(
            "create: order in the metadata",
            intent.order,
            Some(new.order),
        )?;
        expect(
            "create: client secret",
            created.client_secret.is_empty(),
            false,
        )?;
        Ok(created)
    }

    async fn confirm(
        &self,
        name: &str,
        id: &PaymentIntentId,
        card: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        let key = self.key(&format!("{name}-confirm"));
        self.gateway.confirm(&key, self.account, id, card).await
    }

    async fn authorise(&mut self, name: &str, card: &str) -> Result<PaymentIntentId, String> {
        let created = self.create(name).await?;
        let confirmed = answered("confirm", self.confirm(name, &created.id, card).await)?;
        expect(
            "confirm: status",
            confirmed.intent.status,
            PaymentStatus::RequiresCapture,
        )?;
        expect(
            "confirm: amount received",
            confirmed.intent.amount_received,
            Cents::ZERO,
        )?;
        Ok(created.id)
    }

    async fn capture_a_payment(&mut self) -> Result<PaymentIntentId, String> {
        let created = self.create("paid").await?;
        expect(
            "create: named application",
            created.intent.origin.application.is_some(),
            true,
        )?;
        expect(
            &format!("create: metadata {ORDER_METADATA_KEY}"),
            created.intent.origin.has_order_key,
            true,
        )?;
        let id = created.id;
        self.passed(format!("create: {AMOUNT} on {}, {}", self.account.0, id.0));
        let confirmed = answered("confirm", self.confirm("paid", &id, GOOD_CARD).await)?;
        expect(
            "confirm: status",
            confirmed.intent.status,
            PaymentStatus::RequiresCapture,
        )?;
        self.passed("confirm: authorised, nothing taken yet".to_owned());
        let key = self.key("paid-capture");
        let captured = answered(
            "capture",
            self.gateway.capture(&key, self.account, &id, FEE).await,
        )?;
        expect("capture: status", captured.status, PaymentStatus::Succeeded)?;
        expect("capture: amount received", captured.amount_received, AMOUNT)?;
        expect("capture: application fee", captured.application_fee, FEE)?;
        self.passed(format!(
            "capture: {AMOUNT} taken, of which {FEE} are the platform's fee"
        ));
        let again = answered(
            "capture again",
            self.gateway.capture(&key, self.account, &id, FEE).await,
        )?;
        expect(
            "capture again: amount received",
            again.amount_received,
            AMOUNT,
        )?;
        self.passed(
            "capture again under the same key: the same answer, nothing taken twice".to_owned(),
        );
        // Stripe may compute its own fee after its answer.
        let known = self
            .await_intent("Stripe's own fee", &id, |intent| {
                intent.provider_fee.is_some()
            })
            .await?;
        let fee = known.provider_fee.unwrap_or(Cents::ZERO);
        self.passed(format!("Stripe's own fee: {fee}"));
        Ok(id)
    }

    async fn return_everything(&mut self, id: &PaymentIntentId) -> Result<(), String> {
        let key = self.key("paid-refund-fee");
        answered(
            "fee refund",
            self.gateway.refund_fee(&key, self.account, id, FEE).await,
        )?;
        let after = self
            .await_intent("fee refund", id, |intent| {
                intent.application_fee_refunded == FEE
            })
            .await?;
        expect(
            "fee refund: amount refunded to the buyer",
            after.amount_refunded,
            Cents::ZERO,
        )?;
        self.passed(format!(
            "fee refund: {FEE} back to the club, nothing to the buyer"
        ));
        let key = self.key("paid-refund");
        answered(
            "refund",
            self.gateway.refund(&key, self.account, id, AMOUNT).await,
        )?;
        let after = self
            .await_intent("refund", id, |intent| intent.amount_refunded == AMOUNT)
            .await?;
        expect(
            "refund: application fee refunded",
            after.application_fee_refunded,
            FEE,
        )?;
        self.passed(format!("refund: {AMOUNT} back to the buyer"));
        Ok(())
    }

    async fn cancel_an_authorisation(&mut self) -> Result<(), String> {
        let id = self.authorise("canceled", GOOD_CARD).await?;
        let key = self.key("canceled-cancel");
        let canceled = answered("cancel", self.gateway.cancel(&key, self.account, &id).await)?;
        expect("cancel: status", canceled.status, PaymentStatus::Canceled)?;
        expect(
            "cancel: amount received",
            canceled.amount_received,
            Cents::ZERO,
        )?;
        expect(
            "cancel: amount refunded",
            canceled.amount_refunded,
            Cents::ZERO,
        )?;
        self.passed(format!("cancel: {AMOUNT} released"));
        Ok(())
    }

    async fn refuse_a_card(&mut self) -> Result<(), String> {
        let created = self.create("declined").await?;
        match self.confirm("declined", &created.id, DECLINED_CARD).await {
            Err(GatewayError::Refused { code, .. }) => {
                self.passed(format!("declined card: refused with {code}"));
            }
            other => return Err(unexpected("declined card", "a refusal", other)),
        }
        let after = answered(
            "read",
            self.gateway.retrieve(self.account, &created.id).await,
        )?;
        expect(
            "declined card: status",
            after.status,
            PaymentStatus::RequiresPaymentMethod,
        )
    }

    async fn ask_for_authentication(&mut self) -> Result<(), String> {
        let created = self.create("authentication").await?;
        let confirmed = self
            .confirm("authentication", &created.id, AUTHENTICATION_CARD)
            .await;
        let confirmed = answered("3-D Secure", confirmed)?;
        expect(
            "3-D Secure: status",
            confirmed.intent.status,
            PaymentStatus::RequiresAction,
        )?;
        self.passed(format!(
            "3-D Secure: the bank asks the buyer before it authorises {AMOUNT}"
        ));
        Ok(())
    }

    async fn open_a_dispute(&mut self) -> Result<(), String> {
        let id = self.authorise("disputed", DISPUTED_CARD).await?;
        let key = self.key("disputed-capture");
        answered(
            "capture",
            self.gateway.capture(&key, self.account, &id, FEE).await,
        )?;
        self.await_intent("dispute", &id, domain::PaymentIntent::is_disputed)
            .await?;
        self.passed(format!(
            "dispute: {AMOUNT} are disputed (Stripe keeps the test dispute)"
        ));
        Ok(())
    }

    /// Reads an intent until it is as expected.
    async fn await_intent(
        &self,
        step: &str,
        id: &PaymentIntentId,
        is_expected: impl Fn(&PaymentIntent) -> bool,
    ) -> Result<PaymentIntent, String> {
        let started = Instant::now();
        loop {
            let intent = answered(step, self.gateway.retrieve(self.account, id).await)?;
            if is_expected(&intent) {
                return Ok(intent);
            }
            if started.elapsed() > LATER_EFFECT_MAX {
                let seconds = LATER_EFFECT_MAX.as_secs();
                return Err(format!("{step}: not there after {seconds} s: {intent:?}"));
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// Cancels every intent that is neither captured nor canceled.
    async fn close_open_intents(&mut self) {
        let mut canceled = 0;
        for (number, id) in std::mem::take(&mut self.opened).into_iter().enumerate() {
            let intent = match self.gateway.retrieve(self.account, &id).await {
                Ok(intent) => intent,
                Err(why) => {
                    self.report(still_open(&id, &why));
                    continue;
                }
            };
            if matches!(
                intent.status,
                PaymentStatus::Succeeded | PaymentStatus::Canceled
            ) {
                continue;
            }
            let key = self.key(&format!("close-{number}"));
            match self.gateway.cancel(&key, self.account, &id).await {
                Ok(_) => canceled += 1,
                Err(why) => self.report(still_open(&id, &why)),
            }
        }
        if !self
            .findings
            .iter()
            .any(|finding| finding.what.contains("may still be open"))
        {
            self.passed(format!(
                "end: {canceled} open payments canceled, none is left open"
            ));
        }
    }
}

fn still_open(id: &PaymentIntentId, why: &GatewayError) -> Finding {
    Finding::red(
        SUBJECT,
        format!("{} may still be open: {why}", id.0),
        "cancel it in Stripe's dashboard",
    )
}

fn answered<T>(step: &str, answer: Result<T, GatewayError>) -> Result<T, String> {
    answer.map_err(|why| format!("{step}: expected an answer, got: {why}"))
}

fn unexpected<T>(step: &str, expected: &str, got: Result<T, GatewayError>) -> String {
    match got {
        Ok(_) => format!("{step}: expected {expected}, got success"),
        Err(why) => format!("{step}: expected {expected}, got: {why}"),
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, got: T, expected: T) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, got {got:?}"))
}

#[cfg(test)]
mod tests {
    use super::refuse_live_key;

    #[test]
    fn only_test_keys_are_taken() {
        for key in ["sk_test_a", "rk_test_a"] {
            assert!(refuse_live_key(key).is_ok(), "{key}");
        }
        for key in ["sk_live_a", "rk_live_a", "pk_test_a", "", "x_test_"] {
            assert!(refuse_live_key(key).is_err(), "{key}");
        }
    }
}
