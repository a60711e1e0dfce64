//! Shorter nests for the same copy.
//!
//! Lowering gives one loop per axis; most are not needed. Three rewrites run until none fits:
//!   unit    a loop of one turn disappears;
//!   fold    neighbours become one loop when, in every access, outer stride = inner extent * inner stride;
//!   absorb  an innermost loop that steps by one block on both sides, and by nothing in the tables, makes the block longer.
//! Each keeps the meaning (I6). Loops are never reordered here: order decides memory traffic, and that is a
//! choice, not a simplification.

use super::{Parts, Source};
use crate::access::Access;
use crate::list::List;

/// The shortest nest with the same meaning; idempotent (I6). The turns of all loops together fit `usize`.
pub(crate) fn simplify(parts: &mut Parts) {
    let Parts {
        extents, src, dst, ..
    } = parts;
    fold_loops(extents, &mut [src, dst]);
    absorb(parts);
}

/// Unit and fold, for loops that all of `accesses` share.
pub(crate) fn fold_loops(extents: &mut List<usize>, accesses: &mut [&mut Access]) {
    // The loops before `kept` are done: each is a run of neighbours folded into one, with the stride of the innermost.
    let mut kept = 0;
    for k in 0..extents.len() {
        let extent = extents[k];
        if extent == 1 {
            continue;
        }
        if kept > 0 && folds(accesses, kept - 1, k, extent) {
            extents[kept - 1] *= extent;
        } else {
            extents[kept] = extent;
            kept += 1;
        }
        if kept - 1 < k {
            for access in &mut *accesses {
                access.edit_strides(&|strides| strides[kept - 1] = strides[k]);
            }
        }
    }
    if kept < extents.len() {
        for access in accesses {
            access.edit_strides(&|strides| strides.truncate(kept));
        }
        extents.truncate(kept);
    }
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
        parts.src.edit_strides(&|strides| strides.truncate(inner));
        parts.dst.edit_strides(&|strides| strides.truncate(inner));
    }
}
