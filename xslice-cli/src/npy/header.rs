//! The header of a `.npy` file: a Python dictionary with three known keys.
//!
//! The format fixes the keys and the kinds of their values, so this reads exactly that, without nesting: a string, `True` or
//! `False`, a tuple of integers.

use crate::error::Fault;
use crate::files;
use crate::number::{MOST_DIMENSION, dimension};
use xslice::ElementType;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// `None` for two bytes that are no type of NumPy's.
    pub element_type: Option<ElementType>,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads the text of a header.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut cursor = Cursor(text.trim());
        cursor.expect("{")?;
        let (mut descr, mut order, mut shape) = (None, None, None);
        while !cursor.take("}") {
            let key = cursor.string()?;
            cursor.expect(":")?;
            let repeated = match key {
                "descr" => descr.replace(cursor.descr()?).is_some(),
                "fortran_order" => order.replace(cursor.boolean()?).is_some(),
                "shape" => shape.replace(cursor.tuple()?).is_some(),
                _ => return Err(fault(&format!("unknown key `{key}`"))),
            };
            if repeated {
                return Err(fault(&format!("`{key}` is given twice")));
            }
            if !cursor.take(",") {
                cursor.expect("}")?;
                break;
            }
        }
        if !cursor.0.is_empty() {
            return Err(fault("text after the closing brace"));
        }
        let missing = |key: &str| fault(&format!("`{key}` is missing"));
        let (element_type, big_endian) = descr.ok_or_else(|| missing("descr"))?;
        Ok(Self {
            element_type,
            big_endian,
            fortran_order: order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

fn fault(what: &str) -> Fault {
    Fault::Format(format!("the .npy header is malformed: {what}"))
}

/// What is left of the text; leading blanks never matter.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn take(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), Fault> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.expected(&format!("`{token}`")))
    }

    fn expected(&self, what: &str) -> Fault {
        let found: String = self.0.chars().take(16).collect();
        let place = match &found[..] {
            "" => "where it ends".into(),
            found => format!("before `{found}`"),
        };
        fault(&format!("{what} is expected {place}"))
    }

    fn string(&mut self) -> Result<&'a str, Fault> {
        let quote = if self.take("'") {
            '\''
        } else if self.take("\"") {
            '"'
        } else {
            return Err(self.expected("a string"));
        };
        let (text, rest) = self
            .0
            .split_once(quote)
            .ok_or_else(|| fault("a string is not closed"))?;
        self.0 = rest.trim_start();
        Ok(text)
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        if self.take("True") {
            return Ok(true);
        }
        self.expect("False")?;
        Ok(false)
    }

    fn tuple(&mut self) -> Result<Vec<usize>, Fault> {
        self.expect("(")?;
        // A list that grows takes up to three times as much.
        let dimensions = self.0.matches(',').count() + 1;
        files::admit((3 * size_of::<usize>() * dimensions) as u64)?;
        let mut dims = Vec::new();
        let mut comma = true;
        while !self.take(")") {
            if !comma {
                return Err(fault("a comma is missing in `shape`"));
            }
            let sign = usize::from(self.0.starts_with('-'));
            let end = self.0[sign..].find(|c: char| !c.is_ascii_digit());
            let (number, rest) = self.0.split_at(end.map_or(self.0.len(), |end| sign + end));
            let dim = dimension(number).ok_or_else(|| {
                fault(&format!(
                    "`{number}` in `shape` is not a dimension (allowed: 0..={MOST_DIMENSION})"
                ))
            })?;
            dims.push(dim);
            // Python 2 wrote long integers as `3L`.
            self.0 = rest.strip_prefix('L').unwrap_or(rest);
            comma = self.take(",");
        }
        if dims.len() == 1 && !comma {
            return Err(fault("`shape` is a number, not a tuple"));
        }
        Ok(dims)
    }

    /// Element type, `None` for two bytes without one, and whether it is big-endian.
    fn descr(&mut self) -> Result<(Option<ElementType>, bool), Fault> {
        if self.0.trim_start().starts_with('[') {
            return Err(fault("records have no element type here"));
        }
        let text = self.string()?;
        let name = text.trim_start_matches(['<', '>', '|', '=']);
        if text.len() > name.len() + 1 {
            return Err(fault(&format!("type `{text}` has two byte orders")));
        }
        let is_big_endian = text.starts_with('>');
        let ty = match name {
            "V2" => return Ok((None, is_big_endian)),
            "b1" => ElementType::Bool,
            "i1" => ElementType::I8,
            "i2" => ElementType::I16,
            "i4" => ElementType::I32,
            "i8" => ElementType::I64,
            "u1" => ElementType::U8,
            "u2" => ElementType::U16,
            "u4" => ElementType::U32,
            "u8" => ElementType::U64,
            "f2" => ElementType::F16,
            "f4" => ElementType::F32,
            "f8" => ElementType::F64,
            "c8" => ElementType::C64,
            "c16" => ElementType::C128,
            _ if name.starts_with(['U', 'S', 'O', 'T']) => {
                return Err(fault(&format!(
                    "type `{text}` is text or objects; strings are read from .pb files"
                )));
            }
            _ => {
                return Err(fault(&format!(
                    "type `{text}` is unknown (allowed: b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, c8, c16)"
                )));
            }
        };
        Ok((Some(ty), is_big_endian))
    }
}
