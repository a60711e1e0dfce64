//! Pictures in and out: `.png` files, and what `explain --svg` draws.

mod common;

use common::{Files, any, graph, iota, list, model, read, refusal, text, xslice};
use std::path::Path;
use xslice::Tensor;
use xslice_cli::onnx::NodeProto;

/// `index`, with the path of its output.
fn index(notation: &str, file: &Path, out: &Path) -> std::process::Output {
    let args = ["index".as_ref(), notation.as_ref(), file.as_os_str()];
    xslice(&[&args[..], &["-o".as_ref(), out.as_os_str()]].concat())
}

/// 3 x 2 pixels RGBA, bytes 0, 1, 2, ..., as zlib packs them.
const RGBA: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x08\x06\x00\x00\x00\x9dtf\x1a\
    \x00\x00\x00\x22IDATx\xda\x63\x60\x60\x64\x62\x66\x61\x65\x63\xe7\xe0\xe4\xe2\x66\xe0\xe1\xe5\xe3\x17\x10\x14\x12\x16\x11\
    \x15\x13\x07\x00\x09\x58\x01\x15\x56\x0a\x03\xf9\x00\x00\x00\x00IEND\xaeB\x60\x82";

#[test]
fn index_reads_and_writes_png() {
    let files = Files::new();
    let image = files.write("in.png", RGBA);
    let out = files.path("out.png");
    let output = index("x[:, ::-1, 0:3]", &image, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("out.png  u8 [2, 3, 3]\n"));
    let expected = [
        8u8, 9, 10, 4, 5, 6, 0, 1, 2, 20, 21, 22, 16, 17, 18, 12, 13, 14,
    ];
    assert_eq!(read(&out), Tensor::new(&[2, 3, 3], &expected).unwrap());
    let output = index("x[..., 1]", &image, &out);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let green = Tensor::new(&[2, 3], &[1u8, 5, 9, 13, 17, 21]).unwrap();
    assert_eq!(read(&out), green);
    assert_eq!(files.names(), ["in.png", "out.png"]);
}

#[test]
fn what_is_no_image_is_refused_and_nothing_written() {
    let files = Files::new();
    let image = files.write("in.png", RGBA);
    let floats = files.tensor("x.npy", &iota(&[2, 3]));
    let cut = files.write("cut.png", &RGBA[..60]);
    let out = files.path("out.png");
    let all = files.names();
    for (notation, file, words) in [
        ("x", &floats, ["f32 [2, 3]", "u8 or u16", ".npy", "E502"]),
        ("x[0, 0]", &image, ["u8 [4]", "u8 or u16", ".npy", "E502"]),
        ("x[0:0]", &image, ["[0, 3, 4]", "u8 or u16", ".npy", "E502"]),
        ("x", &cut, ["cut.png", "PNG", "not a whole", "E502"]),
    ] {
        let line = refusal(&index(notation, file, &out));
        for word in words {
            assert!(line.contains(word), "`{word}` is missing in: {line}");
        }
        assert_eq!(files.names(), all);
    }
    let args = ["index", "x", &image.display().to_string(), "--max-bytes"];
    let line = refusal(&xslice(&[&args[..], &["20"]].concat()));
    assert!(line.contains("--max-bytes"), "{line}");
    // That file is larger than the limit; this one is smaller, its pixels are not.
    let squeezed = files.path("flat.png");
    let flat = files.tensor("flat.npy", &Tensor::new(&[64, 64], &[0u8; 4096]).unwrap());
    assert!(index("x", &flat, &squeezed).status.success());
    let args = ["index", "x", &squeezed.display().to_string(), "--max-bytes"];
    let line = refusal(&xslice(&[&args[..], &["4095"]].concat()));
    assert!(line.contains("the image takes 4096 bytes"), "{line}");
}

/// The picture that `explain` draws: checked for what every picture is.
fn draw(files: &Files, args: &[&str]) -> String {
    let path = files.path("x.svg");
    let svg = path.display().to_string();
    let output = xslice(&[&["explain"], args, &["--svg", &svg]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let drawn = std::fs::read_to_string(path).unwrap();
    let parsed = roxmltree::Document::parse(&drawn).unwrap();
    let root = parsed.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    let known = ["svg", "style", "rect", "text", "g", "title", "path"];
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{node:?}");
        assert!(node.attributes().all(|a| !a.name().starts_with("on")));
    }
    assert!(drawn.contains("@media (prefers-color-scheme:dark)"));
    assert!(drawn.len() < 200_000, "{} bytes", drawn.len());
    drawn
}

/// Number and path of each taken cell, in the order of the file: first the source's, then the result's.
fn cells(svg: &str) -> Vec<(String, String)> {
    let parsed = roxmltree::Document::parse(svg).unwrap();
    let groups = parsed.descendants().filter(|node| node.has_tag_name("g"));
    let part = |group: roxmltree::Node<'_, '_>, name: &str| {
        let mut parts = group.children().filter(|child| child.has_tag_name(name));
        parts.next().unwrap().text().unwrap().to_string()
    };
    groups
        .map(|group| (part(group, "text"), part(group, "title")))
        .collect()
}

/// All texts of a picture.
fn words(svg: &str) -> String {
    let parsed = roxmltree::Document::parse(svg).unwrap();
    let texts = parsed
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter_map(|node| node.text())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_picture_shows_what_is_taken_in_which_order() {
    let files = Files::new();
    let svg = draw(&files, &["<f32[3, 3]> x[1:, ::-2]"]);
    let expected = [
        ("1", "x[1, 0] → result[0, 1]"),
        ("0", "x[1, 2] → result[0, 0]"),
        ("3", "x[2, 0] → result[1, 1]"),
        ("2", "x[2, 2] → result[1, 0]"),
        ("0", "x[1, 2] → result[0, 0]"),
        ("1", "x[1, 0] → result[0, 1]"),
        ("2", "x[2, 2] → result[1, 0]"),
        ("3", "x[2, 0] → result[1, 1]"),
    ];
    let expected = expected.map(|(number, path)| (number.to_string(), path.to_string()));
    assert_eq!(cells(&svg), expected);
    let words = words(&svg);
    for word in [
        "x: f32 [3, 3]",
        "verdict",
        "move",
        "auto",
        "nest f32",
        "for i in 0..2",
    ] {
        assert!(words.contains(word), "`{word}` is missing in: {words}");
    }
}

#[test]
fn constant_indices_are_drawn_and_repeats_are_marked() {
    let files = Files::new();
    let svg = draw(&files, &["<u8[5]> x[[4, 0, -1, 1, 0]]"]);
    let source: Vec<_> = cells(&svg).into_iter().take(3).collect();
    let of = |number: &str, path: &str| (number.to_string(), path.to_string());
    assert_eq!(
        source,
        [
            of("1+", "x[0] → result[1]; x[0] → result[4]"),
            of("3", "x[1] → result[3]"),
            of("0+", "x[4] → result[0]; x[4] → result[2]"),
        ]
    );
}

#[test]
fn indices_of_a_call_are_drawn_where_they_are_given() {
    let files = Files::new();
    let notation = "<f32[4, 2], ids: i64[2]> x[@ids]";
    let unknown = draw(&files, &[notation]);
    assert!(words(&unknown).contains("--input NAME=FILE draws them"));
    assert!(
        cells(&unknown)
            .iter()
            .all(|(_, path)| path.starts_with("result["))
    );
    let ids = files.tensor("ids.npy", &Tensor::vector(&[3, -4]));
    let input = format!("ids={}", ids.display());
    let known = draw(&files, &[notation, "--input", &input]);
    assert!(!words(&known).contains("--input"));
    assert_eq!(
        cells(&known)[0],
        ("2".into(), "x[0, 0] → result[1, 0]".into())
    );
    files.tensor("ids.npy", &Tensor::vector(&[3, 4]));
    std::fs::remove_file(files.path("x.svg")).unwrap();
    let svg = files.path("x.svg").display().to_string();
    let line = refusal(&xslice(&[
        "explain", notation, "--input", &input, "--svg", &svg,
    ]));
    assert!(
        line.contains("`indices[1]` = 4") && line.contains("-4..=3"),
        "{line}"
    );
    assert_eq!(files.names(), ["ids.npy"]);
}

#[test]
fn large_arrays_are_drawn_by_their_corners() {
    let files = Files::new();
    let svg = draw(
        &files,
        &["<u8[64, 1080, 1920, 4]> x[3:, 100:900, ::-1, 0:3]"],
    );
    let cells = cells(&svg);
    assert!(cells.iter().any(|(number, path)| {
        number == "5759" && path == "x[3, 100, 0, 2] → result[0, 0, 1919, 2]"
    }));
    let words = words(&svg);
    assert!(
        words.contains("more of 69120 panels") && words.contains('⋮'),
        "{words}"
    );
    let long = format!("<u8[{}]> x[...]", ["1"; 40].join(", "));
    draw(&files, &[&long]);
    for empty in [
        "<u8[0, 4]> x",
        "<u8[4]> x[2:2]",
        "<u8[]> x[...]",
        "<i64> onnx::Range@11(start=1, limit=9, delta=2)",
    ] {
        draw(&files, &[empty]);
    }
}

#[test]
fn names_in_a_picture_are_only_text() {
    let files = Files::new();
    let name = "</text><script>&\"'\u{1}\u{ffff}";
    let mut graph = graph(
        vec![NodeProto::new("Slice", "cut", &["x", "s", "e"], &[name])],
        vec![list("s", &[1]), list("e", &[4])],
    );
    graph.output = vec![any(name, common::FLOAT)];
    let path = files
        .model("m.onnx", &model(13, graph))
        .display()
        .to_string();
    let svg = draw(&files, &[&path, "--shape", "x=6"]);
    assert!(words(&svg).contains("</text><script>&\"'"));
}

#[test]
fn what_is_no_single_nest_is_refused() {
    let files = Files::new();
    let mut graph = graph(
        vec![
            NodeProto::new("Gather", "g", &["x", "ids"], &["a"]),
            NodeProto::new("Reshape", "r", &["a", "dims"], &["b"]),
            NodeProto::new("Slice", "s", &["b", "from", "to"], &["y"]),
        ],
        vec![list("dims", &[7, 3]), list("from", &[1]), list("to", &[6])],
    );
    graph.input.push(any("ids", common::INT64));
    let path = files
        .model("m.onnx", &model(13, graph))
        .display()
        .to_string();
    let svg = files.path("x.svg").display().to_string();
    let shapes = ["--shape", "x=9,7", "--shape", "ids=3"];
    let line = refusal(&xslice(
        &[&["explain", &path, "--svg", &svg], &shapes[..]].concat(),
    ));
    assert!(line.contains("2 nests") && line.contains("E504"), "{line}");
    assert_eq!(files.names(), ["m.onnx"]);
}

#[test]
fn explain_says_why_a_move_is_no_faster_one_and_what_auto_runs() {
    for (notation, words) in [
        (
            "<u8[64000]> x[1:]",
            &["one contiguous run", "runner always: copying"][..],
        ),
        (
            "<u8[64000, 4]> x[:, :3]",
            &[
                "move     shuffle: ",
                "no copy: ",
                "up to 1.3 times",
                "auto     runner ",
            ],
        ),
        (
            "<f32[4, 640]> x[:, ::40]",
            &[
                "64 runs of 4 bytes",
                "no shuffle: ",
                "baked from request 17",
                "up to 16.0 times",
            ],
        ),
        (
            "<f32[9, 64], ids: i64[5]> x[@ids]",
            &["move     lookup: an index at run time", "no shuffle: "],
        ),
        (
            "<f32[640, 64], ids: i64[12]> x[:, @ids]",
            &["the same for every turn", "runner always: turns share"],
        ),
        (
            "<string[4]> x[1:]",
            &["clone: strings", "runner always: strings"],
        ),
        (
            "<i64> onnx::Range@11(start=1, limit=9, delta=2)",
            &["fill: values are computed"],
        ),
        (
            "<f32[4]> x[2:2]",
            &["runner always: there is nothing to move"],
        ),
    ] {
        let shown = text(&xslice(&["explain", notation]).stdout);
        for word in words {
            assert!(shown.contains(word), "`{word}` is missing in: {shown}");
        }
        assert!(shown.contains("times what is needed"), "{shown}");
    }
}
