//! Property tests: whatever names buyers typed, a CSV file parses to the same texts and contains no
//! formula, and a PDF contains every ticket.

use lopdf::Document;
use proptest::collection::vec;
use proptest::prelude::*;

use super::tests::{facts, row, test_revenue};
use super::*;
use crate::text::adversarial_text;

/// Replaces control characters with blanks, as the CSV file does, because a CSV cell has one line.
fn without_control_characters(typed: &str) -> String {
    typed
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// Whether a cell contains the typed text, perhaps after the quote mark that keeps spreadsheets
/// from running it as a formula.
fn contains_text(cell: &str, typed: &str) -> bool {
    let flat = without_control_characters(typed);
    cell == flat || cell.strip_prefix('\'') == Some(flat.as_str())
}

/// Whether the first visible character cannot begin a formula.
fn cannot_begin_formula(cell: &str) -> bool {
    let invisible = "\u{ad}\u{61c}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                     \u{2060}\u{2061}\u{2062}\u{2063}\u{2064}\u{2066}\u{2067}\u{2068}\u{2069}\u{feff}";
    let first = cell
        .chars()
        .find(|letter| !letter.is_whitespace() && !invisible.contains(*letter));
    !first.is_some_and(|first| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(first))
}

/// The name, e-mail address and phone that a test buyer typed.
type BuyerFormInput = (String, String, String);

fn buyer_form_inputs() -> impl Strategy<Value = Vec<BuyerFormInput>> {
    vec(
        (
            adversarial_text::any_text(),
            adversarial_text::any_text(),
            adversarial_text::any_text(),
        ),
        1..12,
    )
}

fn report_rows(typed: &[BuyerFormInput]) -> Vec<ReportRow> {
    let to_row = |(index, (name, email, phone)): (usize, &BuyerFormInput)| ReportRow {
        email: email.clone(),
        ..row(index as u16 + 1, name, phone)
    };
    typed.iter().enumerate().map(to_row).collect()
}

proptest! {
    #![proptest_config(adversarial_text::proptest_config(1_000))]

    #[test]
    fn csv_reads_back_and_no_cell_is_a_formula(typed in buyer_form_inputs()) {
        let rows = report_rows(&typed);
        let bytes = csv(&facts(), &rows).expect("a table");
        let table = String::from_utf8(bytes).expect("UTF-8");
        let table = table.strip_prefix('\u{feff}').expect("a byte order mark");
        let mut reader = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(table.as_bytes());
        let read: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
        prop_assert_eq!(read.len(), rows.len() + 1, "the heading and one row for each ticket");
        for (record, row) in read[1..].iter().zip(&rows) {
            prop_assert_eq!(record.len(), read[0].len());
            for (index, typed) in [(5, row.buyer_text()), (6, &row.email), (7, &row.phone)] {
                prop_assert!(contains_text(&record[index], typed), "{:?} became {:?}", typed, &record[index]);
                prop_assert!(cannot_begin_formula(&record[index]), "{:?} is a formula", &record[index]);
            }
            prop_assert_eq!(&record[1], row.label.as_str());
        }
    }
}

proptest! {
    // Fewer cases, because writing a PDF takes as long as a hundred CSV files.
    #![proptest_config(adversarial_text::proptest_config(24))]

    #[test]
    fn pdf_lists_every_ticket_and_has_no_active_content(typed in buyer_form_inputs(), plain in "[A-Za-zÀ-žΑ-ΡΣ-ωА-я]{1,12}") {
        let mut rows = report_rows(&typed);
        let name = plain.replace("fi", "f i").replace("fl", "f l").replace("ff", "f f");
        rows.push(row(169, &name, ""));
        let file = pdf(&facts(), &test_revenue(), &rows).expect("a paper");
        let document = Document::load_mem(&file).expect("a PDF");
        let pages: Vec<u32> = document.get_pages().keys().copied().collect();
        let text = document.extract_text(&pages).expect("text");
        for row in &rows {
            prop_assert_eq!(text.matches(&row.label).count(), 1, "{} is not there once in\n{}", row.label, text);
        }
        prop_assert!(text.contains(&name), "{name} is missing in\n{text}");
        for object in document.objects.values() {
            let Ok(dictionary) = object.as_dict() else { continue };
            let runs = ["JS", "JavaScript", "OpenAction", "AA", "Launch", "EmbeddedFiles", "URI"];
            prop_assert!(runs.iter().all(|key| !dictionary.has(key.as_bytes())), "{:?}", dictionary);
        }
    }
}
