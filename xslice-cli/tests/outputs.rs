//! Where results go: files in place of files, bytes into devices and pipes, standard output, and nothing where a command is refused.

#![cfg(unix)]

mod common;

use common::{
    FLOAT, Files, any, graph, iota, list, model, names_in, read, refusal, text, xslice,
    xslice_within,
};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use xslice::Tensor;
use xslice_cli::onnx::NodeProto;

const TEXT: &str = "<f32[4]> x[::-1]";

fn emit(output: &Path) -> Output {
    let args = ["emit", TEXT, "-o"].map(OsStr::new);
    xslice(&[&args[..], &[output.as_os_str()]].concat())
}

/// `index 'x[0]'` of a file, with the path of its output.
fn index(file: &Path, output: &Path) -> Output {
    let args = ["index".as_ref(), "x[0]".as_ref(), file.as_os_str()];
    xslice(&[&args[..], &["-o".as_ref(), output.as_os_str()]].concat())
}

fn accepted(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// The function that `emit` prints.
fn printed() -> String {
    let output = xslice(&["emit", TEXT]);
    accepted(&output);
    text(&output.stdout)
}

#[test]
fn a_pipe_and_a_device_take_the_bytes_and_stay() {
    let files = Files::new();
    let pipe = files.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let mut reader = Command::new("cat")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    accepted(&emit(&pipe));
    if !fs::metadata(&pipe).unwrap().file_type().is_fifo() {
        reader.kill().unwrap();
        panic!("the pipe is replaced");
    }
    assert_eq!(text(&reader.wait_with_output().unwrap().stdout), printed());
    let null = files.path("null");
    symlink("/dev/null", &null).unwrap();
    accepted(&emit(&null));
    assert_eq!(fs::read_link(&null).unwrap(), Path::new("/dev/null"));
    assert_eq!(files.names(), ["null", "pipe"]);
}

#[test]
fn a_link_stays_and_the_file_behind_it_is_written() {
    let files = Files::new();
    let x = files.tensor("x.npy", &iota(&[2, 3]));
    let real = files.tensor("there/real.npy", &iota(&[9]));
    let link = files.path("link.npy");
    symlink("there/real.npy", &link).unwrap();
    let far = files.path("there/far.npy");
    symlink(&link, &far).unwrap();
    for output in [&link, &far] {
        fs::write(&real, "old").unwrap();
        accepted(&index(&x, output));
        assert_eq!(read(&real), iota(&[3]));
        assert!(fs::symlink_metadata(output).unwrap().is_symlink());
    }
    fs::remove_file(&real).unwrap();
    accepted(&index(&x, &far));
    assert_eq!(read(&real), iota(&[3]), "behind a link to nothing");
    assert_eq!(names_in(&files.path("there")), ["far.npy", "real.npy"]);
}

#[test]
fn two_results_that_lead_to_one_file_are_refused() {
    let files = Files::new();
    let nodes = ["a", "b"].map(|y| NodeProto::new("Gather", y, &["x", "at"], &[y]));
    let mut graph = graph(nodes.to_vec(), vec![list("at", &[0])]);
    graph.output = ["a", "b"].map(|name| any(name, FLOAT)).to_vec();
    let model = files.model("m.onnx", &model(13, graph));
    let b = files.write("out/b.npy", "old");
    symlink("b.npy", files.path("out/a.npy")).unwrap();
    let x = files.tensor("x.npy", &iota(&[2]));
    let input = format!("x={}", x.display());
    let out = files.path("out");
    let args = [OsStr::new("run"), model.as_ref(), "-i".as_ref()];
    let rest = [OsStr::new(&input), "-o".as_ref(), out.as_ref()];
    let line = refusal(&xslice(&[args, rest].concat()));
    assert!(line.contains("a.npy leads to the same file"), "{line}");
    assert!(line.contains("out/b.npy: cannot write"), "{line}");
    assert_eq!(fs::read(&b).unwrap(), b"old");
    assert_eq!(names_in(&files.path("out")), ["a.npy", "b.npy"]);
}

#[test]
fn an_image_that_memory_does_not_hold_is_refused() {
    let files = Files::new();
    let noise = |v: u32| (v.wrapping_mul(2_654_435_761) >> 15) as u8;
    let noise: Vec<u8> = (0..3_000_000).map(noise).collect();
    let x = files.tensor("x.npy", &Tensor::new(&[1000, 1000, 3], &noise).unwrap());
    let y = files.path("y.png");
    let args = ["index", "x[::-1]", x.to_str().unwrap(), "-o"];
    let args = [&args[..], &[y.to_str().unwrap()]].concat();
    let mut refused = 0;
    for kib in (20 << 10..60 << 10).step_by(1 << 10) {
        let output = xslice_within(kib, &args);
        let line = text(&output.stderr);
        // Below that the program does not even begin.
        let is_about_the_image = line.contains("y.png: no memory");
        refused += usize::from(is_about_the_image);
        if output.status.success() {
            break;
        }
        let begins = line.contains("x.npy") || refused > 0;
        assert!(!begins || line.starts_with("error: "), "{kib}: {line}");
    }
    assert!(refused > 0);
}

#[test]
fn a_file_in_place_of_the_folder_is_said_to_be_in_the_way() {
    let files = Files::new();
    let model = files.model("m.onnx", &common::slice_model());
    let x = files.tensor("x.npy", &iota(&[2]));
    let input = format!("x={}", x.display());
    let args = [OsStr::new("run"), model.as_ref(), "-i".as_ref()];
    let rest = [OsStr::new(&input), "-o".as_ref(), x.as_ref()];
    let line = refusal(&xslice(&[args, rest].concat()));
    assert!(line.contains("a file is in the way"), "{line}");
    assert!(line.contains("--output-dir names a directory"), "{line}");
}

#[test]
fn a_file_that_is_replaced_leaves_its_permissions() {
    let files = Files::new();
    let x = files.tensor("x.npy", &iota(&[2, 3]));
    let y = files.write("y.npy", "old");
    for mode in [0o600, 0o640, 0o444] {
        fs::set_permissions(&y, fs::Permissions::from_mode(mode)).unwrap();
        accepted(&index(&x, &y));
        assert_eq!(read(&y), iota(&[3]));
        let left = fs::metadata(&y).unwrap().permissions().mode();
        assert_eq!(left & 0o777, mode, "{left:o}");
    }
}

#[test]
fn every_command_makes_the_folder_of_what_it_writes() {
    let files = Files::new();
    let x = files.tensor("x.npy", &iota(&[2, 3]));
    accepted(&index(&x, &files.path("a/b/y.npy")));
    accepted(&emit(&files.path("c/d/f.rs")));
    let picture = files.path("e/f/x.svg").display().to_string();
    accepted(&xslice(&["explain", TEXT, "--svg", &picture]));
    let figures = files.path("g/h/f.json").display().to_string();
    let bench = ["bench", "--filter", "rgb", "--strategy", "runner"];
    accepted(&xslice(
        &[&bench[..], &["--rounds", "1", "--json", &figures]].concat(),
    ));
    for name in ["a/b/y.npy", "c/d/f.rs", "e/f/x.svg", "g/h/f.json"] {
        assert!(files.path(name).is_file(), "{name}");
    }
    // What is refused makes none, and a file is no folder.
    let line = common::refusal(&xslice(&[
        "index",
        "x[7]",
        &x.display().to_string(),
        "-o",
        &files.path("new/y.npy").display().to_string(),
    ]));
    assert!(!files.path("new").exists(), "{line}");
    let line = common::refusal(&emit(&x.join("f.rs")));
    assert!(line.contains("E501"), "{line}");
}

#[test]
fn text_never_replaces_a_model_or_a_tensor() {
    let files = Files::new();
    let model = files.model("m.onnx", &common::slice_model());
    let before = fs::read(&model).unwrap();
    symlink("m.onnx", files.path("link.rs")).unwrap();
    let (model, link) = (model.display().to_string(), files.path("link.rs"));
    let link = link.display().to_string();
    let tensor = files.path("x.NPY").display().to_string();
    let bench = ["bench", "--filter", "seed", "--rounds", "1", "--json"];
    let commands = [
        ["emit", TEXT, "-o", &model].to_vec(),
        ["emit", TEXT, "-o", &link].to_vec(),
        ["emit", TEXT, "-o", &tensor].to_vec(),
        ["emit", &model, "--shape", "x=6", "-o", &model].to_vec(),
        ["explain", &model, "--shape", "x=6", "--svg", &model].to_vec(),
        [&bench[..], &[&model]].concat(),
    ];
    for command in commands {
        let line = refusal(&xslice(&command));
        let ending = if command.contains(&tensor.as_str()) {
            ".npy"
        } else {
            ".onnx"
        };
        let usual = match command[0] {
            "emit" => "rs",
            "explain" => "svg",
            _ => "json",
        };
        let words = format!(
            "ends in {ending}: that is one of a model or a tensor (allowed: any name that ends in none of \
             .onnx, .xml, .bin, .npy, .pb, .png); name one that ends in .{usual} [E505 argument]"
        );
        assert!(line.contains(&words), "{line}");
        assert_eq!(fs::read(&model).unwrap(), before);
        assert_eq!(files.names(), ["link.rs", "m.onnx"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn where_standard_output_takes_nothing_files_are_as_they_were() {
    let files = Files::new();
    let model = files.model("m.onnx", &common::slice_model());
    let x = files.tensor("x.npy", &iota(&[6]));
    files.write("there/y.npy", "old");
    files.write("old.npy", "old");
    let before = (files.names(), names_in(&files.path("there")));
    let (model, x) = (model.display().to_string(), x.display().to_string());
    let given = format!("x={x}");
    let commands = [
        &["run", &model, "-i", &given, "-o", "there"][..],
        &["run", &model, "-i", &given, "-o", "new/folder"],
        &["index", "x[1:]", &x, "-o", "old.npy"],
        &["index", "x[1:]", &x, "-o", "new.npy"],
        &["emit", TEXT, "-o", "new.rs"],
        &["explain", TEXT, "--svg", "new.svg"],
        &["--help"],
        &["run", "--help"],
        &["help", "emit"],
        &["--version"],
    ];
    for command in commands {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_xslice"))
            .args(command)
            .current_dir(files.path(""))
            .stdout(full.unwrap())
            .output()
            .unwrap();
        let line = common::refusal(&output);
        assert!(line.contains("standard output"), "{line}");
        let after = (files.names(), names_in(&files.path("there")));
        assert_eq!(after, before, "{command:?}");
        assert_eq!(fs::read(files.path("there/y.npy")).unwrap(), b"old");
        assert_eq!(fs::read(files.path("old.npy")).unwrap(), b"old");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let files = Files::new();
    let print = |args: &[&str]| {
        let program = env!("CARGO_BIN_EXE_xslice");
        let mut command = Command::new(program);
        let output = command.args(args).current_dir(files.path("")).output();
        let output = output.unwrap();
        accepted(&output);
        text(&output.stdout)
    };
    for dash in ["-", "/dev/stdout"] {
        assert_eq!(print(&["emit", TEXT, "-o", dash]), printed());
        let picture = print(&["explain", TEXT, "--svg", dash]);
        assert!(
            picture.starts_with("<svg") && picture.ends_with("</svg>\n"),
            "{picture}"
        );
        let bench = ["bench", "--filter", "rgb", "--strategy", "runner"];
        let figures = print(&[&bench[..], &["--rounds", "1", "--json", dash]].concat());
        assert!(
            figures.starts_with('[') && figures.trim_end().ends_with(']'),
            "{figures}"
        );
    }
    assert_eq!(files.names(), [""; 0]);
}
