//! Coordinates in row-major order: of an array, and the counters of loops.

/// Those of a position. No dimension is 0 where there is one.
pub fn coordinates(dims: &[usize], position: usize) -> Vec<usize> {
    let mut coordinates = vec![0; dims.len()];
    let mut rest = position;
    for (coordinate, &dim) in coordinates.iter_mut().zip(dims).rev() {
        (*coordinate, rest) = (rest % dim.max(1), rest / dim.max(1));
    }
    coordinates
}

/// Calls `turn` with all of them, one after the other.
pub fn each(dims: &[usize], mut turn: impl FnMut(&[usize])) {
    if dims.contains(&0) {
        return;
    }
    let mut coordinates = vec![0; dims.len()];
    loop {
        turn(&coordinates);
        if !advance(&mut coordinates, dims) {
            return;
        }
    }
}

/// The next ones; `false` after the last.
fn advance(coordinates: &mut [usize], dims: &[usize]) -> bool {
    for (coordinate, dim) in coordinates.iter_mut().zip(dims).rev() {
        *coordinate += 1;
        if *coordinate < *dim {
            return true;
        }
        *coordinate = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_at_its_position() {
        for dims in [&[][..], &[1], &[2, 3], &[2, 1, 3, 2], &[2, 0, 3]] {
            let mut count = 0;
            each(dims, |found| {
                assert_eq!(found, coordinates(dims, count), "{dims:?}");
                count += 1;
            });
            assert_eq!(count, dims.iter().product(), "{dims:?}");
        }
    }
}
