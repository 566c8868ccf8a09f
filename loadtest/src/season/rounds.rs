//! One round of a season: its games are sold, close at kick-off, and their prizes are paid. One
//! round is postponed, and one game is abandoned.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use time::OffsetDateTime;
use time::macros::format_description;

use super::mails::WinnerMails;
use super::operator::Operator;
use super::prizes::PrizeSettler;
use super::{Game, SeasonArgs};
use crate::audit::{SettledPayment, wait_for_final_outcomes};
use crate::browser::{Browser, Request, json_number_at};
use crate::club::Club;
use crate::crowd::{self, CrowdAdmission};
use crate::crowd_plan::{BuyerHabits, CrowdPlan};
use crate::latency::CallKind;
use crate::test_run::{FINAL_OUTCOME_SECONDS_MAX, TestRun};
use crate::transcript::{BuyerTranscript, CompletionOutcome};

/// Index of the round that is postponed.
const POSTPONED_ROUND_INDEX: usize = 1;
/// Time by which the games of the postponed round are moved.
const POSTPONEMENT: Duration = Duration::from_secs(3 * 86_400);
/// Index of the round whose first game is abandoned, so that its draw is cancelled.
const ABANDONED_ROUND_INDEX: usize = 2;
/// Time from the arrival of most buyers of a round to the round's first kick-off.
const SALE_LEAD_TIME: Duration = Duration::from_secs(2 * 86_400);
/// Time from the start of a round's last crowd to the first kick-off. It is short, so that some
/// purchases cross the kick-off.
const LATE_CROWD_LEAD_TIME: Duration = Duration::from_secs(3);
/// Maximum pause of a buyer in milliseconds. It is short, because pauses take real time.
const BUYER_PAUSE_MS_MAX: u64 = 100;
/// Maximum pause of a buyer in a round's last crowd, in milliseconds. It is long enough to cross
/// the kick-off.
const LATE_BUYER_PAUSE_MS_MAX: u64 = 3_000;
/// Time after kick-off when a game is certainly over, even with extra time.
const GAME_LENGTH_MAX: Duration = Duration::from_secs(3 * 3600);

/// What has happened in the season so far.
pub struct SeasonProgress<'a> {
    test_run: &'a TestRun,
    season: &'a SeasonArgs,
    pub prizes: PrizeSettler<'a>,
    pub transcripts: Vec<BuyerTranscript>,
    /// Final states of the payments of all buyers so far, according to server and provider.
    pub settled: Vec<SettledPayment>,
    pub abandoned: Option<AbandonedGame>,
    pub postponed_games: usize,
    /// Number of orders without a buyer's address for which the operator entered one.
    pub recovered: usize,
    pub not_closed: Vec<String>,
    pub closed: usize,
    buyers: usize,
}

/// A crowd of buyers in one round.
struct RoundCrowd {
    buyers: usize,
    /// The time within which all buyers of this crowd arrive.
    over: Duration,
    thinks_ms_max: u64,
    has_carts: bool,
}

/// The cancelled draw of the abandoned game, with its payments before the cancellation and its
/// refunds.
pub struct AbandonedGame {
    pub draw: i64,
    pub settled: Vec<SettledPayment>,
    pub orders: i64,
    pub cents: i64,
}

impl<'a> SeasonProgress<'a> {
    pub async fn new(
        test_run: &'a TestRun,
        season: &'a SeasonArgs,
        clubs: &'a [Club],
    ) -> Result<Self> {
        Ok(Self {
            test_run,
            season,
            prizes: PrizeSettler::new(&test_run.site, clubs, WinnerMails::open(test_run).await?)?,
            transcripts: Vec::new(),
            settled: Vec::new(),
            abandoned: None,
            postponed_games: 0,
            recovered: 0,
            not_closed: Vec::new(),
            closed: 0,
            buyers: 0,
        })
    }

    /// Plays one round. Returns the demo's time at its end.
    pub async fn play_round(
        &mut self,
        operator: &Operator,
        games: &mut [Game],
        within: Range<usize>,
        round: usize,
    ) -> Result<OffsetDateTime> {
        let total = games.len();
        let share = |part: usize| self.season.buyers * part / total;
        let buyers = share(within.end) - share(within.start);
        operator
            .advance_clock_to(games[within.start].kick_off()? - SALE_LEAD_TIME)
            .await?;
        let early = buyers * 3 / 4;
        let has_carts = round != ABANDONED_ROUND_INDEX;
        let sale = RoundCrowd {
            buyers: early,
            over: Duration::from_secs(1),
            thinks_ms_max: BUYER_PAUSE_MS_MAX,
            has_carts,
        };
        let mut transcripts = self.sell_tickets(&games[within.clone()], sale).await?;
        if round == POSTPONED_ROUND_INDEX {
            self.postpone_round(operator, &mut games[within.clone()])
                .await?;
        }
        // Moves the clock by five minutes. Then the server's sweeper decides the orders of buyers
        // who closed the tab, because it handles only orders that are some minutes old.
        operator.advance_clock(300).await?;
        let settle_timeout = Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX);
        wait_for_final_outcomes(&self.test_run.site, &transcripts, settle_timeout).await?;
        operator
            .advance_clock_to(games[within.start].kick_off()? - LATE_CROWD_LEAD_TIME)
            .await?;
        let (over, thinks_ms_max) = (2 * LATE_CROWD_LEAD_TIME, LATE_BUYER_PAUSE_MS_MAX);
        let sale = RoundCrowd {
            buyers: buyers - early,
            over,
            thinks_ms_max,
            has_carts,
        };
        transcripts.extend(self.sell_tickets(&games[within.clone()], sale).await?);
        let (mut settled, _) =
            wait_for_final_outcomes(&self.test_run.site, &transcripts, settle_timeout).await?;
        let mut now = operator
            .advance_clock_to(games[within.end - 1].kick_off()? + GAME_LENGTH_MAX)
            .await?;
        let mut played = within;
        if round == ABANDONED_ROUND_INDEX {
            let draw = games[played.start].draw;
            self.check_sales_closed(draw).await?;
            let (orders, cents) = operator.cancel_draw(draw).await?;
            let (abandoned_buyers, remaining): (Vec<BuyerTranscript>, _) = transcripts
                .into_iter()
                .partition(|transcript| transcript.draws.contains(&draw));
            transcripts = remaining;
            let abandoned_buyers: HashSet<usize> = abandoned_buyers
                .iter()
                .map(|transcript| transcript.buyer)
                .collect();
            let (refunded, remaining) = settled
                .into_iter()
                .partition(|settled| abandoned_buyers.contains(&settled.buyer));
            settled = remaining;
            self.abandoned = Some(AbandonedGame {
                draw,
                settled: refunded,
                orders,
                cents,
            });
            played.start += 1;
        }
        self.recovered += operator.enter_missing_addresses(&settled).await?;
        for game in played {
            self.check_sales_closed(games[game].draw).await?;
            let result = self.result_to_enter(&games[game], &settled).await?;
            self.prizes
                .settle_game(game, &games[game], result, now)
                .await?;
        }
        self.prizes.mails.read_new_mails().await?;
        self.transcripts.extend(transcripts);
        self.settled.extend(settled);
        now = operator.advance_clock(0).await?;
        println!(
            "round {}: {buyers} buyers, {} winners sold so far, at {now}, after {:.0} s",
            round + 1,
            self.prizes.sold,
            self.test_run.site.elapsed().as_secs_f64()
        );
        Ok(now)
    }

    /// Returns the result to enter for a game: the one in the file, or one with which a sold ticket
    /// wins.
    async fn result_to_enter(&self, game: &Game, settled: &[SettledPayment]) -> Result<(u8, u8)> {
        let sold = settled.iter().find_map(|settled| match &settled.order {
            CompletionOutcome::Tickets(tickets) => tickets
                .iter()
                .find(|ticket| ticket.0 == game.draw)
                .map(|ticket| (settled, *ticket)),
            _ => None,
        });
        match sold {
            Some((settled, ticket)) if self.season.sold_tickets_win => {
                self.prizes
                    .jersey_pair_of(&settled.payment.token, ticket)
                    .await
            }
            _ => Ok(game.fixture.result),
        }
    }

    async fn sell_tickets(
        &mut self,
        games: &[Game],
        sale: RoundCrowd,
    ) -> Result<Vec<BuyerTranscript>> {
        let buyers = sale.buyers;
        let same_club = |one: &Game| {
            (0..games.len())
                .filter(|other| games[*other].club == one.club)
                .collect()
        };
        let crowd = CrowdPlan {
            seed: self.season.seed + self.buyers as u64,
            buyers,
            over_ms: u64::try_from(sale.over.as_millis())?,
            late: 70,
            most: 30,
            habits: BuyerHabits {
                declined: 5,
                second_card: 5,
                needs_authentication: 8,
                abandoners: 5,
                closed_tabs: 20,
            },
            together: if sale.has_carts {
                games.iter().map(same_club).collect()
            } else {
                Vec::new()
            },
        };
        let mut plans = crowd.buyer_plans(games.len());
        for plan in &mut plans {
            plan.number += self.buyers;
            plan.pause_ms = plan.pause_ms.min(sale.thinks_ms_max);
        }
        self.buyers += buyers;
        let draws = games.iter().map(|game| game.draw).collect();
        let admission = CrowdAdmission {
            draws,
            wait_for_tickets: Duration::ZERO,
            at_once: self.season.at_once,
        };
        crowd::simulate_buyers(
            Arc::clone(&self.test_run.site),
            plans,
            admission,
            crowd::progress_bar("buyers", buyers),
        )
        .await
    }

    async fn postpone_round(&mut self, operator: &Operator, games: &mut [Game]) -> Result<()> {
        let minute = format_description!("[year]-[month]-[day]T[hour]:[minute]");
        let mut moves = Vec::new();
        for game in games.iter_mut() {
            let later = game.kick_off()? + POSTPONEMENT;
            game.fixture.set_kick_off(later)?;
            let local = time::PrimitiveDateTime::new(game.fixture.date, game.fixture.kick_off);
            moves.push((game.draw, local.format(minute)?));
        }
        self.postponed_games += moves.len();
        operator.postpone_draws(&moves).await
    }

    /// Checks that a draw is closed at kick-off and has no reservations left.
    async fn check_sales_closed(&mut self, draw: i64) -> Result<()> {
        let browser = Browser::open(Arc::clone(&self.test_run.site), 0)?;
        let answer = browser
            .send_with_retries(CallKind::Club, &Request::get(format!("/api/draws/{draw}")))
            .await
            .context("no draw")?;
        let (status, held) = (
            answer.body_text_at("/status"),
            json_number_at(&answer.body, "/ticketsHeld"),
        );
        if (status.as_str(), held) != ("closed", Some(0)) {
            self.not_closed.push(format!(
                "FD-{draw} kicked off, is {status} and holds {held:?}"
            ));
        }
        self.closed += 1;
        Ok(())
    }
}
