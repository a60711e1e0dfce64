//! What a fuzzer calls: each takes any bytes and panics where a promise is broken.

use crate::agree::{Tally, check};
use crate::suite::rng::Rng;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xslice::{Error, Program, Signature, Tensor};
use xslice_cli::call::Call;
use xslice_cli::engine::{Engine, Kind};
use xslice_cli::files;
use xslice_cli::import::{Model, Options, onnx as onnx_import, openvino as openvino_import};

/// No result, file or constant is larger.
const LIMIT: usize = 1 << 20;

/// A chain of operators that the bytes decide: the oracle, the interpreter, the runner at every level and the JIT agree bit for bit, or refuse alike.
pub fn programs(data: &[u8]) {
    check(
        "a fuzzed chain",
        &mut Rng::from_bytes(data),
        &mut Tally::default(),
    );
}

/// A text: parsed or refused; what is parsed prints as a text of the same meaning, and every engine gives the same.
pub fn notation(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(program) = Program::parse(&text) else {
        return;
    };
    let printed = program.to_string();
    match Program::parse(&printed) {
        Ok(again) => assert_eq!(again.to_string(), printed),
        Err(error) => panic!("`{text}` prints as `{printed}`, which is refused: {error}"),
    }
    let operands = program.operands().iter().map(|operand| {
        let declared = operand.declared.as_ref()?;
        let shape: Option<Vec<usize>> = declared.shape.clone()?.into_iter().collect();
        zeros(declared.element_type, &shape?)
    });
    let Some(operands) = operands.collect::<Option<Vec<_>>>() else {
        return;
    };
    agree(&program, operands);
}

/// The bytes of an ONNX file.
pub fn onnx(data: &[u8]) {
    if let Ok(model) = onnx_import::import(data, Path::new("/nonexistent"), &options()) {
        run(&model);
    }
}

/// The text of an OpenVINO IR, and after a byte 0 what its `.bin` holds.
pub fn openvino(data: &[u8]) {
    let split = data
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(data.len());
    let (text, bin) = data.split_at(split);
    let file = bin_file();
    std::fs::write(&file, bin.get(1..).unwrap_or(&[])).expect("a temporary file");
    let imported = openvino_import::import(&String::from_utf8_lossy(text), &file, &options());
    std::fs::remove_file(&file).expect("it was written");
    if let Ok(model) = imported {
        run(&model);
    }
}

/// A tensor file: `.npy` where the bytes begin as one, `.pb` otherwise. What is read is written as a file that reads the same.
pub fn tensors(data: &[u8]) {
    let name = if data.starts_with(b"\x93NUMPY") {
        "x.npy"
    } else if data.starts_with(b"\x89PNG") {
        "x.png"
    } else {
        "x.pb"
    };
    let path = Path::new(name);
    let Ok((name, tensor)) = files::decode(path, data.to_vec(), None, LIMIT as u64) else {
        return;
    };
    let Ok(bytes) = files::encode(path, &name, &tensor) else {
        assert_eq!(path, Path::new("x.npy"), "{tensor:?}");
        return;
    };
    let (_, again) = files::decode(path, bytes, None, LIMIT as u64).expect("what was written");
    assert_eq!(again, tensor);
}

fn options() -> Options {
    Options {
        max_bytes: LIMIT as u64,
        ..Options::default()
    }
}

/// A file of this thread's own.
fn bin_file() -> PathBuf {
    let thread = std::thread::current().id();
    std::env::temp_dir().join(format!("xslice-fuzz-{}-{thread:?}.bin", std::process::id()))
}

fn zeros(ty: xslice::ElementType, shape: &[usize]) -> Option<Arc<Tensor>> {
    let count = shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim));
    count.filter(|count| *count < 4096)?;
    Tensor::zeros(ty, shape).ok().map(Arc::new)
}

/// Runs a model on zeros: an unknown dimension is 2, or what its bounds allow.
fn run(model: &Model) {
    let inputs = model.inputs.iter().map(|input| {
        let dims = input.dimensions.as_ref()?.iter();
        let shape: Vec<usize> = dims.map(|dim| dim.size_near(2)).collect();
        zeros(input.element_type?, &shape)
    });
    let Ok(call) = Call::bind(model, inputs.collect(), LIMIT as u64) else {
        return;
    };
    let [first, others @ ..] = Kind::ALL.map(|kind| call.run_all(&mut Engine::new(kind), model));
    for other in others {
        assert_same(&first, &other);
    }
}

fn agree(program: &Program, operands: Vec<Arc<Tensor>>) {
    let call = Call::new(operands, LIMIT as u64);
    let [first, others @ ..] = Kind::ALL.map(|kind| {
        let result = call.run(&mut Engine::new(kind), program);
        result.map(|tensor| vec![tensor])
    });
    for other in others {
        assert_same(&first, &other);
    }
    // Shapes alone are refused or known alike.
    let _ = program.output_type(&Signature::new());
}

/// Bit for bit, NaNs included.
fn assert_same(a: &Result<Vec<Tensor>, Error>, b: &Result<Vec<Tensor>, Error>) {
    match (a, b) {
        (Ok(a), Ok(b)) => assert_eq!(a, b),
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        _ => panic!("{a:?}\nbut another engine {b:?}"),
    }
}
