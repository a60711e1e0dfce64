//! ONNX models that run: what goes in, what a graph may be made of, what comes out. Every model runs on every engine.

mod common;

use common::{FLOAT, INT64, any, graph, iota, list, model, run_model, run_one};
use xslice::Tensor;
use xslice_cli::onnx::{
    AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto, attribute_type,
};
use xslice_cli::{element_type, to_proto, type_number};

fn floats(tensor: &Tensor) -> Vec<f32> {
    let chunks = tensor.bytes().chunks_exact(4);
    chunks
        .map(|b| f32::from_ne_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn a_slice_with_initializers_as_parameters() {
    let y = run_one(&common::slice_model(), &[("x", iota(&[6]))]);
    assert_eq!(y, Tensor::new(&[3], &[1.0f32, 2.0, 3.0]).unwrap());
}

#[test]
fn the_operator_set_decides_the_version() {
    // Version 1 has attributes.
    let node = NodeProto::new("Slice", "cut", &["x"], &["y"])
        .with(AttributeProto::ints("starts", &[-2]))
        .with(AttributeProto::ints("ends", &[100]));
    let mut old = model(9, graph(vec![node], vec![]));
    assert_eq!(floats(&run_one(&old, &[("x", iota(&[5]))])), [3.0, 4.0]);
    // Without an import it is operator set 1.
    old.opset_import.clear();
    assert_eq!(floats(&run_one(&old, &[("x", iota(&[5]))])), [3.0, 4.0]);
    // Both names of the default domain, and a version far above.
    let mut new = common::slice_model();
    new.opset_import[0].domain = "ai.onnx".into();
    new.opset_import[0].version = 1_000_000_000_000;
    assert_eq!(run_one(&new, &[("x", iota(&[6]))]).shape(), [3]);
}

#[test]
fn dynamic_dimensions_and_run_time_parameters() {
    let mut graph = graph(
        vec![NodeProto::new(
            "Slice",
            "trim",
            &["x", "start", "end", "", "step"],
            &["y"],
        )],
        vec![],
    );
    graph.input = vec![
        ValueInfoProto::tensor("x", FLOAT, &["batch".into(), 4.into(), (-1).into()]),
        any("start", INT64),
        any("end", INT64),
        any("step", INT64),
    ];
    let model = model(13, graph);
    for (batch, len) in [(1, 3), (2, 5)] {
        let inputs = [
            ("x", iota(&[batch, 4, len])),
            ("start", Tensor::vector(&[0, -1])),
            ("end", Tensor::vector(&[1, -5])),
            ("step", Tensor::vector(&[1, -2])),
        ];
        assert_eq!(run_one(&model, &inputs).shape(), [1, 2, len]);
    }
}

#[test]
fn initializers_are_data_and_inputs_with_initializers_have_defaults() {
    let table = iota(&[3, 2]);
    let gather = NodeProto::new("Gather", "rows", &["table", "ids"], &["y"]);
    let mut graph = graph(
        vec![gather],
        vec![to_proto("table", &table), list("ids", &[2, 0])],
    );
    // The second is what some writers print of every input with a default: a shape without dimensions.
    for ids in [any("ids", INT64), ValueInfoProto::tensor("ids", INT64, &[])] {
        graph.input = vec![ids];
        let model = model(13, graph.clone());
        assert_eq!(floats(&run_one(&model, &[])), [4.0, 5.0, 0.0, 1.0]);
        let given = run_one(&model, &[("ids", Tensor::vector(&[-2]))]);
        assert_eq!(floats(&given), [2.0, 3.0]);
    }
}

#[test]
fn a_chain_with_reshapes_identities_and_constants_between() {
    let nodes = vec![
        NodeProto::new("Constant", "", &[], &["shape"])
            .with(AttributeProto::ints("value_ints", &[2, -1, 3])),
        NodeProto::new("Reshape", "r", &["x", "shape"], &["a"]),
        NodeProto::new("Identity", "", &["a"], &["b"]),
        NodeProto::new("Constant", "", &[], &["axes"])
            .with(AttributeProto::tensor("value", list("", &[0]))),
        NodeProto::new("Unsqueeze", "u", &["b", "axes"], &["c"]),
        NodeProto::new("Slice", "s", &["c", "one", "big", "axis"], &["d"]),
        NodeProto::new("Squeeze", "q", &["d"], &["y"]),
    ];
    let initializers = vec![
        list("one", &[1]),
        list("big", &[i64::MAX]),
        list("axis", &[1]),
    ];
    let model = model(13, graph(nodes, initializers));
    let y = run_one(&model, &[("x", iota(&[12]))]);
    assert_eq!(y.shape(), [2, 3]);
    assert_eq!(floats(&y), [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
}

#[test]
fn older_reshapes_have_attributes_and_allowzero_came_with_14() {
    let reshape = NodeProto::new("Reshape", "r", &["x"], &["a"])
        .with(AttributeProto::ints("shape", &[0, 2, -1]));
    let squeeze = NodeProto::new("Squeeze", "q", &["a"], &["b"]);
    let unsqueeze =
        NodeProto::new("Unsqueeze", "u", &["b"], &["y"]).with(AttributeProto::ints("axes", &[0]));
    let old = model(4, graph(vec![reshape, squeeze, unsqueeze], vec![]));
    assert_eq!(run_one(&old, &[("x", iota(&[3, 2]))]).shape(), [1, 3, 2]);
    let zero = NodeProto::new("Reshape", "r", &["x", "s"], &["y"])
        .with(AttributeProto::int("allowzero", 1));
    let new = model(14, graph(vec![zero], vec![list("s", &[0, 7])]));
    assert_eq!(run_one(&new, &[("x", iota(&[3, 0]))]).shape(), [0, 7]);
    let bare = NodeProto::new("Squeeze", "q", &["x", "axes"], &["y"]);
    let new = model(13, graph(vec![bare], vec![list("axes", &[])]));
    assert_eq!(run_one(&new, &[("x", iota(&[1, 3, 1]))]).shape(), [3]);
}

#[test]
fn every_form_of_a_constant() {
    let form = |attribute: AttributeProto, elem_type: i32| {
        let node = NodeProto::new("Constant", "c", &[], &["y"]).with(attribute);
        let graph = GraphProto {
            node: vec![node],
            output: vec![any("y", elem_type)],
            ..GraphProto::default()
        };
        run_one(&model(13, graph), &[])
    };
    let with = |name: &str, fill: &dyn Fn(&mut AttributeProto)| {
        let mut attribute = AttributeProto {
            name: name.into(),
            ..AttributeProto::default()
        };
        fill(&mut attribute);
        attribute
    };
    assert_eq!(
        form(AttributeProto::int("value_int", -7), INT64),
        Tensor::scalar(-7i64)
    );
    assert_eq!(
        form(with("value_float", &|a| a.f = Some(1.5)), FLOAT),
        Tensor::scalar(1.5f32)
    );
    assert_eq!(
        form(with("value_floats", &|a| a.floats = vec![1.0, 2.0]), FLOAT),
        Tensor::new(&[2], &[1.0f32, 2.0]).unwrap()
    );
    assert_eq!(
        form(with("value_string", &|a| a.s = Some(b"a".to_vec())), 8),
        Tensor::scalar(String::from("a"))
    );
    assert_eq!(
        form(
            with("value_strings", &|a| a.strings =
                vec![b"a".to_vec(), b"".to_vec()]),
            8
        ),
        Tensor::new(&[2], &["a".to_string(), String::new()]).unwrap()
    );
    // An empty list has no field at all, and some writers leave out a 0.
    let zero = with("value_int", &|a| a.r#type = attribute_type::INT);
    assert_eq!(form(zero, INT64), Tensor::scalar(0i64));
    let empty = with("value_ints", &|a| a.r#type = attribute_type::INTS);
    assert_eq!(form(empty, INT64), Tensor::vector(&[]));
}

/// One element of each type in its typed list, and the same as raw bytes.
fn typed_tensors() -> Vec<(TensorProto, Vec<u8>)> {
    let proto = |number: i32, fill: &dyn Fn(&mut TensorProto)| {
        let mut tensor = TensorProto {
            dims: vec![1],
            data_type: number,
            ..TensorProto::default()
        };
        fill(&mut tensor);
        tensor
    };
    vec![
        (
            proto(1, &|t| t.float_data = vec![1.5]),
            1.5f32.to_le_bytes().to_vec(),
        ),
        (proto(2, &|t| t.int32_data = vec![255]), vec![255]),
        (proto(3, &|t| t.int32_data = vec![-128]), vec![128]),
        (proto(4, &|t| t.int32_data = vec![65535]), vec![255, 255]),
        (proto(5, &|t| t.int32_data = vec![-2]), vec![254, 255]),
        (
            proto(6, &|t| t.int32_data = vec![-3]),
            (-3i32).to_le_bytes().to_vec(),
        ),
        (
            proto(7, &|t| t.int64_data = vec![i64::MIN]),
            i64::MIN.to_le_bytes().to_vec(),
        ),
        (proto(9, &|t| t.int32_data = vec![1]), vec![1]),
        (proto(10, &|t| t.int32_data = vec![0x3c00]), vec![0, 0x3c]),
        (
            proto(11, &|t| t.double_data = vec![-0.5]),
            (-0.5f64).to_le_bytes().to_vec(),
        ),
        (
            proto(12, &|t| t.uint64_data = vec![u32::MAX.into()]),
            vec![255; 4],
        ),
        (proto(13, &|t| t.uint64_data = vec![u64::MAX]), vec![255; 8]),
        (
            proto(14, &|t| t.float_data = vec![1.0, 2.0]),
            [1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat(),
        ),
        (
            proto(15, &|t| t.double_data = vec![1.0, 2.0]),
            [1.0f64.to_le_bytes(), 2.0f64.to_le_bytes()].concat(),
        ),
        (
            proto(16, &|t| t.int32_data = vec![0xffc1]),
            vec![0xc1, 0xff],
        ),
    ]
}

#[test]
fn every_element_type_as_typed_list_and_as_raw_bytes() {
    let tensors = typed_tensors();
    assert_eq!(tensors.len(), 15);
    for (mut typed, raw) in tensors {
        let number = typed.data_type;
        let constant = |tensor: TensorProto| {
            let tensor = TensorProto {
                name: "y".into(),
                ..tensor
            };
            let graph = GraphProto {
                initializer: vec![tensor],
                output: vec![any("y", number)],
                ..GraphProto::default()
            };
            run_one(&model(13, graph), &[])
        };
        let from_list = constant(typed.clone());
        typed = TensorProto {
            dims: vec![1],
            data_type: number,
            raw_data: Some(raw),
            ..TensorProto::default()
        };
        assert_eq!(from_list, constant(typed), "element type {number}");
        assert_eq!(Some(from_list.element_type()), element_type(number));
        assert_eq!(type_number(from_list.element_type()), number);
    }
}

#[test]
fn several_outputs_an_input_as_output_and_strings() {
    let words = Tensor::new(&[3], &["a", "b", "c"].map(String::from)).unwrap();
    let mut graph = graph(
        vec![NodeProto::new("Gather", "g", &["x", "ids"], &["y"])],
        vec![list("ids", &[-1, -1])],
    );
    graph.input = vec![any("x", 8)];
    graph.output = vec![any("y", 8), any("x", 8), any("ids", INT64)];
    let outputs = run_model(&model(13, graph), &[("x", words.clone())]).unwrap();
    assert_eq!(outputs[0].strings().unwrap(), ["c", "c"]);
    assert_eq!(outputs[1], words);
    assert_eq!(outputs[2], Tensor::vector(&[-1, -1]));
}

#[test]
fn gather_of_slice_of_gather_and_indices_that_a_range_computes() {
    let nodes = vec![
        NodeProto::new("Range", "r", &["zero", "n", "two"], &["ids"]),
        NodeProto::new("Gather", "g", &["x", "ids"], &["a"]),
        NodeProto::new("Slice", "s", &["a", "one", "big"], &["b"]),
        NodeProto::new("Gather", "h", &["b", "pick"], &["y"]).with(AttributeProto::int("axis", 1)),
    ];
    let scalar = |name: &str, value: i64| to_proto(name, &Tensor::scalar(value));
    let initializers = vec![
        scalar("zero", 0),
        scalar("two", 2),
        list("one", &[1]),
        list("big", &[100]),
        list("pick", &[2, 0]),
    ];
    let mut graph = graph(nodes, initializers);
    graph.input.push(any("n", INT64));
    let model = model(13, graph);
    let inputs = [("x", iota(&[6, 3])), ("n", Tensor::scalar(5i64))];
    assert_eq!(floats(&run_one(&model, &inputs)), [8.0, 6.0, 14.0, 12.0]);
    // The Range is too long for the table now: its last index is refused, by every engine alike.
    let inputs = [("x", iota(&[6, 3])), ("n", Tensor::scalar(8i64))];
    let error = run_model(&model, &inputs).unwrap_err();
    assert!(error.contains("E212") && error.contains("`g`"), "{error}");
}

#[test]
fn a_long_chain_of_operators_needs_no_deep_stack() {
    let count = 2000;
    let name = |at: usize| {
        if at == count {
            "y".into()
        } else {
            format!("v{at}")
        }
    };
    let nodes = (0..count).map(|at| {
        let input = if at == 0 { "x".into() } else { name(at) };
        NodeProto::new("Slice", "", &[&input, "s", "e"], &[&name(at + 1)])
    });
    let parameters = vec![list("s", &[1]), list("e", &[i64::MAX])];
    let model = model(13, graph(nodes.collect(), parameters));
    let y = run_one(&model, &[("x", iota(&[count + 2]))]);
    assert_eq!(floats(&y), [count as f32, (count + 1) as f32]);
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let count = 20_000;
    let name = |at: usize| {
        if at == count {
            "y".into()
        } else {
            format!("v{at}")
        }
    };
    let nodes = (0..count).map(|at| {
        let input = if at == 0 { "x".into() } else { name(at) };
        NodeProto::new("Identity", "", &[&input], &[&name(at + 1)])
    });
    let model = model(13, graph(nodes.collect(), vec![]));
    assert_eq!(run_one(&model, &[("x", iota(&[3]))]), iota(&[3]));
}
