//! A simulated buyer with a browser, who chooses tickets, clicks twice, retries, resizes, closes
//! the tab or answers the bank late. The buyer knows only what the server answered.

use std::sync::Arc;
use std::time::Duration;

use actors::{ConfirmationOutcome, FulfilStatus, OpenOrderRequest, PaymentFailure};
use domain::order::{LineRequest, price_lines};
use domain::{
    ClubId, DrawId, OrderId, OrderState, PaymentIntentId, Refusal, ReservationSource,
    ReservationSourceId, SurchargeMode,
};
use futures_util::future::join;
use persistence::ledger::BuyerDetails;
use persistence::stores::OrderRecord;
use tokio::time::sleep;

use super::buyer_answers::ShownAnswer;
use super::plan::{MINUTE_MS, SECOND_MS, account};
use super::processes::EngineHandles;
use super::random_stream::RandomStream;
use super::world::World;

/// How long the browser waits for an answer of the server.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(25);
/// Largest number of attempts while the server is busy or does not answer.
const BROWSER_ATTEMPTS_MAX: u32 = 6;

pub struct Buyer {
    world: Arc<World>,
    number: u64,
    random: RandomStream,
}

type RequestedLines = Vec<(DrawId, u16)>;
type CallResult<T> = Option<Result<T, PaymentFailure>>;

impl Buyer {
    pub fn new(world: Arc<World>, number: u64, random: RandomStream) -> Buyer {
        Buyer {
            world,
            number,
            random,
        }
    }

    /// Simulates one or two visits of the buyer. Most buyers arrive in the last three minutes
    /// before kick-off.
    pub async fn simulate_visits(self) {
        let kick_off = self.world.plan.first_kick_off_ms();
        let arrives_ms = if self.random.happens(700) {
            kick_off.saturating_sub(self.random.below(3 * MINUTE_MS))
        } else {
            self.random.below(kick_off + MINUTE_MS)
        };
        self.wait_random_ms(arrives_ms, arrives_ms).await;
        for visit in 1..=self.random.between(1, 2) {
            if self.world.fault_injector.have_faults_ended() {
                return;
            }
            self.shop_once(visit).await;
            self.wait_random_ms(SECOND_MS, 30 * SECOND_MS).await;
        }
    }

    async fn shop_once(&self, visit: u64) {
        let club = *self.random.one_of(&self.world.plan.clubs);
        let mut draws = self.world.plan.draws_of_club(club);
        while draws.len() > 1 && self.random.coin_flip() {
            draws.remove(self.random.below(draws.len() as u64) as usize);
        }
        let wants: RequestedLines = draws
            .into_iter()
            .map(|draw| (draw, self.random_ticket_count()))
            .collect();
        let key = format!("browser-{}-{visit}", self.number);
        let Some(mut record) = self.open_or_resize_order(&key, club, wants.clone()).await else {
            return;
        };
        if self.happens_at_rate(|r| r.resized) {
            self.wait_random_ms(SECOND_MS, 20 * SECOND_MS).await;
            let other = wants
                .iter()
                .map(|(draw, _)| (*draw, self.random_ticket_count()))
                .collect();
            // After a refusal or timeout the buyer continues with the order as it was before.
            record = self
                .open_or_resize_order(&key, club, other)
                .await
                .unwrap_or(record);
        }
        let Some(id) = record.order.payment_intent.clone() else {
            return;
        };
        if record.order.state != OrderState::Quoted {
            return;
        }
        self.world
            .answers_shown
            .record_shown_intent(record.order.id, &id);
        self.wait_random_ms(2 * SECOND_MS, 100 * SECOND_MS).await;
        if self.happens_at_rate(|r| r.order_abandoned) {
            let order = record.order.id;
            self.send_request(true, |handles| async move {
                handles.payments.abandon(order).await
            })
            .await;
            return;
        }
        if self.random.happens(200) {
            let order = record.order.id;
            self.send_request(false, |handles| async move {
                handles.payments.extend(order).await
            })
            .await;
            self.wait_random_ms(SECOND_MS, 100 * SECOND_MS).await;
        }
        let paid = self.pay_order(&record, &id).await;
        if paid && self.happens_at_rate(|r| r.amount_changed) {
            return self.abandon_changed_order(record.order.id).await;
        }
        if paid && !self.happens_at_rate(|r| r.tab_closed) {
            self.poll_outcome(&id).await;
        }
    }

    /// The buyer was shown a different amount than the order's, so the order is abandoned (decision
    /// C-3).
    async fn abandon_changed_order(&self, order: OrderId) {
        for _ in 0..BROWSER_ATTEMPTS_MAX {
            let answered_call = self
                .send_request(false, |handles| async move {
                    handles.payments.abandon_after_amount_change(order).await
                })
                .await;
            match answered_call {
                Some(Ok(FulfilStatus::NotCharged { .. })) => {
                    self.world.monitor.record_situation("a surprised buyer");
                    self.world.answers_shown.record_answer(
                        &self.world,
                        order,
                        ShownAnswer::NotCharged,
                    );
                    return;
                }
                // The tickets were already allocated, so the order is not abandoned.
                Some(Ok(FulfilStatus::Succeeded | FulfilStatus::Refunding)) => return,
                _ => self.wait_random_ms(SECOND_MS, 5 * SECOND_MS).await,
            }
        }
    }

    fn random_ticket_count(&self) -> u16 {
        self.random.between(1, self.world.plan.count_max) as u16
    }

    /// Opens an order, or resizes the order that was opened with this client key. Retries while the
    /// server is busy or does not answer.
    async fn open_or_resize_order(
        &self,
        key: &str,
        club: ClubId,
        mut wants: RequestedLines,
    ) -> Option<OrderRecord> {
        for attempt in 1..=BROWSER_ATTEMPTS_MAX {
            let first = self.send_open_request(key, club, &wants, 2 * attempt);
            let answer = if self.happens_at_rate(|r| r.double_click) {
                let (first, second) = join(
                    first,
                    self.send_open_request(key, club, &wants, 2 * attempt + 1),
                )
                .await;
                second.or(first)
            } else {
                first.await
            };
            match answer {
                Some(Ok(record)) => return Some(record),
                Some(Err(PaymentFailure::Refused {
                    draw,
                    refusal:
                        Refusal::TooFewTickets { free } | Refusal::HoldLimit { available: free },
                })) if free > 0 => {
                    // The buyer follows the page: "Only N tickets remaining. Please adjust your
                    // selection."
                    wants
                        .iter_mut()
                        .filter(|(of, _)| *of == draw)
                        .for_each(|(_, count)| *count = free.min(*count));
                }
                Some(Err(PaymentFailure::Unavailable)) | None => {}
                Some(Err(_)) => return None,
            }
            self.wait_random_ms(SECOND_MS, 8 * SECOND_MS).await;
        }
        None
    }

    /// Returns the network from which the buyer reserves, one of a few. `None`: the buyer's
    /// reservations are not limited.
    fn reservation_source(&self) -> Option<ReservationSource> {
        let network = self.number % 8;
        (network > 1).then_some(ReservationSource {
            id: ReservationSourceId(network.into()),
            has_paid: network == 2,
        })
    }

    /// Sends the request to open an order. The server takes only draws and counts from the browser,
    /// and sets the price itself.
    async fn send_open_request(
        &self,
        key: &str,
        club: ClubId,
        wants: &RequestedLines,
        attempt: u32,
    ) -> CallResult<OrderRecord> {
        let number = u128::from(
            self.number * 1_000_000 + self.random.below(1_000) * 1_000 + u64::from(attempt),
        );
        let name = format!("Buyer {}", self.number);
        let mut request = OpenOrderRequest {
            client_key: key.into(),
            token: format!("{number:032x}"),
            id: OrderId(number),
            club,
            account: account(club),
            lines: Vec::new(),
            buyer: BuyerDetails {
                name: Some(name),
                email: Some(format!("buyer-{}@example.org", self.number)),
                phone: None,
            },
            source: self.reservation_source(),
        };
        let wants = wants.clone();
        let answer = self.send_request(false, |handles| async move {
            let mut priced = Vec::new();
            for (draw, count) in wants {
                let view = handles
                    .draws
                    .view(draw)
                    .await
                    .map_err(|_| PaymentFailure::Unavailable)?;
                priced.push(LineRequest {
                    draw,
                    count,
                    unit_price: view.price,
                    passes_card_fee: draw.0 % 2 == 0,
                });
            }
            request.lines = price_lines(&priced, SurchargeMode::PerLine);
            handles.payments.open(request).await
        });
        answer.await
    }

    /// Pays at the provider or through the server. Returns `false` when the payment failed.
    async fn pay_order(&self, record: &OrderRecord, id: &PaymentIntentId) -> bool {
        let provider = &self.world.provider;
        for card in 1..=2 {
            let (declined, challenged) = (
                self.happens_at_rate(|r| r.declined),
                self.happens_at_rate(|r| r.challenged),
            );
            let paid = if self.happens_at_rate(|r| r.server_confirms) {
                self.confirm_payment(record.order.id, id, card, declined, challenged)
                    .await
            } else if declined {
                provider.decline(id);
                false
            } else if challenged {
                provider.require_3d_secure(id) && self.complete_3d_secure(id).await
            } else {
                provider.authorise(id)
            };
            self.world.trace.record_event(
                "pays",
                &[record.order.id.0 as u64, u64::from(paid)],
                || {
                    format!(
                        "order {} {id}: {}",
                        record.order.id.0,
                        if paid { "authorised" } else { "not authorised" }
                    )
                },
            );
            self.world.signal_waiting_webhooks();
            if paid || self.random.coin_flip() {
                return paid;
            }
            self.wait_random_ms(2 * SECOND_MS, 15 * SECOND_MS).await;
        }
        false
    }

    async fn confirm_payment(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        card: u32,
        declined: bool,
        challenged: bool,
    ) -> bool {
        let method = match (declined, challenged) {
            (true, _) => format!("pm_decline_{card}"),
            (_, true) => format!("pm_3ds_{card}"),
            _ => format!("pm_good_{card}"),
        };
        for _ in 1..=BROWSER_ATTEMPTS_MAX {
            let with = method.clone();
            let answered_call = self.send_request(false, |handles| async move {
                handles.payments.confirm(order, &with).await
            });
            match answered_call.await {
                Some(Ok(ConfirmationOutcome::Authorised)) => return true,
                Some(Ok(ConfirmationOutcome::RequiresAction { .. })) => {
                    return self.complete_3d_secure(id).await;
                }
                Some(Ok(ConfirmationOutcome::Processing) | Err(PaymentFailure::Unavailable))
                | None => {}
                Some(Err(PaymentFailure::Declined { .. })) if !declined && !challenged => {
                    self.world.monitor.report_violation(format!(
                        "B1: order {} has a good card and was told it is declined",
                        order.0
                    ));
                    return false;
                }
                Some(Err(_)) => return false,
            }
            self.wait_random_ms(SECOND_MS, 5 * SECOND_MS).await;
        }
        false
    }

    /// Opens the 3-D Secure page, and answers it late or never.
    async fn complete_3d_secure(&self, id: &PaymentIntentId) -> bool {
        self.world.signal_waiting_webhooks();
        self.wait_random_ms(SECOND_MS, self.world.plan.rates.challenge_ms)
            .await;
        match self.random.below(10) {
            0 => false,
            1 => {
                self.world.provider.decline(id);
                false
            }
            _ => self.world.provider.authorise(id),
        }
    }

    /// Polls until the outcome is final. The last answer stays on the screen.
    async fn poll_outcome(&self, id: &PaymentIntentId) {
        for _ in 0..self.random.between(1, 8) {
            let ask = || {
                self.send_request(
                    true,
                    |handles| async move { handles.payments.fulfil(id).await },
                )
            };
            let (first, second) = if self.happens_at_rate(|r| r.double_click) {
                join(ask(), ask()).await
            } else {
                (ask().await, None)
            };
            let mut ended = false;
            for fulfilled in [first, second].into_iter().flatten().flatten() {
                ended = self
                    .world
                    .answers_shown
                    .record_fulfilled(&self.world, &fulfilled);
            }
            if ended {
                return;
            }
            self.wait_random_ms(2 * SECOND_MS, 20 * SECOND_MS).await;
        }
    }

    async fn send_request<T, F>(
        &self,
        beacon: bool,
        work: impl FnOnce(EngineHandles) -> F,
    ) -> CallResult<T>
    where
        F: Future<Output = Result<T, PaymentFailure>>,
    {
        let lost = self
            .world
            .fault_injector
            .current_fault_rate(|r| if beacon { r.beacon_lost } else { r.call_lost });
        self.world
            .processes
            .call_random_process(&self.random, lost, BROWSER_TIMEOUT, work)
            .await
    }

    fn happens_at_rate(&self, rate: impl FnOnce(&super::plan::FaultRates) -> u64) -> bool {
        self.random
            .happens(self.world.fault_injector.current_fault_rate(rate))
    }

    async fn wait_random_ms(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(
            self.random.between(least_ms, most_ms.max(least_ms)),
        ))
        .await;
    }
}
