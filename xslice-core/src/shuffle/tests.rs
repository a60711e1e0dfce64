//! What is remembered of shuffles.

use super::*;

/// More periods than are remembered, each asked for twice.
#[test]
fn a_remembered_shuffle_is_the_one_that_is_derived() {
    let period = |extent: usize, stride: i64, block, src_stride| Period {
        loops: [(extent, stride)].into_iter().collect(),
        picked: List::new(),
        block,
        src_stride: Some(src_stride),
        past_line: Some(4),
    };
    let mut found = 0;
    for _ in 0..2 {
        for (extent, stride) in (1..9).flat_map(|extent| (-9..9).map(move |s| (extent, s))) {
            for period in [1, 3].map(|block| period(extent, stride, block, 3 * stride)) {
                let shuffle = period.shuffle();
                assert_eq!(shuffle, period.derive(), "{period:?}");
                found += usize::from(shuffle.is_some());
            }
        }
    }
    assert!(found > 200, "{found} have a pattern");
}
