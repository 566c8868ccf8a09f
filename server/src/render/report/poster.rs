//! A draw on a clubhouse wall.

use domain::{Cents, TICKETS};

use super::Facts;
use crate::render::paper::{MARGIN, Paper, WIDTH};
use crate::render::when;

/// One game, one code, on one page: 100 mm of it with its quiet zone.
pub fn poster(facts: &Facts, link: &str, prize_max: Cents) -> Option<Vec<u8>> {
    let mut paper = Paper::new(&format!("{} v {}", facts.home, facts.away))?;
    let wide = WIDTH - 2.0 * MARGIN;
    let size = |paper: &Paper, text: &str, most: f32| most.min(most * wide / paper.width(text, most).max(1.0));
    let line = |paper: &mut Paper, y: f32, most: f32, text: &str| {
        let size = size(paper, text, most);
        paper.text_centred(y, size, text);
    };
    line(&mut paper, 770.0, 20.0, &facts.club);
    if let Some(league) = &facts.league {
        line(&mut paper, 745.0, 14.0, league);
    }
    line(&mut paper, 705.0, 40.0, &facts.home);
    line(&mut paper, 668.0, 18.0, "v");
    line(&mut paper, 622.0, 40.0, &facts.away);
    line(&mut paper, 585.0, 16.0, &when::long(facts.kick_off, &facts.zone));
    line(&mut paper, 545.0, 22.0, &format!("Win up to {prize_max} · {} a ticket", facts.price));
    paper.code(link, 525.0, 311.8)?;
    line(&mut paper, 190.0, 18.0, "Scan to buy tickets");
    let plain = link.trim_start_matches("https://").trim_start_matches("http://");
    line(&mut paper, 160.0, 14.0, plain);
    line(
        &mut paper,
        118.0,
        12.0,
        &format!("{TICKETS} tickets, two jersey numbers on each. The first try scorers’ numbers win."),
    );
    line(&mut paper, 90.0, 11.0, "18+ only, in Australia.");
    Some(paper.finish_bare())
}
