//! Nests that a Move does better than loops of the compiler's own: vectors by the processor that is there, streamed stores, prefetches.
//!
//! What is written is a `static` of [`crate::fixed`] that keeps the schedule, and its call with the numbers.

use super::Emitter;
use super::call::Call;
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::elem::ElementType;
use crate::fixed::MOST_TABLES;
use crate::nest::schedule::{LookedUp, Move, Row, Schedule, Strided, constant_in};
use crate::nest::{LoopNest, Source};
use crate::plan::{Check, PlannedNest};
use crate::range::Progression;
use crate::shuffle::Pattern;
use crate::steps;
use alloc::{format, string::String, vec, vec::Vec};
use core::ops::RangeInclusive;

/// Bytes from which a Move pays for its call where compilers make scalar loops.
const SCALAR: usize = 1 << 10;

/// The same where compilers make vectors or calls of `memcpy`: from here on the caches decide.
const VECTOR: usize = 1 << 16;

/// What runs one by one cost at least, as [`Pattern::cost_of_runs`] counts, where a shuffle pays for its call: 256 of 4 bytes.
const RUNS: usize = 1 << 10;

/// The same of units of one byte or two, of which a vector has more.
const NARROW_RUNS: usize = 1 << 9;

/// Bytes from which a Move pays where single bytes are read backwards.
const BACKWARDS: usize = 1 << 8;

/// Shorter loops are not worth vectors to compilers.
const LEAST_TURNS: usize = 8;

/// Rows that pay for a call, where compilers would test each index of a table, and move rows one by one: they unroll shorter loops.
const LEAST_PICKED: usize = 40;

/// Rows that pay for their list, where compilers move them one by one: from each start of their turns, and in all.
const LEAST_OF_START: usize = 32;
const LEAST_LISTED: usize = 1 << 11;

/// Bytes of the widest of these: wider ones are copied as quickly where they are found.
const WIDEST_LISTED: usize = 16;

/// Bytes of runs that compilers move by vectors of 16, where a Move has wider ones.
const WIDE_RUNS: RangeInclusive<usize> = 64..=128;

/// Bytes of a result of such runs from which a Move pays for its call.
const LEAST_WIDE: usize = 2 << 10;

/// Bytes of a result that no Move pays for.
const LEAST: usize = 64;

/// Indices of a constant table at most.
const INDICES: usize = 1 << 13;

/// The parts of a nest that its kinds differ in, as text.
struct Kind {
    name: &'static str,
    /// The function that runs it.
    run: &'static str,
    /// Generic arguments.
    generics: String,
    sources: Vec<Buffer>,
    numbers: String,
    /// What the function takes after them.
    rest: Option<String>,
}

/// Whether `bytes` bytes of a pattern are quicker by a shuffle than in loops of the compiler's own, with AVX-512 and with AVX2 taken
/// together: the text does not know which it will meet.
fn pays_as_shuffle(nest: &LoopNest, pattern: &Pattern, bytes: usize) -> bool {
    let cost = bytes / pattern.period() * pattern.cost_of_runs();
    match (compilers_make_vectors(nest), pattern.unit()) {
        (true, 1) => bytes >= BACKWARDS,
        (true, 2) => bytes >= SCALAR,
        (true, _) => bytes >= VECTOR,
        (false, 1 | 2) => cost >= NARROW_RUNS,
        (false, _) => cost >= RUNS,
    }
}

/// Bytes from which a Move pays for runs at constant distances.
fn least_of_runs(runs: &Strided) -> usize {
    match runs.bytes {
        bytes if WIDE_RUNS.contains(&bytes) => LEAST_WIDE,
        _ => VECTOR,
    }
}

/// Whether rows that several tables lead to are quicker by a Move, which lists them, than in loops of the compiler's own.
fn pays_from_starts(schedule: &Schedule, runs: &LookedUp, bytes: usize) -> bool {
    let (of_start, all) = schedule.rows_of_starts(runs);
    match runs.bytes {
        ..=WIDEST_LISTED => of_start >= LEAST_OF_START && all >= LEAST_LISTED,
        _ => bytes >= VECTOR,
    }
}

/// Whether compilers make vectors of the loops of a nest: of elements that are read backwards, and of every second one in a single loop.
/// These are as quick as those of a shuffle, and begin sooner.
pub(super) fn compilers_make_vectors(nest: &LoopNest) -> bool {
    let (strides, extents) = (&nest.src().strides[..], nest.extents());
    let is_backwards = strides.last() == Some(&-1) && extents.last() >= Some(&LEAST_TURNS);
    let is_wide = nest.element_type().size() >= 4;
    nest.block() == 1 && (is_backwards || (is_wide && *strides == [2]))
}

impl Emitter<'_> {
    /// The nest as a Move if that pays. `checks` are those of its indices that nothing has looked at.
    pub(super) fn by_move(&mut self, planned: &PlannedNest, checks: &[&Check]) -> Option<Call> {
        let nest = planned.nest();
        if !self.pays(planned) {
            return None;
        }
        let kind = match (nest.source(), &nest.src().lookups[..]) {
            (Source::Range(values), []) => self.fill(nest, values),
            // [`Self::pays`] admits none.
            (Source::Range(_), _) => return None,
            (Source::Buffer(source), []) => self.copy(nest, source),
            (Source::Buffer(source), [lookup]) => self.gather(nest, source, lookup, checks)?,
            (Source::Buffer(source), lookups) => self.gathers(nest, source, lookups, checks)?,
        };
        let path = format!("{}::__private::{}", self.wanted.root, kind.name);
        let kept = format!("{}NEST{}", self.constants.prefix(), self.statics);
        self.statics += 1;
        self.describe(nest);
        let generics = kind.generics;
        self.line(format_args!(
            "static {kept}: {path}<{generics}> = {path}::new();"
        ));
        Some(Call {
            name: String::from(kind.run),
            sources: kind.sources,
            scratch: planned.scratch(),
            numbers: match kind.rest {
                None => format!("&{kept}, {}", kind.numbers),
                Some(rest) => format!("&{kept}, {}, {rest}", kind.numbers),
            },
            fallible: !checks.is_empty(),
        })
    }

    /// Whether the nest is one that a Move can do, and better. A text is run by other machines than the one that writes it, so the Move is
    /// that of the shortest vectors, whatever those of this one are.
    pub(super) fn pays(&self, planned: &PlannedNest) -> bool {
        let nest = planned.nest();
        let bytes = nest.element_count() * nest.element_type().size();
        let lookups = &nest.src().lookups;
        let has_tables = match nest.source() {
            Source::Range(_) => lookups.is_empty(),
            Source::Buffer(_) => {
                let mut each = lookups.iter();
                lookups.len() <= MOST_TABLES && each.all(|lookup| lookup.access.is_affine())
            }
        };
        if bytes < LEAST || !has_tables || self.is_const() {
            return false;
        }
        let known = constant_in(self.plan.constants());
        let best = planned.schedule();
        let schedule = best.and_then(|best| Schedule::for_any_level(best, nest, &known));
        schedule.is_some_and(|schedule| match schedule.inner() {
            Move::Shuffle(periods) => pays_as_shuffle(nest, periods.shuffle.pattern(), bytes),
            Move::Lookup(runs) if lookups.len() > 1 => pays_from_starts(&schedule, runs, bytes),
            Move::Lookup(picks) => {
                let are_given = !matches!(picks.lookup.table, Buffer::Constant(_));
                let are_runs = are_given && picks.row == Row::Run;
                bytes >= SCALAR || are_runs && picks.count >= LEAST_PICKED
            }
            Move::Fill(_) => bytes >= SCALAR,
            Move::Strided(runs) => bytes >= least_of_runs(runs),
            Move::Copy { .. } => bytes >= VECTOR,
        })
    }

    fn copy(&self, nest: &LoopNest, source: Buffer) -> Kind {
        Kind {
            name: "Nest",
            run: "nest",
            generics: self.element(nest.element_type()),
            sources: vec![source],
            numbers: copied(nest),
            rest: None,
        }
    }

    fn fill(&self, nest: &LoopNest, values: Progression) -> Kind {
        let values = match values {
            Progression::I16(start, delta) => format!("I16({start}, {delta})"),
            Progression::I32(start, delta) => format!("I32({start}, {delta})"),
            Progression::I64(start, delta) => format!("I64({start}, {delta})"),
            Progression::F32(start, delta) => format!("F32({start:#010x}, {delta:#010x})"),
            Progression::F64(start, delta) => format!("F64({start:#018x}, {delta:#018x})"),
        };
        Kind {
            name: "Fill",
            run: "fill",
            generics: self.element(nest.element_type()),
            sources: Vec::new(),
            numbers: format!(
                "{:?}, {}::__private::Progression::{values}, {}, {:?}, {}",
                nest.extents(),
                self.wanted.root,
                nest.src().offset,
                nest.src().strides,
                side(nest.destination_len(), nest.dst())
            ),
            rest: None,
        }
    }

    /// `None` where the indices are not looked at as a whole.
    fn gather(
        &mut self,
        nest: &LoopNest,
        source: Buffer,
        lookup: &Lookup,
        checks: &[&Check],
    ) -> Option<Kind> {
        let (index, run, sources, rest) = match lookup.table {
            Buffer::Constant(at) => {
                let rest = self.checked(at, lookup.size)?;
                (ElementType::I64, "gather_fixed", vec![source], rest)
            }
            Buffer::Operand(_) | Buffer::Scratch(_) => {
                let index = match lookup.index {
                    IndexType::I32 => ElementType::I32,
                    IndexType::I64 => ElementType::I64,
                };
                let sources = vec![source, lookup.table];
                (index, "gather", sources, Self::origin(checks.first()?, ""))
            }
        };
        let (ty, index) = (self.element(nest.element_type()), self.element(index));
        Some(Kind {
            name: "Gather",
            run,
            generics: format!("{ty}, {index}"),
            sources,
            numbers: format!("{}, {}", copied(nest), self.looked_up(lookup)),
            rest: Some(rest),
        })
    }

    /// By several tables, in the order of their checks, which is that of refusals; those that need none come first.
    fn gathers(
        &mut self,
        nest: &LoopNest,
        source: Buffer,
        lookups: &[Lookup],
        checks: &[&Check],
    ) -> Option<Kind> {
        let check_of = |lookup: &Lookup| {
            let mut checks = checks.iter();
            checks.position(|check| self.is_whole(check, lookup))
        };
        // All of them are found before the first constant has a name, which nothing would read if the nest has loops after all.
        let found = lookups.iter().map(|lookup| match lookup.table {
            Buffer::Constant(at) => self
                .is_fixed_table(at, lookup.size)
                .then_some((None, lookup)),
            Buffer::Operand(_) | Buffer::Scratch(_) => Some((Some(check_of(lookup)?), lookup)),
        });
        let mut tables = found.collect::<Option<Vec<_>>>()?;
        tables.sort_by_key(|(check, _)| *check);
        let root = self.wanted.root;
        let (mut numbers, mut indices) = (Vec::new(), Vec::new());
        for (check, lookup) in tables {
            numbers.push(format!("({})", self.looked_up(lookup)));
            indices.push(match (lookup.table, check) {
                (Buffer::Constant(at), _) => {
                    let known = self.checked(at, lookup.size)?;
                    match checks {
                        [] => known,
                        _ => format!("{root}::__private::Indices::Known({known})"),
                    }
                }
                (table, check) => {
                    let (table, origin) =
                        (self.reference(table), Self::origin(checks[check?], "&"));
                    format!("{root}::__private::given({table}, {origin})")
                }
            });
        }
        Some(Kind {
            name: "Gathers",
            run: if checks.is_empty() {
                "gathers_fixed"
            } else {
                "gathers"
            },
            generics: self.element(nest.element_type()),
            sources: vec![source],
            numbers: format!("{}, [{}]", copied(nest), numbers.join(", ")),
            rest: Some(format!("[{}]", indices.join(", "))),
        })
    }

    /// A constant as a table whose indices the compiler checks; `None` if it is long, or not all of it lies within the axis.
    fn checked(&mut self, constant: usize, size: i64) -> Option<String> {
        if !self.is_fixed_table(constant, size) {
            return None;
        }
        let (root, table) = (self.wanted.root, self.integers(constant));
        Some(format!(
            "const {{ {root}::__private::Checked::fixed({table}, {size}) }}"
        ))
    }

    /// What indices add: a scale and the size of the axis, then the table.
    fn looked_up(&self, lookup: &Lookup) -> String {
        let table = side(self.len(lookup.table), &lookup.access);
        format!("[{}, {}], {table}", lookup.scale, lookup.size)
    }

    /// Whether a constant is short enough for a table of indices, and all of it lies within the axis: an element that is never selected
    /// may be anything.
    fn is_fixed_table(&self, constant: usize, size: i64) -> bool {
        let table = &self.plan.constants()[constant];
        table.len() <= INDICES
            && steps::find_outside(table.as_input(), steps::Row::all(table.len()), size).is_none()
    }

    /// Checks and the nest after them, if that is a Move that looks at all indices of their tables.
    pub(super) fn checked_by_move(
        &mut self,
        checks: &[&Check],
        planned: &PlannedNest,
    ) -> Option<Call> {
        let lookups = &planned.nest().src().lookups;
        let is_looked_at = |check: &&Check| lookups.iter().any(|one| self.is_whole(check, one));
        let all = checks.iter().all(is_looked_at);
        all.then(|| self.by_move(planned, checks))?
    }
}

/// The loops, the block, source and destination.
fn copied(nest: &LoopNest) -> String {
    let (from, to) = (
        side(nest.source_len(), nest.src()),
        side(nest.destination_len(), nest.dst()),
    );
    format!("{:?}, {}, {from}, {to}", nest.extents(), nest.block())
}

/// The length of a buffer and where loops start in it, what a turn of each adds.
fn side(len: usize, access: &Access) -> String {
    format!("[{len}, {}], {:?}", access.offset, access.strides)
}
