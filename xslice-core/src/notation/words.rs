//! Words for refusals: tokens cut to a line, and the name that was probably meant.

pub(super) use crate::error::cut;

use crate::error::Error;
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// Names longer than this are not compared.
const COMPARED: usize = 32;

/// The candidate nearest to `name`, if one is near enough to be meant. The first of equals.
pub(super) fn nearest<'c>(
    name: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    if name.len() > COMPARED {
        return None;
    }
    let folded = name.to_lowercase();
    candidates
        .take(COMPARED)
        .filter(|candidate| candidate.len() <= COMPARED)
        .map(|candidate| (distance(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The refusal of a name, with the one that was probably meant.
pub(super) fn meant(error: Error, near: Option<&str>) -> Error {
    match near {
        Some(near) => error.hint(format!("`{near}` is nearest")),
        None => error,
    }
}

/// The element type that a name of another library stands for, else the nearest name.
pub(super) fn nearest_type<'c>(
    name: &str,
    names: impl Iterator<Item = &'c str> + Clone,
) -> Option<&'c str> {
    let meant = match name.to_lowercase().as_str() {
        "float" | "single" => "f32".to_string(),
        "double" => "f64".to_string(),
        "half" => "f16".to_string(),
        "bfloat" | "bfloat16" => "bf16".to_string(),
        "long" | "int" | "isize" => "i64".to_string(),
        "usize" | "uint" | "ulong" => "u64".to_string(),
        "byte" | "char" => "u8".to_string(),
        "boolean" | "bool_" => "bool".to_string(),
        "str" | "object" | "text" => "string".to_string(),
        // The families of NumPy: complex64 is a pair of f32, here c64.
        lower => [
            ("float", "f"),
            ("uint", "u"),
            ("int", "i"),
            ("complex", "c"),
        ]
        .iter()
        .find_map(|(long, short)| {
            let rest = lower.strip_prefix(long)?;
            Some(String::from(*short) + rest.trim_start_matches('_'))
        })
        .unwrap_or_default(),
    };
    names
        .clone()
        .find(|known| *known == meant)
        .or_else(|| nearest(name, names))
}

/// Levenshtein's distance: characters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The words, comma-separated: what is allowed.
pub(super) fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}
