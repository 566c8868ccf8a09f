//! Tests which settings `serve` requires, and that no secret is printed.

use super::*;

const COMPLETE_VARIABLES: [(&str, &str); 12] = [
    ("FEE_PASSTHROUGH", "forbidden"),
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
    (
        "STRIPE_WEBHOOK_SECRETS",
        "whsec_new0123456789ab, whsec_old0123456789ab",
    ),
    ("SMTP_URL", "smtps://user:pa55word@mail.example.com"),
    ("MAIL_FROM", "Football Doubles <tickets@example.com>"),
    ("SUPPORT_EMAIL", "support@example.com"),
    ("SUPPORT_SMS", "0400 123 456"),
];

fn environment_without(name: &str) -> Environment {
    Environment::from_pairs(
        COMPLETE_VARIABLES
            .into_iter()
            .filter(|(known, _)| *known != name),
    )
}

fn environment_with(name: &'static str, value: &'static str) -> Environment {
    Environment::from_pairs(
        COMPLETE_VARIABLES
            .into_iter()
            .filter(|(known, _)| *known != name)
            .chain([(name, value)]),
    )
}

#[test]
fn complete_environment_is_accepted() {
    let config =
        Config::for_production(&Environment::from_pairs(COMPLETE_VARIABLES)).expect("complete");
    assert_eq!(config.stripe.webhook_secrets.len(), 2);
    assert_eq!(config.public_url, "https://doubles.example.com");
    assert!(config.uses_tls());
    assert_eq!(config.fees.policy, FeePolicy::DEFAULT);
}

#[test]
fn buyer_details_are_kept_thirteen_months_by_default() {
    let months = |environment: &Environment| {
        Config::for_production(environment).map(|config| config.buyer_details_kept_months)
    };
    assert_eq!(months(&Environment::from_pairs(COMPLETE_VARIABLES)), Ok(13));
    assert_eq!(
        months(&environment_with("BUYER_DETAILS_MONTHS", "24")),
        Ok(24)
    );
    for odd in ["0", "121", "-1", "thirteen"] {
        assert!(
            months(&environment_with("BUYER_DETAILS_MONTHS", odd)).is_err(),
            "{odd}"
        );
    }
}

#[test]
fn source_address_is_a_web_address_or_absent() {
    let source = |environment: &Environment| {
        Config::for_production(environment).map(|config| config.source_url)
    };
    assert_eq!(
        source(&Environment::from_pairs(COMPLETE_VARIABLES)),
        Ok(None)
    );
    let address = "https://code.example.com/doubles";
    assert_eq!(
        source(&environment_with("SOURCE_URL", address)),
        Ok(Some(address.to_string()))
    );
    for bad in [
        "javascript:alert(1)",
        "http://code.example.com",
        "https://",
        "here",
    ] {
        let problems = source(&environment_with("SOURCE_URL", bad)).expect_err(bad);
        assert_eq!(
            problems.to_string(),
            "SOURCE_URL must begin with https://",
            "{bad}"
        );
    }
}

#[test]
fn fee_note_comes_from_the_environment() {
    let note = |environment: &Environment| {
        Config::for_production(environment).map(|config| config.fee_note)
    };
    assert_eq!(
        note(&Environment::from_pairs(COMPLETE_VARIABLES)),
        Ok("incl. GST where applicable".to_string())
    );
    assert_eq!(
        note(&environment_with("FEE_NOTE", "no GST applies")),
        Ok("no GST applies".to_string())
    );
}

#[test]
fn call_limit_applies_to_stripe_but_not_its_stand_in() {
    let calls = |environment: Environment| {
        let config = Config::for_production(&environment).expect("complete");
        config
            .stripe
            .calls_per_second
            .map(std::num::NonZeroU32::get)
    };
    assert_eq!(calls(Environment::from_pairs(COMPLETE_VARIABLES)), Some(80));
    let test_keys = [
        ("STRIPE_SECRET_KEY", "sk_test_abc"),
        ("STRIPE_PUBLISHABLE_KEY", "pk_test_abc"),
    ];
    let complete = COMPLETE_VARIABLES
        .into_iter()
        .filter(|(name, _)| test_keys.iter().all(|(key, _)| key != name));
    assert_eq!(
        calls(Environment::from_pairs(complete.chain(test_keys))),
        Some(20)
    );
    assert_eq!(
        calls(environment_with(
            "STRIPE_API_URL",
            "http://127.0.0.1:9/sandbox/stripe"
        )),
        None
    );
    assert_eq!(
        calls(environment_with("STRIPE_CALLS_PER_SECOND", "40")),
        Some(40)
    );
    for odd in ["0", "-1", "many"] {
        let problems = Config::for_production(&environment_with("STRIPE_CALLS_PER_SECOND", odd))
            .expect_err(odd)
            .to_string();
        assert_eq!(problems, "STRIPE_CALLS_PER_SECOND cannot be read");
    }
    let demo = |pairs: &[(&'static str, &'static str)]| {
        let config = Config::for_demo(&Environment::from_pairs(pairs.iter().copied()))
            .expect("needs nothing");
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
fn serve_reports_each_missing_variable() {
    for (name, _) in COMPLETE_VARIABLES {
        let problems = Config::for_production(&environment_without(name))
            .expect_err(name)
            .to_string();
        assert!(
            problems.contains(&format!("{name} is missing")),
            "{problems}"
        );
    }
}

#[test]
fn serve_refuses_demo_secrets() {
    for (name, value) in [
        ("STRIPE_SECRET_KEY", DEMO_SECRET_KEY),
        ("STRIPE_PUBLISHABLE_KEY", DEMO_PUBLISHABLE_KEY),
        ("STRIPE_WEBHOOK_SECRETS", DEMO_WEBHOOK_SECRET),
    ] {
        let problems = Config::for_production(&environment_with(name, value))
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
fn short_or_uniform_seal_key_is_refused() {
    for key in [
        "00",
        "zz",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ] {
        assert!(
            Config::for_production(&environment_with("SEAL_KEY", key)).is_err(),
            "{key}"
        );
    }
}

#[test]
fn public_url_without_tls_is_refused() {
    for url in [
        "http://doubles.example.com",
        "doubles.example.com",
        "http://localhost.example.com",
    ] {
        let problems = Config::for_production(&environment_with("PUBLIC_URL", url))
            .expect_err(url)
            .to_string();
        assert_eq!(problems, "PUBLIC_URL must begin with https://");
    }
    assert!(
        Config::for_production(&environment_with("PUBLIC_URL", "http://localhost:8080")).is_ok(),
        "to try it on one machine"
    );
}

#[test]
fn unreadable_value_error_names_variable_not_value() {
    let problems = Config::for_production(&environment_with("PORT", "eighty"))
        .expect_err("no number")
        .to_string();
    assert_eq!(problems, "PORT cannot be read");
    let problems = Config::for_production(&environment_with("SURCHARGE_MODE", "often"))
        .expect_err("no word")
        .to_string();
    assert_eq!(problems, "SURCHARGE_MODE must be per_line or per_charge");
}

#[test]
fn printed_configuration_contains_no_secret() {
    let printed = format!(
        "{:?}",
        Config::for_production(&Environment::from_pairs(COMPLETE_VARIABLES)).expect("complete")
    );
    for secret in ["sk_live_abc", "whsec_new", "pa55word", "000102"] {
        assert!(!printed.contains(secret), "{secret} printed");
    }
    let printed = format!("{:?}", Environment::from_pairs(COMPLETE_VARIABLES));
    assert!(!printed.contains("pa55word"));
}

#[test]
fn demo_needs_no_variables() {
    let config = Config::for_demo(&Environment::default()).expect("needs nothing");
    assert_eq!(config.listen.port(), PORT_DEFAULT);
    assert_eq!(config.data_dir, PathBuf::from(".data"));
    let config = Config::for_demo(&Environment::from_pairs([
        ("PORT", "0"),
        ("FD_DATA_DIR", "/tmp/x"),
    ]))
    .expect("read");
    assert_eq!(
        (config.listen.port(), config.data_dir),
        (0, PathBuf::from("/tmp/x"))
    );
}

#[test]
fn demo_ignores_the_database_of_a_production_environment() {
    let production = Environment::from_pairs(COMPLETE_VARIABLES);
    let demo = Config::for_demo(&production).expect("read");
    assert!(demo.database_url.is_none() && demo.bank_database_url.is_none());
    let tool = Config::for_database_tool(&production).expect("read");
    assert!(tool.database_url.is_some() && tool.bank_database_url.is_some());
    let without_stripe = [
        ("DATABASE_URL", "postgres://a@localhost/b"),
        ("SEAL_KEY", "00"),
    ];
    let tool = Config::for_database_tool(&Environment::from_pairs(without_stripe)).expect("read");
    assert!(tool.database_url.is_some());
}

/// Returns the problems of a complete environment in which one variable has another value.
fn problems_of(name: &'static str, value: &'static str) -> String {
    let problems = Config::for_production(&environment_with(name, value))
        .expect_err(name)
        .to_string();
    assert!(
        !problems.contains(value) || value.len() < 10,
        "{name}: the value is repeated: {problems}"
    );
    problems
}

#[test]
fn stripe_key_in_the_wrong_variable_is_refused() {
    for key in [
        "sk_live_abc",
        "rk_live_abc",
        "pk_abc",
        "whsec_new0123456789ab",
        "pk_live_",
    ] {
        assert!(
            problems_of("STRIPE_PUBLISHABLE_KEY", key)
                .starts_with("STRIPE_PUBLISHABLE_KEY must begin with pk_live_")
        );
    }
    for key in ["pk_live_abc", "abc", "whsec_new0123456789ab", "sk_live_"] {
        assert!(
            problems_of("STRIPE_SECRET_KEY", key)
                .starts_with("STRIPE_SECRET_KEY must begin with sk_live_"),
            "{key}"
        );
    }
    assert!(
        Config::for_production(&environment_with("STRIPE_SECRET_KEY", "rk_live_abc")).is_ok(),
        "a restricted key serves"
    );
    for (name, key) in [
        ("STRIPE_SECRET_KEY", "sk_test_abc"),
        ("STRIPE_PUBLISHABLE_KEY", "pk_test_abc"),
    ] {
        assert!(
            problems_of(name, key).contains("are of different modes"),
            "{name}"
        );
    }
    for secrets in [
        "hello",
        "whsec_",
        "whsec_short",
        "whsec_new0123456789ab,hello",
        ",",
    ] {
        assert!(
            problems_of("STRIPE_WEBHOOK_SECRETS", secrets).contains("must be signing secrets"),
            "{secrets}"
        );
    }
}

#[test]
fn invalid_value_is_refused_with_its_variable_name() {
    for (name, values) in [
        ("FEE_RATE_BPS", &["20000", "-1", "10001", "many"][..]),
        ("FEE_CAP_CENTS", &["-1", "100001", "1e3"]),
        ("STRIPE_CALLS_PER_SECOND", &["0", "10001"]),
        ("STRIPE_ACCOUNTS_API", &["v3", "2"]),
        (
            "MAIL_FROM",
            &["nobody", "Nobody <nobody>", "a@b.au, c@d.au"],
        ),
        ("SUPPORT_EMAIL", &["nobody"]),
        ("SUPPORT_SMS", &["call us"]),
        (
            "SMTP_URL",
            &["mail.example.com", "https://mail.example.com"],
        ),
        ("DATABASE_URL", &["localhost", "mysql://localhost/x"]),
        ("BANK_DATABASE_URL", &["localhost"]),
        ("STRIPE_API_URL", &["api.stripe.com"]),
        ("PORT", &["65536", "-1"]),
        ("METRICS_ADDR", &["9100", "0.0.0.0:8080"]),
        ("NODE_ADDRESS", &["10.0.0.1", "10.0.0.1:8080"]),
        ("FEE_PASSTHROUGH", &["maybe"]),
    ] {
        for value in values {
            let problems = problems_of(name, value);
            assert!(
                problems.starts_with(name) && problems.lines().count() == 1,
                "{name}={value}: {problems}"
            );
        }
    }
}

#[test]
fn public_url_with_path_query_or_user_is_refused() {
    for url in [
        "https://doubles.example.com/shop",
        "https://doubles.example.com/?a=1",
        "https://doubles.example.com#top",
        "https://user@doubles.example.com",
        "https://",
        "https:///",
        "https://a b",
        "https://doubles.example.com//",
    ] {
        assert!(
            problems_of("PUBLIC_URL", url).starts_with("PUBLIC_URL must be a host alone"),
            "{url}"
        );
    }
    assert!(
        Config::for_production(&environment_with(
            "PUBLIC_URL",
            "https://doubles.example.com:8443"
        ))
        .is_ok()
    );
}

#[test]
fn misspelt_variable_is_refused_with_the_intended_name() {
    for (name, meant) in [
        ("TRUSTED_PROXYS", Some("TRUSTED_PROXIES")),
        ("METRICS_ADDRESS", Some("METRICS_ADDR")),
        ("FEE_PASTHROUGH", Some("FEE_PASSTHROUGH")),
        ("MAIL_FORM", Some("MAIL_FROM")),
        ("SMTP_PASSWORD", None),
        ("STRIPE_ACCOUNT", None),
    ] {
        let problems = Config::for_production(&environment_with(name, "some-value"))
            .expect_err(name)
            .to_string();
        let words = meant.map_or("remove it".to_string(), |meant| {
            format!("did you mean {meant}?")
        });
        assert!(
            problems.starts_with(&format!("{name} is not a variable")) && problems.contains(&words),
            "{problems}"
        );
        assert!(!problems.contains("some-value"));
    }
    for name in [
        "PATH",
        "NODE_ENV",
        "MAIL",
        "MAILCHECK",
        "PORTAL",
        "HOSTNAME",
        "LISTEN_FDS",
        "DATABASE_NAME",
    ] {
        assert!(
            Config::for_production(&environment_with(name, "anything")).is_ok(),
            "{name} is the system's"
        );
    }
    let demo = |name| Config::for_demo(&Environment::from_pairs([(name, "x")]));
    assert!(
        demo("FD_DATADIR").is_err() && demo("STRIPE_ACCOUNT").is_ok(),
        "the demo runs in a developer's shell"
    );
}

#[test]
fn fee_passthrough_is_required_by_serve_and_allowed_in_demo() {
    let refused = Config::for_production(&environment_without("FEE_PASSTHROUGH"))
        .expect_err("no default")
        .to_string();
    assert_eq!(
        refused,
        "FEE_PASSTHROUGH is missing: set it to allowed or forbidden, as the law on card fees says"
    );
    let card_fee = |word| {
        Config::for_production(&environment_with("FEE_PASSTHROUGH", word))
            .map(|config| config.fees.card_fee)
    };
    assert_eq!(card_fee("allowed"), Ok(CardFeePassing::Allowed));
    assert_eq!(card_fee("forbidden"), Ok(CardFeePassing::Forbidden));
    let demo = Config::for_demo(&Environment::default()).expect("needs nothing");
    assert_eq!(demo.fees.card_fee, CardFeePassing::Allowed);
}

#[test]
fn all_problems_are_reported_in_one_message() {
    let wrong = [
        ("MAIL_FROM", "nobody"),
        ("FEE_RATE_BPS", "20000"),
        ("STRIPE_PUBLISHABLE_KEY", "sk_live_abc"),
    ];
    let rest = COMPLETE_VARIABLES
        .into_iter()
        .filter(|(name, _)| wrong.iter().all(|(other, _)| other != name));
    let problems = Config::for_production(&Environment::from_pairs(rest.chain(wrong)))
        .expect_err("three")
        .to_string();
    assert_eq!(problems.lines().count(), 3, "{problems}");
    assert!(
        wrong.iter().all(|(name, _)| problems.contains(name)),
        "{problems}"
    );
}
