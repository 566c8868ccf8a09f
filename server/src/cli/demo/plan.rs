//! The demo's data: three clubs, their games and the sales. Times are relative to now.

use domain::Cents;
use domain::access::Role;

/// A club of the demo.
pub struct ClubPlan {
    pub slug: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub tagline: &'static str,
    pub location: &'static str,
    pub phone: &'static str,
    /// Primary, secondary and accent colour: one dark, one bright, one light, so that every
    /// contrast rule is exercised.
    pub colours: [&'static str; 3],
    /// First part of the club's team name.
    pub home: &'static str,
    pub zone: &'static str,
    pub contact: (&'static str, &'static str),
    /// Whether the club has confirmed its e-mail address. One club has not, so that its dashboard
    /// shows the reminder to confirm.
    pub is_verified: bool,
    /// What the club raises money for, and how much.
    pub goal: Option<(&'static str, Cents)>,
    pub sponsor: Option<&'static str>,
}

pub const CLUBS: [ClubPlan; 3] = [
    ClubPlan {
        slug: "bayside-barracudas",
        name: "Bayside Barracudas",
        title: "Bayside Barracudas Rugby League",
        tagline: "Every ticket puts boots on a junior. Thanks for backing the Cudas.",
        location: "Wynnum, Queensland",
        phone: "07 5550 1201",
        colours: ["#0b2e6b", "#071c42", "#ffc72c"],
        home: "Bayside Barracudas",
        zone: "Australia/Brisbane",
        contact: ("Deb Harrow", "0400 555 101"),
        is_verified: true,
        goal: Some(("new boots for 90 juniors", Cents(200_000))),
        sponsor: Some("Harbour Marine"),
    },
    ClubPlan {
        slug: "western-ringtails",
        name: "Western Ringtails",
        title: "Western Ringtails RLFC",
        tagline: "Help us light the top field: win cash, and train after dark.",
        location: "Penrith, New South Wales",
        phone: "02 5550 4402",
        colours: ["#7a1230", "#3d0a19", "#3b82f6"],
        home: "Western Ringtails",
        zone: "Australia/Sydney",
        contact: ("Marcus Tane", "0400 555 202"),
        is_verified: true,
        goal: Some(("lights on the top field", Cents(500_000))),
        sponsor: None,
    },
    ClubPlan {
        slug: "northern-cassowaries",
        name: "Northern Cassowaries",
        title: "Northern Cassowaries",
        tagline: "Support our club with Football Doubles - win cash prizes while helping fund our team!",
        location: "Cairns, Queensland",
        phone: "07 5550 7303",
        colours: ["#0f5d4a", "#08352a", "#ff8a3d"],
        home: "Northern Cassowaries",
        zone: "Australia/Brisbane",
        contact: ("Priya Nand", "0400 555 303"),
        is_verified: false,
        goal: None,
        sponsor: None,
    },
];

/// The status that a draw has after seeding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedStatus {
    /// On sale, with kick-off in this many minutes.
    OnSale { minutes: i64 },
    /// Kick-off was this many hours ago, and no result is entered.
    Awaiting { hours_ago: i64 },
    /// The game was this many days ago. `result` holds the jersey numbers of both first try
    /// scorers.
    Completed { days_ago: i64, result: (u8, u8) },
}

/// The stage that a completed draw's prize has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrizeStage {
    /// The result is the one in the plan. The random deal decides whether its ticket was sold.
    Chance,
    /// The winning ticket was sold. The club has not notified the winner.
    Won,
    /// The winner was notified and may still answer for some days.
    Notified,
    /// The winner did not answer within the seven days.
    Late,
    /// The winner has given bank details.
    Received,
    Paid,
}

/// A draw of the demo.
pub struct DrawPlan {
    /// Index of the club in [`CLUBS`].
    pub club: usize,
    pub league: &'static str,
    pub away: &'static str,
    pub price: Cents,
    pub prize_percentage: u8,
    pub round_up_prize: bool,
    pub pass_card_fee: bool,
    pub sold: u16,
    pub status: PlannedStatus,
    pub prize: PrizeStage,
}

const fn plan_draw(
    club: usize,
    away: &'static str,
    price: i64,
    prize_percentage: u8,
    sold: u16,
    status: PlannedStatus,
) -> DrawPlan {
    DrawPlan {
        club,
        league: "",
        away,
        price: Cents(price),
        prize_percentage,
        round_up_prize: false,
        pass_card_fee: false,
        sold,
        status,
        prize: PrizeStage::Chance,
    }
}

impl DrawPlan {
    const fn with_league(mut self, league: &'static str) -> DrawPlan {
        self.league = league;
        self
    }

    const fn with_prize_stage(mut self, prize: PrizeStage) -> DrawPlan {
        self.prize = prize;
        self
    }

    const fn with_rounded_up_prize(mut self) -> DrawPlan {
        self.round_up_prize = true;
        self
    }

    const fn with_card_fee_passed_on(mut self) -> DrawPlan {
        self.pass_card_fee = true;
        self
    }
}

/// One minute, the unit of the kick-off times in this plan.
const MINUTE: i64 = 1;
const MINUTES_PER_HOUR: i64 = 60;
const MINUTES_PER_DAY: i64 = 24 * MINUTES_PER_HOUR;

const fn on_sale(minutes: i64) -> PlannedStatus {
    PlannedStatus::OnSale { minutes }
}

const fn completed(days_ago: i64, home: u8, away: u8) -> PlannedStatus {
    PlannedStatus::Completed {
        days_ago,
        result: (home, away),
    }
}

/// The seeded draws. Their numbers count from 1001 in this order.
pub const DRAWS: [DrawPlan; 21] = [
    plan_draw(
        0,
        "Ipswich Jetties",
        500,
        50,
        113,
        on_sale(2 * MINUTES_PER_HOUR + 14 * MINUTE),
    )
    .with_league("Coastal Cup Round 9")
    .with_card_fee_passed_on(),
    plan_draw(0, "Logan Lorikeets", 200, 40, 31, on_sale(38 * MINUTE))
        .with_league("Coastal Cup Colts"),
    plan_draw(
        0,
        "Caboolture Curlews",
        1000,
        60,
        148,
        on_sale(MINUTES_PER_DAY + 3 * MINUTES_PER_HOUR),
    )
    .with_league("Coastal Cup Round 10")
    .with_rounded_up_prize(),
    plan_draw(
        0,
        "Tweed Taipans",
        500,
        50,
        7,
        on_sale(6 * MINUTES_PER_DAY + 5 * MINUTES_PER_HOUR),
    )
    .with_league("Coastal Cup Round 11"),
    plan_draw(
        1,
        "Parkes Pelicans",
        250,
        55,
        160,
        on_sale(5 * MINUTES_PER_HOUR),
    )
    .with_league("Western Premiership Round 4")
    .with_rounded_up_prize(),
    plan_draw(
        1,
        "Dubbo Drovers",
        500,
        50,
        169,
        on_sale(20 * MINUTES_PER_HOUR),
    )
    .with_league("Western Premiership Round 5"),
    plan_draw(
        1,
        "Orange Ospreys",
        2000,
        70,
        42,
        on_sale(2 * MINUTES_PER_DAY + 2 * MINUTES_PER_HOUR),
    )
    .with_league("Grand Final Qualifier")
    .with_card_fee_passed_on(),
    plan_draw(
        1,
        "Bathurst Bullants",
        500,
        45,
        0,
        on_sale(4 * MINUTES_PER_DAY),
    )
    .with_league("Western Premiership Round 6"),
    plan_draw(2, "Innisfail Ibises", 300, 50, 88, on_sale(95 * MINUTE))
        .with_league("Tropical League")
        .with_card_fee_passed_on(),
    plan_draw(
        2,
        "Mareeba Mudcrabs",
        500,
        65,
        56,
        on_sale(27 * MINUTES_PER_HOUR),
    )
    .with_league("Tropical League")
    .with_rounded_up_prize(),
    plan_draw(
        2,
        "Townsville Turtles",
        150,
        50,
        19,
        on_sale(3 * MINUTES_PER_DAY + 6 * MINUTES_PER_HOUR),
    )
    .with_league("Tropical League Under 20s"),
    plan_draw(
        2,
        "Mackay Marlins",
        1000,
        50,
        122,
        on_sale(7 * MINUTES_PER_DAY),
    )
    .with_league("Tropical League")
    .with_card_fee_passed_on(),
    plan_draw(
        0,
        "Redland Rosellas",
        500,
        50,
        137,
        PlannedStatus::Awaiting { hours_ago: 2 },
    )
    .with_league("Coastal Cup Round 8"),
    plan_draw(
        2,
        "Atherton Antechinus",
        300,
        60,
        94,
        PlannedStatus::Awaiting { hours_ago: 20 },
    )
    .with_league("Tropical League")
    .with_rounded_up_prize(),
    plan_draw(0, "Gympie Goannas", 500, 50, 169, completed(6, 2, 5))
        .with_league("Coastal Cup Round 7")
        .with_prize_stage(PrizeStage::Received),
    plan_draw(0, "Noosa Nightjars", 200, 50, 66, completed(13, 9, 9))
        .with_league("Coastal Cup Round 6")
        .with_prize_stage(PrizeStage::Paid),
    plan_draw(1, "Mudgee Magpies", 500, 50, 151, completed(5, 4, 1))
        .with_league("Western Premiership Round 3")
        .with_rounded_up_prize()
        .with_prize_stage(PrizeStage::Notified),
    plan_draw(1, "Lithgow Lyrebirds", 1000, 60, 24, completed(12, 13, 2))
        .with_league("Western Premiership Round 2"),
    plan_draw(2, "Cardwell Cormorants", 300, 55, 140, completed(4, 3, 11))
        .with_league("Tropical League")
        .with_card_fee_passed_on()
        .with_prize_stage(PrizeStage::Won),
    plan_draw(2, "Tully Tree Frogs", 500, 50, 103, completed(11, 1, 6))
        .with_league("Tropical League")
        .with_prize_stage(PrizeStage::Late),
    plan_draw(2, "Cooktown Kookaburras", 250, 40, 12, completed(18, 8, 9))
        .with_league("Tropical League"),
];

/// Opponents in the draws that the running demo creates later.
pub const OPPONENTS_OF_LATER_DRAWS: [&str; 8] = [
    "Charters Cockatoos",
    "Roma Redtails",
    "Emerald Echidnas",
    "Bowen Bandicoots",
    "Goulburn Galahs",
    "Moree Mopokes",
    "Yamba Yabbies",
    "Casino Quolls",
];

/// Names of the simulated buyers.
pub const BUYER_NAMES: [&str; 24] = [
    "Alice Nguyen",
    "Bob Taylor",
    "Carla Fonoti",
    "Dan Okafor",
    "Ella Petrov",
    "Finn O'Brien",
    "Grace Liu",
    "Hemi Walker",
    "Isla Brown",
    "Jack Tupou",
    "Kirra Jones",
    "Leo Martin",
    "Mia Rossi",
    "Noah Singh",
    "Olive Clarke",
    "Pat Leota",
    "Quinn Baker",
    "Ruby Hassan",
    "Sam Wright",
    "Tess Ivanov",
    "Uma Patel",
    "Vince Kelly",
    "Willa Scott",
    "Zane Murray",
];

/// An offer of the demo.
pub struct OfferPlan {
    pub club: usize,
    pub name: &'static str,
    pub slug: &'static str,
    /// The kind of the offer: `BUNDLE` or `SPECIAL`.
    pub kind: &'static str,
    /// The status of the offer: `active`, `draft` or `archived`.
    pub status: &'static str,
    pub tag: &'static str,
    pub copy: &'static str,
    /// The games of the offer, as indexes in [`DRAWS`].
    pub games: &'static [usize],
}

/// The slug of the offer that already has a sale. It is on sale and can no longer be edited.
pub const LOCKED_OFFER_SLUG: &str = "derby-special";
/// Role and name of each staff member of the first club.
pub const STAFF: [(Role, &str); 2] = [(Role::Seller, "Sally Seller"), (Role::Viewer, "Vic Viewer")];

pub const OFFERS: [OfferPlan; 6] = [
    OfferPlan {
        club: 0,
        name: "Cudas derby special",
        slug: LOCKED_OFFER_SLUG,
        kind: "SPECIAL",
        status: "active",
        tag: "The game of the year",
        copy: "A ticket in the derby. Somebody has bought one, so its terms stay as they are.",
        games: &[3],
    },
    OfferPlan {
        club: 0,
        name: "Cudas weekend double",
        slug: "weekend-double",
        kind: "BUNDLE",
        status: "active",
        tag: "Two games, one tap",
        copy: "A ticket in tonight's game and one in tomorrow's. Two chances, the same good cause.",
        games: &[0, 2],
    },
    OfferPlan {
        club: 1,
        name: "Qualifier special",
        slug: "qualifier-special",
        kind: "SPECIAL",
        status: "active",
        tag: "70% of the pool goes to the winner",
        copy: "The biggest prize percentage of our season.",
        games: &[6],
    },
    OfferPlan {
        club: 2,
        name: "Tropical triple",
        slug: "tropical-triple",
        kind: "BUNDLE",
        status: "active",
        tag: "Three rounds of the Tropical League",
        copy: "One ticket in each of our next three games.",
        games: &[9, 10, 11],
    },
    OfferPlan {
        club: 0,
        name: "Cudas finals fever",
        slug: "finals-fever",
        kind: "BUNDLE",
        status: "draft",
        tag: "Every final in one go",
        copy: "Not on sale yet: nobody but the club sees it.",
        games: &[2, 3],
    },
    OfferPlan {
        club: 0,
        name: "Colts launch special",
        slug: "colts-launch",
        kind: "SPECIAL",
        status: "archived",
        tag: "Two dollars a ticket",
        copy: "Back the colts in their first home game.",
        games: &[1],
    },
];

/// The menus of the page footer: each has a heading, and the label and URL of each link.
pub const DEMO_FOOTER_MENUS: [(&str, &[(&str, &str)]); 2] = [
    (
        "For supporters",
        &[
            ("How It Works", "/#how-it-works"),
            ("Find Draws", "/#live-draws"),
            ("Check a draw", "/verify/1001"),
        ],
    ),
    (
        "For clubs",
        &[
            ("Club Login", "/admin/login"),
            ("Start Your First Draw", "/admin/login"),
        ],
    ),
];

/// Clubs on the waitlist: club name, contact person, e-mail address, phone number.
pub const WAITLIST_ENTRIES: [(&str, &str, &str, &str); 2] = [
    (
        "Emu Park Emus",
        "Jo Banfield",
        "jo@example.com",
        "0400 555 404",
    ),
    (
        "Broken Hill Bilbies",
        "Al Reyes",
        "al@example.com",
        "0400 555 505",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demo_plan_covers_every_draw_status() {
        let count =
            |of: fn(&PlannedStatus) -> bool| DRAWS.iter().filter(|draw| of(&draw.status)).count();
        assert!(count(|status| matches!(status, PlannedStatus::OnSale { .. })) >= 9);
        assert_eq!(
            count(|status| matches!(status, PlannedStatus::Awaiting { .. })),
            2
        );
        assert!(count(|status| matches!(status, PlannedStatus::Completed { .. })) >= 6);
        let soonest = DRAWS.iter().filter_map(|draw| match draw.status {
            PlannedStatus::OnSale { minutes } => Some(minutes),
            _ => None,
        });
        assert!(
            soonest
                .min()
                .is_some_and(|minutes| minutes < MINUTES_PER_HOUR),
            "one kicks off within the hour"
        );
    }

    #[test]
    fn demo_plan_covers_every_prize_stage() {
        for prize in [
            PrizeStage::Chance,
            PrizeStage::Won,
            PrizeStage::Notified,
            PrizeStage::Late,
            PrizeStage::Received,
            PrizeStage::Paid,
        ] {
            let is_at_stage = |draw: &&DrawPlan| {
                draw.prize == prize && matches!(draw.status, PlannedStatus::Completed { .. })
            };
            assert!(DRAWS.iter().any(|draw| is_at_stage(&draw)), "{prize:?}");
        }
        // Winners have seven days to answer. Each game's date must agree with its prize's stage.
        for draw in &DRAWS {
            if let PlannedStatus::Completed { days_ago, .. } = draw.status {
                assert!(
                    draw.prize != PrizeStage::Notified || days_ago < 7,
                    "{}",
                    draw.away
                );
                assert!(
                    draw.prize != PrizeStage::Late || days_ago > 7,
                    "{}",
                    draw.away
                );
            }
        }
    }

    #[test]
    fn every_offer_contains_only_its_clubs_draws() {
        for offer in OFFERS {
            assert!(
                offer
                    .games
                    .iter()
                    .all(|game| DRAWS[*game].club == offer.club),
                "{}",
                offer.slug
            );
        }
        assert!(
            CLUBS
                .iter()
                .all(|club| domain::club::slug_is_valid(club.slug))
        );
    }
}
