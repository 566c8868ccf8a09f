//! What is checked while a world goes on: after every commit, and whenever something was shown or told.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::draw::Outcome;
use domain::prize::prize;
use domain::{Draw, DrawId, Event, OrderId, PaymentIntentId};
use persistence::Failure;
use persistence::books::{Mail, Notice};
use persistence::ledger::{Append, Claimed};
use persistence::memory::Fault;
use persistence::nodes::Boot;

use super::world::World;

#[derive(Default)]
pub struct Watch {
    facts: Mutex<Facts>,
}

#[derive(Default)]
pub struct Facts {
    pub violations: Vec<String>,
    /// The newest epoch of each draw that anybody was told.
    epochs: BTreeMap<DrawId, i64>,
    /// How often each notice was stored as a new one.
    stored: BTreeMap<String, u32>,
    /// How often each mail left.
    pub delivered: BTreeMap<i64, u32>,
    /// Somebody did something with these at the provider, past us.
    pub meddled: BTreeSet<PaymentIntentId>,
    /// Strangers' payments that name orders of ours.
    pub forged: BTreeSet<PaymentIntentId>,
    /// An operator pressed a button about these: a person knows.
    pub repaired: BTreeSet<PaymentIntentId>,
    /// An order of these draws was let go after its allocation and before its capture.
    pub let_go_uncharged: BTreeSet<DrawId>,
    outcomes: BTreeMap<DrawId, Option<Outcome>>,
    /// An operator asked for these to be refunded.
    pub refund_asked: BTreeSet<OrderId>,
    /// How often each situation was met.
    pub met: BTreeMap<&'static str, u64>,
}

impl Watch {
    pub fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn violated(&self, what: String) {
        self.facts().violations.push(what);
    }

    pub fn is_violated(&self) -> bool {
        !self.facts().violations.is_empty()
    }

    /// A simulation that never meets a situation has not looked there.
    pub fn met(&self, situation: &'static str) {
        *self.facts().met.entry(situation).or_default() += 1;
    }

    pub fn epoch(&self, draw: DrawId) -> i64 {
        self.facts().epochs.get(&draw).copied().unwrap_or_default()
    }

    pub fn claimed(&self, world: &World, process: u64, claimed: &Result<Vec<Claimed>, Failure>) {
        for one in claimed.iter().flatten() {
            let draw = one.snapshot.id;
            let numbers = [process, draw.0 as u64, one.epoch as u64];
            world.trace.note("claims", &numbers, || {
                format!("process {process} draw {draw} epoch {}", one.epoch)
            });
            let mut facts = self.facts();
            let newest = facts.epochs.entry(draw).or_default();
            *newest = (*newest).max(one.epoch);
        }
    }

    /// N1: nobody takes a draw from a node whose lease runs.
    pub fn check_leases(
        &self,
        me: Boot,
        owners: &[(DrawId, Option<Boot>)],
        taken: &Result<Vec<Claimed>, Failure>,
    ) {
        for one in taken.iter().flatten() {
            let owner = owners
                .iter()
                .find(|(draw, _)| *draw == one.snapshot.id)
                .and_then(|(_, owner)| *owner);
            if let Some(owner) = owner.filter(|owner| *owner != me) {
                self.violated(format!(
                    "N1: {me:?} took draw {} from {owner:?}, whose lease runs",
                    one.snapshot.id
                ));
            }
        }
    }

    /// After every transaction that was tried: `appends` as the actor asked for them.
    pub fn appended(
        &self,
        world: &World,
        process: u64,
        appends: &[Append],
        written: &Result<(), Failure>,
    ) {
        let unknown = matches!(written, Err(Failure::Unknown(_)));
        let is_written = written.is_ok()
            || (unknown && world.weather.last_books_fault() == Fault::UnknownWritten);
        let sign = u64::from(is_written) + 2 * u64::from(unknown);
        for append in appends {
            world.trace.note(
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
        self.met(match written {
            Ok(()) => "a commit written",
            Err(Failure::Unknown(_)) if is_written => "a commit written without an answer",
            Err(Failure::Unknown(_)) => "a commit not written without an answer",
            Err(Failure::NotWritten(_)) => "a commit not written",
            Err(Failure::Fenced) => "a ghost fenced",
            Err(Failure::ClosedByClock) => "kick-off seen by the database's clock alone",
            Err(_) => "a commit contradicted",
        });
        if appends.len() > 1 {
            self.met(if is_written {
                "commands written together"
            } else {
                "commands not written together"
            });
        }
        if is_written {
            appends.iter().for_each(|append| self.check_epoch(append));
            let draw = self.rebuilt(world, appends[0].draw);
            for (append, draw) in appends.iter().zip(draw.iter().cycle()) {
                self.check_kick_off(world, append, draw);
                self.check_outcome(append, draw);
            }
        }
    }

    /// Rebuilding a draw checks it: T1, T6, M4, D1 to D6, no ticket twice. A commit changes one draw; `check_views` rebuilds all
    /// of them every few seconds.
    fn rebuilt(&self, world: &World, draw: DrawId) -> Option<Draw> {
        let draw = catch_unwind(AssertUnwindSafe(|| world.memory.draw(draw)));
        draw.unwrap_or_else(|_| {
            self.violated("D1–D6: a draw cannot be rebuilt from its tables (see the panic)".into());
            None
        })
    }

    /// T7: no ghost writes.
    fn check_epoch(&self, append: &Append) {
        let newest = self.epoch(append.draw);
        if append.epoch < newest {
            let ghost = append.epoch;
            self.violated(format!(
                "T7 fence: draw {} took a commit of epoch {ghost}, {newest} is newer",
                append.draw
            ));
        }
    }

    /// T5, rule 5: by the database's clock. An order whose payment was captured past us may be repaired after kick-off.
    fn check_kick_off(&self, world: &World, append: &Append, draw: &Draw) {
        let is_over = world.clock.true_now() >= draw.terms().closes_at;
        for event in &append.events {
            let Event::Allocated { order, serials, .. } = event else {
                continue;
            };
            *self.facts().met.entry("a ticket sold").or_default() += serials.len() as u64;
            if is_over && !world.is_meddled(*order) {
                self.violated(format!(
                    "T5 kick-off: draw {} sold to order {order} after kick-off",
                    append.draw
                ));
            }
        }
    }

    /// T8, T9, M7, R1: the winner carries the result's cell, the prize is the formula's, and both stay until they are taken back.
    fn check_outcome(&self, append: &Append, draw: &Draw) {
        let before = self
            .facts()
            .outcomes
            .insert(draw.id(), draw.outcome())
            .flatten();
        let mut may_change = false;
        for event in &append.events {
            match event {
                Event::Completed {
                    result,
                    winner,
                    prize: said,
                } => {
                    let terms = draw.terms();
                    let due = prize(
                        draw.sold(),
                        terms.price,
                        terms.prize_percentage,
                        terms.round_up_prize,
                    );
                    if draw.deal().cell(*winner) != result.cell || *said != due {
                        let draw = draw.id();
                        self.violated(format!(
                            "T8: draw {draw}: {result:?} won by {winner:?} for {said}, due {due}"
                        ));
                    }
                    may_change = true;
                }
                Event::Undone { .. } => may_change = true,
                Event::Voided { charged: false, .. } => {
                    self.facts().let_go_uncharged.insert(draw.id());
                }
                _ => {}
            }
        }
        if before.is_some() && before != draw.outcome() && !may_change {
            self.violated(format!(
                "R1: draw {} was decided as {before:?} and is {:?}",
                draw.id(),
                draw.outcome()
            ));
        }
    }

    /// Every draw, rebuilt.
    pub fn check_draws(&self, world: &World) -> Vec<Draw> {
        let draws = catch_unwind(AssertUnwindSafe(|| world.memory.draws()));
        draws.unwrap_or_else(|_| {
            self.violated("D1–D6: a draw cannot be rebuilt from its tables (see the panic)".into());
            Vec::new()
        })
    }

    /// A6: nothing is shown before it is written, and what is shown is what was written.
    pub fn check_views(&self, world: &World) {
        let draws = self.check_draws(world);
        for view in world.house.views() {
            let Some(draw) = draws.iter().find(|draw| draw.id() == view.draw) else {
                continue;
            };
            if view.revision > draw.revision()
                || (view.revision == draw.revision() && view != draw.view())
            {
                self.violated(format!(
                    "A6: draw {} shows {view:?}, but {:?} is written",
                    view.draw,
                    draw.view()
                ));
            }
        }
    }

    /// W1: the door said of a notice that it was new.
    pub fn stored(&self, notice: &Notice) {
        let mut facts = self.facts();
        let stored = facts.stored.entry(notice.event_id.clone()).or_default();
        *stored += 1;
        let times = *stored;
        if times > 1 {
            let event = &notice.event_id;
            facts.violations.push(format!(
                "W1 notices: {event} was stored as new {times} times"
            ));
        }
    }

    pub fn delivered(&self, mail: &Mail) {
        *self.facts().delivered.entry(mail.id).or_default() += 1;
    }

    pub fn meddled(&self, id: &PaymentIntentId) {
        self.facts().meddled.insert(id.clone());
    }

    /// Somebody did something at the provider, past us.
    pub fn is_touched(&self) -> bool {
        let facts = self.facts();
        !facts.meddled.is_empty() || !facts.forged.is_empty()
    }

    pub fn forged(&self, id: &PaymentIntentId) {
        self.facts().forged.insert(id.clone());
    }

    pub fn repaired(&self, id: &PaymentIntentId) {
        self.facts().repaired.insert(id.clone());
    }

    /// Rule 6: a process may repeat an effect, never invent one. Every write at the provider has its operation in the books
    /// first, and uses its key; but for what depends on nothing: ending what came too late, confirming, an operator's return.
    pub fn keyed(&self, world: &World, key: &str) {
        let apart = ["disown-", "forgotten-", "confirm-", "return-"]
            .iter()
            .any(|start| key.starts_with(start));
        if !apart && !key.ends_with("-late") && !world.memory.has_key(key) {
            self.violated(format!(
                "O2: {key} was asked of the provider, and no operation has that key"
            ));
        }
    }

    pub fn refund_asked(&self, order: OrderId) {
        self.facts().refund_asked.insert(order);
    }
}
