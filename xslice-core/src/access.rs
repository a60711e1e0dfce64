//! Positions as linear functions of loop counters, some of them through index tables.
//!
//! An [`Access`] is `offset + sum of stride[k] * i[k] + sum of scale * wrap(table[access])`: affine, or affine through tables, whose
//! own positions are accesses again (`x[@a][@b]` is `x[a[b]]`). Maps, nests and checks are all made of it, and everything
//! that composes or rewrites them is one of the few operations here: substitute, map the strides, compare them.

use crate::elem::ElementType;
use crate::index::wrapped;
use crate::list::List;
use crate::operand::Input;
use alloc::vec::Vec;
use core::{fmt, mem};

/// A buffer that a plan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// An operand of the call, by its number.
    Operand(usize),
    /// A constant of the plan.
    Constant(usize),
    /// A temporary that an earlier nest of the plan has written.
    Scratch(usize),
}

/// The element type of an index table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// `i32`.
    I32,
    /// `i64`.
    I64,
}

impl IndexType {
    /// The type itself.
    pub(crate) const fn element_type(self) -> ElementType {
        match self {
            Self::I32 => ElementType::I32,
            Self::I64 => ElementType::I64,
        }
    }

    /// The index at a position of a table of this type.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub(crate) fn load(self, table: &Input<'_>, at: usize) -> i64 {
        let bytes = table.bytes();
        match self {
            Self::I32 => i64::from(i32::from_ne_bytes(bytes.as_chunks::<4>().0[at])),
            Self::I64 => i64::from_ne_bytes(bytes.as_chunks::<8>().0[at]),
        }
    }

    /// Bytes of one index.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::I32 => 4,
            Self::I64 => 8,
        }
    }
}

/// One index loaded from a table and wrapped: `scale * (v < 0 ? v + size : v)` with `v = table[access]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lookup {
    /// What one step of the index is worth.
    pub scale: i64,
    /// Where the index is read.
    pub table: Buffer,
    /// How it is read.
    pub index: IndexType,
    /// The size of the axis it selects from: it is in `-size..size`, proved by a check that runs before.
    pub size: i64,
    /// Its position in the table, in elements.
    pub access: Access,
}

impl Lookup {
    /// What an index of the axis, counted from its end if negative, adds to the position; modulo 2^64 for one that is outside.
    #[inline]
    #[must_use]
    pub fn adds(&self, index: i64) -> i64 {
        self.scale.wrapping_mul(wrapped(index, self.size))
    }
}

/// What takes the place of a counter: an access over some of the new counters, those from `first` on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Replacement<'a> {
    pub offset: i64,
    pub first: usize,
    pub strides: &'a [i64],
    pub lookups: &'a [Lookup],
}

impl<'a> Replacement<'a> {
    pub fn affine(offset: i64, first: usize, strides: &'a [i64]) -> Self {
        Self {
            offset,
            first,
            strides,
            lookups: &[],
        }
    }
}

/// A position as a function of loop counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access {
    /// The position where every counter is 0, without the lookups.
    pub offset: i64,
    /// What one turn of each loop adds, outermost first.
    pub strides: List<i64>,
    /// What tables add.
    pub lookups: Vec<Lookup>,
}

impl Access {
    /// The same position whatever the `rank` counters are.
    pub(crate) fn fixed(offset: i64, rank: usize) -> Self {
        Self {
            offset,
            strides: List::repeat(0, rank),
            lookups: Vec::new(),
        }
    }

    /// `offset + sum of strides * counters`.
    pub(crate) fn affine(offset: i64, strides: List<i64>) -> Self {
        Self {
            offset,
            strides,
            lookups: Vec::new(),
        }
    }

    /// Row-major over `dims`; all strides are 0 if a dimension is 0, so nothing overflows.
    pub(crate) fn row_major(dims: &[usize]) -> Self {
        let mut strides = List::repeat(0, dims.len());
        if !dims.contains(&0) {
            let mut stride = 1i64;
            for (slot, &dim) in strides.iter_mut().zip(dims).rev() {
                *slot = stride;
                stride = stride.wrapping_mul(dim as i64);
            }
        }
        Self::affine(0, strides)
    }

    /// `offset + scale * self`.
    pub(crate) fn scaled(&self, offset: i64, scale: i64) -> Self {
        let lookups = self.lookups.iter().map(|lookup| Lookup {
            scale: scale.wrapping_mul(lookup.scale),
            ..lookup.clone()
        });
        let strides = self.strides.iter();
        Self {
            offset: offset.wrapping_add(scale.wrapping_mul(self.offset)),
            strides: strides.map(|&stride| scale.wrapping_mul(stride)).collect(),
            lookups: lookups.collect(),
        }
    }

    /// Whether no table takes part.
    #[must_use]
    pub fn is_affine(&self) -> bool {
        self.lookups.is_empty()
    }

    /// The position where the counters are these; `load` gives the index of a lookup that is at a position in its table.
    #[inline]
    pub fn position(&self, counters: &[usize], load: &impl Fn(&Lookup, i64) -> i64) -> i64 {
        let lookups = self.lookups.iter().map(|lookup| {
            // Most tables have none of their own: a call less for each index.
            let at = match lookup.access.is_affine() {
                true => lookup.access.affine_position(counters),
                false => lookup.access.position(counters, load),
            };
            lookup.adds(load(lookup, at))
        });
        self.affine_position(counters) + lookups.sum::<i64>()
    }

    /// The same without what tables add.
    #[inline]
    pub(crate) fn affine_position(&self, counters: &[usize]) -> i64 {
        let counted = self.strides.iter().zip(counters);
        let steps = counted.map(|(&stride, &counter)| stride * counter as i64);
        self.offset + steps.sum::<i64>()
    }

    /// Replaces counter `k` by `with[k]`, over `rank` new counters.
    pub(crate) fn substitute(&mut self, with: &[Replacement<'_>], rank: usize) {
        for lookup in &mut self.lookups {
            lookup.access.substitute(with, rank);
        }
        let strides = mem::replace(&mut self.strides, List::repeat(0, rank));
        let moved = || strides.iter().zip(with).filter(|(stride, _)| **stride != 0);
        let lookups = moved().map(|(_, replacement)| replacement.lookups.len());
        let had = self.lookups.len();
        self.lookups.reserve_exact(lookups.sum());
        for (&stride, replacement) in moved() {
            let added = stride.wrapping_mul(replacement.offset);
            self.offset = self.offset.wrapping_add(added);
            let counters = self.strides.iter_mut().skip(replacement.first);
            for (sum, &inner) in counters.zip(replacement.strides) {
                *sum = sum.wrapping_add(stride.wrapping_mul(inner));
            }
            let place = |strides: &[i64]| {
                let mut placed = List::repeat(0, rank);
                placed[replacement.first..][..strides.len()].copy_from_slice(strides);
                placed
            };
            let lookups = replacement.lookups.iter().map(|lookup| Lookup {
                scale: stride.wrapping_mul(lookup.scale),
                access: lookup.access.map_strides(&place),
                ..*lookup
            });
            self.lookups.extend(lookups);
        }
        // What the last operator looks up stands first.
        self.lookups.rotate_left(had);
    }

    /// The same access over other counters: `f` rewrites the strides here and in every table.
    pub(crate) fn map_strides(&self, f: &impl Fn(&[i64]) -> List<i64>) -> Self {
        Self {
            offset: self.offset,
            strides: f(&self.strides),
            lookups: self
                .lookups
                .iter()
                .map(|lookup| Lookup {
                    access: lookup.access.map_strides(f),
                    ..*lookup
                })
                .collect(),
        }
    }

    /// Rewrites the strides here and in every table where they are.
    pub(crate) fn edit_strides(&mut self, f: &impl Fn(&mut List<i64>)) {
        f(&mut self.strides);
        for lookup in &mut self.lookups {
            lookup.access.edit_strides(f);
        }
    }

    /// Whether `f` holds for the strides here and in every table.
    pub(crate) fn all_strides(&self, f: &impl Fn(&[i64]) -> bool) -> bool {
        f(&self.strides)
            && self
                .lookups
                .iter()
                .all(|lookup| lookup.access.all_strides(f))
    }

    /// Whether `f` holds for the strides of every table.
    pub(crate) fn all_table_strides(&self, f: &impl Fn(&[i64]) -> bool) -> bool {
        self.lookups
            .iter()
            .all(|lookup| lookup.access.all_strides(f))
    }

    /// The number of lookups, nested ones included.
    #[must_use]
    pub fn lookup_count(&self) -> usize {
        self.lookups
            .iter()
            .map(|lookup| 1 + lookup.access.lookup_count())
            .sum()
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let tables = self.lookups.iter().map(|lookup| lookup.access.heap_bytes());
        self.strides.heap_bytes()
            + self.lookups.capacity() * size_of::<Lookup>()
            + tables.sum::<usize>()
    }

    /// The smallest and largest position, for counters in `0..extents` and indices within their axes. Every extent is at least 1.
    pub(crate) fn span(&self, extents: &[usize]) -> (i128, i128) {
        let first = i128::from(self.offset);
        let loops = self.strides.iter().zip(extents);
        let affine = loops.fold((first, first), |span, (&stride, &extent)| {
            widen(span, stride, extent as i128)
        });
        self.lookups.iter().fold(affine, |span, lookup| {
            widen(span, lookup.scale, lookup.size as i128)
        })
    }
}

/// A span with up to `turns - 1` times `stride` added. What no `i128` holds, of loops whose turns nobody has counted, stays as far outside
/// of every buffer as one can say.
pub(crate) fn widen((low, high): (i128, i128), stride: i64, turns: i128) -> (i128, i128) {
    match stride as i128 * (turns - 1) {
        reach @ ..0 => (low.saturating_add(reach), high),
        reach => (low, high.saturating_add(reach)),
    }
}

/// The name of loop `k`: `i`, `j`, `k`, `l`, then `i4`, `i5`, ...
pub(crate) struct Counter(pub usize);

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match ["i", "j", "k", "l"].get(self.0) {
            Some(name) => f.write_str(name),
            None => write!(f, "i{}", self.0),
        }
    }
}

/// How buffers are called in the printed form.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a>(pub &'a [alloc::string::String]);

impl Names<'_> {
    pub fn write(self, buffer: Buffer, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match buffer {
            Buffer::Operand(at) => match self.0.get(at) {
                Some(name) => f.write_str(name),
                None => write!(f, "operand{at}"),
            },
            Buffer::Constant(at) => write!(f, "const{at}"),
            Buffer::Scratch(at) => write!(f, "scratch{at}"),
        }
    }
}

/// An access in its printed form: `24 - 16*i + 768*wrap(ids[j])`.
pub(crate) struct Shown<'a>(pub &'a Access, pub Names<'a>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(access, names) = self;
        let mut first = true;
        let mut sign = |value: i64, f: &mut fmt::Formatter<'_>| {
            let text = match (first, value < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            first = false;
            f.write_str(text)
        };
        if access.offset != 0 {
            sign(access.offset, f)?;
            write!(f, "{}", access.offset.unsigned_abs())?;
        }
        for (k, &stride) in access
            .strides
            .iter()
            .enumerate()
            .filter(|(_, stride)| **stride != 0)
        {
            sign(stride, f)?;
            if stride.unsigned_abs() != 1 {
                write!(f, "{}*", stride.unsigned_abs())?;
            }
            write!(f, "{}", Counter(k))?;
        }
        for lookup in &access.lookups {
            sign(lookup.scale, f)?;
            if lookup.scale.unsigned_abs() != 1 {
                write!(f, "{}*", lookup.scale.unsigned_abs())?;
            }
            f.write_str("wrap(")?;
            names.write(lookup.table, f)?;
            write!(f, "[{}])", Shown(&lookup.access, *names))?;
        }
        if first { f.write_str("0") } else { Ok(()) }
    }
}
