//! What is done at the provider past us.

use actors::{Gateway, NewIntent};
use domain::{AccountId, PaymentStatus};

use super::Person;
use crate::simulation::plan::account;

impl Person {
    /// At the provider's dashboard, past us.
    pub(super) async fn meddle(self) {
        if !self.some_time().await {
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
        let id = self.chance.one_of(&touchable);
        let way = self.chance.below(4);
        let deed = match way {
            0 if provider.capture_behind_our_back(id) => "captures",
            1 if provider.expire(id) => "lets expire",
            2 if provider.refund_behind_our_back(id) => "refunds",
            3 if provider.dispute(id) => "disputes",
            _ => return,
        };
        self.world.watch.meddled(id);
        self.world
            .trace
            .note("meddles", &[way], || format!("somebody {deed} {id}"));
        self.world.deliver_notices();
    }

    /// The buyer's bank disputes a payment.
    pub(super) async fn dispute(self) {
        if !self.some_time().await {
            return;
        }
        let taken = self
            .world
            .provider
            .intents()
            .into_iter()
            .map(|intent| intent.said);
        let taken: Vec<_> = taken
            .filter(|said| said.status == PaymentStatus::Succeeded)
            .collect();
        if !taken.is_empty() {
            let id = &self.chance.one_of(&taken).id;
            self.world.watch.meddled(id);
            self.world.watch.met("a payment disputed");
            self.world.provider.dispute(id);
            self.world
                .trace
                .note("disputes", &[], || format!("the bank of {id}"));
            self.world.deliver_notices();
        }
    }

    /// Somebody with an account of their own pays themselves, and writes an order of ours on it.
    pub(super) async fn forge(self) {
        if !self.some_time().await {
            return;
        }
        let orders = self.world.memory.orders();
        if orders.is_empty() {
            return;
        }
        let order = &self.chance.one_of(&orders).order;
        let mut accounts = vec![AccountId("acct_stranger".into())];
        accounts.extend(
            self.world
                .plan
                .clubs
                .iter()
                .map(|club| account(*club))
                .filter(|club| *club != order.account),
        );
        let account = self.chance.one_of(&accounts).clone();
        let new = NewIntent {
            order: order.id,
            account,
            amount: order.total(),
            draws: String::new(),
        };
        let key = format!("forged-{}", self.chance.next());
        let Ok(forged) = self.world.provider.create(&key, &new).await else {
            return;
        };
        self.world.watch.forged(&forged.id);
        self.world.watch.met("a payment forged");
        self.world.provider.authorise(&forged.id);
        self.world.trace.note("forges", &[], || {
            format!("{} of {} for order {}", forged.id, new.account, order.id.0)
        });
        self.world.deliver_notices();
    }
}
