//! Simulated connections between a process and its surroundings: store, provider and other nodes.
//! Every call and answer waits while the process is paused, and forever when it is dead. Mutants
//! also change the behaviour here.

use std::sync::Arc;
use std::time::Duration;

use actors::{Gateway, GatewayError, MailTransport, NewIntent, OpenedIntent};
use async_trait::async_trait;
use domain::{
    AccountId, ApplicationId, Cents, Deal, DrawId, OrderId, PaymentIntent, PaymentIntentId,
    PaymentStatus, ProviderRefund, Timestamp,
};
use persistence::ledger::{ChangedDraw, DrawClaims, DrawCommit, KnownDraw};
use persistence::nodes::InstanceId;
use persistence::stores::{Mail, OrderRecord};
use persistence::{Failure, Ledger};
use tokio::time::{Instant, sleep, sleep_until};

use super::mutant::Mutant;
use super::plan::IdlePollMode;
use super::processes::Process;
use super::world::World;

pub use nodes::{SimulatedNodes, SimulatedPeerClient};
pub use payment_stores::SimulatedPaymentStores;

mod nodes;
mod payment_stores;

/// Time after which the database ends a statement with an error.
const DATABASE_STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// How often a node polls for the commits of other nodes, in milliseconds.
const POLL_INTERVAL_MS: u64 = 400;
/// Longest time that a poll waits for something to report. Two polls and the interval between them
/// are shorter than `STALE_READ_MAX` in `membership.rs`.
const DATABASE_POLL_WAIT_MAX: Duration = Duration::from_millis(700);

pub type SimulatedPortContext = (Arc<World>, Arc<Process>);

/// Delays a request to the database, or makes it fail.
async fn delay_or_fail_request(context: &SimulatedPortContext) -> Result<(), Failure> {
    delay_call(context).await;
    ensure_reachable(context).await.map_err(Failure::NotWritten)
}

/// Delays the answer of the database, or loses it. If it is lost, the caller does not know whether
/// the request had its effect.
async fn delay_or_lose_answer(context: &SimulatedPortContext) -> Result<(), Failure> {
    delay_call(context).await;
    ensure_reachable(context).await.map_err(Failure::Unknown)
}

async fn delay_call((world, process): &SimulatedPortContext) {
    world.fault_injector.delay_store_call().await;
    process.wait_until_running().await;
}

/// Delays a poll of the database, or makes it fail. Every node polls several times a second.
async fn delay_or_fail_poll(context: &SimulatedPortContext) -> Result<(), Failure> {
    context.0.fault_injector.delay_poll().await;
    context.1.wait_until_running().await;
    ensure_reachable(context).await.map_err(Failure::NotWritten)
}

/// Delays the answer to a poll of the database, or loses it.
async fn delay_or_lose_poll_answer(context: &SimulatedPortContext) -> Result<(), Failure> {
    context.0.fault_injector.delay_poll().await;
    context.1.wait_until_running().await;
    ensure_reachable(context).await.map_err(Failure::Unknown)
}

/// Returns an error after the statement timeout if the process is cut off from the database.
async fn ensure_reachable((world, process): &SimulatedPortContext) -> Result<(), String> {
    if !process.is_cut_off() {
        return Ok(());
    }
    world
        .monitor
        .record_situation("the database is out of reach");
    sleep(DATABASE_STATEMENT_TIMEOUT).await;
    process.wait_until_running().await;
    Err("cut off from the database".into())
}

pub struct SimulatedLedger(SimulatedPortContext);

impl SimulatedLedger {
    pub fn new(context: SimulatedPortContext) -> SimulatedLedger {
        SimulatedLedger(context)
    }
}

impl SimulatedLedger {
    /// Waits for a change, instead of executing polls that would find nothing. Returns the first
    /// changes, or none after [`DATABASE_POLL_WAIT_MAX`].
    async fn wait_for_changes(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        let world = &self.0.0;
        let silent_until = Instant::now() + DATABASE_POLL_WAIT_MAX;
        loop {
            let ledger_written = world.ledger_written.notified();
            let moved = world.memory.changed_draws(me, known).await?;
            if !moved.is_empty() {
                return Ok(moved);
            }
            tokio::select! {
                biased;
                () = ledger_written => sleep(Duration::from_millis(world.network_random.below(POLL_INTERVAL_MS))).await,
                () = sleep_until(silent_until) => return Ok(moved),
            }
        }
    }
}

#[async_trait]
impl Ledger for SimulatedLedger {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        let (world, process) = &self.0;
        delay_or_fail_request(&self.0).await?;
        let owners: Vec<_> = draws
            .iter()
            .map(|draw| (*draw, world.memory.owner(*draw)))
            .collect();
        world.mutant.mutate_store_before_claim(world, draws);
        let claims = world
            .mutant
            .mutate_claims(world, world.memory.claim(me, draws).await);
        let taken = claims.clone().map(|claims| claims.taken);
        world.monitor.record_claims(world, process.number, &taken);
        world.ledger_written.notify_waiters();
        world.monitor.check_leases(me, &owners, &taken);
        if claims
            .as_ref()
            .is_ok_and(|claims| !claims.elsewhere.is_empty())
        {
            world.monitor.record_situation("a draw is another node's");
        }
        delay_or_lose_answer(&self.0).await?;
        claims
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        let (world, process) = &self.0;
        delay_or_fail_request(&self.0).await?;
        let claims = world.memory.take_over(me, draw, from).await;
        let taken = claims.clone().map(|claims| claims.taken);
        world.monitor.record_claims(world, process.number, &taken);
        if taken.is_ok_and(|taken| !taken.is_empty()) {
            world
                .monitor
                .record_situation("a draw taken from an unreachable owner");
            if world
                .processes
                .process_with_instance(from)
                .is_some_and(|owner| owner.is_running() && !owner.is_cut_off())
            {
                world
                    .monitor
                    .record_situation("a draw taken from an owner whose answers were lost");
            }
        }
        delay_or_lose_answer(&self.0).await?;
        claims
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        delay_or_fail_poll(&self.0).await?;
        let world = &self.0.0;
        // In an hour without faults there are no commits, so all polls would be idle.
        let moved = match world.plan.poll_mode {
            IdlePollMode::EveryPoll if !world.fault_injector.have_faults_ended() => {
                world.memory.changed_draws(me, known).await
            }
            IdlePollMode::EveryPoll | IdlePollMode::SkipIdlePolls => {
                self.wait_for_changes(me, known).await
            }
        };
        delay_or_lose_poll_answer(&self.0).await?;
        moved
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        delay_or_fail_request(&self.0).await?;
        let deal = self.0.0.memory.deal(draw).await;
        delay_or_lose_answer(&self.0).await?;
        deal
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        let (world, process) = &self.0;
        delay_or_fail_request(&self.0).await?;
        let written = world
            .memory
            .append(world.mutant.mutate_appends(world, appends.clone()))
            .await;
        world
            .monitor
            .check_appends(world, process.number, &appends, &written);
        world.ledger_written.notify_waiters();
        world
            .mutant
            .mutate_commit_answer(&appends, delay_or_lose_answer(&self.0).await.and(written))
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        delay_or_fail_request(&self.0).await?;
        let draws = self.0.0.memory.live_draws().await;
        delay_or_lose_answer(&self.0).await?;
        draws
    }
}

pub struct SimulatedMailer(SimulatedPortContext);

impl SimulatedMailer {
    pub fn new(context: SimulatedPortContext) -> SimulatedMailer {
        SimulatedMailer(context)
    }
}

#[async_trait]
impl MailTransport for SimulatedMailer {
    async fn send(&self, mail: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        let (world, process) = &self.0;
        process.wait_until_running().await;
        if world.is_mail_rejected() {
            return Err("the mail server is down".into());
        }
        world
            .trace
            .record_event("mail", &[process.number, mail.id as u64], || {
                format!("{} to {}", mail.kind, mail.to)
            });
        world.monitor.record_delivered_mail(mail);
        process.wait_until_running().await;
        Ok(())
    }
}

pub struct SimulatedGateway(SimulatedPortContext);

impl SimulatedGateway {
    pub fn new(context: SimulatedPortContext) -> SimulatedGateway {
        SimulatedGateway(context)
    }

    /// Makes one call to the provider, records its outcome in the trace, and returns the provider's
    /// answer.
    async fn call_provider<T>(
        &self,
        verb: &'static str,
        of: u128,
        call: impl Future<Output = Result<T, GatewayError>> + Send,
    ) -> Result<T, GatewayError> {
        let (world, process) = &self.0;
        process.wait_until_running().await;
        let said = call.await;
        let (sign, situation) = match &said {
            Ok(_) => (0, "the provider answered"),
            Err(GatewayError::Refused { .. }) => (1, "the provider refused"),
            Err(GatewayError::Unavailable { .. }) => (2, "the provider unavailable"),
            Err(GatewayError::Unknown { .. } | GatewayError::Failed { .. }) => {
                (3, "the provider without an answer")
            }
        };
        world.monitor.record_situation(situation);
        world
            .trace
            .record_event(verb, &[process.number, of as u64, sign], || {
                let words = said
                    .as_ref()
                    .err()
                    .map_or("done".into(), ToString::to_string);
                format!("process {} for {of}: {words}", process.number)
            });
        world.signal_waiting_webhooks();
        process.wait_until_running().await;
        said
    }
}

fn numeric_id_of_intent(id: &PaymentIntentId) -> u128 {
    id.0.trim_start_matches("pi_").parse().unwrap_or_default()
}

#[async_trait]
impl Gateway for SimulatedGateway {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let world = &self.0.0;
        self.0
            .0
            .monitor
            .check_operation_idempotency_key(&self.0.0, key);
        let opened = self
            .call_provider("create", new.order.0, world.provider.create(key, new))
            .await?;
        world
            .mutant
            .remember_fee_at_creation(world, &opened.id, new);
        Ok(opened)
    }

    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        self.0
            .0
            .monitor
            .check_operation_idempotency_key(&self.0.0, key);
        self.call_provider(
            "update",
            numeric_id_of_intent(id),
            self.0.0.provider.update(key, account, id, new),
        )
        .await
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.call_provider(
            "retrieve",
            numeric_id_of_intent(id),
            self.0.0.provider.retrieve(account, id),
        )
        .await
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        source: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        self.call_provider(
            "confirm",
            numeric_id_of_intent(id),
            self.0.0.provider.confirm(key, account, id, source),
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
        let fee = world
            .mutant
            .fee_at_creation(world, id)
            .unwrap_or(application_fee);
        let key = world.mutant.mutate_capture_key(world, key);
        world.monitor.check_operation_idempotency_key(world, &key);
        self.call_provider(
            "capture",
            numeric_id_of_intent(id),
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
        self.0
            .0
            .monitor
            .check_operation_idempotency_key(&self.0.0, key);
        self.call_provider(
            "cancel",
            numeric_id_of_intent(id),
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
    ) -> Result<ProviderRefund, GatewayError> {
        let world = &self.0.0;
        world.monitor.check_operation_idempotency_key(world, key);
        world
            .trace
            .record_event("asks", &[amount.0 as u64], || format!("{key} {amount}"));
        let refund = self
            .call_provider(
                "refund",
                numeric_id_of_intent(id),
                world.provider.refund(key, account, id, amount),
            )
            .await?;
        if let Some(part) = world.mutant.proportional_fee_of_refund(world, id, amount) {
            let _ = world
                .provider
                .refund_fee(&format!("{key}-fee"), account, id, part)
                .await;
        }
        Ok(refund)
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        if self.0.0.mutant == Mutant::FeeRefundProportional {
            return Ok(());
        }
        self.0
            .0
            .monitor
            .check_operation_idempotency_key(&self.0.0, key);
        self.0
            .0
            .trace
            .record_event("asks", &[amount.0 as u64], || format!("{key} {amount}"));
        self.call_provider(
            "fee back",
            numeric_id_of_intent(id),
            self.0.0.provider.refund_fee(key, account, id, amount),
        )
        .await
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        self.call_provider("list", 0, self.0.0.provider.list(account, since))
            .await
    }

    async fn find_open_intent(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        self.call_provider(
            "find",
            order.0,
            self.0.0.provider.find_open_intent(account, order, since),
        )
        .await
    }

    async fn platform_application(&self) -> Result<Option<ApplicationId>, GatewayError> {
        self.0.0.provider.platform_application().await
    }
}
