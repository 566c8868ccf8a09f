//! A season: a real fixture list becomes draws of several clubs, a crowd with all its bad habits buys, the whistle blows,
//! results are entered, winners are told and paid.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use persistence::auditor::Auditor;
use time::OffsetDateTime;
use tokio::sync::watch;

use crate::audit::Check;
use crate::browser::{Browser, Request, Site, number, text};
use crate::club::{Club, Winner};
use crate::crowd::{self, Gate};
use crate::faults::{self, SandboxFaults};
use crate::fixtures::{self, Fixture};
use crate::house::{Happened, House};
use crate::latency::Call;
use crate::plan::{Crowd, Habits};
use crate::report::{Report, Table, dollars};
use crate::told::{Finish, Told};

const PRICE_CENTS: i64 = 500;
const PRIZE_PERCENT: u8 = 50;

#[derive(Args, Clone, Debug)]
pub struct Season {
    /// The fixture list: match_id,round,date,kick_off,timezone,home_team,away_team,…,home_try_scorer_jerseys,….
    file: PathBuf,
    /// People who buy over the season; one in ten of them before the first whistle.
    #[arg(long, default_value_t = 3000)]
    buyers: usize,
    #[arg(long, default_value_t = 1)]
    retries: u32,
    #[arg(long, default_value_t = 20)]
    watchers: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many games kick off while the crowd is still buying, and in how many seconds.
    #[arg(long, default_value_t = 4)]
    whistles: usize,
    #[arg(long, default_value_t = 90)]
    whistle_in: u64,
    /// People who shop at the same moment.
    #[arg(long, default_value_t = 40)]
    at_once: usize,
    /// A server that runs already; by default one is started, and ended afterwards.
    #[arg(long)]
    base: Option<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Keep our own server's folder for a look.
    #[arg(long)]
    keep: bool,
}

impl Season {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }
}

/// One game on sale.
struct Game {
    draw: i64,
    club: usize,
    fixture: Fixture,
    /// Kicks off while people buy.
    whistles: bool,
}

pub async fn run(season: &Season) -> Result<Report> {
    let csv = std::fs::read_to_string(&season.file)
        .with_context(|| format!("reading {}", season.file.display()))?;
    let house = House::open(
        season.base.as_deref(),
        season.retries,
        Duration::from_secs(60),
    )
    .await?;
    let outcome = play(&house, season, &csv).await;
    house.close(season.keep).await?;
    outcome
}

async fn play(house: &House, season: &Season, csv: &str) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: a season".to_owned(),
        ..Report::default()
    };
    let clubs = Club::all(&house.site).await?;
    let games = put_on_sale(&clubs, season, fixtures::read(csv)?).await?;
    report.fact("seed", season.seed);
    report.fact("games", games.len());
    report.fact(
        "clubs",
        clubs
            .iter()
            .map(|club| club.name.clone())
            .collect::<Vec<_>>()
            .join(", "),
    );
    report.fact("buyers", season.buyers);
    let operator = Browser::open(Arc::clone(&house.site), season.seed)?;
    faults::set(&operator, season.seed, SandboxFaults::of_webhooks()).await?;
    let mut happened = sell(house, season, &games).await?;
    faults::set(&operator, season.seed, SandboxFaults::default()).await?;
    report.fact(
        "selling took",
        format!("{:.1} s", house.site.now().as_secs_f64()),
    );
    report.checks.push(whistled(&operator, &games).await?);
    finish(house, &clubs, &games, &mut happened, &mut report).await?;
    Ok(report)
}

/// Imports every game for the club that stands for its home team; the first few kick off in a moment.
async fn put_on_sale(clubs: &[Club], season: &Season, mut list: Vec<Fixture>) -> Result<Vec<Game>> {
    fixtures::shift_ahead(&mut list, OffsetDateTime::now_utc().date());
    let mut teams: Vec<String> = list.iter().map(|fixture| fixture.home.clone()).collect();
    teams.sort();
    teams.dedup();
    let club_of: HashMap<String, usize> = teams
        .into_iter()
        .enumerate()
        .map(|(index, team)| (team, index % clubs.len()))
        .collect();
    let early = season.whistles.min(list.len());
    let whistle = OffsetDateTime::now_utc() + Duration::from_secs(season.whistle_in + 60);
    for fixture in &mut list[..early] {
        fixture.kick_off_at(whistle.replace_second(0)?.replace_nanosecond(0)?)?;
    }
    let mut games = Vec::new();
    for (index, club) in clubs.iter().enumerate() {
        let mine = |fixture: &&Fixture| club_of[&fixture.home] == index;
        for (whistles, part) in [(true, &list[..early]), (false, &list[early..])] {
            let part: Vec<&Fixture> = part.iter().filter(mine).collect();
            if part.is_empty() {
                continue;
            }
            let csv = fixtures::to_import(part.iter().copied(), "NRL")?;
            let draws = club.import(csv, PRICE_CENTS, PRIZE_PERCENT).await?;
            ensure!(
                draws.len() == part.len(),
                "{}: {} of {} games imported",
                club.name,
                draws.len(),
                part.len()
            );
            let made = draws.into_iter().zip(part);
            games.extend(made.map(|(draw, fixture)| Game {
                draw,
                club: index,
                fixture: fixture.clone(),
                whistles,
            }));
        }
    }
    games.sort_by_key(|game| game.draw);
    Ok(games)
}

/// Two crowds at once: one before the first whistle (and a little after it), one for the rest of the season.
async fn sell(house: &House, season: &Season, games: &[Game]) -> Result<Happened> {
    let (stop, stopping) = watch::channel(false);
    let draws = |whistles| -> Vec<&Game> {
        games
            .iter()
            .filter(|game| game.whistles == whistles)
            .collect()
    };
    let (early, late) = (draws(true), draws(false));
    let numbers = |games: &[&Game]| -> Vec<i64> { games.iter().map(|game| game.draw).collect() };
    let watched: Vec<i64> = numbers(&early)
        .into_iter()
        .chain(numbers(&late))
        .take(season.watchers.max(1))
        .collect();
    let boards = house.boards(&watched, season.watchers, &stopping);

    let early_buyers = if early.is_empty() {
        0
    } else {
        season.buyers / 10
    };
    let now = OffsetDateTime::now_utc();
    let whistle_ms = early
        .first()
        .map_or(0, |game| millis_until(&game.fixture, now));
    let habits = Habits {
        declined: 5,
        second_card: 5,
        asked: 8,
        abandoners: 5,
        closed_tabs: 20,
    };
    let crowd = |seed, buyers, over_ms, games: &[&Game]| Crowd {
        seed,
        buyers,
        over_ms,
        late: 70,
        most: 30,
        habits,
        together: games
            .iter()
            .map(|one| {
                games
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| other.club == one.club)
                    .map(|(i, _)| i)
                    .collect()
            })
            .collect(),
    };
    let before = crowd(season.seed, early_buyers, whistle_ms + 4_000, &early).plans(early.len());
    let mut after =
        crowd(season.seed + 1, season.buyers - early_buyers, 0, &late).plans(late.len());
    for plan in &mut after {
        plan.number += early_buyers;
    }
    let gate = |games: &[&Game]| Gate {
        draws: numbers(games),
        keen: Duration::ZERO,
        at_once: season.at_once,
    };
    let bar = crowd::bar("buyers", season.buyers);
    let (before, after) = tokio::join!(
        crowd::send(Arc::clone(&house.site), before, gate(&early), bar.clone()),
        crowd::send(Arc::clone(&house.site), after, gate(&late), bar.clone()),
    );
    bar.finish();
    tokio::time::sleep(Duration::from_millis(500)).await;
    stop.send_replace(true);
    let tolds = before?.into_iter().chain(after?).collect();
    Ok(Happened {
        tolds,
        boards: boards.join_all().await,
        ..Happened::default()
    })
}

fn millis_until(fixture: &Fixture, now: OffsetDateTime) -> u64 {
    let until = fixture
        .instant()
        .map(|kick_off| kick_off - now)
        .unwrap_or_default();
    u64::try_from(until.whole_milliseconds()).unwrap_or(0)
}

/// The whistle closed what had kicked off, by itself, and nothing is reserved any more.
async fn whistled(browser: &Browser, games: &[Game]) -> Result<Check> {
    let early: Vec<&Game> = games.iter().filter(|game| game.whistles).collect();
    let mut broken = Vec::new();
    for game in &early {
        let wait = millis_until(&game.fixture, OffsetDateTime::now_utc());
        tokio::time::sleep(Duration::from_millis(if wait > 0 {
            wait + 2_000
        } else {
            0
        }))
        .await;
        let path = format!("/api/draws/{}", game.draw);
        let answer = browser
            .ask(Call::Club, &Request::get(path))
            .await
            .context("no draw")?;
        if answer.text("/status") != "closed" {
            broken.push(format!(
                "FD-{} kicked off and is {}",
                game.draw,
                answer.text("/status")
            ));
        }
        if number(&answer.body, "/ticketsHeld") != Some(0) {
            broken.push(format!(
                "FD-{} is closed and still holds {}",
                game.draw,
                answer.text("/ticketsHeld")
            ));
        }
    }
    Ok(Check::new(
        "the whistle closes the sale",
        early.len(),
        broken,
    ))
}

/// Results, winners, payouts; then calm and the audit.
async fn finish(
    house: &House,
    clubs: &[Club],
    games: &[Game],
    happened: &mut Happened,
    report: &mut Report,
) -> Result<()> {
    // First calm: a card authorised a moment ago is decided before the results are in.
    crate::audit::settle(
        &house.site,
        &happened.tolds,
        Duration::from_secs(crate::house::CALM_SECONDS_MAX),
    )
    .await?;
    let bar = crowd::bar("results", games.len());
    // The demo's own winners were told before.
    let told_before = winners_told(house).await?;
    let mut outcomes = Vec::new();
    let mut mails = Vec::new();
    for game in games {
        let (club, (home, away)) = (&clubs[game.club], game.fixture.result);
        let winner = club
            .enter_result(game.draw, home, away)
            .await
            .with_context(|| format!("FD-{}", game.draw))?;
        let Some(winner) = winner else {
            outcomes.push((game, None));
            bar.inc(1);
            continue;
        };
        // Twice, as an impatient club does: the second call finds the mail queued.
        let told = (club.notify(game.draw).await?, club.notify(game.draw).await?);
        if told != (i64::from(winner.reachable), i64::from(winner.reachable)) {
            mails.push(format!(
                "FD-{}: {told:?} winner mails, reachable: {}",
                game.draw, winner.reachable
            ));
        }
        if winner.sold {
            club.pay_winner(game.draw)
                .await
                .with_context(|| format!("paying for FD-{}", game.draw))?;
        }
        outcomes.push((game, Some(winner)));
        bar.inc(1);
    }
    bar.finish();
    let known = || outcomes.iter().filter_map(|(_, winner)| winner.as_ref());
    let sold = known().filter(|winner| winner.sold).count();
    let reachable = known().filter(|winner| winner.reachable).count() as i64;
    mails.extend(mailed(house, told_before + reachable).await?);
    report.fact("winning tickets sold", sold);
    report.checks.push(Check::new(
        "each winner is told once",
        known().count(),
        mails,
    ));
    report
        .checks
        .push(winners(&house.site, &outcomes, &happened.tolds).await?);
    house.conclude(happened, report).await?;
    report.checks.push(revealed(&house.site, &outcomes).await?);
    report.tables.push(by_club(clubs, &outcomes).await?);
    Ok(())
}

/// Waits until every mail has left; says what the outbox has too many or too few of. Nothing, for somebody else's server.
async fn mailed(house: &House, winners: i64) -> Result<Option<String>> {
    let Some(access) = house.subject.lock().await.access() else {
        return Ok(None);
    };
    let auditor = Auditor::open(&access.url)
        .await
        .context("opening the books")?;
    let mut said = String::new();
    for _ in 0..crate::house::CALM_SECONDS_MAX {
        let mails = auditor.mails().await?;
        let count = |wanted: &str| {
            mails
                .iter()
                .filter(|(_, state, _)| state == wanted)
                .map(|(.., count)| count)
                .sum::<i64>()
        };
        if sent_to_winners(&mails) == winners && count("pending") == 0 && count("dead") == 0 {
            return Ok(None);
        }
        said = format!("{winners} winners, and the outbox has {mails:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(Some(said))
}

async fn winners_told(house: &House) -> Result<i64> {
    let Some(access) = house.subject.lock().await.access() else {
        return Ok(0);
    };
    Ok(sent_to_winners(
        &Auditor::open(&access.url)
            .await
            .context("opening the books")?
            .mails()
            .await?,
    ))
}

fn sent_to_winners(mails: &[(String, String, i64)]) -> i64 {
    mails
        .iter()
        .find(|(kind, state, _)| kind == "winner" && state == "sent")
        .map_or(0, |(.., count)| *count)
}

/// The buyer who holds the winning ticket reads it on the order page, and nobody else does.
async fn winners(
    site: &Arc<Site>,
    outcomes: &[(&Game, Option<Winner>)],
    tolds: &[Told],
) -> Result<Check> {
    let browser = Browser::open(Arc::clone(site), 0)?;
    let mut owners: HashMap<(i64, i64), &Told> = HashMap::new();
    for told in tolds {
        owners.extend(told.tickets.iter().map(|ticket| (*ticket, told)));
    }
    let (mut looked_at, mut broken) = (0, Vec::new());
    for (game, winner) in outcomes
        .iter()
        .filter_map(|(game, winner)| winner.as_ref().map(|winner| (game, winner)))
    {
        let Some(payment) = owners
            .get(&(game.draw, winner.ticket))
            .and_then(|told| told.payments.last())
        else {
            continue;
        };
        looked_at += 1;
        let page = Request::get(format!("/api/orders/{}", payment.token));
        let page = browser
            .ask(Call::Order, &page)
            .await
            .context("no order page")?;
        let won: Vec<(i64, i64)> = winning_tickets(&page.body);
        if !won.contains(&(game.draw, winner.ticket)) {
            broken.push(format!(
                "the owner of FD-{}-{:03} reads {won:?}",
                game.draw, winner.ticket
            ));
        }
        if !matches!(Finish::read_order(&page), Finish::Tickets(_)) {
            broken.push(format!("the winning order of FD-{} is not paid", game.draw));
        }
    }
    Ok(Check::new("winners read that they won", looked_at, broken))
}

fn winning_tickets(order: &serde_json::Value) -> Vec<(i64, i64)> {
    let rows = |value: &serde_json::Value, field: &str| {
        value
            .get(field)
            .and_then(serde_json::Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let mut won = Vec::new();
    for line in rows(order, "lines") {
        for ticket in rows(&line, "tickets")
            .iter()
            .filter(|ticket| ticket["isWinner"] == true)
        {
            won.extend(number(&line, "/drawNumber").zip(number(ticket, "/ticketNumber")));
        }
    }
    won
}

/// Played games show their seed and who won, games still ahead do not, not even to their club; the proof names the same winner as the result did.
async fn revealed(site: &Arc<Site>, outcomes: &[(&Game, Option<Winner>)]) -> Result<Check> {
    let browser = Browser::open(Arc::clone(site), 0)?;
    let mut broken = Vec::new();
    for (game, winner) in outcomes {
        let path = format!("/api/public/draws/{}/proof", game.draw);
        let proof = browser
            .ask(Call::Club, &Request::get(path))
            .await
            .context("no proof")?;
        let shown = !text(&proof.body, "/seed").is_empty();
        if shown != game.whistles {
            broken.push(format!(
                "FD-{}: played {}, seed shown {shown}",
                game.draw, game.whistles
            ));
        }
        let told = winner.as_ref().map(|winner| winner.ticket);
        if told.is_some() != game.whistles {
            broken.push(format!(
                "FD-{}: played {}, its club was told {told:?}",
                game.draw, game.whistles
            ));
        }
        if shown && number(&proof.body, "/winningTicket") != told {
            broken.push(format!(
                "FD-{}: the proof names another winner than {told:?}",
                game.draw
            ));
        }
    }
    Ok(Check::new(
        "seeds shown after the game and never before",
        outcomes.len(),
        broken,
    ))
}

async fn by_club(clubs: &[Club], outcomes: &[(&Game, Option<Winner>)]) -> Result<Table> {
    let head = ["", "draws", "revenue", "platform fee", "winners"];
    let mut table = Table::new("By club", &head);
    for (index, club) in clubs.iter().enumerate() {
        let (mut draws, mut revenue, mut fee, mut winners) = (0, 0, 0, 0);
        for (game, winner) in outcomes.iter().filter(|(game, _)| game.club == index) {
            let figures = club.financials(game.draw).await?;
            draws += 1;
            revenue += cents(&text(&figures, "/totalRevenue"));
            fee += cents(&text(&figures, "/platformFee"));
            winners += i32::from(winner.as_ref().is_some_and(|winner| winner.sold));
        }
        table.row([
            club.slug.clone(),
            draws.to_string(),
            dollars(revenue),
            dollars(fee),
            winners.to_string(),
        ]);
    }
    Ok(table)
}

/// `"12.50"` → 1250; nothing → 0.
fn cents(text: &str) -> i64 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    whole.parse::<i64>().unwrap_or(0) * 100 + format!("{rest:0<2}")[..2].parse::<i64>().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_and_written_to_the_cent() {
        assert_eq!(
            (cents("12.50"), cents("7"), cents("0.5"), cents("")),
            (1250, 700, 50, 0)
        );
        assert_eq!(
            (dollars(1250).as_str(), dollars(-5).as_str()),
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
