//! What a model declares of the dimensions of an input binds every value and every `--shape` that it gets.

mod common;

use common::{Files, iota, model, refusal, text, xslice};
use std::path::PathBuf;
use xslice_cli::onnx::{GraphProto, NodeProto, ValueInfoProto};

/// An IR that hands its input `x` on.
fn ir(data: &str) -> String {
    format!(
        "<net name=\"t\" version=\"11\"><layers>\
         <layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">{data}<output><port id=\"0\" precision=\"FP32\">\
         <dim>2</dim><dim>2..5</dim></port></output></layer>\
         <layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer></layers>\
         <edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/></edges></net>"
    )
}

/// An ONNX model that hands its input `x` on, of this element type and shape.
fn onnx(elem_type: i32, shape: &[i64]) -> Vec<u8> {
    use xslice_cli::onnx::Message;
    let dims: Vec<_> = shape.iter().map(|&dim| dim.into()).collect();
    let graph = GraphProto {
        input: vec![ValueInfoProto::tensor("x", elem_type, &dims)],
        output: vec![common::any("y", 0)],
        node: vec![NodeProto::new("Identity", "same", &["x"], &["y"])],
        ..GraphProto::default()
    };
    model(13, graph).encode_to_vec()
}

struct Model {
    files: Files,
    path: PathBuf,
}

impl Model {
    fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let files = Files::new();
        let path = files.write(name, bytes);
        Self { files, path }
    }

    /// A command on the model with `x` of this shape.
    fn with_value(&self, command: &str, shape: &[usize]) -> std::process::Output {
        let x = self.files.tensor("x.npy", &iota(shape));
        let input = format!("x={}", x.display());
        xslice(&[command, &self.path.to_string_lossy(), "--input", &input])
    }

    fn with(&self, arguments: &[&str]) -> std::process::Output {
        let path = self.path.to_string_lossy();
        xslice(&[&arguments[..1], &[&*path], &arguments[1..]].concat())
    }
}

#[test]
fn a_range_of_sizes_binds_values_and_shapes() {
    for (data, allowed) in [
        (
            "<data shape=\"2,2..5\" element_type=\"f32\"/>",
            "[2, 2..=5]",
        ),
        ("<data shape=\"2,..5\" element_type=\"f32\"/>", "[2, 0..=5]"),
        ("<data shape=\"?,2..\" element_type=\"f32\"/>", "[?, 2..]"),
        ("<data shape=\"2,5..5\" element_type=\"f32\"/>", "[2, 5]"),
        // Of older files the port says it.
        ("", "[2, 2..=5]"),
    ] {
        let model = Model::new("m.xml", ir(data));
        let other = if allowed == "[?, 2..]" { 1 } else { 6 };
        for command in ["run", "explain"] {
            let output = model.with_value(command, &[2, 5]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let line = refusal(&model.with_value(command, &[2, other]));
            let words = format!(
                "m.xml: `x` has shape [2, {other}] (allowed: {allowed}) [E403 operand-shape]"
            );
            assert!(line.contains(&words), "{line}");
        }
        let shape = format!("x=2,{other}");
        for command in ["explain", "emit", "bench"] {
            let line = refusal(&model.with(&[command, "--shape", &shape]));
            let words = format!("has shape [2, {other}] (allowed: {allowed}) [E403");
            assert!(line.contains(&words), "{command}: {line}");
        }
    }
}

#[test]
fn advice_about_a_range_of_sizes_can_be_followed() {
    let data = "<data shape=\"?,2..5\" element_type=\"f32\"/>";
    let model = Model::new("m.xml", ir(data));
    let line = refusal(&model.with(&["explain"]));
    assert!(line.contains("give it with --shape x=1,2 ["), "{line}");
    let output = model.with(&["explain", "--shape", "x=1,2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let line = refusal(&model.with(&["run"]));
    assert!(
        line.contains("no value for input `x` (f32 [?, 2..=5]); "),
        "{line}"
    );
}

#[test]
fn a_shape_binds_where_the_element_type_is_left_open() {
    let data = "<data shape=\"2,2..5\" element_type=\"dynamic\"/>";
    for (model, allowed) in [
        (Model::new("m.xml", ir(data)), "[2, 2..=5]"),
        (Model::new("m.onnx", onnx(0, &[2, 3])), "[2, 3]"),
    ] {
        for command in ["run", "explain"] {
            let output = model.with_value(command, &[2, 3]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            for (shape, given) in [(&[2, 6][..], "[2, 6]"), (&[6], "[6]")] {
                let line = refusal(&model.with_value(command, shape));
                let words =
                    format!("`x` has shape {given} (allowed: {allowed}) [E403 operand-shape]");
                assert!(line.contains(&words), "{line}");
            }
        }
        let line = refusal(&model.with(&["run"]));
        assert!(line.contains(&format!("`x` ({allowed}); ")), "{line}");
    }
}

/// Another type is refused first, as the library does it.
#[test]
fn a_type_is_compared_before_a_shape() {
    let data = "<data shape=\"2,2..5\" element_type=\"i64\"/>";
    let line = refusal(&Model::new("m.xml", ir(data)).with_value("run", &[6]));
    assert!(
        line.contains("`x` has element type f32 (allowed: i64) [E402"),
        "{line}"
    );
}

/// Operand by operand, as the library does it: what is wrong with the first goes before what is wrong with the second.
#[test]
fn the_type_of_an_input_is_compared_before_the_shape_of_the_next() {
    use xslice_cli::onnx::Message;
    let inputs = [("a", 7, 2), ("b", 1, 3)];
    let graph = GraphProto {
        input: inputs
            .map(|(name, ty, dim)| ValueInfoProto::tensor(name, ty, &[dim.into()]))
            .into(),
        output: vec![common::any("y", 0), common::any("z", 0)],
        node: vec![
            NodeProto::new("Identity", "first", &["a"], &["y"]),
            NodeProto::new("Identity", "second", &["b"], &["z"]),
        ],
        ..GraphProto::default()
    };
    let model = Model::new("m.onnx", model(13, graph).encode_to_vec());
    let path = model.path.to_string_lossy();
    let given = [("a", 2), ("b", 4)].map(|(name, len)| {
        let file = model.files.tensor(&format!("{name}.npy"), &iota(&[len]));
        format!("{name}={}", file.display())
    });
    for command in ["run", "explain"] {
        let line = refusal(&xslice(&[
            command, &path, "--input", &given[0], "--input", &given[1],
        ]));
        let words = "`a` has element type f32 (allowed: i64) [E402";
        assert!(line.contains(words), "{command}: {line}");
    }
}

/// A name is worded as the library words it.
#[test]
fn a_name_with_a_quote_stays_as_it_is() {
    let data = "<data shape=\"2,2..5\" element_type=\"f32\"/>";
    let ir = ir(data).replace("name=\"x\"", "name=\"it's\"");
    let model = Model::new("m.xml", ir);
    let x = model.files.tensor("x.npy", &iota(&[6]));
    let input = format!("it's={}", x.display());
    let line = refusal(&xslice(&[
        "run",
        &model.path.to_string_lossy(),
        "--input",
        &input,
    ]));
    assert!(
        line.contains("`it's` has shape [6] (allowed: [2, 2..=5])"),
        "{line}"
    );
}

/// A parameter of which nothing is said takes anything.
#[test]
fn a_parameter_without_type_and_dimensions_takes_any_shape() {
    let port = "<port id=\"0\" precision=\"FP32\"><dim>2</dim><dim>2..5</dim></port>";
    let ir = ir("").replace(port, "<port id=\"0\"/>");
    let output = Model::new("m.xml", ir).with_value("run", &[7, 7]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Row 38 of the rules: what ports print is not trusted over the data.
#[test]
fn the_dimensions_of_a_port_bind_only_where_the_data_has_none() {
    for shape in ["?,?", "..."] {
        let data = format!("<data shape=\"{shape}\" element_type=\"f32\"/>");
        let output = Model::new("m.xml", ir(&data)).with_value("run", &[7, 7]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}
