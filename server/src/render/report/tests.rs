//! Tests the exact contents of reports and posters.

use domain::TICKETS;
use lopdf::Document;

use super::csv_report::{escape_formula, phone_csv_cell};
use super::*;
use crate::render::colour::Colour;
use crate::render::page::DrawPhase;

pub(super) fn facts() -> ReportFacts {
    ReportFacts {
        club: "Bayside Barracudas".to_string(),
        draw: DrawId(1042),
        league: Some("Coastal Cup".to_string()),
        home: "Bayside Barracudas".to_string(),
        away: "Ipswich Jetties".to_string(),
        zone: "Australia/Brisbane".to_string(),
        kick_off: Timestamp(1_795_165_800_000),
        price: Cents(500),
        prize_percentage: 50,
        result: Some((7, 9)),
        fee_note: "incl. GST where applicable".to_string(),
        generated_at: Timestamp(1_795_173_000_000),
    }
}

pub(super) fn row(number: u16, name: &str, phone: &str) -> ReportRow {
    ReportRow {
        label: format!("FD-1042-{number:03}"),
        number,
        pair: Some((7, 9)),
        won: number == 1,
        name: name.to_string(),
        email: "a@example.com".to_string(),
        phone: phone.to_string(),
        sold_at: Timestamp(1_795_100_000_000),
    }
}

pub(super) fn test_revenue() -> DrawRevenue {
    DrawRevenue {
        sold: 3,
        without_buyer: 0,
        orders: 2,
        revenue: Cents(1500),
        passed_on: Cents(0),
        platform_fee: Cents(53),
        provider_fees: Cents(86),
        is_estimated: false,
        prize: Cents(750),
        prize_is_due: true,
    }
}

/// The expected CSV file (RFC 4180): UTF-8 with a byte order mark and CRLF line ends, without
/// formulas.
const EXPECTED_CSV: &str = "\u{feff}Ticket,Serial,Home number,Away number,Winner,Buyer name,Buyer email,Buyer phone,Purchased (UTC),Purchased (local),Ticket price\r
1,FD-1042-001,7,9,yes,\"Nguyễn, Zoë\",a@example.com,0411 000 001,2026-11-19T14:53:20Z,\"Fri 20 Nov 2026, 12:53 am AEST\",5.00\r
2,FD-1042-002,7,9,,'=1+1,a@example.com,0411 000 001,2026-11-19T14:53:20Z,\"Fri 20 Nov 2026, 12:53 am AEST\",5.00\r
3,FD-1042-003,7,9,,\"Say \"\"hi\"\"\",a@example.com,,2026-11-19T14:53:20Z,\"Fri 20 Nov 2026, 12:53 am AEST\",5.00\r
";

#[test]
fn csv_matches_the_recorded_bytes() {
    let rows = [
        row(1, "Nguyễn, Zoë", "0411 000 001"),
        row(2, "=1+1", "+61 411 000 001"),
        row(3, "Say \"hi\"", ""),
    ];
    let bytes = csv(&facts(), &rows).expect("a table");
    assert_eq!(String::from_utf8(bytes).expect("UTF-8"), EXPECTED_CSV);
}

#[test]
fn csv_cells_are_no_formulas_and_phones_are_plain() {
    for (text, cell) in [
        ("=1+1", "'=1+1"),
        ("+61 400", "'+61 400"),
        ("-2", "'-2"),
        ("@x", "'@x"),
        ("\t=1", "' =1"),
        ("Alice", "Alice"),
    ] {
        assert_eq!(escape_formula(text), cell);
    }
    for (phone, cell) in [
        ("0400 111 222", "0400 111 222"),
        ("+61 400 111 222", "0400 111 222"),
        ("+64 21 123 456", "'+64 21 123 456"),
        ("+61+cmd", "'+61+cmd"),
    ] {
        assert_eq!(phone_csv_cell(phone), cell);
    }
}

#[test]
fn ticket_without_buyer_is_named_and_not_counted() {
    let orphan = ReportRow {
        email: String::new(),
        ..row(2, "", "")
    };
    let rows = [row(1, "Zoë", "0411 000 001"), orphan];
    let table = String::from_utf8(csv(&facts(), &rows).expect("a table")).expect("UTF-8");
    assert!(
        table.contains("2,FD-1042-002,7,9,,No buyer yet (not counted),,,"),
        "{table}"
    );
    let takings = DrawRevenue {
        sold: 1,
        without_buyer: 1,
        ..test_revenue()
    };
    let text = pdf_text(&pdf(&facts(), &takings, &rows).expect("a paper"));
    for line in [
        "Total: 1 ticket, $5.00",
        "No buyer yet (not counted)",
        "Paid tickets without a buyer (not counted as sold)",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn full_draw_pdf_fits_a_mail_and_lists_all_tickets() {
    let rows: Vec<ReportRow> = (1..=TICKETS)
        .map(|number| row(number, "Zoë Ōtāhuhu Nguyễn", "0411 000 001"))
        .collect();
    let file = pdf(&facts(), &test_revenue(), &rows).expect("a paper");
    assert!(file.len() < 300 * 1024, "{} bytes", file.len());
    let document = Document::load_mem(&file).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    let text = document.extract_text(&pages).expect("text");
    for number in 1..=TICKETS {
        assert_eq!(
            text.matches(&format!("FD-1042-{number:03}")).count(),
            1,
            "ticket {number}"
        );
    }
    assert_eq!(text.matches('★').count(), 1);
    assert_eq!(
        text.matches("Zoë Ōtāhuhu Nguyễn").count(),
        usize::from(TICKETS)
    );
    for line in [
        "Result: Bayside Barracudas #7 and Ipswich Jetties #9 · ticket 1 wins",
        "Generated Fri 20 Nov 2026, 9:10 pm AEST for Bayside Barracudas",
        &format!("Page {0} of {0}", pages.len()),
        "Total: 169 tickets, $845.00",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}

#[test]
fn unsold_winning_ticket_is_reported() {
    let takings = DrawRevenue {
        prize_is_due: false,
        ..test_revenue()
    };
    let lines = labelled_sums(&facts(), &takings);
    assert_eq!(
        lines[6].0,
        "Prize (not due: the winning ticket was not sold)"
    );
    assert_eq!(lines[7], ("Club profit".to_string(), "13.61".to_string()));
    assert_eq!(
        labelled_sums(
            &facts(),
            &DrawRevenue {
                is_estimated: true,
                ..takings
            }
        )[3]
        .0,
        "Card fees (partly estimated)"
    );
    let off = ReportFacts {
        result: None,
        ..facts()
    };
    assert_eq!(
        labelled_sums(&off, &takings)[6].0,
        "Prize (not due: the draw was cancelled)"
    );
    let text = pdf_text(&pdf(&off, &takings, &[]).expect("a paper"));
    assert!(
        text.contains("Result: none, the draw was cancelled"),
        "{text}"
    );
}

#[test]
fn empty_report_is_explained_and_amounts_have_separators() {
    let minus = DrawRevenue {
        sold: 0,
        revenue: Cents(0),
        platform_fee: Cents(0),
        provider_fees: Cents(132),
        ..test_revenue()
    };
    let minus = DrawRevenue {
        prize: Cents(0),
        prize_is_due: false,
        ..minus
    };
    let off = ReportFacts {
        result: None,
        ..facts()
    };
    let text = pdf_text(&pdf(&off, &minus, &[]).expect("a paper"));
    for line in ["−$1.32", "$0.00", "Every ticket is refunded; none is left."] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert!(
        !text.contains("Buyer") && !text.contains("Total: 0"),
        "{text}"
    );
    let text = pdf_text(
        &pdf(
            &off,
            &DrawRevenue {
                prize_is_due: true,
                ..minus
            },
            &[],
        )
        .expect("a paper"),
    );
    assert!(
        text.contains("No ticket is sold.") && text.contains("stay secret until then"),
        "{text}"
    );
    let full = DrawRevenue {
        revenue: Cents(169_000),
        ..test_revenue()
    };
    assert!(
        pdf_text(&pdf(&facts(), &full, &[row(1, "Zoë", "")]).expect("a paper"))
            .contains("$1,690.00")
    );
}

#[test]
fn every_page_names_its_draw_and_posters_have_no_page_number() {
    let rows: Vec<ReportRow> = (1..=TICKETS).map(|number| row(number, "Zoë", "")).collect();
    let file = pdf(&facts(), &test_revenue(), &rows).expect("a paper");
    let document = Document::load_mem(&file).expect("a PDF");
    for page in document.get_pages().into_keys() {
        let text = document.extract_text(&[page]).expect("text");
        assert!(
            text.contains("Bayside Barracudas v Ipswich Jetties"),
            "page {page} lacks the draw's name:\n{text}"
        );
    }
    let text = pdf_text(&poster().pdf().expect("a paper"));
    assert!(
        text.contains("Coastal Cup") && text.contains("/draw/1042"),
        "{text}"
    );
    assert!(!text.contains("Page 1"), "{text}");
}

#[test]
fn poster_invites_to_buy_only_while_on_sale() {
    let text_in =
        |phase: DrawPhase| pdf_text(&Poster { phase, ..poster() }.pdf().expect("a paper"));
    let (on_sale, off) = (text_in(DrawPhase::Active), text_in(DrawPhase::Cancelled));
    assert!(
        on_sale.contains("Win up to $430 · $5 + $0.39 fee = $5.39 a ticket"),
        "{on_sale}"
    );
    assert!(on_sale.contains("Scan to buy tickets"), "{on_sale}");
    assert!(
        off.contains("This draw was cancelled. Every ticket is refunded."),
        "{off}"
    );
    for over in [
        off,
        text_in(DrawPhase::Closed),
        text_in(DrawPhase::Completed),
    ] {
        assert!(
            !over.contains("buy") && !over.contains("Win up to"),
            "{over}"
        );
    }
}

fn poster() -> Poster {
    let facts = facts();
    Poster {
        club: facts.club,
        league: facts.league,
        home: facts.home,
        away: facts.away,
        kick_off: "Friday 20 November 2026".to_string(),
        price: "$5 + $0.39 fee = $5.39".to_string(),
        prize_max: "$430".to_string(),
        phase: DrawPhase::Active,
        colours: [Colour([11, 46, 107]), Colour([255, 199, 44])],
        link: "http://localhost:8080/draw/1042".to_string(),
    }
}

#[test]
fn two_long_names_are_written_on_two_lines() {
    let (home, away) = (
        "St George Illawarra Dragons Women’s Reserve Grade",
        "Canterbury Bankstown Bulldogs Under Nineteens",
    );
    let facts = ReportFacts {
        home: home.to_string(),
        away: away.to_string(),
        ..facts()
    };
    let text = pdf_text(&pdf(&facts, &test_revenue(), &[]).expect("a paper"));
    assert!(
        text.contains(home) && text.contains(&format!("v {away}")),
        "{text}"
    );
}

#[test]
fn report_contains_the_configured_fee_note() {
    let other = ReportFacts {
        fee_note: "incl. 10 % GST".to_string(),
        ..facts()
    };
    let text = pdf_text(&pdf(&other, &test_revenue(), &[]).expect("a paper"));
    assert!(text.contains("Platform fee (incl. 10 % GST)"), "{text}");
}

fn pdf_text(file: &[u8]) -> String {
    let document = Document::load_mem(file).expect("a PDF");
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    document.extract_text(&pages).expect("text")
}

#[test]
fn longest_names_stay_within_the_page() {
    let long = |letter: &str| letter.repeat(100);
    let facts = ReportFacts {
        club: long("C"),
        league: Some(long("L")),
        home: long("H"),
        away: long("A"),
        ..facts()
    };
    let text = pdf_text(
        &pdf(
            &facts,
            &test_revenue(),
            &[row(1, &long("N"), "0411 000 001")],
        )
        .expect("a paper"),
    );
    // The important part of each line comes first, because the end of a line that is too long is
    // cut.
    for line in [
        "FD-1042 · Fri 20 Nov 2026, 7:10 pm AEST · LLL",
        "Generated Fri 20 Nov 2026, 9:10 pm AEST for CCC",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    for number in ["… #7 and AAA", "… #9"] {
        assert!(
            text.contains(number),
            "the result is said whatever the names: {number} is missing in\n{text}"
        );
    }
    for letter in ["C", "L", "H", "A", "N"] {
        assert!(!text.contains(&long(letter)), "{letter} runs off the page");
    }
    let league = |home: &str, away: &str| ReportFacts {
        home: home.to_string(),
        away: away.to_string(),
        ..facts.clone()
    };
    let facts = league(
        "St George Illawarra Dragons",
        "Canterbury Bankstown Bulldogs",
    );
    let text = pdf_text(&pdf(&facts, &test_revenue(), &[]).expect("a paper"));
    assert!(
        text.contains("St George Illawarra Dragons v Canterbury Bankstown Bulldogs"),
        "{text}"
    );
}
