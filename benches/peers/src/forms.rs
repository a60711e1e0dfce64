//! Workloads as steps that any library has: slices by number, look-ups along one axis, a range.
//!
//! Read from the text of the workload, which is NumPy's notation; those that are written with operators, or on a view, are spelled in
//! brackets here. A peer gets the form that suits it best: `gather_range` is a plain slice for all of them.

use xslice::ElementType;
use xslice_cli::Result;
use xslice_cli::bench::workloads::Workload;

/// What one axis gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// One position; the axis disappears.
    One(usize),
    /// Some positions.
    Part {
        /// The first.
        start: usize,
        /// How many.
        len: usize,
        /// From one to the next.
        step: isize,
    },
}

impl Pick {
    /// Where a slice of ONNX or Python ends; `None` before the first position.
    #[must_use]
    pub fn end(start: usize, len: usize, step: isize) -> Option<usize> {
        let last = start.checked_add_signed(step * (len as isize - 1))?;
        last.checked_add_signed(step.signum())
    }
}

/// One operator.
#[derive(Clone, Debug)]
pub enum Step {
    /// A pick for each axis.
    Slice(Vec<Pick>),
    /// The rows along this axis that the indices name.
    Take(usize),
}

/// A type and a shape.
#[derive(Clone, Debug)]
pub struct Array {
    /// The type.
    pub ty: ElementType,
    /// The shape.
    pub shape: Vec<usize>,
}

/// A workload for peers.
#[derive(Clone, Debug)]
pub struct Form {
    /// Its name.
    pub name: &'static str,
    /// What is read.
    pub x: Option<Array>,
    /// The indices.
    pub ids: Option<Array>,
    /// One chain for each part of the result.
    pub chains: Vec<Vec<Step>>,
    /// The result of each part.
    pub part: Array,
    /// Start, limit and step, where nothing is read.
    pub range: Option<[f64; 3]>,
}

impl Form {
    /// The form of a workload.
    ///
    /// # Errors
    /// A text that is not understood.
    pub fn new(workload: Workload) -> Result<Self> {
        let (program, signature) = workload.program()?;
        let mut operands = signature.operands().iter().map(|operand| Array {
            ty: operand.element_type,
            shape: operand.shape.to_vec(),
        });
        let (mut x, ids) = (operands.next(), operands.next());
        let (ty, shape) = program.output_type(&signature)?;
        let mut part = Array { ty, shape };
        if workload.name == "focus_cat4" {
            // A view of the phases for xslice, four slices for all others.
            part.shape = vec![1, 3, 320, 320];
            let shape = vec![1, 3, 640, 640];
            x = Some(Array { ty, shape });
        }
        let range = match workload.name {
            "range_i64_512" => Some([0.0, 512.0, 1.0]),
            "range_f32_1m" => Some([0.0, 100_000.0, 0.1]),
            "range_i64_1m" => Some([0.0, 1_000_000.0, 1.0]),
            _ => None,
        };
        let mut chains = Vec::new();
        if let Some(x) = &x {
            let taken = ids.as_ref().map_or(&[][..], |ids| &ids.shape);
            for brackets in spelled(&workload) {
                let chain = parse(brackets, &x.shape, taken);
                chains.push(chain.ok_or_else(|| {
                    let name = workload.name;
                    xslice::Error::internal(format_args!("{name}: no form of `{brackets}`"))
                })?);
            }
        }
        Ok(Self {
            name: workload.name,
            x,
            ids,
            chains,
            part,
            range,
        })
    }

    /// The result: the parts, one after the other along the first axis.
    #[must_use]
    pub fn output(&self) -> Array {
        let mut output = self.part.clone();
        if let (Some(dim), true) = (output.shape.first_mut(), self.chains.len() > 1) {
            *dim *= self.chains.len();
        }
        output
    }

    /// For other languages.
    #[must_use]
    pub fn json(&self) -> String {
        let array = |array: &Array| {
            format!(
                "{{\"type\": \"{}\", \"shape\": {:?}}}",
                array.ty, array.shape
            )
        };
        let optional = |value: &Option<Array>| value.as_ref().map_or_else(null, array);
        let chains: Vec<_> = self.chains.iter().map(|chain| list(chain, step)).collect();
        format!(
            "{{\"name\": \"{}\", \"x\": {}, \"ids\": {}, \"part\": {}, \"output\": {}, \"range\": {}, \"chains\": [{}]}}",
            self.name,
            optional(&self.x),
            optional(&self.ids),
            array(&self.part),
            array(&self.output()),
            self.range.map_or_else(null, |range| format!("{range:?}")),
            chains.join(", ")
        )
    }
}

fn null() -> String {
    String::from("null")
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    let items: Vec<_> = items.iter().map(text).collect();
    format!("[{}]", items.join(", "))
}

fn step(step: &Step) -> String {
    match step {
        Step::Take(axis) => format!("{{\"take\": {axis}}}"),
        Step::Slice(picks) => format!("{{\"slice\": {}}}", list(picks, pick)),
    }
}

fn pick(pick: &Pick) -> String {
    match *pick {
        Pick::One(at) => at.to_string(),
        Pick::Part { start, len, step } => {
            let end = Pick::end(start, len, step).map_or_else(null, |end| end.to_string());
            format!("[{start}, {end}, {step}]")
        }
    }
}

/// The brackets of a workload, for each part of its result.
fn spelled(workload: &Workload) -> Vec<&'static str> {
    match workload.name {
        "qkv_q" => vec!["[:, :, 0]"],
        "seed_6d" => vec!["[0:4, 1:4, 0:4:2, 1:4:2, 3:0:-1, 3:0:-2]"],
        "gather_range" => vec!["[::2]"],
        "focus_cat4" => vec![
            "[:, :, ::2, ::2]",
            "[:, :, 1::2, ::2]",
            "[:, :, ::2, 1::2]",
            "[:, :, 1::2, 1::2]",
        ],
        _ => workload
            .text
            .split_once("> x")
            .map(|(_, brackets)| brackets)
            .into_iter()
            .collect(),
    }
}

/// The steps of `[..][..]` on these dimensions; `taken` is the shape of the indices.
fn parse(brackets: &str, dims: &[usize], taken: &[usize]) -> Option<Vec<Step>> {
    let mut dims = dims.to_vec();
    let mut steps = Vec::new();
    for bracket in brackets.strip_suffix(']')?.split(']') {
        let items: Vec<_> = bracket
            .strip_prefix('[')?
            .split(',')
            .map(str::trim)
            .collect();
        if let Some(axis) = items.iter().position(|item| item.starts_with('@')) {
            steps.push(Step::Take(axis));
            dims.splice(axis..=axis, taken.iter().copied());
            continue;
        }
        let missing = (dims.len() + 1).saturating_sub(items.len());
        let mut picks = Vec::new();
        for item in items {
            if item == "..." {
                let whole = dims.iter().skip(picks.len()).take(missing).copied();
                let whole: Vec<_> = whole.map(|dim| slice("", dim)).collect::<Option<_>>()?;
                picks.extend(whole);
            } else {
                let dim = *dims.get(picks.len())?;
                picks.push(match item.parse() {
                    Ok(at) => Pick::One(at),
                    Err(_) => slice(item, dim)?,
                });
            }
        }
        for dim in dims.iter().skip(picks.len()) {
            picks.push(slice("", *dim)?);
        }
        let kept = picks.iter().filter_map(|pick| match pick {
            Pick::One(_) => None,
            Pick::Part { len, .. } => Some(*len),
        });
        dims = kept.collect();
        steps.push(Step::Slice(picks));
    }
    Some(steps)
}

/// `start:end:step` on a dimension, as Python reads it.
fn slice(text: &str, dim: usize) -> Option<Pick> {
    let mut parts = text.split(':');
    let mut number = || match parts.next() {
        None | Some("") => Some(None),
        Some(number) => number.parse::<isize>().ok().map(Some),
    };
    let (start, end, step) = (number()?, number()?, number()?.unwrap_or(1));
    let size = isize::try_from(dim).ok()?;
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let clamp = |at: isize| (if at < 0 { at + size } else { at }).clamp(low, high);
    let (first, last) = if step > 0 { (low, high) } else { (high, low) };
    let (start, end) = (start.map_or(first, clamp), end.map_or(last, clamp));
    let len = (end - start).unsigned_abs().div_ceil(step.unsigned_abs());
    Some(Pick::Part {
        start: start.try_into().ok()?,
        len,
        step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_read_as_python_reads_them() {
        for (text, dim, expected) in [
            ("", 5, (0, 5, 1)),
            ("::2", 5, (0, 3, 2)),
            ("1::2", 5, (1, 2, 2)),
            ("::-1", 5, (4, 5, -1)),
            ("-1:", 5, (4, 1, 1)),
            ("3:0:-2", 4, (3, 2, -2)),
            (":1000", 10, (0, 10, 1)),
        ] {
            let (start, len, step) = expected;
            assert_eq!(
                slice(text, dim),
                Some(Pick::Part { start, len, step }),
                "{text}"
            );
        }
    }

    #[test]
    fn every_workload_has_a_form() {
        for workload in xslice_cli::bench::workloads::all() {
            let form = Form::new(workload).expect(workload.name);
            assert_eq!(form.range.is_none(), form.x.is_some(), "{}", workload.name);
            assert_eq!(
                form.chains.is_empty(),
                form.x.is_none(),
                "{}",
                workload.name
            );
        }
    }
}
