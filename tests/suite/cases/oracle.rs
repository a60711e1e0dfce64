//! The oracle's side of a case: one naive call a step, a whole temporary after each.

use super::describe::{At, Case, Source, Step, Value};
use crate::suite::naive::{self, Elem, Entry, Masks, Tensor};
use crate::suite::to_naive;

type Outcome = Result<Tensor, String>;

impl Case {
    /// What the oracle says.
    pub fn expected(&self) -> Outcome {
        self.oracle(&self.value)
    }

    fn oracle(&self, value: &Value) -> Outcome {
        let mut result = match &value.source {
            Source::Operand(name) => {
                let found = self.operands.iter().find(|(known, _)| known == name);
                to_naive(&found.expect("the case gives its operands").1)
            }
            Source::Constant(tensor) => to_naive(tensor),
            Source::Range(scalars, dialect) => {
                let [start, limit, delta] = &**scalars;
                naive::onnx_range(
                    &self.oracle(start)?,
                    &self.oracle(limit)?,
                    &self.oracle(delta)?,
                    theirs(*dialect),
                )?
            }
        };
        for step in &value.steps {
            result = self.step(step, &result)?;
        }
        Ok(result)
    }

    fn step(&self, step: &Step, data: &Tensor) -> Outcome {
        match step {
            Step::Slice {
                version,
                params,
                dialect,
            } => {
                let [starts, ends, axes, steps] = self.lists(params)?;
                let (starts, ends) = (starts.unwrap_or_default(), ends.unwrap_or_default());
                let (axes, steps) = (axes.as_deref(), steps.as_deref());
                naive::onnx_slice(
                    *version,
                    data,
                    &starts,
                    &ends,
                    axes,
                    steps,
                    theirs(*dialect),
                )
            }
            Step::OpenVinoSlice(params) => {
                let [start, stop, step, axes] = self.lists(params)?.map(Option::unwrap_or_default);
                let axes = params[3].is_some().then_some(&axes[..]);
                naive::openvino_slice(data, &start, &stop, &step, axes)
            }
            Step::StridedSlice {
                params,
                masks,
                dialect,
            } => {
                let [begin, end, stride] = self.lists(params)?;
                let (begin, end) = (begin.unwrap_or_default(), end.unwrap_or_default());
                let [begin_mask, end_mask, new_axis, shrink_axis, ellipsis] = masks;
                let masks = Masks {
                    begin: begin_mask,
                    end: end_mask,
                    new_axis,
                    shrink_axis,
                    ellipsis,
                };
                let (stride, dialect) = (stride.as_deref(), theirs(*dialect));
                naive::openvino_strided_slice(data, &begin, &end, stride, masks, dialect)
            }
            Step::Gather {
                version,
                axis,
                indices,
            } => {
                let indices = self.oracle(indices)?;
                naive::onnx_gather(*version, data, &indices.shape, &integers(&indices), *axis)
            }
            Step::Index(entries) => {
                let entries: Result<Vec<_>, _> = entries.iter().map(|at| self.entry(at)).collect();
                naive::index(data, &entries?)
            }
            Step::Reshape(wanted) => reshape(data, wanted),
            Step::Squeeze(axes) => squeeze(data, axes),
            Step::Unsqueeze(axes) => unsqueeze(data, axes),
        }
    }

    fn lists<const N: usize>(
        &self,
        values: &[Option<Value>; N],
    ) -> Result<[Option<Vec<i64>>; N], String> {
        let mut lists = [const { None }; N];
        for (slot, value) in lists.iter_mut().zip(values) {
            if let Some(value) = value {
                *slot = Some(integers(&self.oracle(value)?));
            }
        }
        Ok(lists)
    }

    fn entry(&self, at: &At) -> Result<Entry, String> {
        Ok(match at {
            At::Int(index) => Entry::Int(*index),
            At::Slice([start, end, step]) => Entry::Slice {
                start: *start,
                end: *end,
                step: *step,
            },
            At::Dots => Entry::Ellipsis,
            At::New => Entry::NewAxis,
            At::Gather(value) => {
                let indices = self.oracle(value)?;
                let values = integers(&indices);
                Entry::Tensor {
                    shape: indices.shape,
                    values,
                }
            }
        })
    }
}

fn theirs(dialect: xslice::Dialect) -> naive::Dialect {
    match dialect {
        xslice::Dialect::Standard => naive::Dialect::Standard,
        xslice::Dialect::OnnxRuntime => naive::Dialect::OnnxRuntime,
        xslice::Dialect::OpenVinoText => naive::Dialect::OpenVinoText,
    }
}

/// The values of an integer tensor; a `u64` above `i64::MAX` saturates.
fn integers(tensor: &Tensor) -> Vec<i64> {
    let wide = |elem: &Elem| {
        let Elem::Bits(bits) = elem else {
            panic!("text as an integer")
        };
        match tensor.dtype {
            "i8" => i64::from(*bits as i8),
            "i16" => i64::from(*bits as i16),
            "i32" => i64::from(*bits as i32),
            "i64" => *bits as i64,
            _ => i64::try_from(*bits).unwrap_or(i64::MAX),
        }
    };
    tensor.elems.iter().map(wide).collect()
}

/// The same elements in the same order.
fn shaped(data: &Tensor, shape: Vec<usize>) -> Outcome {
    if shape.iter().product::<usize>() != data.elems.len() {
        return Err("reshape: another number of elements".to_string());
    }
    Ok(Tensor {
        shape,
        ..data.clone()
    })
}

fn reshape(data: &Tensor, wanted: &[i64]) -> Outcome {
    let dim = |(at, &value): (usize, &i64)| match value {
        0 => data.shape.get(at).copied().unwrap_or(usize::MAX),
        -1 => 1,
        _ => value as usize,
    };
    let mut shape: Vec<usize> = wanted.iter().enumerate().map(dim).collect();
    if let Some(free) = wanted.iter().position(|&value| value == -1) {
        let rest: usize = shape.iter().product();
        shape[free] = data.elems.len().checked_div(rest).unwrap_or(0);
    }
    shaped(data, shape)
}

fn squeeze(data: &Tensor, axes: &[i64]) -> Outcome {
    let rank = data.shape.len() as i64;
    let kept = |axis: &i64| !axes.contains(axis) && !axes.contains(&(axis - rank));
    let shape = (0..rank).filter(kept).map(|axis| data.shape[axis as usize]);
    shaped(data, shape.collect())
}

fn unsqueeze(data: &Tensor, axes: &[i64]) -> Outcome {
    let rank = (data.shape.len() + axes.len()) as i64;
    let mut old = data.shape.iter();
    let inserted = |axis: i64| axes.contains(&axis) || axes.contains(&(axis - rank));
    let dim = |axis| {
        if inserted(axis) {
            1
        } else {
            *old.next().unwrap_or(&1)
        }
    };
    shaped(data, (0..rank).map(dim).collect())
}
