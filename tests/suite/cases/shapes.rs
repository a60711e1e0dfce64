//! Every element type, every rank, dimensions of 0 and 1.

use super::chains::chain_of;
use super::describe::{At, Case, at, by, gather, list, ov_slice, slice, strided, walk, x};
use super::table;
use At::{Dots, New};
use xslice::ElementType;
use xslice::ElementType::{C128, F32, I64, String, U8};

table! {
    a_zero_in_front (<f32[0, 5]> x[:, 1:3]) => x(F32, [0, 5]).at(at![.., 1..3]);
    a_zero_at_the_end (<f32[5, 0]> x[::-2]) => x(F32, [5, 0]).at(at![by(.., -2)]);
    a_zero_that_an_integer_skips (<f32[5, 0, 2]> x[3, :, 1]) => x(F32, [5, 0, 2]).at(at![3, .., 1]);
    an_integer_out_of_range_beside_a_zero_is_refused (<f32[5, 0]> x[5]) => x(F32, [5, 0]).at(at![5]);
    a_zero_that_a_gather_makes (<f32[5, 3], ids: i64[0, 4]> x[@ids])
        => x(F32, [5, 3]).ids(&[0, 4], []).at(at!["ids"]);
    a_zero_on_every_axis (<u8[0, 0, 0]> x[..., newaxis]) => x(U8, [0, 0, 0]).at(at![Dots, New]);
    a_zero_in_strings (<string[0, 2]> x[:, ::-1]) => x(String, [0, 2]).at(at![.., by(.., -1)]);
    axes_of_one_reversed (<f32[1, 1, 1]> x[::-1, ::-7, ::3])
        => x(F32, [1, 1, 1]).at(at![by(.., -1), by(.., -7), by(.., 3)]);
    a_copy_of_everything (<i64[3, 4, 5]> x[...]) => x(I64, [3, 4, 5]).at(at![Dots]);
    a_prefix_of_each_row (<f32[6, 8]> x[:, :5]) => x(F32, [6, 8]).at(at![.., ..5]);
    a_suffix_of_each_row (<f32[6, 8]> x[:, 5:]) => x(F32, [6, 8]).at(at![.., 5..]);
    a_block_in_the_middle (<u8[6, 8, 3]> x[1:5, 2:6]) => x(U8, [6, 8, 3]).at(at![1..5, 2..6]);
    one_column (<u8[100, 7]> x[:, 3]) => x(U8, [100, 7]).at(at![.., 3]);
    one_column_backwards (<u8[100, 7]> x[::-1, 3:4]) => x(U8, [100, 7]).at(at![by(.., -1), 3..4]);
    long_rows_reversed (<u8[3, 300]> x[:, ::-1]) => x(U8, [3, 300]).at(at![.., by(.., -1)]);
    every_second_of_long_rows (<u8[3, 301]> x[:, ::2]) => x(U8, [3, 301]).at(at![.., by(.., 2)]);
    every_third_of_long_rows (<u8[3, 301]> x[:, 1::3]) => x(U8, [3, 301]).at(at![.., by(1.., 3)]);
    every_fifth_of_long_rows_backwards (<f32[3, 301]> x[:, ::-5]) => x(F32, [3, 301]).at(at![.., by(.., -5)]);
    pairs_out_of_quads (<f32[40, 4]> x[:, 1:3]) => x(F32, [40, 4]).at(at![.., 1..3]);
    wide_elements_reversed (<c128[33]> x[::-1]) => x(C128, [33]).at(at![by(.., -1)]);
    long_copies_of_wide_elements (<c128[9, 70]> x[::2, 3:]) => x(C128, [9, 70]).at(at![by(.., 2), 3..]);
    a_result_of_exactly_one_vector (<u8[128]> x[64:128]) => x(U8, [128]).at(at![64..128]);
    a_result_of_one_more_than_a_vector (<u8[128]> x[63:128]) => x(U8, [128]).at(at![63..128]);
}

/// Programs that move every element type.
pub fn every_type() -> Vec<Case> {
    ElementType::ALL.into_iter().flat_map(of_type).collect()
}

fn of_type(ty: ElementType) -> Vec<Case> {
    let cases = [
        ("copy", x(ty, [4, 5]).at(at![1..3])),
        ("rows", x(ty, [4, 5]).at(at![.., 1..4])),
        ("reversed", x(ty, [37]).at(at![by(.., -1)])),
        ("every_third", x(ty, [3, 40]).at(at![.., by(2.., 3)])),
        ("columns", x(ty, [7, 3]).at(at![by(.., -2), 1])),
        ("rank_0", x(ty, [3, 3]).at(at![-1, 0])),
        (
            "slice_13",
            x(ty, [4, 5]).then(slice(13, [3, -1], [0, 0]).by([-1, -2])),
        ),
        (
            "slice_8",
            x(ty, [4, 5]).then(ov_slice([3, -1], [0, 0], [-1, -2])),
        ),
        (
            "strided_slice",
            x(ty, [4, 5]).then(strided([1, 0], [3, 5]).by([1, 2]).end_mask([1])),
        ),
        (
            "gather",
            x(ty, [6, 4]).ids(&[2, 2], [5, -6, 0, -1]).gather("ids"),
        ),
        (
            "gather_columns",
            x(ty, [4, 6])
                .ids(&[3], [5, -6, 2])
                .then(gather(13, "ids").axis(1)),
        ),
        ("gather_by_a_list", x(ty, [5, 2]).at(at![list([4, 0, 1])])),
        ("chain", chain_of(x(ty, [3, 4, 2]))),
        ("empty", x(ty, [3, 4]).at(at![walk(2, 2, 1)])),
    ];
    let name = |(name, case): (&str, Case)| case.named(&format!("{name}_of_{ty}"));
    cases.into_iter().map(name).collect()
}

/// Programs on every rank up to 8, and on 12, 20 and 70.
pub fn every_rank() -> Vec<Case> {
    vec![
        x(F32, []).at(at![Dots]).named("the_whole_of_rank_0"),
        x(F32, []).at(at![New, New]).named("new_axes_on_rank_0"),
        of_rank([9]),
        of_rank([5, 4]),
        of_rank([3, 4, 5]),
        of_rank([3, 2, 4, 3]),
        of_rank([2, 3, 2, 3, 2]),
        of_rank([2, 3, 2, 1, 3, 2]),
        of_rank([2, 2, 3, 2, 1, 3, 2]),
        of_rank([2, 2, 2, 3, 2, 1, 2, 2]),
        of_rank([2; 12]),
        of_rank([1; 20]),
        of_rank([1; 70]),
        gathers_on_rank([2, 3, 2, 3, 2, 3, 2, 3]),
        gathers_on_rank([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]),
        strided_on_rank([2; 12]),
    ]
}

/// Every other axis reversed: no two neighbours fold.
fn of_rank<const N: usize>(shape: [usize; N]) -> Case {
    let entries: Vec<At> = (0..N)
        .map(|axis| {
            if axis % 2 == 0 {
                by(.., -1)
            } else {
                At::from(..)
            }
        })
        .collect();
    x(F32, shape)
        .at(entries)
        .named(&format!("reversals_on_rank_{N}"))
}

/// A gather in the middle, a reversal at the end.
fn gathers_on_rank<const N: usize>(shape: [usize; N]) -> Case {
    let dim = shape[N / 2] as i64;
    let case = x(U8, shape).ids(&[3], [-1, 0, dim - 1]);
    case.then(gather(13, "ids").axis(N as i64 / 2))
        .at(at![Dots, by(.., -1)])
        .named(&format!("a_gather_on_rank_{N}"))
}

fn strided_on_rank<const N: usize>(shape: [usize; N]) -> Case {
    let step = strided([1; N], [-3; N]).by([-1; N]);
    x(U8, shape)
        .then(step)
        .named(&format!("a_strided_slice_on_rank_{N}"))
}
