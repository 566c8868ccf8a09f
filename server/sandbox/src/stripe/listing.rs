//! Lists objects page by page, newest first, and replaces ids by the objects they name.

use serde_json::{Value, json};

use super::api_call::ApiCall;
use super::charge::Charge;
use super::failure::StripeError;
use super::state::{HasTable, SandboxState};
use super::table::{ObjectKey, StripeObject};

const PAGE_LIMIT_DEFAULT: i64 = 10;
const PAGE_LIMIT_MAX: i64 = 100;

/// Returns one page of the account's objects for which the filter returns true. Supports the
/// parameters `created`, `limit`, `starting_after` and `ending_before`.
pub fn list_page<T: StripeObject>(
    state: &SandboxState,
    call: &ApiCall,
    keep: impl Fn(&T) -> bool,
) -> Result<Value, StripeError>
where
    SandboxState: HasTable<T>,
{
    let form = &call.form;
    let limit = form.get_integer("limit")?.unwrap_or(PAGE_LIMIT_DEFAULT);
    if !(1..=PAGE_LIMIT_MAX).contains(&limit) {
        return Err(
            StripeError::invalid_request("Limit must be between 1 and 100.").with_param("limit"),
        );
    }
    let bound = |name: &'static str, otherwise: i64| {
        Ok::<_, StripeError>(form.get_integer(name)?.unwrap_or(otherwise))
    };
    let exact = form.get_integer("created")?;
    let oldest =
        bound("created[gte]", i64::MIN)?.max(bound("created[gt]", i64::MIN)?.saturating_add(1));
    let newest =
        bound("created[lte]", i64::MAX)?.min(bound("created[lt]", i64::MAX)?.saturating_sub(1));
    let (oldest, newest) = exact.map_or((oldest, newest), |exact| (exact, exact));
    let table = state.table();
    let cursor = |name: &'static str| match form.get(name) {
        None => Ok(None),
        Some(id) => table
            .position(id)
            .map(Some)
            .ok_or_else(|| StripeError::not_found(T::OBJECT_NAME, id)),
    };
    let below = cursor("starting_after")?.unwrap_or(usize::MAX);
    let is_match = |row: &T| {
        let ObjectKey {
            account, created, ..
        } = row.key();
        account == call.account && (oldest..=newest).contains(&created) && keep(row)
    };
    let numbered = table.rows().enumerate();
    let mut rows: Vec<&T> = match cursor("ending_before")? {
        // With `ending_before`, the page holds the objects just newer than the cursor, still newest
        // first.
        Some(above) => numbered
            .skip(above + 1)
            .map(|(_, row)| row)
            .filter(|row| is_match(row))
            .take(limit as usize + 1)
            .collect(),
        None => numbered
            .rev()
            .filter(|(position, _)| *position < below)
            .map(|(_, row)| row)
            // The table is in order of creation, so once one object is too old, all earlier ones
            // are too.
            .take_while(|row| row.key().created >= oldest)
            .filter(|row| is_match(row))
            .take(limit as usize + 1)
            .collect(),
    };
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    if form.get("ending_before").is_some() {
        rows.reverse();
    }
    let data: Vec<Value> = rows.into_iter().map(StripeObject::render).collect();
    Ok(
        json!({ "object": "list", "data": data, "has_more": has_more, "url": format!("/v1/{}", call.path) }),
    )
}

/// Replaces the ids that `expand[]` parameters name with the objects themselves.
pub fn expand_response(state: &SandboxState, call: &ApiCall, response: &mut Value) {
    for path in call.form.get_list("expand") {
        let steps: Vec<&str> = path.split('.').collect();
        expand_path(state, &call.account, response, &steps);
    }
}

fn expand_path(state: &SandboxState, account: &str, value: &mut Value, steps: &[&str]) {
    let Some((step, rest)) = steps.split_first() else {
        return;
    };
    if let Some(rows) = value.as_array_mut() {
        return rows
            .iter_mut()
            .for_each(|row| expand_path(state, account, row, steps));
    }
    // A charge shows its refunds only if they are expanded.
    if *step == "refunds" && value["object"] == "charge" {
        let id = value["id"].as_str().unwrap_or_default();
        if let Some(charge) = state.charges.get(id) {
            value["refunds"] = charge.render_refunds(state);
        }
    }
    let Some(field) = value.get_mut(*step) else {
        return;
    };
    if let Some(object) = field
        .as_str()
        .and_then(|id| render_object_by_id(state, account, id))
    {
        *field = object;
    }
    expand_path(state, account, field, rest);
}

/// Renders the object with this id. The prefix of the id tells the object's type. An account sees
/// its own objects, and of the platform's objects only its own application fees and itself. `None`:
/// the account sees no such object.
fn render_object_by_id(state: &SandboxState, account: &str, id: &str) -> Option<Value> {
    fn render_if_visible<T: StripeObject>(found: Option<&T>, account: &str) -> Option<Value> {
        found
            .filter(|row| row.key().account == account)
            .map(StripeObject::render)
    }
    let is_visible_to = |owner: &str| account.is_empty() || account == owner;
    match id.split('_').next()? {
        "pi" => render_if_visible(state.intents.get(id), account),
        "ch" => render_if_visible(state.charges.get(id), account),
        "txn" => render_if_visible(state.transactions.get(id), account),
        "pm" => render_if_visible(state.methods.get(id), account),
        "re" => render_if_visible(state.refunds.get(id), account),
        "fee" => state
            .fees
            .get(id)
            .filter(|fee| is_visible_to(&fee.origin))
            .map(StripeObject::render),
        "acct" => state
            .accounts
            .get(id)
            .filter(|row| is_visible_to(&row.id))
            .map(StripeObject::render),
        "dp" => render_if_visible(state.disputes.get(id), account),
        "issfr" => render_if_visible(state.fraud_warnings.get(id), account),
        _ => None,
    }
}

/// Whether a charge belongs to the payment intent that the request's `payment_intent` parameter
/// names. True for every charge if the request lacks the parameter.
pub fn belongs_to_intent(call: &ApiCall, charge: &Charge) -> bool {
    call.form
        .get("payment_intent")
        .is_none_or(|intent| charge.intent == intent)
}
