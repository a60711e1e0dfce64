//! Workloads by candle, on the CPU.
//!
//! candle has no steps: a run of neighbours is `narrow`, anything else an `index_select` by a constant tensor, made beforehand. It
//! allocates each result.

use crate::forms::{Form, Pick, Step};
use crate::peers::{Verified, by_type, elements, failed, put};
use candle_core::{Device, Result as Candle, Tensor, WithDType};
use std::hint::black_box;
use xslice::ElementType;
use xslice_cli::Result;
use xslice_cli::bench::Peer;
use xslice_cli::bench::data::{Data, Held};

const NAME: &str = "candle";

enum Op {
    Narrow(usize, usize, usize),
    Squeeze(usize),
    Select(Tensor, usize),
    Reshape(Vec<usize>),
}

struct InCandle<T> {
    x: Option<Tensor>,
    chains: Vec<Vec<Op>>,
    range: [T; 3],
    last: Option<Tensor>,
}

/// The workload, with its operands copied.
pub fn prepare(form: &Form, operands: &[Data]) -> Result<Box<dyn Verified>> {
    by_type!(form.part.ty, typed(form, operands))
}

fn typed<T: Held + WithDType>(form: &Form, operands: &[Data]) -> Result<Box<dyn Verified>> {
    let x = match (&form.x, operands.first()) {
        (Some(x), Some(data)) => Some(tensor::<T>(data, &x.shape)?),
        _ => None,
    };
    let ids = match (&form.ids, operands.get(1)) {
        (Some(_), Some(data)) => Some(indices(data)?),
        _ => None,
    };
    let mut chains = Vec::new();
    for chain in &form.chains {
        let shape = form.x.as_ref().map_or(&[][..], |x| &x.shape);
        chains.push(ops(chain, form, ids.as_ref(), shape).map_err(wrong)?);
    }
    Ok(Box::new(InCandle {
        x,
        chains,
        range: form.range.unwrap_or_default().map(T::from_f64),
        last: None,
    }))
}

fn wrong(error: candle_core::Error) -> xslice_cli::Error {
    failed(NAME, error)
}

fn tensor<T: Held + WithDType>(data: &Data, shape: &[usize]) -> Result<Tensor> {
    Tensor::from_slice(elements::<T>(data)?, shape, &Device::Cpu).map_err(wrong)
}

/// On 64 bits: candle selects by no narrower signed type.
fn indices(data: &Data) -> Result<Tensor> {
    let size = data.bytes() / data.element_type().size();
    let indices: Option<Vec<i64>> = (0..size).map(|at| data.index(at)).collect();
    let indices = indices.ok_or_else(|| failed(NAME, "no indices"))?;
    Tensor::from_vec(indices, size, &Device::Cpu).map_err(wrong)
}

fn ops(chain: &[Step], form: &Form, ids: Option<&Tensor>, shape: &[usize]) -> Candle<Vec<Op>> {
    let mut ops = Vec::new();
    let mut shape = shape.to_vec();
    for step in chain {
        match step {
            Step::Take(axis) => {
                if let Some(ids) = ids {
                    ops.push(Op::Select(ids.clone(), *axis));
                }
                let taken = form.ids.iter().flat_map(|ids| ids.shape.iter().copied());
                shape.splice(axis..=axis, taken);
                ops.push(Op::Reshape(shape.clone()));
            }
            Step::Slice(picks) => {
                slice(picks, &mut shape, &mut ops)?;
            }
        }
    }
    Ok(ops)
}

/// Views first: they make what is selected smaller.
fn slice(picks: &[Pick], shape: &mut Vec<usize>, ops: &mut Vec<Op>) -> Candle<()> {
    let mut selects = Vec::new();
    let mut squeezed = Vec::new();
    let mut result = Vec::new();
    for (axis, (pick, dim)) in picks.iter().zip(shape.iter()).enumerate() {
        match *pick {
            Pick::One(at) => {
                ops.push(Op::Narrow(axis, at, 1));
                squeezed.push(axis);
            }
            Pick::Part { start, len, step } => {
                result.push(len);
                if step != 1 {
                    let positions = (0..len as i64).map(|at| start as i64 + at * step as i64);
                    let positions = Tensor::from_iter(positions, &Device::Cpu)?;
                    selects.push(Op::Select(positions, axis));
                } else if len != *dim {
                    ops.push(Op::Narrow(axis, start, len));
                }
            }
        }
    }
    ops.extend(selects);
    ops.extend(squeezed.into_iter().rev().map(Op::Squeeze));
    *shape = result;
    Ok(())
}

fn run(x: &Tensor, chain: &[Op]) -> Candle<Tensor> {
    let mut x = x.clone();
    let mut is_written = false;
    for op in chain {
        x = match op {
            Op::Narrow(axis, start, len) => x.narrow(*axis, *start, *len)?,
            Op::Squeeze(axis) => x.squeeze(*axis)?,
            Op::Reshape(shape) => x.reshape(shape.as_slice())?,
            Op::Select(ids, axis) => x.contiguous()?.index_select(ids, *axis)?,
        };
        is_written = match op {
            Op::Narrow(..) => false,
            Op::Select(..) => true,
            Op::Squeeze(_) | Op::Reshape(_) => is_written,
        };
    }
    if is_written {
        Ok(x)
    } else {
        x.force_contiguous()
    }
}

impl<T: Held + WithDType> InCandle<T> {
    fn once(&self) -> Candle<Tensor> {
        match (&self.x, self.chains.as_slice()) {
            (Some(x), [chain]) => run(black_box(x), chain),
            (Some(x), chains) => {
                let parts: Candle<Vec<_>> = chains.iter().map(|chain| run(x, chain)).collect();
                Tensor::cat(&parts?, 0)
            }
            (None, _) => {
                let [start, limit, delta] = black_box(self.range);
                Tensor::arange_step(start, limit, delta, &Device::Cpu)
            }
        }
    }
}

impl<T: Held + WithDType> Peer for InCandle<T> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, _: &[Data], _: &mut Data, times: u64) -> Result<()> {
        for _ in 0..times {
            self.last = None;
            self.last = Some(self.once().map_err(wrong)?);
        }
        Ok(())
    }
}

impl<T: Held + WithDType> Verified for InCandle<T> {
    fn result(&mut self, output: &mut Data) -> Result<()> {
        let last = self
            .last
            .as_ref()
            .ok_or_else(|| failed(NAME, "no result"))?;
        let values = last.flatten_all().and_then(|flat| flat.to_vec1::<T>());
        put(output, &values.map_err(wrong)?)
    }
}
