//! Who comes, when, what for, and how badly they behave: everything follows from one seed, so that a bad run can be
//! played again.

/// A small generator (splitmix64): the same seed gives the same crowd on every machine and in every version of us.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// One die per buyer: what one buyer throws never moves what another one throws.
    pub fn of(seed: u64, number: u64) -> Self {
        let mut dice = Self(seed ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        dice.throw();
        dice
    }

    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `bound`; zero when the bound is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.throw() % bound }
    }

    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in this many of a hundred throws.
    pub fn percent(&mut self, chance: u32) -> bool {
        self.below(100) < u64::from(chance)
    }
}

/// The card a buyer pulls out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Card {
    Good,
    /// Declined, and the buyer gives up.
    Declined,
    /// Declined once, then another card.
    Replaced,
    /// The bank asks (3-D Secure), the buyer passes.
    Asked,
}

/// What a buyer does once the card is authorised (or instead of paying).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Waits for our answer and reads it.
    Reads,
    /// The page sends its beacon while it is being closed; nobody reads the answer.
    Beacon,
    /// Closes the tab in the middle of the call: the connection is cut while we work.
    CutCall,
    /// Closes the tab right after the bank said yes: only the webhook or the sweeper can help.
    ClosedTab,
    /// Opens a payment and never pays; the reservation lapses by itself.
    Abandons,
    /// Leaves the checkout politely: the reservation is given back.
    Releases,
}

/// By which of the specified calls the purchase is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    CardPayment,
    PurchaseTickets,
    /// The server confirms with the method the wallet gave us.
    Wallet,
}

/// One buyer's whole intention. Draws are given as indices into the run's list of draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuyerPlan {
    pub number: usize,
    /// Milliseconds after the run's start.
    pub arrives_ms: u64,
    /// Draw index and ticket count; more than one line is a cart.
    pub wanted: Vec<(usize, u32)>,
    pub card: Card,
    pub ending: Ending,
    pub door: Door,
    /// Between the open payment and the card, and between the card and our answer.
    pub thinks_ms: u64,
    /// What the buyer's own dice start from.
    pub seed: u64,
}

/// Percentages of a crowd's habits.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    pub declined: u32,
    pub second_card: u32,
    pub asked: u32,
    pub abandoners: u32,
    pub closed_tabs: u32,
}

impl Habits {
    /// The rush's crowd, with as many abandoners as asked for.
    pub fn rushed(abandoners: u32) -> Self {
        Self {
            declined: 4,
            second_card: 4,
            asked: 6,
            abandoners,
            closed_tabs: 15,
        }
    }

    fn card(&self, dice: &mut Dice) -> Card {
        let throw = u32::try_from(dice.below(100)).unwrap_or(0);
        let (second, asked) = (
            self.declined + self.second_card,
            self.declined + self.second_card + self.asked,
        );
        match throw {
            t if t < self.declined => Card::Declined,
            t if t < second => Card::Replaced,
            t if t < asked => Card::Asked,
            _ => Card::Good,
        }
    }

    fn ending(&self, dice: &mut Dice) -> Ending {
        if dice.percent(self.abandoners) {
            return if dice.percent(30) {
                Ending::Releases
            } else {
                Ending::Abandons
            };
        }
        if dice.percent(self.closed_tabs) {
            return [Ending::Beacon, Ending::CutCall, Ending::ClosedTab][dice.below(3) as usize];
        }
        Ending::Reads
    }

    fn door(dice: &mut Dice) -> Door {
        [
            Door::CardPayment,
            Door::PurchaseTickets,
            Door::CardPayment,
            Door::Wallet,
        ][dice.below(4) as usize]
    }
}

/// Tickets one browser may keep at a time.
const KEPT_MAX: u32 = 50;

/// A crowd over some draws.
#[derive(Clone, Debug)]
pub struct Crowd {
    pub seed: u64,
    pub buyers: usize,
    /// All arrive within this time.
    pub over_ms: u64,
    /// Percent that come in the last quarter of it, as before a kick-off; the others at any time.
    pub late: u32,
    /// Largest number of tickets in one line.
    pub most: u32,
    pub habits: Habits,
    /// Draw indices that may stand together in one cart (one club), for each draw index; empty: no carts.
    pub together: Vec<Vec<usize>>,
}

impl Crowd {
    /// Everybody, in order of arrival.
    pub fn plans(&self, draws: usize) -> Vec<BuyerPlan> {
        let mut plans: Vec<BuyerPlan> = (0..self.buyers)
            .map(|number| self.buyer(number, draws))
            .collect();
        plans.sort_by_key(|plan| (plan.arrives_ms, plan.number));
        plans
    }

    fn buyer(&self, number: usize, draws: usize) -> BuyerPlan {
        let mut dice = Dice::of(self.seed, number as u64);
        let arrives_ms = if dice.percent(self.late) {
            dice.between(self.over_ms - self.over_ms / 4, self.over_ms)
        } else {
            dice.below(self.over_ms + 1)
        };
        let wanted = self.wanted(&mut dice, draws);
        let card = self.habits.card(&mut dice);
        let ending = self.habits.ending(&mut dice);
        let door = Habits::door(&mut dice);
        // One in twelve looks for the card, or for the phone with the bank's question: long enough to cross a kick-off.
        let thinks_ms = if dice.percent(8) {
            dice.between(1_500, 8_000)
        } else {
            dice.below(120)
        };
        BuyerPlan {
            number,
            arrives_ms,
            wanted,
            card,
            ending,
            door,
            thinks_ms,
            seed: dice.throw(),
        }
    }

    fn wanted(&self, dice: &mut Dice, draws: usize) -> Vec<(usize, u32)> {
        let first = dice.below(draws as u64) as usize;
        let mut chosen = vec![first];
        if let Some(others) = self.together.get(first).filter(|others| others.len() > 1)
            && dice.percent(12)
        {
            let lines = dice.between(2, 3) as usize;
            while chosen.len() < lines.min(others.len()) {
                let other = others[dice.below(others.len() as u64) as usize];
                if !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
        }
        // A browser may keep at most fifty tickets at a time (decision C-2).
        let mut left = KEPT_MAX;
        let mut lines: Vec<(usize, u32)> = chosen
            .into_iter()
            .map(|draw| (draw, self.count(dice)))
            .collect();
        for line in &mut lines {
            line.1 = line.1.min(left);
            left -= line.1;
        }
        lines.retain(|(_, count)| *count > 0);
        lines
    }

    /// Most people buy a few tickets; one in twenty buys as many as they may.
    fn count(&self, dice: &mut Dice) -> u32 {
        let most = if dice.percent(5) {
            self.most
        } else {
            self.most.min(6)
        };
        u32::try_from(dice.between(1, u64::from(most.max(1)))).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(seed: u64) -> Crowd {
        Crowd {
            seed,
            buyers: 500,
            over_ms: 10_000,
            late: 70,
            most: 50,
            habits: Habits::rushed(10),
            together: vec![vec![0, 1], vec![0, 1], vec![2]],
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_crowd_and_another_seed_another() {
        assert_eq!(crowd(7).plans(3), crowd(7).plans(3));
        assert_ne!(crowd(7).plans(3), crowd(8).plans(3));
    }

    #[test]
    fn everybody_arrives_in_time_in_order_and_wants_something_that_may_be_bought_together() {
        let plans = crowd(1).plans(3);
        assert_eq!(plans.len(), 500);
        assert!(
            plans
                .windows(2)
                .all(|pair| pair[0].arrives_ms <= pair[1].arrives_ms)
        );
        for plan in &plans {
            assert!(plan.arrives_ms <= 10_000);
            assert!(
                plan.wanted
                    .iter()
                    .all(|(draw, count)| *draw < 3 && (1..=50).contains(count))
            );
            assert!(plan.wanted.iter().map(|(_, count)| count).sum::<u32>() <= KEPT_MAX);
            let alone = plan.wanted.iter().any(|(draw, _)| *draw == 2);
            assert!(
                !alone || plan.wanted.len() == 1,
                "draw 2 shares a cart with nobody: {plan:?}"
            );
        }
        assert!(
            plans.iter().any(|plan| plan.wanted.len() == 2),
            "some buy by cart"
        );
    }

    #[test]
    fn every_habit_turns_up_in_a_crowd() {
        let plans = crowd(3).plans(3);
        for card in [Card::Good, Card::Declined, Card::Replaced, Card::Asked] {
            assert!(
                plans.iter().any(|plan| plan.card == card),
                "nobody has {card:?}"
            );
        }
        let endings = [
            Ending::Reads,
            Ending::Beacon,
            Ending::CutCall,
            Ending::ClosedTab,
            Ending::Abandons,
        ];
        for ending in endings.into_iter().chain([Ending::Releases]) {
            assert!(
                plans.iter().any(|plan| plan.ending == ending),
                "nobody {ending:?}"
            );
        }
    }

    #[test]
    fn a_crowd_that_comes_at_once_is_one_instant() {
        let at_once = Crowd {
            over_ms: 0,
            ..crowd(5)
        };
        assert!(at_once.plans(1).iter().all(|plan| plan.arrives_ms == 0));
    }
}
