//! Simulated connections between a process and its surroundings: store, provider and other nodes.
//! Every call and answer waits while the process is paused, and forever when it is dead. Mutants
//! also change the behaviour here.

use std::sync::Arc;
use std::time::Duration;

use actors::{Gateway, GatewayError, MailTransport, NewIntent, OpenedIntent};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, Deal, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    Timestamp,
};
use persistence::ledger::{Append, ChangedDraw, Claims, KnownDraw};
use persistence::nodes::InstanceId;
use persistence::stores::{Mail, OrderRecord};
use persistence::{Failure, Ledger};
use tokio::time::{Instant, sleep, sleep_until};

use super::mutant::Mutant;
use super::plan::Pace;
use super::processes::Process;
use super::world::World;

pub use books::PaymentStoresPort;
pub use nodes::{NodesPort, Street};

mod books;
mod nodes;

/// Time after which the database ends a statement with an error.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a node polls for the commits of other nodes, in milliseconds.
const POLL_INTERVAL_MS: u64 = 400;
/// Longest time that a poll waits for something to report. Two polls and the interval between them
/// are shorter than `STALE_READ_MAX` in `membership.rs`.
const POLL_TIMEOUT: Duration = Duration::from_millis(700);

pub type Owner = (Arc<World>, Arc<Process>);

/// Delays a request to the database, or makes it fail.
async fn enter(owner: &Owner) -> Result<(), Failure> {
    delay(owner).await;
    ensure_reachable(owner).await.map_err(Failure::NotWritten)
}

/// Delays the answer of the database, or loses it. If it is lost, the caller does not know whether
/// the request had its effect.
async fn leave(owner: &Owner) -> Result<(), Failure> {
    delay(owner).await;
    ensure_reachable(owner).await.map_err(Failure::Unknown)
}

async fn delay((world, process): &Owner) {
    world.weather.store_pause().await;
    process.pass().await;
}

/// Delays a poll of the database. Every node polls several times a second.
async fn enter_beat(owner: &Owner) -> Result<(), Failure> {
    owner.0.weather.poll_pause().await;
    owner.1.pass().await;
    ensure_reachable(owner).await.map_err(Failure::NotWritten)
}

/// Delays the answer to a poll.
async fn leave_beat(owner: &Owner) -> Result<(), Failure> {
    owner.0.weather.poll_pause().await;
    owner.1.pass().await;
    ensure_reachable(owner).await.map_err(Failure::Unknown)
}

/// Returns an error after the statement timeout if the process is cut off from the database.
async fn ensure_reachable((world, process): &Owner) -> Result<(), String> {
    if !process.is_cut_off() {
        return Ok(());
    }
    world.watch.met("the database is out of reach");
    sleep(STATEMENT_TIMEOUT).await;
    process.pass().await;
    Err("cut off from the database".into())
}

pub struct LedgerPort(Owner);

impl LedgerPort {
    pub fn new(owner: Owner) -> LedgerPort {
        LedgerPort(owner)
    }
}

impl LedgerPort {
    /// Waits for a change, instead of executing polls that would find nothing. Returns the first
    /// changes, or none after [`POLL_TIMEOUT`].
    async fn first_change_in_time(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        let world = &self.0.0;
        let silent_until = Instant::now() + POLL_TIMEOUT;
        loop {
            let ledger_written = world.ledger_written.notified();
            let moved = world.memory.changed_draws(me, known).await?;
            if !moved.is_empty() {
                return Ok(moved);
            }
            tokio::select! {
                biased;
                () = ledger_written => sleep(Duration::from_millis(world.courier.below(POLL_INTERVAL_MS))).await,
                () = sleep_until(silent_until) => return Ok(moved),
            }
        }
    }
}

#[async_trait]
impl Ledger for LedgerPort {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<Claims, Failure> {
        let (world, process) = &self.0;
        enter(&self.0).await?;
        let owners: Vec<_> = draws
            .iter()
            .map(|draw| (*draw, world.memory.owner(*draw)))
            .collect();
        world.mutant.claiming(world, draws);
        let claims = world
            .mutant
            .claim(world, world.memory.claim(me, draws).await);
        let taken = claims.clone().map(|claims| claims.taken);
        world.watch.claimed(world, process.number, &taken);
        world.ledger_written.notify_waiters();
        world.watch.check_leases(me, &owners, &taken);
        if claims
            .as_ref()
            .is_ok_and(|claims| !claims.elsewhere.is_empty())
        {
            world.watch.met("a draw is another node's");
        }
        leave(&self.0).await?;
        claims
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<Claims, Failure> {
        let (world, process) = &self.0;
        enter(&self.0).await?;
        let claims = world.memory.take_over(me, draw, from).await;
        let taken = claims.clone().map(|claims| claims.taken);
        world.watch.claimed(world, process.number, &taken);
        if taken.is_ok_and(|taken| !taken.is_empty()) {
            world.watch.met("a draw taken from an unreachable owner");
            if world
                .house
                .process_of(from)
                .is_some_and(|owner| owner.is_running() && !owner.is_cut_off())
            {
                world
                    .watch
                    .met("a draw taken from an owner whose answers were lost");
            }
        }
        leave(&self.0).await?;
        claims
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        enter_beat(&self.0).await?;
        let world = &self.0.0;
        // In an hour without faults there are no commits, so all polls would be idle.
        let moved = match world.plan.pace {
            Pace::EveryPoll if !world.weather.faults_ended() => {
                world.memory.changed_draws(me, known).await
            }
            Pace::EveryPoll | Pace::SkipIdlePolls => self.first_change_in_time(me, known).await,
        };
        leave_beat(&self.0).await?;
        moved
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        enter(&self.0).await?;
        let deal = self.0.0.memory.deal(draw).await;
        leave(&self.0).await?;
        deal
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        let (world, process) = &self.0;
        enter(&self.0).await?;
        let written = world
            .memory
            .append(world.mutant.appends(world, appends.clone()))
            .await;
        world
            .watch
            .appended(world, process.number, &appends, &written);
        world.ledger_written.notify_waiters();
        world
            .mutant
            .answer(&appends, leave(&self.0).await.and(written))
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        enter(&self.0).await?;
        let draws = self.0.0.memory.live_draws().await;
        leave(&self.0).await?;
        draws
    }
}

pub struct PostPort(Owner);

impl PostPort {
    pub fn new(owner: Owner) -> PostPort {
        PostPort(owner)
    }
}

#[async_trait]
impl MailTransport for PostPort {
    async fn send(&self, mail: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        let (world, process) = &self.0;
        process.pass().await;
        if world.post_is_shut() {
            return Err("the mail server is down".into());
        }
        world
            .trace
            .note("mail", &[process.number, mail.id as u64], || {
                format!("{} to {}", mail.kind, mail.to)
            });
        world.watch.delivered(mail);
        process.pass().await;
        Ok(())
    }
}

pub struct GatewayPort(Owner);

impl GatewayPort {
    pub fn new(owner: Owner) -> GatewayPort {
        GatewayPort(owner)
    }

    /// Makes one call to the provider, records what the process told others, and returns the
    /// answer.
    async fn ask<T>(
        &self,
        verb: &'static str,
        of: u128,
        call: impl Future<Output = Result<T, GatewayError>> + Send,
    ) -> Result<T, GatewayError> {
        let (world, process) = &self.0;
        process.pass().await;
        let said = call.await;
        let (sign, situation) = match &said {
            Ok(_) => (0, "the provider answered"),
            Err(GatewayError::Refused { .. }) => (1, "the provider refused"),
            Err(GatewayError::Unavailable(_)) => (2, "the provider unavailable"),
            Err(GatewayError::Unknown(_) | GatewayError::Failed(_)) => {
                (3, "the provider without an answer")
            }
        };
        world.watch.met(situation);
        world
            .trace
            .note(verb, &[process.number, of as u64, sign], || {
                let words = said
                    .as_ref()
                    .err()
                    .map_or("done".into(), ToString::to_string);
                format!("process {} for {of}: {words}", process.number)
            });
        world.signal_webhooks();
        process.pass().await;
        said
    }
}

fn number_of_intent(id: &PaymentIntentId) -> u128 {
    id.0.trim_start_matches("pi_").parse().unwrap_or_default()
}

#[async_trait]
impl Gateway for GatewayPort {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let world = &self.0.0;
        self.0.0.watch.check_operation_key(&self.0.0, key);
        let opened = self
            .ask("create", new.order.0, world.provider.create(key, new))
            .await?;
        world.mutant.created(world, &opened.id, new);
        Ok(opened)
    }

    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        self.0.0.watch.check_operation_key(&self.0.0, key);
        self.ask(
            "update",
            number_of_intent(id),
            self.0.0.provider.update(key, account, id, new),
        )
        .await
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.ask(
            "retrieve",
            number_of_intent(id),
            self.0.0.provider.retrieve(account, id),
        )
        .await
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        payment_method: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        self.ask(
            "confirm",
            number_of_intent(id),
            self.0.0.provider.confirm(key, account, id, payment_method),
        )
        .await
    }

    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        let world = &self.0.0;
        let fee = world.mutant.fee(world, id).unwrap_or(application_fee);
        let key = world.mutant.key(world, key);
        world.watch.check_operation_key(world, &key);
        self.ask(
            "capture",
            number_of_intent(id),
            world.provider.capture(&key, account, id, fee),
        )
        .await
    }

    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        if self.0.0.mutant.skips_cancellation(&self.0.0, id) {
            let said = self.retrieve(account, id).await?;
            return Ok(PaymentIntent {
                status: PaymentStatus::Canceled,
                ..said
            });
        }
        self.0.0.watch.check_operation_key(&self.0.0, key);
        self.ask(
            "cancel",
            number_of_intent(id),
            self.0.0.provider.cancel(key, account, id),
        )
        .await
    }

    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let world = &self.0.0;
        world.watch.check_operation_key(world, key);
        world
            .trace
            .note("asks", &[amount.0 as u64], || format!("{key} {amount}"));
        self.ask(
            "refund",
            number_of_intent(id),
            world.provider.refund(key, account, id, amount),
        )
        .await?;
        if let Some(part) = world.mutant.fee_with_refund(world, id, amount) {
            let _ = world
                .provider
                .refund_fee(&format!("{key}-fee"), account, id, part)
                .await;
        }
        Ok(())
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        if self.0.0.mutant == Mutant::RefundProportional {
            return Ok(());
        }
        self.0.0.watch.check_operation_key(&self.0.0, key);
        self.0
            .0
            .trace
            .note("asks", &[amount.0 as u64], || format!("{key} {amount}"));
        self.ask(
            "fee back",
            number_of_intent(id),
            self.0.0.provider.refund_fee(key, account, id, amount),
        )
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        self.ask("list", 0, self.0.0.provider.list(account, since))
            .await
    }

    async fn find(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        self.ask(
            "find",
            order.0,
            self.0.0.provider.find(account, order, since),
        )
        .await
    }
}
