//! The commands as a user starts them: files in, files out, exit codes.

mod common;

use common::{
    Files, INT64, any, graph, iota, list, model, names_in, read, refusal, text, xslice,
    xslice_within,
};
use std::process::Command;
use xslice::{ElementType, Tensor};
use xslice_cli::onnx::{AttributeProto, ModelProto, NodeProto, ValueInfoProto};
use xslice_cli::to_proto;

fn args(list: &[&dyn AsRef<std::ffi::OsStr>]) -> Vec<std::ffi::OsString> {
    list.iter().map(|arg| arg.as_ref().to_os_string()).collect()
}

#[test]
fn help_teaches_and_wrong_usage_is_2() {
    for command in [
        &["--help"][..],
        &["run", "--help"],
        &["check", "--help"],
        &["index", "--help"],
        &["explain", "--help"],
        &["emit", "--help"],
        &["bench", "--help"],
    ] {
        let output = xslice(command);
        assert!(output.status.success());
        assert!(
            text(&output.stdout).contains("Examples:\n  xslice "),
            "{command:?}"
        );
    }
    let wrong = [
        &[][..],
        &["nonsense"],
        &["run"],
        &["check"],
        &["run", "m.onnx", "--engine", "gpu"],
        &["run", "m.onnx", "--max-bytes", "many"],
    ];
    for command in wrong {
        assert_eq!(xslice(command).status.code(), Some(2), "{command:?}");
    }
}

#[test]
fn run_writes_every_output_or_none() {
    let mut graph = graph(
        vec![NodeProto::new("Gather", "g", &["x", "ids"], &["../y\n"])],
        vec![],
    );
    graph.input.push(any("ids", INT64));
    graph.output = vec![any("x", 1), any("../y\n", 1)];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let x = format!("x={}", files.tensor("x.npy", &iota(&[3, 2])).display());
    let out = files.path("deep/out");
    for (engine, row) in [("interp", 2), ("runner", 0), ("jit", -1)] {
        let ids = files.tensor("ids.pb", &Tensor::vector(&[row]));
        let ids = format!("ids={}", ids.display());
        let run = args(&[
            &"run",
            &path,
            &"-i",
            &x,
            &"-i",
            &ids,
            &"-o",
            &out,
            &"--engine",
            &engine,
        ]);
        let output = xslice(&run);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(names_in(&out), ["_._y_.npy", "x.npy"]);
        let first = 2.0 * (row.rem_euclid(3) as f32);
        let expected = Tensor::new(&[1, 2], &[first, first + 1.0]).unwrap();
        assert_eq!(read(&out.join("_._y_.npy")), expected);
    }
    std::fs::remove_dir_all(files.path("deep")).unwrap();
    // The second output is refused: the first is not written either.
    let ids = files.tensor("ids.pb", &Tensor::vector(&[3]));
    let ids = format!("ids={}", ids.display());
    for engine in ["interp", "runner", "jit"] {
        let run = args(&[
            &"run",
            &path,
            &"-i",
            &x,
            &"-i",
            &ids,
            &"-o",
            &out,
            &"--engine",
            &engine,
        ]);
        let line = refusal(&xslice(&run));
        assert!(
            line.contains("node `g`") && line.contains("-3..=2"),
            "{line}"
        );
        assert!(!out.exists());
    }
}

#[test]
fn run_prints_a_table_without_a_directory() {
    let files = Files::new();
    let path = files.model("m.onnx", &common::slice_model());
    let x = format!("x={}", files.tensor("x.npy", &iota(&[6, 20])).display());
    let output = xslice(&args(&[&"run", &path, &"--input", &x]));
    assert_eq!(
        text(&output.stdout),
        "name  type  shape    elements\ny     f32   [3, 20]  20 21 22 23 24 25 26 27 ...\n"
    );
}

#[test]
fn arguments_that_do_not_fit_the_model() {
    let files = Files::new();
    let path = files.model("m.onnx", &common::slice_model());
    let x = files.tensor("x.npy", &iota(&[6]));
    let text_file = files.write("x.txt", "1 2 3");
    let given = format!("x={}", x.display());
    let case = |list: &[&dyn AsRef<std::ffi::OsStr>], words: &[&str]| {
        let line = refusal(&xslice(&args(list)));
        for word in words {
            assert!(line.contains(word), "`{word}` is missing in: {line}");
        }
    };
    case(&[&"run", &path], &["`x`", "--input NAME=FILE", "E505"]);
    case(&[&"run", &path, &"-i", &"x"], &["NAME=FILE", "E505"]);
    case(
        &[&"run", &path, &"-i", &"z=a.npy"],
        &["`z`", "allowed: x", "E505"],
    );
    case(
        &[&"run", &path, &"-i", &given, &"-i", &given],
        &["`x`", "twice", "E505"],
    );
    case(
        &[&"run", &path, &"-i", &"x=missing.npy"],
        &["missing.npy", "E501"],
    );
    let wrong = format!("x={}", text_file.display());
    case(
        &[&"run", &path, &"-i", &wrong],
        &["x.txt", ".npy, .pb, .png", "E502"],
    );
    case(&[&"run", &text_file], &["x.txt", ".onnx", "E502"]);
    case(
        &[&"run", &path, &"-i", &given, &"--max-bytes", &"100"],
        &["too-large", "--max-bytes"],
    );
    case(
        &[&"run", &path, &"-i", &given, &"-o", &text_file],
        &["x.txt", "E501"],
    );
    case(&[&"run", &files.path(".")], &["E502"]);
    case(&[&"explain", &path], &["`x`", "--shape", "E505"]);
    case(
        &[&"explain", &path, &"--shape", &"x=1,b"],
        &["--shape", "`1,b`", "E505"],
    );
}

#[test]
fn results_larger_than_the_limit_are_refused_before_they_are_allocated() {
    let scalar = |name: &str, value: i64| to_proto(name, &Tensor::scalar(value));
    let mut graph = graph(
        vec![NodeProto::new("Range", "huge", &["a", "b", "c"], &["y"])],
        vec![scalar("a", 0), scalar("b", i64::MAX), scalar("c", 1)],
    );
    graph.input.clear();
    graph.output = vec![any("y", INT64)];
    let files = Files::new();
    let path = files.model("m.onnx", &model(11, graph));
    for engine in ["interp", "runner", "jit"] {
        let line = refusal(&xslice(&args(&[&"run", &path, &"--engine", &engine])));
        assert!(
            line.contains("node `huge`") && line.contains("too-large"),
            "{line}"
        );
    }
}

/// The result of 160 MiB is computed, and for the bytes of its file there is no memory.
#[test]
fn a_refused_run_leaves_no_folder_that_it_made() {
    let node = NodeProto::new("Gather", "g", &["x", "i"], &["y"]);
    let files = Files::new();
    let repeats = model(13, graph(vec![node], vec![list("i", &[0; 160])]));
    let path = files.model("m.onnx", &repeats);
    let x = Tensor::zeros(ElementType::F32, &[1, 1 << 18]).unwrap();
    let x = format!("x={}", files.tensor("x.npy", &x).display());
    let run = |folder: &str, kib: u64| {
        let folder = files.path(folder);
        let args = args(&[&"run", &path, &"-i", &x, &"--output-dir", &folder]);
        let args: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
        xslice_within(kib, &args)
    };
    std::fs::create_dir(files.path("there")).unwrap();
    for folder in ["new", "new/and/deep", "there", "there/deep/.."] {
        let line = refusal(&run(folder, 256 << 10));
        assert!(line.contains("no memory"), "{line}");
        assert_eq!(files.names(), ["m.onnx", "there", "x.npy"], "{folder}");
        assert_eq!(names_in(&files.path("there")), [""; 0], "{folder}");
    }
    assert_eq!(run("new/and/deep", 1 << 20).status.code(), Some(0));
    assert_eq!(names_in(&files.path("new/and/deep")), ["y.npy"]);
}

#[test]
fn the_dialect_reaches_the_operators() {
    let node = NodeProto::new("Slice", "s", &["x", "s", "e", "", "t"], &["y"]);
    let parameters = vec![list("s", &[-1]), list("e", &[i64::MAX]), list("t", &[-1])];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph(vec![node], parameters)));
    let x = format!("x={}", files.tensor("x.npy", &iota(&[3])).display());
    for (dialect, shape) in [("standard", "[0]"), ("onnxruntime", "[3]")] {
        let output = xslice(&args(&[&"run", &path, &"-i", &x, &"--dialect", &dialect]));
        let table = text(&output.stdout);
        assert!(table.contains(shape), "{dialect}: {table}");
    }
}

#[test]
fn explain_shows_the_nest_the_verdict_and_the_bytes() {
    let files = Files::new();
    let path = files.model("m.onnx", &common::slice_model());
    let output = xslice(&args(&[
        &"explain", &path, &"--shape", &"x=6,20", &"--code",
    ]));
    let shown = text(&output.stdout);
    for word in [
        "operand  x: f32 [6, 20]",
        "result   y: f32 [3, 20]",
        "nest f32 block 60",
        "a view of `x`",
        "one copy",
        "240 read, 240 written",
    ] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    assert!(
        shown.contains("keyed") && shown.contains("baked"),
        "{shown}"
    );
}

/// A test directory: model, inputs, outputs.
fn directory(files: &Files, name: &str, model: &ModelProto, x: &Tensor, y: Option<&Tensor>) {
    files.model(&format!("{name}/model.onnx"), model);
    files.tensor(&format!("{name}/test_data_set_0/input_0.pb"), x);
    if let Some(y) = y {
        files.tensor(&format!("{name}/test_data_set_0/output_0.pb"), y);
    }
}

#[test]
fn check_counts_what_passes_fails_and_is_skipped() {
    let files = Files::new();
    let good = Tensor::new(&[3], &[1.0f32, 2.0, 3.0]).unwrap();
    let slice = common::slice_model();
    directory(&files, "a/passes", &slice, &iota(&[6]), Some(&good));
    directory(&files, "b/differs", &slice, &iota(&[6]), Some(&iota(&[3])));
    directory(
        &files,
        "c/shape",
        &slice,
        &iota(&[6]),
        Some(&Tensor::new(&[3, 1], &[1.0f32, 2.0, 3.0]).unwrap()),
    );
    let relu = model(
        13,
        graph(vec![NodeProto::new("Relu", "r", &["x"], &["y"])], vec![]),
    );
    directory(&files, "d/skipped", &relu, &iota(&[6]), Some(&good));
    files.tensor("e/no_model/input_0.npy", &good);
    directory(&files, "f/garbage", &slice, &iota(&[6]), Some(&good));
    files.write("f/garbage/model.onnx", b"garbage");
    directory(&files, "g/second", &slice, &iota(&[6]), Some(&good));
    files.tensor("g/second/test_data_set_7/input_0.pb", &iota(&[6]));
    files.tensor("g/second/test_data_set_7/output_0.pb", &iota(&[3]));
    let root = files.path("");
    let output = xslice(&args(&[&"check", &"--engine", &"all", &root]));
    let shown = text(&output.stdout);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines.len(), 7, "{shown}");
    for (line, words) in lines.iter().zip([
        ["b/differs", "element [0] is 1, expected 0"],
        ["c/shape", "f32 [3], expected f32 [3, 1]"],
        ["e/no_model", "no model.onnx"],
        ["f/garbage", "E502"],
        ["g/second: test_data_set_7: interp", "expected 0"],
    ]) {
        assert!(
            line.starts_with("FAIL ") && words.iter().all(|w| line.contains(w)),
            "{line}"
        );
    }
    assert_eq!(lines[5], "declined: 0");
    assert_eq!(lines[6], "1 passed, 5 failed, 1 skipped");
    let one = args(&[&"check", &"--engine", &"all", &files.path("a")]);
    let output = xslice(&one);
    assert!(output.status.success());
    assert!(text(&output.stdout).ends_with("declined: 0\n1 passed, 0 failed, 0 skipped\n"));
    let mut without = Command::new(env!("CARGO_BIN_EXE_xslice"));
    let output = without.args(&one).env("XSLICE_JIT", "off").output();
    let shown = text(&output.unwrap().stdout);
    assert!(
        shown.ends_with("declined: 2\n1 passed, 0 failed, 0 skipped\n"),
        "{shown}"
    );
    let arrays = Files::new();
    arrays.model("model.onnx", &slice);
    arrays.tensor("input_0.npy", &iota(&[6]));
    arrays.tensor("output_0.npy", &good);
    assert!(
        xslice(&args(&[&"check", &arrays.path("")]))
            .status
            .success()
    );
    std::fs::create_dir(files.path("empty")).unwrap();
    let line = refusal(&xslice(&args(&[&"check", &files.path("empty")])));
    assert!(line.contains("no test directory"), "{line}");
    let skipped = xslice(&args(&[&"check", &files.path("d")]));
    let said = text(&skipped.stderr);
    assert!(
        said.starts_with("SKIP ") && said.contains("onnx::Relu"),
        "{said}"
    );
    let line = refusal(&xslice(&args(&[
        &"check",
        &files.path("a/passes/model.onnx"),
    ])));
    assert!(line.contains("name the one that holds it"), "{line}");
}

#[test]
fn check_expects_refusals_by_rules_only() {
    let gather = |data: &str| {
        let node = NodeProto::new("Gather", "g", &[data, "ids"], &["y"]);
        let mut graph = graph(vec![node], vec![]);
        graph.input.push(any("ids", INT64));
        model(13, graph)
    };
    let files = Files::new();
    let case = |name: &str, model: &ModelProto, index: i64, expect: &str| {
        directory(&files, name, model, &iota(&[3]), None);
        files.tensor(
            &format!("{name}/test_data_set_0/input_1.pb"),
            &Tensor::vector(&[index]),
        );
        files.write(&format!("{name}/expect_error.txt"), expect);
    };
    case("a_any", &gather("x"), 3, "out of range\n");
    case("b_name", &gather("x"), 3, "kind=index-range\nmore\n");
    case("c_code", &gather("x"), -4, "kind=E212");
    case("d_kind", &gather("x"), 3, "kind=step-zero\n");
    case("e_fine", &gather("x"), 2, "");
    case("f_load", &gather("nobody"), 3, "");
    let mut relu = gather("x");
    relu.graph.as_mut().unwrap().node[0].op_type = "Relu".into();
    case("g_scope", &relu, 3, "");
    let axis = gather("x");
    let mut built = axis.clone();
    let node = &mut built.graph.as_mut().unwrap().node[0];
    node.attribute.push(AttributeProto::ints("axis", &[0]));
    case("h_built", &built, 0, "kind=parameter-type");
    let mut typed = axis;
    typed.graph.as_mut().unwrap().input[0] = ValueInfoProto::tensor("x", 1, &[7.into()]);
    case("i_shape", &typed, 0, "");
    let output = xslice(&args(&[&"check", &"--engine", &"all", &files.path("")]));
    let shown = text(&output.stdout);
    let failed: Vec<_> = shown
        .lines()
        .filter_map(|line| line.strip_prefix("FAIL "))
        .collect();
    assert!(
        shown.ends_with("4 passed, 5 failed, 0 skipped\n"),
        "{shown}"
    );
    for (line, words) in failed.iter().zip([
        ["d_kind", "expected step-zero"],
        ["e_fine", "not refused"],
        ["f_load", "not by a rule"],
        ["g_scope", "not by a rule"],
        ["i_shape", "not by a rule"],
    ]) {
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
    }
}

#[test]
fn check_binds_inputs_by_order_or_by_name_and_counts_declined_strings() {
    let files = Files::new();
    let node = NodeProto::new("Gather", "g", &["x", "ids"], &["y"]);
    let mut graph = graph(vec![node], vec![]);
    graph.input = vec![any("x", 8), any("ids", INT64)];
    graph.output = vec![any("y", 8)];
    let words = Tensor::new(&[2], &["a".to_string(), "b".to_string()]).unwrap();
    let expected = Tensor::new(&[1], &["b".to_string()]).unwrap();
    let path = "t/test_data_set_0";
    directory(&files, "t", &model(13, graph), &words, Some(&expected));
    files.tensor(&format!("{path}/input_1.pb"), &Tensor::vector(&[1]));
    let check = || text(&xslice(&args(&[&"check", &"--engine", &"all", &files.path("")])).stdout);
    assert_eq!(check(), "declined: 2\n1 passed, 0 failed, 0 skipped\n");
    // The names in the files contradict their order, and win.
    let named = |name: &str, tensor: &Tensor| {
        use xslice_cli::onnx::Message;
        to_proto(name, tensor).encode_to_vec()
    };
    files.write(
        &format!("{path}/input_0.pb"),
        named("ids", &Tensor::vector(&[1])),
    );
    files.write(&format!("{path}/input_1.pb"), named("x", &words));
    assert_eq!(check(), "declined: 2\n1 passed, 0 failed, 0 skipped\n");
}

#[test]
fn index_applies_the_notation_to_files() {
    let files = Files::new();
    let x = files.tensor("x.npy", &iota(&[3, 4]));
    let ids = files.tensor("ids.npy", &Tensor::vector(&[2, -3]));
    let ids = format!("ids={}", ids.display());
    let out = files.path("y.npy");
    for engine in ["interp", "runner", "jit"] {
        let notation = "x[@ids, ::-2]";
        let list = args(&[
            &"index",
            &notation,
            &x,
            &"--index",
            &ids,
            &"-o",
            &out,
            &"--engine",
            &engine,
        ]);
        let output = xslice(&list);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let expected = Tensor::new(&[2, 2], &[11.0f32, 9.0, 3.0, 1.0]).unwrap();
        assert_eq!(read(&out), expected);
        std::fs::remove_file(&out).unwrap();
    }
    let output = xslice(&args(&[&"index", &"x[1, ..., newaxis]", &x]));
    assert!(
        text(&output.stdout).contains("[4, 1]  4 5 6 7"),
        "{}",
        text(&output.stdout)
    );
    let start = format!(
        "s={}",
        files.tensor("s.npy", &Tensor::vector(&[2])).display()
    );
    let notation = "x |> onnx::Slice@13(starts = @s, ends = [9])";
    let output = xslice(&args(&[&"index", &notation, &x, &"--index", &start]));
    assert!(
        text(&output.stdout).contains("[1, 4]"),
        "{}",
        text(&output.stderr)
    );
    // Strings keep their own format.
    let words = Tensor::new(&[2], &["a".to_string(), "b".to_string()]).unwrap();
    let words = files.tensor("w.pb", &words);
    let list = args(&[&"index", &"w[::-1]", &words, &"-o", &files.path("w2.pb")]);
    assert!(xslice(&list).status.success());
    assert_eq!(read(&files.path("w2.pb")).strings().unwrap(), ["b", "a"]);
    refusal(&xslice(&args(&[
        &"index",
        &"w[::-1]",
        &words,
        &"-o",
        &files.path("w.npy"),
    ])));
    assert!(!files.path("w.npy").exists());
}

#[test]
fn index_refuses_in_one_line_and_writes_nothing() {
    let files = Files::new();
    let x = files.tensor("x.npy", &iota(&[3, 4]));
    let out = files.path("y.npy");
    let cases = [
        ("x[", "[E101 syntax]"),
        ("x[\n\n7]", "[E212 index-range]"),
        ("x[@ids]", "[E505 argument]"),
        ("<f32[4, 3]> x[0]", "operand-shape]"),
        ("<i32[3, 4]> x[0]", "operand-type]"),
        ("x[0, 0, 0]", "too-many-"),
        (
            "x |> onnx::Slice@12(starts = [0], ends = [1])",
            "unknown-version]",
        ),
        ("", "syntax]"),
    ];
    for (notation, word) in cases {
        let line = refusal(&xslice(&args(&[&"index", &notation, &x, &"-o", &out])));
        assert!(line.contains(word), "`{word}` is missing in: {line}");
        assert!(!out.exists());
    }
    let swapped = refusal(&xslice(&args(&[&"index", &x, &"x[0]"])));
    assert!(swapped.contains("the text comes first"), "{swapped}");
}

#[test]
fn the_dialect_reaches_the_operators_of_a_text() {
    let [none, all] = ["f32 [0]", "f32 [4]"];
    for (own, dialect, shape) in [
        ("", "standard", none),
        ("", "onnxruntime", all),
        // That of the command line goes before the text's own, which `standard` leaves.
        (", dialect = standard", "onnxruntime", all),
        (", dialect = onnxruntime", "openvino_text", none),
        (", dialect = onnxruntime", "standard", all),
    ] {
        let slice = "<f32[4]> x |> onnx::Slice@13(starts = [3], ends = [i64::MAX], steps = [-1]";
        let slice = format!("{slice}{own})");
        let output = xslice(&args(&[&"explain", &slice, &"--dialect", &dialect]));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains(&format!("result: {shape}")),
            "{dialect}: {text}"
        );
    }
}

#[test]
fn explain_takes_a_text_with_types() {
    let output = xslice(&[
        "explain",
        "<f32[30522, 768], ids: i64[8, 128]> table[@ids, :384]",
    ]);
    let shown = text(&output.stdout);
    for word in [
        "check ids[i]",
        "map      result[i, j, k] <- table[k + 768*wrap(ids[128*i + j])]",
        "verdict  lookup",
        "8192 of indices checked",
        "<f32[30522, 768]",
    ] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    assert!(refusal(&xslice(&["explain", "x[1:]"])).contains("`<f32[2, 3]> x[1:]`"));
    let folder = Files::new();
    let no_model = args(&[&"explain", &folder.path("")]);
    assert!(refusal(&xslice(&no_model)).contains("allowed: .onnx"));
}

#[test]
fn explain_prints_no_control_character_of_a_name() {
    let name = "x\u{1b}[2J\nresult";
    let node = NodeProto::new("Slice", "cut", &[name, "s", "e"], &["y"]);
    let mut graph = graph(vec![node], vec![list("s", &[1]), list("e", &[4])]);
    graph.input = vec![ValueInfoProto::tensor(name, 1, &[6.into()])];
    let files = Files::new();
    let path = files.model("m.onnx", &model(13, graph));
    let picture = files.path("m.svg");
    let output = xslice(&args(&[&"explain", &path, &"--code", &"--svg", &picture]));
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        shown.contains("dst[0] <- x\\u{1b}[2J\\nresult[1]"),
        "{shown}"
    );
    let drawn = std::fs::read_to_string(picture).unwrap();
    for text in [shown, drawn] {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text}");
    }
    let x = format!("{name}={}", files.tensor("x.npy", &iota(&[6])).display());
    let output = xslice(&args(&[&"run", &path, &"-i", &x]));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn check_prints_a_line_for_each_failure_whatever_the_directory_is_called() {
    let files = Files::new();
    let slice = common::slice_model();
    directory(&files, "a\nFAIL\u{1b}[2J", &slice, &iota(&[6]), None);
    let shown = text(&xslice(&args(&[&"check", &files.path("")])).stdout);
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(shown.contains("a FAIL [2J: "), "{shown}");
}
