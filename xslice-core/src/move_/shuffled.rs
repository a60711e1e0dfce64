//! Running a Shuffle: rows of periods, by the widest tables that pay.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;

use super::cache::Cache;
use super::copy::{self, Rows};
use super::prefetch;
use crate::access::widen;
use crate::elem::Element;
#[cfg(target_arch = "x86_64")]
use crate::elem::ElementType;
use crate::fixed::Vectors;
#[cfg(target_arch = "x86_64")]
use crate::level::Kind;
use crate::level::Level;
use crate::nest::schedule::{LookedUp, Periods, Schedule};
#[cfg(target_arch = "x86_64")]
use crate::shuffle::Tables;
use crate::shuffle::{KnownRows, Pattern, RowLoop, RowLoops, Shuffle};
use alloc::sync::Arc;
#[cfg(target_arch = "x86_64")]
use avx512::{picked, short};
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use core::arch::aarch64::uint8x16_t as Vector;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::__m128i as Vector;
use core::ops::Range;

/// A run of periods, and the operand around its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub dst: *mut u8,
    pub src: *const u8,
    /// Bytes to write, whole periods.
    pub bytes: usize,
    /// The operand's first byte, and the one after its last.
    pub low: *const u8,
    pub high: *const u8,
}

/// Where rows begin, counted from one place in the source: those that move, and those after them that are known.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub each: &'a [isize],
    /// Where they lie in the destination, counted likewise, and their distance is 0; `None`: at their distance.
    pub to: Option<&'a [isize]>,
    /// How many rows before it moves a row is fetched; 0: none is.
    pub ahead: usize,
}

impl Places<'_> {
    /// Row `k` of rows that are counted from `first`.
    #[inline(always)]
    pub fn row(&self, first: &Run, k: usize, rows: &Rows) -> Run {
        let to = self.to.map(|to| to[k]);
        let to = to.unwrap_or(k as isize * rows.dst_stride);
        Run {
            dst: first.dst.wrapping_offset(to),
            src: first.src.wrapping_offset(self.each[k]),
            ..*first
        }
    }

    /// Asks for what the row `ahead` of row `k` reads, `reach` bytes from its place, and for a line past `dst` that is written soon.
    #[inline(always)]
    pub fn fetch(&self, k: usize, src: *const u8, reach: (isize, isize), dst: *mut u8) {
        if let Some(&next) = self.each.get(k + self.ahead) {
            let next = src.wrapping_offset(next + reach.0);
            prefetch::row(next, (reach.1 - reach.0).unsigned_abs());
        }
        prefetch::next_to_write(dst);
    }
}

impl Shuffle {
    /// Moves `count` periods from `src` to `dst`; `operand` is the buffer that `src` points into.
    ///
    /// # Safety
    /// Every byte that the pattern names for these periods lies in `operand`, which is readable; as many bytes as the periods have are
    /// writable from `dst` on and do not overlap it.
    #[inline(never)]
    pub unsafe fn run(
        &self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        count: usize,
        operand: Range<*const u8>,
    ) {
        let row = row_of(self.pattern(), count);
        // SAFETY: by the contract of this function.
        unsafe { self.rows(level, dst, src, row, operand) }
    }

    /// How a level moves short rows of `count` periods, by loads that lie inside the operand, which `holds` says of what they read, where it
    /// has no masks.
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon")
        )),
        expect(unused_variables, reason = "there are no such vectors")
    )]
    pub(super) fn known(
        &self,
        level: Level,
        count: usize,
        loops: RowLoops,
        holds: impl Fn((isize, isize)) -> bool,
    ) -> Option<KnownRows> {
        let pattern = self.pattern();
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx512
            && (loops.count() > 1 && count == 1)
            && let Some(tables) = self.alone_in_one_vector()
        {
            let rows = avx512::alone::known(level, pattern.period(), tables, loops);
            if holds(rows.reach_of_all) {
                return Some(rows);
            }
        }
        let rows = if loops.is_one() { loops.count() } else { 1 };
        match self.tables_of_rows(level, rows) {
            #[cfg(target_arch = "x86_64")]
            (Some(wide), _) => avx512::known::known((level, count), pattern, wide, loops, holds),
            #[cfg(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_feature = "neon")
            ))]
            (None, Some(narrow)) => {
                let tables = narrow.of_rows(count * pattern.period());
                lanes::known::known::<Vector>((level, count), pattern, tables, loops, holds)
            }
            _ => None,
        }
    }

    /// Moves rows that are known, the first from `src` to `dst`.
    ///
    /// # Safety
    /// As [`Shuffle::run`], for each of the rows; `known` was found for this shuffle.
    #[inline(always)]
    pub(super) unsafe fn run_known(
        &self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        known: &KnownRows,
        operand: Range<*const u8>,
    ) {
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            match known.level == level {
                true => (known.moved_by)(self, dst, src, known, operand.start, operand.end),
                false => self.run_unknown(level, dst, src, known, operand),
            }
        }
    }

    /// The same by another level than the one that they are known for.
    ///
    /// # Safety
    /// As [`Shuffle::run_known`].
    #[cold]
    #[inline(never)]
    unsafe fn run_unknown(
        &self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        known: &KnownRows,
        operand: Range<*const u8>,
    ) {
        let rows = known.rows();
        known.loops.outer(|to, from| {
            let (dst, src) = (dst.wrapping_offset(to), src.wrapping_offset(from));
            // SAFETY: by the contract of this function.
            unsafe { self.rows(level, dst, src, rows, operand.clone()) }
        });
    }

    /// Moves rows of whole periods; `operand` is the buffer that `src` points into.
    ///
    /// # Safety
    /// As [`Shuffle::run`], for each of the rows.
    pub(super) unsafe fn rows(
        &self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        rows: Rows,
        operand: Range<*const u8>,
    ) {
        let pattern = self.pattern();
        let run = Run::new(dst, src, rows.bytes, operand);
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if let Some((lines, vectors)) = self.lines(level, &rows) {
                let row = |k| avx512::wide(&run.row(k, rows), pattern, lines, vectors);
                return (0..rows.count).for_each(row);
            }
            let tables = self.tables_of_rows(level, rows.count);
            #[cfg(target_arch = "x86_64")]
            if let (Some(wide), _) = tables
                && short::takes(run.bytes, wide)
                && short::run(&run, pattern, wide, &rows)
            {
                return;
            }
            match tables {
                #[cfg(target_arch = "x86_64")]
                (Some(wide), _) => {
                    let row = |k| avx512::wide(&run.row(k, rows), pattern, wide, avx512::vectors);
                    (0..rows.count).for_each(row);
                }
                #[cfg(any(
                    target_arch = "x86_64",
                    all(target_arch = "aarch64", target_feature = "neon")
                ))]
                (_, Some(narrow)) => {
                    let tables = narrow.of_rows(rows.bytes);
                    lanes::rows::<Vector>(&run, pattern, tables, rows);
                }
                _ => (0..rows.count).for_each(|k| units(&run.row(k, rows), pattern, 0..run.bytes)),
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Shuffle {
    /// The tables whose tiles are whole lines, and what moves these, for rows so long that it is quicker.
    fn lines(&self, level: Level, rows: &Rows) -> Option<(&Tables<64>, avx512::Vectors)> {
        let pattern = self.pattern();
        match level.kind() {
            Kind::Avx512 if avx512::streams(pattern, rows) => {
                Some((self.whole()?, avx512::streamed))
            }
            Kind::Avx512 if avx512::goes_by_lines(rows) => {
                let lines = self
                    .whole()
                    .filter(|lines| avx512::has_registers_for(lines))?;
                Some((lines, avx512::vectors))
            }
            _ => None,
        }
    }
}

impl Shuffle {
    /// Whether [`Shuffle::rows_from`] moves such rows by vectors, wherever they lie in the destination.
    pub(super) fn moves_anywhere(&self, level: Level, rows: &Rows) -> bool {
        #[cfg(target_arch = "x86_64")]
        if level.kind() == Kind::Avx512 && avx512::streams(self.pattern(), rows) {
            return false;
        }
        let _ = rows;
        let (wide, narrow) = self.tables(level);
        wide.is_some() || narrow.is_some()
    }

    /// Moves rows of whole periods, the next one from each of the places, counted from `src`.
    ///
    /// # Safety
    /// As [`Shuffle::run`], for each of the rows.
    pub(super) unsafe fn rows_from(
        &self,
        level: Level,
        dst: *mut u8,
        src: *const u8,
        rows: Rows,
        places: Places<'_>,
        operand: Range<*const u8>,
    ) {
        let pattern = self.pattern();
        let run = Run::new(dst, src, rows.bytes, operand);
        // SAFETY: by the contract of this function; holding `level` is the proof that the processor has its instructions.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if level.kind() == Kind::Avx512
                && let Some(wide) = self.wide()
                && short::takes(run.bytes, wide)
                && picked::run(&run, pattern, wide, &rows, places)
            {
                return;
            }
            let row = |k: usize| places.row(&run, k, &rows);
            let each = 0..rows.count;
            match self.tables(level) {
                #[cfg(target_arch = "x86_64")]
                (Some(wide), _) => {
                    each.for_each(|k| avx512::wide(&row(k), pattern, wide, avx512::vectors));
                }
                #[cfg(any(
                    target_arch = "x86_64",
                    all(target_arch = "aarch64", target_feature = "neon")
                ))]
                (_, Some(narrow)) => {
                    let tables = narrow.of_rows(rows.bytes);
                    lanes::rows_from::<Vector>(&run, pattern, tables, rows, places);
                }
                _ => each.for_each(|k| {
                    let row = row(k);
                    if places.ahead > 0 {
                        places.fetch(k, src, (0, rows.bytes as isize), row.dst);
                    }
                    units(&row, pattern, 0..run.bytes);
                }),
            }
        }
    }
}

/// Moves known rows as if they were not.
///
/// # Safety
/// As [`Shuffle::run_known`].
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon")
))]
#[cold]
#[inline(never)]
unsafe fn move_anyhow(
    shuffle: &Shuffle,
    dst: *mut u8,
    src: *const u8,
    known: &KnownRows,
    low: *const u8,
    high: *const u8,
) {
    // SAFETY: by the contract of this function.
    unsafe { shuffle.run_unknown(known.level, dst, src, known, low..high) }
}

/// Moves rows that the compiler knows; `false`, and nothing has moved, if the processor has no vectors of 64 bytes, or the slices are not as
/// long as the rows say.
#[inline]
pub fn by_vectors<
    T: Element,
    R: Vectors<VECTORS, LOADS>,
    const VECTORS: usize,
    const LOADS: usize,
>(
    src: &[T],
    dst: &mut [T],
    _: R,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if Level::best().kind() == Kind::Avx512
        && [size_of_val(dst), size_of_val(src)] == const { R::ROWS.lens }
        && T::TYPE != ElementType::String
    {
        // SAFETY: the level is the proof that the processor has the instructions; the constructor of the rows has proved that these lie inside
        // buffers of these lengths (I3).
        unsafe {
            avx512::fixed::rows::<R, VECTORS, LOADS>(dst.as_mut_ptr().cast(), src.as_ptr().cast());
        }
        return true;
    }
    let _ = (dst, src);
    false
}

impl KnownRows {
    /// Those of the innermost loop.
    fn rows(&self) -> Rows {
        let RowLoop { turns, apart } = self.loops.inner();
        Rows {
            count: turns,
            bytes: self.bytes,
            dst_stride: apart.0,
            src_stride: apart.1,
            cache: Cache::Near,
        }
    }
}

impl Run {
    #[inline(always)]
    fn new(dst: *mut u8, src: *const u8, bytes: usize, operand: Range<*const u8>) -> Self {
        Self {
            dst,
            src,
            bytes,
            low: operand.start,
            high: operand.end,
        }
    }

    /// Row `k` of rows whose first is this.
    pub(super) fn row(&self, k: usize, rows: Rows) -> Self {
        Self {
            dst: self.dst.wrapping_offset(k as isize * rows.dst_stride),
            src: self.src.wrapping_offset(k as isize * rows.src_stride),
            ..*self
        }
    }
}

/// A row of so many periods, which is all that is moved.
fn row_of(pattern: &Pattern, count: usize) -> Rows {
    let bytes = count * pattern.period();
    Rows::one(bytes, Cache::of(bytes))
}

/// How the best level moves all rows of a schedule whose Move these are, and the shuffle that it moves them by if that is another one.
/// Tables of whole lines are built where it moves by these.
pub(super) fn known(
    schedule: &Schedule,
    periods: &Periods,
) -> (Option<KnownRows>, Option<Arc<Shuffle>>) {
    let shuffle = &periods.shuffle;
    #[cfg(target_arch = "x86_64")]
    {
        let rows = Rows::one(periods.bytes(), schedule.cache());
        shuffle.lines(Level::best(), &rows);
    }
    // Where an index says where a run begins, each call sees whether it is inside.
    let (at, is_affine) = (schedule.src().offset.into(), schedule.src().is_affine());
    let holds = |reach| !is_affine || periods.hold((at, at), reach);
    let (cache, loops) = match is_affine {
        true => {
            let (dst, src) = (&schedule.dst().strides, &schedule.src().strides);
            let loops = RowLoops::new(schedule.extents(), dst, src);
            (schedule.cache(), loops)
        }
        false => {
            let row = row_of(shuffle.pattern(), periods.count);
            (row.cache, Some(RowLoops::ONE))
        }
    };
    match loops.filter(|_| cache == Cache::Near) {
        Some(loops) => known_inside(shuffle, periods.count, loops, holds),
        None => (None, None),
    }
}

/// The same of the rows in all turns of the loops inside the first so many, each of which begins where indices say: a call sees whether what
/// vectors read is inside.
pub(super) fn known_from(
    first: usize,
    schedule: &Schedule,
    periods: &Periods,
) -> Option<KnownRows> {
    if schedule.cache() != Cache::Near {
        return None;
    }
    let (dst, src) = (&schedule.dst().strides, &schedule.src().strides);
    let loops = RowLoops::new(&schedule.extents()[first..], &dst[first..], &src[first..])?;
    let (level, shuffle) = (Level::best(), &periods.shuffle);
    let known = shuffle.known(level, periods.count, loops, |_| true);
    known.filter(KnownRows::have_vectors)
}

/// The shuffle of the same rows all of whose loads lie inside the operand, whatever the indices are that pick them, where those of `periods`
/// do not and there is one.
pub(super) fn inside_for_all(
    schedule: &Schedule,
    picks: &LookedUp,
    periods: &Periods,
) -> Option<Arc<Shuffle>> {
    let places = schedule.src().span(schedule.extents());
    let places = widen(places, picks.src_stride, picks.count as i128);
    let places = widen(places, picks.lookup.scale, picks.lookup.size.into());
    let holds = |reach| periods.hold(places, reach);
    known_inside(&periods.shuffle, periods.count, RowLoops::ONE, holds).1
}

impl Periods {
    /// Whether the operand has all bytes that a row reaches from each of some places, of which these are the lowest and the highest.
    fn hold(&self, (lowest, highest): (i128, i128), (first, last): (isize, isize)) -> bool {
        lowest.saturating_add(first as i128) >= 0
            && highest.saturating_add(last as i128) <= self.source_bytes as i128
    }
}

/// How the best level moves rows of `count` periods, and the shuffle that it moves them by if that is another one of the same bytes: one
/// whose loads all lie inside the operand, which `holds` says of what they read, where those of the first do not.
fn known_inside(
    shuffle: &Shuffle,
    count: usize,
    loops: RowLoops,
    holds: impl Fn((isize, isize)) -> bool,
) -> (Option<KnownRows>, Option<Arc<Shuffle>>) {
    let level = Level::best();
    let is_inside = |rows: &KnownRows| rows.have_vectors() && holds(rows.reach_of_all);
    let found = shuffle.known(level, count, loops, &holds);
    if found.as_ref().is_some_and(is_inside) {
        return (found, None);
    }
    let holds_all = |reach| holds(loops.reach(reach));
    let better = shuffle
        .by_other_loads(level, count, holds_all)
        .find_map(|other| {
            let rows = other.known(level, count, loops, &holds).filter(is_inside)?;
            Some((rows, other))
        });
    match better {
        Some((rows, other)) => (Some(rows), Some(other)),
        None => (found, None),
    }
}

/// Periods before a vector of the result begins, a power of two of bytes up to 64; 0 where one begins at `dst`, or none where a period
/// begins.
#[cfg(target_arch = "x86_64")]
fn periods_to<const VECTOR: usize>(dst: *mut u8, period: usize) -> usize {
    let bytes = dst.addr().wrapping_neg() % VECTOR;
    let twos = period.trailing_zeros().min(VECTOR.ilog2());
    if !bytes.is_multiple_of(1 << twos) {
        return 0;
    }
    // What is odd has an inverse modulo powers of two: itself modulo 8, and this modulo 64.
    let odd = period >> twos;
    let inverse = odd.wrapping_mul(2_usize.wrapping_sub(odd.wrapping_mul(odd)));
    (bytes >> twos).wrapping_mul(inverse) % (VECTOR >> twos)
}

/// Moves bytes `at` of a run unit by unit; `at` begins and ends with a unit.
///
/// # Safety
/// As [`Shuffle::run`].
unsafe fn units(run: &Run, pattern: &Pattern, at: Range<usize>) {
    macro_rules! each {
        ($unit:literal) => {{
            let period = pattern.period();
            let (mut within, mut place) = (at.start % period, pattern.place(at.start));
            for at in at.step_by($unit) {
                let from = run
                    .src
                    .wrapping_offset(place + pattern.offsets()[within] as isize);
                debug_assert!(
                    run.low <= from && from.wrapping_add($unit) <= run.high,
                    "I3"
                );
                // SAFETY: by the contract of `Shuffle::run`.
                unsafe { copy::fixed::<$unit>(run.dst.add(at), from) };
                within += $unit;
                if within == period {
                    within = 0;
                    place += pattern.src_stride() as isize;
                }
            }
        }};
    }
    match pattern.unit() {
        8 => each!(8),
        4 => each!(4),
        2 => each!(2),
        _ => each!(1),
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::periods_to;

    #[test]
    fn periods_to_a_vector_are_the_fewest() {
        for (period, at) in (1..=130).flat_map(|period| (0..64).map(move |at| (period, at))) {
            let fewest = |vector| {
                let mut turns = 0..vector;
                let found = turns.find(|turns| (at + turns * period) % vector == 0);
                found.unwrap_or(0)
            };
            let dst = core::ptr::without_provenance_mut(at);
            assert_eq!(periods_to::<32>(dst, period), fewest(32), "{period} {at}");
            assert_eq!(periods_to::<64>(dst, period), fewest(64), "{period} {at}");
        }
    }
}
