//! Detects passwords that are easy to guess: common passwords, names, dates and keyboard rows, and
//! simple variations of them. Names and addresses of the account count as easy words too (ASVS
//! 6.1.2, 6.2.4, 6.2.11).
//!
//! No character classes are required: three unrelated words are enough.

use actix_web::web;
use zxcvbn::zxcvbn;

use crate::api::error::Problem;

/// Minimum estimated number of guesses; passwords that need fewer are refused. The list of common
/// passwords has 30,000 entries; three unrelated words need more than a hundred million guesses.
const PASSWORD_GUESSES_MIN: u64 = 1_000_000;
/// Minimum length of the words from the account's names and addresses that count as easy to guess.
/// Shorter words are ignored.
const ACCOUNT_WORD_CHARS_MIN: usize = 3;
/// Words that users of this product are likely to choose for a password.
const PRODUCT_WORDS: [&str; 8] = [
    "football doubles",
    "footballdoubles",
    "football",
    "doubles",
    "double",
    "rugby",
    "league",
    "raffle",
];

/// The message for a password that is too easy to guess.
pub const EASY_PASSWORD_MESSAGE: &str =
    "Password is too easy to guess. Please use a longer one, or other words.";

/// Whether the password is easy to guess. `about` holds the account's names and addresses, which an
/// attacker may know.
///
/// # Errors
///
/// The blocking threads are gone: the server is stopping.
pub async fn is_easy_to_guess(password: String, about: Vec<String>) -> Result<bool, Problem> {
    web::block(move || is_easy_to_guess_blocking(&password, &about))
        .await
        .map_err(|_| Problem::unavailable())
}

fn is_easy_to_guess_blocking(password: &str, about: &[String]) -> bool {
    let mut clues: Vec<String> = PRODUCT_WORDS.map(str::to_string).to_vec();
    for text in about {
        let text = text.to_lowercase();
        let parts = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.chars().count() >= ACCOUNT_WORD_CHARS_MIN);
        clues.extend(parts.clone().map(str::to_string));
        clues.push(parts.collect());
        clues.push(text);
    }
    let clues: Vec<&str> = clues
        .iter()
        .map(String::as_str)
        .filter(|clue| !clue.is_empty())
        .collect();
    zxcvbn(password, &clues).guesses() < PASSWORD_GUESSES_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account_words() -> Vec<String> {
        [
            "Redcliffe Sharks RLFC",
            "redcliffe-sharks",
            "secretary@sharks-rlfc.com.au",
        ]
        .map(str::to_string)
        .to_vec()
    }

    #[test]
    fn common_passwords_are_refused() {
        for password in [
            "password",
            "password1",
            "P@ssw0rd",
            "12345678",
            "123456789",
            "qwertyuiop",
            "iloveyou",
            "sunshine",
            "football1",
            "11111111",
            "abcdefgh",
            "trustno1",
            "princess1",
            "baseball",
            "aaaaaaaaaaaa",
            "letmein1",
            "welcome1",
            "dragon123",
        ] {
            assert!(is_easy_to_guess_blocking(password, &[]), "{password}");
        }
    }

    #[test]
    fn passwords_from_account_details_are_refused() {
        for password in [
            "redcliffe",
            "Redcliffe1",
            "redcliffesharks",
            "redcliffe-sharks",
            "RedcliffeSharksRLFC",
            "secretary1",
            "secretary@sharks-rlfc.com.au",
            "FootballDoubles",
            "footballdoubles1",
            "football doubles",
        ] {
            assert!(
                is_easy_to_guess_blocking(password, &account_words()),
                "{password}"
            );
        }
        assert!(
            !is_easy_to_guess_blocking("redcliffesharks", &["Somebody Else".to_string()]),
            "account details count only for their own account"
        );
    }

    #[test]
    fn three_words_or_twelve_random_letters_are_accepted() {
        for password in [
            "correct horse battery",
            "long-enough-word",
            "a-word-of-my-own",
            "sharks-forever",
            "xk7qh2vbn9wd",
            "ßüéø 漢字かな混じり",
        ] {
            assert!(
                !is_easy_to_guess_blocking(password, &account_words()),
                "{password}"
            );
        }
        // A long password takes no longer to check, because zxcvbn reads only 100 characters.
        assert!(!is_easy_to_guess_blocking(
            &"k9Xw 2qLm".repeat(14),
            &account_words()
        ));
    }
}
