//! Rows from the same places in every turn of a loop, with AVX-512, out of registers: the rows of some turns lie in a window of 64, 128 or 256
//! bytes.

use super::Cost;
use crate::move_::cache::Cache;
use crate::move_::copy::Rows;
use crate::move_::lookup::avx512::look_up;
use crate::move_::lookup::repeat::order::{EIGHT, put_order};
use crate::move_::lookup::repeat::{KeptPlaces, MOST_KEPT, Starts, Turns};
use crate::move_::mask::mask_of;
use core::arch::x86_64::*;

/// Bytes of the result that come out of one window, at most.
const MOST_WRITTEN: usize = MOST_KEPT * size_of::<u64>();

/// The same of those that several turns write.
const MOST_TOGETHER: usize = 1024;

/// Fewer windows than this for each byte of a row do not pay for the order of bytes.
const LEAST_WINDOWS: usize = 1;

/// Bytes of the source that registers hold, and what they give.
#[derive(Clone, Copy)]
pub(in crate::move_::lookup::repeat) struct Window {
    /// Vectors: one, two, or four, as many as have bytes that one names.
    vectors: usize,
    /// Turns that take their rows from it.
    at_once: usize,
}

impl Window {
    /// The quickest for neighbouring rows; `None`: none holds those of one turn, or there are too few turns.
    pub fn of(rows: &Rows, reach: usize, (starts, turns): (usize, Turns)) -> Option<Self> {
        let written = rows.count * rows.bytes;
        let least = LEAST_WINDOWS * rows.bytes;
        if starts * turns.count < least || written > MOST_WRITTEN || !rows.touch() {
            return None;
        }
        let stride = match usize::try_from(turns.src_stride) {
            Ok(stride @ 1..) if turns.dst_stride == written as isize => Some(stride),
            _ => None,
        };
        let most = MOST_TOGETHER.checked_div(written)?.clamp(1, turns.count);
        let mut quickest: Option<Self> = None;
        for vectors in [1, 2, 4] {
            let Some(room) = (64_usize * vectors).checked_sub(reach) else {
                continue;
            };
            let read = stride.map_or(1, |stride| room / stride + 1);
            let at_once = read.min(most);
            let window = Self { vectors, at_once };
            let cost = window.cost(rows);
            if quickest.is_none_or(|other| cost.is_less(other.cost(rows))) {
                quickest = Some(window);
            }
        }
        quickest.filter(|window| starts * (turns.count / window.at_once) >= least)
    }

    /// Rows that come out of it.
    pub fn rows_at_once(&self, rows: &Rows) -> usize {
        self.at_once * rows.count
    }

    /// About what it costs in a turn, in half cycles.
    pub fn cost_of_turn(&self, rows: &Rows) -> usize {
        2 * self.cost(rows).cycles / self.at_once
    }

    /// About what it costs.
    pub fn cost(&self, rows: &Rows) -> Cost {
        const LOOP: usize = 4;
        let of_store = match self.vectors {
            1 => 2,
            2 => 4,
            _ => 8,
        };
        let written = self.at_once * rows.count * rows.bytes;
        Cost {
            cycles: LOOP + self.vectors + written.div_ceil(64) * of_store,
            written,
        }
    }
}

/// Moves neighbouring rows in each of the turns out of windows.
///
/// # Safety
/// As [`super::super::moved`], for what [`Window::of`] gives.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
pub(super) unsafe fn moved(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    window: Window,
) {
    let written = window.at_once * rows.count * rows.bytes;
    // SAFETY: by the contract of this function.
    unsafe {
        match written {
            ..=MOST_TOGETHER => {
                let mut order = [0; MOST_TOGETHER + EIGHT];
                by_order(starts, rows, places, turns, window, &mut order);
            }
            _ => {
                let mut order = [0; MOST_WRITTEN + EIGHT];
                by_order(starts, rows, places, turns, window, &mut order);
            }
        }
    }
}

/// The same, where there is room for the order of all bytes that come out of one window.
///
/// # Safety
/// As [`moved`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn by_order(
    starts: Starts<'_>,
    rows: Rows,
    places: KeptPlaces<'_>,
    turns: Turns,
    window: Window,
    order: &mut [u8],
) {
    put_order(
        order,
        rows.bytes,
        places.each,
        turns.src_stride,
        window.at_once,
    );
    let of_turns = |now: usize| Order {
        read: (now - 1) * turns.src_stride.unsigned_abs() + places.reach,
        bytes: &order[..now * rows.count * rows.bytes],
    };
    if turns.count == 1
        && let Some((dst, src, list)) = starts.as_list()
    {
        let turn = move |k: usize| list.turn(k, dst, src);
        let all = (list.places.len(), list.apart);
        // SAFETY: by the contract of this function.
        return unsafe { by_windows(window.vectors, turn, all, of_turns(1)) };
    }
    let groups = |now: usize, to: *mut u8, from: *const u8, groups: Turns| {
        let turn = move |k: usize| groups.turn(k, to, from);
        let all = (groups.count, groups.dst_stride);
        // SAFETY: by the contract of this function all bytes from the first to the last of these turns lie in the operand, and what they
        // write in the result.
        unsafe { by_windows(window.vectors, turn, all, of_turns(now)) };
    };
    starts.each(|dst, src| {
        groups(window.at_once, dst, src, turns.in_groups(window.at_once));
        let (to, from, rest) = turns.after(turns.that_fill(window.at_once), dst, src);
        if rest.count > 0 {
            groups(rest.count, to, from, rest.in_groups(rest.count));
        }
    });
}

/// Where a turn begins, in the destination and in the source.
type Turn = (*mut u8, *const u8);

/// The bytes that a window gives, and how many it has.
#[derive(Clone, Copy)]
struct Order<'a> {
    read: usize,
    /// Where in the window each lies.
    bytes: &'a [u8],
}

/// Writes the bytes of windows of `vectors` vectors, so many windows and so far apart in the destination.
///
/// # Safety
/// As [`each`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn by_windows(
    vectors: usize,
    turn: impl Fn(usize) -> Turn + Copy,
    all: (usize, isize),
    order: Order<'_>,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match vectors {
            1 => in_order::<1>(turn, all, order),
            2 => in_order::<2>(turn, all, order),
            _ => in_order::<4>(turn, all, order),
        }
    }
}

/// The same, in loops that keep a short order in registers.
///
/// # Safety
/// As [`each`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn in_order<const N: usize>(
    turn: impl Fn(usize) -> Turn + Copy,
    all: (usize, isize),
    order: Order<'_>,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match order.bytes.len().div_ceil(64) {
            1 => each::<N, 1>(turn, all, order),
            2 => each::<N, 2>(turn, all, order),
            3 => each::<N, 3>(turn, all, order),
            4 => each::<N, 4>(turn, all, order),
            5 => each::<N, 5>(turn, all, order),
            6 => each::<N, 6>(turn, all, order),
            7 => each::<N, 7>(turn, all, order),
            8 => each::<N, 8>(turn, all, order),
            _ => each_by_loads::<N>(turn, all.0, order),
        }
    }
}

/// The same of a longer order, each vector of which is loaded in each turn.
///
/// # Safety
/// In each of the turns `order.read` bytes are readable, at most `64 * N`; the order names no others; as many as it has are writable.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn each_by_loads<const N: usize>(
    turn: impl Fn(usize) -> Turn,
    count: usize,
    order: Order<'_>,
) {
    let reads = core::array::from_fn(|v| mask_of(order.read.saturating_sub(64 * v)));
    let (whole, rest) = order.bytes.as_chunks::<64>();
    let written = mask_of(rest.len());
    // SAFETY: by the contract of this function; the masks leave out every byte past the window and past the order.
    unsafe {
        let last = _mm512_maskz_loadu_epi8(written, rest.as_ptr().cast());
        for k in 0..count {
            let (mut to, from) = turn(k);
            let window = read::<N>(reads, from);
            for order in whole {
                let bytes = ordered(window, _mm512_loadu_si512(order.as_ptr().cast()));
                _mm512_storeu_si512(to.cast(), bytes);
                to = to.wrapping_add(64);
            }
            _mm512_mask_storeu_epi8(to.cast(), written, ordered(window, last));
        }
    }
}

/// A window of which these bytes are read.
///
/// # Safety
/// They are readable at `src`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
unsafe fn read<const N: usize>(reads: [u64; N], src: *const u8) -> [__m512i; N] {
    core::array::from_fn(|v| {
        // SAFETY: the mask leaves out every byte past the window.
        unsafe { _mm512_maskz_loadu_epi8(reads[v], src.wrapping_add(64 * v).cast()) }
    })
}

/// The bytes that an order names in one vector, two, or four.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
#[inline]
fn ordered<const N: usize>(window: [__m512i; N], order: __m512i) -> __m512i {
    match *window.as_slice() {
        [only] => _mm512_permutexvar_epi8(order, only),
        [low, high] => _mm512_permutex2var_epi8(low, order, high),
        [a, b, c, d] => look_up(&[a, b, c, d], order),
        // There are no others.
        _ => order,
    }
}

/// # Safety
/// In each of the turns `order.read` bytes are readable, at most `64 * N`; the order names no others; as many as it has, which `S` vectors
/// hold, are writable.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
unsafe fn each<const N: usize, const S: usize>(
    turn: impl Fn(usize) -> Turn,
    (count, dst_stride): (usize, isize),
    order: Order<'_>,
) {
    let Order { read, bytes: order } = order;
    let writes: [u64; S] = core::array::from_fn(|s| mask_of(order.len().saturating_sub(64 * s)));
    // SAFETY: the masks leave out every byte past the order.
    let orders: [__m512i; S] = core::array::from_fn(|s| unsafe {
        _mm512_maskz_loadu_epi8(writes[s], order.as_ptr().wrapping_add(64 * s).cast())
    });
    let window = Ordered::<N, S> {
        reads: core::array::from_fn(|v| mask_of(read.saturating_sub(64 * v))),
        orders,
        writes,
    };
    let rows = Rows {
        count,
        dst_stride,
        ..Rows::one(order.len(), Cache::None)
    };
    let whole = match rows.touch() {
        true => rows.with_room_for(64 * S),
        false => 0,
    };
    // SAFETY: by the contract of this function; what a whole vector writes too much lies in turns after it, which write it again (I4).
    unsafe {
        for k in 0..whole {
            let (to, from) = turn(k);
            window.moved::<true>(to, from);
        }
        for k in whole..count {
            let (to, from) = turn(k);
            window.moved::<false>(to, from);
        }
    }
}

/// Which bytes of `N` vectors are read, and which of them `S` vectors write.
struct Ordered<const N: usize, const S: usize> {
    reads: [u64; N],
    orders: [__m512i; S],
    writes: [u64; S],
}

impl<const N: usize, const S: usize> Ordered<N, S> {
    /// Moves the bytes of one window; with `WHOLE`, whole vectors are written.
    ///
    /// # Safety
    /// The bytes that it reads are readable at `src`, and those that it writes writable at `dst`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")]
    #[inline]
    unsafe fn moved<const WHOLE: bool>(&self, dst: *mut u8, src: *const u8) {
        // SAFETY: by the contract of this function.
        let window = unsafe { read(self.reads, src) };
        for s in 0..S {
            let bytes = ordered(window, self.orders[s]);
            let to = dst.wrapping_add(64 * s);
            // SAFETY: by the contract of this function.
            unsafe {
                match WHOLE {
                    true => _mm512_storeu_si512(to.cast(), bytes),
                    false => _mm512_mask_storeu_epi8(to.cast(), self.writes[s], bytes),
                }
            }
        }
    }
}
