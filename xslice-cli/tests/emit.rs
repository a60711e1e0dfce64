//! Emitted files: formatted, compiled under strict lints in a crate of their own, and run against expected results that nothing of
//! xslice computed.

mod common;

use common::{Files, INT64, any, graph, list, model, refusal, text, xslice};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use xslice::{Element, ElementType, Tensor};
use xslice_cli::files::read_tensor;
use xslice_cli::import::{self, Options};
use xslice_cli::onnx::NodeProto;

/// Models in which the value of an input decides a shape.
const RUN_TIME_SHAPES: &[&str] = &["kv_cache_trim", "nhwc_crop", "position_ids"];

/// One call of an emitted function, and what it must give.
struct Call {
    path: String,
    is_fallible: bool,
    inputs: Vec<Tensor>,
    expected: Tensor,
}

/// A crate of emitted files whose program makes the calls.
struct Emitted {
    root: PathBuf,
    modules: Vec<String>,
    calls: Vec<Call>,
}

impl Emitted {
    /// Emits into the module `name`.
    fn file(&mut self, name: &str, args: &[String]) -> Result<String, String> {
        let path = self.root.join(format!("{name}.rs"));
        let mut command = vec!["emit".to_string()];
        command.extend_from_slice(args);
        command.extend(["-o".into(), path.display().to_string()]);
        let output = xslice(&command);
        if !output.status.success() {
            return Err(refusal(&output));
        }
        self.modules.push(name.to_string());
        Ok(std::fs::read_to_string(path).unwrap())
    }

    /// `program` is emitted; `expected` is of `inputs`.
    fn text(&mut self, program: &str, inputs: Vec<Tensor>, expected: Tensor) {
        let name = format!("text{}", self.modules.len());
        let source = self.file(&name, &[program.to_string()]).unwrap();
        self.calls.push(Call {
            path: format!("{name}::run"),
            is_fallible: source.contains("Result<"),
            inputs,
            expected,
        });
    }

    fn model(&mut self, folder: &Path) -> Result<(), String> {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (model, data, extension) = match folder.join("model.onnx") {
            onnx if onnx.exists() => (onnx, folder.join("test_data_set_0"), "pb"),
            _ => (folder.join("model.xml"), folder.to_path_buf(), "npy"),
        };
        let read = |kind: &str, at: usize, wanted| {
            let file = data.join(format!("{kind}_{at}.{extension}"));
            read_tensor(&file, wanted, u64::MAX).unwrap().1
        };
        let loaded = import::load(&model, &Options::default()).unwrap();
        let declared = |at: usize| loaded.inputs[at].element_type;
        let inputs: Vec<_> = (0..loaded.inputs.len())
            .map(|at| read("input", at, declared(at)))
            .collect();
        let mut args = vec![model.display().to_string()];
        for (input, value) in loaded.inputs.iter().zip(&inputs) {
            let dims: Vec<_> = value.shape().iter().map(usize::to_string).collect();
            args.extend([
                "--shape".into(),
                format!("{}={}", input.name, dims.join(",")),
            ]);
        }
        let source = self.file(name, &args)?;
        let functions = source
            .lines()
            .filter_map(|line| line.strip_prefix("pub fn "));
        let functions: Vec<_> = functions
            .map(|line| line.split('(').next().unwrap())
            .collect();
        assert_eq!(functions.len(), loaded.outputs.len(), "{source}");
        for (at, function) in functions.iter().enumerate() {
            let body = source.split(&format!("pub fn {function}(")).nth(1).unwrap();
            let head = body.split('{').next().unwrap();
            self.calls.push(Call {
                path: format!("{name}::{function}"),
                is_fallible: head.contains("Result<"),
                inputs: inputs.clone(),
                expected: read("output", at, None),
            });
        }
        Ok(())
    }

    fn main(&self) -> String {
        let mut main = String::from(MAIN);
        for module in &self.modules {
            let _ = writeln!(main, "mod {module};");
        }
        main.push_str("fn main() {\n");
        for (at, call) in self.calls.iter().enumerate() {
            let mut arguments = String::new();
            for (input, tensor) in call.inputs.iter().enumerate() {
                std::fs::write(self.root.join(format!("{at}.{input}")), tensor.bytes()).unwrap();
                let (from, _) = conversions(tensor.element_type());
                let _ = write!(arguments, "array(&read(\"{at}.{input}\", {from})), ");
            }
            let expected = &call.expected;
            let (_, to) = conversions(expected.element_type());
            let (path, shape, len) = (&call.path, expected.shape(), expected.len());
            let unwrap = if call.is_fallible { ".unwrap()" } else { "" };
            let _ = writeln!(
                main,
                "    assert_eq!({path}::SHAPE, {shape:?} as [usize; {}]);\n    let mut dst = vec![Default::default(); {len}];\n    \
                 {path}({arguments}dst.as_mut_slice().try_into().unwrap()){unwrap};\n    write(\"{at}.out\", &dst, {to});",
                shape.len()
            );
        }
        main + "}\n"
    }
}

/// The imports and conversions of the program.
const MAIN: &str = "#![deny(warnings, missing_docs, unsafe_code)]\n//! Calls every emitted function.\n\
fn read<T, const N: usize>(name: &str, from: fn([u8; N]) -> T) -> Vec<T> {\n    \
let bytes = std::fs::read(name).unwrap();\n    bytes.chunks_exact(N).map(|bytes| from(bytes.try_into().unwrap())).collect()\n}\n\
fn write<T: Copy, const N: usize>(name: &str, values: &[T], to: fn(T) -> [u8; N]) {\n    \
let bytes: Vec<u8> = values.iter().flat_map(|value| to(*value)).collect();\n    std::fs::write(name, bytes).unwrap();\n}\n\
fn array<T, const N: usize>(values: &[T]) -> &[T; N] {\n    values.try_into().unwrap()\n}\n";

/// How the program reads and writes elements.
fn conversions(ty: ElementType) -> (String, String) {
    match ty {
        ElementType::F16 | ElementType::Bf16 => (
            format!("|b| xslice::half::{ty}::from_bits(u16::from_le_bytes(b))"),
            "|v| v.to_bits().to_le_bytes()".into(),
        ),
        ElementType::Bool => ("|[b]| b != 0".into(), "|v| [u8::from(v)]".into()),
        plain => (
            format!("{plain}::from_le_bytes"),
            format!("{plain}::to_le_bytes"),
        ),
    }
}

fn run_in(folder: &Path, program: &str, args: &[&str]) -> (bool, String) {
    let output = Command::new(program)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .args(args)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    (
        output.status.success(),
        text(&output.stdout) + &text(&output.stderr),
    )
}

#[test]
fn emitted_files_are_formatted_compile_strictly_and_are_right() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted");
    std::fs::create_dir_all(&root).unwrap();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut emitted = Emitted {
        root: root.clone(),
        modules: Vec::new(),
        calls: Vec::new(),
    };
    let mut refused = Vec::new();
    let folders = std::fs::read_dir(workspace.join("examples/models")).unwrap();
    let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    for folder in &folders {
        if let Err(line) = emitted.model(folder) {
            assert!(
                line.contains("the shape of the result, and a function is for one shape"),
                "{line}"
            );
            refused.push(folder.file_name().unwrap().to_str().unwrap());
        }
    }
    assert_eq!(refused, RUN_TIME_SHAPES);
    texts(&mut emitted);
    println!("{} functions", emitted.calls.len());
    assert!(emitted.calls.len() >= 34, "{}", emitted.calls.len());

    if Command::new("rustfmt").arg("--version").output().is_ok() {
        let files = emitted.modules.iter().map(|name| format!("{name}.rs"));
        let mut args = vec!["--check".into(), "--edition=2024".into()];
        args.extend(files);
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let (is_formatted, difference) = run_in(&root, "rustfmt", &args);
        assert!(is_formatted, "{difference}");
    }
    std::fs::write(root.join("main.rs"), emitted.main()).unwrap();
    let manifest = format!(
        "[package]\nname = \"emitted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"emitted\"\npath = \"main.rs\"\n\n\
         [dependencies]\nxslice = {{ path = {workspace:?}, default-features = false, features = [\"macros\"] }}\n\n[workspace]\n"
    );
    std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(workspace.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    let (ran, said) = run_in(&root, env!("CARGO"), &["run", "--offline", "--quiet"]);
    assert!(ran, "{said}");
    for (at, call) in emitted.calls.iter().enumerate() {
        let bytes = std::fs::read(root.join(format!("{at}.out"))).unwrap();
        assert!(bytes == call.expected.bytes(), "{}", call.path);
    }
}

/// Elements 0, 1, 2, ... of a shape.
fn counted<T: Element>(shape: &[usize], element: impl Fn(usize) -> T) -> Tensor {
    let len = shape.iter().product();
    let elements: Vec<T> = (0..len).map(element).collect();
    Tensor::new(shape, &elements).unwrap()
}

/// A result of two dimensions by its formula.
fn table<T: Element>(shape: [usize; 2], element: impl Fn(usize, usize) -> T) -> Tensor {
    counted(&shape, |at| element(at / shape[1], at % shape[1]))
}

fn texts(emitted: &mut Emitted) {
    let f32s = |shape: &[usize]| counted(shape, |at| at as f32);
    let u8s = |shape: &[usize]| counted(shape, |at| (at % 251) as u8);
    let byte = |at: usize| (at % 251) as u8;
    emitted.text(
        "<f32[64, 768]> X[::-2, 128:256]",
        vec![f32s(&[64, 768])],
        table([32, 128], |i, j| ((63 - 2 * i) * 768 + 128 + j) as f32),
    );
    emitted.text(
        "<u8[11, 13, 4]> type[1:9, ::-1, 0:3]",
        vec![u8s(&[11, 13, 4])],
        counted(&[8, 13, 3], |at| {
            let (row, pixel, channel) = (at / 39, at / 3 % 13, at % 3);
            byte((row + 1) * 52 + (12 - pixel) * 4 + channel)
        }),
    );
    let ids = [-1i64, 0, 5, 99, -100, 7];
    emitted.text(
        "<f32[100, 16], ids: i64[2, 3]> table[@ids, :10]",
        vec![f32s(&[100, 16]), Tensor::new(&[2, 3], &ids).unwrap()],
        counted(&[2, 3, 10], |at| {
            (ids[at / 10].rem_euclid(100) as usize * 16 + at % 10) as f32
        }),
    );
    let picks: Vec<usize> = (0..40).map(|i| i * i % 97).collect();
    emitted.text(
        &format!("<u8[3, 97]> x[:, {picks:?}]"),
        vec![u8s(&[3, 97])],
        table([3, 40], |i, j| byte(i * 97 + picks[j])),
    );
    emitted.text(
        "<i64> onnx::Range@11(start = 10, limit = -9, delta = -2)",
        vec![],
        counted(&[10], |at| 10 - 2 * at as i64),
    );
    emitted.text(
        "<f32> onnx::Range@11(start = 0.5, limit = 64.5, delta = 0.25)",
        vec![],
        counted(&[256], |at| 0.5 + at as f32 * 0.25),
    );
    emitted.text(
        "<bool[7]> x[::-3]",
        vec![counted(&[7], |at| at == 3)],
        counted(&[3], |at| at == 1),
    );
    emitted.text(
        "<i16[4, 6]> x[1:3, ::2][::-1] |> onnx::Gather@13(indices = [0, 2], axis = 1)",
        vec![counted(&[4, 6], |at| at as i16)],
        Tensor::new(&[2, 2], &[12i16, 16, 6, 10]).unwrap(),
    );
    emitted.text("<f64[5, 0]> x[1:]", vec![f64s(&[5, 0])], f64s(&[4, 0]));
    // More look-ups than fit one nest, and nothing of them is read.
    emitted.text(
        &format!("<f64[2], i: i32[1]> x{}[:0]", "[@i]".repeat(10)),
        vec![f64s(&[2]), Tensor::new(&[1], &[0i32]).unwrap()],
        f64s(&[0]),
    );
    emitted.text(
        "<f64[4, 5]> x[3, -2]",
        vec![f64s(&[4, 5])],
        Tensor::scalar(18.0f64),
    );
}

fn f64s(shape: &[usize]) -> Tensor {
    counted(shape, |at| at as f64)
}

#[test]
fn a_file_says_what_it_is_and_prints_without_an_option() {
    let output = xslice(&["emit", "<f32[2, 3, 4]> x[1:, :, ::-1]"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for word in [
        "//! A program of xslice for fixed shapes",
        "/// `result`: f32 [1, 3, 4], from\n///\n/// - `x`: f32 [2, 3, 4]\n",
        "/// <f32[2, 3, 4]> x[1:, :, ::-1]\n",
        "pub fn run(x: &[f32; 24], dst: &mut [f32; 12]) {",
        "    dst[0] = x[15];\n",
        "pub const SHAPE: [usize; 3] = [1, 3, 4];",
    ] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    let explained = text(&xslice(&["explain", "<f32[4]> x[::-1]", "--code"]).stdout);
    assert!(
        explained.contains("fn run(x: &[f32; 4], dst: &mut [f32; 4]) {"),
        "{explained}"
    );
}

#[test]
fn what_no_function_can_do_is_one_line_with_a_next_step_and_no_file() {
    let files = Files::new();
    let out = files.path("y.rs").display().to_string();
    // A reshaped gather is no map of its own: a temporary lies between.
    let nodes = vec![
        NodeProto::new("Gather", "g", &["x", "ids"], &["rows"]),
        NodeProto::new("Reshape", "r", &["rows", "shape"], &["flat"]),
        NodeProto::new("Slice", "s", &["flat", "start", "end"], &["y"]),
    ];
    let lists = vec![
        list("shape", &[30, 1000]),
        list("start", &[1]),
        list("end", &[29]),
    ];
    let mut graph = graph(nodes, lists);
    graph.input.push(any("ids", INT64));
    let path = files
        .model("m.onnx", &model(13, graph))
        .display()
        .to_string();
    let shapes = ["--shape", "x=100,100", "--shape", "ids=300"];
    let line = refusal(&xslice(
        &[&["emit", &path, "-o", &out][..], &shapes].concat(),
    ));
    for word in ["m.onnx", "between its nests", "`Jit`", "E301"] {
        assert!(line.contains(word), "`{word}` is missing in: {line}");
    }
    let cases: &[(&str, &[&str])] = &[
        ("x[1:]", &["`<f32[2, 3]> x[1:]`"]),
        (
            "<f32[8], s: i64[1]> x |> onnx::Slice@13(starts = @s, ends = [7])",
            &["`s` decides the shape", "constant", "`Jit`", "E504"],
        ),
        ("<f32[3]> x[3]", &["E212"]),
        ("no/such/model.onnx", &["E501"]),
    ];
    for (program, words) in cases {
        let line = refusal(&xslice(&["emit", program, "-o", &out]));
        for word in *words {
            assert!(line.contains(word), "`{word}` is missing in: {line}");
        }
        assert_eq!(files.names(), ["m.onnx"]);
    }
    let nowhere = files.path("m.onnx/y.rs").display().to_string();
    let line = refusal(&xslice(&["emit", "<f32[3]> x[1:]", "-o", &nowhere]));
    assert!(line.contains("E501"), "{line}");
}

#[test]
fn a_text_is_the_same_whatever_vectors_the_machine_has_that_writes_it() {
    let texts = [
        // Runs of 32 bytes are a shuffle where vectors have 64.
        "<u8[64, 40]> x[:, :32]",
        "<f32[64, 4, 5]> x[:, ::2, :4]",
        "<f32[40, 4, 6]> x[:, [3, 0, 2], :4]",
        "<u8[1080, 1920, 4]> x[100:900, ::-1, 0:3]",
        "<u8[256, 3], ids: i32[480, 640]> x[@ids]",
        "<f32> onnx::Range@11(start = 0.5, limit = 6400, delta = 0.1)",
    ];
    for text in texts {
        let emitted = |level: &str| {
            let program = Command::new(env!("CARGO_BIN_EXE_xslice"))
                .args(["emit", text])
                .env("XSLICE_SIMD", level)
                .output()
                .unwrap();
            assert!(program.status.success(), "{text}");
            String::from_utf8(program.stdout).unwrap()
        };
        let scalar = emitted("scalar");
        for level in ["neon", "avx2", "avx512"] {
            assert_eq!(emitted(level), scalar, "{text} at {level}");
        }
    }
}
