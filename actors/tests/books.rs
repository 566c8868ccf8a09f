//! The same engine on real books: a crowd buys, the provider stumbles, a process dies, and afterwards the database is asked
//! whether everything it must never contain is absent.

use std::sync::Arc;
use std::time::Duration;

use actors::testing::{FakeGateway, Fault, Verb};
use actors::{
    Clock, Engine, EngineParts, FulfilStatus, Neighbourhood, OpenOrder, PaymentFailure, Placement,
    SystemClock,
};
use domain::{
    AccountId, Cents, ClubId, Command, DrawId, GameResult, Line, OrderId, OrderState, Terms,
};
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;
use persistence::nodes::Boot;
use persistence::postgres::draws::NewDraw;
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::testing::database;
use persistence::{Books, Postgres};

#[path = "support/world.rs"]
mod world;
use world::{PostOffice, intent_of};

/// A shop on a database of its own.
struct Shop {
    postgres: Postgres,
    gateway: FakeGateway,
    post: PostOffice,
    club: ClubId,
    draws: Vec<DrawId>,
}

fn account() -> AccountId {
    AccountId("acct_reds".into())
}

impl Shop {
    async fn open(draws: usize, kick_off_ms: i64) -> Shop {
        let postgres = database().await.postgres().await;
        let records = Records::new(postgres.clone());
        let reds = NewClub {
            name: "Reds".into(),
            email: "reds@club.test".into(),
            password_hash: "x".into(),
            location: None,
            phone: None,
            slug: "reds".into(),
            title: None,
            tagline: None,
            logo_url: None,
            colors: None,
        };
        let club = records.create_club(&reds).await.expect("a club").id;
        records
            .connect_account(club, &account())
            .await
            .expect("connected");
        let terms = Terms {
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at: SystemClock.now().plus_ms(kick_off_ms),
        };
        let new = (0..draws)
            .map(|_| NewDraw::plain(club, "Reds", "Blues", terms))
            .collect();
        let draws = postgres.create_draws(new).await.expect("draws");
        let gateway = FakeGateway::new(Arc::new(SystemClock));
        Shop {
            postgres,
            gateway,
            post: PostOffice::default(),
            club,
            draws,
        }
    }

    async fn engine(&self) -> Engine {
        let parts = EngineParts {
            ledger: Arc::new(self.postgres.clone()),
            books: Arc::new(self.postgres.clone()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(SystemClock),
            mail: Arc::new(self.post.clone()),
            neighbourhood: Neighbourhood::alone(Boot::fresh(), Arc::new(self.postgres.clone())),
        };
        Engine::start_at(parts, Placement::OwnThreads { draws: 2 })
            .await
            .expect("the engine starts")
    }

    fn wants(&self, number: u128, lines: &[(usize, u16)]) -> OpenOrder {
        let line = |(draw, count): &(usize, u16)| Line {
            draw: self.draws[*draw],
            count: *count,
            unit_price: Cents(500),
            card_fee: Cents(39),
        };
        OpenOrder {
            client_key: format!("client-{number}"),
            token: format!("{number:032x}"),
            id: OrderId(number),
            club: self.club,
            account: account(),
            lines: lines.iter().map(line).collect(),
            buyer: BuyerDetails {
                name: Some("Alice".into()),
                email: Some(format!("alice{number}@buyer.test")),
                phone: None,
            },
        }
    }

    /// Waits for a fact in the books.
    async fn until(&self, what: &str, fact: impl AsyncFn(&Postgres) -> bool) {
        let waiting = async {
            while !fact(&self.postgres).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting)
            .await
            .unwrap_or_else(|_| panic!("never: {what}"));
    }

    async fn state(&self, order: OrderId) -> OrderState {
        self.postgres
            .order(order)
            .await
            .expect("read")
            .expect("the order")
            .order
            .state
    }

    /// Nothing the database must never contain, and both books agree on the money.
    async fn audit(&self) {
        let violations = self.postgres.violations().await.expect("asked");
        assert!(violations.is_empty(), "{violations:#?}");
        let ours = self.postgres.account_totals().await.expect("asked");
        let takings = self.gateway.takings(&account());
        let ours = ours
            .iter()
            .find(|totals| totals.account == account())
            .expect("the account");
        assert_eq!(
            (ours.captured, ours.refunded),
            (takings.captured, takings.refunded)
        );
        assert_eq!(ours.application_fees, takings.fees);
        assert_eq!(ours.application_fees_refunded, takings.fees_refunded);
        assert!(
            self.gateway
                .intents()
                .iter()
                .all(|intent| intent.captures <= 1)
        );
    }
}

/// Opens, pays and fulfils with the patience of a browser; `None`: refused.
async fn buy(engine: &Engine, gateway: &FakeGateway, wanted: OpenOrder) -> Option<OrderRecord> {
    let record = loop {
        match engine.payments.open(wanted.clone()).await {
            Ok(record) => break record,
            Err(PaymentFailure::Unavailable) => tokio::time::sleep(Duration::from_millis(30)).await,
            Err(PaymentFailure::Refused { .. }) => return None,
            Err(other) => panic!("{other}"),
        }
    };
    gateway.authorise(&intent_of(&record));
    loop {
        match engine.payments.fulfil(&intent_of(&record)).await {
            Ok(fulfilled) => match fulfilled.status {
                FulfilStatus::Succeeded => return Some(fulfilled.record),
                FulfilStatus::NotCharged { .. } => return None,
                _ => tokio::time::sleep(Duration::from_millis(30)).await,
            },
            Err(PaymentFailure::Unavailable) => tokio::time::sleep(Duration::from_millis(30)).await,
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn two_hundred_buyers_want_two_each_and_the_provider_stumbles() {
    actix::System::new().block_on(async {
        let shop = Shop::open(2, 3_600_000).await;
        let engine = shop.engine().await;
        let mut calls = 0_u32;
        shop.gateway.set_faults(move |asked| {
            calls += 1;
            match (asked.verb, calls % 23) {
                (Verb::Retrieve | Verb::List | Verb::Find, 0) => Fault::Unavailable,
                (_, 0) => Fault::TimeoutAfter,
                (_, 7) => Fault::TimeoutBefore,
                (_, 13) => Fault::CachedError,
                _ => Fault::None,
            }
        });
        let buyers = (1..=200).map(|number| {
            let lines: &[(usize, u16)] = match number % 3 {
                0 => &[(0, 2)],
                1 => &[(1, 2)],
                _ => &[(0, 1), (1, 1)],
            };
            buy(&engine, &shop.gateway, shop.wants(number, lines))
        });
        let mut bought: Vec<_> = futures_util::future::join_all(buyers)
            .await
            .into_iter()
            .flatten()
            .collect();
        shop.gateway.clear_faults();
        // In the crowd some were refused while a cart held what it then gave back. Nothing is lost: the rest sells too.
        for (number, draw) in (201..).zip([0; 40].into_iter().chain([1; 40])) {
            bought.extend(buy(&engine, &shop.gateway, shop.wants(number, &[(draw, 1)])).await);
        }
        let views = engine.draws.views();
        assert!(
            views.iter().all(|view| (view.sold, view.held) == (169, 0)),
            "{views:?}"
        );
        assert_eq!(
            bought
                .iter()
                .map(|record| record.order.tickets())
                .sum::<u16>(),
            2 * 169
        );
        for record in bought.iter().take(5) {
            let stored = shop.postgres.order(record.order.id).await.unwrap().unwrap();
            assert_eq!(
                (&stored.order, &stored.tickets),
                (&record.order, &record.tickets)
            );
        }
        let mails = bought.len();
        shop.until("every mail has left", async |_| {
            shop.post.delivered.lock().unwrap().len() == mails
        })
        .await;
        engine.stop().await;
        shop.audit().await;
    });
}

#[test]
fn a_process_dies_in_the_middle_and_the_next_one_finishes() {
    actix::System::new().block_on(async {
        let shop = Shop::open(2, 3_600_000).await;
        let engine = shop.engine().await;
        let mut records = Vec::new();
        for number in 1..=12 {
            let record = engine
                .payments
                .open(shop.wants(number, &[(0, 1), (1, 2)]))
                .await
                .unwrap();
            shop.gateway.authorise(&intent_of(&record));
            records.push(record);
        }
        shop.gateway.set_pace(|_| Duration::from_millis(15));
        let calls = records.iter().map(|record| {
            let (payments, id) = (engine.payments.clone(), intent_of(record));
            actix::spawn(async move { payments.fulfil(&id).await })
        });
        let calls: Vec<_> = calls.collect();
        tokio::time::sleep(Duration::from_millis(25)).await;
        engine.kill();
        futures_util::future::join_all(calls).await;

        let next = shop.engine().await;
        let calls = records.iter().map(|record| {
            let (payments, id) = (next.payments.clone(), intent_of(record));
            async move {
                loop {
                    match payments.fulfil(&id).await {
                        Ok(fulfilled) if fulfilled.status == FulfilStatus::Succeeded => return,
                        _ => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
            }
        });
        let all = tokio::time::timeout(
            Duration::from_secs(90),
            futures_util::future::join_all(calls),
        )
        .await;
        assert!(all.is_ok(), "every authorised buyer gets tickets");
        shop.until("every mail has left", async |_| {
            shop.post.delivered.lock().unwrap().len() == 12
        })
        .await;
        next.stop().await;
        shop.audit().await;
    });
}

#[test]
fn refusals_resizes_refunds_and_the_result_leave_clean_books() {
    actix::System::new().block_on(async {
        let shop = Shop::open(3, 3_600_000).await;
        let engine = shop.engine().await;
        let payments = &engine.payments;

        let mut resized = shop.wants(1, &[(0, 2)]);
        payments.open(resized.clone()).await.unwrap();
        resized.lines = shop.wants(1, &[(0, 3), (1, 1)]).lines;
        let record = payments.open(resized).await.unwrap();
        assert_eq!(record.order.total(), Cents(2078));
        assert_eq!(
            shop.gateway
                .intent(&intent_of(&record))
                .unwrap()
                .said
                .amount,
            Cents(2078)
        );
        shop.gateway.authorise(&intent_of(&record));
        assert_eq!(
            payments.fulfil(&intent_of(&record)).await.unwrap().status,
            FulfilStatus::Succeeded
        );

        // A cart that one closed draw refuses.
        let cart = payments
            .open(shop.wants(2, &[(0, 1), (2, 1)]))
            .await
            .unwrap();
        let result = GameResult::new(3, 4).unwrap();
        engine
            .draws
            .execute(shop.draws[2], Command::Complete { result }, None)
            .await
            .unwrap();
        shop.gateway.authorise(&intent_of(&cart));
        let refused = payments.fulfil(&intent_of(&cart)).await.unwrap();
        assert!(
            matches!(refused.status, FulfilStatus::NotCharged { .. }),
            "{:?}",
            refused.status
        );
        assert_eq!(shop.state(OrderId(2)).await, OrderState::Released);

        // A second line that is refused at once, a buyer who leaves, a refund.
        let refused = payments
            .open(shop.wants(3, &[(0, 1), (2, 1)]))
            .await
            .unwrap_err();
        assert!(matches!(refused, PaymentFailure::Refused { draw, .. } if draw == shop.draws[2]));
        let left = payments.open(shop.wants(4, &[(1, 5)])).await.unwrap();
        payments.abandon(left.order.id).await.unwrap();
        assert_eq!(shop.state(OrderId(4)).await, OrderState::Released);
        let expensive = buy(&engine, &shop.gateway, shop.wants(5, &[(0, 50)]))
            .await
            .unwrap();
        payments.refund(record.order.id, "asked for").await.unwrap();
        payments
            .refund(expensive.order.id, "asked for")
            .await
            .unwrap();
        shop.until("both refunds are done", async |_| {
            shop.gateway.takings(&account()).refunded == Cents(2078 + 25_039)
        })
        .await;
        shop.until("and the fees", async |_| {
            let takings = shop.gateway.takings(&account());
            takings.fees == takings.fees_refunded
        })
        .await;
        engine.reconciler.scan(domain::Timestamp(0)).await.unwrap();
        engine.stop().await;
        shop.audit().await;
        let anomalies = shop.postgres.anomalies(true, 10).await.unwrap();
        assert!(anomalies.is_empty(), "{anomalies:#?}");
    });
}

#[test]
fn whoever_tries_an_operation_uses_its_own_key() {
    actix::System::new().block_on(async {
        let shop = Shop::open(1, 3_600_000).await;
        let engine = shop.engine().await;
        let keys = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = keys.clone();
        shop.gateway.set_faults(move |asked| {
            let counted = matches!(asked.verb, Verb::Create | Verb::Capture);
            let mut seen = seen.lock().unwrap();
            if counted {
                seen.push((asked.verb, asked.key.to_owned()));
            }
            let first = seen.iter().filter(|(verb, _)| *verb == asked.verb).count() == 1;
            if counted && first {
                Fault::TimeoutBefore
            } else {
                Fault::None
            }
        });
        let record = buy(&engine, &shop.gateway, shop.wants(1, &[(0, 1)]))
            .await
            .unwrap();
        let keys = keys.lock().unwrap().clone();
        for verb in [Verb::Create, Verb::Capture] {
            let tried: Vec<_> = keys
                .iter()
                .filter(|(of, _)| *of == verb)
                .map(|(_, key)| key)
                .collect();
            assert!(
                tried.len() >= 2 && tried.iter().all(|key| *key == tried[0]),
                "{keys:?}"
            );
        }
        assert_eq!(shop.state(record.order.id).await, OrderState::Captured);
        engine.stop().await;
    });
}

#[test]
fn kick_off_comes_for_everybody_at_once() {
    actix::System::new().block_on(async {
        let shop = Shop::open(1, 4_000).await;
        let engine = shop.engine().await;
        // Its first round would still find what is authorised now, and rightly give it its tickets.
        while engine.payments.tally().last_round().is_none() {
            tokio::task::yield_now().await;
        }
        let mut watched = engine.draws.watch(shop.draws[0]).await.unwrap();
        let mut orders = Vec::new();
        for number in 1..=20 {
            let Ok(record) = engine.payments.open(shop.wants(number, &[(0, 1)])).await else {
                break;
            };
            shop.gateway.authorise(&intent_of(&record));
            orders.push(record);
        }
        let closed = watched.wait_for(|view| view.status == domain::Status::Closed);
        tokio::time::timeout(Duration::from_secs(30), closed)
            .await
            .expect("it closes by itself")
            .unwrap();
        for record in &orders {
            let fulfilled = engine.payments.fulfil(&intent_of(record)).await.unwrap();
            assert!(
                matches!(fulfilled.status, FulfilStatus::NotCharged { .. }),
                "{:?}",
                fulfilled.status
            );
        }
        assert_eq!(engine.draws.view(shop.draws[0]).await.unwrap().sold, 0);
        assert_eq!(shop.gateway.takings(&account()).captured, Cents::ZERO);
        engine.stop().await;
        let violations = shop.postgres.violations().await.unwrap();
        assert!(violations.is_empty(), "{violations:#?}");
    });
}
