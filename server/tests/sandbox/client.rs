//! The Stripe client library that the product uses must parse every object of the sandbox.

use std::collections::HashMap;
use std::time::Duration;

use stripe::{
    AccountId, Client, ClientBuilder, IdempotencyKey, RequestStrategy, StripeError, StripeRequest,
};
use stripe_connect::account::{CreateAccount, CreateAccountType, RetrieveAccount};
use stripe_connect::account_link::{CreateAccountLink, CreateAccountLinkType};
use stripe_core::payment_intent::{
    CancelPaymentIntent, CapturePaymentIntent, ConfirmPaymentIntent, CreatePaymentIntent,
    ListPaymentIntent, RetrievePaymentIntent, UpdatePaymentIntent,
};
use stripe_core::refund::CreateRefund;
use stripe_shared::{PaymentIntent, PaymentIntentCaptureMethod, PaymentIntentStatus};
use stripe_types::{Currency, RangeQueryTs};

use crate::account::with_accounts_v1;
use crate::support::{CLUB_ACCOUNT_ID, SandboxProvider};

fn build_stripe_client(provider: &SandboxProvider) -> Client {
    // The URL has no trailing slash. The library appends `v1` without one, and the sandbox accepts
    // this.
    ClientBuilder::new("sk_test_1")
        .url(format!("{}/sandbox/stripe", provider.address))
        .timeout(Duration::from_secs(10))
        .build()
        .unwrap()
}

fn club_account() -> AccountId {
    CLUB_ACCOUNT_ID.parse().unwrap()
}

async fn create_intent(client: &Client, key: &str) -> PaymentIntent {
    CreatePaymentIntent::new(1000, Currency::AUD)
        .capture_method(PaymentIntentCaptureMethod::Manual)
        .metadata(HashMap::from([("order_id".to_owned(), "7".to_owned())]))
        .customize()
        .request_strategy(RequestStrategy::Idempotent(
            IdempotencyKey::new(key).unwrap(),
        ))
        .account_id(club_account())
        .send(client)
        .await
        .unwrap()
}

#[actix_web::test]
async fn client_library_completes_payment_and_refund() {
    let provider = SandboxProvider::start();
    let client = &build_stripe_client(&provider);
    let intent = create_intent(client, "create-7").await;
    assert_eq!(create_intent(client, "create-7").await.id, intent.id);
    let id = || intent.id.clone();
    let updated = UpdatePaymentIntent::new(id())
        .amount(2000)
        .customize()
        .account_id(club_account())
        .send(client)
        .await
        .unwrap();
    assert_eq!(
        (updated.amount, updated.client_secret.is_some()),
        (2000, true)
    );
    let confirm = |method: &str| {
        ConfirmPaymentIntent::new(id())
            .payment_method(method)
            .customize()
            .account_id(club_account())
    };
    let challenged = confirm("pm_card_authenticationRequired")
        .send(client)
        .await
        .unwrap();
    assert_eq!(challenged.status, PaymentIntentStatus::RequiresAction);
    let held = confirm("pm_card_visa").send(client).await.unwrap();
    assert_eq!(held.status, PaymentIntentStatus::RequiresCapture);
    let capture = CapturePaymentIntent::new(id())
        .application_fee_amount(70)
        .customize()
        .account_id(club_account());
    assert_eq!(
        capture.send(client).await.unwrap().status,
        PaymentIntentStatus::Succeeded
    );
    let expand = [
        "latest_charge.balance_transaction",
        "latest_charge.application_fee",
    ]
    .map(str::to_owned);
    let retrieve = RetrievePaymentIntent::new(id())
        .expand(expand)
        .customize()
        .account_id(club_account());
    let retrieved = retrieve.send(client).await.unwrap();
    let charge = retrieved
        .latest_charge
        .as_ref()
        .and_then(|charge| charge.as_object())
        .unwrap();
    let transaction = charge
        .balance_transaction
        .as_ref()
        .and_then(|row| row.as_object())
        .unwrap();
    let provider_fee = transaction
        .fee_details
        .iter()
        .find(|fee| fee.type_ == "stripe_fee")
        .unwrap();
    assert_eq!(
        (provider_fee.amount, transaction.fee, transaction.net),
        (64, 134, 1866)
    );
    let fee = charge
        .application_fee
        .as_ref()
        .and_then(|fee| fee.as_object())
        .unwrap();
    assert_eq!(fee.amount, 70);
    let refund = CreateRefund::new()
        .payment_intent(id())
        .amount(500)
        .customize()
        .account_id(club_account())
        .send(client)
        .await;
    assert_eq!(refund.unwrap().amount, 500);
}

#[actix_web::test]
async fn client_library_parses_lists_and_errors() {
    let provider = SandboxProvider::start();
    let client = &build_stripe_client(&provider);
    let intent = create_intent(client, "create-7").await;
    let list = ListPaymentIntent::new()
        .created(RangeQueryTs::gte(intent.created - 60))
        .limit(10)
        .expand(["data.latest_charge".to_owned()])
        .customize()
        .account_id(club_account());
    assert_eq!(list.send(client).await.unwrap().data[0].id, intent.id);
    let declined = ConfirmPaymentIntent::new(intent.id.clone())
        .payment_method("pm_card_chargeDeclined")
        .customize()
        .account_id(club_account())
        .send(client)
        .await;
    match declined {
        Err(StripeError::Stripe(error, 402)) => {
            assert_eq!(error.decline_code.as_deref(), Some("generic_decline"));
        }
        other => panic!("a decline was expected, not {other:?}"),
    }
    let cancel = || {
        CancelPaymentIntent::new(intent.id.clone())
            .customize()
            .account_id(club_account())
    };
    assert_eq!(
        cancel().send(client).await.unwrap().status,
        PaymentIntentStatus::Canceled
    );
    match cancel().send(client).await {
        Err(StripeError::Stripe(error, 400)) => {
            assert_eq!(
                error.payment_intent.map(|intent| intent.id),
                Some(intent.id.clone())
            );
        }
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

#[actix_web::test]
async fn client_library_parses_accounts_and_links() {
    let provider = SandboxProvider::open(None, with_accounts_v1());
    let client = &build_stripe_client(&provider);
    let account = CreateAccount::new()
        .type_(CreateAccountType::Standard)
        .country("AU")
        .email("club@demo.test");
    let account = account.send(client).await.unwrap();
    assert_eq!(account.charges_enabled, Some(false));
    let link = CreateAccountLink::new(
        account.id.as_str(),
        CreateAccountLinkType::AccountOnboarding,
    )
    .refresh_url("http://127.0.0.1/refresh")
    .return_url("http://127.0.0.1/return");
    assert!(
        link.send(client)
            .await
            .unwrap()
            .url
            .contains(account.id.as_str())
    );
    let retrieved = RetrieveAccount::new(account.id.clone())
        .send(client)
        .await
        .unwrap();
    assert_eq!(retrieved.details_submitted, Some(false));
}
