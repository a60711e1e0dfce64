//! xslice beside other libraries, in one process and in the same rounds.
//!
//! ```text
//! forms            the workloads as steps that any library has
//! onnx             the same as ONNX models
//! by_hand          loops with constant shapes, by an expert
//! in_ndarray, in_candle, in_onnxruntime
//! peers            those of this process, each compared before it is timed
//! costs            what machine code costs before the first call
//! c                the same kernels for a process of another language: `peers.py`
//! ```

mod by_hand;
mod c;
pub mod costs;
pub mod forms;
mod in_candle;
// A part of the package `xslice`, whose bench has the same rows.
#[path = "../../common/in_ndarray.rs"]
mod in_ndarray;
pub mod in_onnxruntime;
mod onnx;
pub mod peers;
