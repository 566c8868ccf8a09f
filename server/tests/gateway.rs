//! A contract test of the payment gateway. It runs against the sandbox over HTTP, and against the
//! in-memory fake that simulations use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::dev::Service;
use actix_web::{App, HttpServer};
use actors::testing::FakeGateway;
use actors::{
    AccountsApi, ConnectGateway, Gateway, GatewayError, NewIntent, Stripe, StripeSettings,
    SystemClock, WalletDomainStatus,
};
use domain::provider_error::ProviderErrorClass;
use domain::{
    AccountId, Cents, DisputeStatus, ForeignPaymentKind, OrderId, PaymentIntent, PaymentIntentId,
    PaymentStatus, PendingCause, RefundFailure, RefundStatus, Timestamp,
};
use sandbox::faults::Fault;
use sandbox::foreign_payment::ForeignPayment;
use sandbox::{self, Sandbox, SandboxOptions};

const UNIX_EPOCH_START: Timestamp = Timestamp(0);

fn club_account() -> AccountId {
    AccountId("acct_club".into())
}

fn new_intent(number: u128, amount: i64) -> NewIntent {
    NewIntent {
        order: OrderId(number),
        account: club_account(),
        amount: Cents(amount),
        draws: "1042x2".into(),
    }
}

fn refusal_code(error: GatewayError) -> String {
    match error {
        GatewayError::Refused { code, .. } => code,
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

/// A sandbox on a real port, with counters of connections and calls.
struct SandboxServer {
    sandbox: Arc<Sandbox>,
    stripe: Stripe,
    settings: StripeSettings,
    connections: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

fn sandbox_server() -> SandboxServer {
    start_sandbox_server(SandboxOptions::default(), AccountsApi::V2)
}

fn start_sandbox_server(options: SandboxOptions, accounts_api: AccountsApi) -> SandboxServer {
    let sandbox = Sandbox::open(None, options).expect("the sandbox opens");
    for account in [club_account().0.as_str(), "acct_other"] {
        sandbox.ensure_account(account, "Club").expect("no journal");
    }
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
    settings.accounts_api = accounts_api;
    SandboxServer {
        sandbox,
        stripe: Stripe::new(&settings).expect("a gateway"),
        settings,
        connections,
        calls,
    }
}

impl SandboxServer {
    /// Returns a client that knows nothing yet, as after a restart of the server.
    fn another_client(&self) -> Stripe {
        Stripe::new(&self.settings).expect("a gateway")
    }
}

/// The names of test cards, which differ between the two providers. All other inputs and results
/// must be equal.
struct TestCardNames {
    good: &'static str,
    declined: &'static str,
    challenged: &'static str,
}

const FAKE_CARDS: TestCardNames = TestCardNames {
    good: "pm_visa",
    declined: "pm_decline",
    challenged: "pm_3ds",
};
const SANDBOX_CARDS: TestCardNames = TestCardNames {
    good: "pm_card_visa",
    declined: "pm_card_chargeDeclined",
    challenged: "pm_card_authenticationRequired",
};

async fn check_gateway_contract(gateway: &dyn Gateway, cards: &TestCardNames) {
    let new = new_intent(7, 1000);
    let opened = gateway.create("create-7", &new).await.unwrap();
    assert_eq!(opened.intent.status, PaymentStatus::RequiresPaymentMethod);
    assert_eq!(
        (opened.intent.amount, opened.intent.order),
        (Cents(1000), Some(OrderId(7)))
    );
    assert_eq!(
        (opened.intent.currency.as_str(), &opened.intent.account),
        ("aud", &club_account())
    );
    let again = gateway.create("create-7", &new).await.unwrap();
    assert_eq!(
        (&again.id, &again.client_secret),
        (&opened.id, &opened.client_secret),
        "one key, one intent"
    );
    let mismatch = gateway
        .create("create-7", &new_intent(7, 1500))
        .await
        .unwrap_err();
    assert_eq!(mismatch.class(), ProviderErrorClass::IdempotencyMismatch);
    assert!(mismatch.is_stored_under_idempotency_key(), "{mismatch:?}");

    let id = &opened.id;
    let updated = gateway
        .update("update-7", &club_account(), id, &new_intent(7, 2000))
        .await
        .unwrap();
    assert_eq!(updated.intent.amount, Cents(2000));
    let found = gateway
        .find_open_intent(&club_account(), OrderId(7), UNIX_EPOCH_START)
        .await
        .unwrap()
        .expect("found by its order");
    assert_eq!(
        (&found.id, &found.client_secret),
        (id, &opened.client_secret)
    );
    assert!(
        gateway
            .find_open_intent(&club_account(), OrderId(8), UNIX_EPOCH_START)
            .await
            .unwrap()
            .is_none()
    );

    assert_eq!(
        refusal_code(
            gateway
                .capture("cap-early", &club_account(), id, Cents(70))
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let declined = gateway
        .confirm("confirm-7-bad", &club_account(), id, cards.declined)
        .await
        .unwrap_err();
    assert!(["card_declined", "generic_decline"].contains(&refusal_code(declined).as_str()));
    let intent = gateway.retrieve(&club_account(), id).await.unwrap();
    assert_eq!(
        intent.decline.map(|decline| decline.message),
        Some("Your card was declined.".into()),
        "the intent says why"
    );
    let challenged = gateway
        .confirm("confirm-7-3ds", &club_account(), id, cards.challenged)
        .await
        .unwrap();
    assert_eq!(challenged.intent.status, PaymentStatus::RequiresAction);
    let held = gateway
        .confirm("confirm-7-good", &club_account(), id, cards.good)
        .await
        .unwrap();
    assert_eq!(held.intent.status, PaymentStatus::RequiresCapture);
    assert_eq!(held.intent.amount_received, Cents(0));
    let late = gateway
        .update("update-7-late", &club_account(), id, &new_intent(7, 500))
        .await
        .unwrap_err();
    assert_eq!(refusal_code(late), "payment_intent_unexpected_state");

    let captured = gateway
        .capture("cap-7", &club_account(), id, Cents(70))
        .await
        .unwrap();
    assert_eq!(
        (captured.status, captured.amount_received),
        (PaymentStatus::Succeeded, Cents(2000))
    );
    assert_eq!(
        gateway
            .capture("cap-7", &club_account(), id, Cents(70))
            .await
            .unwrap(),
        captured,
        "the same key, the same answer"
    );
    assert_eq!(
        refusal_code(
            gateway
                .capture("cap-7-b", &club_account(), id, Cents(70))
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let intent = gateway.retrieve(&club_account(), id).await.unwrap();
    assert_eq!(
        (intent.application_fee, intent.provider_fee),
        (Cents(70), Some(Cents(64))),
        "1.7 % + 30 c is the provider's"
    );
    assert_eq!((intent.amount_refunded, intent.dispute), (Cents(0), None));

    check_refunds(gateway, id).await;
    check_cancellations(gateway, cards).await;
}

async fn check_refunds(gateway: &dyn Gateway, id: &PaymentIntentId) {
    gateway
        .refund_fee("fee-7", &club_account(), id, Cents(30))
        .await
        .unwrap();
    gateway
        .refund_fee("fee-7", &club_account(), id, Cents(30))
        .await
        .unwrap();
    gateway
        .refund("refund-7", &club_account(), id, Cents(2000))
        .await
        .unwrap();
    gateway
        .refund("refund-7", &club_account(), id, Cents(2000))
        .await
        .unwrap();
    let intent = gateway.retrieve(&club_account(), id).await.unwrap();
    assert_eq!(
        (
            intent.amount_refunded,
            intent.application_fee,
            intent.application_fee_refunded
        ),
        (Cents(2000), Cents(70), Cents(30))
    );
    assert_eq!(
        refusal_code(
            gateway
                .refund("refund-7-b", &club_account(), id, Cents(1))
                .await
                .unwrap_err()
        ),
        "charge_already_refunded"
    );
    assert!(
        gateway
            .refund_fee("fee-7-b", &club_account(), id, Cents(41))
            .await
            .is_err()
    );
}

async fn check_cancellations(gateway: &dyn Gateway, cards: &TestCardNames) {
    let second = gateway
        .create("create-9", &new_intent(9, 800))
        .await
        .unwrap();
    gateway
        .confirm("confirm-9", &club_account(), &second.id, cards.good)
        .await
        .unwrap();
    let canceled = gateway
        .cancel("cancel-9", &club_account(), &second.id)
        .await
        .unwrap();
    assert_eq!(canceled.status, PaymentStatus::Canceled);
    assert!(
        canceled.authorised_at.is_some(),
        "the authorisation time is kept"
    );
    assert_eq!(
        gateway
            .cancel("cancel-9", &club_account(), &second.id)
            .await
            .unwrap()
            .status,
        PaymentStatus::Canceled
    );
    assert_eq!(
        refusal_code(
            gateway
                .cancel("cancel-9-b", &club_account(), &second.id)
                .await
                .unwrap_err()
        ),
        "payment_intent_unexpected_state"
    );
    let intent = gateway.retrieve(&club_account(), &second.id).await.unwrap();
    assert_eq!(
        (intent.amount_received, intent.amount_refunded),
        (Cents(0), Cents(0)),
        "an authorisation is no payment"
    );
    assert!(
        gateway
            .find_open_intent(&club_account(), OrderId(9), UNIX_EPOCH_START)
            .await
            .unwrap()
            .is_none(),
        "a cancelled intent is not found"
    );

    let listed = gateway
        .list(&club_account(), UNIX_EPOCH_START)
        .await
        .unwrap();
    assert_eq!(
        listed.iter().map(|intent| intent.order).collect::<Vec<_>>(),
        [Some(OrderId(9)), Some(OrderId(7))]
    );
    assert_eq!(
        listed[1].provider_fee,
        Some(Cents(64)),
        "a list contains the same fields as a read"
    );
    let far = Timestamp(4_102_444_800_000);
    assert!(gateway.list(&club_account(), far).await.unwrap().is_empty());

    let stranger = AccountId("acct_other".into());
    assert_eq!(
        refusal_code(gateway.retrieve(&stranger, &second.id).await.unwrap_err()),
        "resource_missing"
    );
    let unknown = PaymentIntentId("pi_unknown".into());
    assert_eq!(
        refusal_code(
            gateway
                .retrieve(&club_account(), &unknown)
                .await
                .unwrap_err()
        ),
        "resource_missing"
    );
    assert_eq!(
        refusal_code(
            gateway
                .create("create-small", &new_intent(10, 49))
                .await
                .unwrap_err()
        ),
        "amount_too_small"
    );
}

#[actix_web::test]
async fn sandbox_fulfils_the_contract_over_few_connections() {
    let sandbox_server = sandbox_server();
    check_gateway_contract(&sandbox_server.stripe, &SANDBOX_CARDS).await;
    let connection_count = sandbox_server.connections.load(Ordering::Relaxed);
    assert!(
        connection_count <= 2,
        "connections are reused: {connection_count} were made"
    );
}

#[actix_web::test]
async fn fake_gateway_fulfils_the_contract() {
    check_gateway_contract(&FakeGateway::new(Arc::new(SystemClock)), &FAKE_CARDS).await;
}

#[actix_web::test]
async fn payment_list_spans_several_pages() {
    let sandbox_server = sandbox_server();
    // Three pages of payments are more than Stripe lets one second create.
    sandbox_server.sandbox.set_rate_limits(None);
    for number in 1..=130 {
        sandbox_server
            .stripe
            .create(&format!("create-{number}"), &new_intent(number, 500))
            .await
            .unwrap();
    }
    assert_eq!(
        sandbox_server
            .stripe
            .list(&club_account(), UNIX_EPOCH_START)
            .await
            .unwrap()
            .len(),
        130
    );
    let called = || sandbox_server.calls.load(Ordering::Relaxed);
    let mut calls_before = called();
    for (number, pages) in [(130, 1), (1, 2)] {
        let found = sandbox_server
            .stripe
            .find_open_intent(&club_account(), OrderId(number), UNIX_EPOCH_START)
            .await
            .unwrap();
        assert_eq!(
            found.and_then(|opened| opened.intent.order),
            Some(OrderId(number))
        );
        assert_eq!(
            called() - calls_before,
            pages,
            "an order is looked for from the newest on, and no further than it is"
        );
        calls_before = called();
    }
}

#[actix_web::test]
async fn gateway_learns_its_application_and_tells_foreign_payments() {
    let sandbox_server = sandbox_server();
    let SandboxServer {
        sandbox, stripe, ..
    } = &sandbox_server;
    let account = club_account();
    let foreign = sandbox.make_foreign_payment(&ForeignPayment {
        account: account.0.clone(),
        order_id: Some(OrderId(7).to_string()),
        ..ForeignPayment::default()
    });
    let foreign = PaymentIntentId(foreign);
    let read = stripe.retrieve(&account, &foreign).await.unwrap();
    assert_eq!(read.order, Some(OrderId(7)), "its shop uses `order_id` too");
    assert_eq!(stripe.platform_application().await.unwrap(), None);
    let opened = stripe.create("create-7", &new_intent(7, 1000)).await;
    let own = opened.expect("an intent").id;
    let platform = stripe.platform_application().await.unwrap();
    assert!(platform.is_some(), "the answer to the creation names it");
    let kind = async |id: &PaymentIntentId| {
        let intent = stripe.retrieve(&account, id).await.unwrap();
        intent.origin.foreign_kind(platform.as_ref())
    };
    assert_eq!(kind(&own).await, None);
    assert_eq!(
        kind(&foreign).await,
        Some(ForeignPaymentKind::NoApplication)
    );
    let found = stripe.find_open_intent(&account, OrderId(7), UNIX_EPOCH_START);
    assert_eq!(
        found.await.unwrap().map(|opened| opened.id),
        Some(own.clone())
    );

    stripe
        .confirm("confirm-7", &account, &own, SANDBOX_CARDS.good)
        .await
        .unwrap();
    stripe
        .capture("capture-7", &account, &own, Cents(35))
        .await
        .unwrap();
    let restarted = sandbox_server.another_client();
    assert_eq!(
        restarted.platform_application().await.unwrap(),
        platform,
        "the newest application fee names it"
    );
}

#[actix_web::test]
async fn gateway_error_tells_whether_to_retry() {
    let sandbox_server = sandbox_server();
    // The answer to the first creation tells which intents are the platform's.
    let first = new_intent(99, 500);
    let first = sandbox_server.stripe.create("create-first", &first).await;
    first.expect("an intent");
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
        sandbox_server.sandbox.fail_next("payment_intents", fault);
        let error = sandbox_server
            .stripe
            .create(&key, &new_intent(number, 500))
            .await
            .unwrap_err();
        assert_eq!(
            matches!(error, GatewayError::Unavailable { .. }),
            fault == Fault::RateLimit,
            "{fault:?}: {error:?}"
        );
        assert_eq!(
            error.is_stored_under_idempotency_key(),
            fault == Fault::Error500,
            "{fault:?}: {error:?}"
        );
        let silent = matches!(fault, Fault::TimeoutAfter | Fault::TimeoutBefore);
        assert_eq!(
            matches!(error, GatewayError::Unknown { .. }),
            silent,
            "{fault:?}: {error:?}"
        );
        let found = sandbox_server
            .stripe
            .find_open_intent(&club_account(), OrderId(number), UNIX_EPOCH_START)
            .await
            .unwrap();
        assert_eq!(found.is_some(), fault == Fault::TimeoutAfter, "{fault:?}");
    }
}

/// A 409 and both kinds of 429 mean that the request had no effect. A retry with the same
/// idempotency key succeeds (reliability.md, faults F26 and F27).
#[actix_web::test]
async fn request_refused_with_409_or_429_can_retry_with_same_key() {
    let sandbox_server = sandbox_server();
    let (sandbox, stripe) = (&sandbox_server.sandbox, &sandbox_server.stripe);
    let unavailable = |intent: GatewayError| match intent {
        GatewayError::Unavailable { why, .. } => why,
        other => panic!("nothing was done, so it is no {other:?}"),
    };
    let faults = [
        (Fault::KeyInUse, "409 Conflict idempotency_key_in_use"),
        (Fault::LockTimeout, "429 Too Many Requests lock_timeout"),
        (Fault::RateLimit, "429 Too Many Requests rate_limit"),
    ];
    for (number, (fault, words)) in faults.into_iter().enumerate() {
        let number = number as u128 + 1;
        let new = new_intent(number, 500);
        sandbox.fail_next("payment_intents", fault);
        let refused = stripe
            .create(&format!("create-{number}"), &new)
            .await
            .unwrap_err();
        assert_eq!(unavailable(refused), words);
        assert!(
            stripe
                .find_open_intent(&club_account(), OrderId(number), UNIX_EPOCH_START)
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
            .confirm(
                &format!("confirm-{number}"),
                &club_account(),
                &opened.id,
                SANDBOX_CARDS.good,
            )
            .await
            .unwrap();
        let key = format!("cap-{number}");
        sandbox.fail_next("/capture", fault);
        unavailable(
            stripe
                .capture(&key, &club_account(), &opened.id, Cents(18))
                .await
                .unwrap_err(),
        );
        let captured = stripe
            .capture(&key, &club_account(), &opened.id, Cents(18))
            .await
            .unwrap();
        assert_eq!(captured.amount_received, Cents(500), "{fault:?}");
        // The first attempt refunds the payment, but its response is lost. The second attempt gets
        // the fault under test. The third gets the saved response.
        sandbox.fail_next("/refunds", Fault::TimeoutAfter);
        let key = format!("refund-{number}");
        let lost = stripe
            .refund(&key, &club_account(), &opened.id, Cents(200))
            .await
            .unwrap_err();
        assert!(matches!(lost, GatewayError::Unknown { .. }), "{lost:?}");
        sandbox.fail_next("/refunds", fault);
        unavailable(
            stripe
                .refund(&key, &club_account(), &opened.id, Cents(200))
                .await
                .unwrap_err(),
        );
        stripe
            .refund(&key, &club_account(), &opened.id, Cents(200))
            .await
            .unwrap();
        let intent = stripe.retrieve(&club_account(), &opened.id).await.unwrap();
        assert_eq!(intent.amount_refunded, Cents(200), "{fault:?}: once");
    }
}

#[actix_web::test]
async fn refused_connection_error_means_no_effect() {
    let stripe = Stripe::new(&StripeSettings::new("sk_test_1", "http://127.0.0.1:1")).unwrap();
    let error = stripe
        .create("create-1", &new_intent(1, 500))
        .await
        .unwrap_err();
    assert!(
        matches!(error, GatewayError::Unavailable { .. }),
        "{error:?}"
    );
    assert!(
        !format!("{:?}", StripeSettings::new("sk_test_secret", "x")).contains("sk_test"),
        "secrets never print"
    );
}

async fn check_onboarding(stripe: &Stripe) {
    let create = || stripe.create_account("club-1", "club@example.org");
    let account = create().await.unwrap();
    assert_eq!(create().await.unwrap(), account);
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

/// Pays with a test card and captures. Returns the payment as the capture answers it.
async fn take_payment(stripe: &Stripe, number: u128, card: &str) -> PaymentIntent {
    let opened = stripe
        .create(&format!("create-{number}"), &new_intent(number, 2000))
        .await
        .unwrap();
    stripe
        .confirm(
            &format!("confirm-{number}"),
            &club_account(),
            &opened.id,
            card,
        )
        .await
        .unwrap();
    stripe
        .capture(
            &format!("cap-{number}"),
            &club_account(),
            &opened.id,
            Cents(70),
        )
        .await
        .unwrap()
}

#[actix_web::test]
async fn dispute_status_is_read_and_inquiry_allows_a_refund() {
    let stripe = sandbox_server().stripe;
    let disputed = take_payment(&stripe, 1, "pm_card_createDispute").await;
    assert_eq!(disputed.dispute, Some(DisputeStatus::NeedsResponse));
    let refused = stripe
        .refund("refund-1", &club_account(), &disputed.id, Cents(2000))
        .await
        .unwrap_err();
    assert_eq!(refusal_code(refused), "charge_disputed");
    let asked = take_payment(&stripe, 2, "pm_card_createDisputeInquiry").await;
    assert_eq!(asked.dispute, Some(DisputeStatus::WarningNeedsResponse));
    assert!(!asked.is_disputed());
    let refunded = stripe
        .refund("refund-2", &club_account(), &asked.id, Cents(2000))
        .await
        .unwrap();
    assert_eq!(refunded.status, RefundStatus::Succeeded);
    let listed = stripe
        .list(&club_account(), UNIX_EPOCH_START)
        .await
        .unwrap();
    let statuses: Vec<_> = listed.iter().map(|intent| intent.dispute).collect();
    assert_eq!(statuses, [asked.dispute, disputed.dispute]);
}

/// A club may have many disputed sales of its own. None of them costs a call.
#[actix_web::test]
async fn list_reads_no_dispute_of_another_applications_payment() {
    let server = sandbox_server();
    let applications = [None, Some("ca_other".to_string())];
    for application in applications.clone() {
        let foreign = server.sandbox.make_foreign_payment(&ForeignPayment {
            account: club_account().0,
            application,
            ..ForeignPayment::default()
        });
        assert!(server.sandbox.dispute(&foreign));
    }
    take_payment(&server.stripe, 1, "pm_card_createDispute").await;
    let before = server.calls.load(Ordering::Relaxed);
    let listed = server
        .stripe
        .list(&club_account(), UNIX_EPOCH_START)
        .await
        .unwrap();
    let calls = server.calls.load(Ordering::Relaxed) - before;
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|intent| intent.dispute.is_some()));
    assert_eq!(calls, 2, "one page, and the dispute of our payment");
}

#[actix_web::test]
async fn refund_status_is_read_with_the_payment() {
    let stripe = sandbox_server().stripe;
    let pending = RefundStatus::Pending(PendingCause::Processing);
    let failed = RefundStatus::Failed(RefundFailure::ExpiredOrCanceledCard);
    for (number, card, answered, read, amount_refunded) in [
        (
            1,
            "pm_card_visa",
            RefundStatus::Succeeded,
            RefundStatus::Succeeded,
            2000,
        ),
        (2, "pm_card_pendingRefund", pending, pending, 2000),
        (3, "pm_card_refundFail", RefundStatus::Succeeded, failed, 0),
    ] {
        let payment = take_payment(&stripe, number, card).await;
        assert_eq!(payment.refunds, []);
        let key = format!("refund-{number}");
        let refund = stripe
            .refund(&key, &club_account(), &payment.id, Cents(2000))
            .await
            .unwrap();
        assert_eq!(refund.status, answered, "{card}");
        let intent = stripe.retrieve(&club_account(), &payment.id).await.unwrap();
        assert_eq!(intent.refunds.len(), 1, "{card}");
        assert_eq!(
            (&intent.refunds[0].id, intent.refunds[0].status),
            (&refund.id, read),
            "{card}"
        );
        assert_eq!(intent.amount_refunded, Cents(amount_refunded), "{card}");
    }
}

#[actix_web::test]
async fn club_account_is_onboarded_by_version_2() {
    check_onboarding(&sandbox_server().stripe).await;
}

#[actix_web::test]
async fn club_account_is_onboarded_by_version_1_where_it_is_set() {
    let options = SandboxOptions {
        creates_accounts_v1: true,
        ..SandboxOptions::default()
    };
    check_onboarding(&start_sandbox_server(options, AccountsApi::V1).stripe).await;
    let refused = start_sandbox_server(SandboxOptions::default(), AccountsApi::V1)
        .stripe
        .create_account("club-1", "club@example.org")
        .await;
    assert!(
        matches!(refused, Err(GatewayError::Refused { .. })),
        "{refused:?}"
    );
}

#[actix_web::test]
async fn wallet_domain_is_registered_once_for_an_account() {
    let server = sandbox_server();
    let register = async |host: &str| {
        server
            .stripe
            .register_wallet_domain(&club_account(), host)
            .await
    };
    for calls in [2, 3] {
        assert_eq!(
            register("doubles.example.com").await,
            Ok(WalletDomainStatus::Active)
        );
        assert_eq!(
            server.calls.load(Ordering::Relaxed),
            calls,
            "the second time it is only looked up"
        );
    }
    let inactive = WalletDomainStatus::Inactive {
        reason: "Apple Pay: The domain could not be reached to verify it.".into(),
    };
    for _ in 0..2 {
        assert_eq!(
            register("shop.unreachable.test").await,
            Ok(inactive.clone())
        );
    }
    let refused = register("localhost").await.unwrap_err();
    assert!(
        matches!(refused, GatewayError::Refused { .. }),
        "{refused:?}"
    );
}
