//! One order for one client key, every line or none, and the way out before paying.

use crate::not_charged;
use crate::world::{World, intent_of, line, play};
use actors::testing::{Fault, Verb};
use actors::{FulfilStatus, PaymentFailure};
use domain::{Cents, DrawId, OrderState, PaymentStatus, Refusal};
use persistence::memory::{Call, Fault as BooksFault};

#[test]
fn the_same_client_key_finds_the_same_order_and_resizes_it() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let wanted = world.wants(&[(1042, 2)]);
        let first = world.payments().open(wanted.clone()).await.unwrap();
        let mut again = world.wants(&[(1042, 2)]);
        again.client_key = wanted.client_key.clone();
        let second = world.payments().open(again.clone()).await.unwrap();
        assert_eq!(
            (second.order.id, &second.client_secret),
            (first.order.id, &first.client_secret)
        );

        again.lines = vec![line(1042, 5), line(1043, 1)];
        let third = world.payments().open(again.clone()).await.unwrap();
        assert_eq!(intent_of(&third), intent_of(&first));
        assert_eq!((world.held(1042), world.held(1043)), (5, 1));
        assert_eq!(world.order(&third).order.lines, again.lines);
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&first))
                .unwrap()
                .said
                .amount,
            Cents(3000)
        );

        again.lines = vec![line(1043, 1)];
        world.payments().open(again.clone()).await.unwrap();
        assert_eq!((world.held(1042), world.held(1043)), (0, 1));
        assert_eq!(world.order(&third).order.lines, again.lines);
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
        world.audit();
    });
}

#[test]
fn two_opens_at_once_with_one_key_make_one_order() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let (first, mut second) = (world.wants(&[(1042, 2)]), world.wants(&[(1042, 2)]));
        second.client_key = first.client_key.clone();
        let payments = world.payments();
        let (first, second) = futures_util::join!(payments.open(first), payments.open(second));
        assert_eq!(first.unwrap().order.id, second.unwrap().order.id);
        assert_eq!(
            (
                world.memory.orders().len(),
                world.gateway.intents().len(),
                world.held(1042)
            ),
            (1, 1, 2)
        );
    });
}

#[test]
fn an_authorised_order_is_not_resized_any_more() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let wanted = world.wants(&[(1042, 2)]);
        let record = world.payments().open(wanted.clone()).await.unwrap();
        world.gateway.authorise(&intent_of(&record));
        let mut more = wanted;
        more.lines = vec![line(1042, 9)];
        let answered = world.payments().open(more).await.unwrap();
        assert_eq!(answered.order.lines, vec![line(1042, 2)]);
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        assert_eq!(world.sold(1042), 2);
        world.audit();
    });
}

#[test]
fn a_cart_reserves_every_line_or_none_and_names_the_draw() {
    play(|| async {
        let world = World::with(&[1042, 1043, 1044]).await;
        for _ in 0..4 {
            world.open(&[(1043, 41)]).await;
        }
        let refused = world
            .payments()
            .open(world.wants(&[(1044, 1), (1043, 6), (1042, 2)]))
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
            (world.held(1042), world.held(1043), world.held(1044)),
            (0, 164, 0)
        );
        assert_eq!(
            world.gateway.intents().len(),
            4,
            "no intent was made for it"
        );
        world.pass(60).await;
        assert_eq!(world.gateway.intents().len(), 4, "nor later");
    });
}

#[test]
fn a_resize_that_fails_leaves_everything_as_it_was() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let wanted = world.wants(&[(1042, 2), (1043, 2)]);
        let record = world.payments().open(wanted.clone()).await.unwrap();
        for _ in 0..3 {
            world.open(&[(1043, 50)]).await;
        }
        let mut more = wanted.clone();
        more.lines = vec![line(1042, 30), line(1043, 30)];
        let refused = world.payments().open(more).await.unwrap_err();
        assert_eq!(
            refused,
            PaymentFailure::Refused {
                draw: DrawId(1043),
                refusal: Refusal::TooFewTickets { free: 19 }
            }
        );
        assert_eq!((world.held(1042), world.held(1043)), (2, 152));
        assert_eq!(world.order(&record).order.lines, wanted.lines);
        world.gateway.authorise(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.audit();
    });
}

#[test]
fn leaving_lets_the_tickets_go_unless_the_buyer_is_paying() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let leaves = world.open(&[(1042, 2)]).await;
        world.payments().abandon(leaves.order.id).await.unwrap();
        assert_eq!(world.held(1042), 0);
        assert_eq!(world.order(&leaves).order.state, OrderState::Released);
        assert_eq!(
            world
                .gateway
                .intent(&intent_of(&leaves))
                .unwrap()
                .said
                .status,
            PaymentStatus::Canceled
        );

        let challenged = world.open(&[(1042, 2)]).await;
        world.gateway.challenge(&intent_of(&challenged));
        world.payments().abandon(challenged.order.id).await.unwrap();
        assert_eq!(world.held(1042), 2, "a 3-D Secure page leaves the shop too");

        let paid = world.open(&[(1042, 2)]).await;
        world.gateway.authorise(&intent_of(&paid));
        world.payments().abandon(paid.order.id).await.unwrap();
        assert_eq!(world.order(&paid).order.state, OrderState::Captured);
        world.pass(5).await;
        world.audit();
    });
}

#[test]
fn an_amount_changed_while_paying_ends_without_a_charge() {
    play(|| async {
        let world = World::with(&[1042]).await;
        let wanted = world.wants(&[(1042, 2)]);
        let record = world.payments().open(wanted.clone()).await.unwrap();
        let mut more = wanted;
        more.lines = vec![line(1042, 4)];
        // The books know of four, the provider could not be told; the buyer pays the two of the other tab.
        world.gateway.fail_next(Verb::Update, Fault::Unavailable);
        assert_eq!(
            world.payments().open(more).await.unwrap_err(),
            PaymentFailure::Unavailable
        );
        world.gateway.authorise(&intent_of(&record));
        let fulfilled = world.fulfil(&record).await.unwrap();
        assert!(not_charged(&fulfilled.status), "{:?}", fulfilled.status);
        world.pass(60).await;
        assert_eq!(world.order(&record).order.state, OrderState::Released);
        assert_eq!((world.held(1042), world.sold(1042)), (0, 0));
        assert_eq!(world.memory.anomaly_records().len(), 0);
        world.audit();
    });
}

#[test]
fn a_full_draw_refuses_a_crowd_without_asking_anybody() {
    play(|| async {
        let world = World::with(&[1042]).await;
        for count in [50, 50, 50, 19] {
            world.buy(&[(1042, count)]).await;
        }
        world.memory.set_faults(|call| match call {
            Call::Append(_) | Call::Read("order_by_client_key") => {
                panic!("{call:?} for a draw that is full")
            }
            _ => BooksFault::None,
        });
        for _ in 0..1000 {
            let refused = world
                .payments()
                .open(world.wants(&[(1042, 1)]))
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
fn a_cart_cut_off_between_its_lines_goes_on_under_the_same_key() {
    play(|| async {
        let world = World::with(&[1042, 1043]).await;
        let wanted = world.wants(&[(1042, 2), (1043, 3)]);
        world.memory.set_faults(|call| match call {
            Call::Append(appends) if appends[0].draw == DrawId(1043) => BooksFault::NotWritten,
            _ => BooksFault::None,
        });
        let (other, half) = (
            world.wants(&[(1042, 1), (1043, 40)]),
            PaymentFailure::Unavailable,
        );
        assert_eq!(
            world.payments().open(wanted.clone()).await.unwrap_err(),
            half
        );
        assert_eq!(
            world.payments().open(other.clone()).await.unwrap_err(),
            half
        );
        world.memory.clear_faults();
        for _ in 0..3 {
            world.open(&[(1043, 50)]).await;
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
        assert_eq!(world.held(1042), 2, "half a cart is given back");
        let record = world.payments().open(wanted).await.unwrap();
        assert_eq!((world.held(1042), world.held(1043)), (2, 153));
        world.gateway.authorise(&intent_of(&record));
        assert_eq!(
            world.fulfil(&record).await.unwrap().status,
            FulfilStatus::Succeeded
        );
        world.audit();
    });
}
