//! The classes of the payment provider's errors. Each class has words for the buyer, the club and
//! the operator, and says how the code repairs it.
//!
//! Sources: Stripe's documentation of errors (`api/errors`), of decline codes (`declines/codes`),
//! and the mapping of status codes in Stripe's own client libraries.

/// Error code of a request that does not fit the intent's state: the intent was confirmed, captured
/// or cancelled before.
pub const UNEXPECTED_INTENT_STATE_CODE: &str = "payment_intent_unexpected_state";

/// Error code of a refund that the account's balance does not cover. The refund succeeds once money
/// arrives, which may take days.
pub const LOW_BALANCE_CODE: &str = "balance_insufficient";

/// Error code of a refund of a disputed payment.
pub const PAYMENT_DISPUTED_CODE: &str = "charge_disputed";

/// Why a card was declined, as far as the buyer may know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclineGroup {
    /// The bank gives no reason, or the reason must not be told: a lost or stolen card, or a
    /// suspicion of fraud.
    Unexplained,
    InsufficientFunds,
    /// The card has expired.
    Expired,
    /// The number, security code, expiry date, PIN or postcode is wrong.
    WrongDetails,
    /// The card cannot be used for this kind of purchase, amount or currency.
    NotSupported,
    /// The card's account is closed, blocked or replaced.
    Blocked,
    /// The bank could not be reached, or asks for another attempt.
    TryAgain,
    /// The same amount was charged to the card a moment ago.
    Duplicate,
    /// A test card in live mode, or a real card in test mode.
    TestMode,
}

impl DeclineGroup {
    pub const ALL: [DeclineGroup; 9] = [
        DeclineGroup::Unexplained,
        DeclineGroup::InsufficientFunds,
        DeclineGroup::Expired,
        DeclineGroup::WrongDetails,
        DeclineGroup::NotSupported,
        DeclineGroup::Blocked,
        DeclineGroup::TryAgain,
        DeclineGroup::Duplicate,
        DeclineGroup::TestMode,
    ];
}

/// A class of errors of the payment provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderErrorClass {
    CardDeclined(DeclineGroup),
    /// The bank demands that the buyer authenticates, for example by 3-D Secure.
    AuthenticationRequired,
    /// The card network failed while it processed the card.
    ProcessingError,
    /// Too many calls, or another call uses the object or the idempotency key.
    RateLimit,
    /// An idempotency key was used for another request. An error in our code.
    IdempotencyMismatch,
    /// The object is in a state that forbids the request, because another request changed it.
    UnexpectedState,
    /// The request is wrong. An error in our code.
    InvalidRequest,
    /// Our secret key is wrong, expired, or lacks a permission.
    KeyProblem,
    /// The club's account may not do this: not connected, restricted, or a capability is missing.
    AccountProblem,
    /// The club's balance does not cover a refund.
    LowBalance,
    /// The payment is disputed, so it cannot be refunded.
    PaymentDisputed,
    /// The provider failed while it executed the request.
    ProviderFailure,
    /// No answer, or no connection.
    Network,
}

/// What the code does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorRepair {
    /// Nothing is charged. The order stays open, and the buyer may try another card.
    AskBuyerForCard,
    /// Nothing is charged. The buyer authenticates and pays again.
    AskBuyerToAuthenticate,
    /// The same request is repeated under its idempotency key, after a growing delay.
    RepeatRequest,
    /// The payment is read. If the request had no effect, it is repeated under a new key.
    ReadThenRepeat,
    /// The payment is read, and its state decides what comes next.
    ReadPayment,
    /// The request is repeated for days with a growing delay. An anomaly names it until it
    /// succeeds.
    WaitForMoney,
    /// The request ends. An anomaly asks the operator to decide.
    AskOperator,
    /// The club's account is not offered for new payments until the provider reports it ready.
    StopAccount,
}

/// The words for an error, and its repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorGuide {
    /// For the buyer: whether money moved, and what to do.
    pub buyer: &'static str,
    /// For the club.
    pub club: &'static str,
    /// For the operator.
    pub operator: &'static str,
    pub repair: ErrorRepair,
}

/// Stripe's decline codes of card payments with their groups.
pub const DECLINE_CODES: [(&str, DeclineGroup); 47] = [
    ("approve_with_id", DeclineGroup::TryAgain),
    ("call_issuer", DeclineGroup::Unexplained),
    ("card_not_supported", DeclineGroup::NotSupported),
    ("card_velocity_exceeded", DeclineGroup::InsufficientFunds),
    ("currency_not_supported", DeclineGroup::NotSupported),
    ("do_not_honor", DeclineGroup::Unexplained),
    ("do_not_try_again", DeclineGroup::Unexplained),
    ("duplicate_transaction", DeclineGroup::Duplicate),
    ("expired_card", DeclineGroup::Expired),
    ("fraudulent", DeclineGroup::Unexplained),
    ("generic_decline", DeclineGroup::Unexplained),
    ("incorrect_address", DeclineGroup::WrongDetails),
    ("incorrect_cvc", DeclineGroup::WrongDetails),
    ("incorrect_number", DeclineGroup::WrongDetails),
    ("incorrect_pin", DeclineGroup::WrongDetails),
    ("incorrect_zip", DeclineGroup::WrongDetails),
    ("insufficient_funds", DeclineGroup::InsufficientFunds),
    ("invalid_account", DeclineGroup::Blocked),
    ("invalid_amount", DeclineGroup::NotSupported),
    ("invalid_cvc", DeclineGroup::WrongDetails),
    ("invalid_expiry_month", DeclineGroup::WrongDetails),
    ("invalid_expiry_year", DeclineGroup::WrongDetails),
    ("invalid_number", DeclineGroup::WrongDetails),
    ("invalid_pin", DeclineGroup::WrongDetails),
    ("issuer_not_available", DeclineGroup::TryAgain),
    ("lost_card", DeclineGroup::Unexplained),
    ("merchant_blacklist", DeclineGroup::Unexplained),
    ("new_account_information_available", DeclineGroup::Blocked),
    ("no_action_taken", DeclineGroup::Unexplained),
    ("not_permitted", DeclineGroup::NotSupported),
    ("offline_pin_required", DeclineGroup::NotSupported),
    ("online_or_offline_pin_required", DeclineGroup::NotSupported),
    ("pickup_card", DeclineGroup::Unexplained),
    ("pin_try_exceeded", DeclineGroup::Blocked),
    ("reenter_transaction", DeclineGroup::TryAgain),
    ("restricted_card", DeclineGroup::Unexplained),
    (
        "revocation_of_all_authorizations",
        DeclineGroup::Unexplained,
    ),
    ("revocation_of_authorization", DeclineGroup::Unexplained),
    ("security_violation", DeclineGroup::Unexplained),
    ("service_not_allowed", DeclineGroup::NotSupported),
    ("stolen_card", DeclineGroup::Unexplained),
    ("stop_payment_order", DeclineGroup::Unexplained),
    ("test_mode_live_card", DeclineGroup::TestMode),
    ("testmode_decline", DeclineGroup::TestMode),
    ("transaction_not_allowed", DeclineGroup::NotSupported),
    ("try_again_later", DeclineGroup::TryAgain),
    (
        "withdrawal_count_limit_exceeded",
        DeclineGroup::InsufficientFunds,
    ),
];

/// An error answer of the provider: the HTTP status and the fields of its body.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProviderErrorFields<'a> {
    pub status: u16,
    /// `type`: `card_error`, `invalid_request_error`, `idempotency_error` or `api_error`.
    pub kind: Option<&'a str>,
    pub code: Option<&'a str>,
    pub decline_code: Option<&'a str>,
}

impl ProviderErrorClass {
    /// Classifies an error answer.
    pub fn from_fields(fields: &ProviderErrorFields<'_>) -> ProviderErrorClass {
        use ProviderErrorClass as Class;
        let code = fields.code.unwrap_or_default();
        if fields.status >= 500 {
            return Class::ProviderFailure;
        }
        match code {
            "authentication_required" | "payment_intent_authentication_failure" => {
                return Class::AuthenticationRequired;
            }
            "processing_error" => return Class::ProcessingError,
            "rate_limit" | "lock_timeout" | "idempotency_key_in_use" => return Class::RateLimit,
            LOW_BALANCE_CODE => return Class::LowBalance,
            PAYMENT_DISPUTED_CODE | "refund_disputed_payment" => {
                return Class::PaymentDisputed;
            }
            "account_invalid"
            | "account_closed"
            | "capability_not_active"
            | "testmode_charges_only"
            | "no_account"
            | "application_fees_not_allowed"
            | "not_allowed_on_standard_account"
            | "payment_method_unactivated" => return Class::AccountProblem,
            "api_key_expired"
            | "platform_api_key_expired"
            | "platform_account_required"
            | "secret_key_required"
            | "livemode_mismatch" => return Class::KeyProblem,
            UNEXPECTED_INTENT_STATE_CODE
            | "intent_invalid_state"
            | "charge_already_captured"
            | "charge_already_refunded"
            | "charge_expired_for_capture"
            | "charge_not_refundable"
            | "status_transition_invalid" => return Class::UnexpectedState,
            _ => {}
        }
        match (fields.status, fields.kind) {
            (409 | 424 | 425 | 429, _) => Class::RateLimit,
            (_, Some("idempotency_error")) => Class::IdempotencyMismatch,
            (402, _) | (_, Some("card_error")) => match fields.decline_code {
                Some("authentication_required") => Class::AuthenticationRequired,
                Some("processing_error") => Class::ProcessingError,
                decline_code => Class::CardDeclined(decline_group(decline_code.unwrap_or(code))),
            },
            (401, _) => Class::KeyProblem,
            (403, _) => Class::AccountProblem,
            _ => Class::InvalidRequest,
        }
    }

    /// Classifies a stored code: a decline code, an error code or an error type.
    pub fn from_code(code: &str) -> ProviderErrorClass {
        let is_card =
            code == "card_declined" || DECLINE_CODES.iter().any(|(known, _)| *known == code);
        ProviderErrorClass::from_fields(&ProviderErrorFields {
            status: match code {
                "api_error" => 500,
                _ if is_card => 402,
                _ => 400,
            },
            kind: (code == "idempotency_error").then_some(code),
            code: Some(code),
            decline_code: None,
        })
    }

    /// Returns every class, each decline group once.
    pub fn all() -> Vec<ProviderErrorClass> {
        use ProviderErrorClass as Class;
        let mut all: Vec<Class> = DeclineGroup::ALL.map(Class::CardDeclined).to_vec();
        all.extend([
            Class::AuthenticationRequired,
            Class::ProcessingError,
            Class::RateLimit,
            Class::IdempotencyMismatch,
            Class::UnexpectedState,
            Class::InvalidRequest,
            Class::KeyProblem,
            Class::AccountProblem,
            Class::LowBalance,
            Class::PaymentDisputed,
            Class::ProviderFailure,
            Class::Network,
        ]);
        all
    }

    /// Whether the error is about the buyer's card, so that the provider's own message is written
    /// for the buyer.
    pub fn is_about_card(self) -> bool {
        matches!(
            self,
            ProviderErrorClass::CardDeclined(_)
                | ProviderErrorClass::AuthenticationRequired
                | ProviderErrorClass::ProcessingError
        )
    }

    /// Returns the words for the error, and its repair.
    pub fn guide(self) -> ErrorGuide {
        use ProviderErrorClass as Class;
        match self {
            Class::CardDeclined(group) => decline_guide(group),
            Class::AuthenticationRequired => ErrorGuide {
                buyer: "Your bank asks you to confirm this payment. Please try again and follow your bank's steps. You have not been charged.",
                club: "The buyer's bank asks for 3-D Secure. The buyer must confirm the payment.",
                operator: "The buyer did not complete 3-D Secure. Nothing was charged.",
                repair: ErrorRepair::AskBuyerToAuthenticate,
            },
            Class::ProcessingError => ErrorGuide {
                buyer: "Your card could not be processed just now. You have not been charged. Please try again in a moment.",
                club: "The card network failed for a moment. The buyer can try again.",
                operator: "The card network failed. Nothing was charged.",
                repair: ErrorRepair::AskBuyerForCard,
            },
            Class::RateLimit => ErrorGuide {
                buyer: "Many people are buying just now. Please try again in a moment. You have not been charged.",
                club: "Stripe limits the number of requests. They are repeated by themselves.",
                operator: "Stripe refuses requests beyond its rate limit. They are repeated after a growing delay.",
                repair: ErrorRepair::RepeatRequest,
            },
            Class::IdempotencyMismatch => ErrorGuide {
                buyer: "Your payment could not be started. You have not been charged. Please try again.",
                club: "A payment request was refused because of an error on the platform. The platform knows about it.",
                operator: "An idempotency key was used for two different requests. This is an error in the software: report it.",
                repair: ErrorRepair::ReadThenRepeat,
            },
            Class::UnexpectedState => ErrorGuide {
                buyer: "This payment has changed in the meantime. Please wait while we check it.",
                club: "The payment was changed in another place, for example in the Stripe dashboard.",
                operator: "The payment is not in the state that the request expects. It is read again, and its state decides.",
                repair: ErrorRepair::ReadPayment,
            },
            Class::InvalidRequest => ErrorGuide {
                buyer: "Your payment could not be started. You have not been charged. Please contact support.",
                club: "Stripe refused a request of the platform. The platform knows about it.",
                operator: "Stripe refused a request as invalid. This is an error in the software or in Stripe's settings: report it.",
                repair: ErrorRepair::AskOperator,
            },
            Class::KeyProblem => ErrorGuide {
                buyer: "Payments are unavailable just now. You have not been charged. Please try again later.",
                club: "The platform's connection to Stripe is interrupted. Sales continue when it is restored.",
                operator: "Stripe refuses the platform's secret key: it is wrong, expired, or lacks a permission. Set a valid key and restart.",
                repair: ErrorRepair::RepeatRequest,
            },
            Class::AccountProblem => ErrorGuide {
                buyer: "This club cannot take payments just now. You have not been charged. Please try again later.",
                club: "Stripe restricts your account. Sign in to Stripe, which shows what is missing.",
                operator: "Stripe restricts the club's account, or the club has disconnected it. Ask the club to sign in to Stripe.",
                repair: ErrorRepair::StopAccount,
            },
            Class::LowBalance => ErrorGuide {
                buyer: "Your refund has been requested. It is sent as soon as the club's account allows it.",
                club: "Your Stripe balance does not cover a refund. Add funds in Stripe, or wait for the next payments.",
                operator: "The club's Stripe balance does not cover the refund. It is tried again for a month.",
                repair: ErrorRepair::WaitForMoney,
            },
            Class::PaymentDisputed => ErrorGuide {
                buyer: "Your bank decides about this payment, because it is disputed. Please ask your bank.",
                club: "The buyer's bank disputes the payment. Answer the dispute in Stripe. A refund would pay the buyer twice.",
                operator: "The payment is disputed, so it is not refunded. The buyer's bank decides about the money.",
                repair: ErrorRepair::AskOperator,
            },
            Class::ProviderFailure => ErrorGuide {
                buyer: "The payment service has a problem. Please wait while we check your payment, and do not pay again.",
                club: "Stripe has a problem. Payments are checked and completed by themselves.",
                operator: "Stripe failed while it executed a request. The payment is read before the request is repeated.",
                repair: ErrorRepair::ReadThenRepeat,
            },
            Class::Network => ErrorGuide {
                buyer: "We could not reach the payment service. Please wait while we check your payment, and do not pay again.",
                club: "The connection to Stripe was interrupted. Payments are checked and completed by themselves.",
                operator: "Stripe did not answer. The request is repeated under its idempotency key.",
                repair: ErrorRepair::RepeatRequest,
            },
        }
    }
}

/// Returns the group of a decline code. An unknown code is unexplained.
fn decline_group(code: &str) -> DeclineGroup {
    DECLINE_CODES
        .into_iter()
        .find(|(known, _)| *known == code)
        .map_or(DeclineGroup::Unexplained, |(_, group)| group)
}

fn decline_guide(group: DeclineGroup) -> ErrorGuide {
    let (buyer, club, operator) = match group {
        DeclineGroup::Unexplained => (
            "Your bank declined this card. You have not been charged. Please use another card, or ask your bank.",
            "The buyer's bank declined the card without a reason.",
            "The card was declined. The reason may be sensitive, so the buyer is told none.",
        ),
        DeclineGroup::InsufficientFunds => (
            "This card does not have enough money available. You have not been charged. Please use another card.",
            "The buyer's card does not have enough money available.",
            "The card was declined: insufficient funds or a spending limit.",
        ),
        DeclineGroup::Expired => (
            "This card has expired. You have not been charged. Please use another card.",
            "The buyer's card has expired.",
            "The card was declined: expired.",
        ),
        DeclineGroup::WrongDetails => (
            "The card details are not right. You have not been charged. Please check them and try again.",
            "The buyer entered wrong card details.",
            "The card was declined: wrong number, security code, expiry date, PIN or postcode.",
        ),
        DeclineGroup::NotSupported => (
            "This card cannot be used for this purchase. You have not been charged. Please use another card.",
            "The buyer's card cannot be used for this purchase.",
            "The card was declined: its bank does not allow this kind of purchase, amount or currency.",
        ),
        DeclineGroup::Blocked => (
            "This card is no longer valid. You have not been charged. Please use another card, or ask your bank.",
            "The buyer's card is blocked or was replaced.",
            "The card was declined: its account is closed, blocked or replaced.",
        ),
        DeclineGroup::TryAgain => (
            "Your bank could not be reached. You have not been charged. Please try again in a moment.",
            "The buyer's bank could not be reached. The buyer can try again.",
            "The card was declined: its bank could not be reached, or asks for another attempt.",
        ),
        DeclineGroup::Duplicate => (
            "The same amount was charged to this card a moment ago. Please check your orders before you pay again.",
            "The buyer's bank refused a second payment of the same amount.",
            "The card was declined as a duplicate of a payment made a moment ago.",
        ),
        DeclineGroup::TestMode => (
            "This card cannot be used here. You have not been charged. Please use another card.",
            "A test card was used for a real payment, or a real card in test mode.",
            "A test card was used in live mode, or a real card in test mode.",
        ),
    };
    ErrorGuide {
        buyer,
        club,
        operator,
        repair: ErrorRepair::AskBuyerForCard,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn class_of(status: u16, kind: &str, code: &str, decline_code: &str) -> ProviderErrorClass {
        let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        ProviderErrorClass::from_fields(&ProviderErrorFields {
            status,
            kind: some(leak(kind)),
            code: some(leak(code)),
            decline_code: some(leak(decline_code)),
        })
    }

    #[test]
    fn answers_are_classified_by_their_fields() {
        use DeclineGroup::{InsufficientFunds, TestMode, Unexplained, WrongDetails};
        use ProviderErrorClass as Class;
        for (status, kind, code, decline_code, expected) in [
            (
                402,
                "card_error",
                "card_declined",
                "insufficient_funds",
                Class::CardDeclined(InsufficientFunds),
            ),
            (
                402,
                "card_error",
                "card_declined",
                "lost_card",
                Class::CardDeclined(Unexplained),
            ),
            (
                402,
                "card_error",
                "card_declined",
                "a_new_code",
                Class::CardDeclined(Unexplained),
            ),
            (
                402,
                "card_error",
                "incorrect_cvc",
                "",
                Class::CardDeclined(WrongDetails),
            ),
            (
                402,
                "card_error",
                "card_declined",
                "test_mode_live_card",
                Class::CardDeclined(TestMode),
            ),
            (
                402,
                "card_error",
                "authentication_required",
                "authentication_required",
                Class::AuthenticationRequired,
            ),
            (
                402,
                "card_error",
                "card_declined",
                "authentication_required",
                Class::AuthenticationRequired,
            ),
            (
                402,
                "card_error",
                "processing_error",
                "processing_error",
                Class::ProcessingError,
            ),
            (
                429,
                "invalid_request_error",
                "rate_limit",
                "",
                Class::RateLimit,
            ),
            (
                429,
                "invalid_request_error",
                "lock_timeout",
                "",
                Class::RateLimit,
            ),
            (
                409,
                "invalid_request_error",
                "idempotency_key_in_use",
                "",
                Class::RateLimit,
            ),
            (400, "idempotency_error", "", "", Class::IdempotencyMismatch),
            (
                400,
                "invalid_request_error",
                "payment_intent_unexpected_state",
                "",
                Class::UnexpectedState,
            ),
            (
                400,
                "invalid_request_error",
                "parameter_unknown",
                "",
                Class::InvalidRequest,
            ),
            (
                404,
                "invalid_request_error",
                "resource_missing",
                "",
                Class::InvalidRequest,
            ),
            (401, "invalid_request_error", "", "", Class::KeyProblem),
            (
                401,
                "invalid_request_error",
                "api_key_expired",
                "",
                Class::KeyProblem,
            ),
            (
                403,
                "invalid_request_error",
                "account_invalid",
                "",
                Class::AccountProblem,
            ),
            (403, "invalid_request_error", "", "", Class::AccountProblem),
            (
                400,
                "invalid_request_error",
                "balance_insufficient",
                "",
                Class::LowBalance,
            ),
            (
                400,
                "invalid_request_error",
                "charge_disputed",
                "",
                Class::PaymentDisputed,
            ),
            (
                400,
                "invalid_request_error",
                "refund_disputed_payment",
                "",
                Class::PaymentDisputed,
            ),
            (500, "api_error", "", "", Class::ProviderFailure),
            // The request may have had an effect, so the code does not count.
            (500, "api_error", "rate_limit", "", Class::ProviderFailure),
            (503, "", "", "", Class::ProviderFailure),
        ] {
            assert_eq!(
                class_of(status, kind, code, decline_code),
                expected,
                "{status} {kind} {code} {decline_code}"
            );
        }
    }

    #[test]
    fn stored_code_has_the_class_of_its_answer() {
        use ProviderErrorClass as Class;
        for (code, expected) in [
            (
                "card_declined",
                Class::CardDeclined(DeclineGroup::Unexplained),
            ),
            ("expired_card", Class::CardDeclined(DeclineGroup::Expired)),
            ("authentication_required", Class::AuthenticationRequired),
            ("balance_insufficient", Class::LowBalance),
            ("charge_disputed", Class::PaymentDisputed),
            ("payment_intent_unexpected_state", Class::UnexpectedState),
            ("idempotency_error", Class::IdempotencyMismatch),
            ("account_invalid", Class::AccountProblem),
            ("resource_missing", Class::InvalidRequest),
            ("404", Class::InvalidRequest),
            ("api_error", Class::ProviderFailure),
        ] {
            assert_eq!(Class::from_code(code), expected, "{code}");
        }
    }

    #[test]
    fn every_class_has_words_of_its_own_for_each_reader() {
        for of in [
            |guide: ErrorGuide| guide.buyer,
            |guide: ErrorGuide| guide.club,
            |guide: ErrorGuide| guide.operator,
        ] {
            let texts: Vec<&str> = ProviderErrorClass::all()
                .into_iter()
                .map(|class| of(class.guide()))
                .collect();
            let different: BTreeSet<&str> = texts.iter().copied().collect();
            assert_eq!(different.len(), texts.len());
            assert!(texts.iter().all(|text| text.ends_with('.')), "{texts:?}");
        }
    }

    /// A decline that hints at fraud must look like any other decline.
    #[test]
    fn buyer_is_not_told_of_a_lost_card_or_suspected_fraud() {
        let group = |code: &str| decline_group(code);
        for code in [
            "fraudulent",
            "lost_card",
            "stolen_card",
            "pickup_card",
            "restricted_card",
            "merchant_blacklist",
            "security_violation",
        ] {
            assert_eq!(group(code), group("generic_decline"), "{code}");
        }
    }

    #[test]
    fn every_decline_code_is_listed_once_and_every_group_is_used() {
        let codes: BTreeSet<&str> = DECLINE_CODES.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes.len(), DECLINE_CODES.len());
        assert!(DECLINE_CODES.is_sorted_by_key(|(code, _)| *code));
        for group in DeclineGroup::ALL {
            assert!(
                DECLINE_CODES.iter().any(|(_, of)| *of == group),
                "{group:?}"
            );
        }
    }
}
