//! Builds subject lines of at most fifty characters, which begin with the most important words.

use domain::Timestamp;

use crate::render::date_time_text;

const SUBJECT_CHARS_MAX: usize = 50;

/// The data of a game that a subject line may contain.
pub struct SubjectGame<'a> {
    pub home: &'a str,
    pub away: &'a str,
    pub kick_off: Timestamp,
    pub zone: &'a str,
}

/// Subject of a confirmation: `2 tickets – Sharks v Tigers, Fri 7:10 pm`.
pub fn confirmation_subject(count: u16, games: &[SubjectGame<'_>]) -> String {
    let tickets = if count == 1 {
        "1 ticket".to_string()
    } else {
        format!("{count} tickets")
    };
    let Some(first) = games.iter().min_by_key(|game| game.kick_off) else {
        return tickets;
    };
    let time = date_time_text::weekday_and_time(first.kick_off, first.zone);
    if games.len() > 1 {
        return format!("{tickets} – {} games, first {time}", games.len());
    }
    longest_fitting_subject(&tickets, first, &format!(", {time}"))
}

/// Subject of a winner's mail: `You won $290.00 – Sharks v Tigers`.
pub fn winner_subject(prize: &str, game: &SubjectGame<'_>) -> String {
    longest_fitting_subject(&format!("You won {prize}"), game, "")
}

/// Subject of `what` and the game: `Results due – Sharks v Tigers`.
pub fn subject_naming_game(what: &str, game: &SubjectGame<'_>) -> String {
    longest_fitting_subject(what, game, "")
}

/// Subject of a correction: `Result corrected – Sharks v Tigers`.
pub fn correction_subject(game: &SubjectGame<'_>) -> String {
    longest_fitting_subject("Result corrected", game, "")
}

/// Subject of an invitation: `Help Sharks RLFC sell tickets`. If the club's name is too long, the
/// subject says `your club` instead.
pub fn invitation_subject(club: &str) -> String {
    let whole = format!("Help {club} sell tickets");
    if whole.chars().count() <= SUBJECT_CHARS_MAX {
        whole
    } else {
        "Help your club sell tickets".to_string()
    }
}

/// Returns the first subject that fits into fifty characters: with full team names, with the last
/// word of each team's name, without `ending`, or `start` alone.
fn longest_fitting_subject(start: &str, game: &SubjectGame<'_>, ending: &str) -> String {
    let (home, away) = (last_word(game.home), last_word(game.away));
    let forms = [
        format!("{start} – {} v {}{ending}", game.home, game.away),
        format!("{start} – {home} v {away}{ending}"),
        format!("{start} – {home} v {away}"),
    ];
    let fitting = forms
        .iter()
        .find(|form| form.chars().count() <= SUBJECT_CHARS_MAX);
    fitting.cloned().unwrap_or_else(|| start.to_string())
}

fn last_word(name: &str) -> &str {
    name.split_whitespace().next_back().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game<'a>(home: &'a str, away: &'a str) -> SubjectGame<'a> {
        SubjectGame {
            home,
            away,
            kick_off: Timestamp(1_795_165_800_000),
            zone: "Australia/Brisbane",
        }
    }

    #[test]
    fn subject_shortens_long_names_and_keeps_the_number() {
        assert_eq!(
            confirmation_subject(2, &[game("Sharks", "Tigers")]),
            "2 tickets – Sharks v Tigers, Fri 7:10 pm"
        );
        let long = game("Redcliffe Dolphins Sharks", "Wynnum Manly Tigers");
        assert_eq!(
            confirmation_subject(1, &[long]),
            "1 ticket – Sharks v Tigers, Fri 7:10 pm"
        );
        let endless = game(
            "Supercalifragilisticexpialidocious",
            "Rindfleischetikettierung",
        );
        assert_eq!(confirmation_subject(2, &[endless]), "2 tickets");
    }

    #[test]
    fn invitation_names_the_club_if_it_fits() {
        assert_eq!(
            invitation_subject("Sharks RLFC"),
            "Help Sharks RLFC sell tickets"
        );
        assert_eq!(
            invitation_subject(&"Redcliffe ".repeat(5)),
            "Help your club sell tickets"
        );
    }

    #[test]
    fn cart_subject_names_the_first_kick_off() {
        let games = [game("Sharks", "Tigers"), game("Bears", "Jets")];
        assert_eq!(
            confirmation_subject(5, &games),
            "5 tickets – 2 games, first Fri 7:10 pm"
        );
    }
}
