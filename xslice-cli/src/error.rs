//! What the command line refuses, as one line.
//!
//! Refusals of operators come from the library and keep its words and codes (`E1..` to `E4..`). What lies outside it (files, the
//! structure of a model, the arguments of a command) has the codes `E5..`, decided here, together with the promise that an
//! error is one printable line, whatever names a file holds.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use xslice::breaks_line;

/// Shorthand for the results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong, without the file it is in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The operating system refused to read or write.
    #[error("{0} [E501 file]")]
    File(String),
    /// The bytes do not follow the format of the file.
    #[error("{0} [E502 format]")]
    Format(String),
    /// The parts of a model do not fit together; the node or layer, if one is to blame.
    #[error("{}{what} [E503 model]", place(.node.as_deref()))]
    Model {
        /// The node or layer.
        node: Option<String>,
        /// What is wrong with it.
        what: String,
    },
    /// The model is in order but holds what xslice does not compile.
    #[error("{}{what} [E504 outside-scope]", place(.node.as_deref()))]
    OutsideScope {
        /// The node or layer.
        node: Option<String>,
        /// What is outside.
        what: String,
    },
    /// An argument of the command does not fit the model or the files.
    #[error("{0} [E505 argument]")]
    Argument(String),
    /// The library refused.
    #[error("{part}{error}")]
    Refused {
        /// The part of the file that is to blame, if it is no node: the error names that itself.
        part: String,
        /// The refusal.
        error: xslice::Error,
    },
}

/// What a larger limit is asked for with.
const RAISE: &str = "--max-bytes raises the limit";

impl From<xslice::Error> for Fault {
    fn from(error: xslice::Error) -> Self {
        // The library knows a limit, and not that it came from an option.
        let is_limit = error.hint_text() == Some(xslice::Signature::RAISE_LIMIT);
        Self::Refused {
            part: String::new(),
            error: if is_limit { error.hint(RAISE) } else { error },
        }
    }
}

fn place(node: Option<&str>) -> String {
    node.map_or_else(String::new, |node| {
        format!("node `{}`: ", node.escape_debug())
    })
}

impl Fault {
    /// A fault in the structure of a model.
    pub fn model(node: Option<&str>, what: impl Into<String>) -> Self {
        let node = node.map(String::from);
        let what = what.into();
        Self::Model { node, what }
    }

    /// Something that xslice does not compile.
    pub fn outside_scope(node: Option<&str>, what: impl Into<String>) -> Self {
        let node = node.map(String::from);
        let what = what.into();
        Self::OutsideScope { node, what }
    }

    /// The same fault, naming the part of the file that it is in: `kind` is such as "initializer".
    #[must_use]
    pub fn within(self, kind: &str, name: &str) -> Self {
        let say = |what: String| format!("{kind} `{}`: {what}", name.escape_debug());
        match self {
            Self::File(what) => Self::File(say(what)),
            Self::Format(what) => Self::Format(say(what)),
            Self::Argument(what) => Self::Argument(say(what)),
            Self::Model { node, what } => Self::Model {
                node,
                what: say(what),
            },
            Self::OutsideScope { node, what } => Self::OutsideScope {
                node,
                what: say(what),
            },
            Self::Refused { part, error } if kind == "node" => Self::Refused {
                part,
                error: error.node(name),
            },
            Self::Refused { part, error } => Self::Refused {
                part: say(part),
                error,
            },
        }
    }

    /// The same fault, in this file.
    #[must_use]
    pub fn at(self, path: &Path) -> Error {
        Error {
            path: Some(path.to_path_buf()),
            fault: self,
        }
    }
}

/// A fault and the file it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    path: Option<PathBuf>,
    fault: Fault,
}

impl Error {
    /// An argument that does not fit.
    pub fn argument(what: impl Into<String>) -> Self {
        Fault::Argument(what.into()).into()
    }

    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The file, if one is to blame.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The same error, naming the part of the file that it is in.
    #[must_use]
    pub fn within(self, kind: &str, name: &str) -> Self {
        Self {
            path: self.path,
            fault: self.fault.within(kind, name),
        }
    }

    /// The same error, in this file. The first file named stays.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_path_buf());
        self
    }
}

impl<F: Into<Fault>> From<F> for Error {
    fn from(fault: F) -> Self {
        Self {
            path: None,
            fault: fault.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = OneLine(f);
        if let Some(path) = &self.path {
            write!(line, "{}: ", shortened(path.display().to_string()))?;
        }
        line.write_str(&shortened(self.fault.to_string()))
    }
}

impl std::error::Error for Error {}

/// The beginning and the end of a path or a message: names and values in it are as long as a file makes them. The end says the rule.
fn shortened(text: String) -> String {
    const BEGINNING: usize = 600;
    const END: usize = 300;
    let beginning = text.char_indices().nth(BEGINNING).map(|(at, _)| at);
    let end = text.char_indices().rev().nth(END).map(|(at, _)| at);
    match (beginning, end) {
        (Some(beginning), Some(end)) if beginning < end => {
            format!("{} ... {}", &text[..beginning], &text[end..])
        }
        _ => text,
    }
}

/// Text on its way to a terminal: control characters are escaped, so that it stays one line.
struct OneLine<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(breaks_line) {
            let plain = part.trim_end_matches(breaks_line);
            self.0.write_str(plain)?;
            for control in part[plain.len()..].chars() {
                write!(self.0, "{}", control.escape_default())?;
            }
        }
        Ok(())
    }
}

/// A refusal of `bytes` bytes where `limit` are allowed.
#[must_use]
pub fn too_large(what: &str, bytes: u64, limit: u64) -> Fault {
    let text = format!("{what} takes {bytes} bytes");
    xslice::Error::new(xslice::ErrorKind::TooLarge, text)
        .value(bytes)
        .allowed(format!("0..={limit} bytes"))
        .hint(RAISE)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        let fault = Fault::model(Some("n"), "\u{e9}".repeat(1_000_000));
        let text = fault.at(Path::new("m.onnx")).to_string();
        assert!(text.chars().count() < 1000, "{}", text.len());
        assert!(text.starts_with("m.onnx: node `n`: \u{e9}"), "{text}");
        assert!(text.ends_with("\u{e9} [E503 model]"), "{text}");
    }

    #[test]
    fn an_error_is_one_line_whatever_a_name_holds() {
        let fault = Fault::model(Some("a\nb\u{1b}[0m"), "x\r\ny\u{2028}z");
        let text = fault.at(Path::new("m\n.onnx")).to_string();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains(['\u{1b}', '\u{2028}']), "{text}");
        assert!(text.ends_with("[E503 model]"), "{text}");
    }
}
