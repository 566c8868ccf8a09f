//! Mails about money that was not taken or is returned: to the buyer of a failed or refunded
//! payment, and to the club of a payment that the buyer's bank disputes or asks about.

use domain::{AbandonReason, OrderEndCause, OrderEndReason, OrderState, Status, Timestamp};
use persistence::records::listings::Listing;
use persistence::stores::OrderRecord;

use super::{ComposedMail, MailWriter, buyer_name, order_reference, subject_game};
use crate::api::error::not_charged_text;
use crate::render::mail::{SimpleMail, subject};

impl MailWriter<'_> {
    /// Tells the buyer about a refund.
    pub(super) async fn refunded_mail(&self, record: &OrderRecord) -> Result<ComposedMail, String> {
        let club = self.find_club(record.order.club).await?;
        let total = record.order.total();
        let mut paragraphs = self.cancelled_games_paragraphs(record).await?;
        paragraphs.push(
            "Your money is on its way back. It shows on your statement within 5 to 10 business days.".into(),
        );
        paragraphs.push(void_tickets_text(record).into());
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: format!("{total} is on its way back to you"),
            heading: format!("Refund of {total}"),
            paragraphs,
            link: Some(self.own_order_link("See this order", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells the buyer that a refund is requested, but that the money is not sent yet.
    pub(super) async fn refund_pending_mail(
        &self,
        record: &OrderRecord,
    ) -> Result<ComposedMail, String> {
        let club = self.find_club(record.order.club).await?;
        let total = record.order.total();
        let mut paragraphs = self.cancelled_games_paragraphs(record).await?;
        paragraphs.push(
            "We have asked for your money to be returned to your card. It has not been sent yet, which can take some \
             days. We will write to you when it is sent. You need not do anything."
                .into(),
        );
        paragraphs.push(void_tickets_text(record).into());
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: format!("Your refund of {total} has been requested"),
            heading: format!("Refund of {total} requested"),
            paragraphs,
            link: Some(self.own_order_link("See this order", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells the buyer that the refund did not reach the card.
    pub(super) async fn refund_failed_mail(
        &self,
        record: &OrderRecord,
    ) -> Result<ComposedMail, String> {
        let club = self.find_club(record.order.club).await?;
        let total = record.order.total();
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: format!("Your refund of {total} did not reach your card"),
            heading: format!("Your refund of {total} did not arrive"),
            paragraphs: vec![
                "Your bank did not accept the refund, for example because the card was replaced. You are still owed this \
                 money."
                    .into(),
                format!(
                    "Please answer this mail, so that {} can return the money another way. Reference {}.",
                    club.name,
                    order_reference(record)
                )
                .into(),
            ],
            link: Some(self.own_order_link("See this order", record)),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Tells an operator that a refund failed, so that the buyer is still owed money.
    pub(super) async fn refund_failed_operator_mail(
        &self,
        record: &OrderRecord,
    ) -> Result<ComposedMail, String> {
        let club = self.find_club(record.order.club).await?;
        let total = record.order.total();
        let note = SimpleMail {
            head: self.default_letterhead(),
            subject: format!("A refund of {total} failed"),
            heading: format!("A refund of {total} failed"),
            paragraphs: vec![
                format!(
                    "The refund of order {} of {} failed. The money is back on the club's Stripe account, and the buyer is \
                     owed it.",
                    order_reference(record),
                    club.name
                )
                .into(),
                "The anomaly in the console says why. Refund again if the card may work, or ask the club to pay the buyer \
                 another way."
                    .into(),
            ],
            link: Some(("Open the console".to_string(), self.page_url("/admin/payment-monitoring"))),
        };
        self.compose_simple_mail(note, None)
    }

    /// Tells the buyer that the authorised payment was not charged, because no tickets were
    /// allocated (reliability.md F29).
    pub(super) async fn not_charged_mail(
        &self,
        record: &OrderRecord,
    ) -> Result<ComposedMail, String> {
        let (club, games) = (
            self.find_club(record.order.club).await?,
            self.read_games(record).await?,
        );
        let on_sale = games
            .iter()
            .find(|game| is_active_before_kick_off(game, self.now) && game.view.free() > 0);
        let (retry_text, link) = match on_sale {
            Some(game) => (
                "Tickets are still on sale, if you would like to try again.",
                (
                    "Buy tickets".to_string(),
                    self.page_url(&format!("/draw/{}", game.id())),
                ),
            ),
            None => (
                "There are no more tickets on sale.",
                self.own_order_link("See this order", record),
            ),
        };
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject_with_game("You have not been charged", &games),
            heading: "You have not been charged".to_string(),
            paragraphs: vec![
                format!("Hello {}.", buyer_name(record)).into(),
                format!("You authorised a payment of {}. {}", purchase_text(record, &games), not_charged_reason_sentence(record)).into(),
                "No tickets were bought, and you have not been charged. If your bank shows the amount as pending, it goes \
                 away by itself within a few days."
                    .into(),
                format!("{retry_text} Reference {}.", order_reference(record)).into(),
            ],
            link: Some(link),
        };
        self.compose_simple_mail(note, Some(club.email.clone()))
    }

    /// Asks the club to answer a dispute by the buyer's bank. The club must answer, because the
    /// charge is on its own Stripe account (decision C-24; reliability.md F33).
    pub(super) async fn dispute_mail(&self, record: &OrderRecord) -> Result<ComposedMail, String> {
        let (club, games) = (
            self.find_club(record.order.club).await?,
            self.read_games(record).await?,
        );
        // The tickets of a disputed payment are released if no game of the order has begun
        // (decision C-25), at once or in the reconciler's next pass.
        let tickets_stay_valid = record.order.state == OrderState::Captured
            && !games
                .iter()
                .all(|game| is_active_before_kick_off(game, self.now));
        let tickets = if tickets_stay_valid {
            "The tickets stay valid. If one of them wins, its prize waits until the dispute is resolved."
        } else {
            "The tickets of this order are no longer valid and win no prize."
        };
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject_with_game("Payment disputed", &games),
            heading: "A buyer's bank disputes a payment".to_string(),
            paragraphs: vec![
                format!("Hello {}.", club.name).into(),
                format!(
                    "The buyer's bank wants back the payment of {}. Reference {}.",
                    purchase_text(record, &games),
                    order_reference(record)
                )
                .into(),
                "Only your club can answer. Sign in to your club's own Stripe account, which shows the dispute, what the \
                 bank wants to know and until when. Without an answer in time the bank keeps the money."
                    .into(),
                tickets.into(),
            ],
            link: Some(("Go to your dashboard".to_string(), self.page_url(&format!("/club/{}/admin", club.slug)))),
        };
        self.compose_simple_mail(note, None)
    }

    /// Asks the club to answer an inquiry: the buyer's bank asks about a payment, and no money was
    /// taken. Without an answer it may become a dispute.
    pub(super) async fn inquiry_mail(&self, record: &OrderRecord) -> Result<ComposedMail, String> {
        let (club, games) = (
            self.find_club(record.order.club).await?,
            self.read_games(record).await?,
        );
        let note = SimpleMail {
            head: self.letterhead(Some(&club)),
            subject: subject_with_game("A bank asks about a payment", &games),
            heading: "A buyer's bank asks about a payment".to_string(),
            paragraphs: vec![
                format!("Hello {}.", club.name).into(),
                format!(
                    "The buyer's bank asks about the payment of {}. Reference {}.",
                    purchase_text(record, &games),
                    order_reference(record)
                )
                .into(),
                "No money was taken, and the tickets stay valid. Please answer, because without an answer the bank may take \
                 the money back."
                    .into(),
                "Only your club can answer. Sign in to your club's own Stripe account, which shows what the bank wants to \
                 know and until when."
                    .into(),
            ],
            link: Some(("Go to your dashboard".to_string(), self.page_url(&format!("/club/{}/admin", club.slug)))),
        };
        self.compose_simple_mail(note, None)
    }

    /// Reads the draws of an order, in the sequence of the order's lines.
    pub(super) async fn read_games(&self, record: &OrderRecord) -> Result<Vec<Listing>, String> {
        let mut games = Vec::new();
        for line in &record.order.lines {
            games.push(self.read_listing(line.draw).await?);
        }
        Ok(games)
    }
}

fn void_tickets_text(record: &OrderRecord) -> String {
    format!(
        "The tickets of this order are no longer valid. Reference {}.",
        order_reference(record)
    )
}

/// Whether a game has not begun and its draw is active.
fn is_active_before_kick_off(game: &Listing, now: Timestamp) -> bool {
    game.view.status == Status::Active && now < game.view.closes_at
}

/// Builds a subject line from `what`, and the game's name if the order has only one game.
fn subject_with_game(what: &str, games: &[Listing]) -> String {
    match games {
        [game] => subject::subject_naming_game(what, &subject_game(game)),
        _ => what.to_string(),
    }
}

/// Describes a purchase: `$10.47 for 2 tickets in Sharks v Tigers and Bears v Jets`.
fn purchase_text(record: &OrderRecord, games: &[Listing]) -> String {
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

/// Returns why the order was not charged, as a sentence for the buyer. It omits the number of
/// tickets left, which is outdated when the mail is read.
fn not_charged_reason_sentence(record: &OrderRecord) -> String {
    let cause = record
        .reason
        .as_ref()
        .map_or(OrderEndCause::Other, OrderEndReason::cause);
    let sentence = not_charged_text(match cause {
        OrderEndCause::TooFewTickets { .. } => {
            OrderEndCause::Abandoned(AbandonReason::TicketsUnavailable)
        }
        cause => cause,
    });
    format!("{}.", sentence.trim_end_matches('.'))
}
