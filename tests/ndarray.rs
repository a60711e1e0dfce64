//! `xslice::index` on arrays of `ndarray`: owned, views, strides of either sign, axes in any order.

#![cfg(feature = "ndarray")]

use ndarray::{Array2, Array3, arr2, s};

fn numbered() -> Array3<i32> {
    Array3::from_shape_vec((2, 3, 4), (0..24).collect()).expect("24 elements")
}

#[test]
fn an_array_gives_what_ndarray_slices() {
    let x = numbered();
    let y = xslice::index(&x, "x[1:, :, ::-1]").expect("a slice");
    assert_eq!(y, x.slice(s![1.., .., ..;-1]).to_owned().into_dyn());
}

#[test]
fn views_of_any_strides_are_read_where_they_lie() {
    let x = numbered();
    let reversed = x.slice(s![..;-1, .., ..;-1]);
    let expected = reversed.slice(s![.., 1.., ..]).to_owned().into_dyn();
    assert_eq!(
        xslice::index(&reversed, "x[:, 1:]").expect("a slice"),
        expected
    );
    let transposed = x.view().reversed_axes();
    let expected = transposed.slice(s![..;2, .., 0..1]).to_owned().into_dyn();
    assert_eq!(
        xslice::index(&transposed, "x[::2, :, :1]").expect("a slice"),
        expected
    );
    let sparse = x.slice(s![.., ..;2, ..;3]);
    let expected = sparse.slice(s![.., ..;-1, ..]).to_owned().into_dyn();
    assert_eq!(
        xslice::index(&sparse, "x[:, ::-1]").expect("a slice"),
        expected
    );
}

#[test]
fn elements_that_repeat_are_read_in_place() {
    let row = ndarray::arr1(&[1u8, 2, 3, 4, 5]);
    let rows = row.broadcast((1 << 50, 5)).expect("rows");
    let y = xslice::index(&rows, "x[-3:-1, ::-2]").expect("two rows");
    assert_eq!(y, arr2(&[[5u8, 3, 1], [5, 3, 1]]).into_dyn());
    let sparse = row.slice(s![..;2]);
    let rows = sparse.broadcast((3, 1 << 50, 3)).expect("rows");
    let y = xslice::index(&rows, "x[1, 7:9, ::-1]").expect("two rows");
    assert_eq!(y, arr2(&[[5u8, 3, 1], [5, 3, 1]]).into_dyn());
    let cube = numbered();
    let (sparse, reversed) = (cube.slice(s![.., 1, ..;2]), cube.slice(s![..;-1, 0, ..]));
    for view in [sparse, reversed] {
        let shape = (4, 2, view.shape()[1]);
        let many = view.broadcast(shape).expect("matrices");
        let expected = many.slice(s![..2, ..;-1, 1..]).to_owned().into_dyn();
        assert_eq!(
            xslice::index(&many, "x[:2, ::-1, 1:]").expect("a slice"),
            expected
        );
    }
}

#[test]
fn rows_are_gathered() {
    let table = arr2(&[[0.0f32, 0.5], [1.0, 1.5], [2.0, 2.5]]);
    let ids = xslice::Tensor::vector(&[2, -3]);
    let rows = xslice::index_with(&table, "table[@ids]", &[&ids]).expect("two rows");
    assert_eq!(rows, arr2(&[[2.0f32, 2.5], [0.0, 0.5]]).into_dyn());
}

#[test]
fn an_empty_array_stays_empty() {
    let x = Array3::<u8>::zeros((2, 0, 4));
    assert_eq!(
        xslice::index(&x, "x[:, ::-1, 1:]")
            .expect("a slice")
            .shape(),
        [2, 0, 3]
    );
}

#[test]
fn the_macro_takes_arrays_in_standard_layout_and_names_the_strides_of_others() {
    let x = Array2::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as i32);
    let mut y = Array2::<i32>::zeros((3, 2));
    assert_eq!(xslice::xslice!(<i32[2, 3]> x[::-1, 0]), Ok([3, 0]));
    xslice::xslice!(<i32[2, 3]> x[::-1, ::-1] => y).expect("standard layout");
    assert_eq!(y, ndarray::array![[5, 4], [3, 2], [1, 0]]);
    let turned = x.t();
    let error = xslice::xslice!(<i32[3, 2]> turned[0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`turned` has strides [1, 3] (allowed: row-major elements in one piece); copy it first, or use `Jit`, which takes any strides [E405 operand-layout]"
    );
    let mut turned = y.view_mut().reversed_axes();
    let error = xslice::xslice!(<i32[2, 3]> x[...] => turned).unwrap_err();
    assert_eq!(error.parameter_name(), Some("output"));
}
