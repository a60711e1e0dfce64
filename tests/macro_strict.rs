//! A crate with a renamed dependency, without the standard library, with every lint an error, compiled as its user would: and no panic
//! is left in what moves by an affine nest.

use std::path::Path;
use std::process::Command;

#[test]
fn a_strict_crate_compiles_and_its_affine_nests_cannot_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strict");
    std::fs::create_dir_all(&build).expect("a directory for the crate");
    let manifest = format!(
        "[package]\nname = \"strict\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\npath = {:?}\n\n\
         [dependencies]\ndata_movement = {{ package = \"xslice\", path = {root:?}, default-features = false, features = [\"macros\"] }}\n\n\
         [workspace]\n",
        root.join("tests/macro/strict/lib.rs")
    );
    std::fs::write(build.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::copy(root.join("Cargo.lock"), build.join("Cargo.lock")).expect("a lock file");
    let output = Command::new(env!("CARGO"))
        .current_dir(&build)
        .env("CARGO_TARGET_DIR", build.join("target"))
        .env_remove("RUSTFLAGS")
        .args([
            "rustc",
            "--release",
            "--offline",
            "--quiet",
            "--",
            "--emit=asm",
            "-Ccodegen-units=1",
        ])
        .args(["-Csymbol-mangling-version=v0"])
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let functions = functions(&assembly(&build.join("target/release/deps")));
    let affine: Vec<_> = functions
        .iter()
        .filter(|(name, _)| name.contains("affine_"))
        .collect();
    assert!(
        affine.len() >= 14,
        "only {} functions were found",
        affine.len()
    );
    for (name, body) in affine {
        // What the facade does for an expansion is inlined, or it could hide a panic.
        let symbols = ["panic", "_fail", "len_mismatch", "9expansion"];
        let found = symbols.iter().find(|symbol| body.contains(**symbol));
        assert!(found.is_none(), "{name} can panic: {found:?}\n{body}");
    }
}

fn assembly(directory: &Path) -> String {
    let files = std::fs::read_dir(directory).expect("compiled").flatten();
    let newest = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "s"))
        .max_by_key(|path| path.metadata().and_then(|file| file.modified()).ok());
    std::fs::read_to_string(newest.expect("assembly")).expect("text")
}

/// The functions of an assembly file, by their symbols.
fn functions(assembly: &str) -> Vec<(String, String)> {
    let mut functions: Vec<(String, String)> = Vec::new();
    for line in assembly.lines() {
        let symbol = line
            .strip_suffix(':')
            .map(|name| name.trim_start_matches('_'));
        match symbol.filter(|name| name.starts_with('R') && line.starts_with('_')) {
            Some(name) => functions.push((name.to_string(), String::new())),
            None => {
                if let Some((_, body)) = functions.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    functions
}
