//! OpenVINO IRs that run, and those that are refused.

mod common;

use common::{Files, iota, read, refusal, text, xslice, xslice_within};
use std::fmt::Write as _;
use xslice::Tensor;

/// An IR under construction: layers, edges and the bytes of its constants.
#[derive(Default)]
struct Ir {
    layers: String,
    edges: String,
    bin: Vec<u8>,
    count: usize,
}

impl Ir {
    /// A layer with that many inputs and one output port; `attributes` go after its name.
    fn layer(&mut self, attributes: &str, data: &str, inputs: &[usize]) -> usize {
        let id = self.count;
        self.count += 1;
        let ports: String = (0..inputs.len())
            .map(|p| format!("<port id=\"{p}\"/>"))
            .collect();
        let output = inputs.len();
        writeln!(
            self.layers,
            "<layer id=\"{id}\" name=\"l{id}\" {attributes}>{data}<input>{ports}</input>\
             <output><port id=\"{output}\"><dim>12345</dim></port></output></layer>"
        )
        .unwrap();
        for (port, source) in inputs.iter().enumerate() {
            let from = self.ports_of(*source);
            writeln!(
                self.edges,
                "<edge from-layer=\"{source}\" from-port=\"{from}\" to-layer=\"{id}\" to-port=\"{port}\"/>"
            )
            .unwrap();
        }
        id
    }

    /// The output port of a layer is numbered after its inputs.
    fn ports_of(&self, id: usize) -> usize {
        let line = self.layers.lines().nth(id).unwrap();
        line.split("<output>")
            .next()
            .unwrap()
            .matches("<port ")
            .count()
    }

    fn parameter(&mut self, shape: &str, element_type: &str) -> usize {
        let data = format!("<data shape=\"{shape}\" element_type=\"{element_type}\"/>");
        self.layer("type=\"Parameter\" version=\"opset1\"", &data, &[])
    }

    fn constant(&mut self, values: &[i64]) -> usize {
        let (offset, size, len) = (self.bin.len(), values.len() * 8, values.len());
        self.bin.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        let data = format!(
            "<data element_type=\"i64\" shape=\"{len}\" offset=\"{offset}\" size=\"{size}\"/>"
        );
        self.layer("type=\"Const\" version=\"opset1\"", &data, &[])
    }

    fn result(&mut self, source: usize) -> usize {
        self.layer("type=\"Result\" version=\"opset1\"", "", &[source])
    }

    fn xml(&self) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<net name=\"t\" version=\"11\">\n<layers>\n{}</layers>\n<edges>\n{}</edges>\n</net>\n",
            self.layers, self.edges
        )
    }

    /// Runs it on `l0.npy`, into a directory.
    fn run(&self, change: impl Fn(String) -> String, x: &Tensor) -> (Files, std::process::Output) {
        let files = Files::new();
        let model = files.write("m.xml", change(self.xml()));
        files.write("m.bin", &self.bin);
        let input = format!("l0={}", files.tensor("x.npy", x).display());
        let out = files.path("out");
        let args = [
            "run",
            &model.to_string_lossy(),
            "--input",
            &input,
            "--output-dir",
        ];
        let mut args: Vec<_> = args.iter().map(ToString::to_string).collect();
        args.push(out.to_string_lossy().into_owned());
        let output = xslice(&args);
        (files, output)
    }
}

/// `x[:, 1:3]` as Slice-8.
fn slice() -> Ir {
    let mut ir = Ir::default();
    let x = ir.parameter("?,1..10", "f32");
    let [start, stop, step, axes] = [&[1][..], &[3], &[1], &[-1]].map(|v| ir.constant(v));
    let y = ir.layer(
        "type=\"Slice\" version=\"opset8\"",
        "",
        &[x, start, stop, step, axes],
    );
    ir.result(y);
    ir
}

fn no_change(xml: String) -> String {
    xml
}

#[test]
fn a_slice_with_dynamic_dimensions() {
    let (files, output) = slice().run(no_change, &iota(&[2, 4]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let y = read(&files.path("out/l6.npy"));
    assert_eq!(y, Tensor::new(&[2, 2], &[1.0f32, 2.0, 5.0, 6.0]).unwrap());
}

/// A writer may give a constant without elements a byte of its own.
#[test]
fn a_constant_without_elements_has_no_bytes_whatever_its_size() {
    let mut ir = Ir::default();
    let x = ir.parameter("2", "f32");
    let [begin, end] = [&[][..], &[]].map(|v| ir.constant(v));
    ir.bin.push(7);
    let y = ir.layer(
        "type=\"StridedSlice\" version=\"opset1\"",
        "<data begin_mask=\"\" end_mask=\"\"/>",
        &[x, begin, end],
    );
    ir.result(y);
    let one_byte = |xml: String| xml.replace("size=\"0\"", "size=\"1\"");
    let (files, output) = ir.run(one_byte, &iota(&[2]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(read(&files.path("out/l4.npy")), iota(&[2]));
}

#[test]
fn layers_without_a_version_and_in_any_order() {
    let change = |xml: String| {
        let xml = xml
            .replace(" version=\"opset8\"", "")
            .replace(" version=\"opset1\"", "");
        let (head, rest) = xml.split_once("<layers>\n").unwrap();
        let (layers, tail) = rest.split_once("</layers>").unwrap();
        let mut lines: Vec<_> = layers.lines().collect();
        lines.reverse();
        format!("{head}<layers>\n{}\n</layers>{tail}", lines.join("\n"))
    };
    let (files, output) = slice().run(change, &iota(&[1, 5]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(read(&files.path("out/l6.npy")).shape(), [1, 2]);
}

#[test]
fn outputs_are_called_as_their_tensors_and_inputs_have_both_names() {
    let change = |xml: String| {
        xml.replacen(
            "<port id=\"0\"><dim>",
            "<port id=\"0\" names=\"image,img\"><dim>",
            1,
        )
        .replace(
            "<port id=\"5\"><dim>",
            "<port id=\"5\" names=\"crop\"><dim>",
        )
    };
    let ir = slice();
    let (files, output) = ir.run(change, &iota(&[1, 5]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(common::names_in(&files.path("out")), ["crop.npy"]);
    let input = format!("img={}", files.path("x.npy").display());
    let model = files.path("m.xml");
    let output = xslice(&["run", &model.to_string_lossy(), "--input", &input]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Two Results of one tensor, of which one says itself how it is called; and a name with a comma.
#[test]
fn results_are_called_as_they_say() {
    let mut ir = slice();
    ir.layer(
        "type=\"Result\" version=\"opset1\" output_names=\"again\"",
        "",
        &[5],
    );
    let change = |xml: String| {
        let port = "<port id=\"5\"><dim>";
        xml.replace(port, "<port id=\"5\" names=\"a\\,b, c\"><dim>")
    };
    let (files, output) = ir.run(change, &iota(&[1, 5]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    // The name is `a,b`; that of its file has no comma.
    let names = common::names_in(&files.path("out"));
    assert_eq!(names, ["a_b.npy", "again.npy"]);
}

#[test]
fn strided_slice_with_masks_and_reshapes_around_it() {
    let mut ir = Ir::default();
    let x = ir.parameter("...", "FP32");
    let shape = ir.constant(&[0, -1]);
    let reshape = "<data special_zero=\"true\"/>";
    let flat = ir.layer("type=\"Reshape\" version=\"opset1\"", reshape, &[x, shape]);
    let [begin, end] = [&[9, 1][..], &[9, 0]].map(|v| ir.constant(v));
    let masks = "<data begin_mask=\"1, 0\" end_mask=\"1,1\" shrink_axis_mask=\"0\"/>";
    let cut = ir.layer(
        "type=\"StridedSlice\" version=\"opset1\"",
        masks,
        &[flat, begin, end],
    );
    let axes = ir.constant(&[0]);
    let wide = ir.layer("type=\"Unsqueeze\" version=\"opset1\"", "", &[cut, axes]);
    let same = ir.layer("type=\"Identity\" version=\"opset16\"", "", &[wide]);
    let squeeze = "type=\"Squeeze\" version=\"opset1\"";
    let thin = ir.layer(squeeze, "", &[same, axes]);
    ir.result(wide);
    ir.result(thin);
    // An axis of another size stays, and of an empty list are all of size 1.
    let [stays, none] = [&[1, 0][..], &[]].map(|axes| ir.constant(axes));
    let also_thin = [
        (squeeze, "", stays),
        (squeeze, "", none),
        (
            "type=\"Squeeze\" version=\"opset15\"",
            "<data allow_axis_skip=\"true\"/>",
            axes,
        ),
    ];
    let also_thin = also_thin.map(|(kind, data, axes)| {
        let thin = ir.layer(kind, data, &[same, axes]);
        ir.result(thin)
    });
    let (files, output) = ir.run(no_change, &iota(&[2, 2, 2]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let floats = [1.0f32, 2.0, 3.0, 5.0, 6.0, 7.0];
    assert_eq!(
        read(&files.path("out/l10.npy")),
        Tensor::new(&[1, 2, 3], &floats).unwrap()
    );
    assert_eq!(
        read(&files.path("out/l11.npy")),
        Tensor::new(&[2, 3], &floats).unwrap()
    );
    for result in also_thin {
        let name = format!("out/l{result}.npy");
        assert_eq!(read(&files.path(&name)).shape(), [2, 3]);
    }
}

/// Every change must give one line with these words and no output.
fn refused(ir: &Ir, change: impl Fn(String) -> String, words: &[&str]) {
    let (files, output) = ir.run(change, &iota(&[2, 4]));
    let line = refusal(&output);
    for word in words {
        assert!(line.contains(word), "`{word}` is missing in: {line}");
    }
    assert_eq!(files.names(), ["m.bin", "m.xml", "x.npy"]);
}

#[test]
fn numbers_and_structure() {
    let ir = slice();
    let replace = |from: &'static str, to: &'static str| {
        move |xml: String| {
            assert!(xml.contains(from), "{from}");
            xml.replacen(from, to, 1)
        }
    };
    let case = |from, to, words: &[&str]| refused(&ir, replace(from, to), words);
    case(
        "id=\"5\"",
        "id=\"five\"",
        &["m.xml", "`l5`", "`id`", "five", "E503"],
    );
    case(
        "layer id=\"5\"",
        "layer id=\"4\"",
        &["`l5`", "layer id 4", "twice", "E503"],
    );
    // What Rust reads as a number may have a plus, no number of an IR has one.
    case("id=\"5\"", "id=\"+5\"", &["`l5`", "`id`", "`+5`", "E503"]);
    case("opset8", "opset+8", &["`l5`", "version +8", "(allowed: 8)"]);
    case(
        "offset=\"24\"",
        "offset=\"+24\"",
        &["`offset` is `+24`", "0..=18446744073709551615", "E503"],
    );
    case(
        "from-port=\"0\"",
        "from-port=\"-1\"",
        &["`from-port`", "-1", "E503"],
    );
    case(
        "from-layer=\"0\"",
        "from-layer=\"18446744073709551616\"",
        &[
            "`from-layer`",
            "an integer, 0..=18446744073709551615",
            "E503",
        ],
    );
    case(
        "from-layer=\"0\"",
        "from-layer=\"77\"",
        &["layer 77", "E503"],
    );
    case(
        "to-port=\"4\"",
        "to-port=\"3\"",
        &["two edges", "port 3", "`l5`", "E503"],
    );
    case(
        "to-port=\"4\"",
        "to-port=\"9\"",
        &["port 9", "`l5`", "E503"],
    );
    case(
        "from-port=\"5\"",
        "from-port=\"8\"",
        &["output port 8", "`l5`", "E503"],
    );
    let range = "(allowed: an integer, 0..=9223372036854775807, -1, ? or a range such as 1..10, ";
    for dim in [
        "x",
        "-2",
        "+4",
        "3.5",
        "9223372036854775808",
        "10..1",
        "1..x",
        "1..+9",
    ] {
        let change = |xml: String| xml.replacen("?,1..10", &format!("?,{dim}"), 1);
        let found = format!("`{dim}`");
        refused(&ir, change, &["`l0`", "`shape`", &found, range, "E503"]);
    }
    case("?,1..10", "2,5", &["l0", "operand-shape"]);
    case(
        "element_type=\"f32\"",
        "element_type=\"i64\"",
        &["l0", "operand-type"],
    );
    case(
        "element_type=\"f32\"",
        "element_type=\"u4\"",
        &["l0", "`u4` is not moved (allowed: boolean, i8, ", "E504"],
    );
    case(
        "element_type=\"f32\"",
        "element_type=\"c64\"",
        &["l0", "c64", "E503"],
    );
    case(
        "offset=\"24\"",
        "offset=\"25\"",
        &["`l4`", "25", "32 bytes", "E503"],
    );
    case(
        "offset=\"24\"",
        "offset=\"18446744073709551615\"",
        &["`l4`", "E503"],
    );
    case("size=\"8\"", "size=\"7\"", &["`l1`", "`size`", "E503"]);
    case("shape=\"1\"", "shape=\"?\"", &["`l1`", "`shape`", "E503"]);
    case(
        "shape=\"1\"",
        "shape=\"4294967296,4294967296\"",
        &["`l1`", "too-large"],
    );
    case("<edges>", "<edgez>", &["not XML", "E502"]);
    case(
        "version=\"11\"",
        "version=\"7\"",
        &["IR version `7`", "10 or 11", "E502"],
    );
    case(
        "<?xml version=\"1.0\"?>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]>",
        &["not XML", "E502"],
    );
    case("<net ", "<met ", &["E502"]);
}

#[test]
fn operators() {
    let ir = slice();
    let case = |from: &'static str, to: &'static str, words: &[&str]| {
        let change = |xml: String| {
            assert!(xml.contains(from), "{from}");
            xml.replacen(from, to, 1)
        };
        refused(&ir, change, words);
    };
    case(
        "opset8",
        "opset9",
        &[
            "`l5`",
            "openvino::Slice@9",
            "(allowed: 8)",
            "unknown-version",
        ],
    );
    case("opset8", "extension", &["`l5`", "extension::Slice", "E504"]);
    case(
        "opset8",
        "opset",
        &["`l5`", "`version`", "such as opset8", "E503"],
    );
    case(
        "type=\"Slice\"",
        "type=\"Gather\"",
        &["`l5`", "Gather", "E504"],
    );
    case(
        "opset8\">",
        "opset8\"><data axis=\"1\"/>",
        &["`l5`", "axis", "no attribute"],
    );
    case(
        "type=\"Slice\" version=\"opset8\"",
        "type=\"Reshape\"",
        &["`l5`", "5 inputs"],
    );
}

#[test]
fn rules() {
    let mut ir = Ir::default();
    let x = ir.parameter("2,4", "f32");
    let [start, stop, step] = [&[0][..], &[2], &[0]].map(|v| ir.constant(v));
    let y = ir.layer(
        "type=\"Slice\" version=\"opset8\"",
        "",
        &[x, start, stop, step],
    );
    ir.result(y);
    refused(&ir, no_change, &["node `l4`", "openvino::Slice@8", "E201"]);

    let mut ir = Ir::default();
    let x = ir.parameter("2,4", "f32");
    let start = ir.constant(&[0]);
    let y = ir.layer("type=\"Slice\" version=\"opset8\"", "", &[x, start, start]);
    ir.result(y);
    refused(
        &ir,
        no_change,
        &["node `l2`", "`step`", "missing-attribute"],
    );

    for (mask, word) in [
        ("0,2", "2"),
        ("0,x", "`x`"),
        ("0,+1", "`+1`"),
        ("9223372036854775808", "9223372036854775808"),
    ] {
        let mut ir = Ir::default();
        let x = ir.parameter("2,4", "f32");
        let start = ir.constant(&[0, 0]);
        let data = format!("<data begin_mask=\"{mask}\"/>");
        let attributes = "type=\"StridedSlice\" version=\"opset1\"";
        let y = ir.layer(attributes, &data, &[x, start, start]);
        ir.result(y);
        refused(
            &ir,
            no_change,
            &["node `l2`", "begin_mask", word, "0 or 1", "mask-value"],
        );
    }
}

#[test]
fn what_memory_does_not_hold_is_refused_before_the_tree_is_built() {
    let files = Files::new();
    let elements = "<a/>".repeat(3_000_000);
    let path = files.write("m.xml", format!("<net>{elements}</net>"));
    let line = refusal(&xslice_within(200 << 10, &["run", path.to_str().unwrap()]));
    assert!(line.contains("no memory"), "{line}");
}

#[test]
fn a_cycle_is_refused() {
    let mut ir = slice();
    ir.edges = ir.edges.replacen(
        "from-layer=\"0\" from-port=\"0\"",
        "from-layer=\"5\" from-port=\"5\"",
        1,
    );
    refused(&ir, no_change, &["`l5`", "cycle", "E503"]);
}

#[test]
fn a_missing_bin_and_missing_edges() {
    let ir = slice();
    let files = Files::new();
    let model = files.write("m.xml", ir.xml());
    let line = refusal(&xslice(&["run", &model.to_string_lossy()]));
    assert!(line.contains("m.bin") && line.contains("E501"), "{line}");
    let cut = |xml: String| {
        let lines = xml.lines().filter(|line| !line.contains("to-port=\"2\""));
        lines.collect::<Vec<_>>().join("\n")
    };
    refused(&ir, cut, &["`l5`", "no edge", "port 2", "E503"]);
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let mut xml = String::from("<net version=\"11\"><layers>");
    let mut edges = String::new();
    let count = 20_000;
    for at in 0..count {
        let kind = match at {
            0 => "type=\"Parameter\"><data shape=\"3\" element_type=\"f32\"/",
            _ if at == count - 1 => "type=\"Result\"",
            _ => "type=\"Identity\"",
        };
        let input = if at == 0 {
            ""
        } else {
            "<input><port id=\"0\"/></input>"
        };
        write!(
            xml,
            "<layer id=\"{at}\" name=\"l{at}\" {kind}>{input}<output><port id=\"1\"/></output></layer>"
        )
        .unwrap();
        if at > 0 {
            let from = at - 1;
            write!(
                edges,
                "<edge from-layer=\"{from}\" from-port=\"1\" to-layer=\"{at}\" to-port=\"0\"/>"
            )
            .unwrap();
        }
    }
    write!(xml, "</layers><edges>{edges}</edges></net>").unwrap();
    let options = xslice_cli::import::Options::default();
    let bin = std::path::Path::new("none.bin");
    let model = xslice_cli::import::openvino::import(&xml, bin, &options).unwrap();
    assert_eq!((model.inputs.len(), model.outputs.len()), (1, 1));
}

#[test]
fn the_name_of_a_layer_goes_before_another_name_of_one_above() {
    let parameter = |id: usize, name: &str, dims: usize, also: &str| {
        format!(
            "<layer id=\"{id}\" name=\"{name}\" type=\"Parameter\" version=\"opset1\"><data shape=\"{dims}\" \
             element_type=\"f32\"/><output><port id=\"0\" names=\"{also}\"/></output></layer>"
        )
    };
    let result = |id: usize| {
        format!(
            "<layer id=\"{id}\" name=\"r{id}\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer>"
        )
    };
    let edge = |from: usize, to: usize| {
        format!("<edge from-layer=\"{from}\" from-port=\"0\" to-layer=\"{to}\" to-port=\"0\"/>")
    };
    let layers = [
        parameter(0, "x", 4, "y"),
        parameter(1, "y", 3, "z"),
        result(2),
        result(3),
    ];
    let edges = [edge(0, 2), edge(1, 3)].concat();
    let net = format!(
        "<net name=\"m\" version=\"11\"><layers>{}</layers><edges>{edges}</edges></net>",
        layers.concat()
    );
    let files = Files::new();
    let path = files.write("m.xml", net).display().to_string();
    let four = files.tensor("four.npy", &iota(&[4])).display().to_string();
    let three = files.tensor("three.npy", &iota(&[3])).display().to_string();
    for second in ["y", "z"] {
        let (x, y) = (format!("x={four}"), format!("{second}={three}"));
        let output = xslice(&["run", &path, "--input", &x, "--input", &y]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let both = [format!("x={four}"), format!("x={four}")];
    let line = refusal(&xslice(&["run", &path, "-i", &both[0], "-i", &both[1]]));
    assert!(line.contains("`x` is given twice"), "{line}");
}
