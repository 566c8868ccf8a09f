//! An independent model of a draw: 169 owners, a list of reservations, and the rules in their
//! simplest form. It shares only types with the real draw, so a wrong rule is noticed unless both
//! contain the same mistake.

use std::collections::BTreeMap;

use domain::{
    AllocationAuthority, Cents, Command, Draw, GameResult, OrderId, Refusal, Reservation, Serial,
    Status, Terms, TermsEdit, TermsEditor, Timestamp,
};

/// The outcome of a command that the model predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    Changes,
    Same,
    Refused(Refusal),
}

#[derive(Clone, Debug, PartialEq)]
struct ModelReservation {
    order: OrderId,
    count: usize,
    until: Timestamp,
    extensions: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    terms: Terms,
    rate_bps: i64,
    cap: i64,
    status: Status,
    /// The owner of each ticket. Index `k - 1` is ticket `k`.
    owners: Vec<Option<OrderId>>,
    claims: Vec<ModelReservation>,
    result: Option<(GameResult, i64)>,
    archived: bool,
    revealed: bool,
    /// Whether each ticket was returned at least once. Index `k - 1` is ticket `k`.
    was_returned: Vec<bool>,
    /// The sum of the fee ledger in cents.
    fee: i64,
    /// The sum of the fee steps of each order in cents.
    fee_by_order: BTreeMap<OrderId, i64>,
    /// How often names or the contact were changed.
    descriptions: u32,
}

impl Model {
    /// Returns a model of a draw that has sold nothing yet.
    pub fn of_new_draw(draw: &Draw) -> Model {
        Model {
            terms: *draw.terms(),
            rate_bps: draw.fee_policy().rate_bps.into(),
            cap: draw.fee_policy().cap.0,
            status: Status::Active,
            owners: vec![None; 169],
            claims: Vec::new(),
            result: None,
            archived: false,
            revealed: false,
            was_returned: vec![false; 169],
            fee: 0,
            fee_by_order: BTreeMap::new(),
            descriptions: 0,
        }
    }

    /// Predicts the outcome of a command and executes it on the model.
    pub fn predict_and_execute(&mut self, now: Timestamp, command: &Command) -> Prediction {
        let before = self.clone();
        match self.execute_command(now, command) {
            Err(refusal) => {
                assert_eq!(before, *self, "the model itself changed on a refusal");
                Prediction::Refused(refusal)
            }
            Ok(()) if before == *self => Prediction::Same,
            Ok(()) => Prediction::Changes,
        }
    }

    fn execute_command(&mut self, now: Timestamp, command: &Command) -> Result<(), Refusal> {
        match *command {
            Command::Reserve {
                order,
                count,
                until,
            } => self.reserve(now, order, count.into(), until),
            Command::Extend { order, until } => self.extend(now, order, until),
            Command::Release { order } => {
                self.claims.retain(|claim| claim.order != order);
                Ok(())
            }
            Command::Allocate {
                order,
                count,
                unit_price,
                authority,
            } => self.allocate(now, order, count.into(), unit_price, authority),
            Command::Void { order, charged } => {
                if self.tickets_of(order) > 0 {
                    for (owner, was_returned) in self.owners.iter_mut().zip(&mut self.was_returned)
                    {
                        if *owner == Some(order) {
                            (*owner, *was_returned) = (None, true);
                        }
                    }
                    let order_fee = self.fee_by_order.remove(&order).unwrap_or_default();
                    let held = if charged {
                        self.fee
                    } else {
                        self.fee - order_fee
                    };
                    self.fee = held.min(self.fee_due()).max(0);
                }
                Ok(())
            }
            Command::Tick => {
                if self.status == Status::Active && now >= self.terms.closes_at {
                    self.end_sales(Status::Closed);
                }
                self.remove_expired_reservations(now);
                Ok(())
            }
            Command::Complete { result } => match (self.status, self.result) {
                (Status::Completed, Some((earlier, _))) if earlier == result => Ok(()),
                (Status::Completed, _) => Err(Refusal::AlreadyCompleted),
                (Status::Cancelled, _) => Err(Refusal::DrawClosed),
                _ => {
                    self.end_sales(Status::Completed);
                    self.result = Some((result, self.prize()));
                    self.revealed |= now >= self.terms.closes_at;
                    Ok(())
                }
            },
            Command::Undo if self.status != Status::Completed => Err(Refusal::NotCompleted),
            Command::Undo => {
                self.revealed |= now >= self.terms.closes_at;
                self.status = if self.revealed {
                    Status::Closed
                } else {
                    Status::Active
                };
                self.result = None;
                self.archived = false;
                Ok(())
            }
            Command::Amend {
                ref edit,
                by,
                described,
            } => self.amend(now, edit, by, described),
            Command::Archive { archived } if archived == self.archived => Ok(()),
            Command::Archive { archived: true }
                if matches!(self.status, Status::Active | Status::Closed) =>
            {
                Err(Refusal::NotCompleted)
            }
            Command::Archive { archived } => {
                self.archived = archived;
                Ok(())
            }
            Command::Cancel if self.status == Status::Completed => Err(Refusal::AlreadyCompleted),
            Command::Cancel => {
                self.end_sales(Status::Cancelled);
                Ok(())
            }
        }
    }

    fn reserve(
        &mut self,
        now: Timestamp,
        order: OrderId,
        count: usize,
        until: Timestamp,
    ) -> Result<(), Refusal> {
        if self.tickets_of(order) > 0 {
            return Err(Refusal::AlreadyAllocated);
        }
        let live = self
            .claims
            .iter()
            .find(|claim| claim.order == order && now < claim.until)
            .cloned();
        if live.as_ref().map(|claim| claim.count) == Some(count) {
            return Ok(());
        }
        self.check_on_sale(now)?;
        Self::check_ticket_count(count)?;
        if until <= now {
            return Err(Refusal::TermsInvalid);
        }
        self.check_free_tickets(now, order, count)?;
        self.remove_expired_reservations(now);
        self.claims.retain(|claim| claim.order != order);
        let until = Timestamp(until.0.min(self.terms.closes_at.0));
        self.claims.push(ModelReservation {
            order,
            count,
            until,
            extensions: live.map_or(0, |claim| claim.extensions),
        });
        Ok(())
    }

    fn extend(&mut self, now: Timestamp, order: OrderId, until: Timestamp) -> Result<(), Refusal> {
        if self.tickets_of(order) > 0 {
            return Err(Refusal::AlreadyAllocated);
        }
        let until = Timestamp(until.0.min(self.terms.closes_at.0));
        let Some(claim) = self
            .claims
            .iter_mut()
            .find(|claim| claim.order == order && now < claim.until)
        else {
            return Err(Refusal::ReservationUnknown);
        };
        if until > claim.until {
            if claim.extensions == 10 {
                return Err(Refusal::ExtensionsUsedUp);
            }
            claim.until = until;
            claim.extensions += 1;
            self.remove_expired_reservations(now);
        }
        Ok(())
    }

    fn allocate(
        &mut self,
        now: Timestamp,
        order: OrderId,
        count: usize,
        price: Cents,
        authority: AllocationAuthority,
    ) -> Result<(), Refusal> {
        match self.tickets_of(order) {
            0 => {}
            owned if owned == count => return Ok(()),
            _ => return Err(Refusal::AlreadyAllocated),
        }
        match authority {
            AllocationAuthority::Sale => self.check_on_sale(now)?,
            AllocationAuthority::Repair { authorised_at } => {
                if self.revealed && matches!(self.status, Status::Active | Status::Closed) {
                    return Err(Refusal::Revealed);
                }
                let over = self.status == Status::Completed || self.status == Status::Cancelled;
                if over || authorised_at >= self.terms.closes_at {
                    return Err(Refusal::DrawClosed);
                }
            }
        }
        Self::check_ticket_count(count)?;
        if price != self.terms.price {
            return Err(Refusal::PriceChanged);
        }
        self.check_free_tickets(now, order, count)?;
        self.remove_expired_reservations(now);
        self.claims.retain(|claim| claim.order != order);
        for _ in 0..count {
            let next = |returned| {
                (0..169).find(|place| {
                    self.owners[*place].is_none() && self.was_returned[*place] == returned
                })
            };
            let free = next(false).or_else(|| next(true)).expect("a free ticket");
            self.owners[free] = Some(order);
        }
        let line = count as i64 * self.terms.price.0;
        let missing = (self.fee_due() - self.fee).max(0).min(line);
        self.fee += missing;
        self.fee_by_order.insert(order, missing);
        Ok(())
    }

    fn amend(
        &mut self,
        now: Timestamp,
        edit: &TermsEdit,
        by: TermsEditor,
        described: bool,
    ) -> Result<(), Refusal> {
        let old = self.terms;
        let mut terms = old;
        terms.price = edit.price.unwrap_or(old.price);
        terms.prize_percentage = edit.prize_percentage.unwrap_or(old.prize_percentage);
        terms.round_up_prize = edit.round_up_prize.unwrap_or(old.round_up_prize);
        terms.opens_at = edit.opens_at.unwrap_or(old.opens_at);
        terms.closes_at = edit.closes_at.unwrap_or(old.closes_at);
        if terms == old && !described {
            return Ok(());
        }
        let ended = self.status == Status::Completed || self.status == Status::Cancelled;
        if ended && (by == TermsEditor::Club || terms != old) {
            return Err(Refusal::DrawNotActive);
        }
        if by == TermsEditor::Club && (self.status == Status::Closed || now >= old.closes_at) {
            return Err(Refusal::GameStarted);
        }
        self.descriptions += u32::from(described);
        if terms == old {
            self.remove_expired_reservations(now);
            return Ok(());
        }
        if self.revealed {
            return Err(Refusal::Revealed);
        }
        let priced = terms.price.0 >= 1 && terms.price.0 <= 1_000_000;
        let shared = terms.prize_percentage >= 1 && terms.prize_percentage <= 100;
        let opens_in_time = terms.opens_at.is_none_or(|at| at < terms.closes_at);
        if !priced || !shared || terms.closes_at <= now || !opens_in_time {
            return Err(Refusal::TermsInvalid);
        }
        let promise = |t: &Terms| (t.price, t.prize_percentage, t.round_up_prize);
        let held: usize = self
            .claims
            .iter()
            .filter(|claim| now < claim.until)
            .map(|claim| claim.count)
            .sum();
        if promise(&terms) != promise(&old) && self.sold() > 0 {
            return Err(Refusal::TermsLocked {
                sold: self.sold() as u16,
            });
        }
        if promise(&terms) != promise(&old) && held > 0 {
            return Err(Refusal::TermsKept { held: held as u16 });
        }
        self.remove_expired_reservations(now);
        self.claims
            .iter_mut()
            .for_each(|claim| claim.until = claim.until.min(terms.closes_at));
        self.terms = terms;
        self.status = Status::Active;
        Ok(())
    }

    fn check_on_sale(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.status != Status::Active || now >= self.terms.closes_at {
            Err(Refusal::DrawClosed)
        } else if self.terms.opens_at.is_some_and(|at| now < at) {
            Err(Refusal::DrawNotOpen)
        } else {
            Ok(())
        }
    }

    fn check_ticket_count(count: usize) -> Result<(), Refusal> {
        if count == 0 || count > 50 {
            Err(Refusal::CountOutOfRange { max: 50 })
        } else {
            Ok(())
        }
    }

    fn check_free_tickets(
        &self,
        now: Timestamp,
        order: OrderId,
        count: usize,
    ) -> Result<(), Refusal> {
        let mut free = 169 - self.sold();
        for claim in self
            .claims
            .iter()
            .filter(|claim| claim.order != order && now < claim.until)
        {
            free -= claim.count;
        }
        if count > free {
            Err(Refusal::TooFewTickets { free: free as u16 })
        } else {
            Ok(())
        }
    }

    fn end_sales(&mut self, status: Status) {
        self.claims.clear();
        self.status = status;
    }

    fn remove_expired_reservations(&mut self, now: Timestamp) {
        self.claims.retain(|claim| now < claim.until);
    }

    fn sold(&self) -> usize {
        self.owners.iter().flatten().count()
    }

    fn tickets_of(&self, order: OrderId) -> usize {
        self.owners
            .iter()
            .flatten()
            .filter(|owner| **owner == order)
            .count()
    }

    /// Returns the fee due on all sold tickets in cents.
    fn fee_due(&self) -> i64 {
        let ten_thousandths = self.sold() as i64 * self.terms.price.0 * self.rate_bps;
        (ten_thousandths / 10_000 + i64::from(ten_thousandths % 10_000 >= 5_000)).min(self.cap)
    }

    fn prize(&self) -> i64 {
        let thousandths =
            self.sold() as i64 * self.terms.price.0 * i64::from(self.terms.prize_percentage) * 10;
        let cents = thousandths / 1000 + i64::from(thousandths % 1000 >= 500);
        if self.terms.round_up_prize && cents % 1000 != 0 {
            cents - cents % 1000 + 1000
        } else {
            cents
        }
    }

    /// Asserts that the public state of the draw is what the model expects.
    pub fn assert_agrees(&self, draw: &Draw) {
        let view = draw.view();
        assert_eq!(
            (view.status, usize::from(view.sold)),
            (self.status, self.sold())
        );
        assert_eq!(
            usize::from(view.held),
            self.claims.iter().map(|claim| claim.count).sum::<usize>()
        );
        let revenue = self.sold() as i64 * self.terms.price.0;
        assert_eq!((draw.revenue().0, draw.fee().0), (revenue, self.fee));
        assert_eq!(
            view.prize.0,
            self.result.map_or_else(|| self.prize(), |(_, prize)| prize)
        );
        assert_eq!(
            (draw.is_archived(), draw.is_revealed()),
            (self.archived, self.revealed)
        );
        assert_eq!(
            view.result.map(|(result, _)| result),
            self.result.map(|(result, _)| result)
        );
        for claim in &self.claims {
            let expected = Reservation {
                count: claim.count as u16,
                until: claim.until,
                extensions: claim.extensions,
            };
            assert_eq!(draw.reservation(claim.order), Some(expected));
        }
        for (order, serials) in self.sold_serials_by_order() {
            assert_eq!(
                draw.allocation(order).map(|allocation| &allocation.serials),
                Some(&serials)
            );
        }
    }

    /// Returns the serials of the sold tickets by order.
    fn sold_serials_by_order(&self) -> std::collections::BTreeMap<OrderId, Vec<Serial>> {
        let mut sales = std::collections::BTreeMap::<OrderId, Vec<Serial>>::new();
        for (place, owner) in self.owners.iter().enumerate() {
            if let Some(order) = owner {
                sales
                    .entry(*order)
                    .or_default()
                    .push(Serial::new(place as u16 + 1).expect("1…169"));
            }
        }
        sales
    }
}
