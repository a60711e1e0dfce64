//! What one test directory holds.

use super::walk::{is_data_set, numbered_files};
use crate::files;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of an `expect_error.txt` at most: a line, and notes.
const MOST_TEXT: u64 = 1 << 20;

/// A test directory.
#[derive(Debug)]
pub struct Case {
    pub model: PathBuf,
    pub sets: Vec<Set>,
    /// The refusal that must come, instead of outputs.
    pub refusal: Option<Refusal>,
}

/// Inputs, and the outputs that belong to them.
#[derive(Debug, Default)]
pub struct Set {
    /// The name of its directory.
    pub name: String,
    pub inputs: Vec<PathBuf>,
    pub outputs: Vec<PathBuf>,
}

/// What `expect_error.txt` says.
#[derive(Debug)]
pub struct Refusal {
    /// The name or code of the kind of error; any rule where it is not given.
    pub kind: Option<String>,
}

impl Case {
    /// Looks at a directory. The error says why it is not a complete test.
    pub fn open(directory: &Path) -> Result<Self, String> {
        let refusal = Refusal::read(&directory.join("expect_error.txt"))?;
        let (onnx, xml) = (directory.join("model.onnx"), directory.join("model.xml"));
        let model = match (onnx.exists(), xml.exists()) {
            (true, false) => onnx,
            (false, true) => xml,
            (false, false) => return Err("there is no model.onnx and no model.xml".into()),
            (true, true) => return Err("there are two models".into()),
        };
        let mut sets = Vec::new();
        for folder in data_sets(directory)? {
            sets.push(Set::read(&folder)?);
        }
        let own = Set::read(directory)?;
        if !own.inputs.is_empty() || !own.outputs.is_empty() {
            sets.push(own);
        }
        if refusal.is_none() {
            if sets.is_empty() {
                return Err(
                    "there is no test data (allowed: test_data_set_N/input_N.pb, input_N.npy)"
                        .into(),
                );
            }
            if sets.iter().any(|set| set.outputs.is_empty()) {
                return Err("there is no expected output".into());
            }
        }
        Ok(Self {
            model,
            sets,
            refusal,
        })
    }
}

impl Set {
    fn read(folder: &Path) -> Result<Self, String> {
        let name = folder.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().escape_debug().to_string(),
            inputs: numbered_files(folder, "input_")?,
            outputs: numbered_files(folder, "output_")?,
        })
    }
}

impl Refusal {
    fn read(path: &Path) -> Result<Option<Self>, String> {
        if !path.exists() {
            return Ok(None);
        }
        let name = path.display();
        if fs::metadata(path).is_ok_and(|metadata| metadata.len() > MOST_TEXT) {
            return Err(format!(
                "{name}: it is longer than {MOST_TEXT} bytes (allowed: a line such as kind=step-zero, and notes)"
            ));
        }
        let text = files::read(path, MOST_TEXT).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let first = text.lines().next().unwrap_or_default();
        let kind = first.trim().strip_prefix("kind=");
        Ok(Some(Self {
            kind: kind.map(|kind| kind.trim().to_string()),
        }))
    }
}

fn data_sets(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let cannot = |error| format!("cannot list the directory: {error}");
    let mut folders = Vec::new();
    for entry in fs::read_dir(directory).map_err(cannot)? {
        let name = entry.map_err(cannot)?.file_name();
        let path = directory.join(&name);
        if is_data_set(&name.to_string_lossy()) && path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}
