//! The index of a gather: affine, a table of constants, or a table of the call with a check.

use super::Builder;
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::coord::CoordMap;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::index::{is_outside, wrapped};
use crate::list::List;
use crate::nest::{Source, simplify::fold_loops, verify};
use crate::plan::{Check, Origin, Step};
use crate::range::Progression;
use crate::runner;
use crate::scratch::Scratch;
use crate::steps;
use crate::tensor::Tensor;
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};

/// Bytes of computed indices that a plan holds as a table. More are looked up in two steps or written by each run, so that a plan that is
/// only looked at costs little.
const MOST_TABULATED: usize = 1 << 20;

impl Builder {
    /// The index of a gather, wrapped, as a function of the coordinates of `indices`, and their shape. What is known is checked here
    /// and becomes affine where it is; what is not gets a check that runs.
    pub(super) fn gather(
        &mut self,
        mut indices: Box<CoordMap>,
        dim: usize,
        origin: Origin,
    ) -> Result<(Access, List<usize>), Error> {
        let size = dim as i64;
        let dims = indices.dims.clone();
        if indices.is_empty() {
            return Ok((Access::fixed(0, dims.len()), dims));
        }
        if let Source::Range(values) = indices.source {
            if let Some(access) = range_index(values, &indices, size) {
                return Ok((access, dims));
            }
            if let Some((value, at)) = first_outside(values, &indices, size) {
                return Err(origin.refuse(size, value, at));
            }
        }
        if self.is_constant(&indices) {
            if is_tabulated(&indices) {
                return self.constant_index(&indices, size, &origin);
            }
            if let Source::Buffer(Buffer::Constant(at)) = indices.source {
                return match self.is_within(at, size)? {
                    true => Ok((looked_up(*indices, Buffer::Constant(at), size), dims)),
                    // Perhaps none of those outside is selected.
                    false => self.constant_index(&indices, size, &origin),
                };
            }
        }
        self.compose(&mut indices)?;
        // The values of a Range lie in no memory: each run writes those that are selected.
        let is_range = matches!(indices.source, Source::Range(_));
        if is_range || (!indices.access.is_affine() && self.has_room_for(&indices)) {
            indices = self.materialize(indices)?;
        }
        let Source::Buffer(table) = indices.source else {
            return Err(Error::new(
                ErrorKind::ParameterType,
                "indices without a table",
            ));
        };
        let index = index_type(indices.ty);
        self.check(table, index, &indices, size, origin)?;
        if size == 0 {
            self.doomed = true;
            return Ok((Access::fixed(0, dims.len()), dims));
        }
        Ok((looked_up(*indices, table, size), dims))
    }

    /// Gives indices whose places other indices say a table of their own, in the order in which loops read them: each run writes it before
    /// the nest, or it is computed now where all are known. Where there is no room, a look-up stays a load that waits for a load.
    pub(super) fn compose(&mut self, map: &mut CoordMap) -> Result<(), Error> {
        if map.is_empty() || self.doomed {
            return Ok(());
        }
        for lookup in &mut map.access.lookups {
            if lookup.access.is_affine() {
                continue;
            }
            let moves = |&k: &usize| !lookup.access.all_strides(&|strides| strides[k] == 0);
            let moved: List<usize> = (0..map.dims.len()).filter(moves).collect();
            let of_moved = |strides: &[i64]| moved.iter().map(|&k| strides[k]).collect();
            let indices = Box::new(CoordMap {
                ty: lookup.index.element_type(),
                source: Source::Buffer(lookup.table),
                src_len: self.len(lookup.table),
                dims: moved.iter().map(|&k| map.dims[k]).collect(),
                access: lookup.access.map_strides(&of_moved),
            });
            let Some((table, access)) = self.composed(indices)? else {
                continue;
            };
            lookup.table = table;
            lookup.access = Access::fixed(access.offset, map.dims.len());
            for (&k, &stride) in moved.iter().zip(&*access.strides) {
                lookup.access.strides[k] = stride;
            }
        }
        Ok(())
    }

    /// A table of these indices alone, and where they are in it.
    fn composed(&mut self, mut indices: Box<CoordMap>) -> Result<Option<(Buffer, Access)>, Error> {
        if self.is_constant(&indices) {
            if !is_tabulated(&indices) || self.read_known(indices.ty, &indices.dims).is_err() {
                return Ok(None);
            }
            let tensor = self.known_elements(&indices)?;
            let table = Buffer::Constant(self.constant_slot(&tensor));
            return Ok(Some((table, Access::row_major(&indices.dims))));
        }
        self.compose(&mut indices)?;
        if !self.has_room_for(&indices) {
            return Ok(None);
        }
        let written = self.materialize(indices)?;
        Ok(written.source.buffer().map(|table| (table, written.access)))
    }

    /// Whether a plan may have one more temporary, for these indices.
    fn has_room_for(&self, indices: &CoordMap) -> bool {
        let count: usize = indices.dims.iter().product();
        let bytes = self.temporary_bytes(count.saturating_mul(indices.ty.size()));
        self.limit.has_room_for(bytes)
    }

    fn check(
        &mut self,
        table: Buffer,
        index: IndexType,
        indices: &CoordMap,
        size: i64,
        origin: Origin,
    ) -> Result<(), Error> {
        let mut extents = indices.dims.clone();
        let mut access = indices.access.clone();
        if !self.doomed {
            verify::table_access(&access, &extents, table, &|buffer| self.len(buffer))?;
        }
        fold_loops(&mut extents, &mut [&mut access]);
        self.steps.push(Step::Check(Box::new(Check {
            table,
            index,
            extents,
            access,
            size,
            origin,
        })));
        Ok(())
    }

    /// Whether no operand and no temporary takes part.
    fn is_constant(&self, map: &CoordMap) -> bool {
        fn constant_tables(access: &Access) -> bool {
            access.lookups.iter().all(|lookup| {
                matches!(lookup.table, Buffer::Constant(_)) && constant_tables(&lookup.access)
            })
        }
        let source = match map.source {
            Source::Buffer(buffer) => matches!(buffer, Buffer::Constant(_)),
            Source::Range(_) => true,
        };
        source && constant_tables(&map.access)
    }

    /// Indices that are known: checked, wrapped, and affine if they are; else a constant table.
    fn constant_index(
        &mut self,
        indices: &CoordMap,
        size: i64,
        origin: &Origin,
    ) -> Result<(Access, List<usize>), Error> {
        self.read_known(indices.ty, &indices.dims)?;
        let tensor = self.known_elements(indices)?;
        let dims = indices.dims.clone();
        let affine = match index_type(tensor.element_type()) {
            IndexType::I32 => {
                let (words, _) = tensor.bytes().as_chunks::<4>();
                checked(&|at| i32::from_ne_bytes(words[at]).into(), size, &dims)
            }
            IndexType::I64 => {
                let (words, _) = tensor.bytes().as_chunks::<8>();
                checked(&|at| i64::from_ne_bytes(words[at]), size, &dims)
            }
        };
        let affine = affine.map_err(|(value, at)| origin.refuse(size, value, at))?;
        if let Some(access) = affine {
            return Ok((access, dims));
        }
        // A look-up wraps by itself: the values serve as they are.
        let (table, access) = match indices.source {
            Source::Buffer(table) if indices.access.is_affine() => (table, indices.access.clone()),
            Source::Buffer(_) | Source::Range(_) => {
                let table = Buffer::Constant(self.constant_slot(&tensor));
                (table, Access::row_major(&dims))
            }
        };
        Ok((
            looked_up_at(access, index_type(indices.ty), table, size),
            dims,
        ))
    }

    /// Whether every element of a constant is an index of an axis of `size`.
    fn is_within(&mut self, constant: usize, size: i64) -> Result<bool, Error> {
        let tensor = self.constants[constant].clone();
        self.read_known(tensor.element_type(), tensor.shape())?;
        Ok(steps::find_outside(tensor.as_input(), steps::Row::all(tensor.len()), size).is_none())
    }

    /// The elements of a map over constants.
    fn known_elements(&self, map: &CoordMap) -> Result<Arc<Tensor>, Error> {
        if let Source::Buffer(Buffer::Constant(at)) = map.source
            && map.access == Access::row_major(self.constants[at].shape())
            && map.dims == *self.constants[at].shape()
        {
            return Ok(self.constants[at].clone());
        }
        let mut inner = Self {
            constants: self.constants.clone(),
            limit: self.limit,
            ..Self::empty()
        };
        Ok(Arc::new(inner.elements(Box::new(map.clone()))?))
    }

    /// Runs what has been built, on no operands.
    pub(super) fn elements(&mut self, map: Box<CoordMap>) -> Result<Tensor, Error> {
        let mut tensor = Tensor::zeros(map.ty, &map.dims)?;
        let plan = core::mem::replace(self, Self::empty()).finish(map, None)?;
        runner::run(&plan, &[], tensor.as_output(), &mut Scratch::new())?;
        Ok(tensor)
    }
}

fn index_type(ty: ElementType) -> IndexType {
    match ty {
        ElementType::I32 => IndexType::I32,
        _ => IndexType::I64,
    }
}

/// The index that a table gives, at the positions of `indices`.
fn looked_up(indices: CoordMap, table: Buffer, size: i64) -> Access {
    looked_up_at(indices.access, index_type(indices.ty), table, size)
}

fn looked_up_at(access: Access, index: IndexType, table: Buffer, size: i64) -> Access {
    Access {
        offset: 0,
        strides: List::repeat(0, access.strides.len()),
        lookups: vec![Lookup {
            scale: 1,
            table,
            index,
            size,
            access,
        }],
    }
}

/// Whether known indices are computed for the plan. Of a Range, or selected by other indices, they may be many where the program is small.
fn is_tabulated(indices: &CoordMap) -> bool {
    let are_listed = matches!(indices.source, Source::Buffer(_)) && indices.access.is_affine();
    let count: usize = indices.dims.iter().product();
    are_listed || count * indices.ty.size() <= MOST_TABULATED
}

/// Positions in a Range as an index without a table, `start + delta * position`: if all of it lies on one side of 0 and within the axis.
fn range_index(values: Progression, indices: &CoordMap, size: i64) -> Option<Access> {
    let (start, delta) = values.integers()?;
    let (first, last) = indices.access.span(&indices.dims);
    let value = |position: i128| i128::from(start) + position * i128::from(delta);
    let (low, high) = (value(first).min(value(last)), value(first).max(value(last)));
    let wrap = if low >= 0 && high < i128::from(size) {
        0
    } else if low >= -i128::from(size) && high < 0 {
        size
    } else {
        return None;
    };
    Some(indices.access.scaled(start.wrapping_add(wrap), delta))
}

/// The first of affine positions in a Range whose value is outside `-size..size`: the value, and where. No value before it is computed,
/// of which there may be as many as the axis is long.
fn first_outside(values: Progression, indices: &CoordMap, size: i64) -> Option<(i64, usize)> {
    let (start, delta) = values.integers()?;
    let access = &indices.access;
    if !access.is_affine() {
        return None;
    }
    let value = i128::from(start) + i128::from(access.offset) * i128::from(delta);
    let strides = access.strides.iter();
    let strides = strides.map(|&stride| i128::from(stride) * i128::from(delta));
    let above = first_reaching(i128::from(size), value, strides.clone(), &indices.dims);
    let negated = strides.map(|stride| -stride);
    let below = first_reaching(i128::from(size) + 1, -value, negated, &indices.dims);
    let below = below.map(|(at, value)| (at, -value));
    let (at, value) = above.into_iter().chain(below).min()?;
    Some((i64::try_from(value).ok()?, at))
}

/// The first row-major place of `dims` where `value + sum of strides * counters` is at least `bound`, and that sum there.
fn first_reaching(
    bound: i128,
    mut value: i128,
    strides: impl Iterator<Item = i128> + Clone,
    dims: &[usize],
) -> Option<(usize, i128)> {
    let loops = || strides.clone().zip(dims);
    let reach = |(stride, &dim): (i128, &usize)| (stride * (dim as i128 - 1)).max(0);
    let mut rest: i128 = loops().map(reach).sum();
    if value + rest < bound {
        return None;
    }
    let mut at = 0;
    for (stride, dim) in loops() {
        rest -= reach((stride, dim));
        // What the loops further in cannot add takes turns of this one.
        let turns = match bound - value - rest {
            ..=0 => 0,
            missing => (missing + stride - 1) / stride,
        };
        value += stride * turns;
        at = at * dim + usize::try_from(turns).ok()?;
    }
    Some((at, value))
}

/// Indices of an axis of `size`, by their position in a tensor of `dims`: wrapped, as `offset + sum of strides * counters` if they are
/// that; or the first that is outside, and where. No dimension is 0.
fn checked(
    value: &impl Fn(usize) -> i64,
    size: i64,
    dims: &[usize],
) -> Result<Option<Access>, (i64, usize)> {
    let is_bad = |&at: &usize| is_outside(value(at), size);
    if let Some(at) = (0..dims.iter().product()).find(is_bad) {
        return Err((value(at), at));
    }
    Ok(affine_values(&|at| wrapped(value(at), size), dims))
}

/// The values by their position as `offset + sum of strides * counters`, if they are that. No dimension is 0, no value negative.
fn affine_values(value: &impl Fn(usize) -> i64, dims: &[usize]) -> Option<Access> {
    let offset = value(0);
    let mut access = Access::row_major(dims);
    access.offset = offset;
    for (stride, &dim) in access.strides.iter_mut().zip(dims) {
        *stride = match dim {
            1 => 0,
            _ => value(*stride as usize) - offset,
        };
    }
    let loops = dims.iter().copied().zip(access.strides.iter().copied());
    let mut loops: Vec<(usize, i64)> = loops.filter(|(dim, _)| *dim > 1).collect();
    let (len, step) = loops.pop().unwrap_or((1, 0));
    let mut counters = vec![0usize; loops.len()];
    for row in 0..loops.iter().map(|(dim, _)| dim).product() {
        let steps = loops.iter().zip(&counters);
        let steps: i128 = steps
            .map(|(&(_, stride), &at)| i128::from(stride) * at as i128)
            .sum();
        let (first, end) = (row * len, (row + 1) * len);
        // A sum that wraps is negative, which no value is.
        let steps_on = |at: usize| value(at) == value(at - 1).wrapping_add(step);
        let is_affine = i128::from(value(first)) == i128::from(offset) + steps;
        if !is_affine || !(first + 1..end).all(steps_on) {
            return None;
        }
        for (counter, (dim, _)) in counters.iter_mut().zip(&loops).rev() {
            *counter += 1;
            if *counter < *dim {
                break;
            }
            *counter = 0;
        }
    }
    Some(access)
}
