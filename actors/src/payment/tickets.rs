//! An order's tickets, draw by draw in ascending number: reserve, allocate, give back.

use std::time::Duration;

use domain::{Authority, Command, DrawId, OrderId, OrderState, Refusal, Reservation, Timestamp};
use persistence::books::OrderRecord;
use persistence::ledger::Rider;
use persistence::records::audit::Entry;
use tokio::time::Instant;

use super::room::{Later, Room};
use crate::{Committed, Denied};

/// A draw that is being rebuilt answers soon: how often to ask again before leaving it to the next door, and after what pause.
const ASK_AGAIN: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(800),
];

impl Room {
    /// Asks a draw, and again while it is being rebuilt: every command is idempotent, so that asking again is safe.
    pub(crate) async fn ask(
        &self,
        draw: DrawId,
        command: Command,
        rider: Option<Rider>,
    ) -> Result<Committed, Denied> {
        self.ask_signed(draw, command, rider, &mut None).await
    }

    /// The same for a person, whose act is signed by the first commit that comes of it; then there is none left to sign.
    pub(crate) async fn ask_signed(
        &self,
        draw: DrawId,
        command: Command,
        rider: Option<Rider>,
        act: &mut Option<Entry>,
    ) -> Result<Committed, Denied> {
        let draws = act
            .as_ref()
            .map_or_else(|| self.draws.clone(), |act| self.draws.by(act.clone()));
        let mut pauses = ASK_AGAIN.into_iter();
        loop {
            match (
                draws.execute(draw, command.clone(), rider.clone()).await,
                pauses.next(),
            ) {
                (Err(Denied::Unavailable), Some(pause)) => tokio::time::sleep(pause).await,
                (answer, _) => {
                    if answer.as_ref().is_ok_and(|committed| committed.written) {
                        *act = None;
                    }
                    return answer;
                }
            }
        }
    }

    /// What an order has reserved in a draw at this moment.
    pub(super) async fn kept(
        &self,
        draw: DrawId,
        order: OrderId,
    ) -> Result<Option<Reservation>, Denied> {
        // An extension to the beginning of time changes nothing and answers what there is.
        match self
            .ask(
                draw,
                Command::Extend {
                    order,
                    until: Timestamp(0),
                },
                None,
            )
            .await
        {
            Ok(committed) => Ok(committed.reservation),
            Err(Denied::Refused(_)) => Ok(None),
            Err(denied) => Err(denied),
        }
    }

    /// Gives an authorised order all its tickets, and says whether that is certain to have made its capture operation now; or
    /// says why not, and then what it got is still to be given back. Of several lines another node may have given one back
    /// meanwhile, because the authorisation ended: then the last commit made no operation.
    pub(super) async fn allocate(
        &self,
        record: &mut OrderRecord,
        authority: Authority,
        act: &mut Option<Entry>,
    ) -> Result<Result<bool, Refusal>, Later> {
        let order = record.order.id;
        let at = record.authorised_at.unwrap_or_else(|| self.clock.now());
        let mut tickets = Vec::new();
        let mut now = false;
        let begun = Instant::now();
        for line in record.order.lines.clone() {
            let command = Command::Allocate {
                order,
                count: line.count,
                unit_price: line.unit_price,
                authority,
            };
            let rider = Some(Rider::Authorised { order, at });
            match self.ask_signed(line.draw, command, rider, act).await {
                Ok(committed) => {
                    now = committed.written;
                    if let (true, Some(allocation)) = (now, &committed.allocation) {
                        self.tally.sold(allocation.serials.len());
                    }
                    tickets.extend(
                        committed
                            .allocation
                            .map(|allocation| (line.draw, allocation)),
                    );
                }
                Err(Denied::Refused(refusal)) => return Ok(Err(refusal)),
                Err(Denied::NoSuchDraw) => return Ok(Err(Refusal::DrawClosed)),
                Err(denied @ (Denied::Unavailable | Denied::Paused)) => {
                    tracing::warn!(%denied, order.id = %order, draw.id = %line.draw, "allocation goes on later");
                    return Err(Later);
                }
            }
        }
        if now {
            self.tally.allocations.note(begun.elapsed());
        }
        let has_one_line = record.order.lines.len() == 1;
        record.authorised_at = Some(at);
        record.order.state = OrderState::Allocated;
        record.order.application_fee = tickets.iter().map(|(_, allocation)| allocation.fee).sum();
        record.tickets = tickets
            .into_iter()
            .map(|(draw, allocation)| (draw, allocation.serials))
            .collect();
        Ok(Ok(now && has_one_line))
    }

    /// Gives back whatever an order has: tickets and reservations, in every draw.
    pub(super) async fn give_back(&self, record: &OrderRecord) -> Result<(), Later> {
        self.give_back_signed(record, &mut None).await
    }

    /// The same for a person.
    pub(super) async fn give_back_signed(
        &self,
        record: &OrderRecord,
        act: &mut Option<Entry>,
    ) -> Result<(), Later> {
        let (order, charged) = (&record.order, record.captured_at.is_some());
        for line in &order.lines {
            for command in [
                Command::Void {
                    order: order.id,
                    charged,
                },
                Command::Release { order: order.id },
            ] {
                match self.ask_signed(line.draw, command, None, act).await {
                    Ok(_) | Err(Denied::NoSuchDraw) => {}
                    Err(denied) => {
                        tracing::warn!(%denied, order.id = %order.id, draw.id = %line.draw, "giving back goes on later");
                        return Err(Later);
                    }
                }
            }
        }
        Ok(())
    }
}
