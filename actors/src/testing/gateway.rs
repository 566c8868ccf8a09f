//! A payment provider in memory, with faults, pauses and notices on demand.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use domain::{AccountId, Cents, OrderId, PaymentIntent, PaymentIntentId, Timestamp};

use super::provider::{Answer, Provider};
use crate::{AccountStatus, Clock, Connect, Gateway, GatewayError, NewIntent, Opened};

/// What the provider is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
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

/// One call, for a fault to be decided on.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub verb: Verb,
    /// The idempotency key of a write.
    pub key: &'a str,
    pub account: &'a AccountId,
}

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// 429 or connection refused: certainly no effect.
    Unavailable,
    /// No answer, and no effect.
    TimeoutBefore,
    /// No answer, but the effect; the same key gives the lost answer.
    TimeoutAfter,
    /// A server error without effect, which the provider remembers under the key.
    CachedError,
    /// A server error in spite of the effect, remembered all the same.
    CachedErrorAfter,
}

type Decide = Box<dyn FnMut(Asked<'_>) -> Fault + Send>;
type Pace = Box<dyn FnMut(Asked<'_>) -> Duration + Send>;

/// Clones are the same provider.
#[derive(Clone)]
pub struct FakeGateway {
    clock: Arc<dyn Clock>,
    pub(super) provider: Arc<Mutex<Provider>>,
    faults: Arc<Mutex<Option<Decide>>>,
    pace: Arc<Mutex<Option<Pace>>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere in a test must not hide behind a second one here.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_answer() -> GatewayError {
    GatewayError::Unknown("no answer".into())
}

impl FakeGateway {
    pub fn new(clock: Arc<dyn Clock>) -> FakeGateway {
        FakeGateway {
            clock,
            provider: Arc::default(),
            faults: Arc::default(),
            pace: Arc::default(),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Decides what goes wrong, call by call; it replaces the one before.
    pub fn set_faults(&self, decide: impl FnMut(Asked<'_>) -> Fault + Send + 'static) {
        *lock(&self.faults) = Some(Box::new(decide));
    }

    /// Lets the next call of a verb go wrong, and none after it.
    pub fn fail_next(&self, verb: Verb, fault: Fault) {
        let mut left = Some(fault);
        self.set_faults(move |asked| {
            if asked.verb == verb {
                left.take().unwrap_or_default()
            } else {
                Fault::None
            }
        });
    }

    pub fn clear_faults(&self) {
        *lock(&self.faults) = None;
    }

    /// How long the provider takes to answer, before the effect; it replaces the one before.
    pub fn set_pace(&self, pace: impl FnMut(Asked<'_>) -> Duration + Send + 'static) {
        *lock(&self.pace) = Some(Box::new(pace));
    }

    async fn meet(&self, asked: Asked<'_>) -> Fault {
        let pause = lock(&self.pace)
            .as_mut()
            .map_or(Duration::ZERO, |pace| pace(asked));
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        lock(&self.faults)
            .as_mut()
            .map_or(Fault::None, |decide| decide(asked))
    }

    /// A read: a fault is just no answer.
    async fn read<T>(
        &self,
        verb: Verb,
        account: &AccountId,
        read: impl FnOnce(&mut Provider) -> Result<T, GatewayError>,
    ) -> Result<T, GatewayError> {
        match self
            .meet(Asked {
                verb,
                key: "",
                account,
            })
            .await
        {
            Fault::None => read(&mut lock(&self.provider)),
            Fault::Unavailable => Err(GatewayError::Unavailable("too many requests".into())),
            _ => Err(no_answer()),
        }
    }

    /// A write: the answer is remembered under its key, for whoever asks the same again.
    async fn write(
        &self,
        asked: Asked<'_>,
        what: String,
        write: impl FnOnce(&mut Provider) -> Answer + Send,
    ) -> Result<Answer, GatewayError> {
        let fault = self.meet(asked).await;
        let mut provider = lock(&self.provider);
        match fault {
            Fault::Unavailable => {
                return Err(GatewayError::Unavailable("too many requests".into()));
            }
            Fault::TimeoutBefore => return Err(no_answer()),
            _ => {}
        }
        let what = format!("{:?} {what}", asked.verb);
        let answer = match provider.remembered.get(asked.key) {
            Some((before, _)) if *before != what => {
                let message = format!(
                    "the key {} was used for {before}, not for {what}",
                    asked.key
                );
                return Err(GatewayError::Refused {
                    code: "idempotency_error".into(),
                    message,
                });
            }
            Some((_, answer)) => answer.clone(),
            None => {
                let server_error =
                    || Answer::Done(Err(GatewayError::Failed("server error".into())));
                let answer = match fault {
                    Fault::CachedError => server_error(),
                    Fault::CachedErrorAfter => {
                        write(&mut provider);
                        server_error()
                    }
                    _ => write(&mut provider),
                };
                provider
                    .remembered
                    .insert(asked.key.into(), (what, answer.clone()));
                answer
            }
        };
        if fault == Fault::TimeoutAfter {
            Err(no_answer())
        } else {
            Ok(answer)
        }
    }

    async fn write_intent(
        &self,
        asked: Asked<'_>,
        what: String,
        write: impl FnOnce(&mut Provider) -> Result<Opened, GatewayError> + Send,
    ) -> Result<Opened, GatewayError> {
        match self
            .write(asked, what, |provider| {
                Answer::Intent(Box::new(write(provider)))
            })
            .await?
        {
            Answer::Intent(opened) => *opened,
            Answer::Done(done) => done.and(Err(no_answer())),
        }
    }

    async fn write_done(
        &self,
        asked: Asked<'_>,
        what: String,
        write: impl FnOnce(&mut Provider) -> Result<(), GatewayError> + Send,
    ) -> Result<(), GatewayError> {
        match self
            .write(asked, what, |provider| Answer::Done(write(provider)))
            .await?
        {
            Answer::Done(done) => done,
            Answer::Intent(opened) => opened.map(|_| ()),
        }
    }
}

#[async_trait]
impl Gateway for FakeGateway {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<Opened, GatewayError> {
        let asked = Asked {
            verb: Verb::Create,
            key,
            account: &new.account,
        };
        let now = self.clock.now();
        self.write_intent(asked, format!("{} {}", new.order, new.amount), |provider| {
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
    ) -> Result<Opened, GatewayError> {
        let asked = Asked {
            verb: Verb::Update,
            key,
            account,
        };
        self.write_intent(asked, format!("{id} {}", new.amount), |provider| {
            provider.update(id, new)
        })
        .await
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.read(Verb::Retrieve, account, |provider| {
            Ok(provider.intent(account, id)?.said.clone())
        })
        .await
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        payment_method: &str,
    ) -> Result<Opened, GatewayError> {
        let asked = Asked {
            verb: Verb::Confirm,
            key,
            account,
        };
        let now = self.clock.now();
        let confirm = |provider: &mut Provider| provider.confirm(account, id, payment_method, now);
        self.write_intent(asked, format!("{id} {payment_method}"), confirm)
            .await
    }

    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        let asked = Asked {
            verb: Verb::Capture,
            key,
            account,
        };
        let capture = |provider: &mut Provider| provider.capture(account, id, application_fee);
        Ok(self
            .write_intent(asked, format!("{id} {application_fee}"), capture)
            .await?
            .intent)
    }

    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        let asked = Asked {
            verb: Verb::Cancel,
            key,
            account,
        };
        Ok(self
            .write_intent(asked, id.to_string(), |provider| {
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
    ) -> Result<(), GatewayError> {
        let asked = Asked {
            verb: Verb::Refund,
            key,
            account,
        };
        self.write_done(asked, format!("{id} {amount}"), |provider| {
            provider.refund(account, id, amount)
        })
        .await
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let asked = Asked {
            verb: Verb::RefundFee,
            key,
            account,
        };
        self.write_done(asked, format!("{id} {amount}"), |provider| {
            provider.refund_fee(account, id, amount)
        })
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        self.read(Verb::List, account, |provider| {
            Ok(provider
                .list(account, since)
                .into_iter()
                .map(|intent| intent.said)
                .collect())
        })
        .await
    }

    async fn find(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<Opened>, GatewayError> {
        self.read(Verb::Find, account, |provider| {
            Ok(provider.find(account, order, since))
        })
        .await
    }
}

/// Every club is onboarded at once.
#[async_trait]
impl Connect for FakeGateway {
    async fn create_account(
        &self,
        key: &str,
        _email: Option<&str>,
    ) -> Result<AccountId, GatewayError> {
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
}
