//! The order of the modules that `docs/architecture.md` names, compared with what the sources import.
//!
//! Names are seen, but not by `super::` inside a function; methods are not: one that a module adds to a type from below it is not to be
//! called from below either.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ARCHITECTURE: &str = include_str!("../../docs/architecture.md");
const ROOT: &str = include_str!("../src/lib.rs");

/// What imports upwards, as the document says.
const UPWARDS: [(&str, &str); 1] = [("move_", "fixed")];

/// The modules of the document, lowest first.
fn order() -> Vec<&'static str> {
    let (_, below) = ARCHITECTURE
        .split_once("imports only what stands before it")
        .expect("the order of the modules");
    let list = below.split("```").nth(1).expect("a list");
    let layers = list.lines().filter_map(|line| line.split_once("  "));
    layers
        .flat_map(|(_, modules)| modules.split(',').map(str::trim))
        .collect()
}

/// Every source below a folder but those that are tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("a source").path());
    let within = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    paths
        .filter(|path| !path.ends_with("tests.rs"))
        .flat_map(within)
        .collect()
}

/// A source without comments, up to its tests.
fn code(source: &Path) -> String {
    let text = fs::read_to_string(source).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let uncommented = lines.map(|line| line.split("//").next().unwrap_or_default());
    uncommented.collect::<Vec<_>>().join("\n")
}

/// What the code of a source that is so deep names in the root of the crate: `crate::` comes before it, or in the imports of the source,
/// which are not indented, as many `super::`.
fn named_in_root(code: &str, depth: usize) -> BTreeSet<&str> {
    let supers = "super::".repeat(depth);
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
    let by_super = code
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| Some(line.split_once(&supers)?.1));
    code.split("crate::")
        .skip(1)
        .chain(by_super)
        .map(|rest| rest.split(is_end).next().unwrap_or_default())
        .collect()
}

/// The modules on the way to a source.
fn path_of(source: &Path) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = source.strip_prefix(root).expect("a source of the crate");
    let names = inside.with_extension("");
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name != "mod").collect()
}

#[test]
fn modules_import_only_what_stands_before_them() {
    let order = order();
    let place = |module: &str| order.iter().position(|known| *known == module);
    let (mut imports, mut upwards) = (0, BTreeSet::new());
    for source in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let path = path_of(&source);
        let (module, shown) = (path[0].as_str(), source.display());
        if module == "lib" {
            continue;
        }
        let own = place(module).unwrap_or_else(|| panic!("{shown} is of no layer"));
        for name in named_in_root(&code(&source), path.len()) {
            let Some(imported) = place(name) else {
                panic!("{shown} imports `crate::{name}`, which is no module of a layer");
            };
            imports += 1;
            if imported > own {
                let import = (module.to_owned(), name.to_owned());
                let is_known = UPWARDS.contains(&(module, name));
                assert!(
                    is_known,
                    "{shown} imports `crate::{name}`, which is above it"
                );
                upwards.insert(import);
            }
        }
    }
    assert!(imports > 200, "{imports} imports");
    assert_eq!(upwards.len(), UPWARDS.len(), "{upwards:?}");
}

#[test]
fn every_module_has_its_place_in_the_order() {
    let declared = ROOT.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut listed = order();
    listed.sort_unstable();
    assert_eq!(declared.collect::<Vec<_>>(), listed);
}
