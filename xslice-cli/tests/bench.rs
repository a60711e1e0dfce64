//! `xslice bench`: every strategy of every workload is right, the least traffic is what it is known to be, and the report is whole. No
//! time is ever expected.

mod common;

use common::{Files, graph, list, model, refusal, slice_model, text, xslice, xslice_within};
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use xslice::{ElementType, Tensor};
use xslice_cli::bench::prepared::{Prepared, Strategy};
use xslice_cli::bench::traffic;
use xslice_cli::bench::workloads::{self, Workload};
use xslice_cli::onnx::NodeProto;
use xslice_cli::to_proto;

/// Does `work` for each workload, on two threads, the largest first.
fn for_each(work: impl Fn(Workload) + Sync) {
    let mut all: Vec<_> = workloads::all().collect();
    all.sort_by_key(|workload| workload.name == "big_copy");
    let queue = Mutex::new(all);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().pop();
                    match next {
                        Some(workload) => work(workload),
                        None => return,
                    }
                }
            });
        }
    });
}

/// Bytes of a result that a build without optimisation waits for the interpreter for. Above, the runner stands in, which other tests hold
/// against it.
const INTERPRETED: usize = if cfg!(debug_assertions) {
    2 << 20
} else {
    usize::MAX
};

#[test]
fn every_strategy_gives_what_the_interpreter_gives() {
    let (interpreted, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each(|workload| {
        let name = workload.name;
        let mut prepared = Prepared::new(workload).unwrap();
        let reference = if prepared.output().bytes() <= INTERPRETED {
            interpreted.fetch_add(1, Relaxed);
            Strategy::Interp
        } else {
            Strategy::Runner
        };
        prepared.run(reference, 1).unwrap();
        let expected = prepared.output().input().bytes().to_vec();
        for strategy in [
            Strategy::Runner,
            Strategy::Keyed,
            Strategy::Baked,
            Strategy::Macro,
        ] {
            if strategy == reference {
                continue;
            }
            prepared.clear();
            prepared.run(strategy, 1).unwrap();
            let is_equal = prepared.output().input().bytes() == expected;
            assert!(is_equal, "{name}: {} differs", strategy.name());
            compared.fetch_add(usize::from(prepared.has(strategy)), Relaxed);
        }
    });
    let all = workloads::all().count();
    let (interpreted, compared) = (interpreted.into_inner(), compared.into_inner());
    println!("{all} workloads, {interpreted} interpreted, {compared} strategies compared");
    assert!(all >= 33 && interpreted >= 13, "{interpreted} of {all}");
    assert!(compared > 2 * all, "{compared}: there is no machine code");
}

#[test]
fn traffic_is_what_the_shapes_say() {
    // Lines, indices and bytes counted by hand: (read + indices + written) / (2 * written).
    let known = [
        ("tiny_1d", (64.0 + 28.0) / 56.0),
        ("yolo_focus_w", 1.5),
        ("vit_cls", 1.0),
        ("step7_f64", (8e6 + 143e3 * 8.0) / (286e3 * 8.0)),
        ("gather_cols", (4194304.0 + 4096.0 + 2097152.0) / 4194304.0),
        ("palette", (768.0 + 8294400.0 + 6220800.0) / 12441600.0),
        ("range_i64_512", 1.0),
        ("focus_cat4", 1.0),
    ];
    for (name, expected) in known {
        let workload = workloads::all().find(|workload| workload.name == name);
        let counted = traffic(&Prepared::new(workload.unwrap()).unwrap());
        assert!(
            (counted - expected).abs() < 1e-3,
            "{name}: {counted}, expected {expected}"
        );
    }
}

#[test]
fn the_report_and_its_json_are_whole() {
    let files = Files::new();
    let json = files.path("figures.json").display().to_string();
    let output = xslice(&[
        "bench", "--filter", "tiny", "--rounds", "1", "--json", &json,
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for word in ["workload", "tiny_1d *", "traffic", "1.64", "* below 10 KiB"] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    let written = std::fs::read_to_string(&json).unwrap();
    let records = records(&written);
    let mut strategies: Vec<_> = records.iter().map(|record| record[1].1.clone()).collect();
    strategies.sort();
    let mut expected = Strategy::ALL.map(|strategy| format!("\"{}\"", strategy.name()));
    expected.sort();
    assert_eq!(strategies, expected);
    for record in &records {
        let keys: Vec<_> = record.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "workload", "strategy", "ns", "limit_ns", "traffic", "ratio", "spread"
            ]
        );
        assert_eq!(record[0].1, "\"tiny_1d\"");
        let number = |at: usize| {
            let number: f64 = record[at].1.parse().unwrap();
            assert!(number.is_finite() && number > 0.0, "{record:?}");
            number
        };
        let (time, limit, traffic, ratio) = (number(2), number(3), number(4), number(5));
        assert!(
            (ratio - time / (limit * traffic)).abs() < 0.01 * ratio + 1e-3,
            "{record:?}"
        );
        assert!(number(6) >= 1.0);
    }
}

#[test]
fn what_takes_more_than_max_bytes_is_left_out() {
    let bench = |args: &[&str]| {
        xslice(&[&["bench", "--rounds", "1", "--strategy", "macro"], args].concat())
    };
    // 40 bytes, and 512 * 768 * 4.
    let output = bench(&["--filter", "_1d", "--max-bytes", "1K"]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(shown.contains("tiny_1d *"), "{shown}");
    assert!(
        shown.contains("Left out, larger than --max-bytes: reverse_1d_i64.\n"),
        "{shown}"
    );
    let line = refusal(&bench(&["--filter", "scalar", "--max-bytes", "1572863"]));
    assert!(
        line.contains("scalar_idx takes 1572864 bytes (allowed: 0..=1572863 bytes)"),
        "{line}"
    );
    assert!(line.contains("E301"), "{line}");
    let output = bench(&["--filter", "scalar", "--max-bytes", "1572864"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains("Left out"));
}

/// What `xslice bench` shows of one's own movement, by the runner, with these options.
fn own(what: &str, options: &[&str]) -> std::process::Output {
    let args = ["bench", what, "--rounds", "1", "--strategy", "runner"];
    xslice(&[&args[..], options].concat())
}

#[test]
fn a_text_of_ones_own_is_timed() {
    let output = xslice(&["bench", "<u8[64, 4]> x[:, ::-1][:, :3]", "--rounds", "1"]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for word in ["result *", "192", "1.17", "jit-baked", "Time of a call:"] {
        assert!(shown.contains(word), "`{word}` is missing in: {shown}");
    }
    assert!(
        !shown.contains("macro") && !shown.contains("mean"),
        "{shown}"
    );
    for ty in ElementType::ALL {
        let output = own(&format!("<{ty}[5, 7]> x[::-1, 1:]"), &[]);
        assert_eq!(output.status.success(), ty != ElementType::String, "{ty}");
    }
}

#[test]
fn operands_without_a_value_get_elements_and_indices_that_are_allowed() {
    for what in [
        "<f32[1000, 3], ids: i32[50]> x[@ids]",
        "<f32[1000, 3], ids: i64[5, 10]> x[@ids][:, :, ::-1]",
        "<u8[9, 70000], a: i64[300], b: i64[20]> x[:, @a][:, @b]",
        "<i64[40], b: i32[7]> x[@b]",
        "<i64> onnx::Range@11(start = 0, limit = 64, delta = 3)",
    ] {
        let output = own(what, &["--json", "-"]);
        assert!(output.status.success(), "{what}: {}", text(&output.stderr));
        assert_eq!(records(&text(&output.stdout)).len(), 1, "{what}");
    }
}

/// The traffic of one's own movement, by its JSON.
fn own_traffic(what: &str, options: &[&str]) -> f64 {
    let output = own(what, &[options, &["--json", "-"]].concat());
    assert!(output.status.success(), "{what}: {}", text(&output.stderr));
    records(&text(&output.stdout))[0][4].1.parse().unwrap()
}

#[test]
fn traffic_of_ones_own_is_what_is_read() {
    // 3 indices of 4 bytes, 3 to 6 lines of 64 bytes, 36 bytes written.
    let read = 72.0 * own_traffic("<f32[1000, 3], ids: i32[3]> x[@ids]", &[]) - 36.0;
    assert!(
        (12.0 + 3.0 * 64.0..=12.0 + 6.0 * 64.0).contains(&read),
        "{read}"
    );
    // Of a million indices two are read: those of rows of 4 lines each, by chance the same.
    let few = "<f32[1000, 64], ids: i64[1000000]> x[@(ids[:2])]";
    let read = 1024.0 * own_traffic(few, &[]) - 512.0;
    assert!([272.0, 528.0].contains(&read.round()), "{read}");
    // The same table and indices as initializers and as inputs.
    let files = Files::new();
    let places: Vec<usize> = (0..500).map(|k| k * 7 % 1000).collect();
    let ids: Vec<i64> = places.iter().map(|&place| place as i64).collect();
    let (table, ids) = (common::iota(&[1000, 3]), Tensor::vector(&ids));
    let node = NodeProto::new("Gather", "g", &["x", "ids"], &["y"]);
    let held = [("x", &table), ("ids", &ids)].map(|(name, tensor)| to_proto(name, tensor));
    let mut graph = graph(vec![node], held.to_vec());
    graph.input.clear();
    let path = files.model("held.onnx", &model(13, graph));
    let given = format!("ids={}", files.tensor("ids.npy", &ids).display());
    let lines = places
        .iter()
        .flat_map(|at| at * 12 / 64..=(at * 12 + 11) / 64);
    let read = 500 * 8 + 64 * lines.collect::<HashSet<_>>().len();
    let expected = (read + 500 * 12) as f64 / (2 * 500 * 12) as f64;
    let path = path.display().to_string();
    let text = "<f32[1000, 3], ids: i64[500]> x[@ids]";
    for (what, options) in [(text, &["--input", &given][..]), (&path, &[])] {
        let counted = own_traffic(what, options);
        assert!(
            (counted - expected).abs() < 1e-3,
            "{what}: {counted}, expected {expected}"
        );
    }
}

#[test]
fn each_output_of_a_model_is_timed_with_the_values_that_are_given() {
    let files = Files::new();
    let node = |name, input, output| NodeProto::new("Slice", name, &[input, "s", "e"], &[output]);
    let nodes = vec![node("a", "x", "y"), node("b", "x", "q\"t")];
    let mut graph = graph(nodes, vec![list("s", &[1]), list("e", &[4])]);
    graph.output.push(common::any("q\"t", common::FLOAT));
    let path = files.model("two.onnx", &model(13, graph));
    let path = path.display().to_string();
    let output = own(&path, &["--shape", "x=8", "--json", "-"]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let names: Vec<_> = records(&shown).iter().map(|r| r[0].1.clone()).collect();
    assert_eq!(names, ["\"y\"", "\"q\\\"t\""]);
    let ids = Tensor::new(&[2], &[4i64, -1]).unwrap();
    let ids = format!("ids={}", files.tensor("ids.npy", &ids).display());
    let given = ["--input", &ids];
    let other = [&given[..], &["--shape", "ids=3"]].concat();
    let line = refusal(&own("<f32[5], ids: i64[2]> x[@ids]", &other));
    assert!(
        line.contains("--shape ids: [3] is not the shape [2] of its file"),
        "{line}"
    );
    assert!(
        own("<f32[5], ids: i64[2]> x[@ids]", &given)
            .status
            .success()
    );
    let line = refusal(&own("<f32[4], ids: i64[2]> x[@ids]", &given));
    assert!(
        line.contains("`indices[0]` = 4 is out of range for axis 0 of size 4"),
        "{line}"
    );
}

#[test]
fn what_cannot_be_timed_is_refused() {
    let files = Files::new();
    let path = files.model("slice.onnx", &slice_model());
    let path = path.display().to_string();
    for (what, said) in [
        (
            "tiny_1d",
            "`tiny_1d` is a workload: --filter tiny_1d times it",
        ),
        ("x[1:]", "the type of `x` is not known here"),
        ("<string[3]> x[::-1]", "nothing to time: `result`: strings"),
        (
            "<f32[0, 3]> x[::-1]",
            "`result`: shape [0, 3] has no element",
        ),
        ("<f32[4611686018427387904]> x[:1]", "E301"),
        (
            "<f32[1000000000000]> x[:1]",
            "x takes 4000000000000 bytes (allowed: 0..=8589934592 bytes)",
        ),
        (&path, "give it with --shape x=1,2,3"),
    ] {
        let line = refusal(&own(what, &[]));
        assert!(line.contains(said), "{what}: {line}");
    }
    let line = refusal(&xslice(&["bench", "<f32[3]> x[1:]", "--strategy", "macro"]));
    assert!(line.contains("--strategy macro"), "{line}");
}

/// The objects of an array, one a line, as keys and values: JSON that this does not take apart is not the JSON that was promised.
fn records(json: &str) -> Vec<Vec<(String, String)>> {
    let inner = json
        .strip_prefix("[\n")
        .and_then(|json| json.strip_suffix("\n]\n"));
    let objects = inner.expect(json).split(",\n");
    objects
        .map(|object| {
            let fields = object
                .strip_prefix("  {")
                .and_then(|object| object.strip_suffix('}'));
            let fields = fields.expect(object).split(", ");
            fields
                .map(|field| {
                    let (key, value) = field.split_once(": ").expect(field);
                    let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
                    (key.expect(field).to_string(), value.to_string())
                })
                .collect()
        })
        .collect()
}

#[test]
fn rounds_without_end_take_neither_memory_nor_time_without_end() {
    let filter = ["bench", "--filter", "tiny", "--strategy", "macro"];
    let args = [&filter[..], &["--rounds", "4294967295"]].concat();
    let output = xslice_within(2 << 20, &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("tiny_1d"));
}

#[test]
fn one_strategy_alone_and_wrong_options() {
    let args = [
        "bench",
        "--filter",
        "scalar",
        "--rounds",
        "1",
        "--strategy",
        "macro",
    ];
    let output = xslice(&args);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("scalar_idx") && shown.contains("macro"),
        "{shown}"
    );
    assert!(!shown.contains("runner"), "{shown}");
    for wrong in [
        &["--rounds", "0"][..],
        &["--rounds", "many"],
        &["--strategy", "gpu"],
        &["--filter"],
        &["x[1:]", "--filter", "tiny"],
        &["--input", "x=x.npy"],
    ] {
        let args = [&["bench"], wrong].concat();
        assert_eq!(xslice(&args).status.code(), Some(2), "{wrong:?}");
    }
    let line = refusal(&xslice(&["bench", "--filter", "nonsense"]));
    assert!(
        line.contains("`nonsense`") && line.contains("yolo_focus_h"),
        "{line}"
    );
    let files = Files::new();
    let file = files.write("file", "no folder");
    let nowhere = file.join("x.json").display().to_string();
    let line = refusal(&xslice(&["bench", "--filter", "tiny", "--json", &nowhere]));
    assert!(line.contains("E501"), "{line}");
    assert_eq!(files.names(), ["file"]);
}
