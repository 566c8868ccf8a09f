//! What a seed decides before its world begins: what is sold, who comes, and which faults there are. Swarm style: a random
//! half of the faults is off, so that those which hide each other also come alone.

use domain::draw::Snapshot;
use domain::{AccountId, Cents, ClubId, Deal, DrawId, FeePolicy, Seed, Status, Terms, Timestamp};

use super::chance::Chance;

pub use fates::Fates;
pub use rates::Rates;

mod fates;
mod rates;

/// Saturday noon.
pub const NOON: Timestamp = Timestamp(1_795_226_400_000);
pub const SECOND: u64 = 1_000;
pub const MINUTE: u64 = 60 * SECOND;

/// Every so many worlds are played beat by beat.
const WHOLE_ONE_IN: u64 = 32;
/// Every so many, some of those, are watched for the whole hour of calm. An hour in which nothing happens costs as much as
/// several worlds: two nodes listen to each other, every 400 ms.
const HOUR_ONE_IN: u64 = 256;

/// How a world is played: the same faults and the same people either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Beat by beat until it is calm: each node asks every 400 ms what the others wrote, though most often it is nothing;
    /// notices that are a quarter of an hour late are, after the end of the safety phase as before it.
    Whole,
    /// Such a question is answered when there is something to tell, as long after it was written as the beat would have taken
    /// to come, or with nothing after 0.7 s; late notices come within a minute of the calm, which then is short.
    Brisk,
}

impl Pace {
    pub fn of(seed: u64) -> Pace {
        if seed.is_multiple_of(WHOLE_ONE_IN) {
            Pace::Whole
        } else {
            Pace::Brisk
        }
    }
}

pub struct Plan {
    pub seed: u64,
    pub pace: Pace,
    pub draws: Vec<Snapshot>,
    /// Whose draws: `clubs[i]` sells `draws[i]`.
    pub clubs: Vec<ClubId>,
    /// How many processes serve at once.
    pub nodes: u64,
    pub buyers: u64,
    /// Tickets a buyer wants of one draw: 1 to this many.
    pub count_max: u64,
    /// How long things go wrong; then it is calm.
    pub safety_ms: u64,
    pub rates: Rates,
    pub fates: Fates,
}

pub fn account(club: ClubId) -> AccountId {
    AccountId(format!("acct_club_{club}"))
}

impl Plan {
    pub fn of(seed: u64, pace: Pace) -> Plan {
        let chance = Chance::new(seed);
        let clubs_count = *chance.one_of(&[1, 1, 1, 2]);
        let draws_count = *chance.one_of(&[1, 1, 2, 2, 3, 4, 5]);
        let draws: Vec<Snapshot> = (0..draws_count).map(|place| draw(&chance, place)).collect();
        let clubs = (0..draws.len() as i64)
            .map(|place| ClubId(1 + place % clubs_count))
            .collect();
        let last = draws
            .iter()
            .map(|draw| draw.terms.closes_at.ms_since(NOON) as u64)
            .max()
            .unwrap_or_default();
        let buyers = buyers(&chance);
        // From a little less than there is to four times of it.
        let demand = 169 * draws.len() as u64 * chance.between(80, 400) / 100;
        let count_max = (2 * demand / buyers).clamp(2, 50);
        Plan {
            seed,
            pace,
            draws,
            clubs,
            buyers,
            count_max,
            nodes: *chance.one_of(&[1, 1, 1, 2]),
            safety_ms: last + chance.between(20 * SECOND, 90 * SECOND),
            rates: Rates::of(&chance),
            fates: Fates::of(&chance),
        }
    }

    /// It is watched to the end of the calm, with all its nodes, however long it has been at rest.
    pub fn lasts_an_hour(&self) -> bool {
        self.pace == Pace::Whole && self.seed.is_multiple_of(HOUR_ONE_IN)
    }

    /// The draws of one club, ascending.
    pub fn draws_of(&self, club: ClubId) -> Vec<DrawId> {
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

/// Few who want many tickets find most of what there is to find, and quickly; now and then a rush comes all the same.
fn buyers(chance: &Chance) -> u64 {
    match chance.below(512) {
        0 => chance.between(100, 400),
        1..=24 => chance.between(20, 60),
        _ => chance.between(4, 16),
    }
}

/// Half of the time nothing, else anything up to the most.
fn some(chance: &Chance, most: u64) -> u64 {
    if chance.coin() {
        0
    } else {
        chance.between(1, most)
    }
}

fn draw(chance: &Chance, place: i64) -> Snapshot {
    let cents = *chance.one_of(&[50, 100, 250, 500, 1000, 2000, 5000, 333]);
    // Soon: a minute in which nobody comes tells nothing, and a reservation is kept for two and a half.
    let closes_at = NOON.plus_ms(chance.between(2 * MINUTE, 4 * MINUTE) as i64);
    let fee_policy = match chance.below(4) {
        0 => FeePolicy {
            rate_bps: 300,
            cap: Cents(1000),
        },
        _ => FeePolicy::DEFAULT,
    };
    Snapshot {
        id: DrawId(1001 + place),
        terms: Terms {
            price: Cents(cents),
            prize_percentage: chance.between(1, 100) as u8,
            round_up_prize: chance.coin(),
            opens_at: None,
            closes_at,
        },
        fee_policy,
        deal: Deal::new(Seed([chance.next() as u8; 32])),
        status: Status::Active,
        revision: 0,
        reservations: Vec::new(),
        allocations: Vec::new(),
        revenue: Cents::ZERO,
        fee: Cents::ZERO,
        outcome: None,
        archived: false,
    }
}
