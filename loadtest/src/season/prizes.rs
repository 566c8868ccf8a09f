//! The prizes of the season: each result is revealed and verified, and the winner is notified,
//! claims the prize and is paid.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use time::OffsetDateTime;
use tokio::process::Command;

use super::Game;
use super::mails::WinnerMails;
use crate::browser::{Browser, Request, RunSettings, json_number_at, json_text_at};
use crate::club::{Club, WinningTicket, bank_details, body_of_success};
use crate::latency::CallKind;
use crate::transcript::Ticket;

/// Of this many winners, one lets the claim link expire.
const WINNERS_PER_EXPIRED_CLAIM: usize = 6;
/// Seconds after which a claim link has certainly expired: seven days, and ten minutes because the
/// mail may be sent after the noted time.
const CLAIM_LINK_SECONDS: u64 = 7 * 86_400 + 600;
const VERIFICATION_SCRIPT: &str = include_str!("../../verify.py");

/// A game, its result, and the state of its prize.
pub struct GameOutcome {
    pub game: usize,
    pub winner: WinningTicket,
    /// The prize that was paid, in cents. `None` if it is not paid yet or there is no winner.
    pub paid_cents: Option<i64>,
    pub paid_at: Option<OffsetDateTime>,
    /// When the club notified the winner. `None` before.
    notified_at: Option<OffsetDateTime>,
    /// Claim token of a winner who lets the link expire. `None` for all other winners.
    late_token: Option<String>,
}

/// Counts and failures of all checks about prizes.
#[derive(Default)]
pub struct PrizeFindings {
    pub verified: usize,
    pub claimed_by_link: usize,
    pub claimed_late: usize,
    pub not_verified: Vec<String>,
    pub not_revealed: Vec<String>,
    pub not_notified_once: Vec<String>,
    pub not_claimed: Vec<String>,
    pub not_paid: Vec<String>,
}

/// Writes the script `verify.py` into the temporary folder, and returns its path.
pub fn write_verification_script() -> Result<PathBuf> {
    let path = std::env::temp_dir().join(format!("fd-verify-{}.py", uuid::Uuid::new_v4().simple()));
    std::fs::write(&path, VERIFICATION_SCRIPT)
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

pub struct PrizeSettler<'a> {
    pub site: &'a Arc<RunSettings>,
    pub clubs: &'a [Club],
    pub script: PathBuf,
    pub browser: Browser,
    pub outcomes: Vec<GameOutcome>,
    pub findings: PrizeFindings,
    pub mails: WinnerMails,
    /// Number of winners with a sold ticket so far.
    pub sold: usize,
}

impl<'a> PrizeSettler<'a> {
    pub fn new(site: &'a Arc<RunSettings>, clubs: &'a [Club], mails: WinnerMails) -> Result<Self> {
        let browser = Browser::open(Arc::clone(site), 0)?;
        let (outcomes, findings) = (Vec::new(), PrizeFindings::default());
        Ok(Self {
            site,
            clubs,
            script: write_verification_script()?,
            browser,
            outcomes,
            findings,
            mails,
            sold: 0,
        })
    }

    /// Enters the result of a game, and lets the winner be notified and paid. Some winners let the
    /// claim link expire instead.
    pub async fn settle_game(
        &mut self,
        index: usize,
        game: &Game,
        (home, away): (u8, u8),
        now: OffsetDateTime,
    ) -> Result<()> {
        let club = &self.clubs[game.club];
        let before = self.fetch_proof(game.draw).await?;
        let winner = club
            .enter_result(game.draw, home, away)
            .await
            .with_context(|| format!("FD-{}", game.draw))?;
        let after = self.fetch_proof(game.draw).await?;
        let seeds = (
            json_text_at(&before, "/seed").is_empty(),
            json_text_at(&after, "/seed").is_empty(),
        );
        if seeds != (true, false) || json_number_at(&after, "/winningTicket") != Some(winner.ticket)
        {
            self.findings.not_revealed.push(format!(
                "FD-{}: {seeds:?}, {}",
                game.draw,
                json_text_at(&after, "/winningTicket")
            ));
        }
        self.verify_proof(game.draw).await?;
        let mut outcome = GameOutcome {
            game: index,
            winner,
            paid_cents: None,
            paid_at: None,
            notified_at: None,
            late_token: None,
        };
        if outcome.winner.sold {
            self.notify_and_pay(&mut outcome, game, now)
                .await
                .with_context(|| format!("the prize of FD-{}", game.draw))?;
        } else if club.notify_winner(game.draw).await? != 0 {
            self.findings
                .not_notified_once
                .push(format!("FD-{}: a mail without a winner", game.draw));
        }
        self.outcomes.push(outcome);
        Ok(())
    }

    async fn fetch_proof(&self, draw: i64) -> Result<serde_json::Value> {
        let path = format!("/api/public/draws/{draw}/proof");
        let answer = self
            .browser
            .send_with_retries(CallKind::Club, &Request::get(path))
            .await
            .context("no proof")?;
        body_of_success(&answer, "reading the proof").cloned()
    }

    async fn verify_proof(&mut self, draw: i64) -> Result<()> {
        let run = Command::new("python3")
            .arg(&self.script)
            .arg(&self.site.base)
            .arg(draw.to_string())
            .output()
            .await;
        let run = run.context("running verify.py with python3")?;
        self.findings.verified += 1;
        if !run.status.success() {
            let lines = String::from_utf8_lossy(&run.stdout).into_owned()
                + &String::from_utf8_lossy(&run.stderr);
            self.findings
                .not_verified
                .push(format!("FD-{draw}: {lines}"));
        }
        Ok(())
    }

    async fn notify_and_pay(
        &mut self,
        outcome: &mut GameOutcome,
        game: &Game,
        now: OffsetDateTime,
    ) -> Result<()> {
        let (club, draw) = (&self.clubs[game.club], game.draw);
        // The request is sent twice, as by an impatient club. The second finds that the mail is
        // queued already.
        let notified = (
            club.notify_winner(draw).await?,
            club.notify_winner(draw).await?,
        );
        if notified != (1, 1) {
            self.findings
                .not_notified_once
                .push(format!("FD-{draw}: notifying twice answered {notified:?}"));
        }
        outcome.notified_at = Some(now);
        let Some(token) = self
            .mails
            .wait_for_mail(draw)
            .await?
            .and_then(|mail| claim_token(&mail))
        else {
            self.findings
                .not_claimed
                .push(format!("FD-{draw}: no claim link arrived"));
            return Ok(());
        };
        self.sold += 1;
        if self.sold % WINNERS_PER_EXPIRED_CLAIM == 2 {
            outcome.late_token = Some(token);
            return Ok(());
        }
        let claim_state = self
            .post_json("/api/claims/look", json!({"token": token}))
            .await?;
        let claimed = self
            .post_json("/api/claims", bank_details(Some(&token)))
            .await?;
        let again = self
            .post_json("/api/claims", bank_details(Some(&token)))
            .await?;
        self.findings.claimed_by_link += 1;
        let states = (
            claim_state.body_text_at("/state"),
            claimed.body_text_at("/state"),
            again.body_text_at("/code"),
        );
        if states
            != (
                "open".to_owned(),
                "received".to_owned(),
                "claim-used".to_owned(),
            )
        {
            self.findings
                .not_claimed
                .push(format!("FD-{draw}: the claim page says {states:?}"));
        }
        self.pay_prize(outcome, game, now).await
    }

    /// Handles winners whose claim link has expired: checks that the link is refused, and lets the
    /// club enter the bank details instead.
    pub async fn settle_claims_after_expiry(
        &mut self,
        games: &[Game],
        now: OffsetDateTime,
    ) -> Result<()> {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for outcome in &mut outcomes {
            let game = &games[outcome.game];
            let Some(notified_at) = outcome.notified_at else {
                continue;
            };
            let due = notified_at + Duration::from_secs(CLAIM_LINK_SECONDS) <= now;
            let Some(token) = outcome.late_token.take_if(|_| due) else {
                continue;
            };
            let claim_state = self
                .post_json("/api/claims/look", json!({"token": token}))
                .await?;
            let refused = self
                .post_json("/api/claims", bank_details(Some(&token)))
                .await?;
            self.findings.claimed_late += 1;
            if (claim_state.body_text_at("/state").as_str(), refused.status) != ("expired", 410) {
                let state = claim_state.body_text_at("/state");
                self.findings.not_claimed.push(format!(
                    "FD-{}: {state}, {} after 7 days",
                    game.draw, refused.status
                ));
            }
            self.clubs[game.club].enter_bank_details(game.draw).await?;
            self.pay_prize(outcome, game, now).await?;
        }
        self.outcomes = outcomes;
        Ok(())
    }

    async fn pay_prize(
        &mut self,
        outcome: &mut GameOutcome,
        game: &Game,
        now: OffsetDateTime,
    ) -> Result<()> {
        let club = &self.clubs[game.club];
        let paid = club.pay_winner(game.draw).await?;
        let shown = club.winning_ticket(game.draw).await?;
        if paid != outcome.winner.prize_cents
            || json_text_at(&shown, "/winnerPayoutStatus") != "completed"
        {
            let (prize, shown) = (
                outcome.winner.prize_cents,
                json_text_at(&shown, "/winnerPayoutStatus"),
            );
            self.findings.not_paid.push(format!(
                "FD-{}: prize {prize}, paid {paid}, shown {shown}",
                game.draw
            ));
        }
        (outcome.paid_cents, outcome.paid_at) = (Some(paid), Some(now));
        Ok(())
    }

    async fn post_json(
        &self,
        path: &str,
        body: serde_json::Value,
    ) -> Result<crate::browser::ServerResponse> {
        self.browser
            .send_with_retries(CallKind::Club, &Request::post(path, body))
            .await
            .with_context(|| format!("{path}: no answer"))
    }

    /// Reads the number pair of a ticket (two jersey numbers) from the buyer's order page, after
    /// the sale has closed.
    pub async fn jersey_pair_of(&self, token: &str, ticket: Ticket) -> Result<(u8, u8)> {
        let page = Request::get(format!("/api/orders/{token}"));
        let page = self
            .browser
            .send_with_retries(CallKind::Order, &page)
            .await
            .context("no order page")?;
        let lines = page.body["lines"]
            .as_array()
            .context("an order page without lines")?;
        let line = lines
            .iter()
            .find(|line| json_number_at(line, "/drawNumber") == Some(ticket.0))
            .context("no such line")?;
        let tickets = line["tickets"]
            .as_array()
            .context("a line without tickets")?;
        let found = tickets
            .iter()
            .find(|row| json_number_at(row, "/ticketNumber") == Some(ticket.1))
            .context("no ticket")?;
        let jersey =
            |name: &str| json_number_at(found, name).and_then(|jersey| u8::try_from(jersey).ok());
        jersey("/homeNumber")
            .zip(jersey("/awayNumber"))
            .with_context(|| format!("no pair: {found}"))
    }
}

/// Returns the claim token in a mail, which follows `/claim#`.
fn claim_token(mail: &str) -> Option<String> {
    let (_, rest) = mail.split_once("/claim#")?;
    let token: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    (token.len() == 64).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_token_is_read_from_a_mail() {
        let token = "ab".repeat(32);
        assert_eq!(
            claim_token(&format!("Open http://x/claim#{token}\nSoon.")),
            Some(token)
        );
        assert_eq!(claim_token("Open http://x/claim#12 soon."), None);
    }

    #[test]
    fn verification_script_is_written_whole() {
        let path = write_verification_script().expect("written");
        let script = std::fs::read_to_string(&path).expect("read");
        std::fs::remove_file(path).expect("removed");
        assert!(
            script.starts_with("\"\"\"python3 verify.py") && script.contains("sys.exit(not all"),
            "{script}"
        );
    }
}
