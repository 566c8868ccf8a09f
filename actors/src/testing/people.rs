//! What buyers do in their browsers, and people at the provider's dashboard.

use domain::{AccountId, Cents, PaymentIntentId, PaymentStatus};
use persistence::books::Notice;

use super::gateway::{FakeGateway, lock};
use super::provider::{Intent, Takings, card_declined, is_payable};

impl FakeGateway {
    fn turn(
        &self,
        id: &PaymentIntentId,
        notice: &str,
        turn: impl FnOnce(&mut Intent) -> bool,
    ) -> bool {
        let mut provider = lock(&self.provider);
        let turned = provider.intents.get_mut(id).is_some_and(turn);
        if turned && !notice.is_empty() {
            provider.tell(notice, id);
        }
        turned
    }

    /// The buyer's browser authorises the payment; `false` when the intent cannot be paid any more.
    pub fn authorise(&self, id: &PaymentIntentId) -> bool {
        let now = self.now();
        self.turn(id, "payment_intent.amount_capturable_updated", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.authorised_at = Some(now);
                intent.said.status = PaymentStatus::RequiresCapture;
            }
            payable
        })
    }

    /// The card is declined: the intent waits for another.
    pub fn decline(&self, id: &PaymentIntentId) -> bool {
        self.turn(id, "payment_intent.payment_failed", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.status = PaymentStatus::RequiresPaymentMethod;
                intent.said.decline = Some(card_declined("pm_typed"));
            }
            payable
        })
    }

    /// The buyer stands before a 3-D Secure page.
    pub fn challenge(&self, id: &PaymentIntentId) -> bool {
        self.turn(id, "", |intent| {
            let payable = is_payable(intent.said.status);
            if payable {
                intent.said.status = PaymentStatus::RequiresAction;
            }
            payable
        })
    }

    /// Somebody captures in the provider's dashboard, without a fee.
    pub fn capture_behind_our_back(&self, id: &PaymentIntentId) -> bool {
        let mut provider = lock(&self.provider);
        let account = provider
            .intents
            .get(id)
            .map(|intent| intent.said.account.clone());
        account.is_some_and(|account| provider.capture(&account, id, Cents::ZERO).is_ok())
    }

    /// Somebody refunds everything in the provider's dashboard.
    pub fn refund_behind_our_back(&self, id: &PaymentIntentId) -> bool {
        self.turn(id, "charge.refunded", |intent| {
            let left = intent.said.amount_received > intent.said.amount_refunded;
            intent.said.amount_refunded = intent.said.amount_received;
            left
        })
    }

    /// The authorisation runs out, or the bank takes it back.
    pub fn expire(&self, id: &PaymentIntentId) -> bool {
        self.turn(id, "payment_intent.canceled", |intent| {
            let open = intent.said.status == PaymentStatus::RequiresCapture;
            if open {
                intent.said.status = PaymentStatus::Canceled;
            }
            open
        })
    }

    /// The buyer's bank disputes a payment that was taken.
    pub fn dispute(&self, id: &PaymentIntentId) -> bool {
        self.turn(id, "charge.dispute.created", |intent| {
            intent.said.disputed = intent.said.status == PaymentStatus::Succeeded;
            intent.said.disputed
        })
    }

    /// Notices since the last call, in order; whether they arrive, when and how often is up to the test.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut lock(&self.provider).notices)
    }

    pub fn intent(&self, id: &PaymentIntentId) -> Option<Intent> {
        lock(&self.provider).intents.get(id).cloned()
    }

    /// Every intent ever made, in order.
    pub fn intents(&self) -> Vec<Intent> {
        lock(&self.provider).intents.values().cloned().collect()
    }

    pub fn takings(&self, account: &AccountId) -> Takings {
        lock(&self.provider).takings(account)
    }
}
