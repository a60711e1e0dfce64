//! Rows that move one by one, each when its index has been read: few, short and near, or out of far tables, fetched ahead.

use super::indices::ASKED;
use super::{Index, Indices, LEAST_AHEAD};
use crate::level::{Kind, Level};
#[cfg(target_arch = "x86_64")]
use crate::move_::copy::Wide;
use crate::move_::copy::{Mover, Rows};
use crate::move_::processor::habits;
use crate::move_::{prefetch, rows};
use core::mem::MaybeUninit;

/// Rows, each from where the next index points.
#[derive(Clone, Copy)]
pub(in crate::move_) struct Picked<I> {
    pub dst: *mut u8,
    pub src: *const u8,
    pub rows: Rows,
    pub indices: Indices<I>,
    /// How many rows before it moves a row is fetched; 0: none is.
    pub ahead: usize,
}

/// Lines of so many rows out of a far table are in the second cache no more when they are read again.
const MANY: usize = 1 << 12;

/// Rows of an axis whose last one, which nothing follows, is seldom among those of a block.
const LEAST_AXIS: i64 = 2 * ASKED as i64;

impl<I> Picked<I> {
    /// How many lines of a row of at most one to ask for. It may lie in two.
    fn lines_asked_for(&self) -> usize {
        let found = habits().finds_rows_by_itself.as_ref();
        match found.is_some_and(|found| found.fetches_both_lines) && !self.rows_lie_in_lines() {
            true => 2,
            false => 1,
        }
    }

    /// Whether rows may be moved with some bytes after them: in the result these are of the next row, which is written later, and in the
    /// source too, but for the last row of the axis. Of short axes most blocks pick that one.
    fn may_spill<M: Mover>(&self, _: M) -> bool {
        let (rows, behind) = (&self.rows, M::SPILLING.saturating_sub(self.rows.bytes));
        M::SPILLING > 0
            && self.indices.size >= LEAST_AXIS
            && rows.touch()
            && behind <= rows.bytes
            && behind as isize <= self.indices.scale
    }

    /// Whether every row, of at most a line, lies in one, by what their places are multiples of.
    fn rows_lie_in_lines(&self) -> bool {
        let strides = self.rows.src_stride | self.indices.scale;
        let all = self.src.addr() | strides.cast_unsigned();
        all.is_multiple_of(self.rows.bytes.next_power_of_two())
    }
}

/// How rows of at most a line are found, and how many rows before it moves one of them is fetched; 0: none is.
pub(super) enum Found {
    /// By [`asked_first`].
    AskedFirst { ahead: usize },
    /// By [`in_turn`].
    InTurn { ahead: usize },
    /// By [`alone`].
    Alone,
    /// As places of many, which every row may be.
    InBlocks,
}

impl Found {
    /// The quickest way where blocks would fetch rows `ahead`.
    pub fn of<I: Index>(rows: &Rows, indices: &Indices<I>, ahead: usize) -> Self {
        let packed = indices.are_packed(rows.src_stride);
        let is_line = (LEAST_AHEAD..rows::LEAST_ROW).contains(&rows.bytes);
        let is_far = indices.is_far();
        if let Some(found) = &habits().finds_rows_by_itself
            && packed
            && found.asked.contains(&rows.bytes)
            && (!found.only_many_far || (is_far && rows.count >= MANY))
        {
            let ahead = match rows.bytes {
                LEAST_AHEAD.. if indices.reach() >= found.least_table => found.ahead,
                ..LEAST_AHEAD if is_far => found.ahead,
                _ => 0,
            };
            return Self::AskedFirst { ahead };
        }
        match habits().finds_half_lines() {
            found if is_line && is_far && ahead > 0 && habits().takes_far_rows_in_turn => {
                let ahead = found.map_or(ahead, |found| found.ahead);
                Self::InTurn { ahead }
            }
            Some(_) if is_line && !is_far => Self::Alone,
            _ => Self::InBlocks,
        }
    }
}

/// Moves rows by `row`, each when its index has been read: a few are over before blocks would have been set up. `false`: an index lies
/// outside its axis; its row has not moved.
///
/// # Safety
/// As [`run`](super::run); `row` moves one row.
#[inline(always)]
pub(super) unsafe fn as_read<I: Index>(
    picked: Picked<I>,
    row: impl Fn(*mut u8, *const u8),
) -> bool {
    let Picked { rows, indices, .. } = picked;
    let (mut to, mut from, mut at) = (picked.dst, picked.src, indices.table);
    for _ in 0..rows.count {
        // SAFETY: by the contract of `run`; an index of the type lies there, at any alignment.
        let (place, inside) = indices.place(unsafe { at.read_unaligned() }.into());
        if !inside {
            return false;
        }
        row(to, from.wrapping_offset(place));
        to = to.wrapping_offset(rows.dst_stride);
        from = from.wrapping_offset(rows.src_stride);
        at = at.wrapping_byte_offset(indices.stride);
    }
    true
}

/// As [`as_read`], by a mover.
///
/// # Safety
/// As [`run`](super::run); the mover is for `rows.bytes`.
#[inline(never)]
pub(in crate::move_) unsafe fn alone<I: Index>(mover: impl Mover, picked: Picked<I>) -> bool {
    // SAFETY: by the contract of this function; the row moves only if its index lies in its axis.
    unsafe { as_read(picked, |to, from| mover.run(to, from)) }
}

/// As [`alone`], but vectors test [`ASKED`] indices at once, and count them from the start of the axis: where none is outside, each is read
/// again and used as it is.
///
/// # Safety
/// As [`alone`]; indices are packed, the source stands still.
#[inline(never)]
pub(super) unsafe fn asked_first<I: Index>(
    mover: impl Mover,
    level: Level,
    picked: Picked<I>,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        match (picked.ahead, picked.lines_asked_for()) {
            (0, _) => asked::<0, I>(mover, level, picked),
            (_, 1) => asked::<1, I>(mover, level, picked),
            _ => asked::<2, I>(mover, level, picked),
        }
    }
}

/// As [`asked_first`], with `LINES` lines of each row fetched.
///
/// # Safety
/// As [`asked_first`].
#[inline(always)]
unsafe fn asked<const LINES: usize, I: Index>(
    mover: impl Mover,
    level: Level,
    picked: Picked<I>,
) -> bool {
    let spills = picked.may_spill(mover);
    let Picked {
        dst,
        src,
        rows,
        indices,
        ahead,
    } = picked;
    // SAFETY: by the contract of this function, for the rows of each part; a row moves only if its index lies in its axis, and rows that are
    // fetched are some of those left, so that their indices lie in the table. Rows that spill have another one after them, in the result
    // and in the axis.
    unsafe {
        let fetch = |at| fetch(&indices, at, src, rows.bytes, LINES);
        (0..ahead.min(rows.count)).for_each(|k| fetch(indices.table.add(k)));
        let mut room = [const { MaybeUninit::uninit() }; ASKED];
        let mut done = 0;
        while done < rows.count {
            let later = indices.table.wrapping_add(done + ahead);
            let indices = indices.from(done);
            let count = ASKED.min(rows.count - done);
            let fetched = ASKED.min((rows.count - done).saturating_sub(ahead));
            let some = Picked {
                dst: dst.wrapping_offset(done as isize * rows.dst_stride),
                rows: Rows { count, ..rows },
                indices,
                ..picked
            };
            let fetch = |k| fetch(later.add(k));
            let row = |to, from| mover.run(to, from);
            let is_whole = fetched == ASKED;
            let spills = spills && is_whole && count < rows.count - done;
            if spills && indices.count_from_start(level, indices.size - 1) {
                from_start(some, fetch, |to, from| mover.spill(to, from));
            } else if is_whole && indices.count_from_start(level, indices.size) {
                from_start(some, fetch, row);
            } else if is_whole && let Some(indices) = indices.wrapped_at_once(level, &mut room) {
                let spills = spills && indices.count_from_start(level, indices.size - 1);
                wrapped(mover, Picked { indices, ..some }, fetch, spills);
            } else {
                (0..fetched).for_each(fetch);
                if !as_read(some, row) {
                    return false;
                }
            }
            done += count;
        }
    }
    true
}

/// As [`from_start`], by a mover that may spill. Loops of its own: with other indices in their place, those that lie in the table would take half
/// as long again.
///
/// # Safety
/// As [`from_start`]; if rows spill, another one comes after each, in the result and in the axis.
#[inline(always)]
unsafe fn wrapped<I: Index>(
    mover: impl Mover,
    picked: Picked<I>,
    fetch: impl Fn(usize),
    spills: bool,
) {
    // SAFETY: by the contract of this function.
    unsafe {
        match spills {
            true => from_start(picked, fetch, |to, from| mover.spill(to, from)),
            false => from_start(picked, fetch, |to, from| mover.run(to, from)),
        }
    }
}

/// [`ASKED`] rows by `row`; `fetch` is called with the number of each.
///
/// # Safety
/// As [`as_read`], for indices that [count from the start](Indices::count_from_start) of the axis.
#[inline(always)]
unsafe fn from_start<I: Index>(
    picked: Picked<I>,
    fetch: impl Fn(usize),
    row: impl Fn(*mut u8, *const u8),
) {
    let mut to = picked.dst;
    // SAFETY: by the contract of this function.
    unsafe {
        picked.indices.each_from_start(|k, place| {
            fetch(k);
            row(to, picked.src.offset(place));
            to = to.wrapping_offset(picked.rows.dst_stride);
        });
    }
}

/// Asks for `lines` lines, up to two, of the row of the index at a place, counted from `from`.
///
/// # Safety
/// An index lies there, unless no line is asked for.
#[inline(always)]
unsafe fn fetch<I: Index>(
    indices: &Indices<I>,
    at: *const I,
    from: *const u8,
    bytes: usize,
    lines: usize,
) {
    if lines == 0 {
        return;
    }
    // SAFETY: by the contract of this function; at any alignment. An index that lies outside is no address: a prefetch reads none.
    let (place, _) = indices.place(unsafe { at.read_unaligned() }.into());
    let row = from.wrapping_offset(place);
    prefetch::line(row);
    if lines > 1 {
        prefetch::line(row.wrapping_add(bytes - 1));
    }
}

/// Moves rows of at most a line out of a far table, fetched `ahead`: while a block of indices were turned into places, nothing would be on
/// its way. An index is read again when its row moves, which takes less than to keep its place. `false`: an index lies outside its axis; its
/// row has not moved.
///
/// # Safety
/// As [`run`](super::run); the mover is for `rows.bytes`.
#[inline(never)]
pub(super) unsafe fn in_turn<I: Index>(mover: impl Mover, level: Level, picked: Picked<I>) -> bool {
    // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
    unsafe {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => in_turn_avx2(mover, picked),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Kind::Neon => in_turn_any(mover, picked),
            Kind::Scalar => in_turn_any(mover, picked),
        }
    }
}

/// # Safety
/// As [`in_turn`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn in_turn_avx2<I: Index>(mover: impl Mover, picked: Picked<I>) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { in_turn_any(Wide(mover), picked) }
}

/// # Safety
/// As [`in_turn`].
#[inline(always)]
unsafe fn in_turn_any<I: Index>(mover: impl Mover, picked: Picked<I>) -> bool {
    let Picked {
        dst,
        src,
        rows,
        indices,
        ahead,
    } = picked;
    // SAFETY: by the contract of this function, for as many indices as there are rows; at any alignment.
    let place = |at: *const I| indices.place(unsafe { at.read_unaligned() }.into());
    let lines = picked.lines_asked_for();
    let fetch = |k: usize| {
        let row = src.wrapping_offset(k as isize * rows.src_stride);
        // SAFETY: by the contract of this function.
        unsafe { fetch(&indices, indices.from(k).table, row, rows.bytes, lines) };
    };
    let fetches_written = habits().fetches_written;
    // Steps, where products for each row took up to a tenth longer.
    let (mut to, mut at, mut row) = (dst, indices.table, src);
    let mut move_next = || {
        let (place, inside) = place(at);
        if !inside {
            return false;
        }
        if fetches_written {
            prefetch::next_to_write(to);
        }
        // SAFETY: this is one of the runs, and its index lies in the axis.
        unsafe { mover.run(to, row.wrapping_offset(place)) };
        to = to.wrapping_offset(rows.dst_stride);
        row = row.wrapping_offset(rows.src_stride);
        at = at.wrapping_byte_offset(indices.stride);
        true
    };
    let ahead = ahead.min(rows.count);
    (0..ahead).for_each(fetch);
    for k in ahead..rows.count {
        fetch(k);
        if !move_next() {
            return false;
        }
    }
    (0..ahead).all(|_| move_next())
}
