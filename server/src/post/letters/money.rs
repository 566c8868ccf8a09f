//! What is told of money that did not come or does not stay: to the buyer of a payment that came to nothing or goes back, to the
//! club of one that a bank disputes.

use domain::{OrderState, Status, Timestamp};
use persistence::books::OrderRecord;
use persistence::records::listings::Listing;

use super::{Letter, Writer, buyer, face, reference};
use crate::error::reason_shown;
use crate::render::mail::{Note, subject};

impl Writer<'_> {
    pub(super) async fn refunded(&self, record: &OrderRecord) -> Result<Letter, String> {
        let club = self.club(record.order.club).await?;
        let total = record.order.total();
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: format!("{total} is on its way back to you"),
            heading: format!("Refund of {total}"),
            paragraphs: vec![
                "Your money is on its way back. It shows on your statement within 5 to 10 business days.".into(),
                format!("The tickets of this order are no longer valid. Reference {}.", reference(record)).into(),
            ],
            link: Some(("See this order".to_string(), self.page(&format!("/my/{}", record.token)))),
        };
        self.finish(note, Some(club.email.clone()))
    }

    /// The payment had been authorised, and no tickets came of it (reliability.md F29).
    pub(super) async fn not_charged(&self, record: &OrderRecord) -> Result<Letter, String> {
        let (club, games) = (
            self.club(record.order.club).await?,
            self.games(record).await?,
        );
        let sells = games
            .iter()
            .find(|game| is_ahead(game, self.now) && game.view.free() > 0);
        let (again, link) = match sells {
            Some(game) => (
                "Tickets are still on sale, if you would like to try again.",
                (
                    "Buy tickets".to_string(),
                    self.page(&format!("/draw/{}", game.id())),
                ),
            ),
            None => (
                "There are no more tickets on sale.",
                (
                    "See this order".to_string(),
                    self.page(&format!("/my/{}", record.token)),
                ),
            ),
        };
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: about("You have not been charged", &games),
            heading: "You have not been charged".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer(record)).into(),
                format!("You authorised a payment of {}. {}", bought(record, &games), why(record)).into(),
                "No tickets were bought, and you have not been charged. If your bank shows the amount as pending, it goes \
                 away by itself within a few days."
                    .into(),
                format!("{again} Reference {}.", reference(record)).into(),
            ],
            link: Some(link),
        };
        self.finish(note, Some(club.email.clone()))
    }

    /// The club answers its buyer's bank itself, because the charge is on its own account (decision C-24; reliability.md F33).
    pub(super) async fn disputed(&self, record: &OrderRecord) -> Result<Letter, String> {
        let (club, games) = (
            self.club(record.order.club).await?,
            self.games(record).await?,
        );
        // While every game is ahead they are released (decision C-25), if not yet, then at the next look.
        let stay = record.order.state == OrderState::Captured
            && !games.iter().all(|game| is_ahead(game, self.now));
        let tickets = if stay {
            "The tickets stay valid. If one of them wins, its prize waits until the dispute is resolved."
        } else {
            "The tickets of this order are no longer valid and win no prize."
        };
        let note = Note {
            head: self.letterhead(Some(&club)),
            subject: about("Payment disputed", &games),
            heading: "A buyer's bank disputes a payment".to_string(),
            paragraphs: vec![
                format!("Hello {}.", club.name).into(),
                format!(
                    "The buyer's bank wants back the payment of {}. Reference {}.",
                    bought(record, &games),
                    reference(record)
                )
                .into(),
                "Only your club can answer. Sign in to your club's own Stripe account, which shows the dispute, what the \
                 bank wants to know and until when. Without an answer in time the bank keeps the money."
                    .into(),
                tickets.into(),
            ],
            link: Some(("Go to your dashboard".to_string(), self.page(&format!("/club/{}/admin", club.slug)))),
        };
        self.finish(note, None)
    }

    /// An order's games, in the order of its lines.
    async fn games(&self, record: &OrderRecord) -> Result<Vec<Listing>, String> {
        let mut games = Vec::new();
        for line in &record.order.lines {
            games.push(self.listing(line.draw).await?);
        }
        Ok(games)
    }
}

/// It has not begun, and its tickets are on sale.
fn is_ahead(game: &Listing, now: Timestamp) -> bool {
    game.view.status == Status::Active && now < game.view.closes_at
}

/// With the game, if there is but one.
fn about(what: &str, games: &[Listing]) -> String {
    match games {
        [game] => subject::about(what, &face(game)),
        _ => what.to_string(),
    }
}

/// `$10.47 for 2 tickets in Sharks v Tigers and Bears v Jets`.
fn bought(record: &OrderRecord, games: &[Listing]) -> String {
    let (total, count) = (record.order.total(), record.order.tickets());
    let tickets = if count == 1 {
        "1 ticket".to_string()
    } else {
        format!("{count} tickets")
    };
    let games: Vec<String> = games
        .iter()
        .map(|game| format!("{} v {}", game.home_team, game.away_team))
        .collect();
    format!("{total} for {tickets} in {}", games.join(" and "))
}

/// A sentence in the buyer's words. How many tickets were left then says nothing now.
fn why(record: &OrderRecord) -> String {
    let reason = record.reason.as_deref().unwrap_or_default();
    let few = reason.contains("tickets remaining");
    let shown = reason_shown(if few {
        "the tickets were no longer available"
    } else {
        reason
    });
    format!("{}.", shown.trim_end_matches('.'))
}
