//! Tests of the engine with a real Postgres: many buyers, provider faults and a process that dies.
//! Afterwards the database invariants must hold.

use std::sync::Arc;
use std::time::Duration;

use actors::testing::{FakeGateway, Fault, GatewayMethod};
use actors::{
    Clock, Engine, EngineDependencies, FulfilStatus, OpenOrderRequest, PaymentFailure, Peers,
    SystemClock, ThreadPlacement,
};
use domain::{
    AccountId, Cents, ClubId, Command, DrawId, GameResult, Line, OrderId, OrderState, Terms,
};
use persistence::Postgres;
use persistence::ledger::BuyerDetails;
use persistence::nodes::InstanceId;
use persistence::postgres::draws::NewDraw;
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::stores::OrderRecord;
use persistence::stores::{AnomalyStore, OrderStore};
use persistence::testing::database;

#[path = "support/world.rs"]
mod world;
use world::{RecordingMailer, intent_of};

/// A club whose draws are in a test database of its own.
struct TestClub {
    postgres: Postgres,
    gateway: FakeGateway,
    mailer: RecordingMailer,
    club: ClubId,
    draws: Vec<DrawId>,
}

fn account() -> AccountId {
    AccountId("acct_reds".into())
}

impl TestClub {
    async fn create(draws: usize, kick_off_ms: i64) -> TestClub {
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
            .map(|_| NewDraw::with_defaults(club, "Reds", "Blues", terms))
            .collect();
        let draws = postgres.create_draws(new).await.expect("draws");
        let gateway = FakeGateway::new(Arc::new(SystemClock));
        TestClub {
            postgres,
            gateway,
            mailer: RecordingMailer::default(),
            club,
            draws,
        }
    }

    async fn start_engine(&self) -> Engine {
        let parts = EngineDependencies {
            ledger: Arc::new(self.postgres.clone()),
            store: Arc::new(self.postgres.clone()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(SystemClock),
            mail: Arc::new(self.mailer.clone()),
            peers: Peers::of_single_node(InstanceId::random(), Arc::new(self.postgres.clone())),
        };
        Engine::start_with_placement(parts, ThreadPlacement::OwnThreads { draws: 2 })
            .await
            .expect("the engine starts")
    }

    fn order_request(&self, number: u128, lines: &[(usize, u16)]) -> OpenOrderRequest {
        let line = |(draw, count): &(usize, u16)| Line {
            draw: self.draws[*draw],
            count: *count,
            unit_price: Cents(500),
            card_fee: Cents(39),
        };
        OpenOrderRequest {
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
            source: None,
        }
    }

    /// Polls the database until `fact` is true. `what` names the fact in the failure message.
    async fn wait_until(&self, what: &str, fact: impl AsyncFn(&Postgres) -> bool) {
        let waiting = async {
            while !fact(&self.postgres).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting)
            .await
            .unwrap_or_else(|_| panic!("never: {what}"));
    }

    async fn order_state(&self, order: OrderId) -> OrderState {
        self.postgres
            .order(order)
            .await
            .expect("read")
            .expect("the order")
            .order
            .state
    }

    /// Asserts the database invariants, and that the amounts in the database and at the provider
    /// agree.
    async fn assert_consistent(&self) {
        let violations = self.postgres.violations().await.expect("asked");
        assert!(violations.is_empty(), "{violations:#?}");
        let totals = self.postgres.account_totals().await.expect("asked");
        let provider_totals = self.gateway.provider_account_totals(&account());
        let totals = totals
            .iter()
            .find(|totals| totals.account == account())
            .expect("the account");
        assert_eq!(
            (totals.captured, totals.refunded),
            (provider_totals.captured, provider_totals.refunded)
        );
        assert_eq!(totals.application_fees, provider_totals.fees);
        assert_eq!(
            totals.application_fees_refunded,
            provider_totals.fees_refunded
        );
        assert!(
            self.gateway
                .intents()
                .iter()
                .all(|intent| intent.captures <= 1)
        );
    }
}

/// Opens, pays and fulfils an order, retrying like a browser. `None`: the order was refused.
async fn buy_tickets(
    engine: &Engine,
    gateway: &FakeGateway,
    request: OpenOrderRequest,
) -> Option<OrderRecord> {
    let record = loop {
        match engine.payments.open(request.clone()).await {
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
fn two_hundred_buyers_with_provider_faults_sell_out_cleanly() {
    actix::System::new().block_on(async {
        let club = TestClub::create(2, 3_600_000).await;
        let engine = club.start_engine().await;
        let mut calls = 0_u32;
        club.gateway.set_faults(move |call| {
            calls += 1;
            match (call.verb, calls % 23) {
                (GatewayMethod::Retrieve | GatewayMethod::List | GatewayMethod::Find, 0) => {
                    Fault::Unavailable
                }
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
            buy_tickets(&engine, &club.gateway, club.order_request(number, lines))
        });
        let mut captured_orders: Vec<_> = futures_util::future::join_all(buyers)
            .await
            .into_iter()
            .flatten()
            .collect();
        club.gateway.clear_faults();
        // Some orders were refused while another order held reservations that it then released. All
        // remaining tickets must still be sold.
        for (number, draw) in (201..).zip([0; 40].into_iter().chain([1; 40])) {
            captured_orders.extend(
                buy_tickets(
                    &engine,
                    &club.gateway,
                    club.order_request(number, &[(draw, 1)]),
                )
                .await,
            );
        }
        let views = engine.draws.views();
        assert!(
            views.iter().all(|view| (view.sold, view.held) == (169, 0)),
            "{views:?}"
        );
        assert_eq!(
            captured_orders
                .iter()
                .map(|record| record.order.tickets())
                .sum::<u16>(),
            2 * 169
        );
        for record in captured_orders.iter().take(5) {
            let stored = club.postgres.order(record.order.id).await.unwrap().unwrap();
            assert_eq!(
                (&stored.order, &stored.tickets),
                (&record.order, &record.tickets)
            );
        }
        let mails = captured_orders.len();
        club.wait_until("every mail has left", async |_| {
            club.mailer.delivered.lock().unwrap().len() == mails
        })
        .await;
        engine.stop().await;
        club.assert_consistent().await;
    });
}

#[test]
fn killed_process_orders_are_finished_by_next_process() {
    actix::System::new().block_on(async {
        let club = TestClub::create(2, 3_600_000).await;
        let engine = club.start_engine().await;
        let mut records = Vec::new();
        for number in 1..=12 {
            let record = engine
                .payments
                .open(club.order_request(number, &[(0, 1), (1, 2)]))
                .await
                .unwrap();
            club.gateway.authorise(&intent_of(&record));
            records.push(record);
        }
        club.gateway.set_call_delays(|_| Duration::from_millis(15));
        let calls = records.iter().map(|record| {
            let (payments, id) = (engine.payments.clone(), intent_of(record));
            actix::spawn(async move { payments.fulfil(&id).await })
        });
        let calls: Vec<_> = calls.collect();
        tokio::time::sleep(Duration::from_millis(25)).await;
        engine.kill();
        futures_util::future::join_all(calls).await;

        let next = club.start_engine().await;
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
        club.wait_until("every mail has left", async |_| {
            club.mailer.delivered.lock().unwrap().len() == 12
        })
        .await;
        next.stop().await;
        club.assert_consistent().await;
    });
}

#[test]
fn refusals_resizes_refunds_and_result_violate_no_invariant() {
    actix::System::new().block_on(async {
        let club = TestClub::create(3, 3_600_000).await;
        let engine = club.start_engine().await;
        let payments = &engine.payments;

        let mut resized = club.order_request(1, &[(0, 2)]);
        payments.open(resized.clone()).await.unwrap();
        resized.lines = club.order_request(1, &[(0, 3), (1, 1)]).lines;
        let record = payments.open(resized).await.unwrap();
        assert_eq!(record.order.total(), Cents(2078));
        assert_eq!(
            club.gateway
                .intent(&intent_of(&record))
                .unwrap()
                .said
                .amount,
            Cents(2078)
        );
        club.gateway.authorise(&intent_of(&record));
        assert_eq!(
            payments.fulfil(&intent_of(&record)).await.unwrap().status,
            FulfilStatus::Succeeded
        );

        // An order that is refused because one of its draws is closed.
        let cart = payments
            .open(club.order_request(2, &[(0, 1), (2, 1)]))
            .await
            .unwrap();
        let result = GameResult::new(3, 4).unwrap();
        engine
            .draws
            .execute(club.draws[2], Command::Complete { result }, None)
            .await
            .unwrap();
        club.gateway.authorise(&intent_of(&cart));
        let refused = payments.fulfil(&intent_of(&cart)).await.unwrap();
        assert!(
            matches!(refused.status, FulfilStatus::NotCharged { .. }),
            "{:?}",
            refused.status
        );
        assert_eq!(club.order_state(OrderId(2)).await, OrderState::Released);

        // An order whose second line is refused at once, an abandoned order, and a refunded order.
        let refused = payments
            .open(club.order_request(3, &[(0, 1), (2, 1)]))
            .await
            .unwrap_err();
        assert!(matches!(refused, PaymentFailure::Refused { draw, .. } if draw == club.draws[2]));
        let left = payments
            .open(club.order_request(4, &[(1, 5)]))
            .await
            .unwrap();
        payments.abandon(left.order.id).await.unwrap();
        assert_eq!(club.order_state(OrderId(4)).await, OrderState::Released);
        let expensive = buy_tickets(&engine, &club.gateway, club.order_request(5, &[(0, 50)]))
            .await
            .unwrap();
        payments.refund(record.order.id, "asked for").await.unwrap();
        payments
            .refund(expensive.order.id, "asked for")
            .await
            .unwrap();
        club.wait_until("both refunds are done", async |_| {
            club.gateway.provider_account_totals(&account()).refunded == Cents(2078 + 25_039)
        })
        .await;
        club.wait_until("and the fees", async |_| {
            let provider_totals = club.gateway.provider_account_totals(&account());
            provider_totals.fees == provider_totals.fees_refunded
        })
        .await;
        engine
            .reconciler
            .scan_payments(domain::Timestamp(0))
            .await
            .unwrap();
        engine.stop().await;
        club.assert_consistent().await;
        let anomalies = club.postgres.anomalies(true, 10).await.unwrap();
        assert!(anomalies.is_empty(), "{anomalies:#?}");
    });
}

#[test]
fn retried_operation_reuses_its_idempotency_key() {
    actix::System::new().block_on(async {
        let club = TestClub::create(1, 3_600_000).await;
        let engine = club.start_engine().await;
        let keys = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen_keys = keys.clone();
        club.gateway.set_faults(move |call| {
            let counted = matches!(call.verb, GatewayMethod::Create | GatewayMethod::Capture);
            let mut seen_keys = seen_keys.lock().unwrap();
            if counted {
                seen_keys.push((call.verb, call.key.to_owned()));
            }
            let first = seen_keys
                .iter()
                .filter(|(verb, _)| *verb == call.verb)
                .count()
                == 1;
            if counted && first {
                Fault::TimeoutBefore
            } else {
                Fault::None
            }
        });
        let record = buy_tickets(&engine, &club.gateway, club.order_request(1, &[(0, 1)]))
            .await
            .unwrap();
        let keys = keys.lock().unwrap().clone();
        for verb in [GatewayMethod::Create, GatewayMethod::Capture] {
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
        assert_eq!(
            club.order_state(record.order.id).await,
            OrderState::Captured
        );
        engine.stop().await;
    });
}

#[test]
fn kick_off_refuses_all_authorised_orders() {
    actix::System::new().block_on(async {
        let club = TestClub::create(1, 4_000).await;
        let engine = club.start_engine().await;
        // The first pass of the reconciler would find the payments that are authorised below, and
        // correctly allocate their tickets. So the test waits until that pass is over.
        while engine
            .payments
            .metrics()
            .last_reconciler_pass_at()
            .is_none()
        {
            tokio::task::yield_now().await;
        }
        let mut watched = engine.draws.watch(club.draws[0]).await.unwrap();
        let mut orders = Vec::new();
        for number in 1..=20 {
            let Ok(record) = engine
                .payments
                .open(club.order_request(number, &[(0, 1)]))
                .await
            else {
                break;
            };
            club.gateway.authorise(&intent_of(&record));
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
        assert_eq!(engine.draws.view(club.draws[0]).await.unwrap().sold, 0);
        assert_eq!(
            club.gateway.provider_account_totals(&account()).captured,
            Cents::ZERO
        );
        engine.stop().await;
        let violations = club.postgres.violations().await.unwrap();
        assert!(violations.is_empty(), "{violations:#?}");
    });
}
