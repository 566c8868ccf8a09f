//! Test vectors of the deal. `deal_vector.json` was computed from the README alone, by an
//! independent program in another language. The verifier in the browser is tested with this file
//! too. One of its seeds makes the shuffle reject a random word.

use std::fmt::Write;

use domain::{Cell, Deal, DrawId, Seed, Serial, TICKETS};

const TEST_VECTORS_JSON: &str = include_str!("deal_vector.json");
/// Number of deals in the uniformity test.
const UNIFORMITY_TEST_DEALS: u64 = 30_000;

struct DealTestVector {
    note: &'static str,
    draw: i64,
    seed: [u8; 32],
    words_rejected: u8,
}

fn test_vectors() -> [DealTestVector; 3] {
    let mut rejecting = [0; 32];
    rejecting[..3].copy_from_slice(&[0xd4, 0xb9, 0x06]);
    [
        DealTestVector {
            note: "the bytes 0 to 31",
            draw: 1042,
            seed: std::array::from_fn(|i| i as u8),
            words_rejected: 0,
        },
        DealTestVector {
            note: "all zero",
            draw: 1001,
            seed: [0; 32],
            words_rejected: 0,
        },
        DealTestVector {
            note: "the rejection limit is met: one word of the keystream is thrown away",
            draw: 99999,
            seed: rejecting,
            words_rejected: 1,
        },
    ]
}

#[test]
fn deal_matches_golden_vectors() {
    let vectors: Vec<String> = test_vectors().iter().map(vector_as_json).collect();
    let actual = format!(
        "{{\n  \"algorithm\": \"football-doubles-v1\",\n  \"vectors\": [\n{}\n  ]\n}}\n",
        vectors.join(",\n")
    );
    assert!(
        actual == TEST_VECTORS_JSON,
        "deal_vector.json differs from:\n{actual}"
    );
}

/// Formats a test vector as `deal_vector.json` does, because the domain crate has no JSON library.
fn vector_as_json(
    DealTestVector {
        note,
        draw,
        seed,
        words_rejected,
    }: &DealTestVector,
) -> String {
    let commitment = format_hex(&Seed(*seed).commitment(DrawId(*draw)));
    let deal = Deal::new(Seed(*seed));
    let pairs: Vec<Cell> = Serial::all().map(|serial| deal.cell(serial)).collect();
    let first: Vec<String> = pairs[..5]
        .iter()
        .map(|cell| format!("[{}, {}]", cell.home(), cell.away()))
        .collect();
    let index = |cell: &Cell| (u16::from(cell.home()) - 1) * 13 + u16::from(cell.away()) - 1;
    let cells: Vec<String> = pairs.iter().map(|cell| index(cell).to_string()).collect();
    format!(
        "    {{
      \"note\": \"{note}\",
      \"drawNumber\": {draw},
      \"seed\": \"{}\",
      \"commitment\": \"{commitment}\",
      \"wordsRejected\": {words_rejected},
      \"firstPairs\": [{}],
      \"cells\": [{}]
    }}",
        format_hex(seed),
        first.join(", "),
        cells.join(", ")
    )
}

fn format_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}

#[test]
fn deal_of_a_fixed_seed_has_known_first_pairs() {
    let deal = Deal::new(Seed(std::array::from_fn(|i| i as u8)));
    let pairs = [1, 2, 3, 4, 5].map(|number| deal.cell(Serial::new(number).expect("1…169")));
    let expected = [(13, 4), (3, 12), (7, 5), (6, 7), (1, 4)];
    assert_eq!(pairs.map(|cell| (cell.home(), cell.away())), expected);
    let winner = deal.serial(Cell::new(7, 5).expect("1…13"));
    assert_eq!(winner.label(DrawId(1042)), "FD-1042-003");
}

#[test]
fn commitment_includes_draw_number_as_decimal_text() {
    // SHA-256 of "football-doubles-v1", "1042" and the bytes 0 to 31, computed by another program.
    let seed = Seed(std::array::from_fn(|i| i as u8));
    assert_eq!(
        format_hex(&seed.commitment(DrawId(1042))),
        "0ab23f7c3a971b727ada52a953cd24e9ae12cead0694751936bf7665966b52dd"
    );
    assert_ne!(seed.commitment(DrawId(1043)), seed.commitment(DrawId(1042)));
}

#[test]
fn seed_and_deal_debug_output_is_secret() {
    let deal = Deal::new(Seed([0xab; 32]));
    assert_eq!(
        format!("{:?} {deal:?}", deal.seed()),
        "Seed(secret) Deal(secret)"
    );
}

#[test]
fn serials_and_cells_outside_the_grid_are_rejected() {
    for (number, fits) in [
        (0, false),
        (1, true),
        (169, true),
        (170, false),
        (257, false),
        (u16::MAX, false),
    ] {
        assert_eq!(Serial::new(number).is_some(), fits, "serial {number}");
    }
    for (home, away, fits) in [
        (0, 1, false),
        (1, 0, false),
        (1, 1, true),
        (13, 13, true),
        (14, 1, false),
        (1, 14, false),
    ] {
        assert_eq!(Cell::new(home, away).is_some(), fits, "cell {home}–{away}");
    }
}

/// Every cell has every position equally often. Chi squared over 169 positions × 169 cells must be
/// within five standard deviations of its mean. A correct shuffle fails this test once in two
/// million runs.
#[test]
fn deal_distributes_cells_uniformly() {
    let size = usize::from(TICKETS);
    let mut counts = vec![0u32; size * size];
    for number in 0..UNIFORMITY_TEST_DEALS {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let deal = Deal::new(Seed(seed));
        for (place, serial) in Serial::all().enumerate() {
            let cell = deal.cell(serial);
            counts[place * size
                + usize::from(cell.home() - 1) * 13
                + usize::from(cell.away() - 1)] += 1;
        }
    }
    let expected = UNIFORMITY_TEST_DEALS as f64 / size as f64;
    let chi_squared: f64 = counts
        .iter()
        .map(|count| (f64::from(*count) - expected).powi(2) / expected)
        .sum();
    let freedom = ((size - 1) * (size - 1)) as f64;
    let deviations = (chi_squared - freedom) / (2.0 * freedom).sqrt();
    assert!(
        deviations.abs() < 5.0,
        "{deviations} standard deviations from chance"
    );
}
