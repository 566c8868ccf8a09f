//! The test cards: their numbers, and what happens when one is charged.

use serde::{Deserialize, Serialize};

use super::failure::StripeError;

/// What the card's bank does when a payment with the card is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardBehaviour {
    Approves,
    Declines(CardDecline),
    /// Requires 3-D Secure, then approves.
    Authenticates,
    /// Requires 3-D Secure, then declines.
    AuthenticatesThenDeclines,
    /// Approves. A dispute opens as soon as the payment is captured.
    Disputes,
    /// Approves. The bank opens an inquiry as soon as the payment is captured.
    Inquires,
    /// Approves. An early fraud warning follows the capture.
    WarnsOfFraud,
    /// Approves. A refund stays pending until it is settled through `POST /sandbox/refund`.
    RefundsLater,
    /// Approves. A refund succeeds, and fails a moment later.
    RefundsFail,
}

/// Why a card is declined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardDecline {
    Generic,
    InsufficientFunds,
    LostCard,
    StolenCard,
    ExpiredCard,
    IncorrectCvc,
    ProcessingError,
}

impl CardDecline {
    /// Returns the error response for the decline.
    pub fn to_stripe_error(self) -> StripeError {
        let declined = "Your card was declined.";
        match self {
            Self::Generic => {
                StripeError::card_rejected("card_declined", Some("generic_decline"), declined)
            }
            Self::InsufficientFunds => StripeError::card_rejected(
                "card_declined",
                Some("insufficient_funds"),
                "Your card has insufficient funds.",
            ),
            Self::LostCard => {
                StripeError::card_rejected("card_declined", Some("lost_card"), declined)
            }
            Self::StolenCard => {
                StripeError::card_rejected("card_declined", Some("stolen_card"), declined)
            }
            Self::ExpiredCard => {
                StripeError::card_rejected("expired_card", None, "Your card has expired.")
            }
            Self::IncorrectCvc => StripeError::card_rejected(
                "incorrect_cvc",
                None,
                "Your card's security code is incorrect.",
            ),
            Self::ProcessingError => StripeError::card_rejected(
                "processing_error",
                None,
                "An error occurred while processing your card. Try again in a little bit.",
            ),
        }
    }
}

/// A test card of the sandbox. `token` is the part of its id after `pm_card_` or `tok_`.
#[derive(Clone, Copy, Debug)]
pub struct TestCard {
    pub number: &'static str,
    pub token: &'static str,
    pub country: &'static str,
    pub behaviour: CardBehaviour,
    /// Description shown on the sandbox's page.
    pub meaning: &'static str,
}

const fn new_test_card(
    number: &'static str,
    token: &'static str,
    country: &'static str,
    behaviour: CardBehaviour,
    meaning: &'static str,
) -> TestCard {
    TestCard {
        number,
        token,
        country,
        behaviour,
        meaning,
    }
}

use CardBehaviour::{
    Approves, Authenticates, AuthenticatesThenDeclines, Declines, Disputes, Inquires, RefundsFail,
    RefundsLater, WarnsOfFraud,
};

/// The supported test cards, with Stripe's numbers. The everyday cards are Australian, unlike
/// Stripe's.
pub const TEST_CARDS: &[TestCard] = &[
    new_test_card("4242424242424242", "visa", "AU", Approves, "Visa, approved"),
    new_test_card(
        "5555555555554444",
        "mastercard",
        "AU",
        Approves,
        "Mastercard, approved",
    ),
    new_test_card(
        "378282246310005",
        "amex",
        "AU",
        Approves,
        "American Express, approved",
    ),
    new_test_card("4000000360000006", "au", "AU", Approves, "Visa, approved"),
    new_test_card(
        "4000005540000008",
        "nz",
        "NZ",
        Approves,
        "Visa from New Zealand, approved",
    ),
    new_test_card(
        "4000008260000000",
        "gb",
        "GB",
        Approves,
        "Visa from the United Kingdom, approved",
    ),
    new_test_card(
        "4000000000000002",
        "chargeDeclined",
        "AU",
        Declines(CardDecline::Generic),
        "declined",
    ),
    new_test_card(
        "4000000000009995",
        "chargeDeclinedInsufficientFunds",
        "AU",
        Declines(CardDecline::InsufficientFunds),
        "declined: insufficient funds",
    ),
    new_test_card(
        "4000000000009987",
        "chargeDeclinedLostCard",
        "AU",
        Declines(CardDecline::LostCard),
        "declined: lost card",
    ),
    new_test_card(
        "4000000000009979",
        "chargeDeclinedStolenCard",
        "AU",
        Declines(CardDecline::StolenCard),
        "declined: stolen card",
    ),
    new_test_card(
        "4000000000000069",
        "chargeDeclinedExpiredCard",
        "AU",
        Declines(CardDecline::ExpiredCard),
        "declined: expired",
    ),
    new_test_card(
        "4000000000000127",
        "chargeDeclinedIncorrectCvc",
        "AU",
        Declines(CardDecline::IncorrectCvc),
        "declined: wrong CVC",
    ),
    new_test_card(
        "4000000000000119",
        "chargeDeclinedProcessingError",
        "AU",
        Declines(CardDecline::ProcessingError),
        "declined: processing error",
    ),
    new_test_card(
        "4000000000003220",
        "threeDSecure2Required",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    new_test_card(
        "4000002500003155",
        "authenticationRequiredOnSetup",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    new_test_card(
        "4000002760003184",
        "authenticationRequired",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    new_test_card(
        "4000000000003155",
        "threeDSecureRequired",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    new_test_card(
        "4000008400001629",
        "threeDSecureRequiredChargeDeclined",
        "AU",
        AuthenticatesThenDeclines,
        "asks for 3-D Secure, then declined",
    ),
    new_test_card(
        "4000000000000259",
        "createDispute",
        "AU",
        Disputes,
        "approved, then disputed",
    ),
    new_test_card(
        "4000000000001976",
        "createDisputeInquiry",
        "AU",
        Inquires,
        "approved, then the bank inquires",
    ),
    new_test_card(
        "4000000000005423",
        "createIssuerFraudRecord",
        "AU",
        WarnsOfFraud,
        "approved, then an early fraud warning",
    ),
    new_test_card(
        "4000000000007726",
        "pendingRefund",
        "AU",
        RefundsLater,
        "approved, a refund stays pending",
    ),
    new_test_card(
        "4000000000005126",
        "refundFail",
        "AU",
        RefundsFail,
        "approved, a refund fails later",
    ),
];

/// Finds the card of a `pm_card_…` or `tok_…` id.
pub fn find_card_by_token(token: &str) -> Option<&'static TestCard> {
    TEST_CARDS.iter().find(|card| card.token == token)
}

/// Finds the card with this number. Other well-formed numbers are refused, as in Stripe's test
/// mode.
pub fn find_card_by_number(number: &str) -> Result<&'static TestCard, StripeError> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    if let Some(card) = TEST_CARDS.iter().find(|card| card.number == digits) {
        return Ok(card);
    }
    Err(if digits.len() < 13 || !passes_luhn(&digits) {
        StripeError::card_rejected("incorrect_number", None, "Your card number is incorrect.")
            .with_param("number")
    } else {
        let message =
            "Your card was declined. Your request was in test mode, but used a non test card.";
        StripeError::card_rejected("card_declined", Some("test_mode_live_card"), message)
    })
}

fn passes_luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(
            |(position, digit)| match (u32::from(digit - b'0'), position % 2) {
                (digit, 0) => digit,
                (digit, _) => digit * 2 / 10 + digit * 2 % 10,
            },
        )
        .sum();
    sum.is_multiple_of(10)
}

impl TestCard {
    pub fn brand(&self) -> &'static str {
        match self.number.as_bytes()[0] {
            b'5' => "mastercard",
            b'3' => "amex",
            _ => "visa",
        }
    }

    pub fn last4(&self) -> &'static str {
        &self.number[self.number.len() - 4..]
    }
}

#[cfg(test)]
mod tests {
    use super::{TEST_CARDS, find_card_by_number, passes_luhn};

    #[test]
    fn test_card_numbers_pass_the_luhn_check() {
        for card in TEST_CARDS
            .iter()
            .filter(|card| card.number != "4000000000003155")
        {
            assert!(passes_luhn(card.number), "{}", card.number);
        }
    }

    #[test]
    fn card_lookup_ignores_spaces_and_refuses_unknown_numbers() {
        assert_eq!(
            find_card_by_number("4242 4242 4242 4242").unwrap().token,
            "visa"
        );
        assert_eq!(
            find_card_by_number("4242424242424241")
                .unwrap_err()
                .error_object()["code"],
            "incorrect_number"
        );
        assert_eq!(
            find_card_by_number("4111111111111111")
                .unwrap_err()
                .error_object()["decline_code"],
            "test_mode_live_card"
        );
    }
}
