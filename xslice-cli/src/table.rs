//! Tables for people.

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
    aligned(&rows)
}

/// A line for each row, its cells below one another.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths);
        // Not by a width in the format, which has 16 bits.
        let padded = cells.map(|(cell, width)| {
            let blanks = width.saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(blanks))
        });
        let line = padded.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn first_elements(tensor: &Tensor) -> String {
    let shown = (0..tensor.len().min(SHOWN)).map(|at| scalar::show(tensor, at));
    let mut text = shown.collect::<Vec<_>>().join(" ");
    if tensor.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::aligned;

    #[test]
    fn cells_of_any_length_stand_below_one_another() {
        let long = "é".repeat(70_000);
        let table = aligned(&[["a".into(), "1".into()], [long.clone(), "2".into()]]);
        let blanks = " ".repeat(70_001);
        assert_eq!(table, format!("a{blanks}1\n{long}  2\n"));
    }
}
