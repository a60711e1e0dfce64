//! What never happens, whatever the text: a panic, a deep recursion, more than linear time.

use super::{EXAMPLES, parsed};
use std::time::{Duration, Instant};
use xslice_core::ErrorKind;
use xslice_core::Program;
use xslice_core::notation::{self, Diagnostic};

/// Xorshift: the same texts on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

const PIECES: &[&str] = &[
    "x",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ",",
    ":",
    "::",
    "...",
    "..",
    ".",
    "@",
    "@(",
    "|>",
    "->",
    "=>",
    "=",
    "-",
    "0",
    "1",
    "-1",
    "i64::MAX",
    "9223372036854775808",
    "0x",
    "1.5",
    "1e999",
    "f32",
    "f32[2, 3]",
    "newaxis",
    "None",
    "true",
    "?",
    "[0, 2]",
    "[[]]",
    "[[0], 1]",
    "ids",
    "onnx::Slice@13(",
    "starts = [0]",
    "ends = @e",
    "onnx::Range@11(",
    "start = 0",
    "limit = 4",
    "delta = 0",
    "openvino::StridedSlice@1(",
    "begin = [1]",
    "ellipsis_mask = [1, 1]",
    "dialect = onnxruntime",
    "<i64>",
    "\u{e9}",
    "\u{1F980}",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "\\",
    "\n",
    " ",
    "\0",
];

#[test]
fn no_text_brings_the_parser_down() {
    let mut random = Random(0x5eed_0001);
    let mut legal = 0;
    for _ in 0..200_000 {
        let mut text: Vec<char> = EXAMPLES[random.below(EXAMPLES.len())].chars().collect();
        for _ in 0..random.below(4) {
            let at = random.below(text.len() + 1);
            let until = (at + random.below(6)).min(text.len());
            let piece = PIECES[random.below(PIECES.len())].chars();
            let piece: Vec<char> = if random.below(3) == 0 {
                Vec::new()
            } else {
                piece.collect()
            };
            text.splice(at..until, piece);
        }
        let text: String = text.into_iter().collect();
        match notation::diagnose(&text) {
            Ok(program) => {
                legal += 1;
                let printed = program.to_string();
                assert_eq!(parsed(&printed), program, "{text} printed as {printed}");
            }
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "{text}");
                assert!(
                    diagnostics.is_sorted_by_key(|found| found.span.start),
                    "{text}"
                );
                for Diagnostic { error, span } in diagnostics {
                    assert!(text.get(span).is_some(), "{text}: {error}");
                }
            }
        }
    }
    println!("{legal} of 200000 texts were legal");
    assert!(legal > 20_000);
}

#[test]
fn pieces_in_any_order_do_not_either() {
    let mut random = Random(0x5eed_0002);
    for _ in 0..50_000 {
        let text: String = (0..random.below(24))
            .map(|_| PIECES[random.below(PIECES.len())])
            .collect();
        let _ = notation::diagnose(&text);
    }
}

#[test]
fn nesting_is_bounded() {
    let lists = |depth: usize| format!("x{}0{}", "[".repeat(depth), "]".repeat(depth));
    parsed(&lists(16));
    let computed = |depth: usize| format!("x{}[0]{}", "[@(i".repeat(depth), ")]".repeat(depth));
    parsed(&computed(7));
    for text in [lists(17), lists(100_000), computed(8), computed(100_000)] {
        let error = Program::parse(&text).expect_err("too deep");
        assert_eq!(error.kind(), ErrorKind::TooDeep);
    }
    // Only what is read counts: here stands no entry.
    let groups = format!("x[{}1{}]", "(".repeat(17), ")".repeat(17));
    let error = Program::parse(&groups).expect_err("no entry");
    assert_eq!(error.kind(), ErrorKind::Syntax);
    // What has no end is not looked into.
    for open in ["[", "x[@(", "x((((("] {
        let error = Program::parse(&open.repeat(100_000)).expect_err("not closed");
        assert_eq!(error.kind(), ErrorKind::Syntax);
    }
}

/// What this thread has had of a processor, so that a busy machine counts for nothing; the clock, where the system does not say.
fn processor_time(begun: Instant) -> Duration {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = said.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

/// Work that grows with the square of the text would take minutes here.
#[test]
fn long_texts_take_linear_time() {
    let shapes: [(&str, &str, &str); 19] = [
        ("x[[", "1, ", "]]"),
        ("x", "[0]", ""),
        ("x", " |> onnx::Gather@13(indices = @i)", ""),
        ("x[", "0..3, ", "]"),
        ("x[", "[0, [1]], ", "]"),
        ("x", "[::0]", ""),
        ("x", "[@a, @b]", ""),
        ("x |> onnx::Slice@13(", "starts = [0], ", ")"),
        ("x |> onnx::Slice@13(", "a = [0], ", ")"),
        ("<f32[", "2, ", "]> x"),
        ("<f32[", "N, ", "]> x"),
        ("x", " |> y", ""),
        ("x[", "9", "]"),
        ("x[0x", "_", "]"),
        (
            "<f64> onnx::Range@11(start = ",
            "1",
            ".5, limit = 1, delta = 1)",
        ),
        ("", "x ", ""),
        ("", "/*", ""),
        ("", "\"", ""),
        ("", "\u{e9}", ""),
    ];
    let begun = Instant::now();
    for (before, part, after) in shapes {
        let text = format!("{before}{}{after}", part.repeat(50_000));
        let start = processor_time(begun);
        let _ = notation::diagnose(&text);
        let elapsed = processor_time(begun) - start;
        assert!(
            elapsed < Duration::from_secs(20),
            "{before}{part}: {elapsed:?}"
        );
    }
}
