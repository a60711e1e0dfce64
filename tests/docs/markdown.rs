//! As much of Markdown as the documents use: tables, and code in their cells.

use std::collections::HashMap;

/// A row of a table, by the heads of its columns.
pub type Row = HashMap<String, String>;

/// The rows of every table that has these columns.
pub fn rows(text: &str, columns: &[&str]) -> Vec<Row> {
    let mut found = Vec::new();
    let mut heads: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(cells) = cells(line) else {
            heads.clear();
            continue;
        };
        if heads.is_empty() {
            heads = cells;
        } else if !cells.iter().all(|cell| cell.starts_with("---"))
            && columns
                .iter()
                .all(|&column| heads.iter().any(|head| head == column))
        {
            assert_eq!(cells.len(), heads.len(), "{line}");
            found.push(heads.iter().cloned().zip(cells).collect());
        }
    }
    found
}

/// The cells of a line of a table; `\|` is a bar inside one.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let bars = inner.replace("\\|", "\0");
    let cells = bars.split('|').map(|cell| cell.trim().replace('\0', "|"));
    Some(cells.collect())
}

/// The code of a cell: what stands between backticks, or between double ones.
pub fn code(cell: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = cell;
    while let Some(start) = rest.find('`') {
        let fence = if rest[start..].starts_with("``") {
            "``"
        } else {
            "`"
        };
        let inner = &rest[start + fence.len()..];
        let Some(end) = inner.find(fence) else { break };
        found.push(inner[..end].trim());
        rest = &inner[end + fence.len()..];
    }
    found
}
