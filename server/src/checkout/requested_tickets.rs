//! Parses the requested tickets of a purchase request: of one draw, or of a cart with several
//! draws.

use domain::{DrawId, TICKETS_PER_ORDER_MAX};

use crate::api::error::Problem;
use crate::api::purchase::Purchase;
use crate::services::open_orders::RequestedTickets;

/// Maximum number of items in a cart. A club has no more games than this in two weeks.
const CART_ITEMS_MAX: usize = 20;

/// Reads the tickets of one draw: `{drawNumber|drawId, ticketCount}`.
///
/// # Errors
/// 400 for a missing draw or a count outside 1…50.
pub fn parse_single(body: &Purchase) -> Result<RequestedTickets, Problem> {
    let draw = parse_draw(body.draw_number())?;
    Ok(RequestedTickets::from([(
        draw,
        parse_count(draw, body.ticket_count)?,
    )]))
}

/// Reads the tickets of a cart: `{items: [{drawId, quantity}]}`. The quantities of items for the
/// same draw are added (decision C-13).
///
/// # Errors
/// 400 for an empty or overlong cart, a missing draw or a count outside 1…50.
pub fn parse_cart(body: &Purchase) -> Result<RequestedTickets, Problem> {
    let items = body.items.as_deref().unwrap_or_default();
    if items.is_empty() || items.len() > CART_ITEMS_MAX {
        let message = format!("A cart holds 1 to {CART_ITEMS_MAX} draws.");
        return Err(Problem::bad_request("cart-size", message));
    }
    let mut counts = RequestedTickets::new();
    for item in items {
        let draw = parse_draw(item.draw_id.or(item.draw_number))?;
        let sum = counts.get(&draw).copied().unwrap_or(0) + parse_count(draw, item.quantity)?;
        counts.insert(draw, parse_count(draw, Some(sum.into()))?);
    }
    Ok(counts)
}

/// Parses the requested tickets of a request body that contains either one draw or a cart.
///
/// # Errors
/// 400 for an empty or overlong cart, a missing draw or a count outside 1…50.
pub fn parse_single_or_cart(body: &Purchase) -> Result<RequestedTickets, Problem> {
    if body.items.is_some() {
        parse_cart(body)
    } else {
        parse_single(body)
    }
}

fn parse_draw(number: Option<i64>) -> Result<DrawId, Problem> {
    number.map(DrawId).ok_or_else(|| {
        Problem::bad_request("draw-missing", "Which draw the tickets are for is missing.")
    })
}

fn parse_count(draw: DrawId, count: Option<i64>) -> Result<u16, Problem> {
    let range = 1..=i64::from(TICKETS_PER_ORDER_MAX);
    let count = count
        .filter(|count| range.contains(count))
        .and_then(|count| u16::try_from(count).ok());
    let refusal = domain::Refusal::CountOutOfRange {
        max: TICKETS_PER_ORDER_MAX,
    };
    count.ok_or_else(|| Problem::command_refused(draw, refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tickets_or_status(json: &str) -> Result<RequestedTickets, u16> {
        let body: Purchase = serde_json::from_str(json).expect("a purchase");
        parse_single_or_cart(&body).map_err(|problem| problem.status().as_u16())
    }

    #[test]
    fn purchase_takes_one_to_fifty_tickets_of_a_draw() {
        assert_eq!(
            tickets_or_status(r#"{"drawNumber":1042,"ticketCount":50}"#),
            Ok(RequestedTickets::from([(DrawId(1042), 50)]))
        );
        for count in ["0", "-1", "51", "1e9", "1e300", "null"] {
            assert_eq!(
                tickets_or_status(&format!(r#"{{"drawNumber":1042,"ticketCount":{count}}}"#)),
                Err(400),
                "{count}"
            );
        }
        assert_eq!(tickets_or_status(r#"{"ticketCount":1}"#), Err(400));
    }

    #[test]
    fn items_of_one_draw_are_added_up() {
        let two = r#"{"items":[{"drawId":1042,"quantity":20},{"drawId":"1041","quantity":1},{"drawId":1042,"quantity":30}]}"#;
        assert_eq!(
            tickets_or_status(two),
            Ok(RequestedTickets::from([
                (DrawId(1041), 1),
                (DrawId(1042), 50)
            ]))
        );
        assert_eq!(
            tickets_or_status(
                r#"{"items":[{"drawId":1042,"quantity":50},{"drawId":1042,"quantity":1}]}"#
            ),
            Err(400)
        );
        assert_eq!(tickets_or_status(r#"{"items":[]}"#), Err(400));
    }
}
