//! Numbers that nobody has counted.

use crate::access::{Access, Buffer};
use crate::elem::ElementType;
use crate::nest::{LoopNest, Parts, Source};

/// Turns, block, strides of source and destination.
type Loops = (&'static [usize], usize, &'static [i64], &'static [i64]);

/// Numbers of loops that nobody has counted, as a call of [`crate::fixed`] may name them: refused, in every build the same.
#[test]
fn numbers_that_no_word_holds_are_refused() {
    const MOST: usize = usize::MAX;
    let cases: [Loops; 5] = [
        (&[MOST, MOST, MOST], 1, &[i64::MAX; 3], &[i64::MAX; 3]),
        (&[MOST, MOST, MOST], 1, &[i64::MIN; 3], &[0; 3]),
        (&[MOST / 2 + 1, 4], 1, &[0, 0], &[4, 1]),
        (&[MOST / 2 + 1, 2], 1, &[2, 1], &[2, 1]),
        (&[2], MOST, &[0], &[1]),
    ];
    for (extents, block, src, dst) in cases {
        let parts = Parts {
            ty: ElementType::U8,
            extents: extents.into(),
            block,
            source: Source::Buffer(Buffer::Operand(0)),
            src_len: MOST,
            src: Access::affine(0, src.into()),
            dst_len: MOST,
            dst: Access::affine(0, dst.into()),
        };
        let nest = LoopNest::new(parts, &|_| 0);
        assert!(nest.is_err(), "{extents:?} x {block}");
    }
}
