//! A payment provider in memory with fault injection, delays and webhook events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use domain::{
    AccountId, ApplicationId, Cents, OrderId, PaymentIntent, PaymentIntentId, ProviderRefund,
    Timestamp,
};

use super::provider::{FakeProvider, StoredAnswer, platform_application, refused_error};
use crate::{
    AccountStatus, Clock, ConnectGateway, Gateway, GatewayError, NewIntent, OpenedIntent,
    WalletDomainStatus,
};

/// The method of a call to the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GatewayMethod {
    Create,
    Update,
    Retrieve,
    Confirm,
    Capture,
    Cancel,
    Refund,
    RefundFee,
    List,
    Find,
}

/// A call to the provider, as the fault injection sees it.
#[derive(Clone, Copy, Debug)]
pub struct GatewayCall<'a> {
    pub verb: GatewayMethod,
    /// The idempotency key of a write; empty for a read.
    pub key: &'a str,
    pub account: &'a AccountId,
}

/// The fault that is injected into one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// The provider answers 429 or refuses the connection, without an effect.
    Unavailable,
    /// The call times out and has no effect.
    TimeoutBefore,
    /// The call times out but has its effect. A retry under the same idempotency key returns the
    /// lost answer.
    TimeoutAfter,
    /// A server error without an effect. The provider stores the error under the idempotency key.
    CachedError,
    /// A server error although the call has its effect. The provider stores the error under the
    /// idempotency key.
    CachedErrorAfter,
}

type FaultDecider = Box<dyn FnMut(GatewayCall<'_>) -> Fault + Send>;
type DelayDecider = Box<dyn FnMut(GatewayCall<'_>) -> Duration + Send>;

/// A payment provider in memory. All clones share its state.
#[derive(Clone)]
pub struct FakeGateway {
    clock: Arc<dyn Clock>,
    pub(super) provider: Arc<Mutex<FakeProvider>>,
    faults: Arc<Mutex<Option<FaultDecider>>>,
    pace: Arc<Mutex<Option<DelayDecider>>>,
    /// Whether the platform does not know its own application yet.
    application_is_unknown: Arc<Mutex<bool>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is accepted, because a second panic here would hide the first panic of a
    // test.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unavailable_error() -> GatewayError {
    refused_error("rate_limit", "too many requests")
}

fn no_answer_error() -> GatewayError {
    GatewayError::unknown("no answer")
}

impl FakeGateway {
    pub fn new(clock: Arc<dyn Clock>) -> FakeGateway {
        FakeGateway {
            clock,
            provider: Arc::default(),
            faults: Arc::default(),
            pace: Arc::default(),
            application_is_unknown: Arc::default(),
        }
    }

    /// Sets whether the platform knows its own application, as before its first intent.
    pub fn set_application_known(&self, known: bool) {
        *lock(&self.application_is_unknown) = !known;
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Sets the function that decides the fault of each call.
    pub fn set_faults(&self, decide: impl FnMut(GatewayCall<'_>) -> Fault + Send + 'static) {
        *lock(&self.faults) = Some(Box::new(decide));
    }

    /// Injects a fault into the next call of one method only.
    pub fn fail_next(&self, verb: GatewayMethod, fault: Fault) {
        let mut remaining = Some(fault);
        self.set_faults(move |call| {
            if call.verb == verb {
                remaining.take().unwrap_or_default()
            } else {
                Fault::None
            }
        });
    }

    /// Removes all injected faults.
    pub fn clear_faults(&self) {
        *lock(&self.faults) = None;
    }

    /// Sets the function that decides the delay of each call. The call waits before it has its
    /// effect.
    pub fn set_call_delays(&self, pace: impl FnMut(GatewayCall<'_>) -> Duration + Send + 'static) {
        *lock(&self.pace) = Some(Box::new(pace));
    }

    /// Waits for the delay of a call and returns its fault.
    async fn delay_and_choose_fault(&self, call: GatewayCall<'_>) -> Fault {
        let delay = lock(&self.pace)
            .as_mut()
            .map_or(Duration::ZERO, |pace| pace(call));
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        lock(&self.faults)
            .as_mut()
            .map_or(Fault::None, |decide| decide(call))
    }

    /// Executes a read. Most faults make it fail without an answer.
    async fn execute_read_call<T>(
        &self,
        verb: GatewayMethod,
        account: &AccountId,
        read: impl FnOnce(&mut FakeProvider) -> Result<T, GatewayError>,
    ) -> Result<T, GatewayError> {
        match self
            .delay_and_choose_fault(GatewayCall {
                verb,
                key: "",
                account,
            })
            .await
        {
            Fault::None => read(&mut lock(&self.provider)),
            Fault::Unavailable => Err(unavailable_error()),
            _ => Err(no_answer_error()),
        }
    }

    /// Executes a write and stores the answer under the call's idempotency key. `what` describes
    /// the request. As at the real provider, a key that was used for another request is refused.
    async fn execute_write_call(
        &self,
        call: GatewayCall<'_>,
        what: String,
        write: impl FnOnce(&mut FakeProvider) -> StoredAnswer + Send,
    ) -> Result<StoredAnswer, GatewayError> {
        let fault = self.delay_and_choose_fault(call).await;
        let mut provider = lock(&self.provider);
        match fault {
            Fault::Unavailable => {
                return Err(unavailable_error());
            }
            Fault::TimeoutBefore => return Err(no_answer_error()),
            _ => {}
        }
        let what = format!("{:?} {what}", call.verb);
        let answer = match provider.stored_answers.get(call.key) {
            Some((before, _)) if *before != what => {
                let message = format!("the key {} was used for {before}, not for {what}", call.key);
                return Err(refused_error("idempotency_error", &message));
            }
            Some((_, answer)) => answer.clone(),
            None => {
                let server_error =
                    || StoredAnswer::Done(Err(refused_error("api_error", "server error")));
                let answer = match fault {
                    Fault::CachedError => server_error(),
                    Fault::CachedErrorAfter => {
                        write(&mut provider);
                        server_error()
                    }
                    _ => write(&mut provider),
                };
                provider
                    .stored_answers
                    .insert(call.key.into(), (what, answer.clone()));
                answer
            }
        };
        if fault == Fault::TimeoutAfter {
            Err(no_answer_error())
        } else {
            Ok(answer)
        }
    }

    async fn write_intent(
        &self,
        call: GatewayCall<'_>,
        what: String,
        write: impl FnOnce(&mut FakeProvider) -> Result<OpenedIntent, GatewayError> + Send,
    ) -> Result<OpenedIntent, GatewayError> {
        match self
            .execute_write_call(call, what, |provider| {
                StoredAnswer::Intent(Box::new(write(provider)))
            })
            .await?
        {
            StoredAnswer::Intent(opened) => *opened,
            StoredAnswer::Refund(refund) => refund.and(Err(no_answer_error())),
            StoredAnswer::Done(done) => done.and(Err(no_answer_error())),
        }
    }

    async fn execute_write_with_empty_answer(
        &self,
        call: GatewayCall<'_>,
        what: String,
        write: impl FnOnce(&mut FakeProvider) -> Result<(), GatewayError> + Send,
    ) -> Result<(), GatewayError> {
        match self
            .execute_write_call(call, what, |provider| StoredAnswer::Done(write(provider)))
            .await?
        {
            StoredAnswer::Done(done) => done,
            StoredAnswer::Refund(refund) => refund.map(|_| ()),
            StoredAnswer::Intent(opened) => opened.map(|_| ()),
        }
    }
}

#[async_trait]
impl Gateway for FakeGateway {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Create,
            key,
            account: &new.account,
        };
        let now = self.clock.now();
        self.write_intent(call, format!("{} {}", new.order, new.amount), |provider| {
            provider.create(new, now)
        })
        .await
    }

    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Update,
            key,
            account,
        };
        self.write_intent(call, format!("{id} {}", new.amount), |provider| {
            provider.update(id, new)
        })
        .await
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.execute_read_call(GatewayMethod::Retrieve, account, |provider| {
            Ok(provider.intent(account, id)?.said.clone())
        })
        .await
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        source: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Confirm,
            key,
            account,
        };
        let now = self.clock.now();
        let confirm = |provider: &mut FakeProvider| provider.confirm(account, id, source, now);
        self.write_intent(call, format!("{id} {source}"), confirm)
            .await
    }

    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Capture,
            key,
            account,
        };
        let capture = |provider: &mut FakeProvider| provider.capture(account, id, application_fee);
        Ok(self
            .write_intent(call, format!("{id} {application_fee}"), capture)
            .await?
            .intent)
    }

    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Cancel,
            key,
            account,
        };
        Ok(self
            .write_intent(call, id.to_string(), |provider| {
                provider.cancel(account, id)
            })
            .await?
            .intent)
    }

    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<ProviderRefund, GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::Refund,
            key,
            account,
        };
        let refund = |provider: &mut FakeProvider| {
            StoredAnswer::Refund(provider.refund(account, id, amount))
        };
        match self
            .execute_write_call(call, format!("{id} {amount}"), refund)
            .await?
        {
            StoredAnswer::Refund(refund) => refund,
            StoredAnswer::Done(done) => done.and(Err(no_answer_error())),
            StoredAnswer::Intent(_) => Err(no_answer_error()),
        }
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let call = GatewayCall {
            verb: GatewayMethod::RefundFee,
            key,
            account,
        };
        self.execute_write_with_empty_answer(call, format!("{id} {amount}"), |provider| {
            provider.refund_fee(account, id, amount)
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        self.execute_read_call(GatewayMethod::List, account, |provider| {
            Ok(provider
                .list(account, since)
                .into_iter()
                .map(|intent| intent.said)
                .collect())
        })
        .await
    }

    async fn find_open_intent(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        self.execute_read_call(GatewayMethod::Find, account, |provider| {
            Ok(provider.find_open_intent(account, order, since))
        })
        .await
    }

    async fn platform_application(&self) -> Result<Option<ApplicationId>, GatewayError> {
        let known = !*lock(&self.application_is_unknown);
        Ok(known.then(platform_application))
    }
}

/// Every club's account is ready for payments as soon as it is created.
#[async_trait]
impl ConnectGateway for FakeGateway {
    async fn create_account(&self, key: &str, _email: &str) -> Result<AccountId, GatewayError> {
        let accounts = &mut lock(&self.provider).accounts;
        let next = AccountId(format!("acct_{:06}", accounts.len() + 1));
        Ok(accounts.entry(key.into()).or_insert(next).clone())
    }

    async fn onboarding_link(
        &self,
        account: &AccountId,
        _refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError> {
        Ok(format!("{return_url}?account={account}"))
    }

    async fn account_status(&self, _account: &AccountId) -> Result<AccountStatus, GatewayError> {
        Ok(AccountStatus {
            charges_enabled: true,
            payouts_enabled: true,
            details_submitted: true,
        })
    }

    async fn register_wallet_domain(
        &self,
        _account: &AccountId,
        _host: &str,
    ) -> Result<WalletDomainStatus, GatewayError> {
        Ok(WalletDomainStatus::Active)
    }
}
