//! The outbox: what is put in is told to the mailer, which drains it. Every queued mail leaves once, or is tried again later.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::OrderId;
use futures_util::future::join_all;
use persistence::books::{Mail, OrderRecord};
use persistence::failpoint::{self, Step};
use persistence::nodes::Boot;
use persistence::{Books, Failure};
use tokio::sync::watch;

use crate::Clock;
use crate::payment::pause::pause_ms;
use crate::payment::room::Room;
use crate::rhythm::Rhythm;

/// Mails claimed at once.
const CLAIM_MAX: u32 = 16;
/// How long a claimed mail is ours while this process lives: a post that hangs longer may send it a second time, under the same
/// message id. When the process is gone, another sends it at once.
const LEASE_MS: i64 = 120_000;
/// With pauses of a minute this is more than a day of a silent post.
const ATTEMPTS_MAX: u32 = 1600;
const REST: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));

/// Renders and delivers one mail. The server gives it: actors know no templates and no SMTP.
#[async_trait]
pub trait Post: Send + Sync {
    /// Delivers a mail under its fixed message id; `order` is the mail's order as the books hold it.
    ///
    /// # Errors
    /// One sentence for the log, without personal data; the mailer tries again with growing pauses.
    async fn send(&self, mail: &Mail, order: Option<&OrderRecord>) -> Result<(), String>;
}

/// Where mails are put. Whoever does is here because the mailer then looks at once: left alone it looks ever more rarely, and
/// somebody waits for their link. Cheap to clone.
#[derive(Clone)]
pub struct Outbox {
    room: Arc<Room>,
    #[cfg(feature = "testing")]
    nudged: Arc<std::sync::atomic::AtomicU64>,
}

impl Outbox {
    pub(crate) fn new(room: Arc<Room>) -> Outbox {
        Outbox {
            room,
            #[cfg(feature = "testing")]
            nudged: Arc::default(),
        }
    }

    /// Queues a mail, due now, once for its key; `order` and `data` are what its letter is written from. `false`: one of this
    /// key was queued before.
    ///
    /// # Errors
    /// Not written.
    pub async fn queue(
        &self,
        key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
    ) -> Result<bool, Failure> {
        let queued = self
            .room
            .books
            .queue_mail(key, kind, order, to, data, self.room.clock.now())
            .await?;
        self.nudge();
        Ok(queued)
    }

    /// A transaction that is written put a mail in beside something else.
    pub fn nudge(&self) {
        self.room.nudges.mail.notify_one();
        #[cfg(feature = "testing")]
        self.nudged
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// How often the mailer was told by this handle: real time shows no difference between a nudge and a look by chance.
    #[cfg(feature = "testing")]
    pub fn nudged(&self) -> u64 {
        self.nudged.load(std::sync::atomic::Ordering::Relaxed)
    }
}

pub(crate) struct Mailer {
    me: Boot,
    books: Arc<dyn Books>,
    clock: Arc<dyn Clock>,
    post: Arc<dyn Post>,
}

pub(crate) async fn run(room: Arc<Room>, post: Arc<dyn Post>, stop: watch::Receiver<bool>) {
    let mailer = Mailer {
        me: room.draws.boot(),
        books: room.books.clone(),
        clock: room.clock.clone(),
        post,
    };
    let mut rhythm = Rhythm::new(REST, stop);
    while rhythm.next(&room.nudges.mail).await {
        match mailer.drain_some().await {
            Ok(0) => rhythm.found_nothing(),
            Ok(_) => {
                rhythm.found_something();
                // There may be more than one claim takes.
                room.nudges.mail.notify_one();
            }
            Err(failure) => {
                tracing::warn!(%failure, "the outbox could not be drained");
                rhythm.found_nothing();
            }
        }
    }
}

impl Mailer {
    async fn drain_some(&self) -> Result<usize, Failure> {
        let mails = self
            .books
            .claim_mail(self.me, self.clock.now(), LEASE_MS, CLAIM_MAX)
            .await?;
        // A post that is slow for one is not slow for all.
        for delivered in join_all(mails.iter().map(|mail| self.deliver(mail))).await {
            delivered?;
        }
        Ok(mails.len())
    }

    async fn deliver(&self, mail: &Mail) -> Result<(), Failure> {
        let order = match mail.order {
            Some(order) => self.books.order(order).await?,
            None => None,
        };
        let sent = failpoint::around(Step::Mail, self.post.send(mail, order.as_ref())).await;
        let now = self.clock.now();
        match sent {
            Ok(()) => self.books.mail_sent(mail.id, now).await,
            Err(why) => {
                tracing::warn!(why, mail.id, mail.kind, "a mail could not be sent");
                let again = now.plus_ms(pause_ms(mail.attempts, mail.id as u64));
                self.books
                    .mail_failed(
                        mail.id,
                        &why,
                        (mail.attempts < ATTEMPTS_MAX).then_some(again),
                    )
                    .await
            }
        }
    }
}
