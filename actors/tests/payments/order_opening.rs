//! Tests of opening, resizing and abandoning orders: one order for each client key, and all lines
//! or none.

use crate::is_not_charged;
use crate::world::{TestWorld, intent_of, order_line, run_in_paused_time};
use actors::testing::{Fault, GatewayMethod};
use actors::{FulfilStatus, PaymentFailure};
use domain::{
    Cents, Command, DrawId, OrderState, PaymentStatus, Refusal, ReservationSource,
    ReservationSourceId, Timestamp,
};
use persistence::memory::{MemoryCall, MemoryFault as BooksFault};

#[test]
fn same_client_key_resizes_the_same_order() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let request = world.order_request(&[(1042, 2)]);
        let first = world.payments().open(request.clone()).await.unwrap();
        let mut again = world.order_request(&[(1042, 2)]);
        again.client_key = request.client_key.clone();
        let second = world.payments().open(again.clone()).await.unwrap();
        assert_eq!(
            (second.order.id, &second.client_secret),
            (first.order.id, &first.client_secret)
        );

        again.lines = vec![order_line(1042, 5), order_line(1043, 1)];
        let third = world.payments().open(again.clone()).await.unwrap();
        assert_eq!(intent_of(&third), intent_of(&first));
        assert_eq!((world.held_in_draw(1042), world.held_in_draw(1043)), (5, 1));
        assert_eq!(world.stored_order(&third).order.lines, again.lines);
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&first))
                .unwrap()
                .said
                .amount,
            Cents(3000)
        );

        again.lines = vec![order_line(1043, 1)];
        world.payments().open(again.clone()).await.unwrap();
        assert_eq!((world.held_in_draw(1042), world.held_in_draw(1043)), (0, 1));
        assert_eq!(world.stored_order(&third).order.lines, again.lines);
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&first))
                .unwrap()
                .said
                .amount,
            Cents(500)
        );
        assert_eq!(world.gateway.intents().len(), 1);

        world.gateway.authorise(&intent_of(&first));
        assert_eq!(
            world.fulfil(&first).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        let decided = world.payments().open(again).await.unwrap();
        assert_eq!(
            decided.order.state,
            OrderState::Captured,
            "an order that is decided is answered as it is"
        );
        world.assert_consistent();
    });
}

#[test]
fn concurrent_opens_with_one_client_key_make_one_order() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let (first, mut second) = (
            world.order_request(&[(1042, 2)]),
            world.order_request(&[(1042, 2)]),
        );
        second.client_key = first.client_key.clone();
        let payments = world.payments();
        let (first, second) = futures_util::join!(payments.open(first), payments.open(second));
        assert_eq!(first.unwrap().order.id, second.unwrap().order.id);
        assert_eq!(
            (
                world.memory.orders().len(),
                world.gateway.intents().len(),
                world.held_in_draw(1042)
            ),
            (1, 1, 2)
        );
    });
}

#[test]
fn authorised_order_is_not_resized() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let request = world.order_request(&[(1042, 2)]);
        let record = world.payments().open(request.clone()).await.unwrap();
        world.gateway.authorise(&intent_of(&record));
        let mut more = request;
        more.lines = vec![order_line(1042, 9)];
        let answered = world.payments().open(more).await.unwrap();
        assert_eq!(answered.order.lines, vec![order_line(1042, 2)]);
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.sold_in_draw(1042), 2);
        world.assert_consistent();
    });
}

#[test]
fn cart_reserves_all_lines_or_names_the_refusing_draw() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043, 1044]).await;
        for _ in 0..4 {
            world.open_order(&[(1043, 41)]).await;
        }
        let refused = world
            .payments()
            .open(world.order_request(&[(1044, 1), (1043, 6), (1042, 2)]))
            .await;
        let refusal = Refusal::TooFewTickets { free: 5 };
        assert_eq!(
            refused.unwrap_err(),
            PaymentFailure::Refused {
                draw: DrawId(1043),
                refusal
            }
        );
        assert_eq!(
            (
                world.held_in_draw(1042),
                world.held_in_draw(1043),
                world.held_in_draw(1044)
            ),
            (0, 164, 0)
        );
        assert_eq!(
            world.gateway.intents().len(),
            4,
            "no intent was made for it"
        );
        world.advance_seconds(60).await;
        assert_eq!(
            world.gateway.intents().len(),
            4,
            "no intent is created later either"
        );
    });
}

#[test]
fn failed_resize_changes_nothing() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let request = world.order_request(&[(1042, 2), (1043, 2)]);
        let record = world.payments().open(request.clone()).await.unwrap();
        for _ in 0..3 {
            world.open_order(&[(1043, 50)]).await;
        }
        let mut more = request.clone();
        more.lines = vec![order_line(1042, 30), order_line(1043, 30)];
        let refused = world.payments().open(more).await.unwrap_err();
        assert_eq!(
            refused,
            PaymentFailure::Refused {
                draw: DrawId(1043),
                refusal: Refusal::TooFewTickets { free: 19 }
            }
        );
        assert_eq!(
            (world.held_in_draw(1042), world.held_in_draw(1043)),
            (2, 152)
        );
        assert_eq!(world.stored_order(&record).order.lines, request.lines);
        world.gateway.authorise(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.assert_consistent();
    });
}

#[test]
fn abandoning_releases_tickets_unless_payment_started() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let leaves = world.open_order(&[(1042, 2)]).await;
        let left = world.payments().abandon(leaves.order.id).await;
        assert_eq!(left, Ok(OrderState::Released));
        assert_eq!(world.held_in_draw(1042), 0);
        assert_eq!(
            world.stored_order(&leaves).order.state,
            OrderState::Released
        );
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&leaves))
                .unwrap()
                .said
                .status,
            PaymentStatus::Canceled
        );

        let challenged = world.open_order(&[(1042, 2)]).await;
        world.gateway.require_3d_secure(&intent_of(&challenged));
        let kept = world.payments().abandon(challenged.order.id).await;
        assert_eq!(kept, Ok(OrderState::Quoted));
        assert_eq!(
            world.held_in_draw(1042),
            2,
            "opening the 3-D Secure page also leaves the page"
        );

        let paid = world.open_order(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&paid));
        let bought = world.payments().abandon(paid.order.id).await;
        assert_eq!(bought, Ok(OrderState::Captured));
        assert_eq!(world.stored_order(&paid).order.state, OrderState::Captured);
        world.advance_seconds(5).await;
        world.assert_consistent();
    });
}

#[test]
fn amount_changed_during_payment_is_not_charged() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let request = world.order_request(&[(1042, 2)]);
        let record = world.payments().open(request.clone()).await.unwrap();
        let mut more = request;
        more.lines = vec![order_line(1042, 4)];
        // The database stores four tickets, but the intent could not be updated to their price. The
        // buyer pays for two tickets in another tab.
        world
            .gateway
            .fail_next(GatewayMethod::Update, Fault::Unavailable);
        assert_eq!(
            world.payments().open(more).await.unwrap_err(),
            PaymentFailure::Unavailable
        );
        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert!(is_not_charged(&fulfilled.status), "{:?}", fulfilled.status);
        world.advance_seconds(60).await;
        assert_eq!(
            world.stored_order(&record).order.state,
            OrderState::Released
        );
        assert_eq!((world.held_in_draw(1042), world.sold_in_draw(1042)), (0, 0));
        assert_eq!(world.memory.anomaly_records().len(), 0);
        world.assert_consistent();
    });
}

#[test]
fn full_draw_refuses_without_database_access() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        for count in [50, 50, 50, 19] {
            world.buy_tickets(&[(1042, count)]).await;
        }
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(_) | MemoryCall::Read("order_by_client_key") => {
                panic!("{call:?} for a draw that is full")
            }
            _ => BooksFault::None,
        });
        for _ in 0..1000 {
            let refused = world
                .payments()
                .open(world.order_request(&[(1042, 1)]))
                .await
                .unwrap_err();
            assert_eq!(
                refused,
                PaymentFailure::Refused {
                    draw: DrawId(1042),
                    refusal: Refusal::TooFewTickets { free: 0 }
                }
            );
        }
    });
}

#[test]
fn interrupted_cart_continues_with_the_same_client_key() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let request = world.order_request(&[(1042, 2), (1043, 3)]);
        world.memory.set_faults(|call| match call {
            MemoryCall::Append(appends) if appends[0].draw == DrawId(1043) => {
                BooksFault::NotWritten
            }
            _ => BooksFault::None,
        });
        let (other, half) = (
            world.order_request(&[(1042, 1), (1043, 40)]),
            PaymentFailure::Unavailable,
        );
        assert_eq!(
            world.payments().open(request.clone()).await.unwrap_err(),
            half
        );
        assert_eq!(
            world.payments().open(other.clone()).await.unwrap_err(),
            half
        );
        world.memory.clear_faults();
        for _ in 0..3 {
            world.open_order(&[(1043, 50)]).await;
        }
        let refused = world.payments().open(other).await.unwrap_err();
        let refusal = Refusal::TooFewTickets { free: 19 };
        assert_eq!(
            refused,
            PaymentFailure::Refused {
                draw: DrawId(1043),
                refusal
            }
        );
        assert_eq!(
            world.held_in_draw(1042),
            2,
            "a half-reserved cart is released"
        );
        let record = world.payments().open(request).await.unwrap();
        assert_eq!(
            (world.held_in_draw(1042), world.held_in_draw(1043)),
            (2, 153)
        );
        world.gateway.authorise(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.assert_consistent();
    });
}

/// A resize fails on another line. It restores the first line with its earlier expiry.
#[test]
fn refused_resize_prolongs_no_reservation() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042, 1043]).await;
        let request = world.order_request(&[(1042, 20), (1043, 20)]);
        let order = world
            .payments()
            .open(request.clone())
            .await
            .unwrap()
            .order
            .id;
        let reserved = async || {
            let query = Command::Extend {
                order,
                until: Timestamp(0),
            };
            world
                .draws()
                .execute(DrawId(1042), query, None)
                .await
                .unwrap()
                .reservation
                .expect("reserved")
        };
        let before = reserved().await;
        for _ in 0..3 {
            world.open_order(&[(1043, 49)]).await;
        }
        for _ in 0..2 {
            world.advance_seconds(60).await;
            let mut more = request.clone();
            more.lines = vec![order_line(1042, 19), order_line(1043, 50)];
            world
                .payments()
                .open(more)
                .await
                .expect_err("too few are left of the second draw");
            assert_eq!(reserved().await, before);
        }
    });
}

/// Orders of browsers that never paid count against their network's quota, also when they are
/// resized or extended.
#[test]
fn orders_of_one_network_share_its_quota_of_unpaid_tickets() {
    run_in_paused_time(|| async {
        let world = TestWorld::with_draws(&[1042]).await;
        let of = |network| {
            Some(ReservationSource {
                id: ReservationSourceId(network),
                has_paid: false,
            })
        };
        let order = |count, network| actors::OpenOrderRequest {
            source: of(network),
            ..world.order_request(&[(1042, count)])
        };
        let refused = |available| {
            Err(PaymentFailure::Refused {
                draw: DrawId(1042),
                refusal: Refusal::HoldLimit { available },
            })
        };
        let first = order(50, 1);
        let record = world.payments().open(first.clone()).await.unwrap();
        let second = order(30, 1);
        world.payments().open(second.clone()).await.unwrap();
        assert_eq!(
            world.payments().open(order(5, 1)).await.map(|_| ()),
            refused(4)
        );
        let mut more = second;
        more.lines = vec![order_line(1042, 35)];
        assert_eq!(world.payments().open(more).await.map(|_| ()), refused(34));
        assert_eq!(world.held_in_draw(1042), 80, "a refusal changes nothing");
        world
            .payments()
            .open(order(10, 2))
            .await
            .expect("another network");
        world.gateway.authorise(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world
            .payments()
            .open(order(49, 1))
            .await
            .expect("what was paid for counts for the network");
        world.assert_consistent();
    });
}
