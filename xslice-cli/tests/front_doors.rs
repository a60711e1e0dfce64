//! I8 between texts and files: the same request is refused with the same code, operator, parameter, value and allowed range, in the same
//! words.

mod common;

use common::{Files, graph, list, model};
use std::path::Path;
use xslice::{Error, Program};
use xslice_cli::import::{self, Options};
use xslice_cli::onnx::{AttributeProto, Message, NodeProto, StringStringEntryProto, TensorProto};
use xslice_cli::{Fault, files};

/// What a refusal says, without what only one front door knows: the node of a model, the column of a text and the hint there.
fn facts(error: &Error) -> [Option<String>; 6] {
    let line = error.to_string();
    let line = line
        .split("; ")
        .next()
        .unwrap()
        .split(" [E")
        .next()
        .unwrap();
    let words = line.split(": ").filter(|part| {
        let is_place = part.starts_with("node `") || part.starts_with("column ");
        !is_place
    });
    [
        Some(error.kind().code().to_string()),
        error.operator_name().map(String::from),
        error.parameter_name().map(String::from),
        error.offending_value().map(String::from),
        error.allowed_range().map(String::from),
        Some(words.collect::<Vec<_>>().join(": ")),
    ]
}

fn assert_same(text: &str, file: xslice_cli::Result<import::Model>) {
    let by_text = Program::parse(text).unwrap_err();
    match file.unwrap_err().fault() {
        Fault::Refused { error, .. } => {
            assert_eq!(error.node_name(), Some("cut"), "{error}");
            assert_eq!(facts(error), facts(&by_text), "{text}");
        }
        other => panic!("{text}: {other}"),
    }
}

fn onnx(opset: i64, node: NodeProto) -> xslice_cli::Result<import::Model> {
    let model = model(opset, graph(vec![node], vec![list("s", &[0])]));
    let bytes = model.encode_to_vec();
    import::onnx::import(&bytes, Path::new("."), &Options::default())
}

#[test]
fn an_onnx_operator_without_data() {
    for (node, text) in [
        (
            NodeProto::new("Slice", "cut", &["", "s", "s"], &["y"]),
            "onnx::Slice@13(starts = [0], ends = [0])",
        ),
        (
            NodeProto::new("Gather", "cut", &["", "s"], &["y"]),
            "onnx::Gather@13(indices = [0])",
        ),
    ] {
        assert_same(text, onnx(13, node));
    }
}

#[test]
fn an_onnx_attribute_of_a_later_version_and_one_given_twice() {
    let lists = ["starts", "ends", "steps"].map(|name| AttributeProto::ints(name, &[1]));
    let slice = lists.into_iter().fold(
        NodeProto::new("Slice", "cut", &["x"], &["y"]),
        NodeProto::with,
    );
    assert_same(
        "x |> onnx::Slice@1(starts = [1], ends = [1], steps = [1])",
        onnx(1, slice),
    );
    let axis = || AttributeProto::int("axis", 0);
    let gather = NodeProto::new("Gather", "cut", &["x", "s"], &["y"]);
    assert_same(
        "x |> onnx::Gather@13(indices = [0], axis = 0, axis = 0)",
        onnx(13, gather.with(axis()).with(axis())),
    );
}

#[test]
fn an_openvino_operator_without_data_and_of_no_known_version() {
    let import = |layer: &str| {
        let text = format!(
            "<net name=\"t\" version=\"11\"><layers>\
             <layer id=\"0\" name=\"cut\" {layer}><output><port id=\"9\"/></output></layer>\
             <layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer>\
             </layers><edges><edge from-layer=\"0\" from-port=\"9\" to-layer=\"1\" to-port=\"0\"/></edges></net>"
        );
        import::openvino::import(&text, Path::new("no.bin"), &Options::default())
    };
    assert_same(
        "openvino::Slice@8(start = [0], stop = [1], step = [1])",
        import("type=\"Slice\" version=\"opset8\""),
    );
    assert_same(
        "x |> openvino::Slice@9(start = [0], stop = [1], step = [1])",
        import("type=\"Slice\" version=\"opset9\""),
    );
}

#[test]
fn a_byte_that_is_no_bool_is_refused_alike_in_every_file() {
    let files = Files::new();
    let bin = files.write("m.bin", [0, 2]);
    let proto = TensorProto {
        name: "w".into(),
        dims: vec![2],
        data_type: 9,
        ..TensorProto::default()
    };
    let raw = TensorProto {
        raw_data: Some(vec![0, 2]),
        ..proto.clone()
    };
    let typed = TensorProto {
        int32_data: vec![0, 2],
        ..proto.clone()
    };
    let external = TensorProto {
        data_location: 1,
        external_data: vec![StringStringEntryProto {
            key: "location".into(),
            value: "m.bin".into(),
        }],
        ..proto
    };
    let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n";
    let npy = [b"\x93NUMPY\x01\x00\x3a\x00", header.as_bytes(), &[0, 2]].concat();
    let read = |name: &str, bytes: Vec<u8>| {
        let read = files::read_tensor(&files.write(name, bytes), None, u64::MAX);
        read.unwrap_err().fault().to_string()
    };
    let options = Options::default();
    let model = model(13, graph(vec![], vec![external]));
    let model = import::onnx::import(&model.encode_to_vec(), &files.path(""), &options);
    let ir = "<net name=\"t\" version=\"11\"><layers><layer id=\"0\" name=\"w\" type=\"Const\" version=\"opset1\">\
         <data element_type=\"boolean\" shape=\"2\" offset=\"0\" size=\"2\"/><output><port id=\"0\"/></output></layer>\
         <layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer></layers>\
         <edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/></edges></net>";
    let ir = import::openvino::import(ir, &bin, &options);
    for refused in [
        read("raw.pb", raw.encode_to_vec()),
        read("typed.pb", typed.encode_to_vec()),
        read("x.npy", npy),
        model.unwrap_err().fault().to_string(),
        ir.unwrap_err().fault().to_string(),
    ] {
        let words = "2 at position 1 is no bool (allowed: 0 or 1) [E502 format]";
        assert!(refused.ends_with(words), "{refused}");
    }
}

/// Where names are bytes, those of files need not be text.
#[cfg(target_os = "linux")]
#[test]
fn a_model_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let files = Files::new();
    let made = files.model("m.onnx", &common::slice_model());
    let odd = made.with_file_name(std::ffi::OsStr::from_bytes(b"m\xff.onnx"));
    std::fs::copy(made, &odd).unwrap();
    let shape = ["--shape", "x=6"].map(std::ffi::OsStr::new);
    for command in ["explain", "emit"] {
        let output = common::xslice(&[&[command.as_ref(), odd.as_os_str()], &shape[..]].concat());
        let line = common::text(&output.stderr);
        assert!(output.status.success(), "{command}: {line}");
    }
}
