//! Tests of webhook signatures: no header causes a panic, and only the provider's signatures are
//! accepted.

use actors::payments::signature::{BadSignature, sign, verify};
use domain::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};

const NOW: Timestamp = Timestamp(1_795_226_400_000);
const WEBHOOK_SECRET: &str = "whsec_ours";

/// Generates arbitrary text and headers that are nearly valid.
fn any_header() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        Just("t".to_owned()),
        Just("v1".to_owned()),
        Just("v0".to_owned()),
        Just(String::new()),
        "\\PC{0,4}"
    ];
    let value = prop_oneof![
        Just((NOW.0 / 1000).to_string()),
        any::<i128>().prop_map(|number| number.to_string()),
        "[0-9a-fA-F]{0,70}",
        "\\PC{0,20}",
    ];
    let fields = vec(
        (
            field,
            value,
            prop_oneof![Just("="), Just("=="), Just(" "), Just("")],
        ),
        0..24,
    );
    let nearly = fields.prop_map(|fields| {
        let fields: Vec<String> = fields
            .into_iter()
            .map(|(name, value, between)| format!("{name}{between}{value}"))
            .collect();
        fields.join(",")
    });
    prop_oneof![nearly, "\\PC{0,5000}"]
}

fn seeded_config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1042),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    ProptestConfig {
        cases: 2_000,
        rng_seed,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::XorShift,
        ..default
    }
}

proptest! {
    #![proptest_config(seeded_config())]

    #[test]
    fn unsigned_header_is_rejected(header in any_header(), body in vec(any::<u8>(), 0..200)) {
        prop_assert!(verify(&body, &header, &[WEBHOOK_SECRET.to_owned()], NOW).is_err());
    }

    #[test]
    fn valid_signature_is_accepted_and_alterations_rejected(
        body in vec(any::<u8>(), 0..200),
        beside in "v[02-9]=[0-9a-f]{0,64}",
        flipped in any::<prop::sample::Index>(),
    ) {
        let secrets = ["whsec_next".to_owned(), WEBHOOK_SECRET.to_owned()];
        let header = sign(&body, WEBHOOK_SECRET, NOW);
        prop_assert_eq!(verify(&body, &format!("{header},{beside}"), &secrets, NOW), Ok(()));
        prop_assert_eq!(verify(&body, &header, &["whsec_other".to_owned()], NOW), Err(BadSignature::Forged));
        // Changes one bit of the body, or one digit of the signature.
        if !body.is_empty() {
            let mut altered = body.clone();
            altered[flipped.index(body.len())] ^= 1;
            prop_assert_eq!(verify(&altered, &header, &secrets, NOW), Err(BadSignature::Forged));
        }
        let place = header.len() - 64 + flipped.index(64);
        let digit = if &header[place..=place] == "0" { "1" } else { "0" };
        let altered = format!("{}{digit}{}", &header[..place], &header[place + 1..]);
        prop_assert_eq!(verify(&body, &altered, &secrets, NOW), Err(BadSignature::Forged));
    }
}
