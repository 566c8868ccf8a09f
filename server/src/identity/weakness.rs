//! Passwords that are guessed first: the most common ones, names, dates and rows of keys, alone or dressed up a little, and what
//! everybody knows of an account (ASVS 6.1.2, 6.2.4, 6.2.11). No letters are asked for: three words of one's own will do.

use actix_web::web;
use zxcvbn::zxcvbn;

use crate::error::Problem;

/// A password that falls sooner is refused. The list alone is thirty thousand; three unrelated words are beyond a hundred million.
const GUESSES_MIN: u64 = 1_000_000;
/// Shorter parts of a name are no clue.
const CLUE_CHARS_MIN: usize = 3;
/// What the product is called, and what its passwords are about.
const PRODUCT: [&str; 8] = [
    "football doubles",
    "footballdoubles",
    "football",
    "doubles",
    "double",
    "rugby",
    "league",
    "raffle",
];

pub const EASY: &str = "Password is too easy to guess. Please use a longer one, or other words.";

/// Whether somebody who knows `about` an account (its names, its address) would guess its password soon.
///
/// # Errors
/// The blocking threads are gone: the server is stopping.
pub async fn is_easy(password: String, about: Vec<String>) -> Result<bool, Problem> {
    web::block(move || guessed(&password, &about))
        .await
        .map_err(|_| Problem::unavailable())
}

fn guessed(password: &str, about: &[String]) -> bool {
    let mut clues: Vec<String> = PRODUCT.map(str::to_string).to_vec();
    for text in about {
        let text = text.to_lowercase();
        let parts = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.chars().count() >= CLUE_CHARS_MIN);
        clues.extend(parts.clone().map(str::to_string));
        clues.push(parts.collect());
        clues.push(text);
    }
    let clues: Vec<&str> = clues
        .iter()
        .map(String::as_str)
        .filter(|clue| !clue.is_empty())
        .collect();
    zxcvbn(password, &clues).guesses() < GUESSES_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> Vec<String> {
        [
            "Redcliffe Sharks RLFC",
            "redcliffe-sharks",
            "secretary@sharks-rlfc.com.au",
        ]
        .map(str::to_string)
        .to_vec()
    }

    #[test]
    fn what_is_guessed_first_is_refused() {
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
            assert!(guessed(password, &[]), "{password}");
        }
    }

    #[test]
    fn what_everybody_knows_of_the_account_is_refused() {
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
            assert!(guessed(password, &about()), "{password}");
        }
        assert!(
            !guessed("redcliffesharks", &["Somebody Else".to_string()]),
            "it is a clue to one account only"
        );
    }

    #[test]
    fn three_words_or_twelve_letters_of_chance_are_taken() {
        for password in [
            "correct horse battery",
            "long-enough-word",
            "a-word-of-my-own",
            "sharks-forever",
            "xk7qh2vbn9wd",
            "ßüéø 漢字かな混じり",
        ] {
            assert!(!guessed(password, &about()), "{password}");
        }
        // However long, it is judged at once: the crate reads a hundred characters.
        assert!(!guessed(&"k9Xw 2qLm".repeat(14), &about()));
    }
}
