//! Which tables patterns have, and where these pay.

use super::*;
use alloc::vec;

/// Whole periods of these would fill three vectors, each of four loads or more.
#[test]
fn no_tables_leave_the_registers_where_others_do_not() {
    let six = (0..6).collect();
    let twelve = (0..12).map(|byte| 2 * byte).collect();
    for (offsets, src_stride) in [(six, -26), (twelve, 48), (vec![1, 2, 3], 12)] {
        let pattern = Pattern::new(offsets, Some(src_stride), false, Anchor::First);
        let pattern = pattern.expect("a short pattern");
        let dense = Tables::<64>::dense(&pattern).expect("few loads");
        assert!(!dense.stay_in_registers(), "{src_stride}");
        let tables = Tables::<64>::new(&pattern).expect("few loads");
        assert!(tables.stay_in_registers(), "{src_stride}");
    }
}

/// Every third, fourth and fifth element, and few of them in a row.
#[test]
fn more_patterns_pay_in_the_first_cache() {
    let pays = |width: i32, step: i64, periods, is_near| {
        let offsets = (0..width).collect();
        let stride = Some(step * i64::from(width));
        let pattern = Pattern::new(offsets, stride, false, Anchor::First).expect("near");
        let tables = Tables::<64>::wide(&pattern).expect("few loads");
        tables.pays(&pattern, [periods; 2], is_near)
    };
    let both =
        |width, step, periods| [true, false].map(|is_near| pays(width, step, periods, is_near));
    assert_eq!(both(8, 2, 100), [true, true]);
    assert_eq!(both(8, 3, 100), [true, true]);
    assert_eq!(both(8, -3, 100), [true, true]);
    assert_eq!(both(8, 3, 10), [true, false]);
    assert_eq!(both(8, 4, 100), [true, false]);
    assert_eq!(both(4, 7, 100), [true, true]);
    assert_eq!(both(4, 8, 100), [false, false]);
}

/// A vector that also began the next period would take a second load for it, and be overwritten there.
#[test]
fn no_vector_loads_the_next_period_for_nothing() {
    let loads = |period: usize, stride| {
        let offsets = (0..period as i32).rev().collect();
        let pattern = Pattern::new(offsets, Some(stride), false, Anchor::First).expect("short");
        let tables = Tables::<64>::wide(&pattern).expect("few loads");
        (tables.loads.len(), tables.tile, tables.given)
    };
    assert_eq!(loads(52, 76), (1, 52, 52));
    assert_eq!(loads(13, 13), (1, 52, 52));
    assert_eq!(loads(24, 32), (1, 48, 48));
    assert_eq!(loads(16, 32), (2, 64, 64));
}
