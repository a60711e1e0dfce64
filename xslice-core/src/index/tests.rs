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
            assert_eq!(
                any_is_outside([index].into_iter(), size),
                !is_inside,
                "{index} of {size}"
            );
            if let Ok(index) = i32::try_from(index) {
                assert_eq!(
                    any_is_outside_i32([index].into_iter(), size),
                    !is_inside,
                    "{index} of {size}"
                );
            }
        }
    }
    for index in ends {
        assert!(is_outside(index, -1) && is_outside(index, i64::MIN));
        assert!(any_is_outside([index].into_iter(), i64::MIN));
    }
    for at in 0..3 {
        let indices =
            |outside| core::array::from_fn::<_, 3, _>(|k| if k == at { outside } else { -2 });
        for (outside, is_outside) in [(2, true), (-3, true), (1, false), (-1, false)] {
            assert_eq!(any_is_outside(indices(outside).into_iter(), 2), is_outside);
            let words = indices(outside).map(|index| index as i32);
            assert_eq!(any_is_outside_i32(words.into_iter(), 2), is_outside);
        }
    }
}
