//! ONNX models that are refused: one line each, with the file, the node, the operator, the value, what is allowed and a code.

mod common;

use common::{
    FLOAT, Files, INT64, any, graph, iota, list, model, refusal, refused, slice_model, xslice,
};
use xslice::{ElementType, Tensor};
use xslice_cli::onnx::{
    AttributeProto, DimensionProto, FunctionProto, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TensorProto, TypeProto, ValueInfoProto,
};
use xslice_cli::to_proto;

/// A model of one node on `x` and these constants.
fn one(opset: i64, node: NodeProto, constants: Vec<TensorProto>) -> ModelProto {
    model(opset, graph(vec![node], constants))
}

fn slice(inputs: &[&str]) -> NodeProto {
    NodeProto::new("Slice", "cut", inputs, &["y"])
}

#[test]
fn rules_of_the_operators() {
    let x = iota(&[4, 4]);
    let step_zero = one(
        13,
        slice(&["x", "s", "e", "", "t"]),
        vec![list("s", &[0]), list("e", &[4]), list("t", &[0])],
    );
    refused(
        &step_zero,
        &x,
        &[
            "m.onnx: ",
            "node `cut`",
            "onnx::Slice@13",
            "[E201 step-zero]",
        ],
    );
    let axis = one(
        13,
        NodeProto::new("Gather", "", &["x", "i"], &["y"]).with(AttributeProto::int("axis", 5)),
        vec![list("i", &[0])],
    );
    // A node without a name is called by its result.
    refused(
        &axis,
        &x,
        &["node `y`", "onnx::Gather@13", "5", "-2..=1", "axis-range"],
    );
    let index = one(
        11,
        NodeProto::new("Gather", "rows", &["x", "i"], &["y"]),
        vec![list("i", &[0, 1 << 32])],
    );
    refused(
        &index,
        &x,
        &[
            "node `rows`",
            "4294967296",
            "indices[1]",
            "-4..=3",
            "index-range",
        ],
    );
}

#[test]
fn inputs_and_attributes_that_a_version_does_not_have() {
    let x = iota(&[4]);
    let parameters = || vec![list("s", &[0]), list("e", &[4])];
    let many = ["x", "s", "e", "s", "s", "s"];
    refused(
        &one(13, slice(&many), parameters()),
        &x,
        &["6 inputs", "at most 5", "unknown-attribute"],
    );
    refused(
        &one(13, slice(&["x", "s"]), parameters()),
        &x,
        &["`ends`", "missing-attribute"],
    );
    refused(
        &one(13, slice(&["", "s", "e"]), parameters()),
        &x,
        &["`data`", "missing-attribute"],
    );
    let attribute = slice(&["x", "s", "e"]).with(AttributeProto::ints("axes", &[0]));
    refused(
        &one(13, attribute, parameters()),
        &x,
        &["`axes`", "onnx::Slice@13", "unknown-attribute"],
    );
    let steps = slice(&["x"]).with(AttributeProto::ints("steps", &[1]));
    refused(
        &one(9, steps, vec![]),
        &x,
        &[
            "`steps`",
            "onnx::Slice@1",
            "starts, ends, axes",
            "unknown-attribute",
        ],
    );
    let gather = |attribute| {
        let node = NodeProto::new("Gather", "g", &["x", "s"], &["y"]).with(attribute);
        one(13, node, parameters())
    };
    refused(
        &gather(AttributeProto::ints("axis", &[0])),
        &x,
        &["`axis`", "an integer", "parameter-type"],
    );
    refused(
        &gather(AttributeProto::int("axes\n2", 0)),
        &x,
        &["axes", "unknown-attribute"],
    );
    let mut twice = gather(AttributeProto::int("axis", 0));
    let node = &mut twice.graph.as_mut().unwrap().node[0];
    node.attribute.push(AttributeProto::int("axis", 0));
    refused(&twice, &x, &["`axis`", "twice", "repeated-attribute"]);
    let mut outputs = slice_model();
    outputs.graph.as_mut().unwrap().node[0]
        .output
        .push("z".into());
    refused(&outputs, &x, &["2 outputs", "unknown-attribute"]);
    let range = one(
        10,
        NodeProto::new("Range", "r", &["s", "s", "e"], &["y"]),
        parameters(),
    );
    refused(
        &range,
        &x,
        &["onnx::Range", "10", "11 and above", "unknown-version"],
    );
    let allowzero = NodeProto::new("Reshape", "r", &["x", "s"], &["y"])
        .with(AttributeProto::int("allowzero", 1));
    refused(
        &one(13, allowzero, parameters()),
        &x,
        &["allowzero", "onnx::Reshape@13", "unknown-attribute"],
    );
}

#[test]
fn attributes_whose_type_contradicts_what_they_hold() {
    let x = iota(&[4]);
    let case = |opset, node: NodeProto, change: &dyn Fn(&mut AttributeProto), words: &[&str]| {
        let mut model = one(opset, node, vec![list("i", &[1])]);
        change(&mut model.graph.as_mut().unwrap().node[0].attribute[0]);
        let words = [words, &["[E207 parameter-type]"]].concat();
        refused(&model, &x, &words);
    };
    let gather = NodeProto::new("Gather", "g", &["x", "i"], &["y"]);
    let axis = gather.with(AttributeProto::int("axis", 0));
    let words = "`axis` is an integer and holds a list of integers (allowed: an integer)";
    let only_ints = |a: &mut AttributeProto| (a.i, a.ints) = (None, vec![1]);
    case(13, axis.clone(), &only_ints, &["node `g`", words]);
    case(13, axis.clone(), &|a| a.ints = vec![1], &[words]);
    let untyped = |a: &mut AttributeProto| (a.r#type, a.s) = (0, Some(vec![]));
    case(13, axis, &untyped, &["is an integer and holds a string"]);
    let starts = slice(&["x"]).with(AttributeProto::ints("starts", &[]));
    let words = "`starts` is a list of integers and holds an integer";
    case(9, starts, &|a| a.i = Some(1), &["node `cut`", words]);
    let constant = |name: &str| {
        NodeProto::new("Constant", "c", &[], &["y"]).with(AttributeProto::int(name, 0))
    };
    case(
        13,
        constant("value_int"),
        &only_ints,
        &["node `c`", "`value_int`"],
    );
    let float = |a: &mut AttributeProto| (a.r#type, a.i, a.floats) = (1, None, vec![1.0]);
    let words = "`value_float` is a float and holds a list of floats";
    case(13, constant("value_float"), &float, &[words]);
}

#[test]
fn shapes_and_axes_are_i64() {
    let cases: [(_, &[usize], Tensor); 3] = [
        ("Reshape", &[3, 4], Tensor::new(&[1], &[12u8]).unwrap()),
        ("Squeeze", &[1, 4], Tensor::new(&[1], &[0i32]).unwrap()),
        ("Unsqueeze", &[3, 4], Tensor::new(&[1], &[1i16]).unwrap()),
    ];
    for (op, shape, values) in cases {
        let node = NodeProto::new(op, "flat", &["x", "i"], &["y"]);
        let constant = to_proto("i", &values);
        let ty = format!("element type {} (allowed: i64)", values.element_type());
        let operator = format!("node `flat`: onnx::{op}@13: ");
        let words = [&*operator, &*ty, "[E207 parameter-type]"];
        refused(&one(13, node, vec![constant]), &iota(shape), &words);
    }
}

#[test]
fn bf16_came_with_version_13_of_every_operator() {
    let row = Tensor::from_bytes(ElementType::Bf16, &[1, 2], vec![0; 4]).unwrap();
    let lists = || vec![list("s", &[0]), list("e", &[1])];
    let ints = |name: &str| AttributeProto::ints(name, &[1]);
    let value = AttributeProto::tensor("value", to_proto("", &row));
    let node = |op: &str, inputs: &[&str]| NodeProto::new(op, "n", inputs, &["y"]);
    let nodes = [
        ("Identity@1", node("Identity", &["x"])),
        ("Constant@11", node("Constant", &[]).with(value)),
        ("Reshape@5", node("Reshape", &["x", "e"])),
        ("Squeeze@11", node("Squeeze", &["x"])),
        ("Unsqueeze@11", node("Unsqueeze", &["x"]).with(ints("axes"))),
        ("Slice@11", node("Slice", &["x", "s", "e"])),
        ("Gather@11", node("Gather", &["x", "s"])),
    ];
    let words = "element type bf16 came with version 13 (allowed: every other element type)";
    for (name, node) in nodes {
        // The type of an input is declared, or that of its default.
        for declared in [any("x", 16), ValueInfoProto::default()] {
            let mut graph = graph(vec![node.clone()], lists());
            graph.initializer.push(to_proto("x", &row));
            graph.input[0] = ValueInfoProto {
                name: "x".into(),
                ..declared
            };
            graph.output = vec![any("y", 16)];
            let refused = common::run_model(&model(11, graph), &[]).unwrap_err();
            let place = format!("node `n`: onnx::{name}: {words} [E208 element-type]");
            assert_eq!(refused, place);
        }
    }
    let mut graph = graph(vec![node("Identity", &["x"])], vec![]);
    (graph.input[0], graph.output[0]) = (any("x", 16), any("y", 16));
    let y = common::run_one(&model(13, graph), &[("x", row.clone())]);
    assert_eq!(y, row);
}

#[test]
fn graphs_that_do_not_fit_together() {
    let x = iota(&[4]);
    let broken = |change: &dyn Fn(&mut xslice_cli::onnx::GraphProto)| {
        let mut model = slice_model();
        change(model.graph.as_mut().unwrap());
        model
    };
    let case = |change: &dyn Fn(&mut xslice_cli::onnx::GraphProto), words: &[&str]| {
        refused(&broken(change), &x, words)
    };
    case(
        &|g| g.node[0].input[1] = "nobody".into(),
        &["node `cut`", "`nobody`", "E503"],
    );
    case(
        &|g| g.output[0].name = "nobody".into(),
        &["`nobody`", "E503"],
    );
    case(&|g| g.output.clear(), &["no output", "E503"]);
    case(
        &|g| g.output.push(any("y", FLOAT)),
        &["`y`", "twice", "E503"],
    );
    case(
        &|g| g.node[0].output[0] = "x".into(),
        &["`x`", "twice", "E503"],
    );
    case(
        &|g| g.initializer.push(list("s", &[1])),
        &["`s`", "twice", "E503"],
    );
    case(
        &|g| g.initializer.push(list("", &[1])),
        &["no name", "E503"],
    );
    case(
        &|g| g.input.push(any("x", FLOAT)),
        &["`x`", "repeated-operand"],
    );
    case(&|g| g.node[0].input[0] = "y".into(), &["`y`", "E503"]);
    case(
        &|g| g.node.insert(0, slice(&["z", "s", "e"])),
        &["`z`", "E503"],
    );
    // Forward references are how a cycle would look.
    case(
        &|g| {
            g.node[0].input[0] = "b".into();
            g.node
                .push(NodeProto::new("Identity", "back", &["y"], &["b"]));
        },
        &["`b`", "node above", "E503"],
    );
}

#[test]
fn types_and_shapes_that_contradict_the_model() {
    let mut model = slice_model();
    model.graph.as_mut().unwrap().input[0] = ValueInfoProto::tensor("x", FLOAT, &[6.into()]);
    refused(&model, &iota(&[5]), &["`x`", "operand-shape"]);
    refused(
        &model,
        &Tensor::vector(&[0; 6]),
        &["`x`", "i64", "operand-type"],
    );
    model.graph.as_mut().unwrap().output[0] = any("y", INT64);
    refused(&model, &iota(&[6]), &["i64", "f32"]);
    let mut negative = slice_model();
    let input = &mut negative.graph.as_mut().unwrap().input[0];
    *input = ValueInfoProto::tensor("x", FLOAT, &[(-2).into()]);
    refused(&negative, &iota(&[5]), &["`x`", "-2", "E503"]);
    let mut bfloat = slice_model();
    bfloat.opset_import[0].version = 11;
    bfloat.graph.as_mut().unwrap().input[0] = any("x", 16);
    bfloat.graph.as_mut().unwrap().output[0] = any("y", 16);
    let bits = Tensor::new(&[4], &[0u16; 4]).unwrap();
    refused(&bfloat, &bits, &["onnx::Slice@11", "bf16", "element-type"]);
}

#[test]
fn what_is_outside_the_scope_names_the_node_and_its_operator() {
    let x = iota(&[4]);
    let relu = one(13, NodeProto::new("Relu", "act", &["x"], &["y"]), vec![]);
    refused(&relu, &x, &["node `act`", "onnx::Relu", "E504"]);
    let mut custom = slice_model();
    custom.graph.as_mut().unwrap().node[0].domain = "com.example".into();
    refused(&custom, &x, &["node `cut`", "com.example::Slice", "E504"]);
    let mut function = slice_model();
    function.functions.push(FunctionProto {
        name: "Slice".into(),
        domain: "ai.onnx".into(),
    });
    let words = ["node `cut`", "defines `onnx::Slice` itself", "E504"];
    let line = refused(&function, &x, &words);
    assert!(!line.contains("allowed"), "{line}");
    let mut sparse = slice_model();
    sparse
        .graph
        .as_mut()
        .unwrap()
        .sparse_initializer
        // The name of the values, field 8 of field 1, is that of the constant.
        .push(b"\x0a\x03\x42\x01w".to_vec());
    let dense = "(allowed: a dense tensor, which holds all of its elements) [E504";
    refused(&sparse, &x, &["initializer `w`: it is sparse ", dense]);
    sparse.graph.as_mut().unwrap().sparse_initializer[0].clear();
    refused(
        &sparse,
        &x,
        &["an initializer without a name is sparse ", dense],
    );
    let mut sequence = slice_model();
    sequence.graph.as_mut().unwrap().input[0].r#type = Some(TypeProto {
        sequence_type: Some(vec![]),
        ..TypeProto::default()
    });
    refused(&sequence, &x, &["value `x`: it is a sequence ", dense]);
    let mut constant = NodeProto::new("Constant", "c", &[], &["y"]);
    constant.attribute.push(AttributeProto {
        name: "sparse_value".into(),
        ..AttributeProto::default()
    });
    let words = "node `c`: attribute `sparse_value` holds a sparse tensor (allowed: value) [E504";
    refused(&one(11, constant, vec![]), &x, &[words]);
    let mut float8 = slice_model();
    float8.graph.as_mut().unwrap().input[0] = any("x", 17);
    refused(&float8, &x, &["`x`", "float8", "E504"]);
    let mut sequence = slice_model();
    let ty = sequence.graph.as_mut().unwrap().input[0]
        .r#type
        .as_mut()
        .unwrap();
    (ty.tensor_type, ty.sequence_type) = (None, Some(vec![]));
    refused(&sequence, &x, &["`x`", "E504"]);
}

#[test]
fn opset_imports() {
    let x = iota(&[4]);
    let mut zero = slice_model();
    zero.opset_import[0].version = 0;
    refused(&zero, &x, &["version 0", "1 and above", "E503"]);
    let mut two = slice_model();
    two.opset_import.push(OperatorSetIdProto {
        domain: "ai.onnx".into(),
        version: 12,
    });
    refused(&two, &x, &["two", "E503"]);
}

#[test]
fn tensors_whose_data_do_not_fit() {
    let x = iota(&[4]);
    let case = |change: &dyn Fn(&mut TensorProto), words: &[&str]| {
        let mut model = slice_model();
        change(&mut model.graph.as_mut().unwrap().initializer[0]);
        refused(&model, &x, words);
    };
    case(
        &|t| t.dims = vec![2],
        &["initializer `s`", "8 bytes", "16 bytes", "E502"],
    );
    case(&|t| t.dims = vec![-1], &["`s`", "-1", "E502"]);
    case(
        &|t| t.dims = vec![1 << 40, 1 << 40],
        &["initializer `s`", "too-large"],
    );
    case(&|t| t.data_type = 99, &["`s`", "99", "E502"]);
    let words = "element type `uint4` is not moved (allowed: bool, i8, i16, i32, i64, u8, ";
    case(&|t| t.data_type = 21, &["`s`", words, "E504"]);
    case(&|t| t.data_type = 26, &["`s`", "int2", "E504"]);
    case(&|t| t.int64_data = vec![1], &["`s`", "twice", "E502"]);
    let words = "a tensor has its data twice, in raw_data and in external_data";
    case(&|t| t.data_location = 1, &["`s`", words, "E502"]);
    let words = "a tensor has its data twice, in int64_data and in external_data";
    case(
        &|t| (t.data_location, t.raw_data, t.int64_data) = (1, None, vec![1]),
        &["`s`", words, "E502"],
    );
    case(
        &|t| (t.data_location, t.raw_data, t.data_type) = (1, None, 8),
        &[
            "`s`",
            "string data in external_data (allowed: string_data)",
            "E502",
        ],
    );
    case(
        &|t| (t.raw_data, t.float_data) = (None, vec![1.0]),
        &["`s`", "float_data", "int64_data", "E502"],
    );
    case(
        &|t| (t.raw_data, t.int64_data) = (None, vec![1, 2]),
        &["`s`", "2 numbers", "E502"],
    );
    case(&|t| t.segment = Some(vec![]), &["`s`", "segments", "E504"]);
    case(
        &|t| t.data_location = 7,
        &["`s`", "data location 7", "E502"],
    );
    case(
        &|t| {
            *t = TensorProto {
                name: "s".into(),
                dims: vec![1],
                data_type: 2,
                int32_data: vec![256],
                ..TensorProto::default()
            }
        },
        &["`s`", "256", "u8", "E502"],
    );
    case(
        &|t| {
            *t = TensorProto {
                name: "s".into(),
                dims: vec![1],
                data_type: 9,
                raw_data: Some(vec![2]),
                ..TensorProto::default()
            }
        },
        &["`s`", "2 at position 0 is no bool", "0 or 1", "E502"],
    );
    case(
        &|t| {
            *t = TensorProto {
                name: "s".into(),
                dims: vec![1],
                data_type: 8,
                string_data: vec![vec![0xff]],
                ..TensorProto::default()
            }
        },
        &["`s`", "UTF-8", "E502"],
    );
}

#[test]
fn external_data_stays_inside_the_directory_of_the_model() {
    let external = |location: &str, offset: &str| {
        let entry = |key: &str, value: &str| StringStringEntryProto {
            key: key.into(),
            value: value.into(),
        };
        let mut model = slice_model();
        let tensor = &mut model.graph.as_mut().unwrap().initializer[0];
        tensor.raw_data = None;
        tensor.data_location = 1;
        tensor.external_data = vec![entry("location", location), entry("offset", offset)];
        model
    };
    let files = Files::new();
    let bytes = [[0u8; 8], 1i64.to_le_bytes()].concat();
    files.write("in/sub/weights.bin", &bytes);
    files.write("outside.bin", &bytes);
    let input = format!("x={}", files.tensor("x.npy", &iota(&[6])).display());
    let run = |location: &str, offset: &str| {
        let path = files.model("in/m.onnx", &external(location, offset));
        xslice(&["run", &path.to_string_lossy(), "--input", &input])
    };
    let good = run("sub/weights.bin", "8");
    assert!(good.status.success(), "{}", common::text(&good.stderr));
    assert!(common::text(&good.stdout).contains("1 2 3"));
    let absolute = files.path("outside.bin");
    for location in [
        "../outside.bin",
        &*absolute.to_string_lossy(),
        "sub/../../outside.bin",
        "",
    ] {
        let line = refusal(&run(location, "0"));
        assert!(line.contains("inside the directory"), "{line}");
    }
    let line = refusal(&run("sub/missing.bin", "0"));
    let words = "in/m.onnx: initializer `s`: external data `sub/missing.bin`: cannot open";
    assert!(line.contains(words) && line.contains("E501"), "{line}");
    let line = refusal(&run("sub/weights.bin", "9"));
    let words = "`sub/weights.bin`: 8 bytes from offset 9 are asked for (allowed: up to offset 16";
    assert!(line.contains(words) && line.contains("E502"), "{line}");
    assert!(refusal(&run("sub/weights.bin", "18446744073709551615")).contains("E502"));
    for offset in ["-1", "+8"] {
        let line = refusal(&run("sub/weights.bin", offset));
        let words = format!("`offset` is `{offset}` (allowed: 0..=18446744073709551615) [E502");
        assert!(line.contains(&words), "{line}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&absolute, files.path("in/link.bin")).unwrap();
        let line = refusal(&run("link.bin", "0"));
        assert!(line.contains("inside the directory"), "{line}");
        assert!(line.contains("a symbolic link leads to "), "{line}");
    }
}

#[test]
fn names_with_control_characters_stay_on_one_line() {
    let mut model = slice_model();
    let graph = model.graph.as_mut().unwrap();
    graph.node[0].name = "a\nerror: b\r\u{1b}[2J".into();
    graph.node[0].op_type = "No\nsuch".into();
    let line = refused(&model, &iota(&[4]), &["E504"]);
    assert!(!line.contains('\u{1b}'), "{line}");
}

#[test]
fn an_unknown_dimension_without_a_name_is_dynamic() {
    let mut model = slice_model();
    let mut info = ValueInfoProto::tensor("x", FLOAT, &["n".into()]);
    let tensor = info.r#type.as_mut().and_then(|t| t.tensor_type.as_mut());
    tensor.unwrap().shape.as_mut().unwrap().dim[0] = DimensionProto { value: None };
    model.graph.as_mut().unwrap().input[0] = info;
    assert_eq!(common::run_one(&model, &[("x", iota(&[9]))]).shape(), [3]);
}
