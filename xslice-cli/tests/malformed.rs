//! Damaged files never panic: thousands of cut and flipped models and tensors, from a fixed seed.
//!
//! What still loads is run too, on two engines that must agree.

mod common;

use common::{Files, Random, graph, iota, list, model};
use std::path::Path;
use xslice::{ElementType, Tensor};
use xslice_cli::call::Call;
use xslice_cli::engine::{Engine, Kind};
use xslice_cli::import::{self, Dimension, Model, Options};
use xslice_cli::onnx::{
    AttributeProto, Message, ModelProto, NodeProto, StringStringEntryProto, ValueInfoProto,
};
use xslice_cli::{files, to_proto};

const LIMIT: u64 = 1 << 20;

/// `XSLICE_TEST_ROUNDS=100` makes every loop here so many times longer.
fn rounds(count: usize) -> usize {
    let factor = std::env::var("XSLICE_TEST_ROUNDS").ok();
    count * factor.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn options() -> Options {
    Options {
        max_bytes: LIMIT,
        ..Options::default()
    }
}

/// Runs a model on zeros where its inputs have static shapes; says whether it ran.
fn run(model: &Model) -> bool {
    let inputs = model.inputs.iter().map(|input| {
        let sizes = input.dimensions.as_ref()?.iter().map(Dimension::size);
        let shape: Option<Vec<usize>> = sizes.collect();
        let shape = shape.filter(|shape| {
            let count = shape.iter().try_fold(1usize, |n, &dim| n.checked_mul(dim));
            count.is_some_and(|count| count < 4096)
        })?;
        let zeros = Tensor::zeros(input.element_type?, &shape).ok()?;
        Some(zeros.into())
    });
    let Ok(call) = Call::bind(model, inputs.collect(), LIMIT) else {
        return false;
    };
    let interp = call.run_all(&mut Engine::new(Kind::Interp), model);
    let runner = call.run_all(&mut Engine::new(Kind::Runner), model);
    assert_eq!(interp, runner);
    interp.is_ok()
}

fn seeds() -> Vec<ModelProto> {
    let mut dynamic = common::slice_model();
    let mut chain = model(
        13,
        graph(
            vec![
                NodeProto::new("Constant", "c", &[], &["i"])
                    .with(AttributeProto::tensor("value", list("", &[1, 0, -1]))),
                NodeProto::new("Gather", "g", &["x", "i"], &["a"])
                    .with(AttributeProto::int("axis", 1)),
                NodeProto::new("Slice", "s", &["a", "from", "to", "", "step"], &["b"]),
                NodeProto::new("Unsqueeze", "u", &["b", "zero"], &["y"]),
            ],
            vec![
                list("from", &[3]),
                list("to", &[-9]),
                list("step", &[-2]),
                list("zero", &[0]),
            ],
        ),
    );
    let mut range = model(
        11,
        graph(
            vec![NodeProto::new("Range", "r", &["a", "b", "c"], &["y"])],
            vec![
                to_proto("a", &Tensor::scalar(0.0f32)),
                to_proto("b", &Tensor::scalar(10.0f32)),
                to_proto("c", &Tensor::scalar(0.5f32)),
            ],
        ),
    );
    for model in [&mut dynamic, &mut chain, &mut range] {
        let graph = model.graph.as_mut().unwrap();
        graph.input[0] = ValueInfoProto::tensor("x", 1, &[6.into(), 4.into()]);
    }
    vec![dynamic, chain, range]
}

#[test]
fn damaged_onnx_models() {
    let mut random = Random(0x5eed_0001);
    let (mut loaded, mut ran) = (0, 0);
    for seed in seeds() {
        let bytes = seed.encode_to_vec();
        let model = import::onnx::import(&bytes, Path::new("."), &options()).unwrap();
        assert!(run(&model));
        for _ in 0..rounds(2000) {
            let damaged = random.damage(&bytes);
            match import::onnx::import(&damaged, Path::new("."), &options()) {
                Ok(model) => {
                    loaded += 1;
                    ran += usize::from(run(&model));
                }
                Err(error) => assert_eq!(error.to_string().lines().count(), 1),
            }
        }
    }
    println!("{} tried, {loaded} loaded, {ran} ran", rounds(6000));
    assert!(
        loaded > 100 && ran > 100,
        "the damage is too great to test anything"
    );
}

#[test]
fn every_cut_of_an_onnx_model() {
    let bytes = common::slice_model().encode_to_vec();
    for len in 0..bytes.len() {
        let _ = import::onnx::import(&bytes[..len], Path::new("."), &options());
    }
}

#[test]
fn protobuf_that_nests_deeply_is_an_error() {
    // A group in a group in a group, in a field that is skipped.
    let mut bytes = vec![0x7b; 1_000_000];
    bytes.extend(vec![0x7c; 1_000_000]);
    assert!(import::onnx::import(&bytes, Path::new("."), &options()).is_err());
}

/// A message in a field that holds messages.
fn field(tag: u8, message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag << 3 | 2];
    let mut len = message.len();
    while len >= 0x80 {
        bytes.push(len as u8 | 0x80);
        len >>= 7;
    }
    bytes.push(len as u8);
    bytes.extend_from_slice(message);
    bytes
}

#[test]
fn messages_that_decode_into_many_times_their_bytes() {
    let empty = |tag: u8, count: usize| [tag << 3 | 2, 0].repeat(count);
    let node = |attributes: Vec<u8>| field(7, &field(1, &attributes));
    // Where the address space is smaller than what decoding takes, that is the refusal.
    let (plenty, little) = (4 << 20, 256 << 10);
    let cases = [
        (
            "nodes.onnx",
            plenty,
            field(7, &empty(1, 5_000_000)),
            "fields",
        ),
        (
            "attributes.onnx",
            plenty,
            node(empty(5, 5_000_000)),
            "fields",
        ),
        ("entries.pb", plenty, empty(13, 5_000_000), "fields"),
        ("fewer.onnx", little, node(empty(5, 300_000)), "no memory"),
        ("names.onnx", little, node(empty(1, 300_000)), "no memory"),
        (
            "functions.onnx",
            little,
            [0xca, 1, 0].repeat(300_000),
            "no memory",
        ),
        ("strings.pb", little, empty(6, 3_000_000), "no memory"),
        (
            "numbers.pb",
            little,
            field(7, &[1; 12_000_000]),
            "no memory",
        ),
        (
            "unpacked.pb",
            little,
            [0x38, 1].repeat(12_000_000),
            "no memory",
        ),
    ];
    let files = Files::new();
    for (name, kib, bytes, word) in cases {
        let path = files.write(name, bytes);
        let path = path.to_str().unwrap();
        let args = match name.ends_with("onnx") {
            true => ["run", path].to_vec(),
            false => ["index", "x", path].to_vec(),
        };
        let line = common::refusal(&common::xslice_within(kib, &args));
        assert!(line.contains(word), "{name}: {line}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn numbers_and_strings_of_a_file_count_before_they_are_decoded() {
    let files = Files::new();
    for (name, bytes) in [
        ("numbers.pb", field(7, &[1; 200_000])),
        ("strings.pb", [0x32, 0].repeat(50_000)),
    ] {
        let path = files.write(name, bytes);
        let line = files::read_tensor(&path, None, LIMIT).unwrap_err();
        assert!(line.to_string().contains("strings decoded"), "{line}");
    }
}

const IR: &str = r#"<?xml version="1.0"?>
<net name="t" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="6,4" element_type="f32"/><output><port id="0" precision="FP32" names="x"><dim>6</dim><dim>4</dim></port></output></layer>
<layer id="1" name="a" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/><output><port id="0"/></output></layer>
<layer id="2" name="b" type="Const" version="opset1"><data element_type="i64" shape="2" offset="16" size="16"/><output><port id="0"/></output></layer>
<layer id="3" name="c" type="StridedSlice" version="opset1"><data begin_mask="0,1" end_mask="0,0" new_axis_mask="0" shrink_axis_mask="0,0,0" ellipsis_mask=""/><input><port id="0"/><port id="1"/><port id="2"/></input><output><port id="3"/></output></layer>
<layer id="4" name="d" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/><edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="2"/><edge from-layer="3" from-port="3" to-layer="4" to-port="0"/>
</edges></net>
"#;

#[test]
fn damaged_irs() {
    let files = Files::new();
    let bin: Vec<u8> = [1i64, 0, 5, 3]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let path = files.write("m.bin", bin);
    let model = import::openvino::import(IR, &path, &options()).unwrap();
    assert!(run(&model));
    let mut random = Random(0x5eed_0002);
    let (mut loaded, mut ran) = (0, 0);
    for _ in 0..rounds(6000) {
        let damaged = random.damage(IR.as_bytes());
        let text = String::from_utf8_lossy(&damaged);
        match import::openvino::import(&text, &path, &options()) {
            Ok(model) => {
                loaded += 1;
                ran += usize::from(run(&model));
            }
            Err(error) => assert_eq!(error.to_string().lines().count(), 1),
        }
    }
    println!("{} tried, {loaded} loaded, {ran} ran", rounds(6000));
    assert!(
        loaded > 100 && ran > 100,
        "the damage is too great to test anything"
    );
}

#[test]
fn xml_that_nests_deeply_is_no_overflow() {
    let deep = format!("<net version=\"11\">{}", "<layers>".repeat(500_000));
    let bin = Path::new("none.bin");
    assert!(import::openvino::import(&deep, bin, &options()).is_err());
    let closed = format!("{deep}{}</net>", "</layers>".repeat(500_000));
    assert!(import::openvino::import(&closed, bin, &options()).is_err());
}

#[test]
fn damaged_tensor_files() {
    let files = Files::new();
    let tensor = iota(&[3, 4]);
    let strings = Tensor::new(&[2], &["a".to_string(), "bc".to_string()]).unwrap();
    let image = Tensor::new(&[2, 3, 4], &[7u8; 24]).unwrap();
    let mut random = Random(0x5eed_0003);
    let mut read = 0;
    for (name, tensor) in [
        ("a.npy", &tensor),
        ("a.pb", &tensor),
        ("b.pb", &strings),
        ("c.png", &image),
    ] {
        let path = files.tensor(name, tensor);
        let bytes = std::fs::read(&path).unwrap();
        for round in 0..rounds(1500) {
            let damaged = match round {
                cut if cut < bytes.len() => bytes[..cut].to_vec(),
                _ => random.damage(&bytes),
            };
            std::fs::write(&path, damaged).unwrap();
            match files::read_tensor(&path, Some(ElementType::Bf16), LIMIT) {
                Ok(_) => read += 1,
                Err(error) => assert_eq!(error.to_string().lines().count(), 1),
            }
        }
    }
    assert!(read > 100, "the damage is too great to test anything");
}

#[test]
fn npy_headers_that_promise_too_much() {
    let files = Files::new();
    let headers = [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (4611686018427387904, 4611686018427387904, 0), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1), }",
        "{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } tail",
        "{{{{{{{{{{{{{{{{",
        "",
    ];
    let mut empty = 0;
    for header in headers {
        let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        let path = files.write("a.npy", &bytes);
        match files::read_tensor(&path, None, LIMIT) {
            Ok((_, tensor)) => empty += usize::from(tensor.is_empty()),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        }
    }
    // Beside a 0 no dimension is too large.
    assert_eq!(empty, 1);
}

/// The refusal of a file that is small and would take minutes if it were not refused, within seconds.
fn refused_at_once(refusal: impl FnOnce() -> String, word: &str) {
    let start = std::time::Instant::now();
    let line = refusal();
    assert!(line.contains(word), "`{word}` is missing in: {line}");
    assert!(line.lines().count() == 1 && line.len() < 2000, "{line}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn irs_that_ask_for_time_beyond_their_length() {
    let numbered = |count: usize, text: &str| -> String {
        (0..count)
            .map(|n| text.replace('N', &n.to_string()))
            .collect()
    };
    let attributes = numbered(100_000, " aN=\"1\"");
    let spaces = numbered(100_000, " xmlns:aN=\"bN\"");
    let ports = numbered(100_000, "<port id=\"N\"/>");
    let cases = [
        (
            IR.replace("begin_mask", &format!("{attributes} b")),
            "attributes",
        ),
        (
            IR.replace("<net ", &format!("<net {spaces} ")),
            "name spaces",
        ),
        (
            IR.replace("<port id=\"2\"/></input>", &format!("{ports}</input>")),
            "twice",
        ),
        (
            IR.replace("<port id=\"3\"/></output>", &format!("{ports}</output>")),
            "output ports",
        ),
        (IR.replace("6,4", &"1".repeat(1_000_000)), "shape"),
        (IR.replace("\"6,4\"", "\"&a;\""), "not XML"),
        ("<".repeat(3_000_000), "not XML"),
        (
            format!(
                "<!DOCTYPE net [<!ENTITY a \"6,4\">]>{}",
                IR.split_once('\n').unwrap().1
            ),
            "not XML",
        ),
    ];
    // Enough for the trees: it is not their memory that is asked about.
    let options = import::Options {
        max_bytes: 1 << 30,
        ..options()
    };
    for (text, word) in cases {
        let bin = Path::new("none.bin");
        let refusal = || {
            import::openvino::import(&text, bin, &options)
                .unwrap_err()
                .to_string()
        };
        refused_at_once(refusal, word);
    }
}

#[test]
fn a_chain_of_which_every_value_is_an_output() {
    let value = |n: usize| format!("v{n}");
    let node = |n: usize| {
        let data = if n == 0 { "x".into() } else { value(n - 1) };
        NodeProto::new("Slice", "s", &[&data, "from", "to"], &[&value(n)])
    };
    let mut chain = model(
        13,
        graph(
            (0..4000).map(node).collect(),
            vec![list("from", &[0]), list("to", &[9])],
        ),
    );
    chain.graph.as_mut().unwrap().output = (0..4000).map(|n| common::any(&value(n), 1)).collect();
    let bytes = chain.encode_to_vec();
    let refusal = || {
        let refused = import::onnx::import(&bytes, Path::new("."), &options());
        refused.unwrap_err().to_string()
    };
    refused_at_once(refusal, "values together");
}

#[test]
fn thousands_of_outputs() {
    let value = |n: usize| format!("v{n}");
    let nodes = (0..4000).map(|n| NodeProto::new("Identity", "i", &["x"], &[&value(n)]));
    let mut wide = model(13, graph(nodes.collect(), Vec::new()));
    wide.graph.as_mut().unwrap().output = (0..4000).map(|n| common::any(&value(n), 1)).collect();
    let bytes = wide.encode_to_vec();
    let refused = import::onnx::import(&bytes, Path::new("."), &options());
    let line = refused.unwrap_err().to_string();
    assert!(line.contains("too many outputs"), "{line}");
}

#[test]
fn outputs_that_are_each_compiled_with_a_large_constant_count_it_together() {
    let (rows, first) = (|n: usize| format!("g{n}"), |n: usize| format!("y{n}"));
    let nodes = (0..40).flat_map(|n| {
        let gather = NodeProto::new("Gather", "g", &["x", "i"], &[&rows(n)]);
        let slice = NodeProto::new("Slice", "s", &[&rows(n), "from", "to"], &[&first(n)]);
        [gather, slice]
    });
    let indices: Vec<i64> = (0..100_000).map(|n| n * n % 6).collect();
    let constants = vec![list("i", &indices), list("from", &[0]), list("to", &[1])];
    let mut shared = model(13, graph(nodes.collect(), constants));
    let graph = shared.graph.as_mut().unwrap();
    graph.input[0] = ValueInfoProto::tensor("x", 1, &[6.into()]);
    graph.output = (0..40).map(|n| common::any(&first(n), 1)).collect();
    let bytes = shared.encode_to_vec();
    let shared = import::onnx::import(&bytes, Path::new("."), &options()).unwrap();
    for kind in Kind::ALL {
        let run = |limit: u64| {
            let x = Tensor::zeros(ElementType::F32, &[6]).unwrap();
            let call = Call::bind(&shared, vec![Some(x.into())], limit).unwrap();
            call.run_all(&mut Engine::new(kind), &shared)
        };
        let refusal = run(LIMIT).unwrap_err().to_string();
        assert!(refusal.contains("known before the call"), "{refusal}");
        // One result of 4 bytes, of 800000 bytes of indices that count four times.
        let refusal = run(5 * LIMIT).unwrap_err().to_string();
        let left = "(allowed: 0..=2042876 bytes left of 5242880); raise the limit";
        assert!(refusal.contains(left), "{refusal}");
        assert_eq!(run(200 * LIMIT).unwrap().len(), 40);
    }
}

/// A gather from seven elements, by one of rows of indices for each of `count` numbers.
fn gather_of_rows(rows: impl Iterator<Item = i64>, count: i64) -> ModelProto {
    let rows: Vec<i64> = rows.collect();
    let rows = Tensor::new(&[rows.len() / 8192, 8192], &rows).unwrap();
    let which: Vec<i64> = (0..count).map(|n| n * n % 3 % 2).collect();
    let nodes = vec![
        NodeProto::new("Gather", "i", &["rows", "which"], &["ids"]),
        NodeProto::new("Gather", "g", &["x", "ids"], &["y"]),
    ];
    let constants = vec![to_proto("rows", &rows), list("which", &which)];
    let mut model = model(13, graph(nodes, constants));
    model.graph.as_mut().unwrap().input[0] = ValueInfoProto::tensor("x", 1, &[7.into()]);
    model
}

#[test]
fn a_table_too_long_for_a_function_is_not_copied_first() {
    // For the third row, which is not selected, `x` is too short. So all is computed when it is compiled: 64 MiB.
    let rows = (0..2 * 8192).map(|n| n * n % 7).chain([7; 8192]);
    let files = Files::new();
    let file = files.model("long.onnx", &gather_of_rows(rows, 1024));
    let output = common::xslice_within(256 << 10, &["emit", file.to_str().unwrap()]);
    let line = common::refusal(&output);
    assert!(line.contains("the constants take"), "{line}");
}

#[test]
fn indices_that_constants_select_are_described_without_the_memory_of_all() {
    let rows = (0..2 * 8192).map(|n| n * n % 7);
    let files = Files::new();
    // 512 MiB, if they were computed.
    let file = files.model("long.onnx", &gather_of_rows(rows, 8192));
    let output = common::xslice_within(256 << 10, &["explain", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let explained = common::text(&output.stdout);
    assert!(explained.contains("x[wrap(const0["), "{explained}");
    assert!(!explained.contains("check"), "{explained}");
}

#[test]
fn indices_by_a_range_are_described_without_the_memory_of_its_values() {
    let range = |limits: &str| format!("<i64> onnx::Range@11({limits}, delta = 1)");
    let (up, across) = (
        range("start = 0, limit = 134217728"),
        range("start = -134217728, limit = 134217728"),
    );
    let parameter = format!("<u8[9]> x |> onnx::Slice@13(starts = @({up} |> [3:4]), ends = [9])");
    let output = common::xslice_within(256 << 10, &["explain", &parameter]);
    let explained = common::text(&output.stdout);
    assert!(explained.contains("result: u8 [6]"), "{explained}");
    let files = Files::new();
    let picture = files.path("x.svg");
    for indices in [
        format!("{up} |> [@ids]"),
        format!("{across} |> [@ids]"),
        across,
    ] {
        let operands = match indices.contains("ids") {
            true => "u8[134217728], ids: i64[4]",
            false => "u8[134217728]",
        };
        let text = format!("<{operands}> x[@({indices})]");
        let is_one_nest = !indices.contains('-');
        let output = common::xslice_within(256 << 10, &["explain", &text]);
        assert_eq!(output.status.code(), Some(0), "{text}");
        let explained = common::text(&output.stdout);
        assert_eq!(explained.contains("scratch0"), !is_one_nest, "{explained}");
        let svg = ["explain", &text, "--svg", picture.to_str().unwrap()];
        let output = common::xslice_within(256 << 10, &svg);
        if is_one_nest {
            assert_eq!(output.status.code(), Some(0), "{text}");
        } else {
            let line = common::refusal(&output);
            assert!(line.contains("a picture is of one"), "{line}");
        }
    }
}

#[test]
fn lists_longer_than_any_rank() {
    let long = list("from", &[0; 2000]);
    let nodes = vec![NodeProto::new("Slice", "s", &["x", "from", "from"], &["y"])];
    let bytes = model(13, graph(nodes, vec![long])).encode_to_vec();
    let refused = import::onnx::import(&bytes, Path::new("."), &options());
    let line = refused.unwrap_err().to_string();
    assert!(
        line.contains("2000 entries") && line.contains("0..=1024"),
        "{line}"
    );
}

#[test]
fn pipes_in_the_place_of_files() {
    let files = Files::new();
    let pipe = |name: &str| {
        let path = files.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path.to_str().unwrap().to_string()
    };
    let mut outside = common::list("c", &[1]);
    outside.raw_data = None;
    outside.data_location = 1;
    outside.external_data = vec![StringStringEntryProto {
        key: "location".into(),
        value: "data".into(),
    }];
    let nodes = vec![NodeProto::new("Gather", "g", &["x", "c"], &["y"])];
    let with_data = files.model("m.onnx", &model(13, graph(nodes, vec![outside])));
    let with_bin = files.write("m.xml", IR);
    pipe("data");
    pipe("m.bin");
    let (tensor, model) = (pipe("x.npy"), pipe("p.onnx"));
    let (with_data, with_bin) = (with_data.to_str().unwrap(), with_bin.to_str().unwrap());
    for args in [
        ["index", "x", &tensor].to_vec(),
        vec!["run", &model],
        vec!["run", with_data],
        vec!["run", with_bin],
    ] {
        let line = common::refusal(&common::xslice(&args));
        assert!(
            line.contains("no regular file") || line.contains("from offset"),
            "{line}"
        );
    }
    pipe("test/model.onnx");
    pipe("test/expect_error.txt");
    let judged = common::xslice(&["check", files.path("test").to_str().unwrap()]);
    assert!(common::text(&judged.stdout).contains("no regular file"));
}
