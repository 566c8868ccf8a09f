//! The rush: everybody wants the same draws at the same time, and the server may be killed while they do.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use tokio::sync::watch;

use crate::audit::Check;
use crate::browser::{Browser, Request, number};
use crate::crowd::{self, Gate};
use crate::faults::{self, Blows, SandboxFaults};
use crate::fresh;
use crate::house::{Happened, House};
use crate::latency::Call;
use crate::plan::{Crowd, Habits};
use crate::provider;
use crate::report::Report;
use crate::stand_in;
use crate::told::Verdict;
use crate::usage;

/// A reservation lapses after 150 seconds (decision C-1), and whoever takes it then stays to the end. Beyond the last
/// arrival nobody waits longer than for one such wave and a restart or two.
const KEEN: Duration = Duration::from_secs(240);

#[derive(Args, Clone, Debug)]
pub struct Rush {
    /// Draws that everybody wants.
    #[arg(long, default_value_t = 1)]
    draws: usize,
    /// People who come.
    #[arg(long, default_value_t = 400)]
    buyers: usize,
    /// Most tickets one of them wants; most people want six or fewer.
    #[arg(long, default_value_t = 20)]
    most: u32,
    /// How often every call is sent again although it was answered.
    #[arg(long, default_value_t = 3)]
    retries: u32,
    /// Percent of the buyers who open a payment and go away.
    #[arg(long, default_value_t = 10)]
    abandoners: u32,
    /// Boards that follow the draws.
    #[arg(long, default_value_t = 50)]
    watchers: usize,
    /// The whole crowd follows from this number.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Percent who come in the last quarter of that time, as before a kick-off; nobody in particular when there are blows,
    /// which are to meet buyers from the first to the last.
    #[arg(long, default_value_t = 70)]
    late: u32,
    /// Seconds over which the crowd arrives; at once by default, over as long as the blows last when there are some.
    #[arg(long)]
    over: Option<u64>,
    /// Kill the server (SIGKILL) about every so many seconds while people buy.
    #[arg(long)]
    kill_every: Option<u64>,
    /// Kill Postgres (SIGKILL) so many times, in between.
    #[arg(long, default_value_t = 0, requires = "kill_every")]
    kill_postgres: u32,
    /// Let the sandbox lose, double and delay its webhooks, break connections and answer with errors now and then.
    #[arg(long)]
    faults: bool,
    /// The provider's stand-in in this process instead of in the server's, so that the server's memory is its own.
    #[arg(long, conflicts_with = "base")]
    provider_apart: bool,
    /// A server that runs already; by default one is started, and ended afterwards.
    #[arg(long)]
    base: Option<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Keep our own server's folder for a look.
    #[arg(long)]
    keep: bool,
}

impl Rush {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }

    fn over(&self) -> u64 {
        let blows = self.kill_every.map_or(0, |every| {
            (every * u64::from(2 * self.kill_postgres + 4)).max(60)
        });
        self.over.unwrap_or(blows)
    }
}

pub async fn run(rush: &Rush) -> Result<Report> {
    anyhow::ensure!(
        rush.base.is_none() || rush.kill_every.is_none(),
        "only our own server is killed: leave out --base"
    );
    let patience = Duration::from_secs(90);
    let house = match &rush.base {
        None if rush.provider_apart => {
            House::with(stand_in::subject_apart().await?, rush.retries, patience).await?
        }
        base => House::open(base.as_deref(), rush.retries, patience).await?,
    };
    let outcome = play(&house, rush).await;
    house.close(rush.keep).await?;
    outcome
}

async fn play(house: &House, rush: &Rush) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the rush".to_owned(),
        ..Report::default()
    };
    let draws = fresh::draws(&house.site, "Rush", rush.draws).await?;
    let operator = Browser::open(Arc::clone(&house.site), rush.seed)?;
    if rush.faults {
        faults::set(&operator, rush.seed, SandboxFaults::everywhere()).await?;
    }
    let crowd = Crowd {
        seed: rush.seed,
        buyers: rush.buyers,
        over_ms: rush.over() * 1000,
        late: if rush.kill_every.is_some() {
            0
        } else {
            rush.late
        },
        most: rush.most,
        habits: Habits::rushed(rush.abandoners),
        together: vec![(0..rush.draws).collect(); rush.draws],
    };
    for (name, value) in [
        ("seed", rush.seed.to_string()),
        ("draws", draws.len().to_string()),
        (
            "buyers",
            format!("{} within {} s", rush.buyers, rush.over()),
        ),
        (
            "of them in its last quarter",
            format!("{} %, and what chance brings", crowd.late),
        ),
        ("every call sent again", format!("{} times", rush.retries)),
        ("boards", rush.watchers.to_string()),
    ] {
        report.fact(name, value);
    }
    let before = provider::ledger(&operator, &HashSet::new()).await?.intents;
    let happened = storm(house, rush, &crowd, &draws).await?;
    if rush.faults {
        faults::set(&operator, rush.seed, SandboxFaults::default()).await?;
    }
    report.fact(
        "the rush took",
        format!("{:.1} s", house.site.now().as_secs_f64()),
    );
    report
        .checks
        .push(full(&operator, &draws, &happened, &mut report.facts).await?);
    house.conclude(&happened, &mut report).await?;
    let made = provider::ledger(&operator, &HashSet::new()).await?.intents - before;
    if !rush.faults {
        report.checks.push(one_intent_each(made, &happened));
    }
    Ok(report)
}

async fn storm(house: &House, rush: &Rush, crowd: &Crowd, draws: &[i64]) -> Result<Happened> {
    let (stop, stopping) = watch::channel(false);
    let (calm, calming) = watch::channel(false);
    let boards = house.boards(draws, rush.watchers, &calming);
    let striking = rush.kill_every.map(|every| {
        let blows = Blows {
            every: Duration::from_secs(every),
            postgres: rush.kill_postgres,
            seed: rush.seed,
        };
        tokio::spawn(faults::strike(Arc::clone(&house.subject), blows, stopping))
    });
    let memory = tokio::spawn(usage::remember(
        Arc::clone(&house.subject),
        house.site.started,
        calming.clone(),
    ));
    let gate = Gate {
        draws: draws.to_vec(),
        keen: KEEN + Duration::from_secs(rush.over()),
        at_once: rush.buyers.max(1),
    };
    let bar = crowd::bar("buyers", rush.buyers);
    let tolds = crowd::send(Arc::clone(&house.site), crowd.plans(draws.len()), gate, bar).await;
    stop.send_replace(true);
    let struck = match striking {
        Some(striking) => Some(striking.await??),
        None => None,
    };
    // Boards get a moment for the last sale: two ticks and some air.
    tokio::time::sleep(Duration::from_millis(500)).await;
    calm.send_replace(true);
    let (boards, memory) = (boards.join_all().await, memory.await?);
    Ok(Happened {
        tolds: tolds?,
        boards,
        struck,
        provider_failed: rush.faults,
        memory,
    })
}

/// Whoever was told that a draw is sold out met a full one, and nobody waits in vain; says how much was sold.
async fn full(
    browser: &Browser,
    draws: &[i64],
    happened: &Happened,
    facts: &mut Vec<(String, String)>,
) -> Result<Check> {
    let mut broken = Vec::new();
    let turned_away = |verdict| {
        happened
            .tolds
            .iter()
            .filter(|told| told.verdict == verdict)
            .count()
    };
    let (told, gave_up) = (turned_away(Verdict::SoldOut), turned_away(Verdict::GaveUp));
    let mut left = 0;
    for draw in draws {
        let answer = browser
            .ask(Call::Draw, &Request::get(format!("/api/draws/{draw}")))
            .await
            .context("no draw")?;
        let sold = number(&answer.body, "/ticketsSold").context("a draw without ticketsSold")?;
        left += 169 - sold;
    }
    let all = 169 * draws.len() as i64;
    facts.push(("sold".to_owned(), format!("{} of {all}", all - left)));
    if told > 0 && draws.len() == 1 && left > 0 {
        broken.push(format!(
            "{told} buyers were told that it is sold out, and {left} tickets are left"
        ));
    }
    if gave_up > 0 {
        broken.push(format!(
            "{gave_up} buyers waited for reservations that should have lapsed"
        ));
    }
    Ok(Check::new(
        "sold out means 169 of 169, and what lapses is sold again",
        told + gave_up,
        broken,
    ))
}

/// The provider has no payment intent that no buyer was given. (With faults it may: a remembered 500 needs a new key.)
fn one_intent_each(made: i64, happened: &Happened) -> Check {
    let given: HashSet<&str> = happened
        .tolds
        .iter()
        .flat_map(|told| &told.payments)
        .map(|payment| payment.payment_intent.as_str())
        .collect();
    let broken = (made != given.len() as i64).then(|| {
        format!(
            "{made} payment intents were made at the provider, buyers were given {}",
            given.len()
        )
    });
    Check::new(
        "the provider made one payment intent a buyer",
        given.len(),
        broken.into_iter().collect(),
    )
}
