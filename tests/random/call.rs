//! Random layouts of operands and results: strides of any sign, gaps, axes in any order in memory.

use crate::suite::rng::Rng;
use crate::suite::{from_naive, numbered, to_naive};
use xslice::{Program, Signature, Tensor};

/// The signature and, for each operand, the buffer of a call: row-major, or spread with strides of any sign.
pub fn call(program: &Program, operands: &[Tensor], rng: &mut Rng) -> (Signature, Vec<Tensor>) {
    let mut signature = Signature::new();
    let mut buffers = Vec::new();
    for (tensor, is_parameter) in operands.iter().zip(program.parameters()) {
        if is_parameter {
            signature = signature.value(tensor.clone());
            buffers.push(tensor.clone());
        } else if rng.once_in(3) {
            let (buffer, strides, offset) = spread(tensor, rng);
            signature = signature.strided(tensor.element_type(), tensor.shape(), &strides, offset);
            buffers.push(buffer);
        } else {
            signature = signature.operand(tensor.element_type(), tensor.shape());
            buffers.push(tensor.clone());
        }
    }
    (signature, buffers)
}

/// Strides and offset with gaps, some axes reversed, the axes in any order in memory.
pub fn layout(shape: &[usize], rng: &mut Rng) -> (Vec<isize>, usize, usize) {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, rng.below(k + 1));
    }
    let (mut stride, mut offset) = (1 + rng.below(2), rng.below(4));
    let mut strides = vec![0; shape.len()];
    for axis in order {
        let reversed = rng.once_in(3);
        strides[axis] = if reversed {
            -(stride as isize)
        } else {
            stride as isize
        };
        if reversed && shape[axis] > 0 {
            offset += stride * (shape[axis] - 1);
        }
        stride = stride * shape[axis].max(1) + rng.below(3);
    }
    (strides, offset, stride + 8)
}

pub fn positions(shape: &[usize], strides: &[isize], offset: usize) -> Vec<usize> {
    let mut positions = vec![offset as isize];
    for (&dim, &stride) in shape.iter().zip(strides) {
        positions = positions
            .iter()
            .flat_map(|&p| (0..dim as isize).map(move |i| p + i * stride))
            .collect();
    }
    positions.into_iter().map(|p| p as usize).collect()
}

pub fn spread(tensor: &Tensor, rng: &mut Rng) -> (Tensor, Vec<isize>, usize) {
    let (strides, offset, len) = layout(tensor.shape(), rng);
    let plain = to_naive(tensor);
    let mut buffer = to_naive(&numbered(tensor.element_type(), &[len], rng.word()));
    for (elem, at) in plain
        .elems
        .iter()
        .zip(positions(tensor.shape(), &strides, offset))
    {
        buffer.elems[at] = elem.clone();
    }
    (from_naive(&buffer), strides, offset)
}
