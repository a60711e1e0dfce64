//! Where memory is short: a result or one refusal, whatever a file holds and however little there is. The address space of a child process
//! is made smaller step by step, past the point from which its command succeeds.
#![cfg(target_os = "linux")]

mod common;

use common::{Files, graph, model, refusal, text, xslice, xslice_within};
use xslice::{ElementType, Tensor};
use xslice_cli::onnx::NodeProto;
use xslice_cli::to_proto;

const MIB: u64 = 1 << 10;

/// Runs a command within address spaces from `from` MiB up to the first that is enough. Each below it refuses for want of memory.
fn enough(from: u64, args: &[&str]) {
    let mut refused = 0;
    for mib in (from..).step_by(8) {
        let output = xslice_within(mib * MIB, args);
        if output.status.success() {
            assert!(refused > 3, "{refused} refusals below {mib} MiB: {args:?}");
            return;
        }
        let line = refusal(&output);
        assert!(line.contains("E302"), "{mib} MiB: {line}");
        refused += 1;
        assert!(refused < 100, "{line}");
    }
}

/// The least address space, in MiB, in which the program prints its version.
fn least() -> u64 {
    let starts = |mib: &u64| xslice_within(mib * MIB, &["--version"]).status.success();
    (4..1000).step_by(4).find(starts).unwrap() + 8
}

/// 48 MB of numbers.
fn large() -> Tensor {
    Tensor::zeros(ElementType::I64, &[6_000_000]).unwrap()
}

#[test]
fn a_large_tensor_of_a_pb_file() {
    let files = Files::new();
    let file = files.tensor("x.pb", &large());
    let out = files.path("y.pb");
    let args = ["index", "x[::-1]", file.to_str().unwrap(), "-o"];
    enough(least(), &[&args[..], &[out.to_str().unwrap()]].concat());
}

#[test]
fn a_large_initializer_of_an_onnx_file() {
    let files = Files::new();
    let node = NodeProto::new("Gather", "g", &["x", "i"], &["y"]);
    let graph = graph(vec![node], vec![to_proto("i", &large())]);
    let path = files.model("m.onnx", &model(13, graph));
    let x = files.tensor("x.npy", &common::iota(&[1]));
    let input = format!("x={}", x.display());
    enough(least(), &["run", path.to_str().unwrap(), "--input", &input]);
    enough(
        least(),
        &["explain", path.to_str().unwrap(), "--shape", "x=1"],
    );
}

#[test]
fn many_strings_of_an_openvino_constant() {
    const COUNT: i32 = 300_000;
    let files = Files::new();
    let places = (0..=COUNT).flat_map(|at| (16 * at).to_le_bytes());
    let mut bin: Vec<u8> = COUNT.to_le_bytes().into_iter().chain(places).collect();
    bin.resize(bin.len() + 16 * COUNT as usize, b'x');
    let size = bin.len();
    files.write("m.bin", bin);
    let path = files.write(
        "m.xml",
        format!(
            "<net name=\"t\" version=\"11\"><layers>\
             <layer id=\"0\" name=\"c\" type=\"Const\" version=\"opset1\">\
             <data element_type=\"string\" shape=\"{COUNT}\" offset=\"0\" size=\"{size}\"/>\
             <output><port id=\"0\"/></output></layer>\
             <layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\"><input><port id=\"0\"/></input></layer>\
             </layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/></edges></net>"
        ),
    );
    let args = ["run", path.to_str().unwrap()];
    let output = xslice(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    enough(least(), &args);
}

#[test]
fn a_npy_file_in_fortran_order() {
    let files = Files::new();
    let header = "{'descr': '<i8', 'fortran_order': True, 'shape': (2000, 3000), }\n";
    let mut npy = b"\x93NUMPY\x01\0".to_vec();
    npy.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    npy.extend(header.bytes());
    npy.resize(npy.len() + 48_000_000, 0);
    let file = files.write("x.npy", npy);
    let out = files.path("y.npy");
    let args = ["index", "x", file.to_str().unwrap(), "-o"];
    enough(least(), &[&args[..], &[out.to_str().unwrap()]].concat());
}

/// What a list would take is asked for, or its length is refused first.
#[test]
fn long_lists_in_small_files() {
    let files = Files::new();
    let ones = "1,".repeat(2_000_000);
    let header = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({ones}), }}\n");
    let mut npy = b"\x93NUMPY\x02\0".to_vec();
    npy.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
    npy.extend(header.bytes());
    npy.extend([0; 8]);
    let npy = files.write("x.npy", npy);
    let layer = |data: &str, port: &str, result: &str| {
        format!(
            "<net name=\"t\" version=\"11\"><layers>\
             <layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data {data} element_type=\"f32\"/>\
             <output><port id=\"0\" {port}/></output></layer>\
             <layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\" {result}><input><port id=\"0\"/></input></layer>\
             </layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/></edges></net>"
        )
    };
    let list = |name: &str| format!("{name}=\"{ones}1\"");
    let named = |name: &str, ir: String| files.write(name, ir);
    let (shape, one) = (list("shape"), String::from("shape=\"1\""));
    for (path, command, text) in [
        (npy, &["index", "x[...]"][..], "E30"),
        (
            named("s.xml", layer(&shape, "", "")),
            &["explain"],
            "attribute `shape` has 2000001 entries (allowed: 0..=1024)",
        ),
        (
            named("n.xml", layer(&one, &list("names"), "")),
            &["explain"],
            "attribute `names` has 4000001 bytes (allowed: 0..=65536)",
        ),
        (
            named("o.xml", layer(&one, "", &list("output_names"))),
            &["explain"],
            "attribute `output_names` has 4000001 bytes (allowed: 0..=65536)",
        ),
    ] {
        for more in [0, 16, 64, 256] {
            let args = [command, &[path.to_str().unwrap()]].concat();
            let line = refusal(&xslice_within((least() + more) * MIB, &args));
            assert!(line.contains(text) || line.contains("E302"), "{line}");
        }
    }
}
