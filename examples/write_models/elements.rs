//! Tensors for the models: elements that follow from a name, and their bytes in files.

use crate::naive::{Elem, Tensor};

/// A tensor from the bits of its elements.
pub fn tensor(
    dtype: &'static str,
    shape: &[usize],
    bits: impl IntoIterator<Item = u128>,
) -> Tensor {
    let elems: Vec<Elem> = bits.into_iter().map(Elem::Bits).collect();
    assert_eq!(
        elems.len(),
        shape.iter().product(),
        "one value an element of {shape:?}"
    );
    Tensor {
        dtype,
        shape: shape.to_vec(),
        elems,
    }
}

/// Integers of the type `i32` or `i64`.
pub fn integers(dtype: &'static str, shape: &[usize], values: &[i64]) -> Tensor {
    let mask = mask(dtype);
    tensor(
        dtype,
        shape,
        values.iter().map(|&v| u128::from(v as u64) & mask),
    )
}

/// The values of a tensor of `i32` or `i64`.
pub fn values(tensor: &Tensor) -> Vec<i64> {
    let value = |elem: &Elem| match (elem, tensor.dtype) {
        (Elem::Bits(bits), "i32") => i64::from(*bits as u32 as i32),
        (Elem::Bits(bits), "i64") => *bits as u64 as i64,
        _ => panic!("an index of type {}", tensor.dtype),
    };
    tensor.elems.iter().map(value).collect()
}

/// Elements that look random and depend on `seed` alone: bytes, flags, and finite floats of either sign from 2^-7 to 2.
pub fn random(seed: &str, dtype: &'static str, shape: &[usize]) -> Tensor {
    let float = |bits: u64, exponent: u32, mantissa: u32| {
        let bias = (1u64 << (exponent - 1)) - 1;
        let sign = (bits >> 63) << (exponent + mantissa);
        let exponent = (bias - (bits >> 60) % 8) << mantissa;
        sign | exponent | (bits & ((1 << mantissa) - 1))
    };
    let element = |bits: u64| match dtype {
        "bool" => bits >> 63,
        "u8" => bits >> 56,
        "f16" => float(bits, 5, 10),
        "bf16" => float(bits, 8, 7),
        "f32" => float(bits, 8, 23),
        _ => panic!("no random elements of type {dtype}"),
    };
    let count = shape.iter().product();
    tensor(
        dtype,
        shape,
        words(seed).take(count).map(|bits| element(bits).into()),
    )
}

/// Indices in `range`, in the same way.
pub fn random_indices(
    seed: &str,
    dtype: &'static str,
    shape: &[usize],
    range: std::ops::Range<i64>,
) -> Tensor {
    let span = range.end.abs_diff(range.start);
    let values: Vec<i64> = words(seed)
        .take(shape.iter().product())
        .map(|bits| range.start + ((bits >> 16) % span) as i64)
        .collect();
    integers(dtype, shape, &values)
}

/// The generator SplitMix64, from a hash (FNV-1a) of the seed.
fn words(seed: &str) -> impl Iterator<Item = u64> {
    let mut state = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    std::iter::from_fn(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(mixed ^ (mixed >> 31))
    })
}

/// The elements as both file formats store them: little-endian, row-major.
pub fn little_endian(tensor: &Tensor) -> Vec<u8> {
    let size = size(tensor.dtype);
    let bytes = |elem: &Elem| match elem {
        Elem::Bits(bits) => bits.to_le_bytes()[..size].to_vec(),
        Elem::Text(_) => panic!("no model has strings"),
    };
    tensor.elems.iter().flat_map(bytes).collect()
}

/// Bytes of one element.
pub fn size(dtype: &str) -> usize {
    match dtype {
        "bool" | "u8" => 1,
        "f16" | "bf16" => 2,
        "f32" | "i32" => 4,
        "i64" => 8,
        _ => panic!("no model has elements of type {dtype}"),
    }
}

fn mask(dtype: &str) -> u128 {
    (1 << (8 * size(dtype))) - 1
}

/// A dimension in the declaration of an input or output: fixed, or known by a name only.
pub enum Dim<'a> {
    /// The same in every run.
    Fixed(usize),
    /// Known at run time.
    Named(&'a str),
}

/// The dimensions of a declaration such as `batch, 3, height, width`, which the tensor has to fit.
pub fn dims<'a>(declared: &'a str, tensor: &Tensor) -> Vec<Dim<'a>> {
    let words = declared.split(',').map(str::trim).filter(|w| !w.is_empty());
    let dims: Vec<_> = words
        .map(|word| match word.parse() {
            Ok(size) => Dim::Fixed(size),
            Err(_) => Dim::Named(word),
        })
        .collect();
    let fits = |(dim, size): (&Dim, &usize)| match dim {
        Dim::Fixed(fixed) => fixed == size,
        Dim::Named(_) => true,
    };
    let all_fit = dims.len() == tensor.shape.len() && dims.iter().zip(&tensor.shape).all(fits);
    assert!(all_fit, "[{declared}] is declared of {:?}", tensor.shape);
    dims
}
