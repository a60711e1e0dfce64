//! Results as a table for people.

use crate::scalar;
use xslice::Tensor;

/// More elements than this are not shown.
const SHOWN: usize = 8;

/// A line for each tensor: name, type, shape, first elements.
pub fn of(tensors: &[(String, Tensor)]) -> String {
    let mut rows = vec![["name", "type", "shape", "elements"].map(String::from)];
    rows.extend(tensors.iter().map(|(name, tensor)| {
        [
            name.escape_debug().to_string(),
            tensor.element_type().to_string(),
            format!("{:?}", tensor.shape()),
            first_elements(tensor),
        ]
    }));
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let mut text = String::new();
    for [name, ty, shape, elements] in &rows {
        let [a, b, c] = widths;
        text.push_str(&format!("{name:a$}  {ty:b$}  {shape:c$}  {elements}\n"));
    }
    text
}

fn first_elements(tensor: &Tensor) -> String {
    let shown = (0..tensor.len().min(SHOWN)).map(|at| scalar::show(tensor, at));
    let mut text = shown.collect::<Vec<_>>().join(" ");
    if tensor.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}
