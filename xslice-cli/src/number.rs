//! Numbers as files and options write them.
//!
//! Decided here: that a number is digits, after a minus where its type has one (what parses numbers for Rust takes a plus, too), and
//! what a dimension is at most.

use std::str::FromStr;

/// The largest dimension: an array of bytes with a larger one fits in no memory.
pub const MOST_DIMENSION: usize = isize::MAX as usize;

/// The number in a text.
pub fn number<T: FromStr>(text: &str) -> Option<T> {
    match text.starts_with('+') {
        true => None,
        false => text.parse().ok(),
    }
}

/// The dimension in a text.
pub fn dimension(text: &str) -> Option<usize> {
    number(text).filter(|&dim| dim <= MOST_DIMENSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_no_plus_and_a_minus_only_where_its_type_has_one() {
        assert_eq!(number("8"), Some(8u32));
        assert_eq!(number("-8"), Some(-8i64));
        assert_eq!(number::<u32>("+8"), None);
        assert_eq!(number::<i64>("+8"), None);
        assert_eq!(number::<u32>("-8"), None);
        assert_eq!(number::<u32>(""), None);
    }

    #[test]
    fn a_dimension_is_a_length_in_memory() {
        assert_eq!(dimension("0"), Some(0));
        assert_eq!(dimension(&MOST_DIMENSION.to_string()), Some(MOST_DIMENSION));
        assert_eq!(dimension(&(MOST_DIMENSION + 1).to_string()), None);
    }
}
