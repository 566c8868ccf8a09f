//! One buyer and their browser: wants tickets, clicks twice, retries, changes their mind, closes the tab, answers their bank
//! late. Knows only what it was told.

use std::sync::Arc;
use std::time::Duration;

use actors::{Confirmed, FulfilStatus, OpenOrder, PaymentFailure};
use domain::order::{Wanted, price};
use domain::{ClubId, DrawId, OrderId, OrderState, PaymentIntentId, Refusal, SurchargeMode};
use futures_util::future::join;
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;
use tokio::time::sleep;

use super::chance::Chance;
use super::house::Handles;
use super::plan::{MINUTE, SECOND, account};
use super::told::Answer;
use super::world::World;

/// How long a browser waits for an answer.
const PATIENCE: Duration = Duration::from_secs(25);
/// How often it tries again when the house is busy or silent.
const TRIES: u32 = 6;

pub struct Buyer {
    world: Arc<World>,
    number: u64,
    chance: Chance,
}

type Wish = Vec<(DrawId, u16)>;
type Reply<T> = Option<Result<T, PaymentFailure>>;

impl Buyer {
    pub fn new(world: Arc<World>, number: u64, chance: Chance) -> Buyer {
        Buyer {
            world,
            number,
            chance,
        }
    }

    /// Most come in the last three minutes.
    pub async fn live(self) {
        let kick_off = self.world.plan.first_kick_off_ms();
        let arrives = match self.chance.happens(700) {
            true => kick_off.saturating_sub(self.chance.below(3 * MINUTE)),
            false => self.chance.below(kick_off + MINUTE),
        };
        self.pause(arrives, arrives).await;
        for visit in 1..=self.chance.between(1, 2) {
            if self.world.weather.is_calm() {
                return;
            }
            self.visit(visit).await;
            self.pause(SECOND, 30 * SECOND).await;
        }
    }

    async fn visit(&self, visit: u64) {
        let club = *self.chance.one_of(&self.world.plan.clubs);
        let mut draws = self.world.plan.draws_of(club);
        while draws.len() > 1 && self.chance.coin() {
            draws.remove(self.chance.below(draws.len() as u64) as usize);
        }
        let wants: Wish = draws.into_iter().map(|draw| (draw, self.count())).collect();
        let key = format!("browser-{}-{visit}", self.number);
        let Some(mut record) = self.open(&key, club, wants.clone()).await else {
            return;
        };
        if self.happens(|r| r.resized) {
            self.pause(SECOND, 20 * SECOND).await;
            let other = wants
                .iter()
                .map(|(draw, _)| (*draw, self.count()))
                .collect();
            // Refused or silent: the buyer pays what they had before, or what the house made of it.
            record = self.open(&key, club, other).await.unwrap_or(record);
        }
        let Some(id) = record.order.payment_intent.clone() else {
            return;
        };
        if record.order.state != OrderState::Quoted {
            return;
        }
        self.world.told.shown(record.order.id, &id);
        self.pause(2 * SECOND, 100 * SECOND).await;
        if self.happens(|r| r.left) {
            let order = record.order.id;
            self.send(
                true,
                |house| async move { house.payments.abandon(order).await },
            )
            .await;
            return;
        }
        if self.chance.happens(200) {
            let order = record.order.id;
            self.send(
                false,
                |house| async move { house.payments.extend(order).await },
            )
            .await;
            self.pause(SECOND, 100 * SECOND).await;
        }
        let paid = self.pay(&record, &id).await;
        if paid && self.happens(|r| r.surprised) {
            return self.turn_down(record.order.id).await;
        }
        if paid && !self.happens(|r| r.tab_closed) {
            self.finish(&id).await;
        }
    }

    /// The amount on the screen was another one than the order's (decision C-3).
    async fn turn_down(&self, order: OrderId) {
        for _ in 0..TRIES {
            let asked = self
                .send(false, |house| async move {
                    house.payments.turn_down(order).await
                })
                .await;
            match asked {
                Some(Ok(FulfilStatus::NotCharged { .. })) => {
                    self.world.watch.met("a surprised buyer");
                    self.world
                        .told
                        .heard(&self.world, order, Answer::NotCharged);
                    return;
                }
                // It had its tickets already.
                Some(Ok(FulfilStatus::Succeeded | FulfilStatus::Refunding)) => return,
                _ => self.pause(SECOND, 5 * SECOND).await,
            }
        }
    }

    fn count(&self) -> u16 {
        self.chance.between(1, self.world.plan.count_max) as u16
    }

    /// Opens an order, or resizes it: the same key finds the same one.
    async fn open(&self, key: &str, club: ClubId, mut wants: Wish) -> Option<OrderRecord> {
        for attempt in 1..=TRIES {
            let first = self.ask_to_open(key, club, &wants, 2 * attempt);
            let answer = if self.happens(|r| r.double_click) {
                let (first, second) =
                    join(first, self.ask_to_open(key, club, &wants, 2 * attempt + 1)).await;
                second.or(first)
            } else {
                first.await
            };
            match answer {
                Some(Ok(record)) => return Some(record),
                Some(Err(PaymentFailure::Refused {
                    draw,
                    refusal: Refusal::TooFewTickets { free },
                })) if free > 0 => {
                    // "Only N tickets remaining. Please adjust your selection."
                    wants
                        .iter_mut()
                        .filter(|(of, _)| *of == draw)
                        .for_each(|(_, count)| *count = free.min(*count));
                }
                Some(Err(PaymentFailure::Unavailable)) | None => {}
                Some(Err(_)) => return None,
            }
            self.pause(SECOND, 8 * SECOND).await;
        }
        None
    }

    /// The house prices: nothing of the browser's is believed but how many of what.
    async fn ask_to_open(
        &self,
        key: &str,
        club: ClubId,
        wants: &Wish,
        attempt: u32,
    ) -> Reply<OrderRecord> {
        let number = u128::from(
            self.number * 1_000_000 + self.chance.below(1_000) * 1_000 + u64::from(attempt),
        );
        let name = format!("Buyer {}", self.number);
        let mut wanted = OpenOrder {
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
        };
        let wants = wants.clone();
        let answer = self.send(false, |house| async move {
            let mut priced = Vec::new();
            for (draw, count) in wants {
                let view = house
                    .draws
                    .view(draw)
                    .await
                    .map_err(|_| PaymentFailure::Unavailable)?;
                priced.push(Wanted {
                    draw,
                    count,
                    unit_price: view.price,
                    passes_card_fee: draw.0 % 2 == 0,
                });
            }
            wanted.lines = price(&priced, SurchargeMode::PerLine);
            house.payments.open(wanted).await
        });
        answer.await
    }

    /// Pays, at the provider or through the house; `false`: it came to nothing.
    async fn pay(&self, record: &OrderRecord, id: &PaymentIntentId) -> bool {
        let provider = &self.world.provider;
        for card in 1..=2 {
            let (declined, challenged) =
                (self.happens(|r| r.declined), self.happens(|r| r.challenged));
            let paid = if self.happens(|r| r.server_confirms) {
                self.confirm(record.order.id, id, card, declined, challenged)
                    .await
            } else if declined {
                provider.decline(id);
                false
            } else if challenged {
                provider.challenge(id) && self.answer_bank(id).await
            } else {
                provider.authorise(id)
            };
            self.world
                .trace
                .note("pays", &[record.order.id.0 as u64, u64::from(paid)], || {
                    format!(
                        "order {} {id}: {}",
                        record.order.id.0,
                        if paid { "authorised" } else { "not authorised" }
                    )
                });
            self.world.deliver_notices();
            if paid || self.chance.coin() {
                return paid;
            }
            self.pause(2 * SECOND, 15 * SECOND).await;
        }
        false
    }

    async fn confirm(
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
        for _ in 1..=TRIES {
            let with = method.clone();
            let asked = self.send(false, |house| async move {
                house.payments.confirm(order, &with).await
            });
            match asked.await {
                Some(Ok(Confirmed::Authorised)) => return true,
                Some(Ok(Confirmed::RequiresAction { .. })) => return self.answer_bank(id).await,
                Some(Ok(Confirmed::Processing)) | Some(Err(PaymentFailure::Unavailable)) | None => {
                }
                Some(Err(PaymentFailure::Declined { .. })) if !declined && !challenged => {
                    self.world.watch.violated(format!(
                        "B1: order {} has a good card and was told it is declined",
                        order.0
                    ));
                    return false;
                }
                Some(Err(_)) => return false,
            }
            self.pause(SECOND, 5 * SECOND).await;
        }
        false
    }

    /// The 3-D Secure page: answered late, or never.
    async fn answer_bank(&self, id: &PaymentIntentId) -> bool {
        self.world.deliver_notices();
        self.pause(SECOND, self.world.plan.rates.challenge_ms).await;
        match self.chance.below(10) {
            0 => false,
            1 => {
                self.world.provider.decline(id);
                false
            }
            _ => self.world.provider.authorise(id),
        }
    }

    /// Asks until it knows how it ended; what it is told last stays on the screen.
    async fn finish(&self, id: &PaymentIntentId) {
        for _ in 0..self.chance.between(1, 8) {
            let ask = || self.send(true, |house| async move { house.payments.fulfil(id).await });
            let (first, second) = match self.happens(|r| r.double_click) {
                true => join(ask(), ask()).await,
                false => (ask().await, None),
            };
            let mut ended = false;
            for fulfilled in [first, second].into_iter().flatten().flatten() {
                ended = self.world.told.answered(&self.world, &fulfilled);
            }
            if ended {
                return;
            }
            self.pause(2 * SECOND, 20 * SECOND).await;
        }
    }

    async fn send<T, F>(&self, beacon: bool, work: impl FnOnce(Handles) -> F) -> Reply<T>
    where
        F: Future<Output = Result<T, PaymentFailure>>,
    {
        let lost = self
            .world
            .weather
            .rate(|r| if beacon { r.beacon_lost } else { r.call_lost });
        self.world
            .house
            .call(&self.chance, lost, PATIENCE, work)
            .await
    }

    fn happens(&self, rate: impl FnOnce(&super::plan::Rates) -> u64) -> bool {
        self.chance.happens(self.world.weather.rate(rate))
    }

    async fn pause(&self, least_ms: u64, most_ms: u64) {
        sleep(Duration::from_millis(
            self.chance.between(least_ms, most_ms.max(least_ms)),
        ))
        .await;
    }
}
