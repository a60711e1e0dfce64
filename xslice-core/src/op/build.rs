//! The builders of the operators: one struct an operator, one setter an attribute, with the names of its text.

use super::{Dialect, Param};
use alloc::vec::Vec;

/// The builders of Slice, of ONNX and of OpenVINO: the elements from a start up to an end by a step, on some axes.
#[derive(Clone, Copy, Debug)]
pub struct Slice;

impl Slice {
    /// ONNX Slice; `version` is one of 1, 10, 11, 13.
    ///
    /// ```
    /// use xslice_core::{Program, Signature, ElementType, Slice};
    /// let program = Program::chain("x").then(Slice::onnx(13).starts([1]).ends([8])).build()?;
    /// let signature = Signature::new().operand(ElementType::F32, &[10]);
    /// assert_eq!(program.output_shape(&signature)?, [7]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn onnx(version: u32) -> OnnxSlice {
        OnnxSlice {
            version,
            dialect: Dialect::Standard,
            starts: None,
            ends: None,
            axes: None,
            steps: None,
        }
    }

    /// OpenVINO Slice; `version` is 8.
    ///
    /// ```
    /// use xslice_core::{ElementType, Program, Signature, Slice};
    /// let op = Slice::openvino(8).start([-1]).stop([i64::MIN]).step([-2]).axes([1]);
    /// let program = Program::chain("x").then(op).build()?;
    /// let signature = Signature::new().operand(ElementType::F32, &[2, 5]);
    /// assert_eq!(program.output_shape(&signature)?, [2, 3]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn openvino(version: u32) -> OpenVinoSlice {
        OpenVinoSlice {
            version,
            start: None,
            stop: None,
            step: None,
            axes: None,
        }
    }
}

/// The builder of StridedSlice, of OpenVINO: a slice by entries and masks.
#[derive(Clone, Copy, Debug)]
pub struct StridedSlice;

impl StridedSlice {
    /// OpenVINO StridedSlice; `version` is 1. The masks default to empty.
    ///
    /// ```
    /// use xslice_core::{Program, Signature, ElementType, StridedSlice};
    /// // x[1:, :, ::-1]
    /// let op = StridedSlice::openvino(1).begin([1, 0, 0]).end([0, 0, 0]).stride([1, 1, -1])
    ///     .begin_mask([0, 1, 1]).end_mask([1, 1, 1]);
    /// let program = Program::chain("x").then(op).build()?;
    /// let signature = Signature::new().operand(ElementType::F32, &[2, 3, 4]);
    /// assert_eq!(program.output_shape(&signature)?, [1, 3, 4]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn openvino(version: u32) -> OpenVinoStridedSlice {
        OpenVinoStridedSlice {
            version,
            dialect: Dialect::Standard,
            begin: None,
            end: None,
            stride: None,
            begin_mask: Vec::new(),
            end_mask: Vec::new(),
            new_axis_mask: Vec::new(),
            shrink_axis_mask: Vec::new(),
            ellipsis_mask: Vec::new(),
        }
    }
}

/// The builder of Gather, of ONNX: the entries of one axis that indices name.
#[derive(Clone, Copy, Debug)]
pub struct Gather;

impl Gather {
    /// ONNX Gather; `version` is one of 1, 11, 13. `axis` defaults to 0.
    ///
    /// ```
    /// use xslice_core::{Program, Signature, ElementType, Gather};
    /// let program = Program::chain("table").then(Gather::onnx(13).indices("ids")).build()?;
    /// let signature = Signature::new()
    ///     .operand(ElementType::F32, &[30522, 768])
    ///     .operand(ElementType::I64, &[8, 128]);
    /// assert_eq!(program.output_shape(&signature)?, [8, 128, 768]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn onnx(version: u32) -> OnnxGather {
        OnnxGather {
            version,
            dialect: Dialect::Standard,
            axis: 0,
            indices: None,
        }
    }
}

/// The builder of Range, of ONNX: numbers at equal distances, from no data.
#[derive(Clone, Copy, Debug)]
pub struct Range;

impl Range {
    /// ONNX Range; `version` is 11. The parameters are scalars of one type, which is the type of the result.
    ///
    /// ```
    /// use xslice_core::{Program, Signature, Range, Tensor};
    /// let scalar = |v: f32| Tensor::scalar(v);
    /// let program = Program::generate(
    ///     Range::onnx(11).start(scalar(0.0)).limit(scalar(1.0)).delta(scalar(0.25)))?;
    /// assert_eq!(program.output_shape(&Signature::new())?, [4]);
    /// # Ok::<(), xslice_core::Error>(())
    /// ```
    #[must_use]
    pub fn onnx(version: u32) -> OnnxRange {
        OnnxRange {
            version,
            dialect: Dialect::Standard,
            start: None,
            limit: None,
            delta: None,
            untyped: false,
        }
    }
}

/// Setters of a builder, one line each.
macro_rules! setters {
    ($op:ident { $($(#[$doc:meta])* $name:ident: $kind:ident,)* }) => {
        impl $op { $(setters!(@ $kind $(#[$doc])* $name);)* }
    };
    (@ param $(#[$doc:meta])* $name:ident) => {
        $(#[$doc])* #[must_use]
        pub fn $name(mut self, value: impl Into<Param>) -> Self { self.$name = Some(value.into()); self }
    };
    (@ mask $(#[$doc:meta])* $name:ident) => {
        $(#[$doc])* #[must_use]
        pub fn $name(mut self, mask: impl Into<Vec<i64>>) -> Self { self.$name = mask.into(); self }
    };
    (@ axis $(#[$doc:meta])* $name:ident) => {
        $(#[$doc])* #[must_use]
        pub fn $name(mut self, axis: i64) -> Self { self.$name = axis; self }
    };
    (@ dialect $(#[$doc:meta])* $name:ident) => {
        $(#[$doc])* #[must_use]
        pub fn $name(mut self, dialect: Dialect) -> Self { self.$name = dialect; self }
    };
}

/// ONNX Slice, versions 1, 10, 11 and 13: the elements from `starts` up to `ends` by `steps` on some axes.
///
/// In version 1 `starts`, `ends` and `axes` are attributes and there are no steps; from version 10 on all are inputs, 1-D, `i32` or
/// `i64`. Version 13 adds bf16. The result has the rank of the data. Where the text leaves a choice: rows 1 to 10 of `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnnxSlice {
    pub(crate) version: u32,
    pub(crate) dialect: Dialect,
    pub(crate) starts: Option<Param>,
    pub(crate) ends: Option<Param>,
    pub(crate) axes: Option<Param>,
    pub(crate) steps: Option<Param>,
}

setters! { OnnxSlice {
    /// First index on each axis of `axes`; a negative one counts from the end, one outside is clamped.
    starts: param,
    /// Index to stop before, on each axis of `axes`; wrapped and clamped likewise.
    ends: param,
    /// The axes, each in `-rank..rank` and named once; by default the first `len(starts)`.
    axes: param,
    /// Step on each axis, not 0; a negative one walks backwards. By default 1.
    steps: param,
    /// Which answers are wanted where the text leaves a choice.
    dialect: dialect,
}}

/// ONNX Gather, versions 1, 11 and 13: the entries of one axis that `indices` names.
///
/// `indices` is `i32` or `i64`, of any rank `q`; each is in `-s..s` for an axis of size `s`, and a negative one counts from the
/// end. The result has rank `q + rank - 1`: the shape of `indices` stands where the axis stood. Version 13 adds bf16. Rows 11 to 15
/// of `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnnxGather {
    pub(crate) version: u32,
    pub(crate) dialect: Dialect,
    pub(crate) axis: i64,
    pub(crate) indices: Option<Param>,
}

setters! { OnnxGather {
    /// The axis, in `-rank..rank`.
    axis: axis,
    /// Which entries.
    indices: param,
    /// Accepted for uniformity: no dialect differs in Gather.
    dialect: dialect,
}}

/// ONNX Range, version 11: `start + i * delta` for `i` in `0..max(0, ceil((limit - start) / delta))`.
///
/// `start`, `limit` and `delta` are scalars (shape `[]` or `[1]`) of one type out of i16, i32, i64, f32, f64. How floats are rounded and
/// integers wrap: rows 16 to 21 of `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnnxRange {
    pub(crate) version: u32,
    pub(crate) dialect: Dialect,
    pub(crate) start: Option<Param>,
    pub(crate) limit: Option<Param>,
    pub(crate) delta: Option<Param>,
    /// Whether constants are literals without a type, which is that of an operand: integers as `i64`, a float as its text.
    pub(crate) untyped: bool,
}

setters! { OnnxRange {
    /// The first value.
    start: param,
    /// The value to stop before.
    limit: param,
    /// The increment, not 0.
    delta: param,
    /// Which answers are wanted where the text leaves a choice.
    dialect: dialect,
}}

/// OpenVINO Slice-8: the elements from `start` up to `stop` by `step` on some axes.
///
/// All parameters are 1-D of any integer type and equally long. The result has the rank of the data. Where the text leaves a choice: rows
/// 22 to 24 of `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenVinoSlice {
    pub(crate) version: u32,
    pub(crate) start: Option<Param>,
    pub(crate) stop: Option<Param>,
    pub(crate) step: Option<Param>,
    pub(crate) axes: Option<Param>,
}

setters! { OpenVinoSlice {
    /// First index on each axis; a negative one counts from the end, one outside is clamped.
    start: param,
    /// Index to stop before, wrapped and clamped likewise.
    stop: param,
    /// Step on each axis, not 0. Required.
    step: param,
    /// The axes, each in `-rank..rank` and named once; by default the first `len(start)`.
    axes: param,
}}

/// OpenVINO StridedSlice-1: a slice by entries and masks, which may also insert, drop and skip axes.
///
/// `begin`, `end` and `stride` are 1-D, equally long, of any integer type; each mask is a list of 0 and 1, shorter ones are
/// extended by zeros. Where several bits of one entry are set, ellipsis goes before new axis before shrink. Where the text leaves a
/// choice: rows 25 to 39 of `docs/semantics.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenVinoStridedSlice {
    pub(crate) version: u32,
    pub(crate) dialect: Dialect,
    pub(crate) begin: Option<Param>,
    pub(crate) end: Option<Param>,
    pub(crate) stride: Option<Param>,
    pub(crate) begin_mask: Vec<i64>,
    pub(crate) end_mask: Vec<i64>,
    pub(crate) new_axis_mask: Vec<i64>,
    pub(crate) shrink_axis_mask: Vec<i64>,
    pub(crate) ellipsis_mask: Vec<i64>,
}

impl OpenVinoStridedSlice {
    /// The masks by name, in the order of the text.
    pub(crate) fn masks(&self) -> [(&'static str, &[i64]); 5] {
        [
            ("begin_mask", &self.begin_mask),
            ("end_mask", &self.end_mask),
            ("new_axis_mask", &self.new_axis_mask),
            ("shrink_axis_mask", &self.shrink_axis_mask),
            ("ellipsis_mask", &self.ellipsis_mask),
        ]
    }
}

setters! { OpenVinoStridedSlice {
    /// First index of each entry.
    begin: param,
    /// Index to stop before.
    end: param,
    /// Step, not 0; by default 1.
    stride: param,
    /// 1: the entry starts at the first element (the last one when reversed).
    begin_mask: mask,
    /// 1: the entry runs through the last element (the first one when reversed).
    end_mask: mask,
    /// 1: the entry inserts an axis of length 1 and consumes none.
    new_axis_mask: mask,
    /// 1: the entry takes element `begin` and drops the axis.
    shrink_axis_mask: mask,
    /// 1, once at most: the entry stands for as many whole axes as the others leave.
    ellipsis_mask: mask,
    /// Which answers are wanted where the text leaves a choice.
    dialect: dialect,
}}
