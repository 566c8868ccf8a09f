//! The same crowded day in both memories: every answer and every order must come out alike.

#[path = "support/world.rs"]
mod support;

use domain::{Authority, Cents, Command, DrawId, OrderId, PaymentStatus, Terms, Timestamp};
use persistence::Failure;
use persistence::books::{Attempt, Mail, Operation, OperationKind, OrderRecord, Tell};
use persistence::ledger::{Append, BuyerDetails, Rider};
use persistence::nodes::Boot;

use support::{NOW, Owner, TERMS, World, intent_id, line, said};

const DRAWS: usize = 3;
const ORDERS: u128 = 40;
const STEPS: u64 = 1_500;
const LEASE_MS: i64 = 4_000;

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One thing somebody asks of the memory.
#[derive(Clone, Debug)]
enum Step {
    Append {
        draw: usize,
        command: Command,
        rider: Option<Box<Rider>>,
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

/// What it answers, without the words of a refusal and without ids that count differently.
#[derive(Debug, PartialEq)]
enum Said {
    Done,
    Owed(Vec<DrawId>),
    Refused,
    NotFound,
    Fenced,
    Operations(Vec<(OrderId, OperationKind, String, Option<Cents>, u32)>),
    Mails(Vec<(String, Option<OrderId>, String, u32)>),
    Other(String),
}

fn told<T>(result: Result<T, Failure>, say: impl FnOnce(T) -> Said) -> Said {
    match result {
        Ok(value) => say(value),
        Err(Failure::NotWritten(_)) => Said::Refused,
        Err(Failure::NotFound) => Said::NotFound,
        Err(Failure::Fenced) => Said::Fenced,
        Err(other) => Said::Other(other.to_string()),
    }
}

fn operations(found: Vec<Operation>) -> Said {
    Said::Operations(
        found
            .into_iter()
            .map(|o| (o.order, o.kind, o.key, o.amount, o.attempts))
            .collect(),
    )
}

fn mails(found: Vec<Mail>) -> Said {
    Said::Mails(
        found
            .into_iter()
            .map(|m| (m.kind, m.order, m.to, m.attempts))
            .collect(),
    )
}

/// Most buyers had authorised their payment.
fn tell(order: u128) -> Tell {
    if order.is_multiple_of(4) {
        Tell::Nobody
    } else {
        Tell::Buyer
    }
}

struct Twin {
    world: World,
    owners: Vec<Owner>,
}

impl Twin {
    async fn of(world: World) -> Twin {
        let mut owners = Vec::new();
        for draw in 0..DRAWS {
            owners.push(world.owner(draw).await);
        }
        Twin { world, owners }
    }

    async fn take(&mut self, step: &Step, now: Timestamp) -> Said {
        let books = self.world.books.clone();
        let done = |()| Said::Done;
        match step {
            Step::Append {
                draw,
                command,
                rider,
                at,
            } => {
                self.append(*draw, command, rider.as_deref().cloned(), *at)
                    .await
            }
            Step::Opened(id) => told(
                books.opened(OrderId(*id), &intent_id(*id), "secret").await,
                done,
            ),
            Step::Filled(id, buyer) => told(books.fill_buyer(OrderId(*id), buyer).await, done),
            Step::Corrected(id, buyer) => {
                told(books.correct_buyer(OrderId(*id), buyer).await, |done| {
                    if done { Said::Done } else { Said::Refused }
                })
            }
            Step::Captured(id) => match books.order(OrderId(*id)).await.expect("read") {
                Some(record) if record.order.payment_intent.is_some() => told(
                    books
                        .captured(OrderId(*id), &said(&record, PaymentStatus::Succeeded), now)
                        .await,
                    done,
                ),
                _ => Said::Refused,
            },
            Step::Rejecting(id) => told(books.rejecting(OrderId(*id), "no", now).await, done),
            Step::Released(id) => told(
                books.released(OrderId(*id), "gone", tell(*id), now).await,
                done,
            ),
            Step::Voided(id) => told(
                books.voided(OrderId(*id), "void", tell(*id), now).await,
                done,
            ),
            Step::Refunding(id) => {
                let fee = books.fee_returned(OrderId(*id)).await.expect("read");
                told(
                    books
                        .refunding(OrderId(*id), Cents(700), fee, "refund")
                        .await,
                    done,
                )
            }
            Step::FeesBack(draw) => {
                let draw = self.world.draws[*draw];
                let owed = books.fees_owed().await.expect("read");
                told(books.give_fees_back(draw).await, |()| Said::Owed(owed))
            }
            Step::Claim(id, kind) => told(
                books
                    .claim_operation(OrderId(*id), *kind, now, LEASE_MS)
                    .await,
                |found| operations(found.into_iter().collect()),
            ),
            Step::Work { tries_again } => self.work(*tries_again, now).await,
            Step::Mail { fails } => self.mail(*fails, now).await,
        }
    }

    async fn append(
        &mut self,
        draw: usize,
        command: &Command,
        rider: Option<Rider>,
        at: Timestamp,
    ) -> Said {
        let owner = &mut self.owners[draw];
        let Ok(events) = owner.draw.decide(at, command) else {
            return Said::Refused;
        };
        if events.is_empty() {
            return Said::Done;
        }
        let append = Append {
            at,
            ..owner.commit(command, events.clone(), rider)
        };
        let written = owner.ledger.append(vec![append]).await;
        if written.is_ok() {
            owner.draw.apply(&events);
        }
        told(written, |()| Said::Done)
    }

    async fn work(&mut self, tries_again: bool, now: Timestamp) -> Said {
        let claimed = self
            .world
            .books
            .claim_operations(now, LEASE_MS, 5)
            .await
            .expect("claimed");
        for operation in &claimed {
            let attempt = match operation.kind {
                // What the purchase path settles itself stays pending.
                OperationKind::Create | OperationKind::Capture | OperationKind::Update => continue,
                _ if tries_again => {
                    let (attempts, new_key) =
                        (operation.attempts, Some(format!("{}x", operation.key)));
                    Attempt::Again {
                        attempts,
                        at: now.plus_ms(500),
                        new_key,
                    }
                }
                OperationKind::FeeRefund => Attempt::Failed { why: "no".into() },
                _ => Attempt::Done,
            };
            self.world
                .books
                .attempted(operation.id, attempt)
                .await
                .expect("noted");
        }
        operations(claimed)
    }

    async fn mail(&mut self, fails: bool, now: Timestamp) -> Said {
        let claimed = self
            .world
            .books
            .claim_mail(Boot(1), now, LEASE_MS, 3)
            .await
            .expect("claimed");
        for mail in &claimed {
            let noted = match (fails, mail.attempts) {
                (true, 3..) => self.world.books.mail_failed(mail.id, "no", None).await,
                (true, _) => {
                    self.world
                        .books
                        .mail_failed(mail.id, "busy", Some(now.plus_ms(700)))
                        .await
                }
                (false, _) => self.world.books.mail_sent(mail.id, now).await,
            };
            noted.expect("noted");
        }
        mails(claimed)
    }

    /// Everything one can read of it.
    async fn all(&mut self) -> (Vec<Option<OrderRecord>>, Vec<OrderId>, Vec<OrderId>) {
        let mut records = Vec::new();
        for id in 0..ORDERS {
            records.push(self.world.books.order(OrderId(id)).await.expect("read"));
        }
        let ids =
            |found: Vec<OrderRecord>| found.into_iter().map(|record| record.order.id).collect();
        let far = Timestamp(NOW.0 * 2);
        let open = self
            .world
            .books
            .orders_open(far, 1_000)
            .await
            .expect("read");
        let captured = self
            .world
            .books
            .orders_captured(NOW, 1_000)
            .await
            .expect("read");
        (records, ids(open), ids(captured))
    }
}

fn cart(world: &World, id: u128, dice: &mut Dice) -> Vec<(usize, u16)> {
    let first = (id % DRAWS as u128) as usize;
    let mut lines = vec![(first, dice.below(6) as u16 + 1)];
    if dice.below(3) == 0 {
        lines.push(((first + 1) % world.draws.len(), dice.below(6) as u16 + 1));
    }
    lines.sort_unstable();
    lines
}

/// The lines are the same in both, so one world may be asked what an order wants.
fn roll(world: &World, carts: &mut [Vec<(usize, u16)>], dice: &mut Dice, now: Timestamp) -> Step {
    let id = u128::from(dice.below(ORDERS as u64));
    let order = OrderId(id);
    let wanted = carts[id as usize].clone();
    let (draw, count) = wanted
        .get(dice.below(2) as usize)
        .copied()
        .unwrap_or(wanted[0]);
    let unit_price = TERMS.price;
    let append = |command, rider: Option<Rider>| Step::Append {
        draw,
        command,
        rider: rider.map(Box::new),
        at: now,
    };
    let allocate = |authority| Command::Allocate {
        order,
        count,
        unit_price,
        authority,
    };
    match dice.below(22) {
        0..=3 => {
            let (draw, count) = wanted[0];
            let command = Command::Reserve {
                order,
                count,
                until: now.plus_seconds(150),
            };
            let mut new = world.order(id, &wanted);
            new.at = now;
            if id % 5 == 0 {
                new.buyer = BuyerDetails::default();
            }
            Step::Append {
                draw,
                command,
                rider: Some(Box::new(Rider::Open(new))),
                at: now,
            }
        }
        4 => {
            carts[id as usize] = cart(world, id, dice);
            let wanted = &carts[id as usize];
            let lines = wanted
                .iter()
                .map(|(draw, count)| line(world.draws[*draw], *count))
                .collect();
            let (draw, count) = wanted[0];
            let command = Command::Reserve {
                order,
                count,
                until: now.plus_seconds(151),
            };
            Step::Append {
                draw,
                command,
                rider: Some(Box::new(Rider::Reprice { order, lines })),
                at: now,
            }
        }
        5..=8 => append(
            allocate(Authority::Sale),
            Some(Rider::Authorised { order, at: now }),
        ),
        9 => append(allocate(Authority::Repair { authorised_at: now }), None),
        10 => append(
            Command::Void {
                order,
                charged: dice.below(3) == 0,
            },
            None,
        ),
        11 => append(Command::Release { order }, None),
        12 => append(Command::Tick, None),
        13 | 14 => Step::Opened(id),
        15 => {
            let email = (dice.below(2) == 0).then(|| format!("b{id}@buyer.test"));
            let bob = BuyerDetails {
                name: Some("Bob".into()),
                email,
                phone: Some(format!("{id}")),
            };
            if dice.below(2) == 0 {
                Step::Filled(id, bob)
            } else {
                Step::Corrected(id, bob)
            }
        }
        16 | 17 => Step::Captured(id),
        18 => match dice.below(4) {
            0 => Step::Rejecting(id),
            1 => Step::Released(id),
            2 => Step::Voided(id),
            _ if dice.below(3) == 0 => Step::FeesBack(draw),
            _ => Step::Refunding(id),
        },
        19 => {
            let kinds = [
                OperationKind::Create,
                OperationKind::Update,
                OperationKind::Capture,
                OperationKind::Cancel,
            ];
            Step::Claim(id, kinds[dice.below(4) as usize])
        }
        20 => Step::Work {
            tries_again: dice.below(2) == 0,
        },
        _ => Step::Mail {
            fails: dice.below(2) == 0,
        },
    }
}

async fn a_day(seed: u64) {
    let terms = [Terms { ..TERMS }; DRAWS];
    let mut twins = [
        Twin::of(World::in_memory(&terms).await).await,
        Twin::of(World::in_postgres(&terms).await).await,
    ];
    let mut dice = Dice(seed);
    let mut carts: Vec<Vec<(usize, u16)>> = (0..ORDERS)
        .map(|id| cart(&twins[0].world, id, &mut dice))
        .collect();
    let mut answers = std::collections::BTreeMap::new();
    for number in 0..STEPS {
        let now = NOW.plus_ms(number as i64 * 300);
        let step = roll(&twins[0].world, &mut carts, &mut dice, now);
        let [memory, postgres] = &mut twins;
        let said = [
            memory.take(&step, now).await,
            postgres.take(&step, now).await,
        ];
        assert_eq!(said[0], said[1], "seed {seed}, step {number}: {step:?}");
        let word = format!(
            "{:?} {:?}",
            std::mem::discriminant(&step),
            std::mem::discriminant(&said[0])
        );
        *answers.entry(word).or_insert(0u32) += 1;
    }
    let [memory, postgres] = &mut twins;
    assert_eq!(
        format!("{:?}", memory.all().await),
        format!("{:?}", postgres.all().await),
        "seed {seed}"
    );
    for draw in 0..DRAWS {
        assert_eq!(memory.owners[draw].draw, postgres.owners[draw].draw);
        assert_eq!(
            memory.world.owner(draw).await.draw,
            postgres.world.owner(draw).await.draw
        );
    }
    assert!(answers.len() > 18, "a dull day: {answers:?}");
    let (_, books) = postgres.world.postgres.as_ref().expect("in Postgres");
    let wrong: Vec<_> = books
        .violations()
        .await
        .expect("asked")
        .into_iter()
        .map(|found| found.invariant)
        .collect();
    // The crowd calls in any order, so an order may wait for its refund; nothing else may be wrong.
    assert!(
        wrong
            .iter()
            .all(|found| found.starts_with("T2 a paid order")),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn a_day_is_the_same_in_both_memories() {
    a_day(1).await;
}

#[tokio::test]
async fn another_day_is_the_same_in_both_memories() {
    a_day(2).await;
}

#[tokio::test]
async fn a_third_day_is_the_same_in_both_memories() {
    a_day(3).await;
}

/// The day's events are of every kind.
#[tokio::test]
async fn a_day_is_busy() {
    let mut twin = Twin::of(World::in_memory(&[TERMS; DRAWS]).await).await;
    let mut dice = Dice(1);
    let mut carts: Vec<Vec<(usize, u16)>> = (0..ORDERS)
        .map(|id| cart(&twin.world, id, &mut dice))
        .collect();
    for number in 0..STEPS {
        let now = NOW.plus_ms(number as i64 * 300);
        let step = roll(&twin.world, &mut carts, &mut dice, now);
        twin.take(&step, now).await;
    }
    let memory = twin.world.memory.as_ref().expect("in memory");
    let states: std::collections::BTreeSet<String> = memory
        .orders()
        .iter()
        .map(|record| format!("{:?}", record.order.state))
        .collect();
    assert!(states.len() >= 5, "{states:?}");
    assert!(memory.draws() == memory.replayed());
}
