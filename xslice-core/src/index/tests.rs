//! Indices around both ends of an axis.

use super::*;

#[test]
fn an_index_is_outside_or_has_a_place() {
    let ends = [
        i64::MIN,
        i64::MIN + 1,
        i64::from(i32::MIN),
        -1,
        0,
        1,
        i64::MAX,
    ];
    for size in [0, 1, 2, 5, i64::from(i32::MAX), i64::MAX] {
        for index in (-7..7)
            .chain(ends)
            .chain([size - 1, size, -size, (-size).wrapping_sub(1)])
        {
            let place = from_start(index, size as usize);
            let is_inside = (0..i128::from(size)).contains(&place);
            assert_eq!(is_outside(index, size), !is_inside, "{index} of {size}");
            if is_inside {
                assert_eq!(i128::from(wrapped(index, size)), place, "{index} of {size}");
            }
            if let (Ok(index), Ok(size)) = (i32::try_from(index), u32::try_from(size)) {
                assert_eq!(is_outside_i32(index, size), !is_inside, "{index} of {size}");
            }
        }
    }
    for index in ends {
        assert!(is_outside(index, -1) && is_outside(index, i64::MIN));
    }
}
