//! Where in a window of what is read each byte of some rows lies.

/// Bytes whose places are written at once.
pub(super) const EIGHT: usize = 8;

/// Puts where in its window each byte of the rows of some turns lies; `order` has room for [`EIGHT`] bytes more than these.
pub(super) fn put_order(
    order: &mut [u8],
    bytes: usize,
    places: &[isize],
    src_stride: isize,
    turns: usize,
) {
    let of_turn = places.len() * bytes;
    for turn in 0..turns {
        let begin = turn as isize * src_stride;
        let order = &mut order[turn * of_turn..];
        match bytes {
            1 => put_words(order, places, begin, |place| [place as u8]),
            2 => put_words(order, places, begin, |place| {
                (counted(place) as u16).to_le_bytes()
            }),
            4 => put_words(order, places, begin, |place| {
                (counted(place) as u32).to_le_bytes()
            }),
            8 => put_words(order, places, begin, |place| counted(place).to_le_bytes()),
            _ => put_bytes(order, bytes, places, begin),
        }
    }
}

/// The same for one turn, of words.
#[inline]
fn put_words<const N: usize>(
    order: &mut [u8],
    places: &[isize],
    begin: isize,
    of: impl Fn(u64) -> [u8; N],
) {
    let (words, _) = order.as_chunks_mut();
    for (word, place) in words.iter_mut().zip(places) {
        *word = of((begin + place) as u64);
    }
}

/// The same of rows of any length.
fn put_bytes(mut order: &mut [u8], bytes: usize, places: &[isize], begin: isize) {
    for place in places {
        let first = (begin + place) as u64;
        let mut row = &mut *order;
        for k in (0..bytes as u64).step_by(EIGHT) {
            let Some((eight, rest)) = row.split_first_chunk_mut() else {
                break;
            };
            *eight = counted(first + k).to_le_bytes();
            row = rest;
        }
        order = &mut order[bytes..];
    }
}

/// The bytes that begin there, each by its number. Those of a window are less than 256: what carries over is cut off, or of bytes that the
/// next row writes, or none.
fn counted(place: u64) -> u64 {
    /// 0 to 7 as bytes, and each of them 1.
    const COUNTED: u64 = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]);
    const ONES: u64 = u64::from_le_bytes([1; EIGHT]);
    place.wrapping_mul(ONES).wrapping_add(COUNTED)
}
