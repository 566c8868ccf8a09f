//! Who the buyer of an order is: what stood in the form when Pay was pressed.

use domain::OrderState;
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;

use super::draws_of;
use crate::error::Problem;
use crate::identity::Browser;
use crate::open_orders::is_own;
use crate::state::State;

/// Stores what is said of the buyer on the way to paying, and nothing when it is stored already. As long as nothing is
/// authorised the order's own browser replaces what it said before: a typo, or what somebody else's visit left in the form.
/// Afterwards, and from any other browser, only blanks are filled (decision C-7).
///
/// # Errors
/// The books could not be written.
pub async fn correct(
    state: &State,
    browser: &Browser,
    record: &mut OrderRecord,
    said: &BuyerDetails,
) -> Result<(), Problem> {
    let order = record.order.id;
    let unpaid = record.order.state == OrderState::Quoted && record.authorised_at.is_none();
    if unpaid && is_own(browser, &record.client_key, draws_of(record)) {
        let corrected = record.buyer.clone().corrected(said);
        if corrected == record.buyer {
            return Ok(());
        }
        if state.payments.correct_buyer(order, said).await? {
            record.buyer = corrected;
            return Ok(());
        }
        // It was authorised a moment ago.
    }
    if adds_to(&record.buyer, said) {
        state.payments.fill_buyer(order, said).await?;
        record.buyer = std::mem::take(&mut record.buyer).filled(said);
    }
    Ok(())
}

/// Whether details say something that is not known yet.
pub fn adds_to(known: &BuyerDetails, said: &BuyerDetails) -> bool {
    (known.email.is_none() && said.email.is_some())
        || (known.phone.is_none() && said.phone.is_some())
}
