//! What clubs and operators do in a simulated world.

use domain::{Cents, Command, DrawId, GameResult, OrderState, Refusal, TermsEdit, TermsEditor};
use persistence::ledger::BuyerDetails;
use std::time::Duration;
use tokio::time::sleep;

use super::{PARTICIPANT_TIMEOUT, Participant};
use crate::simulation::plan::{MINUTE_MS, SECOND_MS};
use crate::simulation::processes::EngineHandles;

impl Participant {
    async fn send_command(&self, draw: DrawId, command: Command) -> bool {
        for _ in 0..10 {
            let command_copy = command.clone();
            let ask = |handles: EngineHandles| async move {
                handles.draws.execute(draw, command_copy, None).await
            };
            match self
                .world
                .processes
                .call_random_process(&self.random, 0, PARTICIPANT_TIMEOUT, ask)
                .await
            {
                Some(Ok(_)) => {
                    self.world.monitor.record_situation(match &command {
                        Command::Amend { .. } => "terms amended",
                        Command::Complete { .. } => "a result entered",
                        Command::Undo => "a result undone",
                        _ => "a game called off",
                    });
                    self.world.trace.record_event("club", &[draw.0 as u64], || {
                        format!("draw {draw}: {command:?}")
                    });
                    return true;
                }
                Some(Err(actors::Denied::Refused(refusal))) => {
                    if refusal == Refusal::Revealed {
                        self.world
                            .monitor
                            .record_situation("a revealed draw stayed off sale");
                    }
                    return false;
                }
                _ => self.wait_random_ms(SECOND_MS, 5 * SECOND_MS).await,
            }
        }
        false
    }

    pub(super) async fn move_kick_off(self) {
        if self.wait_random_time().await {
            let draw = self.random_draw_id();
            let minutes = *self.random.one_of(&[-3, -1, 2, 5, 15]);
            let Some(mut terms) = self.world.terms(draw) else {
                return;
            };
            terms.closes_at = terms
                .closes_at
                .plus_ms(minutes * MINUTE_MS as i64 + self.random.below(20_000) as i64);
            self.send_command(draw, Command::amend_command_of_club(terms))
                .await;
        }
    }

    pub(super) async fn edit_price(self) {
        // The price is edited within the first minute of the sale. A buyer may have bought already.
        self.wait_random_ms(0, MINUTE_MS).await;
        let draw = self.random_draw_id();
        let price = Some(Cents(*self.random.one_of(&[50, 150, 700, 2500])));
        let described = self.random.coin_flip();
        let edit = TermsEdit {
            price,
            ..TermsEdit::default()
        };
        if self
            .send_command(
                draw,
                Command::Amend {
                    edit,
                    by: TermsEditor::Club,
                    described,
                },
            )
            .await
        {
            self.world.monitor.record_situation("a price edited");
        }
    }

    pub(super) async fn enter_result(self) {
        if !self.wait_random_time().await {
            return;
        }
        let draw = self.random_draw_id();
        let number = || self.random.between(1, 13) as u8;
        let Some(result) = GameResult::new(number(), number()) else {
            return;
        };
        if self.send_command(draw, Command::Complete { result }).await && self.random.coin_flip() {
            self.wait_random_ms(SECOND_MS, MINUTE_MS).await;
            if self.send_command(draw, Command::Undo).await {
                self.postpone_game(draw).await;
            }
        }
    }

    /// The result was undone, and the game is played later. A draw whose number pairs are public
    /// must not sell again (decision M-4).
    async fn postpone_game(&self, draw: DrawId) {
        self.wait_random_ms(SECOND_MS, MINUTE_MS).await;
        let later = self
            .world
            .clock
            .true_now()
            .plus_ms(self.random.between(2, 15) as i64 * MINUTE_MS as i64);
        let edit = TermsEdit {
            closes_at: Some(later),
            ..TermsEdit::default()
        };
        self.send_command(
            draw,
            Command::Amend {
                edit,
                by: TermsEditor::Operator,
                described: false,
            },
        )
        .await;
    }

    /// The operator cancels the draw, and retries until the request is accepted. All refunds follow
    /// automatically.
    pub(super) async fn cancel_game(self) {
        if !self.wait_random_time().await {
            return;
        }
        let draw = self.random_draw_id();
        loop {
            self.expect_refunds(draw);
            let ask = |handles: EngineHandles| async move {
                handles.payments.cancel_draw(draw, "rain").await
            };
            match self
                .world
                .processes
                .call_random_process(&self.random, 0, PARTICIPANT_TIMEOUT, ask)
                .await
            {
                Some(Ok(_)) => break,
                Some(Err(actors::Denied::Refused(_))) => return,
                _ => self.wait_random_ms(SECOND_MS, 10 * SECOND_MS).await,
            }
        }
        self.expect_refunds(draw);
        self.world.monitor.record_situation("a game called off");
        self.world.trace.record_event("club", &[draw.0 as u64], || {
            format!("draw {draw} is called off")
        });
    }

    /// Records that all orders of the draw may be refunded.
    fn expect_refunds(&self, draw: DrawId) {
        let orders = self.world.memory.orders().into_iter();
        let bought =
            orders.filter(|record| record.order.lines.iter().any(|line| line.draw == draw));
        bought.for_each(|record| self.world.monitor.record_refund_request(record.order.id));
    }

    pub(super) async fn refund_random_order(self) {
        if !self.wait_random_time().await {
            return;
        }
        let orders = self.world.memory.orders();
        let decided: Vec<_> = orders
            .iter()
            .filter(|r| r.order.state == OrderState::Captured)
            .collect();
        // Usually a captured order is chosen, sometimes any order.
        let of = if decided.is_empty() || self.random.below(4) == 0 {
            orders.iter().collect()
        } else {
            decided
        };
        if !of.is_empty() {
            self.refund_order(self.random.one_of(&of).order.id).await;
        }
    }

    async fn refund_order(&self, order: domain::OrderId) {
        self.world.monitor.record_refund_request(order);
        self.world
            .trace
            .record_event("refund", &[order.0 as u64], || format!("order {}", order.0));
        for _ in 0..20 {
            let ask = |handles: EngineHandles| async move {
                handles.payments.refund(order, "as asked").await
            };
            if let Some(Ok(())) = self
                .world
                .processes
                .call_random_process(&self.random, 0, PARTICIPANT_TIMEOUT, ask)
                .await
            {
                return;
            }
            self.wait_random_ms(SECOND_MS, 20 * SECOND_MS).await;
        }
    }

    /// The operator resumes paused draws every minute.
    pub(super) async fn wake_paused_draws(self) {
        loop {
            sleep(Duration::from_millis(MINUTE_MS)).await;
            let records = self.world.memory.anomaly_records();
            let is_paused = |draw: &DrawId| {
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
                .filter(is_paused)
                .collect();
            for draw in paused {
                self.world.monitor.record_situation("a paused draw woken");
                let wake = |handles: EngineHandles| async move { handles.draws.wake(draw).await };
                self.world
                    .processes
                    .call_random_process(&self.random, 0, PARTICIPANT_TIMEOUT, wake)
                    .await;
            }
        }
    }

    /// Moves kick-off to the current moment.
    pub(super) async fn move_kick_off_to_now(self) {
        if self.wait_random_time().await {
            let draw = self.random_draw_id();
            let Some(mut terms) = self.world.terms(draw) else {
                return;
            };
            terms.closes_at = self.world.clock.true_now().plus_ms(SECOND_MS as i64);
            self.send_command(draw, Command::amend_command_of_club(terms))
                .await;
        }
    }

    /// The operator handles an open anomaly in one of four ways.
    pub(super) async fn handle_anomaly(self) {
        if !self.wait_random_time().await {
            return;
        }
        let choice = self.random.below(4);
        let open = self
            .world
            .memory
            .anomaly_records()
            .into_iter()
            .filter(|record| record.resolved_at.is_none());
        let open: Vec<_> = open
            .filter_map(|record| Some((record.id, record.anomaly.payment_intent?)))
            .collect();
        if choice > 0 && open.is_empty() {
            return;
        }
        let button = [
            "scans",
            "marks resolved",
            "gives tickets",
            "gives money back",
        ][choice as usize];
        let chosen = (choice > 0).then(|| self.random.one_of(&open).clone());
        if let Some((_, payment)) = &chosen {
            self.world.monitor.record_operator_repair(payment);
        }
        let press = |handles: EngineHandles| async move {
            match (choice, chosen) {
                (1, Some((anomaly, _))) => {
                    handles.anomalies.resolve(anomaly, "somebody").await.is_ok()
                }
                (2, Some((_, payment))) => {
                    let token = format!("{anomaly:032x}", anomaly = 0xF00D);
                    handles
                        .anomalies
                        .allocate_missing_tickets(&payment, BuyerDetails::default(), token)
                        .await
                        .is_ok()
                }
                (3, Some((_, payment))) => handles
                    .anomalies
                    .return_unmatched_payment(&payment)
                    .await
                    .is_ok(),
                _ => handles.anomalies.scan_payments(1).await.is_ok(),
            }
        };
        let pressed = self
            .world
            .processes
            .call_random_process(&self.random, 0, PARTICIPANT_TIMEOUT, press)
            .await;
        self.world.monitor.record_situation(match pressed {
            Some(true) => "an operator's button worked",
            Some(false) => "an operator's button was refused",
            None => "an operator's button without an answer",
        });
        self.world.trace.record_event(
            "operator",
            &[choice, u64::from(pressed == Some(true))],
            || format!("{button}: {pressed:?}"),
        );
    }
}
