//! Shorter nests for the same copy.
//!
//! Lowering gives one loop per axis; most are not needed. Three rewrites run until none fits:
//!   unit    a loop of one turn disappears;
//!   fold    neighbours become one loop when, in every access, outer stride = inner extent * inner stride;
//!   absorb  an innermost loop that steps by one block on both sides, and by nothing in the tables, makes the block longer.
//! Each keeps the meaning (I6). Loops are never reordered here: order decides memory traffic, and that is a
//! choice, not a simplification.

use super::{LoopNest, Parts, Source};
use crate::access::{Access, Buffer};
use crate::error::Error;
use alloc::vec::Vec;

impl LoopNest {
    /// The shortest nest with the same meaning; idempotent (I6).
    ///
    /// # Errors
    /// None that the nest itself did not raise: the result is verified like any nest.
    pub(crate) fn simplify(self, table_len: &dyn Fn(Buffer) -> usize) -> Result<Self, Error> {
        let mut parts = self.parts;
        let Parts {
            extents, src, dst, ..
        } = &mut parts;
        fold_loops(extents, &mut [src, dst]);
        absorb(&mut parts);
        Self::new(parts, table_len)
    }
}

/// Unit and fold, for loops that all of `accesses` share.
pub(crate) fn fold_loops(extents: &mut Vec<usize>, accesses: &mut [&mut Access]) {
    // Each kept loop is a run of neighbours folded into one, innermost stride first.
    let mut kept: Vec<(usize, usize)> = Vec::with_capacity(extents.len());
    for k in (0..extents.len()).filter(|&k| extents[k] != 1) {
        match kept.last_mut() {
            Some((last, extent)) if folds(accesses, *last, k, extents[k]) => {
                *extent *= extents[k];
                *last = k;
            }
            _ => kept.push((k, extents[k])),
        }
    }
    if kept.len() == extents.len() {
        return;
    }
    for access in accesses {
        **access = access.map_strides(&|strides| kept.iter().map(|&(k, _)| strides[k]).collect());
    }
    *extents = kept.into_iter().map(|(_, extent)| extent).collect();
}

fn folds(accesses: &[&mut Access], outer: usize, inner: usize, extent: usize) -> bool {
    let fits = |strides: &[i64]| strides[outer] == strides[inner].wrapping_mul(extent as i64);
    accesses.iter().all(|access| access.all_strides(&fits))
}

fn absorb(parts: &mut Parts) {
    if matches!(parts.source, Source::Range(_)) {
        return;
    }
    while let Some(&extent) = parts.extents.last() {
        let inner = parts.extents.len() - 1;
        let block = parts.block as i64;
        let steps = parts.src.strides[inner] == block && parts.dst.strides[inner] == block;
        if !steps || !parts.src.all_table_strides(&|strides| strides[inner] == 0) {
            return;
        }
        parts.block *= extent;
        parts.extents.pop();
        let drop_last = |strides: &[i64]| strides[..inner].to_vec();
        parts.src = parts.src.map_strides(&drop_last);
        parts.dst = parts.dst.map_strides(&drop_last);
    }
}
