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
use domain::provider_error::ProviderErrorClass;
use domain::{
    AccountId, ApplicationId, Cents, Decline, DisputeStatus, DrawId, OrderId, PaymentIntent,
    PaymentIntentId, PaymentOrigin, PaymentStatus, ProviderRefund, RefundStatus, Timestamp,
};
use futures_util::{Stream, TryStreamExt};
use serde_json::json;
use stripe::{IdempotencyKey, RequestStrategy, StripeRequest};
use stripe_client_core::{CustomizableStripeRequest, RequestBuilder, StripeMethod};
use stripe_connect::application_fee::ListApplicationFee;
use stripe_connect::application_fee_refund::CreateIdApplicationFeeRefund;
use stripe_core::payment_intent::{
    CancelPaymentIntent, CapturePaymentIntent, ConfirmPaymentIntent, CreatePaymentIntent,
    ListPaymentIntent, RetrievePaymentIntent, UpdatePaymentIntent,
};
use stripe_core::refund::CreateRefund;
use stripe_shared::{
    ApiErrors, ApplicationFeeId, Charge, PaymentIntent as StripeIntent,
    PaymentIntentAllowedPaymentMethodTypes, PaymentIntentCaptureMethod, PaymentIntentStatus,
    PaymentMethod, PaymentMethodId, Refund,
};
use stripe_types::{Currency, RangeQueryTs};
use uuid::Uuid;

use super::gateway::{Gateway, GatewayError, NewIntent, OpenedIntent, PaymentSource};
use http::{StripeHttpClient, StripeHttpError};
use platform_application::PlatformApplication;

pub use connected_accounts::AccountsApi;

mod connected_accounts;
mod http;
pub mod inspection;
mod platform_application;
mod rate_limiter;

pub use rate_limiter::StripeRateLimits;

/// The version of Stripe's API that this program speaks: that of async-stripe's types, of the webhook
/// endpoints, and of the release of Stripe.js that the pages load.
pub const STRIPE_API_VERSION: &str = "2026-09-30.endive";

/// Number of payment intents in one page of a list.
const INTENTS_PER_PAGE: i64 = 100;
/// Fields of a payment intent that Stripe returns as full objects, so that one call returns
/// everything.
const EXPANDED_FIELDS: [&str; 3] = [
    "latest_charge.balance_transaction",
    "latest_charge.application_fee",
    "latest_charge.refunds",
];
/// Number of disputes of one payment that are read. A payment rarely has more than one.
const DISPUTES_READ_MAX: u32 = 10;
/// Metadata field of a payment intent that contains the order id. Its name must not be one that a
/// club's other systems use, so it names this product (decision M-10).
pub const ORDER_METADATA_KEY: &str = "football_doubles_order";
/// Metadata field of a payment intent that contains the draws and ticket counts.
pub const DRAWS_METADATA_KEY: &str = "football_doubles_draws";
/// Metadata field of a payment intent that contains the version of the metadata.
const VERSION_METADATA_KEY: &str = "football_doubles_version";
/// The version of the metadata that this program writes. It changes only when the meaning of a
/// field changes: a retry under the same idempotency key must send the same metadata.
const METADATA_VERSION: &str = "1";
/// Metadata fields of intents that earlier versions created. Other systems use these common names
/// too, so they count only for an intent whose id an order has.
const EARLIER_ORDER_METADATA_KEY: &str = "order_id";
const EARLIER_DRAWS_METADATA_KEY: &str = "draws";

/// The address, credentials and limits for calls to Stripe.
#[derive(Clone)]
pub struct StripeSettings {
    /// The secret key, `sk_…` or `rk_…`. Never printed.
    pub secret: String,
    /// `https://api.stripe.com`, or the sandbox: `http://127.0.0.1:8080/sandbox/stripe`.
    pub base_url: String,
    /// Longest wait for an answer. Afterwards it is unknown whether the call had an effect.
    pub timeout: Duration,
    /// Limits of the calls from this process. Calls beyond a limit wait. `None`: unlimited, for test
    /// servers.
    pub rate_limits: Option<StripeRateLimits>,
    pub accounts_api: AccountsApi,
    /// The page to which a bank returns the buyer after a redirect. Needed to confirm a payment
    /// with a confirmation token.
    pub return_url: Option<String>,
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
            rate_limits: None,
            accounts_api: AccountsApi::default(),
            return_url: None,
        }
    }

    /// Sets the page to which a bank returns the buyer.
    #[must_use]
    pub fn returning_to(self, return_url: impl Into<String>) -> StripeSettings {
        StripeSettings {
            return_url: Some(return_url.into()),
            ..self
        }
    }

    /// Sets the limit of all calls per second, and in proportion that of one endpoint. `None`:
    /// unlimited.
    #[must_use]
    pub fn rate_limited(self, calls_per_second: Option<NonZeroU32>) -> StripeSettings {
        let is_live = self.secret.contains("_live_");
        StripeSettings {
            rate_limits: calls_per_second
                .map(|calls| StripeRateLimits::in_proportion(calls, is_live)),
            ..self
        }
    }
}

/// A client of Stripe. Clones share its connections.
#[derive(Clone)]
pub struct Stripe {
    platform: StripeHttpClient,
    accounts_api: AccountsApi,
    application: PlatformApplication,
    return_url: Option<String>,
}

impl Stripe {
    /// Creates a client.
    ///
    /// # Errors
    /// The secret key is not a valid header value.
    pub fn new(settings: &StripeSettings) -> Result<Stripe, String> {
        let platform =
            StripeHttpClient::new(&settings.secret, &settings.base_url, settings.timeout)?;
        Ok(Stripe {
            application: PlatformApplication::default(),
            platform: match settings.rate_limits {
                Some(limits) => platform.with_rate_limits(limits),
                None => platform,
            },
            accounts_api: settings.accounts_api,
            return_url: settings.return_url.clone(),
        })
    }

    async fn retrieve_intent(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<StripeIntent, GatewayError> {
        let retrieve = RetrievePaymentIntent::new(id.0.as_str()).expand(expanded_fields());
        send(&self.platform.for_account(&account.0)?, &retrieve, None).await
    }
}

/// A list of disputes. Only the used field is read: async-stripe's type lacks newer statuses.
#[derive(miniserde::Deserialize)]
struct DisputeList {
    data: Vec<ListedDispute>,
}

#[derive(miniserde::Deserialize)]
struct ListedDispute {
    status: String,
}

/// Reads the status of a payment's dispute. A payment intent says only that its charge was disputed
/// at some time, even after the club has won.
async fn with_dispute(
    account: &StripeHttpClient,
    intent: PaymentIntent,
) -> Result<PaymentIntent, GatewayError> {
    if intent.dispute.is_none() {
        return Ok(intent);
    }
    let query = json!({ "payment_intent": intent.id.0, "limit": DISPUTES_READ_MAX });
    let request: CustomizableStripeRequest<DisputeList> =
        RequestBuilder::new(StripeMethod::Get, "/disputes")
            .query(&query)
            .customize();
    let disputes = send_customized_request(account, request, None).await?;
    let statuses = || {
        disputes
            .data
            .iter()
            .map(|dispute| DisputeStatus::from_name(&dispute.status))
    };
    // The newest dispute is first. One that holds the money counts more than a newer one.
    let status = statuses()
        .find(|status| status.holds_money())
        .or_else(|| statuses().next());
    Ok(PaymentIntent {
        dispute: status.or(intent.dispute),
        ..intent
    })
}

/// Streams the intents of an account that were created since a time, newest first. Only one page is
/// in memory at a time: an intent takes about 15 KB in async-stripe's representation, and busy
/// minutes create thousands.
fn list_intents(
    account: &StripeHttpClient,
    since: Timestamp,
) -> impl Stream<Item = Result<StripeIntent, GatewayError>> {
    let expand: Vec<String> = EXPANDED_FIELDS
        .iter()
        .map(|path| format!("data.{path}"))
        .collect();
    let list = ListPaymentIntent::new()
        .limit(INTENTS_PER_PAGE)
        .created(RangeQueryTs::gte(since.0 / 1000))
        .expand(expand);
    list.paginate()
        .stream(account)
        .map_err(|StripeHttpError(error)| error)
}

fn expanded_fields() -> Vec<String> {
    EXPANDED_FIELDS.map(String::from).to_vec()
}

/// Sends a request once, without a retry.
async fn send<R>(
    http: &StripeHttpClient,
    request: &R,
    key: Option<&str>,
) -> Result<R::Output, GatewayError>
where
    R: StripeRequest,
    R::Output: miniserde::Deserialize,
{
    send_customized_request(http, request.customize(), key).await
}

async fn send_customized_request<T: miniserde::Deserialize>(
    http: &StripeHttpClient,
    mut request: CustomizableStripeRequest<T>,
    key: Option<&str>,
) -> Result<T, GatewayError> {
    if let Some(key) = key {
        let key =
            IdempotencyKey::new(key).map_err(|why| GatewayError::unavailable(why.to_string()))?;
        request = request.request_strategy(RequestStrategy::Idempotent(key));
    }
    request
        .send(http)
        .await
        .map_err(|StripeHttpError(error)| error)
}

/// Makes a payment method from a card token. The request's type is in a crate of async-stripe that
/// is otherwise not needed.
async fn create_payment_method(
    http: &StripeHttpClient,
    key: &str,
    token: &str,
) -> Result<PaymentMethodId, GatewayError> {
    let form = json!({ "type": "card", "card": { "token": token } });
    let create: CustomizableStripeRequest<PaymentMethod> =
        RequestBuilder::new(StripeMethod::Post, "/payment_methods")
            .form(&form)
            .customize();
    let method = send_customized_request(http, create, Some(&format!("{key}-method"))).await?;
    Ok(method.id)
}

fn intent_metadata(new: &NewIntent) -> HashMap<String, String> {
    // The metadata has no personal data. If a restored database lacks the order, the metadata names
    // its tickets (failure F45 of the failure catalogue).
    HashMap::from([
        (ORDER_METADATA_KEY.to_owned(), new.order.to_string()),
        (DRAWS_METADATA_KEY.to_owned(), new.draws.clone()),
        (VERSION_METADATA_KEY.to_owned(), METADATA_VERSION.to_owned()),
    ])
}

#[async_trait]
impl Gateway for Stripe {
    async fn create(&self, key: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let create = CreatePaymentIntent::new(new.amount.0, Currency::AUD)
            .capture_method(PaymentIntentCaptureMethod::Manual)
            .allowed_payment_method_types(vec![PaymentIntentAllowedPaymentMethodTypes::Card])
            .metadata(intent_metadata(new));
        let created = send(
            &self.platform.for_account(&new.account.0)?,
            &create,
            Some(key),
        )
        .await?;
        self.application.learn(application_of_intent(&created));
        opened_intent(&new.account, &created)
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
            .metadata(intent_metadata(new));
        opened_intent(
            account,
            &send(&self.platform.for_account(&account.0)?, &update, Some(key)).await?,
        )
    }

    async fn retrieve(
        &self,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        let intent = convert_payment_intent(account, &self.retrieve_intent(account, id).await?)?;
        with_dispute(&self.platform.for_account(&account.0)?, intent).await
    }

    async fn confirm(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        source: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        let http = self.platform.for_account(&account.0)?;
        let confirm = ConfirmPaymentIntent::new(id.0.as_str()).use_stripe_sdk(true);
        let mut confirm = match PaymentSource::of_id(source) {
            PaymentSource::ConfirmationToken(token) => confirm.confirmation_token(token),
            PaymentSource::PaymentMethod(method) => confirm.payment_method(method),
            PaymentSource::CardToken(token) => {
                confirm.payment_method(create_payment_method(&http, key, token).await?.as_str())
            }
        };
        if let Some(return_url) = &self.return_url {
            confirm = confirm.return_url(return_url);
        }
        opened_intent(account, &send(&http, &confirm, Some(key)).await?)
    }

    async fn capture(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        application_fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        let mut capture = CapturePaymentIntent::new(id.0.as_str()).expand(expanded_fields());
        if application_fee > Cents::ZERO {
            capture = capture.application_fee_amount(application_fee.0);
        }
        let club = self.platform.for_account(&account.0)?;
        let captured = send(&club, &capture, Some(key)).await?;
        let intent = convert_payment_intent(account, &captured)?;
        // The capture is done. Without an answer about the dispute, it counts as open.
        Ok(with_dispute(&club, intent.clone()).await.unwrap_or(intent))
    }

    async fn cancel(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        let cancel = CancelPaymentIntent::new(id.0.as_str()).expand(expanded_fields());
        convert_payment_intent(
            account,
            &send(&self.platform.for_account(&account.0)?, &cancel, Some(key)).await?,
        )
    }

    async fn refund(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<ProviderRefund, GatewayError> {
        // The refund does not include the application fee: it is refunded separately, because its
        // refund is not proportional (decision D-3).
        let refund = CreateRefund::new()
            .payment_intent(id.0.as_str())
            .amount(amount.0);
        let refund = send(&self.platform.for_account(&account.0)?, &refund, Some(key)).await?;
        convert_refund(&refund)
    }

    async fn refund_fee(
        &self,
        key: &str,
        account: &AccountId,
        id: &PaymentIntentId,
        amount: Cents,
    ) -> Result<(), GatewayError> {
        let Some(fee) = application_fee_id(&self.retrieve_intent(account, id).await?) else {
            let message = "no application fee was taken with this payment".into();
            return Err(GatewayError::Refused {
                class: ProviderErrorClass::InvalidRequest,
                code: "fee_missing".into(),
                message,
            });
        };
        // The application fee belongs to the platform, so the call is made for the platform's
        // account.
        let refund = CreateIdApplicationFeeRefund::new(fee).amount(amount.0);
        send(&self.platform, &refund, Some(key)).await.map(|_| ())
    }

    async fn list(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<PaymentIntent>, GatewayError> {
        let club = self.platform.for_account(&account.0)?;
        let platform = self.application.known();
        // The club's own sales and those of other platforms are never acted on, so their disputes
        // are not read.
        let is_other_sale = |intent: &PaymentIntent| {
            let kind = intent.origin.foreign_kind(platform.as_ref());
            kind.is_some_and(|kind| !kind.can_have_order())
        };
        list_intents(&club, since)
            .and_then(async |intent| {
                let intent = convert_payment_intent(account, &intent)?;
                if is_other_sale(&intent) {
                    return Ok(intent);
                }
                with_dispute(&club, intent).await
            })
            .try_collect()
            .await
    }

    async fn find_open_intent(
        &self,
        account: &AccountId,
        order: OrderId,
        since: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        // Without the platform's application an intent of the club cannot be told from the
        // platform's. A retry of the creation then returns the intent.
        let Some(platform) = self.platform_application().await? else {
            return Ok(None);
        };
        let order = order.to_string();
        let club = self.platform.for_account(&account.0)?;
        let matching = list_intents(&club, since).try_filter(|intent| {
            ready(
                intent.metadata.get(ORDER_METADATA_KEY) == Some(&order)
                    && application_of_intent(intent).as_ref() == Some(&platform)
                    && intent.status != PaymentIntentStatus::Canceled,
            )
        });
        let found = pin!(matching).try_next().await?;
        found
            .map(|intent| opened_intent(account, &intent))
            .transpose()
    }

    /// Stripe has no call that returns the platform's application. It names the application in the
    /// answer to every creation of an intent, and in every application fee.
    async fn platform_application(&self) -> Result<Option<ApplicationId>, GatewayError> {
        if let Some(known) = self.application.known() {
            return Ok(Some(known));
        }
        if !self.application.may_ask_stripe() {
            return Ok(None);
        }
        let newest_fee = ListApplicationFee::new().limit(1);
        let fees = send(&self.platform, &newest_fee, None).await?;
        let earned_by = fees.data.first().map(|fee| fee.application.id());
        self.application
            .learn(earned_by.map(|id| ApplicationId(id.as_str().to_owned())));
        Ok(self.application.known())
    }
}

/// Returns the application that created an intent. `None`: the account's owner created it.
fn application_of_intent(intent: &StripeIntent) -> Option<ApplicationId> {
    let application = intent.application.as_ref()?;
    Some(ApplicationId(application.id().as_str().to_owned()))
}

/// Returns the value of a metadata field, or of the field that earlier versions wrote instead.
fn metadata_value<'a>(intent: &'a StripeIntent, key: &str, earlier: &str) -> Option<&'a String> {
    intent
        .metadata
        .get(key)
        .or_else(|| intent.metadata.get(earlier))
}

/// Converts Stripe's representation of a payment intent of this account.
fn convert_payment_intent(
    account: &AccountId,
    intent: &StripeIntent,
) -> Result<PaymentIntent, GatewayError> {
    let charge = latest_charge(intent);
    let fee = charge
        .and_then(|charge| charge.application_fee.as_ref())
        .and_then(|fee| fee.as_object());
    let application_fee = fee
        .map(|fee| fee.amount)
        .or_else(|| charge.and_then(|charge| charge.application_fee_amount));
    let refunds = charge.map(convert_refunds).transpose()?.unwrap_or_default();
    Ok(PaymentIntent {
        id: PaymentIntentId(intent.id.as_str().to_owned()),
        account: account.clone(),
        status: payment_status(&intent.status)?,
        amount: Cents(intent.amount),
        amount_received: Cents(intent.amount_received),
        amount_refunded: charge.map_or(Cents::ZERO, |charge| {
            amount_refunded(intent, charge, &refunds)
        }),
        refunds,
        application_fee: application_fee.map_or(Cents::ZERO, Cents),
        application_fee_refunded: fee.map_or(Cents::ZERO, |fee| Cents(fee.amount_refunded)),
        currency: intent.currency.to_string(),
        origin: PaymentOrigin {
            application: application_of_intent(intent),
            has_order_key: intent.metadata.contains_key(ORDER_METADATA_KEY),
        },
        order: metadata_value(intent, ORDER_METADATA_KEY, EARLIER_ORDER_METADATA_KEY)
            .and_then(|order| parse_order_id(order)),
        provider_fee: charge.and_then(provider_fee),
        // Read separately by `with_dispute`. An unread dispute counts as open.
        dispute: charge
            .is_some_and(|charge| charge.disputed)
            .then_some(DisputeStatus::Unknown),
        // Confirming an intent creates a charge. A failed charge authorised nothing.
        authorised_at: charge
            .filter(|charge| charge.paid)
            .map(|charge| Timestamp(charge.created * 1000)),
        draws: metadata_value(intent, DRAWS_METADATA_KEY, EARLIER_DRAWS_METADATA_KEY)
            .map(|draws| parse_draws(draws))
            .unwrap_or_default(),
        method: charge.and_then(payment_method_type),
        decline: intent.last_payment_error.as_deref().map(decline_of_error),
    })
}

/// Returns the amount that was refunded, without refunds that failed. `refunds`: the refunds that the
/// charge lists.
fn amount_refunded(intent: &StripeIntent, charge: &Charge, refunds: &[ProviderRefund]) -> Cents {
    // Stripe reports a cancelled authorisation as a refund, although no money was taken.
    let reported = Cents(charge.amount_refunded.min(intent.amount_received));
    // The list holds the ten newest refunds. If there are more, only the charge knows the sum.
    if charge.refunds.as_ref().is_none_or(|list| list.has_more) {
        return reported;
    }
    let live = refunds
        .iter()
        .filter(|refund| refund.status.failure().is_none());
    reported.min(Cents(live.map(|refund| refund.amount.0).sum()))
}

/// Converts the refunds of a charge, newest first.
fn convert_refunds(charge: &Charge) -> Result<Vec<ProviderRefund>, GatewayError> {
    let refunds = charge.refunds.iter().flat_map(|list| &list.data);
    // A cancelled authorisation has a refund too, although no money was taken.
    refunds
        .filter(|_| charge.captured)
        .map(convert_refund)
        .collect()
}

fn convert_refund(refund: &Refund) -> Result<ProviderRefund, GatewayError> {
    let name = refund.status.as_deref().unwrap_or_default();
    let status = RefundStatus::from_names(
        name,
        refund
            .pending_reason
            .as_ref()
            .map(stripe_shared::RefundPendingReason::as_str),
        refund.failure_reason.as_deref(),
    );
    Ok(ProviderRefund {
        id: refund.id.as_str().to_owned(),
        amount: Cents(refund.amount),
        status: status
            .ok_or_else(|| GatewayError::unknown(format!("an unknown refund status: {name}")))?,
    })
}

/// Returns the type of the payment method: the wallet's type for a card in a wallet, otherwise
/// Stripe's type. `None`: it is unknown.
fn payment_method_type(charge: &Charge) -> Option<String> {
    let details = charge.payment_method_details.as_ref()?;
    let wallet = details.card.as_ref().and_then(|card| card.wallet.as_ref());
    Some(wallet.map_or_else(|| details.type_.clone(), |wallet| wallet.type_.to_string()))
}

/// Parses draws and ticket counts, for example `1042x3,1043x2`. Parts that cannot be parsed are
/// skipped.
fn parse_draws(text: &str) -> Vec<(DrawId, u16)> {
    let line = |part: &str| {
        let (draw, count) = part.split_once('x')?;
        Some((DrawId(draw.parse().ok()?), count.parse().ok()?))
    };
    text.split(',').filter_map(line).collect()
}

fn decline_of_error(error: &ApiErrors) -> Decline {
    let code = error
        .code
        .as_ref()
        .map_or_else(|| error.type_.to_string(), ToString::to_string);
    let payment_method = error
        .payment_method
        .as_ref()
        .map(|method| method.id.as_str().to_owned());
    Decline {
        message: error.message.clone().unwrap_or_else(|| code.clone()),
        code,
        payment_method,
    }
}

/// Converts a payment intent together with its client secret. A missing secret becomes an empty
/// text.
fn opened_intent(account: &AccountId, intent: &StripeIntent) -> Result<OpenedIntent, GatewayError> {
    let converted = convert_payment_intent(account, intent)?;
    let client_secret = intent.client_secret.clone().unwrap_or_default();
    Ok(OpenedIntent {
        id: converted.id.clone(),
        client_secret,
        intent: converted,
    })
}

/// Returns the id of the platform's application fee of a captured intent.
fn application_fee_id(intent: &StripeIntent) -> Option<ApplicationFeeId> {
    latest_charge(intent)?
        .application_fee
        .as_ref()
        .map(|fee| fee.id().clone())
}

fn latest_charge(intent: &StripeIntent) -> Option<&Charge> {
    intent.latest_charge.as_ref()?.as_object()
}

/// Returns Stripe's own fee. The balance transaction of a direct charge also lists the platform's
/// application fee, which is not counted here.
fn provider_fee(charge: &Charge) -> Option<Cents> {
    let transaction = charge.balance_transaction.as_ref()?.as_object()?;
    let provider_fees = transaction
        .fee_details
        .iter()
        .filter(|fee| fee.type_ != "application_fee");
    Some(provider_fees.map(|fee| Cents(fee.amount)).sum())
}

fn payment_status(stripe_status: &PaymentIntentStatus) -> Result<PaymentStatus, GatewayError> {
    Ok(match stripe_status {
        PaymentIntentStatus::RequiresPaymentMethod => PaymentStatus::RequiresPaymentMethod,
        PaymentIntentStatus::RequiresConfirmation => PaymentStatus::RequiresConfirmation,
        PaymentIntentStatus::RequiresAction => PaymentStatus::RequiresAction,
        PaymentIntentStatus::Processing => PaymentStatus::Processing,
        PaymentIntentStatus::RequiresCapture => PaymentStatus::RequiresCapture,
        PaymentIntentStatus::Succeeded => PaymentStatus::Succeeded,
        PaymentIntentStatus::Canceled => PaymentStatus::Canceled,
        other => return Err(GatewayError::unknown(format!("an unknown status: {other}"))),
    })
}

fn parse_order_id(text: &str) -> Option<OrderId> {
    Uuid::parse_str(text).ok().map(|id| OrderId(id.as_u128()))
}

#[cfg(test)]
mod tests {
    use stripe_client_core::VERSION;

    use super::STRIPE_API_VERSION;

    /// The version is sent with each call. Webhook endpoints and Stripe.js must have the same.
    #[test]
    fn library_speaks_the_pinned_version() {
        assert_eq!(VERSION.as_str(), STRIPE_API_VERSION);
    }
}
