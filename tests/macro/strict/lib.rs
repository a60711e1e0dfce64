//! A user's crate of the strictest kind, which calls its dependency `data_movement`: without the standard library, without `unsafe`, every lint
//! an error. The test that compiles it looks for panics in what the affine functions become.

#![no_std]
#![forbid(unsafe_code)]
#![deny(
    warnings,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    missing_docs,
    unused,
    rust_2018_idioms
)]
#![deny(
    unreachable_pub,
    unused_qualifications,
    trivial_casts,
    trivial_numeric_casts,
    unused_results
)]
#![allow(clippy::unreadable_literal)]

use data_movement::xslice;

/// Names that an expansion might mean.
pub mod shadows {
    #![allow(non_camel_case_types, dead_code, clippy::redundant_pub_crate)]

    type f32 = ();
    type u8 = ();
    type usize = ();
    struct Result;
    struct Ok;
    struct Some;
    struct String;
    mod core {}
    mod xslice {}

    /// The value of a form that returns an array.
    #[must_use]
    pub fn reversed(x: &[::core::primitive::u8; 64]) -> [::core::primitive::u8; 64] {
        data_movement::xslice!(<u8[64]> x[::-1])
    }
}

macro_rules! affine {
    ($($name:ident: $element:ty, $from:literal => $to:literal, $dims:tt $index:tt;)*) => {$(
        /// Affine.
        #[inline(never)]
        pub fn $name(x: &[$element; $from], y: &mut [$element; $to]) {
            xslice!(<$element $dims> x $index => y);
        }
    )*};
}

affine! {
    affine_worked_example: f32, 24 => 12, [2, 3, 4] [1:, :, ::-1];
    affine_crop_and_flip: u8, 8294400 => 4608000, [1080, 1920, 4] [100:900, ::-1, 0:3];
    affine_channels_swapped: u8, 6220800 => 6220800, [1080, 1920, 3] [..., ::-1];
    affine_focus: f32, 1228800 => 307200, [1, 3, 640, 640] [..., ::2, ::2];
    affine_turned: f32, 4096 => 4096, [64, 64] [::-1, ::-1];
    affine_step: i64, 1000 => 143, [1000] [3::7];
    affine_seven_axes: u16, 360360 => 6480, [4, 5, 6, 7, 3, 11, 13] [::-2, 1:4, ..., 2:, 1:, ::2, 3::4];
    affine_all_axes_strided: f64, 2097152 => 65536, [128, 128, 128] [::-4, ::4, ::2];
    affine_reversed_bytes: u8, 1000000 => 1000000, [1000000] [::-1];
    affine_rows: f32, 1966080 => 245760, [16, 384, 320] [:, 0:192:2, ::2];
    affine_one_channel: u8, 3072 => 1024, [32, 32, 3] [:, :, 1];
    affine_columns: u32, 65536 => 32768, [256, 256] [::-1, 1::2];
}

/// Values by a formula.
#[inline(never)]
pub fn affine_range(y: &mut [i64; 100_000]) {
    xslice!(<i64> onnx::Range@11(start = 5, limit = 500005, delta = 5) => y);
}

xslice! {
    #[doc(hidden)]
    pub fn hidden<u8[4]> [::-1]
}

xslice! {
    /// Every second pixel.
    #[inline(never)]
    pub fn affine_item<f32[1, 3, 320, 320]> [..., ::2, ::2]

    /// Mirrored.
    #[must_use]
    pub const fn mirrored<f32[2, 3]> [:, ::-1]

    /// Rows, by a path to the facade.
    #[xslice(crate = ::data_movement)]
    pub fn rows<f32[100, 8], ids: i64[4]> [@ids, 1:]
}

const X: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

/// A constant.
pub const Y: [f32; 6] = xslice!(const <f32[2, 3]> X[:, ::-1]);

/// A `Result`.
///
/// # Errors
/// A length or an index.
pub fn lookup(
    table: &[f32],
    ids: &[i32; 3],
    y: &mut [[f32; 4]; 3],
) -> Result<(), data_movement::Error> {
    xslice!(<f32[10, 8], ids: i32[3]> table[@ids, :4] => y)
}

/// Every other form: what is linted is what a user sees of its expansion.
pub mod forms {
    extern crate alloc;

    use alloc::{string::String, vec::Vec};
    use data_movement::{Error, half, num_complex::Complex, xslice};

    /// A generator, and constants of a type by its path.
    #[must_use]
    pub fn counted() -> [f32; 3] {
        xslice!(<f32> onnx::Range@11(start = 0.5, limit = 2, delta = 0.5))
    }

    /// A nested source, and a fragment in parentheses.
    #[must_use]
    pub fn nested(x: &[[half::f16; 4]; 3]) -> [half::f16; 6] {
        xslice!(<f16[3, 4]> (x)[:, ::2])
    }

    /// A nested destination.
    pub fn turned(x: [[Complex<f32>; 2]; 2], y: &mut [[Complex<f32>; 2]; 2]) {
        xslice!(<c64[2, 2]> x[::-1, ::-1] => *y);
    }

    /// Lengths that are looked at, on both sides.
    ///
    /// # Errors
    /// A length.
    pub fn lengths(x: &Vec<u8>, mut y: Vec<u8>) -> Result<Vec<u8>, Error> {
        xslice!(<u8[64]> x[8:40] => y[..32])?;
        Ok(y)
    }

    /// A length that is looked at.
    ///
    /// # Errors
    /// A length.
    pub fn strings(x: &[String]) -> Result<[String; 2], Error> {
        xslice!(<string[4]> x[::2])
    }

    /// Indices that are gathered themselves, and a temporary.
    ///
    /// # Errors
    /// An index.
    pub fn through(x: &[f64; 90], a: &[i64; 40], b: &[i32; 30]) -> Result<[f64; 30], Error> {
        xslice!(<f64[90], a: i64[40], b: i32[30]> x[@(a[::2] |> [@b])])
    }

    /// Operators, one after the other.
    #[must_use]
    pub fn operators(x: &[i16; 1000]) -> [i16; 10] {
        xslice!(<i16[20, 10, 5]> x |> onnx::Slice@13(starts = [0, 0], ends = [3, 10], axes = [0, 1])
            |> onnx::Gather@13(indices = [4, 0], axis = 2) |> [1, ::2] -> i16[5, 2])
    }

    /// A constant table, long enough to be a literal of its own.
    pub fn columns(x: &[u32; 600], y: &mut [u32; 68]) {
        xslice!(<u32[2, 300]> x[:, [9, 299, 3, 4, 100, 41, 2, 8, 7, 77, 1, 0, 5, 25, 6, 61, 11, 12, 19, 18, 17, 16, 15, 14, 13, 20, 29, 28, 27,
            26, 21, 24, 23, 22]] => y);
    }

    /// Constants of a generator.
    pub const COUNTED: [i64; 4] =
        xslice!(const <i64> onnx::Range@11(start = 0, limit = 4, delta = 1));

    xslice! {
        /// Values by a formula.
        pub fn ramp<f64> onnx::Range@11(start = 0, limit = 1000, delta = 1)

        /// Words by their places.
        pub(crate) fn words<string[3, 2], ids: i32[2]> onnx::Gather@13(indices = @ids) -> string[2, 2]

        /// One element.
        pub fn only<bool[2, 3]> [1, 2]
    }

    /// Calls what the crate alone sees.
    ///
    /// # Errors
    /// An index.
    pub fn call(x: &[String; 6], y: &mut [String; 4]) -> Result<(), Error> {
        words(x, &[0, 1], y)
    }
}
