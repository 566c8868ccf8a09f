//! What `serve` insists on, and what never shows.

use super::*;

const COMPLETE: [(&str, &str); 11] = [
    ("PUBLIC_URL", "https://doubles.example.com/"),
    ("DATABASE_URL", "postgres://doubles:pa55word@db/doubles"),
    (
        "BANK_DATABASE_URL",
        "postgres://doubles_bank:pa55word@db/doubles",
    ),
    (
        "SEAL_KEY",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    ),
    ("STRIPE_SECRET_KEY", "sk_live_abc"),
    ("STRIPE_PUBLISHABLE_KEY", "pk_live_abc"),
    ("STRIPE_WEBHOOK_SECRETS", "whsec_new, whsec_old"),
    ("SMTP_URL", "smtps://user:pa55word@mail.example.com"),
    ("MAIL_FROM", "Football Doubles <tickets@example.com>"),
    ("SUPPORT_EMAIL", "support@example.com"),
    ("SUPPORT_SMS", "0400 123 456"),
];

fn without(name: &str) -> Environment {
    Environment::from_pairs(COMPLETE.into_iter().filter(|(known, _)| *known != name))
}

fn with(name: &'static str, value: &'static str) -> Environment {
    Environment::from_pairs(
        COMPLETE
            .into_iter()
            .filter(|(known, _)| *known != name)
            .chain([(name, value)]),
    )
}

#[test]
fn a_complete_environment_starts() {
    let config = Config::production(&Environment::from_pairs(COMPLETE)).expect("complete");
    assert_eq!(config.stripe.webhook_secrets.len(), 2);
    assert_eq!(config.public_url, "https://doubles.example.com");
    assert!(config.over_tls());
    assert_eq!(config.fees.policy, FeePolicy::DEFAULT);
}

#[test]
fn buyers_are_kept_for_thirteen_months_unless_it_says_otherwise() {
    let kept = |environment: &Environment| {
        Config::production(environment).map(|config| config.buyers_kept_months)
    };
    assert_eq!(kept(&Environment::from_pairs(COMPLETE)), Ok(13));
    assert_eq!(kept(&with("BUYER_DETAILS_MONTHS", "24")), Ok(24));
    for odd in ["0", "121", "-1", "thirteen"] {
        assert!(kept(&with("BUYER_DETAILS_MONTHS", odd)).is_err(), "{odd}");
    }
}

#[test]
fn reports_say_of_tax_what_the_environment_says() {
    let note =
        |environment: &Environment| Config::production(environment).map(|config| config.fee_note);
    assert_eq!(
        note(&Environment::from_pairs(COMPLETE)),
        Ok("incl. GST where applicable".to_string())
    );
    assert_eq!(
        note(&with("FEE_NOTE", "no GST applies")),
        Ok("no GST applies".to_string())
    );
}

#[test]
fn the_provider_is_asked_less_than_it_allows_and_a_stand_in_as_fast_as_it_answers() {
    let calls = |environment: Environment| {
        let config = Config::production(&environment).expect("complete");
        config
            .stripe
            .calls_per_second
            .map(std::num::NonZeroU32::get)
    };
    assert_eq!(calls(Environment::from_pairs(COMPLETE)), Some(80));
    assert_eq!(calls(with("STRIPE_SECRET_KEY", "sk_test_abc")), Some(20));
    assert_eq!(
        calls(with("STRIPE_API_URL", "http://127.0.0.1:9/sandbox/stripe")),
        None
    );
    assert_eq!(calls(with("STRIPE_CALLS_PER_SECOND", "40")), Some(40));
    for odd in ["0", "-1", "many"] {
        let problems = Config::production(&with("STRIPE_CALLS_PER_SECOND", odd))
            .expect_err(odd)
            .to_string();
        assert_eq!(problems, "STRIPE_CALLS_PER_SECOND cannot be read");
    }
    let demo = |pairs: &[(&'static str, &'static str)]| {
        let config =
            Config::demo(&Environment::from_pairs(pairs.iter().copied())).expect("needs nothing");
        config
            .stripe
            .calls_per_second
            .map(std::num::NonZeroU32::get)
    };
    assert_eq!(
        (demo(&[]), demo(&[("STRIPE_CALLS_PER_SECOND", "5")])),
        (None, Some(5))
    );
}

#[test]
fn serve_names_each_thing_that_is_missing() {
    for (name, _) in COMPLETE {
        let problems = Config::production(&without(name))
            .expect_err(name)
            .to_string();
        assert!(
            problems.contains(&format!("{name} is missing")),
            "{problems}"
        );
    }
}

#[test]
fn serve_refuses_the_demos_secrets() {
    for (name, value) in [
        ("STRIPE_SECRET_KEY", DEMO_SECRET_KEY),
        ("STRIPE_PUBLISHABLE_KEY", DEMO_PUBLISHABLE_KEY),
        ("STRIPE_WEBHOOK_SECRETS", DEMO_WEBHOOK_SECRET),
    ] {
        let problems = Config::production(&with(name, value))
            .expect_err(name)
            .to_string();
        assert_eq!(problems, format!("{name} still has a demo value"));
        assert!(
            !problems.contains(value),
            "the value itself is not repeated"
        );
    }
}

#[test]
fn a_seal_key_must_be_random_looking_and_whole() {
    for key in [
        "00",
        "zz",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ] {
        assert!(Config::production(&with("SEAL_KEY", key)).is_err(), "{key}");
    }
}

#[test]
fn cookies_never_travel_in_the_open() {
    for url in [
        "http://doubles.example.com",
        "doubles.example.com",
        "http://localhost.example.com",
    ] {
        let problems = Config::production(&with("PUBLIC_URL", url))
            .expect_err(url)
            .to_string();
        assert_eq!(problems, "PUBLIC_URL must begin with https://");
    }
    assert!(
        Config::production(&with("PUBLIC_URL", "http://localhost:8080")).is_ok(),
        "to try it on one machine"
    );
}

#[test]
fn what_cannot_be_read_is_named_and_not_repeated() {
    let problems = Config::production(&with("PORT", "eighty"))
        .expect_err("no number")
        .to_string();
    assert_eq!(problems, "PORT cannot be read");
    let problems = Config::production(&with("SURCHARGE_MODE", "often"))
        .expect_err("no word")
        .to_string();
    assert_eq!(problems, "SURCHARGE_MODE must be per_line or per_charge");
}

#[test]
fn a_printed_configuration_holds_no_secret() {
    let printed = format!(
        "{:?}",
        Config::production(&Environment::from_pairs(COMPLETE)).expect("complete")
    );
    for secret in ["sk_live_abc", "whsec_new", "pa55word", "000102"] {
        assert!(!printed.contains(secret), "{secret} printed");
    }
    let printed = format!("{:?}", Environment::from_pairs(COMPLETE));
    assert!(!printed.contains("pa55word"));
}

#[test]
fn the_demo_needs_nothing() {
    let config = Config::demo(&Environment::default()).expect("needs nothing");
    assert_eq!(config.listen.port(), PORT_DEFAULT);
    assert_eq!(config.data_dir, PathBuf::from(".data"));
    let config = Config::demo(&Environment::from_pairs([
        ("PORT", "0"),
        ("FD_DATA_DIR", "/tmp/x"),
    ]))
    .expect("read");
    assert_eq!(
        (config.listen.port(), config.data_dir),
        (0, PathBuf::from("/tmp/x"))
    );
}
