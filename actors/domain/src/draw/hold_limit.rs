//! Limits how many unpaid tickets of one draw the same source (a browser or a network) may reserve
//! at the same time. A reservation costs nothing, so without a limit one source could block a whole
//! draw (decision M-7).
//!
//! The draw's actor keeps the counts in memory only: a reservation lasts minutes, and the source
//! must not be stored longer. After a restart the counts are empty.

use std::collections::BTreeMap;

use super::command::Command;
use super::event::Event;
use super::refusal::Refusal;
use super::{Draw, Reservation};
use crate::{OrderId, TICKETS, Timestamp};

/// Smallest quota of a source (a browser or a network) while that many tickets are unsold. Enough
/// for a family.
pub const SOURCE_TICKET_QUOTA_MIN: u16 = 10;
/// The tickets of a reservation that ended unpaid count against its source for this many times the
/// reservation's duration. A source that never pays therefore holds its quota for at most a fifth
/// of the time.
pub const COOLDOWN_TO_RESERVATION_RATIO: i64 = 4;
/// A draw is scarce while at most this many of its tickets are free: a third of 169.
pub const SCARCE_FREE_TICKETS_MAX: u16 = 56;
/// Largest number of tickets in an order of a browser that never paid, while the draw is scarce.
pub const SCARCE_TICKETS_PER_ORDER_MAX: u16 = 10;
/// How often an order of a browser that never paid may be extended, while the draw is scarce.
pub const SCARCE_EXTENSIONS_PER_ORDER_MAX: u8 = 2;
/// Length of one extension for a browser that never paid, while the draw is scarce.
pub const SCARCE_EXTENSION_SECONDS: i64 = 60;

/// Digest of a network or a browser. It is the same on every node and identifies no person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReservationSourceId(pub u128);

/// The browser or network that makes a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservationSource {
    /// Digest of the browser if it has paid before, otherwise of its network.
    pub id: ReservationSourceId,
    pub has_paid: bool,
}

/// Returns the quota of unpaid tickets for one source that has not paid in this draw: half of the
/// unsold tickets.
pub fn source_ticket_quota(unsold: u16) -> u16 {
    (unsold / 2).max(SOURCE_TICKET_QUOTA_MIN).min(unsold)
}

/// Returns the quota that all browsers that never paid share: five sixths of the unsold tickets,
/// but at least ten. The remaining sixth is left for buyers who paid before.
pub fn never_paid_ticket_quota(unsold: u16) -> u16 {
    (unsold * 5 / 6).max(SOURCE_TICKET_QUOTA_MIN)
}

/// Returns how many extensions a browser that never paid may make while `free` tickets are free.
pub fn never_paid_extensions_max(free: u16) -> u8 {
    if free <= SCARCE_FREE_TICKETS_MAX {
        SCARCE_EXTENSIONS_PER_ORDER_MAX
    } else {
        crate::reservation::EXTENSIONS_PER_RESERVATION_MAX
    }
}

/// A reservation whose source is known.
#[derive(Clone, Copy, Debug)]
struct Hold {
    source: ReservationSource,
    count: u16,
    since: Timestamp,
    until: Timestamp,
}

/// Tickets of a reservation that ended unpaid. They count against the quota of `source` until
/// `until`.
#[derive(Clone, Copy, Debug)]
struct CooldownTickets {
    source: ReservationSourceId,
    count: u16,
    until: Timestamp,
}

/// The unpaid reservations of one draw, by source, and the tickets that each source paid for.
#[derive(Clone, Debug, Default)]
pub struct HoldLimiter {
    holds: BTreeMap<OrderId, Hold>,
    cooldown: Vec<CooldownTickets>,
    /// Number of this draw's tickets that each source paid for. They increase the source's quota.
    paid: BTreeMap<ReservationSourceId, u16>,
}

impl HoldLimiter {
    /// Decides a command like [`Draw::decide`], but also enforces the limits on unpaid tickets. A
    /// reservation without a source is not limited.
    ///
    /// # Errors
    /// The draw's own refusal first; then `HoldLimit` or `ExtensionsUsedUp`.
    pub fn decide(
        &mut self,
        draw: &Draw,
        now: Timestamp,
        command: &Command,
        source: Option<ReservationSource>,
    ) -> Result<Vec<Event>, Refusal> {
        let events = draw.decide(now, command)?;
        if events.is_empty() {
            return Ok(events);
        }
        match *command {
            Command::Reserve {
                order,
                count,
                until,
            } => {
                self.sync_with_draw(draw, now);
                let Some(known) = source.or_else(|| self.source_of_order(order)) else {
                    return Ok(events);
                };
                let kept_until = match source {
                    Some(source) => self.reservation_end_within_limits(
                        draw,
                        now,
                        order,
                        (count, until),
                        source,
                    )?,
                    None => until,
                };
                self.replace_hold(
                    order,
                    Hold {
                        source: known,
                        count,
                        since: now,
                        until: kept_until,
                    },
                    now,
                );
                if kept_until == until {
                    return Ok(events);
                }
                draw.decide(
                    now,
                    &Command::Reserve {
                        order,
                        count,
                        until: kept_until,
                    },
                )
            }
            Command::Extend { order, until } => {
                self.sync_with_draw(draw, now);
                let kept_until = self.extension_end_within_limits(draw, now, order, until)?;
                if kept_until == until {
                    return Ok(events);
                }
                draw.decide(
                    now,
                    &Command::Extend {
                        order,
                        until: kept_until,
                    },
                )
            }
            _ => Ok(events),
        }
    }

    /// Updates the counts to the state of the draw at `now`. Paid tickets increase their source's
    /// quota. Tickets of reservations that ended unpaid still count for their cooldown.
    pub fn sync_with_draw(&mut self, draw: &Draw, now: Timestamp) {
        let HoldLimiter {
            holds,
            cooldown,
            paid,
        } = self;
        cooldown.retain(|cooldown| now < cooldown.until);
        holds.retain(|order, hold| {
            if let Some(allocation) = draw.allocations.get(order) {
                *paid.entry(hold.source.id).or_default() += allocation.serials.len() as u16;
                return false;
            }
            if let Some(Reservation { count, until, .. }) = draw
                .reservation(*order)
                .filter(|reservation| reservation.is_active(now))
            {
                (hold.count, hold.until) = (count, until);
                true
            } else {
                cooldown.extend(hold.cooldown_after_hold_end(now));
                false
            }
        });
    }

    fn source_of_order(&self, order: OrderId) -> Option<ReservationSource> {
        self.holds.get(&order).map(|hold| hold.source)
    }

    /// Replaces the hold of a resized reservation. The tickets of the replaced hold count for a
    /// cooldown, because the replaced hold ended unpaid.
    fn replace_hold(&mut self, order: OrderId, hold: Hold, now: Timestamp) {
        if let Some(before) = self.holds.insert(order, hold) {
            self.cooldown.extend(before.cooldown_after_hold_end(now));
        }
    }

    /// Returns until when the order may reserve `count` tickets. An active reservation may always
    /// be reduced, but if the reduced count is still over the quota, the reservation is not
    /// extended.
    fn reservation_end_within_limits(
        &self,
        draw: &Draw,
        now: Timestamp,
        order: OrderId,
        (count, until): (u16, Timestamp),
        source: ReservationSource,
    ) -> Result<Timestamp, Refusal> {
        let available = self.tickets_available_to_source(draw, now, order, source);
        if count <= available {
            return Ok(until);
        }
        let earlier = draw
            .reservation(order)
            .filter(|earlier| earlier.is_active(now) && count <= earlier.count);
        earlier
            .map(|earlier| until.min(earlier.until))
            .ok_or(Refusal::HoldLimit { available })
    }

    /// Returns the largest number of tickets that an order of this source may reserve now.
    fn tickets_available_to_source(
        &self,
        draw: &Draw,
        now: Timestamp,
        order: OrderId,
        source: ReservationSource,
    ) -> u16 {
        let unsold = TICKETS - draw.sold();
        let held = HeldTickets::held_by_other_orders(self, draw, now, source.id, order);
        let own = self.remaining_quota_of_source(unsold, source.id, held.by_source);
        if source.has_paid {
            return own;
        }
        let shared = never_paid_ticket_quota(unsold).saturating_sub(held.never_paid);
        let is_scarce = unsold.saturating_sub(held.by_all) <= SCARCE_FREE_TICKETS_MAX;
        own.min(shared).min(if is_scarce {
            SCARCE_TICKETS_PER_ORDER_MAX
        } else {
            u16::MAX
        })
    }

    /// Returns how many more tickets a source may reserve: its quota, minus its reserved tickets,
    /// minus the tickets of its recently expired unpaid reservations. Each ticket that the source paid for adds
    /// one to the quota.
    fn remaining_quota_of_source(
        &self,
        unsold: u16,
        source: ReservationSourceId,
        held: u16,
    ) -> u16 {
        let cooldown = self
            .cooldown
            .iter()
            .filter(|cooldown| cooldown.source == source);
        let cooldown: u16 = cooldown
            .map(|cooldown| cooldown.count)
            .fold(0, u16::saturating_add);
        let paid = self.paid.get(&source).copied().unwrap_or(0);
        let quota = source_ticket_quota(unsold) + paid;
        quota.saturating_sub(held).saturating_sub(cooldown)
    }

    /// Returns until when the limits allow the order's reservation to be extended.
    fn extension_end_within_limits(
        &self,
        draw: &Draw,
        now: Timestamp,
        order: OrderId,
        until: Timestamp,
    ) -> Result<Timestamp, Refusal> {
        let (Some(source), Some(earlier)) = (self.source_of_order(order), draw.reservation(order))
        else {
            return Ok(until);
        };
        let unsold = TICKETS - draw.sold();
        let held = HeldTickets::held_by_other_orders(self, draw, now, source.id, order);
        if self.remaining_quota_of_source(unsold, source.id, held.by_source) < earlier.count {
            return Err(Refusal::ExtensionsUsedUp);
        }
        let free = unsold.saturating_sub(held.by_all + earlier.count);
        if source.has_paid || free > SCARCE_FREE_TICKETS_MAX {
            return Ok(until);
        }
        if earlier.extensions >= never_paid_extensions_max(free) {
            return Err(Refusal::ExtensionsUsedUp);
        }
        Ok(until.min(earlier.until.plus_seconds(SCARCE_EXTENSION_SECONDS)))
    }
}

impl Hold {
    /// Returns the tickets that still count after this hold ends unpaid, and until when. `None`:
    /// the cooldown is over already.
    fn cooldown_after_hold_end(&self, now: Timestamp) -> Option<CooldownTickets> {
        let ended = self.until.min(now);
        let until = ended.plus_ms(COOLDOWN_TO_RESERVATION_RATIO * ended.ms_since(self.since));
        (now < until).then_some(CooldownTickets {
            source: self.source.id,
            count: self.count,
            until,
        })
    }
}

/// Number of tickets in active reservations of all orders except the requesting one.
#[derive(Default)]
struct HeldTickets {
    by_all: u16,
    by_source: u16,
    /// Reserved by browsers that never paid, or by orders of unknown source.
    never_paid: u16,
}

impl HeldTickets {
    fn held_by_other_orders(
        limiter: &HoldLimiter,
        draw: &Draw,
        now: Timestamp,
        source: ReservationSourceId,
        except: OrderId,
    ) -> HeldTickets {
        let mut held = HeldTickets::default();
        for (order, reservation) in draw
            .reservations
            .iter()
            .filter(|(_, reservation)| reservation.is_active(now))
        {
            if *order == except {
                continue;
            }
            let of = limiter.source_of_order(*order);
            held.by_all += reservation.count;
            held.by_source += of
                .filter(|of| of.id == source)
                .map_or(0, |_| reservation.count);
            held.never_paid += of.filter(|of| of.has_paid).map_or(reservation.count, |_| 0);
        }
        held
    }
}
