//! Writes the bundled models of `examples/models`: `cargo run --example write_models [-- DIR]`.
//!
//! Each model is described once, in `models`, as a graph over values that carry their elements along: the builders in `onnx` and
//! `openvino` write a node and, in the same step, ask the naive oracle of the tests what comes out of it. So the expected outputs
//! come from plain loops that share no code with the compiler. Every byte follows from the description: a second run writes the
//! same files.
//!
//! ```text
//! NAME/model.onnx  NAME/test_data_set_K/input_N.pb  NAME/test_data_set_K/output_N.pb
//! NAME/model.xml   NAME/model.bin                   NAME/input_N.npy  NAME/output_N.npy
//! ```
//!
//! ONNX models come with two data sets of different sizes, because their dimensions are dynamic.

mod elements;
mod models;
#[path = "../../tests/suite/naive.rs"]
mod naive;
mod onnx;
mod openvino;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

/// A file below the directory of a model: its path and its bytes.
type File = (String, Vec<u8>);

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let folder = match (arguments.next(), arguments.next()) {
        (None, _) => Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models"),
        (Some(folder), None) => PathBuf::from(folder),
        (Some(_), Some(_)) => {
            eprintln!("error: one directory at most; usage: write_models [DIR]");
            return ExitCode::from(2);
        }
    };
    match write_all(&folder) {
        Ok((files, bytes)) => {
            println!("{files} files, {bytes} bytes in {}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: cannot write below {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes every model; the number of files and of their bytes.
fn write_all(folder: &Path) -> io::Result<(usize, usize)> {
    let mut files = vec![("README.md".to_string(), read_me().into_bytes())];
    for model in models::ONNX {
        files.extend(below(model.name, onnx::files(model)));
    }
    for model in models::OPENVINO {
        files.extend(below(model.name, openvino::files(model)));
    }
    for (path, bytes) in &files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, bytes)?;
    }
    let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum();
    Ok((files.len(), bytes))
}

fn below(model: &str, files: Vec<File>) -> impl Iterator<Item = File> {
    files
        .into_iter()
        .map(move |(path, bytes)| (format!("{model}/{path}"), bytes))
}

/// What the models are, for people who browse the directory.
fn read_me() -> String {
    let mut text = String::from(
        "# Bundled models\n\n\
         The data movement of real networks, cut out as small models with dynamic dimensions. Weights, inputs and sizes are\n\
         stand-ins; the operators follow each other as in the networks. ONNX models have two data sets of different sizes.\n\
         Written by `cargo run --example write_models`; the expected outputs come from the naive oracle of the tests.\n\n\
         | model | format | what it moves |\n|---|---|---|\n",
    );
    for model in models::ONNX {
        let (name, opset, about) = (model.name, model.opset, model.about);
        let _ = writeln!(text, "| {name} | ONNX, opset {opset} | {about} |");
    }
    for model in models::OPENVINO {
        let _ = writeln!(text, "| {} | OpenVINO IR | {} |", model.name, model.about);
    }
    text
}
