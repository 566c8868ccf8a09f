//! Checks the `expand[]` parameters of a request against the table.

use super::{ApiSchema, CallSchema, SchemaType};
use crate::stripe::failure::StripeError;
use crate::stripe::form::StripeForm;

/// Maximum depth of an `expand` path, as in Stripe's API.
const EXPAND_DEPTH_MAX: usize = 4;

impl CallSchema {
    /// Returns Stripe's error unless every `expand[]` parameter names an object that the answer
    /// contains as an id.
    ///
    /// # Errors
    ///
    /// 400 with the parameter's name.
    pub fn check_expansions(&self, form: &StripeForm) -> Result<(), StripeError> {
        for path in form.get_list("expand") {
            let message = if path.split('.').count() > EXPAND_DEPTH_MAX {
                format!("You cannot expand more than 4 levels of a property. Property: {path}")
            } else if can_be_expanded(&self.answer, path) {
                continue;
            } else {
                format!("This property cannot be expanded ({path}).")
            };
            return Err(StripeError::invalid_request(message).with_field("param", "expand"));
        }
        Ok(())
    }
}

fn can_be_expanded(answer: &SchemaType, path: &str) -> bool {
    let schema = ApiSchema::get();
    let mut at = vec![answer];
    let mut is_list = matches!(answer, SchemaType::List(_));
    let mut is_object = false;
    for step in path.split('.') {
        if is_list {
            // The objects of a list are below `data`.
            if step != "data" {
                return false;
            }
            at = at
                .into_iter()
                .filter_map(|choice| match choice {
                    SchemaType::List(element) => Some(element.as_ref()),
                    _ => None,
                })
                .collect();
            (is_list, is_object) = (false, false);
            continue;
        }
        let fields = at.iter().filter_map(|choice| schema.fields_of(choice));
        at = fields
            .filter_map(|fields| fields.0.get(step))
            .flat_map(|field| choices_of(&field.value))
            .collect();
        is_list = at
            .iter()
            .any(|choice| matches!(choice, SchemaType::List(_)));
        is_object = at.iter().any(|choice| matches!(choice, SchemaType::String))
            && at.iter().any(|choice| matches!(choice, SchemaType::Ref(_)));
    }
    is_object || is_list
}

fn choices_of(value: &SchemaType) -> Vec<&SchemaType> {
    match value {
        SchemaType::OneOf(choices) => choices.iter().collect(),
        // The elements of an array are expanded together.
        SchemaType::Array(element) => choices_of(element),
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiSchema, can_be_expanded};

    #[test]
    fn expansions_are_known_from_the_table() {
        let answer = |method, path| {
            &ApiSchema::get()
                .find_call(method, path)
                .expect("a call")
                .answer
        };
        let intent = answer("GET", "payment_intents/pi_1");
        for path in [
            "latest_charge",
            "latest_charge.balance_transaction",
            "latest_charge.application_fee.charge.payment_intent",
            "latest_charge.refunds",
            "payment_method",
        ] {
            assert!(can_be_expanded(intent, path), "{path}");
        }
        for path in [
            "amount",
            "status",
            "colour",
            "data.latest_charge",
            "metadata",
            "latest_charge.colour",
        ] {
            assert!(!can_be_expanded(intent, path), "{path}");
        }
        let list = answer("GET", "payment_intents");
        assert!(can_be_expanded(
            list,
            "data.latest_charge.balance_transaction"
        ));
        assert!(!can_be_expanded(list, "latest_charge"));
    }
}
