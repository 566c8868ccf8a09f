//! The plans of all buyers: when each arrives, what each wants, and how each behaves. All follow
//! from one seed, so that a run can be repeated.

/// A small random number generator (splitmix64). The same seed gives the same crowd on every
/// machine and in every version.
#[derive(Clone, Debug)]
pub struct SeededRng(u64);

impl SeededRng {
    /// Creates a separate random stream for the buyer `number`. So a change in one buyer's plan
    /// never changes another's.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut rng = Self(seed ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        rng.next_u64();
        rng
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a random number below `bound`, or zero if `bound` is zero.
    pub fn random_below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            0
        } else {
            self.next_u64() % bound
        }
    }

    pub fn random_between(&mut self, low: u64, high: u64) -> u64 {
        low + self.random_below(high.saturating_sub(low) + 1)
    }

    /// Returns true with a probability of `chance` percent.
    pub fn happens_with_percent(&mut self, chance: u32) -> bool {
        self.random_below(100) < u64::from(chance)
    }
}

/// Which card a buyer uses, and what the bank does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Card {
    Good,
    /// The bank declines the card, and the buyer gives up.
    Declined,
    /// The bank declines the card. The buyer then uses a good card.
    Replaced,
    /// The bank asks for 3-D Secure authentication, and the buyer passes it.
    NeedsAuthentication,
}

/// What a buyer does after the card is authorised, or what the buyer does instead of paying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PurchaseEnding {
    /// The buyer waits for the server's response and reads it.
    Reads,
    /// The buyer closes the page. The page then sends the completing call as a beacon, whose
    /// response nobody reads.
    SendsBeacon,
    /// The buyer closes the tab during the completing call: the connection ends while the server
    /// works.
    CutCall,
    /// The buyer closes the tab right after the authorisation. Only the webhook or the server's
    /// sweeper can complete the order.
    ClosedTab,
    /// The buyer opens a payment and never pays. The reservation expires.
    Abandons,
    /// The buyer leaves the checkout, which releases the reservation.
    Releases,
}

/// Which of the specified calls completes the purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompletionCall {
    CardPayment,
    PurchaseTickets,
    /// The call for wallets, in which the server confirms the payment method.
    Wallet,
}

/// The whole plan of one buyer. It names draws by their index in the run's list of draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuyerPlan {
    pub number: usize,
    /// Arrival time in milliseconds after the start of the run.
    pub arrives_ms: u64,
    /// Pairs of draw index and ticket count. With more than one pair the purchase is a cart.
    pub wanted_lines: Vec<(usize, u32)>,
    pub card: Card,
    pub ending: PurchaseEnding,
    pub completion_call: CompletionCall,
    /// Pause in milliseconds after the payment is opened. The same pause follows the confirmation
    /// of the card.
    pub pause_ms: u64,
    /// Seed of the random stream that belongs to this buyer.
    pub seed: u64,
}

/// How many buyers of a crowd have each habit, in percent.
#[derive(Clone, Copy, Debug)]
pub struct BuyerHabits {
    pub declined: u32,
    pub second_card: u32,
    pub needs_authentication: u32,
    pub abandoners: u32,
    pub closed_tabs: u32,
}

impl BuyerHabits {
    /// Returns the habits for the command `rush`. `abandoners` percent of the buyers open a payment
    /// and leave.
    pub fn of_rush_crowd(abandoners: u32) -> Self {
        Self {
            declined: 4,
            second_card: 4,
            needs_authentication: 6,
            abandoners,
            closed_tabs: 15,
        }
    }

    fn random_card(&self, rng: &mut SeededRng) -> Card {
        let roll = u32::try_from(rng.random_below(100)).unwrap_or(0);
        let (second, needs_authentication) = (
            self.declined + self.second_card,
            self.declined + self.second_card + self.needs_authentication,
        );
        match roll {
            t if t < self.declined => Card::Declined,
            t if t < second => Card::Replaced,
            t if t < needs_authentication => Card::NeedsAuthentication,
            _ => Card::Good,
        }
    }

    fn random_purchase_ending(&self, rng: &mut SeededRng) -> PurchaseEnding {
        if rng.happens_with_percent(self.abandoners) {
            return if rng.happens_with_percent(30) {
                PurchaseEnding::Releases
            } else {
                PurchaseEnding::Abandons
            };
        }
        if rng.happens_with_percent(self.closed_tabs) {
            return [
                PurchaseEnding::SendsBeacon,
                PurchaseEnding::CutCall,
                PurchaseEnding::ClosedTab,
            ][rng.random_below(3) as usize];
        }
        PurchaseEnding::Reads
    }

    fn random_completion_call(rng: &mut SeededRng) -> CompletionCall {
        [
            CompletionCall::CardPayment,
            CompletionCall::PurchaseTickets,
            CompletionCall::CardPayment,
            CompletionCall::Wallet,
        ][rng.random_below(4) as usize]
    }
}

/// Maximum number of tickets that one browser may hold reserved (decision C-2).
const TICKETS_PER_BROWSER_MAX: u32 = 50;

/// A crowd of buyers for some draws, from which the plans are made.
#[derive(Clone, Debug)]
pub struct CrowdPlan {
    pub seed: u64,
    pub buyers: usize,
    /// Time within which all buyers arrive, in milliseconds.
    pub over_ms: u64,
    /// Percentage of buyers who arrive in the last quarter of the time, as before a kick-off. The
    /// others arrive at any time.
    pub late: u32,
    /// Maximum number of tickets that a buyer wants in one draw.
    pub most: u32,
    pub habits: BuyerHabits,
    /// For each draw index, the draw indices that may be in the same cart, because they belong to
    /// one club. If empty, there are no carts.
    pub together: Vec<Vec<usize>>,
}

impl CrowdPlan {
    /// Returns the plans of all buyers in order of arrival.
    pub fn buyer_plans(&self, draws: usize) -> Vec<BuyerPlan> {
        let mut plans: Vec<BuyerPlan> = (0..self.buyers)
            .map(|number| self.buyer_plan(number, draws))
            .collect();
        plans.sort_by_key(|plan| (plan.arrives_ms, plan.number));
        plans
    }

    fn buyer_plan(&self, number: usize, draws: usize) -> BuyerPlan {
        let mut rng = SeededRng::new(self.seed, number as u64);
        let arrives_ms = if rng.happens_with_percent(self.late) {
            rng.random_between(self.over_ms - self.over_ms / 4, self.over_ms)
        } else {
            rng.random_below(self.over_ms + 1)
        };
        let wanted_lines = self.random_cart_lines(&mut rng, draws);
        let card = self.habits.random_card(&mut rng);
        let ending = self.habits.random_purchase_ending(&mut rng);
        let completion_call = BuyerHabits::random_completion_call(&mut rng);
        // One buyer in twelve takes long for the card or the bank's question, so that the purchase
        // may cross a kick-off.
        let pause_ms = if rng.happens_with_percent(8) {
            rng.random_between(1_500, 8_000)
        } else {
            rng.random_below(120)
        };
        BuyerPlan {
            number,
            arrives_ms,
            wanted_lines,
            card,
            ending,
            completion_call,
            pause_ms,
            seed: rng.next_u64(),
        }
    }

    fn random_cart_lines(&self, rng: &mut SeededRng, draws: usize) -> Vec<(usize, u32)> {
        let first = rng.random_below(draws as u64) as usize;
        let mut chosen = vec![first];
        if let Some(others) = self.together.get(first).filter(|others| others.len() > 1)
            && rng.happens_with_percent(12)
        {
            let lines = rng.random_between(2, 3) as usize;
            while chosen.len() < lines.min(others.len()) {
                let other = others[rng.random_below(others.len() as u64) as usize];
                if !chosen.contains(&other) {
                    chosen.push(other);
                }
            }
        }
        // The tickets of one cart must not exceed the limit of a browser, which is fifty (decision
        // C-2).
        let mut tickets_left = TICKETS_PER_BROWSER_MAX;
        let mut lines: Vec<(usize, u32)> = chosen
            .into_iter()
            .map(|draw| (draw, self.random_ticket_count(rng)))
            .collect();
        for line in &mut lines {
            line.1 = line.1.min(tickets_left);
            tickets_left -= line.1;
        }
        lines.retain(|(_, count)| *count > 0);
        lines
    }

    /// Returns a random ticket count, usually a small one. One buyer in twenty may take the
    /// maximum.
    fn random_ticket_count(&self, rng: &mut SeededRng) -> u32 {
        let most = if rng.happens_with_percent(5) {
            self.most
        } else {
            self.most.min(6)
        };
        u32::try_from(rng.random_between(1, u64::from(most.max(1)))).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_crowd(seed: u64) -> CrowdPlan {
        CrowdPlan {
            seed,
            buyers: 500,
            over_ms: 10_000,
            late: 70,
            most: 50,
            habits: BuyerHabits::of_rush_crowd(10),
            together: vec![vec![0, 1], vec![0, 1], vec![2]],
        }
    }

    #[test]
    fn same_seed_gives_same_crowd() {
        assert_eq!(
            sample_crowd(7).buyer_plans(3),
            sample_crowd(7).buyer_plans(3)
        );
        assert_ne!(
            sample_crowd(7).buyer_plans(3),
            sample_crowd(8).buyer_plans(3)
        );
    }

    #[test]
    fn plans_are_ordered_and_respect_cart_and_ticket_limits() {
        let plans = sample_crowd(1).buyer_plans(3);
        assert_eq!(plans.len(), 500);
        assert!(
            plans
                .windows(2)
                .all(|pair| pair[0].arrives_ms <= pair[1].arrives_ms)
        );
        for plan in &plans {
            assert!(plan.arrives_ms <= 10_000);
            assert!(
                plan.wanted_lines
                    .iter()
                    .all(|(draw, count)| *draw < 3 && (1..=50).contains(count))
            );
            assert!(
                plan.wanted_lines
                    .iter()
                    .map(|(_, count)| count)
                    .sum::<u32>()
                    <= TICKETS_PER_BROWSER_MAX
            );
            let alone = plan.wanted_lines.iter().any(|(draw, _)| *draw == 2);
            assert!(
                !alone || plan.wanted_lines.len() == 1,
                "draw 2 shares no cart: {plan:?}"
            );
        }
        assert!(
            plans.iter().any(|plan| plan.wanted_lines.len() == 2),
            "some buy by cart"
        );
    }

    #[test]
    fn crowd_contains_every_habit() {
        let plans = sample_crowd(3).buyer_plans(3);
        for card in [
            Card::Good,
            Card::Declined,
            Card::Replaced,
            Card::NeedsAuthentication,
        ] {
            assert!(
                plans.iter().any(|plan| plan.card == card),
                "no buyer has {card:?}"
            );
        }
        let endings = [
            PurchaseEnding::Reads,
            PurchaseEnding::SendsBeacon,
            PurchaseEnding::CutCall,
            PurchaseEnding::ClosedTab,
            PurchaseEnding::Abandons,
        ];
        for ending in endings.into_iter().chain([PurchaseEnding::Releases]) {
            assert!(
                plans.iter().any(|plan| plan.ending == ending),
                "no buyer has {ending:?}"
            );
        }
    }

    #[test]
    fn crowd_without_duration_arrives_at_once() {
        let at_once = CrowdPlan {
            over_ms: 0,
            ..sample_crowd(5)
        };
        assert!(
            at_once
                .buyer_plans(1)
                .iter()
                .all(|plan| plan.arrives_ms == 0)
        );
    }
}
