//! Small patterns that an expansion moves by vectors in place: element by element against the places that their slices name, between pages
//! that nobody may touch.

#![cfg(target_os = "linux")]

#[path = "suite/mod.rs"]
mod suite;

use suite::guarded::Guarded;
use suite::rng::Rng;
use xslice::emit::{self, Destination, Function};
use xslice::{ElementType, Program, Signature, xslice};

/// Where an element of an axis is read: those that a slice names, or these.
#[derive(Clone, Copy)]
enum Axis {
    /// The first, the step, how many.
    Slice(i64, i64, usize),
    List(&'static [i64]),
}
use Axis::{List, Slice};

impl Axis {
    fn len(self) -> usize {
        match self {
            Slice(_, _, count) => count,
            List(list) => list.len(),
        }
    }

    fn at(self, k: usize) -> i64 {
        match self {
            Slice(first, step, _) => first + step * k as i64,
            List(list) => list[k],
        }
    }
}

/// Where each element of the result stands in the operand.
fn places(dims: &[usize], axes: &[Axis]) -> Vec<usize> {
    let mut places = vec![0];
    for (&dim, axis) in dims.iter().zip(axes) {
        let each = |place: &usize| {
            let place = place * dim;
            (0..axis.len()).map(move |k| place + axis.at(k) as usize)
        };
        places = places.iter().flat_map(each).collect();
    }
    places
}

/// Guarded bytes as elements: lengths are multiples of their size.
fn typed<T>(bytes: &mut [u8]) -> &mut [T] {
    // SAFETY: plain words; what does not fit is looked at.
    let (before, elements, after) = unsafe { bytes.align_to_mut::<T>() };
    assert!(before.is_empty() && after.is_empty());
    elements
}

/// Whether the expansion of a text has vectors in place.
fn is_in_place(text: &str, ty: &str, dims: &[usize]) -> bool {
    let ty = ElementType::from_name(ty).expect("a type");
    let signature = Signature::new().operand(ty, dims);
    let program = Program::parse(text).expect(text);
    let plan = program.compile(&signature).expect(text);
    let wanted = Function {
        head: "fn run",
        root: "xslice",
        parameters: &["x"],
        variables: "",
        destination: Destination::Parameter,
        fallible: false,
    };
    let text = emit::function(&plan, &wanted).expect(text);
    text.contains("__private::by_vectors(x, dst, VECTORS0)")
}

macro_rules! patterns {
    ($($name:ident: $ty:ident [$($dim:literal),*] [$($text:tt)*] = [$($axis:expr),*];)*) => {$(
        mod $name {
            use super::*;

            xslice! { fn moved<$ty[$($dim),*]> [$($text)*] }

            #[test]
            fn are_moved_as_they_are_named() {
                const DIMS: &[usize] = &[$($dim),*];
                let text = concat!("x", stringify!([$($text)*]));
                assert!(is_in_place(text, stringify!($ty), DIMS), "{text}");
                let (places, size) = (places(DIMS, &[$($axis),*]), size_of::<$ty>());
                let len: usize = DIMS.iter().product();
                let mut bits = Rng::new(1);
                let mut src = Guarded::new(len * size);
                let mut dst = Guarded::new(places.len() * size);
                for (src_end, dst_end) in [(false, false), (false, true), (true, false), (true, true)] {
                    let x = typed::<$ty>(src.bytes(len * size, src_end));
                    x.fill_with(|| bits.word() as $ty);
                    let y = typed::<$ty>(dst.bytes(places.len() * size, dst_end));
                    y.fill(0x55);
                    moved((&*x).try_into().expect("the length"), (&mut *y).try_into().expect("the length"));
                    for (k, (y, &place)) in y.iter().zip(&places).enumerate() {
                        assert_eq!(*y, x[place], "element {k}");
                    }
                }
            }
        }
    )*};
}

patterns! {
    flipped_pixels: u8 [8, 8, 3] [:, ::-1] = [Slice(0, 1, 8), Slice(7, -1, 8), Slice(0, 1, 3)];
    channels: u8 [8, 8, 4] [:, :, 2::-1] = [Slice(0, 1, 8), Slice(0, 1, 8), Slice(2, -1, 3)];
    one_load_that_begins_as_a_copy: u8 [20, 16, 4] [:, :12, :3] = [Slice(0, 1, 20), Slice(0, 1, 12), Slice(0, 1, 3)];
    one_channel: u8 [10, 10, 3] [:, :, 1:2] = [Slice(0, 1, 10), Slice(0, 1, 10), Slice(1, 1, 1)];
    some_channels: u8 [12, 16, 3] [:, :, [2, 0, 0, 1]] = [Slice(0, 1, 12), Slice(0, 1, 16), List(&[2, 0, 0, 1])];
    some_rows: u16 [4, 9, 5] [:, [8, 1, 1, 7], ::2] = [Slice(0, 1, 4), List(&[8, 1, 1, 7]), Slice(0, 2, 3)];
    every_third: u8 [40, 30] [::-1, ::3] = [Slice(39, -1, 40), Slice(0, 3, 10)];
    every_fourth: u8 [300] [1::4] = [Slice(1, 4, 75)];
    words_of_two_loads: u32 [4, 4, 4, 4, 4, 4] [0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2] =
        [Slice(0, 1, 4), Slice(1, 1, 3), Slice(0, 2, 2), Slice(1, 2, 2), Slice(3, -1, 3), Slice(3, -2, 2)];
    words_backwards: u32 [8, 9, 8] [:, 1:, ::-2] = [Slice(0, 1, 8), Slice(1, 1, 8), Slice(7, -2, 4)];
    three_loops: u8 [6, 6, 6, 160] [::3, 1::3, ::-3, ::2] =
        [Slice(0, 3, 2), Slice(1, 3, 2), Slice(5, -3, 2), Slice(0, 2, 80)];
    three_vectors: u16 [7, 16, 3] [..., ::-1] = [Slice(0, 1, 7), Slice(0, 1, 16), Slice(2, -1, 3)];
    three_vectors_and_a_part: u16 [7, 17, 3] [..., ::-1] = [Slice(0, 1, 7), Slice(0, 1, 17), Slice(2, -1, 3)];
    spilling: i16 [54, 3, 3, 4] [:, ::2, ::-1, 1:4] =
        [Slice(0, 1, 54), Slice(0, 2, 2), Slice(2, -1, 3), Slice(1, 1, 3)];
    a_part_of_a_vector_at_the_end: i16 [36, 7] [:, 0:3] = [Slice(0, 1, 36), Slice(0, 1, 3)];
    eight_bytes: u8 [70, 90] [:, 3:43:5] = [Slice(0, 1, 70), Slice(3, 5, 8)];
    sixteen_bytes: u8 [70, 200] [:, :48:3] = [Slice(0, 1, 70), Slice(0, 3, 16)];
    twenty_four_bytes: u8 [70, 200] [:, 200:152:-2] = [Slice(0, 1, 70), Slice(199, -2, 24)];
    thirty_two_bytes: u8 [70, 200] [:, 136::2] = [Slice(0, 1, 70), Slice(136, 2, 32)];
    forty_bytes: u8 [70, 200] [:, :80:2] = [Slice(0, 1, 70), Slice(0, 2, 40)];
    forty_eight_bytes: u8 [70, 200] [:, 1:97:2] = [Slice(0, 1, 70), Slice(1, 2, 48)];
    fifty_seven_bytes: u8 [70, 200] [:, 86::2] = [Slice(0, 1, 70), Slice(86, 2, 57)];
    overlapping_vectors: u8 [7, 900] [:, 40:240:2] = [Slice(0, 1, 7), Slice(40, 2, 100)];
    two_bytes_of_four: u8 [60, 4] [::-1, 2:0:-1] = [Slice(59, -1, 60), Slice(2, -1, 2)];
    short_rows: u8 [9, 200] [:, 3:140] = [Slice(0, 1, 9), Slice(3, 1, 137)];
    rows_of_whole_vectors: u64 [7, 24] [::-1] = [Slice(6, -1, 7), Slice(0, 1, 24)];
    rows_of_lines_and_a_part: u16 [4, 3, 300] [::2, ::-1, 1:] = [Slice(0, 2, 2), Slice(2, -1, 3), Slice(1, 1, 299)];
    the_longest_rows: u32 [3, 2, 3, 257] [::-2, :, ::2, 1:] =
        [Slice(2, -2, 2), Slice(0, 1, 2), Slice(0, 2, 2), Slice(1, 1, 256)];
    bytes_backwards: u8 [700] [::-1] = [Slice(699, -1, 700)];
    short_words_backwards: u16 [5, 161] [:, ::-1] = [Slice(0, 1, 5), Slice(160, -1, 161)];
    long_words_backwards: u32 [300] [::-1] = [Slice(299, -1, 300)];
    every_second_word: u64 [201] [::2] = [Slice(0, 2, 101)];
    pairs_turned_around: u8 [300, 2] [:, ::-1] = [Slice(0, 1, 300), Slice(1, -1, 2)];
    a_part_of_a_tile: u8 [8, 200, 3] [3:4, 3:23, ::-1] = [Slice(3, 1, 1), Slice(3, 1, 20), Slice(2, -1, 3)];
    narrow_rows: i8 [30, 4, 9] [::2, :, 8:2:-1] = [Slice(0, 2, 15), Slice(0, 1, 4), Slice(8, -1, 6)];
}
