//! The outbox of mails, and the worker that sends them. A mail that cannot be sent is tried again
//! later.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::OrderId;
use futures_util::future::join_all;
use persistence::failpoint::{self, PurchaseStep};
use persistence::nodes::InstanceId;
use persistence::stores::{Mail, OrderRecord};
use persistence::{Failure, PaymentStores};
use tokio::sync::watch;

use crate::Clock;
use crate::payments::context::PaymentContext;
use crate::payments::retry_delay::retry_delay_ms;
use crate::poll_backoff::PollBackoff;

/// Number of mails that one poll claims.
const MAILS_PER_CLAIM_MAX: u32 = 16;
/// How long, in milliseconds, only the claiming process may send a mail. If sending takes longer,
/// another node may send the mail again under the same message id. If the process ends, another
/// node sends the mail at once.
const MAIL_CLAIM_LEASE_MS: i64 = 120_000;
/// Number of attempts to send a mail. With delays of up to a minute, they cover an outage of the
/// mail server of more than a day.
const MAIL_SEND_ATTEMPTS_MAX: u32 = 1600;
/// Shortest and longest pause between polls.
const POLL_DELAY_RANGE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));

/// Renders and sends one mail. The server implements it: this crate has no templates and no SMTP.
#[async_trait]
pub trait MailTransport: Send + Sync {
    /// Sends a mail under its fixed message id. `order`: the stored order that the mail is about.
    /// `None`: the mail is about no order.
    ///
    /// # Errors
    /// One sentence for the log, without personal data. The mail is sent again after a growing
    /// delay.
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String>;
}

/// Queues mails and wakes the mailer, so that a mail does not wait for the next poll. Cheap to
/// clone.
#[derive(Clone)]
pub struct Outbox {
    context: Arc<PaymentContext>,
    #[cfg(feature = "testing")]
    wakeups: Arc<std::sync::atomic::AtomicU64>,
}

impl Outbox {
    pub(crate) fn new(context: Arc<PaymentContext>) -> Outbox {
        Outbox {
            context,
            #[cfg(feature = "testing")]
            wakeups: Arc::default(),
        }
    }

    /// Queues a mail that is due now. `order` and `data` are the input of its template. `false`: a
    /// mail with this key was queued before.
    ///
    /// # Errors
    /// The mail was not stored.
    pub async fn queue_mail_now(
        &self,
        key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
    ) -> Result<bool, Failure> {
        let queued = self
            .context
            .store
            .queue_mail(key, kind, order, to, data, self.context.clock.now())
            .await?;
        self.wake_mailer();
        Ok(queued)
    }

    /// Wakes the mailer after another transaction has stored a mail.
    pub fn wake_mailer(&self) {
        self.context.wakeups.mail.notify_one();
        #[cfg(feature = "testing")]
        self.wakeups
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// Returns how often this handle woke the mailer. Tests need the count, because in real time
    /// they cannot distinguish a wakeup from a poll.
    #[cfg(feature = "testing")]
    pub fn wake_count(&self) -> u64 {
        self.wakeups.load(std::sync::atomic::Ordering::Relaxed)
    }
}

struct Mailer {
    me: InstanceId,
    store: Arc<dyn PaymentStores>,
    clock: Arc<dyn Clock>,
    post: Arc<dyn MailTransport>,
}

/// Sends queued mails until the engine stops.
pub(crate) async fn run_mailer(
    context: Arc<PaymentContext>,
    post: Arc<dyn MailTransport>,
    stop: watch::Receiver<bool>,
) {
    let mailer = Mailer {
        me: context.draws.instance_id(),
        store: context.store.clone(),
        clock: context.clock.clone(),
        post,
    };
    let mut backoff = PollBackoff::new(POLL_DELAY_RANGE, stop);
    while backoff.wait_for_next_poll(&context.wakeups.mail).await {
        match mailer.send_due_mails().await {
            Ok(0) => backoff.increase_delay(),
            Ok(_) => {
                backoff.reset_delay();
                // One claim may not return all due mails, so the mailer is woken again.
                context.wakeups.mail.notify_one();
            }
            Err(failure) => {
                tracing::warn!(%failure, "mails not sent: database error");
                backoff.increase_delay();
            }
        }
    }
}

impl Mailer {
    async fn send_due_mails(&self) -> Result<usize, Failure> {
        let mails = self
            .store
            .claim_mail(
                self.me,
                self.clock.now(),
                MAIL_CLAIM_LEASE_MS,
                MAILS_PER_CLAIM_MAX,
            )
            .await?;
        // The mails are sent concurrently, so that a slow recipient server does not delay other
        // mails.
        for sent in join_all(mails.iter().map(|mail| self.send_mail(mail))).await {
            sent?;
        }
        Ok(mails.len())
    }

    async fn send_mail(&self, mail: &Mail) -> Result<(), Failure> {
        let order = match mail.order {
            Some(order) => self.store.order(order).await?,
            None => None,
        };
        let sent = failpoint::run_between_failpoints(
            PurchaseStep::Mail,
            self.post.send(mail, order.as_ref()),
        )
        .await;
        let now = self.clock.now();
        match sent {
            Ok(()) => self.store.mark_mail_sent(mail.id, now).await,
            Err(why) => {
                tracing::warn!(why, mail.id, mail.kind, "mail not sent: mail server error");
                let retry_at = now.plus_ms(retry_delay_ms(mail.attempts, mail.id as u64));
                self.store
                    .record_mail_failure(
                        mail.id,
                        &why,
                        (mail.attempts < MAIL_SEND_ATTEMPTS_MAX).then_some(retry_at),
                    )
                    .await
            }
        }
    }
}
