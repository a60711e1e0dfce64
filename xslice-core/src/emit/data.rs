//! Types, values and constants as text. A constant of more than a few elements is one byte string, whatever its length.

use super::Emitter;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::index::{is_outside, wrapped};
use crate::tensor::Tensor;
use alloc::{
    format,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// Elements of a constant that are written one by one.
const ELEMENTS: usize = 32;

/// Bytes of all constants of a function.
const BYTES: usize = 1 << 20;

/// The constants of a function, in the order of their first use.
pub(super) struct Constants {
    list: Vec<Constant>,
    /// What their names begin with.
    prefix: String,
    /// Those that are too long for a function, and their bytes; no copy was made of them.
    too_long: Vec<(Use, usize)>,
}

struct Constant {
    use_: Use,
    name: String,
    tensor: Tensor,
}

/// What a constant of the plan is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Elements to move.
    Elements(usize),
    /// Indices as they are.
    Integers(usize),
    /// Indices of an axis of that size, wrapped.
    Rows(usize, i64),
}

impl Constants {
    pub fn new(prefix: String) -> Self {
        Self {
            list: Vec::new(),
            prefix,
            too_long: Vec::new(),
        }
    }

    /// What the names of all items begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The name of a constant for that use, of `len` elements of type `ty`.
    fn name(
        &mut self,
        use_: Use,
        (len, ty): (usize, ElementType),
        make: impl FnOnce() -> Tensor,
    ) -> String {
        if let Some(known) = self.list.iter().find(|known| known.use_ == use_) {
            return known.name.clone();
        }
        let bytes = len.saturating_mul(ty.size());
        if bytes > BYTES {
            if self.too_long.iter().all(|(known, _)| *known != use_) {
                self.too_long.push((use_, bytes));
            }
            return String::new();
        }
        let kind = match use_ {
            Use::Elements(_) => "ELEMENTS",
            Use::Integers(_) => "INDICES",
            Use::Rows(..) => "ROWS",
        };
        let (prefix, count) = (&self.prefix, self.list.len());
        let (name, tensor) = (format!("{prefix}{kind}{count}"), make());
        self.list.push(Constant {
            use_,
            name: name.clone(),
            tensor,
        });
        name
    }

    /// The lines that define them.
    pub fn text(&self, root: &str) -> Result<String, Error> {
        let bytes = self
            .list
            .iter()
            .map(|constant| constant.tensor.len() * constant.ty().size());
        let too_long = self.too_long.iter().map(|(_, bytes)| *bytes);
        let bytes = bytes.chain(too_long).fold(0, usize::saturating_add);
        let strings = self.list.iter().map(|constant| match constant.ty() {
            ElementType::String => constant.tensor.len(),
            _ => 0,
        });
        let strings = strings.max().unwrap_or(0);
        let (text, value, allowed) = match (bytes > BYTES, strings > ELEMENTS) {
            (true, _) => (
                format!("the constants take {bytes} bytes"),
                bytes,
                format!("0..={BYTES} bytes"),
            ),
            (false, true) => (
                format!("a constant has {strings} strings"),
                strings,
                format!("0..={ELEMENTS} strings"),
            ),
            (false, false) => return Ok(self.lines(root)),
        };
        Err(Error::new(ErrorKind::TooLarge, text)
            .value(value)
            .allowed(allowed)
            .hint("pass them as an operand, or compile at run time with `Jit`"))
    }

    fn lines(&self, root: &str) -> String {
        self.list
            .iter()
            .map(|constant| constant.text(root))
            .collect()
    }
}

impl Constant {
    fn ty(&self) -> ElementType {
        self.tensor.element_type()
    }

    fn text(&self, root: &str) -> String {
        let (name, len) = (&self.name, self.tensor.len());
        let ty = match self.ty() {
            ElementType::String => String::from("&str"),
            ty => element(ty, root),
        };
        let value = if len <= ELEMENTS {
            let values: Vec<_> = (0..len).map(|at| value(&self.tensor, at, root)).collect();
            format!("&[{}]", values.join(", "))
        } else {
            let bytes = byte_string(&little_endian(&self.tensor));
            format!("&{root}::__private::data::{}({bytes})", self.ty().name())
        };
        // Used as a value, an array would be copied wherever one of its elements is.
        format!("    const {name}: &[{ty}; {len}] = {value};\n")
    }
}

impl Emitter<'_> {
    pub(super) fn element(&self, ty: ElementType) -> String {
        element(ty, self.wanted.root)
    }

    /// A value to fill an array with.
    pub(super) fn zero(&self, ty: ElementType) -> String {
        zero(ty, self.wanted.root)
    }

    fn constant(&self, at: usize) -> Arc<Tensor> {
        self.plan.constants()[at].clone()
    }

    /// The name of a constant whose elements are moved.
    pub(super) fn elements(&mut self, at: usize) -> String {
        let tensor = self.constant(at);
        self.constants.name(
            Use::Elements(at),
            (tensor.len(), tensor.element_type()),
            || (*tensor).clone(),
        )
    }

    /// The name of a constant whose elements are indices, as they are.
    pub(super) fn integers(&mut self, at: usize) -> String {
        let tensor = self.constant(at);
        let integers = || Tensor::vector(&tensor.integers().unwrap_or_default());
        let len = tensor.len();
        self.constants
            .name(Use::Integers(at), (len, ElementType::I64), integers)
    }

    /// The name of a constant whose elements are indices of an axis of size `size`, wrapped, in the narrowest type.
    pub(super) fn rows(&mut self, at: usize, size: i64) -> String {
        let tensor = self.constant(at);
        let len = tensor.len();
        let rows = (0..len).map(|k| self.row_value(at, size, k));
        let ty = narrowest(rows.max().unwrap_or(0));
        let wrapped = || rows_of(&tensor, size, ty);
        self.constants.name(Use::Rows(at, size), (len, ty), wrapped)
    }

    /// One of [`Self::rows`].
    pub(super) fn row_value(&self, constant: usize, size: i64, at: usize) -> i64 {
        wrap(
            self.plan.constants()[constant]
                .integer(at)
                .unwrap_or_default(),
            size,
        )
    }
}

/// An index wrapped. One outside its axis is refused by a check before it is used; it becomes 0 here.
fn wrap(index: i64, size: i64) -> i64 {
    match is_outside(index, size) {
        true => 0,
        false => wrapped(index, size),
    }
}

/// The narrowest type of rows up to `largest`.
fn narrowest(largest: i64) -> ElementType {
    [ElementType::U8, ElementType::U16, ElementType::U32]
        .into_iter()
        .find(|ty| largest >> (8 * ty.size()) == 0)
        .unwrap_or(ElementType::U64)
}

/// Indices wrapped, in a type that holds all of them.
fn rows_of(indices: &Tensor, size: i64, ty: ElementType) -> Tensor {
    let indices = indices.integers().unwrap_or_default();
    let wrapped: Vec<i64> = indices.into_iter().map(|index| wrap(index, size)).collect();
    let width = ty.size();
    let bytes = wrapped.iter().flat_map(|row| {
        let bytes = row.to_ne_bytes();
        let low = if cfg!(target_endian = "little") {
            0..width
        } else {
            8 - width..8
        };
        bytes[low].to_vec()
    });
    let len = wrapped.len();
    Tensor::from_bytes(ty, &[len], bytes.collect()).unwrap_or_else(|_| Tensor::vector(&wrapped))
}

pub(super) fn zero(ty: ElementType, root: &str) -> String {
    match Tensor::zeros(ty, &[1]) {
        Ok(tensor) if ty != ElementType::String => value(&tensor, 0, root),
        _ => format!("const {{ {}::new() }}", element(ty, root)),
    }
}

pub(super) fn element(ty: ElementType, root: &str) -> String {
    match ty {
        ElementType::F16 => format!("{root}::half::f16"),
        ElementType::Bf16 => format!("{root}::half::bf16"),
        ElementType::C64 => format!("{root}::num_complex::Complex<f32>"),
        ElementType::C128 => format!("{root}::num_complex::Complex<f64>"),
        ElementType::String => format!("{root}::__private::String"),
        plain => plain.name().to_string(),
    }
}

/// Element `at` as an expression.
fn value(tensor: &Tensor, at: usize, root: &str) -> String {
    let ty = tensor.element_type();
    if let Some(strings) = tensor.strings() {
        return format!("{:?}", strings[at]);
    }
    let bytes = &tensor.bytes()[at * ty.size()..][..ty.size()];
    match ty {
        ElementType::Bool => (bytes != [0]).to_string(),
        ElementType::F16 | ElementType::Bf16 => {
            let bits = u16::from_ne_bytes(chunk(bytes));
            format!("{}::from_bits({bits:#06x})", element(ty, root))
        }
        ElementType::F32 => f32_value(u32::from_ne_bytes(chunk(bytes))),
        ElementType::F64 => f64_value(u64::from_ne_bytes(chunk(bytes))),
        ElementType::C64 => {
            let [re, im] =
                [&bytes[..4], &bytes[4..]].map(|half| f32_value(u32::from_ne_bytes(chunk(half))));
            format!("{root}::num_complex::Complex {{ re: {re}, im: {im} }}")
        }
        ElementType::C128 => {
            let [re, im] =
                [&bytes[..8], &bytes[8..]].map(|half| f64_value(u64::from_ne_bytes(chunk(half))));
            format!("{root}::num_complex::Complex {{ re: {re}, im: {im} }}")
        }
        ElementType::U64 => u64::from_ne_bytes(chunk(bytes)).to_string(),
        _ => tensor.integer(at).unwrap_or_default().to_string(),
    }
}

fn chunk<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

/// The shortest literal of these bits; what has none (infinities, NaN with its payload) by its bits.
pub(super) fn f32_value(bits: u32) -> String {
    match f32::from_bits(bits) {
        value if value.is_finite() => format!("{value:?}"),
        _ => format!("f32::from_bits({bits:#010x})"),
    }
}

/// The same for `f64`.
pub(super) fn f64_value(bits: u64) -> String {
    match f64::from_bits(bits) {
        value if value.is_finite() => format!("{value:?}"),
        _ => format!("f64::from_bits({bits:#018x})"),
    }
}

/// The bytes of all numbers, the lowest of each first: an expansion may be compiled for another machine.
fn little_endian(tensor: &Tensor) -> Vec<u8> {
    let ty = tensor.element_type();
    let mut bytes = tensor.bytes().to_vec();
    if cfg!(target_endian = "big") {
        let number = match ty {
            ElementType::C64 | ElementType::C128 => ty.size() / 2,
            _ => ty.size(),
        };
        bytes.chunks_exact_mut(number).for_each(<[u8]>::reverse);
    }
    bytes
}

fn byte_string(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    for byte in bytes {
        text.extend(core::ascii::escape_default(*byte).map(char::from));
    }
    text + "\""
}
