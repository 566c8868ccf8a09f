//! Everything that a seed determines before its world starts: draws, buyers and faults. As in swarm
//! testing, a random half of the faults is switched off. So each fault is also tested without other
//! faults that would hide its effect.

use domain::draw::DrawSnapshot;
use domain::{AccountId, Cents, ClubId, Deal, DrawId, FeePolicy, Seed, Status, Terms, Timestamp};

use super::random_stream::RandomStream;

pub use rare_events::RareEvents;
pub use rates::FaultRates;

mod rare_events;
mod rates;

/// A Saturday noon, at which every simulated world starts.
pub const NOON: Timestamp = Timestamp(1_795_226_400_000);
pub const SECOND_MS: u64 = 1_000;
pub const MINUTE_MS: u64 = 60 * SECOND_MS;

/// One world in this many executes every poll.
const EVERY_POLL_WORLD_ONE_IN: u64 = 32;
/// One world in this many runs for a full hour after the faults, if it executes every poll. An idle
/// hour takes as long as several worlds, because two nodes poll each other every 400 ms.
const FULL_HOUR_WORLD_ONE_IN: u64 = 256;

/// How idle polls are simulated. The mode does not change the faults and participants of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdlePollMode {
    /// Nodes poll each other every 400 ms even if nothing changed. Late webhooks arrive up to 15
    /// minutes after the fault phase.
    EveryPoll,
    /// Polls that would find nothing are not executed. A poll is answered at about the time of the
    /// next real poll after a change, or with nothing after 0.7 s. Late webhooks arrive within a
    /// minute of the end of the fault phase.
    SkipIdlePolls,
}

impl IdlePollMode {
    pub fn of_seed(seed: u64) -> IdlePollMode {
        if seed.is_multiple_of(EVERY_POLL_WORLD_ONE_IN) {
            IdlePollMode::EveryPoll
        } else {
            IdlePollMode::SkipIdlePolls
        }
    }
}

pub struct WorldPlan {
    pub seed: u64,
    pub poll_mode: IdlePollMode,
    pub draws: Vec<DrawSnapshot>,
    /// The club of each draw: `clubs[i]` sells `draws[i]`.
    pub clubs: Vec<ClubId>,
    /// Number of processes that serve at the same time.
    pub nodes: u64,
    pub buyers: u64,
    /// Largest number of tickets that a buyer wants from one draw.
    pub count_max: u64,
    /// Length of the fault phase in milliseconds.
    pub fault_phase_ms: u64,
    pub rates: FaultRates,
    pub rare_events: RareEvents,
}

pub fn account(club: ClubId) -> AccountId {
    AccountId(format!("acct_club_{club}"))
}

impl WorldPlan {
    pub fn from_seed(seed: u64, poll_mode: IdlePollMode) -> WorldPlan {
        let random = RandomStream::new(seed);
        let clubs_count = *random.one_of(&[1, 1, 1, 2]);
        let draws_count = *random.one_of(&[1, 1, 2, 2, 3, 4, 5]);
        let draws: Vec<DrawSnapshot> = (0..draws_count)
            .map(|place| random_draw(&random, place))
            .collect();
        let clubs = (0..draws.len() as i64)
            .map(|place| ClubId(1 + place % clubs_count))
            .collect();
        let last = draws
            .iter()
            .map(|draw| draw.terms.closes_at.ms_since(NOON) as u64)
            .max()
            .unwrap_or_default();
        let buyers = random_buyer_count(&random);
        // The buyers together want between 80 % and 400 % of the tickets.
        let demand = 169 * draws.len() as u64 * random.between(80, 400) / 100;
        let count_max = (2 * demand / buyers).clamp(2, 50);
        WorldPlan {
            seed,
            poll_mode,
            draws,
            clubs,
            buyers,
            count_max,
            nodes: *random.one_of(&[1, 1, 1, 2]),
            fault_phase_ms: last + random.between(20 * SECOND_MS, 90 * SECOND_MS),
            rates: FaultRates::random(&random),
            rare_events: RareEvents::random(&random),
        }
    }

    /// Returns whether the world runs for a full hour after the faults, with all its nodes.
    pub fn runs_full_hour(&self) -> bool {
        self.poll_mode == IdlePollMode::EveryPoll
            && self.seed.is_multiple_of(FULL_HOUR_WORLD_ONE_IN)
    }

    /// Returns the draws of one club, in ascending order.
    pub fn draws_of_club(&self, club: ClubId) -> Vec<DrawId> {
        self.draws
            .iter()
            .zip(&self.clubs)
            .filter(|(_, of)| **of == club)
            .map(|(draw, _)| draw.id)
            .collect()
    }

    pub fn first_kick_off_ms(&self) -> u64 {
        self.draws
            .iter()
            .map(|draw| draw.terms.closes_at.ms_since(NOON) as u64)
            .min()
            .unwrap_or_default()
    }
}

/// Returns the number of buyers. Few buyers who want many tickets find most errors quickly, but
/// some worlds still have a large crowd.
fn random_buyer_count(random: &RandomStream) -> u64 {
    match random.below(512) {
        0 => random.between(100, 400),
        1..=24 => random.between(20, 60),
        _ => random.between(4, 16),
    }
}

/// Returns zero half of the time, otherwise a random number up to `most`.
fn zero_or_random_up_to(random: &RandomStream, most: u64) -> u64 {
    if random.coin_flip() {
        0
    } else {
        random.between(1, most)
    }
}

fn random_draw(random: &RandomStream, place: i64) -> DrawSnapshot {
    let cents = *random.one_of(&[50, 100, 250, 500, 1000, 2000, 5000, 333]);
    // Kick-off is after a few minutes, because minutes without buyers test nothing, while a
    // reservation takes two and a half minutes to expire.
    let closes_at = NOON.plus_ms(random.between(2 * MINUTE_MS, 4 * MINUTE_MS) as i64);
    let fee_policy = match random.below(4) {
        0 => FeePolicy {
            rate_bps: 300,
            cap: Cents(1000),
        },
        _ => FeePolicy::DEFAULT,
    };
    DrawSnapshot {
        id: DrawId(1001 + place),
        terms: Terms {
            price: Cents(cents),
            prize_percentage: random.between(1, 100) as u8,
            round_up_prize: random.coin_flip(),
            opens_at: None,
            closes_at,
        },
        fee_policy,
        deal: Deal::new(Seed([random.next() as u8; 32])),
        status: Status::Active,
        revision: 0,
        reservations: Vec::new(),
        allocations: Vec::new(),
        revenue: Cents::ZERO,
        fee: Cents::ZERO,
        outcome: None,
        archived: false,
        revealed: false,
        returned: Vec::new(),
    }
}
