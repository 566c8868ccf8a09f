//! Tests of the limit of unpaid tickets by source. An attacker with any number of cookies cannot
//! block a draw, and a thousand phones behind one address can buy all of it. Each step is one
//! second; random numbers come from a fixed seed.

use domain::draw::hold_limit::{
    SCARCE_FREE_TICKETS_MAX, SOURCE_TICKET_QUOTA_MIN, never_paid_ticket_quota, source_ticket_quota,
};
use domain::reservation::ACTUAL_RESERVATION_SECONDS;
use domain::{
    AllocationAuthority, Cents, Command, Deal, Draw, DrawId, FeePolicy, HoldLimiter, OrderId,
    Refusal, ReservationSource, ReservationSourceId, Seed, TICKETS, Terms, Timestamp,
};

const ATTACKER_NETWORK: ReservationSource = ReservationSource {
    id: ReservationSourceId(1),
    has_paid: false,
};
const CLUBHOUSE_NETWORK: ReservationSource = ReservationSource {
    id: ReservationSourceId(2),
    has_paid: false,
};
const PRICE: Cents = Cents(500);

/// A draw with its limiter of unpaid tickets, as the draw's actor combines them.
struct LimitedSale {
    draw: Draw,
    limiter: HoldLimiter,
    now: Timestamp,
    orders: u128,
}

impl LimitedSale {
    fn new() -> LimitedSale {
        let terms = Terms {
            price: PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at: Timestamp(0).plus_seconds(7 * 86_400),
        };
        let draw = Draw::new(
            DrawId(1042),
            terms,
            FeePolicy::DEFAULT,
            Deal::new(Seed([7; 32])),
        );
        LimitedSale {
            draw,
            limiter: HoldLimiter::default(),
            now: Timestamp(0),
            orders: 0,
        }
    }

    fn execute(
        &mut self,
        command: &Command,
        source: Option<ReservationSource>,
    ) -> Result<(), Refusal> {
        let events = self.limiter.decide(&self.draw, self.now, command, source)?;
        self.draw.apply(&events);
        self.limiter.sync_with_draw(&self.draw, self.now);
        Ok(())
    }

    fn reserve(
        &mut self,
        count: u16,
        source: Option<ReservationSource>,
    ) -> Result<OrderId, Refusal> {
        self.orders += 1;
        let order = OrderId(self.orders);
        self.resize(order, count, source).map(|()| order)
    }

    fn resize(
        &mut self,
        order: OrderId,
        count: u16,
        source: Option<ReservationSource>,
    ) -> Result<(), Refusal> {
        let until = self.now.plus_seconds(ACTUAL_RESERVATION_SECONDS);
        self.execute(
            &Command::Reserve {
                order,
                count,
                until,
            },
            source,
        )
    }

    fn extend(&mut self, order: OrderId) -> Result<(), Refusal> {
        self.execute(
            &Command::Extend {
                order,
                until: self.now.plus_seconds(ACTUAL_RESERVATION_SECONDS),
            },
            None,
        )
    }

    fn pay_order(&mut self, order: OrderId, count: u16) {
        let command = Command::Allocate {
            order,
            count,
            unit_price: PRICE,
            authority: AllocationAuthority::Sale,
        };
        self.execute(&command, None)
            .expect("reserved tickets are sold");
    }

    fn advance_seconds(&mut self, seconds: i64) {
        self.now = self.now.plus_seconds(seconds);
        self.execute(&Command::Tick, None)
            .expect("the timer is never refused");
    }

    fn sell_tickets(&mut self, count: u16) {
        for of in [50, 50, 50, 50] {
            let count = count.saturating_sub(self.draw.sold()).min(of);
            if count > 0 {
                let order = self.reserve(count, None).expect("free");
                self.pay_order(order, count);
            }
        }
    }

    fn total_held_tickets(&self) -> u16 {
        self.draw.held()
    }

    fn seconds_left(&self, order: OrderId) -> i64 {
        self.draw
            .reservation(order)
            .expect("reserved")
            .until
            .ms_since(self.now)
            / 1000
    }
}

/// A `SplitMix64` random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }
}

enum PhoneState {
    /// The phone tries to reserve at this second.
    Trying(i64),
    Paying {
        order: OrderId,
        at: i64,
    },
    Gone,
}

/// Honest buyers of one source. Each reserves one or two tickets and pays after 15 to 60 seconds;
/// one in five never pays. A refused buyer tries again within ten seconds.
struct BuyerCrowd {
    phones: Vec<(PhoneState, u16)>,
    random: Random,
    source: Option<ReservationSource>,
}

impl BuyerCrowd {
    fn new(
        size: usize,
        arrive_within: u64,
        source: Option<ReservationSource>,
        seed: u64,
    ) -> BuyerCrowd {
        let mut random = Random(seed);
        let phone = |_| {
            let at = random.below(arrive_within) as i64;
            (PhoneState::Trying(at), 1 + random.below(2) as u16)
        };
        BuyerCrowd {
            phones: (0..size).map(phone).collect(),
            random,
            source,
        }
    }

    fn act_at(&mut self, sale: &mut LimitedSale, second: i64) {
        for (phone, count) in &mut self.phones {
            match *phone {
                PhoneState::Trying(at) if at == second => match sale.reserve(*count, self.source) {
                    Ok(_) if self.random.below(5) == 0 => *phone = PhoneState::Gone,
                    Ok(order) => {
                        *phone = PhoneState::Paying {
                            order,
                            at: second + 15 + self.random.below(46) as i64,
                        }
                    }
                    Err(_) => {
                        *count = 1;
                        *phone = PhoneState::Trying(second + 1 + self.random.below(10) as i64);
                    }
                },
                PhoneState::Paying { order, at } if at == second => {
                    sale.pay_order(order, *count);
                    *phone = PhoneState::Gone;
                }
                PhoneState::Trying(_) | PhoneState::Paying { .. } | PhoneState::Gone => {}
            }
        }
    }
}

/// An attacker who every second reserves as many tickets as possible, each time from a new browser.
/// It extends its reservations and never pays.
#[derive(Default)]
struct Attacker {
    orders: Vec<OrderId>,
}

impl Attacker {
    fn reserve_as_many_as_possible(
        &mut self,
        sale: &mut LimitedSale,
        source: Option<ReservationSource>,
    ) {
        self.orders
            .retain(|order| sale.draw.reservation(*order).is_some());
        for order in &self.orders {
            if sale.seconds_left(*order) <= 1 {
                let _ = sale.extend(*order);
            }
        }
        for count in [50, 50, 50, 19, 10, 10, 10, 10, 10, 5, 2, 1, 1] {
            self.orders.extend(sale.reserve(count, source));
        }
    }

    fn held_tickets(&self, sale: &LimitedSale) -> u16 {
        self.orders
            .iter()
            .filter_map(|order| sale.draw.reservation(*order))
            .map(|held| held.count)
            .sum()
    }
}

const HOUR_SECONDS: i64 = 3600;
/// Number of random seeds with which each crowd test runs. The README contains measurements with
/// twenty seeds.
const SEED_COUNT: u64 = 3;

/// Returns the second in which the last ticket was sold. `None`: not all tickets were sold within
/// an hour.
fn sell_out_second(
    sale: &mut LimitedSale,
    mut step: impl FnMut(&mut LimitedSale, i64),
) -> Option<i64> {
    for second in 0..HOUR_SECONDS {
        step(sale, second);
        if sale.draw.sold() == TICKETS {
            return Some(second);
        }
        sale.advance_seconds(1);
    }
    None
}

#[test]
fn thousand_phones_behind_one_address_buy_the_whole_draw() {
    for seed in 0..SEED_COUNT {
        let time = |source| {
            let mut crowd = BuyerCrowd::new(1000, 60, source, seed);
            sell_out_second(&mut LimitedSale::new(), |sale, second| {
                crowd.act_at(sale, second);
            })
            .expect("sold out")
        };
        let (limited, unlimited) = (time(Some(CLUBHOUSE_NETWORK)), time(None));
        println!("seed {seed}: sold out after {limited} s, without limits {unlimited} s");
        assert!(limited < 900, "seed {seed}: {limited} s");
    }
}

#[test]
fn attacker_at_one_address_cannot_stop_others_from_buying() {
    for seed in 0..SEED_COUNT {
        let mut crowd = BuyerCrowd::new(1000, 60, Some(CLUBHOUSE_NETWORK), seed);
        let mut attacker = Attacker::default();
        let (mut seconds_without_free, mut most) = (0, 0);
        let sold_out = sell_out_second(&mut LimitedSale::new(), |sale, second| {
            attacker.reserve_as_many_as_possible(sale, Some(ATTACKER_NETWORK));
            let (held, unsold) = (attacker.held_tickets(sale), TICKETS - sale.draw.sold());
            most = most.max(held);
            seconds_without_free += i64::from(held == unsold);
            assert!(
                second > 0 || held <= source_ticket_quota(unsold),
                "{held} of {unsold}"
            );
            crowd.act_at(sale, second);
        });
        let sold_out = sold_out.expect("the crowd buys all");
        println!(
            "seed {seed}: sold out after {sold_out} s, emptied for {seconds_without_free} s, at most {most} held"
        );
        assert!(sold_out < 1800, "seed {seed}: {sold_out} s");
    }
}

/// Without the limits no honest buyer gets a ticket within an hour.
#[test]
fn attacker_without_limits_blocks_the_whole_draw() {
    let (mut sale, mut attacker) = (LimitedSale::new(), Attacker::default());
    let mut crowd = BuyerCrowd::new(100, 60, None, 1);
    let sold_out = sell_out_second(&mut sale, |sale, second| {
        attacker.reserve_as_many_as_possible(sale, None);
        crowd.act_at(sale, second);
    });
    assert_eq!((sold_out, sale.draw.sold()), (None, 0));
}

#[test]
fn source_that_never_pays_holds_its_quota_a_fifth_of_the_time() {
    let (mut sale, mut attacker, mut ticket_seconds) = (LimitedSale::new(), Attacker::default(), 0);
    let day = 6 * HOUR_SECONDS;
    for _ in 0..day {
        attacker.reserve_as_many_as_possible(&mut sale, Some(ATTACKER_NETWORK));
        ticket_seconds += i64::from(attacker.held_tickets(&sale));
        sale.advance_seconds(1);
    }
    let mean = ticket_seconds as f64 / day as f64;
    println!("{mean:.1} of {TICKETS} tickets on average");
    assert!(
        mean <= f64::from(source_ticket_quota(TICKETS)) / 5.0 * 1.25,
        "{mean}"
    );
}

#[test]
fn last_ticket_is_free_half_of_the_time_despite_an_attacker() {
    let (mut sale, mut attacker, mut free) = (LimitedSale::new(), Attacker::default(), 0);
    sale.sell_tickets(TICKETS - 1);
    for _ in 0..HOUR_SECONDS {
        attacker.reserve_as_many_as_possible(&mut sale, Some(ATTACKER_NETWORK));
        free += i64::from(sale.total_held_tickets() == 0);
        sale.advance_seconds(1);
    }
    println!("the last ticket is free {free} of {HOUR_SECONDS} s");
    assert!(free > HOUR_SECONDS / 2, "{free}");
}

#[test]
fn browsers_that_never_paid_leave_a_sixth_for_paying_browsers() {
    let mut sale = LimitedSale::new();
    let mut held = 0;
    for network in 10..200 {
        held += u16::from(
            sale.reserve(
                1,
                Some(ReservationSource {
                    id: ReservationSourceId(network),
                    has_paid: false,
                }),
            )
            .is_ok(),
        );
    }
    assert_eq!(held, never_paid_ticket_quota(TICKETS));
    let has_paid = ReservationSource {
        id: ReservationSourceId(999),
        has_paid: true,
    };
    sale.reserve(TICKETS - held, Some(has_paid))
        .expect("a sixth is left for paying browsers");
}

#[test]
fn resizing_does_not_extend_a_reservation_beyond_the_quota() {
    let mut sale = LimitedSale::new();
    let order = sale
        .reserve(50, Some(ATTACKER_NETWORK))
        .expect("half is free to hold");
    let mut last_reserved = 0;
    for second in 0..HOUR_SECONDS {
        sale.advance_seconds(1);
        let Some(held) = sale
            .draw
            .reservation(order)
            .filter(|held| held.is_active(sale.now))
        else {
            break;
        };
        let _ = sale.resize(
            order,
            if held.count == 50 { 49 } else { 50 },
            Some(ATTACKER_NETWORK),
        );
        last_reserved = second;
    }
    assert!(
        last_reserved < 2 * ACTUAL_RESERVATION_SECONDS,
        "reserved for {last_reserved} s"
    );
}

#[test]
fn reduced_order_beyond_the_quota_keeps_its_expiry() {
    let mut sale = LimitedSale::new();
    let first = sale.reserve(50, Some(ATTACKER_NETWORK)).expect("free");
    sale.reserve(34, Some(ATTACKER_NETWORK)).expect("free");
    sale.advance_seconds(100);
    sale.resize(first, 49, Some(ATTACKER_NETWORK))
        .expect("within the quota");
    assert_eq!(sale.seconds_left(first), ACTUAL_RESERVATION_SECONDS);
    sale.advance_seconds(40);
    sale.resize(first, 48, Some(ATTACKER_NETWORK))
        .expect("fewer are never refused");
    assert_eq!(sale.seconds_left(first), ACTUAL_RESERVATION_SECONDS - 40);
    assert_eq!(
        sale.resize(first, 50, Some(ATTACKER_NETWORK)),
        Err(Refusal::HoldLimit { available: 0 })
    );
    assert_eq!(sale.extend(first), Err(Refusal::ExtensionsUsedUp));
}

#[test]
fn early_release_shortens_the_cooldown_in_proportion() {
    let mut sale = LimitedSale::new();
    let order = sale.reserve(50, Some(CLUBHOUSE_NETWORK)).expect("free");
    sale.advance_seconds(10);
    sale.execute(&Command::Release { order }, None)
        .expect("released");
    assert_eq!(
        sale.reserve(50, Some(CLUBHOUSE_NETWORK)),
        Err(Refusal::HoldLimit { available: 34 })
    );
    sale.advance_seconds(40);
    sale.reserve(50, Some(CLUBHOUSE_NETWORK))
        .expect("four times ten seconds later");
}

#[test]
fn paid_tickets_restore_quota_used_by_lapsed_tickets() {
    let mut sale = LimitedSale::new();
    sale.reserve(50, Some(CLUBHOUSE_NETWORK)).expect("free");
    sale.advance_seconds(ACTUAL_RESERVATION_SECONDS);
    let order = sale
        .reserve(30, Some(CLUBHOUSE_NETWORK))
        .expect("the rest of the quota");
    sale.pay_order(order, 30);
    sale.reserve(49, Some(CLUBHOUSE_NETWORK))
        .expect("30 of the 50 that lapsed are offset");
}

#[test]
fn scarce_draw_limits_an_order_and_its_extensions() {
    let mut sale = LimitedSale::new();
    sale.sell_tickets(TICKETS - SCARCE_FREE_TICKETS_MAX);
    assert_eq!(
        sale.reserve(SOURCE_TICKET_QUOTA_MIN + 1, Some(CLUBHOUSE_NETWORK)),
        Err(Refusal::HoldLimit { available: 10 })
    );
    let order = sale.reserve(10, Some(CLUBHOUSE_NETWORK)).expect("ten");
    for _ in 0..2 {
        sale.advance_seconds(100);
        sale.extend(order).expect("twice");
        assert!(sale.seconds_left(order) <= ACTUAL_RESERVATION_SECONDS - 100 + 60);
    }
    sale.advance_seconds(60);
    assert_eq!(sale.extend(order), Err(Refusal::ExtensionsUsedUp));
}

#[test]
fn reservation_without_a_source_is_not_limited() {
    let mut sale = LimitedSale::new();
    for count in [50, 50, 50, 19] {
        sale.reserve(count, None).expect("not limited");
    }
    assert_eq!(
        sale.reserve(1, Some(CLUBHOUSE_NETWORK)),
        Err(Refusal::TooFewTickets { free: 0 }),
        "the draw's own refusal does not come first"
    );
}
