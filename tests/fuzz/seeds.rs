//! Good inputs to begin with: the case table, the models of the examples, tensors of every type.

use crate::cases;
use crate::suite::numbered;
use crate::suite::rng::Rng;
use std::path::Path;
use xslice::ElementType;
use xslice_cli::files;

/// Decisions at random: of programs there is no text.
pub fn programs() -> Vec<Vec<u8>> {
    let bytes = |seed: u64| {
        let mut rng = Rng::new(seed);
        (0..60).flat_map(|_| rng.word().to_le_bytes()).collect()
    };
    (0..200).map(bytes).collect()
}

/// The programs of the case table, as they print, with the types of their operands and without.
pub fn notation() -> Vec<Vec<u8>> {
    let texts = cases::all().into_iter().filter_map(|case| {
        let program = case.program().ok()?;
        Some(program.to_string().into_bytes())
    });
    let typed = [
        "<f32[2, 3, 4]> x[1:, :, ::-1]",
        "<u8[4, 6], ids: i32[3]> x[@ids][1:, ::2] |> onnx::Gather@13(indices = [0, -1], axis = 1)",
    ];
    texts
        .chain(typed.map(|text| text.as_bytes().to_vec()))
        .collect()
}

/// The models of the examples; a `.bin` follows its `.xml` after a byte 0.
pub fn models(extension: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models");
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the models").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let mut bytes = std::fs::read(&path).expect("a model");
                if let Ok(bin) = std::fs::read(path.with_extension("bin")) {
                    bytes.push(0);
                    bytes.extend(bin);
                }
                found.push(bytes);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

/// Tensor files of every type and of both formats.
pub fn tensors() -> Vec<Vec<u8>> {
    let each = ElementType::ALL.into_iter().flat_map(|ty| {
        [&[][..], &[3], &[2, 3], &[2, 0, 4], &[2, 3, 4]].map(|shape| numbered(ty, shape, 3))
    });
    each.flat_map(|tensor| {
        ["x.npy", "x.pb", "x.png"].map(|name| files::encode(Path::new(name), "x", &tensor).ok())
    })
    .flatten()
    .collect()
}
