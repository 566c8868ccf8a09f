//! The payment provider Stripe, over async-stripe: direct charges on the clubs' own accounts, with
//! manual capture. No other module uses the library.
//!
//! Every write is one attempt under the given idempotency key. The caller decides about a retry.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::num::NonZeroU32;
use std::pin::pin;
use std::time::Duration;

use async_trait::async_trait;
use domain::{AccountId, Cents, OrderId, PaymentIntent, PaymentIntentId, Timestamp};
use futures_util::{Stream, TryStreamExt};
use serde_json::json;
use stripe::{IdempotencyKey, RequestStrategy, StripeRequest};
use stripe_client_core::{CustomizableStripeRequest, RequestBuilder, StripeMethod};
use stripe_connect::account::{
    CreateAccount, CreateAccountCapabilities, CreateAccountCapabilitiesCardPayments,
    CreateAccountCapabilitiesTransfers, CreateAccountController, CreateAccountControllerFees,
    CreateAccountControllerFeesPayer, CreateAccountControllerLosses,
    CreateAccountControllerLossesPayments, CreateAccountControllerStripeDashboard,
    CreateAccountControllerStripeDashboardType, RetrieveAccount,
};
use stripe_connect::account_link::{CreateAccountLink, CreateAccountLinkType};
use stripe_connect::application_fee_refund::CreateIdApplicationFeeRefund;
use stripe_core::payment_intent::{
    CancelPaymentIntent, CapturePaymentIntent, ConfirmPaymentIntent, CreatePaymentIntent,
    ListPaymentIntent, RetrievePaymentIntent, UpdatePaymentIntent,
};
use stripe_core::refund::CreateRefund;
use stripe_shared::{
    PaymentIntent as StripeIntent, PaymentIntentAllowedPaymentMethodTypes,
    PaymentIntentCaptureMethod, PaymentIntentStatus,
};
use stripe_types::{Currency, RangeQueryTs};

use super::connect::{AccountStatus, Connect};
use super::gateway::{Gateway, GatewayError, NewIntent, OpenedIntent};
use convert::{DRAWS_KEY, EXPANDED_FIELDS, ORDER_KEY};
use http::{Http, StripeHttpError};

mod convert;
mod http;
mod rate_limiter;

/// Intents per page of a list.
const PAGE_SIZE: i64 = 100;

/// How to reach Stripe.
#[derive(Clone)]
pub struct StripeSettings {
    /// The secret key, `sk_…` or `rk_…`. Never printed.
    pub secret: String,
    /// `https://api.stripe.com`, or the sandbox: `http://127.0.0.1:8080/sandbox/stripe`.
    pub base_url: String,
    /// Longest wait for an answer. Afterwards the outcome of the call is unknown.
    pub timeout: Duration,
    /// Calls per second from this process, for all accounts together. Further calls wait. `None`:
    /// unlimited, for stand-ins.
    pub calls_per_second: Option<NonZeroU32>,
}

impl fmt::Debug for StripeSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StripeSettings")
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl StripeSettings {
    pub fn new(secret: impl Into<String>, base_url: impl Into<String>) -> StripeSettings {
        let timeout = Duration::from_secs(10);
        StripeSettings {
            secret: secret.into(),
            base_url: base_url.into(),
            timeout,
            calls_per_second: None,
        }
    }

    /// Limits the rate of calls.
    pub fn rate_limited(self, calls_per_second: Option<NonZeroU32>) -> StripeSettings {
        StripeSettings {
            calls_per_second,
            ..self
        }
    }
}

/// A client of Stripe. Clones share its connections.
#[derive(Clone)]
pub struct Stripe {
    platform: Http,
}

impl Stripe {
    /// Creates a client.
    ///
    /// # Errors
    /// The secret key is not a valid header value.
    pub fn new(settings: &StripeSettings) -> Result<Stripe, String> {
        let platform = Http::new(&settings.secret, &settings.base_url, settings.timeout)?;
        Ok(Stripe {
            platform: match settings.calls_per_second {
                Some(calls) => platform.paced(calls),
                None => platform,
            },
        })
    }

    async fn retrieve_intent(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<StripeIntent, GatewayError> {
        let retrieve = RetrievePaymentIntent::new(id.0.as_str()).expand(expand());
        send(&self.platform.of(&account.0)?, &retrieve, None).await
    }
}

/// Streams an account's intents created since a time, newest first. The library's representation of
/// one takes about 15 KB, and a rush makes thousands. So only one page is in memory at a time.
fn list_intents(
    account: &Http,
    since: Timestamp,
) -> impl Stream<Item = Result<StripeIntent, GatewayError>> {
    let expand: Vec<String> = EXPANDED_FIELDS
        .iter()
        .map(|path| format!("data.{path}"))
        .collect();
    let list = ListPaymentIntent::new()
        .limit(PAGE_SIZE)
        .created(RangeQueryTs::gte(since.0 / 1000))
        .expand(expand);
    list.paginate()
        .stream(account)
        .map_err(|StripeHttpError(error)| error)
}

fn expand() -> Vec<String> {
    EXPANDED_FIELDS.map(String::from).to_vec()
}

/// Sends a request once.
async fn send<R>(http: &Http, request: &R, key: Option<&str>) -> Result<R::Output, GatewayError>
where
    R: StripeRequest,
    R::Output: miniserde::Deserialize,
{
    send_as(http, request.customize(), key).await
}

async fn send_as<T: miniserde::Deserialize>(
    http: &Http,
    mut request: CustomizableStripeRequest<T>,
    key: Option<&str>,
) -> Result<T, GatewayError> {
    if let Some(key) = key {
        let key =
            IdempotencyKey::new(key).map_err(|why| GatewayError::Unavailable(why.to_string()))?;
        request = request.request_strategy(RequestStrategy::Idempotent(key));
    }
    request
        .send(http)
        .await
        .map_err(|StripeHttpError(error)| error)
}

/// Prefix of a wallet's token, which is not a payment method yet (decision C-6).
const TOKEN_PREFIX: &str = "tok_";

/// Returns a request that confirms an intent with a token. Stripe makes a payment method of the
/// token. The library has no type for this request.
fn confirm_with_token(
    id: &PaymentIntentId,
    token: &str,
) -> CustomizableStripeRequest<StripeIntent> {
    let form = json!({
        "payment_method_data": { "type": "card", "card": { "token": token } },
        "use_stripe_sdk": true,
    });
    RequestBuilder::new(
        StripeMethod::Post,
        format!("/payment_intents/{}/confirm", id.0),
    )
    .form(&form)
    .customize()
}

fn metadata(new: &NewIntent) -> HashMap<String, String> {
    // No personal data. If a restored database lacks the order, this names its tickets (failure F45
    // of the failure catalogue).
    HashMap::from([
        (ORDER_KEY.to_owned(), new.order.to_string()),
        (DRAWS_KEY.to_owned(), new.draws.clone()),
    ])
}

#[async_trait]
impl Gateway for Stripe {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let create = CreatePaymentIntent::new(new.amount.0, Currency::AUD)
            .capture_method(PaymentIntentCaptureMethod::Manual)
            .allowed_payment_method_types(vec![PaymentIntentAllowedPaymentMethodTypes::Card])
            .metadata(metadata(new));
        convert::opened_intent(
            &new.account,
            &send(&self.platform.of(&new.account.0)?, &create, Some(key)).await?,
        )
    }

    async fn update(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        new: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        let update = UpdatePaymentIntent::new(id.0.as_str())
            .amount(new.amount.0)
            .metadata(metadata(new));
        convert::opened_intent(
            account,
            &send(&self.platform.of(&account.0)?, &update, Some(key)).await?,
        )
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        convert::payment_intent(account, &self.retrieve_intent(account, id).await?)
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        payment_method: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        let confirm = if payment_method.starts_with(TOKEN_PREFIX) {
            confirm_with_token(id, payment_method)
        } else {
            let confirm = ConfirmPaymentIntent::new(id.0.as_str()).payment_method(payment_method);
            confirm.use_stripe_sdk(true).customize()
        };
        convert::opened_intent(
            account,
            &send_as(&self.platform.of(&account.0)?, confirm, Some(key)).await?,
        )
    }

    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        let mut capture = CapturePaymentIntent::new(id.0.as_str()).expand(expand());
        if application_fee > Cents::ZERO {
            capture = capture.application_fee_amount(application_fee.0);
        }
        convert::payment_intent(
            account,
            &send(&self.platform.of(&account.0)?, &capture, Some(key)).await?,
        )
    }

    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        let cancel = CancelPaymentIntent::new(id.0.as_str()).expand(expand());
        convert::payment_intent(
            account,
            &send(&self.platform.of(&account.0)?, &cancel, Some(key)).await?,
        )
    }

    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        // The application fee is refunded separately, never in proportion (decision D-3).
        let refund = CreateRefund::new()
            .payment_intent(id.0.as_str())
            .amount(amount.0);
        send(&self.platform.of(&account.0)?, &refund, Some(key))
            .await
            .map(|_| ())
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let Some(fee) = convert::application_fee_id(&self.retrieve_intent(account, id).await?)
        else {
            let message = "no application fee was taken with this payment".into();
            return Err(GatewayError::Refused {
                code: "fee_missing".into(),
                message,
            });
        };
        // The fee belongs to the platform, so the call is not made for the account.
        let refund = CreateIdApplicationFeeRefund::new(fee).amount(amount.0);
        send(&self.platform, &refund, Some(key)).await.map(|_| ())
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        let club = self.platform.of(&account.0)?;
        list_intents(&club, since)
            .and_then(|intent| ready(convert::payment_intent(account, &intent)))
            .try_collect()
            .await
    }

    async fn find(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        let order = order.to_string();
        let club = self.platform.of(&account.0)?;
        let matching = list_intents(&club, since).try_filter(|intent| {
            ready(
                intent.metadata.get(ORDER_KEY) == Some(&order)
                    && intent.status != PaymentIntentStatus::Canceled,
            )
        });
        let found = pin!(matching).try_next().await?;
        found
            .map(|intent| convert::opened_intent(account, &intent))
            .transpose()
    }
}

#[async_trait]
impl Connect for Stripe {
    /// The account pays Stripe's fees, bears its own losses, has Stripe's full dashboard, and is
    /// onboarded by Stripe (decision C-24).
    async fn create_account(
        &self,
        key: &str,
        email: Option<&str>,
    ) -> Result<AccountId, GatewayError> {
        let mut controller = CreateAccountController::new();
        controller.fees = Some(CreateAccountControllerFees {
            payer: Some(CreateAccountControllerFeesPayer::Account),
        });
        controller.losses = Some(CreateAccountControllerLosses {
            payments: Some(CreateAccountControllerLossesPayments::Stripe),
        });
        controller.stripe_dashboard = Some(CreateAccountControllerStripeDashboard {
            type_: Some(CreateAccountControllerStripeDashboardType::Full),
        });
        let mut capabilities = CreateAccountCapabilities::new();
        capabilities.card_payments = Some(CreateAccountCapabilitiesCardPayments {
            requested: Some(true),
        });
        capabilities.transfers = Some(CreateAccountCapabilitiesTransfers {
            requested: Some(true),
        });
        let mut create = CreateAccount::new()
            .country("AU")
            .controller(controller)
            .capabilities(capabilities);
        if let Some(email) = email {
            create = create.email(email);
        }
        let account = send(&self.platform, &create, Some(key)).await?;
        Ok(AccountId(account.id.as_str().to_owned()))
    }

    async fn onboarding_link(
        &self,
        account: &AccountId,
        refresh_url: &str,
        return_url: &str,
    ) -> Result<String, GatewayError> {
        let link =
            CreateAccountLink::new(account.0.as_str(), CreateAccountLinkType::AccountOnboarding)
                .refresh_url(refresh_url)
                .return_url(return_url);
        Ok(send(&self.platform, &link, None).await?.url)
    }

    async fn account_status(&self, account: &AccountId) -> Result<AccountStatus, GatewayError> {
        let account = send(
            &self.platform,
            &RetrieveAccount::new(account.0.as_str()),
            None,
        )
        .await?;
        Ok(AccountStatus {
            charges_enabled: account.charges_enabled.unwrap_or(false),
            payouts_enabled: account.payouts_enabled.unwrap_or(false),
            details_submitted: account.details_submitted.unwrap_or(false),
        })
    }
}
