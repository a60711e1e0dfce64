//! Which directories are tests.
//!
//! A test directory holds a model, or what only a test has (data sets, numbered tensors, an expected error), so that one whose model
//! is missing is found and fails. The walk follows symbolic links but enters no directory twice.

use crate::error::{Fault, Result};
use crate::number;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The test directories at and below `roots`, in the order of their names.
pub fn test_directories(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting: Vec<PathBuf> = roots.iter().rev().cloned().collect();
    while let Some(directory) = waiting.pop() {
        if directory.is_file() {
            let what = "a file, no directory; name the one that holds it and its test data";
            return Err(Fault::Argument(what.into()).at(&directory));
        }
        let list = |error| Fault::File(format!("cannot list: {error}")).at(&directory);
        let real = directory.canonicalize().map_err(list)?;
        if !seen.insert(real) {
            continue;
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(&directory).map_err(list)? {
            names.push(entry.map_err(list)?.file_name());
        }
        names.sort();
        let is_test = names
            .iter()
            .any(|name| marks_a_test(&name.to_string_lossy()));
        for name in names.iter().rev() {
            let path = directory.join(name);
            let data = is_test && is_data_set(&name.to_string_lossy());
            if path.is_dir() && !data {
                waiting.push(path);
            }
        }
        if is_test {
            found.push(directory);
        }
    }
    found.sort();
    Ok(found)
}

fn marks_a_test(name: &str) -> bool {
    matches!(name, "model.onnx" | "model.xml" | "expect_error.txt")
        || is_data_set(name)
        || numbered(name, "input_").is_some()
        || numbered(name, "output_").is_some()
}

/// `test_data_set_0`.
pub fn is_data_set(name: &str) -> bool {
    name.strip_prefix("test_data_set_")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The number in `input_3.pb` or `input_3.npy`.
pub fn numbered(name: &str, prefix: &str) -> Option<usize> {
    let (digits, extension) = name.strip_prefix(prefix)?.split_once('.')?;
    matches!(extension, "pb" | "npy").then(|| number::number(digits))?
}

/// The numbered tensor files of a directory, in order.
///
/// # Errors
/// A number that is missing or there twice.
pub fn numbered_files(directory: &Path, prefix: &str) -> Result<Vec<PathBuf>, String> {
    let cannot = |error| format!("cannot list {}: {error}", directory.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        if let Some(number) = numbered(&name.to_string_lossy(), prefix) {
            files.push((number, directory.join(name)));
        }
    }
    files.sort();
    match files
        .iter()
        .enumerate()
        .find(|(at, (number, _))| at != number)
    {
        Some((at, _)) => Err(format!(
            "{prefix}{at} is missing, or another number is there twice"
        )),
        None => Ok(files.into_iter().map(|(_, path)| path).collect()),
    }
}
