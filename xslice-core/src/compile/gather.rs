//! The index of a gather: affine, a table of constants, or a table of the call with a check.

use super::Builder;
use crate::access::{Access, Buffer, IndexType, Lookup};
use crate::coord::CoordMap;
use crate::elem::ElementType;
use crate::error::{Error, ErrorKind};
use crate::list::List;
use crate::nest::{Source, simplify::fold_loops, verify};
use crate::plan::{Check, Origin, Step};
use crate::range::Progression;
use crate::runner;
use crate::scratch::Scratch;
use crate::tensor::Tensor;
use alloc::{sync::Arc, vec, vec::Vec};

impl Builder {
    /// The index of a gather, wrapped, as a function of the coordinates of `indices`, and their shape. What is known is checked here
    /// and becomes affine where it is; what is not gets a check that runs.
    pub(super) fn gather(
        &mut self,
        indices: CoordMap,
        dim: usize,
        origin: Origin,
    ) -> Result<(Access, List<usize>), Error> {
        let size = dim as i64;
        let dims = indices.dims.clone();
        if indices.is_empty() {
            return Ok((Access::fixed(0, dims.len()), dims));
        }
        if let Source::Range(values) = indices.source
            && let Some(access) = affine_range(values, &indices, size)
        {
            return Ok((access, dims));
        }
        if self.is_constant(&indices) {
            return self.constant_index(&indices, size, &origin);
        }
        let indices = match indices.source {
            Source::Range(values) => self.tabulate(values, &indices)?,
            Source::Buffer(_) => indices,
        };
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
        let rank = dims.len();
        let lookup = Lookup {
            scale: 1,
            table,
            index,
            size,
            access: indices.access,
        };
        Ok((
            Access {
                lookups: vec![lookup],
                ..Access::fixed(0, rank)
            },
            dims,
        ))
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
        self.steps.push(Step::Check(Check {
            table,
            index,
            extents,
            access,
            size,
            origin,
            by_move: false,
        }));
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
        let refuse = |value, at| origin.refuse(size, value, at);
        if let Source::Range(values) = indices.source {
            refuse_range(values, indices, size, &refuse)?;
        }
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
        if let Some(access) = affine.map_err(|(value, at)| refuse(value, at))? {
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
        let lookup = Lookup {
            scale: 1,
            table,
            index: index_type(indices.ty),
            size,
            access,
        };
        let access = Access {
            lookups: vec![lookup],
            ..Access::fixed(0, dims.len())
        };
        Ok((access, dims))
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
            max_bytes: self.max_bytes,
            ..Self::empty()
        };
        Ok(Arc::new(inner.elements(map.clone())?))
    }

    /// Runs what has been built, on no operands.
    pub(super) fn elements(&mut self, map: CoordMap) -> Result<Tensor, Error> {
        let mut tensor = Tensor::zeros(map.ty, &map.dims)?;
        let plan = core::mem::replace(self, Self::empty()).finish(map, None)?;
        runner::run(&plan, &[], tensor.as_output(), &mut Scratch::new())?;
        Ok(tensor)
    }

    /// A Range as a table, for indices that other indices select from it.
    fn tabulate(&mut self, values: Progression, map: &CoordMap) -> Result<CoordMap, Error> {
        let range = CoordMap::whole(map.ty, map.source, &[map.src_len], map.src_len);
        debug_assert_eq!(range.source, Source::Range(values));
        self.read_known(range.ty, &range.dims)?;
        let tensor = Self {
            max_bytes: self.max_bytes,
            ..Self::empty()
        }
        .elements(range)?;
        let tensor = self.own(tensor);
        let source = Source::Buffer(Buffer::Constant(self.constant_slot(&tensor)));
        Ok(CoordMap {
            source,
            ..map.clone()
        })
    }
}

fn index_type(ty: ElementType) -> IndexType {
    match ty {
        ElementType::I32 => IndexType::I32,
        _ => IndexType::I64,
    }
}

/// A Range as an index without a table: if all of it lies on one side of 0 and within the axis.
fn affine_range(values: Progression, indices: &CoordMap, size: i64) -> Option<Access> {
    let (start, delta) = values.integers()?;
    if !indices.access.is_affine() {
        return None;
    }
    let (low, high) = index_span(start, delta, indices);
    let wrap = if low >= 0 && high < i128::from(size) {
        0
    } else if low >= -i128::from(size) && high < 0 {
        size
    } else {
        return None;
    };
    let access = &indices.access;
    Some(Access::affine(
        start
            .wrapping_add(delta.wrapping_mul(access.offset))
            .wrapping_add(wrap),
        access
            .strides
            .iter()
            .map(|&stride| delta.wrapping_mul(stride))
            .collect(),
    ))
}

/// The smallest and largest index that affine positions in a Range select.
fn index_span(start: i64, delta: i64, indices: &CoordMap) -> (i128, i128) {
    let (first, last) = indices.access.span(&indices.dims);
    let value = |position: i128| i128::from(start) + position * i128::from(delta);
    let (a, b) = (value(first), value(last));
    (a.min(b), a.max(b))
}

/// Refuses affine positions in a Range that leave the axis, without the memory that all of them would take: values within the axis
/// are at most as many as its size, so the first one outside is found soon.
fn refuse_range(
    values: Progression,
    indices: &CoordMap,
    size: i64,
    refuse: &dyn Fn(i64, usize) -> Error,
) -> Result<(), Error> {
    let (Some((start, delta)), true) = (values.integers(), indices.access.is_affine()) else {
        return Ok(());
    };
    let (low, high) = index_span(start, delta, indices);
    if low >= -i128::from(size) && high < i128::from(size) {
        return Ok(());
    }
    let mut counters = vec![0usize; indices.dims.len()];
    for flat in 0.. {
        let steps = indices
            .access
            .strides
            .iter()
            .zip(&counters)
            .map(|(&stride, &at)| i128::from(stride) * at as i128);
        let value = i128::from(start)
            + (i128::from(indices.access.offset) + steps.sum::<i128>()) * i128::from(delta);
        if value < -i128::from(size) || value >= i128::from(size) {
            return Err(refuse(i64::try_from(value).unwrap_or(i64::MAX), flat));
        }
        let mut axis = indices.dims.len();
        loop {
            if axis == 0 {
                return Ok(());
            }
            axis -= 1;
            counters[axis] += 1;
            if counters[axis] < indices.dims[axis] {
                break;
            }
            counters[axis] = 0;
        }
    }
    Ok(())
}

/// Indices of an axis of `size`, by their position in a tensor of `dims`: wrapped, as `offset + sum of strides * counters` if they are
/// that; or the first that is outside, and where. No dimension is 0.
fn checked(
    value: &impl Fn(usize) -> i64,
    size: i64,
    dims: &[usize],
) -> Result<Option<Access>, (i64, usize)> {
    let is_outside = |&at: &usize| !(-size..size).contains(&value(at));
    if let Some(at) = (0..dims.iter().product()).find(is_outside) {
        return Err((value(at), at));
    }
    let wrapped = |at: usize| value(at) + if value(at) < 0 { size } else { 0 };
    Ok(affine_values(&wrapped, dims))
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
