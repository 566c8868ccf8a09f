//! What a seed decides before its world begins: what is sold, who comes, and which faults there are. Swarm style: a random
//! half of the faults is off, so that those which hide each other also come alone.

use domain::draw::Snapshot;
use domain::{AccountId, Cents, ClubId, Deal, DrawId, FeePolicy, Seed, Status, Terms, Timestamp};

use super::chance::Chance;

/// Saturday noon.
pub const NOON: Timestamp = Timestamp(1_795_226_400_000);
pub const SECOND: u64 = 1_000;
pub const MINUTE: u64 = 60 * SECOND;

pub struct Plan {
    pub seed: u64,
    pub draws: Vec<Snapshot>,
    /// Whose draws: `clubs[i]` sells `draws[i]`.
    pub clubs: Vec<ClubId>,
    pub buyers: u64,
    /// Tickets a buyer wants of one draw: 1 to this many.
    pub count_max: u64,
    /// How long things go wrong; then it is calm.
    pub safety_ms: u64,
    pub rates: Rates,
    pub fates: Fates,
}

/// How often each thing goes wrong, per thousand, while it is not calm.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    pub not_written: u64,
    pub written_unknown: u64,
    pub unwritten_unknown: u64,
    pub unread: u64,
    pub books_slow_ms: u64,
    pub unavailable: u64,
    pub timeout_before: u64,
    pub timeout_after: u64,
    pub cached_error: u64,
    pub provider_slow_ms: u64,
    /// The provider is away for so long around the first kick-off.
    pub outage_ms: u64,
    pub declined: u64,
    pub challenged: u64,
    pub challenge_ms: u64,
    pub notice_lost: u64,
    pub notice_doubled: u64,
    pub notice_late: u64,
    pub call_lost: u64,
    pub beacon_lost: u64,
    pub tab_closed: u64,
    pub double_click: u64,
    pub resized: u64,
    pub left: u64,
    pub server_confirms: u64,
    pub post_shut: u64,
}

/// How often each rare thing happens in the whole run.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    pub crashes: u64,
    /// The process hangs, another takes over, and the first wakes again.
    pub hangs: u64,
    /// Two processes at once, as in a rolling deploy.
    pub deploys: u64,
    /// A draw is claimed by somebody who then does nothing with it.
    pub thefts: u64,
    pub kick_offs_moved: u64,
    pub early_results: u64,
    pub games_off: u64,
    pub refunds: u64,
    pub prices_edited: u64,
    /// Somebody captures, refunds, disputes or lets expire at the provider, past us.
    pub meddling: u64,
    /// How far a process's clock may be off.
    pub skew_ms: u64,
}

pub fn account(club: ClubId) -> AccountId {
    AccountId(format!("acct_club_{club}"))
}

impl Plan {
    pub fn of(seed: u64) -> Plan {
        let chance = Chance::new(seed);
        let clubs_count = *chance.one_of(&[1, 1, 1, 2]);
        let draws_count = *chance.one_of(&[1, 1, 2, 2, 3, 4]);
        let draws: Vec<Snapshot> = (0..draws_count).map(|place| draw(&chance, place)).collect();
        let clubs = (0..draws.len() as i64).map(|place| ClubId(1 + place % clubs_count)).collect();
        let last = draws.iter().map(|draw| draw.terms.closes_at.ms_since(NOON) as u64).max().unwrap_or_default();
        let buyers = chance.between(4, 16);
        // From a little less than there is to four times of it.
        let demand = 169 * draws.len() as u64 * chance.between(80, 400) / 100;
        let count_max = (2 * demand / buyers).clamp(2, 50);
        Plan {
            seed,
            draws,
            clubs,
            buyers,
            count_max,
            safety_ms: last + chance.between(MINUTE, 3 * MINUTE),
            rates: rates(&chance),
            fates: fates(&chance),
        }
    }

    /// The draws of one club, ascending.
    pub fn draws_of(&self, club: ClubId) -> Vec<DrawId> {
        self.draws.iter().zip(&self.clubs).filter(|(_, of)| **of == club).map(|(draw, _)| draw.id).collect()
    }

    pub fn first_kick_off_ms(&self) -> u64 {
        self.draws.iter().map(|draw| draw.terms.closes_at.ms_since(NOON) as u64).min().unwrap_or_default()
    }
}

fn draw(chance: &Chance, place: i64) -> Snapshot {
    let cents = *chance.one_of(&[50, 100, 250, 500, 1000, 2000, 5000, 333]);
    let closes_at = NOON.plus_ms(chance.between(2 * MINUTE, 8 * MINUTE) as i64);
    let fee_policy = match chance.below(4) {
        0 => FeePolicy { rate_bps: 300, cap: Cents(1000) },
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

/// Half of the time nothing, else anything up to the most.
fn some(chance: &Chance, most: u64) -> u64 {
    if chance.coin() { 0 } else { chance.between(1, most) }
}

fn rates(chance: &Chance) -> Rates {
    Rates {
        not_written: some(chance, 100),
        written_unknown: some(chance, 50),
        unwritten_unknown: some(chance, 50),
        unread: some(chance, 50),
        books_slow_ms: some(chance, 30),
        unavailable: some(chance, 200),
        timeout_before: some(chance, 150),
        timeout_after: some(chance, 150),
        cached_error: some(chance, 100),
        provider_slow_ms: *chance.one_of(&[0, 300, 1_500, 20_000]),
        outage_ms: if chance.below(4) == 0 { chance.between(20 * SECOND, 3 * MINUTE) } else { 0 },
        declined: some(chance, 300),
        challenged: some(chance, 600),
        challenge_ms: chance.between(10 * SECOND, 400 * SECOND),
        notice_lost: some(chance, 600),
        notice_doubled: some(chance, 500),
        notice_late: some(chance, 400),
        call_lost: some(chance, 300),
        beacon_lost: some(chance, 600),
        tab_closed: some(chance, 400),
        double_click: some(chance, 500),
        resized: some(chance, 300),
        left: some(chance, 200),
        server_confirms: some(chance, 500),
        post_shut: some(chance, 300),
    }
}

fn fates(chance: &Chance) -> Fates {
    Fates {
        crashes: some(chance, 6),
        hangs: some(chance, 2),
        deploys: some(chance, 2),
        thefts: some(chance, 4),
        kick_offs_moved: some(chance, 3),
        early_results: if chance.below(4) == 0 { 1 } else { 0 },
        games_off: if chance.below(8) == 0 { 1 } else { 0 },
        refunds: some(chance, 5),
        prices_edited: some(chance, 3),
        meddling: if chance.below(4) == 0 { chance.between(1, 3) } else { 0 },
        skew_ms: *chance.one_of(&[0, 0, 500, 10 * SECOND, 10 * MINUTE]),
    }
}
