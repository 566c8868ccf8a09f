//! One contract, two providers: what our gateway gets over HTTP from the stand-in, it gets from the fake that simulations use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::dev::Service;
use actix_web::{App, HttpServer};
use actors::testing::FakeGateway;
use actors::{Connect, Gateway, GatewayError, NewIntent, Stripe, StripeSettings, SystemClock};
use domain::{AccountId, Cents, OrderId, PaymentIntentId, PaymentStatus, Timestamp};
use server::sandbox::faults::Fault;
use server::sandbox::{self, Options, Sandbox};

const LONG_AGO: Timestamp = Timestamp(0);

fn club() -> AccountId {
    AccountId("acct_club".into())
}

fn order(number: u128, amount: i64) -> NewIntent {
    NewIntent {
        order: OrderId(number),
        account: club(),
        amount: Cents(amount),
        draws: "1042x2".into(),
    }
}

fn code(error: GatewayError) -> String {
    match error {
        GatewayError::Refused { code, .. } => code,
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

/// The stand-in behind a real port, and how many connections and calls were ever made to it.
struct StandIn {
    sandbox: Arc<Sandbox>,
    stripe: Stripe,
    connections: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

async fn stand_in() -> StandIn {
    let sandbox = Sandbox::open(None, Options::default()).expect("the sandbox opens");
    let (connections, calls) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (served, connected, called) = (sandbox.clone(), connections.clone(), calls.clone());
    let counting = move || {
        let called = called.clone();
        App::new()
            .configure(|cfg| sandbox::configure(cfg, served.clone()))
            .wrap_fn(move |call, next| {
                called.fetch_add(1, Ordering::Relaxed);
                next.call(call)
            })
    };
    let server = HttpServer::new(counting)
        .on_connect(move |_, _| {
            connected.fetch_add(1, Ordering::Relaxed);
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .expect("a port");
    let address = server.addrs()[0];
    actix_web::rt::spawn(server.run());
    let mut settings =
        StripeSettings::new("sk_test_1", format!("http://{address}/sandbox/stripe/"));
    settings.timeout = Duration::from_secs(30);
    StandIn {
        sandbox,
        stripe: Stripe::new(&settings).expect("a gateway"),
        connections,
        calls,
    }
}

/// The words for cards differ; nothing else may.
struct Cards {
    good: &'static str,
    declined: &'static str,
    challenged: &'static str,
}

const FAKE: Cards = Cards {
    good: "pm_visa",
    declined: "pm_decline",
    challenged: "pm_3ds",
};
const REAL: Cards = Cards {
    good: "pm_card_visa",
    declined: "pm_card_chargeDeclined",
    challenged: "pm_card_authenticationRequired",
};

async fn contract(gateway: &dyn Gateway, cards: &Cards) {
    let new = order(7, 1000);
    let opened = gateway.create("create-7", &new).await.unwrap();
    assert_eq!(opened.intent.status, PaymentStatus::RequiresPaymentMethod);
    assert_eq!(
        (opened.intent.amount, opened.intent.order),
        (Cents(1000), Some(OrderId(7)))
    );
    assert_eq!(
        (opened.intent.currency.as_str(), &opened.intent.account),
        ("aud", &club())
    );
    let again = gateway.create("create-7", &new).await.unwrap();
    assert_eq!(
        (&again.id, &again.client_secret),
        (&opened.id, &opened.client_secret),
        "one key, one intent"
    );
    assert_eq!(
        code(
            gateway
                .create("create-7", &order(7, 1500))
                .await
                .unwrap_err()
        ),
        "idempotency_error"
    );

    let id = &opened.id;
    let updated = gateway
        .update("update-7", &club(), id, &order(7, 2000))
        .await
        .unwrap();
    assert_eq!(updated.intent.amount, Cents(2000));
    let found = gateway
        .find(&club(), OrderId(7), LONG_AGO)
        .await
        .unwrap()
        .expect("found by its order");
    assert_eq!(
        (&found.id, &found.client_secret),
        (id, &opened.client_secret)
    );
    assert!(
        gateway
            .find(&club(), OrderId(8), LONG_AGO)
            .await
            .unwrap()
            .is_none()
    );

    assert_eq!(
        code(
            gateway
                .capture("cap-early", &club(), id, Cents(70))
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let declined = gateway
        .confirm("confirm-7-bad", &club(), id, cards.declined)
        .await
        .unwrap_err();
    assert!(["card_declined", "generic_decline"].contains(&code(declined).as_str()));
    let said = gateway.retrieve(&club(), id).await.unwrap();
    assert_eq!(
        said.decline.map(|decline| decline.message),
        Some("Your card was declined.".into()),
        "the intent says why"
    );
    let asked = gateway
        .confirm("confirm-7-3ds", &club(), id, cards.challenged)
        .await
        .unwrap();
    assert_eq!(asked.intent.status, PaymentStatus::RequiresAction);
    let held = gateway
        .confirm("confirm-7-good", &club(), id, cards.good)
        .await
        .unwrap();
    assert_eq!(held.intent.status, PaymentStatus::RequiresCapture);
    assert_eq!(held.intent.amount_received, Cents(0));
    let late = gateway
        .update("update-7-late", &club(), id, &order(7, 500))
        .await
        .unwrap_err();
    assert_eq!(code(late), "payment_intent_unexpected_state");

    let taken = gateway
        .capture("cap-7", &club(), id, Cents(70))
        .await
        .unwrap();
    assert_eq!(
        (taken.status, taken.amount_received),
        (PaymentStatus::Succeeded, Cents(2000))
    );
    assert_eq!(
        gateway
            .capture("cap-7", &club(), id, Cents(70))
            .await
            .unwrap(),
        taken,
        "the same key, the same answer"
    );
    assert_eq!(
        code(
            gateway
                .capture("cap-7-b", &club(), id, Cents(70))
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let said = gateway.retrieve(&club(), id).await.unwrap();
    assert_eq!(
        (said.application_fee, said.provider_fee),
        (Cents(70), Some(Cents(64))),
        "1.7 % + 30 c is the provider's"
    );
    assert_eq!((said.amount_refunded, said.disputed), (Cents(0), false));

    money_back(gateway, id).await;
    endings(gateway, cards).await;
}

async fn money_back(gateway: &dyn Gateway, id: &PaymentIntentId) {
    gateway
        .refund_fee("fee-7", &club(), id, Cents(30))
        .await
        .unwrap();
    gateway
        .refund_fee("fee-7", &club(), id, Cents(30))
        .await
        .unwrap();
    gateway
        .refund("refund-7", &club(), id, Cents(2000))
        .await
        .unwrap();
    gateway
        .refund("refund-7", &club(), id, Cents(2000))
        .await
        .unwrap();
    let said = gateway.retrieve(&club(), id).await.unwrap();
    assert_eq!(
        (
            said.amount_refunded,
            said.application_fee,
            said.application_fee_refunded
        ),
        (Cents(2000), Cents(70), Cents(30))
    );
    assert_eq!(
        code(
            gateway
                .refund("refund-7-b", &club(), id, Cents(1))
                .await
                .unwrap_err()
        ),
        "charge_already_refunded"
    );
    assert!(
        gateway
            .refund_fee("fee-7-b", &club(), id, Cents(41))
            .await
            .is_err()
    );
}

async fn endings(gateway: &dyn Gateway, cards: &Cards) {
    let second = gateway.create("create-9", &order(9, 800)).await.unwrap();
    gateway
        .confirm("confirm-9", &club(), &second.id, cards.good)
        .await
        .unwrap();
    let canceled = gateway
        .cancel("cancel-9", &club(), &second.id)
        .await
        .unwrap();
    assert_eq!(canceled.status, PaymentStatus::Canceled);
    assert!(
        canceled.authorised_at.is_some(),
        "that it was authorised once is not forgotten"
    );
    assert_eq!(
        gateway
            .cancel("cancel-9", &club(), &second.id)
            .await
            .unwrap()
            .status,
        PaymentStatus::Canceled
    );
    assert_eq!(
        code(
            gateway
                .cancel("cancel-9-b", &club(), &second.id)
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let said = gateway.retrieve(&club(), &second.id).await.unwrap();
    assert_eq!(
        (said.amount_received, said.amount_refunded),
        (Cents(0), Cents(0)),
        "an authorisation is no payment"
    );
    assert!(
        gateway
            .find(&club(), OrderId(9), LONG_AGO)
            .await
            .unwrap()
            .is_none(),
        "nobody can pay it any more"
    );

    let listed = gateway.list(&club(), LONG_AGO).await.unwrap();
    assert_eq!(
        listed.iter().map(|said| said.order).collect::<Vec<_>>(),
        [Some(OrderId(9)), Some(OrderId(7))]
    );
    assert_eq!(
        listed[1].provider_fee,
        Some(Cents(64)),
        "a list tells as much as a question"
    );
    let far = Timestamp(4_102_444_800_000);
    assert!(gateway.list(&club(), far).await.unwrap().is_empty());

    let stranger = AccountId("acct_other".into());
    assert_eq!(
        code(gateway.retrieve(&stranger, &second.id).await.unwrap_err()),
        "resource_missing"
    );
    let unknown = PaymentIntentId("pi_unknown".into());
    assert_eq!(
        code(gateway.retrieve(&club(), &unknown).await.unwrap_err()),
        "resource_missing"
    );
    assert_eq!(
        code(
            gateway
                .create("create-small", &order(10, 49))
                .await
                .unwrap_err()
        ),
        "amount_too_small"
    );
}

#[actix_web::test]
async fn the_stand_in_keeps_the_contract_over_few_connections() {
    let stand_in = stand_in().await;
    contract(&stand_in.stripe, &REAL).await;
    let made = stand_in.connections.load(Ordering::Relaxed);
    assert!(made <= 2, "connections are kept: {made} were made");
}

#[actix_web::test]
async fn the_fake_keeps_the_contract() {
    contract(&FakeGateway::new(Arc::new(SystemClock)), &FAKE).await;
}

#[actix_web::test]
async fn a_list_has_more_than_one_page() {
    let stand_in = stand_in().await;
    for number in 1..=130 {
        stand_in
            .stripe
            .create(&format!("create-{number}"), &order(number, 500))
            .await
            .unwrap();
    }
    assert_eq!(
        stand_in.stripe.list(&club(), LONG_AGO).await.unwrap().len(),
        130
    );
    let called = || stand_in.calls.load(Ordering::Relaxed);
    let mut asked = called();
    for (number, pages) in [(130, 1), (1, 2)] {
        let found = stand_in
            .stripe
            .find(&club(), OrderId(number), LONG_AGO)
            .await
            .unwrap();
        assert_eq!(
            found.and_then(|opened| opened.intent.order),
            Some(OrderId(number))
        );
        assert_eq!(
            called() - asked,
            pages,
            "an order is looked for from the newest on, and no further than it is"
        );
        asked = called();
    }
}

#[actix_web::test]
async fn what_an_error_means_for_the_next_attempt() {
    let stand_in = stand_in().await;
    for (number, fault) in [
        Fault::RateLimit,
        Fault::Error500,
        Fault::TimeoutAfter,
        Fault::TimeoutBefore,
    ]
    .into_iter()
    .enumerate()
    {
        let (number, key) = (number as u128 + 1, format!("create-{number}"));
        stand_in.sandbox.fail_next("payment_intents", fault);
        let error = stand_in
            .stripe
            .create(&key, &order(number, 500))
            .await
            .unwrap_err();
        assert_eq!(
            matches!(error, GatewayError::Unavailable(_)),
            fault == Fault::RateLimit,
            "{fault:?}: {error:?}"
        );
        assert_eq!(
            error.is_remembered(),
            fault == Fault::Error500,
            "{fault:?}: {error:?}"
        );
        let silent = matches!(fault, Fault::TimeoutAfter | Fault::TimeoutBefore);
        assert_eq!(
            matches!(error, GatewayError::Unknown(_)),
            silent,
            "{fault:?}: {error:?}"
        );
        let found = stand_in
            .stripe
            .find(&club(), OrderId(number), LONG_AGO)
            .await
            .unwrap();
        assert_eq!(found.is_some(), fault == Fault::TimeoutAfter, "{fault:?}");
    }
}

/// 409 and both kinds of 429 did nothing; the same key, a while later, gives the answer (reliability.md, F26, F27).
#[actix_web::test]
async fn a_key_in_use_a_lock_and_a_full_bucket_are_asked_again_under_the_same_key() {
    let stand_in = stand_in().await;
    let (sandbox, stripe) = (&stand_in.sandbox, &stand_in.stripe);
    let unavailable = |said: GatewayError| match said {
        GatewayError::Unavailable(why) => why,
        other => panic!("nothing was done, so it is no {other:?}"),
    };
    let faults = [
        (Fault::KeyInUse, "409 Conflict idempotency_key_in_use"),
        (Fault::LockTimeout, "429 Too Many Requests lock_timeout"),
        (Fault::RateLimit, "429 Too Many Requests rate_limit"),
    ];
    for (number, (fault, words)) in faults.into_iter().enumerate() {
        let number = number as u128 + 1;
        let new = order(number, 500);
        sandbox.fail_next("payment_intents", fault);
        let refused = stripe
            .create(&format!("create-{number}"), &new)
            .await
            .unwrap_err();
        assert_eq!(unavailable(refused), words);
        assert!(
            stripe
                .find(&club(), OrderId(number), LONG_AGO)
                .await
                .unwrap()
                .is_none(),
            "{fault:?}: it did nothing"
        );
        let opened = stripe
            .create(&format!("create-{number}"), &new)
            .await
            .unwrap();
        stripe
            .confirm(&format!("confirm-{number}"), &club(), &opened.id, REAL.good)
            .await
            .unwrap();
        let key = format!("cap-{number}");
        sandbox.fail_next("/capture", fault);
        unavailable(
            stripe
                .capture(&key, &club(), &opened.id, Cents(18))
                .await
                .unwrap_err(),
        );
        let taken = stripe
            .capture(&key, &club(), &opened.id, Cents(18))
            .await
            .unwrap();
        assert_eq!(taken.amount_received, Cents(500), "{fault:?}");
        // The first had its effect and its answer was lost; while it is under way its key is in use, and then it answers.
        sandbox.fail_next("/refunds", Fault::TimeoutAfter);
        let key = format!("refund-{number}");
        let lost = stripe
            .refund(&key, &club(), &opened.id, Cents(200))
            .await
            .unwrap_err();
        assert!(matches!(lost, GatewayError::Unknown(_)), "{lost:?}");
        sandbox.fail_next("/refunds", fault);
        unavailable(
            stripe
                .refund(&key, &club(), &opened.id, Cents(200))
                .await
                .unwrap_err(),
        );
        stripe
            .refund(&key, &club(), &opened.id, Cents(200))
            .await
            .unwrap();
        let said = stripe.retrieve(&club(), &opened.id).await.unwrap();
        assert_eq!(said.amount_refunded, Cents(200), "{fault:?}: once");
    }
}

#[actix_web::test]
async fn nobody_listening_is_certainly_no_effect() {
    let stripe = Stripe::new(&StripeSettings::new("sk_test_1", "http://127.0.0.1:1")).unwrap();
    let error = stripe.create("create-1", &order(1, 500)).await.unwrap_err();
    assert!(matches!(error, GatewayError::Unavailable(_)), "{error:?}");
    assert!(
        !format!("{:?}", StripeSettings::new("sk_test_secret", "x")).contains("sk_test"),
        "secrets never print"
    );
}

#[actix_web::test]
async fn a_club_is_onboarded() {
    let stripe = stand_in().await.stripe;
    let account = stripe
        .create_account("club-1", Some("club@example.org"))
        .await
        .unwrap();
    assert_eq!(
        stripe
            .create_account("club-1", Some("club@example.org"))
            .await
            .unwrap(),
        account
    );
    assert!(
        !stripe
            .account_status(&account)
            .await
            .unwrap()
            .details_submitted
    );
    let link = stripe
        .onboarding_link(&account, "http://x.test/refresh", "http://x.test/return")
        .await
        .unwrap();
    assert!(link.contains(&account.0), "{link}");
}
