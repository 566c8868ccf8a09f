//! The state of the fake provider: payment intents with manual capture, and answers stored by
//! idempotency key.

use std::collections::BTreeMap;

use domain::provider_error::{
    LOW_BALANCE_CODE, PAYMENT_DISPUTED_CODE, ProviderErrorClass, UNEXPECTED_INTENT_STATE_CODE,
};
use domain::{
    AccountId, ApplicationId, Cents, Decline, DrawId, OrderId, PaymentIntent, PaymentIntentId,
    PaymentOrigin, PaymentStatus, ProviderRefund, RefundStatus, Timestamp,
};
use persistence::stores::StoredWebhookEvent;

use crate::{GatewayError, NewIntent, OpenedIntent};

/// Returns the application that the fake provider names for the platform's intents.
pub fn platform_application() -> ApplicationId {
    ApplicationId("ca_platform".into())
}

/// A payment intent of the fake provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeIntent {
    pub said: PaymentIntent,
    pub client_secret: String,
    pub made_at: Timestamp,
    /// How often the payment was captured. More than one capture is an error.
    pub captures: u32,
}

/// The money totals of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProviderAccountTotals {
    pub captured: Cents,
    pub refunded: Cents,
    pub fees: Cents,
    pub fees_refunded: Cents,
    pub payments: u64,
}

/// The answer to a write, stored under the write's idempotency key.
#[derive(Clone, Debug)]
pub(super) enum StoredAnswer {
    Intent(Box<Result<OpenedIntent, GatewayError>>),
    Refund(Result<ProviderRefund, GatewayError>),
    Done(Result<(), GatewayError>),
}

#[derive(Default)]
pub(super) struct FakeProvider {
    pub intents: BTreeMap<PaymentIntentId, FakeIntent>,
    /// The stored answers by idempotency key: the description of the request, and its answer.
    pub stored_answers: BTreeMap<String, (String, StoredAnswer)>,
    pub notices: Vec<StoredWebhookEvent>,
    intent_count: u64,
    event_count: u64,
    refund_count: u64,
    /// The status of new refunds. `None`: they succeed at once.
    pub new_refund_status: Option<RefundStatus>,
    /// Whether refunds are refused, because the account's balance is too low.
    pub is_balance_low: bool,
    pub accounts: BTreeMap<String, AccountId>,
}

/// Returns the error of an error answer, classified as the real gateway does.
pub(super) fn refused_error(code: &str, message: &str) -> GatewayError {
    let class = ProviderErrorClass::from_code(code);
    GatewayError::of_answer(class, code.into(), message.into(), true)
}

fn unexpected_state_error(status: PaymentStatus) -> GatewayError {
    refused_error(
        UNEXPECTED_INTENT_STATE_CODE,
        &format!("the payment intent is {status:?}"),
    )
}

impl FakeProvider {
    pub fn intent(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<&mut FakeIntent, GatewayError> {
        let found = self
            .intents
            .get_mut(id)
            .filter(|intent| intent.said.account == *account);
        found.ok_or_else(|| refused_error("resource_missing", "no such payment intent"))
    }

    pub fn create(
        &mut self,
        new: &NewIntent,
        now: Timestamp,
    ) -> Result<OpenedIntent, GatewayError> {
        if new.amount < Cents(50) {
            return Err(refused_error(
                "amount_too_small",
                "the amount is below the minimum",
            ));
        }
        let origin = PaymentOrigin {
            application: Some(platform_application()),
            has_order_key: true,
        };
        let id = self.create_marked(&new.account, new.amount, origin, Some(new.order), now);
        let intent = self.intent(&new.account, &id)?;
        intent.said.draws = new
            .draws
            .split(',')
            .filter_map(|line| line.split_once('x'))
            .filter_map(|(draw, count)| Some((DrawId(draw.parse().ok()?), count.parse().ok()?)))
            .collect();
        Ok(to_opened_intent(intent))
    }

    /// Creates an intent with these marks. `order` is the order id in its metadata.
    pub fn create_marked(
        &mut self,
        account: &AccountId,
        amount: Cents,
        origin: PaymentOrigin,
        order: Option<OrderId>,
        now: Timestamp,
    ) -> PaymentIntentId {
        self.intent_count += 1;
        let id = PaymentIntentId(format!("pi_{:06}", self.intent_count));
        let said = PaymentIntent {
            id: id.clone(),
            account: account.clone(),
            status: PaymentStatus::RequiresPaymentMethod,
            amount,
            amount_received: Cents::ZERO,
            amount_refunded: Cents::ZERO,
            refunds: Vec::new(),
            application_fee: Cents::ZERO,
            application_fee_refunded: Cents::ZERO,
            currency: "aud".into(),
            origin,
            order,
            provider_fee: None,
            dispute: None,
            authorised_at: None,
            draws: Vec::new(),
            method: None,
            decline: None,
        };
        let client_secret = format!("{id}_secret");
        let intent = FakeIntent {
            said,
            client_secret,
            made_at: now,
            captures: 0,
        };
        self.intents.insert(id.clone(), intent);
        id
    }

    pub fn update(
        &mut self,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        let intent = self.intent(&new.account, id)?;
        if !is_payable(intent.said.status) {
            return Err(unexpected_state_error(intent.said.status));
        }
        intent.said.amount = new.amount;
        Ok(to_opened_intent(intent))
    }

    /// Confirms a payment intent. The payment method decides the outcome: `pm_decline…` is
    /// declined, `pm_3ds…` requires an action of the buyer, any other is authorised.
    pub fn confirm(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
        method: &str,
        now: Timestamp,
    ) -> Result<OpenedIntent, GatewayError> {
        let intent = self.intent(account, id)?;
        if !is_payable(intent.said.status) {
            return Err(unexpected_state_error(intent.said.status));
        }
        intent.said.decline = None;
        if method.starts_with("pm_decline") {
            intent.said.status = PaymentStatus::RequiresPaymentMethod;
            let decline = card_declined(method);
            intent.said.decline = Some(decline.clone());
            self.add_event("payment_intent.payment_failed", id);
            return Err(refused_error(&decline.code, &decline.message));
        }
        if method.starts_with("pm_3ds") {
            intent.said.status = PaymentStatus::RequiresAction;
        } else {
            intent.said.authorised_at = Some(now);
            intent.said.status = PaymentStatus::RequiresCapture;
        }
        let opened = to_opened_intent(intent);
        if opened.intent.status == PaymentStatus::RequiresCapture {
            self.add_event("payment_intent.amount_capturable_updated", id);
        }
        Ok(opened)
    }

    pub fn capture(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
        fee: Cents,
    ) -> Result<OpenedIntent, GatewayError> {
        let intent = self.intent(account, id)?;
        if intent.said.status != PaymentStatus::RequiresCapture {
            return Err(unexpected_state_error(intent.said.status));
        }
        if fee > intent.said.amount {
            return Err(refused_error(
                "parameter_invalid",
                "the application fee is above the amount",
            ));
        }
        intent.captures += 1;
        intent.said.status = PaymentStatus::Succeeded;
        intent.said.amount_received = intent.said.amount;
        intent.said.application_fee = fee;
        intent.said.provider_fee = Some(domain::fee::card_fee(intent.said.amount));
        let opened = to_opened_intent(intent);
        self.add_event("payment_intent.succeeded", id);
        Ok(opened)
    }

    pub fn cancel(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<OpenedIntent, GatewayError> {
        let intent = self.intent(account, id)?;
        if matches!(
            intent.said.status,
            PaymentStatus::Succeeded | PaymentStatus::Canceled | PaymentStatus::Processing
        ) {
            return Err(unexpected_state_error(intent.said.status));
        }
        intent.said.status = PaymentStatus::Canceled;
        let opened = to_opened_intent(intent);
        self.add_event("payment_intent.canceled", id);
        Ok(opened)
    }

    pub fn refund(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<ProviderRefund, GatewayError> {
        let (is_balance_low, new_status) = (self.is_balance_low, self.new_refund_status);
        let refund_id = format!("re_{:06}", self.refund_count + 1);
        let said = &mut self.intent(account, id)?.said;
        if said.is_disputed() {
            return Err(refused_error(
                PAYMENT_DISPUTED_CODE,
                "a disputed payment cannot be refunded",
            ));
        }
        if amount <= Cents::ZERO || said.amount_refunded + amount > said.amount_received {
            return Err(refused_error(
                "charge_already_refunded",
                "there is not that much left to refund",
            ));
        }
        if is_balance_low {
            return Err(refused_error(
                LOW_BALANCE_CODE,
                "the balance does not cover the refund",
            ));
        }
        let refund = ProviderRefund {
            id: refund_id,
            amount,
            status: new_status.unwrap_or(RefundStatus::Succeeded),
        };
        if refund.status.failure().is_none() {
            said.amount_refunded += amount;
        }
        said.refunds.insert(0, refund.clone());
        self.refund_count += 1;
        self.add_event("charge.refunded", id);
        Ok(refund)
    }

    pub fn refund_fee(
        &mut self,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let said = &mut self.intent(account, id)?.said;
        if amount <= Cents::ZERO || said.application_fee_refunded + amount > said.application_fee {
            return Err(refused_error(
                "fee_already_refunded",
                "there is not that much of the fee left",
            ));
        }
        said.application_fee_refunded += amount;
        Ok(())
    }

    /// Returns the payment intents of an account that were created since a time, newest first.
    pub fn list(&self, account: &AccountId, since: Timestamp) -> Vec<FakeIntent> {
        let matches =
            |intent: &&FakeIntent| intent.said.account == *account && intent.made_at >= since;
        self.intents
            .values()
            .rev()
            .filter(matches)
            .cloned()
            .collect()
    }

    pub fn find_open_intent(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Option<OpenedIntent> {
        let is_open = |intent: &&FakeIntent| {
            let said = &intent.said;
            said.order == Some(order)
                && said
                    .origin
                    .foreign_kind(Some(&platform_application()))
                    .is_none()
                && said.status != PaymentStatus::Canceled
        };
        self.list(account, since)
            .iter()
            .find(is_open)
            .map(to_opened_intent)
    }

    pub fn add_event(&mut self, kind: &str, id: &PaymentIntentId) {
        self.event_count += 1;
        self.notices.push(StoredWebhookEvent {
            event_id: format!("evt_{:06}", self.event_count),
            account: self
                .intents
                .get(id)
                .map(|intent| intent.said.account.0.clone()),
            kind: kind.into(),
            payment_intent: Some(id.clone()),
            payload: "{}".into(),
        });
    }

    pub fn provider_account_totals(&self, account: &AccountId) -> ProviderAccountTotals {
        let mut takings = ProviderAccountTotals::default();
        for said in self
            .intents
            .values()
            .map(|intent| &intent.said)
            .filter(|said| said.account == *account)
        {
            takings.captured += said.amount_received;
            takings.refunded += said.amount_refunded;
            takings.fees += said.application_fee;
            takings.fees_refunded += said.application_fee_refunded;
            takings.payments += u64::from(said.status == PaymentStatus::Succeeded);
        }
        takings
    }
}

pub(super) fn card_declined(method: &str) -> Decline {
    let (code, message) = ("card_declined".into(), "Your card was declined.".into());
    Decline {
        code,
        message,
        payment_method: Some(method.into()),
    }
}

pub(super) fn is_payable(status: PaymentStatus) -> bool {
    matches!(
        status,
        PaymentStatus::RequiresPaymentMethod
            | PaymentStatus::RequiresConfirmation
            | PaymentStatus::RequiresAction
    )
}

fn to_opened_intent(intent: &FakeIntent) -> OpenedIntent {
    OpenedIntent {
        id: intent.said.id.clone(),
        client_secret: intent.client_secret.clone(),
        intent: intent.said.clone(),
    }
}
