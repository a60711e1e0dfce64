//! The forms of the macro around the notation: operands of every kind, destinations, items, fragments of `macro_rules`.

use xslice::xslice;

fn counting() -> [i32; 6] {
    [1, 2, 3, 4, 5, 6]
}

struct Frame {
    pixels: Vec<i32>,
    pair: ([i32; 6], [i32; 2]),
    out: [[i32; 3]; 2],
}

impl Frame {
    fn flip(&mut self) -> Result<(), xslice::Error> {
        xslice!(<i32[2, 3]> self.pixels[::-1] => self.out)
    }
}

mod images {
    pub const FIRST: [i32; 6] = [6, 5, 4, 3, 2, 1];
    pub static NESTED: [[[i32; 1]; 3]; 2] = [[[1], [2], [3]], [[4], [5], [6]]];
}

#[test]
fn operands_are_places_paths_and_expressions() {
    let x = counting();
    let (slice, vector, boxed, by_mut): (&[i32], _, Box<[i32]>, _) =
        (&x, x.to_vec(), Box::new(x), &mut counting());
    let reversed = [6, 5, 4, 3, 2, 1];
    assert_eq!(xslice!(<i32[6]> x[::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> (&&x)[::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> by_mut[::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> (counting())[::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> ([1, 2, 3, 4, 5, 6])[::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> images::FIRST[...]), reversed);
    assert_eq!(xslice!(<i32[2, 3]> images::NESTED[::-1, ::-1]), reversed);
    assert_eq!(xslice!(<i32[6]> slice[::-1]), Ok(reversed));
    assert_eq!(xslice!(<i32[6]> vector[::-1]), Ok(reversed));
    assert_eq!(xslice!(<i32[6]> boxed[::-1]), Ok(reversed));
    assert_eq!(xslice!(<i32[6]> (std::sync::Arc::new(x))[::-1]), reversed);
    assert_eq!(xslice!(<i32[]> ([7])[...]), [7]);
    let short = xslice!(<i32[6]> (&slice[1..])[::-1]).unwrap_err();
    assert_eq!(short.kind(), xslice::ErrorKind::OperandLength);
}

#[test]
fn fields_and_tuples_are_operands_and_destinations() {
    let mut frame = Frame {
        pixels: counting().to_vec(),
        pair: (counting(), [0; 2]),
        out: [[0; 3]; 2],
    };
    frame.flip().expect("the lengths fit");
    assert_eq!(frame.out, [[4, 5, 6], [1, 2, 3]]);
    xslice!(<i32[6]> frame.pair.0[::5] => frame.pair.1);
    assert_eq!(frame.pair.1, [1, 6]);
    frame.pixels.pop();
    assert_eq!(
        frame.flip().unwrap_err().parameter_name(),
        Some("self.pixels")
    );
}

#[test]
fn destinations_are_borrowed_however_they_are_given() {
    let x = counting();
    fn into_reference(x: &[i32; 6], y: &mut [i32; 2]) {
        xslice!(<i32[6]> x[1:3] => y);
        xslice!(<i32[6]> x[1:3] => *y);
    }
    let mut y = [0; 2];
    into_reference(&x, &mut y);
    assert_eq!(y, [2, 3]);
    xslice!(<i32[6]> x[::5] => &mut y);
    assert_eq!(y, [1, 6]);
    let mut longer = vec![9; 5];
    xslice!(<i32[6]> x[::5] => longer[1..3]).expect("two elements");
    assert_eq!(longer, [9, 1, 6, 9, 9]);
    let error = xslice!(<i32[6]> x[::5] => longer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`output` has 5 elements (allowed: 2 elements) [E404 operand-length]"
    );
    xslice!(<i64> onnx::Range@11(start = 1, limit = 7, delta = 3) => [[0_i64; 1]; 2]);
}

#[test]
fn operands_are_evaluated_once() {
    let mut calls = 0;
    let mut next = || {
        calls += 1;
        [calls; 4]
    };
    assert_eq!(xslice!(<i32[4]> (next())[1:3]), [1, 1]);
    let ids = [0_i64];
    assert_eq!(xslice!(<i32[4], ids: i64[1]> (next())[@ids]), Ok([2]));
    assert_eq!(calls, 2);
}

#[test]
fn questions_and_returns_belong_to_the_function_around() {
    fn first(x: Option<[u8; 3]>, ids: &[i64; 1]) -> Option<u8> {
        let [value] = xslice!(<u8[3], ids: i64[1]> (x?)[@ids]).ok()?;
        Some(value)
    }
    assert_eq!(first(None, &[0]), None);
    assert_eq!(first(Some([5, 6, 7]), &[-1]), Some(7));
    assert_eq!(first(Some([5, 6, 7]), &[3]), None);
}

macro_rules! second_of {
    ($x:expr, $len:literal, $ty:ty, $step:tt) => {{
        let src = "not the operand";
        let value = xslice!(<$ty[$len]> $x[1::$step]);
        assert_eq!(src, "not the operand");
        value
    }};
}

macro_rules! functions {
    ($($name:ident $types:tt $index:tt;)*) => { xslice! { $(pub(crate) fn $name<u8 $types> $index)* } };
}

functions! {
    head [4] [:2];
    tail [4] [-2:];
}

#[test]
fn fragments_of_macro_rules_are_transparent() {
    let src = [1_u8, 2, 3, 4];
    assert_eq!(second_of!(src, 4, u8, 2), [2, 4]);
    assert_eq!(
        second_of!([[1_u8, 2], [3, 4]].concat(), 4, u8, 1),
        Ok([2, 3, 4])
    );
    let (mut a, mut b) = ([0; 2], [0; 2]);
    head(&src, &mut a);
    tail(&src, &mut b);
    assert_eq!((a, b, head::SHAPE), ([1, 2], [3, 4], [2]));
}

macro_rules! picked {
    ($x:expr, $len:literal) => { xslice!(<u8[$len]> $x[...] |> onnx::Gather@13(indices = [-1, 0], axis = 0)) };
}

macro_rules! last_of {
    ($name:ident $types:tt) => {
        xslice! { fn $name<u8 $types> [...] |> [-1:] }
    };
}

last_of! { last [4] }

/// The compiler forgets there that `|` and `>` stand side by side.
#[test]
fn chains_are_written_in_bodies_of_macro_rules() {
    assert_eq!(picked!([1_u8, 2, 3], 3), [3, 1]);
    let mut y = [0];
    last(&[1, 2, 3, 4], &mut y);
    assert_eq!(y, [4]);
}

/// Where constants have names that variables often have, and strings a method of the name of `clone`.
mod constants_and_methods {
    #![allow(non_upper_case_globals, dead_code, reason = "names as variables have")]
    use xslice::xslice;

    pub const i: usize = 3;
    pub const j: usize = 3;
    pub const at: usize = 0;
    pub const row0: usize = 0;
    pub const error: usize = 0;

    pub trait Twice {
        fn clone(&self) -> Self;
        fn into(self) -> Self;
    }

    impl Twice for String {
        fn clone(&self) -> Self {
            String::new()
        }
        fn into(self) -> Self {
            self
        }
    }

    impl Twice for i32 {
        fn clone(&self) -> Self {
            0
        }
        fn into(self) -> Self {
            0
        }
    }

    xslice! { pub const fn twisted<u8[40, 40]> [::-1, ::2] }
    xslice! { pub fn named<string[2], ids: i32[2]> [@ids] }

    pub fn strings(q: &[String; 2], ids: [i32; 2]) -> Result<[String; 2], xslice::Error> {
        xslice!(<string[2], ids: i32[2]> q[@ids])
    }

    pub fn twice(s: [u8; 4], ids: [i32; 2], jds: [i64; 2]) -> Result<[u8; 2], xslice::Error> {
        xslice!(<u8[4], ids: i32[2], jds: i64[2]> s[@jds][@ids])
    }

    pub fn both(s: [u8; 4], ids: [i32; 2], jds: [i64; 2]) -> Result<[u8; 4], xslice::Error> {
        xslice!(<u8[2, 2], ids: i32[2], jds: i64[2]> s[@jds, ::-1][:, @ids])
    }
}

#[test]
fn constants_and_methods_in_scope_are_not_meant() {
    use constants_and_methods::{both, named, strings, twice, twisted};
    let strings_of = |texts: [&str; 2]| texts.map(String::from);
    let backwards = Ok(strings_of(["b", "a"]));
    assert_eq!(strings(&strings_of(["a", "b"]), [1, 0]), backwards);
    let mut y = strings_of(["", ""]);
    named(&strings_of(["a", "b"]), &[-1, 0], &mut y).expect("indices in range");
    assert_eq!(Ok(y), backwards);
    assert_eq!(twice([1, 2, 3, 4], [1, 0], [2, 3]), Ok([4, 3]));
    assert_eq!(both([1, 2, 3, 4], [0, 1], [1, 0]), Ok([4, 3, 2, 1]));
    let x: [u8; 1600] = core::array::from_fn(|at| (at % 251) as u8);
    assert_eq!(twisted(&x)[..2], [x[39 * 40], x[39 * 40 + 2]]);
}

#[test]
fn names_of_operands_do_not_meet_those_of_expansions() {
    let (i, s, d, dst, src, row0) = (
        [0_i64; 3], [0_i64; 3], [0_i64; 3], [0_i64; 3], [0_i64; 3], [0_i64; 3],
    );
    let x: [u8; 729] = core::array::from_fn(|at| (at % 251) as u8);
    let y = xslice!(
        <u8[3, 3, 3, 3, 3, 3], i: i64[3], s: i64[3], d: i64[3], dst: i64[3], src: i64[3], row0: i64[3]>
        x[@i][:, @s][:, :, @d][:, :, :, @dst][..., @src, :][..., @row0]
    );
    assert_eq!(y, Ok([0; 729]));
    let (f32, usize, r#type, error) = ([2_i64], [1_i64], [0_i64], [0_i64]);
    let y = xslice!(
        <f32[3], f32: i64[1], usize: i64[1], r#type: i64[1], error: i64[1]>
        ([0.5, 1.5, 2.5])[@f32][@usize][@r#type][@error]
    );
    assert_eq!(y.unwrap_err().kind(), xslice::ErrorKind::IndexRange);
    let y = xslice!(<f32[3], f32: i64[1], r#type: i64[1]> ([0.5, 1.5, 2.5])[@f32][@r#type]);
    assert_eq!(y, Ok([2.5]));
    const NEST0: [u8; 2048] = [7; 2048];
    assert_eq!(xslice!(<u8[2048]> NEST0[::-1]), NEST0);
    const INDICES0: [u32; 576] = [5; 576];
    assert_eq!(
        xslice!(<u32[9, 64]> INDICES0[[0, 5, 2, 7, 1, 8, 3]]),
        [5; 448]
    );
}

/// The ninth loop and those after it have counters, too, and none of them is called like a type.
#[test]
fn more_loops_than_letters() {
    let x: [u8; 1024] = core::array::from_fn(|at| (at % 251) as u8);
    let k = [1_i64, 0];
    let y = xslice!(
        <u8[2, 2, 2, 2, 2, 2, 2, 2, 2, 2], k: i64[2]> x[@k, :, ::-1, :, ::-1, :, ::-1, :, ::-1, :][..., @k]
    );
    // Every axis that is reversed or picked turns one bit of the place.
    let turned = 0b10_1010_1011;
    assert_eq!(y, Ok(core::array::from_fn(|at| x[at ^ turned])));

    const X: [u8; 2048] = {
        let mut x = [0; 2048];
        let mut at = 0;
        while at < 2048 {
            x[at] = (at % 253) as u8;
            at += 1;
        }
        x
    };
    const Y: [u8; 2048] = xslice!(
        const <u8[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]>
        X[:, ::-1, :, ::-1, :, ::-1, :, ::-1, :, ::-1, :]
    );
    let expected: [u8; 2048] = core::array::from_fn(|at| X[at ^ 0b010_1010_1010]);
    assert_eq!(Y, expected);
}

/// The longest constants that an expansion has: the compiler evaluates them without giving up.
#[test]
fn constants_of_a_mebibyte_are_evaluated() {
    use xslice::__private::data;
    const LONGEST: usize = 1 << 20;
    const BYTES: &[u8; LONGEST] = &[0x81; LONGEST];
    const I8: &[i8; LONGEST] = &data::i8(BYTES);
    const I16: &[i16; LONGEST / 2] = &data::i16(BYTES);
    const F16: &[xslice::half::f16; LONGEST / 2] = &data::f16(BYTES);
    const C64: &[xslice::num_complex::Complex<f32>; LONGEST / 8] = &data::c64(BYTES);
    assert_eq!(
        (I8[LONGEST - 1], I16[9]),
        (-0x7f, i16::from_le_bytes([0x81; 2]))
    );
    assert_eq!(F16[5].to_bits(), 0x8181);
    assert_eq!(C64[7].im.to_bits(), 0x8181_8181);
}

xslice! {
    fn rows_by_src<f32[4, 2], src: i64[2]> [@src]
}

#[test]
fn an_operand_of_a_function_may_be_called_as_its_data_would_be() {
    let x: [f32; 8] = core::array::from_fn(|at| at as f32);
    let mut y = [0.0; 4];
    rows_by_src(&x, &[3, -4], &mut y).expect("indices in range");
    assert_eq!(y, [6.0, 7.0, 0.0, 1.0]);
}

xslice! {
    #[allow(non_snake_case, reason = "what is tested are names of constants")]
    fn columns_of_rows<u8[40, 40], ROWS0: i32[2]>
        [@ROWS0][:, [2, 0, 39, 17, 3, 1, 0, 0, 33, 21, 7, 9, 30, 4, 4, 4, 11, 8, 1, 2, 3]]
}
xslice! {
    #[allow(non_snake_case, reason = "what is tested are names of constants")]
    fn columns_of_indices<u8[40, 40], INDICES0: i64[2]>
        [@INDICES0][:, [2, 0, 39, 17, 3, 1, 0, 0, 33, 21, 7, 9, 30, 4, 4, 4, 11, 8, 1, 2, 3]]
}
xslice! {
    #[allow(non_snake_case, reason = "what is tested are names of constants")]
    fn rows_of_nest<f32[40, 40], NEST0: i64[30], _NEST0: i64[30]> [@NEST0][@_NEST0]
}

#[test]
fn an_operand_of_a_function_may_be_called_as_its_constants_would_be() {
    let columns = [
        2, 0, 39, 17, 3, 1, 0, 0, 33, 21, 7, 9, 30, 4, 4, 4, 11, 8, 1, 2, 3,
    ];
    let x: [u8; 1600] = core::array::from_fn(|at| (at % 251) as u8);
    let expected = [5, 7].map(|row| columns.map(|column| x[40 * row + column]));
    let mut y = [0; 42];
    columns_of_rows(&x, &[5, 7], &mut y).expect("indices in range");
    assert_eq!(y, expected.as_flattened());
    assert!(columns_of_rows(&x, &[500, 7], &mut y).is_err());
    columns_of_indices(&x, &[5, 7], &mut y).expect("indices in range");
    assert_eq!(y, expected.as_flattened());
    assert!(columns_of_indices(&x, &[5, 40], &mut y).is_err());
    let x: [f32; 1600] = core::array::from_fn(|at| at as f32);
    let rows: [i64; 30] = core::array::from_fn(|at| 39 - at as i64);
    let mut y = [0.0; 1200];
    rows_of_nest(&x, &rows, &[29; 30], &mut y).expect("indices in range");
    assert_eq!(y[..40], x[400..440]);
    assert_eq!(y[1160..], x[400..440]);
}

#[test]
fn operands_are_statics_and_constants_too() {
    static ROWS: [i64; 2] = [2, 0];
    const COLS: [i32; 2] = [1, -1];
    #[expect(non_upper_case_globals, reason = "the name of the data in a function")]
    static src: [i32; 3] = [7, 8, 9];
    let x = [[1_u8, 2, 3], [4, 5, 6], [7, 8, 9]];
    let y = xslice!(<u8[3, 3], ROWS: i64[2], COLS: i32[2]> x[@ROWS][:, @COLS]);
    assert_eq!(y, Ok([8, 9, 2, 3]));
    let y = xslice!(<u8[3, 3], COLS: i32[2], ROWS: i64[2]> x[@COLS][:, @ROWS]);
    assert_eq!(y, Ok([6, 4, 9, 7]));
    let words =
        [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]].map(|row| row.map(String::from));
    let mut four = [const { String::new() }; 4];
    xslice!(<string[3, 3], ROWS: i64[2], COLS: i32[2]> words[@ROWS][:, @COLS] => four)
        .expect("indices in range");
    assert_eq!(four, ["h", "i", "b", "c"]);
    assert_eq!(xslice!(<i32[3], ROWS: i64[2]> src[@ROWS]), Ok([9, 7]));
    const BACK: [i32; 3] = xslice!(const <i32[3]> ([7, 8, 9])[::-1]);
    assert_eq!(BACK, [9, 8, 7]);
    let error = xslice!(<u8[2, 2], ROWS: i64[2], COLS: i32[2]> ([1, 2, 3, 4])[@ROWS][:, @COLS]);
    assert_eq!(error.unwrap_err().offending_value(), Some("2"));
}

xslice! {
    /// Kept.
    #[must_use]
    const fn mirrored<f32[2, 3]> [:, ::-1]

    #[cfg(any())]
    fn left_out<f32[2]> [0]

    fn count<i32> onnx::Range@11(start = 0, limit = 40, delta = 2) |> [::-1]

    #[xslice(crate = ::xslice)]
    fn rows<string[3, 2], ids: i32[2]> onnx::Gather@13(indices = @ids) -> string[2, 2]
}

#[test]
fn functions_have_names_shapes_and_attributes() {
    const M: [f32; 6] = mirrored(&[1., 2., 3., 4., 5., 6.]);
    assert_eq!((M, mirrored::SHAPE), ([3., 2., 1., 6., 5., 4.], [2, 3]));
    let mut y = [0; 20];
    count(&mut y);
    assert_eq!((y[0], y[19], count::SHAPE), (38, 0, [20]));
    let words = ["a", "b", "c", "d", "e", "f"].map(String::from);
    let mut two = [const { String::new() }; 4];
    rows(&words, &[2, -3], &mut two).expect("indices in range");
    assert_eq!(two, ["e", "f", "a", "b"]);
    let error = rows(&words, &[2, 3], &mut two).unwrap_err();
    assert_eq!(
        error.to_string(),
        "onnx::Gather@13: `indices[1]` = 3 is out of range for axis 0 of size 3 (allowed: -3..=2) [E212 index-range]"
    );
    fn local() -> [usize; 1] {
        xslice! { fn inner<u8[4]> [::2] }
        let mut y = [0; 2];
        inner(&[1, 2, 3, 4], &mut y);
        assert_eq!(y, [1, 3]);
        inner::SHAPE
    }
    assert_eq!(local(), [2]);
}

/// Moves bits, and what a bit pattern means does not matter: NaN payloads, negative zeros.
macro_rules! every_type {
    ($($name:ident: $notation:tt, $rust:ty, [$a:expr, $b:expr, $c:expr];)*) => {$(
        #[test]
        fn $name() {
            let x: [$rust; 3] = [$a, $b, $c];
            assert_eq!(xslice!(<$notation[3]> x[::-1]), [$c, $b, $a]);
            let mut y: [$rust; 2] = [$a, $a];
            xslice!(<$notation[3]> x[[2, 0]] => y);
            assert_eq!(y, [$c, $a]);
            xslice! { fn run<$notation[3], ids: i64[2]> [@ids] }
            run(&x, &[1, -1], &mut y).expect("in range");
            assert_eq!(y, [$b, $c]);
        }
    )*};
}

every_type! {
    of_bool: bool, bool, [true, false, true];
    of_i8: i8, i8, [1, -2, 3];
    of_i16: i16, i16, [1, -2, 3];
    of_i32: i32, i32, [1, -2, 3];
    of_i64: i64, i64, [1, -2, 3];
    of_u8: u8, u8, [1, 2, 3];
    of_u16: u16, u16, [1, 2, 3];
    of_u32: u32, u32, [1, 2, 3];
    of_u64: u64, u64, [1, 2, u64::MAX];
    of_f16: f16, xslice::half::f16, [xslice::half::f16::ONE, xslice::half::f16::MAX, xslice::half::f16::MIN];
    of_bf16: bf16, xslice::half::bf16, [xslice::half::bf16::ONE, xslice::half::bf16::MAX, xslice::half::bf16::MIN];
    of_f32: f32, f32, [1.0, -2.0, 3.0];
    of_f64: f64, f64, [1.0, -2.0, 3.0];
    of_c64: c64, xslice::num_complex::Complex<f32>, [xslice::num_complex::Complex::new(1.0, 2.0), xslice::num_complex::Complex::new(3.0, 4.0), xslice::num_complex::Complex::new(5.0, 6.0)];
    of_c128: c128, xslice::num_complex::Complex<f64>, [xslice::num_complex::Complex::new(1.0, 2.0), xslice::num_complex::Complex::new(3.0, 4.0), xslice::num_complex::Complex::new(5.0, 6.0)];
    of_string: string, String, [String::from("a"), String::from("b"), String::from("c")];
}

#[test]
fn constants_keep_every_bit() {
    const X: [f32; 2] = [f32::from_bits(0x7FA0_0001), f32::from_bits(0xFFC0_1234)];
    const Y: [f32; 2] = xslice!(const <f32[2]> X[::-1]);
    static LARGE: [u16; 20_000] = xslice!(const <u16[2, 10000]> ([[7; 10_000], [8; 10_000]])[::-1]);
    assert_eq!(Y.map(f32::to_bits), [0xFFC0_1234, 0x7FA0_0001]);
    assert_eq!((LARGE[0], LARGE[19_999]), (8, 7));
    const R: [f64; 3] = xslice!(const <f64> onnx::Range@11(start = 0.5, limit = 2, delta = 0.5));
    assert_eq!(R, [0.5, 1.0, 1.5]);
}
