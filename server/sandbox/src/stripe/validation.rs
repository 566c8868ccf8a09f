//! Stripe's rules for the values of parameters: metadata, currencies, statement descriptors, and
//! addresses.

use super::failure::StripeError;
use super::form::StripeForm;

const METADATA_KEY_CHARS_MAX: usize = 40;
const METADATA_VALUE_CHARS_MAX: usize = 500;
/// Largest number of metadata keys of an object.
pub const METADATA_KEYS_MAX: usize = 50;
const STATEMENT_DESCRIPTOR_CHARS_MAX: usize = 22;
const STATEMENT_DESCRIPTOR_CHARS_MIN: usize = 5;
/// Parameters that are addresses of the product's pages.
const URL_PARAMETERS: [&str; 3] = ["refresh_url", "return_url", "business_profile[url]"];
/// The currencies that Stripe supports, as ISO codes.
const CURRENCIES: &str = "aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bif bmd bnd bob brl bsd bwp byn \
    bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd eek egp etb eur fjd fkp gbp gel \
    gip gmd gnf gtq gyd hkd hnl hrk htg huf idr ils inr isk jmd jpy kes kgs khr kmf krw kyd \
    kzt lak lbp lkr lrd lsl ltl lvl mad mdl mga mkd mmk mnt mop mro mur mvr mwk mxn myr mzn \
    nad ngn nio nok npr nzd pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek \
    sgd shp sll sos srd std svc szl thb tjs top try ttd twd tzs uah ugx usd uyu uzs vef vnd \
    vuv wst xaf xcd xof xpf yer zar zmw";

/// Checks the values of a request's parameters.
///
/// # Errors
///
/// 400 with the parameter's name.
pub fn check_values(form: &StripeForm) -> Result<(), StripeError> {
    check_metadata(form)?;
    if let Some(currency) = form.get("currency") {
        check_currency(currency)?;
    }
    check_statement_descriptors(form)?;
    for name in URL_PARAMETERS {
        if form.get(name).is_some_and(|url| !is_web_address(url)) {
            return Err(StripeError::invalid_request("Not a valid URL")
                .with_code("url_invalid")
                .with_param(name));
        }
    }
    Ok(())
}

fn check_metadata(form: &StripeForm) -> Result<(), StripeError> {
    let metadata = form.get_map("metadata");
    if metadata.len() > METADATA_KEYS_MAX {
        return Err(too_many_metadata_keys(metadata.len()));
    }
    for (key, value) in &metadata {
        let refusal = |message: String| {
            StripeError::invalid_request(message).with_field("param", format!("metadata[{key}]"))
        };
        let (key_chars, value_chars) = (key.chars().count(), value.chars().count());
        if key_chars == 0 || key_chars > METADATA_KEY_CHARS_MAX {
            return Err(refusal(format!(
                "Metadata keys can have up to 40 characters, but you passed in a key that is {key_chars} characters."
            )));
        }
        if value_chars > METADATA_VALUE_CHARS_MAX {
            return Err(refusal(format!(
                "Metadata values can have up to 500 characters, but you passed in a value that is {value_chars} \
                 characters. Invalid key: {key}"
            )));
        }
    }
    Ok(())
}

/// Returns the error for an object with too many metadata keys.
pub fn too_many_metadata_keys(keys: usize) -> StripeError {
    let message =
        format!("You can have up to 50 metadata keys on an object, but there would be {keys}.");
    StripeError::invalid_request(message).with_param("metadata")
}

fn check_currency(currency: &str) -> Result<(), StripeError> {
    if CURRENCIES
        .split(' ')
        .any(|known| known.eq_ignore_ascii_case(currency))
    {
        return Ok(());
    }
    let message = format!(
        "Invalid currency: {currency}. Stripe currently supports these currencies: {}",
        CURRENCIES.replace(' ', ", ")
    );
    Err(StripeError::invalid_request(message).with_param("currency"))
}

/// The stand-in has cards only. For a card, Stripe takes a suffix, and refuses a whole descriptor.
fn check_statement_descriptors(form: &StripeForm) -> Result<(), StripeError> {
    if form.get("statement_descriptor").is_some() {
        let message = "For card charges, use `statement_descriptor_suffix` instead of `statement_descriptor`.";
        return Err(StripeError::invalid_request(message).with_param("statement_descriptor"));
    }
    let whole = "settings[payments][statement_descriptor]";
    let prefix = "settings[card_payments][statement_descriptor_prefix]";
    let suffix = "statement_descriptor_suffix";
    for (name, min) in [
        (whole, STATEMENT_DESCRIPTOR_CHARS_MIN),
        (prefix, 2),
        (suffix, 1),
    ] {
        if let Some(descriptor) = form.get(name)
            && let Some(problem) = statement_descriptor_problem(descriptor, min)
        {
            let message = format!("The statement descriptor {problem}.");
            return Err(StripeError::invalid_request(message).with_param(name));
        }
    }
    Ok(())
}

/// Returns why a statement descriptor is refused. `None`: it is accepted.
fn statement_descriptor_problem(descriptor: &str, chars_min: usize) -> Option<&'static str> {
    let chars = descriptor.chars().count();
    if chars > STATEMENT_DESCRIPTOR_CHARS_MAX {
        Some("must be at most 22 characters")
    } else if chars < chars_min {
        Some("is too short")
    } else if !descriptor
        .chars()
        .any(|letter| letter.is_ascii_alphabetic())
    {
        Some("must contain at least one alphabetic character")
    } else if descriptor.contains(['<', '>', '\\', '\'', '"', '*']) {
        Some("must not contain any of <, >, \\, ', \" and *")
    } else if !descriptor
        .chars()
        .all(|letter| ('\u{20}'..='\u{24f}').contains(&letter))
    {
        Some("must contain only Latin characters")
    } else {
        None
    }
}

/// Whether a text is an absolute address with a host. Stripe requires HTTPS only in live mode, which
/// the stand-in does not have.
fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with(['/', '?', '#', ':'])
            && !rest.contains(|letter: char| letter.is_whitespace() || letter.is_control())
    })
}

#[cfg(test)]
mod tests {
    use super::{StripeForm, check_values, statement_descriptor_problem};

    fn refused_param(form: &str) -> Option<String> {
        let failure = check_values(&StripeForm::parse(form)).err()?;
        failure.error_object()["param"].as_str().map(str::to_owned)
    }

    #[test]
    fn values_at_the_limits_are_accepted() {
        let pairs: Vec<String> = (0..50).map(|key| format!("metadata[k{key}]=v")).collect();
        for form in [
            pairs.join("&"),
            format!("metadata[{}]={}", "k".repeat(40), "v".repeat(500)),
            format!("metadata[k]={}", "é".repeat(500)),
            "currency=AUD".to_owned(),
            "statement_descriptor_suffix=DOUBLES 7".to_owned(),
            "settings[payments][statement_descriptor]=FOOTY".to_owned(),
            "refresh_url=https://club.example/a?b=c&return_url=http://localhost:8080/".to_owned(),
        ] {
            assert_eq!(refused_param(&form), None, "{form}");
        }
    }

    #[test]
    fn values_beyond_the_limits_are_refused() {
        let pairs: Vec<String> = (0..51).map(|key| format!("metadata[k{key}]=v")).collect();
        let (long_key, long_value) = ("k".repeat(41), "v".repeat(501));
        for (form, param) in [
            (pairs.join("&"), "metadata".to_owned()),
            (
                format!("metadata[{long_key}]=v"),
                format!("metadata[{long_key}]"),
            ),
            (
                format!("metadata[k]={long_value}"),
                "metadata[k]".to_owned(),
            ),
            ("currency=auu".to_owned(), "currency".to_owned()),
            (
                "statement_descriptor=FOOTBALL".to_owned(),
                "statement_descriptor".to_owned(),
            ),
            (
                "statement_descriptor_suffix=1234".to_owned(),
                "statement_descriptor_suffix".to_owned(),
            ),
            ("return_url=/back".to_owned(), "return_url".to_owned()),
            (
                "refresh_url=javascript:alert(1)".to_owned(),
                "refresh_url".to_owned(),
            ),
        ] {
            assert_eq!(refused_param(&form), Some(param), "{form}");
        }
        for descriptor in [
            "FOOT",
            "12345",
            "A<BCDE",
            "A>BCDE",
            "A\\BCDE",
            "A'BCDE",
            "A\"BCDE",
            "A*BCDE",
            "球球球球A",
        ] {
            assert!(
                statement_descriptor_problem(descriptor, 5).is_some(),
                "{descriptor}"
            );
        }
        assert!(statement_descriptor_problem(&"A".repeat(23), 5).is_some());
        assert!(statement_descriptor_problem(&"A".repeat(22), 5).is_none());
    }
}
