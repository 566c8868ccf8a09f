//! What buyers do in their browsers, and what people do in the provider's dashboard.

use domain::{
    AccountId, Cents, DisputeStatus, OrderId, PaymentIntentId, PaymentOrigin, PaymentStatus,
    RefundStatus,
};
use persistence::stores::StoredWebhookEvent;

use super::gateway::{FakeGateway, lock};
use super::provider::{FakeIntent, ProviderAccountTotals, card_declined, is_payable};

impl FakeGateway {
    /// Changes a payment intent. If `change` returns true, a webhook event of type `event_type` is
    /// queued.
    fn change_intent(
        &self,
        id: &PaymentIntentId,
        event_type: &str,
        change: impl FnOnce(&mut FakeIntent) -> bool,
    ) -> bool {
        let mut provider = lock(&self.provider);
        let changed = provider.intents.get_mut(id).is_some_and(change);
        if changed && !event_type.is_empty() {
            provider.add_event(event_type, id);
        }
        changed
    }

    /// Creates an authorised payment with the given marks, as a club or another system does. `order`
    /// is the order id in the metadata, which such a system may use for its own orders.
    pub fn authorise_marked_payment(
        &self,
        account: &AccountId,
        amount: Cents,
        origin: PaymentOrigin,
        order: Option<OrderId>,
    ) -> PaymentIntentId {
        let now = self.now();
        let mut provider = lock(&self.provider);
        let id = provider.create_marked(account, amount, origin, order, now);
        let opened = provider.confirm(account, &id, "pm_visa", now);
        drop(provider);
        opened.expect("a new intent can be confirmed").id
    }

    /// Replaces the marks of a payment intent, for example by those of an earlier version.
    pub fn set_origin(&self, id: &PaymentIntentId, origin: PaymentOrigin) -> bool {
        self.change_intent(id, "", |intent| {
            intent.said.origin = origin;
            true
        })
    }

    /// Authorises the payment in the buyer's browser. `false`: the intent can no longer be paid.
    pub fn authorise(&self, id: &PaymentIntentId) -> bool {
        let now = self.now();
        self.change_intent(id, "payment_intent.amount_capturable_updated", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.authorised_at = Some(now);
                intent.said.status = PaymentStatus::RequiresCapture;
            }
            payable
        })
    }

    /// Declines the card. The intent stays open for another card.
    pub fn decline(&self, id: &PaymentIntentId) -> bool {
        self.change_intent(id, "payment_intent.payment_failed", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.status = PaymentStatus::RequiresPaymentMethod;
                intent.said.decline = Some(card_declined("pm_typed"));
            }
            payable
        })
    }

    /// Makes the intent require a 3-D Secure step of the buyer.
    pub fn require_3d_secure(&self, id: &PaymentIntentId) -> bool {
        self.change_intent(id, "", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.status = PaymentStatus::RequiresAction;
            }
            payable
        })
    }

    /// Captures the payment in the provider's dashboard, without an application fee.
    pub fn capture_in_dashboard(&self, id: &PaymentIntentId) -> bool {
        let mut provider = lock(&self.provider);
        let account = provider
            .intents
            .get(id)
            .map(|intent| intent.said.account.clone());
        account.is_some_and(|account| provider.capture(&account, id, Cents::ZERO).is_ok())
    }

    /// Refunds the whole payment in the provider's dashboard.
    pub fn refund_in_dashboard(&self, id: &PaymentIntentId) -> bool {
        self.change_intent(id, "charge.refunded", |intent| {
            let left = intent.said.amount_received > intent.said.amount_refunded;
            intent.said.amount_refunded = intent.said.amount_received;
            left
        })
    }

    /// Sets the status of new refunds. `None`: they succeed at once.
    pub fn set_new_refund_status(&self, status: Option<RefundStatus>) {
        lock(&self.provider).new_refund_status = status;
    }

    /// Sets whether the provider refuses refunds, because the account's balance is too low.
    pub fn set_balance_low(&self, is_low: bool) {
        lock(&self.provider).is_balance_low = is_low;
    }

    /// Changes the status of the payment's newest refund, as the buyer's bank does. The money of a
    /// failed refund returns to the account.
    pub fn settle_refund(&self, id: &PaymentIntentId, status: RefundStatus) -> bool {
        let kind = match status.failure() {
            Some(_) => "refund.failed",
            None => "refund.updated",
        };
        self.change_intent(id, kind, |intent| {
            let Some(refund) = intent.said.refunds.first_mut() else {
                return false;
            };
            if !refund.status.may_become(status) {
                return false;
            }
            if status.failure().is_some() {
                intent.said.amount_refunded -= refund.amount;
            }
            refund.status = status;
            true
        })
    }

    /// Ends the authorisation, as if it had expired or the bank had revoked it.
    pub fn end_authorisation(&self, id: &PaymentIntentId) -> bool {
        self.change_intent(id, "payment_intent.canceled", |intent| {
            let open = intent.said.status == PaymentStatus::RequiresCapture;
            if open {
                intent.said.status = PaymentStatus::Canceled;
            }
            open
        })
    }

    /// Disputes a captured payment, as the buyer's bank does.
    pub fn dispute(&self, id: &PaymentIntentId) -> bool {
        self.change_intent(id, "charge.dispute.created", |intent| {
            let captured = intent.said.status == PaymentStatus::Succeeded;
            if captured {
                intent.said.dispute = Some(DisputeStatus::NeedsResponse);
            }
            captured
        })
    }

    /// Changes the status of a payment's dispute, as the buyer's bank does.
    pub fn set_dispute_status(&self, id: &PaymentIntentId, status: DisputeStatus) -> bool {
        self.change_intent(id, "charge.dispute.updated", |intent| {
            intent.said.dispute = Some(status);
            true
        })
    }

    /// Returns the webhook events that were queued since the last call, in order. The test decides
    /// whether, when and how often they are delivered.
    pub fn take_webhook_events(&self) -> Vec<StoredWebhookEvent> {
        std::mem::take(&mut lock(&self.provider).notices)
    }

    /// Returns a copy of a payment intent. `None`: there is none with this id.
    pub fn intent(&self, id: &PaymentIntentId) -> Option<FakeIntent> {
        lock(&self.provider).intents.get(id).cloned()
    }

    /// Returns copies of all payment intents in order of creation.
    pub fn intents(&self) -> Vec<FakeIntent> {
        lock(&self.provider).intents.values().cloned().collect()
    }

    /// Returns the money totals of an account.
    pub fn provider_account_totals(&self, account: &AccountId) -> ProviderAccountTotals {
        lock(&self.provider).provider_account_totals(account)
    }
}
