//! Nests that an expansion gives to a Move, because they are large: element by element against plain formulas.

use xslice::half::{bf16, f16};
use xslice::num_complex::Complex;
use xslice::xslice;

/// Element `at` of every operand: no two neighbours are alike, nor two places that a small mistake confuses.
fn number(at: usize) -> u64 {
    (at as u64 ^ 0x5bd1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7
}

fn numbered<T>(len: usize, of: impl Fn(u64) -> T) -> Vec<T> {
    (0..len).map(number).map(of).collect()
}

/// Checks that element `k` of a result is element `source(k)` of its operand, bit by bit.
fn same<T>(y: &[T], x: &[T], bits: impl Fn(&T) -> u128, source: impl Fn(usize) -> usize) {
    for (k, got) in y.iter().enumerate() {
        assert_eq!(bits(got), bits(&x[source(k)]), "element {k}");
    }
}

/// Every second column of a reversed matrix, in every width; the bits are arbitrary, NaN payloads among them.
macro_rules! widths {
    ($($name:ident: $notation:ident, $element:ty, $of:expr, $bits:expr;)*) => {$(
        #[test]
        fn $name() {
            let x: Vec<$element> = numbered(60 * 70, $of);
            let mut y = vec![<$element>::default(); 60 * 35];
            xslice!(<$notation[60, 70]> x[::-1, 1::2] => y).expect("the lengths fit");
            same(&y, &x, $bits, |k| (59 - k / 35) * 70 + 1 + 2 * (k % 35));
        }
    )*};
}

widths! {
    bool_columns: bool, bool, |n| n & 1 == 1, |x| u128::from(*x);
    i8_columns: i8, i8, |n| n as i8, |x| *x as u128;
    u8_columns: u8, u8, |n| n as u8, |x| u128::from(*x);
    i16_columns: i16, i16, |n| n as i16, |x| *x as u128;
    u16_columns: u16, u16, |n| n as u16, |x| u128::from(*x);
    f16_columns: f16, f16, |n| f16::from_bits(n as u16), |x| u128::from(x.to_bits());
    bf16_columns: bf16, bf16, |n| bf16::from_bits(n as u16), |x| u128::from(x.to_bits());
    i32_columns: i32, i32, |n| n as i32, |x| *x as u128;
    u32_columns: u32, u32, |n| n as u32, |x| u128::from(*x);
    f32_columns: f32, f32, |n| f32::from_bits(n as u32), |x| u128::from(x.to_bits());
    i64_columns: i64, i64, |n| n as i64, |x| *x as u128;
    u64_columns: u64, u64, |n| n, |x| u128::from(*x);
    f64_columns: f64, f64, |n| f64::from_bits(n << 5), |x| u128::from(x.to_bits());
    c64_columns: c64, Complex<f32>, |n| Complex::new(n as f32, f32::from_bits(!n as u32)),
        |x| u128::from(x.re.to_bits()) << 32 | u128::from(x.im.to_bits());
    c128_columns: c128, Complex<f64>, |n| Complex::new(f64::from_bits(n), n as f64),
        |x| u128::from(x.re.to_bits()) << 64 | u128::from(x.im.to_bits());
}

fn byte(x: &u8) -> u128 {
    u128::from(*x)
}

#[test]
fn pixels_lose_and_swap_channels() {
    let x: Vec<u8> = numbered(50 * 60 * 4, |n| n as u8);
    let mut y = vec![0; 50 * 60 * 3];
    xslice!(<u8[50, 60, 4]> x[:, ::-1, 2::-1] => y).expect("the lengths fit");
    let source = |k: usize| {
        let (row, column, channel) = (k / 180, k / 3 % 60, k % 3);
        row * 240 + (59 - column) * 4 + 2 - channel
    };
    same(&y, &x, byte, source);
}

#[test]
fn a_large_array_is_returned() {
    let x: Vec<u8> = numbered(4096, |n| n as u8);
    let x: [u8; 4096] = x.try_into().expect("the length");
    same(&xslice!(<u8[4096]> x[::-1]), &x, byte, |k| 4095 - k);
}

#[test]
fn rows_beyond_the_caches_and_a_part_of_each() {
    let x: Vec<u16> = numbered(512 * 300, |n| n as u16);
    let mut y = vec![0; 512 * 150];
    xslice!(<u16[512, 300]> x[::-1, 50:200] => y).expect("the lengths fit");
    same(
        &y,
        &x,
        |x| u128::from(*x),
        |k| (511 - k / 150) * 300 + 50 + k % 150,
    );
}

xslice! {
    fn narrow_rows<u8[256, 3], ids: i32[40, 50]> [@ids]
    fn swapped_rows<u8[256, 3], ids: i32[40, 50]> [@ids][..., ::-1]
    fn wide_rows<f32[90, 300], ids: i64[30]> [:, 20:][@ids]
    fn columns<u16[60, 500], ids: i64[300]> [:, @ids]
    fn few_columns<u16[6, 500], ids: i64[2, 15]> [::-1, @ids]
    fn twice<u32[40, 40], ids: i32[40]> [@ids, ::-1][:, @ids]
    fn half_of_the_indices<u64[100, 2], ids: i64[1000]> [@(ids[::2])]
}

xslice! {
    fn of_a_range<i64, ids: i64[30, 10]> onnx::Range@11(start = 7, limit = 5007, delta = 5) |> [@ids]
    fn of_a_range_by_a_part<i32, ids: i32[1001]> onnx::Range@11(start = -9, limit = -3009, delta = -3) |> [@(ids[::2])]
    fn of_a_range_by_constants<i64> onnx::Range@11(start = 7, limit = 5007, delta = 10) |> [[
        -250, 10, 34, -178, 124, 190, 20, 364, 472, -156, 230, 380, -206, 222, 414, -130,
        340, 74, 72, 84, 360, -100, 454, 272, -146, 450, 310, -66, 72, 474, 140, 320,
        264, -28, 194, 180, -70, 194, 222, 14, 320, 390, 224, 72, 184, 60, 450, 104,
        22, 454, 150, 110, 84, 322, -176, 340, 120, 164, 222, 44, 130, 230, 94, 222,
        364, 270, -60, 124, 72, -216, 10, 0, -246, 22, 54, -150, 160, 234, 72, 424,
        40, -80, 314, 472, -106, 330, 30, -6, 472, 214, 220, 240, 24, 72, 134, 460,
        50, 154, 22, 154, 300, 210, -116, 72, 24, 240, 470, 464, 222, 494, 30, -170,
        144, 222, 64, 420, 40, -76, 322, 484, -90, 350, 54, 22, 4, 250, -240, 284
    ]]
}

/// What [`of_a_range_by_constants`] gathers: the formula that its numbers were written by.
fn constant(k: i64) -> i64 {
    (k * k * 7 + 3 * k) % 500 - if k % 3 == 0 { 250 } else { 0 }
}

#[test]
fn ranges_are_gathered_by_any_indices() {
    let ids: Vec<i64> = indices(300, 1000);
    let mut y = [0; 300];
    of_a_range(ids.as_array().expect("the length"), &mut y).expect("indices in range");
    for (got, &id) in y.iter().zip(&ids) {
        assert_eq!(*got, 7 + 5 * wrapped(id, 1000) as i64);
    }
    let mut outside = ids.clone();
    outside[77] = 1000;
    of_a_range(outside.as_array().expect("the length"), &mut y).expect_err("an index outside");

    let ids: Vec<i32> = indices(1001, 1000).iter().map(|&id| id as i32).collect();
    let mut y = [0; 501];
    of_a_range_by_a_part(ids.as_array().expect("the length"), &mut y).expect("indices in range");
    for (got, &id) in y.iter().zip(ids.iter().step_by(2)) {
        assert_eq!(*got, -9 - 3 * wrapped(id.into(), 1000) as i32);
    }

    let mut y = [0; 128];
    of_a_range_by_constants(&mut y);
    for (got, k) in y.iter().zip(0..) {
        assert_eq!(*got, 7 + 10 * wrapped(constant(k), 500) as i64);
    }
}

fn indices(len: usize, size: i64) -> Vec<i64> {
    numbered(len, |n| (n % (2 * size as u64)) as i64 - size)
}

fn wrapped(index: i64, size: usize) -> usize {
    index.rem_euclid(size as i64) as usize
}

#[test]
fn gathers_by_either_index_type() {
    let palette: Vec<u8> = numbered(768, |n| n as u8);
    let ids: Vec<i32> = indices(2000, 256)
        .into_iter()
        .map(|index| index as i32)
        .collect();
    let mut y = [0; 6000];
    narrow_rows(
        palette.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| wrapped(ids[k / 3].into(), 256) * 3 + k % 3;
    same(&y, &palette, byte, source);
    swapped_rows(
        palette.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| wrapped(ids[k / 3].into(), 256) * 3 + 2 - k % 3;
    same(&y, &palette, byte, source);

    let table: Vec<f32> = numbered(90 * 300, |n| f32::from_bits(n as u32));
    let ids = indices(30, 90);
    let mut y = [0.0; 30 * 280];
    wide_rows(
        table.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| wrapped(ids[k / 280], 90) * 300 + 20 + k % 280;
    same(&y, &table, |x| u128::from(x.to_bits()), source);

    let table: Vec<u16> = numbered(60 * 500, |n| n as u16);
    let ids = indices(300, 500);
    let mut y = [0; 60 * 300];
    columns(
        table.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| k / 300 * 500 + wrapped(ids[k % 300], 500);
    same(&y, &table, |x| u128::from(*x), source);

    let (table, mut few) = (&table[..3000], indices(30, 500));
    let mut y = [0; 6 * 30];
    let table = table.as_array().expect("the length");
    few_columns(table, few.as_array().expect("the length"), &mut y).expect("indices in range");
    let source = |k: usize| (5 - k / 30) * 500 + wrapped(few[k % 30], 500);
    same(&y, table, |x| u128::from(*x), source);
    few[17] = 500;
    let error = few_columns(table, few.as_array().expect("the length"), &mut y).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index: `indices[1, 2]` = 500 is out of range for axis 1 of size 500 (allowed: -500..=499) [E212 index-range]"
    );
}

#[test]
fn gathers_through_two_tables_and_parts_of_one() {
    let table: Vec<u32> = numbered(1600, |n| n as u32);
    let ids: Vec<i32> = indices(40, 40)
        .into_iter()
        .map(|index| index as i32)
        .collect();
    let mut y = [0; 1600];
    twice(
        table.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| {
        let [row, column] = [k / 40, k % 40].map(|at| wrapped(ids[at].into(), 40));
        row * 40 + 39 - column
    };
    same(&y, &table, |x| u128::from(*x), source);

    let table: Vec<u64> = numbered(200, |n| n);
    let mut ids = indices(1000, 100);
    // No index that is not used is looked at.
    ids[3] = i64::MAX;
    let mut y = [0; 1000];
    half_of_the_indices(
        table.as_array().expect("the length"),
        ids.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| wrapped(ids[k / 2 * 2], 100) * 2 + k % 2;
    same(&y, &table, |x| u128::from(*x), source);
}

xslice! {
    fn rows_and_columns<u16[30, 90], rows: i32[60], columns: i64[50]> [@rows][:, @columns]
    fn rows_of_images<u8[9, 5, 4000], images: i64[8], rows: i64[3]> [@images][:, @rows]
    fn channels<u8[9, 30, 20, 3], images: i64[4]> [@images, :, ::-1][..., [2, 0, 1]]
    fn fixed_channels<u8[9, 30, 20, 3]> [[8, -9, 3, 3]][..., [2, 0, 1, 1]]
    fn three_axes<f32[7, 8, 60], a: i64[6], b: i64[5], c: i64[70]> [@a][:, @b][:, :, @c]
}

#[test]
fn gathers_of_several_axes() {
    let x: Vec<u16> = numbered(30 * 90, |n| n as u16);
    let rows: [i32; 60] = core::array::from_fn(|k| indices(60, 30)[k] as i32);
    let columns = indices(50, 90);
    let mut y = [0; 60 * 50];
    let columns = columns.as_array().expect("the length");
    // Twice: the first call makes the schedule.
    for _ in 0..2 {
        y.fill(0);
        rows_and_columns(x.as_array().expect("the length"), &rows, columns, &mut y)
            .expect("indices in range");
        let source =
            |k: usize| wrapped(rows[k / 50].into(), 30) * 90 + wrapped(columns[k % 50], 90);
        same(&y, &x, |x| u128::from(*x), source);
    }

    let x: Vec<u8> = numbered(9 * 5 * 4000, |n| n as u8);
    let (images, rows) = ([8, -9, 0, 3, 3, -1, 5, 7], [4, 0, -2]);
    let mut y = vec![0; 8 * 3 * 4000];
    let to = y.as_mut_array().expect("the length");
    rows_of_images(x.as_array().expect("the length"), &images, &rows, to)
        .expect("indices in range");
    let source = |k: usize| {
        let (image, row) = (images[k / 12000], rows[k / 4000 % 3]);
        (wrapped(image, 9) * 5 + wrapped(row, 5)) * 4000 + k % 4000
    };
    same(&y, &x, byte, source);

    let x: Vec<f32> = numbered(7 * 8 * 60, |n| f32::from_bits(n as u32));
    let (a, b, c) = (indices(6, 7), indices(5, 8), indices(70, 60));
    let mut y = [0.0; 6 * 5 * 70];
    three_axes(
        x.as_array().expect("the length"),
        a.as_array().expect("the length"),
        b.as_array().expect("the length"),
        c.as_array().expect("the length"),
        &mut y,
    )
    .expect("indices in range");
    let source = |k: usize| {
        let (row, column) = (wrapped(a[k / 350], 7), wrapped(b[k / 70 % 5], 8));
        (row * 8 + column) * 60 + wrapped(c[k % 70], 60)
    };
    same(&y, &x, |x| u128::from(x.to_bits()), source);
}

#[test]
fn gathers_of_several_axes_by_constants() {
    let x: Vec<u8> = numbered(9 * 30 * 20 * 3, |n| n as u8);
    let images = [8, -9, 3, 3];
    let of_channel = |k: usize, channel: usize| {
        let (image, row, column) = (images[k / 600], k / 20 % 30, k % 20);
        (image, (row * 20 + column) * 3 + channel)
    };
    let mut y = [0; 4 * 600 * 3];
    channels(x.as_array().expect("the length"), &images, &mut y).expect("indices in range");
    let source = |k: usize| {
        let (image, at) = of_channel(k / 60 * 20 + 19 - k / 3 % 20, [2, 0, 1][k % 3]);
        wrapped(image, 9) * 1800 + at
    };
    same(&y, &x, byte, source);
    let mut y = [0; 4 * 600 * 4];
    fixed_channels(x.as_array().expect("the length"), &mut y);
    let source = |k: usize| {
        let (image, at) = of_channel(k / 4, [2, 0, 1, 1][k % 4]);
        wrapped(image, 9) * 1800 + at
    };
    same(&y, &x, byte, source);
    let whole = xslice!(<u8[9, 30, 20, 3]> x[[8, -9, 3, 3]][..., [2, 0, 1, 1]]);
    assert_eq!(whole.expect("the length fits"), y);
}

#[test]
fn the_first_index_outside_of_several_axes_is_refused() {
    let (mut rows, mut columns) = ([0; 60], [0; 50]);
    (rows[59], columns[3]) = (-31, 90);
    let error = rows_and_columns(&[0; 2700], &rows, &columns, &mut [0; 3000]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index: `indices[59]` = -31 is out of range for axis 0 of size 30 (allowed: -30..=29) [E212 index-range]"
    );
    rows[59] = -30;
    let error = rows_and_columns(&[0; 2700], &rows, &columns, &mut [0; 3000]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index: `indices[3]` = 90 is out of range for axis 1 of size 90 (allowed: -90..=89) [E212 index-range]"
    );
}

#[test]
fn an_index_outside_is_refused_in_the_words_of_every_engine() {
    let mut ids = [0i32; 2000];
    ids[777] = 256;
    ids[999] = -257;
    let error = narrow_rows(&[0; 768], &ids, &mut [0; 6000]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index: `indices[15, 27]` = 256 is out of range for axis 0 of size 256 (allowed: -256..=255) [E212 index-range]"
    );
    let swapped = swapped_rows(&[0; 768], &ids, &mut [0; 6000]).unwrap_err();
    assert_eq!(swapped.to_string(), error.to_string());
    ids[777] = -256;
    let error = narrow_rows(&[0; 768], &ids, &mut [0; 6000]).unwrap_err();
    assert_eq!(error.offending_value(), Some("-257"));
}

#[test]
fn constant_indices_have_their_proof_at_compile_time() {
    let x: Vec<u8> = numbered(400 * 6, |n| n as u8);
    let mut y = vec![0; 400 * 7];
    xslice!(<u8[400, 6]> x[:, [5, 0, -2, 3, 3, 1, 2]] => y).expect("the lengths fit");
    let columns = [5, 0, 4, 3, 3, 1, 2];
    same(&y, &x, byte, |k| k / 7 * 6 + columns[k % 7]);
}

/// Called twice: the pattern that holds the indices is made by the first call.
#[test]
fn channels_stand_in_the_order_of_constants() {
    let x: Vec<u8> = numbered(700 * 3, |n| n as u8);
    let wide: Vec<u32> = numbered(600 * 5, |n| n as u32);
    for _ in 0..2 {
        let mut y = vec![0; 700 * 3];
        xslice!(<u8[700, 3]> x[:, [0, 2, 1]] => y).expect("the lengths fit");
        same(&y, &x, byte, |k| k / 3 * 3 + [0, 2, 1][k % 3]);
        let mut y = vec![0; 600 * 4];
        xslice!(<u32[600, 5]> wide[::-1, [[4, 0], [-2, 0]]] => y).expect("the lengths fit");
        let source = |k: usize| (599 - k / 4) * 5 + [4, 0, 3, 0][k % 4];
        same(&y, &wide, |x| u128::from(*x), source);
    }
}

#[test]
fn ranges_of_every_type() {
    let mut shorts = [0; 3000];
    xslice!(<i16> onnx::Range@11(start = -1500, limit = 1500, delta = 1) => shorts);
    assert!(
        shorts
            .iter()
            .enumerate()
            .all(|(k, x)| *x == k as i16 - 1500)
    );
    let mut ints = vec![0; 100_000];
    xslice!(<i32> onnx::Range@11(start = 7, limit = -299993, delta = -3) => ints)
        .expect("the length fits");
    assert!(ints.iter().enumerate().all(|(k, x)| *x == 7 - 3 * k as i32));
    let mut longs = [0; 1000];
    xslice!(<i64> onnx::Range@11(start = 0, limit = 9000000000000000000, delta = 9000000000000000) => longs);
    let value = |k: usize| k as i64 * 9_000_000_000_000_000;
    assert!(longs.iter().enumerate().all(|(k, x)| *x == value(k)));
    let singles = xslice!(<f32> onnx::Range@11(start = 0.5, limit = 300.25, delta = 0.1));
    let value = |k: usize| 0.5f32 + k as f32 * 0.1f32;
    assert!(singles.iter().enumerate().all(|(k, x)| *x == value(k)));
    assert_eq!(singles.len(), 2998);
    let doubles = xslice!(<f64> onnx::Range@11(start = 1.5, limit = -100.0, delta = -0.125));
    assert!(
        doubles
            .iter()
            .enumerate()
            .all(|(k, x)| *x == 1.5 - 0.125 * k as f64)
    );
}

#[test]
fn threads_share_a_nest() {
    xslice! { fn reversed<u16[5000]> [::-1] }
    let x: Vec<u16> = numbered(5000, |n| n as u16);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut y = [0; 5000];
                reversed(x.as_array().expect("the length"), &mut y);
                same(&y, &x, |x| u128::from(*x), |k| 4999 - k);
            });
        }
    });
}
