//! Lists, newest first, and the expansion of ids into objects.

use serde_json::{Value, json};

use super::call::Call;
use super::charge::Charge;
use super::failure::Failure;
use super::state::{Holds, State};
use super::table::{Key, Row};

const LIMIT_DEFAULT: i64 = 10;
const LIMIT_MAX: i64 = 100;
/// How deep `expand` may reach, as in the real API.
const EXPAND_DEPTH_MAX: usize = 4;

/// One page of this account's objects that `keep` lets through, by `created`, `limit`, `starting_after`, `ending_before`.
pub fn page<T: Row>(state: &State, call: &Call, keep: impl Fn(&T) -> bool) -> Result<Value, Failure>
where
    State: Holds<T>,
{
    let form = &call.form;
    let limit = form.integer("limit")?.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Failure::invalid("Limit must be between 1 and 100.").param("limit"));
    }
    let bound = |name: &'static str, otherwise: i64| {
        Ok::<_, Failure>(form.integer(name)?.unwrap_or(otherwise))
    };
    let exact = form.integer("created")?;
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
            .ok_or_else(|| Failure::unknown(T::OBJECT, id)),
    };
    let below = cursor("starting_after")?.unwrap_or(usize::MAX);
    let wanted = |row: &T| {
        let Key {
            account, created, ..
        } = row.key();
        account == call.account && (oldest..=newest).contains(&created) && keep(row)
    };
    let numbered = table.rows().enumerate();
    let mut rows: Vec<&T> = match cursor("ending_before")? {
        // Backwards: the ones just newer than the cursor, still shown newest first.
        Some(above) => numbered
            .skip(above + 1)
            .map(|(_, row)| row)
            .filter(|row| wanted(row))
            .take(limit as usize + 1)
            .collect(),
        None => numbered
            .rev()
            .filter(|(position, _)| *position < below)
            .map(|(_, row)| row)
            // Creation times never fall along the table, so everything further back is too old.
            .take_while(|row| row.key().created >= oldest)
            .filter(|row| wanted(row))
            .take(limit as usize + 1)
            .collect(),
    };
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    if form.get("ending_before").is_some() {
        rows.reverse();
    }
    let data: Vec<Value> = rows.into_iter().map(Row::render).collect();
    Ok(
        json!({ "object": "list", "data": data, "has_more": has_more, "url": format!("/v1/{}", call.path) }),
    )
}

/// Replaces the ids named by `expand[]` by their objects.
pub fn expand(state: &State, call: &Call, answer: &mut Value) {
    for path in call.form.list("expand") {
        let steps: Vec<&str> = path.split('.').take(EXPAND_DEPTH_MAX).collect();
        reach(state, &call.account, answer, &steps);
    }
}

fn reach(state: &State, account: &str, value: &mut Value, steps: &[&str]) {
    let Some((step, rest)) = steps.split_first() else {
        return;
    };
    if let Some(rows) = value.as_array_mut() {
        return rows
            .iter_mut()
            .for_each(|row| reach(state, account, row, steps));
    }
    let Some(field) = value.get_mut(*step) else {
        return;
    };
    if let Some(object) = field.as_str().and_then(|id| object(state, account, id)) {
        *field = object;
    }
    reach(state, account, field, rest);
}

/// Any object by its id's prefix. Fees live on the platform but belong to the account's charge.
fn object(state: &State, account: &str, id: &str) -> Option<Value> {
    fn seen<T: Row>(found: Option<&T>, account: &str) -> Option<Value> {
        found
            .filter(|row| ["", account].contains(&row.key().account))
            .map(Row::render)
    }
    match id.split('_').next()? {
        "pi" => seen(state.intents.get(id), account),
        "ch" => seen(state.charges.get(id), account),
        "txn" => seen(state.transactions.get(id), account),
        "pm" => seen(state.methods.get(id), account),
        "re" => seen(state.refunds.get(id), account),
        "fee" => seen(state.fees.get(id), account),
        "acct" => seen(state.accounts.get(id), account),
        "dp" => seen(state.disputes.get(id), account),
        _ => None,
    }
}

/// Whether a charge belongs to the intent the list asks for.
pub fn of_intent(call: &Call, charge: &Charge) -> bool {
    call.form
        .get("payment_intent")
        .is_none_or(|intent| charge.intent == intent)
}
