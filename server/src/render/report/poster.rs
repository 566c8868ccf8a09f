//! A draw on a clubhouse wall.

use domain::TICKETS;

use crate::render::colour::Colour;
use crate::render::page::Phase;
use crate::render::paper::{HEIGHT, MARGIN, Paper, WIDTH};

/// What a poster says, in words.
#[derive(Clone, Debug)]
pub struct Poster {
    pub club: String,
    pub league: Option<String>,
    pub home: String,
    pub away: String,
    pub kick_off: String,
    /// Of a ticket; the whole price where a fee is passed on (ux.md D14).
    pub price: String,
    pub prize_max: String,
    pub phase: Phase,
    /// The club's two colours, the first on top.
    pub colours: [Colour; 2],
    /// Where its code leads.
    pub link: String,
}

impl Poster {
    /// One game, one code, on one page: 100 mm of it with its quiet zone. `None` when it cannot be drawn.
    pub fn pdf(&self) -> Option<Vec<u8>> {
        let mut paper = Paper::new(&format!("{} v {}", self.home, self.away))?;
        let (offer, scan) = self.words();
        let [first, second] = self.colours;
        paper.stripe(HEIGHT - 20.0, 20.0, first);
        paper.stripe(HEIGHT - 28.0, 8.0, second);
        line(&mut paper, 774.0, 20.0, &self.club);
        if let Some(league) = &self.league {
            line(&mut paper, 750.0, 14.0, league);
        }
        line(&mut paper, 696.0, 40.0, &self.home);
        line(&mut paper, 664.0, 18.0, "v");
        line(&mut paper, 620.0, 40.0, &self.away);
        line(&mut paper, 584.0, 16.0, &self.kick_off);
        line(&mut paper, 543.0, 24.0, &offer);
        paper.code(&self.link, 525.0, 311.8)?;
        line(&mut paper, 190.0, 18.0, scan);
        line(
            &mut paper,
            160.0,
            14.0,
            self.link
                .trim_start_matches("https://")
                .trim_start_matches("http://"),
        );
        let rule = format!(
            "{TICKETS} tickets, two jersey numbers on each. The first try scorers’ numbers win."
        );
        line(&mut paper, 118.0, 12.0, &rule);
        line(&mut paper, 90.0, 11.0, "18+ only, in Australia.");
        Some(paper.finish_bare())
    }

    /// What there is to win, and what the code is for.
    fn words(&self) -> (String, &'static str) {
        match self.phase {
            Phase::Active | Phase::SoldOut => (
                format!("Win up to {} · {} a ticket", self.prize_max, self.price),
                "Scan to buy tickets",
            ),
            Phase::Closed => ("Sales have closed".to_string(), "Scan to see who wins"),
            Phase::Completed => (
                "The draw is completed".to_string(),
                "Scan to see the winning ticket",
            ),
            Phase::Cancelled => (
                "This draw was cancelled. Every ticket is refunded.".to_string(),
                "Scan to read more",
            ),
        }
    }
}

/// A line in the middle, smaller where it would not fit.
fn line(paper: &mut Paper, y: f32, most: f32, text: &str) {
    let wide = WIDTH - 2.0 * MARGIN;
    let size = most.min(most * wide / paper.width(text, most).max(1.0));
    paper.text_centred(y, size, text);
}
