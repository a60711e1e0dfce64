//! The case table that every engine runs.
//!
//! A line is a name, the program in the notation where the notation can say it, and its description:
//!
//! ```text
//! every_other_row_backwards (<f32[4, 8]> x[::-2, :]) => x(F32, [4, 8]).at(at![by(.., -2), ..]);
//! ```
//! Expected values come from the naive oracle, which reads the description, never the notation: a mistake of the parser shows
//! as a difference. A new operator is a step in `describe`, an arm in `build` and in `oracle`, and lines here.

#![allow(
    dead_code,
    reason = "each test target includes this module and uses a part of it"
)]

pub mod build;
pub mod describe;
pub mod oracle;
pub mod ways;

mod brackets;
mod chains;
mod gathers;
mod onnx_slices;
mod openvino;
mod ranges;
mod shapes;
pub mod workloads;

use describe::Case;

/// Lines of the table as a function.
macro_rules! table {
    ($($name:ident $(($($text:tt)*))? => $case:expr;)*) => {
        /// The cases of this theme.
        pub fn cases() -> Vec<Case> {
            vec![$($case.named(stringify!($name))$(.text(stringify!($($text)*)))?),*]
        }
    };
}
pub(crate) use table;

/// Every case.
pub fn all() -> Vec<Case> {
    [
        brackets::cases,
        onnx_slices::cases,
        openvino::cases,
        gathers::cases,
        ranges::cases,
        chains::cases,
        shapes::cases,
        workloads::cases,
    ]
    .into_iter()
    .flat_map(|theme| theme())
    .chain(shapes::every_type())
    .chain(shapes::every_rank())
    .collect()
}
