//! The platform's fee report as PDF: the current fee, the different readings of the specification,
//! the sums, and one row per draw.

use domain::{Cents, Timestamp};

use super::pdf_writer::{
    LINE_HEIGHT_POINTS, PAGE_HEIGHT_POINTS, PAGE_MARGIN_POINTS, PAGE_WIDTH_POINTS, PdfWriter,
    money_text,
};
use crate::api::console::money::{DrawFees, FeeReading, PlatformFees};
use crate::render::date_time_text;

/// Time zone of the report: that of the operator (specification C, line 330).
const REPORT_TIME_ZONE: &str = "Australia/Brisbane";
/// Heading, left edge and width in points of each column of the fee report. The last three columns
/// are right-aligned.
const TABLE_COLUMNS: [(&str, f32, f32); 6] = [
    ("Draw", 0.0, 52.0),
    ("Game", 56.0, 180.0),
    ("Club", 240.0, 110.0),
    ("Sold", 354.0, 34.0),
    ("Revenue", 392.0, 54.0),
    ("Fee", 450.0, 60.0),
];
const LEFT_ALIGNED_COLUMN_COUNT: usize = 3;

/// Writes the fee report. `None` means that the font cannot be read, which only a damaged build
/// causes.
pub fn pdf(report: &PlatformFees, fee_note: &str, now: Timestamp) -> Option<Vec<u8>> {
    let mut pdf = PdfWriter::new("Platform fees report")?;
    let top = PAGE_HEIGHT_POINTS - PAGE_MARGIN_POINTS - 18.0;
    pdf.write_text(PAGE_MARGIN_POINTS, top, 18.0, "Platform fees report");
    pdf.write_text(PAGE_MARGIN_POINTS, top - 18.0, 10.0, &period_text(report));
    pdf.draw_horizontal_line(top - 26.0);
    pdf.y = top - 30.0;
    write_fee_terms(&mut pdf, report, fee_note);
    pdf.write_labelled_sums(&labelled_sums(report));
    pdf.y -= LINE_HEIGHT_POINTS;
    write_table_head(&mut pdf);
    for draw in &report.draws {
        if pdf.y < PAGE_MARGIN_POINTS + 2.0 * LINE_HEIGHT_POINTS {
            pdf.next_page();
            write_table_head(&mut pdf);
        }
        write_row(&mut pdf, row_cells(draw));
    }
    let y = pdf.y - 4.0;
    pdf.draw_horizontal_line(y);
    pdf.y -= 4.0;
    let sold: i64 = report.draws.iter().map(|draw| draw.tickets_sold).sum();
    let total = match report.draws.len() {
        1 => "1 draw".to_string(),
        many => format!("{many} draws"),
    };
    write_row(
        &mut pdf,
        [
            "Total".to_string(),
            total,
            String::new(),
            sold.to_string(),
            money_text(&report.total_revenue),
            money_text(&report.platform_fees),
        ],
    );
    Some(pdf.finish_with_footer(&format!(
        "Generated {}",
        date_time_text::date_time_with_zone(now, REPORT_TIME_ZONE)
    )))
}

fn period_text(report: &PlatformFees) -> String {
    match (&report.from, &report.to) {
        (None, None) => "All time".to_string(),
        (Some(from), None) => format!("Games from {from}, Brisbane days"),
        (None, Some(to)) => format!("Games until {to}, Brisbane days"),
        (Some(from), Some(to)) => format!("Games from {from} to {to}, Brisbane days"),
    }
}

/// Writes the platform fee in force, and the fees that the sources of the specification state
/// (specification C, line 348).
fn write_fee_terms(pdf: &mut PdfWriter, report: &PlatformFees, fee_note: &str) {
    let cap = Cents(report.fee_cap_cents);
    let reached = Cents(report.cap_reached_at_cents);
    let in_force = format!(
        "In force: {} of a draw's ticket revenue, at most {cap} a draw, which it reaches at {reached}.",
        percent_text(report.fee_rate_bps),
    );
    let lines = [in_force, format!("Platform fees {fee_note}.")].into_iter();
    for text in lines.chain(report.readings.iter().map(stated_fee_text)) {
        pdf.y -= LINE_HEIGHT_POINTS;
        let (y, text) = (
            pdf.y,
            pdf.cut_to_width(&text, 9.0, PAGE_WIDTH_POINTS - 2.0 * PAGE_MARGIN_POINTS),
        );
        pdf.write_text(PAGE_MARGIN_POINTS, y, 9.0, &text);
    }
    pdf.y -= 4.0;
}

fn stated_fee_text(reading: &FeeReading) -> String {
    let cap = Cents(reading.cap_cents);
    match reading.rate_bps {
        Some(rate) => format!(
            "Reading: {} capped at {cap} ({}).",
            percent_text(rate),
            reading.source
        ),
        None => format!(
            "Reading: capped at {cap}, no rate named ({}).",
            reading.source
        ),
    }
}

/// Formats basis points: `350` is `3.5%`.
fn percent_text(bps: u32) -> String {
    let text = format!("{}.{:02}", bps / 100, bps % 100);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

fn labelled_sums(report: &PlatformFees) -> [(&'static str, String); 5] {
    [
        ("Total revenue", money_text(&report.total_revenue)),
        ("Platform fees", money_text(&report.platform_fees)),
        ("Card fees", money_text(&report.stripe_fees)),
        ("Club revenue", money_text(&report.club_revenue)),
        ("Prize money", money_text(&report.prize_money)),
    ]
}

fn write_table_head(pdf: &mut PdfWriter) {
    write_row(pdf, TABLE_COLUMNS.map(|(name, _, _)| name.to_string()));
    let y = pdf.y - 4.0;
    pdf.draw_horizontal_line(y);
    pdf.y -= 4.0;
}

fn row_cells(draw: &DrawFees) -> [String; TABLE_COLUMNS.len()] {
    let fee = money_text(&draw.platform_fee);
    let fee = if draw.capped {
        format!("{fee} (cap)")
    } else {
        fee
    };
    [
        draw.serial_number.clone(),
        format!("{} v {}", draw.home_team, draw.away_team),
        draw.club_name.clone(),
        draw.tickets_sold.to_string(),
        money_text(&draw.revenue),
        fee,
    ]
}

fn write_row(pdf: &mut PdfWriter, cells: [String; TABLE_COLUMNS.len()]) {
    pdf.y -= LINE_HEIGHT_POINTS;
    let y = pdf.y;
    for (index, ((_, x, width), cell)) in TABLE_COLUMNS.into_iter().zip(cells).enumerate() {
        if index < LEFT_ALIGNED_COLUMN_COUNT {
            pdf.write_text_within_width(PAGE_MARGIN_POINTS + x, y, 8.5, width, &cell);
        } else {
            let cell = pdf.cut_to_width(&cell, 8.5, width);
            pdf.write_right_aligned(PAGE_MARGIN_POINTS + x + width, y, 8.5, &cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::console::money::STATED_PLATFORM_FEES;

    #[test]
    fn report_lists_every_stated_platform_fee() {
        let lines: Vec<String> = STATED_PLATFORM_FEES.iter().map(stated_fee_text).collect();
        assert_eq!(
            lines,
            [
                "Reading: 3.5% capped at $11.00 (Console fee report and club terms).",
                "Reading: capped at $10.00, no rate named (Note on the transactions screen).",
                "Reading: 3% capped at $10.00 (Club dashboard).",
            ]
        );
    }
}
