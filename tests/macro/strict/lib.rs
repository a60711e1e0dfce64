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
