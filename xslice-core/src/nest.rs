//! The IR: a loop nest that copies, numbers only (I1).
//!
//! ```text
//! nest f32 block 8
//!   for i in 0..2
//!     dst[8*i] <- src[24 - 16*i]
//!   src 8..=31 of 32, dst 0..=15 of 16
//! ```
//! Each turn of the loops moves one block of neighbouring elements. A [`LoopNest`] is born simplified ([`simplify`]) and verified (I2): its
//! fields are private and its constructor ends in the checks of [`verify`], so holding one is the proof of I3 and I4.

use crate::access::{Access, Buffer, Counter, Names, Shown};
use crate::elem::ElementType;
use crate::error::Error;
use crate::list::List;
use crate::range::Progression;
use alloc::string::String;
use core::fmt;

pub mod schedule;
pub(crate) mod simplify;
pub mod verify;

/// Where the elements of a nest come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Memory.
    Buffer(Buffer),
    /// No memory: position `p` of a Range has the value `start + p * delta`.
    Range(Progression),
}

impl Source {
    /// The buffer; `None` for a Range, which reads nothing.
    #[must_use]
    pub fn buffer(self) -> Option<Buffer> {
        match self {
            Self::Buffer(buffer) => Some(buffer),
            Self::Range(_) => None,
        }
    }

    pub(crate) fn write(self, names: Names<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffer(buffer) => names.write(buffer, f),
            Self::Range(progression) => write!(f, "({progression})"),
        }
    }
}

/// The unchecked parts of a nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parts {
    pub ty: ElementType,
    /// Turns of each loop, outermost first; at least 1.
    pub extents: List<usize>,
    /// Neighbouring elements that each turn moves; at least 1.
    pub block: usize,
    pub source: Source,
    /// Elements of the source.
    pub src_len: usize,
    pub src: Access,
    /// Elements of the destination.
    pub dst_len: usize,
    pub dst: Access,
}

/// A verified loop nest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopNest {
    parts: Parts,
    covers: bool,
}

impl LoopNest {
    /// The constructor: the shortest nest of this meaning, verified as it will run. `table_len` gives the elements of an index table.
    ///
    /// # Errors
    /// [`OperandLayout`](crate::ErrorKind::OperandLayout) if a position lies outside its buffer or a destination position might be
    /// written twice.
    pub(crate) fn new(
        mut parts: Parts,
        table_len: &dyn Fn(Buffer) -> usize,
    ) -> Result<Self, Error> {
        let given = cfg!(debug_assertions).then(|| verify::nest(&parts, table_len));
        verify::element_count(&parts)?;
        simplify::simplify(&mut parts);
        let verified = verify::nest(&parts, table_len);
        // The rewrites move no element, so they make no nest legal and none illegal (I6).
        debug_assert!(given.is_none_or(|given| given.is_ok() == verified.is_ok()));
        verified?;
        let covers = verify::covers(&parts);
        Ok(Self { parts, covers })
    }

    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.parts.ty
    }

    /// Turns of each loop, outermost first; each at least 1.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.parts.extents
    }

    /// Neighbouring elements that each turn moves; at least 1.
    #[must_use]
    pub fn block(&self) -> usize {
        self.parts.block
    }

    /// Where the elements come from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.parts.source
    }

    /// Elements of the source's buffer, or values of the Range.
    #[must_use]
    pub fn source_len(&self) -> usize {
        self.parts.src_len
    }

    /// Elements of the destination's buffer.
    #[must_use]
    pub fn destination_len(&self) -> usize {
        self.parts.dst_len
    }

    /// Position of the block in the source, in elements.
    #[must_use]
    pub fn src(&self) -> &Access {
        &self.parts.src
    }

    /// Position of the block in the destination, in elements; affine.
    #[must_use]
    pub fn dst(&self) -> &Access {
        &self.parts.dst
    }

    /// Whether every element of the destination buffer is written (I4).
    #[must_use]
    pub fn covers(&self) -> bool {
        self.covers
    }

    /// The elements that the nest writes.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.parts.extents.iter().product::<usize>() * self.parts.block
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        let Parts {
            extents, src, dst, ..
        } = &self.parts;
        extents.heap_bytes() + src.heap_bytes() + dst.heap_bytes()
    }

    /// The printed form, with the operands called by their names.
    pub(crate) fn write(&self, names: Names<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &self.parts;
        writeln!(f, "nest {} block {}", parts.ty, parts.block)?;
        let mut indent = 2;
        for (k, extent) in parts.extents.iter().enumerate() {
            writeln!(f, "{:indent$}for {} in 0..{extent}", "", Counter(k))?;
            indent += 2;
        }
        write!(f, "{:indent$}dst[{}] <- ", "", Shown(&parts.dst, names))?;
        parts.source.write(names, f)?;
        writeln!(f, "[{}]", Shown(&parts.src, names))?;
        let block = parts.block as i128 - 1;
        let (low, high) = parts.src.span(&parts.extents);
        let (first, last) = parts.dst.span(&parts.extents);
        f.write_str("  ")?;
        match parts.source {
            Source::Buffer(buffer) => names.write(buffer, f)?,
            Source::Range(_) => f.write_str("range")?,
        }
        let (src_len, dst_len) = (parts.src_len, parts.dst_len);
        writeln!(
            f,
            " {low}..={} of {src_len}, dst {first}..={} of {dst_len}",
            high + block,
            last + block
        )
    }
}

impl fmt::Display for LoopNest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let src = match self.parts.source {
            Source::Buffer(Buffer::Operand(at)) => at,
            _ => 0,
        };
        let mut names = alloc::vec![String::new(); src];
        names.push(String::from("src"));
        self.write(Names(&names), f)
    }
}
