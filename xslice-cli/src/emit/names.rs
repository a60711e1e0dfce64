//! Names of a model as names of Rust.
//!
//! A model may call a tensor anything; a function or a parameter is in snake case, no keyword, no primitive type (a module of the
//! function's name would hide it) and given once.

use std::collections::HashSet;

/// Names that the text around them needs, or that Rust keeps for itself.
const RESERVED: &[&str] = &[
    "abstract", "alignof", "as", "async", "await", "become", "bool", "box", "break", "char",
    "const", "continue", "crate", "do", "dyn", "else", "enum", "extern", "f16", "f32", "f64",
    "f128", "false", "final", "fn", "for", "gen", "i8", "i16", "i32", "i64", "i128", "if", "impl",
    "in", "isize", "let", "loop", "macro", "main", "match", "mod", "move", "mut", "override",
    "priv", "pub", "ref", "return", "self", "static", "str", "struct", "super", "trait", "true",
    "try", "type", "typeof", "u8", "u16", "u32", "u64", "u128", "unsafe", "unsized", "use",
    "usize", "virtual", "where", "while", "yield",
];

/// Gives each name once.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// The name for what a model calls `name`; what has no letter in it is called `otherwise`.
    pub fn give(&mut self, name: &str, otherwise: &str) -> String {
        let plain = identifier(name, otherwise);
        let mut given = plain.clone();
        let mut copy = 2;
        while RESERVED.contains(&given.as_str()) || !self.0.insert(given.clone()) {
            given = format!("{}_{copy}", plain.trim_end_matches('_'));
            copy += 1;
        }
        given
    }
}

fn identifier(name: &str, otherwise: &str) -> String {
    let mut plain = String::new();
    for char in name.chars().take(60) {
        if char.is_ascii_alphanumeric() {
            plain.push(char.to_ascii_lowercase());
        } else if !plain.is_empty() && !plain.ends_with('_') {
            plain.push('_');
        }
    }
    let plain = plain.trim_end_matches('_');
    match plain.chars().next() {
        None => otherwise.to_string(),
        Some(first) if first.is_ascii_digit() => format!("{otherwise}_{plain}"),
        Some(_) if RESERVED.contains(&plain) => format!("{plain}_"),
        Some(_) => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_one_of_rust_and_no_two_the_same() {
        let mut names = Names::default();
        let cases = [
            ("x", "x"),
            ("X", "x_2"),
            ("/model.0/Slice:0", "model_0_slice_0"),
            ("type", "type_"),
            ("Type", "type_2"),
            ("type_2", "type_2_2"),
            ("f32", "f32_"),
            ("self", "self_"),
            ("Self", "self_2"),
            ("12", "output_12"),
            ("", "output"),
            ("\u{202e}\n", "output_2"),
            ("a__b_", "a_b"),
        ];
        for (name, expected) in cases {
            assert_eq!(names.give(name, "output"), expected, "{name:?}");
        }
    }
}
