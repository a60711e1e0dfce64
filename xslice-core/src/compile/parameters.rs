//! Values that decide shapes: what of them is computed before anything is compiled.
//!
//! What decides (`program/role.rs` says which values do) has to be known: it is computed operator by operator, from the constants and from
//! the values in the signature, and counts against the limit. A Range from which more is selected stays a formula: only the elements that
//! are read at the end are computed.

use super::{Builder, Maps};
use crate::coord::CoordMap;
use crate::elem::ElementType;
use crate::error::Error;
use crate::nest::Source;
use crate::program::Apply;
use crate::tensor::{Tensor, byte_count, element_count};
use alloc::{boxed::Box, format, sync::Arc};

/// What is known before the call is computed, checked and compared, often by several askers: each byte of it counts as this many.
const KNOWN_COST: usize = 4;

/// A value that decides shapes.
#[derive(Clone, Debug)]
pub(super) enum Parameter {
    /// Its elements.
    Elements(Arc<Tensor>),
    /// Some of a Range, of which more is selected before anything is read. No table takes part.
    Range(Box<CoordMap>),
}

impl Builder {
    /// The result of one operator whose inputs are all known; as elements, if they are `read`.
    pub(super) fn evaluate(
        &mut self,
        apply: &Apply,
        known: &[Option<Parameter>],
        read: bool,
    ) -> Result<Parameter, Error> {
        let mut inner = Self {
            limit: self.limit,
            known_cost: self.known_cost,
            ..Self::empty()
        };
        let mut maps = Maps::with_capacity(apply.inputs().count());
        for id in apply.inputs() {
            let Some(known) = &known[id.index()] else {
                continue;
            };
            let map = match known {
                Parameter::Elements(tensor) => Box::new(inner.constant(tensor)),
                Parameter::Range(map) => map.clone(),
            };
            let reads = apply.inputs().filter(|input| *input == id).count();
            maps.keep(id.index(), map, reads);
        }
        let map = inner.apply(apply, &mut maps, known)?;
        self.known_cost = inner.known_cost;
        if !read && matches!(map.source, Source::Range(_)) && map.access.is_affine() {
            return Ok(Parameter::Range(map));
        }
        self.read_known(map.ty, &map.dims)?;
        Ok(Parameter::Elements(Arc::new(inner.elements(map)?)))
    }

    /// Accounts for values that are about to be read, or computed and read, while compiling.
    pub(super) fn read_known(&mut self, ty: ElementType, dims: &[usize]) -> Result<(), Error> {
        let bytes = byte_count(element_count(dims)?, ty)?.saturating_mul(KNOWN_COST);
        let cost = self.known_cost.saturating_add(bytes);
        self.limit.admit(cost, || {
            format!(
                "indices and parameters known before the call count as {cost} bytes, {KNOWN_COST} times what they take"
            )
        })?;
        self.known_cost = cost;
        Ok(())
    }
}
