//! Figures for people and for programs.

use super::measure::Row;
use super::prepared::Strategy;
use std::fmt::Write as _;

/// Characters of a bar that is as long as the limit.
const UNIT: f64 = 10.0;

/// Characters of the longest bar.
const LONGEST: usize = 48;

/// The table, the names of workloads that `--max-bytes` leaves out, then a bar for each strategy.
pub fn table(rows: &[Row], strategies: &[Strategy], left_out: &[&str]) -> String {
    let mut text = format!(
        "{:16}{:>10}{:>11}{:>9}{:>8}",
        "workload", "bytes", "limit ns", "traffic", "spread"
    );
    for strategy in strategies {
        let _ = write!(text, "{:>11}", strategy.name());
    }
    text.push('\n');
    for row in rows {
        let name = format!("{}{}", row.name, if row.is_small() { " *" } else { "" });
        let _ = write!(
            text,
            "{name:16}{:>10}{:>11}{:>9.2}{:>8.2}",
            row.bytes,
            figure(row.limit),
            row.traffic,
            row.spread
        );
        for strategy in strategies {
            let time = row
                .times
                .iter()
                .find(|(other, _)| *other == strategy.name());
            let ratio =
                time.map_or_else(|| String::from("-"), |(_, time)| figure(row.ratio(*time)));
            let _ = write!(text, "{ratio:>11}");
        }
        text.push('\n');
    }
    text.push_str(
        "\nColumns of strategies are ratios: time / (limit x traffic), minimum over the rounds. limit: the fastest copy (for a Range,\n\
         fill) of the bytes of the result. traffic: bytes that must move, in units of that copy. spread: p90/min of memcpy.\n",
    );
    if rows.iter().any(Row::is_small) {
        text.push_str("* below 10 KiB: the call counts for more than the bytes.\n");
    }
    if !left_out.is_empty() {
        let names = left_out.join(", ");
        let _ = writeln!(text, "Left out, larger than --max-bytes: {names}.");
    }
    text + &bars(rows, strategies)
}

fn bars(rows: &[Row], strategies: &[Strategy]) -> String {
    let mut text = String::new();
    for &strategy in strategies {
        let ratios = ratios(rows, strategy);
        if ratios.is_empty() {
            continue;
        }
        if text.is_empty() {
            text.push_str("\nGeometric mean of the ratios, workloads of 10 KiB and more:\n");
        }
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len() as f64).exp();
        let length = ((mean * UNIT).round() as usize).max(1);
        let (bar, end) = if length <= LONGEST {
            ("\u{2588}".repeat(length), "")
        } else {
            ("\u{2588}".repeat(LONGEST), "\u{2026}")
        };
        let (name, count) = (strategy.name(), ratios.len());
        let _ = writeln!(text, "{name:10}{:>8} of {count:2} {bar}{end}", figure(mean));
    }
    text
}

fn ratios(rows: &[Row], strategy: Strategy) -> Vec<f64> {
    let large = rows.iter().filter(|row| !row.is_small());
    large
        .filter_map(|row| {
            let (_, time) = row
                .times
                .iter()
                .find(|(other, _)| *other == strategy.name())?;
            Some(row.ratio(*time))
        })
        .collect()
}

/// Three digits, or all of a larger number.
fn figure(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

/// An array of objects, one for each workload and strategy.
#[must_use]
pub fn json(rows: &[Row]) -> String {
    let records = rows.iter().flat_map(|row| {
        row.times.iter().map(move |(strategy, time)| {
            format!(
                "  {{\"workload\": \"{}\", \"strategy\": \"{}\", \"ns\": {time:.3}, \"limit_ns\": {:.3}, \"traffic\": {:.4}, \
                 \"ratio\": {:.4}, \"spread\": {:.4}}}",
                row.name,
                strategy,
                row.limit,
                row.traffic,
                row.ratio(*time),
                row.spread
            )
        })
    });
    let records: Vec<_> = records.collect();
    format!("[\n{}\n]\n", records.join(",\n"))
}
