//! What the club and the operator do.

use domain::{Cents, Command, DrawId, Editor, GameResult, OrderState, TermsEdit};
use persistence::ledger::BuyerDetails;
use std::time::Duration;
use tokio::time::sleep;

use super::{PATIENCE, Person};
use crate::simulation::house::Handles;
use crate::simulation::plan::{MINUTE, SECOND};

impl Person {
    async fn command(&self, draw: DrawId, command: Command) -> bool {
        for _ in 0..10 {
            let asked = command.clone();
            let ask = |house: Handles| async move { house.draws.execute(draw, asked, None).await };
            match self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                Some(Ok(_)) => {
                    self.world.watch.met(match &command {
                        Command::Amend { .. } => "terms amended",
                        Command::Complete { .. } => "a result entered",
                        Command::Undo => "a result undone",
                        _ => "a game called off",
                    });
                    self.world.trace.note("club", &[draw.0 as u64], || {
                        format!("draw {draw}: {command:?}")
                    });
                    return true;
                }
                Some(Err(actors::Denied::Refused(_))) => return false,
                _ => self.pause(SECOND, 5 * SECOND).await,
            }
        }
        false
    }

    pub(super) async fn move_kick_off(self) {
        if self.some_time().await {
            let draw = self.draw();
            let minutes = *self.chance.one_of(&[-3, -1, 2, 5, 15]);
            let Some(mut terms) = self.world.terms(draw) else {
                return;
            };
            terms.closes_at = terms
                .closes_at
                .plus_ms(minutes * MINUTE as i64 + self.chance.below(20_000) as i64);
            self.command(draw, Command::amend(terms)).await;
        }
    }

    pub(super) async fn edit_price(self) {
        // Early, or somebody has bought already.
        self.pause(0, MINUTE).await;
        let draw = self.draw();
        let price = Some(Cents(*self.chance.one_of(&[50, 150, 700, 2500])));
        let described = self.chance.coin();
        let edit = TermsEdit {
            price,
            ..TermsEdit::default()
        };
        if self
            .command(
                draw,
                Command::Amend {
                    edit,
                    by: Editor::Club,
                    described,
                },
            )
            .await
        {
            self.world.watch.met("a price edited");
        }
    }

    pub(super) async fn enter_result(self) {
        if !self.some_time().await {
            return;
        }
        let draw = self.draw();
        let number = || self.chance.between(1, 13) as u8;
        let Some(result) = GameResult::new(number(), number()) else {
            return;
        };
        if self.command(draw, Command::Complete { result }).await && self.chance.coin() {
            self.pause(SECOND, MINUTE).await;
            self.command(draw, Command::Undo).await;
        }
    }

    /// The operator presses the button once it is taken; everybody's money goes back without another word.
    pub(super) async fn call_game_off(self) {
        if !self.some_time().await {
            return;
        }
        let draw = self.draw();
        loop {
            self.expect_refunds(draw);
            let ask =
                |house: Handles| async move { house.payments.cancel_draw(draw, "rain").await };
            match self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                Some(Ok(_)) => break,
                Some(Err(actors::Denied::Refused(_))) => return,
                _ => self.pause(SECOND, 10 * SECOND).await,
            }
        }
        self.expect_refunds(draw);
        self.world.watch.met("a game called off");
        self.world.trace.note("club", &[draw.0 as u64], || {
            format!("draw {draw} is called off")
        });
    }

    /// Whoever bought into the draw may be refunded.
    fn expect_refunds(&self, draw: DrawId) {
        let orders = self.world.memory.orders().into_iter();
        let bought =
            orders.filter(|record| record.order.lines.iter().any(|line| line.draw == draw));
        bought.for_each(|record| self.world.watch.refund_asked(record.order.id));
    }

    pub(super) async fn refund(self) {
        if !self.some_time().await {
            return;
        }
        let orders = self.world.memory.orders();
        let decided: Vec<_> = orders
            .iter()
            .filter(|r| r.order.state == OrderState::Captured)
            .collect();
        // Most often one that was captured, now and then any.
        let of = if decided.is_empty() || self.chance.below(4) == 0 {
            orders.iter().collect()
        } else {
            decided
        };
        if !of.is_empty() {
            self.give_back(self.chance.one_of(&of).order.id).await;
        }
    }

    async fn give_back(&self, order: domain::OrderId) {
        self.world.watch.refund_asked(order);
        self.world
            .trace
            .note("refund", &[order.0 as u64], || format!("order {}", order.0));
        for _ in 0..20 {
            let ask =
                |house: Handles| async move { house.payments.refund(order, "as asked").await };
            if let Some(Ok(())) = self.world.house.call(&self.chance, 0, PATIENCE, ask).await {
                return;
            }
            self.pause(SECOND, 20 * SECOND).await;
        }
    }

    /// The operator wakes draws that were paused.
    pub(super) async fn keep_awake(self) {
        loop {
            sleep(Duration::from_millis(MINUTE)).await;
            let records = self.world.memory.anomaly_records();
            let said = |draw: &DrawId| {
                records
                    .iter()
                    .any(|r| r.anomaly.note.contains(&format!("draw {draw} is paused")))
            };
            let paused: Vec<DrawId> = self
                .world
                .plan
                .draws
                .iter()
                .map(|draw| draw.id)
                .filter(said)
                .collect();
            for draw in paused {
                self.world.watch.met("a paused draw woken");
                let wake = |house: Handles| async move { house.draws.wake(draw).await };
                self.world.house.call(&self.chance, 0, PATIENCE, wake).await;
            }
        }
    }

    /// The game begins earlier than anybody thought: now.
    pub(super) async fn close_now(self) {
        if self.some_time().await {
            let draw = self.draw();
            let Some(mut terms) = self.world.terms(draw) else {
                return;
            };
            terms.closes_at = self.world.clock.true_now().plus_ms(SECOND as i64);
            self.command(draw, Command::amend(terms)).await;
        }
    }

    /// An operator before the list of what went wrong, with four buttons.
    pub(super) async fn repair(self) {
        if !self.some_time().await {
            return;
        }
        let way = self.chance.below(4);
        let open = self
            .world
            .memory
            .anomaly_records()
            .into_iter()
            .filter(|record| record.resolved_at.is_none());
        let open: Vec<_> = open
            .filter_map(|record| Some((record.id, record.anomaly.payment_intent?)))
            .collect();
        if way > 0 && open.is_empty() {
            return;
        }
        let button = [
            "scans",
            "marks resolved",
            "gives tickets",
            "gives money back",
        ][way as usize];
        let chosen = (way > 0).then(|| self.chance.one_of(&open).clone());
        if let Some((_, payment)) = &chosen {
            self.world.watch.repaired(payment);
        }
        let press = |house: Handles| async move {
            match (way, chosen) {
                (1, Some((anomaly, _))) => {
                    house.anomalies.resolve(anomaly, "somebody").await.is_ok()
                }
                (2, Some((_, payment))) => {
                    let token = format!("{anomaly:032x}", anomaly = 0xF00D);
                    house
                        .anomalies
                        .allocate_missing(&payment, BuyerDetails::default(), token)
                        .await
                        .is_ok()
                }
                (3, Some((_, payment))) => house.anomalies.give_back(&payment).await.is_ok(),
                _ => house.anomalies.scan(1).await.is_ok(),
            }
        };
        let pressed = self
            .world
            .house
            .call(&self.chance, 0, PATIENCE, press)
            .await;
        self.world.watch.met(match pressed {
            Some(true) => "an operator's button worked",
            Some(false) => "an operator's button was refused",
            None => "an operator's button without an answer",
        });
        self.world
            .trace
            .note("operator", &[way, u64::from(pressed == Some(true))], || {
                format!("{button}: {pressed:?}")
            });
    }
}
