//! Pictures in and out: `.png` files.

mod common;

use common::{Files, iota, read, refusal, text, xslice};
use std::path::Path;
use xslice::Tensor;

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
