//! What the tests share: small models, files, and the program as a user starts it.

#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use xslice::Tensor;
use xslice_cli::onnx::{
    GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto,
};
use xslice_cli::to_proto;

/// ONNX's numbers of element types.
pub const FLOAT: i32 = 1;
pub const INT64: i32 = 7;

/// A model of one graph.
pub fn model(opset: i64, graph: GraphProto) -> ModelProto {
    ModelProto {
        ir_version: 8,
        opset_import: vec![OperatorSetIdProto {
            domain: String::new(),
            version: opset,
        }],
        graph: Some(graph),
        ..ModelProto::default()
    }
}

/// A graph with an input `x` of floats of any shape and an output `y`.
pub fn graph(nodes: Vec<NodeProto>, initializers: Vec<TensorProto>) -> GraphProto {
    GraphProto {
        name: "test".into(),
        input: vec![any("x", FLOAT)],
        output: vec![any("y", FLOAT)],
        node: nodes,
        initializer: initializers,
        ..GraphProto::default()
    }
}

/// A value of which only the element type is declared.
pub fn any(name: &str, elem_type: i32) -> ValueInfoProto {
    let mut info = ValueInfoProto::tensor(name, elem_type, &[]);
    if let Some(tensor) = info.r#type.as_mut().and_then(|t| t.tensor_type.as_mut()) {
        tensor.shape = None;
    }
    info
}

/// An initializer of rank 1.
pub fn list(name: &str, values: &[i64]) -> TensorProto {
    to_proto(name, &Tensor::vector(values))
}

/// `0, 1, 2, ...` as f32.
pub fn iota(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|v| v as f32).collect();
    Tensor::new(shape, &values).unwrap()
}

/// `x[1:4]` as Slice-13 with constant parameters: the model that tests break.
pub fn slice_model() -> ModelProto {
    model(
        13,
        graph(
            vec![NodeProto::new("Slice", "cut", &["x", "s", "e"], &["y"])],
            vec![list("s", &[1]), list("e", &[4])],
        ),
    )
}

/// A directory that goes away with the test.
pub struct Files(TempDir);

impl Files {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn model(&self, name: &str, model: &ModelProto) -> PathBuf {
        self.write(name, model.encode_to_vec())
    }

    pub fn tensor(&self, name: &str, tensor: &Tensor) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        xslice_cli::files::write_tensor(&path, "", tensor).unwrap();
        path
    }

    pub fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }
}

pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn read(path: &Path) -> Tensor {
    xslice_cli::files::read_tensor(path, None, u64::MAX)
        .unwrap()
        .1
}

/// The program, with these arguments.
pub fn xslice<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xslice"))
        .args(args)
        .output()
        .unwrap()
}

/// The program, with an address space of `kib` KiB.
pub fn xslice_within(kib: u64, args: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    let limit = format!("ulimit -v {kib} && exec \"$@\"");
    let program = ["-c", &limit, "sh", env!("CARGO_BIN_EXE_xslice")];
    shell.args(program).args(args).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The line that refuses: exit code 1, nothing on standard output, one line on standard error.
pub fn refusal(output: &Output) -> String {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        error.starts_with("error: ") && error.ends_with("]\n"),
        "{error}"
    );
    error
}

/// Runs a model on `x.npy` into a directory, and expects every one of `words` in the refusal and no file.
pub fn refused(model: &ModelProto, x: &Tensor, words: &[&str]) -> String {
    let files = Files::new();
    let path = files.model("m.onnx", model);
    let input = format!("x={}", files.tensor("x.npy", x).display());
    let out = files.path("out");
    let args = [
        "run".as_ref(),
        path.as_os_str(),
        "--input".as_ref(),
        input.as_ref(),
        "--output-dir".as_ref(),
        out.as_os_str(),
    ];
    let line = refusal(&xslice(&args));
    assert_eq!(files.names(), ["m.onnx", "x.npy"], "{line}");
    for word in words {
        assert!(line.contains(word), "`{word}` is missing in: {line}");
    }
    line
}

/// Every output of a model on inputs by name, on every engine.
pub fn run_model(model: &ModelProto, inputs: &[(&str, Tensor)]) -> Result<Vec<Tensor>, String> {
    use xslice_cli::{call::Call, engine, import};
    let options = import::Options::default();
    let bytes = model.encode_to_vec();
    let model =
        import::onnx::import(&bytes, Path::new("."), &options).map_err(|e| e.to_string())?;
    let values = model.inputs.iter().map(|input| {
        let given = inputs.iter().find(|(name, _)| *name == input.name);
        given.map(|(_, tensor)| tensor.clone().into())
    });
    let call =
        Call::bind(&model, values.collect(), options.max_bytes).map_err(|e| e.to_string())?;
    let mut results = engine::Kind::ALL.map(|kind| {
        let mut engine = engine::Engine::new(kind);
        call.run_all(&mut engine, &model).map_err(|e| e.to_string())
    });
    for result in &results[1..] {
        assert_eq!(*result, results[0], "the engines differ");
    }
    std::mem::replace(&mut results[0], Ok(Vec::new()))
}

/// The only output of [`run_model`].
pub fn run_one(model: &ModelProto, inputs: &[(&str, Tensor)]) -> Tensor {
    let mut outputs = run_model(model, inputs).unwrap();
    assert_eq!(outputs.len(), 1);
    outputs.remove(0)
}

/// A small generator of random numbers with a seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// The same bytes, damaged: cut, with flipped bits, with bytes replaced or inserted.
    pub fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes.truncate(at),
                1 | 2 => bytes[at] ^= 1 << self.below(8),
                3 => bytes[at] = self.next() as u8,
                _ => bytes.insert(at, self.next() as u8),
            }
        }
        bytes
    }
}
