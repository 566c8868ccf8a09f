//! Checks the parameters of a request against the table, with Stripe's own errors.

use super::{ApiSchema, CallSchema, SchemaFields, SchemaType};
use crate::stripe::failure::StripeError;
use crate::stripe::form::StripeForm;

/// A decoded parameter: `metadata[order]=7` is an object `metadata` with the value `order`.
#[derive(Debug)]
enum ParameterNode<'a> {
    Value(&'a str),
    Object(Vec<(&'a str, ParameterNode<'a>)>),
}

impl CallSchema {
    /// Returns Stripe's error unless every parameter is known, has its type, and none is missing.
    ///
    /// # Errors
    ///
    /// 400 with the parameter's name.
    pub fn check_parameters(&self, form: &StripeForm) -> Result<(), StripeError> {
        let mut root = ParameterNode::Object(Vec::new());
        for (name, value) in form.pairs() {
            insert_parameter(&mut root, name, value)?;
        }
        check_value(ApiSchema::get(), &self.parameters, &root, "")
    }
}

/// Splits `a[b][c]` into its steps. A name with unbalanced brackets is one step.
fn split_name(name: &str) -> Vec<&str> {
    let Some((first, rest)) = name.split_once('[') else {
        return vec![name];
    };
    let Some(inner) = rest.strip_suffix(']') else {
        return vec![name];
    };
    std::iter::once(first).chain(inner.split("][")).collect()
}

fn insert_parameter<'a>(
    root: &mut ParameterNode<'a>,
    name: &'a str,
    value: &'a str,
) -> Result<(), StripeError> {
    let conflict = || {
        let message = format!("Invalid parameter: {name} is both a value and an object.");
        StripeError::invalid_request(message).with_field("param", name)
    };
    let steps = split_name(name);
    let mut node = root;
    for (position, step) in steps.iter().enumerate() {
        let ParameterNode::Object(children) = node else {
            return Err(conflict());
        };
        let is_last = position + 1 == steps.len();
        // Each `name[]=value` adds an element to a list.
        let known = children
            .iter()
            .position(|(key, _)| key == step && !step.is_empty());
        let index = match known {
            Some(_) if is_last => return Err(conflict()),
            Some(index) => index,
            None => {
                let child = if is_last {
                    ParameterNode::Value(value)
                } else {
                    ParameterNode::Object(Vec::new())
                };
                children.push((step, child));
                children.len() - 1
            }
        };
        node = &mut children[index].1;
    }
    Ok(())
}

/// The full name of a parameter inside an object; `object` is empty at the top.
fn nested_name(object: &str, key: &str) -> String {
    if object.is_empty() {
        key.to_owned()
    } else {
        format!("{object}[{key}]")
    }
}

fn check_value(
    schema: &ApiSchema,
    expected: &SchemaType,
    node: &ParameterNode<'_>,
    name: &str,
) -> Result<(), StripeError> {
    match (expected, node) {
        (SchemaType::OneOf(choices), _) => check_choices(schema, choices, node, name),
        (SchemaType::Any, _) => Ok(()),
        (SchemaType::OtherMethod, _) => {
            let message = format!("The stand-in takes cards only, not {name}.");
            Err(StripeError::invalid_request(message).with_field("param", name))
        }
        (SchemaType::Map(value), ParameterNode::Object(children)) => {
            children.iter().try_for_each(|(key, child)| {
                check_value(schema, value, child, &nested_name(name, key))
            })
        }
        (SchemaType::Array(value), ParameterNode::Object(children)) => {
            children.iter().try_for_each(|(key, child)| {
                if !key.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(invalid_value("array", name));
                }
                check_value(schema, value, child, &nested_name(name, key))
            })
        }
        (SchemaType::Ref(_) | SchemaType::Fields(_), ParameterNode::Object(children)) => {
            let fields = schema
                .fields_of(expected)
                .expect("the table describes every type that it names");
            check_fields(schema, fields, children, name)
        }
        (scalar, ParameterNode::Value(value)) => check_scalar(scalar, value, name),
        _ => Err(invalid_value("string", name)),
    }
}

/// Tries each type that the parameter may have. The error of the first fitting form is reported.
fn check_choices(
    schema: &ApiSchema,
    choices: &[SchemaType],
    node: &ParameterNode<'_>,
    name: &str,
) -> Result<(), StripeError> {
    let mut first_error = None;
    let fitting = choices
        .iter()
        .filter(|choice| is_scalar(choice) == matches!(node, ParameterNode::Value(_)));
    for choice in fitting {
        match check_value(schema, choice, node, name) {
            Ok(()) => return Ok(()),
            // Only an empty text fits `Null`, so its error says nothing.
            Err(_) if matches!(choice, SchemaType::Null) => {}
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let kind = match node {
        ParameterNode::Value(_) => "object",
        ParameterNode::Object(_) => "string",
    };
    Err(first_error.unwrap_or_else(|| invalid_value(kind, name)))
}

fn is_scalar(value: &SchemaType) -> bool {
    matches!(
        value,
        SchemaType::String
            | SchemaType::Number
            | SchemaType::Boolean
            | SchemaType::Null
            | SchemaType::Enum(_)
    )
}

fn check_fields(
    schema: &ApiSchema,
    fields: &SchemaFields,
    children: &[(&str, ParameterNode<'_>)],
    object: &str,
) -> Result<(), StripeError> {
    for (key, child) in children {
        let name = nested_name(object, key);
        let Some(field) = fields.0.get(*key) else {
            return Err(StripeError::unknown_parameter(&name));
        };
        check_value(schema, &field.value, child, &name)?;
    }
    let missing = fields.0.iter().find(|(name, field)| {
        !field.is_optional && !children.iter().any(|(key, _)| *key == name.as_str())
    });
    match missing {
        None => Ok(()),
        Some((key, _)) => Err(StripeError::missing_parameter(&nested_name(object, key))),
    }
}

fn check_scalar(expected: &SchemaType, value: &str, name: &str) -> Result<(), StripeError> {
    match expected {
        SchemaType::Null if value.is_empty() => Ok(()),
        SchemaType::String | SchemaType::Number | SchemaType::Boolean | SchemaType::Enum(_)
            if value.is_empty() =>
        {
            Err(StripeError::empty_parameter(name))
        }
        SchemaType::String => Ok(()),
        SchemaType::Number if value.parse::<i64>().is_ok() => Ok(()),
        SchemaType::Number => Err(StripeError::invalid_request(format!(
            "Invalid integer: {value}"
        ))
        .with_code("parameter_invalid_integer")
        .with_field("param", name)),
        SchemaType::Boolean if matches!(value, "true" | "false") => Ok(()),
        SchemaType::Boolean => Err(StripeError::invalid_request(format!(
            "Invalid boolean: {value}"
        ))
        .with_field("param", name)),
        SchemaType::Enum(known) if known.iter().any(|known| known == value) => Ok(()),
        SchemaType::Enum(known) => {
            let message = format!("Invalid {name}: must be one of {}", join_with_or(known));
            Err(StripeError::invalid_request(message).with_field("param", name))
        }
        SchemaType::Array(_) => Err(invalid_value("array", name)),
        _ => Err(invalid_value("object", name)),
    }
}

fn invalid_value(kind: &str, name: &str) -> StripeError {
    StripeError::invalid_request(format!("Invalid {kind}: {name}")).with_field("param", name)
}

/// Joins words as Stripe's messages do: `a, b, or c`.
fn join_with_or(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} or {second}"),
        [rest @ .., last] => format!("{}, or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ApiSchema, StripeForm};

    /// Returns the error for a form of a call, without its message; null for a valid form.
    fn error_of(method: &str, path: &str, form: &str) -> Value {
        let call = ApiSchema::get().find_call(method, path).expect("a call");
        match call.check_parameters(&StripeForm::parse(form)) {
            Ok(()) => Value::Null,
            Err(failure) => {
                let error = failure.error_object();
                json!([error["code"], error["param"]])
            }
        }
    }

    #[test]
    fn valid_parameters_are_accepted() {
        for form in [
            "amount=500&currency=aud",
            "amount=500&currency=aud&capture_method=manual&allowed_payment_method_types[]=card",
            "amount=500&currency=aud&metadata[any]=7&expand[]=latest_charge&expand[]=customer",
            "amount=500&currency=aud&expand[0]=latest_charge&expand[1]=customer",
            "amount=500&currency=aud&metadata[draws]=&payment_method_options[card][request_three_d_secure]=any",
        ] {
            assert_eq!(
                error_of("POST", "payment_intents", form),
                Value::Null,
                "{form}"
            );
        }
        assert_eq!(
            error_of("POST", "payment_intents/pi_1", "metadata=&receipt_email="),
            Value::Null
        );
        for form in ["created=5", "created[gte]=5&limit=100", ""] {
            assert_eq!(
                error_of("GET", "payment_intents", form),
                Value::Null,
                "{form}"
            );
        }
    }

    #[test]
    fn invalid_parameters_are_named() {
        let base = "amount=500&currency=aud";
        for (form, code, param) in [
            ("colour=red", json!("parameter_unknown"), "colour"),
            ("metadata[a][b]=c", Value::Null, "metadata[a]"),
            ("metadata=text", Value::Null, "metadata"),
            ("currency[a]=b", Value::Null, "currency[a]"),
            ("description[a]=b", Value::Null, "description"),
            ("capture_method=later", Value::Null, "capture_method"),
            ("confirm=yes", Value::Null, "confirm"),
            (
                "application_fee_amount=1.5",
                json!("parameter_invalid_integer"),
                "application_fee_amount",
            ),
            (
                "description=",
                json!("parameter_invalid_empty"),
                "description",
            ),
            ("expand=latest_charge", Value::Null, "expand"),
            ("expand[first]=latest_charge", Value::Null, "expand"),
            (
                "payment_method_options[card][colour]=red",
                json!("parameter_unknown"),
                "payment_method_options[card][colour]",
            ),
            (
                "payment_method_options[ideal][x]=1",
                Value::Null,
                "payment_method_options[ideal]",
            ),
            (
                "payment_method_data[type]=card",
                Value::Null,
                "payment_method_data[type]",
            ),
            (
                "payment_method_data[metadata][a]=b",
                json!("parameter_missing"),
                "payment_method_data[type]",
            ),
        ] {
            let form = format!("{base}&{form}");
            assert_eq!(
                error_of("POST", "payment_intents", &form),
                json!([code, param]),
                "{form}"
            );
        }
        assert_eq!(
            error_of("POST", "payment_intents", "currency=aud"),
            json!(["parameter_missing", "amount"])
        );
        assert_eq!(
            error_of("GET", "refunds", "status=failed"),
            json!(["parameter_unknown", "status"])
        );
    }
}
