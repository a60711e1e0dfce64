//! Figures for people and for programs.

use super::measure::Row;
use super::prepared::Strategy;
use std::fmt::Write as _;

/// Characters of a bar that is as long as the limit.
const UNIT: f64 = 10.0;

/// Characters of the longest bar.
const LONGEST: usize = 48;

/// The ratios of the workloads, the names of those that `--max-bytes` leaves out, then the mean of each strategy as a bar.
pub fn of_workloads(rows: &[Row], strategies: &[Strategy], too_large: &[&str]) -> String {
    let mut text = table(rows, strategies);
    if !too_large.is_empty() {
        let names = too_large.join(", ");
        let _ = writeln!(text, "Left out, larger than --max-bytes: {names}.");
    }
    text + &means(rows, strategies)
}

/// The ratios of one's own movements, what is left out and why, then the time of each by each strategy, with its ratio as a bar.
pub fn of_own(rows: &[Row], strategies: &[Strategy], left_out: &[String]) -> String {
    let mut text = table(rows, strategies);
    for line in left_out {
        let _ = writeln!(text, "Left out, {line}.");
    }
    text.push_str("\nTime of a call:\n");
    for row in rows {
        for strategy in strategies {
            let Some(time) = row.time(*strategy) else {
                continue;
            };
            let (name, shown) = (row.name.escape_debug().to_string(), duration(time));
            let bar = bar(row.ratio(time));
            let _ = writeln!(text, "{name:16}{:10}{shown:>8} {bar}", strategy.name());
        }
    }
    text
}

fn table(rows: &[Row], strategies: &[Strategy]) -> String {
    let mut text = format!(
        "{:16}{:>10}{:>11}{:>9}{:>8}",
        "workload", "bytes", "limit ns", "traffic", "spread"
    );
    for strategy in strategies {
        let _ = write!(text, "{:>11}", strategy.name());
    }
    text.push('\n');
    for row in rows {
        let small = if row.is_small() { " *" } else { "" };
        let name = format!("{}{small}", row.name.escape_debug());
        let _ = write!(
            text,
            "{name:16}{:>10}{:>11}{:>9.2}{:>8.2}",
            row.bytes,
            figure(row.limit),
            row.traffic,
            row.spread
        );
        for strategy in strategies {
            let ratio = row.time(*strategy).map(|time| figure(row.ratio(time)));
            let _ = write!(text, "{:>11}", ratio.as_deref().unwrap_or("-"));
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
    if cfg!(debug_assertions) {
        text.push_str(
            "This xslice was built without optimisation, which is no measure: build it with --release.\n",
        );
    }
    text
}

fn means(rows: &[Row], strategies: &[Strategy]) -> String {
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
        let (name, count, bar) = (strategy.name(), ratios.len(), bar(mean));
        let _ = writeln!(text, "{name:10}{:>8} of {count:2} {bar}", figure(mean));
    }
    text
}

/// A ratio as a bar; one that is too long ends in dots.
fn bar(ratio: f64) -> String {
    match ((ratio * UNIT).round() as usize).max(1) {
        length if length <= LONGEST => "\u{2588}".repeat(length),
        _ => "\u{2588}".repeat(LONGEST) + "\u{2026}",
    }
}

fn ratios(rows: &[Row], strategy: Strategy) -> Vec<f64> {
    let large = rows.iter().filter(|row| !row.is_small());
    large
        .filter_map(|row| Some(row.ratio(row.time(strategy)?)))
        .collect()
}

/// Nanoseconds for people.
fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => figure(ns) + " ns",
        ns if ns < 1e6 => figure(ns / 1e3) + " us",
        ns => figure(ns / 1e6) + " ms",
    }
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
                "  {{\"workload\": {}, \"strategy\": \"{}\", \"ns\": {time:.3}, \"limit_ns\": {:.3}, \"traffic\": {:.4}, \
                 \"ratio\": {:.4}, \"spread\": {:.4}}}",
                quoted(&row.name),
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

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
