//! Mails to winners, as the sandbox's mailbox receives them. Each winner whose ticket was sold gets
//! one, and no other draw has such a mail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use persistence::auditor::Auditor;

use super::Game;
use super::prizes::GameOutcome;
use crate::audit::AuditCheck;
use crate::browser::{Browser, Request, json_number_at, json_text_at};
use crate::club::body_of_success;
use crate::latency::CallKind;
use crate::test_run::TestRun;

/// How often the mailbox is polled for a mail before the mail counts as missing.
const MAILBOX_POLLS_MAX: u32 = 150;
const MAILBOX_POLL_PAUSE: Duration = Duration::from_millis(100);
/// Maximum number of mails in one response of the mailbox. A round has fewer winners.
const MAILS_PER_RESPONSE_MAX: usize = 200;

/// One mail to a winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinnerMail {
    pub to: String,
    pub text: String,
}

pub struct WinnerMails {
    browser: Browser,
    /// Id of the newest mail that was read from the mailbox.
    last_id: i64,
    by_draw: BTreeMap<i64, Vec<WinnerMail>>,
    /// Number of winner mails that the outbox already contained, for draws of the demo itself.
    in_outbox_before: i64,
}

impl WinnerMails {
    pub async fn open(test_run: &TestRun) -> Result<Self> {
        let browser = Browser::open(Arc::clone(&test_run.site), 0)?;
        let in_outbox_before = count_winner_mails_in_outbox(test_run).await?;
        Ok(Self {
            browser,
            last_id: 0,
            by_draw: BTreeMap::new(),
            in_outbox_before,
        })
    }

    /// Reads new mails from the sandbox's mailbox. Each round must call this, because the mailbox
    /// drops old mails.
    pub async fn read_new_mails(&mut self) -> Result<()> {
        let path = format!(
            "/sandbox/mailbox.json?kind=winner&after={}&limit={MAILS_PER_RESPONSE_MAX}",
            self.last_id
        );
        let answer = self
            .browser
            .send_with_retries(CallKind::Club, &Request::get(path))
            .await
            .context("no mailbox")?;
        let messages = body_of_success(&answer, "reading the mailbox")?
            .get("messages")
            .and_then(|rows| rows.as_array());
        for mail in messages.into_iter().flatten() {
            self.last_id = self.last_id.max(json_number_at(mail, "/id").unwrap_or(0));
            let (to, text) = (json_text_at(mail, "/to"), json_text_at(mail, "/text"));
            let draw = draw_number_in(&text)
                .with_context(|| format!("a winner's mail without a ticket: {text}"))?;
            self.by_draw
                .entry(draw)
                .or_default()
                .push(WinnerMail { to, text });
        }
        Ok(())
    }

    /// Waits for the first mail about a draw and returns its text. `None` when none arrives in
    /// time.
    pub async fn wait_for_mail(&mut self, draw: i64) -> Result<Option<String>> {
        for _ in 0..MAILBOX_POLLS_MAX {
            self.read_new_mails().await?;
            if let Some(mail) = self.by_draw.get(&draw).and_then(|mails| mails.first()) {
                return Ok(Some(mail.text.clone()));
            }
            tokio::time::sleep(MAILBOX_POLL_PAUSE).await;
        }
        Ok(None)
    }

    /// Checks that each winner whose ticket was sold has exactly one mail in the mailbox, and that
    /// the outbox contains no other. `failures` are findings of earlier rounds, which are reported
    /// too.
    pub async fn check_mails(
        &mut self,
        test_run: &TestRun,
        games: &[Game],
        outcomes: &[GameOutcome],
        mut failures: Vec<String>,
    ) -> Result<AuditCheck> {
        self.read_new_mails().await?;
        let mut expected: BTreeMap<i64, Option<&str>> =
            games.iter().map(|game| (game.draw, None)).collect();
        for outcome in outcomes.iter().filter(|outcome| outcome.winner.sold) {
            expected.insert(games[outcome.game].draw, Some(&outcome.winner.email));
        }
        failures.extend(mail_mismatches(&expected, &self.by_draw));
        let sold = expected.values().flatten().count();
        if sold == 0 {
            failures.push("not one winning ticket was sold".to_owned());
        }
        if test_run
            .server_process
            .lock()
            .await
            .database_access()
            .is_some()
        {
            let queued = count_winner_mails_in_outbox(test_run).await? - self.in_outbox_before;
            if queued != sold as i64 {
                failures.push(format!(
                    "{sold} sold winners, {queued} winner mails in the outbox"
                ));
            }
        }
        Ok(AuditCheck::new(
            "each sold winner is notified exactly once",
            sold,
            failures,
        ))
    }
}

/// Returns the number of winner mails in the outbox, in any state. Zero when the access to the
/// database is not known.
async fn count_winner_mails_in_outbox(test_run: &TestRun) -> Result<i64> {
    let Some(access) = test_run.server_process.lock().await.database_access() else {
        return Ok(0);
    };
    let mails = Auditor::open(&access.url)
        .await
        .context("opening the database")?
        .count_mails_by_kind_and_state()
        .await?;
    Ok(mails
        .iter()
        .filter(|(kind, ..)| kind == "winner")
        .map(|(.., count)| *count)
        .sum())
}

/// Returns a message for each draw whose mails differ from the expected ones. `expected` contains
/// for each draw the winner's address, or `None` if the winning ticket was not sold.
fn mail_mismatches(
    expected: &BTreeMap<i64, Option<&str>>,
    by_draw: &BTreeMap<i64, Vec<WinnerMail>>,
) -> Vec<String> {
    let mut failures = Vec::new();
    for (draw, winner) in expected {
        let mails = by_draw.get(draw).map_or(&[][..], Vec::as_slice);
        let addresses: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
        if addresses != Vec::from_iter(*winner) {
            failures.push(format!(
                "FD-{draw}: the winner is {winner:?}, mails went to {addresses:?}"
            ));
        }
    }
    failures
}

/// Reads the draw's number from the first ticket label in a mail, such as `FD-1042-017`.
fn draw_number_in(mail: &str) -> Option<i64> {
    mail.split("FD-").skip(1).find_map(|rest| {
        let (draw, serial) = rest.split_once('-')?;
        serial
            .starts_with(|first: char| first.is_ascii_digit())
            .then(|| draw.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch_count(mails: &[(i64, &str)]) -> usize {
        let expected = BTreeMap::from([(1, Some("a@crowd.test")), (2, None)]);
        let mut by_draw: BTreeMap<i64, Vec<WinnerMail>> = BTreeMap::new();
        for (draw, to) in mails {
            by_draw.entry(*draw).or_default().push(WinnerMail {
                to: (*to).to_owned(),
                text: String::new(),
            });
        }
        mail_mismatches(&expected, &by_draw).len()
    }

    #[test]
    fn one_mail_to_each_sold_winner_passes() {
        assert_eq!(mismatch_count(&[(1, "a@crowd.test")]), 0);
        assert_eq!(
            mismatch_count(&[(1, "a@crowd.test"), (9, "other@demo.test")]),
            0,
            "a draw of the demo's own"
        );
    }

    #[test]
    fn dropped_doubled_and_misdirected_winner_mails_are_found() {
        assert_eq!(mismatch_count(&[]), 1, "dropped");
        assert_eq!(
            mismatch_count(&[(1, "a@crowd.test"), (1, "a@crowd.test")]),
            1,
            "doubled"
        );
        assert_eq!(
            mismatch_count(&[(1, "b@crowd.test")]),
            1,
            "to another buyer"
        );
        assert_eq!(
            mismatch_count(&[(1, "a@crowd.test"), (2, "b@crowd.test")]),
            1,
            "the winning ticket was not sold"
        );
    }

    #[test]
    fn draw_is_read_from_a_ticket_label() {
        assert_eq!(
            draw_number_in("FD-draws: your ticket FD-1042-017 has won."),
            Some(1042)
        );
        assert_eq!(draw_number_in("Draw FD-1042 is over."), None);
    }
}
