//! The `xslice!` macro, and what its expansions call.

/// Specialised Rust for data movement whose types and shapes are known at compile time.
///
/// In `<...>` stands what is known: the type of the data, then the operands that `@` names. After it stands the notation of
/// [`Program::parse`](crate::Program::parse), on any place or, in parentheses, any expression. The compiler gets loops in which every
/// number is a literal, and proves every access: for what is affine, no bound is looked at when it runs.
///
/// # An array as the value
///
/// ```
/// use xslice::xslice;
/// let x: [f32; 24] = core::array::from_fn(|i| i as f32);
/// let y: [f32; 12] = xslice!(<f32[2, 3, 4]> x[1:, :, ::-1]);
/// assert_eq!(y, [15., 14., 13., 12., 19., 18., 17., 16., 23., 22., 21., 20.]);
/// ```
/// The array is flat and row-major, of length 1 for rank 0, and has at most 16 KiB.
///
/// # A destination
///
/// ```
/// # use xslice::xslice;
/// let frame = [[[1u8, 2, 3, 4]; 640]; 480];
/// let mut rgb = [0; 100 * 640 * 3];
/// xslice!(<u8[480, 640, 4]> frame[100:200, ::-1, 2::-1] => rgb);
/// assert_eq!(rgb[..6], [3, 2, 1, 3, 2, 1]);
/// ```
/// Operands are arrays, nested arrays, `Vec`, slices, and references to them. They are borrowed, and evaluated once. Where the length of
/// one is not in its type, the value is a `Result`:
///
/// ```
/// # use xslice::xslice;
/// struct Batch { images: Vec<u8>, first: Vec<u8> }
/// let mut batch = Batch { images: vec![7; 32], first: vec![0; 15] };
/// let error = xslice!(<u8[2, 16]> batch.images[0] => batch.first).unwrap_err();
/// assert_eq!(error.to_string(), "`output` has 15 elements (allowed: 16 elements) [E404 operand-length]");
/// ```
///
/// # Indices
///
/// `@name` gathers by a run-time operand; the value is a `Result`, and a refusal is that of every engine. A list gathers by
/// constants, which the compiler checks.
///
/// ```
/// # use xslice::xslice;
/// # fn main() -> Result<(), xslice::Error> {
/// let table = [[1.5f32, 2.5], [3.5, 4.5], [5.5, 6.5]];
/// let ids = [2i64, -3];
/// let rows = xslice!(<f32[3, 2], ids: i64[2]> table[@ids])?;
/// assert_eq!(rows, [5.5, 6.5, 1.5, 2.5]);
/// assert_eq!(xslice!(<f32[3, 2]> table[[1, 0], 1]), [4.5, 2.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Chains and operators
///
/// Brackets chain, and `|>` pipes into an operator by its own name and version. It is one pass over memory.
///
/// ```
/// # use xslice::xslice;
/// let x: [u8; 24] = core::array::from_fn(|i| i as u8);
/// let y = xslice!(<u8[4, 6]> x[1:3, ::2][::-1] |> onnx::Gather@13(indices = [0, 2], axis = 1) -> u8[2, 2]);
/// assert_eq!(y, [12, 16, 6, 10]);
/// let z = xslice!(<i64> onnx::Range@11(start = 10, limit = 4, delta = -2));
/// assert_eq!(z, [10, 8, 6]);
/// ```
///
/// # Constants
///
/// ```
/// # use xslice::xslice;
/// const X: [[i32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];
/// const Y: [i32; 6] = xslice!(const <i32[2, 3]> X[::-1, ::-1]);
/// assert_eq!(Y, [6, 5, 4, 3, 2, 1]);
/// ```
/// A constant of more than a few KiB is better a `static`: a `const` is copied to every place that uses it.
///
/// # Functions
///
/// Without an operand, in braces, it makes functions. Parameters are the data, the operands, then the destination; a `const fn` gives its
/// result back. A module of the same name holds the shape.
///
/// ```
/// # use xslice::xslice;
/// xslice! {
///     /// Every second pixel of every second row.
///     pub fn focus<f32[3, 4, 4]> [..., ::2, ::2]
///
///     /// Rows of a table.
///     fn rows<u8[9, 4], ids: i32[2]> [@ids]
///
///     const fn flip<u8[4]> [::-1]
/// }
/// let x: [f32; 48] = core::array::from_fn(|i| i as f32);
/// let mut y = [0.0; 12];
/// focus(&x, &mut y);
/// assert_eq!(y[..4], [0.0, 2.0, 8.0, 10.0]);
/// assert_eq!(focus::SHAPE, [3, 2, 2]);
/// assert!(rows(&[0; 36], &[3, 9], &mut [0; 8]).is_err());
/// assert_eq!(flip(&[1, 2, 3, 4]), [4, 3, 2, 1]);
/// ```
///
/// The element types are those of [`ElementType`](crate::ElementType): `f16` and `bf16` of [`half`](crate::half), `c64` and `c128` as
/// `Complex` of [`num_complex`](crate::num_complex), `string` as `String`, which is cloned.
///
/// What cannot be is refused by the compiler, at its token: all of it at once, with the value, what is allowed and a hint.
///
/// ```compile_fail
/// # use xslice::xslice;
/// # let x = [0u8; 6];
/// xslice!(<u8[2, 3]> x[0, 3]); // error: index: index 3 is out of range for axis 1 of size 3 (allowed: -3..=2); ...
/// ```
#[macro_export]
macro_rules! xslice {
    ($($input:tt)*) => { $crate::__private::expand! { ($crate) $($input)* } };
}

#[doc(hidden)]
pub mod expansion;
