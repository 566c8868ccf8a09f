//! The end of a season: reports every check, waits until bank details are deleted and buyers are
//! erased, and audits again.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use persistence::auditor::Auditor;
use serde_json::Value;

use super::Game;
use super::operator::Operator;
use super::prizes::{GameOutcome, PrizeFindings};
use super::rounds::{AbandonedGame, SeasonProgress};
use crate::audit::{AuditCheck, SettledPayment};
use crate::browser::{Browser, Request, json_number_at, json_text_at};
use crate::club::{Club, parse_cents};
use crate::latency::CallKind;
use crate::report::{Report, Table, format_dollars};
use crate::test_run::{RunObservations, TestRun};
use crate::transcript::{CompletionOutcome, Ticket};

const DAY_SECONDS: i64 = 86_400;
/// Days after which buyers are erased: thirteen months after their last game, with some days of
/// margin.
const BUYERS_ERASED_AFTER_DAYS: i64 = 13 * 31 + 3;
/// Maximum number of steps of the clock until all buyers are erased. Each step starts one erasure,
/// which handles a limited number of draws.
const ERASURE_CLOCK_STEPS_MAX: usize = 60;

pub async fn audit_finished_season(
    test_run: &TestRun,
    operator: &Operator,
    clubs: &[Club],
    games: &[Game],
    played: SeasonProgress<'_>,
    report: &mut Report,
) -> Result<()> {
    let SeasonProgress {
        prizes,
        transcripts,
        settled,
        abandoned,
        postponed_games,
        recovered,
        not_closed,
        closed,
        ..
    } = played;
    let (outcomes, findings, mut mails) = (prizes.outcomes, prizes.findings, prizes.mails);
    std::fs::remove_file(&prizes.script).ok();
    add_season_facts(
        report,
        games,
        sold_tickets(&settled).count(),
        &outcomes,
        &findings,
    );
    report.add_fact("postponed games", postponed_games);
    report.add_fact(
        "buyers without an address, entered by the operator",
        recovered,
    );
    if let Some(abandoned) = &abandoned {
        let tickets = sold_tickets(&abandoned.settled).count();
        report.add_fact(
            "refunded for the abandoned game",
            format!("{} orders, {tickets} tickets", abandoned.orders),
        );
    }
    report.checks.push(AuditCheck::new(
        "sales close at kick-off",
        closed,
        not_closed,
    ));
    report.checks.push(
        mails
            .check_mails(test_run, games, &outcomes, findings.not_notified_once)
            .await?,
    );
    report.checks.push(AuditCheck::new(
        "seeds are shown after the game and never before",
        outcomes.len(),
        findings.not_revealed,
    ));
    report.checks.push(AuditCheck::new(
        "loadtest/verify.py accepts the draw",
        findings.verified,
        findings.not_verified,
    ));
    report
        .checks
        .push(check_winners_informed(test_run, games, &outcomes, &settled).await?);
    let claims = findings.claimed_by_link + findings.claimed_late;
    report.checks.push(AuditCheck::new(
        "prizes are claimed by link, or after 7 days by the club",
        claims,
        findings.not_claimed,
    ));
    report
        .checks
        .push(check_prizes_paid(&outcomes, findings.not_paid));
    report
        .checks
        .extend(check_abandoned_game_refunded(test_run, abandoned.as_ref()).await?);
    report
        .tables
        .push(club_table(clubs, games, &outcomes).await?);
    let observed = RunObservations {
        transcripts,
        ..RunObservations::default()
    };
    test_run.audit_and_report(&observed, report).await?;
    report
        .checks
        .push(check_bank_details_deleted(operator, clubs, games, &outcomes).await?);
    report
        .checks
        .extend(check_buyers_erased(test_run, operator).await?);
    let mut after = Report::default();
    let access = test_run.server_process.lock().await.database_access();
    crate::database_audit::audit_database(
        &test_run.site,
        access.as_ref(),
        test_run.initial_anomalies(),
        &mut after,
    )
    .await?;
    report
        .checks
        .extend(after.checks.into_iter().map(|check| AuditCheck {
            name: format!("after erasure: {}", check.name),
            ..check
        }));
    Ok(())
}

fn add_season_facts(
    report: &mut Report,
    games: &[Game],
    tickets: usize,
    outcomes: &[GameOutcome],
    findings: &PrizeFindings,
) {
    let sold = outcomes
        .iter()
        .filter(|outcome| outcome.winner.sold)
        .count();
    let paid: i64 = outcomes
        .iter()
        .filter_map(|outcome| outcome.paid_cents)
        .sum();
    report.add_fact(
        "tickets sold",
        format!("{tickets} of {} on offer", games.len() * 169),
    );
    report.add_fact("games with a result", outcomes.len());
    report.add_fact("sold winners", sold);
    report.add_fact("claimed by link", findings.claimed_by_link);
    report.add_fact(
        "let seven days pass, paid by way of the club",
        findings.claimed_late,
    );
    report.add_fact("prizes paid", format_dollars(paid));
}

/// Returns every sold ticket with the payment for it.
fn sold_tickets(settled: &[SettledPayment]) -> impl Iterator<Item = (Ticket, &SettledPayment)> {
    settled.iter().flat_map(|settled| match &settled.order {
        CompletionOutcome::Tickets(tickets) => {
            tickets.iter().map(|ticket| (*ticket, settled)).collect()
        }
        _ => Vec::new(),
    })
}

/// Checks that the order page of each winner shows the winning ticket.
async fn check_winners_informed(
    test_run: &TestRun,
    games: &[Game],
    outcomes: &[GameOutcome],
    settled: &[SettledPayment],
) -> Result<AuditCheck> {
    let browser = Browser::open(Arc::clone(&test_run.site), 0)?;
    let owners: HashMap<Ticket, &SettledPayment> = sold_tickets(settled).collect();
    let (mut examined, mut failures) = (0, Vec::new());
    for outcome in outcomes.iter().filter(|outcome| outcome.winner.sold) {
        let ticket = (games[outcome.game].draw, outcome.winner.ticket);
        examined += 1;
        let Some(owner) = owners.get(&ticket) else {
            failures.push(format!("no buyer holds {ticket:?}"));
            continue;
        };
        let page = Request::get(format!("/api/orders/{}", owner.payment.token));
        let page = browser
            .send_with_retries(CallKind::Order, &page)
            .await
            .context("no order page")?;
        let won = winning_tickets(&page.body);
        if !won.contains(&ticket)
            || !matches!(
                CompletionOutcome::from_order_page(&page),
                CompletionOutcome::Tickets(_)
            )
        {
            failures.push(format!("the owner of {ticket:?} reads {won:?}"));
        }
    }
    Ok(AuditCheck::new(
        "winners read that they won",
        examined,
        failures,
    ))
}

fn winning_tickets(order: &Value) -> Vec<(i64, i64)> {
    let rows = |value: &Value, field: &str| {
        value
            .get(field)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let mut won = Vec::new();
    for line in rows(order, "lines") {
        for ticket in rows(&line, "tickets")
            .iter()
            .filter(|ticket| ticket["isWinner"] == true)
        {
            won.extend(
                json_number_at(&line, "/drawNumber").zip(json_number_at(ticket, "/ticketNumber")),
            );
        }
    }
    won
}

fn check_prizes_paid(outcomes: &[GameOutcome], mut failures: Vec<String>) -> AuditCheck {
    let sold: Vec<&GameOutcome> = outcomes
        .iter()
        .filter(|outcome| outcome.winner.sold)
        .collect();
    let unpaid = sold.iter().filter(|outcome| outcome.paid_cents.is_none());
    failures.extend(unpaid.map(|outcome| {
        format!(
            "ticket {} of game {} is not paid",
            outcome.winner.ticket, outcome.game
        )
    }));
    AuditCheck::new(
        "each sold winner is paid the prize to the cent",
        sold.len(),
        failures,
    )
}

/// Checks that every buyer of the abandoned game got a full refund, and that no other buyer got
/// one.
async fn check_abandoned_game_refunded(
    test_run: &TestRun,
    abandoned: Option<&AbandonedGame>,
) -> Result<Option<AuditCheck>> {
    let Some(abandoned) = abandoned else {
        return Ok(None);
    };
    let browser = Browser::open(Arc::clone(&test_run.site), 0)?;
    let (mut orders, mut cents, mut failures) = (0, 0, Vec::new());
    for settled in &abandoned.settled {
        let page = Request::get(format!("/api/orders/{}", settled.payment.token));
        let status = browser
            .send_with_retries(CallKind::Order, &page)
            .await
            .context("no order page")?
            .body_text_at("/status");
        let is_paid = matches!(settled.order, CompletionOutcome::Tickets(_));
        if is_paid {
            orders += 1;
            cents += settled.payment.amount_cents;
        }
        if is_paid != (status == "refunded") {
            failures.push(format!(
                "buyer {} had {:?} and reads {status}",
                settled.buyer, settled.order
            ));
        }
    }
    if (abandoned.orders, abandoned.cents) != (orders, cents) {
        let (draw, refunded) = (abandoned.draw, (abandoned.orders, abandoned.cents));
        failures.push(format!(
            "FD-{draw}: {refunded:?} orders and cents refunded, {:?} paid",
            (orders, cents)
        ));
    }
    Ok(Some(AuditCheck::new(
        "the abandoned game is refunded to the cent",
        abandoned.settled.len(),
        failures,
    )))
}

/// Checks that bank details are kept for 90 days after the payment, and then deleted.
async fn check_bank_details_deleted(
    operator: &Operator,
    clubs: &[Club],
    games: &[Game],
    outcomes: &[GameOutcome],
) -> Result<AuditCheck> {
    let now = operator.advance_clock(0).await?;
    let (mut examined, mut failures) = (0, Vec::new());
    for moved_days in [0, 91] {
        let now = if moved_days == 0 {
            now
        } else {
            operator.advance_clock(moved_days * DAY_SECONDS).await?
        };
        for outcome in outcomes {
            let Some(paid_at) = outcome.paid_at else {
                continue;
            };
            let days = (now - paid_at).whole_days();
            let game = &games[outcome.game];
            let is_kept = !clubs[game.club].winning_ticket(game.draw).await?["bank"].is_null();
            examined += 1;
            // On day 90 itself, the result depends on the hour, so that day is not checked.
            if days != 90 && is_kept != (days < 90) {
                failures.push(format!(
                    "FD-{}: paid {days} days ago, bank details kept: {is_kept}",
                    game.draw
                ));
            }
        }
    }
    Ok(AuditCheck::new(
        "bank details are purged 90 days after the payment",
        examined,
        failures,
    ))
}

/// Checks that after thirteen months no order of the season contains a buyer.
async fn check_buyers_erased(
    test_run: &TestRun,
    operator: &Operator,
) -> Result<Option<AuditCheck>> {
    let Some(access) = test_run.server_process.lock().await.database_access() else {
        return Ok(None);
    };
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the database")?;
    let before = auditor
        .count_orders_with_email_ending("@crowd.test")
        .await?;
    operator
        .advance_clock(BUYERS_ERASED_AFTER_DAYS * DAY_SECONDS)
        .await?;
    let mut left = before;
    for _ in 0..ERASURE_CLOCK_STEPS_MAX {
        left = auditor
            .count_orders_with_email_ending("@crowd.test")
            .await?;
        if left == 0 {
            break;
        }
        operator.advance_clock(60).await?;
    }
    let mut failures = Vec::new();
    if before == 0 || left > 0 {
        failures.push(format!("{before} orders named a buyer, {left} still do"));
    }
    Ok(Some(AuditCheck::new(
        "buyers are erased 13 months after the game",
        usize::try_from(before)?,
        failures,
    )))
}

async fn club_table(clubs: &[Club], games: &[Game], outcomes: &[GameOutcome]) -> Result<Table> {
    let head = [
        "",
        "draws",
        "revenue",
        "platform fee",
        "winners",
        "prizes paid",
    ];
    let mut table = Table::new("By club", &head);
    for (index, club) in clubs.iter().enumerate() {
        let (mut draws, mut revenue, mut fee, mut winners, mut paid) = (0, 0, 0, 0, 0);
        for outcome in outcomes
            .iter()
            .filter(|outcome| games[outcome.game].club == index)
        {
            let figures = club.financials(games[outcome.game].draw).await?;
            draws += 1;
            revenue += parse_cents(&json_text_at(&figures, "/totalRevenue"));
            fee += parse_cents(&json_text_at(&figures, "/platformFee"));
            winners += i32::from(outcome.winner.sold);
            paid += outcome.paid_cents.unwrap_or(0);
        }
        let (revenue, fee, paid) = (
            format_dollars(revenue),
            format_dollars(fee),
            format_dollars(paid),
        );
        table.add_row([
            club.slug.clone(),
            draws.to_string(),
            revenue,
            fee,
            winners.to_string(),
            paid,
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_and_written_to_the_cent() {
        assert_eq!(
            (
                parse_cents("12.50"),
                parse_cents("7"),
                parse_cents("0.5"),
                parse_cents("")
            ),
            (1250, 700, 50, 0)
        );
        assert_eq!(
            (format_dollars(1250).as_str(), format_dollars(-5).as_str()),
            ("$12.50", "-$0.05")
        );
    }

    #[test]
    fn winning_tickets_are_read_from_an_order_page() {
        let page = serde_json::json!({"lines": [
            {"drawNumber": 1001, "tickets": [{"ticketNumber": 3, "isWinner": true}, {"ticketNumber": 4, "isWinner": false}]},
            {"drawNumber": 1002, "tickets": [{"ticketNumber": 5, "isWinner": null}]}]});
        assert_eq!(winning_tickets(&page), vec![(1001, 3)]);
    }
}
