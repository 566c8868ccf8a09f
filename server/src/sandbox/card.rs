//! The test cards: what each number is, and how it behaves when it is charged.

use serde::{Deserialize, Serialize};

use super::failure::Failure;

/// What happens when a card is confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    Approves,
    Declines(Decline),
    /// 3-D Secure first, then approval.
    Authenticates,
    /// 3-D Secure first, then a decline all the same.
    AuthenticatesThenDeclines,
    /// Approves, and is disputed as soon as the money is taken.
    Disputes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decline {
    Generic,
    InsufficientFunds,
    LostCard,
    StolenCard,
    ExpiredCard,
    IncorrectCvc,
    ProcessingError,
}

impl Decline {
    pub fn failure(self) -> Failure {
        let declined = "Your card was declined.";
        match self {
            Self::Generic => Failure::card("card_declined", Some("generic_decline"), declined),
            Self::InsufficientFunds => Failure::card(
                "card_declined",
                Some("insufficient_funds"),
                "Your card has insufficient funds.",
            ),
            Self::LostCard => Failure::card("card_declined", Some("lost_card"), declined),
            Self::StolenCard => Failure::card("card_declined", Some("stolen_card"), declined),
            Self::ExpiredCard => Failure::card("expired_card", None, "Your card has expired."),
            Self::IncorrectCvc => Failure::card(
                "incorrect_cvc",
                None,
                "Your card's security code is incorrect.",
            ),
            Self::ProcessingError => Failure::card(
                "processing_error",
                None,
                "An error occurred while processing your card. Try again in a little bit.",
            ),
        }
    }
}

/// One test card. `token` is what follows `pm_card_` or `tok_`.
#[derive(Clone, Copy, Debug)]
pub struct TestCard {
    pub number: &'static str,
    pub token: &'static str,
    pub country: &'static str,
    pub behaviour: Behaviour,
    /// For the sandbox's page.
    pub meaning: &'static str,
}

const fn card(
    number: &'static str,
    token: &'static str,
    country: &'static str,
    behaviour: Behaviour,
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

use Behaviour::{Approves, Authenticates, AuthenticatesThenDeclines, Declines, Disputes};

/// The provider's own test numbers. Unlike the real ones the everyday cards are Australian, as this market is.
pub const CARDS: &[TestCard] = &[
    card("4242424242424242", "visa", "AU", Approves, "Visa, approved"),
    card(
        "5555555555554444",
        "mastercard",
        "AU",
        Approves,
        "Mastercard, approved",
    ),
    card(
        "378282246310005",
        "amex",
        "AU",
        Approves,
        "American Express, approved",
    ),
    card("4000000360000006", "au", "AU", Approves, "Visa, approved"),
    card(
        "4000005540000008",
        "nz",
        "NZ",
        Approves,
        "Visa from New Zealand, approved",
    ),
    card(
        "4000008260000000",
        "gb",
        "GB",
        Approves,
        "Visa from the United Kingdom, approved",
    ),
    card(
        "4000000000000002",
        "chargeDeclined",
        "AU",
        Declines(Decline::Generic),
        "declined",
    ),
    card(
        "4000000000009995",
        "chargeDeclinedInsufficientFunds",
        "AU",
        Declines(Decline::InsufficientFunds),
        "declined: insufficient funds",
    ),
    card(
        "4000000000009987",
        "chargeDeclinedLostCard",
        "AU",
        Declines(Decline::LostCard),
        "declined: lost card",
    ),
    card(
        "4000000000009979",
        "chargeDeclinedStolenCard",
        "AU",
        Declines(Decline::StolenCard),
        "declined: stolen card",
    ),
    card(
        "4000000000000069",
        "chargeDeclinedExpiredCard",
        "AU",
        Declines(Decline::ExpiredCard),
        "declined: expired",
    ),
    card(
        "4000000000000127",
        "chargeDeclinedIncorrectCvc",
        "AU",
        Declines(Decline::IncorrectCvc),
        "declined: wrong CVC",
    ),
    card(
        "4000000000000119",
        "chargeDeclinedProcessingError",
        "AU",
        Declines(Decline::ProcessingError),
        "declined: processing error",
    ),
    card(
        "4000000000003220",
        "threeDSecure2Required",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    card(
        "4000002500003155",
        "authenticationRequiredOnSetup",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    card(
        "4000002760003184",
        "authenticationRequired",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    card(
        "4000000000003155",
        "threeDSecureRequired",
        "AU",
        Authenticates,
        "asks for 3-D Secure",
    ),
    card(
        "4000008400001629",
        "threeDSecureRequiredChargeDeclined",
        "AU",
        AuthenticatesThenDeclines,
        "asks for 3-D Secure, then declined",
    ),
    card(
        "4000000000000259",
        "createDispute",
        "AU",
        Disputes,
        "approved, then disputed",
    ),
];

/// The card of `pm_card_…` or `tok_…`.
pub fn by_token(token: &str) -> Option<&'static TestCard> {
    CARDS.iter().find(|card| card.token == token)
}

/// The card with this number; a number that is well formed and not in the list is refused as the real test mode does.
pub fn by_number(number: &str) -> Result<&'static TestCard, Failure> {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    if let Some(card) = CARDS.iter().find(|card| card.number == digits) {
        return Ok(card);
    }
    Err(if digits.len() < 13 || !passes_luhn(&digits) {
        Failure::card("incorrect_number", None, "Your card number is incorrect.").param("number")
    } else {
        let message =
            "Your card was declined. Your request was in test mode, but used a non test card.";
        Failure::card("card_declined", Some("test_mode_live_card"), message)
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
    use super::{CARDS, by_number, passes_luhn};

    #[test]
    fn every_test_card_but_the_short_forms_is_a_well_formed_number() {
        for card in CARDS
            .iter()
            .filter(|card| card.number != "4000000000003155")
        {
            assert!(passes_luhn(card.number), "{}", card.number);
        }
    }

    #[test]
    fn spaces_in_a_number_do_not_matter_and_other_numbers_are_refused() {
        assert_eq!(by_number("4242 4242 4242 4242").unwrap().token, "visa");
        assert_eq!(
            by_number("4242424242424241").unwrap_err().error()["code"],
            "incorrect_number"
        );
        assert_eq!(
            by_number("4111111111111111").unwrap_err().error()["decline_code"],
            "test_mode_live_card"
        );
    }
}
