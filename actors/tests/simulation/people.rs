//! Everybody else: fate and its crashes, the club, the operator, and somebody at the provider's dashboard.

use std::sync::Arc;
use std::time::Duration;

use domain::{Cents, Command, DrawId, Editor, GameResult, OrderState, PaymentStatus, TermsEdit};
use tokio::time::sleep;

use super::chance::Chance;
use super::house::{Process, Stand};
use super::plan::{MINUTE, SECOND};
use super::world::World;

const PATIENCE: Duration = Duration::from_secs(30);

/// One of them, at random times.
pub struct Person {
    pub world: Arc<World>,
    pub chance: Chance,
}

impl Person {
    /// Sets everybody on their way.
    pub fn send_all(world: &Arc<World>, chance: &Chance) {
        let fates = &world.plan.fates;
        let person = || Person { world: world.clone(), chance: chance.fork() };
        for _ in 0..fates.crashes {
            world.sends(person().crash());
        }
        for _ in 0..fates.hangs {
            world.sends(person().hang());
        }
        for _ in 0..fates.deploys {
            world.sends(person().deploy());
        }
        for _ in 0..fates.thefts {
            world.sends(person().steal());
        }
        for _ in 0..fates.kick_offs_moved {
            world.sends(person().move_kick_off());
        }
        for _ in 0..fates.prices_edited {
            world.sends(person().edit_price());
        }
        for _ in 0..fates.early_results {
            world.sends(person().enter_result());
        }
        for _ in 0..fates.games_off {
            world.sends(person().call_game_off());
        }
        for _ in 0..fates.refunds {
            world.sends(person().refund());
        }
        for _ in 0..fates.meddling {
            world.sends(person().meddle());
        }
        actix::spawn(person().keep_awake());
    }

    /// Some time in the safety phase; `false`: it is over.
    async fn some_time(&self) -> bool {
        let at = self.chance.below(self.world.plan.safety_ms);
        sleep(Duration::from_millis(at)).await;
        !self.world.weather.is_calm()
    }

    fn draw(&self) -> DrawId {
        self.chance.one_of(&self.world.plan.draws).id
    }

    async fn pause(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(self.chance.between(least_ms, most_ms))).await;
    }

    async fn crash(self) {
        if !self.some_time().await {
            return;
        }
        let Some(process) = self.world.house.serving() else { return };
        self.world.watch.met("a crash");
        self.world.house.kill(&self.world, &process);
        self.pause(100, 10 * SECOND).await;
        self.take_over().await;
    }

    async fn take_over(&self) {
        if !self.world.weather.is_calm() {
            self.world.house.start(&self.world).await;
        }
    }

    async fn hang(self) {
        if !self.some_time().await {
            return;
        }
        let Some(process) = self.world.house.serving() else { return };
        self.note("a process hangs", process.number);
        process.stands(Stand::Hung);
        let (until_takeover, hung) = (self.chance.between(1, 6) * SECOND, self.chance.between(1, 30) * SECOND);
        sleep(Duration::from_millis(until_takeover)).await;
        if hung > until_takeover {
            self.take_over().await;
            sleep(Duration::from_millis(hung - until_takeover)).await;
        }
        self.note("a process wakes", process.number);
        process.stands(Stand::Running);
        if hung > until_takeover {
            // A ghost that does not know it, until somebody ends it.
            self.pause(0, 60 * SECOND).await;
            self.end(&process).await;
        }
    }

    async fn deploy(self) {
        if !self.some_time().await {
            return;
        }
        let Some(old) = self.world.house.serving() else { return };
        self.take_over().await;
        self.pause(0, 20 * SECOND).await;
        self.note("a process is replaced", old.number);
        self.end(&old).await;
    }

    /// Ends a process that another has replaced, politely or not.
    async fn end(&self, old: &Process) {
        let replaced = self.world.house.serving().is_some_and(|serving| serving.number != old.number);
        match (replaced, self.chance.coin()) {
            (true, true) => old.stop().await,
            (true, false) => self.world.house.kill(&self.world, old),
            (false, _) => {}
        }
    }

    async fn steal(self) {
        if self.some_time().await {
            let claimed = self.world.memory.steal(self.draw()).into_iter().collect();
            self.world.watch.claimed(&self.world, 0, &Ok(claimed));
        }
    }

    fn note(&self, what: &'static str, process: u64) {
        self.world.watch.met(what);
        self.world.trace.note(what, &[process], || format!("process {process}"));
    }

    async fn command(&self, draw: DrawId, command: Command) -> bool {
        for _ in 0..10 {
            let asked = command.clone();
            let ask = |house: super::house::Handles| async move { house.draws.execute(draw, asked, None).await };
            match self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                Some(Ok(_)) => {
                    self.world.watch.met(match &command {
                        Command::Amend { .. } => "terms amended",
                        Command::Complete { .. } => "a result entered",
                        Command::Undo => "a result undone",
                        _ => "a game called off",
                    });
                    self.world.trace.note("club", &[draw.0 as u64], || format!("draw {draw}: {command:?}"));
                    return true;
                }
                Some(Err(actors::Denied::Refused(_))) => return false,
                _ => self.pause(SECOND, 5 * SECOND).await,
            }
        }
        false
    }

    async fn move_kick_off(self) {
        if self.some_time().await {
            let draw = self.draw();
            let minutes = *self.chance.one_of(&[-3, -1, 2, 5, 15]);
            let Some(mut terms) = self.world.terms(draw) else { return };
            terms.closes_at = terms.closes_at.plus_ms(minutes * MINUTE as i64 + self.chance.below(20_000) as i64);
            self.command(draw, Command::amend(terms)).await;
        }
    }

    async fn edit_price(self) {
        // Early, or somebody has bought already.
        self.pause(0, 2 * MINUTE).await;
        let draw = self.draw();
        let price = Some(Cents(*self.chance.one_of(&[50, 150, 700, 2500])));
        let described = self.chance.coin();
        let edit = TermsEdit { price, ..TermsEdit::default() };
        if self.command(draw, Command::Amend { edit, by: Editor::Club, described }).await {
            self.world.watch.met("a price edited");
        }
    }

    async fn enter_result(self) {
        if !self.some_time().await {
            return;
        }
        let draw = self.draw();
        let number = || self.chance.between(1, 13) as u8;
        let Some(result) = GameResult::new(number(), number()) else { return };
        if self.command(draw, Command::Complete { result }).await && self.chance.coin() {
            self.pause(SECOND, MINUTE).await;
            self.command(draw, Command::Undo).await;
        }
    }

    /// The operator presses the button once it is taken; everybody's money goes back without another word.
    async fn call_game_off(self) {
        if !self.some_time().await {
            return;
        }
        let draw = self.draw();
        loop {
            self.expect_refunds(draw);
            let ask = |house: super::house::Handles| async move { house.payments.cancel_draw(draw, "rain").await };
            match self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                Some(Ok(_)) => break,
                Some(Err(actors::Denied::Refused(_))) => return,
                _ => self.pause(SECOND, 10 * SECOND).await,
            }
        }
        self.expect_refunds(draw);
        self.world.watch.met("a game called off");
        self.world.trace.note("club", &[draw.0 as u64], || format!("draw {draw} is called off"));
    }

    /// Whoever bought into the draw may be refunded.
    fn expect_refunds(&self, draw: DrawId) {
        let orders = self.world.memory.orders().into_iter();
        let bought = orders.filter(|record| record.order.lines.iter().any(|line| line.draw == draw));
        bought.for_each(|record| self.world.watch.refund_asked(record.order.id));
    }

    async fn refund(self) {
        if !self.some_time().await {
            return;
        }
        let orders = self.world.memory.orders();
        let decided: Vec<_> = orders.iter().filter(|r| r.order.state == OrderState::Captured).collect();
        // Most often one that was captured, now and then any.
        let of = if decided.is_empty() || self.chance.below(4) == 0 { orders.iter().collect() } else { decided };
        if !of.is_empty() {
            self.give_back(self.chance.one_of(&of).order.id).await;
        }
    }

    async fn give_back(&self, order: domain::OrderId) {
        self.world.watch.refund_asked(order);
        self.world.trace.note("refund", &[order.0 as u64], || format!("order {}", order.0));
        for _ in 0..20 {
            let ask = |house: super::house::Handles| async move { house.payments.refund(order, "as asked").await };
            if let Some(Ok(())) = self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                return;
            }
            self.pause(SECOND, 20 * SECOND).await;
        }
    }

    /// At the provider's dashboard, past us.
    async fn meddle(self) {
        if !self.some_time().await {
            return;
        }
        let provider = &self.world.provider;
        let touchable = provider
            .intents()
            .into_iter()
            .filter(|intent| matches!(intent.said.status, PaymentStatus::RequiresCapture | PaymentStatus::Succeeded));
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
        self.world.trace.note("meddles", &[way], || format!("somebody {deed} {id}"));
        self.world.deliver_notices();
    }

    /// The operator wakes draws that were paused.
    async fn keep_awake(self) {
        loop {
            sleep(Duration::from_millis(MINUTE)).await;
            let records = self.world.memory.anomaly_records();
            let said =
                |draw: &DrawId| records.iter().any(|r| r.anomaly.note.contains(&format!("draw {draw} is paused")));
            let paused: Vec<DrawId> = self.world.plan.draws.iter().map(|draw| draw.id).filter(said).collect();
            for draw in paused {
                self.world.watch.met("a paused draw woken");
                let wake = |house: super::house::Handles| async move { house.draws.wake(draw).await };
                self.world.house.call(&self.chance, 0, PATIENCE, wake).await;
            }
        }
    }
}
