//! The compiler's side of a case: a graph of the public builders.

use super::describe::{At, Case, Source, Step, Value};
use xslice::{
    Entry, Error, Gather, Graph, Index, Op, Param, Program, Range, Reshape, ReshapeRule, Slice,
    StridedSlice, Tensor, ValueId,
};

impl Case {
    /// The program.
    pub fn program(&self) -> Result<Program, Error> {
        let mut building = Building {
            graph: Graph::new(),
            operands: Vec::new(),
        };
        for (name, _) in &self.operands {
            let id = building.graph.operand(name, None)?;
            building.operands.push((name.clone(), id));
        }
        let result = building.value(&self.value)?;
        building.graph.finish(result)
    }
}

struct Building {
    graph: Graph,
    operands: Vec<(String, ValueId)>,
}

impl Building {
    fn value(&mut self, value: &Value) -> Result<ValueId, Error> {
        let mut id = match &value.source {
            Source::Operand(name) => self.operand(name),
            Source::Constant(tensor) => self.graph.constant(tensor.clone()),
            Source::Range(scalars, dialect) => {
                let [start, limit, delta] = &**scalars;
                let op = Range::onnx(11)
                    .start(self.param(start)?)
                    .limit(self.param(limit)?)
                    .delta(self.param(delta)?)
                    .dialect(*dialect);
                self.graph.apply(op, None, None)?
            }
        };
        for step in &value.steps {
            let op = self.op(step)?;
            id = self.graph.apply(op, Some(id), None)?;
        }
        Ok(id)
    }

    fn operand(&self, name: &str) -> ValueId {
        let found = self.operands.iter().find(|(known, _)| known == name);
        found.expect("the case gives its operands").1
    }

    fn param(&mut self, value: &Value) -> Result<Param, Error> {
        match (&value.source, &value.steps[..]) {
            (Source::Constant(tensor), []) => Ok(tensor.clone().into()),
            _ => Ok(self.value(value)?.into()),
        }
    }

    fn params<const N: usize>(
        &mut self,
        values: &[Option<Value>; N],
    ) -> Result<[Option<Param>; N], Error> {
        let mut params = [const { None }; N];
        for (slot, value) in params.iter_mut().zip(values) {
            if let Some(value) = value {
                *slot = Some(self.param(value)?);
            }
        }
        Ok(params)
    }

    fn op(&mut self, step: &Step) -> Result<Op, Error> {
        Ok(match step {
            Step::Slice {
                version,
                params,
                dialect,
            } => {
                let [starts, ends, axes, steps] = self.params(params)?;
                let op = Slice::onnx(*version).dialect(*dialect);
                let op = with(op, starts, |op, p| op.starts(p));
                let op = with(op, ends, |op, p| op.ends(p));
                let op = with(op, axes, |op, p| op.axes(p));
                with(op, steps, |op, p| op.steps(p)).into()
            }
            Step::OpenVinoSlice(params) => {
                let [start, stop, step, axes] = self.params(params)?;
                let op = with(Slice::openvino(8), start, |op, p| op.start(p));
                let op = with(op, stop, |op, p| op.stop(p));
                let op = with(op, step, |op, p| op.step(p));
                with(op, axes, |op, p| op.axes(p)).into()
            }
            Step::StridedSlice {
                params,
                masks,
                dialect,
            } => {
                let [begin, end, stride] = self.params(params)?;
                let [begin_mask, end_mask, new_axis, shrink, ellipsis] = masks.clone();
                let op = StridedSlice::openvino(1)
                    .begin_mask(begin_mask)
                    .end_mask(end_mask)
                    .new_axis_mask(new_axis)
                    .shrink_axis_mask(shrink)
                    .ellipsis_mask(ellipsis)
                    .dialect(*dialect);
                let op = with(op, begin, |op, p| op.begin(p));
                let op = with(op, end, |op, p| op.end(p));
                with(op, stride, |op, p| op.stride(p)).into()
            }
            Step::Gather {
                version,
                axis,
                indices,
            } => {
                let op = Gather::onnx(*version).axis(*axis);
                op.indices(self.param(indices)?).into()
            }
            Step::Index(entries) => {
                let entries: Result<Vec<_>, _> = entries.iter().map(|at| self.entry(at)).collect();
                Index::new(entries?).into()
            }
            Step::Reshape(shape) => {
                let rule = ReshapeRule::Reshape { zero_copies: true };
                reshape("onnx::Reshape@14", rule, shape)
            }
            Step::Squeeze(axes) => reshape(
                "onnx::Squeeze@13",
                ReshapeRule::Squeeze {
                    keeps_others: false,
                },
                axes,
            ),
            Step::Unsqueeze(axes) => reshape("onnx::Unsqueeze@13", ReshapeRule::Unsqueeze, axes),
        })
    }

    fn entry(&mut self, at: &At) -> Result<Entry, Error> {
        Ok(match at {
            At::Int(index) => Entry::Integer(*index),
            At::Slice([start, end, step]) => Entry::Slice {
                start: *start,
                end: *end,
                step: *step,
            },
            At::Dots => Entry::Ellipsis,
            At::New => Entry::NewAxis,
            At::Gather(value) => Entry::Gather(self.param(value)?),
        })
    }
}

fn with<O>(op: O, param: Option<Param>, set: impl FnOnce(O, Param) -> O) -> O {
    match param {
        Some(param) => set(op, param),
        None => op,
    }
}

fn reshape(label: &'static str, rule: ReshapeRule, shape: &[i64]) -> Op {
    Reshape::new(label, rule, Some(Tensor::vector(shape).into())).into()
}
