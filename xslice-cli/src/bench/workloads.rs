//! What is timed: data movement of real models, at real sizes.
//!
//! The one place that defines it, for `xslice bench` and for the benches. A line is a name and the program, written once: as text for the
//! engines, as a function of the macro.

use super::data::{Data, operand, result};
use crate::error::Result;
use std::hint::black_box;
use xslice::ir::IndexType;
use xslice::{Error, Program, Signature, xslice};

/// Runs the macro's form that many times.
pub type Compiled = fn(&[Data], &mut Data, u64) -> Result<(), Error>;

/// A program, its operands, and its form by the macro.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// The program in the notation.
    pub text: &'static str,
    /// How the first operand lies in memory; `None`: row-major.
    strides: Option<&'static [isize]>,
    /// The indices that operands after the first hold.
    indices: fn() -> Result<Data>,
    /// The form of the macro.
    pub compiled: Compiled,
}

impl Workload {
    /// The program, and the signature that it declares.
    ///
    /// # Errors
    /// What the notation refuses.
    pub fn program(&self) -> Result<(Program, Signature), Error> {
        let program = Program::parse(self.text)?;
        let operands = program.operands().iter();
        let declared = operands.filter_map(|operand| operand.declared.as_ref());
        let signature = declared.fold(Signature::new(), |signature, declared| {
            let dims = declared.shape.iter().flatten();
            let dims: Vec<usize> = dims.map(|dim| dim.unwrap_or(0)).collect();
            match self.strides {
                Some(strides) if signature.operands().is_empty() => {
                    signature.strided(declared.element_type, &dims, strides, 0)
                }
                _ => signature.operand(declared.element_type, &dims),
            }
        });
        Ok((program, signature))
    }

    /// The bytes of its largest operand, or of its result if that takes more.
    ///
    /// # Errors
    /// What the library refuses.
    pub fn largest(&self) -> Result<u64, Error> {
        let (program, signature) = self.program()?;
        let plan = program.compile(&signature)?;
        let result = (plan.element_type(), plan.output_len());
        let operands = signature.operands().iter();
        let operands =
            operands.map(|operand| (operand.element_type, operand.shape.iter().product()));
        let sizes = operands.chain([result]).map(|(ty, len)| ty.size() * len);
        Ok(sizes.max().unwrap_or_default() as u64)
    }

    /// The operands, the same each time.
    ///
    /// # Errors
    /// No memory.
    pub fn operands(&self, signature: &Signature) -> Result<Vec<Data>> {
        let operands = signature.operands().iter().enumerate();
        let operands = operands.map(|(at, operand)| match at {
            0 => Data::random(operand.element_type, operand.shape.iter().product()),
            _ => (self.indices)(),
        });
        operands.collect()
    }
}

/// A refusal of run-time indices, or none.
trait Done {
    fn done(self) -> Result<(), Error>;
}

impl Done for () {
    fn done(self) -> Result<(), Error> {
        Ok(())
    }
}

impl Done for Result<(), Error> {
    fn done(self) -> Result<(), Error> {
        self
    }
}

/// The lines of the table. In the first parentheses stands what `<...>` holds, in the second the chain, on `x` or piped into an operator.
macro_rules! workloads {
    ($($name:ident ($ty:ident $($types:tt)*) $lead:literal ($($chain:tt)*) $(by $indices:expr)?;)*) => {
        &[$(Workload {
            name: stringify!($name),
            text: concat!("<", stringify!($ty $($types)*), "> ", $lead, stringify!($($chain)*)),
            strides: None,
            indices: workloads!(@indices $($indices)?),
            compiled: |operands, output, times| {
                xslice! { fn run<$ty $($types)*> $($chain)* }
                workloads!(@call operands output times ($($types)*) $(by $indices)?)
            },
        }),*]
    };
    (@indices) => { no_indices };
    (@indices $indices:expr) => { || $indices };
    (@call $operands:ident $output:ident $times:ident ()) => {{
        let _ = $operands;
        let dst = result($output)?;
        for _ in 0..$times {
            run(black_box(dst)).done()?;
        }
        Ok(())
    }};
    (@call $operands:ident $output:ident $times:ident ($($types:tt)*)) => {{
        let (x, dst) = (operand($operands, 0)?, result($output)?);
        for _ in 0..$times {
            run(black_box(x), black_box(dst)).done()?;
        }
        Ok(())
    }};
    (@call $operands:ident $output:ident $times:ident ($($types:tt)*) by $indices:expr) => {{
        let (x, ids) = (operand($operands, 0)?, operand($operands, 1)?);
        let dst = result($output)?;
        for _ in 0..$times {
            run(black_box(x), black_box(ids), black_box(dst)).done()?;
        }
        Ok(())
    }};
}

/// The workloads whose operands lie row-major.
const ROW_MAJOR: &[Workload] = workloads! {
    yolo_focus_h (f32[1, 3, 640, 640]) "x" ([:, :, ::2]);
    yolo_focus_w (f32[1, 3, 320, 640]) "x" ([..., ::2]);
    yolo_focus_hw (f32[1, 3, 640, 640]) "x" ([..., 1::2, 1::2]);
    vit_cls (f32[32, 197, 768]) "x" ([:, 0:1]);
    rope_half (f32[1, 32, 512, 128]) "x" ([..., :64]);
    center_crop (u8[16, 256, 256, 3]) "x" ([:, 16:240, 16:240]);
    hflip_nhwc (u8[16, 224, 224, 3]) "x" ([:, :, ::-1]);
    vflip (f32[16, 3, 224, 224]) "x" ([:, :, ::-1]);
    last_token (f32[8, 512, 4096]) "x" ([:, -1:]);
    qkv_q (f32[8, 512, 3, 12, 64]) "x |> " (openvino::StridedSlice@1(begin = [0, 0, 0], end = [0, 0, 1],
        begin_mask = [1, 1, 0], end_mask = [1, 1, 0], shrink_axis_mask = [0, 0, 1]));
    rgba_to_rgb (u8[1, 1080, 1920, 4]) "x" ([..., 0:3]);
    red_plane (u8[1, 1080, 1920, 3]) "x" ([..., 0:1]);
    bgr_swap (u8[1, 1080, 1920, 3]) "x" ([..., ::-1]);
    seed_6d (f32[4, 4, 4, 4, 4, 4]) "x |> " (openvino::StridedSlice@1(begin = [0, 1, 0, 1, 3, 3],
        end = [4, 4, 4, 4, 0, 0], stride = [1, 1, 2, 2, -1, -2]));
    tiny_1d (f32[10]) "x" ([1:8]);
    step7_f64 (f64[1000, 1000]) "x" ([:, ::7]);
    reverse_1d_i64 (i64[4194304]) "x" ([::-1]);
    big_copy (f32[64, 1024, 1024]) "x" ([:, :, :1000]);
    bert_embed (f32[30522, 768], ids: i64[8, 128]) "x" ([@ids]) by random(1024, 30522);
    llama_embed (f16[32000, 4096], ids: i64[1, 512]) "x" ([@ids]) by random(512, 32000);
    gather_cols (f32[1024, 1024], ids: i64[512]) "x" ([:, @ids]) by random(512, 1024);
    beam_reorder (f16[4, 32, 512, 128], ids: i64[4]) "x" ([@ids]) by Data::indices([2i64, 0, 3, 1].into_iter());
    recsys (f32[1000000, 16], ids: i64[65536]) "x" ([@ids]) by random(65536, 1_000_000);
    palette (u8[256, 3], ids: i32[1080, 1920]) "x" ([@ids]) by pixels();
    scalar_idx (f32[512, 768], ids: i64[]) "x" ([@ids]) by Data::indices([300i64].into_iter());
    range_i64_512 (i64) "" (onnx::Range@11(start = 0, limit = 512, delta = 1));
    range_f32_1m (f32) "" (onnx::Range@11(start = 0, limit = 100000, delta = 0.1));
    range_i64_1m (i64) "" (onnx::Range@11(start = 0, limit = 1000000, delta = 1));
    crop_flip (u8[16, 256, 256, 3]) "x" ([:, 16:240, 16:240][:, :, ::-1]);
    slice_gather (f32[30522, 768], ids: i64[8, 128]) "x" ([@ids][..., :384]) by random(1024, 30522);
    gather_range (f32[4096, 256]) "x" ([@(<i64> onnx::Range@11(start = 0, limit = 4096, delta = 2))]);
    birdnet (f32[1, 72000, 2], ids: i64[511, 1024]) "x" ([:, @ids]) by frames();
};

/// The four phases of an image, one after the other in one buffer: one pass over a view of phases. By the macro, two rows at a time by
/// four functions, so that the nearest cache still holds what the next of them reads.
const FOCUS_CAT4: Workload = Workload {
    name: "focus_cat4",
    text: "<f32[2, 2, 3, 320, 320]> x[...]",
    strides: Some(&[1, 640, 640 * 640, 1280, 2]),
    indices: no_indices,
    compiled: |operands, output, times| {
        const PIXELS: usize = 3 * 640 * 640;
        xslice! {
            fn even_even<f32[2, 640]> [::2, ::2]
            fn odd_even<f32[2, 640]> [1::2, ::2]
            fn even_odd<f32[2, 640]> [::2, 1::2]
            fn odd_odd<f32[2, 640]> [1::2, 1::2]
        }
        let x = operand::<f32, PIXELS>(operands, 0)?;
        let dst = result::<f32, PIXELS>(output)?;
        let (rows, _) = x.as_chunks::<{ 2 * 640 }>();
        for _ in 0..times {
            let (parts, _) = black_box(&mut *dst).as_chunks_mut::<{ PIXELS / 4 }>();
            let [a, b, c, d] = parts else { return Ok(()) };
            let parts = [a, b, c, d].map(|part| part.as_chunks_mut::<320>().0);
            let [a, b, c, d] = parts.map(<[_]>::iter_mut);
            for ((((rows, a), b), c), d) in black_box(rows).iter().zip(a).zip(b).zip(c).zip(d) {
                even_even(rows, a);
                odd_even(rows, b);
                even_odd(rows, c);
                odd_odd(rows, d);
            }
        }
        Ok(())
    },
};

/// Every workload.
pub fn all() -> impl Iterator<Item = Workload> {
    ROW_MAJOR.iter().copied().chain([FOCUS_CAT4])
}

/// Of a workload whose operands are all numbers to move.
fn no_indices() -> Result<Data> {
    Data::indices([0i64; 0].into_iter())
}

fn random(len: usize, size: u64) -> Result<Data> {
    Data::random_indices(IndexType::I64, len, size)
}

/// A colour for each pixel.
fn pixels() -> Result<Data> {
    Data::random_indices(IndexType::I32, 1080 * 1920, 256)
}

/// Windows of 1024 samples, 139 apart.
fn frames() -> Result<Data> {
    Data::indices((0..511 * 1024).map(|at: i32| i64::from(at / 1024 * 139 + at % 1024)))
}
