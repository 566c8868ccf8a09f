//! Tests of fees and prizes. The expected amounts in cents were computed independently with decimal
//! arithmetic.

use domain::order::{LineRequest, price_lines, split_by_weights};
use domain::prize::prize;
use domain::{Cents, DrawId, FeePolicy, SurchargeMode, fee};

/// Decisions D-1 and D-2: 3.5 %, rounded half up, at most $11.00. Without rounding the cap is
/// reached at $314.29, with rounding at $314.15.
#[test]
fn application_fee_matches_the_default_policy_table() {
    let table = [
        (0, 0),
        (1, 0),
        (14, 0),
        (15, 1),
        (42, 1),
        (43, 2),
        (50, 2),
        (100, 4),
        (142, 5),
        (143, 5),
        (500, 18),
        (1000, 35),
        (10000, 350),
        (31400, 1099),
        (31414, 1099),
        (31415, 1100),
        (31428, 1100),
        (31429, 1100),
        (31430, 1100),
        (50000, 1100),
        (845_000, 1100),
        (169_000_000, 1100),
    ];
    for (revenue, expected) in table {
        assert_eq!(
            FeePolicy::DEFAULT.fee_on_revenue(Cents(revenue)),
            Cents(expected),
            "fee on {revenue}"
        );
    }
}

/// A policy other than the default (decision D-1): 3 %, at most $10.00.
#[test]
fn application_fee_matches_another_policy_table() {
    let policy = FeePolicy {
        rate_bps: 300,
        cap: Cents(1000),
    };
    for (revenue, expected) in [
        (16, 0),
        (17, 1),
        (500, 15),
        (33_316, 999),
        (33_317, 1000),
        (33_334, 1000),
        (99_999, 1000),
    ] {
        assert_eq!(
            policy.fee_on_revenue(Cents(revenue)),
            Cents(expected),
            "fee on {revenue}"
        );
    }
}

/// Decision D-5: 1.7 % half up plus 30 cents, no gross-up.
#[test]
fn card_fee_of_a_subtotal_matches_the_table() {
    let table = [
        (0, 30),
        (1, 30),
        (29, 30),
        (30, 31),
        (50, 31),
        (88, 31),
        (89, 32),
        (100, 32),
        (147, 32),
        (148, 33),
        (500, 39),
        (1000, 47),
        (2500, 73),
        (5000, 115),
        (10000, 200),
        (25000, 455),
        (50000, 880),
    ];
    for (subtotal, expected) in table {
        assert_eq!(
            fee::card_fee(Cents(subtotal)),
            Cents(expected),
            "card fee on {subtotal}"
        );
    }
}

/// A:297, decision D-8. Columns: sold, price, percentage, rounding up, prize. Rounding up does not
/// change an exact multiple of $10.
#[test]
fn prize_matches_the_table() {
    let table = [
        (0, 500, 50, false, 0),
        (0, 500, 50, true, 0),
        (1, 1, 50, false, 1),
        (1, 1, 49, false, 0),
        (1, 1, 50, true, 1000),
        (3, 1, 50, false, 2),
        (1, 500, 50, false, 250),
        (1, 500, 50, true, 1000),
        (1, 333, 50, false, 167),
        (1, 333, 40, false, 133),
        (3, 333, 33, false, 330),
        (7, 105, 45, false, 331),
        (19, 1000, 65, false, 12350),
        (40, 500, 50, false, 10000),
        (40, 500, 50, true, 10000),
        (41, 500, 50, true, 11000),
        (80, 500, 50, true, 20000),
        (116, 500, 50, false, 29000),
        (169, 500, 50, false, 42250),
        (169, 500, 50, true, 43000),
        (169, 1000, 70, false, 118_300),
        (169, 1_000_000, 100, false, 169_000_000),
        (169, 1_000_000, 1, true, 1_690_000),
        (20, 50, 100, true, 1000),
        (2, 500, 100, true, 1000),
        (2, 501, 100, true, 2000),
    ];
    for (sold, price, percentage, round_up, expected) in table {
        let prize = prize(sold, Cents(price), percentage, round_up);
        assert_eq!(
            prize,
            Cents(expected),
            "{sold} × {price} at {percentage} %, rounding up: {round_up}"
        );
    }
}

/// Decision D-6. Columns: subtotals of the lines, card fees charged per line, card fees charged
/// once per order.
#[test]
fn card_fees_of_a_cart_match_the_table_in_both_modes() {
    let table: [(&[i64], &[i64], &[i64]); 6] = [
        (&[1000], &[47], &[47]),
        (
            &[1000, 1000, 1000, 1000, 1000],
            &[47, 47, 47, 47, 47],
            &[23, 23, 23, 23, 23],
        ),
        (&[500, 1500], &[39, 56], &[16, 48]),
        (&[333, 333, 334], &[36, 36, 36], &[16, 15, 16]),
        (&[500, 700, 1100], &[39, 42, 49], &[15, 21, 33]),
        (&[100_000, 50], &[1730, 31], &[1730, 1]),
    ];
    for (subtotals, per_line, per_charge) in table {
        let wanted: Vec<LineRequest> = (1..)
            .zip(subtotals)
            .map(|(draw, cents)| line_request(draw, *cents, true))
            .collect();
        for (mode, expected) in [
            (SurchargeMode::PerLine, per_line),
            (SurchargeMode::PerCharge, per_charge),
        ] {
            assert_eq!(
                card_fees_of_lines(&wanted, mode),
                expected,
                "{subtotals:?} {mode:?}"
            );
        }
    }
}

#[test]
fn line_that_does_not_pass_on_the_card_fee_has_none() {
    let wanted = [
        line_request(1, 1000, true),
        line_request(2, 5000, false),
        line_request(3, 1000, true),
    ];
    assert_eq!(
        card_fees_of_lines(&wanted, SurchargeMode::PerLine),
        [47, 0, 47]
    );
    assert_eq!(
        card_fees_of_lines(&wanted, SurchargeMode::PerCharge),
        [32, 0, 32]
    );
    assert_eq!(
        card_fees_of_lines(&[line_request(1, 1000, false)], SurchargeMode::PerCharge),
        [0]
    );
    assert_eq!(card_fees_of_lines(&[], SurchargeMode::PerCharge), [0; 0]);
}

#[test]
fn odd_cent_of_a_split_goes_to_the_lower_draw_number() {
    let wanted = [line_request(1002, 250, true), line_request(1001, 250, true)];
    // 1.7 % of 500 cents is 8.5, rounded half up to 9. Plus 30 it is 39, split into 20 + 19.
    assert_eq!(
        card_fees_of_lines(&wanted, SurchargeMode::PerCharge),
        [20, 19]
    );
    assert_eq!(
        price_lines(&wanted, SurchargeMode::PerCharge)[0].draw,
        DrawId(1001)
    );
}

#[test]
fn split_follows_the_largest_remainder() {
    let table: [(i64, &[i64], &[i64]); 8] = [
        (100, &[1, 1, 1], &[34, 33, 33]),
        (1, &[5, 5], &[1, 0]),
        (2, &[1, 1, 1], &[1, 1, 0]),
        (7, &[3, 0, 4], &[3, 0, 4]),
        (119, &[1000, 1000, 1000, 1000, 1000], &[24, 24, 24, 24, 23]),
        (0, &[1, 2], &[0, 0]),
        (5, &[0, 0], &[3, 2]),
        (5, &[], &[]),
    ];
    for (amount, weights, expected) in table {
        assert_eq!(
            split_by_weights(Cents(amount), &amounts_in_cents(weights)),
            amounts_in_cents(expected),
            "{amount} over {weights:?}"
        );
    }
}

#[test]
fn amounts_are_parsed_and_formatted() {
    let read = [
        ("5", 500),
        ("5.5", 550),
        ("5.05", 505),
        ("0.01", 1),
        (" 10.47 ", 1047),
        ("0", 0),
        ("007.50", 750),
        ("999999999999.99", 99_999_999_999_999),
    ];
    for (text, expected) in read {
        assert_eq!(Cents::parse(text), Some(Cents(expected)), "{text}");
    }
    for text in [
        "",
        ".",
        ".5",
        "5.005",
        "-5",
        "+5",
        "5,00",
        "1e3",
        "$5",
        "5.-1",
        "5 0",
        "1000000000000",
        "٥",
    ] {
        assert_eq!(Cents::parse(text), None, "{text}");
    }
    for (amount, decimal, shown) in [
        (1047, "10.47", "$10.47"),
        (5, "0.05", "$0.05"),
        (0, "0.00", "$0.00"),
        (-5, "-0.05", "-$0.05"),
    ] {
        assert_eq!(
            (Cents(amount).decimal(), Cents(amount).to_string()),
            (decimal.into(), shown.into())
        );
    }
}

fn line_request(draw: i64, cents: i64, passes_card_fee: bool) -> LineRequest {
    LineRequest {
        draw: DrawId(draw),
        count: 1,
        unit_price: Cents(cents),
        passes_card_fee,
    }
}

fn card_fees_of_lines(wanted: &[LineRequest], mode: SurchargeMode) -> Vec<i64> {
    price_lines(wanted, mode)
        .iter()
        .map(|line| line.card_fee.0)
        .collect()
}

fn amounts_in_cents(amounts: &[i64]) -> Vec<Cents> {
    amounts.iter().copied().map(Cents).collect()
}
