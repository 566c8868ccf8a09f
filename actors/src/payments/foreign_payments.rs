//! Tells the platform's payments from those of others. Clubs use their accounts also for sales of
//! their own, which must never be stored, reported, captured, cancelled or refunded (decision M-10).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use domain::{AccountId, ForeignPaymentKind, PaymentIntent, PaymentIntentId, PaymentOrigin};
use persistence::Failure;
use persistence::stores::StoredWebhookEvent;

use super::context::PaymentContext;

/// Accounts that belong to a club. An account stays a club's account, so an entry is always valid.
#[derive(Default)]
pub(crate) struct ClubAccounts(Mutex<BTreeSet<AccountId>>);

impl ClubAccounts {
    fn contains(&self, account: &AccountId) -> bool {
        self.lock().contains(account)
    }

    fn insert(&self, account: AccountId) {
        self.lock().insert(account);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<AccountId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PaymentContext {
    /// Whether this platform created a payment that was read from the provider: its marks say so,
    /// or an order has its id. A payment of others is counted.
    ///
    /// # Errors
    /// The database could not be read, or the provider did not name the platform's application.
    pub(crate) async fn is_platform_payment(
        &self,
        intent: &PaymentIntent,
    ) -> Result<bool, Failure> {
        let Some(kind) = self.foreign_kind(&intent.origin).await? else {
            return Ok(true);
        };
        if kind.can_have_order()
            && let Some(record) = self.store.order_by_payment_intent(&intent.id).await?
            && record.order.account == intent.account
        {
            return Ok(true);
        }
        self.metrics.count_foreign_payment(kind);
        Ok(false)
    }

    /// Whether a webhook event may concern this platform. Other events are counted and need not be
    /// stored. `origin`: the marks of the payment in the event; `None`: the event does not show
    /// them. The marks of a signed event can be trusted, because the application that created a
    /// payment never changes.
    ///
    /// # Errors
    /// The database could not be read, or the provider did not name the platform's application.
    pub(crate) async fn is_relevant_event(
        &self,
        event: &StoredWebhookEvent,
        origin: Option<&PaymentOrigin>,
    ) -> Result<bool, Failure> {
        let foreign_kind = match origin {
            Some(origin) => match self.foreign_kind(origin).await? {
                Some(kind) => Some(kind),
                None => return Ok(true),
            },
            None => None,
        };
        if let Some(id) = &event.payment_intent
            && self.has_order_of_intent(id).await?
        {
            return Ok(true);
        }
        let account = event.account.clone().map(AccountId);
        if let Some(account) = account
            && !self.is_club_account(account).await?
        {
            self.metrics.count_unknown_account_event();
            return Ok(false);
        }
        if let Some(kind) = foreign_kind {
            self.metrics.count_foreign_payment(kind);
        }
        Ok(foreign_kind.is_none())
    }

    async fn foreign_kind(
        &self,
        origin: &PaymentOrigin,
    ) -> Result<Option<ForeignPaymentKind>, Failure> {
        // Most payments of others have no application, and need no knowledge of the own one.
        if let Some(kind @ ForeignPaymentKind::NoApplication) = origin.foreign_kind(None) {
            return Ok(Some(kind));
        }
        let platform = self.gateway.platform_application().await;
        let platform = platform.map_err(|error| {
            Failure::NotWritten(format!("the platform's application is unknown: {error}"))
        })?;
        Ok(origin.foreign_kind(platform.as_ref()))
    }

    async fn has_order_of_intent(&self, id: &PaymentIntentId) -> Result<bool, Failure> {
        if self.index.order_of_intent(id).is_some() {
            return Ok(true);
        }
        let record = self.store.order_by_payment_intent(id).await?;
        Ok(record.is_some())
    }

    async fn is_club_account(&self, account: AccountId) -> Result<bool, Failure> {
        if self.club_accounts.contains(&account) {
            return Ok(true);
        }
        let is_known = self.store.club_of_account(&account).await?.is_some();
        if is_known {
            self.club_accounts.insert(account);
        }
        Ok(is_known)
    }
}
