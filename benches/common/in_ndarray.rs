//! What ndarray says in one line, for the workloads that are one slice.

use ndarray::{ArrayView, ArrayViewMut, Dimension, IntoDimension, s};
use xslice_cli::bench::data::{Data, Held};

/// Writes the result.
pub type Assign = fn(&[Data], &mut Data);

/// A slice of an operand, written by ndarray.
fn assign<T: Held, D: Dimension, E: Dimension>(
    (operands, output): (&[Data], &mut Data),
    shape: impl IntoDimension<Dim = D>,
    slice: impl FnOnce(ArrayView<'_, T, D>) -> ArrayView<'_, T, E>,
) {
    let x = T::of(&operands[0]).expect("its type");
    let picked = slice(ArrayView::from_shape(shape.into_dimension(), x).expect("its shape"));
    let y = T::of_mut(output).expect("its type");
    let mut y = ArrayViewMut::from_shape(picked.raw_dim(), y).expect("its shape");
    y.assign(&picked);
}

/// The form of a workload, if ndarray has one.
#[must_use]
pub fn form(name: &str) -> Option<Assign> {
    macro_rules! slices {
        ($($name:ident $ty:ident $shape:tt [$($slice:tt)*];)*) => {
            match name {
                $(stringify!($name) => Some(|operands, output| {
                    assign::<$ty, _, _>((operands, output), $shape, |x| x.slice_move(s![$($slice)*]));
                }),)*
                _ => None,
            }
        };
    }
    slices! {
        yolo_focus_h f32 (1, 3, 640, 640) [.., .., ..;2, ..];
        yolo_focus_w f32 (1, 3, 320, 640) [.., .., .., ..;2];
        yolo_focus_hw f32 (1, 3, 640, 640) [.., .., 1..;2, 1..;2];
        vit_cls f32 (32, 197, 768) [.., 0..1, ..];
        rope_half f32 (1, 32, 512, 128) [.., .., .., ..64];
        center_crop u8 (16, 256, 256, 3) [.., 16..240, 16..240, ..];
        hflip_nhwc u8 (16, 224, 224, 3) [.., .., ..;-1, ..];
        vflip f32 (16, 3, 224, 224) [.., .., ..;-1, ..];
        last_token f32 (8, 512, 4096) [.., -1.., ..];
        qkv_q f32 (8, 512, 3, 12, 64) [.., .., 0, .., ..];
        rgba_to_rgb u8 (1, 1080, 1920, 4) [.., .., .., 0..3];
        red_plane u8 (1, 1080, 1920, 3) [.., .., .., 0..1];
        bgr_swap u8 (1, 1080, 1920, 3) [.., .., .., ..;-1];
        tiny_1d f32 10 [1..8];
        step7_f64 f64 (1000, 1000) [.., ..;7];
        reverse_1d_i64 i64 4_194_304 [..;-1];
        big_copy f32 (64, 1024, 1024) [.., .., ..1000];
        crop_flip u8 (16, 256, 256, 3) [.., 16..240, 16..240;-1, ..];
        gather_range f32 (4096, 256) [..;2, ..];
    }
}
