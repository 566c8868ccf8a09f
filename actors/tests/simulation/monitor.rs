//! Checks that run during a simulation: after every commit, and for everything that buyers are
//! shown.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::draw::DrawOutcome;
use domain::prize::prize;
use domain::{Draw, DrawId, Event, OrderId, PaymentIntentId, Status};
use persistence::Failure;
use persistence::ledger::{ClaimedDraw, DrawCommit};
use persistence::memory::MemoryFault;
use persistence::nodes::InstanceId;
use persistence::stores::{Mail, StoredWebhookEvent};

use super::world::World;

#[derive(Default)]
pub struct Monitor {
    state: Mutex<MonitorState>,
}

#[derive(Default)]
pub struct MonitorState {
    pub violations: Vec<String>,
    /// The newest epoch that any node got for each draw.
    epochs: BTreeMap<DrawId, i64>,
    /// How often the store reported each webhook as new.
    stored: BTreeMap<String, u32>,
    /// How often each mail was delivered.
    pub delivered: BTreeMap<i64, u32>,
    /// Payments that were changed at the provider directly.
    pub externally_changed: BTreeSet<PaymentIntentId>,
    /// Payments of other accounts that name an order of this system.
    pub forged: BTreeSet<PaymentIntentId>,
    /// Payments that an operator acted on.
    pub repaired: BTreeSet<PaymentIntentId>,
    /// Draws with an order that was voided between allocation and capture.
    pub released_uncharged: BTreeSet<DrawId>,
    outcomes: BTreeMap<DrawId, Option<DrawOutcome>>,
    /// Draws whose deal became public according to their owners' writes. Recorded here as well,
    /// because a faulty ledger might lose the event.
    revealed: BTreeSet<DrawId>,
    /// Orders whose refund an operator requested.
    pub refund_requested: BTreeSet<OrderId>,
    /// How often each required situation occurred.
    pub met: BTreeMap<&'static str, u64>,
}

impl Monitor {
    pub fn state(&self) -> MutexGuard<'_, MonitorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn report_violation(&self, what: String) {
        self.state().violations.push(what);
    }

    pub fn has_violations(&self) -> bool {
        !self.state().violations.is_empty()
    }

    /// Records that a required situation occurred.
    pub fn record_situation(&self, situation: &'static str) {
        *self.state().met.entry(situation).or_default() += 1;
    }

    pub fn newest_epoch(&self, draw: DrawId) -> i64 {
        self.state().epochs.get(&draw).copied().unwrap_or_default()
    }

    pub fn record_claims(
        &self,
        world: &World,
        process: u64,
        claimed: &Result<Vec<ClaimedDraw>, Failure>,
    ) {
        for one in claimed.iter().flatten() {
            let draw = one.snapshot.id;
            let numbers = [process, draw.0 as u64, one.epoch as u64];
            world.trace.record_event("claims", &numbers, || {
                format!("process {process} draw {draw} epoch {}", one.epoch)
            });
            let mut state = self.state();
            let newest = state.epochs.entry(draw).or_default();
            *newest = (*newest).max(one.epoch);
        }
    }

    /// N1: no node claims a draw while another node owns it with a valid lease.
    pub fn check_leases(
        &self,
        me: InstanceId,
        owners: &[(DrawId, Option<InstanceId>)],
        taken: &Result<Vec<ClaimedDraw>, Failure>,
    ) {
        for one in taken.iter().flatten() {
            let owner = owners
                .iter()
                .find(|(draw, _)| *draw == one.snapshot.id)
                .and_then(|(_, owner)| *owner);
            if let Some(owner) = owner.filter(|owner| *owner != me) {
                self.report_violation(format!(
                    "N1: {me:?} took draw {} from {owner:?}, whose lease runs",
                    one.snapshot.id
                ));
            }
        }
    }

    /// Checks every transaction that an actor attempts. `appends`: the commits that the actor
    /// requested.
    pub fn check_appends(
        &self,
        world: &World,
        process: u64,
        appends: &[DrawCommit],
        written: &Result<(), Failure>,
    ) {
        let unknown = matches!(written, Err(Failure::Unknown(_)));
        let is_written = written.is_ok()
            || (unknown && world.fault_injector.last_store_fault() == MemoryFault::UnknownWritten);
        let sign = u64::from(is_written) + 2 * u64::from(unknown);
        for append in appends {
            world.trace.record_event(
                "append",
                &[process, append.draw.0 as u64, append.after, sign],
                || {
                    let how = written.as_ref().err().map_or("written".into(), |failure| {
                        if is_written {
                            format!("written, but {failure}")
                        } else {
                            failure.to_string()
                        }
                    });
                    format!(
                        "process {process} draw {} after {}: {:?} → {how}",
                        append.draw, append.after, append.events
                    )
                },
            );
        }
        self.record_situation(match written {
            Ok(()) => "a commit written",
            Err(Failure::Unknown(_)) if is_written => "a commit written without an answer",
            Err(Failure::Unknown(_)) => "a commit not written without an answer",
            Err(Failure::NotWritten(_)) => "a commit not written",
            Err(Failure::Fenced) => "a stale write fenced",
            Err(Failure::ClosedByClock) => "kick-off seen by the database's clock alone",
            Err(_) => "a commit contradicted",
        });
        if appends.len() > 1 {
            self.record_situation(if is_written {
                "commands written together"
            } else {
                "commands not written together"
            });
        }
        if is_written {
            for append in appends {
                self.check_epoch(append);
            }
            let draw = self.rebuild_draw(world, appends[0].draw);
            for (append, draw) in appends.iter().zip(draw.iter().cycle()) {
                self.check_kick_off(world, append, draw);
                self.check_revealed(append, draw);
                self.check_outcome(append, draw);
            }
        }
    }

    /// Rebuilds a draw from its tables, which checks T1, T6, M4, D1 to D6 and unique tickets.
    /// After a commit only the changed draw is rebuilt; `check_views` rebuilds all draws every few
    /// seconds.
    fn rebuild_draw(&self, world: &World, draw: DrawId) -> Option<Draw> {
        let draw = catch_unwind(AssertUnwindSafe(|| world.memory.draw(draw)));
        draw.unwrap_or_else(|_| {
            self.report_violation(
                "D1–D6: a draw cannot be rebuilt from its tables (see the panic)".into(),
            );
            None
        })
    }

    /// T7: a node whose epoch is outdated never writes.
    fn check_epoch(&self, append: &DrawCommit) {
        let newest = self.newest_epoch(append.draw);
        if append.epoch < newest {
            let stale_epoch = append.epoch;
            self.report_violation(format!(
                "T7 fence: draw {} took a commit of epoch {stale_epoch}, {newest} is newer",
                append.draw
            ));
        }
    }

    /// T5 (rule 5 of the decisions): by the database's clock, nothing is sold after kick-off. Only
    /// the order of an externally captured payment may get tickets later.
    fn check_kick_off(&self, world: &World, append: &DrawCommit, draw: &Draw) {
        let is_over = world.clock.true_now() >= draw.terms().closes_at;
        for event in &append.events {
            let Event::Allocated { order, serials, .. } = event else {
                continue;
            };
            *self.state().met.entry("a ticket sold").or_default() += serials.len() as u64;
            if is_over && !world.is_externally_changed(*order) {
                self.report_violation(format!(
                    "T5 kick-off: draw {} sold to order {order} after kick-off",
                    append.draw
                ));
            }
        }
    }

    /// T11: a draw whose number pairs are public never sells again, because the pairs of the new
    /// tickets would be public too (decision M-4).
    fn check_revealed(&self, append: &DrawCommit, draw: &Draw) {
        let was_revealed = self.state().revealed.contains(&append.draw);
        for event in &append.events {
            match event {
                Event::Revealed => {
                    self.state().revealed.insert(append.draw);
                }
                Event::Reserved { .. } | Event::Allocated { .. } | Event::Reopened
                    if was_revealed =>
                {
                    self.report_violation(format!(
                        "T11: draw {} was revealed, and wrote {event:?}",
                        append.draw
                    ));
                }
                Event::Undone { .. } if was_revealed => {
                    *self.state().met.entry("a reveal undone").or_default() += 1;
                }
                _ => {}
            }
        }
        if was_revealed && draw.status() == Status::Active {
            self.report_violation(format!(
                "T11: draw {} was revealed, and is on sale",
                append.draw
            ));
        }
    }

    /// T8, T9, M7, R1: the winner has the cell of the result, the prize follows the formula, and
    /// both stay unchanged until the result is undone.
    fn check_outcome(&self, append: &DrawCommit, draw: &Draw) {
        let before = self
            .state()
            .outcomes
            .insert(draw.id(), draw.outcome())
            .flatten();
        let mut may_change = false;
        for event in &append.events {
            match event {
                Event::Completed {
                    result,
                    winner,
                    prize: stored_prize,
                } => {
                    let terms = draw.terms();
                    let due = prize(
                        draw.sold(),
                        terms.price,
                        terms.prize_percentage,
                        terms.round_up_prize,
                    );
                    if draw.deal().cell(*winner) != result.cell || *stored_prize != due {
                        let draw = draw.id();
                        self.report_violation(format!(
                            "T8: draw {draw}: {result:?} won by {winner:?} for {stored_prize}, due {due}"
                        ));
                    }
                    may_change = true;
                }
                Event::Undone { .. } => may_change = true,
                Event::Voided { charged: false, .. } => {
                    self.state().released_uncharged.insert(draw.id());
                }
                _ => {}
            }
        }
        if before.is_some() && before != draw.outcome() && !may_change {
            self.report_violation(format!(
                "R1: draw {} was decided as {before:?} and is {:?}",
                draw.id(),
                draw.outcome()
            ));
        }
    }

    /// Rebuilds every draw from its tables and returns the draws.
    pub fn rebuild_draws(&self, world: &World) -> Vec<Draw> {
        let draws = catch_unwind(AssertUnwindSafe(|| world.memory.draws()));
        draws.unwrap_or_else(|_| {
            self.report_violation(
                "D1–D6: a draw cannot be rebuilt from its tables (see the panic)".into(),
            );
            Vec::new()
        })
    }

    /// A6: views show only committed state.
    pub fn check_views(&self, world: &World) {
        let draws = self.rebuild_draws(world);
        for view in world.processes.views() {
            let Some(draw) = draws.iter().find(|draw| draw.id() == view.draw) else {
                continue;
            };
            if view.revision > draw.revision()
                || (view.revision == draw.revision() && view != draw.view())
            {
                self.report_violation(format!(
                    "A6: draw {} shows {view:?}, but {:?} is written",
                    view.draw,
                    draw.view()
                ));
            }
        }
    }

    /// W1: the store reports each webhook as new only once.
    pub fn record_stored_webhook(&self, notice: &StoredWebhookEvent) {
        let mut state = self.state();
        let stored = state.stored.entry(notice.event_id.clone()).or_default();
        *stored += 1;
        let times = *stored;
        if times > 1 {
            let event = &notice.event_id;
            state.violations.push(format!(
                "W1 notices: {event} was stored as new {times} times"
            ));
        }
    }

    pub fn record_delivered_mail(&self, mail: &Mail) {
        *self.state().delivered.entry(mail.id).or_default() += 1;
    }

    pub fn record_external_change(&self, id: &PaymentIntentId) {
        self.state().externally_changed.insert(id.clone());
    }

    /// Returns whether any payment was changed at the provider directly, or forged by another
    /// account.
    pub fn has_external_changes(&self) -> bool {
        let state = self.state();
        !state.externally_changed.is_empty() || !state.forged.is_empty()
    }

    pub fn record_forged_intent(&self, id: &PaymentIntentId) {
        self.state().forged.insert(id.clone());
    }

    pub fn record_operator_repair(&self, id: &PaymentIntentId) {
        self.state().repaired.insert(id.clone());
    }

    /// Rule 6 of the decisions: a process may repeat an effect at the provider but never invent
    /// one. Every write at the provider uses the key of a stored operation, except cancellations of
    /// late payments, confirmations and manual refunds.
    pub fn check_operation_idempotency_key(&self, world: &World, key: &str) {
        let apart = ["disown-", "forgotten-", "confirm-", "return-"]
            .iter()
            .any(|start| key.starts_with(start));
        if !apart && !key.ends_with("-late") && !world.memory.has_operation_key(key) {
            self.report_violation(format!(
                "O2: {key} was sent to the provider, but no operation has that key"
            ));
        }
    }

    pub fn record_refund_request(&self, order: OrderId) {
        self.state().refund_requested.insert(order);
    }
}
