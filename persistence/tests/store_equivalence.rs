//! Runs the same random purchases in the memory store and in Postgres. All results and all orders
//! must be equal.

#[path = "support/world.rs"]
mod support;

use domain::{
    AllocationAuthority, Cents, Command, DrawId, OrderId, PaymentStatus, Terms, Timestamp,
};
use persistence::Failure;
use persistence::ledger::{AttachedWrite, BuyerDetails, DrawCommit};
use persistence::nodes::InstanceId;
use persistence::stores::{
    AttemptOutcome, BuyerSource, Mail, NotifyBuyer, Operation, OperationKind, OrderRecord,
};

use support::{DrawOwner, NOW, TERMS, TestWorld, intent_id, line, provider_intent};

const DRAW_COUNT: usize = 3;
const ORDER_COUNT: u128 = 40;
const CALL_COUNT: u64 = 1_500;
const LEASE_MS: i64 = 4_000;

/// A small generator of pseudo-random numbers. The same seed gives the same numbers.
struct SeededRandom(u64);

impl SeededRandom {
    fn next_below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One call to a store.
#[derive(Clone, Debug)]
enum StoreCall {
    Append {
        draw: usize,
        command: Command,
        attached_write: Option<Box<AttachedWrite>>,
        at: Timestamp,
    },
    Opened(u128),
    Filled(u128, BuyerDetails),
    Corrected(u128, BuyerDetails),
    Captured(u128),
    Rejecting(u128),
    Released(u128),
    Voided(u128),
    Refunding(u128),
    FeesBack(usize),
    Claim(u128, OperationKind),
    Work {
        tries_again: bool,
    },
    Mail {
        fails: bool,
    },
}

/// The outcome of a call, without the texts of errors and without ids that the two stores count
/// differently.
#[derive(Debug, PartialEq)]
enum StepOutcome {
    Done,
    Owed(Vec<DrawId>),
    Refused,
    NotFound,
    Fenced,
    Operations(Vec<(OrderId, OperationKind, String, Option<Cents>, u32)>),
    Mails(Vec<(String, Option<OrderId>, String, u32)>),
    Other(String),
}

fn to_step_outcome<T>(
    result: Result<T, Failure>,
    convert: impl FnOnce(T) -> StepOutcome,
) -> StepOutcome {
    match result {
        Ok(value) => convert(value),
        Err(Failure::NotWritten(_)) => StepOutcome::Refused,
        Err(Failure::NotFound) => StepOutcome::NotFound,
        Err(Failure::Fenced) => StepOutcome::Fenced,
        Err(other) => StepOutcome::Other(other.to_string()),
    }
}

fn operation_outcome(rows: Vec<Operation>) -> StepOutcome {
    StepOutcome::Operations(
        rows.into_iter()
            .map(|o| (o.order, o.kind, o.key, o.amount, o.attempts))
            .collect(),
    )
}

fn mail_outcome(rows: Vec<Mail>) -> StepOutcome {
    StepOutcome::Mails(
        rows.into_iter()
            .map(|m| (m.kind, m.order, m.to, m.attempts))
            .collect(),
    )
}

/// Returns whether the buyer of an order is mailed. Three of four buyers are.
fn notification_for(order: u128) -> NotifyBuyer {
    if order.is_multiple_of(4) {
        NotifyBuyer::Nobody
    } else {
        NotifyBuyer::Buyer
    }
}

struct StoreRun {
    world: TestWorld,
    owners: Vec<DrawOwner>,
}

impl StoreRun {
    async fn in_world(world: TestWorld) -> StoreRun {
        let mut owners = Vec::new();
        for draw in 0..DRAW_COUNT {
            owners.push(world.owner(draw).await);
        }
        StoreRun { world, owners }
    }

    async fn run_step(&mut self, call: &StoreCall, now: Timestamp) -> StepOutcome {
        let stores = self.world.stores.clone();
        let done = |()| StepOutcome::Done;
        match call {
            StoreCall::Append {
                draw,
                command,
                attached_write,
                at,
            } => {
                self.append(*draw, command, attached_write.as_deref().cloned(), *at)
                    .await
            }
            StoreCall::Opened(id) => to_step_outcome(
                stores
                    .record_payment_intent(OrderId(*id), &intent_id(*id), "secret")
                    .await,
                done,
            ),
            StoreCall::Filled(id, buyer) => {
                let sources = [
                    BuyerSource::Checkout,
                    BuyerSource::OrderToken,
                    BuyerSource::Operator {
                        at: now,
                        approved: false,
                    },
                ];
                let source = sources[*id as usize % sources.len()];
                to_step_outcome(
                    stores.fill_buyer_details(OrderId(*id), buyer, source).await,
                    |done| {
                        if done {
                            StepOutcome::Done
                        } else {
                            StepOutcome::Refused
                        }
                    },
                )
            }
            StoreCall::Corrected(id, buyer) => to_step_outcome(
                stores.correct_buyer_details(OrderId(*id), buyer).await,
                |done| {
                    if done {
                        StepOutcome::Done
                    } else {
                        StepOutcome::Refused
                    }
                },
            ),
            StoreCall::Captured(id) => match stores.order(OrderId(*id)).await.expect("read") {
                Some(record) if record.order.payment_intent.is_some() => to_step_outcome(
                    stores
                        .record_capture(
                            OrderId(*id),
                            &provider_intent(&record, PaymentStatus::Succeeded),
                            now,
                        )
                        .await,
                    done,
                ),
                _ => StepOutcome::Refused,
            },
            StoreCall::Rejecting(id) => {
                to_step_outcome(stores.reject_order(OrderId(*id), "no", now).await, done)
            }
            StoreCall::Released(id) => to_step_outcome(
                stores
                    .release_order(OrderId(*id), "gone", notification_for(*id), now)
                    .await,
                done,
            ),
            StoreCall::Voided(id) => to_step_outcome(
                stores
                    .void_order(OrderId(*id), "void", notification_for(*id), now)
                    .await,
                done,
            ),
            StoreCall::Refunding(id) => {
                let fee = stores
                    .fee_to_refund_for_voided_tickets(OrderId(*id))
                    .await
                    .expect("read");
                to_step_outcome(
                    stores
                        .queue_refund(OrderId(*id), Cents(700), fee, "refund")
                        .await,
                    done,
                )
            }
            StoreCall::FeesBack(draw) => {
                let draw = self.world.draws[*draw];
                let owed = stores.draws_owing_fee_refunds().await.expect("read");
                to_step_outcome(stores.queue_fee_refunds(draw).await, |()| {
                    StepOutcome::Owed(owed)
                })
            }
            StoreCall::Claim(id, kind) => to_step_outcome(
                stores
                    .claim_operation(OrderId(*id), *kind, now, LEASE_MS)
                    .await,
                |rows| operation_outcome(rows.into_iter().collect()),
            ),
            StoreCall::Work { tries_again } => self.run_operations(*tries_again, now).await,
            StoreCall::Mail { fails } => self.send_mails(*fails, now).await,
        }
    }

    async fn append(
        &mut self,
        draw: usize,
        command: &Command,
        attached_write: Option<AttachedWrite>,
        at: Timestamp,
    ) -> StepOutcome {
        let owner = &mut self.owners[draw];
        let Ok(events) = owner.draw.decide(at, command) else {
            return StepOutcome::Refused;
        };
        if events.is_empty() {
            return StepOutcome::Done;
        }
        let append = DrawCommit {
            at,
            ..owner.commit(command, events.clone(), attached_write)
        };
        let written = owner.ledger.append(vec![append]).await;
        if written.is_ok() {
            owner.draw.apply(&events);
        }
        to_step_outcome(written, |()| StepOutcome::Done)
    }

    async fn run_operations(&mut self, tries_again: bool, now: Timestamp) -> StepOutcome {
        let claimed = self
            .world
            .stores
            .claim_operations(now, LEASE_MS, 5)
            .await
            .expect("claimed");
        for operation in &claimed {
            let attempt = match operation.kind {
                // Other steps of the random purchases complete operations of these kinds, so this
                // step leaves them pending.
                OperationKind::Create | OperationKind::Capture | OperationKind::Update => continue,
                _ if tries_again => {
                    let (attempts, new_key) =
                        (operation.attempts, Some(format!("{}x", operation.key)));
                    AttemptOutcome::Again {
                        attempts,
                        at: now.plus_ms(500),
                        new_key,
                        why: None,
                    }
                }
                OperationKind::FeeRefund => AttemptOutcome::Failed { why: "no".into() },
                _ => AttemptOutcome::Done,
            };
            self.world
                .stores
                .record_attempt(operation.id, attempt)
                .await
                .expect("noted");
        }
        operation_outcome(claimed)
    }

    async fn send_mails(&mut self, fails: bool, now: Timestamp) -> StepOutcome {
        let claimed = self
            .world
            .stores
            .claim_mail(InstanceId(1), now, LEASE_MS, 3)
            .await
            .expect("claimed");
        for mail in &claimed {
            let recorded = match (fails, mail.attempts) {
                (true, 3..) => {
                    self.world
                        .stores
                        .record_mail_failure(mail.id, "no", None)
                        .await
                }
                (true, _) => {
                    self.world
                        .stores
                        .record_mail_failure(mail.id, "busy", Some(now.plus_ms(700)))
                        .await
                }
                (false, _) => self.world.stores.mark_mail_sent(mail.id, now).await,
            };
            recorded.expect("noted");
        }
        mail_outcome(claimed)
    }

    /// Returns the orders and the lists of orders that the store can return.
    async fn read_all_orders(&mut self) -> (Vec<Option<OrderRecord>>, Vec<OrderId>, Vec<OrderId>) {
        let mut records = Vec::new();
        for id in 0..ORDER_COUNT {
            records.push(self.world.stores.order(OrderId(id)).await.expect("read"));
        }
        let ids = |rows: Vec<OrderRecord>| rows.into_iter().map(|record| record.order.id).collect();
        let far = Timestamp(NOW.0 * 2);
        let open = self
            .world
            .stores
            .unfinished_orders(far, 1_000)
            .await
            .expect("read");
        let captured = self
            .world
            .stores
            .orders_captured_since(NOW, 1_000)
            .await
            .expect("read");
        (records, ids(open), ids(captured))
    }
}

fn random_cart(world: &TestWorld, id: u128, random: &mut SeededRandom) -> Vec<(usize, u16)> {
    let first = (id % DRAW_COUNT as u128) as usize;
    let mut lines = vec![(first, random.next_below(6) as u16 + 1)];
    if random.next_below(3) == 0 {
        lines.push((
            (first + 1) % world.draws.len(),
            random.next_below(6) as u16 + 1,
        ));
    }
    lines.sort_unstable();
    lines
}

/// Chooses the next call. Both stores get the same calls and carts.
fn random_step(
    world: &TestWorld,
    carts: &mut [Vec<(usize, u16)>],
    random: &mut SeededRandom,
    now: Timestamp,
) -> StoreCall {
    let id = u128::from(random.next_below(ORDER_COUNT as u64));
    let order = OrderId(id);
    let cart_lines = carts[id as usize].clone();
    let (draw, count) = cart_lines
        .get(random.next_below(2) as usize)
        .copied()
        .unwrap_or(cart_lines[0]);
    let unit_price = TERMS.price;
    let append = |command, attached_write: Option<AttachedWrite>| StoreCall::Append {
        draw,
        command,
        attached_write: attached_write.map(Box::new),
        at: now,
    };
    let allocate = |authority| Command::Allocate {
        order,
        count,
        unit_price,
        authority,
    };
    match random.next_below(22) {
        0..=3 => {
            let (draw, count) = cart_lines[0];
            let command = Command::Reserve {
                order,
                count,
                until: now.plus_seconds(150),
            };
            let mut new = world.order(id, &cart_lines);
            new.at = now;
            if id % 5 == 0 {
                new.buyer = BuyerDetails::default();
            }
            StoreCall::Append {
                draw,
                command,
                attached_write: Some(Box::new(AttachedWrite::Open(new))),
                at: now,
            }
        }
        4 => {
            carts[id as usize] = random_cart(world, id, random);
            let cart_lines = &carts[id as usize];
            let lines = cart_lines
                .iter()
                .map(|(draw, count)| line(world.draws[*draw], *count))
                .collect();
            let (draw, count) = cart_lines[0];
            let command = Command::Reserve {
                order,
                count,
                until: now.plus_seconds(151),
            };
            StoreCall::Append {
                draw,
                command,
                attached_write: Some(Box::new(AttachedWrite::Reprice { order, lines })),
                at: now,
            }
        }
        5..=8 => append(
            allocate(AllocationAuthority::Sale),
            Some(AttachedWrite::Authorised { order, at: now }),
        ),
        9 => append(
            allocate(AllocationAuthority::Repair { authorised_at: now }),
            None,
        ),
        10 => append(
            Command::Void {
                order,
                charged: random.next_below(3) == 0,
            },
            None,
        ),
        11 => append(Command::Release { order }, None),
        12 => append(Command::Tick, None),
        13 | 14 => StoreCall::Opened(id),
        15 => {
            let email = (random.next_below(2) == 0).then(|| format!("b{id}@buyer.test"));
            let bob = BuyerDetails {
                name: Some("Bob".into()),
                email,
                phone: Some(format!("{id}")),
            };
            if random.next_below(2) == 0 {
                StoreCall::Filled(id, bob)
            } else {
                StoreCall::Corrected(id, bob)
            }
        }
        16 | 17 => StoreCall::Captured(id),
        18 => match random.next_below(4) {
            0 => StoreCall::Rejecting(id),
            1 => StoreCall::Released(id),
            2 => StoreCall::Voided(id),
            _ if random.next_below(3) == 0 => StoreCall::FeesBack(draw),
            _ => StoreCall::Refunding(id),
        },
        19 => {
            let kinds = [
                OperationKind::Create,
                OperationKind::Update,
                OperationKind::Capture,
                OperationKind::Cancel,
            ];
            StoreCall::Claim(id, kinds[random.next_below(4) as usize])
        }
        20 => StoreCall::Work {
            tries_again: random.next_below(2) == 0,
        },
        _ => StoreCall::Mail {
            fails: random.next_below(2) == 0,
        },
    }
}

async fn run_random_day(seed: u64) {
    let terms = [Terms { ..TERMS }; DRAW_COUNT];
    let mut runs = [
        StoreRun::in_world(TestWorld::in_memory(&terms)).await,
        StoreRun::in_world(TestWorld::in_postgres(&terms).await).await,
    ];
    let mut random = SeededRandom(seed);
    let mut carts: Vec<Vec<(usize, u16)>> = (0..ORDER_COUNT)
        .map(|id| random_cart(&runs[0].world, id, &mut random))
        .collect();
    let mut outcome_counts = std::collections::BTreeMap::new();
    for number in 0..CALL_COUNT {
        let now = NOW.plus_ms(number as i64 * 300);
        let call = random_step(&runs[0].world, &mut carts, &mut random, now);
        let [memory, postgres] = &mut runs;
        let outcome = [
            memory.run_step(&call, now).await,
            postgres.run_step(&call, now).await,
        ];
        assert_eq!(
            outcome[0], outcome[1],
            "seed {seed}, step {number}: {call:?}"
        );
        let key = format!(
            "{:?} {:?}",
            std::mem::discriminant(&call),
            std::mem::discriminant(&outcome[0])
        );
        *outcome_counts.entry(key).or_insert(0u32) += 1;
    }
    let [memory, postgres] = &mut runs;
    assert_eq!(
        format!("{:?}", memory.read_all_orders().await),
        format!("{:?}", postgres.read_all_orders().await),
        "seed {seed}"
    );
    for draw in 0..DRAW_COUNT {
        assert_eq!(memory.owners[draw].draw, postgres.owners[draw].draw);
        assert_eq!(
            memory.world.owner(draw).await.draw,
            postgres.world.owner(draw).await.draw
        );
    }
    assert!(
        outcome_counts.len() > 18,
        "too few different outcomes: {outcome_counts:?}"
    );
    let (_, stores) = postgres.world.postgres.as_ref().expect("in Postgres");
    let wrong: Vec<_> = stores
        .violations()
        .await
        .expect("asked")
        .into_iter()
        .map(|rows| rows.invariant)
        .collect();
    // The calls have a random order. So a paid order may still wait for its refund, which violates
    // invariant T2. No other invariant may be violated.
    assert!(
        wrong.iter().all(|rows| rows.starts_with("T2 a paid order")),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn both_stores_agree_on_random_day_1() {
    run_random_day(1).await;
}

#[tokio::test]
async fn both_stores_agree_on_random_day_2() {
    run_random_day(2).await;
}

#[tokio::test]
async fn both_stores_agree_on_random_day_3() {
    run_random_day(3).await;
}

/// Checks that the random calls are varied enough to bring orders into most states.
#[tokio::test]
async fn random_day_reaches_most_order_states() {
    let mut run = StoreRun::in_world(TestWorld::in_memory(&[TERMS; DRAW_COUNT])).await;
    let mut random = SeededRandom(1);
    let mut carts: Vec<Vec<(usize, u16)>> = (0..ORDER_COUNT)
        .map(|id| random_cart(&run.world, id, &mut random))
        .collect();
    for number in 0..CALL_COUNT {
        let now = NOW.plus_ms(number as i64 * 300);
        let call = random_step(&run.world, &mut carts, &mut random, now);
        run.run_step(&call, now).await;
    }
    let memory = run.world.memory.as_ref().expect("in memory");
    let states: std::collections::BTreeSet<String> = memory
        .orders()
        .iter()
        .map(|record| format!("{:?}", record.order.state))
        .collect();
    assert!(states.len() >= 5, "{states:?}");
    assert!(memory.draws() == memory.replayed_draws());
}
