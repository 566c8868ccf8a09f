//! The report of a run: as text for the terminal, and as HTML with plots.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::audit::AuditCheck;
use crate::boards::BoardLag;
use crate::latency::{CallKind, CallRecord, Percentiles, duration_ms};
use crate::provider::CallCounts;
use crate::transcript::PurchaseVerdict;

pub mod plots;

/// A table with a name. Its cells are text, and the first row is the heading.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub name: String,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(name: &str, head: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    pub fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

/// The facts, tables, checks and plots of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub title: String,
    /// Pairs of name and value, such as seed, sizes and times. They allow the run to be repeated.
    pub facts: Vec<(String, String)>,
    pub tables: Vec<Table>,
    pub checks: Vec<AuditCheck>,
    /// Plots of the report. Each is a complete SVG document.
    pub plots: Vec<String>,
}

impl Report {
    pub fn add_fact(&mut self, name: &str, value: impl ToString) {
        self.facts.push((name.to_owned(), value.to_string()));
    }

    pub fn has_passed(&self) -> bool {
        self.checks.iter().all(|check| check.failures.is_empty())
    }

    pub fn add_verdicts(&mut self, verdicts: &[(PurchaseVerdict, usize)]) {
        let mut table = Table::new("What the buyers were told", &["", "buyers"]);
        for (verdict, count) in verdicts {
            table.add_row([verdict.name().to_owned(), count.to_string()]);
        }
        self.tables.push(table);
    }

    /// Adds a table with the latencies of calls that got a response. Without a response, a duration
    /// has no meaning.
    pub fn add_latencies(&mut self, call_records: &[CallRecord]) {
        let mut table = Table::new(
            "Answers (milliseconds)",
            &["", "answers", "p50", "p90", "p99", "longest"],
        );
        for call in CallKind::ALL {
            let took = call_records
                .iter()
                .filter(|record| record.call == call && record.status > 0);
            let figures =
                Percentiles::of_sample(took.map(|record| duration_ms(record.took)).collect());
            if figures.count > 0 {
                table.add_row(percentiles_row(call.name(), figures));
            }
        }
        self.tables.push(table);
    }

    pub fn add_wait_table(&mut self, decided: Vec<f64>, lag: &BoardLag) {
        let head = ["", "measured", "p50", "p90", "p99", "longest"];
        let mut table = Table::new("Waits (milliseconds)", &head);
        table.add_row(percentiles_row(
            "card authorised → buyer knows",
            Percentiles::of_sample(decided),
        ));
        table.add_row(percentiles_row(
            "buyer knows → board shows it",
            Percentiles::of_sample(lag.behind_buyer.clone()),
        ));
        table.add_row(percentiles_row(
            "first board → every board",
            Percentiles::of_sample(lag.behind_first_board.clone()),
        ));
        table.add_row(percentiles_row(
            "frame made → frame there",
            Percentiles::of_sample(lag.frame_delay.clone()),
        ));
        self.tables.push(table);
    }

    /// Adds a table with the server's calls to the provider between two counts, for each of
    /// `purchases` captured payments. A sandbox that was restarted meanwhile has lost its counts, so
    /// there is no table.
    pub fn add_calls_per_purchase(
        &mut self,
        before: &CallCounts,
        after: &CallCounts,
        purchases: i64,
    ) {
        let calls_before = |endpoint: &String| before.get(endpoint).copied().unwrap_or(0);
        let was_restarted = before
            .iter()
            .any(|(endpoint, count)| after.get(endpoint).is_none_or(|later| later < count));
        if was_restarted || purchases < 1 {
            return;
        }
        let head = ["", "calls", "per purchase"];
        let mut table = Table::new("Calls per purchase by endpoint", &head);
        for (endpoint, count) in after {
            let calls = count - calls_before(endpoint);
            if calls > 0 {
                let per_purchase = format!("{:.3}", calls as f64 / purchases as f64);
                table.add_row([endpoint.clone(), calls.to_string(), per_purchase]);
            }
        }
        self.tables.push(table);
    }

    pub fn to_text(&self) -> String {
        let mut out = format!(
            "\n{}\n{}\n",
            self.title,
            "=".repeat(self.title.chars().count())
        );
        for (name, value) in &self.facts {
            let _ = writeln!(out, "  {name:<26} {value}");
        }
        for table in &self.tables {
            out.push_str(&table_text(table));
        }
        let _ = writeln!(out, "\nAudit");
        for check in &self.checks {
            let verdict = if check.failures.is_empty() {
                "ok    "
            } else {
                "BROKEN"
            };
            let _ = writeln!(
                out,
                "  {verdict} {} ({} looked at)",
                check.name, check.examined
            );
            for failures in check.failures.iter().take(12) {
                let _ = writeln!(out, "           {failures}");
            }
            if check.failures.len() > 12 {
                let _ = writeln!(out, "           … and {} more", check.failures.len() - 12);
            }
        }
        let _ = writeln!(out, "\n{}", self.verdict_line());
        out
    }

    fn verdict_line(&self) -> String {
        let failures: usize = self.checks.iter().map(|check| check.failures.len()).sum();
        match failures {
            0 => format!("PASSED: {} checks, nothing broken.", self.checks.len()),
            _ => format!("FAILED: {failures} broken promises."),
        }
    }

    pub fn to_html(&self) -> String {
        let mut body = String::new();
        for (name, value) in &self.facts {
            let _ = write!(
                body,
                "<tr><th>{}</th><td>{}</td></tr>",
                escape_html(name),
                escape_html(value)
            );
        }
        let mut page = format!("<table>{body}</table>");
        let class = if self.has_passed() {
            "passed"
        } else {
            "failed"
        };
        let _ = write!(
            page,
            "<p class=\"{class}\">{}</p>",
            escape_html(&self.verdict_line())
        );
        for plot in &self.plots {
            let _ = write!(page, "<figure>{plot}</figure>");
        }
        for table in &self.tables {
            page.push_str(&table_html(table));
        }
        page.push_str("<h2>Audit</h2><ul>");
        for check in &self.checks {
            let class = if check.failures.is_empty() {
                "passed"
            } else {
                "failed"
            };
            let name = escape_html(&check.name);
            let _ = write!(
                page,
                "<li class=\"{class}\">{name} <small>({} looked at)</small>",
                check.examined
            );
            for failures in check.failures.iter().take(200) {
                let _ = write!(page, "<br><code>{}</code>", escape_html(failures));
            }
            page.push_str("</li>");
        }
        let title = escape_html(&self.title);
        format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{CSS_STYLE}</style><h1>{title}</h1>{page}</ul></html>"
        )
    }

    /// Writes tables and verdict as a Markdown file, and each plot as an SVG file in the same
    /// folder.
    pub fn write_markdown_pages(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let mut page = String::new();
        for (name, value) in &self.facts {
            let _ = writeln!(page, "- {name}: {value}");
        }
        for table in &self.tables {
            let _ = writeln!(page, "\n## {}\n", table.name);
            for (index, row) in table.rows.iter().enumerate() {
                let _ = writeln!(page, "| {} |", row.join(" | "));
                if index == 0 {
                    let _ = writeln!(page, "|{}", "---|".repeat(row.len()));
                }
            }
        }
        let _ = writeln!(page, "\n{}", self.verdict_line());
        std::fs::write(folder.join("figures.md"), page)?;
        for (index, plot) in self.plots.iter().enumerate() {
            std::fs::write(folder.join(format!("figures-{}.svg", index + 1)), plot)?;
        }
        Ok(())
    }

    /// Prints the report as text, and writes it as an HTML file.
    pub fn print_and_save(&self, file: &Path) -> Result<()> {
        println!("{}", self.to_text());
        std::fs::write(file, self.to_html())
            .with_context(|| format!("writing {}", file.display()))?;
        println!("Written: {}", file.display());
        Ok(())
    }
}

pub fn format_dollars(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}${}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

const CSS_STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:58rem;overflow-x:hidden;margin:2rem auto;padding:0 1rem;color:#1f2937}\
    table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .8rem;border-bottom:1px solid #e5e7eb;text-align:right}\
    th:first-child,td:first-child{text-align:left}figure{margin:1.5rem 0}svg{max-width:100%;height:auto}\
    .passed{color:#047857}.failed{color:#b91c1c}code{color:#b91c1c}small{color:#6b7280}";

fn percentiles_row(name: &str, figures: Percentiles) -> Vec<String> {
    let shown = |value: f64| format!("{value:.1}");
    let Percentiles {
        count,
        p50,
        p90,
        p99,
        most,
    } = figures;
    vec![
        name.to_owned(),
        count.to_string(),
        shown(p50),
        shown(p90),
        shown(p99),
        shown(most),
    ]
}

fn table_text(table: &Table) -> String {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |column: usize| {
        table
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let mut out = format!("\n{}\n", table.name);
    for row in &table.rows {
        out.push(' ');
        for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if index == 0 {
                write!(out, " {cell:<width$}")
            } else {
                write!(out, "  {cell:>width$}")
            };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

fn table_html(table: &Table) -> String {
    let mut out = format!("<h2>{}</h2><table>", escape_html(&table.name));
    for (index, row) in table.rows.iter().enumerate() {
        let tag = if index == 0 { "th" } else { "td" };
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<{tag}>{}</{tag}>", escape_html(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
    out
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn sample_report(failures: &[&str]) -> Report {
        let mut report = Report {
            title: "Rush <1>".into(),
            ..Report::default()
        };
        report.add_fact("seed", 7);
        report.add_verdicts(&[(PurchaseVerdict::Bought, 3), (PurchaseVerdict::SoldOut, 10)]);
        let record = |call, ms, status| CallRecord {
            call,
            at: Duration::ZERO,
            took: Duration::from_millis(ms),
            status,
        };
        report.add_latencies(&[
            record(CallKind::Open, 5, 200),
            record(CallKind::Open, 9, 0),
            record(CallKind::Page, 2, 200),
        ]);
        report.checks.push(AuditCheck::new(
            "no ticket sold twice",
            169,
            failures.iter().map(|b| (*b).to_owned()).collect(),
        ));
        report.plots.push("<svg></svg>".into());
        report
    }

    #[test]
    fn clean_report_says_passed() {
        let text = sample_report(&[]).to_text();
        assert!(
            text.contains("ok     no ticket sold twice (169 looked at)"),
            "{text}"
        );
        assert!(
            text.ends_with("PASSED: 1 checks, nothing broken.\n"),
            "{text}"
        );
        assert!(text.contains("shown their tickets       3\n"), "{text}");
    }

    #[test]
    fn missing_answer_has_no_latency() {
        let text = sample_report(&[]).to_text();
        assert!(
            text.contains("open payment        1  5.0  5.0  5.0      5.0"),
            "{text}"
        );
    }

    #[test]
    fn failed_check_is_shown_and_fails_run() {
        let report = sample_report(&["ticket 7 twice"]);
        assert!(!report.has_passed());
        assert!(report.to_text().contains("BROKEN no ticket sold twice"));
        assert!(report.to_text().contains("FAILED: 1 broken promises."));
        assert!(report.to_html().contains("<code>ticket 7 twice</code>"));
    }

    #[test]
    fn html_report_is_complete_and_escaped() {
        let html = sample_report(&[]).to_html();
        assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>"));
        assert!(
            html.contains("<h1>Rush &lt;1&gt;</h1>")
                && html.contains("<figure><svg></svg></figure>")
        );
    }
}
