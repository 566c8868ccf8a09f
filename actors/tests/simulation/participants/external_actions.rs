//! What people do at the provider directly, outside this system.

use actors::{Gateway, NewIntent};
use domain::{AccountId, PaymentStatus};

use super::Participant;
use crate::simulation::plan::account;

impl Participant {
    /// Changes a payment in the provider's dashboard.
    pub(super) async fn change_payment_in_dashboard(self) {
        if !self.wait_random_time().await {
            return;
        }
        let provider = &self.world.provider;
        let touchable = provider.intents().into_iter().filter(|intent| {
            matches!(
                intent.said.status,
                PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
            )
        });
        let touchable: Vec<_> = touchable.map(|intent| intent.said.id).collect();
        if touchable.is_empty() {
            return;
        }
        let id = self.random.one_of(&touchable);
        let choice = self.random.below(4);
        let action = match choice {
            0 if provider.capture_in_dashboard(id) => "captures",
            1 if provider.end_authorisation(id) => "lets expire",
            2 if provider.refund_in_dashboard(id) => "refunds",
            3 if provider.dispute(id) => "disputes",
            _ => return,
        };
        self.world.monitor.record_external_change(id);
        self.world
            .trace
            .record_event("meddles", &[choice], || format!("external: {action} {id}"));
        self.world.signal_waiting_webhooks();
    }

    /// The buyer's bank disputes a payment.
    pub(super) async fn dispute_payment(self) {
        if !self.wait_random_time().await {
            return;
        }
        let taken = self
            .world
            .provider
            .intents()
            .into_iter()
            .map(|intent| intent.said);
        let taken: Vec<_> = taken
            .filter(|intent| intent.status == PaymentStatus::Succeeded)
            .collect();
        if !taken.is_empty() {
            let id = &self.random.one_of(&taken).id;
            self.world.monitor.record_external_change(id);
            self.world.monitor.record_situation("a payment disputed");
            self.world.provider.dispute(id);
            self.world
                .trace
                .record_event("disputes", &[], || format!("the bank of {id}"));
            self.world.signal_waiting_webhooks();
        }
    }

    /// Another account creates a payment that names an order of this system.
    pub(super) async fn forge_payment(self) {
        if !self.wait_random_time().await {
            return;
        }
        let orders = self.world.memory.orders();
        if orders.is_empty() {
            return;
        }
        let order = &self.random.one_of(&orders).order;
        let mut accounts = vec![AccountId("acct_stranger".into())];
        accounts.extend(
            self.world
                .plan
                .clubs
                .iter()
                .map(|club| account(*club))
                .filter(|club| *club != order.account),
        );
        let account = self.random.one_of(&accounts).clone();
        let new = NewIntent {
            order: order.id,
            account,
            amount: order.total(),
            draws: String::new(),
        };
        let key = format!("forged-{}", self.random.next());
        let Ok(forged) = self.world.provider.create(&key, &new).await else {
            return;
        };
        self.world.monitor.record_forged_intent(&forged.id);
        self.world.monitor.record_situation("a payment forged");
        self.world.provider.authorise(&forged.id);
        self.world.trace.record_event("forges", &[], || {
            format!("{} of {} for order {}", forged.id, new.account, order.id.0)
        });
        self.world.signal_waiting_webhooks();
    }
}
