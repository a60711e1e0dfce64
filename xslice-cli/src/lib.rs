//! The parts of the xslice command line: importers of ONNX and OpenVINO models, tensor files, and the commands.
//!
//! `xslice` the program is a thin shell around [`main`]. The library is for programs and tests that read or write models: the ONNX
//! messages are in [`onnx`], tensor files in [`files`], models as programs in [`import`].

#![forbid(unsafe_code)]

pub mod bench;
pub mod call;
pub mod check;
mod cli;
mod coordinates;
mod emit;
pub mod engine;
mod error;
mod explain;
pub mod files;
mod guard;
pub mod import;
mod index;
mod npy;
mod number;
mod pb;
mod png;
mod request;
mod run;
mod scalar;
mod table;
mod wire;

pub use cli::main;
pub use error::{Error, Fault, Result};
pub use import::onnx::proto as onnx;
pub use pb::{element_type, to_proto, type_number};
